/*
 * ranks_by_kind.c
 *		The ranks of a split by each kind of score that a model has (see ranks_by_kind.h).
 *
 * Triples are ordered by relation, so those of one are a stretch of the ranks.
 */
#include "ranks_by_kind.h"

#include "miscadmin.h"

#include "server/growing_array.h"

static void
rank_kind(RanksByKind *by_kind, EvKind kind, SplitRanks ranks)
{
	by_kind->ranks[kind] = ranks;
	ranks_end(&by_kind->ranks[kind]);
	if (by_kind->any != NULL)
		ranks_check_alike(by_kind->any, &by_kind->ranks[kind]);
	by_kind->has[kind] = true;
	by_kind->any = &by_kind->ranks[kind];
}

RanksByKind *
rank_by_kind(Graph *graph, const char *model, const char *split, int64 seed, int sample)
{
	RanksByKind *by_kind = palloc0(sizeof(RanksByKind));
	double		omega;
	bool		has_embeddings = model_has_embeddings(graph, model, &omega);
	EvidenceParts has = evidence_has(graph, model);
	bool		wanted[EV_KINDS] = {
		[EV_EMBEDDING] = has_embeddings,
		[EV_RULES] = has.rules || !has_embeddings,
		[EV_NETWORK] = has.network,
		[EV_BOTH] = has_embeddings && (has.rules || has.network)
	};

	for (int kind = 0; kind < EV_KINDS; kind++)
		if (wanted[kind])
			rank_kind(by_kind, (EvKind) kind, rank_split(graph, model, split, seed, (EvKind) kind, sample));
	return by_kind;
}

static int
compare_by_count(const void *a, const void *b)
{
	const RelationRanks *left = a;
	const RelationRanks *right = b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return left->relation < right->relation ? -1 : 1;
}

int64
ranks_relations(const SplitRanks *ranks, RelationRanks **relations)
{
	RelationRanks *relation = NULL;
	int64		count = 0;
	int64		room = 0;

	for (int64 i = 0; i < ranks->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i == 0 || ranks->triple[i].relation != ranks->triple[i - 1].relation)
		{
			relation = array_reserve(relation, count + 1, &room, sizeof(RelationRanks));
			relation[count++] = (RelationRanks) {.relation = ranks->triple[i].relation,.first = i};
		}
		relation[count - 1].count++;
	}
	if (count > 1)
		qsort(relation, count, sizeof(RelationRanks), compare_by_count);
	*relations = relation;
	return count;
}

KgeMetrics
ranks_metrics(const SplitRanks *ranks, const RelationRanks *relation, int side)
{
	KgeMetrics	heads;
	KgeMetrics	tails;

	if (side >= 0)
		return kge_metrics(ranks->rank + side * ranks->count + relation->first, relation->count);
	heads = ranks_metrics(ranks, relation, SIDE_HEAD);
	tails = ranks_metrics(ranks, relation, SIDE_TAIL);
	return (KgeMetrics) {
		.mrr = (heads.mrr + tails.mrr) / 2,.mr = (heads.mr + tails.mr) / 2,.hits_1 = (heads.hits_1 + tails.hits_1) / 2,
		.hits_3 = (heads.hits_3 + tails.hits_3) / 2,.hits_10 = (heads.hits_10 + tails.hits_10) / 2
	};
}
