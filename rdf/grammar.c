/*
 * grammar.c
 *		The statements of an RDF document: Turtle, TriG, N-Triples and N-Quads 1.1.
 *
 * Names in capitals and in camelCase are those of the grammars of the four recommendations.  A statement is what ends
 * with a dot, a directive, or the beginning or the end of a graph in braces; where a line is a statement, that line.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "parser.h"

#define RDF "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

/* What a subject was, by which it may be the name of a graph, or stand alone. */
typedef enum SubjectKind
{
	SUBJECT_NAME,
	SUBJECT_PROPERTIES,
	SUBJECT_LIST
} SubjectKind;

static void push_object(RdfParser *parser, RdfTerm subject, RdfTerm predicate);

/* ---- open --------------------------------------------------------------- */

/* A label of letters that no label of the document begins with. */
static const char *
new_label_of(const char *document, size_t length)
{
	StringInfoData label;

	initStringInfo(&label);
	appendStringInfoString(&label, "_:b");
	while (memmem(document, length, label.data, (size_t) label.len) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfoChar(&label, '_');
	}
	return label.data + strlen("_:");
}

/* Begins at the document, which stays the caller's; format, base, blank_prefix, put and rows are set. */
void
rdf_open(RdfParser *parser, const char *document, size_t length)
{
	static const char byte_order_mark[] = "\xEF\xBB\xBF";

	parser->start = parser->next = parser->token = document;
	parser->end = document + length;
	if (length >= 3 && memcmp(document, byte_order_mark, 3) == 0)
		parser->next += 3;
	if (parser->base != NULL)
		parser->base = pstrdup(parser->base);
	if (!rdf_line_based(parser))
		parser->new_label = new_label_of(document, length);
	initStringInfo(&parser->terms);
	parser->rdf_first = rdf_push(parser, RDF "first");
	parser->rdf_rest = rdf_push(parser, RDF "rest");
	parser->rdf_nil = rdf_push(parser, RDF "nil");
	parser->graph = NO_TERM;
	parser->bottom = parser->terms.len;
}

/* ---- parts of a statement ----------------------------------------------- */

static void
expect(RdfParser *parser, char c, const char *what)
{
	if (!rdf_eat(parser, c))
		rdf_expected(parser, what);
}

static const char *
text_of(const RdfParser *parser, RdfTerm term)
{
	return term == NO_TERM ? NULL : parser->terms.data + term;
}

static void
put(RdfParser *parser, RdfTerm subject, RdfTerm predicate, RdfTerm object)
{
	RdfStatement statement = {.subject = text_of(parser, subject), .predicate = text_of(parser, predicate),
	.object = text_of(parser, object), .graph = text_of(parser, parser->graph)};

	parser->put(parser->rows, &statement);
}

static void
put_literal(RdfParser *parser, RdfTerm subject, RdfTerm predicate, RdfTerm value, RdfTerm datatype, RdfTerm language)
{
	RdfStatement statement = {.subject = text_of(parser, subject), .predicate = text_of(parser, predicate),
		.object = text_of(parser, value), .graph = text_of(parser, parser->graph), .datatype = text_of(parser, datatype),
	.language = text_of(parser, language), .literal = true};

	parser->put(parser->rows, &statement);
}

/* A blank node without a label of its own */
static RdfTerm
push_new_node(RdfParser *parser)
{
	char		number[32];
	RdfTerm		term = parser->terms.len;

	snprintf(number, sizeof number, INT64_FORMAT, ++parser->new_labels);
	appendStringInfo(&parser->terms, "_:%s%s%s", parser->blank_prefix, parser->new_label, number);
	appendStringInfoChar(&parser->terms, '\0');
	return term;
}

/* iri, where a word of the grammar is none */
static RdfTerm
push_iri(RdfParser *parser, const char *what)
{
	RdfTerm		term;
	bool		word;

	if (rdf_peek(parser) == '<')
		return rdf_push_iri_reference(parser);
	term = rdf_push_name_or_word(parser, &word);
	if (word)
	{
		parser->next = parser->token;
		rdf_expected(parser, what);
	}
	return term;
}

/* verb: an IRI or the word a */
static RdfTerm
push_verb(RdfParser *parser)
{
	rdf_skip_white(parser);
	return rdf_eat_word(parser, "a", false) ? rdf_push(parser, RDF "type") : push_iri(parser, "a predicate");
}

/* predicateObjectList */
static void
read_predicates(RdfParser *parser, RdfTerm subject)
{
	int			c;

	do
	{
		RdfTerm		predicate = push_verb(parser);

		do
			push_object(parser, subject, predicate);
		while (rdf_eat(parser, ','));
		rdf_pop(parser, predicate);
		c = rdf_peek(parser);
		if (c != ';')
			return;
		while (rdf_eat(parser, ';'))
			;
		c = rdf_peek(parser);
	} while (c >= 0 && c != '.' && c != ']' && c != '}');
}

/* What is in the brackets of blankNodePropertyList; false: nothing, as in ANON */
static bool
read_brackets(RdfParser *parser, RdfTerm node)
{
	check_stack_depth();
	parser->next++;
	if (rdf_eat(parser, ']'))
		return false;
	read_predicates(parser, node);
	expect(parser, ']', "\";\", \",\" or \"]\"");
	return true;
}

/* Moves the text on top of the stack to where old stands. */
static RdfTerm
replace(RdfParser *parser, RdfTerm old, RdfTerm top)
{
	memmove(parser->terms.data + old, parser->terms.data + top, (size_t) (parser->terms.len - top));
	parser->terms.len -= top - old;
	return old;
}

/* collection, as object of a subject, if there is one; returns its first node */
static RdfTerm
push_list(RdfParser *parser, RdfTerm subject, RdfTerm predicate)
{
	RdfTerm		head;
	RdfTerm		node;

	check_stack_depth();
	parser->next++;
	head = node = rdf_eat(parser, ')') ? parser->rdf_nil : push_new_node(parser);
	if (subject != NO_TERM)
		put(parser, subject, predicate, head);
	if (head == parser->rdf_nil)
		return head;
	for (;;)
	{
		RdfTerm		rest;

		push_object(parser, node, parser->rdf_first);
		if (rdf_eat(parser, ')'))
			break;
		rest = push_new_node(parser);
		put(parser, node, parser->rdf_rest, rest);
		node = node == head ? rest : replace(parser, node, rest);
	}
	put(parser, node, parser->rdf_rest, parser->rdf_nil);
	return head;
}

/* RDFLiteral */
static RdfTerm
push_literal(RdfParser *parser, RdfTerm *datatype, RdfTerm *language)
{
	RdfTerm		value = rdf_push_string(parser);

	*datatype = *language = NO_TERM;
	rdf_skip_white(parser);
	if (rdf_peek(parser) == '@')
		*language = rdf_push_language(parser);
	else if (rdf_peek(parser) == '^' && rdf_peek_after(parser, 1) == '^')
	{
		parser->next += 2;
		rdf_skip_white(parser);
		*datatype = rdf_line_based(parser) ? rdf_push_iri_reference(parser) : push_iri(parser, "a datatype");
	}
	return value;
}

/* A prefixed name, or true or false, a statement */
static void
read_name_object(RdfParser *parser, RdfTerm subject, RdfTerm predicate)
{
	bool		word;
	RdfTerm		object = rdf_push_name_or_word(parser, &word);
	const char *text = parser->terms.data + object;

	if (!word)
		put(parser, subject, predicate, object);
	else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
	{
		RdfTerm		datatype = rdf_push(parser, "http://www.w3.org/2001/XMLSchema#boolean");

		put_literal(parser, subject, predicate, object, datatype, NO_TERM);
	}
	else
	{
		parser->next = parser->token;
		rdf_expected(parser, "an object");
	}
}

/* object: puts its statement, and those within it; nothing is left on the stack */
static void
push_object(RdfParser *parser, RdfTerm subject, RdfTerm predicate)
{
	int			mark = parser->terms.len;
	RdfTerm		datatype;
	RdfTerm		language;
	RdfTerm		object;
	int			c;

	CHECK_FOR_INTERRUPTS();
	rdf_skip_white(parser);
	c = rdf_peek(parser);
	if (c == '[')
	{
		object = push_new_node(parser);
		put(parser, subject, predicate, object);
		(void) read_brackets(parser, object);
	}
	else if (c == '(')
		(void) push_list(parser, subject, predicate);
	else if (c == '_')
		put(parser, subject, predicate, rdf_push_label(parser));
	else if (c == '<')
		put(parser, subject, predicate, rdf_push_iri_reference(parser));
	else if (c == '"' || c == '\'')
	{
		object = push_literal(parser, &datatype, &language);
		put_literal(parser, subject, predicate, object, datatype, language);
	}
	else if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')
	{
		object = rdf_push_number(parser, &datatype);
		put_literal(parser, subject, predicate, object, datatype, NO_TERM);
	}
	else
		read_name_object(parser, subject, predicate);
	rdf_pop(parser, mark);
}

static RdfTerm
push_subject(RdfParser *parser, SubjectKind *kind)
{
	RdfTerm		subject;
	int			c;

	rdf_skip_white(parser);
	c = rdf_peek(parser);
	*kind = SUBJECT_NAME;
	if (c == '(')
	{
		*kind = SUBJECT_LIST;
		return push_list(parser, NO_TERM, NO_TERM);
	}
	if (c == '_')
		return rdf_push_label(parser);
	if (c != '[')
		return push_iri(parser, "a subject");
	subject = push_new_node(parser);
	if (read_brackets(parser, subject))
		*kind = SUBJECT_PROPERTIES;
	return subject;
}

/* What follows a subject; nothing has to where it was [ ... ]. */
static void
read_after_subject(RdfParser *parser, RdfTerm subject, SubjectKind kind)
{
	int			c;

	rdf_skip_white(parser);
	c = rdf_peek(parser);
	if (kind != SUBJECT_PROPERTIES || (c != '.' && c != '}'))
		read_predicates(parser, subject);
}

/* ---- statements of Turtle and TriG -------------------------------------- */

static void
read_prefix(RdfParser *parser)
{
	RdfTerm		name = rdf_push_prefix_name(parser);
	RdfTerm		iri;
	const char *text;
	int			i = 0;

	rdf_skip_white(parser);
	iri = rdf_push_iri_reference(parser);
	text = parser->terms.data + name;
	while (i < parser->prefix_count && strcmp(parser->prefixes[i].name, text) != 0)
		i++;
	if (i == parser->prefix_room)
	{
		parser->prefix_room = i == 0 ? 16 : i * 2;
		parser->prefixes = i == 0 ? palloc(16 * sizeof(RdfPrefix)) :
			repalloc_huge(parser->prefixes, (size_t) parser->prefix_room * sizeof(RdfPrefix));
	}
	if (i == parser->prefix_count)
	{
		parser->prefixes[i].name = pstrdup(text);
		parser->prefix_count++;
	}
	else
		pfree(parser->prefixes[i].iri);
	parser->prefixes[i].iri = pstrdup(parser->terms.data + iri);
}

static void
read_base(RdfParser *parser)
{
	RdfTerm		iri;

	rdf_skip_white(parser);
	iri = rdf_push_iri_reference(parser);
	if (parser->base != NULL)
		pfree(unconstify(char *, parser->base));
	parser->base = pstrdup(parser->terms.data + iri);
}

/* directive or sparqlPrefix or sparqlBase */
static bool
read_directive(RdfParser *parser)
{
	bool		dot = rdf_peek(parser) == '@';

	if (rdf_eat_word(parser, dot ? "@prefix" : "prefix", !dot))
		read_prefix(parser);
	else if (rdf_eat_word(parser, dot ? "@base" : "base", !dot))
		read_base(parser);
	else
		return false;
	if (dot)
		expect(parser, '.', "\".\"");
	return true;
}

/* The beginning of a graph in braces; its name, if it has one, stays at the bottom of the stack. */
static void
open_graph(RdfParser *parser, RdfTerm name)
{
	expect(parser, '{', "\"{\"");
	parser->graph = name;
	parser->bottom = parser->terms.len;
	parser->in_graph = true;
}

static void
close_graph(RdfParser *parser)
{
	if (parser->graph != NO_TERM)
		parser->bottom = parser->graph;
	parser->graph = NO_TERM;
	parser->in_graph = false;
}

/* block of TriG, but for directives, or triples of Turtle */
static void
read_graph_or_triples(RdfParser *parser)
{
	bool		trig = parser->format == RDF_TRIG;
	bool		named = trig && rdf_eat_word(parser, "graph", true);
	SubjectKind kind;
	RdfTerm		subject;

	if (trig && !named && rdf_peek(parser) == '{')
	{
		open_graph(parser, NO_TERM);
		return;
	}
	subject = push_subject(parser, &kind);
	rdf_skip_white(parser);
	if (named || (trig && kind == SUBJECT_NAME && rdf_peek(parser) == '{'))
	{
		if (kind != SUBJECT_NAME)
			rdf_fail(parser, parser->token, "a graph is named by an IRI, a label or []");
		open_graph(parser, subject);
		return;
	}
	read_after_subject(parser, subject, kind);
	expect(parser, '.', "\";\", \",\" or \".\"");
}

/* A statement of a graph in braces: the dot after the last one may be left out. */
static void
read_in_graph(RdfParser *parser)
{
	SubjectKind kind;
	RdfTerm		subject;

	if (rdf_eat(parser, '}'))
	{
		close_graph(parser);
		return;
	}
	subject = push_subject(parser, &kind);
	read_after_subject(parser, subject, kind);
	if (!rdf_eat(parser, '.') && rdf_peek(parser) != '}')
		rdf_expected(parser, "\";\", \",\", \".\" or \"}\"");
}

static RdfOutcome
read_block(RdfParser *parser)
{
	rdf_pop(parser, parser->bottom);
	rdf_skip_white(parser);
	if (rdf_peek(parser) < 0 && !parser->in_graph)
		return RDF_END;
	if (parser->in_graph)
		read_in_graph(parser);
	else if (!read_directive(parser))
		read_graph_or_triples(parser);
	return RDF_STATEMENT;
}

/* ---- statements of N-Triples and N-Quads -------------------------------- */

/* Skips what is left of the line. */
static void
skip_line(RdfParser *parser)
{
	while (parser->next < parser->end && *parser->next != '\n' && *parser->next != '\r')
	{
		CHECK_FOR_INTERRUPTS();
		parser->next++;
	}
}

static void
skip_empty_lines(RdfParser *parser)
{
	int			c;

	for (;;)
	{
		rdf_skip_white(parser);
		c = rdf_peek(parser);
		if (c == '#')
			skip_line(parser);
		else if (c == '\n' || c == '\r')
			parser->next++;
		else
			return;
	}
}

/* IRIREF, and a blank node where one may be */
static RdfTerm
push_line_node(RdfParser *parser, bool blank, const char *what)
{
	rdf_skip_white(parser);
	if (rdf_peek(parser) == '<')
		return rdf_push_iri_reference(parser);
	if (blank && rdf_peek(parser) == '_')
		return rdf_push_label(parser);
	rdf_expected(parser, what);
}

static void
read_line_end(RdfParser *parser)
{
	int			c;

	expect(parser, '.', "\".\"");
	rdf_skip_white(parser);
	c = rdf_peek(parser);
	if (c >= 0 && c != '#' && c != '\n' && c != '\r')
		rdf_expected(parser, "the end of the line");
	skip_line(parser);
}

static RdfOutcome
read_line(RdfParser *parser)
{
	RdfTerm		subject;
	RdfTerm		predicate;
	RdfTerm		object;
	RdfTerm		datatype;
	RdfTerm		language;
	bool		literal;

	rdf_pop(parser, parser->bottom);
	parser->graph = NO_TERM;
	skip_empty_lines(parser);
	if (rdf_peek(parser) < 0)
		return RDF_END;
	subject = push_line_node(parser, true, "a subject");
	predicate = push_line_node(parser, false, "a predicate, an IRI in angle brackets");
	rdf_skip_white(parser);
	literal = rdf_peek(parser) == '"';
	object = literal ? push_literal(parser, &datatype, &language) : push_line_node(parser, true, "an object");
	rdf_skip_white(parser);
	if (parser->format == RDF_NQUADS && rdf_peek(parser) != '.')
		parser->graph = push_line_node(parser, true, "a graph or \".\"");
	read_line_end(parser);
	if (literal)
		put_literal(parser, subject, predicate, object, datatype, language);
	else
		put(parser, subject, predicate, object);
	return RDF_STATEMENT;
}

/* ---- seam --------------------------------------------------------------- */

/* Reads a statement and puts its triples; where it returns RDF_ERROR, that may be less than the whole statement. */
RdfOutcome
rdf_read(RdfParser *parser)
{
	CHECK_FOR_INTERRUPTS();
	parser->hint = NULL;
	if (sigsetjmp(parser->failed, 0) != 0)
		return RDF_ERROR;
	return rdf_line_based(parser) ? read_line(parser) : read_block(parser);
}

/*
 * After an error: goes on after the statement, as far as one can tell where it ends.  That is the line, or the next dot
 * that is in no string, IRI, comment, name or number, or the end of the graph.  A graph in braces whose name is wrong is
 * skipped whole, since its statements would be put into another.
 */
void
rdf_skip(RdfParser *parser)
{
	bool		whole_graph = false;
	int			c;

	if (rdf_line_based(parser))
	{
		skip_line(parser);
		return;
	}
	parser->next = parser->token;
	while ((c = rdf_peek(parser)) >= 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (c == '}' && parser->in_graph)
			return;
		whole_graph |= c == '{' && !parser->in_graph;
		if ((rdf_skip_token(parser) && !whole_graph) || c == '}')
			return;
	}
	if (parser->in_graph)
		close_graph(parser);
}
