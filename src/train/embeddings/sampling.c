/*
 * sampling.c
 *		A sample of the triples that the selected rules infer (see sampling.h).
 */
#include "sampling.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "rules/selection.h"
#include "server/host.h"

/* Leaves those that are not rejected and, unless they are NULL, have one of the entities. */
static void
keep_some(Inferences *inferences, const bool *entities, const TrainingFacts *facts)
{
	int64		kept = 0;
	int64		rules = 0;

	for (int64 i = 0; i < inferences->count; i++)
	{
		Triple		triple = inferences->triple[i];
		int64		end = inferences->first[i + 1];

		CHECK_FOR_INTERRUPTS();
		if ((entities != NULL && !entities[triple.head] && !entities[triple.tail]) ||
			bsearch(&triple, facts->rejected, facts->rejected_count, sizeof(Triple), triple_compare) != NULL)
			continue;
		for (int64 j = inferences->first[i], to = rules; j < end; j++, to++)
			inferences->rule[to] = inferences->rule[j];
		end -= inferences->first[i];
		inferences->triple[kept] = triple;
		inferences->first[kept++] = rules;
		rules += end;
	}
	inferences->first[kept] = rules;
	inferences->count = kept;
}

Sample
sampling_infer(BodyPairs *pairs, const HybridRules *rules, const Hybrid *hybrid, const TrainingFacts *facts)
{
	const MinedRules *mined = rules->mined;
	int64		count = selection_count(mined);
	const Rule **selected = palloc(Max(count, 1) * sizeof(Rule *));
	double	   *worth = MemoryContextAllocHuge(CurrentMemoryContext, Max(mined->count, 1) * sizeof(double));
	Sample		sample = {.rule_id = palloc(Max(count, 1) * sizeof(int32)),.worth = palloc(Max(count, 1) * sizeof(double))};
	Inferences *inferences;

	hybrid->find_worth(rules, worth);
	for (int64 i = 0; i < mined->count; i++)
		if (mined->rule[i].selected && worth[i] != NO_PART)
		{
			sample.rule_id[sample.rules] = (int32) i + 1;
			sample.worth[sample.rules] = worth[i];
			selected[sample.rules++] = &mined->rule[i].rule;
		}
	inferences = infer(pairs, rules->data, selected, sample.rules, false);
	if (hybrid->learn != NULL)
		sample.facts = infer(pairs, rules->data, selected, sample.rules, true);
	if (hybrid->entities != NULL || facts->rejected_count > 0)
		keep_some(inferences, hybrid->entities == NULL ? NULL : hybrid->entities(rules->data), facts);
	sample.inferences = inferences;
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
	double		beta = settings->hybrid->evenly ? 0 : settings->beta;
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
worth_of(const Sample *sample, int64 inference, const Hybrid *hybrid)
{
	const Inferences *inferences = sample->inferences;
	int64		first = inferences->first[inference];

	return (float) hybrid->combine(sample->worth, inferences->rule + first, inferences->first[inference + 1] - first);
}

void
sampling_learn(Sample *sample, const Hybrid *hybrid)
{
	if (hybrid->learn != NULL)
		hybrid->learn(&(InferredTriples) {sample->facts, sample->inferences, sample->score}, sample->rules, sample->worth);
}

InferredPositive *
sampling_positives(const Sample *sample, const Hybrid *hybrid)
{
	InferredPositive *sampled = array_new(InferredPositive, sample->count);

	for (int64 i = 0; i < sample->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		sampled[i].triple = sample->inferences->triple[sample->drawn[i]];
		sampled[i].worth = worth_of(sample, sample->drawn[i], hybrid);
	}
	return sampled;
}
