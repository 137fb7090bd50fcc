/*
 * graph.h
 *		A graph is a schema with our tables (sql/ makes them); here it is opened,
 *		names become ids, and facts become arrays.
 *
 * An id is what the tables hold (entity.id, relation.id); a row is a
 * position in the arrays of src/kge.  Rows are numbered by ascending id.
 */
#ifndef HKG_GRAPH_GRAPH_H
#define HKG_GRAPH_GRAPH_H

#include "server/compat.h"

#include "nodes/parsenodes.h"
#include "utils/hsearch.h"

#include "kge/kge.h"

typedef struct Graph
{
	Oid			schema;
	char	   *name;			/* as the user typed it */
	char	   *prefix;			/* quoted, with the dot: "my graph". */
	char	   *facts;			/* the table that rules are evaluated over, as a statement names it */
	HTAB	   *relation_names; /* all of them, loaded by graph_relation_name */
	HTAB	   *entity_names;	/* those that graph_entity_name was asked for */
	struct ids_hash *relation_ids;	/* of the names that were asked for */
	struct ids_hash *entity_ids;
} Graph;

/* All below run between sql_begin() and sql_end(). */

/* ERROR 3F000 with the known graphs as HINT when there is no such schema, 42809 when it is not a graph. */
extern Graph *graph_open(const char *name);

/* What is done to the rows of a table of the graph: ACL_SELECT, ACL_INSERT, ... */
typedef struct TableRights
{
	const char *table;
	AclMode		rights;
} TableRights;

/* ERROR 42501, with all that lacks as HINT, where the statements to come would be refused; before what they write is computed. */
extern void graph_require_rights(const Graph *graph, const TableRights *needed, int count);

/* ERROR 42704 with the nearest known name as HINT. */
extern int32 graph_entity_id(Graph *graph, const char *name);
extern int32 graph_relation_id(Graph *graph, const char *name);

/*
 * Until the transaction ends: one load of a graph at a time (the others wait), and
 * one training of a model at a time (ERROR 55006 at once for the others).  Who trains or changes a model
 * sees, until graph_leave_training, what was committed before the lock was free: the snapshot of the
 * caller's statement may be older.
 */
extern void graph_lock_for_load(Graph *graph);
extern void graph_lock_for_training(Graph *graph, const char *model);
extern void graph_leave_training(void);

/* The same until the session ends, transactions come and go. */
extern void graph_lock_session_for_training(Graph *graph, const char *model);

/* NULL-free: ERROR when the id is not in the table. */
extern const char *graph_entity_name(Graph *graph, int32 id);
extern const char *graph_relation_name(Graph *graph, int32 id);

/* The known name nearest to `name` in TABLE (entity, relation, model), as "Did you mean ...?", or a list of all when they are few; for errhint. */
extern char *graph_hint(Graph *graph, const char *table, const char *name);

/* The graph as arrays, in the current memory context. */
typedef struct GraphData
{
	int32		entities;
	int32	   *entity_id;		/* ascending */
	int32		relations;
	int32	   *relation_id;	/* ascending */
	int64		facts;
	Triple  *fact;			/* the triple table in rows, ordered by (relation, head, tail) */
} GraphData;

extern GraphData *graph_read(Graph *graph);

/* A split of holdout ('valid', 'test'; NULL for both) in rows, ordered by (relation, head, tail). */
extern Triple *graph_read_split(Graph *graph, const GraphData *data, const char *split, int64 *count);

/* The facts and both splits of holdout, ordered by (relation, head, tail). */
extern Triple *graph_read_known(Graph *graph, const GraphData *data, int64 *count);

/*
 * Whether a fact of the relation is about one entity alone.  Where none is, an entity is no answer to a question about
 * itself: bilinear models like such triples, and nobody asks for them.  (Ranks count them all the same.)
 */
extern bool graph_is_reflexive(Graph *graph, int32 relation);

/* The row of an id among `count` ascending ids, or -1. */
extern int32 graph_row(const int32 *ids, int32 count, int32 id);

/* By relation, the number of its first fact, and the end, of facts in rows in their order; in the current context. */
extern int64 *facts_by_relation(const Triple *fact, int64 facts, int32 relations);

/* The first of the facts of one relation, from `low` to before `high`, whose head is not lower. */
extern int64 facts_of_head(const Triple *fact, int64 low, int64 high, int32 head);

extern int	triple_compare(const void *a, const void *b);	/* by (relation, head, tail), for qsort */

#endif							/* HKG_GRAPH_GRAPH_H */
