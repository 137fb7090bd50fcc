/*
 * reason.h
 *		What hkg_explain calls the reasons for a score that are no rules.
 */
#ifndef HKG_MODEL_REASON_H
#define HKG_MODEL_REASON_H

#define REASON_EMBEDDING "(embedding"	/* and how a new entity got its own; then a parenthesis */
#define REASON_PATH "(path) "	/* the rule whose body the path grounds follows */
#define REASON_OTHER_PATHS "(other paths)"

#endif							/* HKG_MODEL_REASON_H */
