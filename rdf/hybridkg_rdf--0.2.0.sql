/* rdf/hybridkg_rdf--0.2.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION hybridkg_rdf" to load this file. \quit

-- ---------------------------------------------------------------------------
-- In: documents as rows
-- ---------------------------------------------------------------------------

create function hkg_parse_rdf(document text, format text default 'turtle', base text default null,
	literals bool default true, blank_prefix text default '', on_error text default 'stop')
returns table (subject text, predicate text, object text, graph text, datatype text, language text)
as 'MODULE_PATHNAME', 'hkg_parse_rdf_text' language c immutable parallel safe cost 10000 rows 10000;
comment on function hkg_parse_rdf(text, text, text, bool, text, text) is
'the statements of an RDF document, a row each, in their order
document: the text; null: no rows
format: ''turtle'', ''ntriples'', ''nquads'' or ''trig''
base: an absolute IRI, against which relative ones are resolved until the document names another
literals: false: statements whose object is a literal are left out
blank_prefix: stands before each label of a blank node, so that those of two documents stay apart
on_error: ''stop'': an error (22P02) with line and column, and no row; ''skip'': a bad line of N-Triples or N-Quads, a bad statement of Turtle or TriG is left out, and a notice at the end has their number and the place of the first
subject, predicate, object: an IRI without brackets, _: and a label, or what a literal has in quotes
graph: the graph of a statement of TriG or N-Quads; null: the default graph
datatype, language: of a literal; null: the object is none
Labels of blank nodes are as the document has them; nodes without a label get others. Rows beyond work_mem are on disk. RDF 1.1 is read, without RDF-star.';

create function hkg_parse_rdf(document bytea, format text default 'turtle', base text default null,
	literals bool default true, blank_prefix text default '', on_error text default 'stop')
returns table (subject text, predicate text, object text, graph text, datatype text, language text)
as 'MODULE_PATHNAME', 'hkg_parse_rdf_bytes' language c immutable parallel safe cost 10000 rows 10000;
comment on function hkg_parse_rdf(bytea, text, text, bool, text, text) is
'the same for a document as bytes of UTF-8, such as pg_read_binary_file returns
document: the bytes; an error (22021) where they are not UTF-8, which on_error => ''skip'' leaves out
format, base, literals, blank_prefix, on_error: see hkg_parse_rdf(text, ...)
subject, predicate, object, graph, datatype, language: likewise';

create function hkg_rdf_name(iri text, base text default 'urn:hybridkg:')
returns text
as 'MODULE_PATHNAME' language c immutable strict parallel safe;
comment on function hkg_rdf_name(text, text) is
'the name that hkg_rdf_term wrote as an IRI; any other text is returned as it is
iri: a subject, predicate or object of hkg_parse_rdf
base: what hkg_rdf_term was given';

-- ---------------------------------------------------------------------------
-- Out: facts and predictions as N-Triples
-- ---------------------------------------------------------------------------

create function hkg_rdf_term(name text, base text default 'urn:hybridkg:', predicate bool default false)
returns text
as 'MODULE_PATHNAME' language c immutable strict parallel safe;
comment on function hkg_rdf_term(text, text, bool) is
'a name of an entity or relation as a term of N-Triples
name: an IRI is put into brackets, a blank node (_:label) stays; any other name becomes an IRI: base and the name, percent-encoded
base: an absolute IRI; names that begin with it are encoded, too, so that hkg_rdf_name gives back each name
predicate: true: a blank node becomes an IRI, too, since RDF has none as a predicate; hkg_rdf writes relations so';

create function hkg_rdf_literal(value text)
returns text
language sql immutable strict parallel safe
return '"' || replace(replace(replace(replace(value, '\', '\\'), '"', '\"'), e'\n', '\n'), e'\r', '\r') || '"';
comment on function hkg_rdf_literal(text) is
'a text as a literal of N-Triples, quoted and escaped
value: any text';

-- The triples of one form of hkg_rdf, as a query.  Names are quoted identifiers, so a graph of any name is safe.
create function hkg_rdf_facts(graph name, base text)
returns setof text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
	return query execute format(
		'select concat(%2$s(h.name, $1), %3$L, %2$s(r.name, $1, true), %3$L, %2$s(t.name, $1), %4$L)
		from %1$I.triple f
			join %1$I.entity h on h.id = f.head
			join %1$I.relation r on r.id = f.relation
			join %1$I.entity t on t.id = f.tail',
		graph, '@extschema@.hkg_rdf_term', ' ', ' .') using base;
end
$$;
comment on function hkg_rdf_facts(name, text) is
'the facts of a graph as N-Triples, a row a line; hkg_rdf calls it
graph: an existing graph
base: see hkg_rdf_term';

create function hkg_rdf_predictions(graph name, min_probability float8, k int, model name, annotation text, base text)
returns setof text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	float constant text := '^^<http://www.w3.org/2001/XMLSchema#double> .';
	rdf constant text := '<http://www.w3.org/1999/02/22-rdf-syntax-ns#';
	label text := '_:prediction';
	place text;
	statement record;
	taken bool := annotation = 'reified';
begin
	-- a blank node of the graph may have such a name
	while taken loop
		execute format('select exists (select from %I.entity where starts_with(name, $1))', graph) into taken using label;
		label := label || case when taken then '_' else '' end;
	end loop;
	for statement in execute format(
		'select %1$s(head, $1) as head, %1$s(relation, $1, true) as relation, %1$s(tail, $1) as tail, probability, rule,
			row_number() over () as number
		from %2$s.hkg_complete($2, null, $3, $5, $4)',
		'@extschema@.hkg_rdf_term', (select extnamespace::regnamespace from pg_extension where extname = 'hybridkg'))
		using base, graph, k, min_probability, model
	loop
		if annotation = 'none' then
			return next concat_ws(' ', statement.head, statement.relation, statement.tail, '.');
			continue;
		elsif annotation = 'star' then
			place := concat_ws(' ', '<<', statement.head, statement.relation, statement.tail, '>>');
		else
			place := label || statement.number;
			return next concat_ws(' ', place, rdf || 'type>', rdf || 'Statement>', '.');
			return next concat_ws(' ', place, rdf || 'subject>', statement.head, '.');
			return next concat_ws(' ', place, rdf || 'predicate>', statement.relation, '.');
			return next concat_ws(' ', place, rdf || 'object>', statement.tail, '.');
		end if;
		return next concat(place, ' <urn:hybridkg:probability> "', statement.probability, '"', float);
		if statement.rule is not null then
			return next concat(place, ' <urn:hybridkg:rule> ', @extschema@.hkg_rdf_literal(statement.rule), ' .');
		end if;
	end loop;
end
$$;
comment on function hkg_rdf_predictions(name, float8, int, name, text, text) is
'the predictions of a graph as N-Triples, a row a line; hkg_rdf calls it
graph, min_probability, k, model, annotation, base: see hkg_rdf';

create function hkg_rdf(graph name, what text default 'facts', min_probability float8 default 0.5, k int default 1000,
	model name default 'default', annotation text default 'star', base text default 'urn:hybridkg:')
returns setof text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	missing text;
begin
	select name into missing
	from unnest(array['graph', 'min_probability', 'k', 'model', 'base'],
		array[graph is null, min_probability is null, k is null, model is null, base is null]) argument (name, is_missing)
	where is_missing;
	if found then
		raise null_value_not_allowed using message = missing || ' must not be null';
	end if;
	if what not in ('facts', 'predictions') or what is null then
		raise invalid_parameter_value using message = format('what is neither facts nor predictions: %L', left(what, 100)),
			hint = 'Call hkg_rdf once for each of them.';
	end if;
	if to_regclass(format('%I.triple', graph)) is null then
		raise using errcode = 'invalid_schema_name', message = format('graph "%s" does not exist', graph),
			hint = 'Make it with hkg_create_graph.';
	end if;
	if annotation not in ('none', 'star', 'reified') or annotation is null then
		raise invalid_parameter_value using message = format('there is no annotation %L', left(annotation, 100)),
			hint = 'Annotations are none, star and reified.';
	end if;
	if what = 'facts' then
		return query select * from @extschema@.hkg_rdf_facts(graph, base);
	else
		return query select * from @extschema@.hkg_rdf_predictions(graph, min_probability, k, model, annotation, base);
	end if;
end
$$;
comment on function hkg_rdf(name, text, float8, int, name, text, text) is
'a graph as N-Triples, a row a line
graph: an existing graph
what: ''facts'': those of the table triple; ''predictions'': those of hkg_complete over all relations
min_probability, k, model: of predictions, see hkg_complete
annotation: of predictions: ''star'': <<triple>> of RDF-star, with urn:hybridkg:probability and urn:hybridkg:rule; the triple itself is not stated; ''reified'': the same by rdf:Statement, for what reads RDF 1.1; ''none'': the bare triples
base: see hkg_rdf_term; hkg_rdf_name takes it off again';
