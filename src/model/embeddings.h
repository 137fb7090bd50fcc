/*
 * embeddings.h
 *		The tables entity_embedding and relation_embedding of a graph, read and written.
 */
#ifndef HKG_MODEL_EMBEDDINGS_H
#define HKG_MODEL_EMBEDDINGS_H

#include "server/compat.h"

#include "utils/array.h"

#include "graph/graph.h"

/* The rows of a model in one of the two tables */
typedef struct EmbeddingRows
{
	Graph	   *graph;
	const char *model;
	const char *kind;			/* "entity" or "relation": the table is KIND_embedding, its key column KIND */
	int32	   *id;				/* ascending */
	int64		count;
	int64		room;
	const char *hint;			/* where one is no embedding; NULL: to train the model again */
} EmbeddingRows;

/* Why an array is no embedding of that many numbers, as the end of a sentence; NULL when it is one. */
extern char *embedding_fault(ArrayType *array, int width);

/* Fills in the ids, in that context.  ERROR 22000 where one is there twice. */
extern void embeddings_read_ids(EmbeddingRows *rows, MemoryContext context);

/*
 * Fills in the numbers of a column, `width` for each id.  ERROR 22000 where an embedding is NULL, of another length,
 * or holds what is no finite number.
 */
extern void embeddings_read(const EmbeddingRows *rows, const char *column, int width, float *embedding);

/*
 * Writes embeddings of `width` numbers; reciprocal: those of the inverse relations, or NULL.  Rows of what was deleted
 * from the graph in the meantime are left out.
 */
extern void embeddings_write(const EmbeddingRows *rows, const float *embedding, const float *reciprocal, int width);

#endif							/* HKG_MODEL_EMBEDDINGS_H */
