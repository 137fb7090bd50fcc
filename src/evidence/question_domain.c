/*
 * question_domain.c
 *		Which entities the questions of a relation are about.
 *
 * A question that has no answer among the facts is asked, too: somebody whose employer is not known may have one.  It
 * makes sense for entities that are like those with an answer.  An entity is like them if one of its atoms goes along with
 * the question's: of all entities that have this atom, a good share has the question's, too; and it is of the
 * type that stands there.
 */
#include "evidence.h"

#include "core/allocation.h"
#include "core/sort.h"

#define LEAST_HOLDERS 2			/* one entity that has both atoms may be chance */

struct EvDomainFinder
{
	const FactIndex *facts;
	double		least_share;
	int64_t    *together;		/* by atom: holders of the question's atom that have it */
	DirectedAtom *met;			/* atoms that some of these have: there may be many relations, of which few are met */
	int64_t		met_count;
	bool	   *found;			/* by entity: it is in the domain */
	int32_t    *entity;
	EvDomain	domain;
	DirectedAtom atom;
};

static void
take_finder(EvDomainFinder **finder, Allocation *allocation, const FactIndex *facts, double least_share)
{
	EvDomainFinder taken = {.facts = facts,.least_share = least_share};

	*finder = TAKE(allocation, EvDomainFinder, 1);
	taken.together = TAKE(allocation, int64_t, 2 * (size_t) facts->relations);
	taken.met = TAKE(allocation, DirectedAtom, 2 * (size_t) facts->relations);
	taken.found = TAKE(allocation, bool, (size_t) facts->entities);
	taken.entity = TAKE(allocation, int32_t, (size_t) facts->entities);
	if (*finder != NULL)
		**finder = taken;
}

size_t
ev_domain_finder_bytes(const FactIndex *facts)
{
	EvDomainFinder *finder;
	Allocation	allocation = {0};

	take_finder(&finder, &allocation, facts, 0);
	return allocation_bytes(&allocation);
}

EvDomainFinder *
ev_domain_finder(Arena *arena, const FactIndex *facts, double least_share)
{
	EvDomainFinder *finder;
	Allocation	allocation = {0};

	take_finder(&finder, &allocation, facts, least_share);
	if (!allocation_open(&allocation, arena))
		return NULL;
	take_finder(&finder, &allocation, facts, least_share);
	for (int32_t i = 0; i < facts->entities; i++)
		finder->found[i] = false;
	for (int32_t i = 0; i < 2 * facts->relations; i++)
		finder->together[i] = 0;
	return finder;
}

static void
add_entity(EvDomainFinder *finder, int32_t entity)
{
	finder->found[entity] = true;
	finder->entity[finder->domain.holders + finder->domain.alike] = entity;
}

/* Counts the atoms of all holders, each once for a holder. */
static void
count_atoms(EvDomainFinder *finder, Pool *pool, int thread)
{
	const FactIndex *facts = finder->facts;

	for (int64_t i = facts->holders[finder->atom]; i < facts->holders[finder->atom + 1]; i++)
	{
		int32_t		entity = facts->group[facts->holder[i]].entity;

		for (int32_t j = facts->directory[entity].group; j < facts->directory[entity + 1].group; j++)
		{
			DirectedAtom atom = facts->group[j].atom;

			if (finder->together[atom]++ == 0)
				finder->met[finder->met_count++] = atom;
		}
		add_entity(finder, entity);
		finder->domain.holders++;
		pool_yield_at(pool, thread, i);
	}
}

/* Adds the entities of an atom. */
static void
add_alike(EvDomainFinder *finder, DirectedAtom atom, Pool *pool, int thread)
{
	const FactIndex *facts = finder->facts;

	for (int64_t i = facts->holders[atom]; i < facts->holders[atom + 1]; i++)
	{
		int32_t		entity = facts->group[facts->holder[i]].entity;

		pool_yield_at(pool, thread, i);
		if (finder->found[entity] ||
			!answer_is_allowed(facts->answers, RELATION_OF(finder->atom), IS_BACKWARDS(finder->atom) ? SIDE_TAIL : SIDE_HEAD, entity))
			continue;
		add_entity(finder, entity);
		finder->domain.alike++;
	}
}

EvDomain
ev_domain(EvDomainFinder *finder, DirectedAtom atom, Pool *pool, int thread)
{
	const FactIndex *facts = finder->facts;

	for (int64_t i = 0; i < finder->domain.holders + finder->domain.alike; i++)
		finder->found[finder->entity[i]] = false;
	while (finder->met_count > 0)
		finder->together[finder->met[--finder->met_count]] = 0;
	finder->atom = atom;
	finder->domain = (EvDomain) {.entity = finder->entity};
	count_atoms(finder, pool, thread);
	sort_array(pool, thread, finder->met, finder->met_count, sizeof(DirectedAtom), compare_int32);
	for (int64_t i = 0; i < finder->met_count; i++)
	{
		DirectedAtom other = finder->met[i];
		int64_t		together = finder->together[other];

		if (together >= LEAST_HOLDERS && (double) together >= finder->least_share * (double) fact_holder_count(facts, other))
			add_alike(finder, other, pool, thread);
	}
	return finder->domain;
}

bool
ev_in_domain(const EvDomainFinder *finder, int32_t entity)
{
	return finder->found[entity];
}
