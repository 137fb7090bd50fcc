/*
 * rank_task.h
 *		A split whose triples are to be ranked: on this server, or on the nodes of a cluster.
 */
#ifndef HKG_PREDICT_RANK_TASK_H
#define HKG_PREDICT_RANK_TASK_H

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

#endif							/* HKG_PREDICT_RANK_TASK_H */
