--
-- What bad input gets: an error with its SQLSTATE, and a hint where there is a way out
--
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
-- every function that takes a graph and a model, on the same graph and model
create function hkg_tools.try_all(graph name, model name) returns table (f text, report text)
language sql as $$
	select c.f, t.report
	from (values (1, 'score', '(%L, ''a'', ''r'', ''b'', %L)'), (2, 'predict_tails', '(%L, ''a'', ''r'', 10, %L)'),
			(3, 'predict_heads', '(%L, ''r'', ''a'', 10, %L)'), (4, 'predict_relations', '(%L, ''a'', ''b'', 10, %L)'),
			(5, 'evaluate', '(%L, ''test'', %L)'), (6, 'ranks', '(%L, ''test'', %L)'),
			(7, 'explain', '(%L, ''a'', ''r'', ''b'', %L)')) c (n, f, arguments),
		hkg_tools.try('select * from hkg_' || c.f || format(c.arguments, graph, model)) t
	order by c.n
$$;
\pset format unaligned
\pset tuples_only on

-- graphs
select distinct report from hkg_tools.try_all('nowhere', 'm');
create schema "no graph";
select hkg_create_graph('g');
select distinct report from hkg_tools.try_all('nowhere', 'm');
select distinct report from hkg_tools.try_all('no graph', 'm');
-- what only shows a graph is none, and of what is long the beginning is shown
create schema shown;
create view shown.layout as select * from g.layout;
create view shown.model as select * from g.model;
select distinct report from hkg_tools.try_all('shown', 'm');
select length(report) < 300, report ~ '"x{200}\.\.\."' from hkg_tools.try($$select hkg_evaluate('g', repeat('x', 1000000))$$) limit 1;
set client_min_messages = warning;
drop schema shown cascade;
reset client_min_messages;

-- an empty graph has no models, and no entities
select distinct report from hkg_tools.try_all('g', 'm');
insert into g.model values ('m', 'distmult', 2, '{}', 'ready', now());
select * from hkg_tools.try_all('g', 'm');

-- models
insert into g.entity values (1, 'a'), (2, 'b');
insert into g.relation values (1, 'r');
insert into g.holdout values ('test', 1, 1, 2);
select distinct report from hkg_tools.try_all('g', 'n');
select * from hkg_tools.try_all('g', 'm');
update g.model set status = 'training';
select * from hkg_tools.try_all('g', 'm');
insert into g.entity_embedding values ('m', 1, '{1,2}'), ('m', 2, '{3,4}');
update g.model set status = 'ready';
select hkg_tools.try($$select hkg_score('g', 'a', 'r', 'b', 'm')$$);
insert into g.relation_embedding values ('m', 1, '{1,1}');
select * from hkg_tools.try_all('g', 'm');
select hkg_score('g', 'a', 'r', 'b', 'm');	-- 1*1*3 + 2*1*4

-- names
select hkg_tools.try($$select hkg_score('g', 'x', 'r', 'b', 'm')$$);
select hkg_tools.try($$select hkg_score('g', 'a', 'x', 'b', 'm')$$);
select hkg_tools.try($$select hkg_score('g', 'a', 'r', 'x', 'm')$$);
select hkg_tools.try($$select hkg_score('g', 'a', 'r', '', 'm')$$);
select hkg_tools.try($$select hkg_predict_tails('g', 'A', 'r', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_tails('g', 'a', 'R', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_heads('g', 'R', 'a', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_heads('g', 'r', 'A', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_heads('g', 'a', 'r', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_tails('g', 'r', 'b', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_tails('g', 'a', 'b', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_relations('g', 'A', 'b', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_relations('g', 'a', 'B', 10, 'm')$$);
select hkg_tools.try($$select hkg_explain('g', 'A', 'r', 'b', 'm')$$);
select hkg_tools.try($$select hkg_explain('g', 'a', 'R', 'b', 'm')$$);
select hkg_tools.try($$select hkg_explain('g', 'a', 'r', 'B', 'm')$$);
select hkg_tools.try($$select hkg_evaluate('g', 'tset', 'm')$$);
select hkg_tools.try($$select hkg_ranks('g', 'TEST', 'm')$$);
select hkg_tools.try($$select hkg_evaluate('g', 'test', 'm', sample => 1)$$);

-- after the training
insert into g.entity values (3, 'late');
insert into g.relation values (2, 'later');
select hkg_tools.try($$select hkg_score('g', 'a', 'r', 'late', 'm')$$);
select hkg_tools.try($$select hkg_predict_tails('g', 'late', 'r', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_heads('g', 'later', 'a', 10, 'm')$$);
select hkg_tools.try($$select hkg_predict_relations('g', 'a', 'late', 10, 'm')$$);
select hkg_tools.try($$select hkg_explain('g', 'late', 'later', 'late', 'm')$$);
select hkg_tools.try($$select hkg_evaluate('g', 'test', 'm')$$);

-- numbers out of range
select hkg_tools.try($$select hkg_predict_tails('g', 'a', 'r', 0, 'm')$$);
select hkg_tools.try($$select hkg_predict_heads('g', 'r', 'a', -1, 'm')$$);
select hkg_tools.try($$select hkg_predict_relations('g', 'a', 'b', -2147483648, 'm')$$);

-- nulls: every argument of every function in turn
select p.proname, n, t.report
from pg_proc p, generate_series(1, p.pronargs) n,
	lateral (select string_agg(case when i = n then 'null' else case p.proargnames[i]
			when 'graph' then '''g''' when 'model' then '''m''' when 'split' then '''test'''
			when 'head' then '''a''' when 'relation' then '''r''' when 'tail' then '''b'''
			when 'known' then 'false' when 'candidates' then 'array[''x'']' when 'evidence' then '''all''' when 'sample' then '2' else '1' end end, ', ' order by i) as list
		from generate_series(1, p.pronargs) i) arguments,
	hkg_tools.try(format('select * from %s(%s)', p.proname, arguments.list)) t
where p.proname in ('hkg_score', 'hkg_predict_tails', 'hkg_predict_heads', 'hkg_predict_relations', 'hkg_evaluate',
	'hkg_ranks', 'hkg_explain') and p.prosrc !~ '_many$'
order by 1, 2;

-- embeddings damaged by hand, in a session that holds the model already; one function is as good as another
create function hkg_tools.damage(statement text) returns setof text
language plpgsql as $$
begin
	perform hkg_score('g', 'a', 'r', 'b', 'm');
	execute statement;
	return query select * from hkg_tools.try('select hkg_score(''g'', ''a'', ''r'', ''b'', ''m'')');
	return query select * from hkg_tools.try('select * from hkg_evaluate(''g'', ''test'', ''m'')');
	-- back to what it was
	raise exception using errcode = 'HKG00';
exception when sqlstate 'HKG00' then
	return;
end
$$;
select hkg_tools.damage($$update g.entity_embedding set embedding = '{1}' where entity = 1$$);
select hkg_tools.damage($$update g.entity_embedding set embedding = '{1,2,3}' where entity = 2$$);
select hkg_tools.damage($$update g.entity_embedding set embedding = '{}' where entity = 1$$);
select hkg_tools.damage($$update g.entity_embedding set embedding = '{1,null}' where entity = 1$$);
select hkg_tools.damage($$update g.entity_embedding set embedding = '{1,NaN}' where entity = 1$$);
select hkg_tools.damage($$update g.entity_embedding set embedding = '{-Infinity,1}' where entity = 1$$);
select hkg_tools.damage($$update g.entity_embedding set embedding = '{{1,2}}' where entity = 1$$);
select hkg_tools.damage($$update g.relation_embedding set embedding = '{1,2,3}'$$);
select hkg_tools.damage($$update g.relation_embedding set embedding = '{null,null}'$$);
select hkg_tools.damage($$alter table g.entity_embedding alter embedding drop not null;
	update g.entity_embedding set embedding = null where entity = 2$$);
select hkg_tools.damage($$alter table g.entity_embedding drop constraint entity_embedding_pkey;
	insert into g.entity_embedding values ('m', 2, '{5,6}'); update g.model set name = name$$);
-- what can be read as an array of numbers is one
select hkg_tools.damage($$alter table g.entity_embedding alter embedding type text; update g.model set name = name$$);
select hkg_tools.damage($$alter table g.entity_embedding alter embedding type float8[]; update g.model set name = name$$);
select hkg_tools.damage($$alter table g.entity_embedding alter embedding type text;
	update g.entity_embedding set embedding = 'eggs'$$);
select hkg_tools.damage($$delete from g.entity_embedding$$);
select hkg_tools.damage($$delete from g.entity_embedding where entity = 2$$);
select hkg_tools.damage($$truncate g.relation_embedding$$);
select hkg_tools.damage($$update g.model set score_function = 'trance'$$);
select hkg_tools.damage($$update g.model set dimensions = 0$$);
select hkg_tools.damage($$update g.model set dimensions = -2147483648$$);
select hkg_tools.damage($$update g.model set dimensions = 3$$);
select hkg_tools.damage($$update g.model set score_function = 'complex'$$);
select hkg_tools.damage($$update g.model set score_function = 'transe'$$);
select hkg_tools.damage($$update g.model set score_function = 'transe', settings = '{"gamma": "many", "norm": 1}'$$);
select hkg_tools.damage($$update g.model set score_function = 'transe', settings = '{"gamma": 1e999, "norm": 1}'$$);
select hkg_tools.damage($$update g.model set score_function = 'transe', settings = '{"gamma": null, "norm": 1}'$$);
select hkg_tools.damage($$update g.model set score_function = 'transe', settings = '{"gamma": 9, "norm": 3}'$$);
select hkg_tools.damage($$update g.model set score_function = 'transe', settings = '[]'$$);
-- reciprocal relations without them
select hkg_tools.damage($$update g.model set settings = '{"reciprocal": true}'$$);
select hkg_tools.damage($$update g.model set settings = '{"reciprocal": true}'; update g.relation_embedding set reciprocal = '{1}'$$);
select hkg_tools.damage($$update g.model set settings = '{"reciprocal": true}'; update g.relation_embedding set reciprocal = '{1,NaN}'$$);
-- with them a head is the tail of the inverse: a = (1,2) and b = (3,4) scored as b * (2,0) * ?
create function hkg_tools.heads() returns table (head text, score float8) language plpgsql as $$
begin
	update g.model set settings = '{"reciprocal": true}';
	update g.relation_embedding set reciprocal = '{2,0}';
	return query select p.head, p.score from hkg_predict_heads('g', 'r', 'b', 10, 'm') p;
end
$$;
begin;
select * from hkg_tools.heads();	-- a: 3*2*1; b is no answer about itself
select hkg_score('g', 'a', 'r', 'b', 'm');	-- 1*1*3 + 2*1*4
rollback;
select hkg_tools.damage($$delete from g.model$$);
select hkg_tools.damage($$update g.model set name = 'n'$$);
select hkg_tools.damage($$update g.entity set name = 'z' where id = 1$$);
select hkg_tools.damage($$delete from g.holdout; delete from g.entity where id = 1$$);
select hkg_tools.damage($$drop table g.rule$$);	-- which only a model with evidence reads
select hkg_tools.damage($$drop view g.layout$$);
select hkg_tools.damage($$alter schema g rename to h$$);
-- other tables, whatever their owner made of them: rules that are none, names that are missing, columns of other types
begin;
insert into g.triple values (2, 1, 1);
insert into g.rule values ('m', 1, 'r(X,Y) <= r(Y,X)', 1, '{{1,-2,-1}}', 0, 1, 1, 1, 0, 0, 0, null, 0.5, true);
insert into g.threshold values ('m', 1, 11, 0);
create function hkg_tools.spoil(statement text, variadic asked text[]) returns setof text
language plpgsql as $$
begin
	execute statement;
	return query select t.report from unnest(asked) with ordinality a (ask, i),
		hkg_tools.try(format('do $do$ begin raise using errcode = ''HKG01'', message = coalesce((%s)::text, ''nothing''); end $do$', ask)) t order by i;
	raise exception using errcode = 'HKG00';
exception when sqlstate 'HKG00' then
	return;
end
$$;
\set explain 'select e from hkg_explain(\'g\', \'a\', \'r\', \'b\', \'m\') e'
\set classify 'select hkg_classify(\'g\', \'a\', \'r\', \'b\', \'m\')'
\set import 'select hkg_import_rules(\'g\', \'r(X,"b") <= r(X,"a")\', model => \'new\')'
select hkg_tools.spoil('select', :'explain', :'classify', :'import');
select body, report
from unnest(array['{}', '{1,2,3}', '{{1,-2}}', '{{1,-2,null}}', '{{{1,-2,-1}}}', '{{1,-2,-1},{1,-2,-1}}', '{{1,-1,-2}}', '{{1,-1,-99}}', '{{1,-1,-3}}',
		'{{-1,-2,-3},{1,-1,-3}}', '{{-1,-3,1},{1,-2,-3},{1,-1,-3}}', '{{-1,-2,1},{1,-2,-1}}', '{{-1,-2,1},{-1,-1,2}}', '{{-1,-2,2},{1,-1,2}}',
		'{{1,1,1},{1,1,1},{1,1,1},{1,1,1},{1,1,1},{1,1,1}}']) body,
	hkg_tools.spoil(format('update g.rule set body = %L', body), :'explain') report where report like 'DETAIL%';
-- unknown relations and entities: no facts
select hkg_tools.spoil(format('update g.rule set body = %L', body), :'explain')
from unnest(array['{{9,-2,-1}}', '{{-9,-2,-1}}', '{{1,-1,99},{1,-2,98}}', '{{-1,-2,99},{1,-1,98}}']) body;
select hkg_tools.spoil('alter table g.rule alter body drop not null; update g.rule set body = null', :'explain');
select hkg_tools.spoil('alter table g.rule alter body type bigint[]', :'explain');
select hkg_tools.spoil('alter table g.rule alter body type text', :'explain');
select hkg_tools.spoil('alter table g.rule alter body type int using 7', :'explain');
select hkg_tools.spoil('alter table g.rule alter rule drop not null; update g.rule set rule = null', :'explain');
select hkg_tools.spoil('alter table g.rule alter quality type text using 0.25', :'explain');
select hkg_tools.spoil('alter table g.relation alter name drop not null; update g.relation set name = null where id = 2', :'import');
select hkg_tools.spoil('alter table g.triple drop constraint triple_head_fkey, alter head type numeric', :'explain', :'import');
select hkg_tools.spoil('alter table g.triple drop constraint triple_head_fkey; update g.triple set head = 77', :'import');
select hkg_tools.spoil('alter table g.threshold alter threshold type numeric', :'classify');
select hkg_tools.spoil('update g.threshold set threshold = ''NaN''', :'classify');
rollback;
-- a table that takes less than it is given
begin;
create function hkg_tools.refuse() returns trigger language plpgsql as 'begin return null; end';
create trigger refuse before insert on g.entity for each row execute function hkg_tools.refuse();
select hkg_tools.try($$select hkg_load('g', 'select ''new'', ''r'', ''a''')$$);
rollback;

-- nothing of that is left
select hkg_score('g', 'a', 'r', 'b', 'm');

-- too much for the memory that is allowed; refused before it is read
begin;
insert into g.entity select i, 'e' || i from generate_series(10, 3000) i;
insert into g.entity_embedding select 'm', id, array_fill(0::real, array[200]) from g.entity where id >= 10;
update g.model set dimensions = 200;
set local hybridkg.max_memory = '1MB';
select report from hkg_tools.try($$select hkg_score('g', 'a', 'r', 'b', 'm')$$);
rollback;

-- a minibatch of more entities than 32 bits can number, however much memory is allowed
begin;
insert into g.entity select i, 'e' || i from generate_series(10, 22010) i;
insert into g.triple select i, (select min(id) from g.relation), i + 1 from generate_series(10, 22009) i;
set local hybridkg.max_memory = '2000GB';
select report from hkg_tools.try($$select hkg_train('g', 'distmult', 1, settings => '{"batch_size": 22000, "block_size": 1, "negatives": 100000, "holdout": 0}')$$);
rollback;

-- what changes a graph is refused in a read-only transaction before anything is computed, or found missing
delete from g.triple;
begin read only;
select hkg_tools.try($$select hkg_load('g', 'select 1 / 0, 2, 3')$$);
select hkg_tools.try($$select hkg_train('g')$$);
select hkg_tools.try($$select hkg_resume('g', 'n')$$);
select hkg_tools.try($$select hkg_learn_evidence('g', 'n')$$);
select hkg_tools.try($$select hkg_learn_thresholds('g', model => 'n')$$);
rollback;

-- rights
set client_min_messages = warning;
drop role if exists regress_hkg_reader;
create role regress_hkg_reader;
grant usage on schema hkg_tools to regress_hkg_reader;
set role regress_hkg_reader;
select distinct report from hkg_tools.try_all('g', 'm');
reset role;
grant usage on schema g to regress_hkg_reader;
set role regress_hkg_reader;
select distinct report from hkg_tools.try_all('g', 'm');
reset role;
-- the session holds the model, but this user must not see embeddings
grant select on g.model, g.entity, g.relation, g.triple, g.holdout, g.rule to regress_hkg_reader;
select hkg_score('g', 'a', 'r', 'b', 'm');
set role regress_hkg_reader;
select * from hkg_tools.try_all('g', 'm');
reset role;
grant select (model, entity) on g.entity_embedding to regress_hkg_reader;
grant select on g.relation_embedding to regress_hkg_reader;
set role regress_hkg_reader;
select report from hkg_tools.try($$select hkg_score('g', 'a', 'r', 'b', 'm')$$);
reset role;
-- the columns that we read are enough
grant select (embedding) on g.entity_embedding to regress_hkg_reader;
set role regress_hkg_reader;
select hkg_score('g', 'a', 'r', 'b', 'm');
reset role;
-- row security, by rows and by settings, has the last word, whatever the session holds
grant select on g.entity_embedding to regress_hkg_reader;
set role regress_hkg_reader;
select hkg_score('g', 'a', 'r', 'b', 'm');
reset role;
alter table g.entity_embedding enable row level security;
create policy visible on g.entity_embedding using (entity <= current_setting('hkg_test.highest')::int);
set hkg_test.highest = 2;
set role regress_hkg_reader;
select hkg_score('g', 'a', 'r', 'b', 'm');
begin;
select hkg_score('g', 'a', 'r', 'b', 'm');
set local hkg_test.highest = 1;
select report from hkg_tools.try($$select hkg_score('g', 'a', 'r', 'b', 'm')$$);
set local hkg_test.highest = 0;
select report from hkg_tools.try($$select hkg_score('g', 'a', 'r', 'b', 'm')$$);
rollback;
select hkg_score('g', 'a', 'r', 'b', 'm');
reset role;
select hkg_score('g', 'a', 'r', 'b', 'm');

-- a policy that hides a name, but not the facts that it is in: of what is hidden, nothing is said to be gone
begin;
create policy visible on g.entity using (name <> 'b');
alter table g.entity enable row level security;
insert into g.triple values (1, 1, 2);
grant select on g.triple, g.holdout to regress_hkg_reader;
set local role regress_hkg_reader;
select report from hkg_tools.try($$select count(*) from hkg_mine_rules('g')$$);
rollback;

-- a policy whose function catches an error, while a hint is looked for
create function hkg_tools.catches() returns bool language plpgsql as $$ begin raise 'caught'; exception when others then return true; end $$;
begin;
create policy catches on g.entity using (hkg_tools.catches());
create policy catches on g.model using (hkg_tools.catches());
alter table g.entity enable row level security;
alter table g.model enable row level security;
set local role regress_hkg_reader;
select report from hkg_tools.try($$select hkg_score('g', 'nobody', 'r', 'b', 'm')$$);
select report from hkg_tools.try($$select hkg_score('g', 'a', 'r', 'b', 'none')$$);
rollback;
drop function hkg_tools.catches;

-- a table that is gone
begin;
drop table g.threshold;
select report from hkg_tools.try($$select hkg_train('g', 'distmult', 4, iterations => 1, epochs => 1)$$);
rollback;

-- no place for a set
\pset format aligned
\pset tuples_only off
select report from hkg_tools.try($$select case when true then hkg_predict_tails('g', 'a', 'r', 10, 'm') end$$);

drop owned by regress_hkg_reader;
drop role regress_hkg_reader;
drop function hkg_tools.try_all, hkg_tools.damage;
drop schema "no graph";
select hkg_drop_graph('g');
