/*
 * drawn_questions.c
 *		_hkg_drawn_questions: a sample of the questions that users ask.
 *
 * The questions are those of doc/method.md, "Probabilities" (evidence/question_domain.c).  Each group of all relations
 * together, entities with known answers and entities like them, is a list, of which every n-th is taken.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "graph/call.h"
#include "model/predictor.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Every n-th of a list that comes in parts */
typedef struct EveryNth
{
	int64		step;
	int64		next;			/* how many are left out before the next one */
} EveryNth;

static EveryNth
every_nth(int64 count, int64 wanted)
{
	int64		step = Max((count + wanted - 1) / wanted, 1);

	return (EveryNth) {step, step / 2};
}

/* Ids of the entities first .. end - 1 that are drawn */
static void
draw(const Predictor *predictor, EveryNth *nth, const EvDomain *domain, int64 first, int64 end, Numbers *ids)
{
	int64		place = first + nth->next;

	for (; place < end; place += nth->step)
		numbers_append(ids, added_entities_id(predictor->added, domain->entity[place]));
	nth->next = place - end;
}

HKG_FUNCTION(hkg_drawn_questions);
Datum
hkg_drawn_questions(PG_FUNCTION_ARGS)
{
	int			wanted = argument_int(fcinfo, 2, "wanted", 1, PG_INT32_MAX);
	Call		call = call_begin(fcinfo, 1);
	Predictor	predictor = predictor_open(call.graph, call.model, EV_BOTH);
	const FactIndex *facts = predictor_facts(&predictor, call.graph);
	int32		keys = 2 * predictor.model->kge.relations;
	Arena		arena = hkg_arena();
	int64		known = 0;
	int64		alike = 0;
	EvDomainFinder *finder;
	EveryNth	of_known;
	EveryNth	of_alike;

	hkg_check_memory(ev_domain_finder_bytes(facts), "drawing questions");
	finder = ev_domain_finder(&arena, facts, EV_ALIKE);
	/* 1. how many there are */
	for (int32 key = 0; key < keys; key++)
	{
		EvDomain	domain = ev_domain(finder, asked_atom(key / 2, (Side) (key % 2)), hkg_leader(), POOL_LEADER);

		known += domain.holders;
		alike += domain.alike;
	}
	/* 2. every n-th of each group */
	of_known = every_nth(known, wanted);
	of_alike = every_nth(alike, wanted);
	for (int32 key = 0; key < keys; key++)
	{
		Side		side = (Side) (key % 2);
		EvDomain	domain = ev_domain(finder, asked_atom(key / 2, side), hkg_leader(), POOL_LEADER);
		Numbers		ids = {0};
		Datum		row[3];

		draw(&predictor, &of_known, &domain, 0, domain.holders, &ids);
		draw(&predictor, &of_alike, &domain, domain.holders, domain.holders + domain.alike, &ids);
		if (ids.count == 0)
			continue;
		row[0] = Int32GetDatum(predictor.model->relation_id[key / 2]);
		row[1] = BoolGetDatum(side == SIDE_TAIL);
		row[2] = array_of_int4(ids.value, (int) ids.count);
		sql_result_row(call.result, row, (const bool[3]) {false});
	}
	return call_end(&call);
}
