--
-- Principal components: of embeddings made by hand, worked out on paper; of a trained model, against what SQL computes.
--
set client_min_messages = warning;
\i test/tools.sql
select hkg_create_graph('g');
insert into g.relation values (1, 'r');
insert into g.entity select i, chr(96 + i) from generate_series(1, 5) i;

-- A model made by hand: the embeddings of entities 1, 2, ... in order.
create function hkg_tools.put(name text, score_function text, dimensions int, variadic embeddings text[]) returns void
language sql as $$
	delete from g.model where model.name = put.name;
	insert into g.model values (name, score_function, dimensions, '{}', 'ready', now());
	insert into g.entity_embedding select put.name, i, e::real[] from unnest(embeddings) with ordinality u (e, i);
	insert into g.relation_embedding select put.name, 1, array_fill(1::real, array[cardinality(embeddings[1]::real[])]);
$$;
-- Rounded; 0, never -0.
create function hkg_tools.short(numbers float8[], digits int default 4) returns numeric[] language sql immutable
as $$ select array_agg(round(n::numeric, digits) order by i) from unnest(numbers) with ordinality u (n, i) $$;

-- Mean (10, -5), the others +-5 (0.6, 0.8) and +-1 (0.8, -0.6) from it: these are the components, their variances 25 and 1.
-- Of each the larger number is positive.
select hkg_tools.put('cross', 'distmult', 2, '{10,-5}', '{13,-1}', '{7,-9}', '{10.8,-5.6}', '{9.2,-4.4}');
select entity, hkg_tools.short(coordinates) as coordinates, hkg_tools.short(explained) as explained, 25 / 26.0 as share
from hkg_project('g', model => 'cross');
select entity, hkg_tools.short(coordinates), hkg_tools.short(explained) from hkg_project('g', 1, 'cross') limit 2;
-- the same cross, however large or small
select hkg_tools.put('large', 'distmult', 2, '{0,0}', '{1.8e38,2.4e38}', '{-1.8e38,-2.4e38}', '{4.8e37,-3.6e37}', '{-4.8e37,3.6e37}');
select hkg_tools.short(array[coordinates[1] / 1e38, coordinates[2] / 1e38]), hkg_tools.short(explained) from hkg_project('g', model => 'large');
select hkg_tools.put('small', 'distmult', 2, '{0,0}', '{3e-38,4e-38}', '{-3e-38,-4e-38}', '{0.8e-38,-0.6e-38}', '{-0.8e-38,0.6e-38}');
select hkg_tools.short(array[coordinates[1] * 1e38, coordinates[2] * 1e38], 3), hkg_tools.short(explained) from hkg_project('g', model => 'small');

-- nothing varies, or there is one entity
select hkg_tools.put('alike', 'distmult', 2, '{1,2}', '{1,2}', '{1,2}');
select * from hkg_project('g', 2, 'alike');
select hkg_tools.put('alone', 'distmult', 1, '{7}');
select * from hkg_project('g', 1, 'alone');
-- one number each: less the mean, which is 3
select hkg_tools.put('line', 'distmult', 1, '{1}', '{2}', '{6}');
select entity, hkg_tools.short(coordinates), explained from hkg_project('g', 1, 'line');
-- fewer entities than components: the third explains nothing
select hkg_tools.put('three', 'distmult', 3, '{0,0,0}', '{0,2,0}');
select entity, hkg_tools.short(coordinates), hkg_tools.short(explained) from hkg_project('g', 3, 'three');
-- complex: real and imaginary parts are numbers of their own
select hkg_tools.put('complex', 'complex', 1, '{1,5}', '{1,9}', '{1,1}');
select entity, hkg_tools.short(coordinates), hkg_tools.short(explained) from hkg_project('g', 2, 'complex');

-- A trained model: 60 numbers an embedding, 300 entities.
select hkg_create_graph('t');
select added from hkg_load('t', $$select 'e' || i, 'r' || i % 3, 'e' || (i * i + i % 7) % 300 from generate_series(0, 299) i$$);
set hybridkg.progress = off;
select hkg_train('t', 'complex', 30, iterations => 1, epochs => 3, top_rules => 0, evidence_rules => 0, settings => '{"holdout": 0}');
create table hkg_tools.projected as select * from hkg_project('t', 60);
create table hkg_tools.centred as
select e.name as entity, i, x - avg(x::float8) over (partition by i) as x
from t.entity_embedding b join t.entity e on e.id = b.entity, unnest(b.embedding) with ordinality u (x, i);
create table hkg_tools.place as select entity, i, x from hkg_tools.projected, unnest(coordinates) with ordinality u (x, i);

select count(*), count(distinct entity), count(distinct explained) from hkg_tools.projected;
-- all components together explain everything, the first most
select abs(sum(share) - 1) < 1e-5 as all, bool_and(share < before + 1e-7) as falling
from (select share, lag(share, 1, 1) over (order by i) as before
	from (select explained from hkg_tools.projected limit 1) p, unnest(explained) with ordinality u (share, i)) s;
-- each share is the coordinates' share of the variance of all numbers
select max(abs(share - variance / total)) < 1e-6 as shares
from (select i, sum(x * x) as variance from hkg_tools.place group by i) v
	join (select explained from hkg_tools.projected limit 1) p on true, unnest(explained) with ordinality u (share, place),
	(select sum(x * x) as total from hkg_tools.centred) c
where place = v.i;
-- coordinates have the mean 0, and different ones are uncorrelated
select max(abs(mean)) < 1e-5 from (select avg(x) as mean from hkg_tools.place group by i) m;
select max(abs(r)) < 1e-3 from (select corr(a.x, b.x) as r from hkg_tools.place a join hkg_tools.place b using (entity) where a.i < b.i group by a.i, b.i) c;
-- they are the embeddings, turned: all distances stay
select max(abs(d.before - d.after)) < 1e-4 from (
	select sqrt(sum((a.x - b.x) ^ 2)) as before, sqrt(sum((pa.x - pb.x) ^ 2)) as after
	from hkg_tools.centred a join hkg_tools.centred b on b.i = a.i and b.entity > a.entity
		join hkg_tools.place pa on pa.entity = a.entity and pa.i = a.i join hkg_tools.place pb on pb.entity = b.entity and pb.i = b.i
	where a.entity in ('e1', 'e2', 'e3', 'e4', 'e5')
	group by a.entity, b.entity) d;
-- fewer components are the first of these
select bool_and(abs(a.coordinates[1] - b.coordinates[1]) < 1e-3 and abs(a.coordinates[2] - b.coordinates[2]) < 1e-3) as same,
	count(*) filter (where cardinality(a.coordinates) <> 2 or cardinality(a.explained) <> 2) as other_sizes
from hkg_project('t') a join hkg_tools.projected b using (entity);

-- No direction has more variance than the first: the one that power iteration ends in has as much, and gives its coordinates.
create table hkg_tools.covariance as select a.i, b.i as j, sum(a.x * b.x) as c
from hkg_tools.centred a join hkg_tools.centred b using (entity) group by 1, 2;
create function hkg_tools.power_iteration(steps int) returns float8[] language plpgsql as $$
declare
	v float8[] := (select array_agg(sin(i) order by i) from generate_series(1, 60) i);
begin
	for step in 1 .. steps loop
		v := (select array_agg(s order by i) from (select i, sum(c * v[j]) as s from hkg_tools.covariance group by i) p);
		v := (select array_agg(x / norm order by i) from (select sqrt(sum(x * x)) as norm from unnest(v) x) n,
			unnest(v) with ordinality u (x, i));
	end loop;
	return v;
end
$$;
create table hkg_tools.first as select hkg_tools.power_iteration(300) as v;
select abs(corr(p.x, d.x)) > 0.99999 as same_direction, abs(stddev_pop(p.x) / stddev_pop(d.x) - 1) < 1e-4 as same_variance
from hkg_tools.place p join (select c.entity, sum(c.x * f.v[c.i]) as x from hkg_tools.centred c, hkg_tools.first f group by 1) d
	using (entity) where p.i = 1;

-- Turned embeddings have the same components: here the plane of the first two numbers, by an angle of sine 0.6.
create table hkg_tools.turned as select b.entity, b.embedding from t.entity_embedding b;
update t.entity_embedding b set embedding = array[0.8 * t.embedding[1] - 0.6 * t.embedding[2], 0.6 * t.embedding[1] + 0.8 * t.embedding[2]]::real[] || t.embedding[3:]
from hkg_tools.turned t where t.entity = b.entity;
select abs(abs(corr(a.coordinates[1], b.coordinates[1])) - 1) < 1e-5 as first, abs(abs(corr(a.coordinates[2], b.coordinates[2])) - 1) < 1e-4 as second,
	max(abs(a.explained[1] - b.explained[1])) < 1e-6 as explained
from hkg_project('t') a join hkg_tools.projected b using (entity);

-- An entity without an embedding is not listed.
insert into g.entity values (6, 'late');
select count(*) filter (where entity = 'late') as late, count(*) from hkg_project('g', 1, 'cross');

-- It only reads.
begin read only;
select count(*) from hkg_project('g', 1, 'cross');
commit;

-- errors
\pset format unaligned
\pset tuples_only on
select hkg_tools.try($$select hkg_project('g', 0, 'cross')$$);
select hkg_tools.try($$select hkg_project('g', 101, 'cross')$$);
select hkg_tools.try($$select hkg_project('g', 3, 'cross')$$);
select hkg_tools.try($$select hkg_project('g', null, 'cross')$$);
select hkg_tools.try($$select hkg_project('g', 1, null)$$);
select hkg_tools.try($$select hkg_project(null)$$);
select hkg_tools.try($$select hkg_project('nowhere')$$);
select hkg_tools.try($$select hkg_project('g', 1, 'Cross')$$);
insert into g.model values ('rules', null, null, '{}', 'ready', now());
select hkg_tools.try($$select hkg_project('g', 1, 'rules')$$);
insert into g.model values ('wide', 'complex', 2501, '{}', 'ready', now());
insert into g.entity_embedding values ('wide', 1, array_fill(0::real, '{5002}'));
insert into g.relation_embedding values ('wide', 1, array_fill(0::real, '{5002}'));
select hkg_tools.try($$select hkg_project('g', 1, 'wide')$$);
update g.model set dimensions = 2500 where name = 'wide';
update g.entity_embedding set embedding = array_fill(0::real, '{5000}') where model = 'wide';
update g.relation_embedding set embedding = array_fill(0::real, '{5000}') where model = 'wide';
set hybridkg.max_memory = '100MB';
select hkg_tools.try($$select hkg_project('g', 1, 'wide')$$);

select hkg_drop_graph('g');
select hkg_drop_graph('t');
drop schema hkg_tools cascade;
