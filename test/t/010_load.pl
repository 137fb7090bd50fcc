# hkg_load writes facts past the executor where the table is as the layout made it, and by statements elsewhere.  Both
# leave the same rows and indexes, and both respect what others do at the same time.
#
# Which way was taken is seen in xmin: the writer has a subtransaction, statements have none.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('load', "wal_level = logical\nautovacuum = off");
my $amcheck = $node->safe_psql('postgres', q{select count(*) from pg_available_extensions where name = 'amcheck'});
$node->safe_psql('postgres', 'create extension amcheck') if $amcheck;

# n facts; facts(n) begins facts(n + 1)
$node->safe_psql('postgres', q{
	create function facts(n int) returns table (head text, relation text, tail text) language sql as $$
		select 'h' || i % 997, 'r' || i % 13, 't' || i / 3 from generate_series(1, n) i $$;
	create function by_statement() returns trigger language plpgsql as $$ begin return new; end $$;
	-- the same facts, by every index and without one
	create function contents(graph name) returns setof text language plpgsql as $$
	declare
		columns text;
	begin
		foreach columns in array array['head, relation, tail', 'relation, head, tail', 'tail, relation, head', ''] loop
			perform set_config('enable_seqscan', (columns = '')::text, true), set_config('enable_sort', (columns = '')::text, true),
				set_config('enable_indexscan', (columns <> '')::text, true), set_config('enable_indexonlyscan', (columns <> '')::text, true);
			return query execute format($f$select md5(string_agg(concat_ws(' ', h.name, r.name, t.name), '|' order by h.name, r.name, t.name))
				from (select * from %1$I.triple %2$s) f join %1$I.entity h on h.id = head join %1$I.relation r on r.id = relation
					join %1$I.entity t on t.id = tail$f$, graph, case when columns <> '' then 'order by ' || columns end);
		end loop;
	end $$;
	create function direct(graph name, facts text, split text default 'train') returns text language plpgsql as $$
	declare
		loaded record;
		by_statement bool;
	begin
		select * into loaded from hkg_load(graph, facts, split);
		execute format('select bool_and(xmin::text = pg_current_xact_id()::xid::text) from %I.%I
			where pg_xact_status(xmin::text::xid8) is null or pg_xact_status(xmin::text::xid8) = %L', graph,
			case split when 'train' then 'triple' else 'holdout' end, 'in progress') into by_statement;
		return concat_ws(' ', loaded.added, loaded.duplicates, case when by_statement then 'by statement' else 'direct' end);
	end $$});

sub value { return $node->safe_psql('postgres', $_[0]); }

# a checksum of the facts, which is that of each index, too
sub contents
{
	my ($graph) = @_;
	my @sums = split /\n/, value("select * from contents('$graph')");

	is(scalar(grep { $_ eq $sums[0] } @sums), 4, "$graph: every index has the facts of the table");
	if ($amcheck)
	{
		value("select bt_index_check(indexrelid, true) from pg_index where indrelid = '$graph.triple'::regclass");
	}
	return $sums[0];
}

# ---- the same rows either way ----

value(q{select hkg_create_graph(g) from unnest(array['built', 'filled', 'slow']) g;
	insert into filled.entity (name) values ('h1'), ('t1'); insert into filled.relation (name) values ('r1');
	create trigger by_statement before insert on slow.triple for each row execute function by_statement()});
is(value(q{select direct('built', 'select * from facts(30000)')}), '30000 0 direct', 'into an empty table, whose indexes are built');
is(value(q{select direct('filled', 'select * from facts(9000)')}), '9000 0 direct', 'a few facts into an empty table');
is(value(q{select direct('filled', 'select * from facts(30000)')}), '21000 9000 direct', 'many into a full one, some of them known');
is(value(q{select direct('filled', 'select * from facts(30000)')}), '0 30000 direct', 'nothing new');
is(value(q{select direct('slow', 'select * from facts(30000)')}), '30000 0 by statement', 'a trigger of the owner has statements run');
my $facts = contents('slow');
is(contents('built'), $facts, 'the same facts');
is(contents('filled'), $facts, 'once more');
is(value(q{select count(*) from built.triple t, pg_stats s where s.schemaname = 'built' and tablename = 'triple'}), 90000, 'the table is analysed');
is(value(q{select direct('built', 'select * from facts(500)', 'valid') || ', ' || direct('built', 'select * from facts(12000)', 'test')}),
	'500 0 direct, 12000 0 direct', 'facts held out');
is(value(q{select direct('built', 'select * from facts(600)', 'valid')}), '100 500 direct', 'known ones are known by split');
is(value(q{begin isolation level repeatable read; select direct('built', 'select * from facts(30010)'); commit}), '10 18000 direct', 'repeatable read, without the 12000 that are held out');
is(value(q{begin isolation level serializable; select direct('built', 'select * from facts(30011)'); commit}), '1 18010 direct', 'serializable');

# ---- what an owner may have added ----

my %ways = (
	'alter table o.triple add column note text' => 'by statement',
	'alter table o.triple add foreign key (relation) references o.entity' => 'by statement',
	'create rule r as on insert to o.triple do also nothing' => 'by statement',
	'create trigger t after insert on o.triple for each statement execute function by_statement()' => 'by statement',
	'create trigger t before insert on o.entity for each row execute function by_statement()' => 'by statement',
	'alter table o.triple force row level security, enable row level security; create policy p on o.triple using (true);
		set role owner' => 'by statement',
	'alter table o.triple enable row level security' => 'direct',
	'alter table o.triple alter head type bigint' => 'by statement',
	'alter table o.triple add check (head > 0), set (fillfactor = 50)' => 'direct',
	'create index on o.triple using hash (tail); create index on o.triple ((head + tail)) where relation > 3' => 'direct',
	'create trigger t after delete on o.triple for each row execute function by_statement()' => 'direct',
	'alter table o.triple drop constraint triple_head_fkey' => 'direct',
	'set session_replication_role = replica' => 'direct');

value(q{create role owner; grant create on database postgres to owner; set role owner; select hkg_create_graph('o')});
value(q{select hkg_load('o', 'select * from facts(20)')});
foreach my $ddl (sort keys %ways)
{
	my ($code, $out) = $node->psql('postgres', qq{begin; $ddl; select direct('o', 'select * from facts(100)'); rollback});

	is($out, "80 20 $ways{$ddl}", $ddl);
}
is(value(q{begin; create index extra on o.triple ((head + tail)) where relation > 3; select direct('o', 'select * from facts(15000)');
	set local enable_seqscan = off; select count(*) from o.triple where head + tail > 0 and relation > 3; set local enable_indexscan = off;
	set local enable_bitmapscan = off; set local enable_seqscan = on; select count(*) from o.triple where head + tail > 0 and relation > 3; rollback}) =~
	/direct\n(\d+)\n\1$/ ? 1 : 0, 1, 'an index with expression and predicate has its entries');
my ($code, $out, $err) = $node->psql('postgres', q{\set VERBOSITY verbose
	begin; alter table o.triple add check (tail < 700); select hkg_load('o', 'select * from facts(3000)')});
like($err, qr/ERROR:  23514: new row for relation "triple" violates check constraint/, 'a check of the owner holds');
is(value(q{begin; alter table o.triple add unique (head); select direct('o', 'select * from facts(3000)'); rollback}), '977 2023 by statement',
	'another unique key: conflicts are left out, as by a statement');

is(value(q{begin; alter table o.triple drop constraint triple_pkey; select direct('o', 'select * from facts(100)'); rollback}), '100 0 by statement',
	'without any key facts come twice, as by a statement');

is(value(q{select hkg_create_graph('bare'); alter table bare.triple drop constraint triple_pkey; alter table bare.triple alter head drop not null,
	alter relation drop not null, alter tail drop not null; select direct('bare', 'select * from facts(12000)')}), "\n12000 0 direct",
	'a table without any constraint of columns');

# ---- rolled back ----

value('create table sums as select * from contents(\'o\')');
foreach my $n (1000, 20000)
{
	is(value(qq{select hkg_create_graph('undone'); begin; select hkg_load('undone', 'select * from facts($n)'); rollback; select count(*) from undone.triple;
		begin; savepoint a; select hkg_load('undone', 'select * from facts($n)'); rollback to a; commit;
		set enable_seqscan = off; select count(*) from undone.triple where head > 0;
		set client_min_messages = warning; select direct('undone', 'select * from facts($n)'); select hkg_drop_graph('undone')}) =~ s/^\(.*\)\n|^\n|\n+$//gmr,
		"0\n0\n$n 0 direct", "a load of $n facts is rolled back");
}
is(value(q{do $$ begin
	perform hkg_load('o', 'select * from facts(200)');
	raise division_by_zero;
exception when division_by_zero then null; end $$; select count(*) from o.triple}), '20', 'likewise in a block with an exception');

# ---- others at the same time ----

# a session that goes on until it is asked to end
sub begin { my $session = $node->background_psql('postgres'); $session->query_safe("begin; $_[0]"); return $session; }

sub waits
{
	my ($name) = @_;
	return $node->poll_query_until('postgres',
		"select exists (select from pg_stat_activity where application_name = '$name' and wait_event_type = 'Lock')");
}

my $load = q{select direct('o', 'select * from facts(40)')};
my $fact = q{insert into o.triple select h.id, r.id, t.id from o.entity h, o.relation r, o.entity t where (h.name, r.name, t.name) = ('h30', 'r4', 't10')};

value(q{insert into o.entity (name) values ('h30'), ('t10')});
foreach my $end ('commit', 'rollback')
{
	my $writer = begin($fact);
	my $loader = session($node, "fact $end", "begin; $load; rollback");

	ok(waits("fact $end"), 'a load waits for whoever inserts the same fact');
	$writer->query_safe($end);
	$writer->quit;
	ok(finish($loader), 'and ends well');
	is($loader->{out}, $end eq 'commit' ? "19 21 by statement\n" : "20 20 direct\n", "after $end");
	value(q{delete from o.triple using o.entity e where e.id = head and e.name = 'h30'});
}

foreach my $end ('rollback', 'commit')
{
	my $writer = begin(q{delete from o.entity where name = 'h30'});
	my $loader = session($node, "name $end", "begin; $load; rollback");

	ok(waits("name $end"), 'a load waits for whoever deletes an entity that it needs');
	$writer->query_safe($end);
	$writer->quit;
	is(finish($loader) ? 'well' : ($loader->{err} =~ /ERROR:  (\w+)/)[0], $end eq 'commit' ? '23503' : 'well', "after $end");
	is(value('select count(*) from o.triple'), '20', 'nothing was loaded');
}
is(value("begin; $load; rollback"), '20 20 direct', 'another load inserts what was deleted');

my $loader = begin("$load");
my $deleter = session($node, 'deleter', q{delete from o.entity where name = 't10'});
ok(waits('deleter'), 'whoever deletes an entity of a new fact waits for the load');
$loader->query_safe('commit');
$loader->quit;
ok(!finish($deleter), 'and may not');
like($deleter->{err}, qr/ERROR:  23503: /, 'for there is the fact');

# one who deletes an entity of a first load, which waits for it, looks for its facts at the end of the statement
value(q{select hkg_create_graph('d'); insert into d.entity (name) values ('h30');
	create function gate() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock_shared(1); return old; end $$;
	create trigger gate before delete on d.entity for each row execute function gate()});
my $gate = $node->background_psql('postgres');
$gate->query_safe('select pg_advisory_lock(1)');
$deleter = session($node, 'slow deleter', q{begin; delete from d.entity where name = 'h30'; rollback});
ok(waits('slow deleter'), 'somebody deletes an entity');
$loader = session($node, 'first load', q{select direct('d', 'select * from facts(20000)')});
ok(waits('first load'), 'for which a first load waits');
$gate->quit;
ok(finish($deleter) && finish($loader), 'neither waits for the other in a deadlock') or diag($deleter->{err}, $loader->{err});
is($loader->{out}, "20000 0 direct\n", 'and the load builds its indexes');

# a graph that gets another one's name while a load runs, or waits
value(q{select hkg_create_graph(g) from unnest(array['old', 'new']) g; select hkg_load(g, 'select * from facts(50)') from unnest(array['old', 'new']) g;
	create table passage ()});
my @before = map { tables($node, $_) } 'old', 'new';
my $swap = q{alter schema old rename to kept; alter schema new rename to old};
my $locker = begin('lock table passage');
my %swapped = (
	'a load' => q{select hkg_load('old', 'select f.* from facts(60) f, (select count(*) from passage) p')},
	'a sync' => q{select hkg_sync('old', 'select f.* from facts(60) f, (select count(*) from passage) p')},
	'a split that waits' => q{select hkg_split('old', 0.2, 0.2)});
my %sessions;
foreach my $what (sort keys %swapped)
{
	$sessions{$what} = session($node, $what, $swapped{$what});
	ok(waits($what), "$what is not done");
}
value($swap);
$locker->query_safe('commit');
$locker->quit;
foreach my $what (sort keys %swapped)
{
	ok(!finish($sessions{$what}), "$what of a graph whose name is another one's by now");
	like($sessions{$what}->{err}, qr/ERROR:  55000: graph "old" was renamed or dropped meanwhile/, 'tells that');
}
is(tables($node, 'kept'), $before[0], 'the graph is as before');
is(tables($node, 'old'), $before[1], 'and the other one');

# the lock that building needs is taken only if it is free, and held to the end
value(q{select hkg_create_graph('l')});
my $reader = begin('select count(*) from l.triple');
is(value(q{begin; select direct('l', 'select * from facts(20000)'); rollback}), '20000 0 direct', 'a reader has no load wait');
$reader->query_safe('commit');
value(q{set client_min_messages = warning; select hkg_drop_graph('l'); select hkg_create_graph('l')});
$loader = begin(q{select hkg_load('l', 'select * from facts(20000)')});
is($loader->query_safe(q{select count(*) from pg_locks where relation = 'l.triple'::regclass and mode = 'AccessExclusiveLock'}), '1',
	'the lock is held while the facts are not committed');
$loader->query_safe('commit');
is($reader->query_safe('select count(*) from l.triple'), '20000', 'then others see them');
$reader->quit;
is($loader->query_safe(q{begin; select hkg_load('l', 'select * from facts(40000)');
	select count(*) from pg_locks where relation = 'l.triple'::regclass and mode = 'AccessExclusiveLock'; rollback}) =~ s/^\(.*\)\n//r, '0',
	'a full table is not locked');
$loader->quit;
# a query that reads the table whose indexes would be built
value(q{select hkg_create_graph('u')});
is(value(q{set enable_seqscan = off; begin; declare c cursor for select * from u.triple where head > 0; fetch c;
	select direct('u', 'select * from facts(20000)'); fetch c; close c;
	select count(*) from pg_locks where relation = 'u.triple'::regclass and mode = 'AccessExclusiveLock'; rollback}), "20000 0 direct\n0",
	'a cursor over the empty table, which is not locked for that');

# ---- rights ----

# usage of the schema alone gives neither the graph's lock nor a run of the query
value(q{create role guest; grant usage on schema o to guest; create table run (n int); grant all on run to guest;
	create function note() returns text language plpgsql as $$ begin insert into run values (1); return 'a'; end $$});
$loader = begin("set local role owner; $load");
($code, $out, $err) = $node->psql('postgres', q{\set VERBOSITY verbose
	set lock_timeout = '30s'; set role guest; select hkg_load('o', 'select ''a'', ''b'', note()')});
like($err, qr/ERROR:  42501: permission denied for table o.entity.*grant select on o.entity to guest; grant select on o.relation to guest; grant insert on o.triple to guest/s,
	'whoever may not load does not wait for a load');
$loader->query_safe('rollback');
$loader->quit;
is(value('select count(*) from run'), '0', 'and has no query run');
# whoever may insert facts and nothing else
value(q{grant select on o.entity, o.relation to guest; grant insert on o.triple to guest});
is(value(q{set role guest; select added from hkg_load('o', $$values ('h1', 'r2', 't3')$$)}), '1', 'known names need no other right');
($code, $out, $err) = $node->psql('postgres', qq{\\set VERBOSITY verbose\nset role guest; select hkg_load('o', \$\$values ('h1', 'r2', 'new')\$\$)});
like($err, qr/ERROR:  42501: permission denied for table entity/, 'new ones do');

# ---- WAL ----

# what a subscriber is sent
SKIP:
{
	skip 'no test_decoding', 2 if !eval { $node->safe_psql('postgres', q{select pg_create_logical_replication_slot('slot', 'test_decoding')}) };
	value(q{select hkg_create_graph('w')});
	value(q{select hkg_load('w', 'select * from facts(20000)')});
	my $changes = q{select count(*) from pg_logical_slot_get_changes('slot', null, null) where data ~ '^table w.triple: INSERT'};
	is(value($changes), '20000', 'facts of a first load are decoded');
	value(q{select hkg_load('w', 'select * from facts(21000)')});
	is(value($changes), '1000', 'and of a second one');
	value(q{select pg_drop_replication_slot('slot')});
}

# ---- a crash ----

value(q{select hkg_create_graph('c'); checkpoint});
my $before = tables($node, 'c');
foreach my $seconds (0.3, 1.2, 2)
{
	my $victim = session($node, 'victim', q{select hkg_load('c', 'select * from facts(1500000)')});
	my $pid = wait_for_session($node, $victim, $seconds);

	kill_backend($node, $pid);
	ok(!finish($victim), "a load is killed after $seconds s");
	is(tables($node, 'c'), $before, 'and leaves nothing');
}
is(value(q{select direct('c', 'select * from facts(30000)')}), '30000 0 direct', 'a load works');
is(contents('c'), $facts, 'all of it is there');
$before = tables($node, 'c');
my $victim = session($node, 'victim', q{begin; select hkg_load('c', 'select * from facts(200000)'); select pg_sleep(600)});
$node->poll_query_until('postgres', q{select exists (select from pg_stat_activity where application_name = 'victim' and wait_event = 'PgSleep')});
kill_backend($node, value(q{select pid from pg_stat_activity where application_name = 'victim'}));
finish($victim);
is(tables($node, 'c'), $before, 'a load that was not committed is gone');
is(contents('c'), $facts, 'from every index');
is(value(q{select direct('c', 'select * from facts(30003)')}), '3 30000 direct', 'and the next one works');

done_testing();
