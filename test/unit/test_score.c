/*
 * test_score.c
 *		Scores: the definitions by hand, and every fast path against them.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "core/allocation.h"
#include "kge/score/engine.h"
#include "kge/search/sketch_codes.h"
#include "kge/search/sketch_moduli.h"
#include "kge/search/sketch_product.h"

static double
score_of(const char *name, int norm, int d, float *entity, float *relation)
{
	KgeModel	model = {kge_score_function(name), d, norm, 9.0, 2, 1, entity, relation, false, 0, NULL, NULL};

	return kge_score(&model, (Triple) {0, 0, 1});
}

/* Numbers small enough to be worked out on paper. */
static void
test_definitions(void)
{
	/* h = (1, 2), t = (4, 8), r = (0, 2): h + r - t = (-3, -4) */
	float		entity[] = {1, 2, 4, 8};
	float		relation[] = {0, 2};

	CHECK(score_of("transe", 1, 2, entity, relation) == 9 - 7);
	CHECK(score_of("transe", 2, 2, entity, relation) == 9 - 5);
	/* 1*0*4 + 2*2*8 */
	CHECK(score_of("distmult", 1, 2, entity, relation) == 32);
	/* d = 1: h = 1 + 2i, r = 0 + 2i, t = 4 + 8i; h r = -4 + 2i; Re(h r conj t) = -16 + 16 */
	CHECK(score_of("complex", 1, 1, entity, relation) == 0);
	/* r = 3 - 1i: h r = 5 + 5i; Re((5 + 5i)(4 - 8i)) = 20 + 40 */
	relation[0] = 3;
	relation[1] = -1;
	CHECK(score_of("complex", 1, 1, entity, relation) == 60);
}

/* h = (1, 2), t = (4, 8), a matrix row by row: h M = (1*1 + 2*3, 1*2 + 2*4) = (7, 10); 7*4 + 10*8 */
static void
test_rescal_definition(void)
{
	float		entity[] = {1, 2, 4, 8};
	float		relation[] = {1, 2, 3, 4};

	CHECK(score_of("rescal", 1, 2, entity, relation) == 108);
}

/* The paper's example: M t = (0.83, 0.11), so (0.9, 0.1) has 0.758, published as 0.76, and (0.3, 0.1) has 0.26 */
static void
test_rescal_example(void)
{
	float		ronaldo[] = {0.9f, 0.1f, 0.2f, 0.9f};
	float		dembele[] = {0.3f, 0.1f, 0.2f, 0.9f};
	float		is_called[] = {0.1f, 0.9f, 0.1f, 0.1f};

	CHECK(fabs(score_of("rescal", 1, 2, ronaldo, is_called) - 0.758) < 1e-6);
	CHECK(fabs(round(100 * score_of("rescal", 1, 2, ronaldo, is_called)) - 100 * 0.76) < 1e-6);
	CHECK(fabs(score_of("rescal", 1, 2, dembele, is_called) - 0.26) < 1e-6);
}

/* d = 2, a half turn and none: h r - t = (-1 - 2i - t_0, 3 + 1i - t_1). */
static void
test_rotate_definition(void)
{
	/* real parts, then imaginary: h = (1 + 2i, 3 + i), t = (2 + 2i, 3 + 13i) */
	float		entity[] = {1, 3, 2, 1, 2, 3, 2, 13};
	float		relation[] = {(float) acos(-1.0), 0};

	/* |(-3 - 4i)| + |(-12i)| = 17; the Euclidean norm of the same is 13 */
	CHECK(fabs(score_of("rotate", 1, 2, entity, relation) - (9 - 17)) < 1e-6);
	CHECK(fabs(score_of("rotate", 2, 2, entity, relation) - (9 - 13)) < 1e-6);
}

static void
test_table(void)
{
	const KgeScoreFunction *rotate = kge_score_function("rotate");

	CHECK(kge_score_function("none") == NULL);
	for (int i = 0; kge_score_function_name(i) != NULL; i++)
		CHECK(kge_score_function(kge_score_function_name(i)) != NULL);
	CHECK(kge_score_function_name(-1) == NULL);
	CHECK(kge_entity_width(rotate, 10) == 20 && kge_relation_width(rotate, 10) == 10);
	CHECK(kge_is_distance(rotate) && !kge_is_distance(kge_score_function("complex")));

	/* sigma(0) = 1/2, sigma(-x) = 1 - sigma(x), no overflow far out */
	CHECK(kge_sigmoid(0) == 0.5);
	CHECK(fabs(kge_sigmoid(3) + kge_sigmoid(-3) - 1) < 1e-15);
	CHECK(kge_sigmoid(1e6) == 1 && kge_sigmoid(-1e6) == 0);
}

/* The score of a query and a candidate, both ways: as block and as pair. */
static void
test_block(Variant variant, int d, int queries, int candidates)
{
	KgeModel	model = random_model(variant, d, candidates, 3, 1.0);
	KgeEngine	engine = kge_engine(&model);
	int			stride = engine.width + 3;
	float	   *query = take(sizeof(float) * (size_t) (queries * stride));
	float	   *scratch = take(sizeof(float) * (kge_engine_scratch(&engine, queries) + 1));
	float	   *score = take(sizeof(float) * (size_t) (candidates * (queries + 1)));
	Triple  *triple = take(sizeof(Triple) * (size_t) queries);
	KgeRows		q = {queries, stride, query};
	KgeRows		c = {candidates, engine.width, model.entity};
	double		worst = 0;

	for (int i = 0; i < queries; i++)
	{
		Side		side = i % 2 == 0 ? SIDE_TAIL : SIDE_HEAD;

		triple[i] = random_triple(&model);
		kge_make_query(&model, kge_query(&model, triple[i], side), query + i * stride);
	}
	kge_engine_prepare(&engine, q, scratch);
	kge_engine_scores(&engine, q, scratch, c, score, queries + 1);
	for (int k = 0; k < candidates; k++)
		for (int i = 0; i < queries; i++)
		{
			Triple		t = triple[i];
			const float *row = kge_entity_row(&model, k);
			float		fast = score[k * (queries + 1) + i];
			double		bound = kge_score_error(&engine, kge_norm(engine.width, query + i * stride),
												kge_norm(engine.width, row), fast);
			double		exact;

			*(i % 2 == 0 ? &t.tail : &t.head) = k;
			exact = kge_score(&model, kge_asked(&model, t, i % 2 == 0 ? SIDE_TAIL : SIDE_HEAD));
			worst = worse(worst, fabs(fast - exact) / bound);
			fast = kge_engine_score(&engine, query + i * stride, row);
			worst = worse(worst, fabs(fast - exact) / bound);
		}

	/* the bound that ranking relies on must hold; it is some 1e-5 of the score */
	CHECK_SAYING(worst <= 1, "%s norm %d, d %d: error %g of its bound",
				 variant.name, variant.norm, d, worst);
}

static double
distance(int n, const float *a, const float *b)
{
	double		sum = 0;

	for (int j = 0; j < n; j++)
		sum += ((double) a[j] - b[j]) * ((double) a[j] - b[j]);
	return sqrt(sum);
}

/*
 * L2 by way of a matrix product.  |q|^2 + |c|^2 - 2 q c sums 3 n products, so it is within
 * E = (n + 16) u (|q| + |c|)^2 of the distance's square; a distance D is then within sqrt(E),
 * and within E / D.  The first candidate is the first query: there rounding may go below 0.
 */
static void
test_expanded(Variant variant, int d, int queries, int candidates)
{
	const double u = FLT_EPSILON / 2.0;
	KgeModel	model = random_model(variant, d, candidates, 3, 1.0);
	KgeEngine	engine = kge_engine(&model);
	int			width = engine.width;
	float	   *query = take(sizeof(float) * (size_t) (queries * width));
	float	   *score = take(sizeof(float) * (size_t) (candidates * queries));
	float	   *scratch;
	KgeRows		q = {queries, width, query};
	KgeRows		c = {candidates, width, model.entity};
	double		worst = 0;

	engine.rough = true;
	scratch = take(sizeof(float) * (kge_engine_scratch(&engine, queries) + 1));
	for (int i = 0; i < queries; i++)
		kge_make_query(&model, kge_query(&model, random_triple(&model), SIDE_TAIL), query + i * width);
	memcpy(model.entity, query, sizeof(float) * (size_t) width);
	kge_engine_prepare(&engine, q, scratch);
	kge_engine_scores(&engine, q, scratch, c, score, queries);
	for (int n = 0; n < candidates * queries; n++)
	{
		const float *a = query + n % queries * width;
		const float *b = model.entity + n / queries * width;
		double		norms = kge_norm(width, a) + kge_norm(width, b);
		double		error = (width + 16) * u * norms * norms;
		double		exact = distance(width, a, b);
		double		bound = fmin(sqrt(error), error / exact) + 4 * u * (engine.gamma + exact);
		double		off = fabs(engine.gamma - exact - score[n]) / bound;

		worst = worse(worst, off);
	}
	CHECK_SAYING(worst <= 1, "%s norm %d, d %d: error %g of its bound", variant.name, variant.norm, d, worst);
}

/* A head is asked for as the tail of the inverse, which is in the relation's second row. */
static void
test_reciprocal(void)
{
	float		entity[2] = {2, 3};
	float		relation[2] = {5, 7};	/* r and its inverse */
	KgeModel	model = {kge_score_function("distmult"), 1, 1, 0.0, 2, 1, entity, relation, true, 0, NULL, NULL};
	Triple		triple = {0, 0, 1};
	float		query;

	CHECK(kge_relation_rows(&model) == 2);
	CHECK(kge_score(&model, triple) == 2 * 5 * 3);
	CHECK(kge_score(&model, kge_asked(&model, triple, SIDE_TAIL)) == 2 * 5 * 3);
	CHECK(kge_score(&model, kge_asked(&model, triple, SIDE_HEAD)) == 3 * 7 * 2);
	kge_make_query(&model, kge_query(&model, triple, SIDE_HEAD), &query);
	CHECK(query == 3 * 7);
	kge_make_query(&model, kge_query(&model, triple, SIDE_TAIL), &query);
	CHECK(query == 2 * 5);
	model.reciprocal = false;
	kge_make_query(&model, kge_query(&model, triple, SIDE_HEAD), &query);
	CHECK(query == 3 * 5);
}

/* A query turned by phases far from zero: against cos and sin in double. */
static void
test_phases(void)
{
	static const float phases[] = {0, 1e-30f, 0.78f, 0.79f, -3.2f, 31.4f, -1e3f, 99999.5f,
	3e6f, 1e12f};
	const KgeScoreFunction *rotate = kge_score_function("rotate");

	for (int i = 0; i < 10; i++)
	{
		float		given[2] = {1, 0};
		float		query[2];

		rotate->query(1, SIDE_TAIL, given, &phases[i], query);
		CHECK_SAYING(fabs(query[0] - cos(phases[i])) < 2e-7, "cos %g", phases[i]);
		CHECK_SAYING(fabs(query[1] - sin(phases[i])) < 2e-7, "sin %g", phases[i]);
	}
}

static void
fill_drawn(uint64_t seed, int n, float *numbers)
{
	for (int i = 0; i < n; i++)
		numbers[i] = (float) random_open(random_bits(random_stream(seed, 0, 0, 0), (uint64_t) i)) - 0.5f;
}

/* What turns give, against what the relation itself does: the same bits. */
static void
test_turns(int d, Side side)
{
	const KgeScoreFunction *rotate = kge_score_function("rotate");
	float		relation[200],
				turn[400],
				given[400],
				d_query[400],
				query[2][400],
				d_given[2][400],
				d_relation[2][200] = {{0}};

	fill_drawn(1, d, relation);
	fill_drawn(2, 2 * d, given);
	fill_drawn(3, 2 * d, d_query);
	fill_drawn(4, 2 * d, d_given[0]);
	memcpy(d_given[1], d_given[0], sizeof(d_given[0]));
	rotate->turn(d, relation, turn);
	rotate->query(d, side, given, relation, query[0]);
	rotate->turned_query(d, side, given, turn, query[1]);
	CHECK(memcmp(query[0], query[1], 2 * (size_t) d * sizeof(float)) == 0);
	rotate->given_gradient(d, side, relation, d_query, d_given[0]);
	rotate->turned_given_gradient(d, side, turn, d_query, d_given[1]);
	CHECK(memcmp(d_given[0], d_given[1], 2 * (size_t) d * sizeof(float)) == 0);
	rotate->relation_gradient(d, side, given, relation, d_query, d_relation[0]);
	rotate->turned_relation_gradient(d, side, query[1], d_query, d_relation[1]);
	for (int j = 0; j < d; j++)
		CHECK(d_relation[0][j] == d_relation[1][j]);
}

/* A list of triples, in an order where some queries repeat. */
static void
test_list(Variant variant)
{
	KgeModel	model = random_model(variant, 21, 30, 2, 1.0);
	Triple		triples[1000];
	float		scores[1000];
	double		worst = 0;

	for (int i = 0; i < 1000; i++)
	{
		triples[i] = random_triple(&model);
		if (i % 3 != 0)
		{
			triples[i].head = triples[i - 1].head;
			triples[i].relation = triples[i - 1].relation;
		}
	}
	CHECK(kge_score_triples(&arena, pool, &model, triples, 1000, scores));
	CHECK(kge_score_triples(&arena, pool, &model, triples, 0, scores));
	CHECK(!kge_score_triples(&empty_arena, pool, &model, triples, 1000, scores));
	for (int i = 0; i < 1000; i++)
		worst = worse(worst, fabs(scores[i] - kge_score(&model, triples[i])));

	/* scores of up to 30, single precision: 2e-6 each, some roundings */
	CHECK_SAYING(worst < 2e-5, "%s: %g", variant.name, worst);
}

/* One after another, scores have the bits that they have alone, also where heads and relations repeat. */
static void
test_exact(Variant variant, int d)
{
	KgeModel	model = random_model(variant, d, 30, 3, 1.0);
	KgeExactScore exact = {&model, -1, take(sizeof(double) * kge_exact_numbers(&model)), -1, false};
	Triple		triple = random_triple(&model);
	int			differ = 0;

	for (int i = 0; i < 500; i++)
	{
		Triple		next = random_triple(&model);

		triple = i % 7 == 0 ? next : (Triple) {i % 5 == 0 ? next.head : triple.head, triple.relation, next.tail};
		differ += kge_exact_score(&exact, triple, SIDE_TAIL) != kge_score(&model, triple);
	}
	CHECK_SAYING(differ == 0, "%s, d %d: %d scores have other bits", variant.name, d, differ);
}

/* Initial values: the same for a seed, whatever the threads; others for another; in their range. */
static void
test_initial_values(Variant variant)
{
	KgeModel	model = random_model(variant, 10, 8000, 3, 0);
	KgeModel	other = random_model(variant, 10, 8000, 3, 0);
	Pool	   *pool = pool_create(1, NULL, NULL);
	Pool	   *others = pool_create(3, NULL, NULL);
	size_t		bytes = sizeof(float) * 8000 * (size_t) kge_entity_width(model.function, 10);
	double		sum = 0;

	kge_model_initialise(&model, pool, 1);
	kge_model_initialise(&other, others, 1);
	CHECK(memcmp(model.entity, other.entity, bytes) == 0);
	kge_model_initialise(&other, pool, 2);
	CHECK(memcmp(model.entity, other.entity, bytes) != 0);
	for (size_t i = 0; i < bytes / sizeof(float); i++)
		sum += model.entity[i] * model.entity[i];
	CHECK(sum > 0 && isfinite(sum));
	pool_destroy(pool);
	pool_destroy(others);
}

/*
 * No exact score exceeds its bound, which is near for ordinary numbers: single precision errs by about
 * 200 * 2^-24 of terms that add up to some hundreds.  Numbers that a float cannot square have no bound below.
 */
static void
test_bound(Variant variant, double limit, bool ordinary)
{
	KgeModel	model = random_model(variant, 100, 50, 2, limit);
	KgeEngine	engine = kge_engine(&model);
	float	   *query = take(sizeof(float) * (size_t) engine.width);
	int			low = 0;
	int			far = 0;

	for (int i = 0; i < 20; i++)
	{
		Question	question = {.side = i % 2 == 0 ? SIDE_TAIL : SIDE_HEAD,.given = next_below(50),.relation = i % 2};

		kge_make_query(&model, kge_query(&model, question_triple(&question, 0), question.side), query);
		for (int32_t e = 0; e < 50; e++)
		{
			double		exact = kge_score(&model, kge_asked(&model, question_triple(&question, e), question.side));
			const float *row = kge_entity_row(&model, e);
			double		bound = kge_score_limit(&engine, query, kge_norm(engine.width, query), row,
												kge_norm(engine.width, row));

			low += bound < exact;
			far += !(bound - exact < 0.05 * (1 + fabs(exact)));
		}
	}
	CHECK_SAYING(low == 0, "%s norm %d, numbers to %g: %d bounds too low", variant.name, variant.norm, limit, low);
	CHECK_SAYING(!ordinary || far == 0, "%s norm %d: %d bounds too high", variant.name, variant.norm, far);
}

/*
 * Distances by bytes are lower bounds, where they are tightest: at 22.5 degrees, where rounding makes each number larger
 * (10.51 and 4.51 steps become 11 and 5).  Without what was lost by it, a bound would be too high.
 */
static void
test_moduli(void)
{
	enum
	{
		HALF = 8
	};
	const float step = 0.02f;
	const double modulus = step * sqrt(10.51 * 10.51 + 4.51 * 4.51);
	float		query[2 * HALF];
	float		origin[2 * HALF] = {0};
	int8_t		code[2][64];
	KgeParts	parts[2];
	int32_t		slack = 1 << 20;
	float		base_less[32];
	double		looked;
	double		lost;
	Allocation	allocation = {0};
	KgeModuli	moduli;

	if (!kge_has_codes())
		return;
	CHECK(kge_moduli_bytes(HALF) == sizeof(code[0]));
	for (int j = 0; j < 2 * HALF; j++)
		query[j] = step * (j < HALF ? 10.51f : 4.51f);
	kge_moduli_take(&allocation, HALF, 1);
	CHECK(allocation_open(&allocation, &arena));
	moduli = kge_moduli_take(&allocation, HALF, 1);
	moduli.step = step;
	kge_moduli_open(&moduli, 1);
	moduli.limit[0] = kge_moduli_limit(&moduli, 1);
	kge_moduli_encode(HALF, origin, step, code[0], &parts[0]);

	lost = kge_moduli_encode(HALF, query, step, code[1], &parts[1]);
	kge_moduli_look(HALF, step, code[1], 1, code[0], &looked);
	CHECK(looked > HALF * modulus && looked - lost <= HALF * modulus);

	lost = kge_moduli_set(&moduli, 0, query);
	kge_moduli_scores(&moduli, 1, code[0], &parts[0], &slack, 0, base_less, 32);
	CHECK(-base_less[0] > HALF * modulus && -base_less[0] - lost <= HALF * modulus);
}

/* A query's codes are as far from it as is stated, and their products with rows of codes those of whole numbers. */
static void
test_query_codes(int width)
{
	enum
	{
		ROWS = 5
	};
	float	   *query = take(sizeof(float) * (size_t) width);
	uint8_t    *room = take(kge_query_codes_bytes(width));
	int8_t	   *row = take((size_t) (ROWS * width));
	float		product[ROWS];
	KgeQueryCodes codes;
	double		lost = 0;

	for (int j = 0; j < width; j++)
		query[j] = (float) next_uniform(-3, 3);
	for (int j = 0; j < ROWS * width; j++)
		row[j] = (int8_t) (j < width ? 127 : j < 2 * width ? -127 : next_below(255) - 127);
	codes = kge_query_codes(width, query, room);
	for (int j = 0; j < width; j++)
	{
		double		off = (double) query[j] - (double) codes.scale * (room[j] - 128);

		CHECK(fabs(off) <= 0.501 * (double) codes.scale);
		lost += off * off;
	}
	CHECK(fabs(codes.error - sqrt(lost)) < 1e-12);
	kge_codes_look(width, codes, ROWS, row, product);
	for (int i = 0; i < ROWS; i++)
	{
		long		sum = 0;

		for (int j = 0; j < width; j++)
			sum += (room[j] - 128) * row[i * width + j];
		CHECK_SAYING(product[i] == (float) sum, "width %d, row %d: %g, not %ld", width, i, (double) product[i], sum);
	}
}

/*
 * Sums over parts are lower bounds where they are tightest: all numbers of a part are real and alike, and rounding makes
 * their sum larger (20.51 steps of the part become 21).
 */
static void
test_parts(void)
{
	enum
	{
		HALF = 2 * KGE_PARTS
	};
	const float step = 0.02f;
	float		query[2 * HALF] = {0};
	float		origin[2 * HALF] = {0};
	int8_t		code[512];
	KgeParts	parts;
	int32_t		slack = 0;
	float		base_less[32];
	double		distance = 0;
	double		lost;
	Allocation	allocation = {0};
	KgeModuli	moduli;

	if (!kge_has_codes())
		return;
	CHECK(kge_moduli_bytes(HALF) <= sizeof(code));
	for (int j = 0; j < HALF; j++)
		distance += query[j] = 20.51f * step * sqrtf(2) / 2;
	kge_moduli_take(&allocation, HALF, 1);
	CHECK(allocation_open(&allocation, &arena));
	moduli = kge_moduli_take(&allocation, HALF, 1);
	moduli.step = step;
	kge_moduli_open(&moduli, 1);
	kge_moduli_encode(HALF, origin, step, code, &parts);
	lost = kge_moduli_set(&moduli, 0, query);
	/* all is out of reach, by the parts alone */
	kge_moduli_scores(&moduli, 1, code, &parts, &slack, 0, base_less, 32);
	CHECK(-base_less[0] - lost <= distance && -base_less[0] - lost > 0.95 * distance);
}

/* Numbers that a part has more or less in common, so that sums over parts exclude some rows and not others */
static void
fill_alike(int half, float spread, float *row)
{
	for (int p = 0; p < KGE_PARTS; p++)
	{
		float		common = (float) next_uniform(-1, 1);

		for (int j = p; j < half; j += KGE_PARTS)
			row[j] = common + spread * (float) next_uniform(-1, 1);
	}
	for (int j = half; j < 2 * half; j++)
		row[j] = spread * (float) next_uniform(-1, 1);
}

static double
sum_of_moduli(int half, const float *a, const float *b)
{
	double		sum = 0;

	for (int j = 0; j < half; j++)
		sum += hypot((double) a[j] - b[j], (double) a[half + j] - b[half + j]);
	return sum;
}

/* Whatever the limits: distances by bytes are lower bounds, and up to the limit no lower than those without one. */
static void
test_limits(int half, float spread)
{
	enum
	{
		QUERIES = 40, ROWS = 50
	};
	const float step = 1.1f / 127;
	size_t		bytes = kge_moduli_bytes(half);
	int8_t	   *code = take(ROWS * bytes);
	KgeParts	parts[ROWS];
	int32_t		slack[ROWS];
	float		base_less[ROWS * 64];
	float	   *row = take(sizeof(float) * (size_t) (2 * half * (ROWS + QUERIES)));
	float	   *query = row + 2 * half * ROWS;
	double		row_lost[ROWS];
	double		query_lost[QUERIES];
	int			high = 0;
	int			low = 0;
	int			excluded = 0;
	Allocation	allocation = {0};
	KgeModuli	moduli;

	kge_moduli_take(&allocation, half, QUERIES);
	CHECK(allocation_open(&allocation, &arena));
	moduli = kge_moduli_take(&allocation, half, QUERIES);
	moduli.step = step;
	kge_moduli_open(&moduli, QUERIES);
	for (int i = 0; i < ROWS; i++)
	{
		fill_alike(half, spread, row + 2 * half * i);
		row_lost[i] = kge_moduli_encode(half, row + 2 * half * i, step, code + (size_t) i * bytes, &parts[i]);
		slack[i] = kge_moduli_limit(&moduli, row_lost[i]);
	}
	for (int q = 0; q < QUERIES; q++)
	{
		fill_alike(half, spread, query + 2 * half * q);
		query_lost[q] = kge_moduli_set(&moduli, q, query + 2 * half * q);
		moduli.limit[q] = kge_moduli_limit(&moduli, query_lost[q] + next_uniform(0, 1.5) * half);
	}
	kge_moduli_scores(&moduli, ROWS, code, parts, slack, 0, base_less, 64);
	for (int q = 0; q < QUERIES; q++)
		for (int i = 0; i < ROWS; i++)
		{
			double		distance = sum_of_moduli(half, query + 2 * half * q, row + 2 * half * i);
			double		found = -(double) base_less[i * 64 + q];
			double		lost = query_lost[q] + row_lost[i];
			double		looked;

			kge_moduli_look(half, step, kge_moduli_query(&moduli, q), 1, code + (size_t) i * bytes, &looked);
			high += !(found - lost <= distance * (1 + 1e-6));
			excluded += kge_moduli_limit(&moduli, found) - 2 > moduli.limit[q] + slack[i];
			low += kge_moduli_limit(&moduli, found) < moduli.limit[q] + slack[i] && !(found > (1 - 1e-5) * looked);
		}
	CHECK_SAYING(high == 0, "%d numbers, %g: %d of %d bounds too high", half, spread, high, QUERIES * ROWS);
	CHECK_SAYING(low == 0, "%d numbers, %g: %d of %d bounds too low", half, spread, low, QUERIES * ROWS);
	CHECK_SAYING(excluded > QUERIES * ROWS / 20 && excluded < QUERIES * ROWS, "%d excluded", excluded);
}

/* Two sets of complex numbers, real parts first, and what a kernel makes of them */
typedef struct RoughCase
{
	int			half;
	int			stride;
	int			count[2];		/* queries, candidates */
	float	   *row[2];
	float	   *gradient[2];	/* added to */
	double	   *exact[2];		/* gradients */
	double	   *size[2];		/* the sums of their terms without sign */
} RoughCase;

static float *
random_floats(int count)
{
	float	   *number = take(sizeof(float) * (size_t) count);

	for (int i = 0; i < count; i++)
		number[i] = (float) next_uniform(-1, 1);
	return number;
}

static RoughCase
rough_case(int half, int queries, int candidates)
{
	RoughCase	test = {.half = half,.stride = 2 * half + 3,.count = {queries, candidates}};

	for (int side = 0; side < 2; side++)
	{
		int			numbers = test.count[side] * test.stride;

		test.row[side] = random_floats(numbers);
		test.gradient[side] = random_floats(numbers);
		test.exact[side] = take(sizeof(double) * (size_t) numbers);
		test.size[side] = take(sizeof(double) * (size_t) numbers);
		for (int j = 0; j < numbers; j++)
			test.size[side][j] = fabs(test.exact[side][j] = test.gradient[side][j]);
	}
	/* the first candidate is the first query, but for a number: moduli of 0 */
	memcpy(test.row[1], test.row[0], sizeof(float) * (size_t) (2 * half - 1));
	return test;
}

/* The sum of the moduli of a pair; adds its gradients, of which each part is -g times one of the modulus. */
static double
learn_exactly(RoughCase *test, int i, int k, double g)
{
	double		sum = 0;

	for (int j = 0; j < test->half; j++)
	{
		int			place[2] = {i * test->stride + j, k * test->stride + j};
		double		re = (double) test->row[0][place[0]] - test->row[1][place[1]];
		double		im = (double) test->row[0][place[0] + test->half] - test->row[1][place[1] + test->half];
		double		modulus = sqrt(re * re + im * im);

		sum += modulus;
		for (int n = 0; n < 4 && modulus > 0; n++)
		{
			double		step = (n / 2 == 0 ? -g : g) * (n % 2 == 0 ? re : im) / modulus;
			int			number = place[n / 2] + n % 2 * test->half;

			test->exact[n / 2][number] += step;
			test->size[n / 2][number] += fabs(step);
		}
	}
	return sum;
}

/* Each modulus and each step of a gradient may be off by 6.2e-5 of itself; what is added up loses less than 1e-6. */
static bool
is_near(double rough, double exact, double size)
{
	return fabs(rough - exact) <= 6.2e-5 * size + 1e-6 * (size + 1e-4);
}

static void
test_rough_moduli(int half, int queries, int candidates)
{
	RoughCase	test = rough_case(half, queries, candidates);
	KgeRows		q = {queries, test.stride, test.row[0]};
	KgeRows		c = {candidates, test.stride, test.row[1]};
	float	   *g = random_floats(candidates * queries);
	float	   *s = random_floats(candidates * queries);
	int			far = 0;

	if (!kge_has_rough_moduli())
		return;
	kge_rough_moduli(half, q, c, s, queries);
	kge_rough_moduli_gradients(half, q, c, g, queries, test.gradient[0], test.gradient[1]);
	for (int n = 0; n < candidates * queries; n++)
	{
		double		sum = learn_exactly(&test, n % queries, n / queries, g[n]);

		far += !is_near(s[n], sum, sum);
	}
	for (int side = 0; side < 2; side++)
		for (int j = 0; j < test.count[side] * test.stride; j++)
			far += !is_near(test.gradient[side][j], test.exact[side][j], test.size[side][j]);
	CHECK_SAYING(far == 0, "half %d, %d x %d: %d rough numbers are far", half, queries, candidates, far);
}

void
test_score(void)
{
	test_definitions();
	test_rotate_definition();
	test_rescal_definition();
	test_rescal_example();
	test_table();
	test_phases();
	test_turns(1, SIDE_TAIL);
	test_turns(64, SIDE_HEAD);
	test_turns(200, SIDE_TAIL);
	test_turns(199, SIDE_HEAD);
	test_reciprocal();
	test_moduli();
	test_parts();
	for (int i = 0; kge_has_codes() && i < 7; i++)
		test_query_codes((int[]) {1, 63, 64, 65, 200, 400, 1000}[i]);
	for (int i = 0; kge_has_codes() && i < 3; i++)
	{
		static const float spread[] = {0.05f, 0.3f, 1};

		test_limits(7, spread[i]);
		test_limits(KGE_PARTS, spread[i]);
		test_limits(200, spread[i]);
	}
	test_rough_moduli(1, 1, 1);
	test_rough_moduli(16, 4, 2);
	test_rough_moduli(37, 7, 67);
	test_rough_moduli(64, 64, 33);
	for (int i = 0; i < variant_count; i++)
	{
		test_block(variants[i], 1, 1, 1);
		test_block(variants[i], 5, 6, 9);
		test_block(variants[i], 16, 4, 2);
		test_block(variants[i], 100, 33, 70);
		test_block(variants[i], 331, 64, 65);
		if (variants[i].norm == 2)
			for (int d = 1; d < 40; d++)
				test_expanded(variants[i], d, 7, 9);
		test_list(variants[i]);
		for (int j = 0; j < 4; j++)
			test_exact(variants[i], (int[]) {1, 21, 128, 200}[j]);
		test_bound(variants[i], 1, true);
		test_bound(variants[i], 1e19, false);
		test_initial_values(variants[i]);
	}
}
