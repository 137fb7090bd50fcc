/*
 * settings_table.c
 *		The settings of a training, one a row.
 */
#include "settings_table.h"

#include <limits.h>

#include "utils/builtins.h"

#include "core/names.h"
#include "model/model_evidence.h"
#include "paths/paths.h"
#include "rules/rule.h"
#include "server/argument.h"
#include "server/sql.h"

int			hkg_precision;

/* ---- names ------------------------------------------------------------------------- */

/* The names of an enumeration; one whose first value means none has no name for that. */
#define NAMES(of, ...) \
	static const char * \
	of##_name(int i) \
	{ \
		static const char *const names[] = {__VA_ARGS__}; \
\
		return i < (int) lengthof(names) ? names[i] : NULL; \
	}

NAMES(regularizer, [KGE_REGULARIZER_USUAL] = "", [KGE_REGULARIZER_L2] = "l2", [KGE_REGULARIZER_N3] = "n3",
	  [KGE_REGULARIZER_DURA] = "dura")
NAMES(precision, [KGE_SINGLE] = "single", [KGE_BFLOAT16] = "bfloat16")
NAMES(label, [LABEL_ONE] = "one", [LABEL_CONFIDENCE] = "confidence")
NAMES(inferring, [INFER_BY_SQL] = "sql", [INFER_IN_MEMORY] = "memory")
NAMES(replace, [REPLACE_UNLESS_WORSE] = "unless_worse", [REPLACE_ALWAYS] = "always")

#define FIND(what, function) \
	static const void * \
	find_##what(const char *name) \
	{ \
		return function(name); \
	}

FIND(score_function, kge_score_function)
FIND(sampler, kge_sampler)
FIND(loss, kge_loss)
FIND(optimizer, kge_optimizer)
FIND(constraint, kge_constraint)
FIND(hybrid, hybrid_find)

/* ---- the table --------------------------------------------------------------------- */

#define SETTING(field, type) #field, SETTING_##type, offsetof(TrainSettings, field)

const Setting settings_table[] = {
	{SETTING(model, NAME), .not_tuned = true,.usual = "default",
		.meaning = "the name to keep the model under; a model of that name is replaced when the transaction "
		"commits"},
	{SETTING(preset, NAME), .optional = true,.in_words = "no preset",
		.meaning = "settings that go together, which hkg_settings(preset) shows; settings that are given take "
		"precedence"},
	{SETTING(score_function, THING), .choice = kge_score_function_name,.find = find_score_function,
		.usual = "rotate",
		.meaning = "how a triple is scored; conve is a convolutional network with at most 500 dimensions, "
		"rescal has a matrix for each relation"},
	{SETTING(dimensions, INT), .low = 1,.high = 10000,.usual = "200",
		.meaning = "the size of an embedding; complex and rotate have as many complex numbers"},
	{SETTING(minutes, FLOAT), .low = 0.01,.high = 1e6,.optional = true,.not_tuned = true,
		.in_words = "five of two idle cores, on graphs of up to a million facts",
		.meaning = "the time for all of it"},
	{SETTING(iterations, INT), .low = 1,.high = 10000,.optional = true,.in_words = "10, or fewer by minutes",
		.meaning = "rounds of training, mining and sampling"},
	{SETTING(epochs, INT), .low = 1,.high = 1000000,.optional = true,.in_words = "10, or by minutes",
		.meaning = "passes over the positives in one iteration"},
	{SETTING(last_epoch, INT), .low = 1,.high = INT_MAX,.optional = true,.not_tuned = true,.in_words = "the last of all",
		.meaning = "the epoch, counted over all iterations, after which they end; set where minutes were over"},
	{SETTING(batch_size, INT), .low = 1,.high = 1000000,.usual = "512",
		.meaning = "positives in a minibatch; under the loss k_vs_all questions"},
	{SETTING(negatives, INT), .low = 1,.high = 100000,.usual = "64",
		.meaning = "negatives of each positive; the losses softmax and k_vs_all have none"},
	{SETTING(negative_sampling, THING), .choice = kge_sampler_name,.find = find_sampler,
		.in_words = "self_adversarial under the loss logistic, else uniform",
		.meaning = "how negatives are drawn: bernoulli chooses the side by the relation, self_adversarial "
		"weights negatives by their scores, kbgan has a second model pick a hard one"},
	{SETTING(loss, THING), .choice = kge_loss_name,.find = find_loss,
		.in_words = "k_vs_all with conve, else logistic",
		.meaning = "logistic and margin compare positives with sampled negatives; sampled_softmax is the "
		"cross entropy of the true entity against its negatives, softmax against all entities; "
		"k_vs_all is logistic over all entities"},
	{SETTING(optimizer, THING), .choice = kge_optimizer_name,.find = find_optimizer,
		.in_words = "adam with conve, else adagrad",
		.meaning = "how gradients become steps"},
	{SETTING(learning_rate, FLOAT), .low = 1e-9,.high = 1e3,.optional = true,
		.in_words = "0.001 with conve, else 0.1; with warm_start twice that, or twice the preset's",
		.meaning = "the step size"},
	{SETTING(learning_rate_end, FLOAT), .low = 1e-10,.high = 1e3,.optional = true,
		.in_words = "a tenth of learning_rate under the loss logistic and in a warm start, else "
		"learning_rate",
		.meaning = "the step size in the last epoch"},
	{SETTING(gamma, FLOAT), .low = -1e6,.high = 1e6,.usual = "9",
		.meaning = "the margin of transe and rotate, and of the loss margin"},
	{SETTING(norm, INT), .low = 1,.high = 2,.usual = "1",
		.meaning = "the norm of the distance of transe and rotate"},
	{SETTING(regularization, FLOAT), .low = 0,.high = 1e6,.usual = "0",
		.meaning = "the weight of the penalty of embeddings, beside the mean loss of a minibatch"},
	{SETTING(regularizer, ENUM), .choice = regularizer_name,.optional = true,
		.in_words = "n3 under the loss softmax, else l2",
		.meaning = "the penalty: squares (l2), cubed moduli (n3), or squares of h, t and the queries (dura; "
		"under softmax with distmult, complex or rescal)"},
	{SETTING(reciprocal, BOOL), .optional = true,.in_words = "true with conve, else false",
		.meaning = "whether each relation has a second embedding, that of its inverse, for questions that "
		"ask for heads"},
	{SETTING(temperature, FLOAT), .low = 0,.high = 1e3,.usual = "1",
		.meaning = "of self_adversarial: 0 weights all negatives alike"},
	{SETTING(block_size, INT), .low = 1,.high = 10000,.usual = "64",
		.meaning = "positives that share their negatives; fewer are slower"},
	{SETTING(relation_weight, FLOAT), .low = 0,.high = 1e3,.usual = "0",
		.meaning = "under the loss softmax with distmult, complex or rescal: the weight of the cross entropy "
		"of the true relation against all relations"},
	{SETTING(precision, ENUM), .choice = precision_name,.in_words = "hybridkg.precision",
		.meaning = "the factors of matrix products under the losses over all entities"},
	{SETTING(partitions, INT), .low = 1,.high = KGE_MOST_PARTITIONS,.usual = "1",
		.meaning = "parts of the entities, two of which are in memory at a time; not with softmax, k_vs_all, "
		"kbgan or warm_start"},
	{SETTING(nodes, INT), .low = 1,.high = KGE_MOST_LANES,.optional = true,
		.in_words = "1, or on a distributed graph as many as it has nodes for",
		.meaning = "pairs of partitions that are trained at once, at most half of partitions"},
	{SETTING(constraints, THING), .choice = kge_constraint_name,.find = find_constraint,.usual = "none",
		.meaning = "bounds on the embeddings of complex: nne keeps entities in [0, 1], nne_aer also draws "
		"relations together that rules entail"},
	{SETTING(entailment_weight, FLOAT), .low = 1e-9,.high = 1e6,.usual = "0.1",
		.meaning = "of nne_aer: the weight of the penalty of such rules"},
	{SETTING(entailment_confidence, FLOAT), .low = 1e-9,.high = 1,.usual = "0.8",
		.meaning = "of nne_aer: the least PCA confidence of such a rule"},
	{SETTING(label_smoothing, FLOAT), .low = 0,.high = 0.99,.usual = "0",
		.meaning = "of k_vs_all: with e, a label y becomes (1 - e) y + e / entities"},
	{SETTING(input_dropout, FLOAT), .low = 0,.high = 0.99,.usual = "0.2",
		.meaning = "of conve: the share of its input that is left out while it learns"},
	{SETTING(feature_dropout, FLOAT), .low = 0,.high = 0.99,.usual = "0.2",
		.meaning = "of conve: the share of its filters that is left out"},
	{SETTING(hidden_dropout, FLOAT), .low = 0,.high = 0.99,.usual = "0.3",
		.meaning = "of conve: the share of its hidden layer that is left out"},
	{SETTING(top_rules, INT), .low = 0,.high = 1000000,.usual = "200",
		.meaning = "how many mined rules are selected; 0: embeddings learn alone"},
	{SETTING(omega, FLOAT), .low = 0,.high = 1,.usual = "0",
		.meaning = "the weight of embedding confidence in a rule's quality"},
	{SETTING(max_rule_length, INT), .low = 2,.high = RULE_MOST_SEARCHED,.usual = "3",
		.meaning = "atoms of a mined rule, head included; 4 takes ten to hundreds of times as long as 3"},
	{SETTING(min_head_coverage, FLOAT), .low = 0,.high = 1,.usual = "0.01",
		.meaning = "the least share of the head relation's facts that a rule infers"},
	{SETTING(min_support, INT), .low = 1,.high = INT_MAX,.usual = "2",
		.meaning = "the least number of facts that a rule infers"},
	{SETTING(constants, BOOL),.usual = "false",
		.meaning = "whether rules may have constants, r(X,Y) <= b(X,Y), c(X,\"entity\")"},
	{SETTING(min_confidence, FLOAT), .low = 0,.high = 1,.usual = "0.7",
		.meaning = "the least standard confidence of a selected rule; 0 by default with min_quality"},
	{SETTING(min_quality, FLOAT), .low = 0,.high = 1,.optional = true,.in_words = "no bound",
		.meaning = "the least quality of a selected rule"},
	{SETTING(rules_of, NAME), .optional = true,.in_words = "rules are mined",
		.meaning = "a model whose selected rules, such as imported ones, take the place of mined ones"},
	{SETTING(hybrid, THING), .choice = hybrid_name,.find = find_hybrid,.usual = "sampled",
		.meaning = "how embeddings learn what rules infer: like facts (sampled), by soft labels (ruge), axioms "
		"(itere) or a Markov logic network (plogicnet), or not at all (none)"},
	{SETTING(inferences, ENUM), .choice = inferring_name,.not_tuned = true,.usual = "sql",
		.meaning = "what the selected rules infer is found by their statements (hkg_rule_sql), or by joins in "
		"memory; the inferences are the same"},
	{SETTING(beta, FLOAT), .low = 0,.high = 1e6,.usual = "1",
		.meaning = "a triple is sampled in proportion to exp(beta * score)"},
	{SETTING(sample_size, BIGINT), .low = 1,.high = INT_MAX,.optional = true,
		.in_words = "a tenth of the facts; with hybrid ruge, itere and plogicnet as many as the facts",
		.meaning = "inferred triples that are drawn in an iteration"},
	{SETTING(label, ENUM), .choice = label_name,.usual = "confidence",
		.meaning = "the weight of a sampled triple in the loss: one, or the highest quality among its rules "
		"(confidence)"},
	{SETTING(accumulate, BOOL),.usual = "false",
		.meaning = "whether samples of earlier iterations stay"},
	{SETTING(rule_weight, FLOAT), .low = 1e-9,.high = 1e6,.usual = "0.01",
		.meaning = "of ruge: how much the confidence of a rule adds to the label of what it infers"},
	{SETTING(evidence_rules, INT), .low = 0,.high = 1000000,.not_tuned = true,.usual = "20000",
		.meaning = "most path rules, r(X,Y) <= b(X,A), c(A,Y), that are kept as evidence at prediction"},
	{SETTING(evidence_length, INT), .low = 2,.high = RULE_MAX_BODY + 1,.optional = true,.not_tuned = true,
		.in_words = "4, or 3 where minutes are few",
		.meaning = "atoms of a path rule, head included; 6 for a sparse graph such as WordNet"},
	{SETTING(evidence_seconds, FLOAT), .low = 1e-3,.high = 1e6,.optional = true,.not_tuned = true,
		.in_words = "no limit",
		.meaning = "the time for the search of path rules; what is found by then depends on the machine"},
	{SETTING(evidence_triples, INT), .low = 1,.high = EV_MOST_TRIPLES,.optional = true,.not_tuned = true,
		.in_words = "all, or as many as a tenth of the time has",
		.meaning = "most held-out facts that weights and probabilities are learnt from"},
	{SETTING(holdout, FLOAT), .low = 0,.high = 0.5,.not_tuned = true,.usual = "0.05",
		.meaning = "the share of the facts that is held out if there is no valid split, at most 5000 and none "
		"below 50; 0: none, and a probability is sigma(score)"},
	{SETTING(assume_missing, FLOAT), .low = 0,.high = MOST_MISSING,.not_tuned = true,.usual = "0.1",
		.meaning = "the share of all true facts that the graph lacks, for which probabilities are stated; 0: "
		"a probability is the chance to be one of the facts held out"},
	{SETTING(paths, DECISION), .optional = true,.not_tuned = true,
		.in_words = "true with evidence_rules on graphs of 20,000 to 300,000 facts, some of which are valid or "
		"held out, if minutes are enough; in a warm start as the model had it",
		.meaning = "whether a network is learnt that reads the paths from a question's entity; training "
		"takes ten times as long and more"},
	{SETTING(path_layers, INT), .low = 1,.high = PATH_MAX_LAYERS,.optional = true,.not_tuned = true,
		.in_words = "5, or 6 where an entity has fewer than ten facts in the mean, 8 if minutes are enough",
		.meaning = "steps of its paths"},
	{SETTING(path_width, INT), .low = PATH_WIDTH_STEP,.high = PATH_MAX_WIDTH,.optional = true,.not_tuned = true,
		.in_words = "32, or 48 with more than 100 relations",
		.meaning = "numbers of an entity's state, a multiple of 16"},
	{SETTING(path_kept, INT), .low = 1,.high = PATH_MAX_KEPT,.optional = true,.not_tuned = true,
		.in_words = "1000, or 300 where an entity has ten facts or more in the mean; the last fifth of "
		"the epochs and answers keep 1000 there",
		.meaning = "entities that a step keeps of those it reaches first"},
	{SETTING(path_members, INT), .low = 1,.high = PATH_MAX_MEMBERS,.optional = true,.not_tuned = true,
		.in_words = "1, by minutes up to 5",
		.meaning = "networks that are learnt one after another and answer together, by their mean; an answer takes as "
		"many times as long"},
	{SETTING(path_reversed, INT), .low = 1,.high = PATH_MAX_REVERSED,.optional = true,.not_tuned = true,
		.in_words = "1: none; by minutes up to 10 in a dense graph",
		.meaning = "best answers that are asked in reverse; each takes as long as an answer"},
	{SETTING(path_epochs, INT), .low = 1,.high = 100000,.optional = true,.not_tuned = true,
		.in_words = "as many as ask about each fact once, 8 to 20, or by minutes",
		.meaning = "epochs of each network"},
	{SETTING(last_path_epoch, INT), .low = 1,.high = INT_MAX,.optional = true,.not_tuned = true,
		.in_words = "the last of all",
		.meaning = "the epoch after which the network is learnt no further; set where minutes were over"},
	{SETTING(path_facts, INT), .low = 1,.high = INT_MAX,.not_tuned = true,.usual = "4096",
		.meaning = "facts that an epoch asks for, each on both sides"},
	{SETTING(path_learning_rate, FLOAT), .low = 1e-9,.high = 1,.optional = true,.not_tuned = true,
		.in_words = "0.005, or 0.004 where an entity has ten facts or more in the mean",
		.meaning = "the step size of the network's first epoch, which falls to a tenth of it"},
	{SETTING(warm_start, BOOL), .not_tuned = true,.usual = "false",
		.meaning = "go on from the embeddings of the model of that name, which has the same score_function, "
		"dimensions, norm and reciprocal"},
	{SETTING(replace, ENUM), .choice = replace_name,.not_tuned = true,.usual = "unless_worse",
		.meaning = "whether a warm start always replaces the previous model, or not if the new one ranks the "
		"valid split worse by more than the standard error"},
	{SETTING(patience, INT), .low = 1,.high = INT_MAX,.optional = true,.in_words = "no such stop",
		.meaning = "stop after so many iterations without a better MRR on valid or held-out facts"},
	{SETTING(seed, BIGINT), .low = PG_INT64_MIN,.high = (double) PG_INT64_MAX,.usual = "0",
		.meaning = "the same seed and facts give the same bits"}
};

const int	settings_count = lengthof(settings_table);

int
setting_find(const char *name)
{
	for (int i = 0; i < settings_count; i++)
		if (strcmp(settings_table[i].name, name) == 0)
			return i;
	return -1;
}

char *
setting_range(const Setting *setting, const char *joint)
{
	bool		whole = setting->type == SETTING_INT || setting->type == SETTING_BIGINT;
	StringInfoData names;
	const char *name;

	if (setting->type == SETTING_BOOL || setting->type == SETTING_DECISION)
		return pstrdup("true or false");
	if (setting->type == SETTING_NAME)
		return pstrdup("a name");
	if (setting->type == SETTING_BIGINT && setting->high > INT_MAX)
		return psprintf(INT64_FORMAT " %s " INT64_FORMAT, PG_INT64_MIN, joint, PG_INT64_MAX);
	if (setting->choice == NULL)
		return psprintf(whole ? "%.0f %s %.0f" : "%g %s %g", setting->low, joint, setting->high);
	initStringInfo(&names);
	for (int i = 0; (name = setting->choice(i)) != NULL; i++)
		if (name[0] != '\0')
			appendStringInfo(&names, "%s%s", names.len == 0 ? "" : setting->choice(i + 1) == NULL ? " or " : ", ", name);
	return names.data;
}
