/*
 * evidence.h
 *		What rules and learnt paths infer, beside the scores of embeddings.
 *
 * The facts stand as edges, in both directions, so that rules are applied from the entity that a question
 * gives, without a statement of SQL.  A path network (paths/paths.h) reads the same edges.  As in src/kge, entities and
 * relations are row numbers, memory comes from the caller's Arena, and work runs on a Pool.  Functions that take memory
 * have one beside them with the bytes that they take at most, and return false, NULL or -1 when the arena is empty.
 */
#ifndef HKG_EVIDENCE_EVIDENCE_H
#define HKG_EVIDENCE_EVIDENCE_H

#include "body.h"
#include "facts/fact_index.h"

#include "kge/top.h"
#include "paths/paths.h"

#include <math.h>

/* What a prediction is made from */
typedef enum EvKind
{
	EV_EMBEDDING,
	EV_RULES,
	EV_NETWORK,
	EV_BOTH,					/* all that the model has */
	EV_KINDS
} EvKind;

/* Whether scores have a part of the embedding's; else they are evidence alone, and what has none is no answer. */
static inline bool
ev_uses_embedding(EvKind kind)
{
	return kind == EV_EMBEDDING || kind == EV_BOTH;
}

/* ---- rule_index.c: rules by relation -------------------------------------- */

#define EV_SMOOTHING 5			/* added to the size of a body */

/*
 * The smoothed confidence of a rule, less the standard error where its counts are estimates: a few pairs can
 * give a high plain confidence by chance.
 */
static inline double
ev_smoothed_confidence(int64_t support, int64_t body_size, double error)
{
	double		confidence = (double) support / ((double) body_size + EV_SMOOTHING) - error;

	return confidence > 0 ? confidence : 0;
}

/* The rule r(X,Y) <= a path from X to Y: over atom[0] to A, over atom[1] to B, ... */
extern Rule ev_path_rule(int32_t head, const DirectedAtom *atom, int length);

/* A rule as evidence, in rows */
typedef struct EvRule
{
	Rule		rule;
	float		confidence;		/* smoothed, in 0 .. 1 */
	int32_t		id;				/* the caller's */
	bool		is_path;		/* its atoms are in the order of ev_path_rule; else it is a pattern.  ev_rules finds out */
} EvRule;

typedef struct EvRules
{
	int64_t		count;
	EvRule	   *rule;			/* by relation: paths, by their atoms from X on; then patterns, by id */
	int64_t    *first;			/* by relation: its first rule; and the end */
	int64_t    *pattern;		/* by relation: its first rule that is no path */
	int64_t    *backwards;		/* numbers of each relation's paths, by the atoms from Y on */
	void	   *memory;			/* what all of these are in */
} EvRules;

/* Rules in any order */
typedef struct EvRuleSet
{
	const EvRule *rule;
	int64_t		count;
} EvRuleSet;

extern size_t ev_rules_bytes(int32_t relations, const EvRuleSet *set);

/* Copies and sorts the rules. */
extern bool ev_rules(Arena *arena, Pool *pool, int32_t relations, const EvRuleSet *set, EvRules *rules);

/* As fact_index_memory and fact_index_move. */
extern const void *ev_rules_memory(const EvRules *rules, int32_t relations, size_t *bytes);
extern void ev_rules_move(EvRules *rules, int32_t relations, void *memory);

/* The i-th directed atom of a path from the entity that is given, when answers take that side. */
extern DirectedAtom ev_atom(const Rule *rule, Side side, int i);

/* ---- answer.c: rules that fire for a question ----------------------------- */

/* Rules kept for a candidate: the most confident that fire */
#define EV_FIRINGS 8

/* A rule with an empty body: the part of its confidence that counts, since it fires whatever is asked about */
#define EV_COMMON_PART 0.1
#define EV_COMMON_CLUSTER ((1u << 30) - 1)

/* What EvFiring.number is */
typedef enum EvSource
{
	EV_RULE,					/* place in EvRules.rule */
	EV_FEATURE,					/* r(X,"c") <= b(X,"d"): the group of all X that have the feature, which d begins */
	EV_ANSWER,					/* r("g",Y) <= b(Y,"d"), g the given entity: likewise, of all Y */
	EV_COMMON					/* r(X,"c") <=: c */
} EvSource;

typedef struct EvFiring
{
	double		confidence;
	double		strength;		/* see ev_strength */
	unsigned	cluster:30;		/* rules of a cluster are much alike: only the most confident that fires counts */
	unsigned	source:2;		/* EvSource */
	int32_t		number;
} EvFiring;

typedef struct EvCandidate
{
	int32_t		entity;
	int32_t		count;
	EvFiring	firing[EV_FIRINGS]; /* by confidence, falling */
	double		network;		/* score of the path network; 0: not reached */
} EvCandidate;

/* What questions are answered by */
typedef struct EvBasis
{
	const FactIndex *facts;
	const EvRules *rules;		/* NULL: no rules, not even those that are counted when a question is asked */
	const PathNetwork *network; /* NULL: none */
} EvBasis;

/* What one thread answers questions with. */
typedef struct EvAnswering EvAnswering;

extern size_t ev_answering_bytes(const EvBasis *basis);

/* All that `basis` leads to must stay. */
extern EvAnswering *ev_answering(Arena *arena, const EvBasis *basis);

/* The score of its path network is no higher; 0: it has none. */
extern double ev_answering_most_network(const EvAnswering *answering);

/*
 * The candidates for a question, with what it excludes, in no order; they last until another question: what rules
 * infer (EV_RULES), what the path network scores above 0 (EV_NETWORK), or either (EV_BOTH).  Besides the given rules
 * these are all rules with a constant in head and body, r(X,"c") <= b(X,"d") or r("c",Y) <= b(Y,"d"), that infer two
 * facts at least, and those with an empty body, r(X,"c") <=: they are counted during the call.  The call runs in
 * `thread` of `pool`, or in its leader, and yields there.
 */
extern int64_t ev_answer(EvAnswering *answering, EvKind kind, Question question, Pool *pool, int thread,
						 const EvCandidate **candidates);

/* The candidate that an entity is for the last question; NULL when it is not inferred. */
extern const EvCandidate *ev_candidate(const EvAnswering *answering, int32_t entity);

/* ---- aggregate.c: evidence, and scores with it ---------------------------- */

/*
 * The evidence of rules for a candidate: log(1 + s / 0.01), s = sum over i = 0, 1, ... of discount^i * -log(1 - c_i), c_i
 * the confidences of the firing rules, falling.  With discount 1, 1 - exp(-s) is the noisy-or of rules of
 * different clusters; with 0 the most confident rule counts alone, and the next ones where it is equal.  The
 * logarithm makes a rule's confidence comparable with the log-probability of a score.
 */
extern double ev_evidence(const EvCandidate *candidate, double discount);

/* The term of a confidence c in s, -log(1 - c); of certainty, that of nearly so. */
extern double ev_strength(double confidence);

/* The share of the i-th firing rule in s, in 0 .. 1. */
extern double ev_share(const EvCandidate *candidate, double discount, int i);

/* How evidence is combined with scores */
typedef struct EvWeights
{
	double		discount;
	double	   *weight;			/* by 2 * relation + side; NULL: all 1 */
	double	   *scale;			/* likewise; the score is scale * (phi + weight * evidence) */
	double	   *network;		/* likewise; evidence is that of rules + network * the network's score; NULL: all 0 */
} EvWeights;

/* Where there is nothing to learn from: about what three benchmark graphs taught (bench/RESULTS.md) */
#define EV_USUAL_DISCOUNT 0.25
#define EV_USUAL_WEIGHT 1.5

/* Evidence of rules and the network's score as one number, for a kind of prediction; key: 2 * relation + side */
extern double ev_combined(const EvWeights *weights, EvKind kind, int32_t key, double rules, double network);

/* All evidence for a candidate: its rules and its paths, combined */
extern double ev_evidence_by(const EvWeights *weights, EvKind kind, int32_t key, const EvCandidate *candidate);

/* The weights as an adjustment, which lists nothing: for kge_adjusted_score and kge_adjusted_share */
extern KgeAdjustment ev_weighing(const EvWeights *weights);

/* The score of a candidate with that evidence, for a kind of prediction */
extern double ev_score(const EvWeights *weights, EvKind kind, int32_t key, double phi, double evidence);

/* ---- expected.c: new entities that rules infer ----------------------------- */

typedef struct EvCandidates
{
	const EvCandidate *candidate;
	int64_t		count;
} EvCandidates;

/* A line above scores by evidence */
typedef struct EvExpected
{
	bool		found;			/* whether there is one */
	double		level;
	double		slope;
} EvExpected;

/*
 * The line above the scores of trained candidates of a question that are no facts; none where no candidate is new,
 * or too few are not.  is_new: by entity; scorer: of the model, which it prepares.
 */
extern EvExpected ev_expected(const FactIndex *facts, const bool *is_new, EvCandidates candidates, const EvWeights *weights,
							  const Question *question, KgeScorer *scorer, Pool *pool, int thread);

/* The score of a new entity with that evidence: its own where there is no line. */
extern double ev_expected_score(const EvExpected *expected, double score, double evidence);

/* ---- aggregate.c: probabilities; adjuster.c: adjusted scores ------------------ */

/* The best answers of a question that calibration looks at */
#define EV_SHOWN 10

/*
 * A score becomes a probability.  With n known answers of the question,
 *
 *		x = slope * score + score_slope * phi + evidence_slope * evidence + best * (the question's best score)
 *			+ spread * (from its best to its EV_SHOWN-th score, 0 where fewer are shown) + intercept
 *			+ (n = 0 ? unanswered : answers * log(1 + n))
 *
 * and T = 1 / (1 + exp(-x)) is the probability that a candidate which is no fact is true, held out or missing.  All but the
 * slopes is the same for the candidates of one question, so probabilities are in the order of scores.  (Slopes of the
 * parts are those of models that an older version learnt; they are 0 in what is learnt here.)
 *
 * It was fitted with rho = fitted_odds missing facts for each one that is held out, so that the chance to be held out is
 * T / (1 + rho); with fitted_odds of 0, T is that chance.  With another rho, odds, T is what that chance becomes, 1 at
 * most.  Asked about is what is not held out: P = ev_missing(T, odds); with odds of 0, the chance.  In both steps but
 * the last one rho is most_odds at most, where that is above 0.
 *
 * Where the answers of a question exclude each other, L = log(sum of exp(choice * score)) of its EV_SHOWN best answers
 * stands in place of the score, and each of the N <= EV_SHOWN has the share (1 - d) exp(choice * score - L) + d / N of
 * P, with d = odd.  Those behind share 1 - P at most, evenly.
 *
 * Where the spread of a question is below least_spread, that of any question whose held-out answer was found, its scores
 * say little.  With f < 1 the ratio of the two and N its candidates, P is multiplied by f, and by another
 * max(2 f - 1, EV_SHOWN / N) behind the EV_SHOWN best answers.  No probability is above `most`.
 */
typedef struct EvCalibration
{
	double		slope;			/* NaN: nothing was learnt, and no probability is known */
	double		score_slope;
	double		evidence_slope;
	double		intercept;
	double		unanswered;
	double		answers;
	double		best;
	double		spread;
	double		least_spread;
	double		odds;
	double		fitted_odds;
	double		most_odds;		/* 0: nothing bounds rho */
	bool		exclusive;		/* answers of a question exclude each other */
	double		choice;			/* 0 or more */
	double		odd;			/* d, 0 to 1 */
	double		most;			/* 0: nothing bounds it */
} EvCalibration;

static inline EvCalibration
ev_no_calibration(void)
{
	return (EvCalibration) {.slope = NAN};
}

/* Where the other answers of a question are ranked, and where a triple is judged alone: best and spread are 0 there. */
typedef struct EvCalibrations
{
	EvCalibration ranked;
	EvCalibration alone;
} EvCalibrations;

/* What the answers of one question have in common */
typedef struct EvQuestionScores
{
	int64_t		known;			/* answers among the facts */
	int32_t		entities;		/* that may be answers */
	int32_t		shown;			/* answers that were taken, the best ones, EV_SHOWN at most */
	double		best;
	double		last;			/* the score of the last one, if EV_SHOWN were taken, else 0 */
	double		sum;			/* of exp(choice * (score - best)), see EvCalibration */
} EvQuestionScores;

/* What a candidate is judged by */
typedef struct EvJudged
{
	double		score;
	double		phi;
	double		evidence;
	EvQuestionScores question;
} EvJudged;

/* Takes the score of a question's best answer that is no fact, then of the next ones; beyond EV_SHOWN, nothing. */
static inline void
ev_show_score(const EvCalibration *calibration, EvQuestionScores *question, double score)
{
	if (question->shown == EV_SHOWN)
		return;
	if (question->shown++ == 0)
		question->best = score;
	if (question->shown == EV_SHOWN)
		question->last = score;
	question->sum += exp(calibration->choice * (score - question->best));
}

/* The probability to be missing of what is true with that probability, and not held out; odds: rho */
extern double ev_missing(double truth, double odds);

/* NaN where nothing was learnt. */
extern double ev_probability(const EvCalibration *calibration, EvJudged judged);

/* The probability whose log odds are the mean of those of two: of a triple, by the two questions that it answers */
extern double ev_probability_by_both(double p, double q);

/*
 * The score that the best answer of a question has at least where some answer is that probable: with so many known
 * answers, and an EV_SHOWN-th best score of `last` or more.  Minus infinity where this does not bound it.
 */
extern double ev_score_needed(const EvCalibration *calibration, int64_t known, double last, double probability);

/*
 * rho, by which the chance to be held out becomes the chance to be a missing fact: m / (s (1 - m)), where s is the
 * share of the known facts that is held out and m the share of all true facts that is missing.
 */
extern double ev_odds(double held_out, double missing);

/* Evidence as an adjustment of scores, for the threads of a pool */
typedef struct EvAdjuster
{
	const FactIndex *facts;
	EvWeights	weights;
	EvKind		kind;			/* of evidence: not that of the embedding */
	int			threads;
	EvAnswering **answering;	/* of each thread */
	KgeAddition **addition;		/* likewise, room for all candidates */
	const bool *is_new;			/* by entity; NULL: none is */
	KgeScorer **scorer;			/* of each thread, where some are */
	KgeExactScore *exact;		/* likewise: the search adds to exact scores */
	KgeAdjustment quick;		/* that of rules alone, where there are paths, too */
	double		most_network;		/* no score of theirs is above it */
} EvAdjuster;

extern bool ev_adjuster(Arena *arena, const EvBasis *basis, EvWeights weights, EvKind kind, int threads,
						EvAdjuster *adjuster);

/* From then on, new entities that are inferred get the score that is expected of them, in place of their own. */
extern bool ev_adjuster_expect(Arena *arena, EvAdjuster *adjuster, const KgeModel *model, const bool *is_new);

/* Adds the evidence, with the adjuster's weights; quickly that of rules alone.  The adjuster must stay where it is. */
extern KgeAdjustment ev_adjustment(EvAdjuster *adjuster);

/* ---- question_domain.c: the questions that a user asks ---------------------- */

/*
 * The entities that questions with an atom are about, their given entities: those with facts of that atom (holders),
 * and those without that are like them: they have an atom of whose holders a given share, and at least two, have this
 * one, too.
 */
#define EV_ALIKE 0.1			/* the share for questions that users ask */
#define EV_MUCH_ALIKE 0.5		/* and for those of hkg_complete, which nobody has asked */

typedef struct EvDomain
{
	int64_t		holders;
	int64_t		alike;
	int32_t    *entity;			/* holders, ascending; then the others */
} EvDomain;

/* Finds one domain after another */
typedef struct EvDomainFinder EvDomainFinder;

extern size_t ev_domain_finder_bytes(const FactIndex *facts);
extern EvDomainFinder *ev_domain_finder(Arena *arena, const FactIndex *facts, double least_share);

/* The domain of an atom; it lasts until the next one is asked for. */
extern EvDomain ev_domain(EvDomainFinder *finder, DirectedAtom atom, Pool *pool, int thread);

/* Whether an entity is in that domain. */
extern bool ev_in_domain(const EvDomainFinder *finder, int32_t entity);

/* ---- learn.c: weights and calibration ------------------------------------- */

#define EV_MOST_TRIPLES 10000	/* that are learnt from; of more, an even part is */
#define EV_LEAST_TRIPLES 200	/* that a training learns from at least, however short its time */
#define EV_PATH_WORK 5e12		/* floating point operations of a path network that is asked for them, at most */

/* Triples that neither embeddings nor rules were learnt from, with what they are learnt from here */
typedef struct EvExampleSource
{
	const KgeModel *model;
	const FactIndex *facts;
	const EvRules *rules;		/* NULL: none, as in EvBasis */
	const Triple *triples;
	int64_t		count;
	const Triple *filter;		/* its answers are no candidates */
	int64_t		filter_count;
	const Triple *rejected;		/* known to be false, ordered by triple_compare */
	int64_t		rejected_count;
	double		missing;		/* share of the true facts that is assumed to be missing; 0: none is */
	const PathNetwork *network; /* NULL: none */
	Degrees		degrees;		/* of the facts, beside a network */
	int64_t		most;			/* triples that are learnt from, where EV_MOST_TRIPLES take too long; 0: those */
} EvExampleSource;

static inline EvBasis
ev_basis(const EvExampleSource *source)
{
	return (EvBasis) {source->facts, source->rules, source->network};
}

/* Whether a prediction of that kind can be made. */
static inline bool
ev_has_kind(const EvExampleSource *source, EvKind kind)
{
	return (kind != EV_RULES || source->rules != NULL) && (kind != EV_NETWORK || source->network != NULL);
}

typedef struct EvLearnt
{
	EvWeights	weights;
	double		alone;			/* the discount of rules alone */
	int64_t    *questions;		/* by 2 * relation + side: how many the weights were learnt from */
	double		mrr;			/* of the true answers among the candidates of those questions, by these weights */
	double	   *held_out;		/* by relation: the share of its facts, drawn towards that of all relations */
	double	   *most_odds;		/* by relation: rho is no higher, whatever is assumed to be missing */
	double		held_out_all;	/* the share of all facts */
	double		missing;		/* EvExampleSource's, which probabilities were fitted with */
	/* of the kinds that ev_has_kind */
	EvCalibrations *calibration[EV_KINDS];	/* by 2 * relation + side; odds are left to the caller */
	EvCalibrations common[EV_KINDS];	/* of all of them together */
	double		error[EV_KINDS];	/* expected calibration error, on questions that were not fitted */
} EvLearnt;

extern size_t ev_learn_bytes(const EvExampleSource *source, int threads);

/* Learns what doc/method.md, "Evidence at prediction", defines. */
extern bool ev_learn(Arena *arena, Pool *pool, const EvExampleSource *source, EvLearnt *learnt);

/* ---- path_discovery.c: path rules found in the facts ---------------------- */

/*
 * Counts of pairs (x, y) that a path connects over different entities, x and y among them (object identity).  So no
 * path uses the fact that it would support, and the confidence is that for facts that are missing.  x = y is a pair
 * only for relations with reflexive facts; then the path leads back to x.
 */
typedef struct EvPathCounts
{
	int64_t		support;		/* the pairs that are facts of the relation */
	int64_t		body_size;		/* all pairs; 0: not known, since the work was spent before enough of them were seen */
	double		confidence;		/* support / body_size */
	double		error;			/* its standard error; 0: all pairs were counted, else sizes are estimates */
	int64_t		known[2];		/* of given paths: pairs whose question for answers on a side has one among the facts */
} EvPathCounts;

/* A path rule, as ev_path_rule makes it, with its counts */
typedef struct EvPathRule
{
	Rule		rule;
	EvPathCounts counts;
} EvPathRule;

typedef struct EvSearch
{
	int			length;			/* of the longest body, 1 .. RULE_MAX_BODY */
	int64_t		limit;			/* of the number of rules */
	int64_t		min_support;
	double		min_confidence;
	double		work;			/* edges that may be looked at for each length, and again for its counts */
	double		seconds;		/* a limit of time, which ends the search with what was found; 0: none */
	uint64_t	seed;
} EvSearch;

extern size_t ev_path_rules_bytes(const FactIndex *facts, const EvSearch *search, int threads);

/*
 * Path rules, by length, relation and smoothed confidence.  When they are more than the limit, shorter ones
 * are kept first, and of one length the best of each relation, as many of each.  Bodies of one and two atoms
 * are searched completely, longer ones where `work` suffices, else by a sample.  The result depends on the
 * arguments alone, but for `seconds`.  Returns how many.
 */
extern int64_t ev_path_rules(Arena *arena, Pool *pool, const FactIndex *facts, const EvSearch *search,
							 EvPathRule **found);

/*
 * Counts path rules again, in other facts with the same rows: those that were found and some more.  Rules with an
 * error keep their counts, which are estimates.  Takes less memory than ev_path_rules; false when the arena is empty.
 */
extern bool ev_recount_path_rules(Arena *arena, Pool *pool, const FactIndex *facts, const EvSearch *search,
								  EvPathRule *path, int64_t count);

/*
 * Counts relation(X, Y) <= path for some paths: each may look at search->work edges, from the ends of its pairs that
 * search->seed draws.  Of a path that needs more, counts are estimates; of the others, `known` is exact, too.  False
 * when the arena is empty.
 */
extern bool ev_count_paths(Arena *arena, Pool *pool, const FactIndex *facts, const EvSearch *search, int32_t relation,
						   const RelationPath *path, int64_t count, EvPathCounts *counts);

#endif							/* HKG_EVIDENCE_EVIDENCE_H */
