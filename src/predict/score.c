/*
 * score.c
 *		hkg_score and hkg_classify: one triple, by its names.
 *
 * They are called row by row, up to millions of times in a query.  All of these
 * calls see one snapshot, so each call site remembers which model and which rows
 * the names led to, and looks again only when somebody might see something else:
 * another snapshot, transaction, subtransaction or user.  Setting search_path for
 * each row would take longer than all of that, so it is set where tables are read.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "server/argument.h"
#include "model/model_evidence.h"
#include "model/model.h"
#include "server/sql.h"
#include "server/visibility.h"

/* ---- names, row by row ---------------------------------------------------------------- */

/* What a name stands for: entities and relations in one table */
typedef struct KnownName
{
	const char *name;			/* the key: 'e' or 'r', then the name */
	int32		row;
	char		status;
} KnownName;

#define SH_PREFIX names
#define SH_ELEMENT_TYPE KnownName
#define SH_KEY_TYPE const char *
#define SH_KEY name
#define SH_HASH_KEY(table, key) hash_bytes((const unsigned char *) (key), strlen(key))
#define SH_EQUAL(table, a, b) (strcmp(a, b) == 0)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* names remembered; with more, start anew */
#define NAMES_LIMIT 1000000
/* after that many look-ups, read all entities at once, if they are not too many */
#define LOOKUPS_LIMIT 500
#define ENTITIES_AT_ONCE 100000

/* What a call site of hkg_score remembers */
typedef struct Memory
{
	MemoryContext context;		/* all below; reset when they no longer hold */
	char	   *graph;			/* as typed; NULL: nothing is remembered */
	char	   *model;
	Visibility		view;
	uint64		serial;			/* of the model's copy */
	names_hash *names;
	int			lookups;		/* names looked up so far, -1 when all are there */
	double	   *threshold;		/* by EV_KINDS * relation + kind, NaN when not looked up; or NULL */
	uint64		evidence_serial;	/* the evidence's; 0: it is not there */
	const Evidence *evidence;
	EvAnswering    *answering;
} Memory;

/* A triple by name; names carry their kind ahead, see KnownName. */
typedef struct NamedTriple
{
	char	   *head;
	char	   *relation;
	char	   *tail;
} NamedTriple;

static void
forget_all(Memory *memory)
{
	memory->graph = NULL;
	MemoryContextReset(memory->context);
}

/* The call site's memory, empty unless it holds for these names and what is seen now. */
static Memory *
call_site_memory(FunctionCallInfo fcinfo, const char *graph, const char *model)
{
	Memory	   *memory = fcinfo->flinfo->fn_extra;

	if (memory == NULL)
	{
		memory = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Memory));
		memory->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "hybridkg names",
												ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = memory;
	}
	if (memory->graph != NULL &&
		(strcmp(memory->graph, graph) != 0 || strcmp(memory->model, model) != 0 ||
		 memory->names->members >= NAMES_LIMIT || !visibility_is_active(&memory->view)))
		forget_all(memory);
	return memory;
}

static void
remember_model(Memory *memory, const char *graph, const Model *model)
{
	MemoryContext caller;

	forget_all(memory);
	if (model->serial == 0)
		return;
	caller = MemoryContextSwitchTo(memory->context);
	memory->names = names_create(memory->context, 64, NULL);
	memory->lookups = 0;
	memory->threshold = NULL;
	memory->evidence_serial = 0;
	memory->view = visibility_active();
	memory->serial = model->serial;
	memory->model = pstrdup(model->name);
	memory->graph = pstrdup(graph);
	MemoryContextSwitchTo(caller);
}

static void
remember_row(Memory *memory, const char *key, int32 row)
{
	bool		found;

	key = MemoryContextStrdup(memory->context, key);
	names_insert(memory->names, key, &found)->row = row;
}

static bool
recall_row(const Memory *memory, const char *key, int32 *row)
{
	KnownName  *found = memory->graph == NULL ? NULL : names_lookup(memory->names, key);

	if (found != NULL)
		*row = found->row;
	return found != NULL;
}

typedef struct EntityNames
{
	Memory	   *memory;
	const Model *model;
} EntityNames;

static void
take_entity_name(void *argument, const Datum *values, const bool *nulls)
{
	EntityNames *entities = argument;
	const Model *model = entities->model;
	int32		row = graph_row(model->entity_id, model->kge.entities, DatumGetInt32(values[0]));
	char	   *key = TextDatumGetCString(values[1]);

	if (row >= 0)
		remember_row(entities->memory, key, row);
	pfree(key);
}

/* Millions of rows with thousands of entities: one query for all names is less than one for each. */
static void
remember_entities(Memory *memory, const Graph *graph, const Model *model)
{
	EntityNames entities = {memory, model};

	sql_stream(psprintf("select id::int, 'e' || name::text from %sentity where name is not null", graph->prefix),
			   SQL_NO_ARGS, take_entity_name, &entities);
	memory->lookups = -1;
}

static int32
find_row(Memory *memory, Graph *graph, const Model *model, const char *key)
{
	int32		row;

	if (recall_row(memory, key, &row))
		return row;
	if (memory->graph != NULL && memory->lookups == LOOKUPS_LIMIT &&
		model->kge.entities <= ENTITIES_AT_ONCE)
	{
		remember_entities(memory, graph, model);
		if (recall_row(memory, key, &row))
			return row;
	}
	row = key[0] == 'e' ? model_entity_row(model, graph, key + 1) :
		model_relation_row(model, graph, key + 1);
	if (memory->graph != NULL)
	{
		remember_row(memory, key, row);
		if (memory->lookups >= 0)
			memory->lookups++;
	}
	return row;
}

/* The model, and the triple in its rows, if the call site remembers all it takes; else NULL. */
static const Model *
find_in_memory(const Memory *memory, const NamedTriple *names, Triple *triple)
{
	const Model *model = memory->graph == NULL ? NULL : model_recall(memory->serial);

	if (model == NULL ||
		!recall_row(memory, names->head, &triple->head) ||
		!recall_row(memory, names->relation, &triple->relation) ||
		!recall_row(memory, names->tail, &triple->tail))
		return NULL;
	return model;
}

static const Model *
find_in_tables(Memory *memory, const char *graph_name, const char *model_name,
			   const NamedTriple *names, Triple *triple)
{
	Graph	   *graph;
	const Model *model;
	int			nest_level = sql_pin();

	sql_begin();
	graph = graph_open(graph_name);
	model = memory->graph == NULL ? NULL : model_recall(memory->serial);
	if (model == NULL)
	{
		model = model_open(graph, model_name);
		remember_model(memory, graph_name, model);
	}
	triple->head = find_row(memory, graph, model, names->head);
	triple->relation = find_row(memory, graph, model, names->relation);
	triple->tail = find_row(memory, graph, model, names->tail);
	sql_end();
	sql_unpin(nest_level);
	return model;
}

/* The arguments graph, head, relation, tail, model: the model, and the triple in its rows. */
static const Model *
find_triple(FunctionCallInfo fcinfo, Triple *triple)
{
	char	   *graph = argument_name(fcinfo, 0, "graph");
	NamedTriple names = {
		.head = psprintf("e%s", argument_text(fcinfo, 1, "head")),
		.relation = psprintf("r%s", argument_text(fcinfo, 2, "relation")),
		.tail = psprintf("e%s", argument_text(fcinfo, 3, "tail"))
	};
	char	   *name = argument_name(fcinfo, 4, "model");
	Memory	   *memory = call_site_memory(fcinfo, graph, name);
	const Model *model = find_in_memory(memory, &names, triple);

	return model != NULL ? model : find_in_tables(memory, graph, name, &names, triple);
}

/* ---- scores ----------------------------------------------------------------------------- */

/* The evidence of the model's rules, looked up once while the call site's memory holds. */
static const Evidence *
find_evidence(FunctionCallInfo fcinfo, const Model *model, EvAnswering **answering)
{
	Memory	   *memory = fcinfo->flinfo->fn_extra;
	const Evidence *evidence;
	int			nest_level;
	uint64		serial;

	if (memory->graph != NULL && model_has_evidence(model, memory->evidence_serial))
	{
		*answering = memory->answering;
		return memory->evidence;
	}
	nest_level = sql_pin();
	sql_begin();
	evidence = model_evidence(graph_open(argument_name(fcinfo, 0, "graph")), model, answering, &serial);
	sql_end();
	sql_unpin(nest_level);
	memory->evidence_serial = serial;
	memory->evidence = evidence;
	memory->answering = *answering;
	return evidence;
}

/* The score of that kind, which becomes the one that the model can have. */
static double
score(FunctionCallInfo fcinfo, const Model *model, Triple triple, EvKind *kind)
{
	const Evidence *evidence = NULL;
	EvAnswering    *answering = NULL;

	if (*kind != EV_EMBEDDING)
		evidence = find_evidence(fcinfo, model, &answering);
	*kind = evidence_kind(evidence, *kind, model->name);
	return evidence_score(evidence, *kind, SIDE_TAIL, triple.relation,
						  evidence_of_triple(model, evidence, answering, *kind, triple));
}

HKG_FUNCTION(hkg_score);
Datum
hkg_score(PG_FUNCTION_ARGS)
{
	EvKind		kind = argument_evidence(fcinfo, 5);
	Triple	triple;
	const Model *model = find_triple(fcinfo, &triple);

	PG_RETURN_FLOAT8(score(fcinfo, model, triple, &kind));
}

/* ---- thresholds ----------------------------------------------------------------------- */

/* hkg_learn_evidence leaves the thresholds of the embedding alone. */
static void
no_threshold(const Graph *graph, const char *model, int32 id, const char *relation, EvKind kind)
{
	SqlArgs		args = {0};
	Datum		found;
	bool		deleted;

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_arg(&args, INT4OID, Int32GetDatum(id));
	deleted = kind != EV_EMBEDDING &&
		sql_value(psprintf("select true from %sthreshold where model = $1 and relation = $2 and evidence = 'embedding'",
						   graph->prefix), &args, &found);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("model \"%s\" has no threshold for relation \"%s\"%s", model, relation,
					kind == EV_EMBEDDING ? "" : psprintf(" and evidence \"%s\"", evidence_name(kind))),
			 deleted ? errdetail("hkg_learn_evidence has changed the scores of evidence \"%s\", and deleted their thresholds.",
								 evidence_name(kind)) :
			 errdetail("Thresholds are learnt from the valid split, or the facts held out in its place, at the end of a training."),
			 errhint(deleted ? "Call hkg_learn_thresholds, which learns them from the valid split." :
					 "Load a valid split and call hkg_learn_thresholds.")));
}

static double
read_threshold(FunctionCallInfo fcinfo, const Model *model, EvKind kind, int32 relation)
{
	SqlArgs		args = {0};
	int			nest_level = sql_pin();
	Graph	   *graph;
	Datum		threshold;

	sql_begin();
	graph = graph_open(argument_name(fcinfo, 0, "graph"));
	sql_arg(&args, TEXTOID, CStringGetTextDatum(model->name));
	sql_arg(&args, INT4OID, Int32GetDatum(model->relation_id[relation]));
	sql_arg(&args, TEXTOID, CStringGetTextDatum(evidence_name(kind)));
	if (!sql_value(psprintf("select nullif(threshold::float8, 'NaN') from %sthreshold "
							"where model = $1 and relation = $2 and evidence = $3",
							graph->prefix), &args, &threshold))
		no_threshold(graph, model->name, model->relation_id[relation], argument_text(fcinfo, 2, "relation"), kind);
	sql_end();
	sql_unpin(nest_level);
	return DatumGetFloat8(threshold);
}

/* The relation's threshold, looked up once while the call site's memory holds. */
static double
threshold_of(FunctionCallInfo fcinfo, const Model *model, EvKind kind, int32 relation)
{
	Memory	   *memory = fcinfo->flinfo->fn_extra;
	Size		kinds = (Size) EV_KINDS * model->kge.relations;
	double	   *threshold;

	if (memory->graph == NULL)
		return read_threshold(fcinfo, model, kind, relation);
	if (memory->threshold == NULL)
	{
		memory->threshold = MemoryContextAllocHuge(memory->context,
												   sizeof(double) * kinds);
		for (Size i = 0; i < kinds; i++)
			memory->threshold[i] = NAN;
	}
	threshold = &memory->threshold[(Size) EV_KINDS * relation + kind];
	if (isnan(*threshold))
		*threshold = read_threshold(fcinfo, model, kind, relation);
	return *threshold;
}

HKG_FUNCTION(hkg_classify);
Datum
hkg_classify(PG_FUNCTION_ARGS)
{
	EvKind		kind = argument_evidence(fcinfo, 5);
	Triple	triple;
	const Model *model = find_triple(fcinfo, &triple);
	double		scored = score(fcinfo, model, triple, &kind);

	PG_RETURN_BOOL(scored >= threshold_of(fcinfo, model, kind, triple.relation));
}
