/*
 * side_scores.c
 *		The scores of triples that were found as answers, as answers on a side.
 *
 * An answer to (?, relation, tail) has another score as one to (head, relation, ?).  So the questions for the other
 * side are asked, each once, one a thread: with a path network that takes longer than all else.
 */
#include "side_scores.h"

#include "miscadmin.h"

#include "core/sort.h"
#include "server/growing_array.h"

typedef struct SideScores
{
	const Predictor *predictor;
	EvAdjuster *adjuster;
	Pool	   *pool;
	Side		side;
	const KgeScored *found;
	const KgeScored **asked;	/* answers for the other side, by relation and what is given on this one */
	int64	   *first;			/* of each question, its answers in `asked`; and the end */
	double	   *evidence;		/* by place in `found` */
	KgeExactScore exact;
} SideScores;

static int
compare_triples(const void *a, const void *b)
{
	return triple_compare(&(*(const KgeScored *const *) a)->triple, &(*(const KgeScored *const *) b)->triple);
}

/* By relation, tail, head */
static int
compare_turned(const void *a, const void *b)
{
	Triple		left = (*(const KgeScored *const *) a)->triple;
	Triple		right = (*(const KgeScored *const *) b)->triple;

	return triple_compare(&(Triple) {left.tail, left.relation, left.head},
						  &(Triple) {right.tail, right.relation, right.head});
}

/* Item: a question. */
static void
ask_question(void *argument, int64_t item, int thread)
{
	const SideScores *scores = argument;
	const EvAdjuster *adjuster = scores->adjuster;
	EvAnswering *answering = adjuster->answering[thread];
	Side		side = scores->side;
	const Triple *first = &scores->asked[scores->first[item]]->triple;
	const EvCandidate *candidates;

	ev_answer(answering, adjuster->kind, question_of(side, triple_given(first, side), first->relation),
			  scores->pool, thread, &candidates);
	for (int64_t i = scores->first[item]; i < scores->first[item + 1]; i++)
	{
		const EvCandidate *candidate = ev_candidate(answering, triple_answer(&scores->asked[i]->triple, side));

		scores->evidence[scores->asked[i] - scores->found] = candidate == NULL ? 0 :
			ev_evidence_by(&adjuster->weights, adjuster->kind, 2 * first->relation + (int32) side, candidate);
	}
}

/* Sorts the answers for the other side; returns how many questions for this one they are. */
static int64
list_questions(SideScores *scores, int64 count)
{
	int64		asked = 0;
	int64		questions = 0;

	for (int64 i = 0; i < count; i++)
		if (scores->found[i].side != scores->side)
			scores->asked[asked++] = &scores->found[i];
	sort_array(scores->pool, POOL_LEADER, scores->asked, asked, sizeof(KgeScored *),
			   scores->side == SIDE_TAIL ? compare_triples : compare_turned);
	for (int64 i = 0; i < asked; i++)
	{
		const Triple *triple = &scores->asked[i]->triple;
		const Triple *before = i == 0 ? NULL : &scores->asked[i - 1]->triple;

		if (before == NULL || before->relation != triple->relation ||
			triple_given(before, scores->side) != triple_given(triple, scores->side))
			scores->first[questions++] = i;
	}
	scores->first[questions] = asked;
	return questions;
}

/* What is expected of a new entity depends on the other answers. */
static ScoreParts
parts_of(SideScores *scores, const KgeScored *found)
{
	const Predictor *predictor = scores->predictor;
	ScoreParts	parts = {0, scores->evidence[found - scores->found]};

	if (found->side == scores->side)
		return (ScoreParts) {found->phi, found->addition};
	if (ev_uses_embedding(predictor->kind))
		parts.phi = kge_exact_score(&scores->exact, found->triple, scores->side);
	if (triple_answer(&found->triple, scores->side) >= predictor->kge.entities)
		return predictor_parts_on(predictor, scores->side, found->triple, parts.phi);
	return parts;
}

ScoreParts *
side_parts(const Predictor *predictor, Scoring *scoring, Pool *pool, const KgeScored *found, int64 count, Side side)
{
	SideScores	scores = {.predictor = predictor,.adjuster = &scoring->adjuster,.pool = pool,.side = side,
		.found = found};
	ScoreParts *parts = array_new(ScoreParts, count);

	scores.exact = predictor_exact_score(predictor);
	scores.evidence = array_new_zero(double, count);
	scores.asked = array_new(const KgeScored *, count);
	scores.first = array_new(int64, count + 1);
	if (predictor->kind != EV_EMBEDDING)
		pool_run(pool, list_questions(&scores, count), ask_question, &scores);
	for (int64 i = 0; i < count; i++)
	{
		parts[i] = parts_of(&scores, &found[i]);
		CHECK_FOR_INTERRUPTS();
	}
	pfree(scores.evidence);
	pfree(scores.asked);
	pfree(scores.first);
	return parts;
}

double *
tail_scores(const Predictor *predictor, Scoring *scoring, Pool *pool, const KgeScored *found, int64 count)
{
	ScoreParts *parts = side_parts(predictor, scoring, pool, found, count, SIDE_TAIL);
	double	   *score = array_new(double, count);

	for (int64 i = 0; i < count; i++)
		score[i] = found[i].side == SIDE_TAIL ? found[i].score :
			predictor_score(predictor, SIDE_TAIL, found[i].triple.relation, parts[i]);
	pfree(parts);
	return score;
}
