/*
 * settings_check.c
 *		Which arguments of hkg_train go together, and with this machine.  The range of each is in settings_table.c.
 */
#include "settings.h"

#include "core/names.h"
#include "paths/paths.h"
#include "server/argument.h"

/* ---- losses ------------------------------------------------------------------------ */

/* Whether the loss is over all entities, not over sampled ones */
static bool
takes_all(const TrainSettings *settings)
{
	return is_named(settings->loss, "softmax") || is_named(settings->loss, "k_vs_all");
}

static char *
linear_score_functions(void)
{
	StringInfoData list;
	const char *name;

	initStringInfo(&list);
	for (int i = 0; (name = kge_score_function_name(i)) != NULL; i++)
		if (!kge_is_distance(kge_score_function(name)) && !kge_has_network(kge_score_function(name)))
			appendStringInfo(&list, "%s%s", list.len == 0 ? "" : ", ", name);
	return list.data;
}

static bool
is_dura(const TrainSettings *settings)
{
	return settings->regularizer == KGE_REGULARIZER_DURA;
}

/* ERROR unless the loss is softmax and the score is linear in head, relation and tail, as `what` requires. */
static void
check_linear(const TrainSettings *settings, const char *what)
{
	if (!is_named(settings->loss, "softmax"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no use under loss \"%s\"", what, name_of(settings->loss)),
				 errhint("It goes with the loss \"softmax\".")));
	if (kge_is_distance(settings->score_function))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not go with score_function \"%s\"", what, name_of(settings->score_function)),
				 errdetail("The score must be linear in head, relation and tail."),
				 errhint("Score functions that it goes with are %s.", linear_score_functions())));
}

/* ---- partitions -------------------------------------------------------------------- */

/* ERROR 22023 where there are fewer pairs of partitions than nodes */
static void
check_nodes(const TrainSettings *settings)
{
	if (settings->nodes > 1 && settings->nodes > settings->partitions / 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nodes must be at most half of partitions (%d), not %d", settings->partitions, settings->nodes),
				 errdetail("Each node trains two partitions at a time, which no other one has then."),
				 errhint("Choose partitions %d, or more.", 2 * settings->nodes)));
}

/* ERROR 0A000 where more of the model is needed at a time than two partitions of its entities */
static void
check_partitions(const TrainSettings *settings)
{
	bool		all = takes_all(settings);

	check_nodes(settings);
	if (settings->partitions == 1)
		return;
	if (all || is_named(settings->negative_sampling, "kbgan"))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s \"%s\" does not go with partitions %d", all ? "loss" : "negative_sampling",
						all ? name_of(settings->loss) : name_of(settings->negative_sampling), settings->partitions),
				 errdetail("It needs all entities in memory, where only those of two partitions are."),
				 all ? errhint("Choose the loss \"sampled_softmax\" or \"logistic\", or leave partitions at 1.") :
				 errhint("Choose negative_sampling \"self_adversarial\", or leave partitions at 1.")));
	if (settings->warm_start)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("warm_start does not go with partitions %d", settings->partitions),
				 errhint("Leave partitions at 1, or train anew.")));
}

/* ---- networks ---------------------------------------------------------------------- */

/* ERROR 0A000 where that is asked for */
static void
refuse_with_network(const TrainSettings *settings, bool asked, const char *what, const char *instead)
{
	if (asked)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not go with score_function \"%s\"", what, name_of(settings->score_function)),
				 errdetail("Its network makes queries, which are learnt against all entities at once."),
				 errhint("Choose another score_function, or %s.", instead)));
}

/* ERROR where a network could not make queries, or nothing would be learnt by them */
static void
check_network(const TrainSettings *settings)
{
	const KgeScoreFunction *function = settings->score_function;

	if (!kge_fits(function, settings->dimensions))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("score_function \"%s\" cannot have %d dimensions", name_of(settings->score_function), settings->dimensions),
				 errdetail("They fill an image of at least two rows and three columns, "
						   "so they are no prime, and at most 500."),
				 errhint("Choose another number, such as %d.", settings->dimensions < 100 ? 32 : 200)));
	if (!kge_has_network(function))
		return;
	if (!is_named(settings->loss, "k_vs_all"))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("loss \"%s\" does not go with score_function \"%s\"", name_of(settings->loss), name_of(settings->score_function)),
				 errdetail("A query of its network takes long, and is to be learnt against all entities at once."),
				 errhint("Choose the loss \"k_vs_all\".")));
	if (!settings->reciprocal)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("score_function \"%s\" needs reciprocal relations", name_of(settings->score_function)),
				 errdetail("Its network makes queries for tails alone: a head is the tail of the inverse relation."),
				 errhint("Choose reciprocal true.")));
	refuse_with_network(settings, settings->relation_weight > 0, "relation_weight", "relation_weight 0");
	refuse_with_network(settings, is_dura(settings), "regularizer \"dura\"", "regularizer \"l2\"");
	refuse_with_network(settings, settings->partitions > 1,
						psprintf("partitions %d", settings->partitions), "partitions 1");
	refuse_with_network(settings, hybrid_labelling(settings->hybrid) != NULL,
						psprintf("hybrid \"%s\"", name_of(settings->hybrid)), "hybrid \"sampled\"");
}

/* ---- constraints and rules --------------------------------------------------------- */

static void
check_constraint(const TrainSettings *settings)
{
	const char *function = kge_constraint_function(settings->constraints);

	if (function != NULL && !is_named(settings->score_function, function))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("constraints \"%s\" does not go with score_function \"%s\"", name_of(settings->constraints),
						name_of(settings->score_function)),
				 errhint("Choose score_function \"%s\", or constraints \"none\".", function)));
}

/* ERROR 22023 where labels of inferred triples have no use, or there are none; 0A000 where the scores have no axioms */
static void
check_hybrid(const TrainSettings *settings)
{
	const Hybrid *hybrid = settings->hybrid;

	if (hybrid_labelling(hybrid) == NULL)
		return;
	if (hybrid->goes_with != NULL && !hybrid->goes_with(settings->score_function))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("hybrid \"%s\" does not go with score_function \"%s\"", name_of(settings->hybrid), name_of(settings->score_function)),
				 errdetail("It compares relations as factors of each dimension."),
				 errhint("Choose score_function \"complex\" or \"distmult\", or another hybrid.")));
	if (!is_named(settings->loss, "logistic"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hybrid \"%s\" has no use under loss \"%s\"", name_of(settings->hybrid), name_of(settings->loss)),
				 errdetail("It learns labels between 0 and 1 as probabilities."),
				 errhint("Choose the loss \"logistic\", or hybrid \"sampled\".")));
	if (settings->top_rules == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hybrid \"%s\" needs rules, but top_rules is 0", name_of(settings->hybrid)),
				 errhint("Raise top_rules, or choose hybrid \"none\".")));
	if (settings->label == LABEL_ONE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("label \"one\" has no use under hybrid \"%s\", which finds labels itself",
						name_of(settings->hybrid)),
				 errhint("Choose label \"confidence\", or hybrid \"sampled\".")));
}

/* ---- all --------------------------------------------------------------------------- */

void
settings_check(const TrainSettings *settings)
{
	if (!kge_goes_with(settings->loss, settings->negative_sampling))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("negative_sampling \"%s\" has no use under loss \"%s\", which %s",
						name_of(settings->negative_sampling), name_of(settings->loss),
						takes_all(settings) ? "has no negatives" : "weighs negatives itself"),
				 errhint("Choose negative_sampling \"uniform\", or another loss.")));
	check_network(settings);
	if (settings->relation_weight > 0)
		check_linear(settings, "relation_weight");
	if (is_dura(settings))
		check_linear(settings, "regularizer \"dura\"");
	check_partitions(settings);
	check_constraint(settings);
	check_hybrid(settings);
	if (settings->path_width % PATH_WIDTH_STEP != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("path_width must be a multiple of %d, not %d", PATH_WIDTH_STEP, settings->path_width),
				 errhint("Choose %d or more.", ((settings->path_width - 1) / PATH_WIDTH_STEP + 1) * PATH_WIDTH_STEP)));
	if (!kge_has_precision(settings->precision))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this machine cannot train with precision \"bfloat16\""),
				 errdetail("It needs a processor with AMX-BF16 or AVX512-BF16."),
				 errhint("Train on such a machine, or with precision \"single\".")));
	if (settings->rules_of != NULL && strcmp(settings->rules_of, settings->model) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rules_of must name another model than the one that is trained, \"%s\"", settings->model),
				 errhint("Training replaces that one and its rules. Choose another name by model.")));
	argument_check_model(settings->model);
}
