--
-- Rules with open variables, each of which stands in one atom only, and with an empty body
--
set client_min_messages = warning;
set hybridkg.progress = off;
\i test/tools.sql
\i test/sigmoid.sql
reset client_min_messages;
\pset format unaligned
\pset tuples_only on
select hkg_create_graph('kin');
set search_path = kin, public;
insert into entity values (1, 'ann'), (2, 'bo'), (3, 'cy'), (4, 'dee'), (5, 'eve'), (6, 'fay');
insert into relation values (1, 'parent'), (2, 'grand parent'), (3, 'likes');
insert into triple values
	(1, 1, 2), (1, 1, 3), (2, 1, 4), (3, 1, 4), (4, 1, 5),	-- parent: ann bo, ann cy, bo dee, cy dee, dee eve
	(1, 2, 4), (2, 2, 5),									-- grand parent: ann dee, bo eve
	(2, 3, 3), (2, 3, 5), (3, 3, 2), (1, 3, 1);				-- likes: bo cy, bo eve, cy bo, ann ann

-- counts by hand: support, body, PCA body (parent and grand parent have as many subjects as objects)
select rule, support, body_size, pca_body_size
from (values
	(1, 'parent(X,"dee") <= likes(X,A)'),					-- ann, bo, cy; bo and cy are facts; all are parents
	(2, 'parent("ann",Y) <= likes(A,Y)'),					-- ann, bo, cy, eve; bo, cy
	(3, 'parent(X,"dee") <= likes(X,A), likes(B,X)'),		-- ann, bo, cy
	(4, '"grand parent"(X,"dee") <= parent(X,A), parent(A,B)'),		-- ann, bo, cy; ann; ann and bo are grand parents
	(5, '"grand parent"(X,Y) <= parent(X,A), parent(A,Y), likes(X,B)'),	-- ann dee, bo eve, cy eve; two; not cy
	(6, 'parent(X,Y) <= likes(X,A), likes(B,Y)'),			-- ann, bo, cy with ann, bo, cy, eve: ann bo, ann cy
	(7, 'parent(X,"dee") <='),								-- the parents ann, bo, cy, dee; bo, cy
	(8, 'parent("ann",Y) <='),								-- the children bo, cy, dee, eve; bo, cy
	(9, 'parent(X,"fay") <='),								-- the parents; none
	(10, 'likes(X,"bo") <= ')								-- ann, bo, cy; cy; subjects are fewer than objects, and bo is one
) r (number, text), hkg_count_rules('kin', array[text]) order by number;
-- slices add up
select sum(support), sum(body_size), sum(pca_body_size) from generate_series(1, 3) i, hkg_count_rules('kin', array['parent(X,"dee") <='], i, 3);

-- as SQL, and applied.  Of an open variable one fact is enough.
select hkg_rule_sql('kin', 'parent(X,"dee") <= likes(X,A)');
select hkg_rule_sql('kin', 'parent(X,"dee") <=');
select hkg_rule_sql('kin', '"grand parent"(X,Y) <= parent(X,A), parent(A,Y), likes(X,B)');
select * from hkg_apply_rule('kin', 'parent(X,"dee") <=');
select * from hkg_apply_rule('kin', 'parent("ann",Y) <= likes(A,Y)');

-- three formats.  A space at the end may be missing.
select hkg_import_rules('kin', E'parent(X,"dee") <= likes(X,A)\nparent(U,"dee")<=\t\n"grand parent"(X,"dee") <= parent(X,A), parent(A,B)', model => 'ours');
select hkg_import_rules('kin', E'3\t2\t0.6\tparent(X,dee) <= likes(X,A)\n4\t2\t0.5\tparent(X,dee) <= \n3\t1\t0.3\tgrand parent(X,dee) <= parent(X,A), parent(A,B)\n'
	'4\t2\t0.5\tparent(X,dee) <=\n4\t2\t0.5\tparent(X,dee) <= ', 'anyburl', 'anyburl');
select hkg_import_rules('kin', E'?a  likes  ?b   => ?a  parent  dee\t1\n?a  parent  ?b  ?b  parent  ?c   => ?a  grand parent  dee\t1', 'amie', 'amie');
select rule, body, support, body_size, pca_body_size, evidence_confidence, array_agg(model::text order by model) from rule
group by rule, body, support, body_size, pca_body_size, evidence_confidence order by 1;

-- reasons: one fact for an open variable; none for an empty body, which needs none
select * from hkg_explain('kin', 'bo', 'parent', 'dee', 'ours') order by 1;
select * from hkg_explain('kin', 'fay', 'parent', 'dee', 'ours');
select * from hkg_explain('kin', 'bo', 'parent', 'eve', 'ours');
select * from hkg_explain('kin', 'cy', 'grand parent', 'dee', 'ours');

-- evidence at prediction: (X, parent, ?) has the answers dee and, counted when asked, all others for any X, (?, parent, dee) the X who like somebody
select hkg_train('kin', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'both') is not null;
select hkg_import_rules('kin', string_agg(rule, E'\n'), model => 'both') from rule where model = 'ours';
select hkg_learn_evidence('kin', 'both');
select head, string_agg(tail, ' ' order by tail) from unnest(array['ann', 'fay']) head, hkg_predict_tails('kin', head, 'parent', model => 'both', known => true, evidence => 'rules') group by head;
select string_agg(head, ' ' order by head) from hkg_predict_heads('kin', 'parent', 'dee', model => 'both', known => true, evidence => 'rules');
select rule, grounding, share > 0 from hkg_explain('kin', 'ann', 'parent', 'dee', 'both') where rule <> '(embedding)' order by 1;
select rule, grounding, share > 0 from hkg_explain('kin', 'fay', 'parent', 'dee', 'both') where rule <> '(embedding)' order by 1;
-- a model of an older version has that rule as evidence, too: it is listed once, and all shares add up to the score
begin;
update kin.rule set evidence_confidence = 0.5 where model = 'both' and rule = 'parent(X,"dee") <=';
select count(*) filter (where rule = 'parent(X,"dee") <=') as listed, round(sum(share)::numeric, 5) = round(hkg_score('kin', 'fay', 'parent', 'dee', 'both')::numeric, 5) as whole
from hkg_explain('kin', 'fay', 'parent', 'dee', 'both');
rollback;
-- the text of a row has names of the time when it was written
begin;
update relation set name = 'loves' where name = 'likes';
update entity set name = 'dora' where name = 'dee';
select grounding from hkg_explain('kin', 'bo', 'parent', 'dora', 'ours') where grounding ~ 'loves' limit 1;
rollback;
select hkg_tools.state_sigmoid('kin');
select head, tail, rule from hkg_complete('kin', 'parent', 100, model => 'both', evidence => 'rules') where rule ~ '<=$' order by head;

-- sampled from in training: what an empty body infers beyond the facts is dee's for ann and dee
select hkg_train('kin', 'distmult', 4, iterations => 2, epochs => 1, model => 'taught', evidence_rules => 0, settings => '{"rules_of": "ours", "sample_size": 100, "min_quality": 0, "accumulate": true}') is not null;
select h.name, r.name, t.name, rules from inferred i join entity h on h.id = i.head join relation r on r.id = i.relation join entity t on t.id = i.tail
where model = 'taught' group by 1, 2, 3, 4 order by 2, 1;

-- outside the language: a head without a body's variable, or without a constant; atoms apart
select text || E'\n\t' || report
from unnest(array['parent(X,Y) <=', 'parent(X,Y) <= likes(X,A)', 'parent(X,"dee") <= likes(A,B)', 'parent(X,"dee") <= likes(X,A), likes(B,C)', 'parent(X,"dee") <= likes(X,A), ', 'parent(X,"dee")',
	'parent(X,"dee") <= ,', 'parent("ann","dee") <=', 'parent(X,X) <=']) text, hkg_tools.try(format('select hkg_count_rules(%L, array[%L])', 'kin', text)) report where report !~ '^HINT';

-- ---- random rules, against all assignments of entities to their variables ------------------------------

set client_min_messages = warning;
select hkg_create_graph('odd');
set search_path = odd, public;
-- a number of 0 .. n - 1 for a text
create function draw(seed text, n int) returns int language sql immutable as $$
	select (get_byte(sha256($1::bytea), 0) * 65536 + get_byte(sha256($1::bytea), 1) * 256 + get_byte(sha256($1::bytea), 2)) % n
$$;
insert into entity select i, 'e' || i from generate_series(0, 4) i;
insert into relation select i, 'r' || i from generate_series(0, 2) i;
insert into triple select distinct draw('h' || i, 5), draw('r' || i, 3), draw('t' || i, 5) from generate_series(1, 18) i;
-- atoms join a variable that is there to a new one, to another or to an entity
create function random_rule(seed text) returns text language plpgsql as $$
declare
	constant text := '"e' || draw(seed || 'constant', 5) || '"';
	kind int := draw(seed || 'kind', 4);
	pool text[] := case kind when 0 then array['X'] when 1 then array['Y'] else array['X', 'Y'] end;
	here text;
	there text;
	body text := '';
begin
	for i in 1 .. 1 + draw(seed || 'atoms', case when kind < 2 then 4 else 5 end) loop
		here := pool[1 + draw(seed || 'here' || i, cardinality(pool))];
		there := case draw(seed || 'what' || i, 6) when 0 then '"e' || draw(seed || 'entity' || i, 5) || '"' when 1 then pool[1 + draw(seed || 'there' || i, cardinality(pool))]
			else chr(64 + i) end;
		pool := case when there = any (pool) or there like '"%' then pool else pool || there end;
		body := body || case when i > 1 then ', ' else '' end || 'r' || draw(seed || 'relation' || i, 3) ||
			case draw(seed || 'backwards' || i, 2) when 0 then '(' || here || ',' || there || ')' else '(' || there || ',' || here || ')' end;
	end loop;
	return 'r' || draw(seed || 'head', 3) || case kind when 0 then '(X,' || constant || ')' when 1 then '(' || constant || ',Y)' else '(X,Y)' end || ' <= ' || body;
end
$$;
create table rules as
select distinct text from generate_series(1, 400) i, random_rule('rule' || i) text, hkg_tools.try(format('select hkg_count_rules(%L, array[%L])', 'odd', text)) report where report = 'no error';
insert into rules select format('r%s%s <=', r, head) from generate_series(0, 2) r, unnest(array['(X,"e1")', '("e3",Y)', '(X,"e4")']) head;
create table counted as select text, substr(text, 2, 1)::int as relation, c.* from rules, hkg_count_rules('odd', array[text]) c;
select count(*) > 200 from counted;
-- the term of a rule's text, as an id
create function term_id(term text) returns text language sql as $$
	select case when term like '"%' then substr(term, 3, 1) else quote_ident(term) || '.id' end
$$;
-- the pairs of a rule, from the definition
create function pairs(text text) returns table (x int, y int) language plpgsql as $$
declare
	head text[] := regexp_match(text, '^r(\d)\((\S+),(\S+)\) <=');
	-- X of r(X,"c") <= has some fact of r
	body text := coalesce(nullif(substr(text, strpos(text, '<=') + 3), ''),
		format('r%s(%s,%s)', head[1], case when head[2] like '"%' then 'Q' else head[2] end, case when head[3] like '"%' then 'Q' else head[3] end));
begin
	return query execute format('select distinct %s::int, %s::int from %s where %s', term_id(head[2]), term_id(head[3]),
		(select string_agg(distinct format('entity %I', m[1]), ', ') from regexp_matches(text || body, '[(,]([A-Z])\M', 'g') m),
		(select string_agg(format('exists (select from triple where (head, relation, tail) = (%s, %s, %s))', term_id(m[2]), m[1], term_id(m[3])), ' and ')
		from regexp_matches(body, 'r(\d)\((\S+?),(\S+?)\)', 'g') m));
end
$$;
analyze entity, triple;
set jit = off;
create table pair as select text, rule, relation, x, y from counted, pairs(text);
select count(*) as wrong
from counted c, lateral (select count(distinct head) >= count(distinct tail) from triple where relation = c.relation) s (subjects_win),
	lateral (select count(*) as pairs, count(*) filter (where exists (select from triple where (head, triple.relation, tail) = (x, c.relation, y))) as facts,
		count(*) filter (where exists (select from triple where triple.relation = c.relation and case when subjects_win then head = x else tail = y end)) as known
		from pair where pair.text = c.text) p
where (c.support, c.body_size, c.pca_body_size) <> (p.facts, p.pairs, p.known);
-- all at once, and as SQL
select hkg_tools.differ($$select rule, support, body_size, pca_body_size from hkg_count_rules('odd', (select array_agg(text) from rules))$$,
	'select distinct rule, support, body_size, pca_body_size from counted') as wrong;
create function sql_pairs(text text) returns table (x int, y int) language plpgsql as $$ begin return query execute hkg_rule_sql('odd', text); end $$;
select count(*) as wrong from (
	(select text, x, y from rules, sql_pairs(text) except all select text, x, y from pair)
	union all (select text, x, y from pair except all select text, x, y from rules, sql_pairs(text))) d;
-- what is printed is read as the same
select hkg_tools.differ($$select rule, support, body_size from hkg_count_rules('odd', (select array_agg(rule) from counted))$$,
	'select distinct rule, support, body_size from counted') as wrong;
-- every pair of a rule with support is an answer, from either side; an empty body infers its constant alone
select hkg_train('odd', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0) is not null;
select hkg_import_rules('odd', string_agg(text, E'\n')) = count(distinct rule) from counted;
select hkg_learn_evidence('odd');
create table strong as
select distinct rule ~ 'Y\) <=$' as for_y, rule ~ '\(X,.* <=$' as for_x, x, relation, y from rule join pair using (rule)
where support > 0 and (x <> y or exists (select from triple t where t.relation = pair.relation and t.head = t.tail));
select count(*) > 50 from strong;
select count(*) as missing from strong where not for_y and 'e' || y not in (select tail from hkg_predict_tails('odd', 'e' || x, 'r' || relation, 100, known => true, evidence => 'rules'));
select count(*) as missing from strong where not for_x and 'e' || x not in (select head from hkg_predict_heads('odd', 'r' || relation, 'e' || y, 100, known => true, evidence => 'rules'));
-- the rules that give a reason for a pair are those that infer it
select count(*) as wrong
from entity x, entity y, relation r, lateral (
	select (select array_agg(distinct rule order by rule) from hkg_explain('odd', x.name, r.name, y.name) e where rule !~ '<=$' and exists (select from rule where rule = e.rule)) as reasons,
		(select array_agg(distinct rule order by rule) from pair where (pair.x, relation, pair.y) = (x.id, r.id, y.id) and rule !~ '<=$') as pairs) d
where reasons is distinct from pairs;
drop schema kin, odd cascade;
