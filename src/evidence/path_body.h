/*
 * path_body.h
 *		The body of a path rule as a number.
 *
 * Its directed atoms, 1 added to each, are the digits to the base 2 * relations + 1.  So longer bodies
 * have greater numbers, and the length is bounded by what 64 bits hold.
 */
#ifndef HKG_EVIDENCE_PATH_BODY_H
#define HKG_EVIDENCE_PATH_BODY_H

#include "rule_index.h"

typedef struct PathBody
{
	int			length;
	int32_t		atom[EV_MAX_BODY];
} PathBody;

static inline uint64_t
path_body_base(const EvFacts *facts)
{
	return 2 * (uint64_t) facts->relations + 1;
}

static inline PathBody
path_body(const EvFacts *facts, uint64_t number)
{
	uint64_t	base = path_body_base(facts);
	PathBody	body = {0};
	PathBody	reversed = {0};

	for (; number > 0; number /= base)
		reversed.atom[reversed.length++] = (int32_t) (number % base) - 1;
	while (body.length < reversed.length)
	{
		body.atom[body.length] = reversed.atom[reversed.length - 1 - body.length];
		body.length++;
	}
	return body;
}

static inline uint64_t
path_body_number(const EvFacts *facts, const PathBody *body)
{
	uint64_t	number = 0;

	for (int i = 0; i < body->length; i++)
		number = number * path_body_base(facts) + (uint64_t) body->atom[i] + 1;
	return number;
}

/* The same path, read from its other end. */
static inline PathBody
path_body_mirrored(const PathBody *body)
{
	PathBody	mirrored = {.length = body->length};

	for (int i = 0; i < body->length; i++)
		mirrored.atom[i] = MIRRORED(body->atom[body->length - 1 - i]);
	return mirrored;
}

#endif							/* HKG_EVIDENCE_PATH_BODY_H */
