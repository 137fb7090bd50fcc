--
-- The help, comments and properties of functions and tables
--
select hkg_create_graph('g');
-- a line for every function of ours, and nothing else
select count(*) = (select count(*) from pg_proc where proname like 'hkg\_%' and pronamespace = 'public'::regnamespace),
	count(*) filter (where purpose is null or purpose = '' or length(purpose) > 250) from hkg_help();
select function from hkg_help() where function ~ '^hkg_(help|train|predict_tails|settings|rule_sql)\(' order by 1;
select purpose from hkg_help() where function like 'hkg\_predict\_tails%' order by 1;

-- every argument has its line in the comment
select p.proname, argument
from pg_proc p, unnest(p.proargnames[1:p.pronargs]) argument
where p.proname ~ '^_?hkg_' and p.pronamespace = 'public'::regnamespace
	and coalesce(obj_description(p.oid, 'pg_proc'), '') !~ format(e'\n([a-z_]+, )*%s(, [a-z_]+)*:', argument);

-- tables, views and their columns
select c.relname, a.attname
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum >= 0 and not a.attisdropped
where (c.relnamespace = 'g'::regnamespace or c.relname like 'hkg\_%') and c.relkind in ('r', 'v')
	and col_description(c.oid, a.attnum) is null
union all
select c.relname, null from pg_class c
where (c.relnamespace = 'g'::regnamespace or c.relname like 'hkg\_%') and c.relkind in ('r', 'v')
	and obj_description(c.oid, 'pg_class') is null;

-- What may run where: what reads is STABLE and PARALLEL SAFE (but for a list that may read a temporary table), what writes is VOLATILE and PARALLEL UNSAFE
select p.proname, p.provolatile, p.proparallel
from pg_proc p where p.proname ~ '^hkg_(predict|score|classify|complete|evaluate|ranks|compare|explain|neighbors|project|rule|apply|settings|help)'
	and (p.provolatile, p.proparallel) <> ('s', 's');
select p.proname, p.provolatile, p.proparallel
from pg_proc p where p.proname ~ '^hkg_(create|drop|load|sync|split|upgrade_graph|set_source|distribute_graph|undistribute_graph|train(_background)?$|tune|resume|import|learn)'
	and (p.provolatile, p.proparallel) <> ('v', 'u');

-- One look-up for millions of rows may go parallel, and sees what it should there
set parallel_setup_cost = 0;
set parallel_tuple_cost = 0;
set min_parallel_table_scan_size = 0;
set max_parallel_workers_per_gather = 2;
insert into g.entity select i, 'e' || i from generate_series(1, 2000) i;
insert into g.relation values (1, 'r');
insert into g.model values ('m', 'distmult', 1, '{}', 'ready', now());
insert into g.entity_embedding select 'm', i, array[i] from generate_series(1, 2000) i;
insert into g.relation_embedding values ('m', 1, '{1}');
insert into g.threshold values ('m', 1, 1000, 0, null);
analyze g.entity;
explain (costs off) select sum(hkg_score('g', 'e1', 'r', name, 'm')) from g.entity;
select sum(hkg_score('g', 'e1', 'r', name, 'm')), count(*) filter (where hkg_classify('g', 'e1', 'r', name, 'm')) from g.entity;
select count(*), count(distinct tail) from g.entity e, hkg_predict_tails('g', e.name, 'r', 1, 'm') t where e.id % 50 = 0;	-- e2000; of itself e1999
select count(*), count(distinct n.entity) from g.entity e, hkg_neighbors('g', e.name, 1, 'm') n where e.id % 50 = 0;

-- the planner expects k rows
set max_parallel_workers_per_gather = 0;
create function expected_rows(query text) returns text language plpgsql as $$
declare
	plan json;
begin
	execute 'explain (format json) ' || query into plan;
	return plan -> 0 -> 'Plan' ->> 'Plan Rows';
end
$$;
select expected_rows($$select * from hkg_predict_tails('g', 'e1', 'r')$$),
	expected_rows($$select * from hkg_predict_heads('g', 'r', 'e1', 7)$$),
	expected_rows($$select * from hkg_predict_relations('g', 'e1', 'e2', k => 3)$$),
	expected_rows($$select * from hkg_neighbors('g', 'e1', 2 * 500)$$),
	expected_rows($$select * from hkg_complete('g')$$),
	expected_rows($$select * from hkg_predict_tails('g', array['e1', 'e2', 'e3'], 'r', 7)$$),
	expected_rows($$select p.* from (select array_agg(name) a from g.entity) e, hkg_predict_heads('g', 'r', e.a, 7) p$$),
	expected_rows($$select * from hkg_complete('g', k => 5000)$$);
drop function expected_rows;

-- Typing errors: the nearest name, where there are too many to list
insert into g.model select 'model ' || i, 'distmult', 1, '{}', 'ready', now() from generate_series(1, 20) i;
set client_min_messages = warning;
\i test/tools.sql
select report from hkg_tools.try($$select hkg_score('g', 'e20000', 'r', 'e1', 'm')$$);
select report from hkg_tools.try($$select hkg_score('g', 'E1', 'r', 'e1', 'm')$$);
select report from hkg_tools.try($$select hkg_score('g', 'nothing like it', 'r', 'e1', 'm')$$);
select report from hkg_tools.try($$select hkg_explain('g', 'e1', 'r', 'e1', 'modle 7')$$);

select hkg_drop_graph('g');
