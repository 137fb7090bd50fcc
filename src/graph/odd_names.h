/*
 * odd_names.h
 *		New names that do not look as they are: NOTICEs, which change nothing.
 *
 * A file with the line ends of another system, a column of a fixed width or a text from another system's keyboard gives
 * names that look like others and are none of them; so facts that belong together are not found together.
 */
#ifndef HKG_GRAPH_ODD_NAMES_H
#define HKG_GRAPH_ODD_NAMES_H

#include "server/compat.h"

#include "graph.h"
#include "name_list.h"

/* The names of one load */
typedef struct OddNames
{
	int64		blank;			/* begin or end with white space */
	const char *blank_name;		/* the first of them */
	int64		alike;			/* differ from another name by Unicode's normal form alone */
	const char *alike_name;		/* the first of them, and that other name */
	const char *alike_other;
} OddNames;

/*
 * Looks at `count` names of the list that are about to be inserted; names that are shown stay where the list has them, or
 * are copied into the context.
 */
extern void odd_names_look(OddNames *odd, const Graph *graph, const NameList *list, const int32 *position, int count,
						   MemoryContext context);

/* At most one NOTICE for each kind */
extern void odd_names_raise(const OddNames *odd);

#endif							/* HKG_GRAPH_ODD_NAMES_H */
