/*
 * source.c
 *		hkg_set_source, hkg_source: the query that a graph is in step with (see source.h).
 *
 * It is a row of the graph's table source, so it is dumped with the graph.  Whoever calls hkg_sync runs it with their
 * own rights and search_path, as with a query that they give.
 */
#include "source.h"

#include "utils/builtins.h"

#include "fact_query.h"
#include "server/argument.h"
#include "server/sql.h"

char *
source_read(Graph *graph)
{
	Datum		query;

	if (!sql_value(psprintf("select query from %ssource", graph->prefix), SQL_NO_ARGS, &query))
		return NULL;
	return TextDatumGetCString(query);
}

static void
write_source(const Graph *graph, const char *query)
{
	SqlArgs		args = sql_args_text(query);

	sql_run(psprintf("insert into %ssource (query) values ($1) on conflict (id) do update set query = excluded.query",
					 graph->prefix), &args);
}

/* hkg_set_source does not pin search_path: the names in the query are those of the caller's. */
HKG_FUNCTION(hkg_set_source);
Datum
hkg_set_source(PG_FUNCTION_ARGS)
{
	static const TableRights needed = {"source", ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_DELETE};
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *query = PG_ARGISNULL(1) ? NULL : argument_text(fcinfo, 1, "query");
	Graph	   *graph;
	int			nest_level;

	sql_begin();
	graph = graph_open_pinned(name);
	graph_require_rights(graph, &needed, 1);
	if (query != NULL)
		fact_query_check(query);
	nest_level = sql_pin();
	if (query == NULL)
		sql_run(psprintf("delete from %ssource", graph->prefix), SQL_NO_ARGS);
	else
		write_source(graph, query);
	sql_unpin(nest_level);
	sql_end();
	PG_RETURN_VOID();
}

HKG_FUNCTION(hkg_source);
Datum
hkg_source(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *query;

	sql_begin();
	query = source_read(graph_open(name));
	sql_end();
	if (query == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(query));
}
