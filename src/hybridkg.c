/*
 * hybridkg.c
 *		Module start, settings, and what the pure half asks of its host: threads
 *		that stop when the backend is told to, and memory.
 *
 * The pure half runs its work in slices.  Between two slices its threads are
 * parked, and the backend looks whether it was cancelled, terminated, or has
 * lost its postmaster.  It may leave by an error from there: pool and memory go
 * with the memory context in which they were made.
 */
#include "hybridkg.h"

#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/pmsignal.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

HKG_EXPORT void _PG_init(void);

int			hkg_threads;
int			hkg_max_memory;
int			hkg_progress_level;
int			hkg_precision;

static const struct config_enum_entry progress_levels[] = {
	{"off", PROGRESS_OFF, false},
	{"iteration", PROGRESS_ITERATION, false},
	{"epoch", PROGRESS_EPOCH, false},
	{NULL, 0, false}
};

static const struct config_enum_entry precisions[] = {
	{"single", KGE_SINGLE, false},
	{"bfloat16", KGE_BFLOAT16, false},
	{NULL, 0, false}
};

static int
online_cores(void)
{
	long		cores = sysconf(_SC_NPROCESSORS_ONLN);

	return (int) Max(1, Min(cores, 1024));
}

void
_PG_init(void)
{
	DefineCustomIntVariable("hybridkg.threads",
							"Threads that training and ranking use.",
							"Results do not depend on it. The default is all cores.",
							&hkg_threads, online_cores(), 1, 1024,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("hybridkg.max_memory",
							"The most memory that training, loading or a model may take.",
							"What would need more is refused before anything is allocated.",
							&hkg_max_memory, 4 * 1024 * 1024, 1024, INT_MAX,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomEnumVariable("hybridkg.progress",
							 "How often training reports its progress as a NOTICE.",
							 NULL,
							 &hkg_progress_level, PROGRESS_ITERATION, progress_levels,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("hybridkg.precision",
							 "What training multiplies under the softmax loss: single precision, or bfloat16.",
							 "Parameters and sums are single precision either way. bfloat16 needs a processor with AMX-BF16 or AVX512-BF16.",
							 &hkg_precision, KGE_SINGLE, precisions,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	hkg_reserve_prefix("hybridkg");
	kge_choose_kernels();
}

static void
between_slices(void *argument)
{
	if (!PostmasterIsAlive())
		proc_exit(1);
	CHECK_FOR_INTERRUPTS();
}

static void
drop_pool(void *pool)
{
	kge_pool_destroy(pool);
}

KgePool *
hkg_pool_of(int threads)
{
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

	callback->arg = kge_pool_create(threads, between_slices, NULL);
	if (callback->arg == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not start %d threads", threads),
				 errhint("Lower hybridkg.threads.")));
	callback->func = drop_pool;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return callback->arg;
}

KgePool *
hkg_pool(void)
{
	return hkg_pool_of(hkg_threads);
}

KgePool *
hkg_leader(void)
{
	static KgePool *leader = NULL;

	if (leader == NULL)
		leader = kge_pool_create(0, between_slices, NULL);
	if (leader == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return leader;
}

/*
 * Arrays that are read from end to end are read faster from huge pages, which systems give to
 * those that ask.
 */
static void
ask_for_huge_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	const size_t page = (size_t) 2 << 20;
	uintptr_t	start = TYPEALIGN(page, (uintptr_t) memory);
	uintptr_t	end = TYPEALIGN_DOWN(page, (uintptr_t) memory + bytes);

	if (start < end)
		madvise((void *) start, end - start, MADV_HUGEPAGE);
#endif
}

void *
hkg_allocate(MemoryContext context, size_t bytes)
{
	void	   *memory = MemoryContextAllocHuge(context, Max(bytes, 1));

	ask_for_huge_pages(memory, bytes);
	return memory;
}

static void *
arena_allocate(void *context, size_t bytes)
{
	return hkg_allocate(context, bytes);
}

KgeArena
hkg_arena(void)
{
	KgeArena	arena = {arena_allocate, CurrentMemoryContext};

	return arena;
}

void
hkg_check_memory_or(uint64 bytes, const char *purpose, const char *way_out)
{
	uint64		kilobytes = bytes / 1024 + 1;

	if (kilobytes > (uint64) hkg_max_memory)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("%s needs " UINT64_FORMAT " MB of memory, more than hybridkg.max_memory (%d MB)",
						purpose, kilobytes / 1024 + 1, hkg_max_memory / 1024),
				 errhint("Raise hybridkg.max_memory, or %s.", way_out)));
}

void
hkg_check_memory(uint64 bytes, const char *purpose)
{
	hkg_check_memory_or(bytes, purpose, "ask for less: fewer dimensions, rules or samples");
}
