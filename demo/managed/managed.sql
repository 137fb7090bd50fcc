-- On the managed server: the tables to learn from are published, predictions come into a table.
--	psql -v role=predictor -f managed.sql
-- It needs logical replication (wal_level, or the provider's switch for it), and a role with the attribute replication.
\set ON_ERROR_STOP on
create publication shop for table supplier, product, customer, purchase, delivery, goes_with;
create table prediction (product int primary key references product on delete cascade, category text, probability float8, reason text);
grant select on supplier, product, customer, purchase, delivery, goes_with to :"role";
grant select, insert, delete on prediction to :"role";
