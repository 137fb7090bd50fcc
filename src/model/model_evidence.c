/*
 * model_evidence.c
 *		What the rules of a model say at prediction: read from the tables, learnt, written.
 */
#include "model_evidence.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "server/argument.h"
#include "server/host.h"
#include "graph/call.h"
#include "server/growing_array.h"
#include "rule_table.h"
#include "server/sql.h"

/* Where there is nothing to learn from: about what three benchmark graphs taught (bench/RESULTS.md) */
#define USUAL_DISCOUNT 0.25
#define USUAL_WEIGHT 1.5

/* a thread more for each so many facts to put in order: some milliseconds' work */
#define FACTS_A_THREAD 50000

static const char *const kinds[] = {"embedding", "rules", "both", NULL};
static const char *const sides[] = {"head", "tail"};

EvKind
argument_evidence(FunctionCallInfo fcinfo, int i)
{
	return (EvKind) argument_choice(argument_text(fcinfo, i, "evidence"), "evidence", kinds);
}

const char *
evidence_name(EvKind kind)
{
	return kinds[kind];
}

/* ---- rules ------------------------------------------------------ */

/* What table rule has, as far as all its names are among the rows */
typedef struct RuleRows
{
	const int32 *entity_id;
	int32		entities;
	const int32 *relation_id;
	int32		relations;
	EvRule	   *path;
	int64		paths;
	int64		path_room;
	EvPattern  *pattern;
	int64		patterns;
	int64		pattern_room;
} RuleRows;

/* The other end of a body's atom, and its direction; false when the atom has no such end. */
static bool
leave(const Atom *atom, Term from, Term *to, bool *backwards)
{
	*backwards = atom->second == from;
	*to = *backwards ? atom->first : atom->second;
	return atom->first == from || atom->second == from;
}

/*
 * The rule as a path from X to Y, each atom and each variable once; false when it is none.  In a closed
 * path rule each variable but X and Y stands in two atoms, so that there is one way to go.
 */
static bool
path_of_rule(const RuleRows *rows, const Rule *rule, EvRule *path)
{
	unsigned	used = 0;
	unsigned	visited = 1u << (-1 - TERM_X);
	Term		at = TERM_X;

	path->length = rule->length;
	for (int i = 0; i < rule->length; i++)
	{
		int			next = 0;
		Term		to = TERM_X;
		bool		backwards = false;
		int32		row;

		while (next < rule->length && ((used & (1u << next)) != 0 || !leave(&rule->body[next], at, &to, &backwards)))
			next++;
		if (next == rule->length || !TERM_IS_VARIABLE(to) || rule->body[next].relation == RULE_IS ||
			(visited & (1u << (-1 - to))) != 0)
			return false;
		row = graph_row(rows->relation_id, rows->relations, rule->body[next].relation);
		if (row < 0)
			return false;
		path->atom[i] = EV_FORWARDS(row) + backwards;
		used |= 1u << next;
		visited |= 1u << (-1 - to);
		at = to;
		if ((at == TERM_Y) != (i == rule->length - 1))
			return false;
	}
	return rule->length > 0;
}

static bool
row_of_term(const RuleRows *rows, Term term, int32 *row)
{
	*row = TERM_IS_VARIABLE(term) ? term : graph_row(rows->entity_id, rows->entities, term);
	return TERM_IS_VARIABLE(term) ? term >= -EV_MAX_VARIABLES : *row >= 0;
}

/* False when the rule names what has no row: it infers nothing then. */
static bool
pattern_of_rule(const RuleRows *rows, const Rule *rule, EvPattern *pattern)
{
	pattern->length = rule->length;
	for (int i = 0; i < rule->length; i++)
	{
		const Atom *atom = &rule->body[i];
		EvAtom	   *matched = &pattern->atom[i];

		matched->relation = atom->relation == RULE_IS ? EV_IS :
			graph_row(rows->relation_id, rows->relations, atom->relation);
		if ((matched->relation < 0 && atom->relation != RULE_IS) ||
			!row_of_term(rows, atom->first, &matched->first) || !row_of_term(rows, atom->second, &matched->second))
			return false;
	}
	return rule->length > 0;
}

static void
take_rule(void *argument, const Datum *values, const bool *nulls)
{
	RuleRows   *rows = argument;
	Rule		rule = {0};
	int32		id = DatumGetInt32(values[0]);
	int32		relation = graph_row(rows->relation_id, rows->relations, DatumGetInt32(values[1]));
	float		confidence = (float) DatumGetFloat8(values[3]);
	EvRule		path = {.relation = relation,.confidence = confidence,.id = id};
	EvPattern	pattern = {.relation = relation,.confidence = confidence,.id = id};

	rule_from_array(DatumGetInt32(values[1]), values[2], &rule);
	if (rows->paths == rows->path_room || rows->patterns == rows->pattern_room)
		hkg_check_memory(3 * (rows->path_room * sizeof(EvRule) + rows->pattern_room * sizeof(EvPattern)),
						 "the evidence of rules");
	if (!(confidence > 0 && confidence <= 1) || relation < 0)
		return;
	if (path_of_rule(rows, &rule, &path))
	{
		rows->path = array_reserve(rows->path, rows->paths + 1, &rows->path_room, sizeof(EvRule));
		rows->path[rows->paths++] = path;
	}
	else if (pattern_of_rule(rows, &rule, &pattern))
	{
		rows->pattern = array_reserve(rows->pattern, rows->patterns + 1, &rows->pattern_room, sizeof(EvPattern));
		rows->pattern[rows->patterns++] = pattern;
	}
}

static EvRuleSet
read_rules(const Graph *graph, const char *model, const int32 *entity_id, int32 entities,
		   const int32 *relation_id, int32 relations)
{
	RuleRows	rows = {.entity_id = entity_id,.entities = entities,.relation_id = relation_id,.relations = relations};
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_stream(psprintf("select id::int, " RULE_COLUMNS ", evidence_confidence::float8 from %srule "
						"where model = $1 and evidence_confidence is not null order by id",
						graph->prefix), &args, take_rule, &rows);
	return (EvRuleSet) {rows.path, rows.paths, rows.pattern, rows.patterns};
}

/* ---- facts, as rows of the model -------------------------------------------------- */

static int32 *
rows_of(const int32 *ids, int32 count, const int32 *known, int32 known_count)
{
	int32	   *rows = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int32) * Max(count, 1));

	for (int32 i = 0; i < count; i++)
		rows[i] = graph_row(known, known_count, ids[i]);
	return rows;
}

/* The graph in the model's rows, in place; facts about what the model does not know are left out. */
static GraphData *
translated(GraphData *data, const Model *model)
{
	int32	   *entity = rows_of(data->entity_id, data->entities, model->entity_id, model->kge.entities);
	int32	   *relation = rows_of(data->relation_id, data->relations, model->relation_id, model->kge.relations);
	int64		count = 0;

	for (int64 i = 0; i < data->facts; i++)
	{
		Triple	fact = data->fact[i];

		CHECK_FOR_INTERRUPTS();
		fact = (Triple) {entity[fact.head], relation[fact.relation], entity[fact.tail]};
		if (fact.head >= 0 && fact.relation >= 0 && fact.tail >= 0)
			data->fact[count++] = fact;
	}
	*data = (GraphData) {model->kge.entities, model->entity_id, model->kge.relations, model->relation_id,
		count, data->fact};
	return data;
}

/* ---- weights ------------------------------------------------------------------------ */

typedef struct WeightRows
{
	EvWeights  *weights;		/* a scale of NaN: none was read */
	const int32 *relation_id;
	int32		relations;
	char	   *fault;			/* the first row that holds no weight, and why */
	int32		faulty;			/* its relation, whose name takes a query that has to wait for the end of this one */
	int			side;
} WeightRows;

/* As the end of a sentence; NULL when they are weights. */
static char *
weight_fault(double scale, double weight)
{
	if (!(scale > 0 && isfinite(scale)))
		return psprintf("holds the scale %g, expected a finite number above 0", scale);
	if (!(weight >= 0 && isfinite(weight)))
		return psprintf("holds the weight %g, expected a finite number of at least 0", weight);
	return NULL;
}

static void
take_weight(void *argument, const Datum *values, const bool *nulls)
{
	WeightRows *rows = argument;
	EvWeights  *weights = rows->weights;
	int32		row = graph_row(rows->relation_id, rows->relations, DatumGetInt32(values[0]));
	int32		key;

	if (row < 0 || rows->fault != NULL)
		return;
	rows->faulty = DatumGetInt32(values[0]);
	rows->side = DatumGetBool(values[1]) ? SIDE_HEAD : SIDE_TAIL;
	key = 2 * row + rows->side;
	if (nulls[2] || nulls[3])
		rows->fault = pstrdup("holds a null");
	else if (!isnan(weights->scale[key]))
		rows->fault = pstrdup("is there twice");
	else
	{
		weights->scale[key] = DatumGetFloat8(values[2]);
		weights->weight[key] = DatumGetFloat8(values[3]);
		rows->fault = weight_fault(weights->scale[key], weights->weight[key]);
	}
}

static void
raise_weight_fault(Graph *graph, const char *model, const WeightRows *rows)
{
	if (rows->fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("row of relation \"%s\", side %s, in %sevidence_weight %s", graph_relation_name(graph, rows->faulty),
						sides[rows->side], graph->prefix, rows->fault),
				 errdetail("It belongs to model \"%s\".", model),
				 errhint("Call hkg_learn_evidence, which writes it anew, or have the usual weights: delete from %sevidence_weight where model = %s",
						 graph->prefix, quote_literal_cstr(model))));
}

static void
read_weights(Graph *graph, const char *model, const int32 *relation_id, int32 relations, EvWeights *weights)
{
	WeightRows	rows = {.weights = weights,.relation_id = relation_id,.relations = relations};
	SqlArgs		args = {0};

	weights->weight = palloc(sizeof(double) * 2 * relations);
	weights->scale = palloc(sizeof(double) * 2 * relations);
	for (int32 i = 0; i < 2 * relations; i++)
		weights->scale[i] = NAN;
	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_stream(psprintf("select relation::int, side::text = 'head', scale::float8, weight::float8 from %sevidence_weight "
						"where model = $1 and num_nulls(relation, side) = 0", graph->prefix), &args, take_weight, &rows);
	raise_weight_fault(graph, model, &rows);
	for (int32 i = 0; i < 2 * relations; i++)
		if (isnan(weights->scale[i]))
		{
			weights->scale[i] = 1;
			weights->weight[i] = USUAL_WEIGHT;
		}
}

static void
take_calibration(void *argument, const Datum *values, const bool *nulls)
{
	EvCalibration *calibration = argument;
	char	   *kind = TextDatumGetCString(values[0]);

	for (int i = 0; i < EV_KINDS; i++)
		if (strcmp(kind, kinds[i]) == 0)
			calibration[i] = (EvCalibration) {DatumGetFloat8(values[1]), DatumGetFloat8(values[2]),
				DatumGetFloat8(values[3]), 0};
}

void
evidence_read_calibration(const Graph *graph, const char *model, EvCalibration *calibration)
{
	SqlArgs		args = {0};

	/* where nothing was learnt, sigma(score) with the usual weights */
	calibration[EV_EMBEDDING] = (EvCalibration) {1, 0, 0, 0};
	calibration[EV_RULES] = (EvCalibration) {0, 1, 0, 0};
	calibration[EV_BOTH] = (EvCalibration) {1, USUAL_WEIGHT, 0, 0};
	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_stream(psprintf("select c.key, (c.value->>'score_slope')::float8, (c.value->>'evidence_slope')::float8, "
						"(c.value->>'intercept')::float8 "
						"from %smodel m, jsonb_each(m.evidence::jsonb->'calibration') c where m.name = $1 "
						"and num_nulls(c.value->>'score_slope', c.value->>'evidence_slope', c.value->>'intercept') = 0",
						graph->prefix), &args, take_calibration, calibration);
}

/* ---- all of it ----------------------------------------------------------------------- */

static uint64
bytes_of(const EvRuleSet *rules, const GraphData *data)
{
	return ev_facts_bytes(data->entities, data->relations, data->facts) + ev_rules_bytes(data->relations, rules);
}

/* From facts in rows; the rules' rows are those of the facts. */
static void
build(Evidence *evidence, const EvRuleSet *rules, const GraphData *data)
{
	Arena	arena = hkg_arena();
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg threads", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work); /* the threads end with it */
	Pool    *pool = hkg_pool_of((int) Min(hkg_threads, 1 + data->facts / FACTS_A_THREAD));

	ev_facts(&arena, pool, data->entities, data->relations, data->fact, data->facts, &evidence->facts);
	ev_rules(&arena, pool, data->relations, rules, &evidence->rules);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/* Beside the bytes of its model that are taken already.  Most who ask can do without. */
static void
check_memory(uint64 taken, uint64 bytes)
{
	hkg_check_memory_or(taken + bytes, taken > 0 ? "a model with the evidence of its rules" : "the evidence of rules",
						"hear the embedding alone, where a function has the argument for it: evidence => 'embedding'");
}

/* Column evidence of table model */
typedef struct DiscountRow
{
	char	   *discount[EV_KINDS];	/* NULL: it is not there */
} DiscountRow;

static void
take_discounts(void *argument, const Datum *values, const bool *nulls)
{
	DiscountRow *row = argument;

	row->discount[EV_RULES] = nulls[0] ? NULL : TextDatumGetCString(values[0]);
	row->discount[EV_BOTH] = nulls[1] ? NULL : TextDatumGetCString(values[1]);
}

static double
discount_of(const char *model, const DiscountRow *row, EvKind kind)
{
	const char *text = row->discount[kind];
	char	   *end = NULL;
	double		discount = text == NULL ? -1 : strtod(text, &end);

	if (end == text || *end != '\0' || !(discount >= 0 && discount <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column evidence of model \"%s\" holds no discount of \"%s\", which is a number from 0 to 1",
						model, kinds[kind]),
				 errhint("Call hkg_learn_evidence, which writes it anew.")));
	return discount;
}

/* False when the model has no evidence. */
static bool
read_discounts(const Graph *graph, const char *model, Evidence *evidence)
{
	DiscountRow row = {0};
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	if (sql_stream(psprintf("select evidence::jsonb->'discount'->>'rules', evidence::jsonb->'discount'->>'both' "
							"from %smodel where name = $1 and evidence is not null", graph->prefix),
				   &args, take_discounts, &row) == 0)
		return false;
	evidence->alone = discount_of(model, &row, EV_RULES);
	evidence->weights.discount = discount_of(model, &row, EV_BOTH);
	return true;
}

/* In the current context; what is needed on the way is in `work`, and counts as well. */
static void
read_all(Graph *graph, const char *model, Evidence *evidence, const GraphData *data, uint64 taken,
		 MemoryContext work)
{
	MemoryContext caller = MemoryContextSwitchTo(work);
	EvRuleSet	rules = read_rules(graph, model, data->entity_id, data->entities, data->relation_id, data->relations);

	MemoryContextSwitchTo(caller);
	evidence->entity_id = data->entity_id;
	evidence->relation_id = data->relation_id;
	read_weights(graph, model, data->relation_id, data->relations, &evidence->weights);
	check_memory(taken, bytes_of(&rules, data) + MemoryContextMemAllocated(work, true));
	build(evidence, &rules, data);
}

Evidence *
evidence_of_data(Graph *graph, const char *model, const GraphData *data)
{
	MemoryContext work;
	Evidence	found = {0};
	Evidence   *evidence;

	if (!read_discounts(graph, model, &found))
		return NULL;
	evidence = palloc(sizeof(Evidence));
	*evidence = found;
	work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence", ALLOCSET_DEFAULT_SIZES);
	read_all(graph, model, evidence, data, 0, work);
	MemoryContextDelete(work);
	return evidence;
}

Evidence *
evidence_of_model(Graph *graph, const Model *model, uint64 taken)
{
	MemoryContext work;
	MemoryContext caller;
	Evidence	found = {0};
	Evidence   *evidence;
	GraphData  *data;

	if (!read_discounts(graph, model->name, &found))
		return NULL;
	evidence = palloc(sizeof(Evidence));
	*evidence = found;
	work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	data = translated(graph_read(graph), model);
	MemoryContextSwitchTo(caller);
	read_all(graph, model->name, evidence, data, taken, work);
	MemoryContextDelete(work);
	return evidence;
}

EvAnswering *
evidence_answering(const Evidence *evidence, uint64 taken)
{
	Arena	arena = hkg_arena();

	check_memory(taken, ev_answering_bytes(&evidence->facts));
	return ev_answering(&arena, &evidence->facts, &evidence->rules);
}

EvKind
evidence_kind(const Evidence *evidence, EvKind kind, const char *model)
{
	if (evidence != NULL)
		return kind;
	if (kind == EV_RULES)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no evidence of rules", model),
				 errhint("Train it with evidence_rules above 0, or call hkg_learn_evidence.")));
	return EV_EMBEDDING;
}

Predictor
predictor_open(Graph *graph, const char *model, EvKind kind)
{
	Predictor		predictor = {.model = model_open(graph, model)};
	uint64		serial;

	if (kind != EV_EMBEDDING)
		predictor.evidence = model_evidence(graph, predictor.model, &predictor.answering, &serial);
	predictor.kind = evidence_kind(predictor.evidence, kind, model);
	return predictor;
}

KgeAdjustment
evidence_adjustment(const Evidence *evidence, EvKind kind, int threads, EvAdjuster *adjuster)
{
	Arena	arena = hkg_arena();
	EvWeights	weights = evidence->weights;

	if (kind == EV_RULES)
		weights = (EvWeights) {.discount = evidence->alone};
	check_memory(0, ev_adjuster_bytes(&evidence->facts, threads));
	ev_adjuster(&arena, &evidence->facts, &evidence->rules, weights, threads, adjuster);
	return ev_adjustment(adjuster);
}

double
evidence_of_candidate(const Evidence *evidence, EvKind kind, const EvCandidate *candidate)
{
	return ev_evidence(candidate, kind == EV_RULES ? evidence->alone : evidence->weights.discount);
}

double
evidence_score(const Evidence *evidence, EvKind kind, Side side, int32 relation, ScoreParts heard)
{
	int32		key = 2 * relation + (int32) side;

	switch (kind)
	{
		case EV_EMBEDDING:
			return heard.phi;
		case EV_RULES:
			return heard.evidence;
		default:
			return evidence->weights.scale[key] * (heard.phi + evidence->weights.weight[key] * heard.evidence);
	}
}

ScoreParts
evidence_of_triple(const Model *model, const Evidence *evidence, EvAnswering *answering, EvKind kind, Triple triple)
{
	ScoreParts		heard = {kind == EV_RULES ? 0 : kge_score(&model->kge, triple), 0};
	const EvCandidate *candidate;

	if (kind == EV_EMBEDDING)
		return heard;
	ev_answer(answering, SIDE_TAIL, triple.head, triple.relation, hkg_leader(), POOL_LEADER, &candidate);
	candidate = ev_candidate(answering, triple.tail);
	if (candidate != NULL)
		heard.evidence = evidence_of_candidate(evidence, kind, candidate);
	return heard;
}

double
evidence_probability(const Model *model, EvKind kind, ScoreParts heard)
{
	const EvCalibration *calibration = &model->calibration[kind];

	return kge_sigmoid(calibration->score_slope * heard.phi + calibration->evidence_slope * heard.evidence +
					   calibration->offset);
}

/* A model that scores everything 0: what rules add to when they are heard alone. */
static KgeModel
silent_model(int32 entities, int32 relations)
{
	KgeModel	kge = {
		.function = kge_score_function("distmult"),
		.dimensions = 1,
		.norm = 1,
		.entities = entities,
		.relations = relations
	};

	kge.entity = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(float) * Max(entities, 1),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	kge.relation = palloc0(sizeof(float) * Max(relations, 1));
	return kge;
}

void
evidence_scoring(const Evidence *evidence, EvKind kind, KgeModel kge, int threads, Scoring *scoring)
{
	*scoring = (Scoring) {.kge = kind == EV_RULES ? silent_model(kge.entities, kge.relations) : kge};
	if (kind == EV_EMBEDDING)
		return;
	scoring->said = evidence_adjustment(evidence, kind, threads, &scoring->adjuster);
	scoring->adjustment = &scoring->said;
}

/* ---- learning ------------------------------------------------------------------------- */

/* What goes into column model.evidence; learnt: NULL where there was nothing to learn from. */
static void
write_summary(const Graph *graph, const char *model, const EvLearnt *learnt)
{
	StringInfoData text;
	SqlArgs		args = {0};

	initStringInfo(&text);
	appendStringInfo(&text, "{\"discount\": {\"rules\": %g, \"both\": %g}", learnt == NULL ? USUAL_DISCOUNT : learnt->alone,
					 learnt == NULL ? USUAL_DISCOUNT : learnt->weights.discount);
	for (int i = 0; i < EV_KINDS && learnt != NULL; i++)
		appendStringInfo(&text, "%s\"%s\": {\"score_slope\": %.9g, \"evidence_slope\": %.9g, "
						 "\"intercept\": %.9g, \"error\": %.4g}", i == 0 ? ", \"calibration\": {" : ", ", kinds[i],
						 learnt->calibration[i].score_slope, learnt->calibration[i].evidence_slope,
						 learnt->calibration[i].offset, learnt->calibration[i].error);
	appendStringInfoString(&text, learnt == NULL ? "}" : "}}");
	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_run(psprintf("delete from %sevidence_weight where model = $1", graph->prefix), &args);
	sql_run(psprintf("delete from %sthreshold where model = $1 and evidence <> 'embedding'", graph->prefix), &args);
	sql_arg(&args, TEXTOID, CStringGetTextDatum(text.data));
	sql_run(psprintf("update %smodel set evidence = $2::jsonb where name = $1", graph->prefix), &args);
}

static void
write_weights(const Graph *graph, const char *model, const GraphData *data, const EvLearnt *learnt)
{
	static const Oid types[] = {INT4OID, TEXTOID, FLOAT8OID, FLOAT8OID, INT8OID};
	SqlBatch   *batch = sql_batch_begin(psprintf("insert into %1$sevidence_weight select %2$s, u.* "
												 "from unnest($1, $2, $3, $4, $5) u (relation, side, scale, weight, questions) "
												 "where u.relation in (select id from %1$srelation)",
												 graph->prefix, quote_literal_cstr(model)),
										lengthof(types), types);

	for (int32 i = 0; i < 2 * data->relations; i++)
	{
		Datum		values[5] = {
			Int32GetDatum(data->relation_id[i / 2]),
			CStringGetTextDatum(sides[i % 2]),
			Float8GetDatum(learnt->weights.scale[i]),
			Float8GetDatum(learnt->weights.weight[i]),
			Int64GetDatum(learnt->questions[i])
		};

		sql_batch_row(batch, values, NULL);
	}
	sql_batch_end(batch);
}

/* Facts, then the valid split: the test split takes no part in learning. */
static Triple *
known_in_learning(const GraphData *data, const Triple *valid, int64 valid_count)
{
	Triple  *known = MemoryContextAllocHuge(CurrentMemoryContext,
											   sizeof(Triple) * (data->facts + valid_count));

	memcpy(known, data->fact, sizeof(Triple) * data->facts);
	memcpy(known + data->facts, valid, sizeof(Triple) * valid_count);
	return known;
}

uint64
evidence_learn_bytes(const KgeModel *kge, const GraphData *data, const EvRuleSet *rules, int64 valid_count, int threads)
{
	EvFacts		facts = {.entities = data->entities,.relations = data->relations,.edges = 2 * data->facts};
	EvExampleSource source = {.model = kge,.facts = &facts,.count = valid_count,.filter_count = data->facts + valid_count};

	return 2 * (rules->count * sizeof(EvRule) + rules->patterns * sizeof(EvPattern)) + bytes_of(rules, data) +
		ev_learn_bytes(&source, threads) + source.filter_count * sizeof(Triple);
}

void
evidence_learn(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge,
			   Pool *pool, const Triple *valid, int64 valid_count)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	Arena	arena = hkg_arena();
	Evidence	evidence = {0};
	EvExampleSource source = {.model = kge,.facts = &evidence.facts,.rules = &evidence.rules,.triples = valid,.count = valid_count};
	EvLearnt	learnt;
	EvRuleSet	rules;

	if (valid_count == 0)
		write_summary(graph, model, NULL);
	else
	{
		rules = read_rules(graph, model, data->entity_id, data->entities, data->relation_id, data->relations);
		hkg_check_memory(evidence_learn_bytes(kge, data, &rules, valid_count, pool_threads(pool)),
						 "learning how evidence weighs");
		build(&evidence, &rules, data);
		source.filter = known_in_learning(data, valid, valid_count);
		source.filter_count = data->facts + valid_count;
		ev_learn(&arena, pool, &source, &learnt);
		write_summary(graph, model, &learnt);
		write_weights(graph, model, data, &learnt);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/* that weights and probabilities were learnt */
#define LEARNT "evidence::jsonb ?& array['calibration', 'discount']"

static bool
has_learnt(const Graph *graph, const char *model)
{
	SqlArgs		args = {0};
	Datum		found;

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	return sql_value(psprintf("select true from %smodel where name = $1 and " LEARNT, graph->prefix), &args, &found);
}

char *
evidence_learnt(const Graph *graph, const char *model)
{
	SqlArgs		args = {0};
	Datum		found;

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	if (!sql_value(psprintf("select jsonb_build_object('evidence', case when " LEARNT " then evidence end, "
							"'weights', (select coalesce(jsonb_agg(w), '[]') from %1$sevidence_weight w where model = $1), "
							"'thresholds', (select coalesce(jsonb_agg(t), '[]') from %1$sthreshold t where model = $1))::text "
							"from %1$smodel where name = $1", graph->prefix),
				   &args, &found))
		return NULL;
	return TextDatumGetCString(found);
}

void
evidence_restore(const Graph *graph, const char *model, const char *learnt, bool heard)
{
	SqlArgs		args = {0};

	if (heard)
		write_summary(graph, model, NULL);
	sql_arg(&args, TEXTOID, CStringGetTextDatum(learnt));
	sql_arg(&args, BOOLOID, BoolGetDatum(heard));
	sql_run(psprintf("insert into %1$sevidence_weight select * from jsonb_populate_recordset(null::%1$sevidence_weight, $1::jsonb->'weights') "
					 "where $2 and relation in (select id from %1$srelation)", graph->prefix), &args);
	sql_run(psprintf("insert into %1$sthreshold select * from jsonb_populate_recordset(null::%1$sthreshold, $1::jsonb->'thresholds') "
					 "where ($2 or evidence = 'embedding') and relation in (select id from %1$srelation)", graph->prefix), &args);
	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_run(psprintf("update %smodel set evidence = coalesce(nullif($1::jsonb->'evidence', 'null'), evidence) "
					 "where $2 and name = $3", graph->prefix), &args);
}

HKG_FUNCTION(hkg_learn_evidence);
Datum
hkg_learn_evidence(PG_FUNCTION_ARGS)
{
	static const TableRights written[] = {
		{"evidence_weight", ACL_SELECT | ACL_INSERT | ACL_DELETE}, {"threshold", ACL_SELECT | ACL_DELETE}, {"model", ACL_SELECT | ACL_UPDATE}
	};
	Call		call = call_begin(fcinfo, 1);
	Graph	   *graph = call.graph;
	GraphData  *data;
	KgeModel	kge;
	Triple  *valid;
	int64		valid_count;

	/* before the model is read: a training may just be replacing it */
	graph_lock_for_training(graph, call.model);
	graph_require_rights(graph, written, lengthof(written));
	data = graph_read(graph);
	kge = model_of_graph(model_open(graph, call.model), data);
	valid = graph_read_split(graph, data, "valid", &valid_count);
	if (valid_count == 0 && has_learnt(graph, call.model))
		ereport(NOTICE,
				(errmsg("graph \"%s\" has no valid split: model \"%s\" keeps the weights that it has learnt",
						graph->name, call.model),
				 errhint("Load one with hkg_load(..., 'valid').")));
	else
		evidence_learn(graph, call.model, data, &kge, hkg_pool(), valid, valid_count);
	graph_leave_training();
	call_end(&call);
	PG_RETURN_VOID();
}
