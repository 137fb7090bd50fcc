/*
 * group.h
 *		The positives of an epoch, grouped by the query that they answer.
 */
#ifndef HKG_KGE_GROUP_H
#define HKG_KGE_GROUP_H

#include "core/allocation.h"
#include "kge.h"

typedef struct KgeGroups
{
	int64_t		room;			/* positives, at most */
	int32_t		keys;			/* entities or relations, whichever are more */
	int			limit;			/* positives of a group, at most */

	/* by the side that is asked for */
	int64_t		positives;
	int32_t    *member[2];		/* positives, those of a group side by side */
	int32_t    *start[2];		/* of each group in `member`, and the end of the last */
	int64_t		count[2];		/* groups */
	int64_t    *place[2];		/* keys + 1: room for sorting */
} KgeGroups;

/* A group: positives of one given entity and one relation. */
typedef struct KgeGroup
{
	Side		side;			/* the side that is asked for */
	int			count;
	const int32_t *member;		/* numbers of positives */
} KgeGroup;

/* Takes the arrays of a KgeGroups whose room, keys and limit are set. */
extern void kge_groups_take(KgeGroups *groups, Allocation *allocation);

/* Groups the positives on either side. */
extern void kge_groups_fill(KgeGroups *groups, Pool *pool,
							const Triple *positives, int64_t count);

/* Groups of both sides, and one of them. */
static inline int64_t
kge_groups_count(const KgeGroups *groups)
{
	return groups->count[SIDE_HEAD] + groups->count[SIDE_TAIL];
}

static inline KgeGroup
kge_group(const KgeGroups *groups, int64_t number)
{
	Side		side = number < groups->count[SIDE_HEAD] ? SIDE_HEAD : SIDE_TAIL;
	const int32_t *start = groups->start[side] + (side == SIDE_HEAD ? number : number - groups->count[SIDE_HEAD]);

	return (KgeGroup) {side, start[1] - start[0], groups->member[side] + start[0]};
}

#endif							/* HKG_KGE_GROUP_H */
