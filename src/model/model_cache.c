/*
 * model_cache.c
 *		The models, with their evidence and new entities, that a backend keeps for its next calls.
 *
 * A backend keeps the models it used last, each in a memory context of its own under CacheMemoryContext, and beside each
 * what depends on the facts: the entities that came after the training, alone or with the evidence, which takes far longer
 * to read.  Both are valid while they have the version that they were read with (graph/version.c).  While that lasts, the
 * arrays of either may be a shared copy, a file of all backends, which is looked for before tables are read.
 *
 * Where the caller may not read all of a table, what is read has the serial 0: it is for one call alone.
 *
 * A model is built in a context under the caller's, which is moved under CacheMemoryContext when it is complete.  An
 * error on the way leaves nothing.  What a caller uses stays until its context is reset (server/counted_memory.h).
 *
 * What answers questions grows with the graph, and is each backend's own.  Where it is large, it goes back to the
 * system when the transaction ends: of hundreds of sessions, few ask at a time.
 */
#include "model_cache.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "answer_sets.h"
#include "graph/version.h"
#include "model_share.h"
#include "server/counted_memory.h"
#include "server/host.h"
#include "server/shared_copy.h"

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
	RejectedAnswers *rejected;
	Evidence   *evidence;
	MemoryContext work;			/* below that of `memory`: what answers questions */
	EvAnswering *answering;		/* NULL: not there yet, or not any more */
	uint64		serial;
	uint64		bytes;			/* of this backend's memory, as the model's bytes count it; 0: not kept */
	Version		version;
} KeptFacts;

typedef struct KeptModel
{
	Model		model;			/* comes first */
	CountedMemory memory;		/* holds this and all of the model */
	SharedCopy *shared;			/* NULL: the arrays are this backend's own */
	Oid			schema;
	Version		version;
	uint64		bytes;			/* of this backend's memory, with those of its facts; a shared copy takes none */
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

/* ---- tables ------------------------------------------------------------------ */

/* Those that a model's embeddings are read from, and beside them conve's weights */
static const char *const embedding_tables[] = {
	"model", "entity_embedding", "relation_embedding", "entity", "relation", "evidence_weight", NULL
};
static const char *const network_tables[] = {
	"model", "entity_embedding", "relation_embedding", "shared_weight", "entity", "relation", "evidence_weight", NULL
};
static const char *const facts_tables[] = {"triple", "rejected", NULL};
static const char *const evidence_tables[] = {"triple", "rejected", "rule", "path_network", "evidence_weight", NULL};
/* whose rows belong to the model's */
static const char *const model_tables[] = {
	"model", "entity_embedding", "relation_embedding", "shared_weight", "rule", "path_network", "evidence_weight",
	"entity", "relation", NULL
};

/* ---- ends of transactions ---------------------------------------------------- */

static void
end_transaction(XactEvent event, void *argument)
{
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PARALLEL_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
		return;
	for (KeptModel *kept = kept_models; kept != NULL; kept = kept->next)
	{
		KeptFacts  *facts = &kept->facts[true];

		if (facts->answering == NULL || evidence_answering_bytes(facts->evidence) <= WORK_KEPT)
			continue;
		facts->answering = NULL;
		MemoryContextReset(facts->work);
	}
}

/* ---- opening --------------------------------------------------------------- */

/* What all backends find a shared copy by. */
static CopyKey
copy_key(const Graph *graph, const char *name, const char *kind, Version version)
{
	return (CopyKey) {
		.kind = kind,.schema = graph->schema,.graph = graph->name,.model = name,.version = version.number,
		.xmax = GetActiveSnapshot()->xmax
	};
}

/* The parts were read by the graph's name; the copy is found by its schema. */
static SharedCopy *
publish(const Graph *graph, CopyClaim *claim, const ModelParts *parts, MemoryContext context)
{
	graph_check_name(graph);
	return shared_copy_publish(claim, parts->part, parts->count, context);
}

/* shares: others do, too; the first one to read the arrays makes the copy, where there is room for it. */
static KeptModel *
read_model(Graph *graph, const char *name, const ModelRow *row, Version version, bool shares)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg model", ALLOCSET_DEFAULT_SIZES);
	MemoryContext own = AllocSetContextCreate(context, "hybridkg arrays", ALLOCSET_DEFAULT_SIZES);
	KeptModel  *kept = MemoryContextAllocZero(context, sizeof(KeptModel));
	CopyKey		key = copy_key(graph, name, "model", version);
	CopyClaim  *claim = NULL;
	SharedCopy *shared;

	kept->memory.context = context;
	kept->schema = graph->schema;
	kept->version = version;
	model_read_settings(name, row, context, &kept->model);
	shared = shares ? shared_copy_open(&key, context, &claim) : NULL;
	if (shared == NULL)
	{
		kept->bytes = model_read_shape(graph, name, row, own, NULL, &kept->model);
		make_room(kept->bytes, kept_models);
		model_read_numbers(graph, own, NULL, &kept->model);
		kept->model.calibration = MemoryContextAllocHuge(own, model_calibration_bytes(&kept->model));
		evidence_read_calibration(graph, &kept->model);
	}
	if (claim != NULL)
	{
		ModelParts	parts = model_parts(&kept->model);

		shared = publish(graph, claim, &parts, context);
		if (shared != NULL)
			model_read_settings(name, row, context, &kept->model);
	}
	if (shared != NULL)
	{
		model_over_copy(shared, context, &kept->model);
		kept->shared = shared;
		kept->bytes = 0;
		MemoryContextDelete(own);
	}
	return kept;
}

static uint64
next_serial(void)
{
	static uint64 last_serial = 0;

	return ++last_serial;
}

const Model *
model_open(Graph *graph, const char *name)
{
	static bool watched = false;
	ModelRow	row = model_read_row(graph, name);
	const KgeScoreFunction *function = row.score_function == NULL ? NULL : kge_score_function(row.score_function);
	bool		shown = tables_are_shown_whole(graph, function != NULL && kge_has_network(function) ? network_tables :
											   embedding_tables);
	Version		version = model_rows_version(graph, row.xmin, row.ctid, model_tables);
	KeptModel  *kept = kept_models;

	if (!watched)
		RegisterXactCallback(end_transaction, NULL);
	watched = true;
	while (kept != NULL && (kept->schema != graph->schema || strcmp(kept->model.name, name) != 0))
		kept = kept->next;
	if (kept != NULL && shown && kept->version.number == version.number &&
		(kept->shared == NULL || shared_copy_use(kept->shared)))
	{
		move_to_front(kept);
		return use_model(kept);
	}
	if (kept != NULL)
		forget(kept);
	kept = read_model(graph, name, &row, version, shown && version.lasts);
	if (!shown)
		return &kept->model;
	kept->model.serial = next_serial();
	make_room(kept->bytes, kept_models);
	MemoryContextSetParent(kept->memory.context, CacheMemoryContext);
	kept->next = kept_models;
	kept_models = kept;
	return use_model(kept);
}

/* ---- what depends on the facts --------------------------------------------------- */

/* In the context of `facts`.  shares: see read_model */
static void
read_evidence(Graph *graph, const KeptModel *kept, bool shares, KeptFacts *facts)
{
	MemoryContext context = facts->memory->context;
	MemoryContext own = AllocSetContextCreate(context, "hybridkg arrays", ALLOCSET_DEFAULT_SIZES);
	CopyKey		key = copy_key(graph, kept->model.name, "facts", version_of_both(kept->version, facts->version));
	CopyClaim  *claim = NULL;
	SharedCopy *shared = shares ? shared_copy_open(&key, context, &claim) : NULL;

	if (shared == NULL)
	{
		MemoryContextSwitchTo(own);
		facts->evidence = evidence_of_model(graph, facts->added, kept->bytes + facts->added->bytes);
		if (facts->evidence != NULL && claim != NULL)
		{
			ModelParts	parts = evidence_parts(facts->evidence);

			shared = publish(graph, claim, &parts, context);
		}
		MemoryContextSwitchTo(context);
		shared_copy_abandon(claim);
	}
	if (shared != NULL)
	{
		facts->evidence = evidence_without_index(graph, facts->added);
		if (facts->evidence != NULL)
			evidence_over_copy(shared, facts->evidence);
		facts->shared = shared;
		MemoryContextDelete(own);
	}
}

/* In a context of its own, below the current one. */
static KeptFacts
read_facts(Graph *graph, const KeptModel *kept, bool with_evidence, Version version, bool shares)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	KeptFacts	facts = {.memory = palloc(sizeof(CountedMemory)),.version = version};

	*facts.memory = (CountedMemory) {.context = context};
	facts.work = AllocSetContextCreate(context, "hybridkg answers", ALLOCSET_SMALL_SIZES);
	facts.added = added_entities_read(graph, &kept->model, kept->bytes);
	facts.rejected = rejected_answers_read(graph, facts.added);
	if (with_evidence)
		read_evidence(graph, kept, shares, &facts);
	if (facts.evidence != NULL)
		facts.evidence->facts.answers = answer_sets_read(graph, kept->model.relation_id, &facts.evidence->facts);
	facts.added->answers = facts.evidence != NULL ? facts.evidence->facts.answers : answers_of_model(graph, facts.added);
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
facts_hold(const KeptFacts *facts, Version version)
{
	return facts->memory != NULL && facts->version.number == version.number &&
		(facts->shared == NULL || shared_copy_use(facts->shared));
}

/* Facts are kept with the model as long as the caller may read all of them; with evidence they serve where none is wanted. */
ModelFacts
model_facts(Graph *graph, const Model *model, bool with_evidence)
{
	KeptModel  *kept = (KeptModel *) model;
	Version		version = facts_version(graph);
	bool		evidence_shown = tables_are_shown_whole(graph, evidence_tables);
	KeptFacts	facts;

	if (model->serial != 0 && (with_evidence ? evidence_shown : tables_are_shown_whole(graph, facts_tables)))
	{
		bool		both = with_evidence || (evidence_shown && facts_hold(&kept->facts[true], version));

		counted_memory_use(&kept->memory);
		if (!facts_hold(&kept->facts[both], version))
		{
			forget_facts(kept, &kept->facts[both]);
			keep_facts(kept, read_facts(graph, kept, both, version, version.lasts && kept->version.lasts), both);
		}
		if (with_evidence)
			have_answering(kept, &kept->facts[both]);
		counted_memory_use(kept->facts[both].memory);
		facts = kept->facts[both];
	}
	else
	{
		facts = read_facts(graph, kept, with_evidence, version, false);
		have_answering(kept, &facts);
	}
	return (ModelFacts) {facts.added, facts.rejected, facts.evidence, facts.answering, facts.serial};
}

bool
model_recall_facts(const Model *model, uint64 serial)
{
	KeptFacts  *facts = ((KeptModel *) model)->facts;

	for (int i = 0; i < 2 && serial != 0; i++)
		if (facts[i].serial == serial)
		{
			counted_memory_use(facts[i].memory);
			return true;
		}
	return false;
}
