/*
 * mining.h
 *		What the parts of the search for rules share: mine.c (the whole, the result),
 *		supports.c, constants.c and levels.c (supports, shape by shape), body_counts.c (bodies).
 */
#ifndef HKG_RULES_MINING_H
#define HKG_RULES_MINING_H

#include "server/compat.h"

#include "mine.h"
#include "server/growing_array.h"
#include "shape.h"

/* A closed rule over the bounds */
typedef struct Candidate
{
	Rule		rule;			/* canonical */
	Rule		body;			/* what is evaluated: its body, or that read from Y to X */
	bool		mirrored;		/* the latter */
	int32		head;			/* row of the relation; -1 when it has no facts */
	int32		support;
	int64		body_size;
	int64		pca_body_size;
} Candidate;

/* How often each entity stands on the left of a directed atom */
typedef struct Profile
{
	int32		count;
	int64		start;			/* in Mining.profile_entity */
	int64		facts;
} Profile;

/* The bodies of one shape that are over the bounds, as columns: head, atom, constant, ... */
typedef struct Frequent
{
	const char *shape;
	int			columns;
	Numbers		column[1 + 2 * RULE_MAX_BODY];
} Frequent;

#define MAX_FREQUENT 32

typedef struct Mining
{
	Graph	   *graph;
	const MineOptions *options;

	int32		entities;
	int32	   *entity_id;
	int32		relations;		/* those with facts */
	int32	   *relation_id;
	int32	   *threshold;		/* of support, by row of the head relation */

	int64		edges;			/* twice the facts */
	Profile    *profile;		/* by 2 * row of the relation, and 1 more backwards */
	Numbers		profile_entity; /* rows */

	int64		count;
	int64		room;
	Candidate  *candidate;

	bool		given;			/* rules were given, their supports are to be counted */

	/* the facts in rows, by relation, head, tail; read when they are asked for */
	Triple  *fact;
	int64		facts;
	int64		fact_room;

	int			frequents;
	Frequent	frequent[MAX_FREQUENT];
} Mining;

/* ---- mine.c ------------------------------------------------------------------- */

extern int32 mining_relation_row(const Mining *mining, int32 id);

/* Whether a head's functional side is its object. */
extern bool mining_functional_backwards(const Mining *mining, int32 head);

/* Reads the facts into memory, if they are not there yet. */
extern void mining_read_facts(Mining *mining);

/* Takes a rule whose support is at least its head's threshold; drops others. */
extern void mining_add(Mining *mining, int32 head_id, const Shape *shape, const ShapeLabels *labels, int64 support);

/* ---- supports.c: rules of two and three atoms without constants ------------------- */

extern void mine_supports(Mining *mining);

/* ---- constants.c: rules of three atoms with constants ---------------------------------- */

extern void mine_constants(Mining *mining);

/* ---- levels.c: all others ----------------------------------------------------------- */

/* The bodies of a shape that are over the bounds. */
extern Frequent *mining_frequent(Mining *mining, const char *shape);


extern void mine_levels(Mining *mining);

/* ---- body_counts.c: sizes of bodies of all candidates, and supports of given rules ---- */

extern void mine_bodies(Mining *mining);

#endif							/* HKG_RULES_MINING_H */
