--
-- Mining: every rule with every count, by hand and by brute force
--
\pset format unaligned
\pset tuples_only on
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;

-- ---- by hand ---------------------------------------------------------------

select hkg_create_graph('kin');
set search_path = kin, public;
insert into entity values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
insert into relation values (1, 'parent'), (2, 'grand'), (3, 'sibling'), (4, 'child'), (5, 'likes'), (6, 'before'), (7, 'is');
insert into triple values
	(1, 1, 2), (1, 1, 3), (2, 1, 4), (3, 1, 4), (4, 1, 5),	-- parent: ab ac bd cd de
	(1, 2, 4), (2, 2, 5),									-- grand: ad be
	(2, 3, 3), (3, 3, 2),									-- sibling: bc cb
	(2, 4, 1), (3, 4, 1), (4, 4, 2),						-- child: ba ca db
	(1, 5, 2), (1, 5, 3),									-- likes: ab ac
	(1, 6, 2), (2, 6, 3), (1, 6, 3),						-- before: ab bc ac
	(1, 7, 1), (2, 7, 2);									-- is: aa bb
create table expected (rule text, support bigint, body_size bigint, pca_body_size bigint);
insert into expected values
	-- body: ad (through b and through c: once), be, ce.  grand has 2 subjects (a, b) and 2 objects: the subject counts, ce drops out.
	('grand(X,Y) <= parent(X,A), parent(A,Y)', 2, 3, 2),
	-- body: {b,c} x {b,c}, dd (through b and c), ee: x = y is counted.  PCA: x in b, c.
	('sibling(X,Y) <= parent(A,X), parent(A,Y)', 2, 6, 4),
	-- a symmetric relation: the head's relation in the body
	('sibling(X,Y) <= sibling(Y,X)', 2, 2, 2),
	-- an inverse: body ba ca db dc ed.  child: 3 subjects (b, c, d), 2 objects: x; ed drops out.
	('child(X,Y) <= parent(Y,X)', 3, 5, 4),
	-- and back: body ab ac bd.  parent: 4 subjects, 4 objects: x; all are subjects.
	('parent(X,Y) <= child(Y,X)', 3, 3, 3),
	-- body ab ac bd cd de.  likes: 1 subject, 2 objects (b, c): y; bd cd de drop out.
	('likes(X,Y) <= parent(X,Y)', 2, 5, 2),
	-- two parallel atoms: body ab ac bd, of which y in b, c: ab ac
	('likes(X,Y) <= parent(X,Y), child(Y,X)', 2, 3, 2),
	-- the atom of X comes first.  child(A,X): ba ca db, sibling(A,Y): bc cb; body ac (through b), ab (through c).
	('likes(X,Y) <= child(A,X), sibling(A,Y)', 2, 2, 2),
	('likes(X,Y) <= sibling(A,Y), child(A,X)', null, null, null),
	-- transitivity: body ac
	('before(X,Y) <= before(X,A), before(A,Y)', 1, 1, 1),
	-- x = y in facts: body aa bb
	('is(X,Y) <= is(Y,X)', 2, 2, 2),
	-- through z = x = y: parent over is: body ab ac bd of which all are facts
	('parent(X,Y) <= is(X,A), parent(A,Y)', 3, 3, 3),
	-- the head itself is never in the body, nor an atom twice; a rule without support is none
	('likes(X,Y) <= likes(X,Y)', null, null, null),
	('likes(X,Y) <= likes(X,Y), parent(X,Y)', null, null, null),
	('likes(X,Y) <= parent(X,Y), parent(X,Y)', null, null, null),
	('parent(X,Y) <= parent(X,A), parent(A,Y)', null, null, null);
select e.rule, m.support, m.body_size, m.pca_body_size,
	(e.support, e.body_size, e.pca_body_size) is not distinct from (m.support, m.body_size, m.pca_body_size) as as_expected
from expected e left join hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1) m using (rule)
order by rule collate "C";
-- the measures: support / facts of the head, / body, / PCA body
select rule, head_coverage, standard_confidence, pca_confidence, embedding_confidence, quality
from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1)
where rule in ('child(X,Y) <= parent(Y,X)', 'parent(X,Y) <= child(Y,X)', 'likes(X,Y) <= parent(X,Y)') order by rule collate "C";

-- each rule once
select count(*) - count(distinct rule) as twice from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1);
-- best first: quality, support, text
create function disorder(measure text) returns bigint language sql as $$
	select count(*)
	from (select ordinality as place, row_number() over (order by quality desc, support desc, rule collate "C") as due
		from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1, measure => measure) with ordinality) m
	where place <> due
$$;
select disorder('standard'), disorder('pca');
select count(*) filter (where quality <> standard_confidence) from hkg_mine_rules('kin');
select count(*) filter (where quality <> pca_confidence) from hkg_mine_rules('kin', measure => 'pca');

-- bounds.  Rules of two atoms, support 2 at least
select rule, support, body_size, pca_body_size from hkg_mine_rules('kin', max_rule_length => 2) order by rule collate "C";
select count(*) filter (where support < 2), count(*) filter (where head_coverage < 0.6)
from hkg_mine_rules('kin', min_head_coverage => 0.6);
-- they only drop rules: counts stay
select count(*) from (
	select * from hkg_mine_rules('kin', min_head_coverage => 0.6, min_support => 2)
	except all
	select * from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1) where support >= 2 and head_coverage >= 0.6) m;
select count(*) from (
	select * from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1) where support >= 2 and head_coverage >= 0.6
	except all
	select * from hkg_mine_rules('kin', min_head_coverage => 0.6, min_support => 2)) m;

-- ---- bounds in floating point: 1 of 100 is not under 0.01, 1 of 101 is --------------

select hkg_create_graph('hundred');
insert into hundred.entity select i, 'e' || i from generate_series(1, 300) i;
insert into hundred.relation values (1, 'r'), (2, 's');
insert into hundred.triple select i, 1, i + 100 from generate_series(1, 100) i;
insert into hundred.triple values (1, 2, 101);
select rule, support, head_coverage from hkg_mine_rules('hundred', max_rule_length => 2, min_head_coverage => 0.01, min_support => 1) order by rule collate "C";
insert into hundred.triple values (250, 1, 251);
select rule, support, head_coverage from hkg_mine_rules('hundred', max_rule_length => 2, min_head_coverage => 0.01, min_support => 1) order by rule collate "C";
-- the same for every number of facts and bound k / facts: 7 of 25 is not under 0.28 although 0.28 * 25 > 7 in floating point
select 0.28::float8 * 25 > 7 as over;
delete from hundred.triple;
insert into hundred.triple select i, 1, i + 100 from generate_series(1, 25) i;
insert into hundred.triple select i, 2, i + 100 from generate_series(1, 7) i;
select rule, support, head_coverage from hkg_mine_rules('hundred', max_rule_length => 2, min_head_coverage => 0.28, min_support => 1) order by rule collate "C";
-- no facts, no rules
delete from hundred.triple;
select count(*) from hkg_mine_rules('hundred');
-- entities and relations with the least and the greatest id; a relation's must not be negative
update hundred.relation set id = 2147483647 where id = 2;
insert into hundred.entity values (500, 'below'), (2147483647, 'above'), (0, 'least');
insert into hundred.triple values (500, 1, 2147483647), (2147483647, 1, 0), (500, 1, 0);
select rule, support, body_size from hkg_mine_rules('hundred', min_support => 1) order by rule collate "C";
insert into hundred.triple values (500, 2147483647, 2147483647);
select rule, support, body_size from hkg_mine_rules('hundred', min_support => 1) where rule ~ 's\(' order by rule collate "C";
insert into hundred.relation values (-3, 'negative');
insert into hundred.triple values (500, -3, 2147483647);
select * from hkg_mine_rules('hundred', min_support => 1);
-- path rules and a path network have other meanings for such numbers, too; embeddings have none
set hybridkg.progress = off;
select hkg_train('hundred', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 50, paths => false);
select hkg_train('hundred', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, paths => true);
select hkg_train('hundred', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, paths => false);

-- ---- by brute force ---------------------------------------------------------------

-- all bodies as sets of pairs, in plain SQL; no shape is grouped, nothing is pruned before it is counted
create function brute_force(graph name, min_head_coverage float8, min_support int)
returns table (rule text, support bigint, body_size bigint, pca_body_size bigint)
language plpgsql set enable_nestloop = off set jit = off set work_mem = '64MB' as $$
begin
	execute format('set local search_path = %I, kin, public', graph);
	return query
	with edge as materialized (		-- a relation is its id, or backwards -1 - id
		select head as x, tail as y, relation as atom from triple
		union all
		select tail, head, -1 - relation from triple),
	body as materialized (
		select 1 as shape, atom as a, 0 as b, x, y from edge
		union
		select 2, a.atom, b.atom, x, y from edge a join edge b using (x, y)
		union
		select 3, a.atom, b.atom, a.x, b.y from edge a join edge b on b.x = a.y),
	supported as materialized (
		select t.relation, shape, a, b, count(*) as support
		from body join triple t on (t.head, t.tail) = (x, y)
		group by t.relation, shape, a, b),
	size as materialized (select shape, a, b, count(*) as pairs from body group by shape, a, b),
	head as materialized (
		select relation, count(*) as facts, count(distinct head) >= count(distinct tail) as by_subject
		from triple group by relation),
	side as materialized (
		select distinct relation, by_subject, case when by_subject then t.head else t.tail end as entity
		from head join triple t using (relation)),
	pca as materialized (
		select relation, shape, a, b, sum(pairs)::bigint as pairs
		from side join (
			select shape, a, b, true as by_subject, x as entity, count(*) as pairs from body group by shape, a, b, x
			union all
			select shape, a, b, false, y, count(*) from body group by shape, a, b, y) body using (by_subject, entity)
		group by relation, shape, a, b)
	select brute_force_rule(h.name, shape, ra.name, a < 0, rb.name, b < 0), s.support, size.pairs, pca.pairs
	from supported s
	join head using (relation)
	join size using (shape, a, b)
	join pca using (relation, shape, a, b)
	join relation h on h.id = s.relation
	join relation ra on ra.id = case when a < 0 then -1 - a else a end
	left join relation rb on rb.id = case when b < 0 then -1 - b else b end
	where s.support >= brute_force.min_support and s.support::float8 / facts >= brute_force.min_head_coverage
		and (shape = 3 or a <> s.relation)								-- the body without the head
		and (shape <> 2 or b <> s.relation and (a < 0, ra.id) < (b < 0, rb.id));	-- two atoms in one order
end
$$;
create function brute_force_rule(head text, shape int, a text, a_backwards bool, b text, b_backwards bool) returns text
language sql as $$
	select head || '(X,Y) <= ' || case shape
		when 1 then a || case when a_backwards then '(Y,X)' else '(X,Y)' end
		when 2 then a || case when a_backwards then '(Y,X), ' else '(X,Y), ' end || b || case when b_backwards then '(Y,X)' else '(X,Y)' end
		when 3 then a || case when a_backwards then '(A,X), ' else '(X,A), ' end || b || case when b_backwards then '(Y,A)' else '(A,Y)' end
	end
$$;
create function compare(graph name, min_head_coverage float8, min_support int) returns text
language sql set search_path from current as $$
	with found as (select rule, support, body_size, pca_body_size from hkg_mine_rules(graph, max_rule_length => 3, min_head_coverage => min_head_coverage, min_support => min_support)),
	brute as (select * from brute_force(graph, min_head_coverage, min_support))
	select format('%s: %s rules, %s different', graph,
		case when (select count(*) from brute) > 100 then 'many' else (select count(*) from brute)::text end,
		(select count(*) from (select * from brute except all select * from found) d) +
		(select count(*) from (select * from found except all select * from brute) d))
$$;
-- a uniform number of 0 .. 65535 for a text
create function draw(text) returns int language sql immutable as $$
	select get_byte(sha256($1::bytea), 0) * 256 + get_byte(sha256($1::bytea), 1)
$$;
-- dense: 30 entities, 5 relations, each of which holds of a tenth to a half of all pairs (x = y, too)
select hkg_create_graph('dense');
insert into dense.entity select i * 7, 'e' || i from generate_series(0, 29) i;
insert into dense.relation select i * 3, 'r' || i from generate_series(1, 5) i;
insert into dense.triple
select h.id, r.id, t.id from dense.entity h, dense.relation r, dense.entity t
where draw(format('%s %s %s', h.id, r.id, t.id)) < 65536 * r.id / 30;
-- sparse: 1000 entities, some much more often than others, 8 relations of different sizes
select hkg_create_graph('sparse');
insert into sparse.entity select i, 'e' || i from generate_series(0, 999) i;
insert into sparse.relation select i, 'r' || i from generate_series(0, 7) i;
insert into sparse.triple
select distinct (1000 * (draw('h' || i) / 65536.0) ^ 2)::int % 1000, (8 * (draw('r' || i) / 65536.0) ^ 2)::int % 8,
	(1000 * (draw('t' || i) / 65536.0) ^ 2)::int % 1000
from generate_series(1, 3000) i;
select compare('kin', 0, 1);
select compare('kin', 0.4, 2);
select compare('dense', 0, 1);
select compare('dense', 0.5, 300);
select compare('sparse', 0, 1);
select compare('sparse', 0.02, 3);
-- whatever the plan: never analysed, or with workers and little memory
analyze dense.triple, sparse.triple;
set work_mem = '64kB';
set max_parallel_workers_per_gather = 2;
set parallel_setup_cost = 0;
set parallel_tuple_cost = 0;
set min_parallel_table_scan_size = 0;
select compare('sparse', 0.02, 3);
reset work_mem;
reset max_parallel_workers_per_gather;
reset parallel_setup_cost;
reset parallel_tuple_cost;
reset min_parallel_table_scan_size;
-- and the session's own settings are as they were
select current_setting('enable_nestloop'), current_setting('enable_mergejoin');

-- ---- constants, four atoms -----------------------------------------------------------------

-- by hand
with expected (rule, support, body_size, pca_body_size) as (values
	-- body: ab ac bc, for b and c are parents of d.  likes: 1 subject, 2 objects (b, c): y; all remain.
	('likes(X,Y) <= before(X,Y), parent(Y,"d")', 2, 3, 3),
	-- body: {b, c} x {a}: Y has one binding only
	('child(X,Y) <= parent(X,"d"), likes(Y,"b")', null, null, null),
	-- children of a: b, c; parents of d: b, c; body: bb bc cb cc, all of subjects of sibling
	('sibling(X,Y) <= child(X,"a"), parent(Y,"d")', 2, 4, 4),
	-- parent("a",X) is unifiable with parent(Y,"d"), sibling(X,"c") with the head, parent(Y,"d") with parent(X,Y)
	('sibling(X,Y) <= parent("a",X), parent(Y,"d")', null, null, null),
	('sibling(X,Y) <= sibling(Y,X), sibling(X,"c")', null, null, null),
	('likes(X,Y) <= parent(X,Y), parent(Y,"d")', null, null, null))
select e.rule, m.support, m.body_size, m.pca_body_size,
	(e.support, e.body_size, e.pca_body_size) is not distinct from (m.support, m.body_size, m.pca_body_size) as as_expected
from expected e left join hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1, constants => true) m using (rule)
order by rule collate "C";
-- as many as test/brute_force/definition.c finds in the same facts, with the same sums of counts
select count(*), sum(support), sum(body_size), sum(pca_body_size) from hkg_mine_rules('kin', max_rule_length => 3, min_head_coverage => 0, min_support => 1, constants => true);
select count(*), sum(support), sum(body_size), sum(pca_body_size) from hkg_mine_rules('kin', max_rule_length => 4, min_head_coverage => 0, min_support => 1);
select count(*), sum(support), sum(body_size), sum(pca_body_size) from hkg_mine_rules('kin', max_rule_length => 4, min_head_coverage => 0, min_support => 2, constants => true);
-- the rules without them stay the same, each rule is there once, and its statement finds as many pairs
select count(*) from (select * from hkg_mine_rules('kin', max_rule_length => 3, min_head_coverage => 0, min_support => 1) except all select * from hkg_mine_rules('kin', max_rule_length => 4, min_head_coverage => 0, min_support => 1, constants => true)) lost;
select count(*) - count(distinct rule) from hkg_mine_rules('kin', max_rule_length => 4, min_head_coverage => 0, min_support => 1, constants => true);
create function count_pairs(rule text) returns bigint language plpgsql as $$
declare
	pairs bigint;
begin
	execute format('select count(*) from (%s) pair (x, y)', hkg_rule_sql('kin', rule)) into pairs;
	return pairs;
end
$$;
select count(*) filter (where count_pairs(rule) <> body_size) from hkg_mine_rules('kin', max_rule_length => 4, min_head_coverage => 0, min_support => 2, constants => true);
-- larger graphs, in plain SQL: a product of two, and an atom with one beside it
create function brute_force_constants(graph name, min_support int)
returns table (rule text, support bigint, body_size bigint)
language plpgsql set enable_nestloop = off set jit = off as $$
begin
	execute format('set local search_path = %I, kin, public', graph);
	return query
	with edge as materialized (
		select head as x, tail as y, relation, false as backwards from triple
		union all
		select tail, head, relation, true from triple),
	open as materialized (		-- heads h and atoms a(X,c) of two x at least, likewise for Y
		select t.relation as h, s.side, e.relation, e.backwards, e.y as c
		from triple t, lateral (values ('X', t.head), ('Y', t.tail)) s (side, entity) join edge e on e.x = s.entity
		where e.relation <> t.relation
		group by 1, 2, 3, 4, 5 having count(distinct s.entity) > 1 and count(*) >= min_support),
	found as (
		select t.relation as h, a.relation as ra, a.backwards as ba, a.c as ca, b.relation as rb, b.backwards as bb, b.c as cb, count(*) as n
		from triple t join edge ea on ea.x = t.head join edge eb on eb.x = t.tail
		join open a on (a.h, a.side, a.relation, a.backwards, a.c) = (t.relation, 'X', ea.relation, ea.backwards, ea.y)
		join open b on (b.h, b.side, b.relation, b.backwards, b.c) = (t.relation, 'Y', eb.relation, eb.backwards, eb.y)
		where ea.relation <> eb.relation or (ea.backwards = eb.backwards and ea.y <> eb.y)
		group by 1, 2, 3, 4, 5, 6, 7
		having count(*) >= min_support and count(distinct t.head) > 1 and count(distinct t.tail) > 1)
	select format('%s(X,Y) <= %s, %s', h.name,
			format(case when ba then '%s("%s",X)' else '%1$s(X,"%2$s")' end, ra.name, ca.name),
			format(case when bb then '%s("%s",Y)' else '%1$s(Y,"%2$s")' end, rb.name, cb.name)), n,
		(select count(*) from edge where (relation, backwards, y) = (f.ra, f.ba, f.ca)) *
		(select count(*) from edge where (relation, backwards, y) = (f.rb, f.bb, f.cb))
	from found f join relation h on h.id = f.h join relation ra on ra.id = f.ra join relation rb on rb.id = f.rb
	join entity ca on ca.id = f.ca join entity cb on cb.id = f.cb;
end
$$;
select count(*) > 100 as many, count(*) filter (where b.rule is null) as too_many, count(*) filter (where m.rule is null) as missing,
	count(*) filter (where (b.support, b.body_size) <> (m.support, m.body_size)) as different
from brute_force_constants('sparse', 2) b
full join (select * from hkg_mine_rules('sparse', max_rule_length => 3, min_head_coverage => 0, min_support => 2, constants => true) where rule ~ '\(("e\d+",X|X,"e\d+")\).*\(("e\d+",Y|Y,"e\d+")\)') m using (rule);

-- ---- hybrid ----------------------------------------------------------------------------

-- every score is 0, so every confidence is 1/2: EC = 1/2 where a rule infers anything, quality = SC / 2 + 1/4
insert into model values ('zero', 'distmult', 1, '{}', 'ready', now());
insert into entity_embedding select 'zero', id, '{0}' from entity;
insert into relation_embedding select 'zero', id, '{0}' from relation;
select rule, support, standard_confidence, embedding_confidence, quality
from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1, measure => 'hybrid', model => 'zero')
where rule in ('child(X,Y) <= parent(Y,X)', 'parent(X,Y) <= child(Y,X)', 'likes(X,Y) <= parent(X,Y)');
-- it drops the rules that are no better than one within them: among bodies of one and two atoms, those where an atom alone does as well
with rule as (
	select split_part(rule, ' <= ', 1) as head, split_part(rule, ' <= ', 2) as body, standard_confidence, body_size = support as infers_nothing
	from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1)),
rated as (
	select head, body, case when infers_nothing then standard_confidence else 0.7 * standard_confidence + 0.15 end as quality from rule),
due as (
	select head || ' <= ' || body as rule, quality from rated r
	where not exists (select from rated within where within.head = r.head and within.body <> r.body
		and within.body = any (string_to_array(replace(r.body, '), ', ')|'), '|')) and within.quality >= r.quality)),
found as (select rule, quality from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1, measure => 'hybrid', model => 'zero', omega => 0.3))
select (select count(*) from found) > 50 as many, (select count(*) from found) < (select count(*) from rated) as fewer,
	(select count(*) from due left join found using (rule) where abs(found.quality - due.quality) < 1e-6 is not true) as missing,
	(select count(*) from found left join due using (rule) where due.rule is null) as too_many;
-- confidence from a sample.  Scores are products of the entities' numbers: embedding confidences differ.
-- Rules that infer no more than the sample are exact; the others are off by about a standard error
insert into model values ('steps', 'distmult', 1, '{}', 'ready', now());
insert into dense.model values ('steps', 'distmult', 1, '{}', 'ready', now());
insert into dense.entity_embedding select 'steps', id, array[(id - 100) / 50.0] from dense.entity;
insert into dense.relation_embedding select 'steps', id, '{1}' from dense.relation;
create temp table exact as select * from hkg_mine_rules('dense', max_rule_length => 3, min_head_coverage => 0, min_support => 1, measure => 'hybrid', model => 'steps');
create temp table sampled as select * from hkg_mine_rules('dense', max_rule_length => 3, min_head_coverage => 0, min_support => 1, measure => 'hybrid', model => 'steps', ec_sample => 100);
select count(*) > 100 as many, bool_and(embedding_confidence_error = 0) as exact from exact where embedding_confidence is not null;
select count(*) > 100 as many,
	bool_and((error = 0) = (exact.body_size - exact.support <= 100)) as error_where_sampled,
	bool_and(error > 0 or exact.embedding_confidence = sampled.embedding_confidence) as exact_otherwise,
	stddev((exact.embedding_confidence - sampled.embedding_confidence) / error) filter (where error > 0) between 0.8 and 1.2 as honest
from exact join (select rule, embedding_confidence, embedding_confidence_error as error from sampled) sampled using (rule)
where exact.embedding_confidence is not null;
select count(*) from (select * from sampled except all
	select * from hkg_mine_rules('dense', max_rule_length => 3, min_head_coverage => 0, min_support => 1, measure => 'hybrid', model => 'steps', ec_sample => 100)) another_draw;
drop table exact, sampled;
-- rules of little confidence may be left out
select count(*) from (
	select * from hkg_mine_rules('kin', max_rule_length => 3, min_head_coverage => 0, min_support => 1, min_confidence => 0.5)
	except all
	select * from hkg_mine_rules('kin', max_rule_length => 3, min_head_coverage => 0, min_support => 1) where standard_confidence >= 0.5) m;
select count(*) from (
	select * from hkg_mine_rules('kin', max_rule_length => 3, min_head_coverage => 0, min_support => 1) where standard_confidence >= 0.5
	except all
	select * from hkg_mine_rules('kin', max_rule_length => 3, min_head_coverage => 0, min_support => 1, min_confidence => 0.5)) m;
-- a model that was trained before an entity came
insert into entity values (6, 'f');
select count(*) from hkg_mine_rules('kin', measure => 'hybrid', model => 'zero');

-- ---- bad arguments -----------------------------------------------------------------------

select hkg_mine_rules(null);
select hkg_mine_rules('nowhere');
select hkg_mine_rules('kin', max_rule_length => 1);
select hkg_mine_rules('kin', max_rule_length => 5);
select hkg_mine_rules('kin', max_rule_length => null);
select hkg_mine_rules('kin', min_head_coverage => -0.1);
select hkg_mine_rules('kin', min_head_coverage => 'NaN');
select hkg_mine_rules('kin', min_support => 0);
select hkg_mine_rules('kin', constants => null);
select hkg_mine_rules('kin', measure => 'best');
select hkg_mine_rules('kin', measure => 'hybrid');
select hkg_mine_rules('kin', measure => 'hybrid', model => 'nobody');
select hkg_mine_rules('kin', model => 'nobody');
select hkg_mine_rules('kin', omega => 2);
select hkg_mine_rules('kin', ec_sample => 1);
select hkg_mine_rules('kin', min_confidence => 'NaN');

-- too much for the memory that is allowed: how to ask for less.  The index of facts takes 64 bytes of each
insert into sparse.entity select i, 'e' || i from generate_series(1000, 20999) i;
insert into sparse.triple select i, 0, i - 1000 from generate_series(1000, 20999) i;
set hybridkg.max_memory = '1MB';
create function refusal(statement text) returns text language plpgsql as $$
declare
	message text;
	hint text;
begin
	execute statement;
	return 'no error';
exception when out_of_memory then
	get stacked diagnostics message = message_text, hint = pg_exception_hint;
	return regexp_replace(message, '\d+', 'N', '') || E'\n' || hint;
end
$$;
select refusal('select hkg_mine_rules(''sparse'')');

-- a body that leads many to many takes no more: 300 x have an A, all A the same B, and that 1000 y
select hkg_create_graph('hub');
insert into hub.relation values (0, 'r'), (1, 'a'), (2, 'b'), (3, 'c');
insert into hub.entity select i, 'e' || i from generate_series(0, 1999) i;
insert into hub.triple select i, 1, 300 + i from generate_series(0, 299) i;
insert into hub.triple select 300 + i, 2, 600 from generate_series(0, 299) i;
insert into hub.triple select 600, 3, 1000 + i from generate_series(0, 999) i;
insert into hub.triple values (0, 0, 1000);
select support, body_size, pca_body_size from hkg_count_rules('hub', array['r(X,Y) <= a(X,A), b(A,B), c(B,Y)']);
-- but some hundred bytes of each entity
insert into hub.entity select i, 'e' || i from generate_series(2000, 39999) i;
select refusal($$select hkg_count_rules('hub', array['r(X,Y) <= c(X,Y)'])$$);
-- and of each rule
select refusal($$select hkg_count_rules('kin', array_agg(format('%s(X,"%s") <= %s(A,X), %s(A,"%s")', h.name, x.name, a.name, b.name, y.name)))
	from kin.relation h, kin.relation a, kin.relation b, kin.entity x, kin.entity y$$);
reset hybridkg.max_memory;

-- slices of x add up to the whole: all rules that were mined, some imported forms, with hubs as x, as y and between them,
-- in more slices than there are edges
create table counted as select rule, support, body_size, pca_body_size from hkg_mine_rules('kin', max_rule_length => 4, min_head_coverage => 0, min_support => 1, constants => true);
insert into counted select * from hkg_count_rules('kin', array['sibling(X,"c") <= parent(A,X), likes(A,"b")',
	'sibling(X,Y) <= parent(A,X), parent(A,Y), parent(B,X), likes(B,Y), before(A,B)']);
create table counted_hub as select * from hkg_count_rules('hub', array['r(X,Y) <= a(X,A), b(A,B), c(B,Y)',
	'c(X,Y) <= c(X,A), c(B,A), c(B,Y)', 'a(X,Y) <= c(A,X), c(A,Y)', 'b(X,Y) <= b(X,A), b(Y,A)']);
select rule, support, body_size, pca_body_size from counted_hub order by rule collate "C";
create function add_up(graph name, counted regclass, slices int) returns text language plpgsql as $$
declare
	answer text;
begin
	execute format('select format(''%%s rules, %%s differ'', count(*), count(*) filter (where (w.support, w.body_size, w.pca_body_size)
			is distinct from (p.support, p.body_size, p.pca_body_size)))
		from %s w left join (select c.rule, sum(c.support) as support, sum(c.body_size) as body_size, sum(c.pca_body_size) as pca_body_size
			from generate_series(1, $2) slice, hkg_count_rules($1, (select array_agg(rule) from %s), slice, $2) c
			group by c.rule) p using (rule)', counted, counted) into answer using graph, slices;
	return answer;
end
$$;
select slices, add_up('kin', 'counted', slices) from unnest(array[1, 2, 7, 50]) slices;
select slices, add_up('hub', 'counted_hub', slices) from unnest(array[2, 5]) slices;
select try_sql from unnest(array[$$select hkg_count_rules('kin', array['r(X,Y)'])$$, $$select hkg_count_rules('kin', array[null])$$,
	$$select hkg_count_rules('kin', null)$$, $$select hkg_count_rules('kin', '{}', 3, 2)$$]) statement, hkg_tools.try(statement) try_sql;
select count(*) from hkg_count_rules('kin', '{}');
drop table counted, counted_hub;
drop function add_up;

-- Bodies of many relations are in a hash table: the 1,500 first atoms of a head's bodies, by 2 * 1,501 second ones, are more
-- than an array has.  x leads to z by each r_i, with i % 7 = z, and each z to y by those of r_1 .. r_20 with that remainder.
select hkg_create_graph('wide');
insert into wide.entity select i, 'e' || i from generate_series(1, 5000) i;
insert into wide.relation select i, 'r' || i from generate_series(1, 1500) i union all values (1501, 'head');
insert into wide.triple select 1, i, 3 + i % 7 from generate_series(1, 1500) i
	union all select 3 + i % 7, i, 2 from generate_series(1, 20) i
	union all select 2000 + i, i, 3500 + i from generate_series(1, 1500) i	-- so that no rule covers another head
	union all values (1, 1501, 2);
select count(*) as rules, count(e.rule) as expected, count(m.rule) as mined, sum(support) as support, sum(body_size) as body_size, sum(pca_body_size) as pca_body_size
from (select format('head(X,Y) <= r%s(X,A), r%s(A,Y)', i, j) as rule from generate_series(1, 1500) i, generate_series(1, 20) j where i % 7 = j % 7) e
	full join hkg_mine_rules('wide', min_head_coverage => 0.9, min_support => 1) m using (rule);

-- reading is all it takes
begin read only;
select count(*) from hkg_mine_rules('kin');
commit;

set client_min_messages = warning;
drop table expected;
select hkg_drop_graph(graph) from unnest(array['kin', 'hundred', 'dense', 'sparse', 'hub', 'wide']) graph;
