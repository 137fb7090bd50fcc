/*
 * messages.c
 *		A layer's messages: what each entity that was kept sends along its edges.
 *
 * A message is the same for all edges of a group, those of an entity with one atom: it is computed once, and added to
 * the sum of each receiver.
 */
#include "walk.h"

#include <string.h>

#include "core/dense.h"
#include "core/exponential.h"
#include "core/vector.h"

#define MAX_REACHED 131072		/* entities that a layer reaches at most; further ones are left out */
#define YIELD_AT (1 << 18)		/* numbers that are added up between two looks at the slice's end */

typedef float Lanes __attribute__((vector_size(PATH_WIDTH_STEP * sizeof(float)), aligned(4), may_alias));
typedef float Eight __attribute__((vector_size(ATTENTION * sizeof(float)), aligned(4), may_alias));
typedef int32_t EightBits __attribute__((vector_size(ATTENTION * sizeof(float)), aligned(4), may_alias));

static inline float *
row(float *matrix, int64_t number, int width)
{
	return matrix + number * width;
}

/* ---- attention ------------------------------------------------------------------------- */

/* sum over k of out[k] * max(0, state[k] + atom[k]), and the offset behind out */
KERNEL void
attend_groups(int count, const float *restrict state, const float *restrict atoms, const FactGroupStart *group,
			  const float *restrict out, float *restrict attention)
{
	for (int i = 0; i < count; i++)
	{
		union
		{
			Eight		vector;
			float		number[ATTENTION];
		}			x = {*(const Eight *) state + *(const Eight *) (atoms + group[i].atom * ATTENTION)};

		x.vector = (Eight) ((EightBits) x.vector & (x.vector > 0)) * *(const Eight *) out;
		for (int k = 0; k < 4; k++)
			x.number[k] += x.number[k + 4];
		attention[i] = (x.number[0] + x.number[2]) + (x.number[1] + x.number[3]) + out[ATTENTION];
	}
	for (int i = 0; i < count; i++)
		attention[i] = sigmoid(attention[i]);
}

/* Gradients of one group's attention, from that of its logit */
KERNEL void
attend_back(float d_logit, const float *restrict state, const float *restrict atom, const float *restrict out,
			float *restrict d_state, float *restrict d_atom, float *restrict d_out)
{
	Eight		x = *(const Eight *) state + *(const Eight *) atom;
	Eight		d = (Eight) ((EightBits) (d_logit * *(const Eight *) out) & (x > 0));

	*(Eight *) d_out += d_logit * (Eight) ((EightBits) x & (x > 0));
	*(Eight *) d_state += d;
	*(Eight *) d_atom += d;
	d_out[ATTENTION] += d_logit;
}

/* ---- one message ------------------------------------------------------------------------ */

/* sum[receiver] += attention * (state * scale + shift), for each receiver */
KERNEL void
send_message(int width, float attention, const float *restrict state, const float *restrict scale,
			 const float *restrict shift, int count, const int32_t *restrict receiver, float *restrict sum)
{
	float		message[PATH_MAX_WIDTH];

	for (int j = 0; j < width; j += PATH_WIDTH_STEP)
		*(Lanes *) (message + j) = attention *
			(*(const Lanes *) (state + j) * *(const Lanes *) (scale + j) + *(const Lanes *) (shift + j));
	for (int i = 0; i < count; i++)
	{
		float	   *to = sum + (int64_t) receiver[i] * width;

		for (int j = 0; j < width; j += PATH_WIDTH_STEP)
			*(Lanes *) (to + j) += *(const Lanes *) (message + j);
	}
}

/*
 * The gradients of a message that went to these receivers: of the state, scale and shift; returns that of the
 * attention.
 */
KERNEL float
send_back(int width, float attention, const float *restrict state, const float *restrict scale,
		  const float *restrict shift, int count, const int32_t *restrict receiver, const float *restrict d_sum,
		  float *restrict d_state, float *restrict d_scale, float *restrict d_shift)
{
	Lanes		product = {0};
	float		total = 0;

	for (int j = 0; j < width; j += PATH_WIDTH_STEP)
	{
		Lanes		g = {0};
		Lanes		s = *(const Lanes *) (state + j);
		Lanes		a = *(const Lanes *) (scale + j);

		for (int i = 0; i < count; i++)
			g += *(const Lanes *) (d_sum + (int64_t) receiver[i] * width + j);
		product += g * (s * a + *(const Lanes *) (shift + j));
		g *= attention;
		*(Lanes *) (d_state + j) += g * a;
		*(Lanes *) (d_scale + j) += g * s;
		*(Lanes *) (d_shift + j) += g;
	}
	for (int k = 0; k < PATH_WIDTH_STEP; k++)
		total += product[k];
	return total;
}

/* ---- an entity's groups ------------------------------------------------------------------- */

typedef struct Groups
{
	const FactGroupStart *group;
	int			count;
} Groups;

static Groups
groups_of(const FactIndex *facts, int32_t entity)
{
	const FactDirectory *directory = &facts->directory[entity];

	return (Groups) {facts->group + directory[0].group, directory[1].group - directory[0].group};
}

int32_t
path_most_reached(const FactIndex *facts)
{
	return facts->entities < MAX_REACHED ? facts->entities : MAX_REACHED;
}

/* The place of an entity, a new one perhaps; -1 when there is none left. */
static int32_t
reach(PathWalk *walk, int32_t entity, int32_t *places, int32_t most)
{
	int32_t		place = walk->place[entity];

	if (place >= 0 || *places == most)
		return place;
	place = (*places)++;
	walk->place[entity] = place;
	walk->entity[place] = entity;
	memset(row(walk->sum, place, walk->shape.width), 0, (size_t) walk->shape.width * sizeof(float));
	return place;
}

/* The places of a group's entities below a bound, in walk->receiver: returns how many. */
static int
receivers(PathWalk *walk, const PathRemoved *removed, FactGroup group, int32_t bound)
{
	const FactEdge *edge = walk->facts->edge;
	int			count = 0;

	for (int64_t i = group.first; i < group.end; i++)
	{
		int32_t		place = walk->place[edge[i].other];

		if ((uint32_t) place < (uint32_t) bound && (removed == NULL || !path_is_removed(removed, i)))
			walk->receiver[count++] = place;
	}
	return count;
}

/* The same of all its entities, which are reached. */
static int
reached(PathWalk *walk, const PathRemoved *removed, FactGroup group, int32_t *places, int32_t most)
{
	const FactEdge *edge = walk->facts->edge;
	int			count = 0;

	for (int64_t i = group.first; i < group.end; i++)
	{
		int32_t		place;

		if (removed != NULL && path_is_removed(removed, i))
			continue;
		place = reach(walk, edge[i].other, places, most);
		if (place >= 0)
			walk->receiver[count++] = place;
	}
	return count;
}

static FactGroup
group_edges(const FactGroupStart *group)
{
	return (FactGroup) {group[0].first, group[1].first};
}

/* The facts that a walk leaves out of an entity's, if any */
static const PathRemoved *
removed_of(const PathWalk *walk, int32_t entity)
{
	return walk->removed != NULL && walk->removed->entity[entity] ? walk->removed : NULL;
}

/* Looks at the slice's end when the messages of many edges have been added up. */
static void
yield_behind(PathWalk *walk, FactGroup group, int64_t *numbers)
{
	*numbers += (group.end - group.first) * walk->shape.width;
	if (*numbers < YIELD_AT)
		return;
	*numbers = 0;
	pool_yield(walk->pool, walk->thread);
}

/* ---- a layer ------------------------------------------------------------------------------ */

/* What attention adds up: by place, and by atom for the one that is asked for. */
void
path_project(PathWalk *walk, int layer)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	const PathStage *stage = &walk->stage[layer];
	const float *asked = weights->attend_asked + walk->asked * ATTENTION;
	int			width = walk->shape.width;

	dense_combine(DENSE_PRODUCT, stage->senders, ATTENTION, width, stage->state, width, 1, weights->attend_state, ATTENTION,
				  walk->attend_state, ATTENTION, false);
	for (int32_t i = 0; i < walk->weights.atoms; i++)
		for (int k = 0; k < ATTENTION; k++)
			walk->attend_atom[i * ATTENTION + k] = weights->attend_atom[i * ATTENTION + k] + asked[k];
}

/* The attention of an entity's groups, and of what it sends itself behind them */
static void
attend(PathWalk *walk, int layer, int32_t sender, Groups groups)
{
	const float *out = walk->weights.layer[layer].attend;
	FactGroupStart itself = {.atom = walk->weights.atoms - 1};
	const float *state = row(walk->attend_state, sender, ATTENTION);

	attend_groups(groups.count, state, walk->attend_atom, groups.group, out, walk->attention);
	attend_groups(1, state, walk->attend_atom, &itself, out, walk->attention + groups.count);
}

float
path_attention(const PathWalk *walk, int layer, int32_t sender, DirectedAtom atom)
{
	FactGroupStart group = {.atom = atom};
	float		attention;

	attend_groups(1, walk->attend_state + (int64_t) sender * ATTENTION, walk->attend_atom, &group,
				  walk->weights.layer[layer].attend, &attention);
	return attention;
}

static void
send(PathWalk *walk, int layer, int32_t sender, DirectedAtom atom, float attention, int count)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	int			width = walk->shape.width;

	send_message(width, attention, row(walk->stage[layer].state, sender, width), row(weights->scale, atom, width),
				 row(weights->shift, atom, width), count, walk->receiver, walk->sum);
}

int32_t
path_spread(PathWalk *walk, int layer)
{
	int32_t		senders = walk->stage[layer].senders;
	int32_t		most = path_most_reached(walk->facts);
	int32_t		places = senders;
	int64_t		numbers = 0;

	path_project(walk, layer);
	memset(walk->sum, 0, (size_t) senders * (size_t) walk->shape.width * sizeof(float));
	for (int32_t i = 0; i < senders; i++)
	{
		const PathRemoved *removed = removed_of(walk, walk->entity[i]);
		Groups		groups = groups_of(walk->facts, walk->entity[i]);

		attend(walk, layer, i, groups);
		for (int g = 0; g < groups.count; g++)
		{
			FactGroup	group = group_edges(groups.group + g);
			int			count = reached(walk, removed, group, &places, most);

			send(walk, layer, i, groups.group[g].atom, walk->attention[g], count);
			yield_behind(walk, group, &numbers);
		}
		walk->receiver[0] = i;
		send(walk, layer, i, walk->weights.atoms - 1, walk->attention[groups.count], 1);
		yield_behind(walk, (FactGroup) {0, 1}, &numbers);
	}
	return places;
}

static void
send_gradients(PathWalk *walk, int layer, int32_t sender, DirectedAtom atom, float attention, int count,
			   const PathLayer *gradients)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	int			width = walk->shape.width;
	float		d_attention;

	if (count == 0)
		return;
	d_attention = send_back(width, attention, row(walk->stage[layer].state, sender, width),
							row(weights->scale, atom, width), row(weights->shift, atom, width), count, walk->receiver,
							walk->sum, row(walk->gradient, sender, width), row(gradients->scale, atom, width),
							row(gradients->shift, atom, width));
	attend_back(d_attention * attention * (1 - attention), row(walk->attend_state, sender, ATTENTION),
				row(walk->attend_atom, atom, ATTENTION), weights->attend, row(walk->d_attend_state, sender, ATTENTION),
				row(walk->d_attend_atom, atom, ATTENTION), gradients->attend);
}

/* Gradients of what path_project adds up */
static void
project_back(PathWalk *walk, int layer, const PathLayer *gradients)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	const PathStage *stage = &walk->stage[layer];
	float	   *asked = gradients->attend_asked + walk->asked * ATTENTION;
	int			width = walk->shape.width;
	float		turned[ATTENTION * PATH_MAX_WIDTH];

	for (int32_t i = 0; i < walk->weights.atoms; i++)
		for (int k = 0; k < ATTENTION; k++)
		{
			gradients->attend_atom[i * ATTENTION + k] += walk->d_attend_atom[i * ATTENTION + k];
			asked[k] += walk->d_attend_atom[i * ATTENTION + k];
		}
	for (int j = 0; j < width; j++)
		for (int k = 0; k < ATTENTION; k++)
			turned[k * width + j] = weights->attend_state[j * ATTENTION + k];
	dense_combine(DENSE_PRODUCT, stage->senders, width, ATTENTION, walk->d_attend_state, ATTENTION, 1, turned, width,
				  walk->gradient, width, true);
	dense_combine(DENSE_PRODUCT, width, ATTENTION, stage->senders, stage->state, 1, width, walk->d_attend_state, ATTENTION,
				  gradients->attend_state, ATTENTION, true);
}

void
path_spread_back(PathWalk *walk, int layer, const PathLayer *gradients)
{
	int32_t		senders = walk->stage[layer].senders;
	int64_t		numbers = 0;

	path_project(walk, layer);
	memset(walk->d_attend_state, 0, (size_t) senders * ATTENTION * sizeof(float));
	memset(walk->d_attend_atom, 0, (size_t) walk->weights.atoms * ATTENTION * sizeof(float));
	for (int32_t i = 0; i < senders; i++)
	{
		const PathRemoved *removed = removed_of(walk, walk->entity[i]);
		Groups		groups = groups_of(walk->facts, walk->entity[i]);

		attend(walk, layer, i, groups);
		for (int g = 0; g < groups.count; g++)
		{
			FactGroup	group = group_edges(groups.group + g);
			int			count = receivers(walk, removed, group, walk->stage[layer].count);

			send_gradients(walk, layer, i, groups.group[g].atom, walk->attention[g], count, gradients);
			yield_behind(walk, group, &numbers);
		}
		walk->receiver[0] = i;
		send_gradients(walk, layer, i, walk->weights.atoms - 1, walk->attention[groups.count], 1, gradients);
		yield_behind(walk, (FactGroup) {0, 1}, &numbers);
	}
	project_back(walk, layer, gradients);
}
