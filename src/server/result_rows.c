/*
 * result_rows.c
 *		What the planner is told about set-returning functions: those that return the k
 *		best return k rows.
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"

/* k is the only int among the arguments. */
static Node *
argument_k(const FuncExpr *call)
{
	ListCell   *cell;

	foreach(cell, call->args)
		if (exprType(lfirst(cell)) == INT4OID)
			return lfirst(cell);
	return NULL;
}

HKG_FUNCTION(hkg_estimate_k);
Datum
hkg_estimate_k(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	Node	   *k = NULL;

	if (IsA(request, SupportRequestRows) && request->node != NULL && IsA(request->node, FuncExpr))
		k = argument_k((FuncExpr *) request->node);
	if (k != NULL)
		k = estimate_expression_value(request->root, k);
	if (k == NULL || !IsA(k, Const) || ((Const *) k)->constisnull)
		PG_RETURN_POINTER(NULL);
	request->rows = Max(DatumGetInt32(((Const *) k)->constvalue), 1);
	PG_RETURN_POINTER(request);
}
