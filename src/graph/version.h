/*
 * version.h
 *		Whether a copy of what a graph's tables hold is still valid.
 *
 * It is while they have the version that it was read with.
 */
#ifndef HKG_GRAPH_VERSION_H
#define HKG_GRAPH_VERSION_H

#include "server/compat.h"

#include "graph.h"
#include "storage/itemptr.h"

typedef struct Version
{
	uint64		number;
	bool		lasts;			/* all sessions find the same rows by it; false: this transaction alone */
} Version;

/* Of tables triple and rejected, as the active snapshot shows them */
extern Version facts_version(const Graph *graph);

/*
 * Of rows that belong to a row of table model, whose xmin and ctid these are: triggers update it when somebody changes
 * one of them.  tables: where they are, NULL-terminated
 */
extern Version model_rows_version(const Graph *graph, TransactionId xmin, ItemPointerData ctid, const char *const *tables);

extern Version version_of_both(Version a, Version b);

/* Those of some tables, NULL-terminated, that this transaction has written, as a list of Oid */
extern List *tables_written(const Graph *graph, const char *const *tables);

/* Whether the caller may read all of their rows.  A copy must not show its reader more than the tables would. */
extern bool tables_are_shown_whole(const Graph *graph, const char *const *tables);

/* This transaction has written facts of the graph, or what was rejected.  Before it commits. */
extern void facts_note(Oid schema);

/* The trigger function of a graph that calls facts_note; InvalidOid where there is none. */
extern Oid	facts_trigger(Oid schema);

#endif							/* HKG_GRAPH_VERSION_H */
