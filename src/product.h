/*
 * product.h
 *		The product of two relations, counted: for left(x, z) and right(z, y),
 *		how many different y each x reaches.
 *
 * The relations come joined, one z after the other.  A Product is used for one
 * body after another (product_clear), and keeps its room.
 */
#ifndef HKG_PRODUCT_H
#define HKG_PRODUCT_H

#include "compat.h"

typedef struct Product Product;

/* For x and y in 0 .. rows - 1, in the current memory context. */
extern Product *product_create(int32 rows);

/* Starts the next z; then each x with left(x, z) and each y with right(z, y). */
extern void product_next(Product *product);
extern void product_add_left(Product *product, int32 x);
extern void product_add_right(Product *product, int32 y);

/* Calls take(argument, x, number of y) for every x that was added, once, in any order. */
extern void product_count(Product *product,
						  void (*take) (void *argument, int32 x, int32 count),
						  void *argument);
extern void product_clear(Product *product);

#endif							/* HKG_PRODUCT_H */
