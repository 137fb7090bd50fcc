/*
 * distribution.c
 *		Where the tables of a graph are, on a server with Citus (see graph.h).
 *
 * Facts and names of a distributed graph are reference tables: each node has a copy of all rows, in a table of its own
 * (the shard, triple_102008), which has the triggers and keys of the table.  The table that a user names is empty, and
 * the planner of Citus puts the copy in its place.  Here the copy is read itself: it is an ordinary table of this server,
 * so that snapshots, triggers and what sessions share are as everywhere.  All else is local.
 *
 * A statement may write the copy of this node by another connection.  This session sees that by statements alone, until
 * it commits.
 *
 * A sharded table is refused: each node would count what it has, and the sum would lack all that needs facts of two.
 *
 * The catalogues are read on their latest snapshot, as those of the server are.
 */
#include "graph.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/visibility.h"

#define REPLICATED_BY_COMMIT 't'	/* pg_dist_partition.repmodel: a reference table */
#define ACTIVE 1					/* pg_dist_placement.shardstate */

/* Those that may be reference tables come first. */
static const char *const graph_tables[] = {
	"entity", "relation", "triple", "holdout", "rejected", "model", "entity_embedding", "relation_embedding",
	"threshold", "evidence_weight", "rule", "path_network", "shared_weight", "path_epoch", "inferred", "iteration", "checkpoint",
	"checkpoint_inferred", "training", "trial", "source"
};

#define TABLES_OF_FACTS 5
#define MOST_COLUMNS 2

/* ---- catalogues of Citus -------------------------------------------------------------- */

/* A look-up by the first column of an index; false without Citus, or without a row that `accept` takes (NULL: any). */
typedef struct CatalogQuery
{
	const char *catalog;
	const char *index;			/* NULL: the first row of all */
	const char *key;
	RegProcedure equal;
	Datum		value;
	const char *column[MOST_COLUMNS];	/* NULL: no more */
	bool		(*accept) (const Datum *values, Datum argument);
	Datum		argument;
} CatalogQuery;

static void
read_columns(const CatalogQuery *query, Relation catalog, HeapTuple row, Datum *values)
{
	for (int i = 0; i < MOST_COLUMNS && query->column[i] != NULL; i++)
	{
		bool		null;

		values[i] = heap_getattr(row, get_attnum(RelationGetRelid(catalog), query->column[i]), RelationGetDescr(catalog),
								 &null);
	}
}

/* All columns that are asked for are passed by value and not null. */
static bool
look_up(const CatalogQuery *query, Datum *values)
{
	Oid			oid = get_relname_relid(query->catalog, PG_CATALOG_NAMESPACE);
	Relation	catalog;
	Oid			index;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	bool		found = false;

	if (!OidIsValid(oid))
		return false;
	catalog = table_open(oid, AccessShareLock);
	index = query->index == NULL ? InvalidOid : get_relname_relid(query->index, PG_CATALOG_NAMESPACE);
	if (query->key != NULL)
		ScanKeyInit(&key, get_attnum(oid, query->key), BTEqualStrategyNumber, query->equal, query->value);
	scan = systable_beginscan(catalog, index, OidIsValid(index), NULL, query->key == NULL ? 0 : 1, &key);
	while (!found && HeapTupleIsValid(row = systable_getnext(scan)))
	{
		read_columns(query, catalog, row, values);
		found = query->accept == NULL || query->accept(values, query->argument);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
}

/* The method by which rows are sharded and that by which they are copied; false for a plain table. */
static bool
look_up_table(Oid table, Datum *values)
{
	CatalogQuery query = {
		.catalog = "pg_dist_partition",.index = "pg_dist_partition_logical_relid_index",
		.key = "logicalrelid",.equal = F_OIDEQ,.value = ObjectIdGetDatum(table),.column = {"partmethod", "repmodel"}
	};

	return OidIsValid(table) && look_up(&query, values);
}

bool
table_is_distributed(Oid table)
{
	Datum		values[MOST_COLUMNS];

	return look_up_table(table, values);
}

static bool
is_reference_table(Oid table)
{
	Datum		values[MOST_COLUMNS];

	return look_up_table(table, values) && DatumGetChar(values[1]) == REPLICATED_BY_COMMIT;
}

/* 0 is the coordinator. */
static int32
group_of_node(void)
{
	CatalogQuery query = {.catalog = "pg_dist_local_group",.column = {"groupid"}};
	Datum		values[MOST_COLUMNS];

	return look_up(&query, values) ? DatumGetInt32(values[0]) : 0;
}

static bool
is_active_here(const Datum *values, Datum group)
{
	return DatumGetInt32(values[0]) == DatumGetInt32(group) && DatumGetInt32(values[1]) == ACTIVE;
}

/* ---- copies of this node --------------------------------------------------------------- */

/* The copy of a reference table; InvalidOid where this node has none yet. */
static Oid
copy_of(Oid table)
{
	CatalogQuery shard = {
		.catalog = "pg_dist_shard",.index = "pg_dist_shard_logical_relid_index",
		.key = "logicalrelid",.equal = F_OIDEQ,.value = ObjectIdGetDatum(table),.column = {"shardid"}
	};
	CatalogQuery placement = {
		.catalog = "pg_dist_placement",.index = "pg_dist_placement_shardid_index",
		.key = "shardid",.equal = F_INT8EQ,.column = {"groupid", "shardstate"},.accept = is_active_here
	};
	Datum		values[MOST_COLUMNS];

	if (!look_up(&shard, values))
		return InvalidOid;
	placement.value = values[0];
	placement.argument = Int32GetDatum(group_of_node());
	if (!look_up(&placement, values))
		return InvalidOid;
	return get_relname_relid(psprintf("%s_" INT64_FORMAT, get_rel_name(table), DatumGetInt64(placement.value)),
							 get_rel_namespace(table));
}

/* Models are on the coordinator; a worker has tables of those that it was sent (model/sent_model.c). */
Oid
graph_table(Oid schema, const char *table)
{
	Oid			oid = get_relname_relid(table, schema);

	return OidIsValid(oid) ? oid : get_relname_relid(psprintf("sent_%s", table), schema);
}

Oid
graph_table_here(Oid schema, const char *table)
{
	Oid			oid = graph_table(schema, table);
	Oid			copy = is_reference_table(oid) && !table_is_written(oid) ? copy_of(oid) : InvalidOid;

	return OidIsValid(copy) ? copy : oid;
}

char *
graph_table_name(const Graph *graph, const char *table)
{
	Oid			here = graph_table_here(graph->schema, table);

	return psprintf("%s%s", graph->prefix, OidIsValid(here) ? quote_identifier(get_rel_name(here)) : table);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void
check_table(const Graph *graph, const char *table, bool may_be_copied)
{
	Oid			oid = get_relname_relid(table, graph->schema);
	Datum		values[MOST_COLUMNS];
	bool		copied;

	if (!look_up_table(oid, values))
		return;
	copied = DatumGetChar(values[1]) == REPLICATED_BY_COMMIT;
	if (copied && may_be_copied)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("table %s%s is %s", graph->prefix, table,
					copied ? "a reference table" : "not whole on each node of the cluster"),
			 errdetail(may_be_copied ? "Rules join facts with facts: a node that lacks some of them would count too few." :
					   "Models are read and written on the coordinator."),
			 errhint("Make it a local table, select undistribute_table(%s)%s.",
					 quote_literal_cstr(psprintf("%s%s", graph->prefix, table)),
					 may_be_copied ? psprintf("; then select hkg_distribute_graph(%s) copies the facts to every node",
											  quote_literal_cstr(graph->name)) : "")));
}

void
graph_check_facts(const Graph *graph)
{
	for (int i = 0; i < TABLES_OF_FACTS; i++)
		check_table(graph, graph_tables[i], true);
}

void
graph_check_distribution(const Graph *graph)
{
	if (!OidIsValid(get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE)))
		return;
	/* a worker has the facts, not the models */
	if (graph_is_copy(graph))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this server has only a copy of the facts of graph \"%s\"", graph->name),
				 errdetail("It is a worker; the graph's models are on the coordinator."),
				 errhint("Connect to the coordinator: select nodename, nodeport from pg_dist_node where groupid = 0")));
	graph_check_facts(graph);
	for (int i = TABLES_OF_FACTS; i < (int) lengthof(graph_tables); i++)
		check_table(graph, graph_tables[i], false);
}

bool
graph_is_copy(const Graph *graph)
{
	return group_of_node() != 0 && !OidIsValid(get_relname_relid("model", graph->schema));
}

bool
graph_has_slices(const Graph *graph)
{
	Oid			slices = get_relname_relid("slice", graph->schema);

	if (!OidIsValid(slices) || !table_is_distributed(slices) || group_of_node() != 0)
		return false;
	for (int i = 0; i < TABLES_OF_FACTS; i++)
		if (!is_reference_table(get_relname_relid(graph_tables[i], graph->schema)))
			return false;
	return true;
}
