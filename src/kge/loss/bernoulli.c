/*
 * bernoulli.c
 *		Bernoulli negative sampling (Wang et al. 2014): which side is corrupted depends on
 *		the relation.
 *
 * With tph tails per head and hpt heads per tail of a relation, among the epoch's
 * positives, its heads are corrupted with probability tph / (tph + hpt): where a head has
 * many tails, a random tail is more likely to be a true one.  tph is the relation's
 * triples divided by its distinct heads, hpt by its distinct tails, so the probability is
 * tails / (tails + heads), distinct ones.
 */
#include <string.h>

#include "core/pool.h"
#include "core/random.h"
#include "negatives.h"

typedef struct Bernoulli
{
	double	   *head_chance;	/* of each relation */

	/* for counting */
	int32_t    *member;			/* positives, by relation */
	int64_t    *start;			/* of each relation in `member`, and the end */
	int32_t    *seen;			/* of each entity: the relation it was last seen with */
} Bernoulli;

static void *
take(const KgeTrainer *plan, int threads, Allocation *allocation)
{
	Bernoulli  *memory = TAKE(allocation, Bernoulli, 1);
	size_t		relations = (size_t) plan->relation.model->relations;
	Bernoulli	work;

	work.head_chance = TAKE(allocation, double, relations);
	work.member = TAKE(allocation, int32_t, (size_t) plan->max_positives);
	work.start = TAKE(allocation, int64_t, relations + 2);
	work.seen = TAKE(allocation, int32_t, (size_t) plan->entity.rows);
	if (memory != NULL)
		*memory = work;
	return memory;
}

/* Sorts the positives by relation. */
static void
group(const KgeTrainer *trainer, int thread)
{
	Bernoulli  *work = trainer->sampler;
	int32_t		count = (int32_t) trainer->order.count;
	int32_t		relations = trainer->model->relations;
	int64_t    *next = work->start + 1; /* a step ahead: each relation's own start while it fills */

	memset(work->start, 0, ((size_t) relations + 2) * sizeof(int64_t));
	for (int32_t i = 0; i < count; i++)
	{
		next[trainer->positives[i].relation + 1]++;
		pool_yield_at(trainer->pool, thread, i);
	}
	for (int32_t r = 0; r < relations; r++)
		next[r + 1] += next[r];
	for (int32_t i = 0; i < count; i++)
	{
		work->member[next[trainer->positives[i].relation]++] = i;
		pool_yield_at(trainer->pool, thread, i);
	}
}

/* How many distinct entities a relation has on that side. */
static int64_t
count_distinct(const KgeTrainer *trainer, int32_t relation, Side side, int thread)
{
	Bernoulli  *work = trainer->sampler;
	int64_t		distinct = 0;

	for (int64_t i = work->start[relation]; i < work->start[relation + 1]; i++)
	{
		const Triple *positive = &trainer->positives[work->member[i]];
		int32_t		entity = triple_answer(positive, side);

		distinct += work->seen[entity] != relation;
		work->seen[entity] = relation;
		pool_yield_at(trainer->pool, thread, i);
	}
	return distinct;
}

/* The only item. */
static void
count_sides(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	Bernoulli  *work = trainer->sampler;
	int32_t		relations = trainer->model->relations;
	size_t		bytes = (size_t) trainer->model->entities * sizeof(int32_t);

	group(trainer, thread);
	memset(work->seen, -1, bytes);
	for (int32_t r = 0; r < relations; r++)
		work->head_chance[r] = (double) count_distinct(trainer, r, SIDE_HEAD, thread);
	memset(work->seen, -1, bytes);
	for (int32_t r = 0; r < relations; r++)
	{
		double		tails = (double) count_distinct(trainer, r, SIDE_TAIL, thread);

		work->head_chance[r] = tails == 0 ? 0 : tails / (tails + work->head_chance[r]);
	}
}

static void
open(KgeTrainer *trainer)
{
	pool_run(trainer->pool, 1, count_sides, trainer);
}

static Side
side(const KgeTrainer *trainer, Triple positive, int64_t place)
{
	const Bernoulli *work = trainer->sampler;
	uint64_t	stream = random_stream(trainer->training.seed, DRAW_SIDE, trainer->epoch, 0);

	return random_open(random_bits(stream, (uint64_t) place)) <
		work->head_chance[positive.relation] ? SIDE_HEAD : SIDE_TAIL;
}

const KgeSampler kge_sampler_bernoulli = {
	.name = "bernoulli",
	.take = take,
	.open = open,
	.side = side
};
