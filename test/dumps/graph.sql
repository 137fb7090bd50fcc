-- A small graph with two trained models: embeddings with rules, evidence and thresholds; and embeddings alone.
-- Facts follow three relations of numbers 0 .. 39: next (i, i + 1), half (2 i, i), and twice, the inverse of half; of twice
-- every fourth fact is held out.
set client_min_messages = warning;
select hkg_create_graph('g');
select hkg_load('g', $$select 'n' || i, 'next', 'n' || i + 1 from generate_series(0, 38) i
	union all select 'n' || 2 * i, 'half', 'n' || i from generate_series(0, 19) i
	union all select 'n' || i, 'twice', 'n' || 2 * i from generate_series(0, 19) i where i % 4 <> 3 order by 1, 2, 3$$);
select hkg_load('g', $$select 'n' || i, 'twice', 'n' || 2 * i from generate_series(0, 19) i where i % 4 = 3 and i % 8 = 3$$, 'valid');
select hkg_load('g', $$select 'n' || i, 'twice', 'n' || 2 * i from generate_series(0, 19) i where i % 4 = 3 and i % 8 = 7$$, 'test');
select hkg_train('g', 'complex', 4, iterations => 2, epochs => 5, settings => '{"loss": "softmax", "reciprocal": true, "min_quality": 0, "evidence_length": 3}');
select hkg_train('g', 'transe', 4, iterations => 1, epochs => 5, top_rules => 0, evidence_rules => 0, model => 'plain');
-- a triple that nothing lists
select hkg_reject('g', 'n5', 'half', 'n2');
