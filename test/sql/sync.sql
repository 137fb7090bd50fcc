-- A graph in step with tables: hkg_sync; facts held out and taken back: hkg_split
\pset null '(null)'
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
create table line (head text, relation text, tail text);
insert into line values ('ann', 'knows', 'ben'), ('ben', 'knows', 'cat'), ('cat', 'knows', 'ann'), ('ann', 'knows', 'ben');
select hkg_create_graph('g');

-- without a query, and with none that can be run
select * from g.source;
select hkg_tools.try($$select hkg_sync('g')$$);
select hkg_tools.try($$select hkg_sync('g', 'select head, relation from line', keep => true)$$);
select hkg_tools.try($$select hkg_sync('g', 'delete from line returning *', keep => true)$$);
select hkg_tools.try($$select hkg_sync('g', 'select 1, 2, 3; select 4, 5, 6', keep => true)$$);
select hkg_tools.try($$select hkg_sync('g', 'table nowhere', keep => true)$$);
select hkg_tools.try($$select hkg_sync('g', prune => null)$$);
select hkg_tools.try($$select hkg_sync('g', keep => null)$$);
select count(*) from g.source;

-- three facts; a row that comes twice is one
select * from hkg_sync('g', 'select * from line', keep => true);
select * from g.source;
select * from hkg_sync('g', 'table line', keep => true);
select * from hkg_sync('g');
select hkg_sync('g');
-- one gone, one new with a new name and a new relation
delete from line where head = 'cat';
insert into line values ('ben', 'likes', 'dan');
select * from hkg_sync('g');
select h.name, r.name, t.name from g.triple
	join g.entity h on h.id = head join g.relation r on r.id = relation join g.entity t on t.id = tail order by 1, 2, 3;
-- another query for once
select * from hkg_sync('g', $$select 'ann', 'knows', 'ben'$$);
select query from g.source;
select * from hkg_sync('g');

-- a bad row is named, and nothing is changed
begin;
insert into line values ('eve', 'knows', null);
select hkg_tools.try($$select hkg_sync('g')$$);
update line set tail = '' where tail is null;
select hkg_tools.try($$select hkg_sync('g')$$);
rollback;
-- nor by a query that returns nothing
select hkg_tools.try($$select hkg_sync('g', 'select * from line where false')$$);
select count(*), (select count(*) from g.entity) as entities from g.triple;
begin;
select * from hkg_sync('g', 'select * from line where false', allow_empty => true);
select count(*), (select count(*) from g.entity) as entities from g.triple;
rollback;
set hybridkg.progress = off;
-- entities stay with their embeddings until they are pruned: cat has a fact, dan has none any more
select hkg_train('g', 'distmult', dimensions => 2, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, settings => '{"holdout": 0}');
delete from line where tail = 'dan';
select * from hkg_sync('g');
select e.name, v.entity is not null as embedded from g.entity e left join g.entity_embedding v on v.entity = e.id order by 1;
select * from hkg_sync('g', prune => true);
select e.name, v.entity is not null as embedded from g.entity e left join g.entity_embedding v on v.entity = e.id order by 1;

-- what is held out stays so, by sync and by load, and is counted
select * from hkg_load('g', $$values ('ann', 'knows', 'cat'), ('cat', 'knows', 'eve')$$, 'test');
insert into line values ('ann', 'knows', 'cat');
select * from hkg_sync('g');
select * from hkg_load('g', $$values ('ann', 'knows', 'cat'), ('ann', 'knows', 'ben'), ('ben', 'knows', 'ann')$$);
-- a fact that is learnt and held out: training says so, sync mends it
insert into g.triple select head, relation, tail from g.holdout;
select hkg_train('g', 'distmult', dimensions => 2, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, settings => '{"holdout": 0}');
select * from hkg_sync('g');
select hkg_train('g', 'distmult', dimensions => 2, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, settings => '{"holdout": 0}');
-- eve is in a held-out fact that the query lacks
select * from hkg_sync('g', prune => true);
select split, h.name, t.name from g.holdout join g.entity h on h.id = head join g.entity t on t.id = tail;
select name from g.entity order by 1;
-- but not all of them are deleted
delete from line where (head, tail) = ('ann', 'cat');
select hkg_tools.try($$select hkg_sync('g', prune => true)$$);
select * from hkg_sync('g');

-- the caller's search_path, and none of its operators for our own statements
create schema elsewhere;
create table elsewhere.line as values ('fay', 'knows', 'gus');
create function elsewhere.same(int, int) returns boolean language plpgsql as $$ begin raise 'an operator of somebody''s'; end $$;
create operator elsewhere.= (leftarg = int, rightarg = int, function = elsewhere.same);
begin;
set local search_path = elsewhere, public, pg_catalog;
select * from hkg_sync('g');
rollback;

-- a value has one name, however the session shows such values
begin;
set local datestyle = german;
set local intervalstyle = iso_8601;
set local extra_float_digits = -10;
set local bytea_output = escape;
select added from hkg_load('g', $$values (date '2024-02-01', interval '1 day 02:03:04', 0.1::float8 + 0.2)$$);
select added, duplicates from hkg_load('g', $$values ('2024-02-01', '1 day 02:03:04', '0.30000000000000004')$$);
select added from hkg_load('g', $$values ('\x0102'::bytea, '\x0102', '\x0102')$$);
select name from g.entity where name like '%0%' order by 1;
select current_setting('datestyle') as datestyle, current_setting('intervalstyle') as intervalstyle;
rollback;

-- a policy or a trigger that keeps facts: an error, and nothing is changed
create function keep() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger keep before delete on g.triple for each row execute function keep();
delete from line where head = 'ben';
select hkg_tools.try($$select hkg_sync('g')$$);
drop trigger keep on g.triple;
select * from hkg_sync('g');

-- ---- 200 rounds of random changes, against the tables rebuilt ----

select hkg_create_graph('random');
truncate line;
create function draw(int) returns int language sql as $$ select floor(random() * $1)::int $$;
create function same(graph_rounds int) returns table (what text, rounds bigint) language plpgsql as $$
declare
	found record;
	wanted record;
begin
	create temp table expected (head text, relation text, tail text) on commit drop;
	create temp table before (head text, relation text, tail text) on commit drop;
	create temp table held (head text, relation text, tail text) on commit drop;
	create temp table outcome (what text) on commit drop;
	for round in 1 .. graph_rounds loop
		insert into line select 'e' || draw(60), 'r' || draw(4), 'e' || draw(60) from generate_series(1, draw(40));
		delete from line where random() < 0.05 * draw(3);
		if draw(10) = 0 then
			perform hkg_split('random', valid => draw(3) * 0.05, test => draw(3) * 0.05, seed => round);
		elsif draw(10) = 0 then	-- by hand, among the facts, too
			insert into random.holdout select 'test', * from random.triple where random() < 0.05 on conflict do nothing;
		end if;
		truncate before, expected, held;
		insert into before select h.name, r.name, t.name from random.triple
			join random.entity h on h.id = head join random.relation r on r.id = relation join random.entity t on t.id = tail;
		insert into held select distinct h.name, r.name, t.name from random.holdout
			join random.entity h on h.id = head join random.relation r on r.id = relation join random.entity t on t.id = tail;
		insert into expected select * from line except select * from held;
		select (select count(*) from (table expected except table before) a), (select count(*) from (table before except table expected) d),
			(select count(*) from (table before intersect table expected) u), (select count(*) from (table line intersect table held) o) into wanted;
		select added, deleted, unchanged, held_out from hkg_sync('random', 'table line', allow_empty => true) into found;
		insert into outcome select 'counts' where found = wanted;
		insert into outcome select 'facts' where not exists (
			(select h.name, r.name, t.name from random.triple
				join random.entity h on h.id = head join random.relation r on r.id = relation join random.entity t on t.id = tail
			except table expected) union all
			(table expected except select h.name, r.name, t.name from random.triple
				join random.entity h on h.id = head join random.relation r on r.id = relation join random.entity t on t.id = tail));
		insert into outcome select 'held out' where not exists (table held except select h.name, r.name, t.name from random.holdout
			join random.entity h on h.id = head join random.relation r on r.id = relation join random.entity t on t.id = tail);
		if draw(10) = 0 then
			perform hkg_split('random', 0, 0);
			insert into outcome select 'taken back' where (select count(*) from random.holdout) = 0
				and (select count(*) from random.triple) = (select count(*) from (table expected union table held) f);
			perform hkg_sync('random', 'table line', prune => true, allow_empty => true);
			insert into outcome select 'pruned' where not exists ((select name from random.entity) except (select head from line union select tail from line));
		else
			insert into outcome values ('taken back'), ('pruned');
		end if;
	end loop;
	return query select o.what, count(*) from outcome o group by 1;
end
$$;
select setseed(0.5);
set client_min_messages = warning;
select * from same(200) order by 1;
reset client_min_messages;

-- ---- splits ----

select hkg_create_graph('s');
-- 1,000 facts of 100 entities in 5 relations; the relation "rare" has one fact, and "alone" is in no other
create table fact as select distinct 'e' || (hashint8extended(i, 1) & 1073741823) % 100 as head, 'r' || i % 5 as relation,
	'e' || (hashint8extended(i, 2) & 1073741823) % 100 as tail from generate_series(1, 1010) i;
delete from fact where (head, relation, tail) not in (select * from fact order by 1, 2, 3 limit 998);
insert into fact values ('e1', 'rare', 'e2'), ('alone', 'r1', 'e2');
select added, entities, relations from hkg_sync('s', 'table fact', keep => true);
-- a twentieth and a tenth
select * from hkg_split('s', valid => 0.05, test => 0.1, seed => 1);
create table once as select * from s.holdout;
-- the same facts and seed give the same splits, another seed others
select * from hkg_split('s', valid => 0.05, test => 0.1, seed => 1);
select count(*) from (table once except table s.holdout) d;
select * from hkg_split('s', valid => 0.05, test => 0.1, seed => 2);
select count(*) > 100 from (table once except table s.holdout) d;
-- no entity and no relation lost its last fact; nothing is in two splits, nothing is lost
select count(*) from s.entity where id not in (select head from s.triple union select tail from s.triple);
select count(*) from s.relation where id not in (select relation from s.triple);
select count(*) from (select head, relation, tail from s.holdout union table s.triple) f;
select added, deleted, unchanged, held_out from hkg_sync('s');
-- one split alone
create table tests as select * from s.holdout where split = 'test';
select * from hkg_split('s', valid => 0, test => null);
select count(*) from (table tests except table s.holdout) d;
select * from hkg_split('s', valid => 0.1, test => null);
select split, count(*) from s.holdout group by 1 order by 1;
-- what a trigger keeps is not held out and learnt as well
create trigger keep before delete on s.holdout for each row execute function keep();
select hkg_tools.try($$select hkg_split('s', 0, 0)$$);
drop trigger keep on s.holdout;
select count(*) from (select head, relation, tail from s.holdout intersect table s.triple) f;
-- all taken back
select * from hkg_split('s', 0, 0);
-- facts that a model has learnt are no measure of it; taking them back is none, either
set client_min_messages = warning;
select hkg_train('s', 'transe', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0);
reset client_min_messages;
select * from hkg_split('s', valid => 0.05, test => 0.1, seed => 1);
select * from hkg_split('s', 0, 0);
select added, deleted, unchanged, held_out from hkg_sync('s');
-- as many as can be
select hkg_create_graph('chain');
select added from hkg_load('chain', $$select 'e' || i, 'next', 'e' || i + 1 from generate_series(1, 100) i$$);
select train_facts + valid_facts + test_facts as facts, test_facts < 50 as fewer from hkg_split('chain', valid => 0, test => 0.5);
select count(*) from chain.entity where id not in (select head from chain.triple union select tail from chain.triple);
-- 5,685 entities with one fact, which is their last one, and a ring of 45 entities, each with the next seven: 315 facts.  The
-- ring's facts that stay touch each of its entities: 23 do so at least, as 22 leave one out, so 292 go at most.  When no more
-- can go, no fact that stays has both of its entities in another one: the facts are stars.  As an entity has 14 neighbours, a
-- star has 15 entities at most, so there are three stars or more, and 45 - 3 facts or fewer: 273 go at least.
select hkg_create_graph('hub');
select added from hkg_load('hub', $$select 'u' || i, 'likes', 'hub' from generate_series(1, 5685) i
	union all select 'd' || i, 'likes', 'd' || (i + k) % 45 from generate_series(0, 44) i, generate_series(1, 7) k$$);
create function can_go(graph name) returns bigint language plpgsql as $$
declare
	found bigint;
begin
	execute format('select count(*) from %1$I.triple f
		where exists (select from %1$I.triple o where f.head in (o.head, o.tail) and o <> f)
			and exists (select from %1$I.triple o where f.tail in (o.head, o.tail) and o <> f)
			and exists (select from %1$I.triple o where f.relation = o.relation and o <> f)', graph) into found;
	return found;
end $$;
set client_min_messages = warning;
-- 0.05 of 6,000 facts are 300; a training of its own does not find too few, either
select valid_facts between 273 and 292 as as_many_as_can, can_go('hub') from hkg_split('hub', valid => 0.05, test => 0, seed => 1);
select valid_facts between 273 and 292 as as_many_as_can, can_go('hub') from hkg_split('hub', valid => 0.5, test => 0, seed => 2);
-- what there is becomes valid and test by their shares
select valid_facts + test_facts between 273 and 292 as as_many_as_can, valid_facts / round(test_facts, 1) between 1.95 and 2.05 as twice, can_go('hub')
from hkg_split('hub', valid => 0.1, test => 0.05, seed => 3);
select train_facts from hkg_split('hub', 0, 0);
select hkg_train('hub', 'distmult', 4, iterations => 1, epochs => 1, paths => false);
select evidence->'calibration' is not null as calibrated from hub.model;
reset client_min_messages;
-- i and 7 i modulo 40, i to 200: an entity above 40 has one fact, as has 40; the facts of 1 to 39 can all go, whatever the order
select hkg_create_graph('fan');
select added from hkg_load('fan', $$select 'a' || i, 'r', 'a' || (i * 7) % 40 from generate_series(1, 200) i$$);
select valid_facts + test_facts as held_out, abs(valid_facts - test_facts) as differ from hkg_split('fan', 0.1, 0.1);
-- shares are rounded: 0.03 of 30 facts are 0.9, 0.05 are 1.5; less than a half is none, and this is said
select hkg_create_graph('small');
select added from hkg_load('small', $$select 'a' || i, 'r', 'a' || (i + 1) % 30 from generate_series(0, 29) i$$);
select * from hkg_split('small');
select * from hkg_split('small', 0.05, 0);
select * from hkg_split('small', 0.01, 0.05);
select hkg_create_graph('none');
select * from hkg_split('none');
select hkg_tools.try($$select hkg_split('s', valid => 0.6)$$);
select hkg_tools.try($$select hkg_split('s', valid => 'nan')$$);
select hkg_tools.try($$select hkg_split('s', seed => null)$$);
select hkg_tools.try($$select hkg_split('nowhere')$$);

begin read only;
select hkg_sync('s');
rollback;
begin read only;
select hkg_split('s');
rollback;

-- tables are analyzed when more than a tenth of the facts changes
select hkg_create_graph('few');
create temp table step as select * from (values (1, 100), (2, 105), (3, 110), (4, 123)) s (n, facts);
create function load_up_to(facts int) returns real language sql as $$
	select hkg_load('few', format('select ''e'' || i, ''r'', ''e'' || i + 1 from generate_series(1, %s) i', facts));
	select reltuples from pg_class where oid = 'few.triple'::regclass
$$;
select facts, load_up_to(facts) as analyzed from step order by n;
drop function load_up_to;

set client_min_messages = warning;
select hkg_drop_graph('few');
select hkg_drop_graph(g) from unnest(array['g', 'random', 's', 'chain', 'hub', 'fan', 'small', 'none']) g;
drop table line, fact, once, tests;
drop function draw, same, keep, can_go;
drop schema elsewhere cascade;
