/*
 * hybrid.h
 *		How rules take part in learning embeddings: one row in hybrid.c, and a file for what is more than a row.
 *
 * What the selected rules infer beyond the facts is learnt beside these.  Each inferred triple carries a number, its
 * worth, which every iteration finds anew from the rules that infer it.  It is the weight of a positive, or, where the
 * method has a labelling of its name (kge/labels.h), the evidence of a triple that gets a label between 0 and 1 in every
 * step.
 */
#ifndef HKG_TRAIN_HYBRID_H
#define HKG_TRAIN_HYBRID_H

#include "server/compat.h"

#include "kge/kge.h"
#include "rules/mine.h"

typedef struct Hybrid
{
	const char *name;
	bool		infers;			/* inferred triples are learnt; else rules are mined and ranked for predictions alone */
	bool		evenly;			/* drawn without regard to their scores, as many as there are facts; else a tenth */

	/* Adds a rule that infers a triple to what it is worth so far, 0 at first. */
	double		(*add) (double worth, const MinedRule *rule);
} Hybrid;

extern const Hybrid hybrid_ruge;

/* The i-th method's name, or NULL past the last */
extern const char *hybrid_name(int i);

/* The method of a name that is there */
extern const Hybrid *hybrid_find(const char *name);

/* Its labelling; NULL: inferred triples are positives like facts, or there are none */
extern const KgeLabelling *hybrid_labelling(const Hybrid *hybrid);

#endif							/* HKG_TRAIN_HYBRID_H */
