/*
 * rejected_answers.c
 *		The triples of table rejected, as answers that no question has (see rejected_answers.h).
 */
#include "rejected_answers.h"

#include <limits.h>

#include "core/search.h"
#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

/* ---- reading ------------------------------------------------------------------- */

typedef struct RejectedReading
{
	const AddedEntities *added;
	RejectedAnswers *rejected;
	int64		room[2];
} RejectedReading;

static void
take_rejected(void *argument, const Datum *values, const bool *nulls)
{
	RejectedReading *reading = argument;
	RejectedAnswers *rejected = reading->rejected;
	Triple		triple = added_entities_triple(reading->added, (Triple) {
		DatumGetInt32(values[0]), DatumGetInt32(values[1]), DatumGetInt32(values[2])
	});

	if (triple.head < 0 || triple.relation < 0 || triple.tail < 0)
		return;
	if (rejected->count == reading->room[0])
		hkg_check_memory_or(6 * rejected->count * sizeof(Triple), "the rejected triples", "keep fewer of them in the graph");
	for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
	{
		rejected->triple[side] = array_reserve(rejected->triple[side], rejected->count + 1, &reading->room[side],
											   sizeof(Triple));
		rejected->triple[side][rejected->count] = (Triple) {
			triple_given(&triple, (Side) side), triple.relation, triple_answer(&triple, (Side) side)
		};
	}
	rejected->count++;
}

RejectedAnswers *
rejected_answers_read(const Graph *graph, const AddedEntities *added)
{
	RejectedReading reading = {.added = added};

	if (!graph_may_read(graph, "rejected") || !graph_may_read(graph, "triple"))
		return NULL;
	reading.rejected = palloc0(sizeof(RejectedAnswers));
	sql_stream(psprintf("select x.head::int, x.relation::int, x.tail::int from %s x where not exists "
						"(select from %s f where f.head = x.head and f.relation = x.relation and f.tail = x.tail)",
						graph_table_name(graph, "rejected"), graph_table_name(graph, "triple")),
			   SQL_NO_ARGS, take_rejected, &reading);
	for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
		sort_array(hkg_leader(), POOL_LEADER, reading.rejected->triple[side], reading.rejected->count, sizeof(Triple),
				   triple_compare);
	return reading.rejected;
}

/* ---- of a question --------------------------------------------------------------- */

/* The first of those of a question; `end`: behind the last */
static int64
first_of(const RejectedAnswers *rejected, Side side, int32 given, int32 relation, int64 *end)
{
	Triple		least = {given, relation, INT_MIN};
	Triple		most = {given, relation, INT_MAX};
	int64		first = lower_bound(rejected->triple[side], 0, rejected->count, sizeof(Triple), &least, triple_compare);

	*end = lower_bound(rejected->triple[side], first, rejected->count, sizeof(Triple), &most, triple_compare);
	return first;
}

int64
rejected_answers_count(const RejectedAnswers *rejected, Side side, int32 given, int32 relation)
{
	int64		end;
	int64		first = first_of(rejected, side, given, relation, &end);

	return end - first;
}

int64
rejected_answers_merge(const RejectedAnswers *rejected, Side side, int32 given, int32 relation, int32 *row, int64 count)
{
	const Triple *triple = rejected->triple[side];
	int64		end;
	int64		first = first_of(rejected, side, given, relation, &end);
	int64		all = count + end - first;

	/* from the last one on, so that each row moves once */
	for (int64 i = all; end > first;)
		row[--i] = count > 0 && row[count - 1] > triple[end - 1].tail ? row[--count] : triple[--end].tail;
	return all;
}
