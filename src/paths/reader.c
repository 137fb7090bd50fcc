/*
 * reader.c
 *		The answers of a network to questions.
 *
 * A member gives an entity the share e^s of the sum of e^s over all entities, as it does while it is learnt: s is 0 for
 * what it did not keep, and known answers are left out.  The share of several members is the mean of theirs.  As an s, by
 * which those that no member kept have 0 again, that is log(1 + sum of w (e^s - 1)), where a member's w is its share of
 * what it did not keep, over the sum of all members' w.  An answer's score is log(1 + e^s).
 *
 * A triple answers two questions, and the second one knows what the first does not: (h, r, ?) finds t among all
 * entities, (?, r, t) finds h.  So the best answers of a question that are no facts are asked in reverse, and what e^s
 * they have together is dealt out anew, in proportion to e^s sqrt(q sqrt(1 + n)): q is the share of the given entity in
 * the reverse question, and n how many known answers that has, since one with many of them lacks more.
 */
#include "walk.h"

#include <math.h>
#include <string.h>

#define MOST_EXPONENT 300		/* beyond all that is learnt; e to the power of it is still far from an overflow */
#define LEAST_EXPONENT (-MOST_EXPONENT)
#define REVERSE_WEIGHT 0.5		/* both chosen on valid triples of three graphs (bench/RESULTS.md) */
#define KNOWN_WEIGHT 0.5

struct PathReader
{
	PathWalk	walk;
	const PathNetwork *network;
	PathWeights *weights;		/* of each member */
	PathAnswer *answer;
	int64_t		answers;
	int32_t    *place;			/* by entity: of its answer; below 0: none */
	double	   *sum;			/* by answer: of w (e^s - 1), before the ws are divided by their sum */
};

static int64_t
most_answers(const PathReader *plan, int members)
{
	int64_t		most = members * (int64_t) path_most_places(plan->walk.facts, plan->walk.shape);

	return most < plan->walk.facts->entities ? most : plan->walk.facts->entities;
}

static PathReader *
take_reader(const FactIndex *facts, PathShape shape, int members, Allocation *allocation)
{
	PathReader	plan = {.walk = {.facts = facts,.shape = shape}};
	PathReader *reader = TAKE(allocation, PathReader, 1);

	path_walk_take(&plan.walk, allocation);
	plan.weights = TAKE(allocation, PathWeights, (size_t) members);
	plan.answer = TAKE(allocation, PathAnswer, (size_t) most_answers(&plan, members));
	plan.place = TAKE(allocation, int32_t, (size_t) facts->entities);
	plan.sum = TAKE(allocation, double, (size_t) most_answers(&plan, members));
	if (reader != NULL)
		*reader = plan;
	return reader;
}

size_t
path_reader_bytes(const FactIndex *facts, PathShape shape, int members)
{
	Allocation	allocation = {0};

	take_reader(facts, shape, members, &allocation);
	return allocation_bytes(&allocation);
}

PathReader *
path_reader(Arena *arena, const FactIndex *facts, const PathNetwork *network)
{
	Allocation	allocation = {0};
	PathReader *reader;

	take_reader(facts, network->shape, network->members, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	reader = take_reader(facts, network->shape, network->members, &allocation);
	reader->network = network;
	for (int i = 0; i < network->members; i++)
		reader->weights[i] = path_weights(network->shape, path_member(network, i).parameter);
	for (int32_t i = 0; i < facts->entities; i++)
		reader->place[i] = -1;
	path_walk_open(&reader->walk);
	return reader;
}

/* log(1 + e^x): 0 for what is hopeless, x for what is likely */
static float
positive(double x)
{
	return (float) (x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)));
}

static void
forget_answers(PathReader *reader)
{
	for (int64_t i = 0; i < reader->answers; i++)
		reader->place[reader->answer[i].entity] = -1;
	reader->answers = 0;
}

/* The place of an entity's answer, which is made where there is none */
static int32_t
answer_place(PathReader *reader, int32_t entity)
{
	int32_t		place = reader->place[entity];

	if (place < 0)
	{
		place = reader->place[entity] = (int32_t) reader->answers++;
		reader->answer[place].entity = entity;
		reader->sum[place] = 0;
	}
	return place;
}

/* Adds what the walk has found; returns the member's w. */
static double
add_member(PathReader *reader)
{
	PathWalk   *walk = &reader->walk;
	float	   *score = walk->priority; /* which the walk needs no more */
	int32_t		count = path_walk_count(walk);
	double		worth;

	memcpy(score, walk->score, (size_t) count * sizeof(float));
	worth = exp(-fmin(path_log_others(walk), MOST_EXPONENT));
	for (int32_t i = 0; i < count; i++)
		reader->sum[answer_place(reader, walk->entity[i])] += worth * expm1(fmin(score[i], MOST_EXPONENT));
	return worth;
}

/* ---- the reverse question ------------------------------------------------------------- */

/* By score, falling; equal ones by row */
static bool
is_before(const PathAnswer *a, const PathAnswer *b)
{
	return a->score > b->score || (a->score == b->score && a->entity < b->entity);
}

/* The best answers that are no facts, in that order; the given entity is none.  Returns how many. */
static int
best_answers(const PathReader *reader, Question question, int most, PathAnswer **best)
{
	const FactIndex *facts = reader->walk.facts;
	FactGroup	known = fact_group(facts, question.given, asked_atom(question.relation, question.side));
	int			count = 0;

	for (int64_t i = 0; i < reader->answers; i++)
	{
		PathAnswer *answer = &reader->answer[i];
		int			at;

		if (!(answer->score > 0) || !isfinite(answer->score) || (count == most && !is_before(answer, best[most - 1])) ||
			answer->entity == question.given || fact_group_holds(facts, known, answer->entity))
			continue;
		if (count < most)
			count++;
		for (at = count - 1; at > 0 && is_before(answer, best[at - 1]); at--)
			best[at] = best[at - 1];
		best[at] = answer;
	}
	return count;
}

/* The logarithm of the share of an entity in a question whose facts it is none of: of the members' mean */
static double
log_share(PathReader *reader, Question question, int32_t entity)
{
	PathWalk   *walk = &reader->walk;
	double		share = 0;

	for (int i = 0; i < reader->network->members; i++)
	{
		int32_t		place;
		double		score;

		walk->weights = reader->weights[i];
		path_walk(walk, question);
		place = walk->place[entity];
		score = place < 0 ? 0 : walk->score[place];
		share += exp(fmax(fmin(score, MOST_EXPONENT), LEAST_EXPONENT) - fmin(path_log_others(walk), MOST_EXPONENT));
	}
	return log(share / reader->network->members);
}

/* What the reverse question of an answer adds to its s */
static double
reverse_gain(PathReader *reader, Question question, int32_t answer)
{
	Question	reverse = question_of(other_side(question.side), answer, question.relation);
	FactGroup	known = fact_group(reader->walk.facts, answer, asked_atom(reverse.relation, reverse.side));

	return REVERSE_WEIGHT * (log_share(reader, reverse, question.given) +
							 KNOWN_WEIGHT * log1p((double) (known.end - known.first)));
}

/* The s of a score above 0 */
static double
exponent_of(float score)
{
	return score < 30 ? log(expm1(score)) : score;
}

/* The logarithm of the sum of e^s of some s */
static double
log_sum(const double *s, int count)
{
	double		most = -INFINITY;
	double		sum = 0;

	for (int i = 0; i < count; i++)
		most = fmax(most, s[i]);
	for (int i = 0; i < count; i++)
		sum += exp(s[i] - most);
	return most + log(sum);
}

static void
ask_in_reverse(PathReader *reader, Question question)
{
	PathAnswer *best[PATH_MAX_REVERSED];
	double		s[PATH_MAX_REVERSED];
	int			count = best_answers(reader, question, reader->network->reversed, best);
	double		before;
	double		after;

	/* one answer alone would get all that it has */
	if (count < 2)
		return;
	for (int i = 0; i < count; i++)
		s[i] = exponent_of(best[i]->score);
	before = log_sum(s, count);
	for (int i = 0; i < count; i++)
		s[i] += reverse_gain(reader, question, best[i]->entity);
	after = log_sum(s, count);
	for (int i = 0; i < count; i++)
		best[i]->score = positive(s[i] + before - after);
}

/* ---- a question ------------------------------------------------------------------------ */

int64_t
path_answers(PathReader *reader, Question question, Pool *pool, int thread, const PathAnswer **answers)
{
	PathWalk   *walk = &reader->walk;
	int			members = reader->network->members;
	double		total = 0;

	forget_answers(reader);
	walk->pool = pool;
	walk->thread = thread;
	for (int i = 0; i < members; i++)
	{
		walk->weights = reader->weights[i];
		path_walk(walk, question);
		if (members > 1)
			total += add_member(reader);
	}
	if (members > 1)
		for (int64_t i = 0; i < reader->answers; i++)
			reader->answer[i].score = (float) log1p(1 + reader->sum[i] / total);
	else
		for (int32_t i = 0; i < path_walk_count(walk); i++)
			reader->answer[answer_place(reader, walk->entity[i])].score = positive(walk->score[i]);
	if (reader->network->reversed > 1)
		ask_in_reverse(reader, question);
	*answers = reader->answer;
	return reader->answers;
}

float
path_score(const PathReader *reader, int32_t entity)
{
	int32_t		place = reader->place[entity];

	return place < 0 ? 0 : reader->answer[place].score;
}

/*
 * A state is between the one before it and numbers within 1: so it is within 1, or within what a question starts with.
 * What rounding adds is far below a hundredth.
 */
static double
most_of_member(PathShape shape, const PathWeights *weights)
{
	float		largest = 1;
	double		sum = 0;

	for (int64_t i = 0; i < 2 * (int64_t) shape.relations * shape.width; i++)
		largest = fmaxf(largest, fabsf(weights->start[i]));
	for (int i = 0; i < shape.width; i++)
		sum += fabs((double) weights->readout[i]);
	sum = weights->readout[shape.width] + 1.01 * (double) largest * sum + 0.01;
	return isfinite(sum) ? positive((float) sum) : INFINITY;
}

double
path_most_score(const PathReader *reader)
{
	/* what one member did not keep has s = 0 by it */
	double		most = reader->network->members > 1 ? positive(0) : 0;

	for (int i = 0; i < reader->network->members; i++)
		most = fmax(most, most_of_member(reader->walk.shape, &reader->weights[i]));
	/* one answer may get all that several have */
	return reader->network->reversed > 1 ? most + log(reader->network->reversed) : most;
}
