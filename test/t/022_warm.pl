# warm_start in the background, stopped and resumed; a stopped training beside a model that is ready.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('warm');
make_graph($node, 'g', 200, 2000);

my $cold = q{'complex', dimensions => 16, iterations => 2, epochs => 10, top_rules => 0, seed => 1};
my $warm = q{'complex', dimensions => 16, iterations => 4, epochs => 15, sample_size => 50, seed => 2, warm_start => true};

sub value { return $node->safe_psql('postgres', $_[0]) }

sub refused
{
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$_[0]");
	return $err;
}

sub wait_for
{
	my ($condition) = @_;

	return $node->poll_query_until('postgres', "select $condition");
}

# Three models alike, then facts of entities that they do not know
value("select hkg_train('g', $cold, model => '$_')") foreach qw(front back stopped);
is(left_by($node, 'back'), left_by($node, 'front'), 'two models alike');
value(q{select hkg_load('g', $$select 'late' || i, 'r1', 'e' || i from generate_series(1, 20) i$$)});

value("select hkg_train('g', $warm, model => 'front')");
my $whole = left_by($node, 'front');
value("select hkg_train_background('g', $warm, model => 'back')");
ok(wait_for(q{status = 'ready' and settings->'warm_start' = 'true' from g.model where name = 'back'}), 'in the background');
is(left_by($node, 'back'), $whole, 'it leaves the very same');

# stopped before and after its first iteration
foreach my $iterations (0, 2)
{
	my $pid = value("select hkg_train_background('g', $warm, model => 'stopped')");
	wait_for("(select count(*) from g.iteration where model = 'stopped') >= $iterations");
	value("select pg_cancel_backend($pid)");
	ok(wait_for(q{status <> 'training' from g.model where name = 'stopped'}), 'stopped');
	my $done = value(q{select count(*) from g.iteration where model = 'stopped'});
	is(value(q{select status || ' ' || (settings->>'warm_start') from g.model where name = 'stopped'}), 'cancelled false',
		"after $done iterations: the model is the one it began with");
	value(q{begin; select hkg_resume('g', 'stopped'); rollback});
	if ($iterations > 0)
	{
		my $file = PostgreSQL::Test::Utils::tempdir . '/graph.sql';

		$node->safe_psql('postgres', 'create database elsewhere');
		$node->safe_psql('elsewhere', 'create extension hybridkg');
		$node->command_ok([ 'pg_dump', '-n', 'g', '-f', $file, 'postgres' ], 'a stopped training is dumped');
		$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $file, 'elsewhere' ], 'and restored elsewhere');
		$node->safe_psql('elsewhere', q{select hkg_resume('g', 'stopped')});
		is(left_by($node, 'stopped', 'elsewhere'), $whole, 'where it goes on to the very same');
		value(q{select hkg_resume('g', 'stopped')});
		is(left_by($node, 'stopped'), $whole, 'resumed, it leaves the very same');
	}
}

# beside a model that is ready, a stopped training: a warm start goes on from the model
value("select hkg_train('g', $cold, model => '$_')") foreach qw(ready plain);
my $pid = value(q{select hkg_train_background('g', 'complex', dimensions => 16, epochs => 1000000, top_rules => 0, model => 'ready')});
value("select pg_cancel_backend($pid)");
ok(wait_for(q{status = 'cancelled' from g.model where name = 'ready'}), 'stopped again');
value("select hkg_train('g', $warm, model => '$_')") foreach qw(ready plain);
is(left_by($node, 'ready'), left_by($node, 'plain'), 'a warm start goes on from the model that is ready');
like(refused(q{select hkg_resume('g', 'ready')}), qr/ERROR:  55000: .*no interrupted training/, 'the stopped training is gone');

# what cannot be gone on from is told at once
like(refused(q{select hkg_train_background('g', 'rotate', dimensions => 16, model => 'front', warm_start => true)}),
	qr/ERROR:  22023: .*HINT:  Give those/s, 'another score function');
like(refused(q{select hkg_train_background('g', model => 'nobody', warm_start => true)}), qr/ERROR:  42704: /, 'no such model');
is(left_by($node, 'front'), $whole, 'nothing has changed');

$node->stop('fast');
done_testing();
