/*
 * valid_slice.c
 *		Triples of the valid split, ranked where the embeddings were sent: what a node does for node_ranking.c.
 *
 * All that a rank depends on is among the blocks, so the facts of this node are not read: they may have changed since the
 * training began.
 */
#include "server/compat.h"

#include "node_ranking.h"
#include "sent_blocks.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Ranks as numbers and as an array, besides those of kge_rank */
Size
node_ranking_bytes(const KgeModel *model, int64 count, int64 known)
{
	return kge_rank_bytes(model, NULL, count, known, hkg_threads) + 4 * count * sizeof(int32);
}

static void
cut_blocks(SentBlocks *sent)
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
rank(const SentBlocks *sent)
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

	cut_blocks(&sent);
	sent_blocks_take(&sent, parts, lengthof(parts));
	sent_blocks_read(&sent);
	ranks = rank(&sent);
	sent_blocks_close(&sent);
	array = array_of_int4(ranks, (int) (2 * sent.blocks.head.count));
	MemoryContextDelete(sent.own);
	PG_RETURN_DATUM(array);
}
