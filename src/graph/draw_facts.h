/*
 * draw_facts.h
 *		Facts that are drawn at random, to be held out.
 */
#ifndef HKG_GRAPH_DRAW_FACTS_H
#define HKG_GRAPH_DRAW_FACTS_H

#include "server/compat.h"

#include "graph.h"

/*
 * Marks about `wanted` of the facts whose mark is 0, and returns how many: fewer where they cannot be found.  Each
 * entity and relation that they have keeps one that is not marked.  mark: data->facts of them; value: not 0.
 */
extern int64 draw_facts(const GraphData *data, int64 wanted, uint64 stream, char value, char *mark);

#endif							/* HKG_GRAPH_DRAW_FACTS_H */
