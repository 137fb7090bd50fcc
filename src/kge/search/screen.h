/*
 * screen.h
 *		Which questions can have an answer of a given probability?
 */
#ifndef HKG_KGE_SCREEN_H
#define HKG_KGE_SCREEN_H

#include "core/allocation.h"
#include "kge/top.h"

typedef struct KgeScreen KgeScreen;

/* Sets *screen, a screen with its arrays, for as many questions at once. */
extern void kge_screen_take(KgeScreen **screen, Allocation *allocation, const KgeModel *model, const KgeSketch *sketch,
							int threads, int64_t questions);

/*
 * Puts the numbers of those questions first that can have an answer of that probability, in their order, and returns
 * how many they are.
 */
extern int64_t kge_screen_questions(KgeScreen *screen, Pool *pool, const KgeAdjustment *adjustment, KgeJudge judge,
									const QuestionList *asked, double probability, int64_t *number, int64_t count);

#endif							/* HKG_KGE_SCREEN_H */
