--
-- hkg_learnt_paths: what a path network has learnt, as rules.
--
set client_min_messages = warning;
\i test/tools.sql
set hybridkg.progress = off;
\pset null '(null)'
-- Persons live in cities, cities are in countries; a person's nationality is that of the city, but every third one's is
-- missing.  Cities are twinned at random, some with themselves.
select hkg_create_graph('nations');
select hkg_load('nations', $$
	select 'person' || p, 'lives_in', 'city' || p % 12 from generate_series(0, 59) p
	union all select 'city' || c, 'is_in', 'country' || c % 4 from generate_series(0, 11) c
	union all select 'city' || c, 'was_in', 'country' || (c + 1 + c / 4) % 4 from generate_series(0, 11) c
	union all select 'city' || c, 'twinned "with"', 'city' || (c * c) % 12 from generate_series(0, 11) c
	union all select 'person' || p, 'nationality', 'country' || p % 4 from generate_series(0, 59) p where p % 3 <> 0$$);
select hkg_load('nations', $$
	select 'person' || p, 'nationality', 'country' || p % 4 from generate_series(0, 59) p where p % 3 = 0$$, 'valid');
select hkg_train('nations', 'distmult', dimensions => 4, iterations => 1, epochs => 1, seed => 3, paths => true, settings => '{"path_layers": 3, "path_width": 16, "path_kept": 100, "path_epochs": 12, "path_facts": 100, "path_learning_rate": 0.01}');

-- the planted rule comes first: it connects all 60 persons with their countries, 40 of these pairs are facts, and nobody
-- has another nationality; each of the 40 facts is asked for on both sides
select rule, length, share > 0.5 as most, questions, support, body_size, head_coverage, confidence = 40 / 60.0 as confidence,
	confidence_error, pca_confidence
	from hkg_learnt_paths('nations', 'nationality', k => 1);

create table learnt as select * from hkg_learnt_paths('nations', k => 50, sample => null);
select count(*) > 9 as many, count(distinct relation) as relations, max(length) as longest, bool_and(share > 0 and share <= 1) as shares,
	(select max(sum) <= 1 + 1e-9 from (select sum(share) from learnt group by relation) s) as add_up,
	count(distinct (relation, rule)) = count(*) as different from learnt;
-- the largest share first
select count(*) as out_of_order from (select share, lag(share) over (order by place) from
	(select row_number() over () as place, share from hkg_learnt_paths('nations', k => 50, sample => null) r) r) r where share > lag;

-- Counts by plain SQL, of the text: different entities stand for different variables, but where the head's relation has
-- facts of an entity with itself, x may be y.
create view fact as select h.name as h, r.name as r, t.name as t from nations.triple f
	join nations.entity h on h.id = f.head join nations.relation r on r.id = f.relation join nations.entity t on t.id = f.tail;
create function counts(relation text, rule text, out support bigint, out body_size bigint, out known bigint) language plpgsql as $$
declare
	atoms text[];
	froms text[] := '{}';
	wheres text[] := '{true}';
	place text[] := array_fill(null::text, array[7]);	-- of X, Y, A, B, ...: a column that has it
	variable int;
	column_name text;
	reflexive bool := exists (select from fact f where f.r = counts.relation and f.h = f.t);
begin
	for atoms in select regexp_matches(split_part(rule, ' <= ', 2), '("(?:[^"]|"")*"|[^ ,()"]+)\(([A-Z]),([A-Z])\)', 'g') loop
		froms := froms || format('fact f%s', cardinality(froms));
		wheres := wheres || format('f%s.r = %L', cardinality(froms) - 1,
			case when starts_with(atoms[1], '"') then replace(substr(atoms[1], 2, length(atoms[1]) - 2), '""', '"') else atoms[1] end);
		for i in 2 .. 3 loop
			variable := strpos('XYABCDE', atoms[i]);
			column_name := format('f%s.%s', cardinality(froms) - 1, case i when 2 then 'h' else 't' end);
			if place[variable] is null then
				place[variable] := column_name;
			else
				wheres := wheres || format('%s = %s', place[variable], column_name);
			end if;
		end loop;
	end loop;
	for i in 1 .. 7 loop
		for j in i + 1 .. 7 loop
			if place[i] is not null and place[j] is not null and not (reflexive and (i, j) = (1, 2)) then
				wheres := wheres || format('%s <> %s', place[i], place[j]);
			end if;
		end loop;
	end loop;
	execute format($f$select count(*) filter (where exists (select from fact where (h, r, t) = (x, %1$L, y))), count(*),
			count(*) filter (where case when (select count(distinct h) < count(distinct t) from fact where r = %1$L)
				then exists (select from fact where (r, t) = (%1$L, y)) else exists (select from fact where (h, r) = (x, %1$L)) end)
			from (select distinct %2$s as x, %3$s as y from %4$s where %5$s) p$f$,
		relation, place[1], place[2], array_to_string(froms, ', '), array_to_string(wheres, ' and ')) into support, body_size, known;
end
$$;
select count(*) > 9 as many, count(*) filter (where l.confidence_error <> 0) as estimated,
	count(*) filter (where (l.support, l.body_size) is distinct from (c.support, c.body_size)) as other_counts,
	count(*) filter (where abs(l.confidence - c.support::float8 / nullif(c.body_size, 0)) > 1e-12) as other_confidence,
	count(*) filter (where abs(l.pca_confidence - case when c.known = 0 then 0 else c.support::float8 / c.known end) > 1e-12) as other_pca,
	count(*) filter (where abs(l.head_coverage - c.support::float8 / (select count(*) from fact f where f.r = l.relation)) > 1e-12) as other_coverage,
	-- each question that has a share of a path is about a fact that it connects
	count(*) filter (where l.questions > 2 * c.support) as unsupported,
	count(*) filter (where l.relation = 'twinned "with"') > 0 as quoted
	from learnt l, counts(l.relation, l.rule) c;

-- the rules of the table with the same body, whatever the order of its atoms, and the counts they have there as evidence
select count(*) > 5 as some, count(*) filter (where (r.evidence_support, r.evidence_body_size) <> (l.support, l.body_size)) as other_counts,
	bool_and(length(r.rule) = length(l.rule)) as alike
	from learnt l join nations.rule r on r.id = l.rule_id;
select count(*) as missed from learnt l join nations.rule r using (rule) where l.rule_id is distinct from r.id;
begin;
delete from nations.rule;
select count(*) as none from hkg_learnt_paths('nations') where rule_id is not null;
rollback;
-- each is a rule of the language
select count(*) as refused from learnt where hkg_rule_sql('nations', rule) is null;

-- a relation has the same rows by itself; the same call, on any number of threads, too
create function pg_temp.rows(relation text, variadic more text[] default '{}') returns text language plpgsql as $$
declare found text;
begin
	execute format('select md5(string_agg(r::text, %L order by r::text)) from hkg_learnt_paths(''nations'', %L, %s) r where relation = %L',
		';', rows.relation, array_to_string(more || '{k => 20}'::text[], ', '), 'lives_in') into found;
	return found;
end
$$;
select pg_temp.rows('lives_in') = pg_temp.rows(null) as alone,
	pg_temp.rows('lives_in', 'sample => 6') = pg_temp.rows('lives_in', 'sample => 6') as again,
	pg_temp.rows('lives_in', 'sample => 6') = pg_temp.rows('lives_in', 'sample => 6', 'seed => 1') as by_another_seed,
	pg_temp.rows('lives_in', 'sample => 60') = pg_temp.rows('lives_in', 'sample => null') as all_of_them;
create temp table one as select pg_temp.rows('lives_in') as rows;
set hybridkg.threads = 3;
select pg_temp.rows('lives_in') = rows as on_three_threads from one;
reset hybridkg.threads;
select count(*), max(questions) from hkg_learnt_paths('nations', 'lives_in', k => 2, sample => 3);	-- an even number of facts

-- a fact that came after the training is asked for, an entity of it too; a relation that came after it cannot
insert into nations.entity select max(id) + 1, 'newcomer' from nations.entity;
insert into nations.triple select h.id, r.id, t.id from nations.entity h, nations.relation r, nations.entity t
	where (h.name, r.name, t.name) in (('newcomer', 'lives_in', 'city1'), ('newcomer', 'nationality', 'country1'));
select questions, support, body_size from hkg_learnt_paths('nations', 'nationality', k => 1, sample => null);
insert into nations.relation select max(id) + 1, 'new' from nations.relation;
select report from hkg_tools.try($$select * from hkg_learnt_paths('nations', 'new')$$);
select count(distinct relation) from hkg_learnt_paths('nations');
-- one without facts has no rules
delete from nations.triple where relation = (select id from nations.relation where name = 'was_in');
select count(*) from hkg_learnt_paths('nations', 'was_in');

-- errors
select report from hkg_tools.try($$select * from hkg_learnt_paths('nations', 'nationalty')$$);
select report from hkg_tools.try($$select * from hkg_learnt_paths('nations', model => 'none')$$);
select report from hkg_tools.try($$select * from hkg_learnt_paths('nowhere')$$);
select report from hkg_tools.try($$select * from hkg_learnt_paths('nations', model => null)$$);
select report from hkg_tools.try($$select * from hkg_learnt_paths('nations', k => 0)$$);
select report from hkg_tools.try($$select * from hkg_learnt_paths('nations', sample => 1)$$);
select report from hkg_tools.try($$select * from hkg_learnt_paths('nations', seed => null)$$);
set hybridkg.max_memory = '1MB';
select left(report, 40) from hkg_tools.try($$select * from hkg_learnt_paths('nations')$$) limit 1;
reset hybridkg.max_memory;
create role path_reader;
grant usage on schema nations to path_reader;
grant select on all tables in schema nations to path_reader;
set role path_reader;
select count(*) > 0 as may from hkg_learnt_paths('nations');
reset role;
revoke select on nations.rule from path_reader;
set role path_reader;
select left(report, 40) from hkg_tools.try($$select * from hkg_learnt_paths('nations')$$) limit 1;
reset role;
revoke all on schema nations from path_reader;
set role path_reader;
select left(report, 40) from hkg_tools.try($$select * from hkg_learnt_paths('nations')$$) limit 1;
reset role;
revoke all on all tables in schema nations from path_reader;
drop role path_reader;
update nations.model set paths = null;
select report from hkg_tools.try($$select * from hkg_learnt_paths('nations')$$);
drop table learnt, one;
drop view fact cascade;
select hkg_drop_graph('nations');
