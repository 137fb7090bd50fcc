/*
 * ask.c
 *		Who is inferred: the candidates of a question, and the rules heard for each.
 *
 * Four kinds of rules speak, all from the entity that is given, g; the question's atom is the
 * one that leads from g to answers.
 *
 * - Path rules: the set of entities that a path reaches from g.
 * - Patterns, which are given rules of any other shape (match.c).
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

#include "../kge/space.h"
#include "../kge/threads.h"
#include "match.h"

#define REACH (1 << 18)
#define SAMPLE 1000
#define LEAST_SUPPORT 2
#define LEAST_CONFIDENCE 0.01

struct EvAsker
{
	const EvFacts *facts;
	const EvRules *rules;
	KgePool    *pool;
	int			thread;

	/* the question */
	KgeSide		side;
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

static EvAsker *
take_asker(const EvFacts *facts, EvAsker *asker, KgeSpace *space)
{
	size_t		entities = (size_t) facts->entities;
	size_t		some = entities < REACH ? entities : REACH;

	asker->room = (int64_t) some;
	asker->answers = KGE_TAKE(space, int64_t, entities);
	asker->met = KGE_TAKE(space, int32_t, entities);
	asker->answer = KGE_TAKE(space, int32_t, entities);
	asker->shared = KGE_TAKE(space, int32_t, (size_t) facts->edges);
	asker->feature = KGE_TAKE(space, int64_t, (size_t) facts->edges);
	for (int i = 0; i <= EV_MAX_BODY; i++)
		asker->reached[i] = KGE_TAKE(space, int32_t, some + 1);
	asker->stamp = KGE_TAKE(space, uint32_t, entities);
	asker->slot = KGE_TAKE(space, int32_t, entities);
	asker->candidate = KGE_TAKE(space, EvCandidate, some);
	return KGE_TAKE(space, EvAsker, 1);
}

size_t
ev_asker_bytes(const EvFacts *facts)
{
	EvAsker		asker;
	KgeSpace	space = {0};

	take_asker(facts, &asker, &space);
	return kge_space_bytes(&space);
}

EvAsker *
ev_asker(KgeArena *arena, const EvFacts *facts, const EvRules *rules)
{
	EvAsker		asker = {.facts = facts,.rules = rules,.answers_of = -1};
	EvAsker    *taken;
	KgeSpace	space = {0};

	take_asker(facts, &asker, &space);
	if (!kge_space_open(&space, arena))
		return NULL;
	taken = take_asker(facts, &asker, &space);
	for (int32_t i = 0; i < facts->entities; i++)
	{
		asker.answers[i] = -1;
		asker.slot[i] = -1;
		asker.met[i] = 0;
		asker.stamp[i] = 0;
	}
	for (int64_t i = 0; i < facts->edges; i++)
		asker.shared[i] = 0;
	*taken = asker;
	return taken;
}

/* ---- what is heard ---------------------------------------------------------- */

static EvCandidate *
candidate_of(EvAsker *asker, int32_t entity)
{
	if (asker->slot[entity] < 0)
	{
		if (asker->count == asker->room)
			return NULL;
		asker->slot[entity] = (int32_t) asker->count;
		asker->candidate[asker->count].entity = entity;
		asker->candidate[asker->count++].count = 0;
	}
	return &asker->candidate[asker->slot[entity]];
}

/* Where a cluster is heard already, its place; else the number of those heard. */
static int
place_of_cluster(const EvCandidate *candidate, int32_t cluster)
{
	int			place = 0;

	while (place < candidate->count && candidate->heard[place].cluster != cluster)
		place++;
	return place;
}

/* A rule infers the entity. */
static void
hear(EvAsker *asker, int32_t entity, EvHeard rule)
{
	EvCandidate *candidate;
	int			place;

	if (entity == asker->given && !asker->facts->reflexive[asker->relation])
		return;
	candidate = candidate_of(asker, entity);
	if (candidate == NULL)
		return;
	place = place_of_cluster(candidate, rule.cluster);
	if (place == EV_HEARD)
		place--;
	if (place < candidate->count && candidate->heard[place].confidence >= rule.confidence)
		return;
	if (place == candidate->count)
		candidate->count++;
	for (; place > 0 && candidate->heard[place - 1].confidence < rule.confidence; place--)
		candidate->heard[place] = candidate->heard[place - 1];
	candidate->heard[place] = rule;
}

static void
breathe(const EvAsker *asker)
{
	kge_pool_breathe(asker->pool, asker->thread);
}

/* ---- paths ------------------------------------------------------------------- */

/* The set of entities that an atom leads to from the set before it. */
static void
step(EvAsker *asker, int depth, int32_t atom)
{
	const EvFacts *facts = asker->facts;
	int32_t    *to = asker->reached[depth + 1];
	int64_t		count = 0;

	if (++asker->serial == 0)
	{
		for (int32_t i = 0; i < facts->entities; i++)
			asker->stamp[i] = 0;
		asker->serial = 1;
	}
	for (int64_t i = 0; i < asker->reached_count[depth] && count < asker->room; i++)
	{
		EvGroup		group = ev_group(facts, asker->reached[depth][i], atom);

		for (int64_t j = group.first; j < group.end && count < asker->room; j++)
		{
			int32_t		other = facts->edge[j].other;

			to[count] = other;
			count += asker->stamp[other] != asker->serial;
			asker->stamp[other] = asker->serial;
		}
		if (i % 256 == 255)
			breathe(asker);
	}
	/* a graph of fewer entities cannot reach too many */
	asker->reached_count[depth + 1] = count >= REACH ? 0 : count;
}

static void
hear_path(EvAsker *asker, const EvRule *rule)
{
	EvHeard		heard = {rule->confidence, 2 * asker->facts->relations + rule->atom[rule->length - 1],
	EV_PATH, rule - asker->rules->rule};

	for (int64_t i = 0; i < asker->reached_count[rule->length]; i++)
		hear(asker, asker->reached[rule->length][i], heard);
}

static void
walk_paths(EvAsker *asker)
{
	const EvRules *rules = asker->rules;
	const EvRule *before = NULL;

	asker->reached[0][0] = asker->given;
	asker->reached_count[0] = 1;
	for (int64_t i = rules->first[asker->relation]; i < rules->first[asker->relation + 1]; i++)
	{
		const EvRule *rule = &rules->rule[asker->side == KGE_TAIL ? i : rules->backwards[i]];
		int			common = 0;

		while (before != NULL && common < before->length && common < rule->length &&
			   ev_atom(before, asker->side, common) == ev_atom(rule, asker->side, common))
			common++;
		for (int depth = common; depth < rule->length; depth++)
			step(asker, depth, ev_atom(rule, asker->side, depth));
		hear_path(asker, rule);
		before = rule;
		breathe(asker);
	}
}

/* ---- patterns ------------------------------------------------------------------ */

typedef struct Matched
{
	EvAsker    *asker;
	EvHeard		heard;
} Matched;

static void
hear_match(void *argument, int32_t answer)
{
	Matched    *matched = argument;

	hear(matched->asker, answer, matched->heard);
}

/* Each is a cluster of its own. */
static void
match_patterns(EvAsker *asker)
{
	const EvRules *rules = asker->rules;

	for (int64_t i = rules->first_pattern[asker->relation]; i < rules->first_pattern[asker->relation + 1]; i++)
	{
		const EvPattern *pattern = &rules->pattern[i];
		Matched		matched = {asker, {pattern->confidence, 4 * asker->facts->relations + (int32_t) i, EV_PATTERN, i}};

		ev_match(asker->facts, pattern, asker->side, asker->given, hear_match, &matched);
		breathe(asker);
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
view_answers(EvAsker *asker)
{
	const EvFacts *facts = asker->facts;

	if (asker->answers_of == asker->atom)
		return;
	if (asker->answers_of >= 0)
		for (int64_t i = facts->holders[asker->answers_of]; i < facts->holders[asker->answers_of + 1]; i++)
			asker->answers[facts->holder[i].entity] = -1;
	for (int64_t i = facts->holders[asker->atom]; i < facts->holders[asker->atom + 1]; i++)
		asker->answers[facts->holder[i].entity] = facts->holder[i].first;
	asker->answers_of = asker->atom;
}

/* Counts the answers of an entity that shares a feature with the one that is given. */
static void
meet_answers(EvAsker *asker, int32_t entity)
{
	const EvFacts *facts = asker->facts;
	int64_t		i = asker->answers[entity];

	if (i < 0)
		return;
	for (; i < facts->start[entity + 1] && facts->edge[i].atom == asker->atom; i++)
	{
		int32_t		answer = facts->edge[i].other;

		if (asker->met[answer]++ == 0)
			asker->answer[asker->answer_count++] = answer;
		kge_breathe_at(asker->pool, asker->thread, i);
	}
}

/* Rules r(X,"c") <= b(X,"d") for one feature (b, d) of the given entity, an edge. */
static void
hear_feature(EvAsker *asker, int64_t edge)
{
	const EvFacts *facts = asker->facts;
	EvEdge		feature = facts->edge[edge];
	EvGroup		sharing = ev_group(facts, feature.other, EV_MIRRORED(feature.atom));
	int64_t		stride = stride_of(sharing);
	int64_t		size = (sharing.end - sharing.first + stride - 1) / stride;

	asker->answer_count = 0;
	for (int64_t i = sharing.first; i < sharing.end; i += stride)
		meet_answers(asker, facts->edge[i].other);
	for (int64_t i = 0; i < asker->answer_count; i++)
	{
		int32_t		answer = asker->answer[i];
		int32_t		support = asker->met[answer];
		double		confidence = (double) support / (double) (size + EV_SMOOTHING);

		asker->met[answer] = 0;
		/* the body must not be the head */
		if (support >= LEAST_SUPPORT && confidence >= LEAST_CONFIDENCE &&
			!(feature.atom == asker->atom && feature.other == answer))
			hear(asker, answer, (EvHeard) {confidence, feature.atom, EV_FEATURE, edge});
	}
}

static void
hear_features(EvAsker *asker)
{
	const EvFacts *facts = asker->facts;
	EvGroup		own = {facts->start[asker->given], facts->start[asker->given + 1]};
	int64_t		stride = stride_of(own);

	view_answers(asker);
	for (int64_t i = own.first; i < own.end; i += stride)
	{
		hear_feature(asker, i);
		breathe(asker);
	}
}

/* Counts, by feature, the known answers that have it. */
static void
share_features(EvAsker *asker, EvGroup answers, int64_t stride)
{
	const EvFacts *facts = asker->facts;

	for (int64_t i = answers.first; i < answers.end; i += stride)
	{
		int32_t		answer = facts->edge[i].other;
		EvGroup		own = {facts->start[answer], facts->start[answer + 1]};
		int64_t		every = stride_of(own);

		for (int64_t j = own.first; j < own.end; j += every)
		{
			int64_t		feature = facts->mirror[j];

			/* the body must not be the head */
			if (facts->edge[j].atom == EV_MIRRORED(asker->atom) && facts->edge[j].other == asker->given)
				continue;
			if (asker->shared[feature]++ == 0)
				asker->feature[asker->feature_count++] = j;
		}
		breathe(asker);
	}
}

/* Rules r("g",Y) <= b(Y,"d"), g the given entity */
static void
hear_answers(EvAsker *asker)
{
	const EvFacts *facts = asker->facts;
	EvGroup		answers = ev_group(facts, asker->given, asker->atom);
	int64_t		stride = stride_of(answers);

	share_features(asker, answers, stride > 0 ? stride : 1);
	for (int64_t i = 0; i < asker->feature_count; i++)
	{
		int64_t		edge = asker->feature[i];
		EvEdge		feature = facts->edge[edge];
		int64_t		first = facts->mirror[edge];
		int32_t		support = asker->shared[first];
		int64_t		end;
		double		confidence;

		asker->shared[first] = 0;
		kge_breathe_at(asker->pool, asker->thread, i);
		if (support < LEAST_SUPPORT)
			continue;
		end = ev_group(facts, feature.other, EV_MIRRORED(feature.atom)).end;
		confidence = (double) (support * stride) / (double) (end - first + EV_SMOOTHING);
		if (confidence < LEAST_CONFIDENCE)
			continue;
		for (int64_t j = first; j < end; j++)
		{
			hear(asker, facts->edge[j].other, (EvHeard) {fmin(confidence, 1), feature.atom, EV_ANSWER, edge});
			kge_breathe_at(asker->pool, asker->thread, j);
		}
		breathe(asker);
	}
	asker->feature_count = 0;
}

const EvCandidate *
ev_candidate(const EvAsker *asker, int32_t entity)
{
	return asker->slot[entity] < 0 ? NULL : &asker->candidate[asker->slot[entity]];
}

/* ---- a question ------------------------------------------------------------------- */

/* The last question may have been left in the middle. */
static void
forget_question(EvAsker *asker)
{
	for (int64_t i = 0; i < asker->count; i++)
		asker->slot[asker->candidate[i].entity] = -1;
	for (int64_t i = 0; i < asker->answer_count; i++)
		asker->met[asker->answer[i]] = 0;
	for (int64_t i = 0; i < asker->feature_count; i++)
		asker->shared[asker->facts->mirror[asker->feature[i]]] = 0;
	asker->count = 0;
	asker->answer_count = 0;
	asker->feature_count = 0;
	asker->answered = false;
}

int64_t
ev_ask(EvAsker *asker, KgeSide side, int32_t given, int32_t relation,
	   KgePool *pool, int thread, const EvCandidate **candidates)
{
	*candidates = asker->candidate;
	if (asker->answered && side == asker->side && given == asker->given && relation == asker->relation)
		return asker->count;
	forget_question(asker);
	asker->side = side;
	asker->given = given;
	asker->relation = relation;
	asker->atom = side == KGE_TAIL ? EV_FORWARDS(relation) : EV_MIRRORED(EV_FORWARDS(relation));
	asker->pool = pool;
	asker->thread = thread;
	walk_paths(asker);
	match_patterns(asker);
	hear_features(asker);
	hear_answers(asker);
	asker->answered = true;
	return asker->count;
}
