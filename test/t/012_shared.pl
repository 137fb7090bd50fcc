# Sessions share models and indexes of facts, and each answers as it would from the tables.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $yes = 't t t';
my $no = 'f f f';
my $node = start_node('shared', "max_prepared_transactions = 1\nautovacuum = off");
my $folder = $node->data_dir . '/base/pgsql_tmp';

sub other { return $node->safe_psql('postgres', $_[0]); }
sub ask { return other(q{select inferred('ann')}); }
sub cached { return other('select string_agg(concat_ws(\' \', kind, model, state, users), \',\' order by kind, model, state) from hkg_cache'); }
sub files { return scalar(() = glob "$folder/pgsql_tmp_hybridkg*"); }

# embeddings that the session's transaction has read
my $scans = q{select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables where relname = 'entity_embedding'};

$node->safe_psql('postgres', cities());
my $insert = q{insert into g.triple select * from fact('ann', 'rome');};
my $enable = 'alter table g.triple enable trigger user; alter table g.triple enable replica trigger replicated;';
my $delete = q{delete from g.triple where (head, relation, tail) in (select * from fact('ann', 'rome'));};

# ---- one builds, the others map ----

is_soon(\&files, 0, 'nothing is there before a question');
is(ask(), $no, 'a session builds');
is_soon(\&cached, 'facts m ready 0,model m ready 0', 'a model and its facts, which outlive the session');
is_soon(\&files, 2, 'as files');
my $one = $node->background_psql('postgres');
my $two = $node->background_psql('postgres');
is($one->query_safe("begin; select inferred('ann')"), $no, 'another session');
is($one->query_safe($scans), '0', 'reads no embedding');
$one->query_safe('commit');
is($two->query_safe(q{select inferred('ann')}), $no, 'a third');
is_soon(\&cached, 'facts m ready 2,model m ready 2', 'both use the same');
is(other(q{select count(*) from hkg_cache where database = 'postgres' and graph = 'g' and bytes > 500 and used_at >= built_at}), '2', 'with names and bytes');
is(other(q{select sum(size) = (select sum(bytes) from hkg_cache) from pg_ls_tmpdir()}), 't', 'which are those of the files');

# ---- facts that change ----

other($insert);
is($one->query_safe(q{select inferred('ann')}), $yes, 'a fact that is inserted counts in a session that has a copy');
is_soon(\&cached, qr/^facts m evicted 1,facts m ready 1,/, 'which builds another one, while a session has the old one');
is(ask(), $yes, 'in a new session');
is($two->query_safe(q{select inferred('ann')}), $yes, 'and in the one that had the old copy');
is_soon(\&cached, 'facts m ready 2,model m ready 2', 'and lets go of it');
is_soon(\&files, 2, 'its file is gone');
$two->query_safe('begin isolation level repeatable read; select 1');
other($delete);
is(ask(), $no, 'deleted');
is($two->query_safe(q{select inferred('ann')}), $yes, 'an older snapshot shows it');
is(ask(), $no, 'which others do not get to see');
$two->query_safe('commit');
is($two->query_safe(q{select inferred('ann')}), $no, 'nor the session itself, later');
my $writer = $node->background_psql('postgres');
$writer->query_safe("begin; $insert");
is(ask(), $no, 'a fact that is not committed');
is($writer->query_safe(q{select inferred('ann')}), $yes, 'counts for who wrote it');
is(ask(), $no, 'alone');
$writer->query_safe('rollback');
is(ask(), $no, 'when it is rolled back, too');
$writer->query_safe("begin; $insert");
is(ask(), $no, 'not committed again');
$writer->query_safe('commit');
is(ask(), $yes, 'committed');
$writer->quit;
is(ask(), $yes, 'a copy is there');
other("begin; alter table g.triple disable trigger user; $delete $enable commit");
is(ask(), $no, 'facts that were deleted while their triggers were disabled are gone');
other("alter table g.triple disable trigger user; $insert");
is(ask(), $yes, 'or inserted');
other($enable);
is(ask(), $yes, 'a copy is there again');
other("set session_replication_role = replica; $delete");
is(ask(), $no, 'facts that a replication role deletes are gone');
other($insert);
is(ask(), $yes, 'another copy');
other('create table kept as select * from g.triple; truncate g.triple');
is(ask(), $no, 'truncated');
other('insert into g.triple select * from kept; drop table kept');
is(ask(), $yes, 'all of them come back');
other('drop extension hybridkg');
other($delete);
other('create extension hybridkg');
is(ask(), $no, 'a fact that went while the extension was not there');

other("create table parent (like g.triple); alter table g.triple inherit parent; $insert");
is(ask(), $yes, 'a table that triple inherits from');
other(q{delete from parent where (head, relation, tail) in (select * from fact('ann', 'rome'))});
is(ask(), $no, 'a fact that is deleted by it');
other('alter table g.triple no inherit parent; drop table parent');

# ---- a model that changes ----

my $score = q{select hkg_score('g', 'ann', 'lives', 'rome', 'm', 'embedding')};
is(other($score), '1', 'a score');
$writer = $node->background_psql('postgres');
is($writer->query_safe("begin; update g.entity_embedding set embedding = '{2}'; $score"), '4', 'an embedding that is changed by hand');
is(other($score), '1', 'counts for nobody else');
$writer->query_safe('rollback');
is($writer->query_safe($score), '1', 'nor when it is rolled back');
$writer->query_safe("update g.entity_embedding set embedding = '{2}'");
is(other($score), '4', 'committed');
is($one->query_safe($score), '4', 'in a session that has the old copy');
other("update g.entity_embedding set embedding = '{1}'");
$writer->quit;
ask();
is($two->query_safe(q{select inferred('ann')}), $no, 'and back');
is($one->query_safe(q{select inferred('ann')}), $no, 'in all sessions');
is_soon(\&cached, 'facts m ready 2,model m ready 2', 'one copy of each is left');

# ---- off ----

is(other(q{load 'hybridkg'; set hybridkg.shared_cache = 0; select inferred('ann')}), $no, 'a session that shares nothing');
is(other(q{load 'hybridkg'; set hybridkg.shared_cache = 0; begin; select inferred('ann'); } . $scans) =~ /[1-9]/, 1, 'reads the tables');
like(($node->psql('postgres', q{create role somebody; set role somebody; select count(*) from hkg_cache; set hybridkg.shared_cache = 0}))[2],
	qr/permission denied to set parameter/, 'it is a superuser who decides that');

# ---- rights ----

other(q{create role reader; grant usage on schema g to reader; grant select on all tables in schema g to reader});
is($_->query_safe(q{select inferred('ann')}), $no, 'a table whose rights change counts as another one') foreach $one, $two;
is(other(q{set role reader; select inferred('ann')}), $no, 'a reader of all tables');
is_soon(\&cached, qr/^facts m ready 2,/, 'uses the same copy');
other(q{create policy few on g.triple using (tail < 3); alter table g.triple enable row level security});
$writer = $node->background_psql('postgres');
$_->query_safe(q{select inferred('ann')}) foreach $one, $two;
$writer->query_safe(q{set role reader; select inferred('ann')});
is_soon(\&cached, 'facts m ready 2,model m ready 3', 'one whom a policy shows less has facts of its own');
$writer->quit;
other('alter table g.triple disable row level security; revoke select on g.rule from reader');
like(($node->psql('postgres', q{set role reader; select inferred('ann')}))[2], qr/permission denied for table rule/, 'without a right there is no answer');
other(q{create database empty});
$node->safe_psql('empty', 'create extension hybridkg');
is($node->safe_psql('empty', q{select count(*) > 1, count(graph), count(model), min(database) from hkg_cache}), 't|0|0|postgres',
	'another database does not get to see names');

# ---- two at once ----

my $question = q{select exists (select from hkg_predict_tails('g', 'ann', 'from', 9, 'm', true, 'rules') where tail = 'italy')};

# A session that builds, and waits for a lock that another one has
sub builder
{
	my ($locker) = @_;
	my $builder;

	$locker->query_safe("$insert $delete");
	$locker->query_safe('begin; lock table g.relation in access exclusive mode');
	$builder = session($node, 'builder', $question);
	$node->poll_query_until('postgres', q{select exists (select from hkg_cache where state = 'building')}) or die 'nobody builds';
	return $builder;
}

sub pid_of { return other("select pid from pg_stat_activity where application_name = '$_[0]' and state = 'active'"); }

my $locker = $node->background_psql('postgres');
my $builder = builder($locker);
my $started = time();
is($locker->query_safe(q{select inferred('ann')}), $no, 'who has a lock that a builder waits for');
cmp_ok(time() - $started, '<', 30, 'does not wait for the builder, for a minute');
$locker->query_safe('commit');
ok(finish($builder), 'which ends well');
is($builder->{out}, "f\n", 'with the answer');

$builder = builder($locker);
my $pid = pid_of('builder');
kill 'STOP', $pid;
$locker->query_safe('commit');
my $waiting = session($node, 'waiting', $question);
$node->poll_query_until('postgres', q{select wait_event_type = 'Extension' from pg_stat_activity where application_name = 'waiting'});
# the builder stands still
other(q{select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'waiting'});
ok(!finish($waiting), 'one that waits for a builder is cancelled');
like($waiting->{err}, qr/57014/, 'as asked');
$waiting = session($node, 'waiting', "begin; $question; $scans");
$node->poll_query_until('postgres', q{select wait_event_type = 'Extension' from pg_stat_activity where application_name = 'waiting'});
kill 'CONT', $pid;
ok(finish($builder) && finish($waiting), 'both end well');
is($waiting->{out}, "f\n0\n", 'the other one has not read the tables');

foreach my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	$builder = builder($locker);
	other("select $end(" . pid_of('builder') . ')');
	ok(!finish($builder), "a builder is ended by $end");
	is_soon(\&cached, qr/^(?!.*building)/, 'and builds no longer');
	$locker->query_safe('commit');
	is(other($question), 'f', 'another one does');
}

# one that has mapped a copy is terminated before it has read what comes after; those before have ended
ok(wait_until($node, q{select count(*) = 3 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()}), 'three sessions are left');
my $users = cached();
$locker->query_safe('begin; lock table g.evidence_weight in access exclusive mode');
$waiting = session($node, 'waiting', $question);
$node->poll_query_until('postgres', q{select wait_event_type = 'Lock' from pg_stat_activity where application_name = 'waiting'});
isnt(cached(), $users, 'a session has a copy mapped, and waits');
other('select pg_terminate_backend(' . pid_of('waiting') . ')');
ok(!finish($waiting), 'and is terminated');
is_soon(\&cached, $users, 'which counts once');
$locker->query_safe('commit');

# ---- room ----

sub cache_limit
{
	my ($kilobytes) = @_;

	other("load 'hybridkg'; alter system set hybridkg.shared_cache = '${kilobytes}kB'");
	other('select pg_reload_conf()');
	$node->poll_query_until('postgres', "select current_setting('hybridkg.shared_cache', true) = '${kilobytes}kB'");
	return;
}

$_->quit foreach $one, $two;
other(q{
	insert into g.model (name, score_function, dimensions, settings, status, created_at)
	select 'm' || i, score_function, dimensions, settings, status, created_at from g.model, generate_series(0, 5) i where name = 'm';
	insert into g.entity_embedding select 'm' || i, entity, embedding from g.entity_embedding, generate_series(0, 5) i where model = 'm';
	insert into g.relation_embedding select 'm' || i, relation, embedding from g.relation_embedding, generate_series(0, 5) i where model = 'm'});
my $kilobytes = 16;
my $room = int($kilobytes * 1024 / other(q{select bytes from hkg_cache where kind = 'model' and state = 'ready'}));
cmp_ok($room, '>=', 2, 'two models fit the limit');
cmp_ok($room, '<=', 4, 'and few more');
cache_limit($kilobytes);
sub score_of { return other("select hkg_score('g', 'ann', 'lives', 'rome', '$_[0]', 'embedding')"); }
sub ready { return other('select string_agg(model, \' \' order by model) from hkg_cache where state = \'ready\''); }
score_of("m$_") foreach 0 .. $room;
is(ready(), join(' ', map { "m$_" } 1 .. $room), 'the least recently used one goes');
score_of('m1');
score_of('m0');
is(ready(), join(' ', map { "m$_" } 0, 1, 3 .. $room), 'by its last use');
$locker->query_safe(q{begin; select hkg_score('g', 'ann', 'lives', 'rome', 'm0', 'embedding')});
score_of("m$_") foreach 1 .. $room + 1;
is(ready(), join(' ', map { "m$_" } 0, 3 .. $room + 1), 'one that a transaction uses stays');
$locker->query_safe('commit');
score_of("m$_") foreach 1 .. $room;
is(ready(), join(' ', map { "m$_" } 1 .. $room), 'until it ends');
is_soon(\&files, $room, 'files are removed at once');
is($locker->query_safe(q{select hkg_score('g', 'ann', 'lives', 'rome', 'm0', 'embedding')}), '1', 'who has an evicted one reads again');
cache_limit(0);
my ($absent) = grep { ready() !~ /\bm$_\b/ } 0 .. $room + 1;
is(score_of("m$absent"), '1', 'without room each has its own');
unlike(ready(), qr/\bm$absent\b/, 'which is not shared');
cache_limit(1024 * 1024);

# a full directory, whose least recently used copy an idle session has mapped: another one goes
other(q{
	insert into g.model (name, score_function, dimensions, settings, status, created_at)
	select 'k' || i, score_function, dimensions, settings, status, created_at from g.model, generate_series(0, 99) i where name = 'm';
	insert into g.entity_embedding select 'k' || i, entity, embedding from g.entity_embedding, generate_series(0, 99) i where model = 'm';
	insert into g.relation_embedding select 'k' || i, relation, embedding from g.relation_embedding, generate_series(0, 99) i where model = 'm'});
$locker->query_safe(q{select hkg_score('g', 'ann', 'lives', 'rome', 'k0', 'embedding')});
other(q{select count(hkg_score('g', 'ann', 'lives', 'rome', 'k' || i, 'embedding')) from generate_series(1, 99) i});
is(other(q{select string_agg(model, ' ' order by model) from hkg_cache where model in ('k0', 'k99')}), 'k0 k99', 'a full directory takes another copy');
$locker->quit;

# a disk that is full, as far as one session can tell
SKIP:
{
	my $command = 'prlimit';

	skip 'there is no prlimit', 8 unless system("$command --version >/dev/null 2>&1") == 0;
	foreach my $allowed (0, 100)
	{
		other("update g.model set created_at = now() where name = 'm'");
		my $session = $node->background_psql('postgres');
		$pid = $session->query_safe("load 'hybridkg'; select pg_backend_pid()");
		system($command, '--pid', $pid, "--fsize=$allowed:$allowed") == 0 or die 'no limit';
		$session->query_safe('set client_min_messages = log');
		is($session->query($score), '1', "a session that can write $allowed bytes answers");
		like($session->{stderr}, qr/LOG:  could not write file "base\/pgsql_tmp\/pgsql_tmp_hybridkg1/, 'there is a line for the log');
		is_soon(\&cached, qr/^(?!.*model m [^,]*[1-9])/, 'from its own memory');
		$session->quit;
		is_soon(sub { other(q{select (select count(*) from pg_ls_tmpdir()) - (select count(*) from hkg_cache)}) }, '0', 'and leaves no file');
	}
}

# ---- a copy of several writes ----

other(q{
	set session_replication_role = replica;
	select hkg_create_graph('large'), setseed(0.5);
	insert into large.entity (id, name) overriding system value select i, 'e' || i from generate_series(1, 20000) i;
	insert into large.relation (id, name) overriding system value values (1, 'r');
	insert into large.triple values (1, 1, 2);
	insert into large.model (name, score_function, dimensions, settings, status, created_at) values ('m', 'distmult', 120, '{}', 'ready', now());
	insert into large.entity_embedding select 'm', i, array(select (random() + 0 * i)::real from generate_series(1, 120)) from generate_series(1, 20000) i;
	insert into large.relation_embedding select 'm', 1, array(select random()::real from generate_series(1, 120))});
my $answers = q{select md5(string_agg(t::text, ' ')) from generate_series(1, 20000, 700) i, hkg_predict_tails('large', 'e' || i, 'r', 5, 'm', evidence => 'embedding') t};
my $own = other("load 'hybridkg'; set hybridkg.shared_cache = 0; $answers");
is(other($answers), $own, 'who has written a large copy answers as without one');
is(other($answers), $own, 'and who has mapped it');
cmp_ok(other(q{select bytes from hkg_cache where graph = 'large' and kind = 'model' and state = 'ready'}), '>', 2 * 4 * 1024 * 1024, 'the copy has more than two pieces');
other(q{select hkg_drop_graph('large')});

# ---- what is dropped ----

ask();
my $built = other(q{select built_at from hkg_cache where kind = 'facts'});
is(other(q{select added || ' ' || duplicates from hkg_load('g', $$values ('rome', 'in', 'italy')$$)}), '0 1', 'a load that adds nothing');
ask();
is(other(q{select built_at from hkg_cache where kind = 'facts'}), $built, 'has nobody read the facts again');
other(q{select hkg_create_graph('second')});
other(q{select hkg_load('second', 'select * from (values (''a'', ''b'', ''c'')) f');
	insert into second.model (name, score_function, dimensions, settings, status, created_at) values ('m', 'distmult', 1, '{}', 'ready', now());
	insert into second.entity_embedding select 'm', id, '{1}' from second.entity; insert into second.relation_embedding select 'm', id, '{1}' from second.relation});
other(q{select hkg_score('second', 'a', 'b', 'c', 'm', 'embedding')});
like(other(q{select string_agg(distinct graph, ',' order by graph) from hkg_cache}), qr/^g,second$/, 'copies of two graphs');
my $there = files();
other(q{create role stranger; set role stranger; do $$ begin perform hkg_drop_graph('g'); exception when insufficient_privilege then null; end $$});
is(files(), $there, 'who may not drop a graph leaves its files');
other(q{begin; select hkg_drop_graph('g'); select hkg_drop_graph('second'); commit});
is_soon(\&files, 0, 'graphs that are dropped leave no file');
$node->safe_psql('empty', cities());
is($node->safe_psql('empty', q{select inferred('ann')}), $no, 'a graph of another database');
is_soon(\&files, 2, 'has files');
other('drop database empty');
is(other('select count(*) from hkg_cache'), '0', 'which are found to be of none when somebody looks');
is_soon(\&files, 0, 'and are removed');

# ---- crashes ----

other('drop function inferred; drop table asked; drop function fact; ' . cities());
other('alter system set remove_temp_files_after_crash = off');
other('select pg_reload_conf()');
foreach my $crash (1, 2)
{
	ask();
	$locker = $node->background_psql('postgres');
	$builder = builder($locker);
	kill_backend($node, pid_of('builder'));
	finish($builder);
	eval { $locker->quit };
	is_soon(\&cached, '', 'nothing is left of a crash');
	is(ask(), $no, 'and it goes on');
	is_soon(\&files, 2, 'with new files');
	other('alter system set remove_temp_files_after_crash = on');
	other('select pg_reload_conf()');
}
$node->stop('immediate');
$node->start;
is_soon(\&files, 0, 'nor of a stop');

# a transaction that was prepared before a restart
other("begin; $insert prepare transaction 'facts'");
$node->restart;
is(ask(), $no, 'a fact that was prepared before a restart');
is(ask(), $no, 'does not count');
other("commit prepared 'facts'");
is(ask(), $yes, 'before it is committed');
other($delete);

# ---- many at once ----

# In one snapshot, what is inferred and the facts agree, whoever writes meanwhile.
my $script = PostgreSQL::Test::Utils::tempdir() . '/agree.sql';
append_to_file($script, q{
	\set person random(1, 2)
	select 1 / (inferred(who) = case when exists (select from g.triple t where (t.head, t.relation, t.tail) = (select f.head, f.relation, f.tail from fact(who, 'rome') f))
		then 't t t' else 'f f f' end)::int from (select case :person when 1 then 'ann' else 'bob' end as who) p;
});
my $writes = $script =~ s/agree/write/r;
append_to_file($writes, q{
	\set person random(1, 2)
	\set how random(1, 4)
	select case :person when 1 then '''ann''' else '''bob''' end as who \gset
	begin;
	insert into g.triple select * from fact(:who, 'rome') where :how <= 2 on conflict do nothing;
	delete from g.triple where (head, relation, tail) in (select * from fact(:who, 'rome')) and :how > 2;
	\sleep 10 ms
	end;
	\sleep 20 ms
});
my @pgbench = ('pgbench', '-n', '-T', '10', '-h', $node->host, '-p', $node->port);
my %out = map { $_ => '' } 1 .. 3;
my @runs = (
	IPC::Run::start([ @pgbench, '-c', '2', '-f', $writes, 'postgres' ], '>', \$out{1}, '2>&1'),
	IPC::Run::start([ @pgbench, '-c', '3', '-f', $script, 'postgres' ], '>', \$out{2}, '2>&1'),
	IPC::Run::start([ @pgbench, '-c', '2', '-C', '-f', $script, 'postgres' ], '>', \$out{3}, '2>&1'));
$_->finish foreach @runs;
foreach my $i (1 .. 3)
{
	ok($runs[$i - 1]->result(0) == 0 && $out{$i} =~ /number of failed transactions: 0/ && $out{$i} !~ /processed: 0/, 'while others write, answers agree with the facts')
		or diag($out{$i});
}
like($out{3}, qr/processed: [1-9]/, 'many times');

done_testing();
