/*
 * predict_many.c
 *		hkg_predict_tails and hkg_predict_heads of an array: many questions about one relation.
 *
 * The questions share all that a call does: the look-up of names, the reading of known facts, the threads and, above
 * all, the passes over the entities (kge_top_many).  Each has the answers that it has alone.  An entity that is given
 * several times is asked about once.
 *
 * Where only some entities are candidates, a search passes over these (kge/search/chosen.c).  Probabilities are those among
 * all entities, whose best ones are found for them.
 *
 * Memory is bounded: questions come in parts that have about ANSWERS_AT_ONCE answers together.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"

#include "predict_many.h"

#include "core/search.h"
#include "core/sort.h"
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
 * A call takes one more thread for each QUESTIONS_A_THREAD questions that the embedding answers.  Rules take ten times as
 * long, and a path network ten times as long as rules: then it is one for RULED_QUESTIONS_A_THREAD, and for each question.
 */
#define QUESTIONS_A_THREAD 16
#define RULED_QUESTIONS_A_THREAD 4

/* All that a call asks */
typedef struct Asked
{
	Graph	   *graph;
	const Predictor *predictor;
	KgeModel	kge;			/* with all entities in one array */
	const KgeSketch *sketch;
	Side		side;
	int32		relation;
	int			k;
	bool		known;			/* whether known facts are answers, too */
	bool		reflexive;		/* whether the given entity is */
	int			count;
	Datum	   *name;			/* text, of each given entity; NULL: it is no column of the result */
	int32	   *given;			/* its row */
	EntitySet	candidates;
	KgeChosen  *chosen;			/* NULL: all entities are candidates */
	const KgeSketch *chosen_sketch;
	Datum	   *answer_name;	/* text, by row of the model; 0 until it was looked up */
	Datum		no_name;		/* while it is looked up */
	MemoryContext context;		/* of these */
} Asked;

/* ---- names ------------------------------------------------------------------------- */

/* The rows of the given entities; the first name that has none is an error, as for a single question. */
static void
find_given(Asked *asked, const GivenNames *names)
{
	asked->count = (int) names->count;
	asked->given = entity_rows(asked->graph, asked->predictor->added, names);
	asked->name = array_new(Datum, names->count);
	for (int i = 0; i < asked->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		asked->name[i] = CStringGetTextDatum(names->name[i]);
		if (asked->given[i] < 0)
			asked->given[i] = added_entities_row_of_name(asked->predictor->added, asked->graph, names->name[i]);
	}
}

static void
take_answer_name(void *argument, const Datum *values, const bool *nulls)
{
	Asked	   *asked = argument;
	int32		row = added_entities_row(asked->predictor->added, DatumGetInt32(values[0]));

	if (row >= 0 && !nulls[1])
	{
		MemoryContext caller = MemoryContextSwitchTo(asked->context);

		asked->answer_name[row] = PointerGetDatum(DatumGetTextPCopy(values[1]));
		MemoryContextSwitchTo(caller);
	}
}

/* Rows of given entities, ascending, each once */
typedef struct DistinctGiven
{
	int			count;
	int32	   *row;
} DistinctGiven;

static DistinctGiven
distinct_given(const int32 *given, int count)
{
	DistinctGiven distinct = {0, array_new(int32, count)};

	memcpy(distinct.row, given, count * sizeof(int32));
	sort_array(hkg_leader(), POOL_LEADER, distinct.row, count, sizeof(int32), compare_int32);
	for (int i = 0; i < count; i++)
		if (i == 0 || distinct.row[i] != distinct.row[distinct.count - 1])
			distinct.row[distinct.count++] = distinct.row[i];
	return distinct;
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

/* Looks up the names of answers that have none yet. */
static void
find_answer_names(Asked *asked, const Answers *answers)
{
	Numbers		missing = {0};
	SqlArgs		args = {0};

	for (int64 i = 0; i < (int64) answers->count * answers->listed; i++)
	{
		int32		row = answers->answer[i].row;

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (i % answers->listed >= Min(answers->found[i / answers->listed], asked->k) ||
			asked->answer_name[row] != (Datum) 0)
			continue;
		asked->answer_name[row] = asked->no_name;
		numbers_append(&missing, added_entities_id(asked->predictor->added, row));
	}
	if (missing.count == 0)
		return;
	sql_arg(&args, INT4ARRAYOID, array_of_int4(missing.value, (int) missing.count));
	sql_stream_often(psprintf("select e.id::int, e.name::text from unnest($1) u (id) join %sentity e on e.id = u.id",
							  asked->graph->prefix),
					 &args, take_answer_name, asked);
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
	sql_arg(&args, INT4ARRAYOID, array_of_int4(id, count));
	sql_arg(&args, INT4OID, Int32GetDatum(model->relation_id[asked->relation]));
	sql_stream_often(psprintf("select u.place::int, t.%s::int from unnest($1) with ordinality as u (id, place) "
							  "join %striple t on t.%s = u.id where t.relation = $2 order by 1, 2",
							  asked->side == SIDE_TAIL ? "tail" : "head", asked->graph->prefix, column),
					 &args, take_known, &known);
	for (int i = 1; i < count; i++)
		known.end[i] += known.end[i - 1];
	/* rows of entities that came after the training do not ascend with their ids */
	for (int i = 0; i < count && asked->predictor->added->count > 0; i++)
		sort_array(hkg_leader(), POOL_LEADER, known.row.value + first_known(&known, i),
				   known.end[i] - first_known(&known, i), sizeof(int32), compare_int32);
	return known;
}

static bool
is_known(const KnownAnswers *known, int question, int32 row)
{
	return has_int32(known->row.value, first_known(known, question), known->end[question], row);
}

/* Probabilities depend on the first EV_SHOWN answers, facts left out. */
static int
answers_listed(const Asked *asked, const KnownAnswers *known, int count)
{
	int64		most = 0;

	for (int i = 0; i < count && asked->known; i++)
		most = Max(most, known->end[i] - first_known(known, i));
	return (int) Min(Max(asked->chosen != NULL ? 0 : (int64) asked->k, EV_SHOWN + most), asked->kge.entities);
}

/* The known answers of each question, unless they are wanted, and the given entity where it is no answer, ascending */
static Question *
make_questions(const Asked *asked, const int32 *given, const KnownAnswers *known, int count)
{
	Question   *question = array_new(Question, count);
	int32	   *excluded = array_new(int32, known->row.count + count);
	int64		next = 0;

	for (int i = 0; i < count; i++)
	{
		bool		pending = !asked->reflexive;
		int64		first = next + i;

		question[i] = (Question) {asked->side, given[i], asked->relation, excluded + first, 0};
		for (; next < known->end[i]; next++)
		{
			if (asked->known)
				continue;
			if (pending && known->row.value[next] > given[i])
			{
				excluded[first + question[i].excluded_count++] = given[i];
				pending = false;
			}
			excluded[first + question[i].excluded_count++] = known->row.value[next];
		}
		if (pending)
			excluded[first + question[i].excluded_count++] = given[i];
	}
	return question;
}

/* ---- evidence, by thread ---------------------------------------------------------------- */

/* What a call site keeps: answerings for the threads beside the first, which uses the model's own */
typedef struct AnsweringSite
{
	MemoryContext context;		/* of the answerings */
	uint64		serial;			/* of the evidence that they are for */
	int			count;
	int64		room;			/* hybridkg.threads may be raised between two calls */
	EvAnswering **answering;	/* in that context */
} AnsweringSite;

static AnsweringSite *
call_site(FunctionCallInfo fcinfo)
{
	AnsweringSite *site = fcinfo->flinfo->fn_extra;

	if (site != NULL)
		return site;
	site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(AnsweringSite));
	site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "hybridkg answerings", ALLOCSET_DEFAULT_SIZES);
	fcinfo->flinfo->fn_extra = site;
	return site;
}

static EvAnswering **
answering_of_threads(FunctionCallInfo fcinfo, const Predictor *predictor, int threads)
{
	AnsweringSite *site = call_site(fcinfo);
	EvAnswering **answering = array_new(EvAnswering *, threads);
	MemoryContext caller;

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
		uint64		others = (site->count + 1) * evidence_answering_bytes(predictor->evidence);
		EvAnswering *more = evidence_answering(predictor->evidence, others);

		site->answering = array_reserve(site->answering, site->count + 1, &site->room, sizeof(EvAnswering *));
		site->answering[site->count++] = more;
	}
	MemoryContextSwitchTo(caller);
	answering[0] = predictor->answering;
	for (int i = 1; i < threads; i++)
		answering[i] = site->answering[i - 1];
	return answering;
}

/* ---- answers ------------------------------------------------------------------------------ */

static double
score_of(const Asked *asked, const KgeAnswer *answer)
{
	return predictor_score(asked->predictor, asked->side, asked->relation, (ScoreParts) {answer->phi, answer->addition});
}

/* What calibration looks at beside an answer, of the best ones of its question: facts among them do not count. */
static EvQuestionScores
question_scores(const Asked *asked, const KnownAnswers *known, int question, const KgeAnswer *answer, int64 count)
{
	EvQuestionScores scores = {.known = known->end[question] - first_known(known, question)};

	for (int64 i = 0; i < count && scores.shown < EV_SHOWN; i++)
		if (!asked->known || !is_known(known, question, answer[i].row))
			predictor_show(asked->predictor, asked->side, asked->relation, &scores, score_of(asked, &answer[i]));
	return scores;
}

static void
score_questions(const Asked *asked, const KnownAnswers *known, Answers *answers)
{
	answers->scores = array_new(EvQuestionScores, answers->count);
	for (int i = 0; i < answers->count; i++)
		answers->scores[i] = question_scores(asked, known, i, &answers->answer[(int64) i * answers->listed],
											 answers->found[i]);
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
static EvJudged
judged_of(const Asked *asked, const Answers *answers, int64 question, const KgeAnswer *answer)
{
	EvJudged	judged = {score_of(asked, answer), answer->phi, answer->addition, answers->scores[question]};

	judged.question.known -= asked->known && is_known(answers->known, (int) question, answer->row);
	return judged;
}

static void
return_question(const Asked *asked, const Answers *answers, int64 i, Datum name, SqlResult *result)
{
	for (int64 j = 0; j < Min(answers->found[i], asked->k); j++)
	{
		const KgeAnswer *answer = &answers->answer[i * answers->listed + j];
		EvJudged	judged = judged_of(asked, answers, i, answer);
		Datum		values[4] = {name, asked->answer_name[answer->row], Float8GetDatum(judged.score),
			Float8GetDatum(predictor_probability(asked->predictor, asked->side, asked->relation, judged))};
		bool		nulls[4] = {false, false, false, isnan(DatumGetFloat8(values[3]))};

		CHECK_FOR_INTERRUPTS();
		sql_result_row(result, values + (asked->name == NULL), nulls + (asked->name == NULL));
	}
}

/* In the order in which entities were given, from one on */
static void
return_answers(Asked *asked, DistinctGiven given, const Answers *answers, int first, int count, SqlResult *result)
{
	find_answer_names(asked, answers);
	for (int i = first; i < first + count; i++)
		return_question(asked, answers, lower_bound_int32(given.row, 0, given.count, asked->given[i]),
						asked->name == NULL ? (Datum) 0 : asked->name[i], result);
}

static void answer_some(Asked *asked, Pool *pool, const KgeAdjustment *adjustment, int first, int count,
						SqlResult *result);

/* What it takes is freed, but names. */
static void
answer_half(Asked *asked, Pool *pool, const KgeAdjustment *adjustment, int first, int count, SqlResult *result)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg half", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);

	answer_some(asked, pool, adjustment, first, count, result);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

static void
answer_some(Asked *asked, Pool *pool, const KgeAdjustment *adjustment, int first, int count, SqlResult *result)
{
	const Predictor *predictor = asked->predictor;
	Arena		arena;
	DistinctGiven given = distinct_given(asked->given + first, count);
	KnownAnswers known = read_known(asked, given.row, given.count);
	Answers		answers = {.count = given.count,.listed = answers_listed(asked, &known, given.count),
	.known = &known};
	KgeTopMany *search;
	Question   *question;

	if (given.count > 1 && (known.too_many || (int64) given.count * answers.listed > 2 * ANSWERS_AT_ONCE))
	{
		if (known.row.value != NULL)
			pfree(known.row.value);
		answer_half(asked, pool, adjustment, first, count / 2, result);
		answer_half(asked, pool, adjustment, first + count / 2, count - count / 2, result);
		return;
	}
	question = make_questions(asked, given.row, &known, given.count);
	arena = hkg_within_memory(hkg_arena(), (uint64) given.count * answers.listed * sizeof(KgeAnswer),
							  psprintf("a list of %d entities for each question", asked->k), "ask for a smaller k");
	answers.answer = array_new(KgeAnswer, (Size) given.count * answers.listed);
	answers.found = array_new(int64, given.count);
	search = kge_top_many(&arena, pool, &asked->kge, asked->sketch, adjustment, !ev_uses_embedding(predictor->kind));
	kge_top_many_ask(search, question, given.count, answers.listed, answers.answer, answers.found);
	score_questions(asked, &known, &answers);
	if (asked->chosen != NULL)
		ask_chosen(asked, pool, question, &answers);
	return_answers(asked, given, &answers, first, count, result);
}

/* The questions share passes over one array of all entities. */
static void
have_all_entities(Asked *asked, Pool *pool)
{
	const Predictor *predictor = asked->predictor;
	Arena		arena = hkg_within_memory(hkg_arena(), 0, "a sketch of entities that came after the training",
										  "train the model again");

	asked->kge = added_entities_array(predictor->added);
	asked->sketch = predictor->model->sketch;
	if (predictor->added->count == 0)
		return;
	asked->sketch = kge_sketch(&arena, pool, &asked->kge);
}

static int
threads_for(const Predictor *predictor, int questions)
{
	if (predictor->kind == EV_EMBEDDING)
		return Min(hkg_threads, 1 + questions / QUESTIONS_A_THREAD);
	if (predictor->kind == EV_RULES || predictor->evidence->network == NULL)
		return Min(hkg_threads, 1 + questions / RULED_QUESTIONS_A_THREAD);
	return Min(hkg_threads, questions);
}

/* A part of the questions at a time; what it takes is freed before the next one, but names. */
static void
answer_all(FunctionCallInfo fcinfo, Asked *asked, SqlResult *result)
{
	const Predictor *predictor = asked->predictor;
	int			threads = threads_for(predictor, asked->count);
	int			at_once = Max(ANSWERS_AT_ONCE / Max(asked->k, EV_SHOWN), 1);
	Pool	   *pool = hkg_pool_of(threads);
	KgeAdjustment adjustment;
	EvAdjuster	adjuster;
	MemoryContext part;

	have_all_entities(asked, pool);
	if (predictor->kind != EV_EMBEDDING)
	{
		adjustment = evidence_adjustment_by(predictor->evidence, predictor->kind, threads,
											answering_of_threads(fcinfo, predictor, threads), &adjuster);
		if (predictor->kind == EV_BOTH)
			evidence_expect(predictor->evidence, &adjuster, &asked->kge);
	}
	if (asked->candidates.given)
	{
		asked->chosen = entity_set_chosen(&asked->candidates, &asked->kge,
										  predictor->kind == EV_EMBEDDING ? NULL : &adjustment, pool);
		asked->chosen_sketch = chosen_sketch(asked->chosen, asked->sketch, pool);
	}
	asked->context = CurrentMemoryContext;
	asked->no_name = CStringGetTextDatum("");
	asked->answer_name = array_new_zero(Datum, asked->kge.entities);
	part = AllocSetContextCreate(asked->context, "hybridkg part", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(part);
	for (int first = 0; first < asked->count; first += at_once)
	{
		answer_some(asked, pool, predictor->kind == EV_EMBEDDING ? NULL : &adjustment, first,
					Min(at_once, asked->count - first), result);
		MemoryContextReset(part);
	}
	MemoryContextSwitchTo(asked->context);
}

/* Asks nothing where there is no question, or no candidate. */
static void
answer(FunctionCallInfo fcinfo, Asked *asked, SqlResult *result)
{
	const Predictor *predictor = asked->predictor;

	asked->k = Min(asked->k, predictor_entities(predictor));
	asked->reflexive = predictor_is_reflexive(predictor, asked->graph, asked->relation);
	if (asked->count > 0 && asked->k > 0 && (!asked->candidates.given || asked->candidates.count > 0))
		answer_all(fcinfo, asked, result);
}

void
predict_among(FunctionCallInfo fcinfo, const Call *call, const Predictor *predictor, Question question, int k, bool known,
			  const GivenNames *candidates)
{
	Asked		asked = {.graph = call->graph,.predictor = predictor,.side = question.side,.relation = question.relation,
		.k = k,.known = known,.count = 1,.given = &question.given};

	asked.candidates = entity_set(call->graph, predictor->added, candidates);
	answer(fcinfo, &asked, call->result);
}

static Datum
predict_many(FunctionCallInfo fcinfo, Side side)
{
	int			names = side == SIDE_TAIL ? 1 : 2;
	const char *what = side == SIDE_TAIL ? "heads" : "tails";
	char	   *relation = argument_text(fcinfo, 3 - names, "relation");
	int			k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	Asked		asked = {.side = side,.k = k,.known = DatumGetBool(argument(fcinfo, 5, "known"))};
	EvKind		kind = argument_evidence(fcinfo, 6);
	Call		call;
	GivenNames	given;
	GivenNames	candidates;
	Predictor	predictor;

	(void) argument(fcinfo, names, what);
	call = call_begin(fcinfo, 4);
	given = given_names(fcinfo, names, what);
	candidates = given_names(fcinfo, 7, "candidates");
	predictor = predictor_open(call.graph, call.model, kind);
	asked.graph = call.graph;
	asked.predictor = &predictor;
	asked.relation = model_relation_row(predictor.model, call.graph, relation);
	find_given(&asked, &given);
	asked.candidates = entity_set(call.graph, predictor.added, &candidates);
	answer(fcinfo, &asked, call.result);
	return call_end(&call);
}

HKG_FUNCTION(hkg_predict_tails_many);
Datum
hkg_predict_tails_many(PG_FUNCTION_ARGS)
{
	return predict_many(fcinfo, SIDE_TAIL);
}

HKG_FUNCTION(hkg_predict_heads_many);
Datum
hkg_predict_heads_many(PG_FUNCTION_ARGS)
{
	return predict_many(fcinfo, SIDE_HEAD);
}
