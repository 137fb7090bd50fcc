/*
 * brute_force.c
 *		Every closed rule of two or three atoms with its counts, the plain way.
 *
 *		brute_force MIN_HEAD_COVERAGE MIN_SUPPORT [constants] < triples.tsv
 *
 * Reads head, relation, tail (tab-separated, names without blanks) and prints
 *		rule  support  body_size  pca_body_size
 * with the atoms of a body in the order of their text, so that the lines can
 * be sorted and compared.
 *
 * It shares no code and no idea with the extension: relations are matrices of bits,
 * a body is a product or an intersection of two of them, made one row at a
 * time for every pair of relations, and every head is laid over every row.
 *
 * With "constants" it prints the rules that have instantiated atoms, and no others:
 * such an atom is the set of a head's facts at whose end it holds, as bits; it is intersected with every
 * other such set, and with every relation.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------ */

typedef struct Names
{
	char	  **name;
	int			count;
	int		   *slot;			/* open addressing; -1: empty */
	int			slots;
} Names;

static void *
allocate(size_t count, size_t size)
{
	void	   *memory = calloc(count > 0 ? count : 1, size);

	if (memory == NULL)
	{
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return memory;
}

static unsigned
hash(const char *name)
{
	unsigned	h = 2166136261u;

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char) *name) * 16777619u;
	return h;
}

static void
names_insert(Names *names, int id)
{
	int			i = hash(names->name[id]) % names->slots;

	while (names->slot[i] >= 0)
		i = (i + 1) % names->slots;
	names->slot[i] = id;
}

static void
names_grow(Names *names)
{
	names->slots = names->slots > 0 ? 2 * names->slots : 1024;
	free(names->slot);
	names->slot = allocate(names->slots, sizeof(int));
	names->name = realloc(names->name, names->slots * sizeof(char *));
	memset(names->slot, -1, names->slots * sizeof(int));
	for (int id = 0; id < names->count; id++)
		names_insert(names, id);
}

static int
names_id(Names *names, const char *name)
{
	if (2 * names->count >= names->slots)
		names_grow(names);
	for (int i = hash(name) % names->slots; names->slot[i] >= 0; i = (i + 1) % names->slots)
	{
		if (strcmp(names->name[names->slot[i]], name) == 0)
			return names->slot[i];
	}
	names->name[names->count] = strdup(name);
	names_insert(names, names->count);
	return names->count++;
}

/* ---- relations as matrices of bits -------------------------------------------- */

/*
 * Matrix 2r holds r(row, column), matrix 2r + 1 r(column, row).  A row without
 * ones is NULL.
 */
typedef struct Matrix
{
	uint64_t  **row;
	int64_t		ones;
} Matrix;

static Names entities;
static Names relations;
static Matrix *matrices;
static size_t words;			/* of a row */

static int (*triples)[3];
static int64_t triple_count;

static void
read_triples(void)
{
	char	   *line = NULL;
	size_t		room = 0;
	int64_t		triple_room = 0;

	while (getline(&line, &room, stdin) > 0)
	{
		char	   *head = strtok(line, "\t\n");
		char	   *relation = strtok(NULL, "\t\n");
		char	   *tail = strtok(NULL, "\t\n");

		if (tail == NULL)
			continue;
		if (triple_count == triple_room)
		{
			triple_room = 2 * triple_room + 1024;
			triples = realloc(triples, triple_room * sizeof(*triples));
		}
		triples[triple_count][0] = names_id(&entities, head);
		triples[triple_count][1] = names_id(&relations, relation);
		triples[triple_count++][2] = names_id(&entities, tail);
	}
	free(line);
}

/* Returns whether it was not set yet. */
static bool
set_bit(Matrix *matrix, int row, int column)
{
	uint64_t	bit = UINT64_C(1) << (column % 64);

	if (matrix->row[row] == NULL)
		matrix->row[row] = allocate(words, sizeof(uint64_t));
	if ((matrix->row[row][column / 64] & bit) != 0)
		return false;
	matrix->ones++;
	matrix->row[row][column / 64] |= bit;
	return true;
}

/* Drops triples that stand twice. */
static void
make_matrices(void)
{
	int64_t		count = 0;

	words = (entities.count + 63) / 64;
	matrices = allocate(2 * relations.count, sizeof(Matrix));
	for (int a = 0; a < 2 * relations.count; a++)
		matrices[a].row = allocate(entities.count, sizeof(uint64_t *));
	for (int64_t i = 0; i < triple_count; i++)
	{
		(void) set_bit(&matrices[2 * triples[i][1] + 1], triples[i][2], triples[i][0]);
		if (set_bit(&matrices[2 * triples[i][1]], triples[i][0], triples[i][2]))
			memmove(triples[count++], triples[i], sizeof(triples[i]));
	}
	triple_count = count;
}

static int64_t
count_bits(const uint64_t *row)
{
	int64_t		count = 0;

	for (size_t i = 0; i < words; i++)
		count += __builtin_popcountll(row[i]);
	return count;
}

static int64_t
count_common(const uint64_t *a, const uint64_t *b)
{
	int64_t		count = 0;

	for (size_t i = 0; i < words; i++)
		count += __builtin_popcountll(a[i] & b[i]);
	return count;
}

/* ---- bodies --------------------------------------------------------------------- */

typedef enum Shape
{
	SINGLE,						/* a(X,Y) */
	PARALLEL,					/* a(X,Y), b(X,Y) */
	PATH						/* a(X,A), b(A,Y) */
} Shape;

typedef struct Body
{
	Shape		shape;
	int			a,
				b;				/* matrices */
} Body;

/* Row x of the body's matrix; false when it is empty. */
static bool
body_row(const Body *body, int x, uint64_t *row)
{
	const uint64_t *first = matrices[body->a].row[x];

	if (first == NULL)
		return false;
	if (body->shape == PATH)
	{
		memset(row, 0, words * sizeof(uint64_t));
		for (int z = 0; z < entities.count; z++)
		{
			const uint64_t *second = matrices[body->b].row[z];

			if (z % 64 == 0 && first[z / 64] == 0)
				z += 63;
			else if (second != NULL && (first[z / 64] >> (z % 64) & 1) != 0)
				for (size_t i = 0; i < words; i++)
					row[i] |= second[i];
		}
		return true;
	}
	memcpy(row, first, words * sizeof(uint64_t));
	if (body->shape == PARALLEL)
	{
		const uint64_t *second = matrices[body->b].row[x];

		if (second == NULL)
			return false;
		for (size_t i = 0; i < words; i++)
			row[i] &= second[i];
	}
	return true;
}

/* ---- heads -------------------------------------------------------------------------- */

typedef struct Head
{
	int64_t		threshold;		/* of support */
	bool		by_subject;		/* the functional side */
	uint64_t   *subjects;		/* its heads, as bits */
	uint64_t   *objects;		/* its tails, as bits */
} Head;

static Head *heads;

/* Which rows have ones, as bits. */
static uint64_t *
rows_of(const Matrix *matrix)
{
	uint64_t   *rows = allocate(words, sizeof(uint64_t));

	for (int x = 0; x < entities.count; x++)
	{
		if (matrix->row[x] != NULL)
			rows[x / 64] |= UINT64_C(1) << (x % 64);
	}
	return rows;
}

static void
make_heads(double min_head_coverage, int64_t min_support)
{
	heads = allocate(relations.count, sizeof(Head));
	for (int h = 0; h < relations.count; h++)
	{
		const Matrix *facts = &matrices[2 * h];

		/* the least whole number that is not under the bound */
		heads[h].threshold = min_support;
		while ((double) heads[h].threshold / (double) facts->ones < min_head_coverage)
			heads[h].threshold++;
		heads[h].subjects = rows_of(facts);
		heads[h].objects = rows_of(&matrices[2 * h + 1]);
		heads[h].by_subject = count_bits(heads[h].subjects) >= count_bits(heads[h].objects);
	}
}

/* ---- output -------------------------------------------------------------------------- */

static void
print_rule(int head, const Body *body, int64_t support, int64_t body_size, int64_t pca_body_size)
{
	static const char *const places[3][2][2] = {
		{{"X,Y", "Y,X"}, {"", ""}},
		{{"X,Y", "Y,X"}, {"X,Y", "Y,X"}},
		{{"X,A", "A,X"}, {"A,Y", "Y,A"}}
	};
	char		first[1024];
	char		second[1024] = "";
	bool		swap;

	snprintf(first, sizeof(first), "%s(%s)", relations.name[body->a / 2],
			 places[body->shape][0][body->a % 2]);
	if (body->shape != SINGLE)
		snprintf(second, sizeof(second), "%s(%s)", relations.name[body->b / 2],
				 places[body->shape][1][body->b % 2]);
	swap = body->shape != SINGLE && strcmp(first, second) > 0;
	printf("%s(X,Y) <= %s%s%s\t%lld\t%lld\t%lld\n", relations.name[head],
		   swap ? second : first, body->shape == SINGLE ? "" : ", ", swap ? first : second,
		   (long long) support, (long long) body_size, (long long) pca_body_size);
}

/* Whether head(X,Y) is one of the body's atoms. */
static bool
holds_head(const Body *body, int head)
{
	return body->shape != PATH &&
		(body->a == 2 * head || (body->shape == PARALLEL && body->b == 2 * head));
}

static int64_t
count_pca(const Body *body, const Head *head, const Matrix *facts, uint64_t *row)
{
	int64_t		count = 0;

	for (int x = 0; x < entities.count; x++)
	{
		if (head->by_subject && facts->row[x] == NULL)
			continue;
		if (body_row(body, x, row))
			count += head->by_subject ? count_bits(row) : count_common(row, head->objects);
	}
	return count;
}

static void
try_body(const Body *body)
{
	static int64_t *support;
	static uint64_t *row;
	int64_t		body_size = 0;

	if (row == NULL)
		row = allocate(words, sizeof(uint64_t));
	free(support);
	support = allocate(relations.count, sizeof(int64_t));
	for (int x = 0; x < entities.count; x++)
	{
		if (!body_row(body, x, row))
			continue;
		body_size += count_bits(row);
		for (int h = 0; h < relations.count; h++)
		{
			if (matrices[2 * h].row[x] != NULL)
				support[h] += count_common(row, matrices[2 * h].row[x]);
		}
	}
	for (int h = 0; h < relations.count; h++)
	{
		if (support[h] >= heads[h].threshold && !holds_head(body, h))
			print_rule(h, body, support[h], body_size,
					   count_pca(body, &heads[h], &matrices[2 * h], row));
	}
}

/* ---- instantiated atoms --------------------------------------------------------------- */

/* An atom atom(v, constant) at one end of a head, directed from v, that holds of enough of its facts */
typedef struct Instance
{
	int			atom;			/* a matrix */
	int			constant;
	uint64_t   *facts;			/* of which facts of the head, as bits */
} Instance;

typedef struct Instances
{
	Instance   *instance;
	int			count;
} Instances;

/* The facts of one head */
typedef struct Facts
{
	int			head;
	int			(*end)[2];
	int			count;
	size_t		words;			/* of a set of them */
} Facts;

static int (*edges)[3];			/* v, matrix, w; by v */
static int64_t *first_edge;

static int
compare_edges(const void *a, const void *b)
{
	return (*(const int *) a > *(const int *) b) - (*(const int *) a < *(const int *) b);
}

static void
make_edges(void)
{
	edges = allocate(2 * triple_count, sizeof(*edges));
	for (int64_t i = 0; i < triple_count; i++)
		for (int backwards = 0; backwards < 2; backwards++)
		{
			edges[2 * i + backwards][0] = triples[i][backwards ? 2 : 0];
			edges[2 * i + backwards][1] = 2 * triples[i][1] + backwards;
			edges[2 * i + backwards][2] = triples[i][backwards ? 0 : 2];
		}
	qsort(edges, 2 * triple_count, sizeof(*edges), compare_edges);
	first_edge = allocate(entities.count + 1, sizeof(int64_t));
	for (int64_t i = 0; i < 2 * triple_count; i++)
		first_edge[edges[i][0] + 1] = i + 1;
}

static Facts
facts_of(int head)
{
	Facts		facts = {.head = head,.end = allocate(matrices[2 * head].ones, 2 * sizeof(int))};

	for (int64_t i = 0; i < triple_count; i++)
	{
		if (triples[i][1] != head)
			continue;
		facts.end[facts.count][0] = triples[i][0];
		facts.end[facts.count++][1] = triples[i][2];
	}
	facts.words = (facts.count + 63) / 64;
	return facts;
}

static int64_t
count_facts(const Facts *facts, const uint64_t *a, const uint64_t *b)
{
	int64_t		count = 0;

	for (size_t i = 0; i < facts->words; i++)
		count += __builtin_popcountll(a[i] & b[i]);
	return count;
}

/* Whether the facts in both sets have two different entities at that end. */
static bool
has_two(const Facts *facts, int end, const uint64_t *a, const uint64_t *b)
{
	int			one = -1;

	for (int i = 0; i < facts->count; i++)
	{
		if ((a[i / 64] & b[i / 64]) >> (i % 64) & 1)
		{
			if (one >= 0 && facts->end[i][end] != one)
				return true;
			one = facts->end[i][end];
		}
	}
	return false;
}

/* All instances at one end of a head; support never rises when they meet another atom. */
static Instances
make_instances(const Facts *facts, int end)
{
	Instances	instances = {0};
	int		   *number = allocate((size_t) 2 * relations.count * entities.count, sizeof(int));

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < facts->count; i++)
			for (int64_t e = first_edge[facts->end[i][end]]; e < first_edge[facts->end[i][end] + 1]; e++)
			{
				int		   *n = &number[(size_t) edges[e][1] * entities.count + edges[e][2]];

				if (edges[e][1] / 2 == facts->head)
					continue;
				if (pass == 0)
				{
					instances.count += ++*n == heads[facts->head].threshold;
					continue;
				}
				if (instances.instance == NULL)
				{
					instances.instance = allocate(instances.count, sizeof(Instance));
					instances.count = 0;
				}
				/* a count of facts, over the threshold, becomes the instance's number, from -1 down */
				if (*n >= heads[facts->head].threshold)
				{
					instances.instance[instances.count++] = (Instance) {edges[e][1], edges[e][2], allocate(facts->words, sizeof(uint64_t))};
					*n = -instances.count;
				}
				if (*n < 0)
					instances.instance[-1 - *n].facts[i / 64] |= UINT64_C(1) << (i % 64);
			}
	free(number);
	return instances;
}

static void
free_instances(Instances *instances)
{
	for (int i = 0; i < instances->count; i++)
		free(instances->instance[i].facts);
	free(instances->instance);
}

/* The entities that an instance holds of, as bits. */
static const uint64_t *
set_of(const Instance *instance)
{
	return matrices[instance->atom ^ 1].row[instance->constant];
}

static void
print_instance(char *text, size_t bytes, const Instance *instance, char variable)
{
	const char *relation = relations.name[instance->atom / 2];
	const char *constant = entities.name[instance->constant];

	if (instance->atom % 2 == 0)
		snprintf(text, bytes, "%s(%c,\"%s\")", relation, variable, constant);
	else
		snprintf(text, bytes, "%s(\"%s\",%c)", relation, constant, variable);
}

static void
print_atoms(int head, const char *first, const char *second, int64_t support, int64_t body_size, int64_t pca_body_size)
{
	bool		swap = strcmp(first, second) > 0;

	printf("%s(X,Y) <= %s, %s\t%lld\t%lld\t%lld\n", relations.name[head], swap ? second : first, swap ? first : second,
		   (long long) support, (long long) body_size, (long long) pca_body_size);
}

/* a(X,c), b(Y,d) */
static void
try_instances(const Facts *facts, const Instance *x, const Instance *y)
{
	const Head *head = &heads[facts->head];
	int64_t		support = count_facts(facts, x->facts, y->facts);
	int64_t		xs = count_bits(set_of(x));
	int64_t		ys = count_bits(set_of(y));
	char		first[1024];
	char		second[1024];

	/* atoms that could be one */
	if (x->atom / 2 == y->atom / 2 && (x->atom != y->atom || x->constant == y->constant))
		return;
	if (support < head->threshold || !has_two(facts, 0, x->facts, y->facts) || !has_two(facts, 1, x->facts, y->facts))
		return;
	print_instance(first, sizeof(first), x, 'X');
	print_instance(second, sizeof(second), y, 'Y');
	print_atoms(facts->head, first, second, support, xs * ys,
				head->by_subject ? count_common(set_of(x), head->subjects) * ys : xs * count_common(set_of(y), head->objects));
}

/* b(X,Y), a(V,c) with V at that end; `holds`: of which facts b(X,Y) holds */
static void
try_beside(const Facts *facts, const Instance *instance, int end, int b, const uint64_t *holds)
{
	const Head *head = &heads[facts->head];
	const Matrix *pairs = &matrices[b ^ end];	/* from V */
	const uint64_t *set = set_of(instance);
	bool		functional = head->by_subject == (end == 0);	/* is V */
	int64_t		support = count_facts(facts, instance->facts, holds);
	int64_t		size = 0;
	int64_t		pca_size = 0;
	char		first[1024];
	char		second[1024];

	if (support < head->threshold || !has_two(facts, end, instance->facts, holds))
		return;
	for (int v = 0; v < entities.count; v++)
	{
		if ((set[v / 64] >> (v % 64) & 1) == 0 || pairs->row[v] == NULL)
			continue;
		size += count_bits(pairs->row[v]);
		if (!functional)
			pca_size += count_common(pairs->row[v], head->by_subject ? head->subjects : head->objects);
		else if (matrices[2 * facts->head + end].row[v] != NULL)
			pca_size += count_bits(pairs->row[v]);
	}
	snprintf(first, sizeof(first), "%s(%s)", relations.name[b / 2], b % 2 == 0 ? "X,Y" : "Y,X");
	print_instance(second, sizeof(second), instance, "XY"[end]);
	print_atoms(facts->head, first, second, support, size, pca_size);
}

static void
try_relations(const Facts *facts, const Instances *instances, int end)
{
	uint64_t   *holds = allocate(facts->words, sizeof(uint64_t));

	for (int b = 0; b < 2 * relations.count; b++)
	{
		if (b == 2 * facts->head)
			continue;
		memset(holds, 0, facts->words * sizeof(uint64_t));
		for (int i = 0; i < facts->count; i++)
		{
			const uint64_t *row = matrices[b].row[facts->end[i][0]];
			int			y = facts->end[i][1];

			if (row != NULL && (row[y / 64] >> (y % 64) & 1) != 0)
				holds[i / 64] |= UINT64_C(1) << (i % 64);
		}
		for (int i = 0; i < instances->count && count_facts(facts, holds, holds) > 0; i++)
		{
			if (instances->instance[i].atom / 2 != b / 2)
				try_beside(facts, &instances->instance[i], end, b, holds);
		}
	}
	free(holds);
}

static void
try_constants(int head)
{
	Facts		facts = facts_of(head);
	Instances	x = make_instances(&facts, 0);
	Instances	y = make_instances(&facts, 1);

	try_relations(&facts, &x, 0);
	try_relations(&facts, &y, 1);
	for (int i = 0; i < x.count; i++)
		for (int j = 0; j < y.count; j++)
			try_instances(&facts, &x.instance[i], &y.instance[j]);
	free_instances(&x);
	free_instances(&y);
	free(facts.end);
}

static void
try_all_bodies(void)
{
	for (int a = 0; a < 2 * relations.count; a++)
	{
		try_body(&(Body) {SINGLE, a, 0});
		for (int b = 0; b < 2 * relations.count; b++)
		{
			if (a < b)
				try_body(&(Body) {PARALLEL, a, b});
			try_body(&(Body) {PATH, a, b});
		}
	}
}

int
main(int argc, char **argv)
{
	if (argc < 3 || argc > 4)
	{
		fprintf(stderr, "usage: brute_force MIN_HEAD_COVERAGE MIN_SUPPORT [constants] < triples.tsv\n");
		return 2;
	}
	read_triples();
	make_matrices();
	make_heads(atof(argv[1]), atoll(argv[2]));
	if (argc == 3)
	{
		try_all_bodies();
		return 0;
	}
	make_edges();
	for (int h = 0; h < relations.count; h++)
		try_constants(h);
	return 0;
}
