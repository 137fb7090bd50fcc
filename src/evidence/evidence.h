/*
 * model_evidence.h
 *		The face of the second pure half: what rules say of a triple, in memory.
 *
 * The facts stand as edges, in both directions, so that a rule is evaluated from
 * the entity that is asked about, without a statement of SQL.  As in src/kge, everything is
 * rows, memory comes from the caller's Arena, work runs on a Pool.
 *
 * Wording.  A directed atom is 2 * relation's row, and 1 more for the relation read
 * backwards.  The group of (entity, directed atom) is what the entity's edges of that atom lead to.
 */
#ifndef HKG_EVIDENCE_EVIDENCE_H
#define HKG_EVIDENCE_EVIDENCE_H

#include "kge/kge.h"

#define EV_FORWARDS(relation) (2 * (relation))
#define EV_MIRRORED(atom) ((atom) ^ 1)
#define EV_RELATION(atom) ((atom) / 2)

/* ---- fact_index.c -------------------------------------------------------------- */

typedef struct EvEdge
{
	int32_t		atom;			/* directed */
	int32_t		other;
} EvEdge;

typedef struct EvHolder
{
	int32_t		entity;
	int64_t		first;			/* edge of its group */
} EvHolder;

typedef struct EvFacts
{
	int32_t		entities;
	int32_t		relations;
	int64_t		edges;			/* twice the facts */
	int64_t    *start;			/* by entity: its first edge; and the end */
	EvEdge	   *edge;			/* of each entity, by atom, then by other */
	int64_t    *mirror;			/* of each edge: the first of the group (other, mirrored atom) */
	bool	   *reflexive;		/* by relation: whether a fact relates an entity to itself */
	int64_t    *holders;		/* by directed atom: its first holder; and the end */
	EvHolder   *holder;			/* of each atom, by entity: who has such edges */
} EvFacts;

/* A part of the edges, first .. end - 1 */
typedef struct EvGroup
{
	int64_t		first;
	int64_t		end;
} EvGroup;

/* Bytes that ev_facts will take from its arena. */
extern size_t ev_facts_bytes(int32_t entities, int32_t relations, int64_t facts);

/* The facts, each once; in the arena.  False when it is empty. */
extern bool ev_facts(Arena *arena, Pool *pool, int32_t entities, int32_t relations,
					 const Triple *triples, int64_t count, EvFacts *facts);

extern EvGroup ev_group(const EvFacts *facts, int32_t entity, int32_t atom);

/* The end of the group that begins at an edge of the entity. */
extern int64_t ev_group_end(const EvFacts *facts, int32_t entity, int64_t first);

/* Whether there is such an edge. */
extern bool ev_holds(const EvFacts *facts, int32_t entity, int32_t atom, int32_t other);

/* ---- rule_index.c: rules, ready to be asked -------------------------------------- */

#define EV_MAX_BODY 5

/* r(X,Y) <= a path from X to Y over directed atoms */
typedef struct EvRule
{
	int32_t		relation;
	int32_t		length;
	int32_t		atom[EV_MAX_BODY];
	float		confidence;		/* smoothed, in 0 .. 1 */
	int32_t		id;				/* the caller's */
} EvRule;

#define EV_X (-1)				/* terms: X, Y, other variables below them, entities from 0 on */
#define EV_Y (-2)
#define EV_IS (-1)				/* in the place of a relation: the two terms are the same entity */
#define EV_MAX_VARIABLES (2 * EV_MAX_BODY + 2)

typedef struct EvAtom
{
	int32_t		relation;
	int32_t		first;
	int32_t		second;
} EvAtom;

/* A rule of any other shape: with constants, with several atoms between two variables, ... */
typedef struct EvPattern
{
	int32_t		relation;
	int32_t		length;
	EvAtom		atom[EV_MAX_BODY];
	float		confidence;
	int32_t		id;
} EvPattern;

typedef struct EvRules
{
	int64_t		count;
	EvRule	   *rule;			/* by relation, then by atoms from X on */
	int64_t    *first;			/* by relation: its first rule; and the end */
	int64_t    *backwards;		/* numbers of each relation's rules, by atoms from Y on */
	int64_t		patterns;
	EvPattern  *pattern;		/* by relation */
	int64_t    *first_pattern;	/* by relation; and the end */
} EvRules;

/* Rules in no order */
typedef struct EvRuleSet
{
	const EvRule *rule;
	int64_t		count;
	const EvPattern *pattern;
	int64_t		patterns;
} EvRuleSet;

extern size_t ev_rules_bytes(int32_t relations, const EvRuleSet *set);

/* Copies and sorts the rules; false when the arena is empty. */
extern bool ev_rules(Arena *arena, Pool *pool, int32_t relations, const EvRuleSet *set, EvRules *sorted);

/* The i-th atom of the path that is walked when that side is asked for: from X, or from Y. */
extern int32_t ev_atom(const EvRule *rule, Side side, int i);

/* ---- answer.c: who is inferred ------------------------------------------------- */

/* The best rules that infer a candidate */
#define EV_FIRINGS 8

/* What the number of a heard rule is */
typedef enum EvSource
{
	EV_PATH,					/* place in EvRules.rule */
	EV_PATTERN,					/* place in EvRules.pattern */
	EV_FEATURE,					/* r(X,"c") <= b(X,"d"): edge of X, the given entity, to d */
	EV_ANSWER					/* r("g",Y) <= b(Y,"d"), g the given entity: edge of some Y to d */
} EvSource;

typedef struct EvFiring
{
	double		confidence;
	int32_t		cluster;		/* rules of one say much the same, and only the best of them is heard */
	EvSource	source;
	int64_t		number;
} EvFiring;

typedef struct EvCandidate
{
	int32_t		entity;
	int32_t		count;
	EvFiring		firing[EV_FIRINGS];	/* by confidence, falling */
} EvCandidate;

/* What one thread asks with. */
typedef struct EvAnswering EvAnswering;

extern size_t ev_answering_bytes(const EvFacts *facts);

/* NULL when the arena is empty.  facts and rules must stay. */
extern EvAnswering *ev_answering(Arena *arena, const EvFacts *facts, const EvRules *rules);

/*
 * The candidates for (given, relation), side asked for, that a rule infers, in no order; they
 * live until the next question that is another.  Besides the given rules these are all rules with a constant in head and
 * body, r(X,"c") <= b(X,"d") or r("c",Y) <= b(Y,"d"), that infer two facts at least: counted here and now.
 * `pool` and `thread`: where the call runs, which breathes.
 */
extern int64_t ev_answer(EvAnswering *answering, Side side, int32_t given, int32_t relation,
					  Pool *pool, int thread, const EvCandidate **candidates);

/* What is heard of an entity in answer to the last question; NULL when it is not inferred. */
extern const EvCandidate *ev_candidate(const EvAnswering *answering, int32_t entity);

/* ---- adjuster.c: evidence as a number, and as a second adjustment -------------------- */

/*
 * log(1 + s / 0.01), s = sum over i = 0, 1, ... of discount^i * -log(1 - c_i) over the confidences that are
 * heard, falling.  With discount 1, 1 - exp(-s) is the noisy-or of rules of different clusters; with
 * 0 the best rule alone counts, and the next ones where it is equal.  The logarithm makes
 * a rule's confidence comparable with the log-probability of a score.
 */
extern double ev_evidence(const EvCandidate *candidate, double discount);

/* The part of it, in 0 .. 1, that is owed to the i-th rule heard. */
extern double ev_share(const EvCandidate *candidate, double discount, int i);

/* How evidence is added up and weighed */
typedef struct EvWeights
{
	double		discount;
	double	   *weight;			/* by 2 * relation + side; NULL: all 1 */
	double	   *scale;			/* likewise; a score is scale * (phi + weight * evidence) */
} EvWeights;

/* Askers for the threads of a pool. */
typedef struct EvAdjuster
{
	const EvFacts *facts;
	const EvRules *rules;
	EvWeights	weights;
	int			threads;
	EvAnswering   **answering;
	KgeAddition **addition;		/* of each thread, room for all candidates */
} EvAdjuster;

extern size_t ev_adjuster_bytes(const EvFacts *facts, int threads);

/* False when the arena is empty. */
extern bool ev_adjuster(Arena *arena, const EvFacts *facts, const EvRules *rules, EvWeights weights,
					 int threads, EvAdjuster *adjuster);

/* Adds the evidence, with the adjuster's weights. */
extern KgeAdjustment ev_adjustment(EvAdjuster *adjuster);

/* ---- learn.c: weights and calibration ------------------------------------------- */

typedef enum EvKind
{
	EV_EMBEDDING,
	EV_RULES,
	EV_BOTH,
	EV_KINDS
} EvKind;

/*
 * The probability of a candidate is 1 / (1 + exp(-(score_slope * phi + evidence_slope * evidence + offset))).  It is of
 * these two and not of the score, because weights that put a question's candidates in order do
 * not make questions alike.
 */
typedef struct EvCalibration
{
	double		score_slope;
	double		evidence_slope;
	double		offset;
	double		error;			/* expected calibration error, on questions that were not fitted */
} EvCalibration;

typedef struct EvLearnt
{
	EvWeights	weights;
	double		alone;			/* the discount where rules are heard alone */
	int64_t    *questions;		/* likewise: how many it was learnt from */
	EvCalibration calibration[EV_KINDS];
} EvLearnt;

extern size_t ev_learn_bytes(const KgeModel *model, const EvFacts *facts, int64_t count,
							 int64_t known_count, int threads);

/*
 * Learns, from triples that neither embeddings nor rules have seen, how evidence is added up and
 * weighed.  With s = a * phi + b * evidence, the truth's probability among the candidates of its
 * question is softmax(s); a and b of a question's relation and side maximise the sum of
 * log(0.02 + that), drawn towards common ones as if by 20 more questions, and these towards 1 as if
 * by 5.  The discount is that of the highest mean reciprocal rank among 0, 1/4, 1/2, 3/4 and 1; of rules alone, too.  The weight is b / a, at most 100; the scale a / the common a, so that scores of all relations
 * compare.  Known answers are no candidates.  Of many triples an even part is taken, of the
 * candidates those of the highest scores and of the most evidence.  False when the arena is empty.
 */
extern bool ev_learn(Arena *arena, Pool *pool, const KgeModel *model,
					 const EvFacts *facts, const EvRules *rules,
					 const Triple *triples, int64_t count,
					 const Triple *known, int64_t known_count, EvLearnt *learnt);

/* ---- paths.c: rules found ---------------------------------------------------- */

/*
 * A path rule: relation(X, Y) <= atom[0](X, A), atom[1](A, B), ... up to Y.
 *
 * Its counts are of pairs (x, y) between which there is such a path over different entities, x and y
 * among them (object identity).  So a path never goes over the fact that it would support, and what it
 * is worth is what it is worth for facts that are not known.  x = y is a pair for relations with
 * reflexive facts only; then the path comes back to x.
 */
typedef struct EvPath
{
	int32_t		relation;
	int32_t		length;			/* 1 .. EV_MAX_BODY */
	int32_t		atom[EV_MAX_BODY];	/* directed */
	int64_t		support;		/* those pairs that are facts of the relation */
	int64_t		body_size;		/* all of them */
	double		confidence;		/* support / body_size */
	double		error;			/* its standard error; 0: all pairs were counted, else sizes are estimates */
} EvPath;

typedef struct EvSearch
{
	int			length;			/* of the longest body, 1 .. EV_MAX_BODY */
	int64_t		limit;			/* so many rules at most */
	int64_t		min_support;
	double		min_confidence;
	double		work;			/* edges that may be looked at for each length, and again for its counts */
	double		seconds;		/* after these, what was found so far; 0: as long as it takes */
	uint64_t	seed;
} EvSearch;

/* Bytes that ev_paths will take at most. */
extern size_t ev_paths_bytes(const EvFacts *facts, const EvSearch *search, int threads);

#define EV_SMOOTHING 5			/* added to the size of a body */

/*
 * What a rule is worth as evidence: the confidence of a small body says less than it seems to, and
 * an estimate no more than that it is less by its error.
 */
static inline double
ev_worth(int64_t support, int64_t body_size, double error)
{
	double		worth = (double) support / ((double) body_size + EV_SMOOTHING) - error;

	return worth > 0 ? worth : 0;
}

/*
 * Path rules, by length, relation and worth.  When they are more than the limit, shorter
 * ones go first, and of one length the best of each relation, as many of each.  BodyPairs of one
 * and two atoms are searched completely, longer ones where `work` suffices, else by a sample.  Depends
 * on the arguments alone, but for `seconds`.  Returns how many, in the arena; -1 when that is empty.
 */
extern int64_t ev_paths(Arena *arena, Pool *pool, const EvFacts *facts, const EvSearch *search,
						EvPath **found);

#endif							/* HKG_EVIDENCE_EVIDENCE_H */
