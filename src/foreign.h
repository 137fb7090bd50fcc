/*
 * foreign.h
 *		Lines of rules as other programs print them, turned into our own text form.
 */
#ifndef HKG_FOREIGN_H
#define HKG_FOREIGN_H

#include "compat.h"

/* What a line holds */
typedef struct ForeignRule
{
	char	   *text;			/* the rule as rule_read takes it; NULL when there is none */
	const char *fault;			/* why it can't be said in our language; then there is no text */
} ForeignRule;

/*
 * AMIE 3's tables, `?a  r  ?b  ?b  s  ?c   => ?a  h  ?c`, a TAB, and measures: lines without
 * an arrow hold no rule.  AnyBURL's, `predicted correct confidence rule` with TABs
 * between, the rule as `h(X,Y) <= r(X,A), s(A,Y)`: blank lines hold no rule.
 * ERROR 42601, with the position, for any other line.
 */
extern ForeignRule foreign_amie(const char *line);
extern ForeignRule foreign_anyburl(const char *line);

#endif							/* HKG_FOREIGN_H */
