/*
 * chosen.c
 *		Some entities as the only candidates of a search.
 *
 * Their rows are copied, so that a search over a few of many is one over few: blocks, sketches and screens work as they
 * do over all.  Scores have the same bits, because the rows have.
 */
#include <string.h>

#include "core/allocation.h"
#include "kge/score/score_function.h"
#include "kge/top.h"

/* What translates an adjustment */
typedef struct ChosenAdjustment
{
	KgeAdjustment adjustment;
	KgeAdjustment quick;
	const KgeAdjustment *all;
	const KgeChosen *chosen;
	KgeAddition **addition;		/* by thread, room for all that are chosen */
} ChosenAdjustment;

typedef struct ChosenParts
{
	KgeChosen	chosen;
	ChosenAdjustment adjustment;
	AnswerSet  *answers;		/* of the chosen rows, by 2 * relation + side */
	uint64_t   *answer_bit;		/* of each of these, one after the other */
} ChosenParts;

/* Those that are chosen of what an adjustment lists; returns how many. */
static int64_t
keep_chosen(const ChosenAdjustment *adjustment, const KgeAdjustment *listing, const Question *question, Pool *pool,
			int thread, const KgeAddition **additions)
{
	const KgeChosen *chosen = adjustment->chosen;
	Question	asked = question_of(question->side, chosen->entity[question->given], question->relation);
	KgeAddition *addition = adjustment->addition[thread];
	const KgeAddition *all;
	int64_t		count = listing->list(listing->argument, &asked, pool, thread, &all);
	int64_t		listed = 0;

	for (int64_t i = 0; i < count; i++)
		if (chosen->row[all[i].entity] >= 0)
			addition[listed++] = (KgeAddition) {chosen->row[all[i].entity], all[i].addition};
	*additions = addition;
	return listed;
}

/* KgeAdjustment's callbacks */
static int64_t
list_chosen(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	const ChosenAdjustment *adjustment = argument;

	return keep_chosen(adjustment, adjustment->all, question, pool, thread, additions);
}

static int64_t
list_quickly(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	const ChosenAdjustment *adjustment = argument;

	return keep_chosen(adjustment, adjustment->all->quick, question, pool, thread, additions);
}

static double
add_more(void *argument, Side side, int32_t relation)
{
	const KgeAdjustment *all = ((const ChosenAdjustment *) argument)->all;

	return all->more(all->argument, side, relation);
}

static ChosenParts *
take_parts(ChosenParts *parts, const KgeModel *model, int threads, Allocation *allocation)
{
	KgeChosen  *chosen = &parts->chosen;
	size_t		count = (size_t) chosen->count;
	size_t		entities = (size_t) model->entities;

	chosen->model.entity = TAKE(allocation, float, count * (size_t) kge_model_width(model));
	chosen->model.added_row = TAKE(allocation, float *, entities);
	chosen->entity = TAKE(allocation, int32_t, count + entities);
	chosen->row = TAKE(allocation, int32_t, entities);
	if (model->answers != NULL)
	{
		parts->answers = TAKE(allocation, AnswerSet, 2 * (size_t) model->relations);
		parts->answer_bit = TAKE(allocation, uint64_t, 2 * (size_t) model->relations * (count / 64 + 1));
	}
	if (parts->adjustment.all != NULL)
		parts->adjustment.addition = TAKE(allocation, KgeAddition *, (size_t) threads);
	for (int i = 0; parts->adjustment.all != NULL && i < threads; i++)
	{
		KgeAddition *addition = TAKE(allocation, KgeAddition, count);

		if (parts->adjustment.addition != NULL)
			parts->adjustment.addition[i] = addition;
	}
	return TAKE(allocation, ChosenParts, 1);
}

static void
fill_rows(KgeChosen *chosen, Pool *pool, const KgeModel *model, const int32_t *entity)
{
	size_t		width = (size_t) kge_model_width(model);

	for (int32_t i = 0; i < model->entities; i++)
	{
		chosen->row[i] = -1;
		chosen->entity[chosen->count + i] = i;
		chosen->model.added_row[i] = model->entity + (size_t) i * width;
		pool_yield_at(pool, POOL_LEADER, i);
	}
	for (int32_t i = 0; i < chosen->count; i++)
	{
		chosen->entity[i] = entity[i];
		chosen->row[entity[i]] = i;
		memcpy(chosen->model.entity + (size_t) i * width, model->entity + (size_t) entity[i] * width,
			   width * sizeof(float));
		pool_yield_at(pool, POOL_LEADER, i);
	}
	chosen->model.entities = chosen->count;
	chosen->model.added = model->entities;
}

/* Which of the chosen may answer: rows of another type are no candidates here, either. */
static void
fill_answers(ChosenParts *parts, Pool *pool, const KgeModel *model)
{
	KgeChosen  *chosen = &parts->chosen;
	int32_t		words = chosen->count / 64 + 1;

	for (int32_t key = 0; model->answers != NULL && key < 2 * model->relations; key++)
	{
		AnswerSet  *set = &parts->answers[key];
		uint64_t   *bit = parts->answer_bit + (size_t) key * (size_t) words;

		*set = (AnswerSet) {model->answers[key].bit == NULL ? NULL : bit, chosen->count};
		if (set->bit == NULL)
			continue;
		set->count = 0;
		for (int32_t i = 0; i < words; i++)
			bit[i] = 0;
		for (int32_t i = 0; i < chosen->count; i++)
		{
			bool		allowed = answer_is_allowed(model->answers, key / 2, (Side) (key % 2), chosen->entity[i]);

			bit[i / 64] |= (uint64_t) allowed << i % 64;
			set->count += allowed;
			pool_yield_at(pool, POOL_LEADER, i);
		}
	}
	chosen->model.answers = parts->answers;
}

KgeChosen *
kge_chosen(Arena *arena, Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment, const int32_t *chosen,
		   int32_t count)
{
	ChosenParts parts = {.chosen = {.model = *model,.count = count},.adjustment.all = adjustment};
	ChosenParts *taken;
	Allocation	allocation = {0};

	take_parts(&parts, model, pool_threads(pool), &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	taken = take_parts(&parts, model, pool_threads(pool), &allocation);
	fill_rows(&parts.chosen, pool, model, chosen);
	fill_answers(&parts, pool, model);
	*taken = parts;
	if (adjustment != NULL)
	{
		taken->adjustment.chosen = &taken->chosen;
		taken->adjustment.adjustment = (KgeAdjustment) {.list = list_chosen,.argument = &taken->adjustment,
			.weight = adjustment->weight,.scale = adjustment->scale};
		if (adjustment->quick != NULL)
		{
			taken->adjustment.quick = taken->adjustment.adjustment;
			taken->adjustment.quick.list = list_quickly;
			taken->adjustment.adjustment.quick = &taken->adjustment.quick;
			taken->adjustment.adjustment.more = add_more;
		}
		taken->chosen.adjustment = &taken->adjustment.adjustment;
	}
	return &taken->chosen;
}
