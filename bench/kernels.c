/*
 * kernels.c
 *		Training and ranking, without a server, against what the machine can do.
 *
 *	kernels TRIPLES TRAIN TEST QUERIES THREADS
 *
 * TRIPLES has a line of three numbers (head, relation, tail) for each triple: the first TRAIN
 * are learnt, the last TEST ranked, all are known.  QUERIES is how many distinct (head,
 * relation) and (relation, tail) there are among the first.  Prints rows of tables for
 * bench/kernels.
 *
 * The limits are measured in the same run, on as many threads: the matrix product, by the
 * library's own kernel on operands that stay in cache; and reading and adding long arrays.
 * Shares are of processor seconds, not of time, so that they hold on a busy machine, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "graph.h"
#include "core/dense.h"
#include "core/random.h"
#include "kge/kge.h"
#include "kge/learn/bfloat16.h"
#include "kge/learning.h"
#include "kge/rank.h"

static Pool *pool;
static int	threads;
static double product_rate[2];	/* operations a processor second, by KgePrecision */
static double stream_rate;		/* bytes a processor second */

typedef struct Clock
{
	double		wall;
	double		processor;
} Clock;

static Clock
now(void)
{
	struct timespec time;
	struct rusage usage;

	clock_gettime(CLOCK_MONOTONIC, &time);
	getrusage(RUSAGE_SELF, &usage);
	return (Clock) {
		(double) time.tv_sec + 1e-9 * (double) time.tv_nsec,
		(double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
	};
}

static Clock
since(Clock start)
{
	Clock		end = now();

	return (Clock) {end.wall - start.wall, end.processor - start.processor};
}

/* ---- memory, in huge pages as in the server ------------------------------------- */

static void *
allocate(void *context, size_t bytes)
{
	void	   *memory = NULL;

	(void) context;
	if (posix_memalign(&memory, (size_t) 2 << 20, bytes) != 0)
		abort();
#ifdef MADV_HUGEPAGE
	madvise(memory, bytes, MADV_HUGEPAGE);
#endif
	return memory;
}

/* What an arena gave last, to be freed with a measurement. */
static void *last_given;

static void *
allocate_last(void *context, size_t bytes)
{
	return last_given = allocate(context, bytes);
}

static Arena arena = {.allocate = allocate_last};

/* ---- limits --------------------------------------------------------------------- */

enum
{
	ROWS = 128, COLUMNS = 64, DEPTH = 384, REPEATS = 200, ITEMS = 64
};
#define STREAM	((size_t) 16 << 20)	/* floats of an array */

typedef struct Operands
{
	float	   *a;
	float	   *b;
	float	   *out;
	KgePacked	queries;
	KgePacked	candidates;
	KgePrecision precision;
} Operands;

static void
multiply(void *argument, int64_t item, int thread)
{
	Operands   *all = argument;
	float	   *out = all->out + thread * ROWS * COLUMNS;

	(void) item;
	for (int i = 0; i < REPEATS; i++)
		if (all->precision == KGE_BFLOAT16)
			kge_bfloat16_scores(kge_bfloat16(), all->queries, COLUMNS, all->candidates, ROWS,
								out, COLUMNS);
		else
			dense_combine(DENSE_PRODUCT, ROWS, COLUMNS, DEPTH, all->a, DEPTH, 1, all->b, COLUMNS,
							  out, COLUMNS, false);
}

static void
add_up(void *argument, int64_t item, int thread)
{
	Operands   *all = argument;
	size_t		size = STREAM / ITEMS;
	size_t		from = (size_t) item * size;

	(void) thread;
	for (size_t i = from; i < from + size; i++)
		all->out[i] = all->a[i] + all->b[i];
}

static void
measure_limits(void)
{
	Allocation	space = {0};
	Operands	all = {0};
	Clock		taken;

	all.a = allocate(NULL, STREAM * sizeof(float));
	all.b = allocate(NULL, STREAM * sizeof(float));
	all.out = allocate(NULL, STREAM * sizeof(float));
	for (int round = 0; round < 2; round++)
	{
		all.queries = kge_packed_take(&space, 1, COLUMNS, DEPTH);
		all.candidates = kge_packed_take(&space, 1, ROWS, DEPTH);
		if (round == 0)
			allocation_open(&space, &arena);
	}
	for (size_t i = 0; i < STREAM; i++)
		all.a[i] = all.b[i] = 1;
	kge_pack_queries((KgeRows) {COLUMNS, DEPTH, all.a}, all.queries);
	for (int precision = KGE_SINGLE; precision <= KGE_BFLOAT16; precision++)
	{
		if (!kge_has_precision((KgePrecision) precision))
			continue;
		all.precision = (KgePrecision) precision;
		if (precision == KGE_BFLOAT16)
			kge_pack_candidates(kge_bfloat16(), (KgeRows) {ROWS, DEPTH, all.b}, all.candidates);
		taken = now();
		pool_run(pool, ITEMS, multiply, &all);
		product_rate[precision] = 2.0 * ROWS * COLUMNS * DEPTH * REPEATS * ITEMS / since(taken).processor;
	}
	pool_run(pool, ITEMS, add_up, &all);
	taken = now();
	for (int round = 0; round < 8; round++)
		pool_run(pool, ITEMS, add_up, &all);
	stream_rate = 8 * 3 * sizeof(float) * (double) STREAM / since(taken).processor;
	free(all.a);
	free(all.b);
	free(all.out);
	free(last_given);
	printf("limits, for %d threads: matrix product %.0f GFlop/s in single", threads,
		   threads * product_rate[KGE_SINGLE] / 1e9);
	if (product_rate[KGE_BFLOAT16] > 0)
		printf(", %.0f in bfloat16", threads * product_rate[KGE_BFLOAT16] / 1e9);
	printf("; memory %.1f GB/s\n", threads * stream_rate / 1e9);
}

/* ---- the graph, and models ------------------------------------------------------- */

/* Uniform triples: hardly any two share a query. */
static Graph
made_graph(int64_t triples, int32_t entities)
{
	Graph		graph = {.train = triples,.count = triples,.queries = 2 * triples,.entities = entities,.relations = 100};

	graph.triple = malloc((size_t) triples * sizeof(Triple));
	for (int64_t i = 0; i < triples; i++)
		graph.triple[i] = (Triple) {
			(int32_t) random_below(random_bits(1, (uint64_t) i), (uint64_t) entities),
			(int32_t) random_below(random_bits(2, (uint64_t) i), 100),
			(int32_t) random_below(random_bits(3, (uint64_t) i), (uint64_t) entities)
		};
	return graph;
}

static KgeModel
new_model(const Graph *graph, const char *name, int norm, int d)
{
	KgeModel	model = {.function = kge_score_function(name),.dimensions = d,.norm = norm,.gamma = 12,
	.entities = graph->entities,.relations = graph->relations};

	model.entity = allocate(NULL, sizeof(float) * (size_t) graph->entities *
							(size_t) kge_entity_width(model.function, d));
	model.relation = allocate(NULL, sizeof(float) * (size_t) graph->relations *
							  (size_t) kge_relation_width(model.function, d));
	kge_model_initialise(&model, pool, 0);
	return model;
}

static void
free_model(KgeModel *model)
{
	free(model->entity);
	free(model->relation);
}

/* ---- measurements ------------------------------------------------------------------ */

/* An epoch, after a short one that warms up; also prints the memory, if asked to. */
static Clock
epoch(const Graph *graph, KgeModel *model, const KgeTraining *training)
{
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, model, training, graph->train);
	void	   *memory = last_given;
	int64_t		few = graph->train < 2000 ? graph->train : 2000;
	Clock		start;

	kge_train_epoch(trainer, graph->triple, NULL, few, 0);
	start = now();
	kge_train_epoch(trainer, graph->triple, NULL, graph->train, 1);
	start = since(start);
	free(memory);
	return start;
}

/* figure: per second of time on an idle machine, processor seconds by threads. */
static void
row(const char *what, const char *figure, Clock taken, double flops, KgePrecision precision)
{
	printf("work|%s|%s|%.2f|%.2f|%.2f|%.0f\n", what, figure, taken.processor / threads,
		   taken.wall, flops / product_rate[precision] / threads,
		   100 * flops / product_rate[precision] / taken.processor);
	fflush(stdout);
}

static void
measure_training(const Graph *graph, const char *what, const char *function, int norm, int d,
				 KgeTraining training)
{
	KgeModel	model = new_model(graph, function, norm, d);
	double		flops = kge_epoch_flops(&model, &training, graph->train, graph->queries);
	double		parameters = sizeof(float) * ((double) graph->entities * kge_entity_width(model.function, d) +
											  (double) graph->relations * kge_relation_width(model.function, d));
	double		state = (double) kge_trainer_state_bytes(&model, &training);
	double		memory = (double) kge_trainer_bytes(&model, &training, graph->train, threads) + parameters;
	Clock		taken = epoch(graph, &model, &training);
	double		second = taken.processor / threads;
	char		figure[100];

	if (training.loss == kge_loss("softmax"))
		snprintf(figure, sizeof(figure), "%.1f s an epoch; memory %.2f times parameters and state",
				 second, memory / (parameters + state));
	else
		snprintf(figure, sizeof(figure), "%.0f positives/s, %.3g scores/s; memory %.2f times",
				 (double) graph->train / second, (double) graph->train * (1 + training.negatives) / second,
				 memory / (parameters + state));
	row(what, figure, taken, flops, training.precision);
	free_model(&model);
}

static void
measure_ranking(const Graph *graph, int d)
{
	KgeModel	model = new_model(graph, "complex", 1, d);
	int32_t    *rank = malloc(2 * (size_t) graph->ranked * sizeof(int32_t));
	Clock		start = now();
	char		figure[100];

	kge_rank(&arena, pool, &model, NULL,
			 (KgeTriples) {graph->triple + graph->count - graph->ranked, graph->ranked},
			 (KgeTriples) {graph->triple, graph->count}, 0, (KgeRanks) {rank, rank + graph->ranked});
	start = since(start);
	snprintf(figure, sizeof(figure), "%.2f s for 2 x %lld rankings", start.processor / threads, (long long) graph->ranked);

	/* equal questions are asked once, so that this may be more than there is to do */
	row("filtered ranking, complex", figure, start,
		2.0 * (double) graph->ranked * graph->entities * 2 * kge_entity_width(model.function, d), KGE_SINGLE);
	free(last_given);
	free(rank);
	free_model(&model);
}

static void
measure_growth(const char *what, const KgeTraining *training, int times, int64_t triples, int32_t entities, int d)
{
	static double first;
	Graph		graph = made_graph(triples, entities);
	KgeModel	model = new_model(&graph, "complex", 1, d);
	Clock		taken = epoch(&graph, &model, training);

	if (times == 1)
		first = taken.processor;
	printf("growth|%s|%lld|%d|%d|%.2f|%.1f\n", what, (long long) triples, entities, d,
		   taken.processor, taken.processor / first);
	fflush(stdout);
	free(graph.triple);
	free_model(&model);
}

static KgeTraining
training_of(const char *loss, int block, int negatives, KgePrecision precision)
{
	return (KgeTraining) {
		.batch_size = loss[0] == 's' ? 1000 : 1024,.block_size = block,.negatives = negatives,
		.learning_rate = 0.1,.regularization = loss[0] == 's' ? 0.02 : 0,.loss = kge_loss(loss),
		.precision = precision
	};
}

int
main(int count, char **argument)
{
	KgeTraining softmax = training_of("softmax", 1, 1, KGE_SINGLE);
	Graph		graph;

	if (count != 6)
		return 2;
	graph = read_graph(argument[1]);
	graph.train = atoll(argument[2]);
	graph.ranked = atoll(argument[3]);
	graph.queries = atoll(argument[4]);
	threads = atoi(argument[5]);
	dense_choose_kernels();
	pool = pool_create(threads, NULL, NULL);
	measure_limits();

	measure_training(&graph, "complex, softmax, single", "complex", 1, 200, softmax);
	if (kge_has_precision(KGE_BFLOAT16))
		measure_training(&graph, "complex, softmax, bfloat16", "complex", 1, 200,
						 training_of("softmax", 1, 1, KGE_BFLOAT16));
	measure_training(&graph, "complex, 100 negatives on either side", "complex", 1, 200,
					 training_of("logistic", 64, 200, KGE_SINGLE));
	measure_training(&graph, "rotate, 64 negatives", "rotate", 1, 200,
					 training_of("logistic", 64, 64, KGE_SINGLE));
	measure_training(&graph, "transe L2, 256 negatives", "transe", 2, 200,
					 training_of("logistic", 64, 256, KGE_SINGLE));
	measure_training(&graph, "transe L2, 256 negatives, block_size 256", "transe", 2, 200,
					 training_of("logistic", 256, 256, KGE_SINGLE));
	measure_ranking(&graph, 200);

	for (int times = 1; times <= 16; times *= 4)
		measure_growth("triples", &softmax, times, 4000 * times, 4000, 32);
	for (int times = 1; times <= 16; times *= 4)
		measure_growth("entities", &softmax, times, 4000, 4000 * times, 32);
	for (int times = 1; times <= 16; times *= 4)
		measure_growth("d", &softmax, times, 4000, 4000, 32 * times);
	pool_destroy(pool);
	return 0;
}
