/*
 * own_columns.c
 *		Columns that a user has added to the tables of facts (see own_columns.h).
 */
#include "own_columns.h"

#include "access/relation.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "fact_writer.h"

static bool
is_of_layout(const char *column, const char *split)
{
	return strcmp(column, "head") == 0 || strcmp(column, "relation") == 0 || strcmp(column, "tail") == 0 ||
		(!is_train(split) && strcmp(column, "split") == 0);
}

/* The user's column of that name, or NULL */
static Form_pg_attribute
find_column(TupleDesc columns, const char *split, const char *name)
{
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (!column->attisdropped && strcmp(NameStr(column->attname), name) == 0 && !is_of_layout(name, split))
			return column;
	}
	return NULL;
}

static Relation
open_table(const Graph *graph, const char *split)
{
	return relation_open(get_relname_relid(fact_table_name(split), graph->schema), AccessShareLock);
}

OwnColumns
own_columns(const Graph *graph, const char *from, const char *to)
{
	Relation	source = open_table(graph, from);
	Relation	target = open_table(graph, to);
	StringInfoData shared;
	StringInfoData lost;
	StringInfoData lost_list;

	initStringInfo(&shared);
	initStringInfo(&lost);
	initStringInfo(&lost_list);
	for (int i = 0; i < RelationGetDescr(source)->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(source), i);
		const char *name = NameStr(column->attname);
		Form_pg_attribute other = find_column(RelationGetDescr(target), to, name);

		if (column->attisdropped || is_of_layout(name, from) || (other != NULL && other->attgenerated != '\0'))
			continue;
		if (other != NULL && other->atttypid == column->atttypid && other->atttypmod == column->atttypmod)
			appendStringInfo(&shared, ", %s", quote_identifier(name));
		else if (column->attgenerated == '\0')
		{
			appendStringInfo(&lost, "%sf.%s is not null", lost.len == 0 ? "" : " or ", quote_identifier(name));
			appendStringInfo(&lost_list, "%s%s %s", lost_list.len == 0 ? "" : ", ", quote_identifier(name),
							 format_type_with_typemod(column->atttypid, column->atttypmod));
		}
	}
	relation_close(target, NoLock);
	relation_close(source, NoLock);
	return (OwnColumns) {
		.shared = shared.len == 0 ? NULL : shared.data,
		.lost = lost.len == 0 ? NULL : lost.data,
		.lost_list = lost_list.data
	};
}
