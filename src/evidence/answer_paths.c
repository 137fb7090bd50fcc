/*
 * answer_paths.c
 *		What path rules and patterns infer for a question (see answer.c).
 *
 * The path rules of a relation are in order, so that each path goes on from where it leaves the one before it.
 */
#include "answering.h"

#define PATTERN_WORK 100000		/* of one pattern: no single rule is worth more */

/* A rule may look at what is left of the work, but at no more than `most` edges, and at ANSWERING_SAMPLE in any case. */
static int64_t
most_edges(const EvAnswering *answering, int64_t most)
{
	if (answering->work < most)
		most = answering->work;
	return most > ANSWERING_SAMPLE ? most : ANSWERING_SAMPLE;
}

/* ---- path rules ----------------------------------------------------------------- */

/* Adds the entities of a group to a set of `count`, as far as there is room; how many there are then. */
static int64_t
add_to_set(EvAnswering *answering, FactGroup group, int32_t *set, int64_t count)
{
	const FactEdge *edge = answering->facts->edge;

	for (int64_t i = group.first; i < group.end && count < answering->room; i++)
	{
		int32_t		other = edge[i].other;

		set[count] = other;
		count += !answering_is_in_set(answering, other);
		answering_add_to_set(answering, other);
	}
	return count;
}

/* The entities that an atom leads to from those at `depth`; none, where there are too many or no work is left. */
static void
follow_atom(EvAnswering *answering, int depth, int32_t atom)
{
	int32_t    *from = answering->reached[depth];
	int64_t		edges = 0;
	int64_t		most = most_edges(answering, ANSWERING_WORK);
	int64_t		count = 0;
	FactGroup	group[FACT_AHEAD];

	answering_begin_set(answering);
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
			answering_yield(answering, group[i].end - group[i].first + 1);
		}
	}
	answering->work -= edges;
	/* a graph of fewer entities cannot reach too many */
	answering->reached_count[depth + 1] = count >= ANSWERING_REACH || edges > most ? 0 : count;
}

/* The rule infers what its whole path has reached. */
static void
fire_path(EvAnswering *answering, const EvRule *rule)
{
	const Rule *path = &rule->rule;
	EvFiring	firing = {
		.confidence = rule->confidence,
		.strength = ev_strength(rule->confidence),
		.cluster = (unsigned) (2 * answering->facts->relations + ev_atom(path, SIDE_TAIL, path->length - 1)),
		.source = EV_RULE,
		.number = (int32_t) (rule - answering->rules->rule)
	};
	const int32_t *reached = answering->reached[path->length];
	int64_t		count = answering->reached_count[path->length];

	for (int64_t i = 0; i < count; i++)
	{
		if (i + ANSWERING_AHEAD < count)
			answering_prefetch(answering, reached[i + ANSWERING_AHEAD], reached[i + ANSWERING_AHEAD / 2]);
		answering_fire(answering, reached[i], &firing);
	}
}

/* Each path goes on from where it leaves the one before it. */
void
answering_apply_path_rules(EvAnswering *answering)
{
	const EvRules *rules = answering->rules;
	const Rule *before = NULL;

	answering->work = ANSWERING_WORK;
	answering->reached[0][0] = answering->question.given;
	answering->reached_count[0] = 1;
	for (int64_t i = rules->first[answering->question.relation]; i < rules->pattern[answering->question.relation]; i++)
	{
		const EvRule *fired = &rules->rule[answering->question.side == SIDE_TAIL ? i : rules->backwards[i]];
		const Rule *rule = &fired->rule;
		int			common = 0;

		while (before != NULL && common < before->length && common < rule->length &&
			   ev_atom(before, answering->question.side, common) == ev_atom(rule, answering->question.side, common))
			common++;
		for (int depth = common; depth < rule->length; depth++)
			follow_atom(answering, depth, ev_atom(rule, answering->question.side, depth));
		fire_path(answering, fired);
		before = rule;
		answering_yield(answering, answering->reached_count[rule->length] + 1);
	}
}

/* ---- patterns ------------------------------------------------------------------- */

typedef struct FiringPattern
{
	EvAnswering *answering;
	EvFiring	firing;
} FiringPattern;

static void
fire_pattern(void *argument, const EvRectangle *pairs)
{
	FiringPattern *pattern = argument;

	for (int32_t i = 0; i < pairs->y_count; i++)
		answering_fire(pattern->answering, pairs->y[i], &pattern->firing);
}

/* Each is a cluster of its own. */
void
answering_apply_patterns(EvAnswering *answering)
{
	const EvRules *rules = answering->rules;
	int64_t		first = rules->pattern[answering->question.relation];

	answering->work = ANSWERING_WORK;
	for (int64_t i = first; i < rules->first[answering->question.relation + 1]; i++)
	{
		const EvRule *pattern = &rules->rule[i];
		FiringPattern firing = {answering, {pattern->confidence, ev_strength(pattern->confidence),
			(unsigned) (4 * answering->facts->relations + (i - first)), EV_RULE, (int32_t) i}};
		Rule		body = answering->question.side == SIDE_TAIL ? pattern->rule : rule_mirrored(&pattern->rule);
		EvJoinTarget target = {fire_pattern, &firing, answering->pool, answering->thread};
		int64_t		edges = ev_join_from(answering->join, &body, answering->question.given,
									 most_edges(answering, PATTERN_WORK), &target);

		answering->work -= edges;
		answering_yield(answering, edges + 1);
	}
}
