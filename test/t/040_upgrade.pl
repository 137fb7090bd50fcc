# Graphs of released versions are upgraded, and so is the extension.
#
# There is always a next version: the test makes it, from a copy of this checkout, with one more layout of graphs (a column,
# a table, a trigger), one more function and one comment that differs.  It is installed in a copy of the server, in
# place of the version that is there, as a package would be.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $bindir = `$ENV{PG_CONFIG} --bindir`;
chomp $bindir;
my ($root, $programs) = $bindir =~ m{^(.+/root)(/.+)/bin$};
plan skip_all => 'only on a server of test/server, which can be copied' if !defined $root || !-w $root;

my $tmp = PostgreSQL::Test::Utils::tempdir;
my $server = "$tmp/root$programs";
run_log([ 'cp', '-a', $root, "$tmp/root" ]) or die "no copy of $root";

# ---- the next version ----

my $checkout = "$tmp/checkout";
my $version = slurp_file('hybridkg.control') =~ /^default_version = '(.+)'/m ? $1 : die 'no version';
my $layout = slurp_file('src/graph/layout.c') =~ /library_layout = (\d+);/ ? $1 : die 'no layout';
my ($next_version, $next_layout) = ("$version.next", $layout + 1);

sub write_file
{
	my ($file, $text) = @_;

	open my $handle, '>', "$checkout/$file" or die "$file: $!";
	print $handle $text;
	close $handle or die "$file: $!";
	return;
}

my $delta = qq{
create procedure _hkg_layout_$next_layout()
language plpgsql
as \$\$
begin
	alter table model add column note text;
	comment on column model.note is 'what its owner writes about it';
	create table remark (
		entity int primary key references entity on delete cascade,
		says text not null
	);
	comment on table remark is 'remarks about entities';
	create trigger changed after insert on remark for each statement execute function facts_changed();
end
\$\$;
comment on procedure _hkg_layout_$next_layout() is 'notes and remarks';

create function hkg_notes(graph name) returns int language sql immutable as 'select $next_layout';
comment on function hkg_notes(name) is 'what the next version has';
};
my $comment = q{comment on view hkg_progress is 'trainings under way in this database';};

sub make_next_version
{
	my $script = slurp_file("sql/hybridkg--$version.sql");

	mkdir $checkout or die "$checkout: $!";
	run_log([ 'cp', '-a', 'Makefile', 'hybridkg.control', 'sql', 'src', $checkout ]) or die 'no copy of the checkout';
	$script =~ s/^comment on view hkg_progress is .*$/$comment/m or die 'the view has no comment';
	write_file("sql/hybridkg--$next_version.sql", $script . $delta);
	write_file("sql/hybridkg--$version--$next_version.sql", $delta . $comment);
	write_file('hybridkg.control', slurp_file('hybridkg.control') =~ s/\Q$version\E/$next_version/r);
	write_file('src/graph/layout.c', slurp_file('src/graph/layout.c') =~ s/library_layout = $layout;/library_layout = $next_layout;/r);
	return;
}

# ---- what is compared ----

# Every object of a schema with its definition, its comment and its rights
my $of_graph = q{
	select concat_ws('|', c.relname, c.relkind, pg_get_userbyid(c.relowner),
			coalesce(c.relacl, acldefault(case relkind when 'S' then 's'::"char" else 'r' end, relowner)), obj_description(c.oid, 'pg_class'), pg_get_viewdef(c.oid))
		from pg_class c where relnamespace = 'g'::regnamespace and relkind in ('r', 'v', 'S')
	union all select concat_ws('|', a.attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attstorage,
			attcollation::regcollation, pg_get_expr(adbin, adrelid), col_description(attrelid, attnum))
		from pg_attribute a join pg_class c on c.oid = attrelid left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum)
		where relnamespace = 'g'::regnamespace and relkind in ('r', 'v') and attnum > 0 and not attisdropped
	union all select concat_ws('|', conrelid::regclass, conname, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint'))
		from pg_constraint where connamespace = 'g'::regnamespace and contype <> 'n'	-- a dump of a server before 18 has no names for these
	union all select indexdef from pg_indexes where schemaname = 'g'
	union all select concat_ws('|', pg_get_triggerdef(t.oid), tgenabled, obj_description(t.oid, 'pg_trigger'))
		from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace = 'g'::regnamespace and not tgisinternal
	union all select concat_ws('|', pg_get_functiondef(oid), proacl, obj_description(oid, 'pg_proc')) from pg_proc where pronamespace = 'g'::regnamespace
	union all select concat_ws('|', nspname, pg_get_userbyid(nspowner), obj_description(oid, 'pg_namespace')) from pg_namespace where nspname = 'g'
	order by 1};
my $of_extension = q{
	select concat_ws('|', i.type, i.identity, obj_description(d.objid, d.classid::regclass::name), f.definition, f.proacl, v.definition, v.relacl)
		from pg_depend d join pg_extension e on (e.oid, 'pg_extension'::regclass) = (refobjid, refclassid)
		cross join lateral pg_identify_object(classid, objid, 0) i
		left join (select oid, pg_get_functiondef(oid) as definition, proacl from pg_proc where prokind in ('f', 'p')) f on i.type in ('function', 'procedure') and f.oid = objid
		left join (select oid, pg_get_viewdef(oid) as definition, relacl from pg_class where relkind = 'v') v on i.type = 'view' and v.oid = objid
		where extname = 'hybridkg' and deptype = 'e'
	union all select concat_ws('|', attrelid::regclass, attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum))
		from pg_attribute join pg_depend on (attrelid, 'pg_class'::regclass) = (objid, classid) join pg_extension e on e.oid = refobjid
		where extname = 'hybridkg' and deptype = 'e' and attnum > 0
	order by 1};
# the lines that only one of two lists has
sub differences
{
	my ($left, $right) = @_;
	my %left = map { $_ => 1 } split /\n/, $left;
	my %right = map { $_ => 1 } split /\n/, $right;

	return join '', (map { "- $_\n" } grep { !$right{$_} } sort keys %left), map { "+ $_\n" } grep { !$left{$_} } sort keys %right;
}
my $questions = slurp_file('test/dumps/answers.sql');

# ---- the version that is installed ----

my $node = PostgreSQL::Test::Cluster->new('upgrade', install_path => $server);
$node->init;
$node->append_conf('postgresql.conf', 'hybridkg.progress = off');
$node->start;
$node->safe_psql('postgres', 'create role owner superuser; create role reader; create role trainer');

sub refused
{
	my ($database, $statement, $message, $name) = @_;
	my ($code, $out, $err) = $node->psql($database, "\\set VERBOSITY verbose\n$statement");

	like($err, $message, $name);
	return;
}

# a database with the installed version, in which a dump is restored, owned by a role of its own
sub restore
{
	my ($database, $file) = @_;

	$node->safe_psql('postgres', "create database $database");
	$node->safe_psql($database, 'create extension hybridkg');
	local $ENV{PGOPTIONS} = '-c role=owner';
	command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $file, '-d', $node->connstr($database) ], "$file is restored");
	return;
}

# The answers beside a dump are those that it gave, but for common ones (doc/method.md): these are counted when a question
# is asked, of old models, too.
my @dumps = map { m{([^/]+)\.sql$} ? { file => $_, version => $1 } : () } grep { -e s/\.sql$/.out/r } glob 'test/dumps/*.sql';
cmp_ok(scalar @dumps, '>', 0, 'there are dumps of released versions');
foreach my $i (0 .. $#dumps)
{
	my $dump = $dumps[$i];

	$dump->{database} = "dump$i";
	$dump->{answers} = slurp_file($dump->{file} =~ s/\.sql$/.out/r) =~ s/\n$//r;
	restore($dump->{database}, $dump->{file});
	$dump->{layout} = $node->safe_psql($dump->{database}, 'select version from g.layout');
	is($node->safe_psql($dump->{database}, $questions), $dump->{answers}, "$dump->{version}: predicts as it did when it was dumped")
		if $dump->{layout} == $layout;
}
my ($current) = grep { $_->{layout} == $layout } @dumps;
ok(defined $current, 'one is of the layout of this version');
my $database = $current->{database};
$node->safe_psql($database, q{select hkg_create_graph('empty')});

# every released version is updated to this one, as if it had been made anew
foreach my $released (grep { $_ ne $version } map { m{hybridkg--([\d.]+)\.sql$} ? $1 : () } glob 'sql/*.sql')
{
	$node->safe_psql('postgres', "create database updated");
	$node->safe_psql('updated', "create extension hybridkg version '$released'; alter extension hybridkg update");
	is(differences($node->safe_psql('updated', $of_extension), $node->safe_psql($database, $of_extension)), '',
		"the extension, updated from $released, is as if made anew");
	$node->safe_psql('postgres', "drop database updated");
}

# sessions that go on with the old library: one that predicts, one that trains
my $old = $node->background_psql($database, on_error_stop => 0);
my $score = q{select hkg_score('g', 'n3', 'twice', 'n6') > 0};
is($old->query_safe($score), 't', 'a session of the old version predicts');
my $training = $node->background_psql($database);
my $pid = $training->query_safe('select pg_backend_pid()');
$training->query_until(qr/begun/, qq{\\echo begun
select hkg_train('g', 'distmult', 8, iterations => 1, epochs => 1000000, model => 'long', settings => jsonb_build_object('holdout', 0));\n});
$node->poll_query_until($database, q{select exists (select from hkg_progress where model = 'long')}) or die 'no training';

# ---- the next one ----

make_next_version();
run_log([ 'make', '-s', '-C', $checkout, "PG_CONFIG=$server/bin/pg_config", 'install' ]) or die 'the next version is not built';

my $reads = qr/ERROR:  55000: graph "g" has layout $layout, but this version of hybridkg reads layout $next_layout\nHINT:  .*select hkg_upgrade_graph\('g'\)/;
my @calls = (
	q{hkg_score('g', 'n3', 'twice', 'n6')}, q{hkg_predict_tails('g', 'n5', 'twice')}, q{hkg_evaluate('g')},
	q{hkg_explain('g', 'n3', 'twice', 'n6')}, q{hkg_mine_rules('g')}, q{hkg_tune('g', '{"dimensions": [2]}')});
my $load = q{hkg_load('g', $$values ('a', 'b', 'c')$$)};
my @writes = ($load, q{hkg_train('g')}, q{hkg_resume('g')}, q{hkg_learn_evidence('g')}, q{hkg_import_rules('g', 'next(X,Y) <= half(Y,X)')});
refused($database, "select hkg_score('g', 'n3', 'twice', 'n6')", $reads, 'a newer library refuses the graph');
refused($database, q{select hkg_upgrade_graph('empty')}, qr/ERROR:  55000: the functions of hybridkg are older .*HINT:  .*alter extension hybridkg update/s,
	'the functions that come with it upgrade the graph');
$node->safe_psql($_->{database}, 'alter extension hybridkg update') foreach @dumps;
refused($database, "select * from $_", $reads, "refused before the upgrade of the graph: $_") foreach @calls;
$node->safe_psql($database, q{grant usage on schema g to reader});
refused($database, "set role reader; select * from $_", $reads, "who does not own it does not upgrade it: $_") foreach @writes;
refused($database, "select * from $_", qr/ERROR:  55006: graph "g" is in use by a training/, "nor is it upgraded while a model is trained: $_") foreach @writes;
refused($database, q{set role reader; select hkg_upgrade_graph('g')}, qr/ERROR:  42501: must be owner of graph "g"/, 'the owner upgrades a graph');
refused($database, q{select hkg_upgrade_graph('g')}, qr/ERROR:  55006: graph "g" is in use by a training/, 'not while a model is trained');
$node->safe_psql($database, "select pg_terminate_backend($pid)");
$node->poll_query_until($database, "select not exists (select from pg_stat_activity where pid = $pid)");
is($node->safe_psql($database, q{begin; select hkg_upgrade_graph('g'); rollback; select version from g.layout}), "$next_layout\n$layout",
	'an upgrade can be rolled back');
is($node->safe_psql($database, "begin; select added from $load; select version from g.layout; rollback; select version from g.layout"), "1\n$next_layout\n$layout",
	'the first function that writes it upgrades it');
my $reader = $node->background_psql($database, on_error_stop => 0);
$reader->query_safe('begin; select count(*) from g.triple');
my $upgrading = session($node, 'upgrading', q{begin; select hkg_upgrade_graph('g'); rollback}, $database);
my $upgrading_pid = wait_for_session($node, $upgrading);
ok(wait_until($node, "select wait_event_type = 'Lock' from pg_stat_activity where pid = $upgrading_pid"), 'it waits for who reads the graph');
is($reader->query('select count(*) > 0 from g.entity, g.model, g.layout'), 't', 'who can go on reading');
$reader->query_safe('commit');
$reader->quit;
ok(finish($upgrading), 'then it is done');

# a graph of the next version, and the extension, made anew
$node->safe_psql('postgres', 'create database fresh');
$node->safe_psql('fresh', q{create extension hybridkg; set role owner; select hkg_create_graph('g')});
$node->safe_psql('fresh', 'grant usage on schema g to reader; grant select on all tables in schema g to reader; revoke select on g.remark from reader');
my $written = 'g.iteration, g.relation_embedding';
my $written_now = "$written, g.path_epoch, g.path_network, g.shared_weight, g.training";
$node->safe_psql('fresh', "grant insert, update, delete on $written_now to trainer");
my $fresh = $node->safe_psql('fresh', $of_graph);
like($fresh, qr/^remark\|r\|owner/m, 'a new graph has what the last layout brings');

foreach my $dump (@dumps)
{
	my $to = $dump->{database};

	$node->safe_psql($to, 'grant usage on schema g to reader; grant select on all tables in schema g to reader');
	$node->safe_psql($to, 'grant insert, update, delete on ' . ($dump->{layout} < 2 ? $written : $written_now) . ' to trainer');
	is($node->safe_psql($to, q{select hkg_upgrade_graph('g')}), $next_layout, "$dump->{version}: upgraded, by a superuser");
	is($node->safe_psql($to, q{select hkg_upgrade_graph('g')}), $next_layout, 'once more changes nothing');
	is($node->safe_psql($to, $questions), $dump->{answers}, 'its models predict as before');
	is(differences($node->safe_psql($to, $of_graph), $fresh), '', 'its tables are those of a new graph, and belong to its owner');
	is(differences($node->safe_psql($to, $of_extension), $node->safe_psql('fresh', $of_extension)), '', 'the extension is as if made anew');
	is($node->safe_psql($to, q{set role owner; select hkg_train('g', 'distmult', 4, iterations => 1, epochs => 1, model => 'new')}), 'new', 'it can be trained');
}

# who has the old library in memory
$old->query($score);
like($old->{stderr}, qr/graph "g" has layout $next_layout, but this version of hybridkg reads layout $layout/, 'a session of the old version refuses the new layout');
$old->quit;

done_testing();
