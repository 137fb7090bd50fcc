/*
 * reason.h
 *		What hkg_explain calls the reasons for a score that are no rules.
 */
#ifndef HKG_MODEL_REASON_H
#define HKG_MODEL_REASON_H

#include "postgres.h"

#define REASON_EMBEDDING "(embedding"	/* and how a new entity got its own; then a parenthesis */
#define REASON_PATH "(path) "	/* the rule whose body the path grounds follows */
#define REASON_OTHER_PATHS "(other paths)"

typedef enum ReasonKind
{
	KIND_EMBEDDING,
	KIND_RULE,
	KIND_PATH,
	KIND_OTHER_PATHS
} ReasonKind;

static inline bool
reason_begins(const char *reason, const char *with)
{
	return strncmp(reason, with, strlen(with)) == 0;
}

static inline ReasonKind
reason_kind(const char *reason)
{
	if (reason_begins(reason, REASON_EMBEDDING))
		return KIND_EMBEDDING;
	if (reason_begins(reason, REASON_PATH))
		return KIND_PATH;
	return strcmp(reason, REASON_OTHER_PATHS) == 0 ? KIND_OTHER_PATHS : KIND_RULE;
}

#endif							/* HKG_MODEL_REASON_H */
