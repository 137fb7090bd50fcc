/*
 * test_best_threshold.c
 *		Thresholds against every possible one.
 */
#include <math.h>

#include "check.h"
#include "kge/rank.h"

#define MOST 12

/* By its definition: the mean of the shares of the true and of the false ones that are right */
static double
worth_to_all(const KgeLabelled *all, int count, double threshold)
{
	int			truths = 0;
	int			right[2] = {0, 0};

	for (int i = 0; i < count; i++)
	{
		truths += all[i].truth;
		right[all[i].truth] += (all[i].score >= threshold) == all[i].truth;
	}
	if (truths == 0 || truths == count)
		return (double) (right[0] + right[1]) / count;
	return ((double) right[1] / truths + (double) right[0] / (count - truths)) / 2;
}

static double
worth(const KgeLabelled *own, int count, int rarer, const KgeLabelled *all, int all_count, double threshold)
{
	return rarer * (double) kge_threshold_right(own, count, threshold) / count + 10 * worth_to_all(all, all_count, threshold);
}

/* Few scores, so that many are equal; some of them are a relation's own. */
static void
test_drawn(int count, int own_count)
{
	KgeLabelled all[MOST];
	KgeLabelled own[MOST];
	double		room[MOST + 1];
	int			truths = 0;
	KgeCommon	common;
	double		threshold;
	double		score = 3;

	for (int i = 0; i < count; i++)
	{
		score -= next_below(3) / 2;
		all[i] = (KgeLabelled) {score, next_below(2) == 1};
	}
	for (int i = 0; i < own_count; i++)
	{
		own[i] = all[i * count / own_count];
		truths += own[i].truth;
	}
	common = kge_common(all, count, room);
	for (double t = 3 - MOST; t <= 4; t += 0.25)
		CHECK(worth_to_all(all, count, t) <= worth_to_all(all, count, common.threshold) + 1e-12);
	threshold = kge_threshold(own, own_count, &common);
	if (truths == 0 || truths == own_count)
	{
		CHECK(threshold == common.threshold);
		return;
	}
	truths = truths < own_count - truths ? truths : own_count - truths;
	CHECK(worth(own, own_count, truths, all, count, threshold) >=
		  worth(own, own_count, truths, all, count, common.threshold) - 1e-12);
	for (int i = 0; i <= own_count; i++)
	{
		double		cut = i == 0 ? own[0].score + 0.1 : i == own_count ? own[i - 1].score : (own[i - 1].score + own[i].score) / 2;

		CHECK(worth(own, own_count, truths, all, count, threshold) >=
			  worth(own, own_count, truths, all, count, cut) - 1e-12);
	}
}

/*
 * All relations: the true ones score 10 and the false ones 0, so that thresholds over 0 up to 10 are right about all of
 * them; the common one is 5, and beyond these it is worth half as much, however many there are of each.
 */
static void
test_common(int truths, int falsehoods)
{
	KgeLabelled all[20];
	double		room[21];
	KgeLabelled few[] = {{30, true}, {20, false}};
	KgeLabelled many[60];
	KgeLabelled one_kind[] = {{40, true}, {-7, true}};
	KgeCommon	common;

	for (int i = 0; i < truths + falsehoods; i++)
		all[i] = (KgeLabelled) {i < truths ? 10 : 0, i < truths};
	common = kge_common(all, truths + falsehoods, room);
	CHECK(common.threshold == 5 && room[0] == 0.5 && room[truths] == 1 && room[truths + falsehoods] == 0.5);
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
	/* 6 and 2.5 are worth (2/3 + 1) / 2 and (1 + 1/2) / 2 */
	KgeLabelled labelled[] = {{10, true}, {9, true}, {3, false}, {2, true}, {1, false}};
	/* two cuts are right in 5 of 6; the one between 3 and 9 lies in the wider gap, in its middle */
	KgeLabelled even[] = {{10, true}, {9, true}, {3, false}, {2, true}, {1, false}, {0, false}};
	KgeLabelled none[] = {{7, false}, {5, false}};
	double		room[7];

	CHECK(kge_common(labelled, 5, room).threshold == 6);
	CHECK(kge_common(even, 6, room).threshold == 6);
	CHECK(kge_common(none, 2, room).threshold > 7);
	CHECK(kge_common(none, 0, room).threshold == 0);
	test_common(10, 10);
	test_common(3, 17);
	for (int i = 0; i < 2000; i++)
	{
		int			count = 1 + i % MOST;

		test_drawn(count, 1 + next_below(count));
	}
}
