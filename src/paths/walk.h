/*
 * walk.h
 *		One question on its way through the layers of a network: forwards to scores, backwards to gradients.
 *
 * Entities that were kept have places, in the order in which they were first reached: those of a layer come before
 * those that the next layers add.  Place 0 is the given entity.
 */
#ifndef HKG_PATHS_WALK_H
#define HKG_PATHS_WALK_H

#include "core/allocation.h"
#include "network.h"

/* Facts that a walk does not use */
typedef struct PathRemoved
{
	bool	   *entity;			/* by entity: whether it has such edges */
	uint64_t   *edge;			/* a bit by edge */
} PathRemoved;

static inline bool
path_is_removed(const PathRemoved *removed, int64_t edge)
{
	return (removed->edge[edge / 64] >> edge % 64 & 1) != 0;
}

/* removed.c */
extern void path_removed_take(PathRemoved *removed, Allocation *allocation, const FactIndex *facts);

/* Takes nothing out. */
extern void path_removed_open(PathRemoved *removed, const FactIndex *facts);

/* Takes a fact out, or puts it back; the same with all facts that relate its entities. */
extern void path_set_removed(PathRemoved *removed, const FactIndex *facts, Triple fact, bool is_removed);
extern void path_set_all_removed(PathRemoved *removed, const FactIndex *facts, Triple fact, bool is_removed);

/* What is random while a network is learnt, by draws of `stream` */
typedef struct PathNoise
{
	double		dropout;		/* share of the numbers of a candidate state that is left out; 0: none */
	double		exploration;	/* as in PathPace */
	uint64_t	stream;
} PathNoise;

/* A message of a sender with an atom, and to whom it goes; they end where those of the next run begin */
typedef struct PathRun
{
	int32_t		sender;			/* place */
	DirectedAtom atom;
	int32_t		first;			/* of walk->receiver */
} PathRun;

/* How large a sum is, whose numbers have the mean square m (gate.c) */
typedef struct PathSize
{
	float		factor;			/* 1 / sqrt(1 + m) */
	float		logarithm;		/* of 1 + m */
} PathSize;

/* What a walk keeps of a layer; without a record, layers share it.  Rows are by place */
typedef struct PathStage
{
	int32_t		senders;		/* places before it */
	int32_t		count;			/* and after it */
	int64_t		runs;			/* that its messages go along: the first ones */
	float	   *state;			/* senders: the states before it */
	float	   *sum;			/* of messages */
	PathSize   *size;			/* of sums */
	float	   *candidate;
	float	   *gate;
	float	   *chance;			/* of those that it added: how promising they are, in 0 .. 1 */
} PathStage;

typedef struct PathWalk
{
	const FactIndex *facts;
	const PathRemoved *removed; /* NULL: no fact is */
	PathShape	shape;
	PathWeights weights;		/* parameters */
	bool		recorded;		/* stages have their own arrays, for path_walk_back */
	PathNoise	noise;
	Pool	   *pool;
	int			thread;
	Question	question;
	DirectedAtom asked;			/* from its given entity to its answers */
	bool		under_way;		/* also when a jump has left a question */
	int32_t    *place;			/* by entity, below 0: none */
	int32_t    *entity;			/* by place; behind the senders, those that a layer has reached */
	float	   *promise;		/* by entity: what messages add to its priority; 0 between layers */
	float	   *sum;			/* of messages, by place, or their gradients */
	PathRun    *run;			/* and where the last one ends */
	int64_t		runs;
	int32_t    *receiver;		/* places */
	PathStage	stage[PATH_MAX_LAYERS + 1]; /* the last one has only states, of all that were kept */
	float	   *score;			/* by place; gradients of scores, for path_walk_back */
	float	   *gradient;		/* of states, by place */

	/* scratch */
	float	   *attend_state;	/* place x ATTENTION */
	float	   *d_attend_state;
	float	   *attend_atom;	/* atom x ATTENTION, with what the asked atom adds */
	float	   *d_attend_atom;
	float	   *attention;		/* of the groups of one entity, or of runs */
	float	   *promise_scale;	/* atom x width: scales and shifts, weighted by priority */
	float	   *promise_shift;
	float	   *promise_group;	/* what the messages of an entity's groups add to priorities */
	float	   *priority;		/* of those that a layer reaches first */
	float	   *merit;			/* and what they are kept by: it with noise */
	float	   *block;			/* rows of the gate */
	float	   *turned_map;		/* matrices transposed, for gradients: by layer */
	float	   *turned_keep;
} PathWalk;

/* Places that there may be. */
extern int32_t path_most_places(const FactIndex *facts, PathShape shape);

/* Takes the arrays of a walk whose facts, shape and `recorded` are set. */
extern void path_walk_take(PathWalk *walk, Allocation *allocation);

/* `start`, and the products of two rows; in a kernel */
static inline __attribute__((always_inline)) float
path_product(int width, float start, const float *restrict a, const float *restrict b)
{
	float		lanes[PATH_WIDTH_STEP] = {0};

	for (int j = 0; j < width; j += PATH_WIDTH_STEP)
		for (int k = 0; k < PATH_WIDTH_STEP; k++)
			lanes[k] += a[j + k] * b[j + k];
	for (int k = 0; k < PATH_WIDTH_STEP; k++)
		start += lanes[k];
	return start;
}

/* Makes a walk ready for its first question. */
extern void path_walk_open(PathWalk *walk);

/* How many entities were kept by the last question. */
static inline int32_t
path_walk_count(const PathWalk *walk)
{
	return walk->stage[walk->shape.layers].senders;
}

/* Asks a question: places, entities and scores are those of its answers. */
extern void path_walk(PathWalk *walk, Question question);

/*
 * The logarithm of the sum of e^score over all entities but the known answers of the last question, whose scores become
 * -infinity.  Those that were not kept have score 0.
 */
extern double path_log_others(PathWalk *walk);

/*
 * The derivatives of the scores are in `score`: adds those of all parameters to the gradients.  The matrices that
 * path_walk_turn transposes must be those of the parameters.
 */
extern void path_walk_back(PathWalk *walk, const PathWeights *gradients);
extern void path_walk_turn(PathWalk *walk);

/* Its first step: the gradients of the last states, in walk->gradient, and of how scores are read from them. */
extern void path_read_back(PathWalk *walk, float *d_readout);

/* ---- messages.c: from senders to receivers ------------------------------------------- */

/* Places below 0, of entities that were not kept: whether the layer has reached them */
#define NOT_REACHED (-1)
#define REACHED (-2)

/*
 * Lists the entities that a layer reaches first, behind the senders, with what messages add to their priorities: returns how
 * many entities are listed then, with the senders.
 */
extern int32_t path_reach(PathWalk *walk, int layer);

/* Adds up the layer's messages to those that were kept. */
extern void path_spread(PathWalk *walk, int layer);

/*
 * walk->sum has the gradients of the layer's sums, by place: adds those of its parameters, and of the senders' states
 * to walk->gradient.
 */
extern void path_spread_back(PathWalk *walk, int layer, const PathLayer *gradients);

/*
 * The attention of a message, after path_project of its layer, which path_spread and path_spread_back begin with.
 */
extern void path_project(PathWalk *walk, int layer);
extern float path_attention(const PathWalk *walk, int layer, int32_t sender, DirectedAtom atom);

/* ---- gate.c: from sums to states ------------------------------------------------------- */

/* The states after a layer, from its sums. */
extern void path_update(PathWalk *walk, int layer);

/*
 * walk->gradient has the gradients of those states: replaces the senders' by those of the states before, adds those of
 * parameters, and writes those of the sums to walk->sum.
 */
extern void path_update_back(PathWalk *walk, int layer, const PathLayer *gradients);

extern size_t path_update_block(PathShape shape);	/* floats of scratch */

#endif							/* HKG_PATHS_WALK_H */
