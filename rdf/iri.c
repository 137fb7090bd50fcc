/*
 * iri.c
 *		IRIs relative to a base: RFC 3986, section 5.2.
 *
 * An IRI that has a scheme stays as it is written: Turtle (6.3) and TriG apply the algorithm to relative ones, and
 * nothing is normalized.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "parser.h"

/* A part of an IRI; from is NULL where the IRI has no such part. */
typedef struct Part
{
	const char *from;
	int			length;
} Part;

typedef struct Parts
{
	Part		scheme;
	Part		authority;
	Part		path;
	Part		query;
	Part		fragment;
} Parts;

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The length of the scheme, 0 if there is none. */
static size_t
scheme_length(const char *iri)
{
	size_t		length = 0;

	if (!is_letter(*iri))
		return 0;
	while (is_letter(iri[length]) || (iri[length] >= '0' && iri[length] <= '9') ||
		   (iri[length] != '\0' && strchr("+-.", iri[length]) != NULL))
		length++;
	return iri[length] == ':' ? length : 0;
}

bool
rdf_has_scheme(const char *iri)
{
	return scheme_length(iri) > 0;
}

/* The part up to one of the characters, which is left to be read. */
static Part
part_until(const char **iri, const char *characters)
{
	Part		part = {*iri, (int) strcspn(*iri, characters)};

	*iri += part.length;
	return part;
}

/* As the regular expression of appendix B divides it. */
static Parts
divide(const char *iri)
{
	Parts		parts = {.path = {iri, 0}};
	size_t		scheme = scheme_length(iri);

	if (scheme > 0)
	{
		parts.scheme = (Part) {iri, (int) scheme};
		iri += scheme + 1;
	}
	if (strncmp(iri, "//", 2) == 0)
	{
		iri += 2;
		parts.authority = part_until(&iri, "/?#");
	}
	parts.path = part_until(&iri, "?#");
	if (*iri == '?')
	{
		iri++;
		parts.query = part_until(&iri, "#");
	}
	if (*iri == '#')
		parts.fragment = (Part) {iri + 1, (int) strlen(iri + 1)};
	return parts;
}

/* Takes the last segment and the slash before it off what was appended since bottom. */
static void
take_segment_off(StringInfo whole, int bottom)
{
	while (whole->len > bottom && whole->data[--whole->len] != '/')
		;
	whole->data[whole->len] = '\0';
}

/* Section 5.2.4, whose steps A to E these are. */
static void
append_without_dots(StringInfo whole, const char *path)
{
	int			bottom = whole->len;

	while (*path != '\0')
	{
		CHECK_FOR_INTERRUPTS();
		if (strncmp(path, "../", 3) == 0)
			path += 3;
		else if (strncmp(path, "./", 2) == 0 || strncmp(path, "/./", 3) == 0)
			path += 2;
		else if (strncmp(path, "/../", 4) == 0)
		{
			path += 3;
			take_segment_off(whole, bottom);
		}
		else if (strcmp(path, "/.") == 0)
		{
			path += 2;
			appendStringInfoChar(whole, '/');
		}
		else if (strcmp(path, "/..") == 0)
		{
			path += 3;
			take_segment_off(whole, bottom);
			appendStringInfoChar(whole, '/');
		}
		else if (strcmp(path, ".") == 0 || strcmp(path, "..") == 0)
			path += strlen(path);
		else
		{
			size_t		length = 1 + strcspn(path + 1, "/");

			appendBinaryStringInfo(whole, path, (int) length);
			path += length;
		}
	}
}

/* Section 5.2.3: the reference's path in the place of what follows the last slash of the base's. */
static char *
merged_path(const Parts *base, const Parts *reference)
{
	int			kept = base->path.length;

	if (base->authority.from != NULL && base->path.length == 0)
		return psprintf("/%.*s", reference->path.length, reference->path.from);
	while (kept > 0 && base->path.from[kept - 1] != '/')
		kept--;
	return psprintf("%.*s%.*s", kept, base->path.from, reference->path.length, reference->path.from);
}

static void
append_part(StringInfo whole, const char *mark, const Part *part)
{
	if (part->from != NULL)
	{
		appendStringInfoString(whole, mark);
		appendBinaryStringInfo(whole, part->from, part->length);
	}
}

static void
append_path(StringInfo whole, const Parts *base, const Parts *reference)
{
	char	   *path;

	if (reference->path.length == 0 && reference->authority.from == NULL)
	{
		append_part(whole, "", &base->path);
		return;
	}
	path = reference->authority.from != NULL || reference->path.from[0] == '/' ?
		pnstrdup(reference->path.from, reference->path.length) : merged_path(base, reference);
	append_without_dots(whole, path);
	pfree(path);
}

/* Sections 5.2.2 and 5.3: appends the IRI that a relative reference stands for.  The base's fragment is none of it. */
void
rdf_resolve_iri(StringInfo whole, const char *base, const char *reference)
{
	Parts		b = divide(base);
	Parts		r = divide(reference);
	bool		same_document = r.authority.from == NULL && r.path.length == 0;

	append_part(whole, "", &b.scheme);
	appendStringInfoChar(whole, ':');
	append_part(whole, "//", r.authority.from != NULL ? &r.authority : &b.authority);
	append_path(whole, &b, &r);
	append_part(whole, "?", same_document && r.query.from == NULL ? &b.query : &r.query);
	append_part(whole, "#", &r.fragment);
}
