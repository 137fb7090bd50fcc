-- How rules take part in learning embeddings, argument hybrid of hkg_train: people of 8 towns in 2 countries; one_of(X,Y) <= lives(X,A), part(A,Y)
-- infers what was left out, every fourth of 40.  manages(X,Y) <= helps(X,Y) is right for half.
\pset null '(null)'
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
\i test/arguments.sql
reset client_min_messages;
set hybridkg.threads = 1;
select hkg_create_graph('land');
select added from hkg_load('land', $$
	select 'person' || p, 'lives', 'town' || p % 8 from generate_series(0, 39) p
	union all select 'town' || t, 'part', 'country' || t % 2 from generate_series(0, 7) t
	union all select 'person' || p, 'one_of', 'country' || p % 8 % 2 from generate_series(0, 39) p where p % 4 <> 0
	union all select 'person' || p, 'helps', 'person' || (p + 7) % 40 from generate_series(0, 39) p
	union all select 'person' || p, 'manages', 'person' || (p + 7) % 40 from generate_series(0, 39) p where p % 2 = 0$$);
create function pg_temp.train(model name, more text, top_rules int default 20) returns text language plpgsql as $$
declare
	name text;
begin
	execute 'select hkg_train(' || hkg_tools.arguments(format('''land'', ''complex'', dimensions => 8, iterations => 3, epochs => 10, batch_size => 32, negatives => 8,
		block_size => 8, evidence_rules => 0, holdout => 0, top_rules => %s, min_confidence => 0.5, model => %L %s', top_rules, model, ', ' || nullif(more, ''))) || ')' into name;
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
select bool_and(n.bytes = b.bytes) as same from hkg_estimate('land', settings => '{"hybrid": "none"}') n join hkg_estimate('land', top_rules => 0) b using (item) where item = 'positives';

-- ruge
create function pg_temp.sigmoid(x float8) returns float8 language sql as 'select 1 / (1 + exp(-x))';
select pg_temp.train('ruge', $$hybrid => 'ruge', rule_weight => 0.25$$) = 'ruge' as trained;
select settings->>'hybrid' as hybrid, settings->>'rule_weight' as rule_weight from land.model where name = 'ruge';
-- all that is inferred is learnt, where that is no more than the facts
select number, inferred > 0 and sampled = inferred as all from land.iteration where model = 'ruge' order by 1;
-- and drawn alike, where it is more
select pg_temp.train('some', $$hybrid => 'ruge', sample_size => 7$$) = 'some' as trained;
select i.number, i.sampled, count(*), bool_and(abs(f.probability - 1.0 / i.inferred) < 1e-9) as evenly from land.iteration i join land.inferred f on f.model = i.model and f.iteration = i.number
	where i.model = 'some' group by 1, 2 order by 1;
-- the same bits on any number of threads, others with another weight
set hybridkg.threads = 3;
select pg_temp.train('three', $$hybrid => 'ruge', rule_weight => 0.25$$) = 'three' as trained;
set hybridkg.threads = 1;
select pg_temp.train('light', $$hybrid => 'ruge', rule_weight => null$$) = 'light' as trained;
select pg_temp.bits('three') = pg_temp.bits('ruge') as threads, pg_temp.bits('light') <> pg_temp.bits('ruge') as weight, pg_temp.bits('none') <> pg_temp.bits('ruge') as learnt;
select settings->>'rule_weight' as rule_weight from land.model where name = 'light';

-- Labels by hand.  b(X,Y) for 20 pairs, 16 of which are h(X,Y) too: h(X,Y) <= b(X,Y) infers four with PCA confidence 1, as no x has another h.  A weight of
-- 5 makes all their labels 1: their scores rise as those of facts do, far beyond what embeddings alone give
select hkg_create_graph('pairs');
select added from hkg_load('pairs', $$
	select 'x' || i, 'b', 'y' || i from generate_series(1, 20) i
	union all select 'x' || i, 'h', 'y' || i from generate_series(1, 16) i$$);
select hkg_train('pairs', 'distmult', dimensions => 16, iterations => 4, epochs => 60, evidence_rules => 0, model => way || weight, settings => jsonb_build_object('batch_size', 20, 'negatives', 4, 'block_size', 4, 'holdout', 0, 'max_rule_length', 2, 'min_confidence', 0.5, 'hybrid', way, 'rule_weight', weight, 'learning_rate', 0.1))
from (values ('none', 0.01), ('ruge', 0.01), ('ruge', 5)) w (way, weight);
select m.name, bool_and(i.inferred = 4 and i.sampled = 4) as inferred from pairs.model m join pairs.iteration i on i.model = m.name where m.name like 'ruge%' group by 1 order by 1;
create function pg_temp.truth(model name, low int, high int) returns float8 language sql as $$
	select avg(pg_temp.sigmoid(hkg_score('pairs', 'x' || i, 'h', 'y' || i, model))) from generate_series(low, high) i $$;
select pg_temp.truth('ruge5', 17, 20) > 0.9 as as_facts, pg_temp.truth('ruge5', 1, 16) > 0.9 as facts,
	pg_temp.truth('none0.01', 17, 20) < pg_temp.truth('ruge0.01', 17, 20) as drawn;
select bool_and(worth = 5 * pca_confidence) as ruge from pairs.rule where model = 'ruge5' and selected;

-- plogicnet: weights by hand.  h(X,Y) <= b(X,Y) infers 16 facts, and four triples that are as true as their scores: 1000 steps from 0 of 0.0001 * (t - 20 *
-- sigma(w)), where t is the truth of all 20.  b(X,Y) <= h(X,Y) infers nothing new, and has no part
select hkg_train('pairs', 'distmult', dimensions => 16, iterations => 20, epochs => 60, evidence_rules => 0, model => 'plogicnet', settings => '{"batch_size": 20, "negatives": 4, "block_size": 4, "holdout": 0, "max_rule_length": 2, "min_confidence": 0.5, "hybrid": "plogicnet", "learning_rate": 0.1}');
select bool_and(inferred = 4 and sampled = 4) as inferred from pairs.iteration where model = 'plogicnet';
with recursive truth (t) as (select 16 + sum(pg_temp.sigmoid(score)) from pairs.inferred where model = 'plogicnet' and iteration = 20),
	ascent (step, w) as (select 0, 0.0::float8 union all select step + 1, w + 0.0001 * (t - 20 * pg_temp.sigmoid(w)) from ascent, truth where step < 1000)
select rule, abs(worth - (select w from ascent where step = 1000)) < 1e-9 as as_due from pairs.rule where model = 'plogicnet' order by 1;
-- sigma(w) is their label, and what a cross entropy is least at
select abs(pg_temp.truth('plogicnet', 17, 20) - pg_temp.sigmoid(worth)) < 0.02 as learnt, pg_temp.sigmoid(worth) between 0.6 and 0.7 as label,
	pg_temp.truth('plogicnet', 1, 16) > 0.9 as facts from pairs.rule where model = 'plogicnet' and worth is not null;
select hkg_drop_graph('pairs');

-- itere: only what axioms infer about sparse entities is learnt
select pg_temp.train('axioms', $$hybrid => 'itere'$$) = 'axioms' as trained;
with frequency as (select id, count(t) as f from land.entity left join (select head as end from land.triple union all select tail from land.triple) t on t.end = id group by id),
	sparsity as (select id, 1 - (f - min(f) over ())::float8 / (max(f) over () - min(f) over ()) as sparsity from frequency)
select count(*) > 0 as some, bool_and(greatest(h.sparsity, t.sparsity) > 0.995) as sparse
from land.inferred i join sparsity h on h.id = i.head join sparsity t on t.id = i.tail where model = 'axioms';
select count(*) > 0 as some, bool_and(rule ~ '^\S+\(X,Y\) <= (\S+\((X,Y|Y,X)\)|\S+\(X,A\), \S+\(A,Y\)|\S+\(A,Y\), \S+\(X,A\))$') as axioms
	from land.rule where model = 'axioms' and id in (select unnest(rules) from land.inferred where model = 'axioms');
set hybridkg.threads = 3;
select pg_temp.train('three', $$hybrid => 'itere'$$) = 'three' as trained;
set hybridkg.threads = 1;
select pg_temp.bits('three') = pg_temp.bits('axioms') as threads, pg_temp.bits('axioms') <> pg_temp.bits('ruge') as other;
select pg_temp.train('run', $$hybrid => 'itere', partitions => 4, reciprocal => true$$) as model;

-- what rules are worth: of itere the score of an axiom
select count(worth) > 0 as some, bool_and(worth > 0.95 and worth <= 1) as scores, bool_and(selected) as selected from land.rule where model = 'axioms' and worth is not null;
select bool_and((worth is not null) = selected and (worth = quality) is not false) as qualities from land.rule where model = 'default';
select count(worth) as none from land.rule where model = 'none';

-- of two axioms of a kind one scores 0: both are good rules, but its inferences are not taught to be false
select hkg_create_graph('two');
select added from hkg_load('two', $$
	select relation || p, relation, relation || p + 40 from unnest(array['near', 'beside']) relation, generate_series(0, 39) p
	union all select relation || p + 40, relation, relation || p from unnest(array['near', 'beside']) relation, generate_series(0, 39) p where p % 4 <> 0$$);
select hkg_train('two', 'complex', dimensions => 8, iterations => 2, epochs => 10, evidence_rules => 0, model => 'two', settings => '{"batch_size": 32, "negatives": 8, "holdout": 0, "hybrid": "itere"}');
select count(*) as selected, count(worth) as part, max(worth) as worth, min(round(standard_confidence::numeric, 3)) as confidence from two.rule where model = 'two' and selected;
select number, inferred, sampled from two.iteration where model = 'two' order by 1;
select hkg_drop_graph('two');

-- plogicnet: of those that were selected, rules of an axiom's form have weights; any score function has them
select pg_temp.train('network', $$hybrid => 'plogicnet'$$) = 'network' as trained;
select bool_and((worth is not null) = (selected and rule ~ '^\S+\(X,Y\) <= (\S+\((X,Y|Y,X)\)|\S+\(X,A\), \S+\(A,Y\)|\S+\(A,Y\), \S+\(X,A\))$')) as axioms, count(worth) > 0 as some
	from land.rule where model = 'network';
select number, inferred > 0 and sampled = inferred as all from land.iteration where model = 'network' order by 1;
set hybridkg.threads = 3;
select pg_temp.train('three', $$hybrid => 'plogicnet'$$) = 'three' as trained;
set hybridkg.threads = 1;
select pg_temp.bits('three') = pg_temp.bits('network') as threads, pg_temp.bits('network') <> pg_temp.bits('ruge') as other;
select hkg_tools.differ($$select rule, worth from land.rule where model = 'three'$$, $$select rule, worth from land.rule where model = 'network'$$);
select way, pg_temp.train('run', format($$hybrid => 'plogicnet', %s$$, way)) as model from unnest(array['partitions => 4', 'accumulate => true, sample_size => 3', $$negative_sampling => 'uniform'$$]) way;
select hkg_train('land', 'transe', dimensions => 8, iterations => 2, epochs => 5, evidence_rules => 0, model => 'run', settings => '{"hybrid": "plogicnet", "min_confidence": 0.5, "holdout": 0}');
select count(worth) > 0 as weights from land.rule where model = 'run';

-- with partitions, at other samplers, and from a model
select way, pg_temp.train('run', format($$hybrid => 'ruge', rule_weight => 0.1, %s$$, way)) as model from unnest(array[
	'partitions => 4', $$negative_sampling => 'uniform'$$, $$negative_sampling => 'bernoulli', reciprocal => true$$, $$negative_sampling => 'kbgan'$$,
	$$optimizer => 'adam', learning_rate => 0.01$$, 'accumulate => true, sample_size => 3']) way;
select pg_temp.train('run', $$hybrid => 'ruge', warm_start => true, replace => 'always'$$);

-- Refused
select * from hkg_tools.try($$select hkg_train('land', settings => '{"hybrid": "ruge", "loss": "softmax"}')$$);
select * from hkg_tools.try($$select hkg_train('land', settings => '{"hybrid": "ruge", "loss": "margin"}')$$);
select * from hkg_tools.try($$select hkg_train('land', top_rules => 0, settings => '{"hybrid": "ruge"}')$$);
select * from hkg_tools.try($$select hkg_train('land', settings => '{"hybrid": "ruge", "label": "one"}')$$);
select * from hkg_tools.try($$select hkg_train('land', settings => '{"hybrid": "ruge", "rule_weight": 0}')$$);
select * from hkg_tools.try($$select hkg_train('land', settings => '{"hybrid": "itere"}')$$);
select * from hkg_tools.try($$select hkg_train('land', 'complex', settings => '{"hybrid": "itere", "loss": "margin"}')$$);
select * from hkg_tools.try($$select hkg_train('land', settings => '{"hybrid": "plogicnet", "loss": "softmax"}')$$);
select * from hkg_tools.try($$select hkg_train('land', top_rules => 0, settings => '{"hybrid": "plogicnet"}')$$);
select * from hkg_tools.try($$select hkg_train('land', settings => '{"hybrid": "plogicnet", "label": "one"}')$$);
select * from hkg_tools.try($$select hkg_train('land', settings => '{"hybrid": "some"}')$$);
-- What rules infer is the same to the bit by SQL and in memory: with constants, rules that share a body, facts that are held out, and facts that rules learn
-- from.  SQL reads the table of facts as often in three iterations as in one
set client_min_messages = warning;
select added from hkg_load('land', $$
	select 'person' || p, 'visits', 'town' || (p + q) % 8 from generate_series(0, 39) p, generate_series(1, 3) q where (p * q) % 7 <> 1
	union all select 'person' || p, 'knows', 'person' || (p + q) % 40 from generate_series(0, 39) p, generate_series(1, 4) q$$);
create function pg_temp.scans() returns bigint language sql volatile as $$
	select seq_scan + idx_scan from pg_stat_xact_user_tables where schemaname = 'land' and relname = 'triple' $$;
create function pg_temp.infer(model text, inferences text, iterations int, method text, rules_of text default null) returns bigint language plpgsql as $$
declare
	before bigint := pg_temp.scans();
begin
	perform hkg_train('land', 'complex', 8, iterations => iterations, epochs => 5, model => model, top_rules => 100, settings => jsonb_build_object('batch_size', 32, 'negatives', 8, 'block_size', 8,
		'evidence_rules', 0, 'holdout', 0.2, 'constants', true, 'min_support', 1, 'min_head_coverage', 0, 'min_confidence', case when rules_of is null then 0.3 else 0.01 end, 'sample_size', 1000, 'hybrid', method,
		'inferences', inferences, 'rules_of', rules_of, 'seed', 1));
	return pg_temp.scans() - before;
end $$;
create function pg_temp.inferred(model text) returns text language sql as $$
	select count(*) || ' ' || md5(string_agg(format('%s %s %s %s %s %s', iteration, head, relation, tail, rules, probability), ';' order by iteration, head, relation, tail))
	from land.inferred i where i.model = inferred.model $$;
create temp table scanned as select method, inferences, iterations, pg_temp.infer(method || inferences || iterations, inferences, iterations, method) as scans
	from unnest(array['sampled', 'plogicnet']) method, unnest(array['sql', 'memory']) inferences, unnest(array[1, 3]) iterations;
select method, bool_and(pg_temp.inferred(method || inferences || iterations) = pg_temp.inferred(method || 'memory' || iterations)
		and pg_temp.bits(method || inferences || iterations) = pg_temp.bits(method || 'memory' || iterations)) as same,
	max(scans) filter (where inferences = 'sql' and iterations = 3) = max(scans) filter (where inferences = 'sql' and iterations = 1) as once,
	max(scans) filter (where inferences = 'memory') = min(scans) filter (where inferences = 'memory') and min(scans) filter (where inferences = 'sql') >= 20 + max(scans) filter (where inferences = 'memory') as read_by_sql,
	(select inferred > 100 and rules > 20 from land.iteration where model = method || 'sql3' and number = 3) as many
	from scanned group by 1 order by 1;
select count(*) > 0 as constants from land.rule where model = 'sampledsql3' and selected and rule like '%"%';
select * from hkg_import_rules('land', $$one_of(X,"country0") <= visits(X,"town1")
one_of(X,"country1") <=
lives("person2",Y) <=
lives(X,"town2") <= helps(X,A)
visits(X,Y) <= knows(X,A), visits(A,Y)
visits(X,Y) <= lives(X,Y)
one_of(X,Y) <= lives(X,A), part(A,Y)
lives(X,Y) <= knows(A,X), lives(A,Y)$$, model => 'given_rules');
create temp table given as select i, pg_temp.infer('given' || i, i, 2, 'sampled', 'given_rules') from unnest(array['sql', 'memory']) i;
select pg_temp.inferred('givensql') = pg_temp.inferred('givenmemory') as same, min(rules) as rules, min(inferred) > 100 as many from land.iteration where model in ('givensql', 'givenmemory');
reset client_min_messages;
select hkg_drop_graph('land');
