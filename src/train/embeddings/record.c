/*
 * record.c
 *		What a training writes to the graph's tables (see record.h).
 *
 * Rows of iteration and path_epoch are written during the training, and checkpoints with the samples, which are no part
 * of a model; all else is replaced at once, at its end or by an early model.  So readers have the old model until then,
 * and the deletion of an entity, and of its embeddings with it, need not wait for a transaction that replaced them long
 * before its end.
 */
#include "record.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/names.h"
#include "server/sql.h"

/* Tables whose rows wait for the end of a training */
static const char *const waiting[] = {"checkpoint", "checkpoint_inferred", NULL};

static void
arg_float(SqlArgs *args, bool known, double value)
{
	if (known)
		sql_arg(args, FLOAT8OID, Float8GetDatum(value));
	else
		sql_arg_null(args, FLOAT8OID);
}

/*
 * Deletes the model's rows of these tables (NULL-terminated), all by one statement: a trigger updates the model's row
 * when a statement has deleted some, and anyone who changes a row by hand has that row before the model's.
 */
static void
delete_from(Graph *graph, const char *model, const char *const *tables)
{
	SqlArgs		name = sql_args_text(model);
	StringInfoData query;

	initStringInfo(&query);
	for (int i = 0; tables[i] != NULL; i++)
		appendStringInfo(&query, "%s d%d as (delete from %s%s where model = $1)", i == 0 ? "with" : ",", i, graph->prefix, tables[i]);
	appendStringInfoString(&query, " select");
	sql_run(query.data, &name);
}

void
record_status(Graph *graph, const char *model, const char *status)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg_text(&args, status);
	sql_run(psprintf("update %smodel set status = $2 where name = $1", graph->prefix), &args);
}

static void
take_began(void *argument, const Datum *values, const bool *nulls)
{
	*(TimestampTz *) argument = DatumGetTimestampTz(sql_present(values, nulls, 0));
}

/* On a new snapshot: this transaction may have made the row. */
TimestampTz
record_began(Graph *graph, const char *model)
{
	SqlArgs		name = sql_args_text(model);
	TimestampTz began = 0;

	sql_run_returning(psprintf("select created_at from %smodel where name = $1", graph->prefix), &name, take_began, &began);
	return began;
}

bool
record_is_there(Graph *graph, const char *model, TimestampTz began)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, TIMESTAMPTZOID, TimestampTzGetDatum(began));
	return sql_run(psprintf("select from %smodel where name = $1 and created_at = $2 for key share", graph->prefix), &args) > 0;
}

static void
arg_call(SqlArgs *args, const TrainingCall *call)
{
	sql_arg(args, INT4OID, Int32GetDatum(call->pid));
	sql_arg(args, TIMESTAMPTZOID, TimestampTzGetDatum(call->started_at));
}

void
record_failure(Graph *graph, TimestampTz began, const TrainingCall *call, const char *status)
{
	SqlArgs		args = sql_args_text(status);

	arg_call(&args, call);
	sql_arg(&args, TIMESTAMPTZOID, TimestampTzGetDatum(began));
	sql_run(psprintf("with failed as (update %1$smodel set status = $1 where created_at = $4 and status = 'training' "
					 "returning name) "
					 "insert into %1$straining (model, status, pid, started_at) select name, $1, $2, $3 from failed",
					 graph->prefix), &args);
}

static void
record_training(Graph *graph, const char *model, const char *status, const TrainingCall *call, int64 facts)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg_text(&args, status);
	arg_call(&args, call);
	sql_arg(&args, INT8OID, Int64GetDatum(facts));
	sql_run(psprintf("insert into %straining (model, status, pid, started_at, facts) values ($1, $2, $3, $4, $5)",
					 graph->prefix), &args);
}

#define REPLACED (ACL_SELECT | ACL_INSERT | ACL_DELETE)

void
record_lock_tables(const Graph *graph)
{
	static const TableRights needed[] = {
		{"model", ACL_SELECT | ACL_INSERT | ACL_UPDATE},
		{"entity_embedding", REPLACED}, {"relation_embedding", REPLACED}, {"threshold", REPLACED},
		{"evidence_weight", REPLACED}, {"path_network", REPLACED}, {"shared_weight", REPLACED},
		{"rule", REPLACED}, {"inferred", REPLACED}, {"iteration", REPLACED},
		{"path_epoch", REPLACED}, {"checkpoint", REPLACED}, {"checkpoint_inferred", REPLACED}, {"training", ACL_INSERT}
	};

	graph_require_rights(graph, needed, lengthof(needed));
	graph_lock_models(graph);
}

/* Parameters: name, score_function, dimensions, settings */
static SqlArgs
model_row(const TrainSettings *settings)
{
	SqlArgs		row = sql_args_text(settings->model);

	sql_arg_text(&row, name_of(settings->score_function));
	sql_arg(&row, INT4OID, Int32GetDatum(settings->dimensions));
	sql_arg_text(&row, settings_json(settings));
	return row;
}

void
record_begin(Graph *graph, const TrainSettings *settings)
{
	static const char *const tables[] = {"checkpoint", "checkpoint_inferred", "iteration", "path_epoch", NULL};
	SqlArgs		row = model_row(settings);

	graph_lock_model_row(graph, settings->model);
	delete_from(graph, settings->model, tables);
	sql_run(psprintf("insert into %smodel (name, score_function, dimensions, settings, status, created_at) "
					 "values ($1, $2, $3, $4::jsonb, 'training', clock_timestamp()) on conflict do nothing", graph->prefix),
			&row);
}

void
record_replace(Graph *graph, const TrainSettings *settings, bool last)
{
	static const char *const old[] = {
		"entity_embedding", "relation_embedding", "threshold", "evidence_weight", "path_network", "shared_weight", "rule",
		"inferred", NULL
	};
	SqlArgs		row = model_row(settings);
	SqlArgs		name = sql_args_text(settings->model);

	graph_lock_model_row(graph, settings->model);
	delete_from(graph, settings->model, old);
	sql_run(psprintf("update %smodel set score_function = $2, dimensions = $3, settings = $4::jsonb, "
					 "evidence = null, paths = null where name = $1", graph->prefix), &row);
	sql_run(psprintf("insert into %1$sinferred select * from %1$scheckpoint_inferred i where model = $1 "
					 "and exists (select from %1$sentity where id = i.head) "
					 "and exists (select from %1$sentity where id = i.tail) "
					 "and exists (select from %1$srelation where id = i.relation)", graph->prefix), &name);
	if (last)
		delete_from(graph, settings->model, waiting);
}

static void
arg_metrics(SqlArgs *args, const Iteration *iteration)
{
	arg_float(args, iteration->evaluated, iteration->metrics.mrr);
	arg_float(args, iteration->evaluated, iteration->metrics.hits_1);
	arg_float(args, iteration->evaluated, iteration->metrics.hits_3);
	arg_float(args, iteration->evaluated, iteration->metrics.hits_10);
}

void
record_iteration(Graph *graph, const char *model, const Iteration *iteration)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, INT4OID, Int32GetDatum(iteration->number));
	arg_float(&args, true, iteration->loss);
	arg_metrics(&args, iteration);
	sql_arg(&args, INT4OID, Int32GetDatum(iteration->rules));
	sql_arg(&args, INT8OID, Int64GetDatum(iteration->inferred));
	sql_arg(&args, INT8OID, Int64GetDatum(iteration->sampled));
	arg_float(&args, true, iteration->train_seconds);
	arg_float(&args, true, iteration->mine_seconds);
	arg_float(&args, true, iteration->sample_seconds);
	arg_float(&args, true, iteration->evaluate_seconds);
	sql_arg(&args, INT8OID, Int64GetDatum(iteration->ranked));
	arg_float(&args, iteration->mrr_error > 0, iteration->mrr_error);
	sql_run(psprintf("insert into %siteration values "
					 "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)", graph->prefix),
			&args);
}

void
record_path_epoch(Graph *graph, const char *model, const Iteration *epoch)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, INT4OID, Int32GetDatum(epoch->number));
	arg_float(&args, true, epoch->loss);
	arg_metrics(&args, epoch);
	if (epoch->evaluated)
		sql_arg(&args, INT8OID, Int64GetDatum(epoch->ranked));
	else
		sql_arg_null(&args, INT8OID);
	arg_float(&args, epoch->mrr_error > 0, epoch->mrr_error);
	arg_float(&args, true, epoch->train_seconds);
	arg_float(&args, true, epoch->evaluate_seconds);
	sql_run(psprintf("insert into %spath_epoch values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", graph->prefix),
			&args);
}

/* Ids of the rules that infer triple `i`, as text: {1,5} */
static Datum
rules_text(const Sample *sample, int64 i)
{
	const Inferences *inferences = sample->inferences;
	StringInfoData list;

	initStringInfo(&list);
	for (int64 j = inferences->first[i]; j < inferences->first[i + 1]; j++)
		appendStringInfo(&list, "%c%d", j == inferences->first[i] ? '{' : ',',
						 sample->rule_id[inferences->rule[j]]);
	appendStringInfoChar(&list, '}');
	return CStringGetTextDatum(list.data);
}

void
record_sample(Graph *graph, const char *model, int iteration, const GraphData *data, const Sample *sample)
{
	static const Oid types[] = {INT4OID, INT4OID, INT4OID, FLOAT8OID, FLOAT8OID, TEXTOID};
	const char *query = psprintf("insert into %1$scheckpoint_inferred select %2$s, %3$d, h, r, t, s, p, rules::int[] "
								 "from unnest($1, $2, $3, $4, $5, $6) u(h, r, t, s, p, rules) "
								 "where h in (select id from %1$sentity) and t in (select id from %1$sentity) "
								 "and r in (select id from %1$srelation)",
								 graph->prefix, quote_literal_cstr(model), iteration);
	SqlBatch   *batch = sql_batch_begin(query, lengthof(types), types);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "hybridkg row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row);

	for (int64 i = 0; i < sample->count; i++)
	{
		int64		drawn = sample->drawn[i];
		Triple		triple = sample->inferences->triple[drawn];
		Datum		values[lengthof(types)];

		values[0] = Int32GetDatum(data->entity_id[triple.head]);
		values[1] = Int32GetDatum(data->relation_id[triple.relation]);
		values[2] = Int32GetDatum(data->entity_id[triple.tail]);
		values[3] = Float8GetDatum(sample->score[drawn]);
		values[4] = Float8GetDatum(sample->probability[i]);
		values[5] = rules_text(sample, drawn);
		sql_batch_row(batch, values, NULL);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row);
	sql_batch_end(batch);
}

void
record_written(Graph *graph, const char *model, const Iteration *best)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, INT4OID, Int32GetDatum(best->number));
	arg_metrics(&args, best);
	sql_run(psprintf("update %smodel set trained_at = clock_timestamp(), "
					 "best_iteration = $2, mrr = $3, hits_1 = $4, hits_3 = $5, hits_10 = $6 where name = $1",
					 graph->prefix),
			&args);
}

void
record_end(Graph *graph, const char *model, const Iteration *best, const TrainingCall *call, int64 facts)
{
	record_status(graph, model, "ready");
	record_written(graph, model, best);
	record_training(graph, model, "ready", call, facts);
}

bool
record_answers(Graph *graph, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	Datum		found;

	return sql_value(psprintf("select true where exists (select from %1$sentity_embedding where model = $1) "
							  "or exists (select from %1$srule where model = $1)", graph->prefix), &args, &found);
}

void
record_keep(Graph *graph, const char *model, const TrainingCall *call, int64 facts)
{
	delete_from(graph, model, waiting);
	record_status(graph, model, "ready");
	record_training(graph, model, "refused", call, facts);
}
