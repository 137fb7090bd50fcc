/*
 * section_missing.c
 *		The most plausible missing facts of a graph, each with its best rule and what grounds that.
 *
 * On a small graph they are those of hkg_complete.  On a larger one that takes longer than a page may: then they are
 * the best answers to a sample of the questions.  What is listed has the probability that hkg_complete gives: that by
 * both questions which a fact answers.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "drawn_questions.h"
#include "evidence/evidence.h"
#include "model/predictor.h"

#define LISTED 25
#define KEPT 50					/* by one question: by both, others may be listed */
#define ASKED_OF_ALL 500		/* more than are listed: some may be held out */
#define WORK_OF_ALL 2e9			/* products of numbers in all questions together: some seconds */
#define QUESTIONS_OF_ALL 8000
#define QUESTIONS_DRAWN 300		/* of either group */

typedef struct MissingFact
{
	char	   *head;
	char	   *relation;
	char	   *tail;
	double		probability;
} MissingFact;

/* The best so far, best first */
typedef struct MissingFacts
{
	MissingFact fact[KEPT];
	int			count;
} MissingFacts;

static bool
is_same(const MissingFact *fact, const Datum *values)
{
	return strcmp(fact->head, TextDatumGetCString(values[0])) == 0 &&
		strcmp(fact->relation, TextDatumGetCString(values[1])) == 0 &&
		strcmp(fact->tail, TextDatumGetCString(values[2])) == 0;
}

/* Where a fact belongs; KEPT where it is not kept: others are better, or it is there with no lower a probability. */
static int
place_of(const MissingFacts *facts, const Datum *values, double probability)
{
	int			place = facts->count;

	for (int i = 0; i < facts->count; i++)
	{
		if (facts->fact[i].probability < probability && place == facts->count)
			place = i;
		if (facts->fact[i].probability >= probability && is_same(&facts->fact[i], values))
			return KEPT;
	}
	return place;
}

/* A row: head, relation, tail, probability.  A fact that answers two questions has the higher of two probabilities. */
static void
keep_best(void *argument, const Datum *values, const bool *nulls)
{
	MissingFacts *facts = argument;
	double		probability = DatumGetFloat8(values[3]);
	int			place = place_of(facts, values, probability);
	int			last = place;	/* it is replaced by what was before it: the same fact, or the worst */

	if (place == KEPT)
		return;
	while (last < facts->count && !is_same(&facts->fact[last], values))
		last++;
	if (last == facts->count)
	{
		facts->count = Min(facts->count + 1, KEPT);
		last = facts->count - 1;
	}
	memmove(&facts->fact[place + 1], &facts->fact[place], (last - place) * sizeof(MissingFact));
	facts->fact[place] = (MissingFact) {
		TextDatumGetCString(values[0]), TextDatumGetCString(values[1]), TextDatumGetCString(values[2]), probability
	};
}

/*
 * A query of found facts (head, relation, tail, probability, by names) without those that are held out: they are not
 * missing.  Who may not read table holdout sees them.
 */
static char *
without_held_out(const Report *report, const char *found)
{
	const char *condition = psprintf("where not exists (select from %1$sholdout x join %1$sentity h on h.id = x.head "
									 "join %1$srelation r on r.id = x.relation join %1$sentity t on t.id = x.tail "
									 "where h.name = f.head and r.name = f.relation and t.name = f.tail)",
									 report->graph->prefix);

	return psprintf("select head, relation, tail, probability from (%s) f %s order by probability desc limit %d", found,
					graph_may_read(report->graph, "holdout") ? condition : "", KEPT);
}

/* ---- by both questions ------------------------------------------------------------------------ */

/* The parameters of a statement about a fact: model, head, relation, tail */
static SqlArgs
args_of_fact(const char *model, const MissingFact *fact)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg_text(&args, fact->head);
	sql_arg_text(&args, fact->relation);
	sql_arg_text(&args, fact->tail);
	return args;
}

/* The probability that a call gives the fact, by one of its questions; NaN where it is no answer. */
static double
probability_by(const Report *report, const char *call, const SqlArgs *args)
{
	return report_number(psprintf("select probability from %shkg_predict_%s", report->functions, call), args);
}

/* By both questions, where both have the fact as an answer */
static double
probability_by_both(const Report *report, const char *model, const MissingFact *fact)
{
	const char *graph = quote_literal_cstr(report->graph->name);
	SqlArgs		args = args_of_fact(model, fact);
	double		by_tail = probability_by(report, psprintf("tails(%s, $2, $3, 1, $1::name, candidates => array[$4])", graph),
										 &args);
	double		by_head = probability_by(report, psprintf("heads(%s, $3, $4, 1, $1::name, candidates => array[$2])", graph),
										 &args);
	/* opened after the calls, which may have read the facts again */
	Predictor	predictor = predictor_open(report->graph, model, EV_BOTH);

	return isnan(by_tail) || isnan(by_head) ? fact->probability :
		predictor_probability_by_both(&predictor, model_relation_row(predictor.model, report->graph, fact->relation),
									  by_head, by_tail);
}

static int
compare_probabilities(const void *a, const void *b)
{
	double		difference = ((const MissingFact *) b)->probability - ((const MissingFact *) a)->probability;

	return (difference > 0) - (difference < 0);
}

static void
settle(const Report *report, const char *model, MissingFacts *facts)
{
	for (int i = 0; i < facts->count; i++)
		facts->fact[i].probability = probability_by_both(report, model, &facts->fact[i]);
	qsort(facts->fact, facts->count, sizeof(MissingFact), compare_probabilities);
}

/* ---- finding ------------------------------------------------------------------------------- */

/* Whether hkg_complete takes a few seconds at most */
static bool
may_ask_all(const Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	double		questions = report_number(psprintf("select ((select count(*) from (select distinct relation, head "
												   "from %1$striple) h) "
												   "+ (select count(*) from (select distinct relation, tail "
												   "from %1$striple) t))::float8", report->graph->prefix), SQL_NO_ARGS);
	double		numbers = report_number(psprintf("select (count(*) * (select coalesce(dimensions, 1) from %1$smodel "
												 "where name = $1))::float8 "
												 "from %1$sentity", report->graph->prefix), &args);

	return questions <= QUESTIONS_OF_ALL && questions * numbers <= WORK_OF_ALL;
}

static void
find_in_all(Report *report, const char *model, MissingFacts *facts)
{
	SqlArgs		args = sql_args_text(model);

	sql_stream(without_held_out(report, psprintf("select * from %shkg_complete(%s, k => %d, "
												 "min_probability => 0, model => $1::name) c",
												 report->functions, quote_literal_cstr(report->graph->name), ASKED_OF_ALL)),
			   &args, keep_best, facts);
	markup_paragraph(report->markup, NULL,
					 "Found by hkg_complete among the questions about what the graph lacks, for heads and for tails.");
}

static void
find_in_sample(Report *report, const char *model, MissingFacts *facts)
{
	char	   *query = without_held_out(report, psprintf("select p.head, r.name::text as relation, p.tail, "
														  "p.probability from answers p, "
														  "%srelation r where r.id = $1", report->graph->prefix));
	int64		questions = ask_drawn_questions(report, model, QUESTIONS_DRAWN, query, keep_best, facts);

	settle(report, model, facts);
	markup_paragraph(report->markup, NULL,
					 "Found among the answers to %s questions, every n-th of those that users ask; hkg_complete looks for the most "
					 "probable of all.",
					 count_text((double) questions));
}

/* ---- writing -------------------------------------------------------------------------------- */

static const Column missing_columns[] = {
	{"head", COLUMN_NAME},
	{"relation", COLUMN_NAME},
	{"tail", COLUMN_NAME},
	{"probability", COLUMN_SHARE_BAR},
	{"rule that counts most", COLUMN_CODE},
	{"because", COLUMN_CODE}
};

typedef struct BestReason
{
	char	   *rule;
	char	   *grounding;
} BestReason;

static void
take_reason(void *argument, const Datum *values, const bool *nulls)
{
	BestReason *reason = argument;

	reason->rule = TextDatumGetCString(values[0]);
	reason->grounding = nulls[1] ? pstrdup("") : TextDatumGetCString(values[1]);
}

/* Of hkg_explain: a row with a grounding before one without, then by share.  A path may be it, or the embedding. */
static BestReason
reason_of(const Report *report, const char *model, const MissingFact *fact)
{
	BestReason	reason = {pstrdup(""), pstrdup("")};
	SqlArgs		args = args_of_fact(model, fact);

	sql_stream(psprintf("select rule, grounding from %shkg_explain(%s, $2, $3, $4, $1::name) "
						"order by grounding is null, share desc nulls last, quality desc nulls last, "
						"rule, grounding limit 1",
						report->functions, quote_literal_cstr(report->graph->name)), &args, take_reason, &reason);
	return reason;
}

static void
write_facts(Report *report, const char *model, const MissingFacts *facts)
{
	Markup	   *markup = report->markup;

	table_begin(markup, "Most probable first", missing_columns, lengthof(missing_columns));
	for (int i = 0; i < Min(facts->count, LISTED); i++)
	{
		const MissingFact *fact = &facts->fact[i];
		BestReason	reason = reason_of(report, model, fact);

		table_row_begin(markup);
		table_text(markup, COLUMN_NAME, fact->head);
		table_text(markup, COLUMN_NAME, fact->relation);
		table_text(markup, COLUMN_NAME, fact->tail);
		table_number(markup, COLUMN_SHARE_BAR, fact->probability);
		table_text(markup, COLUMN_CODE, reason.rule);
		table_text(markup, COLUMN_CODE, reason.grounding);
		table_row_end(markup);
	}
	table_end(markup);
}

void
section_missing(Report *report, const char *model)
{
	MissingFacts facts = {.count = 0};

	if (!section_has_probabilities(report, model))
	{
		markup_paragraph(report->markup, "left-out",
						 "The model has learnt no probabilities: facts could not be held out, or holdout was 0.");
		return;
	}
	if (may_ask_all(report, model))
		find_in_all(report, model, &facts);
	else
		find_in_sample(report, model, &facts);
	if (facts.count == 0)
		markup_paragraph(report->markup, "left-out", "Nothing was found.");
	else
		write_facts(report, model, &facts);
}
