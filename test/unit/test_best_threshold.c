/*
 * test_best_threshold.c
 *		Thresholds against every possible one.
 */
#include <math.h>

#include "check.h"
#include "kge/rank.h"

#define MOST 12

/* Few scores, so that many are equal. */
static void
test_drawn(int count)
{
	KgeLabelled labelled[MOST];
	int64_t		right[MOST + 1];
	int64_t		best = 0;
	KgeCommon	common;
	double		threshold;
	double		score = 3;

	for (int i = 0; i < count; i++)
	{
		score -= next_below(3) / 2;
		labelled[i] = (KgeLabelled) {score, next_below(2) == 1};
	}
	for (double t = 3 - MOST; t <= 4; t += 0.5)
	{
		int64_t		tried = kge_threshold_right(labelled, count, t);

		best = tried > best ? tried : best;
	}
	threshold = kge_threshold(labelled, count, NULL);
	CHECK_SAYING(kge_threshold_right(labelled, count, threshold) == best, "%d scores: %d right, at best %d", count,
				 (int) kge_threshold_right(labelled, count, threshold), (int) best);
	/* a relation alone is all relations */
	common = kge_common(labelled, count, right);
	CHECK(common.threshold == threshold && kge_threshold(labelled, count, &common) == threshold);
}

/*
 * All relations: 20 scores, the true ones 10 and the false ones 0, so that thresholds over 0 up to 10 are right about
 * all of them; the common one is 5, and beyond these half of them are right.
 */
static void
test_common(void)
{
	KgeLabelled all[20];
	int64_t		right[21];
	KgeLabelled few[] = {{30, true}, {20, false}};
	KgeLabelled many[60];
	KgeLabelled one_kind[] = {{40, true}, {-7, true}};
	KgeCommon	common;

	for (int i = 0; i < 20; i++)
		all[i] = (KgeLabelled) {i < 10 ? 10 : 0, i < 10};
	common = kge_common(all, 20, right);
	CHECK(common.threshold == 5 && right[0] == 10 && right[10] == 20 && right[20] == 10);
	/* one of each: 5 is worth 1 * 1/2 + 10 * 1, 25 only 1 * 1 + 10 * 1/2 */
	CHECK(kge_threshold(few, 2, &common) == 5);
	/* ten of each are worth as much: 10 * 1/2 + 10 * 1 = 10 * 1 + 10 * 1/2; eleven more */
	for (int each = 10; each <= 11; each++)
	{
		for (int i = 0; i < 2 * each; i++)
			many[i] = (KgeLabelled) {i < each ? 30 : 20, i < each};
		CHECK(kge_threshold(many, 2 * each, &common) == (each == 10 ? 5 : 25));
	}
	/* the rarer kind counts: fifty true ones say nothing more beside one false one */
	for (int i = 0; i < 51; i++)
		many[i] = (KgeLabelled) {i == 0 ? 31 : 30, i > 0};
	CHECK(kge_threshold(many, 51, &common) == 5);
	/* of one kind alone, nothing can be learnt */
	CHECK(kge_threshold(one_kind, 2, &common) == 5);
	CHECK(kge_threshold(one_kind, 0, &common) == 5);
}

void
test_best_threshold(void)
{
	/* two cuts are right in 4 of 5; the one between 3 and 9 lies in the wider gap, in its middle */
	KgeLabelled labelled[] = {{10, true}, {9, true}, {3, false}, {2, true}, {1, false}};
	KgeLabelled none[] = {{7, false}, {5, false}};

	CHECK(kge_threshold(labelled, 5, NULL) == 6 && kge_threshold_right(labelled, 5, 6) == 4);
	CHECK(kge_threshold(none, 2, NULL) > 7);
	CHECK(kge_threshold(none, 0, NULL) == 0);
	test_common();
	for (int i = 0; i < 2000; i++)
		test_drawn(i % (MOST + 1));
}
