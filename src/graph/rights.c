/*
 * rights.c
 *		What a user may do with a graph (see graph.h).
 */
#include "graph.h"

#include "access/htup_details.h"
#include "catalog/pg_namespace.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* On the table or on some column: the statement itself decides whether these columns are enough. */
static bool
has_right(Oid table, AclMode right)
{
	return pg_class_aclcheck(table, GetUserId(), right) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(table, GetUserId(), right, ACLMASK_ANY) == ACLCHECK_OK;
}

/* The rights that the user lacks, as a list; NULL: none */
static char *
lacking_rights(Oid table, AclMode rights)
{
	static const struct
	{
		AclMode		right;
		const char *name;
	}			known[] = {
		{ACL_SELECT, "select"}, {ACL_INSERT, "insert"}, {ACL_UPDATE, "update"}, {ACL_DELETE, "delete"}
	};
	char	   *lacking = NULL;

	for (int i = 0; i < (int) lengthof(known); i++)
		if ((rights & known[i].right) != 0 && !has_right(table, known[i].right))
			lacking = lacking == NULL ? pstrdup(known[i].name) : psprintf("%s, %s", lacking, known[i].name);
	return lacking;
}

static Oid
require_table(const Graph *graph, const char *table)
{
	Oid			oid = get_relname_relid(table, graph->schema);

	if (!OidIsValid(oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"%s%s\" does not exist", graph->prefix, table),
				 errdetail("Each graph has this table: it was dropped, or has another name."),
				 errhint("Restore the graph from a dump, or make a new one with hkg_create_graph and load its facts.")));
	return oid;
}

void
graph_require_rights(const Graph *graph, const TableRights *needed, int count)
{
	const char *user = GetUserNameFromId(GetUserId(), false);
	const char *table = NULL;
	char	   *first = NULL;
	StringInfoData grants;

	initStringInfo(&grants);
	for (int i = 0; i < count; i++)
	{
		char	   *lacking = lacking_rights(require_table(graph, needed[i].table), needed[i].rights);

		if (lacking == NULL)
			continue;
		appendStringInfo(&grants, "%sgrant %s on %s%s to %s", first == NULL ? "" : "; ", lacking, graph->prefix,
						 needed[i].table, quote_identifier(user));
		table = first == NULL ? needed[i].table : table;
		first = first == NULL ? lacking : first;
	}
	if (first != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s%s", graph->prefix, table),
				 errdetail("Role \"%s\" lacks: %s.", user, first),
				 errhint("The graph's owner can give what is missing: %s", grants.data)));
}

bool
graph_may_read(const Graph *graph, const char *table)
{
	Oid			oid = graph_table(graph->schema, table);

	return OidIsValid(oid) && has_right(oid, ACL_SELECT);
}

bool
graph_may_lock(const Graph *graph, const char *table)
{
	Oid			oid = get_relname_relid(table, graph->schema);

	return OidIsValid(oid) && has_right(oid, ACL_UPDATE);
}

static Oid
owner_of(const Graph *graph)
{
	HeapTuple	row = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(graph->schema));
	Oid			owner;

	if (!HeapTupleIsValid(row))
		elog(ERROR, "cache lookup failed for schema %u", graph->schema);
	owner = ((Form_pg_namespace) GETSTRUCT(row))->nspowner;
	ReleaseSysCache(row);
	return owner;
}

bool
graph_has_owner(const Graph *graph, Oid *owner)
{
	*owner = owner_of(graph);
	return has_privs_of_role(GetUserId(), *owner);
}

Oid
graph_require_owner(const Graph *graph)
{
	Oid			owner;

	if (!graph_has_owner(graph, &owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of graph \"%s\"", graph->name),
				 errhint("Its owner is \"%s\".", GetUserNameFromId(owner, false))));
	return owner;
}
