--
-- Large graphs rank a sample of the valid split after each iteration
--
set hybridkg.progress = off;
select hkg_create_graph('large');
insert into large.entity select i, 'e' || i from generate_series(1, 120001) i;
insert into large.relation values (1, 'r');
insert into large.triple select i, 1, i % 500 + 1 from generate_series(1, 12400) i where i % 31 > 0;
insert into large.holdout select 'valid', i, 1, i % 500 + 1 from generate_series(31, 12400, 31) i;
select split, count(*) from (select 'train' as split from large.triple union all select split from large.holdout) s group by split order by split;

-- Ten epochs have 10 * 12000 * (1 + 64) scores with gradients, three times the operations of a score, 7 of them in the time
-- of 8 of a ranking.  A tenth of that is enough for the 2 * 120001 scores of 11 triples; sampled are pairs.
create temp table argument as
	select $$'distmult', 50, 3, 10, top_rules => 0, evidence_rules => 0, seed => 5$$ as list;
do $$ begin execute format('select hkg_train(''large'', %s)', (select list from argument)); end $$;
select number, ranked, mrr between 0 and 1 as mrr, mrr_error > 0 as mrr_error from large.iteration order by number;
-- it is what hkg_evaluate finds by that sample; of all of the split it is an estimate, within 5 errors
select m.mrr = s.mrr and m.hits_10 = s.hits_10 as metrics, i.mrr_error = s.mrr_error as mrr_error, i.ranked = s.triples as ranked,
	abs(m.mrr - e.mrr) < 5 * i.mrr_error as near
from large.model m join large.iteration i on i.number = m.best_iteration,
	hkg_evaluate('large', 'valid', seed => 5, evidence => 'embedding', sample => 10) s
	join hkg_evaluate('large', 'valid', evidence => 'embedding') e using (side)
where side = 'both';
-- Under softmax an epoch scores each distinct query once: heads 1 to 20 with relation 1 and its tails 1 to 10, heads 20 to 59
-- with relation 2 and its tail 1, 71 in all.  With gradients that is three times the operations of a ranking, 12 of them in
-- the time of 8, so it takes as long as the two questions of a triple: a tenth of 15 * 71 is enough for 106 triples.
insert into large.relation values (2, 's');
delete from large.triple;
insert into large.triple select head, 1, tail from generate_series(1, 20) head, generate_series(1, 10) tail
	union all select head, 2, 1 from generate_series(20, 59) head;
do $$ begin perform hkg_train('large', 'distmult', 50, 1, 15, top_rules => 0, evidence_rules => 0, model => 'softmax', settings => '{"loss": "softmax"}'); end $$;
select ranked from large.iteration where model = 'softmax';
-- Scores of 50 dimensions, a hundred operations, of 40 questions against all entities take a core six milliseconds at 8e10
-- operations a second: of so few triples all are ranked.
delete from large.holdout where head > 20 * 31;
do $$ begin perform hkg_train('large', 'distmult', 50, 1, 1, top_rules => 0, evidence_rules => 0); end $$;
select ranked, mrr_error from large.iteration where model = 'default';
select hkg_drop_graph('large');
