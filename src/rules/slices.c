/*
 * slices.c
 *		Mining by slices (graph/node_slices.h): what a node of a cluster does, and what the coordinator makes of it.
 *
 * First each slice of the heads is searched for rules over the bounds: supports are those of all facts, and no two
 * slices find the same rule.  Then each slice of the pairs of all bodies is counted: the counts of slices add up.
 */
#include "mining.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/sort.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

#define SIZES 2					/* numbers for each rule that is counted: pairs, and those of them that PCA counts */

/* ---- facts ------------------------------------------------------------------------- */

/* The facts that are left out, as ids: head, relation, tail, one after the other */
static Datum
left_out_array(const GraphData *data)
{
	int32	   *id = array_new(int32, data->left_out_count * 3);

	for (int64 i = 0; i < data->left_out_count; i++)
	{
		id[3 * i] = data->entity_id[data->left_out[i].head];
		id[3 * i + 1] = data->relation_id[data->left_out[i].relation];
		id[3 * i + 2] = data->entity_id[data->left_out[i].tail];
	}
	return array_of_int4(id, (int) (3 * data->left_out_count));
}

static void
leave_out(GraphData *data, const int32 *id, int count)
{
	Triple	   *left_out = array_new(Triple, count / 3);
	int64		kept = 0;
	int64		next = 0;

	for (int i = 0; i < count / 3; i++)
		left_out[i] = (Triple) {
			graph_row(data->entity_id, data->entities, id[3 * i]),
			graph_row(data->relation_id, data->relations, id[3 * i + 1]),
			graph_row(data->entity_id, data->entities, id[3 * i + 2])
		};
	sort_array(hkg_leader(), POOL_LEADER, left_out, count / 3, sizeof(Triple), triple_compare);
	for (int64 i = 0; i < data->facts; i++)
	{
		hkg_check_interrupts();
		while (next < count / 3 && triple_compare(&left_out[next], &data->fact[i]) < 0)
			next++;
		if (next == count / 3 || triple_compare(&left_out[next], &data->fact[i]) != 0)
			data->fact[kept++] = data->fact[i];
	}
	data->facts = kept;
}

/* ---- rules as numbers ------------------------------------------------------------- */

/* Takes the rule that begins at place `next`, which moves on, and the row of its head; NULL, or what is wrong with it. */
static const char *
take_rule(const Mining *mining, const int32 *number, int64 count, int64 *next, Rule *rule, int32 *head)
{
	const char *fault = rule_take(number, count, next, rule);

	if (fault != NULL)
		return fault;
	*head = graph_row(mining->data->relation_id, mining->data->relations, rule->head);
	return *head < 0 ? psprintf("The graph has no relation %d.", rule->head) : NULL;
}

/* ---- what a node does --------------------------------------------------------------- */

static const int32 *
argument_numbers(FunctionCallInfo fcinfo, int i, const char *name, int *count)
{
	ArrayType  *array = DatumGetArrayTypeP(argument(fcinfo, i, name));

	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not contain null", name)));
	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return (const int32 *) ARR_DATA_PTR(array);
}

static GraphData *
read_facts(FunctionCallInfo fcinfo, Graph *graph)
{
	GraphData  *data = graph_read(graph);
	int			count;
	const int32 *left_out = argument_numbers(fcinfo, 1, "left_out", &count);

	if (count % 3 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("left_out has %d numbers, but needs three for each fact", count)));
	leave_out(data, left_out, count);
	return data;
}

/* The rules that were found, each with its support after it */
static Datum
found_rules(MemoryContext caller, int64 checksum, const Mining *mining)
{
	Numbers		found = {0};
	int64	   *value;

	for (int64 i = 0; i < mining->count; i++)
	{
		hkg_check_interrupts();
		rule_append(&found, &mining->candidate[i].rule);
		numbers_append(&found, mining->candidate[i].support);
	}
	value = array_new(int64, found.count);
	for (int64 i = 0; i < found.count; i++)
		value[i] = found.value[i];
	return node_answer(caller, checksum, value, found.count, FEWER_RULES);
}

HKG_FUNCTION(hkg_search_slice);
Datum
hkg_search_slice(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	MineOptions options = {
		.max_rule_length = argument_int(fcinfo, 2, "max_rule_length", 2, RULE_MOST_SEARCHED),
		.min_head_coverage = argument_float(fcinfo, 3, "min_head_coverage", 0, 1),
		.min_support = argument_int(fcinfo, 4, "min_support", 1, INT_MAX),
		.constants = DatumGetBool(argument(fcinfo, 5, "constants"))
	};
	NodeSlice	heads = node_slice_argument(fcinfo, 6, INT_MAX);
	MemoryContext caller = sql_begin();
	Mining		mining = {
		.graph = graph_open_facts(name),.options = &options,.slice = ALL_PAIRS,.heads = heads
	};
	Datum		array;

	node_slice_begin();
	mining.data = read_facts(fcinfo, mining.graph);
	(void) mining_begin(&mining);
	mining_index(&mining, true);
	search_rules(&mining);
	array = found_rules(caller, (int64) checksum_of_facts(mining.data), &mining);
	sql_end();
	PG_RETURN_DATUM(array);
}

static void
take_rules(Mining *mining, const int32 *number, int count)
{
	for (int64 next = 0; next < count;)
	{
		Rule		rule = {0};
		int32		head;
		const char *fault = take_rule(mining, number, count, &next, &rule, &head);

		if (fault != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("rules are not as _hkg_search_slice returns them"),
					 errdetail_internal("%s", fault),
					 errhint("Leave out the checksum, which comes first, and the support after each rule.")));
		mining_add(mining, head, &rule, 0);
	}
}

HKG_FUNCTION(hkg_count_slice);
Datum
hkg_count_slice(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	NodeSlice	slice = node_slice_argument(fcinfo, 3, INT_MAX);
	int			count;
	const int32 *number = argument_numbers(fcinfo, 2, "rules", &count);
	MemoryContext caller = sql_begin();
	Mining		mining = {.graph = graph_open_facts(name),.slice = slice};
	int64	   *size;
	Datum		array;

	node_slice_begin();
	mining.data = read_facts(fcinfo, mining.graph);
	(void) mining_begin(&mining);
	mining_index(&mining, false);
	take_rules(&mining, number, count);
	mine_bodies(&mining);
	size = array_new(int64, SIZES * mining.count);
	for (int64 i = 0; i < mining.count; i++)
	{
		size[SIZES * i] = mining.candidate[i].body_size;
		size[SIZES * i + 1] = mining.candidate[i].pca_body_size;
	}
	array = node_answer(caller, (int64) checksum_of_facts(mining.data), size, SIZES * mining.count, FEWER_RULES);
	sql_end();
	PG_RETURN_DATUM(array);
}

/* ---- what the coordinator does --------------------------------------------------------- */

static void
take_found(void *argument, NodeSlice slice, const int64 *value, int64 count)
{
	Mining	   *mining = argument;
	int32	   *number = array_new(int32, count);

	for (int64 i = 0; i < count; i++)
		number[i] = (int32) value[i];
	for (int64 next = 0; next < count; next++)
	{
		Rule		rule = {0};
		int32		head;
		const char *fault = take_rule(mining, number, count, &next, &rule, &head);

		if (fault != NULL || next == count)
			node_answer_refused("_hkg_search_slice", fault != NULL ? fault : "The support of a rule is missing.");
		mining_add(mining, head, &rule, number[next]);
	}
	pfree(number);
}

static void
take_sizes(void *argument, NodeSlice slice, const int64 *value, int64 count)
{
	Mining	   *mining = argument;

	node_answer_check("_hkg_count_slice", count, SIZES * mining->count);
	for (int64 i = 0; i < mining->count; i++)
	{
		mining->candidate[i].body_size += value[SIZES * i];
		mining->candidate[i].pca_body_size += value[SIZES * i + 1];
	}
}

static bool
search_slices(Mining *mining, int64 checksum)
{
	SqlArgs		args = {0};
	NodeSlices	slices = {
		mining->graph, "_hkg_search_slice", "$1, $2, $3::float8, $4, $5", &args, checksum, take_found, mining
	};

	sql_arg(&args, INT4ARRAYOID, left_out_array(mining->data));
	sql_arg(&args, INT4OID, Int32GetDatum(mining->options->max_rule_length));
	sql_arg_digits(&args, mining->options->min_head_coverage);
	sql_arg(&args, INT4OID, Int32GetDatum(mining->options->min_support));
	sql_arg(&args, BOOLOID, BoolGetDatum(mining->options->constants));
	return node_slices_run(&slices);
}

static bool
count_slices(Mining *mining, int64 checksum)
{
	SqlArgs		args = {0};
	NodeSlices	slices = {mining->graph, "_hkg_count_slice", "$1, $2", &args, checksum, take_sizes, mining};
	Numbers		numbers = {0};

	for (int64 i = 0; i < mining->count; i++)
		rule_append(&numbers, &mining->candidate[i].rule);
	hkg_check_memory_or(2 * numbers.count * sizeof(int32), "sending the rules to the nodes", FEWER_RULES);
	sql_arg(&args, INT4ARRAYOID, left_out_array(mining->data));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(numbers.value, (int) numbers.count));
	return node_slices_run(&slices);
}

static void
report_servers(const Mining *mining, int count)
{
	if (mining->options->servers != NULL)
		mining->options->servers(mining->options->argument, count);
}

bool
mine_slices(Mining *mining)
{
	int64		checksum;

	if (!node_slices_exist(mining->graph))
		return false;
	report_servers(mining, node_slices_count(mining->graph));
	checksum = (int64) checksum_of_facts(mining->data);
	if (search_slices(mining, checksum))
	{
		mining_report(mining, SEARCH_WORK);
		if (mining->count == 0 || count_slices(mining, checksum))
		{
			mining_report(mining, 1 - SEARCH_WORK);
			return true;
		}
	}
	mining->count = 0;
	report_servers(mining, 1);
	node_slices_failed(mining->graph, psprintf("graph \"%s\" is mined", mining->graph->name));
	return false;
}
