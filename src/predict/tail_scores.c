/*
 * tail_scores.c
 *		The scores of triples that were found as answers, whichever side was asked for.
 *
 * An answer to (?, relation, tail) has another score as one to (head, relation, ?).  So the questions for tails are asked,
 * each once, one a thread: with a path network that takes longer than all else.
 */
#include "tail_scores.h"

#include "miscadmin.h"

#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"

typedef struct TailScores
{
	const Predictor *predictor;
	EvAdjuster *adjuster;
	Pool	   *pool;
	const KgeScored *found;
	const KgeScored **asked;	/* answers for heads, by relation and head */
	int64	   *first;			/* of each question, its answers in `asked`; and the end */
	double	   *evidence;		/* by place in `found` */
} TailScores;

uint64
tail_scores_bytes(int64 count)
{
	return count * (2 * sizeof(double) + sizeof(KgeScored *) + sizeof(int64));
}

static int
compare_triples(const void *a, const void *b)
{
	return triple_compare(&(*(const KgeScored *const *) a)->triple, &(*(const KgeScored *const *) b)->triple);
}

/* Item: a question. */
static void
ask_question(void *argument, int64_t item, int thread)
{
	const TailScores *scores = argument;
	const EvAdjuster *adjuster = scores->adjuster;
	EvAnswering *answering = adjuster->answering[thread];
	Triple		first = scores->asked[scores->first[item]]->triple;
	const EvCandidate *candidates;

	ev_answer(answering, adjuster->kind, SIDE_TAIL, first.head, first.relation, scores->pool, thread, &candidates);
	for (int64_t i = scores->first[item]; i < scores->first[item + 1]; i++)
	{
		const EvCandidate *candidate = ev_candidate(answering, scores->asked[i]->triple.tail);

		scores->evidence[scores->asked[i] - scores->found] = candidate == NULL ? 0 :
			ev_evidence_by(&adjuster->weights, adjuster->kind, 2 * first.relation + SIDE_TAIL, candidate);
	}
}

/* Sorts the answers for heads; returns how many questions for tails they are. */
static int64
list_questions(TailScores *scores, int64 count)
{
	int64		asked = 0;
	int64		questions = 0;

	for (int64 i = 0; i < count; i++)
		if (scores->found[i].side == SIDE_HEAD)
			scores->asked[asked++] = &scores->found[i];
	sort_array(scores->pool, POOL_LEADER, scores->asked, asked, sizeof(KgeScored *), compare_triples);
	for (int64 i = 0; i < asked; i++)
	{
		const Triple *triple = &scores->asked[i]->triple;
		const Triple *before = i == 0 ? NULL : &scores->asked[i - 1]->triple;

		if (before == NULL || before->relation != triple->relation || before->head != triple->head)
			scores->first[questions++] = i;
	}
	scores->first[questions] = asked;
	return questions;
}

/* What is expected of a new entity depends on the other answers. */
static double
score_of(const TailScores *scores, const KgeScored *found)
{
	const Predictor *predictor = scores->predictor;
	ScoreParts	parts = {0, scores->evidence[found - scores->found]};

	if (found->side == SIDE_TAIL)
		return found->score;
	if (found->triple.tail >= predictor->kge.entities)
		parts = predictor_parts(predictor, found->triple);
	else if (ev_uses_embedding(predictor->kind))
		parts.phi = kge_score(&predictor->kge, found->triple);
	return predictor_score(predictor, SIDE_TAIL, found->triple.relation, parts);
}

double *
tail_scores(const Predictor *predictor, Scoring *scoring, Pool *pool, const KgeScored *found, int64 count)
{
	TailScores	scores = {.predictor = predictor,.adjuster = &scoring->adjuster,.pool = pool,.found = found};
	double	   *score = array_new(double, count);

	scores.evidence = array_new_zero(double, count);
	scores.asked = array_new(const KgeScored *, count);
	scores.first = array_new(int64, count + 1);
	if (predictor->kind != EV_EMBEDDING)
		pool_run(pool, list_questions(&scores, count), ask_question, &scores);
	for (int64 i = 0; i < count; i++)
	{
		score[i] = score_of(&scores, &found[i]);
		CHECK_FOR_INTERRUPTS();
	}
	return score;
}
