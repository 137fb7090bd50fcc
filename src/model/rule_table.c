/*
 * rule_table.c
 *		Table `rule` of a graph, read, rated and written (see rule_table.h).
 */
#include "rule_table.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#include "evidence/evidence.h"
#include "model_cache.h"
#include "rules/selection.h"
#include "server/growing_array.h"
#include "server/host.h"

/* ---- reading ------------------------------------------------------------------ */

static void
take_rule(void *argument, const Datum *values, const bool *nulls)
{
	RuleList   *list = argument;

	list->rule = array_reserve(list->rule, list->count + 1, &list->room, sizeof(Rule));
	rule_from_array(DatumGetInt32(values[0]), values[1], &list->rule[list->count++]);
}

RuleList
rules_of_query(const char *query, const SqlArgs *args)
{
	RuleList	list = {0};

	sql_stream(query, args, take_rule, &list);
	return list;
}

MinedRules *
mine_selected(Graph *graph, const GraphData *data, const char *model)
{
	RuleList	list;
	SqlArgs		args = sql_args_text(model);

	/* row security may hide the relation of a head */
	list = rules_of_query(psprintf("select distinct " RULE_COLUMNS " from %srule where model = $1 and selected"
								   " and head in (select id from %s)",
								   graph->prefix, graph_table_name(graph, "relation")), &args);
	if (list.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" of graph \"%s\" has no selected rules", model, graph->name),
				 errhint("Add some with hkg_import_rules.")));
	return mine_given(graph, data, list.rule, list.count, ALL_PAIRS);
}

/* ---- quality ------------------------------------------------------------------ */

static bool
same_ids(const int32 *a, int32 a_count, const int32 *b, int32 b_count)
{
	return a_count == b_count && memcmp(a, b, a_count * sizeof(int32)) == 0;
}

void
rate_by_model(Graph *graph, const GraphData *data, const char *name, MinedRules *rules, double omega, int sample)
{
	const Model *model = model_open(graph, name);
	Pool	   *pool = hkg_pool();

	if (!same_ids(model->entity_id, model->kge.entities, data->entity_id, data->entities) ||
		!same_ids(model->relation_id, model->kge.relations, data->relation_id, data->relations))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" lacks entities or relations of graph \"%s\"",
						name, graph->name),
				 errhint("Some were added since it was trained; train it again.")));
	rate_rules(&(RatingModel) {
		.pairs = body_pairs_create(data, pool),
		.data = data,.kge = &model->kge,.pool = pool,.omega = omega,.sample = sample
	}, rules);
}

/* ---- writing ------------------------------------------------------------------ */

/* The columns of a row but for model and id, and the types of their arrays' elements; body as text. */
#define NAMES "rule, head, body, "
#define COUNTS "support, body_size, pca_body_size, predictions, head_coverage, standard_confidence, pca_confidence, " \
	"embedding_confidence, quality, selected, "
#define EVIDENCE "evidence_support, evidence_body_size, evidence_error, evidence_confidence, worth"

#define REPORTED_RULES 1000		/* between two reports of progress */

static const Oid line_types[] = {
	INT4OID, TEXTOID, INT4OID, TEXTOID,
	INT8OID, INT8OID, INT8OID, INT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID,
	FLOAT8OID, FLOAT8OID, BOOLOID,
	INT8OID, INT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID
};

/* What the counts of a rule are worth, as AnyBURL has it: general rules count where nothing better fires. */
static double
weight_of(const Rule *rule)
{
	return rule_is_open(rule) ? 0.1 : 1;
}

/*
 * A selected rule is evidence by its counts, unless it is so by those of its paths; those with an empty body are counted
 * when a question is asked.
 */
static double
evidence_of(const MinedRule *rule)
{
	return isnan(rule->evidence_confidence) && rule->selected && rule_atoms(&rule->rule) > 0 ?
		weight_of(&rule->rule) * ev_smoothed_confidence(rule->support, rule->body_size, 0) : rule->evidence_confidence;
}

/* A row in the making: columns in the order of line_types */
typedef struct Line
{
	Datum		values[lengthof(line_types)];
	bool		nulls[lengthof(line_types)];
	int			columns;
} Line;

static void
put(Line *line, Datum value, bool null)
{
	line->values[line->columns] = value;
	line->nulls[line->columns++] = null;
}

/* NaN is null. */
static void
put_number(Line *line, double number)
{
	put(line, Float8GetDatum(number), isnan(number));
}

static void
add_line(SqlBatch *batch, int32 id, const MinedRule *rule)
{
	Line		line = {.columns = 0};
	bool		uncounted = !rule->counted;
	bool		no_path_rule = isnan(rule->evidence_confidence);

	put(&line, Int32GetDatum(id), false);
	put(&line, CStringGetTextDatum(rule->text), false);
	put(&line, Int32GetDatum(rule->rule.head), false);
	put(&line, CStringGetTextDatum(OidOutputFunctionCall(F_ARRAY_OUT, rule_body_array(&rule->rule))), false);
	put(&line, Int64GetDatum(rule->support), uncounted);
	put(&line, Int64GetDatum(rule->body_size), uncounted);
	put(&line, Int64GetDatum(rule->pca_body_size), uncounted);
	put(&line, Int64GetDatum(MINED_PREDICTIONS(rule)), uncounted);
	put(&line, Float8GetDatum(MINED_HEAD_COVERAGE(rule)), uncounted);
	put(&line, Float8GetDatum(MINED_STANDARD_CONFIDENCE(rule)), uncounted);
	put(&line, Float8GetDatum(MINED_PCA_CONFIDENCE(rule)), uncounted);
	put_number(&line, rule->embedding_confidence);
	put_number(&line, rule->quality);
	put(&line, BoolGetDatum(rule->selected), false);
	put(&line, Int64GetDatum(rule->evidence_support), no_path_rule);
	put(&line, Int64GetDatum(rule->evidence_body_size), no_path_rule);
	put(&line, Float8GetDatum(rule->evidence_error), no_path_rule);
	put_number(&line, evidence_of(rule));
	put_number(&line, rule->worth);
	Assert(line.columns == lengthof(line_types));
	sql_batch_row(batch, line.values, line.nulls);
}

/* Runs a statement that finds the rules' columns in "line".  A rule is a unit of the progress, which may be NULL. */
static void
write_rules(const char *statement, const MinedRules *rules, Progress *progress)
{
	SqlBatch   *batch = sql_batch_begin(psprintf("with line as (select id, rule, head, body::int[], " COUNTS EVIDENCE
												 " from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, "
												 "$14, $15, $16, $17, $18, $19)"
												 " u(id, " NAMES COUNTS EVIDENCE ")) %s",
												 statement),
										lengthof(line_types), line_types);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "hybridkg row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row);

	for (int64 i = 0; i < rules->count; i++)
	{
		add_line(batch, (int32) i + 1, &rules->rule[i]);
		MemoryContextReset(row);
		if (progress != NULL && (i + 1) % REPORTED_RULES == 0)
			progress_advance(progress, REPORTED_RULES);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row);
	sql_batch_end(batch);
}

void
rule_table_replace(Graph *graph, const char *model, const MinedRules *rules, Progress *progress)
{
	SqlArgs		args = sql_args_text(model);

	sql_run(psprintf("delete from %srule where model = $1", graph->prefix), &args);
	write_rules(psprintf("insert into %1$srule (model, id, " NAMES COUNTS EVIDENCE ")"
						 " select %2$s, id, " NAMES COUNTS EVIDENCE " from line"
						 " where head in (select id from %1$srelation)",
						 graph->prefix, quote_literal_cstr(model)),
				rules, progress);
}

void
rule_table_add(Graph *graph, const char *model, const MinedRules *rules)
{
	char	   *name = quote_literal_cstr(model);

	graph_lock_model_row(graph, model);
	sql_run(psprintf("insert into %smodel (name, settings, status, created_at) "
					 "values (%s, '{}', 'ready', clock_timestamp()) on conflict do nothing", graph->prefix, name),
			SQL_NO_ARGS);
	write_rules(psprintf(", updated as (update %1$srule r set support = line.support, body_size = line.body_size,"
						 " pca_body_size = line.pca_body_size, predictions = line.predictions,"
						 " head_coverage = line.head_coverage, standard_confidence = line.standard_confidence,"
						 " pca_confidence = line.pca_confidence, embedding_confidence = line.embedding_confidence,"
						 " quality = line.quality, worth = line.worth, selected = line.selected, evidence_confidence ="
						 " case when r.evidence_error is null then line.evidence_confidence else r.evidence_confidence end"
						 " from line where r.model = %2$s and r.head = line.head and r.body = line.body returning line.id)"
						 " insert into %1$srule (model, id, " NAMES COUNTS EVIDENCE ")"
						 " select %2$s, coalesce((select max(id) from %1$srule where model = %2$s), 0) + "
						 "row_number() over (order by id), "
						 NAMES COUNTS EVIDENCE " from line where id not in (select id from updated)",
						 graph->prefix, name),
				rules, NULL);
}
