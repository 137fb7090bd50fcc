/*
 * complete.c
 *		hkg_complete: the most probable missing facts of a graph, each with its best rule.
 *
 * missing_search.c finds the facts, best_rule.c the rules.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "best_rule.h"
#include "graph/call.h"
#include "missing_search.h"
#include "model/predictor.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "side_scores.h"

#define TOO_PROBABLE 2			/* for any missing fact */

/* Most probable first */
typedef struct MissingList
{
	Triple	   *triple;			/* by ids */
	double	   *score;
	double	   *probability;
	int64		count;
	double		best;			/* probability of what was found; negative where nothing was */
} MissingList;

/* Adds what was found, unless it is too improbable and has no score, or without the embedding, has no evidence. */
static void
add_missing(MissingList *list, const Predictor *predictor, const KgeScored *found, const double *score)
{
	if (!ev_uses_embedding(predictor->kind) && found->addition == 0)
		return;
	list->best = Max(list->best, found->probability);
	if (score == NULL)
		return;
	list->triple[list->count] = (Triple) {
		added_entities_id(predictor->added, found->triple.head), predictor->model->relation_id[found->triple.relation],
		added_entities_id(predictor->added, found->triple.tail)
	};
	list->score[list->count] = *score;
	list->probability[list->count++] = found->probability;
}

/* Adds what is probable enough, in order, to a list with room for it; of the rest only the best probability counts. */
static void
add_best(MissingList *list, const Predictor *predictor, Scoring *scoring, const KgeScored *best, int64 count,
		 double min_probability)
{
	int64		probable = 0;
	double	   *score;

	while (probable < count && best[probable].probability >= min_probability)
		probable++;
	score = tail_scores(predictor, scoring, hkg_pool(), best, probable);
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_missing(list, predictor, &best[i], i < probable ? &score[i] : NULL);
	}
}

/* What is to be listed */
typedef struct ListWanted
{
	const char *relation;		/* NULL: all */
	int			k;
	double		min_probability;
	bool		one_each;
	bool		exact;
} ListWanted;

static int64
find_anywhere(Graph *graph, const MissingQuestions *questions, MissingSearch *search, KgeWanted wanted,
			  const KgeScored **best)
{
	int64		count;

	return find_best_on_nodes(graph, questions, wanted, best, &count) ? count :
		missing_search_best(search, wanted, best);
}

static MissingList
find_missing(Graph *graph, const Predictor *predictor, const ListWanted *list_wanted, const ShownEntities *shown)
{
	int32		relation = list_wanted->relation == NULL ? -1 :
		model_relation_row(predictor->model, graph, list_wanted->relation);
	MissingQuestions questions = missing_questions_open(graph, predictor, relation, shown);
	KgeWanted	wanted = {.k = list_wanted->k,.probability = list_wanted->min_probability,
		.heads = list_wanted->one_each ? predictor_entities(predictor) : 0,.exact = list_wanted->exact};
	bool		with_network = predictor->evidence != NULL && predictor->evidence->network != NULL;
	MissingList list = {.best = -1};
	const KgeScored *best = NULL;
	MissingSearch *search;
	Scoring		scoring;
	int64		count;

	scoring_open(predictor->evidence, predictor->kind, added_entities_array(predictor->added), pool_threads(hkg_pool()),
				 &scoring);
	search = missing_search_open(&questions, &scoring);
	count = find_anywhere(graph, &questions, search, wanted, &best);
	list.triple = array_new(Triple, count);
	list.score = array_new(double, count);
	list.probability = array_new(double, count);
	add_best(&list, predictor, &scoring, best, count, list_wanted->min_probability);
	/* a network that was asked has found something that is nearly the best, and takes too long to be asked again */
	if (list.count == 0 && list_wanted->min_probability > 0 && (list.best < 0 || !with_network))
	{
		/* for the notice, by both questions, and the list stays empty */
		list.best = -1;
		wanted.k = 1;
		wanted.probability = 0;
		count = find_anywhere(graph, &questions, search, wanted, &best);
		add_best(&list, predictor, &scoring, best, count, TOO_PROBABLE);
	}
	return list;
}

/* Why the list is empty */
static void
notice_nothing(const MissingList *list, double min_probability, const ShownEntities *shown)
{
	const EntitySet *heads = &shown->side[SIDE_HEAD];
	const EntitySet *tails = &shown->side[SIDE_TAIL];

	if ((heads->given && heads->count == 0) || (tails->given && tails->count == 0))
		ereport(NOTICE,
				(errmsg("no missing fact was found"),
				 errdetail("Of " INT64_FORMAT " names in %s, none is an entity of the model.",
						   heads->given && heads->count == 0 ? heads->names : tails->names,
						   heads->given && heads->count == 0 ? "heads" : "candidates")));
	else if (list->best < 0)
		ereport(NOTICE,
				(errmsg("no missing fact was found"),
				 errdetail("There is no question to ask, or no answer that is not a fact.")));
	else
		ereport(NOTICE,
				(errmsg("no missing fact has a probability of %g or more", min_probability),
				 errdetail("The most probable one that was found has %.3g.", list->best),
				 errhint("Give a lower min_probability. If more facts are missing than the share that was assumed, "
						 "hkg_learn_evidence with a higher assume_missing raises probabilities.")));
}

static void
return_missing(const Graph *graph, const char *model, const MissingList *list, const BestRule *rule,
			   SqlResult *result)
{
	char	   *query = psprintf("select h.name::text, r.name::text, t.name::text, u.score, u.probability, "
								 BEST_RULE_TEXT ", " KEY_OF_NAME("h.name", "r.head_types") ", " KEY_OF_NAME("t.name", "r.tail_types") " "
								 "from unnest($1::int[], $2::int[], $3::int[], $4::float8[], $5::float8[], $6::int[], "
								 "$7::text[]) "
								 "with ordinality as u "
								 "(head, relation, tail, score, probability, rule, counted, place) "
								 "%s %s order by u.place", graph_names_join(graph), best_rules_join(graph, "$8"));

	for (int64 first = 0; first < list->count; first += NAMED_ROWS)
	{
		int			count = (int) Min(NAMED_ROWS, list->count - first);
		SqlArgs		args = {0};

		arg_triples(&args, list->triple + first, count);
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(list->score + first, count));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(list->probability + first, count));
		arg_best_rules(&args, rule + first, count);
		sql_arg_text(&args, model);
		sql_result_query(result, query, &args);
		sql_args_free(&args);
	}
}

HKG_FUNCTION(hkg_missing_facts);
Datum
hkg_missing_facts(PG_FUNCTION_ARGS)
{
	ListWanted	wanted = {
		.relation = PG_ARGISNULL(1) ? NULL : argument_text(fcinfo, 1, "relation"),
		.k = argument_int(fcinfo, 2, "k", 1, PG_INT32_MAX),
		.min_probability = argument_float(fcinfo, 4, "min_probability", 0, 1),
		.one_each = DatumGetBool(argument(fcinfo, 8, "one_each")),
		.exact = DatumGetBool(argument(fcinfo, 9, "exact"))
	};
	EvKind		kind = argument_evidence(fcinfo, 5);
	Call		call = call_begin(fcinfo, 3);
	GivenNames	heads = given_names(fcinfo, 6, "heads");
	GivenNames	candidates = given_names(fcinfo, 7, "candidates");
	ShownEntities shown;
	Predictor	predictor;
	MissingList list;
	BestRule   *rule;

	predictor = predictor_open(call.graph, call.model, kind);
	if (!predictor_knows_probabilities(&predictor))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" of graph \"%s\" has learnt no probabilities, by which missing facts are listed",
						call.model, call.graph->name),
				 errhint("Make a valid split with hkg_split, train, and call hkg_learn_evidence if the model was "
						 "imported; "
						 "or rank the answers of one question by their scores with hkg_predict_tails.")));
	shown = (ShownEntities) {{entity_set(call.graph, predictor.added, &heads),
	entity_set(call.graph, predictor.added, &candidates)}};
	list = find_missing(call.graph, &predictor, &wanted, &shown);
	if (list.count == 0)
		notice_nothing(&list, wanted.min_probability, &shown);
	rule = best_rule_of_each(call.graph, call.model, predictor.evidence, list.triple, list.count);
	return_missing(call.graph, call.model, &list, rule, call.result);
	return call_end(&call);
}
