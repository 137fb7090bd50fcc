/*
 * layout.c
 *		The version of a graph's tables, checked when a graph is opened (see graph.h; upgrade.c raises it).
 *
 * A graph belongs to its owner and outlives the extension, so its tables may be older or newer than this library.
 * The view layout in the graph's schema holds the version as a constant: pg_dump takes it along with the tables,
 * a standby has it, logical replication leaves each side its own, and nobody changes it by a stray update.
 */
#include "graph.h"

#include "utils/builtins.h"

#include "server/sql.h"

const int32 library_layout = 2;

int32
graph_layout(const Graph *graph)
{
	Datum		version;

	if (!sql_value(psprintf("select version::int from %slayout", graph->prefix), SQL_NO_ARGS, &version))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("view %slayout shows no version", graph->prefix),
				 errhint("Restore it from a dump: hkg_create_graph and hkg_upgrade_graph made it.")));
	return DatumGetInt32(version);
}

void
graph_refuse_layout(const Graph *graph, int32 layout)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("graph \"%s\" has layout %d, but this version of hybridkg reads layout %d",
					graph->name, layout, library_layout),
			 layout < library_layout ?
			 errhint("Its owner can upgrade it: select hkg_upgrade_graph(%s)", quote_literal_cstr(graph->name)) :
			 errhint("Install the newer version of hybridkg that upgraded the graph, and begin a new session.")));
}

void
graph_check_layout(const Graph *graph)
{
	int32		layout = graph_layout(graph);

	if (layout != library_layout)
		graph_refuse_layout(graph, layout);
}
