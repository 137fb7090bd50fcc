-- A preset's settings take the place of arguments that were left at their defaults.
\pset null '(null)'
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
select hkg_create_graph('ring');
select * from hkg_load('ring', $$select 'e' || i, 'next', 'e' || (i + 1) % 30 from generate_series(0, 29) i$$);

-- every preset is settings of hkg_train, of the right type and within range: estimating takes them all
select preset, purpose is null or purpose = '' as nameless,
	(select bool_and(bytes > 0) from hkg_estimate('ring', preset => preset) where bytes is not null) as taken
	from hkg_presets() order by preset collate "C";
select p.preset, key as unknown from hkg_presets() p, jsonb_object_keys(settings) key
	where key not in (select unnest(proargnames) from pg_proc where oid = 'hkg_train'::regproc);

-- the paper's method, whatever hkg_train's own defaults are: rotate, three atoms without constants, 1 % head coverage, M = 10, k = 100, and of
-- its grids d = 200, B = 512, omega = 0.5, K = 200; all inferences weigh as much as facts, and stay
select key, value from hkg_presets() p, jsonb_each(settings) where preset = 'paper' order by key collate "C";

-- what null stands for: under the logistic loss hard negatives and a rate that falls to a tenth, but in warm starts and where something is said;
-- a preset's rate keeps its course from where the call begins
create temp table said as select * from (values (1, 'true'), (2, 'loss => ''margin'', gamma => 1'), (3, 'loss => ''sampled_softmax'''), (4, 'loss => ''softmax'', score_function => ''complex'''),
	(5, 'negative_sampling => ''bernoulli'', learning_rate => 0.5'), (6, 'optimizer => ''adam'', learning_rate => 1e-9'), (7, 'learning_rate_end => 0.1'),
	(8, 'preset => ''paper'''), (9, 'preset => ''transe-wn18rr'''), (10, 'preset => ''rotate-wn18rr'''), (11, 'preset => ''trusted-rules'''),
	(12, 'preset => ''paper'', optimizer => ''adam'', learning_rate => 0.001'), (13, 'preset => ''rotate-wn18rr'', learning_rate => 0.5'), (14, 'preset => ''rotate-wn18rr'', learning_rate => 0.5, learning_rate_end => 0.4')) v (n, options);
do $$
declare
	o record;
begin
	for o in select * from said where n > 1 loop
		execute format('select hkg_train(''ring'', dimensions => 4, iterations => 1, epochs => 2, evidence_rules => 0, model => %L, %s)', o.n, o.options);
	end loop;
	perform hkg_train('ring', model => '1');
	perform hkg_train('ring', 'transe', 4, 1, 2, model => 'warm', preset => 'transe-wn18rr');
	perform hkg_train('ring', 'transe', 4, 1, 2, model => 'warm', warm_start => true);
end
$$;
select coalesce(s.options, 'warm_start => true') as options, settings->>'epochs' as epochs, settings->>'negatives' as negatives, settings->>'negative_sampling' as negative_sampling, settings->>'learning_rate' as learning_rate,
	settings->>'learning_rate_end' as learning_rate_end
	from ring.model left join said s on s.n::text = name order by n;
-- a bound on quality takes the place of that on confidence, wherever it comes from
select options, settings->>'min_quality' as min_quality, settings->>'min_confidence' as min_confidence
	from ring.model join said s on s.n::text = name where options ~ 'trusted';
delete from ring.model;

-- with a preset of this test's own, for as long as it takes
begin;
create or replace function hkg_presets() returns table (preset text, purpose text, settings jsonb)
language sql immutable parallel safe as $$ values ('tiny', 'a test',
	'{"score_function": "distmult", "dimensions": 4, "epochs": 3, "iterations": 1, "top_rules": 0, "learning_rate": 0.5, "regularizer": "n3", "sample_size": 7, "accumulate": false}'::jsonb) $$;
select hkg_train('ring', preset => 'tiny', epochs => 2, learning_rate => 0.25);
select score_function, dimensions, settings->'epochs' as epochs, settings->'learning_rate' as learning_rate,
	settings->'regularizer' as regularizer, settings->'sample_size' as sample_size,
	settings->'accumulate' as accumulate, settings->'batch_size' as batch_size, settings->'preset' as preset
	from ring.model;
-- a default is one wherever it comes from: texts of a table have headers of another length
create temp table choice as select text 'rotate' as f;
select hkg_train('ring', f, preset => 'tiny') from choice;
select score_function from ring.model;
rollback;
select report from hkg_tools.try($$select hkg_train('ring', preset => 'nothing')$$) where report not like 'HINT%';
select report from hkg_tools.try($$select hkg_train('ring', preset => 'paper', omega => 2)$$);
select hkg_drop_graph('ring');
