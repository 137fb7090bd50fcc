/*
 * paths.c
 *		How well a path network ranks, and how long that takes.
 *
 *	paths TRIPLES TRAIN VALID [NAME=VALUE ...]
 *
 * TRIPLES has a line of three numbers (head, relation, tail) for each triple: the first TRAIN are learnt, the next
 * VALID and all others known.  After each epoch of `questions` triples some of valid are ranked, by the average of the
 * network as hkg_train does; at the end, with `test=1`, all that are behind them are.  Prints seconds, loss and MRR.
 *
 *	layers=6 width=32 kept=1000 epochs=10 questions=4096 batch=32 rate=0.003 end=0.1 dropout=0 exploration=0
 *	last_epochs=0 (that keep last_kept=1000 entities, without noise)
 *	direct=-1 (by what is held out) sample=500 seed=1 threads=2 save=FILE load=FILE test=0
 *	new=FILE known=N	at the end, all but the first N triples of another graph with the same relations, whose first N
 *						are its facts
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "memory.h"
#include "core/dense.h"
#include "core/question.h"
#include "core/random.h"
#include "paths/paths.h"

#define MOST_THREADS 64

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
	PathReader *const *reader;	/* of each thread */
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
rank_all(const Graph *graph, PathReader *const *reader, Pool *pool, const Triple *triple, int64_t count)
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
	metrics.seconds = seconds_since(start) * pool_threads(pool) / (double) ranking.known.count;
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

/* ---- a run ------------------------------------------------------------------------------ */

typedef struct Run
{
	Graph		graph;
	FactIndex	facts;
	PathNetwork network;		/* which is learnt */
	PathNetwork average;		/* which is ranked */
	PathTraining training;
	PathTrainer *trainer;
	PathReader *reader[MOST_THREADS];
	Pool	   *pool;
	int			threads;
	Triple	   *train;			/* in the order of this pass */
	int64_t		next;			/* of train */
	uint64_t	passes;
	Triple	   *valid;			/* in an order that is drawn */
	double		seconds;		/* of learning */
} Run;

static Triple *
copy_of(const Triple *triple, int64_t count)
{
	Triple	   *copy = malloc((size_t) count * sizeof(Triple));

	memcpy(copy, triple, (size_t) count * sizeof(Triple));
	return copy;
}

static void
open_graph(Run *run, const char *path, int64_t train, int64_t valid)
{
	run->graph = read_graph(path);
	run->graph.train = train;
	run->graph.ranked = valid;
	run->threads = (int) setting("threads", 2);
	run->pool = pool_create(run->threads, NULL, NULL);
	fact_index(&arena, run->pool, run->graph.entities, run->graph.relations, run->graph.triple, train, &run->facts);
	run->train = copy_of(run->graph.triple, train);
	run->valid = copy_of(run->graph.triple + train, valid);
	shuffle(run->valid, valid, random_stream(7, DRAW_RANKED, 0, 0));
	run->next = train;
}

/* Reads the parameters from the file of that setting, or writes them; nothing where it is not set. */
static void
transfer(PathNetwork *network, const char *name, const char *mode)
{
	const char *path = text_setting(name);
	size_t		count = path_parameters(network->shape);
	FILE	   *file = path == NULL ? NULL : fopen(path, mode);

	if (path == NULL)
		return;
	if (file == NULL || (*mode == 'r' ? fread(network->parameter, sizeof(float), count, file) :
						 fwrite(network->parameter, sizeof(float), count, file)) != count)
	{
		perror(path);
		exit(1);
	}
	fclose(file);
}

static void
open_network(Run *run)
{
	PathNetwork *network = &run->network;

	network->shape = (PathShape) {run->graph.relations, (int) setting("layers", 6), (int) setting("width", 32),
		(int32_t) fmax(setting("kept", 1000), setting("last_epochs", 0) > 0 ? setting("last_kept", 1000) : 0)};
	network->parameter = allocate(NULL, path_parameters(network->shape) * sizeof(float));
	path_initialise(network, (uint64_t) setting("seed", 1));
	transfer(network, "load", "r");
	run->average = *network;
	run->average.parameter = allocate(NULL, path_parameters(network->shape) * sizeof(float));
	for (int i = 0; i < run->threads; i++)
		run->reader[i] = path_reader(&arena, &run->facts, &run->average);
}

static void
open_trainer(Run *run)
{
	PathTraining *training = &run->training;

	*training = (PathTraining) {.batch_size = (int) setting("batch", 32),.dropout = setting("dropout", 0),
		.seed = (uint64_t) setting("seed", 1),.direct = setting("direct", -1) != 0};
	if (setting("direct", -1) < 0)
		training->direct = path_is_direct(&run->facts, run->valid, run->graph.ranked);
	run->trainer = path_trainer(&arena, &run->facts, &run->network, training, run->threads);
	printf("direct %d, %zu parameters, trainer %zu MB, reader %zu MB\n", training->direct,
		   path_parameters(run->network.shape),
		   path_trainer_bytes(&run->facts, run->network.shape, training, run->threads) >> 20,
		   path_reader_bytes(&run->facts, run->network.shape) >> 20);
	path_trainer_average(run->trainer, run->average.parameter);
}

static int64_t
at_most(double wanted, int64_t count)
{
	return wanted < (double) count ? (int64_t) wanted : count;
}

static PathPace
pace_of(int epoch, int epochs)
{
	PathPace	pace = {setting("rate", 0.003) * pow(setting("end", 0.1), (double) epoch / epochs), (int32_t) setting("kept", 1000),
		setting("exploration", 0)};

	if (epoch >= epochs - setting("last_epochs", 0))
	{
		pace.kept = (int32_t) setting("last_kept", 1000);
		pace.exploration = 0;
	}
	return pace;
}

static double
learn(Run *run, int epoch, int64_t questions, PathPace pace)
{
	int64_t		start = monotonic_now();
	double		loss;

	if (run->next + questions > run->graph.train)
	{
		shuffle(run->train, run->graph.train, random_stream(run->training.seed, DRAW_ORDER, run->passes++, 0));
		run->next = 0;
	}
	loss = path_train(run->trainer, run->pool, run->train + run->next, questions, pace, (uint64_t) epoch);
	run->next += questions;
	path_trainer_average(run->trainer, run->average.parameter);
	run->seconds += seconds_since(start);
	return loss;
}

static void
run_epochs(Run *run)
{
	int64_t		questions = at_most(setting("questions", 4096), run->graph.train);
	int64_t		sample = at_most(setting("sample", 500), run->graph.ranked);
	int			epochs = (int) setting("epochs", 10);

	for (int epoch = 0; epoch < epochs; epoch++)
	{
		double		loss = learn(run, epoch, questions, pace_of(epoch, epochs));
		Metrics		metrics = rank_all(&run->graph, run->reader, run->pool, run->valid, sample);
		double		asked = 2.0 * (double) questions * (epoch + 1);

		printf("epoch %d: %.1f s, %.0f questions, %.1f ms a question, loss %.4f, MRR %.4f, Hits@10 %.4f, "
			   "%.1f ms a question ranked\n", epoch + 1, run->seconds, asked, run->seconds * 1e3 * run->threads / asked, loss,
			   metrics.mrr, metrics.hits, metrics.seconds * 1e3);
		fflush(stdout);
		transfer(&run->average, "save", "w");
	}
}

static void
rank_test(const Run *run)
{
	const Graph *graph = &run->graph;
	int64_t		behind = graph->train + graph->ranked;
	Metrics		metrics;

	if (!(setting("test", 0) > 0))
		return;
	metrics = rank_all(graph, run->reader, run->pool, graph->triple + behind, graph->count - behind);
	printf("test: MRR %.4f, Hits@10 %.4f, %.1f ms a question ranked\n", metrics.mrr, metrics.hits, metrics.seconds * 1e3);
}

/* Ranks the facts of a graph that the network has not seen. */
static void
rank_new(const Run *run)
{
	const char *path = text_setting("new");
	int64_t		known = (int64_t) setting("known", 0);
	PathReader *reader[MOST_THREADS];
	FactIndex	facts;
	Graph		graph;
	Metrics		metrics;

	if (path == NULL)
		return;
	graph = read_graph(path);
	fact_index(&arena, run->pool, graph.entities, run->graph.relations, graph.triple, known, &facts);
	for (int i = 0; i < run->threads; i++)
		reader[i] = path_reader(&arena, &facts, &run->average);
	metrics = rank_all(&graph, reader, run->pool, graph.triple + known, graph.count - known);
	printf("new entities: MRR %.4f, Hits@10 %.4f\n", metrics.mrr, metrics.hits);
}

int
main(int count, char **argument)
{
	Run			run = {.seconds = 0};

	if (count < 4)
		return 2;
	words = count - 4;
	word = argument + 4;
	dense_choose_kernels();
	open_graph(&run, argument[1], atoll(argument[2]), atoll(argument[3]));
	open_network(&run);
	open_trainer(&run);
	run_epochs(&run);
	rank_test(&run);
	rank_new(&run);
	pool_destroy(run.pool);
	return 0;
}
