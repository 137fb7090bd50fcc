/*
 * calibrate.c
 *		How sure answers may be (see similar.h).
 *
 * The new probability of a value is proportional to its old one to the power of `sureness`; all values that an answer does
 * not list are one item more, the rest.  The power maximises the likelihood of the values of known rows, by Newton's
 * method; the loss is convex.
 */
#include "similar.h"

#include <math.h>

#define ITEMS (SIMILAR_VALUES + 1)
#define STEPS 20
#define PRIOR 3					/* curvature of the prior at 1 */
#define LEAST 1e-6				/* probability */

/* The powers of an answer's probabilities and, last, of the rest, which add up to 1; and the logs of those */
static int
raise_all(const SimilarAnswer *answer, double sureness, double *logarithm, double *probability)
{
	double		rest = 1;
	double		total = 0;

	for (int i = 0; i < answer->count; i++)
	{
		logarithm[i] = log(fmax(answer->probability[i], LEAST));
		rest -= answer->probability[i];
	}
	logarithm[answer->count] = log(fmax(rest, LEAST));
	for (int i = 0; i <= answer->count; i++)
		total += probability[i] = exp(sureness * logarithm[i]);
	for (int i = 0; i <= answer->count; i++)
		probability[i] /= total;
	return answer->count;
}

static int
place_of(const SimilarAnswer *answer, int32_t value)
{
	int			i = 0;

	while (i < answer->count && answer->value[i] != value)
		i++;
	return i;
}

double
similar_calibrate(const int32_t *value, const SimilarAnswer *answer, int64_t count)
{
	double		sureness = 1;

	for (int step = 0; step < STEPS; step++)
	{
		double		slope = PRIOR * (sureness - 1);
		double		curvature = PRIOR;

		for (int64_t row = 0; row < count; row++)
		{
			double		logarithm[ITEMS];
			double		probability[ITEMS];
			int			rest = raise_all(&answer[row], sureness, logarithm, probability);
			double		mean = 0;

			for (int i = 0; i <= rest; i++)
				mean += probability[i] * logarithm[i];
			for (int i = 0; i <= rest; i++)
				curvature += probability[i] * (logarithm[i] - mean) * (logarithm[i] - mean);
			slope += mean - logarithm[place_of(&answer[row], value[row])];
		}
		sureness = fmax(0, sureness - slope / curvature);
	}
	return sureness;
}

void
similar_apply(double sureness, int64_t candidates, int32_t value, SimilarAnswer *answer)
{
	double		most = (double) candidates / ((double) candidates + 1);
	double		logarithm[ITEMS];
	double		probability[ITEMS];
	int			rest = raise_all(answer, sureness, logarithm, probability);
	int			own = place_of(answer, value);

	/* a value that is not listed has its part of the rest */
	if (value >= 0)
		answer->own = fmin(most, own < rest ? probability[own] : probability[rest] * fmin(1, answer->own / exp(logarithm[rest])));
	for (int i = 0; i < rest; i++)
		answer->probability[i] = fmin(most, probability[i]);
}
