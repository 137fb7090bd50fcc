/*
 * settings_table.h
 *		The table of settings: whatever reads, checks, lists or writes them goes through it.
 */
#ifndef HKG_TRAIN_SETTINGS_TABLE_H
#define HKG_TRAIN_SETTINGS_TABLE_H

#include "server/compat.h"

#include "utils/jsonb.h"

#include "settings.h"

typedef enum SettingType
{
	SETTING_INT,
	SETTING_BIGINT,
	SETTING_FLOAT,
	SETTING_BOOL,
	SETTING_DECISION,
	SETTING_NAME,				/* char *: any name */
	SETTING_ENUM,				/* an enumeration whose values have the names of `choice` */
	SETTING_THING				/* a pointer to one of the things of `choice`, found by `find` (core/names.h) */
} SettingType;

typedef struct Setting
{
	const char *name;
	SettingType type;
	size_t		offset;			/* in TrainSettings */
	double		low;			/* of numbers */
	double		high;
	const char *(*choice) (int i);	/* the i-th name, or NULL past the last */
	const void *(*find) (const char *name);
	bool		optional;		/* may have no value: 0, NULL or BY_GRAPH */
	bool		not_tuned;		/* hkg_tune cannot compare trials by it */
	const char *usual;			/* the default; NULL: none, or one that depends on others */
	const char *in_words;		/* the latter, in two words or more: one word reads as a value that can be given */
	const char *meaning;
} Setting;

extern const Setting settings_table[];
extern const int settings_count;

#define SETTING_OF(settings, setting, type) \
	(*(type *) ((char *) (settings) + (setting)->offset))

/* The place of the setting of that name, or -1. */
extern int	setting_find(const char *name);

/* What a preset sets; within sql_begin and sql_end.  ERROR 22023 for one that is not known. */
extern Jsonb *preset_settings(const char *preset);

/* The value of a setting among these; NULL: none. */
extern const char *preset_value(Jsonb *settings, const char *name);

/* What it may be, such as "1 to 10000" with joint "to", or the names that it may have. */
extern char *setting_range(const Setting *setting, const char *joint);

#endif							/* HKG_TRAIN_SETTINGS_TABLE_H */
