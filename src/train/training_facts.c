/*
 * training_facts.c
 *		The facts of a training: read, checked, and as a table for rules (see training_facts.h).
 */
#include "training_facts.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"

#include "server/sql.h"

/* Embeddings of a warm start were trained on all facts already, so none can be held out from them. */
static void
hold_out(TrainingFacts *facts, const Graph *graph, const TrainSettings *settings)
{
	GraphData  *rest;

	if (settings->warm_start)
		return;
	facts->valid = hold_out_draw(facts->all, settings->holdout, (uint64) settings->seed, &rest, &facts->valid_count);
	if (rest == NULL)
		return;
	hold_out_notice(graph->name, facts->valid_count, facts->all->facts);
	facts->learnt = rest;
}

TrainingFacts
training_facts_read(Graph *graph, const TrainSettings *settings)
{
	const GraphData *data = graph_read(graph);
	TrainingFacts facts = {.all = data,.learnt = data};

	facts.valid = graph_read_split(graph, data, "valid", &facts.valid_count);
	facts.filter = graph_read_known(graph, data, &facts.filter_count);
	if (facts.valid_count == 0)
		hold_out(&facts, graph, settings);
	return facts;
}

void
training_facts_check(const TrainingFacts *facts, const Graph *graph, const TrainSettings *settings)
{
	if (facts->learnt->facts == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("graph \"%s\" has no facts", graph->name),
				 errhint("Load some with hkg_load.")));
	if (facts->learnt->entities < 2)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("graph \"%s\" has one entity, but embeddings need at least two", graph->name),
				 errhint("Load more facts with hkg_load.")));
	if (settings->rules != NULL && strcmp(settings->rules, settings->model) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rules must name another model than the one that is trained, \"%s\"", settings->model),
				 errhint("Training replaces that one and its rules. Choose another name by the argument model.")));
	if (settings->patience > 0 && facts->valid_count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("patience needs a valid split, but graph \"%s\" has none", graph->name),
				 errdetail("No facts are held out in its place: there are too few, or holdout is 0."),
				 errhint("Load one with hkg_load(..., 'valid'), or leave patience at null.")));
}

/* ---- as a table for rules ------------------------------------------------------ */

static void
insert_facts(const char *table, const GraphData *data)
{
	static const Oid types[] = {INT4OID, INT4OID, INT4OID};
	SqlBatch   *batch = sql_batch_begin(psprintf("insert into %s select * from unnest($1, $2, $3)", table),
										lengthof(types), types);

	for (int64 i = 0; i < data->facts; i++)
	{
		Datum		values[3] = {
			Int32GetDatum(data->entity_id[data->fact[i].head]),
			Int32GetDatum(data->relation_id[data->fact[i].relation]),
			Int32GetDatum(data->entity_id[data->fact[i].tail])
		};

		sql_batch_row(batch, values, NULL);
	}
	sql_batch_end(batch);
}

/* A name that no temporary table of the caller has */
static char *
free_name(void)
{
	return psprintf("pg_temp.%s", ChooseRelationName("hkg", NULL, "facts", LookupCreationNamespace("pg_temp"), false));
}

Graph *
training_facts_copy(const TrainingFacts *facts, const Graph *graph)
{
	Graph	   *copy = palloc(sizeof(Graph));
	char	   *table = free_name();

	sql_run(psprintf("create table %s (head int not null, relation int not null, tail int not null)", table), SQL_NO_ARGS);
	insert_facts(table, facts->learnt);
	sql_run(psprintf("create unique index on %s (head, relation, tail)", table), SQL_NO_ARGS);
	sql_run(psprintf("create index on %s (tail, relation, head)", table), SQL_NO_ARGS);
	sql_run(psprintf("create index on %s (relation, head, tail)", table), SQL_NO_ARGS);
	sql_run(psprintf("analyze %s", table), SQL_NO_ARGS);
	*copy = *graph;
	copy->facts = table;
	return copy;
}

void
training_facts_drop(const Graph *copy)
{
	sql_run(psprintf("drop table %s", copy->facts), SQL_NO_ARGS);
}
