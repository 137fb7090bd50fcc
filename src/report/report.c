/*
 * report.c
 *		hkg_report: a graph and its models as a page (see section.h for what is on it).
 *
 * Each section runs in a subtransaction.  Where that ends with an error that is no fault of ours, such as a table that
 * the reader may not see, what it has written is taken back, and the page states what is left out and why.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "graph/call.h"
#include "model/model.h"
#include "section.h"
#include "server/argument.h"
#include "server/attempt.h"
#include "server/host.h"
#include "style.h"

typedef struct Section
{
	const char *id;
	const char *title;
	const char *lead;			/* what one sees */
	void		(*write) (Report *report, const char *model);
} Section;

static const Section of_graph = {
	"graph", "The graph",
	"What the graph is made of: its relations with their facts, and how the facts are spread over the entities.",
	section_graph
};

static const Section of_model[] = {
	{"training", "Training", "How the training went, iteration by iteration, and with which settings.", section_training},
	{"accuracy", "Accuracy",
		"How high the model ranks the right answer, and how often it is among the first ten, for facts that are held out.",
		section_accuracy},
	{"calibration", "Probabilities", "Whether answers that are called probable are as often true.", section_calibration},
	{"rules", "Rules",
		"Which rules the model has learnt, how sure they are by the facts and by the embedding, and what they add.",
		section_rules},
	{"map", "Map", "Entities that the model takes to be alike lie near each other.", section_map},
	{"missing", "Missing facts",
		"The facts that the graph most probably lacks, with the rule that counts most and the facts behind it.",
		section_missing},
	{"cost", "Cost", "What a question takes: time of a prediction once the model is in memory, memory, tables.",
		section_cost}
};

/* ---- one section ------------------------------------------------------------------------------ */

/* Errors that the reader's rights, the graph or the installation cause */
static bool
may_be_left_out(int sqlstate)
{
	return sqlstate == ERRCODE_INSUFFICIENT_PRIVILEGE || sqlstate == ERRCODE_FEATURE_NOT_SUPPORTED ||
		sqlstate == ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE || sqlstate == ERRCODE_OUT_OF_MEMORY ||
		sqlstate == ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

static void
write_left_out(Markup *markup, const ErrorData *error)
{
	markup_open(markup, "p", "class", "left-out", NULL);
	markup_text(markup, "Left out: ");
	markup_isolated(markup, error->message);
	markup_text(markup, ".");
	if (error->hint != NULL)
	{
		markup_text(markup, " ");
		markup_isolated(markup, error->hint);
	}
	markup_close(markup);
}

/* A section of one model, whose memory is gone afterwards */
typedef struct GuardedSection
{
	Report	   *report;
	const Section *section;
	const char *model;
	MemoryContext work;
} GuardedSection;

static void
try_section(void *argument)
{
	GuardedSection *guarded = argument;

	MemoryContextSwitchTo(guarded->work);
	guarded->section->write(guarded->report, guarded->model);
}

static void
write_guarded(Report *report, const Section *section, const char *model)
{
	GuardedSection guarded = {.report = report,.section = section,.model = model};
	MarkupPlace place = markup_place(report->markup);
	ErrorData  *error;

	guarded.work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg section", ALLOCSET_DEFAULT_SIZES);
	error = attempt(try_section, &guarded);
	if (error != NULL && !may_be_left_out(error->sqlerrcode))
		ReThrowError(error);
	if (error != NULL)
	{
		markup_return(report->markup, place);
		write_left_out(report->markup, error);
	}
	MemoryContextDelete(guarded.work);
}

static void
write_heading(Markup *markup, const Section *section)
{
	markup_element(markup, "h2", section->title, NULL);
	markup_paragraph(markup, "lead", "%s", section->lead);
}

/* Two models stand side by side. */
static void
write_section(Report *report, const Section *section, const char *const *models, int count)
{
	Markup	   *markup = report->markup;

	markup_open(markup, "section", "id", section->id, NULL);
	write_heading(markup, section);
	if (count > 1)
		markup_open(markup, "div", "class", "sides", NULL);
	for (int i = 0; i < count; i++)
	{
		if (count > 1)
		{
			markup_open(markup, "div", "class", "side", NULL);
			markup_open(markup, "h3", NULL);
			markup_name(markup, models[i]);
			markup_close(markup);
		}
		write_guarded(report, section, models[i]);
		if (count > 1)
			markup_close(markup);
	}
	if (count > 1)
		markup_close(markup);
	markup_close(markup);
}

/* ---- the page ------------------------------------------------------------------------------------ */

static void
write_head(Markup *markup, const char *graph)
{
	markup_open(markup, "head", NULL);
	markup_open(markup, "meta", "charset", "utf-8", NULL);
	markup_close(markup);
	markup_open(markup, "meta", "name", "viewport", "content", "width=device-width, initial-scale=1", NULL);
	markup_close(markup);
	markup_open(markup, "meta", "name", "color-scheme", "content", "light dark", NULL);
	markup_close(markup);
	markup_open(markup, "title", NULL);
	markup_text(markup, "Knowledge graph ");
	markup_isolated(markup, graph);
	markup_close(markup);
	markup_element(markup, "style", report_style, NULL);
	markup_close(markup);
}

static void
write_link(Markup *markup, const Section *section)
{
	markup_open(markup, "li", NULL);
	markup_element(markup, "a", section->title, "href", psprintf("#%s", section->id), NULL);
	markup_close(markup);
}

static void
write_contents(Markup *markup, bool has_model)
{
	markup_open(markup, "nav", "aria-label", "Contents", NULL);
	markup_open(markup, "ul", NULL);
	write_link(markup, &of_graph);
	for (int i = 0; has_model && i < (int) lengthof(of_model); i++)
		write_link(markup, &of_model[i]);
	markup_close(markup);
	markup_close(markup);
}

static void
write_title(Markup *markup, const char *graph, const char *const *models, int count)
{
	markup_open(markup, "header", NULL);
	markup_open(markup, "h1", NULL);
	markup_text(markup, "Knowledge graph ");
	markup_name(markup, graph);
	markup_close(markup);
	markup_open(markup, "p", "class", "subtitle", NULL);
	for (int i = 0; i < count; i++)
	{
		markup_text(markup, i == 0 ? "Model " : " beside model ");
		markup_name(markup, models[i]);
	}
	if (count == 0)
		markup_text(markup, "Without a model");
	markup_print(markup, ", %s", report_text("select to_char(now(), 'YYYY-MM-DD HH24:MI TZ')", SQL_NO_ARGS));
	markup_close(markup);
	write_contents(markup, count > 0);
	markup_close(markup);
}

static void
write_page(Report *report, const char *const *models, int count)
{
	Markup	   *markup = report->markup;

	markup_doctype(markup);
	markup_open(markup, "html", "xmlns", "http://www.w3.org/1999/xhtml", "lang", "en", NULL);
	write_head(markup, report->graph->name);
	markup_open(markup, "body", NULL);
	write_title(markup, report->graph->name, models, count);
	markup_open(markup, "main", NULL);
	write_section(report, &of_graph, (const char *const[]) {NULL}, 1);
	for (int i = 0; count > 0 && i < (int) lengthof(of_model); i++)
		write_section(report, &of_model[i], models, count);
	if (count == 0)
		markup_paragraph(markup, "left-out", "The graph has no model yet: hkg_train(graph) makes one.");
	markup_close(markup);
	markup_element(markup, "footer", "Made by hkg_report of hybridkg.", NULL);
	markup_close(markup);
	markup_close(markup);
}

/* A graph without models has a page, too; but a name that others do not have is an error. */
static bool
has_models(const Graph *graph)
{
	return report_number(psprintf("select count(*)::float8 from %smodel", graph->prefix), SQL_NO_ARGS) > 0;
}

HKG_FUNCTION(hkg_report);
Datum
hkg_report(PG_FUNCTION_ARGS)
{
	static const TableRights read = {"model", ACL_SELECT};
	const char *models[2] = {NULL};
	int			count = 0;
	Call		call;
	Markup		markup;
	Report		report;
	text	   *page;

	if (!PG_ARGISNULL(2))
		models[1] = argument_name(fcinfo, 2, "compare");
	call = call_begin(fcinfo, 1);
	graph_require_rights(call.graph, &read, 1);
	markup_begin(&markup);
	report = (Report) {&markup, call.graph, extension_prefix()};
	if (has_models(call.graph) || !PG_ARGISNULL(2))
	{
		models[0] = call.model;
		count = PG_ARGISNULL(2) ? 1 : 2;
		for (int i = 0; i < count; i++)
			model_require(call.graph, models[i]);
	}
	write_page(&report, models, count);
	MemoryContextSwitchTo(call.caller);
	page = cstring_to_text_with_len(markup.output.data, markup.output.len);
	MemoryContextSwitchTo(call.work);
	call_end(&call);
	PG_RETURN_TEXT_P(page);
}
