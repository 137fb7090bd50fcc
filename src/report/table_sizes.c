/*
 * table_sizes.c
 *		_hkg_table_sizes: the bytes of a graph's tables.
 *
 * Of a distributed graph, facts and names are in the copies of this node.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "graph/graph.h"
#include "server/argument.h"
#include "server/sql.h"

HKG_FUNCTION(hkg_table_sizes);
Datum
hkg_table_sizes(PG_FUNCTION_ARGS)
{
	static const TableRights read = {"model", ACL_SELECT};
	static const char *const copied[] = {"entity", "relation", "triple", "holdout", "rejected"};
	char	   *name = argument_name(fcinfo, 0, "graph");
	SqlResult  *result = sql_result(fcinfo);
	Graph	   *graph;
	StringInfoData copies;
	SqlArgs		args = {0};

	sql_begin();
	graph = graph_open(name);
	graph_require_rights(graph, &read, 1);
	initStringInfo(&copies);
	for (int i = 0; i < (int) lengthof(copied); i++)
		appendStringInfo(&copies, "%s('%s', %u::oid)", i == 0 ? "" : ", ", copied[i],
						 graph_table_here(graph->schema, copied[i]));
	sql_arg(&args, OIDOID, ObjectIdGetDatum(graph->schema));
	sql_result_query(result,
					 psprintf("select relname, pg_total_relation_size(coalesce(copy, oid)) "
							  "from pg_class left join (values %s) c (copied, copy) on copied = relname "
							  "where relnamespace = $1 and relkind in ('r', 'p')", copies.data), &args);
	sql_end();
	return (Datum) 0;
}
