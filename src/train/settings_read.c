/*
 * settings_read.c
 *		The settings of a training: read from arguments, jsonb and presets, completed, and written as JSON, all by the
 *		table of settings_table.c.
 */
#include "settings.h"

#include <errno.h>
#include <limits.h>
#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "core/names.h"
#include "server/argument.h"
#include "server/sql.h"
#include "settings_table.h"

/* times that the first step of a warm start is larger than that of a training */
#define WARM_PACE 2

/* ---- for src/kge ------------------------------------------------------------------- */

KgeTraining
settings_training(const TrainSettings *settings)
{
	return (KgeTraining) {
		.batch_size = settings->batch_size,
		.block_size = settings->block_size,
		.negatives = settings->negatives,
		.learning_rate = settings->learning_rate,
		.learning_rate_end = settings->learning_rate_end,
		.epochs = settings->learning_rate_end > 0 ? (uint64) epochs_in(settings, settings->iterations) : 0,
		.regularization = settings->regularization,
		.seed = (uint64) settings->seed,
		.loss = settings->loss,
		.sampler = settings->negative_sampling,
		.precision = settings->precision,
		.temperature = settings->temperature,
		.regularizer = settings->regularizer,
		.optimizer = settings->optimizer,
		.relation_weight = settings->relation_weight,
		.constraint = settings->constraints,
		.entailment_weight = settings->entailment_weight,
		.labelling = hybrid_labelling(settings->hybrid),
		.label_smoothing = settings->label_smoothing,
		.dropout = {settings->input_dropout, settings->feature_dropout, settings->hidden_dropout}
	};
}

KgeModel
settings_model(const TrainSettings *settings)
{
	return (KgeModel) {
		.function = settings->score_function,
		.dimensions = settings->dimensions,
		.norm = settings->norm,
		.gamma = settings->gamma,
		.reciprocal = settings->reciprocal
	};
}

/* ---- a value ----------------------------------------------------------------------- */

/* What a value is as JSON */
typedef enum ValueKind
{
	VALUE_ANY,					/* a text of our own */
	VALUE_NUMBER,
	VALUE_BOOL,
	VALUE_TEXT,
	VALUE_OTHER
} ValueKind;

typedef struct Value
{
	ValueKind	kind;
	const char *text;
} Value;

static bool
is_kind(Value value, ValueKind kind)
{
	return value.kind == VALUE_ANY || value.kind == kind;
}

/* Returns false where it is out of range, or no whole number and to be one. */
static bool
put_number(const Setting *setting, const char *text, TrainSettings *settings)
{
	double		number = strtod(text, NULL);
	int64		whole;

	if (isnan(number) || number < setting->low || number > setting->high)
		return false;
	if (setting->type == SETTING_FLOAT)
	{
		SETTING_OF(settings, setting, double) = number;
		return true;
	}
	errno = 0;
	whole = strtoll(text, NULL, 10);
	if (errno != 0 || floor(number) != number)
		return false;
	if (setting->type == SETTING_INT)
		SETTING_OF(settings, setting, int) = (int) whole;
	else
		SETTING_OF(settings, setting, int64) = whole;
	return true;
}

static bool
put_choice(const Setting *setting, const char *text, TrainSettings *settings)
{
	for (int i = 0; setting->choice(i) != NULL; i++)
	{
		if (text[0] == '\0' || strcmp(setting->choice(i), text) != 0)
			continue;
		if (setting->type == SETTING_ENUM)
			SETTING_OF(settings, setting, int) = i;
		else
			SETTING_OF(settings, setting, const void *) = setting->find(text);
		return true;
	}
	return false;
}

/* Returns false where the setting cannot be that. */
static bool
put(const Setting *setting, Value value, TrainSettings *settings)
{
	bool		yes = strcmp(value.text, "true") == 0;

	switch (setting->type)
	{
		case SETTING_INT:
		case SETTING_BIGINT:
		case SETTING_FLOAT:
			return is_kind(value, VALUE_NUMBER) && put_number(setting, value.text, settings);
		case SETTING_BOOL:
			SETTING_OF(settings, setting, bool) = yes;
			return is_kind(value, VALUE_BOOL);
		case SETTING_DECISION:
			SETTING_OF(settings, setting, Decision) = yes ? YES : NO;
			return is_kind(value, VALUE_BOOL);
		case SETTING_NAME:
			SETTING_OF(settings, setting, char *) =
				pstrdup(NameStr(*DatumGetName(DirectFunctionCall1(namein, CStringGetDatum(value.text)))));
			return is_kind(value, VALUE_TEXT);
		case SETTING_ENUM:
		case SETTING_THING:
			return is_kind(value, VALUE_TEXT) && put_choice(setting, value.text, settings);
	}
	return false;
}

static void
refuse(const Setting *setting, Value value)
{
	const char *shown = argument_shown(value.text);
	const char *kind = "";

	if (setting->type <= SETTING_FLOAT)
		kind = value.kind != VALUE_NUMBER ? "a number between " :
			setting->type != SETTING_FLOAT && strchr(value.text, '.') != NULL ? "a whole number between " : "between ";
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s must be %s%s, not %s", setting->name, kind, setting_range(setting, "and"),
					value.kind == VALUE_TEXT ? psprintf("\"%s\"", shown) : shown)));
}

static void
put_or_refuse(const Setting *setting, Value value, TrainSettings *settings)
{
	if (!put(setting, value, settings))
		refuse(setting, value);
}

/* With all digits, whatever extra_float_digits is */
static char *
digits_of(double number)
{
	char	   *digits = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

	double_to_shortest_decimal_buf(number, digits);
	return digits;
}

static Value
argument_value(FunctionCallInfo fcinfo, int i, Oid type)
{
	Datum		datum = PG_GETARG_DATUM(i);

	switch (type)
	{
		case INT4OID:
			return (Value) {VALUE_NUMBER, psprintf("%d", DatumGetInt32(datum))};
		case INT8OID:
			return (Value) {VALUE_NUMBER, psprintf(INT64_FORMAT, DatumGetInt64(datum))};
		case FLOAT8OID:
			return (Value) {VALUE_NUMBER, digits_of(DatumGetFloat8(datum))};
		case BOOLOID:
			return (Value) {VALUE_BOOL, DatumGetBool(datum) ? "true" : "false"};
		case NAMEOID:
			return (Value) {VALUE_TEXT, pstrdup(NameStr(*DatumGetName(datum)))};
		default:
			return (Value) {VALUE_TEXT, TextDatumGetCString(datum)};
	}
}

static Value
json_value(const JsonbValue *json)
{
	switch (json->type)
	{
		case jbvNumeric:
			return (Value) {
				VALUE_NUMBER, DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(json->val.numeric)))
			};
		case jbvBool:
			return (Value) {VALUE_BOOL, json->val.boolean ? "true" : "false"};
		case jbvString:
			return (Value) {VALUE_TEXT, pnstrdup(json->val.string.val, json->val.string.len)};
		default:
			return (Value) {VALUE_OTHER, "an object or a list"};
	}
}

/* ---- where values come from -------------------------------------------------------- */

/* Later ones take precedence. */
typedef enum Source
{
	BY_DEFAULT,
	BY_DECLARATION,				/* the default that the declaration of an older version gives */
	BY_PRESET,
	BY_SETTINGS,
	BY_ARGUMENT
} Source;

#define MOST_SETTINGS 100

typedef struct Reading
{
	TrainSettings *settings;
	Source		source[MOST_SETTINGS];
	TrainSettings overridden;	/* what the preset has where the call gives another value */
} Reading;

static Source
source_of(const Reading *reading, const char *name)
{
	return reading->source[setting_find(name)];
}

static void
refuse_unknown(const char *name)
{
	const char *nearest = NULL;
	int			best = (int) strlen(name) / 2 + 1;

	for (int i = 0; i < settings_count && strlen(name) < NAMEDATALEN && best > 0; i++)
	{
		const char *known = settings_table[i].name;
		int			distance = varstr_levenshtein_less_equal(name, (int) strlen(name), known, (int) strlen(known),
															 1, 1, 1, best - 1, true);

		if (distance < best)
		{
			best = distance;
			nearest = known;
		}
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("setting \"%s\" is not known", argument_shown(name)),
			 nearest != NULL ? errhint("Did you mean \"%s\"? hkg_settings() lists all.", nearest) :
			 errhint("hkg_settings() lists all.")));
}

static void
take(Reading *reading, const char *name, Value value, Source source)
{
	int			i = setting_find(name);

	if (i < 0)
		refuse_unknown(name);
	if (source == BY_SETTINGS && reading->source[i] == BY_ARGUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is given twice", name),
				 errdetail("As an argument and in settings."),
				 errhint("Leave it out of one of them.")));
	if (source < reading->source[i])
	{
		put_or_refuse(&settings_table[i], value, &reading->overridden);
		return;
	}
	put_or_refuse(&settings_table[i], value, reading->settings);
	reading->source[i] = source;
}

/* Null stands for the default. */
static void
take_json(Reading *reading, Jsonb *json, Source source)
{
	JsonbIterator *iterator = JsonbIteratorInit(&json->root);
	JsonbIteratorToken token;
	JsonbValue	value;
	char	   *name = NULL;

	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("settings must be an object, such as {\"negatives\": 10}"),
				 errhint("hkg_settings() lists the names.")));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			name = pnstrdup(value.val.string.val, value.val.string.len);
		else if (token == WJB_VALUE && value.type != jbvNull)
			take(reading, name, json_value(&value), source);
	}
}

/* By the names of the declaration, which may be that of an older version */
static void
take_arguments(Reading *reading, FunctionCallInfo fcinfo, bool *is_older)
{
	HeapTuple	row = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	Jsonb	   *settings = NULL;
	Oid		   *types;
	char	  **names;
	char	   *modes;

	if (!HeapTupleIsValid(row))
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	(void) get_func_arg_info(row, &types, &names, &modes);
	ReleaseSysCache(row);
	*is_older = true;
	for (int i = 0; i < PG_NARGS(); i++)
	{
		if (strcmp(names[i], "graph") == 0)
			reading->settings->graph = argument_name(fcinfo, i, "graph");
		else if (types[i] == JSONBOID)
		{
			*is_older = false;
			if (!PG_ARGISNULL(i))
				settings = PG_GETARG_JSONB_P(i);
		}
		else if (!PG_ARGISNULL(i))
			take(reading, names[i], argument_value(fcinfo, i, types[i]),
				 argument_is_given(fcinfo, i) ? BY_ARGUMENT : BY_DECLARATION);
	}
	if (settings != NULL)
		take_json(reading, settings, BY_SETTINGS);
}

Jsonb *
preset_settings(const char *preset)
{
	SqlArgs		args = sql_args_text(preset);
	Datum		found;

	if (sql_value(psprintf("select settings from %s_hkg_presets() where preset = $1", extension_prefix()), &args, &found))
		return DatumGetJsonbP(found);
	sql_value(psprintf("select pg_catalog.string_agg(preset, ', ') from %s_hkg_presets()", extension_prefix()),
			  SQL_NO_ARGS, &found);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("preset \"%s\" is not known", argument_shown(preset)),
			 errhint("Presets are: %s.", TextDatumGetCString(found))));
}

const char *
preset_value(Jsonb *settings, const char *name)
{
	JsonbValue	room;
	JsonbValue *found = getKeyJsonValueFromContainer(&settings->root, name, (int) strlen(name), &room);

	return found == NULL ? NULL : json_value(found).text;
}

/* A preset's learning_rate_end is relative to its learning_rate: it is scaled where the call gives another rate. */
static void
take_preset(Reading *reading)
{
	TrainSettings *settings = reading->settings;

	sql_begin();
	take_json(reading, preset_settings(settings->preset), BY_PRESET);
	sql_end();
	if (reading->overridden.learning_rate > 0 && source_of(reading, "learning_rate_end") == BY_PRESET)
		settings->learning_rate_end = Max(settings_table[setting_find("learning_rate_end")].low,
										  settings->learning_rate_end * settings->learning_rate /
										  reading->overridden.learning_rate);
}

/* ---- what is left open ------------------------------------------------------------- */

/* What the declaration of an older version lacks, and can be 0, is 0: this was all that it could. */
static void
take_defaults(Reading *reading, bool is_older)
{
	for (int i = 0; i < settings_count; i++)
	{
		const Setting *setting = &settings_table[i];
		bool		stays = is_older && setting->type == SETTING_FLOAT && setting->low <= 0;

		if (reading->source[i] == BY_DEFAULT && !stays && setting->usual != NULL)
			(void) put(setting, (Value) {VALUE_ANY, setting->usual}, reading->settings);
	}
}

/* What embeddings learn by, and at which pace, where the call and its preset leave it open */
static void
set_learning(const Reading *reading)
{
	TrainSettings *settings = reading->settings;
	bool		network = kge_has_network(settings->score_function);

	if (settings->loss == NULL)
		settings->loss = kge_loss(network ? "k_vs_all" : "logistic");
	if (settings->optimizer == NULL)
		settings->optimizer = kge_optimizer(network ? "adam" : "adagrad");
	if (settings->learning_rate == 0)
		settings->learning_rate = network ? 0.001 : 0.1;
	if (network && source_of(reading, "reciprocal") == BY_DEFAULT)
		settings->reciprocal = true;
}

/*
 * A few epochs have to learn what came and to forget what went, which takes large steps; they fall, so that the rest of
 * the model is not lost (bench/RESULTS.md, ten nights).
 */
static void
set_warm_pace(const Reading *reading)
{
	TrainSettings *settings = reading->settings;

	if (!settings->warm_start || source_of(reading, "learning_rate") > BY_PRESET)
		return;
	settings->learning_rate *= WARM_PACE;
	if (source_of(reading, "learning_rate_end") <= BY_PRESET)
		settings->learning_rate_end = settings->learning_rate / 10;
}

/*
 * Defaults that depend on the loss.  The logistic loss weighs each negative by itself: it learns more where hard
 * negatives weigh more, and with smaller steps in the end (doc/tuning.md).
 */
static void
fill_in(TrainSettings *settings)
{
	bool		logistic = is_named(settings->loss, "logistic");

	if (settings->negative_sampling == NULL)
		settings->negative_sampling = kge_sampler(logistic ? "self_adversarial" : "uniform");
	if (logistic && !settings->warm_start && settings->learning_rate_end == 0)
		settings->learning_rate_end = settings->learning_rate / 10;
}

void
settings_read(FunctionCallInfo fcinfo, TrainSettings *settings)
{
	Reading		reading = {.settings = settings};
	bool		is_older;

	Assert(settings_count <= MOST_SETTINGS);
	memset(settings, 0, sizeof(*settings));
	settings->precision = hkg_precision;
	take_arguments(&reading, fcinfo, &is_older);
	if (settings->preset != NULL)
		take_preset(&reading);
	/* a bound on quality, of the call or the preset, takes the place of the default one on standard confidence */
	if (source_of(&reading, "min_quality") != BY_DEFAULT && source_of(&reading, "min_confidence") == BY_DEFAULT)
		reading.source[setting_find("min_confidence")] = BY_DECLARATION;
	take_defaults(&reading, is_older);
	set_learning(&reading);
	set_warm_pace(&reading);
	fill_in(settings);
	settings_check(settings);
}

/* ---- with a model ------------------------------------------------------------------ */

/* NULL: no value */
static const char *
value_text(const Setting *setting, const TrainSettings *settings)
{
	bool		has_none = setting->optional;

	switch (setting->type)
	{
		case SETTING_INT:
			has_none &= SETTING_OF(settings, setting, const int) == 0;
			return has_none ? NULL : psprintf("%d", SETTING_OF(settings, setting, const int));
		case SETTING_BIGINT:
			has_none &= SETTING_OF(settings, setting, const int64) == 0;
			return has_none ? NULL : psprintf(INT64_FORMAT, SETTING_OF(settings, setting, const int64));
		case SETTING_FLOAT:
			has_none &= SETTING_OF(settings, setting, const double) == 0;
			return has_none ? NULL : digits_of(SETTING_OF(settings, setting, const double));
		case SETTING_BOOL:
			return SETTING_OF(settings, setting, const bool) ? "true" : "false";
		case SETTING_DECISION:
			has_none &= SETTING_OF(settings, setting, const Decision) == BY_GRAPH;
			return has_none ? NULL : SETTING_OF(settings, setting, const Decision) == YES ? "true" : "false";
		case SETTING_NAME:
			return SETTING_OF(settings, setting, char *const);
		case SETTING_ENUM:
			has_none &= SETTING_OF(settings, setting, const int) == 0;
			return has_none ? NULL : setting->choice(SETTING_OF(settings, setting, const int));
		case SETTING_THING:
			return name_of(SETTING_OF(settings, setting, const void *const));
	}
	return NULL;
}

char *
settings_json(const TrainSettings *settings)
{
	StringInfoData json;

	initStringInfo(&json);
	for (int i = 0; i < settings_count; i++)
	{
		const Setting *setting = &settings_table[i];
		const char *text = value_text(setting, settings);

		appendStringInfoString(&json, i == 0 ? "{" : ", ");
		escape_json(&json, setting->name);
		appendStringInfoString(&json, ": ");
		if (text == NULL)
			appendStringInfoString(&json, "null");
		else if (setting->type < SETTING_NAME)
			appendStringInfoString(&json, text);
		else
			escape_json(&json, text);
	}
	appendStringInfoChar(&json, '}');
	return json.data;
}

void
settings_parse(const char *graph, const char *json, TrainSettings *settings)
{
	Reading		reading = {.settings = settings};

	memset(settings, 0, sizeof(*settings));
	settings->graph = pstrdup(graph);
	take_json(&reading, DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json))), BY_SETTINGS);
	take_defaults(&reading, false);
	fill_in(settings);
	settings_check(settings);
}
