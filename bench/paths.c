/*
 * paths.c
 *		The path network without a server: milliseconds of the processor a question, and the MRR that it leads to.
 *
 *	paths TRIPLES TRAIN THREADS EPOCHS FACTS SEED
 *
 * TRIPLES has a line of three numbers (head, relation, tail) for each triple: the first TRAIN are learnt, the others
 * ranked, all are known.  An epoch asks for FACTS facts (a multiple of 64) on both sides, with the settings that hkg_train chooses for such a
 * graph (src/train/paths/path_settings.c).  Prints rows of a table for bench/paths.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "graph.h"
#include "core/dense.h"
#include "core/random.h"
#include "core/sort.h"
#include "paths/walk.h"

#define FACTS_AT_ONCE 64
#define LEARNING 3				/* times the operations of an answer: gradients take two of them */
#define MOST_RANKED 1500

static Pool *pool;

static void *
allocate(void *context, size_t bytes)
{
	(void) context;
	return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static Arena arena = {.allocate = allocate};

static double
processor_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* ---- learning ------------------------------------------------------------------- */

/* As hkg_train learns on such a graph */
typedef struct Plan
{
	PathShape	shape;
	PathTraining training;
	PathPace	first;
	int			epochs;
	int			last_epochs;	/* at the end, which keep as many as answers do */
} Plan;

static Plan
plan_of(const FactIndex *facts, int epochs, uint64_t seed)
{
	bool		dense = facts->edges >= 10 * (int64_t) facts->entities;
	PathShape	shape = {facts->relations, dense ? 5 : 6, facts->relations > 100 ? 48 : 32, dense ? 300 : 1000};
	bool		keeps_all = path_keeps_all(facts, shape);
	Plan		plan = {shape, {!dense ? 16 : keeps_all ? 8 : 32, 0.05, true, seed},
	{dense ? 0.004 : 0.005, shape.kept, keeps_all ? 0 : 0.5}, epochs, 0};

	if (!keeps_all && shape.kept < 1000)
	{
		plan.shape.kept = 1000;
		plan.last_epochs = epochs / 5;
	}
	return plan;
}

/* Facts in an order that a seed draws */
static void
shuffle(Triple *triple, int64_t count, uint64_t seed)
{
	for (int64_t i = count - 1; i > 0; i--)
	{
		int64_t		other = random_below(random_bits(seed, (uint64_t) i), (uint64_t) i + 1);
		Triple		swapped = triple[i];

		triple[i] = triple[other];
		triple[other] = swapped;
	}
}

/* ---- the limit --------------------------------------------------------------------- */

/* Floating point operations a second of one thread, by products of square matrices that are in its cache */
static double
product_rate(void)
{
	enum
	{
		N = 192
	};
	float	   *matrix = calloc(3 * N * N, sizeof(float));
	double		start = processor_seconds();
	int			products = 0;

	for (; processor_seconds() - start < 0.5; products++)
		dense_combine(DENSE_PRODUCT, N, N, N, matrix, N, 1, matrix + N * N, N, matrix + 2 * N * N, N, false);
	free(matrix);
	return 2.0 * N * N * N * products / (processor_seconds() - start);
}

static Degrees
degrees_of(const Graph *graph)
{
	int32_t    *facts = calloc((size_t) graph->entities, sizeof(int32_t));
	Degrees		degrees = {calloc((size_t) graph->entities, sizeof(Degree)), 0};

	for (int64_t i = 0; i < graph->train; i++)
	{
		facts[graph->triple[i].head]++;
		facts[graph->triple[i].tail]++;
	}
	qsort(facts, (size_t) graph->entities, sizeof(int32_t), compare_int32);
	for (int32_t i = 0; i < graph->entities; i++)
	{
		if (i == 0 || facts[i] != facts[i - 1])
			degrees.degree[degrees.count++].facts = facts[i];
		degrees.degree[degrees.count - 1].entities++;
	}
	free(facts);
	return degrees;
}

/* Milliseconds of a thread for the operations of a question's answer, at the rate of products */
static double
limit_of(const Graph *graph, PathShape shape, int32_t kept)
{
	static Degrees degrees;
	static double rate;

	if (rate == 0)
	{
		degrees = degrees_of(graph);
		rate = product_rate();
	}
	shape.kept = kept;
	return 1e3 * path_flops(shape, graph->entities, degrees) / rate;
}

/* ---- learning ------------------------------------------------------------------------ */

static void
learn(PathTrainer *trainer, const Plan *plan, const Graph *graph, Triple *fact, int64_t asked)
{
	int64_t		done = 0;

	for (int epoch = 1; epoch <= plan->epochs; epoch++)
	{
		PathPace	pace = plan->first;
		double		start = processor_seconds();
		double		loss = 0;

		pace.learning_rate *= pow(0.1, (double) (epoch - 1) / plan->epochs);
		if (epoch > plan->epochs - plan->last_epochs)
		{
			pace.kept = plan->shape.kept;
			pace.exploration = 0;
		}
		for (int64_t i = 0; i < asked; i += FACTS_AT_ONCE, done += FACTS_AT_ONCE)
		{
			if (done + FACTS_AT_ONCE > graph->train)
				done = 0;
			loss += FACTS_AT_ONCE * path_train(trainer, pool, fact + done, FACTS_AT_ONCE, pace, (uint64_t) (epoch * asked + i));
		}
		printf("work|epoch %d, %d kept, loss %.6f|%.3f|%.3f\n", epoch, pace.kept, loss / (double) asked,
			   1e3 * (processor_seconds() - start) / (2 * (double) asked), LEARNING * limit_of(graph, plan->shape, pace.kept));
		fflush(stdout);
	}
}

/* ---- ranking ---------------------------------------------------------------------- */

typedef struct Ranking
{
	const Graph *graph;
	const FactIndex *facts;		/* that are learnt */
	const FactIndex *known;
	PathReader **reader;		/* by thread */
	const Triple *asked;
	double	   *reciprocal;		/* by question */
} Ranking;

/* Item: a question.  Of equal scores, the mean rank */
static void
rank(void *argument, int64_t item, int thread)
{
	const Ranking *ranking = argument;
	Triple		triple = ranking->asked[item / 2];
	Side		side = (Side) (item % 2);
	Question	question = question_of(side, triple_given(&triple, side), triple.relation);
	FactGroup	known = fact_group(ranking->known, question.given, asked_atom(question.relation, side));
	const PathAnswer *answer;
	int64_t		count = path_answers(ranking->reader[thread], question, pool, thread, &answer);
	float		score = path_score(ranking->reader[thread], triple_answer(&triple, side));
	int64_t		above = 0;
	int64_t		equal = 0;

	for (int64_t i = 0; i < count; i++)
		if (!fact_group_holds(ranking->known, known, answer[i].entity))
		{
			above += answer[i].score > score;
			equal += answer[i].score == score;
		}
	if (score == 0)
		equal += ranking->facts->entities - count;
	ranking->reciprocal[item] = 1 / (1 + (double) above + (double) equal / 2);
}

static void
rank_all(Ranking *ranking, const PathNetwork *network, int64_t count)
{
	double		start;
	double		sum = 0;

	ranking->reader = calloc((size_t) pool_threads(pool), sizeof(PathReader *));
	for (int i = 0; i < pool_threads(pool); i++)
		ranking->reader[i] = path_reader(&arena, ranking->facts, network);
	ranking->reciprocal = calloc(2 * (size_t) count, sizeof(double));
	start = processor_seconds();
	pool_run(pool, 2 * count, rank, ranking);
	for (int64_t i = 0; i < 2 * count; i++)
		sum += ranking->reciprocal[i];
	printf("work|answers, %d kept, MRR %.4f|%.3f|%.3f\n", network->shape.kept, sum / (2 * (double) count),
		   1e3 * (processor_seconds() - start) / (2 * (double) count),
		   limit_of(ranking->graph, network->shape, network->shape.kept));
}

int
main(int count, char **argument)
{
	Graph		graph;
	FactIndex	facts;
	FactIndex	known;
	Plan		plan;
	PathNetwork network;
	PathTrainer *trainer;
	Triple	   *shuffled;

	if (count != 7)
		return 2;
	graph = read_graph(argument[1]);
	graph.train = atoll(argument[2]);
	dense_choose_kernels();
	pool = pool_create(atoi(argument[3]), NULL, NULL);
	fact_index(&arena, pool, graph.entities, graph.relations, graph.triple, graph.train, &facts);
	fact_index(&arena, pool, graph.entities, graph.relations, graph.triple, graph.count, &known);
	plan = plan_of(&facts, atoi(argument[4]), (uint64_t) atoll(argument[6]));
	plan.training.direct = path_is_direct(&facts, graph.triple + graph.train, graph.count - graph.train);
	network = (PathNetwork) {.shape = plan.shape,.parameter = malloc(path_parameters(plan.shape) * sizeof(float)),.members = 1};
	path_initialise(&network, plan.training.seed);
	trainer = path_trainer(&arena, &facts, &network, &plan.training, pool_threads(pool));
	shuffled = malloc((size_t) graph.train * sizeof(Triple));
	for (int64_t i = 0; i < graph.train; i++)
		shuffled[i] = graph.triple[i];
	shuffle(shuffled, graph.train, plan.training.seed);
	learn(trainer, &plan, &graph, shuffled, atoll(argument[5]));
	path_trainer_average(trainer, network.parameter);
	shuffle(graph.triple + graph.train, graph.count - graph.train, 7);
	rank_all(&(Ranking) {.graph = &graph,.facts = &facts,.known = &known,.asked = graph.triple + graph.train},
			 &network, graph.count - graph.train < MOST_RANKED ? graph.count - graph.train : MOST_RANKED);
	pool_destroy(pool);
	return 0;
}
