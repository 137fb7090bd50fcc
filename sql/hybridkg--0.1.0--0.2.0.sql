/* sql/hybridkg--0.2.0.sql */

create procedure hkg_layout_2()
language plpgsql
as $$
begin
	comment on table holdout is 'facts held out: valid chooses the best iteration and calibrates probabilities, test measures; no training learns from them';
end
$$;
comment on procedure hkg_layout_2() is 'the tables of 0.2.0; for hkg_upgrade_graph';
