# Two statements at once, all pairs of a list, on a graph of their own: neither ends in an internal error, in a deadlock
# or not at all, and the graph can be trained afterwards.  And many clients predict while their model is replaced: each
# answer is that of one model or of the other.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Soak;
use Test::More;
use Time::HiRes qw(sleep time);

# what is far longer than any statement here takes, on a machine that soaks
my $limit = is_long() ? '10min' : '5min';
my $node = start_node('together', qq{
	hybridkg.threads = 1
	client_min_messages = error
	max_connections = 60
	max_worker_processes = 16
	statement_timeout = '$limit'
	deadlock_timeout = '200ms'
});

sub value
{
	my ($statement, $database) = @_;

	return $node->safe_psql($database // 'postgres', $statement);
}

# ---- pairs ----

my $tiny = q{'distmult', paths => false, dimensions => 8, iterations => 1, epochs => 1, top_rules => 20, evidence_rules => 50, evidence_length => 2};
my $long = q{'distmult', paths => false, dimensions => 8, iterations => 4, epochs => 20, top_rules => 20, evidence_rules => 50, evidence_length => 2};
value('create database source');
value(qq{create extension hybridkg;
	select hkg_create_graph('g');
	select hkg_load('g', 'select (i * 7919::bigint) % 301, i % 5, (i * 31) % 307 from generate_series(1, 2000) i');
	select hkg_train(@{[ arguments(qq{'g', $tiny, model => 'm'}) ]})}, 'source');

# What is at work first: a second or less of it
my @first = (
	"select hkg_train(@{[ arguments(qq{'g', $long, model => 't'}) ]})",
	"select hkg_train(@{[ arguments(qq{'g', $long, model => 'm'}) ]})",
	q{select hkg_train('g', 'conve', paths => false, dimensions => 20, iterations => 2, epochs => 4, top_rules => 20, evidence_rules => 0, model => 'm')},
	q{select hkg_train('g', 'distmult', paths => true, dimensions => 8, iterations => 1, epochs => 1, top_rules => 20, evidence_rules => 0, model => 'm', settings => jsonb_build_object('path_layers', 2, 'path_width', 16, 'path_epochs', 2, 'path_facts', 500))},
	"select hkg_train_background(@{[ arguments(qq{'g', $long, model => 't'}) ]}); select pg_sleep(0.3)",
	"select count(*) from hkg_tune('g', '{\"dimensions\": [4, 8]}', '{\"iterations\": 2, \"epochs\": 5, \"evidence_rules\": 50, \"evidence_length\": 2}', model => 't')",
	q{select hkg_load('g', 'select i % 9000, i % 5, -i from generate_series(1, 20000) i')},
	q{select hkg_sync('g', 'select i % 301, i % 5, i % 307 from generate_series(1, 20000) i', true)},
	q{select count(*) from generate_series(1, 4) i, hkg_mine_rules('g', max_rule_length => 4, min_support => i)},
	q{select count(*) from g.entity e, hkg_predict_tails('g', e.name, '1', 10, 'm')},
	q{select count(*) from generate_series(1, 20) i, hkg_complete('g', null, 1000 + i, 'm', 0)},
	q{select hkg_learn_evidence('g', 'm') from generate_series(1, 5)},
	q{select count(*) from hkg_evaluate('g', 'train', 'm')});
my @second = (@first, 'drop schema g cascade', 'alter table g.entity rename to zz', 'alter table g.triple add column x int',
	'alter table g.triple drop column tail', 'drop table g.rule cascade', 'truncate g.triple cascade', 'truncate g.entity cascade',
	'delete from g.entity where id % 3 = 0 and not exists (select from g.triple where id in (head, tail))',
	'delete from g.triple where head % 2 = 0', 'delete from g.triple where head < 100 or tail < 100; delete from g.entity where id < 100',
	'delete from g.relation where id = 9', 'vacuum full g.triple', 'vacuum full g.entity_embedding', 'cluster g.triple using triple_pkey',
	'reindex schema g', 'alter schema g rename to g2; alter schema g2 rename to g', 'alter schema g rename to g3', 'delete from g.model',
	q{update g.model set name = 'other' where name in ('t', 'm')}, q{update g.entity_embedding set embedding = embedding where entity % 2 = 0},
	q{select hkg_import_rules('g', '"1"(X,Y) <= "2"(Y,X)', model => 't')},
	q{select hkg_import_embeddings('g', 'select name, ''{1}''::real[] from g.entity', 'select name, ''{1}''::real[] from g.relation', 'distmult', 'i')}, q{select hkg_learn_thresholds('g', null, 'm')},
	q{select hkg_drop_graph('g')}, 'drop extension hybridkg', q{alter table g.model add check (status <> 'ready')},
	'create unique index on g.iteration (loss); drop index g.iteration_loss_idx', 'revoke all on schema g from public',
	'drop function g.facts_changed cascade', q{alter table g.checkpoint alter data type text using ''},
	'lock table g.model in access exclusive mode', q{select count(*) from hkg_explain('g', '1', '1', '2', 'm')},
	q{select hkg_upgrade_graph('g')}, q{select hkg_split('g')}, q{select hkg_sync('g', 'select 1, 2, 3', keep => true)}, q{select count(*) from hkg_ranks('g', 'train', 'm')}, 'analyze', q{select count(*) from hkg_classify('g', '1', '1', '2', 'm')},
	'create policy p on g.triple using (false); alter table g.triple enable row level security; alter table g.triple force row level security');
my $pairs = @first * @second;

# A message that a user can act upon: of neither an internal error, a deadlock, a lost connection nor a time limit.  Two
# are the server's: it locks no function while a query runs that calls it, and a query that reads several tables locks one
# after the other, as DROP TABLE does in another order.
sub fault
{
	my ($what, $err, $pair) = @_;
	my $server = $pair =~ /drop extension/ ? 'cache lookup failed for function' : $pair =~ /(predict|complete|evaluate|mine).* \| drop table/ ? '40P01' : '^$';

	return map { "$what: $_" } grep { /XX\d\d\d|40P01|server closed|terminat|57014/ && !/$server/ } split /\n/, $err;
}

# One of all pairs, in an order that mixes them
sub pair
{
	my ($number) = @_;
	my $place = $number * 7919 % $pairs;
	my ($one, $two) = ($first[ $place % @first ], $second[ int($place / @first) ]);
	my @wrong;

	value('drop database if exists work with (force)');
	value('create database work template source');
	my $session = session($node, 'first', $one, 'work');
	sleep(rand(0.3));
	my ($code, $out, $err) = $node->psql('work', "\\set VERBOSITY verbose\n$two");
	finish($session);
	push @wrong, fault('first', $session->{err}, "$one | $two"), fault('second', $err, "$one | $two");
	$node->poll_query_until('postgres', q{select not exists (select from pg_stat_activity where backend_type ~ 'hybridkg' and datname = 'work')})
	  or push @wrong, 'a worker does not end';
	if (value(q{select count(*) = 1 from pg_extension where extname = 'hybridkg'}, 'work') eq 't')
	{
		($code, $out, $err) = $node->psql('work', "\\set VERBOSITY verbose\nselect hkg_train(@{[ arguments(qq{'g', $tiny, model => 'next'}) ]})");
		push @wrong, fault('the next training', $err, '');
	}
	count('with_an_error') if $code != 0 || $session->{err} =~ /ERROR/;
	return ("$one | $two", @wrong);
}

campaign('pairs', 12, $pairs, \&pair);

# A new name for a model, which goes on to the rows that belong to it, waits for a training that replaces the model.
sub rename_replaced
{
	value('drop database if exists work with (force)');
	value('create database work template source');
	my $session = session($node, 'first', "select hkg_train('g', 'distmult', paths => false, dimensions => 8, iterations => 2, epochs => 2000, evidence_rules => 0, model => 'm')", 'work');
	ok(wait_until($node, q{select exists (select from hkg_progress where phase = 'training')}, 'work'), 'a training');
	my ($code, $out, $err) = $node->psql('work', q{update g.model set name = 'other' where name = 'm'});
	finish($session);
	is($err . $session->{err}, '', 'a model gets another name while it is replaced');
	is(value(q{select string_agg(name || ' ' || status, ',') from g.model}, 'work'), 'other ready', 'and has it afterwards');
	return;
}
rename_replaced();

# ---- tables in any order ----

# Somebody locks a table, and then another one, as ALTER TABLE and DROP TABLE go from a table to those that its keys reference,
# and TRUNCATE ... CASCADE the other way.  Who writes several tables waits for the first one before it holds the second.
my @orders = ([qw(triple entity)], [qw(entity triple)], [qw(rule relation)], [qw(entity_embedding entity)], [qw(model rule)]);
my @writers = (
	q{select hkg_load('g', 'values (1, 1, 1), (-1, -1, -1)')},
	q{select hkg_sync('g', 'select (i * 7919::bigint) % 301, i % 5, (i * 31) % 307 from generate_series(1, 2000) i', true)},
	q{select hkg_split('g', 0.1, 0.1)},
	"select hkg_train(@{[ arguments(qq{'g', $tiny, model => 'm'}) ]})",
	"select hkg_train_background(@{[ arguments(qq{'g', $tiny, model => ('b' || random())::name}) ]})",
	q{select hkg_learn_evidence('g', 'm')},
	q{select hkg_learn_thresholds('g', null, 'm')},
	q{select hkg_import_rules('g', '"1"(X,Y) <= "2"(Y,X)', model => 'm')},
	q{select hkg_import_embeddings('g', 'select name, ''{1}''::real[] from g.entity', 'select name, ''{1}''::real[] from g.relation', 'distmult', ('i' || random())::name)});

sub in_order
{
	my ($statement, $first, $second) = @_;
	my $locker = $node->background_psql('work');

	$locker->query_safe("begin; lock table g.$first");
	my $session = session($node, 'writer', $statement, 'work');
	while ($session->{run}->pumpable && value('select exists (select from pg_locks where not granted)', 'work') eq 'f')
	{
		$session->{run}->pump_nb;
		sleep(0.02);
	}
	$locker->query_safe("lock table g.$second; commit");
	$locker->quit;
	return (finish($session) ? () : ("$first, then $second: $session->{err}"));
}

if (!is_long())
{
	value('drop database if exists work with (force)');
	value('create database work template source');
	value(q{select hkg_split('g')}, 'work');
	foreach my $statement (@writers)
	{
		is(join("\n", map { in_order($statement, @$_) } @orders), '', "no deadlock: $statement");
	}
	# an index that is built concurrently waits for the load, which leaves out the statistics then
	value(q{create function wait() returns trigger language plpgsql as $$begin perform pg_advisory_xact_lock_shared(1); return null; end$$;
		create trigger wait before insert on g.entity execute function wait()}, 'work');
	my $locker = $node->background_psql('work');
	$locker->query_safe('select pg_advisory_lock(1)');
	my $load = session($node, 'load', q{select hkg_load('g', 'values (-2, -2, -2)')}, 'work');
	$node->poll_query_until('work', q{select exists (select from pg_locks where locktype = 'advisory' and not granted)});
	my $index = session($node, 'index', 'create index concurrently on g.triple (head)', 'work');
	$node->poll_query_until('work', q{select exists (select from pg_locks where locktype = 'virtualxid' and not granted)});
	$locker->quit;
	ok(finish($load) && finish($index), 'no deadlock with an index that is built concurrently') or diag($load->{err}, $index->{err});
}

# ---- a model is replaced ----

make_graph($node, 'g', 300, 2000);
my $question = q{select md5(string_agg(p::text, ';' order by p.score desc, p.tail)) || hkg_score('g', 'e1', 'r2', 'e2', 'm', 'embedding') as answer
	from hkg_predict_tails('g', 'e1', 'r1', 8, 'm', true) p};
my $train = q{select hkg_train('g', 'distmult', dimensions => 16, iterations => 1, epochs => 1, evidence_rules => 50, model => 'm', settings => '{"evidence_length": 2, "holdout": 0}', seed => };
my @answers = map { (value("$train $_)"), value($question))[1] } 0, 1;
isnt($answers[0], $answers[1], 'two models that can be told apart');

my $tmp = PostgreSQL::Test::Utils::tempdir;
my $right = "'{$answers[0],$answers[1]}'";
my @kinds = qw(stay leave repeat);
value("create sequence $_") foreach @kinds;
append_to_file("$tmp/$_.sql", "select 1 / (($question) = any ($right))::int, nextval('$_');\n") foreach 'stay', 'leave';
append_to_file("$tmp/repeat.sql", "begin isolation level repeatable read;\n$question \\gset\n\\sleep 20 ms\n" .
	"select 1 / (':answer' = ($question) and ':answer' = any ($right))::int, nextval('repeat');\nend;\n");

# Many clients: of sessions that stay, sessions that do not, and transactions that see one model until they end
sub replace
{
	my ($number) = @_;
	my $eighth = is_long() ? 4 : 1;
	my @clients = ([ '-c', 4 * $eighth, '-f', "$tmp/stay.sql" ], [ '-c', 2 * $eighth, '-C', '-f', "$tmp/leave.sql" ], [ '-c', 2 * $eighth, '-f', "$tmp/repeat.sql" ]);
	value("alter sequence $_ restart") foreach @kinds;
	my @out = map { '' } @clients;
	my @runs = map { IPC::Run::start([ 'pgbench', '-n', '-T', 600, '-h', $node->host, '-p', $node->port, @{ $clients[$_] }, 'postgres' ], '>', \$out[$_], '2>&1') } 0 .. $#clients;
	my @wrong;

	foreach my $seed (1 .. 5)
	{
		my ($code, $out, $err) = $node->psql('postgres', "$train $seed % 2)" . pick('', '; vacuum full g.entity_embedding', '; reindex table g.model', '; analyze'));

		push @wrong, "the training fails: $err" if $code != 0;
		count('replacements');
	}
	$_->signal('TERM') foreach @runs;
	$_->finish foreach @runs;
	push @wrong, grep { /error|aborted|ERROR/ } map { split /\n/ } @out;
	# each kind of client has had answers, several of each replacement
	push @wrong, grep { (split)[1] < 50 } map { "$_: " . value("select last_value from $_") . ' answers' } @kinds;
	return ('five times, under ' . 8 * $eighth . ' clients', @wrong);
}

campaign('replacements', 1, 10, \&replace);
$node->stop;
done_testing();
