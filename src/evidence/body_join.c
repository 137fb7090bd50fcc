/*
 * body_join.c
 *		The pairs for which a body holds (see body_join.h).
 *
 * Variables are bound one after the other (body_plan.c).  The entities of a level are those of the smallest of its
 * links, and are looked up in the others.  Where all that follows a variable depends on it alone (a cut), an entity is
 * followed once; a stamp, the serial number of the union in the making, marks it.
 *
 * All pairs can be a thousand times the facts, since many x reach the same y: all people of one gender, all
 * packages of one section.  So x are gathered by the set of entities that they have at level 1, if it is a cut, and
 * what the set reaches is united once.  A bounded number of sets is kept at a time, so memory does not grow.
 */
#include "body_join.h"

#include "body_plan.h"
#include "core/allocation.h"
#include "core/random.h"
#include "core/search.h"
#include "paths/paths.h"

#define SETS (1 << 18)			/* that are kept at most */
#define MEMBERS 4				/* of a set, as far as there is memory for them all; one set may have all entities */
#define SLOTS_OF(sets) (4 * (size_t) (sets) + 16)	/* between two and four of each set */
#define AHEAD 16				/* x */
#define WORK_AT_ONCE 4096		/* edges between two calls of pool_yield */

/* A set of entities, and the x that have it */
typedef struct SharedSet
{
	int32_t		start;
	int32_t		size;
	int32_t		first;			/* x; the others follow by `next` */
	int32_t		last;
} SharedSet;

struct EvJoin
{
	const FactIndex *facts;
	const EvJoinTarget *target;
	BodyPlan	plan;
	int32_t		bound[PATH_MAX_LAYERS + 1];	/* by level, or of a path */
	int64_t		x_group;		/* the first edge of x's held atom; -1 where x do not come from its holders */
	int64_t		work;			/* edges looked at since the thread yielded, */
	int64_t		at_once;		/* and as many as it looks at before it does */
	int64_t		seen;			/* until then; for one x, */
	int64_t		most;			/* and at most */

	/* a path under object identity */
	const DirectedAtom *path;
	int			length;
	bool		closed;

	/* by entity */
	uint32_t   *stamp[BODY_LEVELS];
	int			stamps;			/* of them: one for paths */
	uint32_t	serial;			/* UINT32_MAX: stamps are not cleared yet */
	int32_t    *next;
	int32_t    *same;			/* the x of a rectangle ... */
	int32_t    *united;			/* ... and its y, with room for one more */
	int32_t		united_count;
	int64_t    *begin;			/* of the groups of `indexed`; -1: none */
	uint64_t   *has_group;		/* a bit for whether there is one: the bits of all entities stay in the cache */
	DirectedAtom indexed;

	SharedSet  *set;
	int32_t		sets;
	int32_t    *member;			/* of all sets */
	int32_t		members;
	int32_t    *slot;			/* numbers of sets, open addressing; -1 is free */
	uint32_t	slot_mask;
};

/* Each x has one set. */
static int32_t
most_sets(const FactIndex *facts)
{
	return facts->entities < SETS ? facts->entities : SETS;
}

static size_t
most_members(const FactIndex *facts)
{
	return (size_t) most_sets(facts) * MEMBERS;
}

static void
take_union(EvJoin *join, Allocation *allocation)
{
	for (int i = 0; i < join->stamps; i++)
		join->stamp[i] = TAKE(allocation, uint32_t, (size_t) join->facts->entities);
	join->united = TAKE(allocation, int32_t, (size_t) join->facts->entities + 1);
}

static void
take_join(EvJoin *join, Allocation *allocation)
{
	size_t		entities = (size_t) join->facts->entities;

	take_union(join, allocation);
	join->next = TAKE(allocation, int32_t, entities);
	join->same = TAKE(allocation, int32_t, entities);
	join->begin = TAKE(allocation, int64_t, entities);
	join->has_group = TAKE(allocation, uint64_t, entities / 64 + 1);
	join->set = TAKE(allocation, SharedSet, most_sets(join->facts));
	join->member = TAKE(allocation, int32_t, most_members(join->facts) + entities);
	join->slot = TAKE(allocation, int32_t, SLOTS_OF(most_sets(join->facts)));
}

size_t
ev_join_bytes(const FactIndex *facts)
{
	EvJoin		counted = {.facts = facts,.stamps = BODY_LEVELS};
	Allocation	allocation = {0};

	take_join(&counted, &allocation);
	return sizeof(EvJoin) + allocation_bytes(&allocation);
}

EvJoin *
ev_join(Arena *arena, Pool *pool, const FactIndex *facts)
{
	EvJoin	   *join = arena_take(arena, sizeof(EvJoin));
	Allocation	allocation = {0};

	if (join == NULL)
		return NULL;
	*join = (EvJoin) {.facts = facts,.stamps = BODY_LEVELS,.serial = UINT32_MAX};
	take_join(join, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	take_join(join, &allocation);
	for (int32_t e = 0; e < facts->entities; e++)
	{
		join->begin[e] = -1;
		join->has_group[e / 64] = 0;
		pool_yield_at(pool, POOL_LEADER, e);
	}
	return join;
}

static EvJoin *
take_join_for(Allocation *allocation, EvJoin taken)
{
	EvJoin	   *join = TAKE(allocation, EvJoin, 1);

	take_union(&taken, allocation);
	if (join != NULL)
		*join = taken;
	return join;
}

EvJoin *
ev_join_take(Allocation *allocation, const FactIndex *facts)
{
	return take_join_for(allocation, (EvJoin) {.facts = facts,.stamps = BODY_LEVELS});
}

EvJoin *
ev_join_take_paths(Allocation *allocation, const FactIndex *facts)
{
	return take_join_for(allocation, (EvJoin) {.facts = facts,.stamps = 1,.serial = UINT32_MAX});
}

/* The first entity that has at least that many edges before its own. */
static int32_t
entity_at(const FactIndex *facts, int64_t edges)
{
	int32_t		first = 0;
	int32_t		end = facts->entities;

	while (first < end)
	{
		int32_t		middle = first + (end - first) / 2;

		if (facts->start[middle] < edges)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

EvSlice
ev_slice(const FactIndex *facts, int32_t number, int32_t slices)
{
	double		part = (double) facts->edges / slices;

	return (EvSlice) {
		number == 0 ? 0 : entity_at(facts, (int64_t) (part * number)),
		number == slices - 1 ? facts->entities : entity_at(facts, (int64_t) (part * (number + 1)))
	};
}

/* ---- the entities of a level ---------------------------------------------------- */

/* Ascending entities: the others of edges, holders, or a single one */
typedef struct Source
{
	const FactEdge *edge;			/* while they are of `atom` */
	DirectedAtom atom;
	const int32_t *holder;		/* groups */
	const FactGroupStart *group;	/* all of them */
	int32_t		only;
	int64_t		count;			/* at most */
	int			link;			/* that the edges are of; -1: none */
} Source;

static inline bool
source_has(const Source *source, int64_t i)
{
	return i < source->count && (source->edge == NULL || source->edge[i].atom == source->atom);
}

static inline int32_t
source_entity(const Source *source, int64_t i)
{
	return source->edge != NULL ? source->edge[i].other :
		source->holder != NULL ? source->group[source->holder[i]].entity : source->only;
}

/* The place of the first entity that is not below `bound`. */
static int64_t
source_seek(const Source *source, int32_t bound)
{
	int64_t		first = 0;
	int64_t		end = source->count;

	while (first < end)
	{
		int64_t		middle = first + (end - first) / 2;

		if (source_entity(source, middle) < bound)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static void
count_work(EvJoin *join, int64_t edges)
{
	join->work += edges + 1;
	if (join->work < join->at_once)
		return;
	join->seen += join->work;
	join->work = 0;
	pool_yield(join->target->pool, join->target->thread);
}

/*
 * The edges that a link leads along.  Where the beginning of the group is there already, its end is not: then edges of
 * higher atoms may follow.
 */
static FactGroup
group_of(const EvJoin *join, const BodyLink *link)
{
	int32_t		entity = link->from < 0 ? link->constant : join->bound[link->from];
	int64_t		first;

	if (link->from < 0)
		return fact_group(join->facts, entity, link->atom);
	if (link->from == 0 && link->atom == join->plan.level[0].held && join->x_group >= 0)
		first = join->x_group;
	else if (link->atom == join->indexed)
		first = join->begin[entity];
	else
		return fact_group(join->facts, entity, link->atom);
	return first < 0 ? (FactGroup) {0, 0} : (FactGroup) {first, join->facts->start[entity + 1]};
}

static Source
source_of_link(const EvJoin *join, const BodyLevel *level, int link)
{
	FactGroup	group = group_of(join, &level->link[link]);

	return (Source) {
		.edge = join->facts->edge + group.first,.atom = level->link[link].atom,
		.count = group.end - group.first,.link = link
	};
}

/* The link with the fewest edges. */
static Source
source_of_links(const EvJoin *join, const BodyLevel *level)
{
	Source		best = source_of_link(join, level, 0);

	for (int i = 1; i < level->links; i++)
	{
		Source		source = source_of_link(join, level, i);
		int64_t		both = 0;

		/* counts are bounds, so read as far as the shorter one goes */
		while (source_has(&source, both) && source_has(&best, both))
			both++;
		if (!source_has(&source, both))
			best = source;
	}
	return best;
}

static Source
source_of(const EvJoin *join, const BodyLevel *level)
{
	const FactIndex *facts = join->facts;
	Source		source = {.only = level->is,.count = 1,.link = -1};

	if (level->is != NO_ENTITY)
		return source;
	if (level->links == 0)
		return (Source) {
			.holder = facts->holder + facts->holders[level->held],.group = facts->group,
			.count = fact_holder_count(facts, level->held),.link = -1
		};
	return source_of_links(join, level);
}

/* Whether an entity of the source is one of the other links, too. */
static bool
passes(const EvJoin *join, const BodyLevel *level, int source_link, int32_t entity)
{
	const FactIndex *facts = join->facts;

	for (int i = 0; i < level->links; i++)
	{
		const BodyLink *link = &level->link[i];
		int32_t		from;

		if (i == source_link)
			continue;
		from = link->from < 0 ? link->constant : join->bound[link->from];
		/* looked up at the end with fewer edges */
		if (facts->start[entity + 1] - facts->start[entity] < facts->start[from + 1] - facts->start[from] ?
			!fact_holds(facts, entity, MIRRORED(link->atom), from) : !fact_holds(facts, from, link->atom, entity))
			return false;
	}
	return true;
}

/* ---- what a set, or an x, reaches ---------------------------------------------------- */

static void
begin_union(EvJoin *join)
{
	join->united_count = 0;
	if (++join->serial != 0)
		return;
	for (int32_t e = 0; e < join->facts->entities; e++)
	{
		for (int i = 0; i < join->stamps; i++)
			join->stamp[i][e] = 0;
		pool_yield_at(join->target->pool, join->target->thread, e);
	}
	join->serial = 1;
}

/* Y is the last level and has one link: unites its edges. */
static void
unite_edges(EvJoin *join, const BodyLevel *level)
{
	Source		source = source_of_link(join, level, 0);
	uint32_t   *stamp = join->stamp[join->plan.y];
	int32_t		count = join->united_count;
	int64_t		i;

	for (i = 0; source_has(&source, i); i++)
	{
		int32_t		y = source.edge[i].other;

		join->united[count] = y;
		count += stamp[y] != join->serial;
		stamp[y] = join->serial;
	}
	join->united_count = count;
	count_work(join, i);
}

/* Whether the entity was followed before from this level, so that there is no use in doing so again. */
static bool
is_followed(EvJoin *join, int number, int32_t entity)
{
	uint32_t   *stamp = &join->stamp[number][entity];
	bool		followed = *stamp == join->serial;

	if (number > join->plan.y || (number < join->plan.y && !join->plan.level[number].cut))
		return false;
	/* a y that was reached in vain may be reached otherwise */
	if (number < join->plan.y || join->plan.level[number].cut)
		*stamp = join->serial;
	return followed;
}

/* Binds the variables from a level on, in all ways that reach another y; returns whether there is one. */
static bool
unite(EvJoin *join, int number)
{
	const BodyLevel *level = &join->plan.level[number];
	bool		found = false;
	Source		source;

	if (number == join->plan.levels)
	{
		int32_t		y = join->bound[join->plan.y];

		join->stamp[join->plan.y][y] = join->serial;
		join->united[join->united_count++] = y;
		return true;
	}
	if (number == join->plan.y && number + 1 == join->plan.levels && level->links == 1 && level->is == NO_ENTITY)
	{
		unite_edges(join, level);
		return true;
	}
	source = source_of(join, level);
	for (int64_t i = 0; source_has(&source, i) && join->seen < join->most; i++)
	{
		int32_t		entity = source_entity(&source, i);

		count_work(join, 1);
		if (!passes(join, level, source.link, entity) || is_followed(join, number, entity))
			continue;
		join->bound[number] = entity;
		found |= unite(join, number + 1);
		if (level->once || (found && number > join->plan.y))
			break;
	}
	return found;
}

static void
pass_on(EvJoin *join, const int32_t *x, int32_t count)
{
	EvRectangle rectangle = {x, count, join->united, join->united_count};

	if (rectangle.y_count > 0)
		join->target->take(join->target->argument, &rectangle);
}

/* ---- sets ------------------------------------------------------------------------------ */

static void
clear_sets(EvJoin *join)
{
	for (uint32_t i = 0; i <= join->slot_mask; i++)
		join->slot[i] = -1;
	join->sets = 0;
	join->members = 0;
}

/* The slot of the set at the end of `member`: that of an equal one, or a free one. */
static int32_t *
find_slot(const EvJoin *join, int32_t size)
{
	const int32_t *set = join->member + join->members;
	uint64_t	hash = (uint64_t) size;
	uint32_t	i;

	for (int32_t k = 0; k < size; k++)
		hash = random_mix(hash + (uint64_t) set[k] + UINT64_C(0x9e3779b97f4a7c15));
	for (i = (uint32_t) hash & join->slot_mask;; i = (i + 1) & join->slot_mask)
	{
		const SharedSet *other = &join->set[join->slot[i] < 0 ? 0 : join->slot[i]];
		int32_t		same = 0;

		if (join->slot[i] < 0)
			return &join->slot[i];
		while (other->size == size && same < size && join->member[other->start + same] == set[same])
			same++;
		if (other->size == size && same == size)
			return &join->slot[i];
	}
}

/* x has the set of `size` at the end of `member`. */
static void
add_x(EvJoin *join, int32_t x, int32_t size)
{
	int32_t    *slot = find_slot(join, size);

	join->next[x] = -1;
	if (*slot >= 0)
		join->next[join->set[*slot].last] = x;
	else
	{
		*slot = join->sets++;
		join->set[*slot] = (SharedSet) {join->members, size, x, x};
		join->members += size;
	}
	join->set[*slot].last = x;
}

/* Passes on what the sets so far reach, and drops them. */
static void
flush_sets(EvJoin *join)
{
	for (int32_t i = 0; i < join->sets; i++)
	{
		const SharedSet *set = &join->set[i];
		int32_t		count = 0;

		begin_union(join);
		if (join->plan.sharing == SHARE_ALL)
			unite(join, 1);
		for (int32_t k = 0; k < set->size; k++)
		{
			join->bound[1] = join->member[set->start + k];
			unite(join, 2);
		}
		for (int32_t x = set->first; x >= 0; x = join->next[x])
			join->same[count++] = x;
		count_work(join, count);
		pass_on(join, join->same, count);
	}
	clear_sets(join);
}

/* The entities of level 1 for the x that is bound; those from which the next atom leads nowhere stay out. */
static int32_t
gather_set(EvJoin *join)
{
	const BodyLevel *level = &join->plan.level[1];
	bool		indexed = join->indexed != NO_ATOM;
	Source		source = source_of(join, level);
	int32_t    *member = join->member + join->members;
	int32_t		size = 0;

	for (int64_t i = 0; source_has(&source, i); i++)
	{
		int32_t		entity = source_entity(&source, i);

		count_work(join, 1);
		if ((indexed && (join->has_group[entity / 64] >> (entity % 64) & 1) == 0) ||
			!passes(join, level, source.link, entity))
			continue;
		member[size++] = entity;
		if (level->once)
		{
			member[0] = 0;		/* any */
			break;
		}
	}
	return size;
}

/* ---- x by x -------------------------------------------------------------------------------- */

static void
join_x(EvJoin *join, int32_t x)
{
	int32_t		size;

	if (join->plan.sharing == SHARE_NOTHING)
	{
		begin_union(join);
		unite(join, 1);
		pass_on(join, &x, 1);
		return;
	}
	size = join->plan.sharing == SHARE_ALL ? 0 : gather_set(join);
	if (size > 0 || join->plan.sharing == SHARE_ALL)
		add_x(join, x, size);
	if (join->sets == most_sets(join->facts) || (size_t) join->members > most_members(join->facts))
		flush_sets(join);
}

static void
join_slice(EvJoin *join, EvSlice slice)
{
	const BodyLevel *level = &join->plan.level[0];
	Source		source = source_of(join, level);
	int64_t		first = source_seek(&source, slice.first);
	int64_t		end = source_seek(&source, slice.end);
	int64_t		sets = most_sets(join->facts);
	uint32_t	slots = 16;

	/* as many slots as the sets of so many x may take */
	if (end - first < sets)
		sets = end - first;
	while (join->plan.sharing != SHARE_NOTHING && slots < 2 * sets)
		slots *= 2;
	join->slot_mask = slots - 1;
	clear_sets(join);
	for (int64_t i = first; i < end; i++)
	{
		int32_t		x = source_entity(&source, i);

		count_work(join, 1);
		/* reads are scattered over the index, and take nearly all of the time: memory of an x that comes later is fetched */
		if (source.holder != NULL && end - i > AHEAD)
			__builtin_prefetch(&join->facts->edge[source.group[source.holder[i + AHEAD]].first]);
		if (!passes(join, level, source.link, x))
			continue;
		join->bound[0] = x;
		join->x_group = source.holder == NULL ? -1 : source.group[source.holder[i]].first;
		join_x(join, x);
	}
	flush_sets(join);
}

/* ---- a body ----------------------------------------------------------------------------------- */

/* Writes down, or clears, where the groups of the indexed atom begin. */
static void
index_groups(EvJoin *join, bool clear)
{
	const FactIndex *facts = join->facts;

	for (int64_t i = facts->holders[join->indexed]; i < facts->holders[join->indexed + 1]; i++)
	{
		int32_t		entity = fact_holder(facts, i);

		join->begin[entity] = clear ? -1 : fact_group_at(facts, facts->holder[i]).first;
		if (clear)
			join->has_group[entity / 64] = 0;
		else
			join->has_group[entity / 64] |= UINT64_C(1) << (entity % 64);
		count_work(join, 1);
	}
}

static void
begin_body(EvJoin *join, const Rule *body, int64_t most, const EvJoinTarget *target)
{
	join->target = target;
	join->plan = body_plan(join->facts, body);
	join->x_group = -1;
	join->indexed = NO_ATOM;
	join->work = join->seen = 0;
	join->most = most;
	join->at_once = most < WORK_AT_ONCE ? most : WORK_AT_ONCE;
}

void
ev_join_body(EvJoin *join, const Rule *body, EvSlice slice, const EvJoinTarget *target)
{
	const BodyLevel *next = &join->plan.level[2];

	begin_body(join, body, INT64_MAX, target);
	/* the atom that leads on from level 1, if it is a single one from there */
	if (join->plan.sharing == SHARE_SETS && next->links == 1 && next->is == NO_ENTITY && next->link[0].from == 1)
		join->indexed = next->link[0].atom;
	if (join->indexed != NO_ATOM)
		index_groups(join, false);
	join_slice(join, slice);
	if (join->indexed != NO_ATOM)
		index_groups(join, true);
}

int64_t
ev_join_from(EvJoin *join, const Rule *body, int32_t x, int64_t most, const EvJoinTarget *target)
{
	const BodyLevel *first = &join->plan.level[0];
	const BodyLevel *last;

	begin_body(join, body, most, target);
	last = &join->plan.level[join->plan.y];
	/* Y of an empty body is any entity: it is no answer */
	if ((first->is != NO_ENTITY && first->is != x) || !passes(join, first, -1, x) ||
		(last->is == NO_ENTITY && last->links == 0 && last->held == NO_ATOM))
		return 0;
	join->bound[0] = x;
	begin_union(join);
	unite(join, 1);
	pass_on(join, &x, 1);
	return join->seen + join->work;
}

/* ---- a path under object identity ------------------------------------------------------------- */

/*
 * Follows all paths that begin with the entities bound up to `depth` and go on by the edges of a group; false when more
 * than `most` edges would be looked at.  What an entity leads to depends on those before it, so it is followed each time.
 */
static bool
follow_path(EvJoin *join, int depth, FactGroup group)
{
	const FactIndex *facts = join->facts;
	bool		last = depth == join->length - 1;
	FactGroup	ahead[FACT_AHEAD];

	count_work(join, group.end - group.first);
	if (join->seen + join->work > join->most)
		return false;
	for (int64_t first = group.first; first < group.end; first += FACT_AHEAD)
	{
		const FactEdge *edge = facts->edge + first;
		int			some = group.end - first < FACT_AHEAD ? (int) (group.end - first) : FACT_AHEAD;

		if (!last)
			fact_groups(facts, &edge->other, sizeof(FactEdge) / sizeof(int32_t), some, join->path[depth + 1], ahead);
		for (int i = 0; i < some; i++)
		{
			int32_t		other = edge[i].other;
			bool		visited = false;

			for (int k = 0; k <= depth; k++)
				visited |= join->bound[k] == other;
			join->closed |= last && other == join->bound[0];
			if (visited)
				continue;
			if (last)
			{
				join->united[join->united_count] = other;
				join->united_count += join->stamp[0][other] != join->serial;
				join->stamp[0][other] = join->serial;
				continue;
			}
			join->bound[depth + 1] = other;
			if (!follow_path(join, depth + 1, ahead[i]))
				return false;
		}
	}
	return true;
}

EvReached
ev_join_path(EvJoin *join, const DirectedAtom *atom, int length, int32_t x, FactGroup first, int64_t most,
			 const EvJoinTarget *target)
{
	bool		cut;

	join->target = target;
	join->seen = -join->work;	/* the thread goes on to its next yield */
	join->most = most;
	join->at_once = WORK_AT_ONCE;
	join->path = atom;
	join->length = length;
	join->closed = false;
	join->bound[0] = x;
	begin_union(join);
	cut = !follow_path(join, 0, first);
	return (EvReached) {
		x, join->united, join->united_count, join->closed, cut, join->stamp[0], join->serial, join->seen + join->work
	};
}
