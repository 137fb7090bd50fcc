/*
 * entity_set.c
 *		Entities that a caller names (see entity_set.h).
 */
#include "entity_set.h"

#include "catalog/pg_type.h"

#include "core/search.h"
#include "core/sort.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

/* candidates for which a sketch is worth its making */
#define SKETCHED 4096

typedef struct NameRows
{
	const AddedEntities *added;
	int32	   *row;			/* of the names of one statement */
} NameRows;

static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	NameRows   *reading = argument;

	if (!nulls[1])
		reading->row[DatumGetInt32(values[0]) - 1] = added_entities_row(reading->added, DatumGetInt32(values[1]));
}

int32 *
entity_rows(const Graph *graph, const AddedEntities *added, const GivenNames *names)
{
	int32	   *row = array_new(int32, names->count);
	char	   *query = psprintf("select u.place::int, e.id::int from unnest($1) with ordinality as u (name, place) "
								 "join %s e on e.name = u.name", graph_table_name(graph, "entity"));

	for (int64 i = 0; i < names->count; i++)
		row[i] = -1;
	for (int64 first = 0; first < names->count; first += NAMED_ROWS)
	{
		NameRows	reading = {added, row + first};
		SqlArgs		args = {0};

		sql_arg(&args, TEXTARRAYOID, array_of_text(names->name + first, (int) Min(NAMED_ROWS, names->count - first)));
		sql_stream_often(query, &args, take_row, &reading);
		sql_args_free(&args);
	}
	return row;
}

EntitySet
entity_set(const Graph *graph, const AddedEntities *added, const GivenNames *names)
{
	EntitySet	set = {.given = names->given,.names = names->count};

	if (!set.given)
		return set;
	set.row = entity_rows(graph, added, names);
	sort_array(hkg_leader(), POOL_LEADER, set.row, names->count, sizeof(int32), compare_int32);
	for (int64 i = 0; i < names->count; i++)
		if (set.row[i] >= 0 && (set.count == 0 || set.row[set.count - 1] != set.row[i]))
			set.row[set.count++] = set.row[i];
	return set;
}

bool
entity_set_has(const EntitySet *set, int32 row)
{
	return !set->given || has_int32(set->row, 0, set->count, row);
}

/* ---- as candidates ------------------------------------------------------------- */

KgeChosen *
entity_set_chosen(const EntitySet *set, const KgeModel *model, const KgeAdjustment *adjustment, Pool *pool)
{
	Arena		arena = hkg_within_memory(hkg_arena(), 0, "a search among candidates", "give fewer candidates");

	return kge_chosen(&arena, pool, model, adjustment, set->row, set->count);
}

const KgeSketch *
chosen_sketch(const KgeChosen *chosen, const KgeSketch *sketch, Pool *pool)
{
	Arena		arena;

	if (sketch == NULL || chosen->count < SKETCHED)
		return NULL;
	arena = hkg_within_memory(hkg_arena(), 0, "a search among candidates", "give fewer candidates");
	return kge_sketch(&arena, pool, &chosen->model);
}
