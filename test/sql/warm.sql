-- warm_start: a training goes on from the model of its name; facts come and go meanwhile.
\pset null '(null)'
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
select hkg_create_graph('league');
-- 24 players in 6 teams of 3 sports
select * from hkg_load('league', $$
	select 'player' || p, 'plays_for', 'team' || p % 6 from generate_series(0, 23) p
	union all select 'team' || t, 'team_sport', 'sport' || t % 3 from generate_series(0, 5) t
	union all select 'player' || p, 'plays_sport', 'sport' || p % 3 from generate_series(0, 23) p where p % 4 <> 0$$);

-- an embedding by name, and what can be said of two
create function pg_temp.vector(name text, model text) returns float8[] language sql as $$
	select embedding::float8[] from league.entity_embedding join league.entity e on e.id = entity where e.name = vector.name and model = vector.model
	union all
	select embedding::float8[] from league.relation_embedding join league.relation r on r.id = relation where r.name = vector.name and model = vector.model
$$;
create function pg_temp.plus(a float8[], b float8[], sign int) returns float8[] language sql as $$
	select array_agg(x + sign * y order by i) from unnest(a, b) with ordinality u (x, y, i)
$$;
create function pg_temp.distance(a float8[], b float8[]) returns float8 language sql as $$
	select max(abs(x - y)) from unnest(a, b) u (x, y)
$$;

select hkg_train('league', 'transe', dimensions => 6, iterations => 1, epochs => 30, top_rules => 0, seed => 1, settings => '{"batch_size": 16, "negatives": 8}');
create temp table kept as
	select name, pg_temp.vector(name, 'default') as embedding from (select name from league.entity union all select name from league.relation) n;

-- it goes on from there: steps of next to nothing leave it where it is, and a cold start somewhere else
select hkg_train('league', 'transe', dimensions => 6, iterations => 1, epochs => 1, top_rules => 0, seed => 2, warm_start => true, settings => '{"learning_rate": 1e-9}');
select count(*), max(pg_temp.distance(embedding, pg_temp.vector(name, 'default'))) < 1e-6 as stays from kept;
select settings->'warm_start' as warm_start, status from league.model;
select hkg_train('league', 'transe', dimensions => 6, iterations => 1, epochs => 1, top_rules => 0, seed => 2, model => 'cold', settings => '{"learning_rate": 1e-9}');
select count(*), max(pg_temp.distance(embedding, pg_temp.vector(name, 'cold'))) > 0.1 as is_elsewhere from kept;
-- its first epoch begins where the other one ended
select loss < (select loss from league.iteration where model = 'cold') as has_learnt from league.iteration where model = 'default';

-- new facts: a player of two known facts, one known by a new player alone, a new relation; one entity goes
select * from hkg_load('league', $$values ('newcomer', 'plays_for', 'team1'), ('newcomer', 'plays_sport', 'sport1'),
	('team1', 'captain', 'newcomer'), ('newcomer', 'friend_of', 'stranger')$$);
delete from league.triple using league.entity e where e.name = 'player3' and e.id in (head, tail);
delete from league.entity where name = 'player3';
select hkg_train('league', 'transe', dimensions => 6, iterations => 1, epochs => 1, top_rules => 0, seed => 2, warm_start => true, settings => '{"learning_rate": 1e-9}');
-- the newcomer is where its known neighbours say: the mean of t - r over (newcomer, r, t); the stranger is somewhere
select pg_temp.distance(pg_temp.vector('newcomer', 'default'),
	array(select (x + y) / 2 from unnest(
		pg_temp.plus(pg_temp.vector('team1', 'default'), pg_temp.vector('plays_for', 'default'), -1),
		pg_temp.plus(pg_temp.vector('sport1', 'default'), pg_temp.vector('plays_sport', 'default'), -1)) u (x, y))) < 1e-5 as between_its_neighbours,
	pg_temp.distance(pg_temp.vector('stranger', 'default'),
		pg_temp.plus(pg_temp.vector('newcomer', 'default'), pg_temp.vector('friend_of', 'default'), 1)) > 0.01 as stranger_is_elsewhere;
select name, pg_temp.vector(name, 'default') is null as is_gone, pg_temp.distance(embedding, pg_temp.vector(name, 'default')) < 1e-6 as stays
	from kept where name in ('player2', 'player3', 'player4') order by 1;
select (select count(*) from league.entity_embedding where model = 'default') - (select count(*) from league.entity) as missing;

-- deleting facts with plain SQL is followed: at once where facts are known, and by the next training's rules
-- (24 players; 18 of 24, then player3's went and the newcomer's came; then player1's go)
select hkg_train('league', 'transe', dimensions => 6, iterations => 1, epochs => 1, top_rules => 10, warm_start => true);
select support, body_size from league.rule where model = 'default' and rule = 'plays_sport(X,Y) <= plays_for(X,A), team_sport(A,Y)';
select count(*) as listed from hkg_predict_tails('league', 'player1', 'plays_sport', 100) where tail = 'sport1';
select count(*) as groundings from hkg_explain('league', 'player1', 'plays_sport', 'sport1') where rule = 'plays_sport(X,Y) <= plays_for(X,A), team_sport(A,Y)';
delete from league.triple t using league.entity h, league.relation r
	where h.id = t.head and r.id = t.relation and h.name = 'player1' and r.name in ('plays_sport', 'plays_for');
select count(*) as listed from hkg_predict_tails('league', 'player1', 'plays_sport', 100) where tail = 'sport1';
select count(*) as groundings from hkg_explain('league', 'player1', 'plays_sport', 'sport1') where rule = 'plays_sport(X,Y) <= plays_for(X,A), team_sport(A,Y)';
select hkg_train('league', 'transe', dimensions => 6, iterations => 1, epochs => 1, top_rules => 10, warm_start => true);
select support, body_size from league.rule where model = 'default' and rule = 'plays_sport(X,Y) <= plays_for(X,A), team_sport(A,Y)';

-- the same seed from the same model: the same bits, on any number of threads; every score function
create function pg_temp.bits(function text, threads int) returns text language plpgsql as $$
begin
	perform set_config('hybridkg.threads', '1', true);
	perform hkg_train('league', function, dimensions => 4, iterations => 1, epochs => 2, top_rules => 0, seed => 3, model => 'twin');
	delete from league.entity_embedding using league.entity e where model = 'twin' and entity = e.id and name = 'player7';
	perform set_config('hybridkg.threads', threads::text, true);
	perform hkg_train('league', function, dimensions => 4, iterations => 2, epochs => 2, top_rules => 5, seed => 4, model => 'twin', warm_start => true);
	return (select md5(string_agg(embedding::text, ';' order by entity)) from league.entity_embedding where model = 'twin');
end
$$;
select f, pg_temp.bits(f, 1) = pg_temp.bits(f, 3) as same_bits from unnest(array['transe', 'distmult', 'complex', 'rotate']) f;

-- inverse relations go along
select hkg_train('league', 'complex', dimensions => 4, iterations => 1, epochs => 5, top_rules => 0, model => 'twin', settings => '{"reciprocal": true}');
create temp table twin as select relation, embedding, reciprocal from league.relation_embedding where model = 'twin';
select hkg_train('league', 'complex', dimensions => 4, iterations => 1, epochs => 1, top_rules => 0, model => 'twin',
	warm_start => true, settings => '{"learning_rate": 1e-9, "reciprocal": true}');
select count(*), max(pg_temp.distance(t.embedding::float8[], v.embedding::float8[])) < 1e-6 as stays,
	max(pg_temp.distance(t.reciprocal::float8[], v.reciprocal::float8[])) < 1e-6 as inverse_stays
	from twin t join league.relation_embedding v using (relation) where v.model = 'twin';
select hkg_tools.try($$select hkg_train('league', 'complex', dimensions => 4, model => 'twin', warm_start => true)$$);

-- the embeddings gone on from are held beside the new ones: 6 numbers of 4 bytes each
select item, bytes = 4 * 6 * ((select count(*) from league.entity) + (select count(*) from league.relation)) as numbers
	from hkg_estimate('league', 'transe', dimensions => 6, warm_start => true) where item ~ 'go on';

-- what it refuses
select hkg_tools.try($$select hkg_train('league', warm_start => true, model => 'nobody')$$);
select hkg_tools.try($$select hkg_train('league', 'rotate', dimensions => 6, warm_start => true)$$);
-- a long hint comes from the background in whole characters, wherever it is cut
insert into league.model values ('x' || repeat('é', 1000), 'transe', 1, '{}', 'ready', now());
select max(octet_length(report)) > 100, bool_and(convert_from(convert_to(report, 'UTF8'), 'UTF8') = report)
	from hkg_tools.try($$select hkg_train_background('league', warm_start => true, model => 'nobody')$$) report;
update league.model set name = 'x' || name where name like 'x%';
select max(octet_length(report)) > 100, bool_and(convert_from(convert_to(report, 'UTF8'), 'UTF8') = report)
	from hkg_tools.try($$select hkg_train_background('league', warm_start => true, model => 'nobody')$$) report;
delete from league.model where name like 'x%';
select hkg_tools.try($$select hkg_train('league', 'transe', dimensions => 7, warm_start => true)$$);
select hkg_tools.try($$select hkg_train('league', 'transe', dimensions => 6, warm_start => true, settings => '{"norm": 2}')$$);
update league.model set status = 'cancelled' where name = 'cold';
delete from league.entity_embedding where model = 'cold';
select hkg_tools.try($$select hkg_train('league', 'transe', dimensions => 6, model => 'cold', warm_start => true)$$);
update league.entity_embedding set embedding = '{1,2}' where model = 'default' and entity = 1;
select hkg_tools.try($$select hkg_train('league', 'transe', dimensions => 6, warm_start => true)$$);
select hkg_drop_graph('league');

-- the previous model is compared as it is, before a constraint moves its entities to [0, 1], which here is all that happens
select hkg_create_graph('ring');
select * from hkg_load('ring', $$select 'x' || i, r, 'x' || (i + step) % 400 from generate_series(0, 399) i, (values ('next', 1), ('two', 2), ('previous', 399)) v (r, step)$$);
select * from hkg_split('ring', 0.05, 0.05);
select hkg_train('ring', 'complex', dimensions => 32, iterations => 2, epochs => 40,
	top_rules => 0, evidence_rules => 0, settings => '{"loss": "softmax", "regularization": 0.01, "batch_size": 100}');
set client_min_messages = warning;
select hkg_train('ring', 'complex', dimensions => 32, iterations => 1, epochs => 1,
	top_rules => 0, evidence_rules => 0, warm_start => true, settings => '{"loss": "softmax", "batch_size": 100, "learning_rate": 1e-9, "constraints": "nne"}');
select mrr > 0.9 as good, constraints, (select min(x) < 0 from ring.entity_embedding, unnest(embedding) x where model = 'default') as stays
	from ring.model, jsonb_to_record(settings) as s (constraints text) where name = 'default';
reset client_min_messages;
select hkg_drop_graph('ring');
