/*
 * load.c
 *		hkg_load: the rows of any query become facts.
 *
 * What is held out stays so: facts of valid or test that came into train once more would be learnt, and metrics would
 * be too high without a word.  Loads of one graph wait for each other; who may not load waits for nothing, and has no
 * query run.
 */
#include "server/compat.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "fact_query.h"
#include "fact_table.h"
#include "graph.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/sql.h"

/* Guesses until they are measured, for each row: writing it, with its names, and its index entries */
#define WRITING_SECONDS 4e-6
#define INDEXING_SECONDS 4e-6

/* up to so many facts, the table of held-out facts is asked for their heads, instead of read */
#define FEW_FACTS 1000

#define COLUMNS 5

typedef struct Load
{
	FactQuery	query;
	const char *split;
	int64		added;
	int64		held_out;
} Load;

/* Whether some facts of the load may have to be left out. */
static bool
looks_at_held_out(const Load *load)
{
	return is_train(load->split) && !fact_table_is_unused(load->query.graph, NULL);
}

/* Before the load waits for others, and others for it.  Names that are new need more, which their statement checks. */
static void
require_rights(const Load *load)
{
	TableRights needed[] = {
		{"entity", ACL_SELECT}, {"relation", ACL_SELECT}, {fact_table_name(load->split), ACL_INSERT},
		{"holdout", ACL_SELECT}
	};

	graph_require_rights(load->query.graph, needed, looks_at_held_out(load) ? 4 : 3);
}

static FactSet
read_held_out(const FactQuery *query)
{
	Numbers		heads = {0};

	if (query->facts > FEW_FACTS)
		return fact_table_read(query->graph, NULL, NULL);
	for (int64 i = 0; i < query->facts; i++)
		numbers_append(&heads, query->row[i].triple.head);
	return fact_table_read(query->graph, NULL, &heads);
}

/* Leaves the facts that are not held out. */
static void
leave_out_held_out(Load *load)
{
	FactQuery  *query = &load->query;
	FactSet		held;
	int64		left = 0;
	int64		next = 0;

	if (query->facts == 0)
		return;
	held = read_held_out(query);
	for (int64 i = 0; i < query->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		while (next < held.count && triple_compare(&held.triple[next], &query->row[i]) < 0)
			next++;
		if (next == held.count || triple_compare(&held.triple[next], &query->row[i]) != 0)
			query->row[left++] = query->row[i];
	}
	load->held_out = query->facts - left;
	query->facts = left;
}

static void
write_rows(Load *load)
{
	FactQuery  *query = &load->query;
	int			nest_level = sql_pin();
	double		rows = (double) query->rows;
	PhaseWork	work[PROGRESS_PHASES] = {
		[PHASE_WRITING] = {rows, WRITING_SECONDS},[PHASE_INDEXING] = {rows, INDEXING_SECONDS}
	};
	NewFacts	facts;

	progress_plan(query->progress, work);
	progress_phase(query->progress, PHASE_WRITING, rows);
	fact_query_settle(query);
	if (looks_at_held_out(load))
		leave_out_held_out(load);
	facts = fact_query_facts(query, load->split);
	load->added = fact_table_add(&facts);
	fact_table_analyze(query->graph, load->added);
	sql_unpin(nest_level);
}

/* hkg_load does not pin search_path: the user's query runs with the caller's. */
HKG_FUNCTION(hkg_load);
Datum
hkg_load(PG_FUNCTION_ARGS)
{
	static const char *const splits[] = {"train", "valid", "test", NULL};
	static const FactQueryWords words = {"loading", "load the rows in parts", "Nothing was loaded."};
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *query = argument_text(fcinfo, 1, "query");
	Load		load = {.split = argument_text(fcinfo, 2, "split")};
	int64		values[COLUMNS];

	argument_choice(load.split, "split", splits);
	sql_begin();
	load.query = fact_query_begin(graph_open_pinned(name), words);
	load.query.progress = progress_begin_load(load.query.graph->schema);
	require_rights(&load);
	graph_lock_for_load(load.query.graph, "hkg_load()");
	fact_query_run(&load.query, query);
	graph_lock_facts(load.query.graph, false);
	write_rows(&load);
	graph_check_name(load.query.graph);
	sql_end();
	values[0] = load.added;
	values[1] = load.query.rows - load.added - load.held_out;
	values[2] = load.query.entities_added;
	values[3] = load.query.relations_added;
	values[4] = load.held_out;
	return sql_counts(fcinfo, values);
}
