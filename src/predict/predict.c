/*
 * predict.c
 *		hkg_predict_tails, hkg_predict_heads, hkg_predict_relations, hkg_neighbors.
 *
 * Names become ids and ids become the model's rows; src/kge finds the best
 * rows; one statement turns them into names again.  Rules raise the scores of few: these are scored
 * one by one, and compete with the best of all others.  Nothing here writes: it
 * all runs on a replica, in a read-only transaction and in parallel workers.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "server/argument.h"
#include "server/array.h"
#include "server/host.h"
#include "graph/call.h"
#include "model/model_cache.h"
#include "model/predictor.h"
#include "server/growing_array.h"
#include "server/sql.h"

/* ---- the best of many --------------------------------------------------------- */

/* Ids that take no part in a prediction, as rows of the model; ascending. */
typedef struct RowList
{
	const int32 *id;			/* row -> id of what is predicted */
	int32		rows;
	int32	   *row;
	int64		count;
	int64		room;
} RowList;

static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	RowList    *list = argument;
	int32		row = graph_row(list->id, list->rows, DatumGetInt32(values[0]));

	if (row < 0)
		return;
	list->row = array_reserve(list->row, list->count + 1, &list->room, sizeof(int32));
	list->row[list->count++] = row;
}

/*
 * The facts (column `wanted`, two others given by id) as rows.  Ids come in
 * ascending order, and so do rows.
 */
static RowList
known_rows(const Graph *graph, const int32 *ids, int32 rows, const char *wanted,
		   const char *column, int32 id, const char *other_column, int32 other_id)
{
	RowList		list = {.id = ids,.rows = rows};
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(id));
	sql_arg(&args, INT4OID, Int32GetDatum(other_id));
	sql_stream_often(psprintf("select %s::int from %striple where %s = $1 and %s = $2 order by 1",
							  wanted, graph->prefix, column, other_column),
					 &args, take_row, &list);
	return list;
}

/*
 * Adds the rows of a model, with scores, to the result: name, score, probability; best first.  (A
 * result of two columns takes the first two.)
 */
static void
return_rows(const Graph *graph, const char *table, const int32 *ids, int64 count,
			const int32 *rows, const double *scores, const double *probabilities, SqlResult *result)
{
	int32	   *id = palloc(sizeof(int32) * Min(count, NAMED_ROWS));
	char	   *query = psprintf("select e.name::text, u.score, u.probability "
								 "from unnest($1::int[], $2::float8[], $3::float8[]) "
								 "with ordinality as u (id, score, probability, place) "
								 "join %s%s e on e.id = u.id order by u.place",
								 graph->prefix, table);

	for (int64 first = 0; first < count; first += NAMED_ROWS)
	{
		int			some = (int) Min(NAMED_ROWS, count - first);
		SqlArgs		args = {0};

		for (int i = 0; i < some; i++)
			id[i] = ids[rows[first + i]];
		sql_arg(&args, INT4ARRAYOID, array_of_int4(id, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(scores + first, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(probabilities + first, some));
		sql_stream_often(query, &args, sql_add_to_result, result);
		sql_args_free(&args);
	}
}

/* Adds a row that is not among them. */
static void
exclude_row(RowList *list, int32 row)
{
	int32	   *rows = palloc_extended(sizeof(int32) * (list->count + 1), MCXT_ALLOC_HUGE);
	int64		before = 0;

	while (before < list->count && list->row[before] < row)
		before++;
	for (int64 i = 0; i < list->count; i++)
		rows[i + (i >= before)] = list->row[i];
	rows[before] = row;
	list->row = rows;
	list->room = ++list->count;
}

/* ---- tails and heads ------------------------------------------------------------ */

/* Room for the best k, as far as there are so many */
typedef struct Best
{
	int			k;
	int32	   *rows;
	double	   *scores;
	double	   *probabilities;
} Best;

/* search: bytes that finding them takes; `more` for each of them is taken later */
static Best
make_room(int k, const KgeModel *kge, uint64 search, Size more)
{
	Best		best = {.k = Min(k, kge->entities)};

	hkg_check_memory_or(search + best.k * (sizeof(int32) + 2 * sizeof(double) + more),
						psprintf("a list of %d entities", best.k), "ask for a smaller k");
	best.rows = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int32) * best.k);
	best.scores = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * best.k);
	best.probabilities = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * best.k);
	return best;
}

typedef struct ScoredRow
{
	ScoreParts		parts;
	double		score;
	int32		row;
} ScoredRow;

/* Best first; ties go to the lower row. */
static int
compare_scored_rows(const void *a, const void *b)
{
	const ScoredRow *left = a;
	const ScoredRow *right = b;

	CHECK_FOR_INTERRUPTS();
	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

static int
compare_rows(const void *a, const void *b)
{
	int32		left = *(const int32 *) a;
	int32		right = *(const int32 *) b;

	CHECK_FOR_INTERRUPTS();
	return (left > right) - (left < right);
}

/* A question, and what is left out of its answers */
typedef struct Asking
{
	const Predictor *predictor;
	Side		side;
	int32		given;
	int32		relation;
	RowList		excluded;
} Asking;

static Triple
answered(const Asking *asking, int32 row)
{
	if (asking->side == SIDE_TAIL)
		return (Triple) {asking->given, asking->relation, row};
	return (Triple) {row, asking->relation, asking->given};
}

/*
 * Those that rules infer, with their scores.  They are added to the excluded: no rule raises
 * what is left.
 */
static int64
score_inferred(Asking *asking, ScoredRow **scored)
{
	const Predictor *predictor = asking->predictor;
	const KgeModel *kge = &predictor->model->kge;
	RowList	   *excluded = &asking->excluded;
	const EvCandidate *candidate;
	int64		count = ev_answer(predictor->answering, asking->side, asking->given, asking->relation,
							   hkg_leader(), POOL_LEADER, &candidate);
	int32	   *row = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int32) * (excluded->count + count + 1));
	int64		rows = excluded->count;
	int64		inferred = 0;

	*scored = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(ScoredRow) * (count + 1));
	memcpy(row, excluded->row, sizeof(int32) * rows);
	for (int64 i = 0; i < count; i++)
	{
		int32		entity = candidate[i].entity;
		ScoreParts		parts = {0, evidence_of_candidate(predictor->evidence, predictor->kind, &candidate[i])};
		double		score;

		if (rows > 0 && bsearch(&entity, excluded->row, excluded->count, sizeof(int32), compare_rows) != NULL)
			continue;
		if (predictor->kind == EV_BOTH)
			parts.phi = kge_score(kge, kge_asked(kge, answered(asking, entity), asking->side));
		row[rows++] = entity;
		score = predictor_score(predictor, asking->side, asking->relation, parts);
		if (!isnan(score))
			(*scored)[inferred++] = (ScoredRow) {parts, score, entity};
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	qsort(row, rows, sizeof(int32), compare_rows);
	excluded->row = row;
	excluded->count = rows;
	return inferred;
}

/* The best k of those that rules infer and of the `count` that are in `best` already. */
static int64
merge_best(const Asking *asking, ScoredRow *inferred, int64 inferred_count, Best *best, int64 count)
{
	const Predictor *predictor = asking->predictor;
	int64		all = inferred_count + count;
	ScoredRow  *scored = inferred == NULL ? palloc_extended(sizeof(ScoredRow) * (all + 1), MCXT_ALLOC_HUGE) :
	repalloc_huge(inferred, sizeof(ScoredRow) * (all + 1));

	for (int64 i = 0; i < count; i++)
	{
		ScoreParts		parts = {best->scores[i], 0};

		scored[inferred_count + i] = (ScoredRow) {parts,
			predictor_score(predictor, asking->side, asking->relation, parts), best->rows[i]};
	}
	qsort(scored, all, sizeof(ScoredRow), compare_scored_rows);
	all = Min(all, best->k);
	for (int64 i = 0; i < all; i++)
	{
		best->rows[i] = scored[i].row;
		best->scores[i] = scored[i].score;
		best->probabilities[i] = predictor_probability(predictor, scored[i].parts);
	}
	return all;
}

static void
predict_entities(Graph *graph, Asking *asking, int k, bool known, SqlResult *result)
{
	const Predictor *predictor = asking->predictor;
	const Model *model = predictor->model;
	const KgeModel *kge = &model->kge;
	Arena	arena = hkg_arena();
	uint64		search = predictor->kind == EV_RULES ? 0 : kge_top_bytes(kge, hkg_threads, k);
	Best		best = make_room(k, kge, search, sizeof(ScoredRow));
	ScoredRow  *inferred = NULL;
	int64		inferred_count = 0;
	int64		count = 0;

	if (!known)
		asking->excluded = known_rows(graph, model->entity_id, kge->entities,
									  asking->side == SIDE_TAIL ? "tail" : "head",
									  asking->side == SIDE_TAIL ? "head" : "tail", model->entity_id[asking->given],
									  "relation", model->relation_id[asking->relation]);
	if (!graph_is_reflexive(graph, model->relation_id[asking->relation]))
		exclude_row(&asking->excluded, asking->given);
	if (predictor->kind != EV_EMBEDDING)
		inferred_count = score_inferred(asking, &inferred);
	if (predictor->kind != EV_RULES)
		count = kge_top(&arena, model_pool(kge), kge, model->sketch, asking->side, asking->given, asking->relation,
						asking->excluded.row, asking->excluded.count, best.k, best.rows, best.scores);
	count = merge_best(asking, inferred, inferred_count, &best, count);
	return_rows(graph, "entity", model->entity_id, count, best.rows, best.scores, best.probabilities, result);
}

static Datum
predict_side(FunctionCallInfo fcinfo, Side side)
{
	char	   *first = argument_text(fcinfo, 1, side == SIDE_TAIL ? "head" : "relation");
	char	   *second = argument_text(fcinfo, 2, side == SIDE_TAIL ? "relation" : "tail");
	int			k = argument_int(fcinfo, 3, "k", 1, PG_INT32_MAX);
	bool		known = DatumGetBool(argument(fcinfo, 5, "known"));
	EvKind		kind = argument_evidence(fcinfo, 6);
	Call		call = call_begin(fcinfo, 4);
	Predictor		predictor = predictor_open(call.graph, call.model, kind);
	Asking		asking = {.predictor = &predictor,.side = side};

	asking.given = model_entity_row(predictor.model, call.graph, side == SIDE_TAIL ? first : second);
	asking.relation = model_relation_row(predictor.model, call.graph, side == SIDE_TAIL ? second : first);
	predict_entities(call.graph, &asking, k, known, call.result);
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

/* Every relation between two entities but the excluded ones, best first; NaN scores are left out. */
static int64
score_relations(const Predictor *predictor, int32 head, int32 tail, const RowList *excluded,
				ScoredRow *scored)
{
	const KgeModel *kge = &predictor->model->kge;
	int64		next = 0;
	int64		count = 0;

	for (int32 row = 0; row < kge->relations; row++)
	{
		Triple	triple = {head, row, tail};

		CHECK_FOR_INTERRUPTS();
		if (next < excluded->count && excluded->row[next] == row)
		{
			next++;
			continue;
		}
		scored[count].row = row;
		scored[count].parts = predictor_parts(predictor, triple);
		scored[count].score = predictor_score(predictor, SIDE_TAIL, row, scored[count].parts);
		if (!isnan(scored[count].score) && (predictor->kind != EV_RULES || scored[count].score > 0))
			count++;
	}
	qsort(scored, count, sizeof(ScoredRow), compare_scored_rows);
	return count;
}

static void
predict_relations(Graph *graph, const Predictor *predictor, int32 head, int32 tail,
				  int k, bool known, SqlResult *result)
{
	const Model *model = predictor->model;
	const KgeModel *kge = &model->kge;
	Size		room = kge->relations;
	ScoredRow  *scored = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(ScoredRow));
	int32	   *rows = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(int32));
	double	   *scores = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(double));
	double	   *probabilities = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(double));
	RowList		excluded = {0};
	int64		count;

	if (!known)
		excluded = known_rows(graph, model->relation_id, kge->relations, "relation",
							  "head", model->entity_id[head], "tail", model->entity_id[tail]);
	count = Min(k, score_relations(predictor, head, tail, &excluded, scored));
	for (int64 i = 0; i < count; i++)
	{
		rows[i] = scored[i].row;
		scores[i] = scored[i].score;
		probabilities[i] = predictor_probability(predictor, scored[i].parts);
	}
	return_rows(graph, "relation", model->relation_id, count, rows, scores, probabilities, result);
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
	Predictor		predictor = predictor_open(call.graph, call.model, kind);
	int32		head = model_entity_row(predictor.model, call.graph, head_name);
	int32		tail = model_entity_row(predictor.model, call.graph, tail_name);

	predict_relations(call.graph, &predictor, head, tail, k, known, call.result);
	return call_end(&call);
}

/* ---- neighbours --------------------------------------------------------------------- */

HKG_FUNCTION(hkg_neighbors);
Datum
hkg_neighbors(PG_FUNCTION_ARGS)
{
	char	   *name = argument_text(fcinfo, 1, "entity");
	int			k = argument_int(fcinfo, 2, "k", 1, PG_INT32_MAX);
	Call		call = call_begin(fcinfo, 3);
	const Model *model = model_open(call.graph, call.model);
	const KgeModel *kge = &model->kge;
	int32		entity = model_entity_row(model, call.graph, name);
	Arena	arena = hkg_arena();
	Best		best = make_room(k, kge, kge_neighbors_bytes(kge, k), 0);
	int64		count = kge_neighbors(&arena, model_pool(kge), kge, entity,
									  best.k, best.rows, best.scores);

	return_rows(call.graph, "entity", model->entity_id, count, best.rows, best.scores, best.scores,
				call.result);
	return call_end(&call);
}
