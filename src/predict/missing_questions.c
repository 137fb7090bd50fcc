/*
 * missing_questions.c
 *		The questions of hkg_complete (see missing_questions.h).
 *
 * Each relation is asked about in both directions: for the tails of heads, and for the heads of tails.  Heads are those
 * that have a fact of the relation, and those much like them (evidence/question_domain.c); tails likewise.  Where only
 * some heads or tails are shown, questions about others are left out, and these are the only candidates of the rest.
 */
#include "missing_questions.h"

#include "miscadmin.h"

#include "core/heap.h"
#include "server/growing_array.h"
#include "server/host.h"

/* The entities that a side's questions may be about */
static const EntitySet *
given_set(const MissingQuestions *questions, Side side)
{
	return &questions->shown->side[other_side(side)];
}

/*
 * The entities that questions of a relation for a side are about: an array of the finder, or, where some are given, one
 * of its own.  Returns how many.
 */
static int64
find_given(const MissingQuestions *questions, DirectedAtom atom, Side side, int32 **entity)
{
	EvDomain	domain = ev_domain(questions->finder, atom, hkg_leader(), POOL_LEADER);
	const EntitySet *given = given_set(questions, side);
	int64		count = 0;

	*entity = domain.entity;
	if (!given->given)
		return domain.holders + domain.alike;
	*entity = array_new(int32, domain.holders + domain.alike);
	for (int64 i = 0; i < domain.holders + domain.alike; i++)
	{
		if (entity_set_has(given, domain.entity[i]))
			(*entity)[count++] = domain.entity[i];
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return count;
}

static void
count_questions(MissingQuestions *questions)
{
	for (int32 key = 2 * questions->first; key < 2 * questions->end; key++)
	{
		Side		side = (Side) (key % 2);
		DirectedAtom atom = asked_atom(key / 2, side);
		int32	   *entity;
		int64		count = find_given(questions, atom, side, &entity);
		int64		known = 0;

		for (int64 i = 0; i < count; i++)
		{
			known += predictor_excluded(questions->predictor, questions->facts, side, entity[i], key / 2);
			if (i % 1024 == 0)
				CHECK_FOR_INTERRUPTS();
		}
		questions->count[side] += count;
		questions->count_of[key - 2 * questions->first] = count;
		questions->most = Max(questions->most, count);
		questions->most_known = Max(questions->most_known, known);
		if (given_set(questions, side)->given)
			pfree(entity);
	}
}

MissingQuestions
missing_questions_open(Graph *graph, const Predictor *predictor, int32 relation, const ShownEntities *shown)
{
	Arena		arena = hkg_within_memory(hkg_arena(), 0, "a list of missing facts", "ask for those of one relation");
	MissingQuestions questions = {.predictor = predictor,.shown = shown,.end = predictor->model->kge.relations};

	predictor_require_rejected(predictor, graph);
	if (relation >= 0)
	{
		questions.first = relation;
		questions.end = relation + 1;
	}
	questions.facts = predictor_facts(predictor, graph);
	questions.count_of = array_new(int64, 2 * (int64) (questions.end - questions.first));
	questions.finder = ev_domain_finder(&arena, questions.facts, EV_MUCH_ALIKE);
	count_questions(&questions);
	questions.question = arena_new(&arena, Question, questions.most);
	questions.known = arena_new(&arena, int32, questions.most_known);
	questions.likely = array_new(int32, LIKELY);
	if (!shown->side[SIDE_HEAD].given && !shown->side[SIDE_TAIL].given)
		return questions;
	questions.chosen = arena_new(&arena, Question, questions.most);
	questions.chosen_known = arena_new(&arena, int32, 2 * questions.most_known + questions.most);
	return questions;
}

/* ---- of a relation and side ---------------------------------------------------------- */

typedef struct FrequentAnswer
{
	int32		entity;
	int64		facts;
} FrequentAnswer;

/* The most frequent one first */
static int
compare_frequent(const void *a, const void *b)
{
	const FrequentAnswer *left = a;
	const FrequentAnswer *right = b;

	if (left->facts != right->facts)
		return left->facts > right->facts ? -1 : 1;
	return (left->entity > right->entity) - (left->entity < right->entity);
}

/* The entities that answer most questions with an atom; returns how many. */
static int64
find_likely(const MissingQuestions *questions, DirectedAtom atom)
{
	const FactIndex *facts = questions->facts;
	DirectedAtom answers = MIRRORED(atom);
	FrequentAnswer frequent[LIKELY];
	int64		count = 0;

	for (int64 i = facts->holders[answers]; i < facts->holders[answers + 1]; i++)
	{
		FactGroup	group = fact_group_at(facts, facts->holder[i]);
		FrequentAnswer answer = {facts->group[facts->holder[i]].entity, group.end - group.first};

		count = heap_offer(frequent, count, LIKELY, &answer, sizeof(FrequentAnswer), compare_frequent);
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	for (int64 i = 0; i < count; i++)
		questions->likely[i] = frequent[i].entity;
	return count;
}

QuestionList
missing_questions_of(const MissingQuestions *questions, int32 relation, Side side)
{
	DirectedAtom atom = asked_atom(relation, side);
	NodeSlice	slice = questions->slice;
	int32	   *known = questions->known;
	int64		first = 0;
	int32	   *entity;
	QuestionList asked = {
		.side = side,
		.relation = relation,
		.reflexive = questions->facts->reflexive[relation],
		.question = questions->question,
		.count = find_given(questions, atom, side, &entity),
		.likely = questions->likely,
		.likely_count = find_likely(questions, atom)
	};

	if (slice.count > 0)
	{
		first = asked.count * (slice.number - 1) / slice.count;
		asked.count = asked.count * slice.number / slice.count - first;
	}
	for (int64 i = 0; i < asked.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		questions->question[i] = predictor_question(questions->predictor, questions->facts, side, entity[first + i],
													relation, known);
		known += questions->question[i].excluded_count;
	}
	if (given_set(questions, side)->given)
		pfree(entity);
	return asked;
}

/* ---- among candidates ---------------------------------------------------------------- */

/*
 * Of a question: the candidates that are no answers, by their rows, then the known answers as what is given, which
 * matters where the likely ones are looked at.
 */
static Question
question_among(const QuestionList *asked, const Question *all, const KgeChosen *chosen, int32 *known)
{
	bool		pending = !asked->reflexive;
	int64		count = 0;

	for (int64 i = 0; i <= all->excluded_count; i++)
	{
		if (pending && (i == all->excluded_count || all->excluded[i] > all->given))
		{
			if (chosen->row[all->given] >= 0)
				known[count++] = chosen->row[all->given];
			pending = false;
		}
		if (i < all->excluded_count && chosen->row[all->excluded[i]] >= 0)
			known[count++] = chosen->row[all->excluded[i]];
	}
	for (int64 i = 0; i < all->excluded_count; i++)
		known[count++] = kge_chosen_given(chosen, all->excluded[i]);
	return (Question) {all->side, kge_chosen_given(chosen, all->given), all->relation, known, count};
}

QuestionList
missing_questions_among(const MissingQuestions *questions, const QuestionList *asked, const KgeChosen *chosen)
{
	QuestionList among = *asked;
	int32	   *known = questions->chosen_known;

	for (int64 i = 0; i < asked->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		questions->chosen[i] = question_among(asked, &asked->question[i], chosen, known);
		known += questions->chosen[i].excluded_count;
	}
	for (int64 i = 0; i < asked->likely_count; i++)
		questions->likely[i] = kge_chosen_given(chosen, asked->likely[i]);
	among.question = questions->chosen;
	among.entity = chosen->entity;
	return among;
}
