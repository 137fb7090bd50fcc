/*
 * leakage.h
 *		What makes held-out triples say little about a model.
 */
#ifndef HKG_GRAPH_LEAKAGE_H
#define HKG_GRAPH_LEAKAGE_H

#include "graph.h"

/* Held-out triples, in rows, ordered by triple_compare */
typedef struct HeldTriples
{
	const char *name;			/* as a message has them, after their number: "facts that are held out" */
	const Triple *triple;
	int64		count;
} HeldTriples;

/*
 * A NOTICE each, with their number, an example and the way out, for triples that have an inverse or a duplicate among the
 * facts that are learnt; that are learnt themselves; that are in both splits; of which an entity or the relation has no
 * fact.  known: those that are learnt and all that are held out, in order.
 */
extern void leakage_notice(Graph *graph, const GraphData *learnt, const Triple *known, int64 known_count, HeldTriples held);

#endif							/* HKG_GRAPH_LEAKAGE_H */
