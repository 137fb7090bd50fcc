/*
 * predict_relations.c
 *		hkg_predict_relations: all relations are scored, and the most probable ones are returned.
 */
#include "found_rows.h"

#include <math.h>

#include "miscadmin.h"

#include "graph/call.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Most probable first: scores of different relations are not comparable. */
static int
compare_probable_rows(const void *a, const void *b)
{
	double		left = ((const ScoredRow *) a)->probability;
	double		right = ((const ScoredRow *) b)->probability;

	/* what is not known comes last */
	left = isnan(left) ? -1 : left;
	right = isnan(right) ? -1 : right;
	return left > right ? -1 : left < right ? 1 : scored_row_compare(a, b);
}

/* What the facts have of a relation: whether it holds between the two, and how many other tails the head has */
typedef struct RelationFacts
{
	bool		is_fact;
	int64		other_tails;
} RelationFacts;

typedef struct FactsReading
{
	const Model *model;
	RelationFacts *facts;		/* by row */
} FactsReading;

static void
take_facts(void *argument, const Datum *values, const bool *nulls)
{
	FactsReading *reading = argument;
	int32		row = graph_row(reading->model->relation_id, reading->model->kge.relations, DatumGetInt32(values[0]));

	if (row >= 0)
		reading->facts[row] = (RelationFacts) {DatumGetBool(values[1]), DatumGetInt64(values[2])};
}

static RelationFacts *
read_facts(const Graph *graph, const Predictor *predictor, int32 head, int32 tail)
{
	const Model *model = predictor->model;
	FactsReading reading = {model, array_new_zero(RelationFacts, model->kge.relations)};
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(added_entities_id(predictor->added, head)));
	sql_arg(&args, INT4OID, Int32GetDatum(added_entities_id(predictor->added, tail)));
	sql_stream_often(psprintf("select relation::int, bool_or(tail = $2), count(*) filter (where tail <> $2) "
							  "from %striple where head = $1 group by 1", graph->prefix),
					 &args, take_facts, &reading);
	return reading.facts;
}

/*
 * Every relation between two entities that are of its types, but rejected ones, facts only where they are wanted; NaN
 * scores are left out.
 */
static int64
score_relations(const Predictor *predictor, int32 head, int32 tail, const RelationFacts *facts, bool known,
				ScoredRow *scored)
{
	const KgeModel *kge = &predictor->model->kge;
	const RejectedAnswers *rejected = predictor->rejected;
	int64		count = 0;

	for (int32 row = 0; row < kge->relations; row++)
	{
		Triple		triple = {head, row, tail};

		CHECK_FOR_INTERRUPTS();
		if ((facts[row].is_fact && !known) ||
			bsearch(&triple, rejected->triple[SIDE_TAIL], rejected->count, sizeof(Triple), triple_compare) != NULL ||
			!answer_is_allowed(predictor->kge.answers, row, SIDE_HEAD, head) ||
			!answer_is_allowed(predictor->kge.answers, row, SIDE_TAIL, tail))
			continue;
		scored[count].row = row;
		scored[count].parts = predictor_parts(predictor, triple);
		scored[count].score = predictor_score(predictor, SIDE_TAIL, row, scored[count].parts);
		scored[count].probability =
			predictor_probability_alone(predictor, row,
										scored_row_judged(&scored[count],
														  (EvQuestionScores) {.known = facts[row].other_tails}));
		if (!isnan(scored[count].score) && (ev_uses_embedding(predictor->kind) || scored[count].score > 0))
			count++;
	}
	return count;
}

static void
predict_relations(Graph *graph, const Predictor *predictor, int32 head, int32 tail,
				  int k, bool known, SqlResult *result)
{
	const KgeModel *kge = &predictor->kge;
	ScoredRow  *scored = array_new(ScoredRow, kge->relations);
	FoundRows	found = found_rows_open(hkg_arena(), Min(k, kge->relations), 0, "relations");
	int64		count;

	count = score_relations(predictor, head, tail, read_facts(graph, predictor, head, tail), known, scored);
	found_rows_take(&found, scored, count, compare_probable_rows);
	for (int64 i = 0; i < found.count; i++)
		found.probability[i] = scored[i].probability;
	found_rows_return(&found, graph, predictor, false, result);
}

HKG_FUNCTION(hkg_predict_relations);
Datum
hkg_predict_relations(PG_FUNCTION_ARGS)
{
	char	   *head_name = argument_text(fcinfo, 1, "head");
	char	   *tail_name = argument_text(fcinfo, 2, "tail");
	int			k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	bool		known = DatumGetBool(argument(fcinfo, 5, "known"));
	EvKind		kind = argument_evidence(fcinfo, 6);
	Call		call = call_begin(fcinfo, 4);
	Predictor	predictor = predictor_open(call.graph, call.model, kind);
	int32		head = added_entities_row_of_name(predictor.added, call.graph, head_name);
	int32		tail = added_entities_row_of_name(predictor.added, call.graph, tail_name);

	predictor_require_rejected(&predictor, call.graph);
	if (head >= 0 && tail >= 0)
		predict_relations(call.graph, &predictor, head, tail, k, known, call.result);
	return call_end(&call);
}
