/*
 * rule_search.c
 *		The search for rules over the bounds: heads, and components combined (see rule_search.h).
 *
 * Bodies of several components are found depth first.  A combination has the list of its facts; how many of these
 * each further component has is counted in one array, in which the facts' own lists are the places.  So no
 * pair of components is looked at that no fact has.
 */
#include "rule_search.h"

#include "miscadmin.h"

#include "core/search.h"

typedef struct ChosenBody
{
	int			component;
	int32		body;
} ChosenBody;

/* Bodies of different components, or different ones of one, and the facts that have them all */
typedef struct Combination
{
	int			count;
	ChosenBody		chosen[BODY_ATOMS];	/* ascending */
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

/* Which unit of a component a fact is in */
static inline int32
unit_of_fact(const Search *search, int component, int32 fact)
{
	const int32 *unit_of = search->unit_of[unit_kind(&search->components.component[component])];

	return unit_of == NULL ? fact : unit_of[fact];
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
	ChosenBody		last = combination->chosen[combination->count - 1];
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

/* From rows to ids. */
static Atom
atom_of(const Search *search, Step step, const CountedBody *body, Term fresh)
{
	const GraphData *data = search->mining->data;
	int32		relation = data->relation_id[RELATION_OF(body->atom)];
	Term		from = term_of(step.from, fresh);
	Term		to = body->constant >= 0 ? data->entity_id[body->constant] : term_of(step.to, fresh);

	return IS_BACKWARDS(body->atom) ? (Atom) {relation, to, from} : (Atom) {relation, from, to};
}

static void
add_rule(const Search *search, const Combination *combination, int32 support)
{
	Rule		rule = {.head = search->mining->data->relation_id[search->head]};
	Term		fresh = TERM_A;

	for (int i = 0; i < combination->count; i++)
	{
		const Component *component = component_of(search, combination->chosen[i]);
		const CountedBody *atom[BODY_ATOMS];

		trace_body(search, combination->chosen[i], atom);
		for (int k = 0; k < component->atoms; k++)
			rule.body[rule.length++] = atom_of(search, component->step[k], atom[k], fresh);
		fresh -= VARIABLES - A;
	}
	mining_add(search->mining, search->head, &rule, support);
}

/* ---- combinations -------------------------------------------------------------------------- */

/* Where a body holds */
static const int32 *
facts_of_body(const Search *search, ChosenBody chosen, int64 *facts)
{
	const FactLists *lists = &search->lists[chosen.component];

	*facts = lists->first[chosen.body + 1] - lists->first[chosen.body];
	return lists->fact + lists->first[chosen.body];
}

static int32
binding_at(const Search *search, ChosenBody chosen, int32 fact)
{
	const FactLists *lists = &search->lists[chosen.component];

	return lists->fact_binding[lower_bound_int32(lists->fact, lists->first[chosen.body],
												   lists->first[chosen.body + 1], fact)];
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
	int32		first[BODY_ATOMS] = {NO_BINDING, NO_BINDING, NO_BINDING};
	int			lacking = 0;

	for (int k = 0; k < combination->count; k++)
		lacking += component_of(search, combination->chosen[k])->constant;
	for (int64 i = 0, j = 0; lacking > 0 && next_common(fact, facts, &i, other, others, &j); i++, j++)
		for (int k = 0; k < combination->count; k++)
		{
			int32		binding;

			if (!component_of(search, combination->chosen[k])->constant || first[k] == TWO_BINDINGS)
				continue;
			binding = binding_at(search, combination->chosen[k], fact[i]);
			if (first[k] == NO_BINDING)
				first[k] = binding;
			else if (first[k] != binding)
				first[k] = TWO_BINDINGS;
			lacking -= first[k] == TWO_BINDINGS;
		}
	return lacking == 0;
}

/* Whether so many atoms can be a body, or one that lacks an end. */
static bool
fits(const Search *search, const Combination *combination)
{
	return combination->atoms + !combination->end[X] + !combination->end[Y] < search->mining->options->max_rule_length;
}

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
		fact[grown->facts++] = other[j];
	extend(search, grown);
	pfree(fact);
}

/* The bodies of a component, above `last`, that facts of a combination have; counted, in no order. */
static Numbers
count_bodies(const Search *search, const Combination *base, int component, int32 last)
{
	const FactLists *lists = &search->lists[component];
	Numbers		found = {0};

	for (int64 i = 0; i < base->facts; i++)
	{
		int32		unit = unit_of_fact(search, component, base->fact[i]);

		CHECK_FOR_INTERRUPTS();
		for (int64 j = lists->start[unit]; j < lists->start[unit + 1]; j++)
		{
			int32		body = lists->body.value[j];

			if (body > last && lists->count[body]++ == 0)
				numbers_append(&found, body);
		}
	}
	return found;
}

/* Keeps the bodies over the bounds and returns their supports; the counters are free again, for others. */
static int32 *
take_supports(const Search *search, int component, Numbers *found)
{
	int32	   *count = search->lists[component].count;
	int32	   *support = array_new(int32, found->count);
	int64		kept = 0;

	for (int64 i = 0; i < found->count; i++)
	{
		int32		body = found->value[i];

		if (count[body] >= search->threshold)
		{
			support[kept] = count[body];
			found->value[kept++] = body;
		}
		count[body] = 0;
	}
	found->count = kept;
	return support;
}

/* All combinations of `base` with bodies of one more component, which stands last in `grown`. */
static void
extend_by(Search *search, const Combination *base, const Combination *grown, int component, int32 last)
{
	Numbers		found = count_bodies(search, base, component, last);
	int32	   *support = take_supports(search, component, &found);

	for (int64 i = 0; i < found.count; i++)
	{
		Combination taken = *grown;

		CHECK_FOR_INTERRUPTS();
		taken.chosen[taken.count - 1].body = found.value[i];
		take_combination(search, base, &taken, support[i]);
	}
	if (found.value != NULL)
		pfree(found.value);
	pfree(support);
}

static void
extend(Search *search, const Combination *base)
{
	ChosenBody		last = base->chosen[base->count - 1];

	for (int component = last.component; component < search->components.count; component++)
	{
		Combination grown = with_component(search, base, component);

		if (search->lists[component].start != NULL && fits(search, &grown))
			extend_by(search, base, &grown, component, component == last.component ? last.body : -1);
	}
}

static void
combine(Search *search)
{
	Combination none = {0};

	for (int component = 0; component < search->components.count; component++)
	{
		Combination single = with_component(search, &none, component);

		if (search->lists[component].start == NULL)
			continue;
		for (int64 i = 0; i < search->table[component].count; i++)
		{
			CHECK_FOR_INTERRUPTS();
			single.chosen[0].body = (int32) i;
			single.fact = facts_of_body(search, single.chosen[0], &single.facts);
			extend(search, &single);
		}
	}
}

/* ---- components of one head ------------------------------------------------------------------ */

/* Makes room for the facts of each body, and says where each list begins, one place on. */
static void
reserve_facts(Search *search, int component)
{
	FactLists  *lists = &search->lists[component];
	int64		bodies = search->table[component].count;
	int64		facts = 0;

	mining_check_growth(search->mining->memory, bodies * (sizeof(int64) + sizeof(int32)));
	lists->first = array_new_zero(int64, bodies + 2);
	lists->count = array_new_zero(int32, bodies);
	for (int32 i = 0; i < search->facts; i++)
	{
		int32		unit = unit_of_fact(search, component, i);

		CHECK_FOR_INTERRUPTS();
		for (int64 j = lists->start[unit]; j < lists->start[unit + 1]; j++, facts++)
			lists->first[lists->body.value[j] + 2]++;
	}
	for (int64 i = 2; i <= bodies; i++)
		lists->first[i] += lists->first[i - 1];
	mining_check_growth(search->mining->memory, 2 * facts * sizeof(int32));
	lists->fact = array_new(int32, facts);
	if (lists->binding.count > 0)
		lists->fact_binding = array_new(int32, facts);
}

/* From the bodies of each unit, the facts of each body; beginnings move as lists fill. */
static void
list_facts(Search *search, int component)
{
	FactLists  *lists = &search->lists[component];

	reserve_facts(search, component);
	for (int32 i = 0; i < search->facts; i++)
	{
		int32		unit = unit_of_fact(search, component, i);

		CHECK_FOR_INTERRUPTS();
		for (int64 j = lists->start[unit]; j < lists->start[unit + 1]; j++)
		{
			int64		place = lists->first[lists->body.value[j] + 1]++;

			lists->fact[place] = i;
			if (lists->fact_binding != NULL)
				lists->fact_binding[place] = lists->binding.value[j];
		}
	}
}

/* Whether a body may have it beside others: as it is found over the bounds of them, one of a single atom is. */
static bool
combines(const Search *search, const Component *component)
{
	if (!component->complete || component->atoms + 1 >= search->mining->options->max_rule_length)
		return false;
	if (component->atoms == 1)
		return true;
	for (int i = 0; i < search->components.count; i++)
	{
		const Component *other = &search->components.component[i];

		if (search->lists[i].start != NULL && other->atoms == 1 &&
			(component->end[X] || other->end[X]) && (component->end[Y] || other->end[Y]))
			return true;
	}
	return false;
}

/* Whether its prefix and its parts are over the bounds. */
static bool
has_basis(const Search *search, const Component *component)
{
	if (component->atoms > 1 && search->table[component->prefix[component->atoms - 2]].count == 0)
		return false;
	for (int i = 0; i < component->parts; i++)
		if (search->table[component->part[i].component].count == 0)
			return false;
	return true;
}

static void
search_component(Search *search, int number)
{
	const Component *component = &search->components.component[number];
	bool		is_body = component->complete && unit_kind(component) == BOTH;
	bool		is_part = combines(search, component);

	if (!has_basis(search, component) || (component->complete && !is_body && !is_part))
		return;
	groundings_count(search, number);
	for (int64 i = 0; is_body && i < search->table[number].count; i++)
	{
		Combination alone = {.count = 1,.chosen = {{number, (int32) i}}};

		add_rule(search, &alone, search->table[number].body[i].support);
	}
	if (is_part && search->table[number].count > 0)
	{
		groundings_list(search, number);
		list_facts(search, number);
	}
}

/* ---- heads --------------------------------------------------------------------------------------- */

/* The entities at one end of the facts. */
static void
make_end(Search *search, int end)
{
	const EvFacts *index = &search->mining->index;
	DirectedAtom atom = end == X ? FORWARDS(search->head) : MIRRORED(FORWARDS(search->head));
	const EvHolder *holder = index->holder + index->holders[atom];
	int32		units = (int32) (index->holders[atom + 1] - index->holders[atom]);

	search->units[end] = units;
	search->unit[end] = array_new(Unit, units);
	search->unit_of[end] = array_new(int32, search->facts);
	for (int32 i = 0; i < units; i++)
	{
		search->unit[end][i] = (Unit) {{-1, -1}, 0};
		search->unit[end][i].bound[end] = holder[i].entity;
		search->unit_of_entity[holder[i].entity] = i;
	}
	for (int32 i = 0; i < search->facts; i++)
	{
		int32		unit = search->unit_of_entity[end == X ? search->fact[i].head : search->fact[i].tail];

		CHECK_FOR_INTERRUPTS();
		search->unit_of[end][i] = unit;
		search->unit[end][unit].facts++;
	}
}

static void
make_units(Search *search)
{
	mining_check_growth(search->mining->memory, search->facts * 3 * (sizeof(Unit) + sizeof(int32)));
	make_end(search, X);
	make_end(search, Y);
	search->units[BOTH] = search->facts;
	search->unit[BOTH] = array_new(Unit, search->facts);
	search->unit_of[BOTH] = NULL;
	for (int32 i = 0; i < search->facts; i++)
		search->unit[BOTH][i] = (Unit) {{search->fact[i].head, search->fact[i].tail}, 1};
}

static void
search_head(Search *search, int32 head)
{
	Mining	   *mining = search->mining;

	search->head = head;
	search->fact = mining->data->fact + mining->start[head];
	search->facts = (int32) (mining->start[head + 1] - mining->start[head]);
	search->threshold = mining_threshold(mining, head);
	if (search->facts < search->threshold)
		return;
	memset(search->table, 0, sizeof(search->table));
	memset(search->lists, 0, sizeof(search->lists));
	make_units(search);
	for (int i = 0; i < search->components.count; i++)
		search_component(search, i);
	combine(search);
}

void
search_rules(Mining *mining)
{
	MemoryContext scratch = AllocSetContextCreate(mining->memory, "hybridkg head", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	Search	   *search = MemoryContextAllocZero(mining->memory, sizeof(Search));

	search->mining = mining;
	search->unit_of_entity = MemoryContextAllocHuge(mining->memory, Max(mining->data->entities, 1) * sizeof(int32));
	components_generate(mining->options->max_rule_length - 1, mining->options->constants, &search->components);
	for (int32 head = 0; head < mining->data->relations; head++)
	{
		CHECK_FOR_INTERRUPTS();
		if (mining->start[head] < mining->start[head + 1])
			search_head(search, head);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}
