/*
 * meeting.c
 *		A block's queries meet its negatives, in one model.
 */
#include <string.h>

#include "meeting.h"

KgeMeeting
kge_meeting_take(const KgeTrainer *plan, KgeSpace *space)
{
	KgeMeeting	meeting = {0};
	size_t		block = (size_t) plan->training.block_size;
	size_t		negatives = (size_t) plan->training.negatives;
	size_t		row = (size_t) plan->entity.stride * sizeof(float);

	meeting.stride = plan->entity.stride;
	meeting.score_stride = kge_stride(plan->training.block_size);
	meeting.query = kge_space_take(space, block, row);
	meeting.prepared = KGE_TAKE(space, float, kge_engine_scratch(&plan->engine, (int) block));
	meeting.candidate = kge_space_take(space, negatives, row);
	meeting.score = kge_space_take(space, negatives, (size_t) meeting.score_stride * sizeof(float));
	return meeting;
}

static KgeRows
queries(const KgeMeeting *meeting)
{
	return (KgeRows) {meeting->count, meeting->stride, meeting->query};
}

static KgeRows
candidates(const KgeMeeting *meeting, int from, int count)
{
	return (KgeRows) {
		count, meeting->stride, meeting->candidate + (size_t) from * (size_t) meeting->stride
	};
}

/* Says what the slots are of, and sets those to 0 that are added to. */
static void
open_query(KgeMeeting *meeting, int i, KgeQuery query, float penalty)
{
	KgeTrainer *trainer = meeting->trainer;
	size_t		bytes = (size_t) meeting->stride * sizeof(float);

	trainer->entity.row[meeting->given_slot + i] = query.given;
	trainer->entity.penalty[meeting->given_slot + i] = penalty;
	kge_open_relation_slot(trainer, meeting->relation_slot + i, query, penalty);
	memset(kge_entity_gradient(trainer, meeting->given_slot + i), 0, bytes);
	memset(kge_meeting_query_gradient(meeting, i), 0, bytes);
}

void
kge_meeting_open(KgeMeeting *meeting, KgeSide side, const KgeTriple *triple,
				 const float *penalty, const int32_t *negative)
{
	KgeTrainer *trainer = meeting->trainer;
	size_t		stride = (size_t) meeting->stride;

	for (int i = 0; i < meeting->count; i++)
	{
		KgeQuery	query = kge_query(trainer->model, triple[i], side);

		kge_make_query(trainer->model, query, meeting->query + (size_t) i * stride);
		open_query(meeting, i, query, penalty == NULL ? 0 : penalty[i]);
	}
	for (int k = 0; k < meeting->negatives; k++)
	{
		memcpy(meeting->candidate + (size_t) k * stride,
			   kge_entity_row(trainer->model, negative[k]),
			   (size_t) trainer->engine.width * sizeof(float));
		trainer->entity.row[meeting->negative_slot + k] = negative[k];
		trainer->entity.penalty[meeting->negative_slot + k] = 0;
	}
	kge_engine_prepare(&trainer->engine, queries(meeting), meeting->prepared);
}

void
kge_meeting_score(KgeMeeting *meeting, int from, int count)
{
	kge_engine_scores(&meeting->trainer->engine, queries(meeting), meeting->prepared,
					  candidates(meeting, from, count), kge_meeting_scores(meeting, from),
					  meeting->score_stride);
}

void
kge_meeting_learn(KgeMeeting *meeting, int from, int count, float *derivative)
{
	KgeTrainer *trainer = meeting->trainer;

	kge_engine_gradients(&trainer->engine, queries(meeting), candidates(meeting, from, count),
						 kge_meeting_scores(meeting, from), derivative, meeting->score_stride,
						 kge_meeting_query_gradient(meeting, 0),
						 kge_entity_gradient(trainer, meeting->negative_slot + from), false);
}

void
kge_meeting_close(KgeMeeting *meeting)
{
	KgeTrainer *trainer = meeting->trainer;

	for (int i = 0; i < meeting->count; i++)
		kge_given_gradient(trainer->model, trainer->relation.query[meeting->relation_slot + i],
						   kge_meeting_query_gradient(meeting, i),
						   kge_entity_gradient(trainer, meeting->given_slot + i));
}
