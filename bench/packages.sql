-- The packages of a Debian machine as tables: package, depends, tag, package_tag.  Read from the checkout's folder.
--
-- A package's role and the language it is written in are tags of its only; those of several roles or languages keep them in
-- package_tag, beside the tags of other facets.

create temp table line (package text, field text, value text);
create temp table listed (name text, section text, priority text, maintainer text, source text, installed_size int, summary text);
\copy line from program 'bench/packages' with (format csv, delimiter e'\t', quote e'\x01')
\copy listed from program 'bench/packages rows' with (format csv, delimiter e'\t', quote e'\x01')
create temp table tagged as
select package, value as tag, split_part(value, '::', 1) as facet, count(*) over (partition by package, split_part(value, '::', 1)) as of_facet
from line where field = 'tag' and value like '%::%';
analyze line, listed, tagged;

create table package (name text primary key, section text, priority text, maintainer text, source text, installed_size int,
	role text, implemented_in text, summary text);
insert into package
select name, section, priority, maintainer, coalesce(regexp_replace(source, ' .*', ''), name), installed_size, r.tag, i.tag, summary
from listed l
	left join tagged r on r.package = l.name and r.facet = 'role' and r.of_facet = 1
	left join tagged i on i.package = l.name and i.facet = 'implemented-in' and i.of_facet = 1
order by name;

create table depends (package text references package, needs text references package, primary key (package, needs));
insert into depends
select distinct package, value from line join package on name = value where field = 'depends' order by 1, 2;

create table tag (name text primary key, facet text);
create table package_tag (package text references package, tag text references tag, primary key (package, tag));
insert into tag select distinct tag, facet from tagged order by 1;
insert into package_tag
select package, tag from tagged where not (facet in ('role', 'implemented-in') and of_facet = 1) order by 1, 2;
drop table line, listed, tagged;
analyze package, depends, tag, package_tag;
