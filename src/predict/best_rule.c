/*
 * best_rule.c
 *		The rules of a model that infer a triple, and the best of them for each of many triples.
 *
 * For many triples the evidence is computed once for each (head, relation).  Then each selected rule of their
 * relations, best first, is checked for the triples that have no rule yet: a few look-ups a triple, whatever else the
 * rule infers.
 */
#include "postgres.h"

#include "best_rule.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/sort.h"
#include "model/rule_table.h"
#include "rules/rule_sql.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"


/* ---- rules ------------------------------------------------------------------------- */

static void
take_rule(void *argument, const Datum *values, const bool *nulls)
{
	List	  **rules = argument;
	ModelRule  *selected = palloc0(sizeof(ModelRule));

	selected->id = DatumGetInt32(values[0]);
	rule_from_array(DatumGetInt32(values[1]), values[2], &selected->rule);
	selected->share = NAN;
	selected->selected = DatumGetBool(values[5]);
	selected->text = TextDatumGetCString(sql_present(values, nulls, 3));
	selected->quality_is_null = nulls[4];
	if (!nulls[4])
		selected->quality = DatumGetFloat8(values[4]);
	*rules = lappend(*rules, selected);
}

List *
model_rules_read(const Graph *graph, const char *condition, const SqlArgs *args)
{
	List	   *rules = NIL;

	sql_stream(psprintf("select id::int, " RULE_COLUMNS ", coalesce(rule::text, ''), "
						"coalesce(quality::float8, evidence_confidence::float8) as quality, "
						"coalesce(selected, false) from %srule "
						"where model = $1 and %s order by quality desc nulls last, rule collate \"C\"",
						graph->prefix, condition),
			   args, take_rule, &rules);
	return rules;
}

/* ---- evidence ---------------------------------------------------------------------- */

const EvCandidate *
evidence_for_triple(const Evidence *evidence, EvAnswering *answering, EvKind kind, Triple triple)
{
	int32		head = evidence_entity_row(evidence, triple.head);
	int32		relation = graph_row(evidence->relation_id, evidence->facts.relations, triple.relation);
	int32		tail = evidence_entity_row(evidence, triple.tail);
	const EvCandidate *candidates;

	if (head < 0 || relation < 0 || tail < 0)
		return NULL;
	ev_answer(answering, kind, question_of(SIDE_TAIL, head, relation), hkg_leader(), POOL_LEADER, &candidates);
	return ev_candidate(answering, tail);
}

Rule
firing_counted_rule(const Evidence *evidence, Triple triple, const EvFiring *firing)
{
	Term		free = firing->source == EV_ANSWER ? TERM_Y : TERM_X;
	Rule		rule = {.head = triple.relation};

	if (firing->source != EV_COMMON)
	{
		const FactGroupStart *sharing = &evidence->facts.group[firing->number];
		DirectedAtom atom = MIRRORED(sharing->atom);
		bool		backwards = IS_BACKWARDS(atom);
		Term		constant = evidence->entity_id[sharing->entity];

		rule.body[rule.length++] = (Atom) {
			.relation = evidence->relation_id[RELATION_OF(atom)],
			.first = backwards ? constant : free,
			.second = backwards ? free : constant
		};
	}
	rule.body[rule.length++] = (Atom) {
		.relation = RULE_IS,
		.first = free == TERM_X ? TERM_Y : TERM_X,
		.second = free == TERM_X ? triple.tail : triple.head
	};
	rule_canonicalise(&rule);
	return rule;
}

bool
firing_id(const EvRules *rules, const EvFiring *firing, int32 *id)
{
	if (firing->source == EV_RULE)
		*id = rules->rule[firing->number].id;
	return firing->source == EV_RULE;
}

/* ---- the best rule of each of many triples ------------------------------------------ */

/* Triples in order, so that no question is answered twice */
typedef struct PlacedTriple
{
	Triple		triple;
	int64		place;
} PlacedTriple;

static int
compare_placed(const void *a, const void *b)
{
	const PlacedTriple *left = a;
	const PlacedTriple *right = b;
	int			order = triple_compare(&left->triple, &right->triple);

	return order != 0 ? order : (left->place > right->place) - (left->place < right->place);
}

static PlacedTriple *
sort_triples(const Triple *triple, int64 count)
{
	PlacedTriple *sorted = array_new(PlacedTriple, count);

	for (int64 i = 0; i < count; i++)
		sorted[i] = (PlacedTriple) {triple[i], i};
	sort_array(hkg_leader(), POOL_LEADER, sorted, count, sizeof(PlacedTriple), compare_placed);
	return sorted;
}

/* The most confident of the rules that fire for each, which has the greatest share of the evidence. */
static void
use_evidence(Graph *graph, const Evidence *evidence, const Triple *triple, int64 count, BestRule *best)
{
	EvAnswering *answering = evidence_answering(evidence, 0);
	PlacedTriple *sorted = sort_triples(triple, count);

	for (int64 i = 0; i < count; i++)
	{
		const EvCandidate *candidate = evidence_for_triple(evidence, answering, EV_RULES, sorted[i].triple);
		BestRule   *of = &best[sorted[i].place];

		CHECK_FOR_INTERRUPTS();
		if (candidate != NULL && !firing_id(&evidence->rules, &candidate->firing[0], &of->id))
		{
			Rule		rule = firing_counted_rule(evidence, sorted[i].triple, &candidate->firing[0]);

			of->counted = rule_text(graph, &rule);
		}
	}
	pfree(sorted);
}

typedef struct RuleCheck
{
	const Triple *triple;
	int64		count;
	BestRule   *best;			/* of each triple */
	int64	   *open;			/* positions of those that have no rule yet */
	int32	   *x;
	int32	   *y;
	int32		rule;			/* that is checked for these */
} RuleCheck;

static void
take_inferred(void *argument, const Datum *values, const bool *nulls)
{
	RuleCheck  *check = argument;

	check->best[check->open[DatumGetInt64(values[0]) - 1]].id = check->rule;
}

static void
check_rule(const Graph *graph, const ModelRule *selected, RuleCheck *check)
{
	SqlArgs		args = {0};
	int			count = 0;
	char	   *statement;

	for (int64 i = 0; i < check->count; i++)
	{
		if (check->triple[i].relation != selected->rule.head ||
			!rule_head_matches(&selected->rule, check->triple[i].head, check->triple[i].tail) ||
			check->best[i].id != NO_RULE || check->best[i].counted != NULL)
			continue;
		check->open[count] = i;
		check->x[count] = check->triple[i].head;
		check->y[count++] = check->triple[i].tail;
	}
	if (count == 0)
		return;
	check->rule = selected->id;
	sql_arg(&args, INT4ARRAYOID, array_of_int4(check->x, count));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(check->y, count));
	statement = rule_sql_holds(graph, &selected->rule);
	sql_stream(statement, &args, take_inferred, check);
	pfree(statement);
	sql_args_free(&args);
}

/* The best of the selected rules, for triples that have no rule yet */
static void
check_selected_rules(const Graph *graph, const char *model, const Triple *triple, int64 count, BestRule *best)
{
	RuleCheck	check = {
		.triple = triple,
		.count = count,
		.best = best,
		.open = array_new(int64, count),
		.x = array_new(int32, count),
		.y = array_new(int32, count)
	};
	SqlArgs		args = sql_args_text(model);
	ListCell   *cell;

	foreach(cell, model_rules_read(graph, "selected", &args))
	{
		CHECK_FOR_INTERRUPTS();
		check_rule(graph, lfirst(cell), &check);
	}
	pfree(check.open);
	pfree(check.x);
	pfree(check.y);
}

BestRule *
best_rule_of_each(Graph *graph, const char *model, const Evidence *evidence, const Triple *triple, int64 count)
{
	BestRule   *best = array_new(BestRule, count);

	for (int64 i = 0; i < count; i++)
		best[i] = (BestRule) {.id = NO_RULE};
	if (evidence != NULL)
		use_evidence(graph, evidence, triple, count, best);
	check_selected_rules(graph, model, triple, count, best);
	return best;
}

void
arg_best_rules(SqlArgs *args, const BestRule *rule, int count)
{
	int32	   *id = array_new(int32, count);
	char	  **counted = array_new(char *, count);

	for (int i = 0; i < count; i++)
	{
		id[i] = rule[i].id;
		counted[i] = rule[i].counted;
	}
	sql_arg(args, INT4ARRAYOID, array_of_int4(id, count));
	sql_arg(args, TEXTARRAYOID, array_of_text(counted, count));
	pfree(id);
	pfree(counted);
}

char *
best_rules_join(const Graph *graph, const char *model)
{
	return psprintf("left join %srule l on l.model = %s and l.id = u.rule", graph->prefix, model);
}
