# A session that keeps a copy of the facts uses those that others have committed since, and none that they have not.
# (See cities() in test/perl/Graph.pm.)

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $make = cities();
my $yes = 't t t';
my $no = 'f f f';

my $node = start_node('facts', 'max_prepared_transactions = 1');
$node->safe_psql('postgres', $make);
my $asking = $node->background_psql('postgres');

sub inferred { return $asking->query_safe("select inferred('" . ($_[0] // 'ann') . "')"); }
sub ask { return $asking->query_safe($_[0]); }
sub other { return $node->safe_psql('postgres', $_[0]); }

my $insert = q{insert into g.triple select * from fact('ann', 'rome');};
my $delete = q{delete from g.triple where (head, relation, tail) in (select * from fact('ann', 'rome'));};
# as it was before, and the session has read it
sub take_back
{
	other($delete);
	is(inferred(), $no, "taken back: $_[0]");
	return;
}

# ---- every way to write a fact ----

is(inferred(), $no, 'ann does not live in rome');
other($insert);
is(inferred(), $yes, 'an inserted fact counts at once');
is(ask(q{select count(*) from hkg_predict_tails('g', 'ann', 'lives', 9, 'm') where tail = 'rome'}), '0', 'and is no longer a prediction');
is(inferred('bob'), $no, 'for nobody else');
take_back('delete');
other(q{update g.triple t set tail = (fact('ann', 'rome')).tail where (head, relation, tail) in (select * from fact('ann', 'paris'))});
is(inferred(), $yes, 'update');
other(q{update g.triple t set tail = (fact('ann', 'paris')).tail where (head, relation, tail) in (select * from fact('ann', 'rome'))});
is(inferred(), $no, 'and back');
other(q{select hkg_load('g', $$values ('ann', 'lives', 'rome')$$)});
is(inferred(), $yes, 'hkg_load');
take_back('hkg_load');
my $row = other(q{select concat_ws(E'\t', head, relation, tail) from fact('ann', 'rome')});
other("copy g.triple from stdin;\n$row\n\\.\n");
is(inferred(), $yes, 'copy');
take_back('copy');
other("set session_replication_role = replica; $insert");
is(inferred(), $yes, 'a replication role, which fires no other trigger');
take_back('a replication role');
other('alter table g.triple disable trigger user');
is(inferred(), $no, 'while triggers are disabled');
other($insert);
is(inferred(), $yes, 'inserted facts count as well');
other($delete);
is(inferred(), $no, 'and deleted ones do not');
other($insert);
other('alter table g.triple enable trigger user');
is(inferred(), $yes, 'and when they are enabled again');
other($delete);
is(inferred(), $no, 'as before');
other("set session_replication_role = replica; $insert");
is(inferred(), $yes, 'which a replication role does not fire any more');
other($delete);
is(inferred(), $no, 'and back');
other('alter table g.triple enable replica trigger replicated; create table g.more () inherits (g.triple)');
is(inferred(), $no, 'a table that inherits');
other($insert =~ s/g\.triple/g.more/r);
is(inferred(), $yes, 'facts in it count');
other('drop table g.more; analyze g.triple');
is(inferred(), $no, 'and are dropped with it');
other($insert);
other("create table kept as select * from g.triple; truncate g.triple");
is(inferred(), $no, 'truncate');
other("insert into g.triple select * from kept");
is(inferred(), $yes, 'all of them come back');
take_back('all');

# ---- what a reviewer refused is no answer, from the moment on that it is committed ----

my $listed = q{select count(*) from hkg_predict_tails('g', 'ann', 'lives', 9, 'm') where tail = 'rome'};
my $reject = q{select hkg_reject('g', 'ann', 'lives', 'rome');};
is(ask($listed), '1', 'rome is an answer');
other("begin; $reject rollback");
is(ask($listed), '1', 'and stays one where the rejection is rolled back');
other($reject);
is(ask($listed), '0', 'a rejection counts at once');
other('update g.rejected set tail = head');
is(ask($listed), '1', 'one that becomes another one');
other('truncate g.rejected');
other($reject);
is(ask($listed), '0', 'again');
other('alter table g.rejected disable trigger user; truncate g.rejected');
is(ask($listed), '1', 'taken back while triggers are disabled');
other("alter table g.rejected enable trigger user, enable replica trigger replicated; set session_replication_role = replica; insert into g.rejected select * from fact('ann', 'rome')");
is(ask($listed), '0', 'by a replication role');
other('delete from g.rejected');
is(ask($listed), '1', 'and taken back');

# ---- an entity that came after the training ----

# it is there for others with its first fact, and gone with its last one; the embedding alone predicts it by its place
my $kim = q{select concat_ws(' ', (select count(*) from hkg_predict_heads('g', 'from', 'italy', 9, 'm', true, 'rules') where head = 'kim'),
	(select count(*) from hkg_predict_heads('g', 'from', 'italy', 9, 'm', true) where head = 'kim'),
	(select count(*) from hkg_predict_tails('g', 'ann', 'lives', 9, 'm', true, 'embedding') where tail = 'kim'))};
other(q{insert into g.entity values (1000, 'kim')});
is(ask($kim), '0 0 0', 'without a fact it is no candidate');
other(q{insert into g.triple select * from fact('kim', 'rome')});
is(ask($kim), '1 1 1', 'with a fact it is one');
is(inferred('kim'), $yes, 'and is asked about');
other(q{delete from g.triple where head = 1000});
is(ask($kim), '0 0 0', 'its fact is gone');
other(q{delete from g.entity where id = 1000});

# ---- what is not committed ----

other("begin; $insert rollback");
is(inferred(), $no, 'a fact that was rolled back does not count');
other("begin; savepoint a; $insert rollback to a; commit");
is(inferred(), $no, 'nor does one that was rolled back to a savepoint');
other("begin; savepoint a; $insert release a; commit");
is(inferred(), $yes, 'one in a savepoint that was released does');
take_back('a savepoint');
other("begin; $insert prepare transaction 'facts'");
is(inferred(), $no, 'one that is prepared does not');
other("commit prepared 'facts'");
is(inferred(), $yes, 'until that is committed');
take_back('prepared');

my $writer = $node->background_psql('postgres');
$writer->query_safe("begin; $insert");
is(other(q{set lock_timeout = '30s'; insert into g.triple select * from fact('bob', 'rome') returning true}), 't', 'writers do not wait for one another');
is(inferred('bob'), $yes, 'a committed fact counts while another transaction writes');
is(inferred(), $no, 'whose fact does not');
$writer->query_safe('commit');
is(inferred(), $yes, 'until it ends');
$writer->quit;
other(q{delete from g.triple where (head, relation, tail) in (select * from fact('bob', 'rome'))});
take_back('one of two writers');

# ---- the session's own ----

ask("begin; $insert");
is(inferred(), $yes, 'what a transaction wrote counts for itself');
ask($delete);
is(inferred(), $no, 'and what it deleted does not');
ask("$insert savepoint a; $delete");
is(inferred(), $no, 'in a savepoint');
ask('rollback to a');
is(inferred(), $yes, 'not when it is rolled back');
ask("$delete savepoint b; $insert release b");
is(inferred(), $yes, 'but when it is released');
ask('rollback to a');
is(inferred(), $yes, 'nor when it is rolled back with the one before');
ask('rollback');
is(inferred(), $no, 'and nothing when the transaction is');
is(ask(qq{do \$\$ begin
		$insert
		if inferred('ann') <> '$yes' then raise 'does not count'; end if;
		raise division_by_zero;
	exception when division_by_zero then
		if inferred('ann') <> '$no' then raise 'counts'; end if;
	end \$\$; select 'well'}), 'well', 'likewise in a block with an exception');
is(ask(q{with i as (insert into g.triple select * from fact('ann', 'rome') returning 1) select inferred('ann') from i}), $no,
	'what a statement writes does not count for itself');
is(inferred(), $yes, 'but for the next one');
take_back('its own');

# a trigger of somebody who predicts from each new fact
ask(qq{create table noted (answer text);
	create function note() returns trigger language plpgsql as \$\$ begin insert into noted select inferred('ann'); return new; end \$\$;
	create trigger note after insert on g.triple for each row execute function note()});
is(inferred(), $no, 'before a trigger');
ask("begin; $insert");
is(ask('select string_agg(answer, \',\') from noted'), $yes, 'the row that a trigger is fired for counts');
ask('rollback; drop trigger note on g.triple');
is(inferred(), $no, 'which does not outlive a rollback');

# a trigger that predicts before its row is deleted, and writes nothing: its snapshot equals that of the next statement
ask(q{create function look() returns trigger language plpgsql as $$ begin perform inferred('ann'); return old; end $$;
	create trigger look before delete on g.triple for each row execute function look()});
ask($insert);
ask("begin; $delete");
is(inferred(), $no, 'what a trigger read before its row was deleted does not outlive the statement');
ask('commit; drop trigger look on g.triple');
is(inferred(), $no, 'nor the transaction');

# ---- snapshots ----

ask('begin isolation level repeatable read; select 1');
other($insert);
is(inferred(), $no, 'a snapshot older than the fact does not show it, at the first look');
is(inferred(), $no, 'nor later');
ask('commit');
is(inferred(), $yes, 'what it read does not outlive it');
ask('begin isolation level repeatable read');
is(inferred(), $yes, 'a snapshot that shows it');
other($delete);
is(inferred(), $yes, 'goes on to do so');
ask('commit');
is(inferred(), $no, 'and no longer');

ask(q{begin; declare old cursor for select inferred(name) from unnest(array['ann', 'ann', 'ann']) name});
is(ask('fetch old'), $no, 'a cursor');
other($insert);
is(inferred(), $yes, 'a statement after it');
is(ask('fetch old'), $no, 'the cursor, whose snapshot is older');
is(inferred(), $yes, 'another statement');
is(ask('fetch old'), $no, 'the cursor again');
ask('commit');
take_back('the cursor');
ask(qq{begin; declare old cursor for select hkg_score('g', 'ann', 'from', 'italy', 'm', 'rules') > 0 from generate_series(1, 2)});
is(ask('fetch old'), 'f', 'a call that is made again and again');
ask($insert);
is(inferred(), $yes, 'a fact of the session\'s own after it');
is(ask('fetch old'), 'f', 'which does not count for it');
is(inferred(), $yes, 'another statement');
ask('rollback');
is(inferred(), $no, 'after the rollback');

# a transaction that began before others that have ended, and ends when the snapshot is taken
$writer = $node->background_psql('postgres');
$writer->query_safe("begin; $insert");
other('create table later ()');
ask('begin isolation level repeatable read; select 1');
$writer->query_safe('commit');
$writer->quit;
is(inferred(), $no, 'what was running when the snapshot was taken does not count');

# which reads the facts once
my $scans = q{select sum(pg_stat_get_xact_numscans(oid)) from (select 'g.triple'::regclass as oid
	union all select indexrelid from pg_index where indrelid = 'g.triple'::regclass) o};
my $score = q{select hkg_score('g', 'ann', 'from', 'italy', 'm', 'rules')};
my $read = ask($scans);
cmp_ok($read, '>', 0, 'the facts are read');
ask($score);
is(ask($scans), $read, 'and kept for the snapshot');
ask('commit');
is(inferred(), $yes, 'a later one shows it');
ask('begin');
$read = ask($scans);
ask("$score; insert into asked values ('nobody')");
ask($score);
is(ask($scans), $read, 'what it read is kept for others');
ask('commit');
take_back('what was running');

# a fact that is committed in the middle of a statement
my $lock = $node->background_psql('postgres');
$lock->query_safe('select pg_advisory_lock(1)');
my $waiting = session($node, 'waiting',
	q{select inferred('ann'); select coalesce(pg_advisory_xact_lock(1)::text, '') || inferred('ann'); select inferred('ann')});
wait_for_session($node, $waiting);
$node->poll_query_until('postgres', q{select wait_event_type = 'Lock' from pg_stat_activity where application_name = 'waiting'});
other($insert);
$lock->query_safe('select pg_advisory_unlock(1)');
$lock->quit;
finish($waiting);
is($waiting->{out}, "$no\n$no\n$yes\n", 'a fact that is committed in the middle of a statement counts for the next one');

# two serializable transactions, each of which asks and then writes: in no order would both have got their answers
take_back('the lock');
foreach my $cached (0, 1)
{
	my @writer = map { $node->background_psql('postgres', on_error_stop => 0) } 1, 2;

	foreach my $writer (@writer)
	{
		$writer->query_safe("$score > 0") if $cached;
		$writer->query_safe('begin isolation level serializable');
		is($writer->query_safe("$score > 0"), 'f', 'both transactions have read');
	}
	$writer[0]->query_safe($insert);
	$writer[1]->query_safe($insert =~ s/ann/bob/r);
	$writer[0]->query_safe('commit');
	$writer[1]->query('commit');
	$writer[1]->query('rollback');
	$_->quit foreach @writer;
	is(inferred(), $yes, 'the first one to commit has written');
	is(inferred('bob'), $no, 'the other one fails, ' . ($cached ? 'though its session had a copy of the facts' : 'whose session has read them for it'));
	take_back('serializable');
}

# ---- parallel workers ----

other($delete);
is(ask(q{
	set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0; set max_parallel_workers_per_gather = 2;
	truncate asked; insert into asked select 'ann' from generate_series(1, 2000); analyze asked;
	select count(*) from asked where hkg_score('g', who, 'from', 'italy', 'm', 'rules') > 0}), '0', 'a parallel query');
other($insert);
is(ask(q{select count(*) from asked where hkg_score('g', who, 'from', 'italy', 'm', 'rules') > 0}), '2000', 'the fact counts in all its processes');
take_back('parallel');

# ---- functions of others, which predict while our queries run ----

ask(q{
	insert into g.model (name, score_function, dimensions, settings, status, created_at)
	select 'm' || i, score_function, dimensions, settings, status, created_at from g.model, generate_series(1, 5) i where name = 'm';
	insert into g.entity_embedding select 'm' || i, entity, embedding from g.entity_embedding, generate_series(1, 5) i where model = 'm';
	insert into g.relation_embedding select 'm' || i, relation, embedding from g.relation_embedding, generate_series(1, 5) i where model = 'm';
	create function ask_others() returns bool language plpgsql set search_path = public as $$ begin
		for i in 1 .. 5 loop
			perform hkg_score('g', 'bob', 'from', 'italy', ('m' || i)::name);
		end loop;
		return true;
	end $$;
	create role reader;
	grant usage on schema g to reader;
	grant select on all tables in schema g to reader;
	create policy asking on g.rule using (ask_others());
	alter table g.rule enable row level security;
	set role reader});
other($insert);
is(inferred(), $yes, 'a model whose copy is dropped while its evidence is read, because others need room');
ask('reset role; alter table g.rule disable row level security');
take_back('with others');

# ---- the extension goes and comes back ----

other('drop extension hybridkg');
other($insert);
other('create extension hybridkg');
is(inferred(), $yes, 'a fact that came while the extension was not there');
take_back('after it came back');
$asking->quit;

# ---- rights ----

# a writer who may not even look into the extension's schema
$node->safe_psql('postgres', 'create database closed; create role writer login');
$node->safe_psql('closed', "create schema kg; create extension hybridkg schema kg; set search_path = public, kg; $make
	grant usage on schema g to writer; grant insert on g.triple to writer; alter database closed set search_path = public, kg");
$row = $node->safe_psql('closed', q{select concat_ws(', ', head, relation, tail) from fact('ann', 'rome')});
$node->safe_psql('closed', 'alter database closed set hybridkg.shared_cache = 0');
$asking = $node->background_psql('closed');
is(inferred(), $no, 'ann does not live in rome');
$node->safe_psql('closed', "set role writer; insert into g.triple values ($row)");
is(inferred(), $yes, 'whoever may insert facts has others read them');
$node->safe_psql('closed', "delete from g.triple where (head, relation, tail) = ($row)");
is(inferred(), $no, 'deleted');
$node->safe_psql('closed', "create view public.fact_view as select * from g.triple; create role clerk; grant insert on fact_view to clerk;
	set role clerk; insert into fact_view values ($row)");
is(inferred(), $yes, 'or does so by a view of somebody who may');

# a reader, who has the lock of writers by preparing a statement, has nobody read the facts again
$node->safe_psql('closed', 'create role onlooker; grant usage on schema g to onlooker; grant select on g.triple to onlooker');
my $flood = "set role onlooker; begin; prepare nothing as insert into g.triple values (1, 1, 1);
	select pg_current_xact_id(), hkg_facts_changed('g.triple'); commit";
ask("begin; $score");
$read = ask($scans);
$node->safe_psql('closed', $flood);
ask($score);
is(ask($scans), $read, 'whoever may only read has no session read the facts again');
$node->safe_psql('closed', $flood =~ s/onlooker/writer/r);
ask($score);
is(ask($scans), $read, 'nor does whoever may write, and has written nothing');
$node->safe_psql('closed', "set role writer; insert into g.triple select $row on conflict do nothing");
ask($score);
is(ask($scans), $read, 'or a fact that was there');
$node->safe_psql('closed', "delete from g.triple where (head, relation, tail) = ($row)");
ask($score);
cmp_ok(ask($scans), '>', $read, 'as one does that is deleted');
ask('commit');
$asking->quit;

done_testing();
