/*
 * complete_slices.c
 *		hkg_complete by slices of its questions (graph/node_slices.h), where that pays.
 *
 * What the answers of a question are, and how probable, depends on the model and the facts alone.  A slice has a part
 * of the questions of each relation and side, and finds the most probable of their answers; the most probable of all
 * are among these.
 */
#include "missing_search.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "graph/node_slices.h"
#include "model/sent_model.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

#define SENT 8					/* numbers of an answer */
#define ALL_RELATIONS (-1)

/* ---- what both sides have ------------------------------------------------------------- */

/* Of all that answers depend on, but the model */
static int64
checksum_of_questions(const MissingQuestions *questions)
{
	const FactIndex *facts = questions->facts;
	const AddedEntities *added = questions->predictor->added;
	const RejectedAnswers *rejected = questions->predictor->rejected;
	uint64		checksum = checksum_of_bytes(facts->start, (facts->entities + 1) * sizeof(int64_t), 0);

	checksum = checksum_of_bytes(facts->edge, facts->edges * sizeof(FactEdge), checksum);
	checksum = checksum_of_bytes(rejected->triple[SIDE_TAIL], rejected->count * sizeof(Triple), checksum);
	return (int64) checksum_of_bytes(added->id, added->count * sizeof(int32), checksum);
}

/* Numbers are sent as they are, bit by bit. */
static int64
bits_of(double number)
{
	int64		bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static double
number_of(int64 bits)
{
	double		number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* ---- what a node does --------------------------------------------------------------- */

/* The rows that are shown of a side; null: all */
static EntitySet
shown_rows(FunctionCallInfo fcinfo, int i, const char *what)
{
	EntitySet	set = {.given = !PG_ARGISNULL(i)};
	ArrayType  *array;

	if (!set.given)
		return set;
	array = PG_GETARG_ARRAYTYPE_P(i);
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s of a slice must be a list of rows without nulls", what)));
	set.names = set.count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	set.row = (int32 *) ARR_DATA_PTR(array);
	return set;
}

static void
check_rows(const char *what, const EntitySet *set, int64 rows)
{
	for (int64 i = 0; i < set->count; i++)
		if (set->row[i] < (i == 0 ? 0 : set->row[i - 1] + 1) || set->row[i] >= rows)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s of a slice holds %d at position " INT64_FORMAT, what, set->row[i], i + 1),
					 errdetail("Expected are rows from 0 to " INT64_FORMAT ", ascending.", rows - 1)));
}

/* What only hkg_complete passes on, so it needs no hint */
static void
check_asked(const Predictor *predictor, int relation, const ShownEntities *shown)
{
	int64		rows = predictor_entities(predictor);

	if (relation >= predictor->model->kge.relations)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation of a slice must be from %d to %d, not %d", ALL_RELATIONS,
						predictor->model->kge.relations - 1, relation)));
	check_rows("heads", &shown->side[SIDE_HEAD], rows);
	check_rows("candidates", &shown->side[SIDE_TAIL], rows);
}

static Datum
answer_slice(const MissingQuestions *questions, KgeWanted wanted, MemoryContext caller)
{
	const Predictor *predictor = questions->predictor;
	const KgeScored *best = NULL;
	Scoring		scoring;
	int64		count;
	int64	   *value;

	scoring_open(predictor->evidence, predictor->kind, added_entities_array(predictor->added), pool_threads(hkg_pool()),
				 &scoring);
	count = missing_search_best(missing_search_open(questions, &scoring), wanted, &best);
	value = array_new(int64, SENT * count);
	for (int64 i = 0; i < count; i++)
	{
		const KgeScored *scored = &best[i];
		int64		packed[SENT] = {
			scored->triple.head, scored->triple.relation, scored->triple.tail, scored->side,
			bits_of(scored->score), bits_of(scored->phi), bits_of(scored->addition), bits_of(scored->probability)
		};

		memcpy(value + SENT * i, packed, sizeof(packed));
	}
	return node_answer(caller, checksum_of_questions(questions), value, SENT * count, "ask for a smaller k");
}

HKG_FUNCTION(hkg_complete_slice);
Datum
hkg_complete_slice(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *model = argument_name(fcinfo, 1, "model");
	EvKind		kind = argument_evidence(fcinfo, 2);
	int			relation = argument_int(fcinfo, 3, "relation", ALL_RELATIONS, PG_INT32_MAX);
	KgeWanted	wanted = {
		.k = argument_int(fcinfo, 4, "k", 1, PG_INT32_MAX),
		.probability = argument_float(fcinfo, 5, "min_probability", 0, 1),
		.exact = DatumGetBool(argument(fcinfo, 7, "exact"))
	};
	bool		one_each = DatumGetBool(argument(fcinfo, 6, "one_each"));
	ShownEntities shown = {{shown_rows(fcinfo, 8, "heads"), shown_rows(fcinfo, 9, "candidates")}};
	char	   *version = argument_text(fcinfo, 10, "version");
	NodeSlice	slice = node_slice_argument(fcinfo, 11, PG_INT32_MAX);
	MemoryContext caller;
	Datum		array = (Datum) 0;
	Graph	   *graph;

	node_slice_begin();
	caller = sql_begin();
	graph = graph_open_facts(name);
	if (model_has_version(graph, model, version))
	{
		Predictor	predictor = predictor_open(graph, model, kind);
		MissingQuestions questions;

		wanted.heads = one_each ? predictor_entities(&predictor) : 0;
		check_asked(&predictor, relation, &shown);
		questions = missing_questions_open(graph, &predictor, relation, &shown);
		questions.slice = slice;
		array = answer_slice(&questions, wanted, caller);
	}
	sql_end();
	if (array == (Datum) 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(array);
}

/* ---- what the coordinator does --------------------------------------------------------- */

/* What the nodes have found */
typedef struct FoundFacts
{
	KgeScored  *scored;
	int64		count;
	int64		room;
} FoundFacts;

static void
take_answers(void *argument, NodeSlice slice, const int64 *value, int64 count)
{
	FoundFacts *found = argument;

	node_answer_check("_hkg_complete_slice", count, count / SENT * SENT);
	hkg_check_memory_or(2 * (found->count + count / SENT) * sizeof(KgeScored), "what the nodes have found",
						"ask for a smaller k");
	found->scored = array_reserve(found->scored, found->count + count / SENT, &found->room, sizeof(KgeScored));
	for (int64 i = 0; i < count; i += SENT)
		found->scored[found->count++] = (KgeScored) {
			{(int32) value[i], (int32) value[i + 1], (int32) value[i + 2]}, (Side) value[i + 3],
			number_of(value[i + 4]), number_of(value[i + 5]), number_of(value[i + 6]), number_of(value[i + 7])
		};
}

static void
arg_shown(SqlArgs *args, const EntitySet *set)
{
	if (set->given)
		sql_arg(args, INT4ARRAYOID, array_of_int4(set->row, set->count));
	else
		sql_arg_null(args, INT4ARRAYOID);
}

bool
find_best_on_nodes(Graph *graph, const MissingQuestions *questions, KgeWanted wanted, const KgeScored **best,
				   int64 *count)
{
	const Predictor *predictor = questions->predictor;
	const char *model = predictor->model->name;
	const PathNetwork *network = predictor->evidence == NULL ? NULL : predictor->evidence->network;
	bool		with_network = network != NULL && (predictor->kind == EV_NETWORK || predictor->kind == EV_BOTH);
	FoundFacts	found = {0};
	SqlArgs		args = sql_args_text(model);
	NodeSlices	slices = {graph, "_hkg_complete_slice", "$1::name, $2, $3, $4, $5::float8, $6, $7, $8, $9, $10", &args,
		0, take_answers, &found};
	char	   *version;
	Arena		arena;

	/* where a network is not asked everything, what it is asked depends on all of the questions */
	if ((with_network && !wanted.exact) || !node_slices_exist(graph) || hkg_slice_seconds < 0 ||
		model_question_seconds(&predictor->kge, evidence_has_kind(predictor->evidence, EV_RULES),
							   network == NULL ? 0 : path_walks(network->members, network->reversed), predictor->kind,
							   questions->count[SIDE_HEAD] + questions->count[SIDE_TAIL]) < hkg_slice_seconds)
		return false;
	version = model_version(graph, model);
	if (version == NULL || !model_send(graph, model, version))
		return false;
	sql_arg_text(&args, evidence_kinds[predictor->kind]);
	sql_arg(&args, INT4OID, Int32GetDatum(questions->end - questions->first == 1 ? questions->first : ALL_RELATIONS));
	sql_arg(&args, INT4OID, Int32GetDatum((int32) wanted.k));
	sql_arg_digits(&args, wanted.probability);
	sql_arg(&args, BOOLOID, BoolGetDatum(wanted.heads > 0));
	sql_arg(&args, BOOLOID, BoolGetDatum(wanted.exact));
	arg_shown(&args, &questions->shown->side[SIDE_HEAD]);
	arg_shown(&args, &questions->shown->side[SIDE_TAIL]);
	sql_arg_text(&args, version);
	slices.checksum = checksum_of_questions(questions);
	if (!node_slices_run(&slices))
	{
		node_slices_failed(graph, psprintf("a list of missing facts of graph \"%s\" is made", graph->name));
		return false;
	}
	/* of each node's most probable answers, the most probable of all */
	arena = hkg_within_memory(hkg_arena(), 0, "what the nodes have found", "ask for a smaller k");
	wanted.questions = 0;
	wanted.offered = found.count;
	*count = kge_merge(&arena, hkg_leader(), wanted, found.scored, found.count, best);
	return true;
}
