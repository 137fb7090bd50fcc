/*
 * principal_components.h
 *		The directions in which rows of numbers vary most: the interface of a module of its own,
 *		hybridkg_algebra, which the extension loads when it is first needed (predict/project.c).
 *
 * The module links the system's BLAS and LAPACK and nothing of the server.
 */
#ifndef HKG_ALGEBRA_PRINCIPAL_COMPONENTS_H
#define HKG_ALGEBRA_PRINCIPAL_COMPONENTS_H

#include "core/core.h"

/* bounds that keep each call of BLAS and LAPACK below a tenth of a second */
#define COMPONENTS_WIDTH_LIMIT 5000
#define COMPONENTS_LIMIT 100

typedef struct Projection
{
	/* given */
	const float *row;			/* rows x width, finite */
	int64_t		rows;			/* at least 1 */
	int			width;			/* 1 .. COMPONENTS_WIDTH_LIMIT */
	int			components;		/* 1 .. min(width, COMPONENTS_LIMIT) */
	void		(*yield) (void);	/* called every few hundredths of a second; it may jump out for good */

	/* filled, in memory of the arena */
	double	   *coordinate;		/* rows x components: of the rows, less their mean */
	double	   *explained;		/* by component: its share of the total variance, falling; 0 where there is no variance */
} Projection;

/*
 * The signs are fixed: the number of largest absolute value in each component is positive.  All memory is taken from
 * the arena at once, first.  False when the arena is empty or LAPACK finds no eigenvectors.
 */
typedef bool (*PrincipalComponents) (Arena *arena, Projection *projection);

#define PRINCIPAL_COMPONENTS "hkg_principal_components" /* the name of that function in the module */

#endif							/* HKG_ALGEBRA_PRINCIPAL_COMPONENTS_H */
