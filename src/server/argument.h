/*
 * argument.h
 *		What a SQL function was called with, checked.
 *
 * Our functions are not STRICT: a NULL where none can be is an error that says
 * so, never a silent NULL.
 */
#ifndef HKG_SERVER_ARGUMENT_H
#define HKG_SERVER_ARGUMENT_H

#include "compat.h"

/* ERROR 22004 "NAME must not be null" when argument i is NULL; else its value. */
extern Datum argument(FunctionCallInfo fcinfo, int i, const char *name);

extern int	argument_int(FunctionCallInfo fcinfo, int i, const char *name, int low, int high);
extern double argument_float(FunctionCallInfo fcinfo, int i, const char *name,
							 double low, double high);	/* NaN is out of any range */
extern char *argument_text(FunctionCallInfo fcinfo, int i, const char *name);
extern char *argument_name(FunctionCallInfo fcinfo, int i, const char *name);

/*
 * ERROR 22023 unless value is one of the NULL-terminated `known`; the HINT lists them.
 * Returns its position.
 */
extern int	argument_choice(const char *value, const char *name, const char *const *known);

/* ERROR 22023 unless a model can have that name. */
extern void argument_check_model(const char *name);

/* Whether argument i is what the function's declaration has as its default. */
extern bool argument_is_default(FunctionCallInfo fcinfo, int i);

#endif							/* HKG_SERVER_ARGUMENT_H */
