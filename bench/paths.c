/*
 * paths.c
 *		How well a path network ranks, and how long that takes.
 *
 *	paths TRIPLES TRAIN VALID [NAME=VALUE ...]
 *
 * TRIPLES has a line of three numbers (head, relation, tail) for each triple: the first TRAIN are learnt, the next
 * VALID and all others known.  After each epoch of `questions` triples some of valid are ranked; at the end, with
 * `test=1`, all that are behind them are.  Prints seconds, loss and MRR.
 *
 *	layers=6 width=32 kept=1000 epochs=10 questions=4096 batch=32 rate=0.003 end=0.1 dropout=0 penalty=0
 *	direct=-1 (by what is held out) sample=500 seed=1 threads=2 save=FILE load=FILE test=0
 *	new=FILE known=N	at the end, all but the first N triples of another graph with the same relations, whose first N
 *						are its facts
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "core/dense.h"
#include "core/question.h"
#include "core/random.h"
#include "paths/paths.h"

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

static int	words;
static char **word;

static double
setting(const char *name, double usual)
{
	for (int i = 0; i < words; i++)
		if (strncmp(word[i], name, strlen(name)) == 0 && word[i][strlen(name)] == '=')
			return atof(word[i] + strlen(name) + 1);
	return usual;
}

static const char *
text_setting(const char *name)
{
	for (int i = 0; i < words; i++)
		if (strncmp(word[i], name, strlen(name)) == 0 && word[i][strlen(name)] == '=')
			return word[i] + strlen(name) + 1;
	return NULL;
}

typedef struct Ranking
{
	PathReader **reader;		/* of each thread */
	Pool	   *pool;
	int32_t		entities;
	const Triple *triple;
	Questions	known;			/* of the triples, with all known answers */
	double	   *reciprocal;		/* by example */
	double	   *hit;
} Ranking;

/* The filtered rank of an answer; of equal ones, the middle. */
static double
rank_of(const Ranking *ranking, PathReader *reader, const Question *question, const PathAnswer *answers, int64_t count,
		int32_t answer)
{
	double		score = path_score(reader, answer);
	double		above = 0;
	double		equal = 0;
	int64_t		listed = 0;
	int64_t		filtered = 0;
	int32_t		last = -1;

	for (int64_t i = 0; i < count; i++)
	{
		int32_t		entity = answers[i].entity;

		if (entity == answer || question_filters(&ranking->known, question, entity))
			continue;
		listed++;
		above += answers[i].score > score;
		equal += answers[i].score == score;
	}
	for (int64_t i = 0; i < question->filter_count; i++)
	{
		int32_t		entity = ranking->known.filter[question->filter + i];

		filtered += entity != last && entity != answer;
		last = entity;
	}
	if (score == 0)
		equal += (double) (ranking->entities - 1 - filtered - listed);
	return 1 + above + equal / 2;
}

static void
rank_question(void *argument, int64_t item, int thread)
{
	Ranking    *ranking = argument;
	const Question *question = &ranking->known.question[item];
	PathReader *reader = ranking->reader[thread];
	const PathAnswer *answers;
	int64_t		count = path_answers(reader, question->side, question->given, question->relation, ranking->pool, thread,
									 &answers);

	for (int64_t i = question->first_example; i >= 0; i = ranking->known.next_example[i])
	{
		double		rank = rank_of(ranking, reader, question, answers, count, example_answer(ranking->triple, i));

		ranking->reciprocal[i] = 1 / rank;
		ranking->hit[i] = rank <= 10;
	}
}

typedef struct Metrics
{
	double		mrr;
	double		hits;
	double		seconds;		/* a question, of one thread */
} Metrics;

static Metrics
rank_all(const Graph *graph, PathReader **reader, Pool *pool, const Triple *triple, int64_t count)
{
	Ranking		ranking = {.reader = reader,.pool = pool,.entities = graph->entities,.triple = triple};
	Allocation	allocation = {0};
	Metrics		metrics = {0};
	int64_t		start;

	questions_take(&ranking.known, &allocation, count, graph->count);
	allocation_open(&allocation, &arena);
	questions_take(&ranking.known, &allocation, count, graph->count);
	questions_fill(&ranking.known, pool, triple, graph->triple, graph->count);
	ranking.reciprocal = malloc(2 * (size_t) count * sizeof(double));
	ranking.hit = malloc(2 * (size_t) count * sizeof(double));
	start = monotonic_now();
	pool_run(pool, ranking.known.count, rank_question, &ranking);
	metrics.seconds = (double) (monotonic_now() - start) / 1e9 * pool_threads(pool) / (double) ranking.known.count;
	for (int64_t i = 0; i < 2 * count; i++)
	{
		metrics.mrr += ranking.reciprocal[i] / (2 * (double) count);
		metrics.hits += ranking.hit[i] / (2 * (double) count);
	}
	free(ranking.reciprocal);
	free(ranking.hit);
	free(allocation.base);
	return metrics;
}

/* Some of the triples, the same in each epoch, or others: in an order that is drawn. */
static void
shuffle(Triple *triple, int64_t count, uint64_t stream)
{
	for (int64_t i = count - 1; i > 0; i--)
	{
		int64_t		j = random_below(random_bits(stream, (uint64_t) i), (uint64_t) i + 1);
		Triple		moved = triple[i];

		triple[i] = triple[j];
		triple[j] = moved;
	}
}

/* Ranks the facts of a graph that the network has not seen. */
static void
rank_new(const PathNetwork *network, Pool *pool)
{
	Graph		graph = read_graph(text_setting("new"));
	int64_t		known = (int64_t) setting("known", 0);
	PathReader *reader[64];
	FactIndex	facts;
	Metrics		metrics;

	fact_index(&arena, pool, graph.entities, network->shape.relations, graph.triple, known, &facts);
	for (int i = 0; i < pool_threads(pool); i++)
		reader[i] = path_reader(&arena, &facts, network);
	metrics = rank_all(&graph, reader, pool, graph.triple + known, graph.count - known);
	printf("new entities: MRR %.4f, Hits@10 %.4f\n", metrics.mrr, metrics.hits);
}

int
main(int count, char **argument)
{
	Graph		graph;
	FactIndex	facts;
	PathNetwork network;
	PathTraining training;
	PathTrainer *trainer;
	PathReader *reader[64];
	Pool	   *pool;
	Triple	   *train;
	Triple	   *valid;
	int64_t		train_seconds = 0;
	int64_t		questions;
	int64_t		sample;
	int64_t		next = 0;
	int64_t		passes = 0;
	int			epochs;
	int			threads;

	if (count < 4)
		return 2;
	words = count - 4;
	word = argument + 4;
	dense_choose_kernels();
	graph = read_graph(argument[1]);
	graph.train = atoll(argument[2]);
	graph.ranked = atoll(argument[3]);
	threads = (int) setting("threads", 2);
	pool = pool_create(threads, NULL, NULL);
	fact_index(&arena, pool, graph.entities, graph.relations, graph.triple, graph.train, &facts);
	network.shape = (PathShape) {graph.relations, (int) setting("layers", 6), (int) setting("width", 32),
		(int32_t) setting("kept", 1000)};
	network.parameter = allocate(NULL, path_parameters(network.shape) * sizeof(float));
	path_initialise(&network, (uint64_t) setting("seed", 1));
	if (text_setting("load") != NULL)
	{
		FILE	   *file = fopen(text_setting("load"), "r");

		if (file == NULL || fread(network.parameter, sizeof(float), path_parameters(network.shape), file) == 0)
			return 1;
		fclose(file);
	}
	training = (PathTraining) {.batch_size = (int) setting("batch", 32),.dropout = setting("dropout", 0),
		.penalty = setting("penalty", 0),.seed = (uint64_t) setting("seed", 1),.direct = setting("direct", -1) != 0};
	if (setting("direct", -1) < 0)
		training.direct = path_is_direct(&facts, graph.triple + graph.train, graph.ranked);
	trainer = path_trainer(&arena, &facts, &network, &training, threads);
	for (int i = 0; i < threads; i++)
		reader[i] = path_reader(&arena, &facts, &network);
	train = malloc((size_t) graph.train * sizeof(Triple));
	valid = malloc((size_t) graph.ranked * sizeof(Triple));
	memcpy(train, graph.triple, (size_t) graph.train * sizeof(Triple));
	memcpy(valid, graph.triple + graph.train, (size_t) graph.ranked * sizeof(Triple));
	shuffle(valid, graph.ranked, random_stream(7, DRAW_RANKED, 0, 0));
	sample = (int64_t) setting("sample", 500);
	sample = sample < graph.ranked ? sample : graph.ranked;
	questions = (int64_t) setting("questions", 4096);
	questions = questions < graph.train ? questions : graph.train;
	epochs = (int) setting("epochs", 10);
	next = graph.train;
	printf("direct %d, %zu parameters, trainer %zu MB, reader %zu MB\n", training.direct, path_parameters(network.shape),
		   path_trainer_bytes(&facts, network.shape, &training, threads) >> 20, path_reader_bytes(&facts, network.shape) >> 20);
	for (int epoch = 0; epoch < epochs; epoch++)
	{
		double		rate = setting("rate", 0.003) * pow(setting("end", 0.1), (double) epoch / epochs);
		int64_t		start = monotonic_now();
		double		loss;
		Metrics		metrics;

		if (next + questions > graph.train)
		{
			shuffle(train, graph.train, random_stream(training.seed, DRAW_ORDER, (uint64_t) passes++, 0));
			next = 0;
		}
		loss = path_train(trainer, pool, train + next, questions, rate, (uint64_t) epoch);
		next += questions;
		train_seconds += monotonic_now() - start;
		metrics = rank_all(&graph, reader, pool, valid, sample);
		printf("epoch %d: %.1f s, %lld questions, %.1f ms a question, loss %.4f, MRR %.4f, Hits@10 %.4f, %.1f ms a question ranked\n", epoch + 1,
			   (double) train_seconds / 1e9, (long long) (2 * questions * (epoch + 1)), (double) train_seconds / 1e6 * threads / (2.0 * (double) questions * (epoch + 1)), loss,
			   metrics.mrr, metrics.hits, metrics.seconds * 1e3);
		fflush(stdout);
		if (text_setting("save") != NULL)
		{
			FILE	   *file = fopen(text_setting("save"), "w");

			fwrite(network.parameter, sizeof(float), path_parameters(network.shape), file);
			fclose(file);
		}
	}
	if (setting("test", 0) > 0)
	{
		Metrics		metrics = rank_all(&graph, reader, pool, graph.triple + graph.train + graph.ranked,
									   graph.count - graph.train - graph.ranked);

		printf("test: MRR %.4f, Hits@10 %.4f, %.1f ms a question ranked\n", metrics.mrr, metrics.hits, metrics.seconds * 1e3);
	}
	if (text_setting("new") != NULL)
		rank_new(&network, pool);
	pool_destroy(pool);
	return 0;
}
