-- Embeddings of other programs.  Scores are compared with the definitions of doc/method.md, computed in SQL.
\set VERBOSITY terse
set client_min_messages = warning;
\i test/tools.sql
select hkg_create_graph('trade');
select added from hkg_load('trade', $$values ('a', 'likes', 'b'), ('b', 'likes', 'c'), ('a', 'knows', 'c'), ('c', 'knows', 'a'), ('d', 'knows', 'a')$$);
set client_min_messages = notice;
create schema other;
create table other.entity (name text, embedding float8[]);
insert into other.entity values ('a', '{1,2,3,4}'), ('b', '{0.5,-1,0.25,2}'), ('c', '{-1,0,1,0.5}'), ('d', '{2,1,0,-1}'), ('unknown', '{9,9,9,9}');
create table other.relation (name text, embedding float8[], inverse float8[]);
insert into other.relation values ('likes', '{1,-1,0.5,2}', '{1,1,1,1}'), ('knows', '{0.5,0.25,-1,1}', '{2,0,-1,1}');

-- the definitions: sum h r t; the real part of the sum h r conj(t), two dimensions; gamma - |h + r - t|; the sum of moduli of h e^(i r) - t
set search_path = other, public;
select * from hkg_import_embeddings('trade', 'select * from entity;', 'select name, embedding from relation ;
', 'distmult', 'distmult');
select * from hkg_import_embeddings('trade', 'table entity', 'table relation', 'complex', 'complex', reciprocal => true);
select * from hkg_import_embeddings('trade', 'table entity', 'table relation', 'transe', 'transe', gamma => 9, norm => 2);
select * from hkg_import_embeddings('trade', 'table entity', 'select name, embedding[1:2] from relation -- phases', 'rotate', 'rotate', gamma => 5);
reset search_path;

create view other.fact as select h.name as head, r.name as relation, t.name as tail, h.embedding as h, r.embedding as r, t.embedding as t
from other.entity h, other.relation r, other.entity t where h.name <> 'unknown' and t.name <> 'unknown';
select count(*) as triples,
	max(abs(hkg_score('trade', head, relation, tail, 'distmult', 'embedding') - (select sum(h[i] * r[i] * t[i]) from generate_series(1, 4) i))) < 1e-5 as distmult,
	max(abs(hkg_score('trade', head, relation, tail, 'transe', 'embedding') - (9 - (select sqrt(sum((h[i] + r[i] - t[i]) ^ 2)) from generate_series(1, 4) i)))) < 1e-5 as transe,
	max(abs(hkg_score('trade', head, relation, tail, 'rotate', 'embedding') - (5 - (select sum(sqrt((h[i] * cos(r[i]) - h[i + 2] * sin(r[i]) - t[i]) ^ 2
		+ (h[i] * sin(r[i]) + h[i + 2] * cos(r[i]) - t[i + 2]) ^ 2)) from generate_series(1, 2) i)))) < 1e-5 as rotate,
	max(abs(hkg_score('trade', head, relation, tail, 'complex', 'embedding') - (select sum(h[i] * r[i] * t[i] - h[i + 2] * r[i + 2] * t[i]
		+ h[i] * r[i + 2] * t[i + 2] + h[i + 2] * r[i] * t[i + 2]) from generate_series(1, 2) i))) < 1e-5 as complex
from other.fact;

-- a model and what it exports are the same: the same scores, ranks and answers
set client_min_messages = warning;
select hkg_train('trade', dimensions => 8, iterations => 1, epochs => 20, seed => 1, top_rules => 0, evidence_rules => 0, score_function => 'rotate', settings => '{"holdout": 0}') is not null as trained;
set client_min_messages = notice;
select * from hkg_import_embeddings('trade', $$select e.name, x.embedding from trade.entity_embedding x join trade.entity e on e.id = x.entity where x.model = 'default'$$, $$select r.name, x.embedding from trade.relation_embedding x join trade.relation r on r.id = x.relation where x.model = 'default'$$,
	'rotate',
	'copy',
	gamma => (select (settings->>'gamma')::float8 from trade.model where name = 'default'));
select max(abs(hkg_score('trade', head, relation, tail, 'copy', 'embedding') - hkg_score('trade', head, relation, tail, 'default', 'embedding'))) as difference from other.fact;
select hkg_tools.differ($$select * from hkg_evaluate('trade', 'train', 'default', evidence => 'embedding')$$,
	$$select * from hkg_evaluate('trade', 'train', 'copy', evidence => 'embedding')$$) as different;
select settings->>'gamma' as gamma, dimensions, status, score_function, trained_at is not null as ready from trade.model where name = 'transe';

-- an entity without an embedding is predicted as a new one
select * from hkg_import_embeddings('trade', $$select * from other.entity where name <> 'd'$$, 'table other.relation', 'distmult', 'part');
select count(*) from hkg_predict_tails('trade', 'd', 'knows', 3, model => 'part');

-- what is refused, and leaves nothing
select * from hkg_import_embeddings('trade', 'table other.entity', 'table other.relation', 'rotate', 'copy');
select * from hkg_import_embeddings('trade', 'table other.entity', 'table other.relation', 'nothing', 'bad');
select * from hkg_import_embeddings('trade', $$values ('nobody', '{1}'::real[])$$, 'table other.relation', 'distmult', 'bad');
select * from hkg_import_embeddings('trade', 'table other.entity', $$values ('nothing', '{1}'::real[])$$, 'distmult', 'bad');
select * from hkg_import_embeddings('trade', $$select name, case when name = 'c' then '{1}' else embedding end from other.entity$$, 'table other.relation', 'distmult', 'bad');
select * from hkg_import_embeddings('trade', $$select name, case when name = 'c' then '{1,2,3,nan}' else embedding end from other.entity$$, 'table other.relation', 'distmult', 'bad');
select * from hkg_import_embeddings('trade', 'table other.entity', $$select name, embedding[1:3] from other.relation$$, 'distmult', 'bad');
select * from hkg_import_embeddings('trade', $$select name, embedding[1:3] from other.entity$$, 'table other.relation', 'complex', 'bad');
select * from hkg_import_embeddings('trade', $$table other.entity union all table other.entity$$, 'table other.relation', 'distmult', 'bad');
select * from hkg_import_embeddings('trade', $$select name from other.entity$$, 'table other.relation', 'distmult', 'bad');
select * from hkg_import_embeddings('trade', 'table other.entity', 'select name, embedding from other.relation', 'distmult', 'bad', reciprocal => true);
select * from hkg_import_embeddings('trade', 'table other.entity; table other.entity', 'table other.relation', 'distmult', 'bad');
select * from hkg_import_embeddings('trade', 'table other.entity', 'with w as (delete from other.relation returning *) table w', 'distmult', 'bad');
-- the error shows the caller's query and no other, or what to do
\set VERBOSITY default
select * from hkg_import_embeddings('trade', 'table other.entity', $$select name, embedding[1:3] from other.relation$$, 'distmult', 'bad');
select * from hkg_import_embeddings('trade', 'table other.entity', 'select name, embedding form other.relation', 'distmult', 'bad');
\set VERBOSITY terse
select * from hkg_import_embeddings('trade', 'table other.entity', 'table other.relation', 'transe', 'bad', norm => 3);
select name from trade.model order by name collate "C";

-- embeddings for a model of imported rules
select hkg_import_rules('trade', 'knows(X,Y) <= likes(X,A), likes(A,Y)', model => 'rules');
select * from hkg_import_embeddings('trade', 'table other.entity', 'table other.relation', 'distmult', 'rules');
select count(*) from trade.rule where model = 'rules';
set client_min_messages = warning;
drop schema trade, other cascade;
