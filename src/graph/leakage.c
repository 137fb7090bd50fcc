/*
 * leakage.c
 *		What makes held-out triples say little about a model (see leakage.h).
 *
 * Relations are inverses or duplicates of each other where nine tenths of the facts of each, and ten at least, have a
 * counterpart in the other one; a symmetric relation is its own inverse.  Facts that are held out count, too: otherwise
 * each of them would take one from the share.  Fewer than ten facts agree by chance in many graphs.
 *
 * Of few pairs of relations the facts are compared: those of which a held-out triple and a fact have the same two
 * entities, and of which one does not have many more facts than the other.  A comparison ends when too many lack.
 */
#include "leakage.h"

#include "miscadmin.h"

#include "core/search.h"
#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"

#define ALIKE_TENTHS 9
#define ALIKE_FACTS 10

typedef struct Leakage
{
	Graph	   *graph;
	const GraphData *learnt;
	const Triple *known;
	int64		known_count;
	HeldTriples		held;
} Leakage;

/* Triples that have one fault */
typedef struct Found
{
	int64		count;
	Triple		first;
	Triple		counterpart;
} Found;

static void
find(Found *found, Triple triple, Triple counterpart)
{
	if (found->count++ == 0)
	{
		found->first = triple;
		found->counterpart = counterpart;
	}
}

static char *
named(const Leakage *leakage, Triple triple)
{
	const GraphData *data = leakage->learnt;

	return psprintf("(%s, %s, %s)", graph_entity_name(leakage->graph, data->entity_id[triple.head]),
					graph_relation_name(leakage->graph, data->relation_id[triple.relation]),
					graph_entity_name(leakage->graph, data->entity_id[triple.tail]));
}

/* ---- inverses and duplicates ------------------------------------------------------- */

/* Two entities, and a triple that has them */
typedef struct EntityPair
{
	int32		low;
	int32		high;
	int64		place;
} EntityPair;

static EntityPair
pair_of(Triple triple, int64 place)
{
	return (EntityPair) {Min(triple.head, triple.tail), Max(triple.head, triple.tail), place};
}

static int
compare_entities(const void *a, const void *b)
{
	const EntityPair *left = a;
	const EntityPair *right = b;

	if (left->low != right->low)
		return left->low < right->low ? -1 : 1;
	return (left->high > right->high) - (left->high < right->high);
}

static int
compare_pairs(const void *a, const void *b)
{
	const EntityPair *left = a;
	const EntityPair *right = b;
	int			order = compare_entities(a, b);

	return order != 0 ? order : (left->place > right->place) - (left->place < right->place);
}

/* Known facts, of which one may be there twice */
typedef struct ByRelation
{
	const Triple *fact;
	int64	   *start;			/* of each relation; and the end */
	int64	   *distinct;		/* facts of each relation */
} ByRelation;

static bool
is_repeated(const Triple *fact, int64 i)
{
	return i > 0 && triple_compare(&fact[i - 1], &fact[i]) == 0;
}

static ByRelation
known_by_relation(const Leakage *leakage)
{
	int32		relations = leakage->learnt->relations;
	ByRelation	known = {
		.fact = leakage->known,
		.start = facts_by_relation(leakage->known, leakage->known_count, relations),
		.distinct = array_new_zero(int64, relations)
	};

	for (int64 i = 0; i < leakage->known_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		known.distinct[known.fact[i].relation] += !is_repeated(known.fact, i);
	}
	return known;
}

static bool
are_enough(int64 common, int64 facts)
{
	return common >= ALIKE_FACTS && 10 * common >= ALIKE_TENTHS * facts;
}

static bool
are_alike(const ByRelation *known, int32 relation, int32 other, bool inverse)
{
	int64		most = Max(known->distinct[relation], known->distinct[other]);
	int64		common = known->distinct[relation];		/* at most */
	int64		end = known->start[other + 1];

	if (!are_enough(known->distinct[other], most))
		return false;
	for (int64 i = known->start[relation]; i < known->start[relation + 1] && are_enough(common, most); i++)
	{
		Triple		fact = known->fact[i];
		Triple		wanted = inverse ? (Triple) {fact.tail, other, fact.head} : (Triple) {fact.head, other, fact.tail};
		int64		place = lower_bound(known->fact, known->start[other], end, sizeof(Triple), &wanted, triple_compare);

		CHECK_FOR_INTERRUPTS();
		common -= !is_repeated(known->fact, i) && (place == end || triple_compare(&known->fact[place], &wanted) != 0);
	}
	return are_enough(common, most);
}

typedef struct Compared
{
	int32		relation;		/* with this one; -1: none yet */
	bool		alike;
} Compared;

/* Facts come by relation: what each relation was last compared with is remembered. */
static Found
find_counterparts(const Leakage *leakage)
{
	const HeldTriples *held = &leakage->held;
	int32		relations = leakage->learnt->relations;
	ByRelation	known = known_by_relation(leakage);
	Compared   *compared = array_new(Compared, 2 * (int64) relations);
	EntityPair	   *pair = array_new(EntityPair, held->count);
	bool	   *is_found = array_new_zero(bool, held->count);
	Found		found = {0};

	for (int64 i = 0; i < held->count; i++)
		pair[i] = pair_of(held->triple[i], i);
	sort_array(hkg_leader(), POOL_LEADER, pair, held->count, sizeof(EntityPair), compare_pairs);
	for (int64 i = 0; i < 2 * (int64) relations; i++)
		compared[i].relation = -1;
	for (int64 i = 0; i < leakage->learnt->facts; i++)
	{
		Triple		fact = leakage->learnt->fact[i];
		EntityPair		wanted = pair_of(fact, 0);

		CHECK_FOR_INTERRUPTS();
		for (int64 j = lower_bound(pair, 0, held->count, sizeof(EntityPair), &wanted, compare_entities);
			 j < held->count && compare_entities(&pair[j], &wanted) == 0; j++)
		{
			Triple		triple = held->triple[pair[j].place];
			bool		inverse = fact.head != triple.head;
			Compared   *last = &compared[2 * (int64) triple.relation + inverse];

			CHECK_FOR_INTERRUPTS();
			if (is_found[pair[j].place] || (triple.relation == fact.relation && !inverse))
				continue;
			if (last->relation != fact.relation)
				*last = (Compared) {fact.relation, are_alike(&known, triple.relation, fact.relation, inverse)};
			if (last->alike)
			{
				is_found[pair[j].place] = true;
				find(&found, triple, fact);
			}
		}
	}
	pfree(known.start);
	pfree(known.distinct);
	pfree(compared);
	pfree(pair);
	pfree(is_found);
	return found;
}

static void
notice_counterparts(const Leakage *leakage)
{
	Found		found = find_counterparts(leakage);

	if (found.count > 0)
		ereport(NOTICE,
				(errmsg(INT64_FORMAT " of " INT64_FORMAT " %s have an inverse or a duplicate among the facts that are learnt: "
						"metrics will be too high", found.count, leakage->held.count, leakage->held.name),
				 errdetail("One is %s, whose counterpart is %s. Nine tenths of the facts of both relations have one.",
						   named(leakage, found.first), named(leakage, found.counterpart)),
				 errhint("Load one of the two relations, or one direction of a symmetric one; or hold both facts out.")));
}

/* ---- triples that are elsewhere, too ----------------------------------------------- */

static void
notice_repeated(const Leakage *leakage)
{
	const HeldTriples *held = &leakage->held;
	const GraphData *learnt = leakage->learnt;
	Found		in_facts = {0};
	Found		in_both = {0};
	int64		fact = 0;
	int64		known = 0;

	for (int64 i = 0; i < held->count; i++)
	{
		Triple		triple = held->triple[i];

		CHECK_FOR_INTERRUPTS();
		while (fact < learnt->facts && triple_compare(&learnt->fact[fact], &triple) < 0)
			fact++;
		while (known < leakage->known_count && triple_compare(&leakage->known[known], &triple) < 0)
			known++;
		if (fact < learnt->facts && triple_compare(&learnt->fact[fact], &triple) == 0)
			find(&in_facts, triple, triple);
		else if (known + 1 < leakage->known_count && triple_compare(&leakage->known[known + 1], &triple) == 0)
			find(&in_both, triple, triple);
	}
	if (in_facts.count > 0)
		ereport(NOTICE,
				(errmsg(INT64_FORMAT " of " INT64_FORMAT " %s are learnt, too: metrics will be too high",
						in_facts.count, held->count, held->name),
				 errdetail("One is %s.", named(leakage, in_facts.first)),
				 errhint("Take them from the facts: delete from %1$striple f using %1$sholdout h "
						 "where (h.head, h.relation, h.tail) = (f.head, f.relation, f.tail)", leakage->graph->prefix)));
	if (in_both.count > 0)
		ereport(NOTICE,
				(errmsg(INT64_FORMAT " of " INT64_FORMAT " %s are in valid and in test: metrics may be too high",
						in_both.count, held->count, held->name),
				 errdetail("One is %s.", named(leakage, in_both.first)),
				 errhint("Take them from valid: delete from %1$sholdout v using %1$sholdout t where v.split = 'valid' and "
						 "t.split = 'test' and (v.head, v.relation, v.tail) = (t.head, t.relation, t.tail)",
						 leakage->graph->prefix)));
}

/* ---- triples about what is not learnt ---------------------------------------------- */

static void
notice_unlearnt(const Leakage *leakage)
{
	const HeldTriples *held = &leakage->held;
	const GraphData *learnt = leakage->learnt;
	bool	   *entity = array_new_zero(bool, learnt->entities);
	bool	   *relation = array_new_zero(bool, learnt->relations);
	Found		found = {0};

	for (int64 i = 0; i < learnt->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		entity[learnt->fact[i].head] = entity[learnt->fact[i].tail] = relation[learnt->fact[i].relation] = true;
	}
	for (int64 i = 0; i < held->count; i++)
	{
		Triple		triple = held->triple[i];

		CHECK_FOR_INTERRUPTS();
		if (!entity[triple.head] || !entity[triple.tail] || !relation[triple.relation])
			find(&found, triple, triple);
	}
	pfree(entity);
	pfree(relation);
	if (found.count > 0)
		ereport(NOTICE,
				(errmsg(INT64_FORMAT " of " INT64_FORMAT " %s have an entity or a relation without a fact to learn from: "
						"metrics will be too low", found.count, held->count, held->name),
				 errdetail("One is %s.", named(leakage, found.first)),
				 errhint("Load facts about them; or hold facts out by hkg_split, which leaves each of them one.")));
}

/* ---- the whole ---------------------------------------------------------------------- */

void
leakage_notice(Graph *graph, const GraphData *learnt, const Triple *known, int64 known_count, HeldTriples held)
{
	Leakage		leakage = {graph, learnt, known, known_count, held};

	hkg_check_memory_or((uint64) held.count * (sizeof(EntityPair) + sizeof(bool)) + (uint64) learnt->entities +
						(uint64) learnt->relations * (2 * sizeof(int64) + 2 * sizeof(Compared)),
						"comparing held-out facts with the others", "hold out fewer of them");
	notice_counterparts(&leakage);
	notice_repeated(&leakage);
	notice_unlearnt(&leakage);
}
