# hkg_sync beside others: two at once, under a training, cancelled, with few rights, under row security; what other
# sessions predict afterwards.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use List::Util qw(max);
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('sync');

sub value { return $node->safe_psql('postgres', $_[0]); }

sub refused
{
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$_[0]");

	return $err;
}

my $contents = q{select md5(string_agg(concat_ws(' ', h.name, r.name, t.name), '|' order by h.name, r.name, t.name)) from g.triple
	join g.entity h on h.id = head join g.relation r on r.id = relation join g.entity t on t.id = tail};
my $wanted = q{select md5(string_agg(concat_ws(' ', head, relation, tail), '|' order by head, relation, tail))
	from (select distinct head collate "C", relation collate "C", tail collate "C" from line) f};

sub in_step
{
	my ($name) = @_;

	return is(value($contents), value($wanted), $name);
}

value(q{create table line (head text, relation text, tail text);
	insert into line select 'e' || i % 997, 'r' || i % 7, 'e' || (i * 31) % 1009 from generate_series(1, 20000) i;
	select hkg_create_graph('g');
	select hkg_sync('g', 'select * from line', keep => true)});
in_step('the facts of the query');

# ---- two at once: the second waits, and runs its query on what is committed by then ----

value('create table gate ()');
my $gate = $node->background_psql('postgres');
$gate->query_safe('begin; lock table gate');
my $first = session($node, 'first', q{begin; delete from line where head = 'e1'; select hkg_sync('g'); select count(*) from gate; commit});
ok($node->poll_query_until('postgres', q{select exists (select from pg_locks where relation = 'gate'::regclass and not granted)}), 'one sync stands before its commit');
# while it waits, a row comes that its statement's snapshot does not show
my $second = session($node, 'second', q{insert into line values ('e2', 'r1', 'second'); select hkg_sync('g')});
ok($node->poll_query_until('postgres', q{select exists (select from pg_locks where locktype = 'advisory' and not granted)}), 'another one waits');
value(q{insert into line values ('e3', 'r1', 'third')});
$gate->query_safe('commit');
ok(finish($first), 'the first of two syncs');
ok(finish($second), 'the second');
in_step('what both saw, and what was committed while the second waited');
is(value(q{select count(*) from g.entity where name = 'third'}), 1, 'its query ran after the wait');

# both would add the same new names and facts
value(q{insert into line select 'n' || i, 'new', 'n' || i + 1 from generate_series(1, 500) i});
my @both = map { session($node, "both$_", q{select hkg_sync('g')}) } 1 .. 2;
ok(finish($_), 'one of two syncs of the same changes') foreach @both;
in_step('once');

# ---- a split waits for who writes facts by hand ----

my $by_hand = $node->background_psql('postgres');
$by_hand->query_safe(q{begin; insert into g.holdout select 'valid', h.id, r.id, t.id from g.entity h, g.relation r, g.entity t
	where (h.name, r.name, t.name) = ('third', 'new', 'second')});
my $split = session($node, 'split', q{select valid_facts + test_facts from hkg_split('g', 0, 0)});
ok($node->poll_query_until('postgres', q{select exists (select from pg_locks where relation = 'g.holdout'::regclass and not granted)}), 'a split waits');
$by_hand->query_safe('commit');
$by_hand->quit;
ok(finish($split), 'and goes on');
is(value(q{select count(*) from g.holdout}), 0, 'what was held out meanwhile is taken back');
value(q{insert into line values ('third', 'new', 'second')});
in_step('as a fact');

# while it waits for one table it holds no other one, so that who has the facts can go on to the models
$by_hand = $node->background_psql('postgres', on_error_stop => 0);
$by_hand->query_safe('begin; lock table g.triple in access exclusive mode');
$split = session($node, 'waiting split', q{select hkg_split('g', 0, 0)});
ok($node->poll_query_until('postgres', q{select exists (select from pg_locks where relation = 'g.triple'::regclass and not granted)}), 'a split waits for the facts');
$by_hand->query('lock table g.model in access exclusive mode');
$by_hand->query('commit');
ok(finish($split), 'and ends without a deadlock') or diag($split->{err});
$by_hand->quit;

# ---- one that fails in the middle changes nothing ----

my $before = value($contents);
my $entities = value('select count(*) from g.entity');
value(q{create function fails() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
	create trigger fails after insert on g.triple for each row when (new.head % 10 = 3) execute function fails();
	insert into line select 'x' || i, 'r1', 'y' || i from generate_series(1, 100) i; delete from line where head = 'e5'});
like(refused(q{select hkg_sync('g')}), qr/not this one/, 'an error while facts are inserted');
is(value($contents), $before, 'the facts stay');
is(value('select count(*) from g.entity'), $entities, 'and the entities');
value('drop trigger fails on g.triple');

# a row that is bad, after many good ones
value(q{insert into line values (null, 'r1', 'e1')});
like(refused(q{select hkg_sync('g')}), qr/ERROR:  22004: head of row \d+ is null/, 'a bad row is named');
is(value($contents), $before, 'the facts stay');
value('delete from line where head is null');

# cancelled at any time
value(q{select hkg_sync('g')});
in_step('then it goes on');
$before = value($contents);
value(q{insert into line select 'big' || i % 5000, 'r' || i % 7, 'e' || i % 1009 from generate_series(1, 200000) i; delete from line where head like 'e7%'});
my $latest = 0;
my $cancelled = 0;
foreach my $milliseconds (20, 60, 120, 200, 300, 450, 600)
{
	my $end;

	foreach my $try (1 .. 3)
	{
		$end = end_statement($node, q{select hkg_sync('g')}, $milliseconds / 1000);
		last if $end->{late} < 0.2;
	}
	$cancelled++ if $end->{sqlstate} eq '57014';
	$latest = max($latest, $end->{late});
	is(value($contents), $before, "cancelled after $milliseconds ms, it has changed nothing");
}
cmp_ok($cancelled, '>', 1, 'some were cancelled');
cmp_ok($latest, '<', 0.2, sprintf('within %.0f ms', 1000 * $latest));
value(q{select hkg_sync('g')});
in_step('in the end all is there');
value(q{delete from line where head like 'big%'; select hkg_sync('g')});

# ---- under a training ----

my $small = q{'distmult', dimensions => 8, iterations => 2, epochs => 2, top_rules => 0, evidence_rules => 0};
value("select hkg_train('g', $small)");
# which does not end before it can write its next iteration
my $held = hold($node, 'g.iteration', 'default', 2);
value(q{select hkg_train_background('g', 'distmult', dimensions => 8, iterations => 30, epochs => 10, top_rules => 0, evidence_rules => 0)});
ok(is_held($node), 'a training is under way');
value(q{insert into line values ('during', 'r1', 'e2'); delete from line where head = 'e9' or tail = 'e9'});
is(value(q{select added || ' ' || (deleted > 0) || ' ' || entities from hkg_sync('g')}), '1 true 1', 'a sync while a model is trained');
in_step('it does not wait');
like(refused(q{select hkg_sync('g', prune => true)}), qr/ERROR:  55006: graph "g" is in use by a training/, 'entities are not pruned meanwhile');
let_go($node, $held);
ok($node->poll_query_until('postgres', 'select count(*) = 0 from hkg_progress'), 'the training ends');
is(value(q{select status from g.model}), 'ready', 'and its model is ready');
is(value(q{select count(*) from hkg_predict_tails('g', 'e2', 'r1', 3)}), 3, 'it predicts');
is(value(q{select count(*) from hkg_predict_tails('g', 'during', 'r2', 3)}), 3, 'for an entity that came meanwhile, too');
my $idle = value(q{select count(*) from g.entity where name not in (select head from line union select tail from line)});
$gate->query_safe('begin; lock table g.model in share mode');
my $prune = session($node, 'prune', q{select pruned from hkg_sync('g', prune => true)});
ok($node->poll_query_until('postgres', q{select exists (select from pg_locks where relation = 'g.model'::regclass and not granted)}), 'pruning waits for the models');
is(value(q{select count(*) from pg_locks where relation = 'g.triple'::regclass and mode = 'RowExclusiveLock'}), 0, 'before it writes');
$gate->query_safe('commit');
$gate->quit;
ok(finish($prune), "then e9 and others without a fact are pruned");
is($prune->{out}, "$idle\n", "$idle in all");
is(value(q{select count(*) from hkg_predict_tails('g', 'e2', 'r1', 3)}), 3, 'the model still predicts');

# ---- other sessions ----

my $other = $node->background_psql('postgres') if $node->can('background_psql');
SKIP:
{
	skip 'no background_psql', 2 if !$other || !$other->can('query_safe');
	my $listed = q{select count(*) from hkg_predict_tails('g', 'e2', 'r2', 100000) where tail = 'e44'};

	is($other->query_safe($listed), 1, 'another session lists what is no fact');
	value(q{insert into line values ('e2', 'r2', 'e44'); select hkg_sync('g')});
	is($other->query_safe($listed), 0, 'and no longer does so when it is one');
	$other->quit;
}

# ---- rights and row security ----

value(q{create role clerk login; grant usage on schema g to clerk; grant select on all tables in schema g to clerk; grant select on line to clerk});
sub as_clerk { return "set role clerk;\n$_[0]"; }
like(refused(as_clerk(q{select hkg_sync('g')})), qr/ERROR:  42501: permission denied for table g.triple\n.*lacks: insert, delete.*\n.*grant insert, delete on g.triple to clerk/s,
	'without rights nothing is run');
like(refused(as_clerk(q{select hkg_split('g')})), qr/ERROR:  42501: permission denied for table g.triple/, 'nor split');
like(refused(as_clerk(q{select hkg_sync('g', 'table line', keep => true)})), qr/ERROR:  42501: permission denied for table g.triple/, 'nor the source changed');
is(value(as_clerk(q{select query from g.source})), 'select * from line', 'the source can be read');
value(q{grant insert, delete on g.triple to clerk; grant insert on g.entity, g.relation to clerk});
value(q{insert into line values ('e2', 'r2', 'e45')});
is(value(as_clerk(q{select added || ' ' || deleted from hkg_sync('g')})), '1 0', 'with them it is');
like(refused(as_clerk(q{select hkg_sync('g', 'table line', keep => true)})), qr/ERROR:  42501: permission denied for table g.source\n.*lacks: insert, update/s, 'to keep a query needs more');
like(refused(as_clerk(q{select hkg_sync('g', prune => true)})), qr/ERROR:  42501: permission denied for table g.entity/, 'pruning needs more');
# the query has the caller's rights, not the owner's
value(q{revoke select on line from clerk});
like(refused(as_clerk(q{select hkg_sync('g')})), qr/ERROR:  42501: permission denied for table line/, 'the source runs with the rights of the caller');
value(q{grant select on line to clerk});
# who sees relation r1 only, brings r1 in step
value(q{alter table g.triple enable row level security;
	create policy r1 on g.triple to clerk using (relation = (select id from g.relation where name = 'r1'));
	delete from line where relation in ('r1', 'r2') and head in ('e2', 'e3')});
my $hidden = value(q{select count(*) from g.triple join g.relation r on r.id = relation where r.name <> 'r1'});
like(refused(as_clerk(q{select hkg_sync('g')})), qr/ERROR:  42501: new row violates row-level security policy/, 'a policy refuses facts that the caller does not see');
value(as_clerk(q{select hkg_sync('g', $$select * from line where relation = 'r1'$$)}));
is(value(q{select count(*) from g.triple join g.relation r on r.id = relation where r.name <> 'r1'}), $hidden, 'what the caller does not see stays');
is(value(q{select count(*) from g.triple join g.relation r on r.id = relation where r.name = 'r1'}),
	value(q{select count(*) from (select distinct * from line where relation = 'r1') f}), 'what the caller sees is in step');
# who may see facts, but not delete them
value(q{create policy kept on g.triple as restrictive for delete to clerk using (false); delete from line where head = 'e4'});
like(refused(as_clerk(q{select hkg_sync('g', $$select * from line where relation = 'r1'$$)})), qr/ERROR:  27000: table g.triple keeps \d+ of \d+ facts/, 'facts that a policy keeps are counted');
# entities of which other facts are hidden cannot be told from those that have none
value(q{drop policy kept on g.triple; grant delete on g.entity, g.holdout to clerk; grant update on g.model to clerk;
	insert into line values ('hidden', 'r3', 'hidden'); select hkg_sync('g')});
like(refused(as_clerk(q{select hkg_sync('g', $$select * from line where relation = 'r1'$$, prune => true)})),
	qr/ERROR:  42501: entities cannot be pruned by role "clerk"\n.*Row security hides.*\n.*Leave out prune/, 'nor pruned');
value(q{alter table g.triple disable row level security; select hkg_sync('g')});
in_step('the owner brings all in step');

# ---- a dump takes the source along ----

my $file = PostgreSQL::Test::Utils::tempdir . '/graph.sql';
$node->safe_psql('postgres', 'create database elsewhere');
$node->safe_psql('elsewhere', 'create role nobody; create extension hybridkg');
$node->command_ok([ 'pg_dump', '-n', 'g', '-f', $file, 'postgres' ], 'a dump');
$node->command_ok([ 'psql', '-qXf', $file, 'elsewhere' ], 'restored');
is($node->safe_psql('elsewhere', q{select query from g.source}), 'select * from line', 'has the source');

done_testing();
