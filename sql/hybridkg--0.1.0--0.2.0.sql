/* sql/hybridkg--0.1.0--0.2.0.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION hybridkg UPDATE" to load this file. \quit

create procedure hkg_layout_2()
language plpgsql
as $$
begin
	comment on table holdout is 'facts held out: valid chooses the best iteration and calibrates probabilities, test measures; no training learns from them';

	delete from checkpoint;
	delete from checkpoint_inferred;
	alter table checkpoint add column checksum bigint not null;
	comment on column checkpoint.checksum is 'of the piece, its part and its number: whether it is what was saved';
end
$$;
comment on procedure hkg_layout_2() is 'the tables of 0.2.0; for hkg_upgrade_graph';
