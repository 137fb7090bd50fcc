-- path rules that training keeps as evidence, against joins that say what they are

set hybridkg.progress = off;
set client_min_messages = warning;
\i test/tools.sql
\i test/arguments.sql
reset client_min_messages;
select hkg_create_graph('net');
create temp table line as
	select distinct 'e' || abs(hashint4(i)) % 11 as h, 'r' || i % 3 as r, 'e' || abs(hashint4(i + 1000)) % 11 as t
	from generate_series(1, 55) i union select 'e' || i, 'r2', 'e' || i from generate_series(0, 4) i;
-- facts of an entity with itself are of one relation only
delete from line where h = t and r <> 'r2';
select count(*) > 40, count(*) filter (where h = t) > 2 from line;
select added > 40 from hkg_load('net', 'select * from line');

-- the rule's pairs, connected over different entities, and how many of them are facts
create function pg_temp.pairs(head int, body int[], out support bigint, out body_size bigint)
language plpgsql as $$
declare
	place jsonb := '{}';
	atoms text[];
	conditions text[] := '{true}';
	term int;
	reflexive bool := exists (select from net.triple t where t.relation = pairs.head and t.head = t.tail)
		and not (array_length(body, 1) = 1 and body[1][1] = head);
begin
	for i in 1 .. array_length(body, 1) loop
		atoms := atoms || format('net.triple a%s', i);
		conditions := conditions || format('a%s.relation = %s', i, body[i][1]);
		for j in 2 .. 3 loop
			term := body[i][j];
			if place ? term::text then
				conditions := conditions || format('a%s.%s = %s', i, (array['head', 'tail'])[j - 1], place ->> term::text);
			else
				place := place || jsonb_build_object(term::text, format('a%s.%s', i, (array['head', 'tail'])[j - 1]));
			end if;
		end loop;
	end loop;
	select conditions || array_agg(format('(%s <> %s or %L and %L)', a.value, b.value, reflexive, a.key || b.key = '-1-2'))
		into conditions
		from jsonb_each_text(place) a, jsonb_each_text(place) b where a.key < b.key;
	execute format('select count(*) filter (where exists (select from net.triple where relation = %s and head = x and tail = y)), count(*)
		from (select distinct %s as x, %s as y from %s where %s) p', head, place ->> '-1', place ->> '-2',
		array_to_string(atoms, ', '), array_to_string(conditions, ' and '))
		into support, body_size;
end $$;

-- X and Y stand in one atom of a path, other variables in two
create function pg_temp.is_path(body int[]) returns bool
language sql as $$
	select bool_and(n = case when term in (-1, -2) then 1 else 2 end)
	from (select term, count(*) from unnest(array(select body[i][j] from generate_series(1, array_length(body, 1)) i, generate_series(2, 3) j)) term
		group by term) t (term, n)
$$;

-- the procedure records every rule of up to four atoms, those that are evidence are told apart
select hkg_train('net', 'distmult', 4, iterations => 1, epochs => 1, settings => '{"max_rule_length": 4, "min_head_coverage": 0, "min_support": 1}');
create temp table due as
	select r.*, p.support as due_support, p.body_size as due_size
	from net.rule r, pg_temp.pairs(r.head, r.body) p where pg_temp.is_path(r.body) and not (array_length(r.body, 1) = 1 and r.body = array[array[r.head, -1, -2]]);
select count(*) filter (where evidence_confidence is not null) > 200 as many, count(*) filter (where evidence_confidence is null) > 20 as others,
	count(*) filter (where body_size is null) as new, bool_and(selected or
		evidence_confidence is not distinct from case when due_support >= 2 then due_support / (due_size + 5.0) end) as right,
	bool_and((evidence_support, evidence_body_size) = (due_support, due_size)) as counts,
	count(*) filter (where evidence_error <> 0) as estimates
	from due;
select count(*) from net.rule where (evidence_support is not null or evidence_confidence is not null and not selected) and not pg_temp.is_path(body);
select count(*) = count(distinct (head, body)) as different from net.rule;

-- alone: their own numbers, the same from any number of threads
create temp table found as select head, body, evidence_confidence, selected from due;
select hkg_train('net', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, settings => '{"evidence_length": 5}');
select bool_and(r.support is null and r.body_size is null and predictions is null and standard_confidence is null and not selected
		and evidence_support = p.support and evidence_body_size = p.body_size
		and evidence_confidence = p.support / (p.body_size + 5.0) and evidence_error = 0) as right, max(array_length(body, 1)) as longest
	from net.rule r, pg_temp.pairs(r.head, r.body) p where array_length(body, 1) < 3 or id % 20 = 0;
select count(*) from found f full join (select * from net.rule where array_length(body, 1) < 4) r using (head, body)
	where f.selected is not true and r.evidence_confidence is distinct from f.evidence_confidence;
select md5(string_agg(r::text, '|' order by id)) as digest, count(*) filter (where array_length(body, 1) < 3) as short from net.rule r \gset
set hybridkg.threads = 3;
select hkg_train('net', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, settings => '{"evidence_length": 5}');
reset hybridkg.threads;
select md5(string_agg(r::text, '|' order by id)) = :'digest' as same from net.rule r;

-- a row of the table has all counts of mining or none, and none only as evidence
select report from unnest(array['support = 1', 'evidence_error = null', 'evidence_confidence = null', 'selected = true', 'quality = 0.5']) a,
	hkg_tools.try(format('update net.rule set %s where support is null', a)) report where report ~ '^2';

-- fewer are the shortest
select hkg_train('net', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 100, settings => '{"evidence_length": 4}');
select count(*), count(*) filter (where array_length(body, 1) < 3) = :short as all_short_ones from net.rule;
select hkg_train('net', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0);
select count(*) from net.rule;
select count(*) from hkg_estimate('net', evidence_rules => 0) where item = 'evidence';
select bytes > 100000 from hkg_estimate('net') where item = 'evidence';
-- no time, no rules
select hkg_train('net', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, settings => '{"evidence_seconds": 0.001, "evidence_length": 6}');
select count(*) < 20000 from net.rule;
select settings ->> 'evidence_seconds', settings ->> 'evidence_rules' from net.model;
select report from unnest(array['evidence_rules => -1', 'evidence_length => 1', 'evidence_length => 7', 'evidence_seconds => 0']) a,
	hkg_tools.try(format('select hkg_train(''net'', %s)', hkg_tools.arguments(a))) report where report not like 'HINT%';
select hkg_drop_graph('net');
