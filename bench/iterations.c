/*
 * iterations.c
 *		Which iteration of a training is the best: by the ranks of all of valid, and by those of a sample.
 *
 *	iterations TRIPLES TRAIN VALID SEED THREADS
 *
 * TRIPLES has a line of three numbers (head, relation, tail) for each triple: the first TRAIN are learnt, the next
 * VALID ranked, all are known.  The training is the default one but for rules, with d = 16.  After each iteration all
 * of valid is ranked; the sample's ranks are among them.  The sample is as large, and chooses in the same way, as on a
 * graph of many entities (src/train/embeddings/valid_ranking.c).  Prints a row of a table for bench/iterations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "core/dense.h"
#include "kge/kge.h"
#include "kge/learning.h"
#include "kge/rank.h"
#include "memory.h"

enum
{
	ITERATIONS = 10, EPOCHS = 10, DIMENSIONS = 16
};
#define MOST_TIME 0.1

/* The ranks of all, of heads and then of tails, after each iteration. */
static int32_t *
train(const Graph *graph, KgeModel *model, const KgeTraining *training, Pool *pool)
{
	int32_t    *ranks = malloc(ITERATIONS * 2 * (size_t) graph->ranked * sizeof(int32_t));
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, model, training, graph->train);

	for (int i = 0; i < ITERATIONS; i++)
	{
		int32_t    *rank = ranks + i * 2 * graph->ranked;

		for (int epoch = 0; epoch < EPOCHS; epoch++)
			kge_train_epoch(trainer, graph->triple, NULL, graph->train, (uint64_t) (i * EPOCHS + epoch));
		kge_rank(&arena, pool, model, NULL, (KgeTriples) {graph->triple + graph->train, graph->ranked},
				 (KgeTriples) {graph->triple, graph->count}, training->seed, (KgeRanks) {rank, rank + graph->ranked});
	}
	return ranks;
}

static int
best_of_all(const Graph *graph, const int32_t *ranks, double *mrr)
{
	int			best = 0;

	for (int i = 0; i < ITERATIONS; i++)
	{
		mrr[i] = kge_metrics(ranks + i * 2 * graph->ranked, 2 * graph->ranked).mrr;
		if (mrr[i] > mrr[best])
			best = i;
	}
	return best;
}

static int
best_of_sample(const Graph *graph, const int32_t *ranks, KgeSample sample, uint64_t seed, double *error)
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
			rank[j] = ranks[(2 * i + j / sample.count) * graph->ranked + place[j % sample.count]];
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
	Graph		graph;
	Pool	   *pool;
	KgeSample	sample;
	int32_t    *ranks;
	double		mrr[ITERATIONS];
	double		error;
	int			all;
	int			sampled;

	if (count != 6)
		return 2;
	graph = read_graph(argument[1]);
	graph.train = atoll(argument[2]);
	graph.ranked = atoll(argument[3]);
	training.seed = (uint64_t) atoll(argument[4]);
	qsort(graph.triple + graph.train, (size_t) graph.ranked, sizeof(Triple), triple_compare);
	dense_choose_kernels();
	pool = pool_create(atoi(argument[5]), NULL, NULL);
	model.entities = graph.entities;
	model.relations = graph.relations;
	model.entity = allocate(NULL, sizeof(float) * (size_t) graph.entities *
							(size_t) kge_entity_width(model.function, DIMENSIONS));
	model.relation = allocate(NULL, sizeof(float) * (size_t) graph.relations *
							  (size_t) kge_relation_width(model.function, DIMENSIONS));
	kge_model_initialise(&model, pool, training.seed);
	sample = kge_sample(graph.ranked, (int64_t) (MOST_TIME * EPOCHS * kge_epoch_seconds(&model, &training, graph.train, 0) /
											   kge_rank_seconds(&model, 1)));
	ranks = train(&graph, &model, &training, pool);
	all = best_of_all(&graph, ranks, mrr);
	sampled = best_of_sample(&graph, ranks, sample, training.seed, &error);
	printf("| %s | %lld of %lld | %.4f | %d | %.4f | %d | %.4f |\n", argument[4], (long long) sample.count,
		   (long long) graph.ranked, error, all + 1, mrr[all], sampled + 1, mrr[sampled]);
	pool_destroy(pool);
	return 0;
}
