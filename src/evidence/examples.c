/*
 * examples.c
 *		Questions with their true answers, as lists of candidates.
 */
#include "learn.h"

#include <math.h>

#include "core/vector.h"

#define LISTED (1 + BY_SCORE + BY_EVIDENCE)
#define BLOCK 16				/* questions at a time */
#define TILE 512				/* candidates at a time */

const double learn_discounts[DISCOUNTS] = {0, 0.25, 0.5, 0.75, 1};

typedef struct Chosen
{
	int32_t		entity;
	float		value;
} Chosen;

struct Choice
{
	float	   *query;			/* BLOCK x stride */
	float	   *engine;
	float	   *score;			/* TILE x BLOCK */
	Chosen	   *best;			/* BLOCK x BY_SCORE: by score; then BY_EVIDENCE */
	int			best_count[BLOCK];
};

void
listing_take(Listing *listing, Allocation *allocation, int64_t known, int threads)
{
	size_t		examples = 2 * (size_t) listing->count;
	size_t		stride = (size_t) vector_stride(listing->engine.width);
	Listed	   *listed;

	kge_questions_take(&listing->questions, allocation, listing->count, known);
	listing->choice = TAKE(allocation, Choice, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		Choice		choice = {0};

		choice.query = TAKE(allocation, float, BLOCK * stride);
		choice.engine = TAKE(allocation, float, kge_engine_scratch(&listing->engine, BLOCK));
		choice.score = TAKE(allocation, float, TILE * BLOCK);
		choice.best = TAKE(allocation, Chosen, BLOCK * BY_SCORE + BY_EVIDENCE);
		if (listing->choice != NULL)
			listing->choice[i] = choice;
	}
	listing->examples.keys = 2 * listing->model->relations;
	listing->examples.example = TAKE(allocation, Example, examples);
	listing->examples.order = TAKE(allocation, int64_t, examples);
	listing->examples.first = TAKE(allocation, int64_t, (size_t) listing->examples.keys + 1);
	listed = TAKE(allocation, Listed, examples * LISTED);
	for (size_t i = 0; listing->examples.example != NULL && i < examples; i++)
		listing->examples.example[i] = (Example) {.listed = listed + i * LISTED};
}

/* Keeps the largest of what is offered, falling. */
static void
offer(Chosen *best, int *count, int room, int32_t entity, float value)
{
	int			place;

	if (*count == room && !(value > best[room - 1].value))
		return;
	place = *count < room ? (*count)++ : room - 1;
	for (; place > 0 && best[place - 1].value < value; place--)
		best[place] = best[place - 1];
	best[place] = (Chosen) {entity, value};
}

static bool
is_answer(const Listing *listing, const KgeQuestion *question, int32_t entity)
{
	for (int64_t asked = question->asked; asked >= 0; asked = listing->questions.next_asked[asked])
		if (kge_answer_of(listing->triples, asked) == entity)
			return true;
	return kge_in_filter(&listing->questions, question, entity);
}

/* The best by score of a block of questions, those that are no answers. */
static void
choose_by_score(Listing *listing, const KgeQuestion *question, int count, int thread)
{
	Choice	   *choice = &listing->choice[thread];
	int			stride = vector_stride(listing->engine.width);
	KgeRows		queries = {count, stride, choice->query};

	for (int q = 0; q < count; q++)
	{
		choice->best_count[q] = 0;
		kge_make_query(listing->model, kge_query(listing->model, kge_candidate_triple(&question[q], 0), question[q].side),
					   choice->query + (size_t) q * (size_t) stride);
	}
	kge_engine_prepare(&listing->engine, queries, choice->engine);
	for (int32_t first = 0; first < listing->model->entities; first += TILE)
	{
		int32_t		left = listing->model->entities - first;
		KgeRows		candidates = {left < TILE ? left : TILE, listing->engine.width,
		kge_entity_row(listing->model, first)};

		kge_engine_scores(&listing->engine, queries, choice->engine, candidates, choice->score, BLOCK);
		for (int q = 0; q < count; q++)
		{
			Chosen	   *best = choice->best + q * BY_SCORE;
			int		   *best_count = &choice->best_count[q];

			for (int c = 0; c < candidates.count; c++)
			{
				float		score = choice->score[c * BLOCK + q];

				if (*best_count < BY_SCORE ? isfinite(score) : score > best[BY_SCORE - 1].value)
					if (!is_answer(listing, &question[q], first + c))
						offer(best, best_count, BY_SCORE, first + c, score);
			}
		}
		pool_yield(listing->pool, thread);
	}
}

static Listed
list_entity(const Listing *listing, int32_t entity, const float *query, int thread)
{
	const EvCandidate *candidate = ev_candidate(listing->adjuster.answering[thread], entity);
	Listed		listed = {.phi = kge_engine_score(&listing->engine, query, kge_entity_row(listing->model, entity))};

	for (int i = 0; i < DISCOUNTS; i++)
		listed.evidence[i] = candidate == NULL ? 0 : (float) ev_evidence(candidate, learn_discounts[i]);
	return listed;
}

static bool
is_chosen(const Chosen *best, int count, int32_t entity)
{
	for (int i = 0; i < count; i++)
		if (best[i].entity == entity)
			return true;
	return false;
}

/* The best by evidence of a question, those that are neither answers nor chosen by score; how many. */
static int
choose_by_evidence(Listing *listing, const KgeQuestion *question, int q, int thread)
{
	Choice	   *choice = &listing->choice[thread];
	const EvCandidate *candidates;
	int64_t		count = ev_answer(listing->adjuster.answering[thread], question->side, question->given,
							   question->relation, listing->pool, thread, &candidates);
	int			chosen = 0;

	for (int64_t i = 0; i < count; i++)
		if (!is_answer(listing, question, candidates[i].entity) &&
			!is_chosen(choice->best + q * BY_SCORE, choice->best_count[q], candidates[i].entity))
			offer(choice->best + BLOCK * BY_SCORE, &chosen, BY_EVIDENCE, candidates[i].entity,
				  (float) ev_evidence(&candidates[i], 0.5));
	return chosen;
}

/* Those that have an embedding */
static void
list_chosen(const Listing *listing, Example *example, const Chosen *chosen, int count, const float *query, int thread)
{
	for (int i = 0; i < count; i++)
	{
		example->listed[example->count] = list_entity(listing, chosen[i].entity, query, thread);
		example->count += isfinite(example->listed[example->count].phi) != 0;
	}
}

/* Asks the rules, and writes the lists of all who ask the question. */
static void
list_question(Listing *listing, const KgeQuestion *question, int q, int thread)
{
	Choice	   *choice = &listing->choice[thread];
	const float *query = choice->query + (size_t) q * (size_t) vector_stride(listing->engine.width);
	int			by_evidence = choose_by_evidence(listing, question, q, thread);

	for (int64_t asked = question->asked; asked >= 0; asked = listing->questions.next_asked[asked])
	{
		Example    *example = &listing->examples.example[asked];
		Chosen		truth = {kge_answer_of(listing->triples, asked), 0};

		example->key = 2 * question->relation + (int32_t) question->side;
		example->count = 0;
		list_chosen(listing, example, &truth, 1, query, thread);
		/* a truth without an embedding teaches nothing */
		if (example->count == 0)
			continue;
		list_chosen(listing, example, choice->best + q * BY_SCORE, choice->best_count[q], query, thread);
		list_chosen(listing, example, choice->best + BLOCK * BY_SCORE, by_evidence, query, thread);
	}
}

/* Item: a block of questions. */
static void
list_block(void *argument, int64_t item, int thread)
{
	Listing    *listing = argument;
	const KgeQuestion *question = &listing->questions.question[item * BLOCK];
	int64_t		left = listing->questions.count - item * BLOCK;
	int			count = left < BLOCK ? (int) left : BLOCK;

	choose_by_score(listing, question, count, thread);
	for (int q = 0; q < count; q++)
	{
		list_question(listing, &question[q], q, thread);
		pool_yield(listing->pool, thread);
	}
}

/* By key, and by number within it; examples of nothing are in none. */
static void
order_examples(Examples *examples, int64_t count)
{
	int64_t    *first = examples->first;

	for (int64_t i = 0; i <= examples->keys; i++)
		first[i] = 0;
	for (int64_t i = 0; i < count; i++)
		if (examples->example[i].count > 0)
			first[examples->example[i].key]++;
	for (int64_t i = 0; i < examples->keys; i++)
		first[i + 1] += first[i];
	for (int64_t i = count - 1; i >= 0; i--)
		if (examples->example[i].count > 0)
			examples->order[--first[examples->example[i].key]] = i;
}

void
listing_fill(Listing *listing, const Triple *known, int64_t known_count)
{
	kge_questions_fill(&listing->questions, listing->pool, listing->triples, known, known_count);
	pool_run(listing->pool, pool_pieces(listing->questions.count, BLOCK), list_block, listing);
	order_examples(&listing->examples, 2 * listing->count);
}
