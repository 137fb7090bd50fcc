/*
 * upgrade.c
 *		A graph's tables become those of this library: by hkg_upgrade_graph, or by its owner's first function that writes.
 *
 * Layout N is made from layout N - 1 by the procedure _hkg_layout_N of the extension.  hkg_create_graph makes layout 0,
 * which has no tables, and upgrades it: a new graph and an upgraded one go through the same steps.
 */
#include "graph.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "server/argument.h"
#include "server/sql.h"

typedef struct SavedUser
{
	Oid			user;
	int			context;
} SavedUser;

/* From here to stop_acting: with the owner's rights alone. */
static SavedUser
act_as(Oid owner)
{
	SavedUser	caller;

	GetUserIdAndSecContext(&caller.user, &caller.context);
	SetUserIdAndSecContext(owner, caller.context | SECURITY_RESTRICTED_OPERATION);
	return caller;
}

static void
stop_acting(SavedUser caller)
{
	SetUserIdAndSecContext(caller.user, caller.context);
}

/* The view is the owner's, who may have made another one of it. */
static int32
layout_as(const Graph *graph, Oid owner)
{
	SavedUser	caller = act_as(owner);
	int32		layout = graph_layout(graph);

	stop_acting(caller);
	return layout;
}

static void
refuse_functions(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the functions of hybridkg are older than its library"),
			 errdetail("%s", detail),
			 errhint("Bring them up to date: alter extension hybridkg update")));
}

/* Functions of 0.1.0 whose arguments have another order now: until they are brought up to date */
#define OTHER_ORDER(function) \
	HKG_FUNCTION(function); \
	Datum \
	function(PG_FUNCTION_ARGS) \
	{ \
		refuse_functions("Arguments of " #function "() have another order."); \
		PG_RETURN_NULL(); \
	}

OTHER_ORDER(hkg_complete)
OTHER_ORDER(hkg_import_rules)
OTHER_ORDER(hkg_mine_rules)

/* The procedure that makes the layout, as a statement names it. */
static char *
find_step(int32 layout)
{
	char	   *step = psprintf("%s_hkg_layout_%d()", extension_prefix(), layout);
	SqlArgs		args = sql_args_text(step);
	Datum		found;

	if (!sql_value("select pg_catalog.to_regprocedure($1)", &args, &found))
		refuse_functions(psprintf("There is no procedure %s.", step));
	return step;
}

/* Runs the step in the graph's schema, as its owner: who owns what is new, and whose triggers get no other rights. */
static void
take_step(const Graph *graph, Oid owner, const char *step, int32 layout)
{
	char	   *path = psprintf("%s, pg_temp", quote_identifier(graph->name));
	int			nest_level = NewGUCNestLevel();
	SavedUser	caller = act_as(owner);

	(void) set_config_option("search_path", path, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	sql_run(psprintf("call %s", step), SQL_NO_ARGS);
	sql_run(psprintf("create or replace view %slayout as select %d as version", graph->prefix, layout), SQL_NO_ARGS);
	AtEOXact_GUC(true, nest_level);
	stop_acting(caller);
}

/* To the layout of this library, with the steps that it lacks; returns it. */
static int32
upgrade(Graph *graph, Oid owner)
{
	int32		layout;

	graph_lock_for_upgrade(graph);
	layout = layout_as(graph, owner);
	if (layout > library_layout)
		graph_refuse_layout(graph, layout);
	if (layout < library_layout)
		graph_lock_whole(graph);
	while (layout < library_layout)
	{
		char	   *step = find_step(++layout);

		take_step(graph, owner, step, layout);
	}
	return layout;
}

Graph *
graph_open_to_write(const char *name)
{
	Graph	   *graph = graph_find(name);
	Oid			owner;
	int32		layout;

	if (graph_has_owner(graph, &owner) && (layout = layout_as(graph, owner)) >= 1 && layout < library_layout)
	{
		graph_check_distribution(graph);
		layout = upgrade(graph, owner);
		ereport(NOTICE,
				(errmsg("graph \"%s\" is upgraded to layout %d", graph->name, layout),
				 errdetail("An older version of hybridkg made it.")));
	}
	return graph_open(name);
}

Graph *
graph_open_pinned(const char *name)
{
	int			nest_level = sql_pin();
	Graph	   *graph = graph_open_to_write(name);

	sql_unpin(nest_level);
	return graph;
}

HKG_FUNCTION(hkg_upgrade_graph);
Datum
hkg_upgrade_graph(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	Graph	   *graph;
	Oid			owner;
	int32		layout;

	sql_begin();
	graph = graph_find(name);
	graph_check_distribution(graph);
	owner = graph_require_owner(graph);
	layout = upgrade(graph, owner);
	sql_end();
	PG_RETURN_INT32(layout);
}
