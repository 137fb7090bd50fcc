/*
 * array.h
 *		C arrays as SQL arrays, so that many values are one parameter of a statement.
 */
#ifndef HKG_SERVER_ARRAY_H
#define HKG_SERVER_ARRAY_H

#include "compat.h"

#include "core/core.h"
#include "sql.h"

/* ids in one statement that turns ids into names */
#define NAMED_ROWS 65536

/* In the current context; at most 1 GB, NULL-free, one dimension, subscripts from 1. */
extern Datum array_of_int4(const int32 *values, int count);
extern Datum array_of_int8(const int64 *values, int count);
extern Datum array_of_float4(const float *values, int count);
extern Datum array_of_float8(const double *values, int count);

/* The same; NULL pointers become NULLs. */
extern Datum array_of_text(char *const *values, int count);

/* Why one of the values is no number up to `largest`, as the end of a sentence; NULL when they all are. */
extern char *array_fault(const float *values, int count, double largest);

/* Adds three parameters, the ids of heads, of relations and of tails. */
extern void arg_triples(SqlArgs *args, const Triple *triple, int count);

#endif							/* HKG_SERVER_ARRAY_H */
