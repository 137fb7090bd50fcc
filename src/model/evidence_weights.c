/*
 * evidence_weights.c
 *		How a model weighs evidence, as it was learnt: read, written, handed on.
 */
#include "model_evidence.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "path_network.h"
#include "server/sql.h"

/* With EV_USUAL_WEIGHT, as much as the score of a network that was trained by its loss */
#define USUAL_NETWORK 0.7

const char *const evidence_kinds[] = {"embedding", "rules", "paths", "all", NULL};
static const char *const sides[] = {"head", "tail"};

/* ---- discounts ------------------------------------------------------------------------ */

/* In column evidence of table model; NULL where there is none */
typedef struct DiscountTexts
{
	bool		has_rules;
	char	   *rules;
	char	   *both;
} DiscountTexts;

static void
take_discounts(void *argument, const Datum *values, const bool *nulls)
{
	DiscountTexts *texts = argument;

	texts->has_rules = DatumGetBool(values[0]);
	texts->rules = nulls[1] ? NULL : TextDatumGetCString(values[1]);
	texts->both = nulls[2] ? NULL : TextDatumGetCString(values[2]);
}

static double
discount_of(const Graph *graph, const char *model, EvKind kind, const DiscountTexts *texts)
{
	const char *text = kind == EV_RULES ? texts->rules : texts->both;
	char	   *end = NULL;
	double		discount = text == NULL ? -1 : strtod(text, &end);

	if (end == text || *end != '\0' || !(discount >= 0 && discount <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column evidence of model \"%s\" holds no discount of \"%s\", which is a number from 0 to 1",
						model, evidence_kinds[kind]),
				 errhint("Call hkg_learn_evidence, which learns it from a valid split, or have the usual ones: "
						 "update %smodel set evidence = evidence || '{\"discount\": {\"rules\": %s, \"all\": %g}}' "
						 "where name = %s",
						 graph->prefix, texts->has_rules ? psprintf("%g", EV_USUAL_DISCOUNT) : "null",
						 EV_USUAL_DISCOUNT, quote_literal_cstr(model))));
	return discount;
}

bool
evidence_read_discounts(const Graph *graph, const char *model, EvidenceDiscounts *discounts)
{
	DiscountTexts texts;
	SqlArgs		args = sql_args_text(model);

	if (sql_stream(psprintf("select coalesce(evidence::jsonb->'discount'->'rules' <> 'null', true), "
							"evidence::jsonb->'discount'->>'rules', evidence::jsonb->'discount'->>'all' "
							"from %s where name = $1 and evidence is not null", graph_table_name(graph, "model")),
				   &args, take_discounts, &texts) == 0)
		return false;
	discounts->has_rules = texts.has_rules;
	discounts->rules = texts.has_rules ? discount_of(graph, model, EV_RULES, &texts) : 0;
	discounts->both = discount_of(graph, model, EV_BOTH, &texts);
	return true;
}

EvidenceParts
evidence_has(const Graph *graph, const char *model)
{
	EvidenceDiscounts discounts;

	return (EvidenceParts) {evidence_read_discounts(graph, model, &discounts) && discounts.has_rules,
		path_network_number(graph, model, "members") > 0};
}

/* ---- weights ------------------------------------------------------------------------ */

typedef struct WeightRows
{
	EvWeights  *weights;		/* a scale of NaN: none was read */
	const GraphData *data;
	char	   *fault;			/* the first row that holds no weight, and why */
	int32		faulty;			/* its relation, whose name takes a query that has to wait for the end of this one */
	int			side;
} WeightRows;

/* As the end of a sentence; NULL when they are weights. */
static char *
weight_fault(const EvWeights *weights, int32 key)
{
	double		scale = weights->scale[key];
	double		weight = weights->weight[key];
	double		paths = weights->network[key];

	if (!(scale > 0 && isfinite(scale)))
		return psprintf("holds the scale %g, expected a finite number above 0", scale);
	if (!(weight >= 0 && isfinite(weight)))
		return psprintf("holds the weight %g, expected a finite number of at least 0", weight);
	if (!(paths >= 0 && isfinite(paths)))
		return psprintf("holds %g for paths, expected a finite number of at least 0", paths);
	return NULL;
}

static void
take_weight(void *argument, const Datum *values, const bool *nulls)
{
	WeightRows *rows = argument;
	EvWeights  *weights = rows->weights;
	int32		row = graph_row(rows->data->relation_id, rows->data->relations, DatumGetInt32(values[0]));
	int32		key;

	if (row < 0 || rows->fault != NULL)
		return;
	rows->faulty = DatumGetInt32(values[0]);
	rows->side = DatumGetBool(values[1]) ? SIDE_HEAD : SIDE_TAIL;
	key = 2 * row + rows->side;
	if (nulls[2] || nulls[3])
		rows->fault = pstrdup("holds a null");
	else if (!isnan(weights->scale[key]))
		rows->fault = pstrdup("is there twice");
	else
	{
		weights->scale[key] = DatumGetFloat8(values[2]);
		weights->weight[key] = DatumGetFloat8(values[3]);
		weights->network[key] = nulls[4] ? USUAL_NETWORK : DatumGetFloat8(values[4]);
		rows->fault = weight_fault(weights, key);
	}
}

static void
raise_weight_fault(Graph *graph, const char *model, const WeightRows *rows)
{
	const char *relation;

	if (rows->fault == NULL)
		return;
	relation = graph_relation_name(graph, rows->faulty);
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("row of relation \"%s\", side %s, in %sevidence_weight %s", relation, sides[rows->side], graph->prefix,
					rows->fault),
			 errdetail("It belongs to model \"%s\".", model),
			 errhint("Call hkg_learn_evidence, which writes it anew, or have the usual weights: "
					 "delete from %sevidence_weight where model = %s", graph->prefix, quote_literal_cstr(model))));
}

void
evidence_read_weights(Graph *graph, const char *model, const GraphData *data, EvWeights *weights)
{
	WeightRows	rows = {.weights = weights,.data = data};
	int32		relations = data->relations;
	SqlArgs		args = sql_args_text(model);

	weights->weight = palloc(sizeof(double) * 2 * relations);
	weights->scale = palloc(sizeof(double) * 2 * relations);
	weights->network = palloc(sizeof(double) * 2 * relations);
	for (int32 i = 0; i < 2 * relations; i++)
		weights->scale[i] = NAN;
	sql_stream(psprintf("select relation::int, side::text = 'head', scale::float8, weight::float8, "
						"paths::float8 from %s "
						"where model = $1 and num_nulls(relation, side) = 0", graph_table_name(graph, "evidence_weight")),
			   &args, take_weight, &rows);
	raise_weight_fault(graph, model, &rows);
	for (int32 i = 0; i < 2 * relations; i++)
		if (isnan(weights->scale[i]))
		{
			weights->scale[i] = 1;
			weights->weight[i] = EV_USUAL_WEIGHT;
			weights->network[i] = USUAL_NETWORK;
		}
}

/* ---- probabilities ------------------------------------------------------------------- */

/*
 * Column evidence of table model has the fit that is common to all relations, by kind, and table evidence_weight that
 * of each relation and side.  A model of version 0.1.0 has a common fit alone, in the parts of the score: it goes on
 * with that, as the chance to be held out.  Who may not read evidence_weight gets the common fit.
 */
typedef struct CalibrationRows
{
	Model	   *model;
	double		missing;		/* 0: probabilities are chances to be held out */
	double		fitted;			/* the share with which they were fitted; 0: as such chances */
	bool		learnt;			/* by this version */
} CalibrationRows;

/* A member of a jsonb object; NULL where there is none, or it is null */
static JsonbValue *
member(JsonbContainer *object, const char *key, JsonbValue *found)
{
	if (!JsonContainerIsObject(object) || getKeyJsonValueFromContainer(object, key, strlen(key), found) == NULL ||
		found->type == jbvNull)
		return NULL;
	return found;
}

static void
require_type(const JsonbValue *found, enum jbvType type, const char *key)
{
	if (found->type != type)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("\"%s\" among the probabilities that a model has learnt is not %s", key,
						type == jbvNumeric ? "a number" : "an object"),
				 errhint("Remove \"calibration\" from column evidence of table model, "
						 "and set column calibration of table evidence_weight to null; "
						 "then call hkg_learn_evidence.")));
}

/* A member that is an object; NULL where there is none */
static JsonbContainer *
object_member(JsonbContainer *object, const char *key)
{
	JsonbValue	found;

	if (member(object, key, &found) == NULL)
		return NULL;
	require_type(&found, jbvBinary, key);
	return found.val.binary.data;
}

/* A member that is a number; 0 where there is none */
static double
number_member(JsonbContainer *object, const char *key)
{
	JsonbValue	found;

	if (member(object, key, &found) == NULL)
		return 0;
	require_type(&found, jbvNumeric, key);
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8, NumericGetDatum(found.val.numeric)));
}

/* rho, of shares that a row may hold; 0 where they are none */
static double
odds_of(double held_out, double missing)
{
	return held_out > 0 && held_out < 1 && missing > 0 && missing < 1 ? ev_odds(held_out, missing) : 0;
}

static EvCalibration
fit_of(JsonbContainer *fit, const CalibrationRows *rows, double held_out)
{
	JsonbValue	choice;

	return (EvCalibration) {
		.slope = number_member(fit, "slope"),
		.score_slope = number_member(fit, "score_slope"),
		.evidence_slope = number_member(fit, "evidence_slope"),
		.intercept = number_member(fit, "intercept"),
		.unanswered = number_member(fit, "unanswered"),
		.answers = number_member(fit, "answers"),
		.best = number_member(fit, "best"),
		.spread = number_member(fit, "spread"),
		.least_spread = number_member(fit, "least_spread"),
		.odds = odds_of(held_out, rows->missing),
		.fitted_odds = odds_of(held_out, rows->fitted),
		.most_odds = number_member(fit, "most_odds"),
		.exclusive = member(fit, "choice", &choice) != NULL,
		.choice = number_member(fit, "choice"),
		.odd = number_member(fit, "odd"),
		.most = number_member(fit, "most")
	};
}

/* False where there is no fit of that kind. */
static bool
fits_of_kind(JsonbContainer *kinds, int kind, const CalibrationRows *rows, double held_out, EvCalibrations *fits)
{
	JsonbContainer *ranked = object_member(kinds, evidence_kinds[kind]);
	JsonbContainer *alone;
	JsonbValue	intercept;

	if (ranked == NULL || member(ranked, "intercept", &intercept) == NULL)
		return false;
	alone = object_member(ranked, "alone");
	*fits = (EvCalibrations) {fit_of(ranked, rows, held_out), fit_of(alone == NULL ? ranked : alone, rows, held_out)};
	return true;
}

static void
take_common(void *argument, const Datum *values, const bool *nulls)
{
	CalibrationRows *rows = argument;
	Model	   *model = rows->model;
	JsonbContainer *evidence = &DatumGetJsonbP(sql_present(values, nulls, 0))->root;
	JsonbContainer *kinds = object_member(evidence, "calibration");
	double		held_out = number_member(evidence, "held_out");
	EvCalibrations fits;

	if (kinds == NULL)
		return;
	rows->missing = number_member(evidence, "assume_missing");
	rows->fitted = number_member(evidence, "fitted_missing");
	rows->learnt = held_out > 0;
	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		if (!fits_of_kind(kinds, kind, rows, held_out, &fits))
			continue;
		for (int32 i = 0; i < 2 * model->kge.relations; i++)
			model->calibration[i * EV_KINDS + kind] = fits;
	}
}

static void
take_calibration(void *argument, const Datum *values, const bool *nulls)
{
	CalibrationRows *rows = argument;
	const Model *model = rows->model;
	int32		row = graph_row(model->relation_id, model->kge.relations, DatumGetInt32(values[0]));
	Side		side = DatumGetBool(values[1]) ? SIDE_HEAD : SIDE_TAIL;
	JsonbContainer *kinds = &DatumGetJsonbP(sql_present(values, nulls, 3))->root;

	for (int kind = 0; kind < EV_KINDS && row >= 0; kind++)
		fits_of_kind(kinds, kind, rows, DatumGetFloat8(values[2]), model_calibration(model, (EvKind) kind, row, side));
}

void
evidence_read_calibration(const Graph *graph, Model *model)
{
	CalibrationRows rows = {.model = model};
	SqlArgs		args = sql_args_text(model->name);

	for (int32 i = 0; i < 2 * EV_KINDS * model->kge.relations; i++)
		model->calibration[i] = (EvCalibrations) {ev_no_calibration(), ev_no_calibration()};
	sql_stream(psprintf("select evidence::jsonb from %s where name = $1 and evidence is not null",
						graph_table_name(graph, "model")), &args, take_common, &rows);
	model->probable = rows.learnt;
	if (!graph_may_read(graph, "evidence_weight"))
		return;
	sql_stream(psprintf("select relation::int, side::text = 'head', coalesce(held_out::float8, 0), calibration::jsonb "
						"from %s where model = $1 and num_nulls(relation, side, calibration) = 0",
						graph_table_name(graph, "evidence_weight")), &args, take_calibration, &rows);
}

/* ---- the share that is assumed to be missing ------------------------------------------ */

/* Of the last learning, else of the training; a model of version 0.1.0, which has neither, gets the default. */
double
evidence_read_missing(const Graph *graph, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	Datum		found;

	if (!sql_value(psprintf("select x.missing from (select case when evidence::jsonb ? 'assume_missing' "
							"then evidence->>'assume_missing' "
							"when settings::jsonb ? 'assume_missing' then settings->>'assume_missing' else '0.1' "
							"end::float8 as missing "
							"from %smodel where name = $1) x where x.missing > 0 and x.missing < 1", graph->prefix),
				   &args, &found))
		return 0;
	return DatumGetFloat8(found);
}

void
evidence_write_missing(const Graph *graph, const char *model, double missing)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, FLOAT8OID, Float8GetDatum(missing));
	sql_run(psprintf("update %smodel set evidence = evidence::jsonb || jsonb_build_object('assume_missing', nullif($2, 0)) "
					 "where name = $1 and evidence::jsonb ? 'calibration'", graph->prefix), &args);
}

/* ---- writing ------------------------------------------------------------------------- */

/* most_odds: infinite where nothing bounds rho */
static void
append_fit(StringInfo text, const EvCalibration *fit, double most_odds)
{
	appendStringInfo(text, "{\"slope\": %.9g, \"intercept\": %.9g, \"unanswered\": %.9g, \"answers\": %.9g, \"most\": %.9g",
					 fit->slope, fit->intercept, fit->unanswered, fit->answers, fit->most);
	if (fit->exclusive)
		appendStringInfo(text, ", \"choice\": %.9g, \"odd\": %.9g", fit->choice, fit->odd);
	else if (fit->best != 0 || fit->spread != 0)
		appendStringInfo(text, ", \"best\": %.9g, \"spread\": %.9g, \"least_spread\": %.9g", fit->best, fit->spread,
						 fit->least_spread);
	if (isfinite(most_odds))
		appendStringInfo(text, ", \"most_odds\": %.9g", most_odds);
}

/* Whether there is a fit of that kind. */
static bool
is_fitted(EvidenceParts has, EvKind kind)
{
	return (kind != EV_RULES || has.rules) && (kind != EV_NETWORK || has.network);
}

/* The fits of a kind as an entry of a jsonb object, if there are any; `error` is left out where it is not a number. */
static void
append_fits(StringInfo text, EvKind kind, const EvCalibrations *fits, double most_odds, double error)
{
	if (isnan(fits->ranked.slope) || isnan(fits->alone.slope))
		return;
	appendStringInfo(text, "%s\"%s\": ", text->data[text->len - 1] == '{' ? "" : ", ", evidence_kinds[kind]);
	append_fit(text, &fits->ranked, most_odds);
	appendStringInfoString(text, ", \"alone\": ");
	append_fit(text, &fits->alone, most_odds);
	appendStringInfoChar(text, '}');
	if (!isnan(error))
		appendStringInfo(text, ", \"error\": %.4g", error);
	appendStringInfoChar(text, '}');
}

/* What goes into column model.evidence; learnt: NULL where there was nothing to learn from. */
static void
write_summary(const Graph *graph, const char *model, EvidenceParts has, const EvLearnt *learnt)
{
	StringInfoData text;
	SqlArgs		args = sql_args_text(model);
	char	   *rules = has.rules ? psprintf("%g", learnt == NULL ? EV_USUAL_DISCOUNT : learnt->alone) : "null";

	initStringInfo(&text);
	appendStringInfo(&text, "{\"discount\": {\"rules\": %s, \"all\": %g}", rules,
					 learnt == NULL ? EV_USUAL_DISCOUNT : learnt->weights.discount);
	if (learnt != NULL)
	{
		appendStringInfo(&text, ", \"held_out\": %.9g, \"fitted_missing\": %.9g, \"calibration\": {", learnt->held_out_all,
						 learnt->missing);
		for (int i = 0; i < EV_KINDS; i++)
			if (is_fitted(has, (EvKind) i))
				append_fits(&text, (EvKind) i, &learnt->common[i], INFINITY, learnt->error[i]);
		appendStringInfoChar(&text, '}');
	}
	appendStringInfoChar(&text, '}');
	sql_run(psprintf("delete from %sevidence_weight where model = $1", graph->prefix), &args);
	sql_run(psprintf("delete from %sthreshold where model = $1 and evidence <> 'embedding'", graph->prefix), &args);
	sql_arg_text(&args, text.data);
	sql_run(psprintf("update %smodel set evidence = $2::jsonb where name = $1", graph->prefix), &args);
}

/* The fits of a relation and side, by kind */
static char *
fits_of(const EvLearnt *learnt, EvidenceParts has, int32 key)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (int i = 0; i < EV_KINDS; i++)
		if (is_fitted(has, (EvKind) i))
			append_fits(&text, (EvKind) i, &learnt->calibration[i][key], learnt->most_odds[key / 2], NAN);
	appendStringInfoChar(&text, '}');
	return text.data;
}

static void
write_weights(const Graph *graph, const char *model, const GraphData *data, EvidenceParts has, const EvLearnt *learnt)
{
	static const Oid types[] = {INT4OID, TEXTOID, FLOAT8OID, FLOAT8OID, INT8OID, FLOAT8OID, TEXTOID, FLOAT8OID};
	SqlBatch   *batch = sql_batch_begin(psprintf("insert into %1$sevidence_weight "
												 "(model, relation, side, scale, weight, questions, "
												 "held_out, calibration, paths) "
												 "select %2$s, relation, side, scale, weight, questions, "
												 "held_out, calibration::jsonb, paths "
												 "from unnest($1, $2, $3, $4, $5, $6, $7, $8) "
												 "u (relation, side, scale, weight, questions, held_out, "
												 "calibration, paths) "
												 "where u.relation in (select id from %1$srelation)",
												 graph->prefix, quote_literal_cstr(model)),
										lengthof(types), types);

	for (int32 i = 0; i < 2 * data->relations; i++)
	{
		Datum		values[8] = {
			Int32GetDatum(data->relation_id[i / 2]),
			CStringGetTextDatum(sides[i % 2]),
			Float8GetDatum(learnt->weights.scale[i]),
			Float8GetDatum(learnt->weights.weight[i]),
			Int64GetDatum(learnt->questions[i]),
			Float8GetDatum(learnt->held_out[i / 2]),
			CStringGetTextDatum(fits_of(learnt, has, i)),
			Float8GetDatum(learnt->weights.network[i])
		};
		bool		nulls[8] = {[7] = !has.network};

		sql_batch_row(batch, values, nulls);
	}
	sql_batch_end(batch);
}

void
evidence_write_weights(const Graph *graph, const char *model, const GraphData *data, EvidenceParts has,
					   const EvLearnt *learnt)
{
	write_summary(graph, model, has, learnt);
	if (learnt != NULL)
		write_weights(graph, model, data, has, learnt);
}

/* ---- from one model to the next ------------------------------------------------------ */

/* that weights and probabilities were learnt */
#define LEARNT "evidence::jsonb ?& array['calibration', 'discount']"

bool
evidence_has_learnt(const Graph *graph, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	Datum		found;

	return sql_value(psprintf("select true from %smodel where name = $1 and " LEARNT, graph->prefix), &args, &found);
}

char *
evidence_learnt(const Graph *graph, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	Datum		found;

	if (!sql_value(psprintf("select jsonb_build_object('evidence', case when " LEARNT " then evidence end, "
							"'weights', (select coalesce(jsonb_agg(w), '[]') from %1$sevidence_weight w where model = $1), "
							"'thresholds', (select coalesce(jsonb_agg(t), '[]') from %1$sthreshold t "
							"where model = $1))::text from %1$smodel where name = $1", graph->prefix),
				   &args, &found))
		return NULL;
	return TextDatumGetCString(found);
}

void
evidence_restore(const Graph *graph, const char *model, const char *learnt, EvidenceParts has)
{
	SqlArgs		args = sql_args_text(learnt);

	if (has.rules || has.network)
		write_summary(graph, model, has, NULL);
	sql_arg(&args, BOOLOID, BoolGetDatum(has.rules || has.network));
	sql_run(psprintf("insert into %1$sevidence_weight select * from jsonb_populate_recordset(null::%1$sevidence_weight, "
					 "$1::jsonb->'weights') "
					 "where $2 and relation in (select id from %1$srelation)", graph->prefix), &args);
	sql_run(psprintf("insert into %1$sthreshold select * from jsonb_populate_recordset(null::%1$sthreshold, "
					 "$1::jsonb->'thresholds') "
					 "where ($2 or evidence = 'embedding') and relation in (select id from %1$srelation)",
					 graph->prefix), &args);
	sql_arg_text(&args, model);
	sql_arg(&args, BOOLOID, BoolGetDatum(has.rules));
	/* the old model's discounts, but whether rules are evidence */
	sql_run(psprintf("update %smodel set evidence = coalesce(jsonb_set("
					 "nullif($1::jsonb->'evidence', 'null'), '{discount,rules}', "
					 "case when $4 then coalesce(nullif($1::jsonb->'evidence'->'discount'->'rules', 'null'), '%g') "
					 "else 'null' end), evidence) "
					 "where $2 and name = $3", graph->prefix, EV_USUAL_DISCOUNT), &args);
}
