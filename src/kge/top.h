/*
 * top.h
 *		The best candidates: of a question, of many, of all questions; neighbours.
 */
#ifndef HKG_KGE_TOP_H
#define HKG_KGE_TOP_H

#include "kge.h"

/* ---- sketch.c ----------------------------------------------------------- */

/* What kge_top looks at first: a coarse copy of a model's entities (sketch.h). */
typedef struct KgeSketch KgeSketch;

/* Bytes that kge_sketch will take from its arena. */
extern size_t kge_sketch_bytes(const KgeModel *model);

/* NULL when the arena is empty. */
extern const KgeSketch *kge_sketch(Arena *arena, Pool *pool, const KgeModel *model);

/*
 * Its arrays as one piece of memory, and a sketch whose arrays are in a copy of that, at a multiple of 64; the model
 * must be as large.  NULL when the arena is empty.
 */
extern const void *kge_sketch_memory(const KgeSketch *sketch, const KgeModel *model, size_t *bytes);
extern const KgeSketch *kge_sketch_over(Arena *arena, const KgeModel *model, void *memory);

/* ---- top_entities.c: the best candidates of a question, neighbours ---- */

typedef struct KgeAnswer
{
	double		score;			/* with the adjustment's scale and addition */
	double		phi;
	double		addition;
	int32_t		row;
} KgeAnswer;

/* The best first; for qsort */
static inline int
kge_compare_answers(const void *a, const void *b)
{
	const KgeAnswer *left = a;
	const KgeAnswer *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

/*
 * The k candidates of highest score; NaN scores are left out; ties go to the lower
 * row.  Fills answers (room for k), best first; returns how many, or -1
 * when the arena is empty.  The answer is exact; the model's sketch makes it quick.  Added entities are candidates, too.
 * adjustment: adds to scores, NULL for none; it lists once, while other threads look at the sketch.
 */
extern int64_t kge_top(Arena *arena, Pool *pool, const KgeModel *model,
					   const KgeSketch *sketch, Question question, const KgeAdjustment *adjustment,
					   int64_t k, KgeAnswer *answers);

/*
 * The k entities whose rows have the highest cosine with that of `entity`, which is not among them;
 * those without a cosine, of length 0 or not finite, are left out.  As kge_top otherwise.
 */
extern int64_t kge_neighbors(Arena *arena, Pool *pool, const KgeModel *model,
							 int32_t entity, int64_t k, int32_t *rows, double *cosines);

/* The cosine of the rows of two entities, which may be added ones; NaN where it has none. */
extern double kge_cosine(const KgeModel *model, int32_t a, int32_t b);

/* ---- scorer.c: scores of a block of questions, by one thread ------------------- */

#define KGE_SCORER_QUESTIONS 64	/* of a block, at most */

typedef struct KgeScorer KgeScorer;

/* Whether a search is faster with a sketch; without this it may not have one. */
extern bool kge_scorer_uses_sketch(const KgeModel *model);

/* Bytes that kge_scorer will take from its arena, at most. */
extern size_t kge_scorer_bytes(const KgeModel *model);

/* sketch: that of `model`, or NULL.  NULL when the arena is empty. */
extern KgeScorer *kge_scorer(Arena *arena, const KgeModel *model, const KgeSketch *sketch);

/* Makes the queries of the questions that the next calls are about. */
extern void kge_scorer_prepare(KgeScorer *scorer, const Question *questions, int count);

/* phi of an entity as answer of a question, in single precision. */
extern float kge_scorer_score(const KgeScorer *scorer, int question, int32_t entity);

typedef void (*KgeScorerVisit) (void *argument, int question, int32_t entity, float score);

/*
 * Visits the entities of a tile, from `first` on, whose score is above least[question], by ascending number for each
 * question; the visit may raise least.  Returns the first entity after the tile.
 */
extern int32_t kge_scorer_search(KgeScorer *scorer, int32_t first, const float *least, KgeScorerVisit visit,
								 void *argument);

/* ---- top_many.c: the best candidates of many questions ------------------------ */

typedef struct KgeTopMany KgeTopMany;

/*
 * What searches with.  `adjustment` may be NULL.  `listed`: only what the adjustment lists is a candidate, and phi is
 * 0.  sketch: that of `model`, or NULL, which takes longer.  NULL when the arena is empty.
 */
extern KgeTopMany *kge_top_many(Arena *arena, Pool *pool, const KgeModel *model, const KgeSketch *sketch,
								const KgeAdjustment *adjustment, bool listed);

/*
 * Of each question the k candidates of highest score, as kge_top has them: in answers[i * k ...], best first, and how
 * many they are in found[i].  k is at most the number of entities.
 */
extern void kge_top_many_ask(KgeTopMany *search, const Question *question, int64_t count, int64_t k,
							 KgeAnswer *answers, int64_t *found);

/* From the next questions on, with another adjustment; no NULL for one, nor one for NULL. */
extern void kge_top_many_adjust(KgeTopMany *search, const KgeAdjustment *adjustment);

/* ---- chosen.c: some entities as candidates ---------------------------------------- */

/*
 * A model whose entities are chosen ones of another model, so that searches pass over these alone.  All entities follow
 * them as added ones: they are given, and scored one by one.
 */
typedef struct KgeChosen
{
	KgeModel	model;
	const KgeAdjustment *adjustment;	/* of its rows; NULL where there is none */
	int32_t		count;			/* of those that are chosen: rows 0 .. count - 1 */
	int32_t    *entity;			/* by row: that of the other model */
	int32_t    *row;			/* by entity: that of the chosen one; -1: it is not chosen */
} KgeChosen;

/*
 * chosen: rows of `model`, ascending.  The model has no added entities; it and the adjustment, which may be NULL, last
 * as long.  NULL when the arena is empty.
 */
extern KgeChosen *kge_chosen(Arena *arena, Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment,
							 const int32_t *chosen, int32_t count);

/* The row of an entity that is given. */
static inline int32_t
kge_chosen_given(const KgeChosen *chosen, int32_t entity)
{
	return chosen->count + entity;
}

/* ---- top_triples.c --------------------------------------------------------- */

typedef struct KgeScored
{
	Triple		triple;
	Side		side;			/* of the answer */
	double		score;			/* with the adjustment's scale and addition */
	double		phi;
	double		addition;
	double		probability;
} KgeScored;

/* Questions for the same side and with the same relation; known answers are excluded */
typedef struct QuestionList
{
	Side		side;			/* of the answers */
	int32_t		relation;
	bool		reflexive;		/* the given entity is a candidate */
	const Question *question;
	int64_t		count;
	const int32_t *likely;		/* entities that answer many questions, each once, or none: they make it faster */
	int64_t		likely_count;
	const int32_t *entity;		/* that each row of the model is; NULL: the row itself */
} QuestionList;

/*
 * judge: sets the probabilities of the best answers of a question: they come best first, `least` at least if there are.
 * needed: the score that a question's best answer has at least where some answer has that probability or more, if its
 * `least`-th best score is `last` or more; minus infinity where this does not bound it.  May be NULL.
 * look: is called before questions are judged for the first time, with their numbers in the list.  May be NULL.
 * promise: the probability of the best of some answers, which come best first, with the scores of a quick adjustment.  May
 * be NULL where none is quick.
 * settle: replaces the probabilities of some answers of one side, at most KGE_SETTLED, by what counts, which is no higher.
 * May be NULL.
 */
typedef struct KgeJudge
{
	void		(*judge) (void *argument, const QuestionList *asked, const Question *question,
						  KgeScored *answers, int64_t count);
	double		(*needed) (void *argument, const QuestionList *asked, const Question *question, double probability,
						   double last);
	void	   *argument;
	int64_t		least;
	void		(*look) (void *argument, const QuestionList *asked, const int64_t *number, int64_t count);
	double		(*promise) (void *argument, const QuestionList *asked, const Question *question,
							const KgeScored *answers, int64_t count);
	void		(*settle) (void *argument, KgeScored *answers, int64_t count);
} KgeJudge;

#define KGE_SETTLED 1024

/* How many triples, of how many questions in all, at most */
typedef struct KgeWanted
{
	int64_t		k;
	int64_t		questions;
	bool		listed;			/* only what the adjustment lists is an answer */
	double		probability;	/* what is less probable may be left out */
	int32_t		heads;			/* 0, or one answer for each of so many heads */
	int64_t		offered;		/* triples that are offered beside the answers, at most */
	bool		exact;			/* also where the adjustment takes long, see top_triples.c */
} KgeWanted;

typedef struct KgeCompletion KgeCompletion;

/*
 * Finds the k most probable answers of questions that are no known ones: lists of questions are asked one after
 * another, then the outcome is taken.  Of one question at most max(k, least) answers are judged, but where `settle` is
 * set as many as may be kept; probabilities have to rise with the score.  sketch and adjustment: as of kge_top_many.
 * NULL when the arena is empty.
 */
extern KgeCompletion *kge_completion(Arena *arena, Pool *pool, const KgeModel *model, const KgeSketch *sketch,
									 const KgeAdjustment *adjustment, KgeJudge judge, KgeWanted wanted);
extern void kge_completion_ask(KgeCompletion *completion, const QuestionList *asked);

/* Adds triples that another completion found; their rows are those of its outcome. */
extern void kge_completion_offer(KgeCompletion *completion, const KgeScored *scored, int64_t count);

/*
 * Most probable first, each triple once; ties go to the higher score, then to the lower relation, head, tail.  Returns
 * how many.
 */
extern int64_t kge_completion_end(KgeCompletion *completion, const KgeScored **best);

/* How many questions were asked: not those that were left out because they could have no answer, or promised none. */
extern int64_t kge_completion_asked(const KgeCompletion *completion);

/*
 * The outcome of several completions that asked parts of the questions with the same k and heads: of what they found,
 * the same as one that asked all.  Of `wanted`, questions are 0, and `offered` is the count.  0 when the arena is empty.
 */
extern int64_t kge_merge(Arena *arena, Pool *pool, KgeWanted wanted, const KgeScored *scored, int64_t count,
						 const KgeScored **best);

#endif							/* HKG_KGE_TOP_H */
