/*
 * mine.h
 *		The search for rules and their counts on the facts, all but embedding confidence (see mined_rules.c).
 */
#ifndef HKG_RULES_MINE_H
#define HKG_RULES_MINE_H

#include "server/compat.h"

#include "graph/node_slices.h"
#include "rule.h"

/* Which rules are searched for */
typedef struct MineOptions
{
	int			max_rule_length;	/* atoms, the head counted: 2 to RULE_MOST_SEARCHED */
	double		min_head_coverage;
	int			min_support;
	bool		constants;

	/* called now and then: another part of the work is done; parts add up to 1 at most.  May be NULL */
	void		(*report) (void *argument, double part);
	/* called when so many servers begin with it, or go on; this one alone until then.  May be NULL */
	void		(*servers) (void *argument, int count);
	void	   *argument;
} MineOptions;

typedef struct MinedRule
{
	Rule		rule;			/* canonical */
	char	   *text;
	bool		counted;		/* by mining; else a path rule that is evidence alone, without all up to quality */
	int64		head_size;		/* facts of the head's relation */
	int64		support;
	int64		body_size;
	int64		pca_body_size;
	double		embedding_confidence;	/* NaN: not known, or nothing inferred */
	double		confidence_error;	/* its standard error; 0 when it is exact, NaN when it is not known */
	double		quality;		/* NaN: not known (could not reach the top K) */
	int64		evidence_support;	/* of a path rule, see EvPathCounts */
	int64		evidence_body_size;
	double		evidence_error;
	double		evidence_confidence;	/* NaN: no path rule that is evidence */
	double		worth;			/* in learning embeddings (train/hybrid.h); NaN: it has no part in that */
	bool		kept;			/* closed rules within it have a lower Q */
	bool		selected;		/* among the top K */
} MinedRule;

typedef struct MinedRules
{
	int64		count;
	MinedRule  *rule;			/* by standard confidence, support (both falling), text */
} MinedRules;

/* |S without G_0| (doc/method.md): support counts exactly the pairs of S that are facts. */
#define MINED_PREDICTIONS(r) ((r)->body_size - (r)->support)
#define MINED_STANDARD_CONFIDENCE(r) part_of((r)->support, (r)->body_size)
#define MINED_PCA_CONFIDENCE(r) part_of((r)->support, (r)->pca_body_size)
#define MINED_HEAD_COVERAGE(r) part_of((r)->support, (r)->head_size)

/* A rule that was given, not found, may have nothing of either. */
static inline double
part_of(int64 part, int64 whole)
{
	return whole == 0 ? 0 : (double) part / (double) whole;
}

/*
 * Every closed rule over the bounds, counted on the facts of `data`.  Between sql_begin() and sql_end(); result
 * in the current context.  ERROR 53200 when it would not fit hybridkg.max_memory.
 */
extern MinedRules *mine_rules(Graph *graph, const GraphData *data, const MineOptions *options);

/* Of the index that rules are counted on, or, for_search, searched and counted: the least that the above take */
extern uint64 mine_index_bytes(const GraphData *data, bool for_search);

/* A slice of pairs: those with x in one of so many ranges of entities, which have about as many facts each */
#define ALL_PAIRS ((NodeSlice) {1, 1})

/*
 * Canonical rules with heads of relations of `data`, whatever their support, counted in the same way.  Support and body
 * sizes are those of the pairs in the slice: over all slices they add up.
 */
extern MinedRules *mine_given(Graph *graph, const GraphData *data, const Rule *rules, int64 count, NodeSlice slice);

/* Sorts places of mined rules as rule_compare orders their rules. */
extern void rule_places_sort(MinedRule **place, int64 count);

/* The place of this canonical rule among sorted ones, or NULL */
extern MinedRule *rule_places_find(MinedRule **place, int64 count, const Rule *rule);

/* What to do about too many rules, for hints */
#define FEWER_RULES "raise min_support or min_head_coverage"

#endif							/* HKG_RULES_MINE_H */
