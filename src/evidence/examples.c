/*
 * examples.c
 *		Questions with their true answers, as lists of candidates to learn weights and calibration from.
 *
 * An item of the threads is a block of distinct questions.  The block is scored against all entities, tile by
 * tile, then each question is answered by rules and by the path network; the lists of all its examples are written from
 * these.  All memory is taken before the threads start; between tiles and between questions they yield.
 *
 * A network takes some milliseconds for a question.  So there are fewer examples where it takes more than these: as many
 * as it answers with EV_PATH_WORK, some minutes of a thread.
 */
#include "examples.h"

#include <math.h>
#include <stdlib.h>

#include "core/heap.h"
#include "core/question.h"
#include "core/sort.h"

#define BY_SCORE 64				/* candidates of an example that are chosen by score */
#define BY_EVIDENCE 64
#define BY_PATHS 64
#define DRAWN_BY_EACH 32		/* candidates of each of the three, of a drawn question */
#define MORE_DRAWN 20			/* triples of a relation, beside as many as are held out */

const double ev_discounts[EV_DISCOUNTS] = {0, 0.25, 0.5, 0.75, 1};

typedef struct ChosenEntity
{
	int32_t		entity;
	float		value;
	int64_t		order;			/* of equals the lower is chosen */
} ChosenEntity;

typedef struct ChosenList
{
	ChosenEntity *chosen;
	int64_t		count;
} ChosenList;

/* What a thread works with */
typedef struct ExampleWriter
{
	KgeScorer  *scorer;
	EvAnswering *answering;
	ChosenEntity *by_score;		/* KGE_SCORER_QUESTIONS x BY_SCORE */
	int64_t		by_score_count[KGE_SCORER_QUESTIONS];
	ChosenList	by_evidence;	/* of one question */
	ChosenList	by_network;
} ExampleWriter;

typedef struct ExampleTask
{
	Pool	   *pool;
	const EvExampleSource *source;
	int64_t		count;			/* of held-out triples */
	Triple	   *triples;		/* an even part of the source's; then the drawn ones */
	QuestionSample sample;
	Questions	questions;
	ExampleWriter *writer;		/* of each thread */
	EvExamples *examples;
} ExampleTask;

/* ---- how many ------------------------------------------------------------------------- */

/* A fifth of the questions that may be asked; infinite where nothing bounds them. */
static double
fifth_of_questions(const EvExampleSource *source)
{
	const PathNetwork *network = source->network;
	double		most = source->most > 0 ? (double) source->most : INFINITY;
	double		flops;

	if (network == NULL)
		return most;
	flops = path_walks(network->members, network->reversed) *
		path_flops(network->shape, source->facts->entities, source->degrees);
	return fmin(most, EV_PATH_WORK / flops / 5);
}

/* The most held-out triples: two fifths of the questions are theirs, two fifths are drawn like them. */
static int64_t
most_triples(const EvExampleSource *source)
{
	return (int64_t) fmax(1, fmin(fifth_of_questions(source), EV_MOST_TRIPLES));
}

/* Triples that are drawn of each relation besides: the last fifth. */
static int64_t
more_drawn(const EvExampleSource *source)
{
	return (int64_t) fmax(1, fmin(fifth_of_questions(source) / (2 * source->model->relations), MORE_DRAWN));
}

/* ---- memory --------------------------------------------------------------------------- */

static void
take_order(EvExampleOrder *order, Allocation *allocation, size_t examples, int32_t relations)
{
	order->number = TAKE(allocation, int64_t, examples);
	order->first = TAKE(allocation, int64_t, 2 * (size_t) relations + 1);
}

/* Candidates of an example */
static size_t
most_listed(const EvExampleSource *source, bool drawn)
{
	if (drawn)
		return (source->network == NULL ? 2 : 3) * DRAWN_BY_EACH;
	return 1 + BY_SCORE + BY_EVIDENCE + (source->network == NULL ? 0 : BY_PATHS);
}

static void
take_examples(ExampleTask *task, Allocation *allocation, int threads)
{
	int32_t		relations = task->source->model->relations;
	size_t		answered = 2 * (size_t) task->count;
	size_t		examples = (size_t) ev_examples_all(task->source);
	size_t		of_answered = most_listed(task->source, false);
	size_t		of_drawn = most_listed(task->source, true);
	EvListed   *listed;

	task->triples = TAKE(allocation, Triple, examples / 2);
	task->sample.more = more_drawn(task->source);
	question_sample_take(&task->sample, allocation, task->count, relations);
	questions_take(&task->questions, allocation, (int64_t) examples / 2, task->source->filter_count);
	task->writer = TAKE(allocation, ExampleWriter, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		ChosenEntity *by_score = TAKE(allocation, ChosenEntity, KGE_SCORER_QUESTIONS * BY_SCORE);
		ChosenEntity *by_evidence = TAKE(allocation, ChosenEntity, BY_EVIDENCE);
		ChosenEntity *by_network = TAKE(allocation, ChosenEntity, BY_PATHS);

		if (task->writer != NULL)
			task->writer[i] = (ExampleWriter) {
				.by_score = by_score,.by_evidence = {by_evidence, 0},.by_network = {by_network, 0}
			};
	}
	task->examples->keys = 2 * relations;
	task->examples->has_network = task->source->network != NULL;
	task->examples->example = TAKE(allocation, EvExample, examples);
	take_order(&task->examples->answered, allocation, answered, relations);
	take_order(&task->examples->all, allocation, examples, relations);
	listed = TAKE(allocation, EvListed, answered * of_answered + (examples - answered) * of_drawn);
	for (size_t i = 0; task->examples->example != NULL && i < examples; i++)
	{
		task->examples->example[i] = (EvExample) {.listed = listed,.drawn = i >= answered,.next = -1};
		listed += i < answered ? of_answered : of_drawn;
	}
}

int64_t
ev_examples_answered(const EvExampleSource *source)
{
	int64_t		most = most_triples(source);

	return 2 * (source->count < most ? source->count : most);
}

int64_t
ev_examples_all(const EvExampleSource *source)
{
	int64_t		answered = ev_examples_answered(source);

	return answered + 2 * question_sample_most(answered / 2, source->model->relations, more_drawn(source));
}

size_t
ev_examples_bytes(const EvExampleSource *source, int threads)
{
	EvExamples	examples;
	ExampleTask task = {.source = source,.count = ev_examples_answered(source) / 2,.examples = &examples};
	Allocation	allocation = {0};

	take_examples(&task, &allocation, threads);
	return allocation_bytes(&allocation) + ev_domain_finder_bytes(source->facts);
}

/* The highest value first; sorts what a heap of them keeps. */
static int
compare_chosen(const void *a, const void *b)
{
	const ChosenEntity *left = a;
	const ChosenEntity *right = b;

	if (left->value != right->value)
		return left->value > right->value ? -1 : 1;
	return (left->order > right->order) - (left->order < right->order);
}

/* Whether an example is of a held-out triple; drawn ones come after them. */
static bool
is_answered(const ExampleTask *task, int64_t example)
{
	return example < 2 * task->count;
}

/* Whether an entity is of the type that is asked for */
static bool
is_allowed(const ExampleTask *task, const Question *question, int32_t entity)
{
	return answer_is_allowed(task->source->model->answers, question->relation, question->side, entity);
}

/* A search for candidates by score of a block of questions */
typedef struct ScoreSearch
{
	const ExampleTask *task;
	ExampleWriter *writer;
	const Question *question;
	float		least[KGE_SCORER_QUESTIONS];	/* score of the worst candidate where there are enough */
} ScoreSearch;

/* KgeScorer's callback */
static void
offer_entity(void *argument, int q, int32_t entity, float score)
{
	ScoreSearch *search = argument;
	ExampleWriter *writer = search->writer;
	ChosenEntity *chosen = writer->by_score + q * BY_SCORE;
	ChosenEntity candidate = {entity, score, entity};

	if ((writer->by_score_count[q] < BY_SCORE && !isfinite(score)) ||
		question_excludes(&search->question[q], entity) || !is_allowed(search->task, &search->question[q], entity))
		return;
	writer->by_score_count[q] = heap_offer(chosen, writer->by_score_count[q], BY_SCORE, &candidate,
										   sizeof(ChosenEntity), compare_chosen);
	if (writer->by_score_count[q] == BY_SCORE)
		search->least[q] = chosen[0].value;
}

/* The candidates by score of a block of questions. */
static void
choose_by_score(ExampleTask *task, const Question *question, int count, int thread)
{
	ExampleWriter *writer = &task->writer[thread];
	ScoreSearch search = {.task = task,.writer = writer,.question = question};

	kge_scorer_prepare(writer->scorer, question, count);
	for (int q = 0; q < count; q++)
	{
		writer->by_score_count[q] = 0;
		search.least[q] = -INFINITY;
	}
	for (int32_t next = 0; next < task->source->model->entities;)
	{
		next = kge_scorer_search(writer->scorer, next, search.least, offer_entity, &search);
		pool_yield(task->pool, thread);
	}
	for (int q = 0; q < count; q++)
		sort_array(task->pool, thread, writer->by_score + q * BY_SCORE, writer->by_score_count[q],
				   sizeof(ChosenEntity), compare_chosen);
}

static bool
is_chosen(ChosenList list, int32_t entity)
{
	for (int64_t i = 0; i < list.count; i++)
		if (list.chosen[i].entity == entity)
			return true;
	return false;
}

static ChosenList
chosen_by_score(const ExampleWriter *writer, int q)
{
	return (ChosenList) {writer->by_score + q * BY_SCORE, writer->by_score_count[q]};
}

static void
offer_chosen(ChosenList *list, int64_t most, ChosenEntity candidate)
{
	list->count = heap_offer(list->chosen, list->count, most, &candidate, sizeof(ChosenEntity), compare_chosen);
}

static void
sort_chosen(const ExampleTask *task, int thread, ChosenList list)
{
	sort_array(task->pool, thread, list.chosen, list.count, sizeof(ChosenEntity), compare_chosen);
}

/* The candidates by evidence of rules of a question, without those by score. */
static void
choose_by_evidence(ExampleTask *task, const Question *question, int q, int thread, EvCandidates all)
{
	ExampleWriter *writer = &task->writer[thread];
	ChosenList	by_score = chosen_by_score(writer, q);

	writer->by_evidence.count = 0;
	for (int64_t i = 0; i < all.count; i++)
	{
		ChosenEntity candidate = {all.candidate[i].entity, (float) ev_evidence(&all.candidate[i], 0.5), i};

		pool_yield_at(task->pool, thread, i);
		if (all.candidate[i].count > 0 && !question_excludes(question, candidate.entity) &&
			!is_chosen(by_score, candidate.entity))
			offer_chosen(&writer->by_evidence, BY_EVIDENCE, candidate);
	}
	sort_chosen(task, thread, writer->by_evidence);
}

/* Those by paths, without either. */
static void
choose_by_network(ExampleTask *task, const Question *question, int q, int thread, EvCandidates all)
{
	ExampleWriter *writer = &task->writer[thread];
	ChosenList	by_score = chosen_by_score(writer, q);

	writer->by_network.count = 0;
	for (int64_t i = 0; i < all.count; i++)
	{
		ChosenEntity candidate = {all.candidate[i].entity, (float) all.candidate[i].network, i};

		pool_yield_at(task->pool, thread, i);
		if (candidate.value > 0 && !question_excludes(question, candidate.entity) &&
			!is_chosen(by_score, candidate.entity) && !is_chosen(writer->by_evidence, candidate.entity))
			offer_chosen(&writer->by_network, BY_PATHS, candidate);
	}
	sort_chosen(task, thread, writer->by_network);
}

/* Adds an entity to a list, if it has an embedding. */
static void
list_entity(const ExampleTask *task, const Question *question, int q, int thread, EvExample *example, int32_t entity)
{
	const ExampleWriter *writer = &task->writer[thread];
	const EvExampleSource *source = task->source;
	Triple		triple = triple_of_answer(question->side, question->given, question->relation, entity);
	const EvCandidate *candidate = ev_candidate(writer->answering, entity);
	EvListed   *listed = &example->listed[example->count];

	listed->phi = kge_scorer_score(writer->scorer, q, entity);
	listed->network = candidate == NULL ? 0 : (float) candidate->network;
	for (int i = 0; i < EV_DISCOUNTS; i++)
		listed->evidence[i] = candidate == NULL ? 0 : (float) ev_evidence(candidate, ev_discounts[i]);
	listed->is_false = source->rejected_count > 0 &&
		bsearch(&triple, source->rejected, (size_t) source->rejected_count, sizeof(Triple), triple_compare) != NULL;
	example->count += isfinite(listed->phi) != 0;
}

/* Adds the best of those that are chosen: all, or of a drawn question some. */
static void
list_chosen(const ExampleTask *task, const Question *question, int q, int thread, EvExample *example, ChosenList list)
{
	int64_t		most = example->drawn && list.count > DRAWN_BY_EACH ? DRAWN_BY_EACH : list.count;

	for (int64_t i = 0; i < most; i++)
		list_entity(task, question, q, thread, example, list.chosen[i].entity);
}

/* Whether a held-out triple answers a question. */
static bool
has_answer(const ExampleTask *task, const Question *question)
{
	for (int64_t i = first_example(&task->questions, question); i >= 0; i = task->questions.next_example[i])
		if (is_answered(task, i))
			return true;
	return false;
}

/* Writes the list of an example. */
static void
list_example(const ExampleTask *task, const Question *question, int q, int thread, EvExample *example)
{
	const ExampleWriter *writer = &task->writer[thread];

	/* nothing is learnt from a true answer without an embedding, or of another type */
	if (!example->drawn && example->count == 0)
		return;
	list_chosen(task, question, q, thread, example, chosen_by_score(writer, q));
	list_chosen(task, question, q, thread, example, writer->by_evidence);
	list_chosen(task, question, q, thread, example, writer->by_network);
}

/*
 * Writes the lists of all examples of a question, and links those that have candidates.  A drawn question is listed
 * once, if no held-out triple answers it.
 */
static void
list_question(ExampleTask *task, const Question *question, int q, int thread)
{
	bool		answered = has_answer(task, question);
	FactGroup	group = fact_group(task->source->facts, question->given, asked_atom(question->relation, question->side));
	int64_t		known = group.end - group.first;
	EvCandidates all;
	EvExample  *last = NULL;

	all.count = ev_answer(task->writer[thread].answering, EV_BOTH, *question, task->pool, thread, &all.candidate);
	choose_by_evidence(task, question, q, thread, all);
	choose_by_network(task, question, q, thread, all);
	for (int64_t i = first_example(&task->questions, question); i >= 0; i = task->questions.next_example[i])
	{
		EvExample  *example = &task->examples->example[i];

		pool_yield(task->pool, thread);
		if (example->drawn && (answered || last != NULL))
			continue;
		example->key = 2 * question->relation + (int32_t) question->side;
		example->known = known;
		if (is_answered(task, i) && is_allowed(task, question, example_answer(task->triples, i)))
			list_entity(task, question, q, thread, example, example_answer(task->triples, i));
		list_example(task, question, q, thread, example);
		if (example->count == 0)
			continue;
		example->is_first = last == NULL;
		if (last != NULL)
			last->next = i;
		last = example;
	}
}

/* Item: a block of questions. */
static void
list_block(void *argument, int64_t item, int thread)
{
	ExampleTask *task = argument;
	const Question *question = &task->questions.question[item * KGE_SCORER_QUESTIONS];
	int64_t		left = task->questions.count - item * KGE_SCORER_QUESTIONS;
	int			count = left < KGE_SCORER_QUESTIONS ? (int) left : KGE_SCORER_QUESTIONS;

	choose_by_score(task, question, count, thread);
	for (int q = 0; q < count; q++)
	{
		list_question(task, &question[q], q, thread);
		pool_yield(task->pool, thread);
	}
}

/* By key, and by number within it */
static void
order_examples(const EvExamples *examples, int64_t count, EvExampleOrder *order)
{
	int64_t    *first = order->first;

	for (int64_t i = 0; i <= examples->keys; i++)
		first[i] = 0;
	for (int64_t i = 0; i < count; i++)
		if (examples->example[i].count > 0)
			first[examples->example[i].key]++;
	for (int64_t i = 0; i < examples->keys; i++)
		first[i + 1] += first[i];
	for (int64_t i = count - 1; i >= 0; i--)
		if (examples->example[i].count > 0)
			order->number[--first[examples->example[i].key]] = i;
}

/* ---- what a question stands for --------------------------------------------------- */

/*
 * Questions of a key, with known answers and without: each question with a held-out answer is listed; those that were
 * drawn stand for all others.
 */
static void
weigh_questions(const ExampleTask *task, int64_t key, bool known)
{
	const EvExamples *examples = task->examples;
	const EvExampleOrder *all = &examples->all;
	double		left = (double) (known ? task->sample.holders[key] : task->sample.alike[key]);
	double		drawn = 0;

	for (int64_t i = all->first[key]; i < all->first[key + 1]; i++)
	{
		EvExample  *example = &examples->example[all->number[i]];

		if ((example->known > 0) != known)
			continue;
		if (example->drawn)
			drawn++;
		else if (example->is_first)
		{
			example->questions = task->sample.asked[all->number[i]];
			left -= example->questions;
		}
	}
	for (int64_t i = all->first[key]; i < all->first[key + 1]; i++)
	{
		EvExample  *example = &examples->example[all->number[i]];

		if (example->drawn && (example->known > 0) == known)
			example->questions = fmax(left, drawn) / drawn;
	}
}

/* Draws questions, and poses them with those of the held-out triples. */
static void
pose_questions(ExampleTask *task, EvDomainFinder *finder)
{
	const EvExampleSource *source = task->source;
	QuestionSample *sample = &task->sample;

	for (int64_t i = 0; i < task->count; i++)
		task->triples[i] = source->triples[i * source->count / task->count];
	question_sample_draw(sample, finder, task->pool, task->triples, task->count, source->model->relations);
	for (int64_t i = 0; i < sample->count; i++)
		task->triples[task->count + i] = sample->triple[i];
	task->questions.triples = task->count + sample->count;
	questions_fill(&task->questions, task->pool, task->triples, source->filter, source->filter_count);
}

bool
ev_examples(Arena *arena, Pool *pool, const EvExampleSource *source, const EvLearners *learners, EvExamples *examples)
{
	ExampleTask task = {.pool = pool,.source = source,.count = ev_examples_answered(source) / 2,.examples = examples};
	int			threads = pool_threads(pool);
	EvDomainFinder *finder;
	Allocation	allocation = {0};

	take_examples(&task, &allocation, threads);
	if (!allocation_open(&allocation, arena))
		return false;
	take_examples(&task, &allocation, threads);
	finder = ev_domain_finder(arena, source->facts, EV_ALIKE);
	if (finder == NULL)
		return false;
	for (int i = 0; i < threads; i++)
	{
		task.writer[i].scorer = learners->scorer[i];
		task.writer[i].answering = learners->answering[i];
	}
	pose_questions(&task, finder);
	pool_run(pool, pool_pieces(task.questions.count, KGE_SCORER_QUESTIONS), list_block, &task);
	order_examples(examples, 2 * task.count, &examples->answered);
	order_examples(examples, 2 * task.questions.triples, &examples->all);
	for (int64_t key = 0; key < examples->keys; key++)
	{
		weigh_questions(&task, key, true);
		weigh_questions(&task, key, false);
	}
	return true;
}
