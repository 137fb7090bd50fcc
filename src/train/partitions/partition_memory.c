/*
 * partition_memory.c
 *		Epochs with two partitions of the entities in memory (see partition_memory.h; kge/learn/partitions.c has what is
 *		trained when).  Where there are nodes for the buckets of a step, they train them (node_buckets.c); else this
 *		process does, in lanes, with the same result.
 *
 * The room has two places.  The rows at place 0 end where those at place 1 begin, so that the rows of a bucket have no
 * gap between them though partitions differ by some rows, and a partition that the next bucket shares stays as it is.
 */
#include "partition_memory.h"

#include <math.h>

#include "server/host.h"

/*
 * Of an entity: so many are an epoch of two deals, where buckets are trained at once.  What lanes cost in quality is about
 * half of it then (bench/RESULTS.md), and twice as much is sent, which takes less time than what is computed.
 */
#define MANY_POSITIVES 16

/* ---- sizes and memory ----------------------------------------------------------------- */

PartitionMemory
partition_memory_sizes(const TrainSettings *settings, const KgeModel *model, const Positives *positives,
					   const KgeTraining *training)
{
	PartitionMemory memory = {
		.sizes = {
			.entities = model->entities,
			.partitions = settings->partitions,
			.max_positives = positives->room,
			.have_worth = positives_have_worth(positives),
			.seed = training->seed,
			.lanes = settings->nodes,
			.deals = settings->nodes > 1 && positives->room >= MANY_POSITIVES * (int64) model->entities ? 2 : 1
		},
		.room = *model,
		.file = {.rows = model->entities},
		.held = {-1, -1}
	};

	if (!is_partitioned(&memory))
		return memory;
	memory.room.entities = 2 * kge_partition_room(&memory.sizes);
	memory.bytes = bucket_sizes(&memory.room, training);
	memory.file.row_bytes[FILE_EMBEDDINGS] = memory.bytes.entity;
	memory.file.row_bytes[FILE_STATE] = memory.bytes.entity_state;
	return memory;
}

static float *
room_state(const PartitionMemory *memory)
{
	float	   *state;
	size_t		count;

	(void) kge_trainer_state(memory->trainer, 0, &state, &count);
	return state;
}

/* The state of a new trainer is that of every entity. */
static void
write_initial(PartitionMemory *memory, const KgeModel *model, Pool *pool, const KgeTraining *training)
{
	for (int32 from = 0; from < model->entities; from += memory->room.entities)
	{
		KgeStripe	rows = {from, Min(memory->room.entities, model->entities - from)};

		kge_initial_entities(model, pool, training->seed, rows.from, rows.count, memory->room.entity);
		kge_constrain_entities(training->constraint, model, pool, memory->room.entity, rows.count);
		partition_file_write(&memory->file, FILE_EMBEDDINGS, rows, memory->room.entity);
		partition_file_write(&memory->file, FILE_STATE, rows, room_state(memory));
	}
}

void
partition_memory_open(PartitionMemory *memory, Pool *pool, KgeModel *model, const KgeTraining *training, bool in_worker)
{
	Arena		arena = hkg_arena();
	KgeModel   *room = &memory->room;

	room->relation = model->relation;
	room->entity = hkg_allocate(CurrentMemoryContext, (Size) room->entities * memory->bytes.entity);
	memory->trainer = kge_trainer_create(&arena, pool, room, training, memory->sizes.max_positives);
	if (memory->trainer == NULL)
		return;
	memory->partitions = kge_partitions_create(&arena, pool, &memory->sizes);
	lane_relations_open(&memory->lanes, memory->trainer, model->relation, &memory->bytes, memory->sizes.lanes);
	partition_file_open(&memory->file, in_worker);
	write_initial(memory, model, pool, training);
	partition_file_map(&memory->file);
	model->entity = partition_file_rows(&memory->file, FILE_EMBEDDINGS);
}

bool
partition_memory_state(const PartitionMemory *memory, int i, float **values, size_t *count)
{
	if (i > 0)
		return kge_trainer_state(memory->trainer, i, values, count);
	*values = partition_file_rows(&memory->file, FILE_STATE);
	*count = (size_t) memory->file.rows * memory->file.row_bytes[FILE_STATE] / sizeof(float);
	return true;
}

/* ---- the two places --------------------------------------------------------------------- */

void
partition_memory_copy(const PartitionMemory *memory, int partition, FilePart part, KgeStripe rows, void *values,
					  bool writes)
{
	char	   *value = values;
	KgeStripe	stripe;

	for (int32 i = rows.from / kge_stripe_rows(memory->partitions);
		 rows.count > 0 && kge_partition_stripe(memory->partitions, partition, i, &stripe); i++)
	{
		if (writes)
			partition_file_write(&memory->file, part, stripe, (float *) value);
		else
			partition_file_read(&memory->file, part, stripe, (float *) value);
		value += stripe.count * memory->file.row_bytes[part];
		rows.count -= stripe.count;
	}
}

static int32
first_row(const PartitionMemory *memory, int place)
{
	int32		middle = memory->room.entities / 2;

	return place == 0 ? middle - memory->rows[0] : middle;
}

/* Copies the partition that is held at a place. */
static void
copy_place(PartitionMemory *memory, int place, bool writes)
{
	float	   *values[FILE_PARTS] = {memory->room.entity, room_state(memory)};
	KgeStripe	rows = {0, memory->rows[place]};

	for (FilePart part = 0; part < FILE_PARTS; part++)
	{
		Size		start = first_row(memory, place) * memory->file.row_bytes[part];

		partition_memory_copy(memory, memory->held[place], part, rows, (char *) values[part] + start, writes);
	}
}

static void
put_back(PartitionMemory *memory, int place)
{
	if (memory->held[place] >= 0)
		copy_place(memory, place, true);
	memory->held[place] = -1;
}

/*
 * What the bucket has not at the same place goes back before anything comes: where buckets without positives were left
 * out, a partition may move from one place to the other.
 */
static void
hold(PartitionMemory *memory, const KgeBucket *bucket)
{
	for (int place = 0; place < 2; place++)
		if (memory->held[place] != bucket->partition[place])
			put_back(memory, place);
	for (int place = 0; place < 2; place++)
	{
		if (memory->held[place] >= 0)
			continue;
		memory->held[place] = bucket->partition[place];
		memory->rows[place] = bucket->rows[place];
		copy_place(memory, place, false);
	}
}

/* ---- an epoch ------------------------------------------------------------------------------ */

static void
add_loss(KgeLossSum *sum, KgeLossSum more)
{
	sum->sum += more.sum;
	sum->terms += more.terms;
}

static KgeLossSum
train_bucket(PartitionMemory *memory, const KgeBucket *bucket, uint64 epoch)
{
	hold(memory, bucket);
	return kge_train_bucket(memory->trainer, first_row(memory, 0), bucket, epoch);
}

/* One after the other, each with the relations that the step began with */
static KgeLossSum
train_lanes(PartitionMemory *memory, const KgeBucket *bucket, int count, uint64 epoch)
{
	LaneRelations *lanes = &memory->lanes;
	KgeLossSum	loss = {0};

	lane_relations_begin(lanes);
	for (int l = 0; l < count && isfinite(loss.sum); l++)
	{
		lane_relations_enter(lanes);
		add_loss(&loss, train_bucket(memory, &bucket[l], epoch));
		lane_relations_leave(lanes, l);
	}
	lane_relations_enter(lanes);
	return loss;
}

static KgeLossSum
train_step(PartitionMemory *memory, const KgeBucket *bucket, int count, uint64 epoch)
{
	KgeLossSum	loss;

	if (memory->sizes.lanes == 1)
		return train_bucket(memory, bucket, epoch);
	loss = memory->nodes != NULL ? memory->train_on_nodes(memory->nodes, memory, bucket, count, epoch) :
		train_lanes(memory, bucket, count, epoch);
	if (isfinite(loss.sum))
		lane_relations_merge(&memory->lanes, count);
	return loss;
}

/* The buckets first .. end-1 that have positives; returns how many. */
static int
buckets_of_step(const PartitionMemory *memory, int first, int end, KgeBucket *bucket)
{
	int			count = 0;

	for (int i = first; i < end; i++)
	{
		bucket[count] = kge_bucket(memory->partitions, i);
		count += bucket[count].count > 0;
	}
	return count;
}

/* Trains the buckets as they are dealt, from the place on. */
static void
train_deal(PartitionMemory *memory)
{
	EpochPlace *place = &memory->place;
	KgeBucket	bucket[KGE_MOST_LANES];

	while (place->bucket < kge_bucket_count(memory->partitions) && isfinite(place->loss.sum))
	{
		int			end = kge_step_end(memory->partitions, (int) place->bucket);
		int			count = buckets_of_step(memory, (int) place->bucket, end, bucket);

		if (count > 0)
			add_loss(&place->loss, train_step(memory, bucket, count, place->epoch));
		place->bucket = end;
		memory->at_place = memory->nodes != NULL;
	}
	put_back(memory, 0);
	put_back(memory, 1);
	place->deal++;
	place->bucket = 0;
}

double
partition_memory_epoch(PartitionMemory *memory, const Positives *positives, uint64 epoch)
{
	EpochPlace *place = &memory->place;

	if (place->epoch != epoch)
		*place = (EpochPlace) {.epoch = epoch};
	partition_file_forget(&memory->file);
	memory->at_place = memory->nodes != NULL;
	while (place->deal < memory->sizes.deals && isfinite(place->loss.sum))
	{
		kge_partitions_deal(memory->partitions, positives->triple, positives->worth, positives->count, epoch,
							(int) place->deal);
		train_deal(memory);
	}
	if (!isfinite(place->loss.sum))
		return NAN;
	return place->loss.terms == 0 ? 0 : place->loss.sum / (double) place->loss.terms;
}
