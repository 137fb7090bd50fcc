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

value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'whole'}) ]})");
my $whole = left_by($node, 'whole');

my $pid = value("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'bg'}) ]})");
ok(wait_until($node, "select status = 'ready' from g.model where name = 'bg'"), 'in the background');
is(left_by($node, 'bg'), $whole, 'the very same as hkg_train');

# the state of the optimizer of all entities is saved, not of two partitions alone
foreach my $how ('pg_cancel_backend', 'kill')
{
	stop_and_resume($node, $how, $how, $arguments);
	is(left_by($node, $how), $whole, "$how: the very same as the unbroken one");
}

# Where a training stopped in the middle of an epoch, part "place" of its checkpoint: epoch, deal and bucket that come
# next, the loss so far and its terms.  A lost node of a cluster leaves one; here it is written by hand, with a checksum
# that is right.  5 partitions are 10 buckets, which an epoch deals twice: with all the samples that may come it has 16
# positives an entity.
sub refused
{
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$_[0]");
	return $err;
}

# A training of that model, cancelled in the middle
sub interrupt
{
	my ($model, $given) = @_;

	return train_and_stop($node, 'pg_cancel_backend', $model, "'g', $given", 'g.iteration', 2);
}

my $sum = q{hash_record_extended(row(data), hashtextextended(part collate "C", number))};
my $sums = "update g.checkpoint set checksum = $sum";
sub place { return "insert into g.checkpoint select '$_[0]', 'place', 0, data, 0 from (values ('\\x" . unpack('H*', $_[1]) . "'::bytea)) v (data); $sums" }
sub at { return pack 'qqqdq', @_ }

interrupt('place', $arguments);
is(value("select bool_and(checksum = $sum) from g.checkpoint"), 't', 'the checksums are known');
is(value(q{select count(*) from g.checkpoint where part = 'place'}), '0', 'one that is cancelled leaves no place');
my $done = value(q{select max(number) from g.iteration where model = 'place'});
my $bits = sub { return "select md5(string_agg(embedding::text, '|' order by entity)) from g.entity_embedding where model = '$_[0]'" };
my $resumed = sub { return (split /\n/, value("begin; " . place('place', $_[0]) . "; select hkg_resume('g', 'place'); " . $bits->('place') . '; rollback'))[-1] };
is($resumed->(at(2 * $done, 0, 0, 0, 0)), value($bits->('whole')), 'at the beginning of an iteration: the very same');
isnt($resumed->(at(2 * $done + 1, 0, 0, 0, 0)), value($bits->('whole')), 'before its last epoch: its first one is left out');
isnt($resumed->(at(2 * $done, 1, 9, 0, 0)), value($bits->('whole')), 'before the last bucket: the others are');
is($resumed->(at(2 * $done, 2, 0, 0, 0)), $resumed->(at(2 * $done + 1, 0, 0, 0, 0)), 'at the end of an epoch: that epoch is');
my %places = (
	'an epoch of the iteration before' => at(2 * $done - 1, 0, 0, 0, 0), 'of the next one' => at(2 * $done + 2, 0, 0, 0, 0), 'an epoch below 0' => at(-1, 0, 0, 0, 0),
	'a deal below 0' => at(2 * $done, -1, 0, 0, 0), 'a third deal that is done' => at(2 * $done, 3, 0, 0, 0), 'a deal of any size' => at(2 * $done, 2**40, 0, 0, 0),
	'a bucket below 0' => at(2 * $done, 0, -1, 0, 0), 'the eleventh' => at(2 * $done, 0, 10, 0, 0), 'a bucket of any size' => at(2 * $done, 0, 2**32, 0, 0),
	'a loss without end' => at(2 * $done, 0, 0, 'inf', 1), 'no number' => at(2 * $done, 0, 0, 'nan', 1));
foreach my $what (sort keys %places)
{
	like(refused('begin; ' . place('place', $places{$what}) . q{; select hkg_resume('g', 'place')}),
		qr/ERROR:  22000: checkpoint of model "place" is damaged\nDETAIL:  Its place in an epoch is out of range\./, "a place out of range: $what");
}
like(refused('begin; ' . place('place', substr(at(2 * $done, 0, 0, 0, 0), 1)) . q{; select hkg_resume('g', 'place')}),
	qr/ERROR:  22000: .*\nDETAIL:  Its part "place" has 39 bytes, expected 40\./, 'a place that is too short');
like(refused('begin; ' . place('place', at(2 * $done, 0, 0, 0, 0)) . q{; update g.checkpoint set data = set_bit(data, 0, 1 - get_bit(data, 0)) where part = 'place'; select hkg_resume('g', 'place')}),
	qr/ERROR:  22000: .*\nDETAIL:  The checksum of its part "place" is not that of its data\./, 'one with another bit');
# the header that is saved where a node is lost in the first iteration: all but the fingerprint of the facts is 0
my $first = qq{update g.checkpoint set data = substr(data, 1, 8) || decode(repeat('00', length(data) - 8), 'hex') where part = 'header'; $sums};
like(refused(qq{begin; $first; select hkg_resume('g', 'place')}), qr/ERROR:  22000: .*\nDETAIL:  It has no part "place"\./, 'none, where no iteration was done');
like(refused("begin; $first; " . place('place', at(2, 0, 0, 0, 0)) . q{; select hkg_resume('g', 'place')}), qr/ERROR:  22000: .*\nDETAIL:  Its place in an epoch is out of range\./, 'one of the second iteration');
is(value("begin; delete from g.iteration where model = 'place'; delete from g.checkpoint_inferred; $first; " . place('place', at(1, 1, 9, 0.5, 1)) . q{; select hkg_resume('g', 'place'); rollback}),
	'place', 'one of the first goes on');
is(value(q{select hkg_resume('g', 'place')}), 'place', 'without one it is resumed');
is(left_by($node, 'place'), $whole, 'to the very same');
interrupt('unparted', $arguments =~ s/, partitions => 5, nodes => 2//r);
like(refused('begin; ' . place('unparted', at(2 * value(q{select max(number) from g.iteration where model = 'unparted'}), 0, 0, 0, 0)) . q{; select hkg_resume('g', 'unparted')}),
	qr/ERROR:  22000: .*\nDETAIL:  Its place in an epoch is out of range\./, 'a training without partitions has no place');
value(q{delete from g.model where name = 'unparted'});

# the file goes with the process, and with the transaction
my $endless = q{dimensions => 64, iterations => 10000, epochs => 100, top_rules => 0, holdout => 0, partitions => 4};
$pid = value("select hkg_train_background(@{[ arguments(qq{'g', $endless, model => 'long'}) ]})");
ok(wait_until($node, 'select count(*) = 1 and sum(size) > 300 * 128 * 4 from pg_ls_tmpdir()'), 'partitions wait in a file');
value("select pg_cancel_backend($pid)");
ok(wait_until($node, 'select count(*) = 0 from pg_ls_tmpdir()'), 'which goes with the process');
my ($code, $files, $errors) = $node->psql('postgres', qq{\\set VERBOSITY verbose
	set statement_timeout = '1s'; select hkg_train(@{[ arguments(qq{'g', $endless, model => 'long'}) ]});
	reset statement_timeout; select count(*) from pg_ls_tmpdir()}, on_error_stop => 0);
is($files, '0', 'and with a transaction that fails');
like($errors, qr/ERROR:  57014: /, 'which was cancelled');

# Embeddings and state of 50,000 entities, 800 numbers each, are 320 MB; of 8 partitions, two take 80 MB.
$node->safe_psql('postgres', q{
	select hkg_create_graph('large');
	insert into large.entity select i, 'e' || i from generate_series(1, 50000) i;
	insert into large.relation values (1, 'r');
	insert into large.triple select i, 1, 1 + (hashint4(i) & 32767) from generate_series(1, 20000) i});
my $once = q{'distmult', 800, 1, 1, batch_size => 4096, negatives => 4, top_rules => 0, evidence_rules => 0, holdout => 0};
my $peak = q{select substring(pg_read_file('/proc/' || pg_backend_pid() || '/status') from 'VmHWM:\s+(\d+)')::int / 1024};
SKIP:
{
	skip 'no /proc', 3 unless -e '/proc/self/status';
	my ($refused, $out, $err) = $node->psql('postgres', qq{set hybridkg.max_memory = '200MB'; select hkg_train(@{[ arguments(qq{'large', $once}) ]})});

	like($err, qr/training needs \d+ MB of memory, more than hybridkg.max_memory \(200 MB\)/, 'one partition does not fit');
	my ($name, $megabytes) = split /\n/, $node->safe_psql('postgres',
		qq{set hybridkg.max_memory = '200MB'; set hybridkg.threads = 1; set hybridkg.progress = off; select hkg_train(@{[ arguments(qq{'large', $once, partitions => 8}) ]}); $peak});
	is($name, 'default', 'eight do');
	cmp_ok($megabytes, '<', 320, "and the process has $megabytes MB at most");
}

done_testing();
