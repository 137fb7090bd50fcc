/*
 * pattern_match.c
 *		The answers that a pattern infers, by matching its atoms one after the other.
 *
 * Next is always the atom with the most terms bound: one with both is looked up among the facts, one
 * with a single bound entity is matched against the edges of that entity.  A body is connected, so there always
 * is an atom with a bound term.
 */
#include "evidence.h"

typedef struct Matching
{
	const EvFacts *facts;
	const EvPattern *pattern;
	int32_t		answer;			/* the variable of the head that is not given */
	int32_t		bound[EV_MAX_VARIABLES];	/* by -1 - variable; -1: not yet */
	int64_t		edges;			/* looked at so far, */
	int64_t		most;			/* and at most */
	void		(*found) (void *argument, int32_t answer);
	void	   *argument;
} Matching;

/* The entity that a term stands for, or -1. */
static int32_t
entity_of(const Matching *matching, int32_t term)
{
	return term >= 0 ? term : matching->bound[-1 - term];
}

/* Of the atoms that are not done, the one with the most terms bound; -1 when all are done. */
static int
next_atom(const Matching *matching, unsigned done)
{
	int			best = -1;
	int			most = -1;

	for (int i = 0; i < matching->pattern->length; i++)
	{
		const EvAtom *atom = &matching->pattern->atom[i];
		int			bound = (entity_of(matching, atom->first) >= 0) + (entity_of(matching, atom->second) >= 0);

		if ((done & (1u << i)) == 0 && bound > most)
		{
			best = i;
			most = bound;
		}
	}
	return best;
}

static void match(Matching *matching, unsigned done);

static void
match_with(Matching *matching, int32_t variable, int32_t entity, unsigned done)
{
	matching->bound[-1 - variable] = entity;
	match(matching, done);
	matching->bound[-1 - variable] = -1;
}

/* Binds the variable at one end of an atom to each entity that the entity at the other end is related to. */
static void
bind(Matching *matching, int32_t relation, int32_t from, bool backwards, int32_t variable, unsigned done)
{
	const EvFacts *facts = matching->facts;
	EvGroup		group;

	if (relation == EV_IS)
	{
		match_with(matching, variable, from, done);
		return;
	}
	group = ev_group(facts, from, FORWARDS(relation) + backwards);
	for (int64_t i = group.first; i < group.end && matching->edges < matching->most; i++)
	{
		matching->edges++;
		match_with(matching, variable, facts->edge[i].other, done);
	}
}

static bool
holds(const Matching *matching, const EvAtom *atom, int32_t first, int32_t second)
{
	return atom->relation == EV_IS ? first == second :
		ev_holds(matching->facts, first, FORWARDS(atom->relation), second);
}

/* Matches the atoms that are not done. */
static void
match(Matching *matching, unsigned done)
{
	int			next = next_atom(matching, done);
	const EvAtom *atom = &matching->pattern->atom[next < 0 ? 0 : next];
	int32_t		first = entity_of(matching, atom->first);
	int32_t		second = entity_of(matching, atom->second);

	if (next < 0)
	{
		if (entity_of(matching, matching->answer) >= 0)
			matching->found(matching->argument, entity_of(matching, matching->answer));
		return;
	}
	done |= 1u << next;
	if (first >= 0 && second >= 0)
	{
		if (holds(matching, atom, first, second))
			match(matching, done);
	}
	else if (first >= 0)
		bind(matching, atom->relation, first, false, atom->second, done);
	else if (second >= 0)
		bind(matching, atom->relation, second, true, atom->first, done);
}

int64_t
ev_match(const EvFacts *facts, const EvPattern *pattern, Side side, int32_t given, int64_t most,
		 void (*found) (void *argument, int32_t answer), void *argument)
{
	Matching	matching = {
		.facts = facts,
		.pattern = pattern,
		.answer = side == SIDE_TAIL ? EV_Y : EV_X,
		.most = most,
		.found = found,
		.argument = argument
	};

	for (int i = 0; i < EV_MAX_VARIABLES; i++)
		matching.bound[i] = -1;
	matching.bound[-1 - (side == SIDE_TAIL ? EV_X : EV_Y)] = given;
	match(&matching, 0);
	return matching.edges;
}
