-- score_function conve and loss k_vs_all: people of a ring know the next one, and trust the third one.
\pset null '(null)'
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
\i test/arguments.sql
\i test/sigmoid.sql
reset client_min_messages;
set hybridkg.threads = 1;
select hkg_create_graph('ring');
select added from hkg_load('ring', $$
	select 'p' || i, 'knows', 'p' || (i + 1) % 40 from generate_series(0, 39) i
	union all select 'p' || i, 'trusts', 'p' || (i + 3) % 40 from generate_series(0, 39) i$$);
create function pg_temp.train(model name, more text default '') returns text language plpgsql as $$
declare
	name text;
begin
	execute 'select hkg_train(' || hkg_tools.arguments(format('''ring'', ''conve'', dimensions => 12, iterations => 2, epochs => 150, batch_size => 20, learning_rate => 0.003,
		top_rules => 0, evidence_rules => 0, holdout => 0, label_smoothing => 0.1, input_dropout => 0.1, feature_dropout => 0.1, hidden_dropout => 0.1, model => %L %s',
		model, ', ' || nullif(more, ''))) || ')' into name;
	return name;
end $$;
create function pg_temp.bits(model text) returns text language sql as $$
	select md5(concat((select string_agg(embedding::text, ';' order by entity) from ring.entity_embedding e where e.model = bits.model),
		(select string_agg(embedding::text || reciprocal::text, ';' order by relation) from ring.relation_embedding e where e.model = bits.model),
		(select string_agg(weights::text, ';' order by number) from ring.shared_weight w where w.model = bits.model))) $$;
select pg_temp.train('one'), pg_temp.train('again');

-- what is left open is what it learns by
select key, value from ring.model, jsonb_each_text(settings) where name = 'one' and key in
	('loss', 'optimizer', 'reciprocal', 'label_smoothing', 'input_dropout', 'feature_dropout', 'hidden_dropout') order by key;

-- what is given is taken, though it is what others learn by
select pg_temp.train('given', $$optimizer => 'adagrad'$$);
select settings->>'optimizer' as optimizer from ring.model where name = 'given';
delete from ring.model where name = 'given';
-- and over a preset, though it is the default: ten iterations, not its four
select hkg_train('ring', 'conve', preset => 'quick', dimensions => 12, iterations => 10, epochs => 1, evidence_rules => 0, top_rules => 0, model => 'given', settings => '{"label_smoothing": 0, "hidden_dropout": 0, "holdout": 0}');
select key, value from ring.model, jsonb_each_text(settings) where name = 'given' and key in
	('iterations', 'epochs', 'batch_size', 'learning_rate', 'label_smoothing', 'input_dropout', 'hidden_dropout', 'top_rules') order by key;
delete from ring.model where name = 'given';

-- An entity has d numbers and a bias.  Images of 3 x 4 make one of 6 x 4, with 4 x 2 places of 32 filters: 256 rows of W,
-- 4 rows of hidden numbers, and 32 * 9 + 4 + 4 * 32 = 420 = 35 * 12 other numbers.
select cardinality(embedding) as numbers, count(*) from ring.entity_embedding where model = 'one' group by 1;
select cardinality(embedding) as numbers, cardinality(reciprocal) as inverse, count(*) from ring.relation_embedding where model = 'one' group by 1, 2;
select cardinality(weights) as numbers, count(*), min(number), max(number) from ring.shared_weight where model = 'one' group by 1;

-- the same bits again, and on any number of threads; others by another seed, without dropout, or without label smoothing
set hybridkg.threads = 3;
select pg_temp.train('three') as threads, pg_temp.train('seed', 'seed => 2') as seed;
set hybridkg.threads = 1;
select pg_temp.bits(m) = pg_temp.bits('one') as same, m from unnest(array['again', 'three', 'seed']) m;
select hkg_train('ring', 'conve', dimensions => 12, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'a', settings => '{"holdout": 0}') as a,
	hkg_train('ring', 'conve', dimensions => 12, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'b', settings => '{"holdout": 0, "input_dropout": 0, "feature_dropout": 0, "hidden_dropout": 0}') as b,
	hkg_train('ring', 'conve', dimensions => 12, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'c', settings => '{"holdout": 0, "label_smoothing": 0.1}') as c;
select settings->>'learning_rate' as learning_rate, settings->'input_dropout' as input_dropout, settings->'label_smoothing' as label_smoothing, name from ring.model where name in ('a', 'b') order by name;
select count(distinct pg_temp.bits(m)) from unnest(array['a', 'b', 'c']) m;

-- the score by its definition, from the tables
create function pg_temp.weights(model name) returns float8[] language sql as $$
	select array_agg(w order by number, place) from ring.shared_weight s, unnest(weights) with ordinality u (w, place) where s.model = weights.model $$;
create function pg_temp.normalised(x float8, w float8[], first int, count int, i int) returns float8 language sql immutable as $$
	select w[first + i] * (x - w[first + 2 * count + i]) / sqrt(w[first + 3 * count + i] + 1e-5) + w[first + count + i] $$;
create function pg_temp.query(w float8[], image float8[]) returns float8[] language plpgsql as $$
declare
	d constant int := 12;
	filter constant int := 256 * d;		-- where the numbers of each part begin, from 1
	input constant int := filter + 9 * 32 + 1;
	map constant int := input + 4;
	hidden constant int := map + 4 * 32;
	feature float8;
	reached float8[] := array_fill(0::float8, array[d]);
begin
	image := array(select pg_temp.normalised(x, w, input, 1, 0) from unnest(image) with ordinality u (x, place) order by place);
	for place in 0 .. 7 loop
		for f in 0 .. 31 loop
			feature := 0;
			for k in 0 .. 8 loop
				feature := feature + w[filter + k * 32 + f + 1] * image[(place / 2 + k / 3) * 4 + place % 2 + k % 3 + 1];
			end loop;
			feature := greatest(pg_temp.normalised(feature, w, map, 32, f), 0);
			for j in 1 .. d loop
				reached[j] := reached[j] + feature * w[(place * 32 + f) * d + j];
			end loop;
		end loop;
	end loop;
	return array(select greatest(pg_temp.normalised(x, w, hidden, d, place::int - 1), 0) from unnest(reached) with ordinality u (x, place) order by place);
end $$;
create function pg_temp.score(head text, relation text, tail text, model name, inverse bool default false) returns float8 language sql as $$
	select sum(q * t) + max(t) filter (where q is null)
	from ring.entity h, ring.relation r, ring.entity e, ring.entity_embedding hv, ring.relation_embedding rv, ring.entity_embedding tv,
		unnest(pg_temp.query(pg_temp.weights(score.model), (hv.embedding[1:12] || case when inverse then rv.reciprocal else rv.embedding end)::float8[]), tv.embedding) u (q, t)
	where (h.name, r.name, e.name) = (score.head, score.relation, score.tail) and (hv.model, rv.model, tv.model) = (score.model, score.model, score.model)
		and (hv.entity, rv.relation, tv.entity) = (h.id, r.id, e.id) $$;
select h, r, t, abs(hkg_score('ring', h, r, t, 'one', 'embedding') - pg_temp.score(h, r, t, 'one')) < 1e-4 as as_defined
	from (values ('p0', 'knows', 'p1'), ('p0', 'knows', 'p2'), ('p7', 'trusts', 'p10'), ('p7', 'trusts', 'p39')) v (h, r, t);

-- predictions follow the scores: of tails, and of heads by the inverse relation
create temp table answer as select side, given, place, entity, score from unnest(array['p0', 'p11']) given,
	lateral (select 'tail' as side, rank() over (order by score desc) as place, tail as entity, score from hkg_predict_tails('ring', given, 'knows', 40, 'one', true, 'embedding')
		union all select 'head', rank() over (order by score desc), head, score from hkg_predict_heads('ring', 'knows', given, 40, 'one', true, 'embedding')) a;
select side, given, entity from answer where place = 1 order by 1, 2;
select side, given, count(*), bool_and(case when side = 'tail' then a.score = hkg_score('ring', given, 'knows', entity, 'one', 'embedding')
	else abs(a.score - pg_temp.score(given, 'knows', entity, 'one', true)) < 1e-4 end) as same from answer a group by 1, 2 order by 1, 2;
-- learnt by heart: nearly all facts come first, on both sides
select side, triples, mrr > 0.9 as learnt from hkg_evaluate('ring', 'train', 'one', evidence => 'embedding');
-- many questions at once have the answers of one by one
select count(*), bool_and(a.score = m.score) as same
	from hkg_predict_tails('ring', array['p0', 'p11'], 'knows', 40, 'one', true, evidence => 'embedding') m
	join answer a on a.side = 'tail' and a.given = m.head and a.entity = m.tail;
select hkg_tools.state_sigmoid('ring');
select count(*) from hkg_complete('ring', 'knows', 5, min_probability => 1e-9, model => 'one');

-- a change of a weight counts at once
begin;
update ring.shared_weight set weights[1] = 9 where model = 'one' and number = 260;
select hkg_score('ring', 'p0', 'knows', 'p1', 'one', 'embedding') is distinct from (select score from answer where side = 'tail' and given = 'p0' and entity = 'p1') as other;
rollback;
select hkg_score('ring', 'p0', 'knows', 'p1', 'one', 'embedding') = (select score from answer where side = 'tail' and given = 'p0' and entity = 'p1') as same;

-- a warm start goes on from all of it; what came since has no place among the embeddings
select added from hkg_load('ring', $$values ('new', 'knows', 'p0')$$);
select count(*) from hkg_predict_tails('ring', 'new', 'knows', 3, 'one', false, 'embedding');
select pg_temp.train('one', $$warm_start => true, replace => 'always'$$) as warm;
select side, mrr > 0.9 as learnt from hkg_evaluate('ring', 'train', 'one', evidence => 'embedding') where side = 'both';

-- k_vs_all goes with other score functions
select hkg_train('ring', 'complex', dimensions => 8, iterations => 2, epochs => 50, top_rules => 0, evidence_rules => 0, model => 'plain', settings => '{"loss": "k_vs_all", "batch_size": 20, "holdout": 0}');
select side, mrr > 0.9 as learnt from hkg_evaluate('ring', 'train', 'plain', evidence => 'embedding') where side = 'both';

-- what its memory is: (41 * 201 + (2 * 2 + 10368 + 4 + 3) * 200) numbers of embeddings and weights
select bytes from hkg_estimate('ring', 'conve', 200) where item = 'embeddings';

-- what it does not go with
select * from hkg_tools.try($$select hkg_train('ring', 'conve', dimensions => 7)$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', dimensions => 504)$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', settings => '{"loss": "softmax"}')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', settings => '{"loss": "logistic"}')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', settings => '{"reciprocal": false}')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', preset => 'paper')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', settings => '{"partitions": 4}')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', settings => '{"relation_weight": 1}')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'distmult', dimensions => 4, settings => '{"loss": "softmax", "relation_weight": 1, "hidden_dropout": 1}')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', settings => '{"hybrid": "ruge"}')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'conve', settings => '{"constraints": "nne"}')$$);
select * from hkg_tools.try($$select hkg_train('ring', 'complex', settings => '{"loss": "k_vs_all", "negative_sampling": "bernoulli"}')$$);
select * from hkg_tools.try($$select hkg_import_embeddings('ring', 'select 1', 'select 1', 'conve', 'mine')$$);

-- numbers that are too large to be read again
select report from hkg_tools.try($$select hkg_train('ring', 'conve', dimensions => 12, iterations => 1, epochs => 8, top_rules => 0, evidence_rules => 0, seed => 1, model => 'wild', settings => '{"optimizer": "adagrad", "learning_rate": 1000}')$$);

-- 0 is a value, which is kept
select hkg_train('ring', 'conve', dimensions => 12, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'zero', settings => '{"input_dropout": 0, "hidden_dropout": 0, "min_confidence": 0}');
select s.input_dropout, s.feature_dropout, s.hidden_dropout, s.min_confidence
	from ring.model m, jsonb_to_record(m.settings) as s (input_dropout float8, feature_dropout float8, hidden_dropout float8, min_confidence float8) where name = 'zero';

-- damage
create function pg_temp.damaged(statement text) returns setof text language plpgsql as $$
begin
	begin
		execute statement;
		return query select report from hkg_tools.try($q$select hkg_score('ring', 'p0', 'knows', 'p1', 'three', 'embedding')$q$);
		raise exception 'undone';
	exception when raise_exception then
	end;
end $$;
select pg_temp.damaged($$delete from ring.shared_weight where model = 'three' and number = 295$$);
select pg_temp.damaged($$delete from ring.shared_weight where model = 'three' and number = 3$$);
select pg_temp.damaged($$insert into ring.shared_weight values ('three', 296, array_fill(0::real, '{12}'))$$);
select pg_temp.damaged($$update ring.shared_weight set weights = '{1,2}' where model = 'three' and number = 4$$);
select pg_temp.damaged($$update ring.shared_weight set weights[2] = 'nan' where model = 'three' and number = 4$$);
select pg_temp.damaged($$update ring.shared_weight set weights[2] = 1e30 where model = 'three' and number = 4$$);
select pg_temp.damaged($$update ring.model set dimensions = 13 where name = 'three'$$);
select pg_temp.damaged($$update ring.model set settings = settings || '{"reciprocal": false}' where name = 'three'$$);

-- weights go with their model
delete from ring.model where name = 'three';
select count(*) from ring.shared_weight where model = 'three';
set client_min_messages = warning;
select hkg_drop_graph('ring');
