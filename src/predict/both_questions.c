/*
 * both_questions.c
 *		How probable a triple is by both questions that it answers (see both_questions.h).
 *
 * By the higher probability, lists would be of mistakes: a question about a hub has hundreds of answers, and leaves
 * open which entities lack such facts altogether.  The other questions do.  On codex-s and on Debian's packages lists
 * by the mean of both log odds hold what they state, and many more true triples (bench/RESULTS.md, "Lists by both
 * questions").
 *
 * A probability depends on the best answers of its question.  They are looked for once for each question of a relation,
 * many at a time.
 */
#include "both_questions.h"

#include "server/growing_array.h"
#include "server/host.h"
#include "side_scores.h"

#define AT_ONCE 256			/* questions whose best answers are found at once */
#define MARKED_AT_ONCE 65536	/* answers, unless one question has more */

/* A question: what its answers have in common, if it is of relation `relation` */
typedef struct FoundScores
{
	EvQuestionScores scores;
	int32		relation;
} FoundScores;

struct BothQuestions
{
	const Predictor *predictor;
	const FactIndex *facts;
	Scoring    *scoring;
	Pool	   *pool;
	KgeTopMany *search;
	int32		relation;
	FoundScores *found[2];		/* by the side of the answers, and the entity that is given */
	int32		room;			/* answers of a question that are looked for */
	int64		looked;			/* questions, and answers that were settled */
	int64		settled;
};

BothQuestions *
both_questions_open(Arena *arena, const Predictor *predictor, const FactIndex *facts, Scoring *scoring,
					const KgeSketch *sketch, Pool *pool, bool listed)
{
	BothQuestions *both = palloc(sizeof(BothQuestions));

	*both = (BothQuestions) {.predictor = predictor,.facts = facts,.scoring = scoring,.pool = pool,.relation = -1};
	both->room = Min(EV_SHOWN + 1, scoring->kge.entities);
	for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
	{
		both->found[side] = arena_new(arena, FoundScores, scoring->kge.entities);
		for (int32 i = 0; i < scoring->kge.entities; i++)
		{
			pool_yield_at(pool, POOL_LEADER, i);
			both->found[side][i].relation = -1;
		}
	}
	both->search = kge_top_many(arena, pool, &scoring->kge, sketch, scoring->adjustment, listed);
	return both;
}

/* ---- the best answers of questions ----------------------------------------------------- */

void
both_questions_begin(BothQuestions *both, int32 relation)
{
	both->relation = relation;
}

void
both_questions_note(BothQuestions *both, Side side, int32 given, EvQuestionScores scores)
{
	both->found[side][given] = (FoundScores) {scores, both->relation};
}

EvQuestionScores
both_questions_scores(const BothQuestions *both, Side side, int32 given)
{
	return both->found[side][given].scores;
}

/* Questions with what is no answer */
static Question *
list_questions(const BothQuestions *both, Side side, const int32 *given, int count)
{
	const FactIndex *facts = both->facts;
	Question   *question = array_new(Question, count);

	for (int i = 0; i < count; i++)
		question[i] = predictor_question(both->predictor, facts, side, given[i], both->relation,
										 array_new(int32, predictor_excluded(both->predictor, facts, side, given[i],
																			 both->relation)));
	return question;
}

static void
free_questions(Question *question, int count)
{
	for (int i = 0; i < count; i++)
		pfree(unconstify(int32 *, question[i].excluded));
	pfree(question);
}

static void
look_at_some(BothQuestions *both, Side side, const int32 *given, int count)
{
	Question   *question = list_questions(both, side, given, count);
	KgeAnswer  *answer = array_new(KgeAnswer, (Size) count * both->room);
	int64	   *found = array_new(int64, count);

	kge_top_many_ask(both->search, question, count, both->room, answer, found);
	for (int i = 0; i < count; i++)
		both_questions_note(both, side, given[i],
							predictor_question_scores(both->predictor, &question[i],
													  both->facts->reflexive[both->relation], NULL,
													  known_answers(both->facts, side, given[i], both->relation),
													  answer + (Size) i * both->room, found[i]));
	free_questions(question, count);
	pfree(answer);
	pfree(found);
}

void
both_questions_look(BothQuestions *both, Side side, const int32 *given, int64 count)
{
	FoundScores *found = both->found[side];
	int32	   *missing = array_new(int32, count);
	int64		questions = 0;

	for (int64 i = 0; i < count; i++)
		if (found[given[i]].relation != both->relation)
		{
			found[given[i]].relation = both->relation;
			missing[questions++] = given[i];
		}
	both->looked += questions;
	for (int64 first = 0; first < questions; first += AT_ONCE)
		look_at_some(both, side, missing + first, (int) Min(AT_ONCE, questions - first));
	pfree(missing);
}

void
both_questions_mark_best(BothQuestions *both, Side side, const int32 *given, int64 count, int64 most, bool *marked)
{
	const KgeAdjustment *adjustment = both->scoring->adjustment;
	bool		has_quick = adjustment != NULL && adjustment->quick != NULL;
	int64		room = Min(most + 1, both->scoring->kge.entities);
	int64		part = Max(1, Min(AT_ONCE, MARKED_AT_ONCE / room));
	KgeAnswer  *answer = array_new(KgeAnswer, part * room);
	int64		found[AT_ONCE];

	if (has_quick)
		kge_top_many_adjust(both->search, adjustment->quick);
	for (int64 first = 0; first < count; first += part)
	{
		int			some = (int) Min(part, count - first);
		Question   *question = list_questions(both, side, given + first, some);

		kge_top_many_ask(both->search, question, some, room, answer, found);
		for (int i = 0; i < some; i++)
		{
			const KgeAnswer *answers = answer + i * room;
			int64		marks = 0;

			/* the given entity may be found with the others, and is none of them */
			for (int64 j = 0; j < found[i] && marks < most; j++)
				if (answers[j].row != given[first + i])
				{
					marked[answers[j].row] = true;
					marks++;
				}
		}
		free_questions(question, some);
	}
	if (has_quick)
		kge_top_many_adjust(both->search, adjustment);
	pfree(answer);
}

/* ---- both together ----------------------------------------------------------------------- */

void
both_questions_settle(BothQuestions *both, KgeScored *answer, int64 count)
{
	const Predictor *predictor = both->predictor;
	Side		side = count == 0 ? SIDE_TAIL : other_side(answer[0].side);
	int32	   *given = array_new(int32, count);
	ScoreParts *parts;

	both->settled += count;
	for (int64 i = 0; i < count; i++)
		given[i] = triple_given(&answer[i].triple, side);
	both_questions_look(both, side, given, count);
	parts = side_parts(predictor, both->scoring, both->pool, answer, count, side);
	for (int64 i = 0; i < count; i++)
	{
		double		score = predictor_score(predictor, side, both->relation, parts[i]);
		EvQuestionScores scores = both_questions_scores(both, side, given[i]);
		double		probability[2];

		probability[side] = predictor_probability(predictor, side, both->relation,
												  (EvJudged) {score, parts[i].phi, parts[i].evidence, scores});
		probability[other_side(side)] = answer[i].probability;
		answer[i].probability = Min(answer[i].probability,
									predictor_probability_by_both(predictor, both->relation, probability[SIDE_HEAD],
																  probability[SIDE_TAIL]));
	}
	pfree(given);
	pfree(parts);
}

void
both_questions_count(const BothQuestions *both, int64 *looked, int64 *settled)
{
	*looked = both->looked;
	*settled = both->settled;
}
