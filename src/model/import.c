/*
 * import.c
 *		hkg_import_rules: rules from other programs become rules of a model.
 *
 * A rule is counted on the graph's own facts, and rated by the model's embeddings, where it has any.  A model that does
 * not exist is created, of rules alone.  Lines that are no rules, and rules that our language cannot express, are left
 * out and counted, unless the caller wants to stop at them.
 *
 * Where a line of another program can be read in several ways (rules/formats.c), the numbers that come with the rule
 * decide: the reading whose own numbers are nearest.
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
#include "server/attempt.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

#define BLANK " \t\r"			/* allowed at the beginning of a line of our own form */

typedef FormatRule (*ForeignReader) (FormatNames *names, const char *line);

static const char *const formats[] = {"hybridkg", "amie", "anyburl", NULL};
static const ForeignReader readers[] = {NULL, format_amie, format_anyburl};

static const char *const actions[] = {"skip", "stop", NULL};

#define SKIP 0

#define MOST_REASONS 10			/* listed; there may be one for each line */

/* Lines left out for one reason */
typedef struct Omission
{
	char	   *reason;
	int64		count;
	int64		first_line;
} Omission;

/* A line that can be read in several ways */
typedef struct Ambiguous
{
	Rule		reading[FORMAT_MOST_READINGS];
	int			readings;
	double		predicted;
	double		correct;
} Ambiguous;

typedef struct Import
{
	FormatNames names;
	const char *format;
	ForeignReader read;			/* NULL: our own form */
	bool		skip;			/* what is no rule is left out */
	bool		hints;			/* see rule_read */
	MemoryContext context;
	MemoryContext scratch;		/* of a line */
	char	   *line;			/* the current one */
	char	   *rest;			/* of the lines; NULL at their end */
	int64		number;			/* of the current line */
	int64		next_number;
	Rule	   *rule;
	int64		count;
	int64		room;
	List	   *ambiguous;
	int64		first_ambiguous;	/* the line of the first */
	bool		heading;		/* a line begins a table of rules */
	int64		first_other;	/* the first line that is neither blank nor a rule of the format; 0: there is none */
	List	   *omissions;
	int64		other_omissions;	/* for further reasons */
	int64		faults;			/* rules outside the language */
	int64		errors;			/* lines that are no rules, or have unknown names */
} Import;

/* ---- lines to rules ------------------------------------------------------------------ */

/* Adds the number of the line to an error. */
static void
add_line(void *argument)
{
	errcontext("line " INT64_FORMAT " of the rules", ((Import *) argument)->number);
}

/*
 * Cuts the next line off.  In our own form, newlines and TABs in quotes are part of names, and
 * the rule ends at the first TAB after it.
 */
static void
cut_line(Import *import)
{
	bool		own = import->read == NULL;
	char	   *line = import->rest;
	char	   *rule = line + strspn(line, BLANK);
	char	   *at;
	char	   *tab = NULL;
	bool		quoted = false;

	import->number = ++import->next_number;
	for (at = line; *at != '\0' && (quoted || *at != '\n'); at++)
	{
		if (own && *at == '"')
			quoted = !quoted;
		if (own && *at == '\t' && !quoted && tab == NULL && at > rule)
			tab = at;
		import->next_number += *at == '\n';
	}
	import->rest = *at == '\0' ? NULL : at + 1;
	*at = '\0';
	if (tab != NULL)
		*tab = '\0';
	import->line = line;
}

/* After a line of our own form that is no rule: a quote too much or too few made those that follow a part of it. */
static void
cut_again(Import *import)
{
	char	   *end = import->rest != NULL ? import->rest - 1 : NULL;
	char	   *newline = strchr(import->line, '\n');

	if (newline == NULL)
		return;
	if (end != NULL)
		*end = '\n';
	import->rest = newline + 1;
	import->next_number = import->number;
}

static void
add_rule(Import *import, const Rule *rule)
{
	MemoryContext caller = MemoryContextSwitchTo(import->context);

	if (import->count == import->room)
		hkg_check_memory(3 * import->room * sizeof(Rule), "an import of rules");
	import->rule = array_reserve(import->rule, import->count + 1, &import->room, sizeof(Rule));
	import->rule[import->count++] = *rule;
	MemoryContextSwitchTo(caller);
}

static void
omit(Import *import, const char *reason)
{
	MemoryContext caller = MemoryContextSwitchTo(import->context);
	Omission   *omission;
	ListCell   *cell;

	foreach(cell, import->omissions)
	{
		omission = lfirst(cell);
		if (strcmp(omission->reason, reason) == 0)
			break;
	}
	if (cell != NULL)
		omission->count++;
	else if (list_length(import->omissions) == MOST_REASONS)
		import->other_omissions++;
	else
	{
		omission = palloc(sizeof(Omission));
		*omission = (Omission) {pstrdup(reason), 1, import->number};
		import->omissions = lappend(import->omissions, omission);
	}
	MemoryContextSwitchTo(caller);
}

/* Keeps the readings of a line that are rules; returns why there is none. */
static const char *
read_readings(Import *import, const FormatRule *found, int first, int end)
{
	Ambiguous	line = {.predicted = found->predicted,.correct = found->correct};
	const char *fault = NULL;

	for (int i = first; i < end; i++)
	{
		Rule	   *rule = &line.reading[line.readings];
		const char *why = rule_read(import->names.graph, found->text[i], import->hints, rule);
		int			same = 0;

		if (why != NULL)
		{
			fault = why;
			continue;
		}
		while (rule_compare(&line.reading[same], rule) != 0)
			same++;
		line.readings += same == line.readings;
	}
	if (line.readings == 1)
		add_rule(import, &line.reading[0]);
	else if (line.readings > 1)
	{
		MemoryContext caller = MemoryContextSwitchTo(import->context);
		Ambiguous  *kept = palloc(sizeof(Ambiguous));

		*kept = line;
		if (import->ambiguous == NIL)
			import->first_ambiguous = import->number;
		import->ambiguous = lappend(import->ambiguous, kept);
		MemoryContextSwitchTo(caller);
	}
	return line.readings > 0 ? NULL : fault;
}

static void
read_foreign(Import *import)
{
	FormatRule	found = import->read(&import->names, import->line);
	const char *fault = found.fault;

	import->heading |= found.heading;
	if (found.readings == 0 && fault == NULL)
	{
		if (import->first_other == 0 && import->line[strspn(import->line, BLANK)] != '\0')
			import->first_other = import->number;
		return;
	}
	if (fault == NULL)
		fault = read_readings(import, &found, 0, found.proper);
	if (fault != NULL && found.proper < found.readings && read_readings(import, &found, found.proper, found.readings) == NULL)
		fault = NULL;
	if (fault == NULL)
		return;
	import->faults++;
	omit(import, fault);
}

static void
read_own(Import *import)
{
	const char *fault;
	Rule		rule;

	if (import->line[strspn(import->line, BLANK)] == '\0')
		return;
	if (import->hints)
		rule_parse(import->names.graph, import->line, &rule);
	else if ((fault = rule_read(import->names.graph, import->line, false, &rule)) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_internal("%s", fault)));
	add_rule(import, &rule);
}

static void
read_line(void *argument)
{
	Import	   *import = argument;

	if (import->read == NULL)
		read_own(import);
	else
		read_foreign(import);
}

/* Leaves the line out unless it is a rule. */
static void
read_or_skip(Import *import)
{
	ErrorData  *error = attempt(read_line, import);

	if (error == NULL)
		return;
	if (error->sqlerrcode != ERRCODE_SYNTAX_ERROR && error->sqlerrcode != ERRCODE_UNDEFINED_OBJECT &&
		error->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE && error->sqlerrcode != ERRCODE_FEATURE_NOT_SUPPORTED)
		ThrowErrorData(error);
	import->errors++;
	if (import->first_other == 0)
		import->first_other = import->number;
	omit(import, error->message);
	if (import->read == NULL)
		cut_again(import);
}

static void
read_lines(Import *import)
{
	while (import->rest != NULL)
	{
		cut_line(import);
		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(import->scratch);
		if (import->skip)
			read_or_skip(import);
		else
			read_line(import);
		MemoryContextSwitchTo(import->context);
		MemoryContextReset(import->scratch);
	}
}

/* ---- what is no rule ------------------------------------------------------------------- */

/*
 * ERROR where no line is a rule of the format: which one it seems to be, or what is wrong with the first line.
 * lines: as they were.
 */
static void
refuse_without_rule(Import *import, char *lines)
{
	const char *guess;
	int64		first = import->first_other;

	if (import->count > 0 || import->ambiguous != NIL || import->faults > 0 || import->heading || first == 0)
		return;
	guess = format_guess(lines);
	import->number = first;
	if (import->errors == 0 || (guess != NULL && strcmp(guess, import->format) != 0))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("no line is a rule of format \"%s\"", import->format),
				 guess == NULL || strcmp(guess, import->format) == 0 ?
				 errhint("Formats are hybridkg, r(X,Y) <= b1(X,A), b2(A,Y); anyburl, the same after three columns of numbers; "
						 "and amie, ?a  b1  ?c  ?c  b2  ?b   => ?a  r  ?b.") :
				 errhint("The lines look like those of format \"%s\".", guess)));
	/* its error, with a hint */
	*import = (Import) {
		.names = import->names,.format = import->format,.read = import->read,.context = import->context,
		.scratch = import->scratch,.hints = true,.rest = lines
	};
	while (import->number < first)
		cut_line(import);
	read_line(import);
}

/* Reports what was left out. */
static void
report_omissions(const Import *import)
{
	int64		omitted = import->faults + import->errors;
	StringInfoData detail;
	ListCell   *cell;

	if (omitted == 0)
		return;
	initStringInfo(&detail);
	foreach(cell, import->omissions)
	{
		const Omission *omission = lfirst(cell);

		appendStringInfo(&detail, "%s" INT64_FORMAT ": %s (first in line " INT64_FORMAT ").",
						 detail.len == 0 ? "" : "\n", omission->count, omission->reason, omission->first_line);
	}
	if (import->other_omissions > 0)
		appendStringInfo(&detail, "\n" INT64_FORMAT ": for other reasons.", import->other_omissions);
	ereport(NOTICE,
			(import->errors == 0 ?
			 errmsg_plural("%lld rule is outside the language and was left out",
						   "%lld rules are outside the language and were left out",
						   (unsigned long) omitted, (long long) omitted) :
			 errmsg_plural("%lld line is no rule of this graph and was left out",
						   "%lld lines are no rules of this graph and were left out",
						   (unsigned long) omitted, (long long) omitted),
			 errdetail_internal("%s", detail.data)));
}

/* ---- lines that can be read in several ways ------------------------------------------------ */

static int
compare_mined(const void *key, const void *mined)
{
	return rule_compare(key, &(*(MinedRule *const *) mined)->rule);
}

/* How far the counts of a rule are from what its line says */
static double
distance(const Ambiguous *line, const Rule *rule, MinedRule **place, int64 count)
{
	MinedRule **found = bsearch(rule, place, count, sizeof(MinedRule *), compare_mined);

	/* a relation without a row was deleted meanwhile */
	if (found == NULL)
		return INFINITY;
	return fabs((double) (*found)->body_size - line->predicted) + fabs((double) (*found)->support - line->correct);
}

/* Without numbers, and between equals, the first reading is taken. */
static void
choose_readings(Import *import, const GraphData *data)
{
	int64		count = 0;
	Rule	   *rules;
	MinedRules *mined;
	MinedRule **place;
	ListCell   *cell;

	if (import->ambiguous == NIL)
		return;
	rules = array_new(Rule, (Size) list_length(import->ambiguous) * FORMAT_MOST_READINGS);
	foreach(cell, import->ambiguous)
	{
		const Ambiguous *line = lfirst(cell);

		memcpy(rules + count, line->reading, line->readings * sizeof(Rule));
		count += line->readings;
	}
	mined = mine_given(import->names.graph, data, rules, rules_distinct(rules, count), ALL_PAIRS);
	place = array_new(MinedRule *, mined->count);
	for (int64 i = 0; i < mined->count; i++)
		place[i] = &mined->rule[i];
	rule_places_sort(place, mined->count);
	foreach(cell, import->ambiguous)
	{
		const Ambiguous *line = lfirst(cell);
		int			nearest = 0;

		for (int i = 1; i < line->readings; i++)
			if (distance(line, &line->reading[i], place, mined->count) < distance(line, &line->reading[nearest], place, mined->count))
				nearest = i;
		add_rule(import, &line->reading[nearest]);
	}
	count = list_length(import->ambiguous);
	ereport(NOTICE,
			(errmsg_plural("%lld rule has a letter that can be a variable or an entity; the numbers of its line decided",
						   "%lld rules have a letter that can be a variable or an entity; the numbers of their lines decided",
						   (unsigned long) count, (long long) count),
			 errdetail("The first is in line " INT64_FORMAT ". Its reading is the one whose pairs and facts in this graph are "
					   "nearest to the line's; without numbers, the one with entities.", import->first_ambiguous)));
}

/* ---- rules to rows ----------------------------------------------------------------------- */

static MinedRules *
measure(const Import *import, const GraphData *data, const char *model)
{
	Graph	   *graph = import->names.graph;
	MinedRules *rules = mine_given(graph, data, import->rule, import->count, ALL_PAIRS);
	double		omega;

	if (model_has_embeddings(graph, model, &omega))
		rate_by_model(graph, data, model, rules, omega, 0);
	for (int64 i = 0; i < rules->count; i++)
	{
		MinedRule  *rule = &rules->rule[i];

		rule->selected = true;
		if (isnan(rule->quality))
			rule->quality = MINED_STANDARD_CONFIDENCE(rule);
	}
	return rules;
}

HKG_FUNCTION(hkg_imported_rules);
Datum
hkg_imported_rules(PG_FUNCTION_ARGS)
{
	static const TableRights written[] = {
		{"model", ACL_SELECT | ACL_INSERT | ACL_UPDATE}, {"rule", ACL_SELECT | ACL_INSERT | ACL_UPDATE}
	};
	char	   *graph = argument_name(fcinfo, 0, "graph");
	char	   *lines = argument_text(fcinfo, 1, "lines");
	int			format = argument_choice(argument_text(fcinfo, 3, "format"), "format", formats);
	char	   *model = argument_name(fcinfo, 2, "model");
	int			on_error = argument_choice(argument_text(fcinfo, 4, "on_error"), "on_error", actions);
	Import		import = {.format = formats[format],.read = readers[format],.skip = on_error == SKIP,
	.hints = on_error != SKIP,.rest = pstrdup(lines)};
	ErrorContextCallback context = {.previous = error_context_stack,.callback = add_line,.arg = &import};

	argument_check_model(model);
	sql_begin();
	import.names.graph = graph_open_to_write(graph);
	import.context = CurrentMemoryContext;
	import.scratch = AllocSetContextCreate(CurrentMemoryContext, "hybridkg rules", ALLOCSET_DEFAULT_SIZES);
	graph_require_rights(import.names.graph, written, lengthof(written));
	graph_lock_for_training(import.names.graph, model);
	graph_lock_models(import.names.graph);
	error_context_stack = &context;
	read_lines(&import);
	refuse_without_rule(&import, lines);
	error_context_stack = context.previous;
	report_omissions(&import);
	if (import.count > 0 || import.ambiguous != NIL)
	{
		const GraphData *data = graph_read(import.names.graph);

		choose_readings(&import, data);
		import.count = rules_distinct(import.rule, import.count);
		rule_table_add(import.names.graph, model, measure(&import, data, model));
	}
	graph_leave_training(import.names.graph);
	sql_end();
	PG_RETURN_INT64(import.count);
}
