/*
 * partitions.c
 *		Training with two partitions of the entities in memory.
 *
 * With P partitions an epoch has P (P - 1) / 2 buckets, one for each two of them.  Facts inside a partition go to one
 * of its P - 1 buckets, by a draw.  So a bucket always has two partitions to draw negatives from.
 *
 * Why entities are dealt anew in each epoch: a bucket's negatives are uniform over its two partitions.  With the same
 * partitions in all epochs, a fact would have its negatives from 2 / P of the entities only, and questions about an
 * entity with few facts would be trained against few candidates.  Dealt anew, all entities are as likely, over epochs,
 * so no loss has to be corrected for where its negatives come from.
 *
 * Why in stripes: entities wait in a file in the order of their rows, so a partition is read in pieces.  A stripe is
 * long enough for the file and short enough to make a partition of at least STRIPES stripes.
 *
 * A bucket's training is a function of its two partitions, the relations, its positives and its seed.  So buckets that
 * share no partition can be trained at once, in lanes, if what they make of the relations is merged (optimizer.c).  With
 * one lane, consecutive buckets share a partition, which stays in memory.  With more, they come in the rounds of a
 * tournament in which each partition plays each other one, and a round is cut into steps of equal size.  An epoch may
 * have several deals then: between two steps of a lane fewer positives are trained against two partitions alone.
 */
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "trainer.h"

#define STRIPES		64			/* of a partition at least, where there are as many entities */
#define MOST_ROWS	64			/* of a stripe */

typedef struct Pair
{
	int			partition[2];
} Pair;

struct KgePartitions
{
	KgePartitioning sizes;
	Pool	   *pool;
	int			buckets;
	Pair	   *pair;			/* of each bucket */
	int		   *bucket_of;		/* of two partitions */
	int		   *step_end;		/* of each bucket */

	/* stripes; the last one may have fewer rows */
	int32_t		stripe_rows;
	int32_t		stripes;
	int		   *partition_of;	/* of each stripe */
	int32_t    *first_row;		/* of each stripe: its first row's place in its partition */
	int32_t    *stripe;			/* by partition, ascending */
	int32_t    *stripe_start;	/* of each partition, and the end */
	int32_t    *rows;			/* of each partition */

	/* positives by bucket */
	Triple	   *positive;
	float	   *worth;
	int64_t    *start;			/* of each bucket, and the end */

	/* what is dealt */
	const Triple *dealt;
	const float *dealt_worth;
	int64_t		dealt_count;
	uint64_t	epoch;
	int			deal;			/* of the epoch */
};

/* ---- sizes ------------------------------------------------------------------------- */

static int32_t
stripe_rows(const KgePartitioning *sizes)
{
	int32_t		rows = sizes->entities / (sizes->partitions * STRIPES);

	return rows < 1 ? 1 : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static int32_t
stripe_count(const KgePartitioning *sizes)
{
	return (int32_t) pool_pieces(sizes->entities, stripe_rows(sizes));
}

int32_t
kge_partition_room(const KgePartitioning *sizes)
{
	return (int32_t) pool_pieces(stripe_count(sizes), sizes->partitions) * stripe_rows(sizes);
}

static KgePartitions *
take(const KgePartitioning *sizes, Allocation *allocation)
{
	KgePartitions *memory = TAKE(allocation, KgePartitions, 1);
	size_t		count = (size_t) sizes->partitions;
	size_t		buckets = count * (count - 1) / 2;
	size_t		stripes = (size_t) stripe_count(sizes);
	KgePartitions work = {.sizes = *sizes,.buckets = (int) buckets};

	work.stripe_rows = stripe_rows(sizes);
	work.stripes = (int32_t) stripes;
	work.pair = TAKE(allocation, Pair, buckets);
	work.bucket_of = TAKE(allocation, int, count * count);
	work.step_end = TAKE(allocation, int, buckets);
	work.partition_of = TAKE(allocation, int, stripes);
	work.first_row = TAKE(allocation, int32_t, stripes);
	work.stripe = TAKE(allocation, int32_t, stripes);
	work.stripe_start = TAKE(allocation, int32_t, count + 1);
	work.rows = TAKE(allocation, int32_t, count);
	work.positive = TAKE(allocation, Triple, (size_t) sizes->max_positives);
	work.worth = TAKE(allocation, float, sizes->have_worth ? (size_t) sizes->max_positives : 0);
	work.start = TAKE(allocation, int64_t, buckets + 1);
	if (memory != NULL)
		*memory = work;
	return memory;
}

size_t
kge_partitions_bytes(const KgePartitioning *sizes)
{
	Allocation	allocation = {0};

	take(sizes, &allocation);
	return allocation_bytes(&allocation);
}

/* ---- buckets ------------------------------------------------------------------------- */

static void
set_bucket(KgePartitions *work, int number, Pair pair)
{
	int			count = work->sizes.partitions;

	work->pair[number] = pair;
	work->bucket_of[pair.partition[0] * count + pair.partition[1]] = number;
	work->bucket_of[pair.partition[1] * count + pair.partition[0]] = number;
}

/*
 * A snake: (0, 1) .. (0, P-1), then (1, P-1) .. (1, 2), (2, 3) and so on.  The partition of the next row of the snake
 * takes the place of the one that is not shared.
 */
static void
order_snake(KgePartitions *work)
{
	int			count = work->sizes.partitions;
	int			number = 0;

	for (int i = 0; i < count - 1; i++)
		for (int k = i + 1; k < count; k++)
		{
			int			other = i % 2 == 0 ? k : count + i - k;
			Pair		pair = i / 2 % 2 == 0 ? (Pair) {{i, other}} : (Pair) {{other, i}};

			set_bucket(work, number, pair);
			work->step_end[number] = number + 1;
			number++;
		}
}

/* Cuts the buckets from .. to-1 of a round into steps. */
static void
cut_round(KgePartitions *work, int from, int to)
{
	int			steps = (int) pool_pieces(to - from, work->sizes.lanes);

	for (int step = 0; step < steps; step++)
	{
		int			end = from + (to - from) * (step + 1) / steps;

		for (int i = from + (to - from) * step / steps; i < end; i++)
			work->step_end[i] = end;
	}
}

/*
 * The circle method: one of an even number of players stays, the others go around, and who is opposite plays.  Where
 * partitions are odd, one rests.
 */
static void
order_rounds(KgePartitions *work)
{
	int			count = work->sizes.partitions;
	int			moving = count - 1 + count % 2;
	int			number = 0;

	for (int round = 0; round < moving; round++)
	{
		int			first = number;

		if (count % 2 == 0)
			set_bucket(work, number++, (Pair) {{round, moving}});
		for (int i = 1; i <= moving / 2; i++)
			set_bucket(work, number++, (Pair) {{(round + i) % moving, (round - i + moving) % moving}});
		cut_round(work, first, number);
	}
}

KgePartitions *
kge_partitions_create(Arena *arena, Pool *pool, const KgePartitioning *sizes)
{
	Allocation	allocation = {0};
	KgePartitions *work;

	take(sizes, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	work = take(sizes, &allocation);
	work->pool = pool;
	(sizes->lanes == 1 ? order_snake : order_rounds) (work);
	return work;
}

int
kge_step_count(const KgePartitioning *sizes)
{
	int			of_round = sizes->partitions / 2;
	int			rounds = sizes->partitions - 1 + sizes->partitions % 2;

	return sizes->deals * rounds * (int) pool_pieces(of_round, sizes->lanes);
}

int
kge_bucket_count(const KgePartitions *partitions)
{
	return partitions->buckets;
}

int
kge_step_end(const KgePartitions *partitions, int i)
{
	return partitions->step_end[i];
}

KgeBucket
kge_bucket(const KgePartitions *partitions, int i)
{
	const Pair *pair = &partitions->pair[i];
	int32_t		first = partitions->rows[pair->partition[0]];
	int32_t		second = partitions->rows[pair->partition[1]];
	int64_t		start = partitions->start[i];

	return (KgeBucket) {
		.partition = {pair->partition[0], pair->partition[1]},
		.rows = {first, second},
		.part = (double) (first + second) / partitions->sizes.entities,
		.positives = partitions->positive + start,
		.worth = partitions->dealt_worth == NULL ? NULL : partitions->worth + start,
		.count = partitions->start[i + 1] - start,
		.seed = random_stream(partitions->sizes.seed, DRAW_BUCKET, (uint64_t) i, (uint64_t) partitions->deal)
	};
}

/* ---- dealing entities ------------------------------------------------------------------ */

static int32_t
rows_of_stripe(const KgePartitions *work, int32_t stripe)
{
	int32_t		left = work->sizes.entities - stripe * work->stripe_rows;

	return left < work->stripe_rows ? left : work->stripe_rows;
}

int32_t
kge_stripe_rows(const KgePartitions *partitions)
{
	return partitions->stripe_rows;
}

/* The first place of a partition in the order of stripes. */
static int32_t
first_place(const KgePartitions *work, int partition)
{
	return (int32_t) ((int64_t) work->stripes * partition / work->sizes.partitions);
}

static void
deal_stripes(KgePartitions *work)
{
	uint64_t	seed = random_stream(work->sizes.seed, DRAW_PARTITION, 0, 0);
	uint64_t	number = work->epoch * (uint64_t) work->sizes.deals + (uint64_t) work->deal;
	KgeOrder	order = kge_order(seed, number, (uint64_t) work->stripes);

	for (int p = 0; p < work->sizes.partitions; p++)
		for (int32_t i = first_place(work, p); i < first_place(work, p + 1); i++)
			work->partition_of[kge_order_place(&order, (uint64_t) i)] = p;
}

/* Lists the stripes of each partition, with their places in it. */
static void
list_stripes(KgePartitions *work)
{
	int32_t    *next = work->stripe_start;

	memset(work->rows, 0, (size_t) work->sizes.partitions * sizeof(int32_t));
	for (int p = 0; p <= work->sizes.partitions; p++)
		next[p] = p == 0 ? 0 : first_place(work, p - 1);	/* a step ahead: each one's own start while it fills */
	for (int32_t s = 0; s < work->stripes; s++)
	{
		int			p = work->partition_of[s];

		work->first_row[s] = work->rows[p];
		work->rows[p] += rows_of_stripe(work, s);
		work->stripe[next[p + 1]++] = s;
	}
}

bool
kge_partition_stripe(const KgePartitions *partitions, int partition, int32_t i, KgeStripe *stripe)
{
	int32_t		place = partitions->stripe_start[partition] + i;
	int32_t		number;

	if (place >= partitions->stripe_start[partition + 1])
		return false;
	number = partitions->stripe[place];
	*stripe = (KgeStripe) {number * partitions->stripe_rows, rows_of_stripe(partitions, number)};
	return true;
}

/* ---- dealing positives ------------------------------------------------------------------- */

static inline int
partition_of(const KgePartitions *work, int32_t entity)
{
	return work->partition_of[entity / work->stripe_rows];
}

/* Whether a positive, by its place among those of the epoch, is of this deal */
static bool
is_dealt(const KgePartitions *work, int64_t place)
{
	uint64_t	stream;

	if (work->sizes.deals == 1)
		return true;
	stream = random_stream(work->sizes.seed, DRAW_DEAL, work->epoch, 0);
	return (int) random_below(random_bits(stream, (uint64_t) place), (uint64_t) work->sizes.deals) == work->deal;
}

/* The bucket of a positive that is dealt. */
static int
bucket_of(const KgePartitions *work, int64_t place, uint64_t stream)
{
	const Triple *positive = &work->dealt[place];
	int			count = work->sizes.partitions;
	int			head = partition_of(work, positive->head);
	int			tail = partition_of(work, positive->tail);

	if (head == tail)
	{
		tail = (int) random_below(random_bits(stream, (uint64_t) place), (uint64_t) count - 1);
		tail += tail >= head;
	}
	return work->bucket_of[head * count + tail];
}

static int32_t
row_in_bucket(const KgePartitions *work, const Pair *pair, int32_t entity)
{
	int			partition = partition_of(work, entity);
	int32_t		before = partition == pair->partition[0] ? 0 : work->rows[pair->partition[0]];

	return before + work->first_row[entity / work->stripe_rows] + entity % work->stripe_rows;
}

static void
put_positive(KgePartitions *work, int64_t place, int bucket, int64_t to)
{
	const Pair *pair = &work->pair[bucket];
	Triple		positive = work->dealt[place];

	work->positive[to] = (Triple) {
		row_in_bucket(work, pair, positive.head), positive.relation, row_in_bucket(work, pair, positive.tail)
	};
	if (work->dealt_worth != NULL)
		work->worth[to] = work->dealt_worth[place];
}

/* The only item: counts the positives of each bucket, then puts each in its place, in their order. */
static void
deal_positives(void *argument, int64_t item, int thread)
{
	KgePartitions *work = argument;
	uint64_t	stream = random_stream(work->sizes.seed, DRAW_PARTNER, work->epoch, 0);
	int64_t    *start = work->start;

	memset(start, 0, ((size_t) work->buckets + 1) * sizeof(int64_t));
	for (int64_t i = 0; i < work->dealt_count; i++)
	{
		if (is_dealt(work, i))
			start[bucket_of(work, i, stream)]++;
		pool_yield_at(work->pool, thread, i);
	}
	for (int b = 1; b <= work->buckets; b++)
		start[b] += start[b - 1];
	for (int64_t i = work->dealt_count - 1; i >= 0; i--)	/* from the ends down to the starts */
	{
		if (is_dealt(work, i))
		{
			int			bucket = bucket_of(work, i, stream);

			put_positive(work, i, bucket, --start[bucket]);
		}
		pool_yield_at(work->pool, thread, i);
	}
}

void
kge_partitions_deal(KgePartitions *partitions, const Triple *positives, const float *worth,
					int64_t count, uint64_t epoch, int deal)
{
	partitions->dealt = positives;
	partitions->dealt_worth = worth;
	partitions->dealt_count = count;
	partitions->epoch = epoch;
	partitions->deal = deal;
	deal_stripes(partitions);
	list_stripes(partitions);
	pool_run(partitions->pool, 1, deal_positives, partitions);
}

/* ---- a bucket's training -------------------------------------------------------------------- */

/*
 * As much smaller as there are fewer entities.  So a minibatch has an entity as often as without partitions, and its row
 * takes as many steps in an epoch; else the steps of rows that are often there would be few and large.
 */
static int
batch_size(const KgeTraining *training, const KgeBucket *bucket)
{
	double		part = ceil(training->batch_size * bucket->part);
	int64_t		most = part > training->block_size ? (int64_t) part : training->block_size;
	int64_t		batches = pool_pieces(bucket->count, most);

	return (int) (batches == 0 ? most : pool_pieces(bucket->count, batches));
}

KgeLossSum
kge_train_bucket(const KgeTrainer *trainer, int32_t skip, const KgeBucket *bucket, uint64_t epoch)
{
	KgeModel	model = *trainer->model;
	KgeTrainer	part = *trainer;

	model.entity += (size_t) skip * (size_t) part.entity.width;
	model.entities = part.entity.rows = bucket->rows[0] + bucket->rows[1];
	part.model = &model;
	part.relation.model = &model;
	part.entity.parameter = model.entity;
	part.entity.state += (size_t) skip * kge_slots_state_width(&part.entity);
	part.training.seed = bucket->seed;
	part.training.batch_size = batch_size(&trainer->training, bucket);
	return kge_train_positives(&part, bucket->positives, bucket->worth, bucket->count, epoch);
}
