/*
 * node_slices.h
 *		Work on a graph, done in slices on the nodes of a cluster.
 *
 * Each node has all facts (distribution.c).  A function of the extension takes a slice of the work and returns numbers;
 * Citus runs it where the rows of table slice are, passes errors on with the name of the node, and cancels.
 *
 * A node reads when its statement begins, which may be later than the caller did.  So it answers with a checksum of
 * what it read.  Where that is another one, the answers are of no use, and the caller does all of the work.
 */
#ifndef HKG_GRAPH_NODE_SLICES_H
#define HKG_GRAPH_NODE_SLICES_H

#include "server/compat.h"

#include "graph.h"
#include "server/sql.h"

/* A slice of the work: its number, from 1 on, and how many there are */
typedef struct NodeSlice
{
	int			number;
	int			count;
} NodeSlice;

/* The arguments slice, which is number i, and slices, the next one: `most` at most */
extern NodeSlice node_slice_argument(FunctionCallInfo fcinfo, int i, int most);

/*
 * The places of a slice among that many triples; returns how many.  They are stretches, all through the triples: those of
 * one question stay together, and relations that take long are in all slices.
 */
#define NODE_SLICE_STRETCHES 8
extern int64 node_slice_places(NodeSlice slice, int64 count, int64 *place);

typedef struct NodeSlices
{
	const Graph *graph;
	const char *function;		/* its arguments: graph, `arguments`, slice, slices; returns bigint[], see node_answer */
	const char *arguments;		/* as the statement has them: "$1, $2" */
	const SqlArgs *args;
	int64		checksum;
	void		(*take) (void *argument, NodeSlice slice, const int64 *value, int64 count);
	void	   *argument;
} NodeSlices;

/* Whether the caller can have work done on other nodes. */
extern bool node_slices_exist(const Graph *graph);

/* Where it can: the nodes that take part, each by a slice. */
extern int	node_slices_count(const Graph *graph);

/*
 * Runs the function on all slices, and takes each answer; false where the answers cannot be used: a node read something
 * else, or returned null.  Then some of them may have been taken.
 */
extern bool node_slices_run(const NodeSlices *slices);

/* ERROR 55000: another version of the library runs on a node.  fault: what is wrong with its answer, a sentence */
extern _Noreturn void node_answer_refused(const char *function, const char *fault);

/* The same unless the answer has as many numbers as expected */
extern void node_answer_check(const char *function, int64 count, int64 expected);

/* NOTICE that this server does the work alone.  what: "graph \"g\" is mined" */
extern void node_slices_failed(const Graph *graph, const char *what);

/*
 * For a function that takes a slice, before its work: it ends soon after its client is gone.  A cancel that comes before
 * the statement begins is lost; then Citus closes the connection.
 */
extern void node_slice_begin(void);

/* What a node returns, in that context: a checksum, and other numbers.  hint: for what takes too much memory */
extern Datum node_answer(MemoryContext context, int64 checksum, const int64 *value, int64 count, const char *hint);

/* ---- checksums -------------------------------------------------------------------- */

extern uint64 checksum_of_bytes(const void *bytes, Size count, uint64 checksum);

/* Of its ids and facts */
extern uint64 checksum_of_facts(const GraphData *data);

#endif							/* HKG_GRAPH_NODE_SLICES_H */
