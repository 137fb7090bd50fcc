-- Where the tables of a graph are: what a cluster does is shown by 014_citus.pl, where Citus is installed.  Here some
-- catalogues of Citus are made by hand, in transactions that are rolled back: what is refused, and that copies are read.
set client_min_messages = warning;
\set SHOW_CONTEXT never
\i test/tools.sql
\i test/sigmoid.sql

-- without Citus
select hkg_create_graph('d');
select added from hkg_load('d', $$select 'e' || i, 'r' || i % 2, 'e' || i * 3 % 20 from generate_series(0, 19) i$$);
select * from hkg_distribute_graph('d');
select * from hkg_undistribute_graph('d');
select * from hkg_distribute_graph('nothing');

-- a table that is sharded, and one of models that is on every node
create procedure make_catalogues() language plpgsql as $$
begin
	set local allow_system_table_mods = on;
	create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int, repmodel "char");
	create table pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint);
	create table pg_catalog.pg_dist_placement (placementid bigint, shardid bigint, shardstate int, groupid int);
	create table pg_catalog.pg_dist_local_group (groupid int);
	insert into pg_dist_local_group values (0);
end
$$;

begin;
call make_catalogues();
insert into pg_catalog.pg_dist_partition values ('d.triple', 'h', '', 1, 's');
select * from hkg_apply_rule('d', 'r(X,Y) <= r(Y,X)');
rollback;
begin;
call make_catalogues();
insert into pg_catalog.pg_dist_partition values ('d.triple', 'h', '', 1, 's');
select * from hkg_load('d', $$select 'a', 'b', 'c'$$);
rollback;
begin;
call make_catalogues();
insert into pg_catalog.pg_dist_partition values ('d.model', 'n', '', 1, 't');
select * from hkg_predict_tails('d', 'e1', 'r1', 3);
rollback;

-- every function that takes a graph refuses it with that error
create function state_of(call text) returns text language plpgsql set search_path = public, pg_temp as $$
begin
	execute 'select * from ' || call;
	return 'no error';
exception when others then
	return sqlstate;
end
$$;
begin;
call make_catalogues();
insert into pg_catalog.pg_dist_partition values ('d.triple', 'h', '', 1, 's');
select p.proname, c.state
from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
	join pg_extension e on e.oid = d.refobjid and e.extname = 'hybridkg',
	lateral (select state_of(format('%s(%s)', p.proname, string_agg(case
			when i = 1 then quote_literal('d')
			when proargnames[i] = 'query' then quote_literal('select ''a'', ''b'', ''c''')
			when proargnames[i] = 'score_function' then quote_literal('rotate')
			when proargnames[i] = 'split' then quote_literal('test')
			when proargnames[i] = 'evidence' then quote_literal('all')
			when proargnames[i] = 'max_rule_length' then '3'
			when proargtypes[i - 1] in ('float8'::regtype, 'int'::regtype, 'bigint'::regtype) then '1'
			when proargtypes[i - 1] = 'bool'::regtype then 'false'
			when proargtypes[i - 1] = 'text[]'::regtype then case proargnames[i] when 'rules' then $$array['r1(X,Y) <= r0(X,Y)']$$ else $$array['e1']$$ end
			when proargtypes[i - 1] = 'int[]'::regtype then 'array[1]'
			when proargtypes[i - 1] = 'regclass'::regtype then $$'d.triple'$$
			when proargtypes[i - 1] = 'jsonb'::regtype then $$'{}'$$ else $$'e1'$$ end, ', ' order by i))) as state
		from generate_series(1, p.pronargs - p.pronargdefaults) i) c
where p.prokind = 'f' and p.proargnames[1] = 'graph' and p.proname not in ('hkg_create_graph', 'hkg_drop_graph', '_hkg_trainings', '_hkg_stat_of')
	and c.state <> '0A000'
order by 1;
rollback;

-- a worker has facts and no models
begin;
call make_catalogues();
update pg_catalog.pg_dist_local_group set groupid = 1;
drop table d.model cascade;
select * from hkg_predict_tails('d', 'e1', 'r1', 3);
rollback;

-- a reference table: rows come from the copy of this node, not from the table that has its name
begin;
call make_catalogues();
create table d.triple_7 (like d.triple including all);
insert into d.triple_7 select * from d.triple where relation = (select id from d.relation where name = 'r0');
insert into pg_catalog.pg_dist_partition values ('d.triple', 'n', '', 1, 't');
insert into pg_catalog.pg_dist_shard values ('d.triple', 7);
insert into pg_catalog.pg_dist_placement values (1, 7, 1, 0), (2, 7, 1, 1);
select rule, support, body_size from hkg_count_rules('d', array['r1(X,Y) <= r0(X,Y)', 'r0(X,Y) <= r1(X,Y)']);
-- of another node, or not there yet: the table itself
update pg_catalog.pg_dist_placement set shardstate = 3 where groupid = 0;
select rule, support, body_size from hkg_count_rules('d', array['r1(X,Y) <= r0(X,Y)', 'r0(X,Y) <= r1(X,Y)']);
rollback;

-- A graph of any name: its keys to facts are set aside, and come back
select hkg_create_graph('My "odd" Graph');
create function keys() returns table (key text) language sql as $$
	select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint where contype = 'f' and connamespace = quote_ident('My "odd" Graph')::regnamespace
$$;
create temp table before as select key from keys();
call _hkg_keys_set_aside('My "odd" Graph');
select (select count(*) from before where key ~ 'REFERENCES [^(]*(entity|relation)[(]') = (select count(*) from "My ""odd"" Graph".key) as set_aside,
	(select count(*) from before) > 0 as some, (select count(*) from keys() where key ~ 'REFERENCES [^(]*(entity|relation)[(]') as left;
select * from hkg_undistribute_graph('My "odd" Graph');
select hkg_tools.differ('select key from before', 'select key from keys()') as differ;

-- With functions of Citus that copy nothing: a distributed graph is renamed, and its owner's trigger still deletes what names a
-- deleted entity.  No table of another role may have that trigger.  The keys come back without comments, as after a restore.
begin;
call make_catalogues();
create table pg_catalog.pg_dist_node (groupid int, isactive bool, noderole text, shouldhaveshards bool);
insert into pg_catalog.pg_dist_node values (0, true, 'primary', true);
create function pg_catalog.run_command_on_workers(text, out nodename text, out nodeport int, out success bool, out result text) returns setof record
	language sql as 'select null::text, 0, true, null::text where false';
create function pg_catalog.create_reference_table(regclass) returns void language sql as $$insert into pg_dist_partition values ($1, 'n', '', 1, 't')$$;
create function pg_catalog.truncate_local_data_after_distributing_table(regclass) returns void language sql as '';
create function pg_catalog.create_distributed_table(regclass, text, shard_count int default null, colocate_with text default null) returns void language sql as '';
create function pg_catalog.get_shard_id_for_distribution_column(regclass, int) returns bigint language sql return 1;
create function pg_catalog.undistribute_table(regclass) returns void language sql as 'delete from pg_dist_partition where logicalrelid = $1';
select added from hkg_load('My "odd" Graph', $$select 'e' || i, 'r' || i % 2, 'e' || i * 3 % 20 from generate_series(0, 19) i$$);
set local hybridkg.progress = off;
select hkg_train('My "odd" Graph', 'distmult', dimensions => 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0);
select copied, nodes from hkg_distribute_graph('My "odd" Graph');
alter schema "My ""odd"" Graph" rename to " REFERENCES (other) ";
set local search_path = " REFERENCES (other) ", public;
delete from triple using entity e where e.name = 'e1' and e.id in (head, tail);
delete from entity where name = 'e1';
select count(*) from entity_embedding;
create role guest;
create schema own;
create table own.entity (id int);
create view own.key as select 'rule'::name as of_table, 'id'::name as of_column, 'entity'::name as referenced;
alter table own.entity owner to guest;
alter view own.key owner to guest;
savepoint deleted;
create trigger deleted after delete on own.entity referencing old table as gone for each statement execute function names_deleted();
delete from own.entity;
rollback to deleted;
delete from pg_description where objoid in ('entity'::regclass, 'relation'::regclass, 'triple'::regclass, 'holdout'::regclass, 'rejected'::regclass);
select returned from hkg_undistribute_graph(' REFERENCES (other) ');
alter schema " REFERENCES (other) " rename to "My ""odd"" Graph";
select hkg_tools.differ('select key from before', 'select key from public.keys()') as differ;
rollback;
select hkg_drop_graph('My "odd" Graph');
drop function keys;

-- the nodes of the next two tests
create procedure make_nodes() language plpgsql as $$
begin
	call make_catalogues();
	create table d.slice (place int, slice int, slices int);
	create table d.bucket (place int, lane int, number bigint, bytes bytea);
	insert into d.slice values (1, 1, 3), (2, 2, 3), (3, 3, 3);
	insert into pg_catalog.pg_dist_partition select format('d.%s', name)::regclass, case when name in ('slice', 'bucket') then 'h' else 'n' end, '', 1,
		case when name in ('slice', 'bucket') then 's' else 't' end from unnest(array['entity', 'relation', 'triple', 'holdout', 'rejected', 'slice', 'bucket']) name;
	create function pg_catalog.get_shard_id_for_distribution_column(regclass, int) returns bigint language sql return $2;
	insert into pg_catalog.pg_dist_placement values (1, 1, 1, 1), (2, 2, 1, 2), (3, 3, 1, 0);
end
$$;

-- What ranking the valid split on nodes takes, of two that have a place, is in an estimate.  distmult, 4 dimensions: 16 bytes of each
-- of 20 entities and 2 relations, and 12 of each of 20 facts and 5 triples of the split, to each; the split once
begin;
call make_nodes();
select added from hkg_load('d', $$select 'e' || i, 'r0', 'e' || i * 7 % 20 from generate_series(1, 5) i$$, 'valid');
set local hybridkg.slice_seconds = 0;
select item, bytes, 2 * ((20 + 2) * 16 + (20 + 5) * 12) + 5 * 12 as sent
from hkg_estimate('d', 'distmult', dimensions => 4) where item ~ 'sent';
-- of a node, at least what it gets: half of the split
select bytes >= (20 + 2) * 16 + (20 + 5) * 12 + 3 * 12 as holds_it from hkg_estimate('d', 'distmult', dimensions => 4) where item = 'a node that ranks';
-- not where it would take less than a second, or nodes are not wanted
set local hybridkg.slice_seconds = 1;
select count(*) from hkg_estimate('d', 'distmult', dimensions => 4) where item ~ 'rank';
set local hybridkg.slice_seconds = -1;
select count(*) from hkg_estimate('d', 'distmult', dimensions => 4) where item ~ 'rank';
rollback;

-- hkg_progress has the servers that work on a phase, as looked at when slices are asked and when an iteration is written: three that mine
begin;
call make_nodes();
create temp table seen (at int generated always as identity, phase text, nodes int);
create function look() returns boolean language sql volatile set search_path = public, pg_temp as $$
	insert into seen (phase, nodes) select phase, nodes from hkg_progress where pid = pg_backend_pid() returning true
$$;
create function look_on() returns trigger language plpgsql as $$ begin perform public.look(); return null; end $$;
alter table d.slice rename to place;
create view d.slice as select * from d.place where public.look();
update pg_catalog.pg_dist_partition set logicalrelid = 'd.slice' where logicalrelid = 'd.place'::regclass;
create trigger look after insert on d.iteration for each statement execute function look_on();
set local hybridkg.slice_seconds = -1;
select hkg_train('d', 'distmult', dimensions => 4, iterations => 2, epochs => 1, evidence_rules => 0, settings => '{"negatives": 2, "min_support": 1}');
select phase, nodes, count(*) > 1 as repeated from (select *, at - row_number() over (partition by phase, nodes order by at) as run from seen) s
group by phase, nodes, run order by min(at);
rollback;

-- the counts of slices add up to those of all pairs
select hkg_create_graph('s');
select added from hkg_load('s', $$select 'e' || i % 97, 'r' || i % 3, 'e' || i * i % 89 from generate_series(1, 2000) i$$);
create temp table rule as select array['r0(X,Y) <= r1(X,Y)', 'r0(X,Y) <= r1(Y,X)', 'r1(X,Y) <= r2(X,A), r0(A,Y)', 'r2(X,Y) <= r1(A,X), r1(A,Y)'] as rules;
with part as (select c.* from rule, generate_series(1, 3) slice, hkg_count_rules('s', rules, slice, 3) c),
	whole as (select c.* from rule, hkg_count_rules('s', rules) c)
select w.rule, w.support, w.body_size, w.pca_body_size, (w.support, w.body_size, w.pca_body_size) = (sum(p.support), sum(p.body_size), sum(p.pca_body_size)) as adds_up,
	count(*) filter (where p.body_size > 0) as slices_with_pairs
from whole w join part p using (rule) group by w.rule, w.support, w.body_size, w.pca_body_size order by 1;

-- and what a rule infers in slices, each pair in one of them, is what it infers in all
select rule, count(distinct slice) as slices_with_pairs, string_agg(a::text, ' ' order by head, tail) =
	(select string_agg(w::text, ' ' order by head, tail) from hkg_apply_rule('s', rule) w) as same
from (select unnest(rules) as rule from rule) r, generate_series(1, 3) slice, hkg_apply_rule('s', rule, slice, 3) a group by rule order by rule;
-- a constant of the head is in one slice
select count(distinct slice) as slices, count(*) = (select count(*) from hkg_apply_rule('s', 'r0("e5",Y) <= r1(A,Y)')) as same
from generate_series(1, 3) slice, hkg_apply_rule('s', 'r0("e5",Y) <= r1(A,Y)', slice, 3);

-- what nodes do: the rules of slices of heads are those of all heads, each once; sizes of slices of pairs add up to those of all pairs
create temp table mined as select rule, support, body_size, pca_body_size from hkg_mine_rules('s', min_support => 40, constants => true);
create temp table found as select slice, _hkg_search_slice('s', '{}', 3, 0.01, 40, true, slice, 3) as answer from generate_series(1, 3) slice;
-- rules as they are sent: without the checksum and the supports
create function parts(answer bigint[], out place int, out rule int[], out support bigint) returns setof record language plpgsql as $$
declare
	next int := 2;
	length int;
begin
	place := 0;
	while next <= cardinality(answer) loop
		length := 2 + 3 * answer[next + 1];
		place := place + 1;
		rule := answer[next : next + length - 1]::int[];
		support := answer[next + length];
		return next;
		next := next + length + 1;
	end loop;
end
$$;
create temp table part as select row_number() over (order by slice, p.place) as place, p.rule, p.support from found, parts(answer) p;
select (select count(*) from part) as found, (select count(distinct rule) from part) as different, (select count(*) from mined) as mined,
	(select sum(support) from part) = (select sum(support) from mined) as same_support,
	(select count(distinct answer[1]) from found) as checksums, (select count(*) from found where cardinality(answer) > 1) as slices_with_rules;
create function all_rules() returns int[] language sql as $$
	select array_agg(number order by p.place, n) from part p, unnest(p.rule) with ordinality u (number, n)
$$;
create temp table sized as select slice, _hkg_count_slice('s', '{}', all_rules(), slice, 3) as answer from generate_series(1, 3) slice;
select (select sum(n) from sized, unnest(answer[2:]) with ordinality u (n, i) where i % 2 = 1) = (select sum(body_size) from mined) as sizes_add_up,
	(select sum(n) from sized, unnest(answer[2:]) with ordinality u (n, i) where i % 2 = 0) = (select sum(pca_body_size) from mined) as pca_sizes_add_up,
	(select count(*) from sized s, found f where s.slice = f.slice and s.answer[1] = f.answer[1]) as same_checksums;
-- facts that are left out are as if they were not there
select hkg_create_graph('t');
select added from hkg_load('t', 'select h.name, r.name, t.name from s.triple f join s.entity h on h.id = f.head join s.relation r on r.id = f.relation
	join s.entity t on t.id = f.tail where (f.head + f.tail) % 10 > 0 order by 1, 2, 3');
select cardinality(_hkg_search_slice('s', (select array_agg(n order by f.head, f.relation, f.tail, i) from s.triple f,
		unnest(array[f.head, f.relation, f.tail]) with ordinality u (n, i) where (f.head + f.tail) % 10 = 0), 3, 0.01, 5, false, 1, 1))
	- cardinality(_hkg_search_slice('t', '{}', 3, 0.01, 5, false, 1, 1)) as more_rules;
-- what is none
select _hkg_count_slice('s', '{}', '{1}', 1, 1);
select _hkg_count_slice('s', '{}', '{1,1,2,-1,-9}', 1, 1);
select _hkg_count_slice('s', '{}', '{1,1,2,-1,-3}', 1, 1);
select _hkg_count_slice('s', '{}', '{99,1,2,-1,-2}', 1, 1);
select _hkg_count_slice('s', '{}', array[null]::int[], 1, 1);
select _hkg_count_slice('s', '{1,2}', '{}', 1, 1);
select _hkg_search_slice('s', '{}', 3, 0.01, 5, false, 4, 3);

-- ranking by slices: each triple of a split is in one of them, with the rank that it has among all
select hkg_create_graph('u');
select added from hkg_load('u', $$select 'e' || i % 40, 'r' || i % 3, 'e' || i * 7 % 40 from generate_series(1, 120) i where i % 5 > 0$$);
select hkg_train('u', 'rotate', dimensions => 4, iterations => 1, epochs => 3, model => 'm', seed => 3, settings => '{"negatives": 2, "constants": false}');
select hkg_tools.state_sigmoid('u');
select xmin::text || ctid::text as version from u.model where name = 'm' \gset
create temp table ranked as select row_number() over () - 1 as place, head_rank, tail_rank from hkg_ranks('u', 'train', 'm', 5);
create temp table in_slice as
	select place, stretch % 3 + 1 as slice, row_number() over (partition by stretch % 3 order by stretch, place) as n, count(*) over (partition by stretch % 3) as size
	from (select count(*) as triples from ranked) c, generate_series(0, 23) stretch, lateral generate_series(triples * stretch / 24, triples * (stretch + 1) / 24 - 1) place;
create temp table rank_part as select slice, _hkg_rank_slice('u', 'm', 'train', 5, 'all', 0, :'version', slice, 3) as answer from generate_series(1, 3) slice;
select count(*) = (select count(*) from ranked) as all_of_them,
	bool_and(r.head_rank = p.answer[1 + i.n] and r.tail_rank = p.answer[1 + i.size + i.n]) as same_ranks, count(distinct p.answer[1]) as checksums
from ranked r join in_slice i using (place) join rank_part p using (slice);
-- a sample is drawn before it is cut
select cardinality(_hkg_rank_slice('u', 'm', 'train', 5, 'embedding', 50, :'version', 1, 2)) + cardinality(_hkg_rank_slice('u', 'm', 'train', 5, 'embedding', 50, :'version', 2, 2)) as numbers;
-- and so are questions for missing facts: the most probable ones of the slices are those of all questions
create temp table answered as
	select slice, n[1] as head, n[2] as relation, n[3] as tail, max(n[8]) as probability
	from (select slice, _hkg_complete_slice('u', 'm', 'all', -1, 50, 0, false, false, null, null, :'version', slice, 3) as answer from generate_series(1, 3) slice offset 0) a,
		lateral (select answer[i : i + 7] as n from generate_series(2, cardinality(answer), 8) i) u
	group by 1, 2, 3, 4;
create temp table best as select head, relation, tail from (select head, relation, tail, max(probability) as probability from answered group by 1, 2, 3) a order by probability desc limit 40;
with e as (select name, row_number() over (order by id) - 1 as place from u.entity), r as (select name, row_number() over (order by id) - 1 as place from u.relation)
select count(*) as listed, count(distinct c.probability) as probabilities, count(b.head) as found
from hkg_complete('u', k => 40, min_probability => 0, model => 'm') c join e h on h.name = c.head join r on r.name = c.relation join e t on t.name = c.tail
	left join best b on (b.head, b.relation, b.tail) = (h.place, r.place, t.place);
select count(distinct slice) as slices_with_answers from answered;
-- a node that has another version of the model answers nothing
select _hkg_rank_slice('u', 'm', 'train', 5, 'all', 0, 'another', 1, 3) is null as no_ranks, _hkg_complete_slice('u', 'm', 'all', -1, 50, 0, false, false, null, null, 'another', 1, 3) is null as no_facts;
select _hkg_send_model('u', 'm');
select _hkg_rank_slice('u', 'm', 'all', 5, 'all', 0, 'another', 1, 3);
select _hkg_rank_slice('u', 'm', 'train', 5, 'all', 0, 'another', 4, 3);
-- whoever asks for a slice by hand gets no rows that are not there
select _hkg_complete_slice('u', 'm', 'all', 2000000000, 50, 0, false, false, null, null, :'version', 1, 3);
select _hkg_complete_slice('u', 'm', 'all', -1, 50, 0, false, false, array[0, 2000000000], null, :'version', 1, 3);
select _hkg_complete_slice('u', 'm', 'all', -1, 50, 0, false, false, null, array[1, 1], :'version', 1, 3);
select _hkg_complete_slice('u', 'm', 'all', -1, 50, 0, false, false, null, array[-1], :'version', 1, 3);
select _hkg_complete_slice('u', 'm', 'all', -1, 50, 0, false, false, array[1, null], null, :'version', 1, 3);
select cardinality(_hkg_complete_slice('u', 'm', 'all', -1, 50, 0, false, false, array[0], array[1], :'version', 1, 1)) > 0 as answered;

-- an entity that came after the training asks and answers, too
select added from hkg_load('u', $$values ('late', 'r1', 'e3'), ('e5', 'r2', 'late')$$);

-- Three slices on this one server: ranks, lists of missing facts, rules, and those of a training that has held out facts
-- (it mines by slices before its rules are looked at), are those without slices.
create function calls() returns table (name text, call text) language sql as $$
	values ('ranks', $c$select row_number() over () as place, r::text as answer from hkg_ranks('u', 'train', 'm', 5) r$c$),
		('ranks of a sample', $c$select row_number() over (), e::text from hkg_evaluate('u', 'train', 'm', 3, sample => 20) e$c$),
		('missing facts', $c$select row_number() over (), c::text from hkg_complete('u', k => 40, min_probability => 0, model => 'm') c$c$),
		('of one relation', $c$select row_number() over (), c::text from hkg_complete('u', 'r1', 30, 'm', 0, 'embedding') c$c$),
		('one for each head', $c$select row_number() over (), c::text from hkg_complete('u', k => 200, min_probability => 0, model => 'm', one_each => true) c$c$),
		('of some heads and candidates', $c$select row_number() over (), c::text from hkg_complete('u', 'r2', 50, 'm', 0, heads => array(select 'e' || i from generate_series(1, 9) i),
			candidates => array['e3', 'e14', 'e15', 'e39']) c$c$),
		('rules', $c$select row_number() over (order by m.rule), m::text from hkg_mine_rules('u', min_support => 3, constants => true) m$c$),
		('rules where facts are held out', $c$select id::bigint, concat_ws(' ', rule, support, body_size, pca_body_size) from u.rule where model = 'held out'$c$)
$$;
create function answers(prefix text) returns void language plpgsql as $$
declare
	c record;
begin
	perform hkg_train('u', 'distmult', dimensions => 2, iterations => 1, epochs => 1, evidence_rules => 0,
		model => 'held out', settings => '{"negatives": 2, "min_support": 3, "min_head_coverage": 0, "holdout": 0.2}');
	for c in select * from calls() loop
		perform setval('asked', 1, false);
		execute format('insert into answer select %L, %L, place, answer from (%s) a (place, answer)', prefix, c.name, c.call);
		insert into answer values (prefix, c.name, 0, case when (select is_called from asked) then 'slices' else 'no slices' end);
	end loop;
end
$$;
create temp table answer (prefix text, name text, place bigint, answer text);
create sequence asked;
set hybridkg.progress = off;
set hybridkg.slice_seconds = -1;
select answers('whole');
begin;
call make_catalogues();
create table u.place (place int, slice int, slices int);
insert into u.place values (1, 1, 3), (2, 2, 3), (3, 3, 3);
create view u.slice as select * from u.place where nextval('public.asked') > 0;
insert into pg_catalog.pg_dist_partition select format('u.%s', name)::regclass, case name when 'slice' then 'h' else 'n' end, '', 1,
	case name when 'slice' then 's' else 't' end from unnest(array['entity', 'relation', 'triple', 'holdout', 'rejected', 'slice']) name;
create table u.sent_model as select name, xmin::text || ctid::text as version from u.model where name = 'm';
do $$
declare part name;
begin
	foreach part in array '{entity_embedding, relation_embedding, evidence_weight, rule, path_network, shared_weight}'::name[] loop
		execute format('create table u.sent_%1$s as table u.%1$s', part);
	end loop;
end $$;
set local hybridkg.slice_seconds = 0;
select answers('sliced');
select w.name, w.rows, s.rows as sliced, s.asked, (select count(*) from answer a where (a.prefix, a.name) = ('sliced', w.name) and a.place > 0
	and not exists (select from answer b where (b.prefix, b.name, b.place, b.answer) = ('whole', a.name, a.place, a.answer))) as differ
from (select name, count(*) - 1 as rows from answer where prefix = 'whole' group by 1) w
	join (select name, count(*) - 1 as rows, max(answer) filter (where place = 0) as asked from answer where prefix = 'sliced' group by 1) s using (name) order by 1;
-- A node that has another version is refused.  The error takes the name back from the function that answers in its place.
create function refusal(function name, spoilt text, call text) returns table (state text, message text, detail text, hint text) language plpgsql as $$
begin
	execute format('alter function %1$s rename to %1$s_there', function);
	execute (select format('create function %1$s(%2$s) returns bigint[] language sql as $f$select %3$s from public.%1$s_there(%4$s) answer$f$',
		function, pg_get_function_arguments(oid), spoilt, (select string_agg('$' || i, ', ' order by i) from generate_series(1, pronargs) i))
		from pg_proc where proname = function || '_there');
	execute 'select * from ' || call;
exception when others then
	get stacked diagnostics state = returned_sqlstate, message = message_text, detail = pg_exception_detail, hint = pg_exception_hint;
	return next;
end
$$;
select r.* from (values (1, '_hkg_rank_slice', 'answer[:cardinality(answer) - 1]', $$hkg_ranks('u', 'train', 'm', 5)$$),
	(2, '_hkg_complete_slice', 'answer || 0::bigint', $$hkg_complete('u', k => 40, min_probability => 0, model => 'm')$$),
	(3, '_hkg_search_slice', 'answer[:cardinality(answer) - 1]', $$hkg_mine_rules('u', min_support => 3)$$),
	(4, '_hkg_search_slice', 'answer || array[99, 1, 2, -1, -2, 5]', $$hkg_mine_rules('u', min_support => 3)$$),
	(5, '_hkg_count_slice', 'answer || 0::bigint', $$hkg_mine_rules('u', min_support => 3)$$)) c (n, function, spoilt, call),
	refusal(c.function, c.spoilt, c.call) r order by n;
-- where a slice does not answer, all is done here, which a notice tells
delete from u.place where slice = 2;
delete from answer where prefix = 'sliced';
set local client_min_messages = notice;
select answers('sliced');
set local client_min_messages = warning;
select count(*) as rows, count(*) filter (where not exists (select from answer b where (b.prefix, b.name, b.place, b.answer) = ('whole', a.name, a.place, a.answer))) as differ
from answer a where prefix = 'sliced' and place > 0;
-- where one of the tables of facts is on this server alone, nobody is asked
delete from pg_catalog.pg_dist_partition where logicalrelid = 'u.holdout'::regclass;
delete from answer where prefix = 'sliced';
select answers('sliced');
select string_agg(distinct answer, ', ') from answer where prefix = 'sliced' and place = 0;
rollback;
reset hybridkg.slice_seconds;
reset hybridkg.progress;
drop function answers, calls;
drop sequence asked;

select hkg_drop_graph('d'), hkg_drop_graph('s'), hkg_drop_graph('t'), hkg_drop_graph('u');
drop procedure make_catalogues, make_nodes;
drop function state_of, parts, all_rules;
