-- View hkg_stat and table training: what anyone who runs a server looks at.
set hybridkg.progress = off;
set hybridkg.threads = 1;
set client_min_messages = warning;
select hkg_create_graph('run');
select added from hkg_load('run', $$select 'e' || i, 'r' || j % 4, 'e' || (i * 7 + j / 2 * 11) % 60 from generate_series(0, 59) i, generate_series(0, 9) j$$);
\set arguments '\'run\', \'distmult\', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 20, settings => \'{"holdout": 0}\''
select hkg_train(:arguments);
select hkg_train(:arguments, model => 'other');
select hkg_train(:arguments);
-- one that is rolled back is none
begin;
select hkg_train(:arguments);
rollback;
select model, t.status, facts = (select count(*) from run.triple) as all_facts, pid = pg_backend_pid() as mine, started_at < ended_at as ended,
	ended_at >= m.trained_at as after_it from run.training t join run.model m on m.name = t.model order by started_at;
-- 600 facts of 60 entities; then 20 new ones of 10 new entities: 20 / 620, and 10 / 70
select graph, model, status, trained_at = (select trained_at from run.model where name = model) as trained, trainings, failures, facts, new_facts, entities, new_entities
	from hkg_stat order by model;
select added, entities from hkg_load('run', $$select 'new' || i % 10, 'r' || i % 2, 'e' || i from generate_series(1, 20) i$$);
select model, facts, round(new_facts::numeric, 4) as new_facts, entities, round(new_entities::numeric, 4) as new_entities from hkg_stat where graph = 'run' order by 1;
-- fewer facts than it has learnt from are no new ones
begin;
delete from run.triple where relation < 3;
select new_facts from hkg_stat where model = 'default';
delete from run.triple;
select facts, new_facts from hkg_stat where model = 'default';
rollback;
-- a model of rules
select hkg_import_rules('run', 'r0(X,Y) <= r1(X,Y)', 'rules');
select model, status, trainings, new_facts, new_entities from hkg_stat where model = 'rules';
-- the reset, and a model that goes
delete from run.training where model = 'other';
select model, trainings, new_facts from hkg_stat where model = 'other';
delete from run.model where name = 'default';
select count(*) from run.training;

-- calls and time by function are the server's
set track_functions = 'all';
select count(*) from hkg_predict_heads('run', 'r0', 'e1', 3, model => 'other');
select count(*) from hkg_predict_heads('run', 'r0', 'e2', 3, model => 'other');
select calls, total_time > 0 as took from pg_stat_xact_user_functions where funcname = 'hkg_predict_heads';
reset track_functions;

-- rights: a graph is there for those who read all of it, and whatever is no table is not read at all
create role watcher;
set role watcher;
select count(*) from hkg_stat;
reset role;
grant usage on schema run to watcher;
grant select on all tables in schema run to watcher;
set role watcher;
select graph, model from hkg_stat order by model;
reset role;
revoke select on run.training from watcher;
set role watcher;
select count(*) from hkg_stat;
reset role;
grant select on run.training to watcher;
create function run.trap() returns bool language plpgsql as $$ begin raise 'a trap'; end $$;
alter table run.entity enable row level security;
create policy trap on run.entity using (run.trap());
set role watcher;
select count(*) from hkg_stat;
reset role;
select count(*) from hkg_stat;		-- a superuser's, whom no policy binds
drop policy trap on run.entity;
alter table run.entity rename to entity_x;
create view run.entity as select * from run.entity_x where run.trap();
select count(*) from hkg_stat;
drop view run.entity;
alter table run.entity_x rename to entity;
create table run.child () inherits (run.triple);
insert into run.child select * from run.triple;
select model, facts from hkg_stat order by 1;		-- its rows are no facts here
drop table run.child;
-- a schema that is like a graph
create schema alike;
create view alike.layout as select 2 as version;
select graph, model from hkg_stat order by model;
begin read only;
select count(*) from hkg_stat;
rollback;
select hkg_drop_graph('run');
drop schema alike cascade;
drop owned by watcher;
drop role watcher;
