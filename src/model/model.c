/*
 * model.c
 *		A trained model: read from the graph's tables, kept, written back.
 *
 * A backend keeps the models it used last, each in a memory context of its own
 * under CacheMemoryContext.  A copy is good as long as the model's row is the very
 * version it was read with: (xmin, ctid), as the caller's snapshot sees it.
 * Training replaces that row, and triggers on the embedding tables update it
 * when somebody changes an embedding, a rule or a weight by hand.  So one look-up by primary key
 * tells whether the copy still holds, in any transaction, after a rollback, on
 * a replica.
 *
 * Its evidence is kept beside it, and is read again when the facts have changed (changes.c).
 *
 * A copy must not show what its reader may not see.  Where a table has row
 * security for the caller, or the caller lacks the right to read all of it, the
 * server decides anew: the model is read again each time, and not kept.
 *
 * A model is built in a context under the caller's, which joins the kept ones
 * when it is complete.  An error on the way leaves nothing.
 *
 * Our queries may run functions of others (a policy of row security, a view), which may ask
 * as well, and have a copy forgotten that we are using.  So it goes when its last user does.
 */
#include "model.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/itemptr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"

#include "server/array.h"
#include "model_evidence.h"
#include "graph/changes.h"
#include "server/host.h"
#include "server/growing_array.h"
#include "server/sql.h"

/* models kept in a backend, as far as they fit hybridkg.max_memory together */
#define MODELS_KEPT 4

/* what the tables may say before we believe that they are damaged */
#define DIMENSIONS_LIMIT 10000

/* a thread more for each so many floats to look at: about half a millisecond's work */
#define FLOATS_A_THREAD (2 * 1024 * 1024)

/* floats in one INSERT: 4 MB */
#define FLOATS_A_STATEMENT (1024 * 1024)

/* The model's row in table model */
typedef struct ModelRow
{
	bool		found;
	TransactionId xmin;
	ItemPointerData ctid;
	char	   *score_function; /* NULL: it is made of rules alone */
	int			dimensions;
	char	   *status;
	char	   *gamma;			/* from settings; NULL when it is not there */
	char	   *norm;
	bool		reciprocal;
} ModelRow;

/* Memory that goes when it was dropped and nobody uses it any more */
typedef struct Shared
{
	MemoryContext context;		/* its users' count is in there, too */
	int			users;
	bool		dropped;
} Shared;

/* Evidence and answering are NULL where the model has no evidence. */
typedef struct EvidenceCopy
{
	Shared	   *shared;
	Evidence   *evidence;
	EvAnswering    *answering;
	uint64		serial;
	FactsVersion facts;			/* that it was read with */
} EvidenceCopy;

typedef struct KeptModel
{
	Model		model;			/* comes first */
	Shared		shared;			/* holds this and all of the model */
	Oid			schema;
	TransactionId xmin;
	ItemPointerData ctid;
	uint64		bytes;
	FactsWatch	watch;
	EvidenceCopy evidence;		/* shared is NULL until it was read */
	struct KeptModel *next;
} KeptModel;

/* the one used last comes first */
static KeptModel *kept_models = NULL;

/* One embedding table being read */
typedef struct Reading
{
	MemoryContext context;		/* of what is kept */
	int32	   *id;
	int64		count;
	int64		room;
	float	   *embedding;
	const char *column;			/* that is read into it */
	int			width;
	int64		rows;			/* embeddings read */
	char	   *fault;			/* the first one that is no embedding, and why */
	int32		faulty;
} Reading;

/* ---- the model's row ------------------------------------------------------ */

static char *
text_or_null(Datum value, bool isnull)
{
	return isnull ? NULL : TextDatumGetCString(value);
}

static void
take_model_row(void *argument, const Datum *values, const bool *nulls)
{
	ModelRow   *row = argument;

	row->found = true;
	row->xmin = DatumGetTransactionId(values[0]);
	ItemPointerCopy((ItemPointer) DatumGetPointer(values[1]), &row->ctid);
	row->score_function = text_or_null(values[2], nulls[2]);
	row->dimensions = nulls[3] ? 0 : DatumGetInt32(values[3]);
	row->status = nulls[4] ? pstrdup("") : TextDatumGetCString(values[4]);
	row->gamma = text_or_null(values[5], nulls[5]);
	row->norm = text_or_null(values[6], nulls[6]);
	row->reciprocal = DatumGetBool(values[7]);
}

static void
no_such_model(Graph *graph, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("model \"%s\" does not exist in graph \"%s\"", name, graph->name),
			 errhint("%s", graph_hint(graph, "model", name))));
}

static ModelRow
read_model_row(Graph *graph, const char *name)
{
	ModelRow	row = {0};
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(name));
	sql_stream_often(psprintf("select xmin::xid, ctid::tid, score_function::text, dimensions::int, status::text, "
							  "settings->>'gamma', settings->>'norm', "
							  "coalesce(settings->>'reciprocal' = 'true', false) from %smodel where name = $1",
							  graph->prefix),
					 &args, take_model_row, &row);
	if (!row.found)
		no_such_model(graph, name);
	return row;
}

void
model_require(Graph *graph, const char *name)
{
	SqlArgs		args = {0};
	Datum		found;

	sql_arg(&args, TEXTOID, CStringGetTextDatum(name));
	if (!sql_value(psprintf("select true from %smodel where name = $1", graph->prefix),
				   &args, &found))
		no_such_model(graph, name);
}

bool
model_has_embeddings(Graph *graph, const char *name, double *omega)
{
	SqlArgs		args = {0};
	Datum		found;

	sql_arg(&args, TEXTOID, CStringGetTextDatum(name));
	if (!sql_value(psprintf("select coalesce((settings->>'omega')::float8, 0.5) from %smodel where name = $1 "
							"and exists (select from %sentity_embedding where model = name)",
							graph->prefix, graph->prefix), &args, &found))
		return false;
	*omega = DatumGetFloat8(found);
	return true;
}

/* ---- what the row says about the model ------------------------------------ */

static char *
known_score_functions(void)
{
	StringInfoData list;
	const char *name;

	initStringInfo(&list);
	for (int i = 0; (name = kge_score_function_name(i)) != NULL; i++)
		appendStringInfo(&list, "%s%s", i == 0 ? "" : ", ", name);
	return list.data;
}

/* A number of the settings; `text` is what they hold, NULL when nothing. */
static double
setting_number(const char *model, const char *setting, const char *text)
{
	char	   *end = NULL;
	double		number = text == NULL ? 0 : strtod(text, &end);

	if (text == NULL || end == text || *end != '\0' || !isfinite(number))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("\"%s\" in the settings of model \"%s\" is no finite number",
						setting, model),
				 errhint("Train the model again.")));
	return number;
}

static void
interpret_model_row(const char *name, const ModelRow *row, KgeModel *kge)
{
	if (row->score_function == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" is made of rules alone, it has no embeddings", name),
				 errhint("Functions of rules work with it: hkg_explain, hkg_rule_precision. Train a model with hkg_train for scores and predictions.")));
	kge->function = kge_score_function(row->score_function);
	if (kge->function == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model \"%s\" has the unknown score function \"%s\"", name, row->score_function),
				 errhint("Known are: %s.", known_score_functions())));
	if (row->dimensions < 1 || row->dimensions > DIMENSIONS_LIMIT)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model \"%s\" has %d dimensions, expected 1 to %d", name, row->dimensions,
						DIMENSIONS_LIMIT),
				 errhint("Train the model again.")));
	kge->dimensions = row->dimensions;
	kge->reciprocal = row->reciprocal;
	kge->norm = 1;
	if (kge_is_distance(kge->function))
	{
		double		norm = setting_number(name, "norm", row->norm);

		if (norm != 1 && norm != 2)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 errmsg("settings of model \"%s\" hold the norm %g, expected 1 or 2", name, norm),
					 errhint("Train the model again.")));
		kge->norm = (int) norm;
		kge->gamma = setting_number(name, "gamma", row->gamma);
	}
}

/* ---- reading embeddings --------------------------------------------------- */

static void
take_id(void *argument, const Datum *values, const bool *nulls)
{
	Reading    *reading = argument;
	int32		id = DatumGetInt32(values[0]);

	if (reading->count > 0 && reading->id[reading->count - 1] == id && reading->fault == NULL)
	{
		/* the primary key forbids it, if it is still there */
		reading->fault = pstrdup("is there twice");
		reading->faulty = id;
	}
	reading->id = array_reserve(reading->id, reading->count + 1, &reading->room, sizeof(int32));
	reading->id[reading->count++] = id;
}

static void
raise_fault(Graph *graph, const char *model, const char *kind, const Reading *reading)
{
	bool		is_entity = strcmp(kind, "entity") == 0;

	if (reading->fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("%s of %s \"%s\" in %s%s_embedding %s", reading->column, kind,
						is_entity ? graph_entity_name(graph, reading->faulty) :
						graph_relation_name(graph, reading->faulty),
						graph->prefix, kind, reading->fault),
				 errdetail("It belongs to model \"%s\".", model),
				 errhint("Train the model again.")));
}

static void
read_ids(Graph *graph, const char *model, const char *kind, Reading *reading)
{
	SqlArgs		args = {0};

	reading->room = 1024;
	reading->id = MemoryContextAlloc(reading->context, reading->room * sizeof(int32));
	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_stream(psprintf("select %s::int from %s%s_embedding where model = $1 order by 1",
						kind, graph->prefix, kind),
			   &args, take_id, reading);
	raise_fault(graph, model, kind, reading);
}

static char *
not_finite(const float *numbers, int count)
{
	for (int i = 0; i < count; i++)
		if (!isfinite(numbers[i]))
			return psprintf("holds %s at position %d",
							isnan(numbers[i]) ? "NaN" : "an infinite number", i + 1);
	return NULL;
}

/* Why an array is no embedding, as the end of a sentence; NULL when it is one. */
static char *
embedding_fault(ArrayType *array, int width)
{
	int			count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_ELEMTYPE(array) != FLOAT4OID)
		return psprintf("holds no real numbers");
	if (ARR_NDIM(array) > 1)
		return psprintf("is an array of %d dimensions, expected 1", ARR_NDIM(array));
	if (count != width)
		return psprintf("has length %d, expected %d", count, width);
	if (array_contains_nulls(array))
		return psprintf("holds a null");
	return not_finite((float *) ARR_DATA_PTR(array), width);
}

static void
take_embedding(void *argument, const Datum *values, const bool *nulls)
{
	Reading    *reading = argument;
	int32		id = DatumGetInt32(values[0]);
	int32		row = graph_row(reading->id, (int32) reading->count, id);
	ArrayType  *array;
	char	   *fault;

	if (reading->fault != NULL || row < 0)
		return;
	reading->rows++;
	array = nulls[1] ? NULL : DatumGetArrayTypeP(values[1]);
	fault = array == NULL ? pstrdup("is null") : embedding_fault(array, reading->width);
	if (fault == NULL)
		memcpy(reading->embedding + (Size) row * reading->width, ARR_DATA_PTR(array),
			   reading->width * sizeof(float));
	else
	{
		/* its name takes a query, which has to wait for the end of this one */
		reading->fault = fault;
		reading->faulty = id;
	}
	if (array != NULL && (Pointer) array != DatumGetPointer(values[1]))
		pfree(array);
}

static void
read_embeddings(Graph *graph, const char *model, const char *kind, Reading *reading)
{
	SqlArgs		args = {0};

	reading->rows = 0;
	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_stream(psprintf("select %s::int, %s::real[] from %s%s_embedding where model = $1",
						kind, reading->column, graph->prefix, kind),
			   &args, take_embedding, reading);
	raise_fault(graph, model, kind, reading);
	/* row security may be random */
	if (reading->rows != reading->count)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model \"%s\" showed " INT64_FORMAT " rows of %s%s_embedding, then " INT64_FORMAT,
						model, reading->count, graph->prefix, kind, reading->rows)));
}

/* A model without any embedding of a kind is of no use. */
static void
require_rows(Graph *graph, const char *model, const ModelRow *row, const char *kind,
			 const Reading *reading)
{
	if (reading->count > 0)
		return;
	if (strcmp(row->status, "ready") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" of graph \"%s\" is not trained", model, graph->name),
				 errdetail("Its status is \"%s\", and it has no embeddings yet.", row->status),
				 errhint("Wait for its training to end, or train it again.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("model \"%s\" has no rows in %s%s_embedding", model, graph->prefix, kind),
			 errhint("Train the model again.")));
}

/* ---- what is in use ---------------------------------------------------------- */

static void
free_if_unused(Shared *shared)
{
	if (shared->dropped && shared->users == 0)
		MemoryContextDelete(shared->context);
}

static void
drop(Shared *shared)
{
	shared->dropped = true;
	free_if_unused(shared);
}

static void
end_use(void *argument)
{
	Shared	   *shared = argument;

	shared->users--;
	free_if_unused(shared);
}

/* Until the current context is reset. */
static void
use(Shared *shared)
{
	MemoryContextCallback *end = palloc(sizeof(MemoryContextCallback));

	*end = (MemoryContextCallback) {.func = end_use,.arg = shared};
	MemoryContextRegisterResetCallback(CurrentMemoryContext, end);
	shared->users++;
}

static const Model *
use_model(KeptModel *kept)
{
	use(&kept->shared);
	return &kept->model;
}

/* ---- models that are kept -------------------------------------------------- */

static void
forget(KeptModel *kept)
{
	for (KeptModel **link = &kept_models; *link != NULL; link = &(*link)->next)
		if (*link == kept)
		{
			*link = kept->next;
			facts_unwatch(&kept->watch);
			drop(&kept->shared);
			return;
		}
}

/* Makes room for a model of that size beside the others: what was not used for longest goes. */
static void
make_room(uint64 bytes, KeptModel *others)
{
	uint64		limit = (uint64) hkg_max_memory * 1024;
	int			count = 1;

	while (others != NULL)
	{
		KeptModel  *next = others->next;

		bytes += others->bytes;
		if (++count > MODELS_KEPT || bytes > limit)
			forget(others);
		others = next;
	}
}

/* The kept model of that name, good or not; those that were for one use alone go. */
static KeptModel *
find_kept(Oid schema, const char *name)
{
	KeptModel  *found = NULL;
	KeptModel  *next;

	for (KeptModel *kept = kept_models; kept != NULL; kept = next)
	{
		next = kept->next;
		if (kept->model.serial == 0)
			forget(kept);
		else if (kept->schema == schema && strcmp(kept->model.name, name) == 0)
			found = kept;
	}
	return found;
}

static void
move_to_front(KeptModel *kept)
{
	KeptModel **link = &kept_models;

	while (*link != kept)
		link = &(*link)->next;
	*link = kept->next;
	kept->next = kept_models;
	kept_models = kept;
}

const Model *
model_recall(uint64 serial)
{
	for (KeptModel *kept = kept_models; kept != NULL && serial != 0; kept = kept->next)
		if (kept->model.serial == serial)
			return use_model(kept);
	return NULL;
}

static const char *const embedding_tables[] = {
	"model", "entity_embedding", "relation_embedding", "entity", "relation", NULL
};
static const char *const evidence_tables[] = {"triple", "rule", "evidence_weight", NULL};

/* Whether a copy shows the caller no more than the tables would. */
static bool
may_keep(const Graph *graph, const char *const *tables)
{
	for (int i = 0; tables[i] != NULL; i++)
	{
		Oid			table = get_relname_relid(tables[i], graph->schema);

		if (!OidIsValid(table) ||
			pg_class_aclcheck(table, GetUserId(), ACL_SELECT) != ACLCHECK_OK ||
			check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
			return false;
	}
	return true;
}

/* ---- opening --------------------------------------------------------------- */

/* On many cores, starting all threads may cost more than a prediction. */
Pool *
model_pool(const KgeModel *kge)
{
	int64		floats = (int64) kge->entities * kge_entity_width(kge->function, kge->dimensions);

	return hkg_pool_of((int) Min(hkg_threads, 1 + floats / FLOATS_A_THREAD));
}

static void
check_memory(uint64 bytes, const char *model)
{
	hkg_check_memory_or(bytes, psprintf("model \"%s\"", model), "train it again with fewer dimensions");
}

static void
sketch_model(Model *model, MemoryContext context)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg threads",
											   ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Arena	arena = hkg_arena();

	MemoryContextSwitchTo(work);	/* the threads end with it */
	model->sketch = kge_sketch(&arena, model_pool(&model->kge), &model->kge);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

static KeptModel *
read_model(Graph *graph, const char *name, const ModelRow *row)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg model",
												  ALLOCSET_DEFAULT_SIZES);
	KeptModel  *kept = MemoryContextAllocZero(context, sizeof(KeptModel));
	KgeModel   *kge = &kept->model.kge;
	Reading		entity = {.context = context,.column = "embedding"};
	Reading		relation = {.context = context,.column = "embedding"};

	interpret_model_row(name, row, kge);
	read_ids(graph, name, "entity", &entity);
	require_rows(graph, name, row, "entity", &entity);
	read_ids(graph, name, "relation", &relation);
	require_rows(graph, name, row, "relation", &relation);

	entity.width = kge_entity_width(kge->function, kge->dimensions);
	relation.width = kge_relation_width(kge->function, kge->dimensions);
	kge->entities = (int32) entity.count;
	kge->relations = (int32) relation.count;
	kept->bytes = sizeof(float) * ((uint64) entity.count * entity.width +
								   (uint64) kge_relation_rows(kge) * relation.width) +
		sizeof(int32) * (uint64) (entity.room + relation.room);
	kept->bytes += kge_sketch_bytes(kge);
	check_memory(kept->bytes, name);
	make_room(kept->bytes, kept_models);
	kge->entity = entity.embedding =
		MemoryContextAllocHuge(context, sizeof(float) * (Size) entity.count * entity.width);
	kge->relation = relation.embedding =
		MemoryContextAllocHuge(context, sizeof(float) * (Size) kge_relation_rows(kge) * relation.width);
	read_embeddings(graph, name, "entity", &entity);
	read_embeddings(graph, name, "relation", &relation);
	if (kge->reciprocal)
	{
		relation.column = "reciprocal";
		relation.embedding += (Size) relation.count * relation.width;
		read_embeddings(graph, name, "relation", &relation);
	}
	sketch_model(&kept->model, context);
	evidence_read_calibration(graph, name, kept->model.calibration);
	kept->model.entity_id = entity.id;
	kept->model.relation_id = relation.id;
	kept->model.name = MemoryContextStrdup(context, name);
	kept->shared.context = context;
	kept->schema = graph->schema;
	kept->xmin = row->xmin;
	kept->ctid = row->ctid;
	return kept;
}

const Model *
model_open(Graph *graph, const char *name)
{
	static uint64 last_serial = 0;
	ModelRow	row = read_model_row(graph, name);
	bool		keep = may_keep(graph, embedding_tables);
	KeptModel  *kept = find_kept(graph->schema, name);

	if (kept != NULL && keep && kept->xmin == row.xmin &&
		ItemPointerEquals(&kept->ctid, &row.ctid))
	{
		move_to_front(kept);
		return use_model(kept);
	}
	if (kept != NULL)
		forget(kept);
	kept = read_model(graph, name, &row);
	kept->model.serial = keep ? ++last_serial : 0;
	MemoryContextSetParent(kept->shared.context, CacheMemoryContext);
	facts_watch(&kept->watch, graph, kept->shared.context);
	kept->next = kept_models;
	kept_models = kept;
	return use_model(kept);
}

/* ---- evidence -------------------------------------------------------------- */

static KeptModel *
kept_of(const Model *model)
{
	return (KeptModel *) model;
}

/* In a context of its own, below the current one. */
static EvidenceCopy
read_evidence(Graph *graph, const KeptModel *kept)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	EvidenceCopy copy = {.shared = palloc(sizeof(Shared)),.facts = facts_version(&kept->watch)};

	*copy.shared = (Shared) {.context = context};
	copy.evidence = evidence_of_model(graph, &kept->model, kept->bytes);
	if (copy.evidence != NULL)
		copy.answering = evidence_answering(copy.evidence, kept->bytes + MemoryContextMemAllocated(context, true));
	MemoryContextSwitchTo(caller);
	return copy;
}

static void
forget_evidence(KeptModel *kept)
{
	if (kept->evidence.shared == NULL)
		return;
	kept->bytes -= MemoryContextMemAllocated(kept->evidence.shared->context, true);
	drop(kept->evidence.shared);
	kept->evidence = (EvidenceCopy) {0};
}

static void
keep_evidence(KeptModel *kept, EvidenceCopy copy)
{
	static uint64 last_serial = 0;

	forget_evidence(kept);		/* somebody may have asked while it was read */
	copy.serial = ++last_serial;
	MemoryContextSetParent(copy.shared->context, kept->shared.context);
	kept->bytes += MemoryContextMemAllocated(copy.shared->context, true);
	kept->evidence = copy;
	if (kept->shared.dropped)
		return;
	move_to_front(kept);
	make_room(kept->bytes, kept->next);
}

static bool
evidence_holds(const KeptModel *kept)
{
	const EvidenceCopy *copy = &kept->evidence;

	return copy->shared != NULL && facts_version_holds(&kept->watch, &copy->facts);
}

/* A copy is kept with the model as long as the caller may read all that it holds. */
const Evidence *
model_evidence(Graph *graph, const Model *model, EvAnswering **answering, uint64 *serial)
{
	KeptModel  *kept = kept_of(model);
	EvidenceCopy copy;

	use(&kept->shared);
	facts_check(&kept->watch);
	if (model->serial == 0 || !may_keep(graph, evidence_tables))
		copy = read_evidence(graph, kept);
	else
	{
		if (!evidence_holds(kept))
		{
			forget_evidence(kept);
			keep_evidence(kept, read_evidence(graph, kept));
		}
		copy = kept->evidence;
		use(copy.shared);
	}
	*answering = copy.answering;
	*serial = copy.serial;
	return copy.evidence;
}

bool
model_has_evidence(const Model *model, uint64 serial)
{
	return serial != 0 && kept_of(model)->evidence.serial == serial;
}

/* ---- a row for everything ---------------------------------------------------- */

/*
 * Rows of `ids` taken from embeddings of `known` ids, NaN where there is none; where
 * there are several of each, all of the second ones come after the first.
 */
static float *
spread_rows(const int32 *ids, int32 count, const int32 *known, int32 known_count,
			float *embedding, int width, int several)
{
	float	   *spread;

	if (count == known_count && memcmp(ids, known, sizeof(int32) * count) == 0)
		return embedding;
	spread = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(float) * several * count * width);
	for (int32 row = 0; row < several * count; row++)
	{
		int32		known_row = graph_row(known, known_count, ids[row % count]);
		float	   *to = spread + (Size) row * width;

		if (known_row >= 0)
			memcpy(to, embedding + ((Size) row / count * known_count + known_row) * width,
				   sizeof(float) * width);
		else
			for (int i = 0; i < width; i++)
				to[i] = NAN;
	}
	return spread;
}

KgeModel
model_of_graph(const Model *model, const GraphData *data)
{
	KgeModel	kge = model->kge;
	int			entity_width = kge_entity_width(kge.function, kge.dimensions);
	int			relation_width = kge_relation_width(kge.function, kge.dimensions);
	int			several = kge.reciprocal ? 2 : 1;

	check_memory(sizeof(float) * ((uint64) data->entities * entity_width +
								  (uint64) several * data->relations * relation_width), model->name);
	kge.entity = spread_rows(data->entity_id, data->entities, model->entity_id,
							 model->kge.entities, kge.entity, entity_width, 1);
	kge.relation = spread_rows(data->relation_id, data->relations, model->relation_id,
							   model->kge.relations, kge.relation, relation_width, several);
	kge.entities = data->entities;
	kge.relations = data->relations;
	return kge;
}

/* ---- names ------------------------------------------------------------------ */

static int32
require_row(const Model *model, const Graph *graph, int32 row, const char *kind, const char *name)
{
	if (row < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s \"%s\" is not in model \"%s\" of graph \"%s\"", kind, name,
						model->name, graph->name),
				 errdetail("It has no row in %s%s_embedding: it was added after the training, or the row was deleted.",
						   graph->prefix, kind),
				 errhint("Train the model again.")));
	return row;
}

int32
model_entity_row(const Model *model, Graph *graph, const char *name)
{
	int32		id = graph_entity_id(graph, name);

	return require_row(model, graph, graph_row(model->entity_id, model->kge.entities, id),
					   "entity", name);
}

int32
model_relation_row(const Model *model, Graph *graph, const char *name)
{
	int32		id = graph_relation_id(graph, name);

	return require_row(model, graph, graph_row(model->relation_id, model->kge.relations, id),
					   "relation", name);
}

/* ---- writing ------------------------------------------------------------------ */

/*
 * What was deleted from the graph since it was read has no embedding.  reciprocal: the
 * relations' second rows, or NULL.
 */
static void
write_table(Graph *graph, const char *model, const char *kind, const int32 *id, int64 count,
			const float *embedding, const float *reciprocal, int width)
{
	int64		chunk = Max(1, FLOATS_A_STATEMENT / width);
	SqlArgs		args = {0};
	const char *part = "[((u.place - 1) * $4 + 1)::int : (u.place * $4)::int]";
	char	   *statement = psprintf("insert into %s%s_embedding (model, %s, embedding%s) "
									 "select $1, u.id, ($3::real[])%s%s%s "
									 "from unnest($2::int[]) with ordinality as u (id, place) "
									 "where u.id in (select id from %s%s)",
									 graph->prefix, kind, kind, reciprocal == NULL ? "" : ", reciprocal",
									 part, reciprocal == NULL ? "" : ", ($5::real[])",
									 reciprocal == NULL ? "" : part, graph->prefix, kind);

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	for (int64 first = 0; first < count; first += chunk)
	{
		int			rows = (int) Min(chunk, count - first);
		Datum		ids = array_of_int4(id + first, rows);
		Datum		numbers = array_of_float4(embedding + first * width, rows * width);
		Datum		inverses = (Datum) 0;

		CHECK_FOR_INTERRUPTS();
		args.count = 1;
		sql_arg(&args, INT4ARRAYOID, ids);
		sql_arg(&args, FLOAT4ARRAYOID, numbers);
		sql_arg(&args, INT4OID, Int32GetDatum(width));
		if (reciprocal != NULL)
		{
			inverses = array_of_float4(reciprocal + first * width, rows * width);
			sql_arg(&args, FLOAT4ARRAYOID, inverses);
		}
		sql_run(statement, &args);
		pfree(DatumGetPointer(ids));
		pfree(DatumGetPointer(numbers));
		if (reciprocal != NULL)
			pfree(DatumGetPointer(inverses));
	}
}

void
model_write_embeddings(Graph *graph, const char *name, const GraphData *data, const KgeModel *kge)
{
	int			relation_width = kge_relation_width(kge->function, kge->dimensions);

	write_table(graph, name, "entity", data->entity_id, kge->entities, kge->entity, NULL,
				kge_entity_width(kge->function, kge->dimensions));
	write_table(graph, name, "relation", data->relation_id, kge->relations, kge->relation,
				kge->reciprocal ? kge->relation + (Size) kge->relations * relation_width : NULL,
				relation_width);
}
