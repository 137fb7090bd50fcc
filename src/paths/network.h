/*
 * network.h
 *		Where in a network's numbers each parameter is; gradients have the same places.
 *
 * An atom is a directed atom of the facts; one more, the last, leads from an entity to itself.
 */
#ifndef HKG_PATHS_NETWORK_H
#define HKG_PATHS_NETWORK_H

#include "paths.h"

#define ATTENTION 8				/* numbers of a projection that attention compares */

/* Matrices are row by row */
typedef struct PathLayer
{
	float	   *scale;			/* atoms x width: a message is attention * (state * scale + shift) */
	float	   *shift;			/* atoms x width */
	float	   *attend_atom;	/* atoms x ATTENTION */
	float	   *attend_asked;	/* asked atoms x ATTENTION */
	float	   *attend_state;	/* width x ATTENTION */
	float	   *attend;			/* ATTENTION, and an offset */
	float	   *map;			/* width x 2 width: from a levelled sum to a candidate state, and to its gate */
	float	   *level;			/* 2 width: likewise, from the logarithm of how large the sum was */
	float	   *keep;			/* width x width: from the state before to the gate */
	float	   *bias;			/* 2 width */
	float	   *priority;		/* width, and an offset: how promising an entity is by its first sum */
} PathLayer;

typedef struct PathWeights
{
	int32_t		atoms;			/* with the one to itself */
	float	   *start;			/* asked atoms x width: the state of the given entity */
	float	   *readout;		/* width, and an offset: the score of a state */
	PathLayer	layer[PATH_MAX_LAYERS];
} PathWeights;

/* Those of a network's parameters, or of their gradients: of path_parameters numbers. */
extern PathWeights path_weights(PathShape shape, float *numbers);

#endif							/* HKG_PATHS_NETWORK_H */
