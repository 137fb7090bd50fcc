/*
 * constraint.h
 *		What embeddings fulfil while they are learnt: one file, one row in constraint.c.
 */
#ifndef HKG_KGE_CONSTRAINT_H
#define HKG_KGE_CONSTRAINT_H

#include "trainer.h"

/* How a relation takes part in an entailment */
typedef struct KgePartner
{
	int32_t		row;			/* of the other relation */
	float		weight;			/* of the entailment */
	bool		is_body;		/* whether the relation itself entails the other one, else it is entailed */
	bool		inverse;		/* one of the two is read backwards */
} KgePartner;

struct KgeConstraint
{
	const char *name;
	const KgeScoreFunction *function;	/* that it goes with; NULL: any */

	/* The row of an entity becomes the nearest one that is allowed; NULL: all are. */
	void		(*project) (int n, float *row);

	/* Adds to a relation's gradient that of an entailment's penalty; NULL: there are no entailments. */
	void		(*pull) (int d, KgePartner partner, const float *own, const float *other, float *gradient);
};

extern const KgeConstraint kge_constraint_nne;
extern const KgeConstraint kge_constraint_nne_aer;

/* Sets what the rows of a plan need for the constraint of its training. */
extern void kge_plan_constraint(KgeTrainer *plan);

/* A phase's items: the rows of relations in entailments.  Sets their pulls, before any row moves. */
extern void kge_pull_relation(void *argument, int64_t item, int thread);

#endif							/* HKG_KGE_CONSTRAINT_H */
