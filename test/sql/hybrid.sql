-- How rules take part in learning embeddings, argument hybrid of hkg_train: people of 8 towns in 2 countries; one_of(X,Y) <= lives(X,A), part(A,Y)
-- infers what was left out, every fourth of 40.  manages(X,Y) <= helps(X,Y) is right for half.
\pset null '(null)'
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
set hybridkg.threads = 1;
select hkg_create_graph('land');
select triples from hkg_load('land', $$
	select 'person' || p, 'lives', 'town' || p % 8 from generate_series(0, 39) p
	union all select 'town' || t, 'part', 'country' || t % 2 from generate_series(0, 7) t
	union all select 'person' || p, 'one_of', 'country' || p % 8 % 2 from generate_series(0, 39) p where p % 4 <> 0
	union all select 'person' || p, 'helps', 'person' || (p + 7) % 40 from generate_series(0, 39) p
	union all select 'person' || p, 'manages', 'person' || (p + 7) % 40 from generate_series(0, 39) p where p % 2 = 0$$);
create function pg_temp.train(model name, more text, top_rules int default 20) returns text language plpgsql as $$
declare
	name text;
begin
	execute format('select hkg_train(''land'', ''complex'', dimensions => 8, iterations => 3, epochs => 10, batch_size => 32, negatives => 8, block_size => 8,
		evidence_rules => 0, holdout => 0, top_rules => %s, min_confidence => 0.5, model => %L %s)', top_rules, model, ', ' || nullif(more, '')) into name;
	return name;
end $$;
create function pg_temp.bits(model name) returns text language sql as $$
	select md5(string_agg(e.embedding::text, ';' order by entity)) from land.entity_embedding e where e.model = bits.model $$;

-- sampled is the default, to the bit
select pg_temp.train('given', $$hybrid => 'sampled'$$), pg_temp.train('null', 'hybrid => null'), pg_temp.train('default', '');
select pg_temp.bits('given') = pg_temp.bits('default') as given, pg_temp.bits('null') = pg_temp.bits('default') as "null",
	(select count(*) from land.model where settings->>'hybrid' = 'sampled') as written;

-- none: embeddings are those that no rule touched, to the bit; rules are those of sampled, and nothing was inferred
select pg_temp.train('none', $$hybrid => 'none'$$), pg_temp.train('bare', '', 0);
select pg_temp.bits('none') = pg_temp.bits('bare') as alone, pg_temp.bits('none') <> pg_temp.bits('default') as not_sampled;
select rule, support, body_size, selected from land.rule where model = 'none' and selected
except select rule, support, body_size, selected from land.rule where model = 'default';
select count(*) filter (where selected) > 0 as rules, count(*) = (select count(*) from land.rule where model = 'default') as as_many from land.rule where model = 'none';
select number, rules > 0 as rules, inferred, sampled from land.iteration where model = 'none' order by 1;
select count(*) from land.inferred where model = 'none';
-- it has no room for samples
select bool_and(n.bytes = b.bytes) as same from hkg_estimate('land', hybrid => 'none') n join hkg_estimate('land', top_rules => 0) b using (item) where item = 'positives';

-- Refused
select * from hkg_tools.try($$select hkg_train('land', hybrid => 'some')$$);
select hkg_drop_graph('land');
