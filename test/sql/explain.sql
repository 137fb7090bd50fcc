--
-- Explanations: rules of a model put in by hand, facts under odd names
--
select hkg_create_graph('Kin & Co.');
set search_path = "Kin & Co.", public;
insert into entity values (1, 'ann'), (2, 'O''Brien "Bo"'), (3, 'Żółć (x), y'), (4, 'a\b%s$1'), (5, 'eve');
insert into relation values (1, 'parent'), (2, 'grand "parent"');
insert into triple values (1, 1, 2), (2, 1, 3), (1, 1, 4), (4, 1, 3),	-- parent: ann bo, bo x, ann a\b, a\b x
	(1, 2, 3);															-- grand parent: ann x
insert into model values ('m''s', 'distmult', 2, '{}', 'ready', now());
insert into rule (model, id, rule, head, body, support, body_size, pca_body_size, predictions,
	head_coverage, standard_confidence, pca_confidence, quality, selected)
values
	('m''s', 1, '"grand ""parent"""(X,Y) <= parent(X,A), parent(A,Y)', 2, '{{1,-1,-3},{1,-3,-2}}', 1, 2, 2, 1, 1, 0.5, 0.5, 0.25, true),
	('m''s', 2, '"grand ""parent"""(X,Y) <= parent(X,"O''Brien ""Bo""")  ...', 2, '{{1,-1,2},{1,2,-2}}', 1, 2, 2, 1, 1, 0.5, 0.5, 0.75, true),
	-- as good as the first one, and before it by its text
	('m''s', 3, '"grand ""parent"""(X,Y) <= parent(A,Y), parent(B,Y)', 2, '{{1,-3,-2},{1,-1,-3}}', 1, 2, 2, 1, 1, 0.5, 0.5, 0.25, true),
	-- not selected, another head
	('m''s', 4, 'not selected', 2, '{{1,-1,-3},{1,-3,-2}}', 1, 2, 2, 1, 1, 0.5, 0.5, 0.9, false),
	('m''s', 5, 'another head', 1, '{{2,-1,-2}}', 1, 2, 2, 1, 1, 0.5, 0.5, 0.9, true);

-- two ways from ann to x: through Bo and through a\b; the rule with the constant has one of them
select * from hkg_explain('Kin & Co.', 'ann', 'grand "parent"', 'Żółć (x), y', 'm''s');
-- parent(X,Y) <= grand parent(X,Y)
select * from hkg_explain('Kin & Co.', 'ann', 'parent', 'Żółć (x), y', 'm''s');
-- nothing infers these
select * from hkg_explain('Kin & Co.', 'eve', 'grand "parent"', 'ann', 'm''s');
select * from hkg_explain('Kin & Co.', 'ann', 'grand "parent"', 'ann', 'm''s');

begin read only;
select count(*) from hkg_explain('Kin & Co.', 'ann', 'grand "parent"', 'Żółć (x), y', 'm''s');
commit;

reset search_path;
set client_min_messages = warning;
select hkg_drop_graph('Kin & Co.');

-- a table can be a view, whose functions ask the same model another question while hkg_explain reads it
select hkg_create_graph('g');
select added from hkg_load('g', $$values ('ann', 'lives', 'rome'), ('bob', 'born', 'paris'), ('rome', 'in', 'italy'), ('paris', 'in', 'france'), ('cid', 'from', 'france')$$);
insert into g.model (name, score_function, dimensions, settings, status, created_at, evidence)
values ('m', 'distmult', 1, '{}', 'ready', now(), '{"discount": {"rules": 0.5, "all": 0.5}}');
insert into g.entity_embedding select 'm', id, '{1}' from g.entity;
insert into g.relation_embedding select 'm', id, '{1}' from g.relation;
insert into g.rule (model, id, rule, head, body, support, body_size, pca_body_size, predictions, head_coverage,
	standard_confidence, pca_confidence, selected, evidence_confidence)
select 'm', n, format('from(X,Y) <= %s(X,A), in(A,Y)', first), f.id, array[[r.id, -1, -3], [i.id, -3, -2]], 1, 1, 1, 0, 1, 1, 1, false, confidence
from (values (1, 'lives', 0.5), (2, 'born', 0.9)) v (n, first, confidence)
	join g.relation r on r.name = first join g.relation f on f.name = 'from' join g.relation i on i.name = 'in';
alter table g.rule rename to rule_kept;
create function g.asks() returns bool language plpgsql as $$
begin
	if current_setting('my.asks', true) = 'yes' then
		perform set_config('my.asks', 'no', false);
		perform public.hkg_score('g', 'bob', 'from', 'france', 'm');
	end if;
	return true;
end
$$;
create view g.rule as select * from g.rule_kept where g.asks();
-- the share of the rule is log(1 + log(2) / 0.01), with the usual weight of 1.5
select rule, round(share::numeric, 6) as share, round(1.5 * ln(1 + ln(2.0) / 0.01), 6) as expected from hkg_explain('g', 'ann', 'from', 'italy', 'm');
set my.asks = 'yes';
select rule, round(share::numeric, 6) as share, current_setting('my.asks') as asks from hkg_explain('g', 'ann', 'from', 'italy', 'm');
drop function g.asks() cascade;
select hkg_drop_graph('g');
