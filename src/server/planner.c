/*
 * planner.c
 *		Hints for the planner: the number of rows of our functions.
 */
#include "planner.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* of an array that the planner does not see */
#define USUAL_QUESTIONS 10

/* The place of the first argument of a type; how many there are where none has it */
static int
place_of_type(const List *args, Oid type)
{
	int			place = 0;

	while (place < list_length(args) && exprType(list_nth(args, place)) != type)
		place++;
	return place;
}

/* The value of an argument, as far as the planner can see it; else NULL */
static Const *
value_at(const SupportRequestRows *request, const List *args, int place)
{
	Node	   *value;

	if (place == list_length(args))
		return NULL;
	value = estimate_expression_value(request->root, list_nth(args, place));
	return IsA(value, Const) && !((Const *) value)->constisnull ? (Const *) value : NULL;
}

static double
count_of(const Const *names)
{
	ArrayType  *array;

	if (names == NULL)
		return USUAL_QUESTIONS;
	array = DatumGetArrayTypeP(names->constvalue);
	return Max(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), 1);
}

/*
 * Planner support of functions that return the k best (k: an int) of a question, or of each of an array.  Questions come
 * before k; an array behind it has candidates.
 */
HKG_FUNCTION(hkg_estimate_k);
Datum
hkg_estimate_k(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	const List *args;
	const Const *k;
	int			place;
	int			questions;

	if (!IsA(request, SupportRequestRows) || request->node == NULL || !IsA(request->node, FuncExpr))
		PG_RETURN_POINTER(NULL);
	args = ((FuncExpr *) request->node)->args;
	place = place_of_type(args, INT4OID);
	questions = place_of_type(args, TEXTARRAYOID);
	k = value_at(request, args, place);
	if (k == NULL)
		PG_RETURN_POINTER(NULL);
	request->rows = Max(DatumGetInt32(k->constvalue), 1) *
		(questions < place ? count_of(value_at(request, args, questions)) : 1);
	PG_RETURN_POINTER(request);
}
