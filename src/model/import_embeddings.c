/*
 * import_embeddings.c
 *		hkg_import_embeddings: embeddings that another program trained become a model.
 *
 * The caller's queries give rows by name; they become rows of entity_embedding and relation_embedding in a statement
 * each.  Then the model is read as a prediction reads it, which finds what is missing, too short or not finite.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/memutils.h"

#include "model.h"
#include "server/argument.h"
#include "server/sql.h"
#include "server/user_query.h"

typedef struct EmbeddingImport
{
	Graph	   *graph;
	char	   *model;
	char	   *score_function;
	double		gamma;
	int			norm;
	bool		reciprocal;
	int64		entities;
	int64		relations;
} EmbeddingImport;

/* The model's row: a new one, or that of a model of rules alone. */
static void
write_row(const EmbeddingImport *import)
{
	SqlArgs		args = sql_args_text(import->model);

	sql_arg_text(&args, import->score_function);
	sql_arg(&args, FLOAT8OID, Float8GetDatum(import->gamma));
	sql_arg(&args, INT4OID, Int32GetDatum(import->norm));
	sql_arg(&args, BOOLOID, BoolGetDatum(import->reciprocal));
	if (sql_run(psprintf("insert into %smodel as m (name, score_function, settings, status, created_at, trained_at) "
						 "values ($1, $2, pg_catalog.jsonb_build_object('score_function', $2, 'gamma', $3, 'norm', $4, "
						 "'reciprocal', $5), 'ready', pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp()) "
						 "on conflict (name) do update set score_function = excluded.score_function, "
						 "settings = excluded.settings, trained_at = excluded.trained_at where m.score_function is null",
						 import->graph->prefix), &args) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("model \"%s\" of graph \"%s\" has embeddings, or a training of them", import->model, import->graph->name),
				 errhint("Give another name, or delete its row from table %smodel first.", import->graph->prefix)));
}

/* Adds the name of the argument to an error of the caller's query. */
static void
add_argument(void *argument)
{
	errcontext("argument %s of hkg_import_embeddings", (const char *) argument);
}

/* A query as a part of another one: without the semicolon that may end it. */
static char *
without_semicolon(const char *query)
{
	size_t		length = strlen(query);

	while (length > 0 && strchr("; \t\r\n", query[length - 1]) != NULL)
		length--;
	return pnstrdup(query, length);
}

/* The rows of a query, of which those are left out whose name the graph does not have. */
static int64
write_embeddings(const EmbeddingImport *import, const char *query, const char *kind, const char *argument, bool reciprocal)
{
	ErrorContextCallback context = {error_context_stack, add_argument, unconstify(char *, argument)};
	UserQuery	wanted = {
		.argument = argument,.columns = reciprocal ? 3 : 2,
		.needed = reciprocal ? "a name and two embeddings are needed" : "a name and an embedding are needed",
		.hint = "An embedding is an array of numbers; with reciprocal, the second one is that of the inverse relation."
	};
	SqlArgs		args = sql_args_text(import->model);
	int			nest_level = value_text_settings();
	int64		rows;

	error_context_stack = &context;
	user_query_check(&wanted, query, NULL);
	rows = sql_run(psprintf("insert into %1$s%2$s_embedding (model, %2$s, embedding%4$s) "
							"select $1, e.id, q.embedding::pg_catalog.float4[]%5$s from (%3$s\n) q (name, embedding%4$s) "
							"join %1$s%2$s e on e.name operator(pg_catalog.=) q.name::pg_catalog.text collate \"C\"",
							import->graph->prefix, kind, without_semicolon(query), reciprocal ? ", reciprocal" : "",
							reciprocal ? ", q.reciprocal::pg_catalog.float4[]" : ""), &args);
	error_context_stack = context.previous;
	sql_unpin(nest_level);
	if (rows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("no row of %s names %s of graph \"%s\"", argument,
						strcmp(kind, "entity") == 0 ? "an entity" : "a relation", import->graph->name),
				 errhint("Its first column is a name as table %s%s has it, its second one an array of numbers.",
						 import->graph->prefix, kind)));
	return rows;
}

/* The dimensions follow from the longest embedding of an entity; model_read_numbers finds those that are shorter. */
static void
write_dimensions(const EmbeddingImport *import)
{
	SqlArgs		args = sql_args_text(import->model);
	Datum		length;
	int			parts = kge_entity_width(kge_score_function(import->score_function), 1);
	int			numbers = 0;

	if (sql_value(psprintf("select pg_catalog.max(pg_catalog.cardinality(embedding)) from %sentity_embedding "
						   "where model operator(pg_catalog.=) $1", import->graph->prefix), &args, &length))
		numbers = DatumGetInt32(length);
	if (numbers == 0 || numbers % parts != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("an embedding of an entity has %d numbers, expected %s", numbers,
						parts == 1 ? "at least one" : "real parts and as many imaginary parts"),
				 errhint("Insert embeddings of the score function that the import names, then import again.")));
	sql_arg(&args, INT4OID, Int32GetDatum(numbers / parts));
	sql_run(psprintf("update %smodel set dimensions = $2 where name operator(pg_catalog.=) $1", import->graph->prefix),
			&args);
}

/* Reads what was written, as a prediction would. */
static void
check_model(const EmbeddingImport *import)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg imported model", ALLOCSET_DEFAULT_SIZES);
	ModelRow	row = model_read_row(import->graph, import->model);
	const char *hint = "Correct what the query gives for it, and import again.";
	Model		model = {0};

	model_read_shape(import->graph, import->model, &row, context, hint, &model);
	model_read_numbers(import->graph, context, hint, &model);
	MemoryContextDelete(context);
}

/* How many the graph has: those without an embedding are placed as entities that came after a training are. */
static void
report_missing(const EmbeddingImport *import)
{
	SqlArgs		args = sql_args_text(import->model);
	Datum		missing;

	if (sql_value(psprintf("select pg_catalog.count(*) from %1$sentity e "
						   "where not exists (select from %1$sentity_embedding "
						   "where model operator(pg_catalog.=) $1 and entity operator(pg_catalog.=) e.id)",
						   import->graph->prefix), &args, &missing) && DatumGetInt64(missing) > 0)
		ereport(NOTICE,
				(errmsg_plural("%lld entity of graph \"%s\" got no embedding",
							   "%lld entities of graph \"%s\" got no embedding",
							   (unsigned long) DatumGetInt64(missing), (long long) DatumGetInt64(missing),
							   import->graph->name),
				 errdetail("They are predicted as entities that came after a training.")));
}

static EmbeddingImport
read_arguments(FunctionCallInfo fcinfo)
{
	EmbeddingImport import = {0};

	import.model = argument_name(fcinfo, 4, "model");
	import.score_function = argument_text(fcinfo, 3, "score_function");
	import.gamma = argument_float(fcinfo, 5, "gamma", -1e6, 1e6);
	import.norm = argument_int(fcinfo, 6, "norm", 1, 2);
	import.reciprocal = DatumGetBool(argument(fcinfo, 7, "reciprocal"));
	argument_check_model(import.model);
	if (kge_score_function(import.score_function) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no score function \"%s\"", argument_shown(import.score_function)),
				 errhint("Known are: %s.", model_score_functions())));
	if (kge_has_network(kge_score_function(import.score_function)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("embeddings of score function \"%s\" cannot be imported", import.score_function),
				 errdetail("Its queries are made by a network, whose weights are no embeddings."),
				 errhint("Train it with hkg_train.")));
	return import;
}

HKG_FUNCTION(hkg_import_embeddings);
Datum
hkg_import_embeddings(PG_FUNCTION_ARGS)
{
	static const TableRights written[] = {
		{"model", ACL_SELECT | ACL_INSERT | ACL_UPDATE}, {"entity_embedding", ACL_SELECT | ACL_INSERT},
		{"relation_embedding", ACL_SELECT | ACL_INSERT}
	};
	char	   *graph = argument_name(fcinfo, 0, "graph");
	EmbeddingImport import = read_arguments(fcinfo);
	char	   *entities = argument_text(fcinfo, 1, "entity_query");
	char	   *relations = argument_text(fcinfo, 2, "relation_query");
	int			nest_level = sql_pin();
	TupleDesc	descriptor;
	Datum		values[2];
	bool		nulls[2] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	sql_begin();
	import.graph = graph_open_to_write(graph);
	graph_require_rights(import.graph, written, lengthof(written));
	graph_lock_for_training(import.graph, import.model);
	graph_lock_models(import.graph);
	write_row(&import);
	/* the caller's queries use the caller's search_path, all else does not */
	sql_unpin(nest_level);
	import.entities = write_embeddings(&import, entities, "entity", "entity_query", false);
	import.relations = write_embeddings(&import, relations, "relation", "relation_query", import.reciprocal);
	nest_level = sql_pin();
	sql_see_changes();
	write_dimensions(&import);
	sql_see_changes_end();
	sql_see_changes();
	check_model(&import);
	report_missing(&import);
	sql_see_changes_end();
	graph_leave_training(import.graph);
	sql_end();
	sql_unpin(nest_level);
	values[0] = Int64GetDatum(import.entities);
	values[1] = Int64GetDatum(import.relations);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
