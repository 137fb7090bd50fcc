-- For bench/tables, method by_hand: a view of triples as a user writes it, without hkg_set_source: a branch for each column,
-- prefixes, numbers in 64 bins with neighbours linked.  Variable packages, flights or places says of what.

\if :{?packages}
create view bench.triple as
select 'package:' || name as head, f.relation, f.relation || '=' || f.value as tail
from package p, lateral (values ('section', section), ('priority', priority), ('maintainer', maintainer), ('source', source), ('role', role),
	('implemented_in', implemented_in)) f (relation, value)
where f.value is not null
union all select 'package:' || name, 'installed_size', 'installed_size=' || ntile(64) over (order by installed_size) from package where installed_size is not null
union all select 'installed_size=' || i, 'next', 'installed_size=' || i + 1 from generate_series(1, 63) i
union all select 'package:' || package, 'depends', 'package:' || needs from depends
union all select 'package:' || package, 'tag', 'tag:' || tag from package_tag
union all select 'tag:' || name, 'facet', 'facet=' || facet from tag;
\else
\if :{?flights}
create view bench.place as
select 'airport:' || id as head, 'tz' as relation, 'tz=' || tz as tail from airport where tz is not null
union all select 'airport:' || id, 'latitude', 'latitude=' || ntile(64) over (order by latitude) from airport
union all select 'airport:' || id, 'longitude', 'longitude=' || ntile(64) over (order by longitude) from airport
union all select n || '=' || i, n || '.next', n || '=' || i + 1 from generate_series(1, 63) i, unnest('{latitude,longitude}'::text[]) n;
\else
create view bench.place as select '' as head, '' as relation, '' as tail where false;
\endif
create view bench.triple as
select * from bench.place
union all select 'airport:' || id, 'country', 'country=' || country from airport where country is not null
union all select 'airport:' || id, 'altitude', 'altitude=' || ntile(64) over (order by altitude) from airport
union all select 'altitude=' || i, 'altitude.next', 'altitude=' || i + 1 from generate_series(1, 63) i
union all select 'airport:' || source, 'route', 'airport:' || destination from route
union all select 'airline:' || airline, 'flies_from', 'airport:' || source from route
union all select 'airline:' || airline, 'flies_to', 'airport:' || destination from route
union all select 'airline:' || airline, 'uses', 'equipment=' || equipment from route where equipment is not null
union all select 'airline:' || id, 'country', 'country=' || country from airline where country is not null
union all select 'airline:' || id, 'active', 'active=' || active from airline where active is not null;
\endif

-- A question for each cell; the best answer has the probability of a missing fact.
create or replace procedure bench.fill_by_hand(arguments text) language plpgsql as $$
declare
	began timestamptz := clock_timestamp();
	before float8 := bench.processor_seconds();
	training float8;
	training_processor float8;
	part record;
begin
	perform hkg_drop_graph(nspname) from pg_namespace where nspname = 'by_hand';
	perform hkg_create_graph('by_hand');
	perform hkg_load('by_hand', 'select * from bench.triple order by 1, 2, 3');
	execute format('select hkg_train(''by_hand''%s)', arguments);
	training := extract(epoch from clock_timestamp() - began);
	training_processor := bench.processor_seconds() - before;
	for part in select column_name, array_agg(table_name || ':' || key) as heads from bench.hidden group by 1 order by 1 loop
		began := clock_timestamp();
		before := bench.processor_seconds();
		insert into bench.answer
		select 'by_hand', part.column_name, substr(head, strpos(head, ':') + 1), substr(tail, length(part.column_name) + 2), probability
		from hkg_predict_tails('by_hand', part.heads, part.column_name, 1,
			candidates => array(select distinct tail from bench.triple where relation = part.column_name));
		insert into bench.took values ('by_hand', part.column_name, training + extract(epoch from clock_timestamp() - began),
			training_processor + bench.processor_seconds() - before);
	end loop;
end
$$;
