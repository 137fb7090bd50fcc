/*
 * fact_table.c
 *		The facts of a split as a set: read, added to, taken from, moved to another one (see fact_table.h).
 */
#include "fact_table.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "core/sort.h"
#include "own_columns.h"
#include "server/array.h"
#include "server/host.h"
#include "server/sql.h"

/* changes of up to this share of the facts leave the statistics as they are */
#define ANALYZED_SHARE 0.1

/* ---- reading ------------------------------------------------------------------ */

static void
take_fact(void *argument, const Datum *values, const bool *nulls)
{
	FactSet    *set = argument;

	if (set->count == set->room)
		hkg_check_memory_or(MemoryContextMemAllocated(CurrentMemoryContext, true) + 2 * set->room * sizeof(Triple),
							"comparing the facts", "keep fewer of them in the graph");
	set->triple = array_reserve(set->triple, set->count + 1, &set->room, sizeof(Triple));
	set->triple[set->count++] = (Triple) {
		DatumGetInt32(values[0]), DatumGetInt32(values[1]), DatumGetInt32(values[2])
	};
}

/* Ordered, each once: one fact can be in both splits of holdout. */
static void
order(FactSet *set)
{
	int64		distinct = 0;

	sort_array(hkg_leader(), POOL_LEADER, set->triple, set->count, sizeof(Triple), triple_compare);
	for (int64 i = 0; i < set->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (distinct == 0 || triple_compare(&set->triple[distinct - 1], &set->triple[i]) != 0)
			set->triple[distinct++] = set->triple[i];
	}
	set->count = distinct;
}

bool
fact_table_is_unused(const Graph *graph, const char *split)
{
	Oid			oid = graph_table_here(graph->schema, fact_table_name(split));
	Relation	table = try_relation_open(oid, AccessShareLock);
	bool		unused;

	if (table == NULL)
		return false;
	unused = table->rd_rel->relkind == RELKIND_RELATION && !table->rd_rel->relhassubclass && !table_is_distributed(oid) &&
		RelationGetNumberOfBlocks(table) == 0;
	relation_close(table, AccessShareLock);
	return unused;
}

FactSet
fact_table_read(Graph *graph, const char *split, const Numbers *heads)
{
	FactSet		set = {0};
	SqlArgs		args = {0};
	char	   *query = psprintf("select head::int, relation::int, tail::int from %s%s where true",
								 graph->prefix, fact_table_name(split));

	if (heads != NULL)
	{
		sql_arg(&args, INT4ARRAYOID, array_of_int4(heads->value, (int) heads->count));
		query = psprintf("%s and head = any ($1)", query);
	}
	if (split == NULL)
		query = psprintf("%s and split in ('valid', 'test')", query);
	else if (!is_train(split))
		query = psprintf("%s and split = %s", query, quote_literal_cstr(split));
	sql_run_returning(query, &args, take_fact, &set);
	order(&set);
	return set;
}

/* ---- adding ------------------------------------------------------------------- */

/* How many of the facts the table has. */
static int64
count_there(Graph *graph, const char *split, const FactSet *facts)
{
	FactSet		now = fact_table_read(graph, split, NULL);
	int64		there = triples_in_common(facts->triple, facts->count, now.triple, now.count);

	if (now.triple != NULL)
		pfree(now.triple);
	return there;
}

/* A statement that inserts fewer rows than there were: others inserted some meanwhile, or some are not to be inserted. */
static void
check_added(const NewFacts *facts)
{
	FactSet		set = {.triple = array_new(Triple, facts->count),.count = facts->count};
	int64		lacking;

	for (int64 i = 0; i < set.count; i++)
		set.triple[i] = facts->row[i].triple;
	order(&set);
	lacking = set.count - count_there(facts->graph, facts->split, &set);
	pfree(set.triple);
	if (lacking > 0)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				 errmsg("table %s%s lacks " INT64_FORMAT " of " INT64_FORMAT " facts that were to be added",
						facts->graph->prefix, fact_table_name(facts->split), lacking, facts->count),
				 errdetail("Nothing was changed."),
				 errhint("A rule or a trigger of the table leaves them out: change it.")));
}

/* Inserts what the writer of facts (fact_writer.h) leaves to a statement. */
static int64
insert_by_statement(const NewFacts *facts)
{
	static const Oid types[] = {INT4OID, INT4OID, INT4OID, TEXTOID};
	bool		train = is_train(facts->split);
	Datum		values[4] = {[3] = CStringGetTextDatum(facts->split)};
	int64		added;
	SqlBatch   *batch;

	batch = sql_batch_begin(psprintf(train ?
									 "insert into %striple select * from unnest($1, $2, $3) on conflict do nothing" :
									 "insert into %sholdout select s, h, r, t from unnest($1, $2, $3, $4) u(h, r, t, s) "
									 "on conflict do nothing", facts->graph->prefix),
							train ? 3 : 4, types);
	for (int64 i = 0; i < facts->count; i++)
	{
		const Triple *triple = &facts->row[i].triple;

		values[0] = Int32GetDatum(triple->head);
		values[1] = Int32GetDatum(triple->relation);
		values[2] = Int32GetDatum(triple->tail);
		sql_batch_row(batch, values, NULL);
		if (i % PROGRESS_ROWS == 0)
			progress_rows(facts->progress, i);
	}
	added = (int64) sql_batch_end(batch);
	if (facts->all_new && added < facts->count)
		check_added(facts);
	return added;
}

int64
fact_table_add(NewFacts *facts)
{
	if (facts->count == 0)
		return 0;
	return facts_write(facts) ? facts->count : insert_by_statement(facts);
}

/* ---- removing ----------------------------------------------------------------- */

/* A statement that deletes fewer rows than were read: others deleted some meanwhile, or some are not to be deleted. */
static void
check_removed(Graph *graph, const char *split, const FactSet *facts)
{
	int64		kept = count_there(graph, split, facts);

	if (kept > 0)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				 errmsg("table %s%s keeps " INT64_FORMAT " of " INT64_FORMAT " facts that were to be deleted",
						graph->prefix, fact_table_name(split), kept, facts->count),
				 errdetail("Nothing was changed."),
				 errhint("A policy, a rule or a trigger of the table keeps them: "
						 "change it, or let a role delete them that may.")));
}

/* Its names are none of a user's columns. */
#define U "unnest($1, $2, $3) u(head, relation, tail)"

/* Of a row f of the split's table and a fact of U; split: as fact_table_read has it */
static char *
is_fact(const char *split)
{
	return psprintf("f.head = u.head and f.relation = u.relation and f.tail = u.tail%s",
					split == NULL || is_train(split) ? "" : psprintf(" and f.split = %s", quote_literal_cstr(split)));
}

/* Runs a statement with arrays of heads, relations and tails; returns the number of rows that it processed. */
static int64
run_with_facts(const char *statement, const FactSet *facts, Progress *progress)
{
	static const Oid types[] = {INT4OID, INT4OID, INT4OID};
	SqlBatch   *batch = sql_batch_begin(statement, 3, types);

	for (int64 i = 0; i < facts->count; i++)
	{
		const Triple *triple = &facts->triple[i];
		Datum		values[3] = {Int32GetDatum(triple->head), Int32GetDatum(triple->relation), Int32GetDatum(triple->tail)};

		sql_batch_row(batch, values, NULL);
		if (i % PROGRESS_ROWS == 0)
			progress_rows(progress, i);
	}
	return (int64) sql_batch_end(batch);
}

void
fact_table_remove(Graph *graph, const char *split, const FactSet *facts, Progress *progress)
{
	if (facts->count > 0 &&
		run_with_facts(psprintf("delete from %s%s f using " U " where %s",
								graph->prefix, fact_table_name(split), is_fact(split)),
					   facts, progress) < facts->count)
		check_removed(graph, split, facts);
}

/* ---- moving ------------------------------------------------------------------- */

static void
check_lost(const Graph *graph, const char *from, const char *to, const OwnColumns *own, const FactSet *facts,
		   Progress *progress)
{
	int64		losers = run_with_facts(psprintf("select from %s%s f, " U " where %s and (%s)",
												 graph->prefix, fact_table_name(from), is_fact(from), own->lost),
										facts, progress);

	if (losers > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg(INT64_FORMAT " facts that go from %s%s to %s%s would lose values of columns that are not there",
						losers, graph->prefix, fact_table_name(from), graph->prefix, fact_table_name(to)),
				 errdetail("Columns of %s%s: %s. Nothing was changed.", graph->prefix, fact_table_name(from),
						   own->lost_list),
				 errhint("Add them to %s%s, with the same names and types, or set to null what may be lost.",
						 graph->prefix, fact_table_name(to))));
}

/* With the columns that both tables have; a statement, whose rows never leave the server, as a value has any type. */
static void
move_by_statement(const char *from, const FactSet *facts, const NewFacts *to, const char *columns)
{
	Graph	   *graph = to->graph;
	bool		train = is_train(to->split);
	const char *statement = psprintf("with moved as (delete from %1$s%2$s f using " U " where %3$s "
									 "returning f.head, f.relation, f.tail%6$s) "
									 "insert into %1$s%4$s (%5$shead, relation, tail%6$s) overriding system value "
									 "select %7$shead, relation, tail%6$s from moved",
									 graph->prefix, fact_table_name(from), is_fact(from), fact_table_name(to->split),
									 train ? "" : "split, ", columns,
									 train ? "" : psprintf("%s, ", quote_literal_cstr(to->split)));

	if (run_with_facts(statement, facts, to->progress) < facts->count)
	{
		check_removed(graph, from, facts);
		check_added(to);
	}
}

void
fact_table_move(const char *from, const FactSet *facts, NewFacts *to)
{
	OwnColumns	own = own_columns(to->graph, from, to->split);

	to->row = array_new(FactRow, facts->count);
	to->count = facts->count;
	for (int64 i = 0; i < facts->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		to->row[i].triple = facts->triple[i];
	}
	if (own.lost != NULL)
		check_lost(to->graph, from, to->split, &own, facts, to->progress);
	if (own.shared == NULL)
	{
		fact_table_remove(to->graph, from, facts, to->progress);
		progress_phase(to->progress, PHASE_WRITING, (double) facts->count);
		(void) fact_table_add(to);
	}
	else
		move_by_statement(from, facts, to, own.shared);
	pfree(to->row);
}

/* ---- statistics --------------------------------------------------------------- */

/*
 * It skips a table that is being vacuumed or indexed concurrently: that one may wait for this transaction's end.  The
 * copies of a distributed graph are left to autovacuum: Citus does not analyze them in a transaction that wrote them.
 */
void
fact_table_analyze(Graph *graph, int64 changed)
{
	SqlArgs		args = {0};
	Datum		owned;

	if (table_is_distributed(get_relname_relid("triple", graph->schema)))
		return;
	sql_arg(&args, OIDOID, ObjectIdGetDatum(graph->schema));
	sql_arg(&args, FLOAT8OID, Float8GetDatum((double) changed / ANALYZED_SHARE));
	if (sql_value("select $2 > greatest(reltuples, 0) and pg_catalog.pg_has_role(relowner, 'usage') "
				  "from pg_catalog.pg_class where relnamespace = $1 and relname = 'triple'", &args, &owned) &&
		DatumGetBool(owned))
		sql_run(psprintf("analyze (skip_locked) %sentity, %srelation, %striple",
						 graph->prefix, graph->prefix, graph->prefix), SQL_NO_ARGS);
}
