/*
 * complete.c
 *		hkg_complete: the most probable missing facts of a graph, each with its best rule.
 *
 * missing_questions.c has the questions; src/kge finds the facts, best_rule.c the rules.  Where only some heads or tails
 * are shown, a search passes over these alone (kge/search/chosen.c); then each side has a search of its own, and the best that
 * the first one finds are offered to the second.  Probabilities are those among all entities: for questions that may
 * have an answer that is listed, the best ones of all are found first.  What counts is the probability by both questions
 * of a triple (both_questions.c).
 *
 * Where few entities may be shown on a side, and any on the other one, the questions for that side are many.  So they
 * are asked about those alone that the few's own questions find first, unless an exact list is wanted.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "best_rule.h"
#include "both_questions.h"
#include "complete.h"
#include "graph/call.h"
#include "model/predictor.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "side_scores.h"

#define TOO_PROBABLE 2			/* for any missing fact */
#define FOUND_FIRST 64			/* answers to a question about one of the few, besides as many as the list has */
#define MANY 4					/* as many questions as that for each of these answers are not all asked */

/* What the questions are asked with, and what is looked at beside their answers */
/* Of an answer in the list, beside what finds it: its scores on both sides, its rule and the text of that */
#define LISTED_BYTES 384

typedef struct Asking
{
	const MissingQuestions *questions;
	const Predictor *predictor;
	Pool	   *pool;
	Scoring		scoring;
	const KgeSketch *sketch;
	BothQuestions *both;
	uint64		kept;			/* bytes of `both` */
	KgeChosen  *chosen;			/* candidates of a side; NULL: all entities */
	int64		found_first;	/* answers to a candidate's own question that are asked about; 0: all entities are */
	MemoryContext search;		/* what one search takes, freed before the next */
	QuestionList all;			/* the questions that are asked, in rows of the model */
} Asking;

/* ---- probabilities ------------------------------------------------------------------------ */

/* Without the embedding, what has no evidence is no answer. */
static bool
is_answer(const Asking *asking, double addition)
{
	return ev_uses_embedding(asking->predictor->kind) || addition != 0;
}

/* The question in rows of the model */
static const Question *
whole_question(const Asking *asking, const QuestionList *asked, const Question *question)
{
	return &asking->all.question[question - asked->question];
}

static int64
known_of(const Asking *asking, const QuestionList *asked, const Question *question)
{
	return whole_question(asking, asked, question)->excluded_count;
}

/* What the answers have in common, if these are all. */
static EvQuestionScores
shown_scores(const Asking *asking, const QuestionList *asked, const Question *question, const KgeScored *answers,
			 int64 count)
{
	const Question *whole = whole_question(asking, asked, question);
	KgeAnswer	best[EV_SHOWN];

	count = Min(count, EV_SHOWN);
	for (int64 i = 0; i < count; i++)
		best[i] = (KgeAnswer) {answers[i].score, answers[i].phi, answers[i].addition,
			triple_answer(&answers[i].triple, asked->side)};
	return predictor_question_scores(asking->predictor, whole, asked->reflexive, whole->excluded, whole->excluded_count,
									 best, count);
}

/* The same among all entities.  Where only some are candidates, the top EV_SHOWN of all were found before (see look). */
static EvQuestionScores
scores_of(const Asking *asking, const QuestionList *asked, const Question *question, const KgeScored *answers,
		  int64 count)
{
	int32		given = whole_question(asking, asked, question)->given;
	EvQuestionScores scores;

	if (asking->chosen != NULL)
		return both_questions_scores(asking->both, asked->side, given);
	scores = shown_scores(asking, asked, question, answers, count);
	both_questions_note(asking->both, asked->side, given, scores);
	return scores;
}

static double
probability_of(const Asking *asking, const QuestionList *asked, const KgeScored *answer, EvQuestionScores scores)
{
	double		p = predictor_probability(asking->predictor, asked->side, asked->relation,
										  (EvJudged) {answer->score, answer->phi, answer->addition, scores});

	/* nothing that is not known is listed */
	return isnan(p) ? 0 : p;
}

/* KgeJudge's callback: probabilities as hkg_predict_tails and hkg_predict_heads show them. */
static void
judge(void *argument, const QuestionList *asked, const Question *question, KgeScored *answers, int64_t count)
{
	const Asking *asking = argument;
	EvQuestionScores scores;

	while (count > 0 && !is_answer(asking, answers[count - 1].addition))
		answers[--count].probability = 0;
	scores = scores_of(asking, asked, question, answers, count);
	for (int64_t i = 0; i < count; i++)
		answers[i].probability = probability_of(asking, asked, &answers[i], scores);
}

/*
 * KgeJudge's callback: the same probabilities, the other way round.  A candidate is not the best of all; but where higher
 * scores of others make it less probable, or do not matter, it needs what the best one needs.
 */
static double
score_needed(void *argument, const QuestionList *asked, const Question *question, double probability, double last)
{
	const Asking *asking = argument;
	const Predictor *predictor = asking->predictor;
	const EvCalibration *calibration = &model_calibration(predictor->model, predictor->kind, asked->relation,
														  asked->side)->ranked;

	if (asking->chosen != NULL && (calibration->best > 0 || calibration->spread > 0))
		return -INFINITY;
	return predictor_score_needed(predictor, asked->side, asked->relation, known_of(asking, asked, question), last,
								  probability);
}

/* KgeJudge's callback */
static void
look(void *argument, const QuestionList *asked, const int64_t *number, int64_t count)
{
	const Asking *asking = argument;
	int32	   *given = array_new(int32, count);

	for (int64 i = 0; i < count; i++)
		given[i] = asking->all.question[number[i]].given;
	both_questions_look(asking->both, asked->side, given, count);
	pfree(given);
}

/* KgeJudge's callback */
static void
settle(void *argument, KgeScored *answers, int64_t count)
{
	const Asking *asking = argument;

	both_questions_settle(asking->both, answers, count);
}

/* KgeJudge's callback: as if these were all answers. */
static double
promise(void *argument, const QuestionList *asked, const Question *question, const KgeScored *answers, int64_t count)
{
	const Asking *asking = argument;

	return probability_of(asking, asked, &answers[0], shown_scores(asking, asked, question, answers, count));
}

/* ---- a search --------------------------------------------------------------------------- */

static Asking
asking_open(const MissingQuestions *questions)
{
	const Predictor *predictor = questions->predictor;

	return (Asking) {.questions = questions,.predictor = predictor,.pool = hkg_pool(),
		.sketch = !ev_uses_embedding(predictor->kind) || predictor->added->count > 0 ? NULL : predictor->model->sketch};
}

/* Of the candidates of a side */
static void
choose(Asking *asking, const EntitySet *shown, KgeWanted wanted)
{
	const ShownEntities *both_sides = asking->questions->shown;
	const KgeModel *model = &asking->scoring.kge;

	asking->chosen = entity_set_chosen(shown, model, asking->scoring.adjustment, asking->pool);
	if (!wanted.exact && !(both_sides->side[SIDE_HEAD].given && both_sides->side[SIDE_TAIL].given))
		asking->found_first = Min(wanted.k + FOUND_FIRST, model->entities);
}

/*
 * Begins to look for answers among the candidates of a side; shown: NULL for all, of both sides.  What both questions
 * have found stays from one search to the next.
 */
static KgeCompletion *
open_search(Asking *asking, const EntitySet *shown, KgeWanted wanted)
{
	MemoryContext caller = CurrentMemoryContext;
	const KgeModel *model = &asking->scoring.kge;
	const KgeAdjustment *adjustment = asking->scoring.adjustment;
	const KgeSketch *sketch = asking->sketch;
	KgeJudge	judging = {.judge = judge,.needed = score_needed,.argument = asking,.least = EV_SHOWN,.promise = promise,
	.settle = settle};
	int64		listed = Min(wanted.k, wanted.questions * model->entities + wanted.offered);
	KgeCompletion *completion;
	Arena		arena;

	asking->chosen = NULL;
	asking->found_first = 0;
	asking->search = AllocSetContextCreate(caller, "hybridkg search", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(asking->search);
	arena = hkg_within_memory(hkg_arena(), asking->kept + listed * LISTED_BYTES,
							  psprintf("a list of " INT64_FORMAT " missing facts", wanted.k), "ask for a smaller k");
	if (shown != NULL && shown->given)
	{
		choose(asking, shown, wanted);
		sketch = chosen_sketch(asking->chosen, sketch, asking->pool);
		model = &asking->chosen->model;
		adjustment = asking->chosen->adjustment;
		judging.look = look;
	}
	completion = kge_completion(&arena, asking->pool, model, sketch, adjustment, judging, wanted);
	MemoryContextSwitchTo(caller);
	if (asking->both == NULL)
	{
		uint64		before = arena.limit->taken;

		arena.context = caller;
		asking->both = both_questions_open(&arena, asking->predictor, asking->questions->facts, &asking->scoring,
										   asking->sketch, asking->pool, wanted.listed);
		asking->kept = arena.limit->taken - before;
	}
	return completion;
}

/* Whether the questions are many times as many as the answers that would be asked about. */
static bool
asks_found_first(const Asking *asking, int32 relation, Side side)
{
	const MissingQuestions *questions = asking->questions;
	int64		count = questions->count_of[2 * (relation - questions->first) + (int) side];

	return asking->found_first > 0 && MANY * asking->found_first * asking->chosen->count < count;
}

/*
 * Of the questions that candidates may answer, leaves those about entities that the candidates' own questions find
 * first.
 */
static void
leave_found_first(Asking *asking)
{
	Question *question = asking->questions->question;
	QuestionList *asked = &asking->all;
	Side		other = other_side(asked->side);
	bool	   *found = array_new_zero(bool, asking->scoring.kge.entities);
	int64		count = 0;

	both_questions_mark_best(asking->both, other, asking->chosen->entity, asking->chosen->count, asking->found_first,
							 found);
	for (int64 i = 0; i < asked->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (found[question[i].given])
			question[count++] = question[i];
	}
	asked->count = count;
	pfree(found);
}

/* Asks the questions of a relation for one side. */
static void
ask(Asking *asking, KgeCompletion *completion, int32 relation, Side side)
{
	QuestionList asked = asking->all = missing_questions_of(asking->questions, relation, side);

	both_questions_begin(asking->both, relation);
	if (asks_found_first(asking, relation, side))
		leave_found_first(asking);
	if (asking->chosen != NULL)
		asked = missing_questions_among(asking->questions, &asking->all, asking->chosen);
	kge_completion_ask(completion, &asked);
}

/* What was found, in the current context; how much was asked is for whoever measures. */
static int64
end_search(Asking *asking, KgeCompletion *completion, int64 questions, const KgeScored **best)
{
	const KgeScored *found;
	int64		count = kge_completion_end(completion, &found);
	KgeScored  *kept = array_new(KgeScored, count);
	int64		looked;
	int64		settled;

	both_questions_count(asking->both, &looked, &settled);
	ereport(DEBUG1,
			(errmsg_internal("asked " INT64_FORMAT " of " INT64_FORMAT " questions",
							 (int64) kge_completion_asked(completion), questions),
			 errdetail_internal("Settled " INT64_FORMAT " answers, by " INT64_FORMAT " questions more.", settled, looked)));
	memcpy(kept, found, count * sizeof(KgeScored));
	*best = kept;
	asking->chosen = NULL;
	MemoryContextDelete(asking->search);
	return count;
}

/* All questions, with one search; those for tails first: most that settle what the others find were asked then. */
static int64
find_among_all(Asking *asking, KgeWanted wanted, const KgeScored **best)
{
	const MissingQuestions *questions = asking->questions;
	KgeCompletion *completion;

	wanted.questions = questions->count[SIDE_HEAD] + questions->count[SIDE_TAIL];
	completion = open_search(asking, NULL, wanted);
	for (int32 relation = questions->first; relation < questions->end; relation++)
		for (int side = SIDE_TAIL; side >= SIDE_HEAD; side--)
			ask(asking, completion, relation, (Side) side);
	return end_search(asking, completion, wanted.questions, best);
}

/* Those for the tails first: these are the many heads, and what they find leaves less to be looked for. */
static int64
find_among_shown(Asking *asking, KgeWanted wanted, const KgeScored **best)
{
	const MissingQuestions *questions = asking->questions;
	const EntitySet *shown = questions->shown->side;
	int64		count = 0;

	if ((shown[SIDE_HEAD].given && shown[SIDE_HEAD].count == 0) || (shown[SIDE_TAIL].given && shown[SIDE_TAIL].count == 0))
		return 0;
	for (int side = SIDE_TAIL; side >= SIDE_HEAD; side--)
	{
		KgeCompletion *completion;

		wanted.questions = questions->count[side];
		wanted.offered = count;
		if (count == wanted.k)
			wanted.probability = Max(wanted.probability, (*best)[count - 1].probability);
		completion = open_search(asking, &shown[side], wanted);
		kge_completion_offer(completion, *best, count);
		for (int32 relation = questions->first; relation < questions->end; relation++)
			ask(asking, completion, relation, (Side) side);
		count = end_search(asking, completion, wanted.questions, best);
	}
	return count;
}

static int64
find_best(Asking *asking, KgeWanted wanted, const KgeScored **best)
{
	const EntitySet *shown = asking->questions->shown->side;

	wanted.listed = !ev_uses_embedding(asking->predictor->kind);
	if (shown[SIDE_HEAD].given || shown[SIDE_TAIL].given)
		return find_among_shown(asking, wanted, best);
	return find_among_all(asking, wanted, best);
}

/* In place: the adjustment leads into the scoring. */
static void
open_scores(Asking *asking)
{
	const Predictor *predictor = asking->predictor;

	scoring_open(predictor->evidence, predictor->kind, added_entities_array(predictor->added), pool_threads(asking->pool),
				 &asking->scoring);
}

int64
find_best_here(const MissingQuestions *questions, KgeWanted wanted, const KgeScored **best)
{
	Asking		asking = asking_open(questions);

	open_scores(&asking);
	return find_best(&asking, wanted, best);
}

/* ---- answers ----------------------------------------------------------------------------- */

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

/* Adds what is probable enough, in order, to a list that has room for it; of the rest only the best probability counts. */
static void
add_best(MissingList *list, Asking *asking, const KgeScored *best, int64 count, double min_probability)
{
	int64		probable = 0;
	double	   *score;

	while (probable < count && best[probable].probability >= min_probability)
		probable++;
	score = tail_scores(asking->predictor, &asking->scoring, asking->pool, best, probable);
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_missing(list, asking->predictor, &best[i], i < probable ? &score[i] : NULL);
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
find_anywhere(Graph *graph, Asking *asking, KgeWanted wanted, const KgeScored **best)
{
	int64		count;

	return find_best_on_nodes(graph, asking->questions, wanted, best, &count) ? count : find_best(asking, wanted, best);
}

/* A network that was asked has found something that is nearly the best, and takes too long to be asked again. */
static bool
wants_best(const MissingList *list, const Predictor *predictor)
{
	return list->best < 0 || predictor->evidence == NULL || predictor->evidence->network == NULL;
}

static MissingList
find_missing(Graph *graph, const Predictor *predictor, const ListWanted *list_wanted, const ShownEntities *shown)
{
	int32		relation = list_wanted->relation == NULL ? -1 :
		model_relation_row(predictor->model, graph, list_wanted->relation);
	MissingQuestions questions = missing_questions_open(graph, predictor, relation, shown);
	Asking		asking = asking_open(&questions);
	KgeWanted	wanted = {.k = list_wanted->k,.probability = list_wanted->min_probability,
		.heads = list_wanted->one_each ? predictor_entities(predictor) : 0,.exact = list_wanted->exact};
	MissingList list = {.best = -1};
	const KgeScored *best = NULL;
	int64		count;

	open_scores(&asking);
	count = find_anywhere(graph, &asking, wanted, &best);
	list.triple = array_new(Triple, count);
	list.score = array_new(double, count);
	list.probability = array_new(double, count);
	add_best(&list, &asking, best, count, list_wanted->min_probability);
	if (list.count == 0 && list_wanted->min_probability > 0 && wants_best(&list, predictor))
	{
		/* for the notice, by both questions, and the list stays empty */
		list.best = -1;
		wanted.k = 1;
		wanted.probability = 0;
		count = find_anywhere(graph, &asking, wanted, &best);
		add_best(&list, &asking, best, count, TOO_PROBABLE);
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
								 BEST_RULE_TEXT " "
								 "from unnest($1::int[], $2::int[], $3::int[], $4::float8[], $5::float8[], $6::int[], "
								 "$7::text[]) "
								 "with ordinality as u (head, relation, tail, score, probability, rule, counted, place) "
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

static void
require_probabilities(const Predictor *predictor, const char *graph, const char *model)
{
	if (!predictor_knows_probabilities(predictor))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" of graph \"%s\" has learnt no probabilities, by which missing facts are listed",
						model, graph),
				 errhint("Make a valid split with hkg_split, train, and call hkg_learn_evidence if the model was imported; or rank the answers "
						 "of one question by their scores with hkg_predict_tails.")));
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
	require_probabilities(&predictor, call.graph->name, call.model);
	shown = (ShownEntities) {{entity_set(call.graph, predictor.added, &heads),
	entity_set(call.graph, predictor.added, &candidates)}};
	list = find_missing(call.graph, &predictor, &wanted, &shown);
	if (list.count == 0)
		notice_nothing(&list, wanted.min_probability, &shown);
	rule = best_rule_of_each(call.graph, call.model, predictor.evidence, list.triple, list.count);
	return_missing(call.graph, call.model, &list, rule, call.result);
	return call_end(&call);
}
