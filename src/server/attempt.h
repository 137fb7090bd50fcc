/*
 * attempt.h
 *		Work that may fail, while the transaction goes on: a subtransaction of its own.
 */
#ifndef HKG_SERVER_ATTEMPT_H
#define HKG_SERVER_ATTEMPT_H

#include "postgres.h"

/*
 * Does the work in a subtransaction, in the current memory context.  Returns NULL, or the error that ended it, once the
 * subtransaction is rolled back: the caller throws on what it does not expect.
 */
extern ErrorData *attempt(void (*work) (void *argument), void *argument);

#endif							/* HKG_SERVER_ATTEMPT_H */
