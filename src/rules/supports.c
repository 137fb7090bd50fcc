/*
 * supports.c
 *		The supports of rules of two and three atoms without constants.
 *
 * Their bodies are a(X,Y); a(X,Y), b(X,Y); and paths a(X,A), b(A,Y), with a and b
 * directed atoms.  One statement counts all rules of a shape.  The server joins; what
 * no GROUP BY can do in reasonable memory is done here, on the stream of joined rows:
 * each fact head(x, y) comes with the neighbourhoods of x and of y, sorted lists of
 * (entity, atom), and where they meet, a path runs from x to y (two_atom_paths.c).
 */
#include "mining.h"

#include "miscadmin.h"
#include "utils/array.h"

#include "two_atom_paths.h"
#include "server/planner.h"
#include "server/sql.h"

typedef struct SupportSearch
{
	Mining	   *mining;
	Shape	shape;
	Paths	   *paths;
} SupportSearch;

/* A row: head, the atoms, support */
static void
take_support(void *argument, const Datum *values, const bool *nulls)
{
	SupportSearch *search = argument;
	int			length = search->shape.length;
	ShapeLabels		labels = {0};

	for (int i = 0; i < length; i++)
		labels.atom[i] = DatumGetInt32(values[1 + i]);
	mining_add(search->mining, DatumGetInt32(values[0]), &search->shape, &labels,
			   DatumGetInt64(values[1 + length]));
}

static void
count_singles(Mining *mining)
{
	SupportSearch search = {.mining = mining};

	shape_parse("XY", &search.shape);
	sql_stream(psprintf("select fact.relation::int, a.atom, count(*)\n"
						"from %s fact\n"
						"join %s a on a.x = fact.head and a.y = fact.tail and a.atom <> 2 * fact.relation\n"
						"group by fact.relation, a.atom",
						mining->graph->facts, edges_sql(mining->graph)),
			   SQL_NO_ARGS, take_support, &search);
}

static void
count_parallels(Mining *mining)
{
	SupportSearch search = {.mining = mining};
	char	   *edges = edges_sql(mining->graph);

	shape_parse("XY XY", &search.shape);
	sql_stream(psprintf("select fact.relation::int, a.atom, b.atom, count(*)\n"
						"from %s fact\n"
						"join %s a on a.x = fact.head and a.y = fact.tail and a.atom <> 2 * fact.relation\n"
						"join %s b on b.x = fact.head and b.y = fact.tail and b.atom <> 2 * fact.relation and b.atom > a.atom\n"
						"group by fact.relation, a.atom, b.atom",
						mining->graph->facts, edges, edges),
			   SQL_NO_ARGS, take_support, &search);
}

/* ---- paths ------------------------------------------------------------------------ */

static void
free_array(ArrayType *array, Datum value)
{
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
}

static void
take_neighbourhoods(void *argument, const Datum *values, const bool *nulls)
{
	SupportSearch *search = argument;
	ArrayType  *x = DatumGetArrayTypeP(values[1]);
	ArrayType  *y = DatumGetArrayTypeP(values[2]);

	CHECK_FOR_INTERRUPTS();
	paths_add_fact(search->paths, DatumGetInt32(values[0]),
				   (const Neighbour *) ARR_DATA_PTR(x), ARR_DIMS(x)[0],
				   (const Neighbour *) ARR_DATA_PTR(y), ARR_DIMS(y)[0]);
	free_array(x, values[1]);
	free_array(y, values[2]);
}

static void
take_path_support(void *argument, int32 head, int32 first, int32 second, int64 facts)
{
	SupportSearch *search = argument;
	ShapeLabels		labels = {.atom = {first, second}};

	mining_add(search->mining, head, &search->shape, &labels, facts);
}

/* Memory of one table of neighbourhoods: a hash table's tuple, and an int8 with room to spare */
#define NEIGHBOURHOOD_BYTES 256
#define NEIGHBOUR_BYTES 10

static void
count_paths(Mining *mining)
{
	SupportSearch search = {.mining = mining,.paths = paths_create()};
	int			nest_level = plan_begin();
	int64		bytes = NEIGHBOURHOOD_BYTES * (int64) mining->entities +
		NEIGHBOUR_BYTES * mining->edges;

	shape_parse("XA AY", &search.shape);
	mine_check_memory(3 * bytes);
	plan_by_reference(bytes);
	sql_stream(psprintf("with neighbourhood as materialized (\n"
						"select x as entity, array_agg(y::bigint << 32 | atom order by y::bigint << 32 | atom) as neighbours\n"
						"from %s edge group by x)\n"
						"select fact.relation::int, a.neighbours, b.neighbours\n"
						"from %s fact\n"
						"join neighbourhood a on a.entity = fact.head\n"
						"join neighbourhood b on b.entity = fact.tail",
						edges_sql(mining->graph), mining->graph->facts),
			   SQL_NO_ARGS, take_neighbourhoods, &search);
	plan_end(nest_level);
	paths_each(search.paths, take_path_support, &search);
}

void
mine_supports(Mining *mining)
{
	int			nest_level = plan_begin();

	count_singles(mining);
	if (mining->options->max_rule_length > 2)
	{
		count_parallels(mining);
		count_paths(mining);
	}
	plan_end(nest_level);
}
