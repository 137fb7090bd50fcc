/*
 * meeting.h
 *		A block's queries meet its negatives, in one model.
 *
 * Scores and their derivatives have a row for each negative and a column for each
 * positive, score_stride apart.
 */
#ifndef KGE_MEETING_H
#define KGE_MEETING_H

#include "trainer.h"
#include "vector.h"

#define KGE_TILE	128			/* negatives between two looks at the clock */

typedef struct KgeMeeting
{
	KgeTrainer *trainer;		/* whose model it is, and whose slots it fills */
	int			stride;			/* of rows of queries and candidates */
	int			score_stride;
	float	   *query;
	float	   *prepared;		/* the engine's */
	float	   *candidate;
	float	   *score;

	/* the block at work */
	int			count;			/* positives */
	int			negatives;
	int64_t		given_slot;		/* its first slots */
	int64_t		negative_slot;
	int64_t		relation_slot;
} KgeMeeting;

/* Takes the arrays of a meeting. */
extern KgeMeeting kge_meeting_take(const KgeTrainer *plan, KgeSpace *space);

/*
 * Makes the queries for that side of the triples, fetches the negatives, and opens their
 * slots.  penalty: of each positive's given entity and relation, or NULL for none.
 */
extern void kge_meeting_open(KgeMeeting *meeting, KgeSide side, const KgeTriple *triple,
							 const float *penalty, const int32_t *negative);

/* Scores negatives from .. from+count-1. */
extern void kge_meeting_score(KgeMeeting *meeting, int from, int count);

/* Goes back from their scores' derivatives, which it overwrites. */
extern void kge_meeting_learn(KgeMeeting *meeting, int from, int count, float *derivative);

/* Goes back from the queries to the given entities. */
extern void kge_meeting_close(KgeMeeting *meeting);

/* The scores from negative `from` on. */
static inline float *
kge_meeting_scores(const KgeMeeting *meeting, int from)
{
	return meeting->score + (size_t) from * (size_t) meeting->score_stride;
}

/* The gradient of query i, which is that of its relation's slot. */
static inline float *
kge_meeting_query_gradient(const KgeMeeting *meeting, int i)
{
	const KgeSlots *slots = &meeting->trainer->relation;

	return slots->gradient + (size_t) (meeting->relation_slot + i) * (size_t) slots->stride;
}

static inline float *
kge_entity_gradient(const KgeTrainer *trainer, int64_t slot)
{
	return trainer->entity.gradient + (size_t) slot * (size_t) trainer->entity.stride;
}

#endif							/* KGE_MEETING_H */
