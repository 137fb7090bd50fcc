/*
 * labels.h
 *		Positives whose labels are between 0 and 1, found anew whenever they are learnt: one file, one row in labels.c.
 */
#ifndef HKG_KGE_LABELS_H
#define HKG_KGE_LABELS_H

#include "kge/learning.h"

struct KgeLabelling
{
	const char *name;

	/* The label of a triple of that score and (finite, >= 0) evidence. */
	float		(*label) (float score, float evidence);

	/* Each such triple is a term of its minibatch's mean, as a fact is; else their own mean is added to that of facts. */
	bool		terms;
};

extern const KgeLabelling kge_labelling_ruge;
extern const KgeLabelling kge_labelling_itere;
extern const KgeLabelling kge_labelling_plogicnet;

/* A way to label: the evidence is the label. */
extern float kge_label_evidence(float score, float evidence);

/*
 * The cross entropy of n scores against their labels; no gradient flows through these.  Fills g with its derivative by
 * each score, times weight, and adds to loss[i] what score i loses, times weight.  labelling: NULL if all are KGE_FALSE.
 */
extern void kge_label_loss(const KgeLabelling *labelling, int n, const float *s, const float *evidence, float weight,
						   float *g, float *loss);

#endif							/* HKG_KGE_LABELS_H */
