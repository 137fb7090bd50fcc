/*
 * reject.c
 *		hkg_reject: a triple that a reviewer has found to be false.
 *
 * It is a row of table rejected, which anybody may write who has the right to.  Its triggers are those of table triple
 * (version.c), so that all sessions see it at once.
 */
#include "graph.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "server/argument.h"
#include "server/sql.h"

HKG_FUNCTION(hkg_reject);
Datum
hkg_reject(PG_FUNCTION_ARGS)
{
	static const TableRights needed[] = {
		{"entity", ACL_SELECT}, {"relation", ACL_SELECT}, {"triple", ACL_SELECT}, {"rejected", ACL_INSERT}
	};
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *head = argument_text(fcinfo, 1, "head");
	char	   *relation = argument_text(fcinfo, 2, "relation");
	char	   *tail = argument_text(fcinfo, 3, "tail");
	SqlArgs		args = {0};
	Graph	   *graph;
	Datum		found;
	bool		added;

	sql_begin();
	graph = graph_open_to_write(name);
	graph_require_rights(graph, needed, lengthof(needed));
	sql_arg(&args, INT4OID, Int32GetDatum(graph_entity_id(graph, head)));
	sql_arg(&args, INT4OID, Int32GetDatum(graph_relation_id(graph, relation)));
	sql_arg(&args, INT4OID, Int32GetDatum(graph_entity_id(graph, tail)));
	if (sql_value(psprintf("select true from %striple where head = $1 and relation = $2 and tail = $3", graph->prefix),
				  &args, &found))
		ereport(NOTICE,
				(errmsg("%s(%s, %s) is a fact, and stays one", argument_shown(relation), argument_shown(head),
						argument_shown(tail)),
				 errhint("Where it is wrong, delete it from what the graph is loaded from. Then the rejection counts.")));
	if (PG_ARGISNULL(4))
		sql_arg_null(&args, TEXTOID);
	else
		sql_arg(&args, TEXTOID, PG_GETARG_DATUM(4));
	added = sql_run(psprintf("insert into %srejected (head, relation, tail, reason) values ($1, $2, $3, $4) "
							 "on conflict do nothing", graph->prefix), &args) > 0;
	graph_check_name(graph);
	sql_end();
	PG_RETURN_BOOL(added);
}
