/*
 * test_similar.c
 *		Votes of similar rows against their definition, gradients against differences, what is learnt against what was planted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "similar/similar.h"

#define ROWS 300
#define KINDS 3
#define TOKENS_OF_KIND 12
#define NUMBERS 2
#define VALUES 5
#define MOST_TOKENS (2 * KINDS)	/* of a row */

typedef struct Drawn
{
	int64_t		first[ROWS + 1];
	int32_t		token[ROWS * MOST_TOKENS];
	float		part[ROWS * MOST_TOKENS];
	int32_t		kind[KINDS * TOKENS_OF_KIND];
	float		rank[NUMBERS * ROWS];
	int32_t		value[ROWS];
	double		amount[ROWS];
	float		amount_rank[ROWS];
	SimilarRows rows;
} Drawn;

/* A value follows the token of kind 0 in nine of ten rows; the other kinds and numbers tell nothing.  Some rows have no value. */
static Drawn *
draw(bool amounts)
{
	Drawn	   *drawn = take(sizeof(Drawn));
	int64_t		count = 0;

	for (int i = 0; i < KINDS * TOKENS_OF_KIND; i++)
		drawn->kind[i] = i / TOKENS_OF_KIND;
	for (int row = 0; row < ROWS; row++)
	{
		int			telling = next_below(TOKENS_OF_KIND);

		drawn->first[row] = count;
		for (int kind = 0; kind < KINDS; kind++)
		{
			int			token = kind == 0 ? telling : next_below(TOKENS_OF_KIND - 1);
			int			tokens = kind == 0 ? 1 : next_below(3);

			for (int i = 0; i < tokens; i++)
			{
				drawn->token[count] = kind * TOKENS_OF_KIND + token + i;
				drawn->part[count++] = (float) (1 / sqrt(tokens));
			}
		}
		for (int j = 0; j < NUMBERS; j++)
			drawn->rank[j * ROWS + row] = next_below(5) == 0 ? NAN : (float) next_uniform(0, 1);
		drawn->value[row] = next_below(8) == 0 ? -1 : next_below(10) == 0 ? next_below(VALUES) : telling % VALUES;
		drawn->amount[row] = drawn->value[row] * 10;
		drawn->amount_rank[row] = (float) drawn->value[row] / VALUES;
	}
	drawn->first[ROWS] = count;
	drawn->rows = (SimilarRows) {.rows = ROWS,.kinds = KINDS,.tokens = KINDS * TOKENS_OF_KIND,.numbers = NUMBERS,.values = VALUES,
		.first = drawn->first,.token = drawn->token,.part = drawn->part,.kind = drawn->kind,.rank = drawn->rank,.value = drawn->value,
		.amount = amounts ? drawn->amount : NULL,.amount_rank = drawn->amount_rank};
	return drawn;
}

/* By the definitions in similar.h and similar.c: what the common tokens of a kind count */
static double
tokens_count(const SimilarRows *rows, const double *weight, int a, int b, int kind)
{
	const double *of = weight + SIMILAR_FORMS * kind;
	double		sum = 0;

	for (int64_t i = rows->first[a]; i < rows->first[a + 1]; i++)
		for (int64_t j = rows->first[b]; j < rows->first[b + 1]; j++)
		{
			double		known = 0;
			double		have = 0;
			double		by_value[2][VALUES] = {{0}};
			double		entropy[2] = {0};

			if (rows->token[i] != rows->token[j] || rows->kind[rows->token[i]] != kind)
				continue;
			for (int row = 0; row < rows->rows; row++)
			{
				bool		has = false;

				if (rows->value[row] < 0)
					continue;
				for (int64_t t = rows->first[row]; t < rows->first[row + 1]; t++)
					has |= rows->token[t] == rows->token[i];
				known++;
				have += has;
				by_value[0][rows->value[row]]++;
				by_value[1][rows->value[row]] += has;
			}
			for (int value = 0; value < VALUES; value++)
			{
				entropy[0] -= by_value[0][value] > 0 ? by_value[0][value] / known * log(by_value[0][value] / known) : 0;
				entropy[1] -= by_value[1][value] > 0 ? by_value[1][value] / have * log(by_value[1][value] / have) : 0;
			}
			sum += rows->part[i] * rows->part[j] *
				(of[0] + of[1] * log(known / have) + of[2] * fmax(0, 1 - (have * entropy[1] / entropy[0] + 5) / (have + 5)));
		}
	return sum;
}

/* What a number takes away at a distance; NAN: that of an unknown one */
static double
distance_counts(const SimilarRows *rows, const double *weight, int number, double distance)
{
	static const double width[SIMILAR_FORMS] = {0.003, 0.03, 0.3};
	double		sum = 0;

	if (isnan(distance))
		distance = 0.3;
	for (int form = 0; form < SIMILAR_FORMS; form++)
		sum += weight[SIMILAR_FORMS * (rows->kinds + number) + form] * distance / (distance + width[form]);
	return sum;
}

static double
distance_of(const SimilarRows *rows, int a, int b, int number)
{
	return fabs((double) rows->rank[number * rows->rows + a] - rows->rank[number * rows->rows + b]);
}

static double
likeness(const SimilarRows *rows, const double *weight, int a, int b)
{
	double		sum = 0;

	for (int kind = 0; kind < rows->kinds; kind++)
		sum += tokens_count(rows, weight, a, b, kind);
	for (int j = 0; j < rows->numbers; j++)
		sum -= distance_counts(rows, weight, j, distance_of(rows, a, b, j));
	return sum;
}

/* The reasons: what counts most, and counts at all; a number by how much nearer it is than an unknown one */
static void
compare_reasons(const SimilarRows *rows, const double *weight, int row, const SimilarAnswer *answer)
{
	double		counts[KINDS + NUMBERS];
	int			other = answer->nearest[0];
	int			positive = 0;

	for (int kind = 0; kind < KINDS; kind++)
		counts[kind] = tokens_count(rows, weight, row, other, kind);
	for (int j = 0; j < NUMBERS; j++)
		counts[KINDS + j] = distance_counts(rows, weight, j, NAN) - distance_counts(rows, weight, j, distance_of(rows, row, other, j));
	for (int i = 0; i < KINDS + NUMBERS; i++)
		positive += counts[i] > 1e-6;
	CHECK_SAYING(answer->alike_count == (positive < SIMILAR_NEAREST ? positive : SIMILAR_NEAREST), "%d of %d reasons", answer->alike_count, positive);
	for (int i = 0; i < answer->alike_count; i++)
	{
		int			above = 0;

		for (int j = 0; j < KINDS + NUMBERS; j++)
			above += counts[j] > counts[answer->alike[i]] + 1e-6;
		CHECK_SAYING(above == i, "reason %d is number %d", i, above);
	}
}

static void
compare_with_definition(const SimilarRows *rows, const double *weight, int weights, int row, const SimilarAnswer *answer)
{
	double		mass[VALUES] = {0};
	double		frequency[VALUES] = {0};
	double		total = exp(weight[weights - 1]);
	double		expected = 0;
	int			known = 0;

	for (int other = 0; other < rows->rows; other++)
	{
		double		share = rows->value[other] < 0 || other == row ? 0 : exp(likeness(rows, weight, row, other));

		if (rows->value[other] < 0)
			continue;
		known++;
		frequency[rows->value[other]]++;
		mass[rows->value[other]] += share;
		total += share;
	}
	for (int value = 0; value < VALUES; value++)
	{
		mass[value] = (mass[value] + exp(weight[weights - 1]) * frequency[value] / known) / total;
		expected += mass[value] * 10 * value;
	}
	CHECK(answer->count == VALUES);
	for (int i = 0; i < answer->count; i++)
	{
		CHECK_SAYING(fabs(answer->probability[i] - fmin(mass[answer->value[i]], known / (known + 1.0))) < 1e-4,
					 "row %d, value %d: %g, not %g", row, answer->value[i], answer->probability[i], mass[answer->value[i]]);
		CHECK(i == 0 || answer->probability[i] <= answer->probability[i - 1]);
	}
	CHECK(rows->value[row] < 0 ? isnan(answer->own) : fabs(answer->own - mass[rows->value[row]]) < 1e-4);
	CHECK(rows->amount == NULL ? isnan(answer->expected) : fabs(answer->expected - expected) < 1e-2);
	for (int i = 0; i < answer->nearest_count; i++)
		CHECK(answer->nearest[i] != row && rows->value[answer->nearest[i]] == answer->value[0]);
	CHECK(answer->nearest_count > 0);
	compare_reasons(rows, weight, row, answer);
}

static void
test_answers(bool amounts)
{
	Drawn	   *drawn = draw(amounts);
	Similar    *similar = similar_learn(&drawn->rows, pool, &arena, 7);
	SimilarAnswer *answer = take(ROWS * sizeof(SimilarAnswer));
	int32_t		row[ROWS];
	double	   *weight;
	int			weights = similar_weights(similar, &weight);
	int			right = 0;
	int			known = 0;

	for (int i = 0; i < ROWS; i++)
		row[i] = i;
	similar_answers(similar, pool, row, ROWS, answer);
	for (int i = 0; i < ROWS; i++)
	{
		if (i % 5 == 0)
			compare_with_definition(&drawn->rows, weight, weights, i, &answer[i]);
		known += drawn->value[i] >= 0;
		right += drawn->value[i] >= 0 && answer[i].value[0] == drawn->value[i];
	}
	/* nine of ten, and by chance a fifth of the rest; a standard error is 2 % */
	CHECK_SAYING(right > 0.84 * known, "%d of %d right", right, known);
	for (int kind = 1; kind < KINDS; kind++)
		CHECK_SAYING(weight[0] + weight[1] + weight[2] > 2 * (weight[3 * kind] + weight[3 * kind + 1] + weight[3 * kind + 2]),
					 "kind %d counts %g %g %g", kind, weight[3 * kind], weight[3 * kind + 1], weight[3 * kind + 2]);
}

static void
test_gradient_of_loss(bool amounts)
{
	Drawn	   *drawn = draw(amounts);
	Similar    *similar = similar_learn(&drawn->rows, pool, &arena, 7);
	double	   *weight;
	int			weights = similar_weights(similar, &weight);
	double	   *gradient = take((size_t) weights * sizeof(double));
	double	   *unused = take((size_t) weights * sizeof(double));

	for (int k = 0; k < weights; k++)
		weight[k] = next_uniform(0, 1);
	for (int row = 0; row < 20; row++)
	{
		if (drawn->value[row] < 0)
			continue;
		similar_loss(similar, leader, row, gradient);
		for (int k = 0; k < weights; k++)
		{
			double		was = weight[k];
			double		above;
			double		below;

			weight[k] = was + 0.01;
			above = similar_loss(similar, leader, row, unused);
			weight[k] = was - 0.01;
			below = similar_loss(similar, leader, row, unused);
			weight[k] = was;
			CHECK_SAYING(fabs(gradient[k] - (above - below) / 0.02) < 1e-3, "weight %d: %g, not %g", k, gradient[k], (above - below) / 0.02);
		}
	}
}

/* One thread and two have the same bits; without memory there is nothing. */
static void
test_bits(void)
{
	Drawn	   *drawn = draw(false);
	Pool	   *one = pool_create(1, NULL, NULL);
	double	   *weight[2];
	int			weights = similar_weights(similar_learn(&drawn->rows, one, &arena, 3), &weight[0]);

	similar_weights(similar_learn(&drawn->rows, pool, &arena, 3), &weight[1]);
	CHECK(memcmp(weight[0], weight[1], (size_t) weights * sizeof(double)) == 0);
	pool_destroy(one);
	CHECK(similar_learn(&drawn->rows, pool, &empty_arena, 3) == NULL);
}

/* Answers that say more, and less, than they know, become as sure as they are right; few of them stay as they are. */
static void
test_calibration(void)
{
	enum { ANSWERS = 8000 };
	SimilarAnswer *answer = take(ANSWERS * sizeof(SimilarAnswer));
	int32_t    *value = take(ANSWERS * sizeof(int32_t));
	double	   *chance = take(ANSWERS * sizeof(double));
	SimilarCalibration calibration;
	SimilarAnswer first;
	double		stated[2] = {0};
	double		right[2] = {0};

	for (int i = 0; i < ANSWERS; i++)
	{
		double		p = next_uniform(0.4, 0.95);

		/* not even monotone between 0.9 and 0.95 */
		chance[i] = p < 0.9 ? 0.3 + 0.5 * p : 0.5;
		value[i] = next_uniform(0, 1) < chance[i] ? 0 : 1;
		answer[i] = (SimilarAnswer) {.count = 3,.value = {0, 1, 2},.probability = {p, 0.7 * (1 - p), 0.3 * (1 - p)},.own = value[i] == 0 ? p : 0.7 * (1 - p)};
	}
	first = answer[0];
	CHECK(similar_calibrate(&arena, value, answer, 40, &calibration) && calibration.bins == 0);
	similar_apply(&calibration, 100000, 50, &first);
	CHECK(first.probability[0] == answer[0].probability[0] && first.probability[2] == answer[0].probability[2]);
	CHECK(!similar_calibrate(&empty_arena, value, answer, ANSWERS, &calibration));
	CHECK(similar_calibrate(&arena, value, answer, ANSWERS, &calibration) && calibration.bins > 5);
	for (int i = 1; i < calibration.bins; i++)
		CHECK(calibration.stated[i] > calibration.stated[i - 1] && calibration.right[i] > calibration.right[i - 1]);
	for (int i = 0; i < ANSWERS; i++)
	{
		bool		high = answer[i].probability[0] > 0.7;
		double		p = answer[i].probability[0];

		similar_apply(&calibration, 100000, 50, &answer[i]);
		CHECK_SAYING(p > 0.85 || fabs(answer[i].probability[0] - chance[i]) < 0.1, "%g: %g, not %g", p, answer[i].probability[0], chance[i]);
		CHECK(answer[i].own == answer[i].probability[value[i]]);
		CHECK(answer[i].probability[0] + answer[i].probability[1] + answer[i].probability[2] < 1 + 1e-9);
		CHECK(answer[i].probability[1] <= answer[i].probability[0]);
		stated[high] += answer[i].probability[0];
		right[high] += value[i] == 0;
	}
	for (int high = 0; high < 2; high++)
		CHECK_SAYING(fabs(stated[high] - right[high]) < 0.02 * ANSWERS, "%g stated, %g right", stated[high], right[high]);
}

void
test_similar(void)
{
	test_answers(false);
	test_answers(true);
	test_gradient_of_loss(false);
	test_gradient_of_loss(true);
	test_bits();
	test_calibration();
}
