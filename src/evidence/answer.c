/*
 * answer.c
 *		Who is inferred: the candidates of a question, and the rules heard for each.
 *
 * Four kinds of rules speak, all from the entity that is given, g; the question's atom is the
 * one that leads from g to answers.
 *
 * - Path rules: the set of entities that a path reaches from g.
 * - Patterns, which are given rules of any other shape (pattern_match.c).
 * - Rules that g's own features satisfy, r(X,"c") <= b(X,"d"): of those who share the feature
 *	 (b, d) with g, how many have the answer c?
 * - Rules that name g in the head, r("g",Y) <= b(Y,"d"): of those who have the feature (b, d), how many are
 *	 known answers of g?
 *
 * The last two are far too many to be kept (millions for a graph of some 100,000 facts), but few
 * bear on one question, and their counts are as near as the entities next to g.  A question's work is
 * bounded: of more than SAMPLE edges, holders or answers, an even sample is looked at, and a path
 * that reaches more than REACH entities at once says nothing.
 */
#include "evidence.h"

#include <math.h>

#include "core/allocation.h"
#include "core/pool.h"
#include "pattern_match.h"

#define REACH (1 << 18)
#define SAMPLE 1000
#define LEAST_SUPPORT 2
#define LEAST_CONFIDENCE 0.01

struct EvAnswering
{
	const EvFacts *facts;
	const EvRules *rules;
	Pool    *pool;
	int			thread;

	/* the question */
	Side		side;
	int32_t		given;
	int32_t		relation;
	int32_t		atom;			/* from given to answers */

	/* by entity: the first edge of its group of `answers_of`; -1: none */
	int32_t		answers_of;
	int64_t    *answers;

	/* how often an answer was met, and which were */
	int32_t    *met;			/* by entity */
	int32_t    *answer;
	int64_t		answer_count;

	/* how many answers have a feature, by the first edge of its group; and which features */
	int32_t    *shared;
	int64_t    *feature;
	int64_t		feature_count;

	/* sets of entities along a path */
	int32_t    *reached[EV_MAX_BODY + 1];
	int64_t		reached_count[EV_MAX_BODY + 1];
	uint32_t   *stamp;			/* by entity: serial of the last set that it is in */
	uint32_t	serial;

	int32_t    *slot;			/* by entity: its candidate, or -1 */
	EvCandidate *candidate;
	int64_t		count;
	int64_t		room;
	bool		answered;		/* these are all that are inferred */
};

static EvAnswering *
take_asker(const EvFacts *facts, EvAnswering *answering, Allocation *allocation)
{
	size_t		entities = (size_t) facts->entities;
	size_t		some = entities < REACH ? entities : REACH;

	answering->room = (int64_t) some;
	answering->answers = TAKE(allocation, int64_t, entities);
	answering->met = TAKE(allocation, int32_t, entities);
	answering->answer = TAKE(allocation, int32_t, entities);
	answering->shared = TAKE(allocation, int32_t, (size_t) facts->edges);
	answering->feature = TAKE(allocation, int64_t, (size_t) facts->edges);
	for (int i = 0; i <= EV_MAX_BODY; i++)
		answering->reached[i] = TAKE(allocation, int32_t, some + 1);
	answering->stamp = TAKE(allocation, uint32_t, entities);
	answering->slot = TAKE(allocation, int32_t, entities);
	answering->candidate = TAKE(allocation, EvCandidate, some);
	return TAKE(allocation, EvAnswering, 1);
}

size_t
ev_answering_bytes(const EvFacts *facts)
{
	EvAnswering		answering;
	Allocation	allocation = {0};

	take_asker(facts, &answering, &allocation);
	return allocation_bytes(&allocation);
}

EvAnswering *
ev_answering(Arena *arena, const EvFacts *facts, const EvRules *rules)
{
	EvAnswering		answering = {.facts = facts,.rules = rules,.answers_of = -1};
	EvAnswering    *taken;
	Allocation	allocation = {0};

	take_asker(facts, &answering, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	taken = take_asker(facts, &answering, &allocation);
	for (int32_t i = 0; i < facts->entities; i++)
	{
		answering.answers[i] = -1;
		answering.slot[i] = -1;
		answering.met[i] = 0;
		answering.stamp[i] = 0;
	}
	for (int64_t i = 0; i < facts->edges; i++)
		answering.shared[i] = 0;
	*taken = answering;
	return taken;
}

/* ---- what is heard ---------------------------------------------------------- */

static EvCandidate *
candidate_of(EvAnswering *answering, int32_t entity)
{
	if (answering->slot[entity] < 0)
	{
		if (answering->count == answering->room)
			return NULL;
		answering->slot[entity] = (int32_t) answering->count;
		answering->candidate[answering->count].entity = entity;
		answering->candidate[answering->count++].count = 0;
	}
	return &answering->candidate[answering->slot[entity]];
}

/* Where a cluster is heard already, its place; else the number of those heard. */
static int
place_of_cluster(const EvCandidate *candidate, int32_t cluster)
{
	int			place = 0;

	while (place < candidate->count && candidate->firing[place].cluster != cluster)
		place++;
	return place;
}

/* A rule infers the entity. */
static void
fire(EvAnswering *answering, int32_t entity, EvFiring rule)
{
	EvCandidate *candidate;
	int			place;

	if (entity == answering->given && !answering->facts->reflexive[answering->relation])
		return;
	candidate = candidate_of(answering, entity);
	if (candidate == NULL)
		return;
	place = place_of_cluster(candidate, rule.cluster);
	if (place == EV_FIRINGS)
		place--;
	if (place < candidate->count && candidate->firing[place].confidence >= rule.confidence)
		return;
	if (place == candidate->count)
		candidate->count++;
	for (; place > 0 && candidate->firing[place - 1].confidence < rule.confidence; place--)
		candidate->firing[place] = candidate->firing[place - 1];
	candidate->firing[place] = rule;
}

static void
yield(const EvAnswering *answering)
{
	pool_yield(answering->pool, answering->thread);
}

/* ---- paths ------------------------------------------------------------------- */

/* The set of entities that an atom leads to from the set before it. */
static void
step(EvAnswering *answering, int depth, int32_t atom)
{
	const EvFacts *facts = answering->facts;
	int32_t    *to = answering->reached[depth + 1];
	int64_t		count = 0;

	if (++answering->serial == 0)
	{
		for (int32_t i = 0; i < facts->entities; i++)
			answering->stamp[i] = 0;
		answering->serial = 1;
	}
	for (int64_t i = 0; i < answering->reached_count[depth] && count < answering->room; i++)
	{
		EvGroup		group = ev_group(facts, answering->reached[depth][i], atom);

		for (int64_t j = group.first; j < group.end && count < answering->room; j++)
		{
			int32_t		other = facts->edge[j].other;

			to[count] = other;
			count += answering->stamp[other] != answering->serial;
			answering->stamp[other] = answering->serial;
		}
		if (i % 256 == 255)
			yield(answering);
	}
	/* a graph of fewer entities cannot reach too many */
	answering->reached_count[depth + 1] = count >= REACH ? 0 : count;
}

static void
follow_path(EvAnswering *answering, const EvRule *rule)
{
	EvFiring		firing = {rule->confidence, 2 * answering->facts->relations + rule->atom[rule->length - 1],
	EV_PATH, rule - answering->rules->rule};

	for (int64_t i = 0; i < answering->reached_count[rule->length]; i++)
		fire(answering, answering->reached[rule->length][i], firing);
}

static void
walk_paths(EvAnswering *answering)
{
	const EvRules *rules = answering->rules;
	const EvRule *before = NULL;

	answering->reached[0][0] = answering->given;
	answering->reached_count[0] = 1;
	for (int64_t i = rules->first[answering->relation]; i < rules->first[answering->relation + 1]; i++)
	{
		const EvRule *rule = &rules->rule[answering->side == SIDE_TAIL ? i : rules->backwards[i]];
		int			common = 0;

		while (before != NULL && common < before->length && common < rule->length &&
			   ev_atom(before, answering->side, common) == ev_atom(rule, answering->side, common))
			common++;
		for (int depth = common; depth < rule->length; depth++)
			step(answering, depth, ev_atom(rule, answering->side, depth));
		follow_path(answering, rule);
		before = rule;
		yield(answering);
	}
}

/* ---- patterns ------------------------------------------------------------------ */

typedef struct Matched
{
	EvAnswering    *answering;
	EvFiring		firing;
} Matched;

static void
hear_match(void *argument, int32_t answer)
{
	Matched    *matched = argument;

	fire(matched->answering, answer, matched->firing);
}

/* Each is a cluster of its own. */
static void
match_patterns(EvAnswering *answering)
{
	const EvRules *rules = answering->rules;

	for (int64_t i = rules->first_pattern[answering->relation]; i < rules->first_pattern[answering->relation + 1]; i++)
	{
		const EvPattern *pattern = &rules->pattern[i];
		Matched		matched = {answering, {pattern->confidence, 4 * answering->facts->relations + (int32_t) i, EV_PATTERN, i}};

		ev_match(answering->facts, pattern, answering->side, answering->given, hear_match, &matched);
		yield(answering);
	}
}

/* ---- constants ------------------------------------------------------------------ */

/* Looking at one in `every` of the group's edges is to look at SAMPLE at most. */
static int64_t
stride_of(EvGroup group)
{
	return (group.end - group.first + SAMPLE - 1) / SAMPLE;
}

/* Notes, for each entity, where its answers begin. */
static void
view_answers(EvAnswering *answering)
{
	const EvFacts *facts = answering->facts;

	if (answering->answers_of == answering->atom)
		return;
	if (answering->answers_of >= 0)
		for (int64_t i = facts->holders[answering->answers_of]; i < facts->holders[answering->answers_of + 1]; i++)
			answering->answers[facts->holder[i].entity] = -1;
	for (int64_t i = facts->holders[answering->atom]; i < facts->holders[answering->atom + 1]; i++)
		answering->answers[facts->holder[i].entity] = facts->holder[i].first;
	answering->answers_of = answering->atom;
}

/* Counts the answers of an entity that shares a feature with the one that is given. */
static void
meet_answers(EvAnswering *answering, int32_t entity)
{
	const EvFacts *facts = answering->facts;
	int64_t		i = answering->answers[entity];

	if (i < 0)
		return;
	for (; i < facts->start[entity + 1] && facts->edge[i].atom == answering->atom; i++)
	{
		int32_t		answer = facts->edge[i].other;

		if (answering->met[answer]++ == 0)
			answering->answer[answering->answer_count++] = answer;
		pool_yield_at(answering->pool, answering->thread, i);
	}
}

/* Rules r(X,"c") <= b(X,"d") for one feature (b, d) of the given entity, an edge. */
static void
hear_feature(EvAnswering *answering, int64_t edge)
{
	const EvFacts *facts = answering->facts;
	EvEdge		feature = facts->edge[edge];
	EvGroup		sharing = ev_group(facts, feature.other, EV_MIRRORED(feature.atom));
	int64_t		stride = stride_of(sharing);
	int64_t		size = (sharing.end - sharing.first + stride - 1) / stride;

	answering->answer_count = 0;
	for (int64_t i = sharing.first; i < sharing.end; i += stride)
		meet_answers(answering, facts->edge[i].other);
	for (int64_t i = 0; i < answering->answer_count; i++)
	{
		int32_t		answer = answering->answer[i];
		int32_t		support = answering->met[answer];
		double		confidence = (double) support / (double) (size + EV_SMOOTHING);

		answering->met[answer] = 0;
		/* the body must not be the head */
		if (support >= LEAST_SUPPORT && confidence >= LEAST_CONFIDENCE &&
			!(feature.atom == answering->atom && feature.other == answer))
			fire(answering, answer, (EvFiring) {confidence, feature.atom, EV_FEATURE, edge});
	}
}

static void
hear_features(EvAnswering *answering)
{
	const EvFacts *facts = answering->facts;
	EvGroup		own = {facts->start[answering->given], facts->start[answering->given + 1]};
	int64_t		stride = stride_of(own);

	view_answers(answering);
	for (int64_t i = own.first; i < own.end; i += stride)
	{
		hear_feature(answering, i);
		yield(answering);
	}
}

/* Counts, by feature, the known answers that have it. */
static void
share_features(EvAnswering *answering, EvGroup answers, int64_t stride)
{
	const EvFacts *facts = answering->facts;

	for (int64_t i = answers.first; i < answers.end; i += stride)
	{
		int32_t		answer = facts->edge[i].other;
		EvGroup		own = {facts->start[answer], facts->start[answer + 1]};
		int64_t		every = stride_of(own);

		for (int64_t j = own.first; j < own.end; j += every)
		{
			int64_t		feature = facts->mirror[j];

			/* the body must not be the head */
			if (facts->edge[j].atom == EV_MIRRORED(answering->atom) && facts->edge[j].other == answering->given)
				continue;
			if (answering->shared[feature]++ == 0)
				answering->feature[answering->feature_count++] = j;
		}
		yield(answering);
	}
}

/* Rules r("g",Y) <= b(Y,"d"), g the given entity */
static void
hear_answers(EvAnswering *answering)
{
	const EvFacts *facts = answering->facts;
	EvGroup		answers = ev_group(facts, answering->given, answering->atom);
	int64_t		stride = stride_of(answers);

	share_features(answering, answers, stride > 0 ? stride : 1);
	for (int64_t i = 0; i < answering->feature_count; i++)
	{
		int64_t		edge = answering->feature[i];
		EvEdge		feature = facts->edge[edge];
		int64_t		first = facts->mirror[edge];
		int32_t		support = answering->shared[first];
		int64_t		end;
		double		confidence;

		answering->shared[first] = 0;
		pool_yield_at(answering->pool, answering->thread, i);
		if (support < LEAST_SUPPORT)
			continue;
		end = ev_group(facts, feature.other, EV_MIRRORED(feature.atom)).end;
		confidence = (double) (support * stride) / (double) (end - first + EV_SMOOTHING);
		if (confidence < LEAST_CONFIDENCE)
			continue;
		for (int64_t j = first; j < end; j++)
		{
			fire(answering, facts->edge[j].other, (EvFiring) {fmin(confidence, 1), feature.atom, EV_ANSWER, edge});
			pool_yield_at(answering->pool, answering->thread, j);
		}
		yield(answering);
	}
	answering->feature_count = 0;
}

const EvCandidate *
ev_candidate(const EvAnswering *answering, int32_t entity)
{
	return answering->slot[entity] < 0 ? NULL : &answering->candidate[answering->slot[entity]];
}

/* ---- a question ------------------------------------------------------------------- */

/* The last question may have been left in the middle. */
static void
forget_question(EvAnswering *answering)
{
	for (int64_t i = 0; i < answering->count; i++)
		answering->slot[answering->candidate[i].entity] = -1;
	for (int64_t i = 0; i < answering->answer_count; i++)
		answering->met[answering->answer[i]] = 0;
	for (int64_t i = 0; i < answering->feature_count; i++)
		answering->shared[answering->facts->mirror[answering->feature[i]]] = 0;
	answering->count = 0;
	answering->answer_count = 0;
	answering->feature_count = 0;
	answering->answered = false;
}

int64_t
ev_answer(EvAnswering *answering, Side side, int32_t given, int32_t relation,
	   Pool *pool, int thread, const EvCandidate **candidates)
{
	*candidates = answering->candidate;
	if (answering->answered && side == answering->side && given == answering->given && relation == answering->relation)
		return answering->count;
	forget_question(answering);
	answering->side = side;
	answering->given = given;
	answering->relation = relation;
	answering->atom = side == SIDE_TAIL ? EV_FORWARDS(relation) : EV_MIRRORED(EV_FORWARDS(relation));
	answering->pool = pool;
	answering->thread = thread;
	walk_paths(answering);
	match_patterns(answering);
	hear_features(answering);
	hear_answers(answering);
	answering->answered = true;
	return answering->count;
}
