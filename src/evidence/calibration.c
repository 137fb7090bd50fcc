/*
 * calibration.c
 *		How probable a candidate is, by its score and the known answers of its question, fitted to examples.
 *
 * It is fitted where it is read: on the best EV_SHOWN candidates of each question, of questions with held-out answers and
 * of questions without, in the proportion in which users ask them.  All candidates would prove nothing: nearly all are
 * false, and every estimate near 0 looks right.
 *
 * A key is a relation and a side of its answers.  There are two kinds of keys.
 *
 *		Where a question has one answer (nearly all given entities have one: a colour, a country), its answers exclude
 *		each other.  CHOICE: which of the ten is right, if one is: softmax(choice * score), fitted to the questions with
 *		a held-out answer.  ANSWERED: whether one is, a logistic function of the logarithm of that softmax's sum.  The
 *		probability is the product, so those of a question sum to 1 at most.
 *
 *		Elsewhere each candidate is judged for itself.  CANDIDATE: a logistic function of its score, of the best one of its
 *		question, and of the distance from that to the tenth.  So it is for all keys where a triple is judged alone.
 *
 * The logistic function is that of the probability T to be true, held out or missing; the chance to be held out is
 * T / (1 + rho).  A logistic chance would make probabilities reach 1 too early: even what is certainly true was held
 * out with a chance of 1 / (1 + rho) only.  A candidate that was rejected is known to be false: its likelihood is 1 - T.
 * Questions with one answer leave rejected candidates out.  Where a question has one answer, the questions without any bound how many
 * facts can be missing, and rho with them: else the examples would contradict it, and nothing but certainty would fit.
 *
 * Each of the three is fitted in these steps.
 *
 *		1. A common fit to all keys of its kind, with a prior: log odds of -4 +- PRIOR_CENTER for a candidate with average
 *		   features, coefficients of 0 +- PRIOR_SLOPE deviations of their feature.  So it cannot run away where
 *		   features are collinear, or where a score separates all true answers from all false ones.
 *		2. The fit of each key, with a quadratic prior at the common one: the curvature of the common loss for so many
 *		   held-out answers.  That number is chosen: examples of even number are fitted with each of several, and those
 *		   of odd number decide.  They measure the error, too.  Then all are fitted.
 *		3. The level of questions without a known answer is moved to what counts allow, because near certainty the loss
 *		   hardly tells it.
 *		4. A key with n held-out answers is never surer than n / (n + 1).
 *
 * Sums over examples are taken item by item and added in order, so they do not depend on the threads.
 */
#include "examples.h"

#include <math.h>
#include <string.h>

#define AT_ONCE 64				/* examples of an item */
#define STEPS 50				/* of Newton's method, at most */
#define FEATURES 6				/* of a case */
#define SCORE 0					/* in CANDIDATE the distance from the best score, in ANSWERED L; in CHOICE its only coefficient */
#define ONE 1
#define UNANSWERED 2			/* no answer is known */
#define ANSWERS 3				/* log(1 + known answers) */
#define BEST 4					/* the best score of the question */
#define SPREAD 5				/* from the best score to the tenth; 0 where fewer are shown */
#define BINS 15
#define ODDITY 1				/* in CHOICE: log odds that any of the ten is right */
#define PRIOR_CENTER 5.0
#define PRIOR_SLOPE 3.0
#define PRIOR_ODDITY 1.5
#define START -4.0				/* log odds that are expected before anything is seen */
#define RIDGE 1e-6				/* a feature that is 0 everywhere does not move */
#define MOST_RAISED 10.0
#define PRIORS 5
#define HELD_OUT_PRIOR 1		/* held-out facts that draw a relation's share to that of all */
#define ONE_ANSWER 1.05			/* answers for each given entity, held-out ones too, where a question has one */

static const double priors[PRIORS] = {1, 3, 10, 30, 100};

typedef enum Stage
{
	CHOICE,
	ANSWERED,
	CANDIDATE,
	STAGES
} Stage;

/* One of the best candidates of an example */
typedef struct ShownCandidate
{
	double		score;
	double		questions;		/* that it stands for */
	bool		answer;
	bool		is_false;		/* was rejected */
} ShownCandidate;

/* What a regression learns from: a candidate, or a question */
typedef struct Case
{
	double		feature[FEATURES];
	double		weight;
	bool		answer;			/* was held out, or has an answer that was */
	bool		is_false;		/* was rejected */
} Case;

/* Loss, gradient and curvature of a regression, and the sums of its cases */
typedef struct Regression
{
	double		loss;
	double		gradient[FEATURES];
	double		curvature[FEATURES][FEATURES];
	double		cases[2];		/* false, true */
	double		answers;		/* held-out ones, shown or not */
	double		sum[FEATURES];
	double		square[FEATURES];
} Regression;

/* The coefficients of a stage, and how Newton's method comes to them */
typedef struct Fit
{
	double		x[FEATURES];
	double		target[2];		/* of a false case, and of a true one */
	double		answers;		/* held-out ones that it was learnt from */
	bool		held[FEATURES]; /* the coefficient stays what it is */
	double		lowest;
	double		move[FEATURES];
} Fit;

/* What is fitted to a key, or to all keys */
typedef struct KeyFit
{
	Fit			stage[STAGES];
	double		least_spread;	/* see EvCalibration */
} KeyFit;

/* A quadratic prior of a fit */
typedef struct Prior
{
	double		center[FEATURES];
	double		curvature[FEATURES][FEATURES];
} Prior;

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
	const double *most_odds;	/* by relation, see EvLearnt */
	bool	   *exclusive;		/* by key: a question has one answer */
	Stage		stage;			/* whose sums are taken */
	KeyFit		common;
	Prior		weak[STAGES];	/* of the common fit */
	double		average[STAGES][FEATURES][FEATURES];	/* curvature of the common loss, for a held-out answer */
	KeyFit	   *fit;			/* of each key */
	KeyFit	   *best_fit;		/* of each key, by the best prior so far */
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
	task->fit = TAKE(allocation, KeyFit, (size_t) keys);
	task->best_fit = TAKE(allocation, KeyFit, (size_t) keys);
	task->exclusive = TAKE(allocation, bool, (size_t) keys);
	learnt->held_out = TAKE(allocation, double, (size_t) keys / 2);
	learnt->most_odds = TAKE(allocation, double, (size_t) keys / 2);
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
	double		evidence = ev_combined(task->weights, task->kind, key, listed->evidence[task->discount], listed->network);

	if (!ev_uses_embedding(task->kind) && !(evidence > 0))
		return NAN;
	return ev_score(task->weights, task->kind, key, listed->phi, evidence);
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
	const EvListed *listed = &example->listed[j];
	ShownCandidate candidate = {score_of(task, example->key, listed), questions, answer, listed->is_false};

	if (isnan(candidate.score) || (listed->is_false && task->exclusive[example->key]))
		return count;
	return offer_shown(shown, count, &candidate);
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

/* ---- cases ------------------------------------------------------------------------------ */

static bool
is_exclusive(const CalibrationTask *task, int32_t key)
{
	return !task->alone && task->exclusive[key];
}

/* The logarithm of the sum of exp(choice * score) over what is shown of an example */
static double
log_sum(const CalibrationTask *task, double choice, int64_t i)
{
	const ShownCandidate *shown = &task->shown[i * EV_SHOWN];
	double		sum = 0;

	for (int j = 0; j < task->shown_count[i]; j++)
		sum += exp(choice * (shown[j].score - shown[0].score));
	return choice * shown[0].score + log(sum);
}

/* The cases of an example: its candidates, or the question itself */
static int
cases_of(const CalibrationTask *task, const KeyFit *fit, int64_t i, Case *cases)
{
	const ShownCandidate *shown = &task->shown[i * EV_SHOWN];
	const EvExample *example = example_at(task, i);
	int			count = task->shown_count[i];
	Case		common = {.feature = {0, 1, example->known == 0, log1p((double) example->known)}};

	if (is_exclusive(task, example->key) && count > 0)
	{
		cases[0] = common;
		cases[0].feature[SCORE] = log_sum(task, fit->stage[CHOICE].x[SCORE], i);
		cases[0].weight = shown[0].questions;
		for (int j = 0; j < count; j++)
			cases[0].answer |= shown[j].answer;
		return 1;
	}
	for (int j = 0; j < count; j++)
	{
		cases[j] = common;
		cases[j].feature[SCORE] = shown[j].score - (task->alone ? 0 : shown[0].score);
		cases[j].feature[BEST] = task->alone ? 0 : shown[0].score;
		cases[j].feature[SPREAD] = task->alone || count < EV_SHOWN ? 0 : shown[0].score - shown[EV_SHOWN - 1].score;
		cases[j].weight = shown[j].questions;
		cases[j].answer = shown[j].answer;
		cases[j].is_false = shown[j].is_false;
	}
	return count;
}

/* T of a case by a fit */
static double
truth_of(const Fit *fit, const double *feature)
{
	double		x = 0;

	for (int i = 0; i < FEATURES; i++)
		x += fit->x[i] * feature[i];
	return 1 / (1 + exp(-x));
}

/* The chance of what is true with that probability to be one of the held-out facts */
static double
chance_of(const CalibrationTask *task, int32_t key, double truth)
{
	return task->odds == NULL ? truth : truth / (1 + fmin(task->odds[key], task->most_odds[key / 2]));
}

/* ---- the loss ------------------------------------------------------------------------------ */

/* Of a case of ANSWERED or CANDIDATE */
static void
add_case(const CalibrationTask *task, const Fit *fit, int32_t key, const Case *added, Regression *sums)
{
	double		target = fit->target[added->answer];
	double		truth = truth_of(fit, added->feature);
	double		p = added->is_false ? truth : chance_of(task, key, truth);
	/* of the logit of p, by the features' sum */
	double		slope = added->is_false || task->odds == NULL ? 1 : (1 - truth) / (1 - p);
	double		gradient = added->weight * slope * (p - target);
	/* that which is expected: never negative */
	double		curvature = added->weight * fmax(slope * slope * p * (1 - p), 1e-12);

	sums->loss -= added->weight * (target * log(fmax(p, 1e-300)) + (1 - target) * log1p(-fmin(p, 1 - 1e-16)));
	sums->cases[added->answer] += added->weight;
	for (int k = 0; k < FEATURES; k++)
	{
		sums->gradient[k] += gradient * added->feature[k];
		sums->sum[k] += added->weight * added->feature[k];
		sums->square[k] += added->weight * added->feature[k] * added->feature[k];
		for (int l = 0; l < FEATURES; l++)
			sums->curvature[k][l] += curvature * added->feature[k] * added->feature[l];
	}
}

/*
 * Of CHOICE: minus the logarithm of (1 - d) softmax(choice * score) + d / count for each held-out answer that is shown.
 * Without d, the few answers that nothing expects would make all others uncertain.  The curvature is that of
 * expectation maximization, which is never negative.
 */
static void
add_choice(const CalibrationTask *task, const Fit *fit, int64_t i, Regression *sums)
{
	const ShownCandidate *shown = &task->shown[i * EV_SHOWN];
	int			count = task->shown_count[i];
	double		choice = fit->x[SCORE];
	double		odd = 1 / (1 + exp(-fit->x[ODDITY]));
	double		log_of_sum = count == 0 ? 0 : log_sum(task, choice, i);
	double		mean = 0;
	double		square = 0;

	for (int j = 0; j < count; j++)
	{
		double		share = exp(choice * shown[j].score - log_of_sum);
		double		distance = shown[0].score - shown[j].score;

		mean -= share * distance;
		square += share * distance * distance;
	}
	for (int j = 0; j < count && count > 1; j++)
	{
		double		distance = shown[0].score - shown[j].score;
		double		weight = shown[j].answer ? shown[0].questions : 0;
		double		expected = (1 - odd) * exp(choice * shown[j].score - log_of_sum);
		double		chance = expected + odd / count;

		sums->loss -= weight * log(chance);
		sums->gradient[SCORE] += weight * expected / chance * (mean + distance);
		sums->curvature[SCORE][SCORE] += weight * expected / chance * fmax(square - mean * mean, 0);
		sums->gradient[ODDITY] += weight * (odd - (1 - expected / chance));
		sums->curvature[ODDITY][ODDITY] += weight * odd * (1 - odd);
		sums->cases[true] += weight;
		sums->square[SCORE] += weight * distance * distance;
	}
}

static Regression
sum_part(const CalibrationTask *task, Stage stage, const KeyFit *fit, Part part, int thread)
{
	Regression	sums = {0};
	Case		cases[EV_SHOWN];

	for (int64_t i = part.first; i < part.end; i++)
	{
		int32_t		key = example_at(task, i)->key;

		if (i % AT_ONCE == 0)
			pool_yield(task->pool, thread);
		if ((part.parity >= 0 && i % 2 != part.parity) || is_exclusive(task, key) != (stage != CANDIDATE))
			continue;
		sums.answers += !example_at(task, i)->drawn;
		if (stage == CHOICE)
			add_choice(task, &fit->stage[CHOICE], i, &sums);
		else
			for (int j = cases_of(task, fit, i, cases) - 1; j >= 0; j--)
				add_case(task, &fit->stage[stage], key, &cases[j], &sums);
	}
	return sums;
}

static void
add_sums(Regression *to, const Regression *from)
{
	to->loss += from->loss;
	to->answers += from->answers;
	to->cases[false] += from->cases[false];
	to->cases[true] += from->cases[true];
	for (int k = 0; k < FEATURES; k++)
	{
		to->gradient[k] += from->gradient[k];
		to->sum[k] += from->sum[k];
		to->square[k] += from->square[k];
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

	task->partial[item] = sum_part(task, task->stage, &task->common, part, thread);
}

static Regression
sum_all(CalibrationTask *task, Stage stage)
{
	int64_t		items = pool_pieces(all_count(task->examples), AT_ONCE);
	Regression	sums = {0};

	task->stage = stage;
	pool_run(task->pool, items, sum_examples, task);
	for (int64_t i = 0; i < items; i++)
		add_sums(&sums, &task->partial[i]);
	return sums;
}

/* ---- Newton's method, with a quadratic prior ------------------------------------------------- */

static void
add_prior(const Prior *prior, const Fit *fit, Regression *sums)
{
	for (int k = 0; k < FEATURES; k++)
		for (int l = 0; l < FEATURES; l++)
		{
			double		distance = prior->curvature[k][l] * (fit->x[l] - prior->center[l]);

			sums->gradient[k] += distance;
			sums->loss += distance * (fit->x[k] - prior->center[k]) / 2;
			sums->curvature[k][l] += prior->curvature[k][l];
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
		for (int held = 0; held < FEATURES; held++)
			for (int k = 0; k < FEATURES && fit->held[held]; k++)
				sums->gradient[held] = sums->curvature[held][k] = sums->curvature[k][held] = 0;
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

/*
 * Where a coefficient left its range, it stays at the end of that, and all else is fitted anew.  No probability falls when
 * a score rises, or all scores of a question do, and ANSWERED rises no faster than the best share falls.  False where all
 * are in their ranges.
 */
static bool
hold_slope(Stage stage, const Fit *from, Fit *fit)
{
	static const int sloping[] = {SCORE, BEST};
	double		most = stage == ANSWERED ? 1 : INFINITY;

	for (int i = 0; i < 2; i++)
	{
		int			k = sloping[i];
		double		slope = fmax(0, fmin(fit->x[k], most));
		Fit			held = *from;

		if (fit->held[k] || slope == fit->x[k])
			continue;
		memcpy(held.held, fit->held, sizeof(held.held));
		for (int l = 0; l < FEATURES; l++)
			if (held.held[l])
				held.x[l] = fit->x[l];
		held.x[k] = slope;
		held.held[k] = true;
		*fit = held;
		return true;
	}
	return false;
}

/*
 * The targets count one true and one false case more than there are (Platt 1999).  Otherwise a few examples that happen
 * to be separated by a score would make everything certain.
 */
static Fit
fit_from(const Fit *start, const Regression *sums, double borrowed)
{
	Fit			fit = *start;

	fit.target[true] = (sums->cases[true] + borrowed + 1) / (sums->cases[true] + borrowed + 2);
	fit.target[false] = 1 / (sums->cases[false] + 2);
	fit.answers = sums->answers + borrowed;
	memset(fit.held, 0, sizeof(fit.held));
	fit.lowest = INFINITY;
	return fit;
}

/* ---- the common fit ---------------------------------------------------------------------------- */

/* The prior of the common fit, by the sums of its cases */
static Prior
weak_prior(Stage stage, const Regression *sums)
{
	double		cases = fmax(sums->cases[false] + sums->cases[true], 1);
	Prior		prior = {.center = {0, START}};

	if (stage == CHOICE)
	{
		prior.curvature[SCORE][SCORE] = fmax(sums->square[SCORE] / cases, RIDGE) / (PRIOR_SLOPE * PRIOR_SLOPE);
		prior.curvature[ODDITY][ODDITY] = 1 / (PRIOR_ODDITY * PRIOR_ODDITY);
		return prior;
	}
	for (int k = 0; k < FEATURES; k++)
	{
		double		mean = sums->sum[k] / cases;
		double		deviation = fmax(sums->square[k] / cases - mean * mean, 0) + 0.01 * sums->square[k] / cases;

		if (k != ONE)
			prior.curvature[k][k] += deviation / (PRIOR_SLOPE * PRIOR_SLOPE);
		for (int l = 0; l < FEATURES; l++)
			prior.curvature[k][l] += mean * sums->sum[l] / cases / (PRIOR_CENTER * PRIOR_CENTER);
	}
	return prior;
}

static void
fit_common_stage(CalibrationTask *task, Stage stage)
{
	static const Fit start = {.x = {0, START}};
	Fit		   *fit = &task->common.stage[stage];
	double		answers;
	Regression	sums;
	Fit			from;

	*fit = start;
	sums = sum_all(task, stage);
	answers = sums.cases[true];
	task->weak[stage] = weak_prior(stage, &sums);
	from = fit_from(&start, &sums, 0);
	*fit = from;
	do
	{
		bool		moved = true;

		for (int step = 0; step < STEPS && moved; step++)
		{
			sums = sum_all(task, stage);
			add_prior(&task->weak[stage], fit, &sums);
			moved = step_fit(fit, &sums);
		}
	} while (hold_slope(stage, &from, fit));
	sums = sum_all(task, stage);
	for (int k = 0; k < FEATURES; k++)
		for (int l = 0; l < FEATURES; l++)
			task->average[stage][k][l] = sums.curvature[k][l] / fmax(answers, 1);
}

/* Fits the examples of a parity together. */
static void
fit_common(CalibrationTask *task, int parity)
{
	task->parity = parity;
	for (int stage = 0; stage < STAGES; stage++)
		fit_common_stage(task, (Stage) stage);
}

/* ---- the fits of the keys ------------------------------------------------------------------------ */

/* The prior of a key's fit: the common one, as if by so many held-out answers */
static Prior
common_prior(const CalibrationTask *task, Stage stage)
{
	Prior		prior = task->weak[stage];
	/* whether attributes are optional is a matter of each, and all questions tell */
	double		strength = stage == ANSWERED ? priors[0] : task->prior;

	for (int k = 0; k < FEATURES; k++)
	{
		prior.center[k] = task->common.stage[stage].x[k];
		for (int l = 0; l < FEATURES; l++)
			prior.curvature[k][l] += strength * task->average[stage][k][l];
	}
	return prior;
}

/* Fits a stage of a key from a start; returns the loss. */
static double
fit_stage_from(const CalibrationTask *task, Stage stage, const Prior *prior, Part part, KeyFit *key_fit, Fit start,
			   int thread)
{
	Fit		   *fit = &key_fit->stage[stage];

	*fit = start;
	do
	{
		bool		moved = true;

		for (int step = 0; step < STEPS && moved; step++)
		{
			Regression	sums = sum_part(task, stage, key_fit, part, thread);

			add_prior(prior, fit, &sums);
			moved = step_fit(fit, &sums);
		}
	} while (hold_slope(stage, &start, fit));
	return fit->lowest;
}

/*
 * Fits a stage of a key.  Near certainty the loss is flat: what the common fit takes as certain would stay so, however
 * often it is false.  So a second start is at the log odds that are expected before anything is seen.
 */
static void
fit_stage(const CalibrationTask *task, Stage stage, Part part, KeyFit *fit, int thread)
{
	Prior		prior = common_prior(task, stage);
	double		borrowed = fmin(task->prior, task->common.stage[stage].answers);
	Regression	sums;
	Fit			start;
	Fit			first;
	double		loss;

	fit->stage[stage] = task->common.stage[stage];
	sums = sum_part(task, stage, fit, part, thread);
	start = fit_from(&task->common.stage[stage], &sums, borrowed);
	loss = fit_stage_from(task, stage, &prior, part, fit, start, thread);
	if (stage == CHOICE || task->odds == NULL)
		return;
	first = fit->stage[stage];
	memset(start.x, 0, sizeof(start.x));
	start.x[ONE] = START;
	if (!(fit_stage_from(task, stage, &prior, part, fit, start, thread) < loss))
		fit->stage[stage] = first;
}

/* The sums over the cases of a part whose question has no known answer, by a fit whose log odds are raised */
typedef struct Level
{
	double		expected;		/* T */
	double		held_out;
	double		cases;
} Level;

static Level
sum_level(const CalibrationTask *task, Stage stage, Part part, const KeyFit *fit, double raise)
{
	Level		level = {0};
	Case		cases[EV_SHOWN];

	for (int64_t i = part.first; i < part.end; i++)
	{
		if (example_at(task, i)->known > 0 || (part.parity >= 0 && i % 2 != part.parity))
			continue;
		for (int j = cases_of(task, fit, i, cases) - 1; j >= 0; j--)
		{
			double		x = raise;

			if (cases[j].is_false)
				continue;
			for (int k = 0; k < FEATURES; k++)
				x += fit->stage[stage].x[k] * cases[j].feature[k];
			level.expected += cases[j].weight / (1 + exp(-x));
			level.held_out += cases[j].weight * cases[j].answer;
			level.cases += cases[j].weight;
		}
	}
	return level;
}

/*
 * Raises or lowers what a key's fit gives questions without a known answer, so that as much is true of them as counts say:
 * 1 + rho facts for each one that was held out.  Near certainty the loss hardly tells, and the prior would keep the fit
 * below.
 */
static void
set_level(const CalibrationTask *task, Stage stage, int32_t key, Part part, KeyFit *fit, int thread)
{
	Level		level = sum_level(task, stage, part, fit, 0);
	double		odds = task->odds == NULL ? 0 : fmin(task->odds[key], task->most_odds[key / 2]);
	double		due = fmin((1 + odds) * level.held_out, level.cases * (level.held_out + 1) / (level.held_out + 2));
	double		strength = stage == ANSWERED ? priors[0] : task->prior;
	double		least = -MOST_RAISED;
	double		most = MOST_RAISED;

	if (level.held_out == 0)
		return;
	while (most - least > 1e-3)
	{
		double		middle = (least + most) / 2;

		*(sum_level(task, stage, part, fit, middle).expected < due ? &least : &most) = middle;
		pool_yield(task->pool, thread);
	}
	fit->stage[stage].x[UNANSWERED] += least * level.held_out / (level.held_out + strength);
}

/*
 * The least spread with which a question of a part has shown a held-out answer, and a little less: the next one may have a
 * smaller one.  0 where there is no such question.
 */
static double
least_spread(const CalibrationTask *task, Part part)
{
	double		least = INFINITY;
	double		questions = 0;

	for (int64_t i = part.first; i < part.end && !task->alone; i++)
	{
		const ShownCandidate *shown = &task->shown[i * EV_SHOWN];
		bool		answered = false;

		for (int j = 0; j < task->shown_count[i]; j++)
			answered |= shown[j].answer;
		if (task->shown_count[i] < EV_SHOWN || !answered)
			continue;
		least = fmin(least, shown[0].score - shown[EV_SHOWN - 1].score);
		questions++;
	}
	return questions == 0 ? 0 : least * questions / (questions + 1);
}

/* Item: fits one key. */
static void
fit_key(void *argument, int64_t key, int thread)
{
	CalibrationTask *task = argument;
	const int64_t *first = task->examples->all.first;
	Part		part = {first[key], first[key + 1], task->parity};
	KeyFit	   *fit = &task->fit[key];
	Stage		stage = is_exclusive(task, (int32_t) key) ? ANSWERED : CANDIDATE;

	*fit = task->common;
	fit->least_spread = least_spread(task, part);
	for (int i = 0; i < STAGES; i++)
		fit->stage[i].answers = fmin(fit->stage[i].answers, task->prior);
	if (part.first == part.end)
		return;
	if (is_exclusive(task, (int32_t) key))
		fit_stage(task, CHOICE, part, fit, thread);
	fit_stage(task, stage, part, fit, thread);
	set_level(task, stage, (int32_t) key, part, fit, thread);
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
		for (int stage = 0; stage < STAGES; stage++)
			loss += sum_part(task, (Stage) stage, &task->fit[key],
							 (Part) {first[key], first[key + 1], 1 - task->parity}, POOL_LEADER).loss;
	return loss;
}

/* ---- the error ------------------------------------------------------------------------------ */

/* What a fit gives a candidate that is shown */
typedef struct Judgement
{
	double		probability;	/* of a missing fact, or the chance where nothing is assumed to be missing */
	double		chance;			/* to be one of the held-out facts */
} Judgement;

static Judgement
judge(const CalibrationTask *task, const Fit *fit, int32_t key, const double *feature)
{
	double		truth = truth_of(fit, feature);

	return (Judgement) {task->odds == NULL ? truth : ev_missing(truth, task->odds[key]), chance_of(task, key, truth)};
}

/* What the fit of its key gives the j-th candidate that is shown of an example */
static Judgement
judge_shown(const CalibrationTask *task, int64_t i, int j)
{
	int32_t		key = example_at(task, i)->key;
	const KeyFit *fit = &task->fit[key];
	Case		cases[EV_SHOWN];
	Judgement	judged;
	double		share;

	cases_of(task, fit, i, cases);
	if (!is_exclusive(task, key))
		return judge(task, &fit->stage[CANDIDATE], key, cases[j].feature);
	judged = judge(task, &fit->stage[ANSWERED], key, cases[0].feature);
	share = exp(fit->stage[CHOICE].x[SCORE] * task->shown[i * EV_SHOWN + j].score - cases[0].feature[0]);
	share += (1.0 / task->shown_count[i] - share) / (1 + exp(-fit->stage[CHOICE].x[ODDITY]));
	return (Judgement) {.probability = share * judged.probability,.chance = share * judged.chance};
}

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
			double		rho = task->odds == NULL ? 1 : task->odds[example_at(task, i)->key];
			Judgement	judged = judge_shown(task, i, j);

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

/* ---- questions with one answer ------------------------------------------------------------------- */

/*
 * Notes the keys whose questions have one answer, and of each relation the most that rho can be: such a question without
 * a known answer lacks one fact at most, whether that is held out or missing.
 */
static void
find_exclusive(CalibrationTask *task, const FactIndex *facts, EvLearnt *learnt)
{
	const int64_t *first = task->examples->all.first;

	for (int32_t key = 0; key < task->examples->keys; key++)
	{
		double		answers = (double) fact_count(facts, key / 2, task->pool);
		double		entities = (double) fact_holder_count(facts, asked_atom(key / 2, (Side) (key % 2)));
		double		held = 0;
		double		open = 0;

		for (int64_t i = first[key]; i < first[key + 1]; i++)
		{
			const EvExample *example = example_at(task, i);

			answers += !example->drawn;
			entities += !example->drawn && example->is_first && example->known == 0;
			if (example->known == 0)
				*(example->drawn ? &open : &held) += example->questions;
		}
		task->exclusive[key] = entities > 0 && answers <= ONE_ANSWER * entities;
		if (key % 2 == 0)
			learnt->most_odds[key / 2] = INFINITY;
		if (task->exclusive[key])
			learnt->most_odds[key / 2] = fmin(learnt->most_odds[key / 2], (open + 1) / (held + 1));
	}
}

/* ---- all of it ---------------------------------------------------------------------------------- */

/* A stage that saw no held-out answer says nothing. */
static EvCalibration
calibration_of(const CalibrationTask *task, const KeyFit *fit, bool exclusive)
{
	const Fit  *stage = &fit->stage[exclusive ? ANSWERED : CANDIDATE];
	const double *x = stage->x;

	if (stage->answers == 0)
		return ev_no_calibration();
	return (EvCalibration) {.slope = x[SCORE],.intercept = x[ONE],.unanswered = x[UNANSWERED],.answers = x[ANSWERS],
		.best = exclusive || task->alone ? 0 : x[BEST] - x[SCORE],.spread = x[SPREAD],
		.least_spread = exclusive ? 0 : fit->least_spread,
		.exclusive = exclusive,.choice = exclusive ? fit->stage[CHOICE].x[SCORE] : 0,
		.odd = exclusive ? 1 / (1 + exp(-fit->stage[CHOICE].x[ODDITY])) : 0,
		.most = stage->answers / (stage->answers + 1)};
}

/* The strength of the prior with which examples that were not fitted are most probable; leaves the fits by that. */
static double
best_prior(CalibrationTask *task)
{
	double		lowest = 0;
	double		best = 0;

	for (int i = 0; i < PRIORS; i++)
	{
		double		loss;

		fit_keys(task, priors[i]);
		loss = other_loss(task);
		if (i == 0 || loss < lowest)
		{
			KeyFit	   *fit = task->fit;

			task->fit = task->best_fit;
			task->best_fit = fit;
			lowest = loss;
			best = priors[i];
		}
	}
	memcpy(task->fit, task->best_fit, sizeof(KeyFit) * (size_t) task->examples->keys);
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
	learnt->error[task->kind] = calibration_error(task);
	fit_all(task, prior);
	learnt->common[task->kind].ranked = calibration_of(task, &task->common, false);
	for (int32_t key = 0; key < task->examples->keys; key++)
		calibration[key].ranked = calibration_of(task, &task->fit[key], is_exclusive(task, key));
	task->alone = true;
	fit_all(task, prior);
	learnt->common[task->kind].alone = calibration_of(task, &task->common, false);
	for (int32_t key = 0; key < task->examples->keys; key++)
		calibration[key].alone = calibration_of(task, &task->fit[key], is_exclusive(task, key));
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
	find_exclusive(&task, source->facts, learnt);
	learnt->missing = source->missing;
	for (int32_t key = 0; key < examples->keys && source->missing > 0; key++)
		odds[key] = ev_odds(learnt->held_out[key / 2], source->missing);
	task.most_odds = learnt->most_odds;
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
