/*
 * calibration.h
 *		How probable a candidate is, by its score and its evidence, fitted to examples.
 */
#ifndef HKG_EVIDENCE_CALIBRATION_H
#define HKG_EVIDENCE_CALIBRATION_H

#include "aggregate.h"
#include "examples.h"

/* Bytes that calibration_fit takes from its arena. */
extern size_t calibration_bytes(int64_t examples);

/*
 * Fits the calibration of each kind of prediction; `discount`: the places in ev_discounts of those that they
 * use.  False when the arena is empty.
 */
extern bool calibration_fit(Arena *arena, Pool *pool, const EvExamples *examples, const int *discount,
							EvCalibration *calibration);

#endif							/* HKG_EVIDENCE_CALIBRATION_H */
