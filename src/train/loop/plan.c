/*
 * plan.c
 *		What a training does in the time that it has (see plan.h).
 *
 * All is chosen before the training begins, since the learning rate falls to its end over all epochs, and is written as
 * the model's settings: another training with these has the same bits.  The work is that of work.c.  With `minutes`
 * a short part of the epochs and of the path network is done and thrown away, which tells how fast this machine is now.
 * Without, the speed is that of the machine of bench/RESULTS.md, so that the same call chooses the same everywhere.
 *
 * A path network adds most to what is found, but needs some epochs.  Once it has asked about each fact, others beside it find
 * more than further epochs of it (bench/RESULTS.md); more epochs of the embeddings than usual add little.
 */
#include "plan.h"

#include <math.h>

#include "utils/memutils.h"

#include "model/model_evidence.h"
#include "server/host.h"
#include "train/embeddings/learner.h"
#include "train/embeddings/valid_ranking.h"
#include "train/paths/path_learning.h"
#include "work.h"

#define DEFAULT_MINUTES 5		/* of two idle cores */
#define DEFAULT_FACTS 1000000	/* of more facts a training takes as long as it takes, unless minutes are given */
#define ITERATIONS 10			/* usually, each of */
#define EPOCHS 10
#define MOST_EPOCHS 20			/* in place of these, where there is time */
#define WEIGHTS_SHARE 0.1		/* of the time, at most, for weights of evidence, unless EV_LEAST_TRIPLES take longer */
#define SHORT_EVIDENCE_LENGTH 3	/* atoms of path rules, where there is no time for more */
#define MOST_MEMBERS 5			/* of a path network; each adds less than the one before */
#define MOST_ANSWERING 0.01		/* seconds that an answer takes at most with further members or reverse questions */
#define LEAST_PATH_EPOCHS 3		/* a network of fewer is not worth its time at the end */
#define EMBEDDINGS_SHARE 0.4	/* of the time of all epochs, at most, before the path network has its usual epochs */
#define DISTANCE_SPEED 0.6		/* of kge_epoch_seconds, by epochs of distances on the machine of reference */
#define SPARE 0.06				/* of the time, for what was guessed too low */
#define MEASURING 0.01			/* of the time, for each of the two measurements */
#define LONGEST 2				/* seconds of each, at most */
#define MOST_SLOWNESS 3			/* of what is not measured: epochs of few facts are slow by themselves */

/* Threads, and how much longer than on the machine of reference they take */
typedef struct Speed
{
	double		threads;
	double		epochs;
	double		paths;			/* all that a path network takes part in */
	double		others;
} Speed;

/* Seconds */
typedef struct Costs
{
	double		before;			/* the iterations */
	double		epoch;			/* with its part of what ends an iteration */
	double		path_epoch;		/* but for the last ones */
	double		last_path_epoch;
	double		after;			/* all epochs */
	double		weighed_triple;	/* without a path network; part of that */
} Costs;

/* Whether a measurement may take so many bytes: a training that needs too many is refused later. */
static bool
is_within_memory(uint64 bytes)
{
	return bytes / 1024 < (uint64) hkg_max_memory;
}

/* How much longer epochs take than they were computed to: some of them are done, and forgotten. */
static double
epochs_slowness(const Graph *graph, const TrainSettings *settings, const TrainingFacts *facts, double seconds)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "hybridkg measured epoch", ALLOCSET_DEFAULT_SIZES);
	Learner		learner = learner_sizes(settings, facts);
	TrainSettings anew = *settings;
	const Positives *positives = &learner.positives;
	double		all = kge_epoch_seconds(&learner.model, &learner.training, facts->learnt->facts,
										training_queries(facts->learnt)) / hkg_threads;
	int64		count = (int64) Min(Max(seconds / all * (double) facts->learnt->facts, settings->batch_size),
									(double) facts->learnt->facts);
	double		slowness = 1;

	anew.warm_start = false;
	MemoryContextSwitchTo(context);
	if (!is_partitioned(&learner.partitions) &&
		is_within_memory(learner_memory_bytes(&learner) +
						 kge_trainer_bytes(&learner.model, &learner.training, positives->room, hkg_threads)))
	{
		int64		start;
		int			passes = 0;

		learner_open(&learner, unconstify(Graph *, graph), &anew, facts, false);
		start = monotonic_now();
		do
			(void) kge_train_epoch(learner.trainer, positives->triple, positives->worth, count, (uint64) passes++);
		while (seconds_since(start) < seconds / 2);
		slowness = seconds_since(start) / (all * passes * (double) count / (double) facts->learnt->facts);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return slowness;
}

/* The same of the path network */
static double
paths_slowness(const TrainSettings *settings, const TrainingFacts *facts, double seconds)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context;
	PathLearning learning = path_learning_sizes(settings, facts);
	double		of_fact = path_learning_seconds(&learning, facts) / hkg_threads;
	int64		most = Min(facts->learnt->facts, 1024);
	int64		count = (int64) Min(Max(seconds / of_fact, learning.plan.training.batch_size), (double) most);
	Triple	   *fact;
	Pool	   *pool;
	int64		start;
	double		slowness;

	if (!is_within_memory(path_learning_bytes(&learning, facts)))
		return 1;
	context = AllocSetContextCreate(caller, "hybridkg measured paths", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(context);
	pool = hkg_pool();
	path_learning_open(&learning, settings, facts, NULL, pool);
	fact = palloc(count * sizeof(Triple));
	for (int64 i = 0; i < count; i++)
		fact[i] = facts->learnt->fact[i * (facts->learnt->facts / count)];
	start = monotonic_now();
	(void) path_train(learning.trainer, pool, fact, count, path_pace(&learning.plan, 1), 0);
	slowness = seconds_since(start) / (of_fact * (double) count);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return slowness;
}

static double
between(double least, double number, double most)
{
	return Max(least, Min(number, most));
}

/* Seconds of all that follows the epochs */
static double
seconds_after(const PhaseWork work[PROGRESS_PHASES])
{
	return work[PHASE_PATH_RULES].units * work[PHASE_PATH_RULES].seconds +
		work[PHASE_WEIGHTS].units * work[PHASE_WEIGHTS].seconds + work[PHASE_WRITING].units * work[PHASE_WRITING].seconds;
}

static Costs
costs_of(const TrainSettings *settings, const TrainingFacts *facts, Speed speed)
{
	TrainSettings without = *settings;
	Learner		learner = learner_sizes(settings, facts);
	ValidRanking ranking = valid_ranking_sizes(settings, facts, &learner);
	PathLearning paths = path_learning_sizes(settings, facts);
	PhaseWork	work[PROGRESS_PHASES];
	PhaseWork	work_without[PROGRESS_PHASES];
	double		seconds[PROGRESS_PHASES];

	without.paths = NO;
	work_of(settings, facts, &learner, &ranking, speed.threads, work);
	work_of(&without, facts, &learner, &ranking, speed.threads, work_without);
	for (int i = 0; i < PROGRESS_PHASES; i++)
		seconds[i] = work[i].units > 0 ? work[i].units * work[i].seconds : 0;
	return (Costs) {
		.before = speed.others * seconds[PHASE_MINING],
		.epoch = speed.epochs * (seconds[PHASE_TRAINING] + seconds[PHASE_EVALUATING] + seconds[PHASE_INFERRING]) /
			(double) epochs_in(settings, settings->iterations),
		.path_epoch = speed.paths * work[PHASE_PATHS].seconds * (double) paths.plan.facts,
		.last_path_epoch = speed.paths * work[PHASE_PATHS].seconds *
			(path_learning_units(&paths, facts, paths.plan.epochs) - path_learning_units(&paths, facts, paths.plan.epochs - 1)),
		.after = speed.others * seconds_after(work_without) + speed.paths * (seconds_after(work) - seconds_after(work_without)),
		.weighed_triple = speed.others * work_without[PHASE_WEIGHTS].seconds
	};
}

/* Seconds of so many epochs of each member of the path network */
static double
path_seconds(const Costs *costs, const TrainSettings *settings, const TrainingFacts *facts, double epochs)
{
	TrainSettings some = *settings;
	PathSettings plan;

	if (epochs == 0)
		return 0;
	some.path_epochs = (int) epochs;
	plan = path_settings(&some, facts);
	return plan.members * ((epochs - plan.last_epochs) * costs->path_epoch + plan.last_epochs * costs->last_path_epoch);
}

/*
 * What follows the epochs, if the call left it open: weights of so many triples that they have their share of the time,
 * and short path rules where longer ones leave no time for an epoch.
 */
static void
plan_evidence(TrainSettings *settings, const TrainingFacts *facts, Speed speed, double seconds)
{
	TrainSettings without = *settings;
	Costs		costs;

	without.paths = NO;
	costs = costs_of(&without, facts, speed);
	if (settings->evidence_triples == 0 && costs.weighed_triple * (double) facts->valid_count > WEIGHTS_SHARE * seconds)
		without.evidence_triples = settings->evidence_triples =
			(int) between(EV_LEAST_TRIPLES, WEIGHTS_SHARE * seconds / costs.weighed_triple, EV_MOST_TRIPLES);
	costs = costs_of(&without, facts, speed);
	if (settings->evidence_length == 0 && costs.before + costs.epoch + costs.after > seconds)
		settings->evidence_length = SHORT_EVIDENCE_LENGTH;
}

/* The most layers that the graph gains by, where all epochs of such a network have time beside embeddings */
static void
plan_layers(TrainSettings *settings, const TrainingFacts *facts, Speed speed, double room, Costs *costs)
{
	TrainSettings deep = *settings;
	Costs		of_deep;

	deep.path_layers = path_most_layers(facts);
	if (deep.path_layers == path_settings(settings, facts).shape.layers)
		return;
	of_deep = costs_of(&deep, facts, speed);
	if (path_seconds(&of_deep, &deep, facts, path_settings(&deep, facts).epochs) >
		(1 - EMBEDDINGS_SHARE) * (room - of_deep.before - of_deep.after))
		return;
	settings->path_layers = deep.path_layers;
	*costs = of_deep;
}

/*
 * Counts up `number`, a setting of a path network of so many epochs, while an answer stays fast and there is room for what
 * it takes.
 */
static void
plan_more(TrainSettings *settings, int *number, int most, const TrainingFacts *facts, Speed speed, double epochs,
		  double *room, Costs *costs)
{
	for (int more = 2; more <= most; more++)
	{
		int			fewer = *number;
		double		before = path_seconds(costs, settings, facts, epochs) + costs->after;
		PathLearning paths;
		Costs		of_more;
		double		taken;

		*number = more;
		paths = path_learning_sizes(settings, facts);
		of_more = costs_of(settings, facts, speed);
		taken = path_seconds(&of_more, settings, facts, epochs) + of_more.after - before;
		if (taken > *room || path_answering_seconds(&paths, facts) / 2 > MOST_ANSWERING)
		{
			*number = fewer;
			return;
		}
		*costs = of_more;
		*room -= taken;
	}
}

/* The part of the NOTICE about so many epochs of the path network */
static char *
planned_paths(const TrainSettings *settings, double epochs)
{
	char	   *networks = settings->path_members > 1 ? psprintf("each of %d path networks", settings->path_members) :
		"the path network";

	if (epochs == 0)
		return ", no path network";
	return psprintf(", %.0f epochs of %s%s", epochs, networks, settings->path_reversed <= 1 ? "" :
					psprintf(", the %d best answers asked in reverse", settings->path_reversed));
}

void
plan_training(TrainingPlan *plan, const Graph *graph, TrainSettings *settings, const TrainingFacts *facts)
{
	bool		timed = settings->minutes > 0;
	bool		open_iterations = settings->iterations == 0;
	bool		open_epochs = settings->epochs == 0;
	bool		open_embeddings = timed ? open_iterations || open_epochs : open_iterations && open_epochs;
	bool		open_paths = settings->paths == BY_GRAPH && !settings->warm_start;
	bool		open_path_epochs = settings->path_epochs == 0 && (timed || open_paths);
	bool		open_path_layers = settings->path_layers == 0 && timed && !settings->warm_start;
	bool		open_path_members = settings->path_members == 0 && !settings->warm_start;
	bool		open_path_reversed = settings->path_reversed == 0 && !settings->warm_start;
	double		seconds = 60 * (timed ? settings->minutes : DEFAULT_MINUTES);
	TrainSettings without;
	Speed		speed = {2, 1, 1, 1};
	Costs		costs;
	Costs		least;			/* without paths */
	double		room;			/* seconds for epochs of both kinds */
	double		usual;			/* epochs of the embeddings, in all */
	double		epochs;
	double		path_epochs = 0;

	/* 1. what a training does that has the time; nothing is left to choose where all is given */
	path_settings_decide(settings, graph, facts);
	if (open_iterations)
		settings->iterations = ITERATIONS;
	if (open_epochs)
		settings->epochs = EPOCHS;
	settings->minutes = 0;
	plan->seconds = timed ? seconds : 0;
	plan->message = plan->detail = NULL;
	if (facts->valid_count == 0 && settings->paths == BY_GRAPH)
		settings->paths = NO;
	if (facts->learnt->facts == 0 || facts->learnt->entities < 2)
		return;
	if (!timed && (settings->warm_start || facts->all->facts > DEFAULT_FACTS || !(open_embeddings || open_paths)))
		return;
	usual = (double) epochs_in(settings, settings->iterations);

	/* 2. what it takes, here and now or on two cores of the machine of reference */
	if (timed)
	{
		double		measuring = Min(MEASURING * seconds, LONGEST);

		speed.threads = hkg_threads;
		speed.epochs = speed.paths = epochs_slowness(graph, settings, facts, measuring);
		speed.others = between(1 / MOST_SLOWNESS, speed.epochs, MOST_SLOWNESS);
		if (settings->paths == YES)
			speed.paths = paths_slowness(settings, facts, measuring);
		room = (1 - SPARE) * seconds - seconds_since(plan->start);
	}
	else
	{
		if (kge_is_distance(settings_model(settings).function))
			speed.epochs = DISTANCE_SPEED;
		room = seconds;
	}
	plan_evidence(settings, facts, speed, room);
	without = *settings;
	without.paths = NO;
	least = costs_of(&without, facts, speed);
	costs = settings->paths == YES ? costs_of(settings, facts, speed) : least;
	if (!timed)
	{
		/* beside what was asked for */
		if (!open_embeddings)
			room += usual * costs.epoch;
		if (!open_paths && settings->paths == YES)
			room += path_seconds(&costs, settings, facts, path_settings(settings, facts).epochs) + costs.after - least.after;
	}

	/* 3. the path network: its layers, then as many epochs as usual, beside embeddings that have their share */
	if (settings->paths == YES && open_path_layers)
		plan_layers(settings, facts, speed, room, &costs);
	if (settings->paths == YES)
	{
		double		for_epochs = room - costs.before - costs.after;
		double		for_embeddings = usual * costs.epoch;

		if (open_embeddings)
			for_embeddings = Min(for_embeddings, EMBEDDINGS_SHARE * for_epochs);
		path_epochs = path_settings(settings, facts).epochs;
		while (open_path_epochs && path_epochs > 0 &&
			   path_seconds(&costs, settings, facts, path_epochs) > for_epochs - for_embeddings)
			path_epochs--;
		if (open_paths && path_epochs < LEAST_PATH_EPOCHS)
			path_epochs = 0;
		else
			path_epochs = Max(path_epochs, 1);
	}
	if (path_epochs == 0)
		costs = least;
	room -= costs.before + costs.after + path_seconds(&costs, settings, facts, path_epochs);

	/* 4. embeddings: as many epochs as usual; then more of both and further members, where there is time */
	epochs = open_embeddings ? between(1, floor(room / costs.epoch), usual) : usual;
	room -= epochs * costs.epoch;
	if (timed && open_path_epochs && path_epochs > 0)
	{
		double		most = (double) pool_pieces(facts->learnt->facts, path_settings(settings, facts).facts);
		double		taken = path_seconds(&costs, settings, facts, path_epochs);

		while (path_epochs < most && path_seconds(&costs, settings, facts, path_epochs + 1) - taken <= room)
			path_epochs++;
		room -= path_seconds(&costs, settings, facts, path_epochs) - taken;
		/* reverse questions need no training, and gain more than as many members */
		if (open_path_reversed)
			plan_more(settings, &settings->path_reversed, path_most_reversed(facts), facts, speed, path_epochs, &room,
					  &costs);
		if (open_path_members && path_epochs >= most)
			plan_more(settings, &settings->path_members, MOST_MEMBERS, facts, speed, path_epochs, &room, &costs);
	}
	if (timed && open_embeddings && epochs == usual)
		epochs = between(usual, floor(usual + room / costs.epoch), usual * MOST_EPOCHS / EPOCHS);

	/* 5. as settings */
	if (!timed && epochs == usual && (settings->paths == NO || path_epochs == path_settings(settings, facts).epochs))
		return;
	if (open_iterations && open_embeddings)
		settings->iterations = (int) between(1, floor(epochs / (open_epochs ? EPOCHS : settings->epochs)), ITERATIONS);
	if (open_epochs && open_embeddings)
		settings->epochs = (int) Max(1, epochs / settings->iterations);
	settings->paths = path_epochs > 0 ? YES : NO;
	if (open_path_epochs && path_epochs > 0)
		settings->path_epochs = (int) path_epochs;

	/* 6. what is there when */
	epochs = (double) epochs_in(settings, settings->iterations);
	plan->iterations_end = (timed ? seconds_since(plan->start) : 0) + costs.before + epochs * costs.epoch;
	plan->message = psprintf("training takes about %.0f s%s: %d iterations of %d epochs%s",
							 plan->iterations_end + path_seconds(&costs, settings, facts, path_epochs) + costs.after,
							 timed ? "" : " of two idle cores", settings->iterations, settings->epochs,
							 planned_paths(settings, path_epochs));
	plan->detail = psprintf("Embeddings are learnt after %.0f s%s. The model's settings will have what was chosen.",
							plan->iterations_end, path_epochs == 0 ? "" :
							psprintf(", paths after %.0f s",
									 plan->iterations_end + path_seconds(&costs, settings, facts, path_epochs)));
}

void
plan_notice(const char *message, const char *detail)
{
	if (message != NULL && message[0] != '\0')
		ereport(NOTICE,
				(errmsg("%s", message),
				 errdetail("%s", detail),
				 errhint("Argument minutes gives it another time.")));
}
