/*
 * pattern_match.c
 *		The answers that a pattern infers: its atoms are matched one after the other, the most bound
 *		first, each time against the edges of an entity that is known by then.
 */
#include "pattern_match.h"

#define MOST_EDGES 100000

typedef struct Matching
{
	const EvFacts *facts;
	const EvPattern *pattern;
	int32_t		asked;			/* the variable */
	int32_t		bound[EV_MAX_VARIABLES];	/* by -1 - variable; -1: not yet */
	int64_t		edges;			/* looked at so far */
	void		(*take) (void *argument, int32_t answer);
	void	   *argument;
} Matching;

/* The entity that a term stands for, or -1. */
static int32_t
entity_of(const Matching *matching, int32_t term)
{
	return term >= 0 ? term : matching->bound[-1 - term];
}

/* The atom of those not done yet that has the most of its terms bound; -1 when all are done. */
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

/* The variable at one end of an atom becomes what the entity at the other end has there. */
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
	group = ev_group(facts, from, EV_FORWARDS(relation) + backwards);
	for (int64_t i = group.first; i < group.end && matching->edges < MOST_EDGES; i++)
	{
		matching->edges++;
		match_with(matching, variable, facts->edge[i].other, done);
	}
}

static bool
holds(const Matching *matching, const EvAtom *atom, int32_t first, int32_t second)
{
	return atom->relation == EV_IS ? first == second :
		ev_holds(matching->facts, first, EV_FORWARDS(atom->relation), second);
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
		if (entity_of(matching, matching->asked) >= 0)
			matching->take(matching->argument, entity_of(matching, matching->asked));
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
	/* a body that hangs together always has an atom with a bound term */
}

void
ev_match(const EvFacts *facts, const EvPattern *pattern, Side side, int32_t given,
		 void (*take) (void *argument, int32_t answer), void *argument)
{
	Matching	matching = {
		.facts = facts,
		.pattern = pattern,
		.asked = side == SIDE_TAIL ? EV_Y : EV_X,
		.take = take,
		.argument = argument
	};

	for (int i = 0; i < EV_MAX_VARIABLES; i++)
		matching.bound[i] = -1;
	matching.bound[-1 - (side == SIDE_TAIL ? EV_X : EV_Y)] = given;
	match(&matching, 0);
}
