/*
 * graph.c
 *		Opening a graph (see graph.h).
 */
#include "graph.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

#include "server/argument.h"
#include "server/sql.h"

static bool
is_graph(Oid schema)
{
	Oid			layout = get_relname_relid("layout", schema);

	return OidIsValid(layout) && get_rel_relkind(layout) == RELKIND_VIEW &&
		get_attnum(layout, "version") != InvalidAttrNumber;
}

/* A kept copy of a model is valid as long as its row is the same version: views have none. */
static void
check_model_table(const Graph *graph)
{
	Oid			table = get_relname_relid("model", graph->schema);

	if (OidIsValid(table) && get_rel_relkind(table) != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("schema \"%s\" is not a graph", graph->name),
				 errdetail("%smodel is not a table.", graph->prefix),
				 errhint("Use the graph that its views show, if they do.")));
}

/* The hint comes first: an error of a statement that is caught would take away the one that is being made. */
static void
no_such_graph(const char *name, bool is_schema)
{
	char	   *hint = graphs_hint(name);

	if (is_schema)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("schema \"%s\" is not a graph", name),
				 errdetail("It lacks the view layout that hkg_create_graph makes."),
				 errhint("%s", hint)));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_SCHEMA),
			 errmsg("graph \"%s\" does not exist", name),
			 errhint("%s", hint)));
}

Graph *
graph_find(const char *name)
{
	Graph	   *graph = palloc0(sizeof(Graph));

	graph->schema = get_namespace_oid(name, true);
	if (!OidIsValid(graph->schema) || !is_graph(graph->schema))
		no_such_graph(name, OidIsValid(graph->schema));
	graph->name = pstrdup(name);
	graph->prefix = psprintf("%s.", quote_identifier(name));
	return graph;
}

void
graph_check_name(const Graph *graph)
{
	AcceptInvalidationMessages();
	if (get_namespace_oid(graph->name, true) != graph->schema)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("graph \"%s\" was renamed or dropped meanwhile", graph->name),
				 errdetail("The name is another schema's now, or nobody's."),
				 errhint("Try again, with the name that the graph has now.")));
}

Graph *
graph_open(const char *name)
{
	Graph	   *graph = graph_find(name);

	graph_check_layout(graph);
	graph_check_distribution(graph);
	check_model_table(graph);
	return graph;
}

Graph *
graph_open_facts(const char *name)
{
	Graph	   *graph = graph_find(name);

	graph_check_layout(graph);
	graph_check_facts(graph);
	check_model_table(graph);
	return graph;
}

/* For functions in SQL: errors unless it is a graph of this layout, whose facts the caller may read. */
HKG_FUNCTION(hkg_check_graph);
Datum
hkg_check_graph(PG_FUNCTION_ARGS)
{
	static const TableRights needed = {"triple", ACL_SELECT};
	char	   *name = argument_name(fcinfo, 0, "graph");

	sql_begin();
	graph_require_rights(graph_open(name), &needed, 1);
	sql_end();
	PG_RETURN_VOID();
}
