/*
 * positives.c
 *		The positives of an epoch (see positives.h).
 */
#include "positives.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "hybrid.h"

bool
positives_have_worth(const TrainSettings *settings)
{
	return hybrid_labelling(settings->hybrid) != NULL ||
		(hybrid_infers(settings->hybrid) && settings->label == LABEL_CONFIDENCE);
}

Positives
positives_sizes(const TrainSettings *settings, const TrainingFacts *facts)
{
	const Hybrid *hybrid = settings->hybrid;
	bool		infers = settings->top_rules > 0 && hybrid_infers(hybrid);
	int64		draws = !infers ? 0 : settings->accumulate ? settings->iterations : 1;
	Positives	positives = {.accumulate = settings->accumulate};
	int64		usual_size = hybrid->evenly ? facts->learnt->facts : Max(facts->learnt->facts / 10, 1);

	positives.fact_worth = hybrid_labelling(hybrid) == NULL ? 1 : KGE_FACT;
	positives.sample_size = settings->sample_size > 0 ? settings->sample_size : usual_size;
	positives.max_samples = draws * positives.sample_size;
	positives.room = facts->all->facts + positives.max_samples;
	return positives;
}

void
positives_open(Positives *positives, const TrainSettings *settings)
{
	MemoryContext context = CurrentMemoryContext;

	positives->sample = palloc(sizeof(InferredPositive));
	positives->triple = MemoryContextAllocHuge(context, positives->room * sizeof(Triple));
	if (positives_have_worth(settings))
		positives->worth = MemoryContextAllocHuge(context, positives->room * sizeof(float));
}

static void
add_positive(Positives *positives, Triple triple, float worth)
{
	CHECK_FOR_INTERRUPTS();
	positives->triple[positives->count] = triple;
	if (positives->worth != NULL)
		positives->worth[positives->count] = worth;
	positives->count++;
}

/* A sample may be a fact that was held out when it was drawn. */
void
positives_set(Positives *positives, const GraphData *data)
{
	int64		fact = 0;

	positives->count = 0;
	for (int64 i = 0; i < data->facts; i++)
		add_positive(positives, data->fact[i], positives->fact_worth);
	for (int64 i = 0; i < positives->samples; i++)
	{
		const InferredPositive *sample = &positives->sample[i];

		while (fact < data->facts && triple_compare(&data->fact[fact], &sample->triple) < 0)
			fact++;
		if (fact == data->facts || triple_compare(&data->fact[fact], &sample->triple) != 0)
			add_positive(positives, sample->triple, sample->worth);
	}
}

void
positives_add(Positives *positives, const InferredPositive *sampled, int64 count)
{
	const InferredPositive *old = positives->sample;
	int64		old_count = positives->accumulate ? positives->samples : 0;
	const InferredPositive *old_end = old + old_count;
	InferredPositive *merged = MemoryContextAllocHuge(GetMemoryChunkContext(positives->sample),
													  Max(old_count + count, 1) * sizeof(InferredPositive));
	int64		merged_count = 0;

	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		while (old < old_end && triple_compare(&old->triple, &sampled[i].triple) < 0)
			merged[merged_count++] = *old++;
		if (old < old_end && triple_compare(&old->triple, &sampled[i].triple) == 0)
			old++;
		merged[merged_count++] = sampled[i];
	}
	while (old < old_end)
		merged[merged_count++] = *old++;
	pfree(positives->sample);
	positives->sample = merged;
	positives->samples = merged_count;
}
