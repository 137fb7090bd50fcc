/*
 * import.c
 *		hkg_import_rules: rules from other programs become rules of a model.
 *
 * Only the rule itself is read from a line: it is counted on the graph's own facts, and rated by the model's
 * embeddings, where it has any.  A model that does not exist is created, of rules alone.  Rules of other
 * programs that our language cannot express are left out, and counted; any other fault is an error.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "model.h"
#include "rule_table.h"
#include "rules/formats.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

#define BLANK " \t\r"			/* allowed at the beginning of a line of our own form */

typedef FormatRule (*ForeignReader) (const char *line);

static const char *const formats[] = {"hybridkg", "amie", "anyburl", NULL};
static const ForeignReader readers[] = {NULL, format_amie, format_anyburl};

/* Rules left out for one reason */
typedef struct Omission
{
	char	   *reason;
	int64		count;
	int64		first_line;
} Omission;

typedef struct Import
{
	Graph	   *graph;
	ForeignReader read;			/* NULL: our own form */
	MemoryContext context;
	MemoryContext scratch;		/* of a line */
	char	   *rest;			/* of the lines; NULL at their end */
	int64		line;			/* number of the current one */
	int64		next_line;
	Rule	   *rule;
	int64		count;
	int64		room;
	List	   *omissions;
	int64		omitted;
} Import;

/* ---- lines to rules ------------------------------------------------------------------ */

/* Adds the number of the line to an error. */
static void
add_line(void *argument)
{
	errcontext("line " INT64_FORMAT " of the rules", ((Import *) argument)->line);
}

/*
 * Cuts the next line off.  In our own form, newlines and TABs in quotes are part of names, and
 * the rule ends at the first TAB after it.
 */
static char *
cut_line(Import *import)
{
	bool		own = import->read == NULL;
	char	   *line = import->rest;
	char	   *rule = line + strspn(line, BLANK);
	char	   *at;
	char	   *tab = NULL;
	bool		quoted = false;

	import->line = ++import->next_line;
	for (at = line; *at != '\0' && (quoted || *at != '\n'); at++)
	{
		if (own && *at == '"')
			quoted = !quoted;
		if (own && *at == '\t' && !quoted && tab == NULL && at > rule)
			tab = at;
		import->next_line += *at == '\n';
	}
	import->rest = *at == '\0' ? NULL : at + 1;
	*at = '\0';
	if (tab != NULL)
		*tab = '\0';
	return line;
}

static void
add_rule(Import *import, const Rule *rule)
{
	MemoryContextSwitchTo(import->context);
	if (import->count == import->room)
		hkg_check_memory(3 * import->room * sizeof(Rule), "an import of rules");
	import->rule = array_reserve(import->rule, import->count + 1, &import->room, sizeof(Rule));
	import->rule[import->count++] = *rule;
}

static void
omit(Import *import, const char *reason)
{
	Omission   *omission;
	ListCell   *cell;

	MemoryContextSwitchTo(import->context);
	import->omitted++;
	foreach(cell, import->omissions)
	{
		omission = lfirst(cell);
		if (strcmp(omission->reason, reason) == 0)
		{
			omission->count++;
			return;
		}
	}
	omission = palloc(sizeof(Omission));
	*omission = (Omission) {pstrdup(reason), 1, import->line};
	import->omissions = lappend(import->omissions, omission);
}

static void
read_own(Import *import, const char *line)
{
	Rule		rule;

	if (line[strspn(line, BLANK)] == '\0')
		return;
	rule_parse(import->graph, line, &rule);
	add_rule(import, &rule);
}

static void
read_foreign(Import *import, const char *line)
{
	FormatRule	found = import->read(line);
	const char *fault = found.fault;
	Rule		rule;

	if (found.text != NULL)
		fault = rule_read(import->graph, found.text, &rule);
	if (fault != NULL)
		omit(import, fault);
	else if (found.text != NULL)
		add_rule(import, &rule);
}

static void
read_lines(Import *import)
{
	ErrorContextCallback context = {.previous = error_context_stack,.callback = add_line,.arg = import};

	error_context_stack = &context;
	while (import->rest != NULL)
	{
		char	   *line = cut_line(import);

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(import->scratch);
		if (import->read == NULL)
			read_own(import, line);
		else
			read_foreign(import, line);
		MemoryContextSwitchTo(import->context);
		MemoryContextReset(import->scratch);
	}
	error_context_stack = context.previous;
}

/* Reports what was left out. */
static void
report_omissions(const Import *import)
{
	StringInfoData detail;
	ListCell   *cell;

	if (import->omitted == 0)
		return;
	initStringInfo(&detail);
	foreach(cell, import->omissions)
	{
		const Omission *omission = lfirst(cell);

		appendStringInfo(&detail, "%s" INT64_FORMAT ": %s (first in line " INT64_FORMAT ").",
						 detail.len == 0 ? "" : "\n", omission->count, omission->reason, omission->first_line);
	}
	ereport(NOTICE,
			(errmsg_plural("%lld rule is outside the language and was left out",
						   "%lld rules are outside the language and were left out",
						   (unsigned long) import->omitted, (long long) import->omitted),
			 errdetail_internal("%s", detail.data)));
}

/* ---- rules to rows ----------------------------------------------------------------------- */

static MinedRules *
measure(const Import *import, const char *model)
{
	const GraphData *data = graph_read(import->graph);
	MinedRules *rules = mine_given(import->graph, data, import->rule, import->count, ALL_PAIRS);
	double		omega;

	if (model_has_embeddings(import->graph, model, &omega))
		rate_by_model(import->graph, data, model, rules, omega, 0);
	for (int64 i = 0; i < rules->count; i++)
	{
		MinedRule  *rule = &rules->rule[i];

		rule->selected = true;
		if (isnan(rule->quality))
			rule->quality = MINED_STANDARD_CONFIDENCE(rule);
	}
	return rules;
}

HKG_FUNCTION(hkg_import_rules);
Datum
hkg_import_rules(PG_FUNCTION_ARGS)
{
	static const TableRights written[] = {
		{"model", ACL_SELECT | ACL_INSERT | ACL_UPDATE}, {"rule", ACL_SELECT | ACL_INSERT | ACL_UPDATE}
	};
	char	   *graph = argument_name(fcinfo, 0, "graph");
	char	   *lines = argument_text(fcinfo, 1, "lines");
	char	   *format = argument_text(fcinfo, 2, "format");
	char	   *model = argument_name(fcinfo, 3, "model");
	Import		import = {.read = readers[argument_choice(format, "format", formats)],.rest = lines};

	argument_check_model(model);
	sql_begin();
	import.graph = graph_open(graph);
	import.context = CurrentMemoryContext;
	import.scratch = AllocSetContextCreate(CurrentMemoryContext, "hybridkg rules", ALLOCSET_DEFAULT_SIZES);
	graph_require_rights(import.graph, written, lengthof(written));
	graph_lock_for_training(import.graph, model);
	graph_lock_models(import.graph);
	read_lines(&import);
	report_omissions(&import);
	import.count = rules_distinct(import.rule, import.count);
	if (import.count > 0)
		rule_table_add(import.graph, model, measure(&import, model));
	graph_leave_training(import.graph);
	sql_end();
	PG_RETURN_INT64(import.count);
}
