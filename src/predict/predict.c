/*
 * predict.c
 *		hkg_predict_tails, hkg_predict_heads, hkg_predict_relations, hkg_neighbors.
 *
 * Names become ids and ids become the model's rows; src/kge finds the best rows; one statement turns them into names
 * again.  Evidence raises the scores of some entities.  Nothing here writes: all of it runs on a replica, in a read-only
 * transaction and in parallel workers.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/search.h"
#include "core/sort.h"
#include "graph/call.h"
#include "model/model_cache.h"
#include "model/predictor.h"
#include "predict_many.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

/* ---- the best of many --------------------------------------------------------- */

/* Rows of entities or of relations */
typedef struct RowNumbering
{
	const Predictor *predictor;
	const char *table;			/* "entity" or "relation" */
} RowNumbering;

static bool
are_entities(const RowNumbering *numbering)
{
	return strcmp(numbering->table, "entity") == 0;
}

static int32
row_of_id(const RowNumbering *numbering, int32 id)
{
	const Model *model = numbering->predictor->model;

	return are_entities(numbering) ? added_entities_row(numbering->predictor->added, id) :
		graph_row(model->relation_id, model->kge.relations, id);
}

static int32
id_of_row(const RowNumbering *numbering, int32 row)
{
	return are_entities(numbering) ? added_entities_id(numbering->predictor->added, row) :
		numbering->predictor->model->relation_id[row];
}

typedef struct RowReading
{
	const RowNumbering *numbering;
	Numbers		known;
} RowReading;

static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	RowReading *reading = argument;
	int32		row = row_of_id(reading->numbering, DatumGetInt32(values[0]));

	if (row >= 0)
		numbers_append(&reading->known, row);
}

static void
sort_rows(Numbers *rows)
{
	sort_array(hkg_leader(), POOL_LEADER, rows->value, rows->count, sizeof(int32), compare_int32);
}

/* The facts in which two columns have these ids, as ascending rows of the third column, `wanted`. */
static Numbers
known_rows(const Graph *graph, const RowNumbering *numbering, const char *wanted,
		   const char *column, int32 id, const char *other_column, int32 other_id)
{
	RowReading	reading = {.numbering = numbering};
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(id));
	sql_arg(&args, INT4OID, Int32GetDatum(other_id));
	sql_stream_often(psprintf("select %s::int from %striple where %s = $1 and %s = $2 order by 1",
							  wanted, graph->prefix, column, other_column),
					 &args, take_row, &reading);
	/* rows ascend with ids but for those of entities that were added */
	if (are_entities(numbering) && numbering->predictor->added->count > 0)
		sort_rows(&reading.known);
	return reading.known;
}

/* Adds a row that is not among these, which ascend. */
static void
exclude_row(Numbers *excluded, int32 row)
{
	int64		place = lower_bound_int32(excluded->value, 0, excluded->count, row);

	numbers_append(excluded, row);
	memmove(excluded->value + place + 1, excluded->value + place, (excluded->count - 1 - place) * sizeof(int32));
	excluded->value[place] = row;
}

/* Rows of a model with their scores, best first */
typedef struct Found
{
	int64		count;
	int64		room;
	int32	   *row;
	double	   *score;
	double	   *probability;
} Found;

/* Room for the best `room`.  search: bytes that finding them takes; `more` for each of them is taken later */
static Found
make_room(int64 room, uint64 search, Size more, const char *what)
{
	Found		found = {.room = room};

	hkg_check_memory_or(search + room * (sizeof(int32) + 2 * sizeof(double) + more),
						psprintf("a list of " INT64_FORMAT " %s", room, what), "ask for a smaller k");
	found.row = array_new(int32, room);
	found.score = array_new(double, room);
	found.probability = array_new(double, room);
	return found;
}

/* Adds them to the result: name, score, probability.  (A result of two columns takes the first two.) */
static void
return_found(const Graph *graph, const RowNumbering *numbering, const Found *found, SqlResult *result)
{
	int32	   *id = palloc(sizeof(int32) * Min(found->count, NAMED_ROWS));
	char	   *query = psprintf("select e.name::text, u.score, u.probability "
								 "from unnest($1::int[], $2::float8[], $3::float8[]) "
								 "with ordinality as u (id, score, probability, place) "
								 "join %s%s e on e.id = u.id order by u.place",
								 graph->prefix, numbering->table);

	for (int64 first = 0; first < found->count; first += NAMED_ROWS)
	{
		int			some = (int) Min(NAMED_ROWS, found->count - first);
		SqlArgs		args = {0};

		for (int i = 0; i < some; i++)
			id[i] = id_of_row(numbering, found->row[first + i]);
		sql_arg(&args, INT4ARRAYOID, array_of_int4(id, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(found->score + first, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(found->probability + first, some));
		sql_stream_often(query, &args, sql_add_to_result, result);
		sql_args_free(&args);
	}
}

/* ---- tails and heads ------------------------------------------------------------ */

typedef struct ScoredRow
{
	ScoreParts	parts;
	double		score;
	double		probability;	/* of relations only */
	int32		row;
} ScoredRow;

/* Best first; ties go to the lower row. */
static int
compare_scored_rows(const void *a, const void *b)
{
	const ScoredRow *left = a;
	const ScoredRow *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

/* Most probable first: scores of different relations are not comparable. */
static int
compare_probable_rows(const void *a, const void *b)
{
	double		left = ((const ScoredRow *) a)->probability;
	double		right = ((const ScoredRow *) b)->probability;

	/* that of an infinite score may be no number, which must not differ from itself */
	return left > right ? -1 : left < right ? 1 : compare_scored_rows(a, b);
}

/* The best of them, as far as there is room; they come first among the scored ones. */
static void
take_best(ScoredRow *scored, int64 count, int (*compare) (const void *, const void *), Found *found)
{
	sort_array(hkg_leader(), POOL_LEADER, scored, count, sizeof(ScoredRow), compare);
	found->count = Min(count, found->room);
	for (int64 i = 0; i < found->count; i++)
	{
		found->row[i] = scored[i].row;
		found->score[i] = scored[i].score;
	}
}

static EvJudged
judged_row(const ScoredRow *scored, EvQuestionScores question)
{
	return (EvJudged) {scored->score, scored->parts.phi, scored->parts.evidence, question};
}

/* (given, relation, ?) or (?, relation, given), and what is left out of its answers */
typedef struct EntityQuestion
{
	const Predictor *predictor;
	Side		side;
	int32		given;
	int32		relation;
	Numbers		known;			/* its answers among the facts, ascending rows */
	Numbers		excluded;		/* ascending rows */
} EntityQuestion;

static Triple
answered(const EntityQuestion *question, int32 row)
{
	return triple_of_answer(question->side, question->given, question->relation, row);
}

/* Entities with evidence, with their scores: all without the embedding, beside it those that were added */
typedef struct InferredEntities
{
	ScoredRow  *scored;
	int64		count;
} InferredEntities;

static ScoreParts
parts_of_inferred(const EntityQuestion *question, KgeExactScore *exact, const EvExpected *expected, int32 entity,
				  double evidence)
{
	const Predictor *predictor = question->predictor;
	ScoreParts	parts = {0, evidence};

	if (predictor->kind != EV_BOTH)
		return parts;
	CHECK_FOR_INTERRUPTS();
	parts.phi = kge_exact_score(exact, answered(question, entity), question->side);
	predictor_expect(predictor, expected, entity, &parts);
	return parts;
}

static void
add_scored(InferredEntities *inferred, const EntityQuestion *question, int32 entity, ScoreParts parts)
{
	double		score = predictor_score(question->predictor, question->side, question->relation, parts);

	if (!isnan(score))
		inferred->scored[inferred->count++] = (ScoredRow) {.parts = parts,.score = score,.row = entity};
}

/* They are excluded from then on. */
static InferredEntities
find_inferred(EntityQuestion *question)
{
	const Predictor *predictor = question->predictor;
	Numbers    *excluded = &question->excluded;
	int32		first = ev_uses_embedding(predictor->kind) ? predictor->kge.entities : 0;
	int64		known = excluded->count;
	InferredEntities inferred = {0};
	EvCandidates all;
	EvExpected	expected;
	KgeExactScore exact = predictor_exact_score(predictor);

	if (predictor->kind == EV_EMBEDDING || first == predictor_entities(predictor))
		return inferred;
	all.count = ev_answer(predictor->answering, predictor->kind, question->side, question->given, question->relation,
						  hkg_leader(), POOL_LEADER, &all.candidate);
	expected = predictor_expected(predictor, question->side, question->given, question->relation, all);
	inferred.scored = array_new(ScoredRow, Min(all.count, predictor_entities(predictor) - first));
	for (int64 i = 0; i < all.count; i++)
	{
		int32		entity = all.candidate[i].entity;
		double		evidence;

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (entity < first || has_int32(excluded->value, 0, known, entity))
			continue;
		numbers_append(excluded, entity);
		evidence = evidence_of_candidate(predictor->evidence, predictor->kind, question->relation, question->side,
										 &all.candidate[i]);
		add_scored(&inferred, question, entity, parts_of_inferred(question, &exact, &expected, entity, evidence));
	}
	if (excluded->count > known)
		sort_rows(excluded);
	return inferred;
}

/* Whether an entity is an answer among the facts. */
static bool
is_known(const EntityQuestion *question, int32 row)
{
	return has_int32(question->known.value, 0, question->known.count, row);
}

/* What calibration looks at beside a candidate, of the best ones: facts among them do not count. */
static EvQuestionScores
question_scores(const EntityQuestion *question, const ScoredRow *scored, int64 count)
{
	EvQuestionScores scores = {.known = question->known.count};
	int			shown = 0;

	for (int64 i = 0; i < count && shown < EV_SHOWN; i++)
		if (!is_known(question, scored[i].row))
			ev_show_score(&scores, shown++, scored[i].score);
	return scores;
}

/* Scores the added entities that are not excluded; returns how many. */
static int64
score_added(const EntityQuestion *question, ScoredRow *scored)
{
	const Predictor *predictor = question->predictor;
	const KgeModel *kge = &predictor->kge;
	const Numbers *excluded = &question->excluded;
	KgeExactScore exact = predictor_exact_score(predictor);
	int64		next = lower_bound_int32(excluded->value, 0, excluded->count, kge->entities);
	int64		count = 0;

	for (int32 row = kge->entities; row < kge->entities + kge->added; row++)
	{
		ScoreParts	parts = {0};
		double		score;

		CHECK_FOR_INTERRUPTS();
		if (next < excluded->count && excluded->value[next] == row)
		{
			next++;
			continue;
		}
		parts.phi = kge_exact_score(&exact, answered(question, row), question->side);
		score = predictor_score(predictor, question->side, question->relation, parts);
		if (!isnan(score))
			scored[count++] = (ScoredRow) {.parts = parts,.score = score,.row = row};
	}
	return count;
}

/* The best answers by the embedding, with what evidence adds; returns how many. */
static int64
score_entities(const EntityQuestion *question, int64 wanted, KgeAnswer *answer)
{
	const Predictor *predictor = question->predictor;
	const KgeModel *kge = &predictor->kge;
	Pool	   *pool = model_pool(kge);
	KgeTopQuestion asked = {question->side, question->given, question->relation, question->excluded.value,
	lower_bound_int32(question->excluded.value, 0, question->excluded.count, kge->entities)};
	Arena		arena = hkg_scratch(false);
	EvAdjuster	adjuster;
	KgeAdjustment adjustment;

	if (predictor->kind == EV_BOTH)
		adjustment = evidence_adjustment_of_one(predictor->evidence, pool_threads(pool), predictor->answering, &adjuster);
	return kge_top(&arena, pool, kge, predictor->model->sketch, asked, predictor->kind == EV_BOTH ? &adjustment : NULL,
				   wanted, answer);
}

/* The best k of these, of those with evidence, and of those that were added */
static void
merge_answers(const EntityQuestion *question, const InferredEntities *inferred, const KgeAnswer *answer, int64 answers,
			  int k, Found *found)
{
	const Predictor *predictor = question->predictor;
	int64		all = inferred->count;
	ScoredRow  *scored = array_new(ScoredRow, all + answers + predictor->kge.added);
	EvQuestionScores scores;

	if (all > 0)
		memcpy(scored, inferred->scored, all * sizeof(ScoredRow));
	for (int64 i = 0; i < answers; i++)
	{
		ScoreParts	parts = {answer[i].phi, answer[i].addition};

		scored[all++] = (ScoredRow) {.parts = parts,.row = answer[i].row,
		.score = predictor_score(predictor, question->side, question->relation, parts)};
	}
	if (ev_uses_embedding(predictor->kind))
		all += score_added(question, scored + all);
	take_best(scored, all, compare_scored_rows, found);
	scores = question_scores(question, scored, found->count);
	found->count = Min(found->count, k);
	for (int64 i = 0; i < found->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		found->probability[i] = predictor_probability(predictor, question->side, question->relation,
													  judged_row(&scored[i], scores));
	}
}

static void
predict_entities(Graph *graph, EntityQuestion *question, int k, bool known, SqlResult *result)
{
	const Predictor *predictor = question->predictor;
	const Model *model = predictor->model;
	const KgeModel *kge = &predictor->kge;
	const RowNumbering numbering = {predictor, "entity"};
	bool		adjusted = predictor->kind == EV_BOTH;
	InferredEntities inferred;
	int			wanted;
	int64		answers = 0;
	KgeAnswer  *answer;
	Found		found;

	question->known = known_rows(graph, &numbering,
								 question->side == SIDE_TAIL ? "tail" : "head",
								 question->side == SIDE_TAIL ? "head" : "tail", id_of_row(&numbering, question->given),
								 "relation", model->relation_id[question->relation]);
	for (int64 i = 0; i < question->known.count && !known; i++)
		numbers_append(&question->excluded, question->known.value[i]);
	/* probabilities depend on the first EV_SHOWN, facts left out */
	wanted = (int) Min(Max((int64) k, EV_SHOWN + (known ? question->known.count : 0)),
					   predictor_entities(predictor));
	if (!predictor_is_reflexive(predictor, graph, question->relation))
		exclude_row(&question->excluded, question->given);
	found = make_room(wanted, ev_uses_embedding(predictor->kind) ? kge_top_bytes(kge, hkg_threads, adjusted, wanted) : 0,
					  sizeof(ScoredRow) + sizeof(KgeAnswer) + sizeof(double), "entities");
	answer = array_new(KgeAnswer, wanted);
	if (ev_uses_embedding(predictor->kind))
		answers = score_entities(question, wanted, answer);
	inferred = find_inferred(question);
	merge_answers(question, &inferred, answer, answers, k, &found);
	return_found(graph, &numbering, &found, result);
}

static Datum
predict_side(FunctionCallInfo fcinfo, Side side)
{
	char	   *first = argument_text(fcinfo, 1, side == SIDE_TAIL ? "head" : "relation");
	char	   *second = argument_text(fcinfo, 2, side == SIDE_TAIL ? "relation" : "tail");
	int			k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	bool		known = DatumGetBool(argument(fcinfo, 5, "known"));
	EvKind		kind = argument_evidence(fcinfo, 6);
	Call		call = call_begin_unpinned(fcinfo, 4);
	GivenNames	candidates = call_names(fcinfo, 7, "candidates", &call);
	Predictor	predictor;
	EntityQuestion question = {.predictor = &predictor,.side = side};

	call_pin(&call);
	predictor = predictor_open(call.graph, call.model, kind);
	question.given = added_entities_row_of_name(predictor.added, call.graph, side == SIDE_TAIL ? first : second);
	question.relation = model_relation_row(predictor.model, call.graph, side == SIDE_TAIL ? second : first);
	if (candidates.given)
		predict_among(fcinfo, &call, &predictor, (QuestionAsked) {side, question.given, question.relation, k, known},
					  &candidates);
	else
		predict_entities(call.graph, &question, k, known, call.result);
	return call_end(&call);
}

HKG_FUNCTION(hkg_predict_tails);
Datum
hkg_predict_tails(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, SIDE_TAIL);
}

HKG_FUNCTION(hkg_predict_heads);
Datum
hkg_predict_heads(PG_FUNCTION_ARGS)
{
	return predict_side(fcinfo, SIDE_HEAD);
}

/* ---- relations -------------------------------------------------------------------- */

/* Every relation between two entities but the excluded ones; NaN scores are left out.  known: answers, by relation */
static int64
score_relations(const Predictor *predictor, int32 head, int32 tail, const Numbers *excluded, const int64 *known,
				ScoredRow *scored)
{
	const KgeModel *kge = &predictor->model->kge;
	int64		next = 0;
	int64		count = 0;

	for (int32 row = 0; row < kge->relations; row++)
	{
		Triple		triple = {head, row, tail};

		CHECK_FOR_INTERRUPTS();
		if (next < excluded->count && excluded->value[next] == row)
		{
			next++;
			continue;
		}
		scored[count].row = row;
		scored[count].parts = predictor_parts(predictor, triple);
		scored[count].score = predictor_score(predictor, SIDE_TAIL, row, scored[count].parts);
		scored[count].probability =
			predictor_probability_alone(predictor, row, judged_row(&scored[count], (EvQuestionScores) {known[row], 0, 0}));
		if (!isnan(scored[count].score) && (ev_uses_embedding(predictor->kind) || scored[count].score > 0))
			count++;
	}
	return count;
}

/* How many other tails a head is known to have, by relation */
typedef struct RowCounts
{
	const Model *model;
	int64	   *known;
} RowCounts;

static void
take_count(void *argument, const Datum *values, const bool *nulls)
{
	RowCounts  *counts = argument;
	int32		row = graph_row(counts->model->relation_id, counts->model->kge.relations, DatumGetInt32(values[0]));

	if (row >= 0)
		counts->known[row] = DatumGetInt64(values[1]);
}

static int64 *
known_tails(const Graph *graph, const Predictor *predictor, int32 head, int32 tail)
{
	const Model *model = predictor->model;
	RowCounts	counts = {model, array_new_zero(int64, model->kge.relations)};
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(added_entities_id(predictor->added, head)));
	sql_arg(&args, INT4OID, Int32GetDatum(added_entities_id(predictor->added, tail)));
	sql_stream_often(psprintf("select relation::int, count(*) from %striple where head = $1 and tail <> $2 group by 1",
							  graph->prefix),
					 &args, take_count, &counts);
	return counts.known;
}

static void
predict_relations(Graph *graph, const Predictor *predictor, int32 head, int32 tail,
				  int k, bool known, SqlResult *result)
{
	const KgeModel *kge = &predictor->kge;
	const RowNumbering numbering = {predictor, "relation"};
	ScoredRow  *scored = array_new(ScoredRow, kge->relations);
	Found		found = make_room(Min(k, kge->relations), 0, 0, "relations");
	Numbers		excluded = {0};
	int64		count;

	if (!known)
		excluded = known_rows(graph, &numbering, "relation", "head", added_entities_id(predictor->added, head),
							  "tail", added_entities_id(predictor->added, tail));
	count = score_relations(predictor, head, tail, &excluded, known_tails(graph, predictor, head, tail), scored);
	take_best(scored, count, compare_probable_rows, &found);
	for (int64 i = 0; i < found.count; i++)
		found.probability[i] = scored[i].probability;
	return_found(graph, &numbering, &found, result);
}

HKG_FUNCTION(hkg_predict_relations);
Datum
hkg_predict_relations(PG_FUNCTION_ARGS)
{
	char	   *head_name = argument_text(fcinfo, 1, "head");
	char	   *tail_name = argument_text(fcinfo, 2, "tail");
	int			k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	bool		known = DatumGetBool(argument(fcinfo, 5, "known"));
	EvKind		kind = argument_evidence(fcinfo, 6);
	Call		call = call_begin(fcinfo, 4);
	Predictor	predictor = predictor_open(call.graph, call.model, kind);
	int32		head = added_entities_row_of_name(predictor.added, call.graph, head_name);
	int32		tail = added_entities_row_of_name(predictor.added, call.graph, tail_name);

	predict_relations(call.graph, &predictor, head, tail, k, known, call.result);
	return call_end(&call);
}

/* ---- neighbours --------------------------------------------------------------------- */

/* The best of those in `found` and of the placed entities that were added */
static void
merge_added_neighbors(const Predictor *predictor, int32 entity, Found *found)
{
	const KgeModel *kge = &predictor->kge;
	ScoredRow  *scored = array_new(ScoredRow, found->count + kge->added);
	int64		count = found->count;

	for (int64 i = 0; i < count; i++)
		scored[i] = (ScoredRow) {.score = found->score[i],.row = found->row[i]};
	for (int32 i = 0; i < kge->added; i++)
	{
		int32		row = kge->entities + i;
		double		cosine = kge_cosine(kge, entity, row);

		CHECK_FOR_INTERRUPTS();
		if (row != entity && predictor->added->placed[i] && !isnan(cosine))
			scored[count++] = (ScoredRow) {.score = cosine,.row = row};
	}
	take_best(scored, count, compare_scored_rows, found);
}

/* ERROR 55000 where the entity's neighbours did not place it. */
static void
require_place(const Predictor *predictor, int32 entity, const char *name)
{
	int32		trained = predictor->kge.entities;

	if (entity >= trained && !predictor->added->placed[entity - trained])
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("entity \"%s\" has no place among the embeddings of model \"%s\"", name, predictor->model->name),
				 errdetail("It was added after the training, "
						   "and no fact connects it with an entity and by a relation of the training."),
				 errhint("Insert such a fact, or train the model again.")));
}

HKG_FUNCTION(hkg_neighbors);
Datum
hkg_neighbors(PG_FUNCTION_ARGS)
{
	char	   *name = argument_text(fcinfo, 1, "entity");
	int			k = argument_int(fcinfo, 2, "k", 1, PG_INT32_MAX);
	Call		call = call_begin(fcinfo, 3);
	Predictor	predictor = predictor_open(call.graph, call.model, EV_EMBEDDING);
	const KgeModel *kge = &predictor.kge;
	int32		entity = added_entities_row_of_name(predictor.added, call.graph, name);
	Arena		arena = hkg_scratch(false);
	Found		found = make_room(Min(k, predictor_entities(&predictor)), kge_neighbors_bytes(kge, k),
								  kge->added > 0 ? sizeof(ScoredRow) : 0, "entities");

	require_place(&predictor, entity, name);
	found.count = kge_neighbors(&arena, model_pool(kge), kge, entity, found.room, found.row, found.score);
	if (kge->added > 0)
		merge_added_neighbors(&predictor, entity, &found);
	found.probability = found.score;	/* the result has no such column */
	return_found(call.graph, &(RowNumbering) {&predictor, "entity"}, &found, call.result);
	return call_end(&call);
}
