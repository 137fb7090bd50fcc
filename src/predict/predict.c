/*
 * predict.c
 *		hkg_predict_tails, hkg_predict_heads.
 *
 * Names become ids and ids become the model's rows; src/kge finds the best rows; found_rows.c turns them into names
 * again.  Evidence raises the scores of some entities.  Nothing here writes: all of it runs on a replica, in a read-only
 * transaction and in parallel workers.
 */
#include "found_rows.h"

#include <math.h>

#include "miscadmin.h"

#include "core/search.h"
#include "graph/call.h"
#include "predict_many.h"
#include "server/argument.h"
#include "server/host.h"

/* A question of a call, and what is left out of its answers */
typedef struct EntityQuestion
{
	const Predictor *predictor;
	Question	asked;
	Numbers		known;			/* its answers among the facts, ascending rows */
	Numbers		excluded;		/* ascending rows */
} EntityQuestion;

/* Entities with evidence, with their scores: all without the embedding, beside it those that were added */
typedef struct InferredEntities
{
	ScoredRow  *scored;
	int64		count;
} InferredEntities;

static ScoreParts
parts_of_inferred(const EntityQuestion *question, KgeExactScore *exact, const EvExpected *expected, int32 entity,
				  double evidence)
{
	const Predictor *predictor = question->predictor;
	ScoreParts	parts = {0, evidence};

	if (predictor->kind != EV_BOTH)
		return parts;
	CHECK_FOR_INTERRUPTS();
	parts.phi = kge_exact_score(exact, question_triple(&question->asked, entity), question->asked.side);
	predictor_expect(predictor, expected, entity, &parts);
	return parts;
}

static void
add_scored(InferredEntities *inferred, const EntityQuestion *question, int32 entity, ScoreParts parts)
{
	double		score = predictor_score(question->predictor, question->asked.side, question->asked.relation, parts);

	if (!isnan(score))
		inferred->scored[inferred->count++] = (ScoredRow) {.parts = parts,.score = score,.row = entity};
}

/* They are excluded from then on. */
static InferredEntities
find_inferred(EntityQuestion *question)
{
	const Predictor *predictor = question->predictor;
	Numbers    *excluded = &question->excluded;
	int32		first = ev_uses_embedding(predictor->kind) ? predictor->kge.entities : 0;
	int64		known = excluded->count;
	InferredEntities inferred = {0};
	EvCandidates all;
	EvExpected	expected;
	KgeExactScore exact = predictor_exact_score(predictor);

	if (predictor->kind == EV_EMBEDDING || first == predictor_entities(predictor))
		return inferred;
	all.count = ev_answer(predictor->answering, predictor->kind, question->asked, hkg_leader(), POOL_LEADER, &all.candidate);
	expected = predictor_expected(predictor, question->asked.side, question->asked.given, question->asked.relation, all);
	inferred.scored = array_new(ScoredRow, Min(all.count, predictor_entities(predictor) - first));
	for (int64 i = 0; i < all.count; i++)
	{
		int32		entity = all.candidate[i].entity;
		double		evidence;

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (entity < first || has_int32(excluded->value, 0, known, entity))
			continue;
		numbers_append(excluded, entity);
		evidence = evidence_of_candidate(predictor->evidence, predictor->kind, question->asked.relation, question->asked.side,
										 &all.candidate[i]);
		add_scored(&inferred, question, entity, parts_of_inferred(question, &exact, &expected, entity, evidence));
	}
	if (excluded->count > known)
		rows_sort(excluded);
	return inferred;
}

/* Whether an entity is an answer among the facts. */
static bool
is_known(const EntityQuestion *question, int32 row)
{
	return has_int32(question->known.value, 0, question->known.count, row);
}

/* What calibration looks at beside a candidate, of the best ones: facts among them do not count. */
static EvQuestionScores
question_scores(const EntityQuestion *question, const ScoredRow *scored, int64 count)
{
	EvQuestionScores scores = {.known = question->known.count};

	for (int64 i = 0; i < count && scores.shown < EV_SHOWN; i++)
		if (!is_known(question, scored[i].row))
			predictor_show(question->predictor, question->asked.side, question->asked.relation, &scores, scored[i].score);
	return scores;
}

/* Scores the added entities that are not excluded; returns how many. */
static int64
score_added(const EntityQuestion *question, ScoredRow *scored)
{
	const Predictor *predictor = question->predictor;
	const KgeModel *kge = &predictor->kge;
	const Numbers *excluded = &question->excluded;
	KgeExactScore exact = predictor_exact_score(predictor);
	int64		next = lower_bound_int32(excluded->value, 0, excluded->count, kge->entities);
	int64		count = 0;

	for (int32 row = kge->entities; row < kge->entities + kge->added; row++)
	{
		ScoreParts	parts = {0};
		double		score;

		CHECK_FOR_INTERRUPTS();
		if (next < excluded->count && excluded->value[next] == row)
		{
			next++;
			continue;
		}
		parts.phi = kge_exact_score(&exact, question_triple(&question->asked, row), question->asked.side);
		score = predictor_score(predictor, question->asked.side, question->asked.relation, parts);
		if (!isnan(score))
			scored[count++] = (ScoredRow) {.parts = parts,.score = score,.row = row};
	}
	return count;
}

/* The best answers by the embedding, with what evidence adds; returns how many. */
static int64
score_entities(const EntityQuestion *question, Arena *arena, int64 wanted, KgeAnswer *answer)
{
	const Predictor *predictor = question->predictor;
	const KgeModel *kge = &predictor->kge;
	Pool	   *pool = model_pool(kge);
	Question	asked = question->asked;
	EvAdjuster	adjuster;
	KgeAdjustment adjustment;

	asked.excluded = question->excluded.value;
	asked.excluded_count = lower_bound_int32(question->excluded.value, 0, question->excluded.count, kge->entities);
	if (predictor->kind == EV_BOTH)
		adjustment = evidence_adjustment_of_one(predictor->evidence, pool_threads(pool), predictor->answering, &adjuster);
	return kge_top(arena, pool, kge, predictor->model->sketch, asked, predictor->kind == EV_BOTH ? &adjustment : NULL,
				   wanted, answer);
}

/* The best k of these, of those with evidence, and of those that were added */
static void
merge_answers(const EntityQuestion *question, const InferredEntities *inferred, const KgeAnswer *answer, int64 answers,
			  int k, FoundRows *found)
{
	const Predictor *predictor = question->predictor;
	int64		all = inferred->count;
	ScoredRow  *scored = array_new(ScoredRow, all + answers + predictor->kge.added);
	EvQuestionScores scores;

	if (all > 0)
		memcpy(scored, inferred->scored, all * sizeof(ScoredRow));
	for (int64 i = 0; i < answers; i++)
	{
		ScoreParts	parts = {answer[i].phi, answer[i].addition};

		scored[all++] = (ScoredRow) {.parts = parts,.row = answer[i].row,
		.score = predictor_score(predictor, question->asked.side, question->asked.relation, parts)};
	}
	if (ev_uses_embedding(predictor->kind))
		all += score_added(question, scored + all);
	found_rows_take(found, scored, all, scored_row_compare);
	scores = question_scores(question, scored, found->count);
	found->count = Min(found->count, k);
	for (int64 i = 0; i < found->count; i++)
	{
		EvJudged	judged = scored_row_judged(&scored[i], scores);

		CHECK_FOR_INTERRUPTS();
		/* a fact is judged as if it were none */
		judged.question.known -= is_known(question, scored[i].row);
		found->probability[i] = predictor_probability(predictor, question->asked.side, question->asked.relation, judged);
	}
}

/* Adds a row that is not among these, which ascend. */
static void
exclude_row(Numbers *excluded, int32 row)
{
	int64		place = lower_bound_int32(excluded->value, 0, excluded->count, row);

	numbers_append(excluded, row);
	memmove(excluded->value + place + 1, excluded->value + place, (excluded->count - 1 - place) * sizeof(int32));
	excluded->value[place] = row;
}

static Numbers
known_answers(const Graph *graph, const RowNumbering *numbering, const EntityQuestion *question)
{
	bool		tails = question->asked.side == SIDE_TAIL;

	return rows_known(graph, numbering, tails ? "tail" : "head",
					  tails ? "head" : "tail", row_id(numbering, question->asked.given),
					  "relation", question->predictor->model->relation_id[question->asked.relation]);
}

/* Known answers, unless they are wanted, and what is given, but for some relations. */
static Numbers
left_out(Graph *graph, const EntityQuestion *question, bool with_known)
{
	Numbers		excluded = {0};

	for (int64 i = 0; !with_known && i < question->known.count; i++)
		numbers_append(&excluded, question->known.value[i]);
	if (!predictor_is_reflexive(question->predictor, graph, question->asked.relation))
		exclude_row(&excluded, question->asked.given);
	return excluded;
}

static void
predict_entities(Graph *graph, EntityQuestion *question, int k, bool with_known, SqlResult *result)
{
	const Predictor *predictor = question->predictor;
	const RowNumbering numbering = {predictor, true};
	InferredEntities inferred;
	int			wanted;
	int64		answers = 0;
	KgeAnswer  *answer;
	FoundRows	found;

	question->known = known_answers(graph, &numbering, question);
	question->excluded = left_out(graph, question, with_known);
	/* probabilities depend on the first EV_SHOWN, facts left out */
	wanted = (int) Min(Max((int64) k, EV_SHOWN + (with_known ? question->known.count : 0)),
					   predictor_entities(predictor));
	found = found_rows_open(hkg_scratch(false), wanted, sizeof(ScoredRow) + sizeof(KgeAnswer) + sizeof(double), "entities");
	answer = array_new(KgeAnswer, wanted);
	if (ev_uses_embedding(predictor->kind))
		answers = score_entities(question, &found.arena, wanted, answer);
	inferred = find_inferred(question);
	merge_answers(question, &inferred, answer, answers, k, &found);
	found_rows_return(&found, graph, &numbering, result);
}

static Datum
predict_side(FunctionCallInfo fcinfo, Side side)
{
	char	   *first = argument_text(fcinfo, 1, side == SIDE_TAIL ? "head" : "relation");
	char	   *second = argument_text(fcinfo, 2, side == SIDE_TAIL ? "relation" : "tail");
	int			k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	bool		known = DatumGetBool(argument(fcinfo, 5, "known"));
	EvKind		kind = argument_evidence(fcinfo, 6);
	Call		call = call_begin(fcinfo, 4);
	GivenNames	candidates = given_names(fcinfo, 7, "candidates");
	Predictor	predictor;
	EntityQuestion question = {.predictor = &predictor,.asked.side = side};

	predictor = predictor_open(call.graph, call.model, kind);
	question.asked.given = added_entities_row_of_name(predictor.added, call.graph, side == SIDE_TAIL ? first : second);
	question.asked.relation = model_relation_row(predictor.model, call.graph, side == SIDE_TAIL ? second : first);
	if (candidates.given)
		predict_among(fcinfo, &call, &predictor, question.asked, k, known, &candidates);
	else
		predict_entities(call.graph, &question, k, known, call.result);
	return call_end(&call);
}

HKG_FUNCTION(hkg_predict_tails);
Datum
hkg_predict_tails(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, SIDE_TAIL);
}

HKG_FUNCTION(hkg_predict_heads);
Datum
hkg_predict_heads(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, SIDE_HEAD);
}
