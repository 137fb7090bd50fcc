/*
 * test_screen.c
 *		The screen loses no question whose best answer is listed, however late (screen.h).
 *
 * Each question's best candidates are listed, the very best one last, with an addition that nothing else reaches.  So a
 * question stays if and only if the last one that is listed is scored, though the best so far are nearly as good.
 * The same without lists, of candidates whose lengths differ much, so that most are too short for most questions.
 * That sketches do not exclude too much is tested where their bounds are tight (test_sketch.c).
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "kge/score/engine.h"
#include "kge/search/screen.h"

#define ENTITIES 600
#define QUESTIONS 100
#define LISTED	30				/* of each question; more than a judge looks at */
#define SHOWN	10				/* that it looks at */
#define ADDITION 50

typedef struct Ranked
{
	double		phi;
	int32_t		entity;
} Ranked;

typedef struct Lists
{
	KgeAddition addition[QUESTIONS][LISTED];	/* by given entity */
	double		best[QUESTIONS];	/* score */
} Lists;

static int
compare_ranked(const void *a, const void *b)
{
	const Ranked *left = a;
	const Ranked *right = b;

	return (left->phi > right->phi) - (left->phi < right->phi);
}

/* The candidates of highest phi, which ascends */
static void
list_best(const KgeModel *model, int32_t given, Lists *lists)
{
	Ranked		ranked[ENTITIES];

	for (int32_t i = 0; i < ENTITIES; i++)
	{
		Triple		triple = {given, 0, i};

		ranked[i] = (Ranked) {i == given ? -INFINITY : kge_score(model, kge_asked(model, triple, SIDE_TAIL)), i};
	}
	qsort(ranked, ENTITIES, sizeof(Ranked), compare_ranked);
	for (int i = 0; i < LISTED; i++)
		lists->addition[given][i] = (KgeAddition) {ranked[ENTITIES - LISTED + i].entity, ADDITION};
	lists->best[given] = ranked[ENTITIES - 1].phi + ADDITION;
}

static int64_t
list(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	Lists	   *lists = argument;

	*additions = lists->addition[question->given];
	return LISTED;
}

/* The best score is above the one that is needed by `probability` - 1/2, so that the screen has a probability over 0. */
static double
needed(void *argument, const QuestionList *asked, const Question *question, double probability, double last)
{
	const Lists *lists = argument;

	return lists->best[question->given] - (probability - 0.5);
}

/* How many questions stay where each needs that much less than its best has. */
static int64_t
staying(const KgeModel *model, Lists *lists, bool listed, double less)
{
	KgeAdjustment lists_best = {.list = list,.argument = lists};
	KgeJudge	judge = {.argument = lists,.needed = needed,.least = SHOWN};
	Question	question[QUESTIONS];
	QuestionList asked = {.side = SIDE_TAIL,.question = question,.count = QUESTIONS};
	int64_t		number[QUESTIONS];
	Pool	   *pool = pool_create(1, NULL, NULL);
	const KgeSketch *sketch = kge_sketch(&arena, pool, model);
	Allocation	allocation = {0};
	KgeScreen  *screen;
	int64_t		stay;

	for (int i = 0; i < QUESTIONS; i++)
	{
		question[i] = question_of(SIDE_TAIL, i, 0);
		number[i] = i;
	}
	kge_screen_take(&screen, &allocation, model, sketch, 1, QUESTIONS);
	CHECK(allocation_open(&allocation, &arena));
	kge_screen_take(&screen, &allocation, model, sketch, 1, QUESTIONS);
	stay = kge_screen_questions(screen, pool, listed ? &lists_best : NULL, judge, &asked, 0.5 + less, number, QUESTIONS);
	pool_destroy(pool);
	return stay;
}

static void
test_variant(Variant variant)
{
	KgeModel	model = random_model(variant, 20, ENTITIES, 1, 0.3);
	Lists		lists;
	int64_t		stay;

	for (int32_t i = 0; i < QUESTIONS; i++)
		list_best(&model, i, &lists);
	stay = staying(&model, &lists, true, 1e-9);
	CHECK_SAYING(stay == QUESTIONS, "%s norm %d: %d questions are lost", model.function->name, model.norm, (int) (QUESTIONS - stay));
	stay = staying(&model, &lists, true, -0.1);
	CHECK_SAYING(stay == 0, "%s norm %d: %d questions stay", model.function->name, model.norm, (int) stay);
}

/* Gives each question a candidate that its query points to, so that a dot product is the product of the lengths. */
static void
point_to_answers(KgeModel *model, int width)
{
	for (int32_t i = 0; i < QUESTIONS; i++)
	{
		KgeQuery	asked = kge_query(model, (Triple) {i, 0, 0}, SIDE_TAIL);
		float	   *row = model->entity + (size_t) (ENTITIES - 1 - i) * width;
		double		norm;

		kge_make_queries(model, &asked, 1, row, width);
		norm = kge_norm(width, row);
		for (int j = 0; j < width; j++)
			row[j] *= (float) ((5 + i / 100.0) / norm);
	}
}

static void
test_lengths(Variant variant)
{
	KgeModel	model = random_model(variant, 20, ENTITIES, 1, 0.1);
	int			width = kge_engine(&model).width;
	Lists		lists;
	int64_t		stay;

	for (int i = 0; i < ENTITIES; i++)
	{
		double		length = exp(next_uniform(-3, 2));

		for (int j = 0; j < width; j++)
			model.entity[i * width + j] *= (float) length;
	}
	if (kge_engine(&model).similarity == KGE_DOT)
		point_to_answers(&model, width);
	for (int32_t i = 0; i < QUESTIONS; i++)
	{
		list_best(&model, i, &lists);
		lists.best[i] -= ADDITION;
	}
	/* what is needed is rounded by 1e-9 of itself */
	stay = staying(&model, &lists, false, 1e-7);
	CHECK_SAYING(stay == QUESTIONS, "%s norm %d: %d questions are lost", model.function->name, model.norm, (int) (QUESTIONS - stay));
	stay = staying(&model, &lists, false, -0.01);
	CHECK_SAYING(stay == 0, "%s norm %d: %d questions stay", model.function->name, model.norm, (int) stay);
}

void
test_screen(void)
{
	for (int i = 0; i < variant_count; i++)
	{
		test_variant(variants[i]);
		test_lengths(variants[i]);
	}
}
