/*
 * answer_types.h
 *		Which entities may answer questions, by types.
 *
 * A side of a relation may have types: the tails of delivers are parts.  Then its questions are answered by entities that
 * stand, among the facts, on that side, or on one whose types are all among this side's.  So types need no list of
 * entities.  A side with an empty list of types has those alone that stand on it; one without types has all.
 */
#ifndef HKG_FACTS_ANSWER_TYPES_H
#define HKG_FACTS_ANSWER_TYPES_H

#include "fact_index.h"

/* A side of a relation as a part of a set, or as one whose questions the set answers */
typedef struct TypedSide
{
	int32_t		set;			/* 0 .. sets - 1; sides with the same types share one */
	int32_t		relation;
	Side		side;
	bool		is_part;
} TypedSide;

extern size_t fact_answer_sets_bytes(const FactIndex *facts, int32_t sets);

/* The sets, by 2 * relation + side; NULL when the arena is empty. */
extern const AnswerSet *fact_answer_sets(Arena *arena, Pool *pool, const FactIndex *facts, const TypedSide *sides,
										 int64_t count, int32_t sets);

#endif							/* HKG_FACTS_ANSWER_TYPES_H */
