/*
 * confidence.c
 *		Embedding confidence and quality of mined rules, batch by batch (see selection.h).
 *
 * What the rules infer is scored in blocks, many rules at a time.  Sums are taken in fixed point, where order does not
 * matter: so the same seed gives the same bits, however bodies are joined.  A sample of a rule's predictions is those
 * with the least hashes, for the same reason.
 *
 * A rule is given up as soon as its quality would be too low even if all of its predictions that are not
 * scored yet were certain.
 */
#include "selection.h"

#include <math.h>

#include "utils/memutils.h"

#include "core/sort.h"
#include "inference.h"
#include "server/growing_array.h"
#include "server/host.h"

/* triples that are scored at a time */
#define BLOCK (1 << 19)

/* sigma in units of 2^-60: 2^67 of them fit */
#define SIGMA_UNIT 0x1p60

/* Triples of one rule, up to the next segment, in the block */
typedef struct Segment
{
	int32		number;			/* of the rule in the batch */
	int32		start;
} Segment;

/* A prediction that may become part of a rule's sample */
typedef struct DrawnTriple
{
	int32		number;
	uint64		hash;
	Triple		triple;
} DrawnTriple;

/* What was scored of a rule */
typedef struct ScoreSums
{
	uint128		sigma;
	uint128		square;			/* of sigma */
	int64		count;
} ScoreSums;

struct Rater
{
	RatingModel model;
	MinedRules *rules;

	/* a batch */
	const int32 *position;
	ScoreSums  *sums;
	bool	   *failed;			/* given up */
	double		least_quality;

	/* a block */
	MemoryContext scratch;		/* what the scorer takes for it */
	Triple	   *triple;
	float	   *score;
	int32		triples;
	Segment    *segment;
	int32		segments;
	int64		segment_room;

	DrawnTriple *draw;			/* of the rules over one body */
	int64		draws;
	int64		draw_room;
};

static MinedRule *
rule_of(const Rater *rater, int32 number)
{
	return &rater->rules->rule[rater->position[number]];
}

/* ---- scores --------------------------------------------------------------------- */

static void
score_block(Rater *rater)
{
	MemoryContext caller = MemoryContextSwitchTo(rater->scratch);
	Arena		arena = hkg_arena();

	if (rater->triples > 0)
		kge_score_triples(&arena, rater->model.pool, rater->model.kge, rater->triple,
						  rater->triples, rater->score);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(rater->scratch);
	for (int32 i = 0; i < rater->segments; i++)
	{
		int32		number = rater->segment[i].number;
		int32		start = rater->segment[i].start;
		int32		end = i + 1 < rater->segments ? rater->segment[i + 1].start : rater->triples;
		ScoreSums  *sums = &rater->sums[number];
		const MinedRule *rule = rule_of(rater, number);
		double		all = (double) MINED_PREDICTIONS(rule);
		double		omega = rater->model.omega;
		double		most;

		hkg_check_interrupts();
		/* 1. its scores */
		for (int32 j = start; j < end; j++)
		{
			double		sigma = kge_sigmoid(rater->score[j]);

			/* those of a model that has diverged count as 0 */
			if (isnan(sigma))
				continue;
			sums->sigma += (uint64) (sigma * SIGMA_UNIT);
			sums->square += (uint64) (sigma * sigma * SIGMA_UNIT);
		}
		sums->count += end - start;

		/* 2. the rule is given up when it can't reach the least quality that counts any more */
		most = ((double) sums->sigma / SIGMA_UNIT + (all - (double) sums->count)) / all;
		if (rater->least_quality >= 0 &&
			(1 - omega) * MINED_STANDARD_CONFIDENCE(rule) + omega * most < rater->least_quality - 1e-9)
			rater->failed[number] = true;
	}
	rater->triples = 0;
	rater->segments = 0;
}

static void
add_to_block(Rater *rater, int32 number, const Triple *triples, int64 count)
{
	while (count > 0)
	{
		int64		fit = Min(count, BLOCK - rater->triples);

		rater->segment = array_reserve(rater->segment, rater->segments + 1, &rater->segment_room, sizeof(Segment));
		rater->segment[rater->segments++] = (Segment) {number, rater->triples};
		memcpy(rater->triple + rater->triples, triples, fit * sizeof(Triple));
		rater->triples += fit;
		triples += fit;
		count -= fit;
		if (rater->triples == BLOCK)
			score_block(rater);
	}
}

/* ---- samples ---------------------------------------------------------------------- */

static bool
is_sampled(const Rater *rater, int32 number)
{
	int			sample = rater->model.sample;

	return sample > 0 && MINED_PREDICTIONS(rule_of(rater, number)) > sample;
}

/* The finaliser of MurmurHash3; random_mix would draw other samples. */
static inline uint64
mix(uint64 hash)
{
	hash = (hash ^ (hash >> 33)) * UINT64CONST(0xff51afd7ed558ccd);
	hash = (hash ^ (hash >> 33)) * UINT64CONST(0xc4ceb9fe1a85ec53);
	return hash ^ (hash >> 33);
}

/*
 * Keeps what may be among the `sample` least hashes: those below a bound, which leaves too few in one case of 10^15.
 * A hash is of ids: the same in any order of arrival and in any session.
 */
static void
draw_from(Rater *rater, int32 number, const Triple *triples, int64 count)
{
	const GraphData *data = rater->model.data;
	double		sample = rater->model.sample;
	double		all = (double) MINED_PREDICTIONS(rule_of(rater, number));
	double		part = Min(1, (sample + 8 * sqrt(sample) + 32) / all);
	uint64		bound = part >= 1 ? PG_UINT64_MAX : (uint64) (part * 0x1p64);

	for (int64 i = 0; i < count; i++)
	{
		Triple		triple = triples[i];
		uint64		pair = (uint64) (uint32) data->entity_id[triple.head] << 32 | (uint32) data->entity_id[triple.tail];
		uint64		hash = mix(pair ^ mix((uint32) data->relation_id[triple.relation] + UINT64CONST(1)));

		if (hash > bound)
			continue;
		if (rater->draws % BLOCK == 0)
			hkg_check_memory(3 * rater->draws * sizeof(DrawnTriple), "a sample of predictions");
		rater->draw = array_reserve(rater->draw, rater->draws + 1, &rater->draw_room, sizeof(DrawnTriple));
		rater->draw[rater->draws++] = (DrawnTriple) {number, hash, triple};
	}
}

static int
compare_draws(const void *a, const void *b)
{
	const DrawnTriple *left = a;
	const DrawnTriple *right = b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	return triple_compare(&left->triple, &right->triple);
}

/* All rules over a body are complete: the first draws of each are scored. */
static void
take_draws(void *argument)
{
	Rater	   *rater = argument;
	int64		first = 0;

	sort_array(hkg_leader(), POOL_LEADER, rater->draw, rater->draws, sizeof(DrawnTriple), compare_draws);
	for (int64 i = 0; i < rater->draws; i++)
	{
		const DrawnTriple *draw = &rater->draw[i];

		if (draw->number != rater->draw[first].number)
			first = i;
		if (i - first < rater->model.sample)
			add_to_block(rater, draw->number, &draw->triple, 1);
	}
	rater->draws = 0;
}

/* ---- a batch of rules ---------------------------------------------------------------- */

static void
take_inferred(void *argument, int32 number, const Triple *triples, int64 count)
{
	Rater	   *rater = argument;

	if (is_sampled(rater, number))
		draw_from(rater, number, triples, count);
	else
		add_to_block(rater, number, triples, count);
}

static bool
is_wanted(void *argument, int32 number)
{
	return !((Rater *) argument)->failed[number];
}

/* The standard error of a mean over `count` of `all`, drawn without replacement */
static double
standard_error(const ScoreSums *sums, double mean, double all)
{
	double		count = (double) sums->count;
	double		variance = (double) sums->square / SIGMA_UNIT / count - mean * mean;

	return sqrt(Max(variance, 0) / (count - 1) * (1 - count / all));
}

static void
set_quality(Rater *rater, int32 number)
{
	MinedRule  *rule = rule_of(rater, number);
	const ScoreSums *sums = &rater->sums[number];
	double		omega = rater->model.omega;
	double		mean = (double) sums->sigma / SIGMA_UNIT / (double) sums->count;

	rule->embedding_confidence = mean;
	rule->confidence_error = is_sampled(rater, number) ?
		standard_error(sums, mean, (double) MINED_PREDICTIONS(rule)) : 0;
	rule->quality = (1 - omega) * MINED_STANDARD_CONFIDENCE(rule) + omega * mean;
}

Rater *
rater_create(const RatingModel *model, MinedRules *rules)
{
	Rater	   *rater = palloc0(sizeof(Rater));

	rater->model = *model;
	rater->rules = rules;
	rater->scratch = AllocSetContextCreate(CurrentMemoryContext, "hybridkg scores", ALLOCSET_DEFAULT_SIZES);
	rater->triple = array_new(Triple, BLOCK);
	rater->score = array_new(float, BLOCK);
	return rater;
}

static void
rate_here(Rater *rater, const int32 *positions, int32 count, double least_quality)
{
	const Rule **rules = array_new(const Rule *, count);
	InferTarget target = {
		.take = take_inferred,.done = rater->model.sample > 0 ? take_draws : NULL,.wanted = is_wanted,.argument = rater
	};

	rater->position = positions;
	rater->least_quality = least_quality;
	rater->sums = array_new_zero(ScoreSums, count);
	rater->failed = array_new_zero(bool, count);
	for (int32 i = 0; i < count; i++)
		rules[i] = &rule_of(rater, i)->rule;
	if (count > 0)
		infer_each(rater->model.pairs, rater->model.data, rules, count, &target);
	score_block(rater);
	for (int32 i = 0; i < count; i++)
		if (!rater->failed[i])
			set_quality(rater, i);
	pfree(rater->failed);
	pfree(rater->sums);
	pfree(rules);
}

void
rater_rate(Rater *rater, const int32 *positions, int32 count, double least_quality)
{
	const RatingModel *model = &rater->model;

	if (model->elsewhere == NULL ||
		!model->elsewhere(model->argument, model, rater->rules, positions, count, least_quality))
		rate_here(rater, positions, count, least_quality);
}
