/*
 * paths.h
 *		The third predictor: a network that is learnt to read the paths from an entity.
 *
 * A question (h, r, ?) starts at its given entity h.  A layer goes one step further over the edges of the facts: each
 * entity that was reached sends its state along its edges, combined with the embedding of the edge's directed atom and
 * weighted by attention, which depends on the state, on the atom and on the relation that is asked for.  A receiver adds
 * up what comes in; a linear map and a gate make its new state of the sum and the state before.  Of the entities that a
 * layer reaches for the first time only the most promising are kept, those that were kept once stay.  The score of an
 * entity is read from its last state.  Parameters belong to relations and layers, none to an entity: so an entity that
 * came after the training is as good as any other one, as soon as it has a fact.  Several networks, each drawn and learnt
 * apart, may answer together: they err in different places.  doc/method.md, "Learnt paths", has the equations.
 *
 * Entities and relations are rows, those of the FactIndex.  Memory comes from the caller's Arena; functions return false
 * or NULL when it is empty.  Results do not depend on the number of threads.
 */
#ifndef HKG_PATHS_PATHS_H
#define HKG_PATHS_PATHS_H

#include "core/core.h"
#include "core/pool.h"
#include "facts/fact_index.h"

/* ---- network.c: the parameters ------------------------------------------------- */

#define PATH_MAX_LAYERS	16
#define PATH_WIDTH_STEP	16		/* widths are multiples of it */
#define PATH_MAX_WIDTH	256
#define PATH_MAX_KEPT	65536

typedef struct PathShape
{
	int32_t		relations;
	int			layers;			/* 1 .. PATH_MAX_LAYERS */
	int			width;			/* numbers of a state */
	int32_t		kept;			/* entities that a layer keeps of those that it reaches first, at most: 1 ..
								 * PATH_MAX_KEPT; the last layer keeps eight times as many */
} PathShape;

#define PATH_MAX_MEMBERS 16
#define PATH_MAX_REVERSED 64

typedef struct PathNetwork
{
	PathShape	shape;
	float	   *parameter;		/* path_parameters numbers a member, the caller's */
	int			members;		/* networks of that shape that answer together: 1 .. PATH_MAX_MEMBERS */
	int			reversed;		/* the best answers, PATH_MAX_REVERSED at most, that are asked in reverse; 0 and 1:
								 * none, as one answer alone stays the best */
} PathNetwork;

/* Walks that answer a question */
static inline int
path_walks(int members, int reversed)
{
	return members * (reversed > 1 ? 1 + reversed : 1);
}

/* How many numbers a member is. */
extern size_t path_parameters(PathShape shape);

/* And all of a network's members together. */
static inline size_t
path_numbers(const PathNetwork *network)
{
	return (size_t) network->members * path_parameters(network->shape);
}

/* One of its members, from 0 on, as a network. */
static inline PathNetwork
path_member(const PathNetwork *network, int member)
{
	return (PathNetwork) {.shape = network->shape,.members = 1,
	.parameter = network->parameter + (size_t) member * path_parameters(network->shape)};
}

/* Initial parameters of a network of one member. */
extern void path_initialise(PathNetwork *network, uint64_t seed);

/*
 * A part of the parameters of a member: an array with `rows` rows of `columns` numbers.  By atom, row 2 i is of
 * relation i forwards and row 2 i + 1 of it backwards; of an odd number of rows the last one is of the atom that leads
 * from an entity to itself.
 */
typedef struct PathPart
{
	const char *name;
	int			layer;			/* 1 .. layers; 0: of no layer */
	bool		by_atom;
	int32_t		rows;
	int			columns;
	float	   *number;
} PathPart;

#define PATH_MAX_PARTS (2 + 11 * PATH_MAX_LAYERS)

/* All those of its first member; returns how many. */
extern int	path_parts(const PathNetwork *network, PathPart *parts);

/* ---- reader.c: answers ----------------------------------------------------------- */

/* What one thread reads paths with */
typedef struct PathReader PathReader;

typedef struct PathAnswer
{
	int32_t		entity;
	float		score;			/* 0 or more; all entities that are not listed have 0 */
} PathAnswer;

extern size_t path_reader_bytes(const FactIndex *facts, PathShape shape, int members);

/* Facts and network must stay. */
extern PathReader *path_reader(Arena *arena, const FactIndex *facts, const PathNetwork *network);

/*
 * The entities that a member kept as answers of a question, with what it excludes, each once, in no order; they last until
 * another question.  The given entity is one of them.  Reverse questions have changed the scores of the best ones.  The
 * call runs in `thread` of `pool`, or in its leader, and yields there.  Returns how many.
 */
extern int64_t path_answers(PathReader *reader, Question question, Pool *pool, int thread,
							const PathAnswer **answers);

/* The score of an entity as an answer to the last question. */
extern float path_score(const PathReader *reader, int32_t entity);

/* No score is above it. */
extern double path_most_score(const PathReader *reader);

/* ---- reasons.c: the paths that weigh most ----------------------------------------- */

typedef struct PathStep
{
	DirectedAtom atom;			/* from the entity before, at first the given one */
	int32_t		to;
} PathStep;

typedef struct PathReason
{
	int			length;			/* 0: all that is not in the other reasons */
	PathStep	step[PATH_MAX_LAYERS];	/* the last one leads to the answer */
	double		share;			/* of the answer's score; all reasons' add up to 1 */
} PathReason;

#define PATH_MOST_REASONS 256	/* with steps, that an answer has */

/* What finds reasons, one thread's: those of the member that has most part in an answer's score */
typedef struct PathReasoner PathReasoner;

/* by_atoms: paths with the same atoms are one reason, with the entities of one of them, which are different ones. */
extern PathReasoner *path_reasoner(Arena *arena, const FactIndex *facts, const PathNetwork *network, bool by_atoms);

/*
 * The `most` paths at most that weigh most for a triple, as an answer on `side`, by weight, and a last reason of length 0
 * with the rest.  Room for most + 1.  Returns how many; 0 where the answer was not kept.  Where the triple is a fact,
 * `without` takes it out.
 */
extern int	path_reasons(PathReasoner *reasoner, Triple triple, Side side, bool without, int most, PathReason *reasons,
						 Pool *pool, int thread);

/* ---- survey.c: the relation paths that weigh most over many questions --------------- */

/* What paths over entities have in common: their atoms, from the head of a fact to its tail */
typedef struct RelationPath
{
	int			length;			/* 1 .. PATH_MAX_LAYERS */
	DirectedAtom atom[PATH_MAX_LAYERS];	/* 0 behind the last */
	int64_t		questions;		/* that it has a share of */
	double		share;			/* the sum of these; those of one question add up to 1 at most */
} RelationPath;


/*
 * Asks for `count` facts of the index, each on both sides without itself, and lists the relation paths of all reasons,
 * the largest share first.  Returns how many; -1 when the arena is empty.
 */
extern int64_t path_survey(Arena *arena, Pool *pool, const FactIndex *facts, const PathNetwork *network, const Triple *fact,
						   int64_t count, RelationPath **found);

/* ---- path_trainer.c: learning ----------------------------------------------------------- */

typedef struct PathTraining
{
	int			batch_size;		/* questions that are asked before the parameters change */
	double		dropout;		/* share of the numbers of a candidate state that is left out, 0 .. 0.9 */
	bool		direct;			/* whether other facts of the two entities of a fact that is asked stay */
	uint64_t	seed;
} PathTraining;

/* What may change from epoch to epoch */
typedef struct PathPace
{
	double		learning_rate;
	int32_t		kept;			/* as in PathShape: 1 .. that of the network */
	double		exploration;	/* scale of the noise of Gumbel's distribution on priorities, in standard
								 * deviations of these, 0 or more */
} PathPace;

typedef struct PathTrainer PathTrainer;

/* Bytes that path_trainer takes from its arena. */
extern size_t path_trainer_bytes(const FactIndex *facts, PathShape shape, const PathTraining *training, int threads);

/* Facts and network, of one member, must stay; the network's parameters change. */
extern PathTrainer *path_trainer(Arena *arena, const FactIndex *facts, PathNetwork *network,
								 const PathTraining *training, int threads);

/*
 * Asks `count` triples, facts of the index, each on both sides, in minibatches, at that pace; the facts that
 * are asked in a minibatch are taken out for it.  `draw` numbers the call, for what is drawn at random.  Returns the
 * mean loss of a question.
 */
extern double path_train(PathTrainer *trainer, Pool *pool, const Triple *triple, int64_t count,
						 PathPace pace, uint64_t draw);

/* The state of the optimizer and of the average, which goes on with the parameters where a training is resumed. */
extern float *path_trainer_state(PathTrainer *trainer, size_t *count);

/* The parameters to answer with: an average over the minibatches so far, in which the latest weigh most. */
extern void path_trainer_average(const PathTrainer *trainer, float *parameter);

/* ---- removed.c, walk.c: what a graph is like ---------------------------------- */

/*
 * What PathTraining.direct should be: whether other facts relate the entities of more than one in a hundred of these
 * held-out triples (of 2,000, spread evenly); true where there are none.
 */
extern bool path_is_direct(const FactIndex *facts, const Triple *triple, int64_t count);

/* Whether a network of that shape has room for all entities. */
extern bool path_keeps_all(const FactIndex *facts, PathShape shape);

/*
 * Floating point operations of a question, about, of a member of that shape: messages along edges, and new states of those
 * that a layer keeps.  An entity is reached in proportion to its facts, so those that are kept have many more than the mean:
 * a layer of OpenFlights' graph, which has hubs, sends ten times as many messages as the mean would tell.
 */
extern double path_flops(PathShape shape, double entities, Degrees degrees);

#endif							/* HKG_PATHS_PATHS_H */
