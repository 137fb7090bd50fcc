# Two trainings of one model: the second is refused at once.  Other models,
# readers and loads are not in each other's way.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('concurrent');
make_graph($node, 'g', 500, 5000);
make_graph($node, 'other', 500, 5000);

my $small = q{'distmult', dimensions => 8, iterations => 1, epochs => 2, evidence_rules => 100};
my $long = q{'distmult', dimensions => 32, iterations => 1000, epochs => 1000};

$node->safe_psql('postgres', "select hkg_train(@{[ arguments(qq{'g', $small, model => 'm'}) ]})");
my $before = tables($node, 'g');

my $trainer = session($node, 'trainer', "select hkg_train(@{[ arguments(qq{'g', $long, model => 'm'}) ]})");
my $pid = wait_for_session($node, $trainer);
ok(wait_until($node, "select exists (select from hkg_progress where pid = $pid and phase = 'training')"), 'a training is under way');

# the first one takes hours
my ($code, $out, $err) = $node->psql('postgres',
	"\\set VERBOSITY verbose\nset statement_timeout = '60s'; select hkg_train(@{[ arguments(qq{'g', $small, model => 'm'}) ]})");
like($err, qr/ERROR:  55006: /, 'the second training of a model does not wait, but is refused with object_in_use');

is($node->safe_psql('postgres', "select hkg_train(@{[ arguments(qq{'g', $small, model => 'n'}) ]})"), 'n',
	'another model of the graph can be trained meanwhile');
is($node->safe_psql('postgres', "select hkg_train(@{[ arguments(qq{'other', $small, model => 'm'}) ]})"), 'm',
	'a model of that name of another graph, too');
is($node->safe_psql('postgres', "select count(*) from hkg_predict_tails('g', 'e1', 'r1', 5, 'm')"), '5',
	'the old model answers meanwhile');
is($node->safe_psql('postgres', q{select added from hkg_load('g', $$values ('new', 'r1', 'e1')$$)}), '1',
	'facts can be loaded meanwhile');
$node->safe_psql('postgres', q{delete from g.triple using g.entity e where e.id = head and e.name = 'new';
	delete from g.entity where name = 'new'; delete from g.model where name = 'n'});
is(tables($node, 'g'), $before, 'the old model is still there');

# the old model's rows are replaced at the end only: deleting an entity does not wait for a training
my $delete = q{delete from g.triple where e.id in (head, tail); delete from g.holdout where e.id in (head, tail); delete from g.entity where id = e.id;};
($code, $out, $err) = $node->psql('postgres', qq{begin; set local statement_timeout = '60s';
	do \$\$ declare e record; begin select id into e from g.entity where name = 'e1'; $delete end \$\$; rollback});
is($code, 0, 'an entity of the old model can be deleted meanwhile');
is(tables($node, 'g'), $before, 'and be put back');

is($node->safe_psql('postgres', "select pg_cancel_backend($pid)"), 't', 'the first training is cancelled');
ok(!finish($trainer), 'it failed');
is($node->safe_psql('postgres', "select hkg_train(@{[ arguments(qq{'g', $small, model => 'm', seed => 1}) ]})"), 'm',
	'then the model can be trained');

# A training that is done but not committed keeps its name: the other one would overwrite it.
my $uncommitted = session($node, 'uncommitted',
	"begin; select hkg_train(@{[ arguments(qq{'g', $small, model => 'm'}) ]}); select pg_sleep(600)");
$pid = wait_for_session($node, $uncommitted);
$node->poll_query_until('postgres',
	"select wait_event = 'PgSleep' from pg_stat_activity where pid = $pid");
($code, $out, $err) = $node->psql('postgres',
	"\\set VERBOSITY verbose\nselect hkg_train(@{[ arguments(qq{'g', $small, model => 'm'}) ]})");
like($err, qr/ERROR:  55006: /, 'refused until the first one commits');
($code, $out, $err) = $node->psql('postgres',
	"\\set VERBOSITY verbose\nselect hkg_learn_thresholds('g', null, 'm')");
like($err, qr/ERROR:  55006: /, 'so are other thresholds');
$node->safe_psql('postgres', "select pg_terminate_backend($pid)");
finish($uncommitted);

# Who waits for the name learns from the model that is there then: the statement had begun before it was committed.
sub thresholds
{
	return $node->safe_psql('postgres', q{select md5(string_agg(t::text, '|' order by relation, evidence)) from g.threshold t where model = 'm'});
}

$node->safe_psql('postgres', q{create table negative as select h.name as head, 'r1' as relation, t.name as tail from g.entity h, g.entity t
	where h.id % 7 = 0 and t.id % 11 = 0});
# it commits when the other statement has begun
my $other = session($node, 'other', "begin; select hkg_train(@{[ arguments(qq{'g', $small, model => 'm', seed => 3}) ]});" . q{do $$ begin
	while not exists (select from pg_stat_activity where application_name = 'learner' and state = 'active') loop
		perform pg_sleep(0.1);
		perform pg_stat_clear_snapshot();
	end loop;
end $$; select pg_sleep(0.2); commit});
$pid = wait_for_session($node, $other);
ok($node->poll_query_until('postgres', "select wait_event = 'PgSleep' from pg_stat_activity where pid = $pid"), 'another training is done, and not committed');
my $learner = session($node, 'learner', q{do $$ begin
	loop
		begin
			perform hkg_learn_thresholds('g', 'negative', 'm');
			exit;
		exception when object_in_use then
		end;
	end loop;
end $$});
ok(finish($other), 'another training is committed meanwhile');
ok(finish($learner), 'and thresholds are learnt');
my $learnt = thresholds();
$node->safe_psql('postgres', "select hkg_learn_thresholds('g', 'negative', 'm')");
isnt($learnt, '', 'some are there');
is($learnt, thresholds(), 'thresholds are those of the model that was committed');

# A model is deleted when its weights are to be learnt: they wait, and say that it is gone.
$node->safe_psql('postgres', "select hkg_train(@{[ arguments(qq{'g', $small, model => 'going'}) ]})");
my $deleter = session($node, 'deleter', q{begin; delete from g.model where name = 'going';
	do $$ begin
	while not exists (select from pg_stat_activity where application_name = 'weigher' and wait_event_type = 'Lock') loop
		perform pg_sleep(0.1);
		perform pg_stat_clear_snapshot();
	end loop;
end $$; commit});
wait_for_session($node, $deleter);
ok($node->poll_query_until('postgres', q{select wait_event = 'PgSleep' from pg_stat_activity where application_name = 'deleter'}), 'a model is being deleted');
my $weigher = session($node, 'weigher', q{select hkg_learn_evidence('g', 'going')});
ok(finish($deleter), 'a model is deleted');
ok(!finish($weigher), 'whose weights are to be learnt');
like($weigher->{err}, qr/ERROR:  42704: model "going" does not exist/, 'they have no place');

# A model is deleted when rules are imported for it: the deletion waits, and takes them along.
$node->safe_psql('postgres', "select hkg_train(@{[ arguments(qq{'g', $small, model => 'going'}) ]})");
$node->safe_psql('postgres', q{create function wait() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock_shared(1); return new; end';
	create trigger wait before insert on g.rule for each row execute function wait()});
my $holder = $node->background_psql('postgres');
$holder->query_safe('select pg_advisory_lock(1)');
my $importer = session($node, 'importer', q{select hkg_import_rules('g', 'r5(X,Y) <= r1(X,"e1"), r2(Y,"e2")', model => 'going')});
ok(wait_until($node, q{select wait_event = 'advisory' from pg_stat_activity where application_name = 'importer'}), 'rules are written for a model');
my $taker = session($node, 'taker', q{delete from g.model where name = 'going'});
wait_until($node, q{select wait_event_type = 'Lock' from pg_stat_activity where application_name = 'taker' union all
	select true where not exists (select from g.model where name = 'going') order by 1 desc limit 1});
$holder->quit;
ok(finish($importer), 'and are there') or diag $importer->{err};
ok(finish($taker), 'though it is deleted meanwhile');
is($node->safe_psql('postgres', q{drop function wait cascade; select count(*) from g.rule where model = 'going'}), '0', 'which takes them along');

# An entity goes with its facts while a training is under way: nothing is kept of it.
my $under_way = 0;
# longer trainings, until it goes in time
foreach my $epochs (200, 1000, 5000)
{
	$node->safe_psql('postgres', q{select hkg_load('g', $$select 'gone', relation, tail from (select r.name relation, t.name tail
		from g.triple join g.entity h on h.id = head join g.relation r on r.id = relation join g.entity t on t.id = triple.tail
		where r.name = 'r1' order by 1, 2 limit 20) f$$)});
	my $sampling = session($node, 'sampling',
		qq{select hkg_train(@{[ arguments(qq{'g', 'distmult', dimensions => 32, iterations => 1, epochs => $epochs, evidence_rules => 100, min_quality => 0, sample_size => 1000000, model => 'm'}) ]})});
	$pid = wait_for_session($node, $sampling);
	ok(wait_until($node, qq{select exists (select from hkg_progress where model = 'm' and epoch > 0) or
		not exists (select from pg_stat_activity where pid = $pid)}), "a training of $epochs epochs is under way, or over");
	$node->safe_psql('postgres', q{delete from g.triple using g.entity e where e.id in (head, tail) and e.name = 'gone';
		delete from g.entity where name = 'gone'});
	$under_way = $node->safe_psql('postgres', 'select count(*) from hkg_progress');
	ok(finish($sampling), 'the training ends well');
	last if $under_way;
}
is($under_way, '1', 'an entity goes while a training is under way');
cmp_ok($node->safe_psql('postgres', q{select count(*) from g.inferred where model = 'm'}), '>', 0, 'with what it inferred of others');

# Several trainings at once, of one graph
my @trainers = map { session($node, "trainer$_", "select hkg_train(@{[ arguments(qq{'g', $small, model => 'm$_', seed => 7}) ]})") } 1 .. 4;
is(scalar(grep { finish($_) } @trainers), 4, 'four models trained side by side');
my $sums = $node->safe_psql('postgres', q{select count(distinct sum) from
	(select md5(string_agg(embedding::text, '|' order by entity)) as sum from g.entity_embedding
	where model ~ 'm[1-4]' group by model) s});
is($sums, '1', 'and all alike');

# What a statement gets for what somebody else has done, and commits while it waits
sub beside
{
	my ($done, $statement) = @_;
	my $other = $node->background_psql('postgres');

	$other->query_safe("begin; $done");
	my $waiting = session($node, 'waiting', $statement);
	my $waiter = wait_for_session($node, $waiting);
	wait_until($node, "select wait_event_type = 'Lock' from pg_stat_activity where pid = $waiter") or die "it does not wait: $waiting->{err}";
	$other->query_safe('commit');
	$other->quit;
	finish($waiting);
	return $waiting->{err} =~ /ERROR:  (\w{5})/ ? $1 : 'none';
}
is(beside(q{select hkg_create_graph('twice')}, q{select hkg_create_graph('twice')}), '42P06', 'two sessions make one graph');
is(beside(q{delete from g.model where name = 'm1'}, q{select hkg_learn_thresholds('g', null, 'm1')}), '42704', 'thresholds of a model that goes');
is(beside(q{delete from g.model where name = 'm2'}, q{select hkg_learn_evidence('g', 'm2')}), '42704', 'weights of a model that goes');
$pid = $node->safe_psql('postgres', "select hkg_train_background(@{[ arguments(qq{'g', $long, model => 'stopped'}) ]})");
ok(wait_until($node, q{select exists (select from g.model where name = 'stopped' and status = 'training')}), 'a training has begun');
$node->safe_psql('postgres', "select pg_cancel_backend($pid)");
wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)");
is(beside(q{delete from g.model where name = 'stopped'}, q{select hkg_resume('g', 'stopped')}), '42704', 'a stopped training that goes');

# A row of a model is changed by hand while a training deletes it: of whoever comes first, the other one waits
$node->safe_psql('postgres', q{select hkg_create_graph('large');
	select hkg_load('large', $$select 'e' || i, 'r' || i % 3, 'e' || i + 1 from generate_series(1, 100000) i$$)});
my $again = q{select hkg_train('large', 'distmult', dimensions => 4, iterations => 1, epochs => 1, paths => false, top_rules => 0, evidence_rules => 0, settings => jsonb_build_object('holdout', 0))};
$node->safe_psql('postgres', $again);
foreach my $try (1 .. 3)
{
	my $replacing = session($node, 'replacing', $again);

	wait_until($node, q{select exists (select from hkg_progress where phase = 'writing')});
	(undef, undef, $err) = $node->psql('postgres', q{update large.entity_embedding set embedding = embedding where entity = 100001});
	ok(finish($replacing), 'no deadlock for the training') or diag($replacing->{err});
	is($err, '', 'nor for who changes a row');
}

# To drop a graph waits for whoever reads it, and keeps nobody from going on meanwhile.
my $reader = $node->background_psql('postgres', on_error_stop => 0);
$reader->query_safe('begin; select count(*) from other.triple');
my $dropper = session($node, 'dropper', q{select hkg_drop_graph('other')});
$pid = wait_for_session($node, $dropper);
ok(wait_until($node, "select wait_event_type = 'Lock' from pg_stat_activity where pid = $pid"), 'it waits');
is($reader->query(q{select added from hkg_load('other', $$values ('new', 'r1', 'e1')$$)}), '1', 'who reads the graph loads facts');
is($reader->query(q{select count(*) from hkg_predict_tails('other', 'e1', 'r1', 5, 'm')}), '5', 'and predicts');
$reader->query_safe('commit');
$reader->quit;
ok(finish($dropper), 'then the graph is dropped');
is($node->safe_psql('postgres', q{select count(*) from pg_namespace where nspname = 'other'}), '0', 'all of it');

# View hkg_stat does not wait for a graph that somebody has locked.
my $locker = $node->background_psql('postgres');
my $seen = q{select count(*) from hkg_stat where graph = 'large'};
$locker->query_safe('begin; lock table large.triple');
is($node->safe_psql('postgres', "set statement_timeout = '60s'; $seen"), '0', 'hkg_stat leaves out a graph that is locked');
$locker->query_safe('commit');
$locker->quit;
is($node->safe_psql('postgres', $seen), '1', 'and has it again');

done_testing();
