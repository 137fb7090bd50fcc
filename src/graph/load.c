/*
 * load.c
 *		hkg_load: the rows of any query become facts.
 *
 * The user's query runs once.  Of its rows we keep each distinct name, in the order of first appearance, and three
 * numbers a row; so a load needs memory for the distinct names and 20 bytes a row, and is refused as soon as that is
 * more than hybridkg.max_memory.  Then names that the graph lacks are inserted, and after them the facts: by the writer
 * of facts, or where that must not, by statements.  A bad row is found before anything is written.  Loads of one graph
 * wait for each other; who may not load waits for nothing, and has no query run.
 */
#include "server/compat.h"

#include "access/toast_internals.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "tcop/cmdtag.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

#include "core/sort.h"
#include "fact_writer.h"
#include "graph.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/name_table.h"
#include "server/sql.h"

/* names of one statement */
#define CHUNK_NAMES 50000

#define NO_ID PG_INT32_MIN

/* how often the view hkg_progress gets their number */
#define SHOWN_ROWS 1000

/* Guesses until they are measured, for each row: writing it, with its names, and its index entries */
#define WRITING_SECONDS 4e-6
#define INDEXING_SECONDS 4e-6

/* bytes that always fit an index, in which an entry takes at most a third of a page */
#define SHORT (BLCKSZ / 4)
/* bytes shown of a name that does not */
#define BEGINNING 60

/* ---- names, each once ------------------------------------------------------ */

typedef struct NameList
{
	const char *table;
	names_hash *position;		/* in `name` */
	char	  **name;			/* by first appearance */
	int32	   *id;				/* of name[i]; NO_ID until it was looked up or inserted */
	int64		count;
	int64		room;
	Numbers		known;			/* ids that were in the table; ascending, once all were looked up */
} NameList;

static NameList
name_list(const char *table)
{
	return (NameList) {.table = table,.position = names_create(CurrentMemoryContext, 1024, NULL)};
}

static int32
name_position(NameList *list, const char *name)
{
	bool		found;
	NamedNumber *entry = names_insert(list->position, name, &found);

	if (found)
		return entry->number;
	list->name = array_reserve(list->name, list->count + 1, &list->room, sizeof(char *));
	entry->name = list->name[list->count] = pstrdup(name);
	entry->number = (int32) list->count++;
	return entry->number;
}

/* What the next name takes beside its text: 0 unless the arrays grow. */
static Size
growth(const NameList *list)
{
	Size		bytes = list->count == list->room ? 2 * list->room * sizeof(char *) : 0;

	if (list->position->members + 2 >= list->position->grow_threshold)
		bytes += 2 * list->position->size * sizeof(NamedNumber);
	return bytes;
}

/* ---- the user's rows ------------------------------------------------------- */

typedef struct Load
{
	Graph	   *graph;
	NameList	entities;
	NameList	relations;
	MemoryContext context;		/* of all that is kept of the rows */
	MemoryContext texts;		/* of one row */
	FmgrInfo	output[3];		/* of the query's columns */
	FactRow    *row;			/* positions in the name lists, then ids */
	int64		rows;
	int64		room;
	const char *split;
	Progress   *progress;
	int64		triples_added;
	int64		entities_added;
	int64		relations_added;
} Load;

static const char *const column_names[] = {"head", "relation", "tail"};

/* `more`: bytes to be allocated beside what is kept */
static void
check_memory(const Load *load, Size more)
{
	hkg_check_memory_or(MemoryContextMemAllocated(load->context, true) + more,
						"loading", "load the rows in parts");
}

static const char *
column_text(Load *load, int column, Datum value, bool isnull)
{
	const char *text;

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s of row " INT64_FORMAT " is null", column_names[column], load->rows + 1),
				 errdetail("Nothing was loaded."),
				 errhint("Leave such rows out with a WHERE clause.")));
	text = OutputFunctionCall(&load->output[column], value);
	if (text[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s of row " INT64_FORMAT " is empty", column_names[column], load->rows + 1),
				 errdetail("Nothing was loaded."),
				 errhint("Leave such rows out with a WHERE clause.")));
	return text;
}

static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	Load	   *load = argument;
	MemoryContext caller = MemoryContextSwitchTo(load->texts);
	const char *text[3];
	Triple	   *triple;

	for (int i = 0; i < 3; i++)
		text[i] = column_text(load, i, values[i], nulls[i]);
	MemoryContextSwitchTo(caller);
	check_memory(load, growth(&load->entities) + growth(&load->relations) +
				 (load->rows < load->room ? 0 : 2 * load->room * sizeof(FactRow)));
	load->row = array_reserve(load->row, load->rows + 1, &load->room, sizeof(FactRow));
	triple = &load->row[load->rows++].triple;
	triple->head = name_position(&load->entities, text[0]);
	triple->relation = name_position(&load->relations, text[1]);
	triple->tail = name_position(&load->entities, text[2]);
	MemoryContextReset(load->texts);
	if (load->rows % SHOWN_ROWS == 0)
		progress_rows(load->progress, load->rows);
}

/* The server would refuse these with "not allowed in a non-volatile function", which says nothing of the way out. */
static bool
writes(const CachedPlanSource *source)
{
	const Query *query = linitial_node(Query, source->query_list);

	return query->hasModifyingCTE || query->rowMarks != NIL;
}

/* The query must be one SELECT (VALUES, TABLE, WITH) of three columns or more. */
static void
check_query(Load *load, const char *query)
{
	MemoryContext caller = CurrentMemoryContext;
	SPIPlanPtr	plan = SPI_prepare(query, 0, NULL);
	List	   *sources;
	CachedPlanSource *source;

	MemoryContextSwitchTo(caller);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query: %s", SPI_result_code_string(SPI_result));
	sources = SPI_plan_get_plan_sources(plan);
	source = list_length(sources) == 1 ? linitial(sources) : NULL;
	if (source == NULL || source->commandTag != CMDTAG_SELECT || source->resultDesc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("query must be one SELECT"),
				 errhint("Its first three columns are taken as head, relation and tail.")));
	if (source->resultDesc->natts < 3)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("query has %d columns, but head, relation and tail are needed",
						source->resultDesc->natts),
				 errhint("Its first three columns are taken as head, relation and tail.")));
	if (writes(source))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("query must only read"),
				 errhint("Write, or lock rows, by a statement of its own.")));
	for (int i = 0; i < 3; i++)
	{
		Oid			output;
		bool		varlena;

		getTypeOutputInfo(TupleDescAttr(source->resultDesc, i)->atttypid, &output, &varlena);
		fmgr_info(output, &load->output[i]);
	}
	SPI_freeplan(plan);
}

/* ---- names become ids ------------------------------------------------------- */

static void
take_known_id(void *argument, const Datum *values, const bool *nulls)
{
	NameList   *list = argument;
	char	   *name = TextDatumGetCString(values[1]);

	list->id[name_position(list, name)] = DatumGetInt32(values[0]);
	numbers_append(&list->known, DatumGetInt32(values[0]));
	pfree(name);
}

/* Names of a list that have no id yet, for one statement */
typedef struct Chunk
{
	int			count;
	int32		position[CHUNK_NAMES];	/* in the list */
	char	   *name[CHUNK_NAMES];
} Chunk;

static void
take_new_id(void *argument, const Datum *values, const bool *nulls)
{
	numbers_append(argument, DatumGetInt32(values[0]));
}

/* Fetches the ids of the names that are in the table. */
static void
look_up_names(Load *load, NameList *list, const Chunk *chunk)
{
	SqlArgs		args = {0};

	sql_arg(&args, TEXTARRAYOID, array_of_text(chunk->name, chunk->count));
	/* not on the caller's snapshot, which may be older than the load that this one waited for */
	sql_run_returning(psprintf("select t.id::int, n.name from %s%s t join unnest($1) n(name) on t.name = n.name",
							   load->graph->prefix, list->table),
					  &args, take_known_id, list);
}

/* The bytes of a name in an index, which compresses it when that makes it shorter. */
static Size
indexed_bytes(const char *name)
{
	Datum		value = CStringGetTextDatum(name);
	Datum		compressed = toast_compress_datum(value, InvalidCompressionMethod);

	return VARSIZE(DatumGetPointer(DatumGetPointer(compressed) == NULL ? value : compressed));
}

/* After the server has refused a name as too long: ERROR that names the longest; the HINT shortens all of them. */
static void
check_names(const NameList *list, const Chunk *chunk, const char *message)
{
	const char *longest = NULL;
	Size		most = SHORT;

	for (int i = 0; i < chunk->count; i++)
	{
		const char *name = chunk->name[i];
		Size		bytes = strlen(name) <= most ? 0 : indexed_bytes(name);

		CHECK_FOR_INTERRUPTS();
		if (bytes <= most)
			continue;
		most = bytes;
		longest = name;
	}
	if (longest == NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s name is too long: %zu bytes, %zu as they are indexed", list->table, strlen(longest), most),
			 errdetail("It begins with \"%.*s\": %s. Nothing was loaded.",
					   pg_mbcliplen(longest, strlen(longest), BEGINNING), longest, message),
			 errhint("Shorten all such names in the query: case when octet_length(name) > %d then left(name, 200) || md5(name) else name end.", SHORT - VARHDRSZ)));
}

/* After a new name's id was found taken: somebody inserted ids, and the sequence does not continue after them. */
static char *
taken_hint(const Graph *graph, const NameList *list, const char *constraint)
{
	const char *table = psprintf("%s%s", graph->prefix, list->table);

	if (constraint == NULL || strcmp(constraint, psprintf("%s_pkey", list->table)) != 0)
		return NULL;
	return psprintf("Ids were inserted by hand; new ones go on after them with: select setval(pg_get_serial_sequence(%s, 'id'), max(id)) from %s",
					quote_literal_cstr(table), table);
}

static void
insert_names(Load *load, NameList *list, const Chunk *chunk)
{
	MemoryContext context = CurrentMemoryContext;
	SqlArgs		args = {0};
	Numbers		ids = {0};

	sql_arg(&args, TEXTARRAYOID, array_of_text(chunk->name, chunk->count));
	PG_TRY();
	{
		sql_run_returning(psprintf("insert into %s%s (name) select n.name from unnest($1) "
								   "with ordinality n(name, place) order by n.place returning id::int",
								   load->graph->prefix, list->table),
						  &args, take_new_id, &ids);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		if (error->sqlerrcode == ERRCODE_PROGRAM_LIMIT_EXCEEDED)
			check_names(list, chunk, error->message);
		else if (error->sqlerrcode == ERRCODE_UNIQUE_VIOLATION)
			error->hint = taken_hint(load->graph, list, error->constraint_name);
		ReThrowError(error);
	}
	PG_END_TRY();
	if (ids.count != chunk->count)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				 errmsg("table %s%s took " INT64_FORMAT " of %d new names",
						load->graph->prefix, list->table, ids.count, chunk->count),
				 errhint("Remove the trigger or the rule that changes what is inserted into it.")));
	for (int i = 0; i < chunk->count; i++)
		list->id[chunk->position[i]] = ids.value[i];
}

/* Calls `action` with chunks of the names that have no id yet; returns the number of these names. */
static int64
for_nameless(Load *load, NameList *list, void (*action) (Load *, NameList *, const Chunk *))
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg load", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = CurrentMemoryContext;
	Chunk	   *chunk = palloc(sizeof(Chunk));
	int64		total = 0;
	int64		next = 0;

	while (next < list->count)
	{
		chunk->count = 0;
		for (; next < list->count && chunk->count < CHUNK_NAMES; next++)
			if (list->id[next] == NO_ID)
			{
				chunk->position[chunk->count] = (int32) next;
				chunk->name[chunk->count++] = list->name[next];
			}
		MemoryContextSwitchTo(context);
		if (chunk->count > 0)
			action(load, list, chunk);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		total += chunk->count;
	}
	return total;
}

static int
compare_ids(const void *a, const void *b)
{
	int32		left = *(const int32 *) a;
	int32		right = *(const int32 *) b;

	return left < right ? -1 : left > right;
}

static int64
add_names(Load *load, NameList *list)
{
	list->id = MemoryContextAllocHuge(CurrentMemoryContext, Max(list->count, 1) * sizeof(int32));
	for (int64 i = 0; i < list->count; i++)
		list->id[i] = NO_ID;
	numbers_reserve(&list->known, list->count);
	for_nameless(load, list, look_up_names);
	sort_array(hkg_leader(), POOL_LEADER, list->known.value, list->known.count, sizeof(int32), compare_ids);
	return for_nameless(load, list, insert_names);
}

/* ---- facts ------------------------------------------------------------------ */

/* Positions become ids; ordered, each triple once.  Returns how many are left. */
static int64
settle_rows(Load *load)
{
	FactRow    *row = load->row;
	int64		distinct = 0;

	for (int64 i = 0; i < load->rows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		row[i].triple.head = load->entities.id[row[i].triple.head];
		row[i].triple.relation = load->relations.id[row[i].triple.relation];
		row[i].triple.tail = load->entities.id[row[i].triple.tail];
	}
	sort_array(hkg_leader(), POOL_LEADER, row, load->rows, sizeof(FactRow), triple_compare);
	for (int64 i = 0; i < load->rows; i++)
		if (distinct == 0 || triple_compare(&row[distinct - 1], &row[i]) != 0)
			row[distinct++] = row[i];
	return distinct;
}

/* Inserts what the writer of facts (fact_writer.h) leaves to a statement. */
static int64
insert_by_statement(const NewFacts *facts)
{
	static const Oid types[] = {INT4OID, INT4OID, INT4OID, TEXTOID};
	bool		train = strcmp(facts->split, "train") == 0;
	Datum		values[4] = {[3] = CStringGetTextDatum(facts->split)};
	SqlBatch   *batch;

	batch = sql_batch_begin(psprintf(train ? "insert into %striple select * from unnest($1, $2, $3) on conflict do nothing" :
									 "insert into %sholdout select s, h, r, t from unnest($1, $2, $3, $4) u(h, r, t, s) on conflict do nothing",
									 facts->graph->prefix),
							train ? 3 : 4, types);
	for (int64 i = 0; i < facts->count; i++)
	{
		const Triple *triple = &facts->row[i].triple;

		values[0] = Int32GetDatum(triple->head);
		values[1] = Int32GetDatum(triple->relation);
		values[2] = Int32GetDatum(triple->tail);
		sql_batch_row(batch, values, NULL);
		if (i % SHOWN_ROWS == 0)
			progress_rows(facts->progress, i);
	}
	return sql_batch_end(batch);
}

static void
add_facts(Load *load)
{
	NewFacts	facts = {
		.graph = load->graph,
		.split = load->split,
		.row = load->row,
		.count = settle_rows(load),
		.entities = &load->entities.known,
		.relations = &load->relations.known,
		.progress = load->progress
	};

	load->triples_added = facts_write(&facts) ? facts.count : insert_by_statement(&facts);
}

/* ---- the function ------------------------------------------------------------ */

/* hkg_load does not pin search_path: the user's query runs with the caller's. */
static Graph *
open_graph(const char *name)
{
	int			nest_level = sql_pin();
	Graph	   *graph = graph_open(name);

	sql_unpin(nest_level);
	return graph;
}

/* Before the load waits for others, and others for it.  Names that are new need more, which their statement checks. */
static void
require_rights(const Load *load)
{
	TableRights needed[] = {
		{"entity", ACL_SELECT}, {"relation", ACL_SELECT},
		{strcmp(load->split, "train") == 0 ? "triple" : "holdout", ACL_INSERT}
	};

	graph_require_rights(load->graph, needed, lengthof(needed));
}

/* Fresh statistics for later joins, where the caller owns the tables. */
static void
analyze_tables(Graph *graph)
{
	SqlArgs		args = {0};
	Datum		owned;

	sql_arg(&args, OIDOID, ObjectIdGetDatum(graph->schema));
	if (sql_value("select pg_catalog.pg_has_role(relowner, 'usage') from pg_catalog.pg_class "
				  "where relnamespace = $1 and relname = 'triple'", &args, &owned) &&
		DatumGetBool(owned))
		sql_run(psprintf("analyze %sentity, %srelation, %striple",
						 graph->prefix, graph->prefix, graph->prefix), SQL_NO_ARGS);
}

static void
read_rows(Load *load, const char *query)
{
	MemoryContext caller = MemoryContextSwitchTo(load->context);

	load->entities = name_list("entity");
	load->relations = name_list("relation");
	check_query(load, query);
	sql_stream(query, SQL_NO_ARGS, take_row, load);
	MemoryContextSwitchTo(caller);
}

static void
write_rows(Load *load)
{
	int			nest_level = sql_pin();
	double		rows = (double) load->rows;
	PhaseWork	work[PROGRESS_PHASES] = {
		[PHASE_WRITING] = {rows, WRITING_SECONDS},[PHASE_INDEXING] = {rows, INDEXING_SECONDS}
	};

	progress_plan(load->progress, work);
	progress_phase(load->progress, PHASE_WRITING, rows);
	load->entities_added = add_names(load, &load->entities);
	load->relations_added = add_names(load, &load->relations);
	add_facts(load);
	if (load->triples_added > 0)
		analyze_tables(load->graph);
	sql_unpin(nest_level);
}

HKG_FUNCTION(hkg_load);
Datum
hkg_load(PG_FUNCTION_ARGS)
{
	static const char *const splits[] = {"train", "valid", "test", NULL};
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *query = argument_text(fcinfo, 1, "query");
	char	   *split = argument_text(fcinfo, 2, "split");
	Load		load = {0};
	TupleDesc	descriptor;
	Datum		values[4];
	bool		nulls[4] = {false};

	argument_choice(split, "split", splits);
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	sql_begin();
	load.graph = open_graph(name);
	load.split = split;
	load.progress = progress_begin_load(load.graph->schema);
	load.context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg load", ALLOCSET_DEFAULT_SIZES);
	load.texts = AllocSetContextCreate(load.context, "hybridkg load row", ALLOCSET_DEFAULT_SIZES);
	require_rights(&load);
	graph_lock_for_load(load.graph);
	read_rows(&load, query);
	write_rows(&load);
	sql_end();
	values[0] = Int64GetDatum(load.triples_added);
	values[1] = Int64GetDatum(load.rows - load.triples_added);
	values[2] = Int64GetDatum(load.entities_added);
	values[3] = Int64GetDatum(load.relations_added);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
