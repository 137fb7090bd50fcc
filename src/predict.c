/*
 * predict.c
 *		hkg_predict_tails, hkg_predict_heads, hkg_predict_relations, hkg_score.
 *
 * Names become ids and ids become the model's rows; src/kge finds the best
 * rows; one statement turns them into names again.  Nothing here writes: it
 * all runs on a replica, in a read-only transaction and in parallel workers.
 *
 * hkg_score is called row by row, up to millions of times in a query.  All of
 * these calls see one snapshot, so each call site remembers which model and
 * which rows the names led to, and looks again only when somebody might see
 * something else: another snapshot, transaction, subtransaction or user.  Setting search_path
 * for each row would take longer than all of that, so it is set where tables are read.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "argument.h"
#include "array.h"
#include "hybridkg.h"
#include "model.h"
#include "sql.h"

/* rows named in one statement */
#define NAMED_ROWS 65536

/* ---- the best of many --------------------------------------------------------- */

/* Ids that take no part in a prediction, as rows of the model; ascending. */
typedef struct RowList
{
	const int32 *id;			/* row -> id of what is predicted */
	int32		rows;
	int32	   *row;
	int64		count;
	int64		room;
} RowList;

static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	RowList    *list = argument;
	int32		row = graph_row(list->id, list->rows, DatumGetInt32(values[0]));

	if (row < 0)
		return;
	if (list->count == list->room)
	{
		list->room *= 2;
		list->row = repalloc_huge(list->row, list->room * sizeof(int32));
	}
	list->row[list->count++] = row;
}

/*
 * The facts (column `wanted`, two others given by id) as rows.  Ids come in
 * ascending order, and so do rows.
 */
static RowList
known_rows(const Graph *graph, const int32 *ids, int32 rows, const char *wanted,
		   const char *column, int32 id, const char *other_column, int32 other_id)
{
	RowList		list = {.id = ids,.rows = rows,.room = 64};
	SqlArgs		args = {0};

	list.row = palloc(list.room * sizeof(int32));
	sql_arg(&args, INT4OID, Int32GetDatum(id));
	sql_arg(&args, INT4OID, Int32GetDatum(other_id));
	sql_stream_often(psprintf("select %s from %striple where %s = $1 and %s = $2 order by 1",
							  wanted, graph->prefix, column, other_column),
					 &args, take_row, &list);
	return list;
}

/* Adds the rows of a model, with scores, to the result: name, score, probability; best first. */
static void
return_rows(const Graph *graph, const char *table, const int32 *ids, int64 count,
			const int32 *rows, const double *scores, SqlResult *result)
{
	int32	   *id = palloc(sizeof(int32) * Min(count, NAMED_ROWS));
	double	   *probability = palloc(sizeof(double) * Min(count, NAMED_ROWS));
	char	   *query = psprintf("select e.name, u.score, u.probability "
								 "from unnest($1::int[], $2::float8[], $3::float8[]) "
								 "with ordinality as u (id, score, probability, place) "
								 "join %s%s e on e.id = u.id order by u.place",
								 graph->prefix, table);

	for (int64 first = 0; first < count; first += NAMED_ROWS)
	{
		int			some = (int) Min(NAMED_ROWS, count - first);
		SqlArgs		args = {0};

		for (int i = 0; i < some; i++)
		{
			id[i] = ids[rows[first + i]];
			probability[i] = kge_sigmoid(scores[first + i]);
		}
		sql_arg(&args, INT4ARRAYOID, array_of_int4(id, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(scores + first, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(probability, some));
		sql_stream_often(query, &args, sql_add_to_result, result);
	}
}

/* ---- tails and heads ------------------------------------------------------------ */

static void
predict_entities(Graph *graph, const Model *model, KgeSide side, int32 given, int32 relation,
				 int k, bool known, SqlResult *result)
{
	const KgeModel *kge = &model->kge;
	KgeArena	arena = hkg_arena();
	RowList		excluded = {0};
	int64		count;
	int32	   *rows;
	double	   *scores;

	if (!known)
		excluded = known_rows(graph, model->entity_id, kge->entities,
							  side == KGE_TAIL ? "tail" : "head",
							  side == KGE_TAIL ? "head" : "tail", model->entity_id[given],
							  "relation", model->relation_id[relation]);
	k = Min(k, kge->entities);
	rows = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int32) * k);
	scores = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * k);
	count = kge_top(&arena, model_pool(kge), kge, model->sketch, side, given, relation,
					excluded.row, excluded.count, k, rows, scores);
	if (count < 0)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return_rows(graph, "entity", model->entity_id, count, rows, scores, result);
}

static Datum
predict_side(FunctionCallInfo fcinfo, KgeSide side)
{
	char	   *graph_name = argument_name(fcinfo, 0, "graph");
	char	   *first = argument_text(fcinfo, 1, side == KGE_TAIL ? "head" : "relation");
	char	   *second = argument_text(fcinfo, 2, side == KGE_TAIL ? "relation" : "tail");
	int			k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	char	   *model_name = argument_name(fcinfo, 4, "model");
	bool		known = DatumGetBool(argument(fcinfo, 5, "known"));
	SqlResult  *result = sql_result(fcinfo);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg prediction",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	Graph	   *graph;
	const Model *model;
	int32		given;
	int32		relation;

	sql_begin();
	graph = graph_open(graph_name);
	model = model_open(graph, model_name);
	given = model_entity_row(model, graph, side == KGE_TAIL ? first : second);
	relation = model_relation_row(model, graph, side == KGE_TAIL ? second : first);
	predict_entities(graph, model, side, given, relation, k, known, result);
	sql_end();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return (Datum) 0;
}

HKG_FUNCTION(hkg_predict_tails);
Datum
hkg_predict_tails(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, KGE_TAIL);
}

HKG_FUNCTION(hkg_predict_heads);
Datum
hkg_predict_heads(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, KGE_HEAD);
}

/* ---- relations -------------------------------------------------------------------- */

typedef struct ScoredRow
{
	double		score;
	int32		row;
} ScoredRow;

/* Best first; ties go to the lower row. */
static int
compare_scored_rows(const void *a, const void *b)
{
	const ScoredRow *left = a;
	const ScoredRow *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return left->row < right->row ? -1 : 1;
}

/* Every relation between two entities but the excluded ones, best first; NaN scores are left out. */
static int64
score_relations(const KgeModel *kge, int32 head, int32 tail, const RowList *excluded,
				ScoredRow *scored)
{
	int64		next = 0;
	int64		count = 0;

	for (int32 row = 0; row < kge->relations; row++)
	{
		KgeTriple	triple = {head, row, tail};

		CHECK_FOR_INTERRUPTS();
		if (next < excluded->count && excluded->row[next] == row)
		{
			next++;
			continue;
		}
		scored[count].row = row;
		scored[count].score = kge_score(kge, triple);
		if (!isnan(scored[count].score))
			count++;
	}
	qsort(scored, count, sizeof(ScoredRow), compare_scored_rows);
	return count;
}

static void
predict_relations(Graph *graph, const Model *model, int32 head, int32 tail,
				  int k, bool known, SqlResult *result)
{
	const KgeModel *kge = &model->kge;
	Size		room = kge->relations;
	ScoredRow  *scored = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(ScoredRow));
	int32	   *rows = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(int32));
	double	   *scores = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(double));
	RowList		excluded = {0};
	int64		count;

	if (!known)
		excluded = known_rows(graph, model->relation_id, kge->relations, "relation",
							  "head", model->entity_id[head], "tail", model->entity_id[tail]);
	count = Min(k, score_relations(kge, head, tail, &excluded, scored));
	for (int64 i = 0; i < count; i++)
	{
		rows[i] = scored[i].row;
		scores[i] = scored[i].score;
	}
	return_rows(graph, "relation", model->relation_id, count, rows, scores, result);
}

HKG_FUNCTION(hkg_predict_relations);
Datum
hkg_predict_relations(PG_FUNCTION_ARGS)
{
	char	   *graph_name = argument_name(fcinfo, 0, "graph");
	char	   *head_name = argument_text(fcinfo, 1, "head");
	char	   *tail_name = argument_text(fcinfo, 2, "tail");
	int			k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	char	   *model_name = argument_name(fcinfo, 4, "model");
	bool		known = DatumGetBool(argument(fcinfo, 5, "known"));
	SqlResult  *result = sql_result(fcinfo);
	Graph	   *graph;
	const Model *model;
	int32		head;
	int32		tail;

	sql_begin();
	graph = graph_open(graph_name);
	model = model_open(graph, model_name);
	head = model_entity_row(model, graph, head_name);
	tail = model_entity_row(model, graph, tail_name);
	predict_relations(graph, model, head, tail, k, known, result);
	sql_end();
	return (Datum) 0;
}

/* ---- what a snapshot shows ---------------------------------------------------------- */

/* All that decides what our statements would find; equal ones find the same. */
typedef struct View
{
	Oid			user;
	TimestampTz transaction;	/* its start */
	SubTransactionId subtransaction;
	TransactionId xmin;
	TransactionId xmax;
	CommandId	command;
	uint32		running;
	TransactionId *running_xid;
	int32		subrunning;
	TransactionId *subrunning_xid;
	bool		overflowed;
} View;

static bool
same_xids(const TransactionId *a, const TransactionId *b, int64 count)
{
	return count == 0 || memcmp(a, b, count * sizeof(TransactionId)) == 0;
}

static bool
view_is_current(const View *view)
{
	Snapshot	snapshot = GetActiveSnapshot();

	return view->user == GetUserId() &&
		view->transaction == GetCurrentTransactionStartTimestamp() &&
		view->subtransaction == GetCurrentSubTransactionId() &&
		view->xmin == snapshot->xmin && view->xmax == snapshot->xmax &&
		view->command == snapshot->curcid &&
		view->running == snapshot->xcnt && view->subrunning == snapshot->subxcnt &&
		view->overflowed == snapshot->suboverflowed &&
		same_xids(view->running_xid, snapshot->xip, snapshot->xcnt) &&
		same_xids(view->subrunning_xid, snapshot->subxip, snapshot->subxcnt);
}

static TransactionId *
copy_xids(const TransactionId *xids, int64 count)
{
	TransactionId *copy = palloc(Max(count, 1) * sizeof(TransactionId));

	if (count > 0)
		memcpy(copy, xids, count * sizeof(TransactionId));
	return copy;
}

static View
current_view(void)
{
	Snapshot	snapshot = GetActiveSnapshot();
	View		view = {
		.user = GetUserId(),
		.transaction = GetCurrentTransactionStartTimestamp(),
		.subtransaction = GetCurrentSubTransactionId(),
		.xmin = snapshot->xmin,
		.xmax = snapshot->xmax,
		.command = snapshot->curcid,
		.running = snapshot->xcnt,
		.running_xid = copy_xids(snapshot->xip, snapshot->xcnt),
		.subrunning = snapshot->subxcnt,
		.subrunning_xid = copy_xids(snapshot->subxip, snapshot->subxcnt),
		.overflowed = snapshot->suboverflowed
	};

	return view;
}

/* ---- scores, row by row ---------------------------------------------------------------- */

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
	View		view;
	uint64		serial;			/* of the model's copy */
	names_hash *names;
	int			lookups;		/* names looked up so far, -1 when all are there */
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
		 memory->names->members >= NAMES_LIMIT || !view_is_current(&memory->view)))
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
	memory->view = current_view();
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

	sql_stream(psprintf("select id, 'e' || name from %sentity", graph->prefix),
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

/* The score, if the call site remembers all it takes. */
static bool
score_from_memory(const Memory *memory, const NamedTriple *names, double *score)
{
	const Model *model = memory->graph == NULL ? NULL : model_recall(memory->serial);
	KgeTriple	triple;

	if (model == NULL ||
		!recall_row(memory, names->head, &triple.head) ||
		!recall_row(memory, names->relation, &triple.relation) ||
		!recall_row(memory, names->tail, &triple.tail))
		return false;
	*score = kge_score(&model->kge, triple);
	return true;
}

static double
score_from_tables(Memory *memory, const char *graph_name, const char *model_name,
				  const NamedTriple *names)
{
	Graph	   *graph;
	const Model *model;
	KgeTriple	triple;
	int			nest_level = sql_pin();

	sql_begin();
	graph = graph_open(graph_name);
	model = memory->graph == NULL ? NULL : model_recall(memory->serial);
	if (model == NULL)
	{
		model = model_open(graph, model_name);
		remember_model(memory, graph_name, model);
	}
	triple.head = find_row(memory, graph, model, names->head);
	triple.relation = find_row(memory, graph, model, names->relation);
	triple.tail = find_row(memory, graph, model, names->tail);
	sql_end();
	sql_unpin(nest_level);
	return kge_score(&model->kge, triple);
}

HKG_FUNCTION(hkg_score);
Datum
hkg_score(PG_FUNCTION_ARGS)
{
	char	   *graph = argument_name(fcinfo, 0, "graph");
	NamedTriple names = {
		.head = psprintf("e%s", argument_text(fcinfo, 1, "head")),
		.relation = psprintf("r%s", argument_text(fcinfo, 2, "relation")),
		.tail = psprintf("e%s", argument_text(fcinfo, 3, "tail"))
	};
	char	   *model = argument_name(fcinfo, 4, "model");
	Memory	   *memory = call_site_memory(fcinfo, graph, model);
	double		score;

	if (!score_from_memory(memory, &names, &score))
		score = score_from_tables(memory, graph, model, &names);
	PG_RETURN_FLOAT8(score);
}
