/*
 * entity_set.h
 *		Entities that a caller names: as rows of a model, in order or as a set.
 */
#ifndef HKG_PREDICT_ENTITY_SET_H
#define HKG_PREDICT_ENTITY_SET_H

#include "server/compat.h"

#include "graph/call.h"
#include "kge/kge.h"
#include "model/added_entities.h"
#include "server/given_names.h"

/* The row of each name, in the current context; -1 for one that no entity of the model has. */
extern int32 *entity_rows(const Graph *graph, const AddedEntities *added, const GivenNames *names);

/* Those that the model has, each once; others come from tables, which may have more than the graph. */
typedef struct EntitySet
{
	bool		given;			/* false: all entities */
	int64		names;			/* that were given */
	int32	   *row;			/* ascending */
	int32		count;
} EntitySet;

extern EntitySet entity_set(const Graph *graph, const AddedEntities *added, const GivenNames *names);

extern bool entity_set_has(const EntitySet *set, int32 row);

/*
 * A set as the only candidates of searches with that model and that adjustment, which may be NULL, in the current
 * context; and their sketch, where the model has one and it makes searches faster: else NULL.
 */
extern KgeChosen *entity_set_chosen(const EntitySet *set, const KgeModel *model, const KgeAdjustment *adjustment,
									Pool *pool);
extern const KgeSketch *chosen_sketch(const KgeChosen *chosen, const KgeSketch *sketch, Pool *pool);

#endif							/* HKG_PREDICT_ENTITY_SET_H */
