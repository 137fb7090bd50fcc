/*
 * Bodies joined over the index of facts, and counted: against all assignments of entities to variables, tried one by
 * one, for random bodies over random graphs.
 */
#include <string.h>

#include "check.h"

#include "evidence/body_count.h"

#define MOST_ENTITIES 8
#define RELATIONS 3
#define MOST_VARIABLES 7		/* X, Y, and one with each atom */

typedef struct World
{
	int			entities;
	int			variables;		/* of a body, at most */
	bool		fact[RELATIONS][MOST_ENTITIES][MOST_ENTITIES];
	Triple		triple[RELATIONS * MOST_ENTITIES * MOST_ENTITIES];
	int			count;
	FactIndex	facts;
} World;

static World
random_world(void)
{
	World		world = {.entities = 3 + next_below(MOST_ENTITIES - 2)};
	double		density = next_uniform(0.05, 0.6);

	/* all assignments are tried */
	world.variables = world.entities == 3 ? MOST_VARIABLES : MOST_VARIABLES - 2;
	for (int r = 0; r < RELATIONS; r++)
		for (int h = 0; h < world.entities; h++)
			for (int t = 0; t < world.entities; t++)
			{
				world.fact[r][h][t] = next_uniform(0, 1) < density;
				if (world.fact[r][h][t])
					world.triple[world.count++] = (Triple) {h, r, t};
			}
	CHECK(fact_index(&arena, pool, world.entities, RELATIONS, world.triple, world.count, &world.facts));
	return world;
}

static int32_t
random_term(const World *world)
{
	return next_below(5) == 0 ? next_below(world->entities) : -1 - next_below(world->variables);
}

/* A bit for each variable of a body, whether in atoms of facts or not */
static unsigned
variables_of(const Rule *body)
{
	unsigned	variables = 0;

	for (int i = 0; i < body->length; i++)
	{
		if (body->body[i].first < 0)
			variables |= 1u << (-1 - body->body[i].first);
		if (body->body[i].second < 0)
			variables |= 1u << (-1 - body->body[i].second);
	}
	return variables;
}

/* As rules have them: X, Y and other variables without a gap; no atom of one variable alone or of none */
static bool
is_body(const Rule *body)
{
	unsigned	variables = variables_of(body);

	for (int i = 0; i < body->length; i++)
		if (body->body[i].first == body->body[i].second || (body->body[i].first >= 0 && body->body[i].second >= 0))
			return false;
	return (variables & 3) == 3 && ((variables + 1) & variables) == 0;
}

/* One in four has a constant of the head; many have variables in one place only. */
static Rule
random_body(const World *world)
{
	Rule		body;

	do
	{
		body.length = 1 + next_below(RULE_MAX_BODY);
		for (int i = 0; i < body.length; i++)
			body.body[i] = (Atom) {next_below(RELATIONS), random_term(world), random_term(world)};
		if (body.length > 1 && next_below(4) == 0)
		{
			int32_t		end = next_below(2) == 0 ? TERM_X : TERM_Y;

			body.body[body.length - 1] = (Atom) {RULE_IS, end, next_below(world->entities)};
		}
	} while (!is_body(&body));
	return body;
}

static bool
holds(const World *world, const Rule *body, const int *value)
{
	for (int i = 0; i < body->length; i++)
	{
		const Atom *atom = &body->body[i];
		int			first = atom->first >= 0 ? atom->first : value[-1 - atom->first];
		int			second = atom->second >= 0 ? atom->second : value[-1 - atom->second];

		if (atom->relation == RULE_IS ? first != second : !world->fact[atom->relation][first][second])
			return false;
	}
	return true;
}

static void
try_all(const World *world, const Rule *body, int value[MOST_VARIABLES], int variable,
		int pairs[MOST_ENTITIES][MOST_ENTITIES])
{
	if (variable == world->variables || (variables_of(body) >> variable) == 0)
	{
		if (holds(world, body, value))
			pairs[value[0]][value[1]] = 1;
		return;
	}
	for (value[variable] = 0; value[variable] < world->entities; value[variable]++)
		try_all(world, body, value, variable + 1, pairs);
}

typedef struct Joined
{
	EvSlice		slice;
	int			pairs[MOST_ENTITIES][MOST_ENTITIES];
} Joined;

static void
take_rectangle(void *argument, const EvRectangle *rectangle)
{
	Joined	   *joined = argument;

	for (int i = 0; i < rectangle->x_count; i++)
	{
		CHECK(rectangle->x[i] >= joined->slice.first && rectangle->x[i] < joined->slice.end);
		for (int j = 0; j < rectangle->y_count; j++)
			joined->pairs[rectangle->x[i]][rectangle->y[j]]++;
	}
}

static void
check_counts(const World *world, const Rule *body, int pairs[MOST_ENTITIES][MOST_ENTITIES], EvCounter *counter,
			 int slices)
{
	EvCountedRule rule = {
		.relation = next_below(RELATIONS),.side = next_below(2 * RELATIONS),.side_is_y = next_below(2)
	};
	EvCountedBody counted = {*body, &rule, 1, 0};
	int64_t		all = 0;
	int64_t		facts = 0;
	int64_t		known = 0;

	for (int x = 0; x < world->entities; x++)
		for (int y = 0; y < world->entities; y++)
		{
			FactGroup	group = fact_group(&world->facts, rule.side_is_y ? y : x, rule.side);

			all += pairs[x][y];
			facts += pairs[x][y] && world->fact[rule.relation][x][y];
			known += pairs[x][y] && group.end > group.first;
		}
	for (int i = 0; i < slices; i++)
		ev_count_bodies(counter, &counted, 1, ev_slice(&world->facts, i, slices));
	CHECK(counted.pairs == all);
	CHECK(rule.facts == facts);
	CHECK(rule.known == known);
}

static void
check_body(const World *world, const Rule *body, EvJoin *join, EvCounter *counter)
{
	int			expected[MOST_ENTITIES][MOST_ENTITIES] = {0};
	int			value[MOST_VARIABLES] = {0};
	int			slices = 1 + next_below(4);
	Joined		joined = {0};
	EvJoinTarget target = {take_rectangle, &joined, leader, POOL_LEADER};

	try_all(world, body, value, 0, expected);
	for (int i = 0; i < slices; i++)
	{
		joined.slice = ev_slice(&world->facts, i, slices);
		ev_join_body(join, body, joined.slice, &target);
	}
	CHECK(memcmp(joined.pairs, expected, sizeof(expected)) == 0);
	check_counts(world, body, expected, counter, slices);
}

/* Every entity is in one slice, and slices have about as many edges each. */
static void
check_slices(const World *world)
{
	int			end = 0;

	for (int i = 0; i < 5; i++)
	{
		EvSlice		slice = ev_slice(&world->facts, i, 5);

		CHECK(slice.first == end && slice.end >= slice.first);
		end = slice.end;
	}
	CHECK(end == world->entities);
}

void
test_body_join(void)
{
	for (int w = 0; w < 60; w++)
	{
		World		world = random_world();
		EvJoin	   *join = ev_join(&arena, pool, &world.facts);
		EvCounter  *counter = ev_counter(&arena, pool, &world.facts);

		check_slices(&world);
		for (int b = 0; b < 60; b++)
		{
			Rule		body = random_body(&world);

			check_body(&world, &body, join, counter);
		}
	}
	CHECK(ev_join(&empty_arena, pool, &(FactIndex) {.entities = 3}) == NULL);
	CHECK(ev_counter(&empty_arena, pool, &(FactIndex) {.entities = 3}) == NULL);
}
