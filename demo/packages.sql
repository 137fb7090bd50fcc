--
-- hybridkg, shown on the packages that this Debian machine can install: tables with nulls, filled, and values to doubt.
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
\echo '=== 3. Nulls are filled: select * from hkg_fill(''packages'', ''package'', ''section'')'
\echo
\echo 'How much each column, word and link counts is learnt in this call, from the packages with a section.'
\echo
create table filled as select * from hkg_fill('packages', 'package', 'section');
select count(*) as "sections filled", round(avg((value = section)::int), 2) as "right", round(avg(probability)::numeric, 2) as stated,
	count(*) filter (where probability > 0.9) as "above 0.9",
	round(avg((value = section)::int) filter (where probability > 0.9), 2) as "right of these"
from filled join truth on name = key;

\echo 'Some of them, with the packages that decided, and in what they are alike:'
\echo
select key as package, value as section, round(probability::numeric, 2) as probability, runner_up, section as truth,
	left(replace(reason, 'package:', ''), 90) as reason
from filled join truth on name = key
order by md5(key) limit 8;

\echo 'Roles of games that nobody wrote down, beside what the packages are:'
\echo
select key as package, value as role, round(probability::numeric, 2) as probability, left(summary, 60) as summary
from hkg_fill('packages', 'package', 'role', condition => $$s.section = 'games'
	and not exists (select from public.package_tag t where t.package = s.name and t.tag like 'role::%')$$) f join package on name = key
order by md5(key) limit 10;

\echo
\echo '=== 4. What stands there is doubted: select * from hkg_doubt(''packages'', ''package'', ''section'', 12, ...)'
\echo
\echo 'Each package is asked for as if it had no section; of some sections, those that the others speak against most:'
\echo
select key as package, value as section, better, round(better_probability::numeric, 2) as probability, left(summary, 60) as summary,
	left(replace(reason, 'package:', ''), 70) as reason
from hkg_doubt('packages', 'package', 'section', 12, condition => $$s.section in ('interpreters', 'shells', 'mail', 'misc')$$)
	join package on name = key;

\echo
\echo '=== 5. What is sure is written back, and the graph follows the tables'
\echo
\echo 'update package set section = value from filled where name = key and probability > 0.9; select * from hkg_sync(''packages'')'
\echo
update package set section = value from filled where name = key and probability > 0.9;
select added, deleted from hkg_sync('packages');

\echo 'A package of tomorrow, of which little is known, has its answer at once:'
\echo
insert into package (name, installed_size, summary) values ('python3-tomorrow', 100, 'a library of tomorrow');
insert into depends values ('python3-tomorrow', 'python3'), ('python3-tomorrow', 'python3-numpy');
select added from hkg_sync('packages') \g /dev/null
select key as package, value as language, round(probability::numeric, 2) as probability, runner_up, replace(reason, 'package:', '') as reason
from hkg_fill('packages', 'package', 'implemented_in', keys => '{python3-tomorrow}');

\echo '=== Next'
\echo
\echo '- Look at the filled cells below 0.9 and at the doubtful ones; hkg_reject(''packages'', ...) keeps what you refuse out of every list.'
\echo '- select hkg_sync(''packages'') in a job of every night keeps the graph in step.'
\echo '- select hkg_train(''packages'') learns links as well; hkg_complete(''packages'', ''depends'', 20) then lists dependencies that are missing.'
