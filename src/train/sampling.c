/*
 * sampling.c
 *		A sample of the triples that the selected rules infer (see sampling.h).
 */
#include "sampling.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "hybrid.h"
#include "server/host.h"

int64
sampling_rules(const MinedRules *rules)
{
	int64		count = 0;

	for (int64 i = 0; i < rules->count; i++)
		count += rules->rule[i].selected;
	return count;
}

Sample
sampling_infer(BodyPairs *pairs, const GraphData *data, const MinedRules *rules)
{
	int64		count = sampling_rules(rules);
	const Rule **selected = palloc(Max(count, 1) * sizeof(Rule *));
	Sample		sample = {.rule_id = palloc(Max(count, 1) * sizeof(int32))};

	for (int64 i = 0; i < rules->count; i++)
		if (rules->rule[i].selected)
		{
			sample.rule_id[sample.rules] = (int32) i + 1;
			selected[sample.rules++] = &rules->rule[i].rule;
		}
	sample.inferences = infer(pairs, data, selected, sample.rules);
	return sample;
}

void
sampling_draw(Sample *sample, const Learner *learner, const TrainSettings *settings, int iteration)
{
	MemoryContext context = CurrentMemoryContext;
	Arena		arena = hkg_arena();
	const Triple *triple = sample->inferences->triple;
	int64		count = sample->inferences->count;
	int64		size = Min(learner->positives.sample_size, count);
	double		beta = hybrid_find(settings->hybrid)->evenly ? 0 : settings->beta;
	uint64	   *key = MemoryContextAllocHuge(context, Max(count, 1) * sizeof(uint64));

	sample->score = MemoryContextAllocHuge(context, Max(count, 1) * sizeof(float));
	sample->drawn = MemoryContextAllocHuge(context, Max(size, 1) * sizeof(int64));
	sample->probability = MemoryContextAllocHuge(context, Max(size, 1) * sizeof(double));
	kge_score_triples(&arena, learner->pool, &learner->model, triple, count, sample->score);
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		key[i] = hash_bytes_extended((const unsigned char *) &triple[i], sizeof(Triple), iteration);
	}
	sample->count = kge_draw(&arena, learner->pool, (KgeItems) {sample->score, key, count}, beta, size,
							 (uint64) settings->seed, sample->drawn, sample->probability);
}

static float
worth_of(const Sample *sample, const MinedRules *rules, int64 inference, const Hybrid *hybrid, double scale)
{
	const Inferences *inferences = sample->inferences;
	double		worth = 0;

	for (int64 i = inferences->first[inference]; i < inferences->first[inference + 1]; i++)
		worth = hybrid->add(worth, &rules->rule[sample->rule_id[inferences->rule[i]] - 1]);
	return (float) (scale * worth);
}

Sampled *
sampling_weigh(const Sample *sample, const MinedRules *rules, const TrainSettings *settings)
{
	Sampled    *sampled = MemoryContextAllocHuge(CurrentMemoryContext, Max(sample->count, 1) * sizeof(Sampled));
	const Hybrid *hybrid = hybrid_find(settings->hybrid);
	double		scale = hybrid_labelling(hybrid) == NULL ? 1 : settings->rule_weight;

	for (int64 i = 0; i < sample->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		sampled[i].triple = sample->inferences->triple[sample->drawn[i]];
		sampled[i].weight = worth_of(sample, rules, sample->drawn[i], hybrid, scale);
	}
	return sampled;
}
