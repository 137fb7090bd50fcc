/*
 * axioms.h
 *		Rules whose form is that of an axiom between relations.
 */
#ifndef HKG_TRAIN_AXIOMS_H
#define HKG_TRAIN_AXIOMS_H

#include "server/compat.h"

#include "kge/learning.h"
#include "rules/rule.h"

/* Whether a canonical rule is r(X,Y) <= b(X,Y), b(Y,X), or b(X,A), c(A,Y); then sets the axiom, with rows of relations. */
extern bool axiom_of(const Rule *rule, const GraphData *data, KgeAxiom *axiom);

#endif							/* HKG_TRAIN_AXIOMS_H */
