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
	'{http://e/s http://e/p http://e/o,http://e/t http://e/p http://e/o}');

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
(22, 'nquads', '<http://e/s> <http://e/p> <http://e/o> "g" .', 1);

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

-- ---- out, and in again ----------------------------------------------------------------------

select name, hkg_rdf_term(name) from unnest(array['http://e/a', 'a b', '_:x', '_:x.', 'role::program', 'urn:hybridkg:a%20b', 'é', '%41', '', '<>"\']) name;
select count(*) as names, count(*) filter (where hkg_rdf_name(trim(hkg_rdf_term(name), '<>')) = name) as same
from (select name from unnest(array['http://e/a', 'a b', '_:x', '_:x.', 'urn:hybridkg:a%20b', 'urn:hybridkg:', 'é', '%41', '<>"\', e'\n']) name
	union all select chr(i) || 'x' || chr(i) from generate_series(1, 10000) i) n;
select hkg_rdf_name('urn:hybridkg:%FF');	-- no text
select hkg_rdf_term('a', 'nowhere');

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
select hkg_train('shop', dimensions => 8, iterations => 1, epochs => 5, seed => 1, holdout => 0) is not null as trained;
select count(*) as predictions from hkg_complete('shop', null, 10, 0) \gset
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
drop schema shop, again cascade;
