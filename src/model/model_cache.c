/*
 * model_cache.c
 *		The copies of models, with their evidence and new entities, that a backend keeps for its next calls.
 *
 * A backend keeps the models it used last, each in a memory context of its own under CacheMemoryContext.  A copy is
 * valid as long as the model's row is the very version it was read with: (xmin, ctid), as the caller's snapshot shows
 * it.  Training replaces that row, and triggers on the embedding tables update it when somebody changes an embedding,
 * a rule or a weight by hand.  So one look-up by primary key decides whether the copy is valid, in any transaction,
 * after a rollback, on a replica.
 *
 * A copy that was read where the transaction has written the tables is kept for this transaction alone, and not when
 * a part of it is rolled back.  Where the caller may not read all of a table, the model is read again each time, and not
 * kept (kept_tables.h).
 *
 * What depends on the facts is kept beside the model, and is read again when they have changed (graph/changes.c): the
 * entities that came after the training, and these with the evidence, which takes far longer to read.
 *
 * A model is built in a context under the caller's, which is moved under CacheMemoryContext when it is complete.  An
 * error on the way leaves nothing.
 *
 * What answers questions grows with the graph, and is each backend's own.  Where it is large, it goes back to the
 * system when the transaction ends: of hundreds of sessions, few ask at a time.
 *
 * Our queries may run functions of users (a policy of row security, a view).  These may call ours,
 * which may drop a copy that is in use.  So a copy is freed when its last user ends.
 */
#include "model_cache.h"

#include "access/transam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "graph/changes.h"
#include "graph/writers.h"
#include "kept_tables.h"
#include "model_share.h"
#include "server/host.h"
#include "server/shared_copy.h"

/* bytes of what answers questions that a backend keeps from one transaction to the next */
#define WORK_KEPT (64 * 1024 * 1024)

/* models kept in a backend, as far as they fit hybridkg.max_memory together */
#define MODELS_KEPT 4

/* Memory that is freed when it has been dropped and nothing in this backend uses it */
typedef struct CountedMemory
{
	MemoryContext context;		/* this struct is in it, too */
	int			users;
	bool		dropped;
	SharedCopy *copy;			/* NULL: its arrays are this backend's own */
} CountedMemory;

/* Evidence and answering are NULL where the model has no evidence, or where none was wanted. */
typedef struct EvidenceCopy
{
	CountedMemory *memory;
	AddedEntities *added;
	Evidence   *evidence;
	MemoryContext work;			/* below that of `memory`: what answers questions */
	EvAnswering *answering;		/* NULL: not there yet, or not any more */
	uint64		serial;
	bool		written;		/* the transaction had written the tables when it was read */
	uint64		bytes;			/* of this backend's memory, as the model's bytes count it; 0: not kept */
	FactsVersion facts;			/* that it was read with */
} EvidenceCopy;

typedef struct KeptModel
{
	Model		model;			/* comes first */
	CountedMemory memory;		/* holds this and all of the model */
	Oid			schema;
	TransactionId xmin;
	ItemPointerData ctid;
	bool		written;		/* the transaction had written the tables when it was read */
	uint64		bytes;
	FactsWatch	watch;
	EvidenceCopy facts[2];		/* without evidence, and with it; memory is NULL until it was read */
	struct KeptModel *next;
} KeptModel;

/* the one used last comes first */
static KeptModel *kept_models = NULL;

/* ---- what is in use ---------------------------------------------------------- */

static void
free_if_unused(CountedMemory *memory)
{
	if (memory->dropped && memory->users == 0)
		MemoryContextDelete(memory->context);
}

static void
drop(CountedMemory *memory)
{
	memory->dropped = true;
	free_if_unused(memory);
}

static void
end_use(void *argument)
{
	CountedMemory *memory = argument;

	memory->users--;
	free_if_unused(memory);
}

/* Until the current context is reset. */
static void
use(CountedMemory *memory)
{
	MemoryContextCallback *end = palloc(sizeof(MemoryContextCallback));

	*end = (MemoryContextCallback) {.func = end_use,.arg = memory};
	MemoryContextRegisterResetCallback(CurrentMemoryContext, end);
	memory->users++;
}

static const Model *
use_model(KeptModel *kept)
{
	use(&kept->memory);
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
			drop(&kept->memory);
			return;
		}
}

/* Makes room for a model of that size beside the others: the ones that were used least recently are dropped. */
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

/* The kept model of that name, valid or not; those that were for one use alone are dropped. */
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
	"model", "entity_embedding", "relation_embedding", "entity", "relation", "evidence_weight", NULL
};
static const char *const network_tables[] = {
	"model", "entity_embedding", "relation_embedding", "shared_weight", "entity", "relation", "evidence_weight", NULL
};
static const char *const facts_tables[] = {"triple", NULL};
static const char *const evidence_tables[] = {"triple", "rule", "path_network", "evidence_weight", NULL};

/* Those that a model's embeddings are read from */
static const char *const *
tables_of(const ModelRow *row)
{
	const KgeScoreFunction *function = row->score_function == NULL ? NULL : kge_score_function(row->score_function);

	return function != NULL && kge_has_network(function) ? network_tables : embedding_tables;
}

/* ---- ends of transactions ---------------------------------------------------- */

/* What is in use stays; what has no serial is of no use to the next call. */
static void
give_up_written(void)
{
	for (KeptModel *kept = kept_models; kept != NULL; kept = kept->next)
	{
		if (kept->written)
			kept->model.serial = 0;
		for (int i = 0; i < (int) lengthof(kept->facts); i++)
			if (kept->facts[i].written)
				kept->facts[i].serial = 0;
	}
}

static void
drop_large_answering(EvidenceCopy *copy)
{
	if (copy->answering == NULL || evidence_answering_bytes(copy->evidence) <= WORK_KEPT)
		return;
	copy->answering = NULL;
	MemoryContextReset(copy->work);
}

static void
end_transaction(XactEvent event, void *argument)
{
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PARALLEL_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
		return;
	give_up_written();
	for (KeptModel *kept = kept_models; kept != NULL; kept = kept->next)
		drop_large_answering(&kept->facts[true]);
}

static void
end_subtransaction(SubXactEvent event, SubTransactionId own, SubTransactionId parent, void *argument)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		give_up_written();
}

static void
watch_transactions(void)
{
	static bool watched = false;

	if (watched)
		return;
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
	watched = true;
}

/* ---- opening --------------------------------------------------------------- */

/* What all backends find it by. */
static CopyKey
copy_key(const Graph *graph, const char *name, TransactionId xmin, ItemPointerData ctid, const char *kind)
{
	return (CopyKey) {.kind = kind,.schema = graph->schema,.graph = graph->name,.model = name,.xmin = xmin,.ctid = ctid};
}

static KeptModel *
make_kept(const Graph *graph, const ModelRow *row)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg model",
												  ALLOCSET_DEFAULT_SIZES);
	KeptModel  *kept = MemoryContextAllocZero(context, sizeof(KeptModel));

	kept->memory.context = context;
	kept->schema = graph->schema;
	kept->xmin = row->xmin;
	kept->ctid = row->ctid;
	kept->written = tables_are_written_by_now(graph, tables_of(row));
	return kept;
}

/* From the tables, with all arrays in that context. */
static void
read_arrays(Graph *graph, const char *name, const ModelRow *row, MemoryContext context, KeptModel *kept)
{
	kept->bytes = model_read_shape(graph, name, row, context, NULL, &kept->model);
	make_room(kept->bytes, kept_models);
	model_read_numbers(graph, context, NULL, &kept->model);
}

static void
take_copy(SharedCopy *copy, KeptModel *kept)
{
	model_over_copy(copy, kept->memory.context, &kept->model);
	kept->memory.copy = copy;
	kept->bytes = 0;
}

/* The parts were read by the graph's name; the copy is found by its schema. */
static SharedCopy *
publish(const Graph *graph, CopyClaim *claim, const ModelParts *parts, MemoryContext context)
{
	graph_check_name(graph);
	return shared_copy_publish(claim, parts->part, parts->count, context);
}

/* Builds the copy that all are to share, or its own where there is no room for that. */
static void
build_model(Graph *graph, const char *name, const ModelRow *row, CopyClaim *claim, KeptModel *kept)
{
	MemoryContext own = AllocSetContextCreate(kept->memory.context, "hybridkg arrays", ALLOCSET_DEFAULT_SIZES);
	ModelParts	parts;
	SharedCopy *copy;

	read_arrays(graph, name, row, own, kept);
	parts = model_parts(&kept->model);
	copy = publish(graph, claim, &parts, kept->memory.context);
	if (copy == NULL)
		return;
	model_read_settings(name, row, kept->memory.context, &kept->model);
	take_copy(copy, kept);
	MemoryContextDelete(own);
}

/* keep: the caller may read all of it.  Then others share it. */
static KeptModel *
read_model(Graph *graph, const char *name, const ModelRow *row, bool keep)
{
	KeptModel  *kept = make_kept(graph, row);
	CopyKey		key = copy_key(graph, name, row->xmin, row->ctid, "model");
	CopyClaim  *claim = NULL;
	SharedCopy *copy = NULL;

	model_read_settings(name, row, kept->memory.context, &kept->model);
	if (keep)
		copy = shared_copy_open(&key, NULL, NULL, kept->memory.context, &claim);
	if (claim != NULL && tables_are_written(graph, tables_of(row)))
	{
		shared_copy_abandon(claim);
		claim = NULL;
	}
	if (copy != NULL)
		take_copy(copy, kept);
	else if (claim != NULL)
		build_model(graph, name, row, claim, kept);
	else
		read_arrays(graph, name, row, kept->memory.context, kept);
	kept->model.calibration = MemoryContextAllocHuge(kept->memory.context,
													 sizeof(EvCalibrations) * 2 * EV_KINDS * kept->model.kge.relations);
	evidence_read_calibration(graph, &kept->model);
	return kept;
}

static uint64
next_serial(void)
{
	static uint64 last_serial = 0;

	return ++last_serial;
}

/* The backend's own gives way to one that others have built in the meantime. */
static bool
model_holds(const Graph *graph, KeptModel *kept, const ModelRow *row)
{
	CopyKey		key = copy_key(graph, kept->model.name, row->xmin, row->ctid, "model");

	if (kept->xmin != row->xmin || !ItemPointerEquals(&kept->ctid, (ItemPointer) &row->ctid))
		return false;
	return kept->memory.copy == NULL ? !copy_exists(&key) : shared_copy_use(kept->memory.copy);
}

const Model *
model_open(Graph *graph, const char *name)
{
	ModelRow	row = model_read_row(graph, name);
	bool		keep = tables_are_shown_whole(graph, tables_of(&row)) && !tables_are_altered(graph, tables_of(&row)) &&
		!tables_are_altered(graph, evidence_tables);
	KeptModel  *kept = find_kept(graph->schema, name);

	watch_transactions();
	if (kept != NULL && keep && model_holds(graph, kept, &row))
	{
		move_to_front(kept);
		return use_model(kept);
	}
	if (kept != NULL)
		forget(kept);
	kept = read_model(graph, name, &row, keep);
	kept->model.serial = keep ? next_serial() : 0;
	make_room(kept->bytes, kept_models);
	MemoryContextSetParent(kept->memory.context, CacheMemoryContext);
	facts_watch(&kept->watch, graph, kept->memory.context);
	kept->next = kept_models;
	kept_models = kept;
	return use_model(kept);
}

/* ---- what depends on the facts --------------------------------------------------- */

static KeptModel *
kept_of(const Model *model)
{
	return (KeptModel *) model;
}

/* Whether others can share what is read now: what it was read with. */
static bool
origin_now(const Graph *graph, const KeptModel *kept, FactsOrigin *origin)
{
	origin->view = writers_view();
	return facts_are_noted(&kept->watch, &origin->definition) && writers_agree(graph->schema, &origin->view) &&
		!tables_are_written(graph, evidence_tables);
}

typedef struct WantedFacts
{
	Oid			schema;
	FactsOrigin origin;
} WantedFacts;

static CopyFit
fits(const SharedCopy *copy, void *argument)
{
	const WantedFacts *wanted = argument;
	FactsOrigin found = copy_origin(copy);

	if (found.definition == wanted->origin.definition && writers_agree(wanted->schema, &found.view))
		return COPY_FITS;
	return TransactionIdPrecedes(wanted->origin.view.xmax, found.view.xmax) ? COPY_IS_NEW : COPY_IS_OLD;
}

/* Beside the model, in the current context. */
static void
read_own_evidence(Graph *graph, const KeptModel *kept, EvidenceCopy *copy)
{
	copy->evidence = evidence_of_model(graph, copy->added, kept->bytes + copy->added->bytes);
}

static void
take_evidence(Graph *graph, SharedCopy *shared, EvidenceCopy *copy)
{
	copy->evidence = evidence_without_index(graph, copy->added);
	if (copy->evidence != NULL)
		evidence_over_copy(shared, copy->evidence);
	copy->memory->copy = shared;
}

/* Builds the copy that all are to share, or its own where there is no room for that. */
static void
build_evidence(Graph *graph, const KeptModel *kept, const FactsOrigin *origin, CopyClaim *claim, EvidenceCopy *copy)
{
	MemoryContext context = copy->memory->context;
	MemoryContext own = AllocSetContextCreate(context, "hybridkg arrays", ALLOCSET_DEFAULT_SIZES);
	FactsOrigin now;
	SharedCopy *shared = NULL;

	MemoryContextSwitchTo(own);
	read_own_evidence(graph, kept, copy);
	if (copy->evidence != NULL && origin_now(graph, kept, &now) && now.definition == origin->definition)
	{
		ModelParts	parts = evidence_parts(copy->evidence, &now);

		shared = publish(graph, claim, &parts, context);
	}
	MemoryContextSwitchTo(context);
	shared_copy_abandon(claim);
	if (shared == NULL)
		return;
	take_evidence(graph, shared, copy);
	MemoryContextDelete(own);
}

/* keep: the caller may read all of it.  Then others share it. */
static void
open_evidence(Graph *graph, const KeptModel *kept, bool keep, EvidenceCopy *copy)
{
	CopyKey		key = copy_key(graph, kept->model.name, kept->xmin, kept->ctid, "facts");
	WantedFacts wanted = {.schema = graph->schema};
	CopyClaim  *claim = NULL;
	SharedCopy *shared = NULL;

	if (keep && origin_now(graph, kept, &wanted.origin))
		shared = shared_copy_open(&key, fits, &wanted, copy->memory->context, &claim);
	if (shared != NULL)
	{
		take_evidence(graph, shared, copy);
		/* equal facts number new entities alike; a copy that does not is of no use here */
		if (copy->evidence != NULL && copy->evidence->facts.entities != kept->model.kge.entities + copy->added->count)
			read_own_evidence(graph, kept, copy);
	}
	else if (claim != NULL)
		build_evidence(graph, kept, &wanted.origin, claim, copy);
	else
		read_own_evidence(graph, kept, copy);
}

/* In a context of its own, below the current one. */
static EvidenceCopy
read_facts(Graph *graph, const KeptModel *kept, bool with_evidence, bool keep)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	EvidenceCopy copy = {
		.memory = palloc(sizeof(CountedMemory)),
		.written = tables_are_written_by_now(graph, evidence_tables),
		.facts = facts_version(&kept->watch)
	};

	*copy.memory = (CountedMemory) {.context = context};
	copy.work = AllocSetContextCreate(context, "hybridkg answers", ALLOCSET_SMALL_SIZES);
	copy.added = added_entities_read(graph, &kept->model, kept->bytes);
	if (with_evidence)
		open_evidence(graph, kept, keep, &copy);
	MemoryContextSwitchTo(caller);
	return copy;
}

/* What answers questions, if it is not there. */
static void
have_answering(const KeptModel *kept, EvidenceCopy *copy)
{
	uint64		beside = kept->bytes - copy->bytes;
	MemoryContext caller;

	if (copy->evidence == NULL || copy->answering != NULL)
		return;
	caller = MemoryContextSwitchTo(copy->work);
	copy->answering = evidence_answering(copy->evidence, beside + MemoryContextMemAllocated(copy->memory->context, true));
	MemoryContextSwitchTo(caller);
	copy->serial = copy->serial == 0 ? 0 : next_serial();
}

static void
forget_facts(KeptModel *kept, EvidenceCopy *copy)
{
	if (copy->memory == NULL)
		return;
	kept->bytes -= copy->bytes;
	drop(copy->memory);
	*copy = (EvidenceCopy) {0};
}

static void
keep_facts(KeptModel *kept, EvidenceCopy copy, bool with_evidence)
{
	forget_facts(kept, &kept->facts[with_evidence]);	/* another call may have read it in the meantime */
	copy.serial = next_serial();
	MemoryContextSetParent(copy.memory->context, kept->memory.context);
	copy.bytes = MemoryContextMemAllocated(copy.memory->context, true) +
		(copy.evidence == NULL ? 0 : evidence_answering_bytes(copy.evidence));
	kept->bytes += copy.bytes;
	kept->facts[with_evidence] = copy;
	if (kept->memory.dropped)
		return;
	move_to_front(kept);
	make_room(kept->bytes, kept->next);
}

static bool
facts_hold(KeptModel *kept, bool with_evidence)
{
	EvidenceCopy *copy = &kept->facts[with_evidence];

	return copy->memory != NULL && copy->serial != 0 && facts_version_holds(&kept->watch, &copy->facts) &&
		(copy->memory->copy == NULL || shared_copy_use(copy->memory->copy));
}

/* What is kept, read if need be; one with evidence serves where none is wanted. */
static EvidenceCopy
kept_facts(Graph *graph, KeptModel *kept, bool with_evidence)
{
	bool		both = with_evidence || (tables_are_shown_whole(graph, evidence_tables) && facts_hold(kept, true));

	if (!facts_hold(kept, both))
	{
		forget_facts(kept, &kept->facts[both]);
		keep_facts(kept, read_facts(graph, kept, both, true), both);
	}
	if (with_evidence)
		have_answering(kept, &kept->facts[both]);
	use(kept->facts[both].memory);
	return kept->facts[both];
}

/* A copy is kept with the model as long as the caller may read all that it holds. */
ModelFacts
model_facts(Graph *graph, const Model *model, bool with_evidence)
{
	KeptModel  *kept = kept_of(model);
	EvidenceCopy copy;

	use(&kept->memory);
	facts_check(&kept->watch);
	if (model->serial != 0 && tables_are_shown_whole(graph, with_evidence ? evidence_tables : facts_tables))
		copy = kept_facts(graph, kept, with_evidence);
	else
	{
		copy = read_facts(graph, kept, with_evidence, false);
		have_answering(kept, &copy);
	}
	return (ModelFacts) {copy.added, copy.evidence, copy.answering, copy.serial};
}

bool
model_has_facts(const Model *model, uint64 serial)
{
	const EvidenceCopy *copy = kept_of(model)->facts;

	return serial != 0 && (copy[false].serial == serial || copy[true].serial == serial);
}
