/*
 * lane_relations.c
 *		The relations of the lanes of a step (see lane_relations.h; kge/learn/optimizer.c merges them).
 */
#include "lane_relations.h"

#include "server/host.h"

Size
lane_relations_bytes(const BucketSizes *sizes, int lanes)
{
	return lanes == 1 ? 0 : (lanes + 1) * (sizes->relations + sizes->relation_state);
}

static KgeRelations
take(const BucketSizes *sizes)
{
	return (KgeRelations) {
		hkg_allocate(CurrentMemoryContext, sizes->relations), hkg_allocate(CurrentMemoryContext, sizes->relation_state)
	};
}

void
lane_relations_open(LaneRelations *relations, KgeTrainer *trainer, float *relation, const BucketSizes *sizes, int lanes)
{
	size_t		count;

	*relations = (LaneRelations) {.trainer = trainer,.sizes = *sizes,.lanes = lanes,.own = {.relation = relation}};
	(void) kge_trainer_state(trainer, 1, &relations->own.state, &count);
	Assert(count * sizeof(float) == sizes->relation_state);
	if (lanes == 1)
		return;
	relations->before = take(sizes);
	for (int lane = 0; lane < lanes; lane++)
		relations->lane[lane] = take(sizes);
}

static void
copy(const LaneRelations *relations, KgeRelations from, KgeRelations to)
{
	memcpy(to.relation, from.relation, relations->sizes.relations);
	memcpy(to.state, from.state, relations->sizes.relation_state);
}

void
lane_relations_begin(LaneRelations *relations)
{
	copy(relations, relations->own, relations->before);
}

void
lane_relations_enter(LaneRelations *relations)
{
	copy(relations, relations->before, relations->own);
}

void
lane_relations_leave(LaneRelations *relations, int lane)
{
	copy(relations, relations->own, relations->lane[lane]);
}

void
lane_relations_merge(LaneRelations *relations, int lanes)
{
	kge_merge_relations(relations->trainer, relations->lane, lanes);
}
