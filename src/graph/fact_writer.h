/*
 * fact_writer.h
 *		Facts into table triple or holdout at the pace of COPY.
 */
#ifndef HKG_GRAPH_FACT_WRITER_H
#define HKG_GRAPH_FACT_WRITER_H

#include "server/compat.h"

#include "storage/itemptr.h"

#include "graph.h"
#include "server/growing_array.h"
#include "server/progress.h"

typedef struct FactRow
{
	Triple		triple;			/* ids; the first member, for triple_compare */
	ItemPointerData tid;		/* where the row is, once it is written */
} FactRow;

typedef struct NewFacts
{
	Graph	   *graph;
	const char *split;			/* train: table triple; else holdout */
	FactRow    *row;			/* ordered by triple_compare, each once; their order is lost */
	int64		count;
	/* ids that were in the tables before, ascending; rows have others only if this transaction inserted them */
	const Numbers *entities;
	const Numbers *relations;
	Progress   *progress;
	bool		all_new;		/* the table has none of them: one that a trigger leaves out is an ERROR, not a duplicate */
} NewFacts;

/* Whether the facts of a split are in table triple; NULL: all of holdout */
static inline bool
is_train(const char *split)
{
	return split != NULL && strcmp(split, "train") == 0;
}

/* The table that they are in */
static inline const char *
fact_table_name(const char *split)
{
	return is_train(split) ? "triple" : "holdout";
}

/*
 * Writes the rows that the table lacks, and leaves only these in `facts`.  Their entities and relations are locked FOR
 * KEY SHARE; ERROR 23503 when one was deleted meanwhile.  False, and nothing is written, where a statement has to
 * insert what is left: the table is not as the layout made it, or somebody else inserted some of the facts at the same
 * time.
 */
extern bool facts_write(NewFacts *facts);

#endif							/* HKG_GRAPH_FACT_WRITER_H */
