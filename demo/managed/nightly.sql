-- On the small server, every night.  Readers of the managed one have the old predictions until the new ones are committed.
\set ON_ERROR_STOP on
select added, deleted from hkg_sync('shop', prune => true);
begin;
delete from prediction;
insert into prediction select key::int, value, probability, reason from hkg_fill('shop', 'product', 'category');
commit;
