/*
 * node_ranking.c
 *		Triples, ranked by the embeddings that are learnt, on the nodes of a cluster (see node_ranking.h).
 *
 * Each place gets all embeddings and a slice of the triples (node_blocks.h), and ranks these (hkg_valid_slice).  It gets
 * the filter, too, as far as it answers one of the questions: a node's own facts may be others by then, and are not read.  A rank depends on
 * nothing else, so it is that of this server.
 */
#include "node_ranking.h"

#include "core/search.h"
#include "core/sort.h"
#include "graph/node_slices.h"
#include "node_blocks.h"
#include "sent_blocks.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Of a place */
typedef struct RankedSlice
{
	const NodeRanking *ranking;
	const KgeModel *model;		/* while it is ranked by */
	int64		count;
	int64	   *place;			/* of its triples among all */
	Triple	   *triple;
	BucketBlocks blocks;
} RankedSlice;

struct NodeRanking
{
	NodeBlocks *nodes;
	Triple	   *known;
	int64		known_count;
	RankedSlice slice[KGE_MOST_LANES];
	KgeRanks	ranks;			/* while they are taken */
};

/* Of a node, beside what is sent to it: ranks as numbers and as an array, besides those of kge_rank */
static Size
node_ranking_bytes(const KgeModel *model, int64 count, int64 known)
{
	return kge_rank_bytes(model, NULL, count, known, hkg_threads) + 4 * count * sizeof(int32);
}

/* ---- the filter ------------------------------------------------------------------------ */

static uint64
question_key(int32 relation, int32 entity)
{
	return (uint64) (uint32) relation << 32 | (uint32) entity;
}

static int
compare_keys(const void *a, const void *b)
{
	uint64		left = *(const uint64 *) a;
	uint64		right = *(const uint64 *) b;

	return (left > right) - (left < right);
}

/* The questions of that side, sorted */
static uint64 *
keys_of(KgeTriples ranked, Side side)
{
	uint64	   *key = array_new(uint64, ranked.count);

	for (int64 i = 0; i < ranked.count; i++)
		key[i] = question_key(ranked.triple[i].relation, triple_given(&ranked.triple[i], side));
	sort_array(hkg_leader(), POOL_LEADER, key, ranked.count, sizeof(uint64), compare_keys);
	return key;
}

static bool
has_key(const uint64 *key, int64 count, uint64 wanted)
{
	int64		place = lower_bound(key, 0, count, sizeof(uint64), &wanted, compare_keys);

	return place < count && key[place] == wanted;
}

/* Those of the filter that answer a question of the ranked triples */
static void
find_known(NodeRanking *ranking, KgeTriples ranked, KgeTriples filter)
{
	uint64	   *head = keys_of(ranked, SIDE_HEAD);
	uint64	   *tail = keys_of(ranked, SIDE_TAIL);
	int64		room = 0;

	for (int64 i = 0; i < filter.count; i++)
	{
		Triple		one = filter.triple[i];

		if (i % 65536 == 0)
			hkg_check_interrupts();
		if (!has_key(head, ranked.count, question_key(one.relation, one.tail)) &&
			!has_key(tail, ranked.count, question_key(one.relation, one.head)))
			continue;
		if (ranking->known_count == room)
			hkg_check_memory_or(array_room(room + 1, room) * sizeof(Triple), "ranking the valid split on nodes",
								"set hybridkg.slice_seconds to -1");
		ranking->known = array_reserve(ranking->known, ranking->known_count + 1, &room, sizeof(Triple));
		ranking->known[ranking->known_count++] = one;
	}
	pfree(head);
	pfree(tail);
}

/* ---- whether it pays ---------------------------------------------------------------------- */

static Size
sent_bytes(const KgeModel *model, int64 known, int places)
{
	BucketSizes sizes = bucket_sizes_without_state(model);

	return places * (model->entities * sizes.entity + sizes.relations + known * sizeof(Triple));
}

/* Nodes are taken to have as many threads as this server. */
static double
seconds_with(const KgeModel *model, int64 count, int64 known, int places)
{
	return kge_rank_seconds(model, count) / hkg_threads / places +
		node_seconds_to_send((double) sent_bytes(model, known, places), 1);
}

static bool
pays(const KgeModel *model, int64 count, int64 known, int places)
{
	double		seconds = kge_rank_seconds(model, count);

	return hkg_slice_seconds == 0 ||
		(seconds >= hkg_slice_seconds && seconds_with(model, count, known, places) < seconds / hkg_threads);
}

/* With two places, which gain most for what is sent; where that is too little, no node is asked, so one may be away. */
static bool
may_pay(const KgeModel *model, int64 count)
{
	return hkg_slice_seconds >= 0 && count > 0 && count <= NODE_RANKING_MOST && pays(model, count, 0, 2);
}

/* ---- open ---------------------------------------------------------------------------- */

static void
open_slice(NodeRanking *ranking, int number, const TrainSettings *settings, const KgeModel *model, KgeTriples ranked)
{
	RankedSlice *slice = &ranking->slice[number];
	BucketSizes sizes = bucket_sizes_without_state(model);
	BucketHead	head = {
		.seed = settings_training(settings).seed,.part = 1,.known = ranking->known_count,
		.rows = {model->entities, 0},.relations = model->relations,.stripe_rows = 1
	};

	slice->ranking = ranking;
	slice->place = array_new(int64, ranked.count / ranking->nodes->places + NODE_SLICE_STRETCHES);
	slice->count = node_slice_places((NodeSlice) {number + 1, ranking->nodes->places}, ranked.count, slice->place);
	slice->triple = array_new(Triple, slice->count);
	for (int64 i = 0; i < slice->count; i++)
		slice->triple[i] = ranked.triple[slice->place[i]];
	head.count = head.max_positives = slice->count;
	slice->blocks = bucket_blocks(&head, &sizes);
}

NodeRanking *
node_ranking_open(const Graph *graph, const TrainSettings *settings, const KgeModel *model, KgeTriples ranked,
				  KgeTriples filter, bool in_worker)
{
	NodeRanking *ranking;
	NodeBlocks *nodes = may_pay(model, ranked.count) ? node_blocks_open(graph, settings, in_worker) : NULL;

	if (nodes == NULL)
		return NULL;
	ranking = palloc0(sizeof(NodeRanking));
	ranking->nodes = nodes;
	find_known(ranking, ranked, filter);
	if (!pays(model, ranked.count, ranking->known_count, nodes->places))
		return NULL;
	for (int i = 0; i < nodes->places; i++)
		open_slice(ranking, i, settings, model, ranked);
	return ranking;
}

/* ---- what it takes --------------------------------------------------------------------- */

int
node_ranking_servers(const NodeRanking *ranking)
{
	return ranking == NULL ? 1 : ranking->nodes->places;
}

double
node_ranking_seconds(const NodeRanking *ranking, const KgeModel *model, int64 count)
{
	return seconds_with(model, count, ranking->known_count, ranking->nodes->places);
}

NodeRankingNeed
node_ranking_need(const Graph *graph, const TrainSettings *settings, const KgeModel *model, int64 count, int64 known)
{
	NodeBlocks *nodes = may_pay(model, count) ? node_blocks_open(graph, settings, false) : NULL;
	int64		slice = nodes == NULL ? 0 : (count + nodes->places - 1) / nodes->places;

	if (nodes == NULL || !pays(model, count, known, nodes->places))
		return (NodeRankingNeed) {0};
	return (NodeRankingNeed) {
		.sent = sent_bytes(model, known, nodes->places) + count * sizeof(Triple),
		.node = node_ranking_bytes(model, slice, known) + sent_bytes(model, known, 1) + slice * sizeof(Triple)
	};
}

/* ---- run ---------------------------------------------------------------------------- */

static void
read_block(const void *source, const BucketBlock *block, void *bytes)
{
	const RankedSlice *slice = source;
	const void *part[BLOCK_PARTS] = {
		[BLOCK_HEAD] = &slice->blocks.head,
		[BLOCK_POSITIVES] = slice->triple,
		[BLOCK_KNOWN] = slice->ranking->known,
		[BLOCK_RELATIONS] = slice->model->relation,
		[BLOCK_EMBEDDINGS] = slice->model->entity
	};

	memcpy(bytes, (const char *) part[block->part] + block->start, block->bytes);
}

static void
take_ranks(void *argument, int lane, Datum answer)
{
	const NodeRanking *ranking = argument;
	const RankedSlice *slice = &ranking->slice[lane];
	const int32 *rank = node_blocks_numbers("_hkg_valid_slice", answer, 2 * slice->count);

	for (int64 i = 0; i < slice->count; i++)
	{
		ranking->ranks.head[slice->place[i]] = rank[i];
		ranking->ranks.tail[slice->place[i]] = rank[slice->count + i];
	}
}

void
node_ranking_run(NodeRanking *ranking, const KgeModel *model, KgeRanks ranks)
{
	NodeBlocks *nodes = ranking->nodes;

	ranking->ranks = ranks;
	node_blocks_begin(nodes);
	for (int i = 0; i < nodes->places; i++)
	{
		ranking->slice[i].model = model;
		node_blocks_send(nodes, i, &ranking->slice[i].blocks, read_block, &ranking->slice[i]);
	}
	node_blocks_run(nodes, "_hkg_valid_slice", nodes->places, take_ranks, ranking);
	node_blocks_end(nodes);
}

/* ---- what a node does ------------------------------------------------------------ */

static void
cut_ranked_blocks(SentBlocks *sent)
{
	BucketHead	head = sent->blocks.head;
	BucketSizes sizes = bucket_sizes_without_state(&sent->model);

	if (head.rows[1] != 0 || head.rules != 0 || head.have_worth || head.count > NODE_RANKING_MOST)
		bucket_blocks_damaged();
	sent->blocks = bucket_blocks(&head, &sizes);
	hkg_check_memory_or(node_ranking_bytes(&sent->model, head.count, head.known) + sent_blocks_bytes(sent),
						"ranking triples of the valid split", "set hybridkg.slice_seconds to -1");
}

/* Of the heads, then of the tails */
static int32 *
rank_sent(const SentBlocks *sent)
{
	const BucketHead *head = &sent->blocks.head;
	KgeTriples	ranked = {(const Triple *) sent->part[BLOCK_POSITIVES], head->count};
	KgeTriples	known = {(const Triple *) sent->part[BLOCK_KNOWN], head->known};
	Arena		arena = hkg_arena();
	int32	   *ranks = array_new(int32, 2 * head->count);

	if (head->count > 0)
		kge_rank(&arena, hkg_pool(), &sent->model, NULL, ranked, known, head->seed,
				 (KgeRanks) {ranks, ranks + head->count});
	return ranks;
}

HKG_FUNCTION(hkg_valid_slice);
Datum
hkg_valid_slice(PG_FUNCTION_ARGS)
{
	static const BlockPart parts[] = {BLOCK_POSITIVES, BLOCK_KNOWN, BLOCK_RELATIONS, BLOCK_EMBEDDINGS};
	SentBlocks	sent = sent_blocks_open(fcinfo, ACL_SELECT);
	const int32 *ranks;
	Datum		array;

	cut_ranked_blocks(&sent);
	sent_blocks_take(&sent, parts, lengthof(parts));
	sent_blocks_read(&sent);
	ranks = rank_sent(&sent);
	sent_blocks_close(&sent);
	array = array_of_int4(ranks, (int) (2 * sent.blocks.head.count));
	MemoryContextDelete(sent.own);
	PG_RETURN_DATUM(array);
}
