--
-- Scores and predictions of models made by hand, d = 2, so that every number can be
-- worked out on paper.
--
set client_min_messages = warning;
\i test/tools.sql
\i test/sigmoid.sql
\i test/asked.sql
reset client_min_messages;
create schema predict_tools;

-- A model whose embeddings are given: entities 1, 2, ... and relations 1, 2, ... in order.
create function predict_tools.put_model(graph name, model name, score_function text, settings jsonb,
	entities real[][], relations real[][]) returns void
language plpgsql as $$
begin
	execute format('insert into %I.model (name, score_function, dimensions, settings, status, created_at, trained_at)
		values ($1, $2, 2, $3, ''ready'', now(), now())', graph) using model, score_function, settings;
	execute format('insert into %I.entity_embedding select $1, i,
		(select array_agg(x order by p) from unnest($2[i:i][:]) with ordinality u (x, p))
		from generate_subscripts($2, 1) i', graph) using model, entities;
	execute format('insert into %I.relation_embedding select $1, i,
		(select array_agg(x order by p) from unnest($2[i:i][:]) with ordinality u (x, p))
		from generate_subscripts($2, 1) i', graph) using model, relations;
end
$$;

select hkg_create_graph('tiny');
insert into tiny.entity values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
insert into tiny.relation values (1, 'r'), (2, 's');
insert into tiny.triple values (1, 1, 3), (1, 1, 2);	-- r(a,c), r(a,b)

-- Real models: a = (1,2), b = (3,1), c = (2,1), d = (5,5), e = (2,0); r = (1,-1), s = (0,1).
select predict_tools.put_model('tiny', m.name, m.score_function, m.settings,
	'{{1,2},{3,1},{2,1},{5,5},{2,0}}', '{{1,-1},{0,1}}')
from (values ('transe1', 'transe', '{"gamma": 9, "norm": 1}'::jsonb),
			 ('transe2', 'transe', '{"gamma": 9, "norm": 2}'),
			 ('distmult', 'distmult', '{"gamma": 9, "norm": 1}')) m (name, score_function, settings);

-- Complex models, first all real parts, then all imaginary parts:
-- a = (1, i), b = (i, 1), c = (1+i, 2), d = (-1, -i), e = (0, 2i).
-- complex: r = (i, 2).  rotate: r turns by (pi/2, 0), which is (i, 1) again; s by (0, pi).
select predict_tools.put_model('tiny', 'complex', 'complex', '{}',
	'{{1,0,0,1},{0,1,1,0},{1,2,1,0},{-1,0,0,-1},{0,0,0,2}}', '{{0,2,1,0},{1,1,0,0}}');
select predict_tools.put_model('tiny', 'rotate' || norm, 'rotate', jsonb_build_object('gamma', 9, 'norm', norm),
	'{{1,0,0,1},{0,1,1,0},{1,2,1,0},{-1,0,0,-1},{0,0,0,2}}',
	array[[pi() / 2, 0], [0, pi()]]::real[])
from generate_series(1, 2) norm;
select hkg_tools.state_sigmoid('tiny');

-- TransE, r(a, ?): a + r = (2,1).  Distances to a, b, c, d, e by the sum of absolute values: 2, 1, 0, 3+4, 1;
-- by the root of squares: sqrt 2, 1, 0, 5, 1.  The score is 9 less that.
-- DistMult: a*r = (1,-2).  Times a: 1-4, b: 3-2, c: 2-2, d: 5-10, e: 2-0.
-- ComplEx: a*r = (i, 2i).  With the conjugates of a: i*1 + 2i*(-i) = i+2; b: i*(-i) + 2i = 1+2i; c: i*(1-i) + 4i = 1+5i;
-- d: -i + 2i*i = -2-i; e: 0 + 2i*(-2i) = 4.  The real parts: 2, 1, 1, -2, 4.
-- RotatE: a*r = (i, i).  Minus a: (i-1, 0), moduli sqrt 2, 0; b: (0, i-1), 0, sqrt 2; c: (-1, i-2), 1, sqrt 5;
-- d: (i+1, 2i), sqrt 2, 2; e: (i, -i), 1, 1.  Norm 1 takes the sums: sqrt 2, sqrt 2, 1 + sqrt 5, sqrt 2 + 2, 2.
-- Norm 2 the roots of the squares' sums: sqrt 2, sqrt 2, sqrt 6, sqrt 6, sqrt 2.
select m.name as model, e.name as tail, round(hkg_score('tiny', 'a', 'r', e.name, m.name)::numeric, 5) as score
from tiny.model m, tiny.entity e order by 1, 2;

-- the exact values again, from the formulas
select m.name, bool_and(abs(hkg_score('tiny', 'a', 'r', e.name, m.name) - w.want) < 1e-6)
from (values ('rotate1', array[9 - sqrt(2), 9 - sqrt(2), 8 - sqrt(5), 7 - sqrt(2), 7]),
			 ('rotate2', array[9 - sqrt(2), 9 - sqrt(2), 9 - sqrt(6), 9 - sqrt(6), 9 - sqrt(2)]),
			 ('transe2', array[9 - sqrt(2), 8, 9, 4, 8])) m (name, want),
	tiny.entity e, unnest(m.want) with ordinality w (want, id)
where e.id = w.id group by 1 order by 1;

-- r(a,c) and r(a,b) are facts, and no fact of r is about one entity alone, so e (8) and d (2) are left
select tail, score, round(probability::numeric, 6) from hkg_predict_tails('tiny', 'a', 'r', model => 'transe1');
-- with them, but still without a (7); b and e tie at 8, the lower id comes first
select tail, score from hkg_predict_tails('tiny', 'a', 'r', model => 'transe1', known => true);
select tail, score from hkg_predict_tails('tiny', 'a', 'r', 2, 'transe1', true);
-- more than there are
select count(*) from hkg_predict_tails('tiny', 'a', 'r', 2147483647, 'transe1', true);

-- ?, r, c: c - r = (1,2), distances of a, b, c, d, e: 0, 2+1, 1+1, 4+3, 1+2; r(a,c) is a fact, c no answer
select head, score from hkg_predict_heads('tiny', 'r', 'c', 10, 'transe1', true);
select head, score from hkg_predict_heads('tiny', 'r', 'c', 10, 'transe1');

-- once a fact of r is about d alone, a and c are answers to questions about themselves; s has none
begin;
insert into tiny.triple values (4, 1, 4);
select tail, score from hkg_predict_tails('tiny', 'a', 'r', model => 'transe1');
select head, score from hkg_predict_heads('tiny', 'r', 'c', 10, 'transe1');
select head, score from hkg_predict_heads('tiny', 'r', 'd', 10, 'transe1');
select tail, score from hkg_predict_tails('tiny', 'a', 's', 10, 'transe1') where tail = 'a';
-- hkg_complete agrees
select relation, count(c) filter (where c.head = c.tail), count(*) filter (where c.head is null or p.head is null or c.probability <> p.probability)
from (select head, relation, tail, max(probability) as probability from (
		select entity as head, relation, tail, probability from hkg_tools.asked('tiny'), hkg_predict_tails('tiny', entity, relation, 10, 'transe1') where side = 'tail'
		union all select head, relation, entity, probability from hkg_tools.asked('tiny'), hkg_predict_heads('tiny', relation, entity, 10, 'transe1') where side = 'head') p
	group by 1, 2, 3) p
full join hkg_complete('tiny', k => 100, min_probability => 0, model => 'transe1') c using (head, relation, tail)
group by 1 order by 1;
rollback;

-- the score does not depend on the side of the question
select m.name,
	bool_and(abs(t.score - hkg_score('tiny', h.name, r.name, t.tail, m.name)) < 1e-5),
	bool_and(abs(p.score - hkg_score('tiny', p.head, r.name, h.name, m.name)) < 1e-5)
from tiny.model m, tiny.entity h, tiny.relation r,
	hkg_predict_tails('tiny', h.name, r.name, 10, m.name, true) t,
	hkg_predict_heads('tiny', r.name, h.name, 10, m.name, true) p
group by 1 order by 1;

-- a, ?, c: a + r = c, so 9; a + s - c = (-1, 2), so 9 - 3.  r(a,c) is a fact.
select relation, score, round(probability::numeric, 6) from hkg_predict_relations('tiny', 'a', 'c', 10, 'transe1', true);
select relation, score from hkg_predict_relations('tiny', 'a', 'c', 10, 'transe1');
select relation, score from hkg_predict_relations('tiny', 'a', 'c', 1, 'transe1', true);

-- probability is sigma(score): 1 / (1 + exp(-score))
select bool_and(abs(probability - 1 / (1 + exp(-score))) < 1e-12)
from hkg_predict_tails('tiny', 'a', 'r', 10, 'complex', true);

-- Nearest to a = (1,2): the cosine with b is 5 / sqrt(5 * 10), c: 4 / 5, d: 15 / sqrt(5 * 50), e: 2 / (2 sqrt(5))
select entity, round(similarity::numeric, 6) from hkg_neighbors('tiny', 'a', model => 'distmult');
select entity from hkg_neighbors('tiny', 'a', 2, 'distmult');
-- a = (1, i) and d = -a; c = (1+i, 2) has (1 + 0) / sqrt(2 * 6), e = (0, 2i) has 2 / sqrt(2 * 4)
select entity, round(similarity::numeric, 6) from hkg_neighbors('tiny', 'a', model => 'complex');

--
-- What a session keeps of a model holds only as long as the tables are unchanged
--
-- one number of e by hand: e = (4, 1) is at distance 2 from a + r
begin;
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');
update tiny.entity_embedding set embedding = '{4,1}' where model = 'transe1' and entity = 5;
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');
savepoint once;
-- (12, 1) is at distance 10
update tiny.entity_embedding set embedding = '{12,1}' where model = 'transe1' and entity = 5;
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');
rollback to once;
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');
rollback;
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');

-- an embedding that comes and goes, by hand and with its entity
begin;
delete from tiny.entity_embedding where model = 'transe1' and entity = 5;
select count(*) from hkg_predict_tails('tiny', 'a', 'r', 10, 'transe1', true);
insert into tiny.entity_embedding values ('transe1', 5, '{2,1}');
select tail, score from hkg_predict_tails('tiny', 'a', 'r', 1, 'transe1');		-- e, where it is perfect
delete from tiny.entity where id = 4;
select count(*) from hkg_predict_tails('tiny', 'a', 'r', 10, 'transe1', true);
truncate tiny.entity_embedding;
insert into tiny.entity_embedding values ('transe1', 1, '{0,0}'), ('transe1', 2, '{1,-1}');
select tail, score from hkg_predict_tails('tiny', 'a', 'r', 10, 'transe1', true);	-- a + r = b, and c is placed there by r(a,c)
rollback;
-- moved from one model to another
begin;
delete from tiny.entity_embedding where model = 'transe2' and entity = 5;
select (select count(*) from hkg_predict_tails('tiny', 'a', 'r', 10, 'transe1', true)),
	(select count(*) from hkg_predict_tails('tiny', 'a', 'r', 10, 'transe2', true));
update tiny.entity_embedding set model = 'transe2' where model = 'transe1' and entity = 5;
select (select count(*) from hkg_predict_tails('tiny', 'a', 'r', 10, 'transe1', true)),
	(select count(*) from hkg_predict_tails('tiny', 'a', 'r', 10, 'transe2', true));
rollback;

-- gamma 10 instead of 9
begin;
update tiny.model set settings = '{"gamma": 10, "norm": 1}' where name = 'transe1';
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');
rollback;
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');

-- within one statement, functions that write see their own changes at the next one
create function predict_tools.change_and_score() returns float8[] language plpgsql as $$
declare
	seen float8[];
begin
	for i in 1..3 loop
		update tiny.entity_embedding set embedding = array[2 + i, 1] where model = 'transe1' and entity = 5;
		-- distance i from (2, 1)
		seen := seen || hkg_score('tiny', 'a', 'r', 'e', 'transe1');
	end loop;
	-- names are looked up again, too: c is what is now called e, at distance 0
	update tiny.entity set name = 'was e' where id = 5;
	update tiny.entity set name = 'e' where id = 3;
	return seen || hkg_score('tiny', 'a', 'r', 'e', 'transe1');
end
$$;
begin;
select predict_tools.change_and_score();
rollback;

-- models by turns, and one of the same name in another graph
select hkg_create_graph('tiny too');
insert into "tiny too".entity values (1, 'a'), (2, 'e');
insert into "tiny too".relation values (1, 'r');
select predict_tools.put_model('tiny too', 'transe1', 'transe', '{"gamma": 1, "norm": 1}', '{{0,0},{0,0}}', '{{0,0}}');
select i, hkg_score('tiny', 'a', 'r', 'e', 'transe1') as transe1, hkg_score('tiny', 'a', 'r', 'e', 'distmult') as distmult,
	hkg_score('tiny too', 'a', 'r', 'e', 'transe1') as too
from generate_series(1, 3) i;
-- six models in turn, more than a session keeps
create temp table in_turn as select name, hkg_score('tiny', 'a', 'r', 'a', name) as score from (select name from tiny.model order by name) m;
select name, hkg_score('tiny', 'a', 'r', 'a', name) = score as same from in_turn;

-- a model read again after it was dropped and made anew under its name
begin;
delete from tiny.model where name = 'transe1';
select predict_tools.put_model('tiny', 'transe1', 'transe', '{"gamma": 5, "norm": 1}',
	'{{1,2},{3,1},{2,1},{5,5},{2,0}}', '{{1,-1},{0,1}}');
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');		-- 5 - 1
rollback;
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');		-- 9 - 1

-- nothing writes
begin read only;
select tail from hkg_predict_tails('tiny', 'a', 'r', 1, 'transe1');
select head from hkg_predict_heads('tiny', 'r', 'c', 1, 'transe1');
select relation from hkg_predict_relations('tiny', 'a', 'c', 1, 'transe1');
select hkg_score('tiny', 'a', 'r', 'e', 'transe1');
select entity from hkg_neighbors('tiny', 'a', 1, 'transe1');
commit;

-- names as people write them
select hkg_create_graph('my "graph"');
insert into "my ""graph""".entity values (0, 'O''Brien'), (1, '"quoted", (x)'), (2000000000, 'Żółć ☃'), (5, '%s$1\n'), (6, ' ');
insert into "my ""graph""".relation values (-1, 'isn''t "that"'), (40, 'été');
insert into "my ""graph""".model values ('mod"el', 'distmult', 2, '{}', 'ready', now());
-- first numbers 1 to 5 by ascending id, relation (1, 0): the score is the product of the first numbers
insert into "my ""graph""".entity_embedding
	select 'mod"el', id, array[row_number() over (order by id), 0] from "my ""graph""".entity;
insert into "my ""graph""".relation_embedding select 'mod"el', id, '{1,0}' from "my ""graph""".relation;
select tail, score from hkg_predict_tails('my "graph"', 'Żółć ☃', 'isn''t "that"', 10, 'mod"el');
select head, score from hkg_predict_heads('my "graph"', 'été', ' ', 2, 'mod"el');
select relation, score from hkg_predict_relations('my "graph"', '%s$1\n', 'O''Brien', 10, 'mod"el');

-- A session keeps the plans of 64 statements, and 20 graphs have more: those that make room are planned again.  The score is
-- the product of graph and tail.
do $$
begin
	for i in 1 .. 20 loop
		perform hkg_create_graph('plan_' || i);
		execute format($body$
			insert into plan_%1$s.entity values (1, 'a'), (2, 'b'), (3, 'c');
			insert into plan_%1$s.relation values (1, 'r');
			insert into plan_%1$s.triple values (1, 1, 1);
			insert into plan_%1$s.model values ('default', 'distmult', 1, '{}', 'ready', now());
			insert into plan_%1$s.entity_embedding values ('default', 1, '{%1$s}'), ('default', 2, '{2}'), ('default', 3, '{3}');
			insert into plan_%1$s.relation_embedding values ('default', 1, '{1}')$body$, i);
	end loop;
end
$$;
select round, count(*), count(*) filter (where p.score = graph * case p.tail when 'b' then 2 when 'c' then 3 end) as right_scores
from generate_series(1, 3) round, generate_series(1, 20) graph, lateral (
	select tail, score from hkg_predict_tails(('plan_' || graph)::name, 'a', 'r', 9)
	union all select tail, score from hkg_predict_tails(('plan_' || graph)::name, array['a'], 'r', 9)
	union all select tail, score from hkg_predict_tails(('plan_' || graph)::name, 'a', 'r', 9, candidates => array['c'])) p
group by round order by round;

-- too long a list for the memory that is allowed: 52 bytes of each in it, 16 of each entity, and a heap
select hkg_create_graph('many');
insert into many.entity select i, 'e' || i from generate_series(1, 30000) i;
insert into many.relation values (1, 'r');
insert into many.model values ('default', 'distmult', 1, '{}', 'ready', now());
insert into many.entity_embedding select 'default', i, array[i] from generate_series(1, 30000) i;
insert into many.relation_embedding values ('default', 1, '{1}');
set hybridkg.max_memory = '1MB';
select tail from hkg_predict_tails('many', 'e1', 'r', 2);
select count(*) from hkg_predict_tails('many', 'e1', 'r', 30000);
select entity from hkg_neighbors('many', 'e9', 1);
select count(*) from hkg_neighbors('many', 'e9', 1000000);
reset hybridkg.max_memory;
select count(*) from hkg_predict_tails('many', 'e1', 'r', 1000000, known => true);
select count(*) from hkg_neighbors('many', 'e9', 1000000);

set client_min_messages = warning;
drop schema predict_tools cascade;
select hkg_drop_graph('many');
select count(hkg_drop_graph(('plan_' || i)::name)) from generate_series(1, 20) i;
select hkg_drop_graph('tiny');
select hkg_drop_graph('tiny too');
select hkg_drop_graph('my "graph"');
