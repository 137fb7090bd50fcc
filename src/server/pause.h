/*
 * pause.h
 *		A process sleeps at a named step of its work, so that a test can kill it there.
 *
 * Only in a build for tests (-DHKG_PAUSE): the setting hybridkg_test.pause names the step.
 */
#ifndef HKG_SERVER_PAUSE_H
#define HKG_SERVER_PAUSE_H

#ifdef HKG_PAUSE
extern void hkg_pause_at(const char *step);
#else
#define hkg_pause_at(step) ((void) 0)
#endif

#endif							/* HKG_SERVER_PAUSE_H */
