/*
 * test_pool.c
 *		The pool: every item once, pauses, leaving a run for good.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "check.h"
#include "core/pool.h"

static double
seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

/* Keeps the CPU busy, as an item would. */
static void
work(double duration)
{
	double		end = seconds() + duration;

	while (seconds() < end)
		;
}

typedef struct Job
{
	Pool	   *pool;
	atomic_int	times[1000];	/* each item ran */
	atomic_int	inside;			/* items at work now */
	atomic_int	wrong;
	double		duration;		/* of an item, in breaths of 1 ms */
	int			pauses;
	int			leave_at;		/* pause to jump out of, 0 for none */
	double		last_pause;
	double		longest;		/* between two pauses */
	jmp_buf		out;
} Job;

static void
run_item(void *argument, int64_t item, int thread)
{
	Job		   *job = argument;
	double		end = seconds() + job->duration;

	if (thread < 0 || thread >= pool_threads(job->pool))
		job->wrong++;
	while (seconds() < end)
	{
		work(0.001);
		pool_yield(job->pool, thread);
	}
	job->times[item]++;
}

static void
pause_job(void *argument)
{
	Job		   *job = argument;

	job->pauses++;
	if (job->pauses == job->leave_at)
		longjmp(job->out, 1);
}

static Job
no_job(void)
{
	return (Job) {0};
}

static void
test_each_item_once(int threads)
{
	static Job	job;

	job = no_job();
	job.pool = pool_create(threads, pause_job, &job);
	CHECK(pool_threads(job.pool) == threads);
	pool_run(job.pool, 1000, run_item, &job);
	pool_run(job.pool, 0, run_item, &job);
	pool_run(job.pool, 1, run_item, &job);
	for (int i = 0; i < 1000; i++)
		CHECK(job.times[i] == (i == 0 ? 2 : 1));
	CHECK(job.wrong == 0);
	pool_destroy(job.pool);
}

/* Three items of 150 ms on two threads: pauses come inside of them. */
static void
test_pauses_inside_items(void)
{
	static Job	job;

	job = no_job();
	job.duration = 0.15;
	job.pool = pool_create(2, pause_job, &job);
	pool_run(job.pool, 3, run_item, &job);
	CHECK(job.times[0] == 1 && job.times[1] == 1 && job.times[2] == 1);

	/* at least 150 ms of slices of 20 ms and a breath; 5 leaves room for a busy machine */
	CHECK_SAYING(job.pauses >= 5, "%d pauses", job.pauses);
	pool_destroy(job.pool);
}

/* A callback that jumps out leaves a pool that works, or can be dropped. */
static void
test_leaving(int threads, bool reuse)
{
	static Job	job,
				other;
	volatile double small = 0x1p-1022;

	job = no_job();
	other = no_job();
	job.duration = 60;
	job.leave_at = 2;
	job.pool = other.pool = pool_create(threads, pause_job, &job);
	if (setjmp(job.out) == 0)
	{
		pool_run(job.pool, 100, run_item, &job);
		CHECK_SAYING(false, "the run was not left");
	}

	CHECK(small * 0.5 != 0);	/* as before the run */
	/* items of a minute: none was finished */
	for (int i = 0; i < 100; i++)
		CHECK(job.times[i] == 0);
	if (reuse)
	{
		job.leave_at = 0;
		pool_run(job.pool, 1000, run_item, &other);
		for (int i = 0; i < 1000; i++)
			CHECK(other.times[i] == 1);
		for (int i = 0; i < 100; i++)
			CHECK(job.times[i] == 0);
	}
	pool_destroy(job.pool);
}

/* Phases: what each has done when the next one opens. */
typedef struct Course
{
	Pool	   *pool;
	int64_t		items[POOL_PHASES];
	int			opened;
	atomic_int	done[POOL_PHASES];
	double		duration;		/* of an item */
	jmp_buf		out;
} Course;

static int64_t
open_phase(void *argument)
{
	Course	   *course = argument;

	if (course->opened > 0)
		CHECK(course->done[course->opened - 1] == course->items[course->opened - 1]);
	return course->items[course->opened++];
}

static void
run_phase(void *argument, int64_t item, int thread)
{
	Course	   *course = argument;
	int			phase = course->opened - 1;

	for (double end = seconds() + course->duration; seconds() < end;)
		pool_yield(course->pool, thread);
	CHECK(0 <= item && item < course->items[phase]);
	CHECK(course->opened - 1 == phase);
	course->done[phase]++;
}

#define PHASE	{open_phase, run_phase}
static const PoolPhase phases[] = {PHASE, PHASE, PHASE, PHASE};

/* Items of a millisecond in phases of many, none, one and some: threads wait, and pauses come while they do. */
static void
test_phases(int threads, double duration, void (*between) (void *argument), void *argument)
{
	Course		course = {.items = {40, 0, 1, 7},.duration = duration};

	course.pool = pool_create(threads, between, argument);
	for (int round = 0; round < 3; round++)
	{
		course.opened = 0;
		for (int i = 0; i < POOL_PHASES; i++)
			course.done[i] = 0;
		pool_run_phases(course.pool, POOL_PHASES, phases, &course);
		CHECK(course.opened == POOL_PHASES);
		for (int i = 0; i < POOL_PHASES; i++)
			CHECK(course.done[i] == course.items[i]);
	}
	pool_destroy(course.pool);
}

static void
leave_course(void *argument)
{
	Course	   *course = argument;

	longjmp(course->out, 1);
}

/* One thread is inside of the only item, the others wait for the next phase: all are left, and do other things. */
static void
test_leaving_phases(void)
{
	static Course course;
	static Job	job;

	course = (Course) {.items = {1, 5},.duration = 60};
	job = no_job();
	job.pool = course.pool = pool_create(3, leave_course, &course);
	if (setjmp(course.out) == 0)
	{
		pool_run_phases(course.pool, 2, phases, &course);
		CHECK_SAYING(false, "the run was not left");
	}
	CHECK(course.done[0] == 0 && course.done[1] == 0 && course.opened == 1);
	if (setjmp(course.out) == 0)
		pool_run(job.pool, 3, run_item, &job);
	pool_destroy(course.pool);
}

static void
look_at_signals(void *argument, int64_t item, int thread)
{
	atomic_int *open = argument;
	sigset_t	mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < 32; i++)
		if (i != SIGKILL && i != SIGSTOP && !sigismember(&mask, i))
			(*open)++;
}

static void
look_at_denormals(void *argument, int64_t item, int thread)
{
	volatile double *product = argument;
	volatile double small = 0x1p-1022;

	*product = small * 0.5;
}

static void
test_thread_state(void)
{
	Pool	   *pool = pool_create(2, NULL, NULL);
	atomic_int	open = 0;
	volatile double product = 1;
	volatile double small = 0x1p-1022;
	sigset_t	mask;

	pool_run(pool, 8, look_at_signals, &open);
	CHECK(open == 0);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGINT));
	pool_destroy(pool);
	for (int threads = 1; threads <= 2; threads++)
	{
		pool = pool_create(threads, NULL, NULL);
		product = 1;
		pool_run(pool, 1, look_at_denormals, (void *) &product);
#if defined(__x86_64__) || defined(__aarch64__)
		CHECK(product == 0);
#endif
		CHECK(small * 0.5 != 0);	/* but not in this thread, after its own items */
		pool_destroy(pool);
	}
}

void
test_pool(void)
{
	CHECK(pool_create(-1, NULL, NULL) == NULL);
	CHECK(pool_create(1025, NULL, NULL) == NULL);
	for (int threads = 1; threads <= 5; threads++)
		test_each_item_once(threads);
	test_pauses_inside_items();
	for (int threads = 1; threads <= 3; threads += 2)
	{
		test_leaving(threads, true);
		test_leaving(threads, false);
	}
	for (int threads = 1; threads <= 5; threads++)
	{
		static Job	job;

		job = no_job();
		test_phases(threads, 0.001, pause_job, &job);
		CHECK(job.pauses > 0);
		test_phases(threads, 0, NULL, NULL);
	}
	test_leaving_phases();
	test_thread_state();
}
