/*
 * graph.h
 *		The graph of a program of this folder: triples as numbers, from a file.
 */
#ifndef HKG_BENCH_GRAPH_H
#define HKG_BENCH_GRAPH_H

#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"

typedef struct Graph
{
	Triple	   *triple;
	int64_t		count;			/* all of them, which are known */
	int64_t		train;			/* the first, which are learnt */
	int64_t		ranked;			/* others, which the caller finds among the rest */
	int64_t		queries;		/* distinct (head, relation) and (relation, tail) among the first; 0: not wanted */
	int32_t		entities;
	int32_t		relations;
} Graph;

static int32_t
at_least(int32_t count, int32_t number)
{
	return number < count ? count : number + 1;
}

/* A line of the file has three numbers: head, relation, tail. */
static Graph
read_graph(const char *path)
{
	FILE	   *file = fopen(path, "r");
	Graph		graph = {0};
	int64_t		room = 0;
	Triple		triple;

	if (file == NULL)
	{
		perror(path);
		exit(1);
	}
	while (fscanf(file, "%d %d %d", &triple.head, &triple.relation, &triple.tail) == 3)
	{
		if (graph.count == room)
			graph.triple = realloc(graph.triple, (size_t) (room = 2 * room + 1024) * sizeof(Triple));
		graph.triple[graph.count++] = triple;
		graph.entities = at_least(at_least(graph.entities, triple.head), triple.tail);
		graph.relations = at_least(graph.relations, triple.relation);
	}
	fclose(file);
	return graph;
}

#endif							/* HKG_BENCH_GRAPH_H */
