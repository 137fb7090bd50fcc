-- For the SQL tests, \i test/sigmoid.sql after test/tools.sql.
-- States 1 / (1 + exp(-score)) as the probability of all that a graph's models predict, so that lists are in the order of
-- scores: a model that a test made by hand has learnt none.
create or replace function hkg_tools.state_sigmoid(graph name) returns void
language plpgsql as $$
begin
	execute format('update %I.model set evidence = coalesce(evidence::jsonb, ''{"discount": {"rules": null, "all": 0.25}}'')
		|| jsonb_build_object(''calibration'', (select jsonb_object_agg(kind, ''{"slope": 1, "intercept": 0}''::jsonb)
			from unnest(array[''embedding'', ''rules'', ''paths'', ''all'']) kind))', graph);
end
$$;
grant usage on schema hkg_tools to public;
