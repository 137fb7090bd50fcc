/*
 * argument.h
 *		The arguments of a SQL function, checked.
 *
 * Our functions are not STRICT: a NULL that makes no sense is an error, not a NULL result.
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

/* The argument sample: 2 or more; 0 stands for all, where it is null or the declaration has none (hkg_ranks, or of 0.1.0). */
extern int	argument_sample(FunctionCallInfo fcinfo, int i);

/*
 * The position of `value` in the NULL-terminated list `known`; ERROR 22023, with the list as HINT, if it is not there.
 */
extern int	argument_choice(const char *value, const char *name, const char *const *known);

/* A text as a message shows it: its beginning, where it is long. */
extern const char *argument_shown(const char *text);

/* ERROR 22023 unless a model can have this name. */
extern void argument_check_model(const char *name);

/* Whether argument i is neither null nor the default that the function's declaration, perhaps an older one, gives it. */
extern bool argument_is_given(FunctionCallInfo fcinfo, int i);

#endif							/* HKG_SERVER_ARGUMENT_H */
