/*
 * found_rows.c
 *		The best rows of a model (see found_rows.h).  One statement turns them into names.
 */
#include "found_rows.h"

#include "catalog/pg_type.h"

#include "core/sort.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

int
scored_row_compare(const void *a, const void *b)
{
	const ScoredRow *left = a;
	const ScoredRow *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

EvJudged
scored_row_judged(const ScoredRow *scored, EvQuestionScores question)
{
	return (EvJudged) {scored->score, scored->parts.phi, scored->parts.evidence, question};
}

FoundRows
found_rows_open(Arena arena, int64 room, Size more, const char *what)
{
	FoundRows	found = {.room = room};

	found.arena = hkg_within_memory(arena, room * (sizeof(int32) + 2 * sizeof(double) + more),
									psprintf("a list of " INT64_FORMAT " %s", room, what), "ask for a smaller k");
	found.row = array_new(int32, room);
	found.score = array_new(double, room);
	found.probability = array_new(double, room);
	return found;
}

void
found_rows_take(FoundRows *found, ScoredRow *scored, int64 count, int (*compare) (const void *, const void *))
{
	sort_array(hkg_leader(), POOL_LEADER, scored, count, sizeof(ScoredRow), compare);
	found->count = Min(count, found->room);
	for (int64 i = 0; i < found->count; i++)
	{
		found->row[i] = scored[i].row;
		found->score[i] = scored[i].score;
	}
}

void
found_rows_return(const FoundRows *found, const Graph *graph, const Predictor *predictor, bool entities,
				  SqlResult *result)
{
	int32	   *id = palloc(sizeof(int32) * Min(found->count, NAMED_ROWS));
	char	   *query = psprintf("select e.name::text, u.score, nullif(u.probability, 'NaN') "
								 "from unnest($1::int[], $2::float8[], $3::float8[]) "
								 "with ordinality as u (id, score, probability, place) "
								 "join %s%s e on e.id = u.id order by u.place",
								 graph->prefix, entities ? "entity" : "relation");

	for (int64 first = 0; first < found->count; first += NAMED_ROWS)
	{
		int			some = (int) Min(NAMED_ROWS, found->count - first);
		SqlArgs		args = {0};

		for (int i = 0; i < some; i++)
			id[i] = entities ? added_entities_id(predictor->added, found->row[first + i]) :
				predictor->model->relation_id[found->row[first + i]];
		sql_arg(&args, INT4ARRAYOID, array_of_int4(id, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(found->score + first, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(found->probability + first, some));
		sql_stream_often(query, &args, sql_add_to_result, result);
		sql_args_free(&args);
	}
}
