/*
 * changes.h
 *		Whether what was read from a graph's facts still holds.
 */
#ifndef HKG_GRAPH_CHANGES_H
#define HKG_GRAPH_CHANGES_H

#include "server/compat.h"

#include "lib/ilist.h"

#include "graph.h"
#include "server/visibility.h"

/* A graph whose facts somebody keeps a copy of, for later statements */
typedef struct FactsWatch
{
	dlist_node	node;
	MemoryContext context;
	Oid			schema;
	Oid			triple;			/* the table */
	Oid			herald;			/* hkg_facts_changed: another one when the extension has gone and come back */
	bool		changed;		/* since that was noticed last */
	uint64		notice;			/* the number of that, from 1 on */
	Visibility		noticed;		/* what there was to see then; it shows all changes until then */
} FactsWatch;

/* `watch` lives in that context until facts_unwatch. */
extern void facts_watch(FactsWatch *watch, const Graph *graph, MemoryContext context);
extern void facts_unwatch(FactsWatch *watch);

/* Looks for changes; if there are, what was read with an older notice holds for no statement but its own. */
extern void facts_notice(FactsWatch *watch);

/* Whether the active snapshot shows all changes that were noticed. */
extern bool facts_are_seen(const FactsWatch *watch);

/* Whether all changes are announced: somebody may have disabled a trigger. */
extern bool facts_are_announced(const FactsWatch *watch);

#endif							/* HKG_GRAPH_CHANGES_H */
