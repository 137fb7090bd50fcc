/*
 * model_evidence.h
 *		The evidence of a model: its rules, the graph's facts and the weights that it has learnt, in memory.
 */
#ifndef HKG_MODEL_MODEL_EVIDENCE_H
#define HKG_MODEL_MODEL_EVIDENCE_H

#include "server/compat.h"

#include "model.h"

typedef struct Evidence
{
	const int32 *entity_id;		/* row -> id, ascending */
	const int32 *relation_id;
	EvFacts		facts;
	EvRules		rules;
	EvWeights	weights;		/* of rules beside the embedding */
	double		discount_alone; /* of rules without the embedding */
} Evidence;

/*
 * The evidence of a model, in the current context, from given facts and in their rows, or from all facts of the
 * graph and in the model's rows; NULL when it has none.  ERROR 22000 when what was learnt is damaged; 53200 when it
 * would not fit hybridkg.max_memory beside the bytes that are taken already.
 */
extern Evidence *evidence_of_data(Graph *graph, const char *model, const GraphData *data);
extern Evidence *evidence_of_model(Graph *graph, const Model *model, uint64 taken);

/* What answers one question at a time, in the current context; ERROR 53200 as above. */
extern EvAnswering *evidence_answering(const Evidence *evidence, uint64 taken);

/* Facts and rules alone: what they take, and the two of them.  The rules' rows are those of `data`. */
extern uint64 evidence_index_bytes(const EvRuleSet *rules, const GraphData *data);
extern void evidence_index(Evidence *evidence, const EvRuleSet *rules, const GraphData *data);

/* What is added to phi, over the threads of a pool: `adjuster` is filled, in the current context. */
extern KgeAdjustment evidence_adjustment(const Evidence *evidence, EvKind kind, int threads, EvAdjuster *adjuster);

/* The evidence for a candidate, with the discount of that kind */
extern double evidence_of_candidate(const Evidence *evidence, EvKind kind, const EvCandidate *candidate);

#endif							/* HKG_MODEL_MODEL_EVIDENCE_H */
