/*
 * moduli.c
 *		Sums of moduli of a block of queries and all candidates: by floats, and by the bytes of a sketch.
 *
 *	moduli
 *
 * Random rows, on one core.  Prints rows of a table for bench/moduli: how many complex differences a processor second are
 * compared, and how many the machine could be thought to, from the clock that a chain of additions shows: eight
 * instructions of 64 bytes for 64 of them, two instructions a cycle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kge/score/engine.h"
#include "kge/search/sketch_codes.h"
#include "kge/search/sketch_moduli.h"

enum
{
	HALF = 200, QUERIES = 64, ROWS = 4096, ROUNDS = 9
};

static float query[QUERIES * 2 * HALF];
static float row[ROWS * 2 * HALF];
static float score[ROWS * QUERIES];
static int8_t code[ROWS * 512];
static KgeParts parts[ROWS];
static int32_t slack[ROWS];
static double distance[ROWS];
static KgeModuli moduli;
static KgeEngine engine = {.similarity = KGE_MODULI,.width = 2 * HALF,.half = HALF,.gamma = 9};

static double
processor_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static void
by_floats(void)
{
	kge_engine_scores(&engine, (KgeRows) {QUERIES, 2 * HALF, query}, NULL, (KgeRows) {ROWS, 2 * HALF, row}, score, QUERIES);
}

static void
by_bytes(void)
{
	kge_moduli_scores(&moduli, ROWS, code, parts, slack, 9, score, QUERIES);
}

static void
by_one_query(void)
{
	kge_moduli_look(HALF, moduli.step, code, ROWS, code, distance);
}

/* Cycles a second, by additions of which each waits for the one before */
static double
clock_rate(void)
{
	enum
	{
		STEPS = 20000000
	};
	double		start = processor_seconds();
	unsigned long sum = 1;

	for (int i = 0; i < STEPS; i++)
		__asm__ volatile ("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0" : "+r" (sum));
	return 4.0 * STEPS / (processor_seconds() - start);
}

static int
compare(const void *a, const void *b)
{
	double		left = *(const double *) a,
				right = *(const double *) b;

	return (left > right) - (left < right);
}

/* Differences a processor second, the median of some rounds */
static double
rate(void (*function) (void), int queries)
{
	double		rates[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
	{
		double		start = processor_seconds();

		function();
		rates[i] = (double) ROWS * queries * HALF / (processor_seconds() - start);
	}
	qsort(rates, ROUNDS, sizeof(double), compare);
	return rates[ROUNDS / 2];
}

static void
limit_all(int32_t limit)
{
	for (int i = 0; i < QUERIES; i++)
		moduli.limit[i] = limit;
}

static void
print(const char *what, double reached, double limit)
{
	printf("| %s | %.1f | %.2f |\n", what, 1e-9 * reached, reached / limit);
}

int
main(void)
{
	double		limit = clock_rate() * 2 * 64 / 8;
	Allocation	allocation = {0};

	if (!kge_has_codes())
		return 0;
	for (int i = 0; i < QUERIES * 2 * HALF; i++)
		query[i] = (float) (rand() % 1000) / 1000;
	for (int i = 0; i < ROWS * 2 * HALF; i++)
		row[i] = (float) (rand() % 1000) / 1000;
	for (int i = 0; i < ROWS; i++)
		kge_moduli_encode(HALF, row + i * 2 * HALF, 1.0f / 127, code + (size_t) i * kge_moduli_bytes(HALF), &parts[i]);
	kge_moduli_take(&allocation, HALF, QUERIES);
	allocation.base = aligned_alloc(64, allocation.planned = allocation.used);
	allocation.used = 0;
	moduli = kge_moduli_take(&allocation, HALF, QUERIES);
	moduli.step = 1.0f / 127;
	kge_moduli_open(&moduli, QUERIES);
	for (int i = 0; i < QUERIES; i++)
		kge_moduli_set(&moduli, i, query + i * 2 * HALF);

	print("floats, 64 queries", rate(by_floats, QUERIES), limit);
	limit_all(1 << 29);
	print("bytes, 64 queries, all dimensions", rate(by_bytes, QUERIES), limit);
	limit_all(0);
	print("bytes, 64 queries, all out of reach (differences that were saved count)", rate(by_bytes, QUERIES), limit);
	print("bytes, one query, rows in cache", rate(by_one_query, 1), limit);
	return 0;
}
