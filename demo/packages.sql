--
-- hybridkg, shown on the packages that this Debian machine can install: tables with nulls, filled.
--
-- `make demo` runs this on a server of its own.  By hand, in a database of a server that has the extension, from this
-- checkout: psql -f demo/packages.sql.  It makes the tables package, depends, tag and package_tag and the schema packages, and
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
\echo '=== 1. Tables, as anyone has them'
\echo
\i bench/packages.sql
select (select count(*) from package) as packages, (select count(*) from depends) as "dependencies",
	(select count(*) from package where role is null) as "without a role",
	(select count(*) from package where implemented_in is null) as "without a language";

\echo 'Every package has a section.  One in fifty is set to null, so that answers can be compared with it.'
create table truth as select name, section from package where hashtext(name) % 50 = 0;
update package set section = null from truth where truth.name = package.name;
vacuum analyze package;

\echo
\echo '=== 2. The tables become a graph: select * from hkg_set_source(''packages'', ''{package, depends, tag, package_tag}'')'
\echo
select table_name, column_name, reading, relation, why
from hkg_set_source('packages', '{package, depends, tag, package_tag}');
select count(*) as facts from packages.triple;
\echo 'The table packages.source_column has these rows; change them and call hkg_sync, and the graph is another.'

\echo
\echo '=== 3. It learns: select hkg_train(''packages'', ...)'
\echo
\echo 'A small model, for a demo: 32 dimensions, two iterations of 5 epochs.'
\echo
set client_min_messages = notice;
\set VERBOSITY terse
select hkg_train('packages', dimensions => 32, iterations => 2, epochs => 5, paths => false, seed => 1) as model \g /dev/null
set client_min_messages = warning;

\echo
\echo '=== 4. Nulls are filled: select * from hkg_fill(''packages'', ''package'', ''section'')'
\echo
create table filled as select * from hkg_fill('packages', 'package', 'section');
select count(*) as "sections filled", round(avg((value = section)::int), 2) as "right", round(avg(probability)::numeric, 2) as stated,
	count(*) filter (where probability > 0.9) as "above 0.9",
	round(avg((value = section)::int) filter (where probability > 0.9), 2) as "right of these"
from filled join truth on name = key;

\echo 'Some of them:'
\echo
select key as package, value as section, round(probability::numeric, 2) as probability, runner_up, section as truth, left(reason, 90) as "first reason"
from filled join truth on name = key
order by md5(key) limit 8;

\echo 'Roles of games, and languages of programs for sound, that nobody wrote down, beside what the packages are:'
\echo
select key as package, value, round(probability::numeric, 2) as probability, left(summary, 60) as summary
from (
	(select * from hkg_fill('packages', 'package', 'role', condition => $$s.section = 'games'
			and not exists (select from public.package_tag t where t.package = s.name and t.tag like 'role::%')$$)
		order by probability desc limit 6)
	union all
	(select * from hkg_fill('packages', 'package', 'implemented_in', condition => $$s.section = 'sound' and s.role = 'role::program'
			and not exists (select from public.package_tag t where t.package = s.name and t.tag like 'implemented-in::%')$$)
		order by probability desc limit 6)
) f join package on name = key;

\echo
\echo '=== 5. What is sure is written back, and the graph follows the tables'
\echo
\echo 'update package set section = value from filled where name = key and probability > 0.9; select * from hkg_sync(''packages'')'
\echo
update package set section = value from filled where name = key and probability > 0.9;
select added, deleted from hkg_sync('packages');

\echo 'A package of tomorrow, of which little is known, has its answer without a training:'
\echo
insert into package (name, installed_size, summary) values ('python3-tomorrow', 100, 'a library of tomorrow');
insert into depends values ('python3-tomorrow', 'python3'), ('python3-tomorrow', 'python3-numpy');
select added from hkg_sync('packages') \g /dev/null
select key as package, value as section, round(probability::numeric, 2) as probability, runner_up, reason
from hkg_fill('packages', 'package', 'section', keys => '{python3-tomorrow}');

\echo 'Next: select hkg_train(''packages'') learns with the defaults, for minutes, and is right more often; the column probability'
\echo 'says which answers a person has to look at; select hkg_sync(''packages'') in a job of every night keeps the graph in step.'
