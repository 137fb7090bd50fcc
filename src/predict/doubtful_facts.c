/*
 * doubtful_facts.c
 *		_hkg_doubtful_facts: the facts of a trained graph that all other facts speak against, for hkg_doubt.
 *
 * Each fact is asked for on both sides as if it were none: the facts are dealt into folds, and rules that score a fold's
 * facts are applied to the other folds' alone.  The embedding has learnt all of them: with one that was trained without
 * the fold, fewer wrong facts were found (bench/RESULTS.md).  Scores of different relations are not comparable: they
 * depend on how many answers a question has.  So a fact is as doubtful as its scores are far below those of its
 * relation's facts, in standard deviations.  Where no rule applies to many facts, their scores are alike, and
 * their ranks by the embedding decide: it seldom ranks first what a wrong fact names.
 *
 * That takes two questions a fact, so a path network is left to the k that are listed; for these the best other answers
 * are looked for.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "best_rule.h"
#include "core/random.h"
#include "core/sort.h"
#include "graph/call.h"
#include "kge/rank.h"
#include "model/predictor.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/given_names.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "side_scores.h"

#define FOLDS 10
#define RANKS 0.3				/* standard deviations that a fact is more doubtful for each unit of log rank */
#define FEW 5					/* facts by which the deviation of a relation is drawn towards that of all */

typedef struct Doubt
{
	Triple		fact;
	double		score[2];		/* by the side of the answer */
	double		below;			/* standard deviations, in the mean of both sides */
	double		doubt;			/* from that and the ranks */
	double		probability;
	Triple		better;			/* the most probable one that differs in one entity and is no fact; or the fact */
	double		better_probability;
} Doubt;

/* Deals the facts into folds, whichever are asked for. */
static int32
fold_of(Triple fact)
{
	return (int32) (random_stream(0, DRAW_HELD_OUT, ((uint64) fact.head << 32) + (uint64) fact.tail,
								  (uint64) fact.relation) % FOLDS);
}

/* All facts, by relation, head, tail */
static Triple *
list_facts(const FactIndex *facts, Arena *arena)
{
	Triple	   *fact = arena_new(arena, Triple, facts->edges / 2);
	int64		count = 0;

	for (int32 relation = 0; relation < facts->relations; relation++)
		for (int64 i = facts->holders[FORWARDS(relation)]; i < facts->holders[FORWARDS(relation) + 1]; i++)
		{
			FactGroup	group = fact_group_at(facts, facts->holder[i]);

			hkg_check_interrupts();
			for (int64 j = group.first; j < group.end; j++)
				fact[count++] = (Triple) {fact_holder(facts, i), relation, facts->edge[j].other};
		}
	return fact;
}

/* ---- a fold ----------------------------------------------------------------------------- */

/* What the facts of a fold are asked with */
typedef struct Fold
{
	Predictor	predictor;		/* whose evidence is of the other facts */
	Evidence	evidence;
	Scoring		scoring;
	Pool	   *pool;
} Fold;

/* In the current context; facts: all of them. */
static Fold *
fold_open(const Predictor *predictor, int32 number, const FactIndex *facts, const Triple *fact, bool with_network,
		  Pool *pool)
{
	Fold	   *fold = palloc0(sizeof(Fold));
	Arena		arena = hkg_within_memory(hkg_scratch(false), 0, "an index of facts", "doubt the facts of a smaller graph");
	Triple	   *other = arena_new(&arena, Triple, facts->edges / 2);
	int64		others = 0;

	for (int64 i = 0; i < facts->edges / 2; i++)
		if (fold_of(fact[i]) != number)
			other[others++] = fact[i];
	fold->predictor = *predictor;
	fold->pool = pool;
	if (predictor->evidence != NULL)
		fold->evidence = *predictor->evidence;
	fact_index(&arena, pool, facts->entities, facts->relations, other, others, &fold->evidence.facts);
	fold->evidence.facts.answers = facts->answers;
	if (!with_network)
		fold->evidence.network = NULL;
	if (predictor->evidence != NULL)
		fold->predictor.evidence = &fold->evidence;
	scoring_open(fold->predictor.evidence, predictor->kind, added_entities_array(predictor->added), pool_threads(pool),
				 &fold->scoring);
	if (predictor->evidence != NULL)
		fold->predictor.answering = fold->scoring.adjuster.answering[0];
	return fold;
}

/* The scores of facts of the fold as answers on a side */
static ScoreParts *
score_facts(Fold *fold, Doubt *const *doubt, int64 count, Side side)
{
	KgeScored  *own = array_new(KgeScored, count);
	ScoreParts *parts;

	for (int64 i = 0; i < count; i++)
		own[i] = (KgeScored) {.triple = doubt[i]->fact,.side = other_side(side)};
	parts = side_parts(&fold->predictor, &fold->scoring, fold->pool, own, count, side);
	for (int64 i = 0; i < count; i++)
		doubt[i]->score[side] = predictor_score(&fold->predictor, side, doubt[i]->fact.relation, parts[i]);
	return parts;
}

/* The probability of a fact as an answer on a side; and the best other answer, where it is the best of both sides */
static double
look_for_better(Fold *fold, KgeTopMany *search, const FactIndex *facts, Doubt *doubt, Side side, ScoreParts parts)
{
	const Predictor *predictor = &fold->predictor;
	int32		relation = doubt->fact.relation;
	int32		given = triple_given(&doubt->fact, side);
	bool		reflexive = facts->reflexive[relation];
	int32	   *excluded = array_new(int32, predictor_excluded(predictor, facts, side, given, relation));
	Question	question = predictor_question(predictor, facts, side, given, relation, excluded);
	KgeAnswer	answer[EV_SHOWN + 1];	/* one more: the given entity may be among them */
	int64		found;
	EvQuestionScores scores;

	kge_top_many_ask(search, &question, 1, Min(EV_SHOWN + 1, fold->scoring.kge.entities), answer, &found);
	scores = predictor_question_scores(predictor, &question, reflexive, NULL,
									   known_answers(&fold->evidence.facts, side, given, relation), answer, found);
	for (int64 i = 0; i < found; i++)
	{
		double		probability = predictor_probability(predictor, side, relation,
														(EvJudged) {answer[i].score, answer[i].phi, answer[i].addition, scores});

		if (!reflexive && answer[i].row == given)
			continue;
		if (triple_compare(&doubt->better, &doubt->fact) == 0 || probability > doubt->better_probability)
		{
			doubt->better = question_triple(&question, answer[i].row);
			doubt->better_probability = probability;
		}
		break;
	}
	pfree(excluded);			/* those of a hub are many */
	return predictor_probability(predictor, side, relation,
								 (EvJudged) {doubt->score[side], parts.phi, parts.evidence, scores});
}

/* ---- all folds -------------------------------------------------------------------------- */

/* Of the facts in `doubt`: their scores; or for those that are listed all else */
static void
ask(const Predictor *predictor, const FactIndex *facts, const Triple *fact, Doubt *doubt, int64 count, bool listed,
	Pool *pool)
{
	Doubt	  **asked = array_new(Doubt *, count);

	for (int32 number = 0; number < FOLDS; number++)
	{
		MemoryContext caller = CurrentMemoryContext;
		MemoryContext work;
		int64		some = 0;
		Fold	   *fold;
		ScoreParts *parts[2];

		for (int64 i = 0; i < count; i++)
			if (fold_of(doubt[i].fact) == number)
				asked[some++] = &doubt[i];
		if (some == 0)
			continue;
		work = AllocSetContextCreate(caller, "hybridkg fold", ALLOCSET_DEFAULT_SIZES);
		MemoryContextSwitchTo(work);
		fold = fold_open(predictor, number, facts, fact, listed, pool);
		for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
			parts[side] = score_facts(fold, asked, some, (Side) side);
		if (listed)
		{
			Arena		arena = hkg_arena();
			KgeTopMany *search = kge_top_many(&arena, pool, &fold->scoring.kge,
											  predictor->added->count > 0 ? NULL : predictor->model->sketch,
											  fold->scoring.adjustment, false);

			for (int64 i = 0; i < some; i++)
			{
				double		by_tail = look_for_better(fold, search, facts, asked[i], SIDE_TAIL, parts[SIDE_TAIL][i]);
				double		by_head = look_for_better(fold, search, facts, asked[i], SIDE_HEAD, parts[SIDE_HEAD][i]);

				asked[i]->probability = predictor_probability_by_both(predictor, asked[i]->fact.relation, by_head, by_tail);
			}
		}
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(work);
	}
}

typedef struct Moments
{
	double		count;
	double		sum;
	double		squares;
} Moments;

static void
moments_add(Moments *moments, double value)
{
	moments->count++;
	moments->sum += value;
	moments->squares += value * value;
}

/* How far scores are below those of the relation; doubts are by relation. */
static void
measure(Doubt *doubt, int64 count)
{
	for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
	{
		Moments		all = {0};		/* of the differences to the means */

		for (int pass = 0; pass < 2; pass++)
			for (int64 first = 0, end; first < count; first = end)
			{
				Moments		of = {0};
				double		mean;
				double		deviation;

				for (end = first; end < count && doubt[end].fact.relation == doubt[first].fact.relation; end++)
					moments_add(&of, doubt[end].score[side]);
				mean = of.sum / of.count;
				deviation = pass == 0 ? 1 :
					sqrt((Max(of.squares - of.count * mean * mean, 0) + FEW * all.squares / all.count) / (of.count + FEW));
				for (int64 i = first; i < end; i++)
				{
					if (pass == 0)
						moments_add(&all, doubt[i].score[side] - mean);
					else if (deviation > 0)
						doubt[i].below += (mean - doubt[i].score[side]) / deviation / 2;
				}
			}
	}
}

/* Takes the places among the answers that are no facts, by the embedding alone, into account. */
static void
rank(const Predictor *predictor, KgeTriples facts, Doubt *doubt, int64 count, Arena *arena, Pool *pool)
{
	KgeModel	kge = added_entities_array(predictor->added);
	Triple	   *ranked = arena_new(arena, Triple, count);
	KgeRanks	ranks = {arena_new(arena, int32, count), arena_new(arena, int32, count)};

	for (int64 i = 0; i < count; i++)
		ranked[i] = doubt[i].fact;
	kge_rank(arena, pool, &kge, NULL, (KgeTriples) {ranked, count}, facts, 0, ranks);
	for (int64 i = 0; i < count; i++)
		doubt[i].doubt = doubt[i].below + RANKS * (log(ranks.head[i]) + log(ranks.tail[i])) / 2;
}

/* The most doubtful one first */
static int
compare_doubts(const void *a, const void *b)
{
	const Doubt *left = a;
	const Doubt *right = b;

	if (left->doubt != right->doubt)
		return left->doubt > right->doubt ? -1 : 1;
	return triple_compare(&left->fact, &right->fact);
}

/* ---- the function ----------------------------------------------------------------------- */

static Triple
by_ids(const Predictor *predictor, Triple triple)
{
	return (Triple) {added_entities_id(predictor->added, triple.head), predictor->model->relation_id[triple.relation],
		added_entities_id(predictor->added, triple.tail)};
}

static void
return_doubts(Graph *graph, const Predictor *predictor, const Doubt *doubt, int64 count, SqlResult *result)
{
	const char *query = psprintf("select coalesce(" KEY_OF_NAME("h.name", "r.head_types") ", h.name), "
								 "coalesce(" KEY_OF_NAME("t.name", "r.tail_types") ", t.name), nullif(u.probability, 'NaN'), "
								 "coalesce(" KEY_OF_NAME("b.name", "r.tail_types") ", b.name), nullif(u.better_probability, 'NaN'), "
								 "format('%%s standard deviations below its relation''s facts', round(u.below::numeric, 1)) || "
								 "coalesce('; the better one by ' || " BEST_RULE_TEXT ", ''), r.name, "
								 "coalesce(" KEY_OF_NAME("a.name", "r.head_types") ", a.name) "
								 "from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::int[], $6::float8[], $7::float8[], "
								 "$8::float8[], $9::int[], $10::text[]) with ordinality as u "
								 "(head, relation, tail, better_head, better_tail, probability, better_probability, below, rule, "
								 "counted, place) %1$s %3$s left join (%2$sentity a cross join %2$sentity b) "
								 "on a.id = u.better_head and b.id = u.better_tail and (a.id, b.id) <> (h.id, t.id) order by u.place",
								 graph_names_join(graph), graph->prefix, best_rules_join(graph, "$11"));

	for (int64 first = 0; first < count; first += NAMED_ROWS)
	{
		int			some = (int) Min(NAMED_ROWS, count - first);
		SqlArgs		args = {0};
		Triple	   *fact = array_new(Triple, some);
		Triple	   *better = array_new(Triple, some);
		int32	   *better_head = array_new(int32, some);
		int32	   *better_tail = array_new(int32, some);
		double	   *probability = array_new(double, some);
		double	   *better_probability = array_new(double, some);
		double	   *below = array_new(double, some);

		for (int i = 0; i < some; i++)
		{
			const Doubt *of = &doubt[first + i];

			fact[i] = by_ids(predictor, of->fact);
			better[i] = by_ids(predictor, of->better);
			better_head[i] = better[i].head;
			better_tail[i] = better[i].tail;
			probability[i] = of->probability;
			better_probability[i] = of->better_probability;
			below[i] = of->below;
		}
		arg_triples(&args, fact, some);
		sql_arg(&args, INT4ARRAYOID, array_of_int4(better_head, some));
		sql_arg(&args, INT4ARRAYOID, array_of_int4(better_tail, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(probability, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(better_probability, some));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(below, some));
		arg_best_rules(&args, best_rule_of_each(graph, predictor->model->name, predictor->evidence, better, some), some);
		sql_arg_text(&args, predictor->model->name);
		sql_result_query(result, query, &args);
		sql_args_free(&args);
	}
}

HKG_FUNCTION(hkg_doubtful_facts);
Datum
hkg_doubtful_facts(PG_FUNCTION_ARGS)
{
	int			k = argument_int(fcinfo, 2, "k", 1, PG_INT32_MAX);
	Call		call = call_begin(fcinfo, 3);
	GivenNames	relations = given_names(fcinfo, 1, "relations");
	Predictor	predictor = predictor_open(call.graph, call.model, EV_BOTH);
	const FactIndex *facts;
	Pool	   *pool = hkg_pool();
	Arena		arena = hkg_within_memory(hkg_arena(), 0, "a list of facts", "doubt the facts of one relation");
	bool	   *asked;
	Triple	   *fact;
	Doubt	   *doubt;
	int64		count = 0;

	/* 1. The facts that are asked for */
	predictor_require_rejected(&predictor, call.graph);
	facts = predictor_facts(&predictor, call.graph);
	asked = array_new_zero(bool, facts->relations);
	for (int64 i = 0; i < relations.count; i++)
		asked[model_relation_row(predictor.model, call.graph, relations.name[i])] = true;
	fact = list_facts(facts, &arena);
	doubt = arena_new(&arena, Doubt, facts->edges / 2);
	for (int64 i = 0; i < facts->edges / 2; i++)
		if (!relations.given || asked[fact[i].relation])
			doubt[count++] = (Doubt) {.fact = fact[i],.better = fact[i],.better_probability = NAN};

	/* 2. How doubtful they are */
	ask(&predictor, facts, fact, doubt, count, false, pool);
	measure(doubt, count);
	rank(&predictor, (KgeTriples) {fact, facts->edges / 2}, doubt, count, &arena, pool);
	sort_array(pool, POOL_LEADER, doubt, count, sizeof(Doubt), compare_doubts);

	/* 3. Of the most doubtful ones all else */
	count = Min(count, k);
	ask(&predictor, facts, fact, doubt, count, true, pool);
	return_doubts(call.graph, &predictor, doubt, count, call.result);
	return call_end(&call);
}
