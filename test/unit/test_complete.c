/*
 * test_complete.c
 *		The best missing triples against a brute force over all of them.
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"

#define ENTITIES 600
#define RELATIONS 3
#define KNOWN 60

static int
compare_triples(const void *a, const void *b)
{
	const KgeTriple *left = a;
	const KgeTriple *right = b;

	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	if (left->head != right->head)
		return left->head < right->head ? -1 : 1;
	return (left->tail > right->tail) - (left->tail < right->tail);
}

static int
compare_scored(const void *a, const void *b)
{
	const KgeScored *left = a;
	const KgeScored *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return compare_triples(&left->triple, &right->triple);
}

/* Every triple that may be listed, best first. */
static int64_t
all_missing(const KgeModel *model, const KgeTriple *known, int count, KgeScored *out)
{
	int64_t		missing = 0;

	for (int i = 0; i < count; i++)
	{
		KgeTriple	triple = known[i];
		bool		reflexive = false;

		if (i > 0 && triple.head == known[i - 1].head && triple.relation == known[i - 1].relation)
			continue;
		for (int j = 0; j < count; j++)
			reflexive |= known[j].relation == triple.relation && known[j].head == known[j].tail;
		for (triple.tail = 0; triple.tail < ENTITIES; triple.tail++)
		{
			double		score = kge_score(model, triple);

			if (!isnan(score) && (reflexive || triple.head != triple.tail) &&
				bsearch(&triple, known, (size_t) count, sizeof(KgeTriple), compare_triples) == NULL)
				out[missing++] = (KgeScored) {triple, score};
		}
	}
	qsort(out, (size_t) missing, sizeof(KgeScored), compare_scored);
	return missing;
}

/* Relation 0 has a fact about one entity alone, the others have none. */
static int
draw_known(KgeTriple *known)
{
	for (int i = 0; i < KNOWN; i++)
	{
		int			head = next_below(ENTITIES / 4);

		known[i] = (KgeTriple) {head, i % RELATIONS, (head + 1 + next_below(ENTITIES - 1)) % ENTITIES};
	}
	known[0] = (KgeTriple) {7, 0, 7};
	qsort(known, KNOWN, sizeof(KgeTriple), compare_triples);
	return KNOWN;
}

static void
test_variant(Variant variant)
{
	static const int64_t sizes[] = {1, 50, 3000, 100000000};
	KgeModel	model = random_model(variant, 6, ENTITIES, RELATIONS, 1.0);
	KgeTriple	known[KNOWN];
	int			count = draw_known(known);
	KgeScored  *expected = take(sizeof(KgeScored) * KNOWN * ENTITIES);
	int64_t		missing;

	model.entity[5 * kge_entity_width(model.function, 6)] = NAN;
	missing = all_missing(&model, known, count, expected);
	for (int i = 0; i < 4; i++)
		for (int threads = 1; threads <= 3; threads += 2)
		{
			KgePool    *pool = kge_pool_create(threads, NULL, NULL);
			int64_t		k = sizes[i] < missing ? sizes[i] : missing;
			const KgeScored *best;
			int64_t		found = kge_complete(&arena, pool, &model, known, count, sizes[i], &best);
			int64_t		wrong = 0;

			for (int64_t j = 0; j < found && j < k; j++)
				wrong += best[j].score != expected[j].score ||
					compare_triples(&best[j].triple, &expected[j].triple) != 0;
			CHECK_SAYING(found == k && wrong == 0, "%s norm %d, k %d, %d threads: %d wrong, %d of %d",
						 model.function->name, model.norm, (int) k, threads, (int) wrong,
						 (int) found, (int) k);
			kge_pool_destroy(pool);
		}
}

void
test_complete(void)
{
	KgePool    *pool = kge_pool_create(1, NULL, NULL);
	KgeModel	model = random_model(variants[0], 4, ENTITIES, 2, 1.0);
	KgeTriple	known = {0, 0, 1};
	const KgeScored *best;

	for (int i = 0; i < variant_count; i++)
		test_variant(variants[i]);
	CHECK(kge_complete(&arena, pool, &model, &known, 0, 10, &best) == 0);
	CHECK(kge_complete(&empty_arena, pool, &model, &known, 1, 10, &best) == -1);
	kge_pool_destroy(pool);
}
