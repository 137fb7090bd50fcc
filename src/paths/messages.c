/*
 * messages.c
 *		A layer's messages: what each entity that was kept sends along its edges.
 *
 * A message is the same for all edges of a group, those of an entity with one atom.  Most of the entities that a layer
 * reaches are not kept.  What they are chosen by is linear in their sum: so of each message only the number that it adds to
 * the priority goes along all edges (path_reach).
 *
 * Messages themselves go to those that were kept (path_spread), as runs: a sender, an atom, and places that it leads to.
 * A layer adds the runs of new senders, and those to new places, to the runs of the layers before, and uses all of them, as
 * its gradients do.
 */
#include "walk.h"

#include <string.h>

#include "core/dense.h"
#include "core/exponential.h"
#include "core/vector.h"

#define YIELD_AT (1 << 14)		/* edges between two looks at the end of the slice */

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
static inline __attribute__((always_inline)) float
attention_logit(const float *state, const float *atom, const float *out)
{
	union
	{
		Eight		vector;
		float		number[ATTENTION];
	}			x = {*(const Eight *) state + *(const Eight *) atom};

	x.vector = (Eight) ((EightBits) x.vector & (x.vector > 0)) * *(const Eight *) out;
	for (int k = 0; k < 4; k++)
		x.number[k] += x.number[k + 4];
	return (x.number[0] + x.number[2]) + (x.number[1] + x.number[3]) + out[ATTENTION];
}

/* Of one sender's groups */
KERNEL void
attend_groups(int count, const float *restrict state, const float *restrict atoms, const FactGroupStart *group,
			  const float *restrict out, float *restrict attention)
{
	for (int i = 0; i < count; i++)
		attention[i] = attention_logit(state, atoms + (int64_t) group[i].atom * ATTENTION, out);
	for (int i = 0; i < count; i++)
		attention[i] = sigmoid(attention[i]);
}

/* Of many senders' runs */
KERNEL void
attend_runs(int64_t count, const PathRun *run, const float *restrict states, const float *restrict atoms,
			const float *restrict out, float *restrict attention)
{
	for (int64_t i = 0; i < count; i++)
		attention[i] = attention_logit(states + (int64_t) run[i].sender * ATTENTION, atoms + (int64_t) run[i].atom * ATTENTION,
									   out);
	for (int64_t i = 0; i < count; i++)
		attention[i] = sigmoid(attention[i]);
}

/* What the message of each group adds to priorities: attention * (state . scale + shift), where these two are weighted by it */
KERNEL void
promise_groups(int width, int count, const float *restrict state, const float *restrict scale, const float *restrict shift,
			   const FactGroupStart *group, const float *restrict attention, float *restrict promise)
{
	for (int i = 0; i < count; i++)
		promise[i] = attention[i] * path_product(width, shift[group[i].atom], state, scale + (int64_t) group[i].atom * width);
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
 * attention.  Its vectors have eight numbers: GCC keeps sums of sixteen in memory where registers have eight.
 */
KERNEL float
send_back(int width, float attention, const float *restrict state, const float *restrict scale,
		  const float *restrict shift, int count, const int32_t *restrict receiver, const float *restrict d_sum,
		  float *restrict d_state, float *restrict d_scale, float *restrict d_shift)
{
	Eight		product[2] = {0};
	float		total = 0;

	for (int j = 0; j < width; j += PATH_WIDTH_STEP)
	{
		Eight		g[2] = {0};

		for (int i = 0; i < count; i++)
		{
			const float *d = d_sum + (int64_t) receiver[i] * width + j;

			g[0] += *(const Eight *) d;
			g[1] += *(const Eight *) (d + 8);
		}
		for (int k = 0; k < 2; k++)
		{
			int			first = j + 8 * k;
			Eight		s = *(const Eight *) (state + first);
			Eight		a = *(const Eight *) (scale + first);

			product[k] += g[k] * (s * a + *(const Eight *) (shift + first));
			g[k] *= attention;
			*(Eight *) (d_state + first) += g[k] * a;
			*(Eight *) (d_scale + first) += g[k] * s;
			*(Eight *) (d_shift + first) += g[k];
		}
	}
	for (int k = 0; k < PATH_WIDTH_STEP; k++)
		total += product[k / 8][k % 8];
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

/*
 * Adds a number to the priorities of a group's entities, and lists those that have neither a place nor been listed: returns
 * how many are listed then.
 */
static int32_t
reach(PathWalk *walk, const PathRemoved *removed, FactGroup group, float promise, int32_t listed)
{
	const FactEdge *edge = walk->facts->edge;

	for (int64_t i = group.first; i < group.end; i++)
	{
		int32_t		entity = edge[i].other;
		int32_t		place = walk->place[entity];

		if (removed != NULL && path_is_removed(removed, i))
			continue;
		walk->promise[entity] += promise;
		walk->entity[listed] = entity;
		walk->place[entity] = place == NOT_REACHED ? REACHED : place;
		listed += place == NOT_REACHED;
	}
	return listed;
}

/* Asks for the edges of an entity that is next. */
static inline void
prefetch_edges(const PathWalk *walk, int32_t place, int32_t places)
{
	const char *edges;

	if (place >= places)
		return;
	edges = (const char *) (walk->facts->edge + walk->facts->start[walk->entity[place]]);
	for (int line = 0; line < 4; line++)
		__builtin_prefetch(edges + 64 * line);
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

/* Looks at the slice's end behind many edges. */
static void
yield_behind(PathWalk *walk, FactGroup group, int64_t *edges)
{
	*edges += group.end - group.first;
	if (*edges < YIELD_AT)
		return;
	*edges = 0;
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

float
path_attention(const PathWalk *walk, int layer, int32_t sender, DirectedAtom atom)
{
	FactGroupStart group = {.atom = atom};
	float		attention;

	attend_groups(1, walk->attend_state + (int64_t) sender * ATTENTION, walk->attend_atom, &group,
				  walk->weights.layer[layer].attend, &attention);
	return attention;
}

/* Scale and shift of each atom, weighted by priority */
static void
weigh_atoms(PathWalk *walk, int layer)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	int			width = walk->shape.width;

	for (int32_t i = 0; i < walk->weights.atoms; i++)
	{
		const float *scale = row(weights->scale, i, width);
		const float *shift = row(weights->shift, i, width);
		float		sum = 0;

		for (int j = 0; j < width; j++)
		{
			walk->promise_scale[i * width + j] = weights->priority[j] * scale[j];
			sum += weights->priority[j] * shift[j];
		}
		walk->promise_shift[i] = sum;
	}
}

int32_t
path_reach(PathWalk *walk, int layer)
{
	const PathStage *stage = &walk->stage[layer];
	int32_t		listed = stage->senders;
	int			width = walk->shape.width;
	int64_t		edges = 0;

	path_project(walk, layer);
	weigh_atoms(walk, layer);
	for (int32_t i = 0; i < stage->senders; i++)
	{
		const PathRemoved *removed = removed_of(walk, walk->entity[i]);
		Groups		groups = groups_of(walk->facts, walk->entity[i]);

		prefetch_edges(walk, i + 2, stage->senders);
		attend_groups(groups.count, row(walk->attend_state, i, ATTENTION), walk->attend_atom, groups.group,
					  walk->weights.layer[layer].attend, walk->attention);
		promise_groups(width, groups.count, row(stage->state, i, width), walk->promise_scale, walk->promise_shift,
					   groups.group, walk->attention, walk->promise_group);
		for (int g = 0; g < groups.count; g++)
		{
			FactGroup	group = group_edges(groups.group + g);

			listed = reach(walk, removed, group, walk->promise_group[g], listed);
			yield_behind(walk, group, &edges);
		}
	}
	for (int32_t i = 0; i < stage->senders; i++)
		walk->promise[walk->entity[i]] = 0;
	return listed;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* Adds a run of the receivers that are listed behind those of the runs so far, if there are any. */
static void
add_run(PathWalk *walk, int32_t sender, DirectedAtom atom, int32_t end)
{
	if (end == walk->run[walk->runs].first)
		return;
	walk->run[walk->runs].sender = sender;
	walk->run[walk->runs].atom = atom;
	walk->run[++walk->runs].first = end;
}

/* The runs of a sender to the places from `first` on, and to itself if it is one of them */
static void
add_runs_of(PathWalk *walk, int32_t sender, int32_t first, int32_t places, int64_t *edges)
{
	const FactEdge *edge = walk->facts->edge;
	const PathRemoved *removed = removed_of(walk, walk->entity[sender]);
	Groups		groups = groups_of(walk->facts, walk->entity[sender]);
	int32_t		end = walk->run[walk->runs].first;

	for (int g = 0; g < groups.count; g++)
	{
		FactGroup	group = group_edges(groups.group + g);

		for (int64_t i = group.first; i < group.end; i++)
		{
			int32_t		place = walk->place[edge[i].other];

			walk->receiver[end] = place;
			end += (uint32_t) (place - first) < (uint32_t) (places - first) && (removed == NULL || !path_is_removed(removed, i));
		}
		add_run(walk, sender, groups.group[g].atom, end);
		yield_behind(walk, group, edges);
	}
	if (first > sender)
		return;
	walk->receiver[end++] = sender;
	add_run(walk, sender, walk->weights.atoms - 1, end);
}

void
path_spread(PathWalk *walk, int layer)
{
	PathStage  *stage = &walk->stage[layer];
	const PathLayer *weights = &walk->weights.layer[layer];
	int			width = walk->shape.width;
	int32_t		old_senders = layer == 0 ? 0 : stage[-1].senders;
	int64_t		edges = 0;

	for (int32_t i = 0; i < stage->senders; i++)
		add_runs_of(walk, i, i < old_senders ? stage->senders : 0, stage->count, &edges);
	stage->runs = walk->runs;
	memset(stage->sum, 0, (size_t) stage->count * (size_t) width * sizeof(float));
	attend_runs(stage->runs, walk->run, walk->attend_state, walk->attend_atom, weights->attend, walk->attention);
	for (int64_t i = 0; i < stage->runs; i++)
	{
		const PathRun *run = &walk->run[i];

		send_message(width, walk->attention[i], row(stage->state, run->sender, width), row(weights->scale, run->atom, width),
					 row(weights->shift, run->atom, width), run[1].first - run->first, walk->receiver + run->first, stage->sum);
		yield_behind(walk, (FactGroup) {run->first, run[1].first}, &edges);
	}
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
	const PathStage *stage = &walk->stage[layer];
	const PathLayer *weights = &walk->weights.layer[layer];
	int			width = walk->shape.width;
	int64_t		edges = 0;

	path_project(walk, layer);
	memset(walk->d_attend_state, 0, (size_t) stage->senders * ATTENTION * sizeof(float));
	memset(walk->d_attend_atom, 0, (size_t) walk->weights.atoms * ATTENTION * sizeof(float));
	attend_runs(stage->runs, walk->run, walk->attend_state, walk->attend_atom, weights->attend, walk->attention);
	for (int64_t i = 0; i < stage->runs; i++)
	{
		const PathRun *run = &walk->run[i];
		float		attention = walk->attention[i];
		float		d_attention = send_back(width, attention, row(stage->state, run->sender, width),
											row(weights->scale, run->atom, width), row(weights->shift, run->atom, width),
											run[1].first - run->first, walk->receiver + run->first, walk->sum,
											row(walk->gradient, run->sender, width), row(gradients->scale, run->atom, width),
											row(gradients->shift, run->atom, width));

		attend_back(d_attention * attention * (1 - attention), row(walk->attend_state, run->sender, ATTENTION),
					row(walk->attend_atom, run->atom, ATTENTION), weights->attend,
					row(walk->d_attend_state, run->sender, ATTENTION), row(walk->d_attend_atom, run->atom, ATTENTION),
					gradients->attend);
		yield_behind(walk, (FactGroup) {run->first, run[1].first}, &edges);
	}
	project_back(walk, layer, gradients);
}
