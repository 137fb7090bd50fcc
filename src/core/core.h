/*
 * core.h
 *		What the pure half stands on: memory from an arena, threads in slices, triples.
 *
 * Memory.  The pure half never frees and never grows: a function takes what it needs
 * from the caller's Arena while no thread works, and the caller drops the
 * arena as a whole.  Only a Pool has memory of its own (pool_destroy).
 * An arena may have a limit, above which it gives nothing: hybridkg.max_memory is enforced there.
 * It may return NULL, in which case the function returns NULL or false
 * and nothing has changed; or it may not return at all (longjmp).
 *
 * Threads.  Work runs on a Pool in slices of about 10 ms.  Between two
 * slices all threads are parked and the pool's `between` callback runs in the
 * calling thread: it may jump out of the library for good (the caller then still drops the arena and
 * the pool).
 *
 * Bits.  Results depend on arguments and seeds alone, never on the number of
 * threads: draws are numbered (random.h), work is cut into pieces whose size
 * does not depend on the threads, and sums run in a fixed order.
 */
#ifndef HKG_CORE_CORE_H
#define HKG_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A fact, or what may be one: three row numbers */
typedef struct Triple
{
	int32_t		head;			/* an entity's row */
	int32_t		relation;		/* a relation's row */
	int32_t		tail;			/* an entity's row */
} Triple;

/* The order in which facts stand: by relation, head, tail.  For qsort. */
static inline int
triple_compare(const void *a, const void *b)
{
	const Triple *left = a;
	const Triple *right = b;

	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	if (left->head != right->head)
		return left->head < right->head ? -1 : 1;
	return (left->tail > right->tail) - (left->tail < right->tail);
}

/* The side of a triple that is asked for, or corrupted. */
typedef enum Side
{
	SIDE_HEAD,
	SIDE_TAIL
} Side;

static inline Side
other_side(Side side)
{
	return side == SIDE_TAIL ? SIDE_HEAD : SIDE_TAIL;
}

/* The entity that a question for a side of the triple gives, and the one that answers it */
static inline int32_t
triple_given(const Triple *triple, Side side)
{
	return side == SIDE_TAIL ? triple->head : triple->tail;
}

static inline int32_t
triple_answer(const Triple *triple, Side side)
{
	return side == SIDE_TAIL ? triple->tail : triple->head;
}

/* The triple of a question and its answer */
static inline Triple
triple_of_answer(Side side, int32_t given, int32_t relation, int32_t answer)
{
	return side == SIDE_TAIL ? (Triple) {given, relation, answer} : (Triple) {answer, relation, given};
}

/* A triple with one entity left out, (given, relation, ?) or (?, relation, given): which entities answer it best? */
typedef struct Question
{
	Side		side;			/* that the answers take */
	int32_t		given;
	int32_t		relation;
	const int32_t *excluded;	/* entities that are no candidates, ascending, perhaps more than once */
	int64_t		excluded_count;
} Question;

/* The entities that may answer questions about a relation and side: those of a type (facts/answer_types.h) */
typedef struct AnswerSet
{
	const uint64_t *bit;		/* of each entity */
	int32_t		count;
} AnswerSet;

/* The bits of those; NULL: all may.  sets: by 2 * relation + side; NULL: there are none */
static inline const uint64_t *
answer_bits(const AnswerSet *sets, int32_t relation, Side side)
{
	return sets == NULL ? NULL : sets[2 * relation + (int32_t) side].bit;
}

static inline bool
answer_is_allowed(const AnswerSet *sets, int32_t relation, Side side, int32_t entity)
{
	const uint64_t *bit = answer_bits(sets, relation, side);

	return bit == NULL || (bit[entity / 64] >> entity % 64 & 1) != 0;
}

/* Whether any of the entities first .. end - 1 may; first is a multiple of 64. */
static inline bool
answer_any_allowed(const AnswerSet *sets, int32_t relation, Side side, int32_t first, int32_t end)
{
	const uint64_t *bit = answer_bits(sets, relation, side);

	while (bit != NULL && first < end && bit[first / 64] == 0)
		first += 64;
	return first < end;
}

/* A question with all entities as candidates */
static inline Question
question_of(Side side, int32_t given, int32_t relation)
{
	return (Question) {.side = side,.given = given,.relation = relation};
}

/* The triple that a candidate makes of a question */
static inline Triple
question_triple(const Question *question, int32_t candidate)
{
	return triple_of_answer(question->side, question->given, question->relation, candidate);
}

/* What the blocks of one or more arenas may take together */
typedef struct ArenaLimit
{
	uint64_t	most;			/* bytes */
	uint64_t	taken;
	void		(*refuse) (const struct ArenaLimit *limit, size_t bytes);	/* may not return; NULL: nothing is done */
} ArenaLimit;

typedef struct Arena
{
	void	   *(*allocate) (void *context, size_t bytes);	/* aligned to 8 at
															 * least */
	void	   *context;
	bool		zeroed;			/* all that it gives is zero, and takes no memory before it is written */
	ArenaLimit *limit;			/* NULL: none */
} Arena;

/* A block of the arena; NULL if it has none, or the block would be above its limit.  SIZE_MAX: more than can be counted */
static inline void *
arena_take(Arena *arena, size_t bytes)
{
	ArenaLimit *limit = arena->limit;

	if (limit != NULL && (limit->taken > limit->most || bytes > limit->most - limit->taken))
	{
		if (limit->refuse != NULL)
			limit->refuse(limit, bytes);
		return NULL;
	}
	if (limit != NULL)
		limit->taken += bytes;
	return bytes == SIZE_MAX ? NULL : arena->allocate(arena->context, bytes);
}

/* ---- degrees ------------------------------------------------------------------ */

/* So many entities have so many facts. */
typedef struct Degree
{
	int64_t		facts;
	int64_t		entities;
} Degree;

/* Of all entities, by their facts */
typedef struct Degrees
{
	Degree	   *degree;
	int			count;
} Degrees;

#endif							/* HKG_CORE_CORE_H */
