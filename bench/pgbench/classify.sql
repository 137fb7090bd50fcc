\set id random(1, :questions)
select hkg_classify(:graph, q.head, q.relation, q.tail) from bench_question q where q.id = :id;
