/*
 * path_search.h
 *		The bodies that connect the two entities of facts.
 */
#ifndef HKG_EVIDENCE_PATH_SEARCH_H
#define HKG_EVIDENCE_PATH_SEARCH_H

#include "path_task.h"

typedef struct PathSearch PathSearch;

/* Bytes that path_search_open takes from its arena. */
extern size_t path_search_bytes(PathTask *task, int threads);

/* NULL when the arena is empty. */
extern PathSearch *path_search_open(Arena *arena, PathTask *task);

/* Fills the task's candidates of its length, in no order. */
extern void path_search_run(PathSearch *search);

#endif							/* HKG_EVIDENCE_PATH_SEARCH_H */
