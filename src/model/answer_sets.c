/*
 * answer_sets.c
 *		The types of a graph's relations, as sets of the entities that may answer (see answer_sets.h).
 *
 * They are columns of table relation.  A set is numbered for each list of types, whatever their order, and for each side
 * with an empty list.
 */
#include "answer_sets.h"

#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

typedef struct SidesReading
{
	const int32 *relation_id;
	int32		relations;
	TypedSide  *side;
	int64		count;
	int64		room;
	int32		sets;
} SidesReading;

static void
take_side(void *argument, const Datum *values, const bool *nulls)
{
	SidesReading *reading = argument;
	TypedSide	side = {
		.set = DatumGetInt32(values[0]) - 1,
		.relation = graph_row(reading->relation_id, reading->relations, DatumGetInt32(values[1])),
		.side = DatumGetBool(values[2]) ? SIDE_TAIL : SIDE_HEAD,
		.is_part = DatumGetBool(values[3])
	};

	reading->sets = Max(reading->sets, side.set + 1);
	if (side.relation < 0)
		return;					/* it came after the training */
	reading->side = array_reserve(reading->side, reading->count + 1, &reading->room, sizeof(TypedSide));
	reading->side[reading->count++] = side;
}

bool
answer_sets_exist(const Graph *graph)
{
	Datum		found;

	return sql_value(psprintf("select true from %s where head_types is not null or tail_types is not null limit 1",
							  graph_table_name(graph, "relation")), SQL_NO_ARGS, &found);
}

const AnswerSet *
answer_sets_read(const Graph *graph, const int32 *relation_id, const FactIndex *facts)
{
	SidesReading reading = {.relation_id = relation_id,.relations = facts->relations};
	Arena		arena;

	if (!answer_sets_exist(graph))
		return NULL;
	sql_stream(psprintf("with side (id, is_tail, types) as (select id, false, head_types from %1$s "
						"union all select id, true, tail_types from %1$s), "
						"typed as materialized (select id::int, is_tail, types, dense_rank() over (order by "
						"array(select distinct t from unnest(types) t order by 1), "
						"case when types = '{}' then id end, types = '{}' and is_tail)::int as number "
						"from side where types is not null) "
						"select number, id, is_tail, false from typed union all "
						"select distinct a.number, b.id, b.is_tail, true from typed a join typed b "
						"on a.number = b.number or (b.types <> '{}' and b.types <@ a.types)",
						graph_table_name(graph, "relation")), SQL_NO_ARGS, take_side, &reading);
	arena = hkg_within_memory(hkg_arena(), 0, "the types of answers", "let relations have fewer types");
	return fact_answer_sets(&arena, hkg_leader(), facts, reading.side, reading.count, reading.sets);
}
