/*
 * path_count.h
 *		Body sizes and confidences of the candidates for path rules.
 */
#ifndef HKG_EVIDENCE_PATH_COUNT_H
#define HKG_EVIDENCE_PATH_COUNT_H

#include "path_task.h"

typedef struct PathCount PathCount;

/* Bytes that path_count_open takes from its arena. */
extern size_t path_count_bytes(const PathTask *task, int threads);

/* NULL when the arena is empty. */
extern PathCount *path_count_open(Arena *arena, PathTask *task);

/* Counts the task's candidates, and drops those below a bound. */
extern void path_count_run(PathCount *count);

#endif							/* HKG_EVIDENCE_PATH_COUNT_H */
