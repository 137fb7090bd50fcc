/*
 * sparsity.c
 *		hkg_sparsity: how rare each entity is in the facts.
 *
 * The frequency of an entity is how often it stands in table triple, as head or as tail: a fact about an entity and
 * itself counts twice.  Its sparsity is 1 - (frequency - least) / (greatest - least), over all entities of the graph.
 * An entity that only occurs in table holdout has frequency 0 and thus sparsity 1.
 */
#include "server/compat.h"

#include "graph.h"
#include "server/argument.h"
#include "server/sql.h"

HKG_FUNCTION(hkg_sparsity);
Datum
hkg_sparsity(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	SqlResult  *result = sql_result(fcinfo);
	Graph	   *graph;

	sql_begin();
	graph = graph_open(name);
	sql_result_query(result,
					 psprintf("select name, frequency, case when high = low then 0 "
							  "else 1 - (frequency - low)::float8 / (high - low) end::float8 "
							  "from (select name, frequency, min(frequency) over () as low, max(frequency) over () as high "
							  "from (select e.name::text, coalesce(f.frequency, 0) as frequency "
							  "from %1$sentity e left join (select o.entity, count(*) as frequency "
							  "from (select head as entity from %1$striple union all select tail from %1$striple) o "
							  "group by o.entity) f on f.entity = e.id) c) b "
							  "order by frequency, name",
							  graph->prefix),
					 SQL_NO_ARGS);
	sql_end();
	return (Datum) 0;
}
