/*
 * fact_table.h
 *		The facts of a split as a set: read, added to, taken from, moved to another one.
 *
 * Split train is table triple; valid and test are in table holdout.  Facts are by ids, ordered by triple_compare.
 */
#ifndef HKG_GRAPH_FACT_TABLE_H
#define HKG_GRAPH_FACT_TABLE_H

#include "server/compat.h"

#include "fact_writer.h"
#include "graph.h"
#include "server/progress.h"

typedef struct FactSet
{
	Triple	   *triple;
	int64		count;
	int64		room;
} FactSet;

/*
 * As they are now, though the caller's snapshot may be older; each fact once.  split: NULL for both of holdout.
 * heads: only facts of these, which are few; NULL for all.  In the current context.
 */
extern FactSet fact_table_read(Graph *graph, const char *split, const Numbers *heads);

/* Whether the table of that split was never written, as far as anybody can see.  It takes no right. */
extern bool fact_table_is_unused(const Graph *graph, const char *split);

/*
 * Adds those that the table lacks, and returns how many these were.  `facts` is used up.  ERROR 27000 where all are new
 * and the table lacks some of them afterwards.
 */
extern int64 fact_table_add(NewFacts *facts);

/* Deletes facts that fact_table_read has returned.  ERROR 27000 when some of them are kept by the table. */
extern void fact_table_remove(Graph *graph, const char *split, const FactSet *facts, Progress *progress);

/*
 * Facts that fact_table_read has returned go from one split to another, which has none of them: that of `to`, all of
 * which but the rows is given.  Columns of the user's go along where both tables have them, by name and type; ERROR 55000
 * where a value would be lost.  ERROR 27000 where some are kept, or left out.
 */
extern void fact_table_move(const char *from, const FactSet *facts, NewFacts *to);

/* Fresh statistics for later joins, where the caller owns the tables and more than a tenth of the facts has changed. */
extern void fact_table_analyze(Graph *graph, int64 changed);

#endif							/* HKG_GRAPH_FACT_TABLE_H */
