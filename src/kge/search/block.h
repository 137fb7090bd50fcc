/*
 * block.h
 *		A block of questions against all candidates, a tile at a time: which of them can reach a threshold?
 *
 * The scores of a tile are a product of matrices, as fast as the machine computes them, and each is within a known
 * error of the exact score.  So a threshold for each question leaves few candidates, which the caller scores exactly:
 * what it finds does not depend on fast scores.
 */
#ifndef HKG_KGE_BLOCK_H
#define HKG_KGE_BLOCK_H

#include "core/allocation.h"
#include "sketch.h"
#include "sketch_moduli.h"
#include "sketch_product.h"

#define KGE_BLOCK_QUESTIONS 64
#define KGE_BLOCK_CANDIDATES 256	/* of a tile */

/* What is kept of a question */
typedef struct KgeBlockQuestion
{
	double		norm;			/* of its query */
	double		code_error;		/* length of the query less its codes, by the similarity's measure */
	double		threshold;
	bool		wild;			/* its fast scores are not finite: every candidate is visited */
} KgeBlockQuestion;

typedef struct KgeQuestionBlock
{
	const KgeModel *model;
	const KgeSketch *sketch;	/* NULL: the embeddings themselves are looked at */
	KgeEngine	engine;
	int			questions;
	KgeBlockQuestion *question;
	float	   *query;			/* KGE_BLOCK_QUESTIONS x stride */
	float	   *scratch;
	KgeCodes	query_codes;	/* where the similarity is a dot product */
	KgeModuli	moduli;			/* where it is a sum of moduli */
	int32_t    *slack;			/* of each candidate of the tile: what its sketch may be off, for these */
	uint8_t    *reaches;		/* by question: whether a candidate can reach its threshold */
	double	   *norm;			/* of each candidate of the tile, or more; infinite: it has no fast score */
	float	   *score;			/* KGE_BLOCK_CANDIDATES x KGE_BLOCK_QUESTIONS; NaN: no candidate */
	float	   *slope;			/* by question: the error of a fast score for each unit of the candidate's norm, ... */
	float	   *code_slope;		/* ... for each unit of the error of its sketch, ... */
	float	   *low;			/* and where fast scores begin that can reach the threshold */
	int32_t		first;			/* candidate of the tile */
	int			count;
	bool		coded;			/* its scores are those of the sketch */
} KgeQuestionBlock;

/* Sets the block's arrays; `model` and `sketch` are set. */
extern void kge_block_take(KgeQuestionBlock *block, Allocation *allocation);

/* Makes the queries of at most KGE_BLOCK_QUESTIONS questions.  Their thresholds exclude nothing yet. */
extern void kge_block_open(KgeQuestionBlock *block, const Question *question, int questions);

extern const float *kge_block_query(const KgeQuestionBlock *block, int question);

/* Candidates whose exact phi is below this one are not visited. */
extern void kge_block_threshold(KgeQuestionBlock *block, int question, double phi);

/* No candidate with a fast score is visited any more. */
extern void kge_block_close(KgeQuestionBlock *block, int question);

/* Scores the tile that begins with a candidate; returns the first one after the tile. */
extern int32_t kge_block_score(KgeQuestionBlock *block, int32_t first);

/* An entity of the tile is no candidate of a question any more; whether it was one. */
extern bool kge_block_exclude(KgeQuestionBlock *block, int question, int32_t entity);

/* Whether the exact phi of a candidate of the tile can be that high.  To be asked before it is excluded. */
extern bool kge_block_reaches(const KgeQuestionBlock *block, int question, int32_t entity, double phi);

/*
 * The most that the exact phi of an entity can be, by its sketch; infinite where the sketch does not say, or is no faster
 * to look at than the embedding.
 */
extern double kge_block_most(const KgeQuestionBlock *block, int question, int32_t entity);

/* Begins to read what kge_block_most looks at. */
extern void kge_block_prefetch(const KgeQuestionBlock *block, int32_t entity);

/* Visits the candidates of the tile that can reach the threshold of their question. */
extern void kge_block_visit(KgeQuestionBlock *block, void (*visit) (void *argument, int question, int32_t entity),
							void *argument);

#endif							/* HKG_KGE_BLOCK_H */
