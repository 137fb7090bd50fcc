--
-- Some heads, some candidates, one answer a head: the list of hkg_complete is then the whole list, filtered
--
set client_min_messages = warning;
\i test/tools.sql
\i test/sigmoid.sql
reset client_min_messages;
set hybridkg.progress = off;
\t on
\a

-- 90 people in 20 towns of 5 countries: rules and embedding both matter
select hkg_create_graph('g');
select added from hkg_load('g', $$
	select 'p' || i, 'lives', 't' || (i * 7) % 20 from generate_series(1, 90) i where i % 4 > 0
	union all select 't' || i, 'in', 'c' || i % 5 from generate_series(0, 19) i
	union all select 'p' || i, 'from', 'c' || (i * 7) % 20 % 5 from generate_series(1, 90) i where i % 3 > 0
	union all select 'p' || i, 'knows', 'p' || 1 + (i * i) % 90 from generate_series(1, 90) i
	union all values ('p1', 'knows', 'p1')$$);
select hkg_train('g', 'complex', dimensions => 8, iterations => 1, epochs => 3, top_rules => 0);
select hkg_tools.state_sigmoid('g');
-- an entity that comes after the training
select added from hkg_load('g', $$values ('new', 'lives', 't3'), ('p2', 'knows', 'new')$$);

create temp table whole (evidence text, head text, relation text, tail text, score float8, probability float8, rule text);
insert into whole
select e, c.head, c.relation, c.tail, c.score, c.probability, c.rule from unnest(array['embedding', 'rules', 'all']) e, hkg_complete('g', null, 1000000, min_probability => 0, evidence => e) c;
select evidence, count(*) > 1000, count(distinct relation) from whole group by 1 order by 1;

create temp table chosen (number int, names text[]);
insert into chosen values (1, null), (2, array['p3', 'p10', 'p77', 'new', 'nobody']), (3, array(select name from g.entity where id % 2 = 0)),
	(4, array(select name from g.entity where name like 'c%'));

-- of each case: rows that the whole list has not, with the same score, probability and rule, or that are there twice; how many rows are
-- missing; and whether a row that is left out is more probable than one that is listed
create temp table expected as select head, relation, tail, score, probability, rule from whole limit 0;
create temp table listed as select e.*, 0::bigint as place from expected e;
create function pg_temp.faults(what text, relation text, heads text[], candidates text[], k int, floor float8, one_each bool) returns text language plpgsql as $$
declare
	fault text;
begin
	truncate expected, listed;
	insert into expected select w.head, w.relation, w.tail, w.score, w.probability, w.rule from whole w
		where w.evidence = what and (faults.relation is null or w.relation = faults.relation) and w.probability >= floor
			and (heads is null or w.head = any (heads)) and (candidates is null or w.tail = any (candidates));
	insert into listed select c.head, c.relation, c.tail, c.score, c.probability, c.rule, row_number() over () as place
		from hkg_complete('g', faults.relation, k, min_probability => floor, evidence => what, heads => faults.heads, candidates => faults.candidates, one_each => faults.one_each) c;
	if one_each then
		delete from expected e using (select e.head, max(e.probability) as best from expected e group by 1) m where m.head = e.head and e.probability < m.best;
	end if;
	select concat_ws(', ',
		(select 'foreign: ' || count(*) from (select l.head, l.relation, l.tail, l.score, l.probability, l.rule from listed l except all table expected) d having count(*) > 0),
		(select 'missing: ' || n - count(*) from listed, (select least(k, case when one_each then count(distinct e.head) else count(*) end) as n from expected e) m
			group by n having n <> count(*)),
		(select 'missing: all' where not exists (select from listed) and exists (select from expected)),
		(select 'less probable: ' || count(*) from expected e where not exists (select from listed l where l.head = e.head and (one_each or (l.relation, l.tail) = (e.relation, e.tail)))
			and e.probability > (select min(l.probability) from listed l) having count(*) > 0),
		(select 'twice: ' || count(*) from (select l.head from listed l where one_each group by 1 having count(*) > 1) t having count(*) > 0),
		(select 'out of order: ' || count(*) from (select l.probability - lag(l.probability) over (order by l.place) as rise from listed l) t where rise > 0 having count(*) > 0))
	into fault;
	insert into ran select what, count(*) from listed;
	return nullif(fault, '');
end
$$;
create temp table ran (evidence text, listed bigint);
set client_min_messages = warning;
-- a part of all combinations, so that it takes few seconds
create temp table setting as
select *, row_number() over () as place
from unnest(array['embedding', 'rules', 'all']) e, unnest(array[null, 'lives', 'knows', 'from']) r, (select number as h, names as heads from chosen) h,
	(select number as c, names as tails from chosen) c, unnest(array[1, 20, 100000]) k, unnest(array[0, 0.02::float8]) floor, unnest(array[false, true]) one_each;
select e, r, h, c, k, floor, one_each, fault
from setting, pg_temp.faults(e, r, heads, tails, k, floor, one_each) fault
where place % 19 = 0 and fault is not null;
reset client_min_messages;
select evidence, count(*), sum(listed) > 500 from ran group by 1 order by 1;

-- ---- few heads, or few tails ----

-- of the questions about all tails, those about what the few heads' own questions find first are asked
select hkg_create_graph('wide');
select added from hkg_load('wide', $$
	select 'p' || i, 'knows', 'p' || (i * 37 + j * j * j) % 1500 from generate_series(0, 1499) i, generate_series(1, 4) j
	union all select 'p' || i, 'lives', 't' || i % 30 from generate_series(0, 1499) i$$);
set client_min_messages = warning;
select hkg_train('wide', 'complex', dimensions => 8, iterations => 1, epochs => 3, top_rules => 0, paths => false);
select hkg_tools.state_sigmoid('wide');
reset client_min_messages;
create temp table exact as
select e, 'heads' as shown, c.* from unnest(array['embedding', 'rules', 'all']) e, hkg_complete('wide', 'knows', 1000000, min_probability => 0, evidence => e, heads => array['p1', 'p2'], exact => true) c
union all select e, 'candidates', c.* from unnest(array['rules', 'all']) e, hkg_complete('wide', 'knows', 1000000, min_probability => 0, evidence => e, candidates => array['p1', 'p2'], exact => true) c;
create temp table few as
select e, 'heads' as shown, c.* from unnest(array['embedding', 'rules', 'all']) e, hkg_complete('wide', 'knows', 6, min_probability => 0, evidence => e, heads => array['p1', 'p2']) c
union all select e, 'candidates', c.* from unnest(array['rules', 'all']) e, hkg_complete('wide', 'knows', 6, min_probability => 0, evidence => e, candidates => array['p1', 'p2']) c;
-- the best answers to the questions about the few, as many as the list has and 64 more
create temp table first as
select e, 'heads' as shown, p.name as head, t.tail from unnest(array['embedding', 'rules', 'all']) e, unnest(array['p1', 'p2']) p (name),
	hkg_predict_tails('wide', p.name, 'knows', 70, evidence => e) t
union all select e, 'candidates', h.head, p.name from unnest(array['rules', 'all']) e, unnest(array['p1', 'p2']) p (name),
	hkg_predict_heads('wide', 'knows', p.name, 70, evidence => e) h;
select e, shown, count(*) from few group by 1, 2 order by 1, 2;
select 'foreign', e, shown, count(*) from (select * from few except select * from exact) d group by 2, 3;
select 'missing', e, shown, count(*) from (
	select x.* from exact x join first f using (e, shown, head, tail)
	where probability > (select min(probability) from few where (few.e, few.shown) = (x.e, x.shown))
	except select * from few) d group by 2, 3;
select hkg_drop_graph('wide');

-- ---- names of a query ----

set search_path = nowhere;
create temp table mine as select 'p' || i as name from generate_series(1, 9) i;
select count(*), count(distinct head) from public.hkg_complete('g', 'lives', 20, min_probability => 0, heads => array(select name from mine),
	candidates => array(select name from g.entity where name ~ '^t'), one_each => true);
reset search_path;
-- all the ways to ask the same; the type of a parameter is known
select count(*), count(distinct a) from (
	select string_agg(c::text, '|') as a from hkg_complete('g', 'lives', 5, min_probability => 0, heads => array(select name from mine)) c
	union all select string_agg(c::text, '|') from hkg_complete('g', 'lives', 5, min_probability => 0, heads => array(select name::varchar from mine union all select 'p1')) c
	union all select string_agg(c::text, '|') from hkg_complete('g', 'lives', 5, min_probability => 0, heads => array(select name::name from mine)) c
	union all select string_agg(c::text, '|') from (select array_agg(name) as q from mine) q, hkg_complete('g', 'lives', 5, min_probability => 0, heads => q) c) x;
prepare ask as select count(*) from hkg_complete('g', 'lives', 5, min_probability => 0, heads => $1, candidates => $2);
execute ask('{p1,p2,p3,p4,p5,p6,p7,p8,p9}', array['t1', 't2', 't3']);
execute ask(null, array['t1', 't2', 't3']);
execute ask(null, null);
-- single questions and many: what the whole list of a question has
select count(*) > 5, count(*) filter (where l is null or l.score <> p.score or l.probability <> p.probability) from
	(select q.name as head, p.* from mine q, hkg_predict_tails('g', q.name, 'lives', 3, candidates => array(select name from g.entity where name ~ '5$')) p) p
	left join lateral (select * from hkg_predict_tails('g', p.head, 'lives', 1000) l where l.tail = p.tail) l on true;
select hkg_tools.differ($$select q.name, p.* from mine q, hkg_predict_tails('g', q.name, 'lives', 3, candidates => array['t1', 't5', 'nobody']) p$$,
	$$select * from hkg_predict_tails('g', heads => array(table mine), relation => 'lives', k => 3, candidates => array['t1', 't5'])$$);
select hkg_tools.differ($$select q.name, p.* from mine q, hkg_predict_heads('g', 'knows', q.name, 3, known => true, candidates => array(select name from mine)) p$$,
	$$select * from hkg_predict_heads('g', 'knows', tails => array(select name from mine), k => 3, known => true, candidates => array(table mine))$$);

-- ---- what is empty, null, unknown, of another type, or not to be read ----

select count(*) from hkg_complete('g', 'lives', candidates => '{}'::text[]);
select count(*) from hkg_complete('g', candidates => array['nobody', 'nothing']);
select count(*) from hkg_complete('g', 'lives', 5, min_probability => 0, heads => null, candidates => null);
select count(*) from hkg_predict_tails('g', 'p1', 'lives', candidates => array(select name from mine where false));
select number, regexp_replace(report, 'needs (at least )?\d+ MB', 'needs … MB') from unnest(array[
	$$select hkg_complete('g', candidates => array['t1', null])$$,
	$$select hkg_complete('g', heads => 'select name from mine')$$,
	$$select hkg_complete('g', one_each => null)$$,
	$$select hkg_predict_tails('g', heads => array['nobody'], relation => 'lives')$$,
	$$select hkg_predict_tails('g', 1, 'lives')$$,
	$$select hkg_predict_heads('g', 'lives', tails => null)$$,
	$$set local hybridkg.max_memory = '1MB'; select hkg_complete('g', heads => array(select 'name ' || i from generate_series(1, 100000) i))$$
	]) with ordinality c (call, number), hkg_tools.try(call);

select hkg_drop_graph('g');
