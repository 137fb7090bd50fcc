/*
 * false_triples.c
 *		False triples, which thresholds are learnt from beside true ones.
 *
 * Where none are given they are drawn: a true triple gets the head or the tail of another fact of its relation, until
 * the result is not in the filter.  Entities drawn from all would mostly be of the wrong type, and the
 * threshold too low for the false triples that users ask about.
 */
#include "thresholds.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/random.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"
#include "server/value_text.h"

/* draws for one triple, before it is left out */
#define TRIES 100

/* ---- drawn --------------------------------------------------------------------- */

typedef struct Corruption
{
	const GraphData *data;
	const int64 *start;			/* by relation: its first fact; and the end */
	const Triple *known;		/* ascending */
	int64		known_count;
	uint64		seed;
} Corruption;

/* Replaces the head or the tail of triple number i; false when no false triple was found. */
static bool
corrupt(const Corruption *corruption, int64 i, Triple *triple)
{
	int64		first = corruption->start[triple->relation];
	int64		count = corruption->start[triple->relation + 1] - first;
	uint64		stream = random_stream(corruption->seed, DRAW_FALSE, (uint64) i, 0);
	Triple		whole = *triple;

	if (count == 0)
		return false;
	for (int try = 0; try < TRIES; try++)
	{
		uint64		bits = random_bits(stream, (uint64) try);
		const Triple *other = &corruption->data->fact[first + random_below(bits, (uint64) count)];

		*triple = whole;
		if (i % 2 == 0)
			triple->head = other->head;
		else
			triple->tail = other->tail;
		if (bsearch(triple, corruption->known, corruption->known_count, sizeof(Triple), triple_compare) == NULL)
			return true;
	}
	return false;
}

Triple *
false_triples_draw(const GraphData *data, const Triple *known, int64 known_count,
				   const Triple *triples, int64 count, uint64 seed, int64 *corrupted)
{
	int64	   *start = facts_by_relation(data->fact, data->facts, data->relations);
	Corruption	corruption = {data, start, known, known_count, seed};
	Triple	   *made = array_new(Triple, count);

	*corrupted = 0;
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		made[*corrupted] = triples[i];
		if (corrupt(&corruption, i, &made[*corrupted]))
			(*corrupted)++;
	}
	pfree(start);
	return made;
}

static const char *const columns[] = {"head", "relation", "tail"};

/* ---- given --------------------------------------------------------------------- */

typedef struct NegativeReading
{
	const GraphData *data;
	const char *table;
	Size		bytes;			/* that learning takes for each triple */
	Triple	   *triple;
	int64		count;
	int64		room;
} NegativeReading;

/* With its head, relation and tail */
static void
refuse_negative(const char *table, const Datum *values, const bool *nulls)
{
	const char *name[3];

	for (int i = 0; i < 3; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"%s\" of %s has a null", columns[i], table),
					 errhint("False triples are names in the columns head, relation and tail.")));
		name[i] = argument_shown(TextDatumGetCString(values[i]));
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("%s holds %s(%s, %s), whose names are not all in the graph", table, name[1], name[0], name[2]),
			 errhint("Leave out triples with unknown entities or relations.")));
}

static void
take_negative(void *argument, const Datum *values, const bool *nulls)
{
	NegativeReading *list = argument;
	const GraphData *data = list->data;

	if (nulls[0] || nulls[1] || nulls[2])
		refuse_negative(list->table, values + 3, nulls + 3);
	/* the array, the one of twice its size that it grows to, and what is learnt from the triples of that */
	if (list->count == list->room)
		hkg_check_memory_or(list->room * (3 * sizeof(Triple) + 2 * list->bytes),
							"the list of false triples", "give fewer of them");
	list->triple = array_reserve(list->triple, list->count + 1, &list->room, sizeof(Triple));
	list->triple[list->count++] = (Triple) {
		graph_row(data->entity_id, data->entities, DatumGetInt32(values[0])),
		graph_row(data->relation_id, data->relations, DatumGetInt32(values[1])),
		graph_row(data->entity_id, data->entities, DatumGetInt32(values[2]))
	};
}

/* The table as a statement names it; any number can be a regclass. */
static const char *
table_name(Oid table)
{
	const char *name = get_rel_name(table);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", table)));
	name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name);
	for (int i = 0; i < (int) lengthof(columns); i++)
		if (get_attnum(table, columns[i]) == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("%s has no column \"%s\"", name, columns[i]),
					 errhint("False triples are names in the columns head, relation and tail.")));
	return name;
}

Triple *
false_triples_read(const Graph *graph, const GraphData *data, Oid table, Size bytes, int64 *count)
{
	NegativeReading list = {.data = data,.table = table_name(table),.bytes = bytes};
	int			nest_level = value_text_settings();

	sql_stream(psprintf("select h.id::int, r.id::int, t.id::int, n.head::text, n.relation::text, n.tail::text from %2$s n "
						"left join %1$sentity h on h.name = n.head::text collate \"C\" "
						"left join %1$srelation r on r.name = n.relation::text collate \"C\" "
						"left join %1$sentity t on t.name = n.tail::text collate \"C\"",
						graph->prefix, list.table),
			   SQL_NO_ARGS, take_negative, &list);
	sql_unpin(nest_level);
	*count = list.count;
	return list.triple;
}
