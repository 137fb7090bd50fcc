/*
 * rate_slice.c
 *		Rules, rated where the embeddings were sent: what a node does for node_rating.c.
 *
 * All that a rating depends on is among the blocks, so the facts of this node are not read: they may have changed since
 * the training began.
 */
#include "server/compat.h"

#include "utils/float.h"

#include "node_rating.h"
#include "rules/body_pairs.h"
#include "sent_blocks.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

static void
cut_blocks(SentBlocks *sent)
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

	cut_blocks(&sent);
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
