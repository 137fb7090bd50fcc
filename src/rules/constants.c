/*
 * constants.c
 *		The supports of rules of three atoms with constants.
 *
 * Their bodies are a(X,c), b(Y,d); a(X,Y), b(X,c); and a(X,Y), b(Y,c): two parts, each of which is over
 * the bounds itself.  The server joins facts and edges, and lists for each fact the parts
 * that hold of it, those of its x and of its y once for all facts of one relation.
 * Which parts meet, and how often, is counted here, one head at a time, in a table of counters
 * with a row for each part of one kind, a column for each of the other, in as many
 * strips as it takes.
 *
 * Two parts must not be unifiable, and a variable beside a constant has two bindings (levels.c).
 */
#include "mining.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "server/array.h"
#include "server/planner.h"
#include "server/sql.h"

/* counters in a strip */
#define STRIP (INT64CONST(1) << 24)

/* kinds of parts */
enum
{
	AT_X, AT_Y, BETWEEN, KINDS
};

static const char *const shapes[KINDS] = {"Xc", "Yc", "XY"};

/* Which parts hold of an entity of a head's facts; of a fact, when they lie between its two */
typedef struct Holding
{
	int32		head;			/* a relation's id */
	int32		x;				/* or the entity */
	int32		y;
	int32		count;
	int64		start;			/* in Kind.number */
} Holding;

typedef struct Kind
{
	Numbers		head;			/* of each part; ascending */
	Numbers		atom;
	Numbers		constant;		/* 0 where there is none */

	int64		holdings;		/* by head, x, y */
	int64		room;
	Holding    *holding;
	Numbers		number;			/* numbers of parts */
} Kind;

/* The facts of one head of which some part of a kind holds: part after part */
typedef struct Postings
{
	int32		first;			/* part */
	int32		parts;
	int64	   *start;			/* of each part; and the end */
	int32	   *fact;
} Postings;

typedef struct ConstantSearch
{
	Mining	   *mining;
	MemoryContext context;		/* of mining */
	Kind		kind[KINDS];

	/* the current head */
	int32		head;
	const Holding *fact;		/* of kind BETWEEN: all facts are there */
	int32		facts;
	const Holding **holding[KINDS]; /* of each fact; NULL: no part holds */
	Postings	postings[KINDS];
	int32	   *counter;		/* count_counters of them */
} ConstantSearch;

/* ---- parts and what they hold of ------------------------------------------------------- */

typedef struct Part
{
	int32		head;
	int32		atom;
	int32		constant;
} Part;

static int
compare_parts(const void *a, const void *b)
{
	const Part *left = a;
	const Part *right = b;

	CHECK_FOR_INTERRUPTS();
	return left->head != right->head ? (left->head < right->head ? -1 : 1) : 0;
}

static void
gather_parts(ConstantSearch *search, int k)
{
	MemoryContext here = MemoryContextSwitchTo(search->context);
	const Frequent *frequent = mining_frequent(search->mining, shapes[k]);
	int64		count = frequent->column[0].count;
	Part	   *part = MemoryContextAllocHuge(here, Max(count, 1) * sizeof(Part));
	Kind	   *kind = &search->kind[k];

	MemoryContextSwitchTo(here);
	for (int64 i = 0; i < count; i++)
		part[i] = (Part) {
			frequent->column[0].value[i], frequent->column[1].value[i],
			k == BETWEEN ? 0 : frequent->column[2].value[i]
		};
	qsort(part, count, sizeof(Part), compare_parts);
	for (int64 i = 0; i < count; i++)
	{
		numbers_append(&kind->head, part[i].head);
		numbers_append(&kind->atom, part[i].atom);
		numbers_append(&kind->constant, part[i].constant);
	}
	pfree(part);
}

static void
take_holding(void *argument, const Datum *values, const bool *nulls)
{
	Kind	   *kind = argument;
	ArrayType  *list = nulls[3] ? NULL : DatumGetArrayTypeP(values[3]);
	int32		count = list == NULL ? 0 : ARR_DIMS(list)[0];

	if (kind->holdings == kind->room)
		mine_check_memory(3 * kind->room * sizeof(Holding));
	kind->holding = array_reserve(kind->holding, kind->holdings + 1, &kind->room, sizeof(Holding));
	kind->holding[kind->holdings++] = (Holding) {
		DatumGetInt32(values[0]), DatumGetInt32(values[1]), DatumGetInt32(values[2]), count, kind->number.count
	};
	if (count == 0)
		return;
	if (kind->number.count + count > kind->number.room)
		mine_check_memory(4 * (kind->number.count + count) * sizeof(int32));
	numbers_reserve(&kind->number, kind->number.count + count);
	memcpy(kind->number.value + kind->number.count, ARR_DATA_PTR(list), count * sizeof(int32));
	kind->number.count += count;
	if ((Pointer) list != DatumGetPointer(values[3]))
		pfree(list);
}

/*
 * Rows (head relation, x, y, numbers of the parts that hold); for parts at one end, that entity and 0.
 */
static char *
holdings_sql(const Graph *graph, int k)
{
	static const char *const ends[] = {"head", "tail"};
	const char *edges = edges_sql(graph);

	if (k == BETWEEN)
		return psprintf("with part as materialized (select head, atom, n::int from unnest($1, $2) with ordinality u (head, atom, n))\n"
						"select f.relation::int, f.head::int, f.tail::int, array_agg(n order by n) filter (where n is not null)\n"
						"from %s f\n"
						"left join (%s e join part on part.atom = e.atom) on e.x = f.head and e.y = f.tail and part.head = f.relation\n"
						"group by f.relation, f.head, f.tail\n"
						"order by f.relation, f.head, f.tail", graph->facts, edges);
	return psprintf("with part as materialized (select head, atom, c, n::int from unnest($1, $2, $3) with ordinality u (head, atom, c, n))\n"
					"select f.relation::int, f.x::int, 0, array_agg(n order by n)\n"
					"from (select distinct relation, %s as x from %s) f\n"
					"join %s e on e.x = f.x\n"
					"join part on part.head = f.relation and part.atom = e.atom and part.c = e.y\n"
					"group by f.relation, f.x\n"
					"order by f.relation, f.x", ends[k], graph->facts, edges);
}

static void
read_holdings(ConstantSearch *search, int k)
{
	Kind	   *kind = &search->kind[k];
	SqlArgs		args = {0};

	sql_arg(&args, INT4ARRAYOID, array_of_int4(kind->head.value, kind->head.count));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(kind->atom.value, kind->atom.count));
	if (k != BETWEEN)
		sql_arg(&args, INT4ARRAYOID, array_of_int4(kind->constant.value, kind->constant.count));
	sql_stream(holdings_sql(search->mining->graph, k), &args, take_holding, kind);
}

/* ---- one head ------------------------------------------------------------------------------- */

static const Holding *
find_holding(const Kind *kind, int32 head, int32 entity)
{
	int64		low = 0;
	int64		high = kind->holdings;

	while (low < high)
	{
		int64		middle = low + (high - low) / 2;
		const Holding *holding = &kind->holding[middle];

		if (holding->head < head || (holding->head == head && holding->x < entity))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == kind->holdings || kind->holding[low].head != head || kind->holding[low].x != entity)
		return NULL;
	return &kind->holding[low];
}

static void
find_holdings(ConstantSearch *search)
{
	for (int k = 0; k < KINDS; k++)
		search->holding[k] = MemoryContextAllocHuge(CurrentMemoryContext, search->facts * sizeof(Holding *));
	for (int32 i = 0; i < search->facts; i++)
	{
		const Holding *fact = &search->fact[i];

		CHECK_FOR_INTERRUPTS();
		search->holding[AT_X][i] = find_holding(&search->kind[AT_X], search->head, fact->x);
		search->holding[AT_Y][i] = find_holding(&search->kind[AT_Y], search->head, fact->y);
		search->holding[BETWEEN][i] = fact;
	}
}

/* The parts of a kind that have the current head, and where they hold. */
static void
post(ConstantSearch *search, int k)
{
	const Kind *kind = &search->kind[k];
	Postings   *postings = &search->postings[k];
	int64		first = 0;
	int64		end;
	int64		facts = 0;

	while (first < kind->head.count && kind->head.value[first] < search->head)
		first++;
	for (end = first; end < kind->head.count && kind->head.value[end] == search->head;)
		end++;
	postings->first = (int32) first;
	postings->parts = (int32) (end - first);
	postings->start = MemoryContextAllocExtended(CurrentMemoryContext, (postings->parts + 2) * sizeof(int64),
												 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int32 i = 0; i < search->facts; i++)
	{
		const Holding *holding = search->holding[k][i];

		CHECK_FOR_INTERRUPTS();
		for (int32 j = 0; holding != NULL && j < holding->count; j++, facts++)
			postings->start[kind->number.value[holding->start + j] - 1 - first + 2]++;
	}
	for (int32 i = 2; i <= postings->parts; i++)
		postings->start[i] += postings->start[i - 1];
	postings->fact = MemoryContextAllocHuge(CurrentMemoryContext, Max(facts, 1) * sizeof(int32));
	for (int32 i = 0; i < search->facts; i++)
	{
		const Holding *holding = search->holding[k][i];

		CHECK_FOR_INTERRUPTS();
		for (int32 j = 0; holding != NULL && j < holding->count; j++)
			postings->fact[postings->start[kind->number.value[holding->start + j] - 1 - first + 1]++] = i;
	}
}

static bool
are_unifiable(const ConstantSearch *search, int k, int32 a, int l, int32 b)
{
	const Kind *one = &search->kind[k];
	const Kind *other = &search->kind[l];

	if (RELATION_OF(one->atom.value[a]) != RELATION_OF(other->atom.value[b]))
		return false;
	return k == BETWEEN || one->atom.value[a] != other->atom.value[b] ||
		one->constant.value[a] == other->constant.value[b];
}

/* Whether the facts of two parts have two bindings of each variable that is beside a constant. */
static bool
has_bindings(const ConstantSearch *search, int k, int32 a, int l, int32 b)
{
	const Postings *one = &search->postings[k];
	const Postings *other = &search->postings[l];
	const int32 *i = one->fact + one->start[a];
	const int32 *i_end = one->fact + one->start[a + 1];
	const int32 *j = other->fact + other->start[b];
	const int32 *j_end = other->fact + other->start[b + 1];
	const Holding *first = NULL;
	bool		x_bound = k != AT_X && l != AT_X;
	bool		y_bound = k != AT_Y && l != AT_Y;

	while (i < i_end && j < j_end && !(x_bound && y_bound))
	{
		if (*i < *j)
			i++;
		else if (*j < *i)
			j++;
		else
		{
			const Holding *fact = &search->fact[*i];

			if (first == NULL)
				first = fact;
			x_bound |= fact->x != first->x;
			y_bound |= fact->y != first->y;
			i++;
			j++;
		}
	}
	return x_bound && y_bound;
}

/* Takes the rule of two parts, if it is one. */
static void
take_pair(ConstantSearch *search, const Shape *shape, int k, int32 a, int l, int32 b, int32 support)
{
	int32		one = search->postings[k].first + a;
	int32		other = search->postings[l].first + b;
	ShapeLabels		labels = {
		.atom = {search->kind[k].atom.value[one], search->kind[l].atom.value[other]},
		.constant = {search->kind[k].constant.value[one], search->kind[l].constant.value[other]}
	};

	if (!are_unifiable(search, k, one, l, other) && has_bindings(search, k, a, l, b))
	{
		MemoryContext here = MemoryContextSwitchTo(search->context);

		mining_add(search->mining, search->head, shape, &labels, support);
		MemoryContextSwitchTo(here);
	}
}

/* Counts how often the parts `start` .. `end - 1` of one kind meet those of the other. */
static void
count_strip(ConstantSearch *search, int k, int32 start, int32 end, int l)
{
	const Postings *one = &search->postings[k];
	const Postings *other = &search->postings[l];
	const int32 *numbers = search->kind[l].number.value;

	memset(search->counter, 0, (Size) (end - start) * other->parts * sizeof(int32));
	for (int32 a = start; a < end; a++)
	{
		int32	   *counter = search->counter + (Size) (a - start) * other->parts - 1 - other->first;

		CHECK_FOR_INTERRUPTS();
		for (int64 i = one->start[a]; i < one->start[a + 1]; i++)
		{
			const Holding *holding = search->holding[l][one->fact[i]];

			for (int32 j = 0; holding != NULL && j < holding->count; j++)
				counter[numbers[holding->start + j]]++;
		}
	}
}

static void
count_pairs(ConstantSearch *search, const char *text, int k, int l)
{
	int32		threshold = search->mining->threshold[mining_relation_row(search->mining, search->head)];
	int32		columns = search->postings[l].parts;
	int32		rows = columns == 0 ? 0 : search->postings[k].parts;
	int32		height = columns == 0 ? 0 : (int32) Max(1, STRIP / columns);
	Shape	shape;

	shape_parse(text, &shape);
	for (int32 start = 0; start < rows; start += height)
	{
		int32		end = Min(rows, start + height);

		count_strip(search, k, start, end, l);
		for (int32 a = start; a < end; a++)
		{
			const int32 *counter = search->counter + (Size) (a - start) * columns;

			CHECK_FOR_INTERRUPTS();
			for (int32 b = 0; b < columns; b++)
				if (counter[b] >= threshold)
					take_pair(search, &shape, k, a, l, b, counter[b]);
		}
	}
}

static void
search_head(ConstantSearch *search)
{
	find_holdings(search);
	for (int k = 0; k < KINDS; k++)
		post(search, k);
	count_pairs(search, "Xc Yc", AT_X, AT_Y);
	count_pairs(search, "XY Xc", BETWEEN, AT_X);
	count_pairs(search, "XY Yc", BETWEEN, AT_Y);
}

/* So many counters are needed at most: a row of them, and of the parts of two kinds as many as a strip takes. */
static int64
count_counters(const ConstantSearch *search)
{
	int64		x = search->kind[AT_X].head.count;
	int64		y = search->kind[AT_Y].head.count;
	int64		between = search->kind[BETWEEN].head.count;

	return Max(Max(x, y), Min(STRIP, Max(x * y, between * Max(x, y))));
}

/* All that was read, and for a head's facts as much again at most; before they are gone through. */
static void
check_memory(const ConstantSearch *search, int64 counters)
{
	uint64		bytes = counters * sizeof(int32);

	for (int k = 0; k < KINDS; k++)
		bytes += search->kind[k].room * sizeof(Holding) + 2 * search->kind[k].number.room * sizeof(int32) +
			search->kind[BETWEEN].holdings * sizeof(Holding *) + search->kind[k].head.count * sizeof(int64);
	mine_check_memory(bytes);
}

void
mine_constants(Mining *mining)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg constants",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	MemoryContext scratch = AllocSetContextCreate(context, "hybridkg head", ALLOCSET_DEFAULT_SIZES);
	ConstantSearch search = {.mining = mining,.context = caller};
	const Kind *facts = &search.kind[BETWEEN];
	int			nest_level = plan_begin();
	int64		counters;

	for (int k = 0; k < KINDS; k++)
	{
		gather_parts(&search, k);
		read_holdings(&search, k);
	}
	plan_end(nest_level);
	counters = count_counters(&search);
	check_memory(&search, counters);
	search.counter = MemoryContextAllocHuge(context, Max(counters, 1) * sizeof(int32));
	for (int64 start = 0; start < facts->holdings; start += search.facts)
	{
		search.fact = &facts->holding[start];
		search.head = search.fact->head;
		for (search.facts = 0; start + search.facts < facts->holdings && search.fact[search.facts].head == search.head;)
			search.facts++;
		MemoryContextSwitchTo(scratch);
		search_head(&search);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}
