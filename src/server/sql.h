/*
 * sql.h
 *		Statements of our own, run through SPI.
 *
 * Every SQL function that runs statements calls sql_begin() before and sql_end() after them.  Memory that must outlive
 * sql_end() is allocated in the context that sql_begin() returns.  Identifiers in a statement are quoted (graph->prefix
 * is), values are parameters.  The functions pin search_path in their declarations (or by sql_pin), so operators are
 * those of pg_catalog.
 *
 * A graph's tables belong to a user, who may have changed the type of a column.  So a query casts each column to the
 * type that its rows are read as; the cast costs nothing where the type is right.
 */
#ifndef HKG_SERVER_SQL_H
#define HKG_SERVER_SQL_H

#include "compat.h"

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#define SQL_MAX_ARGS 21

/* Parameters of a statement */
typedef struct SqlArgs
{
	int			count;
	Oid			types[SQL_MAX_ARGS];
	Datum		values[SQL_MAX_ARGS];
	char		nulls[SQL_MAX_ARGS];	/* ' ' or 'n', see SPI_execute_with_args */
} SqlArgs;

#define SQL_NO_ARGS ((const SqlArgs *) NULL)

/* Parameters that begin with a text. */
extern SqlArgs sql_args_text(const char *text);

extern void sql_arg(SqlArgs *args, Oid type, Datum value);
extern void sql_arg_text(SqlArgs *args, const char *value);
/* As text with all digits: cast it to float8.  Other servers get parameters as text, by extra_float_digits. */
extern void sql_arg_digits(SqlArgs *args, double value);
extern void sql_arg_null(SqlArgs *args, Oid type);

/* Frees the values, all of which are pointers. */
extern void sql_args_free(SqlArgs *args);

/* SPI_connect; returns the caller's memory context, which is current again. */
extern MemoryContext sql_begin(void);
extern void sql_end(void);

/* For a function whose declaration does not pin search_path: from here to sql_unpin, it is pg_catalog. */
extern int	sql_pin(void);
extern void sql_unpin(int nest_level);

/*
 * Queries run on the caller's snapshot, which does not show what this function wrote.  Between these two calls they
 * see it.
 */
extern void sql_see_changes(void);
extern void sql_see_changes_end(void);

/* Runs a statement that writes; returns the number of rows it processed. */
extern uint64 sql_run(const char *statement, const SqlArgs *args);

/*
 * Runs a query on the caller's snapshot, in parallel where the planner chooses so, and calls `row` with the values and
 * nulls of each row.  No row is kept: by-reference values live until `row` returns.  `row` runs in the memory context
 * in which sql_stream was called.  Returns the number of rows.
 */
typedef void (*SqlRow) (void *argument, const Datum *values, const bool *nulls);

extern uint64 sql_stream(const char *query, const SqlArgs *args, SqlRow row, void *argument);

/*
 * Value i of a row, which is not null unless the owner has put a view in the place of a table, or dropped a constraint.
 * ERROR 22004 where it is.
 */
extern Datum sql_present(const Datum *values, const bool *nulls, int i);

/* The same for a short query that is run often: this backend keeps its plan. */
extern uint64 sql_stream_often(const char *query, const SqlArgs *args, SqlRow row, void *argument);

/* The same for a statement that writes and returns rows. */
extern uint64 sql_run_returning(const char *statement, const SqlArgs *args, SqlRow row, void *argument);

/*
 * The only column of the first row, copied into the current context; false when there is no row or it is NULL.  The
 * plan is kept as well.
 */
extern bool sql_value(const char *query, const SqlArgs *args, Datum *value);

/* What a statement writes before the name of a function of the extension: its schema, quoted, and a dot. */
extern char *extension_prefix(void);

/*
 * A statement for many rows, such as "insert into t select * from unnest($1, $2)".  Rows are gathered; whenever a batch
 * is full, the statement runs with one array for each column.
 */
typedef struct SqlBatch SqlBatch;

extern SqlBatch *sql_batch_begin(const char *statement, int columns, const Oid *types);
extern void sql_batch_row(SqlBatch *batch, const Datum *values, const bool *nulls);	/* nulls may be NULL */
extern uint64 sql_batch_end(SqlBatch *batch);	/* rows processed in all */

/*
 * The result of a set-returning function, in materialise mode.  sql_result() makes its tuplestore, before or after
 * sql_begin; sql_result_row() adds a row; sql_result_query() adds all rows of a query whose columns have the result's
 * types.  sql_add_to_result does the same as the SqlRow of another stream; its argument is the result.
 */
typedef struct SqlResult
{
	Tuplestorestate *store;
	TupleDesc	descriptor;
} SqlResult;

extern SqlResult *sql_result(FunctionCallInfo fcinfo);
extern void sql_result_row(SqlResult *result, const Datum *values, const bool *nulls);
extern void sql_add_to_result(void *argument, const Datum *values, const bool *nulls);
extern void sql_result_query(SqlResult *result, const char *query, const SqlArgs *args);

/* The result of a function that returns a record of bigint: as many of `values` as its declaration has columns. */
extern Datum sql_counts(FunctionCallInfo fcinfo, const int64 *values);

#endif							/* HKG_SERVER_SQL_H */
