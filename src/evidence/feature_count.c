/*
 * feature_count.c
 *		Rules of one feature, counted and remembered (see feature_count.h).
 *
 * The given entity has each of its features itself, and its own answers may be tens of thousands.  Then they are marked
 * once, rather than counted for each feature.
 *
 * A count is remembered in a place that its feature and atom choose, where it replaces another one.  Its answers stand
 * behind those of the counts before it.  Long lists are not remembered: they are of rare features, which few entities
 * share.
 */
#include "feature_count.h"

#include "core/random.h"
#include "core/sort.h"
#include "evidence.h"

#define FEW_ANSWERS 64			/* of the given entity: no more are counted for each feature */
#define AHEAD 16				/* answers between fetching memory and using it */
#define MOST_ANSWERS 1024		/* of a count that is remembered */
#define MOST_PLACES (1 << 16)
#define MOST_REMEMBERED (1 << 20)	/* answers of all counts */
#define LEAST_COMMON 0.001		/* confidence of a rule with an empty body */
#define ALL_THAT_HAVE_ANSWERS (-1)	/* in place of a group */

/* A count in its place */
typedef struct RememberedCount
{
	uint32_t	since;			/* the counter's generation */
	int32_t		group;			/* of the entities that share the feature */
	DirectedAtom atom;
	int32_t		sample;
	int32_t		size;
	int32_t		first;			/* answer */
	int32_t		count;
} RememberedCount;

struct FeatureCounter
{
	const FactIndex *facts;
	Pool	   *pool;
	int			thread;
	int64_t		since;			/* it yielded */
	DirectedAtom atom;

	/* the entity that is not counted, but has marked answers; -1: none */
	int32_t		marking;
	FactGroup	marked;
	bool	   *is_marked;		/* by entity */

	/* how many entities have an answer; and which answers these are */
	int32_t    *hits;			/* by entity */
	int32_t    *hit;
	int64_t		hit_count;

	/* what is remembered */
	uint32_t	generation;
	int64_t		places;			/* a power of two */
	RememberedCount *remembered;
	AnswerSupport *answer;
	int64_t		answers;
	int64_t		room;			/* for them */
};

FeatureCounter *
feature_counter_take(Allocation *allocation, const FactIndex *facts)
{
	FeatureCounter *counter = TAKE(allocation, FeatureCounter, 1);
	FeatureCounter taken = {.facts = facts,.marking = -1,.generation = 1,.places = 1};
	size_t		entities = (size_t) facts->entities;

	while (taken.places < MOST_PLACES && taken.places < facts->edges)
		taken.places *= 2;
	/* a count has room when all others are forgotten */
	taken.room = facts->entities + (facts->edges < MOST_REMEMBERED ? facts->edges : MOST_REMEMBERED);
	taken.is_marked = TAKE(allocation, bool, entities);
	taken.hits = TAKE(allocation, int32_t, entities);
	taken.hit = TAKE(allocation, int32_t, entities);
	taken.remembered = TAKE(allocation, RememberedCount, (size_t) taken.places);
	taken.answer = TAKE(allocation, AnswerSupport, (size_t) taken.room);
	if (counter != NULL)
		*counter = taken;
	return counter;
}

static void
mark_answers(FeatureCounter *counter, bool is)
{
	for (int64_t i = counter->marked.first; i < counter->marked.end; i++)
		counter->is_marked[counter->facts->edge[i].other] = is;
}

void
feature_counter_ask(FeatureCounter *counter, int32_t given, DirectedAtom atom, Pool *pool, int thread)
{
	FactGroup	known = fact_group(counter->facts, given, atom);
	bool		many = known.end - known.first > FEW_ANSWERS;

	for (int64_t i = 0; i < counter->hit_count; i++)
		counter->hits[counter->hit[i]] = 0;
	counter->hit_count = 0;
	mark_answers(counter, false);
	counter->marking = many ? given : -1;
	counter->marked = many ? known : (FactGroup) {0, 0};
	mark_answers(counter, true);
	counter->atom = atom;
	counter->pool = pool;
	counter->thread = thread;
}

/* ---- counting -------------------------------------------------------------------- */

/* Answers of one feature in the making */
typedef struct Counting
{
	FeatureCounter *counter;
	FactEdge	feature;
	FeatureCount count;
	AnswerSupport *answer;
	int32_t		least;			/* support of a rule */
	bool		itself;			/* the entity with marked answers shares the feature */
	int64_t		before;			/* hits that were listed before it */
} Counting;

/* From that support on, that from which on a rule has the confidence: the more support, the more likely it is. */
static int32_t
least_support(int32_t support, int64_t size, double confidence)
{
	while (support <= size && ev_smoothed_confidence(support, size, 0) < confidence)
		support++;
	return support;
}

static void
count_answers(FeatureCounter *counter, FactGroup answers)
{
	const FactEdge *edge = counter->facts->edge;

	for (int64_t i = answers.first; i < answers.end; i++)
	{
		int32_t		answer = edge[i].other;

		if (i + AHEAD < answers.end)
			__builtin_prefetch(&counter->hits[edge[i + AHEAD].other]);
		if (counter->hits[answer]++ == 0)
			counter->hit[counter->hit_count++] = answer;
	}
}

static void
count_sharing(Counting *counting, FactGroup group, int64_t sample)
{
	FeatureCounter *counter = counting->counter;
	FeatureCount *count = &counting->count;
	int64_t		stride = feature_stride(group, sample);
	FactGroup	answers[FACT_AHEAD];

	count->size = (group.end - group.first + stride - 1) / stride;
	for (int64_t first = 0; first < count->size; first += FACT_AHEAD)
	{
		const FactEdge *edge = counter->facts->edge + group.first + first * stride;
		int			some = count->size - first < FACT_AHEAD ? (int) (count->size - first) : FACT_AHEAD;

		fact_groups(counter->facts, &edge->other, (int) (stride * (int64_t) (sizeof(FactEdge) / sizeof(int32_t))), some,
					counter->atom, answers);
		for (int i = 0; i < some; i++)
		{
			if (edge[i * stride].other != counter->marking)
				count_answers(counter, answers[i]);
			else
			{
				counting->itself = true;
				counting->before = counter->hit_count;
			}
			pool_yield_after(counter->pool, counter->thread, answers[i].end - answers[i].first + 1, &counter->since);
		}
	}
}

/* Lists an answer, if it can be that of a rule.  The body must not be the head. */
static void
list_answer(Counting *counting, int32_t answer)
{
	FeatureCounter *counter = counting->counter;
	FeatureCount *count = &counting->count;
	int32_t		support = counter->hits[answer] + (counting->itself && counter->is_marked[answer]);

	counter->hits[answer] = 0;
	if (support < counting->least || (counting->feature.atom == counter->atom && counting->feature.other == answer))
		return;
	counting->answer[count->count++] = (AnswerSupport) {answer, support};
}

/*
 * Lists all answers that were counted, in the order in which the entities that share the feature have them: marked ones
 * come, in ascending order, behind those of the entities before theirs.
 */
static void
list_answers(Counting *counting)
{
	FeatureCounter *counter = counting->counter;
	int64_t		before = counting->itself ? counting->before : counter->hit_count;
	int64_t		listed;

	counting->least = least_support(LEAST_SUPPORT, counting->count.size, LEAST_CONFIDENCE);
	for (int64_t i = 0; i < before; i++)
		list_answer(counting, counter->hit[i]);
	listed = counting->count.count;
	for (int64_t i = before; i < counter->hit_count; i++)
		if (counter->is_marked[counter->hit[i]])
			list_answer(counting, counter->hit[i]);
	/* an AnswerSupport begins with its answer */
	sort_array(counter->pool, counter->thread, counting->answer + listed, counting->count.count - listed,
			   sizeof(AnswerSupport), compare_int32);
	for (int64_t i = before; i < counter->hit_count; i++)
		if (counter->hits[counter->hit[i]] > 0)
			list_answer(counting, counter->hit[i]);
	counter->hit_count = 0;
}

/* ---- remembering ------------------------------------------------------------------- */

static RememberedCount *
place_of(const FeatureCounter *counter, int32_t group, int64_t sample)
{
	uint64_t	place = random_mix((uint64_t) group << 32 ^ (uint64_t) counter->atom) + (uint64_t) sample;

	return &counter->remembered[place & (uint64_t) (counter->places - 1)];
}

void
feature_count_prefetch(const FeatureCounter *counter, int64_t edge, int64_t sample)
{
	__builtin_prefetch(place_of(counter, counter->facts->mirror[edge], sample));
}

/* Whether that count is remembered: then it is found. */
static bool
is_remembered(const FeatureCounter *counter, int32_t group, int64_t sample, FeatureCount *count)
{
	const RememberedCount *place = place_of(counter, group, sample);

	if (place->since != counter->generation || place->group != group || place->atom != counter->atom ||
		place->sample != sample)
		return false;
	*count = (FeatureCount) {place->size, place->count, counter->answer + place->first};
	return true;
}

/* Where the answers of one more count are listed: without room for it, all are forgotten. */
static AnswerSupport *
room_for_answers(FeatureCounter *counter)
{
	if (counter->room - counter->answers < counter->facts->entities)
	{
		counter->answers = 0;
		if (++counter->generation == 0)
		{
			for (int64_t i = 0; i < counter->places; i++)
				counter->remembered[i].since = 0;
			counter->generation = 1;
		}
	}
	return counter->answer + counter->answers;
}

/* Remembers the count that was listed there. */
static void
remember(FeatureCounter *counter, int32_t group, int64_t sample, const FeatureCount *count)
{
	if (count->count > MOST_ANSWERS)
		return;
	*place_of(counter, group, sample) = (RememberedCount) {
		.since = counter->generation,
		.group = group,
		.atom = counter->atom,
		.sample = (int32_t) sample,
		.size = (int32_t) count->size,
		.first = (int32_t) counter->answers,
		.count = (int32_t) count->count
	};
	counter->answers += count->count;
}

FeatureCount
feature_count(FeatureCounter *counter, int64_t edge, int64_t sample)
{
	int32_t		number = counter->facts->mirror[edge];
	FactGroup	group = fact_group_at(counter->facts, number);
	Counting	counting = {.counter = counter,.feature = counter->facts->edge[edge]};

	if (group.end - group.first < LEAST_SUPPORT || is_remembered(counter, number, sample, &counting.count))
		return counting.count;
	counting.count.answer = counting.answer = room_for_answers(counter);
	count_sharing(&counting, group, sample);
	list_answers(&counting);
	remember(counter, number, sample, &counting.count);
	return counting.count;
}

FeatureCount
feature_count_common(FeatureCounter *counter)
{
	const FactIndex *facts = counter->facts;
	DirectedAtom mirrored = MIRRORED(counter->atom);
	FeatureCount count = {.size = fact_holder_count(facts, counter->atom)};
	int32_t		least = least_support(1, count.size, LEAST_COMMON);
	AnswerSupport *answer;

	if (facts->largest[mirrored] < least || is_remembered(counter, ALL_THAT_HAVE_ANSWERS, 0, &count))
		return count;
	count.answer = answer = room_for_answers(counter);
	for (int64_t i = facts->holders[mirrored]; i < facts->holders[mirrored + 1]; i++)
	{
		FactGroup	group = fact_group_at(facts, facts->holder[i]);

		if (group.end - group.first >= least)
			answer[count.count++] = (AnswerSupport) {fact_holder(facts, i), (int32_t) (group.end - group.first)};
		pool_yield_after(counter->pool, counter->thread, 1, &counter->since);
	}
	remember(counter, ALL_THAT_HAVE_ANSWERS, 0, &count);
	return count;
}

double
feature_cost(FeatureCounter *counter, FactGroup group, int64_t sample)
{
	const FactIndex *facts = counter->facts;
	int64_t		stride = feature_stride(group, sample);
	int64_t		cost = 0;

	for (int64_t i = group.first; i < group.end; i += stride)
	{
		FactGroup	answers = fact_group(facts, facts->edge[i].other, counter->atom);

		cost += answers.end - answers.first + 1;
	}
	return (double) cost;
}
