/*
 * changes.h
 *		Whether a copy of a graph's facts, read in an earlier statement, still holds.
 */
#ifndef HKG_GRAPH_CHANGES_H
#define HKG_GRAPH_CHANGES_H

#include "server/compat.h"

#include "lib/ilist.h"
#include "utils/reltrigger.h"

#include "graph.h"
#include "server/visibility.h"

/* A graph of whose facts this backend keeps a copy */
typedef struct FactsWatch
{
	dlist_node	node;
	MemoryContext context;
	Oid			schema;
	Oid			triple;			/* the table */
	Oid			layout;			/* the view, which messages name */
	Oid			sender;			/* hkg_facts_changed; another one after the extension was dropped and created */
	bool		changed;		/* a message came since the last facts_check */
	uint64		generation;		/* counts the times that facts_check found a change */
	Visibility	detected;		/* taken when `generation` last rose: it shows all changes up to then */
	uint64		writes;			/* counts what this backend wrote */
} FactsWatch;

/* What a copy of the facts was read with */
typedef struct FactsVersion
{
	Visibility	snapshot;
	uint64		generation;		/* 0: the copy is right for that snapshot alone */
	uint64		writes;
	uint64		rows;			/* of the table that this transaction had written */
} FactsVersion;

/* `watch` lives in that context until facts_unwatch. */
extern void facts_watch(FactsWatch *watch, const Graph *graph, MemoryContext context);
extern void facts_unwatch(FactsWatch *watch);

/* Takes messages of changes.  To be called before the next two. */
extern void facts_check(FactsWatch *watch);

/* What the triggers of table triple do: has all sessions read the facts again when this transaction commits. */
extern void facts_announce(Oid schema);

/* Whether it is such a trigger, in that schema. */
extern bool trigger_announces(const Trigger *trigger, Oid schema);

/* For a copy that is read with the active snapshot; in the current context. */
extern FactsVersion facts_version(const FactsWatch *watch);

/* Whether reading the facts with the active snapshot would give the same copy.  When in doubt, false. */
extern bool facts_version_holds(const FactsWatch *watch, const FactsVersion *version);

/*
 * Whether all transactions that change facts are noted for other sessions (writers.h), since the active snapshot at the
 * latest.  If so, *definition is a number for the table and its triggers: where another session found the same, nobody
 * has changed either in between.
 */
extern bool facts_are_noted(const FactsWatch *watch, uint64 *definition);

#endif							/* HKG_GRAPH_CHANGES_H */
