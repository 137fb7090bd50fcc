/*
 * value_text.h
 *		A name is the text that a cast of its value gives, value::text: what users join a column by.
 *
 *		int			nest_level = value_text_settings();
 *		ValueText	cast = value_text(type);
 *		value_text_of(&cast, value), as often as there are values
 *		sql_unpin(nest_level);
 *
 * This is not what the type's output function writes: a cast of char(n) removes the blanks at the end, that of bool
 * writes true and not t, and a type's owner may have made a cast of their own.
 */
#ifndef HKG_SERVER_VALUE_TEXT_H
#define HKG_SERVER_VALUE_TEXT_H

#include "compat.h"

typedef struct ValueText
{
	FmgrInfo	output;			/* where the cast writes what an output function does, as most do */
	ExprState  *expression;		/* otherwise; NULL if that is so */
	ExprContext *context;
} ValueText;

/* Until sql_unpin: a value has one text, however the session shows such values. */
extern int	value_text_settings(void);

/* For values of that type; in the current memory context. */
extern ValueText value_text(Oid type);

/* Of a value that is not null, in the current memory context; NULL where the cast is a function that gives null. */
extern char *value_text_of(ValueText *cast, Datum value);

#endif							/* HKG_SERVER_VALUE_TEXT_H */
