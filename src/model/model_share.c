/*
 * model_share.c
 *		A model, and the facts, rules and network of its evidence, as parts of a shared copy (see model_share.h).
 *
 * Part 0 of each is a struct of plain numbers.  Arrays are shared as they are, and the structs with pointers to them
 * are each process's own.
 */
#include "model_share.h"

#include "server/host.h"

static void
add_part(ModelParts *parts, const void *data, Size bytes)
{
	Assert(parts->count < COPY_PARTS);
	parts->part[parts->count++] = (CopyPart) {data, bytes};
}

/* Pages of a copy are not written to. */
static void *
part_data(const SharedCopy *copy, int i)
{
	return (void *) shared_copy_part(copy, i).data;
}

/* ---- a model ------------------------------------------------------------------------- */

typedef enum ModelPart
{
	MODEL_SIZE,
	MODEL_ENTITY_IDS,
	MODEL_RELATION_IDS,
	MODEL_ENTITIES,
	MODEL_RELATIONS,
	MODEL_SKETCH,
	MODEL_CALIBRATION
} ModelPart;

typedef struct ModelSize
{
	int32		entities;
	int32		relations;
	bool		probable;
} ModelSize;

ModelParts
model_parts(const Model *model)
{
	const KgeModel *kge = &model->kge;
	ModelParts	parts = {0};
	Size		bytes;
	const void *sketch = kge_sketch_memory(model->sketch, kge, &bytes);
	ModelSize  *size = palloc(sizeof(ModelSize));

	*size = (ModelSize) {kge->entities, kge->relations, model->probable};
	add_part(&parts, size, sizeof(ModelSize));
	add_part(&parts, model->entity_id, sizeof(int32) * (Size) kge->entities);
	add_part(&parts, model->relation_id, sizeof(int32) * (Size) kge->relations);
	add_part(&parts, kge->entity,
			 sizeof(float) * (Size) kge->entities * kge_entity_width(kge->function, kge->dimensions));
	add_part(&parts, kge->relation,
			 sizeof(float) * (Size) kge_relation_rows(kge) * kge_relation_width(kge->function, kge->dimensions));
	add_part(&parts, sketch, bytes);
	add_part(&parts, model->calibration, model_calibration_bytes(model));
	return parts;
}

void
model_over_copy(const SharedCopy *copy, MemoryContext context, Model *model)
{
	const ModelSize *size = part_data(copy, MODEL_SIZE);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Arena		arena = hkg_arena();

	model->kge.entities = size->entities;
	model->kge.relations = size->relations;
	model->entity_id = part_data(copy, MODEL_ENTITY_IDS);
	model->relation_id = part_data(copy, MODEL_RELATION_IDS);
	model->kge.entity = part_data(copy, MODEL_ENTITIES);
	model->kge.relation = part_data(copy, MODEL_RELATIONS);
	model->sketch = kge_sketch_over(&arena, &model->kge, part_data(copy, MODEL_SKETCH));
	model->calibration = part_data(copy, MODEL_CALIBRATION);
	model->probable = size->probable;
	MemoryContextSwitchTo(caller);
}

/* ---- facts and rules -------------------------------------------------------------------- */

typedef enum EvidencePart
{
	EVIDENCE_HEADER,
	EVIDENCE_FACTS,
	EVIDENCE_RULES,
	EVIDENCE_NETWORK			/* its parameters; there where the header has members */
} EvidencePart;

/* Pointers in it are of whoever made the copy. */
typedef struct EvidenceHeader
{
	FactIndex	facts;
	EvRules		rules;
	PathNetwork network;		/* no members: none */
} EvidenceHeader;

ModelParts
evidence_parts(const Evidence *evidence)
{
	EvidenceHeader *header = palloc(sizeof(EvidenceHeader));
	ModelParts	parts = {0};
	Size		bytes;
	const void *memory;

	*header = (EvidenceHeader) {.facts = evidence->facts,.rules = evidence->rules};
	add_part(&parts, header, sizeof(EvidenceHeader));
	memory = fact_index_memory(&evidence->facts, &bytes);
	add_part(&parts, memory, bytes);
	memory = ev_rules_memory(&evidence->rules, evidence->facts.relations, &bytes);
	add_part(&parts, memory, bytes);
	if (evidence->network != NULL)
	{
		header->network = *evidence->network;
		add_part(&parts, evidence->network->parameter, path_numbers(evidence->network) * sizeof(float));
	}
	return parts;
}

void
evidence_over_copy(const SharedCopy *copy, Evidence *evidence)
{
	const EvidenceHeader *header = part_data(copy, EVIDENCE_HEADER);

	evidence->is_shared = true;
	evidence->facts = header->facts;
	evidence->rules = header->rules;
	fact_index_move(&evidence->facts, part_data(copy, EVIDENCE_FACTS));
	ev_rules_move(&evidence->rules, evidence->facts.relations, part_data(copy, EVIDENCE_RULES));
	if (header->network.members > 0)
	{
		PathNetwork *network = palloc(sizeof(PathNetwork));

		*network = header->network;
		network->parameter = part_data(copy, EVIDENCE_NETWORK);
		evidence->network = network;
	}
}
