# SIGKILL of sessions, workers and the postmaster, and immediate stops, at random moments and at named steps.  After
# each, the last committed model predicts as before, bit for bit; what was at work is there as a whole or not at all;
# the next training works, an interrupted one is resumed to the same bits; and nothing else is left.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use List::Util qw(max);
use PostgreSQL::Test::Utils;
use Soak;
use Test::More;
use Time::HiRes qw(sleep time);

# shared memory in files, so that what is left of it can be seen
my $node = start_node('kills', qq{
	hybridkg.threads = 2
	client_min_messages = error
	dynamic_shared_memory_type = mmap
	max_worker_processes = 16
	statement_timeout = '5min'
});
make_graph($node, 'g', 300, 2000);
make_graph($node, 'h', 100, 600);
$node->safe_psql('postgres', q{create database layout1});
$node->safe_psql('layout1', 'create extension hybridkg');
$node->safe_psql('layout1', slurp_file('test/dumps/0.1.0.sql'));
$node->safe_psql('postgres', 'create database layout2 template layout1');

my $arguments = q{'distmult', dimensions => 16, iterations => 3, epochs => 3, evidence_length => 2, evidence_rules => 100};
my $small = q{'distmult', dimensions => 4, iterations => 1, epochs => 1, evidence_rules => 0};
# of background trainings: what has a checkpoint of its own kind
my @variants = ($arguments,
	q{'conve', dimensions => 20, iterations => 3, epochs => 2, batch_size => 128, top_rules => 0, evidence_rules => 0},
	q{'distmult', dimensions => 16, iterations => 3, epochs => 2, partitions => 3, optimizer => 'adam', learning_rate => 0.01, evidence_rules => 0},
	q{'complex', dimensions => 16, iterations => 3, epochs => 2, hybrid => 'plogicnet', sample_size => 100, omega => 0.5, min_quality => 0, evidence_rules => 0},
	q{'distmult', dimensions => 16, iterations => 2, epochs => 2, paths => true, path_layers => 2, path_width => 16, path_epochs => 3, path_facts => 200, evidence_rules => 0});
my $variant;					# of this case
my $predictions = q{select coalesce(md5(string_agg(p::text, ';' order by i, p.score desc, p.tail)), '') from generate_series(1, 20) i,
	hkg_predict_tails('g', 'e' || i, 'r1', 10, 'base', true) p where exists (select from g.entity where name = 'e' || i)};
my $old_predictions = q{select md5(string_agg(p::text, ';' order by i, p.score desc, p.tail)) from generate_series(1, 9) i,
	hkg_predict_tails('g', 'n' || i, 'twice', 5, known => true) p};

# What somebody at work does: statement, database, the steps where it can be paused, what it changes
my @training = ('reading', 'mining', 'training', 'evaluating', 'inferring', 'writing', 'finding path rules', 'learning weights');
my %work = (
	load => { statement => q{select hkg_load('h', $$select 'n' || i % 5000, 'r1', 'n' || i * 7 % 5003 from generate_series(1, 20000) i$$)},
		steps => [ 'reading', 'writing', 'indexing' ] },
	sync => { statement => q{select hkg_sync('h', $$select * from source where hashtext(head) % 3 <> 0 union all select 'n' || i, 'r1', 'n' || i + 1 from generate_series(1, 20000) i$$)},
		steps => [ 'reading', 'writing', 'indexing' ] },
	replace => { statement => "select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'base', seed => SEED}) ]})", steps => [ @training ] },
	background => { statement => "select hkg_train_background(VARIANT); select pg_sleep(60)",
		steps => [ @training, 'learning paths', 'saving a checkpoint' ], worker => 1 },
	tune => { statement => q{select count(*) from hkg_tune('g', '{"dimensions": [4, 8]}', '{"iterations": 2, "epochs": 2, "evidence_rules": 100, "evidence_length": 2}', model => 'tuned')},
		steps => [ @training, 'saving a checkpoint' ], worker => 1 },
	mining => { statement => q{select count(*) from generate_series(0, 3) i, hkg_mine_rules('g', max_rule_length => 4, min_support => 1 + i)}, steps => [] },
	upgrade => { statement => q{select hkg_upgrade_graph('g')}, database => 'work', steps => [ 'waiting for a lock' ] },
	prediction => { statement => q{select count(*) from generate_series(1, 50) i, hkg_complete('g', null, 1000, 'base', 0)}, steps => [ 'sharing a copy' ] });
my @works = sort keys %work;

sub value
{
	my ($statement, $database) = @_;
	my ($code, $out) = $node->psql($database // 'postgres', $statement);

	return $out;
}

# whether a training waits where it is told to
my $probe = session($node, 'probe', "set hybridkg_test.pause = 'reading'; select hkg_train(@{[ arguments(qq{'g', $small, model => 'p'}) ]})");
my $pauses = 0;
while (!$pauses && $probe->{run}->pumpable)
{
	$probe->{run}->pump_nb;
	$pauses = value(q{select count(*) from pg_stat_activity where application_name = 'probe' and wait_event_type = 'Extension'});
}
value(q{select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'probe'});
finish($probe);
note('this build has no pauses at named steps (COPT=-DHKG_PAUSE): kills come at random moments') if !$pauses;

value(q{create table source as select h.name as head, r.name as relation, t.name as tail from (select head, relation, tail from h.triple union all select head, relation, tail from h.holdout) p
	join h.entity h on h.id = p.head join h.relation r on r.id = p.relation join h.entity t on t.id = p.tail});

# ---- what is there ----

# the model `base` as each seed makes it
my %made;
foreach my $seed (1, 2)
{
	value($work{replace}{statement} =~ s/SEED/$seed/r);
	$made{$seed} = value($predictions) . left_by($node, 'base');
}
isnt($made{1}, $made{2}, 'two models that can be told apart');

# What a background training of that variant leaves that nobody interrupts
my %whole;
sub whole
{
	my ($arguments) = @_;

	if (!defined $whole{$arguments})
	{
		value("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'whole'}) ]})");
		$node->poll_query_until('postgres', 'select not exists (select from hkg_progress)') or die 'the training does not end';
		$whole{$arguments} = left_by($node, 'whole');
		value(q{delete from g.model where name = 'whole'});
	}
	return $whole{$arguments};
}
value(q{select hkg_upgrade_graph('g')}, 'layout2');
my $upgraded = value($old_predictions, 'layout2');
isnt($upgraded, '', 'an upgraded graph predicts');
my $seed = 2;					# of the one that is there

my $facts_of = lines_of(map { "select '$_ ' || count(*) || md5(coalesce(string_agg(t::text, '|' order by t::text collate \"C\"), '')) from g.$_ t" }
	qw(entity relation triple holdout));
my $facts_of_g = join ' ', split /\n/, value($facts_of);

# Rows that belong to nothing, and what a session, a transaction or a process has left
sub remains
{
	return still($node, q{
		select 'rows of no model in ' || part || ': ' || count from (} . join(' union all ', map {
			"select '$_' as part, count(*) from g.$_ where model not in (select name from g.model)" }
			qw(entity_embedding relation_embedding rule inferred iteration path_epoch evidence_weight path_network shared_weight threshold checkpoint checkpoint_inferred training)) . q{) c where count > 0
		union all select 'facts of no entity in h' where exists (select from h.triple where head not in (select id from h.entity) or tail not in (select id from h.entity))
		union all select 'a model that is ready without embeddings: ' || name from g.model
			where status = 'ready' and not exists (select from g.entity_embedding where model = name)
		union all select 'lock ' || locktype from pg_locks where locktype = 'advisory'
		union all select 'in progress: ' || model from hkg_progress
		union all select 'work table ' || relname from pg_class where relpersistence = 't' and relkind = 'r'
		union all select 'copy that is being built' from hkg_cache where state = 'building'
		union all select 'temporary file ' || name from pg_ls_tmpdir() where name !~ '^pgsql_tmp_hybridkg'
		union all select 'process ' || backend_type from pg_stat_activity where backend_type ~ 'hybridkg|parallel'});
}

# Files of shared memory of the running server
sub shared_files
{
	return scalar(() = glob $node->data_dir . '/pg_dynshmem/*');
}
my $shared_files = shared_files();

# Whether there are no more of them than at first; the last session may not have ended yet
sub shared_files_go
{
	for (my $tries = 0; shared_files() > $shared_files; $tries++)
	{
		return 0 if $tries == 600;
		sleep(0.05);
	}
	return 1;
}

# The segment of System V shared memory that the server uses
sub segment
{
	return (split ' ', (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[6])[1];
}

sub segment_exists
{
	my ($segment) = @_;

	return grep { (split)[1] eq $segment } split /\n/, slurp_file('/proc/sysvipc/shm');
}

sub children
{
	my ($parent) = @_;

	return grep { (slurp_if_there("/proc/$_/stat") =~ /\) \S (\d+)/ ? $1 : 0) == $parent } map { m{(\d+)} } glob '/proc/[0-9]*';
}

sub slurp_if_there
{
	my ($file) = @_;

	open my $handle, '<', $file or return '';
	return scalar(<$handle>) // '';
}

# ---- a case ----

# Starts the work; returns the session and the process that is at work, or waits at the step.
sub start_work
{
	my ($work, $step) = @_;
	my $database = $work->{database} // 'postgres';
	my $statement = $work->{statement} =~ s/SEED/3 - $seed/er =~ s/VARIANT/arguments("'g', $variant, model => 'bg'")/er;
	my $locker;

	if ($step && $step eq 'waiting for a lock')
	{
		$locker = session($node, 'locker', 'begin; lock table g.evidence_weight in access share mode; select pg_sleep(60)', $database);
		wait_for_session($node, $locker);
	}
	elsif ($step)
	{
		value("alter database $database set hybridkg_test.pause = '$step'");
	}
	my $session = session($node, 'work', $statement, $database);
	return ($session, $locker);
}

my $workers = q{select pid from pg_stat_activity where backend_type ~ '^hybridkg'};
my $sessions = q{select pid from pg_stat_activity where application_name = 'work' and backend_type = 'client backend'};

# Waits until a process waits at the step, or the work is done.
sub wait_for_step
{
	my ($work, $session) = @_;
	my $where = $work->{worker} ? q{backend_type ~ '^hybridkg'} : q{application_name = 'work' and backend_type = 'client backend'};

	foreach my $try (1 .. 200)
	{
		my $state = value(qq{select case when exists (select from pg_stat_activity where $where and wait_event_type in ('Extension', 'Lock')) then 'waits'
			when exists (select from g.model where name = 'bg' and status = 'ready') then 'done' end});

		return 1 if $state eq 'waits';
		$session->{run}->pump_nb;
		return 0 if $state eq 'done' || !$session->{run}->pumpable;
		sleep(0.02);
	}
	return 0;
}

# The server begins anew, or is started again.  Returns what was wrong.
sub crash
{
	my ($how, $pid) = @_;
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @children = children($postmaster);
	my $segment = segment();
	my $started = time();
	my @wrong;

	if ($how eq 'kill')
	{
		kill_backend($node, $pid);
		return;
	}
	$how eq 'postmaster' ? $node->kill9 : $node->stop('immediate');
	my $late = max(0, map { end_process($_) } @children);
	push @wrong, sprintf 'processes lived on for %.1f s', $late if $late > 5;
	highest('max_orphan_ms', int(1000 * (time() - $started))) if $how eq 'postmaster';
	kill 'KILL', grep { lives($_) } @children;
	foreach my $try (1 .. 50)
	{
		last if $node->start(fail_ok => 1);
		sleep(0.1);
		$node->stop('fast', fail_ok => 1);
	}
	push @wrong, 'the old segment of shared memory is left' if segment() ne $segment && segment_exists($segment);
	return @wrong;
}

# What the work has left: all of it, or nothing.
sub check_work
{
	my ($name) = @_;
	my @wrong;

	if ($name eq 'background')
	{
		my $status = value(q{select status from g.model where name = 'bg'});

		push @wrong, "its status is $status" if $status !~ /^(|training|ready)$/;
		if ($status eq 'training')
		{
			my ($code, $out, $err) = $node->psql('postgres', q{select hkg_resume('g', 'bg')});

			push @wrong, "it is not resumed: $err" if $code != 0;
			count('resumed');
		}
		push @wrong, 'it has other bits' if $status ne '' && left_by($node, 'bg') ne whole($variant);
		value(q{delete from g.model where name = 'bg'});
	}
	elsif ($name =~ /load|sync/)
	{
		my $loaded = value(q{select count(*) from h.triple t join h.entity e on e.id = t.head where e.name ~ '^n'});

		push @wrong, "$loaded of 20000 facts are loaded" if $loaded !~ /^(0|20000)$/;
		value(q{select hkg_sync('h', 'table source', true)}) if $loaded;
	}
	elsif ($name eq 'tune')
	{
		my ($code, $out, $err) = $node->psql('postgres', $work{tune}{statement});

		push @wrong, "it does not go on: $err" if $code != 0 || $out ne '2';
		value(q{delete from g.model where name in (select model from g.trial) or name = 'tuned'; delete from g.trial});
	}
	elsif ($name eq 'upgrade')
	{
		my $layout = value('select * from g.layout', 'work');

		push @wrong, "layout $layout" if $layout !~ /^[12]$/;
		push @wrong, "is not upgraded" if value(q{select hkg_upgrade_graph('g'); select * from g.layout}, 'work') !~ /2$/;
		push @wrong, 'the upgraded graph predicts otherwise' if value($old_predictions, 'work') ne $upgraded;
	}
	return @wrong;
}

sub check_model
{
	my ($predictions_now, $next, @facts) = split /\n/, value("$predictions; delete from g.model where name = 'next';
		select hkg_train(@{[ arguments(qq{'g', $small, model => 'next'}) ]}); $facts_of");
	my $now = $predictions_now . left_by($node, 'base');
	my @wrong;

	$seed = 3 - $seed if $now eq $made{ 3 - $seed };
	push @wrong, 'the model is another one' if $now ne $made{$seed};
	push @wrong, 'the facts are others' if "@facts" ne $facts_of_g;
	push @wrong, 'the next training fails' if $next ne 'next';
	return @wrong;
}

# A random moment is in the time that all of the work takes; most are early.
sub kill_at_random
{
	my ($number) = @_;
	my $name = $works[ $number % @works ];
	my $work = $work{$name};
	my $step = $pauses && @{ $work->{steps} } && rand() < 0.6 ? pick(@{ $work->{steps} }) : undef;
	my $wait = $step ? 0 : pick(0.1, 0.5, 2) * rand();
	my $how = pick(qw(kill kill kill postmaster immediate));

	$variant = $variants[ int($number / @works) % @variants ];
	whole($variant) if $name eq 'background';
	value('drop database if exists work') , value('create database work template layout1') if $name eq 'upgrade';
	my ($session, $locker) = start_work($work, $step);
	my $reached = $step && wait_for_step($work, $session);
	sleep($wait);
	my @pids = split /\n/, value($work->{worker} && rand() < 0.7 ? $workers : $sessions);
	my $victim = @pids ? pick(@pids) : undef;
	$how = 'postmaster' if $how eq 'kill' && !defined $victim;
	my @wrong = crash($how, $victim);
	finish($_) foreach grep { defined } $session, $locker;
	push @wrong, "the work itself: $session->{err}" if $session->{err} =~ /ERROR:  (22|42)/;
	value('alter database ' . ($work->{database} // 'postgres') . ' reset hybridkg_test.pause') if $step;
	push @wrong, check_work($name), check_model(), split /\n/, remains();
	push @wrong, 'files of shared memory: ' . shared_files() if !shared_files_go();
	count($how eq 'kill' ? 'kills' : $how eq 'postmaster' ? 'postmasters' : 'immediate_stops');
	count('at_steps') if $reached;
	$name .= ": $variant" if $name eq 'background';
	return ("$name, $how " . ($step ? "at '$step'" . ($reached ? '' : ' (not reached)') : sprintf 'after %.2f s', $wait), @wrong);
}

my $figures = campaign('kills', 16, 1000, \&kill_at_random);
cmp_ok($figures->{at_steps} // 0, '>=', $figures->{cases} / 4, 'a quarter of the kills, at least, come at a named step') if $pauses;
$node->stop;
done_testing();
