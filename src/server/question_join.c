/*
 * question_join.c
 *		A join that asks a function about each row: from question q, hkg_predict_tails(graph, q.head, q.relation).
 *
 * The server calls such a function row by row, and the questions share nothing.  Functions that answer one question have
 * one of the same name beside them that takes an array in its place, and returns the element in front of each answer: many
 * questions cost it a fraction.  So the join is planned as a node of our own, which answers blocks of rows:
 *
 * 1. It keeps rows of the outer relation: few at first, for a query that wants few, then as many as memory holds.
 * 2. Rows that differ in nothing but the question are a group, about which the function for arrays is called once.
 * 3. The rows are returned in their order, each with its answers.
 *
 * The planner finds the node cheaper than its own loop; it is offered where it expects several rows.  The hook is there
 * as soon as the planner has asked a support function of this library for a number of rows.
 */
#include "compat.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/nodeHash.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "growing_array.h"
#include "planner.h"

#define FIRST_ROWS 8
#define MORE_ROWS 8				/* times as many in the next block, at most */

/* The function of the same name that takes an array in the place of one text, and which argument that is */
static Oid
find_for_array(Oid function, int *place)
{
	HeapTuple	row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			found = InvalidOid;
	Form_pg_proc form;
	oidvector  *types;

	if (!HeapTupleIsValid(row))
		elog(ERROR, "cache lookup failed for function %u", function);
	form = (Form_pg_proc) GETSTRUCT(row);
	types = buildoidvector(form->proargtypes.values, form->pronargs);
	for (int i = 0; i < form->pronargs && !OidIsValid(found); i++)
	{
		if (types->values[i] != TEXTOID)
			continue;
		types->values[i] = TEXTARRAYOID;
		found = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, NameGetDatum(&form->proname), PointerGetDatum(types),
								ObjectIdGetDatum(form->pronamespace));
		types->values[i] = TEXTOID;
		*place = i;
	}
	ReleaseSysCache(row);
	return found;
}

/* ---- execution ------------------------------------------------------------------- */

typedef struct Argument
{
	ExprState  *value;
	int16		length;			/* of its type, as the server has it */
	bool		by_value;
} Argument;

typedef struct AskedRow
{
	MinimalTuple outer;
	NullableDatum *value;		/* of each argument, detoasted */
	int64		first;			/* of its answers */
	int64		answers;
} AskedRow;

typedef struct QuestionJoin
{
	CustomScanState custom;		/* comes first */
	PlanState  *outer;
	FuncExpr   *call;
	Argument   *argument;
	int			arguments;
	int			place;			/* of the question among them */
	FmgrInfo	one;			/* the function that the query names */
	FmgrInfo	many;			/* that for arrays */
	TupleTableSlot *row;		/* of the outer relation */
	TupleTableSlot *answer;		/* of the function for arrays */
	/* a block */
	MemoryContext block;
	int64		room;			/* rows that it may have */
	AskedRow   *asked;
	int64		rows;
	MinimalTuple *found;		/* answers */
	int64		answers;
	int64		answers_room;
	/* what is returned next */
	int64		at;
	int64		at_answer;
	bool		ended;			/* the outer relation */
} QuestionJoin;

static void
begin_join(CustomScanState *node, EState *executor, int flags)
{
	QuestionJoin *join = (QuestionJoin *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	FuncExpr   *call = linitial(scan->custom_exprs);
	Oid			many = find_for_array(call->funcid, &join->place);
	TupleDesc	answer;

	if (!OidIsValid(many))
		elog(ERROR, "there is no function for arrays beside %u", call->funcid);
	hkg_check_may_call(call->funcid);
	InvokeFunctionExecuteHook(call->funcid);
	fmgr_info_cxt(call->funcid, &join->one, executor->es_query_cxt);
	fmgr_info_cxt(many, &join->many, executor->es_query_cxt);
	join->call = call;
	join->arguments = list_length(call->args);
	join->argument = array_new(Argument, join->arguments);
	for (int i = 0; i < join->arguments; i++)
	{
		Expr	   *value = list_nth(call->args, i);

		join->argument[i].value = ExecInitExpr(value, &node->ss.ps);
		get_typlenbyval(exprType((Node *) value), &join->argument[i].length, &join->argument[i].by_value);
	}
	join->outer = ExecInitNode(linitial(scan->custom_plans), executor, flags);
	node->custom_ps = list_make1(join->outer);
	join->row = ExecInitExtraTupleSlot(executor, ExecGetResultType(join->outer), &TTSOpsMinimalTuple);
	(void) get_func_result_type(many, NULL, &answer);
	join->answer = ExecInitExtraTupleSlot(executor, answer, &TTSOpsMinimalTuple);
	join->block = AllocSetContextCreate(executor->es_query_cxt, "hybridkg questions", ALLOCSET_DEFAULT_SIZES);
	join->room = FIRST_ROWS;
}

/* The node's row: an outer one, which must stay, and an answer, if there is one */
static TupleTableSlot *
joined_row(QuestionJoin *join, MinimalTuple outer, MinimalTuple answer)
{
	TupleTableSlot *joined = join->custom.ss.ss_ScanTupleSlot;
	int			columns = join->row->tts_tupleDescriptor->natts;
	int			more = joined->tts_tupleDescriptor->natts - columns;

	ExecClearTuple(joined);
	ExecStoreMinimalTuple(outer, join->row, false);
	slot_getallattrs(join->row);
	memcpy(joined->tts_values, join->row->tts_values, columns * sizeof(Datum));
	memcpy(joined->tts_isnull, join->row->tts_isnull, columns * sizeof(bool));
	memset(joined->tts_isnull + columns, true, more * sizeof(bool));
	if (answer != NULL)
	{
		/* the question is before the columns that the query knows */
		ExecStoreMinimalTuple(answer, join->answer, false);
		slot_getallattrs(join->answer);
		memcpy(joined->tts_values + columns, join->answer->tts_values + 1, more * sizeof(Datum));
		memcpy(joined->tts_isnull + columns, join->answer->tts_isnull + 1, more * sizeof(bool));
	}
	return ExecStoreVirtualTuple(joined);
}

static AskedRow
asked_row(QuestionJoin *join, MinimalTuple outer)
{
	ExprContext *context = join->custom.ss.ps.ps_ExprContext;
	AskedRow	asked = {.outer = outer,.value = array_new(NullableDatum, join->arguments)};

	context->ecxt_scantuple = joined_row(join, outer, NULL);
	for (int i = 0; i < join->arguments; i++)
	{
		NullableDatum *value = &asked.value[i];

		value->value = ExecEvalExpr(join->argument[i].value, context, &value->isnull);
		if (!value->isnull && join->argument[i].length == -1)
			value->value = PointerGetDatum(PG_DETOAST_DATUM(value->value));
	}
	return asked;
}

/* In any order in which equal ones are neighbours */
static int
compare_values(const AskedRow *a, const AskedRow *b, int i, const Argument *argument)
{
	NullableDatum left = a->value[i];
	NullableDatum right = b->value[i];
	Size		bytes;

	if (left.isnull || right.isnull)
		return left.isnull - right.isnull;
	if (left.value == right.value || argument->by_value)
		return (left.value > right.value) - (left.value < right.value);
	bytes = datumGetSize(left.value, false, argument->length);
	if (bytes != datumGetSize(right.value, false, argument->length))
		return bytes < datumGetSize(right.value, false, argument->length) ? -1 : 1;
	return memcmp(DatumGetPointer(left.value), DatumGetPointer(right.value), bytes);
}

/* By all arguments but the question */
static int
compare_groups(const AskedRow *a, const AskedRow *b, const QuestionJoin *join)
{
	int			order = 0;

	for (int i = 0; i < join->arguments && order == 0; i++)
		if (i != join->place)
			order = compare_values(a, b, i, &join->argument[i]);
	return order;
}

/* The same, then by the question; for qsort_arg of pointers */
static int
compare_rows(const void *a, const void *b, void *argument)
{
	const QuestionJoin *join = argument;
	const AskedRow *left = *(AskedRow *const *) a;
	const AskedRow *right = *(AskedRow *const *) b;
	int			order = compare_groups(left, right, join);

	return order != 0 ? order : compare_values(left, right, join->place, &join->argument[join->place]);
}

/* The rows that the function for arrays, or the one that the query names, returns of a row's arguments */
static Tuplestorestate *
call_function(QuestionJoin *join, FmgrInfo *function, const AskedRow *asked, Datum question)
{
	ExprContext context = {.type = T_ExprContext,.ecxt_per_query_memory = join->block,.ecxt_per_tuple_memory = join->block};
	ReturnSetInfo result = {.type = T_ReturnSetInfo,.econtext = &context,.allowedModes = SFRM_Materialize};

	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);

	InitFunctionCallInfoData(*fcinfo, function, join->arguments, join->call->inputcollid, NULL, (Node *) &result);
	memcpy(fcinfo->args, asked->value, join->arguments * sizeof(NullableDatum));
	fcinfo->args[join->place].value = question;
	(void) FunctionCallInvoke(fcinfo);
	return result.setResult;
}

/* Asks the questions of a group of rows, each once. */
static void
ask_group(QuestionJoin *join, AskedRow **row, int64 count)
{
	const Argument *argument = &join->argument[join->place];
	Datum	   *question = array_new(Datum, count);
	AskedRow  **first = array_new(AskedRow *, count);	/* that asks it */
	int			questions = 0;
	int			at = 0;
	Tuplestorestate *answers;

	/* 1. a question that is null is an error, that of the function which the query names */
	for (int64 i = 0; i < count; i++)
	{
		if (row[i]->value[join->place].isnull)
			(void) call_function(join, &join->one, row[i], (Datum) 0);
		if (i > 0 && compare_values(row[i - 1], row[i], join->place, argument) == 0)
			continue;
		first[questions] = row[i];
		question[questions++] = row[i]->value[join->place].value;
	}

	/* 2. answers come in the order of the questions, of which some may have none */
	answers = call_function(join, &join->many, row[0],
							PointerGetDatum(construct_array(question, questions, TEXTOID, -1, false, TYPALIGN_INT)));
	while (tuplestore_gettupleslot(answers, true, false, join->answer))
	{
		bool		null;
		Datum		asked = slot_getattr(join->answer, 1, &null);

		CHECK_FOR_INTERRUPTS();
		while (at < questions && !DatumGetBool(DirectFunctionCall2Coll(texteq, C_COLLATION_OID, question[at], asked)))
			at++;
		if (at == questions)
			elog(ERROR, "an answer has no question");
		if (first[at]->answers++ == 0)
			first[at]->first = join->answers;
		join->found = array_reserve(join->found, join->answers + 1, &join->answers_room, sizeof(MinimalTuple));
		join->found[join->answers++] = ExecCopySlotMinimalTuple(join->answer);
	}
	ExecClearTuple(join->answer);
	tuplestore_end(answers);

	/* 3. other rows with the same question have the same answers */
	for (int64 i = 1; i < count; i++)
		if (compare_values(row[i - 1], row[i], join->place, argument) == 0)
		{
			row[i]->first = row[i - 1]->first;
			row[i]->answers = row[i - 1]->answers;
		}
}

/* The next rows of the outer relation, with their answers */
static void
next_block(QuestionJoin *join)
{
	MemoryContext caller;
	AskedRow  **sorted;

	/* 1. as many as memory holds, if the next ones are like the ones before */
	if (join->rows > 0)
		join->room = Max(1, Min(MORE_ROWS * join->room,
								(int64) (get_hash_memory_limit() / (MemoryContextMemAllocated(join->block, true) / join->rows + 1))));
	ExecClearTuple(join->row);
	MemoryContextReset(join->block);
	caller = MemoryContextSwitchTo(join->block);
	join->asked = array_new(AskedRow, join->room);
	join->found = NULL;
	join->rows = join->answers = join->answers_room = join->at = join->at_answer = 0;
	while (join->rows < join->room && !join->ended)
	{
		TupleTableSlot *outer;

		MemoryContextSwitchTo(caller);
		outer = ExecProcNode(join->outer);
		MemoryContextSwitchTo(join->block);
		join->ended = TupIsNull(outer);
		if (!join->ended)
			join->asked[join->rows++] = asked_row(join, ExecCopySlotMinimalTuple(outer));
	}

	/* 2. their groups */
	sorted = array_new(AskedRow *, join->rows);
	for (int64 i = 0; i < join->rows; i++)
		sorted[i] = &join->asked[i];
	qsort_arg(sorted, join->rows, sizeof(AskedRow *), compare_rows, join);
	for (int64 first = 0, end; first < join->rows; first = end)
	{
		for (end = first + 1; end < join->rows && compare_groups(sorted[first], sorted[end], join) == 0;)
			end++;
		ask_group(join, sorted + first, end - first);
	}
	MemoryContextSwitchTo(caller);
}

/* The next row and answer */
static TupleTableSlot *
next_joined(ScanState *node)
{
	QuestionJoin *join = (QuestionJoin *) node;

	for (;;)
	{
		if (join->at == join->rows)
		{
			next_block(join);
			if (join->rows == 0)
				return ExecClearTuple(node->ss_ScanTupleSlot);
		}
		for (; join->at < join->rows; join->at++, join->at_answer = 0)
		{
			const AskedRow *asked = &join->asked[join->at];

			if (join->at_answer < asked->answers)
				return joined_row(join, asked->outer, join->found[asked->first + join->at_answer++]);
		}
	}
}

/* Nothing is locked: see add_join. */
static bool
recheck(ScanState *node, TupleTableSlot *row)
{
	return true;
}

static TupleTableSlot *
run_join(CustomScanState *node)
{
	return ExecScan(&node->ss, next_joined, recheck);
}

static void
end_join(CustomScanState *node)
{
	ExecEndNode(((QuestionJoin *) node)->outer);
}

static void
rescan_join(CustomScanState *node)
{
	QuestionJoin *join = (QuestionJoin *) node;

	ExecScanReScan(&node->ss);
	join->rows = join->at = 0;
	join->room = FIRST_ROWS;
	join->ended = false;
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(join->outer, node->ss.ps.chgParam);
	if (join->outer->chgParam == NULL)
		ExecReScan(join->outer);
}

static const CustomExecMethods join_methods = {
	.CustomName = "hybridkg questions",
	.BeginCustomScan = begin_join,
	.ExecCustomScan = run_join,
	.EndCustomScan = end_join,
	.ReScanCustomScan = rescan_join
};

static Node *
create_join(CustomScan *scan)
{
	QuestionJoin *join = (QuestionJoin *) newNode(sizeof(QuestionJoin), T_CustomScanState);

	join->custom.methods = &join_methods;
	return (Node *) join;
}

static const CustomScanMethods join_scan = {.CustomName = "hybridkg questions",.CreateCustomScanState = create_join};

/* ---- planning ------------------------------------------------------------------ */

static bool
has_our_support(Oid function)
{
	Oid			support = get_func_support(function);
	FmgrInfo	info;

	if (!OidIsValid(support))
		return false;
	fmgr_info(support, &info);
	return info.fn_addr == hkg_estimate_k;
}

/* The call that is the inner relation of a join; NULL where it is something else, or more */
static FuncExpr *
asked_function(PlannerInfo *root, RelOptInfo *inner)
{
	RangeTblEntry *entry = inner->reloptkind == RELOPT_BASEREL ? planner_rt_fetch(inner->relid, root) : NULL;
	FuncExpr   *call;

	if (entry == NULL || entry->rtekind != RTE_FUNCTION || entry->funcordinality || list_length(entry->functions) != 1)
		return NULL;
	call = (FuncExpr *) ((RangeTblFunction *) linitial(entry->functions))->funcexpr;
	return IsA(call, FuncExpr) && has_our_support(call->funcid) && !contain_volatile_functions((Node *) call) ? call : NULL;
}

/* Whether the columns are those of rows and of answers, and nothing that an outer join or a whole row makes of them */
static bool
are_columns(List *expressions, Index function)
{
	ListCell   *cell;

	foreach(cell, pull_var_clause((Node *) expressions, PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS |
								  PVC_INCLUDE_PLACEHOLDERS))
	{
		Var		   *column = lfirst(cell);

		if (!IsA(column, Var) || ((Index) column->varno == function && column->varattno <= 0))
			return false;
	}
	return true;
}

static Plan *
plan_join(PlannerInfo *root, RelOptInfo *joined, CustomPath *path, List *columns, List *clauses, List *plans)
{
	CustomScan *scan = makeNode(CustomScan);
	FuncExpr   *call = linitial(path->custom_private);
	Index		function = intVal(lthird(path->custom_private));
	List	   *row = NIL;
	TupleDesc	answer;
	ListCell   *cell;

	foreach(cell, ((Plan *) linitial(plans))->targetlist)
		row = lappend(row, makeTargetEntry(copyObject(((TargetEntry *) lfirst(cell))->expr), list_length(row) + 1, NULL, false));
	(void) get_expr_result_type((Node *) call, NULL, &answer);
	for (int i = 0; i < answer->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(answer, i);
		Var		   *var = makeVar(function, i + 1, column->atttypid, column->atttypmod, column->attcollation, 0);

		row = lappend(row, makeTargetEntry((Expr *) var, list_length(row) + 1, NULL, false));
	}
	scan->scan.plan.targetlist = columns;
	scan->scan.plan.qual = extract_actual_clauses(lsecond(path->custom_private), false);
	scan->flags = path->flags;
	scan->custom_plans = plans;
	scan->custom_exprs = list_make1(call);
	scan->custom_scan_tlist = row;
	scan->methods = &join_scan;
	return &scan->scan.plan;
}

static const CustomPathMethods join_path = {.CustomName = "hybridkg questions",.PlanCustomPath = plan_join};
static set_join_pathlist_hook_type next_hook = NULL;

/* The server takes a second call of a function to cost nothing but its rows; a block's rows cost less. */
static Path *
join_of(PlannerInfo *root, RelOptInfo *joined, Path *outer, RelOptInfo *inner, FuncExpr *call, List *clauses)
{
	CustomPath *path = makeNode(CustomPath);
	Path	   *asked = inner->cheapest_total_path;

	path->path.pathtype = T_CustomScan;
	path->path.parent = joined;
	path->path.pathtarget = joined->reltarget;
	path->path.parallel_safe = joined->consider_parallel && outer->parallel_safe;
	path->path.parallel_workers = outer->parallel_workers;
	path->path.rows = clamp_row_est(joined->rows * outer->rows / outer->parent->rows);
	path->path.startup_cost = outer->startup_cost + asked->startup_cost;
	path->path.total_cost = outer->total_cost + asked->startup_cost + outer->rows * asked->rows * cpu_operator_cost;
	path->path.pathkeys = build_join_pathkeys(root, joined, JOIN_INNER, outer->pathkeys);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(outer);
	path->custom_private = list_make3(call, clauses, makeInteger((int) inner->relid));
	path->methods = &join_path;
	return &path->path;
}

/* The hook: an inner join whose inner relation is a call about the rows of the outer one */
static void
add_join(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer, RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	FuncExpr   *call = type == JOIN_INNER && !bms_is_empty(inner->lateral_relids) ? asked_function(root, inner) : NULL;
	List	   *clauses;
	ListCell   *cell;
	int			place;

	if (next_hook != NULL)
		next_hook(root, joined, outer, inner, type, extra);
	/* rows that are locked or updated are checked again, in the nodes that read them; row security has an order of clauses */
	if (call == NULL || !bms_is_subset(inner->lateral_relids, outer->relids) || !bms_is_empty(joined->lateral_relids) ||
		(root->parse->commandType != CMD_SELECT && root->parse->commandType != CMD_INSERT) || root->rowMarks != NIL ||
		root->qual_security_level > 0 || outer->rows <= 1)
		return;
	clauses = list_concat_copy(extra->restrictlist, inner->baserestrictinfo);
	foreach(cell, clauses)
		if (lfirst_node(RestrictInfo, cell)->pseudoconstant)
			return;
	if (!are_columns(get_actual_clauses(clauses), inner->relid) || !are_columns(call->args, inner->relid) ||
		!are_columns(outer->reltarget->exprs, inner->relid) || !are_columns(joined->reltarget->exprs, inner->relid) ||
		!OidIsValid(find_for_array(call->funcid, &place)))
		return;
	foreach(cell, outer->pathlist)
		if (((Path *) lfirst(cell))->param_info == NULL)
			add_path(joined, join_of(root, joined, lfirst(cell), inner, call, clauses));
	foreach(cell, joined->consider_parallel ? outer->partial_pathlist : NIL)
		add_partial_path(joined, join_of(root, joined, lfirst(cell), inner, call, clauses));
}

void
question_join_begin(void)
{
	RegisterCustomScanMethods(&join_scan);
	next_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = add_join;
}
