/*
 * thresholds.c
 *		Triplet classification: the thresholds that hkg_classify goes by.
 *
 * Each relation's threshold, one for each kind of evidence, is the score that best parts its true triples, those
 * of the valid split (or held out in its place), from false ones.  A relation without true triples there takes the
 * threshold of all relations together.
 *
 * False triples are given, or drawn: a true one gets the head or the tail of another
 * fact of its relation, until that makes a triple that is not known.  Entities drawn
 * from anywhere would mostly be of the wrong kind, and the threshold too low for the
 * false triples that somebody would ask about.
 */
#include "thresholds.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/argument.h"
#include "model_evidence.h"
#include "server/host.h"
#include "graph/call.h"
#include "core/random.h"
#include "model.h"
#include "server/growing_array.h"
#include "server/sql.h"

/* draws for one triple, before it goes without a false counterpart */
#define TRIES 100

/* ---- false triples ----------------------------------------------------------------- */

typedef struct Falsehoods
{
	const GraphData *data;
	const int64 *start;			/* by relation: its first fact; and the end */
	const Triple *known;
	int64		known_count;
	uint64		seed;
} Falsehoods;

static bool
is_known(const Falsehoods *falsehoods, const Triple *triple)
{
	return bsearch(triple, falsehoods->known, falsehoods->known_count, sizeof(Triple), triple_compare) != NULL;
}

/* Replaces the head or the tail of triple number i; false when nothing was found. */
static bool
corrupt(const Falsehoods *falsehoods, int64 i, Triple *triple)
{
	int64		first = falsehoods->start[triple->relation];
	int64		count = falsehoods->start[triple->relation + 1] - first;
	uint64		stream = random_stream(falsehoods->seed, DRAW_FALSE, (uint64) i, 0);
	Triple	whole = *triple;

	if (count == 0)
		return false;
	for (int try = 0; try < TRIES; try++)
	{
		uint64		bits = random_bits(stream, (uint64) try);
		const Triple *other = &falsehoods->data->fact[first + random_below(bits, (uint64) count)];

		*triple = whole;
		if (i % 2 == 0)
			triple->head = other->head;
		else
			triple->tail = other->tail;
		if (!is_known(falsehoods, triple))
			return true;
	}
	return false;
}

Triple *
threshold_corrupt(const GraphData *data, const Triple *known, int64 known_count,
				  const Triple *triples, int64 count, uint64 seed, int64 *corrupted)
{
	int64	   *start = facts_by_relation(data->fact, data->facts, data->relations);
	Falsehoods	falsehoods = {data, start, known, known_count, seed};
	Triple  *made = MemoryContextAllocHuge(CurrentMemoryContext,
											  sizeof(Triple) * Max(count, 1));

	*corrupted = 0;
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		made[*corrupted] = triples[i];
		if (corrupt(&falsehoods, i, &made[*corrupted]))
			(*corrupted)++;
	}
	pfree(start);
	return made;
}

/* ---- learning ------------------------------------------------------------------------ */

/* A labelled triple, and what is heard of it */
typedef struct Known
{
	Triple	triple;
	bool		truth;
	ScoreParts		firing[EV_KINDS];
} Known;

typedef struct KnownList
{
	Known	   *known;			/* by (relation, head): a question's follow each other */
	int64		count;

	/* who hears what rules say */
	Pool    *pool;
	const Evidence *evidence;	/* NULL where the model has none */
	EvAdjuster		adjuster;
} KnownList;

/* A labelled score and its relation */
typedef struct Scored
{
	int32		relation;
	KgeLabelled labelled;
} Scored;

typedef struct ScoredList
{
	Scored	   *scored;			/* by relation */
	int64		count;
} ScoredList;

static int
compare_known(const void *a, const void *b)
{
	const Triple *left = &((const Known *) a)->triple;
	const Triple *right = &((const Known *) b)->triple;

	CHECK_FOR_INTERRUPTS();
	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	return (left->head > right->head) - (left->head < right->head);
}

static void
add_known(KnownList *list, const KgeModel *kge, const Triple *triples, int64 count, bool truth)
{
	for (int64 i = 0; i < count; i++)
	{
		ScoreParts		heard = {kge_score(kge, triples[i]), 0};

		CHECK_FOR_INTERRUPTS();
		list->known[list->count++] = (Known) {triples[i], truth, {heard, heard, heard}};
	}
}

/* triples that a thread asks the rules about at a time */
#define AT_ONCE 16

/* Item: some triples. */
static void
hear_rules(void *argument, int64 item, int thread)
{
	KnownList  *list = argument;

	for (int64 i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < list->count; i++)
	{
		Triple	triple = list->known[i].triple;
		const EvCandidate *candidate;

		ev_answer(list->adjuster.answering[thread], SIDE_TAIL, triple.head, triple.relation, list->pool, thread, &candidate);
		candidate = ev_candidate(list->adjuster.answering[thread], triple.tail);
		for (int kind = EV_RULES; kind < EV_KINDS && candidate != NULL; kind++)
			list->known[i].firing[kind].evidence = evidence_of_candidate(list->evidence, kind, candidate);
	}
}

static KnownList
hear_all(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge, const Labelled *labelled)
{
	KnownList	list = {.pool = hkg_pool()};

	list.known = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Known) *
										Max(labelled->truths + labelled->falsehoods, 1));
	add_known(&list, kge, labelled->truth, labelled->truths, true);
	add_known(&list, kge, labelled->falsehood, labelled->falsehoods, false);
	qsort(list.known, list.count, sizeof(Known), compare_known);
	list.evidence = evidence_of_data(graph, model, data);
	if (list.evidence != NULL)
	{
		evidence_adjustment(list.evidence, EV_BOTH, pool_threads(list.pool), &list.adjuster);
		pool_run(list.pool, (list.count + AT_ONCE - 1) / AT_ONCE, hear_rules, &list);
	}
	return list;
}

/* The scores of a kind.  What has no finite one, for want of an embedding, teaches nothing. */
static ScoredList
scores_of(const KnownList *list, EvKind kind)
{
	ScoredList	scores = {MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Scored) * Max(list->count, 1)), 0};

	for (int64 i = 0; i < list->count; i++)
	{
		const Known *known = &list->known[i];
		int32		relation = known->triple.relation;
		double		score = evidence_score(list->evidence, kind, SIDE_TAIL, relation, known->firing[kind]);

		CHECK_FOR_INTERRUPTS();
		if (isfinite(score))
			scores.scored[scores.count++] = (Scored) {relation, {score, known->truth}};
	}
	return scores;
}

/* One threshold, and what is told of it */
typedef struct Threshold
{
	double		threshold;
	int64		count;			/* scores it was learnt from */
	int64		truths;			/* true ones among them */
	int64		right;
} Threshold;

/* Highest score first. */
static int
compare_labelled(const void *a, const void *b)
{
	double		left = ((const KgeLabelled *) a)->score;
	double		right = ((const KgeLabelled *) b)->score;

	CHECK_FOR_INTERRUPTS();
	return (left < right) - (left > right);
}

static Threshold
learn(const Scored *scored, int64 count)
{
	Threshold	learnt = {.count = count};
	KgeLabelled *labelled = MemoryContextAllocHuge(CurrentMemoryContext,
												   sizeof(KgeLabelled) * Max(count, 1));

	for (int64 i = 0; i < count; i++)
	{
		labelled[i] = scored[i].labelled;
		learnt.truths += labelled[i].truth;
	}
	qsort(labelled, count, sizeof(KgeLabelled), compare_labelled);
	learnt.threshold = kge_threshold(labelled, count, &learnt.right);
	pfree(labelled);
	return learnt;
}

static int64
count_right(const Scored *scored, int64 count, double threshold)
{
	int64		right = 0;

	for (int64 i = 0; i < count; i++)
		right += (scored[i].labelled.score >= threshold) == scored[i].labelled.truth;
	return right;
}

static SqlBatch *
replace_thresholds(const Graph *graph, const char *model)
{
	static const Oid types[] = {INT4OID, FLOAT8OID, INT8OID, FLOAT8OID, TEXTOID};
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_run(psprintf("delete from %sthreshold where model = $1", graph->prefix), &args);
	return sql_batch_begin(psprintf("insert into %1$sthreshold (model, relation, threshold, triples, accuracy, evidence) "
									"select %2$s, u.* "
									"from unnest($1, $2, $3, $4, $5) u (relation, threshold, triples, accuracy, evidence) "
									"where u.relation in (select id from %1$srelation)",
									graph->prefix, quote_literal_cstr(model)),
						   lengthof(types), types);
}

static void
write_threshold(SqlBatch *batch, int32 relation, EvKind kind, const Threshold *learnt)
{
	Datum		values[5] = {
		Int32GetDatum(relation),
		Float8GetDatum(learnt->threshold),
		Int64GetDatum(learnt->truths),
		Float8GetDatum(learnt->count > 0 ? (double) learnt->right / (double) learnt->count : 0),
		CStringGetTextDatum(evidence_name(kind))
	};
	bool		nulls[5] = {false, false, false, learnt->count == 0, false};

	sql_batch_row(batch, values, nulls);
}

/* Learns and writes the thresholds of a kind; returns their accuracy. */
static double
learn_kind(SqlBatch *batch, const GraphData *data, const KnownList *known, EvKind kind)
{
	ScoredList	list = scores_of(known, kind);
	Threshold	all = learn(list.scored, list.count);
	int64		right = 0;
	int64		next = 0;

	for (int32 row = 0; row < data->relations && all.truths > 0; row++)
	{
		int64		first = next;
		Threshold	own;

		while (next < list.count && list.scored[next].relation == row)
			next++;
		own = learn(list.scored + first, next - first);
		if (own.truths == 0)
		{
			own.threshold = all.threshold;
			own.right = count_right(list.scored + first, own.count, own.threshold);
		}
		write_threshold(batch, data->relation_id[row], kind, &own);
		right += own.right;
	}
	pfree(list.scored);
	return all.truths > 0 ? (double) right / (double) list.count : NAN;
}

double
threshold_learn(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge,
				const Labelled *labelled)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg thresholds", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	KnownList	known = hear_all(graph, model, data, kge, labelled);
	SqlBatch   *batch = replace_thresholds(graph, model);
	double		accuracy = 0;

	for (EvKind kind = EV_EMBEDDING; kind < (known.evidence == NULL ? EV_RULES : EV_KINDS); kind++)
		accuracy = learn_kind(batch, data, &known, kind);
	sql_batch_end(batch);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return accuracy;
}

/* ---- hkg_learn_thresholds ---------------------------------------------------------------- */

typedef struct TripleList
{
	const GraphData *data;
	Triple  *triple;
	int64		count;
	int64		room;
	const char *table;
} TripleList;

static void
take_negative(void *argument, const Datum *values, const bool *nulls)
{
	TripleList *list = argument;
	const GraphData *data = list->data;

	if (nulls[0] || nulls[1] || nulls[2])
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("%s holds %s, of which the graph does not know every name", list->table,
						TextDatumGetCString(values[3])),
				 errhint("Leave out triples about unknown entities and relations.")));
	/* what it grows from and to, and the scores, once more for one threshold */
	if (list->count == list->room)
		hkg_check_memory_or(list->room * (3 * sizeof(Triple) + 2 * (sizeof(Known) + sizeof(Scored) + sizeof(KgeLabelled))),
							"the list of false triples", "give fewer of them");
	list->triple = array_reserve(list->triple, list->count + 1, &list->room, sizeof(Triple));
	list->triple[list->count++] = (Triple) {
		graph_row(data->entity_id, data->entities, DatumGetInt32(values[0])),
		graph_row(data->relation_id, data->relations, DatumGetInt32(values[1])),
		graph_row(data->entity_id, data->entities, DatumGetInt32(values[2]))
	};
}

/* A table of triples as SQL names it; any number can be a regclass. */
static const char *
table_name(Oid table)
{
	static const char *const columns[] = {"head", "relation", "tail"};
	const char *name = get_rel_name(table);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", table)));
	name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name);
	for (int i = 0; i < (int) lengthof(columns); i++)
		if (get_attnum(table, columns[i]) == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("%s has no column \"%s\"", name, columns[i]),
					 errhint("False triples are names in the columns head, relation and tail.")));
	return name;
}

static TripleList
read_negatives(const Graph *graph, const GraphData *data, Oid table)
{
	TripleList	list = {.data = data,.table = table_name(table)};

	sql_stream(psprintf("select h.id::int, r.id::int, t.id::int, concat(n.relation, '(', n.head, ', ', n.tail, ')') from %2$s n "
						"left join %1$sentity h on h.name = n.head::text "
						"left join %1$srelation r on r.name = n.relation::text "
						"left join %1$sentity t on t.name = n.tail::text",
						graph->prefix, list.table),
			   SQL_NO_ARGS, take_negative, &list);
	return list;
}

static void
no_valid_split(const Graph *graph)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("graph \"%s\" has no valid split that the model knows", graph->name),
			 errhint("Load one with hkg_load(..., 'valid').")));
}

HKG_FUNCTION(hkg_learn_thresholds);
Datum
hkg_learn_thresholds(PG_FUNCTION_ARGS)
{
	static const TableRights written = {"threshold", ACL_SELECT | ACL_INSERT | ACL_DELETE};
	int64		seed = DatumGetInt64(argument(fcinfo, 3, "seed"));
	Call		call = call_begin(fcinfo, 2);
	Graph	   *graph = call.graph;
	GraphData  *data;
	KgeModel	kge;
	Labelled	labelled;
	double		accuracy;

	/* before the model is read: a training may just be replacing it */
	graph_lock_for_training(graph, call.model);
	graph_require_rights(graph, &written, 1);
	data = graph_read(graph);
	labelled.truth = graph_read_split(graph, data, "valid", &labelled.truths);
	if (PG_ARGISNULL(1))
	{
		int64		count;
		Triple  *known = graph_read_known(graph, data, &count);

		labelled.falsehood = threshold_corrupt(data, known, count, labelled.truth, labelled.truths,
											   (uint64) seed, &labelled.falsehoods);
	}
	else
	{
		TripleList	negatives = read_negatives(graph, data, PG_GETARG_OID(1));

		labelled.falsehood = negatives.triple;
		labelled.falsehoods = negatives.count;
	}
	/* after the negatives: they may be a view that asks other models, which take the place of this one */
	kge = model_of_graph(model_open(graph, call.model), data);
	accuracy = threshold_learn(graph, call.model, data, &kge, &labelled);
	if (isnan(accuracy))
		no_valid_split(graph);
	graph_leave_training();
	call_end(&call);
	PG_RETURN_FLOAT8(accuracy);
}
