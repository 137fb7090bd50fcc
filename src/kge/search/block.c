/*
 * block.c
 *		A block of questions against all candidates, a tile at a time (see block.h).
 *
 * Where the processor can, the sketch is compared with sketches of the queries, for two similarities.  Of a dot product
 * of q and c, with sketches q' and c', |q c - q' c'| <= |q| |c - c'| + |q - q'| |c'|.  A sum of moduli moves by at most
 * |q - q'| + |c - c'|; that of the sketches is bounded from below, which is the side that excludes.  Otherwise the
 * embeddings are compared (engine.c), with the error of score_bound.c.
 *
 * Candidates or queries that are too large to compute with fast, or hold NaN, have no fast score: their candidates are
 * always visited.
 */
#include <math.h>
#include <string.h>

#include "block.h"
#include "core/vector.h"
#include "sketch_codes.h"

#define CACHE_LINE 64
#define ROUNDING 2e-6			/* of a bound by codes (sketch_codes.h): a few units of the last digit */

static bool
can_use_products(const KgeQuestionBlock *block)
{
	return block->sketch != NULL && block->engine.similarity == KGE_DOT && kge_has_codes();
}

static bool
can_use_moduli(const KgeQuestionBlock *block)
{
	return block->sketch != NULL && kge_sketch_has_moduli(block->sketch);
}

void
kge_block_take(KgeQuestionBlock *block, Allocation *allocation)
{
	block->engine = kge_engine(block->model);
	block->query = TAKE(allocation, float, KGE_BLOCK_QUESTIONS * (size_t) vector_stride(block->engine.width));
	block->scratch = TAKE(allocation, float, kge_engine_scratch(&block->engine, KGE_BLOCK_QUESTIONS));
	block->query_codes = kge_codes_take(allocation, block->engine.width, can_use_products(block) ? KGE_BLOCK_QUESTIONS : 0);
	block->moduli = kge_moduli_take(allocation, block->engine.half, can_use_moduli(block) ? KGE_BLOCK_QUESTIONS : 0);
	if (can_use_moduli(block) && block->model->entities > 0)
		block->moduli.step = block->sketch->scale[0];
	block->slack = TAKE(allocation, int32_t, KGE_BLOCK_CANDIDATES);
	block->reaches = TAKE(allocation, uint8_t, KGE_BLOCK_QUESTIONS);
	block->question = TAKE(allocation, KgeBlockQuestion, KGE_BLOCK_QUESTIONS);
	block->norm = TAKE(allocation, double, KGE_BLOCK_CANDIDATES);
	block->score = TAKE(allocation, float, KGE_BLOCK_CANDIDATES * KGE_BLOCK_QUESTIONS);
	block->slope = TAKE(allocation, float, KGE_BLOCK_QUESTIONS);
	block->code_slope = TAKE(allocation, float, KGE_BLOCK_QUESTIONS);
	block->low = TAKE(allocation, float, KGE_BLOCK_QUESTIONS);
}

const float *
kge_block_query(const KgeQuestionBlock *block, int question)
{
	return block->query + (size_t) question * (size_t) vector_stride(block->engine.width);
}

static KgeRows
queries_of(const KgeQuestionBlock *block)
{
	return (KgeRows) {block->questions, vector_stride(block->engine.width), block->query};
}

/* The part of the slope that codes of the query add; 0 where they are not used */
static double
code_slope(const KgeQuestionBlock *block, int question)
{
	return can_use_products(block) ? block->question[question].code_error + ROUNDING * block->question[question].norm : 0;
}

void
kge_block_open(KgeQuestionBlock *block, const Question *question, int questions)
{
	KgeQuery	asked[KGE_BLOCK_QUESTIONS];
	int			stride = vector_stride(block->engine.width);

	block->questions = questions;
	block->query_codes = kge_codes_for(block->query_codes, questions);
	if (can_use_moduli(block))
		kge_moduli_open(&block->moduli, questions);
	for (int i = 0; i < questions; i++)
	{
		asked[i] = kge_query(block->model, question_triple(&question[i], 0), question[i].side);
	}
	kge_make_queries(block->model, asked, questions, block->query, stride);
	for (int i = 0; i < questions; i++)
	{
		KgeBlockQuestion *kept = &block->question[i];
		float	   *query = block->query + (size_t) i * (size_t) stride;

		*kept = (KgeBlockQuestion) {.norm = kge_norm(block->engine.width, query)};
		kept->wild = !isfinite(kept->norm);
		if (can_use_products(block) && !kept->wild)
			kept->code_error = ROUNDED_UP * kge_codes_set(&block->query_codes, i, query);
		if (can_use_moduli(block) && !kept->wild)
			kept->code_error = kge_moduli_set(&block->moduli, i, query);
		kge_block_threshold(block, i, -INFINITY);
	}
	kge_engine_prepare(&block->engine, queries_of(block), block->scratch);
}

/* Moduli of sketches are looked at where the error of the query's codes, and that of the candidate's, would do. */
static void
limit_moduli(KgeQuestionBlock *block, int question)
{
	KgeBlockQuestion *kept = &block->question[question];

	block->low[question] -= (float) (ROUNDED_UP * kept->code_error + ROUNDING * fabs(block->low[question]));
	block->code_slope[question] = (float) ROUNDED_UP;
	block->moduli.limit[question] = kge_moduli_limit(&block->moduli, block->engine.gamma - (double) block->low[question]);
}

void
kge_block_threshold(KgeQuestionBlock *block, int question, double phi)
{
	KgeBlockQuestion *kept = &block->question[question];
	KgeBound	bound = kge_bound(&block->engine, kept->norm, phi);

	kept->threshold = phi;
	block->low[question] = phi == -INFINITY || kept->wild ? -INFINITY : bound.low;
	block->slope[question] = kept->wild ? 0 : bound.slope + (float) (ROUNDED_UP * code_slope(block, question));
	block->code_slope[question] = kept->wild ? 0 : (float) (ROUNDED_UP * kept->norm);
	if (can_use_moduli(block))
		limit_moduli(block, question);
}

void
kge_block_close(KgeQuestionBlock *block, int question)
{
	block->question[question].threshold = INFINITY;
	block->low[question] = INFINITY;
	block->slope[question] = block->code_slope[question] = 0;
	if (can_use_moduli(block))
		kge_moduli_close(&block->moduli, question);
}

/* ---- a tile ----------------------------------------------------------------- */

static void
find_norms(KgeQuestionBlock *block)
{
	for (int i = 0; i < block->count; i++)
		block->norm[i] = block->sketch != NULL ? block->sketch->norm[block->first + i] :
			kge_norm(block->engine.width, kge_entity_row(block->model, block->first + i));
}

static void
find_slack(KgeQuestionBlock *block)
{
	for (int i = 0; i < block->count; i++)
		block->slack[i] = kge_moduli_limit(&block->moduli, ROUNDED_UP * block->sketch->error[block->first + i]);
}

/* The scores of the tile by what the processor compares fastest */
static void
score_tile(KgeQuestionBlock *block)
{
	if (block->coded && can_use_moduli(block))
	{
		find_slack(block);
		kge_moduli_scores(&block->moduli, block->count, kge_sketch_code(block->sketch, block->first),
						  block->sketch->parts + block->first, block->slack, block->engine.gamma, block->score,
						  KGE_BLOCK_QUESTIONS);
	}
	else if (block->coded)
		kge_codes_product(&block->query_codes, block->count, kge_sketch_code(block->sketch, block->first),
						  block->sketch->scale + block->first, block->score, KGE_BLOCK_QUESTIONS);
	else
		kge_engine_scores(&block->engine, queries_of(block), block->scratch,
						  (KgeRows) {block->count, block->engine.width, kge_entity_row(block->model, block->first)},
						  block->score, KGE_BLOCK_QUESTIONS);
}

/* What cannot be computed fast becomes a number: 0. */
static void
clear_wild(KgeQuestionBlock *block)
{
	for (int q = 0; q < block->questions; q++)
		for (int i = 0; block->question[q].wild && i < block->count; i++)
			block->score[i * KGE_BLOCK_QUESTIONS + q] = 0;
	for (int i = 0; i < block->count; i++)
		for (int q = 0; !isfinite(block->norm[i]) && q < block->questions; q++)
			block->score[i * KGE_BLOCK_QUESTIONS + q] = 0;
}

int32_t
kge_block_score(KgeQuestionBlock *block, int32_t first)
{
	int32_t		left = block->model->entities - first;

	block->first = first;
	block->count = left < KGE_BLOCK_CANDIDATES ? left : KGE_BLOCK_CANDIDATES;
	block->coded = can_use_moduli(block) || (can_use_products(block) && block->count >= KGE_CODES_ROWS);
	find_norms(block);
	score_tile(block);
	clear_wild(block);
	return first + block->count;
}

static float *
score_of(const KgeQuestionBlock *block, int question, int32_t entity)
{
	return &block->score[(entity - block->first) * KGE_BLOCK_QUESTIONS + question];
}

bool
kge_block_exclude(KgeQuestionBlock *block, int question, int32_t entity)
{
	float	   *score = score_of(block, question, entity);
	bool		was = !isnan(*score);

	*score = NAN;
	return was;
}

/* ---- what can reach a threshold ------------------------------------------------ */

/* How far the fast score of the tile may be off. */
static double
error_of(const KgeQuestionBlock *block, int question, int32_t entity, double score)
{
	double		norm = block->norm[entity - block->first];
	double		query_norm = block->question[question].norm;
	double		error = kge_score_error(&block->engine, query_norm, norm, score);

	if (!block->coded)
		return error;
	if (can_use_moduli(block))
		return error + block->question[question].code_error + block->sketch->error[entity];
	return error + code_slope(block, question) * norm + ROUNDED_UP * query_norm * block->sketch->error[entity];
}

bool
kge_block_reaches(const KgeQuestionBlock *block, int question, int32_t entity, double phi)
{
	double		norm = block->norm[entity - block->first];
	double		score = (double) *score_of(block, question, entity);

	if (!isfinite(norm) || block->question[question].wild)
		return true;
	if (score + error_of(block, question, entity, score) < phi)
		return false;
	if (!block->coded)
		return true;
	return !(kge_score_limit(&block->engine, kge_block_query(block, question), block->question[question].norm,
							 kge_entity_row(block->model, entity), norm) < phi);
}

double
kge_block_most(const KgeQuestionBlock *block, int question, int32_t entity)
{
	const KgeBlockQuestion *kept = &block->question[question];
	KgeSketchQuery query = {.sketch = block->sketch,.norm = kept->norm,.code_error = kept->code_error};

	if (!can_use_moduli(block) || kept->wild || entity >= block->model->entities)
		return INFINITY;
	query.code = kge_moduli_query(&block->moduli, question);
	return kge_sketch_most(&query, entity);
}

void
kge_block_prefetch(const KgeQuestionBlock *block, int32_t entity)
{
	if (!can_use_moduli(block) || entity >= block->model->entities)
		return;
	for (size_t i = 0; i < kge_moduli_bytes(block->engine.half); i += CACHE_LINE)
		__builtin_prefetch(kge_sketch_code(block->sketch, entity) + i);
	__builtin_prefetch(&block->sketch->error[entity]);
}

/* Which scores of a candidate, with their errors, are in reach of their thresholds; whether any is. */
KERNEL int
find_reaches(int n, const float *restrict score, const float *restrict slope, float norm,
			 const float *restrict code_slope, float code_error, const float *restrict low, uint8_t *restrict reaches)
{
	int			any = 0;

	for (int i = 0; i < n; i++)
	{
		int			is = score[i] + slope[i] * norm + code_slope[i] * code_error >= low[i];

		reaches[i] = (uint8_t) is;
		any |= is;
	}
	return any;
}

/* NaN excludes; of a candidate without a fast score, every question may be reached. */
static bool
may_reach(KgeQuestionBlock *block, int32_t entity)
{
	int			i = entity - block->first;
	float		norm = (float) (ROUNDED_UP * block->norm[i]);

	if (!isfinite(norm))
	{
		memset(block->reaches, 1, KGE_BLOCK_QUESTIONS);
		return true;
	}
	return find_reaches(block->questions, block->score + i * KGE_BLOCK_QUESTIONS, block->slope, norm, block->code_slope,
						block->coded ? block->sketch->error[entity] : 0, block->low, block->reaches);
}

void
kge_block_visit(KgeQuestionBlock *block, void (*visit) (void *argument, int question, int32_t entity), void *argument)
{
	for (int32_t entity = block->first; entity < block->first + block->count; entity++)
	{
		if (!may_reach(block, entity))
			continue;
		for (int q = 0; q < block->questions; q++)
			if (block->reaches[q] && !isnan(*score_of(block, q, entity)) &&
				kge_block_reaches(block, q, entity, block->question[q].threshold))
				visit(argument, q, entity);
	}
}
