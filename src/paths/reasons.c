/*
 * reasons.c
 *		The paths that weigh most for an answer.
 *
 * The derivative of the answer's score by the sums of messages is what each message adds to it, to first order.  From
 * the answer's last state the whole of its score flows back: at each layer what has flowed to an entity is shared out
 * to the messages that came to it, and to its own state before, in proportion to what each adds; what would take away
 * gets nothing.  So the flows of all paths from the given entity add up to 1.  Waiting at an entity is no step: flows
 * of the same steps are one path.  Only the FLOWS largest are followed.
 *
 * By atoms, flows from one entity with the same atoms are one, whatever entities are between it and the answer: so the
 * FLOWS largest are more of the whole.  A flow that comes to an entity again loses the loop, and one that comes to the
 * given entity stays there.
 */
#include "walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/exponential.h"
#include "core/heap.h"

#define FLOWS PATH_MOST_REASONS	/* that are followed from layer to layer */
#define SPREAD 8				/* times as many are found before equal ones are put together */

typedef struct Flow
{
	double		share;
	int32_t		entity;			/* that it has come from */
	int			length;
	PathStep	step[PATH_MAX_LAYERS];	/* the last one first */
} Flow;

struct PathReasoner
{
	PathWalk	walk;
	const PathNetwork *network;
	PathRemoved removed;
	float	   *gradient;		/* of parameters, which nothing uses */
	bool		by_atoms;
	int32_t		given;			/* of the question */
	Flow	   *flow;			/* FLOWS at most */
	Flow	   *next;			/* a heap of SPREAD * FLOWS */
	int			flows;
	int			found;
	int64_t		since;			/* edges that were looked at since the last yield */
};

/* ---- memory ----------------------------------------------------------------------------- */

static PathReasoner *
take_reasoner(PathReasoner plan, Allocation *allocation)
{
	PathReasoner *reasoner = TAKE(allocation, PathReasoner, 1);

	path_walk_take(&plan.walk, allocation);
	path_removed_take(&plan.removed, allocation, plan.walk.facts);
	plan.gradient = TAKE(allocation, float, path_parameters(plan.walk.shape));
	plan.flow = TAKE(allocation, Flow, FLOWS);
	plan.next = TAKE(allocation, Flow, SPREAD * FLOWS);
	if (reasoner != NULL)
		*reasoner = plan;
	return reasoner;
}

static PathReasoner
plan_reasoner(const FactIndex *facts, PathShape shape)
{
	return (PathReasoner) {.walk = {.facts = facts,.shape = shape,.recorded = true}};
}

PathReasoner *
path_reasoner(Arena *arena, const FactIndex *facts, const PathNetwork *network, bool by_atoms)
{
	PathReasoner plan = plan_reasoner(facts, network->shape);
	Allocation	allocation = {0};
	PathReasoner *reasoner;

	take_reasoner(plan, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	reasoner = take_reasoner(plan, &allocation);
	reasoner->network = network;
	reasoner->walk.removed = &reasoner->removed;
	reasoner->by_atoms = by_atoms;
	path_removed_open(&reasoner->removed, facts);
	path_walk_open(&reasoner->walk);
	return reasoner;
}

/* ---- what a message adds -------------------------------------------------------------------- */

/* What a message from a place along an atom adds to the score, by its receiver */
static double
message_worth(const PathWalk *walk, int layer, int32_t sender, DirectedAtom atom, int32_t receiver)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	int			width = walk->shape.width;
	const float *state = walk->stage[layer].state + (int64_t) sender * width;
	const float *scale = weights->scale + (int64_t) atom * width;
	const float *shift = weights->shift + (int64_t) atom * width;
	const float *d_sum = walk->sum + (int64_t) receiver * width;
	double		sum = 0;

	for (int j = 0; j < width; j++)
		sum += (double) d_sum[j] * (state[j] * scale[j] + shift[j]);
	return sum * path_attention(walk, layer, sender, atom);
}

/* What an entity's own state adds: by the message to itself, and by what the gate keeps. */
static double
waiting_worth(const PathWalk *walk, int layer, int32_t place)
{
	int			width = walk->shape.width;
	const float *gradient = walk->gradient + (int64_t) place * width;
	const float *state = walk->stage[layer].state + (int64_t) place * width;
	double		kept = 0;

	for (int j = 0; j < width; j++)
		kept += (double) gradient[j] * state[j];
	return message_worth(walk, layer, place, walk->weights.atoms - 1, place) + kept;
}

/* ---- flows ------------------------------------------------------------------------------------ */

/* By share, falling; equal ones in any order that does not change */
static int
compare_shares(const void *a, const void *b)
{
	const Flow *left = a;
	const Flow *right = b;

	if (left->share != right->share)
		return left->share > right->share ? -1 : 1;
	if (left->entity != right->entity)
		return left->entity < right->entity ? -1 : 1;
	return memcmp(left->step, right->step, sizeof(left->step));
}

/* Those from one entity with the same atoms beside each other */
static int
compare_atoms(const void *a, const void *b)
{
	const Flow *left = a;
	const Flow *right = b;

	if (left->entity != right->entity)
		return left->entity < right->entity ? -1 : 1;
	if (left->length != right->length)
		return left->length < right->length ? -1 : 1;
	for (int i = 0; i < left->length; i++)
		if (left->step[i].atom != right->step[i].atom)
			return left->step[i].atom < right->step[i].atom ? -1 : 1;
	return 0;
}

/* And of these, those of the same steps */
static int
compare_steps(const void *a, const void *b)
{
	const Flow *left = a;
	const Flow *right = b;
	int			order = compare_atoms(a, b);

	return order != 0 ? order : memcmp(left->step, right->step, sizeof(left->step));
}

static void
offer(PathReasoner *reasoner, const Flow *flow)
{
	if (flow->share > 0)
		reasoner->found = (int) heap_offer(reasoner->next, reasoner->found, SPREAD * FLOWS, flow, sizeof(Flow),
										   compare_shares);
}

/* Offers what comes over an edge of a flow's entity, backwards. */
static void
step_back(PathReasoner *reasoner, const Flow *flow, const FactEdge *edge, double share)
{
	Flow		next = *flow;

	next.share *= share;
	next.step[next.length++] = (PathStep) {MIRRORED(edge->atom), flow->entity};
	next.entity = edge->other;
	/* a loop is cut off; the answer may be the given entity */
	for (int i = next.entity == reasoner->given; i < next.length && reasoner->by_atoms; i++)
		if (next.step[i].to == next.entity)
		{
			memset(next.step + i, 0, (size_t) (next.length - i) * sizeof(PathStep));
			next.length = i;
		}
	offer(reasoner, &next);
}

/* What a message over an edge of a receiver adds to the score, if there is one that adds to it */
static double
edge_worth(const PathWalk *walk, int layer, int64_t edge, int32_t receiver)
{
	int32_t		sender = walk->place[walk->facts->edge[edge].other];

	if (sender < 0 || sender >= walk->stage[layer].senders || path_is_removed(walk->removed, edge))
		return 0;
	return fmax(message_worth(walk, layer, sender, MIRRORED(walk->facts->edge[edge].atom), receiver), 0);
}

/* Shares a flow out to where it has come from. */
static void
share_out(PathReasoner *reasoner, int layer, const Flow *flow)
{
	PathWalk   *walk = &reasoner->walk;
	const int64_t *start = &walk->facts->start[flow->entity];
	int32_t		place = walk->place[flow->entity];
	double		waiting = place < walk->stage[layer].senders ? fmax(waiting_worth(walk, layer, place), 0) : 0;
	double		total = waiting;
	Flow		waits = *flow;

	if (reasoner->by_atoms && flow->entity == reasoner->given && flow->length > 0)
	{
		offer(reasoner, flow);
		return;
	}
	for (int64_t i = start[0]; i < start[1]; i++)
	{
		total += edge_worth(walk, layer, i, place);
		pool_yield_after(walk->pool, walk->thread, 1, &reasoner->since);
	}
	if (!(total > 0))
		return;
	waits.share *= waiting / total;
	offer(reasoner, &waits);
	for (int64_t i = start[0]; i < start[1]; i++)
	{
		double		worth = edge_worth(walk, layer, i, place);

		if (worth > 0)
			step_back(reasoner, flow, &walk->facts->edge[i], worth / total);
		pool_yield_after(walk->pool, walk->thread, 1, &reasoner->since);
	}
}

/* Puts flows that are one together, and keeps the largest. */
static void
gather(PathReasoner *reasoner)
{
	Flow	   *next = reasoner->next;
	int			distinct = 0;

	qsort(next, (size_t) reasoner->found, sizeof(Flow), compare_steps);
	for (int i = 0; i < reasoner->found; i++)
		if (distinct > 0 && (reasoner->by_atoms ? compare_atoms : compare_steps) (&next[i], &next[distinct - 1]) == 0)
			next[distinct - 1].share += next[i].share;
		else
			next[distinct++] = next[i];
	qsort(next, (size_t) distinct, sizeof(Flow), compare_shares);
	reasoner->flows = distinct < FLOWS ? distinct : FLOWS;
	memcpy(reasoner->flow, next, (size_t) reasoner->flows * sizeof(Flow));
}

/* ---- the member whose reasons they are ---------------------------------------------------------- */

static void
ask_member(PathReasoner *reasoner, int member, Question question)
{
	PathWalk   *walk = &reasoner->walk;

	walk->weights = path_weights(walk->shape, path_member(reasoner->network, member).parameter);
	path_walk(walk, question);
}

/* Asks the member that gives an answer the largest share (reader.c): returns the answer's place, below 0: none kept it. */
static int32_t
ask_best_member(PathReasoner *reasoner, Question question, int32_t answer)
{
	PathWalk   *walk = &reasoner->walk;
	int			members = reasoner->network->members;
	int			best = 0;
	double		most = -INFINITY;

	for (int i = 0; i < members; i++)
	{
		int32_t		place;
		double		score;
		double		share;			/* its logarithm */

		ask_member(reasoner, i, question);
		place = walk->place[answer];
		if (place < 0 || members == 1)
			continue;
		score = walk->score[place];
		share = score - path_log_others(walk);
		if (share > most)
		{
			most = share;
			best = i;
		}
	}
	if (most > -INFINITY && best < members - 1)
		ask_member(reasoner, best, question);
	return walk->place[answer];
}

/* ---- reasons -------------------------------------------------------------------------------------- */

/* Follows the score of the answer at a place back to the given entity. */
static void
follow(PathReasoner *reasoner, int32_t place)
{
	PathWalk   *walk = &reasoner->walk;
	PathWeights gradients = path_weights(walk->shape, reasoner->gradient);

	path_walk_turn(walk);
	memset(walk->score, 0, (size_t) path_walk_count(walk) * sizeof(float));
	walk->score[place] = 1;
	reasoner->flow[0] = (Flow) {.share = 1,.entity = walk->entity[place]};
	reasoner->flows = 1;
	path_read_back(walk, gradients.readout);
	for (int i = walk->shape.layers - 1; i >= 0; i--)
	{
		path_update_back(walk, i, &gradients.layer[i]);
		path_project(walk, i);
		/* flows after the layer become flows before it */
		reasoner->found = 0;
		for (int j = 0; j < reasoner->flows; j++)
			share_out(reasoner, i, &reasoner->flow[j]);
		gather(reasoner);
		path_spread_back(walk, i, &gradients.layer[i]);
	}
}

/* The largest flows of paths with steps, and a last reason with the rest. */
static int
list_reasons(const PathReasoner *reasoner, int most, PathReason *reasons)
{
	int			count = 0;
	double		rest = 1;

	for (int i = 0; i < reasoner->flows && count < most; i++)
	{
		const Flow *flow = &reasoner->flow[i];

		if (flow->length == 0)
			continue;
		reasons[count] = (PathReason) {.length = flow->length,.share = flow->share};
		for (int j = 0; j < flow->length; j++)
			reasons[count].step[j] = flow->step[flow->length - 1 - j];
		rest -= flow->share;
		count++;
	}
	reasons[count] = (PathReason) {.share = fmax(rest, 0)};
	return count + 1;
}

int
path_reasons(PathReasoner *reasoner, Triple triple, Side side, bool without, int most, PathReason *reasons, Pool *pool,
			 int thread)
{
	PathWalk   *walk = &reasoner->walk;
	int32_t		place;
	int			count = 0;

	reasoner->given = triple_given(&triple, side);
	walk->pool = pool;
	walk->thread = thread;
	path_removed_open(&reasoner->removed, walk->facts);
	if (without)
		path_set_removed(&reasoner->removed, walk->facts, triple, true);
	place = ask_best_member(reasoner, question_of(side, reasoner->given, triple.relation), triple_answer(&triple, side));
	if (place >= 0)
	{
		follow(reasoner, place);
		count = list_reasons(reasoner, most, reasons);
	}
	return count;
}
