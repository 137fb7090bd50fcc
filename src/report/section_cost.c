/*
 * section_cost.c
 *		What a question costs: memory, tables, the time of a prediction whose model is in memory.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "core/pool.h"
#include "section.h"

#define QUESTIONS 21

static int
compare_doubles(const void *a, const void *b)
{
	double		left = *(const double *) a;
	double		right = *(const double *) b;

	return (left > right) - (left < right);
}

/* ---- time -------------------------------------------------------------------------------- */

typedef struct TimedQuestions
{
	Datum		head[QUESTIONS];
	Datum		relation[QUESTIONS];
	int			count;
} TimedQuestions;

static void
take_question(void *argument, const Datum *values, const bool *nulls)
{
	TimedQuestions *questions = argument;

	questions->head[questions->count] = CStringGetTextDatum(TextDatumGetCString(sql_present(values, nulls, 0)));
	questions->relation[questions->count++] = CStringGetTextDatum(TextDatumGetCString(sql_present(values, nulls, 1)));
}

/* Heads and relations of facts, at even distances in the order of ids; no relation that came after the training */
static TimedQuestions
choose_questions(const Report *report, const char *model)
{
	TimedQuestions questions = {.count = 0};
	SqlArgs		args = sql_args_text(model);

	sql_stream(psprintf("select h.name::text, r.name::text from generate_series(0, %1$d) s, "
						"lateral (select head, relation from %2$striple "
						"where head >= (select (min(id) + (max(id) - min(id)) * (s.s / %3$d.0))::int from %2$sentity) "
						"	and relation = any (array(select relation from %2$srelation_embedding where model = $1)) "
						"order by head, relation limit 1) f "
						"join %2$sentity h on h.id = f.head join %2$srelation r on r.id = f.relation limit %3$d",
						QUESTIONS - 1, report->graph->prefix, QUESTIONS), &args, take_question, &questions);
	return questions;
}

static void
ignore_row(void *argument, const Datum *values, const bool *nulls)
{
}

/* Milliseconds of one prediction */
static double
time_question(const Report *report, const char *model, Datum head, Datum relation)
{
	SqlArgs		args = sql_args_text(model);
	int64		start;

	sql_arg(&args, TEXTOID, head);
	sql_arg(&args, TEXTOID, relation);
	start = monotonic_now();
	sql_stream_often(psprintf("select tail from %shkg_predict_tails(%s, $2, $3, 10, $1::name)", report->functions,
							  quote_literal_cstr(report->graph->name)), &args, ignore_row, NULL);
	return 1000 * seconds_since(start);
}

/* The first question reads what is not in memory yet, and is left out. */
static void
write_times(Report *report, const char *model)
{
	TimedQuestions questions = choose_questions(report, model);
	double		time[QUESTIONS];

	if (questions.count == 0)
		return;
	time_question(report, model, questions.head[0], questions.relation[0]);
	for (int i = 0; i < questions.count; i++)
		time[i] = time_question(report, model, questions.head[i], questions.relation[i]);
	qsort(time, questions.count, sizeof(double), compare_doubles);
	figure(report->markup, psprintf("%.2f ms", time[questions.count / 2]),
		   psprintf("a prediction of ten tails, the median of %d", questions.count));
	figure(report->markup, psprintf("%.2f ms", time[questions.count - 1]), "the slowest of them");
}

/* ---- space ---------------------------------------------------------------------------------- */

/* Of the model's embeddings and sketch, or of the facts, which all models share */
static void
write_memory(Report *report, const char *model, const char *kind, const char *meaning)
{
	SqlArgs		args = sql_args_text(model);
	double		bytes;

	sql_arg_text(&args, kind);
	sql_arg_text(&args, report->graph->name);
	bytes = report_number(psprintf("select sum(bytes)::float8 from %shkg_cache c "
								   "where c.graph = $3::name and c.state = 'ready' and c.kind = $2 "
								   "and (c.model = $1::name or c.kind = 'facts' and c.model is null)",
								   report->functions), &args);
	if (!isnan(bytes))
		figure(report->markup, bytes_text(bytes), meaning);
}

static const Column size_columns[] = {
	{"table", COLUMN_TEXT},
	{"with its indexes", COLUMN_BYTES}
};

/* Of a distributed graph, facts and names are in the copies of this node. */
static char *
copies_of_tables(const Graph *graph)
{
	static const char *const copied[] = {"entity", "relation", "triple", "holdout"};
	StringInfoData values;

	initStringInfo(&values);
	for (int i = 0; i < (int) lengthof(copied); i++)
		appendStringInfo(&values, "%s('%s', %u::oid)", i == 0 ? "" : ", ", copied[i],
						 graph_table_here(graph->schema, copied[i]));
	return values.data;
}

static void
write_sizes(Report *report)
{
	SqlArgs		args = {0};

	sql_arg(&args, OIDOID, ObjectIdGetDatum(report->graph->schema));
	table_of_query(report->markup, "Tables of the graph, all models together", size_columns, lengthof(size_columns),
				   psprintf("select name, bytes "
							"from (select relname::text as name, pg_total_relation_size(coalesce(copy, oid))::float8 "
							"as bytes "
							"from pg_class left join (values %s) c (copied, copy) on copied = relname "
							"where relnamespace = $1 and relkind in ('r', 'p')) t where bytes >= 65536 order by 2 desc, 1",
							copies_of_tables(report->graph)), &args);
}

void
section_cost(Report *report, const char *model)
{
	figures_begin(report->markup);
	write_times(report, model);
	write_memory(report, model, "model", "of memory for the model, shared by all sessions");
	write_memory(report, model, "facts", "of memory for facts and rules, shared likewise");
	figures_end(report->markup);
	write_sizes(report);
}
