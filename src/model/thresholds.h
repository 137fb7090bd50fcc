/*
 * thresholds.h
 *		The thresholds of hkg_classify (see thresholds.c).
 */
#ifndef HKG_MODEL_THRESHOLDS_H
#define HKG_MODEL_THRESHOLDS_H

#include "server/compat.h"

#include "graph/graph.h"
#include "kge/kge.h"

/* Triples that are true, and triples that are false, in rows of `data` */
typedef struct Labelled
{
	const Triple *truth;
	int64		truths;
	const Triple *falsehood;
	int64		falsehoods;
	bool		given;			/* the false ones are the caller's, not drawn */
} Labelled;

/*
 * Writes the thresholds of a model, in place of those it has; kge has the rows of `data`.  Returns the
 * accuracy of those that hkg_classify uses by default, NaN when there is nothing to learn from.
 */
extern double threshold_learn(Graph *graph, const char *model, const GraphData *data,
							  const KgeModel *kge, const Labelled *labelled);

/* ---- false_triples.c: what thresholds are learnt from beside true triples ---- */

/*
 * False counterparts of `count` triples, in memory of the current context; fills in how many.  `known`, ascending,
 * are not false.
 */
extern Triple *false_triples_draw(const GraphData *data, const Triple *known, int64 known_count,
								  const Triple *triples, int64 count, uint64 seed,
								  int64 *corrupted);

/*
 * The triples of a table with the columns head, relation and tail, in rows.  ERROR 42P01 or 42703 where there is no
 * such table, 42704 for an unknown name, 53200 where the list, with `bytes` more a triple, would not fit
 * hybridkg.max_memory.
 */
extern Triple *false_triples_read(const Graph *graph, const GraphData *data, Oid table, Size bytes, int64 *count);

#endif							/* HKG_MODEL_THRESHOLDS_H */
