/*
 * lookup.c
 *		Names of entities and relations become ids, and ids names (see graph.h).
 *
 * A Graph keeps what it has looked up: rules by the hundred thousand name the same few relations and entities.
 */
#include "graph.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/varlena.h"

#include "server/argument.h"
#include "server/named_numbers.h"
#include "server/sql.h"

/* names listed in a hint; with more of them, the nearest is named instead */
#define HINT_NAMES 12
/* varstr_levenshtein refuses longer ones */
#define LEVENSHTEIN_BYTES 255
/* names read and compared at most, which bounds what a typing error costs to some tenths of a second */
#define NAMES_READ 2000000
#define NAMES_COMPARED 200000

/* ---- hints ------------------------------------------------------------------ */

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
					 argument_shown(TextDatumGetCString(sql_present(values, nulls, 0))));
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
	char	   *candidate = TextDatumGetCString(sql_present(values, nulls, 0));
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

/* The name nearest to `name` of those that are about as long; NULL when none is similar. */
static char *
nearest_name(const char *names, const char *name)
{
	NameSearch	search = {.name = name,.length = strlen(name)};
	SqlArgs		args = {0};

	/* names that differ in more than half of their characters are not similar */
	search.best_distance = search.length / 2 + 1;
	if (search.length > LEVENSHTEIN_BYTES)
		return NULL;
	sql_arg(&args, INT4OID, Int32GetDatum(search.length - search.best_distance * MAX_MULTIBYTE_CHAR_LEN));
	sql_arg(&args, INT4OID, Int32GetDatum(Min(search.length + search.best_distance * MAX_MULTIBYTE_CHAR_LEN,
											  LEVENSHTEIN_BYTES)));
	sql_arg(&args, INT4OID, Int32GetDatum(NAMES_READ));
	sql_arg(&args, INT4OID, Int32GetDatum(NAMES_COMPARED));
	sql_stream(psprintf("select n.name from (select n.name from (select n.name from (%s) n limit $3) n "
						"where octet_length(n.name) between $1 and $2 limit $4) n order by 1", names),
			   &args, consider_name, &search);
	return search.best;
}

/*
 * names: a query for all of them, as column `name`; listed: what a list of them begins with; none: the hint when there
 * are none.  NULL when there are many and none is similar.
 */
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

/* `table` is entity, relation or model. */
char *
graph_hint(Graph *graph, const char *table, const char *name)
{
	const char *none = strcmp(table, "model") == 0 ? "The graph has no model yet; hkg_train makes one, with minutes => 0.2 in seconds." :
		"The graph has no facts yet; hkg_load adds some.";
	char	   *hint = names_hint(psprintf("select name::text from %s%s where name is not null", graph->prefix, table),
								  name, "Known are", none);

	return hint != NULL ? hint :
		psprintf("The table %s%s lists the known ones.", graph->prefix, table);
}

char *
graphs_hint(const char *name)
{
	char	   *hint = names_hint("select n.nspname::text as name from pg_catalog.pg_namespace n "
								  "join pg_catalog.pg_class c on c.relnamespace = n.oid "
								  "join pg_catalog.pg_attribute a on a.attrelid = c.oid "
								  "where c.relname = 'layout' and c.relkind = 'v' and a.attname = 'version'",
								  name, "Known graphs are",
								  "There is no graph yet; hkg_create_graph makes one.");

	return hint != NULL ? hint : pstrdup("A graph is a schema that hkg_create_graph made.");
}

/* ---- ids by name ------------------------------------------------------------ */

/* For an entity where a relation is expected, or the other way round; NULL where it is neither. */
static char *
order_hint(Graph *graph, const char *table, const char *name)
{
	const char *other = strcmp(table, "entity") == 0 ? "relation" : "entity";
	SqlArgs		args = sql_args_text(name);
	Datum		id;

	if (!graph_may_read(graph, other) ||
		!sql_value(psprintf("select id::int from %s where name = $1", graph_table_name(graph, other)), &args, &id))
		return NULL;
	return psprintf("%s of that name exists; the order is head, relation, tail.",
					strcmp(other, "entity") == 0 ? "An entity" : "A relation");
}

static void
no_such_name(Graph *graph, const char *table, const char *name)
{
	char	   *hint = order_hint(graph, table, name);

	if (hint == NULL)
		hint = graph_hint(graph, table, name);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("%s \"%s\" does not exist in graph \"%s\"", table, argument_shown(name), graph->name),
			 errhint("%s", hint)));
}

static bool
find_id(Graph *graph, const char *table, NamedNumbers **ids, const char *name, int32 *id)
{
	MemoryContext context = GetMemoryChunkContext(graph);
	NamedNumber *known;
	SqlArgs		args;
	Datum		value;
	bool		found;

	if (*ids == NULL)
		*ids = named_numbers_create(context);
	known = named_numbers_find(*ids, name);
	if (known == NULL)
	{
		args = sql_args_text(name);
		if (!sql_value(psprintf("select id::int from %s where name = $1", graph_table_name(graph, table)), &args, &value))
			return false;
		known = named_numbers_insert(*ids, MemoryContextStrdup(context, name), &found);
		known->number = DatumGetInt32(value);
	}
	*id = known->number;
	return true;
}

bool
graph_find_entity(Graph *graph, const char *name, int32 *id)
{
	return find_id(graph, "entity", &graph->entity_ids, name, id);
}

bool
graph_find_relation(Graph *graph, const char *name, int32 *id)
{
	return find_id(graph, "relation", &graph->relation_ids, name, id);
}

int32
graph_entity_id(Graph *graph, const char *name)
{
	int32		id = 0;

	if (!graph_find_entity(graph, name, &id))
		no_such_name(graph, "entity", name);
	return id;
}

int32
graph_relation_id(Graph *graph, const char *name)
{
	int32		id = 0;

	if (!graph_find_relation(graph, name, &id))
		no_such_name(graph, "relation", name);
	return id;
}

static void
no_such_id(Graph *graph, const char *table, int32 id)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("%s %d does not exist in graph \"%s\"", table, id, graph->name)));
}

/* ---- names by id ------------------------------------------------------------ */

typedef struct CachedName
{
	int32		id;				/* the key */
	char	   *name;
} CachedName;

/* In the graph's memory context. */
static HTAB *
create_names(Graph *graph)
{
	HASHCTL		control = {0};

	control.keysize = sizeof(int32);
	control.entrysize = sizeof(CachedName);
	control.hcxt = GetMemoryChunkContext(graph);
	return hash_create("hybridkg names", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static const char *
keep_name(Graph *graph, HTAB *names, int32 id, Datum name)
{
	char	   *copy = MemoryContextStrdup(GetMemoryChunkContext(graph), TextDatumGetCString(name));

	((CachedName *) hash_search(names, &id, HASH_ENTER, NULL))->name = copy;
	return copy;
}

static Datum
read_entity_name(Graph *graph, int32 id)
{
	SqlArgs		args = {0};
	Datum		name;

	sql_arg(&args, INT4OID, Int32GetDatum(id));
	if (!sql_value(psprintf("select name::text from %s where id = $1", graph_table_name(graph, "entity")),
				   &args, &name))
		no_such_id(graph, "entity", id);
	return name;
}

const char *
graph_entity_name(Graph *graph, int32 id)
{
	CachedName *entry;

	if (graph->entity_names == NULL)
		graph->entity_names = create_names(graph);
	entry = hash_search(graph->entity_names, &id, HASH_FIND, NULL);
	return entry != NULL ? entry->name : keep_name(graph, graph->entity_names, id, read_entity_name(graph, id));
}

static void
add_relation_name(void *argument, const Datum *values, const bool *nulls)
{
	Graph	   *graph = argument;

	keep_name(graph, graph->relation_names, DatumGetInt32(values[0]), sql_present(values, nulls, 1));
}

void
graph_keep_relation_names(Graph *graph)
{
	if (graph->relation_names != NULL)
		return;
	graph->relation_names = create_names(graph);
	sql_stream(psprintf("select id::int, name::text from %s where name is not null", graph_table_name(graph, "relation")),
			   SQL_NO_ARGS, add_relation_name, graph);
}

const char *
graph_relation_name(Graph *graph, int32 id)
{
	CachedName *entry;

	graph_keep_relation_names(graph);
	entry = hash_search(graph->relation_names, &id, HASH_FIND, NULL);
	if (entry == NULL)
		no_such_id(graph, "relation", id);
	return entry->name;
}

char *
graph_names_join(const Graph *graph)
{
	return psprintf("join %1$sentity h on h.id = u.head join %1$srelation r on r.id = u.relation "
					"join %1$sentity t on t.id = u.tail", graph->prefix);
}
