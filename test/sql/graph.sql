-- Graphs: made, filled, refused, removed.
\pset null '(null)'
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;

select hkg_create_graph('sports');
select table_name from information_schema.tables where table_schema = 'sports' order by 1;
select hkg_tools.try($$select hkg_create_graph('sports')$$);
select hkg_tools.try($$select hkg_create_graph(null)$$);
select hkg_tools.try($$select hkg_create_graph('')$$);
-- search_path would take it for the schema of whoever looks: its tables would be made in another one
select hkg_tools.try($$select hkg_create_graph('$user')$$);
-- a graph is made of tables of its own, whatever temporary ones the caller has
begin;
create temp table entity (id int primary key, name text);
create temp table triple (relation int, head int, tail int);
select hkg_create_graph('beside');
select indexname, schemaname from pg_indexes where tablename = 'triple' and schemaname <> 'sports' order by 1;
select obj_description('pg_temp.triple'::regclass), obj_description('beside.triple'::regclass);
rollback;

-- loading: 4 rows, one of them twice; messi, ronaldo, barcelona, real, football are 5 entities
select * from hkg_load('sports', $$values ('messi', 'plays_for', 'barcelona'), ('ronaldo', 'plays_for', 'real'),
	('barcelona', 'club_type', 'football'), ('messi', 'plays_for', 'barcelona')$$);
-- again: nothing is new but real's club type
select * from hkg_load('sports', $$select * from (values ('messi', 'plays_for', 'barcelona', 1), ('real', 'club_type', 'football', 2)) t$$);
-- held out; a name that training does not know is added
select * from hkg_load('sports', $$values ('messi', 'plays_sport', 'football'), ('pele', 'plays_sport', 'football')$$, 'test');
select * from hkg_load('sports', $$values ('messi', 'plays_sport', 'football')$$, split => 'valid');
-- an id that somebody chose, 0 included, is as good as others
begin;
insert into sports.entity values (0, 'neymar');
select * from hkg_load('sports', $$values ('neymar', 'plays_sport', 'football')$$);
rollback;
select h.name, r.name, t.name from sports.triple
	join sports.entity h on h.id = head join sports.relation r on r.id = relation join sports.entity t on t.id = tail
	order by 1, 2, 3;
select split, h.name, r.name, t.name from sports.holdout
	join sports.entity h on h.id = head join sports.relation r on r.id = relation join sports.entity t on t.id = tail
	order by 1, 2, 3, 4;
-- any type is taken as text; a trailing semicolon, comments, any form of SELECT, the caller's search_path
create schema business;
create table business.orders (customer int, product numeric, day date);
insert into business.orders values (7, 1.50, '2026-01-02');
set search_path = business, public;
select * from hkg_load('sports', 'table orders; -- all of them');
select * from hkg_load('sports', $$with o as (select * from orders) select customer, 'bought', product from o$$);
reset search_path;
-- but none of its operators serve ours
create function business.same(name, name) returns boolean language plpgsql as $$ begin raise 'an operator of somebody''s'; end $$;
create operator business.= (leftarg = name, rightarg = name, function = business.same);
set search_path = business, pg_catalog;
select public.hkg_load('nowhere', 'select 1, 2, 3');
reset search_path;
drop operator business.= (name, name);
drop function business.same;
select name from sports.entity order by id;
-- names with anything in them
select * from hkg_load('sports', $$values (E'quote '' and "', 'a, (b) <= "c"', E'line\nbreak'), ('ünïcode', ' ', '⚽')$$);
select encode(convert_to(name, 'utf8'), 'escape') from sports.entity order by id desc limit 4;

-- what a load refuses; nothing is kept of it
create temp table before as select (select count(*) from sports.triple) triples, (select count(*) from sports.entity) entities;
select hkg_tools.try($$select hkg_load('sports', 'values (''a'', ''b'', ''c''), (''new'', null, ''c'')')$$);
select hkg_tools.try($$select hkg_load('sports', 'values (''new'', ''b'', ''c''), (''a'', ''b'', '''')')$$);
select hkg_tools.try($$select hkg_load('sports', 'select 1, 2')$$);
select hkg_tools.try($$select hkg_load('sports', 'delete from sports.triple returning head, relation, tail')$$);
select hkg_tools.try($$select hkg_load('sports', 'with gone as (delete from sports.triple returning head, relation, tail) select * from gone')$$);
select hkg_tools.try($$select hkg_load('sports', 'select head, relation, tail from sports.triple for update')$$);
select hkg_tools.try($$select hkg_load('sports', 'select 1, 2, 3; select 4, 5, 6')$$);
select hkg_tools.try($$select hkg_load('sports', '')$$);
select hkg_tools.try($$select hkg_load('sports', 'selec 1')$$);
select hkg_tools.try($$select hkg_load('sports', 'values (1, 2, 3)', 'dev')$$);
-- a name has to fit its index, in which it is compressed; 100 digests are not compressible
select hkg_create_graph('long');
select hkg_tools.try($$select hkg_load('long', 'select ''a'', ''b'', ''c'' union all select ''a'', ''b'', string_agg(md5(i::text), '''' order by i) from generate_series(1, 100) i')$$);
select hkg_tools.try($$select hkg_load('long', 'select ''a'', string_agg(md5(i::text), '''' order by i), ''c'' from generate_series(1, 1000) i')$$);
select entities from hkg_load('long', $$values ('a', 'b', repeat('c', 100000))$$);
-- three such names, and c: what the hint says is good for all of them
create view long_name as select string_agg(md5(i::text), '' order by i) as name from generate_series(1, 300) i group by i % 3;
select substring(report from 'query: (.*)\.$') as shortened from hkg_tools.try($$select hkg_load('long', 'select name, ''b'', ''c'' from long_name')$$) where report like 'HINT%'
\gset
select entities from hkg_load('long', format('select %s, ''b'', ''c'' from long_name', :'shortened'));
drop view long_name;
select hkg_drop_graph('long');
-- rows are kept until they are written: 100,000 names take more than 1 MB, and so do 100,000 rows of one name
set hybridkg.max_memory = '1MB';
select hkg_tools.try($$select hkg_load('sports', 'select i, ''b'', ''c'' from generate_series(1, 100000) i')$$);
select hkg_tools.try($$select hkg_load('sports', 'select ''a'', ''b'', ''c'' from generate_series(1, 100000)')$$);
reset hybridkg.max_memory;
select hkg_tools.try($$select hkg_load('sports', null)$$);
select hkg_tools.try($$select hkg_load(null, 'values (1, 2, 3)')$$);
select hkg_tools.try($$select hkg_load('sport', 'values (1, 2, 3)')$$);
select hkg_tools.try($$select hkg_load('business', 'values (1, 2, 3)')$$);
select b.triples = (select count(*) from sports.triple), b.entities = (select count(*) from sports.entity) from before b;

-- plain SQL adds and deletes facts, keys and all
insert into sports.entity (name) values ('neymar');
insert into sports.triple select h.id, r.id, t.id from sports.entity h, sports.relation r, sports.entity t
	where h.name = 'neymar' and r.name = 'plays_for' and t.name = 'barcelona';
select hkg_tools.try($$insert into sports.triple values (-1, -1, -1)$$);
select hkg_tools.try($$insert into sports.entity (name) values ('')$$);

-- loads in one statement see each other's names
select hkg_load('sports', format('values (%L, ''plays_for'', ''ajax'')', p)) from unnest(array['cruyff', 'cruyff', 'keizer']) p;

-- a name that needs quotes
select hkg_create_graph('My "odd" graph');
select * from hkg_load('My "odd" graph', $$values ('a', 'b', 'c')$$);
select * from "My ""odd"" graph".triple;
-- ids that were given in plain SQL are not the sequence's: the hint says what to do, and does it
insert into "My ""odd"" graph".entity select i, 'e' || i from generate_series(3, 7) i;
select hkg_tools.try($$select hkg_load('My "odd" graph', 'values (''e7'', ''b'', ''f'')')$$);
select substring(report from 'with: (.*)') as advice from hkg_tools.try($$select hkg_load('My "odd" graph', 'values (''e7'', ''b'', ''f'')')$$) where report like 'HINT%'
\gset
:advice;
select * from hkg_load('My "odd" graph', $$values ('e7', 'b', 'f')$$);
select id from "My ""odd"" graph".entity where name = 'f';
select hkg_drop_graph('My "odd" graph');

-- the version of its tables; a graph of another one is refused, with the way out
select version, hkg_upgrade_graph('sports') from sports.layout;
begin;
create or replace view sports.layout as select 0 as version;
select hkg_tools.try($$select hkg_load('sports', 'values (1, 2, 3)')$$);
select hkg_tools.try($$select hkg_score('sports', 'messi', 'plays_for', 'real')$$);
rollback;
begin;
create or replace view sports.layout as select 1000 as version;
select hkg_tools.try($$select hkg_load('sports', 'values (1, 2, 3)')$$);
select hkg_tools.try($$select hkg_upgrade_graph('sports')$$);
select hkg_drop_graph('sports');
rollback;
begin;
create or replace view sports.layout as select null::int as version;
select hkg_tools.try($$select hkg_upgrade_graph('sports')$$);
rollback;
select hkg_tools.try($$select hkg_upgrade_graph('business')$$);
select hkg_tools.try($$select hkg_upgrade_graph(null)$$);
begin read only;
select hkg_tools.try($$select hkg_upgrade_graph('sports')$$);
rollback;

-- sessions are told that facts have changed by a transaction that changes them, and by no other
select hkg_tools.try($$select hkg_facts_changed('sports.triple')$$);
select hkg_tools.try($$select hkg_facts_changed(0)$$);

-- only its owner removes a graph, or upgrades it
create role hkg_stranger;
set role hkg_stranger;
select hkg_tools.try($$select hkg_drop_graph('sports')$$);
select hkg_tools.try($$select hkg_upgrade_graph('sports')$$);
select hkg_tools.try($$select hkg_facts_changed('sports.triple'::text::regclass)$$) as denied;
-- an upgrade reads what its owner made of the view with the owner's rights alone
reset role;
begin;
alter schema sports owner to hkg_stranger;
alter view sports.layout owner to hkg_stranger;
create function hkg_tools.whoami() returns int language plpgsql as $$ begin return case current_user when 'hkg_stranger' then 2 else 1000 end; end $$;
create or replace view sports.layout as select hkg_tools.whoami() as version;
select hkg_upgrade_graph('sports');
rollback;
set role hkg_stranger;
select hkg_tools.try($$select hkg_load('sports', 'values (1, 2, 3)')$$);
reset role;
select hkg_tools.try($$select hkg_drop_graph('business')$$);
select hkg_tools.try($$select hkg_drop_graph('nowhere')$$);

-- what depends on a graph elsewhere is dropped with it only when that is said; what its owner made in its schema is its own
create view business.who as select name from sports.entity;
create view business.how_many as select count(*) from business.who;
create table business.contract (player int references sports.entity, facts sports.triple[]);
create view sports.own as select h.name from sports.entity h join sports.triple t on t.head = h.id;
create table sports.note (entity int references sports.entity);
select hkg_tools.try($$select hkg_drop_graph('sports')$$);
select hkg_tools.try($$select hkg_drop_graph('sports', cascade => null)$$);
begin;
select hkg_drop_graph('sports', cascade => true);
select to_regclass('business.who') as who, to_regclass('business.how_many') as how_many, count(*) as columns
from information_schema.columns where table_schema = 'business' and table_name = 'contract';
rollback;
-- a dozen are counted
do $$ begin for i in 1..12 loop execute format('create view business.v%s as select id from sports.relation', i); end loop; end $$;
select hkg_tools.try($$select hkg_drop_graph('sports')$$);
do $$ begin for i in 1..12 loop execute format('drop view business.v%s', i); end loop; end $$;
drop view business.how_many, business.who;
drop table business.contract;
select hkg_drop_graph('sports');
select count(*) from pg_namespace where nspname = 'sports';
drop role hkg_stranger;
drop schema business cascade;
