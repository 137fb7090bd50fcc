/*
 * mine.c
 *		The search for rules and their counts on the facts (see mine.h).
 *
 * Rules are counted shape by shape (shape.h): statements count the supports of
 * all rules of a shape at once (supports.c, constants.c, levels.c), and for those over the bounds
 * one evaluates all their bodies (body_counts.c).
 *
 * Entities and relations are known by their rows (positions among ascending ids).
 * All memory is in a context of its own; only the result is in the caller's.
 */
#include "mining.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "server/host.h"
#include "server/planner.h"
#include "server/sql.h"

/* Rules between two looks at hybridkg.max_memory, and what the text of one may take */
#define CHECK_EVERY (1 << 16)
#define TEXT_BYTES 128

void
mine_check_memory(uint64 bytes)
{
	hkg_check_memory_or(bytes, "mining", "raise min_support or min_head_coverage");
}

/* ---- entities and relations ------------------------------------------------------ */

/* The row of an id that must be there. */
static int32
row_of(const int32 *ids, int32 count, int32 id)
{
	int32		row = graph_row(ids, count, id);

	if (row < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("a fact has the entity or relation %d, which is not in its table", id),
				 errhint("Delete the fact, or insert what it names.")));
	return row;
}

int32
mining_relation_row(const Mining *mining, int32 id)
{
	return row_of(mining->relation_id, mining->relations, id);
}

static void
append_number(void *argument, const Datum *values, const bool *nulls)
{
	numbers_append(argument, DatumGetInt32(values[0]));
}

static void
take_profile(void *argument, const Datum *values, const bool *nulls)
{
	Mining	   *mining = argument;
	DirectedAtom atom = DatumGetInt32(values[0]);
	Profile    *profile = &mining->profile[2 * mining_relation_row(mining, RELATION_OF(atom)) + IS_BACKWARDS(atom)];

	if (profile->count++ == 0)
		profile->start = mining->profile_entity.count;
	profile->facts += DatumGetInt32(values[2]);
	mining->edges += DatumGetInt32(values[2]);
	numbers_append(&mining->profile_entity,
				   row_of(mining->entity_id, mining->entities, DatumGetInt32(values[1])));
}

/*
 * The least support over both bounds.  Head coverage is compared as a quotient, which
 * rounds like the bound itself: 1 of 100 is not under 0.01.
 */
static int32
support_threshold(int64 facts, const MineOptions *options)
{
	int64		support = Max(1, (int64) floor(options->min_head_coverage * facts) - 1);

	while ((double) support / (double) facts < options->min_head_coverage)
		support++;
	return (int32) Max(support, options->min_support);
}

static void
check_relations(const Mining *mining)
{
	for (int32 i = 0; i < mining->relations; i++)
	{
		int32		id = mining->relation_id[i];

		if (id < 0 || id >= RELATION_LIMIT)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("relation id %d is out of range for mining", id),
					 errhint("Ids of relations must be between 0 and %d; update table %srelation.",
							 RELATION_LIMIT - 1, mining->graph->prefix)));
	}
}

static void
read_graph(Mining *mining)
{
	const char *facts = mining->graph->facts;
	Numbers		entities = {0};
	Numbers		relations = {0};

	/* the head of a given rule may hold an entity without facts */
	sql_stream(mining->given ? psprintf("select id::int from %sentity order by 1", mining->graph->prefix) :
			   psprintf("select head::int from %s union select tail::int from %s order by 1", facts, facts),
			   SQL_NO_ARGS, append_number, &entities);
	sql_stream(psprintf("select distinct relation::int from %s order by 1", facts),
			   SQL_NO_ARGS, append_number, &relations);
	mining->entities = entities.count;
	mining->entity_id = entities.value;
	mining->relations = relations.count;
	mining->relation_id = relations.value;
	check_relations(mining);

	mining->profile = palloc0(2 * (Size) relations.count * sizeof(Profile));
	sql_stream(psprintf("select atom, x, count(*)::int from %s edge group by atom, x order by atom",
						edges_sql(mining->graph)),
			   SQL_NO_ARGS, take_profile, mining);
	mining->threshold = palloc(relations.count * sizeof(int32));
	for (int32 row = 0; row < mining->relations; row++)
		mining->threshold[row] = support_threshold(mining->profile[2 * row].facts, mining->options);
}

/* ---- candidates ------------------------------------------------------------------- */

bool
mining_functional_backwards(const Mining *mining, int32 head)
{
	return mining->profile[2 * head].count < mining->profile[2 * head + 1].count;
}

static Term
mirrored_term(Term term)
{
	return term == TERM_X ? TERM_Y : term == TERM_Y ? TERM_X : term;
}

/* The body read from Y to X. */
static Rule
mirrored_body(const Rule *rule)
{
	Rule		mirrored = *rule;

	for (int i = 0; i < rule->length; i++)
	{
		mirrored.body[i].first = mirrored_term(rule->body[i].first);
		mirrored.body[i].second = mirrored_term(rule->body[i].second);
	}
	rule_canonicalise(&mirrored);
	return mirrored;
}

static Candidate *
new_candidate(Mining *mining, int32 head)
{
	Candidate  *candidate;

	if (mining->count % CHECK_EVERY == 0)
		mine_check_memory(mining->count * (sizeof(Candidate) + sizeof(MinedRule) + TEXT_BYTES));
	mining->candidate = array_reserve(mining->candidate, mining->count + 1, &mining->room, sizeof(Candidate));
	candidate = &mining->candidate[mining->count++];
	memset(candidate, 0, sizeof(Candidate));
	candidate->head = head;
	return candidate;
}

void
mining_add(Mining *mining, int32 head_id, const Shape *shape, const ShapeLabels *labels, int64 support)
{
	int32		head = mining_relation_row(mining, head_id);
	Candidate  *candidate;
	Rule		mirrored;

	CHECK_FOR_INTERRUPTS();
	if (support < mining->threshold[head])
		return;
	candidate = new_candidate(mining, head);
	candidate->support = support;
	shape_rule(shape, labels, head_id, &candidate->rule);
	/* of a body and its mirror image, one is evaluated */
	mirrored = mirrored_body(&candidate->rule);
	candidate->mirrored = rule_compare_bodies(&mirrored, &candidate->rule) < 0;
	candidate->body = candidate->mirrored ? mirrored : candidate->rule;
}

static void
add_given(Mining *mining, const Rule *rule)
{
	Candidate  *candidate = new_candidate(mining, graph_row(mining->relation_id, mining->relations, rule->head));

	candidate->rule = candidate->body = *rule;
}

static void
take_fact(void *argument, const Datum *values, const bool *nulls)
{
	Mining	   *mining = argument;

	mining->fact = array_reserve(mining->fact, mining->facts + 1, &mining->fact_room, sizeof(Triple));
	mining->fact[mining->facts++] = (Triple) {
		row_of(mining->entity_id, mining->entities, DatumGetInt32(values[0])),
		row_of(mining->relation_id, mining->relations, DatumGetInt32(values[1])),
		row_of(mining->entity_id, mining->entities, DatumGetInt32(values[2]))
	};
}

void
mining_read_facts(Mining *mining)
{
	if (mining->fact != NULL)
		return;
	mine_check_memory(2 * mining->edges * sizeof(Triple));
	sql_stream(psprintf("select head::int, relation::int, tail::int from %s order by relation, head, tail", mining->graph->facts),
			   SQL_NO_ARGS, take_fact, mining);
}

/* ---- the result ----------------------------------------------------------------------------- */

static int
compare_by_confidence(const void *a, const void *b)
{
	const MinedRule *left = a;
	const MinedRule *right = b;
	double		left_confidence = MINED_STANDARD_CONFIDENCE(left);
	double		right_confidence = MINED_STANDARD_CONFIDENCE(right);

	CHECK_FOR_INTERRUPTS();
	if (left_confidence != right_confidence)
		return left_confidence > right_confidence ? -1 : 1;
	if (left->support != right->support)
		return left->support > right->support ? -1 : 1;
	return strcmp(left->text, right->text);
}

static void
make_mined_rule(const Mining *mining, const Candidate *candidate, MinedRule *mined)
{
	mined->rule = candidate->rule;
	mined->text = rule_text(mining->graph, &mined->rule);
	mined->counted = true;
	mined->head_size = candidate->head < 0 ? 0 : mining->profile[2 * candidate->head].facts;
	mined->support = candidate->support;
	mined->body_size = candidate->body_size;
	mined->pca_body_size = candidate->pca_body_size;
	mined->embedding_confidence = get_float8_nan();
	mined->confidence_error = get_float8_nan();
	mined->quality = get_float8_nan();
	mined->evidence_confidence = get_float8_nan();
	mined->kept = true;
}

static MinedRules *
make_result(const Mining *mining)
{
	MinedRules *result = palloc(sizeof(MinedRules));

	result->count = mining->count;
	result->rule = MemoryContextAllocExtended(CurrentMemoryContext,
											  Max(mining->count, 1) * sizeof(MinedRule),
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int64 i = 0; i < mining->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		make_mined_rule(mining, &mining->candidate[i], &result->rule[i]);
	}
	qsort(result->rule, result->count, sizeof(MinedRule), compare_by_confidence);
	return result;
}

/* Either all rules over the bounds, or those that are given. */
static MinedRules *
mine(Graph *graph, const MineOptions *options, const Rule *rules, int64 count)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg mining",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Mining		mining = {.graph = graph,.options = options,.given = rules != NULL};
	int			nest_level = plan_begin();
	MinedRules *result;

	read_graph(&mining);
	plan_end(nest_level);
	if (rules == NULL)
	{
		mine_supports(&mining);
		mine_levels(&mining);
	}
	for (int64 i = 0; i < count; i++)
		add_given(&mining, &rules[i]);
	mine_bodies(&mining);
	MemoryContextSwitchTo(caller);
	result = make_result(&mining);
	MemoryContextDelete(context);
	return result;
}

MinedRules *
mine_rules(Graph *graph, const MineOptions *options)
{
	return mine(graph, options, NULL, 0);
}

MinedRules *
mine_given(Graph *graph, const Rule *rules, int64 count)
{
	static const MineOptions no_bounds = {0};

	return mine(graph, &no_bounds, rules, count);
}
