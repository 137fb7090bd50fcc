--
-- Entities that came after a training: placed by their facts, predicted, candidates.  Models made by hand, d = 2.
--
set client_min_messages = warning;
\i test/tools.sql
\i test/sigmoid.sql
reset client_min_messages;
select hkg_create_graph('tiny');
insert into tiny.entity values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
insert into tiny.relation values (1, 'r'), (2, 's');
insert into tiny.triple values (1, 1, 3), (1, 1, 2);	-- r(a,c), r(a,b)
insert into tiny.model (name, score_function, dimensions, settings, status, created_at, trained_at)
values ('transe', 'transe', 2, '{"gamma": 9, "norm": 1}', 'ready', now(), now()), ('distmult', 'distmult', 2, '{}', 'ready', now(), now());
insert into tiny.entity_embedding select m.name, i, (array['{1,2}', '{3,1}', '{2,1}', '{5,5}', '{2,0}'])[i]::real[]
from tiny.model m, generate_series(1, 5) i;
insert into tiny.relation_embedding select m.name, i, (array['{1,-1}', '{0,1}'])[i]::real[] from tiny.model m, generate_series(1, 2) i;
select hkg_tools.state_sigmoid('tiny');

-- without a fact: refused, and no candidate
insert into tiny.entity values (6, 'f');
select report from unnest(array['hkg_score(''tiny'', ''a'', ''r'', ''f'', ''transe'')', 'hkg_predict_tails(''tiny'', ''f'', ''r'', 9, ''transe'')',
	'hkg_predict_heads(''tiny'', ''r'', ''f'', 9, ''transe'')', 'hkg_predict_relations(''tiny'', ''a'', ''f'', 9, ''transe'')',
	'hkg_neighbors(''tiny'', ''f'', 9, ''transe'')']) call, hkg_tools.try('select ' || call) report;
select string_agg(tail, ' ') from hkg_predict_tails('tiny', 'a', 'r', 9, 'transe', true);

-- TransE: r(a,f) alone places f at a + r = (2,1), where c is.  What is known of a: c, b and now f.
insert into tiny.triple values (1, 1, 6);
select hkg_score('tiny', 'a', 'r', 'f', 'transe');
select * from hkg_predict_tails('tiny', 'a', 'r', 9, 'transe', true);
select tail, score from hkg_predict_tails('tiny', 'a', 'r', 9, 'transe');
-- r(?,f): h + r - (2,1): a 0, b (2,-1), c (1,-1), d (4,3), e (1,-2)
select head, score from hkg_predict_heads('tiny', 'r', 'f', 9, 'transe', true);
-- s(f,?): (2,2) less a (1,0), b (-1,1), c (0,1), d (-3,-3), e (0,2)
select tail, score from hkg_predict_tails('tiny', 'f', 's', 9, 'transe');
-- k counts all of them
select count(*) from hkg_predict_tails('tiny', 'b', 's', 1000, 'transe', true);
select tail from hkg_predict_tails('tiny', 'a', 'r', 2, 'transe', true);
-- s(a,f): (1,3) - (2,1)
select * from hkg_predict_relations('tiny', 'a', 'f', 9, 'transe', true);
select relation, score from hkg_predict_relations('tiny', 'a', 'f', 9, 'transe');
-- cosines with (2,1): c 1, b 7 / sqrt 50, d 15 / sqrt 250, e 4 / sqrt 20, a 4 / 5
select entity, round(cosine::numeric, 6) as cosine from hkg_neighbors('tiny', 'f', 9, 'transe') n (entity, cosine);
select entity, round(cosine::numeric, 6) as cosine from hkg_neighbors('tiny', 'a', 2, 'transe') n (entity, cosine);
-- DistMult: a * r = (1,-2), at the mean length of the rows
select abs(hkg_score('tiny', 'a', 'r', 'f', 'distmult') - sqrt(5) * (2 * sqrt(5) + sqrt(10) + sqrt(50) + 2) / 5) < 1e-5;

-- ranks: s(f,?): a, c and f itself 8, b and e 7, d 3
insert into tiny.holdout values ('test', 6, 2, 4);
select tail_rank from hkg_ranks('tiny', 'test', 'transe');
delete from tiny.holdout;

-- two of them, one with an id below those of the training: r(b,g) places g at (4,0)
insert into tiny.entity values (0, 'g');
insert into tiny.triple values (2, 1, 0);
select t, hkg_score('tiny', 'b', 'r', t, 'transe') from unnest(array['g', 'f', 'a', 'g']) t;
select tail, score from hkg_predict_tails('tiny', 'b', 'r', 3, 'transe', true);
select head, relation, tail, score from hkg_complete('tiny', 'r', 5, 'transe', 0);
-- the same one by one and in a list
select count(*) > 10 as many, count(*) filter (where abs(hkg_score('tiny', h.name, r.name, p.tail, 'transe') - p.score) > 1e-6) as differ
from tiny.entity h, tiny.relation r, hkg_predict_tails('tiny', h.name, r.name, 99, 'transe', true) p where h.name <> p.tail;

-- nothing places an entity whose facts have a new relation, or another new entity: it has a neutral embedding
insert into tiny.entity values (7, 'x'), (8, 'y');
insert into tiny.relation values (3, 'new');
insert into tiny.triple values (7, 3, 1), (7, 1, 8);
select count(*) from hkg_predict_tails('tiny', 'x', 's', 99, 'transe');
select report from hkg_tools.try($$select hkg_neighbors('tiny', 'x', 9, 'transe')$$) report;
select count(*) from hkg_neighbors('tiny', 'a', 99, 'transe');
select report from hkg_tools.try($$select hkg_predict_tails('tiny', 'x', 'new', 9, 'transe')$$) report;
-- DistMult, the mean row, (13/5, 9/5): r(a,x) = 13/5 - 18/5
select round(hkg_score('tiny', 'a', 'r', 'x', 'distmult')::numeric, 5);

-- what does not fit memory is neutral, with a notice
set hybridkg.max_memory = '1MB';
insert into tiny.entity select i, 'n' || i from generate_series(101, 50000) i;
insert into tiny.triple select 1, 1, i from generate_series(101, 50000) i;
select round(hkg_score('tiny', 'a', 'r', 'n101', 'distmult', 'embedding')::numeric, 5);
reset hybridkg.max_memory;
select round(hkg_score('tiny', 'a', 'r', 'n101', 'transe', 'embedding')::numeric, 5);
delete from tiny.triple where tail > 100;

-- when its fact is gone, so is its place; a rollback brings it back
begin;
delete from tiny.triple where tail = 6;
select report from hkg_tools.try($$select hkg_score('tiny', 'a', 'r', 'f', 'transe')$$) report;
select string_agg(tail, ' ' order by tail) from hkg_predict_tails('tiny', 'b', 'r', 99, 'transe', true);
rollback;
select hkg_score('tiny', 'a', 'r', 'f', 'transe');
-- nobody needs to read the facts for the entities of the training
create role new_entities_reader;
grant usage on schema tiny to new_entities_reader;
grant select on tiny.layout, tiny.model, tiny.entity, tiny.relation, tiny.entity_embedding, tiny.relation_embedding to new_entities_reader;
set role new_entities_reader;
select hkg_score('tiny', 'a', 'r', 'b', 'transe', 'embedding');
select report from hkg_tools.try($$select hkg_score('tiny', 'a', 'r', 'f', 'transe', 'embedding')$$) report;
reset role;
drop owned by new_entities_reader;
drop role new_entities_reader;

-- one that was trained and lost its embedding is like a new one: c is placed at a + r again
delete from tiny.entity_embedding where entity = 3 and model = 'transe';
select hkg_score('tiny', 'a', 'r', 'c', 'transe');

-- Where rules infer it: of what is no fact, a line through evidence and scores of the trained candidates, and 1.5 standard
-- deviations of the rest above it.  DistMult, d = 1: r(q,ci) scores i.  n is placed by s(q,n) at the mean length, 16 / 6.
select hkg_create_graph('line');
insert into line.entity values (1, 'q'), (2, 'c1'), (3, 'c2'), (4, 'c3'), (5, 'c4'), (6, 'c5'), (7, 'n');
insert into line.relation values (1, 'r'), (2, 's'), (3, 'u');
insert into line.model (name, score_function, dimensions, settings, status, created_at, evidence)
values ('m', 'distmult', 1, '{}', 'ready', now(), '{"discount": {"rules": 0.5, "all": 0.5}}');
insert into line.entity_embedding select 'm', i, array[greatest(i - 1, 1)]::real[] from generate_series(1, 6) i;
insert into line.relation_embedding select 'm', i, '{1}' from generate_series(1, 3) i;
insert into line.rule (model, id, rule, head, body, support, body_size, pca_body_size, predictions, head_coverage, standard_confidence,
	pca_confidence, selected, evidence_confidence)
values ('m', 1, 'r(X,Y) <= s(X,Y)', 1, '{{2,-1,-2}}', 1, 1, 1, 0, 1, 1, 1, false, 0.5),
	('m', 2, 'r(X,Y) <= u(X,Y)', 1, '{{3,-1,-2}}', 1, 1, 1, 0, 1, 1, 1, false, 0.8);
insert into line.triple select 1, 2, i from generate_series(2, 7) i;
-- what the embedding gives in both: less the evidence, which weighs 1.5
create function line.embedding(tail text) returns table (score numeric, as_predicted bool) language sql as $$
	select round((b - 1.5 * hkg_score('line', 'q', 'r', tail, 'm', 'rules'))::numeric, 4), abs(b - p.score) < 1e-5
	from hkg_score('line', 'q', 'r', tail, 'm', 'all') b, hkg_predict_tails('line', 'q', 'r', 9, 'm') p where p.tail = embedding.tail
$$;
select round(hkg_score('line', 'q', 'r', 'n', 'm', 'embedding')::numeric, 4);
-- evidence all alike: the mean of 1 to 5 and their variance 2, 3 + 1.5 sqrt(2); a trained one has its own score
select line.embedding('n'), line.embedding('c2');
-- of four, c5 being known, no line
begin;
insert into line.triple values (1, 1, 6);
select line.embedding('n');
rollback;
-- more evidence for 3, 4, 5 and n: the line goes through the means 1.5 and 4, and leaves (2 * 0.25 + 2) / 5: 4 + 1.5 sqrt(0.5)
insert into line.triple select 1, 3, i from generate_series(4, 7) i;
select line.embedding('n');
-- and for 1, 2 and n instead: the line would fall, so the mean counts
delete from line.triple where relation = 3 and tail < 7;
insert into line.triple values (1, 3, 2), (1, 3, 3);
select line.embedding('n');

set client_min_messages = warning;
select hkg_drop_graph('tiny'), hkg_drop_graph('line');

-- a question alone, among many, and with few candidates: what rules expect of a new entity is the same to the last digits
select hkg_create_graph('town');
select added from hkg_load('town', $$
	select 'p' || i, 'lives', 'c' || i % 12 from generate_series(1, 60) i union all select 'c' || i, 'in', 'n' || i % 4 from generate_series(0, 11) i
	union all select 'p' || i, 'citizen', 'n' || i % 12 % 4 from generate_series(1, 60) i where i % 7 <> 3
	union all select 'p' || i, 'likes', 'p' || 1 + i * k % 60 from generate_series(1, 60) i, unnest(array[7, 11, 13]) k$$);
set client_min_messages = warning;
select hkg_train('town', dimensions => 8, iterations => 1, epochs => 10, paths => false, seed => 1);
reset client_min_messages;
select added from hkg_load('town', $$values ('m1', 'lives', 'c3')$$);
select count(*) filter (where m.tail = 'm1') > 30 as of_it, max(abs(m.score - s.score)) < 1e-12 as alone, max(abs(m.score - c.score)) < 1e-12 as with_candidates
	from hkg_predict_tails('town', array(select name from town.entity where name ~ '^p'), 'likes', 200) m
	join lateral hkg_predict_tails('town', m.head, 'likes', 200) s on s.tail = m.tail
	left join lateral hkg_predict_tails('town', m.head, 'likes', 5, candidates => array['m1']) c on c.tail = m.tail;
-- a relation has no such way: an explanation refuses it, too
insert into town.relation (name) values ('hates');
select report from hkg_tools.try($$select * from hkg_explain('town', 'p1', 'hates', 'p2')$$);

-- The next day all entities are others, those of the training are gone: its rules answer.  Who lives in a town of a country is
-- its citizen, y1 of v2 by x1; the embedding has nothing left to go by.
delete from town.relation where name = 'hates';
-- 60 p, 12 c, 4 n and m1 are gone
select added, deleted, pruned from hkg_sync('town', $$
	select 'y' || i, 'lives', 'x' || i % 6 from generate_series(1, 20) i union all select 'x' || i, 'in', 'v' || 1 + i % 3 from generate_series(0, 5) i
	union all select 'y' || i, 'citizen', 'v' || 1 + i % 3 from generate_series(2, 20) i$$, prune => true);
select tail, tail = best as by_rules, k.score = hkg_score('town', 'y1', 'citizen', tail) as scored_alike from hkg_predict_tails('town', 'y1', 'citizen', 1) k,
	lateral (select tail as best from hkg_predict_tails('town', 'y1', 'citizen', 1, evidence => 'rules')) r;
select hkg_load('town', $$values ('y1', 'citizen', 'v2')$$, 'test');
set client_min_messages = warning;
select evidence, mrr from unnest('{rules,all}'::text[]) evidence, hkg_evaluate('town', 'test', evidence => evidence) where side = 'tail';
reset client_min_messages;
select report from unnest(array['hkg_predict_tails(''town'', ''y1'', ''citizen'', 1, evidence => ''embedding'')', 'hkg_neighbors(''town'', ''y1'')',
	'hkg_project(''town'')', 'hkg_evaluate(''town'', evidence => ''embedding'')']) call, hkg_tools.try('select ' || call) report;
set client_min_messages = warning;
select hkg_drop_graph('town');
