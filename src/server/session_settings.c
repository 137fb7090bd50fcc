/*
 * session_settings.c
 *		The settings that a session has made, taken along to another process (see session_settings.h).
 *
 * A policy of row security may read any of them, most often one that the application named itself, such as app.tenant:
 * with the same role and other settings a process may see other rows.  What comes from configuration files, databases
 * and roles needs no care, since the other process reads it, too.
 */
#include "session_settings.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/guc_tables.h"

/* What the other process chooses for itself, beside all that concerns transactions */
static const char *const left_out[] = {
	"client_encoding", "hybridkg.progress", "lock_timeout", "role", "search_path", "seed", "session_authorization"
};

static bool
is_left_out(const char *name)
{
	for (int i = 0; i < (int) lengthof(left_out); i++)
		if (strcmp(name, left_out[i]) == 0)
			return true;
	return strstr(name, "transaction") != NULL && strchr(name, '.') == NULL;
}

/* A setting that the application named exists, even where its value is the default, the empty text. */
static bool
is_made_here(const struct config_generic *setting)
{
	return (setting->source >= PGC_S_CLIENT || (setting->flags & GUC_CUSTOM_PLACEHOLDER) != 0) &&
		(setting->context == PGC_USERSET || setting->context == PGC_SUSET) && !is_left_out(setting->name);
}

static void
append_with_zero(StringInfo packed, const char *text)
{
	appendBinaryStringInfo(packed, text, (int) strlen(text) + 1);
}

/*
 * Who made it, as SetConfigOption asks.  A setting of a library that is not loaded is anybody's to make; once loaded, the
 * library refuses it if its maker might not: so it must not become a superuser's on the way.
 */
static GucContext
made_by(const struct config_generic *setting)
{
	return setting->context == PGC_SUSET || setting->scontext == PGC_SUSET ? PGC_SUSET : PGC_USERSET;
}

/* Name, maker, value, name, maker, value, ..., and an empty name */
char *
session_settings(Size *bytes)
{
	StringInfoData packed;
	int			count;
	struct config_generic **settings = hkg_server_settings(&count);

	initStringInfo(&packed);
	for (int i = 0; i < count; i++)
	{
		const char *value;

		if (!is_made_here(settings[i]))
			continue;
		value = GetConfigOption(settings[i]->name, true, false);
		append_with_zero(&packed, settings[i]->name);
		appendStringInfoChar(&packed, (char) made_by(settings[i]));
		append_with_zero(&packed, value == NULL ? "" : value);
	}
	append_with_zero(&packed, "");
	*bytes = (Size) packed.len;
	return packed.data;
}

void
session_settings_take(const char *packed, Oid role)
{
	Oid			login;
	int			security;

	GetUserIdAndSecContext(&login, &security);
	SetUserIdAndSecContext(role, security);
	while (packed[0] != '\0')
	{
		const char *maker = packed + strlen(packed) + 1;
		const char *value = maker + 1;

		SetConfigOption(packed, value, (GucContext) *maker, PGC_S_SESSION);
		packed = value + strlen(value) + 1;
	}
	SetUserIdAndSecContext(login, security);
}
