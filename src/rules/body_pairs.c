/*
 * body_pairs.c
 *		The pairs (x, y) that the bodies of many rules yield (see body_pairs.h).
 *
 * Rules with one body share its evaluation: a join over the index of facts (evidence/body_join.c), or the body's
 * statement, whose rows are put in order.
 */
#include "body_pairs.h"

#include "catalog/pg_type.h"

#include "core/sort.h"
#include "rule_sql.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

#define STORED_PART 8			/* of hybridkg.max_memory, which the pairs of statements take at most */

typedef struct BodyPair
{
	int32		x;
	int32		y;
} BodyPair;

/* What the statement of a body returned, by x and y */
typedef struct StoredPairs
{
	Rule		body;			/* the key: canonical, with the head where it matters */
	int64		count;
	int32	   *x;
	int32	   *y;
} StoredPairs;

struct BodyPairs
{
	const GraphData *data;
	FactIndex	index;
	EvJoin	   *join;

	const Graph *graph;			/* NULL: bodies are joined in memory */
	MemoryContext context;		/* of what is stored */
	HTAB	   *stored;			/* StoredPairs; NULL: none yet */
	uint64		bytes;

	/* one call of body_pairs_each */
	const PairsTarget *target;
	BodyRules	current;
};

uint64
body_pairs_bytes(const GraphData *data)
{
	FactIndex	sizes = {.entities = data->entities,.relations = data->relations};

	return fact_index_bytes(data->entities, data->relations, data->facts) + ev_join_bytes(&sizes);
}

BodyPairs *
body_pairs_create(const GraphData *data, Pool *pool)
{
	Arena		arena = hkg_arena();
	BodyPairs  *pairs = palloc0(sizeof(BodyPairs));

	hkg_check_memory_or(body_pairs_bytes(data), "evaluating a rule's body", "load fewer facts");
	fact_index(&arena, pool, data->entities, data->relations, data->fact, data->facts, &pairs->index);
	pairs->data = data;
	pairs->join = ev_join(&arena, pool, &pairs->index);
	return pairs;
}

const FactIndex *
body_pairs_index(const BodyPairs *pairs)
{
	return &pairs->index;
}

/* ---- one body -------------------------------------------------------------------- */

static void
hand_out(void *argument, const EvRectangle *rectangle)
{
	BodyPairs  *pairs = argument;

	pairs->target->take(pairs->target->argument, &pairs->current, rectangle);
}

/* ---- the statement of a body ------------------------------------------------------- */

BodyPairs *
body_pairs_by_sql(const BodyPairs *pairs, const Graph *graph)
{
	BodyPairs  *by_sql = palloc(sizeof(BodyPairs));

	*by_sql = *pairs;
	by_sql->graph = graph;
	by_sql->context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg pairs", ALLOCSET_DEFAULT_SIZES);
	return by_sql;
}

void
body_pairs_forget(BodyPairs *pairs)
{
	MemoryContextReset(pairs->context);
	pairs->stored = NULL;
	pairs->bytes = 0;
}

typedef struct PairList
{
	const GraphData *data;
	BodyPair *pair;
	int64		count;
	int64		room;
} PairList;

static void
take_pair(void *argument, const Datum *values, const bool *nulls)
{
	PairList   *list = argument;

	if (list->count == list->room)
		hkg_check_memory(4 * list->room * sizeof(BodyPair), "what a rule infers");
	list->pair = array_reserve(list->pair, list->count + 1, &list->room, sizeof(BodyPair));
	list->pair[list->count++] = (BodyPair) {
		graph_row(list->data->entity_id, list->data->entities, DatumGetInt32(sql_present(values, nulls, 0))),
		graph_row(list->data->entity_id, list->data->entities, DatumGetInt32(sql_present(values, nulls, 1)))
	};
}

static int
compare_pairs(const void *a, const void *b)
{
	const BodyPair *left = a;
	const BodyPair *right = b;

	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	return (left->y > right->y) - (left->y < right->y);
}

/* The facts with relations of a body that are left out, as three parameters. */
static void
add_left_out(const GraphData *data, const Rule *body, SqlArgs *args)
{
	Triple	   *id = array_new(Triple, data->left_out_count);
	int			count = 0;

	for (int64 i = 0; i < data->left_out_count; i++)
	{
		const Triple *fact = &data->left_out[i];
		int32		relation = data->relation_id[fact->relation];
		bool		wanted = rule_atoms(body) == 0 && body->head == relation;

		for (int k = 0; k < body->length; k++)
			wanted |= body->body[k].relation == relation;
		if (wanted)
			id[count++] = (Triple) {data->entity_id[fact->head], relation, data->entity_id[fact->tail]};
	}
	arg_triples(args, id, count);
	pfree(id);
}

/* What a body's statement returns; in the current context. */
static StoredPairs
query_pairs(const BodyPairs *pairs, const Rule *rule)
{
	const GraphData *data = pairs->data;
	PairList	list = {.data = data};
	SqlArgs		args = {0};
	StoredPairs returned;

	if (data->left_out_count > 0)
		add_left_out(data, rule, &args);
	sql_stream(rule_sql_pairs(pairs->graph, rule, data->left_out_count > 0), &args, take_pair, &list);
	sql_args_free(&args);
	sort_array(hkg_leader(), POOL_LEADER, list.pair, list.count, sizeof(BodyPair), compare_pairs);
	returned = (StoredPairs) {*rule, list.count, array_new(int32, list.count), array_new(int32, list.count)};
	for (int64 i = 0; i < list.count; i++)
	{
		hkg_check_interrupts();
		returned.x[i] = list.pair[i].x;
		returned.y[i] = list.pair[i].y;
	}
	if (list.pair != NULL)
		pfree(list.pair);
	return returned;
}

/* The pairs of a body.  Where there is no room for more, all that is stored goes. */
static const StoredPairs *
stored_pairs(BodyPairs *pairs, const Rule *rule)
{
	HASHCTL		control = {.keysize = sizeof(Rule),.entrysize = sizeof(StoredPairs),.hcxt = pairs->context};
	uint64		most = (uint64) hkg_max_memory * 1024 / STORED_PART;
	MemoryContext caller = MemoryContextSwitchTo(pairs->context);
	Rule		key = *rule;
	StoredPairs *stored;
	bool		found;

	if (rule_atoms(rule) > 0)
		key.head = 0;
	if (pairs->bytes > most)
		body_pairs_forget(pairs);
	if (pairs->stored == NULL)
		pairs->stored = hash_create("hybridkg pairs", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	stored = hash_search(pairs->stored, &key, HASH_FIND, &found);
	if (!found)
	{
		StoredPairs returned = query_pairs(pairs, rule);

		stored = hash_search(pairs->stored, &key, HASH_ENTER, NULL);
		*stored = returned;
		stored->body = key;
		pairs->bytes += returned.count * sizeof(BodyPair);
		hkg_hold_memory(returned.count * sizeof(BodyPair));
	}
	MemoryContextSwitchTo(caller);
	return stored;
}

/* Those of one x are a rectangle. */
static void
hand_out_stored(BodyPairs *pairs, const Rule *rule)
{
	const StoredPairs *stored = stored_pairs(pairs, rule);
	int64		end;

	for (int64 i = 0; i < stored->count; i = end)
	{
		for (end = i + 1; end < stored->count && stored->x[end] == stored->x[i];)
			end++;
		hand_out(pairs, &(EvRectangle) {&stored->x[i], 1, &stored->y[i], (int32) (end - i)});
	}
}

static void
evaluate(BodyPairs *pairs, const Rule *rule)
{
	EvJoinTarget target = {hand_out, pairs, hkg_leader(), POOL_LEADER};
	Rule		whole = rule_with_domain(rule);
	Rule		body;

	hkg_check_interrupts();
	if (pairs->graph != NULL)
		hand_out_stored(pairs, rule);
	else if (rule_in_rows(pairs->data, &whole, NULL, NULL, &body))
		ev_join_body(pairs->join, &body, ev_slice(&pairs->index, 0, 1), &target);
	if (pairs->target->done != NULL)
		pairs->target->done(pairs->target->argument, &pairs->current);
}

/* ---- the bodies of many rules --------------------------------------------------------- */

typedef struct NumberedRule
{
	const Rule *rule;
	int32		number;
} NumberedRule;

static int
compare_by_body(const void *a, const void *b)
{
	const NumberedRule *left = a;
	const NumberedRule *right = b;
	int			order = rule_compare_bodies(left->rule, right->rule);

	return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

int32 *
rules_by_body(const Rule *const *rules, int32 count)
{
	NumberedRule *sorted = array_new(NumberedRule, count);
	int32	   *number = array_new(int32, count);

	for (int32 i = 0; i < count; i++)
		sorted[i] = (NumberedRule) {rules[i], i};
	sort_array(hkg_leader(), POOL_LEADER, sorted, count, sizeof(NumberedRule), compare_by_body);
	for (int32 i = 0; i < count; i++)
		number[i] = sorted[i].number;
	pfree(sorted);
	return number;
}

void
body_pairs_each(BodyPairs *pairs, const Rule *const *rules, int32 count, const PairsTarget *target)
{
	int32	   *number = rules_by_body(rules, count);
	int32		end;

	pairs->target = target;
	for (int32 start = 0; start < count; start = end)
	{
		const Rule *first = rules[number[start]];

		for (end = start + 1; end < count && rule_compare_bodies(first, rules[number[end]]) == 0; end++)
			;
		pairs->current = (BodyRules) {number + start, end - start};
		evaluate(pairs, first);
	}
	pfree(number);
}
