-- For the SQL tests, \i test/tools.sql: what a statement is refused with.
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
grant usage on schema hkg_tools to public;
