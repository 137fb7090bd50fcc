/*
 * survey.c
 *		The relation paths that weigh most over many questions.
 *
 * Each fact is taken out and asked for on both sides.  The reasons of its score are taken by atoms (reasons.c): read from
 * head to tail, those of the same atoms are one relation path, and their shares add up.  Each of them stands for a path
 * over different entities, without the fact: so a relation path that has a share has a support.
 */
#include "paths.h"

#include <string.h>

#include "core/allocation.h"
#include "core/sort.h"

/* One thread's */
typedef struct Surveyor
{
	PathReasoner *reasoner;
	PathReason *reasons;		/* PATH_MOST_REASONS, and the rest */
} Surveyor;

typedef struct Survey
{
	Pool	   *pool;
	const Triple *fact;
	Surveyor   *surveyor;
	RelationPath *path;			/* PATH_MOST_REASONS of each question */
	int64_t    *found;			/* by question */
} Survey;

/* ---- equal ones together ------------------------------------------------------------------------- */

static int
compare_atoms(const void *a, const void *b)
{
	const RelationPath *left = a;
	const RelationPath *right = b;

	if (left->length != right->length)
		return left->length < right->length ? -1 : 1;
	for (int i = 0; i < left->length; i++)
		if (left->atom[i] != right->atom[i])
			return left->atom[i] < right->atom[i] ? -1 : 1;
	return 0;
}

/* By share, falling */
static int
compare_shares(const void *a, const void *b)
{
	const RelationPath *left = a;
	const RelationPath *right = b;

	if (left->share != right->share)
		return left->share > right->share ? -1 : 1;
	return compare_atoms(a, b);
}

/* Returns how many different ones there are, which come first then. */
static int64_t
add_up(RelationPath *path, int64_t count, Pool *pool)
{
	int64_t		distinct = 0;

	sort_array(pool, POOL_LEADER, path, count, sizeof(RelationPath), compare_atoms);
	for (int64_t i = 0; i < count; i++)
	{
		pool_yield_at(pool, POOL_LEADER, i);
		if (distinct == 0 || compare_atoms(&path[distinct - 1], &path[i]) != 0)
			path[distinct++] = path[i];
		else
		{
			path[distinct - 1].share += path[i].share;
			path[distinct - 1].questions += path[i].questions;
		}
	}
	return distinct;
}

/* ---- questions -------------------------------------------------------------------------------------- */

/* Item: a fact on one side. */
static void
ask(void *argument, int64_t number, int thread)
{
	Survey	   *survey = argument;
	const Surveyor *surveyor = &survey->surveyor[thread];
	Triple		fact = survey->fact[number / 2];
	Side		side = (Side) (number % 2);
	RelationPath *path = survey->path + number * PATH_MOST_REASONS;
	int			reasons = path_reasons(surveyor->reasoner, fact, side, true, PATH_MOST_REASONS, surveyor->reasons,
									   survey->pool, thread);

	survey->found[number] = reasons == 0 ? 0 : reasons - 1; /* the last one is the rest */
	for (int i = 0; i < survey->found[number]; i++)
	{
		const PathReason *reason = &surveyor->reasons[i];
		int			last = reason->length - 1;

		/* from head to tail */
		path[i] = (RelationPath) {.length = reason->length,.share = reason->share,.questions = 1};
		for (int j = 0; j <= last; j++)
			path[i].atom[j] = side == SIDE_TAIL ? reason->step[j].atom : MIRRORED(reason->step[last - j].atom);
	}
}

/* Puts what the questions found side by side. */
static int64_t
gather(const Survey *survey, int64_t questions)
{
	int64_t		count = 0;

	for (int64_t i = 0; i < questions; i++)
	{
		memmove(survey->path + count, survey->path + i * PATH_MOST_REASONS,
				(size_t) survey->found[i] * sizeof(RelationPath));
		count += survey->found[i];
		pool_yield(survey->pool, POOL_LEADER);
	}
	return count;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static void
take_survey(Survey *survey, int64_t facts, int threads, Allocation *allocation)
{
	survey->surveyor = TAKE(allocation, Surveyor, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		PathReason *reasons = TAKE(allocation, PathReason, PATH_MOST_REASONS + 1);

		if (reasons != NULL)
			survey->surveyor[i].reasons = reasons;
	}
	survey->path = TAKE(allocation, RelationPath, 2 * (size_t) facts * PATH_MOST_REASONS);
	survey->found = TAKE(allocation, int64_t, 2 * (size_t) facts);
}

int64_t
path_survey(Arena *arena, Pool *pool, const FactIndex *facts, const PathNetwork *network, const Triple *fact, int64_t count,
			RelationPath **found)
{
	Survey		survey = {.pool = pool,.fact = fact};
	Allocation	allocation = {0};
	int64_t		distinct;

	take_survey(&survey, count, pool_threads(pool), &allocation);
	if (!allocation_open(&allocation, arena))
		return -1;
	take_survey(&survey, count, pool_threads(pool), &allocation);
	for (int i = 0; i < pool_threads(pool); i++)
	{
		survey.surveyor[i].reasoner = path_reasoner(arena, facts, network, true);
		if (survey.surveyor[i].reasoner == NULL)
			return -1;
	}
	pool_run(pool, 2 * count, ask, &survey);
	*found = survey.path;
	distinct = add_up(survey.path, gather(&survey, 2 * count), pool);
	sort_array(pool, POOL_LEADER, survey.path, distinct, sizeof(RelationPath), compare_shares);
	return distinct;
}
