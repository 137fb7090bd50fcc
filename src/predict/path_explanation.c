/*
 * path_explanation.c
 *		The paths that weigh most for an answer, as text.
 *
 * A path has more atoms than a rule may have, and perhaps an entity twice; its text is that of the rule whose body it
 * grounds.
 */
#include "postgres.h"

#include "path_explanation.h"

#include "model/reason.h"
#include "rules/rule.h"
#include "server/host.h"

static char *
text_of(Graph *graph, const Evidence *evidence, int32 relation, const PathReason *path)
{
	DirectedAtom atom[PATH_MAX_LAYERS];
	StringInfoData text;

	for (int i = 0; i < path->length; i++)
		atom[i] = path->step[i].atom;
	initStringInfo(&text);
	appendStringInfoString(&text, REASON_PATH);
	rule_append_path(&text, graph, evidence->relation_id, relation, atom, path->length);
	return text.data;
}

static char *
facts_of(Graph *graph, const Evidence *evidence, int32 given, const PathReason *path)
{
	StringInfoData text;
	int32		from = given;

	initStringInfo(&text);
	for (int i = 0; i < path->length; i++)
	{
		const PathStep *step = &path->step[i];
		bool		backwards = IS_BACKWARDS(step->atom);

		appendStringInfo(&text, "%s%s(%s, ", i == 0 ? "" : ", ",
						 graph_relation_name(graph, evidence->relation_id[RELATION_OF(step->atom)]),
						 graph_entity_name(graph, evidence->entity_id[backwards ? step->to : from]));
		appendStringInfo(&text, "%s)", graph_entity_name(graph, evidence->entity_id[backwards ? from : step->to]));
		from = step->to;
	}
	return text.data;
}

int
path_explanation(Graph *graph, const Evidence *evidence, Triple triple, ExplainedPath *explained)
{
	const PathNetwork *network = evidence->network;
	Arena		arena = hkg_within_memory(hkg_arena(), evidence_taken_bytes(evidence), "an explanation by paths",
										  "train the model again with a smaller path_kept or path_width");
	PathReason	reason[EXPLAINED_PATHS + 1];
	int			count;

	count = path_reasons(path_reasoner(&arena, &evidence->facts, network, false), triple, SIDE_TAIL, false,
						 EXPLAINED_PATHS, reason, hkg_leader(), POOL_LEADER);
	for (int i = 0; i < count; i++)
	{
		explained[i] = (ExplainedPath) {.text = REASON_OTHER_PATHS,.share = reason[i].share};
		if (reason[i].length == 0)
			continue;
		explained[i].text = text_of(graph, evidence, triple.relation, &reason[i]);
		explained[i].facts = facts_of(graph, evidence, triple.head, &reason[i]);
	}
	return count;
}
