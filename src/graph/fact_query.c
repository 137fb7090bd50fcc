/*
 * fact_query.c
 *		The rows of a user's query, as facts by ids (see fact_query.h).
 *
 * The query runs once.  Of its rows we keep each distinct name, in the order of first appearance, and three numbers a
 * row; so they need memory for the distinct names and 20 bytes a row, and are refused as soon as that is more than
 * hybridkg.max_memory.  Then names that the graph lacks are inserted.  A bad row is found before anything is written.
 */
#include "fact_query.h"

#include "access/toast_internals.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/sort.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"
#include "server/user_query.h"

/* names of one statement, and about how many bytes they may have */
#define CHUNK_NAMES 50000
#define CHUNK_BYTES ((Size) 32 * 1024 * 1024)

/* bytes that always fit an index, in which an entry takes at most a third of a page */
#define SHORT (BLCKSZ / 4)
/* bytes shown of a name that does not */
#define BEGINNING 60

/* ---- names, each once ------------------------------------------------------ */

static NameList
name_list(const char *table)
{
	return (NameList) {.table = table,.position = named_numbers_create(CurrentMemoryContext)};
}

static int32
name_position(NameList *list, const char *name)
{
	bool		found;
	NamedNumber *entry = named_numbers_insert(list->position, name, &found);

	if (found)
		return entry->number;
	list->name = array_reserve(list->name, list->count + 1, &list->room, sizeof(char *));
	entry->name = list->name[list->count] = pstrdup(name);
	entry->number = (int32) list->count++;
	return entry->number;
}

/* What the next name takes beside its text, about */
static Size
growth(const NameList *list)
{
	Size		bytes = list->count == list->room ? 2 * list->room * sizeof(char *) : 0;

	return bytes + named_numbers_growth(list->position);
}

/* ---- the user's rows ------------------------------------------------------- */

static const char *const column_names[] = {"head", "relation", "tail"};

/* `more`: bytes to be allocated beside what is kept */
static void
check_memory(const FactQuery *query, Size more)
{
	hkg_check_memory_or(MemoryContextMemAllocated(query->context, true) + more,
						query->words.purpose, query->words.way_out);
}

static const char *
column_text(FactQuery *query, int column, Datum value, bool isnull)
{
	const char *text = isnull ? NULL : value_text_of(&query->names[column], value);

	if (text == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s of row " INT64_FORMAT " is null", column_names[column], query->rows + 1),
				 errdetail("%s", query->words.unharmed),
				 errhint("Leave such rows out with a WHERE clause.")));
	if (text[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s of row " INT64_FORMAT " is empty", column_names[column], query->rows + 1),
				 errdetail("%s", query->words.unharmed),
				 errhint("Leave such rows out with a WHERE clause.")));
	return text;
}

static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	FactQuery  *query = argument;
	MemoryContext caller = MemoryContextSwitchTo(query->texts);
	const char *text[3];
	Triple	   *triple;

	for (int i = 0; i < 3; i++)
		text[i] = column_text(query, i, values[i], nulls[i]);
	MemoryContextSwitchTo(caller);
	check_memory(query, growth(&query->entities) + growth(&query->relations) +
				 (query->rows < query->room ? 0 : 2 * query->room * sizeof(FactRow)));
	query->row = array_reserve(query->row, query->rows + 1, &query->room, sizeof(FactRow));
	triple = &query->row[query->rows++].triple;
	triple->head = name_position(&query->entities, text[0]);
	triple->relation = name_position(&query->relations, text[1]);
	triple->tail = name_position(&query->entities, text[2]);
	MemoryContextReset(query->texts);
	if (query->rows % PROGRESS_ROWS == 0)
		progress_rows(query->progress, query->rows);
}

static const UserQuery facts_wanted = {"query", lengthof(column_names), "head, relation and tail are needed",
"Its first three columns are taken as head, relation and tail."};

/* ---- names become ids ------------------------------------------------------- */

static void
take_known_id(void *argument, const Datum *values, const bool *nulls)
{
	NameList   *list = argument;
	char	   *name = TextDatumGetCString(sql_present(values, nulls, 1));

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
look_up_names(FactQuery *query, NameList *list, const Chunk *chunk)
{
	SqlArgs		args = {0};

	sql_arg(&args, TEXTARRAYOID, array_of_text(chunk->name, chunk->count));
	/* not on the caller's snapshot, which may be older than the load that this one waited for */
	sql_run_returning(psprintf("select t.id::int, n.name from %s%s t join unnest($1) n(name) on t.name = n.name",
							   query->graph->prefix, list->table),
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
check_names(const FactQuery *query, const NameList *list, const Chunk *chunk, const char *message)
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
			 errdetail("It begins with \"%.*s\": %s. %s",
					   pg_mbcliplen(longest, strlen(longest), BEGINNING), longest, message, query->words.unharmed),
			 errhint("Shorten all such names in the query: "
					 "case when octet_length(name) > %d then left(name, 200) || md5(name) else name end.",
					 SHORT - VARHDRSZ)));
}

/* After a new name's id was found taken: somebody inserted ids, and the sequence does not continue after them. */
static char *
taken_hint(const Graph *graph, const NameList *list, const char *constraint)
{
	const char *table = psprintf("%s%s", graph->prefix, list->table);

	if (constraint == NULL || strcmp(constraint, psprintf("%s_pkey", list->table)) != 0)
		return NULL;
	return psprintf("Ids were inserted by hand; new ones go on after them with: "
					"select setval(pg_get_serial_sequence(%s, 'id'), max(id)) from %s",
					quote_literal_cstr(table), table);
}

/* Throws again what inserting the names has thrown: what the server says of a name or an id, in the words of a load. */
static void
rethrow_for_names(const FactQuery *query, const NameList *list, const Chunk *chunk)
{
	ErrorData  *error = CopyErrorData();

	FlushErrorState();
	if (error->sqlerrcode == ERRCODE_PROGRAM_LIMIT_EXCEEDED)
		check_names(query, list, chunk, error->message);
	else if (error->sqlerrcode == ERRCODE_UNIQUE_VIOLATION)
		error->hint = taken_hint(query->graph, list, error->constraint_name);
	ReThrowError(error);
}

/* The ids of new names, as the insert has returned them */
static void
keep_ids(FactQuery *query, NameList *list, const Chunk *chunk, const Numbers *ids)
{
	if (ids->count != chunk->count)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				 errmsg("table %s%s took " INT64_FORMAT " of %d new names",
						query->graph->prefix, list->table, ids->count, chunk->count),
				 errhint("Remove the trigger or the rule that changes what is inserted into it.")));
	/* the rows of a reference table come back from a node, in an order that nothing promises */
	if (table_is_distributed(get_relname_relid(list->table, query->graph->schema)))
		look_up_names(query, list, chunk);
	else
		for (int i = 0; i < chunk->count; i++)
			list->id[chunk->position[i]] = ids->value[i];
}

static void
insert_names(FactQuery *query, NameList *list, const Chunk *chunk)
{
	MemoryContext context = CurrentMemoryContext;
	SqlArgs		args = {0};
	Numbers		ids = {0};

	odd_names_look(&query->odd, query->graph, list, chunk->position, chunk->count, query->context);
	sql_arg(&args, TEXTARRAYOID, array_of_text(chunk->name, chunk->count));
	PG_TRY();
	{
		sql_run_returning(psprintf("insert into %s%s (name) select n.name from unnest($1) "
								   "with ordinality n(name, place) order by n.place returning id::int",
								   query->graph->prefix, list->table),
						  &args, take_new_id, &ids);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		rethrow_for_names(query, list, chunk);
	}
	PG_END_TRY();
	keep_ids(query, list, chunk, &ids);
}

/* From that position on; returns the first one that is left. */
static int64
fill_chunk(const NameList *list, int64 next, Chunk *chunk)
{
	Size		bytes = 0;

	chunk->count = 0;
	for (; next < list->count && chunk->count < CHUNK_NAMES && bytes < CHUNK_BYTES; next++)
	{
		CHECK_FOR_INTERRUPTS();
		if (list->id[next] != NO_ID)
			continue;
		chunk->position[chunk->count] = (int32) next;
		chunk->name[chunk->count++] = list->name[next];
		bytes += strlen(list->name[next]);
	}
	return next;
}

/* Calls `action` with chunks of the names that have no id yet; returns the number of these names. */
static int64
for_nameless(FactQuery *query, NameList *list, void (*action) (FactQuery *, NameList *, const Chunk *))
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg names", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = CurrentMemoryContext;
	Chunk	   *chunk = palloc(sizeof(Chunk));
	int64		total = 0;
	int64		next = 0;

	while (next < list->count)
	{
		next = fill_chunk(list, next, chunk);
		MemoryContextSwitchTo(context);
		if (chunk->count > 0)
			action(query, list, chunk);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		total += chunk->count;
	}
	return total;
}

/* Whether the table has no names */
static bool
has_no_names(const FactQuery *query, const NameList *list)
{
	Datum		there;

	return list->known.count == 0 &&
		!sql_value(psprintf("select true from %s%s limit 1", query->graph->prefix, list->table), SQL_NO_ARGS, &there);
}

static int64
add_names(FactQuery *query, NameList *list)
{
	list->id = MemoryContextAllocHuge(CurrentMemoryContext, Max(list->count, 1) * sizeof(int32));
	for (int64 i = 0; i < list->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		list->id[i] = NO_ID;
	}
	numbers_reserve(&list->known, list->count);
	for_nameless(query, list, look_up_names);
	list->first = has_no_names(query, list);
	sort_array(hkg_leader(), POOL_LEADER, list->known.value, list->known.count, sizeof(int32), compare_int32);
	return for_nameless(query, list, insert_names);
}

/* ---- the whole --------------------------------------------------------------- */

FactQuery
fact_query_begin(Graph *graph, FactQueryWords words)
{
	FactQuery	query = {.graph = graph,.words = words};

	query.context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg query", ALLOCSET_DEFAULT_SIZES);
	query.texts = AllocSetContextCreate(query.context, "hybridkg row", ALLOCSET_DEFAULT_SIZES);
	return query;
}

void
fact_query_run(FactQuery *query, const char *text)
{
	MemoryContext caller = MemoryContextSwitchTo(query->context);
	int			nest_level = value_text_settings();

	query->entities = name_list("entity");
	query->relations = name_list("relation");
	user_query_check(&facts_wanted, text, query->names);
	sql_stream(text, SQL_NO_ARGS, take_row, query);
	sql_unpin(nest_level);
	MemoryContextSwitchTo(caller);
}

/* Positions become ids. */
static void
name_rows(FactQuery *query)
{
	for (int64 i = 0; i < query->rows; i++)
	{
		Triple	   *triple = &query->row[i].triple;

		CHECK_FOR_INTERRUPTS();
		triple->head = query->entities.id[triple->head];
		triple->relation = query->relations.id[triple->relation];
		triple->tail = query->entities.id[triple->tail];
	}
}

void
fact_query_settle(FactQuery *query)
{
	FactRow    *row = query->row;

	query->entities_added = add_names(query, &query->entities);
	query->relations_added = add_names(query, &query->relations);
	odd_names_raise(&query->odd);
	name_rows(query);
	sort_array(hkg_leader(), POOL_LEADER, row, query->rows, sizeof(FactRow), triple_compare);
	for (int64 i = 0; i < query->rows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (query->facts == 0 || triple_compare(&row[query->facts - 1], &row[i]) != 0)
			row[query->facts++] = row[i];
	}
}

NewFacts
fact_query_facts(const FactQuery *query, const char *split)
{
	return (NewFacts) {
		.graph = query->graph,
		.split = split,
		.row = query->row,
		.count = query->facts,
		.entities = &query->entities.known,
		.relations = &query->relations.known,
		.progress = query->progress
	};
}
