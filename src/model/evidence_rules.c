/*
 * evidence_rules.c
 *		The rules of a model that are evidence at prediction, in rows.
 *
 * A rule that names what has no row infers nothing and is left out.
 */
#include "model_evidence.h"

#include "rule_table.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

typedef struct RuleRows
{
	const GraphData *data;
	const AddedEntities *added; /* or NULL */
	EvRule	   *rule;
	int64		count;
	int64		room;
} RuleRows;

static int32
added_row(const void *added, int32 id)
{
	return added_entities_row(added, id);
}

/* Rules of an older version have no known pairs: null, which is read as all. */
static float
unknown_of(Datum body_size, Datum known)
{
	return (float) ev_unknown(Max(DatumGetInt64(body_size), 0), Max(DatumGetInt64(known), 0));
}

static void
take_rule(void *argument, const Datum *values, const bool *nulls)
{
	RuleRows   *rows = argument;
	EvRule		taken = {
		.confidence = (float) DatumGetFloat8(values[3]),
		.unknown = {unknown_of(values[4], values[5]), unknown_of(values[4], values[6])},.id = DatumGetInt32(values[0])
	};
	Rule		rule = {0};

	rule_from_array(DatumGetInt32(values[1]), values[2], &rule);
	if (!(taken.confidence > 0 && taken.confidence <= 1) || rule.length == 0 ||
		!rule_in_rows(rows->data, &rule, rows->added == NULL ? NULL : added_row, rows->added, &taken.rule))
		return;
	if (rows->count == rows->room)
		hkg_check_memory(3 * rows->room * sizeof(EvRule), "the evidence of rules");
	rows->rule = array_reserve(rows->rule, rows->count + 1, &rows->room, sizeof(EvRule));
	rows->rule[rows->count++] = taken;
}

EvRuleSet
evidence_read_rules(const Graph *graph, const char *model, const GraphData *data, const AddedEntities *added)
{
	RuleRows	rows = {.data = data,.added = added};
	SqlArgs		args = sql_args_text(model);

	sql_stream(psprintf("select id::int, " RULE_COLUMNS ", evidence_confidence::float8, "
						"coalesce(evidence_body_size::int8, 0), "
						"coalesce(evidence_known_heads::int8, evidence_body_size::int8, 0), "
						"coalesce(evidence_known_tails::int8, evidence_body_size::int8, 0) from %s "
						"where model = $1 and evidence_confidence is not null order by id",
						graph_table_name(graph, "rule")), &args, take_rule, &rows);
	return (EvRuleSet) {rows.rule, rows.count};
}
