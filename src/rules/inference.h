/*
 * inference.h
 *		What rules infer, beyond the facts or among them, rule by rule, and triple by triple.
 */
#ifndef HKG_RULES_INFERENCE_H
#define HKG_RULES_INFERENCE_H

#include "server/compat.h"

#include "body_pairs.h"
#include "mine.h"

/*
 * Takes what rules infer: the triples of rule number `rule`, some at a time, each once.
 */
typedef struct InferTarget
{
	void		(*take) (void *argument, int32 rule, const Triple *triples, int64 count);
	void		(*done) (void *argument);	/* all rules that it had triples of are complete; may be NULL */
	bool		facts;			/* takes the facts that they infer, in place of what is beyond */
	bool		(*wanted) (void *argument, int32 rule); /* whether the rule's triples are needed still; may be NULL */
	void	   *argument;
} InferTarget;

extern void infer_each(BodyPairs *pairs, const GraphData *data, const Rule *const *rules, int32 count,
					   const InferTarget *target);

/* Each inferred triple once, in order (relation, head, tail), with the rules that infer it */
typedef struct Inferences
{
	int64		count;
	Triple	   *triple;			/* in rows */
	int64	   *first;			/* count + 1: triple i's rules are rule[first[i]] .. rule[first[i + 1] - 1] */
	int32	   *rule;			/* positions in the array given to infer, ascending */
} Inferences;

/*
 * What is beyond the facts, or the facts among it; in the current context.  ERROR 53200 when it would not fit
 * hybridkg.max_memory.
 */
extern Inferences *infer(BodyPairs *pairs, const GraphData *data, const Rule *const *rules, int32 count,
						 bool facts);

#endif							/* HKG_RULES_INFERENCE_H */
