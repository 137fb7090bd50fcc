/*
 * predictor.h
 *		A model and the evidence that a call asks for: scores and probabilities of triples.
 */
#ifndef HKG_MODEL_PREDICTOR_H
#define HKG_MODEL_PREDICTOR_H

#include "server/compat.h"

#include "model_cache.h"
#include "model_evidence.h"

/* The argument `evidence`: 'embedding', 'rules', 'paths' or 'both' */
extern EvKind argument_evidence(FunctionCallInfo fcinfo, int i);

/*
 * The kind that a model can have: EV_EMBEDDING where all are wanted and it has no evidence; ERROR 55000 where rules
 * or paths alone are wanted and there are none.
 */
extern EvKind evidence_kind(const Evidence *evidence, EvKind kind, const char *model);

typedef struct Predictor
{
	const Model *model;
	KgeModel	kge;			/* with the added entities */
	const AddedEntities *added;
	const RejectedAnswers *rejected;
	EvKind		kind;
	const Evidence *evidence;	/* NULL: the embedding alone */
	EvAnswering *answering;
	uint64		facts_serial;	/* see model_facts */
} Predictor;

/* Entities that can be asked about or answer: the model's, and those that came after its training */
static inline int32
predictor_entities(const Predictor *predictor)
{
	return predictor->kge.entities + predictor->kge.added;
}

/* Opens the model of that name; errors are those of model_open and evidence_kind. */
extern Predictor predictor_open(Graph *graph, const char *model, EvKind kind);

/* The same of an opened model, whose facts were read with evidence where the kind has any. */
extern Predictor predictor_of(const Model *model, ModelFacts facts, EvKind kind);

/* ERROR 42501 where the caller may not read what was rejected.  To be called by whatever lists answers. */
extern void predictor_require_rejected(const Predictor *predictor, const Graph *graph);

/* The index of facts, read where it is not there; facts about what the model has no row for are left out. */
extern const FactIndex *predictor_facts(const Predictor *predictor, Graph *graph);

/* As graph_is_reflexive, of a row of the model: from memory, where the facts are there. */
extern bool predictor_is_reflexive(const Predictor *predictor, Graph *graph, int32 relation);

/* The two parts of a score; 0 for a part that the kind leaves out */
typedef struct ScoreParts
{
	double		phi;
	double		evidence;
} ScoreParts;

/* Of a triple of the model, as an answer to (head, relation, ?) */
extern ScoreParts predictor_parts(const Predictor *predictor, Triple triple);

/* The same as an answer on a side, where its phi is there already; that is 0 where the kind leaves it out. */
extern ScoreParts predictor_parts_on(const Predictor *predictor, Side side, Triple triple, double phi);

/* Memory for the embedding's scores of one triple after the other. */
extern KgeExactScore predictor_exact_score(const Predictor *predictor);

/*
 * The score of an answer (of the predictor, kind and evidence are used), and its probability among the others; or that
 * of a tail where no other one is looked at (the model's calibration is used, too).
 */
extern double predictor_score(const Predictor *predictor, Side side, int32 relation, ScoreParts parts);
extern double predictor_probability(const Predictor *predictor, Side side, int32 relation, EvJudged judged);
extern double predictor_probability_alone(const Predictor *predictor, int32 relation, EvJudged judged);

/* Whether the model has learnt any probability of this kind; all others are NaN. */
extern bool predictor_knows_probabilities(const Predictor *predictor);

/*
 * The probability of a triple by both questions that it answers, those for a head and for a tail: by the one of them that
 * has one answer, if only one has; it knows which answers exclude each other.  Else see ev_probability_by_both.
 */
extern double predictor_probability_by_both(const Predictor *predictor, int32 relation, double by_head, double by_tail);

/* The known answers of a question */
static inline int64
known_answers(const FactIndex *facts, Side side, int32 given, int32 relation)
{
	FactGroup	known = fact_group(facts, given, asked_atom(relation, side));

	return known.end - known.first;
}

/* The question, in whose answers neither known nor rejected ones are, which are written to `row`, ascending; and their number. */
extern int64 predictor_excluded(const Predictor *predictor, const FactIndex *facts, Side side, int32 given, int32 relation);
extern Question predictor_question(const Predictor *predictor, const FactIndex *facts, Side side, int32 given,
								   int32 relation, int32 *row);

/*
 * What calibration looks at beside an answer: the scores of the best ones of its question, which come best first.  Of the
 * known_count answers that are known, those in `known` (ascending rows; NULL: none is among the best) are not counted; nor
 * is what is given, but for reflexive relations, nor, without the embedding, what has no evidence.
 */
extern EvQuestionScores predictor_question_scores(const Predictor *predictor, const Question *question, bool reflexive,
												  const int32 *known, int64 known_count, const KgeAnswer *answer,
												  int64 count);

/* The score that a question's best answer needs, see ev_score_needed. */
extern double predictor_score_needed(const Predictor *predictor, Side side, int32 relation, int64 known, double last,
									 double probability);

/* Whether a triple that is judged alone is more probable than not; a fact, as if it were none. */
extern bool predictor_is_probable(const Predictor *predictor, const FactIndex *facts, Triple triple, ScoreParts parts);

/* What many triples are scored by; it must not move */
typedef struct Scoring
{
	KgeModel	kge;
	const KgeAdjustment *adjustment;	/* what is added; NULL where nothing is */
	KgeAdjustment evidence;
	EvAdjuster	adjuster;
} Scoring;

/*
 * In the current context.  Without the embedding, only the numbers of entities and relations, and the entities that may
 * answer, are taken from kge.
 */
extern void scoring_open(const Evidence *evidence, EvKind kind, KgeModel kge, int threads, Scoring *scoring);

#endif							/* HKG_MODEL_PREDICTOR_H */
