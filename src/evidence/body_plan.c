/*
 * body_plan.c
 *		The order in which a body's variables are bound.
 *
 * X comes first.  Then always a variable that atoms join to those before it: first one that only narrows down what
 * is bound already, then Y, then another.  An atom is a link of the later one of its two variables.
 *
 *		a(X,A), b(A,Y)				X, A (a from X), Y (b from A)
 *		a(X,A), b(A,Y), c(X,Y)		X, Y (c from X), A (a from X, b from Y), of which one is enough
 */
#include "body_plan.h"

/* A plan in the making */
typedef struct Planning
{
	const FactIndex *facts;
	const Rule *body;
	BodyPlan	plan;
	int			level_of[RULE_MAX_VARIABLES];	/* by -1 - variable; -1: not yet */
	int			variables;
} Planning;

static bool
is_variable(int32_t term)
{
	return term < 0;
}

static bool
is_bound(const Planning *planning, int32_t term)
{
	return !is_variable(term) || planning->level_of[-1 - term] >= 0;
}

/* The term at the other end of an atom with this variable. */
static int32_t
other_term(const Atom *atom, int32_t variable)
{
	return atom->first == variable ? atom->second : atom->first;
}

static bool
has_term(const Atom *atom, int32_t term)
{
	return atom->first == term || atom->second == term;
}

/* How soon a variable should be bound: 0 first */
static int
urgency(const Planning *planning, int32_t variable)
{
	bool		from_variable = false;
	bool		from_constant = false;
	bool		open = false;

	for (int i = 0; i < planning->body->length; i++)
	{
		const Atom *atom = &planning->body->body[i];
		int32_t		other = other_term(atom, variable);

		if (!has_term(atom, variable))
			continue;
		from_variable |= is_variable(other) && is_bound(planning, other);
		from_constant |= !is_variable(other);
		open |= !is_bound(planning, other);
	}
	if (from_variable)
		return variable == TERM_Y ? 1 : open ? 2 : 0;
	return from_constant ? 3 : 4;
}

/* Takes what one atom demands of the level's variable, as far as the atom's other term is bound. */
static void
add_atom(Planning *planning, BodyLevel *level, const Atom *atom, int32_t variable)
{
	int32_t		other = other_term(atom, variable);
	DirectedAtom away = FORWARDS(atom->relation) + (atom->first != variable);

	if (atom->relation == RULE_IS)
		level->is = other;
	else if (is_bound(planning, other))
		level->link[level->links++] = (BodyLink) {
			is_variable(other) ? planning->level_of[-1 - other] : -1, other, MIRRORED(away)
		};
	else if (level->held == NO_ATOM || fact_holder_count(planning->facts, away) < fact_holder_count(planning->facts, level->held))
		level->held = away;
}

static void
bind_variable(Planning *planning, int32_t variable)
{
	int			number = planning->plan.levels;
	BodyLevel  *level = &planning->plan.level[number];

	*level = (BodyLevel) {.is = NO_ENTITY,.held = NO_ATOM};
	for (int i = 0; i < planning->body->length; i++)
		if (has_term(&planning->body->body[i], variable))
			add_atom(planning, level, &planning->body->body[i], variable);
	planning->level_of[-1 - variable] = number;
	if (variable == TERM_Y)
		planning->plan.y = number;
	planning->plan.levels++;
}

/* Whether a level after `after` has a link from one of the levels first .. last. */
static bool
has_link(const BodyPlan *plan, int after, int first, int last)
{
	for (int i = after + 1; i < plan->levels; i++)
		for (int k = 0; k < plan->level[i].links; k++)
			if (plan->level[i].link[k].from >= first && plan->level[i].link[k].from <= last)
				return true;
	return false;
}

BodyPlan
body_plan(const FactIndex *facts, const Rule *body)
{
	Planning	planning = {.facts = facts,.body = body};
	BodyPlan   *plan = &planning.plan;

	/* 1. its variables */
	planning.variables = -TERM_Y;
	for (int i = 0; i < body->length; i++)
	{
		if (-body->body[i].first > planning.variables)
			planning.variables = -body->body[i].first;
		if (-body->body[i].second > planning.variables)
			planning.variables = -body->body[i].second;
	}
	for (int i = 0; i < planning.variables; i++)
		planning.level_of[i] = -1;

	/* 2. X, then always the most urgent one */
	for (int32_t next = TERM_X; next != 0;)
	{
		bind_variable(&planning, next);
		next = 0;
		for (int32_t variable = TERM_Y; variable >= -planning.variables; variable--)
			if (!is_bound(&planning, variable) &&
				(next == 0 || urgency(&planning, variable) < urgency(&planning, next)))
				next = variable;
	}

	/* 3. what depends on what */
	for (int i = 0; i < plan->levels; i++)
	{
		plan->level[i].cut = !has_link(plan, i, 0, i - 1);
		plan->level[i].once = i != plan->y && !has_link(plan, i, i, i);
	}
	plan->sharing = !has_link(plan, 0, 0, 0) ? SHARE_ALL :
		plan->level[1].cut && plan->y > 1 ? SHARE_SETS : SHARE_NOTHING;
	return *plan;
}
