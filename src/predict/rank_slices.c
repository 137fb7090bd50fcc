/*
 * rank_slices.c
 *		The ranks of a split by slices of its triples (graph/node_slices.h), where that pays.
 *
 * A rank depends on its triple, the model, the facts and the filter: so any node finds the same.
 */
#include "rank_task.h"

#include "catalog/pg_type.h"

#include "graph/node_slices.h"
#include "model/path_network.h"
#include "model/sent_model.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"

/* ---- triples ----------------------------------------------------------------------- */

/* Of all that a rank depends on, but the model */
static int64
checksum_of_task(const RankTask *task)
{
	uint64		checksum = checksum_of_facts(task->data);

	checksum = checksum_of_bytes(task->known.triple, task->known.count * sizeof(Triple), checksum);
	return (int64) checksum_of_bytes(task->ranks.triple, task->ranks.count * sizeof(Triple), checksum);
}

/* ---- what a node does --------------------------------------------------------------- */

static Datum
rank_slice(const RankTask *task, NodeSlice slice, MemoryContext caller)
{
	int64	   *place = array_new(int64, task->ranks.count);
	int64		count = node_slice_places(slice, task->ranks.count, place);
	Triple	   *triple = array_new(Triple, count);
	int32	   *rank = array_new(int32, 2 * count);
	int64	   *value = array_new(int64, 2 * count);

	for (int64 i = 0; i < count; i++)
		triple[i] = task->ranks.triple[place[i]];
	if (count > 0)
		rank_here(task, (KgeTriples) {triple, count}, (KgeRanks) {rank, rank + count});
	for (int64 i = 0; i < 2 * count; i++)
		value[i] = rank[i];
	return node_answer(caller, checksum_of_task(task), value, 2 * count, "rank a sample");
}

HKG_FUNCTION(hkg_rank_slice);
Datum
hkg_rank_slice(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	RankTask	task = {
		.model = argument_name(fcinfo, 1, "model"),
		.split = argument_text(fcinfo, 2, "split"),
		.seed = DatumGetInt64(argument(fcinfo, 3, "seed")),
		.kind = argument_evidence(fcinfo, 4),
		.sample = argument_int(fcinfo, 5, "sample", 0, PG_INT32_MAX)
	};
	char	   *version = argument_text(fcinfo, 6, "version");
	NodeSlice	slice = node_slice_argument(fcinfo, 7, PG_INT32_MAX / NODE_SLICE_STRETCHES);
	MemoryContext caller;
	Datum		array = (Datum) 0;

	argument_choice(task.split, "split", evaluate_splits);
	node_slice_begin();
	caller = sql_begin();
	task.graph = graph_open_facts(name);
	if (model_has_version(task.graph, task.model, version))
	{
		rank_task_open(&task);
		array = rank_slice(&task, slice, caller);
	}
	sql_end();
	if (array == (Datum) 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(array);
}

/* ---- what the coordinator does --------------------------------------------------------- */

/* What the ranks would take one thread of this server; negative where there is an error to be raised. */
static double
seconds_here(const RankTask *task)
{
	ModelRow	row = model_read_row(task->graph, task->model);
	EvidenceParts has = evidence_has(task->graph, task->model);
	Model		model = {.sketch = NULL};
	int			walks;

	if ((task->kind == EV_RULES && !has.rules) || (task->kind == EV_NETWORK && !has.network))
		return -1;
	if (row.score_function != NULL)
		model_read_settings(task->model, &row, CurrentMemoryContext, &model);
	model.kge.entities = task->data->entities;
	walks = path_walks(path_network_number(task->graph, task->model, "members"),
					   path_network_number(task->graph, task->model, "reversed"));
	return model_question_seconds(row.score_function == NULL ? NULL : &model.kge, has.rules, walks, task->kind,
								  2 * task->ranks.count);
}

static void
take_ranks(void *argument, NodeSlice slice, const int64 *value, int64 count)
{
	const SplitRanks *ranks = &((RankTask *) argument)->ranks;
	int64	   *place = array_new(int64, ranks->count);
	int64		places = node_slice_places(slice, ranks->count, place);

	node_answer_check("_hkg_rank_slice", count, 2 * places);
	for (int64 i = 0; i < places; i++)
	{
		ranks->rank[place[i]] = (int32) value[i];
		ranks->rank[ranks->count + place[i]] = (int32) value[places + i];
	}
	pfree(place);
}

bool
rank_on_nodes(RankTask *task)
{
	SqlArgs		args = {0};
	NodeSlices	slices = {task->graph, "_hkg_rank_slice", "$1::name, $2, $3, $4, $5, $6", &args, 0, take_ranks, task};
	char	   *version;

	if (hkg_slice_seconds < 0 || task->ranks.count == 0 || !node_slices_exist(task->graph))
		return false;
	model_require(task->graph, task->model);
	if (seconds_here(task) < hkg_slice_seconds)
		return false;
	version = model_version(task->graph, task->model);
	if (version == NULL || !model_send(task->graph, task->model, version))
		return false;
	sql_arg_text(&args, task->model);
	sql_arg_text(&args, task->split);
	sql_arg(&args, INT8OID, Int64GetDatum(task->seed));
	sql_arg_text(&args, evidence_kinds[task->kind]);
	sql_arg(&args, INT4OID, Int32GetDatum(task->sample));
	sql_arg_text(&args, version);
	slices.checksum = checksum_of_task(task);
	if (node_slices_run(&slices))
		return true;
	node_slices_failed(task->graph, psprintf("split \"%s\" of graph \"%s\" is ranked", task->split, task->graph->name));
	return false;
}
