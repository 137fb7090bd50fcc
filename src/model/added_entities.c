/*
 * added_entities.c
 *		Entities that came after a model's training and have a fact (see added_entities.h).
 *
 * Ids ascend as entities come, so those above the model's last one are new.  Others are rare: somebody inserted an id
 * of his own, or deleted an embedding.  Where the model's ids have no gap, none is between its first and its last one;
 * where they have, a count shows whether any is.  So finding the new entities takes no pass over all of them in a
 * client's memory, and their facts are found by index.
 *
 * Facts are taken in the order (relation, head, tail), so that sums, and thus rows, depend on the facts alone.
 */
#include "added_entities.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

/* facts between two checks for interrupts */
#define FACTS_AT_ONCE 1000

/* ---- which they are ---------------------------------------------------------------- */

typedef struct IdReading
{
	const Model *model;
	Numbers		id;
} IdReading;

static void
take_id(void *argument, const Datum *values, const bool *nulls)
{
	IdReading  *reading = argument;
	int32		id = DatumGetInt32(values[0]);

	if (graph_row(reading->model->entity_id, reading->model->kge.entities, id) < 0)
		numbers_append(&reading->id, id);
}

/* Whether there are entities between the model's first and its last that it lacks. */
static bool
others_are_between(const Graph *graph, const Model *model, const SqlArgs *ends)
{
	const int32 *id = model->entity_id;
	int32		count = model->kge.entities;
	Datum		found;

	if ((int64) id[count - 1] - id[0] + 1 == count)
		return false;
	return sql_value(psprintf("select count(*) from %s where id between $1 and $2", graph_table_name(graph, "entity")),
					 ends, &found) && DatumGetInt64(found) != count;
}

/* Ascending ids of the entities without an embedding */
static Numbers
read_ids(const Graph *graph, const Model *model)
{
	IdReading	reading = {.model = model};
	SqlArgs		ends = {0};
	const char *where = "";

	if (model->kge.entities > 0)
	{
		sql_arg(&ends, INT4OID, Int32GetDatum(model->entity_id[0]));
		sql_arg(&ends, INT4OID, Int32GetDatum(model->entity_id[model->kge.entities - 1]));
		if (!others_are_between(graph, model, &ends))
			where = "where id < $1 or id > $2";
	}
	sql_stream(psprintf("select id::int from %s %s order by id", graph_table_name(graph, "entity"), where), &ends, take_id,
			   &reading);
	return reading.id;
}

static bool
exceeds_memory(uint64 bytes)
{
	return bytes > (uint64) hkg_max_memory * 1024;
}

/* ---- their facts ------------------------------------------------------------------- */

typedef struct FactReading
{
	const Model *model;
	const Numbers *id;			/* of the new entities */
	bool	   *found;			/* of each, whether it has a fact */
	Triple	   *fact;			/* new entities count from the model's last row on */
	int64		count;
	int64		room;
	uint64		taken;			/* bytes of the model, which they are beside */
	bool		too_many;		/* they would not fit hybridkg.max_memory, and none is kept */
} FactReading;

/* Marks it as found where it is new. */
static int32
row_of(FactReading *reading, int32 id)
{
	const Model *model = reading->model;
	int32		row = graph_row(reading->id->value, (int32) reading->id->count, id);

	if (row < 0)
		return graph_row(model->entity_id, model->kge.entities, id);
	reading->found[row] = true;
	return model->kge.entities + row;
}

static void
take_fact(void *argument, const Datum *values, const bool *nulls)
{
	FactReading *reading = argument;
	const Model *model = reading->model;
	Triple		fact = {
		row_of(reading, DatumGetInt32(values[0])),
		graph_row(model->relation_id, model->kge.relations, DatumGetInt32(values[1])),
		row_of(reading, DatumGetInt32(values[2]))
	};

	if (fact.head < 0 || fact.relation < 0 || fact.tail < 0 || reading->too_many)
		return;
	/* before the list grows: old and new are there at the same time */
	reading->too_many = reading->count == reading->room &&
		exceeds_memory(reading->taken + 3 * reading->room * sizeof(Triple));
	if (reading->too_many)
	{
		reading->count = 0;
		return;
	}
	reading->fact = array_reserve(reading->fact, reading->count + 1, &reading->room, sizeof(Triple));
	reading->fact[reading->count++] = fact;
}

static void
read_facts(const Graph *graph, FactReading *reading)
{
	SqlArgs		args = {0};

	sql_arg(&args, INT4ARRAYOID, array_of_int4(reading->id->value, (int) reading->id->count));
	sql_stream(psprintf("select head::int, relation::int, tail::int from %s "
						"where head = any ($1) or tail = any ($1) order by relation, head, tail",
						graph_table_name(graph, "triple")),
			   &args, take_fact, reading);
	sql_args_free(&args);
}

/* ---- their rows -------------------------------------------------------------------- */

/* Room for as many, without rows */
static AddedEntities *
create(const Model *model, int32 count)
{
	AddedEntities *added = palloc0(sizeof(AddedEntities));

	added->model = model;
	added->id = array_new(int32, count);
	added->placed = array_new_zero(bool, count);
	added->row = array_new_zero(float *, count);
	added->count = count;
	added->bytes = (uint64) count * (sizeof(int32) + sizeof(bool) + sizeof(float *));
	return added;
}

static bool
rows_fit(const Graph *graph, const AddedEntities *added, const FactReading *reading)
{
	const KgeModel *kge = &reading->model->kge;
	uint64		row = sizeof(float) * (uint64) kge_entity_width(kge->function, kge->dimensions);

	if (!reading->too_many &&
		!exceeds_memory(reading->taken + reading->room * sizeof(Triple) + added->bytes + row * added->count))
		return true;
	ereport(NOTICE,
			(errmsg("%d entities of graph \"%s\" came after the training of model \"%s\" "
					"and are not placed among their neighbours",
					added->count, graph->name, reading->model->name),
			 errdetail("Beside the model, their facts and embeddings would take more than hybridkg.max_memory (%d MB).",
					   hkg_max_memory / 1024),
			 errhint("Raise hybridkg.max_memory, or train the model again.")));
	return false;
}

/* What neighbours do not place gets the neutral row. */
static void
place(AddedEntities *added, const FactReading *reading, bool fits)
{
	KgeModel	kge = added_entities_model(added);
	int			width = kge_entity_width(kge.function, kge.dimensions);
	float	   *neutral = array_new(float, width);
	float	   *rows = fits ? array_new(float, (Size) added->count * width) : NULL;
	KgeTypicalRow typical = {.mean = palloc(sizeof(float) * width)};
	KgeNewEntities entities = {
		.neighbours = array_new_zero(int32, added->count),
		.query = palloc(sizeof(float) * width)
	};

	kge_typical_row(&kge, &typical);
	kge_neutral_row(&kge, &typical, neutral);
	for (int32 i = 0; i < added->count; i++)
		added->row[i] = fits ? rows + (Size) i * width : neutral;
	if (fits)
		for (int64 first = 0; first < reading->count; first += FACTS_AT_ONCE)
		{
			CHECK_FOR_INTERRUPTS();
			kge_new_entities_gather(&kge, &entities, reading->fact + first, Min(FACTS_AT_ONCE, reading->count - first));
		}
	for (int32 i = 0; i < added->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		added->placed[i] = entities.neighbours[i] > 0;
		if (added->placed[i])
			kge_new_entity_place(&kge, &entities, kge.entities + i, &typical, (uint64) added->id[i]);
		else
			added->row[i] = neutral;
	}
	added->bytes += sizeof(float) * (uint64) width * (fits ? added->count + 1 : 1);
	pfree(typical.mean);
	pfree(entities.neighbours);
	pfree(entities.query);
}

/* Leaves out those without a fact: rows of the others move up. */
static int32
renumber(FactReading *reading, int32 *number)
{
	int32		entities = reading->model->kge.entities;
	int32		count = 0;

	for (int64 i = 0; i < reading->id->count; i++)
		number[i] = reading->found[i] ? count++ : -1;
	for (int64 i = 0; i < reading->count; i++)
	{
		Triple	   *fact = &reading->fact[i];

		if (fact->head >= entities)
			fact->head = entities + number[fact->head - entities];
		if (fact->tail >= entities)
			fact->tail = entities + number[fact->tail - entities];
	}
	return count;
}

AddedEntities *
added_entities_read(Graph *graph, const Model *model, uint64 taken)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg new entities", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	Numbers		id = read_ids(graph, model);
	FactReading reading = {.model = model,.id = &id,.found = array_new_zero(bool, id.count),
		.taken = taken};
	int32	   *number = array_new(int32, id.count);
	AddedEntities *added;

	/* a reader without that right can use what was learnt of entities of the training */
	if (id.count > 0 && graph_may_read(graph, "triple"))
		read_facts(graph, &reading);
	MemoryContextSwitchTo(caller);
	added = create(model, renumber(&reading, number));
	for (int64 i = 0; i < id.count; i++)
		if (number[i] >= 0)
			added->id[number[i]] = id.value[i];
	if (added->count > 0)
		place(added, &reading, rows_fit(graph, added, &reading));
	MemoryContextDelete(work);
	return added;
}

/* ---- models with them ---------------------------------------------------------------- */

KgeModel
added_entities_model(const AddedEntities *added)
{
	KgeModel	kge = added->model->kge;

	kge.added = added->count;
	kge.added_row = added->row;
	kge.answers = added->answers;
	return kge;
}

KgeModel
added_entities_array(const AddedEntities *added)
{
	KgeModel	kge = added->model->kge;
	Size		width = kge_entity_width(kge.function, kge.dimensions);
	Size		trained = kge.entities;
	Size		rows = trained + added->count;

	kge.answers = added->answers;
	if (added->count == 0)
		return kge;
	hkg_check_memory_or(sizeof(float) * rows * width, "a model with entities that came after its training",
						"train it again");
	kge.entity = array_new(float, rows * width);
	for (Size i = 0; i < rows; i++)
	{
		const float *row = i < trained ? added->model->kge.entity + i * width : added->row[i - trained];

		CHECK_FOR_INTERRUPTS();
		memcpy(kge.entity + i * width, row, sizeof(float) * width);
	}
	kge.entities = (int32) rows;
	return kge;
}

KgeModel
added_entities_of_graph(const AddedEntities *added, const GraphData *data)
{
	KgeModel	kge = model_of_graph(added->model, data);
	Size		width = kge_entity_width(kge.function, kge.dimensions);

	for (int32 i = 0; i < added->count; i++)
	{
		int32		row = graph_row(data->entity_id, data->entities, added->id[i]);

		CHECK_FOR_INTERRUPTS();
		if (row >= 0)
			memcpy(kge.entity + row * width, added->row[i], sizeof(float) * width);
	}
	return kge;
}

bool *
added_entities_marked(const AddedEntities *added, const GraphData *data)
{
	bool	   *marked = added->count == 0 ? NULL : array_new_zero(bool, data->entities);

	for (int32 i = 0; i < added->count; i++)
	{
		int32		row = graph_row(data->entity_id, data->entities, added->id[i]);

		if (row >= 0)
			marked[row] = true;
	}
	return marked;
}

/* ---- rows and ids -------------------------------------------------------------------- */

int32
added_entities_row(const AddedEntities *added, int32 id)
{
	const Model *model = added->model;
	int32		row = graph_row(model->entity_id, model->kge.entities, id);

	if (row >= 0)
		return row;
	row = graph_row(added->id, added->count, id);
	return row < 0 ? -1 : model->kge.entities + row;
}

int32
added_entities_id(const AddedEntities *added, int32 row)
{
	int32		trained = added->model->kge.entities;

	return row < trained ? added->model->entity_id[row] : added->id[row - trained];
}

Triple
added_entities_triple(const AddedEntities *added, Triple ids)
{
	return (Triple) {
		added_entities_row(added, ids.head),
		graph_row(added->model->relation_id, added->model->kge.relations, ids.relation),
		added_entities_row(added, ids.tail)
	};
}

int32
added_entities_row_of_name(const AddedEntities *added, Graph *graph, const char *name)
{
	int32		id;
	int32		row;

	if (!hkg_skip_unknown)
		id = graph_entity_id(graph, name);
	else if (!graph_find_entity(graph, name, &id))
		return -1;
	row = added_entities_row(added, id);
	if (row < 0 && !hkg_skip_unknown)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("entity \"%s\" of graph \"%s\" has no facts, and no embedding in model \"%s\"", name, graph->name,
						added->model->name),
				 errdetail("It was added after the training, or its row in %sentity_embedding was deleted.", graph->prefix),
				 errhint("Insert a fact about it into %striple: facts place it among its neighbours. "
						 "Or train the model again.", graph->prefix)));
	return row;
}
