/*
 * component.h
 *		The shapes of which bodies consist, generated.
 *
 * X and Y are bound by the fact that a rule infers.  So a body falls into components: atoms that are
 * connected by other variables than X and Y.  A fact has a body exactly when it has each of its components.
 *
 *		a(X,A), b(A,Y), c(X,"d")		is the path a(X,A), b(A,Y), and c(X,"d")
 *
 * In the language every variable is in two atoms at least, the head counted.  A component is complete when that
 * holds of its own variables A, B, ...; then it may stand in a body.  Others are begun: they lead to complete
 * ones, and bound their support.  Support never rises when an atom is added.
 *
 * An atom reads from its lower variable to its higher one (X < Y < A < B < constants), and each atom has a variable
 * that is X, Y or in an atom before.
 */
#ifndef HKG_RULES_COMPONENT_H
#define HKG_RULES_COMPONENT_H

#include "server/compat.h"

#include "rule.h"

#define BODY_ATOMS (RULE_MOST_SEARCHED - 1)

enum
{
	X, Y, A, B, VARIABLES, CONSTANT = VARIABLES
};

typedef struct Step
{
	int			from;
	int			to;				/* a higher variable, or CONSTANT */
} Step;

/* A component within another, in which it holds the last atom: so it has to be over the bounds, too */
typedef struct ComponentPart
{
	int			component;
	int			atom[BODY_ATOMS];	/* of the other, in the order of its own */
	bool		mirrored[BODY_ATOMS];	/* whether they read the other way there */
} ComponentPart;

#define MAX_PARTS 8

typedef struct Component
{
	int			atoms;
	Step		step[BODY_ATOMS];
	int			prefix[BODY_ATOMS]; /* the components of its first 1, 2, ... atoms, itself the last */
	bool		end[2];			/* whether X and Y are in it */
	bool		complete;
	bool		constant;		/* the last atom is instantiated */
	int			parts;
	ComponentPart part[MAX_PARTS];
} Component;

#define MAX_COMPONENTS 32

typedef struct Components
{
	int			count;
	Component	component[MAX_COMPONENTS];	/* shorter ones first */
} Components;

/* All that bodies of so many atoms need. */
extern void components_generate(int body_atoms, bool constants, Components *components);

#endif							/* HKG_RULES_COMPONENT_H */
