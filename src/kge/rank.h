/*
 * rank.h
 *		How good a model is: filtered ranks, their metrics, from a sample or from all, and the best threshold of a
 *		classifier.
 */
#ifndef HKG_KGE_RANK_H
#define HKG_KGE_RANK_H

#include "kge.h"

/* ---- rank.c ------------------------------------------------------------- */

typedef struct KgeTriples
{
	const Triple *triple;
	int64_t		count;
} KgeTriples;

typedef struct KgeRanks
{
	int32_t    *head;			/* by triple */
	int32_t    *tail;
} KgeRanks;

/*
 * Filtered ranks of triples, 1 first: ranks.head[i] is the place of
 * triple i's head among all entities by score as head of (?, r, t), ranks.tail[i]
 * likewise.  A candidate that forms one of the `filter` triples (any order,
 * duplicates allowed; other than the tested one) is skipped.  Order is that of
 * kge_score (double precision), whatever the fast path rounds to.  Among equals
 * the entity takes a place drawn by seed and triple; a NaN score is below every
 * number and equal to NaN (Sun et al. 2020, RANDOM).  A thread holds a tile of scores and,
 * with an adjustment, numbers for all entities and some questions: 128 MB, or one question's where that is more.
 * adjustment: added to the scores; may be NULL.
 */
extern bool kge_rank(Arena *arena, Pool *pool, const KgeModel *model,
					 const KgeAdjustment *adjustment,
					 KgeTriples ranked, KgeTriples filter, uint64_t seed, KgeRanks ranks);

/* Seconds of a core for that many triples, at most, by the same measure as kge_epoch_seconds. */
extern double kge_rank_seconds(const KgeModel *model, int64_t count);

/* Bytes that kge_rank will take from its arena. */
extern size_t kge_rank_bytes(const KgeModel *model, const KgeAdjustment *adjustment,
							 int64_t count, int64_t filter_count, int threads);

typedef struct KgeMetrics
{
	double		mrr,
				mr,
				hits_1,
				hits_3,
				hits_10;
} KgeMetrics;

/* Means over `count` ranks; all NaN when there are none. */
extern KgeMetrics kge_metrics(const int32_t *ranks, int64_t count);

/* ---- rank_sample.c: the metrics of a list of triples, from a sample of them --------- */

/* All of the list, or an even number of its triples, which are spread evenly. */
typedef struct KgeSample
{
	int64_t		population;		/* triples of the list */
	int64_t		count;			/* of the sample */
} KgeSample;

static inline bool
kge_sample_is_all(KgeSample sample)
{
	return sample.count == sample.population;
}

/* At most that many of them, but two at least. */
extern KgeSample kge_sample(int64_t population, int64_t wanted);

/* Places in the list, ascending; room for sample.count. */
extern void kge_sample_draw(KgeSample sample, uint64_t seed, int64_t *places);

/*
 * Estimates of the list's metrics, without bias; ranks are those of the sample on one side, or on both, one after the
 * other.  Fills 1 / rank of each triple, the mean over its sides; room for sample.count.
 */
extern KgeMetrics kge_sample_metrics(KgeSample sample, const int32_t *ranks, int sides, double *reciprocals);

/*
 * The standard error of the mean that is estimated from values of the sample, or, with others (may be NULL), of the
 * difference of two such means; 0 where the sample is all of the list.
 */
extern double kge_sample_error(KgeSample sample, const double *values, const double *others);

/* ---- best_threshold.c -------------------------------------------------------- */

typedef struct KgeLabelled
{
	double		score;			/* finite */
	bool		truth;
} KgeLabelled;

/* The scores of all relations, to whose threshold one of few scores is drawn; made by kge_common */
typedef struct KgeCommon
{
	const KgeLabelled *labelled;
	int64_t		count;
	const double *worth;		/* of count + 1: that of a threshold which takes the first i for true */
	double		threshold;		/* the one that is worth most */
} KgeCommon;

/*
 * The highest score comes first; `worth` is room for count + 1 numbers, and stays the caller's.  A threshold is worth
 * the mean of the shares of the true and of the false ones that it is right about: how many there are of each kind
 * depends on which relations they were given for.
 */
extern KgeCommon kge_common(const KgeLabelled *labelled, int64_t count, double *worth);

/*
 * The threshold of a relation: what scores as much or more is taken for true.  The highest score comes first.  The share
 * that it is right about counts as often as there are scores of the rarer kind, true or false; its worth to all
 * relations counts ten times.  Between the common threshold and cuts that are worth as much, the former is taken.
 */
extern double kge_threshold(const KgeLabelled *labelled, int64_t count, const KgeCommon *common);

/* How many a threshold is right about; in any order. */
extern int64_t kge_threshold_right(const KgeLabelled *labelled, int64_t count, double threshold);

#endif							/* HKG_KGE_RANK_H */
