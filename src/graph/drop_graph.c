/*
 * drop_graph.c
 *		hkg_drop_graph: drops a graph's schema, and by `cascade` what depends on it elsewhere.
 *
 * DROP SCHEMA without CASCADE refuses a schema that is not empty, with CASCADE it takes a view or a foreign key of
 * another schema along.  So we look for those first.
 */
#include "graph.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/argument.h"
#include "server/shared_copy.h"
#include "server/sql.h"

#define DEPENDENTS_SHOWN 10

/*
 * Inside: schema $1, what stands in it, and their parts (row types, rules, triggers).  An object that depends on one of
 * them and is not inside is elsewhere; a rule is shown as the view that it makes.
 */
static const char *const dependents =
	"with recursive inside(class, id) as ("
	" select 'pg_namespace'::regclass::oid, $1"
	" union select d.classid, d.objid from pg_depend d join inside i on (d.refclassid, d.refobjid) = (i.class, i.id)"
	" where d.deptype <> 'n' or d.refclassid = 'pg_namespace'::regclass) "
	"select distinct case when v is null then pg_describe_object(d.classid, d.objid, d.objsubid)"
	" else pg_describe_object(v.refclassid, v.refobjid, 0) end as name "
	"from pg_depend d join inside i on (d.refclassid, d.refobjid) = (i.class, i.id) "
	"left join pg_depend v on (v.classid, v.objid) = (d.classid, d.objid)"
	" and v.classid = 'pg_rewrite'::regclass and v.deptype = 'i' "
	"where d.deptype = 'n' and (d.classid, d.objid) not in (select class, id from inside) order by name";

typedef struct DependentList
{
	StringInfoData lines;
	int			count;
} DependentList;

static void
list_dependent(void *argument, const Datum *values, const bool *nulls)
{
	DependentList *list = argument;

	if (list->count++ < DEPENDENTS_SHOWN)
		appendStringInfo(&list->lines, "%s%s depends on it.", list->count > 1 ? "\n" : "", TextDatumGetCString(values[0]));
}

static void
refuse_dependents(const Graph *graph)
{
	DependentList list = {.count = 0};
	SqlArgs		args = {0};

	initStringInfo(&list.lines);
	sql_arg(&args, OIDOID, ObjectIdGetDatum(graph->schema));
	sql_stream(dependents, &args, list_dependent, &list);
	if (list.count > DEPENDENTS_SHOWN)
		appendStringInfo(&list.lines, "\nand %d more", list.count - DEPENDENTS_SHOWN);
	if (list.count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot drop graph \"%s\": objects of other schemas depend on it", graph->name),
				 errdetail("%s", list.lines.data),
				 errhint("Drop them first, or have them dropped as well: cascade => true.")));
}

HKG_FUNCTION(hkg_drop_graph);
Datum
hkg_drop_graph(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	/* as 0.1.0 declared it, it has one argument, and drops what depends on the graph */
	bool		cascade = PG_NARGS() < 2 || DatumGetBool(argument(fcinfo, 1, "cascade"));
	Graph	   *graph;

	PreventCommandIfReadOnly("hkg_drop_graph()");
	sql_begin();
	graph = graph_find(name);
	(void) graph_require_owner(graph);
	graph_lock_whole(graph);
	graph_check_name(graph);
	if (!cascade)
		refuse_dependents(graph);
	sql_run(psprintf("drop schema %s cascade", quote_identifier(name)), SQL_NO_ARGS);
	shared_copy_drop(graph->schema);
	sql_end();
	PG_RETURN_VOID();
}
