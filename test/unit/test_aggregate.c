/*
 * test_aggregate.c
 *		The confidences of firing rules as one number, against the formula; and as an adjustment of scores.
 */
#include <math.h>

#include "check.h"
#include "evidence/evidence.h"

static EvCandidate
candidate_with(int count, const float *confidence)
{
	EvCandidate candidate = {.entity = 0,.count = count};

	for (int i = 0; i < count; i++)
		candidate.firing[i] = (EvFiring) {.confidence = confidence[i],.strength = ev_strength(confidence[i]),.cluster = (unsigned) i};
	return candidate;
}

static bool
near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

/* Evidence goes from noisy-or to the most confident rule alone, with the next ones deciding between equals. */
static void
check_numbers(void)
{
	static const float confidence[] = {0.8f, 0.5f, 0.25f};
	EvCandidate all = candidate_with(3, confidence);
	EvCandidate best = candidate_with(1, confidence);
	double		noisy_or = 1 - 0.2 * 0.5 * 0.75;

	CHECK(near(ev_evidence(&all, 1), log(1 - 100 * log(1 - noisy_or))));
	CHECK(near(ev_evidence(&all, 0.5), log(1 - 100 * (log(0.2) + log(0.5) / 2 + log(0.75) / 4))));
	CHECK(near(ev_evidence(&best, 0), log(1 - 100 * log(0.2))));
	CHECK(ev_evidence(&all, 0) > ev_evidence(&best, 0));
	CHECK(ev_evidence(&all, 0) < ev_evidence(&best, 0) + 0.001);
	CHECK(near(ev_share(&all, 0.5, 1), log(0.5) / 2 / (log(0.2) + log(0.5) / 2 + log(0.75) / 4)));
	CHECK(near(ev_share(&all, 0.5, 0) + ev_share(&all, 0.5, 1) + ev_share(&all, 0.5, 2), 1));
	CHECK(ev_share(&best, 0, 0) == 1);
}

/* The evidence of a certain rule is finite. */
static void
check_certain(void)
{
	EvCandidate candidate = candidate_with(2, (float[]) {1, 1});

	CHECK(isfinite(ev_evidence(&candidate, 1)));
	CHECK(near(ev_share(&candidate, 1, 0), 0.5));
}

typedef struct AdjusterCall
{
	KgeAdjustment adjustment;
	Pool	   *pool;
	const KgeAddition *additions;
	int64_t		count;
} AdjusterCall;

/* Paths are added to the evidence of rules, or are the evidence. */
static void
check_evidence_by(void)
{
	double		paths[2] = {0, 1.5};
	EvWeights	weights = {.discount = 1,.network = paths};
	EvCandidate candidate = {.count = 1,.firing = {{.confidence = 0.5,.strength = ev_strength(0.5)}},.network = 4};
	double		rules = log(1 - 100 * log(0.5));

	CHECK(near(ev_evidence_by(&weights, EV_BOTH, 1, &candidate), rules + 6));
	CHECK(near(ev_evidence_by(&weights, EV_BOTH, 0, &candidate), rules));
	CHECK(near(ev_evidence_by(&weights, EV_RULES, 1, &candidate), rules));
	CHECK(ev_evidence_by(&weights, EV_NETWORK, 0, &candidate) == 4);
	candidate.count = 0;
	CHECK(ev_evidence_by(&weights, EV_BOTH, 1, &candidate) == 6);
	weights.network = NULL;
	CHECK(ev_evidence_by(&weights, EV_BOTH, 1, &candidate) == 0);
}

/* The only item. */
static void
call_adjuster(void *argument, int64_t item, int thread)
{
	AdjusterCall *call = argument;
	Question	question = question_of(SIDE_TAIL, 0, 0);

	call->count = call->adjustment.list(call->adjustment.argument, &question, call->pool, thread, &call->additions);
}

/* Facts 1(0,1), 1(0,2) and 2(0,2); relation 0 follows from relation 1 with confidence 0.5, from 2 with 0.8. */
static void
check_adjustment(void)
{
	static const Triple fact[] = {{0, 1, 1}, {0, 1, 2}, {0, 2, 2}};
	static const EvRule rule[] = {
		{.rule = {0, 1, {{1, TERM_X, TERM_Y}}},.confidence = 0.5f},
		{.rule = {0, 1, {{2, TERM_X, TERM_Y}}},.confidence = 0.8f}
	};
	double		weight[6] = {3, 2, 0, 0, 0, 0};
	double		scale[6] = {1, 1, 1, 1, 1, 1};
	double		added[4] = {0};
	FactIndex	facts;
	EvRules		rules;
	EvAdjuster	adjuster;
	KgeAdjustment adjustment;
	AdjusterCall call;

	CHECK(fact_index(&arena, pool, 4, 3, fact, 3, &facts));
	CHECK(ev_rules(&arena, leader, 3, &(EvRuleSet) {.rule = rule,.count = 2}, &rules));
	CHECK(ev_adjuster(&arena, &(EvBasis) {&facts, &rules, NULL}, (EvWeights) {1, weight, scale, NULL}, EV_RULES, 1, &adjuster));
	adjustment = ev_adjustment(&adjuster);
	call = (AdjusterCall) {adjustment, pool_create(1, NULL, NULL), NULL, 0};
	pool_run(call.pool, 1, call_adjuster, &call);
	pool_destroy(call.pool);
	CHECK(call.count == 2);
	for (int64_t i = 0; i < call.count; i++)
		added[call.additions[i].entity] = call.additions[i].addition;
	CHECK(near(added[1], log(1 - 100 * log(0.5))));
	CHECK(near(added[2], log(1 - 100 * (log(0.5) + log(0.2)))));
	CHECK(kge_adjustment_weight(&adjustment, 0, SIDE_HEAD) == 3 && kge_adjustment_weight(&adjustment, 0, SIDE_TAIL) == 2);
	CHECK(!ev_adjuster(&empty_arena, &(EvBasis) {&facts, &rules, NULL}, (EvWeights) {0}, EV_RULES, 1, &adjuster));
}

/* Expectations need memory. */
static void
check_expect_lack(void)
{
	static const bool is_new[4] = {false};

	for (int i = 0; i < variant_count; i++)
	{
		KgeModel	model = random_model(variants[i], 8, 4, 3, 1);
		EvAdjuster	adjuster = {.threads = 2};

		CHECK(ev_adjuster_expect(&arena, &adjuster, &model, is_new));
		CHECK(!ev_adjuster_expect(&empty_arena, &adjuster, &model, is_new));
	}
}

/* No question has an answer that is more probable than its best score allows; scores of ten answers are drawn. */
static void
check_needed(void)
{
	static const double odds[] = {0, 0.05, 15}, fitted[] = {0, 0.003, 2}, spread[] = {-0.4, 0, 0.3};
	int			bounded = 0;

	for (int i = 0; i < 2700; i++)
	{
		EvCalibration calibration = {.slope = 1.1,.intercept = -6,.unanswered = 2,.answers = 0.7,.best = i % 2 == 0 ? -0.4 : 0.2,
			.spread = spread[i % 3],.least_spread = i % 5,.odds = odds[i / 3 % 3],.fitted_odds = fitted[i / 9 % 3]};
		EvQuestionScores question = {.known = i % 4,.shown = EV_SHOWN,.entities = 1000,.best = next_below(3000) / 100.0 - 5};
		double		probability;
		double		needed;

		question.last = question.best - next_below(1000) / 100.0;
		probability = ev_probability(&calibration, (EvJudged) {.score = question.best,.question = question});
		needed = ev_score_needed(&calibration, question.known, question.last - next_below(200) / 100.0, probability);
		CHECK_SAYING(needed <= question.best, "calibration %d: %.17g needs %.17g, not %.17g", i, probability, needed, question.best);
		/* what is known exactly bounds closely, but where probabilities no longer rise */
		if (calibration.spread > 0 && question.best - question.last >= calibration.least_spread && question.best < 5 && probability < 0.99)
		{
			needed = ev_score_needed(&calibration, question.known, question.last, probability);
			bounded += fabs(needed - question.best) < 1e-6;
			CHECK(fabs(needed - question.best) < 1e-6);
		}
	}
	CHECK(bounded > 100);
	CHECK(ev_score_needed(&(EvCalibration) {.slope = 1,.best = -2}, 0, 0, 0.5) == -INFINITY);
	CHECK(ev_score_needed(&(EvCalibration) {.slope = 1,.spread = 1}, 0, -INFINITY, 0.5) == -INFINITY);
}

/* Against the log odds themselves; a certain answer wins over none but an impossible one. */
static void
check_by_both(void)
{
	for (int i = 1; i < 20; i++)
		for (int j = 1; j < 20; j++)
		{
			double		p = i / 20.0;
			double		q = j * j / 400.0;
			double		mean = (log(p / (1 - p)) + log(q / (1 - q))) / 2;

			CHECK(near(ev_probability_by_both(p, q), 1 / (1 + exp(-mean))));
			CHECK(ev_probability_by_both(q, p) == ev_probability_by_both(p, q));
		}
	CHECK(ev_probability_by_both(1, 0.25) == 1 && ev_probability_by_both(0, 0.75) == 0);
	CHECK(ev_probability_by_both(1, 1) == 1 && ev_probability_by_both(0, 0) == 0);
	CHECK(ev_probability_by_both(1, 0) == 0.5 && ev_probability_by_both(0, 1) == 0.5);
}

void
test_aggregate(void)
{
	check_by_both();
	check_needed();
	check_numbers();
	check_certain();
	check_evidence_by();
	check_adjustment();
	check_expect_lack();
}
