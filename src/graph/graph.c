/*
 * graph.c
 *		A graph is a schema with our tables; here it is opened, names become ids,
 *		and facts become arrays (see graph.h).
 *
 * There is no catalogue of graphs: a schema is a graph when it holds the
 * tables.  What a user has no right to see, the server refuses in our
 * statements as in the user's own.
 */
#include "graph.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/varlena.h"

#include "server/argument.h"
#include "server/host.h"
#include "server/growing_array.h"
#include "server/sql.h"

/* names listed in a hint; with more of them, the nearest is named instead */
#define HINT_NAMES 12
/* varstr_levenshtein refuses longer ones */
#define LEVENSHTEIN_BYTES 255
/* so many are compared at most, which bounds what a typing error costs to some tenths of a second */
#define NAMES_COMPARED 200000

/* ---- opening ------------------------------------------------------------- */

static char *known_graphs_hint(const char *name);

static bool
is_graph(Oid schema)
{
	static const char *const tables[] = {
		"entity", "relation", "triple", "holdout", "model", "entity_embedding",
		"relation_embedding", "threshold", "evidence_weight", "rule", "inferred", "iteration", "checkpoint",
		"checkpoint_inferred", "trial"
	};

	for (int i = 0; i < (int) lengthof(tables); i++)
		if (!OidIsValid(get_relname_relid(tables[i], schema)))
			return false;
	return true;
}

Graph *
graph_open(const char *name)
{
	Graph	   *graph = palloc0(sizeof(Graph));

	graph->schema = get_namespace_oid(name, true);
	if (!OidIsValid(graph->schema))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("graph \"%s\" does not exist", name),
				 errhint("%s", known_graphs_hint(name))));
	if (!is_graph(graph->schema))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("schema \"%s\" is not a graph", name),
				 errdetail("It lacks tables that hkg_create_graph makes."),
				 errhint("%s", known_graphs_hint(name))));
	graph->name = pstrdup(name);
	graph->prefix = psprintf("%s.", quote_identifier(name));
	graph->facts = psprintf("%striple", graph->prefix);
	return graph;
}

/*
 * Advisory locks of a class that SQL's advisory functions (classes 1 and 2)
 * can't take: field 2 is the schema, field 3 the model's hash.
 */
#define LOAD_LOCK_CLASS 3
#define TRAINING_LOCK_CLASS 4
#define LOCK_TRIES 10

void
graph_lock_for_load(Graph *graph)
{
	LOCKTAG		tag;

	PreventCommandIfReadOnly("changes of a graph");
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, graph->schema, 0, LOAD_LOCK_CLASS);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

static void
lock_for_training(Graph *graph, const char *model, bool session)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, graph->schema,
						 hash_bytes((const unsigned char *) model, strlen(model)),
						 TRAINING_LOCK_CLASS);
	/* a training whose end is there to be seen holds its lock for a moment more */
	for (int try = 0; try < LOCK_TRIES; try++)
	{
		if (LockAcquire(&tag, ExclusiveLock, session, true) != LOCKACQUIRE_NOT_AVAIL)
			return;
		CHECK_FOR_INTERRUPTS();
		pg_usleep(10000);
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("model \"%s\" of graph \"%s\" is being trained by another session",
					model, graph->name),
			 errhint("Wait for it to end, or train under another model name.")));
}

void
graph_lock_for_training(Graph *graph, const char *model)
{
	PreventCommandIfReadOnly("changes of a graph");
	lock_for_training(graph, model, false);
	PushActiveSnapshot(GetTransactionSnapshot());
}

void
graph_leave_training(void)
{
	PopActiveSnapshot();
}

void
graph_lock_session_for_training(Graph *graph, const char *model)
{
	lock_for_training(graph, model, true);
}

HKG_FUNCTION(hkg_drop_graph);
Datum
hkg_drop_graph(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");

	sql_begin();
	graph_open(name);
	sql_run(psprintf("drop schema %s cascade", quote_identifier(name)), SQL_NO_ARGS);
	sql_end();
	PG_RETURN_VOID();
}

/* ---- rights --------------------------------------------------------------- */

/* Whether some columns are enough is for the statement to say. */
static bool
has_right(Oid table, AclMode right)
{
	return pg_class_aclcheck(table, GetUserId(), right) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(table, GetUserId(), right, ACLMASK_ANY) == ACLCHECK_OK;
}

/* Those that the user lacks, as a list; NULL: none */
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
		char	   *lacking = lacking_rights(get_relname_relid(needed[i].table, graph->schema), needed[i].rights);

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

/* ---- names --------------------------------------------------------------- */

/* Names are listed as long as they are few. */
typedef struct NameSample
{
	int			count;
	StringInfoData list;
} NameSample;

static void
append_name(void *argument, const Datum *values, const bool *nulls)
{
	NameSample *sample = argument;

	appendStringInfo(&sample->list, "%s\"%s\"", sample->count++ == 0 ? "" : ", ",
					 TextDatumGetCString(values[0]));
}

typedef struct NameSearch
{
	const char *name;
	int			length;
	int			best_distance;
	char	   *best;
} NameSearch;

static void
consider_name(void *argument, const Datum *values, const bool *nulls)
{
	NameSearch *search = argument;
	char	   *candidate = TextDatumGetCString(values[0]);
	int			distance;

	if (search->best_distance > 0)
	{
		distance = varstr_levenshtein_less_equal(search->name, search->length,
												 candidate, strlen(candidate), 1, 1, 1,
												 search->best_distance - 1, true);
		if (distance < search->best_distance)
		{
			search->best_distance = distance;
			search->best = candidate;
			return;
		}
	}
	pfree(candidate);
}

/* The name nearest to `name` of those that are about as long; NULL when none is like it. */
static char *
nearest_name(const char *names, const char *name)
{
	NameSearch	search = {.name = name,.length = strlen(name)};
	SqlArgs		args = {0};

	/* a name is taken for a misspelling when it is less than half wrong */
	search.best_distance = search.length / 2 + 1;
	if (search.length > LEVENSHTEIN_BYTES)
		return NULL;
	sql_arg(&args, INT4OID, Int32GetDatum(search.length - search.best_distance * MAX_MULTIBYTE_CHAR_LEN));
	sql_arg(&args, INT4OID, Int32GetDatum(Min(search.length + search.best_distance * MAX_MULTIBYTE_CHAR_LEN,
											  LEVENSHTEIN_BYTES)));
	sql_arg(&args, INT4OID, Int32GetDatum(NAMES_COMPARED));
	sql_stream(psprintf("select n.name from (select n.name from (%s) n "
						"where octet_length(n.name) between $1 and $2 limit $3) n order by 1", names),
			   &args, consider_name, &search);
	return search.best;
}

/* names: a query for all of them, as column `name`; listed: what a list of them begins with.  NULL when there are many, and none is like it. */
static char *
names_hint(const char *names, const char *name, const char *listed, const char *none)
{
	NameSample	sample = {0};
	char	   *nearest;

	initStringInfo(&sample.list);
	sql_stream(psprintf("select n.name from (%s) n order by 1 limit %d", names, HINT_NAMES + 1),
			   SQL_NO_ARGS, append_name, &sample);
	if (sample.count == 0)
		return pstrdup(none);
	if (sample.count <= HINT_NAMES)
		return psprintf("%s: %s.", listed, sample.list.data);
	nearest = nearest_name(names, name);
	return nearest == NULL ? NULL : psprintf("Did you mean \"%s\"?", nearest);
}

char *
graph_hint(Graph *graph, const char *table, const char *name)
{
	char	   *hint = names_hint(psprintf("select name::text from %s%s where name is not null", graph->prefix, table), name,
								  "Known are", psprintf("The table %s%s is empty.", graph->prefix, table));

	return hint != NULL ? hint :
		psprintf("The table %s%s lists the known ones.", graph->prefix, table);
}

static char *
known_graphs_hint(const char *name)
{
	char	   *hint = names_hint("select n.nspname::text as name from pg_catalog.pg_namespace n "
								  "where exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'triple') "
								  "and exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'checkpoint_inferred')",
								  name, "Known graphs are",
								  "There is no graph yet; hkg_create_graph makes one.");

	return hint != NULL ? hint : pstrdup("A graph is a schema that hkg_create_graph made.");
}

typedef struct KnownId
{
	const char *name;			/* the key */
	int32		id;
	char		status;			/* of the hash table */
} KnownId;

#define SH_PREFIX ids
#define SH_ELEMENT_TYPE KnownId
#define SH_KEY_TYPE const char *
#define SH_KEY name
#define SH_HASH_KEY(table, key) hash_bytes((const unsigned char *) (key), strlen(key))
#define SH_EQUAL(table, a, b) (strcmp(a, b) == 0)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

static int32
read_id(Graph *graph, const char *table, const char *name)
{
	SqlArgs		args = {0};
	Datum		id;

	sql_arg(&args, TEXTOID, CStringGetTextDatum(name));
	if (!sql_value(psprintf("select id::int from %s%s where name = $1", graph->prefix, table),
				   &args, &id))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("%s \"%s\" does not exist in graph \"%s\"", table, name, graph->name),
				 errhint("%s", graph_hint(graph, table, name))));
	return DatumGetInt32(id);
}

/* Rules by the hundred thousand name the same few again and again. */
static int32
find_id(Graph *graph, const char *table, ids_hash **ids, const char *name)
{
	MemoryContext context = GetMemoryChunkContext(graph);
	KnownId    *known;
	bool		found;
	int32		id;

	if (*ids == NULL)
		*ids = ids_create(context, 64, NULL);
	known = ids_lookup(*ids, name);
	if (known != NULL)
		return known->id;
	id = read_id(graph, table, name);
	ids_insert(*ids, MemoryContextStrdup(context, name), &found)->id = id;
	return id;
}

int32
graph_entity_id(Graph *graph, const char *name)
{
	return find_id(graph, "entity", &graph->entity_ids, name);
}

int32
graph_relation_id(Graph *graph, const char *name)
{
	return find_id(graph, "relation", &graph->relation_ids, name);
}

static void
no_such_id(Graph *graph, const char *table, int32 id)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("%s %d does not exist in graph \"%s\"", table, id, graph->name)));
}

typedef struct CachedName
{
	int32		id;				/* the key */
	char	   *name;
} CachedName;

/* Names by id, as long as the graph. */
static HTAB *
create_names(const Graph *graph)
{
	HASHCTL		control = {0};

	control.keysize = sizeof(int32);
	control.entrysize = sizeof(CachedName);
	control.hcxt = GetMemoryChunkContext((void *) graph);
	return hash_create("hybridkg names", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static const char *
read_entity_name(Graph *graph, int32 id)
{
	SqlArgs		args = {0};
	Datum		name;

	sql_arg(&args, INT4OID, Int32GetDatum(id));
	if (!sql_value(psprintf("select name::text from %sentity where id = $1", graph->prefix),
				   &args, &name))
		no_such_id(graph, "entity", id);
	return TextDatumGetCString(name);
}

const char *
graph_entity_name(Graph *graph, int32 id)
{
	CachedName *entry;

	if (graph->entity_names == NULL)
		graph->entity_names = create_names(graph);
	entry = hash_search(graph->entity_names, &id, HASH_FIND, NULL);
	if (entry == NULL)
	{
		char	   *name = MemoryContextStrdup(GetMemoryChunkContext(graph), read_entity_name(graph, id));

		entry = hash_search(graph->entity_names, &id, HASH_ENTER, NULL);
		entry->name = name;
	}
	return entry->name;
}

static void
add_relation_name(void *argument, const Datum *values, const bool *nulls)
{
	Graph	   *graph = argument;
	int32		id = DatumGetInt32(values[0]);
	CachedName *entry = hash_search(graph->relation_names, &id, HASH_ENTER, NULL);

	entry->name = MemoryContextStrdup(GetMemoryChunkContext(graph), TextDatumGetCString(values[1]));
}

const char *
graph_relation_name(Graph *graph, int32 id)
{
	CachedName *entry;

	if (graph->relation_names == NULL)
	{
		graph->relation_names = create_names(graph);
		sql_stream(psprintf("select id::int, name::text from %srelation where name is not null", graph->prefix),
				   SQL_NO_ARGS, add_relation_name, graph);
	}
	entry = hash_search(graph->relation_names, &id, HASH_FIND, NULL);
	if (entry == NULL)
		no_such_id(graph, "relation", id);
	return entry->name;
}

/* ---- facts as arrays ------------------------------------------------------ */

/* Before a list grows, which takes room for old and new. */
static void
check_memory(int64 count, int64 room, Size size)
{
	if (count == room)
		hkg_check_memory_or(3 * room * size, "reading the facts", "keep fewer of them in the graph");
}

static void
add_id(void *argument, const Datum *values, const bool *nulls)
{
	Numbers    *ids = argument;

	check_memory(ids->count, ids->room, sizeof(int32));
	numbers_append(ids, DatumGetInt32(values[0]));
}

static int32 *
read_ids(Graph *graph, const char *table, int32 *count)
{
	Numbers		ids = {0};

	numbers_reserve(&ids, 1);
	sql_stream(psprintf("select id::int from %s%s order by id", graph->prefix, table),
			   SQL_NO_ARGS, add_id, &ids);
	*count = (int32) ids.count;
	return ids.value;
}

int32
graph_row(const int32 *ids, int32 count, int32 id)
{
	int32		low = 0;
	int32		high = count - 1;
	int64		guess = count == 0 ? -1 : (int64) id - ids[0];

	/* ids without gaps, the usual case */
	if (guess >= 0 && guess < count && ids[guess] == id)
		return (int32) guess;
	while (low <= high)
	{
		int32		middle = low + (high - low) / 2;

		if (ids[middle] == id)
			return middle;
		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return -1;
}

typedef struct TripleList
{
	const GraphData *data;
	Triple  *triple;
	int64		count;
	int64		room;
} TripleList;

static void
add_triple(void *argument, const Datum *values, const bool *nulls)
{
	TripleList *list = argument;
	const GraphData *data = list->data;
	Triple  *triple;

	check_memory(list->count, list->room, sizeof(Triple));
	list->triple = array_reserve(list->triple, list->count + 1, &list->room, sizeof(Triple));
	triple = &list->triple[list->count++];
	triple->head = graph_row(data->entity_id, data->entities, DatumGetInt32(values[0]));
	triple->relation = graph_row(data->relation_id, data->relations, DatumGetInt32(values[1]));
	triple->tail = graph_row(data->entity_id, data->entities, DatumGetInt32(values[2]));
	/* foreign keys forbid it, but a superuser may have switched them off */
	if (triple->head < 0 || triple->relation < 0 || triple->tail < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("triple (%d, %d, %d) has an entity or a relation that is not in its table",
						DatumGetInt32(values[0]), DatumGetInt32(values[1]),
						DatumGetInt32(values[2])),
				 errhint("Delete it, or insert what it names.")));
}

/* Triples of a query for ids of head, relation and tail, in rows, as the query orders them. */
static Triple *
read_triples(const GraphData *data, const char *query, const SqlArgs *args, int64 *count)
{
	TripleList	list = {.data = data};

	list.triple = array_reserve(NULL, 1, &list.room, sizeof(Triple));
	sql_stream(query, args, add_triple, &list);
	*count = list.count;
	return list.triple;
}

GraphData *
graph_read(Graph *graph)
{
	GraphData  *data = palloc0(sizeof(GraphData));

	data->entity_id = read_ids(graph, "entity", &data->entities);
	data->relation_id = read_ids(graph, "relation", &data->relations);
	data->fact = read_triples(data,
							  psprintf("select head::int, relation::int, tail::int from %striple order by relation, head, tail",
									   graph->prefix),
							  SQL_NO_ARGS, &data->facts);
	return data;
}

Triple *
graph_read_split(Graph *graph, const GraphData *data, const char *split, int64 *count)
{
	SqlArgs		args = {0};

	if (split == NULL)
		sql_arg_null(&args, TEXTOID);
	else
		sql_arg(&args, TEXTOID, CStringGetTextDatum(split));
	return read_triples(data,
						psprintf("select head::int, relation::int, tail::int from %sholdout "
								 "where split = $1 or $1 is null order by relation, head, tail",
								 graph->prefix),
						&args, count);
}

Triple *
graph_read_known(Graph *graph, const GraphData *data, int64 *count)
{
	int64		held;
	Triple  *holdout = graph_read_split(graph, data, NULL, &held);
	Triple  *known = MemoryContextAllocHuge(CurrentMemoryContext,
											   sizeof(Triple) * Max(data->facts + held, 1));
	int64		fact = 0;
	int64		other = 0;

	for (*count = 0; *count < data->facts + held; (*count)++)
	{
		CHECK_FOR_INTERRUPTS();
		known[*count] = other == held ||
			(fact < data->facts && triple_compare(&data->fact[fact], &holdout[other]) <= 0) ?
			data->fact[fact++] : holdout[other++];
	}
	pfree(holdout);
	return known;
}

bool
graph_is_reflexive(Graph *graph, int32 relation)
{
	SqlArgs		args = {0};
	Datum		found;

	sql_arg(&args, INT4OID, Int32GetDatum(relation));
	return sql_value(psprintf("select true from %striple where relation = $1 and head = tail limit 1", graph->prefix),
					 &args, &found);
}

int64 *
facts_by_relation(const Triple *fact, int64 facts, int32 relations)
{
	int64	   *start = palloc_extended(((Size) relations + 1) * sizeof(int64), MCXT_ALLOC_HUGE);
	int64		next = 0;

	for (int32 relation = 0; relation < relations; relation++)
	{
		CHECK_FOR_INTERRUPTS();
		start[relation] = next;
		while (next < facts && fact[next].relation == relation)
			next++;
	}
	start[relations] = next;
	return start;
}

int64
facts_of_head(const Triple *fact, int64 low, int64 high, int32 head)
{
	while (low < high)
	{
		int64		middle = low + (high - low) / 2;

		if (fact[middle].head < head)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int
triple_compare(const void *a, const void *b)
{
	const Triple *left = a;
	const Triple *right = b;

	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	if (left->head != right->head)
		return left->head < right->head ? -1 : 1;
	if (left->tail != right->tail)
		return left->tail < right->tail ? -1 : 1;
	return 0;
}
