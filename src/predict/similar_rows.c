/*
 * similar_rows.c
 *		_hkg_similar_rows: values of a column by rows that are like the row in question, for hkg_fill and hkg_doubt.
 *
 * SQL says what the rows are, and what they have in common; this reads it and lets similar/similar.h learn and answer.
 * Rows, kinds, tokens and values are numbered by their names' order, so the same rows give the same bits, in whatever
 * order queries return them.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/sort.h"
#include "graph/graph.h"
#include "server/argument.h"
#include "server/given_names.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/named_numbers.h"
#include "server/sql.h"
#include "server/user_query.h"
#include "similar/similar.h"

/* ---- names ---------------------------------------------------------------------------- */

/* Distinct names, numbered as they come, then by their order */
typedef struct Dictionary
{
	NamedNumbers *table;
	char	  **name;
	int64		room;
	int32		count;
	int32	   *place;			/* of each, by its first number */
} Dictionary;

static int32
dictionary_number(Dictionary *dictionary, const char *name)
{
	bool		found;
	NamedNumber *entry;

	if (dictionary->table == NULL)
		dictionary->table = named_numbers_create(CurrentMemoryContext);
	entry = named_numbers_insert(dictionary->table, name, &found);
	if (found)
		return entry->number;
	entry->name = pstrdup(name);
	entry->number = dictionary->count;
	dictionary->name = array_reserve(dictionary->name, dictionary->count + 1, &dictionary->room, sizeof(char *));
	dictionary->name[dictionary->count] = unconstify(char *, entry->name);
	return dictionary->count++;
}

typedef struct PlacedName
{
	char	   *name;
	int32		number;
} PlacedName;

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const PlacedName *) a)->name, ((const PlacedName *) b)->name);
}

static void
dictionary_sort(Dictionary *dictionary)
{
	PlacedName *sorted = array_new(PlacedName, dictionary->count);

	for (int32 i = 0; i < dictionary->count; i++)
		sorted[i] = (PlacedName) {dictionary->name[i], i};
	sort_array(hkg_leader(), POOL_LEADER, sorted, dictionary->count, sizeof(PlacedName), compare_names);
	dictionary->place = array_new(int32, dictionary->count);
	for (int32 i = 0; i < dictionary->count; i++)
	{
		dictionary->name[i] = sorted[i].name;
		dictionary->place[sorted[i].number] = i;
	}
	pfree(sorted);
}

/* ---- what is read --------------------------------------------------------------------- */

typedef struct Cell
{
	int32		row;
	int32		value;			/* -1: null */
	double		amount;
	double	   *number;			/* NAN: null */
} Cell;

typedef struct Token
{
	int32		row;
	int32		token;
	int32		kind;
	float		part;
} Token;

typedef struct ColumnData
{
	Dictionary	row;
	Dictionary	value;
	Dictionary	kind;
	Dictionary	token;			/* of its kind and itself */
	Cell	   *cell;
	int64		cells;
	int64		cell_room;
	Token	   *tokens;
	int64		token_count;
	int64		token_room;
	int			numbers;
	bool		has_amounts;
	int32		known;			/* rows with a value */
	SimilarRows rows;
} ColumnData;

#define WAY_OUT "look at fewer rows by a condition in table source_table"

/* What was read so far, once in a while */
static void
check_memory(ColumnData *data)
{
	if ((data->cells + data->token_count) % 16384 == 0)
		hkg_check_memory_or(MemoryContextMemAllocated(CurrentMemoryContext, true), "reading rows", WAY_OUT);
}

/* A row (name, value, amount, numbers) */
static void
take_cell(void *argument, const Datum *values, const bool *nulls)
{
	ColumnData *data = argument;
	char	   *name = TextDatumGetCString(sql_present(values, nulls, 0));
	Datum	   *element;
	bool	   *null;
	int			count;
	Cell	   *cell;

	deconstruct_array(DatumGetArrayTypeP(sql_present(values, nulls, 3)), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &element, &null, &count);
	data->numbers = count;
	data->cell = array_reserve(data->cell, data->cells + 1, &data->cell_room, sizeof(Cell));
	cell = &data->cell[data->cells];
	*cell = (Cell) {.row = dictionary_number(&data->row, name),.value = -1,
		.amount = nulls[2] ? NAN : DatumGetFloat8(values[2]),.number = array_new(double, count)};
	pfree(name);
	if (cell->row != data->cells)	/* a view may have it twice */
		return;
	data->cells++;
	check_memory(data);
	for (int i = 0; i < count; i++)
		cell->number[i] = null[i] ? NAN : DatumGetFloat8(element[i]);
	data->has_amounts |= !nulls[2];
	if (nulls[1])
		return;
	name = TextDatumGetCString(values[1]);
	cell->value = dictionary_number(&data->value, name);
	pfree(name);
}

/* A token (row, kind, token, how often), which may come again */
static void
take_token(void *argument, const Datum *values, const bool *nulls)
{
	ColumnData *data = argument;
	char	   *name = TextDatumGetCString(sql_present(values, nulls, 0));
	NamedNumber *row = named_numbers_find(data->row.table, name);
	char	   *kind;
	char	   *token;

	pfree(name);
	if (row == NULL)
		return;
	kind = TextDatumGetCString(sql_present(values, nulls, 1));
	name = TextDatumGetCString(sql_present(values, nulls, 2));
	token = psprintf("%s %s", kind, name);
	data->tokens = array_reserve(data->tokens, data->token_count + 1, &data->token_room, sizeof(Token));
	data->tokens[data->token_count++] = (Token) {row->number, dictionary_number(&data->token, token),
	dictionary_number(&data->kind, kind), (float) DatumGetFloat8(sql_present(values, nulls, 3))};
	check_memory(data);
	pfree(kind);
	pfree(name);
	pfree(token);
}

/* By row, kind, token */
static int
compare_tokens(const void *a, const void *b)
{
	const Token *left = a;
	const Token *right = b;

	if (left->row != right->row)
		return left->row < right->row ? -1 : 1;
	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return (left->token > right->token) - (left->token < right->token);
}

/* ---- as similar.h has it --------------------------------------------------------------- */

typedef struct RankedNumber
{
	double		number;
	int32		row;
} RankedNumber;

static int
compare_numbers(const void *a, const void *b)
{
	const RankedNumber *left = a;
	const RankedNumber *right = b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

/* Ranks of numbers, 0 to 1: equal ones share the middle of their ranks; NAN stays NAN. */
static void
rank_numbers(const double *number, int32 rows, float *rank)
{
	RankedNumber *sorted = array_new(RankedNumber, rows);
	int64		count = 0;

	for (int32 row = 0; row < rows; row++)
	{
		rank[row] = NAN;
		if (!isnan(number[row]))
			sorted[count++] = (RankedNumber) {number[row], row};
	}
	sort_array(hkg_leader(), POOL_LEADER, sorted, count, sizeof(RankedNumber), compare_numbers);
	for (int64 first = 0, end; first < count; first = end)
	{
		for (end = first; end < count && sorted[end].number == sorted[first].number; end++)
			;
		for (int64 i = first; i < end; i++)
			rank[sorted[i].row] = count == 1 ? 0.5f : (float) ((double) (first + end - 1) / 2 / (double) (count - 1));
	}
	pfree(sorted);
}

static void
make_rows(ColumnData *data)
{
	SimilarRows *rows = &data->rows;
	int32		count = (int32) data->cells;
	int64	   *first = array_new_zero(int64, count + 1);
	int32	   *token = array_new(int32, data->token_count);
	float	   *part = array_new(float, data->token_count);
	int32	   *kind = array_new(int32, data->token.count);
	int32	   *value = array_new(int32, count);
	double	   *amount = array_new(double, count);
	float	   *amount_rank = array_new(float, count);
	double	   *number = array_new(double, count);
	float	   *rank = array_new(float, (int64) count * data->numbers);
	int64		distinct = 0;	/* tokens */

	/* 1. Numbers by the order of names */
	dictionary_sort(&data->row);
	dictionary_sort(&data->value);
	dictionary_sort(&data->kind);
	dictionary_sort(&data->token);

	/* 2. Values and numbers */
	for (int64 i = 0; i < data->cells; i++)
	{
		const Cell *cell = &data->cell[i];

		value[data->row.place[cell->row]] = cell->value < 0 ? -1 : data->value.place[cell->value];
		data->known += cell->value >= 0;
		/* NaN sorts last, as in the server */
		amount[data->row.place[cell->row]] = cell->value < 0 ? NAN : isnan(cell->amount) ? INFINITY : cell->amount;
	}
	rank_numbers(amount, count, amount_rank);
	for (int j = 0; j < data->numbers; j++)
	{
		for (int64 i = 0; i < data->cells; i++)
			number[data->row.place[data->cell[i].row]] = data->cell[i].number[j];
		rank_numbers(number, count, rank + (int64) j * count);
	}

	/* 3. Tokens: equal ones add up, and those of a row and a kind share 1 */
	for (int64 i = 0; i < data->token_count; i++)
	{
		Token	   *of = &data->tokens[i];

		*of = (Token) {data->row.place[of->row], data->token.place[of->token], data->kind.place[of->kind], of->part};
		kind[of->token] = of->kind;
	}
	sort_array(hkg_leader(), POOL_LEADER, data->tokens, data->token_count, sizeof(Token), compare_tokens);
	for (int64 i = 0; i < data->token_count; i++)
	{
		Token	   *last = &data->tokens[distinct - 1];

		if (distinct > 0 && compare_tokens(last, &data->tokens[i]) == 0)
			last->part += data->tokens[i].part;
		else
			data->tokens[distinct++] = data->tokens[i];
	}
	data->token_count = distinct;
	for (int64 i = 0; i < distinct; i++)
		first[data->tokens[i].row + 1]++;
	for (int32 row = 0; row < count; row++)
		first[row + 1] += first[row];
	for (int64 i = 0, end; i < data->token_count; i = end)
	{
		double		square = 0;

		for (end = i; end < data->token_count && data->tokens[end].row == data->tokens[i].row &&
			 data->tokens[end].kind == data->tokens[i].kind; end++)
			square += (double) data->tokens[end].part * data->tokens[end].part;
		for (int64 j = i; j < end; j++)
		{
			token[j] = data->tokens[j].token;
			part[j] = (float) (data->tokens[j].part / sqrt(square));
		}
	}
	*rows = (SimilarRows) {.rows = count,.kinds = data->kind.count,.tokens = data->token.count,.numbers = data->numbers,
		.values = data->value.count,.first = first,.token = token,.part = part,.kind = kind,.rank = rank,.value = value,
		.amount = data->has_amounts ? amount : NULL,.amount_rank = amount_rank};
}

#define SIMILAR_AT_ONCE 4096	/* rows whose answers are in memory */
#define CALIBRATION_ROWS SIMILAR_AT_ONCE /* at most */

/* ---- the function ----------------------------------------------------------------------- */

/* "like airport:5, airport:9 in country, latitude" */
static char *
reason_of(const ColumnData *data, char *const *number_name, const SimilarAnswer *answer)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < answer->nearest_count; i++)
		appendStringInfo(&text, "%s%s", i == 0 ? "like " : ", ", data->row.name[answer->nearest[i]]);
	for (int i = 0; i < answer->alike_count; i++)
		appendStringInfo(&text, "%s%s", i == 0 ? " in " : ", ", answer->alike[i] < data->kind.count ?
						 data->kind.name[answer->alike[i]] : number_name[answer->alike[i] - data->kind.count]);
	return text.data;
}

static void
return_answer(const ColumnData *data, char *const *number_name, int32 row, const SimilarAnswer *answer,
			  SqlResult *result)
{
	int32		own = data->rows.value[row];
	Datum		values[8] = {
		CStringGetTextDatum(data->row.name[row]), 0, 0, 0,
		own < 0 ? 0 : CStringGetTextDatum(data->value.name[own]),
		Float8GetDatum(answer->own),
		Float8GetDatum(answer->expected),
		CStringGetTextDatum(reason_of(data, number_name, answer))
	};
	bool		nulls[8] = {[4] = own < 0,[5] = own < 0,[6] = isnan(answer->expected)};

	for (int i = 0; i < answer->count; i++)
	{
		values[1] = Int32GetDatum(i + 1);
		values[2] = CStringGetTextDatum(data->value.name[answer->value[i]]);
		values[3] = Float8GetDatum(answer->probability[i]);
		sql_result_row(result, values, nulls);
		pfree(DatumGetPointer(values[2]));
	}
	pfree(DatumGetPointer(values[0]));
	pfree(DatumGetPointer(values[7]));
}

/* How sure answers may be, by known rows at equal distances */
static void
calibrate(const ColumnData *data, Similar *similar, Pool *pool, Arena *arena, SimilarAnswer *answer,
		  SimilarCalibration *calibration)
{
	int32	   *known = array_new(int32, data->known);
	int32	   *value = array_new(int32, CALIBRATION_ROWS);
	int64		all = 0;
	int64		count = Min(CALIBRATION_ROWS, data->known);

	for (int32 row = 0; row < data->rows.rows; row++)
		if (data->rows.value[row] >= 0)
			known[all++] = row;
	for (int64 i = 0; i < count; i++)
	{
		known[i] = known[i * all / count];
		value[i] = data->rows.value[known[i]];
	}
	similar_answers(similar, pool, known, count, answer);
	similar_calibrate(arena, value, answer, count, calibration);
}

static const UserQuery cell_query = {"cell_query", 4, "entity, value, amount and numbers are needed",
"hkg_fill and hkg_doubt make it."};
static const UserQuery token_query = {"token_query", 4, "entity, kind, token and a count are needed",
"hkg_fill and hkg_doubt make it."};

HKG_FUNCTION(hkg_similar_rows);
Datum
hkg_similar_rows(PG_FUNCTION_ARGS)
{
	static const TableRights rights[] = {{"entity", ACL_SELECT}, {"relation", ACL_SELECT}, {"triple", ACL_SELECT}};
	char	   *graph = argument_name(fcinfo, 0, "graph");
	char	   *cells = argument_text(fcinfo, 1, "cell_query");
	char	   *tokens = argument_text(fcinfo, 2, "token_query");
	bool		known = DatumGetBool(argument(fcinfo, 4, "known"));
	SqlResult  *result = sql_result(fcinfo);
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(caller, "hybridkg similar rows", ALLOCSET_DEFAULT_SIZES);
	GivenNames	numbers;
	GivenNames	keys;
	ColumnData	data = {0};
	Arena		arena;
	Pool	   *pool;
	Similar    *similar;
	SimilarAnswer *answer;
	SimilarCalibration calibration;
	int32	   *asked;
	int64		count = 0;

	/* 1. Read the rows, and what they have in common */
	MemoryContextSwitchTo(work);
	sql_begin();
	graph_require_rights(graph_open(graph), rights, lengthof(rights));
	user_query_check(&cell_query, cells, NULL);
	user_query_check(&token_query, tokens, NULL);
	numbers = given_names(fcinfo, 3, "numbers");
	keys = given_names(fcinfo, 5, "keys");
	data.row.table = named_numbers_create(work);
	sql_stream(cells, SQL_NO_ARGS, take_cell, &data);
	sql_stream(tokens, SQL_NO_ARGS, take_token, &data);
	make_rows(&data);

	/* 2. The rows that are asked for: those of the keys, else all, with a value or without one */
	asked = array_new(int32, data.cells + keys.count);
	for (int32 row = 0; !keys.given && row < data.cells; row++)
		if ((data.rows.value[row] >= 0) == known)
			asked[count++] = row;
	for (int64 i = 0; i < keys.count; i++)
	{
		NamedNumber *found = named_numbers_find(data.row.table, keys.name[i]);

		if (found != NULL && (data.rows.value[data.row.place[found->number]] >= 0) == known)
			asked[count++] = data.row.place[found->number];
	}

	/* 3. Learn, and answer */
	arena = hkg_within_memory(hkg_scratch(false), MemoryContextMemAllocated(work, true), "comparing rows", WAY_OUT);
	pool = hkg_pool();
	similar = count == 0 || data.value.count == 0 ? NULL : similar_learn(&data.rows, pool, &arena, 0);
	answer = array_new(SimilarAnswer, SIMILAR_AT_ONCE);
	if (count > 0 && similar == NULL)
		ereport(NOTICE, (errmsg("no row has a value in this column, so there is nothing to learn from")));
	if (similar != NULL)
		calibrate(&data, similar, pool, &arena, answer, &calibration);
	for (int64 first = 0; similar != NULL && first < count; first += SIMILAR_AT_ONCE)
	{
		int64		some = Min(SIMILAR_AT_ONCE, count - first);

		similar_answers(similar, pool, asked + first, some, answer);
		for (int64 i = 0; i < some; i++)
		{
			int32		row = asked[first + i];

			similar_apply(&calibration, data.known, data.value.count, &answer[i]);
			return_answer(&data, numbers.name, row, &answer[i], result);
		}
	}
	sql_end();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return (Datum) 0;
}
