/*
 * sent_model.c
 *		A model on the nodes of a cluster (see sent_model.h).
 *
 * Models are local tables of the coordinator.  What ranks on other nodes needs their rows: _hkg_send_model copies those
 * of one model into reference tables (sent_model, sent_entity_embedding, ...), where a worker reads them as its own
 * (graph_table).  That is done when a ranking needs it, once for each version of the model's row: as for the copies of
 * model_cache.c, this row changes whenever something of the model does.
 */
#include "sent_model.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "graph/node_slices.h"
#include "kge/rank.h"
#include "server/sql.h"
#include "server/visibility.h"

/* What the evidence of a question takes, about */
#define RULES_SECONDS 0.0005
#define WALK_SECONDS 0.005

static char *
version_in(const char *table, const char *version, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	Datum		found;

	if (!sql_value(psprintf("select %s from %s where name = $1", version, table), &args, &found))
		return NULL;
	return TextDatumGetCString(found);
}

char *
model_version(const Graph *graph, const char *model)
{
	return version_in(graph_table_name(graph, "model"), graph_is_copy(graph) ? "version" : "xmin::text || ctid::text",
					  model);
}

bool
model_has_version(const Graph *graph, const char *model, const char *version)
{
	const char *found = model_version(graph, model);

	return found != NULL && strcmp(found, version) == 0;
}

/* The tables of a model that ranks, and with "sent_" before their names those that nodes have */
static const char *const parts[] = {
	"model", "entity_embedding", "relation_embedding", "evidence_weight", "rule", "path_network", "shared_weight"
};

/* Nodes rank by all rows, so it is no use where the caller has a policy. */
static bool
may_read(const Graph *graph)
{
	for (int i = 0; i < (int) lengthof(parts); i++)
		if (!visibility_of_all_rows(get_relname_relid(parts[i], graph->schema)) ||
			!graph_may_read(graph, psprintf("sent_%s", parts[i])))
			return false;
	return true;
}

static bool
may_send(const Graph *graph)
{
	const AclMode rights = ACL_INSERT | ACL_DELETE;
	bool		may = !XactReadOnly;

	for (int i = 0; may && i < (int) lengthof(parts); i++)
		may = pg_class_aclmask(get_relname_relid(psprintf("sent_%s", parts[i]), graph->schema), GetUserId(), rights,
							   ACLMASK_ALL) == rights;
	return may;
}

bool
model_send(const Graph *graph, const char *model, const char *version)
{
	SqlArgs		args = {0};
	char	   *sent;

	if (!may_read(graph))
		return false;
	sent = version_in(graph_table_name(graph, "sent_model"), "version", model);
	if (sent != NULL && strcmp(sent, version) == 0)
		return true;
	if (!may_send(graph))
		return false;
	sql_arg_text(&args, graph->name);
	sql_arg_text(&args, model);
	sql_run(psprintf("select %s_hkg_send_model($1::name, $2::name)", extension_prefix()), &args);
	return true;
}

double
model_question_seconds(const KgeModel *kge, bool has_rules, int walks, EvKind kind, int64 questions)
{
	double		seconds = kge != NULL && ev_uses_embedding(kind) ? kge_rank_seconds(kge, questions) / 2 : 0;

	if (has_rules && (kind == EV_RULES || kind == EV_BOTH))
		seconds += RULES_SECONDS * (double) questions;
	if (kind == EV_NETWORK || kind == EV_BOTH)
		seconds += WALK_SECONDS * walks * (double) questions;
	return seconds;
}
