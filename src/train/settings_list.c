/*
 * settings_list.c
 *		hkg_settings: the settings of a training, or of a preset, as rows.
 */
#include "settings_table.h"

#include "utils/builtins.h"

#include "server/argument.h"
#include "server/sql.h"

static const char *const type_names[] = {
	[SETTING_INT] = "int",[SETTING_BIGINT] = "bigint",[SETTING_FLOAT] = "float8",[SETTING_BOOL] = "bool",
	[SETTING_DECISION] = "bool",[SETTING_NAME] = "text",[SETTING_ENUM] = "text",[SETTING_THING] = "text"
};

HKG_FUNCTION(hkg_settings);
Datum
hkg_settings(PG_FUNCTION_ARGS)
{
	Jsonb	   *preset = NULL;
	SqlResult  *result = sql_result(fcinfo);

	sql_begin();
	if (!PG_ARGISNULL(0))
		preset = preset_settings(argument_text(fcinfo, 0, "preset"));
	for (const Setting *setting = settings_table; setting < settings_table + settings_count; setting++)
	{
		const char *usual = setting->usual != NULL ? setting->usual : setting->in_words;
		const char *value = preset == NULL ? NULL : preset_value(preset, setting->name);
		Datum		values[] = {
			CStringGetTextDatum(setting->name), CStringGetTextDatum(type_names[setting->type]),
			CStringGetTextDatum(setting_range(setting, "to")), CStringGetTextDatum(value != NULL ? value : usual),
			BoolGetDatum(!setting->not_tuned), CStringGetTextDatum(setting->meaning)
		};
		bool		nulls[lengthof(values)] = {false};

		sql_result_row(result, values, nulls);
	}
	sql_end();
	return (Datum) 0;
}
