/*
 * partition_memory.c
 *		Epochs with two partitions of the entities in memory (see partition_memory.h; kge/partitions.c has what is
 *		trained when).
 *
 * The room has two places.  The rows at place 0 end where those at place 1 begin, so that the rows of a bucket have no
 * gap between them though partitions differ by some rows, and a partition that the next bucket shares stays as it is.
 */
#include "partition_memory.h"

#include <math.h>

#include "server/host.h"

/* ---- sizes and memory ----------------------------------------------------------------- */

static Size
entity_row_bytes(const KgeModel *model)
{
	return kge_entity_width(model->function, model->dimensions) * sizeof(float);
}

/* Of the state, by that of one entity more */
static Size
state_row_bytes(KgeModel model, const KgeTraining *training)
{
	Size		bytes = kge_trainer_state_bytes(&model, training);

	model.entities++;
	return kge_trainer_state_bytes(&model, training) - bytes;
}

PartitionMemory
partition_memory_sizes(const TrainSettings *settings, const KgeModel *model, const Positives *positives,
					   const KgeTraining *training)
{
	PartitionMemory memory = {
		.sizes = {
			.entities = model->entities,
			.partitions = settings->partitions,
			.max_positives = positives->room,
			.weighted = positives_are_weighted(settings),
			.seed = training->seed
		},
		.room = *model,
		.file = {.rows = model->entities},
		.held = {-1, -1}
	};

	if (!is_partitioned(&memory))
		return memory;
	memory.room.entities = 2 * kge_partition_room(&memory.sizes);
	memory.file.row_bytes[FILE_EMBEDDINGS] = entity_row_bytes(model);
	memory.file.row_bytes[FILE_STATE] = state_row_bytes(memory.room, training);
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
write_initial(PartitionMemory *memory, const KgeModel *model, Pool *pool, uint64 seed)
{
	for (int32 from = 0; from < model->entities; from += memory->room.entities)
	{
		KgeStripe	rows = {from, Min(memory->room.entities, model->entities - from)};

		kge_initial_entities(model, pool, seed, rows.from, rows.count, memory->room.entity);
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
	room->entity = hkg_allocate(CurrentMemoryContext, (Size) room->entities * entity_row_bytes(room));
	memory->trainer = kge_trainer_create(&arena, pool, room, training, memory->sizes.max_positives);
	if (memory->trainer == NULL)
		return;
	memory->partitions = kge_partitions_create(&arena, pool, &memory->sizes);
	partition_file_open(&memory->file, in_worker);
	write_initial(memory, model, pool, training->seed);
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

typedef void (*CopyStripe) (const PartitionFile *file, FilePart part, KgeStripe stripe, float *rows);

static void
write_stripe(const PartitionFile *file, FilePart part, KgeStripe stripe, float *rows)
{
	partition_file_write(file, part, stripe, rows);
}

static int32
first_row(const PartitionMemory *memory, int place)
{
	int32		middle = memory->room.entities / 2;

	return place == 0 ? middle - memory->rows[0] : middle;
}

/* Copies the partition that is held at a place, stripe by stripe. */
static void
copy_place(PartitionMemory *memory, int place, CopyStripe copy)
{
	const PartitionFile *file = &memory->file;
	float	   *values[FILE_PARTS] = {memory->room.entity, room_state(memory)};
	Size		row = first_row(memory, place);
	KgeStripe	stripe;

	for (int32 i = 0; kge_partition_stripe(memory->partitions, memory->held[place], i, &stripe); i++)
	{
		for (FilePart part = 0; part < FILE_PARTS; part++)
			copy(file, part, stripe, values[part] + row * file->row_bytes[part] / sizeof(float));
		row += stripe.count;
	}
}

static void
put_back(PartitionMemory *memory, int place)
{
	if (memory->held[place] >= 0)
		copy_place(memory, place, write_stripe);
	memory->held[place] = -1;
}

static void
hold(PartitionMemory *memory, const KgeBucket *bucket, int place)
{
	if (memory->held[place] == bucket->partition[place])
		return;
	put_back(memory, place);
	memory->held[place] = bucket->partition[place];
	memory->rows[place] = bucket->rows[place];
	copy_place(memory, place, partition_file_read);
}

/* ---- an epoch ------------------------------------------------------------------------------ */

double
partition_memory_epoch(PartitionMemory *memory, const Positives *positives, uint64 epoch)
{
	KgeLossSum	loss = {0};

	partition_file_forget(&memory->file);
	kge_partitions_deal(memory->partitions, positives->triple, positives->weight, positives->count, epoch);
	for (int i = 0; i < kge_bucket_count(memory->partitions); i++)
	{
		KgeBucket	bucket = kge_bucket(memory->partitions, i);
		KgeLossSum	of_bucket;

		if (bucket.count == 0)
			continue;
		hold(memory, &bucket, 0);
		hold(memory, &bucket, 1);
		of_bucket = kge_train_bucket(memory->trainer, first_row(memory, 0), &bucket, epoch);
		if (!isfinite(of_bucket.sum))
			return NAN;
		loss.sum += of_bucket.sum;
		loss.terms += of_bucket.terms;
	}
	put_back(memory, 0);
	put_back(memory, 1);
	return loss.terms == 0 ? 0 : loss.sum / (double) loss.terms;
}
