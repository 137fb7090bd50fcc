/*
 * path_explanation.h
 *		The paths that weigh most for an answer, as text.
 */
#ifndef HKG_PREDICT_PATH_EXPLANATION_H
#define HKG_PREDICT_PATH_EXPLANATION_H

#include "server/compat.h"

#include "graph/graph.h"
#include "model/model_evidence.h"

typedef struct ExplainedPath
{
	char	   *text;			/* (path) relation(X,Y) <= p(X,A), q(A,Y); or all paths that are not listed */
	char	   *facts;			/* its facts; NULL of all other paths */
	double		share;			/* of the score of all paths */
} ExplainedPath;

#define EXPLAINED_PATHS 5		/* listed, at most; one more for all others */

/*
 * Fills in the paths for an answer to (head, relation, ?), a triple of rows that the network has reached, by share, and
 * the others together behind them; returns how many.  `evidence` has a network.
 */
extern int	path_explanation(Graph *graph, const Evidence *evidence, Triple triple, ExplainedPath *explained);

#endif							/* HKG_PREDICT_PATH_EXPLANATION_H */
