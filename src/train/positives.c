/*
 * positives.c
 *		The positives of an epoch (see positives.h).
 */
#include "positives.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "hybrid.h"

Positives
positives_sizes(const TrainSettings *settings, const TrainingFacts *facts)
{
	const Hybrid *hybrid = settings->hybrid;
	bool		infers = settings->top_rules > 0 && hybrid_infers(hybrid);
	int64		draws = !infers ? 0 : settings->accumulate ? settings->iterations : 1;
	Positives	positives = {.accumulate = settings->accumulate};
	int64		usual_size = hybrid->evenly ? facts->learnt->facts : Max(facts->learnt->facts / 10, 1);

	positives.own_worth = hybrid_labelling(hybrid) != NULL || (hybrid_infers(hybrid) && settings->label == LABEL_CONFIDENCE);
	positives.fact_worth = hybrid_labelling(hybrid) == NULL ? 1 : KGE_FACT;
	positives.sample_size = settings->sample_size > 0 ? settings->sample_size : usual_size;
	positives.max_samples = draws * positives.sample_size;
	if (kge_samples_negatives(settings->loss))
	{
		positives.rejected = facts->rejected;
		positives.rejected_count = facts->rejected_count;
	}
	positives.room = facts->all->facts + positives.max_samples + positives.rejected_count;
	return positives;
}

void
positives_open(Positives *positives)
{
	MemoryContext context = CurrentMemoryContext;

	positives->sample = palloc(sizeof(InferredPositive));
	positives->triple = MemoryContextAllocHuge(context, positives->room * sizeof(Triple));
	if (positives_have_worth(positives))
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
			add_positive(positives, sample->triple, positives->own_worth ? sample->worth : 1);
	}
	for (int64 i = 0; i < positives->rejected_count; i++)
		add_positive(positives, positives->rejected[i], KGE_FALSE);
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
