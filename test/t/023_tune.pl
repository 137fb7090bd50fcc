# A search over arguments that is stopped: its training in the background stops with it, and what was
# done is not done again.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('tune');
make_graph($node, 'g', 100, 600);

sub value { return $node->safe_psql('postgres', $_[0]) }

# three trials that take a moment, and one that would take hours
my $short = q{'{"score_function": ["distmult"], "dimensions": [2, 4, 8], "iterations": [1], "epochs": [1]}', '{"top_rules": 0}'};
my $long = q{'{"score_function": ["distmult"], "dimensions": [2, 4, 8, 9], "iterations": [1], "epochs": [1, 1000000]}', '{"top_rules": 0}'};

foreach my $how (qw(pg_cancel_backend statement_timeout))
{
	my $tune = "select from hkg_tune('g', $long, model => 'best')";
	# by then the short trials are done, and the long one runs
	my $session = session($node, $how, $how eq 'statement_timeout' ? "set statement_timeout = '10s'; $tune" : $tune);
	my $pid = wait_for_session($node, $session);

	# the grid's order: epochs stay the longest, so dimensions 2, 4, 8, 9 of one epoch come first
	$node->poll_query_until('postgres', 'select exists (select from hkg_progress where epochs = 1000000 and epoch > 0)')
		or die 'the long trial does not run';
	value("select pg_cancel_backend($pid)") if $how eq 'pg_cancel_backend';
	ok(!finish($session), "$how: the search ends with an error");
	like($session->{err}, qr/57014/, "$how: of a query that was cancelled");
	ok($node->poll_query_until('postgres', 'select count(*) = 0 from hkg_progress'), "$how: its trial stops, too");
	ok($node->poll_query_until('postgres', q{select count(*) = 0 from g.model where status = 'training'}), "$how: the status of its model shows it");
	is(value('select count(*) from g.trial'), '0', "$how: it leaves no rows");
	is(value(q{select count(*) from g.model where name like 'trial %' and status = 'ready'}), '4', "$how: but four trials are done");
	is(value(q{select count(*) from g.model where name = 'best'}), '0', "$how: and there is no best one yet");
}

my $done = value(q{select string_agg(trained_at::text, ' ' order by trained_at) from g.model where status = 'ready' and dimensions < 9});
is(value("select count(*) from hkg_tune('g', $short, model => 'best') where status = 'done'"), '3', 'a smaller grid');
is(value(q{select string_agg(trained_at::text, ' ' order by trained_at) from g.trial}), $done, 'is made of what was done');
is(value(q{select count(*) from g.model m where name = 'best' and mrr = (select max(mrr) from g.trial)}), '1', 'and has its best one');

# progress
my ($code, $out, $err) = $node->psql('postgres', "set hybridkg.progress = iteration; select from hkg_tune('g', $short, model => 'best')");
is($err, '', 'no trial, no notice');
($code, $out, $err) = $node->psql('postgres',
	q{set hybridkg.progress = iteration; select from hkg_tune('g', '{"dimensions": [3]}', '{"iterations": 1, "epochs": 1, "top_rules": 0}', seed => 1)});
like($err, qr/NOTICE:  trial 1 of 1: \{.*"dimensions": 3.*\}, MRR 0\.\d+ after \d+\.\d s$/m, 'a notice for each trial');

# a lock of the transaction that searches, for which a trial would wait without end
($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nbegin; lock table g.entity_embedding in share mode;
	select from hkg_tune('g', '{\"dimensions\": [5]}', '{\"iterations\": 1, \"epochs\": 1, \"top_rules\": 0}')");
like($err, qr/ERROR:  55P03: the training waits for a lock that this transaction holds on g\.entity_embedding\nHINT:  /,
	'a lock that a trial needs');
ok($node->poll_query_until('postgres', 'select count(*) = 0 from hkg_progress'), 'the trial is cancelled');

# one search of a graph at a time, and none for a model that is being trained
my $first = session($node, 'first', "select from hkg_tune('g', $long, model => 'best')");
my $pid = wait_for_session($node, $first);
ok($node->poll_query_until('postgres', 'select exists (select from hkg_progress where epochs = 1000000)'), 'a search is under way');
($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nselect from hkg_tune('g', $short, model => 'other')");
like($err, qr/55006: .* is being searched/, 'another search is refused');
value("select pg_cancel_backend($pid)");
finish($first);
$node->poll_query_until('postgres', 'select count(*) = 0 from hkg_progress');
$pid = value("select hkg_train_background('g', dimensions => 2, epochs => 1000000, top_rules => 0, model => 'best')");
($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nselect from hkg_tune('g', $short, model => 'best')");
like($err, qr/55006: model "best" of graph "g" is being trained\nHINT:  Wait for it to end, or name another model\./, 'a model that is being trained');
value("select pg_cancel_backend($pid)");

# one whose training begins while the search is under way: it is left alone, and no trial is repeated
my $slow = q{'{"score_function": ["distmult"], "dimensions": [6], "iterations": [1], "epochs": [100]}', '{"top_rules": 0}'};
my $gate = hold($node, 'g.iteration', 'trial %', 1);
my $search = session($node, 'search', "select from hkg_tune('g', $slow, model => 'late')");
ok(is_held($node), 'a trial is under way');
$pid = value("select hkg_train_background('g', dimensions => 2, epochs => 1000000, top_rules => 0, model => 'late')");
let_go($node, $gate);
ok(!finish($search), 'a model whose training has begun meanwhile');
like($search->{err}, qr/55006: model "late" of graph "g" is being trained/, 'is not replaced');
is(value(q{select count(*) from hkg_progress where model = 'late'}), '1', 'and is still being trained');
value("select pg_cancel_backend($pid)");
$node->poll_query_until('postgres', 'select count(*) = 0 from hkg_progress');
my $trained = value(q{select trained_at from g.model where name like 'trial %' and dimensions = 6});
is(value("select status from hkg_tune('g', $slow, model => 'late')"), 'done', 'a search that is called again');
is(value(q{select trained_at from g.model where name = 'late'}), $trained, 'has the model of the first one');

# an extension in a schema whose name is odd
$node->safe_psql('postgres', 'create database elsewhere');
$node->safe_psql('elsewhere', q{create schema "100% rules"; create extension hybridkg schema "100% rules";
	set search_path = "100% rules"; select hkg_create_graph('g');
	select hkg_load('g', 'select i % 20, ''r'', i % 7 from generate_series(1, 100) i');
	select hkg_load('g', 'select 0, ''r'', 6', 'valid')});
is($node->safe_psql('elsewhere', q{select status, error from "100% rules".hkg_tune('g', '{"dimensions": [3]}', '{"iterations": 1, "epochs": 1}')}),
	'done|', 'trials by an extension in another schema');

$node->stop;
done_testing();
