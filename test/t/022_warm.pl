# warm_start in the background, stopped and resumed; a stopped training beside a model that is ready.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('warm');
make_graph($node, 'g', 200, 2000);

my $cold = q{'complex', dimensions => 16, iterations => 2, epochs => 10, top_rules => 0, evidence_rules => 200, seed => 1};
my $warm = q{'complex', dimensions => 16, iterations => 12, epochs => 5, sample_size => 50, evidence_rules => 200, seed => 2, warm_start => true};

sub value { return $node->safe_psql('postgres', $_[0]) }

sub refused
{
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$_[0]");
	return $err;
}

sub wait_for
{
	my ($condition) = @_;

	return wait_until($node, "select $condition");
}

# Three models alike, then facts of entities that they do not know
value("select hkg_train(@{[ arguments(qq{'g', $cold, model => '$_'}) ]})") foreach qw(front back stopped);
is(left_by($node, 'back'), left_by($node, 'front'), 'two models alike');
value(q{select hkg_load('g', $$select 'late' || i, 'r1', 'e' || i from generate_series(1, 20) i$$)});

value("select hkg_train(@{[ arguments(qq{'g', $warm, model => 'front'}) ]})");
my $whole = left_by($node, 'front');
value("select hkg_train_background(@{[ arguments(qq{'g', $warm, model => 'back'}) ]})");
ok(wait_for(q{status = 'ready' and settings->'warm_start' = 'true' from g.model where name = 'back'}), 'in the background');
is(left_by($node, 'back'), $whole, 'it leaves the very same');

# stopped before and after its first iteration
foreach my $iterations (0, 2)
{
	train_and_stop($node, 'pg_cancel_backend', 'stopped', "'g', $warm", 'g.iteration', $iterations);
	is(value(q{select status || ' ' || (settings->>'warm_start') from g.model where name = 'stopped'}), 'cancelled false',
		"after $iterations iterations: the model is the one it began with");
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
value("select hkg_train(@{[ arguments(qq{'g', $cold, model => '$_'}) ]})") foreach qw(ready plain);
my $pid = value(q{select hkg_train_background('g', 'complex', dimensions => 16, epochs => 1000000, top_rules => 0, model => 'ready')});
value("select pg_cancel_backend($pid)");
ok(wait_for("not exists (select from pg_stat_activity where pid = $pid)"), 'stopped again');
is(value(q{select status from g.model where name = 'ready'}), 'cancelled', 'its status');
value("select hkg_train(@{[ arguments(qq{'g', $warm, model => '$_'}) ]})") foreach qw(ready plain);
is(left_by($node, 'ready'), left_by($node, 'plain'), 'a warm start goes on from the model that is ready');
like(refused(q{select hkg_resume('g', 'ready')}), qr/ERROR:  55000: .*no interrupted training/, 'the stopped training is gone');

# what cannot be gone on from is told at once
like(refused(q{select hkg_train_background('g', 'rotate', dimensions => 16, model => 'front', warm_start => true)}),
	qr/ERROR:  22023: .*HINT:  Give those/s, 'another score function');
like(refused(q{select hkg_train_background('g', model => 'nobody', warm_start => true)}), qr/ERROR:  42704: /, 'no such model');
is(left_by($node, 'front'), $whole, 'nothing has changed');

# ---- a new model that is worse by more than chance does not replace the one it went on from ----

# a ring in both directions, of which embeddings learn far more than chance
value(q{select hkg_create_graph('ring');
	select hkg_load('ring', $$select 'e' || i, r, 'e' || (i + d + 60) % 60 from generate_series(0, 59) i, (values ('next', 1), ('before', -1), ('over', 2)) v (r, d)$$);
	select hkg_split('ring', valid => 0.15, test => 0, seed => 1);
	select hkg_train('ring', 'complex', dimensions => 16, iterations => 3, epochs => 30, top_rules => 10, seed => 1, settings => jsonb_build_object('loss', 'softmax', 'batch_size', 50))});

# all of the model; the learning curve is that of the latest training
sub ring
{
	return value(lines_of((map { "select md5(string_agg(t::text, '|' order by t::text)) from ring.$_ t" }
			qw(entity_embedding relation_embedding rule inferred evidence_weight threshold)),
		q{select concat_ws(' ', settings, status, trained_at, best_iteration, mrr, evidence) from ring.model}));
}

my $ring = ring();
my $ruin = q{'complex', dimensions => 16, loss => 'softmax', batch_size => 50, iterations => 1, epochs => 5, top_rules => 10, learning_rate => 50, warm_start => true};
cmp_ok(value('select mrr from ring.model'), '>', 0.3, 'a model that has learnt something');
my $notice = refused("select hkg_train(@{[ arguments(qq{'ring', $ruin}) ]})");
like($notice, qr/NOTICE: .*model "default" stays as it was: its valid MRR is (0\.\d+), that of the new embeddings is (0\.\d+)\n.*standard error of the difference is 0\.\d+.*setting replace, "always"/s, 'steps that are too large: a notice');
is(abs(($notice =~ /its valid MRR is ([\d.]+)/)[0] - value('select mrr from ring.model')) < 0.0001 ? 'that' : 'another', 'that', 'which has the MRR of the old one');
is(ring(), $ring, 'and it stays as it was');
is(value(q{select status from ring.training order by started_at desc limit 1}), 'refused', 'as its row of table training has it');
$pid = value("select hkg_train_background(@{[ arguments(qq{'ring', $ruin}) ]})");
ok(wait_for("not exists (select from pg_stat_activity where pid = $pid)"), 'the same in the background');
is(value('select status from ring.model'), 'ready', 'ends well');
is(ring(), $ring, 'it stays');
is(value(q{select count(*) from ring.checkpoint}) . value(q{select count(*) from ring.checkpoint_inferred}), '00', 'and nothing of the other one');
# a training that was stopped, and is worse when it is resumed
train_and_stop($node, 'pg_cancel_backend', 'default', q{'ring', 'complex', dimensions => 16, loss => 'softmax', batch_size => 50, iterations => 200, epochs => 5,
	top_rules => 0, evidence_rules => 0, learning_rate => 50, warm_start => true}, 'ring.iteration', 2);
like(refused(q{select hkg_resume('ring')}), qr/NOTICE: .*stays as it was/, 'resumed: a notice');
is(ring(), $ring, 'it stays');
# the same of one whose first iteration is its best: the error is that of an uninterrupted training
my $worse = q{'complex', dimensions => 16, loss => 'softmax', batch_size => 50, iterations => 400, epochs => 5, top_rules => 0, evidence_rules => 0,
	learning_rate => 1, regularization => 10, warm_start => true};
my ($error) = refused("select hkg_train(@{[ arguments(qq{'ring', $worse}) ]})") =~ /standard error of the difference is (\d\.\d+)/;
like($error, qr/^0\.\d+$/, 'a training that is worse: its error');
is(value('select number from ring.iteration order by mrr desc limit 1'), '1', 'the first iteration is the best');
train_and_stop($node, 'pg_cancel_backend', 'default', "'ring', $worse", 'ring.iteration', 1);
is((refused(q{select hkg_resume('ring')}) =~ /standard error of the difference is (\d\.\d+)/)[0], $error, 'resumed: the same error');
# small steps, the default, are taken
like(refused(q{select hkg_train('ring', 'complex', dimensions => 16, iterations => 1, epochs => 5, top_rules => 10, warm_start => true, settings => jsonb_build_object('loss', 'softmax', 'batch_size', 50))}),
	qr/^(?!.*stays as it was)/s, 'small steps are no worse');
isnt(ring(), $ring, 'and replace it');
is(value(q{select (settings->>'learning_rate') || ' ' || (settings->>'learning_rate_end') from ring.model}), '0.2 0.02', 'the default step sizes');
my $mrr = value('select mrr from ring.model');
value("select hkg_train(@{[ arguments(qq{'ring', $ruin, replace => 'always'}) ]})");
cmp_ok(value('select mrr from ring.model'), '<', $mrr, 'whoever asks for it gets it');
like(refused(q{select hkg_train('ring', settings => jsonb_build_object('replace', 'never'))}), qr/ERROR:  22023: replace must be unless_worse or always, not "never"/, 'no other choice');

$node->stop('fast');
done_testing();
