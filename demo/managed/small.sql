-- On the small server with hybridkg, once; it has empty tables of the same definition (pg_dump --schema-only):
--	psql -v host=... -v port=... -v dbname=... -v role=... -v password=... -f small.sql
\set ON_ERROR_STOP on
\set managed 'host=' :host ' port=' :port ' dbname=' :dbname ' user=' :role ' password=' :password
create extension if not exists hybridkg;
create extension if not exists postgres_fdw;

-- 1. rows come, and go on coming
create subscription shop connection :'managed' publication shop;
do $$
begin
	while exists (select from pg_subscription_rel where srsubstate <> 'r') loop
		commit;
		perform pg_sleep(0.1);
	end loop;
end $$;

-- 2. predictions go back
create server managed foreign data wrapper postgres_fdw options (host :'host', port :'port', dbname :'dbname', batch_size '100');
create user mapping for current_user server managed options (user :'role', password :'password');
import foreign schema public limit to (prediction) from server managed into public;

-- 3. the graph
select from hkg_set_source('shop', '{supplier, product, customer, purchase, delivery, goes_with}');
