# Rights, from the catalogue: a role without rights is refused by every function, by every path; row security shows every
# function the rows that it shows the caller; names that others plant in a schema of the search_path are not used; and
# nothing runs with other rights than its caller's.

use strict;
use warnings;

use lib 'test/perl';
use Catalogue;
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('rights', q{
	hybridkg.threads = 2
	client_min_messages = error
	statement_timeout = '5min'
});
make_models($node);
define_try($node);
$node->safe_psql('postgres', q{
	create role stranger login;
	create role reader login;
	create role owner login;
	create table names as select e.name as head, r.name as relation, e.name as tail from g.entity e, g.relation r});
my @functions = functions($node);
my @tables = split /\n/, $node->safe_psql('postgres', q{select relname from pg_class where relnamespace = 'g'::regnamespace and relkind = 'r' order by 1});

cmp_ok(@functions, '>', 30, 'functions');
is($node->safe_psql('postgres', q{select string_agg(p.oid::regprocedure::text, ', ') from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid
	and d.deptype = 'e' join pg_extension e on e.oid = d.refobjid and e.extname = 'hybridkg' where p.prosecdef}), '', 'no SECURITY DEFINER');

# ---- anyone with the right to create in a database: the extension is trusted ----

# The script runs as a superuser.  These functions fit calls in it better than the server's own do, where names are not
# qualified: the database's owner would become a superuser.
$node->safe_psql('postgres', 'create role proprietor login; create database owned owner proprietor');
sub by_proprietor
{
	my ($statements) = @_;

	return ($node->psql('owned', $statements, on_error_stop => 1, extra_params => [ '-U', 'proprietor' ]))[2];
}
my $become = q{language plpgsql as $$begin alter role proprietor superuser; return 'trapped'; end$$};
is(by_proprietor(qq{
	create schema trap;
	create function trap.format(text, text) returns text $become;
	create function trap.pg_get_function_arguments(regproc) returns text $become;
	create function trap.obj_description(regproc, text) returns text $become;
	create function trap.substring(text, text) returns text $become;
	create function trap.concat(text, text) returns text $become;
	create function trap.to_regclass(text) returns text $become}), '', 'a schema with traps');
is(by_proprietor('create extension hybridkg schema trap; create extension hybridkg_rdf schema trap; drop extension hybridkg cascade'), '',
	'the owner of a database creates the extension there and drops it');
like(by_proprietor(q{create extension hybridkg schema trap version '0.1.0'}), qr/permission denied to create extension "hybridkg"/, 'not that of 0.1.0, whose script calls them');
is($node->safe_psql('owned', q{select rolsuper from pg_roles where rolname = 'proprietor'}), 'f', 'and nothing of the schema was called');
# and uses it, within what a superuser gives
is(by_proprietor(q{create extension hybridkg; set hybridkg.progress = off; select hkg_create_graph('g');
	select hkg_load('g', $$select i, 'next', i + 1 from generate_series(1, 50) i$$);
	select hkg_train('g', dimensions => 4, iterations => 1, epochs => 1)}), '', 'it can be used by its creator');
foreach my $setting ("threads = 2", "max_memory = '8GB'", "shared_cache = '8GB'")
{
	my ($name) = $setting =~ /^(\w+)/;
	like(by_proprietor("select from hkg_progress; set hybridkg.$setting"), qr/permission denied to set parameter "hybridkg.$name"/, "$name is a superuser's");
	like(by_proprietor("set client_min_messages = warning; set hybridkg.$setting; select from hkg_progress"), qr/permission denied to set parameter "hybridkg.$name"/, 'and before the library is loaded');
	$node->safe_psql('owned', "load 'hybridkg'; grant set on parameter hybridkg.$name to proprietor");
	is(by_proprietor("select from hkg_progress; set hybridkg.$setting"), '', 'who may give the right away');
}

sub as
{
	my ($role, @calls) = @_;

	return try_all($node, { before => "set role $role" }, @calls);
}

sub refused
{
	my ($reports, $why) = @_;

	is(join("\n", map { "$_->{call}: $_->{state} $_->{text}" } grep { $_->{state} ne '42501' } @$reports), '', $why);
	return;
}

# ---- a stranger: no right to the schema, then to any table of it ----

# the rows of view hkg_stat: there are none where others are refused, as test/sql/stat.sql shows
my @of_graph = map { call_of($_) } grep { $_->{name} ne '_hkg_stat_of' && grep { $_->{name} eq 'graph' } @{ $_->{arguments} } } @functions;
my @others = map { call_of($_) } grep { !grep { $_->{name} eq 'graph' } @{ $_->{arguments} } } @functions;
my $oid = $node->safe_psql('postgres', q{select 'g.entity'::regclass::oid});
# the first refuses whoever does not write that table just now, the others read of it what the catalogue shows to anyone
my $elsewhere = qr/^(hkg_facts_changed|_hkg_columns|_hkg_key|_hkg_sample|_hkg_reference)$/;
my @tables_given = map { my $function = $_; map { call_of($function, $_->{name} => $oid) } grep { $_->{type} eq 'regclass' } @{ $function->{arguments} } }
	grep { $_->{name} !~ /$elsewhere/ } @functions;

refused([ as('stranger', @of_graph, @tables_given) ], 'a role without rights is refused by every function');
is(join("\n", map { $_->{text} } grep { $_->{state} !~ /^(00000|42501)$/ || $_->{text} =~ /\be1\b|\bm2\b/ } as('stranger', @others)), '',
	'functions without a graph have no names of it');
is($node->safe_psql('postgres', q{set role stranger; select count(*) from hkg_progress}), '0', 'nor have views');
$node->safe_psql('postgres', 'grant usage on schema g to stranger');
# a graph's owner alone drops and upgrades it
refused([ as('stranger', @of_graph, @tables_given) ], 'nor does the right to use the schema change that');
$node->safe_psql('postgres', 'revoke usage on schema g from stranger');

# ---- a stranger with a graph of its own: queries, false triples, lists of rules, workers, views ----

$node->safe_psql('postgres', q{
	grant create on database postgres to stranger;
	set role stranger;
	select hkg_create_graph('own');
	select hkg_load('own', $$select 'e' || i % 20, 'r' || i % 3, 'e' || i * 7 % 20 from generate_series(1, 99) i$$);
	select hkg_load('own', $$select 'e' || i % 20, 'r' || i % 3, 'e' || i * 3 % 20 from generate_series(1, 40) i$$, 'valid');
	select hkg_train('own', 'distmult', 4, iterations => 1, epochs => 1, model => 'm')});
refused([ as('stranger', map { my $table = $_; map { my $function = $_; map { call_of($function, graph => q{'own'}, $_->{name} => $_->{name} eq 'query' ? "'select name, name, name from g.$table'" : q{'public.names'}) }
		grep { $_->{type} eq 'regclass' || $_->{name} eq 'query' } @{ $function->{arguments} } } grep { $_->{name} !~ /$elsewhere|^_?hkg_(fill|doubt|asked_column|facts_query)$/ } @functions } 'entity') ],	# these read no table that the graph is not made of
	'what a stranger gives to a function of its own graph is read with its own rights');
my @views = map { my $call = $of_graph[$_]; ("create view public.by_owner$_ as select count(*) as n from $call; grant select on public.by_owner$_ to stranger") }
	grep { $of_graph[$_] !~ /train|tune|drop|create|resume/ } 0 .. $#of_graph;
$node->safe_psql('postgres', "$_") foreach @views;
refused([ as('stranger', map { /(by_owner\d+)/; "public.$1" } @views) ], 'a view of another role does not lend a function its rights');
my $workers = q{select count(*) from pg_stat_activity where backend_type = 'hybridkg training'};
is_soon(sub { $node->safe_psql('postgres', $workers) }, '0', 'no worker is left');

# ---- a reader that lacks the right to one table: each function does without it, or is refused ----

$node->safe_psql('postgres', q{grant usage on schema g to reader; grant all on all tables in schema g to reader; grant all on all sequences in schema g to reader});
my @kept = grep { !/hkg_(drop|create|upgrade)|background|tune/ } @of_graph;
my @allowed = as('reader', @kept);
my %allowed = map { $_->{call} => $_ } @allowed;
# what shows times, another one in each call
my %varies = map { $_->{call} => 1 } grep { $_->{text} ne $allowed{ $_->{call} }{text} } as('reader', map { $_->{call} } grep { $_->{state} eq '00000' } @allowed);
my %slow = map { $_->{call} => 1 } grep { $_->{ms} > 500 } @allowed;

cmp_ok(keys %varies, '<=', 3, 'few results vary: ' . join(', ', sort keys %varies));

# The calls to try for a table; those that take long, for few tables alone
sub tried
{
	my ($table) = @_;

	return grep { !$slow{$_} || $table =~ /^(triple|rule|model)$/ } @kept;
}

foreach my $table (@tables)
{
	$node->safe_psql('postgres', "revoke all on g.$table from reader");
	is(join("\n", map { "$_->{call}: $_->{state} $_->{text}" } grep { $_->{state} ne '42501' && !$varies{ $_->{call} } &&
		"$_->{state} $_->{text}" ne "$allowed{$_->{call}}{state} $allowed{$_->{call}}{text}" } as('reader', tried($table))), '', "without rights to $table");
	$node->safe_psql('postgres', "grant all on g.$table to reader");
}

# ---- row security: what a policy hides is as if it were not there ----

# graph h is a copy of g without these rows; names of constraints, and the order of rows, are the same
my %hidden = (
	triple => 'relation = 2 or head % 5 = 0', holdout => 'relation = 1', rejected => 'true', rule => 'id % 2 = 0', threshold => 'relation = 1', evidence_weight => 'relation = 1', path_network => 'true', shared_weight => 'true',
	iteration => 'number = 2', path_epoch => 'true', inferred => 'head % 2 = 0', model => q{name = 'm2'}, trial => 'true', training => 'true', checkpoint => 'true', checkpoint_inferred => 'true',
	entity_embedding => 'entity % 7 = 0', relation_embedding => 'relation = 3', entity => 'id % 7 = 0', relation => 'id = 3');
my @order = (qw(entity relation model), grep { !/^(entity|relation|model)$/ } @tables);

# the calls of the graph, as the reader, where a policy hides the rows; and of the copy, where they are deleted
sub hide
{
	my ($table, $condition) = @_;
	my @here = tried($table);
	my @copied = map { s/graph => 'g'/graph => 'h'/r } @here;

	$node->safe_psql('postgres', join('; ', q{select hkg_create_graph('h')}, 'set session_replication_role = replica',
		(map { "insert into h.$_ overriding system value select * from g.$_" } @order), "delete from h.$table where $condition", 'reset session_replication_role',
		(map { "select setval(pg_get_serial_sequence('h.$_', 'id'), (select max(id) from h.$_))" } qw(entity relation)),
		"alter table g.$table enable row level security", "create policy shown on g.$table for select to reader using (($condition) is not true)",
		"create policy written on g.$table for insert to reader with check (true)", "create policy changed on g.$table for update to reader using (true)",
		"create policy deleted on g.$table for delete to reader using (true)",
		'grant usage on schema h to reader; grant all on all tables in schema h to reader; grant all on all sequences in schema h to reader'));
	my @shown = as('reader', @here);
	my %left = map { ($_->{call} =~ s/graph => 'h'/graph => 'g'/r) => $_ } as('reader', @copied);

	$node->safe_psql('postgres', join('; ', (map { "drop policy $_ on g.$table" } qw(shown written changed deleted)),
		"alter table g.$table disable row level security", q{select hkg_drop_graph('h')}));
	return map { [ $_, $left{ $_->{call} } ] } @shown;
}

# Both fail, or both return the same; or what would be written in the place of a hidden row is refused.
sub differ
{
	my ($shown, $left) = @_;

	return 0 if $shown->{state} =~ /^(23505|42501)$/ || $varies{ $shown->{call} };
	return $shown->{state} =~ /^XX/ || $shown->{state} ne $left->{state} || ($shown->{state} eq '00000' && $shown->{text} ne $left->{text});
}

my %names_graph = map { $_->[0]{call} => 1 } grep { differ(@$_) } hide('triple', 'false');

cmp_ok(keys %names_graph, '<=', 2, 'few results name the graph: ' . join(', ', sort keys %names_graph));
foreach my $table (@tables)
{
	is(join("\n", map { "$_->[0]{call}: $_->[0]{state} $_->[0]{text}, without the rows $_->[1]{state} $_->[1]{text}" }
		grep { differ(@$_) && !$names_graph{ $_->[0]{call} } } hide($table, $hidden{$table} // 'true')), '', "hidden rows of $table");
}

# ---- names that another role plants in the search_path ----

my @asked = grep { !$varies{$_} && !/hkg_(drop|create|cache|trainings)|background|tune/ } @of_graph, @others;
my %before = map { $_->{call} => "$_->{state} $_->{text}" } try_all($node, {}, @asked);
# a function for every function and operator of the server that takes and returns usual types, and a table or type for every name
$node->safe_psql('postgres', q{
	create schema trap;
	grant all on schema trap to public;
	do $do$
	declare
		f record;
	begin
		for f in select distinct on (p.proname, p.proargtypes) p.oid, p.proname, pg_get_function_identity_arguments(p.oid) as arguments, p.prorettype::regtype as result, p.proretset
			from pg_proc p where pronamespace = 'pg_catalog'::regnamespace and prokind = 'f' and p.prolang <> 0
				and not exists (select from unnest(p.proargtypes || p.prorettype) t (oid) join pg_type using (oid) where typtype = 'p'
					and typname not in ('anyarray', 'anyelement', 'record', 'void', 'anycompatible', 'anycompatiblearray')) loop
			begin
				execute format('create function trap.%I(%s) returns %s%s language plpgsql as %L', f.proname, f.arguments, case when f.proretset then 'setof ' else '' end, f.result,
					'begin raise exception ''trapped by a function''; end');
			exception when others then null;
			end;
		end loop;
		for f in select o.oprname, o.oprleft::regtype as l, o.oprright::regtype as r, format('trap.%I', p.proname) as function
			from pg_operator o join pg_proc p on p.oid = o.oprcode where o.oprleft <> 0 loop
			begin
				execute format('create operator trap.%s (leftarg = %s, rightarg = %s, function = %s)', f.oprname, f.l, f.r, f.function);
			exception when others then null;
			end;
		end loop;
	end
	$do$});
cmp_ok($node->safe_psql('postgres', q{select count(*) from pg_proc where pronamespace = 'trap'::regnamespace}), '>', 1000, 'functions that trap');
cmp_ok($node->safe_psql('postgres', q{select count(*) from pg_operator where oprnamespace = 'trap'::regnamespace}), '>', 400, 'operators that trap');
my $temporary = join ';', (map { "create temp table $_ (trapped int)" } @tables, qw(pg_class pg_namespace pg_proc pg_attribute pg_type hkg_progress)),
	'create type pg_temp.text as (a int)', 'create domain pg_temp.int4 as bool', 'create domain pg_temp.jsonb as int';
foreach my $path ('trap, pg_catalog, public', 'pg_temp, trap, public, pg_catalog')
{
	my @reports = try_all($node, { before => $temporary, path => $path }, @asked);

	is(join("\n", map { "$_->{call}: $_->{state} $_->{text}" } grep { "$_->{state} $_->{text}" ne $before{ $_->{call} } } @reports), '', "with search_path $path");
}

done_testing();
