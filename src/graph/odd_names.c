/*
 * odd_names.c
 *		New names that do not look as they are (see odd_names.h).
 *
 * Of names that differ by their normal form, those are found that are in the forms C and D, which is what systems write.
 * Only names with letters outside of ASCII are looked at; their other form is looked up among the names of the load, then
 * in the table.
 */
#include "odd_names.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/array.h"
#include "server/sql.h"

/* a longer name is shown without its middle; bytes of each half */
#define SHOWN 60

/* ---- blanks ---------------------------------------------------------------------- */

/* What a file of UTF-8 may begin with: no letter, and invisible */
static bool
has_byte_order_mark(const char *name)
{
	return GetDatabaseEncoding() == PG_UTF8 && strncmp(name, "\xef\xbb\xbf", 3) == 0;
}

static bool
has_blank(const char *name)
{
	static const char blanks[] = " \t\r\n\v\f";

	return strchr(blanks, name[0]) != NULL || strchr(blanks, name[strlen(name) - 1]) != NULL || has_byte_order_mark(name);
}

/* ---- normal forms ------------------------------------------------------------------ */

/* Forms that the query's names have not, to be looked up in the table */
typedef struct OtherForms
{
	OddNames   *odd;
	const NameList *list;
	MemoryContext context;		/* of names that are shown */
	MemoryContext texts;		/* of one name */
	char	  **form;
	int32	   *position;		/* of the name */
	int			count;
} OtherForms;

static bool
is_ascii(const char *name)
{
	for (; *name != '\0'; name++)
		if (IS_HIGHBIT_SET(*name))
			return false;
	return true;
}

static void
found_alike(OddNames *odd, const char *name, const char *other)
{
	if (odd->alike++ == 0)
	{
		odd->alike_name = name;
		odd->alike_other = other;
	}
}

/* Whether the query has that form of its name.  Of two new names, the later one counts. */
static bool
find_in_query(OtherForms *forms, int32 position, const char *form)
{
	const NameList *list = forms->list;
	NamedNumber *other = named_numbers_find(list->position, form);

	if (other == NULL)
		return false;
	if (other->number < position || list->id[other->number] != NO_ID)
		found_alike(forms->odd, list->name[position], other->name);
	return true;
}

static void
look_at_forms(OtherForms *forms, int32 position)
{
	static const char *const normal_forms[] = {"NFC", "NFD"};
	const char *name = forms->list->name[position];
	MemoryContext caller = MemoryContextSwitchTo(forms->texts);
	Datum		value = CStringGetTextDatum(name);
	int			count = forms->count;

	for (int i = 0; i < (int) lengthof(normal_forms); i++)
	{
		Datum		normal = DirectFunctionCall2(unicode_normalize_func, value, CStringGetTextDatum(normal_forms[i]));
		char	   *form = TextDatumGetCString(normal);

		if (strcmp(form, name) == 0)
			continue;
		if (find_in_query(forms, position, form))
		{
			count = forms->count;
			break;
		}
		forms->position[count] = position;
		forms->form[count++] = MemoryContextStrdup(caller, form);
	}
	forms->count = count;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(forms->texts);
}

static void
take_alike(void *argument, const Datum *values, const bool *nulls)
{
	OtherForms *forms = argument;
	MemoryContext caller = MemoryContextSwitchTo(forms->context);

	found_alike(forms->odd, forms->list->name[DatumGetInt32(values[0])], TextDatumGetCString(sql_present(values, nulls, 1)));
	MemoryContextSwitchTo(caller);
}

static void
look_up_forms(OtherForms *forms, const Graph *graph)
{
	SqlArgs		args = {0};

	if (forms->count == 0 || forms->list->first)
		return;
	sql_arg(&args, TEXTARRAYOID, array_of_text(forms->form, forms->count));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(forms->position, forms->count));
	/* as the names were, not on the caller's snapshot */
	sql_run_returning(psprintf("select distinct on (n.place) n.place, t.name::text from %s%s t "
							   "join unnest($1, $2) n(name, place) on t.name = n.name order by n.place",
							   graph->prefix, forms->list->table),
					  &args, take_alike, forms);
}

static void
look_for_forms(OtherForms *forms, const Graph *graph, const int32 *position, int count)
{
	forms->texts = AllocSetContextCreate(CurrentMemoryContext, "hybridkg normal forms", ALLOCSET_SMALL_SIZES);
	forms->form = palloc(2 * count * sizeof(char *));
	forms->position = palloc(2 * count * sizeof(int32));
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_ascii(forms->list->name[position[i]]))
			look_at_forms(forms, position[i]);
	}
	look_up_forms(forms, graph);
}

void
odd_names_look(OddNames *odd, const Graph *graph, const NameList *list, const int32 *position, int count,
			   MemoryContext context)
{
	OtherForms	forms = {.odd = odd,.list = list,.context = context};

	for (int i = 0; i < count; i++)
	{
		const char *name = list->name[position[i]];

		if (has_blank(name) && odd->blank++ == 0)
			odd->blank_name = name;
	}
	if (GetDatabaseEncoding() == PG_UTF8)
		look_for_forms(&forms, graph, position, count);
}

/* ---- what is shown ------------------------------------------------------------------- */

/* As a literal of SQL has it; escaped: letters outside of ASCII, too. */
static void
append_letter(StringInfo literal, const char *letter, int length, bool escaped)
{
	static const char named[] = "\t\r\n\v\f'\\";
	static const char *const written[] = {"\\t", "\\r", "\\n", "\\x0b", "\\f", "''", "\\\\"};
	const char *at = length == 1 ? strchr(named, letter[0]) : NULL;

	if (at != NULL)
		appendStringInfoString(literal, written[at - named]);
	else if (length > 1 && escaped)
		appendStringInfo(literal, length == 4 ? "\\U%08x" : "\\u%04x", utf8_to_unicode((const unsigned char *) letter));
	else
		appendBinaryStringInfo(literal, letter, length);
}

/* A long name without its middle */
static char *
shown(const char *name, bool escaped)
{
	StringInfoData literal;
	int			length = (int) strlen(name);
	bool		left_out = false;

	initStringInfo(&literal);
	appendStringInfoString(&literal, "E'");
	for (int i = 0, bytes; i < length; i += bytes)
	{
		bytes = pg_mblen(name + i);
		if (i < SHOWN || i >= length - SHOWN)
			append_letter(&literal, name + i, bytes, escaped);
		else if (!left_out)
			appendStringInfoString(&literal, "...");
		left_out = i >= SHOWN;
	}
	appendStringInfoChar(&literal, '\'');
	return literal.data;
}

void
odd_names_raise(const OddNames *odd)
{
	if (odd->blank > 0)
		ereport(NOTICE,
				(errmsg_plural("%lld new name begins or ends with white space: %s",
							   "%lld new names begin or end with white space, such as %s",
							   (unsigned long) odd->blank, (long long) odd->blank,
							   shown(odd->blank_name, has_byte_order_mark(odd->blank_name))),
				 errhint("A name is kept as it is. If that is not meant, trim it in the query: btrim(name, %s).",
						 has_byte_order_mark(odd->blank_name) ? "e' \\t\\r\\n\\ufeff'" : "e' \\t\\r\\n'")));
	if (odd->alike > 0)
		ereport(NOTICE,
				(errmsg_plural("%lld new name differs from another one by Unicode's normal form alone: %s from %s",
							   "%lld new names differ from others by Unicode's normal form alone, such as %s from %s",
							   (unsigned long) odd->alike, (long long) odd->alike,
							   shown(odd->alike_name, true), shown(odd->alike_other, true)),
				 errhint("They look alike, and are different names. If that is not meant, give them one form in the query: "
						 "normalize(name, nfc).")));
}
