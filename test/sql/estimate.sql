-- What a training takes, said before it is tried: the sum is what hybridkg.max_memory
-- must hold, to the kilobyte.
\pset null '(null)'
set hybridkg.progress = off;
set hybridkg.threads = 2;
set client_min_messages = warning;
\i test/tools.sql
\i test/arguments.sql
reset client_min_messages;
select hkg_create_graph('ring');
select * from hkg_load('ring', $$select 'e' || i, 'next', 'e' || (i + 1) % 3000 from generate_series(0, 2999) i$$);

-- 3,000 entities and a relation of 2 x 50 floats of 4 bytes; Adagrad keeps as many
select item, bytes from hkg_estimate('ring', 'complex', 50, iterations => 1, top_rules => 0)
	where item in ('embeddings', 'state of the optimizer');
select sum(bytes) filter (where item <> 'all of it') = sum(bytes) filter (where item = 'all of it') as adds_up
	from hkg_estimate('ring', 'complex', 50);
-- 2 x 3,000 distinct queries against 3,000 entities, 100 products and sums and twice that for the gradients
select flops = 6000.0 * 3000 * 100 * 2 * 3 as flops from hkg_estimate('ring', 'complex', 50, settings => '{"loss": "softmax"}') where item = 'an epoch';
-- each of 2 x 3,000 answers against the relation and its inverse besides
select flops = (6000.0 * 3000 + 6000 * 2) * 100 * 2 * 3 as flops
	from hkg_estimate('ring', 'complex', 50, settings => '{"loss": "softmax", "reciprocal": true, "relation_weight": 1}') where item = 'an epoch';
-- 3,000 facts with 10 negatives each
select flops = 3000.0 * 11 * 100 * 2 * 3 as flops from hkg_estimate('ring', 'complex', 50, settings => '{"negatives": 10}') where item = 'an epoch';
-- a valid split is ranked in every iteration
select * from hkg_load('ring', $$select 'e' || i, 'next', 'e' || (i + 2) % 3000 from generate_series(0, 9) i$$, 'valid');
select item, bytes > 0 as bytes from hkg_estimate('ring', 'complex', 50) where item = 'evaluation';

-- exactly so much is refused, and one kilobyte more is enough
select bytes / 1024 as kilobytes from hkg_estimate('ring', 'complex', 500, iterations => 1, epochs => 1, top_rules => 0)
	where item = 'all of it' \gset
set hybridkg.max_memory = :kilobytes;
select report ~ '^53200: training needs' or report ~ '^HINT' as refused
	from hkg_tools.try($$select hkg_train('ring', 'complex', 500, iterations => 1, epochs => 1, top_rules => 0)$$);
select :kilobytes + 1 as kilobytes \gset
set hybridkg.max_memory = :kilobytes;
select report from hkg_tools.try($$select hkg_train('ring', 'complex', 500, iterations => 1, epochs => 1, top_rules => 0)$$);
reset hybridkg.max_memory;
-- so much is enough to the very end, where the weights of evidence are learnt from the valid split
select added from hkg_load('ring', $$select 'e' || i, 'next', 'e' || (i + 3) % 3000 from generate_series(0, 2999) i$$, 'valid');
\set arguments '\'ring\', \'complex\', 2, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 10, settings => \'{"evidence_length": 2}\''
select bytes / 1024 + 1 as kilobytes from hkg_estimate(:arguments) where item = 'all of it' \gset
set hybridkg.max_memory = :kilobytes;
select hkg_train(:arguments);
reset hybridkg.max_memory;
-- and for rules that entail, which are mined though none is sampled from
\set arguments '\'ring\', \'complex\', 2, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, settings => \'{"batch_size": 10, "negatives": 1, "constraints": "nne_aer"}\''
select item, bytes >= 64 * 3000 as enough from hkg_estimate(:arguments) where item = 'index of facts for rules';
select bytes / 1024 + 1 as kilobytes from hkg_estimate(:arguments) where item = 'all of it' \gset
set hybridkg.max_memory = :kilobytes;
select hkg_train(:arguments);
reset hybridkg.max_memory;
-- and for every way in which rules take part, where the evaluation's memory is enough to mine in; and for the network of conve
select hkg_create_graph('twins');
select added from hkg_load('twins', $$select 'e' || i, 'r' || j % 2, 'e' || (i * 7 + j / 2 * 11) % 500
	from generate_series(0, 499) i, generate_series(0, 5) j where i % 10 <> 0 or j % 2 = 0$$);
select added from hkg_load('twins', $$select 'e' || i, 'r1', 'e' || (i * 7) % 500 from generate_series(0, 499, 10) i$$, 'valid');
create function trains_in_what_it_estimates(arguments text) returns text language plpgsql as $$
begin
	execute format('select set_config(''hybridkg.max_memory'', (bytes / 1024 + 1)::text, true)
		from hkg_estimate(''twins'', %s) where item = ''all of it''', hkg_tools.arguments(arguments));
	execute format('select hkg_train(''twins'', %s)', hkg_tools.arguments(arguments));
	return (select string_agg(inferred::text, ', ' order by number) from twins.iteration where model = 'default');
end $$;
select hybrid, trains_in_what_it_estimates(format('''complex'', 8, hybrid => %L, iterations => 2, epochs => 1, batch_size => 500,
	max_rule_length => 2, top_rules => 10, paths => false, evidence_rules => 0', hybrid)) as inferred
	from unnest(array['sampled', 'ruge', 'itere', 'plogicnet']) hybrid;
select trains_in_what_it_estimates($$'conve', 32, loss => 'k_vs_all', iterations => 2, epochs => 1, batch_size => 500,
	top_rules => 0, paths => false, evidence_rules => 0$$) as inferred;
drop function trains_in_what_it_estimates(text);
select hkg_drop_graph('twins');
-- half a million rules more may be there to learn from: as they are read, sorted, and in two orders, 2 x 80 + 80 + 8 + 16 bytes each
select round((m.bytes - l.bytes) / 5e5) as bytes from hkg_estimate('ring', 'complex', 2, evidence_rules => 1000000) m,
	hkg_estimate('ring', 'complex', 2, evidence_rules => 500000) l where m.item = 'evidence' and l.item = 'evidence';

-- paths are learnt from 20,000 facts on, unless the call or its preset says otherwise; not without rules as evidence
select hkg_create_graph('middle');
select added from hkg_load('middle', $$select 'e' || i, 'next', 'e' || (i + j) % 2000 from generate_series(0, 1999) i, generate_series(1, 10) j$$);
create function learns_paths(arguments text) returns bool language plpgsql as $$
declare
	answer bool;
begin
	execute format('select exists (select from hkg_estimate(''middle'', %s) where item like ''path network%%'')', hkg_tools.arguments(arguments)) into answer;
	return answer;
end $$;
select arguments, learns_paths(arguments) from unnest(array['dimensions => 8', 'dimensions => 8, paths => false', 'preset => ''paper''',
	'evidence_rules => 0', 'holdout => 0', 'warm_start => true']) arguments;
delete from middle.triple where ctid in (select ctid from middle.triple limit 1);
select arguments, learns_paths(arguments) from unnest(array['dimensions => 8', 'dimensions => 8, paths => true']) arguments;
drop function learns_paths(text);
-- mining is checked beside what the training holds, which goes when it fails
\set arguments '\'middle\', \'complex\', 200, iterations => 1, epochs => 1, paths => false, evidence_rules => 0, settings => \'{"holdout": 0}\''
select bytes / 1024 + 100 as kilobytes from hkg_estimate(:arguments) where item = 'all of it' \gset
set hybridkg.max_memory = :kilobytes;
select regexp_replace(report, '\d+ MB', 'N MB', 'g') as report from hkg_tools.try($$select hkg_train($$ || :'arguments' || $$)$$);
select count(*) > 0 as mined from hkg_mine_rules('middle');
reset hybridkg.max_memory;
select hkg_drop_graph('middle');

-- the arguments are those of hkg_train
select pg_get_function_arguments('hkg_train'::regproc) = pg_get_function_arguments('hkg_train_background'::regproc) as background,
	pg_get_function_arguments('hkg_train'::regproc) = pg_get_function_arguments('hkg_estimate'::regproc) as estimate;
select report from hkg_tools.try($$select hkg_estimate('nowhere')$$) where report ~ '^3F000';
select report from hkg_tools.try($$select hkg_estimate('ring', dimensions => 0)$$);
-- what cannot be trained cannot be estimated
select hkg_create_graph('void');
select report from hkg_tools.try($$select hkg_estimate('void')$$);
select hkg_drop_graph('void');
select hkg_drop_graph('ring');
