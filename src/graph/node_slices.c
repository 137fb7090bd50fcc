/*
 * node_slices.c
 *		Work on a graph, done in slices on the nodes of a cluster (see node_slices.h).
 */
#include "node_slices.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timeout.h"

#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

#define HASHED_BYTES ((Size) 1 << 20)
#define CLIENT_CHECKED "250ms"	/* how often a node looks whether its client is there */

/* ---- checksums -------------------------------------------------------------------- */

uint64
checksum_of_bytes(const void *bytes, Size count, uint64 checksum)
{
	for (Size done = 0; done < count; done += HASHED_BYTES)
	{
		hkg_check_interrupts();
		checksum = hash_bytes_extended((const unsigned char *) bytes + done, (int) Min(HASHED_BYTES, count - done),
									   checksum);
	}
	return hash_combine64(checksum, count);
}

uint64
checksum_of_facts(const GraphData *data)
{
	uint64		checksum = checksum_of_bytes(data->entity_id, data->entities * sizeof(int32), 0);

	checksum = checksum_of_bytes(data->relation_id, data->relations * sizeof(int32), checksum);
	return checksum_of_bytes(data->fact, data->facts * sizeof(Triple), checksum);
}

/* ---- slices of triples -------------------------------------------------------------- */

int64
node_slice_places(NodeSlice slice, int64 count, int64 *place)
{
	int64		stretches = (int64) NODE_SLICE_STRETCHES * slice.count;
	int64		places = 0;

	for (int64 stretch = slice.number - 1; stretch < stretches; stretch += slice.count)
		for (int64 i = count * stretch / stretches; i < count * (stretch + 1) / stretches; i++)
		{
			CHECK_FOR_INTERRUPTS();
			place[places++] = i;
		}
	return places;
}

/* ---- what a node does --------------------------------------------------------------- */

NodeSlice
node_slice_argument(FunctionCallInfo fcinfo, int i, int most)
{
	int			count = argument_int(fcinfo, i + 1, "slices", 1, most);

	return (NodeSlice) {argument_int(fcinfo, i, "slice", 1, count), count};
}

/* Until the function returns: its declaration sets search_path, so that settings are restored. */
void
node_slice_begin(void)
{
	set_config_option("client_connection_check_interval", CLIENT_CHECKED, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
					  DEBUG1, false);
	if (client_connection_check_interval > 0 && MyProcPort != NULL && !get_timeout_active(CLIENT_CONNECTION_CHECK_TIMEOUT))
		enable_timeout_after(CLIENT_CONNECTION_CHECK_TIMEOUT, client_connection_check_interval);
}

/* hint: as hkg_check_memory_or ends one, which begins this one */
static void
check_array(int64 count, const char *hint)
{
	if (ARR_OVERHEAD_NONULLS(1) + count * sizeof(int64) > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("what a slice returns needs more than an array's 1 GB"),
				 errhint("%c%s.", pg_toupper((unsigned char) hint[0]), hint + 1)));
}

Datum
node_answer(MemoryContext context, int64 checksum, const int64 *value, int64 count, const char *hint)
{
	MemoryContext own;
	int64	   *all;
	Datum		array;

	hkg_check_memory_or(3 * (count + 1) * sizeof(int64), "what a slice returns", hint);
	check_array(count + 1, hint);
	all = array_new(int64, count + 1);
	all[0] = checksum;
	memcpy(all + 1, value, count * sizeof(int64));
	own = MemoryContextSwitchTo(context);
	array = array_of_int8(all, (int) (count + 1));
	MemoryContextSwitchTo(own);
	pfree(all);
	return array;
}

/* ---- what the coordinator does --------------------------------------------------------- */

bool
node_slices_exist(const Graph *graph)
{
	return !IsInParallelMode() && graph_has_slices(graph) && graph_may_read(graph, "slice");
}

int
node_slices_count(const Graph *graph)
{
	Datum		count;

	return sql_value(psprintf("select count(*)::int from %sslice", graph->prefix), SQL_NO_ARGS, &count) ?
		DatumGetInt32(count) : 0;
}

typedef struct NodeAnswers
{
	const NodeSlices *slices;
	int64		count;
	int			wanted;			/* how many there are to be */
	uint64		sum;			/* of their numbers: each answers once */
	bool		differs;		/* some node read something else */
} NodeAnswers;

static void
take_answer(void *argument, const Datum *values, const bool *nulls)
{
	NodeAnswers *answers = argument;
	const NodeSlices *slices = answers->slices;
	NodeSlice	slice = {DatumGetInt32(values[0]), DatumGetInt32(values[1])};
	ArrayType  *array = nulls[2] ? NULL : DatumGetArrayTypeP(values[2]);
	const int64 *value = array == NULL ? NULL : (const int64 *) ARR_DATA_PTR(array);

	answers->count++;
	answers->sum += slice.number;
	answers->wanted = slice.count;
	if (value == NULL || value[0] != slices->checksum)
		answers->differs = true;
	else
		slices->take(slices->argument, slice, value + 1, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) - 1);
	if (array != NULL && (Pointer) array != DatumGetPointer(values[2]))
		pfree(array);
}

bool
node_slices_run(const NodeSlices *slices)
{
	const Graph *graph = slices->graph;
	NodeAnswers answers = {.slices = slices};

	sql_stream(psprintf("select slice, slices, %s%s(%s, %s, slice, slices) from %sslice", extension_prefix(),
						slices->function, quote_literal_cstr(graph->name), slices->arguments, graph->prefix),
			   slices->args, take_answer, &answers);
	return !answers.differs && answers.count > 0 && answers.count == answers.wanted &&
		answers.sum == (uint64) answers.wanted * (answers.wanted + 1) / 2;
}

void
node_answer_refused(const char *function, const char *fault)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s() of a node returned something else than this server's", function),
			 errdetail_internal("%s", fault),
			 errhint("Install the same version of hybridkg on every server.")));
}

void
node_answer_check(const char *function, int64 count, int64 expected)
{
	if (count != expected)
		node_answer_refused(function, psprintf("It has " INT64_FORMAT " numbers, expected " INT64_FORMAT ".", count, expected));
}

void
node_slices_failed(const Graph *graph, const char *what)
{
	ereport(NOTICE,
			(errmsg("%s on this server alone", what),
			 errdetail("Its nodes do not all have the facts that this transaction has."),
			 errhint("Somebody changes them meanwhile, or nodes were added: then select hkg_distribute_graph(%s).",
					 quote_literal_cstr(graph->name))));
}
