-- In the time that is given: what a training chooses, writes down, and repeats
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
select hkg_create_graph('g');
select added from hkg_load('g', $$select 'e' || i, 'r' || j % 3, 'e' || (i * 7 + j * j) % 300 from generate_series(0, 299) i, generate_series(1, 5) j$$);
select added from hkg_load('g', $$select 'e' || i, 'r' || i % 3, 'e' || (i * 7 + 36) % 300 from generate_series(0, 59) i$$, 'valid');

-- There is time for twice the usual epochs; the model's settings have what was chosen, and no time
do $$ begin perform hkg_train('g', dimensions => 4, minutes => 1, settings => '{"negatives": 2}'); end $$;
select settings->'minutes' as minutes, settings->'iterations' as iterations, settings->'epochs' as epochs, settings->'paths' as paths,
	settings->'last_epoch' as last_epoch, settings->'evidence_length' as evidence_length from g.model;
-- what is given stays
do $$ begin perform hkg_train('g', dimensions => 4, minutes => 1, iterations => 2, epochs => 3, model => 'given'); end $$;
select settings->'iterations' as iterations, settings->'epochs' as epochs from g.model where name = 'given';
do $$ begin perform hkg_train('g', dimensions => 4, minutes => 1, iterations => 2, model => 'given'); end $$;
select settings->'iterations' as iterations, settings->'epochs' as epochs from g.model where name = 'given';

-- The path network of a sparse graph gets eight layers where its epochs have time so, else six as usual; then four others beside it
select hkg_create_graph('sparse');
select added from hkg_load('sparse', $$select 'e' || i, 'r' || j, 'e' || (i * 7 + j) % 300 from generate_series(0, 299) i, generate_series(1, 2) j$$);
select added from hkg_load('sparse', $$select 'e' || i, 'r1', 'e' || (i * 7 + 2) % 300 from generate_series(0, 59) i$$, 'valid');
do $$ begin perform hkg_train('sparse', dimensions => 4, minutes => 1, paths => true, model => 'deep',
	settings => '{"negatives": 2, "path_width": 16, "path_epochs": 1, "path_facts": 64}'); end $$;
do $$ begin perform hkg_train('sparse', dimensions => 4, minutes => 0.01, paths => true, model => 'usual',
	settings => '{"negatives": 2, "path_width": 16, "path_epochs": 1000}'); end $$;
do $$ begin perform hkg_train('sparse', dimensions => 4, minutes => 1, paths => true, model => 'several',
	settings => '{"negatives": 2, "path_width": 16, "path_facts": 30}'); end $$;
select name, settings->'path_layers' as path_layers, settings->'path_members' as path_members, paths->'members' as members,
	settings->'path_reversed' as path_reversed, paths->'reversed' as reversed
	from sparse.model order by name;
select hkg_drop_graph('sparse');
-- That of a dense graph is asked in reverse, too
do $$ begin perform hkg_train('g', dimensions => 4, minutes => 1, paths => true, model => 'several',
	settings => '{"negatives": 2, "path_width": 16, "path_facts": 200}'); end $$;
select settings->'path_layers' as path_layers, paths->'members' as members, paths->'reversed' as reversed from g.model where name = 'several';

-- There is none: one epoch, or as many as one takes, and short path rules, since 100,000 take seconds.
-- These settings give the same bits, whatever the time
do $$ begin perform hkg_train('g', dimensions => 4, minutes => 0.01, evidence_rules => 100000, paths => true, settings => '{"negatives": 2, "path_layers": 2, "path_width": 16}'); end $$;
do $$ begin perform hkg_train('g', model => 'again', settings => (select settings - 'model' from g.model where name = 'default')); end $$;
select a.settings->'evidence_length' as evidence_length, a.settings - 'model' = b.settings - 'model' as settings, (select md5(string_agg(embedding::text, ' ' order by entity)) from g.entity_embedding where model = 'default') =
	(select md5(string_agg(embedding::text, ' ' order by entity)) from g.entity_embedding where model = 'again') as embeddings,
	(select md5(string_agg(p::text, ' ' order by p::text)) from (select member, layer, part, relation, inverse, numbers from g.path_network where model = 'default') p) =
	(select md5(string_agg(p::text, ' ' order by p::text)) from (select member, layer, part, relation, inverse, numbers from g.path_network where model = 'again') p) as networks
from g.model a, g.model b where a.name = 'default' and b.name = 'again';
-- a network that was learnt to its end did not end early, though there is no time for another epoch
do $$ begin perform hkg_train('g', dimensions => 4, minutes => 0.01, evidence_rules => 100000, paths => true, model => 'once', settings => '{"negatives": 2, "path_layers": 2, "path_width": 16, "path_epochs": 1}'); end $$;
select settings->'last_path_epoch' as last_path_epoch, (select count(*) from g.path_epoch where model = 'once') as path_epochs from g.model where name = 'once';

-- Late: three of four epochs are one iteration and a half, and two epochs of five of the network
do $$ begin perform hkg_train('g', dimensions => 4, iterations => 2, epochs => 2, paths => true,
	settings => '{"negatives": 2, "last_epoch": 3, "path_layers": 2, "path_width": 16, "path_epochs": 5, "last_path_epoch": 2}'); end $$;
select (select count(*) from g.iteration where model = 'default') as iterations, (select count(*) from g.path_epoch where model = 'default') as path_epochs;

-- Weights of ten triples are learnt from the twenty questions that these answer
do $$ begin perform hkg_train('g', dimensions => 4, iterations => 1, epochs => 1, paths => false, settings => '{"negatives": 2, "evidence_triples": 10}'); end $$;
select sum(questions) from g.evidence_weight where model = 'default';

-- Without minutes: as if five of two cores, the same on any machine.  70,000 entities and 280,000 facts
select hkg_create_graph('large');
insert into large.entity select i, 'e' || i from generate_series(1, 70000) i;
insert into large.relation values (1, 'r');
insert into large.triple select i, 1, (i * 7 + j * j * 31) % 70000 + 1 from generate_series(1, 70000) i, generate_series(1, 4) j;
reset client_min_messages;
select count(*) > 0 as estimated from hkg_estimate('large');
-- embeddings of fewer numbers leave more time
select count(*) > 0 as estimated from hkg_estimate('large', dimensions => 20);
-- what is asked for is not shortened
select count(*) > 0 as estimated from hkg_estimate('large', iterations => 10, epochs => 10, paths => true);
select count(*) > 0 as estimated from hkg_estimate('large', preset => 'thorough');
select hkg_tools.try($$select hkg_train('large', minutes => 0)$$);
select hkg_drop_graph('large');
select hkg_drop_graph('g');
