/*
 * draw_facts.h
 *		Facts that are drawn at random, to be held out.
 */
#ifndef HKG_GRAPH_DRAW_FACTS_H
#define HKG_GRAPH_DRAW_FACTS_H

#include "server/compat.h"

#include "graph.h"

/* A share of the facts, rounded */
static inline int64
facts_share(double share, int64 facts)
{
	return (int64) (share * (double) facts + 0.5);
}

/*
 * Marks facts with 1, the others with 0.  `wanted`: how many; becomes how many are marked, which is fewer only where
 * each of the others is the last one of an entity or a relation.  In the current context, data->facts marks.
 */
extern char *draw_facts(const GraphData *data, uint64 seed, int64 *wanted);

#endif							/* HKG_GRAPH_DRAW_FACTS_H */
