-- Names: the text that a cast of a value gives, value::text, whatever its type; names that do not look as they are
\pset null '(null)'
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
set hybridkg.progress = off;

-- ---- a column of each type ----

create type colour as enum ('red', 'green');
create type pair as (number int, flag bool);
create domain code as char(5) check (value <> '');
create domain flag as bool;
-- whose owner casts it otherwise than it is shown, by a function of SQL and by one that gives null
create type size as enum ('s', 'm', 'l');
create function size_text(size) returns text language sql as $$ select case $1 when 's' then 'small' when 'm' then 'medium' end $$;
create cast (size as text) with function size_text(size);
create table typed (number int primary key, fixed char(5), coded code, letter "char", short varchar(5), identifier name, active bool, marked flag,
	host inet, network cidr, hue colour, both_parts pair, list char(5)[], flags bool[], bytes bytea, half float4, whole float8, exact numeric(6, 2),
	day date, moment timestamp, instant timestamptz, span interval, clock time, document jsonb, id uuid, bits bit(4), relation regclass, made size);
insert into typed values
	(1, 'ab', 'x', 'a', 'ab ', 'pg', true, false, '10.0.0.1', '10.0.0.0/8', 'red', '(1,t)', '{ab,c}', '{t,f}', '\x00ff', 0.1, 1e-5, 1.5,
		'2024-02-01', '2024-02-01 01:02', '2024-02-01 01:02+00', '1 day 2:03', '1:02', '{"a": [1, true]}', '00000000-0000-0000-0000-000000000001', '0101', 'typed', 's'),
	(2, 'cd  ', 'y z', 'b', 'cd', 'kg', false, true, '::1/64', '::/64', 'green', '(2,f)', '{"d e"}', '{}', '\x41', 1e10, 1.0 / 3, 2,
		'2024-02-02', '2024-02-02 01:02', '2024-02-02 01:02+00', '2 mons', '2:02', '"b"', '00000000-0000-0000-0000-000000000002', '1111', 'pg_class', 'm');

-- a statement for each column: a graph of its values, joined by its text
create function loaded(query text, graph name default 'typed_graph') returns bigint language plpgsql as $$
declare
	added bigint;
begin
	perform hkg_create_graph(graph);
	select l.added from hkg_load(graph, query) l into added;
	return added;
end
$$;
create function names_of(of_column text) returns text[] language plpgsql
set datestyle = iso set intervalstyle = postgres set extra_float_digits = 1 set bytea_output = hex as $$
declare
	names text[];
begin
	execute format('select array_agg(%I::text) from typed', of_column) into names;
	return names;
end
$$;
create function joined(of_column text) returns text language plpgsql as $$
declare
	query text := format('select %1$I, ''is'', number from typed', of_column);
	by_name int;
	by_sync text;
	asked int;
	limited int;
begin
	perform loaded(query);
	execute format('select count(*) from typed t join typed_graph.entity e on e.name = t.%I::text', of_column) into by_name;
	select concat_ws(', ', added, deleted, unchanged) from hkg_sync('typed_graph', query) into by_sync;
	perform hkg_train('typed_graph', 'distmult', 2, iterations => 1, epochs => 1, settings => '{"holdout": 0}');
	select count(distinct head) from hkg_predict_tails('typed_graph', names_of(of_column), 'is', 1, known => true) into asked;
	select count(*) from hkg_predict_heads('typed_graph', 'is', '1', 9, known => true, candidates => names_of(of_column)) into limited;
	perform hkg_drop_graph('typed_graph');
	return format('names %s, sync %s, asked %s, candidates %s', by_name, by_sync, asked, limited);
end
$$;
-- of both rows: a name, a fact that a sync leaves as it is, a question about the column's names, a candidate among them
select joined, string_agg(attname, ', ' order by attnum) as columns from pg_attribute join pg_type t on t.oid = atttypid, joined(attname)
where attrelid = 'typed'::regclass and attnum > 1 and typcategory <> 'A' group by 1;
-- an array is a name as well, though an array of arrays names their elements
select loaded('select list, flags, list from typed');
select count(*) from typed t join typed_graph.entity e on e.name = t.list::text join typed_graph.relation r on r.name = t.flags::text;
select hkg_drop_graph('typed_graph');

-- what a user sees of char(n): a join by the column itself, which compares texts, and the column as an argument
select loaded('select fixed, ''active'', active from typed');
select t.fixed, e.name, e.name = t.fixed as same, o.name as active from typed t left join typed_graph.entity e on t.fixed = e.name
	left join typed_graph.triple f on f.head = e.id left join typed_graph.entity o on o.id = f.tail order by 1;
select added from hkg_load('typed_graph', 'select fixed, ''active'', active from typed where number = 1', 'valid');
set client_min_messages = warning;
select hkg_train('typed_graph', 'distmult', 2, iterations => 1, epochs => 1);
reset client_min_messages;
select count(*) from typed t, hkg_predict_tails('typed_graph', t.fixed, 'active', 1, known => true);
select count(*) from typed t, hkg_complete('typed_graph', 'active', 9, min_probability => 0, heads => array[t.fixed]);
select hkg_score('typed_graph', fixed, 'active', active::text) is not null as scored from typed;
-- false triples, and embeddings of others
create table untrue as select fixed as head, 'active' as relation, not active as tail from typed;
select hkg_learn_thresholds('typed_graph', 'untrue') is not null as learnt;
select entities, relations from hkg_import_embeddings('typed_graph', 'select fixed, array[1, number] from typed union all select ''true'', ''{1, 2}'' union all select ''false'', ''{1, 3}''', 'select ''active''::char(9), array[1, 1]', 'distmult',
	'theirs');
-- a name that is nothing but blanks is empty
select hkg_tools.try($$select hkg_load('typed_graph', 'select ''''::char(5), ''is'', true')$$);
-- where the cast gives null, so is the name
insert into typed (number, made) values (3, 'l');
select hkg_tools.try($$select hkg_load('typed_graph', 'select made, ''is'', number from typed where number = 3')$$);
select hkg_tools.try($$select hkg_complete('typed_graph', candidates => array(select made::text from typed where number = 3))$$);
-- nor is it made with rights that the caller lacks
create role caster;
revoke execute on function size_text from public;
grant usage on schema typed_graph, hkg_tools to caster;
grant select, insert on all tables in schema typed_graph to caster;
grant select on typed to caster;
set role caster;
select hkg_tools.try($$select hkg_load('typed_graph', 'select made, ''is'', number from typed where number = 1')$$);
reset role;
drop owned by caster;
drop role caster;
-- a value has one name, however a session shows it: in queries, of false triples, of embeddings
select added from hkg_load('typed_graph', 'select day, ''in'', whole from typed where number < 3');
begin;
set local datestyle = german;
set local extra_float_digits = -10;
select added, duplicates from hkg_load('typed_graph', 'select day, ''in'', whole from typed where number < 3');
set local client_min_messages = warning;
select hkg_train('typed_graph', 'distmult', 2, iterations => 1, epochs => 1);
reset client_min_messages;
create table never as select day as head, 'in' as relation, whole as tail from typed where number = 1;
select hkg_learn_thresholds('typed_graph', 'never') is not null as learnt;
select entities from hkg_import_embeddings('typed_graph', 'select day, ''{1}''::float4[] from typed where number < 3', 'select ''in'', array[1]', 'distmult', 'dated');
select current_setting('datestyle') as datestyle, current_setting('extra_float_digits') as digits;
rollback;
-- a graph that 0.1.0 has loaded: a sync would delete its facts and add them by their names of today, until it is renamed
select hkg_drop_graph('typed_graph');
select loaded($$values ('ab   ', 'active', 't'), ('cd   ', 'active', 'f')$$);
begin;
select added, deleted, unchanged, entities from hkg_sync('typed_graph', 'select fixed, ''active'', active from typed where number < 3');
rollback;
update typed_graph.entity set name = case name when 't' then 'true' when 'f' then 'false' else rtrim(name) end;
select added, deleted, unchanged, entities from hkg_sync('typed_graph', 'select fixed, ''active'', active from typed where number < 3');

-- ---- names that do not look as they are: counted, the first one shown, and kept ----

select hkg_create_graph('odd');
-- a file with the line ends of another system: bob and "bob\r" are two of four entities
select added, entities from hkg_load('odd', $$select split_part(line, e'\t', 1), split_part(line, e'\t', 2), split_part(line, e'\t', 3)
	from string_to_table(e'ann\tknows\tbob\r\nbob\tknows\tann\r', e'\n') line$$);
-- those are known now; of new ones each end counts once, in entities and relations: " a", "b\t", " c ", "knows "; not "d e"
select added from hkg_load('odd', $$values (' a', 'knows', e'b\t'), (' c ', 'knows ', 'd e'), ('ann', 'knows', e'bob\r')$$);
-- shown as a literal of SQL, a long one without its middle; what a file may begin with is no letter
select added from hkg_load('odd', $$values (e'it''s \\ here\n', 'knows', 'ann')$$);
select added from hkg_load('odd', $$values (repeat('long ', 100), 'knows', 'ann')$$);
select added from hkg_load('odd', $$values (U&'\FEFFann', 'knows', 'ann')$$);
select length(e'it''s \\ here\n') as escaped, count(*) from odd.entity where name = e'it''s \\ here\n';
-- a letter with an accent, and a letter and an accent: three pairs, of a name that is known, of two new ones, of a relation
select added from hkg_load('odd', $$values (U&'Z\00FCrich', U&'\00FCber', 'ann')$$);
select added from hkg_load('odd', $$values (U&'Zu\0308rich', U&'u\0308ber', U&'Ange\0301lique'), ('ann', 'knows', U&'Ang\00E9lique'), (U&'\00DF', 'knows', U&'\5317\4EAC')$$);
-- the other way round; a name in both forms at once; a sign that no form keeps
select added from hkg_load('odd', $$values (U&'e\0301a\0301', 'knows', 'ann')$$);
select added from hkg_load('odd', $$values (U&'\00E9\00E1', 'knows', U&'\00E9a\0301')$$);
-- of a name in both forms at once, one is in the table and one in the load: two names in all
select added from hkg_load('odd', $$values (U&'\00F4\00F4', 'knows', 'ann')$$);
select added from hkg_load('odd', $$values (U&'o\0302o\0302', 'knows', U&'\00F4o\0302')$$);
select added from hkg_load('odd', $$values (U&'\+01D157\+01D165', 'knows', 'ann')$$);
select added from hkg_load('odd', $$values (U&'\+01D15E', 'knows', 'ann')$$);
select count(*), count(distinct normalize(name, nfc)) from odd.entity where name like 'Z%rich' or name like 'Ang%lique';
-- nothing new, and nothing of that kind
select unchanged > 0 as unchanged from hkg_sync('odd', 'select h.name, r.name, t.name from odd.triple join odd.entity h on h.id = head join odd.relation r on r.id = relation join odd.entity t on t.id = tail');
select added from hkg_load('odd', $$values (U&'\00E0', 'knows', 'bob')$$);
-- by a sync, too
select added from hkg_sync('odd', $$values (U&'a\0300', 'knows ', 'last ')$$);

set client_min_messages = warning;
select hkg_drop_graph('odd');
select hkg_drop_graph('typed_graph');
drop table typed, untrue;
drop function loaded, joined, names_of;
drop cast (size as text);
drop function size_text;
drop type colour, pair, code, flag, size;

-- where the server has another encoding, there are no normal forms
\set tested :DBNAME
create database hkg_latin1 template template0 encoding latin1 locale 'C';
\c hkg_latin1
set client_min_messages = warning;
create extension hybridkg;
reset client_min_messages;
select hkg_create_graph('odd');
select added from hkg_load('odd', $$values (chr(252) || 'ber', 'is ', 'u'), ('u' || chr(168) || 'ber', 'is', chr(252) || 'ber')$$);
\c :tested
drop database hkg_latin1;
