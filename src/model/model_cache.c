/*
 * model_cache.c
 *		The models, with their evidence and new entities, that a backend keeps for its next calls.
 *
 * A backend keeps the models it used last, each in a memory context of its own under CacheMemoryContext.  What decides
 * whether the next call can use what is kept:
 *
 * - A model: its row is the very version that it was read with, by (xmin, ctid), as the caller's snapshot shows it.
 *   Training replaces that row, and triggers update it when somebody changes an embedding, a rule or a weight by hand.
 *   So one look-up by primary key decides, in any transaction, after a rollback, on a replica.  Until the statement that
 *   changes them has ended, its rows decide (written_rows.h).
 * - Its facts, that is what depends on the facts: the entities that came after the training, alone or with the evidence,
 *   which takes far longer to read.  They are kept beside the model while the facts do not change (FactsVersion,
 *   graph/changes.c).
 * - The arrays of either may be a shared copy, a file of all backends, which is looked for before tables are read: that of
 *   a model by (xmin, ctid), that of facts by FactsOrigin.
 *
 * What was read where the transaction has written the tables (`written`) is kept for this transaction alone, and not when
 * a part of it is rolled back.  Where the caller may not read all of a table, the model is read again each time, and not
 * kept (kept_tables.h).  What has the serial 0 is for one call alone.
 *
 * A model is built in a context under the caller's, which is moved under CacheMemoryContext when it is complete.  An
 * error on the way leaves nothing.  What a caller uses stays until its context is reset (server/counted_memory.h).
 *
 * What answers questions grows with the graph, and is each backend's own.  Where it is large, it goes back to the
 * system when the transaction ends: of hundreds of sessions, few ask at a time.
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
#include "server/counted_memory.h"
#include "server/host.h"
#include "server/shared_copy.h"
#include "server/written_rows.h"

/* bytes of what answers questions that a backend keeps from one transaction to the next */
#define WORK_KEPT (64 * 1024 * 1024)

/* models kept in a backend, as far as they fit hybridkg.max_memory together */
#define MODELS_KEPT 4

/* Evidence and answering are NULL where the model has no evidence, or where none was wanted. */
typedef struct KeptFacts
{
	CountedMemory *memory;
	SharedCopy *shared;			/* NULL: the arrays are this backend's own */
	AddedEntities *added;
	Evidence   *evidence;
	MemoryContext work;			/* below that of `memory`: what answers questions */
	EvAnswering *answering;		/* NULL: not there yet, or not any more */
	uint64		serial;
	bool		written;		/* the transaction had written the tables when it was read */
	uint64		bytes;			/* of this backend's memory, as the model's bytes count it; 0: not kept */
	FactsVersion version;		/* that it was read with */
} KeptFacts;

typedef struct KeptModel
{
	Model		model;			/* comes first */
	CountedMemory memory;		/* holds this and all of the model */
	SharedCopy *shared;			/* NULL: the arrays are this backend's own */
	Oid			schema;
	TransactionId xmin;
	ItemPointerData ctid;
	bool		written;		/* the transaction had written the tables when it was read */
	uint64		rows;			/* that it had written by hand then */
	uint64		bytes;			/* of this backend's memory, with those of its facts; a shared copy takes none */
	FactsWatch	watch;
	KeptFacts	facts[2];		/* without evidence, and with it; memory is NULL until it was read */
	struct KeptModel *next;
} KeptModel;

/* the one used last comes first */
static KeptModel *kept_models = NULL;

/* ---- models that are kept -------------------------------------------------- */

static const Model *
use_model(KeptModel *kept)
{
	counted_memory_use(&kept->memory);
	return &kept->model;
}

static void
forget(KeptModel *kept)
{
	for (KeptModel **link = &kept_models; *link != NULL; link = &(*link)->next)
		if (*link == kept)
		{
			*link = kept->next;
			facts_unwatch(&kept->watch);
			counted_memory_drop(&kept->memory);
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
/* triggers of these give the model's row another version, at the end of a statement */
static const char *const tables_by_hand[] = {
	"entity_embedding", "relation_embedding", "shared_weight", "rule", "path_network", "evidence_weight", NULL
};

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
drop_large_answering(KeptFacts *facts)
{
	if (facts->answering == NULL || evidence_answering_bytes(facts->evidence) <= WORK_KEPT)
		return;
	facts->answering = NULL;
	MemoryContextReset(facts->work);
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

/* What all backends find a shared copy by. */
static CopyKey
copy_key(const Graph *graph, const char *name, TransactionId xmin, ItemPointerData ctid, const char *kind)
{
	return (CopyKey) {.kind = kind,.schema = graph->schema,.graph = graph->name,.model = name,.xmin = xmin,.ctid = ctid};
}

/* Those of the model that this transaction has written so far. */
static uint64
rows_by_hand(const Graph *graph)
{
	return rows_written(tables_written_by_now(graph, tables_by_hand));
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
	kept->written = tables_written_by_now(graph, tables_of(row)) != NIL;
	kept->rows = rows_by_hand(graph);
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
map_model(SharedCopy *shared, KeptModel *kept)
{
	model_over_copy(shared, kept->memory.context, &kept->model);
	kept->shared = shared;
	kept->bytes = 0;
}

/* The parts were read by the graph's name; the copy is found by its schema. */
static SharedCopy *
publish(const Graph *graph, CopyClaim *claim, const ModelParts *parts, MemoryContext context)
{
	graph_check_name(graph);
	return shared_copy_publish(claim, parts->part, parts->count, context);
}

/* Makes a shared copy of what it reads, or keeps the arrays where there is no room for one. */
static void
build_model(Graph *graph, const char *name, const ModelRow *row, CopyClaim *claim, KeptModel *kept)
{
	MemoryContext own = AllocSetContextCreate(kept->memory.context, "hybridkg arrays", ALLOCSET_DEFAULT_SIZES);
	ModelParts	parts;
	SharedCopy *shared;

	read_arrays(graph, name, row, own, kept);
	parts = model_parts(&kept->model);
	shared = publish(graph, claim, &parts, kept->memory.context);
	if (shared == NULL)
		return;
	model_read_settings(name, row, kept->memory.context, &kept->model);
	map_model(shared, kept);
	MemoryContextDelete(own);
}

/* keep: the caller may read all of it, and of the tables of evidence.  Then others share it. */
static KeptModel *
read_model(Graph *graph, const char *name, const ModelRow *row, bool keep)
{
	KeptModel  *kept = make_kept(graph, row);
	CopyKey		key = copy_key(graph, name, row->xmin, row->ctid, "model");
	CopyClaim  *claim = NULL;
	SharedCopy *shared = NULL;

	model_read_settings(name, row, kept->memory.context, &kept->model);
	if (keep && kept->rows == 0)
		shared = shared_copy_open(&key, NULL, NULL, kept->memory.context, &claim);
	if (claim != NULL && tables_written(graph, tables_of(row)) != NIL)
	{
		shared_copy_abandon(claim);
		claim = NULL;
	}
	if (shared != NULL)
		map_model(shared, kept);
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

	if (kept->xmin != row->xmin || !ItemPointerEquals(&kept->ctid, (ItemPointer) &row->ctid) ||
		kept->rows != rows_by_hand(graph))
		return false;
	if (kept->shared == NULL)
		return kept->rows > 0 || !copy_exists(&key);
	return shared_copy_use(kept->shared);
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
		tables_written(graph, evidence_tables) == NIL;
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
read_own_evidence(Graph *graph, const KeptModel *kept, KeptFacts *facts)
{
	facts->evidence = evidence_of_model(graph, facts->added, kept->bytes + facts->added->bytes);
}

static void
map_evidence(Graph *graph, SharedCopy *shared, KeptFacts *facts)
{
	facts->evidence = evidence_without_index(graph, facts->added);
	if (facts->evidence != NULL)
		evidence_over_copy(shared, facts->evidence);
	facts->shared = shared;
}

/* Makes a shared copy of the evidence, or keeps what it has read where it cannot. */
static void
build_evidence(Graph *graph, const KeptModel *kept, const FactsOrigin *origin, CopyClaim *claim, KeptFacts *facts)
{
	MemoryContext context = facts->memory->context;
	MemoryContext own = AllocSetContextCreate(context, "hybridkg arrays", ALLOCSET_DEFAULT_SIZES);
	FactsOrigin now;
	SharedCopy *shared = NULL;

	MemoryContextSwitchTo(own);
	read_own_evidence(graph, kept, facts);
	if (facts->evidence != NULL && origin_now(graph, kept, &now) && now.definition == origin->definition)
	{
		ModelParts	parts = evidence_parts(facts->evidence, &now);

		shared = publish(graph, claim, &parts, context);
	}
	MemoryContextSwitchTo(context);
	shared_copy_abandon(claim);
	if (shared == NULL)
		return;
	map_evidence(graph, shared, facts);
	MemoryContextDelete(own);
}

/* keep: the caller may read all of it.  Then others share it, but for a serializable transaction (facts_version_holds). */
static void
open_evidence(Graph *graph, const KeptModel *kept, bool keep, KeptFacts *facts)
{
	CopyKey		key = copy_key(graph, kept->model.name, kept->xmin, kept->ctid, "facts");
	WantedFacts wanted = {.schema = graph->schema};
	CopyClaim  *claim = NULL;
	SharedCopy *shared = NULL;

	if (keep && !IsolationIsSerializable() && origin_now(graph, kept, &wanted.origin))
		shared = shared_copy_open(&key, fits, &wanted, facts->memory->context, &claim);
	if (shared != NULL)
	{
		map_evidence(graph, shared, facts);
		/* equal facts number new entities alike; a shared copy that does not is of no use here */
		if (facts->evidence != NULL && facts->evidence->facts.entities != kept->model.kge.entities + facts->added->count)
			read_own_evidence(graph, kept, facts);
	}
	else if (claim != NULL)
		build_evidence(graph, kept, &wanted.origin, claim, facts);
	else
		read_own_evidence(graph, kept, facts);
}

/* In a context of its own, below the current one. */
static KeptFacts
read_facts(Graph *graph, const KeptModel *kept, bool with_evidence, bool keep)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	KeptFacts	facts = {
		.memory = palloc(sizeof(CountedMemory)),
		.written = tables_written_by_now(graph, evidence_tables) != NIL,
		.version = facts_version(&kept->watch)
	};

	*facts.memory = (CountedMemory) {.context = context};
	facts.work = AllocSetContextCreate(context, "hybridkg answers", ALLOCSET_SMALL_SIZES);
	facts.added = added_entities_read(graph, &kept->model, kept->bytes);
	if (with_evidence)
		open_evidence(graph, kept, keep, &facts);
	MemoryContextSwitchTo(caller);
	return facts;
}

/*
 * What answers questions, if it is not there.  A new serial: who has the old one has a pointer to the answering that went
 * with the last transaction.
 */
static void
have_answering(const KeptModel *kept, KeptFacts *facts)
{
	uint64		beside = kept->bytes - facts->bytes;
	MemoryContext caller;

	if (facts->evidence == NULL || facts->answering != NULL)
		return;
	caller = MemoryContextSwitchTo(facts->work);
	facts->answering = evidence_answering(facts->evidence, beside + MemoryContextMemAllocated(facts->memory->context, true));
	MemoryContextSwitchTo(caller);
	facts->serial = facts->serial == 0 ? 0 : next_serial();
}

static void
forget_facts(KeptModel *kept, KeptFacts *facts)
{
	if (facts->memory == NULL)
		return;
	kept->bytes -= facts->bytes;
	counted_memory_drop(facts->memory);
	*facts = (KeptFacts) {0};
}

static void
keep_facts(KeptModel *kept, KeptFacts facts, bool with_evidence)
{
	forget_facts(kept, &kept->facts[with_evidence]);	/* another call may have read it in the meantime */
	facts.serial = next_serial();
	MemoryContextSetParent(facts.memory->context, kept->memory.context);
	facts.bytes = MemoryContextMemAllocated(facts.memory->context, true) +
		(facts.evidence == NULL ? 0 : evidence_answering_bytes(facts.evidence));
	kept->bytes += facts.bytes;
	kept->facts[with_evidence] = facts;
	if (kept->memory.dropped)
		return;
	move_to_front(kept);
	make_room(kept->bytes, kept->next);
}

static bool
facts_hold(KeptModel *kept, bool with_evidence)
{
	KeptFacts  *facts = &kept->facts[with_evidence];

	return facts->memory != NULL && facts->serial != 0 && facts_version_holds(&kept->watch, &facts->version) &&
		(facts->shared == NULL || shared_copy_use(facts->shared));
}

/* What is kept, read if need be; facts with evidence serve where none is wanted. */
static KeptFacts
kept_facts(Graph *graph, KeptModel *kept, bool with_evidence)
{
	bool		evidence_too = with_evidence || (tables_are_shown_whole(graph, evidence_tables) && facts_hold(kept, true));

	if (!facts_hold(kept, evidence_too))
	{
		forget_facts(kept, &kept->facts[evidence_too]);
		keep_facts(kept, read_facts(graph, kept, evidence_too, true), evidence_too);
	}
	if (with_evidence)
		have_answering(kept, &kept->facts[evidence_too]);
	counted_memory_use(kept->facts[evidence_too].memory);
	return kept->facts[evidence_too];
}

/* Facts are kept with the model as long as the caller may read all of them. */
ModelFacts
model_facts(Graph *graph, const Model *model, bool with_evidence)
{
	KeptModel  *kept = kept_of(model);
	KeptFacts	facts;

	counted_memory_use(&kept->memory);
	facts_check(&kept->watch);
	if (model->serial != 0 && tables_are_shown_whole(graph, with_evidence ? evidence_tables : facts_tables))
		facts = kept_facts(graph, kept, with_evidence);
	else
	{
		facts = read_facts(graph, kept, with_evidence, false);
		have_answering(kept, &facts);
	}
	return (ModelFacts) {facts.added, facts.evidence, facts.answering, facts.serial};
}

bool
model_recall_facts(const Model *model, uint64 serial)
{
	KeptFacts  *facts = kept_of(model)->facts;

	for (int i = 0; i < 2 && serial != 0; i++)
		if (facts[i].serial == serial)
		{
			counted_memory_use(facts[i].memory);
			return true;
		}
	return false;
}
