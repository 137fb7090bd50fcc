--
-- Types: answers are entities that stand on a side of that type.  What is listed is what all entities would be, filtered
--
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
set hybridkg.progress = off;
\t on
\a

-- 350 people, 20 towns, 5 countries, 40 firms: whole tiles of candidates are of other types
select hkg_create_graph('g');
select added from hkg_load('g', $$
	select 'p' || i, 'lives', 't' || (i * 7) % 20 from generate_series(1, 350) i where i % 4 > 0
	union all select 't' || i, 'in', 'c' || i % 5 from generate_series(0, 19) i
	union all select 'p' || i, 'from', 'c' || (i * 7) % 20 % 5 from generate_series(1, 350) i where i % 3 > 0
	union all select 'f' || i, 'seat', 't' || i % 20 from generate_series(1, 40) i
	union all select 'p' || i, 'works', 'f' || 1 + (i * i) % 40 from generate_series(1, 350) i where i % 5 > 0
	union all select 'p' || i, 'likes', case when i % 2 = 0 then 'p' || 1 + (i * i) % 350 else 'f' || i % 40 + 1 end from generate_series(1, 350) i
	union all values ('p1', 'likes', 'p1')$$);
select hkg_train('g', 'complex', dimensions => 8, iterations => 1, epochs => 3, top_rules => 0, settings => '{"paths": true, "path_layers": 2, "path_width": 16, "path_kept": 50, "path_epochs": 1}');
-- an entity that comes after the training, and one that is in no fact
select added from hkg_load('g', $$values ('new', 'lives', 't3'), ('p2', 'likes', 'new')$$);
insert into g.entity (name) values ('nobody');

create temp table kind (evidence text);
insert into kind values ('embedding'), ('rules'), ('all');
create temp table asked as
select distinct * from (select distinct on (r.name, side, t.head % 2) r.name as relation, side, case when side = 'tail' then h.name else e.name end as given
from g.triple t join g.relation r on r.id = t.relation join g.entity h on h.id = t.head join g.entity e on e.id = t.tail,
	unnest(array['tail', 'head']) side
order by r.name, side, t.head % 2, t.head) a;
create function pg_temp.lists() returns table (evidence text, asked text, relation text, side text, given text, answer text, score float8, place bigint)
language sql as $$
	select k.evidence, 'one', a.relation, a.side, a.given, p.answer, p.score, p.place
	from kind k, asked a, lateral (
		select tail, score, ordinality from hkg_predict_tails('g', a.given, a.relation, 2000, known => true, evidence => k.evidence) with ordinality where a.side = 'tail'
		union all
		select head, score, ordinality from hkg_predict_heads('g', a.relation, a.given, 2000, known => true, evidence => k.evidence) with ordinality where a.side = 'head'
	) p (answer, score, place)
	union all
	select k.evidence, 'many', a.relation, a.side, p.*
	from kind k, (select relation, side, array_agg(given) as given from asked group by 1, 2) a, lateral (
		select head, tail, score, row_number() over (partition by head order by ordinality)
		from hkg_predict_tails('g', a.given, a.relation, 2000, known => true, evidence => k.evidence) with ordinality where a.side = 'tail'
		union all
		select tail, head, score, row_number() over (partition by tail order by ordinality)
		from hkg_predict_heads('g', a.relation, a.given, 2000, known => true, evidence => k.evidence) with ordinality where a.side = 'head'
	) p
	union all
	select k.evidence, 'among', a.relation, a.side, a.given, p.answer, p.score, p.place
	from kind k, asked a, (select array_agg(name) as names from g.entity where id % 2 = 0) e, lateral (
		select tail, score, ordinality from hkg_predict_tails('g', a.given, a.relation, 2000, known => true, evidence => k.evidence, candidates => names) with ordinality where a.side = 'tail'
		union all
		select head, score, ordinality from hkg_predict_heads('g', a.relation, a.given, 2000, known => true, evidence => k.evidence, candidates => names) with ordinality where a.side = 'head'
	) p (answer, score, place)
$$;
create function pg_temp.completed() returns table (evidence text, head text, relation text, tail text, score float8)
language sql as $$
	select k.evidence, c.head, c.relation, c.tail, c.score from unnest(array['embedding', 'all']) k(evidence), hkg_complete('g', 'seat', 100000, min_probability => 0, evidence => k.evidence) c
$$;
create temp table whole as select * from pg_temp.lists();
create temp table whole_missing as select * from pg_temp.completed();
analyze whole, whole_missing;
create temp table whole_relations as
select e.head, e.tail, p.* from (values ('p1', 't7'), ('p4', 'p8'), ('new', 'f3'), ('f9', 't9')) e (head, tail), hkg_predict_relations('g', e.head, e.tail, 20, known => true) p;
select evidence, asked, count(*) > 5000, count(distinct answer) > 300 from whole group by 1, 2 order by 1, 2;

-- who may answer, by the facts: of side s those who stand on it, or on a side whose types are all among those of s
create function pg_temp.members() returns table (relation text, side text, member text) language sql as $$
	with side as (
		select r.name, 'head' as side, head_types as types, t.head as id from g.relation r join g.triple t on t.relation = r.id
		union select r.name, 'tail', tail_types, t.tail from g.relation r join g.triple t on t.relation = r.id
	)
	select distinct a.name, a.side, e.name from (select distinct name, side, types from side) a
		join side b on (a.name, a.side) = (b.name, b.side) or (cardinality(b.types) > 0 and b.types <@ a.types) or a.types is null
		join g.entity e on a.types is null or e.id = b.id
$$;
-- Rows that a list by types has and should not have, or lacks; also in their order.  What is expected of a new entity depends on the other
-- candidates: where the embedding has evidence beside it, it has another score.
create function pg_temp.faults() returns table (faults text) language plpgsql as $$
begin
	drop table if exists member, typed, missing, expected, expected_missing;
	create temp table member as select * from pg_temp.members();
	create temp table typed as
	select evidence, asked, relation, side, given, answer, score, row_number() over (partition by evidence, asked, relation, side, given order by place) as place
	from pg_temp.lists() where evidence <> 'all' or answer <> 'new';
	create temp table missing as select * from pg_temp.completed();
	analyze member, typed, missing;
	create temp table expected as
	select w.evidence, w.asked, w.relation, w.side, w.given, w.answer, w.score, row_number() over (partition by w.evidence, w.asked, w.relation, w.side, w.given order by w.place) as place
	from whole w join member m on (m.relation, m.side, m.member) = (w.relation, w.side, w.answer)
	where w.evidence <> 'all' or w.answer <> 'new';
	create temp table expected_missing as
	select w.* from whole_missing w join member h on (h.relation, h.side, h.member) = (w.relation, 'head', w.head) join member t on (t.relation, t.side, t.member) = (w.relation, 'tail', w.tail);
	return query select format('lists: %s of %s rows left, %s differ', (select count(*) from typed), (select count(*) from whole), hkg_tools.differ('table typed', 'table expected'));
	return query select format('missing: %s of %s, %s differ', (select count(*) from missing), (select count(*) from whole_missing), hkg_tools.differ('table missing', 'table expected_missing'));
	return query select format('relations: %s differ', hkg_tools.differ(
		$q$select e.head, e.tail, p.* from (select distinct head, tail from whole_relations) e, hkg_predict_relations('g', e.head, e.tail, 20, known => true) p$q$,
		$q$select w.* from whole_relations w join member h on (h.relation, h.side, h.member) = (w.relation, 'head', w.head)
			join member t on (t.relation, t.side, t.member) = (w.relation, 'tail', w.tail)$q$));
end
$$;
set client_min_messages = warning;

-- no types: all entities
select pg_temp.faults();
-- types of some sides, others are open.  The session sees the change at once
update g.relation r set head_types = v.head, tail_types = v.tail
from (values ('lives', '{person}'::text[], '{town}'::text[]), ('in', '{town}', '{country}'), ('from', '{person}', '{country}'), ('seat', '{firm}', '{town}'),
	('works', '{person}', '{firm}'), ('likes', '{person}', '{person,firm}')) v (name, head, tail)
where v.name = r.name;
select pg_temp.faults();
select relation, side, count(*), min(member collate "C"), max(member collate "C") from member group by 1, 2 order by 1, 2;
-- the order of types does not matter, nor do those that nobody else has; a relation may be open on one side
update g.relation set tail_types = '{firm,person,ghost}', head_types = null where name = 'likes';
select pg_temp.faults();
-- observed domains and ranges
update g.relation set head_types = '{}', tail_types = '{}';
select pg_temp.faults();
select relation, side, count(*) from member group by 1, 2 order by 1, 2;

-- ---- ranks are those among the entities of the type -----------------------------------------------------

insert into g.holdout select 'test', h.id, r.id, t.id from (values ('p4', 'lives', 't18'), ('p8', 'lives', 't1'), ('p5', 'works', 'f7'), ('f3', 'seat', 't9'), ('p3', 'from', 'c3'), ('p3', 'likes', 'f33'),
	('p3', 'lives', 'c1'), ('t1', 'lives', 't3')) f (head, relation, tail)
	join g.entity h on h.name = f.head join g.relation r on r.name = f.relation join g.entity t on t.name = f.tail;
create function pg_temp.ranks(what text) returns table (head text, relation text, tail text, head_rank bigint, tail_rank bigint) language sql as $$
	with member as materialized (select * from pg_temp.members()), known as materialized (
		select h.name as head, r.name as relation, t.name as tail from (select head, relation, tail from g.triple union select head, relation, tail from g.holdout) f
			join g.entity h on h.id = f.head join g.relation r on r.id = f.relation join g.entity t on t.id = f.tail
	), tested as materialized (select h.name as head, r.name as relation, t.name as tail from g.holdout f join g.entity h on h.id = f.head
			join g.relation r on r.id = f.relation join g.entity t on t.id = f.tail)
	select t.head, t.relation, t.tail,
		(select 1 + count(*) from member m where (m.relation, m.side) = (t.relation, 'head') and m.member <> t.head
			and not exists (select from known k where (k.head, k.relation, k.tail) = (m.member, t.relation, t.tail))
			and not coalesce(hkg_score('g', m.member, t.relation, t.tail, evidence => what) <= case when exists (select from member s where (s.relation, s.side, s.member) = (t.relation, 'head', t.head))
				then hkg_score('g', t.head, t.relation, t.tail, evidence => what) else '-infinity' end, true)),
		(select 1 + count(*) from member m where (m.relation, m.side) = (t.relation, 'tail') and m.member <> t.tail
			and not exists (select from known k where (k.head, k.relation, k.tail) = (t.head, t.relation, m.member))
			and not coalesce(hkg_score('g', t.head, t.relation, m.member, evidence => what) <= case when exists (select from member s where (s.relation, s.side, s.member) = (t.relation, 'tail', t.tail))
				then hkg_score('g', t.head, t.relation, t.tail, evidence => what) else '-infinity' end, true))
	from tested t
$$;
select * from hkg_ranks('g', evidence => 'embedding') order by head collate "C", relation collate "C", tail collate "C";
select avg(head_rank) = (select mr from hkg_evaluate('g', evidence => 'embedding') where side = 'head') as the_same from hkg_ranks('g', evidence => 'embedding');
select hkg_tools.differ('select * from hkg_ranks(''g'', evidence => ''embedding'')', 'select * from pg_temp.ranks(''embedding'')');
update g.relation set head_types = null, tail_types = null;
delete from g.entity where name = 'nobody';
select hkg_tools.differ('select * from hkg_ranks(''g'', evidence => ''embedding'')', 'select * from pg_temp.ranks(''embedding'')');

-- ---- types change in one transaction ------------------------------------------------------------------------

begin;
update g.relation set tail_types = '{}' where name = 'in';
select count(*) from hkg_predict_tails('g', 't1', 'in', 1000, known => true);
update g.relation set tail_types = '{x}' where name in ('in', 'seat');
select count(*) from hkg_predict_tails('g', 't1', 'in', 1000, known => true);
rollback;
select count(*) = (select count(*) - 1 from g.entity) as all_others from hkg_predict_tails('g', 't1', 'in', 1000, known => true);

-- ---- unknown names, by choice, give no row ---------------------------------------------------------------------

insert into g.entity (name) values ('alone');
select hkg_tools.try($$select * from hkg_predict_tails('g', 'who', 'lives')$$);
select hkg_tools.try($$select hkg_score('g', 'p1', 'lives', 'alone')$$);
set hybridkg.skip_unknown = on;
create temp table joined (name text);
insert into joined values ('who'), ('p1'), ('alone'), ('p2');
select j.name, count(p.tail) from joined j left join hkg_predict_tails('g', j.name, 'lives', 3) p on true group by 1 order by 1;
select j.name, count(p.head) from joined j left join hkg_predict_heads('g', 'likes', j.name, 3) p on true group by 1 order by 1;
select hkg_tools.differ($$select * from hkg_predict_tails('g', array(select name from joined), 'lives', 3)$$, $$select j.name, p.* from joined j, hkg_predict_tails('g', j.name, 'lives', 3) p$$);
select name, hkg_score('g', name, 'lives', 't1') is null as no_score, hkg_classify('g', 'p1', 'likes', name) is null as no_class,
	exists (select from hkg_explain('g', name, 'lives', 't1')) as explained, exists (select from hkg_predict_relations('g', name, 't1')) as related,
	exists (select from hkg_neighbors('g', name)) as near
from joined where name <> 'alone' order by name;
select hkg_score('g', 'alone', 'lives', 't1') is null, exists (select from hkg_predict_relations('g', 'alone', 't1')), exists (select from hkg_neighbors('g', 'alone'));
select hkg_tools.try($$select * from hkg_predict_tails('g', 'who', 'live')$$);
reset hybridkg.skip_unknown;

set client_min_messages = warning;
select hkg_drop_graph('g');
