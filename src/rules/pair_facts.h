/*
 * pair_facts.h
 *		Which pairs of a body are facts: those that its rules support, and those that they do not infer.
 *
 * Supports are counted by the facts of each x, whose tails are among y; inferences by the pairs of each
 * x, whose y is no tail: to count them all, only to subtract them, would visit each pair of a body, of
 * which there may be a thousand times the facts.
 */
#ifndef HKG_RULES_PAIR_FACTS_H
#define HKG_RULES_PAIR_FACTS_H

#include "server/compat.h"

#include "graph/graph.h"

typedef struct PairFacts
{
	const Triple *fact;			/* in rows, by relation, head, tail */
	int64	   *start;			/* by relation: its first fact; and the end */
	uint64	   *mark;			/* by entity: the serial of the last set that it was in */
	uint64		serial;			/* of the current set */
} PairFacts;

/* In the current context. */
extern PairFacts pair_facts_create(const GraphData *data);

/* Makes these entities the marked ones; or the tails of the facts (x, relation, ?). */
extern void pair_facts_mark(PairFacts *facts, const int32 *entity, int32 count);
extern void pair_facts_mark_tails(PairFacts *facts, int32 relation, int32 x);

static inline bool
pair_facts_is_marked(const PairFacts *facts, int32 entity)
{
	return facts->mark[entity] == facts->serial;
}

/* How many facts (x, relation, y) have one of these x and a marked y. */
extern int64 pair_facts_count(const PairFacts *facts, int32 relation, const int32 *x, int32 count);

#endif							/* HKG_RULES_PAIR_FACTS_H */
