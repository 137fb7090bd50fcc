--
-- hybridkg, shown on the packages that this Debian machine can install.
--
-- `make demo-packages` runs this on a server of its own.  By hand, in a database of a server that has the extension, from
-- this checkout: psql -f demo/packages.sql.  It makes the tables package, need and tag and the schema packages, and
-- reads `apt-cache dumpavail`.
--
\set ON_ERROR_STOP on
\set QUIET on
\pset footer off
\pset null ''
\timing off
set client_min_messages = warning;

create extension if not exists hybridkg;

\echo
\echo '=== 1. Ordinary tables, and a graph in step with them'
\echo

create temp table line (package text, field text, value text);
create temp table summary (package text, summary text);
\copy line from program 'bench/packages' with (format csv, delimiter e'\t', quote e'\x01')
\copy summary from program 'bench/packages summaries' with (format csv, delimiter e'\t', quote e'\x01')
analyze line;

create table package as
select s.package as name, min(value) filter (where field = 'section') as section,
	min(value) filter (where field = 'maintainer') as maintainer, min(value) filter (where field = 'source') as source, s.summary
from summary s left join line using (package)
group by s.package, s.summary;
alter table package add primary key (name);
create table need as select package, field as kind, value as needs from line where field not in ('section', 'maintainer', 'source', 'tag');
create table tag as
select package, split_part(value, '::', 1) as facet, value as tag from line where field = 'tag' and value like '%::%';
analyze package, need, tag;

select (select count(*) from package) as packages, (select count(*) from need) as needs, (select count(*) from tag) as tags,
	(select count(distinct package) from tag) as "packages with a tag";

\echo 'One query makes facts of them; the graph keeps it. `select hkg_sync(''packages'')` brings them in step again.'
\echo
select hkg_create_graph('packages') \g /dev/null
select added, entities, relations from hkg_sync('packages', $$
	select name, 'section', section from package where section is not null
	union all select name, 'maintainer', maintainer from package where maintainer is not null
	union all select name, 'source', source from package where source is not null
	union all select package, kind, needs from need
	union all select package, facet, tag from tag$$, keep => true);

\echo
\echo '=== 2. Embeddings and rules are learnt in the background'
\echo
\echo 'A small model, for a demo: 32 dimensions, 10 epochs. What the defaults would take:'
\echo
select item, pg_size_pretty(bytes) as memory, round((flops / 1e9)::numeric) as "GFlop an epoch"
from hkg_estimate('packages') where item in ('all of it', 'total', 'an epoch') or flops is not null;

select hkg_train_background('packages', dimensions => 32, paths => false, iterations => 2, epochs => 5, seed => 1) as pid \g /dev/null
set client_min_messages = notice;
\set VERBOSITY terse
do $$
declare
	line record;
	shown text;
begin
	loop
		perform pg_sleep(0.5);
		select bar, phase, split_part(bar, ']', 1) || phase as changed into line
		from hkg_progress where graph = 'packages' and model = 'default';
		exit when not found;
		if line.changed is distinct from shown then
			raise notice '% | %', line.bar, line.phase;
			shown := line.changed;
		end if;
	end loop;
end
$$;
set client_min_messages = warning;
select status, round(mrr::numeric, 3) as "MRR of facts held out, by the embedding alone", date_trunc('second', trained_at - created_at) as took
from packages.model;
\echo 'The defaults (200 dimensions, 10 times 10 epochs, some five minutes) reached 0.31 with all tags in one relation.'

\echo
\echo '=== 3. Tags that are missing, beside what the packages are'
\echo
\echo 'Packages without a tag of the language they are written in; the most probable answers:'
\echo
select c.head as package, c.tail as tag, round(c.probability::numeric, 2) as probability, left(p.summary, 60) as summary
from hkg_complete('packages', 'implemented-in', 12, one_each => true,
	heads => array(select name from package except select package from tag where facet = 'implemented-in'),
	candidates => array(select tag from tag where facet = 'implemented-in')) c
join package p on p.name = c.head
order by c.probability desc, c.head;

\echo 'What a Python package most probably needs and does not name, beside what that is:'
\echo
select d.head as package, d.tail as "might depend on", round(d.probability::numeric, 2) as probability, left(p.summary, 60) as "which is"
from hkg_predict_tails('packages', array(select name from package where section = 'python'), 'depends', 1) d
join package p on p.name = d.tail
order by d.probability desc, d.head
limit 10;

\echo
\echo '=== 4. Why?'
\echo
select c.head, c.relation, c.tail from hkg_complete('packages', 'implemented-in', 1) c \gset
\echo 'The embedding and each rule, for' :head ':' :relation ':' :tail
\echo
select coalesce(rule, 'embedding') as reason, round(share::numeric, 2) as share, grounding
from hkg_explain('packages', :'head', :'relation', :'tail') limit 6;

\echo 'What is new in the tables is in the graph after one statement, and is predicted at once:'
\echo
insert into package values ('python3-tomorrow', 'python', null, null, 'a library of tomorrow');
insert into need values ('python3-tomorrow', 'depends', 'python3');
select added, deleted, entities from hkg_sync('packages');
select head as package, tail as maintainer, round(probability::numeric, 2) as probability
from hkg_predict_tails('packages', array['python3-tomorrow'], 'maintainer', 2);
