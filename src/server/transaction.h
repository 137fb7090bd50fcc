/*
 * transaction.h
 *		The transactions of a background worker, which run as the role that started the training.
 */
#ifndef HKG_TRAIN_TRANSACTION_H
#define HKG_TRAIN_TRANSACTION_H

#include "compat.h"

/* That role; no other can be set in its transactions. */
extern void transaction_role(Oid role);

/* With a snapshot, and sql_begin */
extern void transaction_begin(void);
extern void transaction_end(void);

/* Ends it without a trace. */
extern void transaction_roll_back(void);

#endif							/* HKG_TRAIN_TRANSACTION_H */
