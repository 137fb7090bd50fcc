/*
 * thresholds.c
 *		Triplet classification: the thresholds of hkg_classify, and hkg_learn_thresholds.
 *
 * A triple is true where it is more probable than not, and needs no threshold, unless false triples were given: users
 * have reasons of their own for what they call false.  Then a relation has a threshold for each kind of evidence, the
 * score that best separates its true triples, those of the valid split (or held out in its place), from these; where
 * they are few, that of all such relations together counts as well.  Where only true triples or only false ones of a
 * relation are known, nothing can be learnt about what separates them: it stays with its probabilities.  A model without
 * probabilities has false triples drawn (false_triples.c), and such a relation takes the threshold of all together.
 */
#include "thresholds.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/sort.h"
#include "graph/call.h"
#include "kge/rank.h"
#include "model_cache.h"
#include "predictor.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

/* ---- learning ------------------------------------------------------------------------ */

/* A labelled triple, and the parts of its scores */
typedef struct LabelledTriple
{
	Triple		triple;
	bool		truth;
	ScoreParts	parts[EV_KINDS];
} LabelledTriple;

typedef struct ExampleList
{
	Model		model;			/* what probabilities take; they are of use where it is probable */
	LabelledTriple *example;	/* by relation, head, tail: those of a question follow each other */
	int64		count;
	Pool	   *pool;
	const Evidence *evidence;	/* NULL where the model has none */
	EvAdjuster	adjuster;		/* answers the threads' questions */
} ExampleList;

static int
compare_examples(const void *a, const void *b)
{
	return triple_compare(&((const LabelledTriple *) a)->triple, &((const LabelledTriple *) b)->triple);
}

static void
add_examples(ExampleList *list, const KgeModel *kge, const Triple *triples, int64 count, bool truth)
{
	for (int64 i = 0; i < count; i++)
	{
		ScoreParts	parts = {kge_score(kge, triples[i]), 0};

		CHECK_FOR_INTERRUPTS();
		list->example[list->count++] = (LabelledTriple) {triples[i], truth, {parts, parts, parts, parts}};
	}
}

/* triples of a thread's item */
#define TRIPLES_AT_ONCE 16

/* Item: some triples. */
static void
add_evidence(void *argument, int64 item, int thread)
{
	ExampleList *list = argument;

	for (int64 i = item * TRIPLES_AT_ONCE; i < (item + 1) * TRIPLES_AT_ONCE && i < list->count; i++)
	{
		Triple		triple = list->example[i].triple;
		const EvCandidate *candidate;

		ev_answer(list->adjuster.answering[thread], EV_BOTH, question_of(SIDE_TAIL, triple.head, triple.relation), list->pool, thread,
				  &candidate);
		candidate = ev_candidate(list->adjuster.answering[thread], triple.tail);
		for (int kind = EV_RULES; kind < EV_KINDS && candidate != NULL; kind++)
			list->example[i].parts[kind].evidence = evidence_of_candidate(list->evidence, kind, triple.relation, SIDE_TAIL,
																		  candidate);
	}
}

/* The probabilities that the model has learnt, for the rows of `data` */
static Model
read_calibration(const Graph *graph, const char *name, const GraphData *data)
{
	Model		model = {.name = pstrdup(name),.relation_id = (int32 *) data->relation_id};

	model.kge.relations = data->relations;
	model.calibration = MemoryContextAllocHuge(CurrentMemoryContext, model_calibration_bytes(&model));
	evidence_read_calibration(graph, &model);
	return model;
}

static ExampleList
make_examples(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge, const Labelled *labelled)
{
	ExampleList list = {.pool = hkg_pool()};

	list.example = array_new(LabelledTriple, labelled->truths + labelled->falsehoods);
	add_examples(&list, kge, labelled->truth, labelled->truths, true);
	add_examples(&list, kge, labelled->falsehood, labelled->falsehoods, false);
	sort_array(list.pool, POOL_LEADER, list.example, list.count, sizeof(LabelledTriple), compare_examples);
	list.evidence = evidence_of_data(graph, model, data);
	if (list.evidence != NULL)
	{
		list.model = read_calibration(graph, model, data);
		evidence_adjustment(list.evidence, EV_BOTH, pool_threads(list.pool), &list.adjuster);
		pool_run(list.pool, pool_pieces(list.count, TRIPLES_AT_ONCE), add_evidence, &list);
	}
	return list;
}

/* The scores of some examples.  A triple without an embedding has no finite score, and is left out. */
static int64
score_examples(const ExampleList *list, EvKind kind, int64 first, int64 end, KgeLabelled *scored)
{
	Predictor	predictor = {.kind = kind,.evidence = list->evidence};
	int64		count = 0;

	for (int64 i = first; i < end; i++)
	{
		const LabelledTriple *example = &list->example[i];
		double		score = predictor_score(&predictor, SIDE_TAIL, example->triple.relation, example->parts[kind]);

		CHECK_FOR_INTERRUPTS();
		if (isfinite(score))
			scored[count++] = (KgeLabelled) {score, example->truth};
	}
	return count;
}

/* Highest score first. */
static int
compare_labelled(const void *a, const void *b)
{
	double		left = ((const KgeLabelled *) a)->score;
	double		right = ((const KgeLabelled *) b)->score;

	return (left < right) - (left > right);
}

static void
sort_labelled(KgeLabelled *scored, int64 count)
{
	sort_array(hkg_leader(), POOL_LEADER, scored, count, sizeof(KgeLabelled), compare_labelled);
}

static int64
count_truths(const KgeLabelled *scored, int64 count)
{
	int64		truths = 0;

	for (int64 i = 0; i < count; i++)
		truths += scored[i].truth;
	return truths;
}

/* How many of some examples probabilities are right about */
static int64
count_right_by_probability(const ExampleList *list, EvKind kind, int64 first, int64 end)
{
	Predictor	predictor = {.model = &list->model,.kind = kind,.evidence = list->evidence};
	int64		right = 0;

	for (int64 i = first; i < end; i++)
	{
		const LabelledTriple *example = &list->example[i];
		ScoreParts	parts = example->parts[kind];

		CHECK_FOR_INTERRUPTS();
		if (isfinite(predictor_score(&predictor, SIDE_TAIL, example->triple.relation, parts)))
			right += predictor_is_probable(&predictor, &list->evidence->facts, example->triple, parts) == example->truth;
	}
	return right;
}

static SqlBatch *
begin_thresholds(const Graph *graph, const char *model)
{
	static const Oid types[] = {INT4OID, FLOAT8OID, INT8OID, FLOAT8OID, TEXTOID};

	return sql_batch_begin(psprintf("insert into %1$sthreshold (model, relation, threshold, triples, accuracy, evidence) "
									"select %2$s, u.* "
									"from unnest($1, $2, $3, $4, $5) u (relation, threshold, triples, accuracy, evidence) "
									"where u.relation in (select id from %1$srelation)",
									graph->prefix, quote_literal_cstr(model)),
						   lengthof(types), types);
}

/* One relation's, learnt from so many true triples; right about `right` of `count` */
static void
write_threshold(SqlBatch *batch, int32 relation, EvKind kind, double threshold, int64 truths, int64 right, int64 count)
{
	Datum		values[5] = {
		Int32GetDatum(relation),
		Float8GetDatum(threshold),
		Int64GetDatum(truths),
		Float8GetDatum(count > 0 ? (double) right / (double) count : 0),
		CStringGetTextDatum(evidence_kinds[kind])
	};
	bool		nulls[5] = {false, false, false, count == 0, false};

	sql_batch_row(batch, values, nulls);
}

static int64
end_of_relation(const ExampleList *list, int64 first, int32 relation)
{
	while (first < list->count && list->example[first].triple.relation == relation)
		first++;
	return first;
}

/* What the relations have in common that true and false triples are known of; where there is none, all of them */
static KgeCommon
learn_common(const ExampleList *list, EvKind kind)
{
	KgeLabelled *scored = array_new(KgeLabelled, list->count);
	int64		count = 0;
	int64		end;

	for (int64 first = 0; first < list->count; first = end)
	{
		int64		own;
		int64		truths;

		end = end_of_relation(list, first, list->example[first].triple.relation);
		own = score_examples(list, kind, first, end, scored + count);
		truths = count_truths(scored + count, own);
		if (truths > 0 && truths < own)
			count += own;
	}
	if (count == 0)
		count = score_examples(list, kind, 0, list->count, scored);
	sort_labelled(scored, count);
	return kge_common(scored, count, array_new(double, count + 1));
}

/* Learns and writes the thresholds of a kind; returns the accuracy of these, and of probabilities where there is none. */
static double
learn_kind(SqlBatch *batch, const GraphData *data, const ExampleList *list, EvKind kind)
{
	KgeLabelled *scored = array_new(KgeLabelled, list->count);
	int64		all = score_examples(list, kind, 0, list->count, scored);
	KgeCommon	common = learn_common(list, kind);
	int64		all_right = 0;
	int64		end = 0;

	if (count_truths(scored, all) == 0)
		return NAN;
	for (int32 row = 0; row < data->relations; row++)
	{
		int64		first = end;
		int64		count;
		int64		truths;
		bool		separates;
		int64		right;

		end = end_of_relation(list, first, row);
		count = score_examples(list, kind, first, end, scored);
		truths = count_truths(scored, count);
		separates = truths > 0 && truths < count;
		if (list->model.probable && !separates)
			right = count_right_by_probability(list, kind, first, end);
		else
		{
			double		threshold;

			sort_labelled(scored, count);
			threshold = separates ? kge_threshold(scored, count, &common) : common.threshold;
			right = kge_threshold_right(scored, count, threshold);
			write_threshold(batch, data->relation_id[row], kind, threshold, separates ? truths : 0, right, count);
		}
		all_right += right;
	}
	pfree(scored);
	pfree((void *) common.labelled);
	pfree((void *) common.worth);
	return (double) all_right / (double) all;
}

/* The share of the examples that probabilities by embeddings and evidence are right about */
static double
accuracy_of_probabilities(const ExampleList *list)
{
	KgeLabelled *scored = array_new(KgeLabelled, list->count);
	int64		count = score_examples(list, EV_BOTH, 0, list->count, scored);

	if (count_truths(scored, count) == 0)
		return NAN;
	return (double) count_right_by_probability(list, EV_BOTH, 0, list->count) / (double) count;
}

/* Says which given false triples have no true ones to be separated from. */
static void
report_unused(Graph *graph, const GraphData *data, const ExampleList *list)
{
	int64		unused = 0;
	int32		relation = -1;
	int64		end;

	for (int64 first = 0; first < list->count; first = end)
	{
		bool		truth = false;

		end = end_of_relation(list, first, list->example[first].triple.relation);
		for (int64 i = first; i < end; i++)
			truth |= list->example[i].truth;
		if (truth)
			continue;
		if (unused == 0)
			relation = list->example[first].triple.relation;
		unused += end - first;
	}
	if (unused > 0)
		ereport(NOTICE,
				(errmsg_plural("%lld false triple was not used: its relation has no true one",
							   "%lld false triples were not used: their relations have no true ones",
							   (unsigned long) unused, (long long) unused),
				 errdetail("The valid split has no facts of relation \"%s\".",
						   argument_shown(graph_relation_name(graph, data->relation_id[relation])))));
}

double
threshold_learn(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge,
				const Labelled *labelled)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg thresholds", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	ExampleList examples = make_examples(graph, model, data, kge, labelled);
	SqlArgs		args = sql_args_text(model);
	double		accuracy = 0;

	sql_run(psprintf("delete from %sthreshold where model = $1", graph->prefix), &args);
	if (!labelled->given && examples.model.probable)
		accuracy = accuracy_of_probabilities(&examples);
	else
	{
		SqlBatch   *batch = begin_thresholds(graph, model);

		for (EvKind kind = EV_EMBEDDING; kind < EV_KINDS; kind++)
			if (evidence_has_kind(examples.evidence, kind))
				accuracy = learn_kind(batch, data, &examples, kind);
		sql_batch_end(batch);
	}
	if (labelled->given && !isnan(accuracy))
		report_unused(graph, data, &examples);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return accuracy;
}

/* ---- hkg_learn_thresholds ---------------------------------------------------------------- */

/* what learning takes for each triple */
#define TRIPLE_BYTES (sizeof(LabelledTriple) + 2 * sizeof(KgeLabelled) + sizeof(double))

static void
no_valid_split(const Graph *graph)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("graph \"%s\" has no valid triples to learn thresholds from", graph->name),
			 errdetail("There is no valid split, or the model has no embeddings for any of its triples."),
			 errhint("%s", graph_split_hint(graph, "valid"))));
}

HKG_FUNCTION(hkg_learn_thresholds);
Datum
hkg_learn_thresholds(PG_FUNCTION_ARGS)
{
	static const TableRights written = {"threshold", ACL_SELECT | ACL_INSERT | ACL_DELETE};
	int64		seed = DatumGetInt64(argument(fcinfo, 3, "seed"));
	Call		call = call_begin(fcinfo, 2);
	Graph	   *graph = call.graph;
	GraphData  *data;
	KgeModel	kge;
	Labelled	labelled;
	double		accuracy;

	/* before the model is read: a training may be about to replace it */
	graph_lock_for_training(graph, call.model);
	graph_require_rights(graph, &written, 1);
	graph_lock_models(graph);
	/* the right to learn thresholds does not take the right to update the model */
	if (graph_may_lock(graph, "model"))
		graph_lock_model_to_read(graph, call.model);
	model_require(graph, call.model);
	data = graph_read(graph);
	labelled.truth = graph_read_split(graph, data, "valid", &labelled.truths);
	labelled.given = !PG_ARGISNULL(1);
	if (!labelled.given)
	{
		int64		count;
		Triple	   *known = graph_read_known(graph, data, &count);

		labelled.falsehood = false_triples_draw(data, known, count, labelled.truth, labelled.truths,
												(uint64) seed, &labelled.falsehoods);
	}
	else
		labelled.falsehood = false_triples_read(graph, data, PG_GETARG_OID(1), TRIPLE_BYTES, &labelled.falsehoods);
	/* after the negatives: they may be a view that uses other models, whose copies would replace this one */
	kge = added_entities_of_graph(added_entities_read(graph, model_open(graph, call.model), 0), data);
	accuracy = threshold_learn(graph, call.model, data, &kge, &labelled);
	if (isnan(accuracy))
		no_valid_split(graph);
	graph_leave_training(graph);
	call_end(&call);
	PG_RETURN_FLOAT8(accuracy);
}
