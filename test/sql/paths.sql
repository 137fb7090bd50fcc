-- hkg_train(paths => true): a network that reads paths is learnt, measured after each epoch, and stored as rows.
\pset null '(null)'
set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
\i test/arguments.sql
reset client_min_messages;
select hkg_create_graph('nations');
-- persons live in cities, cities are in countries and were in others; a person's nationality is that of the city.
-- Every third one's is missing: no fact but the path over the city leads from the person to the country.
select * from hkg_load('nations', $$
	select 'person' || p, 'lives_in', 'city' || p % 12 from generate_series(0, 59) p
	union all select 'city' || c, 'is_in', 'country' || c % 4 from generate_series(0, 11) c
	union all select 'city' || c, 'was_in', 'country' || (c + 1 + c / 4) % 4 from generate_series(0, 11) c
	union all select 'person' || p, 'nationality', 'country' || p % 4 from generate_series(0, 59) p where p % 3 <> 0$$);
select * from hkg_load('nations', $$
	select 'person' || p, 'nationality', 'country' || p % 4 from generate_series(0, 59) p where p % 3 = 0$$, 'valid');

create function pg_temp.learn(model text, variadic more text[] default '{}') returns text language plpgsql as $$
begin
	execute 'select hkg_train(' || hkg_tools.arguments(format('''nations'', ''distmult'', dimensions => 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0,
		paths => true, model => %L, %s', model, array_to_string(more, ', '))) || ')';
	return model;
end
$$;
-- all numbers of a network
create function pg_temp.network(model text) returns text language sql as $$
	select md5(string_agg(p::text, ';' order by p::text)) from
		(select member, layer, part, relation, inverse, numbers from nations.path_network where model = network.model) p
$$;

-- the missing nationalities are found, and persons by them: the path says all there is to know
select pg_temp.learn('deep', 'path_layers => 3', 'path_width => 16', 'path_kept => 50', 'path_epochs => 12', 'path_facts => 100', 'path_learning_rate => 0.01');
select count(*) as epochs, min(number) as first, max(number) as last, max(mrr) > 0.9 as finds_them, bool_and(hits_1 <= hits_3 and hits_3 <= hits_10) as hits,
	(max(ranked), max(mrr_error)) as ranked, bool_and(train_seconds > 0 and evaluate_seconds > 0) as timed
	from nations.path_epoch where model = 'deep';
select first.loss > last.loss as has_learnt from nations.path_epoch first, nations.path_epoch last where (first.model, first.number, last.model, last.number) = ('deep', 1, 'deep', 12);
select paths, settings->'path_layers' as layers, settings->'path_facts' as facts from nations.model where name = 'deep';
-- of relations without valid facts, a network counts as far as it could learn: is_in has 12 facts, lives_in 60: 12 / 32 to 60 / 80
select side, round((few.paths / many.paths)::numeric, 6) as is_in from nations.evidence_weight few join nations.evidence_weight many using (model, side)
where model = 'deep' and few.relation = (select id from nations.relation where name = 'is_in')
	and many.relation = (select id from nations.relation where name = 'lives_in') order by side;
select array_agg(distinct layer order by layer) as layers, count(distinct relation) as relations, bool_and(array_position(numbers, 'nan') is null) as numbers
	from nations.path_network where model = 'deep';

-- the same bits on any number of threads, others by another seed
set hybridkg.threads = 1;
select pg_temp.learn('one', 'path_layers => 3', 'path_width => 16', 'path_kept => 5', 'path_epochs => 2', 'path_facts => 100');
set hybridkg.threads = 3;
select pg_temp.learn('three', 'path_layers => 3', 'path_width => 16', 'path_kept => 5', 'path_epochs => 2', 'path_facts => 100');
reset hybridkg.threads;
select pg_temp.learn('other', 'path_layers => 3', 'path_width => 16', 'path_kept => 5', 'path_epochs => 2', 'path_facts => 100', 'seed => 1');
select pg_temp.network('one') = pg_temp.network('three') as same, pg_temp.network('one') = pg_temp.network('other') as by_another_seed;
select count(*) = 2 as same_curve from (select number, loss, mrr from nations.path_epoch where model = 'one' intersect
	select number, loss, mrr from nations.path_epoch where model = 'three') c;

-- several members: the first one is the network that would be learnt alone, each has epochs and rows of its own; reverse
-- questions change nothing of it
select pg_temp.learn('several', 'path_layers => 3', 'path_width => 16', 'path_kept => 5', 'path_epochs => 2', 'path_facts => 100', 'path_members => 3',
	'path_reversed => 4');
select paths from nations.model where name = 'several';
select count(*) as epochs, count(distinct loss) as losses from nations.path_epoch where model = 'several';
select count(*) = 2 as same_curve from (select number, loss, mrr from nations.path_epoch where model = 'one' intersect
	select number, loss, mrr from nations.path_epoch where model = 'several') c;
select several.member, count(*) = (select count(*) from nations.path_network where model = 'one') as all_rows, bool_and(one.numbers = several.numbers) as same
	from nations.path_network one join nations.path_network several using (layer, part)
	where one.model = 'one' and several.model = 'several' and (one.relation, one.inverse) is not distinct from (several.relation, several.inverse) group by 1 order by 1;
-- they change scores of the best answers alone: of four for each question at most, what exp(score) - 1 sums to stays
create function pg_temp.answers() returns table (person int, tail text, size double precision) language sql as $$
	select p, tail, exp(score) - 1 from generate_series(0, 57, 3) p, hkg_predict_tails('nations', 'person' || p, 'nationality', 80, 'several', evidence => 'paths')
$$;
create temp table reversed as select * from pg_temp.answers();
update nations.model set paths = paths || '{"reversed": 1}' where name = 'several';
select count(*) as persons, min(changed) > 1 as changed, max(changed) <= 4 as of_the_best, max(abs(before / after - 1)) < 1e-4 as same_sum from (
	select count(*) filter (where abs(f.size - r.size) > 1e-5) as changed, sum(f.size) as before, sum(r.size) as after
	from pg_temp.answers() f join reversed r using (person, tail) group by person) c;
update nations.model set paths = paths || '{"reversed": 4}' where name = 'several';
-- a warm start goes on with as many
select pg_temp.learn('several', 'path_layers => 3', 'path_width => 16', 'path_kept => 5', 'path_epochs => 2', 'path_facts => 100', 'warm_start => true', $$replace => 'always'$$);
select paths->'members' as members, paths->'reversed' as reversed, (select array_agg(distinct member order by member) from nations.path_network where model = 'several') as written
	from nations.model where name = 'several';

-- null: by the graph, of which an entity has few facts; an epoch asks for no more facts than there are
select pg_temp.learn('usual', 'path_epochs => 1', 'path_learning_rate => 1e-9');
select paths, settings->'path_layers' as layers from nations.model where name = 'usual';
-- as many epochs as ask about each of the 124 facts once, 8 to 20
select asked, pg_temp.learn('asked ' || asked, 'path_facts => ' || asked, 'path_layers => 1', 'path_width => 16') from unnest(array[1, 10, 100]) asked;
select model, count(*) as epochs from nations.path_epoch where model like 'asked %' group by 1 order by 1;

-- of many entities with ten facts or more, 300 are kept in a step to learn, 1000 to answer, unless a number was given
begin;
select hkg_create_graph('crowd');
select added from hkg_load('crowd', $$select 'e' || i, 'r', 'e' || mod(i * k + k, 9000) from generate_series(0, 8999) i, unnest(array[3, 7, 11, 13, 17, 19]) k$$);
select hkg_train('crowd', 'distmult', dimensions => 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0,
	paths => true, model => coalesce(kept::text, 'usual'), settings => jsonb_build_object('negatives', 2, 'holdout', 0, 'path_layers', 1, 'path_epochs', 1, 'path_facts', 4, 'path_kept', kept)) as model from unnest(array[null, 300]) kept;
select name, paths->'kept' as kept from crowd.model order by name;
-- An epoch is one minibatch here, and Adam moves a parameter whose gradient stays by the rate.  After two of them, what is kept is one tenth of the
-- first parameters and nine of the second; without the average, it would be the second.
select hkg_train('crowd', 'distmult', dimensions => 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0,
	paths => true, model => 'steps' || n, settings => jsonb_build_object('negatives', 2, 'holdout', 0, 'path_layers', 1, 'path_epochs', n, 'path_facts', 4, 'path_kept', 300, 'path_learning_rate', 0.01)) as model from generate_series(1, 2) n;
select max(abs(a - b)) / (0.01 / sqrt(10)) between 0.87 and 0.92 as average
from crowd.path_network one join crowd.path_network two using (layer, part, relation, inverse), unnest(one.numbers, two.numbers) u (a, b)
where one.model = 'steps1' and two.model = 'steps2';
-- at the end of a training as many are kept as by answers, which takes longer
select (select flops from hkg_estimate('crowd', paths => true, settings => '{"path_epochs": 10}') where item = 'an epoch of the path network') /
	(select flops from hkg_estimate('crowd', paths => true, settings => '{"path_epochs": 4}') where item = 'an epoch of the path network') between 1.05 and 2 as longer;
rollback;

-- a warm start goes on from the network of the same shape: its first epoch loses less than one that begins anew
select pg_temp.learn('deep', 'path_layers => 3', 'path_width => 16', 'path_kept => 50', 'path_epochs => 1', 'path_facts => 100', 'path_learning_rate => 1e-9',
	'warm_start => true', 'replace => ''always''');
select loss < (select loss from nations.path_epoch where model = 'one' and number = 1) / 2 as goes_on, mrr > 0.9 as finds_them from nations.path_epoch where model = 'deep';
select pg_temp.learn('deep', 'path_layers => 2', 'path_width => 16', 'path_kept => 50', 'path_epochs => 1', 'path_facts => 100', 'path_learning_rate => 1e-9',
	'warm_start => true', 'replace => ''always''');
select paths, (select loss > (select loss from nations.path_epoch where model = 'one' and number = 1) / 2 from nations.path_epoch where model = 'deep') as begins_anew
	from nations.model where name = 'deep';

-- damaged rows: each is found, and named
begin;
drop index nations.path_network_key;
create function pg_temp.damaged(statement text) returns text language plpgsql as $$
declare found text;
begin
	begin
		execute statement;
		select string_agg(report, '|') into found from hkg_tools.try($try$select hkg_score('nations', 'person0', 'nationality', 'country0', 'one', 'paths')$try$);
		raise sqlstate 'UNDO0' using message = coalesce(found, '(none)');
	exception when sqlstate 'UNDO0' then
		return sqlerrm;
	end;
end
$$;
select hkg_score('nations', 'person0', 'nationality', 'country0', 'one', 'paths') is not null as undamaged;
-- the two rows of one relation in a part, of which one is there twice and the other is not
\set where 'where model = ''one'' and part = ''start'' and relation = (select id from nations.relation where name = ''is_in'')'
select pg_temp.damaged($$update nations.path_network set inverse = true $$ || :'where');
select pg_temp.damaged($$delete from nations.path_network $$ || :'where' || ' and inverse');
select pg_temp.damaged($$update nations.path_network set numbers[2] = 'nan' $$ || :'where');
select pg_temp.damaged($$update nations.path_network set numbers[1] = '-3e38' $$ || :'where');
select pg_temp.damaged($$update nations.path_network set numbers = numbers[2:] $$ || :'where');
select pg_temp.damaged($$update nations.path_network set part = 'stop' $$ || :'where');
select pg_temp.damaged($$update nations.path_network set member = 2 $$ || :'where');
select pg_temp.damaged($$update nations.path_network set relation = null, inverse = null $$ || :'where');
select pg_temp.damaged($$delete from nations.path_network where model = 'one' and layer = 2 and part = (select min(part) from nations.path_network where model = 'one' and relation is null and layer = 2) and relation is null$$);
select pg_temp.damaged($$update nations.model set paths = '{"layers": 1e300, "width": 16, "kept": 5}' where name = 'one'$$);
select pg_temp.damaged($$update nations.model set paths = '{"layers": 3, "width": 20, "kept": 5, "members": 1, "reversed": 1}' where name = 'one'$$);
select pg_temp.damaged($$update nations.model set paths = paths || '{"reversed": 65}' where name = 'one'$$);
select pg_temp.damaged($$update nations.model set paths = '[]' where name = 'one'$$);
-- a relation without rows came after the training
select pg_temp.damaged($$delete from nations.path_network where model = 'one' and relation = (select id from nations.relation where name = 'was_in')$$);
rollback;

-- 16 layers of 2 * 256 * 256 numbers and more take over 8 MB when they are read
begin;
delete from nations.holdout;	-- which would be ranked
select pg_temp.learn('wide', 'path_layers => 16', 'path_width => 256', 'path_kept => 5', 'path_epochs => 1', 'path_facts => 1', 'holdout => 0');
set local hybridkg.max_memory = '5MB';
select report from hkg_tools.try($$select hkg_score('nations', 'person0', 'nationality', 'country0', 'wide', 'paths')$$);
-- room for the network as it is read, five bytes a number, but not for facts beside it
select set_config('hybridkg.max_memory', (sum(cardinality(numbers)) * 5 / 1024 + 20) || 'kB', true) is not null as is_set from nations.path_network where model = 'wide';
select left(report, 5) as report from hkg_tools.try($$select hkg_score('nations', 'person0', 'nationality', 'country0', 'wide', 'paths')$$) limit 1;
rollback;

-- a training without paths leaves none
select hkg_train('nations', 'distmult', dimensions => 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'deep');
select paths, (select count(*) from nations.path_network where model = 'deep') as numbers, (select count(*) from nations.path_epoch where model = 'deep') as epochs
	from nations.model where name = 'deep';
-- it has thresholds, of the embedding alone: the old model's network and probabilities are gone
select count(*) as thresholds, count(distinct evidence) as kinds, hkg_classify('nations', 'person0', 'nationality', 'country0', 'deep') is not null as classified
	from nations.threshold where model = 'deep';

-- a warm start without a valid split keeps weights and probabilities, whatever of rules and paths there is before and after
begin;
select pg_temp.learn('kept', 'path_layers => 2', 'path_width => 16', 'path_kept => 50', 'path_epochs => 1', 'path_facts => 20');
delete from nations.holdout;
create temp table learnt as select evidence from nations.model where name = 'kept';
select hkg_train('nations', 'distmult', dimensions => 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 10, paths => false, warm_start => true, model => 'kept');
select m.evidence->'discount'->'rules' as rules, m.evidence #- '{discount,rules}' = l.evidence #- '{discount,rules}' as kept,
	hkg_score('nations', 'person0', 'nationality', 'country0', 'kept', 'rules') > 0 as infers from nations.model m, learnt l where name = 'kept';
select pg_temp.learn('kept', 'path_layers => 2', 'path_width => 16', 'path_kept => 50', 'path_epochs => 1', 'path_facts => 20', 'warm_start => true');
select m.evidence = l.evidence as kept from nations.model m, learnt l where name = 'kept';
rollback;

-- what it takes
select item, bytes > 0 as bytes, flops > 0 as flops from hkg_estimate('nations', 'distmult', dimensions => 4, paths => true) where item ~ 'path network';
select count(*) as none from hkg_estimate('nations', 'distmult', dimensions => 4) where item ~ 'path network';
begin;
select set_config('hybridkg.max_memory', (bytes / 1024 - 1) || 'kB', true) is not null as is_set from hkg_estimate('nations', 'distmult', dimensions => 4, iterations => 1, epochs => 1,
	top_rules => 0, evidence_rules => 0, paths => true) where item = 'all of it';
\set VERBOSITY sqlstate
select hkg_train('nations', 'distmult', dimensions => 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, paths => true);
\set VERBOSITY default
rollback;

-- a kilobyte more than that is enough to the end, where rules and paths are weighed: what the network is learnt with has
-- been given back
begin;
\set arguments '\'nations\', \'distmult\', dimensions => 4, iterations => 1, epochs => 1, paths => true, settings => \'{"path_epochs": 1}\''
select sum(bytes) filter (where item <> 'all of it') = sum(bytes) filter (where item = 'all of it') as adds_up from hkg_estimate(:arguments);
select set_config('hybridkg.max_memory', (bytes / 1024 + 1) || 'kB', true) is not null as is_set from hkg_estimate(:arguments) where item = 'all of it';
select hkg_train(:arguments);
rollback;

-- without a valid split nothing is ranked, and the last epoch is kept
begin;
delete from nations.holdout;
select pg_temp.learn('blind', 'path_layers => 2', 'path_width => 16', 'path_kept => 5', 'path_epochs => 2', 'path_facts => 20', 'holdout => 0');
select number, mrr, ranked from nations.path_epoch where model = 'blind' order by 1;
rollback;

-- errors
select hkg_train('nations', paths => true, settings => '{"path_layers": 17}');
select hkg_train('nations', paths => true, settings => '{"path_width": 8}');
select hkg_train('nations', paths => true, settings => '{"path_width": 40}');
select hkg_train('nations', paths => true, settings => '{"path_kept": 0}');
select hkg_train('nations', paths => true, settings => '{"path_kept": 65537}');	-- more than an answer is made from
select hkg_train('nations', paths => true, settings => '{"path_epochs": 0}');
select hkg_train('nations', paths => true, settings => '{"path_facts": 0}');
select hkg_train('nations', paths => true, settings => '{"path_learning_rate": 0}');
\set SHOW_CONTEXT never
select hkg_tune('nations', '{"path_layers": [2, 3]}');
select hkg_drop_graph('nations');
