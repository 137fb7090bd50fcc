--
-- Missing facts, with a model made by hand: distmult, d = 1, so that a score is the product of three numbers
--
set client_min_messages = warning;
\i test/tools.sql
\i test/sigmoid.sql
\i test/asked.sql
reset client_min_messages;
\t on
\a

select hkg_create_graph('g');
insert into g.entity values (1, 'one'), (2, 'two'), (3, 'three'), (10, 'minus');
insert into g.relation values (1, 'r'), (2, 's'), (3, 'of nothing');
insert into g.model values ('m', 'distmult', 1, '{}', 'ready', now());
insert into g.entity_embedding values ('m', 1, '{1}'), ('m', 2, '{2}'), ('m', 3, '{3}'), ('m', 10, '{-1}');
insert into g.relation_embedding values ('m', 1, '{1}'), ('m', 2, '{0.5}'), ('m', 3, '{9}');
-- heads of r: two and three; of s: one and two, and s has a fact about one alone
insert into g.triple values (2, 1, 3), (3, 1, 1), (1, 2, 1), (2, 2, 10);
-- a triple that is held out is as missing as any
insert into g.holdout values ('test', 3, 1, 2);
insert into g.rule (model, id, rule, head, body, support, body_size, pca_body_size, predictions,
	head_coverage, standard_confidence, pca_confidence, quality, selected)
values
	('m', 1, 'r(X,Y) <= r(Y,X)', 1, '{{1,-2,-1}}', 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, true),
	('m', 2, 'r(X,Y) <= s(Y,X)  (dropped)', 1, '{{2,-2,-1}}', 1, 1, 1, 1, 1, 0.5, 0.5, 0.9, false),
	('m', 3, 's(X,Y) <= r(X,A), r(A,Y)', 2, '{{1,-1,-3},{1,-3,-2}}', 1, 1, 1, 1, 1, 0.5, 0.5, 0.4, true),
	('m', 4, 's(X,Y) <= r(X,"three"), r("three",Y)', 2, '{{1,-1,3},{1,3,-2}}', 1, 1, 1, 1, 1, 0.5, 0.5, 0.3, true);

-- tails of heads that have any: r(three,two) 6, r(two,one) 2, r(two,minus) -2, r(three,minus) -3; s(two,three) 3, s(two,two) 2,
-- s(one,three) 1.5, s(two,one) 1, s(one,two) 1, s(one,minus) -0.5.  Heads of tails: r(one,three) 3, r(minus,one) -1, r(minus,three) -3;
-- s(three,one) 1.5, s(minus,minus) 0.5, s(minus,one) -0.5, s(three,minus) -1.5.  No two entities have the same two atoms, so
-- nobody is like another.  The even chance of a probability of 0.5 is a score of 0.
-- r(three,two) follows from r(two,three); s(two,one) from r(two,three), r(three,one), by two rules.
-- a list is by probabilities, and this model has learnt none
select report from hkg_tools.try($$select * from hkg_complete('g', model => 'm')$$);
select hkg_tools.state_sigmoid('g');
select head, relation, tail, score, round(probability::numeric, 6), rule from hkg_complete('g', model => 'm');
select head, relation, tail, score, rule from hkg_complete('g', 'r', min_probability => 0, model => 'm');
select head, relation, tail, score from hkg_complete('g', k => 3, model => 'm');
-- 1 / (1 + exp(-1.75)) lies between the scores of 2 and of 1.5
select head, relation, tail, score from hkg_complete('g', 's', 10, 'm', 1 / (1 + exp(-1.75)));
select count(*) from hkg_complete('g', 'of nothing', model => 'm');
select count(*) from hkg_complete('g', min_probability => 1, model => 'm');
begin read only;
select head, relation, tail from hkg_complete('g', k => 1, model => 'm');
commit;

select report from hkg_tools.try($$select hkg_complete('g', 'R', model => 'm')$$);
select report from hkg_tools.try($$select hkg_complete('g', k => 0, model => 'm')$$);
select report from hkg_tools.try($$select hkg_complete('g', min_probability => 1.5, model => 'm')$$);
select report from hkg_tools.try($$select hkg_complete('g', min_probability => null, model => 'm')$$);
select report from hkg_tools.try($$select hkg_complete('g', 'r')$$);

-- all of them, against scores one by one
select hkg_create_graph('h');
select added from hkg_load('h', $$select 'e' || i % 30, 'r' || i % 4, 'e' || (i * i + i % 7) % 50 from generate_series(1, 150) i$$);
set hybridkg.progress = off;
select hkg_train('h', 'rotate', dimensions => 4, iterations => 1, epochs => 3, top_rules => 10, evidence_rules => 0, settings => '{"min_support": 1, "min_quality": 0}');
select hkg_tools.state_sigmoid('h');
create temp table asked as select * from hkg_tools.asked('h');
with listed as (select * from hkg_complete('h', null, 1000000, min_probability => 0)),
expected as (
	select h.name as head, r.name as relation, t.name as tail, hkg_score('h', h.name, r.name, t.name) as score
	from h.relation r, h.entity h, h.entity t
	where ((r.name, 'tail', h.name) in (select relation, side, entity from asked) or (r.name, 'head', t.name) in (select relation, side, entity from asked))
		and not exists (select from h.triple f where (f.head, f.relation, f.tail) = (h.id, r.id, t.id))
		and (h.id <> t.id or exists (select from h.triple f where f.relation = r.id and f.head = f.tail)))
select count(*) > 1000, count(*) filter (where l.score <> e.score or l.score is null or e.score is null)
from listed l full join expected e using (head, relation, tail);
-- each with the best rule that hkg_explain lists
select count(c.rule) > 0, count(*) filter (where c.rule is distinct from (select rule from hkg_explain('h', c.head, c.relation, c.tail) limit 1))
from hkg_complete('h', k => 20, min_probability => 0) c;

-- what is listed counts against the memory that is allowed, beside what it takes to find it: with one thread 2 x 2 x 56 bytes each (and
-- more for all), 76 as a list, 40 with their rules
select hkg_create_graph('big');
insert into big.entity select i, 'e' || i from generate_series(1, 121) i;
insert into big.relation values (1, 'r');
insert into big.triple select i, 1, 121 from generate_series(1, 100) i;
insert into big.model values ('m', 'distmult', 1, '{}', 'ready', now());
select hkg_tools.state_sigmoid('big');
insert into big.entity_embedding select 'm', id, '{1}' from big.entity;
insert into big.relation_embedding values ('m', 1, '{1}');
set hybridkg.threads = 1;
set hybridkg.max_memory = '1MB';
select report from unnest(array[1000, 9000, 2147483647]) k, hkg_tools.try(format('select count(*) from hkg_complete(''big'', null, %s, ''m'', 0)', k)) report;
reset hybridkg.max_memory;
reset hybridkg.threads;
-- 100 heads with 121 tails each, but for what is known and for themselves; and the 20 other heads of the one tail
select count(*) from hkg_complete('big', null, 2147483647, 'm', 0);

select hkg_drop_graph('g'), hkg_drop_graph('h'), hkg_drop_graph('big');
