\set id random(1, :questions)
select t.* from bench_question q, hkg_predict_heads(:graph, q.relation, q.tail) t where q.id = :id;
