--
-- A path network as evidence: beside rules, alone, of new entities.  A family: p7's children are p14 and p15.
--
set client_min_messages = warning;
\i test/tools.sql
\i test/asked.sql
set hybridkg.progress = off;
\t on
\a
select hkg_create_graph('kin');
select hkg_load('kin', $$
	select 'p' || i / 2, 'parent', 'p' || i from generate_series(2, 127) i
	union all select 'p' || i / 4, 'grandparent', 'p' || i from generate_series(4, 127) i where i % 5 > 0$$);
select hkg_load('kin', $$select 'p' || i / 4, 'grandparent', 'p' || i from generate_series(4, 127) i where i % 5 = 0$$, 'valid');
select hkg_train('kin', dimensions => 8, epochs => 5, iterations => 1, seed => 3, paths => true, settings => '{"path_layers": 3, "path_width": 16, "path_kept": 50, "path_epochs": 4}');
-- weights are there for both sides of both relations; each kind has its probabilities
select count(*), bool_and(paths >= 0), bool_and(calibration ?& array['embedding', 'rules', 'paths', 'all']) from kin.evidence_weight;
select evidence->'calibration' ? 'paths' from kin.model;

-- the network alone lists what it scores above 0, best first, as hkg_score has it
create view answer as select row_number() over () as place, * from hkg_predict_tails('kin', 'p3', 'grandparent', 200, evidence => 'paths');
select count(*) > 4, count(*) < 127, bool_and(score > 0) from answer;
select count(*) from answer where score is distinct from hkg_score('kin', 'p3', 'grandparent', tail, evidence => 'paths');
select count(*) from (select score, lag(score) over (order by place) from answer) a where score > lag;
select hkg_score('kin', 'p3', 'grandparent', 'p3', evidence => 'paths');
-- as many questions in one call have them
select count(*) from (select tail, score, probability from answer except
	select tail, score, probability from hkg_predict_tails('kin', array['p3'], 'grandparent', 200, evidence => 'paths')) d;
-- and as sessions that share nothing
set hybridkg.shared_cache = 0;
select count(*) from (select place, tail, score from answer except
	select row_number() over (), tail, score from hkg_predict_tails('kin', 'p3', 'grandparent', 200, evidence => 'paths')) d;
reset hybridkg.shared_cache;

-- all together are the sum that the weights define; one discount, so that hkg_score has the parts
update kin.model set evidence = jsonb_set(evidence::jsonb, '{discount,all}', evidence::jsonb->'discount'->'rules');
update kin.evidence_weight set paths = 2 where side = 'tail';
create view score as
	select e.name, hkg_score('kin', 'p3', 'grandparent', e.name) as total, w.scale * (hkg_score('kin', 'p3', 'grandparent', e.name, evidence => 'embedding')
		+ w.weight * (hkg_score('kin', 'p3', 'grandparent', e.name, evidence => 'rules') + w.paths * hkg_score('kin', 'p3', 'grandparent', e.name, evidence => 'paths'))) as parts
	from kin.entity e, kin.evidence_weight w join kin.relation r on r.id = w.relation where r.name = 'grandparent' and w.side = 'tail';
select count(*), count(*) filter (where abs(total - parts) > 1e-9 * abs(total)) from score;
select count(*) from score s join hkg_predict_tails('kin', 'p3', 'grandparent', 200, known => true) a on a.tail = s.name where a.score <> s.total;
-- null: the usual 0.7
update kin.evidence_weight set paths = 0.7;
create temp table usual as select * from score;
update kin.evidence_weight set paths = null;
select count(*) from usual u join kin.entity e using (name) where total <> hkg_score('kin', 'p3', 'grandparent', name);

-- the shares of the embedding, the rules and the paths add up; each path has its own
update kin.evidence_weight set paths = 2;
select abs(sum(share) - hkg_score('kin', 'p3', 'grandparent', 'p15')) < 1e-9 from (
	select distinct rule, share, case when starts_with(rule, '(path)') then grounding end from hkg_explain('kin', 'p3', 'grandparent', 'p15')) x;
select count(*) from hkg_explain('kin', 'p3', 'grandparent', 'p15') where rule = '(path) grandparent(X,Y) <= parent(X,A), parent(A,Y)'
	and grounding = 'parent(p3, p7), parent(p7, p15)' and share > 0 and quality is null;

-- ranks, by relation too; thresholds where false triples are given
select count(*), bool_and(mrr > 0) from hkg_evaluate('kin', 'valid', evidence => 'paths');
select kind, count(*) > 0 as ranked from unnest('{embedding,rules,paths,all}'::text[]) kind, hkg_ranks('kin', 'valid', evidence => kind) group by 1 order by 1;
select count(*) from hkg_complete('kin', 'grandparent', 5, min_probability => 0, evidence => 'paths');
-- a list of missing facts has the scores of hkg_score, and what both questions give a triple together; less where the
-- question that is asked gives less
create temp table missing as select row_number() over () as place, * from hkg_complete('kin', null, 100000, min_probability => 0, exact => true);
select count(*) > 1000 from missing;
select count(*) from missing where place <= 300 and score <> hkg_score('kin', head, relation, tail);
create temp table asked as select * from hkg_tools.asked('kin');
create temp table shown as
	select head, relation, tail, t.p as by_tail, h.p as by_head
	from (select p.head, r.name as relation, p.tail, p.probability as p
		from kin.relation r, hkg_predict_tails('kin', array(select name from kin.entity), r.name, 200) p) t
	join (select p.head, r.name as relation, p.tail, p.probability as p
		from kin.relation r, hkg_predict_heads('kin', r.name, array(select name from kin.entity), 200) p) h using (head, relation, tail);
-- by the question that has one answer alone, if only one has
create temp table one_answer as select r.name as relation, w.side, w.calibration->'all' ? 'choice' as one
from kin.evidence_weight w join kin.relation r on r.id = w.relation;
create temp table due as
select s.*, case when t.one and not h.one then by_tail when h.one and not t.one then by_head when by_tail = by_head then by_tail
	else 1 / (1 + exp(-(ln(by_tail / (1 - by_tail)) + ln(by_head / (1 - by_head))) / 2)) end as by_both,
	(relation, 'tail', head) in (select relation, side, entity from asked) as tail_asked, (relation, 'head', tail) in (select relation, side, entity from asked) as head_asked
from shown s join one_answer t using (relation) join one_answer h using (relation) where t.side = 'tail' and h.side = 'head';
select count(*), sum((abs(m.probability - least(by_tail, by_head)) > 1e-6)::int) > 100 as both,
	max(abs(m.probability - greatest(case when tail_asked then least(by_tail, by_both) else 0 end, case when head_asked then least(by_head, by_both) else 0 end))) < 1e-9 as right
from missing m left join due using (head, relation, tail);
-- a short one is the beginning of it, on any number of threads; the network is then asked about some of the questions
set hybridkg.threads = 3;
select k, floor, exact, count(*) = count(*) filter (where m.place = c.place), count(*) = least(k, (select count(*) from missing where probability >= floor))
from (values (10, 0.0), (40, 0.3), (200, 0.5)) as w (k, floor), unnest(array[false, true]) exact,
	hkg_complete('kin', null, k, min_probability => floor, exact => exact) with ordinality as c (head, relation, tail, score, probability, rule, head_key, tail_key, place)
	join missing m using (head, relation, tail, score, probability) group by k, floor, exact order by k, exact;
reset hybridkg.threads;
-- of some heads alone; one answer for each
select count(*), count(*) filter (where not exists (select from missing m where (m.head, m.relation, m.tail, m.probability) = (c.head, c.relation, c.tail, c.probability)))
from hkg_complete('kin', null, 30, min_probability => 0, heads => array['p3', 'p9', 'p20'], candidates => array(select name from kin.entity where id % 2 = 0), one_each => true, exact => true) c;
select count(*) from hkg_complete('kin', min_probability => 1);
create table lie (head text, relation text, tail text);
insert into lie select 'p' || i, 'grandparent', 'p' || i / 2 from generate_series(2, 60) i;
select hkg_learn_thresholds('kin', negatives => 'lie') as accuracy \gset
select count(*) filter (where truth) as truths, count(*) filter (where not truth) as lies,
	abs(avg((hkg_classify('kin', head, relation, tail) = truth)::int) - :accuracy) < 1e-9 as its_accuracy
from (select *, false as truth from lie union all select h.name, r.name, t.name, true from kin.holdout x
	join kin.entity h on h.id = x.head join kin.relation r on r.id = x.relation join kin.entity t on t.id = x.tail where split = 'valid') l;
select string_agg(distinct evidence, ' ' order by evidence) from kin.threshold;

-- a new entity, as soon as it has a fact
insert into kin.entity select max(id) + 1, 'newborn' from kin.entity;
insert into kin.triple select h.id, r.id, t.id from kin.entity h, kin.relation r, kin.entity t
	where (h.name, r.name, t.name) = ('p9', 'parent', 'newborn');
select hkg_score('kin', 'p4', 'grandparent', 'newborn', evidence => 'paths') > 0;
select count(*) > 0 from hkg_predict_heads('kin', 'grandparent', 'newborn', 10, evidence => 'paths');
select count(*) from hkg_predict_heads('kin', 'grandparent', 'newborn', 10);

-- a relation that came after the training: its facts say nothing to the network, whose ranks and weights stay
begin;
create view seen as select evidence->'discount' as discount,
	(select jsonb_agg(e order by side) from hkg_evaluate('kin', 'valid', evidence => 'paths') e) as ranks,
	(select jsonb_agg(w order by relation, side) from kin.evidence_weight w where model = 'default' and relation in (select relation from kin.path_network)) as weights
	from kin.model where name = 'default';
select hkg_learn_evidence('kin');
create temp table before as select * from seen;
insert into kin.relation select max(id) + 1, 'later' from kin.relation;
insert into kin.triple select h.id, r.id, t.id from kin.entity h, kin.relation r, kin.entity t
	where r.name = 'later' and h.name <> 'newborn' and t.name <> 'newborn' and (h.id * 7 + t.id * 3) % 5 = 0;
select hkg_learn_evidence('kin');
select s.ranks = b.ranks, s.discount = b.discount, s.weights = b.weights from seen s, before b;
rollback;

-- weights that are none
begin;
update kin.evidence_weight set paths = -1;
select count(*) from hkg_tools.try($$select hkg_score('kin', 'p3', 'grandparent', 'p12')$$) where report like '22000: %for paths, expected a finite number of at least 0%';
rollback;

-- a model without rules, whose weights are learnt again; and one without a network
select hkg_train('kin', model => 'bare', dimensions => 8, epochs => 5, iterations => 1, evidence_rules => 0, paths => true, settings => '{"path_layers": 2, "path_width": 16, "path_kept": 50, "path_epochs": 1}');
select evidence->'discount'->'rules', evidence->'calibration' ? 'rules', evidence->'calibration' ? 'paths' from kin.model where name = 'bare';
select hkg_learn_evidence('kin', 'bare');
select evidence->'discount'->'rules' from kin.model where name = 'bare';
select report from hkg_tools.try($$select hkg_score('kin', 'p3', 'grandparent', 'p12', 'bare', 'rules')$$);
select hkg_score('kin', 'p3', 'grandparent', 'p12', 'bare', 'paths') > 0;
select count(*) from hkg_predict_tails('kin', 'p3', 'grandparent', 5, 'bare');
update kin.model set paths = null where name = 'default';
select report from hkg_tools.try($$select * from hkg_predict_tails('kin', 'p3', 'grandparent', evidence => 'paths')$$);
select count(*) from hkg_predict_tails('kin', 'p3', 'grandparent', 5);
-- without rules and network there is no evidence, but its probabilities are there
update kin.model set paths = null where name = 'bare';
select report from hkg_tools.try($$select hkg_classify('kin', 'p3', 'grandparent', 'p12', 'bare')$$);
-- nothing can be learnt from valid triples without embeddings and facts
begin;
delete from kin.holdout where split = 'valid';
insert into kin.entity select max(id) + 1, 'stranger' from kin.entity union all select max(id) + 2, 'other' from kin.entity;
insert into kin.holdout select 'valid', h.id, r.id, t.id from kin.entity h, kin.relation r, kin.entity t where (h.name, t.name) = ('stranger', 'other');
select hkg_learn_evidence('kin');
select evidence->'discount', evidence ? 'calibration', (select count(*) from kin.evidence_weight where model = 'default') from kin.model where name = 'default';
rollback;
drop view answer, score;
drop table usual, lie;
drop schema kin cascade;
