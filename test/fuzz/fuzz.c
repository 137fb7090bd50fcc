/*
 * fuzz.c
 *		hkg_fuzz(target, arguments): libFuzzer in a backend.
 *
 * A target is a SQL function of one bytea (targets.sql), so that what runs is the extension itself: its statements, its
 * memory, its errors.  Each execution is a subtransaction that is rolled back.  A refusal is what bad input deserves; these are
 * findings: an error that should not happen (class XX), an assertion of the target (P0004), a signal, a palloc'ed block
 * that was overrun, and an execution that a statement_timeout of a second does not end within three.
 *
 * libFuzzer ends the process: run it in a single-user server (test/fuzz/run).
 */
#include "postgres.h"

#include <signal.h>
#include <unistd.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#define CANCELLED_AFTER 1000	/* milliseconds */
#define HANGS_AFTER 3000

PG_MODULE_MAGIC;

extern int	LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run_one) (const uint8_t *data, size_t size));

static Oid	target;
static MemoryContext scratch;
static emit_log_hook_type next_hook;

static void
report_finding(const char *what)
{
	(void) !write(STDERR_FILENO, what, strlen(what));
	(void) !write(STDERR_FILENO, "\n", 1);
	abort();
}

/* Overrun blocks are warnings of a server with assertions. */
static void
judge_message(ErrorData *message)
{
	if (message->elevel == WARNING && message->message != NULL && strncmp(message->message, "problem in", 10) == 0)
		report_finding(message->message);
	message->output_to_server = false;
	if (next_hook != NULL)
		next_hook(message);
}

static void
judge_error(const ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	if (category == ERRCODE_INTERNAL_ERROR || error->sqlerrcode == ERRCODE_ASSERT_FAILURE)
		report_finding(psprintf("%s: %s", unpack_sql_state(error->sqlerrcode), error->message));
}

static void
call_target(const uint8_t *data, size_t size)
{
	bytea	   *input = palloc(VARHDRSZ + size);

	SET_VARSIZE(input, VARHDRSZ + size);
	memcpy(VARDATA(input), data, size);
	enable_timeout_after(STATEMENT_TIMEOUT, CANCELLED_AFTER);
	OidFunctionCall1(target, PointerGetDatum(input));
}

static int
run_one(const uint8_t *data, size_t size)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	TimestampTz start = GetCurrentTimestamp();

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(scratch);
	PG_TRY();
	{
		call_target(data, size);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(scratch);
		judge_error(CopyErrorData());
		FlushErrorState();
	}
	PG_END_TRY();
	disable_timeout(STATEMENT_TIMEOUT, false);
	QueryCancelPending = false;
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	MemoryContextReset(scratch);
	if (TimestampDifferenceExceeds(start, GetCurrentTimestamp(), HANGS_AFTER))
		report_finding("it was not cancelled");
	return 0;
}

PG_FUNCTION_INFO_V1(hkg_fuzz);
Datum
hkg_fuzz(PG_FUNCTION_ARGS)
{
	Datum	   *elements;
	int			count;
	char	  **argv;

	target = PG_GETARG_OID(0);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL, &count);
	argv = palloc0((count + 2) * sizeof(char *));
	argv[0] = "hkg_fuzz";
	for (int i = 0; i < count; i++)
		argv[i + 1] = TextDatumGetCString(elements[i]);
	count++;
	scratch = AllocSetContextCreate(CurrentMemoryContext, "fuzz", ALLOCSET_DEFAULT_SIZES);
	next_hook = emit_log_hook;
	emit_log_hook = judge_message;
	LLVMFuzzerRunDriver(&count, &argv, run_one);
	PG_RETURN_VOID();
}
