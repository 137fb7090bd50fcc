-- Graphs with known rules, for bench/planted.  All chance is a hash of names: a fact is the same however often it is drawn, and what is missing at 10 percent is missing at 30, too.

create or replace function chance(variadic parts text[]) returns float8 language sql immutable parallel safe as
$$ select ('x' || substr(md5(array_to_string(parts, ' ')), 1, 8))::bit(32)::bigint / 4294967296.0::float8 $$;

set client_min_messages = warning;
create unlogged table if not exists base (head text, relation text, tail text);
create unlogged table if not exists body (relation text, x text, y text);
create unlogged table if not exists world (head text, relation text, tail text, hidden bool);
create unlogged table if not exists planted_fact (head text, relation text, tail text, split text);

-- The bodies of the planted rules, as pairs.  Base relations: a, b, c have two tails an entity, d one, kind one of three.
create or replace procedure draw_bodies(entities int) language plpgsql as
$$
begin
	truncate base, body;
	insert into base
	select 'e' || x as head, r.relation, 'e' || floor(entities * chance('tail', x::text, r.relation, i::text)) as tail
	from generate_series(0, entities - 1) x, (values ('a', 2), ('b', 2), ('c', 2), ('d', 1)) r (relation, tails), generate_series(1, r.tails) i
	union select 'e' || x, 'kind', 'kind ' || floor(3 * chance('kind', x::text)) from generate_series(0, entities - 1) x;
	analyze base;
	insert into body
	select 'copy' as relation, head as x, tail as y from base where relation = 'a'
	union select 'inverse', tail, head from base where relation = 'b'
	union select 'chain', c.head, d.tail from base c join base d on d.head = c.tail where c.relation = 'c' and d.relation = 'd'
	union select 'long', a.head, d.tail from base a join base c on c.head = a.tail join base d on d.head = c.tail
		where a.relation = 'a' and c.relation = 'c' and d.relation = 'd'
	union select 'typed', d.head, d.tail from base d join base k using (head) where d.relation = 'd' and k.relation = 'kind' and k.tail = 'kind 0';
	analyze body;
end
$$;

-- A pair of a body is a fact of the rule's head with the rule's precision.  Of the other pairs half are exceptions, which
-- have a tail drawn at random in the place of y, and half are nothing.  Entities of other kinds have random facts of `typed`.
create or replace procedure draw_world(entities int, accuracy float8) language plpgsql as
$$
begin
	call draw_bodies(entities);
	truncate world;
	insert into world
	select head, relation, tail, bool_or(hidden) as hidden from (
		select head, relation, tail, false as hidden from base
		union all select x, relation, case when chance('right', relation, x, y) < accuracy then y
				else 'e' || floor(entities * chance('other', relation, x, y)) end, true
			from body where chance('right', relation, x, y) < accuracy or chance('exception', relation, x, y) < 0.5
		union all select head, 'typed', 'e' || floor(entities * chance('noise', head)), false from base where relation = 'kind' and tail <> 'kind 0') f
	group by 1, 2, 3;
	analyze world;
end
$$;

-- What is missing of the heads' relations: facts one by one (single), all facts of a relation that some entities have
-- (blocks), exceptions alone, which no rule infers, or facts one by one where the bodies have gaps, too: as large a share
-- of the base facts is nowhere.  A fifth of it is the valid split, which chooses iterations and weights; the rest is test,
-- which nothing is chosen by.
create or replace procedure take_out(share float8, kind text) language plpgsql as
$$
begin
	truncate planted_fact;
	insert into planted_fact
	select head, relation, tail,
		case when not hidden or chance('missing', relation, head, case when kind = 'blocks' then '' else tail end) >= share
				or (kind = 'exceptions' and (relation, head, tail) in (select relation, x, y from body)) then 'train'
			when chance('split', relation, head, tail) < 0.2 then 'valid' else 'test' end as split
	from world
	where kind <> 'gaps' or hidden or relation not in (select relation from base) or chance('missing', relation, head, tail) >= share;
	-- an entity or relation that is in no learnt fact cannot be asked for
	set local work_mem = '256MB';
	delete from planted_fact where split <> 'train' and (head not in (select head from planted_fact where split = 'train' union select tail from planted_fact where split = 'train')
		or tail not in (select head from planted_fact where split = 'train' union select tail from planted_fact where split = 'train'));
	analyze planted_fact;
end
$$;

-- The truth, by plain SQL: of the whole world, or of the facts that are left.
create or replace view truth as
with counted as (
	select b.relation, exists (select from world w where (w.head, w.relation, w.tail) = (b.x, b.relation, b.y)) as holds,
		exists (select from planted_fact f where (f.head, f.relation, f.tail, f.split) = (b.x, b.relation, b.y, 'train')) as left_over,
		exists (select from planted_fact f where (f.head, f.relation, f.split) = (b.x, b.relation, 'train')) as some_tail,
		exists (select from planted_fact f where (f.tail, f.relation, f.split) = (b.y, b.relation, 'train')) as some_head
	from body b),
sides as (select relation, count(distinct head) < count(distinct tail) as by_tail from planted_fact where split = 'train' group by 1)
select relation, avg(holds::int)::float8 as world, avg(left_over::int)::float8 as standard,
	sum(left_over::int)::float8 / nullif(sum(case when by_tail then some_head else some_tail end::int), 0) as pca
from counted join sides using (relation) group by 1;

create table if not exists planted_drawn (cell text);
create table if not exists planted_rule (relation text primary key, rule text);
insert into planted_rule values ('copy', 'copy(X,Y) <= a(X,Y)'), ('inverse', 'inverse(X,Y) <= b(Y,X)'), ('chain', 'chain(X,Y) <= c(X,A), d(A,Y)'),
	('long', 'long(X,Y) <= a(X,A), d(B,Y), c(A,B)'), ('typed', 'typed(X,Y) <= d(X,Y), kind(X,"kind 0")') on conflict do nothing;
create table if not exists planted_found (entities int, missing text, share float8, accuracy float8, relation text, mined text, world float8,
	standard float8, pca float8, mined_standard float8, mined_pca float8, place bigint, others bigint, primary key (entities, missing, share, accuracy, relation));
create table if not exists planted_run (entities int, missing text, share float8, accuracy float8, arm text, questions bigint, embedding float8, rules float8,
	combined float8, best int, inferred bigint, sampled bigint, facts bigint, seconds int, primary key (entities, missing, share, accuracy, arm));
