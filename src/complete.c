/*
 * complete.c
 *		hkg_complete: the most plausible facts that a graph lacks, each with its best rule.
 *
 * src/kge finds them among the model's rows, with the facts as what is known; explain.c
 * the rules.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "argument.h"
#include "array.h"
#include "evidence.h"
#include "explain.h"
#include "hybridkg.h"
#include "inquiry.h"
#include "model.h"

/* rows named in one statement */
#define NAMED_ROWS 65536

/* ---- what is known ------------------------------------------------------------------- */

typedef struct Facts
{
	const Model *model;
	KgeTriple  *triple;			/* in the model's rows, by (relation, head, tail) */
	int64		count;
	int64		room;
} Facts;

/* Facts about what the model does not know ask nothing and answer nothing. */
static void
take_fact(void *argument, const Datum *values, const bool *nulls)
{
	Facts	   *facts = argument;
	const Model *model = facts->model;
	KgeTriple	triple = {
		graph_row(model->entity_id, model->kge.entities, DatumGetInt32(values[0])),
		graph_row(model->relation_id, model->kge.relations, DatumGetInt32(values[1])),
		graph_row(model->entity_id, model->kge.entities, DatumGetInt32(values[2]))
	};

	if (triple.head < 0 || triple.relation < 0 || triple.tail < 0)
		return;
	if (facts->count == facts->room)
	{
		facts->room *= 2;
		facts->triple = repalloc_huge(facts->triple, facts->room * sizeof(KgeTriple));
	}
	facts->triple[facts->count++] = triple;
}

/* relation: NULL for all */
static Facts
read_facts(Graph *graph, const Model *model, const char *relation)
{
	Facts		facts = {.model = model,.room = 1024};
	SqlArgs		args = {0};

	facts.triple = palloc(facts.room * sizeof(KgeTriple));
	if (relation != NULL)
		sql_arg(&args, INT4OID, Int32GetDatum(model->relation_id[model_relation_row(model, graph, relation)]));
	sql_stream(psprintf("select head::int, relation::int, tail::int from %striple %s order by relation, head, tail",
						graph->prefix, relation == NULL ? "" : "where relation = $1"),
			   &args, take_fact, &facts);
	return facts;
}

typedef struct Missing
{
	KgeTriple	triple;			/* by ids */
	double		score;
	double		probability;
} Missing;

typedef struct MissingList
{
	Missing    *missing;		/* best first */
	int32	   *rule;			/* of each: id of the best that infers it, or NO_RULE */
	int64		count;
} MissingList;

static void
find_rules(const Graph *graph, const char *model, MissingList *list)
{
	KgeTriple  *triple = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(KgeTriple) * Max(list->count, 1));

	for (int64 i = 0; i < list->count; i++)
		triple[i] = list->missing[i].triple;
	list->rule = best_rule_of_each(graph, model, triple, list->count);
	pfree(triple);
}

/* ---- the function ------------------------------------------------------------------------- */

/* Adds what was found, unless it is too improbable, or all that it has is no rule. */
static void
add_missing(MissingList *list, const Hearing *hearing, const KgeScored *scored, double min_probability)
{
	const Model *model = hearing->model;
	Heard		heard = {scored->phi, scored->addition};
	double		probability = evidence_probability(model, hearing->kind, heard);

	if (probability < min_probability || (hearing->kind == EV_RULES && scored->addition == 0))
		return;
	list->missing[list->count++] = (Missing) {
		{model->entity_id[scored->triple.head], model->relation_id[scored->triple.relation],
		model->entity_id[scored->triple.tail]}, scored->score, probability
	};
}

static MissingList
find_missing(Graph *graph, const char *name, const char *relation, int k, double min_probability, EvKind kind)
{
	KgeArena	arena = hkg_arena();
	KgePool    *pool = hkg_pool();
	MissingList list = {0};
	const KgeScored *best = NULL;
	Hearing		hearing = evidence_hear(graph, name, kind);
	Scoring		scoring;
	Facts		facts;
	int64		count;

	evidence_scoring(hearing.evidence, hearing.kind, hearing.model->kge, kge_pool_threads(pool), &scoring);
	facts = read_facts(graph, hearing.model, relation);
	hkg_check_memory_or(kge_complete_bytes(pool, &scoring.kge, scoring.opinion, facts.triple, facts.count, k),
						psprintf("a list of %d missing facts", k), "ask for a smaller k");
	count = kge_complete(&arena, pool, &scoring.kge, scoring.opinion, facts.triple, facts.count, k, &best);
	list.missing = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Missing) * Max(count, 1));
	for (int64 i = 0; i < count; i++)
		add_missing(&list, &hearing, &best[i], min_probability);
	return list;
}

/* Some of the list as columns: head, relation, tail, rule; score, probability. */
typedef struct Columns
{
	int32		id[4][NAMED_ROWS];
	double		number[2][NAMED_ROWS];
} Columns;

static void
fill_columns(Columns *columns, const Missing *missing, const int32 *rule, int count)
{
	for (int i = 0; i < count; i++)
	{
		columns->id[0][i] = missing[i].triple.head;
		columns->id[1][i] = missing[i].triple.relation;
		columns->id[2][i] = missing[i].triple.tail;
		columns->id[3][i] = rule[i];
		columns->number[0][i] = missing[i].score;
		columns->number[1][i] = missing[i].probability;
	}
}

static void
return_missing(const Graph *graph, const char *model, const MissingList *list, SqlResult *result)
{
	Columns    *columns = palloc(sizeof(Columns));
	char	   *query = psprintf("select h.name::text, r.name::text, t.name::text, u.score, u.probability, l.rule::text "
								 "from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::float8[], $6::float8[]) "
								 "with ordinality as u (head, relation, tail, rule, score, probability, place) "
								 "join %1$sentity h on h.id = u.head "
								 "join %1$srelation r on r.id = u.relation "
								 "join %1$sentity t on t.id = u.tail "
								 "left join %1$srule l on l.model = $7 and l.id = u.rule "
								 "order by u.place", graph->prefix);

	for (int64 first = 0; first < list->count; first += NAMED_ROWS)
	{
		int			count = (int) Min(NAMED_ROWS, list->count - first);
		SqlArgs		args = {0};

		fill_columns(columns, list->missing + first, list->rule + first, count);
		for (int i = 0; i < 4; i++)
			sql_arg(&args, INT4ARRAYOID, array_of_int4(columns->id[i], count));
		for (int i = 0; i < 2; i++)
			sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(columns->number[i], count));
		sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
		sql_result_query(result, query, &args);
		for (int i = 0; i < args.count; i++)
			pfree(DatumGetPointer(args.values[i]));
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
	Inquiry		inquiry = inquiry_begin(fcinfo, 4);
	MissingList list = find_missing(inquiry.graph, inquiry.model, relation, k, min_probability, kind);

	find_rules(inquiry.graph, inquiry.model, &list);
	return_missing(inquiry.graph, inquiry.model, &list, inquiry.result);
	return inquiry_end(&inquiry);
}
