/*
 * writers.h
 *		Which transactions have written the facts of a graph, for all sessions of the server.
 */
#ifndef HKG_GRAPH_WRITERS_H
#define HKG_GRAPH_WRITERS_H

#include "server/compat.h"

#include "server/visibility.h"

/* This transaction writes facts of the graph.  Before it commits. */
extern void writers_note(Oid schema);

/* What the active snapshot shows, for other sessions: in the current context. */
extern Visibility writers_view(void);

/*
 * Whether the active snapshot, and another one that writers_view has returned somewhere, show the facts that the same
 * transactions have written.  When in doubt, false; so it is on a standby, and where this transaction has written any.
 */
extern bool writers_agree(Oid schema, const Visibility *other);

/*
 * Whether the active snapshot shows facts that another transaction has written, one of the latest, and `other` does not.
 * On a standby, false.
 */
extern bool writers_show_more(Oid schema, const Visibility *other);

#endif							/* HKG_GRAPH_WRITERS_H */
