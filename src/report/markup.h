/*
 * markup.h
 *		Elements, attributes and text of a page, as markup that HTML and XML parsers both read.
 *
 * Nothing here takes ready-made markup: whatever is written as text or as a value is escaped, and tags and names of
 * attributes are literals of the caller.  So a page is safe and well-formed by construction, whatever names a graph has.
 * The result is ASCII: any other character is a numeric reference, so that the page does not depend on encodings.
 * Characters that XML does not have, such as control characters, are shown by their pictures.  Literals are ASCII as
 * well.
 */
#ifndef HKG_REPORT_MARKUP_H
#define HKG_REPORT_MARKUP_H

#include "server/compat.h"

#include "lib/stringinfo.h"

#define MARKUP_DEPTH 32

typedef struct Markup
{
	StringInfoData output;
	const char *open[MARKUP_DEPTH];	/* tags of open elements */
	int			depth;
	bool		in_tag;			/* the last start tag has no end yet: attributes may follow */
	int			identifiers;	/* that were given, see markup_new_id */
} Markup;

/* In the current memory context, in which the output grows. */
extern void markup_begin(Markup *markup);

/*
 * Opens an element with attributes: names and values, ended by NULL.  markup_number adds further ones, as long as
 * nothing is inside.
 */
extern void markup_open(Markup *markup, const char *tag,...) __attribute__((sentinel));
extern void markup_number(Markup *markup, const char *name, double value);
extern void markup_close(Markup *markup);

/* An element with text and nothing else */
extern void markup_element(Markup *markup, const char *tag, const char *text,...) __attribute__((sentinel));

extern void markup_text(Markup *markup, const char *text);
extern void markup_print(Markup *markup, const char *format,...) __attribute__((format(printf, 2, 3)));

/* A name of the graph: isolated, so that one from right to left leaves what is around it in its place. */
extern void markup_name(Markup *markup, const char *name);

/* The same where no element can be: in a title or an attribute's text. */
extern void markup_isolated(Markup *markup, const char *name);

/* A paragraph, of a class or NULL */
extern void markup_paragraph(Markup *markup, const char *class, const char *format,...)
	__attribute__((format(printf, 3, 4)));

/* An identifier that no other element of the page has */
extern char *markup_new_id(Markup *markup);

/* What was written up to a moment, to which markup_return goes back */
typedef struct MarkupPlace
{
	int			length;
	int			depth;
	bool		in_tag;
} MarkupPlace;

extern MarkupPlace markup_place(const Markup *markup);
extern void markup_return(Markup *markup, MarkupPlace place);

/* The document type, before anything else */
extern void markup_doctype(Markup *markup);

#endif							/* HKG_REPORT_MARKUP_H */
