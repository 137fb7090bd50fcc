/*
 * voice.c
 *		Evidence as a number, and as a second opinion.
 */
#include "evidence.h"

#include <math.h>

#include "../kge/space.h"

#define SCALE 0.01
#define MOST_CONFIDENT 0.9999
#define NEXT_BEST 1e-3			/* what the next best rule counts where only the best does */

/* The sum s of rules first .. end - 1. */
static double
sum_of(const EvCandidate *candidate, double discount, int first, int end)
{
	double		sum = 0;
	double		share = 1;

	for (int i = 0; i < end; i++)
	{
		if (i >= first)
			sum -= share * log1p(-fmin(candidate->heard[i].confidence, MOST_CONFIDENT));
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

/* ---- a second opinion --------------------------------------------------------- */

static void
take_voice(EvVoice *voice, KgeSpace *space)
{
	voice->asker = KGE_TAKE(space, EvAsker *, (size_t) voice->threads);
	voice->addition = KGE_TAKE(space, KgeAddition *, (size_t) voice->threads);
	for (int i = 0; i < voice->threads; i++)
	{
		KgeAddition *addition = KGE_TAKE(space, KgeAddition, (size_t) voice->facts->entities);

		if (voice->addition != NULL)
			voice->addition[i] = addition;
	}
}

size_t
ev_voice_bytes(const EvFacts *facts, int threads)
{
	EvVoice		voice = {.facts = facts,.threads = threads};
	KgeSpace	space = {0};

	take_voice(&voice, &space);
	return kge_space_bytes(&space) + (size_t) threads * ev_asker_bytes(facts);
}

bool
ev_voice(KgeArena *arena, const EvFacts *facts, const EvRules *rules, EvWeights weights,
		 int threads, EvVoice *voice)
{
	KgeSpace	space = {0};

	*voice = (EvVoice) {.facts = facts,.rules = rules,.weights = weights,.threads = threads};
	take_voice(voice, &space);
	if (!kge_space_open(&space, arena))
		return false;
	take_voice(voice, &space);
	for (int i = 0; i < threads; i++)
	{
		voice->asker[i] = ev_asker(arena, facts, rules);
		if (voice->asker[i] == NULL)
			return false;
	}
	return true;
}

static int64_t
say(void *argument, KgeSide side, int32_t given, int32_t relation,
	KgePool *pool, int thread, const KgeAddition **additions)
{
	EvVoice    *voice = argument;
	const EvCandidate *candidates;
	int64_t		count = ev_ask(voice->asker[thread], side, given, relation, pool, thread, &candidates);

	for (int64_t i = 0; i < count; i++)
		voice->addition[thread][i] = (KgeAddition) {candidates[i].entity,
			ev_evidence(&candidates[i], voice->weights.discount)};
	*additions = voice->addition[thread];
	return count;
}

KgeOpinion
ev_opinion(EvVoice *voice)
{
	return (KgeOpinion) {say, voice, voice->weights.weight, voice->weights.scale};
}
