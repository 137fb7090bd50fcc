/*
 * test_top_triples.c
 *		The most probable missing triples against a brute force over all of them.
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"

#define ENTITIES 600
#define RELATIONS 3
#define KNOWN 60

static int
compare_scored(const void *a, const void *b)
{
	const KgeScored *left = a;
	const KgeScored *right = b;

	if (left->probability != right->probability)
		return left->probability > right->probability ? -1 : 1;
	return triple_compare(&left->triple, &right->triple);
}

/* ---- a made-up second adjustment, of about a third of the answers ------------------------ */

static double
addition_to(Triple triple)
{
	int			mixed = (triple.head * 31 + triple.relation * 17 + triple.tail * 7) % 12;

	return mixed < 4 ? mixed * 0.5 : 0;
}

static int	listed;				/* how many times a list was asked for, by any thread */

static int64_t
list_additions(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	KgeAddition *list = take(sizeof(KgeAddition) * ENTITIES);
	int64_t		count = 0;

	__atomic_fetch_add(&listed, 1, __ATOMIC_RELAXED);
	for (int i = ENTITIES - 1; i >= 0; i--)
	{
		double		addition = addition_to((Triple) {question->given, question->relation, i});

		if (addition > 0)
			list[count++] = (KgeAddition) {i, addition};
	}
	*additions = list;
	return count;
}

/* by 2 * relation + side; a weight of 0 raises nobody, and must list nobody twice */
static const double weights[2 * RELATIONS] = {9, 1.5, 9, 0, 9, 0.25};
static const double scales[2 * RELATIONS] = {9, 0.5, 9, 1, 9, 3};

/* Half of the highest additions, and nothing for the others */
static int64_t
list_quickly(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	KgeAddition *list = take(sizeof(KgeAddition) * ENTITIES);
	int64_t		count = 0;

	for (int i = 0; i < ENTITIES; i++)
		if (addition_to((Triple) {question->given, question->relation, i}) == 1.5)
			list[count++] = (KgeAddition) {i, 0.75};
	*additions = list;
	return count;
}

/* An addition of 1 is all lacking, one of 1.5 is there by half. */
static double
lacking(void *argument, Side side, int32_t relation)
{
	return scales[2 * relation + (int) side] * weights[2 * relation + (int) side];
}

static const KgeAdjustment quick = {.list = list_quickly,.weight = weights,.scale = scales};

#define ADJUSTMENTS 3

static const KgeAdjustment adjustments[ADJUSTMENTS] = {
	{.list = list_additions},
	{.list = list_additions,.weight = weights,.scale = scales},
	{.list = list_additions,.weight = weights,.scale = scales,.quick = &quick,.more = lacking}
};

static double
score_with(const KgeModel *model, const KgeAdjustment *adjustment, Triple triple)
{
	double		phi = kge_score(model, triple);
	int			key = 2 * triple.relation + SIDE_TAIL;

	if (adjustment == NULL)
		return phi;
	if (adjustment->weight == NULL)
		return phi + addition_to(triple);
	return scales[key] * (phi + weights[key] * addition_to(triple));
}

/* Every triple that may be listed, best first. */
static int64_t
all_missing(const KgeModel *model, const KgeAdjustment *adjustment, const Triple *known, int count, KgeScored *out)
{
	int64_t		missing = 0;

	for (int i = 0; i < count; i++)
	{
		Triple		triple = known[i];
		bool		reflexive = false;

		if (i > 0 && triple.head == known[i - 1].head && triple.relation == known[i - 1].relation)
			continue;
		for (int j = 0; j < count; j++)
			reflexive |= known[j].relation == triple.relation && known[j].head == known[j].tail;
		for (triple.tail = 0; triple.tail < ENTITIES; triple.tail++)
		{
			double		score = score_with(model, adjustment, triple);

			if (!isnan(score) && (reflexive || triple.head != triple.tail) &&
				bsearch(&triple, known, (size_t) count, sizeof(Triple), triple_compare) == NULL)
				out[missing++] = (KgeScored) {triple, SIDE_TAIL, score, kge_score(model, triple), addition_to(triple), score};
		}
	}
	qsort(out, (size_t) missing, sizeof(KgeScored), compare_scored);
	return missing;
}

/* Relation 0 has a fact about one entity alone, the others have none. */
static int
draw_known(Triple *known)
{
	for (int i = 0; i < KNOWN; i++)
	{
		int			head = next_below(ENTITIES / 4);

		known[i] = (Triple) {head, i % RELATIONS, (head + 1 + next_below(ENTITIES - 1)) % ENTITIES};
	}
	known[0] = (Triple) {7, 0, 7};
	qsort(known, KNOWN, sizeof(Triple), triple_compare);
	return KNOWN;
}

/* ---- questions ------------------------------------------------------------------------ */

static int	screened;			/* questions, by any thread */

/* Any number that rises with the score serves.  Answers on the head's side are a little more probable. */
static void
judge(void *argument, const QuestionList *asked, const Question *question, KgeScored *answers, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
	{
		check(i == 0 || answers[i - 1].score >= answers[i].score, __FILE__, __LINE__, "answer %d is out of order", (int) i);
		answers[i].probability = answers[i].score + (asked->side == SIDE_HEAD ? 0.25 : 0);
	}
}

/* The same, the other way round */
static double
needed(void *argument, const QuestionList *asked, const Question *question, double probability, double last)
{
	__atomic_fetch_add(&screened, 1, __ATOMIC_RELAXED);
	return probability - (asked->side == SIDE_HEAD ? 0.25 : 0);
}

/* By scores that lack something */
static double
promise(void *argument, const QuestionList *asked, const Question *question, const KgeScored *answers, int64_t count)
{
	return answers[0].score;
}

static const KgeJudge judging = {.judge = judge,.needed = needed,.least = 10,.promise = promise};

static int32_t
given_of(Triple triple, Side side)
{
	return side == SIDE_TAIL ? triple.head : triple.tail;
}

/* Questions of a relation for a side that known triples answer; the triples ascend by (relation, head, tail). */
static QuestionList
questions_of(const Triple *known, int count, int32_t relation, Side side)
{
	Question   *question = take(sizeof(Question) * ENTITIES);
	int32_t    *answer = take(sizeof(int32_t) * (size_t) (count + 1));
	QuestionList asked = {.side = side,.relation = relation,.question = question};
	int64_t		answers = 0;

	for (int32_t given = 0; given < ENTITIES; given++)
	{
		int64_t		first = answers;

		for (int i = 0; i < count; i++)
			if (known[i].relation == relation && given_of(known[i], side) == given)
			{
				int32_t		other = side == SIDE_TAIL ? known[i].tail : known[i].head;

				asked.reflexive |= known[i].head == known[i].tail;
				if (answers == first || answer[answers - 1] != other)
					answer[answers++] = other;
			}
		if (answers > first)
			question[asked.count++] = (Question) {side, given, relation, answer + first, answers - first};
	}
	return asked;
}

/* Asks for tails, and where `heads`, for heads; -1 when the arena is empty. */
static int64_t
complete(Arena *arena, Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment, const Triple *known, int count,
		 bool heads, int64_t k, const KgeScored **best)
{
	KgeCompletion *completion = kge_completion(arena, pool, model, kge_sketch(arena, pool, model), adjustment, judging,
											   (KgeWanted) {.k = k,.questions = 2 * count,.probability = -1000,.exact = true});

	if (completion == NULL)
		return -1;
	for (int32_t r = 0; r < model->relations; r++)
		for (int side = heads ? SIDE_HEAD : SIDE_TAIL; side <= SIDE_TAIL; side++)
		{
			QuestionList asked = questions_of(known, count, r, (Side) side);

			kge_completion_ask(completion, &asked);
		}
	return kge_completion_end(completion, best);
}

/* ---- some candidates, one answer a head ------------------------------------------------- */

/* The same questions in rows of candidates: what they exclude among these, the given one with it where it is none */
static QuestionList
questions_among(const QuestionList *asked, const KgeChosen *chosen)
{
	QuestionList among = *asked;
	Question   *question = take(sizeof(Question) * ENTITIES);
	int32_t    *excluded = take(sizeof(int32_t) * (ENTITIES + KNOWN));
	int64_t		end = 0;

	for (int64_t i = 0; i < asked->count; i++)
	{
		const Question *all = &asked->question[i];

		question[i] = (Question) {all->side, kge_chosen_given(chosen, all->given), all->relation, excluded + end, 0};
		for (int32_t entity = 0; entity < ENTITIES; entity++)
		{
			bool		is_excluded = !asked->reflexive && entity == all->given;

			for (int64_t j = 0; j < all->excluded_count; j++)
				is_excluded |= all->excluded[j] == entity;
			if (is_excluded && chosen->row[entity] >= 0)
				excluded[end + question[i].excluded_count++] = chosen->row[entity];
		}
		end += question[i].excluded_count;
	}
	among.question = question;
	among.entity = chosen->entity;
	return among;
}

/* The list for some tails is that for all, filtered: scores are the same to the bit. */
static void
test_chosen(Variant variant, const KgeAdjustment *adjustment)
{
	KgeModel	model = random_model(variant, 6, ENTITIES, RELATIONS, 1.0);
	Triple		known[KNOWN];
	int			count = draw_known(known);
	KgeScored  *expected = take(sizeof(KgeScored) * KNOWN * ENTITIES);
	int64_t		missing = all_missing(&model, adjustment, known, count, expected);
	int32_t		some[ENTITIES];
	int32_t		candidates = 0;
	KgeChosen  *chosen;
	KgeCompletion *completion;
	const KgeScored *best;
	int64_t		found;
	int64_t		next = 0;
	int			wrong = 0;

	for (int32_t i = 0; i < ENTITIES; i++)
		if (i % 3 == 1)
			some[candidates++] = i;
	chosen = kge_chosen(&arena, pool, &model, adjustment, some, candidates);
	completion = kge_completion(&arena, pool, &chosen->model, kge_sketch(&arena, pool, &chosen->model), chosen->adjustment,
								judging, (KgeWanted) {.k = 500,.questions = count,.probability = -1000,.exact = true});
	for (int32_t r = 0; r < model.relations; r++)
	{
		QuestionList all = questions_of(known, count, r, SIDE_TAIL);
		QuestionList asked = questions_among(&all, chosen);

		kge_completion_ask(completion, &asked);
	}
	found = kge_completion_end(completion, &best);
	for (int64_t i = 0; i < missing && next < found; i++)
		if (expected[i].triple.tail % 3 == 1)
		{
			wrong += best[next].score != expected[i].score || triple_compare(&best[next].triple, &expected[i].triple) != 0;
			next++;
		}
	CHECK_SAYING(found == 500 && next == 500 && wrong == 0, "%s: %d found, %d wrong", model.function->name, (int) found, wrong);
}

/* One answer a head: the first row of each head of the whole list, whichever question found it */
static void
test_one_each(Variant variant)
{
	KgeModel	model = random_model(variant, 6, ENTITIES, RELATIONS, 1.0);
	Triple		known[KNOWN];
	int			count = draw_known(known);
	const KgeScored *all;
	int64_t		missing = complete(&arena, pool, &model, NULL, known, count, true, 100000000, &all);

	for (int64_t k = 1; k <= 1000; k *= 10)
	{
		KgeCompletion *completion = kge_completion(&arena, pool, &model, NULL, NULL, judging,
												   (KgeWanted) {.k = k,.questions = 2 * count,.probability = -1000,.heads = ENTITIES});
		bool		listed[ENTITIES] = {false};
		const KgeScored *best;
		int64_t		found;
		int64_t		next = 0;
		int			wrong = 0;

		for (int32_t r = 0; r < model.relations; r++)
			for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
			{
				QuestionList asked = questions_of(known, count, r, (Side) side);

				kge_completion_ask(completion, &asked);
			}
		found = kge_completion_end(completion, &best);
		for (int64_t i = 0; i < missing && next < found; i++)
			if (!listed[all[i].triple.head])
			{
				listed[all[i].triple.head] = true;
				wrong += best[next].probability != all[i].probability || triple_compare(&best[next].triple, &all[i].triple) != 0;
				next++;
			}
		CHECK_SAYING(found == next && found == (k < ENTITIES ? k : ENTITIES) && wrong == 0, "%s, k %d: %d found, %d wrong", model.function->name,
					 (int) k, (int) found, wrong);
	}
}

static bool
has_question(const Triple *known, int count, Triple triple, Side side)
{
	for (int i = 0; i < count; i++)
		if (known[i].relation == triple.relation && given_of(known[i], side) == given_of(triple, side))
			return true;
	return false;
}

/* Each missing triple that answers a question is listed once, as the more probable of its two answers. */
static void
test_both_sides(Variant variant)
{
	KgeModel	model = random_model(variant, 6, ENTITIES, RELATIONS, 1.0);
	Triple		known[KNOWN];
	int			count = draw_known(known);
	const KgeScored *best;
	int64_t		found = complete(&arena, pool, &model, NULL, known, count, true, 2000, &best);
	int			wrong = 0;

	for (int64_t i = 0; i < found; i++)
	{
		double		probability = -INFINITY;

		for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
			if (has_question(known, count, best[i].triple, (Side) side))
				probability = fmax(probability, kge_score(&model, kge_asked(&model, best[i].triple, (Side) side)) +
								   (side == SIDE_HEAD ? 0.25 : 0));
		wrong += best[i].probability != probability || (i > 0 && compare_scored(&best[i - 1], &best[i]) > 0 &&
														best[i - 1].probability < best[i].probability);
		for (int64_t j = 0; j < i; j++)
			wrong += triple_compare(&best[i].triple, &best[j].triple) == 0;
	}
	CHECK_SAYING(found == 2000 && wrong == 0, "%s: %d found, %d wrong", model.function->name, (int) found, wrong);
}

/* What a triple counts less than by its question alone: between 0 and 2 */
static double
lowered_by(const Triple *triple)
{
	return (double) ((uint32_t) (triple->head * 31 + triple->relation * 7 + triple->tail) * 2654435761u >> 28) / 8;
}

static int	settled;			/* triples */

static void
settle(void *argument, KgeScored *answers, int64_t count)
{
	CHECK(count > 0 && count <= KGE_SETTLED);
	settled += (int) count;
	for (int64_t i = 0; i < count; i++)
		answers[i].probability -= lowered_by(&answers[i].triple);
}

static int
compare_settled(const void *a, const void *b)
{
	double		left = ((const KgeScored *) a)->probability;
	double		right = ((const KgeScored *) b)->probability;

	return left != right ? (left < right) - (left > right) : compare_scored(a, b);
}

/* Of each head the first one, of triples in any order */
static int64_t
one_of_each(KgeScored *scored, int64_t count)
{
	bool		has[ENTITIES] = {false};
	int64_t		kept = 0;

	for (int64_t i = 0; i < count; i++)
	{
		if (!has[scored[i].triple.head])
			scored[kept++] = scored[i];
		has[scored[i].triple.head] = true;
	}
	return kept;
}

/* Triples are listed by what they count, and few are settled where few are wanted. */
static void
test_settled(Variant variant, bool one_each)
{
	KgeModel	model = random_model(variant, 6, ENTITIES, RELATIONS, 1.0);
	KgeJudge	lowering = judging;
	Triple		known[KNOWN];
	int			count = draw_known(known);
	KgeScored  *expected = take(sizeof(KgeScored) * KNOWN * ENTITIES);
	int64_t		missing = all_missing(&model, NULL, known, count, expected);
	int64_t		listed;

	lowering.settle = settle;
	for (int64_t i = 0; i < missing; i++)
		expected[i].probability -= lowered_by(&expected[i].triple);
	qsort(expected, (size_t) missing, sizeof(KgeScored), compare_settled);
	listed = one_each ? one_of_each(expected, missing) : missing;
	for (int64_t k = 1; k <= 2000; k = k == 1 ? 50 : k * 40)
	{
		KgeCompletion *completion = kge_completion(&arena, pool, &model, NULL, NULL, lowering,
												   (KgeWanted) {.k = k,.questions = count,.probability = -1000,
													   .heads = one_each ? ENTITIES : 0});
		const KgeScored *best;
		int64_t		found;
		int			wrong = 0;

		settled = 0;
		for (int32_t r = 0; r < model.relations; r++)
		{
			QuestionList asked = questions_of(known, count, r, SIDE_TAIL);

			kge_completion_ask(completion, &asked);
		}
		found = kge_completion_end(completion, &best);
		for (int64_t i = 0; i < found; i++)
			wrong += best[i].probability != expected[i].probability || triple_compare(&best[i].triple, &expected[i].triple) != 0;
		CHECK_SAYING(found == (k < listed ? k : listed) && wrong == 0 && settled >= found && (k > 1 || settled < missing / 4),
					 "%s, k %d of %d: %d found, %d wrong, %d of %d settled", model.function->name, (int) k, (int) listed, (int) found, wrong,
					 settled, (int) missing);
	}
}

static void
test_variant(Variant variant, const KgeAdjustment *adjustment)
{
	static const int64_t sizes[] = {1, 50, 3000, 100000000};
	KgeModel	model = random_model(variant, 6, ENTITIES, RELATIONS, 1.0);
	Triple		known[KNOWN];
	int			count = draw_known(known);
	KgeScored  *expected = take(sizeof(KgeScored) * KNOWN * ENTITIES);
	int64_t		missing;

	model.entity[5 * kge_entity_width(model.function, 6)] = NAN;
	missing = all_missing(&model, adjustment, known, count, expected);
	for (int i = 0; i < 4; i++)
		for (int threads = 1; threads <= 3; threads += 2)
		{
			Pool	   *pool = pool_create(threads, NULL, NULL);
			int64_t		k = sizes[i] < missing ? sizes[i] : missing;
			const KgeScored *best;
			int64_t		found = complete(&arena, pool, &model, adjustment, known, count, false, sizes[i], &best);
			int64_t		wrong = 0;

			for (int64_t j = 0; j < found && j < k; j++)
				wrong += best[j].score != expected[j].score || best[j].phi != expected[j].phi ||
					best[j].addition != (adjustment == NULL ? 0 : expected[j].addition) ||
					triple_compare(&best[j].triple, &expected[j].triple) != 0;
			CHECK_SAYING(found == k && wrong == 0, "%s adjustment, %s norm %d, k %d, %d threads: %d wrong, %d of %d",
						 adjustment == NULL ? "no" : adjustment->weight == NULL ? "plain" : "weighed", model.function->name, model.norm, (int) k, threads, (int) wrong,
						 (int) found, (int) k);
			pool_destroy(pool);
		}
}

/* ---- an adjustment that takes long --------------------------------------------------- */

#define MANY_KNOWN 500

/* Questions about as many heads as there are facts; returns the triples, and how many lists were asked for. */
static int64_t
complete_many(const KgeModel *model, const KgeAdjustment *adjustment, const Triple *known, bool exact, const KgeScored **best,
			  int *lists)
{
	QuestionList asked = questions_of(known, MANY_KNOWN, 1, SIDE_TAIL);
	KgeCompletion *completion = kge_completion(&arena, pool, model, NULL, adjustment, judging,
											   (KgeWanted) {.k = 20,.questions = asked.count,.probability = -1000,.exact = exact});

	listed = 0;
	kge_completion_ask(completion, &asked);
	*lists = listed;
	/* some are asked again for more answers */
	CHECK(kge_completion_asked(completion) > 0 && kge_completion_asked(completion) <= listed);
	return kge_completion_end(completion, best);
}

/*
 * Few questions are asked: where an exact outcome is wanted, it is that of the same adjustment without a quick one; else
 * where the quick one lacks nothing, so that its order is right.
 */
static void
test_quick(Variant variant)
{
	KgeModel	model = random_model(variant, 6, ENTITIES, RELATIONS, 1.0);
	KgeAdjustment same = adjustments[2];
	Triple		known[MANY_KNOWN];
	const KgeScored *expected;
	const KgeScored *best;
	int			lists[3];

	same.quick = &adjustments[1];
	for (int i = 0; i < MANY_KNOWN; i++)
		known[i] = (Triple) {i, 1, i + 1};
	complete_many(&model, &adjustments[1], known, true, &expected, &lists[0]);
	for (int exact = 0; exact < 2; exact++)
	{
		int64_t		found = complete_many(&model, exact ? &adjustments[2] : &same, known, exact, &best, &lists[1 + exact]);
		int			wrong = 0;

		for (int64_t i = 0; i < found; i++)
			wrong += best[i].score != expected[i].score || triple_compare(&best[i].triple, &expected[i].triple) != 0;
		CHECK_SAYING(found == 20 && wrong == 0, "%s: %d found, %d wrong", model.function->name, (int) found, wrong);
	}
	/* each list of `same` is asked for once as the quick one */
	CHECK_SAYING(lists[1] - MANY_KNOWN <= MANY_KNOWN / 2 && lists[2] < MANY_KNOWN, "%s: of %d questions, %d and %d were asked",
				 model.function->name, MANY_KNOWN, lists[1] - MANY_KNOWN, lists[2]);
}

/* ---- a list that is full of what is improbable ------------------------------------------ */

/* The probability is the score by a number, the argument. */
static void
judge_by(void *argument, const QuestionList *asked, const Question *question, KgeScored *answers, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		answers[i].probability = answers[i].score * *(double *) argument;
}

static double
needed_by(void *argument, const QuestionList *asked, const Question *question, double probability, double last)
{
	return probability / *(double *) argument;
}

static int64_t
complete_by(double by, const KgeModel *model, const Triple *known, bool exact, const KgeScored **best, int64_t *asked)
{
	KgeJudge	judge_so = {.judge = judge_by,.needed = needed_by,.argument = &by,.least = 10};
	QuestionList list = questions_of(known, MANY_KNOWN, 1, SIDE_TAIL);
	KgeCompletion *completion = kge_completion(&arena, pool, model, NULL, NULL, judge_so,
											   (KgeWanted) {.k = 20,.questions = list.count,.probability = -1000,.exact = exact});

	kge_completion_ask(completion, &list);
	*asked = kge_completion_asked(completion);
	return kge_completion_end(completion, best);
}

/*
 * Of 500 questions the first 256 are asked, then those alone that may have an answer of 0.01 or more: answers that are
 * as probable are all found.  An exact list has the best ones.
 */
static void
test_improbable(void)
{
	KgeModel	model = random_model(variants[0], 6, ENTITIES, RELATIONS, 1.0);
	Triple		known[MANY_KNOWN];
	const KgeScored *expected;
	const KgeScored *best;
	int64_t		asked;

	for (int i = 0; i < MANY_KNOWN; i++)
		known[i] = (Triple) {i, 1, i + 1};
	CHECK(complete_by(1, &model, known, false, &expected, &asked) == 20 && expected[19].score > 0);
	for (int probable = 0; probable <= 20; probable += 5)
	{
		/* so many of them are */
		double		by = 0.01 / expected[probable == 0 ? 0 : probable - 1].score * (probable == 0 ? 0.999 : 1.000001);
		int			wrong = 0;

		CHECK(complete_by(by, &model, known, true, &best, &asked) == 20);
		for (int i = 0; i < 20; i++)
			wrong += triple_compare(&best[i].triple, &expected[i].triple) != 0;
		CHECK(complete_by(by, &model, known, false, &best, &asked) == 20);
		for (int i = 0; i < probable; i++)
			wrong += triple_compare(&best[i].triple, &expected[i].triple) != 0;
		CHECK_SAYING(wrong == 0, "of %d that are probable, %d are wrong", probable, wrong);
		CHECK_SAYING(asked >= 256 && asked <= 256 + probable, "%d questions were asked for %d", (int) asked, probable);
	}
}

/* check_pauses' `work`: a quarter of a million of the best triples. */
static void
complete_quarter(Pool *pool, void *argument)
{
	enum
	{
		QUESTIONS = 100
	};
	Triple		known[QUESTIONS];
	const KgeScored *best;

	for (int i = 0; i < QUESTIONS; i++)
		known[i] = (Triple) {i, 0, i + 1};
	CHECK(complete(&arena, pool, argument, NULL, known, QUESTIONS, false, 250000, &best) == 250000);
}

/*
 * With hundreds of thousands, too, the leader pauses in its last steps; at once they would take several times the
 * limit.
 */
static void
test_pauses(void)
{
	KgeModel	model = random_model(variants[0], 4, 3000, 1, 1.0);

	check_pauses(1, 0.04, complete_quarter, &model, "completing");
}

void
test_top_triples(void)
{
	Pool	   *pool = pool_create(1, NULL, NULL);
	KgeModel	model = random_model(variants[0], 4, ENTITIES, 2, 1.0);
	Triple		known = {0, 0, 1};
	const KgeScored *best;

	for (int i = 0; i < variant_count; i++)
	{
		test_variant(variants[i], NULL);
		test_both_sides(variants[i]);
		test_one_each(variants[i]);
		test_settled(variants[i], false);
		test_settled(variants[i], true);
		test_quick(variants[i]);
		test_chosen(variants[i], NULL);
		for (int j = 0; j < ADJUSTMENTS; j++)
		{
			test_variant(variants[i], &adjustments[j]);
			test_chosen(variants[i], &adjustments[j]);
		}
	}
	CHECK(screened > 0);
	test_improbable();
	test_pauses();
	CHECK(complete(&arena, pool, &model, NULL, &known, 0, false, 10, &best) == 0);
	CHECK(complete(&empty_arena, pool, &model, NULL, &known, 1, false, 10, &best) == -1);
	pool_destroy(pool);
}
