/*
 * test_rank.c
 *		Filtered ranks against a brute force in double precision.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kge/rank.h"

#define MAX_TRIPLES 400

typedef struct Data
{
	Triple		triples[MAX_TRIPLES];
	int			count;
	Triple		known[2 * MAX_TRIPLES];
	int			known_count;
} Data;

static bool
same(Triple a, Triple b)
{
	return a.head == b.head && a.relation == b.relation && a.tail == b.tail;
}

/* A made-up second adjustment, in quarters, of about a third of the answers. */
static double
addition_to(Triple triple)
{
	uint32_t	mixed = (uint32_t) (triple.head * 31 + triple.relation * 17 + triple.tail * 7) * 2654435761u;

	return (mixed >> 20) % 3 == 0 ? 0.25 * (double) ((mixed >> 24) % 16) : 0;
}

static int64_t
list_additions(void *argument, const Question *question, Pool *pool, int thread,
	const KgeAddition **additions)
{
	static KgeAddition listed[4][1024];
	const KgeModel *model = argument;
	int64_t		count = 0;

	for (int32_t e = model->entities - 1; e >= 0; e--)
	{
		Triple		triple = question_triple(question, e);

		if (addition_to(triple) > 0)
			listed[thread][count++] = (KgeAddition) {e, addition_to(triple)};
	}
	*additions = listed[thread];
	return count;
}

/* Its weights: 0, 1/2, 1 and 3/2 by turns */
static double
weight_of(int32_t relation, Side side)
{
	return 0.5 * ((3 * relation + (int32_t) side + 1) % 4);
}

static double
added_to(const KgeAdjustment *adjustment, Triple triple, Side side)
{
	return adjustment == NULL ? 0 : weight_of(triple.relation, side) * addition_to(triple);
}

/* The lowest and the highest rank that the definition allows. */
static void
brute_force(const KgeModel *model, const KgeAdjustment *adjustment, const Data *data, Triple triple,
			Side side, int *lowest, int *highest)
{
	double		t = kge_score(model, kge_asked(model, triple, side)) + added_to(adjustment, triple, side);
	int			above = 0;
	int			equal = 0;
	bool	   *known = calloc((size_t) model->entities, sizeof(bool));

	for (int i = 0; i < data->known_count; i++)
	{
		Triple		other = data->known[i];

		if (side == SIDE_TAIL && other.relation == triple.relation && other.head == triple.head)
			known[other.tail] = true;
		if (side == SIDE_HEAD && other.relation == triple.relation && other.tail == triple.tail)
			known[other.head] = true;
	}
	for (int e = 0; e < model->entities; e++)
	{
		Triple		candidate = triple;
		double		score;

		*(side == SIDE_TAIL ? &candidate.tail : &candidate.head) = e;
		if (known[e] || same(candidate, triple))
			continue;
		score = kge_score(model, kge_asked(model, candidate, side)) + added_to(adjustment, candidate, side);
		if (isnan(t) && isnan(score))
			equal++;
		else if (score > t || (isnan(t) && !isnan(score)))
			above++;
		else if (score == t)
			equal++;
	}
	free(known);
	*lowest = 1 + above;
	*highest = 1 + above + equal;
}

/* Triples of which half are known, and twice as many that are only known. */
static Data
random_data(const KgeModel *model, int count)
{
	Data		data;

	data.count = count;
	data.known_count = 0;
	for (int i = 0; i < count; i++)
	{
		data.triples[i] = random_triple(model);
		if (i % 2 == 0)
			data.known[data.known_count++] = data.triples[i];
		data.known[data.known_count++] = random_triple(model);
		if (i % 5 == 0)			/* a question that is asked again */
			data.triples[i].tail = data.triples[i / 2].tail;
	}
	return data;
}

/* Ranks lie where those of the brute force do; returns how many were not decided by it. */
static int
compare_with(const char *what, const KgeModel *model, const KgeAdjustment *adjustment, const Data *data, int threads)
{
	Pool	   *pool = pool_create(threads, NULL, NULL);
	int32_t		head[MAX_TRIPLES],
				tail[MAX_TRIPLES];
	int			wrong = 0;
	int			ties = 0;

	CHECK(kge_rank(&arena, pool, model, adjustment,
			 (KgeTriples) {data->triples, data->count}, (KgeTriples) {data->known, data->known_count}, 7, (KgeRanks) {head, tail}));
	for (int i = 0; i < data->count; i++)
	{
		int			lowest,
					highest;

		brute_force(model, adjustment, data, data->triples[i], SIDE_HEAD, &lowest, &highest);
		wrong += head[i] < lowest || head[i] > highest;
		ties += lowest < highest;
		brute_force(model, adjustment, data, data->triples[i], SIDE_TAIL, &lowest, &highest);
		wrong += tail[i] < lowest || tail[i] > highest;
		ties += lowest < highest;
	}
	CHECK_SAYING(wrong == 0, "%s, %s adjustment, %s norm %d: %d of %d ranks wrong", what,
				 adjustment == NULL ? "no" : "second", model->function->name, model->norm, wrong, 2 * data->count);
	pool_destroy(pool);
	return ties;
}

/* The same without and with a second adjustment; returns the ties of the first. */
static int
compare(const char *what, const KgeModel *model, const Data *data, int threads)
{
	double		weights[2 * MAX_TRIPLES];
	KgeAdjustment	adjustment = {.list = list_additions,.argument = (void *) model,.weight = weights};

	for (int32_t i = 0; i < 2 * model->relations; i++)
		weights[i] = weight_of(i / 2, i % 2);
	compare_with(what, model, &adjustment, data, threads);
	return compare_with(what, model, NULL, data, threads);
}

static void
test_random_model(Variant variant, int d, int entities)
{
	KgeModel	model = random_model(variant, d, entities, 3, 1.0);
	Data		data = random_data(&model, entities / 3 + 20);

	compare("random", &model, &data, 2);
}

/*
 * Values in quarters, d = 2: many scores are equal, in double as well (sums of a
 * few small dyadic numbers are exact; distances too where they are rational).
 */
static void
test_ties(Variant variant)
{
	KgeModel	model = random_model(variant, 2, 60, 2, 1.0);
	int			width = kge_entity_width(model.function, 2);
	Data		data;

	for (int i = 0; i < 60 * width; i++)
		model.entity[i] = roundf(4 * model.entity[i]) / 4;
	for (int i = 0; i < kge_relation_rows(&model) * kge_relation_width(model.function, 2); i++)
		model.relation[i] = strcmp(variant.name, "rotate") == 0 ? 0 :
			roundf(2 * model.relation[i]) / 2;
	data = random_data(&model, 100);
	CHECK(compare("ties", &model, &data, 2) > 10);
}

/*
 * Entities that differ by a unit in the last place of one number: single
 * precision gives them equal scores, double does not.
 */
static void
test_near_ties(Variant variant)
{
	KgeModel	model = random_model(variant, 30, 80, 2, 1.0);
	int			width = kge_entity_width(model.function, 30);
	Data		data;

	for (int e = 1; e < 80; e++)
	{
		memcpy(model.entity + e * width, model.entity, sizeof(float) * (size_t) width);
		for (int j = 0; j <= e % 3; j++)
		{
			float	   *value = &model.entity[e * width + next_below(width)];

			*value = nextafterf(*value, e % 2 == 0 ? 2 : -2);
		}
	}
	data = random_data(&model, 100);
	compare("near ties", &model, &data, 2);
}

/* NaN is below every number and equal to NaN; infinities have their places. */
static void
test_odd_numbers(Variant variant, float odd, bool in_relation)
{
	KgeModel	model = random_model(variant, 8, 90, 3, 1.0);
	int			width = kge_entity_width(model.function, 8);
	Data		data;

	for (int i = 0; i < 10; i++)
		model.entity[next_below(90) * width + next_below(width)] = odd;
	if (in_relation)
		model.relation[next_below(kge_relation_width(model.function, 8))] = odd;
	data = random_data(&model, 100);
	compare("odd numbers", &model, &data, 2);
}

/* Sizes near the ends of single precision: sums overflow or vanish there. */
static void
test_extreme_size(Variant variant, double size)
{
	KgeModel	model = random_model(variant, 8, 90, 3, 1.0);
	Data		data;

	for (int i = 0; i < 90 * kge_entity_width(model.function, 8); i++)
		model.entity[i] = (float) (model.entity[i] * size);
	data = random_data(&model, 100);
	compare("extreme size", &model, &data, 2);
}

/* An adjustment that adds the same to everybody, though no sum with it is exact */
static int64_t
raise_all(void *argument, const Question *question, Pool *pool, int thread,
		  const KgeAddition **additions)
{
	static KgeAddition all[1024];
	const KgeModel *model = argument;

	for (int32_t e = 0; e < model->entities; e++)
		all[e] = (KgeAddition) {e, 0.1};
	*additions = all;
	return model->entities;
}

/*
 * All scores equal: a rank is uniform in 1 .. n.  With N ranks the mean is
 * (n + 1)/2 with standard deviation sqrt((n^2 - 1)/12/N), and the chi-square of
 * the n = 20 places has 19 degrees of freedom, above 65 with probability 7e-7.
 */
static void
test_all_equal(float value, bool raised)
{
	enum
	{
		N = 20,
		TRIPLES = 200,
		SEEDS = 25
	};
	KgeModel	model = random_model(variants[2], 4, N, 2, 0);
	KgeAdjustment	adjustment = {.list = raise_all,.argument = &model};
	Pool	   *pool = pool_create(raised ? 1 : 2, NULL, NULL);
	double		count[N + 1] = {0};
	double		sum = 0;
	double		chi = 0;
	double		total = 2 * TRIPLES * SEEDS;

	for (int i = 0; i < 4 * N; i++)
		model.entity[i] = value;
	for (int i = 0; i < 4 * 2; i++)
		model.relation[i] = 1;
	for (int seed = 0; seed < SEEDS; seed++)
	{
		Triple		triples[TRIPLES];
		int32_t		rank[2][TRIPLES];

		/* each triple once: a triple draws the same place every time */
		for (int i = 0; i < TRIPLES; i++)
			triples[i] = (Triple) {i % N, i / N % 2, (i * 7 + i / 40) % N};
		CHECK(kge_rank(&arena, pool, &model, raised ? &adjustment : NULL,
			 (KgeTriples) {triples, TRIPLES}, (KgeTriples) {NULL, 0}, (uint64_t) seed, (KgeRanks) {rank[0], rank[1]}));
		for (int i = 0; i < 2 * TRIPLES; i++)
		{
			int			r = rank[i % 2][i / 2];

			CHECK(r >= 1 && r <= N);
			count[r]++;
			sum += r;
		}
	}
	for (int r = 1; r <= N; r++)
		chi += (count[r] - total / N) * (count[r] - total / N) / (total / N);
	CHECK_SAYING(fabs(sum / total - (N + 1) / 2.0) < 5 * sqrt((N * N - 1) / 12.0 / total),
				 "mean rank %g", sum / total);
	CHECK_SAYING(chi < 65, "chi-square %g", chi);
	pool_destroy(pool);
}

/* h_i = t_i = e_i (unit vectors), r = 1: triple (i, r, i) scores 1, all others 0. */
static void
test_perfect_model(void)
{
	KgeModel	model = random_model(variants[2], 16, 16, 1, 0);
	Triple		triples[16];
	int32_t		head[16],
				tail[16];
	KgeMetrics	metrics;

	for (int i = 0; i < 16; i++)
	{
		model.entity[17 * i] = 1;
		model.relation[i] = 1;
		triples[i] = (Triple) {i, 0, i};
	}
	CHECK(kge_rank(&arena, pool, &model, NULL,
			 (KgeTriples) {triples, 16}, (KgeTriples) {triples, 16}, 1, (KgeRanks) {head, tail}));
	metrics = kge_metrics(head, 16);
	CHECK(metrics.mrr == 1 && metrics.mr == 1 && metrics.hits_1 == 1);
	metrics = kge_metrics(tail, 16);
	CHECK(metrics.mrr == 1 && metrics.mr == 1 && metrics.hits_1 == 1);
}

static void
test_metrics(void)
{
	int32_t		ranks[4] = {1, 2, 4, 20};
	KgeMetrics	metrics = kge_metrics(ranks, 4);

	/* (1 + 1/2 + 1/4 + 1/20)/4 = 1.8/4; 27/4; 1, 2, 3 of 4 within 1, 3, 10 */
	CHECK(fabs(metrics.mrr - 0.45) < 1e-15 && metrics.mr == 6.75);
	CHECK(metrics.hits_1 == 0.25 && metrics.hits_3 == 0.5 && metrics.hits_10 == 0.75);
	metrics = kge_metrics(ranks, 0);
	CHECK(isnan(metrics.mrr) && isnan(metrics.mr) && isnan(metrics.hits_10));
}

/* The same ranks whatever the threads, ties included. */
static void
test_same_bits(void)
{
	KgeModel	model = random_model(variants[2], 2, 3000, 2, 1.0);
	Data		data;
	int32_t		rank[3][2][MAX_TRIPLES];

	for (int i = 0; i < 6000; i++)
		model.entity[i] = roundf(2 * model.entity[i]);
	data = random_data(&model, 300);
	for (int threads = 1; threads <= 3; threads++)
	{
		Pool	   *pool = pool_create(threads, NULL, NULL);

		CHECK(kge_rank(&arena, pool, &model, NULL,
			 (KgeTriples) {data.triples, data.count}, (KgeTriples) {data.known, data.known_count}, 3, (KgeRanks) {rank[threads - 1][0], rank[threads - 1][1]}));
		pool_destroy(pool);
	}
	for (int i = 1; i < 3; i++)
		for (int side = 0; side < 2; side++)
			CHECK(memcmp(rank[0][side], rank[i][side], sizeof(int32_t) * 300) == 0);
}

static void
test_no_memory(void)
{
	KgeModel	model = random_model(variants[0], 4, 10, 2, 1.0);
	Pool	   *pool = pool_create(1, NULL, NULL);
	Triple		triple = {0, 0, 1};
	int32_t		head = 77,
				tail = 77;

	CHECK(!kge_rank(&empty_arena, pool, &model, NULL,
			 (KgeTriples) {&triple, 1}, (KgeTriples) {&triple, 1}, 1, (KgeRanks) {&head, &tail}));
	CHECK(head == 77 && tail == 77);
	CHECK(kge_rank(&arena, pool, &model, NULL,
			 (KgeTriples) {&triple, 0}, (KgeTriples) {&triple, 1}, 1, (KgeRanks) {&head, &tail}));
	CHECK(head == 77);
	pool_destroy(pool);
}

/* Every candidate a near tie, so a run of a second or so: it can be left. */
static void
test_leaving(void)
{
	static Leaving leaving;
	KgeModel	model = random_model(variants[4], 200, 3000, 2, 1.0);
	Data		data = random_data(&model, 300);
	int32_t		head[300],
				tail[300];
	static KgeTriples ranked;
	static KgeTriples filter;
	static KgeRanks ranks;
	Pool	   *pool;

	leaving = (Leaving) {.leave_at = 2};
	pool = pool_create(2, leave, &leaving);
	for (int e = 0; e < 3000; e++)
	{
		memcpy(model.entity + 400 * e, model.entity, sizeof(float) * 400);
		model.entity[400 * e + e % 400] += (float) e * 1e-9f;
	}
	ranked = (KgeTriples) {data.triples, 300};
	filter = (KgeTriples) {data.known, data.known_count};
	ranks = (KgeRanks) {head, tail};
	if (setjmp(leaving.place) == 0)
	{
		kge_rank(&arena, pool, &model, NULL, ranked, filter, 1, ranks);
		CHECK_SAYING(false, "the ranking was not left");
	}
	CHECK(leaving.pauses == 2);
	pool_destroy(pool);
}

void
test_rank(void)
{
	for (int i = 0; i < variant_count; i++)
	{
		test_random_model(variants[i], 10, 50);
		test_random_model(variants[i], 33, 540);
		test_ties(variants[i]);
		test_near_ties(variants[i]);
		test_odd_numbers(variants[i], NAN, false);
		test_odd_numbers(variants[i], NAN, true);
		test_odd_numbers(variants[i], INFINITY, false);
		test_odd_numbers(variants[i], INFINITY, true);
		test_extreme_size(variants[i], 1e19);
		test_extreme_size(variants[i], 1e38);
		test_extreme_size(variants[i], 1e-19);	/* products about as small as a float can be */
		test_extreme_size(variants[i], 3e-19);
		test_extreme_size(variants[i], 1e-20);
		test_extreme_size(variants[i], 1e-38);
		test_extreme_size(variants[i], 1e-42);
	}
	test_all_equal(0, false);
	test_all_equal(NAN, false);
	test_all_equal(0.25, true);
	test_all_equal(NAN, true);
	test_perfect_model();
	test_metrics();
	test_same_bits();
	test_no_memory();
	test_leaving();
}
