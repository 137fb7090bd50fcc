/*
 * test_partitions.c
 *		Partitions: every entity and every positive once, buckets that share, steps of lanes, a bucket's training, merging.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kge/learn/trainer.h"
#include "kge/learning.h"
#include "kge/rank.h"

static Triple *
draw_triples(int32_t entities, int count)
{
	Triple	   *triples = take((size_t) count * sizeof(Triple));

	for (int i = 0; i < count; i++)
		triples[i] = (Triple) {next_below(entities), next_below(3), next_below(entities)};
	return triples;
}

/* Weight i is that of triple i. */
static float *
number_weights(int count)
{
	float	   *weights = take((size_t) count * sizeof(float));

	for (int i = 0; i < count; i++)
		weights[i] = (float) i;
	return weights;
}

/* The entity of each row of a partition; counts how often each entity is there. */
static int32_t *
rows_of(const KgePartitions *partitions, int partition, int32_t *seen, int32_t *rows)
{
	int32_t    *entity;
	KgeStripe	stripe;

	*rows = 0;
	for (int32_t i = 0; kge_partition_stripe(partitions, partition, i, &stripe); i++)
		*rows += stripe.count;
	entity = take((size_t) *rows * sizeof(int32_t));
	*rows = 0;
	for (int32_t i = 0; kge_partition_stripe(partitions, partition, i, &stripe); i++)
		for (int32_t j = 0; j < stripe.count; j++)
		{
			entity[(*rows)++] = stripe.from + j;
			seen[stripe.from + j]++;
		}
	return entity;
}

/* ---- what is dealt ----------------------------------------------------------------- */

/* Buckets of a step share no partition; a round of half as many buckets as partitions takes as few steps as can be. */
static void
check_steps(const KgePartitions *partitions, const KgePartitioning *sizes)
{
	int			buckets = kge_bucket_count(partitions);
	int			of_round = sizes->partitions / 2;
	int			lanes = sizes->lanes;
	int			steps = 0;

	for (int first = 0; first < buckets; first = kge_step_end(partitions, first), steps++)
	{
		bool		busy[KGE_MOST_PARTITIONS] = {false};
		int			end = kge_step_end(partitions, first);

		CHECK_SAYING(end > first && end <= first + lanes && end <= buckets, "a step from %d to %d", first, end);
		for (int i = first; i < end; i++)
			for (int place = 0; place < 2; place++)
			{
				int			partition = kge_bucket(partitions, i).partition[place];

				CHECK_SAYING(!busy[partition], "partition %d is twice in a step", partition);
				busy[partition] = true;
			}
	}
	CHECK_SAYING(steps == buckets / of_round * ((of_round + lanes - 1) / lanes), "%d steps", steps);
	CHECK(kge_step_count(sizes) == sizes->deals * steps);
}

/* Each two partitions are one bucket; in one lane, consecutive buckets share one partition, at the same place. */
static void
check_order(const KgePartitions *partitions, int count, int lanes)
{
	int			seen[KGE_MOST_PARTITIONS][KGE_MOST_PARTITIONS] = {{0}};
	int			shared = 0;

	CHECK(kge_bucket_count(partitions) == count * (count - 1) / 2);
	for (int i = 0; i < kge_bucket_count(partitions); i++)
	{
		KgeBucket	bucket = kge_bucket(partitions, i);
		int			low = bucket.partition[bucket.partition[0] > bucket.partition[1]];
		int			high = bucket.partition[bucket.partition[0] < bucket.partition[1]];

		seen[low][high]++;
		if (i > 0)
			for (int place = 0; place < 2; place++)
				shared += kge_bucket(partitions, i - 1).partition[place] == bucket.partition[place];
	}
	CHECK(lanes > 1 || shared == kge_bucket_count(partitions) - 1);
	for (int i = 0; i < count; i++)
		for (int j = i + 1; j < count; j++)
			CHECK_SAYING(seen[i][j] == 1, "partitions %d and %d make %d buckets", i, j, seen[i][j]);
}

/* Positives of a bucket, named by their worth, are those that were given, as rows of its two partitions. */
static void
check_bucket(KgeBucket bucket, int32_t *const *entity, const Triple *triples, int *seen)
{
	const int32_t *first = entity[bucket.partition[0]];
	const int32_t *second = entity[bucket.partition[1]];
	int			wrong = 0;

	for (int64_t i = 0; i < bucket.count; i++)
	{
		Triple		row = bucket.positives[i];
		int			number = (int) bucket.worth[i];
		bool		inside = row.head < bucket.rows[0] + bucket.rows[1] && row.tail < bucket.rows[0] + bucket.rows[1];
		Triple		triple = {inside ? row.head < bucket.rows[0] ? first[row.head] : second[row.head - bucket.rows[0]] : -1,
		row.relation, inside ? row.tail < bucket.rows[0] ? first[row.tail] : second[row.tail - bucket.rows[0]] : -1};

		wrong += memcmp(&triple, &triples[number], sizeof(Triple)) != 0;
		wrong += i > 0 && bucket.worth[i - 1] >= bucket.worth[i];
		seen[number]++;
	}
	CHECK_SAYING(wrong == 0, "%d positives of a bucket are wrong", wrong);
}

/* Every entity is in one partition.  Counts in how many buckets each positive is. */
static void
check_deal(const KgePartitions *partitions, const KgePartitioning *sizes, const Triple *triples, int *seen)
{
	int32_t    *entity[KGE_MOST_PARTITIONS];
	int32_t    *seen_entity = take((size_t) sizes->entities * sizeof(int32_t));
	int32_t		rows;
	int			wrong = 0;

	memset(seen_entity, 0, (size_t) sizes->entities * sizeof(int32_t));
	for (int p = 0; p < sizes->partitions; p++)
	{
		entity[p] = rows_of(partitions, p, seen_entity, &rows);
		CHECK_SAYING(rows >= 1 && rows <= kge_partition_room(sizes), "%d rows", rows);
		/* stripes have 64 rows at most, and partitions a stripe more or less, one of them a stripe that is not full */
		CHECK_SAYING(abs(rows - sizes->entities / sizes->partitions) <= 128, "%d rows", rows);
	}
	for (int32_t e = 0; e < sizes->entities; e++)
		wrong += seen_entity[e] != 1;
	CHECK_SAYING(wrong == 0, "%d entities are not in one partition", wrong);
	for (int i = 0; i < kge_bucket_count(partitions); i++)
		check_bucket(kge_bucket(partitions, i), entity, triples, seen);
}

/* Over the deals of an epoch, every positive is in one bucket; of 3,000, each deal has its part, within six deviations. */
static void
test_deal(int32_t entities, int count, int lanes, int deals)
{
	KgePartitioning sizes = {entities, count, 3000, true, next_draw(), lanes, deals};
	KgePartitions *partitions = kge_partitions_create(&arena, pool, &sizes);
	Triple	   *triples = draw_triples(entities, 3000);
	float	   *weights = number_weights(3000);

	for (uint64_t epoch = 0; epoch < 3; epoch++)
	{
		int			seen[3000] = {0};
		int			before = 0;
		int			wrong = 0;

		for (int deal = 0; deal < deals; deal++)
		{
			int			after = 0;

			kge_partitions_deal(partitions, triples, weights, 3000, epoch, deal);
			check_order(partitions, count, lanes);
			check_steps(partitions, &sizes);
			check_deal(partitions, &sizes, triples, seen);
			for (int i = 0; i < 3000; i++)
				after += seen[i];
			CHECK_SAYING(abs(after - before - 3000 / deals) <= 165, "%d of %d deals have %d", deal, deals, after - before);
			before = after;
		}
		for (int i = 0; i < 3000; i++)
			wrong += seen[i] != 1;
		CHECK_SAYING(wrong == 0, "%d positives are not in one bucket", wrong);
	}
	kge_partitions_deal(partitions, triples, weights, 0, 3, 0);
	CHECK(kge_bucket(partitions, 0).count == 0);
	CHECK(kge_partitions_create(&empty_arena, pool, &sizes) == NULL);
}

/* ---- chances -------------------------------------------------------------------------- */

/*
 * Over epochs, two entities of different stripes share a partition as often as by chance, 1 in 4, and so each fact has
 * each entity among its candidates; positives inside a partition are in each of its buckets by chance.
 */
static void
test_chances(void)
{
	KgePartitioning sizes = {1024, 4, 1000, false, 7, 1, 1};
	KgePartitions *partitions = kge_partitions_create(&arena, pool, &sizes);
	Triple	   *loops = take(1000 * sizeof(Triple));
	double		chi_square = 0;
	int			together = 0;
	int64_t		counts[6] = {0};

	for (int i = 0; i < 1000; i++)
		loops[i] = (Triple) {i, 0, i};
	for (uint64_t epoch = 0; epoch < 1000; epoch++)
	{
		Triple		pair = {0, 0, 1000};

		/* buckets of both: one, unless they share a partition */
		kge_partitions_deal(partitions, &pair, NULL, 1, epoch, 0);
		for (int i = 0; i < 6; i++)
			if (kge_bucket(partitions, i).count == 1)
			{
				KgeBucket	bucket = kge_bucket(partitions, i);

				together += (bucket.positives->head < bucket.rows[0]) == (bucket.positives->tail < bucket.rows[0]);
			}
		if (epoch >= 60)
			continue;
		kge_partitions_deal(partitions, loops, NULL, 1000, epoch, 0);
		for (int i = 0; i < 6; i++)
			counts[i] += kge_bucket(partitions, i).count;
	}
	/* 250 expected, deviation 14 */
	CHECK_SAYING(together > 195 && together < 305, "together in %d of 1000 epochs", together);
	for (int i = 0; i < 6; i++)
		chi_square += pow((double) counts[i] - 10000, 2) / 10000;
	/* 5 degrees of freedom; one in 10,000 is above 25.7 */
	CHECK_SAYING(chi_square < 25.7, "chi square %g", chi_square);
}

/* ---- a bucket's training ----------------------------------------------------------------- */

static KgeTraining
training_of(const char *loss, uint64_t seed)
{
	return (KgeTraining) {
		.batch_size = 100,.block_size = 16,.negatives = 20,.learning_rate = 0.1,.seed = seed,
		.loss = kge_loss(loss),.sampler = kge_sampler("uniform"),.optimizer = kge_optimizer("adam")
	};
}

/* A model with other rows around those of the bucket */
typedef struct Room
{
	KgeModel	model;
	KgeTrainer *trainer;
	float	   *state;
	size_t		state_count;
} Room;

static Room *
room_of(KgeModel model, const KgeTraining *training, Pool *threads)
{
	Room	   *room = take(sizeof(Room));

	room->model = model;
	room->trainer = kge_trainer_create(&arena, threads, &room->model, training, 1000);
	CHECK(kge_trainer_state(room->trainer, 0, &room->state, &room->state_count));
	return room;
}

/*
 * Training a bucket is training a model of its rows with its seed.  Of 250 positives, minibatches of nine tenths of 100
 * at most are three of 84 at most.  What is around its rows stays.
 */
static void
test_bucket(Variant variant, const char *loss, Pool *threads)
{
	KgeTraining whole = training_of(loss, 1);
	KgeTraining part = training_of(loss, 5);
	Room	   *room = room_of(random_model(variant, 6, 60, 3, 0.5), &whole, threads);
	KgeModel	rows = copy_of(&room->model);
	size_t		row = entity_bytes(&rows) / 60;
	char	   *before = (char *) copy_of(&room->model).entity;
	Triple	   *triples = draw_triples(40, 250);
	KgeBucket	bucket = {.rows = {18, 22},.part = 0.9,.positives = triples,.count = 250,.seed = 5};
	Room	   *alone;
	KgeLossSum	sum;
	double		mean;

	part.batch_size = 84;
	rows.entities = 40;
	memmove(rows.entity, before + 12 * row, 40 * row);
	alone = room_of(rows, &part, pool);

	sum = kge_train_bucket(room->trainer, 12, &bucket, 3);
	mean = kge_train_epoch(alone->trainer, triples, NULL, 250, 3);
	CHECK(sum.sum / (double) sum.terms == mean);
	CHECK(memcmp((char *) room->model.entity + 12 * row, rows.entity, 40 * row) == 0);
	CHECK(memcmp(room->model.relation, rows.relation, relation_bytes(&rows)) == 0);
	CHECK(memcmp(room->state + 12 * room->state_count / 60, alone->state, alone->state_count * sizeof(float)) == 0);
	CHECK(memcmp(room->model.entity, before, 12 * row) == 0);
	CHECK(memcmp((char *) room->model.entity + 52 * row, before + 52 * row, 8 * row) == 0);
	CHECK(memcmp(rows.entity, before + 12 * row, 40 * row) != 0);
}

/*
 * Negatives are uniform over the rows of the bucket: with one positive and 20 negatives, each other row is touched with
 * the same chance in an epoch.
 */
static void
test_negatives(void)
{
	KgeTraining training = training_of("logistic", 1);
	Room	   *room = room_of(random_model(variants[0], 6, 60, 3, 0.5), &training, pool);
	Triple		positive = {0, 0, 39};
	KgeBucket	bucket = {.rows = {18, 22},.positives = &positive,.count = 1,.seed = 9};
	size_t		width = room->state_count / 60;
	double		expected = 2000 * (1 - pow(1 - 1.0 / 40, 20));
	double		chi_square = 0;
	int			touched[60] = {0};

	for (uint64_t epoch = 0; epoch < 2000; epoch++)
	{
		memset(room->state, 0, room->state_count * sizeof(float));
		(void) kge_train_bucket(room->trainer, 12, &bucket, epoch);
		for (size_t i = 0; i < 60; i++)
			touched[i] += room->state[i * width] != 0;
	}
	for (int i = 0; i < 60; i++)
		if (i < 12 || i >= 52)
			CHECK_SAYING(touched[i] == 0, "row %d is touched", i);
		else if (i != 12 && i != 51)
			chi_square += pow(touched[i] - expected, 2) / (expected * (1 - expected / 2000));
	/* 38 rows, hardly dependent; one in 10,000 is above 78.6 */
	CHECK_SAYING(chi_square < 78.6, "chi square %g", chi_square);
}

/* ---- lanes ---------------------------------------------------------------------------- */

/* A trainer's relations, as each of two lanes has them */
typedef struct Lanes
{
	Room	   *room;
	size_t		numbers;		/* of relations */
	KgeRelations own;
	size_t		state_count;
	KgeRelations lane[2];
} Lanes;

static float *
copy_floats(const float *values, size_t count)
{
	return memcpy(take(count * sizeof(float)), values, count * sizeof(float));
}

static Lanes
lanes_of(const char *optimizer, float state)
{
	KgeTraining training = training_of("logistic", 1);
	Lanes		lanes;

	training.optimizer = kge_optimizer(optimizer);
	lanes.room = room_of(random_model(variants[0], 6, 20, 3, 0.5), &training, pool);
	lanes.numbers = relation_bytes(&lanes.room->model) / sizeof(float);
	lanes.own.relation = lanes.room->model.relation;
	CHECK(kge_trainer_state(lanes.room->trainer, 1, &lanes.own.state, &lanes.state_count));
	for (size_t i = 0; i < lanes.state_count; i++)
		lanes.own.state[i] = state;
	for (int l = 0; l < 2; l++)
		lanes.lane[l] = (KgeRelations) {copy_floats(lanes.own.relation, lanes.numbers), copy_floats(lanes.own.state, lanes.state_count)};
	return lanes;
}

/* Steps of one gradient g = 2 of each number, at a learning rate of 0.1, by the optimizer itself */
static void
take_steps(const char *optimizer, const Lanes *lanes, KgeRelations relations, int steps)
{
	const KgeOptimizer *chosen = kge_optimizer(optimizer);
	size_t		width = lanes->numbers / 3;
	size_t		state_width = lanes->state_count / 3;
	float	   *gradient = take(width * sizeof(float));

	for (size_t j = 0; j < width; j++)
		gradient[j] = 2;
	for (int step = 0; step < steps; step++)
		for (size_t r = 0; r < 3; r++)
			chosen->move((int) width, 0.1, gradient, relations.relation + r * width, relations.state + r * state_width);
}

static float
farthest(const float *x, const float *y, size_t count)
{
	float		most = 0;

	for (size_t i = 0; i < count; i++)
		most = (float) worse(most, fabsf(x[i] - y[i]));
	return most;
}

/* Under Adam, two lanes that take 3 and 4 steps of one gradient are where one is after 7. */
static void
test_merge_adam(void)
{
	Lanes		lanes = lanes_of("adam", 0);
	KgeRelations alone = {copy_floats(lanes.own.relation, lanes.numbers), copy_floats(lanes.own.state, lanes.state_count)};

	take_steps("adam", &lanes, lanes.lane[0], 3);
	take_steps("adam", &lanes, lanes.lane[1], 4);
	take_steps("adam", &lanes, alone, 7);
	kge_merge_relations(lanes.room->trainer, lanes.lane, 2);
	CHECK(farthest(lanes.own.relation, alone.relation, lanes.numbers) < 1e-5f);
	CHECK(farthest(lanes.own.state, alone.state, lanes.state_count) < 1e-5f);
}

/*
 * Under Adagrad, two first steps of 0.1 make one of 0.1 times the root of 2, since the state has both squares.  Where the
 * state is large before, lanes that take 3 and 4 steps are where one is after 7.
 */
static void
test_merge_adagrad(void)
{
	Lanes		first = lanes_of("adagrad", 0);
	Lanes		later = lanes_of("adagrad", 1e6f);
	float	   *before = copy_floats(first.own.relation, first.numbers);
	KgeRelations alone = {copy_floats(later.own.relation, later.numbers), copy_floats(later.own.state, later.state_count)};

	for (int l = 0; l < 2; l++)
		take_steps("adagrad", &first, first.lane[l], 1);
	kge_merge_relations(first.room->trainer, first.lane, 2);
	for (size_t i = 0; i < first.numbers; i++)
	{
		CHECK_SAYING(fabsf(before[i] - first.own.relation[i] - 0.141421f) < 1e-5f, "moved by %g", before[i] - first.own.relation[i]);
		CHECK(first.own.state[i] == 8);
	}
	take_steps("adagrad", &later, later.lane[0], 3);
	take_steps("adagrad", &later, later.lane[1], 4);
	take_steps("adagrad", &later, alone, 7);
	kge_merge_relations(later.room->trainer, later.lane, 2);
	CHECK(farthest(later.own.relation, alone.relation, later.numbers) < 1e-6f);
	CHECK(memcmp(later.own.state, alone.state, later.state_count * sizeof(float)) == 0);
}

/* One lane is what it is; lanes that have not moved change nothing, nor does a lane beside one that has. */
static void
test_merge_one(const char *optimizer)
{
	Lanes		lanes = lanes_of(optimizer, 0);
	KgeRelations before = {copy_floats(lanes.own.relation, lanes.numbers), copy_floats(lanes.own.state, lanes.state_count)};

	kge_merge_relations(lanes.room->trainer, lanes.lane, 2);
	CHECK(memcmp(lanes.own.relation, before.relation, lanes.numbers * sizeof(float)) == 0);
	CHECK(memcmp(lanes.own.state, before.state, lanes.state_count * sizeof(float)) == 0);
	take_steps(optimizer, &lanes, lanes.lane[1], 5);
	kge_merge_relations(lanes.room->trainer, lanes.lane, 2);
	CHECK(farthest(lanes.own.relation, lanes.lane[1].relation, lanes.numbers) < 1e-6f);
	CHECK(farthest(lanes.own.state, lanes.lane[1].state, lanes.state_count) < 1e-5f);
	kge_merge_relations(lanes.room->trainer, lanes.lane + 1, 1);
	CHECK(memcmp(lanes.own.relation, lanes.lane[1].relation, lanes.numbers * sizeof(float)) == 0);
	CHECK(memcmp(lanes.own.state, lanes.lane[1].state, lanes.state_count * sizeof(float)) == 0);
}

void
test_partitions(void)
{
	static const int sizes[][3] = {
		{2, 2, 1}, {7, 7, 1}, {10, 3, 1}, {135, 4, 1}, {1000, 8, 1}, {20000, 5, 1}, {5000, 13, 1}, {3000, 128, 1},
		{2, 2, 2}, {7, 7, 2}, {10, 3, 2}, {135, 4, 2}, {1000, 8, 3}, {20000, 5, 2}, {5000, 13, 4}, {3000, 128, 64}
	};
	Pool	   *three = pool_create(3, NULL, NULL);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
	{
		test_deal(sizes[i][0], sizes[i][1], sizes[i][2], 1);
		test_deal(sizes[i][0], sizes[i][1], sizes[i][2], 2);
	}
	test_chances();
	for (int i = 0; i < variant_count; i++)
	{
		test_bucket(variants[i], "logistic", pool);
		test_bucket(variants[i], "sampled_softmax", three);
		test_bucket(variants[i], "margin", three);
	}
	test_negatives();
	test_merge_adam();
	test_merge_adagrad();
	test_merge_one("adam");
	test_merge_one("adagrad");
	pool_destroy(three);
}
