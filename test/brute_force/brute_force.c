/*
 * brute_force.c
 *		Every closed rule of two or three atoms with its counts, the plain way.
 *
 *		brute_force MIN_HEAD_COVERAGE MIN_SUPPORT < triples.tsv
 *
 * Reads head, relation, tail (tab-separated, names without blanks) and prints
 *		rule  support  body_size  pca_body_size
 * with the atoms of a body in the order of their text, so that the lines can
 * be sorted and compared.
 *
 * It shares no code and no idea with src/mine.c: relations are matrices of bits,
 * a body is a product or an intersection of two of them, made one row at a
 * time for every pair of relations, and every head is laid over every row.
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

static void
set_bit(Matrix *matrix, int row, int column)
{
	uint64_t	bit = UINT64_C(1) << (column % 64);

	if (matrix->row[row] == NULL)
		matrix->row[row] = allocate(words, sizeof(uint64_t));
	if ((matrix->row[row][column / 64] & bit) == 0)
		matrix->ones++;
	matrix->row[row][column / 64] |= bit;
}

static void
make_matrices(void)
{
	words = (entities.count + 63) / 64;
	matrices = allocate(2 * relations.count, sizeof(Matrix));
	for (int a = 0; a < 2 * relations.count; a++)
		matrices[a].row = allocate(entities.count, sizeof(uint64_t *));
	for (int64_t i = 0; i < triple_count; i++)
	{
		set_bit(&matrices[2 * triples[i][1]], triples[i][0], triples[i][2]);
		set_bit(&matrices[2 * triples[i][1] + 1], triples[i][2], triples[i][0]);
	}
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
	uint64_t   *objects;		/* its tails, as bits */
} Head;

static Head *heads;

static int64_t
non_empty_rows(const Matrix *matrix)
{
	int64_t		count = 0;

	for (int x = 0; x < entities.count; x++)
		count += matrix->row[x] != NULL;
	return count;
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
		heads[h].by_subject = non_empty_rows(facts) >= non_empty_rows(&matrices[2 * h + 1]);
		heads[h].objects = allocate(words, sizeof(uint64_t));
		for (int y = 0; y < entities.count; y++)
		{
			if (matrices[2 * h + 1].row[y] != NULL)
				heads[h].objects[y / 64] |= UINT64_C(1) << (y % 64);
		}
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

int
main(int argc, char **argv)
{
	if (argc != 3)
	{
		fprintf(stderr, "usage: brute_force MIN_HEAD_COVERAGE MIN_SUPPORT < triples.tsv\n");
		return 2;
	}
	read_triples();
	make_matrices();
	make_heads(atof(argv[1]), atoll(argv[2]));
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
	return 0;
}
