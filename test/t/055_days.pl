# Days of work in minutes: round after round of loads, syncs, trainings, predictions and deletes by sessions that stay.
# Their memory stays flat, tables and indexes stay bounded under autovacuum, predictions as fast, and no temporary file
# is left.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Soak;
use Test::More;

my $warm = 3;					# rounds, until every session has read and kept what it needs

my $node = start_node('days', q{
	hybridkg.threads = 1
	client_min_messages = error
	autovacuum_naptime = 1s
	autovacuum_vacuum_threshold = 50
	autovacuum_vacuum_cost_delay = 0
});
make_graph($node, 'g', 500, 4000);
$node->safe_psql('postgres', q{
	create table source as select h.name as head, r.name as relation, t.name as tail from (select head, relation, tail from g.triple union all select head, relation, tail from g.holdout) p
		join g.entity h on h.id = p.head join g.relation r on r.id = p.relation join g.entity t on t.id = p.tail;
	-- what the slowest of a hundred predictions takes, in milliseconds
	create function slowest(round int) returns float8 language plpgsql as $$
	declare
		started timestamptz;
		taken float8[] := '{}';
	begin
		for i in 1 .. 100 loop
			started := clock_timestamp();
			perform hkg_predict_tails('g', head, relation, 10, 'm') from (
				select * from source where hashtext(head || round) % 20 <> 0 offset (round * 100 + i) % 2000 limit 1) s;
			taken := taken || 1000 * extract(epoch from clock_timestamp() - started);
		end loop;
		return percentile_cont(0.99) within group (order by t) from unnest(taken) t;
	end $$});

my %sessions = map { $_ => $node->background_psql('postgres') } qw(writer trainer reader);
$_->set_query_timer_restart foreach values %sessions;	# a time limit for each query, not for all
my %pid = map { $_ => $sessions{$_}->query_safe('select pg_backend_pid()') } keys %sessions;
my (%memory, $size, $usual);	# once all are warm

# Kilobytes that are the process's own
sub memory
{
	return slurp_file("/proc/$_[0]/smaps_rollup") =~ /^Anonymous:\s+(\d+)/m ? $1 : 0;
}

sub work
{
	my ($round) = @_;

	$sessions{writer}->query_safe($_) foreach
	  "select hkg_load('g', 'select ''n'' || i, ''r'' || i % 5 + 1, ''e'' || i % 450 from generate_series(1, 1000) i')",
	  "delete from g.triple using g.entity e where e.id in (head, tail) and e.name ~ '^n' and e.id % 2 = $round % 2",
	  "select hkg_sync('g', 'select * from source where hashtext(head || $round) % 20 <> 0', true)";
	# held-out facts that the source has lost are gone for good, until others are held out
	$sessions{writer}->query_safe("select hkg_split('g', seed => $round)") if $round % 20 == 0;
	$sessions{trainer}->query_safe("select hkg_train(@{[ arguments(qq{'g', 'distmult', dimensions => 32, iterations => 1, epochs => 2, evidence_length => 2, evidence_rules => 200, seed => $round, model => 'm'}) ]})");
	$sessions{trainer}->query_safe(q{select count(*) from hkg_evaluate('g', 'valid', 'm'), hkg_complete('g', 'r1', 100, 'm', 0)});
	$sessions{reader}->query_safe(q{select count(*) from hkg_explain('g', 'e1', 'r1', 'e2', 'm')}) if $round % 3 == 0;
	return $sessions{reader}->query_safe("select slowest($round)");
}

my $bytes = q{select (sum(pg_total_relation_size(oid)) / 1024)::bigint from pg_class where relnamespace = 'g'::regnamespace and relkind = 'r'};
my $files = q{select count(*) from pg_ls_tmpdir() where name !~ '^pgsql_tmp_hybridkg'};

sub measure
{
	my ($slowest) = @_;
	my ($kilobytes, $temporary) = split /\n/, $node->safe_psql('postgres', "$bytes; $files");
	my %now = map { $_ => memory($pid{$_}) } keys %pid;
	my @wrong;

	if (%memory)
	{
		push @wrong, map { "memory of the $_ grew from $memory{$_} to $now{$_} kB" } grep { $now{$_} > 1.5 * $memory{$_} + 8192 } sort keys %now;
		push @wrong, sprintf 'tables grew from %d to %d kB', $size, $kilobytes if $kilobytes > 3 * $size;
		# a machine that does other work makes one of a hundred late
		push @wrong, sprintf 'predictions took %.1f ms, and take %.1f', $usual, $slowest if $slowest > 5 * $usual + 100;
	}
	push @wrong, "$temporary temporary files" if $temporary > 0;
	diag(join ' ', 'sample days', (map { sprintf "${_}_MB=%.1f", $now{$_} / 1024 } sort keys %now),
		sprintf('tables_MB=%.1f p99_of_predictions_ms=%.1f', $kilobytes / 1024, $slowest)) if is_long();
	highest("max_${_}_mb", int($now{$_} / 1024)) foreach keys %now;
	highest('max_tables_mb', int($kilobytes / 1024));
	return (\%now, $kilobytes, @wrong);
}

my $rounds = 0;
campaign('days', 5, 100000, sub {
	my ($number) = @_;
	my $slowest = work($number);
	my ($now, $kilobytes, @wrong) = measure($slowest);

	if (++$rounds == $warm)
	{
		%memory = %$now;
		$size = $kilobytes;
		$usual = $slowest;
	}
	return ("tables of $kilobytes kB, " . join(', ', map { "$_ $now->{$_} kB" } sort keys %$now), @wrong);
});
$_->quit foreach values %sessions;
$node->stop;
done_testing();
