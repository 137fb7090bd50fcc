/*
 * estimate.h
 *		What a training takes, said beforehand.
 */
#ifndef HKG_TRAIN_ESTIMATE_H
#define HKG_TRAIN_ESTIMATE_H

#include "procedure.h"

/* ERROR 53200 when the procedure (read, but without memory yet) would take more than hybridkg.max_memory. */
extern void estimate_check(const Procedure *procedure);

#endif							/* HKG_TRAIN_ESTIMATE_H */
