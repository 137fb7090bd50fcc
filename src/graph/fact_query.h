/*
 * fact_query.h
 *		The rows of a user's query, as facts by ids.
 *
 *		FactQuery	query = fact_query_begin(graph, words);
 *		query.progress = ...;
 *		fact_query_run(&query, text);		with the caller's search_path
 *		fact_query_settle(&query);			writes names; from here on, query.row has ids
 */
#ifndef HKG_GRAPH_FACT_QUERY_H
#define HKG_GRAPH_FACT_QUERY_H

#include "server/compat.h"

#include "fact_writer.h"
#include "graph.h"
#include "name_list.h"
#include "odd_names.h"
#include "server/progress.h"
#include "server/value_text.h"

/* For errors */
typedef struct FactQueryWords
{
	const char *purpose;		/* what needs too much memory, as in "loading" */
	const char *way_out;		/* as hkg_check_memory_or has it */
	const char *unharmed;		/* after a bad row: "Nothing was loaded." */
} FactQueryWords;

typedef struct FactQuery
{
	Graph	   *graph;
	FactQueryWords words;
	Progress   *progress;		/* the caller's */
	MemoryContext context;		/* of all that is kept of the rows */
	MemoryContext texts;		/* of one row */
	ValueText	names[3];		/* of the query's columns */
	NameList	entities;
	NameList	relations;
	OddNames	odd;
	FactRow    *row;			/* positions in the name lists, then ids */
	int64		rows;
	int64		room;

	/* set by fact_query_settle */
	int64		facts;			/* of `row`: ordered by triple_compare, each once */
	int64		entities_added;
	int64		relations_added;
} FactQuery;

/* Its contexts are in the current one. */
extern FactQuery fact_query_begin(Graph *graph, FactQueryWords words);

/*
 * Runs the query on the active snapshot and keeps its rows.  ERROR 42601 unless it is one SELECT of three columns or
 * more, 0A000 if it writes, 22004 or 22023 for a name that is null or empty, 53200 if the rows need more than
 * hybridkg.max_memory.
 */
extern void fact_query_run(FactQuery *query, const char *text);

/* Inserts names that the graph lacks.  ERROR 54000 for one that is too long for its index. */
extern void fact_query_settle(FactQuery *query);

/* Its facts, for fact_table_add. */
extern NewFacts fact_query_facts(const FactQuery *query, const char *split);

#endif							/* HKG_GRAPH_FACT_QUERY_H */
