/*
 * planner.c
 *		Hints for the planner: the number of rows of our functions.
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* of an array that the planner does not see */
#define USUAL_QUESTIONS 10

/* The value of the only argument of a type, as far as the planner can see it; else NULL */
static Const *
argument_of_type(const SupportRequestRows *request, Oid type)
{
	ListCell   *cell;

	foreach(cell, ((FuncExpr *) request->node)->args)
		if (exprType(lfirst(cell)) == type)
		{
			Node	   *value = estimate_expression_value(request->root, lfirst(cell));

			return IsA(value, Const) && !((Const *) value)->constisnull ? (Const *) value : NULL;
		}
	return NULL;
}

static bool
asks_many(const FuncExpr *call)
{
	ListCell   *cell;

	foreach(cell, call->args)
		if (exprType(lfirst(cell)) == TEXTARRAYOID)
			return true;
	return false;
}

static double
questions_of(const SupportRequestRows *request)
{
	Const	   *names = argument_of_type(request, TEXTARRAYOID);
	ArrayType  *array;

	if (names == NULL)
		return asks_many((FuncExpr *) request->node) ? USUAL_QUESTIONS : 1;
	array = DatumGetArrayTypeP(names->constvalue);
	return Max(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), 1);
}

/* Planner support of functions that return the k best (k: an int) of a question, or of each of an array. */
HKG_FUNCTION(hkg_estimate_k);
Datum
hkg_estimate_k(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	Const	   *k = NULL;

	if (IsA(request, SupportRequestRows) && request->node != NULL && IsA(request->node, FuncExpr))
		k = argument_of_type(request, INT4OID);
	if (k == NULL)
		PG_RETURN_POINTER(NULL);
	request->rows = Max(DatumGetInt32(k->constvalue), 1) * questions_of(request);
	PG_RETURN_POINTER(request);
}
