/*
 * plain_table.c
 *		Whether a table of facts is as the layout made it (see plain_table.h).
 *
 * A graph belongs to its owner, who may add triggers, rules, policies, columns and keys.  All of them count, so a table
 * that has any is written by statements.  Indexes and checks that were added are no obstacle, as the writer serves them;
 * unless they call a function of a user, which may delete the names that the writer has looked up.  Nor may a function of
 * a user run when a name is inserted.
 */
#include "plain_table.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "version.h"

/* Of holdout; triple lacks the first one. */
static const struct
{
	const char *name;
	Oid			type;
	const char *references;
}			layout_columns[] = {
	{"split", TEXTOID, NULL}, {"head", INT4OID, "entity"}, {"relation", INT4OID, "relation"}, {"tail", INT4OID, "entity"}
};

#define ALL_COLUMNS ((int) lengthof(layout_columns))

static bool
has_layout_columns(Relation table)
{
	TupleDesc	columns = RelationGetDescr(table);
	int			missing = ALL_COLUMNS - columns->natts;

	if (missing != 0 && missing != 1)
		return false;
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (column->attisdropped || column->attgenerated != '\0' || column->attidentity != '\0' ||
			column->atttypid != layout_columns[i + missing].type ||
			strcmp(NameStr(column->attname), layout_columns[i + missing].name) != 0)
			return false;
	}
	return true;
}

/* A trigger for inserted rows must be the one that notes changes, or that of a foreign key. */
static bool
has_layout_triggers(Relation table)
{
	const TriggerDesc *triggers = table->trigdesc;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		bool		of_key = trigger->tgisinternal && RI_FKey_trigger_type(trigger->tgfoid) == RI_TRIGGER_FK;

		if (TRIGGER_FOR_INSERT(trigger->tgtype) && !of_key && trigger->tgfoid != facts_trigger(RelationGetNamespace(table)))
			return false;
	}
	return true;
}

/* Each key is what the writer's locks stand for: one column, which references the id of its table. */
static bool
has_layout_keys(const Graph *graph, Relation table)
{
	int			missing = ALL_COLUMNS - RelationGetDescr(table)->natts;
	ListCell   *cell;

	foreach(cell, RelationGetFKeyList(table))
	{
		const ForeignKeyCacheInfo *key = lfirst(cell);
		const char *references = key->nkeys != 1 ? NULL : layout_columns[key->conkey[0] - 1 + missing].references;

		if (references == NULL || key->confrelid != get_relname_relid(references, graph->schema) ||
			key->confkey[0] != get_attnum(key->confrelid, "id"))
			return false;
	}
	return true;
}

static bool
is_of_user(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

static bool
calls_users(Node *node, void *context)
{
	return node != NULL && (check_functions_in_node(node, is_of_user, context) ||
							expression_tree_walker(node, calls_users, context));
}

static bool
index_calls_users(Oid oid)
{
	Relation	index = index_open(oid, AccessShareLock);
	bool		calls = calls_users((Node *) RelationGetIndexExpressions(index), NULL) ||
		calls_users((Node *) RelationGetIndexPredicate(index), NULL);

	index_close(index, NoLock);
	return calls;
}

/* When a row is inserted.  A type of a user's has functions of its own, or checks. */
static bool
runs_functions_of_users(Relation table)
{
	TupleDesc	columns = RelationGetDescr(table);
	const TupleConstr *constraints = columns->constr;
	ListCell   *cell;

	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
		if (calls_users(stringToNode(constraints->check[i].ccbin), NULL))
			return true;
	for (int i = 0; constraints != NULL && i < constraints->num_defval; i++)
		if (calls_users(stringToNode(constraints->defval[i].adbin), NULL))
			return true;
	for (int i = 0; i < columns->natts; i++)
		if (TupleDescAttr(columns, i)->atttypid >= FirstNormalObjectId)
			return true;
	foreach(cell, RelationGetIndexList(table))
		if (index_calls_users(lfirst_oid(cell)))
			return true;
	return false;
}

/* Nothing of the owner's runs when a name is inserted: what was looked up is still there. */
static bool
is_quiet(Oid oid)
{
	Relation	table = try_relation_open(oid, AccessShareLock);
	const TriggerDesc *triggers = table == NULL ? NULL : table->trigdesc;
	bool		quiet = table != NULL && table->rd_rules == NULL && !runs_functions_of_users(table);

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
		quiet = quiet && !TRIGGER_FOR_INSERT(triggers->triggers[i].tgtype);
	if (table != NULL)
		relation_close(table, NoLock);
	return quiet;
}

bool
table_is_plain(const Graph *graph, Relation table)
{
	return table->rd_rel->relkind == RELKIND_RELATION && !table->rd_rel->relispartition &&
		!table_is_distributed(RelationGetRelid(table)) &&
		table->rd_rel->relam == HEAP_TABLE_AM_OID && table->rd_rules == NULL && ExecutorCheckPerms_hook == NULL &&
		pg_class_aclcheck(RelationGetRelid(table), GetUserId(), ACL_INSERT) == ACLCHECK_OK &&
		check_enable_rls(RelationGetRelid(table), InvalidOid, true) != RLS_ENABLED &&
		has_layout_columns(table) && has_layout_triggers(table) && has_layout_keys(graph, table) &&
		!runs_functions_of_users(table) &&
		is_quiet(get_relname_relid("entity", graph->schema)) && is_quiet(get_relname_relid("relation", graph->schema));
}
