--
-- Rules: text form, canonical form, SQL form, what they infer
--
create schema rule_test;
create function rule_test.try(statement text) returns table (report text)
language plpgsql as $$
declare
	state text;
	message text;
begin
	execute statement;
	return query select 'no error';
exception when others then
	get stacked diagnostics state = returned_sqlstate, message = message_text;
	return query select state || ': ' || message;
end
$$;
\pset format unaligned
\pset tuples_only on
select hkg_create_graph('kin');
set search_path = kin, public;
-- names with everything that the text form has to quote, and some that it has not
insert into entity values (1, 'ann'), (2, 'bo'), (3, 'cy'), (4, 'dee'), (5, 'O''Brien "Bo", Żółć (x) <= y');
insert into relation values (1, 'parent'), (2, 'grand parent'), (3, 'a,b'), (4, 'q"uote'), (5, 'x<=y'), (6, 'Ünï/cødé.%s$1');
insert into triple values
	(1, 1, 2), (1, 1, 3), (2, 1, 4), (3, 1, 4), (4, 1, 5),	-- parent: ann bo, ann cy, bo dee, cy dee, dee O
	(1, 2, 4), (2, 2, 5),									-- grand parent: ann dee, bo O
	(2, 3, 3), (3, 3, 2), (1, 3, 1),						-- a,b: bo cy, cy bo, ann ann
	(2, 4, 1), (3, 4, 1), (5, 4, 4),						-- q"uote: bo ann, cy ann, O dee
	(1, 5, 2), (2, 6, 1);

-- the statements of a rule: an atom is a table, a shared term a join, ids and no names
select hkg_rule_sql('kin', 'parent(X,Y) <= "q""uote"(Y,X)');
select hkg_rule_sql('kin', '"grand parent"(X,Y) <= parent(X,A), parent(A,Y)');
select hkg_rule_sql('kin', '"a,b"(X,Y) <= parent(A,X), parent(A,Y), "x<=y"(A,X)');
select hkg_rule_sql('kin', '"grand parent"(X,Y) <= parent(X,"bo"), parent(Y,"O''Brien ""Bo"", Żółć (x) <= y")');

-- a constant in the head is a number in place of a column
select hkg_rule_sql('kin', 'parent(X,"dee") <= "a,b"(X,"cy")');
select hkg_rule_sql('kin', 'parent("ann",Y) <= parent(Y,A), parent(A,"dee")');

-- one rule, written in many ways
select count(distinct hkg_rule_sql('kin', rule)) from unnest(array[
	'"grand parent"(X,Y) <= parent(X,A), "q""uote"(Y,A)',
	'"grand parent"(X,Y)<=parent(X,A),"q""uote"(Y,A)',
	E'  "grand parent" ( X , Y )\t<=\n parent ( X , A ) , "q""uote" ( Y , A )  ',
	'"grand parent"(X,Y) <= "q""uote"(Y,A), "parent"(X,A)',
	'"grand parent"(X,Y) <= "q""uote"(Y,Z9), parent(X,Z9)',
	'"grand parent"(Y,X) <= parent(Y,B), "q""uote"(X,B)',
	'"grand parent"(From,To) <= "q""uote"(To,Over_1), parent(From,Over_1)']) rule;
select count(distinct hkg_rule_sql('kin', rule)) from unnest(array[
	'parent("ann",Y) <= parent(Y,A), "a,b"(A,"cy")',
	'parent("ann",X) <= parent(X,Y), "a,b"(Y,"cy")',
	'parent("ann",To) <= "a,b"(Over,"cy"), parent(To,Over)']) rule;
-- X and Y stay: turned round it is another rule
select hkg_rule_sql('kin', '"grand parent"(X,Y) <= parent(X,A), "q""uote"(Y,A)') =
	hkg_rule_sql('kin', '"grand parent"(X,Y) <= parent(Y,A), "q""uote"(X,A)');
-- five atoms, in all 120 orders, fresh variables shifted: one rule
with atom (a) as (values ('parent(X,A)'), ('parent(B,A)'), ('"a,b"(B,C)'), ('parent(C,D)'), ('"q""uote"(D,Y)')),
rule as (
	select 'parent(X,Y) <= ' || concat_ws(', ', a.a, b.a, c.a, d.a, e.a) as rule
	from atom a, atom b, atom c, atom d, atom e
	where a.a not in (b.a, c.a, d.a, e.a) and b.a not in (c.a, d.a, e.a) and c.a not in (d.a, e.a) and d.a <> e.a)
select count(distinct rule), count(distinct hkg_rule_sql('kin', rule)),
	count(distinct hkg_rule_sql('kin', translate(rule, 'ABCD', 'CABV')))
from rule;

-- what a rule infers, by names.  Two ways lead from ann to dee: one row.  cy O is no fact.
select * from hkg_apply_rule('kin', '"grand parent"(X,Y) <= parent(X,A), parent(A,Y)');
-- different variables may meet: X = Y
select * from hkg_apply_rule('kin', '"a,b"(X,Y) <= parent(A,X), parent(A,Y)');
-- constants: parents of dee, and those that dee is parent of; a product of the two
select * from hkg_apply_rule('kin', '"grand parent"(X,Y) <= parent(X,"dee"), parent("dee",Y)');
select * from hkg_apply_rule('kin', 'parent(X,Y) <= "a,b"(X,"ann"), "q""uote"(Y,"ann")');
-- in the head: one end of what is inferred stays
select * from hkg_apply_rule('kin', 'parent(X,"dee") <= "a,b"(X,"cy")');
select * from hkg_apply_rule('kin', 'parent("O''Brien ""Bo"", Żółć (x) <= y",Y) <= "a,b"("cy",Y)');
select * from hkg_apply_rule('kin', 'parent("ann",Y) <= parent(Y,A), parent(A,"O''Brien ""Bo"", Żółć (x) <= y")');
select * from hkg_apply_rule('kin', 'parent("ann",Y) <= parent(Y,"bo")');
-- three atoms and more
select * from hkg_apply_rule('kin', 'parent(X,Y) <= parent(X,A), parent(A,B), parent(B,Y)');
-- nothing
select * from hkg_apply_rule('kin', 'parent(X,Y) <= "x<=y"(X,A), "x<=y"(A,Y)');

-- what mining prints can be read again: every rule infers body_size pairs, support of them facts,
-- and its statement finds as many
create function rule_test.count_pairs(rule text) returns bigint language plpgsql as $$
declare
	pairs bigint;
begin
	execute format('select count(*) from (%s) pair (x, y)', hkg_rule_sql('kin', rule)) into pairs;
	return pairs;
end
$$;
select count(*) > 100 as many,
	count(*) filter (where inferred.pairs <> body_size or inferred.facts <> support or rule_test.count_pairs(rule) <> body_size) as wrong
from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1) mined,
	lateral (select count(*), count(*) filter (where known) from hkg_apply_rule('kin', mined.rule)) inferred (pairs, facts);
select count(*) > 0 from hkg_mine_rules('kin', min_head_coverage => 0, min_support => 1) where rule ~ '"a,b"\(' and rule ~ '"q""uote"\(' and rule ~ 'Ünï/cødé.%s\$1\(';

-- text that is no rule
select rule || E'\n\t' || report
from unnest(array['', '   ', 'parent', 'parent(X,Y)', 'parent(X,Y) <=', 'parent(X,Y) <= ', 'parent(X,Y) < = parent(Y,X)',
	'parent(X Y) <= parent(Y,X)', 'parent(X,dee) <= parent(X,"bo")', 'parent("dee") <= parent("bo",Y)', 'parent(X,"dee" <= parent(X,"bo")',
	'parent(X,"dee) <= parent(X,bo)', 'parent("dee",Y)', 'parent(X,Y,Z) <= parent(Y,X)', 'parent(X) <= parent(Y,X)', 'parent(X,Y) <= parent(Y,X),',
	'parent(X,Y) <= parent(Y,X) parent(X,Y)', 'parent(X,Y) <= parent(Y,X).', 'parent(X,Y) <= (Y,X)', 'grand parent(X,Y) <= parent(Y,X)',
	'"grand parent(X,Y) <= parent(Y,X)', 'parent(X,Y) <= parent(x,Y)', 'parent(X,Y) <= parent(bo,Y)', 'parent(X,Y) <= parent(Żółć,Y)',
	'"Ünï/cødé.%s$1"(X,Y) <= Ünï/cødé.%s$1(Y,X) ; drop', 'parent(X,Y) <= parent(,Y)', 'parent(X,Y) :- parent(Y,X)']) rule,
	rule_test.try(format('select hkg_rule_sql(%L, %L)', 'kin', rule));
-- names that nobody knows
select rule || E'\n\t' || report
from unnest(array['parnt(X,Y) <= parent(Y,X)', 'parent(X,Y) <= ""(Y,X)', 'parent(X,Y) <= parent(X,"Bo"), parent(Y,"bo")', 'parent(X,"Bo") <= parent(X,"bo")']) rule,
	rule_test.try(format('select hkg_rule_sql(%L, %L)', 'kin', rule));
-- rules outside the language
select rule || E'\n\t' || report
from unnest(array['parent(X,X) <= parent(X,A), parent(A,X)', 'parent("bo","cy") <= parent("bo",X)', 'parent(X,Y) <= parent(X,Y)',
	'parent("bo",Y) <= parent("cy",Y), parent("bo",Y)', 'parent(X,"bo") <= parent(Y,"bo")', 'parent(X,"bo") <= parent(X,"cy"), parent(Y,"bo")',
	'parent(X,"bo") <= "a,b"(X,A), "a,b"(A,B), "a,b"(B,C), "a,b"(C,D), "a,b"(D,"cy")',
	'parent(X,Y) <= parent(Y,X), parent(X,Y)', 'parent(X,Y) <= parent(Y,X), parent(Y,X)', 'parent(X,Y) <= parent(X,A)',
	'parent(X,Y) <= parent(X,A), parent(A,B)', 'parent(X,Y) <= parent(Y,X), parent(X,X)', 'parent(X,Y) <= parent(Y,X), parent(Kind,"bo")',
	'parent(X,Y) <= parent(Y,X), "a,b"("bo","cy")', 'parent(X,Y) <= parent(Y,X), parent(A,B), "a,b"(A,B)',
	'parent(X,Y) <= "a,b"(X,A), "a,b"(A,B), "a,b"(B,C), "a,b"(C,D), "a,b"(D,E), "a,b"(E,Y)']) rule,
	rule_test.try(format('select hkg_rule_sql(%L, %L)', 'kin', rule));
select rule_test.try(statement)
from unnest(array['select hkg_rule_sql(null, ''r(X,Y) <= r(Y,X)'')', 'select hkg_rule_sql(''kin'', null)',
	'select * from hkg_apply_rule(''kin'', null)', 'select hkg_rule_sql(''nowhere'', ''r(X,Y) <= r(Y,X)'')',
	'select * from hkg_apply_rule(''kin'', ''parent(X,Y)'')', 'select * from hkg_apply_rule(''kin'', ''parent(X,Y) <= parent(Y,X)'', 3, 2)']) statement;
-- with a hint
\set VERBOSITY default
select hkg_rule_sql('kin', 'parent(X,Y) <= parent(Y;X)');
select hkg_rule_sql('kin', 'parent(X,Y) <= parent(Y,A)');

-- reading needs no more than the right to read, and no more than a read-only transaction
begin read only;
select count(*) from hkg_apply_rule('kin', 'parent(X,Y) <= "q""uote"(Y,X)');
commit;

reset search_path;
set client_min_messages = warning;
drop schema rule_test cascade;
select hkg_drop_graph('kin');
