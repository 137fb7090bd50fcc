-- Changes a hundredth of the facts of table line (head, relation, tail), for bench/doubts: a third each has a random
-- entity in place of its head or tail, a plausible one (of another fact of the relation), or that of another fact of the
-- relation that is changed likewise (swapped).  What is a fact, or one of table known, by accident is left as it is.

create schema bench;
create function bench.draw(variadic what text[]) returns float8 language sql immutable as
$$ select ('x' || substr(md5(array_to_string(what, ' ')), 1, 8))::bit(32)::bigint / 4294967296.0 $$;

create table bench.changed as
with entity as materialized (
	select name, row_number() over (order by name) as number, count(*) over () as entities
	from (select head from line union select tail from line) e (name)
), standing as materialized (	-- each fact, numbered by relation
	select *, row_number() over (partition by relation order by bench.draw(:'seed', 'place', head, tail), head, tail) as number, count(*) over (partition by relation) as facts
	from line
), chosen as materialized (
	select head, relation, tail, facts, (array['random', 'plausible', 'swapped'])[1 + floor(3 * bench.draw(:'seed', 'kind', head, relation, tail))::int] as kind,
		bench.draw(:'seed', 'side', head, relation, tail) < 0.5 as of_head, bench.draw(:'seed', 'other', head, relation, tail) as other
	from standing where bench.draw(:'seed', 'change', head, relation, tail) < 0.01
), paired as (
	select *, row_number() over (partition by relation, kind, of_head order by other) as place from chosen
), other as (
	select c.*, e.name as other_head, e.name as other_tail
	from paired c join entity e on kind = 'random' and e.number = 1 + floor(c.other * e.entities)
	union all
	select c.*, s.head, s.tail
	from paired c join standing s on kind = 'plausible' and s.relation = c.relation and s.number = 1 + floor(c.other * c.facts)
	union all
	select c.*, o.head, o.tail
	from paired c join paired o on c.kind = 'swapped' and o.kind = c.kind and o.relation = c.relation and o.of_head = c.of_head
		and o.place = case when c.place % 2 = 0 then c.place - 1 else c.place + 1 end
)
select distinct on (new_head, relation, new_tail) head as old_head, relation, tail as old_tail, kind, new_head, new_tail
from (select *, case when of_head then other_head else head end as new_head, case when of_head then tail else other_tail end as new_tail from other) n
where new_head <> new_tail and not exists (select from known k where (k.head, k.relation, k.tail) = (n.new_head, n.relation, n.new_tail))
order by new_head, relation, new_tail, old_head, old_tail;

delete from line l using bench.changed c where (l.head, l.relation, l.tail) = (c.old_head, c.relation, c.old_tail);
insert into line select new_head, relation, new_tail from bench.changed;
