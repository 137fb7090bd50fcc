/*
 * product.h
 *		The product of two relations: for left(x, z) and right(z, y), the different y
 *		that each x reaches.
 *
 * The relations come joined, one z after the other.  A Product is used for one body after another
 * (product_clear), and keeps its memory.
 */
#ifndef HKG_RULES_PRODUCT_H
#define HKG_RULES_PRODUCT_H

#include "server/compat.h"

typedef struct Product Product;

/* For x and y in 0 .. rows - 1, in the current memory context, which must be current in all calls. */
extern Product *product_create(int32 rows);

/* Starts the next z; then each x with left(x, z) and each y with right(z, y), once for that z. */
extern void product_next(Product *product);
extern void product_add_left(Product *product, int32 x);
extern void product_add_right(Product *product, int32 y);

/* The pairs of each x with each y */
typedef struct Rectangle
{
	const int32 *x;
	int32		x_count;
	const int32 *y;
	int32		y_count;
} Rectangle;

/*
 * The product as rectangles: each x reaches these y and no others.  Every x that was added is in one
 * rectangle, in an order that depends only on what was added.  A rectangle lives until `take` returns.
 */
extern void product_each(Product *product, void (*take) (void *argument, const Rectangle *rectangle), void *argument);
extern void product_clear(Product *product);

#endif							/* HKG_RULES_PRODUCT_H */
