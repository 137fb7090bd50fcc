/*
 * names.h
 *		Tables of named things, such as score functions: each begins with its name.
 */
#ifndef HKG_CORE_NAMES_H
#define HKG_CORE_NAMES_H

#include <stddef.h>
#include <string.h>

typedef struct NameTable
{
	int			count;
	const void *const *thing;	/* each starts with a const char * */
} NameTable;

/* Initial value of a static const NameTable, from pointers to the things */
#define NAME_TABLE(...) { \
	sizeof((const void *const[]) {__VA_ARGS__}) / sizeof(void *), \
	(const void *const[]) {__VA_ARGS__} \
}

/* The name of a thing. */
static inline const char *
name_of(const void *thing)
{
	return *(const char *const *) thing;
}

static inline int
is_named(const void *thing, const char *name)
{
	return strcmp(name_of(thing), name) == 0;
}

/* The name of thing number i, or NULL past the last one. */
static inline const char *
name_at(const NameTable *table, int i)
{
	return i >= 0 && i < table->count ? name_of(table->thing[i]) : NULL;
}

/* The thing of that name, or NULL. */
static inline const void *
name_find(const NameTable *table, const char *name)
{
	for (int i = 0; i < table->count; i++)
		if (strcmp(name_at(table, i), name) == 0)
			return table->thing[i];
	return NULL;
}

#endif							/* HKG_CORE_NAMES_H */
