\set id random(1, :questions)
select t.* from bench_question q, hkg_predict_tails(:graph, q.head, q.relation) t where q.id = :id;
