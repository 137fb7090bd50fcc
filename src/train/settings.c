/*
 * settings.c
 *		The arguments of hkg_train: one table gives name, type and range of each; reading, checking and writing use it.
 */
#include "settings.h"

#include <limits.h>

#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "hybrid.h"
#include "model/model_evidence.h"
#include "paths/paths.h"
#include "rules/rule.h"
#include "server/argument.h"
#include "server/sql.h"

int			hkg_precision;

typedef enum SettingType
{
	SETTING_INT,
	SETTING_BIGINT,
	SETTING_FLOAT,
	SETTING_BOOL,
	SETTING_DECISION,
	SETTING_TEXT,
	SETTING_NAME
} SettingType;

typedef struct Setting
{
	const char *name;
	SettingType type;
	size_t		offset;
	double		low;			/* the range of numbers */
	double		high;
	bool		optional;		/* may have no value: 0, a NULL pointer or false */
	const char *(*choice) (int i);	/* of texts: the i-th that is allowed, or NULL past the last; NULL: any text */
	const char *usual;			/* the default; NULL: none, or one that depends on others (set_learning, fill_in) */
} Setting;

static const char *
regularizer_name(int i)
{
	static const char *const names[] = {"l2", "n3", "dura"};	/* as in KgeRegularizer, from KGE_REGULARIZER_L2 on */

	return i < (int) lengthof(names) ? names[i] : NULL;
}

static const char *
precision_name(int i)
{
	static const char *const names[] = {[KGE_SINGLE] = "single", [KGE_BFLOAT16] = "bfloat16"};

	return i < (int) lengthof(names) ? names[i] : NULL;
}

static const char *
label_name(int i)
{
	static const char *const names[] = {"one", "confidence"};

	return i < (int) lengthof(names) ? names[i] : NULL;
}

static const char *
replace_name(int i)
{
	static const char *const names[] = {"unless_worse", "always"};

	return i < (int) lengthof(names) ? names[i] : NULL;
}

/* The place of an allowed text, or -1. */
static int
choice_place(const char *(*choice) (int i), const char *text)
{
	for (int i = 0; choice(i) != NULL; i++)
		if (strcmp(choice(i), text) == 0)
			return i;
	return -1;
}

#define FIELD(field) #field
#define AT(field) offsetof(TrainSettings, field)
#define INT(field, low, high, usual) {FIELD(field), SETTING_INT, AT(field), low, high, false, NULL, usual}
#define FLOAT(field, low, high, usual) {FIELD(field), SETTING_FLOAT, AT(field), low, high, false, NULL, usual}
#define BOOL(field, usual) {FIELD(field), SETTING_BOOL, AT(field), 0, 0, false, NULL, usual}
#define CHOICE(field, choice, usual) {FIELD(field), SETTING_TEXT, AT(field), 0, 0, false, choice, usual}
#define OPTIONAL_INT(field, low, high, usual) {FIELD(field), SETTING_INT, AT(field), low, high, true, NULL, usual}
#define OPTIONAL_FLOAT(field, low, high, usual) {FIELD(field), SETTING_FLOAT, AT(field), low, high, true, NULL, usual}
#define OPTIONAL_CHOICE(field, choice, usual) {FIELD(field), SETTING_TEXT, AT(field), 0, 0, true, choice, usual}

static const Setting table[] = {
	{"graph", SETTING_NAME, AT(graph), 0, 0, false, NULL, NULL},
	CHOICE(score_function, kge_score_function_name, "rotate"),
	INT(dimensions, 1, 10000, "200"),
	INT(iterations, 1, 10000, "10"),
	INT(epochs, 1, 1000000, "10"),
	INT(batch_size, 1, 1000000, "512"),
	INT(negatives, 1, 100000, "64"),
	OPTIONAL_CHOICE(negative_sampling, kge_sampler_name, NULL),
	OPTIONAL_CHOICE(loss, kge_loss_name, NULL),
	OPTIONAL_CHOICE(optimizer, kge_optimizer_name, NULL),
	OPTIONAL_FLOAT(learning_rate, 1e-9, 1e3, NULL),
	FLOAT(gamma, -1e6, 1e6, "9"),
	INT(norm, 1, 2, "1"),
	FLOAT(regularization, 0, 1e6, "0"),
	FLOAT(omega, 0, 1, "0"),
	INT(top_rules, 0, 1000000, "200"),
	FLOAT(beta, 0, 1e6, "1"),
	{"sample_size", SETTING_BIGINT, AT(sample_size), 1, INT_MAX, true, NULL, NULL},
	INT(max_rule_length, 2, RULE_MOST_SEARCHED, "3"),
	FLOAT(min_head_coverage, 0, 1, "0.01"),
	INT(min_support, 1, INT_MAX, "2"),
	BOOL(constants, "false"),
	OPTIONAL_INT(patience, 1, INT_MAX, NULL),
	{"seed", SETTING_BIGINT, AT(seed), -9223372036854775808.0, 9223372036854775807.0, false, NULL, NULL},
	{"model", SETTING_NAME, AT(model), 0, 0, false, NULL, NULL},
	OPTIONAL_FLOAT(min_quality, 0, 1, NULL),
	CHOICE(label, label_name, "confidence"),
	BOOL(accumulate, "false"),
	INT(block_size, 1, 10000, "64"),
	FLOAT(temperature, 0, 1e3, "1"),
	{"reciprocal", SETTING_BOOL, AT(reciprocal), 0, 0, true, NULL, NULL},
	OPTIONAL_CHOICE(regularizer, regularizer_name, NULL),
	{"preset", SETTING_TEXT, AT(preset), 0, 0, true, NULL, NULL},
	BOOL(warm_start, NULL),
	{"rules", SETTING_NAME, AT(rules), 0, 0, true, NULL, NULL},
	FLOAT(relation_weight, 0, 1e3, "0"),
	INT(evidence_rules, 0, 1000000, "20000"),
	INT(evidence_length, 2, RULE_MAX_BODY + 1, "4"),
	OPTIONAL_FLOAT(evidence_seconds, 1e-3, 1e6, NULL),
	FLOAT(holdout, 0, 0.5, "0.05"),
	OPTIONAL_FLOAT(learning_rate_end, 1e-10, 1e3, NULL),
	OPTIONAL_FLOAT(assume_missing, LEAST_MISSING, MOST_MISSING, NULL),
	OPTIONAL_CHOICE(replace, replace_name, "unless_worse"),
	{"paths", SETTING_DECISION, AT(paths), 0, 0, true, NULL, NULL},
	OPTIONAL_INT(path_layers, 1, PATH_MAX_LAYERS, NULL),
	OPTIONAL_INT(path_width, PATH_WIDTH_STEP, PATH_MAX_WIDTH, NULL),
	OPTIONAL_INT(path_kept, 1, PATH_MAX_KEPT, NULL),
	OPTIONAL_INT(path_epochs, 1, 100000, NULL),
	OPTIONAL_INT(path_facts, 1, INT_MAX, NULL),
	OPTIONAL_FLOAT(path_learning_rate, 1e-9, 1, NULL),
	OPTIONAL_INT(partitions, 1, KGE_MOST_PARTITIONS, "1"),
	OPTIONAL_CHOICE(constraints, kge_constraint_name, "none"),
	/* the threshold is that of Ding et al. 2018, the weight that of their program */
	OPTIONAL_FLOAT(entailment_weight, 1e-9, 1e6, "0.1"),
	OPTIONAL_FLOAT(entailment_confidence, 1e-9, 1, "0.8"),
	OPTIONAL_FLOAT(min_confidence, 0, 1, "0.7"),
	OPTIONAL_INT(nodes, 1, KGE_MOST_LANES, NULL),
	OPTIONAL_CHOICE(hybrid, hybrid_name, "sampled"),
	OPTIONAL_FLOAT(rule_weight, 1e-9, 1e6, "0.01"),	/* Guo et al. 2018 */
	OPTIONAL_FLOAT(label_smoothing, 0, 0.99, NULL),
	OPTIONAL_FLOAT(input_dropout, 0, 0.99, "0.2"),
	OPTIONAL_FLOAT(feature_dropout, 0, 0.99, "0.2"),
	OPTIONAL_FLOAT(hidden_dropout, 0, 0.99, "0.3"),

	/* the last one is no argument, but a setting of the session */
	CHOICE(precision, precision_name, NULL)
};

#define ARGUMENTS ((int) lengthof(table) - 1)

/* times that the first step of a warm start is larger than that of a training */
#define WARM_PACE 2

#define MEMBER(settings, setting, type) \
	(*(type *) ((char *) (settings) + (setting)->offset))

/* ---- an argument ------------------------------------------------------------------- */

static void
read_bigint(FunctionCallInfo fcinfo, int i, const Setting *setting, TrainSettings *settings)
{
	int64		value = DatumGetInt64(argument(fcinfo, i, setting->name));

	if ((double) value < setting->low || (double) value > setting->high)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between %.0f and %.0f, not " INT64_FORMAT, setting->name,
						setting->low, setting->high, value)));
	MEMBER(settings, setting, int64) = value;
}

/* ERROR 22023 unless the text is one that is allowed; the HINT lists those. */
static void
check_choice(const Setting *setting, const char *text)
{
	const char *allowed[32] = {NULL};

	for (int i = 0; i < (int) lengthof(allowed) - 1 && setting->choice(i) != NULL; i++)
		allowed[i] = setting->choice(i);
	argument_choice(text, setting->name, allowed);
}

static void
read_text(FunctionCallInfo fcinfo, int i, const Setting *setting, TrainSettings *settings)
{
	char	   *value;

	if (setting->type == SETTING_NAME)
		value = argument_name(fcinfo, i, setting->name);
	else
		value = argument_text(fcinfo, i, setting->name);
	if (setting->choice != NULL)
		check_choice(setting, value);
	MEMBER(settings, setting, char *) = value;
}

static void
read_setting(FunctionCallInfo fcinfo, int i, const Setting *setting, TrainSettings *settings)
{
	if ((setting->optional || setting->usual != NULL) && PG_ARGISNULL(i))
		return;
	switch (setting->type)
	{
		case SETTING_INT:
			MEMBER(settings, setting, int) =
				argument_int(fcinfo, i, setting->name, (int) setting->low, (int) setting->high);
			break;
		case SETTING_BIGINT:
			read_bigint(fcinfo, i, setting, settings);
			break;
		case SETTING_FLOAT:
			MEMBER(settings, setting, double) =
				argument_float(fcinfo, i, setting->name, setting->low, setting->high);
			break;
		case SETTING_BOOL:
			MEMBER(settings, setting, bool) = DatumGetBool(argument(fcinfo, i, setting->name));
			break;
		case SETTING_DECISION:
			MEMBER(settings, setting, Decision) = PG_GETARG_BOOL(i) ? YES : NO;
			break;
		case SETTING_TEXT:
		case SETTING_NAME:
			read_text(fcinfo, i, setting, settings);
			break;
	}
}

/* ---- for src/kge ------------------------------------------------------------------- */

static KgePrecision
precision_of(const TrainSettings *settings)
{
	return (KgePrecision) choice_place(precision_name, settings->precision);
}

static KgeRegularizer
regularizer_of(const TrainSettings *settings)
{
	return settings->regularizer == NULL ? KGE_REGULARIZER_USUAL :
		(KgeRegularizer) (KGE_REGULARIZER_L2 + choice_place(regularizer_name, settings->regularizer));
}

KgeTraining
settings_training(const TrainSettings *settings)
{
	KgeTraining training = {
		.batch_size = settings->batch_size,
		.block_size = settings->block_size,
		.negatives = settings->negatives,
		.learning_rate = settings->learning_rate,
		.learning_rate_end = settings->learning_rate_end,
		.epochs = settings->learning_rate_end > 0 ? (uint64) settings->iterations * settings->epochs : 0,
		.regularization = settings->regularization,
		.seed = (uint64) settings->seed,
		.loss = kge_loss(settings->loss),
		.sampler = kge_sampler(settings->negative_sampling),
		.precision = precision_of(settings),
		.temperature = settings->temperature,
		.regularizer = regularizer_of(settings),
		.optimizer = kge_optimizer(settings->optimizer),
		.relation_weight = settings->relation_weight,
		.constraint = kge_constraint(settings->constraints),
		.entailment_weight = settings->entailment_weight,
		.labelling = hybrid_labelling(hybrid_find(settings->hybrid)),
		.label_smoothing = settings->label_smoothing,
		.dropout = {settings->input_dropout, settings->feature_dropout, settings->hidden_dropout}
	};

	return training;
}

KgeModel
settings_model(const TrainSettings *settings)
{
	return (KgeModel) {
		.function = kge_score_function(settings->score_function),
		.dimensions = settings->dimensions,
		.norm = settings->norm,
		.gamma = settings->gamma,
		.reciprocal = settings->reciprocal
	};
}

/* ---- defaults that depend on other settings ---------------------------------------- */

/* The number of the setting of that name; 0, that of the graph, where none is */
static int
find_setting(const char *name)
{
	int			i = lengthof(table) - 1;

	while (i > 0 && strcmp(table[i].name, name) != 0)
		i--;
	return i;
}

/*
 * Defaults that depend on the loss.  The logistic loss weighs each negative by itself: it learns more where hard
 * negatives weigh more, and with smaller steps in the end (doc/tuning.md).
 */
static void
fill_in(TrainSettings *settings)
{
	bool		logistic = strcmp(settings->loss, "logistic") == 0;

	if (settings->negative_sampling == NULL)
		settings->negative_sampling = pstrdup(logistic ? "self_adversarial" : "uniform");
	if (logistic && !settings->warm_start && settings->learning_rate_end == 0)
		settings->learning_rate_end = settings->learning_rate / 10;
}

/* What embeddings learn by, and at which pace, where the call and its preset leave it open */
static void
set_learning(FunctionCallInfo fcinfo, TrainSettings *settings)
{
	bool		network = kge_has_network(kge_score_function(settings->score_function));

	if (settings->loss == NULL)
		settings->loss = pstrdup(network ? "k_vs_all" : "logistic");
	if (settings->optimizer == NULL)
		settings->optimizer = pstrdup(network ? "adam" : "adagrad");
	if (settings->learning_rate == 0)
		settings->learning_rate = network ? 0.001 : 0.1;
	if (network && PG_ARGISNULL(find_setting("reciprocal")))
		settings->reciprocal = true;
}

/*
 * A few epochs have to learn what came and to forget what went, which takes large steps; they fall, so that the rest of
 * the model is not lost (bench/RESULTS.md, ten nights).
 */
static void
set_warm_pace(FunctionCallInfo fcinfo, TrainSettings *settings)
{
	if (!settings->warm_start || argument_is_given(fcinfo, find_setting("learning_rate")))
		return;
	settings->learning_rate *= WARM_PACE;
	if (!argument_is_given(fcinfo, find_setting("learning_rate_end")))
		settings->learning_rate_end = settings->learning_rate / 10;
}

/* ---- as JSON ----------------------------------------------------------------------- */

/* With all digits, whatever extra_float_digits is */
static void
append_number(StringInfo json, double number)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(number, digits);
	appendStringInfoString(json, digits);
}

static const char *const decision_text[] = {[BY_GRAPH] = "null",[NO] = "false",[YES] = "true"};

/* Whether 0 is no value of an optional number, so that it stands for none */
static bool
is_none(const Setting *setting, double number)
{
	return setting->optional && number == 0 && (setting->low > 0 || setting->usual == NULL);
}

static void
append_setting(StringInfo json, const Setting *setting, const TrainSettings *settings)
{
	switch (setting->type)
	{
		case SETTING_INT:
			if (is_none(setting, MEMBER(settings, setting, const int)))
				appendStringInfoString(json, "null");
			else
				appendStringInfo(json, "%d", MEMBER(settings, setting, const int));
			break;
		case SETTING_BIGINT:
			if (is_none(setting, (double) MEMBER(settings, setting, const int64)))
				appendStringInfoString(json, "null");
			else
				appendStringInfo(json, INT64_FORMAT, MEMBER(settings, setting, const int64));
			break;
		case SETTING_FLOAT:
			if (is_none(setting, MEMBER(settings, setting, const double)))
				appendStringInfoString(json, "null");
			else
				append_number(json, MEMBER(settings, setting, const double));
			break;
		case SETTING_BOOL:
			appendStringInfoString(json, MEMBER(settings, setting, const bool) ? "true" : "false");
			break;
		case SETTING_DECISION:
			appendStringInfoString(json, decision_text[MEMBER(settings, setting, const Decision)]);
			break;
		case SETTING_TEXT:
		case SETTING_NAME:
			if (MEMBER(settings, setting, char *const) == NULL)
				appendStringInfoString(json, "null");
			else
				escape_json(json, MEMBER(settings, setting, char *const));
			break;
	}
}

char *
settings_json(const TrainSettings *settings)
{
	StringInfoData json;

	initStringInfo(&json);
	for (int i = 1; i < (int) lengthof(table); i++)
	{
		appendStringInfoString(&json, i == 1 ? "{" : ", ");
		escape_json(&json, table[i].name);
		appendStringInfoString(&json, ": ");
		append_setting(&json, &table[i], settings);
	}
	appendStringInfoChar(&json, '}');
	return json.data;
}

static void
check_parsed(const Setting *setting, bool good, const char *text)
{
	if (!good)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("setting %s of an interrupted training is out of range: \"%s\"",
						setting->name, text),
				 errhint("Train the model again.")));
}

static void
parse_setting(const Setting *setting, const char *text, TrainSettings *settings)
{
	double		number = 0;
	bool		ranged = true;

	switch (setting->type)
	{
		case SETTING_INT:
			number = MEMBER(settings, setting, int) = pg_strtoint32(text);
			break;
		case SETTING_BIGINT:
			number = (double) (MEMBER(settings, setting, int64) = pg_strtoint64(text));
			break;
		case SETTING_FLOAT:
			number = MEMBER(settings, setting, double) = strtod(text, NULL);
			break;
		case SETTING_BOOL:
			MEMBER(settings, setting, bool) = strcmp(text, "true") == 0;
			ranged = false;
			break;
		case SETTING_DECISION:
			MEMBER(settings, setting, Decision) = strcmp(text, "true") == 0 ? YES : NO;
			ranged = false;
			break;
		case SETTING_TEXT:
		case SETTING_NAME:
			check_parsed(setting, setting->choice == NULL || choice_place(setting->choice, text) >= 0, text);
			MEMBER(settings, setting, char *) = pstrdup(text);
			ranged = false;
			break;
	}
	check_parsed(setting, !ranged || (number >= setting->low && number <= setting->high), text);
}

/* ---- from texts: those in table model, a preset's, or the defaults ----------------- */

typedef struct Parsing
{
	TrainSettings *settings;
	FunctionCallInfo call;		/* of a preset: replaces only arguments that this call did not give */
	bool		taken[lengthof(table)];	/* which have a value */
	TrainSettings ignored;		/* the preset's values for arguments that the call gave */
} Parsing;

static void
take_setting(void *argument, const Datum *values, const bool *nulls)
{
	Parsing    *parsing = argument;
	int			i = find_setting(TextDatumGetCString(values[0]));
	bool		given;

	if (i == 0 || nulls[1])
		return;
	given = parsing->call != NULL && argument_is_given(parsing->call, i);
	parse_setting(&table[i], TextDatumGetCString(values[1]), given ? &parsing->ignored : parsing->settings);
	parsing->taken[i] = true;
}

/*
 * Gives each argument without a value its default.  Those from place `arguments` on could not be given: the declaration
 * of an older version lacks them, or they were stored, where null stands for 0.  Of these, what may be 0 stays 0.
 */
static void
take_defaults(TrainSettings *settings, const bool *taken, int arguments)
{
	for (int i = 1; i < (int) lengthof(table); i++)
	{
		bool		stays = i >= arguments && table[i].type == SETTING_FLOAT && table[i].low <= 0;

		if (!taken[i] && !stays && table[i].usual != NULL)
			parse_setting(&table[i], table[i].usual, settings);
	}
}

char *
settings_defaults(void)
{
	const bool	taken[lengthof(table)] = {false};
	TrainSettings defaults = {0};

	take_defaults(&defaults, taken, ARGUMENTS);
	return settings_json(&defaults);
}

void
settings_parse(const char *graph, const char *json, TrainSettings *settings)
{
	Parsing		parsing = {.settings = settings};
	SqlArgs		args = {0};

	memset(settings, 0, sizeof(*settings));
	settings->graph = pstrdup(graph);
	sql_arg_text(&args, json);
	sql_stream("select key, value from pg_catalog.jsonb_each_text($1::jsonb)", &args, take_setting, &parsing);
	for (int i = 1; i < (int) lengthof(table); i++)
		check_parsed(&table[i], parsing.taken[i] || table[i].optional, "");
	take_defaults(settings, parsing.taken, 0);
	fill_in(settings);
	settings_check(settings);
}

static char *
preset_list(void)
{
	Datum		names;

	sql_value(psprintf("select pg_catalog.string_agg(preset, ', ') from %shkg_presets()", extension_prefix()),
			  SQL_NO_ARGS, &names);
	return TextDatumGetCString(names);
}

/* A preset's learning_rate_end is relative to its learning_rate: it is scaled where the call gives another rate. */
static void
scale_rate_end(const Parsing *preset)
{
	TrainSettings *settings = preset->settings;
	int			i = find_setting("learning_rate_end");

	if (preset->ignored.learning_rate > 0 && settings->learning_rate_end > 0 && !argument_is_given(preset->call, i))
		settings->learning_rate_end = Max(table[i].low, settings->learning_rate_end * settings->learning_rate /
										  preset->ignored.learning_rate);
}

static void
apply_preset(Parsing *preset)
{
	TrainSettings *settings = preset->settings;
	SqlArgs		args = {0};

	sql_begin();
	sql_arg_text(&args, settings->preset);
	if (sql_stream(psprintf("select key, value from %shkg_presets() p, "
							"pg_catalog.jsonb_each_text(p.settings) where p.preset = $1", extension_prefix()),
				   &args, take_setting, preset) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("preset \"%s\" is not known", argument_shown(settings->preset)),
				 errhint("Presets are: %s.", preset_list())));
	sql_end();
	scale_rate_end(preset);
}

/* A bound on quality, of the call or the preset, takes the place of the default one on standard confidence. */
static void
set_bound(Parsing *parsing)
{
	if (parsing->taken[find_setting("min_quality")])
		parsing->taken[find_setting("min_confidence")] = true;
}

void
settings_read(FunctionCallInfo fcinfo, TrainSettings *settings)
{
	Parsing		parsing = {.settings = settings,.call = fcinfo};

	memset(settings, 0, sizeof(*settings));
	/* the declaration of an older version has fewer */
	for (int i = 0; i < ARGUMENTS && i < PG_NARGS(); i++)
	{
		read_setting(fcinfo, i, &table[i], settings);
		parsing.taken[i] = !PG_ARGISNULL(i);
	}
	settings->precision = pstrdup(precision_name(hkg_precision));
	if (settings->preset != NULL)
		apply_preset(&parsing);
	set_bound(&parsing);
	take_defaults(settings, parsing.taken, PG_NARGS());
	set_learning(fcinfo, settings);
	set_warm_pace(fcinfo, settings);
	fill_in(settings);
	settings_check(settings);
}
