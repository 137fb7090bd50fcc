/*
 * named_numbers.h
 *		A table from names to numbers, of any size.
 *
 * It is many hash tables, each of which has the names of some hashes and grows by itself: one table of millions would
 * move all of them at once, each time it grows, and a cancel would wait for that.
 */
#ifndef HKG_SERVER_NAMED_NUMBERS_H
#define HKG_SERVER_NAMED_NUMBERS_H

#include "compat.h"

#include "common/hashfn.h"

typedef struct NamedNumber
{
	const char *name;			/* the key */
	int32		number;
	uint32		hash;			/* kept: a name is looked at only when its hash fits, and not when the table grows */
	char		status;			/* of the hash table */
} NamedNumber;

static inline uint32
name_hash(const char *name)
{
	return hash_bytes((const unsigned char *) name, (int) strlen(name));
}

#define SH_PREFIX names
#define SH_ELEMENT_TYPE NamedNumber
#define SH_KEY_TYPE const char *
#define SH_KEY name
#define SH_HASH_KEY(table, key) name_hash(key)
#define SH_EQUAL(table, a, b) (strcmp(a, b) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

#define NAME_PARTS 64

typedef struct NamedNumbers
{
	names_hash *part[NAME_PARTS];
	int64		count;			/* of names */
} NamedNumbers;

/* In that context */
static inline NamedNumbers *
named_numbers_create(MemoryContext context)
{
	NamedNumbers *table = MemoryContextAllocZero(context, sizeof(NamedNumbers));

	for (int i = 0; i < NAME_PARTS; i++)
		table->part[i] = names_create(context, 8, NULL);
	return table;
}

/* By the highest bits of a hash: places in a part go by the lowest. */
static inline names_hash *
named_numbers_part(const NamedNumbers *table, uint32 hash)
{
	return table->part[hash / (PG_UINT32_MAX / NAME_PARTS + 1)];
}

/* NULL where the name is not there */
static inline NamedNumber *
named_numbers_find(const NamedNumbers *table, const char *name)
{
	uint32		hash = name_hash(name);

	return names_lookup_hash(named_numbers_part(table, hash), name, hash);
}

/* The entry of a name; where it is new, the caller sets its number, and its name to a copy that stays. */
static inline NamedNumber *
named_numbers_insert(NamedNumbers *table, const char *name, bool *found)
{
	uint32		hash = name_hash(name);
	NamedNumber *entry = names_insert_hash(named_numbers_part(table, hash), name, hash, found);

	table->count += !*found;
	return entry;
}

/* What the next name takes, if its part grows; parts are much the same size. */
static inline Size
named_numbers_growth(const NamedNumbers *table)
{
	return 2 * table->part[0]->size * sizeof(NamedNumber);
}

#endif							/* HKG_SERVER_NAMED_NUMBERS_H */
