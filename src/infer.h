/*
 * infer.h
 *		What rules infer beyond the facts: embedding confidence, the selection of
 *		the top K by quality, G_T (SPEC sections 4 and 5).
 */
#ifndef HKG_INFER_H
#define HKG_INFER_H

#include "compat.h"

#include "mine.h"

/* G_T: each inferred triple once, in order (relation, head, tail), with the rules that infer it */
typedef struct Inferences
{
	int64		count;
	KgeTriple  *triple;			/* in rows */
	int64	   *first;			/* count + 1: triple i's rules are rule[first[i]] .. rule[first[i + 1] - 1] */
	int32	   *rule;			/* positions in the array given to infer, ascending */
} Inferences;

/* In the current context; ERROR 53200 when it would not fit hybridkg.max_memory. */
extern Inferences *infer(Graph *graph, const GraphData *data,
						 const Rule *const *rules, int32 count);

/*
 * Fills embedding_confidence, quality and kept of the mined rules by `kge`.
 * With top < 0 of every rule; else only as far as it takes to settle
 * exactly which rules are the `top` of highest quality among those kept, of quality
 * >= min_quality, that infer anything (ties by support, then by text), which are then marked
 * as selected.
 */
extern void infer_qualities(Graph *graph, const GraphData *data, const KgeModel *kge,
							KgePool *pool, MinedRules *rules, double omega,
							int top, double min_quality);

#endif							/* HKG_INFER_H */
