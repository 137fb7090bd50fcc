/*
 * direct.c
 *		Targets without the statements around them: they call what reads the bytes, so that a million executions take minutes.
 *
 * They replace those of the same names in targets.sql, of which `make test` replays the corpus, and take the same bytes.
 * The functions of the extension are looked up by name: this library is loaded first, and the build that is fuzzed
 * exports all of them (test/fuzz/run).
 */
#include "server/compat.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "model/model.h"
#include "model/model_cache.h"
#include "model/model_evidence.h"
#include "rules/mine.h"
#include "server/sql.h"
#include "train/procedure.h"

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
	CALL(sql_end)();
	MemoryContextSwitchTo(caller);
	PG_RETURN_VOID();
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

static void
require(bool holds, const char *what)
{
	if (!holds)
		ereport(ERROR, (errcode(ERRCODE_ASSERT_FAILURE), errmsg("%s", what)));
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

PG_FUNCTION_INFO_V1(checkpoint);
PGDLLEXPORT Datum
checkpoint(PG_FUNCTION_ARGS)
{
	OidFunctionCall1(DatumGetObjectId(DirectFunctionCall1(regprocedurein, CStringGetDatum("fuzz.damage(bytea)"))),
					 PG_GETARG_DATUM(0));
	CALL(sql_begin)();
	CALL(sql_see_changes)();
	CALL(checkpoint_load)(&procedure);
	CALL(sql_see_changes_end)();
	CALL(sql_end)();
	PG_RETURN_VOID();
}
