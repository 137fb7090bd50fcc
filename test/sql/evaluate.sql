--
-- Ranks, metrics and rule precision, worked out on paper
--
select hkg_create_graph('tiny');
insert into tiny.entity values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
insert into tiny.relation values (1, 'r'), (2, 's');
insert into tiny.triple values (1, 1, 3), (3, 1, 2), (1, 1, 2), (3, 1, 5);	-- r: (a,c), (c,b), (a,b), (c,e)
insert into tiny.holdout values ('test', 1, 1, 5), ('test', 2, 2, 4),		-- r(a,e), s(b,d)
	('valid', 2, 2, 5);														-- s(b,e)
-- TransE, norm 1: a = (1,2), b = (3,1), c = (2,1), d = (5,5), e = (2,0); r = (1,-1), s = (0,1)
insert into tiny.model values ('default', 'transe', 2, '{"gamma": 9, "norm": 1}', 'ready', now());
insert into tiny.entity_embedding values ('default', 1, '{1,2}'), ('default', 2, '{3,1}'),
	('default', 3, '{2,1}'), ('default', 4, '{5,5}'), ('default', 5, '{2,0}');
insert into tiny.relation_embedding values ('default', 1, '{1,-1}'), ('default', 2, '{0,1}');

-- test: r(a,e).  Tails: a + r = (2,1), distances of a..e: 2, 1, 0, 7, 1; b and c are facts and skipped: e is 1st.
-- Heads: e - r = (1,1), distances 1, 2, 1, 8, 2; c would tie, but r(c,e) is a fact: a is 1st.
-- s(b,d).  Tails: b + s = (3,2), distances 2, 1, 2, 5, 3; s(b,e) is of valid and skipped: d is 4th.
-- Heads: d - s = (5,4), distances 6, 5, 6, 1, 7: b is 2nd.
select * from hkg_ranks('tiny') order by head, relation, tail;
-- valid: s(b,e).  Tails: d is skipped, a, b, c are nearer: 4th.  Heads: e - s = (2,-1), distances 4, 3, 2, 9, 1: 3rd.
select * from hkg_ranks('tiny', 'valid');
-- facts.  r(a,c): a + r: b, e skipped, c is nearest.  c - r = (1,2): a is nearest.
-- r(a,b): tails: c, e skipped, b is nearer than a and d.  Heads: b - r = (2,2), distances 1, 2, 1, 6, 2; c skipped: 1st.
-- r(c,b): c + r = (3,0), distances 4, 1, 2, 7, 1; e skipped: 1st.  Heads: a skipped, c is 1st.
-- r(c,e): tails: b skipped: 1st.  Heads: e - r: a is in test and skipped, c is 1st.
select * from hkg_ranks('tiny', 'train') order by head, relation, tail;

-- test: heads 1, 2: MRR (1 + 1/2) / 2 = 0.75, MR 1.5; tails 1, 4: MRR (1 + 1/4) / 2 = 0.625, MR 2.5;
-- both: 1, 2, 1, 4: MRR 2.75 / 4, MR 2
select * from hkg_evaluate('tiny');
-- relation by relation: r 1 and 1, s 2 and 4
select relation, count(*), avg(1.0 / head_rank + 1.0 / tail_rank) / 2 as mrr from hkg_ranks('tiny') group by relation order by 1;
-- valid: heads 3, tails 4, both: MRR (1/3 + 1/4) / 2 = 7/24
select side, triples, round(mrr::numeric, 6) as mrr, mr, hits_1, hits_3, hits_10 from hkg_evaluate('tiny', 'valid');
select side, triples, mrr, mr from hkg_evaluate('tiny', 'train');

-- a sample of two of these four: each two are as probable, so the mean of 600 estimates is MRR and MR of all, within 5
-- deviations of a mean, and the mean of the squared error is their variance, within a fifth
select side, min(s.triples) as triples, abs(avg(s.mrr) - min(a.mrr)) <= 5 * stddev(s.mrr) / sqrt(600) as mrr,
	abs(avg(s.mr) - min(a.mr)) <= 5 * stddev(s.mr) / sqrt(600) as mr,
	abs(variance(s.mrr) - avg(s.mrr_error ^ 2)) <= 0.2 * variance(s.mrr) as mrr_error
from generate_series(1, 600) seed, hkg_evaluate('tiny', 'train', seed => seed, sample => 2) s
	join hkg_evaluate('tiny', 'train') a using (side) group by side order by side;
-- of three it is two; as many as there are, or more, are all
select sample, count(*), sum(triples) as triples, count(mrr_error)
from unnest('{3,4,1000000}'::int[]) sample, hkg_evaluate('tiny', 'train', sample => sample) group by sample order by sample;

-- an entity that came after the training is a candidate that ranks last, and a triple with it counts
insert into tiny.entity values (6, 'f');
insert into tiny.holdout values ('valid', 2, 2, 6);			-- s(b,f)
-- s(b,?): d is of test, e of valid, so skipped: a, b, c, then f.  As s(?,f) has no scores, b is anywhere in 1 .. 6.
select head, relation, tail, tail_rank, head_rank between 1 and 6 as head_rank from hkg_ranks('tiny', 'valid')
where tail = 'f';
select count(distinct head_rank) from generate_series(1, 100) seed, hkg_ranks('tiny', 'valid', seed => seed)
where tail = 'f';
-- the others are where they were: f is behind
select * from hkg_ranks('tiny') order by head, relation, tail;
-- it is in no fact: predictions leave it out, and b as an answer to a question about itself
select count(*) from hkg_predict_tails('tiny', 'b', 's', 10, known => true);
-- likewise a relation: every place is by chance
insert into tiny.relation values (3, 'u');
insert into tiny.holdout values ('test', 1, 3, 2);			-- u(a,b)
select count(distinct head_rank), count(distinct tail_rank), min(least(head_rank, tail_rank)), max(greatest(head_rank, tail_rank))
from generate_series(1, 200) seed, hkg_ranks('tiny', seed => seed)
where relation = 'u';

-- ties: in this model all scores are 1, so the true one takes any place among the candidates, evenly.
-- s(b,?) without e and f (valid): a, b, c, d.  s(?,d): all six.
insert into tiny.model values ('even', 'distmult', 2, '{}', 'ready', now());
insert into tiny.entity_embedding select 'even', id, '{1,0}' from tiny.entity;
insert into tiny.relation_embedding select 'even', id, '{1,0}' from tiny.relation;
-- 1200 draws: each of 4 places about 300 times (sd 15), each of 6 about 200 times (sd 13): within 5 sd
select side, place, abs(count(*) - case side when 'tail' then 300 else 200 end) <= 70 as about_even
from generate_series(1, 1200) seed, hkg_ranks('tiny', 'test', 'even', seed) r,
	lateral (values ('head', head_rank), ('tail', tail_rank)) p (side, place)
where relation = 's'
group by 1, 2 order by 1, 2;
-- the same seed, the same places
select count(*) from generate_series(1, 50) seed,
	lateral (select * from hkg_ranks('tiny', 'test', 'even', seed) except select * from hkg_ranks('tiny', 'test', 'even', seed)) d;

-- inferences that were sampled are not part of the filter: a stays a candidate ahead of d, which is 4th as before
insert into tiny.inferred values ('default', 1, 2, 2, 1, 0, 1, '{1}');		-- s(b,a)
select tail_rank from hkg_ranks('tiny') where relation = 's';

-- a split without triples
delete from tiny.holdout where split = 'valid';
select * from hkg_ranks('tiny', 'all');
select * from hkg_ranks('tiny', model => 'none');
select * from hkg_evaluate('tiny', 'valid');
select * from hkg_ranks('tiny', 'valid');

--
-- Precision of rules, which some scripts of bench measure
--
\i bench/rule_precision.sql
select hkg_create_graph('kin');
insert into kin.entity values (1, 'ann'), (2, 'bob'), (3, 'cid'), (4, 'dee'), (5, 'eve');
insert into kin.relation values (1, 'parent'), (2, 'grandparent');
insert into kin.triple values (1, 1, 2), (2, 1, 3), (2, 1, 4),		-- parent: ann bob, bob cid, bob dee
	(1, 2, 3);														-- grandparent: ann cid
insert into kin.holdout values ('test', 1, 2, 4), ('test', 4, 1, 5), ('valid', 1, 1, 3);
insert into kin.model values ('m', 'distmult', 2, '{}', 'ready', now()), ('no rules', 'distmult', 2, '{}', 'ready', now());
insert into kin.rule (model, id, rule, head, body, support, body_size, pca_body_size, predictions,
	head_coverage, standard_confidence, pca_confidence, quality, selected)
values
	-- infers ann cid (a fact) and ann dee (of test)
	('m', 1, 'grandparent(X,Y) <= parent(X,A), parent(A,Y)', 2, '{{1,-1,-3},{1,-3,-2}}', 1, 2, 2, 1, 1, 0.5, 0.5, 0.9, true),
	-- infers ann cid (of valid)
	('m', 2, 'parent(X,Y) <= grandparent(X,Y)', 1, '{{2,-1,-2}}', 0, 1, 1, 1, 0, 0, 0, 0.5, true),
	-- infers ann bob, bob cid, bob dee, none of them held out
	('m', 3, 'grandparent(X,Y) <= parent(X,Y)', 2, '{{1,-1,-2}}', 0, 3, 3, 3, 0, 0, 0, 0.5, true),
	-- infers bob ann, cid bob, dee bob
	('m', 4, 'grandparent(X,Y) <= parent(Y,X)', 2, '{{1,-2,-1}}', 0, 3, 3, 3, 0, 0, 0, 0.1, false),
	-- again rule 1's triples: each counts once
	('m', 5, 'grandparent(X,Y) <= parent(X,A), parent(A,Y), parent(X,B), parent(B,Y)', 2, '{{1,-1,-3},{1,-3,-2},{1,-1,-4},{1,-4,-2}}', 1, 2, 2, 1, 1, 0.5, 0.5, 0.05, false),
	-- infers ann ann; as good as rules 2 and 3, but not selected
	('m', 8, 'parent(X,Y) <= grandparent(X,A), grandparent(Y,A)', 1, '{{2,-1,-3},{2,-2,-3}}', 0, 1, 1, 1, 0, 0, 0, 0.5, false),
	-- infers nothing but ann bob, a fact: never among the best
	('m', 6, 'parent(X,Y) <= parent(Y,A), grandparent(X,A)', 1, '{{1,-2,-3},{2,-1,-3}}', 1, 1, 1, 0, 0.3, 1, 1, 1, false),
	-- quality not known: could not have reached the best
	('m', 7, 'parent(X,Y) <= grandparent(Y,X)', 1, '{{2,-2,-1}}', 0, 1, 1, 1, 0, 0, 0, null, false);
-- the selected ones by quality, support and text: 1, 3, 2; then 8, 4, 5.  Correct is ann dee alone.
-- 1: ann dee; 2: with rule 3's three triples; 3: with parent ann cid; 4: with parent ann ann; 5: with rule 4's three;
-- 6: rule 5 adds nothing
select k, p.* from generate_series(1, 6) k, rule_precision('kin', k, 'test', 'm') p;
-- of rules 1, 3, 2 parent ann cid is in valid, one of five
select * from rule_precision('kin', 3, 'valid', 'm');
select * from rule_precision('kin', 10, 'test', 'no rules');

--
-- What makes metrics too high or too low
--
select hkg_create_graph('leak');
-- r from x to y, of 1 to 20, of which four are of test; s back, of 3 to 20: 18 of 20 facts of r have a counterpart, and all of
-- s.  q as r, of 1 to 17, which is less than nine tenths.  m is symmetric.  All entities are in facts of next.
select added from hkg_load('leak', $$select 'x' || i, 'r', 'y' || i from generate_series(5, 20) i union all select 'y' || i, 's', 'x' || i from generate_series(3, 20) i
	union all select 'x' || i, 'q', 'y' || i from generate_series(1, 17) i
	union all select a || i, 'next', a || i + 1 from generate_series(1, 19) i, unnest(array['x', 'y']) a
	union all select 'x' || i, 'm', 'x' || (i + 9) % 20 + 1 from generate_series(2, 20) i$$);
select added from hkg_load('leak', $$select 'x' || i, 'r', 'y' || i from generate_series(1, 4) i union all select 'x1', 'm', 'x11'$$, 'test');
select hkg_train('leak', 'distmult', 4, iterations => 1, epochs => 1, paths => false, top_rules => 0, evidence_rules => 0);
-- r of 3 and 4, and m
select max(triples) as triples from hkg_evaluate('leak');
-- of split valid, none; r of 1 is in both splits now, that of 5 is learnt, and is one more with a counterpart; nothing is known of z
insert into leak.entity values (1000, 'z');
insert into leak.holdout select 'valid', head, relation, tail from leak.holdout where head = (select id from leak.entity where name = 'x1') and relation = (select id from leak.relation where name = 'r');
insert into leak.holdout select 'test', f.* from leak.triple f where head = (select id from leak.entity where name = 'x5') and relation = (select id from leak.relation where name = 'r');
insert into leak.holdout select 'test', 1000, r.id, e.id from leak.relation r, leak.entity e where r.name = 'next' and e.name = 'x1';
select max(triples) as triples from hkg_evaluate('leak');
select max(triples) as triples from hkg_evaluate('leak', 'valid');
select max(triples) as triples from hkg_evaluate('leak', 'train');
-- what the hints say, for all of it; then 17 of 20 facts of r have a counterpart, and m alone is left
delete from leak.triple f using leak.holdout h where (h.head, h.relation, h.tail) = (f.head, f.relation, f.tail);
delete from leak.holdout v using leak.holdout t where v.split = 'valid' and t.split = 'test' and (v.head, v.relation, v.tail) = (t.head, t.relation, t.tail);
delete from leak.holdout where head = 1000;
delete from leak.triple where relation = (select id from leak.relation where name = 's') and head = (select id from leak.entity where name = 'y20');
select max(triples) as triples from hkg_evaluate('leak');
-- ten facts of m, that of test among them, can tell; eight cannot
delete from leak.triple f using leak.relation r, leak.entity e where r.id = relation and e.id = f.head and r.name = 'm' and e.name not in ('x1', 'x2', 'x3', 'x4', 'x5', 'x11', 'x12', 'x13', 'x14', 'x15');
select max(triples) as triples from hkg_evaluate('leak');
delete from leak.triple f using leak.relation r, leak.entity e where r.id = relation and e.id = f.head and r.name = 'm' and e.name in ('x5', 'x15');
select max(triples) as triples from hkg_evaluate('leak');
-- hkg_split says it, too, of as many as there are: of the others the counterpart is held out as well
select hkg_create_graph('mirror');
select added from hkg_load('mirror', $$select 'x' || i % 60, 'r', 'y' || i * 7 % 100 from generate_series(1, 300) i union all select 'y' || i * 7 % 100, 's', 'x' || i % 60 from generate_series(1, 300) i$$);
select valid_facts, test_facts from hkg_split('mirror', 0.1, 0.1, 1);
select count(*) as held_out, count(t.head) as counterparts from mirror.holdout h left join mirror.triple t on (t.head, t.tail) = (h.tail, h.head);
select valid_facts, test_facts from hkg_split('mirror', 0, 0);

-- nothing writes
begin read only;
select side, mrr from hkg_evaluate('tiny', 'train') where side = 'both';
select count(*) from hkg_ranks('tiny', 'train');
commit;

select hkg_drop_graph('tiny');
select hkg_drop_graph('kin');
select hkg_drop_graph('leak'), hkg_drop_graph('mirror');
