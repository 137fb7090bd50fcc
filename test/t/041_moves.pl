# A graph moves: to another name, by pg_restore, by logical replication, by pg_upgrade.  005_dump.pl, 007_standby.pl and
# 040_upgrade.pl have the other ways.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tmp = PostgreSQL::Test::Utils::tempdir;
my $node = PostgreSQL::Test::Cluster->new('moves');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', 'hybridkg.progress = off');
$node->start;
$node->safe_psql('postgres', 'create extension hybridkg');
make_graph($node, 'g', 60, 600);
my $train = q{hkg_train('%s', 'complex', dimensions => 4, iterations => 1, epochs => 2, seed => %d, settings => jsonb_build_object('min_quality', 0))};
$node->safe_psql('postgres', sprintf "select $train", 'g', 1);

# what is asked of a graph, by its name; every score counts
sub answers
{
	my ($server, $database, $graph) = @_;

	return $server->safe_psql($database, qq{
		select * from hkg_predict_tails('$graph', array(select 'e' || i from generate_series(1, 20) i), 'r1', 3);
		select * from hkg_explain('$graph', 'e1', 'r2', 'e2');
		select * from hkg_evaluate('$graph', 'valid')});
}
my $answers = answers($node, 'postgres', 'g');
cmp_ok(scalar(split /\n/, $answers), '>', 20, 'the model answers');

# ---- another name ----

$node->safe_psql('postgres', 'alter schema g rename to "Other ""g"""');
is(answers($node, 'postgres', 'Other "g"'), $answers, 'a graph that was renamed answers as before');
$node->safe_psql('postgres', sprintf "begin; select $train; rollback", 'Other "g"', 2);
is(answers($node, 'postgres', 'Other "g"'), $answers, 'and as before after a training that was rolled back');
is($node->safe_psql('postgres', q{begin; delete from "Other ""g""".triple; select count(*) from hkg_apply_rule('Other "g"', 'r1(X,Y) <= r3(Y,X)'); rollback}), '0',
	'its triggers are those of its new name');

# ---- the whole database, in the custom format, by two processes ----

command_ok([ 'pg_dump', '-Fc', '-f', "$tmp/dump", '-d', $node->connstr('postgres') ], 'pg_dump in the custom format');
$node->safe_psql('postgres', 'create database restored');
command_ok([ 'pg_restore', '-j2', '-e', '-d', $node->connstr('restored'), "$tmp/dump" ], 'it is restored by two processes');
is(answers($node, 'restored', 'Other "g"'), $answers, 'and answers as before');
$node->safe_psql('postgres', 'alter schema "Other ""g""" rename to g');

# ---- rows alone, into a graph that the extension made ----

command_ok([ 'pg_dump', '-n', 'g', '--data-only', '-f', "$tmp/rows", '-d', $node->connstr('postgres') ], 'pg_dump of the rows');
$node->safe_psql('postgres', 'create database rows');
$node->safe_psql('rows', q{create extension hybridkg; select hkg_create_graph('g')});
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$tmp/rows", '-d', $node->connstr('rows') ], 'they are restored into a new graph');
is(answers($node, 'rows', 'g'), $answers, 'and answer as before');

# ---- logical replication: tables of the graph, to a subscriber that predicts ----

my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init(allows_streaming => 'logical');
$subscriber->append_conf('postgresql.conf', 'hybridkg.progress = off');
$subscriber->start;
$subscriber->safe_psql('postgres', q{create extension hybridkg; select hkg_create_graph('g')});
$node->safe_psql('postgres', q{
	create publication graph for table g.entity, g.relation, g.triple, g.holdout, g.model, g.entity_embedding, g.relation_embedding, g.threshold,
		g.evidence_weight, g.rule});
my $publisher = $node->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres', "create subscription graph connection '$publisher' publication graph");
$subscriber->wait_for_subscription_sync($node, 'graph');
is(answers($subscriber, 'postgres', 'g'), $answers, 'a subscriber has the model and answers as the publisher');

# a session of the subscriber that holds model and facts sees what comes
my $asking = $subscriber->background_psql('postgres');
my $one = q{select hkg_score('g', 'e1', 'r2', 'e2'), (select count(*) from hkg_apply_rule('g', 'r1(X,Y) <= r3(Y,X)'))};
my $before = $asking->query_safe($one);
is($before, $node->safe_psql('postgres', $one), 'a session of it');
foreach my $change (sprintf("select $train", 'g', 2),
	q{insert into g.triple select t.tail, r.id, t.head from g.triple t, g.relation r where r.name = 'r3' and t.relation <> r.id on conflict do nothing},
	q{delete from g.triple where head % 3 = 0})
{
	$node->safe_psql('postgres', $change);
	$node->wait_for_catchup('graph');
	my $after = $asking->query_safe($one);

	isnt($after, $before, 'has other answers after a change');
	is($after, $node->safe_psql('postgres', $one), 'which are those of the publisher');
	$before = $after;
}
$asking->quit;
is(answers($subscriber, 'postgres', 'g'), answers($node, 'postgres', 'g'), 'subscriber and publisher answer the same');
$subscriber->safe_psql('postgres', 'drop subscription graph');
is($subscriber->safe_psql('postgres', sprintf "select $train", 'g', 3), 'default', 'it can be trained where it has come to');
$subscriber->stop;

# ---- pg_upgrade, to the same major ----

my $after = answers($node, 'postgres', 'g');
my $bindir = `$ENV{PG_CONFIG} --bindir`;
chomp $bindir;
my $upgraded = PostgreSQL::Test::Cluster->new('upgraded');
$upgraded->init;
$upgraded->append_conf('postgresql.conf', 'hybridkg.progress = off');
$node->safe_psql('postgres', 'drop publication graph');
$node->stop;
chdir $tmp or die $!;
command_ok([ 'pg_upgrade', '--no-sync', '-b', $bindir, '-B', $bindir, '-d', $node->data_dir, '-D', $upgraded->data_dir, '-s', $node->host,
	'-p', $node->port, '-P', $upgraded->port ], 'pg_upgrade') or run_log([ 'sh', '-c', "tail -n 30 $tmp/*.log " . $upgraded->data_dir . '/pg_upgrade_output.d/*/log/*' ]);
$upgraded->start;
is(answers($upgraded, 'postgres', 'g'), $after, 'the new cluster answers as the old one');
is(answers($upgraded, 'restored', 'Other "g"'), $answers, 'in each database');
is($upgraded->safe_psql('postgres', sprintf "select $train", 'g', 3), 'default', 'and trains');

done_testing();
