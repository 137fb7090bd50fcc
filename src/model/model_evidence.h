/*
 * model_evidence.h
 *		The evidence of a model: its rules, its path network, the graph's facts and the weights that it has learnt.
 *
 * ERROR 22000 when what was learnt is damaged; 53200 when what is read would not fit hybridkg.max_memory.
 */
#ifndef HKG_MODEL_MODEL_EVIDENCE_H
#define HKG_MODEL_MODEL_EVIDENCE_H

#include "server/compat.h"

#include "added_entities.h"

/* The most that assume_missing may be; the least is 0 */
#define MOST_MISSING 0.99

typedef struct Evidence
{
	const int32 *entity_id;		/* row -> id, ascending; of a model: those of its training, then the added ones */
	const int32 *relation_id;
	const AddedEntities *added; /* NULL: rows are those of given facts */
	const bool *is_new;			/* by row, whether an entity came after the training; NULL: none did */
	FactIndex	facts;
	bool		has_rules;		/* otherwise `rules` is empty, and none is counted when a question is asked */
	EvRules		rules;
	const PathNetwork *network; /* with the relations' rows; NULL: none */
	bool		is_shared;		/* facts, rules and network are in a copy that all sessions map */
	EvWeights	weights;		/* of rules and paths beside the embedding */
	double		discount_alone; /* of rules without the embedding */
} Evidence;

/* Whether a prediction of a kind can be made; evidence: NULL where there is none */
extern bool evidence_has_kind(const Evidence *evidence, EvKind kind);

/*
 * The evidence of a model, in the current context, from given facts and in their rows, or from all facts of the
 * graph and in the model's rows, with entities that came after the training behind them, beside the bytes that are
 * taken already; NULL when it has none.
 */
extern Evidence *evidence_of_data(Graph *graph, const char *model, const GraphData *data);
extern Evidence *evidence_of_model(Graph *graph, const AddedEntities *added, uint64 taken);

/* From id to row, -1 where there is none */
extern int32 evidence_entity_row(const Evidence *evidence, int32 id);

/* All but facts, rules and network, which the caller has; NULL when the model has no evidence. */
extern Evidence *evidence_without_index(Graph *graph, const AddedEntities *added);

/* The index of facts in the model's rows, without rules, weights and types, for what needs no evidence. */
extern Evidence *evidence_of_facts(Graph *graph, const AddedEntities *added);

/* Who may answer (model/answer_sets.h), by all facts of the graph in the model's rows, or by given facts in theirs */
extern const AnswerSet *answers_of_model(Graph *graph, const AddedEntities *added);
extern const AnswerSet *answers_of_data(Graph *graph, const GraphData *data);

/* What its facts and its network take of this backend's memory */
extern uint64 evidence_taken_bytes(const Evidence *evidence);

/* What answers one question at a time, in the current context; with its bytes, beside what the caller has taken */
extern uint64 evidence_answering_bytes(const Evidence *evidence);
extern EvAnswering *evidence_answering(const Evidence *evidence, uint64 taken);

/* Facts and rules alone: what they take, and the two of them.  The rules' rows are those of `data`. */
extern uint64 evidence_index_bytes(const EvRuleSet *rules, const GraphData *data);
extern void evidence_index(Evidence *evidence, const EvRuleSet *rules, const GraphData *data);

/* What is added to phi, over the threads of a pool: `adjuster` is filled, in the current context. */
extern KgeAdjustment evidence_adjustment(const Evidence *evidence, EvKind kind, int threads, EvAdjuster *adjuster);

/* The same with answerings that are there, one for each thread, or one for all where one thread at a time asks */
extern KgeAdjustment evidence_adjustment_by(const Evidence *evidence, EvKind kind, int threads, EvAnswering **answering,
											EvAdjuster *adjuster);

/* The same beside the scores of a model that has the evidence's rows; it must stay where it is. */
extern void evidence_expect(const Evidence *evidence, EvAdjuster *adjuster, const KgeModel *kge);

/* The evidence of that kind for a candidate of a question for answers on `side` */
extern double evidence_of_candidate(const Evidence *evidence, EvKind kind, int32 relation, Side side,
									const EvCandidate *candidate);

/* ---- evidence_rules.c: the rules of a model, in rows ---- */

/*
 * The rules that have an evidence_confidence, as far as `data` has rows for all that they name; in the current context.
 * added: where rows of entities are not by ascending id but as it has them; else NULL.
 */
extern EvRuleSet evidence_read_rules(const Graph *graph, const char *model, const GraphData *data,
									 const AddedEntities *added);

/* ---- evidence_weights.c: what was learnt, in table evidence_weight and column evidence of table model ---- */

/* Names of the kinds, NULL-terminated: embedding, rules, paths, both */
extern const char *const evidence_kinds[];

/* What a model has, of evidence */
typedef struct EvidenceParts
{
	bool		rules;
	bool		network;
} EvidenceParts;

typedef struct EvidenceDiscounts
{
	bool		has_rules;		/* whether rules are evidence */
	double		rules;			/* of rules alone, if so */
	double		both;
} EvidenceDiscounts;

/* False when nothing was written. */
extern bool evidence_read_discounts(const Graph *graph, const char *model, EvidenceDiscounts *discounts);

extern EvidenceParts evidence_has(const Graph *graph, const char *model);

/* Weights of the relations of `data`; the usual ones where there are none. */
extern void evidence_read_weights(Graph *graph, const char *model, const GraphData *data, EvWeights *weights);

/* How scores become probabilities: fills in the model's calibration, which has room. */
extern void evidence_read_calibration(const Graph *graph, Model *model);

/*
 * Writes what was learnt of a model that has these parts, in place of what was there; NULL: nothing was, and the usual
 * weights count.  Thresholds of scores that use evidence are deleted.
 */
extern void evidence_write_weights(const Graph *graph, const char *model, const GraphData *data, EvidenceParts has,
								   const EvLearnt *learnt);

/*
 * The share of the true facts that a model assumes to be missing, of which probabilities are those of missing facts; 0
 * (null in the table) where they are the chances to be held out.
 */
extern double evidence_read_missing(const Graph *graph, const char *model);
extern void evidence_write_missing(const Graph *graph, const char *model, double missing);

/* Whether weights and probabilities were learnt. */
extern bool evidence_has_learnt(const Graph *graph, const char *model);

/*
 * What a model has learnt of weights, probabilities and thresholds, as a text, for a model that goes on from it and
 * takes its place; NULL when there is no such model.  has: the evidence of the new model; where there is none, only
 * the thresholds of the embedding are restored.
 */
extern char *evidence_learnt(const Graph *graph, const char *model);
extern void evidence_restore(const Graph *graph, const char *model, const char *learnt, EvidenceParts has);

/* ---- learn_evidence.c ---- */

/* Triples of the valid split, or held out in its place, in rows */
typedef struct HeldOut
{
	const Triple *triple;
	int64		count;
	int64		most;			/* that are learnt from; 0: as many as take some minutes */
	double		missing;		/* see evidence_read_missing */
	const Triple *rejected;		/* ordered; no facts */
	int64		rejected_count;
} HeldOut;

/*
 * Learns the weights of a model from the valid split (rows of `data`, as those of kge) and writes
 * them; without one, writes the usual ones.  Its rules, if they are evidence, and its path network are in their tables.
 * Returns the MRR by all of them on the triples that were learnt from, NaN where there are none.
 */
extern double evidence_learn(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge,
						   Pool *pool, HeldOut valid, bool with_rules);

/*
 * What that takes beside its arguments, of a model with such rules: once as they are read, and once as they are used;
 * and with that network, but its parameters, on a graph of these degrees.  NULL: none
 */
extern uint64 evidence_learn_bytes(const KgeModel *kge, const GraphData *data, const EvRuleSet *rules,
								   const PathNetwork *network, Degrees degrees, int64 valid_count, int threads);

#endif							/* HKG_MODEL_MODEL_EVIDENCE_H */
