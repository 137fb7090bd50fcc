/*
 * model_rating.c
 *		The quality of rules by a trained model's embeddings (see model_rating.h).
 */
#include "model_rating.h"

#include "model_cache.h"
#include "rules/selection.h"
#include "server/host.h"

static bool
same_ids(const int32 *a, int32 a_count, const int32 *b, int32 b_count)
{
	return a_count == b_count && memcmp(a, b, a_count * sizeof(int32)) == 0;
}

void
rate_by_model(Graph *graph, const char *name, MinedRules *rules, double omega, int sample)
{
	GraphData  *data = graph_read(graph);
	const Model *model = model_open(graph, name);

	if (!same_ids(model->entity_id, model->kge.entities, data->entity_id, data->entities) ||
		!same_ids(model->relation_id, model->kge.relations, data->relation_id, data->relations))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" lacks entities or relations of graph \"%s\"",
						name, graph->name),
				 errhint("Some were added since it was trained; train it again.")));
	rate_rules(&(RatingModel) {
		.pairs = body_pairs_create(graph, data->entity_id, data->entities, 0),
		.data = data,.kge = &model->kge,.pool = hkg_pool(),.omega = omega,.sample = sample
	}, rules);
}
