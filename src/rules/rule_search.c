/*
 * rule_search.c
 *		The search for rules over the bounds, head after head (see rule_search.h).
 */
#include "rule_search.h"

#include "server/host.h"

/* ---- components of one head ------------------------------------------------------------------ */

/* Makes room for the facts of each body; `first` is where each list begins, one place on. */
static void
reserve_facts(Search *search, int component)
{
	FactLists  *lists = &search->lists[component];
	int64		bodies = search->table[component].count;
	int64		facts = 0;

	mining_check_growth(search->mining, bodies * (sizeof(int64) + sizeof(int32)));
	lists->first = array_new_zero(int64, bodies + 2);
	lists->count = array_new_zero(int32, bodies);
	for (int32 i = 0; i < search->facts; i++)
	{
		int32		unit = unit_of_fact(search, component, i);

		hkg_check_interrupts();
		for (int64 j = lists->start[unit]; j < lists->start[unit + 1]; j++, facts++)
			lists->first[lists->body.value[j] + 2]++;
	}
	for (int64 i = 2; i <= bodies; i++)
		lists->first[i] += lists->first[i - 1];
	mining_check_growth(search->mining, 2 * facts * sizeof(int32));
	lists->fact = array_new(int32, facts);
	if (lists->binding.count > 0)
		lists->fact_binding = array_new(int32, facts);
}

/* The facts of each body, from the bodies of each unit; beginnings move as lists fill. */
static void
list_facts(Search *search, int component)
{
	FactLists  *lists = &search->lists[component];

	reserve_facts(search, component);
	for (int32 i = 0; i < search->facts; i++)
	{
		int32		unit = unit_of_fact(search, component, i);

		hkg_check_interrupts();
		for (int64 j = lists->start[unit]; j < lists->start[unit + 1]; j++)
		{
			int64		place = lists->first[lists->body.value[j] + 1]++;

			lists->fact[place] = i;
			if (lists->fact_binding != NULL)
				lists->fact_binding[place] = lists->binding.value[j];
		}
	}
}

/* Whether a body may have it beside others: one of a single atom at least, which is over the bounds itself. */
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

static void
search_component(Search *search, int number)
{
	const Component *component = &search->components.component[number];
	bool		is_body = component->complete && unit_kind(component) == BOTH;
	bool		is_combined = combines(search, component);

	/* its prefix and its parts must be over the bounds */
	if (component->atoms > 1 && search->table[component->prefix[component->atoms - 2]].count == 0)
		return;
	for (int i = 0; i < component->parts; i++)
		if (search->table[component->part[i].component].count == 0)
			return;
	if (component->complete && !is_body && !is_combined)
		return;
	groundings_count(search, number);
	if (is_body)
		search_add_bodies(search, number);
	if (is_combined && search->table[number].count > 0)
	{
		groundings_list(search, number);
		list_facts(search, number);
	}
}

/* ---- slices of heads ------------------------------------------------------------------------------ */

typedef struct HeadSize
{
	int32		head;
	int64		facts;
} HeadSize;

static int
compare_sizes(const void *a, const void *b)
{
	const HeadSize *left = a;
	const HeadSize *right = b;

	if (left->facts != right->facts)
		return left->facts > right->facts ? -1 : 1;
	return left->head < right->head ? -1 : left->head > right->head;
}

/*
 * Which heads are searched for: the largest one that is left goes to the slice with fewest facts so far.  Slices behind
 * as many as there are heads have none.
 */
static bool *
wanted_heads(const Mining *mining)
{
	int32		heads = mining->data->relations;
	int			slices = Max(Min(mining->heads.count, heads), 1);
	bool	   *wanted = array_new_zero(bool, heads);
	HeadSize   *size = array_new(HeadSize, heads);
	int64	   *load = array_new_zero(int64, slices);

	for (int32 i = 0; i < heads; i++)
		size[i] = (HeadSize) {i, mining->start[i + 1] - mining->start[i]};
	qsort(size, heads, sizeof(HeadSize), compare_sizes);
	for (int32 i = 0; i < heads; i++)
	{
		int			least = 0;

		hkg_check_interrupts();
		for (int j = 1; j < slices; j++)
			least = load[j] < load[least] ? j : least;
		load[least] += size[i].facts;
		wanted[size[i].head] = least == mining->heads.number - 1 && size[i].facts > 0;
	}
	pfree(size);
	pfree(load);
	return wanted;
}

/* ---- heads --------------------------------------------------------------------------------------- */

/* The entities at one end of the facts. */
static void
make_end(Search *search, int end)
{
	const FactIndex *index = &search->mining->index;
	DirectedAtom atom = end == X ? FORWARDS(search->head) : MIRRORED(FORWARDS(search->head));
	int32		units = (int32) fact_holder_count(index, atom);

	search->units[end] = units;
	search->unit[end] = array_new(Unit, units);
	search->unit_of[end] = array_new(int32, search->facts);
	for (int32 i = 0; i < units; i++)
	{
		search->unit[end][i] = (Unit) {{-1, -1}, 0};
		search->unit[end][i].bound[end] = fact_holder(index, index->holders[atom] + i);
		search->unit_of_entity[search->unit[end][i].bound[end]] = i;
	}
	for (int32 i = 0; i < search->facts; i++)
	{
		int32		unit = search->unit_of_entity[end == X ? search->fact[i].head : search->fact[i].tail];

		hkg_check_interrupts();
		search->unit_of[end][i] = unit;
		search->unit[end][unit].facts++;
	}
}

static void
make_units(Search *search)
{
	mining_check_growth(search->mining, (uint64) search->facts * 3 * (sizeof(Unit) + sizeof(int32)));
	make_end(search, X);
	make_end(search, Y);
	search->units[BOTH] = search->facts;
	search->unit[BOTH] = array_new(Unit, search->facts);
	search->unit_of[BOTH] = NULL;
	for (int32 i = 0; i < search->facts; i++)
	{
		hkg_check_interrupts();
		search->unit[BOTH][i] = (Unit) {{search->fact[i].head, search->fact[i].tail}, 1};
	}
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
	search_combinations(search);
}

void
search_rules(Mining *mining)
{
	MemoryContext scratch = AllocSetContextCreate(mining->memory, "hybridkg head", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	Search	   *search = MemoryContextAllocZero(mining->memory, sizeof(Search));
	bool	   *wanted;

	MemoryContextSwitchTo(mining->memory);
	wanted = wanted_heads(mining);
	MemoryContextSwitchTo(scratch);
	search->mining = mining;
	search->unit_of_entity = MemoryContextAllocHuge(mining->memory, Max(mining->data->entities, 1) * sizeof(int32));
	components_generate(mining->options->max_rule_length - 1, mining->options->constants, &search->components);
	for (int32 head = 0; head < mining->data->relations; head++)
	{
		hkg_check_interrupts();
		if (wanted[head])
			search_head(search, head);
		MemoryContextReset(scratch);
		mining_report(mining, SEARCH_WORK * (double) (mining->start[head + 1] - mining->start[head]) /
					  (double) Max(mining->data->facts, 1));
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}
