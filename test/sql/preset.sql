-- A preset's settings take the place of arguments that are null.
\pset null '(null)'
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
\i test/arguments.sql
reset client_min_messages;
select hkg_create_graph('ring');
select * from hkg_load('ring', $$select 'e' || i, 'next', 'e' || (i + 1) % 30 from generate_series(0, 29) i$$);

-- every preset is settings of hkg_train, of the right type and within range: estimating takes them all
select preset, purpose is null or purpose = '' as nameless,
	(select bool_and(bytes > 0) from hkg_estimate('ring', preset => preset) where bytes is not null) as taken
	from _hkg_presets() order by preset collate "C";
select p.preset, key as unknown from _hkg_presets() p, jsonb_object_keys(settings) key where key not in (select name from hkg_settings());

-- the paper's method, whatever hkg_train's own defaults are: rotate, three atoms without constants, 1 % head coverage, M = 10, k = 100, and of
-- its grids d = 200, B = 512, omega = 0.5, K = 200; all inferences weigh as much as facts, and stay
select key, value from _hkg_presets() p, jsonb_each(settings) where preset = 'paper' order by key collate "C";

-- what null stands for: under the logistic loss hard negatives and a rate that falls to a tenth, but in warm starts and where something is said;
-- a preset's rate keeps its course from where the call begins
create temp table said as select * from (values (1, 'true'), (2, 'loss => ''margin'', gamma => 1'), (3, 'loss => ''sampled_softmax'''), (4, 'loss => ''softmax'', score_function => ''complex'''),
	(5, 'negative_sampling => ''bernoulli'', learning_rate => 0.5'), (6, 'optimizer => ''adam'', learning_rate => 1e-9'), (7, 'learning_rate_end => 0.1'),
	(8, 'preset => ''paper'''), (9, 'preset => ''quick'''),
	(12, 'preset => ''paper'', optimizer => ''adam'', learning_rate => 0.001'), (13, 'preset => ''paper'', learning_rate => 0.5'), (14, 'preset => ''paper'', learning_rate => 0.5, learning_rate_end => 0.4'),
	(15, 'min_quality => 0.1'), (16, 'min_quality => 0.1, min_confidence => 0.7'), (17, 'preset => ''paper'', min_confidence => 0.7'), (18, 'min_confidence => 0')) v (n, options);
do $$
declare
	o record;
begin
	for o in select * from said where n > 1 loop
		execute 'select hkg_train(' || hkg_tools.arguments(format('''ring'', dimensions => 4, iterations => 1, epochs => 2, evidence_rules => 0, model => %L, %s', o.n::text, o.options)) || ')';
	end loop;
	perform hkg_train('ring', model => '1');
	perform hkg_train('ring', 'transe', 4, 1, 2, model => 'warm', preset => 'paper');
	perform hkg_train('ring', 'transe', 4, 1, 2, model => 'warm', warm_start => true);
end
$$;
select coalesce(s.options, 'warm_start => true') as options, settings->>'epochs' as epochs, settings->>'negatives' as negatives, settings->>'negative_sampling' as negative_sampling, settings->>'learning_rate' as learning_rate,
	settings->>'learning_rate_end' as learning_rate_end
	from ring.model left join said s on s.n::text = name order by n;
-- a bound on quality takes the place of that on confidence, wherever it comes from, unless this is given
select options, settings->>'min_quality' as min_quality, settings->>'min_confidence' as min_confidence
	from ring.model join said s on s.n::text = name where options ~ 'paper|min_' order by n;
-- null is what leaving it out is
do $$
begin
	execute (select format('select hkg_train(''ring'', model => ''null'', %s)', string_agg(format('%I => null', a), ', '))
		from pg_proc, unnest(proargnames) a where oid = 'hkg_train'::regproc and a not in ('graph', 'model'));
	perform hkg_train('ring', model => 'nulls', settings => jsonb_object_agg(name, null)) from hkg_settings() where name <> 'model';
end
$$;
select count(distinct settings - 'model'), count(*) from ring.model where name in ('1', 'null', 'nulls');
select jsonb_pretty(settings) from ring.model where name = '1';
delete from ring.model;

-- with a preset of this test's own, for as long as it takes
begin;
create or replace function _hkg_presets() returns table (preset text, purpose text, settings jsonb)
language sql immutable parallel safe as $$ values ('tiny', 'a test',
	'{"score_function": "distmult", "dimensions": 4, "epochs": 3, "iterations": 1, "top_rules": 0, "learning_rate": 0.5, "learning_rate_end": 0.05, "regularizer": "n3", "sample_size": 7, "accumulate": false}'::jsonb) $$;
select hkg_train('ring', preset => 'tiny', epochs => 2, settings => '{"learning_rate": 0.25}');
select score_function, dimensions, settings->'epochs' as epochs, settings->'learning_rate' as learning_rate, settings->'learning_rate_end' as learning_rate_end,
	settings->'regularizer' as regularizer, settings->'sample_size' as sample_size,
	settings->'accumulate' as accumulate, settings->'batch_size' as batch_size, settings->'preset' as preset
	from ring.model;
-- what is given wins, though it is the default, false or 0
select hkg_train('ring', 'rotate', 200, 10, 10, top_rules => 200, evidence_rules => 0, omega => 0,
	preset => 'tiny', model => 'given', settings => '{"regularizer": "n3", "accumulate": false, "holdout": 0.05}');
select key, value from ring.model, jsonb_each(settings) where name = 'given' and key in
	('score_function', 'dimensions', 'iterations', 'epochs', 'top_rules', 'accumulate', 'evidence_rules', 'holdout', 'omega', 'sample_size') order by key collate "C";

-- a function as 0.1.0 declares it: a default stands for nothing given, wherever it comes from (texts of a table have headers
-- of another length), and what it does not know is off
create schema old;
create function old.hkg_train(graph name, score_function text default 'rotate', dimensions int default 200,
	iterations int default 10, epochs int default 10, batch_size int default 512, negatives int default 64,
	negative_sampling text default null, loss text default 'logistic', optimizer text default 'adagrad',
	learning_rate float8 default 0.1, gamma float8 default 9.0, norm int default 1, regularization float8 default 0,
	omega float8 default 0, top_rules int default 200, beta float8 default 1.0, sample_size bigint default null,
	max_rule_length int default 3, min_head_coverage float8 default 0.01, min_support int default 2,
	constants bool default false, patience int default null, seed bigint default 0, model name default 'default',
	min_quality float8 default 0.7, label text default 'confidence', accumulate bool default false, block_size int default 64,
	temperature float8 default 1.0, reciprocal bool default false, regularizer text default null, preset text default null,
	warm_start bool default false, rules name default null, relation_weight float8 default 0,
	evidence_rules int default 20000, evidence_length int default 4, evidence_seconds float8 default null,
	holdout float8 default 0.05, learning_rate_end float8 default null)
returns text as '$libdir/hybridkg', 'hkg_train' language c;
create temp table choice as select text 'rotate' as f;
select old.hkg_train('ring', f, iterations => 10, top_rules => 10, learning_rate => 0.1, preset => 'tiny', model => 'old') from choice;
select old.hkg_train('ring', model => 'old by default');
select hkg_train('ring', model => 'now');
select n.key, o.value as of_preset, d.value as by_default, n.value as now
	from ring.model x cross join ring.model y cross join ring.model z cross join jsonb_each(x.settings) o join jsonb_each(y.settings) d using (key) join jsonb_each(z.settings) n using (key)
	where x.name = 'old' and y.name = 'old by default' and z.name = 'now' and key <> 'model' and (o.value <> n.value or d.value <> n.value) order by key collate "C";
rollback;
select report from hkg_tools.try($$select hkg_train('ring', preset => 'nothing')$$) where report not like 'HINT%';
select report from hkg_tools.try($$select hkg_train('ring', preset => 'paper', omega => 2)$$);
select hkg_drop_graph('ring');
