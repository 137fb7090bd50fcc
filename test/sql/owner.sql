-- What a graph's owner makes of its tables, in the middle of a function that reads them: an error, no crash, no wrong answer.
set hybridkg.progress = off;
set hybridkg.threads = 1;
set client_min_messages = warning;
\i test/tools.sql
select hkg_create_graph('own');
select added from hkg_load('own', $$select 'e' || i, 'r' || j % 4, 'e' || (i * 7 + j / 2 * 11) % 60 from generate_series(0, 59) i, generate_series(0, 9) j$$);
select added from hkg_load('own', $$select 'e' || i, 'r1', 'e' || (i * 7 + 5) % 60 from generate_series(0, 59) i$$, 'test');
select hkg_train('own', 'distmult', 4, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 20, settings => '{"holdout": 0}');
-- more rows of a join than facts
begin;
create table more () inherits (own.entity);
insert into more select e.* from own.entity e, generate_series(1, 20);
select length(hkg_report('own')) > 0 as reported;
rollback;
-- a view in the place of table model, made by the caller's query
create function replace_model() returns text language plpgsql as $$
begin
	alter table own.model rename to model_x;
	create view own.model as select null::xid as xmin, null::tid as ctid, m.* from own.model_x m;
	return 'e3';
end $$;
select report from hkg_tools.try($$select * from hkg_predict_tails('own', 'e3', 'r1', 10, candidates => array(select replace_model()))$$);
-- names that are null in some readings
create sequence readings;
create function name_at_times(t text) returns text language plpgsql stable as $$ begin return case when nextval('public.readings') % 4 > 0 then t end; end $$;
begin;
alter table own.relation rename to relation_x;
create view own.relation as select id, public.name_at_times(name) as name from own.relation_x;
select count(*) > 0 as refused from generate_series(1, 20),
	hkg_tools.try('select hkg_mine_rules(''own'')') report where report ~ '^22004';
rollback;
-- a policy that shows other facts the second time
create function shown_later() returns bool language plpgsql security definer as $$ begin return nextval('public.readings') > 30; end $$;
create role second_reader;
grant usage on schema own to second_reader;
grant select on all tables in schema own to second_reader;
alter table own.holdout enable row level security;
create policy p on own.holdout using (shown_later());
grant usage on schema hkg_tools to second_reader;
grant all on sequence readings to second_reader;
set role second_reader;
select setval('public.readings', 1) > 0 as again;
select report from hkg_tools.try($$select * from hkg_compare('own', 'default', 'default')$$);
reset role;
-- a check that deletes the names of a fact when it is written: a statement writes, and its keys refuse
create function forget(head int) returns bool language plpgsql as $$
begin
	if head = (select id from own.entity where name = 'f900') then
		delete from own.entity where name ~ '^f';
	end if;
	return true;
end $$;
alter table own.triple add constraint forgets check (forget(head));
select report from hkg_tools.try($$select hkg_load('own', 'select ''f'' || i, ''r0'', ''f'' || i % 7 from generate_series(1, 1000) i')$$) where report ~ '^\w{5}: ';
select count(*) as without_head from own.triple t where not exists (select from own.entity where id = t.head);
-- one by functions of the server is checked as it is
alter table own.triple drop constraint forgets, add constraint positive check (abs(head) > 0);
select added from hkg_load('own', 'select ''f'' || i, ''r0'', ''f'' || i % 7 from generate_series(1, 1000) i');
-- the same of a check of the names' domain, or of a default, which run when a name is written
create function forget_name(name text) returns bool language plpgsql as $$
begin
	if name = 'h900' then
		delete from own.entity e where e.name ~ '^h';
	end if;
	return true;
end $$;
create domain forgetful as text collate "C" check (forget_name(value));
alter table own.entity alter name type forgetful;
select report from hkg_tools.try($$select hkg_load('own', 'select ''h'' || i, ''r0'', ''h'' || i % 7 from generate_series(1, 1000) i')$$) where report ~ '^\w{5}: ';
select count(*) as without_head from own.triple t where not exists (select from own.entity where id = t.head);
alter table own.entity alter name type text collate "C";
create function forget_last() returns bool language plpgsql as $$
begin
	return public.forget_name(case when nextval('public.readings') = 900 then 'h900' end);
end $$;
alter table own.entity add forgetful bool default forget_last();
select setval('readings', 1);
select report from hkg_tools.try($$select hkg_load('own', 'select ''h'' || i, ''r0'', ''h'' || i % 7 from generate_series(1, 1000) i')$$) where report ~ '^\w{5}: ';
select count(*) as without_head from own.triple t where not exists (select from own.entity where id = t.head);

-- a trigger that leaves facts out may do so where they are loaded; a split would lose them
create function leave_out() returns trigger language plpgsql as $$
begin
	return case when new.head % 2 = 0 then new end;
end $$;
create trigger leaves_out before insert on own.holdout for each row execute function leave_out();
create table kept as select * from own.triple;
select report from hkg_tools.try($$select hkg_split('own', 0.2, 0.1)$$);
drop trigger leaves_out on own.holdout;
select valid_facts, test_facts from hkg_split('own', 0.2, 0.1);
-- what was a fact before went first; what is valid is taken back first
select count(*) filter (where (head, relation, tail) in (table kept)) as left_out_of_facts, count(*) as left_out_of_valid
from own.holdout where head % 2 <> 0 and split = 'valid';
create trigger leaves_out before insert on own.triple for each row execute function leave_out();
select report from hkg_tools.try($$select hkg_split('own', 0, 0)$$);
drop trigger leaves_out on own.triple;
select valid_facts, test_facts from hkg_split('own', 0, 0);
select count(*) as differ from (table kept except table own.triple) d;

-- a load counts what is left out with the duplicates; a sync has to bring the facts in step
create trigger leaves_out before insert on own.triple for each row execute function leave_out();
select added, duplicates from hkg_load('own', $$select 'new ' || i, 'r0', 'a' from generate_series(1, 10) i$$);
select report from hkg_tools.try($$select hkg_sync('own', 'select ''newer '' || i, ''r0'', ''a'' from generate_series(1, 10) i')$$);
select count(*) as differ from (table kept except table own.triple) d;

-- columns of the owner's go with their facts, to holdout and back; an identity, too
select hkg_create_graph('columns');
select added from hkg_load('columns', $$select 'a' || i, 'r', 'a' || (i * 7) % 40 from generate_series(1, 200) i$$);
alter table columns.triple add dropped int, add "the source" text, add tags text[], add page numeric(6,1), add note text, add h text, add number int generated always as identity,
	add words int generated always as (length("the source")) stored, add since date default '2000-01-01';
alter table columns.triple drop dropped;
alter table columns.holdout add since date default '2020-01-01', add number int, add words int, add "the source" text, add h text generated always as (upper(split)) stored,
	add tags text[], add page numeric(6,1), add note int;
update columns.triple set "the source" = 'book ' || number, tags = array[number::text, null, '{"'], page = number / 10.0 where number % 4 > 0;
create table whole as select head, relation, tail, "the source", tags, page, number, words, since from columns.triple;
create view now as select head, relation, tail, "the source", tags, page, number, words, since from columns.triple
	union all select head, relation, tail, "the source", tags, page, number, words, since from columns.holdout;
select valid_facts + test_facts as held_out from hkg_split('columns', 0.1, 0.09);
select hkg_tools.differ('table whole', 'table now'), (select count(*) from columns.holdout where tags is not null) > 20 as some;
-- from one split to the other; one is left alone
select valid_facts + test_facts as held_out from hkg_split('columns', 0.09, 0.1, 7);
select hkg_tools.differ('table whole', 'table now');
select test_facts from hkg_split('columns', null, 0.01, 8);
select hkg_tools.differ('table whole', 'table now');
-- the others of the table are as they are by default
select added from hkg_load('columns', $$select 'b' || i, 'r', 'b1' from generate_series(1, 2) i$$, 'test');
select since, "the source", tags, count(*) from columns.holdout natural join (select id as head from columns.entity where name ~ '^b') b group by 1, 2, 3;
delete from columns.holdout using columns.entity where head = id and name ~ '^b';
select train_facts from hkg_split('columns', 0, 0);
select hkg_tools.differ('table whole', 'table now');
-- a column of another type has no room for a value: nothing is lost without a word
update columns.triple set note = 'see ' || number;
select report from hkg_tools.try($$select hkg_split('columns', 0.1, 0.09)$$);
select hkg_tools.differ('table whole', 'table now'), count(*) from columns.holdout;
-- nor what holdout alone has
update columns.triple set note = null;
alter table columns.holdout add "checked by" text;
select valid_facts + test_facts as held_out from hkg_split('columns', 0.1, 0.09);
update columns.holdout set "checked by" = 'ann' where split = 'valid';
select report from hkg_tools.try($$select hkg_split('columns', 0, 0)$$);
alter table columns.triple add "checked by" text;
select train_facts from hkg_split('columns', 0, 0);
select count(*) as checked, hkg_tools.differ('table whole', 'table now') from columns.triple where "checked by" = 'ann';
-- what is in both splits keeps the values of the one that it stays in, or comes from
insert into columns.holdout (split, head, relation, tail, "the source") select 'valid', head, relation, tail, 'twice' from columns.triple;
select train_facts from hkg_split('columns', 0, 0);
select hkg_tools.differ('table whole', 'table now');
-- triggers see the values, and what they keep or leave out is an error
create function stamp() returns trigger language plpgsql as $$
begin
	new.tags := new.tags || tg_table_name::text;
	return case when new."the source" is distinct from 'book 1' then new end;
end $$;
create trigger stamps before insert on columns.triple for each row execute function stamp();
create trigger stamps before insert on columns.holdout for each row execute function stamp();
select valid_facts from hkg_split('columns', 0.05, 0, 1);
select count("the source") as stamped from columns.holdout \gset
select valid_facts from hkg_split('columns', 0, 0);
select count(*) = :stamped as all_stamped, :stamped > 0 as some from columns.triple where tags[4:] = '{holdout,triple}';
select report from hkg_tools.try($$select hkg_split('columns', 0.5, 0)$$);
drop trigger stamps on columns.triple;
drop trigger stamps on columns.holdout;
-- row security and rights on columns hold: others' facts stay, and what may not be read is not moved to where it may be
create role splitter;
grant usage on schema columns, hkg_tools to splitter;
grant select on columns.layout, columns.entity, columns.relation, columns.model to splitter;
grant select, insert, delete on columns.triple, columns.holdout to splitter;
alter table columns.triple enable row level security;
alter table columns.holdout enable row level security;
create policy mine on columns.triple to splitter using (number % 2 = 0);
create policy mine on columns.holdout to splitter using (number % 2 = 0);
set role splitter;
select valid_facts > 0 as held_out from hkg_split('columns', 0.1, 0);
reset role;
select count(*) > 0 as held_out, count(*) filter (where number % 2 <> 0) as of_others from columns.holdout;
select count(*) as facts, count(number) as numbers from now;
revoke select on columns.holdout, columns.triple from splitter;
grant select (head, relation, tail, split) on columns.holdout to splitter;
grant select (head, relation, tail) on columns.triple to splitter;
set role splitter;
select report from hkg_tools.try($$select hkg_split('columns', 0, 0)$$);
reset role;
select count(*) as facts, count(number) as numbers from now;

drop view now;
drop table whole;
select hkg_drop_graph('own'), hkg_drop_graph('columns');
drop table kept;
drop owned by splitter;
drop role splitter;
drop owned by second_reader;
drop role second_reader;
drop domain forgetful;
drop function stamp, replace_model, name_at_times, shown_later, forget, forget_name, forget_last, leave_out;
drop sequence readings;

