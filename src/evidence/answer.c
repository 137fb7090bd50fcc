/*
 * answer.c
 *		Answering a question: the entities that rules infer, with the rules that fire for each, and those that the path
 *		network scores.
 *
 * Five kinds of rules are applied, all from the given entity g.  The question's atom is the directed
 * atom that leads from g to answers.
 *
 * - Path rules: a path leads from g to a set of entities (answer_paths.c).
 * - Patterns: given rules of any other shape (body_join.c).
 * - Rules that the features of g satisfy, r(X,"c") <= b(X,"d"): of the entities that share the feature
 *	 (b, d) with g, how many have the answer c (answer_features.c)?
 * - Rules that name g in the head, r("g",Y) <= b(Y,"d"): of the entities with the feature (b, d), how many are
 *	 answers of g among the facts?
 * - Rules with an empty body, r(X,"c") <=: of the entities that have answers, how many have the answer c?
 *
 * Memory is taken once, by ev_answering, and is proportional to the entities and facts.  It begins as zeros, and a
 * question leaves most of it untouched: what it writes is listed, and cleared when the next one starts.  Every loop
 * yields, so a call may end anywhere for good; the next one clears what it left.
 */
#include "answering.h"

#include <math.h>
#include <string.h>

#include "core/allocation.h"

/* that are counted, of all answers together */
#define MOST_FEATURES ((size_t) ANSWERING_SAMPLE * ANSWERING_SAMPLE)

static EvAnswering *
take_answering(const FactIndex *facts, EvAnswering *answering, Allocation *allocation)
{
	size_t		entities = (size_t) facts->entities;
	size_t		room = entities < ANSWERING_REACH ? entities : ANSWERING_REACH;
	size_t		groups = (size_t) fact_most_groups(facts);
	size_t		features = groups < MOST_FEATURES ? groups : MOST_FEATURES;

	answering->room = (int64_t) room;
	answering->counter = feature_counter_take(allocation, facts);
	answering->join = ev_join_take(allocation, facts);
	answering->best = TAKE(allocation, AnsweringBest, entities);
	answering->touched = TAKE(allocation, int32_t, entities);
	answering->shared = TAKE(allocation, uint16_t, groups);
	answering->feature = TAKE(allocation, int32_t, features);
	/* each was counted LEAST_SUPPORT times */
	answering->ruling = TAKE(allocation, AnsweringFeature,
							 features < MOST_FEATURES / LEAST_SUPPORT ? features : MOST_FEATURES / LEAST_SUPPORT);
	for (int i = 0; i <= RULE_MAX_BODY; i++)
		answering->reached[i] = TAKE(allocation, int32_t, room + 1);
	answering->stamp = TAKE(allocation, uint32_t, entities);
	answering->slot = TAKE(allocation, int32_t, entities);
	answering->candidate = TAKE(allocation, EvCandidate, room);
	return TAKE(allocation, EvAnswering, 1);
}

size_t
ev_answering_bytes(const EvBasis *basis)
{
	EvAnswering answering;
	Allocation	allocation = {0};

	take_answering(basis->facts, &answering, &allocation);
	return allocation_bytes(&allocation) +
		(basis->network == NULL ? 0 : path_reader_bytes(basis->facts, basis->network->shape, basis->network->members));
}

EvAnswering *
ev_answering(Arena *arena, const EvBasis *basis)
{
	EvAnswering answering = {.facts = basis->facts,.rules = basis->rules};
	EvAnswering *taken;
	Allocation	allocation = {0};

	take_answering(basis->facts, &answering, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	if (!arena->zeroed)
		memset(allocation.base, 0, allocation.planned);
	taken = take_answering(basis->facts, &answering, &allocation);
	if (basis->network != NULL)
	{
		answering.reader = path_reader(arena, basis->facts, basis->network);
		if (answering.reader == NULL)
			return NULL;
	}
	*taken = answering;
	return taken;
}

double
ev_answering_most_network(const EvAnswering *answering)
{
	return answering->reader == NULL ? 0 : path_most_score(answering->reader);
}

/* ---- learnt paths ----------------------------------------------------------------- */

/* Before any rule fires: so there is room for all of them. */
static void
ask_network(EvAnswering *answering)
{
	const PathAnswer *answer;
	int64_t		count = path_answers(answering->reader, answering->question, answering->pool, answering->thread,
									 &answer);

	for (int64_t i = 0; i < count; i++)
	{
		EvCandidate *candidate;

		/* a network that learnt nothing of use may score anything */
		if (!(answer[i].score > 0 && isfinite(answer[i].score)) || !answering_may_answer(answering, answer[i].entity))
			continue;
		candidate = answering_candidate(answering, answer[i].entity);
		if (candidate != NULL)
			candidate->network = answer[i].score;
	}
	answering_yield(answering, count);
}

/* ---- a question ------------------------------------------------------------------- */

/* Clears what the last question wrote; it may have been left in the middle. */
static void
clear_question(EvAnswering *answering)
{
	for (int64_t i = 0; i < answering->count; i++)
		answering->slot[answering->candidate[i].entity] = 0;
	for (int64_t i = 0; i < answering->feature_count; i++)
		answering->shared[answering->feature[i]] = 0;
	for (int64_t i = 0; i < answering->touched_count; i++)
		answering->best[answering->touched[i]].confidence = 0;
	answering->count = 0;
	answering->touched_count = 0;
	answering->feature_count = 0;
	answering->answered = false;
}

static void
apply_rules(EvAnswering *answering)
{
	answering_apply_path_rules(answering);
	answering_apply_patterns(answering);
	feature_counter_ask(answering->counter, answering->question.given, answering->atom, answering->pool, answering->thread);
	answering_apply_features(answering);
	answering_apply_answer_features(answering);
	answering_apply_common(answering);
}

int64_t
ev_answer(EvAnswering *answering, EvKind kind, Question question, Pool *pool, int thread,
		  const EvCandidate **candidates)
{
	*candidates = answering->candidate;
	if (answering->answered && kind == answering->kind && question.side == answering->question.side &&
		question.given == answering->question.given && question.relation == answering->question.relation)
		return answering->count;
	clear_question(answering);
	answering->kind = kind;
	answering->question = question;
	answering->atom = asked_atom(question.relation, question.side);
	answering->known = fact_group_number(answering->facts, question.given, answering->atom);
	answering->pool = pool;
	answering->thread = thread;
	if (kind != EV_RULES && answering->reader != NULL)
		ask_network(answering);
	if (kind != EV_NETWORK && answering->rules != NULL)
		apply_rules(answering);
	answering->answered = true;
	return answering->count;
}

const EvCandidate *
ev_candidate(const EvAnswering *answering, int32_t entity)
{
	return answering->slot[entity] == 0 ? NULL : &answering->candidate[answering->slot[entity] - 1];
}
