/*
 * check.h
 *		The few things that all unit tests use.
 */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <setjmp.h>

#include "core/random.h"
#include "evidence/evidence.h"
#include "kge/kge.h"
#include "kge/score/score_function.h"

/* Counts a check; a failed one is printed with the formatted text. */
extern void check(bool ok, const char *file, int line, const char *format,...)
			__attribute__((format(printf, 4, 5)));

#define CHECK(condition) \
	check(condition, __FILE__, __LINE__, "%s", #condition)
#define CHECK_SAYING(condition, ...) \
	check(condition, __FILE__, __LINE__, __VA_ARGS__)

/* The larger one of two errors, neither of which is less than 0; infinite where one is NaN, which fmax leaves out. */
static inline double
worse(double a, double b)
{
	return isnan(a) || isnan(b) ? INFINITY : a > b ? a : b;
}

/* An arena over malloc; all it gave is freed at the end of the run. */
extern Arena arena;

/* An arena that has nothing to give. */
extern Arena empty_arena;

/* An arena that adds up what it gives; after arena_times of them it has nothing (a negative number: it always has). */
extern Arena counting_arena;
extern size_t arena_bytes;
extern int	arena_times;

/* A copy of that memory, at a multiple of 64; the original is overwritten. */
extern void *moved(const void *memory, size_t bytes);

extern void *take(size_t bytes);

/* Two threads; and none, for what the leader does itself. */
extern Pool *pool;
extern Pool *leader;

/* Draws of a test, all different from run to run of next_draw(), never by time. */
extern uint64_t next_draw(void);
extern double next_uniform(double low, double high);
extern int	next_below(int bound);

/*
 * Checks that `work`, on a pool of so many threads, pauses every `limit` processor seconds.  The best of five runs
 * counts: a virtual machine lengthens a stretch now and then, and code that does not pause is long in every run.
 * What `work` does before it calls start_stretch does not count.
 */
extern void check_pauses(int threads, double limit, void (*work) (Pool *, void *), void *argument, const char *name);
extern void start_stretch(void);

/* Where to jump at a pause, and at which one: 1 is the first. */
typedef struct Leaving
{
	jmp_buf		place;
	int			leave_at;
	int			pauses;
} Leaving;

/* A pool's `between` */
extern void leave(void *leaving);

/* The models that every test of scores goes through. */
typedef struct Variant
{
	const char *name;
	int			norm;
	bool		reciprocal;
} Variant;

extern const Variant variants[];
extern const int variant_count;

/* A model with values uniform in -limit .. limit. */
extern KgeModel random_model(Variant variant, int d, int entities, int relations,
							 double limit);
extern Triple random_triple(const KgeModel *model);

/* test_train.c: a model's matrices, in bytes, and compared bit by bit */
extern size_t entity_bytes(const KgeModel *model);
extern size_t relation_bytes(const KgeModel *model);
extern KgeModel copy_of(const KgeModel *model);
extern bool same_bits(const KgeModel *a, const KgeModel *b);

extern void test_pool(void);
extern void test_dense(void);
extern void test_bfloat16(void);
extern void test_random(void);
extern void test_score(void);
extern void test_gradient(void);
extern void test_loss(void);
extern void test_group(void);
extern void test_train(void);
extern void test_partitions(void);
extern void test_constraint(void);
extern void test_labels(void);
extern void test_rank(void);
extern void test_rank_sample(void);
extern void test_top_entities(void);
extern void test_top_many(void);
extern void test_sketch(void);
extern void test_screen(void);
extern void test_top_triples(void);
extern void test_sort(void);
extern void test_search(void);
extern void test_best_threshold(void);
extern void test_importance_sampling(void);
extern void test_new_entities(void);
extern void test_body_join(void);
extern void test_path_discovery(void);
extern void test_answer(void);
extern void test_answer_types(void);
extern void test_paths(void);
extern void test_aggregate(void);
extern void test_learn(void);
extern void test_conve(void);
extern void test_similar(void);

#endif							/* CHECK_H */
