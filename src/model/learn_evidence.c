/*
 * learn_evidence.c
 *		Learning how a model weighs evidence; hkg_learn_evidence.
 */
#include "model_evidence.h"

#include "utils/acl.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "answer_sets.h"
#include "graph/call.h"
#include "model_cache.h"
#include "path_network.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

/* Facts, then the valid split: the test split takes no part in learning. */
static Triple *
facts_and_valid(const GraphData *data, const Triple *valid, int64 valid_count)
{
	Triple	   *known = array_new(Triple, data->facts + valid_count);

	memcpy(known, data->fact, sizeof(Triple) * data->facts);
	memcpy(known + data->facts, valid, sizeof(Triple) * valid_count);
	return known;
}

uint64
evidence_learn_bytes(const KgeModel *kge, const GraphData *data, const EvRuleSet *rules, const PathNetwork *network,
					 Degrees degrees, int64 valid_count, int threads)
{
	FactIndex	facts = {.entities = data->entities,.relations = data->relations,.edges = 2 * data->facts};
	EvExampleSource source = {.model = kge,.facts = &facts,.count = valid_count,.filter_count = data->facts + valid_count,
	.network = network,.degrees = degrees};

	return 2 * rules->count * sizeof(EvRule) + evidence_index_bytes(rules, data) +
		path_network_bytes(network) + ev_learn_bytes(&source, threads) + source.filter_count * sizeof(Triple);
}

/* Whether a true answer could be learnt from: one that has an embedding or facts. */
static bool
has_questions(const EvLearnt *learnt, const GraphData *data)
{
	for (int32 key = 0; key < 2 * data->relations; key++)
		if (learnt->questions[key] > 0)
			return true;
	return false;
}

double
evidence_learn(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge,
			   Pool *pool, HeldOut valid, bool with_rules)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	Arena		arena = hkg_arena();
	Evidence	evidence = {.has_rules = with_rules,.network = path_network_read(graph, model, data, 0)};
	EvidenceParts has = {with_rules, evidence.network != NULL};
	KgeModel	typed = *kge;
	EvExampleSource source = {.model = &typed,.facts = &evidence.facts,.rules = with_rules ? &evidence.rules : NULL,
		.triples = valid.triple,.count = valid.count,.most = valid.most,.missing = valid.missing,.network = evidence.network,
		.rejected = valid.rejected,.rejected_count = valid.rejected_count};
	const GraphData *read = data;
	EvLearnt	learnt;
	EvRuleSet	rules = {0};
	double		mrr = get_float8_nan();

	if (valid.count == 0)
		evidence_write_weights(graph, model, data, has, NULL);
	else
	{
		if (with_rules)
			rules = evidence_read_rules(graph, model, data, NULL);
		if (evidence.network != NULL)
		{
			read = path_network_facts(graph, model, data);
			source.degrees = graph_degrees(read);
		}
		hkg_check_memory(evidence_learn_bytes(kge, data, &rules, evidence.network, source.degrees, valid.count, pool_threads(pool)) +
						 (read == data ? 0 : read->facts * sizeof(Triple)), "learning how evidence weighs");
		evidence_index(&evidence, &rules, read);
		typed.answers = evidence.facts.answers = answer_sets_read(graph, data->relation_id, &evidence.facts);
		source.filter = facts_and_valid(data, valid.triple, valid.count);
		source.filter_count = data->facts + valid.count;
		ev_learn(&arena, pool, &source, &learnt);
		evidence_write_weights(graph, model, data, has, has_questions(&learnt, data) ? &learnt : NULL);
		evidence_write_missing(graph, model, valid.missing);
		mrr = learnt.mrr;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return mrr;
}

/* The argument assume_missing; null, and a declaration that lacks it, leave what the model has. */
static double
argument_missing(FunctionCallInfo fcinfo, int i, const Graph *graph, const char *model)
{
	if (PG_NARGS() <= i || PG_ARGISNULL(i))
		return evidence_read_missing(graph, model);
	return argument_float(fcinfo, i, "assume_missing", 0, MOST_MISSING);
}

/* Whether rules are evidence from now on: unless they are none beside the model's path network. */
static bool
uses_rules(const Graph *graph, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	Datum		found;

	return !sql_value(psprintf("select true from %smodel where name = $1 and evidence::jsonb->'discount'->'rules' = 'null'",
							   graph->prefix), &args, &found);
}

HKG_FUNCTION(hkg_learn_evidence);
Datum
hkg_learn_evidence(PG_FUNCTION_ARGS)
{
	static const TableRights written[] = {
		{"evidence_weight", ACL_SELECT | ACL_INSERT | ACL_DELETE}, {"threshold", ACL_SELECT | ACL_DELETE},
		{"model", ACL_SELECT | ACL_UPDATE}
	};
	Call		call = call_begin(fcinfo, 1);
	Graph	   *graph = call.graph;
	GraphData  *data;
	KgeModel	kge;
	HeldOut		valid = {0};
	Triple	   *known;
	int64		known_count;

	/* before the model is read: a training may just be replacing it */
	graph_lock_for_training(graph, call.model);
	graph_require_rights(graph, written, lengthof(written));
	graph_lock_models(graph);
	graph_lock_model_to_read(graph, call.model);
	model_require(graph, call.model);
	data = graph_read(graph);
	kge = added_entities_of_graph(added_entities_read(graph, model_open(graph, call.model), 0), data);
	valid.triple = graph_read_split(graph, data, "valid", &valid.count);
	known = graph_read_known(graph, data, &known_count);
	valid.rejected = graph_read_rejected(graph, data, known, known_count, &valid.rejected_count);
	pfree(known);
	valid.missing = argument_missing(fcinfo, 2, graph, call.model);
	if (valid.count == 0 && evidence_has_learnt(graph, call.model))
	{
		evidence_write_missing(graph, call.model, valid.missing);
		ereport(NOTICE,
				(errmsg("graph \"%s\" has no valid split: model \"%s\" keeps the weights that it has learnt",
						graph->name, call.model),
				 errhint("%s", graph_split_hint(graph, "valid"))));
	}
	else
		(void) evidence_learn(graph, call.model, data, &kge, hkg_pool(), valid, uses_rules(graph, call.model));
	graph_leave_training(graph);
	call_end(&call);
	PG_RETURN_VOID();
}
