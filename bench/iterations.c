/*
 * iterations.c
 *		Which iteration of a training is the best: by the ranks of all of valid, and by those of a sample.
 *
 *	iterations TRIPLES TRAIN VALID SEED THREADS
 *
 * TRIPLES has a line of three numbers (head, relation, tail) for each triple: the first TRAIN are learnt, the next
 * VALID ranked, all are known.  The training is the default one but for rules, with d = 16.  After each iteration all
 * of valid is ranked; the sample's ranks are among them.  The sample is as large, and chooses in the same way, as on a
 * graph of many entities (src/train/valid_ranking.c).  Prints a row of a table for bench/iterations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kge/kge.h"

enum
{
	ITERATIONS = 10, EPOCHS = 10, DIMENSIONS = 16
};
#define MOST_TIME 0.1

static void *
allocate(void *context, size_t bytes)
{
	void	   *memory = NULL;

	(void) context;
	if (posix_memalign(&memory, 64, bytes) != 0)
		abort();
	return memory;
}

static Arena arena = {.allocate = allocate};

typedef struct Data
{
	Triple	   *triple;
	int64_t		count;
	int64_t		train;
	int64_t		valid;
	int32_t		entities;
	int32_t		relations;
} Data;

static Data
read_data(const char *path)
{
	FILE	   *file = fopen(path, "r");
	Data		data = {0};
	int64_t		room = 0;
	Triple		triple;

	if (file == NULL)
	{
		perror(path);
		exit(1);
	}
	while (fscanf(file, "%d %d %d", &triple.head, &triple.relation, &triple.tail) == 3)
	{
		if (data.count == room)
			data.triple = realloc(data.triple, (size_t) (room = 2 * room + 1024) * sizeof(Triple));
		data.triple[data.count++] = triple;
		data.entities = triple.head < data.entities ? data.entities : triple.head + 1;
		data.entities = triple.tail < data.entities ? data.entities : triple.tail + 1;
		data.relations = triple.relation < data.relations ? data.relations : triple.relation + 1;
	}
	fclose(file);
	return data;
}

/* The ranks of all, of heads and then of tails, after each iteration. */
static int32_t *
train(const Data *data, KgeModel *model, const KgeTraining *training, Pool *pool)
{
	int32_t    *ranks = malloc(ITERATIONS * 2 * (size_t) data->valid * sizeof(int32_t));
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, model, training, data->train);

	for (int i = 0; i < ITERATIONS; i++)
	{
		int32_t    *rank = ranks + i * 2 * data->valid;

		for (int epoch = 0; epoch < EPOCHS; epoch++)
			kge_train_epoch(trainer, data->triple, NULL, data->train, (uint64_t) (i * EPOCHS + epoch));
		kge_rank(&arena, pool, model, NULL, (KgeTriples) {data->triple + data->train, data->valid},
				 (KgeTriples) {data->triple, data->count}, training->seed, (KgeRanks) {rank, rank + data->valid});
	}
	return ranks;
}

static int
best_of_all(const Data *data, const int32_t *ranks, double *mrr)
{
	int			best = 0;

	for (int i = 0; i < ITERATIONS; i++)
	{
		mrr[i] = kge_metrics(ranks + i * 2 * data->valid, 2 * data->valid).mrr;
		if (mrr[i] > mrr[best])
			best = i;
	}
	return best;
}

static int
best_of_sample(const Data *data, const int32_t *ranks, KgeSample sample, uint64_t seed, double *error)
{
	int64_t    *place = malloc((size_t) sample.count * sizeof(int64_t));
	int32_t    *rank = malloc(2 * (size_t) sample.count * sizeof(int32_t));
	double	   *value = malloc((size_t) sample.count * sizeof(double));
	double	   *highest = calloc((size_t) sample.count, sizeof(double));
	double		highest_mrr = 0;
	int			best = 0;

	kge_sample_draw(sample, seed, place);
	for (int i = 0; i < ITERATIONS; i++)
	{
		double		mrr;

		for (int64_t j = 0; j < 2 * sample.count; j++)
			rank[j] = ranks[(2 * i + j / sample.count) * data->valid + place[j % sample.count]];
		mrr = kge_sample_metrics(sample, rank, 2, value).mrr;
		*error = kge_sample_error(sample, value, NULL);
		if (i == 0 || mrr > highest_mrr - kge_sample_error(sample, value, highest))
			best = i;
		if (mrr > highest_mrr)
		{
			highest_mrr = mrr;
			memcpy(highest, value, (size_t) sample.count * sizeof(double));
		}
	}
	return best;
}

int
main(int count, char **argument)
{
	KgeModel	model = {.function = kge_score_function("rotate"),.dimensions = DIMENSIONS,.norm = 1,.gamma = 9};
	KgeTraining training = {.batch_size = 512,.block_size = 64,.negatives = 64,.learning_rate = 0.1,
		.learning_rate_end = 0.1,.epochs = ITERATIONS * EPOCHS,.loss = kge_loss("logistic")};
	Data		data;
	Pool	   *pool;
	KgeSample	sample;
	int32_t    *ranks;
	double		mrr[ITERATIONS];
	double		error;
	int			all;
	int			sampled;

	if (count != 6)
		return 2;
	data = read_data(argument[1]);
	data.train = atoll(argument[2]);
	data.valid = atoll(argument[3]);
	training.seed = (uint64_t) atoll(argument[4]);
	qsort(data.triple + data.train, (size_t) data.valid, sizeof(Triple), triple_compare);
	kge_choose_kernels();
	pool = pool_create(atoi(argument[5]), NULL, NULL);
	model.entities = data.entities;
	model.relations = data.relations;
	model.entity = allocate(NULL, sizeof(float) * (size_t) data.entities *
							(size_t) kge_entity_width(model.function, DIMENSIONS));
	model.relation = allocate(NULL, sizeof(float) * (size_t) data.relations *
							  (size_t) kge_relation_width(model.function, DIMENSIONS));
	kge_model_initialise(&model, pool, training.seed);
	sample = kge_sample(data.valid, (int64_t) (MOST_TIME * EPOCHS * kge_epoch_seconds(&model, &training, data.train, 0) /
											   kge_rank_seconds(&model, 1)));
	ranks = train(&data, &model, &training, pool);
	all = best_of_all(&data, ranks, mrr);
	sampled = best_of_sample(&data, ranks, sample, training.seed, &error);
	printf("| %s | %lld of %lld | %.4f | %d | %.4f | %d | %.4f |\n", argument[4], (long long) sample.count,
		   (long long) data.valid, error, all + 1, mrr[all], sampled + 1, mrr[sampled]);
	pool_destroy(pool);
	return 0;
}
