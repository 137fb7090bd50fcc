--
-- Two models of a graph, triple by triple
--
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
\t on
\a

select hkg_create_graph('g');
insert into g.entity values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
insert into g.relation values (1, 'r'), (2, 's');
insert into g.triple values (1, 1, 4), (2, 2, 1), (4, 2, 3);							-- r(a,d), s(b,a), s(d,c)
insert into g.holdout values ('test', 1, 1, 2), ('test', 3, 1, 4), ('test', 4, 1, 1);	-- r(a,b), r(c,d), r(d,a)
-- distmult, d = 1: the order of candidates is that of their numbers, d c b a in one model, a b c d in the other
insert into g.model values ('up', 'distmult', 1, '{}', 'ready', now()), ('down', 'distmult', 1, '{}', 'ready', now());
insert into g.entity_embedding select 'up', id, array[id] from g.entity union all select 'down', id, array[5 - id] from g.entity;
insert into g.relation_embedding select m, id, '{1}' from g.relation, unnest(array['up', 'down']) m;
insert into g.rule (model, id, rule, head, body, support, body_size, pca_body_size, predictions,
	head_coverage, standard_confidence, pca_confidence, quality, selected)
values
	('down', 1, 'r(X,Y) <= s(Y,X)', 1, '{{2,-2,-1}}', 0, 2, 2, 2, 0, 0, 0, 0.5, true),
	('down', 2, 'r(X,Y) <= s("d",X), s(Y,"c")', 1, '{{2,4,-1},{2,-2,3}}', 0, 1, 1, 1, 0, 0, 0, 0.9, true),
	('down', 3, 'not selected', 1, '{{2,-2,-1}}', 0, 2, 2, 2, 0, 0, 0, 1, false);

-- r(a,b): tails of a, d is a fact and skipped: c b a, and a b c: 2nd both times.  Heads of b: d c b a, a b c d: a 4th, then 1st.
-- r(c,d): tails of c: d 1st, then 4th.  Heads of d without a: d c b, b c d: 2nd.
-- r(d,a): tails of d: a 4th, then 1st.  Heads of a: d 1st, then 4th.
-- Changes: 1 - 1/4; 1/4 - 1, as much; 0.  Rule 1 infers the first two, rule 2, which is better, r(c,d) alone.
select * from hkg_compare('g', 'up', 'down');
-- a model without rules; the other way round
select * from hkg_compare('g', 'up', 'up') where rule is not null;
select head, tail, head_rank_a, head_rank_b, tail_rank_a, tail_rank_b, rule from hkg_compare('g', 'down', 'up');
select count(*) from hkg_compare('g', 'up', 'down', 'valid');
-- the fact r(a,d), and s(b,a) and s(d,c); as hkg_ranks has them
select count(*), bool_and((head_rank_a, tail_rank_a) = (u.head_rank, u.tail_rank)),
	bool_and((head_rank_b, tail_rank_b) = (d.head_rank, d.tail_rank))
from hkg_compare('g', 'up', 'down', 'train') join hkg_ranks('g', 'train', 'up') u using (head, relation, tail)
	join hkg_ranks('g', 'train', 'down') d using (head, relation, tail);

select hkg_tools.try($$select hkg_compare('g', 'up', 'sideways')$$);
select hkg_tools.try($$select hkg_compare('g', 'sideways', 'up')$$);
select hkg_tools.try($$select hkg_compare('g', 'up', 'down', 'all')$$);
select hkg_tools.try($$select hkg_compare('g', null, 'down')$$);
select hkg_tools.try($$select hkg_compare('h', 'up', 'down')$$);

begin read only;
select count(*) from hkg_compare('g', 'up', 'down');
commit;
select hkg_drop_graph('g');
