/*
 * test_top_many.c
 *		The best candidates of many questions against a brute force over all of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define ENTITIES 700
#define RELATIONS 3
#define QUESTIONS 150			/* more than two blocks */

/* ---- a made-up adjustment, of about a third of the answers ------------------------------ */

static double
addition_to(int32_t given, int32_t relation, int32_t entity)
{
	int			mixed = (given * 31 + relation * 17 + entity * 7) % 12;

	return mixed < 4 ? mixed * 0.5 : 0;
}

static int64_t
list_additions(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	KgeAddition *list = (KgeAddition *) argument + thread * ENTITIES;
	int64_t		count = 0;

	for (int i = ENTITIES - 1; i >= 0; i--)
		if (addition_to(question->given, question->relation, i) > 0)
			list[count++] = (KgeAddition) {i, addition_to(question->given, question->relation, i)};
	*additions = list;
	return count;
}

static const double weights[2 * RELATIONS] = {9, 1.5, 0.5, 0, 9, 0.25};
static const double scales[2 * RELATIONS] = {9, 0.5, 2, 1, 9, 3};

/* ---- the brute force -------------------------------------------------------------------- */

static int
compare_answers(const void *a, const void *b)
{
	const KgeAnswer *left = a;
	const KgeAnswer *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

static bool
is_excluded(const Question *question, int32_t entity)
{
	for (int i = 0; i < question->excluded_count; i++)
		if (question->excluded[i] == entity)
			return true;
	return false;
}

static int64_t
all_answers(const KgeModel *model, const KgeAdjustment *adjustment, bool listed, const Question *question,
			KgeAnswer *out)
{
	int			key = 2 * question->relation + question->side;
	int64_t		count = 0;

	for (int32_t e = 0; e < ENTITIES; e++)
	{
		Triple		triple = question->side == SIDE_TAIL ? (Triple) {question->given, question->relation, e} :
			(Triple) {e, question->relation, question->given};
		KgeAnswer	answer = {.row = e};

		answer.phi = listed ? 0 : kge_score(model, kge_asked(model, triple, question->side));
		answer.addition = adjustment == NULL ? 0 : addition_to(question->given, question->relation, e);
		answer.score = adjustment == NULL ? answer.phi :
			adjustment->weight == NULL ? answer.phi + answer.addition :
			scales[key] * (answer.phi + weights[key] * answer.addition);
		if (!isnan(answer.score) && !is_excluded(question, e) && (!listed || answer.addition > 0))
			out[count++] = answer;
	}
	qsort(out, (size_t) count, sizeof(KgeAnswer), compare_answers);
	return count;
}

/* ---- questions and models ------------------------------------------------------------------ */

static const int32_t few[] = {0, 3, 255, 256, 511, 699};

/* Some twice, with different answers that are left out */
static void
draw_questions(Question *question)
{
	for (int i = 0; i < QUESTIONS; i++)
		question[i] = (Question) {i % 3 == 0 ? SIDE_HEAD : SIDE_TAIL, next_below(ENTITIES / 10),
			i % RELATIONS, few, i % 4 == 0 ? 6 : 0};
}

static void
compare(const char *what, const KgeModel *model, const KgeSketch *sketch, const KgeAdjustment *adjustment, bool listed,
		int count, int64_t k)
{
	Question	question[QUESTIONS];
	KgeAnswer  *expected = take(sizeof(KgeAnswer) * ENTITIES);
	KgeAnswer  *answers = take(sizeof(KgeAnswer) * (size_t) (count * k));
	int64_t		found[QUESTIONS];
	int			wrong = 0;

	draw_questions(question);
	kge_top_many_ask(kge_top_many(&arena, pool, model, sketch, adjustment, listed), question, count, k,
					 answers, found);
	for (int i = 0; i < count; i++)
	{
		int64_t		all = all_answers(model, adjustment, listed, &question[i], expected);

		wrong += found[i] != (all < k ? all : k);
		for (int64_t j = 0; j < found[i]; j++)
			wrong += answers[i * k + j].row != expected[j].row || answers[i * k + j].score != expected[j].score ||
				answers[i * k + j].phi != expected[j].phi || answers[i * k + j].addition != expected[j].addition;
	}
	CHECK_SAYING(wrong == 0, "%s, %s norm %d, %d questions, k %d: %d wrong", what, model->function->name, model->norm,
				 count, (int) k, wrong);
}

static void
compare_sizes(const char *what, const KgeModel *model, const KgeAdjustment *adjustment, bool listed)
{
	const KgeSketch *sketch = kge_sketch(&arena, pool, model);

	compare(what, model, sketch, adjustment, listed, QUESTIONS, 10);
	compare(what, model, NULL, adjustment, listed, QUESTIONS, 1);
	compare(what, model, sketch, adjustment, listed, 3, ENTITIES);
}

/* Some rows are too large to compute with fast, some are not numbers, some are equal. */
static void
make_wild(KgeModel *model)
{
	int			width = kge_model_width(model);

	for (int j = 0; j < width; j++)
	{
		model->entity[5 * width + j] = NAN;
		model->entity[8 * width + j] *= 1e25f;
		model->entity[300 * width + j] *= 1e30f;
		model->entity[302 * width + j] = 0;
		model->entity[310 * width + j] = model->entity[311 * width + j];
	}
}

static void
test_variant(Variant variant, bool wild)
{
	KgeModel	model = random_model(variant, 7, ENTITIES, RELATIONS, 1.0);
	KgeAddition *room = take(sizeof(KgeAddition) * ENTITIES * 2);
	KgeAdjustment plain = {.list = list_additions,.argument = room};
	KgeAdjustment weighted = {.list = list_additions,.argument = room,.weight = weights,.scale = scales};

	if (wild)
		make_wild(&model);
	compare_sizes("embedding", &model, NULL, false);
	compare_sizes("rules", &model, &plain, true);
	compare_sizes("both", &model, &plain, false);
	compare_sizes("both, weighted", &model, &weighted, false);
}

void
test_top_many(void)
{
	for (int i = 0; i < variant_count; i++)
	{
		test_variant(variants[i], false);
		test_variant(variants[i], true);
	}
}
