/*
 * closed_world.c
 *		What counts as false where the given entity of a question has no known answer, learnt for each relation and side.
 *
 * A rule that infers an answer for an entity without any is wrong, if the facts are complete, or not to be judged, if
 * they are not (partial completeness, PCA).  Standard confidence takes the first for granted, PCA confidence the second.
 * A rule of a body whose entities mostly lack the relation is then worth much less, or as much, as one of a body whose
 * entities have it.  Which is right differs by relation, so true answers that were held out decide: the share of such
 * pairs that counts as false (ev_worth) is that with which they rank best, by rules alone and beside the embedding.
 * It is 1, standard confidence, unless another share is better by more than chance.
 *
 * Looked at are some of the held-out triples of each relation, and the candidates that rules infer.  What no rule infers
 * ranks alike whatever rules are worth.  Candidates of a hub are tens of thousands, and much the same with each share: the
 * score of each is computed once.
 */
#include "examples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sort.h"

#define SHARES 3
#define MOST_OF_RELATION 150	/* triples that are looked at */
#define MOST 1500				/* of all relations */
#define LEAST 20				/* of a relation: fewer decide nothing */
#define LEAST_ERRORS 2			/* standard errors from which on a difference of ranks is not chance */

static const double shares[SHARES] = {1, 0.3, 0};

/* A number for each share */
typedef struct PerShare
{
	double		with[SHARES];
} PerShare;

/* An entity's score for the question of an example */
typedef struct KnownScore
{
	int32_t		example;		/* -1: of none yet */
	float		phi;
} KnownScore;

typedef struct ClosedTask
{
	Pool	   *pool;
	const EvExampleSource *source;
	const EvLearners *learners;
	int64_t		count;
	Triple	   *triple;			/* that are looked at */
	Triple	   *held_out;		/* all, ascending */
	int64_t    *of_relation;	/* by relation: its held-out triples, and how many of them were passed */
	int64_t    *passed;
	double	   *same[SHARES];	/* by key: the share */
	KnownScore *known;			/* by thread, then by entity */
	PerShare   *rank;			/* by example: its reciprocal rank */
	PerShare   *gain;			/* by key: sums of differences from the rank with the first share, */
	PerShare   *squares;		/* and of their squares */
	int64_t    *examples;		/* by key */
} ClosedTask;

static int64_t
most_triples(const EvExampleSource *source)
{
	return source->count < MOST ? source->count : MOST;
}

static size_t
known_scores(const ClosedTask *task, int threads)
{
	const KgeModel *model = task->source->model;

	return (size_t) threads * ((size_t) model->entities + (size_t) model->added);
}

static void
take_closed(ClosedTask *task, Allocation *allocation, EvLearnt *learnt, int threads)
{
	size_t		relations = (size_t) task->source->model->relations;
	size_t		most = (size_t) most_triples(task->source);

	task->triple = TAKE(allocation, Triple, most);
	task->held_out = TAKE(allocation, Triple, (size_t) task->source->count);
	task->of_relation = TAKE(allocation, int64_t, relations);
	task->passed = TAKE(allocation, int64_t, relations);
	for (int s = 0; s < SHARES; s++)
		task->same[s] = TAKE(allocation, double, 2 * relations);
	task->known = TAKE(allocation, KnownScore, known_scores(task, threads));
	task->rank = TAKE(allocation, PerShare, 2 * most);
	task->gain = TAKE(allocation, PerShare, 2 * relations);
	task->squares = TAKE(allocation, PerShare, 2 * relations);
	task->examples = TAKE(allocation, int64_t, 2 * relations);
	learnt->weights.closed = TAKE(allocation, double, 2 * relations);
}

size_t
closed_world_bytes(const EvExampleSource *source, int threads)
{
	ClosedTask	task = {.source = source};
	EvLearnt	learnt;
	Allocation	allocation = {0};

	take_closed(&task, &allocation, &learnt, threads);
	return allocation_bytes(&allocation);
}

/* ---- which triples ------------------------------------------------------------------------ */

/* The largest number of triples of a relation with which those of all are no more than MOST, but at least LEAST. */
static int64_t
most_of_relation(const ClosedTask *task)
{
	for (int64_t most = MOST_OF_RELATION; most >= LEAST; most--)
	{
		int64_t		all = 0;

		for (int32_t r = 0; r < task->source->model->relations; r++)
			all += task->of_relation[r] < most ? task->of_relation[r] : most;
		if (all <= MOST)
			return most;
	}
	return LEAST;
}

/* Takes an even part of each relation's triples, as far as there is room. */
static void
choose_triples(ClosedTask *task)
{
	const EvExampleSource *source = task->source;
	int64_t		most;

	for (int32_t r = 0; r < source->model->relations; r++)
		task->of_relation[r] = task->passed[r] = 0;
	for (int64_t i = 0; i < source->count; i++)
	{
		task->held_out[i] = source->triples[i];
		task->of_relation[source->triples[i].relation]++;
	}
	sort_array(task->pool, POOL_LEADER, task->held_out, source->count, sizeof(Triple), triple_compare);
	most = most_of_relation(task);
	for (int64_t i = 0; i < source->count; i++)
	{
		int32_t		r = source->triples[i].relation;
		int64_t		all = task->of_relation[r];
		int64_t		part = all < most ? all : most;
		int64_t		place = task->passed[r]++;

		if (all >= LEAST && place * part / all != (place + 1) * part / all && task->count < most_triples(source))
			task->triple[task->count++] = source->triples[i];
	}
}

/* ---- ranks ---------------------------------------------------------------------------------- */

static bool
is_true(const ClosedTask *task, const Question *question, int32_t answer)
{
	DirectedAtom atom = asked_atom(question->relation, question->side);
	Triple		triple = question_triple(question, answer);

	return fact_holds(task->source->facts, question->given, atom, answer) ||
		bsearch(&triple, task->held_out, (size_t) task->source->count, sizeof(Triple), triple_compare) != NULL;
}

/* For the question of an example, which the thread's scorer was prepared for */
static float
score_of(const ClosedTask *task, int64_t example, int32_t entity, int thread)
{
	KnownScore *known = &task->known[known_scores(task, thread) + (size_t) entity];

	if (known->example != (int32_t) example)
		*known = (KnownScore) {(int32_t) example, kge_scorer_score(task->learners->scorer[thread], 0, entity)};
	return known->phi;
}

/*
 * The mean reciprocal rank of an answer among candidates, by evidence, and by score and evidence; of equals, half.
 * Discount and weight are the usual ones: they are learnt after this.
 */
static double
rank_among(const ClosedTask *task, int64_t example, const Question *question, EvCandidates candidates,
		   const EvCandidate *answer, int thread)
{
	double		evidence = ev_evidence(answer, EV_USUAL_DISCOUNT);
	double		score = score_of(task, example, answer->entity, thread) + EV_USUAL_WEIGHT * evidence;
	double		by_evidence = 1;
	double		by_both = 1;

	for (int64_t i = 0; i < candidates.count; i++)
	{
		const EvCandidate *candidate = &candidates.candidate[i];
		double		other = ev_evidence(candidate, EV_USUAL_DISCOUNT);
		double		both = score_of(task, example, candidate->entity, thread) + EV_USUAL_WEIGHT * other;

		pool_yield_at(task->pool, thread, i);
		if ((other < evidence && both < score) || is_true(task, question, candidate->entity))
			continue;
		by_evidence += other > evidence ? 1 : other == evidence ? 0.5 : 0;
		by_both += both > score ? 1 : both == score ? 0.5 : 0;
	}
	return (1 / by_evidence + 1 / by_both) / 2;
}

/* Item: an example, with each share.  Where no rule infers the answer, no share changes anything. */
static void
rank_example(void *argument, int64_t item, int thread)
{
	ClosedTask *task = argument;
	EvAnswering *answering = task->learners->answering[thread];
	const Triple *triple = &task->triple[item / 2];
	Side		side = (Side) (item % 2);
	Question	question = {.side = side,.relation = triple->relation,.given = triple_given(triple, side)};
	int32_t		due = example_answer(task->triple, item);

	kge_scorer_prepare(task->learners->scorer[thread], &question, 1);
	for (int s = 0; s < SHARES; s++)
	{
		EvCandidates candidates;
		const EvCandidate *answer;

		ev_answering_weigh(answering, task->same[s]);
		candidates.count = ev_answer(answering, EV_RULES, question, task->pool, thread, &candidates.candidate);
		answer = ev_candidate(answering, due);
		task->rank[item].with[s] = answer == NULL || !isfinite(score_of(task, item, due, thread)) ? 0 :
			rank_among(task, item, &question, candidates, answer, thread);
		pool_yield(task->pool, thread);
	}
}

/* ---- the choice ------------------------------------------------------------------------------- */

static void
add_gains(ClosedTask *task)
{
	for (int64_t i = 0; i < 2 * task->count; i++)
	{
		int32_t		key = 2 * task->triple[i / 2].relation + (int32_t) (i % 2);

		task->examples[key]++;
		for (int s = 1; s < SHARES; s++)
		{
			double		gain = task->rank[i].with[s] - task->rank[i].with[0];

			task->gain[key].with[s] += gain;
			task->squares[key].with[s] += gain * gain;
		}
	}
}

static double
best_share(const ClosedTask *task, int64_t key)
{
	const double *gain = task->gain[key].with;
	int			best = 0;

	for (int s = 1; s < SHARES && task->examples[key] >= LEAST; s++)
		if (gain[s] > LEAST_ERRORS * sqrt(task->squares[key].with[s]) && gain[s] > gain[best])
			best = s;
	return shares[best];
}

bool
closed_world_fit(Arena *arena, Pool *pool, const EvExampleSource *source, const EvLearners *learners, EvLearnt *learnt)
{
	ClosedTask	task = {.pool = pool,.source = source,.learners = learners};
	int32_t		keys = 2 * source->model->relations;
	Allocation	allocation = {0};

	take_closed(&task, &allocation, learnt, pool_threads(pool));
	if (!allocation_open(&allocation, arena))
		return false;
	take_closed(&task, &allocation, learnt, pool_threads(pool));
	for (int32_t key = 0; key < keys; key++)
	{
		task.examples[key] = 0;
		for (int s = 0; s < SHARES; s++)
		{
			task.same[s][key] = shares[s];
			task.gain[key].with[s] = task.squares[key].with[s] = 0;
		}
	}
	memset(task.known, -1, known_scores(&task, pool_threads(pool)) * sizeof(KnownScore));
	choose_triples(&task);
	pool_run(pool, 2 * task.count, rank_example, &task);
	add_gains(&task);
	for (int32_t key = 0; key < keys; key++)
		learnt->weights.closed[key] = best_share(&task, key);
	return true;
}
