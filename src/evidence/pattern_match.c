/*
 * pattern_match.c
 *		The answers that a rule infers, by matching its atoms one after the other.
 *
 * Next is always the atom with the most terms bound: one with both is looked up among the facts, one with a single
 * bound entity is matched against the edges of that entity.  One with none, as s(Y,B) of r(X,Y) <= b(X,A), s(Y,B), is
 * matched against the entities that have such edges.
 *
 * Where the answer is bound, and where nothing that follows depends on a variable, one entity is as good as all.
 */
#include "evidence.h"

typedef struct Matching
{
	const FactIndex *facts;
	const Rule *rule;
	int32_t		answer;			/* the variable of the head that is not given */
	int32_t		bound[RULE_MAX_VARIABLES];	/* by -1 - variable; -1: not yet */
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

/* How soon an atom should be matched: the last first.  The constant of a head may be the answer. */
static int
urgency(const Matching *matching, const Atom *atom)
{
	return (entity_of(matching, atom->first) >= 0) + (entity_of(matching, atom->second) >= 0) +
		(atom->relation == RULE_IS);
}

/* Of the atoms that are not done, the most urgent one; -1 when all are done. */
static int
next_atom(const Matching *matching, unsigned done)
{
	int			best = -1;

	for (int i = 0; i < matching->rule->length; i++)
		if ((done & (1u << i)) == 0 &&
			(best < 0 ||
			 urgency(matching, &matching->rule->body[i]) > urgency(matching, &matching->rule->body[best])))
			best = i;
	return best;
}

/* Whether the answer, or an atom that is not done, depends on a variable. */
static bool
is_needed(const Matching *matching, int32_t variable, unsigned done)
{
	for (int i = 0; i < matching->rule->length; i++)
		if ((done & (1u << i)) == 0 &&
			(matching->rule->body[i].first == variable || matching->rule->body[i].second == variable))
			return true;
	return variable == matching->answer;
}

static bool match(Matching *matching, unsigned done);

static bool
match_with(Matching *matching, int32_t variable, int32_t entity, unsigned done)
{
	bool		found;

	matching->bound[-1 - variable] = entity;
	found = match(matching, done);
	matching->bound[-1 - variable] = -1;
	return found;
}

/* Whether the answer was bound before the variable that is bound now. */
static bool
is_answered(const Matching *matching)
{
	return matching->bound[-1 - matching->answer] >= 0;
}

/* Binds the variable at one end of an atom to each entity that the entity at the other end is related to. */
static bool
bind(Matching *matching, int32_t relation, int32_t from, bool backwards, int32_t variable, unsigned done)
{
	const FactIndex *facts = matching->facts;
	bool		needed = is_needed(matching, variable, done);
	bool		found = false;
	FactGroup	group;

	if (relation == RULE_IS)
		return match_with(matching, variable, from, done);
	group = fact_group(facts, from, FORWARDS(relation) + backwards);
	for (int64_t i = group.first; i < group.end && matching->edges < matching->most; i++)
	{
		matching->edges++;
		found |= match_with(matching, variable, facts->edge[i].other, done);
		if (!needed || (found && is_answered(matching)))
			break;
	}
	return found;
}

/* Binds a variable of an atom to each entity that has such edges: one that is needed without the atom, if there is. */
static bool
bind_holders(Matching *matching, int next, unsigned done)
{
	const FactIndex *facts = matching->facts;
	const Atom *atom = &matching->rule->body[next];
	bool		backwards = !is_needed(matching, atom->first, done | 1u << next);
	DirectedAtom held = FORWARDS(atom->relation) + backwards;
	bool		found = false;

	for (int64_t i = facts->holders[held]; i < facts->holders[held + 1] && matching->edges < matching->most; i++)
	{
		matching->edges++;
		found |= match_with(matching, backwards ? atom->second : atom->first, fact_holder(facts, i), done);
		if (found && is_answered(matching))
			break;
	}
	return found;
}

static bool
holds(const Matching *matching, const Atom *atom, int32_t first, int32_t second)
{
	return atom->relation == RULE_IS ? first == second :
		fact_holds(matching->facts, first, FORWARDS(atom->relation), second);
}

/* Matches the atoms that are not done; returns whether they can be. */
static bool
match(Matching *matching, unsigned done)
{
	int			next = next_atom(matching, done);
	const Atom *atom = &matching->rule->body[next < 0 ? 0 : next];
	int32_t		first = entity_of(matching, atom->first);
	int32_t		second = entity_of(matching, atom->second);
	unsigned	then = done | 1u << (next < 0 ? 0 : next);

	if (next < 0)
	{
		/* X of r(X,"c") <= is any entity: it is no answer */
		if (is_answered(matching))
			matching->found(matching->argument, entity_of(matching, matching->answer));
		return true;
	}
	if (first >= 0 && second >= 0)
		return holds(matching, atom, first, second) && match(matching, then);
	if (first >= 0)
		return bind(matching, atom->relation, first, false, atom->second, then);
	if (second >= 0)
		return bind(matching, atom->relation, second, true, atom->first, then);
	return bind_holders(matching, next, done);
}

int64_t
ev_match(const FactIndex *facts, const Rule *rule, Side side, int32_t given, int64_t most,
		 void (*found) (void *argument, int32_t answer), void *argument)
{
	Matching	matching = {
		.facts = facts,
		.rule = rule,
		.answer = side == SIDE_TAIL ? TERM_Y : TERM_X,
		.most = most,
		.found = found,
		.argument = argument
	};

	for (int i = 0; i < RULE_MAX_VARIABLES; i++)
		matching.bound[i] = -1;
	matching.bound[-1 - (side == SIDE_TAIL ? TERM_X : TERM_Y)] = given;
	match(&matching, 0);
	return matching.edges;
}
