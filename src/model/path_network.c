/*
 * path_network.c
 *		The path network of a model, in column paths of table model and table path_network.
 *
 * Column paths has its shape.  A row of the table is a row of one part of the parameters (see path_parts): of a directed
 * atom where it has a relation, else of the atom that leads from an entity to itself, or the whole part.  All rows
 * of a relation are there, or none are: it came after the training.
 */
#include "path_network.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/array.h"
#include "server/host.h"
#include "server/sql.h"

/* ---- reading -------------------------------------------------------------------------- */

typedef struct NetworkRows
{
	const GraphData *data;
	PathNetwork *network;
	PathPart	part[PATH_MAX_PARTS];
	int			parts;
	bool	   *taken;			/* by the place of a row's first number, whether the row was there */
	int64		common;			/* rows without a relation so far */
	int64	   *of_relation;	/* rows of each so far */
	char	   *fault;			/* the end of a sentence about the rows; NULL: none so far */
} NetworkRows;

/* Rows that each relation has; and those that have none */
static int64
rows_of_relation(const NetworkRows *rows)
{
	int64		count = 0;

	for (int i = 0; i < rows->parts; i++)
		count += rows->part[i].by_atom ? 2 : 0;
	return count;
}

static int64
rows_in_common(const NetworkRows *rows)
{
	int64		count = 0;

	for (int i = 0; i < rows->parts; i++)
		count += rows->part[i].rows % 2;
	return count;
}

static const PathPart *
find_part(const NetworkRows *rows, const char *name, int layer)
{
	for (int i = 0; i < rows->parts; i++)
		if (rows->part[i].layer == layer && strcmp(rows->part[i].name, name) == 0)
			return &rows->part[i];
	return NULL;
}

static char *
numbers_fault(ArrayType *array, int count)
{
	int			held = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1 || held != count || array_contains_nulls(array))
		return psprintf("has %d numbers, expected %d", held, count);
	for (int i = 0; i < count; i++)
		if (!isfinite(((float *) ARR_DATA_PTR(array))[i]))
			return psprintf("holds at position %d what is no finite number", i + 1);
	return NULL;
}

/* Takes a row of a part; returns what is wrong with it, or NULL. */
static char *
take_numbers(const NetworkRows *rows, const PathPart *part, int32 row, Datum numbers)
{
	ArrayType  *array = DatumGetArrayTypeP(numbers);
	char	   *fault = numbers_fault(array, part->columns);
	float	   *to = part->number + (Size) row * part->columns;
	bool	   *taken = rows->taken + (to - rows->network->parameter);

	if (*taken)
		return pstrdup("is there twice");
	*taken = true;
	if (fault == NULL)
		memcpy(to, ARR_DATA_PTR(array), part->columns * sizeof(float));
	return fault;
}

/* Columns layer, part, relation, inverse, numbers */
static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	NetworkRows *rows = argument;
	const PathPart *part;
	int32		relation;

	if (rows->fault != NULL)
		return;
	part = find_part(rows, TextDatumGetCString(values[1]), DatumGetInt32(values[0]));
	if (part == NULL || nulls[4] || (nulls[2] ? part->rows % 2 == 0 : !part->by_atom || nulls[3]))
	{
		rows->fault = pstrdup("is no row of a network of that shape");
		return;
	}
	relation = nulls[2] ? -1 : graph_row(rows->data->relation_id, rows->data->relations, DatumGetInt32(values[2]));
	if (!nulls[2] && relation < 0)
		return;
	rows->fault = take_numbers(rows, part, nulls[2] ? part->rows - 1 : FORWARDS(relation) + DatumGetBool(values[3]), values[4]);
	if (nulls[2])
		rows->common++;
	else
		rows->of_relation[relation]++;
}

static void
check_rows(const Graph *graph, const char *model, NetworkRows *rows)
{
	bool		complete = rows->common == rows_in_common(rows);

	for (int32 i = 0; i < rows->data->relations; i++)
		complete = complete && (rows->of_relation[i] == 0 || rows->of_relation[i] == rows_of_relation(rows));
	if (rows->fault == NULL && !complete)
		rows->fault = pstrdup("is missing");
	if (rows->fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("a row of model \"%s\" in %spath_network %s", model, graph->prefix, rows->fault),
				 errhint("Train the model again, or have it without a network: update %smodel set paths = null where name = %s",
						 graph->prefix, quote_literal_cstr(model))));
}

/* What column paths holds by that name, -1: no number */
#define NUMBER(name) \
	"coalesce(case when jsonb_typeof(paths::jsonb->'" name "') = 'number' " \
	"then trunc(greatest(least((paths::jsonb->>'" name "')::numeric, 1e9), 0))::int8 end, -1)"

static void
take_numbers_of_shape(void *argument, const Datum *values, const bool *nulls)
{
	int64	   *number = argument;

	for (int i = 0; i < 3; i++)
		number[i] = DatumGetInt64(values[i]);
}

static int
check_number(const Graph *graph, const char *model, const char *name, int64 number, int least, int most)
{
	if (number < least || number > most)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column paths of model \"%s\" in %smodel holds no %s from %d to %d", model, graph->prefix, name, least, most),
				 errhint("Train the model again, or have it without a network: update %smodel set paths = null where name = %s",
						 graph->prefix, quote_literal_cstr(model))));
	return (int) number;
}

/* False when the model has no network. */
static bool
read_shape(const Graph *graph, const char *model, const GraphData *data, PathShape *shape)
{
	SqlArgs		args = sql_args_text(model);
	int64		number[3];

	if (sql_stream_often(psprintf("select " NUMBER("layers") ", " NUMBER("width") ", " NUMBER("kept")
								  " from %smodel where name = $1 and paths is not null", graph->prefix),
						 &args, take_numbers_of_shape, number) == 0)
		return false;
	*shape = (PathShape) {
		.relations = data->relations,
		.layers = check_number(graph, model, "layers", number[0], 1, PATH_MAX_LAYERS),
		.width = check_number(graph, model, "width", number[1], PATH_WIDTH_STEP, PATH_MAX_WIDTH),
		.kept = check_number(graph, model, "kept", number[2], 1, PATH_MAX_KEPT)
	};
	if (shape->width % PATH_WIDTH_STEP != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("width %d in column paths of model \"%s\" in %smodel is no multiple of %d", shape->width, model,
						graph->prefix, PATH_WIDTH_STEP)));
	return true;
}

bool
path_network_exists(const Graph *graph, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	Datum		found;

	return sql_value(psprintf("select true from %smodel where name = $1 and paths is not null", graph->prefix), &args, &found);
}

PathNetwork *
path_network_read(Graph *graph, const char *model, const GraphData *data)
{
	NetworkRows rows = {.data = data};
	SqlArgs		args = sql_args_text(model);
	PathShape	shape;
	Size		count;

	if (!read_shape(graph, model, data, &shape))
		return NULL;
	rows.network = palloc(sizeof(PathNetwork));
	rows.network->shape = shape;
	count = path_parameters(rows.network->shape);
	hkg_check_memory_or(count * (sizeof(float) + sizeof(bool)), "a path network", "train it again with fewer layers or a smaller width");
	rows.network->parameter = palloc_extended(count * sizeof(float), MCXT_ALLOC_HUGE);
	rows.taken = palloc_extended(count * sizeof(bool), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	path_initialise(rows.network, 0);
	rows.parts = path_parts(rows.network, rows.part);
	rows.of_relation = palloc0(data->relations * sizeof(int64));
	sql_stream(psprintf("select layer::int, part::text, relation::int, inverse::bool, numbers::real[] from %spath_network "
						"where model = $1 and num_nulls(layer, part) = 0", graph->prefix), &args, take_row, &rows);
	check_rows(graph, model, &rows);
	pfree(rows.taken);
	return rows.network;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* Numbers of relations' ids; NO_RELATION: of none */
#define NO_RELATION (-1)

/* Relation and direction of each row of a part */
static void
arg_rows(SqlArgs *args, const PathPart *part, const GraphData *data)
{
	int32	   *relation = palloc(part->rows * sizeof(int32));
	int32	   *inverse = palloc(part->rows * sizeof(int32));

	for (int32 i = 0; i < part->rows; i++)
	{
		relation[i] = part->by_atom && i / 2 < data->relations ? data->relation_id[i / 2] : NO_RELATION;
		inverse[i] = IS_BACKWARDS(i);
	}
	sql_arg(args, INT4ARRAYOID, array_of_int4(relation, part->rows));
	sql_arg(args, INT4ARRAYOID, array_of_int4(inverse, part->rows));
}

static void
write_part(const Graph *graph, const char *model, const PathPart *part, const GraphData *data)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, TEXTOID, CStringGetTextDatum(part->name));
	arg_rows(&args, part, data);
	sql_arg(&args, FLOAT4ARRAYOID, array_of_float4(part->number, part->rows * part->columns));
	sql_run(psprintf("insert into %1$spath_network (model, layer, part, relation, inverse, numbers) "
					 "select $1, %4$d, $2, nullif(u.relation, %2$d), case when u.relation <> %2$d then u.inverse = 1 end, "
					 "($5::real[])[((u.place - 1) * %3$d + 1)::int : (u.place * %3$d)::int] "
					 "from unnest($3::int[], $4::int[]) with ordinality as u (relation, inverse, place) "
					 "where u.relation = %2$d or u.relation in (select id from %1$srelation)",
					 graph->prefix, NO_RELATION, part->columns, part->layer), &args);
	sql_args_free(&args);
}

static void
write_shape(const Graph *graph, const char *model, const PathNetwork *network)
{
	SqlArgs		args = sql_args_text(model);

	if (network == NULL)
		sql_run(psprintf("update %smodel set paths = null where name = $1", graph->prefix), &args);
	else
		sql_run(psprintf("update %smodel set paths = '{\"layers\": %d, \"width\": %d, \"kept\": %d}' where name = $1",
						 graph->prefix, network->shape.layers, network->shape.width, network->shape.kept), &args);
}

void
path_network_write(const Graph *graph, const char *model, const GraphData *data, const PathNetwork *network)
{
	SqlArgs		args = sql_args_text(model);
	PathPart	part[PATH_MAX_PARTS];

	sql_run(psprintf("delete from %spath_network where model = $1", graph->prefix), &args);
	write_shape(graph, model, network);
	for (int i = network == NULL ? 0 : path_parts(network, part); i > 0; i--)
		write_part(graph, model, &part[i - 1], data);
}
