\set id random(1, :questions)
select n.* from bench_question q, hkg_neighbors(:graph, q.head) n where q.id = :id;
