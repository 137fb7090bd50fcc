/*
 * direct.c
 *		Targets without the statements around them: they call what reads the bytes, so that a million executions take minutes.
 *
 * They replace those of the same names in targets.sql, of which `make test` replays the corpus, and take the same bytes.
 * The functions of the extension are looked up by name: this library is loaded first, and the build that is fuzzed
 * exports all of them (test/fuzz/run).  For the same reason the extension calls those that this file defines in the
 * place of its own: while a target has an answer to queries, none is run, no lock is taken and no thread is started.
 */
#include "server/compat.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "kge/kge.h"
#include "model/model.h"
#include "model/model_cache.h"
#include "model/model_evidence.h"
#include "model/rule_table.h"
#include "rules/mine.h"
#include "server/host.h"
#include "server/sql.h"
#include "train/loop/procedure.h"

#define CALL(function) \
	({ \
		static __typeof__(&function) address; \
		if (address == NULL) \
			address = (__typeof__(&function)) load_external_function("$libdir/hybridkg", #function, true, NULL); \
		address; \
	})

/* What is opened once, by fuzz.prepare() */
static Graph *graph;
static GraphData *data;
static Model model;
static Procedure procedure = {.in_worker = true};
static Datum old_settings;
static FactIndex facts;
static Pool *pool;				/* of a thread */

/* ---- in the place of the extension's own ------------------------------------------------- */

/* Rows for a query; NULL: it is run. */
static uint64 (*answer) (const char *query, const SqlArgs *args, SqlRow row, void *argument);

static uint64
answer_nothing(const char *query, const SqlArgs *args, SqlRow row, void *argument)
{
	return 0;
}

uint64
sql_stream(const char *query, const SqlArgs *args, SqlRow row, void *argument)
{
	return (answer != NULL ? answer : CALL(sql_stream))(query, args, row, argument);
}

bool
sql_value(const char *query, const SqlArgs *args, Datum *value)
{
	return answer == NULL && CALL(sql_value)(query, args, value);
}

Graph *
graph_open(const char *name)
{
	return answer != NULL ? graph : CALL(graph_open)(name);
}

GraphData *
graph_read(Graph *of)
{
	return answer != NULL ? data : CALL(graph_read)(of);
}

void
graph_require_rights(const Graph *of, const TableRights *needed, int count)
{
	if (answer == NULL)
		CALL(graph_require_rights)(of, needed, count);
}

void
graph_lock_for_training(Graph *of, const char *name)
{
	if (answer == NULL)
		CALL(graph_lock_for_training)(of, name);
}

void
graph_leave_training(const Graph *of)
{
	if (answer == NULL)
		CALL(graph_leave_training)(of);
}

void
graph_lock_models(const Graph *of)
{
	if (answer == NULL)
		CALL(graph_lock_models)(of);
}

void
rule_table_add(Graph *of, const char *name, const MinedRules *rules)
{
	if (answer == NULL)
		CALL(rule_table_add)(of, name, rules);
}

/* Made anew, that of a few facts takes twenty times as long as a line of rules. */
bool
fact_index(Arena *arena, Pool *of, int32_t entities, int32_t relations, const Triple *fact, int64_t count, FactIndex *index)
{
	if (answer == NULL)
		return CALL(fact_index)(arena, of, entities, relations, fact, count, index);
	*index = facts;
	return true;
}

/* To wake a thread takes longer than what it would do: the caller does it. */
Pool *
hkg_pool_of(int threads)
{
	return answer != NULL ? pool : CALL(hkg_pool_of)(threads);
}

Pool *
hkg_pool(void)
{
	return hkg_pool_of(1);
}

void
pool_run(Pool *of, int64_t items, void (*function) (void *argument, int64_t item, int thread), void *argument)
{
	if (answer == NULL)
		CALL(pool_run)(of, items, function, argument);
	else
		for (int64 i = 0; i < items; i++)
			function(argument, i, 0);
}

void
pool_yield(Pool *of, int thread)
{
	if (answer == NULL)
		CALL(pool_yield)(of, thread);
	else
		CHECK_FOR_INTERRUPTS();
}

/* ---- once ---------------------------------------------------------------------------------- */

/* The parts of the checkpoint, as it was saved */
typedef struct Part
{
	char	   *name;
	text	   *bytes;
} Part;

static Part *part;
static int	parts;

static void
add_part(void *argument, const Datum *values, const bool *nulls)
{
	if (DatumGetInt32(values[1]) != 0)
		elog(ERROR, "part \"%s\" has several chunks", TextDatumGetCString(values[0]));
	part[parts++] = (Part) {TextDatumGetCString(values[0]), DatumGetByteaPCopy(values[2])};
}

/* All names: what is looked up later is in memory, or an error. */
static void
look_up_names(void)
{
	for (int32 i = 0; i < data->entities; i++)
		(void) CALL(graph_entity_id)(graph, CALL(graph_entity_name)(graph, data->entity_id[i]));
	for (int32 i = 0; i < data->relations; i++)
		(void) CALL(graph_relation_id)(graph, CALL(graph_relation_name)(graph, data->relation_id[i]));
}

PG_FUNCTION_INFO_V1(prepare);
PGDLLEXPORT Datum
prepare(PG_FUNCTION_ARGS)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
	Arena		arena;

	CALL(sql_begin)();
	graph = CALL(graph_open)("g");
	data = CALL(graph_read)(graph);
	look_up_names();
	CALL(sql_value)("select convert_from(data, 'utf8')::jsonb from fuzz.checkpoint where part = 'settings'", SQL_NO_ARGS, &old_settings);
	model = *CALL(model_open)(graph, "m");
	procedure.graph = graph;
	CALL(checkpoint_settings)(graph, "cut", &procedure.settings);
	CALL(procedure_read)(&procedure);
	CALL(procedure_open)(&procedure);
	arena = CALL(hkg_arena)();
	pool = CALL(hkg_pool_of)(1);
	CALL(fact_index)(&arena, pool, data->entities, data->relations, data->fact, data->facts, &facts);
	part = palloc(32 * sizeof(Part));
	CALL(sql_stream)("select part, number, data from fuzz.checkpoint order by place limit 32", SQL_NO_ARGS, add_part, NULL);
	CALL(sql_end)();
	MemoryContextSwitchTo(caller);
	PG_RETURN_VOID();
}

static void
require(bool holds, const char *what)
{
	if (!holds)
		ereport(ERROR, (errcode(ERRCODE_ASSERT_FAILURE), errmsg("%s", what)));
}

/* ---- rows of table rule ---------------------------------------------------------------- */

static Datum
number_of(unsigned char byte, bool *isnull)
{
	*isnull = byte == 126;
	return Int32GetDatum(byte == 127 ? PG_INT32_MAX : byte == 128 ? PG_INT32_MIN : (signed char) byte);
}

static Datum
body_of(const unsigned char *byte, int count)
{
	int			dimensions[] = {byte[1] % 8, byte[2] % 5};
	int			bounds[] = {1, 1};
	Datum		number[32];
	bool		isnull[32];

	if (dimensions[0] == 0 || dimensions[1] == 0)
		return PointerGetDatum(construct_empty_array(INT4OID));
	for (int i = 0; i < dimensions[0] * dimensions[1]; i++)
		number[i] = number_of(byte[(3 + i) % count], &isnull[i]);
	return PointerGetDatum(construct_md_array(number, isnull, 2, dimensions, bounds, INT4OID, 4, true, TYPALIGN_INT));
}

/* What the row says is the same as text and as array; then it is counted. */
PG_FUNCTION_INFO_V1(row);
PGDLLEXPORT Datum
row(PG_FUNCTION_ARGS)
{
	bytea	   *input = PG_GETARG_BYTEA_PP(0);
	const unsigned char *byte = (const unsigned char *) VARDATA_ANY(input);
	bool		isnull;
	Rule		rule;
	Rule		again;

	if (VARSIZE_ANY_EXHDR(input) < 3)
		PG_RETURN_VOID();
	CALL(rule_from_array)(DatumGetInt32(number_of(byte[0], &isnull)), body_of(byte, VARSIZE_ANY_EXHDR(input)), &rule);
	CALL(rule_from_array)(rule.head, CALL(rule_body_array)(&rule), &again);
	require(CALL(rule_compare)(&rule, &again) == 0, "its own array is another rule");
	CALL(sql_begin)();
	CALL(rule_parse)(graph, CALL(rule_text)(graph, &rule), &again);
	require(CALL(rule_compare)(&rule, &again) == 0, "its own text is another rule");
	(void) CALL(mine_given)(graph, data, &rule, 1, ALL_PAIRS);
	CALL(sql_end)();
	PG_RETURN_VOID();
}

/* ---- settings ---------------------------------------------------------------------------- */

static char *
text_of_field(Datum object, const char *field)
{
	LOCAL_FCINFO(call, 2);
	Datum		value;

	InitFunctionCallInfoData(*call, NULL, 2, InvalidOid, NULL, NULL);
	call->args[0] = (NullableDatum) {object, false};
	call->args[1] = (NullableDatum) {CStringGetTextDatum(field), false};
	value = jsonb_object_field_text(call);
	return call->isnull ? NULL : TextDatumGetCString(value);
}

static void
read_model(Datum settings)
{
	ModelRow	row = {.found = true, .score_function = text_of_field(settings, "score_function"), .dimensions = 2,
		.status = "ready", .gamma = text_of_field(settings, "gamma"), .norm = text_of_field(settings, "norm")};
	Model		read = {0};

	CALL(model_read_settings)("m", &row, CurrentMemoryContext, &read);
}

static void
read_evidence(Datum given)
{
	Oid			types[] = {JSONBOID};
	Model		read = model;
	EvidenceDiscounts discounts;

	SPI_execute_with_args("update g.model set evidence = evidence || $1 where name = 'm'", 1, types, &given, NULL, false, 0);
	CALL(sql_see_changes)();
	(void) CALL(evidence_read_discounts)(graph, "m", &discounts);
	(void) CALL(evidence_read_calibration)(graph, &read);
	CALL(sql_see_changes_end)();
}

PG_FUNCTION_INFO_V1(settings);
PGDLLEXPORT Datum
settings(PG_FUNCTION_ARGS)
{
	bytea	   *input = PG_GETARG_BYTEA_PP(0);
	Size		size = VARSIZE_ANY_EXHDR(input);
	unsigned char first;
	Datum		given;
	TrainSettings parsed;

	if (size == 0 || memchr(VARDATA_ANY(input), 0, size) == VARDATA_ANY(input) + size - 1)
		PG_RETURN_VOID();
	first = *(unsigned char *) VARDATA_ANY(input);
	given = DirectFunctionCall1(jsonb_in, CStringGetDatum(text_to_cstring((text *) DatumGetPointer(
		OidFunctionCall1(DatumGetObjectId(DirectFunctionCall1(regprocedurein, CStringGetDatum("fuzz.text_of(bytea)"))),
						 PointerGetDatum(cstring_to_text_with_len(VARDATA_ANY(input) + 1, size - 1)))))));
	CALL(sql_begin)();
	if (first % 3 == 1)
		read_evidence(given);
	else
	{
		Datum		both = DirectFunctionCall2(jsonb_concat, old_settings, given);

		if (first % 3 == 0)
			read_model(both);
		else
			CALL(settings_parse)("g", JsonbToCString(NULL, &DatumGetJsonbP(both)->root, 0), &parsed);
	}
	CALL(sql_end)();
	PG_RETURN_VOID();
}

/* ---- a checkpoint -------------------------------------------------------------------------- */

/* Four other bytes in a copy of a part, from that byte on */
static text *
overlay(const text *bytes, Size from, const char *others)
{
	Size		size = Max(VARSIZE(bytes), VARHDRSZ + from + 4);
	text	   *damaged = palloc(size);

	memcpy(damaged, bytes, VARSIZE(bytes));
	SET_VARSIZE(damaged, size);
	memcpy(VARDATA(damaged) + from, others, 4);
	return damaged;
}

/* The parts, damaged by the input as fuzz.damage does it */
static Part *
damaged_parts(const unsigned char *byte, Size size)
{
	Part	   *damaged = palloc(parts * sizeof(Part));

	memcpy(damaged, part, parts * sizeof(Part));
	for (; size >= 7; byte += 7, size -= 7)
	{
		Part	   *one = &damaged[byte[0] % parts];

		one->bytes = overlay(one->bytes, (256 * byte[1] + byte[2]) % (VARSIZE(one->bytes) - VARHDRSZ + 1), (const char *) byte + 3);
	}
	return damaged;
}

static Part *damaged;

/* The part that a query asks for, with a checksum that is right.  Its settings are read by another target. */
static uint64
answer_part(const char *query, const SqlArgs *args, SqlRow row, void *argument)
{
	const char *name = TextDatumGetCString(args->values[1]);

	for (int i = 0; i < parts; i++)
		if (strcmp(damaged[i].name, name) == 0)
		{
			uint64		place = hash_bytes_extended((const unsigned char *) name, (int) strlen(name), 0);
			uint64		checksum = hash_bytes_extended((unsigned char *) VARDATA(damaged[i].bytes),
													   (int) VARSIZE(damaged[i].bytes) - VARHDRSZ, place);
			Datum		values[] = {PointerGetDatum(damaged[i].bytes), UInt64GetDatum(checksum)};
			bool		nulls[] = {false, false};

			row(argument, values, nulls);
			return 1;
		}
	return 0;
}

PG_FUNCTION_INFO_V1(checkpoint);
PGDLLEXPORT Datum
checkpoint(PG_FUNCTION_ARGS)
{
	bytea	   *input = PG_GETARG_BYTEA_PP(0);

	damaged = damaged_parts((unsigned char *) VARDATA_ANY(input), VARSIZE_ANY_EXHDR(input));
	answer = answer_part;
	CALL(sql_begin)();
	CALL(checkpoint_load)(&procedure);
	CALL(sql_end)();
	PG_RETURN_VOID();
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* Every byte but 0 is a character; NULL where there is a 0. */
static char *
text_of_bytes(const char *bytes, Size size)
{
	char	   *ended = palloc(size + 1);

	if (memchr(bytes, 0, size) != NULL)
		return NULL;
	memcpy(ended, bytes, size);
	ended[size] = '\0';
	return pg_any_to_server(ended, (int) size, PG_LATIN1);
}

static Datum
import_rules(FunctionCallInfo fcinfo, const char *format)
{
	extern Datum hkg_imported_rules(PG_FUNCTION_ARGS);
	bytea	   *input = PG_GETARG_BYTEA_PP(0);
	char	   *lines = text_of_bytes(VARDATA_ANY(input), VARSIZE_ANY_EXHDR(input));
	NameData	name[] = {{"g"}, {"new"}};

	if (lines == NULL)
		PG_RETURN_VOID();
	answer = answer_nothing;
	DirectFunctionCall5(CALL(hkg_imported_rules), NameGetDatum(&name[0]), CStringGetTextDatum(lines), NameGetDatum(&name[1]),
						CStringGetTextDatum(format), CStringGetTextDatum("stop"));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(hybridkg);
PGDLLEXPORT Datum
hybridkg(PG_FUNCTION_ARGS)
{
	return import_rules(fcinfo, "hybridkg");
}

PG_FUNCTION_INFO_V1(amie);
PGDLLEXPORT Datum
amie(PG_FUNCTION_ARGS)
{
	return import_rules(fcinfo, "amie");
}

PG_FUNCTION_INFO_V1(anyburl);
PGDLLEXPORT Datum
anyburl(PG_FUNCTION_ARGS)
{
	return import_rules(fcinfo, "anyburl");
}

/* ---- embeddings -------------------------------------------------------------------------------- */

#define ROWS 64

/* Rows of a table of embeddings, by id; one may be there twice, which its key forbids */
typedef struct Row
{
	int32		id;
	ArrayType  *embedding;
} Row;

typedef struct Table
{
	int			count;
	Row			row[ROWS];
} Table;

static Table entity_table;
static Table relation_table;

static int
compare_ids(const void *a, const void *b)
{
	int32		left = ((const Row *) a)->id;
	int32		right = ((const Row *) b)->id;

	return (left > right) - (left < right);
}

/* -1: the graph has no such name */
static int32
id_of(const char *name, const int32 *ids, int32 count, const char *(*name_of) (Graph *, int32))
{
	for (int32 i = 0; i < count; i++)
		if (strcmp(name_of(graph, ids[i]), name) == 0)
			return ids[i];
	return -1;
}

/* Lines of a name, a space and an array become rows; names that the graph does not have are left out. */
static void
read_rows(Table *table, char *lines, bool entities)
{
	Oid			input;
	Oid			parameter;

	getTypeInputInfo(FLOAT4ARRAYOID, &input, &parameter);
	table->count = 0;
	for (char *line; (line = strsep(&lines, "\n")) != NULL && table->count < ROWS;)
	{
		char	   *name = strsep(&line, " ");
		char	   *numbers = line == NULL ? pstrdup("") : strsep(&line, " ");
		Datum		embedding = OidInputFunctionCall(input, numbers, parameter, -1);
		int32		id = entities ? id_of(name, data->entity_id, data->entities, CALL(graph_entity_name)) :
			id_of(name, data->relation_id, data->relations, CALL(graph_relation_name));

		if (id >= 0)
			table->row[table->count++] = (Row) {id, DatumGetArrayTypeP(embedding)};
	}
	qsort(table->row, table->count, sizeof(Row), compare_ids);
}

/* Ids, or ids and embeddings, of one of the two tables */
static uint64
answer_rows(const char *query, const SqlArgs *args, SqlRow row, void *argument)
{
	const Table *table = strncmp(query, "select entity", 13) == 0 ? &entity_table : &relation_table;
	bool		nulls[] = {false, false};

	if (strncmp(query, "select entity", 13) != 0 && strncmp(query, "select relation", 15) != 0)
		return 0;
	for (int i = 0; i < table->count; i++)
		row(argument, (Datum[]) {Int32GetDatum(table->row[i].id), PointerGetDatum(table->row[i].embedding)}, nulls);
	return table->count;
}

static int
longest(const Table *table)
{
	int			numbers = 0;

	for (int i = 0; i < table->count; i++)
	{
		const ArrayType *embedding = table->row[i].embedding;

		numbers = Max(numbers, ArrayGetNItems(ARR_NDIM(embedding), ARR_DIMS(embedding)));
	}
	return numbers;
}

/* The best two of a prediction are those of the definition. */
static void
check_best(const Model *read)
{
	Arena		arena = CALL(hkg_arena)();
	Question	question = {.side = SIDE_TAIL};
	KgeAnswer	best[2];
	int			found = (int) CALL(kge_top)(&arena, pool, &read->kge, read->sketch, question, NULL, 2, best);
	int			finite = 0;
	int			better = 0;

	for (int32 i = 0; i < read->kge.entities; i++)
	{
		double		score = CALL(kge_score)(&read->kge, (Triple) {question.given, question.relation, i});

		finite += isfinite(score);
		better += found > 0 && isfinite(score) && score > best[found - 1].score;
	}
	require(found >= Min(2, finite), "an answer is missing");
	require(better < Max(found, 1), "a better answer is missing");
}

PG_FUNCTION_INFO_V1(embeddings);
PGDLLEXPORT Datum
embeddings(PG_FUNCTION_ARGS)
{
	static const char *const functions[] = {"transe", "distmult", "complex", "rotate", "rescal"};
	bytea	   *input = PG_GETARG_BYTEA_PP(0);
	Size		size = VARSIZE_ANY_EXHDR(input);
	char	   *entities = size == 0 ? NULL : text_of_bytes(VARDATA_ANY(input) + 1, size - 1);
	char	   *relations;
	ModelRow	row = {.found = true, .status = "ready", .gamma = "12", .norm = "1"};
	Model		read = {0};
	int			width;

	if (entities == NULL || (relations = strstr(entities, "\n\n")) == NULL)
		PG_RETURN_VOID();
	*relations = '\0';
	answer = answer_rows;
	read_rows(&entity_table, entities, true);
	read_rows(&relation_table, relations + 2, false);
	row.score_function = unconstify(char *, functions[*(unsigned char *) VARDATA_ANY(input) % lengthof(functions)]);
	width = CALL(kge_entity_width)(CALL(kge_score_function)(row.score_function), 1);
	row.dimensions = longest(&entity_table) / width;
	CALL(model_read_shape)(graph, "new", &row, CurrentMemoryContext, NULL, &read);
	CALL(model_read_numbers)(graph, CurrentMemoryContext, NULL, &read);
	check_best(&read);
	PG_RETURN_VOID();
}
