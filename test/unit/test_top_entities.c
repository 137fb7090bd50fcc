/*
 * test_top_entities.c
 *		The best k candidates against a brute force in double precision.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kge/search/sketch.h"

#define ENTITIES 700
#define ADDED 10				/* entities behind those of the model: candidates that no sketch has */
#define ALL (ENTITIES + ADDED)

/* Whether a comes before b: the higher score, then the lower row. */
static bool
before(const double *score, int a, int b)
{
	return score[a] != score[b] ? score[a] > score[b] : a < b;
}

/* As sessions that share one have it */
static const KgeSketch *
moved_sketch(const KgeModel *model, Pool *pool)
{
	size_t		bytes;
	const void *memory = kge_sketch_memory(kge_sketch(&arena, pool, model), model, &bytes);

	return kge_sketch_over(&arena, model, moved(memory, bytes));
}

/* Additions to the scores of some entities, the higher ones to every tenth; and to half of the added ones */
typedef struct List
{
	KgeAddition addition[ALL];
	int			count;
} List;

/* KgeAdjustment's callback */
static int64_t
list_some(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	List	   *list = argument;

	*additions = list->addition;
	return list->count;
}

static void
random_list(List *list, int count)
{
	for (int i = 0; i < count; i++)
		list->addition[i] = (KgeAddition) {(i * 37 + 5) % ENTITIES, next_uniform(0, i % 10 == 0 ? 5 : 0.2)};
	for (int i = 0; i < ADDED / 2; i++)
		list->addition[count + i] = (KgeAddition) {ENTITIES + 2 * i, 1};
	list->count = count + ADDED / 2;
}

static double
addition_of(const KgeAdjustment *adjustment, int entity)
{
	const List *list = adjustment == NULL ? NULL : adjustment->argument;

	for (int i = 0; list != NULL && i < list->count; i++)
		if (list->addition[i].entity == entity)
			return list->addition[i].addition;
	return 0;
}

static void
compare(const char *what, const KgeModel *model, Pool *pool, Side side,
		const int32_t *excluded, int excluded_count, const KgeAdjustment *adjustment, int k)
{
	double		phi[ALL],
				exact[ALL];
	bool		out[ALL] = {false};
	KgeAnswer	answer[ALL];
	int			expected = 0;
	int			wrong = 0;
	int64_t		count = kge_top(&arena, pool, model, moved_sketch(model, pool),
				(Question) {side, 3, 1, excluded, excluded_count}, adjustment, k, answer);

	for (int e = 0; e < ALL; e++)
	{
		Triple		triple = side == SIDE_TAIL ? (Triple) {3, 1, e} : (Triple) {e, 1, 3};

		phi[e] = kge_score(model, kge_asked(model, triple, side));
		exact[e] = adjustment == NULL ? phi[e] :
			adjustment->scale[2 + (int) side] * (phi[e] + adjustment->weight[2 + (int) side] * addition_of(adjustment, e));
		out[e] = isnan(exact[e]);
	}
	for (int i = 0; i < excluded_count; i++)
		out[excluded[i]] = true;
	while (expected < k)
	{
		int			best = -1;

		for (int e = 0; e < ALL; e++)
			if (!out[e] && (best < 0 || before(exact, e, best)))
				best = e;
		if (best < 0)
			break;
		out[best] = true;
		wrong += expected >= count || answer[expected].row != best || answer[expected].score != exact[best] ||
			answer[expected].phi != phi[best] || answer[expected].addition != addition_of(adjustment, best);
		expected++;
	}
	CHECK_SAYING(wrong == 0 && count == expected, "%s, %s norm %d, k %d: %d wrong, %d of %d",
				 what, model->function->name, model->norm, k, wrong, (int) count, expected);
}

/* Every third one is as another entity. */
static void
add_entities(KgeModel *model, int dimensions)
{
	int			width = kge_entity_width(model->function, dimensions);
	KgeModel	other = random_model((Variant) {model->function->name, model->norm, false}, dimensions, ADDED, 1, 1.0);

	model->added = ADDED;
	model->added_row = take(sizeof(float *) * ADDED);
	for (int i = 0; i < ADDED; i++)
		model->added_row[i] = i % 3 == 0 ? model->entity + i * width : other.entity + i * width;
}

static void
test_variant(Variant variant, Pool *pool)
{
	KgeModel	model = random_model(variant, 20, ENTITIES, 2, 1.0);
	int			width = kge_entity_width(model.function, 20);
	int32_t		excluded[] = {0, 5, 300, 699, 703, 704};
	static const int sizes[] = {1, 10, 699, 710, 5000};
	static const double weight_and_scale[8] = {0, 0, 0.7, 2, 1, 1, 3, 0.1};
	List		list = {0};
	KgeAdjustment adjustment = {.list = list_some,.argument = &list,.weight = weight_and_scale,.scale = weight_and_scale + 4};

	add_entities(&model, 20);
	random_list(&list, ENTITIES);
	for (int i = 0; i < 3; i++)
		compare("all listed", &model, pool, SIDE_TAIL, excluded, 6, &adjustment, sizes[i]);
	random_list(&list, 150);
	for (int i = 0; i < 3; i++)
	{
		compare("random", &model, pool, SIDE_TAIL, NULL, 0, NULL, sizes[i]);
		compare("random", &model, pool, SIDE_HEAD, excluded, 6, NULL, sizes[i]);
		compare("listed", &model, pool, SIDE_HEAD, NULL, 0, &adjustment, sizes[i]);
		compare("listed", &model, pool, SIDE_TAIL, excluded, 6, &adjustment, sizes[i]);
	}

	/* ties and near ties: groups of the same row, some a unit of the last place off */
	for (int e = 20; e < ENTITIES; e++)
	{
		memcpy(model.entity + e * width, model.entity + e % 20 * width,
			   sizeof(float) * (size_t) width);
		if (e % 3 == 0)
			model.entity[e * width] = nextafterf(model.entity[e * width], 2);
	}
	for (int i = 0; i < 4; i++)
	{
		compare("ties", &model, pool, SIDE_TAIL, excluded, 6, NULL, sizes[i]);
		compare("listed ties", &model, pool, SIDE_TAIL, excluded, 6, &adjustment, sizes[i]);
	}

	model.entity[10 * width] = NAN;
	model.entity[11 * width] = INFINITY;
	compare("odd numbers", &model, pool, SIDE_TAIL, NULL, 0, &adjustment, 30);
	compare("odd numbers", &model, pool, SIDE_HEAD, NULL, 0, NULL, 700);
	model.relation[kge_relation_width(model.function, 20)] = NAN;
	compare("no number", &model, pool, SIDE_HEAD, NULL, 0, NULL, 10);
}

/* Two cosines by hand, and the order of all. */
static void
test_neighbors(Pool *pool)
{
	KgeModel	model = random_model(variants[0], 2, 5, 1, 1.0);
	const float rows[] = {3, 4, 4, 3, -3, -4, 0, 0, 30, 40};
	int32_t		row[5];
	double		cosine[5];

	memcpy(model.entity, rows, sizeof(rows));
	CHECK(kge_neighbors(&arena, pool, &model, 0, 9, row, cosine) == 3);
	CHECK(row[0] == 4 && fabs(cosine[0] - 1) < 1e-15);
	CHECK(row[1] == 1 && fabs(cosine[1] - 24.0 / 25) < 1e-15);
	CHECK(row[2] == 2 && fabs(cosine[2] + 1) < 1e-15);
	CHECK(kge_neighbors(&arena, pool, &model, 1, 1, row, cosine) == 1 && row[0] == 0);
	CHECK(kge_neighbors(&arena, pool, &model, 3, 5, row, cosine) == 0);
	CHECK(kge_neighbors(&empty_arena, pool, &model, 0, 1, row, cosine) == -1);
}

/* No float is below its number, with flushed denormals or without. */
static void
test_float_above(void)
{
	static const double odd[] = {0, 1e-320, 1e-45, 1e-38, 1, 3.4e38, 3.5e38, 1e300, INFINITY};
	bool		before = flush_denormals(false);

	for (int flushed = 0; flushed < 2; flushed++)
	{
		flush_denormals(flushed);
		for (int i = 0; i < 2 * 9; i++)
		{
			double		number = i % 2 == 0 ? odd[i / 2] : -odd[i / 2];

			CHECK_SAYING((double) kge_float_above(number) >= number, "%g: %g", number, (double) kge_float_above(number));
		}
	}
	flush_denormals(before);
	CHECK(kge_float_above(NAN) == INFINITY && kge_float_above(0.1) < 0.1000001 && kge_float_above(-0.1) < -0.0999999);
}

/* With one block too few nothing is found; and within a limit, where it is a byte under what is taken. */
static void
test_lack(const KgeModel *model, const KgeSketch *sketch, const KgeAdjustment *adjustment, Pool *pool)
{
	Question	question = {SIDE_TAIL, 3, 1, NULL, 0};
	KgeAnswer	answer[ENTITIES];
	ArenaLimit	limit = {.most = SIZE_MAX};
	Arena		limited = arena;

	limited.limit = &limit;
	CHECK(kge_top(&limited, pool, model, sketch, question, adjustment, 1, answer) == 1);
	CHECK(limit.taken > 0);
	limit = (ArenaLimit) {.most = limit.taken};
	CHECK(kge_top(&limited, pool, model, sketch, question, adjustment, 1, answer) == 1 && limit.taken == limit.most);
	limit = (ArenaLimit) {.most = limit.taken - 1};
	CHECK(kge_top(&limited, pool, model, sketch, question, adjustment, 1, answer) == -1 && limit.taken < limit.most);
	for (int given = 0; given <= 3; given++)
	{
		arena_times = given;
		CHECK(kge_top(&counting_arena, pool, model, sketch, question, adjustment, 1, answer) == (given < 3 ? -1 : 1));
	}
	arena_times = -1;
}

static void
test_bytes(KgeModel *model, const KgeSketch *sketch, Pool *pool)
{
	List		list = {0};
	KgeAdjustment adjustment = {.list = list_some,.argument = &list};

	add_entities(model, 4);
	random_list(&list, ENTITIES);
	test_lack(model, sketch, NULL, pool);
	test_lack(model, sketch, &adjustment, pool);
}

static void *
filled_bytes(void *context, size_t bytes)
{
	void	   *memory = arena.allocate(arena.context, bytes);

	return memset(memory, *(int *) context, bytes);
}

/* A sketch goes to a file as it is in memory: between its arrays, too, nothing is left of what was there before. */
static void
test_memory(const KgeModel *model)
{
	int			before[] = {0, 0xff};
	const void *memory[2];
	size_t		bytes = 0;

	for (int i = 0; i < 2; i++)
	{
		Arena		filled = {.allocate = filled_bytes,.context = &before[i]};

		memory[i] = kge_sketch_memory(kge_sketch(&filled, pool, model), model, &bytes);
	}
	CHECK(bytes > 0 && memcmp(memory[0], memory[1], bytes) == 0);
}

void
test_top_entities(void)
{
	KgeModel	model = random_model(variants[0], 4, ENTITIES, 2, 1.0);
	const KgeSketch *sketch;
	KgeAnswer	answer;

	for (int i = 0; i < variant_count; i++)
		test_variant(variants[i], pool);
	test_neighbors(pool);
	test_float_above();
	sketch = kge_sketch(&arena, pool, &model);
	CHECK(kge_sketch(&empty_arena, pool, &model) == NULL);
	test_bytes(&model, sketch, pool);
	test_memory(&model);
	CHECK(kge_top(&arena, pool, &model, sketch,
				(Question) {SIDE_TAIL, 3, 1, NULL, 0}, NULL, 0, &answer) == 0);
	CHECK(kge_top(&empty_arena, pool, &model, sketch,
				(Question) {SIDE_TAIL, 3, 1, NULL, 0}, NULL, 1, &answer) == -1);
}
