/*
 * model.c
 *		A trained model: read from the graph's tables into arrays, written back.
 */
#include "model.h"

#include <math.h>

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "embeddings.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"
#include "shared_weights.h"

/* what a row of table model may hold: anything else was not written by us */
#define DIMENSIONS_LIMIT 10000

/* one more thread for this many numbers to read: about half a millisecond's work */
#define FLOATS_A_THREAD (8 * 1024 * 1024)

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
	row->xmin = DatumGetTransactionId(sql_present(values, nulls, 0));
	ItemPointerCopy((ItemPointer) DatumGetPointer(sql_present(values, nulls, 1)), &row->ctid);
	row->score_function = text_or_null(values[2], nulls[2]);
	row->dimensions = nulls[3] ? 0 : DatumGetInt32(values[3]);
	row->status = nulls[4] ? pstrdup("") : TextDatumGetCString(values[4]);
	row->gamma = text_or_null(values[5], nulls[5]);
	row->norm = text_or_null(values[6], nulls[6]);
	row->reciprocal = DatumGetBool(values[7]);
	row->has_evidence = DatumGetBool(values[8]);
}

static void
no_such_model(Graph *graph, const char *name)
{
	char	   *hint = graph_hint(graph, "model", name);

	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("model \"%s\" does not exist in graph \"%s\"", name, graph->name),
			 errhint("%s", hint)));
}

ModelRow
model_read_row(Graph *graph, const char *name)
{
	ModelRow	row = {0};
	SqlArgs		args = sql_args_text(name);

	sql_stream_often(psprintf("select xmin::xid, ctid::tid, score_function::text, dimensions::int, status::text, "
							  "settings->>'gamma', settings->>'norm', "
							  "coalesce(settings->>'reciprocal' = 'true', false), "
							  "num_nonnulls(evidence, paths) > 0 from %s where name = $1",
							  graph_table_name(graph, "model")),
					 &args, take_model_row, &row);
	if (!row.found)
		no_such_model(graph, name);
	return row;
}

void
model_require(Graph *graph, const char *name)
{
	SqlArgs		args = sql_args_text(name);
	Datum		found;

	if (!sql_value(psprintf("select true from %s where name = $1", graph_table_name(graph, "model")),
				   &args, &found))
		no_such_model(graph, name);
}

bool
model_has_embeddings(Graph *graph, const char *name, double *omega)
{
	SqlArgs		args = sql_args_text(name);
	Datum		found;

	if (!sql_value(psprintf("select coalesce((settings->>'omega')::float8, 0.5) from %s where name = $1 "
							"and exists (select from %s where model = name)",
							graph_table_name(graph, "model"), graph_table_name(graph, "entity_embedding")), &args, &found))
		return false;
	*omega = DatumGetFloat8(found);
	return true;
}

/* ---- from the row to a model --------------------------------------------- */

char *
model_score_functions(void)
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
check_shape(const char *name, const ModelRow *row, const KgeScoreFunction *function)
{
	if (row->dimensions < 1 || row->dimensions > DIMENSIONS_LIMIT)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model \"%s\" has %d dimensions, expected 1 to %d", name, row->dimensions,
						DIMENSIONS_LIMIT),
				 errhint("Train the model again.")));
	if (!kge_fits(function, row->dimensions) || (kge_has_network(function) && !row->reciprocal))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model \"%s\" has a shape that score function \"%s\" cannot have", name, row->score_function),
				 errdetail("It has %d dimensions, %s reciprocal relations.",
						   row->dimensions, row->reciprocal ? "with" : "without"),
				 errhint("Train the model again.")));
}

/* What a score function that is a distance has besides */
static void
interpret_distance(const char *name, const ModelRow *row, KgeModel *kge)
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

static void
interpret_model_row(const char *name, const ModelRow *row, KgeModel *kge)
{
	if (row->score_function == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" is made of rules alone, it has no embeddings", name),
				 errhint("Functions of rules work with it: hkg_explain, hkg_apply_rule. "
						 "Train a model with hkg_train for scores and predictions.")));
	kge->function = kge_score_function(row->score_function);
	if (kge->function == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model \"%s\" has the unknown score function \"%s\"", name, argument_shown(row->score_function)),
				 errhint("Known are: %s.", model_score_functions())));
	check_shape(name, row, kge->function);
	kge->dimensions = row->dimensions;
	kge->reciprocal = row->reciprocal;
	kge->norm = 1;
	if (kge_is_distance(kge->function))
		interpret_distance(name, row, kge);
}

/* ---- reading --------------------------------------------------------------- */

/* A model without any embedding of a kind is of no use. */
static void
require_rows(Graph *graph, const char *model, const ModelRow *row, const char *kind, int64 rows)
{
	if (rows > 0)
		return;
	if (strcmp(row->status, "ready") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" of graph \"%s\" is not trained", model, graph->name),
				 errdetail("Its status is \"%s\", and it has no embeddings yet.", row->status),
				 errhint("Wait for its training to end, go on with hkg_resume where it was stopped, or train it again.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("model \"%s\" has no rows in %s%s_embedding", model, graph->prefix, kind),
			 errhint("Train the model again.")));
}

void
model_require_entities(const Model *model)
{
	if (model->kge.entities == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no embedding of an entity that is left", model->name),
				 errdetail("All entities of its training were deleted."),
				 errhint("Ask its rules and paths (evidence => 'all'), or train the model again.")));
}

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
	Arena		arena = hkg_arena();

	MemoryContextSwitchTo(work);	/* the threads end with it */
	model->sketch = kge_sketch(&arena, model_pool(&model->kge), &model->kge);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

void
model_read_settings(const char *name, const ModelRow *row, MemoryContext context, Model *model)
{
	interpret_model_row(name, row, &model->kge);
	model->name = MemoryContextStrdup(context, name);
}

uint64
model_read_shape(Graph *graph, const char *name, const ModelRow *row, MemoryContext context, const char *hint, Model *model)
{
	KgeModel   *kge = &model->kge;
	EmbeddingRows entity = {.graph = graph,.model = name,.kind = "entity",.hint = hint};
	EmbeddingRows relation = {.graph = graph,.model = name,.kind = "relation",.hint = hint};
	uint64		bytes;

	model_read_settings(name, row, context, model);
	embeddings_read_ids(&entity, context);
	if (!row->has_evidence || strcmp(row->status, "ready") != 0)
		require_rows(graph, name, row, "entity", entity.count);
	embeddings_read_ids(&relation, context);
	require_rows(graph, name, row, "relation", relation.count);
	kge->entities = (int32) entity.count;
	kge->relations = (int32) relation.count;
	model->entity_id = entity.id;
	model->relation_id = relation.id;
	bytes = sizeof(float) * ((uint64) entity.count * kge_entity_width(kge->function, kge->dimensions) +
							 (uint64) kge_relation_rows(kge) * kge_relation_width(kge->function, kge->dimensions)) +
		sizeof(int32) * (uint64) (entity.room + relation.room) + kge_sketch_bytes(kge);
	check_memory(bytes, name);
	return bytes;
}

void
model_read_numbers(Graph *graph, MemoryContext context, const char *hint, Model *model)
{
	KgeModel   *kge = &model->kge;
	EmbeddingRows entity = {graph, model->name, "entity", model->entity_id, kge->entities, 0, hint};
	EmbeddingRows relation = {graph, model->name, "relation", model->relation_id, kge->relations, 0, hint};
	int			width = kge_entity_width(kge->function, kge->dimensions);
	int			relation_width = kge_relation_width(kge->function, kge->dimensions);

	kge->entity = MemoryContextAllocHuge(context, sizeof(float) * (Size) kge->entities * width);
	kge->relation = MemoryContextAllocHuge(context, sizeof(float) * (Size) kge_relation_rows(kge) * relation_width);
	embeddings_read(&entity, "embedding", width, kge->entity);
	embeddings_read(&relation, "embedding", relation_width, kge->relation);
	if (kge->reciprocal)
		embeddings_read(&relation, "reciprocal", relation_width, kge->relation + (Size) kge->relations * relation_width);
	shared_weights_read(graph, model->name, kge);
	sketch_model(model, context);
}

/* ---- a row for everything ---------------------------------------------------- */

/* Embeddings by id */
typedef struct EmbeddingTable
{
	const int32 *id;			/* ascending */
	int32		count;
	int			width;
	int			several;		/* tables of `count` rows, one after the other */
	int32		shared;			/* rows behind them, which stay */
} EmbeddingTable;

/* The embeddings in rows of other ids, NaN where there is none. */
static float *
spread_rows(EmbeddingTable table, float *embedding, const int32 *ids, int32 count)
{
	Size		width = table.width;
	float	   *spread;

	if (count == table.count && memcmp(ids, table.id, sizeof(int32) * count) == 0)
		return embedding;
	spread = array_new(float, width * (table.several * count + table.shared));
	for (int32 row = 0; row < table.several * count; row++)
	{
		int32		known = graph_row(table.id, table.count, ids[row % count]);
		float	   *to = spread + row * width;

		hkg_check_interrupts();
		if (known >= 0)
			memcpy(to, embedding + ((Size) row / count * table.count + known) * width, sizeof(float) * width);
		else
			for (Size i = 0; i < width; i++)
				to[i] = NAN;
	}
	memcpy(spread + table.several * count * width, embedding + (Size) table.several * table.count * width,
		   sizeof(float) * width * table.shared);
	return spread;
}

KgeModel
model_of_graph(const Model *model, const GraphData *data)
{
	KgeModel	kge = model->kge;
	EmbeddingTable entity = {model->entity_id, kge.entities, kge_entity_width(kge.function, kge.dimensions), 1, 0};
	EmbeddingTable relation = {model->relation_id, kge.relations, kge_relation_width(kge.function, kge.dimensions),
	kge.reciprocal ? 2 : 1, kge_shared_rows(&kge)};

	check_memory(sizeof(float) * ((uint64) data->entities * entity.width +
								  ((uint64) relation.several * data->relations + relation.shared) * relation.width),
				 model->name);
	kge.entity = spread_rows(entity, kge.entity, data->entity_id, data->entities);
	kge.relation = spread_rows(relation, kge.relation, data->relation_id, data->relations);
	kge.entities = data->entities;
	kge.relations = data->relations;
	return kge;
}

/* ---- names ------------------------------------------------------------------ */

void
model_refuse_relation(const Model *model, const Graph *graph, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" is not in model \"%s\" of graph \"%s\"", name, model->name, graph->name),
			 errdetail("It has no row in %srelation_embedding: it was added after the training, or the row was deleted.",
					   graph->prefix),
			 errhint("Train the model again.")));
}

int32
model_relation_row(const Model *model, Graph *graph, const char *name)
{
	int32		row = graph_row(model->relation_id, model->kge.relations, graph_relation_id(graph, name));

	if (row < 0)
		model_refuse_relation(model, graph, name);
	return row;
}

/* ---- writing ------------------------------------------------------------------ */

void
model_write_entities(Graph *graph, const char *name, const GraphData *data, const KgeModel *kge, int32 from, int32 count)
{
	EmbeddingRows rows = {graph, name, "entity", data->entity_id + from, count, 0, NULL};
	int			width = kge_entity_width(kge->function, kge->dimensions);

	embeddings_write(&rows, kge->entity + (Size) from * width, NULL, width);
}

void
model_write_relations(Graph *graph, const char *name, const GraphData *data, const KgeModel *kge)
{
	EmbeddingRows rows = {graph, name, "relation", data->relation_id, kge->relations, 0, NULL};
	int			width = kge_relation_width(kge->function, kge->dimensions);

	embeddings_write(&rows, kge->relation, kge->reciprocal ? kge->relation + (Size) kge->relations * width : NULL, width);
	shared_weights_write(graph, name, kge);
}
