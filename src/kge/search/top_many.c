/*
 * top_many.c
 *		The best candidates of many questions, which share a pass over the entities.
 *
 * An item is a block of questions, against all candidates (block.h).  What an adjustment raises is listed first, and
 * put in order of tiles; in each tile it comes first, with its own bound, and is no candidate of the rest any more.
 * Each question keeps its best exact scores in a heap, whose worst one is the threshold of what is looked at.  It begins
 * with those that are raised most: then few others are looked at.
 */
#include <math.h>

#include "block.h"
#include "core/heap.h"
#include "core/question.h"
#include "core/sort.h"
#include "kge/score/score_function.h"

/* candidates that a block's adjustments may list together, unless one question lists more */
#define LISTED_AT_ONCE (1 << 18)
/* of a question's candidates: no more are scored before the pass */
#define MOST_RAISED 64
/* what the arithmetic of a score may lose, of its terms */
#define ROUNDING 1e-12

typedef struct Listed
{
	int32_t		entity;
	int32_t		question;		/* of the block */
	bool		offered;		/* before the pass */
	double		addition;
} Listed;

/* One of those that are raised most */
typedef struct Raised
{
	double		addition;
	int64_t		place;			/* in what is listed */
} Raised;

/* What a thread works with */
typedef struct Searcher
{
	const KgeTopMany *search;
	int			thread;
	KgeQuestionBlock block;
	KgeExactScore exact;
	const Question *question;	/* of the block */
	KgeAnswer **heap;			/* by question of the block: the worst first */
	int64_t    *kept;			/* likewise */
	int64_t    *excluded;		/* likewise: how many were excluded so far */
	Listed	   *listed;
	Listed	   *by_tile;
	int64_t		listed_count;
	int64_t    *listed_end;		/* by question of the block: they are listed one after the other */
	int64_t    *tile;			/* where each tile begins in by_tile; and the end */
} Searcher;

struct KgeTopMany
{
	Pool	   *pool;
	const KgeModel *model;
	const KgeAdjustment *adjustment;
	bool		only_listed;
	const Question *question;	/* all that are asked */
	int64_t		count;
	int64_t		k;
	int64_t		block;			/* questions of an item */
	KgeAnswer  *answers;
	int64_t    *found;
	Searcher   *searcher;		/* by thread */
};

static int64_t
tiles_of(const KgeModel *model)
{
	return pool_pieces(model->entities, KGE_BLOCK_CANDIDATES);
}

/* A question may list all entities. */
static size_t
listed_room(const KgeTopMany *search)
{
	size_t		one = (size_t) search->model->entities;
	size_t		all = one * KGE_BLOCK_QUESTIONS;

	if (search->adjustment == NULL)
		return 0;
	return all < LISTED_AT_ONCE ? all : one > LISTED_AT_ONCE ? one : LISTED_AT_ONCE;
}

static void
take_searcher(KgeTopMany *search, Searcher *searcher, Allocation *allocation)
{
	kge_block_take(&searcher->block, allocation);
	searcher->exact = kge_exact_score_take(search->model, allocation);
	searcher->heap = TAKE(allocation, KgeAnswer *, KGE_BLOCK_QUESTIONS);
	searcher->kept = TAKE(allocation, int64_t, KGE_BLOCK_QUESTIONS);
	searcher->excluded = TAKE(allocation, int64_t, KGE_BLOCK_QUESTIONS);
	searcher->listed_end = TAKE(allocation, int64_t, KGE_BLOCK_QUESTIONS);
	searcher->listed = TAKE(allocation, Listed, listed_room(search));
	searcher->by_tile = TAKE(allocation, Listed, listed_room(search));
	searcher->tile = TAKE(allocation, int64_t, (size_t) tiles_of(search->model) + 2);
}

static KgeTopMany *
take_search(KgeTopMany *search, const KgeSketch *sketch, int threads, Allocation *allocation)
{
	search->searcher = TAKE(allocation, Searcher, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		Searcher	searcher = {.block = {.model = search->model,.sketch = sketch}};

		take_searcher(search, &searcher, allocation);
		if (search->searcher != NULL)
			search->searcher[i] = searcher;
	}
	return TAKE(allocation, KgeTopMany, 1);
}

/* ---- the best of a question ------------------------------------------------------ */

/* Less than this phi is not enough for a candidate with that addition. */
static double
phi_needed(const Searcher *searcher, int number, double addition)
{
	const KgeTopMany *search = searcher->search;
	const Question *question = &searcher->question[number];
	const KgeAdjustment *adjustment = search->adjustment;
	double		worst;
	double		added;

	if (searcher->kept[number] < search->k)
		return -INFINITY;
	worst = searcher->heap[number][0].score;
	if (adjustment == NULL)
		return worst;
	worst = kge_adjusted_phi(adjustment, question->relation, question->side, worst);
	added = kge_adjustment_weight(adjustment, question->relation, question->side) * addition;
	return worst - added - ROUNDING * (fabs(worst) + fabs(added));
}

/* A network's query is that of the block. */
static double
phi_of(Searcher *searcher, int number, int32_t entity)
{
	const KgeModel *model = searcher->search->model;
	const Question *question = &searcher->question[number];

	if (kge_is_network(model))
		return kge_exact_query_score(model, kge_block_query(&searcher->block, number), entity);
	return kge_exact_score(&searcher->exact, question_triple(question, entity), question->side);
}

/* An exact score may take microseconds, and a tile thousands of them. */
static void
offer(Searcher *searcher, int number, int32_t entity, double addition)
{
	const KgeTopMany *search = searcher->search;
	const Question *question = &searcher->question[number];
	KgeAnswer	answer = {.addition = addition,.row = entity};

	if (!search->only_listed)
	{
		pool_yield(search->pool, searcher->thread);
		answer.phi = phi_of(searcher, number, entity);
	}
	answer.score = kge_adjusted_score(search->adjustment, question->relation, question->side, answer.phi, addition);
	if (isnan(answer.score))
		return;
	searcher->kept[number] = heap_offer(searcher->heap[number], searcher->kept[number], search->k, &answer,
										sizeof(KgeAnswer), kge_compare_answers);
	if (!search->only_listed && searcher->kept[number] == search->k)
		kge_block_threshold(&searcher->block, number, phi_needed(searcher, number, 0));
}

/* ---- what an adjustment lists ------------------------------------------------------ */

/* Lists for the questions from `first` to end - 1, as many as there is room for: at least one.  Returns how many. */
static int64_t
list_some(Searcher *searcher, int64_t first, int64_t end)
{
	const KgeTopMany *search = searcher->search;
	const KgeAdjustment *adjustment = search->adjustment;
	int64_t		room = (int64_t) listed_room(search);
	int64_t		i = first;

	searcher->listed_count = 0;
	for (; adjustment != NULL && i < end; i++)
	{
		const KgeAddition *additions;
		int64_t		count = adjustment->list(adjustment->argument, &search->question[i], search->pool, searcher->thread,
											 &additions);

		if (searcher->listed_count + count > room)
			return i - first;
		for (int64_t j = 0; j < count; j++)
			searcher->listed[searcher->listed_count++] = (Listed) {.entity = additions[j].entity,
			.question = (int32_t) (i - first),.addition = additions[j].addition};
		searcher->listed_end[i - first] = searcher->listed_count;
	}
	return end - first;
}

/* The most raised first */
static int
compare_raised(const void *a, const void *b)
{
	const Raised *left = a;
	const Raised *right = b;

	if (left->addition != right->addition)
		return left->addition > right->addition ? -1 : 1;
	return (left->place > right->place) - (left->place < right->place);
}

static bool
is_candidate(const Searcher *searcher, const Question *question, int32_t entity)
{
	return !question_excludes(question, entity) &&
		answer_is_allowed(searcher->search->model->answers, question->relation, question->side, entity);
}

/* Offers the k candidates of a question that are raised most; they were listed from `first` on. */
static void
offer_most_raised(Searcher *searcher, int number, int64_t first)
{
	int64_t		k = searcher->search->k;
	Raised		raised[MOST_RAISED] = {{0}};
	int64_t		kept = 0;

	if (k > MOST_RAISED)
		return;
	for (int64_t i = first; i < searcher->listed_end[number]; i++)
	{
		Raised		one = {searcher->listed[i].addition, i};

		if ((kept < k || compare_raised(&one, &raised[0]) < 0) &&
			is_candidate(searcher, &searcher->question[number], searcher->listed[i].entity))
			kept = heap_offer(raised, kept, k, &one, sizeof(Raised), compare_raised);
	}
	for (int64_t i = 0; i < kept; i++)
	{
		Listed	   *listed = &searcher->listed[raised[i].place];

		listed->offered = true;
		offer(searcher, number, listed->entity, listed->addition);
	}
}

/* Puts what was listed in order of tiles. */
static void
sort_by_tile(Searcher *searcher)
{
	int64_t		tiles = tiles_of(searcher->search->model);
	int64_t    *end = searcher->tile + 1;	/* of each tile, in the end */

	for (int64_t i = 0; i < tiles + 2; i++)
		searcher->tile[i] = 0;
	for (int64_t i = 0; i < searcher->listed_count; i++)
		end[searcher->listed[i].entity / KGE_BLOCK_CANDIDATES + 1]++;
	for (int64_t i = 0; i < tiles; i++)
		end[i + 1] += end[i];
	for (int64_t i = 0; i < searcher->listed_count; i++)
		searcher->by_tile[end[searcher->listed[i].entity / KGE_BLOCK_CANDIDATES]++] = searcher->listed[i];
}

/* ---- a block ------------------------------------------------------------------------ */

static const uint64_t *
bits_of(const Searcher *searcher, int question)
{
	const Question *asked = &searcher->question[question];

	return answer_bits(searcher->search->model->answers, asked->relation, asked->side);
}

/* Known answers and entities of another type, in the tile that ends before `end` */
static void
exclude(Searcher *searcher, int32_t end)
{
	const AnswerSet *answers = searcher->search->model->answers;
	int32_t		first = searcher->block.first;

	for (int q = 0; q < searcher->block.questions; q++)
	{
		const Question *question = &searcher->question[q];

		for (; searcher->excluded[q] < question->excluded_count && question->excluded[searcher->excluded[q]] < end;
			 searcher->excluded[q]++)
			if (question->excluded[searcher->excluded[q]] >= first)
				kge_block_exclude(&searcher->block, q, question->excluded[searcher->excluded[q]]);
	}
	/* by entity, as the scores of the block's questions stand together; most blocks are of questions with one set */
	for (int q = 0; answers != NULL && q < searcher->block.questions;)
	{
		const uint64_t *bit = bits_of(searcher, q);
		int			next = q + 1;

		while (next < searcher->block.questions && bits_of(searcher, next) == bit)
			next++;
		for (int32_t entity = first; bit != NULL && entity < end; entity++)
			for (int other = q; (bit[entity / 64] >> entity % 64 & 1) == 0 && other < next; other++)
				kge_block_exclude(&searcher->block, other, entity);
		q = next;
	}
}

/* Whether the tile that begins with an entity has candidates: most have none of the type that all questions ask for. */
static bool
tile_has_candidates(const Searcher *searcher, int questions, int32_t first)
{
	const KgeModel *model = searcher->search->model;
	int32_t		left = model->entities - first;
	int32_t		end = first + (left < KGE_BLOCK_CANDIDATES ? left : KGE_BLOCK_CANDIDATES);

	for (int q = 0; q < questions; q++)
		if (answer_any_allowed(model->answers, searcher->question[q].relation, searcher->question[q].side, first, end))
			return true;
	return false;
}

static void
take_listed(Searcher *searcher, int64_t tile)
{
	for (int64_t i = searcher->tile[tile]; i < searcher->tile[tile + 1]; i++)
	{
		const Listed *listed = &searcher->by_tile[i];
		double		needed = phi_needed(searcher, listed->question, listed->addition);
		bool		reaches = !listed->offered &&
			kge_block_reaches(&searcher->block, listed->question, listed->entity, needed);

		if (kge_block_exclude(&searcher->block, listed->question, listed->entity) && reaches)
			offer(searcher, listed->question, listed->entity, listed->addition);
	}
}

static void
take_visited(void *argument, int question, int32_t entity)
{
	offer(argument, question, entity, 0);
}

static void
search_tiles(Searcher *searcher, int questions)
{
	kge_block_open(&searcher->block, searcher->question, questions);
	for (int q = 0; searcher->listed_count > 0 && q < questions; q++)
		offer_most_raised(searcher, q, q == 0 ? 0 : searcher->listed_end[q - 1]);
	sort_by_tile(searcher);
	for (int32_t first = 0; first < searcher->search->model->entities;)
	{
		int64_t		tile = first / KGE_BLOCK_CANDIDATES;

		if (!tile_has_candidates(searcher, questions, first))
		{
			first += KGE_BLOCK_CANDIDATES;
			continue;
		}
		first = kge_block_score(&searcher->block, first);
		exclude(searcher, first);
		take_listed(searcher, tile);
		kge_block_visit(&searcher->block, take_visited, searcher);
		pool_yield(searcher->search->pool, searcher->thread);
	}
}

static void
search_listed(Searcher *searcher)
{
	for (int64_t i = 0; i < searcher->listed_count; i++)
	{
		const Listed *listed = &searcher->listed[i];
		const Question *question = &searcher->question[listed->question];

		if (is_candidate(searcher, question, listed->entity))
			offer(searcher, listed->question, listed->entity, listed->addition);
		pool_yield_at(searcher->search->pool, searcher->thread, i);
	}
}

/* The answers of some questions, from one on */
static void
search_block(Searcher *searcher, int64_t first, int questions)
{
	const KgeTopMany *search = searcher->search;

	searcher->question = search->question + first;
	for (int q = 0; q < questions; q++)
	{
		searcher->heap[q] = search->answers + (first + q) * search->k;
		searcher->kept[q] = searcher->excluded[q] = 0;
	}
	if (search->only_listed)
		search_listed(searcher);
	else
		search_tiles(searcher, questions);
	for (int q = 0; q < questions; q++)
	{
		sort_array(search->pool, searcher->thread, searcher->heap[q], searcher->kept[q], sizeof(KgeAnswer),
				   kge_compare_answers);
		search->found[first + q] = searcher->kept[q];
	}
}

/* Item: a block of questions, in parts where their adjustments list much. */
static void
search_item(void *argument, int64_t item, int thread)
{
	KgeTopMany *search = argument;
	Searcher   *searcher = &search->searcher[thread];
	int64_t		end = (item + 1) * search->block;

	if (end > search->count)
		end = search->count;
	for (int64_t first = item * search->block; first < end;)
	{
		int64_t		some = list_some(searcher, first, end);

		search_block(searcher, first, (int) some);
		first += some;
	}
	pool_yield(search->pool, thread);
}

/* ---- all together -------------------------------------------------------------------- */

KgeTopMany *
kge_top_many(Arena *arena, Pool *pool, const KgeModel *model, const KgeSketch *sketch, const KgeAdjustment *adjustment,
			 bool listed)
{
	KgeTopMany	search = {.pool = pool,.model = model,.adjustment = adjustment,.only_listed = listed};
	KgeTopMany *taken;
	Allocation	allocation = {0};

	take_search(&search, sketch, pool_threads(pool), &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	taken = take_search(&search, sketch, pool_threads(pool), &allocation);
	*taken = search;
	for (int i = 0; i < pool_threads(pool); i++)
	{
		taken->searcher[i].search = taken;
		taken->searcher[i].thread = i;
	}
	return taken;
}

void
kge_top_many_adjust(KgeTopMany *search, const KgeAdjustment *adjustment)
{
	search->adjustment = adjustment;
}

/*
 * Questions of a block: as many for each thread, however few they are.  What lists additions for a question takes longer
 * than the pass; else the pass is by 16 questions.
 */
static int64_t
block_of(const KgeTopMany *search, int64_t questions)
{
	int64_t		threads = pool_threads(search->pool);
	int64_t		blocks = pool_pieces(pool_pieces(questions, KGE_BLOCK_QUESTIONS), threads) * threads;
	int64_t		block = pool_pieces(questions, blocks);

	if (search->adjustment == NULL)
		block = pool_pieces(block, 16) * 16;
	return block;
}

void
kge_top_many_ask(KgeTopMany *search, const Question *question, int64_t count, int64_t k, KgeAnswer *answers,
				 int64_t *found)
{
	search->question = question;
	search->count = count;
	search->k = k;
	search->answers = answers;
	search->found = found;
	if (count == 0 || k == 0)
		return;
	search->block = block_of(search, count);
	pool_run(search->pool, pool_pieces(count, search->block), search_item, search);
}
