/*
 * answer.c
 *		Answering a question by rules: the entities that are inferred, and the rules that fire for each.
 *
 * Four kinds of rules are applied, all from the given entity g.  The question's atom is the directed
 * atom that leads from g to answers.
 *
 * - Path rules: a path leads from g to a set of entities.
 * - Patterns: given rules of any other shape (pattern_match.c).
 * - Rules that the features of g satisfy, r(X,"c") <= b(X,"d"): of the entities that share the feature
 *	 (b, d) with g, how many have the answer c?
 * - Rules that name g in the head, r("g",Y) <= b(Y,"d"): of the entities with the feature (b, d), how many are
 *	 answers of g among the facts?
 *
 * The rules of the last two kinds are far too many to be kept (millions for a graph of some 100,000 facts).
 * But few matter for one question, and their counts are found near g.  The work for a question is
 * bounded: of more than SAMPLE edges, entities or answers, an even sample is looked at, and a path that
 * reaches REACH entities at once does not fire.
 *
 * Memory is taken once, by ev_answering, and is proportional to the entities and facts.  It begins as zeros, and a
 * question leaves most of it untouched: what it writes is listed, and cleared when the next one starts.  Every loop
 * yields, so a call may end anywhere for good; the next one clears what it left.
 */
#include "evidence.h"

#include <math.h>
#include <string.h>

#include "core/allocation.h"

#define REACH (1 << 18)
#define SAMPLE 1000
#define LEAST_SUPPORT 2
#define LEAST_CONFIDENCE 0.01

struct EvAnswering
{
	const EvFacts *facts;
	const EvRules *rules;
	Pool	   *pool;
	int			thread;

	/* the question */
	Side		side;
	int32_t		given;
	int32_t		relation;
	int32_t		atom;			/* from given to answers */

	/* by entity: the first edge of its group of `indexed_atom`, and 1; 0: none */
	int32_t		indexed_atom;
	int64_t    *first_answer;

	/* how many entities that share a feature with the given one have an answer; and which answers they have */
	int32_t    *hits;			/* by entity */
	int32_t    *hit;
	int64_t		hit_count;

	/* how many answers have a feature, by the first edge of its group; and which features, as edges */
	int32_t    *shared;
	int64_t    *feature;
	int64_t		feature_count;

	/* the entities that each prefix of a path reaches */
	int32_t    *reached[EV_MAX_BODY + 1];
	int64_t		reached_count[EV_MAX_BODY + 1];
	uint32_t   *stamp;			/* by entity: serial of the last set that it is in */
	uint32_t	serial;

	int32_t    *slot;			/* by entity: its candidate, and 1; 0: none */
	EvCandidate *candidate;
	int64_t		count;
	int64_t		room;
	bool		answered;		/* the candidates are complete */
};

static EvAnswering *
take_answering(const EvFacts *facts, EvAnswering *answering, Allocation *allocation)
{
	size_t		entities = (size_t) facts->entities;
	size_t		room = entities < REACH ? entities : REACH;

	answering->room = (int64_t) room;
	answering->first_answer = TAKE(allocation, int64_t, entities);
	answering->hits = TAKE(allocation, int32_t, entities);
	answering->hit = TAKE(allocation, int32_t, entities);
	answering->shared = TAKE(allocation, int32_t, (size_t) facts->edges);
	answering->feature = TAKE(allocation, int64_t, (size_t) facts->edges);
	for (int i = 0; i <= EV_MAX_BODY; i++)
		answering->reached[i] = TAKE(allocation, int32_t, room + 1);
	answering->stamp = TAKE(allocation, uint32_t, entities);
	answering->slot = TAKE(allocation, int32_t, entities);
	answering->candidate = TAKE(allocation, EvCandidate, room);
	return TAKE(allocation, EvAnswering, 1);
}

size_t
ev_answering_bytes(const EvFacts *facts)
{
	EvAnswering answering;
	Allocation	allocation = {0};

	take_answering(facts, &answering, &allocation);
	return allocation_bytes(&allocation);
}

EvAnswering *
ev_answering(Arena *arena, const EvFacts *facts, const EvRules *rules)
{
	EvAnswering answering = {.facts = facts,.rules = rules,.indexed_atom = -1};
	EvAnswering *taken;
	Allocation	allocation = {0};

	take_answering(facts, &answering, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	if (!arena->zeroed)
		memset(allocation.base, 0, allocation.planned);
	taken = take_answering(facts, &answering, &allocation);
	*taken = answering;
	return taken;
}

/* ---- candidates --------------------------------------------------------------- */

/* The candidate that an entity is, perhaps a new one; NULL when there is no room. */
static EvCandidate *
candidate_of(EvAnswering *answering, int32_t entity)
{
	if (answering->slot[entity] == 0)
	{
		if (answering->count == answering->room)
			return NULL;
		answering->candidate[answering->count].entity = entity;
		answering->candidate[answering->count++].count = 0;
		answering->slot[entity] = (int32_t) answering->count;
	}
	return &answering->candidate[answering->slot[entity] - 1];
}

/* The place of the firing rule of a cluster; the number of firing rules when there is none. */
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

/* ---- path rules ----------------------------------------------------------------- */

/* The entities that an atom leads to from those at `depth`. */
static void
follow_atom(EvAnswering *answering, int depth, int32_t atom)
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

/* The rule infers what its whole path has reached. */
static void
fire_path(EvAnswering *answering, const EvRule *rule)
{
	EvFiring	firing = {
		.confidence = rule->confidence,
		.cluster = 2 * answering->facts->relations + rule->atom[rule->length - 1],
		.source = EV_PATH,
		.number = rule - answering->rules->rule
	};

	for (int64_t i = 0; i < answering->reached_count[rule->length]; i++)
		fire(answering, answering->reached[rule->length][i], firing);
}

/* Each path goes on from where it leaves the one before it. */
static void
apply_paths(EvAnswering *answering)
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
			follow_atom(answering, depth, ev_atom(rule, answering->side, depth));
		fire_path(answering, rule);
		before = rule;
		yield(answering);
	}
}

/* ---- patterns ------------------------------------------------------------------- */

typedef struct FiringPattern
{
	EvAnswering *answering;
	EvFiring	firing;
} FiringPattern;

static void
fire_pattern(void *argument, int32_t answer)
{
	FiringPattern *pattern = argument;

	fire(pattern->answering, answer, pattern->firing);
}

/* Each is a cluster of its own. */
static void
apply_patterns(EvAnswering *answering)
{
	const EvRules *rules = answering->rules;
	int32_t		cluster = 4 * answering->facts->relations;

	for (int64_t i = rules->first_pattern[answering->relation]; i < rules->first_pattern[answering->relation + 1]; i++)
	{
		const EvPattern *pattern = &rules->pattern[i];
		FiringPattern firing = {answering, {pattern->confidence, cluster + (int32_t) i, EV_PATTERN, i}};

		ev_match(answering->facts, pattern, answering->side, answering->given, fire_pattern, &firing);
		yield(answering);
	}
}

/* ---- rules with constants, by the features of the given entity ---------------------- */

/* Of a group, one edge in this number is looked at: SAMPLE at most. */
static int64_t
stride_of(EvGroup group)
{
	return (group.end - group.first + SAMPLE - 1) / SAMPLE;
}

/* Makes first_answer that of the question's atom. */
static void
index_answers(EvAnswering *answering)
{
	const EvFacts *facts = answering->facts;

	if (answering->indexed_atom == answering->atom)
		return;
	if (answering->indexed_atom >= 0)
		for (int64_t i = facts->holders[answering->indexed_atom]; i < facts->holders[answering->indexed_atom + 1]; i++)
			answering->first_answer[ev_holder(facts, i)] = 0;
	for (int64_t i = facts->holders[answering->atom]; i < facts->holders[answering->atom + 1]; i++)
		answering->first_answer[ev_holder(facts, i)] = ev_group_at(facts, facts->holder[i]).first + 1;
	answering->indexed_atom = answering->atom;
}

/* Counts the answers of an entity that shares a feature with the given one. */
static void
count_answers(EvAnswering *answering, int32_t entity)
{
	const EvFacts *facts = answering->facts;
	int64_t		i = answering->first_answer[entity] - 1;

	if (i < 0)
		return;
	for (; i < facts->start[entity + 1] && facts->edge[i].atom == answering->atom; i++)
	{
		int32_t		answer = facts->edge[i].other;

		if (answering->hits[answer]++ == 0)
			answering->hit[answering->hit_count++] = answer;
		pool_yield_at(answering->pool, answering->thread, i);
	}
}

/* Rules r(X,"c") <= b(X,"d") for one feature (b, d) of the given entity, an edge. */
static void
apply_feature(EvAnswering *answering, int64_t edge)
{
	const EvFacts *facts = answering->facts;
	EvEdge		feature = facts->edge[edge];
	EvGroup		sharing = ev_group(facts, feature.other, MIRRORED(feature.atom));
	int64_t		stride = stride_of(sharing);
	int64_t		size = (sharing.end - sharing.first + stride - 1) / stride;

	answering->hit_count = 0;
	for (int64_t i = sharing.first; i < sharing.end; i += stride)
		count_answers(answering, facts->edge[i].other);
	for (int64_t i = 0; i < answering->hit_count; i++)
	{
		int32_t		answer = answering->hit[i];
		int32_t		support = answering->hits[answer];
		double		confidence = (double) support / (double) (size + EV_SMOOTHING);

		answering->hits[answer] = 0;
		/* the body must not be the head */
		if (support >= LEAST_SUPPORT && confidence >= LEAST_CONFIDENCE &&
			!(feature.atom == answering->atom && feature.other == answer))
			fire(answering, answer, (EvFiring) {confidence, feature.atom, EV_FEATURE, edge});
	}
}

static void
apply_features(EvAnswering *answering)
{
	const EvFacts *facts = answering->facts;
	EvGroup		own = {facts->start[answering->given], facts->start[answering->given + 1]};
	int64_t		stride = stride_of(own);

	index_answers(answering);
	for (int64_t i = own.first; i < own.end; i += stride)
	{
		apply_feature(answering, i);
		yield(answering);
	}
}

/* ---- rules with constants, by the features of the answers ----------------------------- */

/* Counts, by feature, the answers among the facts that have it. */
static void
count_features(EvAnswering *answering, EvGroup answers, int64_t stride)
{
	const EvFacts *facts = answering->facts;

	for (int64_t i = answers.first; i < answers.end; i += stride)
	{
		int32_t		answer = facts->edge[i].other;
		EvGroup		own = {facts->start[answer], facts->start[answer + 1]};
		int64_t		own_stride = stride_of(own);

		for (int64_t j = own.first; j < own.end; j += own_stride)
		{
			int64_t		feature = facts->mirror[j];

			/* the body must not be the head */
			if (facts->edge[j].atom == MIRRORED(answering->atom) && facts->edge[j].other == answering->given)
				continue;
			if (answering->shared[feature]++ == 0)
				answering->feature[answering->feature_count++] = j;
		}
		yield(answering);
	}
}

/* The rule r("g",Y) <= b(Y,"d") for one feature (b, d), an edge; `stride`: of the answers that were counted. */
static void
apply_answer_feature(EvAnswering *answering, int64_t edge, int64_t stride)
{
	const EvFacts *facts = answering->facts;
	EvEdge		feature = facts->edge[edge];
	int64_t		first = facts->mirror[edge];
	int32_t		support = answering->shared[first];
	int64_t		end;
	double		confidence;

	answering->shared[first] = 0;
	if (support < LEAST_SUPPORT)
		return;
	end = ev_group(facts, feature.other, MIRRORED(feature.atom)).end;
	confidence = (double) (support * stride) / (double) (end - first + EV_SMOOTHING);
	if (confidence < LEAST_CONFIDENCE)
		return;
	for (int64_t i = first; i < end; i++)
	{
		fire(answering, facts->edge[i].other, (EvFiring) {fmin(confidence, 1), feature.atom, EV_ANSWER, edge});
		pool_yield_at(answering->pool, answering->thread, i);
	}
	yield(answering);
}

static void
apply_answer_features(EvAnswering *answering)
{
	EvGroup		answers = ev_group(answering->facts, answering->given, answering->atom);
	int64_t		stride = stride_of(answers);

	count_features(answering, answers, stride);
	for (int64_t i = 0; i < answering->feature_count; i++)
	{
		apply_answer_feature(answering, answering->feature[i], stride);
		pool_yield_at(answering->pool, answering->thread, i);
	}
	answering->feature_count = 0;
}

/* ---- a question ------------------------------------------------------------------- */

/* Clears what the last question wrote; it may have been left in the middle. */
static void
clear_question(EvAnswering *answering)
{
	for (int64_t i = 0; i < answering->count; i++)
		answering->slot[answering->candidate[i].entity] = 0;
	for (int64_t i = 0; i < answering->hit_count; i++)
		answering->hits[answering->hit[i]] = 0;
	for (int64_t i = 0; i < answering->feature_count; i++)
		answering->shared[answering->facts->mirror[answering->feature[i]]] = 0;
	answering->count = 0;
	answering->hit_count = 0;
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
	clear_question(answering);
	answering->side = side;
	answering->given = given;
	answering->relation = relation;
	answering->atom = side == SIDE_TAIL ? FORWARDS(relation) : MIRRORED(FORWARDS(relation));
	answering->pool = pool;
	answering->thread = thread;
	apply_paths(answering);
	apply_patterns(answering);
	apply_features(answering);
	apply_answer_features(answering);
	answering->answered = true;
	return answering->count;
}

const EvCandidate *
ev_candidate(const EvAnswering *answering, int32_t entity)
{
	return answering->slot[entity] == 0 ? NULL : &answering->candidate[answering->slot[entity] - 1];
}
