/*
 * name_table.h
 *		A hash table from names to numbers: names_create, names_lookup, names_insert; names_insert_hash by the name_hash.
 */
#ifndef HKG_SERVER_NAME_TABLE_H
#define HKG_SERVER_NAME_TABLE_H

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

#endif							/* HKG_SERVER_NAME_TABLE_H */
