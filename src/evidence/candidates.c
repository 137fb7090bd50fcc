/*
 * candidates.c
 *		The candidates of a question, and the rules that fire for each.
 */
#include "answering.h"

EvCandidate *
answering_candidate(EvAnswering *answering, int32_t entity)
{
	if (answering->slot[entity] == 0)
	{
		if (answering->count == answering->room)
			return NULL;
		answering->candidate[answering->count].entity = entity;
		answering->candidate[answering->count].network = 0;
		answering->candidate[answering->count++].count = 0;
		answering->slot[entity] = (int32_t) answering->count;
	}
	return &answering->candidate[answering->slot[entity] - 1];
}

bool
answering_may_answer(const EvAnswering *answering, int32_t entity)
{
	const FactIndex *facts = answering->facts;
	const Question *question = &answering->question;

	return (entity != question->given || facts->reflexive[question->relation]) &&
		answer_is_allowed(facts->answers, question->relation, question->side, entity);
}

/* The place of the firing rule of a cluster; the number of firing rules when there is none. */
static int
place_of_cluster(const EvCandidate *candidate, unsigned cluster)
{
	int			place = 0;

	while (place < candidate->count && candidate->firing[place].cluster != cluster)
		place++;
	return place;
}

void
answering_fire(EvAnswering *answering, int32_t entity, const EvFiring *rule)
{
	EvCandidate *candidate;
	int			place;

	if (!answering_may_answer(answering, entity))
		return;
	candidate = answering_candidate(answering, entity);
	if (candidate == NULL)
		return;
	place = place_of_cluster(candidate, rule->cluster);
	if (place == EV_FIRINGS)
		place--;
	if (place < candidate->count && candidate->firing[place].confidence >= rule->confidence)
		return;
	if (place == candidate->count)
		candidate->count++;
	for (; place > 0 && candidate->firing[place - 1].confidence < rule->confidence; place--)
		candidate->firing[place] = candidate->firing[place - 1];
	candidate->firing[place] = *rule;
}

/* ---- a set of entities -------------------------------------------------------------- */

void
answering_begin_set(EvAnswering *answering)
{
	if (++answering->serial != 0)
		return;
	for (int32_t i = 0; i < answering->facts->entities; i++)
		answering->stamp[i] = 0;
	answering->serial = 1;
}
