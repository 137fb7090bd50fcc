/*
 * definition.c
 *		Every closed rule of a tiny graph with its counts, straight from the definition.
 *
 *		definition ATOMS CONSTANTS MIN_HEAD_COVERAGE MIN_SUPPORT < triples.tsv
 *
 * Reads head, relation, tail (tab-separated) and prints
 *		rule  support  body_size  pca_body_size
 * of rules of up to ATOMS atoms (2 to 4, the head counted), with entities as terms if
 * CONSTANTS is 1.
 *
 * All sets of atoms over the terms X, Y, A, B and the entities are tried; those that are no
 * bodies drop out; of the others all bindings of all variables are tried.  No shape, no
 * level, no pruning.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 64
#define NAME_BYTES 64

typedef struct Names
{
	char		name[MAX_NAMES][NAME_BYTES];
	int			count;
} Names;

/* terms: variables 0 .. 3, then entities */
enum
{
	X, Y, A, B, FIRST_ENTITY
};

typedef struct Atom
{
	int			relation;
	int			term[2];
} Atom;

static Names entities;
static Names relations;
static bool fact[MAX_NAMES][MAX_NAMES][MAX_NAMES];	/* relation, head, tail */
static Atom *atoms;
static int	atom_count;
static double min_head_coverage;
static int	min_support;

static int
id_of(Names *names, const char *name)
{
	for (int i = 0; i < names->count; i++)
	{
		if (strcmp(names->name[i], name) == 0)
			return i;
	}
	if (names->count == MAX_NAMES || strlen(name) >= NAME_BYTES)
	{
		fprintf(stderr, "the graph is not tiny\n");
		exit(1);
	}
	strcpy(names->name[names->count], name);
	return names->count++;
}

static void
read_triples(void)
{
	char		line[1024];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		char	   *head = strtok(line, "\t\n");
		char	   *relation = strtok(NULL, "\t\n");
		char	   *tail = strtok(NULL, "\t\n");

		if (tail != NULL)
			fact[id_of(&relations, relation)][id_of(&entities, head)][id_of(&entities, tail)] = true;
	}
}

static void
make_atoms(bool constants)
{
	int			terms = FIRST_ENTITY + (constants ? entities.count : 0);

	atoms = calloc((size_t) relations.count * terms * terms, sizeof(Atom));
	for (int r = 0; r < relations.count; r++)
		for (int s = 0; s < terms; s++)
			for (int t = 0; t < terms; t++)
				if (s != t && (s < FIRST_ENTITY || t < FIRST_ENTITY))
					atoms[atom_count++] = (Atom) {r, {s, t}};
}

/* ---- what is a rule --------------------------------------------------------------- */

static bool
is_instantiated(const Atom *atom)
{
	return atom->term[0] >= FIRST_ENTITY || atom->term[1] >= FIRST_ENTITY;
}

static bool
are_unifiable(const Atom *a, const Atom *b)
{
	for (int i = 0; i < 2; i++)
	{
		if (a->term[i] != b->term[i] && a->term[i] >= FIRST_ENTITY && b->term[i] >= FIRST_ENTITY)
			return false;
	}
	return a->relation == b->relation;
}

static bool
holds(const Atom *atom, int term)
{
	return atom->term[0] == term || atom->term[1] == term;
}

/* Every variable at least twice, the head counted; B only beside A; all hang together */
static bool
is_closed(const Atom *body, int length)
{
	int			uses[FIRST_ENTITY] = {1, 1, 0, 0};
	bool		reached[FIRST_ENTITY] = {true, true, false, false};

	for (int i = 0; i < length; i++)
		for (int v = 0; v < FIRST_ENTITY; v++)
			uses[v] += holds(&body[i], v);
	for (int round = 0; round < length; round++)
		for (int i = 0; i < length; i++)
			for (int v = 0; v < FIRST_ENTITY; v++)
				for (int w = 0; w < FIRST_ENTITY; w++)
					if (reached[v] && holds(&body[i], v) && holds(&body[i], w))
						reached[w] = true;
	for (int v = 0; v < FIRST_ENTITY; v++)
	{
		if (uses[v] == 1 || (uses[v] > 0 && !reached[v]))
			return false;
	}
	return uses[A] > 0 || uses[B] == 0;
}

static int
number_of(const Atom *atom)
{
	return (int) ((atom->relation * 1000 + atom->term[0]) * 1000 + atom->term[1]);
}

static int
compare_numbers(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

/* Of two bodies that differ in the names of A and B, one counts. */
static bool
is_first_name(const Atom *body, int length)
{
	static const int swapped[FIRST_ENTITY] = {X, Y, B, A};
	int			mine[3];
	int			other[3];

	for (int i = 0; i < length; i++)
	{
		Atom		atom = body[i];

		mine[i] = number_of(&atom);
		for (int place = 0; place < 2; place++)
		{
			if (atom.term[place] < FIRST_ENTITY)
				atom.term[place] = swapped[atom.term[place]];
		}
		other[i] = number_of(&atom);
	}
	qsort(mine, length, sizeof(int), compare_numbers);
	qsort(other, length, sizeof(int), compare_numbers);
	for (int i = 0; i < length; i++)
	{
		if (mine[i] != other[i])
			return mine[i] < other[i];
	}
	return true;
}

static bool
holds_variable(const Atom *body, int length, int variable)
{
	for (int i = 0; i < length; i++)
	{
		if (holds(&body[i], variable))
			return true;
	}
	return false;
}

static bool
is_rule(int head, const Atom *body, int length)
{
	Atom		head_atom = {head, {X, Y}};

	for (int i = 0; i < length; i++)
	{
		if (memcmp(&body[i], &head_atom, sizeof(Atom)) == 0)
			return false;
		if (!is_instantiated(&body[i]))
			continue;
		if (are_unifiable(&body[i], &head_atom))
			return false;
		for (int j = 0; j < length; j++)
		{
			if (j != i && are_unifiable(&body[i], &body[j]))
				return false;
		}
	}
	return true;
}

/* ---- counts --------------------------------------------------------------------------- */

static bool
is_true(const Atom *body, int length, const int *binding)
{
	for (int i = 0; i < length; i++)
	{
		int			s = body[i].term[0];
		int			t = body[i].term[1];

		if (!fact[body[i].relation][s < FIRST_ENTITY ? binding[s] : s - FIRST_ENTITY]
			[t < FIRST_ENTITY ? binding[t] : t - FIRST_ENTITY])
			return false;
	}
	return true;
}

static bool pair[MAX_NAMES][MAX_NAMES];
static bool bound[MAX_NAMES][MAX_NAMES][2][MAX_NAMES];	/* by x, y: the values of A and of B */

static void
evaluate(const Atom *body, int length)
{
	int			n = entities.count;
	int			as = holds_variable(body, length, A) ? n : 1;
	int			bs = holds_variable(body, length, B) ? n : 1;

	memset(pair, 0, sizeof(pair));
	memset(bound, 0, sizeof(bound));
	for (int x = 0; x < n; x++)
		for (int y = 0; y < n; y++)
			for (int a = 0; a < as; a++)
				for (int b = 0; b < bs; b++)
					if (is_true(body, length, (int[]) {x, y, a, b}))
						pair[x][y] = bound[x][y][0][a] = bound[x][y][1][b] = true;
}

/* How many values a variable has where body and head hold */
static int
count_bindings(int head, int variable)
{
	bool		seen[MAX_NAMES] = {false};
	int			count = 0;

	for (int x = 0; x < entities.count; x++)
		for (int y = 0; y < entities.count; y++)
			for (int e = 0; e < entities.count && pair[x][y] && fact[head][x][y]; e++)
				if (variable == X ? e == x : variable == Y ? e == y : bound[x][y][variable - A][e])
					seen[e] = true;
	for (int e = 0; e < entities.count; e++)
		count += seen[e];
	return count;
}

static bool
has_bindings(int head, const Atom *body, int length)
{
	for (int i = 0; i < length; i++)
	{
		if (is_instantiated(&body[i]) &&
			count_bindings(head, body[i].term[0] < FIRST_ENTITY ? body[i].term[0] : body[i].term[1]) < 2)
			return false;
	}
	return true;
}

static void
print_rule(int head, const Atom *body, int length, int support, int size, int pca_size)
{
	printf("%s(X,Y) <= ", relations.name[head]);
	for (int i = 0; i < length; i++)
	{
		printf("%s%s(", i > 0 ? ", " : "", relations.name[body[i].relation]);
		for (int place = 0; place < 2; place++)
		{
			int			term = body[i].term[place];

			if (term < FIRST_ENTITY)
				printf("%c", "XYAB"[term]);
			else
				printf("\"%s\"", entities.name[term - FIRST_ENTITY]);
			printf(place == 0 ? "," : ")");
		}
	}
	printf("\t%d\t%d\t%d\n", support, size, pca_size);
}

static void
try_head(int head, const Atom *body, int length)
{
	int			n = entities.count;
	bool		subject[MAX_NAMES] = {false};
	bool		object[MAX_NAMES] = {false};
	int			subjects = 0;
	int			objects = 0;
	int			facts = 0;
	int			support = 0;
	int			size = 0;
	int			pca_size = 0;

	for (int x = 0; x < n; x++)
		for (int y = 0; y < n; y++)
			if (fact[head][x][y])
				facts++, subject[x] = object[y] = true;
	for (int e = 0; e < n; e++)
		subjects += subject[e], objects += object[e];
	for (int x = 0; x < n; x++)
		for (int y = 0; y < n; y++)
			if (pair[x][y])
			{
				size++;
				support += fact[head][x][y];
				pca_size += subjects >= objects ? subject[x] : object[y];
			}
	if (support >= min_support && (double) support / facts >= min_head_coverage &&
		has_bindings(head, body, length))
		print_rule(head, body, length, support, size, pca_size);
}

static void
try_body(const Atom *body, int length)
{
	if (!is_closed(body, length) || !is_first_name(body, length))
		return;
	evaluate(body, length);
	for (int head = 0; head < relations.count; head++)
	{
		if (is_rule(head, body, length))
			try_head(head, body, length);
	}
}

int
main(int argc, char **argv)
{
	int			most;

	if (argc != 5)
	{
		fprintf(stderr, "usage: definition ATOMS CONSTANTS MIN_HEAD_COVERAGE MIN_SUPPORT < triples.tsv\n");
		return 2;
	}
	most = atoi(argv[1]) - 1;
	min_head_coverage = atof(argv[3]);
	min_support = atoi(argv[4]);
	read_triples();
	make_atoms(atoi(argv[2]) != 0);
	for (int i = 0; i < atom_count; i++)
	{
		try_body((Atom[]) {atoms[i]}, 1);
		for (int j = i + 1; j < atom_count && most > 1; j++)
		{
			try_body((Atom[]) {atoms[i], atoms[j]}, 2);
			for (int k = j + 1; k < atom_count && most > 2; k++)
				try_body((Atom[]) {atoms[i], atoms[j], atoms[k]}, 3);
		}
	}
	return 0;
}
