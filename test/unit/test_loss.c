/*
 * test_loss.c
 *		Losses and their derivatives against the C library.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kge/loss/loss.h"

static void
test_value(double s, int label)
{
	float		score = (float) s;
	float		weight = 2;
	float		g,
				loss = 1;
	double		x = label == 1 ? -score : score;
	double		value = (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
	double		derivative = (label == 1 ? -1 : 1) * kge_sigmoid(x);

	kge_logistic_loss(1, 1, label, &score, 1, &weight, 0, &g, &loss);

	/* loss is added to 1, both times the weight 2; 1e-6 is some units of the last place */
	CHECK_SAYING(fabs(loss - (1 + 2 * value)) <= 1e-6 * (1 + 2 * value),
				 "loss of %g, label %d: %.9g, not %.9g", s, label, loss, 1 + 2 * value);
	CHECK_SAYING(fabs(g - 2 * derivative) <= 1e-6 * fabs(2 * derivative) + 1e-37,
				 "derivative at %g, label %d: %.9g, not %.9g", s, label, g, 2 * derivative);
}

/* A softmax over scores of any size, the largest of them twice. */
static void
test_softmax(double shift, double spread)
{
	enum
	{
		ROWS = 70
	};
	float		score[ROWS],
				g[ROWS];
	float		parts[ROWS];
	float		weight = 2;
	float		maximum,
				part,
				log_sum,
				parts_maximum,
				parts_sum;
	double		sum = 0;

	for (int k = 0; k < ROWS; k++)
		score[k] = (float) next_uniform(shift - spread, shift);
	score[3] = score[60] = (float) shift;
	for (int k = 0; k < ROWS; k++)
		sum += exp((double) score[k] - score[3]);
	kge_softmax_sums(ROWS, 1, score, 1, &maximum, &part);
	CHECK(maximum == score[3]);
	CHECK_SAYING(fabs(part - sum) < 1e-6 * ROWS, "sum %.9g, not %.9g", part, sum);
	log_sum = (float) (maximum + log(sum));

	/* the same, kept: parts of the maximum (differences are rounded before the exponential is taken) */
	memcpy(parts, score, sizeof(parts));
	kge_softmax_parts(ROWS, 1, parts, 1, &parts_maximum, &parts_sum);
	CHECK(parts_maximum == maximum && parts_sum == part);
	kge_scale_parts(ROWS, 1, parts, 1, &weight, g);
	for (int k = 0; k < ROWS; k++)
	{
		double		expected = 2 * exp((double) score[k] - score[3]);

		CHECK_SAYING(fabs(g[k] - expected) <= (1e-6 + 6e-8 * fabs((double) score[k] - score[3])) * expected + 1e-37,
					 "part at %g: %.9g, not %.9g", score[k] - score[3], g[k], expected);
	}
	kge_softmax(ROWS, 1, score, 1, &log_sum, &weight, g);
	for (int k = 0; k < ROWS; k++)
	{
		double		expected = 2 * exp((double) score[k] - log_sum);

		/* the difference of the two is rounded before the exponential is taken */
		CHECK_SAYING(fabs(g[k] - expected) <= (1e-6 + 6e-8 * fabs((double) score[k] - log_sum)) * expected + 1e-37,
					 "derivative at %g: %.9g, not %.9g",
					 score[k], g[k], expected);
	}
}

/* Two negatives of two positives, margin 1: 1 + s - own is 0.5, 3; 0, -2 (by hand). */
static void
test_margin(void)
{
	float		own[2] = {2, 4};
	float		s[4] = {1.5f, 3, 4, 1};
	float		weight[4] = {1, 2, 3, 4};
	float		g[4];
	float		own_g[2] = {0, 0};
	float		loss[2] = {10, 0};

	kge_margin_loss(2, 2, 1, own, s, 2, weight, 2, g, own_g, loss);
	CHECK(g[0] == 1 && g[1] == 0 && g[2] == 3 && g[3] == 0);
	CHECK(own_g[0] == -4 && own_g[1] == 0);
	CHECK(loss[0] == 10 + 0.5f + 3 * 3 && loss[1] == 0);
	s[0] = NAN;
	kge_margin_loss(2, 2, 1, own, s, 2, weight, 0, g, own_g, loss);
	CHECK(isnan(loss[0]) && loss[1] == 0);
}

void
test_loss(void)
{
	float		score[3] = {NAN, -1e30f, 1};
	float		weight[3] = {1, 1, 0};
	float		g[3],
				loss[3] = {0, 0, 0};

	for (int label = 0; label < 2; label++)
		for (double s = -120; s <= 120; s += 0.0625)
			test_value(s, label);

	/* NaN stays NaN; a score that was taken out has no loss; nor has weight 0 */
	kge_logistic_loss(1, 3, 0, score, 3, weight, 0, g, loss);
	CHECK(isnan(g[0]) && isnan(loss[0]));
	CHECK(g[1] == 0 && loss[1] < 1e-37);
	CHECK(g[2] == 0 && loss[2] == 0);

	test_margin();
	for (double spread = 0.5; spread < 1000; spread *= 2)
		for (double shift = -300; shift <= 300; shift += 100)
			test_softmax(shift, spread);
	kge_softmax_sums(3, 1, score, 1, &weight[0], &loss[0]);
	CHECK(isnan(loss[0]));
}
