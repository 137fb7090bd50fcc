/*
 * complete.c
 *		hkg_complete: the most plausible missing facts of a graph, each with its best rule.
 *
 * src/kge finds the facts, best_rule.c the rules.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/argument.h"
#include "server/array.h"
#include "best_rule.h"
#include "model/predictor.h"
#include "server/host.h"
#include "graph/call.h"
#include "server/growing_array.h"

/* ---- facts --------------------------------------------------------------------------- */

typedef struct Facts
{
	const Model *model;
	Triple	   *triple;			/* in the model's rows, by (relation, head, tail) */
	int64		count;
	int64		room;
} Facts;

/* Facts about what the model has no row for are left out. */
static void
take_fact(void *argument, const Datum *values, const bool *nulls)
{
	Facts	   *facts = argument;
	Triple		triple = model_triple(facts->model, (Triple) {
		DatumGetInt32(values[0]), DatumGetInt32(values[1]), DatumGetInt32(values[2])
	});

	if (triple.head < 0 || triple.relation < 0 || triple.tail < 0)
		return;
	if (facts->count == facts->room)
		hkg_check_memory_or(3 * facts->room * sizeof(Triple), "a list of missing facts", "ask for those of one relation");
	facts->triple = array_reserve(facts->triple, facts->count + 1, &facts->room, sizeof(Triple));
	facts->triple[facts->count++] = triple;
}

/* relation: NULL for all */
static Facts
read_facts(Graph *graph, const Model *model, const char *relation)
{
	Facts		facts = {.model = model};
	SqlArgs		args = {0};

	if (relation != NULL)
		sql_arg(&args, INT4OID, Int32GetDatum(model->relation_id[model_relation_row(model, graph, relation)]));
	sql_stream(psprintf("select head::int, relation::int, tail::int from %striple %s order by relation, head, tail",
						graph->prefix, relation == NULL ? "" : "where relation = $1"),
			   &args, take_fact, &facts);
	return facts;
}

/* Best first */
typedef struct MissingList
{
	Triple	   *triple;			/* by ids */
	double	   *score;
	double	   *probability;
	int64		count;
} MissingList;

/* ---- the function ------------------------------------------------------------------------- */

/* Adds what was found, unless it is too improbable, or with rules alone, no rule infers it. */
static void
add_missing(MissingList *list, const Predictor *predictor, const KgeScored *scored, double min_probability)
{
	const Model *model = predictor->model;
	ScoreParts	parts = {scored->phi, scored->addition};
	double		probability = predictor_probability(predictor, parts);

	if (probability < min_probability || (predictor->kind == EV_RULES && scored->addition == 0))
		return;
	list->triple[list->count] = (Triple) {
		model->entity_id[scored->triple.head], model->relation_id[scored->triple.relation],
		model->entity_id[scored->triple.tail]
	};
	list->score[list->count] = scored->score;
	list->probability[list->count++] = probability;
}

/* For finding the best k, and for returning as many as there can be */
static uint64
bytes_needed(Pool *pool, const Scoring *scoring, const Facts *facts, int k)
{
	int64		listed = Min(k, facts->count * scoring->kge.entities);

	return kge_complete_bytes(pool, &scoring->kge, scoring->adjustment, facts->triple, facts->count, k) +
		facts->room * sizeof(Triple) + listed * (sizeof(Triple) + 2 * sizeof(double)) + best_rule_bytes(listed);
}

static MissingList
find_missing(Graph *graph, const Predictor *predictor, const char *relation, int k, double min_probability)
{
	Arena		arena = hkg_arena();
	Pool	   *pool = hkg_pool();
	MissingList list = {0};
	const KgeScored *best = NULL;
	Scoring		scoring;
	Facts		facts;
	int64		count;

	scoring_open(predictor->evidence, predictor->kind, predictor->model->kge, pool_threads(pool), &scoring);
	facts = read_facts(graph, predictor->model, relation);
	hkg_check_memory_or(bytes_needed(pool, &scoring, &facts, k),
						psprintf("a list of %d missing facts", k), "ask for a smaller k");
	count = kge_complete(&arena, pool, &scoring.kge, scoring.adjustment, facts.triple, facts.count, k, &best);
	list.triple = array_new(Triple, count);
	list.score = array_new(double, count);
	list.probability = array_new(double, count);
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_missing(&list, predictor, &best[i], min_probability);
	}
	return list;
}

static void
return_missing(const Graph *graph, const char *model, const MissingList *list, const BestRule *rule,
			   SqlResult *result)
{
	char	   *query = psprintf("select h.name::text, r.name::text, t.name::text, u.score, u.probability, coalesce(u.counted, l.rule::text) "
								 "from unnest($1::int[], $2::int[], $3::int[], $4::float8[], $5::float8[], $6::int[], $7::text[]) "
								 "with ordinality as u (head, relation, tail, score, probability, rule, counted, place) "
								 "join %1$sentity h on h.id = u.head "
								 "join %1$srelation r on r.id = u.relation "
								 "join %1$sentity t on t.id = u.tail "
								 "left join %1$srule l on l.model = $8 and l.id = u.rule "
								 "order by u.place", graph->prefix);

	for (int64 first = 0; first < list->count; first += NAMED_ROWS)
	{
		int			count = (int) Min(NAMED_ROWS, list->count - first);
		SqlArgs		args = {0};

		arg_triples(&args, list->triple + first, count);
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(list->score + first, count));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(list->probability + first, count));
		arg_best_rules(&args, rule + first, count);
		sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
		sql_result_query(result, query, &args);
		sql_args_free(&args);
	}
}

HKG_FUNCTION(hkg_complete);
Datum
hkg_complete(PG_FUNCTION_ARGS)
{
	char	   *relation = PG_ARGISNULL(1) ? NULL : argument_text(fcinfo, 1, "relation");
	int			k = argument_int(fcinfo, 2, "k", 1, PG_INT32_MAX);
	double		min_probability = argument_float(fcinfo, 3, "min_probability", 0, 1);
	EvKind		kind = argument_evidence(fcinfo, 5);
	Call		call = call_begin(fcinfo, 4);
	Predictor	predictor = predictor_open(call.graph, call.model, kind);
	MissingList list = find_missing(call.graph, &predictor, relation, k, min_probability);
	BestRule   *rule = best_rule_of_each(call.graph, call.model, predictor.evidence, list.triple, list.count);

	return_missing(call.graph, call.model, &list, rule, call.result);
	return call_end(&call);
}
