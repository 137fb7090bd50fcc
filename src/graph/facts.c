/*
 * facts.c
 *		The facts of a graph as arrays (see graph.h).
 *
 * They are stored here in the order (relation, head, tail), so a question about a relation is a binary search.  The
 * server returns them in the order of the table, which loads leave in this order, piece by piece: three times as fast
 * as by an index.  What is not in order yet is sorted here.
 */
#include "graph.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/search.h"
#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"
#include "server/visibility.h"

/* of one relation, between two checks for interrupts */
#define CHECKED_FACTS 4096

/* Before a list grows: old and new are there at the same time. */
static void
check_memory(int64 count, int64 room, Size size)
{
	if (count == room)
		hkg_check_memory_or(3 * room * size, "reading the facts", "keep fewer of them in the graph");
}

static void
add_id(void *argument, const Datum *values, const bool *nulls)
{
	Numbers    *ids = argument;

	check_memory(ids->count, ids->room, sizeof(int32));
	numbers_append(ids, DatumGetInt32(values[0]));
}

static int32 *
read_ids(Graph *graph, const char *table, int32 *count)
{
	Numbers		ids = {0};

	numbers_reserve(&ids, 1);
	sql_stream(psprintf("select id::int from %s order by id", graph_table_name(graph, table)),
			   SQL_NO_ARGS, add_id, &ids);
	*count = (int32) ids.count;
	return ids.value;
}

int32
graph_row(const int32 *ids, int32 count, int32 id)
{
	int64		row = count == 0 ? -1 : (int64) id - ids[0];

	/* ids without gaps, the usual case */
	if (row >= 0 && row < count && ids[row] == id)
		return (int32) row;
	row = lower_bound_int32(ids, 0, count, id);
	return row < count && ids[row] == id ? (int32) row : -1;
}

typedef struct FactList
{
	const Graph *graph;
	const GraphData *data;
	Triple	   *triple;
	int64		count;
	int64		room;
} FactList;

/* Foreign keys forbid it, but a policy may hide a name, or a superuser may have switched the keys off. */
static void
raise_nameless(const Graph *graph, const Datum *values)
{
	const char *triple = psprintf("(%d, %d, %d)", DatumGetInt32(values[0]), DatumGetInt32(values[1]),
								  DatumGetInt32(values[2]));

	if (visibility_of_all_rows(get_relname_relid("entity", graph->schema)) &&
		visibility_of_all_rows(get_relname_relid("relation", graph->schema)))
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("triple %s has an entity or a relation that is not in its table", triple),
				 errhint("Delete it, or insert what it names.")));
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("triple %s cannot be read by role \"%s\"", triple, GetUserNameFromId(GetUserId(), false)),
			 errdetail("Row security shows it the triple, but not its names, in %sentity or %srelation.", graph->prefix,
					   graph->prefix),
			 errhint("Let policies of %striple and %sholdout hide facts whose names are hidden.", graph->prefix,
					 graph->prefix)));
}

static void
add_triple(void *argument, const Datum *values, const bool *nulls)
{
	FactList   *list = argument;
	const GraphData *data = list->data;
	Triple	   *triple;

	check_memory(list->count, list->room, sizeof(Triple));
	list->triple = array_reserve(list->triple, list->count + 1, &list->room, sizeof(Triple));
	triple = &list->triple[list->count++];
	triple->head = graph_row(data->entity_id, data->entities, DatumGetInt32(values[0]));
	triple->relation = graph_row(data->relation_id, data->relations, DatumGetInt32(values[1]));
	triple->tail = graph_row(data->entity_id, data->entities, DatumGetInt32(values[2]));
	if (triple->head < 0 || triple->relation < 0 || triple->tail < 0)
		raise_nameless(list->graph, values);
}

/* The rows of a query for ids of head, relation and tail, as triples in rows, ordered by (relation, head, tail). */
static Triple *
read_triples(const Graph *graph, const GraphData *data, const char *query, const SqlArgs *args, int64 *count)
{
	FactList	list = {.graph = graph, .data = data};
	bool		ordered = true;

	list.triple = array_reserve(NULL, 1, &list.room, sizeof(Triple));
	sql_stream(query, args, add_triple, &list);
	for (int64 i = 1; i < list.count && ordered; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ordered = triple_compare(&list.triple[i - 1], &list.triple[i]) <= 0;
	}
	if (!ordered)
		sort_array(hkg_leader(), POOL_LEADER, list.triple, list.count, sizeof(Triple), triple_compare);
	*count = list.count;
	return list.triple;
}

GraphData *
graph_read(Graph *graph)
{
	GraphData  *data = palloc0(sizeof(GraphData));

	data->entity_id = read_ids(graph, "entity", &data->entities);
	data->relation_id = read_ids(graph, "relation", &data->relations);
	data->fact = read_triples(graph, data,
							  psprintf("select head::int, relation::int, tail::int from %s",
									   graph_table_name(graph, "triple")),
							  SQL_NO_ARGS, &data->facts);
	return data;
}

Degrees
graph_degrees(const GraphData *data)
{
	int32	   *count = MemoryContextAllocExtended(CurrentMemoryContext, Max(data->entities, 1) * sizeof(int32),
												  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	Degrees		degrees = {0};
	int64		room = 0;

	for (int64 i = 0; i < data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		count[data->fact[i].head]++;
		count[data->fact[i].tail]++;
	}
	sort_array(hkg_leader(), POOL_LEADER, count, data->entities, sizeof(int32), compare_int32);
	for (int32 i = 0; i < data->entities; i++)
	{
		if (degrees.count == 0 || degrees.degree[degrees.count - 1].facts != count[i])
		{
			degrees.degree = array_reserve(degrees.degree, degrees.count + 1, &room, sizeof(Degree));
			degrees.degree[degrees.count++] = (Degree) {count[i], 0};
		}
		degrees.degree[degrees.count - 1].entities++;
	}
	pfree(count);
	return degrees;
}

void
graph_check_relation_ids(const Graph *graph, const GraphData *data)
{
	int32		lowest = data->facts == 0 ? 0 : data->relation_id[data->fact[0].relation];

	if (lowest < 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("relation id %d is out of range for rules, expected 0 or more", lowest),
				 errhint("Ids of relations must not be negative; update table %srelation.", graph->prefix)));
}

Triple *
graph_read_split(Graph *graph, const GraphData *data, const char *split, int64 *count)
{
	SqlArgs		args = {0};

	if (split == NULL)
		sql_arg_null(&args, TEXTOID);
	else
		sql_arg(&args, TEXTOID, CStringGetTextDatum(split));
	return read_triples(graph, data,
						psprintf("select head::int, relation::int, tail::int from %s "
								 "where split = $1 or $1 is null",
								 graph_table_name(graph, "holdout")),
						&args, count);
}

Triple *
graph_read_known(Graph *graph, const GraphData *data, int64 *count)
{
	int64		held;
	Triple	   *holdout = graph_read_split(graph, data, NULL, &held);
	Triple	   *known;
	int64		fact = 0;
	int64		other = 0;

	hkg_check_memory_or((data->facts + held) * sizeof(Triple), "reading the facts", "keep fewer of them in the graph");
	known = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Triple) * Max(data->facts + held, 1));
	for (*count = 0; *count < data->facts + held; (*count)++)
	{
		CHECK_FOR_INTERRUPTS();
		known[*count] = other == held ||
			(fact < data->facts && triple_compare(&data->fact[fact], &holdout[other]) <= 0) ?
			data->fact[fact++] : holdout[other++];
	}
	pfree(holdout);
	return known;
}

Triple *
graph_read_rejected(Graph *graph, const GraphData *data, const Triple *known, int64 known_count, int64 *count)
{
	int64		all;
	Triple	   *rejected = read_triples(graph, data,
										psprintf("select head::int, relation::int, tail::int from %s",
												 graph_table_name(graph, "rejected")),
										SQL_NO_ARGS, &all);

	*count = 0;
	for (int64 i = 0; i < all; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (bsearch(&rejected[i], known, known_count, sizeof(Triple), triple_compare) == NULL)
			rejected[(*count)++] = rejected[i];
	}
	return rejected;
}

bool
graph_is_reflexive(Graph *graph, int32 relation_id)
{
	SqlArgs		args = {0};
	Datum		found;

	sql_arg(&args, INT4OID, Int32GetDatum(relation_id));
	return sql_value(psprintf("select true from %s where relation = $1 and head = tail limit 1",
							  graph_table_name(graph, "triple")),
					 &args, &found);
}

char *
graph_split_hint(const Graph *graph, const char *split)
{
	const char *name = quote_literal_cstr(graph->name);

	return psprintf("Before a training, hkg_split(%s) holds facts out at random, "
					"hkg_load(%s, query, '%s') loads the split.", name, name, split);
}

int64 *
facts_by_relation(const Triple *fact, int64 facts, int32 relations)
{
	int64	   *start = palloc_extended(((Size) relations + 1) * sizeof(int64), MCXT_ALLOC_HUGE);
	int64		next = 0;

	for (int32 relation = 0; relation < relations; relation++)
	{
		CHECK_FOR_INTERRUPTS();
		start[relation] = next;
		while (next < facts && fact[next].relation == relation)
			if (++next % CHECKED_FACTS == 0)
				CHECK_FOR_INTERRUPTS();
	}
	start[relations] = next;
	return start;
}

int64
triples_in_common(const Triple *a, int64 a_count, const Triple *b, int64 b_count)
{
	int64		common = 0;
	int64		i = 0;
	int64		j = 0;

	while (i < a_count && j < b_count)
	{
		int			order = triple_compare(&a[i], &b[j]);

		CHECK_FOR_INTERRUPTS();
		common += order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	return common;
}
