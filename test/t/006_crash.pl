# A crash while training leaves the old model; a dead postmaster leaves no backend.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('crash');
make_graph($node, 'g', 1000, 10000);
my $old = q{select hkg_train('g', 'distmult', paths => false, dimensions => 16, iterations => 1, epochs => 2, evidence_rules => 20)};
my $long = q{select hkg_train('g', 'distmult', paths => false, dimensions => 64, iterations => 1000, epochs => 20)};

$node->safe_psql('postgres', $old);
$node->safe_psql('postgres', 'checkpoint');
my $before = tables($node, 'g');

foreach my $seconds (0.5, 2)
{
	my $trainer = session($node, 'trainer', $long);
	my $pid = wait_for_session($node, $trainer, $seconds);

	kill_backend($node, $pid);
	ok(!finish($trainer), "backend killed after $seconds s of training");
	is(tables($node, 'g'), $before, 'the old model is there');
}
is($node->safe_psql('postgres', $old), 'default', 'and can be trained again');
is($node->safe_psql('postgres', q{select count(*) from pg_class where relkind = 'r' and relnamespace in
	(select oid from pg_namespace where nspname !~ '^(pg_|information_schema$|g$)')}), '0', 'no work table is left');
$before = tables($node, 'g');

foreach my $work ([ 'training', $long ],
	[ 'mining', q{select count(*) from generate_series(1, 1000) i, hkg_mine_rules('g', min_head_coverage => (i - i) * 0.0, min_support => 1)} ],
	[ 'evaluation', q{select count(*) from generate_series(1, 1000) i, hkg_evaluate('g', 'train', seed => i)} ])
{
	my ($name, $statement) = @$work;
	my $session = session($node, 'worker', $statement);
	my $pid = wait_for_session($node, $session, 1);

	$node->kill9;
	cmp_ok(end_process($pid), '<', 5, "$name: the backend follows its postmaster");
	kill 'KILL', $pid if lives($pid);
	finish($session);
	# the postmaster's other children take their moment, too
	foreach my $try (1 .. 100)
	{
		last if $node->start(fail_ok => 1);
		sleep(0.1);
		$node->stop('fast', fail_ok => 1);
	}
	is(tables($node, 'g'), $before, "$name: the server comes up again with the old model");
}

done_testing();
