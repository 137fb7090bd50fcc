/*
 * kept_triples.h
 *		The most probable of all triples that are offered, where memory is for as many as are wanted.
 *
 * A triple may be offered twice, as the answer of two questions, one for its tail and one for its head: the more
 * probable one counts.  Where one answer a head is wanted, the most probable triple of each head counts.
 */
#ifndef HKG_KGE_KEPT_TRIPLES_H
#define HKG_KGE_KEPT_TRIPLES_H

#include "core/allocation.h"
#include "kge/top.h"

typedef struct KgeKeptTriples
{
	KgeScored  *triple;			/* a heap, the least probable first; then the outcome */
	int64_t		count;
	int64_t		limit;
	int32_t    *place;			/* by head: its triple's in the heap, or -1; NULL: a head may have several */
	int32_t		heads;
} KgeKeptTriples;

/* For the k most probable.  heads: 0, or one answer for each of so many heads is wanted. */
extern KgeKeptTriples kge_kept_take(int64_t k, int32_t heads, Allocation *allocation);

extern void kge_kept_offer(KgeKeptTriples *kept, const KgeScored *scored);

/* What an offer has to come before; NULL while there is room. */
extern const KgeScored *kge_kept_last(const KgeKeptTriples *kept);

/* What is kept of a head of which one answer is wanted; else NULL */
extern const KgeScored *kge_kept_of_head(const KgeKeptTriples *kept, int32_t head);

/* The order of the outcome, as for qsort: most probable first; of equals, an answer on the tail's side. */
extern int	kge_compare_probable(const void *a, const void *b);

/* Puts the outcome in order, each triple once; returns how many there are. */
extern int64_t kge_kept_sort(KgeKeptTriples *kept, Pool *pool);

#endif							/* HKG_KGE_KEPT_TRIPLES_H */
