/*
 * need.h
 *		What a training takes, said beforehand.
 */
#ifndef HKG_NEED_H
#define HKG_NEED_H

#include "procedure.h"

/* ERROR 53200 when the procedure (read, but without memory yet) would take more than hybridkg.max_memory. */
extern void need_check(const Procedure *procedure);

#endif							/* HKG_NEED_H */
