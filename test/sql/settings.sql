-- hkg_train's settings: by argument or in settings, checked by one table, which hkg_settings lists.
\pset null '(null)'
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
select hkg_create_graph('ring');
select added from hkg_load('ring', $$select 'e' || i, 'next', 'e' || (i + 1) % 30 from generate_series(0, 29) i$$);
select name, type, range, default_value, tuned from hkg_settings() where name in ('model', 'score_function', 'seed', 'omega', 'paths', 'reciprocal', 'label', 'learning_rate');
-- with a preset, its values
select s.name, s.default_value, p.default_value as paper from hkg_settings() s join hkg_settings('paper') p using (name) where s.name in ('epochs', 'omega', 'reciprocal', 'label', 'gamma');
select count(*) = count(p.name) from hkg_settings() s left join hkg_settings('balanced') p on p = s;
select e.report from hkg_tools.try($$select * from hkg_settings('nothing')$$) e;
-- each can be given in settings with its default, where this does not depend on others, and is a setting of the model
do $$
declare
	part record;
begin
	for part in select name, jsonb_build_object(name, case when type = 'text' then to_jsonb(default_value) else default_value::jsonb end) as settings
			from hkg_settings() where default_value ~ '^\w+(\.\d+)?$' and name <> 'model' loop
		perform hkg_estimate('ring', settings => part.settings);
	end loop;
	perform hkg_train('ring', 'distmult', 2, 1, 1, top_rules => 0, settings => '{"negatives": 3, "seed": 5, "reciprocal": true, "learning_rate": 0.25, "batch_size": null, "assume_missing": 0}');
end
$$;
select count(*) > 50 as many, bool_and(settings ? s.name) as all_there, count(distinct s.name) = (select count(*) from jsonb_object_keys(settings)) as no_others
	from ring.model, hkg_settings() s group by settings;
select key, value from ring.model, jsonb_each(settings) where key in ('dimensions', 'negatives', 'seed', 'reciprocal', 'learning_rate', 'batch_size', 'assume_missing') order by key collate "C";
-- the settings of a model train another one like it
select hkg_train('ring', model => 'again', settings => settings - 'model') from ring.model;
select count(distinct embedding) as same_bits from ring.entity_embedding where entity = (select min(id) from ring.entity);
-- what is refused
select e.report from unnest(array['{"negatives": 0}', '{"negatives": 2.5}', '{"negatives": "many"}', '{"negatives": [1]}', '{"negatives": 1e30}', '{"gamma": true}', '{"constants": 1}',
	'{"loss": 1}', '{"loss": "softmaxx"}', '{"regularizer": ""}', '{"lerning_rate": 0.1}', '{"x": 1}', '[1]', '"loss"', '{"epochs": 1}', '{"preset": "nothing"}', '{"graph": "ring"}']) s,
	hkg_tools.try(format('select hkg_train(''ring'', epochs => 2, settings => %L)', s)) e (report);
-- the functions with the same arguments
select report from hkg_tools.try($$select hkg_estimate('ring', settings => '{"epoch": 1}')$$);
select report from hkg_tools.try($$select hkg_train_background('ring', settings => '{"epoch": 1}')$$);
select hkg_drop_graph('ring');
