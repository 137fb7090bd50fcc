/*
 * model_evidence.h
 *		What the rules of a model say at prediction: the extension's side of src/evidence.
 *
 * A model's evidence are its rules with an evidence_confidence, the graph's facts, and the weights in
 * table evidence_weight.
 */
#ifndef HKG_MODEL_MODEL_EVIDENCE_H
#define HKG_MODEL_MODEL_EVIDENCE_H

#include "server/compat.h"

#include "model.h"

struct Evidence
{
	const int32 *entity_id;		/* row -> id, ascending */
	const int32 *relation_id;
	EvFacts		facts;
	EvRules		rules;
	EvWeights	weights;
	double		alone;			/* the discount where rules are heard alone */
};

/* The argument `evidence`: 'embedding', 'rules' or 'both'. */
extern EvKind argument_evidence(FunctionCallInfo fcinfo, int i);

/* A kind as that argument says it. */
extern const char *evidence_name(EvKind kind);

/*
 * The evidence of a model, in the current context, from given facts and in their rows, or from all facts of the
 * graph and in the model's rows; NULL when it has none.  ERROR 22000 when what was learnt is damaged; 53200 when it would not
 * fit hybridkg.max_memory beside the bytes that are taken already.
 */
extern Evidence *evidence_of_data(Graph *graph, const char *model, const GraphData *data);
extern Evidence *evidence_of_model(Graph *graph, const Model *model, uint64 taken);

/* To ask one question at a time, in the current context; ERROR 53200 as above. */
extern EvAnswering *evidence_answering(const Evidence *evidence, uint64 taken);

/*
 * What `kind` of evidence a function is to hear of a model: EV_EMBEDDING where both are asked for and
 * it has no rules; ERROR 55000 where rules alone are asked for and there are none.
 */
extern EvKind evidence_kind(const Evidence *evidence, EvKind kind, const char *model);

/* A model, and what is to be heard of it */
typedef struct Predictor
{
	const Model *model;
	EvKind		kind;
	const Evidence *evidence;	/* NULL: the embedding alone */
	EvAnswering    *answering;
} Predictor;

/* Opens the model of that name; errors are those of model_open and evidence_kind. */
extern Predictor predictor_open(Graph *graph, const char *model, EvKind kind);

/* What is added to phi, over the threads of a pool: `adjuster` is filled, in the current context. */
extern KgeAdjustment evidence_adjustment(const Evidence *evidence, EvKind kind, int threads, EvAdjuster *adjuster);

/* What many triples are scored by; it must not move */
typedef struct Scoring
{
	KgeModel	kge;
	const KgeAdjustment *adjustment;	/* what is added; NULL where nothing is */
	KgeAdjustment	said;
	EvAdjuster		adjuster;
} Scoring;

/* In the current context.  Where rules are heard alone, only the numbers of entities and relations are taken from kge. */
extern void evidence_scoring(const Evidence *evidence, EvKind kind, KgeModel kge, int threads, Scoring *scoring);

/* What the two halves say of a triple; 0 where a kind does not listen */
typedef struct ScoreParts
{
	double		phi;
	double		evidence;
} ScoreParts;

/* Of a triple of the model, as an answer to (head, relation, ?). */
extern ScoreParts evidence_of_triple(const Model *model, const Evidence *evidence, EvAnswering *answering, EvKind kind,
								Triple triple);

/* How the rules that infer a candidate are added up: with the discount of that kind. */
extern double evidence_of_candidate(const Evidence *evidence, EvKind kind, const EvCandidate *candidate);

/* The score and the probability of an answer. */
extern double evidence_score(const Evidence *evidence, EvKind kind, Side side, int32 relation, ScoreParts heard);
extern double evidence_probability(const Model *model, EvKind kind, ScoreParts heard);

/* What table calibration says of a model. */
extern void evidence_read_calibration(const Graph *graph, const char *model, EvCalibration *calibration);

/*
 * Learns the weights of a model from the valid split (rows of `data`, as those of kge) and writes
 * them; without one, writes what has been good elsewhere.
 */
extern void evidence_learn(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge,
						   Pool *pool, const Triple *valid, int64 valid_count);

/* What that takes beside its arguments, of a model with such rules: as they are read, which doubles their room, and as they are heard. */
extern uint64 evidence_learn_bytes(const KgeModel *kge, const GraphData *data, const EvRuleSet *rules,
								   int64 valid_count, int threads);

/*
 * What a model has learnt to weigh evidence and scores by, for one that goes on from it and takes its place: a text, NULL when
 * there is no such model.  heard: whether the new one hears rules; else it has a use for the embedding's thresholds alone.
 */
extern char *evidence_learnt(const Graph *graph, const char *model);
extern void evidence_restore(const Graph *graph, const char *model, const char *learnt, bool heard);

#endif							/* HKG_MODEL_MODEL_EVIDENCE_H */
