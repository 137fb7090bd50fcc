/*
 * path_network.c
 *		The path network of a model, in column paths of table model and table path_network.
 *
 * Column paths has its shape, and how many members it has.  A row of the table is a row of one part of a member's
 * parameters (see path_parts): of a directed atom where it has a relation, else of the atom that leads from an entity to
 * itself, or the whole part.  All rows of a relation are there, or none are: it came after the training.
 */
#include "path_network.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

#define LARGEST 1e6				/* beyond all that is learnt; sums of what is far larger would overflow */

/* ---- reading -------------------------------------------------------------------------- */

typedef struct NetworkRows
{
	const GraphData *data;
	PathNetwork *network;
	PathPart	part[PATH_MAX_PARTS];	/* of the first member */
	int			parts;
	bool	   *taken;			/* by the place of a row's first number, whether the row was there */
	int64		common;			/* rows without a relation so far */
	int64	   *of_relation;	/* rows of each so far */
	char	   *fault;			/* the end of a sentence about a row; NULL: none so far */
	char	   *place;			/* which row that is, as a sentence */
} NetworkRows;

/* Rows that each relation has; and those that have none */
static int64
rows_of_relation(const NetworkRows *rows)
{
	int64		count = 0;

	for (int i = 0; i < rows->parts; i++)
		count += rows->part[i].by_atom ? 2 : 0;
	return rows->network->members * count;
}

static int64
rows_in_common(const NetworkRows *rows)
{
	int64		count = 0;

	for (int i = 0; i < rows->parts; i++)
		count += rows->part[i].rows % 2;
	return rows->network->members * count;
}

static const PathPart *
find_part(const NetworkRows *rows, const char *name, int layer)
{
	for (int i = 0; i < rows->parts; i++)
		if (rows->part[i].layer == layer && strcmp(rows->part[i].name, name) == 0)
			return &rows->part[i];
	return NULL;
}

/* Takes a row of a member's part; returns what is wrong with it, or NULL. */
static char *
take_numbers(const NetworkRows *rows, int member, const PathPart *part, int32 row, Datum numbers)
{
	ArrayType  *array = DatumGetArrayTypeP(numbers);
	int			held = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	char	   *fault = ARR_NDIM(array) > 1 || held != part->columns || array_contains_nulls(array) ?
		psprintf("has %d numbers, expected %d", held, part->columns) :
		array_fault((float *) ARR_DATA_PTR(array), part->columns, LARGEST);
	float	   *to = part->number + member * path_parameters(rows->network->shape) + (Size) row * part->columns;
	bool	   *taken = rows->taken + (to - rows->network->parameter);

	if (*taken)
		fault = pstrdup("is there twice");
	*taken = true;
	if (fault == NULL)
		memcpy(to, ARR_DATA_PTR(array), part->columns * sizeof(float));
	if ((Pointer) array != DatumGetPointer(numbers))
		pfree(array);
	return fault;
}

/* Columns layer, part, relation, inverse, numbers, member */
typedef enum NetworkColumn
{
	LAYER,
	PART,
	RELATION,
	INVERSE,
	NUMBERS,
	MEMBER
} NetworkColumn;

/* Takes a row of that part, NULL: of none; returns what is wrong with it, or NULL. */
static char *
take_values(NetworkRows *rows, const PathPart *part, const Datum *values, const bool *nulls)
{
	int			member = nulls[MEMBER] ? 0 : DatumGetInt32(values[MEMBER]);
	int32		relation;

	if (part == NULL || member < 1 || member > rows->network->members || nulls[NUMBERS] ||
		(nulls[RELATION] ? part->rows % 2 == 0 : !part->by_atom || nulls[INVERSE]))
		return pstrdup("is no row of a network of that shape");
	if (nulls[RELATION])
	{
		rows->common++;
		return take_numbers(rows, member - 1, part, part->rows - 1, values[NUMBERS]);
	}
	relation = graph_row(rows->data->relation_id, rows->data->relations, DatumGetInt32(values[RELATION]));
	if (relation < 0)
		return NULL;
	rows->of_relation[relation]++;
	return take_numbers(rows, member - 1, part, FORWARDS(relation) + DatumGetBool(values[INVERSE]), values[NUMBERS]);
}

static char *
place_of_row(const char *part, const Datum *values, const bool *nulls)
{
	const char *relation = nulls[RELATION] ? "without a relation" :
		psprintf("its relation has the id %d%s", DatumGetInt32(values[RELATION]),
				 !nulls[INVERSE] && DatumGetBool(values[INVERSE]) ? ", inverse" : "");

	return psprintf("Its member is %d, its layer %d, its part \"%s\", %s.", nulls[MEMBER] ? 0 : DatumGetInt32(values[MEMBER]),
					DatumGetInt32(values[LAYER]), part, relation);
}

static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	NetworkRows *rows = argument;
	char	   *part;

	if (rows->fault != NULL)
		return;
	part = TextDatumGetCString(sql_present(values, nulls, PART));
	rows->fault = take_values(rows, find_part(rows, part, DatumGetInt32(values[LAYER])), values, nulls);
	if (rows->fault != NULL)
		rows->place = place_of_row(part, values, nulls);
	pfree(part);
}

/* All rows of a relation are there, or none; and all others. */
static void
check_complete(NetworkRows *rows)
{
	const GraphData *data = rows->data;

	if (rows->common != rows_in_common(rows))
	{
		rows->fault = pstrdup("is missing");
		rows->place = psprintf("Without a relation it has " INT64_FORMAT " rows, expected " INT64_FORMAT ".", rows->common,
							   rows_in_common(rows));
	}
	for (int32 i = 0; i < data->relations && rows->fault == NULL; i++)
		if (rows->of_relation[i] != 0 && rows->of_relation[i] != rows_of_relation(rows))
		{
			rows->fault = pstrdup("is missing");
			rows->place = psprintf("Of the relation with the id %d it has " INT64_FORMAT " rows, "
								   "expected " INT64_FORMAT ".",
								   data->relation_id[i], rows->of_relation[i], rows_of_relation(rows));
		}
}

/* The way out of what is damaged */
static int
hint_at(const Graph *graph, const char *model)
{
	return errhint("Train the model again, or have it without a network: update %smodel set paths = null where name = %s",
				   graph->prefix, quote_literal_cstr(model));
}

static void
check_rows(const Graph *graph, const char *model, NetworkRows *rows)
{
	if (rows->fault == NULL)
		check_complete(rows);
	if (rows->fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("a row of model \"%s\" in %spath_network %s", model, graph->prefix, rows->fault),
				 errdetail_internal("%s", rows->place),
				 hint_at(graph, model)));
}

/* What column paths holds by that name, -1: no number */
#define NUMBER(name) \
	"coalesce(case when jsonb_typeof(paths::jsonb->'" name "') = 'number' " \
	"then trunc(greatest(least((paths::jsonb->>'" name "')::numeric, 1e9), 0))::int8 end, -1)"

static void
take_numbers_of_shape(void *argument, const Datum *values, const bool *nulls)
{
	int64	   *number = argument;

	for (int i = 0; i < 5; i++)
		number[i] = DatumGetInt64(values[i]);
}

static int
check_number(const Graph *graph, const char *model, const char *name, int64 number, int least, int most)
{
	if (number < least || number > most)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column paths of model \"%s\" in %smodel holds no %s from %d to %d",
						model, graph->prefix, name, least, most),
				 hint_at(graph, model)));
	return (int) number;
}

/* False when the model has no network. */
static bool
read_shape(const Graph *graph, const char *model, const GraphData *data, PathNetwork *network)
{
	SqlArgs		args = sql_args_text(model);
	PathShape  *shape = &network->shape;
	int64		number[5];

	if (sql_stream_often(psprintf("select " NUMBER("layers") ", " NUMBER("width") ", " NUMBER("kept") ", "
								  NUMBER("members") ", " NUMBER("reversed") " from %s where name = $1 and paths is not null",
								  graph_table_name(graph, "model")),
						 &args, take_numbers_of_shape, number) == 0)
		return false;
	*shape = (PathShape) {
		.relations = data->relations,
		.layers = check_number(graph, model, "layers", number[0], 1, PATH_MAX_LAYERS),
		.width = check_number(graph, model, "width", number[1], PATH_WIDTH_STEP, PATH_MAX_WIDTH),
		.kept = check_number(graph, model, "kept", number[2], 1, PATH_MAX_KEPT)
	};
	network->members = check_number(graph, model, "members", number[3], 1, PATH_MAX_MEMBERS);
	network->reversed = check_number(graph, model, "reversed", number[4], 1, PATH_MAX_REVERSED);
	if (shape->width % PATH_WIDTH_STEP != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("width %d in column paths of model \"%s\" in %smodel is no multiple of %d", shape->width, model,
						graph->prefix, PATH_WIDTH_STEP),
				 hint_at(graph, model)));
	return true;
}

int
path_network_number(const Graph *graph, const char *model, const char *name)
{
	SqlArgs		args = sql_args_text(model);
	Datum		found;

	if (!sql_value(psprintf("select greatest(" NUMBER("%s") ", 1)::int from %s where name = $1 and paths is not null",
							name, name, graph_table_name(graph, "model")), &args, &found))
		return 0;
	return DatumGetInt32(found);
}

uint64
path_network_bytes(const PathNetwork *network)
{
	return network == NULL ? 0 : path_numbers(network) * (sizeof(float) + sizeof(bool));
}

PathNetwork *
path_network_read(Graph *graph, const char *model, const GraphData *data, uint64 taken)
{
	NetworkRows rows = {.data = data};
	SqlArgs		args = sql_args_text(model);
	PathNetwork network;
	Size		count;

	if (!read_shape(graph, model, data, &network))
		return NULL;
	rows.network = palloc(sizeof(PathNetwork));
	*rows.network = network;
	count = path_numbers(&network);
	hkg_check_memory_or(taken + path_network_bytes(rows.network), "a path network",
						"train it again with a smaller path_width, fewer path_layers or fewer path_members");
	rows.network->parameter = palloc_extended(count * sizeof(float), MCXT_ALLOC_HUGE);
	rows.taken = palloc_extended(count * sizeof(bool), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < network.members; i++)
	{
		PathNetwork member = path_member(rows.network, i);

		path_initialise(&member, 0);
	}
	rows.parts = path_parts(rows.network, rows.part);
	rows.of_relation = palloc0(data->relations * sizeof(int64));
	sql_stream(psprintf("select layer::int, part::text, relation::int, inverse::bool, numbers::real[], member::int from %s "
						"where model = $1 and num_nulls(layer, part) = 0",
						graph_table_name(graph, "path_network")), &args, take_row, &rows);
	check_rows(graph, model, &rows);
	pfree(rows.taken);
	return rows.network;
}

/* ---- what it can read ------------------------------------------------------------------- */

typedef struct LearntRelations
{
	const GraphData *data;
	bool	   *learnt;			/* by row */
} LearntRelations;

static void
take_learnt(void *argument, const Datum *values, const bool *nulls)
{
	LearntRelations *relations = argument;
	int32		row = graph_row(relations->data->relation_id, relations->data->relations, DatumGetInt32(values[0]));

	if (row >= 0)
		relations->learnt[row] = true;
}

const GraphData *
path_network_facts(const Graph *graph, const char *model, const GraphData *data)
{
	LearntRelations relations = {data, array_new_zero(bool, data->relations)};
	SqlArgs		args = sql_args_text(model);
	GraphData  *readable;

	sql_stream(psprintf("select relation::int from %s where model = $1 and member = 1 and layer = 0 "
						"and relation is not null",
						graph_table_name(graph, "path_network")), &args, take_learnt, &relations);
	if (memchr(relations.learnt, 0, data->relations) == NULL)
		return data;
	readable = palloc(sizeof(GraphData));
	*readable = *data;
	readable->fact = array_new(Triple, data->facts);
	readable->facts = 0;
	for (int64 i = 0; i < data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (relations.learnt[data->fact[i].relation])
			readable->fact[readable->facts++] = data->fact[i];
	}
	return readable;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* Numbers of a statement: far fewer than an array has room for */
#define NUMBERS_AT_ONCE (1 << 14)

/* Numbers of relations' ids; NO_RELATION: of none */
#define NO_RELATION (-1)

/* Relation and direction of `count` rows of a part, from `first` on */
static void
arg_rows(SqlArgs *args, const PathPart *part, int32 first, int32 count, const GraphData *data)
{
	int32	   *relation = palloc(count * sizeof(int32));
	int32	   *inverse = palloc(count * sizeof(int32));

	for (int32 i = 0; i < count; i++)
	{
		int32		row = first + i;

		relation[i] = part->by_atom && row / 2 < data->relations ? data->relation_id[row / 2] : NO_RELATION;
		inverse[i] = IS_BACKWARDS(row);
	}
	sql_arg(args, INT4ARRAYOID, array_of_int4(relation, count));
	sql_arg(args, INT4ARRAYOID, array_of_int4(inverse, count));
}

static void
write_rows(const Graph *graph, const char *model, int member, const PathPart *part, int32 first, int32 count,
		   const GraphData *data)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, TEXTOID, CStringGetTextDatum(part->name));
	arg_rows(&args, part, first, count, data);
	sql_arg(&args, FLOAT4ARRAYOID, array_of_float4(part->number + (size_t) first * part->columns, count * part->columns));
	sql_run(psprintf("insert into %1$spath_network (model, member, layer, part, relation, inverse, numbers) "
					 "select $1, %5$d, %4$d, $2, nullif(u.relation, %2$d), case when u.relation <> %2$d then u.inverse = 1 end, "
					 "($5::real[])[((u.place - 1) * %3$d + 1)::int : (u.place * %3$d)::int] "
					 "from unnest($3::int[], $4::int[]) with ordinality as u (relation, inverse, place) "
					 "where u.relation = %2$d or u.relation in (select id from %1$srelation)",
					 graph->prefix, NO_RELATION, part->columns, part->layer, member), &args);
	sql_args_free(&args);
}

static void
write_shape(const Graph *graph, const char *model, const PathNetwork *network)
{
	SqlArgs		args = sql_args_text(model);

	if (network == NULL)
		sql_run(psprintf("update %smodel set paths = null where name = $1", graph->prefix), &args);
	else
		sql_run(psprintf("update %smodel set paths = '{\"layers\": %d, \"width\": %d, \"kept\": %d, \"members\": %d, "
						 "\"reversed\": %d}' where name = $1", graph->prefix, network->shape.layers, network->shape.width,
						 network->shape.kept, network->members, network->reversed), &args);
}

static void
write_member(const Graph *graph, const char *model, const GraphData *data, int number, const PathNetwork *member)
{
	PathPart	part[PATH_MAX_PARTS];

	for (int i = path_parts(member, part); i > 0; i--)
	{
		const PathPart *written = &part[i - 1];
		int32		at_once = Max(1, NUMBERS_AT_ONCE / written->columns);

		for (int32 first = 0; first < written->rows; first += at_once)
			write_rows(graph, model, number, written, first, Min(at_once, written->rows - first), data);
	}
}

void
path_network_write(const Graph *graph, const char *model, const GraphData *data, const PathNetwork *network)
{
	SqlArgs		args = sql_args_text(model);

	sql_run(psprintf("delete from %spath_network where model = $1", graph->prefix), &args);
	write_shape(graph, model, network);
	for (int i = 0; network != NULL && i < network->members; i++)
	{
		PathNetwork member = path_member(network, i);

		write_member(graph, model, data, i + 1, &member);
	}
}
