/*
 * test_best_threshold.c
 *		Thresholds against every possible one.
 */
#include <math.h>

#include "check.h"
#include "kge/rank.h"

#define MOST 12

static int
count_right(const KgeLabelled *labelled, int count, double threshold)
{
	int			right = 0;

	for (int i = 0; i < count; i++)
		right += (labelled[i].score >= threshold) == labelled[i].truth;
	return right;
}

/* Few scores, so that many are equal. */
static void
test_drawn(int count)
{
	KgeLabelled labelled[MOST];
	int64_t		right;
	int			best = 0;
	double		threshold;
	double		score = 3;

	for (int i = 0; i < count; i++)
	{
		score -= next_below(3) / 2;
		labelled[i] = (KgeLabelled) {score, next_below(2) == 1};
	}
	for (double t = 3 - MOST; t <= 4; t += 0.5)
		best = (int) fmax(best, count_right(labelled, count, t));
	threshold = kge_threshold(labelled, count, &right);
	CHECK_SAYING(right == best && count_right(labelled, count, threshold) == best,
				 "%d scores: %d right, stated %d, at best %d", count,
				 count_right(labelled, count, threshold), (int) right, best);
}

void
test_best_threshold(void)
{
	/* two cuts are right in 4 of 5; the one between 3 and 9 lies in the wider gap, in its middle */
	KgeLabelled labelled[] = {{10, true}, {9, true}, {3, false}, {2, true}, {1, false}};
	KgeLabelled none[] = {{7, false}, {5, false}};
	int64_t		right;

	CHECK(kge_threshold(labelled, 5, &right) == 6 && right == 4);
	CHECK(kge_threshold(none, 2, &right) > 7 && right == 2);
	CHECK(kge_threshold(none, 0, &right) == 0 && right == 0);
	for (int i = 0; i < 2000; i++)
		test_drawn(i % (MOST + 1));
}
