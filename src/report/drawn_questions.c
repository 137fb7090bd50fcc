/*
 * drawn_questions.c
 *		A sample of the questions that users ask, with their best answers (see drawn_questions.h).
 *
 * The questions are those of doc/method.md, "Probabilities" (evidence/question_domain.c).  Each group of all relations
 * together is a list, of which every n-th is taken.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "drawn_questions.h"
#include "model/predictor.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Every n-th of a list that comes in parts */
typedef struct EveryNth
{
	int64		step;
	int64		next;			/* how many are left out before the next one */
} EveryNth;

typedef struct Drawing
{
	Report	   *report;
	Predictor	predictor;
	EvDomainFinder *finder;
	EveryNth	known;			/* with known answers */
	EveryNth	alike;
} Drawing;

static EveryNth
every_nth(int64 count, int64 wanted)
{
	int64		step = Max((count + wanted - 1) / Max(wanted, 1), 1);

	return (EveryNth) {step, step / 2};
}

static void
open_drawing(Drawing *drawing, const char *model, int64 wanted)
{
	Arena		arena = hkg_arena();
	int64		known = 0;
	int64		alike = 0;
	const FactIndex *facts;

	drawing->predictor = predictor_open(drawing->report->graph, model, EV_BOTH);
	facts = predictor_facts(&drawing->predictor, drawing->report->graph);
	hkg_check_memory(ev_domain_finder_bytes(facts), "drawing questions");
	drawing->finder = ev_domain_finder(&arena, facts, EV_ALIKE);
	for (int32 key = 0; key < 2 * drawing->predictor.model->kge.relations; key++)
	{
		EvDomain	domain = ev_domain(drawing->finder, asked_atom(key / 2, (Side) (key % 2)), hkg_leader(), POOL_LEADER);

		known += domain.holders;
		alike += domain.alike;
	}
	drawing->known = every_nth(known, wanted);
	drawing->alike = every_nth(alike, wanted);
}

/* Ids of the entities first .. end - 1 that are drawn */
static void
draw(Drawing *drawing, EveryNth *nth, const EvDomain *domain, int64 first, int64 end, Numbers *ids)
{
	int64		place = first + nth->next;

	for (; place < end; place += nth->step)
		numbers_append(ids, added_entities_id(drawing->predictor.added, domain->entity[place]));
	nth->next = place - end;
}

static char *
answers_of(const Drawing *drawing, Side side)
{
	const char *prefix = drawing->report->graph->prefix;
	const char *given = psprintf("array(select g.name::text from %sentity g where g.id = any ($2))", prefix);
	const char *relation = psprintf("(select g.name::text from %srelation g where g.id = $1)", prefix);

	return psprintf("%s%s(%s, %s, %s, 10, $3::name)", drawing->report->functions,
					side == SIDE_TAIL ? "hkg_predict_tails" : "hkg_predict_heads",
					quote_literal_cstr(drawing->report->graph->name), side == SIDE_TAIL ? given : relation,
					side == SIDE_TAIL ? relation : given);
}

int64
ask_drawn_questions(Report *report, const char *model, int64 wanted, const char *query, SqlRow row, void *argument)
{
	Drawing		drawing = {.report = report};
	int64		count = 0;

	open_drawing(&drawing, model, wanted);
	for (int32 key = 0; key < 2 * drawing.predictor.model->kge.relations; key++)
	{
		Side		side = (Side) (key % 2);
		EvDomain	domain = ev_domain(drawing.finder, asked_atom(key / 2, side), hkg_leader(), POOL_LEADER);
		Numbers		ids = {0};
		SqlArgs		args = {0};

		draw(&drawing, &drawing.known, &domain, 0, domain.holders, &ids);
		draw(&drawing, &drawing.alike, &domain, domain.holders, domain.holders + domain.alike, &ids);
		if (ids.count == 0)
			continue;
		sql_arg(&args, INT4OID, Int32GetDatum(drawing.predictor.model->relation_id[key / 2]));
		sql_arg(&args, INT4ARRAYOID, array_of_int4(ids.value, (int) ids.count));
		sql_arg_text(&args, model);
		sql_stream(psprintf("with answers as (select * from %s) %s", answers_of(&drawing, side), query), &args,
				   row, argument);
		count += ids.count;
	}
	return count;
}
