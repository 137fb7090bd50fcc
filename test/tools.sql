-- For the SQL tests, \i test/tools.sql: what a statement is refused with, and whether two queries have the same rows.
create schema if not exists hkg_tools;
create or replace function hkg_tools.try(statement text) returns table (report text)
language plpgsql as $$
declare
	state text;
	message text;
	detail text;
	hint text;
begin
	execute statement;
	return query select 'no error';
exception when others then
	get stacked diagnostics state = returned_sqlstate, message = message_text,
		detail = pg_exception_detail, hint = pg_exception_hint;
	return query select line from unnest(array[state || ': ' || message,
		nullif('DETAIL: ' || detail, 'DETAIL: '), nullif('HINT: ' || hint, 'HINT: ')]) line
		where line is not null;
end
$$;
-- Rows that only one of two queries has; null where the first has none, so that there is nothing to compare
create or replace function hkg_tools.differ(one text, other text) returns bigint
language plpgsql as $$
declare
	compared bigint;
	different bigint;
begin
	execute format('select count(*) from (%s) o', one) into compared;
	execute format('select count(*) from ((select * from (%1$s) a except all select * from (%2$s) b)
		union all (select * from (%2$s) c except all select * from (%1$s) d)) e', one, other) into different;
	return case when compared > 0 then different end;
end
$$;
grant usage on schema hkg_tools to public;
