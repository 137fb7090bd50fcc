/*
 * node_rating.c
 *		Rules, rated by the embeddings that are learnt, on the nodes of a cluster (see node_rating.h).
 *
 * Each place gets all embeddings and the facts that are learnt from (node_blocks.h), and some of the rules of a batch,
 * which it rates as this server would (hkg_rate_slice).  A node's own facts may be others by then, and are not read.  What a rule infers is
 * scored on one node, so sums need not be merged; rules over one body go to one node but for a few, so that its pairs are
 * found once.
 */
#include "node_rating.h"

#include <math.h>

#include "utils/float.h"

#include "node_blocks.h"
#include "rules/body_pairs.h"
#include "sent_blocks.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Of what a rule infers, about (bench/RESULTS.md, Embedding confidence on nodes) */
#define FINDING_SECONDS 2e-8	/* of a pair, by one thread */
#define SCORING_SECONDS 2.5e-10	/* of a number of an embedding, by all threads */
#define INDEXING_SECONDS 4e-7	/* of a fact, on a node */

/* Of a rule that is rated, in what a node returns: embedding confidence, its standard error, quality; NaN: given up */
#define RATED_NUMBERS 3

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

/* A rule from a block: its numbers, then its support and the pairs of its body, as two numbers each; false: damaged */
static bool
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

static bool
pays(const RatingModel *model, double inferred, int places)
{
	double		here = inferred *
		(FINDING_SECONDS + SCORING_SECONDS * kge_entity_width(model->kge->function, model->kge->dimensions) / hkg_threads);

	return hkg_slice_seconds == 0 ||
		(here >= hkg_slice_seconds && here > here / places + INDEXING_SECONDS * (double) model->data->facts +
		 node_seconds_to_send((double) (places * sent_bytes(model)), 1));
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
	{
		const MinedRule *rule = rule_of(rating, i);

		rule_append(&slice->rules, &rule->rule);
		append_count(&slice->rules, rule->support);
		append_count(&slice->rules, rule->body_size);
	}
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

bool
node_rating_run(void *argument, const RatingModel *model, MinedRules *rules, const int32 *positions, int32 count,
				double least_quality)
{
	NodeRating *rating = argument;
	const GraphData *data = model->data;
	NodeBlocks *nodes;
	double		inferred = 0;
	const Rule **by_body;
	int			places;

	/* 1. whether it pays: first with two places, which gain most for what is sent, so that one may be away */
	for (int32 i = 0; i < count; i++)
		inferred += (double) MINED_PREDICTIONS(&rules->rule[positions[i]]);
	if (rating == NULL || count == 0 || hkg_slice_seconds < 0 || !pays(model, inferred, 2))
		return false;
	if (!rating->asked)
	{
		MemoryContext caller = MemoryContextSwitchTo(rating->context);

		rating->nodes = node_blocks_open(rating->graph, rating->settings, false);
		rating->asked = true;
		MemoryContextSwitchTo(caller);
	}
	nodes = rating->nodes;
	if (nodes == NULL || !pays(model, inferred, nodes->places))
		return false;

	/* 2. the batch, by body, cut into slices */
	rating->model = model;
	rating->rules = rules;
	rating->position = positions;
	by_body = array_new(const Rule *, count);
	for (int32 i = 0; i < count; i++)
		by_body[i] = &rules->rule[positions[i]].rule;
	rating->order = rules_by_body(by_body, count);
	pfree(by_body);
	rating->ids = array_new(int32, (int64) data->entities + data->relations);
	memcpy(rating->ids, data->entity_id, data->entities * sizeof(int32));
	memcpy(rating->ids + data->entities, data->relation_id, data->relations * sizeof(int32));
	places = cut_batch(rating, count, inferred);

	/* 3. sent, rated and taken */
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

/* ---- what a node does ------------------------------------------------------------ */

static void
cut_rated_blocks(SentBlocks *sent)
{
	BucketHead	head = sent->blocks.head;
	BucketSizes sizes = bucket_sizes_without_state(&sent->model);

	if (head.rows[1] != 0 || head.have_worth || head.count != 0 || head.rules == 0)
		bucket_blocks_damaged();
	sent->blocks = bucket_blocks(&head, &sizes);
	hkg_check_memory_or(sent_blocks_bytes(sent), "rating rules", "set hybridkg.slice_seconds to -1");
}

static void
check_ascending(const int32 *id, int32 count)
{
	for (int32 i = 1; i < count; i++)
		if (id[i - 1] >= id[i])
			bucket_blocks_damaged();
}

/* In order, as the index of facts takes them */
static GraphData
facts_of(const SentBlocks *sent)
{
	const BucketHead *head = &sent->blocks.head;
	int32	   *id = (int32 *) sent->part[BLOCK_IDS];
	GraphData	data = {
		.entities = head->rows[0],.relations = head->relations,.facts = head->known,
		.entity_id = id,.relation_id = id + head->rows[0],.fact = (Triple *) sent->part[BLOCK_KNOWN]
	};

	check_ascending(data.entity_id, data.entities);
	check_ascending(data.relation_id, data.relations);
	for (int64 i = 1; i < data.facts; i++)
	{
		if (triple_compare(&data.fact[i - 1], &data.fact[i]) >= 0)
			bucket_blocks_damaged();
		if (i % 65536 == 0)
			hkg_check_interrupts();
	}
	return data;
}

static MinedRules
rules_of(const SentBlocks *sent, const GraphData *data)
{
	const int32 *number = (const int32 *) sent->part[BLOCK_RULES];
	int32		count = sent->blocks.head.rules;
	MinedRules	rules = {0};
	int64		room = 0;

	for (int64 next = 0; next < count;)
	{
		MinedRule	rule = {.embedding_confidence = get_float8_nan()};

		if (!rated_take(number, count, &next, &rule) || graph_row(data->relation_id, data->relations, rule.rule.head) < 0)
			bucket_blocks_damaged();
		rules.rule = array_reserve(rules.rule, rules.count + 1, &room, sizeof(MinedRule));
		rules.rule[rules.count++] = rule;
		hkg_check_interrupts();
	}
	return rules;
}

static void
rate(const SentBlocks *sent, MinedRules *rules, const GraphData *data)
{
	int32	   *position = array_new(int32, rules->count);
	Pool	   *pool = hkg_pool();
	RatingModel model = {
		.pairs = body_pairs_create(data, pool),.data = data,.kge = &sent->model,.pool = pool,
		.omega = sent->settings.omega
	};

	for (int32 i = 0; i < rules->count; i++)
		position[i] = i;
	rater_rate(rater_create(&model, rules), position, (int32) rules->count, sent->blocks.head.least_quality);
}

static double *
numbers_of(const MinedRules *rules)
{
	double	   *number = array_new(double, RATED_NUMBERS * rules->count);

	for (int64 i = 0; i < rules->count; i++)
	{
		const MinedRule *rule = &rules->rule[i];

		number[RATED_NUMBERS * i] = rule->embedding_confidence;
		number[RATED_NUMBERS * i + 1] = rule->confidence_error;
		number[RATED_NUMBERS * i + 2] = rule->quality;
	}
	return number;
}

HKG_FUNCTION(hkg_rate_slice);
Datum
hkg_rate_slice(PG_FUNCTION_ARGS)
{
	static const BlockPart parts[] = {BLOCK_KNOWN, BLOCK_IDS, BLOCK_RULES, BLOCK_RELATIONS, BLOCK_EMBEDDINGS};
	SentBlocks	sent = sent_blocks_open(fcinfo, ACL_SELECT);
	GraphData	data;
	MinedRules	rules;
	Datum		array;

	cut_rated_blocks(&sent);
	sent_blocks_take(&sent, parts, lengthof(parts));
	sent_blocks_read(&sent);
	data = facts_of(&sent);
	rules = rules_of(&sent, &data);
	rate(&sent, &rules, &data);
	sent_blocks_close(&sent);
	array = array_of_float8(numbers_of(&rules), (int) (RATED_NUMBERS * rules.count));
	MemoryContextDelete(sent.own);
	PG_RETURN_DATUM(array);
}
