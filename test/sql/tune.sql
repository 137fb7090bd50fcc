--
-- Searches over the arguments of hkg_train
--
set client_min_messages = warning;
\i test/tools.sql
\t on
\a

select hkg_create_graph('g');
-- a ring of 20 entities, and once more under another name; four facts of that are held out
select hkg_load('g', 'select i, r, (i + 1) % 20 from generate_series(0, 19) i, unnest(array[''next'', ''after'']) r where i % 5 <> 3 or r = ''next''');

-- refused, with nothing trained
select hkg_tools.try($$select hkg_tune('g', '{"dimensions": [2, 4]}')$$);
select hkg_load('g', 'select i, ''after'', (i + 1) % 20 from generate_series(3, 19, 5) i', 'valid');
select hkg_tools.try($$select hkg_tune('nowhere', '{"dimensions": [2, 4]}')$$);
select report from hkg_tools.try($$select hkg_tune('g', '{"dimension": [2, 4]}')$$) where report not like 'HINT%';
select report from hkg_tools.try($$select hkg_tune('g', '{}', '{"model": "m"}')$$) where report not like 'HINT%';
select report from hkg_tools.try($$select hkg_tune('g', '{}', '{"warm_start": true}')$$) where report not like 'HINT%';
select hkg_tools.try($$select hkg_tune('g', '{"dimensions": 2}')$$);
select hkg_tools.try($$select hkg_tune('g', '{"dimensions": []}')$$);
select hkg_tools.try($$select hkg_tune('g', '[1]')$$);
select hkg_tools.try($$select hkg_tune('g', '{"epochs": [1]}', '{"epochs": 2}')$$);
select hkg_tools.try($$select hkg_tune('g', '{"dimensions": [2, 0]}')$$);
select hkg_tools.try($$select hkg_tune('g', '{"loss": ["logistic", "hinge"]}')$$);
select hkg_tools.try($$select hkg_tune('g', '{"dimensions": ["two"]}')$$);
select hkg_tools.try($$select hkg_tune('g', '{}', trials => 0)$$);
select hkg_tools.try($$select hkg_tune('g', '{}', model => null)$$);
select hkg_tools.try($$select hkg_tune('g', '{}', model => '')$$);
select hkg_tools.try($$select hkg_tune('g', '{"evidence_rules": [0, 100]}')$$);
select hkg_tools.try(format($$select hkg_tune('g', '{"epochs": %1$s, "seed": %1$s}')$$, (select jsonb_agg(i) from generate_series(1, 400) i)));
begin isolation level repeatable read;
select hkg_tools.try($$select hkg_tune('g', '{}')$$);
rollback;
select count(*) from g.model;

-- Two epochs, or forty, which learn the ring by heart: one of these is the best, with an MRR of 1, and the model
select count(*), bool_and(status = 'done' and seconds > 0 and error is null) from hkg_tune('g', '{"epochs": [1, 20], "dimensions": [8, 16]}',
	'{"score_function": "complex", "iterations": 2, "top_rules": 0, "negatives": 10, "batch_size": 5}', model => 'ring');
select arguments->'epochs', arguments->'dimensions', arguments->'seed' from g.trial order by id;
select name, m.status, m.mrr, m.settings->>'model', t.arguments->>'epochs'
from g.model m join g.trial t using (trained_at);
select distinct model from g.entity_embedding;
-- what a training with the same arguments leaves
select hkg_train('g', 'complex', dimensions => dimensions, epochs => (settings->>'epochs')::int, iterations => 2, top_rules => 0, model => 'same', settings => '{"negatives": 10, "batch_size": 5}') from g.model;
select count(*) from (select entity, embedding from g.entity_embedding where model = 'ring'
	except select entity, embedding from g.entity_embedding where model = 'same') d;

-- once more: nothing is trained, nothing changes
create temp table before as select * from g.trial;
select count(*) from hkg_tune('g', '{"epochs": [1, 20], "dimensions": [8, 16]}',
	'{"score_function": "complex", "iterations": 2, "top_rules": 0, "negatives": 10, "batch_size": 5}', model => 'ring');
select count(*) from (select * from before except select * from g.trial) d;
-- two of its points, drawn: they are known as well, but the better one of them has no model any more
delete from g.model where name = 'ring';
select count(*) from hkg_tune('g', '{"epochs": [1, 20], "dimensions": [8, 16]}',
	'{"score_function": "complex", "iterations": 2, "top_rules": 0, "negatives": 10, "batch_size": 5}', trials => 2, model => 'drawn');
select count(*) filter (where b.mrr = t.mrr), count(*) filter (where b.trained_at <> t.trained_at)
from before b join g.trial t using (id);
select name from g.model order by 1;

-- what a search that was undone has trained is not trained again
begin;
select count(*) from hkg_tune('g', '{"dimensions": [2, 3]}', '{"iterations": 1, "epochs": 1, "top_rules": 0}', seed => 5, model => 'undone');
rollback;
select count(*) from g.trial where arguments->>'seed' = '5';
create temp table trained as select trained_at from g.model where name like 'trial %';
select count(*) from trained;
select count(*) from hkg_tune('g', '{"dimensions": [2, 3]}', '{"iterations": 1, "epochs": 1, "top_rules": 0}', seed => 5, model => 'undone');
select count(*) from g.trial join trained using (trained_at);
select name from g.model order by 1;

-- other facts are other trials
select hkg_load('g', 'select 4, ''next'', 3');
select count(*) from hkg_tune('g', '{"dimensions": [2]}', '{"iterations": 1, "epochs": 1, "top_rules": 0}', seed => 5, model => 'undone');
select count(*) from g.trial where arguments->>'seed' = '5';

-- a preset gives way to the grid, though that has what hkg_train has by default
select arguments->>'preset', arguments->>'accumulate' from hkg_tune('g', '{"accumulate": [false]}',
	'{"preset": "paper", "dimensions": 2, "iterations": 1, "epochs": 1}', model => 'preset');
select settings->>'preset', settings->>'label', settings->>'accumulate' from g.model where name = 'preset';
-- null is the preset's
select count(*) from hkg_tune('g', '{"accumulate": [null]}', '{"preset": "paper", "dimensions": 2, "iterations": 1, "epochs": 1}', model => 'preset');
select settings->>'accumulate' from g.model where name = 'preset';
-- and its rate keeps its course from another beginning, as in hkg_train: 0.1 * 0.5 / 0.1
select count(*) from hkg_tune('g', '{"learning_rate": [0.5]}', '{"preset": "paper", "dimensions": 2, "iterations": 1, "epochs": 1}', model => 'preset');
select settings->>'learning_rate', settings->>'learning_rate_end' from g.model where name = 'preset';
select count(*) from hkg_tune('g', '{"learning_rate_end": [0.003], "learning_rate": [0.5]}', '{"preset": "paper", "dimensions": 2, "iterations": 1, "epochs": 1}', model => 'preset');
select settings->>'learning_rate_end' from g.model where name = 'preset';
select report from hkg_tools.try($$select hkg_tune('g', '{}', '{"preset": "none"}')$$) where report not like 'HINT%';

-- a model that is not there is found before a trial is trained
select report from hkg_tools.try($$select hkg_tune('g', '{"rules_of": [null, "no such model"]}')$$);
-- a trial that fails is a row; the others go on
select hkg_train('g', dimensions => 2, iterations => 1, epochs => 1, top_rules => 0, paths => false, model => 'no rules');
select status, error, count(*) from hkg_tune('g', '{"rules_of": [null, "no rules"]}', '{"dimensions": 2, "iterations": 1, "epochs": 1}', model => 'one of two')
group by 1, 2 order by 1;
select count(*) from g.model where name like 'trial %';
-- so is one that would need more memory than there may be
set hybridkg.max_memory = '20MB';
select arguments->>'dimensions' as dimensions, status, regexp_replace(error, '\d+', 'N') as error
	from hkg_tune('g', '{"dimensions": [2, 10000]}', '{"iterations": 1, "epochs": 1, "top_rules": 0, "batch_size": 10000, "negatives": 100}', model => 'small');
reset hybridkg.max_memory;
-- and where all fail, none of their models is left
select status, error from hkg_tune('g', '{"rules_of": ["no rules"]}', '{"dimensions": 2, "iterations": 1, "epochs": 1}', model => 'none');
select name from g.model where name like 'trial %' or name = 'none';

select hkg_drop_graph('g');
