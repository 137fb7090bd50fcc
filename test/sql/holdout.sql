--
-- A graph without a valid split: facts are held out in its place
--
set client_min_messages = warning;
\i test/tools.sql
\i test/arguments.sql
reset client_min_messages;
set hybridkg.progress = off;
\t on
\a

-- 1400 facts thrice: b is a inverted, c is a
select hkg_create_graph('g');
create table line as
select 'e' || h as head, 'e' || t as tail from (select distinct
	(hashint8extended(i, 1) & 1073741823) % 300 as h, (hashint8extended(i, 2) & 1073741823) % 300 as t from generate_series(1, 3000) i) d
order by hashint8extended(h * 1000 + t, 3) limit 1400;
select added from hkg_load('g', 'select head, ''a'', tail from line union all select tail, ''b'', head from line union all select head, ''c'', tail from line');
create function train(graph name, model name, more text default '') returns text language plpgsql as $$
declare
	name text;
begin
	execute 'select hkg_train(' || hkg_tools.arguments(format('%L, ''distmult'', dimensions => 8, iterations => 3, epochs => 10, negatives => 8, max_rule_length => 2,
		evidence_length => 2, min_quality => 0, sample_size => 100000, seed => 5, model => %L %s', graph, model, more)) || ')' into name;
	return name;
end
$$;
select train('g', 'm');

-- All that the rules infer is sampled, and whatever is held out is inferred from one of its two counterparts: so the facts
-- among the samples are those that the rules had not seen, a twentieth of 4200
create table held_out as
select distinct f.head, f.relation, f.tail from g.inferred i join g.triple f using (head, relation, tail) where i.model = 'm';
select count(*) from held_out;
-- each entity and relation keeps a fact
select count(distinct e) = (select count(*) from g.entity where id in (select head from g.triple union select tail from g.triple)), count(distinct relation)
from (select * from g.triple except select * from held_out) f, unnest(array[head, tail]) e;
-- rules that were mined are counted on the others, path rules on all in the end: 1400 / (1400 + 5)
select sum(body_size) from (select distinct body[1][1], body_size from g.rule where model = 'm' and support > 1000) r;
select distinct round(evidence_confidence::numeric, 6) from g.rule where model = 'm' and support > 1000;

-- the same facts as a valid split: all that is learnt from them is the same, to the bit
select hkg_create_graph('split');
insert into split.entity select * from g.entity;
insert into split.relation select * from g.relation;
insert into split.triple select * from g.triple;
-- (hkg_split draws them by the same seed)
select valid_facts from hkg_split('split', valid => 0.05, test => 0, seed => 5);
select hkg_tools.differ('table held_out', 'select head, relation, tail from split.holdout');
select train('split', 'm');
select count(*), count(*) filter (where (a.loss, a.mrr, a.inferred, a.rules) = (b.loss, b.mrr, b.inferred, b.rules))
from g.iteration a join split.iteration b using (number);
select a.best_iteration = b.best_iteration, a.mrr = b.mrr, a.evidence = b.evidence, a.evidence->'calibration' is not null
from g.model a, split.model b;
select count(*), sum(questions) from g.evidence_weight;
select count(*) from (select * from g.evidence_weight except select * from split.evidence_weight) different;
-- then they are learnt themselves
select count(*) > 0 from (select embedding from g.entity_embedding except select embedding from split.entity_embedding) different;

-- A fact that is held out and sampled is one positive in the end, not two.  Rules that hold of all other facts infer nothing but
-- those that are held out: when all are sampled, what is learnt last is what is learnt last without rules.
select hkg_train('g', 'distmult', dimensions => 8, iterations => 1, epochs => 10, evidence_rules => 0, omega => 0, seed => 5, model => 'sampled', settings => '{"negatives": 8, "max_rule_length": 2, "min_quality": 0.5, "sample_size": 100000}');
select count(*), count(f) from g.inferred i left join held_out f using (head, relation, tail) where i.model = 'sampled';
select hkg_train('g', 'distmult', dimensions => 8, iterations => 1, epochs => 10, evidence_rules => 0,
	top_rules => 0, seed => 5, model => 'plain', settings => '{"negatives": 8}');
select count(*) from (select entity, embedding from g.entity_embedding where model = 'sampled'
	except select entity, embedding from g.entity_embedding where model = 'plain') different;
-- which is more than is learnt of them where they are valid; without rules, as these infer them either way
select hkg_train('split', 'distmult', dimensions => 8, iterations => 1, epochs => 10, evidence_rules => 0,
	top_rules => 0, seed => 5, model => 'plain', settings => '{"negatives": 8}');
select sum(hkg_score('g', h.name, r.name, t.name, 'plain', 'embedding')) > sum(hkg_score('split', h.name, r.name, t.name, 'plain', 'embedding'))
from held_out f join g.entity h on h.id = f.head join g.relation r on r.id = f.relation join g.entity t on t.id = f.tail;

-- to predictions they are facts
select count(*) from held_out f join g.entity h on h.id = f.head join g.relation r on r.id = f.relation join g.entity t on t.id = f.tail,
	hkg_predict_tails('g', h.name, r.name, 300, 'm') p where p.tail = t.name;
select count(*), count(f) from hkg_complete('g', k => 1000, min_probability => 0, model => 'm') c
join g.entity h on h.name = c.head join g.relation r on r.name = c.relation join g.entity t on t.name = c.tail
left join g.triple f on (f.head, f.relation, f.tail) = (h.id, r.id, t.id);
select hkg_classify('g', head, 'a', tail, 'm') is not null from line limit 1;

-- weights that were learnt stay, until there is a valid split
create table kept as select * from g.evidence_weight;
select hkg_learn_evidence('g', 'm');
select count(*), count(k) from g.evidence_weight w left join kept k on k = w;
select report from hkg_tools.try($$select hkg_learn_thresholds('g', model => 'm')$$);
insert into g.holdout select 'valid', head, relation, tail from held_out limit 20;
select hkg_learn_evidence('g', 'm');
select sum(questions) from g.evidence_weight;
truncate g.holdout;

-- the same seed, the same facts; patience has something to go by
select train('g', 'again', ', patience => 1, holdout => 0.1');
select count(*) filter (where mrr is null), max(questions) > 0 from g.model, g.evidence_weight where name = 'again';
-- from all facts alike
select train('g', 'all', ', holdout => 0');
select mrr is null, evidence from g.model where name = 'all';
select count(*) from g.evidence_weight where model = 'all';
select count(*) > 0 as some, count(f.head) as facts from g.inferred i left join g.triple f using (head, relation, tail) where i.model = 'all';
select report from hkg_tools.try($$select train('g', 'all', ', holdout => 0, patience => 1')$$);
-- embeddings to go on from have seen all facts: what was learnt of weights stays
insert into g.threshold select 'again', id, 0, 7, 0.5, e from g.relation, unnest('{embedding,rules,all}'::text[]) e;
create temp table learnt as select to_jsonb(t) as line from g.threshold t where model = 'again'
union all select to_jsonb(w) from g.evidence_weight w where model = 'again' union all select evidence from g.model where name = 'again';
select train('g', 'again', ', warm_start => true');
select mrr is null from g.model where name = 'again';
select count(*), count(*) filter (where line in (select line from learnt)), (select count(*) from learnt)
from (select to_jsonb(t) as line from g.threshold t where model = 'again'
	union all select to_jsonb(w) from g.evidence_weight w where model = 'again' union all select evidence from g.model where name = 'again') l;
-- as far as it is there; without evidence, the embedding's thresholds
delete from g.evidence_weight where model = 'again';
select train('g', 'again', ', warm_start => true');
select evidence in (select line from learnt) from g.model where name = 'again';
select train('g', 'again', ', warm_start => true, evidence_rules => 0');
select evidence, count(*), count(*) filter (where to_jsonb(t) in (select line from learnt)) from g.threshold t where model = 'again' group by 1;
select evidence from g.model where name = 'again';
-- what had learnt nothing does not
select train('g', 'all', ', warm_start => true');
select evidence from g.model where name = 'all';

-- 50 at least: hkg_estimate counts on an evaluation, or not: of 4200 facts, 0.0118 are 49.56, which is 50
select count(*) from hkg_estimate('g', settings => '{"holdout": 0.0117}') where item = 'evaluation';
select count(*) from hkg_estimate('g', settings => '{"holdout": 0.0118}') where item = 'evaluation';
select holdout, report from unnest(array['-0.1', '0.51', '''nan''']) with ordinality u (holdout, n),
	hkg_tools.try(format($$select hkg_train('g', settings => jsonb_build_object('holdout', %s))$$, holdout)) report order by n, report collate "C";

-- a training that fails leaves nothing
create table before as select * from g.model;
alter table g.evidence_weight add constraint lost check (weight < 0) not valid;
select report from hkg_tools.try($$select train('g', 'm')$$) where report like '23%';
select to_regclass('pg_temp.hkg_facts') is null, (select count(*) from g.triple), (select count(*) from (select * from g.model except select * from before) d);
drop table before;

set client_min_messages = warning;
select hkg_drop_graph('g'), hkg_drop_graph('split');
drop table line, held_out, kept;
drop function train;
