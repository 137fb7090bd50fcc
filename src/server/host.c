/*
 * host.c
 *		Threads and memory for the pure half (see host.h).
 *
 * The pure half runs its work in slices.  Between two slices its threads are parked, and the backend checks for
 * interrupts and for the postmaster's death.  An error raised there leaves the pure half for good: the pool and all
 * memory are freed with the memory context in which they were made.
 */
#include "host.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/pmsignal.h"
#include "utils/memutils.h"

int			hkg_threads;
int			hkg_max_memory;
double		hkg_slice_seconds;
bool		hkg_skip_unknown;

void
hkg_check_interrupts(void)
{
	if (!PostmasterIsAlive())
		proc_exit(1);
	CHECK_FOR_INTERRUPTS();
}

static void
between_slices(void *argument)
{
	hkg_check_interrupts();
}

static void
drop_pool(void *pool)
{
	pool_destroy(pool);
}

Pool *
hkg_pool_of(int threads)
{
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

	callback->arg = pool_create(threads, between_slices, NULL);
	if (callback->arg == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not start %d threads", threads),
				 errhint("Lower hybridkg.threads.")));
	callback->func = drop_pool;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return callback->arg;
}

Pool *
hkg_pool(void)
{
	return hkg_pool_of(hkg_threads);
}

Pool *
hkg_leader(void)
{
	static Pool *leader = NULL;

	if (leader == NULL)
		leader = pool_create(0, between_slices, NULL);
	if (leader == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return leader;
}

#define HUGE_PAGE ((size_t) 2 << 20)

/* Arrays that are read from end to end are read faster from huge pages. */
static void
advise_huge_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	uintptr_t	start = TYPEALIGN(HUGE_PAGE, (uintptr_t) memory);
	uintptr_t	end = TYPEALIGN_DOWN(HUGE_PAGE, (uintptr_t) memory + bytes);

	if (start < end)
		madvise((void *) start, end - start, MADV_HUGEPAGE);
#endif
}

void *
hkg_allocate(MemoryContext context, size_t bytes)
{
	void	   *memory = MemoryContextAllocHuge(context, Max(bytes, 1));

	advise_huge_pages(memory, bytes);
	return memory;
}

static void *
arena_allocate(void *context, size_t bytes)
{
	return hkg_allocate(context, bytes);
}

Arena
hkg_arena(void)
{
	return (Arena) {.allocate = arena_allocate,.context = CurrentMemoryContext};
}

/* ---- large blocks ---------------------------------------------------------------- */

#define SCRATCH_BLOCK ((size_t) 256 << 10)	/* bytes from which on scratch is one: a search among 65,536 entities */
#define ZEROS_BLOCK ((size_t) 1 << 20)
#define MOST_SPARE (8 * HUGE_PAGE)

typedef struct MemoryBlock
{
	MemoryContextCallback end;
	void	   *memory;
	size_t		bytes;
	bool		scratch;
} MemoryBlock;

/*
 * The scratch of the previous question.  The next one takes it: a page that comes from the system costs a fault, and
 * has to be cleared.
 */
static MemoryBlock spare;

static void
unmap_pages(char *memory, size_t bytes)
{
	if (bytes > 0)
		(void) munmap(memory, bytes);
}

static void
unmap_block(void *argument)
{
	MemoryBlock *block = argument;

	if (block->scratch && block->bytes > spare.bytes && block->bytes <= MOST_SPARE)
	{
		MemoryBlock before = spare;

		spare = *block;
		*block = before;
	}
	unmap_pages(block->memory, block->bytes);
}

static char *
map_pages(size_t bytes)
{
	void	   *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("Failed on request of size %zu.", bytes)));
	return memory;
}

/* Whole huge pages: the first write to one costs much less than those to its 512 small pages. */
static void *
map_scratch(size_t bytes)
{
	char	   *memory = map_pages(bytes + HUGE_PAGE);
	size_t		before = TYPEALIGN(HUGE_PAGE, (uintptr_t) memory) - (uintptr_t) memory;

	unmap_pages(memory, before);
	unmap_pages(memory + before + bytes, HUGE_PAGE - before);
	advise_huge_pages(memory + before, bytes);
	return memory + before;
}

/* Small pages: a huge one is whole in memory as soon as a byte of it is written. */
static void *
map_zeros(size_t bytes)
{
	void	   *memory = map_pages(bytes);

#ifdef MADV_NOHUGEPAGE
	madvise(memory, bytes, MADV_NOHUGEPAGE);
#endif
	return memory;
}

/* Zeros that take no memory yet; of scratch, whatever is in the spare block. */
static void *
map_block(MemoryContext context, size_t bytes, bool scratch)
{
	MemoryBlock *block = MemoryContextAlloc(context, sizeof(MemoryBlock));

	if (scratch)
		bytes = TYPEALIGN(HUGE_PAGE, Min(bytes, MaxAllocHugeSize));
	if (scratch && spare.bytes >= bytes)
	{
		*block = spare;
		spare = (MemoryBlock) {.memory = NULL};
	}
	else
		*block = (MemoryBlock) {
			.memory = scratch ? map_scratch(bytes) : map_zeros(bytes),.bytes = bytes,.scratch = scratch
		};
	block->end = (MemoryContextCallback) {unmap_block, block, NULL};
	MemoryContextRegisterResetCallback(context, &block->end);
	return block->memory;
}

static void *
allocate_scratch(void *context, size_t bytes)
{
	return bytes < SCRATCH_BLOCK ? hkg_allocate(context, bytes) : map_block(context, bytes, true);
}

static void *
allocate_zeros(void *context, size_t bytes)
{
	return bytes < ZEROS_BLOCK ? MemoryContextAllocZero(context, Max(bytes, 1)) : map_block(context, bytes, false);
}

Arena
hkg_scratch(bool zeroed)
{
	return (Arena) {.allocate = zeroed ? allocate_zeros : allocate_scratch,.context = CurrentMemoryContext,.zeroed = zeroed};
}

/* ---- limits ---------------------------------------------------------------------- */

/* Bytes of the training that runs, which every check adds to its own */
static uint64 held;

typedef struct Hold
{
	MemoryContextCallback callback;
	uint64		bytes;
} Hold;

static void
release(void *argument)
{
	held -= ((Hold *) argument)->bytes;
}

void
hkg_hold_memory(uint64 bytes)
{
	Hold	   *hold = palloc0(sizeof(Hold));

	hold->bytes = bytes;
	hold->callback.func = release;
	hold->callback.arg = hold;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &hold->callback);
	held += bytes;
}

/* at_least: an arena fails at its first block that is too large, others would follow */
static void
check(uint64 bytes, bool at_least, const char *purpose, const char *way_out)
{
	/* bytes may be the mark of an overflow */
	uint64		all = bytes > PG_UINT64_MAX - held ? PG_UINT64_MAX : held + bytes;
	uint64		kilobytes = all / 1024 + 1;

	if (kilobytes > (uint64) hkg_max_memory)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("%s needs %s" UINT64_FORMAT " MB of memory, more than hybridkg.max_memory (%d MB)",
						purpose, at_least ? "at least " : "", kilobytes / 1024 + 1, hkg_max_memory / 1024),
				 held == 0 ? 0 : errdetail("The training holds " UINT64_FORMAT " MB of them.", held / 1048576 + 1),
				 errhint("Raise hybridkg.max_memory, or %s.", way_out)));
}

void
hkg_check_memory_or(uint64 bytes, const char *purpose, const char *way_out)
{
	check(bytes, false, purpose, way_out);
}

typedef struct MemoryLimit
{
	ArenaLimit	limit;
	uint64		beside;
	const char *purpose;
	const char *way_out;
} MemoryLimit;

static void
refuse(const ArenaLimit *arena_limit, size_t bytes)
{
	const MemoryLimit *limit = (const MemoryLimit *) arena_limit;
	uint64		taken = limit->beside + limit->limit.taken;

	check(bytes > PG_UINT64_MAX - taken ? PG_UINT64_MAX : taken + bytes, true, limit->purpose, limit->way_out);
}

Arena
hkg_within_memory(Arena arena, uint64 beside, const char *purpose, const char *way_out)
{
	MemoryLimit *limit = palloc(sizeof(MemoryLimit));
	uint64		allowed = (uint64) hkg_max_memory * 1024 - 1;	/* as hkg_check_memory_or has it */

	hkg_check_memory_or(beside, purpose, way_out);
	*limit = (MemoryLimit) {{.most = allowed - held - beside,.refuse = refuse}, beside, purpose, way_out};
	arena.limit = &limit->limit;
	return arena;
}

void
hkg_check_memory(uint64 bytes, const char *purpose)
{
	hkg_check_memory_or(bytes, purpose, HKG_ASK_FOR_LESS);
}
