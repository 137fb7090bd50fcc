/*
 * formats.h
 *		Lines of rules as other programs print them, turned into our own text form.
 */
#ifndef HKG_RULES_FORMATS_H
#define HKG_RULES_FORMATS_H

#include "server/compat.h"

/* The content of a line */
typedef struct FormatRule
{
	char	   *text;			/* the rule as rule_read takes it; NULL when there is none */
	const char *fault;			/* why our language cannot express it; then there is no text */
} FormatRule;

/*
 * AMIE 3's tables: `?a  r  ?b  ?b  s  ?c   => ?a  h  ?c`, a TAB, and measures; lines without an arrow have no rule.
 * AnyBURL's: `predicted correct confidence rule` with TABs between, the rule as `h(X,Y) <= r(X,A), s(A,Y)`; blank
 * lines have no rule.  ERROR 42601, with the position, for any other line.
 */
extern FormatRule format_amie(const char *line);
extern FormatRule format_anyburl(const char *line);

#endif							/* HKG_RULES_FORMATS_H */
