/*
 * formats.h
 *		Lines of rules as other programs print them, turned into our own text form.
 */
#ifndef HKG_RULES_FORMATS_H
#define HKG_RULES_FORMATS_H

#include "server/compat.h"

#include "graph/graph.h"

#define FORMAT_MOST_READINGS 8

/* What single capital letters are: names of entities, or not; all 0 at first */
typedef struct FormatNames
{
	Graph	   *graph;
	char		letter[26];
} FormatNames;

/* The content of a line */
typedef struct FormatRule
{
	char	   *text[FORMAT_MOST_READINGS];	/* its readings, as rule_read takes them */
	int			readings;		/* none: there is no rule in the line */
	int			proper;			/* the first ones, by the format's own convention: others count where no proper one is a rule */
	double		predicted;		/* what the line says of its rule: pairs of its body, and facts among them; NaN: nothing */
	double		correct;
	const char *fault;			/* why our language cannot express it; then there is no reading */
	bool		heading;		/* the line begins a table of rules */
} FormatRule;

/*
 * AMIE 3's tables: `?a  r  ?b  ?b  s  ?c   => ?a  h  ?c`, a TAB, and measures; lines without an arrow have no rule.
 * AnyBURL's: `predicted correct confidence rule` with TABs between, or the rule alone, as `h(X,Y) <= r(X,A), s(A,Y)`;
 * blank lines have no rule.  ERROR 42601, with the position, for any other line.
 */
extern FormatRule format_amie(FormatNames *names, const char *line);
extern FormatRule format_anyburl(FormatNames *names, const char *line);

/* Which format the lines seem to have, for a message; NULL where it is none that is known. */
extern const char *format_guess(const char *lines);

#endif							/* HKG_RULES_FORMATS_H */
