/*
 * mine.c
 *		The search for rules and their counts on the facts (see mine.h).
 *
 * Closed rules of up to three atoms have one of three shapes of body:
 *		SINGLE		a(X,Y)
 *		PARALLEL	a(X,Y), b(X,Y)
 *		PATH		a(X,A), b(A,Y)
 * where a and b are directed atoms: a relation read forwards or backwards.
 * In SQL a directed atom is an edge (x, atom, y) with atom = 2 * relation for a
 * fact relation(x, y), and 2 * relation + 1 for relation(y, x).
 *
 * For each shape one statement counts the supports of all rules at once, and one
 * the bodies of those rules that pass the bounds.  The server joins; what
 * no GROUP BY can do in reasonable memory is done here, on the stream of joined rows:
 *
 * - Supports of paths.  Each fact head(x, y) comes with the neighbourhoods of x and
 *   of y, sorted lists of (entity, atom).  Where they meet, a path runs from x to y.
 * - Bodies of paths.  The distinct pairs (x, y) of a path are a product of two
 *   relations; all of them together can be a thousand times the facts.  They
 *   come joined by z, as lists of x and of y, body after body, and
 *   product.c counts the y of each x.
 *
 * Bodies are counted per x because the PCA confidence needs it: its body is the sum
 * over those x that have some fact of the head relation.  Where the head's
 * functional side is y, the mirrored body, read from Y to X, takes its place.
 * So every shape ends in settle_body(), with the number of pairs per x at hand.
 *
 * Entities and relations are known by their rows (positions among ascending ids).
 * All memory is in a context of its own; only the result is in the caller's.
 */
#include "mine.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/guc.h"

#include "argument.h"
#include "array.h"
#include "hybridkg.h"
#include "infer.h"
#include "model.h"
#include "numbers.h"
#include "path.h"
#include "product.h"
#include "sql.h"

typedef enum Shape
{
	SINGLE,
	PARALLEL,
	PATH
} Shape;

/* Rules between two looks at hybridkg.max_memory, and what the text of one may take */
#define CHECK_EVERY (1 << 16)
#define TEXT_BYTES 128

/* A directed atom: 2 * relation's id, and 1 more when read backwards */
typedef int32 DirectedAtom;

#define RELATION_LIMIT (INT32_C(1) << 30)
#define FORWARDS(relation) ((DirectedAtom) (2 * (relation)))
#define MIRRORED(atom) ((atom) ^ 1)
#define IS_BACKWARDS(atom) (((atom) & 1) != 0)
#define RELATION_OF(atom) ((atom) / 2)

typedef struct Body
{
	Shape		shape;
	DirectedAtom first;
	DirectedAtom second;		/* 0 for SINGLE */
} Body;

/* A rule over the bounds */
typedef struct Candidate
{
	int32		head;			/* row of the relation */
	Body		body;
	Body		side;			/* the body as seen from the head's functional side */
	int32		support;
	int64		body_size;
	int64		pca_body_size;
} Candidate;

/* How often each entity stands on the left of a directed atom */
typedef struct Profile
{
	int32		count;
	int64		start;			/* in Mining.profile_entity and profile_facts */
	int64		facts;
} Profile;

typedef struct Mining
{
	Graph	   *graph;
	const MineOptions *options;

	int32		entities;
	int32	   *entity_id;
	int32		relations;		/* those with facts */
	int32	   *relation_id;
	int32	   *threshold;		/* of support, by row of the head relation */

	int64		edges;			/* twice the facts */
	Profile    *profile;		/* by 2 * row of the relation, and 1 more backwards */
	Numbers		profile_entity; /* rows */
	Numbers		profile_facts;

	int64		count;
	int64		room;
	Candidate  *candidate;

	Body		body;			/* being counted */
	int64		next;			/* its first candidate */
	int32	   *weight;			/* pairs of each x */
	Numbers		weighted;		/* the x that have any */
	int64		pairs;
	Product    *product;
} Mining;

/* ---- plans ------------------------------------------------------------------- */

/* Until the end of the GUC nest level. */
static void
set_option(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/*
 * The facts may never have been analysed, and the planner knows little of subqueries
 * in any case.  A nested loop that it takes for ten rows can meet ten million; and
 * sorting two sides for a merge is slower than hashing one.
 */
static void
plan_for_many_rows(void)
{
	set_option("enable_nestloop", "off");
	set_option("enable_mergejoin", "off");
	set_option("jit", "off");
}

/*
 * For rows that are long and made once, but joined many times: hash joins in one
 * batch and one process hand them on by reference.  With less memory they would be
 * copied to disk for every joined row, with workers from process to process.
 */
static void
plan_by_reference(int64 bytes)
{
	int64		kilobytes = Min(bytes / 1024 + 1, MAX_KILOBYTES);

	set_option("max_parallel_workers_per_gather", "0");
	if (kilobytes > work_mem)
		set_option("work_mem", psprintf(INT64_FORMAT, kilobytes));
}

/* ---- entities, relations, atoms ------------------------------------------------ */

/* The row of an id; mostly ids have no gaps. */
static inline int32
row_of(const int32 *ids, int32 count, int32 id)
{
	int64		guess = (int64) id - ids[0];
	int32		row = guess >= 0 && guess < count && ids[guess] == id
		? (int32) guess : graph_row(ids, count, id);

	if (row < 0)
		elog(ERROR, "id %d came from nowhere", id);
	return row;
}

static inline int32
entity_row(const Mining *mining, int32 id)
{
	return row_of(mining->entity_id, mining->entities, id);
}

static inline int32
relation_row(const Mining *mining, int32 id)
{
	return row_of(mining->relation_id, mining->relations, id);
}

static Profile *
profile_of(const Mining *mining, DirectedAtom atom)
{
	return &mining->profile[2 * relation_row(mining, RELATION_OF(atom)) + IS_BACKWARDS(atom)];
}

/* The facts as edges (x, atom, y), both ways; a subquery's text. */
static char *
edges_sql(const Graph *graph)
{
	return psprintf("(select head as x, 2 * relation as atom, tail as y from %striple"
					" union all select tail, 2 * relation + 1, head from %striple)",
					graph->prefix, graph->prefix);
}

/* ---- bodies ---------------------------------------------------------------------- */

static Body
mirrored(Body body)
{
	switch (body.shape)
	{
		case SINGLE:
			return (Body) {SINGLE, MIRRORED(body.first), 0};
		case PARALLEL:
			{
				DirectedAtom first = MIRRORED(body.first);
				DirectedAtom second = MIRRORED(body.second);

				return (Body) {PARALLEL, Min(first, second), Max(first, second)};
			}
		default:
			return (Body) {PATH, MIRRORED(body.second), MIRRORED(body.first)};
	}
}

static int
compare_bodies(const Body *a, const Body *b)
{
	if (a->shape != b->shape)
		return a->shape < b->shape ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->second > b->second) - (a->second < b->second);
}

static int
compare_sides(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return compare_bodies(&((const Candidate *) a)->side, &((const Candidate *) b)->side);
}

static Atom
make_atom(DirectedAtom atom, Term from, Term to)
{
	if (IS_BACKWARDS(atom))
		return (Atom) {RELATION_OF(atom), to, from};
	return (Atom) {RELATION_OF(atom), from, to};
}

static void
make_rule(const Body *body, int32 head, Rule *rule)
{
	memset(rule, 0, sizeof(Rule));
	rule->head = head;
	rule->length = body->shape == SINGLE ? 1 : 2;
	if (body->shape == PATH)
	{
		rule->body[0] = make_atom(body->first, TERM_X, TERM_A);
		rule->body[1] = make_atom(body->second, TERM_A, TERM_Y);
	}
	else
	{
		rule->body[0] = make_atom(body->first, TERM_X, TERM_Y);
		if (body->shape == PARALLEL)
			rule->body[1] = make_atom(body->second, TERM_X, TERM_Y);
	}
	rule_canonicalise(rule);
}

/* ---- what the graph holds --------------------------------------------------------- */

static void
append_number(void *argument, const Datum *values, const bool *nulls)
{
	numbers_append(argument, DatumGetInt32(values[0]));
}

static void
take_profile(void *argument, const Datum *values, const bool *nulls)
{
	Mining	   *mining = argument;
	Profile    *profile = profile_of(mining, DatumGetInt32(values[0]));

	if (profile->count++ == 0)
		profile->start = mining->profile_entity.count;
	profile->facts += DatumGetInt32(values[2]);
	mining->edges += DatumGetInt32(values[2]);
	numbers_append(&mining->profile_entity, entity_row(mining, DatumGetInt32(values[1])));
	numbers_append(&mining->profile_facts, DatumGetInt32(values[2]));
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
	const char *prefix = mining->graph->prefix;
	Numbers		entities = {0};
	Numbers		relations = {0};

	sql_stream(psprintf("select head from %striple union select tail from %striple order by 1",
						prefix, prefix),
			   SQL_NO_ARGS, append_number, &entities);
	sql_stream(psprintf("select distinct relation from %striple order by 1", prefix),
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

/* ---- supports ------------------------------------------------------------------------ */

/* The functional side of a head: as an atom that is read from it. */
static DirectedAtom
functional_atom(const Mining *mining, int32 head)
{
	DirectedAtom atom = FORWARDS(mining->relation_id[head]);

	return mining->profile[2 * head].count >= mining->profile[2 * head + 1].count ? atom : MIRRORED(atom);
}

static void
add_candidate(Mining *mining, int32 head, Body body, int64 support)
{
	Candidate  *candidate;

	if (support < mining->threshold[head])
		return;
	if (mining->count % CHECK_EVERY == 0)
		hkg_check_memory(mining->count * (sizeof(Candidate) + sizeof(MinedRule) + TEXT_BYTES), "mining");
	mining->candidate = array_reserve(mining->candidate, mining->count + 1, &mining->room, sizeof(Candidate));
	candidate = &mining->candidate[mining->count++];
	candidate->head = head;
	candidate->body = body;
	candidate->side = IS_BACKWARDS(functional_atom(mining, head)) ? mirrored(body) : body;
	candidate->support = support;
}

static void
take_single_support(void *argument, const Datum *values, const bool *nulls)
{
	Mining	   *mining = argument;
	Body		body = {SINGLE, DatumGetInt32(values[1]), 0};

	add_candidate(mining, relation_row(mining, DatumGetInt32(values[0])), body,
				  DatumGetInt64(values[2]));
}

static void
count_single_supports(Mining *mining)
{
	sql_stream(psprintf("select fact.relation, a.atom, count(*)\n"
						"from %striple fact\n"
						"join %s a on a.x = fact.head and a.y = fact.tail and a.atom <> 2 * fact.relation\n"
						"group by fact.relation, a.atom",
						mining->graph->prefix, edges_sql(mining->graph)),
			   SQL_NO_ARGS, take_single_support, mining);
}

static void
take_parallel_support(void *argument, const Datum *values, const bool *nulls)
{
	Mining	   *mining = argument;
	Body		body = {PARALLEL, DatumGetInt32(values[1]), DatumGetInt32(values[2])};

	add_candidate(mining, relation_row(mining, DatumGetInt32(values[0])), body,
				  DatumGetInt64(values[3]));
}

static void
count_parallel_supports(Mining *mining)
{
	char	   *edges = edges_sql(mining->graph);

	sql_stream(psprintf("select fact.relation, a.atom, b.atom, count(*)\n"
						"from %striple fact\n"
						"join %s a on a.x = fact.head and a.y = fact.tail and a.atom <> 2 * fact.relation\n"
						"join %s b on b.x = fact.head and b.y = fact.tail and b.atom <> 2 * fact.relation and b.atom > a.atom\n"
						"group by fact.relation, a.atom, b.atom",
						mining->graph->prefix, edges, edges),
			   SQL_NO_ARGS, take_parallel_support, mining);
}

/* ---- supports of paths ------------------------------------------------------------------- */

typedef struct PathSearch
{
	Mining	   *mining;
	Paths	   *paths;
} PathSearch;

static void
free_array(ArrayType *array, Datum value)
{
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
}

static void
take_neighbourhoods(void *argument, const Datum *values, const bool *nulls)
{
	PathSearch *search = argument;
	int32		head = relation_row(search->mining, DatumGetInt32(values[0]));
	ArrayType  *x = DatumGetArrayTypeP(values[1]);
	ArrayType  *y = DatumGetArrayTypeP(values[2]);

	CHECK_FOR_INTERRUPTS();
	paths_add_fact(search->paths, head,
				   (const Neighbour *) ARR_DATA_PTR(x), ARR_DIMS(x)[0],
				   (const Neighbour *) ARR_DATA_PTR(y), ARR_DIMS(y)[0]);
	free_array(x, values[1]);
	free_array(y, values[2]);
}

static void
take_path_support(void *argument, int32 head, int32 first, int32 second, int64 facts)
{
	add_candidate(argument, head, (Body) {PATH, first, second}, facts);
}

/* Memory of one table of neighbourhoods: a hash table's tuple, and an int8 with room to spare */
#define NEIGHBOURHOOD_BYTES 256
#define NEIGHBOUR_BYTES 10

static void
count_path_supports(Mining *mining)
{
	PathSearch	search = {mining, paths_create()};
	int			nest_level = NewGUCNestLevel();
	int64		bytes = NEIGHBOURHOOD_BYTES * (int64) mining->entities +
		NEIGHBOUR_BYTES * mining->edges;

	hkg_check_memory(3 * bytes, "mining");
	plan_by_reference(bytes);
	sql_stream(psprintf("with neighbourhood as materialized (\n"
						"select x as entity, array_agg(y::bigint << 32 | atom order by y::bigint << 32 | atom) as neighbours\n"
						"from %s edge group by x)\n"
						"select fact.relation, a.neighbours, b.neighbours\n"
						"from %striple fact\n"
						"join neighbourhood a on a.entity = fact.head\n"
						"join neighbourhood b on b.entity = fact.tail",
						edges_sql(mining->graph), mining->graph->prefix),
			   SQL_NO_ARGS, take_neighbourhoods, &search);
	AtEOXact_GUC(true, nest_level);
	paths_each(search.paths, take_path_support, mining);
}

/* ---- bodies, counted per x --------------------------------------------------------------- */

static void
add_weight(void *argument, int32 x, int32 pairs)
{
	Mining	   *mining = argument;

	mining->weight[x] = pairs;
	numbers_append(&mining->weighted, x);
	mining->pairs += pairs;
}

/* The pairs of the body whose x has a fact on the head's functional side. */
static int64
pca_pairs(const Mining *mining, int32 head)
{
	const Profile *side = profile_of(mining, functional_atom(mining, head));
	const int32 *x = mining->profile_entity.value + side->start;
	int64		pairs = 0;

	for (int32 i = 0; i < side->count; i++)
		pairs += mining->weight[x[i]];
	return pairs;
}

/* The body's weights are complete: gives its candidates, which are the next ones, their sizes. */
static void
settle_body(Mining *mining)
{
	for (; mining->next < mining->count; mining->next++)
	{
		Candidate  *candidate = &mining->candidate[mining->next];

		if (compare_bodies(&candidate->side, &mining->body) != 0)
			break;
		candidate->body_size = mining->pairs;
		candidate->pca_body_size = pca_pairs(mining, candidate->head);
	}
	for (int64 i = 0; i < mining->weighted.count; i++)
		mining->weight[mining->weighted.value[i]] = 0;
	mining->weighted.count = 0;
	mining->pairs = 0;
	CHECK_FOR_INTERRUPTS();
}

/* Whether there is a next candidate, of that shape. */
static bool
next_is(const Mining *mining, Shape shape)
{
	return mining->next < mining->count && mining->candidate[mining->next].side.shape == shape;
}

static void
count_single_bodies(Mining *mining)
{
	while (next_is(mining, SINGLE))
	{
		const Profile *profile;

		mining->body = mining->candidate[mining->next].side;
		profile = profile_of(mining, mining->body.first);
		for (int64 i = profile->start; i < profile->start + profile->count; i++)
			add_weight(mining, mining->profile_entity.value[i], mining->profile_facts.value[i]);
		settle_body(mining);
	}
}

/* The bodies of a shape that candidates need, each once, as two arrays of atoms. */
static SqlArgs
needed_bodies(const Mining *mining, Shape shape)
{
	SqlArgs		args = {0};
	Numbers		first = {0};
	Numbers		second = {0};
	const Body *last = NULL;

	for (int64 i = mining->next; i < mining->count; i++)
	{
		const Body *side = &mining->candidate[i].side;

		if (side->shape != shape)
			break;
		if (last == NULL || compare_bodies(last, side) != 0)
		{
			numbers_append(&first, side->first);
			numbers_append(&second, side->second);
		}
		last = side;
	}
	sql_arg(&args, INT4ARRAYOID, array_of_int4(first.value, first.count));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(second.value, second.count));
	return args;
}

/* What the stream gave of the current body is complete. */
static void
finish_body(Mining *mining)
{
	product_count(mining->product, add_weight, mining);
	product_clear(mining->product);
	settle_body(mining);
}

/* Rows come body after body: this one belongs to `body`. */
static void
enter_body(Mining *mining, Body body)
{
	if (compare_bodies(&mining->body, &body) == 0)
		return;
	finish_body(mining);
	mining->body = body;
}

static void
take_parallel_body(void *argument, const Datum *values, const bool *nulls)
{
	Mining	   *mining = argument;

	enter_body(mining, (Body) {PARALLEL, DatumGetInt32(values[0]), DatumGetInt32(values[1])});
	add_weight(mining, entity_row(mining, DatumGetInt32(values[2])), DatumGetInt32(values[3]));
}

static void
count_parallel_bodies(Mining *mining)
{
	char	   *edges = edges_sql(mining->graph);
	SqlArgs		needed = needed_bodies(mining, PARALLEL);

	sql_stream(psprintf("select a.atom, b.atom, a.x, count(*)::int\n"
						"from %s a\n"
						"join %s b on b.x = a.x and b.y = a.y\n"
						"join unnest($1, $2) needed (first, second) on needed.first = a.atom and needed.second = b.atom\n"
						"group by a.atom, b.atom, a.x\n"
						"order by a.atom, b.atom",
						edges, edges),
			   &needed, take_parallel_body, mining);
	finish_body(mining);
}

static void
take_path_body(void *argument, const Datum *values, const bool *nulls)
{
	Mining	   *mining = argument;
	ArrayType  *left = DatumGetArrayTypeP(values[2]);
	ArrayType  *right = DatumGetArrayTypeP(values[3]);
	const int32 *x = (const int32 *) ARR_DATA_PTR(left);
	const int32 *y = (const int32 *) ARR_DATA_PTR(right);

	enter_body(mining, (Body) {PATH, DatumGetInt32(values[0]), DatumGetInt32(values[1])});
	product_next(mining->product);
	for (int i = 0; i < ARR_DIMS(left)[0]; i++)
		product_add_left(mining->product, entity_row(mining, x[i]));
	for (int i = 0; i < ARR_DIMS(right)[0]; i++)
		product_add_right(mining->product, entity_row(mining, y[i]));
	free_array(left, values[2]);
	free_array(right, values[3]);
}

static void
count_path_bodies(Mining *mining)
{
	char	   *edges = edges_sql(mining->graph);
	SqlArgs		needed = needed_bodies(mining, PATH);

	sql_stream(psprintf("select a.atom, b.atom, a.xs, b.ys\n"
						"from (select y as z, atom, array_agg(x) as xs from %s edge group by y, atom) a\n"
						"join (select x as z, atom, array_agg(y) as ys from %s edge group by x, atom) b on b.z = a.z\n"
						"join unnest($1, $2) needed (first, second) on needed.first = a.atom and needed.second = b.atom\n"
						"order by a.atom, b.atom",
						edges, edges),
			   &needed, take_path_body, mining);
	finish_body(mining);
}

static void
count_bodies(Mining *mining)
{
	qsort(mining->candidate, mining->count, sizeof(Candidate), compare_sides);
	mining->weight = MemoryContextAllocExtended(CurrentMemoryContext,
												mining->entities * sizeof(int32),
												MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	mining->product = product_create(mining->entities);
	count_single_bodies(mining);
	if (next_is(mining, PARALLEL))
		count_parallel_bodies(mining);
	if (next_is(mining, PATH))
		count_path_bodies(mining);
	if (mining->next < mining->count)
		elog(ERROR, "a rule's body was not counted");
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
	make_rule(&candidate->body, mining->relation_id[candidate->head], &mined->rule);
	mined->text = rule_text(mining->graph, &mined->rule);
	mined->head_size = mining->profile[2 * candidate->head].facts;
	mined->support = candidate->support;
	mined->body_size = candidate->body_size;
	mined->pca_body_size = candidate->pca_body_size;
	mined->embedding_confidence = get_float8_nan();
	mined->quality = get_float8_nan();
	mined->kept = true;
}

static MinedRules *
make_result(const Mining *mining)
{
	MinedRules *result = palloc(sizeof(MinedRules));

	result->count = mining->count;
	result->rule = MemoryContextAllocExtended(CurrentMemoryContext,
											  mining->count * sizeof(MinedRule),
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int64 i = 0; i < mining->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		make_mined_rule(mining, &mining->candidate[i], &result->rule[i]);
	}
	qsort(result->rule, result->count, sizeof(MinedRule), compare_by_confidence);
	return result;
}

static void
check_options(const MineOptions *options)
{
	if (options->constants)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("rules with constants are not supported yet"),
				 errhint("Mine with constants => false. Given rules with constants can be applied by hkg_apply_rule.")));
}

static void
search(Mining *mining)
{
	int			nest_level = NewGUCNestLevel();

	plan_for_many_rows();
	read_graph(mining);
	count_single_supports(mining);
	if (mining->options->max_rule_length > 2)
	{
		count_parallel_supports(mining);
		count_path_supports(mining);
	}
	count_bodies(mining);
	AtEOXact_GUC(true, nest_level);
}

MinedRules *
mine_rules(Graph *graph, const MineOptions *options)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg mining",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Mining		mining = {.graph = graph,.options = options};
	MinedRules *result;

	check_options(options);
	search(&mining);
	MemoryContextSwitchTo(caller);
	result = make_result(&mining);
	MemoryContextDelete(context);
	return result;
}

/* ---- SQL ------------------------------------------------------------------------------------- */

typedef enum Measure
{
	STANDARD,
	PCA,
	HYBRID
} Measure;

static const char *const measures[] = {"standard", "pca", "hybrid", NULL};

typedef struct MineCall
{
	char	   *graph;
	MineOptions options;
	Measure		measure;
	char	   *model;			/* of HYBRID */
	double		omega;
} MineCall;

static void
read_call(FunctionCallInfo fcinfo, MineCall *call)
{
	call->graph = argument_name(fcinfo, 0, "graph");
	call->options.max_rule_length = argument_int(fcinfo, 1, "max_rule_length", 2, 3);
	call->options.min_head_coverage = argument_float(fcinfo, 2, "min_head_coverage", 0, 1);
	call->options.min_support = argument_int(fcinfo, 3, "min_support", 1, INT_MAX);
	call->options.constants = DatumGetBool(argument(fcinfo, 4, "constants"));
	call->measure = argument_choice(argument_text(fcinfo, 5, "measure"), "measure", measures);
	call->omega = argument_float(fcinfo, 7, "omega", 0, 1);
	if (call->measure != HYBRID)
		return;
	if (PG_ARGISNULL(6))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null when measure is \"hybrid\""),
				 errhint("Name a trained model of the graph, or choose another measure: standard, pca.")));
	call->model = argument_name(fcinfo, 6, "model");
}

static bool
same_ids(const int32 *a, int32 a_count, const int32 *b, int32 b_count)
{
	return a_count == b_count && memcmp(a, b, a_count * sizeof(int32)) == 0;
}

/* Embedding confidence by the model, whose rows must be those of the graph. */
static void
rate_by_model(Graph *graph, const MineCall *call, MinedRules *rules)
{
	GraphData  *data = graph_read(graph);
	const Model *model = model_open(graph, call->model);

	if (!same_ids(model->entity_id, model->kge.entities, data->entity_id, data->entities) ||
		!same_ids(model->relation_id, model->kge.relations, data->relation_id, data->relations))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" does not know all entities and relations of graph \"%s\"",
						call->model, graph->name),
				 errhint("Train it again: some were added since.")));
	infer_qualities(graph, data, &model->kge, hkg_pool(), rules, call->omega, -1, 0);
}

static void
rate(Graph *graph, const MineCall *call, MinedRules *rules)
{
	if (call->measure == HYBRID)
		rate_by_model(graph, call, rules);
	else
		for (int64 i = 0; i < rules->count; i++)
		{
			MinedRule  *rule = &rules->rule[i];

			rule->quality = call->measure == PCA ? MINED_PCA_CONFIDENCE(rule) : MINED_STANDARD_CONFIDENCE(rule);
		}
}

static int
compare_by_quality(const void *a, const void *b)
{
	const MinedRule *left = a;
	const MinedRule *right = b;

	CHECK_FOR_INTERRUPTS();
	if (left->quality != right->quality)
		return left->quality > right->quality ? -1 : 1;
	if (left->support != right->support)
		return left->support > right->support ? -1 : 1;
	return strcmp(left->text, right->text);
}

static void
put_rule(SqlResult *result, const MinedRule *rule)
{
	Datum		values[9];
	bool		nulls[9] = {false};

	values[0] = CStringGetTextDatum(rule->text);
	values[1] = Int64GetDatum(rule->support);
	values[2] = Int64GetDatum(rule->body_size);
	values[3] = Int64GetDatum(rule->pca_body_size);
	values[4] = Float8GetDatum(MINED_HEAD_COVERAGE(rule));
	values[5] = Float8GetDatum(MINED_STANDARD_CONFIDENCE(rule));
	values[6] = Float8GetDatum(MINED_PCA_CONFIDENCE(rule));
	values[7] = Float8GetDatum(rule->embedding_confidence);
	nulls[7] = isnan(rule->embedding_confidence);
	values[8] = Float8GetDatum(rule->quality);
	sql_result_row(result, values, nulls);
	pfree(DatumGetPointer(values[0]));
}

HKG_FUNCTION(hkg_mine_rules);
Datum
hkg_mine_rules(PG_FUNCTION_ARGS)
{
	SqlResult  *result = sql_result(fcinfo);
	MineCall	call = {0};
	MinedRules *rules;
	Graph	   *graph;

	read_call(fcinfo, &call);
	sql_begin();
	graph = graph_open(call.graph);
	rules = mine_rules(graph, &call.options);
	rate(graph, &call, rules);
	sql_end();
	qsort(rules->rule, rules->count, sizeof(MinedRule), compare_by_quality);
	for (int64 i = 0; i < rules->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (rules->rule[i].kept)
			put_rule(result, &rules->rule[i]);
	}
	PG_RETURN_NULL();
}
