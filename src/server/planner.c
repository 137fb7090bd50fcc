/*
 * planner.c
 *		Hints for the planner: settings for large joins, the number of rows of our functions (see planner.h).
 */
#include "planner.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/guc.h"

/* ---- large joins ---------------------------------------------------------------- */

/* Until the end of the GUC nest level. */
static void
set_option(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/*
 * The facts may never have been analysed, and estimates for subqueries are poor in any case.  A nested loop that is
 * planned for ten rows may run over ten million; and sorting two sides for a merge is slower than hashing one.
 */
int
plan_begin(void)
{
	int			nest_level = NewGUCNestLevel();

	set_option("enable_nestloop", "off");
	set_option("enable_mergejoin", "off");
	set_option("jit", "off");
	return nest_level;
}

void
plan_end(int nest_level)
{
	AtEOXact_GUC(true, nest_level);
}

/* ---- rows of functions ---------------------------------------------------------- */

/* k is the only argument of type int. */
static Node *
argument_k(const FuncExpr *call)
{
	ListCell   *cell;

	foreach(cell, call->args)
		if (exprType(lfirst(cell)) == INT4OID)
			return lfirst(cell);
	return NULL;
}

/* The planner support function of functions that return the k best: they return k rows. */
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
