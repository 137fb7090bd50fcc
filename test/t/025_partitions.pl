# Training with two partitions in memory, in two lanes: in the background, stopped and resumed to the same bits; where its file goes;
# the memory that it takes.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('partitions');
make_graph($node, 'g', 300, 3000);

my $arguments = q{dimensions => 16, iterations => 25, epochs => 2, sample_size => 100, top_rules => 20, evidence_rules => 0, omega => 0.5, min_quality => 0, accumulate => true, seed => 3, optimizer => 'adam', learning_rate => 0.01, partitions => 5, nodes => 2};

sub value { return $node->safe_psql('postgres', $_[0]) }

value("select hkg_train('g', $arguments, model => 'whole')");
my $whole = left_by($node, 'whole');

my $pid = value("select hkg_train_background('g', $arguments, model => 'bg')");
ok(wait_until($node, "select status = 'ready' from g.model where name = 'bg'"), 'in the background');
is(left_by($node, 'bg'), $whole, 'the very same as hkg_train');

# the state of the optimizer of all entities is saved, not of two partitions alone
foreach my $how ('pg_cancel_backend', 'kill')
{
	$pid = value("select hkg_train_background('g', $arguments, model => '$how')");
	wait_until($node, "select count(*) >= 2 from g.iteration where model = '$how'");
	$how eq 'kill' ? kill_backend($node, $pid) : value("select $how($pid)");
	wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)");
	is(value("select hkg_resume('g', '$how')"), $how, "$how: resumed");
	is(left_by($node, $how), $whole, "$how: the very same as the unbroken one");
}

# the file goes with the process, and with the transaction
my $endless = q{dimensions => 64, iterations => 10000, epochs => 100, top_rules => 0, holdout => 0, partitions => 4};
$pid = value("select hkg_train_background('g', $endless, model => 'long')");
ok(wait_until($node, 'select count(*) = 1 and sum(size) > 300 * 128 * 4 from pg_ls_tmpdir()'), 'partitions wait in a file');
value("select pg_cancel_backend($pid)");
ok(wait_until($node, 'select count(*) = 0 from pg_ls_tmpdir()'), 'which goes with the process');
my ($code, $files) = $node->psql('postgres', qq{set statement_timeout = '1s'; select hkg_train('g', $endless, model => 'long');
	reset statement_timeout; select count(*) from pg_ls_tmpdir()}, on_error_stop => 0);
is($files, '0', 'and with a transaction that fails');

# Embeddings and state of 50,000 entities, 800 numbers each, are 320 MB; of 8 partitions, two take 80 MB.
$node->safe_psql('postgres', q{
	select hkg_create_graph('large');
	insert into large.entity select i, 'e' || i from generate_series(1, 50000) i;
	insert into large.relation values (1, 'r');
	insert into large.triple select i, 1, 1 + (hashint4(i) & 32767) from generate_series(1, 20000) i});
my $once = q{'distmult', 800, 1, 1, 4096, 4, top_rules => 0, evidence_rules => 0, holdout => 0};
my $peak = q{select substring(pg_read_file('/proc/' || pg_backend_pid() || '/status') from 'VmHWM:\s+(\d+)')::int / 1024};
SKIP:
{
	skip 'no /proc', 3 unless -e '/proc/self/status';
	my ($refused, $out, $err) = $node->psql('postgres', qq{set hybridkg.max_memory = '200MB'; select hkg_train('large', $once)});

	like($err, qr/training needs \d+ MB of memory, more than hybridkg.max_memory \(200 MB\)/, 'one partition does not fit');
	my ($name, $megabytes) = split /\n/, $node->safe_psql('postgres',
		qq{set hybridkg.max_memory = '200MB'; set hybridkg.threads = 1; set hybridkg.progress = off; select hkg_train('large', $once, partitions => 8); $peak});
	is($name, 'default', 'eight do');
	cmp_ok($megabytes, '<', 320, "and the process has $megabytes MB at most");
}

done_testing();
