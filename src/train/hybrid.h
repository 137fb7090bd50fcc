/*
 * hybrid.h
 *		How rules take part in learning embeddings: one row in hybrid.c, and a file where a method has code.
 *
 * What the selected rules infer beyond the facts is learnt as more positives.  Each carries a number, its worth, which an
 * iteration finds anew: what is made of it is the method's.
 */
#ifndef HKG_TRAIN_HYBRID_H
#define HKG_TRAIN_HYBRID_H

#include "server/compat.h"

typedef struct Hybrid
{
	const char *name;
	bool		infers;			/* inferred triples are learnt; else rules are mined and ranked for predictions alone */
} Hybrid;

/* The i-th method's name, or NULL past the last */
extern const char *hybrid_name(int i);

/* The method of a name that is there */
extern const Hybrid *hybrid_find(const char *name);

#endif							/* HKG_TRAIN_HYBRID_H */
