/*
 * split.c
 *		hkg_split: facts are held out at random as valid and test, and taken back.
 *
 * The splits are made anew: facts are drawn from all, those that were held out among them.  So the same facts and seed
 * give the same splits, however often they are made.  Only rows of facts that are somewhere else afterwards are written.
 */
#include "server/compat.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "core/random.h"
#include "draw_facts.h"
#include "fact_table.h"
#include "graph.h"
#include "leakage.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

/* where a fact goes; draw_facts marks with 0 and 1 */
enum
{
	TRAIN,
	VALID,
	TEST,
	SPLITS,
	NOWHERE = SPLITS
};

#define IN(split) (1 << (split))

static const char *const split_names[SPLITS] = {"train", "valid", "test"};

typedef struct Split
{
	Graph	   *graph;
	uint64		seed;
	bool		remade[SPLITS];
	double		share[SPLITS];
	Progress   *progress;
	GraphData  *data;			/* with facts of splits that are remade among its own, in order */
	char	   *before;			/* of each fact, all splits that it was in: IN(VALID) | ... */
	char	   *after;			/* the one that it will be in */
	int64		count[SPLITS];	/* afterwards; of a split that is left alone, 0 */
	bool		has_models;		/* that were trained before, as far as the caller may read them */
} Split;

static bool
has_trained_models(const Graph *graph)
{
	Datum		found;

	return graph_may_read(graph, "model") &&
		sql_value(psprintf("select true from %smodel where trained_at is not null limit 1", graph->prefix), SQL_NO_ARGS, &found);
}

static void
require_rights(const Graph *graph)
{
	const AclMode rights = ACL_SELECT | ACL_INSERT | ACL_DELETE;
	TableRights needed[] = {{"entity", ACL_SELECT}, {"relation", ACL_SELECT}, {"triple", rights}, {"holdout", rights}};

	graph_require_rights(graph, needed, lengthof(needed));
}

/* ---- all facts ------------------------------------------------------------------- */

static Triple
by_ids(const GraphData *data, Triple fact)
{
	return (Triple) {data->entity_id[fact.head], data->relation_id[fact.relation], data->entity_id[fact.tail]};
}

static void
merge(Split *split, const Triple *more, int64 count, int place)
{
	GraphData  *data = split->data;
	Triple	   *fact = array_new(Triple, data->facts + count);
	char	   *before = array_new(char, data->facts + count);
	int64		merged = 0;
	int64		i = 0;

	for (int64 j = 0; i < data->facts || j < count;)
	{
		int			order = i == data->facts ? 1 : j == count ? -1 : triple_compare(&data->fact[i], &more[j]);

		CHECK_FOR_INTERRUPTS();
		before[merged] = (char) ((order <= 0 ? split->before[i] : 0) | (order >= 0 ? IN(place) : 0));
		fact[merged++] = order <= 0 ? data->fact[i] : more[j];
		i += order <= 0;
		j += order >= 0;
	}
	pfree(data->fact);
	pfree(split->before);
	data->fact = fact;
	data->facts = merged;
	split->before = before;
}

static void
read_facts(Split *split)
{
	PushActiveSnapshot(GetTransactionSnapshot());
	split->data = graph_read(split->graph);
	split->before = array_new(char, split->data->facts);
	memset(split->before, IN(TRAIN), split->data->facts);
	for (int i = VALID; i <= TEST; i++)
	{
		int64		count;
		Triple	   *held;

		if (!split->remade[i])
			continue;
		held = graph_read_split(split->graph, split->data, split_names[i], &count);
		hkg_check_memory_or((uint64) (split->data->facts + count) * 4 * sizeof(Triple), "splitting the facts",
							"keep fewer of them in the graph");
		merge(split, held, count, i);
		pfree(held);
	}
	PopActiveSnapshot();
}

/* ---- drawing --------------------------------------------------------------------- */

/* Of the facts that are drawn, as many become test as its share of them is. */
static void
divide(Split *split, int64 wanted, int64 drawn)
{
	uint64		stream = random_stream(split->seed, DRAW_HELD_OUT, TEST, 0);
	int64		left = drawn;
	int64		test = split->count[TEST];

	if (drawn < wanted)
		test = (int64) ((double) drawn * (double) test / (double) wanted + 0.5);
	split->count[TEST] = test;
	split->count[VALID] = drawn - test;
	for (int64 i = 0; i < split->data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (split->after[i] == TRAIN)
			continue;
		if (random_below(random_bits(stream, (uint64) i), (uint64) left--) < (uint64) test)
		{
			split->after[i] = TEST;
			test--;
		}
	}
}

/* Where a split has fewer facts than its share is. */
static void
notice_fewer(const Split *split, int place, int64 wanted)
{
	if (split->share[place] > 0 && wanted == 0)
		ereport(NOTICE,
				(errmsg("no fact is held out as %s: a share of %g of " INT64_FORMAT " facts is less than one half",
						split_names[place], split->share[place], split->data->facts),
				 split->data->facts == 0 ? errhint("Load facts first, with hkg_load.") : errhint("Ask for a larger share.")));
	if (split->count[place] < wanted)
		ereport(NOTICE,
				(errmsg(INT64_FORMAT " facts are held out as %s, not " INT64_FORMAT,
						split->count[place], split_names[place], wanted),
				 errdetail("Each of the others is the last one of an entity or a relation.")));
}

static void
draw(Split *split)
{
	int64		wanted[SPLITS];
	int64		drawn = 0;

	for (int i = VALID; i <= TEST; i++)
	{
		split->count[i] = wanted[i] = facts_share(split->share[i], split->data->facts);
		drawn += wanted[i];
	}
	split->after = draw_facts(split->data, split->seed, &drawn);
	divide(split, wanted[VALID] + wanted[TEST], drawn);
	for (int i = VALID; i <= TEST; i++)
		notice_fewer(split, i, wanted[i]);
	split->count[TRAIN] = split->data->facts - drawn;
}

/* ---- writing --------------------------------------------------------------------- */

/* Where what `place` has of a fact goes: it may stay; what comes from several splits goes from the first alone. */
static int
goes_to(const Split *split, int64 i, int place)
{
	bool		is_first = (split->before[i] & (IN(place) - 1)) == 0;
	bool		is_there = (split->before[i] & IN(split->after[i])) != 0;

	return split->after[i] == place || (is_first && !is_there) ? split->after[i] : NOWHERE;
}

static FactSet
facts_going(const Split *split, int from, int to)
{
	FactSet		set = {0};

	for (int64 i = 0; i < split->data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if ((split->before[i] & IN(from)) == 0 || goes_to(split, i, from) != to)
			continue;
		set.triple = array_reserve(set.triple, set.count + 1, &set.room, sizeof(Triple));
		set.triple[set.count++] = by_ids(split->data, split->data->fact[i]);
	}
	return set;
}

static void
move_set(const Split *split, int from, int to, const FactSet *set)
{
	const GraphData *data = split->data;
	Numbers		entities = {data->entity_id, data->entities, data->entities};
	Numbers		relations = {data->relation_id, data->relations, data->relations};
	NewFacts	facts = {
		.graph = split->graph,
		.split = split_names[to],
		.entities = &entities,
		.relations = &relations,
		.progress = split->progress,
		.all_new = true
	};

	fact_table_move(split_names[from], set, &facts);
}

/* Returns how many facts go. */
static int64
move_facts(const Split *split, int from, int to)
{
	FactSet		set = facts_going(split, from, to);

	if (set.count == 0)
		return 0;
	progress_phase(split->progress, PHASE_DELETING, (double) set.count);
	if (to == NOWHERE)
		fact_table_remove(split->graph, split_names[from], &set, split->progress);
	else
		move_set(split, from, to, &set);
	pfree(set.triple);
	return set.count;
}

static void
write_splits(Split *split)
{
	int64		learnt = 0;

	for (int from = TRAIN; from < SPLITS; from++)
		for (int to = TRAIN; to <= NOWHERE; to++)
			if (to != from)
			{
				int64		moved = move_facts(split, from, to);

				learnt += from == TRAIN ? moved : 0;
			}
	if (split->has_models && learnt > 0)
		ereport(NOTICE,
				(errmsg("models of graph \"%s\" may have learnt " INT64_FORMAT " of the facts that are held out now, and rank "
						"them too high", split->graph->name, learnt),
				 errhint("Train anew before you evaluate, or learn thresholds or evidence.")));
}

/* ---- what the splits are worth ----------------------------------------------------- */

/* The facts that are learnt, or that are held out */
static Triple *
facts_that(const Split *split, bool are_learnt, int64 count)
{
	Triple	   *fact = array_new(Triple, count);
	int64		next = 0;

	for (int64 i = 0; i < split->data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if ((split->after[i] == TRAIN) == are_learnt)
			fact[next++] = split->data->fact[i];
	}
	return fact;
}

static void
notice_leakage(const Split *split)
{
	const GraphData *data = split->data;
	GraphData	learnt = *data;
	int64		held = split->count[VALID] + split->count[TEST];

	if (held == 0)
		return;
	learnt.facts = split->count[TRAIN];
	learnt.fact = facts_that(split, true, learnt.facts);
	leakage_notice(split->graph, &learnt, data->fact, data->facts,
				   (HeldTriples) {"facts that are held out", facts_that(split, false, held), held});
}

/* ---- the function ---------------------------------------------------------------- */

/* 0 for a split that is left alone. */
static void
take_share(FunctionCallInfo fcinfo, int i, Split *split, int place)
{
	split->remade[place] = !PG_ARGISNULL(i);
	if (split->remade[place])
		split->share[place] = argument_float(fcinfo, i, split_names[place], 0, 0.5);
}

HKG_FUNCTION(hkg_split);
Datum
hkg_split(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	Split		split = {.seed = (uint64) DatumGetInt64(argument(fcinfo, 3, "seed"))};

	take_share(fcinfo, 1, &split, VALID);
	take_share(fcinfo, 2, &split, TEST);
	sql_begin();
	split.graph = graph_open_to_write(name);
	split.progress = progress_begin_load(split.graph->schema);
	require_rights(split.graph);
	graph_lock_for_load(split.graph, "hkg_split()");
	graph_lock_splits(split.graph);
	split.has_models = has_trained_models(split.graph);
	read_facts(&split);
	draw(&split);
	write_splits(&split);
	notice_leakage(&split);
	graph_check_name(split.graph);
	sql_end();
	return sql_counts(fcinfo, split.count);
}
