/*
 * false_triples.h
 *		False triples, which thresholds are learnt from beside true ones: drawn, or read from a table.
 */
#ifndef HKG_MODEL_FALSE_TRIPLES_H
#define HKG_MODEL_FALSE_TRIPLES_H

#include "server/compat.h"

#include "graph/graph.h"

/*
 * False counterparts of `count` triples, in memory of the current context; fills in how many.  `known`, ascending,
 * are not false.
 */
extern Triple *threshold_corrupt(const GraphData *data, const Triple *known, int64 known_count,
								 const Triple *triples, int64 count, uint64 seed,
								 int64 *corrupted);

/*
 * The triples of a table with the columns head, relation and tail, in rows.  ERROR 42P01 or 42703 where there is no
 * such table, 42704 for an unknown name, 53200 where the list, with `bytes` more a triple, would not fit
 * hybridkg.max_memory.
 */
extern Triple *false_triples_read(const Graph *graph, const GraphData *data, Oid table, Size bytes, int64 *count);

#endif							/* HKG_MODEL_FALSE_TRIPLES_H */
