/*
 * calibrate.c
 *		How sure an answer may be, alone or beside the opinion of somebody else (see similar.h).
 *
 * Both give probabilities to some values; what is left to all others is one item more, the rest.  The new probability of
 * an item is the softmax of own * log(answer) + other * log(opinion): a product of experts.  The two weights maximise the
 * likelihood of the values of known rows by Newton's method; the loss is convex.
 */
#include "similar.h"

#include <math.h>
#include <stdlib.h>

#define ITEMS (2 * SIMILAR_VALUES + 1)
#define STEPS 20
#define PRIOR 3					/* curvature of the prior at (1, 0) */
#define LEAST 1e-6				/* probability */

typedef struct Item
{
	int32_t		value;			/* -1: the rest */
	double		own;			/* log of the answer's probability */
	double		other;			/* of the opinion's */
	double		probability;
} Item;

/* The items of an answer and an opinion, the rest last; returns how many. */
static int
list_items(const SimilarAnswer *answer, const Opinion *opinion, Item *item)
{
	int			count = answer->count;
	double		own_rest = 1;
	double		other_rest = 1;

	for (int i = 0; i < answer->count; i++)
		item[i] = (Item) {.value = answer->value[i],.own = answer->probability[i]};
	for (int j = 0; opinion != NULL && j < opinion->count; j++)
	{
		int			i = 0;

		while (i < count && item[i].value != opinion->value[j])
			i++;
		if (i == count)
			item[count++] = (Item) {.value = opinion->value[j]};
		item[i].other = opinion->probability[j];
	}
	for (int i = 0; i < count; i++)
	{
		own_rest -= item[i].own;
		other_rest -= item[i].other;
	}
	item[count++] = (Item) {.value = -1,.own = own_rest,.other = opinion == NULL ? 1 : other_rest};
	for (int i = 0; i < count; i++)
	{
		item[i].own = log(fmax(item[i].own, LEAST));
		item[i].other = opinion == NULL ? 0 : log(fmax(item[i].other, LEAST));
	}
	return count;
}

static void
weigh_items(OpinionWeights weights, Item *item, int count)
{
	double		highest = -INFINITY;
	double		total = 0;

	for (int i = 0; i < count; i++)
		highest = fmax(highest, weights.own * item[i].own + weights.other * item[i].other);
	for (int i = 0; i < count; i++)
		total += item[i].probability = exp(weights.own * item[i].own + weights.other * item[i].other - highest);
	for (int i = 0; i < count; i++)
		item[i].probability /= total;
}

/* The item of a value, else the rest */
static const Item *
item_of(const Item *item, int count, int32_t value)
{
	for (int i = 0; i < count - 1; i++)
		if (item[i].value == value)
			return &item[i];
	return &item[count - 1];
}

OpinionWeights
similar_calibrate(const int32_t *value, const SimilarAnswer *answer, const Opinion *opinion, int64_t count)
{
	OpinionWeights weights = {1, 0};

	for (int step = 0; step < STEPS; step++)
	{
		double		a = PRIOR * (weights.own - 1),
					b = PRIOR * weights.other,
					aa = PRIOR,
					ab = 0,
					bb = PRIOR;
		double		det;

		for (int64_t row = 0; row < count; row++)
		{
			Item		item[ITEMS];
			int			items = list_items(&answer[row], opinion == NULL ? NULL : &opinion[row], item);
			const Item *true_item = item_of(item, items, value[row]);
			double		own = 0,
						other = 0;

			weigh_items(weights, item, items);
			for (int i = 0; i < items; i++)
			{
				own += item[i].probability * item[i].own;
				other += item[i].probability * item[i].other;
			}
			for (int i = 0; i < items; i++)
			{
				aa += item[i].probability * (item[i].own - own) * (item[i].own - own);
				ab += item[i].probability * (item[i].own - own) * (item[i].other - other);
				bb += item[i].probability * (item[i].other - other) * (item[i].other - other);
			}
			a += own - true_item->own;
			b += other - true_item->other;
		}
		det = aa * bb - ab * ab;
		weights.own = fmax(0, weights.own - (bb * a - ab * b) / det);
		weights.other = fmax(0, weights.other - (aa * b - ab * a) / det);
	}
	return weights;
}

static int
compare_items(const void *a, const void *b)
{
	const Item *left = a;
	const Item *right = b;

	if (left->probability != right->probability)
		return left->probability > right->probability ? -1 : 1;
	return (left->value > right->value) - (left->value < right->value);
}

void
similar_apply(OpinionWeights weights, const Opinion *opinion, int64_t candidates, int32_t value, SimilarAnswer *answer)
{
	double		most = (double) candidates / ((double) candidates + 1);
	Item		item[ITEMS];
	int			count = list_items(answer, opinion, item);

	weigh_items(weights, item, count);
	if (value >= 0)
	{
		const Item *own = item_of(item, count, value);

		/* a value that neither lists has its part of the rest */
		answer->own = own->value >= 0 ? fmin(most, own->probability) : own->probability * fmin(1, answer->own / exp(own->own));
	}
	qsort(item, (size_t) (count - 1), sizeof(Item), compare_items);
	answer->count = count - 1 < SIMILAR_VALUES ? count - 1 : SIMILAR_VALUES;
	for (int i = 0; i < answer->count; i++)
	{
		answer->value[i] = item[i].value;
		answer->probability[i] = fmin(most, item[i].probability);
	}
}
