/*
 * mining.h
 *		What the parts of mining share: mined_rules.c (the whole, the result), rule_search.c (the rules over the bounds
 *		and their supports), body_counts.c (the sizes of their bodies).  Entities and relations are rows.
 */
#ifndef HKG_RULES_MINING_H
#define HKG_RULES_MINING_H

#include "server/compat.h"

#include "facts/fact_index.h"
#include "graph/graph.h"

#include "mine.h"

/* A closed rule over the bounds */
typedef struct Candidate
{
	Rule		rule;			/* canonical */
	Rule		body;			/* what is evaluated: its body, or that read from Y to X */
	bool		mirrored;		/* the latter */
	int32		head;			/* row of the relation */
	int32		support;
	int64		body_size;
	int64		pca_body_size;
} Candidate;

typedef struct Mining
{
	MemoryContext memory;		/* all of this */
	Graph	   *graph;
	const GraphData *data;
	const MineOptions *options; /* NULL: rules are given */
	bool		given;			/* rules were given, their supports are to be counted */
	NodeSlice	slice;			/* the part of the pairs that is counted */
	NodeSlice	heads;			/* the part of the heads that is searched for */

	int64	   *start;			/* by relation: its first fact; and the end */
	FactIndex	index;

	int64		count;
	int64		room;
	Candidate  *candidate;
} Mining;

/* ERROR 53200, with the way out, when mining would take more than hybridkg.max_memory with so many more bytes. */
extern void mining_check_growth(const Mining *mining, uint64 bytes);

/* The least support of a rule over both bounds; the head has facts. */
extern int32 mining_threshold(const Mining *mining, int32 head);

/* The part of the work that the search takes, as far as is known beforehand; counting bodies takes the rest. */
#define SEARCH_WORK 0.5

/* Reports that a part of the work is done. */
static inline void
mining_report(const Mining *mining, double part)
{
	if (mining->options != NULL && mining->options->report != NULL)
		mining->options->report(mining->options->argument, part);
}

/* A new candidate: all zero but its head */
extern Candidate *mining_candidate(Mining *mining, int32 head);

/* Takes a rule over the bounds, in any form. */
extern void mining_add(Mining *mining, int32 head, const Rule *rule, int32 support);

/* Makes the current context one of its own for mining; returns the caller's. */
extern MemoryContext mining_begin(Mining *mining);

/* Fills start and index; for the search, with the edges in both orders. */
extern void mining_index(Mining *mining, bool for_search);

/* rule_search.c: adds the rules over the bounds, as candidates. */
extern void search_rules(Mining *mining);

/* body_counts.c: the sizes of the bodies of all candidates, and the supports of given rules */
extern void mine_bodies(Mining *mining);

/*
 * slices.c: all of it on the nodes of a cluster; false where there is none, or its nodes have other facts.  Needs no
 * index.
 */
extern bool mine_slices(Mining *mining);

#endif							/* HKG_RULES_MINING_H */
