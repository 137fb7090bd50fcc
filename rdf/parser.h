/*
 * parser.h
 *		RDF documents, statement by statement: Turtle, TriG, N-Triples and N-Quads 1.1.
 *
 * scan.c reads terms, grammar.c the statements of terms.  Texts are UTF-8.  An error leaves the recursion by a jump to
 * rdf_read: nothing is held then but memory of the caller's context.
 */
#ifndef HKG_RDF_PARSER_H
#define HKG_RDF_PARSER_H

#include <setjmp.h>

#include "lib/stringinfo.h"

typedef enum RdfFormat
{
	RDF_TURTLE,
	RDF_TRIG,
	RDF_NTRIPLES,
	RDF_NQUADS
} RdfFormat;

/* Terms as the rows have them: an IRI without brackets, _:label, what a literal has in quotes.  NULL: there is none. */
typedef struct RdfStatement
{
	const char *subject;
	const char *predicate;
	const char *object;
	const char *graph;
	const char *datatype;
	const char *language;
	bool		literal;
} RdfStatement;

typedef struct RdfPrefix
{
	char	   *name;
	char	   *iri;
} RdfPrefix;

/* The place of a term in parser->terms, which moves when it grows. */
typedef int RdfTerm;

#define NO_TERM (-1)

typedef struct RdfParser
{
	/* what the caller sets; base may be NULL */
	RdfFormat	format;
	const char *base;
	const char *blank_prefix;
	void		(*put) (void *rows, const RdfStatement *statement);
	void	   *rows;

	/* the document, what is still to be read of it, and where the token that is read now began */
	const char *start;
	const char *next;
	const char *end;
	const char *token;

	RdfPrefix  *prefixes;
	int			prefix_count;
	int			prefix_room;

	/*
	 * Texts of the terms that are of use still, each with its zero byte, as a stack.  rdf:first and its like are at its
	 * bottom, and the graph that the statement stands in, if it is a named one, above them.
	 */
	StringInfoData terms;
	RdfTerm		rdf_first;
	RdfTerm		rdf_rest;
	RdfTerm		rdf_nil;
	RdfTerm		graph;
	int			bottom;
	bool		in_graph;

	/* nodes without a label get one that no label of the document begins with */
	const char *new_label;
	int64		new_labels;

	/* the last error */
	sigjmp_buf	failed;
	char	   *error;
	const char *error_at;
	const char *hint;
} RdfParser;

typedef enum RdfOutcome
{
	RDF_END,
	RDF_STATEMENT,
	RDF_ERROR
} RdfOutcome;

/* grammar.c */
extern void rdf_open(RdfParser *parser, const char *document, size_t length);
extern RdfOutcome rdf_read(RdfParser *parser);
extern void rdf_skip(RdfParser *parser);

/* scan.c */
extern _Noreturn void rdf_fail(RdfParser *parser, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
extern _Noreturn void rdf_expected(RdfParser *parser, const char *what);
extern bool rdf_line_based(const RdfParser *parser);
extern int	rdf_peek(const RdfParser *parser);
extern int	rdf_peek_after(const RdfParser *parser, int bytes);
extern void rdf_skip_white(RdfParser *parser);
extern bool rdf_skip_token(RdfParser *parser);
extern bool rdf_eat(RdfParser *parser, char c);
extern bool rdf_eat_word(RdfParser *parser, const char *word, bool any_case);
extern RdfTerm rdf_push(RdfParser *parser, const char *text);
extern void rdf_pop(RdfParser *parser, RdfTerm term);
extern RdfTerm rdf_push_prefix_name(RdfParser *parser);
extern RdfTerm rdf_push_iri_reference(RdfParser *parser);
extern RdfTerm rdf_push_name_or_word(RdfParser *parser, bool *word);
extern RdfTerm rdf_push_label(RdfParser *parser);
extern RdfTerm rdf_push_string(RdfParser *parser);
extern RdfTerm rdf_push_language(RdfParser *parser);
extern RdfTerm rdf_push_number(RdfParser *parser, RdfTerm *datatype);
extern bool rdf_label_stands(const char *label, size_t length, bool whole);

/* iri.c */
extern bool rdf_has_scheme(const char *iri);
extern void rdf_resolve_iri(StringInfo whole, const char *base, const char *reference);

#endif							/* HKG_RDF_PARSER_H */
