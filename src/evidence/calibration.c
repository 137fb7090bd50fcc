/*
 * calibration.c
 *		How probable a candidate is, by its score and the known answers of its question, fitted to examples.
 *
 * A regression for each key, of whether a candidate was held out, on its score and on how many answers of its
 * question are known (EvCalibration).  The logistic function is that of the probability of a missing fact: even a
 * candidate that is certainly true was held out with a chance of 1 / (1 + rho) only.  With a logistic chance to be held
 * out, probabilities that are computed from it reach 1 too early.  The regression is fitted where it is read: on the
 * best EV_SHOWN candidates of each question, of questions with held-out answers and of questions without, in the
 * proportion in which users ask them.  All candidates would prove nothing: nearly all are false, and every estimate
 * near 0 looks right.
 *
 * First a common fit to all keys; then that of each key, with a quadratic prior at the common one.  Its strength is
 * the curvature of the common loss for so many held-out answers, and that number is chosen: examples of even number
 * are fitted with each of several, and those of odd number decide.  They measure the error, too.  Then all are fitted.
 *
 * Sums over examples are taken item by item and added in order, so they do not depend on the threads.
 */
#include "examples.h"

#include <math.h>

#define AT_ONCE 64				/* examples of an item */
#define STEPS 50				/* of Newton's method, at most */
#define FEATURES 6				/* score; 1; no answer is known; log(1 + known answers); best score; last score */
#define BINS 15
#define RIDGE 1e-6				/* a feature that is the same everywhere does not move */
#define PRIORS 4
#define HELD_OUT_PRIOR 10		/* held-out facts that draw a relation's share to that of all */

static const double priors[PRIORS] = {3, 10, 30, 100};

/* One of the best candidates of an example */
typedef struct ShownCandidate
{
	double		score;
	double		questions;		/* that it stands for */
	bool		answer;
} ShownCandidate;

/* Loss, gradient and curvature of a logistic regression */
typedef struct Regression
{
	double		loss;
	double		gradient[FEATURES];
	double		curvature[FEATURES][FEATURES];
} Regression;

/* The coefficients, and how Newton's method comes to them */
typedef struct Fit
{
	double		x[FEATURES];
	bool		flat;			/* the slope of the score stays 0 */
	double		lowest;
	double		move[FEATURES];
} Fit;

/* Examples first .. end - 1 in the order of all, of a parity */
typedef struct Part
{
	int64_t		first;
	int64_t		end;
	int			parity;			/* -1: all */
} Part;

typedef struct CalibrationTask
{
	Pool	   *pool;
	const EvExamples *examples;
	const EvWeights *weights;
	EvKind		kind;			/* that is calibrated */
	int			discount;		/* that it uses */
	bool		alone;			/* other answers of a question are not looked at */
	int			parity;			/* of the examples that are fitted */
	double		prior;			/* as if by that many held-out answers */
	const double *odds;			/* rho by key, see EvCalibration; NULL: nothing is assumed to be missing */
	double		target[2];		/* of a false candidate, and of a true answer */
	Fit			common;
	double		average[FEATURES][FEATURES];	/* curvature of the common loss, for a held-out answer */
	Fit		   *fit;			/* of each key */
	ShownCandidate *shown;		/* EV_SHOWN of each example, in the order of all */
	int		   *shown_count;
	Regression *partial;		/* of each item */
} CalibrationTask;

static int64_t
all_count(const EvExamples *examples)
{
	return examples->all.first[examples->keys];
}

static const EvExample *
example_at(const CalibrationTask *task, int64_t i)
{
	return &task->examples->example[task->examples->all.number[i]];
}

/* ---- memory ------------------------------------------------------------------------- */

/* Returns room for rho. */
static double *
take_calibration(CalibrationTask *task, Allocation *allocation, int64_t examples, int32_t keys, EvLearnt *learnt)
{
	task->partial = TAKE(allocation, Regression, (size_t) pool_pieces(examples, AT_ONCE));
	task->shown = TAKE(allocation, ShownCandidate, (size_t) examples * EV_SHOWN);
	task->shown_count = TAKE(allocation, int, (size_t) examples);
	task->fit = TAKE(allocation, Fit, (size_t) keys);
	learnt->held_out = TAKE(allocation, double, (size_t) keys / 2);
	for (int kind = 0; kind < EV_KINDS; kind++)
		learnt->calibration[kind] = TAKE(allocation, EvCalibrations, (size_t) keys);
	return TAKE(allocation, double, (size_t) keys);
}

size_t
calibration_bytes(int64_t examples, int32_t keys)
{
	CalibrationTask task;
	EvLearnt	learnt;
	Allocation	allocation = {0};

	take_calibration(&task, &allocation, examples, keys, &learnt);
	return allocation_bytes(&allocation);
}

/* ---- what is shown -------------------------------------------------------------------- */

/* The score that candidates are ranked by; NaN where none is shown. */
static double
score_of(const CalibrationTask *task, int32_t key, const EvListed *listed)
{
	double		evidence = listed->evidence[task->discount];

	switch (task->kind)
	{
		case EV_EMBEDDING:
			return listed->phi;
		case EV_RULES:
			return evidence > 0 ? evidence : NAN;
		case EV_NETWORK:
			return listed->network > 0 ? listed->network : NAN;
		default:
			evidence += task->weights->network[key] * listed->network;
			return task->weights->scale[key] * (listed->phi + task->weights->weight[key] * evidence);
	}
}

/* Puts a candidate in its place among the best so far; of equals, the first stays first. */
static int
offer_shown(ShownCandidate *shown, int count, const ShownCandidate *candidate)
{
	int			place = count;

	while (place > 0 && shown[place - 1].score < candidate->score)
		place--;
	if (place == EV_SHOWN)
		return count;
	count = count < EV_SHOWN ? count + 1 : EV_SHOWN;
	for (int i = count - 1; i > place; i--)
		shown[i] = shown[i - 1];
	shown[place] = *candidate;
	return count;
}

/* Offers a candidate of an example, if it is shown; returns how many are there. */
static int
offer_listed(const CalibrationTask *task, const EvExample *example, int j, bool answer, double questions,
			 ShownCandidate *shown, int count)
{
	ShownCandidate candidate = {score_of(task, example->key, &example->listed[j]), questions, answer};

	return isnan(candidate.score) ? count : offer_shown(shown, count, &candidate);
}

/*
 * The best candidates of an example's question: all of its held-out answers are among them, as those that are missing
 * are in what a user is shown.  A true answer comes last among equals.
 */
static int
show_question(const CalibrationTask *task, const EvExample *first, ShownCandidate *shown)
{
	int			count = 0;

	for (int j = first->count - 1; j >= !first->drawn; j--)
		count = offer_listed(task, first, j, false, first->questions, shown, count);
	for (const EvExample *example = first; !first->drawn;)
	{
		count = offer_listed(task, example, 0, true, first->questions, shown, count);
		if (example->next < 0)
			break;
		example = &task->examples->example[example->next];
	}
	return count;
}

/* Item: what is shown for some examples: each question once. */
static void
show_best(void *argument, int64_t item, int thread)
{
	CalibrationTask *task = argument;
	int64_t		end = all_count(task->examples);

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
	{
		const EvExample *example = example_at(task, i);

		task->shown_count[i] = example->questions > 0 ? show_question(task, example, &task->shown[i * EV_SHOWN]) : 0;
	}
	pool_yield(task->pool, thread);
}

/* ---- the regression ---------------------------------------------------------------------- */

static void
features_of(const CalibrationTask *task, int64_t i, int j, double *feature)
{
	const ShownCandidate *shown = &task->shown[i * EV_SHOWN];
	int64_t		known = example_at(task, i)->known;

	feature[0] = shown[j].score;
	feature[1] = 1;
	feature[2] = known == 0;
	feature[3] = log1p((double) known);
	feature[4] = task->alone ? 0 : shown[0].score;
	feature[5] = task->alone || task->shown_count[i] < EV_SHOWN ? 0 : shown[EV_SHOWN - 1].score;
}

/* What a fit gives a candidate */
typedef struct Judgement
{
	double		probability;	/* of a missing fact, or the chance where nothing is assumed to be missing */
	double		chance;			/* to be one of the held-out facts */
	double		slope;			/* of the logit of the chance, by the features' sum */
} Judgement;

static Judgement
judge(const CalibrationTask *task, const Fit *fit, int32_t key, const double *feature)
{
	double		x = 0;
	double		p;

	for (int i = 0; i < FEATURES; i++)
		x += fit->x[i] * feature[i];
	p = 1 / (1 + exp(-x));
	if (task->odds == NULL)
		return (Judgement) {p, p, 1};
	return (Judgement) {p, p / (task->odds[key] + p), 1 - p};
}

static void
add_candidate(const CalibrationTask *task, const Fit *fit, int64_t i, int j, Regression *sums)
{
	const ShownCandidate *shown = &task->shown[i * EV_SHOWN + j];
	double		target = task->target[shown->answer];
	double		feature[FEATURES];
	Judgement	judged;
	double		p;
	double		gradient;
	double		curvature;

	features_of(task, i, j, feature);
	judged = judge(task, fit, example_at(task, i)->key, feature);
	p = judged.chance;
	sums->loss -= shown->questions * (target * log(fmax(p, 1e-300)) + (1 - target) * log1p(-fmin(p, 1 - 1e-16)));
	gradient = shown->questions * judged.slope * (p - target);
	/* that which is expected: never negative */
	curvature = shown->questions * fmax(judged.slope * judged.slope * p * (1 - p), 1e-12);
	for (int k = 0; k < FEATURES; k++)
	{
		sums->gradient[k] += gradient * feature[k];
		for (int l = 0; l < FEATURES; l++)
			sums->curvature[k][l] += curvature * feature[k] * feature[l];
	}
}

static Regression
sum_part(const CalibrationTask *task, const Fit *fit, Part part, int thread)
{
	Regression	sums = {0};

	for (int64_t i = part.first; i < part.end; i++)
	{
		if (part.parity >= 0 && i % 2 != part.parity)
			continue;
		for (int j = 0; j < task->shown_count[i]; j++)
			add_candidate(task, fit, i, j, &sums);
		if (i % AT_ONCE == 0)
			pool_yield(task->pool, thread);
	}
	return sums;
}

static void
add_sums(Regression *to, const Regression *from)
{
	to->loss += from->loss;
	for (int k = 0; k < FEATURES; k++)
	{
		to->gradient[k] += from->gradient[k];
		for (int l = 0; l < FEATURES; l++)
			to->curvature[k][l] += from->curvature[k][l];
	}
}

/* Item: sums over some examples, with the common fit. */
static void
sum_examples(void *argument, int64_t item, int thread)
{
	CalibrationTask *task = argument;
	int64_t		end = all_count(task->examples);
	Part		part = {item * AT_ONCE, (item + 1) * AT_ONCE < end ? (item + 1) * AT_ONCE : end, task->parity};

	task->partial[item] = sum_part(task, &task->common, part, thread);
}

static Regression
sum_all(CalibrationTask *task)
{
	int64_t		items = pool_pieces(all_count(task->examples), AT_ONCE);
	Regression	sums = {0};

	pool_run(task->pool, items, sum_examples, task);
	for (int64_t i = 0; i < items; i++)
		add_sums(&sums, &task->partial[i]);
	return sums;
}

/* Adds the loss of so many held-out answers with the average curvature, which is least at the common fit. */
static void
add_prior(const CalibrationTask *task, const Fit *fit, Regression *sums)
{
	for (int k = 0; k < FEATURES; k++)
		for (int l = 0; l < FEATURES; l++)
		{
			double		curvature = task->prior * task->average[k][l];
			double		distance = curvature * (fit->x[l] - task->common.x[l]);

			sums->gradient[k] += distance;
			sums->loss += distance * (fit->x[k] - task->common.x[k]) / 2;
			sums->curvature[k][l] += curvature;
		}
}

/* Solves curvature * step = gradient, in the place of the gradient. */
static void
solve(Regression *sums)
{
	for (int i = 0; i < FEATURES; i++)
	{
		sums->curvature[i][i] += RIDGE;
		for (int j = i + 1; j < FEATURES; j++)
		{
			double		ratio = sums->curvature[j][i] / sums->curvature[i][i];

			for (int k = i; k < FEATURES; k++)
				sums->curvature[j][k] -= ratio * sums->curvature[i][k];
			sums->gradient[j] -= ratio * sums->gradient[i];
		}
	}
	for (int i = FEATURES - 1; i >= 0; i--)
	{
		for (int k = i + 1; k < FEATURES; k++)
			sums->gradient[i] -= sums->curvature[i][k] * sums->gradient[k];
		sums->gradient[i] /= sums->curvature[i][i];
	}
}

/* A step of Newton's method; after one that raised the loss, half of it is taken back.  False when it was small. */
static bool
step_fit(Fit *fit, Regression *sums)
{
	bool		raised = !(sums->loss <= fit->lowest);
	double		length = 0;

	if (!raised)
	{
		fit->lowest = sums->loss;
		for (int k = 0; k < FEATURES && fit->flat; k++)
			sums->gradient[0] = sums->curvature[0][k] = sums->curvature[k][0] = 0;
		solve(sums);
	}
	for (int k = 0; k < FEATURES; k++)
	{
		fit->move[k] = raised ? fit->move[k] / 2 : sums->gradient[k];
		fit->x[k] += raised ? fit->move[k] : -fit->move[k];
		length = fmax(length, fabs(fit->move[k]));
	}
	return length > 1e-6;
}

static Fit
fit_from(const Fit *start, bool flat)
{
	Fit			fit = {.flat = flat,.lowest = INFINITY};

	for (int k = 0; k < FEATURES; k++)
		fit.x[k] = start->x[k];
	if (flat)
		fit.x[0] = 0;
	return fit;
}

/* ---- the common fit, and those of the keys ---------------------------------------------------- */

/*
 * The targets of the regression count one true and one false candidate more than there are (Platt 1999).
 * Otherwise a few examples that happen to be separated by a score would make everything certain.
 */
static double
set_targets(CalibrationTask *task)
{
	double		count[2] = {0};

	for (int64_t i = 0; i < all_count(task->examples); i++)
		for (int j = 0; j < task->shown_count[i] && (task->parity < 0 || i % 2 == task->parity); j++)
			count[task->shown[i * EV_SHOWN + j].answer] += task->shown[i * EV_SHOWN + j].questions;
	task->target[true] = (count[true] + 1) / (count[true] + 2);
	task->target[false] = 1 / (count[false] + 2);
	return count[true];
}

/* Fits the examples of a parity together; no probability falls when a score rises. */
static void
fit_common(CalibrationTask *task, int parity)
{
	static const Fit start = {.x = {0, -4}};
	double		answers;
	bool		flat = false;
	Regression	sums;

	task->parity = parity;
	answers = set_targets(task);
	do
	{
		bool		moved = true;

		task->common = fit_from(&start, flat);
		for (int step = 0; step < STEPS && moved; step++)
		{
			sums = sum_all(task);
			moved = step_fit(&task->common, &sums);
		}
		flat = task->common.x[0] < 0;
	} while (flat);
	sums = sum_all(task);
	for (int k = 0; k < FEATURES; k++)
		for (int l = 0; l < FEATURES; l++)
			task->average[k][l] = sums.curvature[k][l] / fmax(answers, 1);
}

/* Item: fits one key. */
static void
fit_key(void *argument, int64_t key, int thread)
{
	CalibrationTask *task = argument;
	const int64_t *first = task->examples->all.first;
	Part		part = {first[key], first[key + 1], task->parity};
	Fit		   *fit = &task->fit[key];
	bool		flat = task->common.flat;

	do
	{
		bool		moved = part.first < part.end;

		*fit = fit_from(&task->common, flat);
		for (int step = 0; step < STEPS && moved; step++)
		{
			Regression	sums = sum_part(task, fit, part, thread);

			add_prior(task, fit, &sums);
			moved = step_fit(fit, &sums);
		}
		flat = fit->x[0] < 0;
	} while (flat);
}

static void
fit_keys(CalibrationTask *task, double prior)
{
	task->prior = prior;
	pool_run(task->pool, task->examples->keys, fit_key, task);
}

/* The loss of the examples of the other parity, with the fit of each key. */
static double
other_loss(const CalibrationTask *task)
{
	const int64_t *first = task->examples->all.first;
	double		loss = 0;

	for (int32_t key = 0; key < task->examples->keys; key++)
		loss += sum_part(task, &task->fit[key], (Part) {first[key], first[key + 1], 1 - task->parity}, POOL_LEADER).loss;
	return loss;
}

/* ---- the error ------------------------------------------------------------------------------ */

/*
 * The mean distance, in bins of probability, of what is predicted from what is true, over what is shown of the
 * examples of odd number; both as chances of a missing fact, where some are assumed.
 */
static double
calibration_error(const CalibrationTask *task)
{
	double		distance[BINS] = {0};
	double		sum = 0;
	double		count = 0;

	for (int64_t i = 1; i < all_count(task->examples); i += 2)
		for (int j = 0; j < task->shown_count[i]; j++)
		{
			const ShownCandidate *shown = &task->shown[i * EV_SHOWN + j];
			const EvExample *example = example_at(task, i);
			double		rho = task->odds == NULL ? 1 : task->odds[example->key];
			double		feature[FEATURES];
			Judgement	judged;

			features_of(task, i, j, feature);
			judged = judge(task, &task->fit[example->key], example->key, feature);
			distance[(int) fmin(judged.probability * BINS, BINS - 1)] +=
				shown->questions * rho * (judged.chance - shown->answer);
			count += shown->questions;
		}
	for (int i = 0; i < BINS; i++)
		sum += fabs(distance[i]);
	return count > 0 ? sum / count : 0;
}

/* ---- shares that are held out ------------------------------------------------------------------ */

static void
set_held_out(Pool *pool, const EvExampleSource *source, const EvExamples *examples, EvLearnt *learnt)
{
	const FactIndex *facts = source->facts;
	double		answered = (double) ev_examples_answered(source) / 2;
	double		common = answered / ((double) facts->edges / 2 + (double) source->count);
	/* where there are many held-out triples, the others count as known */
	double		triples = (double) source->count / answered;

	for (int32_t r = 0; r < facts->relations; r++)
	{
		/* a triple is an example of either side */
		double		held = (double) (examples->answered.first[2 * r + 2] - examples->answered.first[2 * r]) / 2;
		double		known = (double) fact_count(facts, r, pool);

		learnt->held_out[r] = (held + HELD_OUT_PRIOR) / (held * triples + known + HELD_OUT_PRIOR / common);
	}
	learnt->held_out_all = common;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static EvCalibration
calibration_of(const Fit *fit)
{
	return (EvCalibration) {.slope = fit->x[0],.intercept = fit->x[1],.unanswered = fit->x[2],.answers = fit->x[3],
		.best = fit->x[4],.last = fit->x[5]};
}

/* The strength of the prior with which examples that were not fitted are most probable. */
static double
best_prior(CalibrationTask *task)
{
	double		lowest = INFINITY;
	double		best = priors[0];

	for (int i = 0; i < PRIORS; i++)
	{
		double		loss;

		fit_keys(task, priors[i]);
		loss = other_loss(task);
		if (loss < lowest)
		{
			lowest = loss;
			best = priors[i];
		}
	}
	return best;
}

static void
fit_all(CalibrationTask *task, double prior)
{
	fit_common(task, -1);
	fit_keys(task, prior);
}

static void
fit_kind(CalibrationTask *task, EvLearnt *learnt)
{
	EvCalibrations *calibration = learnt->calibration[task->kind];
	double		prior;

	pool_run(task->pool, pool_pieces(all_count(task->examples), AT_ONCE), show_best, task);
	task->alone = false;
	fit_common(task, 0);
	prior = best_prior(task);
	fit_keys(task, prior);
	learnt->error[task->kind] = calibration_error(task);
	fit_all(task, prior);
	learnt->common[task->kind].ranked = calibration_of(&task->common);
	for (int32_t key = 0; key < task->examples->keys; key++)
		calibration[key].ranked = calibration_of(&task->fit[key]);
	task->alone = true;
	fit_all(task, prior);
	learnt->common[task->kind].alone = calibration_of(&task->common);
	for (int32_t key = 0; key < task->examples->keys; key++)
		calibration[key].alone = calibration_of(&task->fit[key]);
}

bool
calibration_fit(Arena *arena, Pool *pool, const EvExamples *examples, const int *discount,
				const EvExampleSource *source, EvLearnt *learnt)
{
	CalibrationTask task = {.pool = pool,.examples = examples,.weights = &learnt->weights};
	Allocation	allocation = {0};
	double	   *odds;

	take_calibration(&task, &allocation, all_count(examples), examples->keys, learnt);
	if (!allocation_open(&allocation, arena))
		return false;
	odds = take_calibration(&task, &allocation, all_count(examples), examples->keys, learnt);
	set_held_out(pool, source, examples, learnt);
	learnt->missing = source->missing;
	for (int32_t key = 0; key < examples->keys && source->missing > 0; key++)
		odds[key] = ev_odds(learnt->held_out[key / 2], source->missing);
	task.odds = source->missing > 0 ? odds : NULL;
	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		task.kind = (EvKind) kind;
		task.discount = discount[kind];
		if (ev_has_kind(source, task.kind))
			fit_kind(&task, learnt);
	}
	return true;
}
