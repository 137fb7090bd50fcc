/*
 * session_settings.h
 *		The settings that a session has made, taken along to another process.
 */
#ifndef HKG_SERVER_SESSION_SETTINGS_H
#define HKG_SERVER_SESSION_SETTINGS_H

#include "compat.h"

/* As text that holds zero bytes, in the current context; its size in bytes. */
extern char *session_settings(Size *bytes);

/* Makes them those of this process, which is in no transaction, as that role.  ERROR where one is refused here. */
extern void session_settings_take(const char *packed, Oid role);

#endif							/* HKG_SERVER_SESSION_SETTINGS_H */
