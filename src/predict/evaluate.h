/*
 * evaluate.h
 *		The filtered ranks of a split under a model.
 */
#ifndef HKG_PREDICT_EVALUATE_H
#define HKG_PREDICT_EVALUATE_H

#include "kge/rank.h"
#include "model/predictor.h"

/* Names of the splits that can be ranked, NULL-terminated */
extern const char *const evaluate_splits[];

typedef struct SplitRanks
{
	KgeSample	sample;			/* of the split */
	int64		count;			/* of the sample */
	Triple	   *triple;			/* by ids, ordered by (relation, head, tail) */
	int32	   *rank;			/* 2 * count: of the heads, then of the tails */
	bool		has_evidence;	/* some was used; else the embedding alone */
	const Evidence *evidence;	/* where it was used on this server; else NULL */
	MemoryContext work;			/* what it was ranked with; it has all of this */
} SplitRanks;

/* What is ranked, and what its ranks depend on */
typedef struct RankTask
{
	Graph	   *graph;
	const char *model;
	const char *split;
	int64		seed;			/* draws the places of ties, and a sample */
	EvKind		kind;
	int			sample;			/* triples; 0: all */
	GraphData  *data;			/* from here on: by rank_task_open */
	KgeTriples	known;
	SplitRanks	ranks;			/* its triples in rows */
} RankTask;

/* Reads the facts and the split, draws the sample, and makes room for the ranks. */
extern void rank_task_open(RankTask *task);

/* Ranks some triples on this server; returns the evidence that was used, in rows of the graph, or NULL. */
extern const Evidence *rank_here(const RankTask *task, KgeTriples triples, KgeRanks ranks);

/* rank_slices.c: ranks all of them on the nodes of a cluster; false where there is none, or it would not pay. */
extern bool rank_on_nodes(RankTask *task);

/* The seed draws the places of ties, and a sample of that many triples, unless that is 0. */
extern SplitRanks rank_split(Graph *graph, const char *model, const char *split, int64 seed, EvKind kind, int sample);

/* Keeps triples and ranks alone, in the current context: all else is freed, before another ranking. */
extern void ranks_end(SplitRanks *ranks);

/* ERROR 55000 unless both are of the same triples: the split is read for each, and a policy may hide some at random. */
extern void ranks_check_alike(const SplitRanks *a, const SplitRanks *b);

/* NOTICE with the statements that fill the split, where it has no triples. */
extern void notice_empty_split(const Graph *graph, const char *split, const SplitRanks *ranks);

#endif							/* HKG_PREDICT_EVALUATE_H */
