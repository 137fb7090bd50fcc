/*
 * node_rating.c
 *		Rules, rated by the embeddings that are learnt, on the nodes of a cluster (see node_rating.h).
 *
 * Each place gets all embeddings and the facts that are learnt from (node_blocks.h), and some of the rules of a batch,
 * which it rates as this server would (rate_slice.c).  A node's own facts may be others by then.  What a rule infers is
 * scored on one node, so sums need not be merged; rules over one body go to one node but for a few, so that its pairs are
 * found once.
 */
#include "node_rating.h"

#include <math.h>

#include "node_blocks.h"
#include "rules/body_pairs.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Of what a rule infers, about (bench/RESULTS.md, Embedding confidence on nodes) */
#define FINDING_SECONDS 2e-8	/* of a pair, by one thread */
#define SCORING_SECONDS 2.5e-10	/* of a number of an embedding, by all threads */
#define INDEXING_SECONDS 4e-7	/* of a fact, on a node */

/* Of a place: the rules at order first .. end - 1 of the batch */
typedef struct RatedSlice
{
	const NodeRating *rating;
	int32		first;
	int32		end;
	Numbers		rules;
	BucketBlocks blocks;
} RatedSlice;

struct NodeRating
{
	const Graph *graph;
	const TrainSettings *settings;
	Progress   *progress;
	MemoryContext context;
	bool		asked;			/* for the nodes */
	NodeBlocks *nodes;			/* NULL: there are none, or none was asked for */

	/* a batch */
	const RatingModel *model;
	MinedRules *rules;
	const int32 *position;
	int32	   *order;			/* of its rules, by body */
	int32	   *ids;
	RatedSlice	slice[KGE_MOST_LANES];
};

NodeRating *
node_rating_open(const Graph *graph, const TrainSettings *settings, Progress *progress)
{
	NodeRating *rating = palloc0(sizeof(NodeRating));

	rating->graph = graph;
	rating->settings = settings;
	rating->progress = progress;
	rating->context = CurrentMemoryContext;
	return rating;
}

/* ---- rules as numbers ------------------------------------------------------------------- */

#define HALF 32

static void
append_count(Numbers *numbers, int64 count)
{
	numbers_append(numbers, (int32) (count >> HALF));
	numbers_append(numbers, (int32) (uint32) count);
}

static int64
count_at(const int32 *number)
{
	return (int64) ((uint64) (uint32) number[0] << HALF | (uint32) number[1]);
}

static void
rated_append(Numbers *numbers, const MinedRule *rule)
{
	rule_append(numbers, &rule->rule);
	append_count(numbers, rule->support);
	append_count(numbers, rule->body_size);
}

bool
rated_take(const int32 *number, int64 count, int64 *next, MinedRule *rule)
{
	if (rule_take(number, count, next, &rule->rule) != NULL || *next + 4 > count)
		return false;
	rule->support = count_at(&number[*next]);
	rule->body_size = count_at(&number[*next + 2]);
	*next += 4;
	return rule->support >= 0 && rule->body_size > rule->support;
}

/* ---- whether it pays ---------------------------------------------------------------------- */

static MinedRule *
rule_of(const NodeRating *rating, int32 i)
{
	return &rating->rules->rule[rating->position[rating->order[i]]];
}

static Size
sent_bytes(const RatingModel *model)
{
	const KgeModel *kge = model->kge;
	BucketSizes sizes = bucket_sizes_without_state(kge);

	return kge->entities * (sizes.entity + sizeof(int32)) + sizes.relations + model->data->facts * sizeof(Triple);
}

static double
all_inferred(const MinedRules *rules, const int32 *positions, int32 count)
{
	double		inferred = 0;

	for (int32 i = 0; i < count; i++)
		inferred += (double) MINED_PREDICTIONS(&rules->rule[positions[i]]);
	return inferred;
}

static bool
pays(const RatingModel *model, double inferred, int places)
{
	double		here = inferred *
		(FINDING_SECONDS + SCORING_SECONDS * kge_entity_width(model->kge->function, model->kge->dimensions) / hkg_threads);

	return hkg_slice_seconds == 0 ||
		(here >= hkg_slice_seconds && here > here / places + INDEXING_SECONDS * (double) model->data->facts +
		 node_seconds_to_send((double) (places * sent_bytes(model)), 1));
}

/* With two places, which gain most for what is sent; where that is too little, no node is asked, so one may be away. */
static bool
may_pay(const RatingModel *model, double inferred, int32 count)
{
	return count > 0 && hkg_slice_seconds >= 0 && pays(model, inferred, 2);
}

static NodeBlocks *
nodes_of(NodeRating *rating)
{
	MemoryContext caller = MemoryContextSwitchTo(rating->context);

	if (!rating->asked)
		rating->nodes = node_blocks_open(rating->graph, rating->settings, false);
	rating->asked = true;
	MemoryContextSwitchTo(caller);
	return rating->nodes;
}

/* ---- slices of a batch ----------------------------------------------------------------------- */

static void
open_slice(NodeRating *rating, RatedSlice *slice, double least_quality)
{
	const KgeModel *kge = rating->model->kge;
	BucketSizes sizes = bucket_sizes_without_state(kge);
	BucketHead	head = {
		.part = 1,.known = rating->model->data->facts,.rows = {kge->entities, 0},.relations = kge->relations,
		.stripe_rows = 1,.least_quality = least_quality
	};

	slice->rules = (Numbers) {0};
	for (int32 i = slice->first; i < slice->end; i++)
		rated_append(&slice->rules, rule_of(rating, i));
	head.rules = (int32) slice->rules.count;
	slice->blocks = bucket_blocks(&head, &sizes);
}

/* Cuts the rules where about as much is inferred by each slice. */
static int
cut_batch(NodeRating *rating, int32 count, double all)
{
	int			places = Min(rating->nodes->places, count);
	double		passed = 0;
	int32		next = 0;

	for (int p = 0; p < places; p++)
	{
		RatedSlice *slice = &rating->slice[p];

		slice->rating = rating;
		slice->first = next;
		/* at least one for each that follows */
		while (next < count - (places - 1 - p) &&
			   (next == slice->first || p == places - 1 || passed < all * (p + 1) / places))
		{
			passed += (double) MINED_PREDICTIONS(rule_of(rating, next));
			next++;
		}
		slice->end = next;
	}
	return places;
}

static void
read_block(const void *source, const BucketBlock *block, void *bytes)
{
	const RatedSlice *slice = source;
	const RatingModel *model = slice->rating->model;
	const void *part[BLOCK_PARTS] = {
		[BLOCK_HEAD] = &slice->blocks.head,
		[BLOCK_KNOWN] = model->data->fact,
		[BLOCK_IDS] = slice->rating->ids,
		[BLOCK_RULES] = slice->rules.value,
		[BLOCK_RELATIONS] = model->kge->relation,
		[BLOCK_EMBEDDINGS] = model->kge->entity
	};

	memcpy(bytes, (const char *) part[block->part] + block->start, block->bytes);
}

static void
take_ratings(void *argument, int lane, Datum answer)
{
	const NodeRating *rating = argument;
	const RatedSlice *slice = &rating->slice[lane];
	const double *number = node_blocks_numbers("_hkg_rate_slice", answer, RATED_NUMBERS * (slice->end - slice->first));

	for (int32 i = slice->first; i < slice->end; i++, number += RATED_NUMBERS)
	{
		MinedRule  *rule = rule_of(rating, i);

		if (isnan(number[0]))
			continue;
		rule->embedding_confidence = number[0];
		rule->confidence_error = number[1];
		rule->quality = number[2];
	}
}

static int32 *
list_ids(const GraphData *data)
{
	int32	   *ids = array_new(int32, (int64) data->entities + data->relations);

	memcpy(ids, data->entity_id, data->entities * sizeof(int32));
	memcpy(ids + data->entities, data->relation_id, data->relations * sizeof(int32));
	return ids;
}

static int32 *
order_by_body(const NodeRating *rating, int32 count)
{
	const Rule **rules = array_new(const Rule *, count);
	int32	   *order;

	for (int32 i = 0; i < count; i++)
		rules[i] = &rating->rules->rule[rating->position[i]].rule;
	order = rules_by_body(rules, count);
	pfree(rules);
	return order;
}

bool
node_rating_run(void *argument, const RatingModel *model, MinedRules *rules, const int32 *positions, int32 count,
				double least_quality)
{
	NodeRating *rating = argument;
	NodeBlocks *nodes = NULL;
	double		inferred = all_inferred(rules, positions, count);
	int			places;

	if (rating != NULL && may_pay(model, inferred, count))
		nodes = nodes_of(rating);
	if (nodes == NULL || !pays(model, inferred, nodes->places))
		return false;
	rating->model = model;
	rating->rules = rules;
	rating->position = positions;
	rating->order = order_by_body(rating, count);
	rating->ids = list_ids(model->data);
	places = cut_batch(rating, count, inferred);
	progress_nodes(rating->progress, places);
	node_blocks_begin(nodes);
	for (int i = 0; i < places; i++)
	{
		open_slice(rating, &rating->slice[i], least_quality);
		node_blocks_send(nodes, i, &rating->slice[i].blocks, read_block, &rating->slice[i]);
	}
	node_blocks_run(nodes, "_hkg_rate_slice", places, take_ratings, rating);
	node_blocks_end(nodes);
	progress_nodes(rating->progress, 1);
	for (int i = 0; i < places; i++)
		pfree(rating->slice[i].rules.value);
	pfree(rating->order);
	pfree(rating->ids);
	return true;
}
