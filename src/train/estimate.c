/*
 * estimate.c
 *		What a training takes, said beforehand: hkg_estimate, and the refusal of one
 *		that would take more than hybridkg.max_memory.
 *
 * The same list serves both, and the sizes in it are those that the owners of the
 * arrays give.  Rules and what they infer are not in it: how many there are is
 * known when they have been counted; mining checks its own memory as it goes.
 */
#include "estimate.h"

#include "utils/builtins.h"

#include "model/learn_evidence.h"
#include "path_rules.h"
#include "hold_out.h"
#include "server/host.h"
#include "server/sql.h"

typedef struct Need
{
	const char *item;
	uint64		bytes;
} Need;

typedef struct NeedList
{
	int			count;
	Need		need[16];
	uint64		bytes;			/* of all */
} NeedList;

static void
add_need(NeedList *list, const char *item, uint64 bytes)
{
	Assert(list->count < (int) lengthof(list->need));
	list->need[list->count++] = (Need) {item, bytes};
	list->bytes += bytes;
}

/* The search for rules that are evidence, then, in the same memory or more, learning how they and those selected weigh. */
static uint64
evidence_bytes(const Procedure *procedure)
{
	const GraphData *data = procedure->data;
	EvSearch	search = evidence_search(&procedure->settings, data->facts);
	EvFacts		facts = {.entities = data->entities,.relations = data->relations,.edges = 2 * data->facts};
	EvRuleSet	rules = {.count = search.limit,.patterns = procedure->settings.top_rules};
	uint64		learning = procedure->valid_count == 0 ? 0 :
		evidence_learn_bytes(&procedure->model, data, &rules, procedure->valid_count, hkg_threads);

	return Max(ev_facts_bytes(data->entities, data->relations, data->facts) + ev_paths_bytes(&facts, &search, hkg_threads),
			   learning);
}

static NeedList
list_needs(const Procedure *procedure)
{
	NeedList	list = {0};
	const GraphData *data = procedure->data;
	const KgeModel *model = &procedure->model;
	KgeTraining training = procedure_training(procedure);
	int64		positives = procedure->max_positives;
	uint64		parameters = procedure_entity_bytes(procedure) + procedure_relation_bytes(procedure);
	uint64		state = kge_trainer_state_bytes(model, &training);

	add_need(&list, "facts", (data->facts + (procedure->all == NULL ? 0 : procedure->all->facts)) * sizeof(Triple) +
			 ((uint64) data->entities + data->relations) * sizeof(int32));
	add_need(&list, "filter of the evaluation", procedure->known_count * sizeof(Triple));
	add_need(&list, "positives", positives * (sizeof(Triple) + sizeof(float)) +
			 procedure->max_samples * 2 * sizeof(Positive));
	add_need(&list, "embeddings", parameters);
	if (procedure->settings.warm_start)
		add_need(&list, "model to go on from", parameters);
	add_need(&list, "state of the optimizer", state);
	add_need(&list, "a minibatch", kge_trainer_bytes(model, &training, positives, hkg_threads) - state);
	if (procedure->settings.evidence_rules > 0)
		add_need(&list, "evidence", evidence_bytes(procedure));
	if (procedure->valid_count > 0)
		add_need(&list, "evaluation", 2 * procedure->valid_count * sizeof(int32) +
				 kge_rank_bytes(model, NULL, procedure->valid_count, procedure->known_count, hkg_threads));
	return list;
}

void
estimate_check(const Procedure *procedure)
{
	hkg_check_memory(list_needs(procedure).bytes, "training");
}

/* ---- hkg_estimate ------------------------------------------------------------ */

/* The graph's sizes, without its facts. */
typedef struct Sizes
{
	int64		entities;
	int64		relations;
	int64		facts;
	int64		valid;
	int64		held_out;
	int64		queries;		/* distinct (head, relation) and (relation, tail) */
} Sizes;

static void
take_sizes(void *argument, const Datum *values, const bool *nulls)
{
	Sizes	   *sizes = argument;

	sizes->entities = DatumGetInt64(values[0]);
	sizes->relations = DatumGetInt64(values[1]);
	sizes->facts = DatumGetInt64(values[2]);
	sizes->valid = DatumGetInt64(values[3]);
	sizes->held_out = DatumGetInt64(values[4]);
	sizes->queries = DatumGetInt64(values[5]);
}

static Sizes
count_sizes(const Graph *graph)
{
	Sizes		sizes;

	sql_stream(psprintf("select (select count(*) from %1$sentity), (select count(*) from %1$srelation), "
						"(select count(*) from %1$striple), "
						"(select count(*) from %1$sholdout where split = 'valid'), "
						"(select count(*) from %1$sholdout), "
						"(select count(*) from (select distinct relation, head from %1$striple) q) + "
						"(select count(*) from (select distinct relation, tail from %1$striple) q)",
						graph->prefix),
			   SQL_NO_ARGS, take_sizes, &sizes);
	return sizes;
}

/* A procedure of which only the sizes are known. */
static void
size_procedure(Procedure *procedure, const Sizes *sizes)
{
	procedure->data = palloc0(sizeof(GraphData));
	procedure->data->entities = (int32) sizes->entities;
	procedure->data->relations = (int32) sizes->relations;
	procedure->data->facts = sizes->facts;
	procedure->valid_count = sizes->valid;
	procedure->known_count = sizes->facts + sizes->held_out;
	if (sizes->valid == 0 && !procedure->settings.warm_start)
		procedure->valid_count = hold_out_size(procedure->settings.holdout, sizes->facts);
	if (sizes->valid < procedure->valid_count)
	{
		procedure->all = procedure->data;
		procedure->data = memcpy(palloc(sizeof(GraphData)), procedure->all, sizeof(GraphData));
		procedure->data->facts -= procedure->valid_count;
	}
	procedure_check(procedure);
	procedure_describe(procedure);
}

static void
add_row(SqlResult *result, const char *item, const uint64 *bytes, const double *flops)
{
	Datum		values[3] = {CStringGetTextDatum(item)};
	bool		nulls[3] = {false, bytes == NULL, flops == NULL};

	if (bytes != NULL)
		values[1] = Int64GetDatum((int64) *bytes);
	if (flops != NULL)
		values[2] = Float8GetDatum(*flops);
	sql_result_row(result, values, nulls);
}

HKG_FUNCTION(hkg_estimate);
Datum
hkg_estimate(PG_FUNCTION_ARGS)
{
	SqlResult  *result = sql_result(fcinfo);
	Procedure	procedure = {0};
	KgeTraining training;
	NeedList	list;
	Sizes		sizes;
	double		flops;

	settings_read(fcinfo, &procedure.settings);
	sql_begin();
	procedure.graph = graph_open(procedure.settings.graph);
	sizes = count_sizes(procedure.graph);
	size_procedure(&procedure, &sizes);
	list = list_needs(&procedure);
	for (int i = 0; i < list.count; i++)
		add_row(result, list.need[i].item, &list.need[i].bytes, NULL);
	add_row(result, "all of it", &list.bytes, NULL);
	training = procedure_training(&procedure);
	flops = kge_epoch_flops(&procedure.model, &training, sizes.facts, sizes.queries);
	add_row(result, "an epoch", NULL, &flops);
	sql_end();
	return (Datum) 0;
}
