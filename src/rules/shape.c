/*
 * shape.c
 *		The shape of a body: its terms without its relations and constants
 *		(see shape.h).
 */
#include "shape.h"

#include "lib/stringinfo.h"

/* X < A < B < ... < Y < constants */
static int
rank_of(Term term)
{
	if (!TERM_IS_VARIABLE(term))
		return 102;
	if (term == TERM_Y)
		return 101;
	return term == TERM_X ? 0 : TERM_A - term + 1;
}

void
shape_of(const Rule *rule, Shape *shape, ShapeLabels *labels)
{
	memset(shape, 0, sizeof(Shape));
	memset(labels, 0, sizeof(ShapeLabels));
	shape->length = rule->length;
	for (int i = 0; i < rule->length; i++)
	{
		const Atom *atom = &rule->body[i];
		bool		backwards = rank_of(atom->first) > rank_of(atom->second);
		Term		from = backwards ? atom->second : atom->first;
		Term		to = backwards ? atom->first : atom->second;

		shape->place[i].from = from;
		shape->place[i].to = TERM_IS_VARIABLE(to) ? to :
			atom->relation == RULE_IS ? TERM_ITSELF : TERM_CONSTANT;
		labels->atom[i] = FORWARDS(atom->relation) + backwards;
		labels->constant[i] = TERM_IS_VARIABLE(to) ? 0 : to;
	}
}

int
shape_compare(const Shape *a, const Shape *b)
{
	return memcmp(a, b, sizeof(Shape));
}

static Term
parse_term(char letter)
{
	switch (letter)
	{
		case 'X':
			return TERM_X;
		case 'Y':
			return TERM_Y;
		case 'c':
			return TERM_CONSTANT;
		default:
			return TERM_A - (letter - 'A');
	}
}

void
shape_parse(const char *text, Shape *shape)
{
	memset(shape, 0, sizeof(Shape));
	for (;; text += 3)
	{
		Place	   *place = &shape->place[shape->length++];

		place->from = parse_term(text[0]);
		place->to = parse_term(text[1]);
		if (text[2] == '\0')
			return;
	}
}

void
shape_rule(const Shape *shape, const ShapeLabels *labels, int32 head, Rule *rule)
{
	memset(rule, 0, sizeof(Rule));
	rule->head = head;
	rule->length = shape->length;
	for (int i = 0; i < shape->length; i++)
	{
		Place		place = shape->place[i];
		DirectedAtom atom = labels->atom[i];
		Term		to = TERM_IS_VARIABLE(place.to) ? place.to : labels->constant[i];

		if (IS_BACKWARDS(atom))
			rule->body[i] = (Atom) {RELATION_OF(atom), to, place.from};
		else
			rule->body[i] = (Atom) {RELATION_OF(atom), place.from, to};
	}
	rule_canonicalise(rule);
}

/* ---- as SQL ---------------------------------------------------------------- */

char *
edges_sql(const Graph *graph)
{
	return psprintf("(select head::int as x, 2 * relation::int as atom, tail::int as y from %s"
					" union all select tail::int, 2 * relation::int + 1, head::int from %s)",
					graph->facts, graph->facts);
}
