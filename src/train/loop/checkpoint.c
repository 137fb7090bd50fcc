/*
 * checkpoint.c
 *		The state of a training between two iterations, as rows of the graph: another process that goes on from there
 *		gets the same bits.  The same between two epochs of the path network, and, when a node that trains is lost,
 *		between two steps of an epoch.
 *
 * Table checkpoint holds it in parts: arrays as they are in memory, in chunks.  Like a data directory, it can be
 * read by a server of the same architecture.  Each chunk has a checksum, since rows can be changed: a number or an
 * embedding that is not what was saved would spoil the model, or never end.  Rules are not stored: on the same facts
 * they are mined again, the same.  A fingerprint shows whether the facts are the same.
 */
#include "procedure.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "model/model.h"
#include "server/pause.h"
#include "server/sql.h"

#define CHUNK_BYTES (1024 * 1024)	/* a row that is written is in memory three times */

/* All of the state that is not an array */
typedef struct Header
{
	uint64		fingerprint;
	int64		samples;
	Iteration	best;
	double		highest_mrr;
	int			done;
} Header;

/* What an iteration computes of a rule; bytes, since what is read may be no bool */
typedef struct RuleState
{
	double		embedding_confidence;
	double		quality;
	double		worth;
	uint8		kept;
	uint8		selected;
} RuleState;

/* ---- the fingerprint --------------------------------------------------------- */

static uint64
hash_values(uint64 hash, const void *array, int64 count, Size size)
{
	const unsigned char *bytes = array;

	hash = hash_combine64(hash, (uint64) count);
	for (Size left = count * size; left > 0;)
	{
		int			some = (int) Min(left, CHUNK_BYTES);

		CHECK_FOR_INTERRUPTS();
		hash = hash_combine64(hash, hash_bytes_extended(bytes, some, 0));
		bytes += some;
		left -= some;
	}
	return hash;
}

/* A hash of all that is read from the graph, and of the rules: they may be those of another model, which can change. */
static uint64
fingerprint_of(const Procedure *procedure)
{
	const TrainingFacts *facts = &procedure->facts;
	const GraphData *data = facts->learnt;
	int64		rules = procedure->rules == NULL ? 0 : procedure->rules->count;
	uint64		hash = 0;

	hash = hash_values(hash, data->entity_id, data->entities, sizeof(int32));
	hash = hash_values(hash, data->relation_id, data->relations, sizeof(int32));
	hash = hash_values(hash, data->fact, data->facts, sizeof(Triple));
	hash = hash_values(hash, facts->filter, facts->filter_count, sizeof(Triple));
	hash = hash_values(hash, facts->rejected, facts->rejected_count, sizeof(Triple));
	for (int64 i = 0; i < rules; i++)
		hash = hash_values(hash, &procedure->rules->rule[i].rule, 1, sizeof(Rule));
	return hash_values(hash, facts->valid, facts->valid_count, sizeof(Triple));
}

/* ---- parts as rows ------------------------------------------------------------- */

/* Of a chunk and of its place: part and number */
static int64
checksum_of(const char *part, int number, const void *values, Size bytes)
{
	uint64		place = hash_bytes_extended((const unsigned char *) part, (int) strlen(part), (uint64) number);

	return (int64) hash_bytes_extended(values, (int) bytes, place);
}

static void
arg_part(SqlArgs *args, const char *model, const char *part)
{
	sql_arg_text(args, model);
	sql_arg_text(args, part);
}

static void
write_part(Graph *graph, const char *model, const char *part, const void *values, Size bytes)
{
	char	   *statement = psprintf("insert into %scheckpoint values ($1, $2, $3, $4, $5)", graph->prefix);
	SqlArgs		args = {0};

	arg_part(&args, model, part);
	sql_run(psprintf("delete from %scheckpoint where model = $1 and part = $2", graph->prefix), &args);
	for (int number = 0; number == 0 || (Size) number * CHUNK_BYTES < bytes; number++)
	{
		Size		start = (Size) number * CHUNK_BYTES;
		Size		some = Min(bytes - start, CHUNK_BYTES);
		bytea	   *chunk = palloc(VARHDRSZ + some);

		CHECK_FOR_INTERRUPTS();
		SET_VARSIZE(chunk, VARHDRSZ + some);
		if (some > 0)			/* else values may be NULL */
			memcpy(VARDATA(chunk), (const char *) values + start, some);
		args.count = 2;
		sql_arg(&args, INT4OID, Int32GetDatum(number));
		sql_arg(&args, BYTEAOID, PointerGetDatum(chunk));
		sql_arg(&args, INT8OID, Int64GetDatum(checksum_of(part, number, VARDATA(chunk), some)));
		sql_run(statement, &args);
		pfree(chunk);
	}
}

static void
raise_damage(const char *model, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("checkpoint of model \"%s\" is damaged", model),
			 errdetail("%s", detail),
			 errhint("Train the model again.")));
}

typedef struct PartReader
{
	const char *model;
	const char *name;
	char	   *values;
	Size		room;
	Size		bytes;			/* of the chunks so far, even when there is no room for them */
	int			chunks;
} PartReader;

/* The bytes of a row of read_chunks; ERROR when they are not what was saved */
static bytea *
next_chunk(PartReader *part, const Datum *values)
{
	bytea	   *chunk = DatumGetByteaPP(values[0]);
	int64		checksum = checksum_of(part->name, part->chunks++, VARDATA_ANY(chunk), VARSIZE_ANY_EXHDR(chunk));

	if (checksum != DatumGetInt64(values[1]))
		raise_damage(part->model, psprintf("The checksum of its part \"%s\" is not that of its data.", part->name));
	return chunk;
}

static void
take_chunk(void *argument, const Datum *values, const bool *nulls)
{
	PartReader *part = argument;
	bytea	   *chunk = next_chunk(part, values);
	Size		bytes = VARSIZE_ANY_EXHDR(chunk);

	if (part->bytes + bytes <= part->room)
		memcpy(part->values + part->bytes, VARDATA_ANY(chunk), bytes);
	part->bytes += bytes;
	if ((Pointer) chunk != DatumGetPointer(values[0]))
		pfree(chunk);
}

/* Calls take(part, row) for each chunk; returns how many there are. */
static uint64
read_chunks(Graph *graph, PartReader *part, SqlRow take)
{
	SqlArgs		args = {0};

	arg_part(&args, part->model, part->name);
	return sql_stream(psprintf("select coalesce(data::bytea, ''), coalesce(checksum::bigint, 0) from %scheckpoint "
							   "where model = $1 and part = $2 order by number", graph->prefix),
					  &args, take, part);
}

/* Whether there is such a part; ERROR when it is not of that size. */
static bool
read_part(Graph *graph, const char *model, const char *name, void *values, Size bytes)
{
	PartReader	part = {.model = model, .name = name, .values = values, .room = bytes};

	if (read_chunks(graph, &part, take_chunk) == 0)
		return false;
	if (part.bytes != bytes)
		raise_damage(model, psprintf("Its part \"%s\" has %zu bytes, expected %zu.",
									 name, part.bytes, bytes));
	return true;
}

/* ---- saving ---------------------------------------------------------------------- */

void
checkpoint_begin(Graph *graph, const TrainSettings *settings)
{
	char	   *json = settings_json(settings);

	write_part(graph, settings->model, "settings", json, strlen(json));
}

static void
save(Procedure *procedure, const char *part, const void *values, Size bytes)
{
	write_part(procedure->graph, procedure->settings.model, part, values, bytes);
}

static void
save_best_rules(Procedure *procedure)
{
	int64		count = procedure->rules->count;
	RuleState  *state = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(RuleState));

	memset(state, 0, count * sizeof(RuleState));
	for (int64 i = 0; i < count; i++)
	{
		const MinedRule *rule = &procedure->best.rule[i];

		state[i].embedding_confidence = rule->embedding_confidence;
		state[i].quality = rule->quality;
		state[i].worth = rule->worth;
		state[i].kept = rule->kept;
		state[i].selected = rule->selected;
	}
	save(procedure, "best rules", state, count * sizeof(RuleState));
	pfree(state);
}

static void
save_embeddings(Procedure *procedure, const char *entities, const char *relations)
{
	const Learner *learner = &procedure->learner;

	save(procedure, entities, learner->model.entity, learner_entity_bytes(learner));
	save(procedure, relations, learner->model.relation, learner_relation_bytes(learner));
}

/* The reciprocal ranks that those of later iterations, and of the model before, are compared with; 0: none is needed */
static Size
ranks_bytes(const Procedure *procedure)
{
	const ValidRanking *ranking = &procedure->ranking;

	return kge_sample_is_all(ranking->sample) && !procedure->settings.warm_start ? 0 :
		ranking->sample.count * sizeof(double);
}

static void
save_header(Procedure *procedure)
{
	Header		header;

	memset(&header, 0, sizeof(header));
	header.fingerprint = fingerprint_of(procedure);
	header.done = procedure->done;
	if (procedure->done > 0)
	{
		header.samples = procedure->learner.positives.samples;
		header.best = procedure->best.iteration;
		header.highest_mrr = procedure->ranking.highest_mrr;
	}
	save(procedure, "header", &header, sizeof(header));
}

/* What is learnt, as it is now */
static void
save_learner(Procedure *procedure)
{
	float	   *values;
	size_t		count;

	save_embeddings(procedure, "entities", "relations");
	for (int i = 0; learner_state(&procedure->learner, i, &values, &count); i++)
		save(procedure, psprintf("optimizer %d", i), values, count * sizeof(float));
}

void
checkpoint_save(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	const Positives *positives = &procedure->learner.positives;
	bool		is_best = procedure->best.iteration.number == procedure->done;
	SqlArgs		place = {0};

	if (procedure->settings.last_epoch > 0)
		checkpoint_begin(procedure->graph, &procedure->settings);
	save_header(procedure);
	save_learner(procedure);
	arg_part(&place, procedure->settings.model, "place");
	sql_run(psprintf("delete from %scheckpoint where model = $1 and part = $2", procedure->graph->prefix), &place);
	if (ranks_bytes(procedure) > 0)
		save(procedure, "highest ranks", procedure->ranking.highest, ranks_bytes(procedure));
	save(procedure, "samples", positives->sample, positives->samples * sizeof(InferredPositive));
	if (is_best && procedure->facts.valid_count > 0)
		save_embeddings(procedure, "best entities", "best relations");
	if (is_best && procedure->rules != NULL)
		save_best_rules(procedure);
	hkg_pause_at("saving a checkpoint");
	MemoryContextSwitchTo(caller);
	MemoryContextReset(procedure->scratch);
}

/* Whether the place is in the iteration after those that are done: another one is in the refit, which begins anew. */
static bool
is_in_iteration(const Procedure *procedure, const EpochPlace *place)
{
	int64		epoch = (int64) place->epoch - epochs_in(&procedure->settings, procedure->done);

	return !procedure_is_done(procedure) && epoch >= 0 && epoch < procedure->settings.epochs;
}

/* All but what is learnt stays as the last iteration left it. */
void
checkpoint_save_place(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	const PartitionMemory *memory = &procedure->learner.partitions;

	if (memory->at_place && is_in_iteration(procedure, &memory->place))
	{
		if (procedure->done == 0)
			save_header(procedure);
		save_learner(procedure);
		save(procedure, "place", &memory->place, sizeof(EpochPlace));
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(procedure->scratch);
}

typedef struct PathHeader
{
	double		highest_mrr;
	int			best_epoch;
	int			done;
} PathHeader;

void
checkpoint_save_paths(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	const PathLearning *paths = &procedure->paths;
	const ValidRanking *valid = &paths->ranking.valid;
	PathHeader	header = {valid->highest_mrr, paths->best_epoch, paths->done};
	size_t		count;
	float	   *state = path_trainer_state(paths->trainer, &count);

	if (procedure->settings.last_path_epoch > 0)
		checkpoint_begin(procedure->graph, &procedure->settings);
	save(procedure, "path header", &header, sizeof(header));
	save(procedure, "path network", paths->network.parameter, path_numbers(&paths->network) * sizeof(float));
	save(procedure, "path optimizer", state, count * sizeof(float));
	if (paths->best_epoch == paths->done)
		save(procedure, "best path networks", paths->best.parameter, path_numbers(&paths->best) * sizeof(float));
	save(procedure, "highest path ranks", valid->highest, valid->sample.count * sizeof(double));
	MemoryContextSwitchTo(caller);
	MemoryContextReset(procedure->scratch);
}

/* ---- loading ----------------------------------------------------------------------- */

static void
take_settings(void *argument, const Datum *values, const bool *nulls)
{
	PartReader *part = argument;
	bytea	   *chunk = next_chunk(part, values);

	part->values = pnstrdup(VARDATA_ANY(chunk), VARSIZE_ANY_EXHDR(chunk));
}

void
checkpoint_settings(Graph *graph, const char *model, TrainSettings *settings)
{
	PartReader	part = {.model = model, .name = "settings"};

	if (read_chunks(graph, &part, take_settings) == 0)
	{
		model_require(graph, model);
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" of graph \"%s\" has no interrupted training", model, graph->name),
				 errhint("hkg_train_background leaves one when it is stopped; hkg_train begins anew.")));
	}
	settings_parse(graph->name, part.values, settings);
	settings->model = pstrdup(model);	/* it may have been renamed */
}

static void
load(Procedure *procedure, const char *part, void *values, Size bytes)
{
	if (!read_part(procedure->graph, procedure->settings.model, part, values, bytes))
		raise_damage(procedure->settings.model, psprintf("It has no part \"%s\".", part));
}

static void
load_best_rules(Procedure *procedure)
{
	int64		count = procedure->rules->count;
	RuleState  *state = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(RuleState));

	load(procedure, "best rules", state, count * sizeof(RuleState));
	memcpy(procedure->best.rule, procedure->rules->rule, count * sizeof(MinedRule));
	for (int64 i = 0; i < count; i++)
	{
		MinedRule  *rule = &procedure->best.rule[i];

		rule->embedding_confidence = state[i].embedding_confidence;
		rule->quality = state[i].quality;
		rule->worth = state[i].worth;
		rule->kept = state[i].kept != 0;
		rule->selected = state[i].selected != 0;
	}
	pfree(state);
}

static void
load_embeddings(Procedure *procedure, const char *entities, const char *relations)
{
	const Learner *learner = &procedure->learner;

	load(procedure, entities, learner->model.entity, learner_entity_bytes(learner));
	load(procedure, relations, learner->model.relation, learner_relation_bytes(learner));
}

/* Whether there is one, in the middle of an iteration */
static bool
load_place(Procedure *procedure)
{
	const char *model = procedure->settings.model;
	PartitionMemory *memory = &procedure->learner.partitions;
	EpochPlace	place;

	if (!read_part(procedure->graph, model, "place", &place, sizeof(place)))
		return false;
	if (!is_partitioned(memory) || !is_in_iteration(procedure, &place) || !isfinite(place.loss.sum) ||
		place.deal < 0 || place.deal > memory->sizes.deals ||
		place.bucket < 0 || place.bucket >= kge_bucket_count(memory->partitions))
		raise_damage(model, "Its place in an epoch is out of range.");
	memory->place = place;
	return true;
}

/* The rows may have been changed: a triple of no entity would be a crash. */
static void
load_samples(Procedure *procedure, int64 count)
{
	const GraphData *data = procedure->facts.all;
	Positives  *positives = &procedure->learner.positives;

	positives->sample = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(InferredPositive));
	load(procedure, "samples", positives->sample, count * sizeof(InferredPositive));
	positives->samples = count;
	for (int64 i = 0; i < count; i++)
	{
		Triple		triple = positives->sample[i].triple;

		if (triple.head < 0 || triple.head >= data->entities || triple.tail < 0 || triple.tail >= data->entities ||
			triple.relation < 0 || triple.relation >= data->relations)
			raise_damage(procedure->settings.model, "Its samples are no triples of the graph.");
	}
	positives_set(positives, procedure->facts.learnt);
}

void
checkpoint_load(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	const char *model = settings->model;
	Learner    *learner = &procedure->learner;
	Header		header;
	uint8		evaluated;
	float	   *values;
	size_t		count;

	/* 1. a header of this training; there is none before the first iteration is done, or a node was lost in it */
	if (!read_part(procedure->graph, model, "header", &header, sizeof(header)))
		return;
	if (header.fingerprint != fingerprint_of(procedure))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("graph \"%s\" has changed since the training of model \"%s\" began",
						procedure->graph->name, model),
				 errhint("Train the model again.")));
	memcpy(&evaluated, &header.best.evaluated, sizeof(evaluated));	/* it may be no bool */
	if (header.done < 0 || header.done > settings->iterations ||
		header.best.number < 0 || header.best.number > header.done || evaluated > 1 ||
		header.samples < 0 || header.samples > learner->positives.max_samples)
		raise_damage(model, "Its header is out of range.");

	/* 2. what the iterations that are done have left */
	if (header.done > 0)
	{
		if (procedure->facts.valid_count > 0)
		{
			load_embeddings(procedure, "best entities", "best relations");
			best_iteration_store(&procedure->best, learner);
		}
		if (procedure->rules != NULL)
			load_best_rules(procedure);
		procedure->best.iteration = header.best;
		procedure->ranking.highest_mrr = header.highest_mrr;
		if (ranks_bytes(procedure) > 0)
			load(procedure, "highest ranks", procedure->ranking.highest, ranks_bytes(procedure));
		load_samples(procedure, header.samples);
		procedure->done = header.done;
		progress_resume(procedure->progress, header.done);
	}

	/* 3. what is learnt, after an iteration or in the middle of one */
	load_embeddings(procedure, "entities", "relations");
	for (int i = 0; learner_state(learner, i, &values, &count); i++)
		load(procedure, psprintf("optimizer %d", i), values, count * sizeof(float));
	if (load_place(procedure))
		learner->embeddings = EMBEDDINGS_LATEST;
	else if (header.done > 0)
		learner->embeddings = header.best.number == header.done ? EMBEDDINGS_BEST : EMBEDDINGS_LATEST;
	else
		raise_damage(model, "It has no part \"place\".");
	procedure->resumed = true;
}

void
checkpoint_load_paths(Procedure *procedure)
{
	const char *model = procedure->settings.model;
	PathLearning *paths = &procedure->paths;
	ValidRanking *valid = &paths->ranking.valid;
	PathHeader	header;
	size_t		count;
	float	   *state = path_trainer_state(paths->trainer, &count);

	/* none before the first epoch is done */
	if (!read_part(procedure->graph, model, "path header", &header, sizeof(header)))
		return;
	if (header.done < 1 || header.done > path_epochs_in_all(&paths->plan) ||
		header.best_epoch < 1 || header.best_epoch > header.done)
		raise_damage(model, "Its path header is out of range.");
	load(procedure, "path network", paths->network.parameter, path_numbers(&paths->network) * sizeof(float));
	load(procedure, "path optimizer", state, count * sizeof(float));
	load(procedure, "best path networks", paths->best.parameter, path_numbers(&paths->best) * sizeof(float));
	load(procedure, "highest path ranks", valid->highest, valid->sample.count * sizeof(double));
	valid->highest_mrr = header.highest_mrr;
	paths->best_epoch = header.best_epoch;
	paths->done = header.done;
	paths->learnt_epoch = header.done > paths->plan.epochs ? header.done - header.done % paths->plan.epochs :
		header.best_epoch;
}
