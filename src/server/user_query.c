/*
 * user_query.c
 *		A query that a caller gives as text (see user_query.h).
 */
#include "user_query.h"

#include "executor/spi.h"
#include "tcop/cmdtag.h"
#include "utils/plancache.h"

void
user_query_check(const UserQuery *query, const char *text, ValueText *names)
{
	MemoryContext caller = CurrentMemoryContext;
	SPIPlanPtr	plan = SPI_prepare(text, 0, NULL);
	List	   *sources;
	CachedPlanSource *source;
	const Query *statement;

	MemoryContextSwitchTo(caller);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query: %s", SPI_result_code_string(SPI_result));
	sources = SPI_plan_get_plan_sources(plan);
	source = list_length(sources) == 1 ? linitial(sources) : NULL;
	if (source == NULL || source->commandTag != CMDTAG_SELECT || source->resultDesc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("%s must be one SELECT", query->argument),
				 errhint("%s", query->hint)));
	if (source->resultDesc->natts < query->columns)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("%s has %d columns, but %s", query->argument, source->resultDesc->natts, query->needed),
				 errhint("%s", query->hint)));
	statement = linitial_node(Query, source->query_list);
	/* the server would refuse these with "not allowed in a non-volatile function", which shows no way out */
	if (statement->hasModifyingCTE || statement->rowMarks != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s must only read", query->argument),
				 errhint("Write, or lock rows, by a statement of its own.")));
	for (int i = 0; names != NULL && i < query->columns; i++)
		names[i] = value_text(TupleDescAttr(source->resultDesc, i)->atttypid);
	SPI_freeplan(plan);
}
