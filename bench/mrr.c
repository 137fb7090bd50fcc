/*
 * mrr.c
 *		Filtered MRR from exported embeddings, written apart from the extension and
 *		in double precision throughout: what hkg_evaluate must agree with.
 *
 *	mrr FUNCTION NORM DIR
 *
 * DIR holds, tab-separated, entity.tsv and relation.tsv (id, then the numbers of
 * the embedding), known.tsv (head, relation, tail of every split) and
 * test.tsv (the triples to rank).  Of a model with reciprocal relations inverse.tsv holds
 * those of the inverses: (?, r, t) is then ranked as (t, inverse of r, ?).  Ids are 0, 1, 2, ...
 * in the order of the files.  Equal scores count half, which is what a random place comes to
 * on average.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
	int			h,
				r,
				t;
} Triple;

static double *entity,
		   *relation,
		   *inverse;			/* NULL: relations have none */
static int	entities,
			entity_width,
			relations,
			relation_width;
static int	d,
			norm;
static const char *function;

static FILE *
open_file(const char *dir, const char *name)
{
	char		path[4096];
	FILE	   *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((file = fopen(path, "r")) == NULL && strcmp(name, "inverse.tsv") != 0)
	{
		perror(path);
		exit(1);
	}
	return file;
}

static double *
read_numbers(const char *dir, const char *name, int *rows, int *width)
{
	FILE	   *file = open_file(dir, name);
	char	   *line = NULL;
	size_t		room = 0;
	size_t		count = 0,
				space = 1024;
	double	   *number = malloc(space * sizeof(double));

	if (file == NULL)
		return NULL;
	for (*rows = 0; getline(&line, &room, file) > 0; ++*rows)
	{
		strtok(line, "\t\n");
		for (char *word; (word = strtok(NULL, "\t\n")) != NULL;)
		{
			if (count == space)
				number = realloc(number, (space *= 2) * sizeof(double));
			number[count++] = strtod(word, NULL);
		}
	}
	*width = (int) (count / *rows);
	return number;
}

static Triple *
read_triples(const char *dir, const char *name, long *count)
{
	FILE	   *file = open_file(dir, name);
	long		space = 1024;
	Triple	   *triple = malloc(space * sizeof(Triple));
	Triple		one;

	for (*count = 0; fscanf(file, "%d %d %d", &one.h, &one.r, &one.t) == 3; triple[(*count)++] = one)
		if (*count == space)
			triple = realloc(triple, (space *= 2) * sizeof(Triple));
	return triple;
}

/* phi but for gamma, which is the same for all */
static double
score(const double *h, const double *r, const double *t)
{
	double		sum = 0;

	for (int i = 0; i < d; i++)
	{
		if (strcmp(function, "rescal") == 0)
			for (int j = 0; j < d; j++)
				sum += h[i] * r[i * d + j] * t[j];
		else if (strcmp(function, "distmult") == 0)
			sum += h[i] * r[i] * t[i];
		else if (strcmp(function, "complex") == 0)
			sum += (h[i] * r[i] - h[d + i] * r[d + i]) * t[i] + (h[i] * r[d + i] + h[d + i] * r[i]) * t[d + i];
		else if (strcmp(function, "transe") == 0)
			sum += norm == 1 ? fabs(h[i] + r[i] - t[i]) : pow(h[i] + r[i] - t[i], 2);
		else if (strcmp(function, "rotate") == 0)
		{
			double		re = h[i] * r[i] - h[d + i] * r[d + i] - t[i];
			double		im = h[i] * r[d + i] + h[d + i] * r[i] - t[d + i];

			sum += norm == 1 ? sqrt(re * re + im * im) : re * re + im * im;
		}
	}
	if (strcmp(function, "transe") == 0 || strcmp(function, "rotate") == 0)
		return norm == 1 ? -sum : -sqrt(sum);
	return sum;
}

/* Phases become cosines, then sines. */
static double *
rotations(const double *phase)
{
	double	   *rotation = malloc((size_t) relations * 2 * d * sizeof(double));

	for (int r = 0; r < relations; r++)
		for (int i = 0; i < d; i++)
		{
			rotation[(size_t) r * 2 * d + i] = cos(phase[(size_t) r * d + i]);
			rotation[(size_t) r * 2 * d + d + i] = sin(phase[(size_t) r * d + i]);
		}
	return rotation;
}

/* phi of a triple when its head, or its tail, is asked for */
static double
asked(Triple triple, int head_side)
{
	const double *h = entity + (size_t) triple.h * entity_width;
	const double *t = entity + (size_t) triple.t * entity_width;

	if (head_side && inverse != NULL)
		return score(t, inverse + (size_t) triple.r * relation_width, h);
	return score(h, relation + (size_t) triple.r * relation_width, t);
}

static int
compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(Triple));
}

static double
reciprocal_rank(Triple test, int head_side, const Triple *known, long known_count)
{
	double		truth = asked(test, head_side);
	long		above = 0,
				equal = 0;
	double		mean = 0;

	for (int e = 0; e < entities; e++)
	{
		Triple		other = test;
		double		phi;

		*(head_side ? &other.h : &other.t) = e;
		if (compare(&other, &test) == 0)
			continue;
		phi = asked(other, head_side);
		if (phi < truth || bsearch(&other, known, known_count, sizeof(Triple), compare) != NULL)
			continue;
		if (phi > truth)
			above++;
		else
			equal++;
	}
	for (long i = 0; i <= equal; i++)
		mean += 1.0 / (above + 1 + i) / (equal + 1);
	return mean;
}

int
main(int argc, char **argv)
{
	long		tests,
				known_count;
	Triple	   *test,
			   *known;
	double		sum = 0;

	if (argc != 4)
		return 2;
	function = argv[1];
	norm = atoi(argv[2]);
	entity = read_numbers(argv[3], "entity.tsv", &entities, &entity_width);
	inverse = read_numbers(argv[3], "inverse.tsv", &relations, &relation_width);
	relation = read_numbers(argv[3], "relation.tsv", &relations, &relation_width);
	known = read_triples(argv[3], "known.tsv", &known_count);
	test = read_triples(argv[3], "test.tsv", &tests);
	d = strcmp(function, "complex") == 0 || strcmp(function, "rotate") == 0 ? entity_width / 2 : entity_width;
	if (strcmp(function, "rotate") == 0)
	{
		inverse = inverse == NULL ? NULL : rotations(inverse);
		relation = rotations(relation);
		relation_width = 2 * d;
	}
	qsort(known, known_count, sizeof(Triple), compare);
	for (long i = 0; i < tests; i++)
		sum += reciprocal_rank(test[i], 1, known, known_count) + reciprocal_rank(test[i], 0, known, known_count);
	printf("%.9f\n", sum / (2 * tests));
	return 0;
}
