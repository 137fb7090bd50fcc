/*
 * inference.h
 *		What rules infer beyond the facts: S_tau without G+_0 of many rules, and G_T
 *		(SPEC sections 4 and 5).
 */
#ifndef HKG_RULES_INFERENCE_H
#define HKG_RULES_INFERENCE_H

#include "server/compat.h"

#include "body_pairs.h"
#include "mine.h"

/*
 * Enumerates what `count` rules infer.  `take` gets the triples of rule number `rule`, some at a time, each
 * once; between them, `done` (may be NULL) tells that all rules first .. first + count - 1 of
 * `order` are complete, which share one body.  `wanted` (may be NULL) says whether a rule's triples
 * are asked for (still).
 */
typedef struct InferTarget
{
	void		(*take) (void *argument, int32 rule, const Triple *triples, int64 count);
	void		(*done) (void *argument, const int32 *rules, int32 count);
	bool		(*wanted) (void *argument, int32 rule);
	void	   *argument;
} InferTarget;

extern void infer_each(BodyPairs *bodies, const GraphData *data, const Rule *const *rules, int32 count,
					   const InferTarget *target);

/* G_T: each inferred triple once, in order (relation, head, tail), with the rules that infer it */
typedef struct Inferences
{
	int64		count;
	Triple  *triple;			/* in rows */
	int64	   *first;			/* count + 1: triple i's rules are rule[first[i]] .. rule[first[i + 1] - 1] */
	int32	   *rule;			/* positions in the array given to infer, ascending */
} Inferences;

/* In the current context; ERROR 53200 when it would not fit hybridkg.max_memory. */
extern Inferences *infer(BodyPairs *bodies, const GraphData *data, const Rule *const *rules, int32 count);

#endif							/* HKG_RULES_INFERENCE_H */
