/*
 * missing_search.c
 *		The most probable missing facts of a graph, as the answers of many questions, on this server.
 *
 * missing_questions.c has the questions; src/kge finds the facts.  Where only some heads or tails are shown, a search
 * passes over these alone (kge/search/chosen.c); then each side has a search of its own, and the best that the first
 * one finds are offered to the second.  Probabilities are those among all entities: for questions that may have an
 * answer that is listed, the best ones of all are found first.  What counts is the probability by both questions of a
 * triple (both_questions.c).
 *
 * Where few entities may be shown on a side, and any on the other one, the questions for that side are many.  So they
 * are asked about those alone that the few's own questions find first, unless an exact list is wanted.
 */
#include "missing_search.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "both_questions.h"
#include "server/growing_array.h"
#include "server/host.h"

#define FOUND_FIRST 64			/* answers to a question about one of the few, besides as many as the list has */
#define MANY 4					/* as many questions as that for each of these answers are not all asked */

/* Of an answer in the list, beside what finds it: its scores on both sides, its rule and the text of that */
#define LISTED_BYTES 384

/* What the questions are asked with, and what is looked at beside their answers */
struct MissingSearch
{
	const MissingQuestions *questions;
	const Predictor *predictor;
	Pool	   *pool;
	Scoring    *scoring;
	const KgeSketch *sketch;
	BothQuestions *both;
	uint64		kept;			/* bytes of `both` */
	KgeChosen  *chosen;			/* candidates of a side; NULL: all entities */
	int64		found_first;	/* answers to a candidate's own question that are asked about; 0: all entities are */
	MemoryContext memory;		/* what one search takes, freed before the next */
	QuestionList all;			/* the questions that are asked, in rows of the model */
};

/* ---- probabilities ------------------------------------------------------------------------ */

/* The question in rows of the model */
static const Question *
whole_question(const MissingSearch *search, const QuestionList *asked, const Question *question)
{
	return &search->all.question[question - asked->question];
}

/* What the answers have in common, if these are all. */
static EvQuestionScores
shown_scores(const MissingSearch *search, const QuestionList *asked, const Question *question, const KgeScored *answers,
			 int64 count)
{
	const Question *whole = whole_question(search, asked, question);
	KgeAnswer	best[EV_SHOWN];

	count = Min(count, EV_SHOWN);
	for (int64 i = 0; i < count; i++)
		best[i] = (KgeAnswer) {answers[i].score, answers[i].phi, answers[i].addition,
			triple_answer(&answers[i].triple, asked->side)};
	return predictor_question_scores(search->predictor, whole, asked->reflexive, NULL,
									 known_answers(search->questions->facts, whole->side, whole->given,
												   whole->relation),
									 best, count);
}

static double
probability_of(const MissingSearch *search, const QuestionList *asked, const KgeScored *answer, EvQuestionScores scores)
{
	double		p = predictor_probability(search->predictor, asked->side, asked->relation,
										  (EvJudged) {answer->score, answer->phi, answer->addition, scores});

	/* nothing that is not known is listed */
	return isnan(p) ? 0 : p;
}

/* KgeJudge's callback: probabilities as hkg_predict_tails and hkg_predict_heads show them. */
static void
judge(void *argument, const QuestionList *asked, const Question *question, KgeScored *answers, int64_t count)
{
	const MissingSearch *search = argument;
	int32		given = whole_question(search, asked, question)->given;
	EvQuestionScores scores;

	/* without the embedding, what has no evidence is no answer */
	if (!ev_uses_embedding(search->predictor->kind))
		while (count > 0 && answers[count - 1].addition == 0)
			answers[--count].probability = 0;
	/* where only some entities are candidates, the top EV_SHOWN of all were found before (see look) */
	if (search->chosen != NULL)
		scores = both_questions_scores(search->both, asked->side, given);
	else
	{
		scores = shown_scores(search, asked, question, answers, count);
		both_questions_note(search->both, asked->side, given, scores);
	}
	for (int64_t i = 0; i < count; i++)
		answers[i].probability = probability_of(search, asked, &answers[i], scores);
}

/*
 * KgeJudge's callback: the same probabilities, the other way round.  A candidate is not the best of all; but where
 * higher scores of others make it less probable, or do not matter, it needs what the best one needs.
 */
static double
score_needed(void *argument, const QuestionList *asked, const Question *question, double probability, double last)
{
	const MissingSearch *search = argument;
	const Predictor *predictor = search->predictor;
	const EvCalibration *calibration = &model_calibration(predictor->model, predictor->kind, asked->relation,
														  asked->side)->ranked;

	int32		given = whole_question(search, asked, question)->given;

	if (search->chosen != NULL && (calibration->best > 0 || calibration->spread > 0))
		return -INFINITY;
	return predictor_score_needed(predictor, asked->side, asked->relation,
								  known_answers(search->questions->facts, asked->side, given, asked->relation), last,
								  probability);
}

/* KgeJudge's callback */
static void
look(void *argument, const QuestionList *asked, const int64_t *number, int64_t count)
{
	const MissingSearch *search = argument;
	int32	   *given = array_new(int32, count);

	for (int64 i = 0; i < count; i++)
		given[i] = search->all.question[number[i]].given;
	both_questions_look(search->both, asked->side, given, count);
	pfree(given);
}

/* KgeJudge's callback */
static void
settle(void *argument, KgeScored *answers, int64_t count)
{
	const MissingSearch *search = argument;

	both_questions_settle(search->both, answers, count);
}

/* KgeJudge's callback: as if these were all answers. */
static double
promise(void *argument, const QuestionList *asked, const Question *question, const KgeScored *answers, int64_t count)
{
	const MissingSearch *search = argument;

	return probability_of(search, asked, &answers[0], shown_scores(search, asked, question, answers, count));
}

/* ---- a search --------------------------------------------------------------------------- */

MissingSearch *
missing_search_open(const MissingQuestions *questions, Scoring *scoring)
{
	const Predictor *predictor = questions->predictor;
	MissingSearch *search = palloc(sizeof(MissingSearch));

	*search = (MissingSearch) {.questions = questions,.predictor = predictor,.scoring = scoring,.pool = hkg_pool(),
		.sketch = !ev_uses_embedding(predictor->kind) || predictor->added->count > 0 ? NULL : predictor->model->sketch};
	return search;
}

/*
 * Begins to look for answers among the candidates of a side; shown: NULL for all, of both sides.  What both questions
 * have found stays from one search to the next.
 */
static KgeCompletion *
open_search(MissingSearch *search, const EntitySet *shown, KgeWanted wanted)
{
	MemoryContext caller = CurrentMemoryContext;
	const KgeModel *model = &search->scoring->kge;
	const KgeAdjustment *adjustment = search->scoring->adjustment;
	const KgeSketch *sketch = search->sketch;
	KgeJudge	judging = {.judge = judge,.needed = score_needed,.argument = search,.least = EV_SHOWN,
		.promise = promise,.settle = settle};
	int64		listed = Min(wanted.k, wanted.questions * model->entities + wanted.offered);
	KgeCompletion *completion;
	Arena		arena;

	search->chosen = NULL;
	search->found_first = 0;
	search->memory = AllocSetContextCreate(caller, "hybridkg search", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(search->memory);
	arena = hkg_within_memory(hkg_arena(), search->kept + listed * LISTED_BYTES,
							  psprintf("a list of " INT64_FORMAT " missing facts", wanted.k), "ask for a smaller k");
	if (shown != NULL && shown->given)
	{
		const EntitySet *shown_of = search->questions->shown->side;

		search->chosen = entity_set_chosen(shown, model, adjustment, search->pool);
		if (!wanted.exact && !(shown_of[SIDE_HEAD].given && shown_of[SIDE_TAIL].given))
			search->found_first = Min(wanted.k + FOUND_FIRST, model->entities);
		sketch = chosen_sketch(search->chosen, sketch, search->pool);
		model = &search->chosen->model;
		adjustment = search->chosen->adjustment;
		judging.look = look;
	}
	completion = kge_completion(&arena, search->pool, model, sketch, adjustment, judging, wanted);
	MemoryContextSwitchTo(caller);
	if (search->both == NULL)
	{
		uint64		before = arena.limit->taken;

		arena.context = caller;
		search->both = both_questions_open(&arena, search->predictor, search->questions->facts, search->scoring,
										   search->sketch, search->pool, wanted.listed);
		search->kept = arena.limit->taken - before;
	}
	return completion;
}

/*
 * Of the questions that candidates may answer, leaves those about entities that the candidates' own questions find
 * first.
 */
static void
leave_found_first(MissingSearch *search)
{
	Question *question = search->questions->question;
	QuestionList *asked = &search->all;
	Side		other = other_side(asked->side);
	bool	   *found = array_new_zero(bool, search->scoring->kge.entities);
	int64		count = 0;

	both_questions_mark_best(search->both, other, search->chosen->entity, search->chosen->count, search->found_first,
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
ask(MissingSearch *search, KgeCompletion *completion, int32 relation, Side side)
{
	const MissingQuestions *questions = search->questions;
	int64		count = questions->count_of[2 * (relation - questions->first) + (int) side];
	QuestionList asked = search->all = missing_questions_of(questions, relation, side);

	both_questions_begin(search->both, relation);
	if (search->found_first > 0 && MANY * search->found_first * search->chosen->count < count)
		leave_found_first(search);
	if (search->chosen != NULL)
		asked = missing_questions_among(questions, &search->all, search->chosen);
	kge_completion_ask(completion, &asked);
}

/* What was found, in the current context; how much was asked is for whoever measures. */
static int64
end_search(MissingSearch *search, KgeCompletion *completion, int64 questions, const KgeScored **best)
{
	const KgeScored *found;
	int64		count = kge_completion_end(completion, &found);
	KgeScored  *kept = array_new(KgeScored, count);
	int64		looked;
	int64		settled;

	both_questions_count(search->both, &looked, &settled);
	ereport(DEBUG1,
			(errmsg_internal("asked " INT64_FORMAT " of " INT64_FORMAT " questions",
							 (int64) kge_completion_asked(completion), questions),
			 errdetail_internal("Settled " INT64_FORMAT " answers, by " INT64_FORMAT " questions more.",
								settled, looked)));
	memcpy(kept, found, count * sizeof(KgeScored));
	*best = kept;
	search->chosen = NULL;
	MemoryContextDelete(search->memory);
	return count;
}

/* All questions, with one search; those for tails first: most that settle what the others find were asked then. */
static int64
find_among_all(MissingSearch *search, KgeWanted wanted, const KgeScored **best)
{
	const MissingQuestions *questions = search->questions;
	KgeCompletion *completion;

	wanted.questions = questions->count[SIDE_HEAD] + questions->count[SIDE_TAIL];
	completion = open_search(search, NULL, wanted);
	for (int32 relation = questions->first; relation < questions->end; relation++)
		for (int side = SIDE_TAIL; side >= SIDE_HEAD; side--)
			ask(search, completion, relation, (Side) side);
	return end_search(search, completion, wanted.questions, best);
}

/* Those for the tails first: these are the many heads, and what they find leaves less to be looked for. */
static int64
find_among_shown(MissingSearch *search, KgeWanted wanted, const KgeScored **best)
{
	const MissingQuestions *questions = search->questions;
	const EntitySet *shown = questions->shown->side;
	int64		count = 0;

	if ((shown[SIDE_HEAD].given && shown[SIDE_HEAD].count == 0) ||
		(shown[SIDE_TAIL].given && shown[SIDE_TAIL].count == 0))
		return 0;
	for (int side = SIDE_TAIL; side >= SIDE_HEAD; side--)
	{
		KgeCompletion *completion;

		wanted.questions = questions->count[side];
		wanted.offered = count;
		if (count == wanted.k)
			wanted.probability = Max(wanted.probability, (*best)[count - 1].probability);
		completion = open_search(search, &shown[side], wanted);
		kge_completion_offer(completion, *best, count);
		for (int32 relation = questions->first; relation < questions->end; relation++)
			ask(search, completion, relation, (Side) side);
		count = end_search(search, completion, wanted.questions, best);
	}
	return count;
}

int64
missing_search_best(MissingSearch *search, KgeWanted wanted, const KgeScored **best)
{
	const EntitySet *shown = search->questions->shown->side;

	wanted.listed = !ev_uses_embedding(search->predictor->kind);
	if (shown[SIDE_HEAD].given || shown[SIDE_TAIL].given)
		return find_among_shown(search, wanted, best);
	return find_among_all(search, wanted, best);
}
