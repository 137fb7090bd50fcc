/*
 * main.c
 *		Runs the unit tests: all of them, those that are named, or all but those named with a "-" before.
 */
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

#include "core/dense.h"

/* threads count, too */
static atomic_long passed;
static atomic_long failed;

void
check(bool ok, const char *file, int line, const char *format,...)
{
	va_list		arguments;

	if (ok)
	{
		passed++;
		return;
	}
	failed++;
	printf("%s:%d: failed: ", file, line);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

static double
processor_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

/* Processor seconds, which a busy machine hardly stretches: of the last pause, and the longest between two. */
static double last_pause;
static double longest_stretch;

/* A pool's `between` */
static void
note_pause(void *argument)
{
	double		now = processor_seconds();

	longest_stretch = fmax(longest_stretch, now - last_pause);
	last_pause = now;
}

void
start_stretch(void)
{
	last_pause = processor_seconds();
	longest_stretch = 0;
}

void
check_pauses(int threads, double limit, void (*work) (Pool *, void *), void *argument, const char *name)
{
	Pool	   *pool = pool_create(threads, note_pause, NULL);
	double		best = INFINITY;

	for (int run = 0; run < 5 && best >= limit; run++)
	{
		start_stretch();
		work(pool, argument);
		note_pause(NULL);
		best = fmin(best, longest_stretch);
	}
	check(best < limit, __FILE__, __LINE__, "%s: %.0f ms without a pause", name, 1e3 * best);
	pool_destroy(pool);
}

void
leave(void *argument)
{
	Leaving    *leaving = argument;

	if (++leaving->pauses == leaving->leave_at)
		longjmp(leaving->place, 1);
}

/* What `take` gave, linked by a header before each piece. */
typedef struct Piece
{
	struct Piece *next;
	double		align[7];
} Piece;

static _Atomic(Piece *) pieces;	/* adjustments of questions take some on threads */

size_t		arena_bytes;
int			arena_times = -1;

void *
take(size_t bytes)
{
	Piece	   *piece = malloc(sizeof(Piece) + bytes);

	if (piece == NULL)
		abort();
	piece->next = atomic_exchange(&pieces, piece);
	return piece + 1;
}

static void *
allocate(void *context, size_t bytes)
{
	return take(bytes);
}

static void *
allocate_nothing(void *context, size_t bytes)
{
	return NULL;
}

static void *
allocate_counting(void *context, size_t bytes)
{
	if (arena_times == 0)
		return NULL;
	arena_times--;
	arena_bytes += bytes;
	return take(bytes);
}

Arena	arena = {.allocate = allocate};

void *
moved(const void *memory, size_t bytes)
{
	char	   *room = arena.allocate(arena.context, bytes + 64);
	char	   *copy = room + (64 - (uintptr_t) room % 64) % 64;

	memcpy(copy, memory, bytes);
	memset((void *) memory, 0xff, bytes);
	return copy;
}

Arena	empty_arena = {.allocate = allocate_nothing};
Arena	counting_arena = {.allocate = allocate_counting};

static void
free_pieces(void)
{
	Piece	   *piece = atomic_exchange(&pieces, NULL);

	while (piece != NULL)
	{
		Piece	   *next = piece->next;

		free(piece);
		piece = next;
	}
}

static uint64_t draws;

uint64_t
next_draw(void)
{
	return random_bits(12345, draws++);
}

double
next_uniform(double low, double high)
{
	return low + (high - low) * random_open(next_draw());
}

int
next_below(int bound)
{
	return (int) random_below(next_draw(), (uint64_t) bound);
}

/* New ones come last: tests name some by their place. */
const Variant variants[] = {
	{"transe", 1, false}, {"transe", 2, false}, {"distmult", 1, false}, {"complex", 1, false},
	{"rotate", 1, false}, {"rotate", 2, false}, {"rescal", 1, false},
	{"rotate", 1, true}, {"complex", 1, true}
};
const int	variant_count = (int) (sizeof(variants) / sizeof(variants[0]));

KgeModel
random_model(Variant variant, int d, int entities, int relations, double limit)
{
	KgeModel	model = {kge_score_function(variant.name), d, variant.norm, 4.0,
	entities, relations, NULL, NULL, variant.reciprocal, 0, NULL, NULL};
	size_t		entity = (size_t) entities * (size_t) kge_entity_width(model.function, d);
	size_t		relation = (size_t) kge_relation_rows(&model) *
		(size_t) kge_relation_width(model.function, d);

	model.entity = take(entity * sizeof(float));
	model.relation = take(relation * sizeof(float));
	for (size_t i = 0; i < entity; i++)
		model.entity[i] = (float) next_uniform(-limit, limit);
	for (size_t i = 0; i < relation; i++)
		model.relation[i] = (float) next_uniform(-limit, limit);
	return model;
}

Triple
random_triple(const KgeModel *model)
{
	Triple		triple;

	triple.head = next_below(model->entities);
	triple.relation = next_below(model->relations);
	triple.tail = next_below(model->entities);
	return triple;
}

Pool	   *pool;
Pool	   *leader;

typedef struct Suite
{
	const char *name;
	void		(*run) (void);
} Suite;

static const Suite suites[] = {
	{"pool", test_pool},
	{"dense", test_dense},
	{"bfloat16", test_bfloat16},
	{"random", test_random},
	{"score", test_score},
	{"gradient", test_gradient},
	{"loss", test_loss},
	{"group", test_group},
	{"train", test_train},
	{"partitions", test_partitions},
	{"constraint", test_constraint},
	{"labels", test_labels},
	{"rank", test_rank},
	{"rank_sample", test_rank_sample},
	{"top_entities", test_top_entities},
	{"top_many", test_top_many},
	{"sketch", test_sketch},
	{"screen", test_screen},
	{"top_triples", test_top_triples},
	{"sort", test_sort},
	{"search", test_search},
	{"best_threshold", test_best_threshold},
	{"importance_sampling", test_importance_sampling},
	{"new_entities", test_new_entities},
	{"body_join", test_body_join},
	{"path_discovery", test_path_discovery},
	{"answer", test_answer},
	{"answer_types", test_answer_types},
	{"paths", test_paths},
	{"aggregate", test_aggregate},
	{"learn", test_learn},
	{"conve", test_conve},
	{"similar", test_similar}
};

static bool
is_wanted(const char *name, int count, char **names)
{
	bool		wanted = count == 1 || names[1][0] == '-';

	for (int i = 1; i < count; i++)
		if (strcmp(names[i] + (names[i][0] == '-'), name) == 0)
			wanted = names[i][0] != '-';
	return wanted;
}

int
main(int count, char **names)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	dense_choose_kernels();
	pool = pool_create(2, NULL, NULL);
	leader = pool_create(0, NULL, NULL);
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		if (is_wanted(suites[i].name, count, names))
		{
			draws = 0;			/* alone or after others, a suite sees the same */
			suites[i].run();
			free_pieces();
		}
	pool_destroy(pool);
	pool_destroy(leader);
	printf("%ld passed, %ld failed\n", passed, failed);
	return failed > 0 || passed == 0;
}
