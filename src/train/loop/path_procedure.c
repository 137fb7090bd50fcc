/*
 * path_procedure.c
 *		The part of a training in which its path network is learnt, an epoch at a time (see procedure.h).
 */
#include "procedure.h"

#include "model/path_network.h"

void
procedure_open_paths(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	PathNetwork *old = NULL;

	if (settings->paths != YES || procedure_is_refused(procedure))
		return;
	procedure->paths = path_learning_sizes(settings, &procedure->facts);
	if (settings->warm_start)
		old = path_network_read(procedure->graph, settings->model, procedure->facts.learnt, 0);
	path_learning_open(&procedure->paths, settings, &procedure->facts, old, procedure->learner.pool);
	if (procedure->resumed)
		checkpoint_load_paths(procedure);
	progress_skip(procedure->progress, PHASE_PATHS,
				  path_learning_units(&procedure->paths, &procedure->facts, procedure->paths.done));
}

bool
procedure_paths_are_done(const Procedure *procedure)
{
	return procedure->paths.done >= procedure->paths.plan.epochs;
}

void
procedure_learn_paths(Procedure *procedure)
{
	path_learning_epoch(&procedure->paths, procedure->learner.pool, procedure->progress);
}

static void
report_epoch(const Procedure *procedure, const Iteration *epoch)
{
	StringInfoData line;

	if (hkg_progress_level == PROGRESS_OFF)
		return;
	initStringInfo(&line);
	appendStringInfo(&line, "paths, epoch %d/%d: loss %.5f", epoch->number, procedure->paths.plan.epochs, epoch->loss);
	procedure_append_mrr(&line, epoch);
	appendStringInfo(&line, " (%.1f s training, %.1f s evaluating)", epoch->train_seconds, epoch->evaluate_seconds);
	ereport(NOTICE, (errmsg_internal("%s", line.data)));
	pfree(line.data);
}

void
procedure_record_paths(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	const Iteration *epoch = &procedure->paths.epoch;

	graph_lock_models(procedure->graph);	/* in a worker, this is another transaction */
	record_path_epoch(procedure->graph, procedure->settings.model, epoch);
	report_epoch(procedure, epoch);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(procedure->scratch);
}

void
procedure_close_paths(Procedure *procedure)
{
	if (procedure->paths.done > 0)
		procedure->network = path_learning_close(&procedure->paths);
}
