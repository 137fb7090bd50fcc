/*
 * body_table.h
 *		The bodies of one component, numbered 0, 1, ... and counted.
 *
 * A body is the number of its prefix (the atoms before the last), and the label of its last atom; so a component's
 * table continues that of its prefix.  The label of an atom is its directed atom; of an instantiated one, the group
 * of edges that it stands for (FactIndex.mirror).
 *
 * Where all pairs of prefix and label fit an array, a body is found by its place in it, else by hashing.  Arrays take
 * two thirds of the time of hashing (the search with all tables hashed: 1.4 times as long on FB15k-237, with
 * constants 1.35, 1.6 on nations).
 */
#ifndef HKG_RULES_BODY_TABLE_H
#define HKG_RULES_BODY_TABLE_H

#include "server/compat.h"

#include "core/random.h"
#include "facts/fact_index.h"
#include "mining.h"

#define NO_BINDING (-1)
#define TWO_BINDINGS (-2)		/* or more */

typedef struct CountedBody
{
	int64		key;			/* prefix * labels + label */
	DirectedAtom atom;			/* the last */
	int32		constant;		/* its constant, a row; -1: none */
	int32		support;
	int32		last;			/* the last unit that was counted, or listed: a unit counts once */
	int32		binding;		/* of the variable beside the constant */
} CountedBody;

typedef struct BodyTable
{
	const Mining *mining;		/* for the check of its memory */
	int64		labels;
	int64		count;
	int64		room;
	CountedBody *body;
	bool		hashed;
	int64		slots;			/* a power of two, when hashed */
	int32	   *slot;			/* number of a body; -1: free */
} BodyTable;

/* Empty, in the current memory context. */
extern void body_table_create(BodyTable *table, const Mining *mining, int64 prefixes, int64 labels);

/* Keeps the bodies of at least that support, and, with a constant, of two bindings. */
extern void body_table_keep(BodyTable *table, int32 support);

/* Room for another one. */
extern void body_table_grow(BodyTable *table);

/* The slot of a body, or that where it belongs. */
static inline int64
body_table_slot(const BodyTable *table, int64 key)
{
	int64		slot;

	if (!table->hashed)
		return key;
	slot = (int64) (random_mix((uint64) key) & (uint64) (table->slots - 1));
	while (table->slot[slot] >= 0 && table->body[table->slot[slot]].key != key)
		slot = (slot + 1) & (table->slots - 1);
	return slot;
}

/* The number of a body; -1: it is not there. */
static inline int32
body_table_find(const BodyTable *table, int32 prefix, int64 label)
{
	return table->slot[body_table_slot(table, prefix * table->labels + label)];
}

/* The body, which is made when it is not there. */
static inline CountedBody *
body_table_add(BodyTable *table, int32 prefix, int64 label, DirectedAtom atom, int32 constant)
{
	int64		key = prefix * table->labels + label;
	int64		slot = body_table_slot(table, key);

	if (table->slot[slot] >= 0)
		return &table->body[table->slot[slot]];
	if (table->count == table->room)
	{
		body_table_grow(table);
		slot = body_table_slot(table, key);
	}
	table->slot[slot] = (int32) table->count;
	table->body[table->count] = (CountedBody) {key, atom, constant, 0, -1, NO_BINDING};
	return &table->body[table->count++];
}

static inline int32
body_prefix(const BodyTable *table, const CountedBody *body)
{
	return (int32) (body->key / table->labels);
}

#endif							/* HKG_RULES_BODY_TABLE_H */
