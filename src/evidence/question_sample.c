/*
 * question_sample.c
 *		Questions drawn from those that users ask, most of which no held-out triple answers.
 *
 * For each relation with held-out triples, entities are taken at equal distances from its domains (question_domain.c),
 * in turn of those with facts and of those without.  So both kinds are well represented, whichever is the larger; what
 * each question stands for makes up for it.
 */
#include "examples.h"

typedef struct SampleTask
{
	QuestionSample *sample;
	EvDomainFinder *finder;
	Pool	   *pool;
	const Triple *triples;
	int64_t		count;
	int32_t		relations;
} SampleTask;

int64_t
question_sample_most(int64_t triples, int32_t relations, int64_t more)
{
	return triples + more * (triples < relations ? triples : relations);
}

void
question_sample_take(QuestionSample *sample, Allocation *allocation, int64_t triples, int32_t relations)
{
	sample->triple = TAKE(allocation, Triple, (size_t) question_sample_most(triples, relations, sample->more));
	sample->holders = TAKE(allocation, int64_t, 2 * (size_t) relations);
	sample->alike = TAKE(allocation, int64_t, 2 * (size_t) relations);
	sample->asked = TAKE(allocation, bool, 2 * (size_t) triples);
	sample->first = TAKE(allocation, int64_t, (size_t) relations + 1);
	sample->number = TAKE(allocation, int64_t, (size_t) triples);
}

/*
 * Notes the domain of a relation's questions for answers on a side, and whether its held-out triples pose such ones.
 * Where the relation has no facts, no domain can be found, and what is held out is all there is to go by.
 */
static EvDomain
note_domain(SampleTask *task, int32_t relation, Side side, int thread)
{
	QuestionSample *sample = task->sample;
	DirectedAtom atom = asked_atom(relation, side);
	EvDomain	domain = ev_domain(task->finder, atom, task->pool, thread);

	sample->holders[2 * relation + (int32_t) side] = domain.holders;
	sample->alike[2 * relation + (int32_t) side] = domain.alike;
	for (int64_t i = sample->first[relation]; i < sample->first[relation + 1]; i++)
	{
		int64_t		number = sample->number[i];
		const Triple *triple = &task->triples[number];

		sample->asked[2 * number + (int64_t) side] = domain.holders == 0 ||
			ev_in_domain(task->finder, triple_given(triple, side));
	}
	return domain;
}

/* The only item: draws for all relations. */
static void
draw_all(void *argument, int64_t item, int thread)
{
	SampleTask *task = argument;
	QuestionSample *sample = task->sample;

	for (int32_t r = 0; r < task->relations; r++)
	{
		int64_t		held_out = sample->first[r + 1] - sample->first[r];
		int64_t		drawn = held_out + sample->more;
		Triple	   *triple = sample->triple + sample->count;

		sample->holders[2 * r] = sample->holders[2 * r + 1] = 0;
		if (held_out == 0)
			continue;
		for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
		{
			EvDomain	domain = note_domain(task, r, side, thread);

			/* given entities at equal distances, in turn of those with facts and of those without */
			for (int64_t i = 0; i < drawn && domain.holders > 0; i++)
			{
				bool		alike = i % 2 == 1 && domain.alike > 0;
				int64_t		length = alike ? domain.alike : domain.holders;
				int64_t		place = (int64_t) (((double) (i / 2) + 0.5) * (double) length / (double) ((drawn + 1) / 2));

				*(side == SIDE_HEAD ? &triple[i].tail : &triple[i].head) =
					domain.entity[alike ? domain.holders + place : place];
			}
		}
		if (sample->holders[2 * r] == 0)
			continue;
		for (int64_t i = 0; i < drawn; i++)
			triple[i].relation = r;
		sample->count += drawn;
	}
}

void
question_sample_draw(QuestionSample *sample, EvDomainFinder *finder, Pool *pool,
					 const Triple *triples, int64_t count, int32_t relations)
{
	SampleTask	task = {sample, finder, pool, triples, count, relations};
	int64_t    *first = sample->first;

	/* the numbers of the held-out triples, by relation */
	for (int32_t r = 0; r <= relations; r++)
		first[r] = 0;
	for (int64_t i = 0; i < count; i++)
		first[triples[i].relation]++;
	for (int32_t r = 0; r < relations; r++)
		first[r + 1] += first[r];
	for (int64_t i = count - 1; i >= 0; i--)
		sample->number[--first[triples[i].relation]] = i;
	sample->count = 0;
	pool_run(pool, 1, draw_all, &task);
}
