/*
 * kept_triples.c
 *		The most probable of all triples that are offered (see kept_triples.h).
 *
 * A heap keeps 2 k answers, among which are k triples.  Where one answer a head is wanted, it keeps k, and the place of
 * each head's: a more probable one takes the place of the one before, and sinks.
 */
#include "kept_triples.h"

#include "core/heap.h"
#include "core/sort.h"

KgeKeptTriples
kge_kept_take(int64_t k, int32_t heads, Allocation *allocation)
{
	KgeKeptTriples kept = {.heads = heads,.limit = heads == 0 ? 2 * k : k < heads ? k : heads};

	kept.triple = TAKE(allocation, KgeScored, (size_t) kept.limit);
	if (heads == 0)
		return kept;
	kept.place = TAKE(allocation, int32_t, (size_t) heads);
	for (int32_t i = 0; kept.place != NULL && i < heads; i++)
		kept.place[i] = -1;
	return kept;
}

/* ---- order -------------------------------------------------------------- */

int
kge_compare_probable(const void *a, const void *b)
{
	const KgeScored *left = a;
	const KgeScored *right = b;
	int			order;

	if (left->probability != right->probability)
		return left->probability > right->probability ? -1 : 1;
	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	order = triple_compare(&left->triple, &right->triple);
	return order != 0 ? order : (left->side < right->side) - (left->side > right->side);
}

/* Both answers of a triple follow each other, the more probable one first. */
static int
compare_answered(const void *a, const void *b)
{
	int			order = triple_compare(&((const KgeScored *) a)->triple, &((const KgeScored *) b)->triple);

	return order != 0 ? order : kge_compare_probable(a, b);
}

/* ---- one answer a head ------------------------------------------------------- */

static void
put(KgeKeptTriples *kept, int32_t place, const KgeScored *scored)
{
	kept->triple[place] = *scored;
	kept->place[scored->triple.head] = place;
}

/* From a free place on, towards the root */
static void
rise(KgeKeptTriples *kept, int32_t place, const KgeScored *scored)
{
	while (place > 0 && kge_compare_probable(&kept->triple[(place - 1) / 2], scored) < 0)
	{
		put(kept, place, &kept->triple[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	put(kept, place, scored);
}

/* From a free place on, away from it */
static void
sink(KgeKeptTriples *kept, int32_t place, const KgeScored *scored)
{
	for (int64_t child; (child = 2 * (int64_t) place + 1) < kept->count; place = (int32_t) child)
	{
		if (child + 1 < kept->count && kge_compare_probable(&kept->triple[child + 1], &kept->triple[child]) > 0)
			child++;
		if (kge_compare_probable(&kept->triple[child], scored) <= 0)
			break;
		put(kept, place, &kept->triple[child]);
	}
	put(kept, place, scored);
}

static void
offer_of_head(KgeKeptTriples *kept, const KgeScored *scored)
{
	int32_t		place = kept->place[scored->triple.head];

	if (place >= 0)
	{
		if (kge_compare_probable(scored, &kept->triple[place]) < 0)
			sink(kept, place, scored);
	}
	else if (kept->count < kept->limit)
		rise(kept, (int32_t) kept->count++, scored);
	else if (kept->count > 0 && kge_compare_probable(scored, kept->triple) < 0)
	{
		kept->place[kept->triple[0].triple.head] = -1;
		sink(kept, 0, scored);
	}
}

/* ---- all together ---------------------------------------------------------------- */

void
kge_kept_offer(KgeKeptTriples *kept, const KgeScored *scored)
{
	if (kept->place != NULL)
		offer_of_head(kept, scored);
	else
		kept->count = heap_offer(kept->triple, kept->count, kept->limit, scored, sizeof(KgeScored), kge_compare_probable);
}

const KgeScored *
kge_kept_last(const KgeKeptTriples *kept)
{
	return kept->count < kept->limit ? NULL : kept->triple;
}

const KgeScored *
kge_kept_of_head(const KgeKeptTriples *kept, int32_t head)
{
	return kept->place == NULL || kept->place[head] < 0 ? NULL : &kept->triple[kept->place[head]];
}

int64_t
kge_kept_sort(KgeKeptTriples *kept, Pool *pool)
{
	KgeScored  *found = kept->triple;
	int64_t		triples = 0;

	sort_array(pool, POOL_LEADER, found, kept->count, sizeof(KgeScored), compare_answered);
	for (int64_t i = 0; i < kept->count; i++)
	{
		if (triples == 0 || triple_compare(&found[triples - 1].triple, &found[i].triple) != 0)
			found[triples++] = found[i];
		pool_yield_at(pool, POOL_LEADER, i);
	}
	sort_array(pool, POOL_LEADER, found, triples, sizeof(KgeScored), kge_compare_probable);
	return triples;
}
