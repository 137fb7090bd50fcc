/*
 * combinations.c
 *		Bodies of several components over the bounds (see rule_search.h).
 *
 * They are found depth first, from lists of facts.  A combination has the list of its facts.  For each component
 * that may come next, one array of counters has the number of these facts that have each of its bodies.  So no
 * combination is looked at that no fact has, and the counters are as few as the bodies of one component.
 */
#include "rule_search.h"

#include "core/search.h"
#include "server/host.h"

typedef struct ChosenBody
{
	int			component;
	int32		body;
} ChosenBody;

/* Bodies of different components, or different ones of one, and the facts that have them all */
typedef struct Combination
{
	int			count;
	ChosenBody	chosen[BODY_ATOMS];	/* ascending */
	int			atoms;
	bool		end[2];
	const int32 *fact;
	int64		facts;
} Combination;

static const Component *
component_of(const Search *search, ChosenBody chosen)
{
	return &search->components.component[chosen.component];
}

/* ---- from bodies to rules --------------------------------------------------------------- */

/* The last atoms of all prefixes of a body: its atoms. */
static void
trace_body(const Search *search, ChosenBody chosen, const CountedBody *atom[BODY_ATOMS])
{
	const Component *component = component_of(search, chosen);
	int32		number = chosen.body;

	for (int k = component->atoms - 1; k >= 0; k--)
	{
		const BodyTable *table = &search->table[component->prefix[k]];

		atom[k] = &table->body[number];
		number = body_prefix(table, atom[k]);
	}
}

static bool
are_unifiable(const CountedBody *one, const CountedBody *other)
{
	if ((one->constant < 0 && other->constant < 0) || RELATION_OF(one->atom) != RELATION_OF(other->atom))
		return false;
	return one->constant < 0 || other->constant < 0 || one->atom != other->atom || one->constant == other->constant;
}

/* Whether the last one chosen may stand beside the others. */
static bool
may_join(const Search *search, const Combination *combination)
{
	ChosenBody	last = combination->chosen[combination->count - 1];
	const CountedBody *mine[BODY_ATOMS];
	const CountedBody *theirs[BODY_ATOMS];

	trace_body(search, last, mine);
	for (int i = 0; i < combination->count - 1; i++)
	{
		trace_body(search, combination->chosen[i], theirs);
		for (int j = 0; j < component_of(search, combination->chosen[i])->atoms; j++)
			for (int k = 0; k < component_of(search, last)->atoms; k++)
				if (are_unifiable(theirs[j], mine[k]))
					return false;
	}
	return true;
}

/* Variables of a component's own get names from `fresh` on. */
static Term
term_of(int variable, Term fresh)
{
	return variable == X ? TERM_X : variable == Y ? TERM_Y : fresh - (variable - A);
}

/* Takes the rule of a combination that is a body. */
static void
add_rule(const Search *search, const Combination *combination, int32 support)
{
	const GraphData *data = search->mining->data;
	Rule		rule = {.head = data->relation_id[search->head]};
	Term		fresh = TERM_A;

	for (int i = 0; i < combination->count; i++)
	{
		const Component *component = component_of(search, combination->chosen[i]);
		const CountedBody *atom[BODY_ATOMS];

		trace_body(search, combination->chosen[i], atom);
		for (int k = 0; k < component->atoms; k++)
		{
			int32		relation = data->relation_id[RELATION_OF(atom[k]->atom)];
			Term		from = term_of(component->step[k].from, fresh);
			Term		to = atom[k]->constant >= 0 ? data->entity_id[atom[k]->constant] :
				term_of(component->step[k].to, fresh);

			rule.body[rule.length++] = IS_BACKWARDS(atom[k]->atom) ? (Atom) {relation, to, from} : (Atom) {relation, from, to};
		}
		fresh -= VARIABLES - A;
	}
	mining_add(search->mining, search->head, &rule, support);
}

void
search_add_bodies(Search *search, int component)
{
	for (int64 i = 0; i < search->table[component].count; i++)
	{
		Combination alone = {.count = 1,.chosen = {{component, (int32) i}}};

		add_rule(search, &alone, search->table[component].body[i].support);
	}
}

/* ---- facts and bindings -------------------------------------------------------------------- */

/* The facts that have a body */
static const int32 *
facts_of_body(const Search *search, ChosenBody chosen, int64 *facts)
{
	const FactLists *lists = &search->lists[chosen.component];

	*facts = lists->first[chosen.body + 1] - lists->first[chosen.body];
	return lists->fact + lists->first[chosen.body];
}

/* Goes on to the next fact, from number *i and *j on, that both lists have. */
static bool
next_common(const int32 *one, int64 ones, int64 *i, const int32 *other, int64 others, int64 *j)
{
	while (*i < ones && *j < others && one[*i] != other[*j])
	{
		if (one[*i] < other[*j])
			(*i)++;
		else
			(*j)++;
	}
	return *i < ones && *j < others;
}

/* Whether each variable beside a constant has two bindings; `facts` are those without the last one chosen. */
static bool
has_bindings(const Search *search, const Combination *combination, const int32 *fact, int64 facts)
{
	int64		others;
	const int32 *other = facts_of_body(search, combination->chosen[combination->count - 1], &others);
	int32		first[BODY_ATOMS];
	int			lacking = 0;

	for (int k = 0; k < combination->count; k++)
	{
		first[k] = NO_BINDING;
		lacking += component_of(search, combination->chosen[k])->constant;
	}
	for (int64 i = 0, j = 0; lacking > 0 && next_common(fact, facts, &i, other, others, &j); i++, j++)
	{
		hkg_check_interrupts();
		for (int k = 0; k < combination->count; k++)
		{
			ChosenBody	chosen = combination->chosen[k];
			const FactLists *lists = &search->lists[chosen.component];
			int32		binding;

			if (!component_of(search, chosen)->constant || first[k] == TWO_BINDINGS)
				continue;
			binding = lists->fact_binding[lower_bound_int32(lists->fact, lists->first[chosen.body],
															lists->first[chosen.body + 1], fact[i])];
			if (first[k] == NO_BINDING)
				first[k] = binding;
			else if (first[k] != binding)
				first[k] = TWO_BINDINGS;
			lacking -= first[k] == TWO_BINDINGS;
		}
	}
	return lacking == 0;
}

/* ---- one component more -------------------------------------------------------------------- */

static Combination
with_component(const Search *search, const Combination *base, int component)
{
	const Component *added = &search->components.component[component];
	Combination grown = *base;

	grown.atoms += added->atoms;
	for (int end = X; end <= Y; end++)
		grown.end[end] |= added->end[end];
	grown.chosen[grown.count++] = (ChosenBody) {component, 0};
	return grown;
}

static void extend(Search *search, const Combination *base);

/* Takes a combination over the bounds; `base` is the one without what was chosen last. */
static void
take_combination(Search *search, const Combination *base, Combination *grown, int32 support)
{
	int64		others;
	const int32 *other = facts_of_body(search, grown->chosen[grown->count - 1], &others);
	int32	   *fact;

	if (!may_join(search, grown))
		return;
	if (grown->end[X] && grown->end[Y] && has_bindings(search, grown, base->fact, base->facts))
		add_rule(search, grown, support);
	if (grown->atoms + 1 >= search->mining->options->max_rule_length)
		return;
	grown->fact = fact = array_new(int32, support);
	grown->facts = 0;
	for (int64 i = 0, j = 0; next_common(base->fact, base->facts, &i, other, others, &j); i++, j++)
	{
		hkg_check_interrupts();
		fact[grown->facts++] = other[j];
	}
	extend(search, grown);
	pfree(fact);
}

/* All combinations of `base` with bodies of one more component, above `last`; the component stands last in `grown`. */
static void
extend_by(Search *search, const Combination *base, const Combination *grown, int component, int32 last)
{
	const FactLists *lists = &search->lists[component];
	Numbers		found = {0};
	int32	   *support;
	int64		kept = 0;

	/* 1. the bodies that facts of the combination have are counted, in no order */
	for (int64 i = 0; i < base->facts; i++)
	{
		int32		unit = unit_of_fact(search, component, base->fact[i]);

		hkg_check_interrupts();
		for (int64 j = lists->start[unit]; j < lists->start[unit + 1]; j++)
		{
			int32		body = lists->body.value[j];

			if (body > last && lists->count[body]++ == 0)
				numbers_append(&found, body);
		}
	}

	/* 2. those over the bounds stay; the counters are free again, for others */
	support = array_new(int32, found.count);
	for (int64 i = 0; i < found.count; i++)
	{
		int32		body = found.value[i];

		if (lists->count[body] >= search->threshold)
		{
			support[kept] = lists->count[body];
			found.value[kept++] = body;
		}
		lists->count[body] = 0;
	}

	/* 3. each is combined */
	for (int64 i = 0; i < kept; i++)
	{
		Combination taken = *grown;

		hkg_check_interrupts();
		taken.chosen[taken.count - 1].body = found.value[i];
		take_combination(search, base, &taken, support[i]);
	}
	if (found.value != NULL)
		pfree(found.value);
	pfree(support);
}

/* All combinations over the bounds that begin with `base`. */
static void
extend(Search *search, const Combination *base)
{
	ChosenBody	last = base->chosen[base->count - 1];

	for (int component = last.component; component < search->components.count; component++)
	{
		Combination grown = with_component(search, base, component);

		/* its atoms can be a body, with one more for an end that is not there yet */
		if (search->lists[component].start != NULL &&
			grown.atoms + !grown.end[X] + !grown.end[Y] < search->mining->options->max_rule_length)
			extend_by(search, base, &grown, component, component == last.component ? last.body : -1);
	}
}

void
search_combinations(Search *search)
{
	Combination none = {0};

	for (int component = 0; component < search->components.count; component++)
	{
		Combination single = with_component(search, &none, component);

		if (search->lists[component].start == NULL)
			continue;
		for (int64 i = 0; i < search->table[component].count; i++)
		{
			hkg_check_interrupts();
			single.chosen[0].body = (int32) i;
			single.fact = facts_of_body(search, single.chosen[0], &single.facts);
			extend(search, &single);
		}
	}
}
