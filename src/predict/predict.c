/*
 * predict.c
 *		hkg_predict_tails, hkg_predict_heads: of one question, and of an array of questions about one relation.
 *
 * One question is an array of one.  All questions of a call share the look-up of names, the reading of known facts, the
 * threads and, above all, the passes over the entities (kge_top_many); of a single one, the threads share the search
 * (kge_top).  Either finds the same answers.  An entity that is given several times is asked about once.
 *
 * 1. Names become rows of the model.
 * 2. Questions come in parts that have about ANSWERS_AT_ONCE answers together, which bounds memory.  Of each part,
 *	  known answers are read: they are excluded, unless they are wanted.
 * 3. A search finds the best rows; what evidence lists is added to scores.  Where only some entities are candidates, a
 *	  second one passes over these (kge/search/chosen.c): probabilities are those among all entities.
 * 4. The best scores of each question, and the calibration, make a score a probability; rows become names.
 *
 * Nothing here writes: all of it runs on a replica, in a read-only transaction and in parallel workers.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/search.h"
#include "core/sort.h"
#include "entity_set.h"
#include "graph/call.h"
#include "model/model_cache.h"
#include "model/predictor.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

#define ANSWERS_AT_ONCE (1 << 19)
/* known answers of some questions together; more where one question has more */
#define KNOWN_AT_ONCE (1 << 22)
/*
 * A call takes one more thread for each QUESTIONS_A_THREAD questions that the embedding answers.  Rules take ten times
 * as long, and a path network ten times as long as rules: then it is one for RULED_QUESTIONS_A_THREAD, and for each
 * question.
 */
#define QUESTIONS_A_THREAD 16
#define RULED_QUESTIONS_A_THREAD 4

/* All that a call asks */
typedef struct Asked
{
	Graph	   *graph;
	const Predictor *predictor;
	KgeModel	kge;			/* of many questions or of candidates: with all entities in one array */
	const KgeSketch *sketch;
	Side		side;
	int32		relation;
	int			k;
	bool		known;			/* whether known facts are answers, too */
	bool		reflexive;		/* whether the given entity is */
	int			count;
	Datum	   *name;			/* text, of each given entity; NULL: one question, whose name is no column */
	int32	   *given;			/* its row */
	EntitySet	candidates;
	KgeChosen  *chosen;			/* NULL: all entities are candidates */
	const KgeSketch *chosen_sketch;
} Asked;

/* ---- names ------------------------------------------------------------------------- */

/* Rows of the model, ascending, each once */
static void
sort_rows(Numbers *rows)
{
	int64		count = 0;

	sort_array(hkg_leader(), POOL_LEADER, rows->value, rows->count, sizeof(int32), compare_int32);
	for (int64 i = 0; i < rows->count; i++)
		if (i == 0 || rows->value[i] != rows->value[count - 1])
			rows->value[count++] = rows->value[i];
	rows->count = count;
}

/* The answers of some questions */
typedef struct Answers
{
	int			count;
	int			listed;			/* answers of a question, at most: more than k where probabilities need them */
	KgeAnswer  *answer;			/* `listed` of each question, best first */
	int64	   *found;			/* of each question */
	EvQuestionScores *scores;	/* of each question, for probabilities */
	const struct KnownAnswers *known;
} Answers;

/* The names of answers */
typedef struct AnswerNames
{
	const AddedEntities *added;
	Numbers		row;			/* ascending */
	Datum	   *name;			/* text, of each */
} AnswerNames;

static void
take_answer_name(void *argument, const Datum *values, const bool *nulls)
{
	AnswerNames *names = argument;
	int32		row = added_entities_row(names->added, DatumGetInt32(values[0]));

	if (row >= 0 && !nulls[1])
		names->name[lower_bound_int32(names->row.value, 0, names->row.count, row)] =
			PointerGetDatum(DatumGetTextPCopy(values[1]));
}

static AnswerNames
read_answer_names(const Asked *asked, const Answers *answers)
{
	AnswerNames names = {.added = asked->predictor->added};
	char	   *query = psprintf("select e.id::int, e.name::text from unnest($1) u (id) join %sentity e on e.id = u.id",
								 asked->graph->prefix);
	int32	   *id;

	for (int i = 0; i < answers->count; i++)
		for (int64 j = 0; j < Min(answers->found[i], asked->k); j++)
		{
			CHECK_FOR_INTERRUPTS();
			numbers_append(&names.row, answers->answer[(int64) i * answers->listed + j].row);
		}
	sort_rows(&names.row);
	names.name = array_new_zero(Datum, names.row.count);
	id = array_new(int32, Min(names.row.count, NAMED_ROWS));
	for (int64 first = 0; first < names.row.count; first += NAMED_ROWS)
	{
		int			some = (int) Min(NAMED_ROWS, names.row.count - first);
		SqlArgs		args = {0};

		for (int i = 0; i < some; i++)
			id[i] = added_entities_id(names.added, names.row.value[first + i]);
		sql_arg(&args, INT4ARRAYOID, array_of_int4(id, some));
		sql_stream_often(query, &args, take_answer_name, &names);
		sql_args_free(&args);
	}
	return names;
}

/* ---- what is left out ---------------------------------------------------------------- */

/* The known answers of some questions, by question and ascending row */
typedef struct KnownAnswers
{
	const Asked *asked;
	int			questions;
	Numbers		row;
	int64	   *end;			/* by question: where the next one's begin */
	bool		too_many;		/* for these questions together: not all are here */
} KnownAnswers;

static void
take_known(void *argument, const Datum *values, const bool *nulls)
{
	KnownAnswers *known = argument;
	int32		row = added_entities_row(known->asked->predictor->added, DatumGetInt32(values[1]));

	if (row < 0 || known->too_many)
		return;
	known->too_many = known->questions > 1 && known->row.count == KNOWN_AT_ONCE;
	numbers_append(&known->row, row);
	known->end[DatumGetInt32(values[0]) - 1]++;
}

/* The first known answer of a question */
static int64
first_known(const KnownAnswers *known, int question)
{
	return question == 0 ? 0 : known->end[question - 1];
}

static KnownAnswers
read_known(const Asked *asked, const int32 *given, int count)
{
	const Model *model = asked->predictor->model;
	const char *column = asked->side == SIDE_TAIL ? "head" : "tail";
	KnownAnswers known = {.asked = asked,.questions = count,.end = array_new_zero(int64, count)};
	int32	   *id = array_new(int32, count);
	SqlArgs		args = {0};

	for (int i = 0; i < count; i++)
		id[i] = added_entities_id(asked->predictor->added, given[i]);
	/* a question alone is answered a tenth sooner by a statement without an array */
	sql_arg(&args, count == 1 ? INT4OID : INT4ARRAYOID, count == 1 ? Int32GetDatum(id[0]) : array_of_int4(id, count));
	sql_arg(&args, INT4OID, Int32GetDatum(model->relation_id[asked->relation]));
	sql_stream_often(psprintf("select %s, t.%s::int from %s %striple t where t.%s = %s and t.relation = $2 "
							  "order by 1, 2",
							  count == 1 ? "1" : "u.place::int", asked->side == SIDE_TAIL ? "tail" : "head",
							  count == 1 ? "" : "unnest($1) with ordinality as u (id, place), ",
							  asked->graph->prefix, column, count == 1 ? "$1" : "u.id"),
					 &args, take_known, &known);
	for (int i = 1; i < count; i++)
		known.end[i] += known.end[i - 1];
	/* rows of entities that came after the training do not ascend with their ids */
	for (int i = 0; i < count && asked->predictor->added->count > 0; i++)
		sort_array(hkg_leader(), POOL_LEADER, known.row.value + first_known(&known, i),
				   known.end[i] - first_known(&known, i), sizeof(int32), compare_int32);
	return known;
}

/* Probabilities depend on the first EV_SHOWN answers, facts left out. */
static int
answers_listed(const Asked *asked, const KnownAnswers *known, int count)
{
	int64		most = 0;

	for (int i = 0; i < count && asked->known; i++)
		most = Max(most, known->end[i] - first_known(known, i));
	return (int) Min(Max(asked->chosen != NULL ? 0 : (int64) asked->k, EV_SHOWN + most),
					 predictor_entities(asked->predictor));
}

/*
 * Each question with what is excluded, ascending: known answers, unless they are wanted, rejected ones, and the given
 * entity where it is no answer
 */
static Question *
make_questions(const Asked *asked, const int32 *given, const KnownAnswers *known, int count)
{
	const RejectedAnswers *rejected = asked->predictor->rejected;
	Question   *question = array_new(Question, count);
	int64		room = known->row.count + count;
	int32	   *row;

	for (int i = 0; i < count; i++)
		room += rejected_answers_count(rejected, asked->side, given[i], asked->relation);
	row = array_new(int32, room);
	for (int i = 0; i < count; i++)
	{
		int64		first = first_known(known, i);
		int64		excluded = asked->known ? 0 : known->end[i] - first;
		int64		place;

		if (excluded > 0)
			memcpy(row, known->row.value + first, excluded * sizeof(int32));
		excluded = rejected_answers_merge(rejected, asked->side, given[i], asked->relation, row, excluded);
		place = lower_bound_int32(row, 0, excluded, given[i]);
		if (!asked->reflexive && (place == excluded || row[place] != given[i]))
		{
			memmove(row + place + 1, row + place, (excluded++ - place) * sizeof(int32));
			row[place] = given[i];
		}
		question[i] = (Question) {asked->side, given[i], asked->relation, row, excluded};
		row += excluded;
	}
	return question;
}

/* ---- evidence, by thread ---------------------------------------------------------------- */

/* What a call site keeps: answerings for the threads beside the first one, which uses the model's own */
typedef struct AnsweringSite
{
	MemoryContext context;		/* of the answerings */
	uint64		serial;			/* of the evidence that they are for */
	int			count;
	int64		room;			/* hybridkg.threads may be raised between two calls */
	EvAnswering **answering;	/* in that context */
} AnsweringSite;

/* A question alone is asked by one thread, whichever that is. */
static EvAnswering **
answering_of_threads(FunctionCallInfo fcinfo, const Predictor *predictor, int threads, bool alone)
{
	AnsweringSite *site = fcinfo->flinfo->fn_extra;
	EvAnswering **answering = array_new(EvAnswering *, threads);
	MemoryContext caller;

	for (int i = 0; i < threads; i++)
		answering[i] = predictor->answering;
	if (alone)
		return answering;
	if (site == NULL)
	{
		site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(AnsweringSite));
		site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "hybridkg answerings", ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = site;
	}
	if (site->serial == 0 || site->serial != predictor->facts_serial)
	{
		MemoryContextReset(site->context);
		site->count = 0;
		site->room = 0;
		site->answering = NULL;
		site->serial = predictor->facts_serial;
	}
	caller = MemoryContextSwitchTo(site->context);
	while (site->count < threads - 1)
	{
		EvAnswering *more =
			evidence_answering(predictor->evidence, (site->count + 1) * evidence_answering_bytes(predictor->evidence));

		site->answering = array_reserve(site->answering, site->count + 1, &site->room, sizeof(EvAnswering *));
		site->answering[site->count++] = more;
	}
	MemoryContextSwitchTo(caller);
	for (int i = 1; i < threads; i++)
		answering[i] = site->answering[i - 1];
	return answering;
}

/* ---- candidates -------------------------------------------------------------------- */

/* The same questions, with rows of the candidates */
static Question *
chosen_questions(const KgeChosen *chosen, const Question *all, int count)
{
	Question   *question = array_new(Question, count);
	int64		excluded = 0;
	int32	   *row;

	for (int i = 0; i < count; i++)
		excluded += all[i].excluded_count;
	row = array_new(int32, excluded);
	for (int i = 0; i < count; i++)
	{
		question[i] = (Question) {all[i].side, kge_chosen_given(chosen, all[i].given), all[i].relation, row, 0};
		for (int64 j = 0; j < all[i].excluded_count; j++)
			if (chosen->row[all[i].excluded[j]] >= 0)
				row[question[i].excluded_count++] = chosen->row[all[i].excluded[j]];
		row += question[i].excluded_count;
	}
	return question;
}

/* The best candidates take the place of the best of all. */
static void
ask_chosen(const Asked *asked, Pool *pool, const Question *all, Answers *answers)
{
	const KgeChosen *chosen = asked->chosen;
	int			k = Min(asked->k, chosen->count);
	Arena		arena = hkg_within_memory(hkg_arena(), (uint64) answers->count * k * sizeof(KgeAnswer),
										  "a search among candidates", "ask for a smaller k");
	Question   *question = chosen_questions(chosen, all, answers->count);
	KgeTopMany *search;

	search = kge_top_many(&arena, pool, &chosen->model, asked->chosen_sketch, chosen->adjustment,
						  !ev_uses_embedding(asked->predictor->kind));
	answers->listed = k;
	answers->answer = array_new(KgeAnswer, (Size) answers->count * k);
	kge_top_many_ask(search, question, answers->count, k, answers->answer, answers->found);
	for (int i = 0; i < answers->count; i++)
		for (int64 j = 0; j < answers->found[i]; j++)
		{
			KgeAnswer  *answer = &answers->answer[(int64) i * k + j];

			answer->row = chosen->entity[answer->row];
		}
}

/* A fact is judged as if it were none. */
static void
return_question(const Asked *asked, const Answers *answers, const AnswerNames *names, int question, Datum given,
				SqlResult *result)
{
	const KnownAnswers *known = answers->known;

	for (int64 j = 0; j < Min(answers->found[question], asked->k); j++)
	{
		const KgeAnswer *answer = &answers->answer[(int64) question * answers->listed + j];
		EvJudged	judged = {answer->score, answer->phi, answer->addition, answers->scores[question]};
		Datum		values[4] = {given};
		bool		nulls[4] = {false};
		double		probability;

		CHECK_FOR_INTERRUPTS();
		if (asked->known &&
			has_int32(known->row.value, first_known(known, question), known->end[question], answer->row))
			judged.question.known--;
		probability = predictor_probability(asked->predictor, asked->side, asked->relation, judged);
		values[1] = names->name[lower_bound_int32(names->row.value, 0, names->row.count, answer->row)];
		values[2] = Float8GetDatum(judged.score);
		values[3] = Float8GetDatum(probability);
		nulls[3] = isnan(probability);
		if (values[1] != (Datum) 0)
			sql_result_row(result, values + (asked->name == NULL), nulls + (asked->name == NULL));
	}
}

/* The answers of `count` of the questions, from one on, in the order in which they were given */
static void
answer_some(Asked *asked, Pool *pool, const KgeAdjustment *adjustment, int first, int count, SqlResult *result)
{
	const Predictor *predictor = asked->predictor;
	bool		embedding = ev_uses_embedding(predictor->kind);
	Arena		arena;
	Numbers		given = {array_new(int32, count), count, count};
	KnownAnswers known;
	Answers		answers;
	AnswerNames names;
	Question   *question;
	bool		alone = embedding && asked->count == 1;

	/* 1. each question once, and what is known of it; half of them at a time where that is too much */
	memcpy(given.value, asked->given + first, count * sizeof(int32));
	sort_rows(&given);
	known = read_known(asked, given.value, (int) given.count);
	answers = (Answers) {.count = (int) given.count,.known = &known,
		.listed = answers_listed(asked, &known, (int) given.count)};
	if (given.count > 1 && (known.too_many || (int64) given.count * answers.listed > 2 * ANSWERS_AT_ONCE))
	{
		MemoryContext half = AllocSetContextCreate(CurrentMemoryContext, "hybridkg half", ALLOCSET_DEFAULT_SIZES);
		MemoryContext caller = MemoryContextSwitchTo(half);

		if (known.row.value != NULL)
			pfree(known.row.value);
		answer_some(asked, pool, adjustment, first, count / 2, result);
		MemoryContextReset(half);
		answer_some(asked, pool, adjustment, first + count / 2, count - count / 2, result);
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(half);
		return;
	}
	question = make_questions(asked, given.value, &known, answers.count);

	/* 2. the best rows of each: a single question's by all threads together */
	arena = hkg_within_memory(hkg_scratch(false), (uint64) answers.count * answers.listed * sizeof(KgeAnswer),
							  asked->name == NULL ? psprintf("a list of %d entities", asked->k) :
							  psprintf("a list of %d entities for each question", asked->k), "ask for a smaller k");
	answers.answer = array_new(KgeAnswer, (Size) answers.count * answers.listed);
	answers.found = array_new(int64, answers.count);
	if (alone)
		answers.found[0] = kge_top(&arena, pool, &asked->kge, asked->sketch, question[0], adjustment, answers.listed,
								   answers.answer);
	else
		kge_top_many_ask(kge_top_many(&arena, pool, &asked->kge, asked->sketch, adjustment, !embedding),
						 question, answers.count, answers.listed, answers.answer, answers.found);

	/* 3. what probabilities depend on; then the best candidates, where only some are */
	answers.scores = array_new(EvQuestionScores, answers.count);
	for (int i = 0; i < answers.count; i++)
	{
		int64		first_of = first_known(&known, i);

		answers.scores[i] = predictor_question_scores(predictor, &question[i], asked->reflexive,
													  known.row.value + first_of, known.end[i] - first_of,
													  &answers.answer[(int64) i * answers.listed], answers.found[i]);
	}
	if (asked->chosen != NULL)
		ask_chosen(asked, pool, question, &answers);

	/* 4. rows of the result */
	names = read_answer_names(asked, &answers);
	for (int i = first; i < first + count; i++)
		return_question(asked, &answers, &names, (int) lower_bound_int32(given.value, 0, given.count, asked->given[i]),
						asked->name == NULL ? (Datum) 0 : asked->name[i], result);
}

/* What all questions share; then some of them at a time, for which memory is freed before the next ones. */
static void
answer_all(FunctionCallInfo fcinfo, Asked *asked, SqlResult *result)
{
	const Predictor *predictor = asked->predictor;
	bool		embedding = ev_uses_embedding(predictor->kind);
	bool		alone = asked->count == 1;
	int			at_once;
	Pool	   *pool;
	int			threads;
	KgeAdjustment evidence;
	const KgeAdjustment *adjustment = NULL;
	EvAdjuster	adjuster;
	MemoryContext part;
	MemoryContext caller;

	asked->k = Min(asked->k, predictor_entities(predictor));
	asked->reflexive = predictor_is_reflexive(predictor, asked->graph, asked->relation);
	if (asked->count == 0 || asked->k == 0 || (asked->candidates.given && asked->candidates.count == 0))
		return;
	if (predictor->kind == EV_EMBEDDING)
		threads = 1 + asked->count / QUESTIONS_A_THREAD;
	else if (predictor->kind == EV_RULES || predictor->evidence->network == NULL)
		threads = 1 + asked->count / RULED_QUESTIONS_A_THREAD;
	else
		threads = asked->count;
	pool = alone && embedding ? model_pool(&predictor->kge) : hkg_pool_of(Min(hkg_threads, threads));
	threads = pool_threads(pool);

	/* 1. the model: many questions, and a model of candidates, need all entities in one array; rules no rows */
	asked->kge = predictor->kge;
	asked->sketch = predictor->model->sketch;
	if (predictor->added->count > 0 && !embedding && !asked->candidates.given)
	{
		asked->kge.entities = predictor_entities(predictor);
		asked->kge.added = 0;
	}
	else if (predictor->added->count > 0 && (!alone || asked->candidates.given))
	{
		Arena		arena = hkg_within_memory(hkg_arena(), 0, "a sketch of entities that came after the training",
											  "train the model again");

		asked->kge = added_entities_array(predictor->added);
		asked->sketch = kge_sketch(&arena, pool, &asked->kge);
	}

	/* 2. what evidence adds */
	if (predictor->kind != EV_EMBEDDING)
	{
		evidence = evidence_adjustment_by(predictor->evidence, predictor->kind, threads,
										  answering_of_threads(fcinfo, predictor, threads, alone), &adjuster);
		adjustment = &evidence;
		if (predictor->kind == EV_BOTH)
			evidence_expect(predictor->evidence, &adjuster, &asked->kge);
	}

	/* 3. candidates */
	if (asked->candidates.given)
	{
		asked->chosen = entity_set_chosen(&asked->candidates, &asked->kge, adjustment, pool);
		asked->chosen_sketch = chosen_sketch(asked->chosen, asked->sketch, pool);
	}

	/* 4. answers */
	part = AllocSetContextCreate(CurrentMemoryContext, "hybridkg part", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(part);
	at_once = Max(ANSWERS_AT_ONCE / Max(asked->k, EV_SHOWN), 1);
	for (int first = 0; first < asked->count; first += at_once)
	{
		answer_some(asked, pool, adjustment, first, Min(at_once, asked->count - first), result);
		MemoryContextReset(part);
	}
	MemoryContextSwitchTo(caller);
}

/* many: an array is given, and each row of the result begins with the entity that it answers */
static Datum
predict_side(FunctionCallInfo fcinfo, Side side, bool many)
{
	int			given = side == SIDE_TAIL ? 1 : 2;
	const char *what = side == SIDE_TAIL ? many ? "heads" : "head" : many ? "tails" : "tail";
	Asked		asked = {.side = side,.known = DatumGetBool(argument(fcinfo, 5, "known"))};
	char	   *relation;
	char	   *name = NULL;
	EvKind		kind;
	Call		call;
	GivenNames	names;
	GivenNames	candidates;
	Predictor	predictor;
	int32		row;
	int			known = 0;

	/* 1. arguments */
	relation = argument_text(fcinfo, 3 - given, "relation");
	if (many)
		(void) argument(fcinfo, given, what);
	else
		name = argument_text(fcinfo, given, what);
	asked.k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	kind = argument_evidence(fcinfo, 6);
	call = call_begin(fcinfo, 4);
	names = many ? given_names(fcinfo, given, what) : (GivenNames) {true, 1, &name};
	candidates = given_names(fcinfo, 7, "candidates");

	/* 2. rows of the model; the first name that has none is an error, or is left out */
	predictor = predictor_open(call.graph, call.model, kind);
	predictor_require_rejected(&predictor, call.graph);
	asked.graph = call.graph;
	asked.predictor = &predictor;
	asked.count = (int) names.count;
	if (many)
	{
		asked.relation = model_relation_row(predictor.model, call.graph, relation);
		asked.given = entity_rows(call.graph, predictor.added, &names);
		asked.name = array_new(Datum, names.count);
	}
	else
		asked.given = &row;
	for (int i = 0; i < asked.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!many || asked.given[i] < 0)
			asked.given[i] = added_entities_row_of_name(predictor.added, call.graph, names.name[i]);
		if (asked.given[i] < 0)
			continue;
		if (many)
			asked.name[known] = CStringGetTextDatum(names.name[i]);
		asked.given[known++] = asked.given[i];
	}
	asked.count = known;
	if (!many)
		asked.relation = model_relation_row(predictor.model, call.graph, relation);
	asked.candidates = entity_set(call.graph, predictor.added, &candidates);
	answer_all(fcinfo, &asked, call.result);
	return call_end(&call);
}

HKG_FUNCTION(hkg_predict_tails);
Datum
hkg_predict_tails(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, SIDE_TAIL, false);
}

HKG_FUNCTION(hkg_predict_heads);
Datum
hkg_predict_heads(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, SIDE_HEAD, false);
}

HKG_FUNCTION(hkg_predict_tails_many);
Datum
hkg_predict_tails_many(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, SIDE_TAIL, true);
}

HKG_FUNCTION(hkg_predict_heads_many);
Datum
hkg_predict_heads_many(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, SIDE_HEAD, true);
}
