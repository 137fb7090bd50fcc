-- For bench/tables: cells of the tables in schema public are hidden, and answers compared with them.

create schema bench;
create table bench.hidden (table_name text, key_name text, column_name text, key text, value text);
create table bench.answer (method text, column_name text, key text, value text, probability float8);
create table bench.took (method text, column_name text, seconds float8, processor_seconds float8);

create procedure bench.hide(table_name text, key_name text, column_name text, seed int) language plpgsql as $$
begin
	execute format($f$
		with cell as (
			insert into bench.hidden
			select %1$L, %2$L, %3$L, %2$I, %3$I from %1$I
			where %3$I is not null and ('x' || substr(md5(concat_ws(' ', %4$L, %1$L, %3$L, %2$I)), 1, 8))::bit(32)::bigint < 0.1 * 4294967296
			returning key
		)
		update %1$I set %3$I = null from cell where %2$I::text = cell.key $f$, table_name, key_name, column_name, seed);
end
$$;
comment on procedure bench.hide is 'sets a tenth of the known cells of a column to null; the seed says which';

create function bench.processor_seconds() returns float8 language sql volatile as $$
	select (own[12]::float8 + own[13]::float8) / 100 from string_to_array(regexp_replace(pg_read_file('/proc/self/stat'), '.*[)] ', ''), ' ') own
$$;

create procedure bench.fill() language plpgsql as $$
declare
	began timestamptz := clock_timestamp();
	before float8 := bench.processor_seconds();
	loading float8;
	loading_processor float8;
	part record;
begin
	perform hkg_drop_graph(nspname) from pg_namespace where nspname = 'tables';
	perform hkg_set_source('tables', schema => 'public');
	loading := extract(epoch from clock_timestamp() - began);
	loading_processor := bench.processor_seconds() - before;
	for part in select table_name, column_name, array_agg(key) as keys from bench.hidden group by 1, 2 order by 1, 2 loop
		began := clock_timestamp();
		before := bench.processor_seconds();
		insert into bench.answer
		select 'fill', part.column_name, key, value, probability
		from hkg_fill('tables', part.table_name::regclass, part.column_name, keys => part.keys);
		insert into bench.took values ('fill', part.column_name, loading + extract(epoch from clock_timestamp() - began),
			loading_processor + bench.processor_seconds() - before);
	end loop;
end
$$;
comment on procedure bench.fill is 'answers of hkg_fill; hkg_set_source is for all columns, and counts for each';

create procedure bench.most_frequent() language plpgsql as $$
declare
	part record;
begin
	for part in select distinct table_name, key_name, column_name, case column_name when 'tz' then 'country' else '''''' end as of_column from bench.hidden loop
		execute format($f$
			insert into bench.answer
			select 'most_frequent', %3$L, h.key, f.value, f.share
			from bench.hidden h
				join %1$I t on t.%2$I::text = h.key
				join (select distinct on (of) of, value, count(*) / sum(count(*)) over (partition by of) as share
					from (select %4$s as of, %3$I::text as value from %1$I where %3$I is not null) v
					group by of, value order by of, count(*) desc, value) f on f.of = %4$s
			where h.column_name = %3$L $f$, part.table_name, part.key_name, part.column_name, part.of_column);
		insert into bench.took values ('most_frequent', part.column_name);
	end loop;
end
$$;

-- Error: expected calibration error of the best answers, in ten bins of equal width.  A cell without an answer is wrong at 0.
create view bench.result as
select method, h.table_name || '.' || column_name as of_column, sum(number) as hidden, sum(hits) / sum(number) as hits, sum(stated) / sum(number) as stated,
	sum(abs(stated - hits)) / sum(number) as error, min(t.seconds) as seconds, min(t.processor_seconds) as processor_seconds
from (select t.method, h.table_name, h.column_name, least(9, floor(10 * coalesce(probability, 0))) as bin, count(*) as number,
		count(*) filter (where a.value = h.value)::float8 as hits, sum(coalesce(probability, 0)) as stated
	from bench.took t
		join bench.hidden h using (column_name)
		left join bench.answer a using (method, column_name, key)
	group by 1, 2, 3, 4) h
	join bench.took t using (method, column_name)
group by method, h.table_name, column_name;

create table bench.changed (key text, old text, new text);

create procedure bench.change(table_name text, key_name text, column_name text, kind text, seed int) language plpgsql as $$
begin
	execute format($f$
		with cell as (
			select %2$I::text as key, %3$I as old, row_number() over (order by md5(concat(%5$L, %2$I))) as number from %1$I
			where %3$I is not null and ('x' || substr(md5(concat_ws(' ', %5$L, 'change', %2$I)), 1, 8))::bit(32)::bigint < 0.01 * 4294967296
		), value as (
			select %3$I as value, count(*) as rows from %1$I where %3$I is not null group by 1
		), draw as (	-- each value with its exponential variate, by its weight: the least wins
			select key, value, row_number() over (partition by key order by -ln((('x' || substr(md5(concat_ws(' ', %5$L, key, value)), 1, 8))::bit(32)::bigint + 1)
				/ 4294967297.0) / case %4$L when 'plausible' then rows else 1 end) as place
			from cell join value on value <> old
		)
		insert into bench.changed
		select c.key, c.old, case %4$L when 'swapped' then o.old else d.value end
		from cell c join draw d on d.key = c.key and d.place = 1
			left join cell o on o.number = case when c.number %% 2 = 0 then c.number - 1 else c.number + 1 end
		where %4$L <> 'swapped' or o.old <> c.old $f$, table_name, key_name, column_name, kind, seed);
	execute format('update %1$I set %3$I = new from bench.changed c where %2$I::text = c.key', table_name, key_name, column_name);
end
$$;
comment on procedure bench.change is 'changes a hundredth of the known cells of a column: to a random value, a plausible one (drawn by frequency), or that of another such row (swapped)';

create table bench.doubt (method text, key text, number int);
