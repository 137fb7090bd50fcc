-- A graph of tables: what hkg_set_source makes of their columns, and the facts that follow
\set VERBOSITY terse
set client_min_messages = warning;
\i test/tools.sql
reset client_min_messages;
create schema shop;
set search_path = shop, public;
set timezone = 'UTC';

create type size as enum ('small', 'large');
create domain colour as text;
create table country (code text primary key, name text);
create table supplier (
	id int primary key,
	tax_number text unique not null,
	name text not null,
	country text references country,
	parent int references supplier
);
create table product (
	id int primary key,
	title text,
	category text,
	size size,
	colour colour,
	price numeric(8, 2),
	stars int,
	sold bool,
	tags text[],
	extra jsonb,
	measures jsonb,
	description text,
	currency text default 'EUR',
	place point,
	secret text,
	price_with_tax numeric generated always as (price * 1.2) stored,
	supplier text references supplier (tax_number),
	added date
);
create table "Package" ("Id" int, "Line" int, box colour, weight float8, primary key ("Id", "Line"));
create table packed (product int references product, id int, line int, primary key (product, id, line),
	foreign key (id, line) references "Package");
create table purchase (id bigserial primary key, customer int references supplier, product int references product, quantity int,
	at timestamptz) partition by range (id);
create table purchase_1 partition of purchase for values from (1) to (11);
create table purchase_2 partition of purchase for values from (11) to (1001);
create table word (word text, id int);
create view known_word as select * from word where id is not null;

insert into country select 'C' || i, 'Country ' || i from generate_series(1, 3) i;
insert into supplier select i, 'T' || i * 100, 'Supplier ' || i, 'C' || i % 3 + 1, nullif(i / 2, 0) from generate_series(1, 8) i;
insert into product (id, title, category, size, colour, price, stars, sold, tags, extra, measures, description, place, secret, supplier, added)
	select i, 'Product ' || i, 'Category ' || i % 4, case when i % 2 = 0 then 'small' else 'large' end::size, 'colour ' || i % 3,
		case when i = 7 then null else i * 1.5 end, i % 5 + 1, i % 3 = 0, array['tag ' || i % 3, 'tag ' || i % 2], jsonb_build_array('x' || i % 4),
		jsonb_build_object('a', i), repeat('word ', i) || 'and some more that nobody needs to know, in a text of some length', point(i, i),
		'secret ' || i % 3, 'T' || (i % 8 + 1) * 100, date '2024-01-01' + i * 20
	from generate_series(1, 40) i;
insert into "Package" select i, i % 2, 'colour ' || i % 3, i * 0.5 from generate_series(1, 6) i;
insert into packed select i, i, i % 2 from generate_series(1, 6) i;
insert into purchase (customer, product, quantity, at) select i % 8 + 1, i % 40 + 1, i % 3, timestamptz '2024-05-06 10:00+00' + i * interval '9 hours' from generate_series(1, 60) i;
insert into word values ('a', 1), ('b', 2), ('a', null);

-- ---- what is read -------------------------------------------------------------

-- a table has no key: an error where it is named; of a schema the other tables are read, also those that refer to its rows
select hkg_tools.try($$select * from hkg_set_source('g', '{country, word}')$$);
create table loose (id int unique, word text);
create table word_of_loose (id int primary key, loose int references loose (id), country char(2) references country);
select table_name, column_name, reading, why from hkg_set_source('g', schema => 'shop', sync => false) where table_name ~ 'loose|word';
drop table word, loose, word_of_loose cascade;
select * from hkg_set_source('g', schema => 'shop');
select * from g.source_table order by table_name;
select table_name, column_name, bins from g.source_column where bins is not null order by 1, 2;

-- ---- the facts ------------------------------------------------------------------

create function facts_of(entity text) returns table (fact text) language sql stable as $$
	select format('%s(%s, %s)', r.name, h.name, t.name) as fact from g.triple f join g.entity h on h.id = f.head
		join g.relation r on r.id = f.relation join g.entity t on t.id = f.tail
	where entity in (h.name, t.name) order by r.name collate "C", h.id, t.id
$$;
select facts_of('product:7');
select facts_of('supplier:5');
select facts_of('Package:(3,1)');
select facts_of('purchase:12');
select facts_of('price=[21.00,40.50)') limit 4;
select facts_of('weekday=Mon') limit 3;

-- the types of their heads and tails
select name, head_types, tail_types from g.relation order by name collate "C";

-- ---- rows change, and columns -------------------------------------------------------

insert into product (id, category, price) values (41, 'Category 1', 3);
update product set category = null where id = 7;
delete from packed where product = 1;
select added, deleted, entities, relations from hkg_sync('g');
select facts_of('product:41');
alter table product rename category to kind;
alter table product add weight float8;
select hkg_tools.try($$select hkg_sync('g')$$);
update g.source_column set column_name = 'kind' where column_name = 'category';
select added, deleted, entities, relations from hkg_sync('g');
alter table country rename to land;
select hkg_tools.try($$select hkg_sync('g')$$);
alter table land rename to country;

-- ---- what a user may change -----------------------------------------------------------

-- a text by its words, another relation's name, spaces joined, some rows only
update g.source_column set reading = 'text', relation = 'words', space = 'word' where column_name = 'description';
update g.source_column set relation = 'made_by' where relation = 'product.supplier';
update g.source_column set space = 'colour' where column_name = 'secret';
update g.source_table set condition = 's.id <= 3' where space = 'product';
select added > 0 as added, deleted > 0 as deleted from hkg_sync('g', prune => true);
select facts_of('product:3');

-- ---- keys, views, rights -----------------------------------------------------------------

create table note (id int, "on" int references product, body text);
insert into note select i, i, 'kind ' || i % 2 from generate_series(1, 9) i;
create view dear as select id, title, price, supplier from product where price > 30;
select hkg_tools.try($$select * from hkg_set_source('n', '{note, product}')$$);
select hkg_tools.try($$select * from hkg_set_source('n', '{note}', keys => '{"note": "nothing"}')$$);
select hkg_tools.try($$select * from hkg_set_source('n', '{note}', keys => '{"other": "id"}')$$);
select hkg_tools.try($$select * from hkg_set_source('n', '{note}', keys => '{"note": []}')$$);
select hkg_tools.try($$select * from hkg_set_source('n', '{note}', keys => '{"note": null}')$$);
select hkg_tools.try($$select * from hkg_set_source('n', '{note}', keys => '[]')$$);
select hkg_tools.try($$select * from hkg_set_source('n')$$);
select hkg_tools.try($$select * from hkg_set_source('n', '{}')$$);
select * from hkg_set_source('n', '{note, dear}', keys => '{"note": "id", "shop.dear": ["id"]}');

-- whoever may read some columns and some rows makes a graph of these
create role clerk;
grant usage on schema shop to clerk;
grant select (id, title, kind, price) on product to clerk;
alter table product enable row level security;
create policy few on product for select to clerk using (id <= 5);
select current_database() as database \gset
grant create on database :"database" to clerk;
set role clerk;
select * from hkg_set_source('c', '{product}');
select string_agg(name, ', ' order by id) from c.entity where name like 'product:%';
reset role;
select hkg_drop_graph('c');
drop policy few on product;
revoke all on schema shop from clerk;
revoke all on product from clerk;
revoke create on database :"database" from clerk;
drop role clerk;

-- ---- one kind of values under two names ------------------------------------------------------

-- most of the countries that parcels go to are countries of towns; no status of a payment is one of a town
create table town (id int primary key, country text, status text);
create table parcel (id int primary key, ship_country text, pay_status text, town int references town);
insert into town select i, 'Land ' || i % 5, 'status ' || i % 2 from generate_series(1, 20) i;
insert into parcel select i, 'Land ' || i % 6, 'paid ' || i % 2, i % 20 + 1 from generate_series(1, 60) i;
select column_name, relation, space, why from hkg_set_source('t', '{town, parcel}');
select count(*) as countries from t.entity where name like 'country=%';

-- ---- the facts of a large table are those of a statement written by hand -----------------------------------

create table part (id int primary key, weight float8, kind text, whole int references part, made timestamp);
insert into part select i, nullif(i * 7919 % 10007, 0) / 10.0, 'kind ' || i % 12, nullif(i / 10, 0), timestamp '2020-01-01' + i * interval '1 hour'
	from generate_series(1, 20000) i;
select column_name, reading, relation, space from hkg_set_source('p', '{part}');
select name, head_types, tail_types from p.relation where name like 'weight%' order by name collate "C";
create view made as select h.name as head, r.name as relation, t.name as tail from p.triple f join p.entity h on h.id = f.head
	join p.relation r on r.id = f.relation join p.entity t on t.id = f.tail;
select hkg_tools.differ($$select head, tail from made where relation = 'kind'$$, $$select 'part:' || id, 'kind=' || kind from part$$);
select hkg_tools.differ($$select head, tail from made where relation = 'whole'$$, $$select 'part:' || id, 'part:' || whole from part where whole is not null$$);
select hkg_tools.differ($$select head, tail from made where relation = 'made.month'$$, $$select 'part:' || id, 'month=' || date_part('month', made) from part$$);
-- each weight is in its bin, and in its band; bins have as many rows, and touch
select hkg_tools.differ($$select head from made where relation = 'weight'$$, $$select 'part:' || id from part where weight is not null$$);
select count(*) filter (where not replace(tail, 'weight=', '')::numrange @> p.weight::numeric) as outside, count(*), count(distinct tail) as bins,
	max(c.count) - min(c.count) as spread
from made m join part p on head = 'part:' || p.id
	join lateral (select count(*) from made o where o.relation = m.relation and o.tail = m.tail) c on true
where relation = 'weight' and p.id % 50 = 0;
select count(*) filter (where not replace(tail, 'weight=', '')::numrange @> p.weight::numeric) as outside, count(distinct tail) as bands
from made join part p on head = 'part:' || p.id where relation = 'weight.band';
select count(*), count(*) filter (where not replace(head, 'weight=', '')::numrange -|- replace(tail, 'weight=', '')::numrange) as apart from made where relation = 'weight.next';
select count(*), count(*) filter (where not replace(head, 'weight=', '')::numrange <@ replace(tail, 'weight=', '')::numrange) as outside from made where relation = 'weight.within';
select count(*), count(*) filter (where not replace(tail, 'made=', '')::tsrange @> p.made) as outside from made m join part p on head = 'part:' || p.id where relation in ('made', 'made.band');

-- ---- what is missing ---------------------------------------------------------------------------------

-- a kind follows from the whole that a part belongs to, a weight from its kind; the tenth of each that is taken away comes back
create table piece (id int primary key, whole int, maker text, kind text, weight int);
insert into piece select i, i % 40, 'maker ' || i % 40 % 13, 'kind ' || i % 40 % 4, (i % 40 % 4) * 20 + i % 3 from generate_series(1, 2000) i;
create table truth as select * from piece;
update piece set kind = null where id % 7 = 3;
update piece set weight = null where id % 11 = 7;
insert into piece values (3000);
select column_name, reading, relation, space, why from hkg_set_source('q', '{piece}');
select count(*), min(probability) > 0.9 as sure, count(*) filter (where value = t.kind) as right
from hkg_fill('q', 'piece', 'kind') f join truth t on t.id::text = f.key;
select key, value, reason ~ '^like piece:\d+, piece:\d+, piece:\d+ in .*whole' as has_reason from hkg_fill('q', 'piece', 'kind', keys => '{3,10,11}');
select count(*), count(*) filter (where abs(expected::float8 - t.weight) < 3) as near
from hkg_fill('q', 'piece', 'weight', condition => 's.id < 200') f join truth t on t.id::text = f.key;
-- nothing is surer than n / (n + 1) for n rows with a value, and a row without anything has the frequencies
select max(probability) <= 1714 / 1715.0 as bounded, min(probability) between 0.2 and 0.3 as frequency from hkg_fill('q', 'piece', 'kind');
-- rows that came or changed since the sync
insert into piece values (3001, 7, 'maker 7');
update piece set whole = 8, maker = 'maker 8' where id = 3000;
select key, value, probability > 0.9 as sure from hkg_fill('q', 'piece', 'kind', keys => '{3000,3001}');
-- the same rows in another order have the same bits
create table was as select * from hkg_fill('q', 'piece', 'kind');
create table piece_copy as select * from piece order by md5(id::text);
truncate piece;
insert into piece select * from piece_copy;
select hkg_tools.differ('table was', $$select * from hkg_fill('q', 'piece', 'kind')$$);
-- what a reviewer refused is no answer, and no reason to be surer of the others
select hkg_reject('q', 'piece:3', 'kind', 'kind=kind 3');
select key, value <> 'kind 3' as another, probability < 0.1 as unsure from hkg_fill('q', 'piece', 'kind', keys => '{3}');
select count(hkg_reject('q', 'piece:3', 'kind', name)) from q.entity where name like 'kind=%' and name <> 'kind=kind 3';
select count(*) from hkg_fill('q', 'piece', 'kind', keys => '{3}');
delete from q.rejected;
update piece set kind = f.value from hkg_fill('q', 'shop.piece', 'kind', condition => 's.id <= 2000 and s.id <> 3') f where piece.id::text = f.key and f.probability > 0.9;
update piece set kind = 'kind 3' where id = 3;
select hkg_tools.differ('select id, kind from piece where id <= 2000', 'select id, kind from truth');
-- known values that all else speaks against
update piece set kind = 'kind ' || (id + 1) % 4 where id % 100 = 5;
select count(*), count(*) filter (where key::int % 100 = 5) as changed, count(*) filter (where better = t.kind) as better
from hkg_doubt('q', 'piece', 'kind', 20) d join truth t on t.id::text = d.key;
select key, value, better, reason ~ '^like piece' as has_reason from hkg_doubt('q', 'piece', 'kind', keys => '{4,5,6}');
select count(*) from hkg_doubt('q', 'piece', 'kind', condition => 's.id % 2 = 0 and s.id <= 2000');
select hkg_tools.try($$select hkg_doubt('q', 'piece', 'kind', 0)$$);
-- another column is renamed
alter table piece rename maker to producer;
select hkg_tools.try($$select hkg_fill('q', 'piece', 'kind')$$);
alter table piece rename producer to maker;
-- tables without rows
create table void (id int primary key, maker text);
select column_name, reading from hkg_set_source('s', '{void}', sync => false);
select hkg_tools.try($$select hkg_sync('s')$$);
select hkg_tools.try($$select * from hkg_set_source('s', '{void}')$$);
select hkg_drop_graph('s');
-- NaN and infinity are values, and no part of a mean
create table gauge (id int primary key, maker text, level float8);
insert into gauge select i, 'maker ' || i % 4, case i % 4 when 0 then 10 when 1 then 20 when 2 then 'NaN' else 'Infinity'::float8 end from generate_series(1, 200) i;
create table known_gauge as select * from gauge;
update gauge set level = null where id % 7 = 3;
select column_name, reading from hkg_set_source('s', '{gauge}');
select k.level, count(*), count(*) filter (where f.probability > 0.8) as sure, count(*) filter (where abs(f.expected::float8 - k.level) < 1) as near,
	count(*) filter (where f.expected in ('NaN', 'Infinity')) as odd
from hkg_fill('s', 'gauge', 'level') f join known_gauge k on k.id::text = f.key group by 1 order by 1;
-- of what nobody can know, twenty rows do not make sure: two thirds of the known coins lie on one side
create table coin (id int primary key, a text, b text, c text, size int, weight int, side text);
insert into coin select i, 'a' || (hashint4(i) & 3), 'b' || (hashint4(i * 7) & 7), 'c' || (hashint4(i * 11) & 3), hashint4(i * 13) & 63, hashint4(i * 17) & 63,
	case when i <= 20 then 'side ' || (hashint4(i * 19) & 255 < 170)::int end from generate_series(1, 420) i;
select from hkg_set_source('c', '{coin}');
select count(*), avg(probability) < 0.75 as unsure from hkg_fill('c', 'coin', 'side');
-- three sides that are as frequent: a third each
update coin set side = case when id <= 300 then 'side ' || id % 3 end;
select count(*), avg(probability) between 0.33 and 0.45 as a_third from hkg_fill('c', 'coin', 'side');
-- references, times, words of a text, what rows are linked with, what refers to them
create table author (id int primary key, country text);
create table book (id int primary key, title text, author int references author, published date);
create table reader (id int primary key, language text);
create table reads (reader int references reader, book int references book, primary key (reader, book));
insert into author select i, 'country ' || i % 2 from generate_series(1, 5) i;
insert into book select i, format('word%s of a book, number %s, and %s', i % 5, i, md5(i::text)), i % 5 + 1, date '2000-01-01' + i % 5 * 700 from generate_series(1, 500) i;
insert into reader select i, 'language ' || i % 5 from generate_series(1, 200) i;
insert into reads select r, b from generate_series(1, 200) r, generate_series(1, 500) b where b % 5 = r % 5 and (r + b) % 3 = 0;
create table known_book as select * from book;
create table known_reader as select * from reader;
update book set author = null where id % 10 = 3;
update book set published = null where id % 10 = 6;
update reader set language = null where id % 10 in (1, 2);
select column_name, reading from hkg_set_source('r', '{author,book,reader,reads}');
select count(*), count(*) filter (where f.value = k.author::text) as right from hkg_fill('r', 'book', 'author') f join known_book k on k.id::text = f.key;
select count(*), count(*) filter (where f.expected::date - k.published between -20 and 20) as right from hkg_fill('r', 'book', 'published') f join known_book k on k.id::text = f.key;
select count(*), count(*) filter (where f.value = k.language) as right from hkg_fill('r', 'reader', 'language') f join known_reader k on k.id::text = f.key;
-- links, in the tables' words: a reader reads books of its own fifth only, but for twelve wrong rows
update book b set author = k.author, published = k.published from known_book k where k.id = b.id;
create table wrong as select r as reader, 5 * r + 2 as book from generate_series(1, 20) r where (5 * r + 2 - r) % 5 <> 0 limit 12;
insert into reads table wrong;
set client_min_messages = warning;
select deleted, added >= 12 as added from hkg_sync('r');
select hkg_train('r', preset => 'quick', dimensions => 16, settings => '{"paths": false}');
reset client_min_messages;
select count(*), count(w) as wrong, count(*) filter (where d.relation = 'reads' and better_probability > probability) as better,
	count(*) filter (where (better_key = d.key) <> (better = d.value)) as one_differs
from hkg_doubt('r', 'reads', k => 12) d left join wrong w on (w.reader::text, w.book::text) = (d.key, d.value);
select count(*), count(*) filter (where head = 'reader:' || head_key and tail = 'book:' || tail_key) as links
from hkg_complete('r', 'reads', k => 50, min_probability => 0);
select head ~ '^reader:' as reader, tail = 'language=' || tail_key as value from hkg_complete('r', 'language', k => 1, min_probability => 0);
-- of any relation, and of all: the order and all else are the same
select count(*), min(relation), count(better) from hkg_doubt('r', relations => '{language}', k => 1000);
create table doubted as select * from hkg_doubt('r', k => 40);
select hkg_tools.differ('table doubted', $$select * from hkg_doubt('r', k => 40)$$), count(w), count(*) from doubted d left join wrong w on (w.reader::text, w.book::text) = (d.key, d.value);
select report from unnest(array[$$'r', 'reads', keys => '{1}'$$, $$'r', 'reads', condition => 'true'$$, $$'r', 'reads', relations => '{reads}'$$, $$'r', 'book'$$, $$'r', 'wrong'$$, $$'r', relations => '{nothing}'$$,
	$$'r', relations => array[null]$$, $$'r', k => 0$$, $$'r', model => 'none'$$, $$'none'$$]) call, hkg_tools.try(format('select hkg_doubt(%s)', call)) report;
-- a column of one value only, or of none; a table without rows
update author set country = 'country 1';
select count(*) from hkg_fill('r', 'author', 'country');
update author set country = null where id = 1;
select key, value, probability, runner_up from hkg_fill('r', 'author', 'country');
update author set country = null;
select * from hkg_fill('r', 'author', 'country');
truncate author cascade;
select * from hkg_fill('r', 'author', 'country');
set client_min_messages = warning;
select hkg_train('q', preset => 'quick', dimensions => 16, settings => '{"paths": false}');
reset client_min_messages;
-- answers are of the type that a relation leads to, with bands apart from bins
select r.name, side, count(*) > 0 as answers, count(*) filter (where answer !~ case when side = 'head' then r.head_is else r.tail_is end) as others
from (values ('kind', '^piece:', '^kind='), ('weight', '^piece:', '^weight=.*[,\d]'), ('whole', '^piece:', '^whole=')) r (name, head_is, tail_is), lateral (
	select 'tail', tail from hkg_predict_tails('q', 'piece:5', r.name, 10000, known => true)
	union all select 'head', head from hkg_predict_heads('q', r.name, (select min(tail) from hkg_predict_tails('q', 'piece:5', r.name, 1, known => true)), 10000, known => true)
) a (side, answer)
group by 1, 2 order by 1, 2;
select hkg_tools.try($$select hkg_fill('q', 'piece', 'nothing')$$);
select hkg_tools.try($$select hkg_fill('q', 'piece', 'id')$$);
select hkg_tools.try($$select hkg_fill('q', 'truth', 'kind')$$);

set client_min_messages = warning;
drop schema shop cascade;
select hkg_drop_graph(name) from unnest('{c,g,n,p,q,r,s,t}'::name[]) name;
