# A statement that is cancelled, times out or is terminated ends within 200 ms (a training within 100),
# whatever it is doing, and leaves nothing behind.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use List::Util qw(min);
use POSIX qw(ceil);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $usual_limit = 0.2;

my $node = start_node('cancel');
make_graph($node, 'g', 5000, 50000);

# A few seconds, in about equal parts training, mining, sampling (from millions of inferences), and looking for
# evidence.
my $train = q{select hkg_train('g', 'distmult', dimensions => 32, iterations => 1, epochs => 40, evidence_seconds => 1, paths => false,
	sample_size => 5000, min_head_coverage => 0.001, top_rules => 1000, omega => 0.5, min_quality => 0, model => 'm')};

# What a statement left of threads, of tables and of locks in its session: nothing.
my $left = q{select (select count(*) from pg_ls_dir('/proc/' || pg_backend_pid() || '/task'))
	|| ' thread, ' || (select count(*) from pg_class where relpersistence = 't' and relkind = 'r')
	|| ' work tables, ' || (select count(*) from pg_locks where locktype = 'advisory') || ' locks'};

# Runs a statement under a timeout; returns how much later than that it ended,
# whether it timed out, and what is left.  What is done in time is rolled back.
sub time_out
{
	my ($statement, $milliseconds) = @_;
	my ($code, $out, $err) = $node->psql('postgres', qq{
		create temp table clock (at timestamptz);
		insert into clock values (clock_timestamp());
		\\set ON_ERROR_STOP off
		begin;
		set local statement_timeout = $milliseconds;
		$statement;
		\\echo :SQLSTATE
		rollback;
		select extract(epoch from clock_timestamp() - at) from clock;
		drop table clock;
		$left;
	}, on_error_stop => 0);
	my @lines = split /\n/, $out;

	return ($lines[-2] - $milliseconds / 1000, $lines[-3] eq '57014', $lines[-1]);
}

# Whether the statement was still running when its time was over.  A late end
# may be the machine's fault: the best of a few counts.
sub times_out
{
	my ($what, $statement, $milliseconds, $limit) = @_;
	my ($late, $timed_out, $rest);

	$limit //= $usual_limit;
	foreach my $try (1 .. 5)
	{
		($late, $timed_out, $rest) = time_out($statement, $milliseconds);
		last if $late < $limit;
	}
	cmp_ok($late, '<', $limit, sprintf('%s: %s, %.0f ms after %d ms', $what,
		$timed_out ? 'timed out' : 'done', $late * 1000, $milliseconds));
	is($rest, '1 thread, 0 work tables, 0 locks', "$what: nothing left");
	return $timed_out;
}

# A whole training tells how long each phase takes; the faster of two, for others may be using the machine.
my $whole;
foreach my $try (1 .. 2)
{
	my $started = time();

	$node->safe_psql('postgres', $train);
	$whole = min(grep { defined } $whole, time() - $started);
}
my %phase;
@phase{qw(train mine sample evaluate)} = split /\|/, $node->safe_psql('postgres',
	q{select sum(train_seconds), sum(mine_seconds), sum(sample_seconds), sum(evaluate_seconds)
	from g.iteration where model = 'm'});
note(sprintf('whole %.2f s: %s', $whole, join ', ', map { "$_ $phase{$_}" } sort keys %phase));

# Steps so small that none of these phases fits between two; evaluation has a test of its own.
my $steps = min(12, ceil(1.2 * $whole / min(@phase{qw(train mine sample)})));
my $before = tables($node, 'g');
my $hits = 0;
foreach my $step (1 .. $steps - 1)
{
	my $milliseconds = int(1000 * $whole * $step / $steps);

	if (times_out("training, $step/$steps", $train, $milliseconds))
	{
		$hits++;
	}
	else
	{
		$whole = $milliseconds / 1000;	# it takes less, now that nobody else is using the machine
	}
}
cmp_ok($hits, '>=', $steps / 2, 'most of these were still training');
is(tables($node, 'g'), $before, 'the model is still the old one');

# Trainings of which any one step would be long, were they not cut: rows of a million numbers,
# large minibatches, passes over all entities.  Each runs for minutes, so that it is caught at work.
my $wide = q{loss => 'softmax', iterations => 1000, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'w', regularization => 0.05};
foreach my $case (
	[ 'rescal', "select hkg_train('g', 'rescal', 1024, batch_size => 2000, $wide)" ],
	[ 'rescal with relations', "select hkg_train('g', 'rescal', 512, relation_weight => 1, batch_size => 1000, $wide)" ],
	[ 'complex, large batches', "select hkg_train('g', 'complex', 1000, relation_weight => 1, batch_size => 20000, optimizer => 'adam', $wide)" ],
	[ 'conve', "select hkg_train('g', 'conve', 500, batch_size => 2000, $wide)" =~ s/softmax/k_vs_all/r ],
	[ 'partitions', q{select hkg_train('g', dimensions => 1000, iterations => 1000, epochs => 1, top_rules => 0, evidence_rules => 0, partitions => 8, model => 'w')} ])
{
	foreach my $milliseconds (150, 700, 1500)
	{
		ok(times_out($case->[0], $case->[1], $milliseconds, 0.1), "$case->[0]: was still running");
	}
}

my $facts = $node->safe_psql('postgres', 'select count(*) from g.triple');
foreach my $case (
	[ 'loading: the query', q{select hkg_load('g', 'select i, ''r6'', i + 1 from generate_series(1, 100000000) i')}, 300 ],
	[ 'loading: the rows', q{select hkg_load('g', 'select i, ''r6'', i + 1 from generate_series(1, 3000000) i')}, 3000 ],
	[ 'mining', q{select * from hkg_mine_rules('g', max_rule_length => 4, min_head_coverage => 0.0001, min_support => 1)}, 200 ],
	[ 'mining with a model', q{select * from hkg_mine_rules('g', max_rule_length => 4, min_support => 1, measure => 'hybrid', model => 'm')}, 300 ],
	[ 'evaluation', q{select * from hkg_evaluate('g', 'train', 'm')}, 60 ],
	[ 'completing', q{select count(*) from hkg_complete('g', k => 100000, min_probability => 0, model => 'm')}, 60 ],
	[ 'completing for some heads', q{select count(*) from hkg_complete('g', k => 100000, min_probability => 0, model => 'm', heads => 'select name from g.entity', one_each => true)}, 60 ],
	[ 'a query for heads', q{select count(*) from hkg_complete('g', model => 'm', heads => 'select i from generate_series(1, 100000000) i')}, 100 ],
	[ 'many questions', q{select count(*) from (select array_agg(e.name) as heads from g.entity e, generate_series(1, 20)) q, hkg_predict_tails('g', q.heads, 'r1', 100, 'm')}, 60 ],
	[ 'precision', q{select * from hkg_rule_precision('g', 200, 'valid', 'm')}, 50 ])
{
	ok(times_out(@$case), "$case->[0]: was still running");
}
is($node->safe_psql('postgres', 'select count(*) from g.triple'), $facts, 'no fact was loaded');
is(tables($node, 'g'), $before, 'no table has changed');

# A question that thousands of rules answer, each of which could look at all of this graph: the work of an answer is
# bounded.  An explanation looks at all of it: seconds at a stretch.
$node->safe_psql('postgres', q{
	select hkg_create_graph('s');
	select hkg_load('s', $$select 'h' as head, 'a' as relation, 'n' || i as tail from generate_series(1, 300) i
		union all select 'n' || i, 'b', 'm' || j from generate_series(1, 300) i, generate_series(1, 300) j
		union all values ('h', 'c', 'm1'), ('h', 'c', 'm2')$$);
	select hkg_train('s', 'distmult', dimensions => 1, iterations => 1, epochs => 1, top_rules => 0,
		evidence_rules => 1, holdout => 0, model => 'm');
	select hkg_import_rules('s', 'c(X,Y) <= a(X,A), b(A,Y), b(A,"m1")', model => 'm');
	insert into s.rule select (copy).* from (select jsonb_populate_record(r, jsonb_build_object('id', i)) as copy
		from s.rule r, generate_series(1001, 4000) i where rule like '%m1%') c});
foreach my $statement (q{select hkg_score('s', 'h', 'c', 'm3', 'm')}, q{select * from hkg_predict_tails('s', 'h', 'c', model => 'm')})
{
	my ($code) = $node->psql('postgres', "set statement_timeout = '2s'; $statement");

	is($code, 0, "$statement: is bounded");
}
ok(times_out('an explanation', q{select * from hkg_explain('s', 'h', 'c', 'm3', 'm')}, 1000, 0.1), 'an explanation: was still running');

# Learnt paths as rules: 300 ways lead from each of these facts to the next
$node->safe_psql('postgres', q{select hkg_train('s', 'distmult', dimensions => 1, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 1, holdout => 0,
	model => 'p', max_rule_length => 2, paths => true, path_layers => 3, path_width => 16, path_kept => 300, path_epochs => 1, path_facts => 16)});
foreach my $milliseconds (100, 400, 900)
{
	ok(times_out('learnt paths as rules', q{select * from hkg_path_rules('s', 'b', 'p', sample => 2000)}, $milliseconds, 0.1), 'learnt paths as rules: was still running');
	ok(times_out('completing with learnt paths', q{select count(*) from hkg_complete('s', k => 100000, min_probability => 0, model => 'p', exact => true)}, $milliseconds, 0.1), 'completing with learnt paths: was still running');
}

# pg_cancel_backend and pg_terminate_backend, seen from another session
$node->safe_psql('postgres', q{
	create function hurry(process int, terminate bool) returns float8 language plpgsql as $$
	declare
		started timestamptz := clock_timestamp();
	begin
		if terminate then
			perform pg_terminate_backend(process);
		else
			perform pg_cancel_backend(process);
		end if;
		while exists (select from pg_stat_activity where pid = process and state = 'active') loop
			perform pg_sleep(0.002);
			perform pg_stat_clear_snapshot();
		end loop;
		return extract(epoch from clock_timestamp() - started);
	end $$});

foreach my $part (0.1, 0.4, 0.7)
{
	foreach my $how ('cancel', 'terminate')
	{
		my $took;
		my $session;

		foreach my $try (1 .. 3)
		{
			$session = session($node, 'trainer', $train);
			my $pid = wait_for_session($node, $session, $whole * $part);

			$took = $node->safe_psql('postgres', "select hurry($pid, " . ($how eq 'terminate' ? 'true' : 'false') . ')');
			finish($session);
			last if $took < $usual_limit;
		}
		cmp_ok($took, '<', $usual_limit, sprintf('pg_%s_backend at %.1f of the training: %.0f ms', $how, $part, $took * 1000));
		like($session->{err}, $how eq 'cancel' ? qr/57014/ : qr/57P01|terminating connection/, "$how: the session was told");
	}
}
# The last epochs, of all facts, when there is nothing more to choose from: one, as long as the one before.
my $small = tables($node, 's');
my $refit;
my $took;
foreach my $try (1 .. 3)
{
	my $session = session($node, 'trainer', q{set hybridkg.progress = iteration; select hkg_train('s', 'complex',
		dimensions => 200, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'm')});
	my $pid = wait_for_session($node, $session);

	$session->{run}->pump until $session->{err} =~ m{iteration 1/1: };
	$took = $node->safe_psql('postgres', "select hurry($pid, false)");
	finish($session);
	$refit = $session->{err} =~ /57014/ && $session->{err} !~ /refitted on all facts/;
	last if $refit && $took < 0.1;
}
ok($refit, 'the last epochs were at work');
cmp_ok($took, '<', 0.1, sprintf('and were cancelled: %.0f ms', $took * 1000));
is(tables($node, 's'), $small, 'the model is still the old one');

is($node->safe_psql('postgres', q{select count(*) from pg_stat_activity where application_name = 'trainer'}),
	'0', 'no backend is left');
is(tables($node, 'g'), $before, 'no table has changed');
$node->safe_psql('postgres', $train);
is($node->safe_psql('postgres', q{select count(*) from g.model}), '1', 'the graph can be trained again');

# stopping the server does not wait for a training, either
my $session = session($node, 'trainer', $train);
wait_for_session($node, $session, $whole * 0.3);
my $started = time();
$node->stop('fast');
cmp_ok(time() - $started, '<', 5, 'a fast shutdown ends a training');
ok(!finish($session), 'the training failed');

done_testing();
