-- What the models of graph.sql predict, rounded: processors differ in the last digits.
set client_min_messages = warning;
select tail, round(score::numeric, 3), round(probability::numeric, 3) from hkg_predict_tails('g', 'n5', 'twice', 5, known => true);
select head, round(score::numeric, 3) from hkg_predict_heads('g', 'next', 'n7', 5, 'plain', known => true);
select hkg_score('g', 'n3', 'twice', 'n6')::numeric(9, 3), hkg_score('g', 'n3', 'twice', 'n6', evidence => 'rules')::numeric(9, 3),
	hkg_classify('g', 'n3', 'twice', 'n6'), hkg_classify('g', 'n6', 'twice', 'n3');
select side, triples, round(mrr::numeric, 3) from hkg_evaluate('g', 'test');
select rule, grounding, round(share::numeric, 3) from hkg_explain('g', 'n3', 'twice', 'n6') order by 1, 2;
select count(*), sum(support), round(sum(quality)::numeric, 2) from g.rule;
