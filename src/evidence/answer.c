/*
 * answer.c
 *		Answering a question: the entities that rules infer, with the rules that fire for each, and those that the path
 *		network scores.
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
 * But few matter for one question, and their counts are found near g.
 *
 * The work for a question is bounded.  Of more than SAMPLE edges, entities or answers, an even sample is looked at, and
 * a path that reaches REACH entities at once does not fire.  That is not enough where g or what it is related to is a
 * hub: 1000 features, each shared by 1000 entities of 1000 answers.  So each kind of rule may also look at no more than
 * WORK edges in all.  Features that need more are counted with samples of LEAST_SAMPLE, and some are left out, evenly.
 *
 * Memory is taken once, by ev_answering, and is proportional to the entities and facts.  It begins as zeros, and a
 * question leaves most of it untouched: what it writes is listed, and cleared when the next one starts.  Every loop
 * yields, so a call may end anywhere for good; the next one clears what it left.
 */
#include "evidence.h"

#include <math.h>
#include <string.h>

#include "core/allocation.h"
#include "feature_count.h"

#define REACH (1 << 18)
#define SAMPLE 1000
#define LEAST_SAMPLE 100		/* the standard error of a confidence is then at most 0.05 */
#define WORK (1 << 22)
#define PATTERN_WORK 100000		/* of one pattern: no single rule is worth more */
#define AHEAD 16				/* firings between fetching memory and using it */

/* The most confident rule of a cluster that infers an entity */
typedef struct Best
{
	double		confidence;		/* 0: none */
	int64_t		edge;
} Best;

struct EvAnswering
{
	const FactIndex *facts;
	const EvRules *rules;		/* NULL: none */
	PathReader *reader;			/* NULL: there is no network */
	const double *closed_of;	/* by 2 * relation + side; NULL: all 1 */
	Pool	   *pool;
	int			thread;

	/* the question */
	EvKind		kind;
	Side		side;
	int32_t		given;
	int32_t		relation;
	int32_t		atom;			/* from given to answers */
	double		closed;			/* what rules are worth, see ev_worth */
	FactGroup		known;			/* the answers of the given one among the facts */
	int64_t		work;			/* edges that rules of the kind that is applied may look at yet */

	/* of the features with one atom */
	FeatureCounter *counter;
	Best	   *best;			/* by entity */
	int32_t    *touched;		/* entities that have a best one */
	int64_t		touched_count;
	int64_t		sample;			/* of the entities that share a feature */

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
take_answering(const FactIndex *facts, EvAnswering *answering, Allocation *allocation)
{
	size_t		entities = (size_t) facts->entities;
	size_t		room = entities < REACH ? entities : REACH;

	answering->room = (int64_t) room;
	answering->counter = feature_counter_take(allocation, facts);
	answering->best = TAKE(allocation, Best, entities);
	answering->touched = TAKE(allocation, int32_t, entities);
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
ev_answering_bytes(const EvBasis *basis)
{
	EvAnswering answering;
	Allocation	allocation = {0};

	take_answering(basis->facts, &answering, &allocation);
	return allocation_bytes(&allocation) +
		(basis->network == NULL ? 0 : path_reader_bytes(basis->facts, basis->network->shape));
}

EvAnswering *
ev_answering(Arena *arena, const EvBasis *basis, const double *closed)
{
	EvAnswering answering = {.facts = basis->facts,.rules = basis->rules,.closed_of = closed};
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

void
ev_answering_weigh(EvAnswering *answering, const double *closed)
{
	answering->closed_of = closed;
	answering->answered = false;
}

static void
yield(const EvAnswering *answering)
{
	pool_yield(answering->pool, answering->thread);
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
		answering->candidate[answering->count].network = 0;
		answering->candidate[answering->count++].count = 0;
		answering->slot[entity] = (int32_t) answering->count;
	}
	return &answering->candidate[answering->slot[entity] - 1];
}

/* An entity that is given is no answer, unless its relation has facts of one entity. */
static bool
may_answer(const EvAnswering *answering, int32_t entity)
{
	return entity != answering->given || answering->facts->reflexive[answering->relation];
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

	if (!may_answer(answering, entity))
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

/* ---- path rules ----------------------------------------------------------------- */

/* A rule may look at what is left of the work, but at no more than `most` edges, and at SAMPLE in any case. */
static int64_t
most_edges(const EvAnswering *answering, int64_t most)
{
	if (answering->work < most)
		most = answering->work;
	return most > SAMPLE ? most : SAMPLE;
}

/* Begins a set of entities, each of which has a stamp. */
static void
begin_set(EvAnswering *answering)
{
	if (++answering->serial != 0)
		return;
	for (int32_t i = 0; i < answering->facts->entities; i++)
		answering->stamp[i] = 0;
	answering->serial = 1;
}

/* Adds the entities of a group to a set of `count`, as far as there is room; how many there are then. */
static int64_t
add_to_set(EvAnswering *answering, FactGroup group, int32_t *set, int64_t count)
{
	const FactEdge *edge = answering->facts->edge;

	for (int64_t i = group.first; i < group.end && count < answering->room; i++)
	{
		int32_t		other = edge[i].other;

		set[count] = other;
		count += answering->stamp[other] != answering->serial;
		answering->stamp[other] = answering->serial;
	}
	return count;
}

/* The entities that an atom leads to from those at `depth`; none, where there are too many or no work is left. */
static void
follow_atom(EvAnswering *answering, int depth, int32_t atom)
{
	int32_t    *from = answering->reached[depth];
	int64_t		edges = 0;
	int64_t		most = most_edges(answering, WORK);
	int64_t		count = 0;
	FactGroup	group[FACT_AHEAD];

	begin_set(answering);
	for (int64_t first = 0; first < answering->reached_count[depth] && count < answering->room && edges <= most;
		 first += FACT_AHEAD)
	{
		int64_t		left = answering->reached_count[depth] - first;
		int			some = left < FACT_AHEAD ? (int) left : FACT_AHEAD;

		fact_groups(answering->facts, from + first, 1, some, atom, group);
		for (int i = 0; i < some; i++)
		{
			edges += group[i].end - group[i].first + 1;
			count = add_to_set(answering, group[i], answering->reached[depth + 1], count);
		}
		if (first % (8 * FACT_AHEAD) == 0)
			yield(answering);
	}
	answering->work -= edges;
	/* a graph of fewer entities cannot reach too many */
	answering->reached_count[depth + 1] = count >= REACH || edges > most ? 0 : count;
}

/* Fetches ahead: of an entity that comes later the slot; of a nearer one, whose slot is there by now, the candidate. */
static void
prefetch_candidate(const EvAnswering *answering, int32_t far, int32_t near)
{
	int32_t		slot = answering->slot[near];

	__builtin_prefetch(&answering->slot[far]);
	if (slot > 0)
		__builtin_prefetch(&answering->candidate[slot - 1]);
}

/* The rule infers what its whole path has reached. */
static void
fire_path(EvAnswering *answering, const EvRule *rule)
{
	EvFiring	firing = {
		.confidence = ev_worth(rule->confidence, rule->unknown[answering->side], answering->closed),
		.cluster = 2 * answering->facts->relations + rule->atom[rule->length - 1],
		.source = EV_PATH,
		.number = rule - answering->rules->rule
	};
	const int32_t *reached = answering->reached[rule->length];
	int64_t		count = answering->reached_count[rule->length];

	for (int64_t i = 0; i < count; i++)
	{
		if (i + AHEAD < count)
			prefetch_candidate(answering, reached[i + AHEAD], reached[i + AHEAD / 2]);
		fire(answering, reached[i], firing);
	}
}

/* Each path goes on from where it leaves the one before it. */
static void
apply_path_rules(EvAnswering *answering)
{
	const EvRules *rules = answering->rules;
	const EvRule *before = NULL;

	answering->work = WORK;
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

	answering->work = WORK;
	for (int64_t i = rules->first_pattern[answering->relation]; i < rules->first_pattern[answering->relation + 1]; i++)
	{
		const EvPattern *pattern = &rules->pattern[i];
		FiringPattern firing = {answering, {pattern->confidence, cluster + (int32_t) i, EV_PATTERN, i}};

		answering->work -= ev_match(answering->facts, pattern, answering->side, answering->given,
									most_edges(answering, PATTERN_WORK), fire_pattern, &firing);
		yield(answering);
	}
}

/* ---- rules with constants, by the features of the given entity ---------------------- */

/* Makes each rule the best one of its cluster for its answer, if it is. */
static void
offer_answers(EvAnswering *answering, int64_t edge, const FeatureCount *count)
{
	double		unknown = ev_unknown(count->size, count->answered);
	int32_t		support = 0;
	double		confidence = 0;

	for (int64_t i = 0; i < count->count; i++)
	{
		int32_t		answer = count->answer[i].answer;
		Best	   *best = &answering->best[answer];

		if (i + AHEAD < count->count)
			__builtin_prefetch(&answering->best[count->answer[i + AHEAD].answer]);
		/* most have as much as the one before */
		if (count->answer[i].support != support)
		{
			support = count->answer[i].support;
			confidence = ev_worth(ev_smoothed_confidence(support, count->size, 0), unknown, answering->closed);
		}
		if (confidence < LEAST_CONFIDENCE || confidence <= best->confidence)
			continue;
		if (best->confidence == 0)
			answering->touched[answering->touched_count++] = answer;
		*best = (Best) {confidence, edge};
	}
}

static void
apply_feature(EvAnswering *answering, int64_t edge)
{
	FeatureCount count = feature_count(answering->counter, edge, answering->sample);

	offer_answers(answering, edge, &count);
}

/* The best rules of the features with one atom fire. */
static void
fire_best(EvAnswering *answering, DirectedAtom atom)
{
	for (int64_t i = 0; i < answering->touched_count; i++)
	{
		int32_t		answer = answering->touched[i];
		Best		best = answering->best[answer];

		if (i + AHEAD < answering->touched_count)
			prefetch_candidate(answering, answering->touched[i + AHEAD], answering->touched[i + AHEAD / 2]);
		fire(answering, answer, (EvFiring) {best.confidence, atom, EV_FEATURE, best.edge});
		answering->best[answer].confidence = 0;
	}
	answering->touched_count = 0;
	yield(answering);
}

/* Whether features cannot need more than WORK edges, by the sizes of their groups */
static bool
need_little(EvAnswering *answering, FactGroup own, int64_t stride)
{
	int64_t		most = WORK / (answering->facts->largest[answering->atom] + 1);
	int64_t		sizes = 0;

	if ((own.end - own.first) / stride * SAMPLE < most)
		return true;
	for (int64_t i = own.first; i < own.end && sizes < most; i += stride)
	{
		FactGroup	group = feature_sharing(answering->facts, i);

		sizes += group.end - group.first < SAMPLE ? group.end - group.first : SAMPLE;
	}
	return sizes < most;
}

/* Sets the size of samples for WORK edges in all.  Returns n, where one feature of n is looked at. */
static int64_t
limit_features(EvAnswering *answering, FactGroup own, int64_t stride)
{
	double		all = 0;
	double		least = 0;

	answering->sample = SAMPLE;
	if (need_little(answering, own, stride))
		return 1;
	for (int64_t i = own.first; i < own.end; i += stride)
	{
		FactGroup	group = feature_sharing(answering->facts, i);
		double		size = (double) (group.end - group.first);
		double		cost;

		if (size < LEAST_SUPPORT)
			continue;
		cost = feature_cost(answering->counter, group, SAMPLE);
		all += cost;
		least += cost * fmin(1, LEAST_SAMPLE / fmin(size, SAMPLE));
		yield(answering);
	}
	if (all <= WORK)
		return 1;
	answering->sample = LEAST_SAMPLE;
	return (int64_t) ceil(least / WORK);
}

static void
apply_features(EvAnswering *answering)
{
	const FactIndex *facts = answering->facts;
	FactGroup	own = {facts->start[answering->given], facts->start[answering->given + 1]};
	int64_t		stride = feature_stride(own, SAMPLE);

	if (own.first == own.end)
		return;
	feature_counter_ask(answering->counter, answering->given, answering->atom, answering->pool, answering->thread);
	stride *= limit_features(answering, own, stride);
	for (int64_t i = own.first; i < own.end; i += stride)
	{
		apply_feature(answering, i);
		if (i + stride >= own.end || facts->edge[i + stride].atom != facts->edge[i].atom)
			fire_best(answering, facts->edge[i].atom);
		yield(answering);
	}
}

/* ---- rules with constants, by the features of the answers ----------------------------- */

/* Counts, by feature, the answers among the facts that have it. */
static void
count_features(EvAnswering *answering, FactGroup answers, int64_t stride)
{
	const FactIndex *facts = answering->facts;

	for (int64_t i = answers.first; i < answers.end; i += stride)
	{
		int32_t		answer = facts->edge[i].other;
		FactGroup	own = {facts->start[answer], facts->start[answer + 1]};
		int64_t		own_stride = feature_stride(own, SAMPLE);

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
	const FactIndex *facts = answering->facts;
	FactEdge	feature = facts->edge[edge];
	int64_t		first = facts->mirror[edge];
	int32_t		support = answering->shared[first];
	int64_t		end;
	double		confidence;

	answering->shared[first] = 0;
	if (support < LEAST_SUPPORT)
		return;
	end = feature_sharing(facts, edge).end;
	confidence = (double) (support * stride) / (double) (end - first + EV_SMOOTHING);
	if (confidence < LEAST_CONFIDENCE || end - first > answering->work)
		return;
	answering->work -= end - first;
	for (int64_t i = first; i < end; i++)
	{
		if (i + AHEAD < end)
			prefetch_candidate(answering, facts->edge[i + AHEAD].other, facts->edge[i + AHEAD / 2].other);
		fire(answering, facts->edge[i].other, (EvFiring) {fmin(confidence, 1), feature.atom, EV_ANSWER, edge});
		pool_yield_at(answering->pool, answering->thread, i);
	}
	yield(answering);
}

static void
apply_answer_features(EvAnswering *answering)
{
	FactGroup	answers = answering->known;
	int64_t		stride = feature_stride(answers, SAMPLE);

	answering->work = WORK;
	count_features(answering, answers, stride);
	for (int64_t i = 0; i < answering->feature_count; i++)
	{
		apply_answer_feature(answering, answering->feature[i], stride);
		pool_yield_at(answering->pool, answering->thread, i);
	}
	answering->feature_count = 0;
}

/* ---- learnt paths ----------------------------------------------------------------- */

/* Before any rule fires: so there is room for all of them. */
static void
ask_network(EvAnswering *answering)
{
	const PathAnswer *answer;
	int64_t		count = path_answers(answering->reader, answering->side, answering->given, answering->relation,
									 answering->pool, answering->thread, &answer);

	for (int64_t i = 0; i < count; i++)
	{
		EvCandidate *candidate;

		/* a network that learnt nothing of use may score anything */
		if (!(answer[i].score > 0 && isfinite(answer[i].score)) || !may_answer(answering, answer[i].entity))
			continue;
		candidate = candidate_of(answering, answer[i].entity);
		if (candidate != NULL)
			candidate->network = answer[i].score;
	}
	yield(answering);
}

/* ---- a question ------------------------------------------------------------------- */

/* Clears what the last question wrote; it may have been left in the middle. */
static void
clear_question(EvAnswering *answering)
{
	for (int64_t i = 0; i < answering->count; i++)
		answering->slot[answering->candidate[i].entity] = 0;
	for (int64_t i = 0; i < answering->feature_count; i++)
		answering->shared[answering->facts->mirror[answering->feature[i]]] = 0;
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
	apply_path_rules(answering);
	apply_patterns(answering);
	apply_features(answering);
	apply_answer_features(answering);
}

int64_t
ev_answer(EvAnswering *answering, EvKind kind, Side side, int32_t given, int32_t relation,
		  Pool *pool, int thread, const EvCandidate **candidates)
{
	*candidates = answering->candidate;
	if (answering->answered && kind == answering->kind && side == answering->side && given == answering->given &&
		relation == answering->relation)
		return answering->count;
	clear_question(answering);
	answering->kind = kind;
	answering->side = side;
	answering->given = given;
	answering->relation = relation;
	answering->atom = side == SIDE_TAIL ? FORWARDS(relation) : MIRRORED(FORWARDS(relation));
	answering->known = fact_group(answering->facts, given, answering->atom);
	answering->closed = answering->closed_of == NULL ? 1 : answering->closed_of[2 * relation + (int32_t) side];
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
