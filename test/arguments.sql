-- For the SQL tests, \i test/arguments.sql after test/tools.sql: arguments of hkg_train as name => value, put together by a
-- test, become its argument settings.
create or replace function hkg_tools.arguments(list text) returns text
language sql as $$
	select case when list ~ '\w => ' then regexp_replace(regexp_replace(regexp_replace(list, '(\w+) => ', e'\001''\\1'', ', 'g'),
		e'\001', 'settings => jsonb_build_object('), e'\001', '', 'g') || ')' else list end
$$;
