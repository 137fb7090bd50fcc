-- Documents as rows, and graphs as N-Triples.  What is expected follows from the W3C's recommendations Turtle, N-Triples,
-- N-Quads and TriG 1.1, whose section is named where a case is of one.
\set VERBOSITY terse
\pset null null

-- ---- good documents -----------------------------------------------------------------------

create table good (id int primary key, format text, document text, statements text[]);
insert into good values
-- N-Triples 2: IRIs, literals, blank nodes, comments
(1, 'ntriples', '<http://e/s> <http://e/p> <http://e/o> .', '{http://e/s http://e/p http://e/o}'),
(2, 'ntriples', '<http://e/s> <http://e/p> "o" .', '{http://e/s http://e/p o string}'),
(3, 'ntriples', '<http://e/s> <http://e/p> "o"@en-GB .', '{http://e/s http://e/p o @en-GB}'),
(4, 'ntriples', '<http://e/s> <http://e/p> "1"^^<http://e/t> .', '{http://e/s http://e/p 1 http://e/t}'),
(5, 'ntriples', '_:s <http://e/p> _:o .', '{_:s http://e/p _:o}'),
(6, 'ntriples', '# nothing', '{}'),
(7, 'ntriples', '', '{}'),
(8, 'ntriples', '<http://e/s> <http://e/p> "\u00E9\U0001F600" .', '{http://e/s http://e/p é😀 string}'),
(9, 'ntriples', '<http://e/s> <http://e/p> "a\tb\\c\"d" .', array[e'http://e/s http://e/p a\tb\\c"d string']),
(10, 'ntriples', '<http://e/\u00E9> <http://e/p> <http://e/o> .', '{http://e/é http://e/p http://e/o}'),
-- Turtle 2.2 to 2.8
(11, 'turtle', '@prefix e: <http://e/> . e:s e:p e:o .', '{http://e/s http://e/p http://e/o}'),
(12, 'turtle', 'PREFIX e: <http://e/> e:s e:p e:o .', '{http://e/s http://e/p http://e/o}'),
(13, 'turtle', '@prefix : <http://e/> . :s :p :o , :q ; :r :t .',
	'{http://e/s http://e/p http://e/o,http://e/s http://e/p http://e/q,http://e/s http://e/r http://e/t}'),
(14, 'turtle', '@base <http://e/a/> . <s> <../p> <#o> .', '{http://e/a/s http://e/p http://e/a/#o}'),
(15, 'turtle', 'BASE <http://e/> <s> <p> <o> .', '{http://e/s http://e/p http://e/o}'),
(16, 'turtle', '<http://e/s> a <http://e/o> .', '{http://e/s http://www.w3.org/1999/02/22-rdf-syntax-ns#type http://e/o}'),
(17, 'turtle', '<http://e/s> <http://e/p> 1, -2.5, 1e3, true .',
	'{http://e/s http://e/p 1 integer,http://e/s http://e/p -2.5 decimal,http://e/s http://e/p 1e3 double,http://e/s http://e/p true boolean}'),
(18, 'turtle', '<http://e/s> <http://e/p> """a "quoted" word""" .', array['http://e/s http://e/p a "quoted" word string']),
(19, 'turtle', '<http://e/s> <http://e/p> ''o'' .', '{http://e/s http://e/p o string}'),
(20, 'turtle', '@prefix e: <http://e/> . e:s e:p e:a\,b .', array['http://e/s http://e/p http://e/a,b']),
(21, 'turtle', '@prefix e: <http://e/> . e:s e:p e:%41 .', '{http://e/s http://e/p http://e/%41}'),
(22, 'turtle', '<http://e/s> <http://e/p> () .', '{http://e/s http://e/p http://www.w3.org/1999/02/22-rdf-syntax-ns#nil}'),
(23, 'turtle', '@prefix e: <http://e/> . @prefix e: <http://f/> . e:s e:p e:o .', '{http://f/s http://f/p http://f/o}'),
-- N-Quads and TriG
(24, 'nquads', '<http://e/s> <http://e/p> <http://e/o> <http://e/g> .', '{http://e/s http://e/p http://e/o in http://e/g}'),
(25, 'nquads', '<http://e/s> <http://e/p> <http://e/o> .', '{http://e/s http://e/p http://e/o}'),
(26, 'trig', '<http://e/g> { <http://e/s> <http://e/p> <http://e/o> }', '{http://e/s http://e/p http://e/o in http://e/g}'),
(27, 'trig', 'GRAPH <http://e/g> { <http://e/s> <http://e/p> <http://e/o> . }', '{http://e/s http://e/p http://e/o in http://e/g}'),
(28, 'trig', '{ <http://e/s> <http://e/p> <http://e/o> } <http://e/t> <http://e/p> <http://e/o> .',
	'{http://e/s http://e/p http://e/o,http://e/t http://e/p http://e/o}'),
-- labels of blank nodes as they are written: Turtle 2.6 gives each its node
(29, 'turtle', '_:B1 <a:p> _:b1 .', '{_:B1 a:p _:b1}'),
(30, 'turtle', '_:b1 <a:p> _:B2 .', '{_:b1 a:p _:B2}'),
(31, 'trig', '_:b1 { _:B1 <a:p> _:b2 }', '{_:B1 a:p _:b2 in _:b1}'),
(32, 'turtle', '_:1.x-é <a:p> _:_.', '{_:1.x-é a:p _:_}'),
-- Turtle 6.5: white space between any two terminals; the longest number; a prefix may be any name, and need no space
(33, 'turtle', '<a:s> <a:p> "o" @en , "1" ^^ <a:t> .', '{a:s a:p o @en,a:s a:p 1 a:t}'),
(34, 'turtle', '<a:s> <a:p> -1. <a:s> <a:p> 1.5e-3, 1.e2 .', '{a:s a:p -1 integer,a:s a:p 1.5e-3 double,a:s a:p 1.e2 double}'),
(35, 'turtle', '@prefix true.b: <b:> . @prefix a.a: <c:> . <a:s>a.a:p true.b:o,true.', '{a:s c:p b:o,a:s c:p true boolean}'),
(36, 'turtle', 'PREFIX prefix:<b:>prefix:s a prefix:o.d.', '{b:s http://www.w3.org/1999/02/22-rdf-syntax-ns#type b:o.d}'),
(37, 'turtle', '<a:s> <a:p> """x\"""" .', array['a:s a:p x" string']),
-- N-Quads 4: a dot needs no space before it
(38, 'nquads', '_:a.b<a:p>"x"@en-US-x-1 _:g.#', '{_:a.b a:p x @en-US-x-1 in _:g}'),
(39, 'ntriples', e'\r\n<a:s> <a:p> <a:o>.\r\n\r# nothing\n<a:t> <a:p> <a:o> .', '{a:s a:p a:o,a:t a:p a:o}');

-- the cases whose rows are others than expected: none
select id, document, statements as expected, found
from good, lateral (select coalesce(array_agg(concat_ws(' ', subject, predicate, object,
		case when language is not null then '@' || language
			else replace(datatype, 'http://www.w3.org/2001/XMLSchema#', '') end, 'in ' || graph) order by n), '{}') as found
	from hkg_parse_rdf(document, format) with ordinality t(subject, predicate, object, graph, datatype, language, n)) f
where statements is distinct from found;

-- the same as bytes
select count(*) as different
from good
where exists ((select * from hkg_parse_rdf(document, format)) except all (select * from hkg_parse_rdf(convert_to(document, 'UTF8'), format)))
	or exists ((select * from hkg_parse_rdf(convert_to(document, 'UTF8'), format)) except all (select * from hkg_parse_rdf(document, format)));

-- nested blank nodes and lists: a node for each bracket and each member (Turtle 2.7, 2.8), equal where they are the same
with s as (select * from hkg_parse_rdf('@prefix e: <http://e/> . e:s e:p [ e:q (1 2) ; e:r e:o ] .'))
select count(*) as statements, count(distinct subject) filter (where subject ~ '^_:') as blank_subjects,
	count(*) filter (where object ~ '^_:' and object in (select subject from s)) as blank_objects from s;

-- nor are they those that the document has, wherever: b1, b_1, and the nodes of two brackets and a list of one
select count(distinct node) as nodes
from hkg_parse_rdf('<a:s> <a:p> [ <a:q> (<a:o>) ] . _:b1 <a:p> [] . _:b_1 <a:p> <a:o> .'), unnest(array[subject, object]) node
where node like '\_:%';
-- the same document in each form, with and without a prefix: the forms whose labels are others: none
select form, blank_prefix, found
from unnest(array['turtle', 'trig', 'ntriples', 'nquads']) form, unnest(array['', 'doc_', '1.', 'b']) blank_prefix, lateral (
	select array_agg(subject || ' ' || object order by n) as found
	from hkg_parse_rdf(e'_:B1 <a:p> _:b1 .\n_:b_1 <a:p> _:B2 .', form, blank_prefix => blank_prefix) with ordinality t(subject, predicate, object, graph, datatype, language, n)) t
where found is distinct from array[format('_:%1$sB1 _:%1$sb1', blank_prefix), format('_:%1$sb_1 _:%1$sB2', blank_prefix)];

-- ---- relative IRIs --------------------------------------------------------------------------

-- RFC 3986: 5.4.1 and 5.4.2 have base and references; the last five are from 5.2.3 (no path after an authority, no slash
-- in a path) and 5.1 (a base's fragment is none of it)
create table reference (base text, reference text, iri text);
insert into reference select 'http://a/b/c/d;p?q', reference, iri from (values
('g:h', 'g:h'), ('g', 'http://a/b/c/g'), ('./g', 'http://a/b/c/g'), ('g/', 'http://a/b/c/g/'), ('/g', 'http://a/g'), ('//g', 'http://g'),
('?y', 'http://a/b/c/d;p?y'), ('g?y', 'http://a/b/c/g?y'), ('#s', 'http://a/b/c/d;p?q#s'), ('g#s', 'http://a/b/c/g#s'),
('g?y#s', 'http://a/b/c/g?y#s'), (';x', 'http://a/b/c/;x'), ('g;x?y#s', 'http://a/b/c/g;x?y#s'), ('', 'http://a/b/c/d;p?q'),
('.', 'http://a/b/c/'), ('./', 'http://a/b/c/'), ('..', 'http://a/b/'), ('../g', 'http://a/b/g'), ('../..', 'http://a/'), ('../../g', 'http://a/g'),
('../../../../g', 'http://a/g'), ('/./g', 'http://a/g'), ('/../g', 'http://a/g'), ('g.', 'http://a/b/c/g.'), ('.g', 'http://a/b/c/.g'),
('..g', 'http://a/b/c/..g'), ('./../g', 'http://a/b/g'), ('./g/.', 'http://a/b/c/g/'), ('g/./h', 'http://a/b/c/g/h'), ('g/../h', 'http://a/b/c/h'),
('g;x=1/../y', 'http://a/b/c/y'), ('g?y/../x', 'http://a/b/c/g?y/../x'), ('g#s/../x', 'http://a/b/c/g#s/../x'), ('http:g', 'http:g')) r(reference, iri);
insert into reference values
('http://a', 'g', 'http://a/g'), ('http://a?q', '.', 'http://a/'), ('urn:a', 'g', 'urn:g'), ('urn:a#f', '#s', 'urn:a#s'), ('http://a/b?c#d', '', 'http://a/b?c');
-- the cases whose IRI is another than expected: none, with the base as an argument, as a directive, and by a prefix
select base, reference, iri as expected, subject as by_argument, s.predicate as by_directive, p.object as by_prefix
from reference left join lateral (select subject from hkg_parse_rdf('<' || reference || '> <a:p> <a:o> .', base => base)) a on true
	left join lateral (select predicate from hkg_parse_rdf(format('BASE <%s> <a:s> <%s> <a:o> .', base, reference))) s on true
	left join lateral (select object from hkg_parse_rdf(format('@base <%s> . @prefix : <%s> . <a:s> <a:p> : .', base, reference))) p on true
where (subject, predicate, object) is distinct from (iri, iri, iri);
-- a relative base (Turtle 6.3), and an IRI with a scheme, which stays as it is
select subject, object from hkg_parse_rdf('@base <../x/> . <y> <a:p> <http://a/b/../c> .', base => 'http://a/b/c/');

-- ---- what an argument chooses -------------------------------------------------------------

select * from hkg_parse_rdf('<s> <p> <o> , "l" .', base => 'http://e/', literals => false);
select * from hkg_parse_rdf('_:s <http://e/p> _:o .', blank_prefix => 'second_');
select count(*) from hkg_parse_rdf(null::text);
select * from hkg_parse_rdf('<a:> <b:> <c:> .', null, null, null, null);

-- ---- bad documents: an error at the place, and no row -------------------------------------

create table bad (id int primary key, format text, document text, line int);
insert into bad values
(1, 'ntriples', '<http://e/s> <http://e/p>', 1),
(2, 'ntriples', e'<http://e/s> <http://e/p> <http://e/o> .\n<http://e/s> .', 2),
(3, 'ntriples', '<http://e/s> "p" <http://e/o> .', 1),
(4, 'ntriples', '"s" <http://e/p> <http://e/o> .', 1),
(5, 'ntriples', '<http://e/s> <http://e/p> <http://e/o>', 1),
(6, 'ntriples', '@prefix e: <http://e/> .', 1),
(7, 'ntriples', '<http://e/a b> <http://e/p> <http://e/o> .', 1),
(8, 'ntriples', '<s> <http://e/p> <http://e/o> .', 1),
(9, 'ntriples', '<http://e/s> <http://e/p> "\z" .', 1),
(10, 'ntriples', '<http://e/s> <http://e/p> "o .', 1),
(11, 'turtle', 'e:s e:p e:o .', 1),
(12, 'turtle', '<http://e/s> <http://e/p> [ .', 1),
(13, 'turtle', '<http://e/s> <http://e/p> ( 1 2 .', 1),
(14, 'turtle', '@prefix e <http://e/> .', 1),
(15, 'turtle', e'@prefix e: <http://e/> .\n\ne:s e:p , .', 3),
(16, 'turtle', '<http://e/s> <http://e/p> """o" .', 1),
(17, 'turtle', '{ <http://e/s> <http://e/p> <http://e/o> }', 1),
(18, 'turtle', '<http://e/s> <http://e/p> "o"^^ .', 1),
(19, 'turtle', '<http://e/s> <http://e/p> "\u0000" .', 1),
(20, 'turtle', '<http://e/s> <http://e/p> <http://e/o> . }', 1),
(21, 'trig', '<http://e/g> { <http://e/s> <http://e/p> <http://e/o> ', 1),
(22, 'nquads', '<http://e/s> <http://e/p> <http://e/o> "g" .', 1),
-- N-Triples 7 has a triple in a line, and nothing of Turtle; RDF Concepts 3.1: a predicate is no blank node
(23, 'ntriples', '<a:s> <a:p> <a:o> ; <a:q> <a:o> .', 1),
(24, 'ntriples', '<a:s> <a:p> <a:o> . <a:s> <a:p> <a:o> .', 1),
(25, 'ntriples', e'<a:s>\n<a:p> <a:o> .', 1),
(26, 'ntriples', 'base <http://e/>', 1),
(27, 'ntriples', '<a:s> a <a:o> .', 1),
(28, 'ntriples', '[] <a:p> <a:o> .', 1),
(29, 'ntriples', '<a:s> <a:p> ''o'' .', 1),
(30, 'ntriples', '<a:s> _:p <a:o> .', 1),
(31, 'turtle', '<a:s> _:p <a:o> .', 1),
-- characters that an IRI cannot have, escaped or not; no characters; no language; a name that ends in a dot
(32, 'ntriples', '<a:s> <a:p> <a:\u007C> .', 1),
(33, 'turtle', '<a:s> <a:p> <a:\u005e> .', 1),
(34, 'turtle', '<a:s> <a:p> <a:`> .', 1),
(35, 'turtle', '<a:s> <a:p> "\uD83D\uDE00" .', 1),
(36, 'turtle', '<a:s> <a:p> "\U00110000" .', 1),
(37, 'turtle', '<a:s> <a:p> "o"@1 .', 1),
(38, 'turtle', '@prefix e: <a:> . e:s e:p e:o.. ', 1),
(39, 'turtle', '[ = <a:x> ; <a:p> <a:o> ] <a:p> <a:o> .', 1),
-- RFC 3986, 5.1: without a base a relative IRI stands for none
(40, 'turtle', e'\n@prefix : <#> .', 2),
(41, 'turtle', '<a:s> <a:p> <> .', 1),
(42, 'turtle', '@base <x> .', 1);

create function refused(document text, format text) returns text
language plpgsql as $$
begin
	return (select count(*) from hkg_parse_rdf(document, format)) || ' rows';
exception
	when invalid_text_representation then
		return substring(sqlerrm from '^line \d+, column \d+: ');
end
$$;
-- the cases that are not refused at their line: none
select id, document, found
from bad, refused(document, format) as found
where (found like format('line %s, column %%', line)) is not true;
-- an error about one byte of a longer character is text
do $$
begin
	perform * from hkg_parse_rdf('@prefix e: <http://e/> é');
exception
	when invalid_text_representation then
		raise notice '%', convert_from(convert_to(sqlerrm, 'UTF8'), 'UTF8');
end
$$;

\set VERBOSITY default
select * from hkg_parse_rdf(e'<http://e/s> <http://e/p> "\\uD800" .');
select * from hkg_parse_rdf('\xff'::bytea);
select * from hkg_parse_rdf('', 'rdfxml');
select * from hkg_parse_rdf('', null, 'nowhere');
select * from hkg_parse_rdf('', null, 'http://e/a b');
select * from hkg_parse_rdf('<#s> <a:p> <a:o> .');
select * from hkg_parse_rdf('', blank_prefix => 'a b');
select * from hkg_parse_rdf('', on_error => 'ignore');
select subject from hkg_parse_rdf(e'<a:1> <a:p> <a:o> .\n<é:2> a <a:o> .\n<a:p>\n', 'ntriples', on_error => 'skip');
select subject from hkg_parse_rdf('<a:1> <a:p> , .', on_error => 'skip');
\set VERBOSITY terse
-- nested deeper than the stack
select * from hkg_parse_rdf('<a:> <b:> ' || repeat('[ <c:> ', 1000000));
select * from hkg_parse_rdf('<a:> <b:> ' || repeat('(', 1000000));

-- a million random bytes, and 50,000 documents of the grammar's tokens in random order: errors, never a crash
create function outcome(document bytea, format text) returns text
language plpgsql as $$
begin
	return (select count(*) from hkg_parse_rdf(document, format)) || ' rows';
exception
	when invalid_text_representation or character_not_in_repertoire then
		return sqlstate;
end
$$;
select kind, outcome, count(*) as documents, sum(length(document)) as bytes
from (select string_agg(decode(md5(seed || ' ' || i), 'hex'), '') as document from generate_series(1, 100) seed, generate_series(1, 625) i group by seed) d,
	lateral (values ('bytes', outcome(document, 'turtle')), ('ASCII', outcome(convert_to(encode(document, 'escape'), 'UTF8'), 'turtle'))) o(kind, outcome)
group by kind, outcome;
create function random_tokens(seed int) returns bytea
language sql as $$
select convert_to(string_agg(token[1 + abs(hashint8(seed * 100::bigint + i)) % array_length(token, 1)], ' '), 'UTF8')
from generate_series(1, 1 + abs(hashint4(seed)) % 12) i, (select array['<a:>', '<', '>', '_:b', '_:', '[', ']', '(', ')', '{', '}',
	'"', '''', '"""', '\', '\u0041', '\U00110000', '\uD800', '@en', '^^', 'a', '.', ';', ',', '@prefix', 'p:', 'PREFIX', '@base',
	'<http://x/>', '1', '1.0e', '-', 'true', '#', e'\n', 'GRAPH', 'p:q', 'p:%4', 'é', '<<', '>>', '<a:> <b:> <c:> .'] as token) t
$$;
select count(*) as documents, count(*) filter (where outcome ~ '^[1-9].* rows') > 100 as some_are_read,
	count(*) filter (where outcome !~ ' rows') > 10000 as some_are_refused
from generate_series(1, 50000) seed, random_tokens(seed) document, outcome(document, (array['turtle', 'ntriples', 'nquads', 'trig'])[1 + seed % 4]);

-- ---- on_error: what is wrong is left out ------------------------------------------------------

-- lines: those of l have a good one between any two, whose object is its number
create table l (bad text);
insert into l values ('<a:s> <a:p> .'), ('<http://e/Audio Harper> <a:p> <a:o> .'), ('<a:s> <a:p> "o'), ('<a:s> <a:p> <a:o>'), ('<a:s> <a:p> <a:o> . <a:x>'),
('nonsense'), ('"'), ('<'), ('.'), ('<a:s> <a:p> "\uD800" .'), ('_: <a:p> <a:o> .'), ('@prefix e: <a:> .');
select format, count(*) as read, bool_and(object = n::text) as as_written
from unnest(array['ntriples', 'nquads']) format,
	hkg_parse_rdf((select e'<a:s> <a:p> "1" .\n' || string_agg(bad || e'\n<a:s> <a:p> "' || n + 1 || '" .', e'\n') from (select bad, row_number() over () as n from l) l), format, on_error => 'skip')
	with ordinality r(subject, predicate, object, graph, datatype, language, n)
group by format;
-- bytes that are no text
select subject from hkg_parse_rdf('<a:1> <a:p> <a:o> .\012<a:2> <a:p> "\377" .\012<a:\200> <a:p> <a:o> .\012<a:4> <a:p> "\000" .\012# \377\012<a:5> <a:p> <a:o> .'::bytea,
	'ntriples', on_error => 'skip');
select subject from hkg_parse_rdf('<a:1> <a:p> <a:o> . <a:2> <a:p> "\377" . <a:\200> <a:p> <a:o> . <a:4> <a:p> "\000" . <a:5> <a:p> <a:o> .'::bytea, on_error => 'skip');
-- statements: all of a bad one is left out, its good parts, too; the dots are those of a string, an IRI, a number, a name and a comment
select regexp_replace(subject, '^_:b\d+$', '_:') as subject, regexp_replace(object, '^_:b\d+$', '_:') as object from hkg_parse_rdf('@prefix e: <a:> .
e:1 e:p e:o .
e:2 e:p e:o , e:o2 ; e:q "a. b" , <http://e/ .> , 1.5 , e:a.b ; # no end . here
	e:q nonsense .
e:3 e:p "it''s" .
e:4 e:p f:o .
e:5 e:p [ e:q e:o ; e:q ] .
e:6 e:p """
	. " .""" , '' . '' , nonsense .
e:7 e:p e:o .
@prefix f <b:> .
e:8 e:p (1 2 ] .
e:9 e:p (1) .
e:10 e:p "no end', on_error => 'skip');
-- a graph whose name is wrong is left out whole; within a graph, a statement, and the graph goes on
select subject, graph from hkg_parse_rdf('"g" { <a:1> <a:p> <a:o> . <a:2> <a:p> <a:o> } <a:3> <a:p> <a:o> .
<a:g> { <a:4> <a:p> . <a:5> <a:p> <a:o> . <a:6> <a:p> "}" , } <a:7> <a:p> <a:o> . <a:g> { <a:8> <a:p> <a:o>', 'trig', on_error => 'skip');
-- nothing is wrong, no notice
select count(*) from hkg_parse_rdf('<a:s> <a:p> <a:o> .', on_error => 'skip');
-- of the random documents, what is read without an error is read the same; the others are read without one
set client_min_messages = warning;
select count(*) as documents, count(*) filter (where skipped !~ ' rows') as refused, count(*) filter (where stopped ~ ' rows' and stopped <> skipped) as different,
	count(*) filter (where stopped !~ ' rows' and skipped ~ '^[1-9]') > 100 as some_are_saved
from (select outcome(document, format) as stopped, (select count(*) from hkg_parse_rdf(document, format, on_error => 'skip')) || ' rows' as skipped
	from generate_series(1, 50000) seed, random_tokens(seed) document, concat((array['turtle', 'ntriples', 'nquads', 'trig'])[1 + seed % 4]) format) d;
reset client_min_messages;

-- ---- out, and in again ----------------------------------------------------------------------

select name, hkg_rdf_term(name) from unnest(array['http://e/a', 'a b', '_:x', '_:x.', 'role::program', 'urn:hybridkg:a%20b', 'é', '%41', '', '<>"\']) name;
select count(*) as names, count(*) filter (where hkg_rdf_name(trim(hkg_rdf_term(name), '<>')) = name) as same
from (select name from unnest(array['http://e/a', 'a b', '_:x', '_:x.', 'urn:hybridkg:a%20b', 'urn:hybridkg:', 'é', '%41', '<>"\', e'\n']) name
	union all select chr(i) || 'x' || chr(i) from generate_series(1, 10000) i) n;
select hkg_rdf_name('urn:hybridkg:%FF');	-- no text
select hkg_rdf_term('a', 'nowhere');
-- labels are RDF's (Turtle 6.5), and no predicate is a blank node
select name, hkg_rdf_term(name), hkg_rdf_term(name, predicate => true) as predicate from unnest(array['_:é.1', '_:1', '_:-', '_:a b', '_:', 'a:p']) name;

-- a graph of odd names, each as a head, a relation and a tail: every line is N-Triples, and the facts come back
select hkg_create_graph('odd');
create table odd_name as select name, row_number() over (order by name collate "C") as n
from (select unnest(array['_:knows', '_:B1', '_:b1', '_:b_1', '_:é', '_:x.', '_:', '<a:b>', 'http://e/a b', 'http://e/"', 'http://e/x.', 'http://e/a/../b',
		'http://e/%zz', 'x:', 'a:b#c#d', ' ', e'\t', e'\r\n', e'\x01', e'\x7f', e'\u0085', e'\u00a0', e'\u2028', e'\ufeff', e'\uffff', '😀', '"o"@en', '"1"^^<a:t>', '.', '#',
		'urn:hybridkg:', 'urn:hybridkg:a', 'urn:hybridkg:_%3Aknows', '%', '%00', '\', '\u0041', 'a', 'true', '[]', '()', '<<a>>']) as name
	union select chr(i) || ' ' from generate_series(1, 300) i) names;
select entities, relations from hkg_load('odd', $$select a.name, b.name, c.name from odd_name a, odd_name b, odd_name c where b.n = a.n and c.n = 1 + a.n % (select count(*) from odd_name)$$);
select count(*) as names, count(distinct name) as distinct_names from odd_name;
select count(*) as lines, count(*) filter (where line !~ '^(<[a-z]+:[^\x01- <>"{}|^`\\]*>|_:[[:alnum:]_é.-]*[[:alnum:]_é-]) <[a-z]+:[^\x01- <>"{}|^`\\]*> (<[a-z]+:[^\x01- <>"{}|^`\\]*>|_:[[:alnum:]_é.-]*[[:alnum:]_é-]) \.$') as not_of_the_grammar
from hkg_rdf('odd') line;
create view odd_fact as select h.name as head, r.name as relation, t.name as tail
from odd.triple f join odd.entity h on h.id = f.head join odd.relation r on r.id = f.relation join odd.entity t on t.id = f.tail;
select form, count(*) as read, count(*) filter (where (hkg_rdf_name(subject), hkg_rdf_name(predicate), hkg_rdf_name(object)) in (table odd_fact)) as same
from unnest(array['turtle', 'trig', 'ntriples', 'nquads']) form, hkg_parse_rdf((select string_agg(line, e'\n') from hkg_rdf('odd') line), form)
group by form order by form;
select split_part(line, ' ', 2) as predicate from hkg_rdf('odd') line where line like '\_:knows %';

select hkg_create_graph('shop');
select * from hkg_load('shop', $$
	select 'customer ' || i % 7, 'buys', 'http://e/article/' || i % 11 from generate_series(1, 100) i union
	select '_:b' || i % 11, 'of', 'é "' || i % 3 from generate_series(1, 100) i$$);
select hkg_create_graph('again');
-- each name by its term, as a document of its own
select * from hkg_load('again', $$
	select hkg_rdf_name(subject), hkg_rdf_name(predicate), hkg_rdf_name(object)
	from hkg_parse_rdf((select string_agg(line, e'\n') from hkg_rdf('shop') line), 'ntriples')$$);
create view shop_fact as select h.name as head, r.name as relation, t.name as tail
from shop.triple f join shop.entity h on h.id = f.head join shop.relation r on r.id = f.relation join shop.entity t on t.id = f.tail;
create view again_fact as select h.name as head, r.name as relation, t.name as tail
from again.triple f join again.entity h on h.id = f.head join again.relation r on r.id = f.relation join again.entity t on t.id = f.tail;
select count(*) as different from ((table shop_fact except table again_fact) union all (table again_fact except table shop_fact)) d;

-- predictions: those of hkg_complete, with their probability and rule
set hybridkg.progress = off;
select hkg_train('shop', dimensions => 8, iterations => 1, epochs => 5, seed => 1, settings => '{"holdout": 0}') is not null as trained;
-- no fact is held out: what is stated is 1 / (1 + exp(-score))
update shop.model set evidence = evidence::jsonb || '{"calibration": {"all": {"slope": 1, "intercept": 0}}}';
select count(*) as predictions from hkg_complete('shop', null, 10, min_probability => 0) \gset
select count(*) = :predictions as bare, bool_and(line ~ '^\S+ <\S+> \S+ \.$') as of_three_terms
from hkg_rdf('shop', 'predictions', 0, 10, annotation => 'none') line;
select count(*) filter (where line ~ ' <urn:hybridkg:probability> "[0-9.e-]+"\^\^<http://www.w3.org/2001/XMLSchema#double> \.$') = :predictions as probabilities,
	bool_and(line ~ '^<< \S+ <\S+> \S+ >> ') as star
from hkg_rdf('shop', 'predictions', 0, 10) line;
select count(*) filter (where predicate like '%#subject') = :predictions as subjects,
	count(*) filter (where predicate = 'urn:hybridkg:probability') = :predictions as probabilities,
	max(object::float8) filter (where predicate = 'urn:hybridkg:probability') <= 1 as at_most_one
from hkg_parse_rdf((select string_agg(line, e'\n') from hkg_rdf('shop', 'predictions', 0, 10, annotation => 'reified') line), 'ntriples');
-- blank nodes of predictions are none of the graph
update shop.entity set name = '_:prediction' || substr(name, 4) where name like '_:b%';
select count(*) filter (where predicate like '%#subject') = :predictions as subjects,
	count(*) filter (where subject in (select name from shop.entity)) as of_entities
from hkg_parse_rdf((select string_agg(line, e'\n') from hkg_rdf('shop', 'predictions', 0, 10, annotation => 'reified') line), 'ntriples');
select * from hkg_rdf('shop', 'rules');
select * from hkg_rdf('shop', 'predictions', annotation => 'xml');
select * from hkg_rdf('nowhere');
select * from hkg_rdf(null);
select * from hkg_rdf('shop', base => null);
select * from hkg_rdf('shop', 'predictions', null);
set client_min_messages = warning;
drop schema shop, again, odd cascade;
