/*
 * graph.h
 *		A graph is a schema with our tables: opened, locked, its names as ids, its facts as arrays.
 *
 * There is no catalogue of graphs: a schema is a graph when it holds the tables (hkg_create_graph makes them).
 * What a user has no right to see, the server refuses in our statements as in the user's own.
 *
 * An id is what the tables hold (entity.id, relation.id).  A row is a position in the arrays that training and
 * prediction use; rows are numbered by ascending id.
 *
 * All functions run between sql_begin() and sql_end().
 */
#ifndef HKG_GRAPH_GRAPH_H
#define HKG_GRAPH_GRAPH_H

#include "server/compat.h"

#include "nodes/parsenodes.h"
#include "utils/hsearch.h"

#include "core/core.h"

typedef struct Graph
{
	Oid			schema;
	char	   *name;			/* as the user typed it */
	char	   *prefix;			/* quoted, with the dot: "my graph". */
	HTAB	   *relation_names; /* by id; all of them, once one was needed */
	HTAB	   *entity_names;	/* by id; those that were needed */
	struct NamedNumbers *relation_ids;	/* by name; those that were needed */
	struct NamedNumbers *entity_ids;
} Graph;

/* ---- opening (graph.c) ------------------------------------------------------ */

/*
 * ERROR 3F000 with the graphs there are as HINT when there is no such schema, 42809 when it is not a graph, 55000
 * when its layout is not the one that this library reads.
 */
extern Graph *graph_open(const char *name);

/* The same for functions that need facts and names alone: a worker of a cluster has these. */
extern Graph *graph_open_facts(const char *name);

/* The same for a graph of any layout: for functions that look at none of its tables. */
extern Graph *graph_find(const char *name);

/*
 * ERROR 55000 unless the graph still has the name that it was opened by.  Statements find its tables by the name, locks
 * and the writer of facts by the schema.  So it is called after the last statement of what writes: where another graph
 * has got the name meanwhile, all is rolled back.
 */
extern void graph_check_name(const Graph *graph);

/* ---- where the tables are, on a server with Citus (distribution.c) -------------- */

/* Whether the table is one of Citus's: its rows are in other tables, and are written by statements alone. */
extern bool table_is_distributed(Oid table);

/*
 * The table of this node that holds the rows of a graph's table: the copy where it is a reference table, else the table
 * itself; that, too, where the copy must not be read: this transaction may have written rows by another connection.
 * InvalidOid when there is no table of that name.
 */
extern Oid	graph_table_here(Oid schema, const char *table);

/* That of the layout's name; on a worker, where it is a table of models, the one of those that were sent to it. */
extern Oid	graph_table(Oid schema, const char *table);

/* The name of the table of this node, for a query that reads it: quoted, with the schema; in the current context. */
extern char *graph_table_name(const Graph *graph, const char *table);

/* ERROR 0A000, with the way out, when a table of the graph is where its functions would not find all of its rows. */
extern void graph_check_distribution(const Graph *graph);

/* The same for functions that need facts and names alone; they run on workers, too. */
extern void graph_check_facts(const Graph *graph);

/* Whether this is a worker, which has only what the coordinator sent. */
extern bool graph_is_copy(const Graph *graph);

/* Whether the work on its facts can be done by slices, on the nodes that have the rows of table slice. */
extern bool graph_has_slices(const Graph *graph);

/* ---- the version of the tables (layout.c) ----------------------------------- */

/* The layout that this library reads and writes: the number of the last procedure _hkg_layout_N. */
extern const int32 library_layout;

extern int32 graph_layout(const Graph *graph);

/* ERROR 55000, with the way out as HINT, for a graph of another layout. */
extern void graph_refuse_layout(const Graph *graph, int32 layout);

/* The same unless the graph has the layout that this library reads. */
extern void graph_check_layout(const Graph *graph);

/* ---- opening a graph to write it (upgrade.c) -------------------------------- */

/* As graph_open, and a graph of an older layout is upgraded with a NOTICE, if the user owns it. */
extern Graph *graph_open_to_write(const char *name);

/* The same in a function whose declaration does not pin search_path. */
extern Graph *graph_open_pinned(const char *name);

/* ---- rights (rights.c) ------------------------------------------------------ */

/* What is done to the rows of a table of the graph: ACL_SELECT, ACL_INSERT, ... */
typedef struct TableRights
{
	const char *table;
	AclMode		rights;
} TableRights;

/* Whether the caller may read a table of the graph. */
extern bool graph_may_read(const Graph *graph, const char *table);

/* Whether the caller may lock its rows: that takes the right to update some column. */
extern bool graph_may_lock(const Graph *graph, const char *table);

/*
 * ERROR 42501, with all that is missing as HINT, where the statements to come would be refused: before hours are
 * spent on what cannot be written.
 */
extern void graph_require_rights(const Graph *graph, const TableRights *needed, int count);

/* ERROR 42501 unless the user owns the graph; returns the owner, of which the user may be a member. */
extern Oid	graph_require_owner(const Graph *graph);

/* Whether the user owns the graph, or is a member of its owner. */
extern bool graph_has_owner(const Graph *graph, Oid *owner);

/* ---- locks (locks.c) -------------------------------------------------------- */

/*
 * Until the transaction ends: one load, sync or split of a graph at a time; the others wait.  function: as a read-only
 * transaction refuses it, "hkg_load()".
 */
extern void graph_lock_for_load(Graph *graph, const char *function);

/*
 * Until the transaction ends: one training of a model at a time; ERROR 55006 at once for the others.  Until
 * graph_leave_training, statements see what was committed before the lock was free: the snapshot of the caller's
 * statement may be older.  That one checks the graph's name in the end.
 */
extern void graph_lock_for_training(Graph *graph, const char *model);
extern void graph_leave_training(const Graph *graph);

/* The same until the session ends, for a training that commits as it goes. */
extern void graph_lock_session_for_training(Graph *graph, const char *model);

/* Until the transaction ends: no training of the graph; ERROR 55006 while a model is being trained. */
extern void graph_lock_for_upgrade(Graph *graph);

/* For who has graph_lock_for_load, to delete entities: no training, which would write their embeddings.  Likewise. */
extern void graph_lock_for_pruning(Graph *graph);

/*
 * Until the transaction ends, what a statement that writes facts locks of the graph's tables; prune: it deletes entities.
 * All of them are locked before the first is written, so that no deadlock comes of it.  After the rights were checked.
 */
extern void graph_lock_facts(const Graph *graph, bool prune);

/* The same for hkg_split, which writes what it has read: nobody else writes facts meanwhile. */
extern void graph_lock_splits(const Graph *graph);

/* The same for a statement that writes a model. */
extern void graph_lock_models(const Graph *graph);

/* The same for a statement that alters or drops any of them: nobody else reads them, nor the layout, so no load begins. */
extern void graph_lock_whole(const Graph *graph);

/*
 * Before the rows that belong to a model: who deletes the model, or gives it another name, has its row first, too.
 * Nobody else waits for this lock, which a training in the foreground holds until its end.
 */
extern void graph_lock_model_row(const Graph *graph, const char *model);

/*
 * The same between graph_lock_for_training and graph_leave_training, for who reads the model next: statements see what
 * was committed before the row was free, since who had it may have deleted it, or given it another name.
 */
extern void graph_lock_model_to_read(const Graph *graph, const char *model);

/* ---- names (lookup.c) ------------------------------------------------------- */

/* ERROR 42704 with the nearest name as HINT. */
extern int32 graph_entity_id(Graph *graph, const char *name);
extern int32 graph_relation_id(Graph *graph, const char *name);

/* Whether there is one of that name, and its id. */
extern bool graph_find_entity(Graph *graph, const char *name, int32 *id);
extern bool graph_find_relation(Graph *graph, const char *name, int32 *id);

/* ERROR 42704 when the id is not in the table. */
extern const char *graph_entity_name(Graph *graph, int32 id);
extern const char *graph_relation_name(Graph *graph, int32 id);

/* Reads all names of relations now, unless they are known: a later transaction may not find those that it needs. */
extern void graph_keep_relation_names(Graph *graph);

/* For a query from rows u (head, relation, tail) of ids: joins h.name, r.name and t.name. */
extern char *graph_names_join(const Graph *graph);

/* The expression for what a name is in the tables that a graph was made of: 7 for product:7, tea for category=tea; else null */
#define KEY_OF_NAME(name, types) \
	"(select substr(" name ", length(type) + 1) from unnest(" types ") type " \
	"where right(type, 1) in (':', '=') and starts_with(" name ", type) order by length(type) desc limit 1)"

/* For errhint: the names in a table (entity, relation, model) when they are few, else the one nearest to `name`. */
extern char *graph_hint(Graph *graph, const char *table, const char *name);

/* The same for the graphs of the database. */
extern char *graphs_hint(const char *name);

/* ---- facts as arrays (facts.c) ---------------------------------------------- */

/* In the current memory context */
typedef struct GraphData
{
	int32		entities;
	int32	   *entity_id;		/* ascending */
	int32		relations;
	int32	   *relation_id;	/* ascending */
	int64		facts;
	Triple	   *fact;			/* table triple in rows, ordered by (relation, head, tail) */
	const Triple *left_out;		/* facts of the table that are not among them, in the same order */
	int64		left_out_count;
} GraphData;

extern GraphData *graph_read(Graph *graph);

/* In the current memory context */
extern Degrees graph_degrees(const GraphData *data);

/*
 * ERROR 54000 where a relation with facts has a negative id: in rules such numbers have other meanings (rules/rule.h).  To be
 * called by whatever finds rules.
 */
extern void graph_check_relation_ids(const Graph *graph, const GraphData *data);

/* A split of holdout ('valid', 'test'; NULL for both) in rows, ordered by (relation, head, tail). */
extern Triple *graph_read_split(Graph *graph, const GraphData *data, const char *split, int64 *count);

/* The hint of an error about a split without facts */
extern char *graph_split_hint(const Graph *graph, const char *split);

/* The facts and both splits of holdout, ordered by (relation, head, tail): what a filtered rank leaves out. */
extern Triple *graph_read_known(Graph *graph, const GraphData *data, int64 *count);

/* Table rejected in rows, without what is among the ones that are known; both are ordered by (relation, head, tail). */
extern Triple *graph_read_rejected(Graph *graph, const GraphData *data, const Triple *known, int64 known_count,
								   int64 *count);

/*
 * Whether some fact of the relation has one entity as head and tail.  Where none has, an entity is not listed as an
 * answer to a question about itself: bilinear models score such triples high.  (Ranks count them all the same.)
 */
extern bool graph_is_reflexive(Graph *graph, int32 relation_id);

/* How many triples are in both lists, each of which is ordered by triple_compare, without repetitions. */
extern int64 triples_in_common(const Triple *a, int64 a_count, const Triple *b, int64 b_count);

/* The row of an id among `count` ascending ids, or -1. */
extern int32 graph_row(const int32 *ids, int32 count, int32 id);

/* Where each relation's facts begin among facts in rows, and the end after the last; in the current context. */
extern int64 *facts_by_relation(const Triple *fact, int64 facts, int32 relations);


#endif							/* HKG_GRAPH_GRAPH_H */
