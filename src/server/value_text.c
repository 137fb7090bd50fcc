/*
 * value_text.c
 *		A name is the text that a cast of its value gives (see value_text.h).
 */
#include "value_text.h"

#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

int
value_text_settings(void)
{
	static const char *const settings[][2] = {
		{"datestyle", "ISO"}, {"intervalstyle", "postgres"}, {"extra_float_digits", "3"}, {"bytea_output", "hex"}
	};
	int			nest_level = NewGUCNestLevel();

	for (int i = 0; i < (int) lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
								 false);
	return nest_level;
}

/* The cast as a statement has it, with the right to run its function; the value takes the place of that of a CASE. */
static void
make_expression(ValueText *cast, Oid type)
{
	CaseTestExpr *value = makeNode(CaseTestExpr);
	Node	   *node;

	value->typeId = type;
	value->typeMod = -1;
	value->collation = get_typcollation(type);
	node = coerce_to_target_type(NULL, (Node *) value, type, TEXTOID, -1, COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	assign_expr_collations(NULL, node);
	cast->expression = ExecInitExpr(expression_planner((Expr *) node), NULL);
	cast->context = CreateStandaloneExprContext();
}

ValueText
value_text(Oid type)
{
	ValueText	cast = {.expression = NULL};
	Oid			function;
	bool		varlena;

	switch (find_coercion_pathway(TEXTOID, type, COERCION_EXPLICIT, &function))
	{
		case COERCION_PATH_RELABELTYPE:
			fmgr_info(F_TEXTOUT, &cast.output);
			break;
		case COERCION_PATH_COERCEVIAIO:
			getTypeOutputInfo(type, &function, &varlena);
			fmgr_info(function, &cast.output);
			break;
		default:
			make_expression(&cast, type);
	}
	return cast;
}

char *
value_text_of(ValueText *cast, Datum value)
{
	Datum		found;
	bool		none;
	char	   *copy = NULL;

	if (cast->expression == NULL)
		return OutputFunctionCall(&cast->output, value);
	cast->context->caseValue_datum = value;
	cast->context->caseValue_isNull = false;
	found = ExecEvalExprSwitchContext(cast->expression, cast->context, &none);
	if (!none)
		copy = TextDatumGetCString(found);
	ResetExprContext(cast->context);
	return copy;
}
