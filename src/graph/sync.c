/*
 * sync.c
 *		hkg_sync: the facts of a graph become what a query returns.
 *
 * The query's rows, the facts and the held-out facts are three ordered lists.  One walk through them finds what is
 * new, what is gone and what is held out; then what is gone is deleted, and what is new is added, each as a set.
 *
 * A held-out fact stays held out: it is not learnt, whether the query returns it or not.  One that is among the facts,
 * too, is taken from these.
 *
 * A sync that waited for another one runs its query on what was committed by then: on the caller's older snapshot, it
 * would take back what the other one did.
 */
#include "server/compat.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "fact_query.h"
#include "fact_table.h"
#include "graph.h"
#include "server/argument.h"
#include "server/sql.h"
#include "server/visibility.h"

/* Guesses until they are measured, for each fact */
#define DELETING_SECONDS 8e-6
#define WRITING_SECONDS 8e-6
#define INDEXING_SECONDS 8e-6

typedef struct Sync
{
	FactQuery	query;
	bool		prune;
	bool		allow_empty;
	bool		keep;			/* the query, as the graph's source */
	FactSet		gone;			/* facts that the query does not return, or that are held out */
	FactSet		held_gone;		/* held-out facts that the query does not return */
	int64		added;
	int64		unchanged;
	int64		held_out;
	int64		pruned;
} Sync;

static void
require_rights(const Sync *sync, AclMode of_source)
{
	AclMode		pruning = sync->prune ? ACL_DELETE : 0;
	TableRights needed[] = {
		{"entity", ACL_SELECT | pruning}, {"relation", ACL_SELECT}, {"triple", ACL_SELECT | ACL_INSERT | ACL_DELETE},
		{"holdout", ACL_SELECT | pruning}, {"source", of_source}
	};

	graph_require_rights(sync->query.graph, needed, of_source == 0 ? 4 : 5);
}

/* ---- the query ----------------------------------------------------------------- */

/*
 * The graph's source is in its tables, so it is dumped with the graph.  Whoever syncs runs it with their own rights and
 * search_path, as with a query that they give.
 */
static const char *
source_of(const Graph *graph)
{
	int			nest_level = sql_pin();
	SqlArgs		args = sql_args_text(graph->name);
	Datum		source;

	sql_value(psprintf("select %shkg_source($1::name)", extension_prefix()), &args, &source);
	sql_unpin(nest_level);
	return TextDatumGetCString(source);
}

static void
keep_source(const Graph *graph, const char *text)
{
	SqlArgs		args = sql_args_text(text);

	sql_run(psprintf("insert into %ssource (query) values ($1) on conflict (id) do update set query = excluded.query",
					 graph->prefix), &args);
}

/* `text`: NULL for the graph's source. */
static void
read_rows(Sync *sync, const char *text)
{
	FactQuery  *query = &sync->query;

	PushActiveSnapshot(GetTransactionSnapshot());
	fact_query_run(query, text != NULL ? text : source_of(query->graph));
	PopActiveSnapshot();
	if (query->rows == 0 && !sync->allow_empty)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("the query returns no rows"),
				 errdetail("All facts of graph \"%s\" would be deleted. Nothing was changed.", query->graph->name),
				 errhint("Where that is meant, add allow_empty => true.")));
}

/* ---- comparing ----------------------------------------------------------------- */

/* Whether the set has the fact; what it has before that fact goes into `passed`.  row: NULL for the end of the list. */
static bool
advance(const FactSet *set, int64 *next, const FactRow *row, FactSet *passed)
{
	for (; *next < set->count; (*next)++)
	{
		int			order = row == NULL ? -1 : triple_compare(&set->triple[*next], row);

		if (order == 0)
		{
			(*next)++;
			return true;
		}
		if (order > 0)
			break;
		CHECK_FOR_INTERRUPTS();
		passed->triple[passed->count++] = set->triple[*next];
	}
	return false;
}

/*
 * Leaves the rows that are new.  What is gone takes the beginning of the array that it was read into: as many facts as
 * that, at most, are passed by then.
 */
static void
compare(Sync *sync, FactSet facts, FactSet held)
{
	FactQuery  *query = &sync->query;
	int64		new = 0;
	int64		next_fact = 0;
	int64		next_held = 0;

	sync->gone = (FactSet) {.triple = facts.triple};
	sync->held_gone = (FactSet) {.triple = held.triple};
	for (int64 i = 0; i < query->facts; i++)
	{
		bool		known = advance(&facts, &next_fact, &query->row[i], &sync->gone);

		CHECK_FOR_INTERRUPTS();
		if (advance(&held, &next_held, &query->row[i], &sync->held_gone))
		{
			sync->held_out++;
			if (known)
				sync->gone.triple[sync->gone.count++] = query->row[i].triple;
		}
		else if (known)
			sync->unchanged++;
		else
			query->row[new++] = query->row[i];
	}
	advance(&facts, &next_fact, NULL, &sync->gone);
	advance(&held, &next_held, NULL, &sync->held_gone);
	query->facts = new;
}

/* ---- what is gone ---------------------------------------------------------------- */

/* A query need not return held-out facts that were loaded from elsewhere: they are not to be lost for that. */
static void
check_held_gone(const Sync *sync)
{
	if (sync->held_gone.count == 0)
		return;
	if (sync->prune && sync->held_out == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the query returns no held-out fact of graph \"%s\", which has " INT64_FORMAT,
						sync->query.graph->name, sync->held_gone.count),
				 errdetail("With prune, all of them would be deleted. Nothing was changed."),
				 errhint("Let the query return them, too; or delete them from %sholdout; or leave out prune.",
						 sync->query.graph->prefix)));
	if (!sync->prune)
		ereport(NOTICE,
				(errmsg(INT64_FORMAT " facts that are held out are not among the query's rows; they stay held out",
						sync->held_gone.count),
				 errhint("prune => true deletes them.")));
}

/* After the foreign keys have refused that an entity is deleted */
static void
raise_hidden_facts(const Graph *graph)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("entities cannot be pruned by role \"%s\"", GetUserNameFromId(GetUserId(), false)),
			 errdetail("Row security hides some of their facts from it, in %striple or %sholdout. Nothing was changed.",
					   graph->prefix, graph->prefix),
			 errhint("Leave out prune, or let a role prune that sees all facts, such as the graph's owner.")));
}

/* Entities without a fact, and what models and the table of inferences have of them. */
static int64
prune_entities(const Graph *graph)
{
	const char *statement = psprintf("delete from %1$sentity e "
									 "where not exists (select from %1$striple f where f.head = e.id) "
									 "and not exists (select from %1$striple f where f.tail = e.id) "
									 "and not exists (select from %1$sholdout f where f.head = e.id) "
									 "and not exists (select from %1$sholdout f where f.tail = e.id)", graph->prefix);
	MemoryContext context = CurrentMemoryContext;
	bool		sees_all = visibility_of_all_rows(get_relname_relid("triple", graph->schema)) &&
		visibility_of_all_rows(get_relname_relid("holdout", graph->schema));
	volatile uint64 pruned = 0;

	PG_TRY();
	{
		pruned = sql_run(statement, SQL_NO_ARGS);
	}
	PG_CATCH();
	{
		if (geterrcode() != ERRCODE_FOREIGN_KEY_VIOLATION || sees_all)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		raise_hidden_facts(graph);
	}
	PG_END_TRY();
	return (int64) pruned;
}

/* ---- the whole ------------------------------------------------------------------- */

static void
begin_writing(const Sync *sync)
{
	double		gone = (double) (sync->gone.count + sync->held_gone.count);
	double		new = (double) sync->query.facts;
	PhaseWork	work[PROGRESS_PHASES] = {
		[PHASE_DELETING] = {gone, DELETING_SECONDS},[PHASE_WRITING] = {new, WRITING_SECONDS},
		[PHASE_INDEXING] = {new, INDEXING_SECONDS}
	};

	progress_plan(sync->query.progress, work);
	progress_phase(sync->query.progress, PHASE_DELETING, gone);
}

static void
write_changes(Sync *sync)
{
	FactQuery  *query = &sync->query;
	NewFacts	facts = fact_query_facts(query, "train");

	facts.all_new = true;
	begin_writing(sync);
	fact_table_remove(query->graph, "train", &sync->gone, query->progress);
	if (sync->prune)
		fact_table_remove(query->graph, NULL, &sync->held_gone, query->progress);
	progress_phase(query->progress, PHASE_WRITING, (double) facts.count);
	sync->added = fact_table_add(&facts);
	if (sync->prune)
		sync->pruned = prune_entities(query->graph);
	fact_table_analyze(query->graph, sync->added + sync->gone.count);
}

/*
 * All that is kept of facts is in the query's context, for its count of memory.  source: a query to be kept; from_tables:
 * whether the graph's own one ran, which may have types.
 */
static void
bring_in_step(Sync *sync, const char *source, bool from_tables)
{
	FactQuery  *query = &sync->query;
	MemoryContext caller = MemoryContextSwitchTo(query->context);
	int			nest_level = sql_pin();

	progress_phase(query->progress, PHASE_COMPARING, 0);
	fact_query_settle(query);
	compare(sync, fact_table_read(query->graph, "train", NULL), fact_table_read(query->graph, NULL, NULL));
	check_held_gone(sync);
	write_changes(sync);
	if (source != NULL)
		keep_source(query->graph, source);
	if (from_tables)
	{
		SqlArgs		args = sql_args_text(query->graph->name);

		sql_run(psprintf("call %s_hkg_set_types($1::name)", extension_prefix()), &args);
	}
	sql_unpin(nest_level);
	MemoryContextSwitchTo(caller);
}

/* hkg_sync does not pin search_path: the query runs with the caller's. */
HKG_FUNCTION(hkg_sync);
Datum
hkg_sync(PG_FUNCTION_ARGS)
{
	static const FactQueryWords words = {"comparing the facts", "keep fewer of them in the graph", "Nothing was changed."};
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *text = PG_ARGISNULL(1) ? NULL : argument_text(fcinfo, 1, "query");
	Sync		sync = {
		.prune = DatumGetBool(argument(fcinfo, 2, "prune")),
		.allow_empty = DatumGetBool(argument(fcinfo, 3, "allow_empty")),
		.keep = DatumGetBool(argument(fcinfo, 4, "keep"))
	};

	sql_begin();
	sync.query = fact_query_begin(graph_open_pinned(name), words);
	sync.query.progress = progress_begin_load(sync.query.graph->schema);
	require_rights(&sync, text == NULL ? ACL_SELECT : sync.keep ? ACL_SELECT | ACL_INSERT | ACL_UPDATE : 0);
	graph_lock_for_load(sync.query.graph, "hkg_sync()");
	if (sync.prune)
		graph_lock_for_pruning(sync.query.graph);
	read_rows(&sync, text);
	graph_lock_facts(sync.query.graph, sync.prune);
	bring_in_step(&sync, sync.keep ? text : NULL, text == NULL);
	graph_check_name(sync.query.graph);
	sql_end();
	return sql_counts(fcinfo, (int64[]) {
		sync.added, sync.gone.count, sync.unchanged, sync.held_out, sync.query.entities_added,
		sync.query.relations_added, sync.pruned
	});
}
