# What a machine lacks: room on a disk, room for temporary files, address space, memory, workers, a connection.  Each
# lack is an error of its own, the model that is there predicts as before, and the same statement works when there is enough.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('faults', qq{
	hybridkg.threads = 2
	client_min_messages = error
	max_worker_processes = 4
	statement_timeout = '5min'
});
make_graph($node, 'g', 500, 4000);
my $arguments = q{'distmult', dimensions => 16, iterations => 1, epochs => 2, evidence_length => 2, evidence_rules => 100};
my $predictions = q{select md5(string_agg(p::text, ';' order by i, p.score desc, p.tail)) from generate_series(1, 20) i,
	hkg_predict_tails('g', 'e' || i, 'r1', 10, 'm', true) p where exists (select from g.entity where name = 'e' || i)};
my $remains = q{select 'lock' from pg_locks where locktype = 'advisory' union all select 'in progress: ' || model from hkg_progress
	union all select 'work table ' || relname from pg_class where relpersistence = 't' and relkind = 'r'
	union all select 'temporary file ' || name from pg_ls_tmpdir() where name !~ '^pgsql_tmp_hybridkg'
	union all select 'rows of no model' where exists (select from g.entity_embedding where model not in (select name from g.model))
	union all select 'process ' || backend_type from pg_stat_activity where backend_type ~ 'hybridkg|parallel'};

sub value
{
	my ($statement) = @_;

	return $node->safe_psql('postgres', $statement);
}

value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'm'}) ]})");
my ($tables, $answers) = (tables($node, 'g'), value($predictions));
my $starts = () = slurp_file($node->logfile) =~ /database system is ready/g;

# The statement fails with that error, in a session with these settings, and changes nothing.
sub lacks
{
	my ($what, $settings, $statement, $error) = @_;
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$settings;\n$statement");

	like($err, $error, "$what: the error");
	unchanged($what);
	return;
}

sub unchanged
{
	my ($what) = @_;

	is(join(' ', value($predictions), still($node, $remains)), "$answers ", "$what: the model predicts as before, and nothing is left");
	is(tables($node, 'g'), $tables, "$what: the tables are as before");
	return;
}

# ---- a full disk ----

my $full = qr/ERROR:  53100: could not (extend|write)|No space left on device/;
my $small_disk = PostgreSQL::Test::Utils::tempdir;

# A tablespace of some megabytes; whoever may not mount one cannot have it.
SKIP:
{
	my $mounted = system("mount -t tmpfs -o size=6m,mode=0777 tmpfs $small_disk 2>/dev/null") == 0
	  || -d '/run/hybridkg-small' && ($small_disk = '/run/hybridkg-small');

	skip 'a small disk must be mounted: by root, or beforehand by mount -t tmpfs -o size=6m,mode=0777 tmpfs /run/hybridkg-small', 12 if !$mounted;
	mkdir "$small_disk/tablespace" or die "$small_disk: $!";
	value("create tablespace small location '$small_disk/tablespace'");
	value(q{set default_tablespace = small; select hkg_create_graph('s'); select hkg_load('s', 'select i % 500, i % 7, i from generate_series(1, 3000) i')});
	value(q{select hkg_train('s', 'distmult', dimensions => 8, iterations => 1, epochs => 1, evidence_rules => 0, model => 'm')});
	my $question = q{select md5(string_agg(p::text, ';')) from hkg_predict_tails('s', '1', '1', 10, 'm', true) p};
	my $answer = value($question);
	my $facts = value('select count(*) from s.triple');

	lacks('a load on a full disk', '', q{select hkg_load('s', 'select i, i % 7, -i from generate_series(1, 200000) i')}, $full);
	is(value('select count(*) from s.triple'), $facts, 'no fact of it is there');
	lacks('a training on a full disk', '', q{select hkg_train('s', 'distmult', dimensions => 1000, iterations => 1, epochs => 1, evidence_rules => 0, model => 'm')}, $full);
	is(value($question), $answer, 'its old model predicts as before');
	my ($code, $out, $err) = $node->psql('postgres',
		q{select hkg_train_background('s', 'distmult', dimensions => 1000, iterations => 1, epochs => 1, evidence_rules => 0, model => 'b')});
	$node->poll_query_until('postgres', q{select not exists (select from hkg_progress)});
	like($err . value(q{select coalesce(max(status), '') from s.model where name = 'b'}), qr/(ERROR:  |^failed: )could not/,
		'a background training on a full disk has failed, before it began or later');
	unchanged('a background training on a full disk');
	value(q{vacuum full});
	is(value(q{select hkg_train('s', 'distmult', dimensions => 8, iterations => 1, epochs => 1, evidence_rules => 0, model => 'm')}), 'm', 'a smaller training works');
	value(q{drop schema s cascade; drop tablespace small});
}
system("umount $small_disk 2>/dev/null");

# ---- a session's limits ----

lacks('a load without room for temporary files', q{set work_mem = '64kB'; set temp_file_limit = '64kB'},
	q{select hkg_load('g', 'select i % 1000, i % 3, i % 997 from generate_series(1, 200000) i order by md5(i::text)')}, qr/ERROR:  53400: temporary file size exceeds/);
lacks('a training without memory', q{set hybridkg.max_memory = '1MB'}, "select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'm'}) ]})", qr/ERROR:  53200: .*hybridkg\.max_memory/);
lacks('mining without memory', q{set hybridkg.max_memory = '1MB'}, q{select hkg_mine_rules('g', max_rule_length => 4, min_support => 1, min_head_coverage => 0, constants => true)}, qr/ERROR:  53200: .*hybridkg\.max_memory/);
lacks('a load without memory', q{set hybridkg.max_memory = '1MB'}, q{select hkg_load('g', 'select i, i % 3, -i from generate_series(1, 300000) i')}, qr/ERROR:  53200: .*hybridkg\.max_memory/);
lacks('completing without memory', q{set hybridkg.max_memory = '1MB'; set hybridkg.shared_cache = 0}, q{select hkg_complete('g', null, 100000000, 'm', 0)}, qr/ERROR:  5\d{4}: /);

# Address space, of a session that is there
SKIP:
{
	skip 'there is no prlimit', 6 unless system('prlimit --version >/dev/null 2>&1') == 0;
	foreach my $case ([ 'a training', q{select hkg_train('g', 'rescal', dimensions => 1500, iterations => 1, epochs => 1, evidence_rules => 0, model => 'm')} ],
		[ 'a load', q{select hkg_load('g', 'select i, i % 7, -i from generate_series(1, 3000000) i')} ])
	{
		my ($what, $statement) = @$case;
		my $session = $node->background_psql('postgres', on_error_stop => 0);
		my $pid = $session->query(q{set hybridkg.max_memory = '40GB'; load 'hybridkg'; select pg_backend_pid()});
		my ($kilobytes) = slurp_file("/proc/$pid/status") =~ /VmSize:\s+(\d+)/;

		system('prlimit', '--pid', $pid, '--as=' . 1024 * ($kilobytes + 40_000)) == 0 or die 'no limit';
		$session->query($statement);
		like($session->{stderr}, qr/ERROR:  (out of memory|could not)/, "$what without address space: the error");
		$session->quit;
		unchanged("$what without address space");
	}
}

# Threads are started before anything is done, of a user who may start no more.
SKIP:
{
	skip 'there is no prlimit', 3 unless system('prlimit --version >/dev/null 2>&1') == 0;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query(q{set hybridkg.threads = 4; load 'hybridkg'; select pg_backend_pid()});

	system('prlimit', '--pid', $pid, '--nproc=1') == 0 or die 'no limit';
	$session->query("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'm'}) ]})");
	like($session->{stderr}, qr/ERROR:  could not start 4 threads/, 'no thread: the error');
	$session->quit;
	unchanged('no thread');
}

# ---- no worker, no connection ----

my @pids = split /\n/, value(join ';', map { "select hkg_train_background('g', dimensions => 100, epochs => 1000, model => 'b$_')" } 1 .. 3);
my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n" . join ';', map { "select hkg_train_background('g', model => 'c$_')" } 1 .. 4);
like($err, qr/ERROR:  53000: could not start a background worker/, 'no worker left: the error');
like($err, qr/HINT:  .*max_worker_processes/, 'and the way out');
($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n" . q{select hkg_tune('g', '{"dimensions": [4]}', model => 't')});
like($err, qr/ERROR:  53000: /, 'no worker left for a search: the error');
value('select pg_cancel_backend(pid) from hkg_progress');
$node->poll_query_until('postgres', q{select not exists (select from hkg_progress)});
value(q{delete from g.model where name <> 'm'; delete from g.trial});
unchanged('no worker left');

# A client that is gone: a statement that has begun goes on until it is done, or until the server looks for its client.
my $session = session($node, 'gone', q{set client_connection_check_interval = '100ms'; select hkg_train('g', iterations => 1000, epochs => 1000, model => 'm')});
wait_for_session($node, $session, 0.5);
$session->{run}->kill_kill;
ok($node->poll_query_until('postgres', q{select not exists (select from pg_stat_activity where application_name = 'gone')}), 'a training whose client is gone ends');
unchanged('a lost connection');
my $crowd = session($node, 'launcher', q{select hkg_train_background('g', 'distmult', dimensions => 16, iterations => 1, epochs => 1, evidence_rules => 0, model => 'b')});
sleep(0.1);
$crowd->{run}->kill_kill;
$node->poll_query_until('postgres', q{select not exists (select from hkg_progress)
	and not exists (select from pg_stat_activity where backend_type ~ 'hybridkg' or application_name = 'launcher')});
like(value(q{select coalesce(max(status), '') from g.model where name = 'b'}), qr/^(|ready)$/, 'a background training whose launcher is gone is done, or has not begun');
value(q{delete from g.model where name = 'b'});

# ---- afterwards ----

is(value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'm'}) ]})"), 'm', 'the next training works');
is(value($predictions), $answers, 'with the same bits');
is(scalar(() = slurp_file($node->logfile) =~ /database system is ready/g), $starts, 'the server has not begun anew');
done_testing();
