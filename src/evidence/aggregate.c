/*
 * aggregate.c
 *		The confidences of the rules that fire for a candidate, and the score of its paths, combined into one
 *		number; and that number with the embedding's score.
 */
#include "evidence.h"

#include <math.h>

#define SCALE 0.01
#define MOST_CONFIDENT 0.9999
#define NEXT_BEST 1e-3			/* what the next rule counts where only the most confident does */

double
ev_strength(double confidence)
{
	return -log1p(-fmin(confidence, MOST_CONFIDENT));
}

/* The terms first .. end - 1 of the sum s. */
static double
sum_of(const EvCandidate *candidate, double discount, int first, int end)
{
	double		sum = 0;
	double		share = 1;

	for (int i = 0; i < end; i++)
	{
		if (i >= first)
			sum += share * candidate->firing[i].strength;
		share *= fmax(discount, NEXT_BEST);
	}
	return sum;
}

double
ev_evidence(const EvCandidate *candidate, double discount)
{
	return log1p(sum_of(candidate, discount, 0, candidate->count) / SCALE);
}

double
ev_share(const EvCandidate *candidate, double discount, int i)
{
	return sum_of(candidate, discount, i, i + 1) / sum_of(candidate, discount, 0, candidate->count);
}

double
ev_combined(const EvWeights *weights, EvKind kind, int32_t key, double rules, double network)
{
	switch (kind)
	{
		case EV_RULES:
			return rules;
		case EV_NETWORK:
			return network;
		default:
			return rules + (weights->network == NULL ? 0 : weights->network[key]) * network;
	}
}

double
ev_evidence_by(const EvWeights *weights, EvKind kind, int32_t key, const EvCandidate *candidate)
{
	return ev_combined(weights, kind, key, ev_evidence(candidate, weights->discount), candidate->network);
}

KgeAdjustment
ev_weighing(const EvWeights *weights)
{
	return (KgeAdjustment) {.weight = weights->weight,.scale = weights->scale};
}

double
ev_score(const EvWeights *weights, EvKind kind, int32_t key, double phi, double evidence)
{
	KgeAdjustment weighing = ev_weighing(weights);

	if (kind == EV_EMBEDDING)
		return phi;
	return ev_uses_embedding(kind) ? kge_adjusted_score(&weighing, key / 2, (Side) (key % 2), phi, evidence) : evidence;
}

/* ---- probabilities ------------------------------------------------------------------ */

double
ev_missing(double truth, double odds)
{
	return odds * truth / (1 + odds - truth);
}

/* rho, as far as the questions with one answer allow it */
static double
bounded(const EvCalibration *calibration, double odds)
{
	return calibration->most_odds > 0 ? fmin(odds, calibration->most_odds) : odds;
}

static double
probability_of(const EvCalibration *calibration, double x)
{
	double		chance = 1 / (1 + exp(-x)) / (1 + bounded(calibration, calibration->fitted_odds));
	double		truth;

	if (isnan(x))
		return NAN;
	if (calibration->odds == 0)
		return chance;
	truth = fmin(1, chance * (1 + bounded(calibration, calibration->odds)));
	return ev_missing(truth, calibration->odds);
}

/* The x of a probability; infinite where there is none. */
static double
x_of(const EvCalibration *calibration, double probability)
{
	double		odds = calibration->odds;
	double		truth = odds > 0 ? probability * (1 + odds) / (odds + probability) : probability;
	double		p = truth * (1 + bounded(calibration, calibration->fitted_odds)) / (1 + bounded(calibration, odds));

	return p < 1 ? log(p / (1 - p)) : INFINITY;
}

/* What a question with so many known answers adds to x */
static double
known_answers(const EvCalibration *calibration, int64_t known)
{
	return known == 0 ? calibration->unanswered : calibration->answers * log1p((double) known);
}

/*
 * The part of a candidate in the P of its question.  One above the best answer, a fact that is shown beside them, takes its
 * share as if it were the best.
 */
static double
part_of(const EvCalibration *calibration, EvJudged judged, double p)
{
	const EvQuestionScores *question = &judged.question;
	double		size = exp(calibration->choice * (judged.score - question->best));
	double		share = size / (question->sum + fmax(0, size - 1));
	double		part = p * (share + calibration->odd * (1.0 / question->shown - share));

	if (question->shown == EV_SHOWN && judged.score < question->last)
		return fmin(part, (1 - p) / fmax(question->entities, 1));
	return part;
}

/*
 * The factor of a candidate whose question has the spread f * least_spread, f < 1.  Where its scores hardly differ, those
 * behind the best answers are as good as these, and share what one of them has.
 */
static double
likeness(double f, const EvJudged *judged)
{
	if (judged->score >= judged->question.last)
		return f;
	return f * fmax(2 * f - 1, EV_SHOWN / fmax(judged->question.entities, EV_SHOWN));
}

/* The logarithm of the sum over a question's best answers, which stands in place of a score. */
static double
log_of_sum(const EvCalibration *calibration, const EvQuestionScores *question)
{
	return calibration->choice * question->best + log(question->sum);
}

double
ev_probability(const EvCalibration *calibration, EvJudged judged)
{
	double		score = judged.score;
	double		spread = judged.question.shown == EV_SHOWN ? judged.question.best - judged.question.last : 0;
	double		x;
	double		p;

	/* a fact that is shown where all answers are facts */
	if (calibration->exclusive && judged.question.shown == 0)
		ev_show_score(calibration, &judged.question, score);
	if (calibration->exclusive)
		score = log_of_sum(calibration, &judged.question);
	x = calibration->slope * score + calibration->score_slope * judged.phi +
		calibration->evidence_slope * judged.evidence + calibration->intercept;
	x += calibration->best * judged.question.best + calibration->spread * spread;
	x += known_answers(calibration, judged.question.known);
	p = probability_of(calibration, x);
	if (calibration->exclusive)
		p = part_of(calibration, judged, p);
	else if (judged.question.shown == EV_SHOWN && spread < calibration->least_spread)
		p *= likeness(spread / calibration->least_spread, &judged);
	return calibration->most > 0 && p > calibration->most ? calibration->most : p;
}

double
ev_probability_by_both(double p, double q)
{
	double		yes = sqrt(p * q);
	double		no = sqrt((1 - p) * (1 - q));

	if (p == q)
		return p;
	/* one is certain, the other impossible */
	return yes + no == 0 ? 0.5 : yes / (yes + no);
}

/* The x of a probability, or a little less: more than rounding adds */
static double
x_needed(const EvCalibration *calibration, double probability)
{
	double		x = x_of(calibration, probability * (1 - 1e-12));

	return isfinite(x) ? x - 1e-9 * (1 + fabs(x)) : x;
}

/* The lowest score with slope * score >= x; infinite where x does not depend on it */
static double
score_for(double x, double slope)
{
	if (slope > 0)
		return x / slope;
	return x > 0 ? INFINITY : -INFINITY;
}

double
ev_score_needed(const EvCalibration *calibration, int64_t known, double last, double probability)
{
	/* of answers to one question x rises with the score, so that of the best one is the highest */
	double		slope = calibration->slope + calibration->best;
	double		rest;

	if (calibration->most > 0 && probability > calibration->most)
		return INFINITY;
	/* what an answer has whatever its score, of two or more */
	probability -= calibration->odd / 2;
	if (!(probability > 0))
		return -INFINITY;
	rest = x_needed(calibration, probability) - calibration->intercept - known_answers(calibration, known);
	/* the fewer rivals the best answer has, the lower the score with which it is that probable: the least is without any */
	if (calibration->exclusive)
		slope = calibration->slope * calibration->choice;
	if (!(slope >= 0) || calibration->score_slope != 0 || calibration->evidence_slope != 0)
		return -INFINITY;
	/* the spread is 0 at least, and best - last at most, or counts as 0 where fewer are shown */
	if (calibration->spread > 0)
		return fmin(score_for(rest + calibration->spread * last, slope + calibration->spread), score_for(rest, slope));
	return score_for(rest, slope);
}

double
ev_odds(double held_out, double missing)
{
	return missing / (held_out * (1 - missing));
}
