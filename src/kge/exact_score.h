/*
 * exact_score.h
 *		kge_score of many triples of one relation.
 *
 * What a score takes from its relation alone, such as the cosines and sines of angles, is computed once: they are nearly
 * all of the work of a score.  The outcome has the same bits.
 */
#ifndef HKG_KGE_EXACT_SCORE_H
#define HKG_KGE_EXACT_SCORE_H

#include "core/allocation.h"
#include "score_function.h"

typedef struct KgeExactScore
{
	const KgeModel *model;
	int32_t		relation;		/* that was prepared; -1: none was */
	double	   *prepared;
} KgeExactScore;

/* Room for a thread's scores of that model. */
extern KgeExactScore kge_exact_score_take(const KgeModel *model, Allocation *allocation);

/* kge_score(kge_asked(model, triple, side)), with denormals; fastest where triples of one relation follow each other. */
extern double kge_exact_score(KgeExactScore *exact, Triple triple, Side side);

#endif							/* HKG_KGE_EXACT_SCORE_H */
