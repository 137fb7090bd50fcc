# What the multi-session tests share: a node with the extension, a graph made
# from a seed, sessions beside the test's own, how late a statement ends, and checksums.
#
# No test may fail because the machine does other work.  So a test waits for a state, not for a time;
# what should be gone may take its moment; and what must be quick is measured by the clock and by
# processor time, of which the less counts.
package Graph;

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use Exporter 'import';
use Fcntl qw(:flock);
use IPC::Run;
use List::Util qw(min);
use POSIX qw(_SC_CLK_TCK sysconf);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(start_node arguments make_graph cities tables lines_of left_by hold is_held let_go train_and_stop stop_and_resume wait_until is_soon still session wait_for_session finish
	end_statement end_process kill_backend lives processor_seconds watch lateness);

# Arguments of hkg_train that a test puts together as name => value: those with a name become its argument settings
sub arguments
{
	my ($list) = @_;

	return $list if $list !~ s/\b(\w+) => /\x01'$1', /g;
	return $list =~ s/\x01/settings => jsonb_build_object(/r =~ s/\x01//gr . ')';
}

# Clusters are copies of one that the first test made with the same arguments: initdb takes half a second of a processor.
{
	no warnings 'redefine';
	my $system_or_bail = \&PostgreSQL::Test::Utils::system_or_bail;

	*PostgreSQL::Test::Utils::system_or_bail = sub {
		my ($program, $option, $folder, @arguments) = @_;

		goto &$system_or_bail if $program ne 'initdb' || $option ne '-D';
		my $made = "$PostgreSQL::Test::Utils::tmp_check/initdb-" . md5_hex("$ENV{PATH} @arguments");

		open my $lock, '>', "$made.lock" or die "$made.lock: $!";
		flock $lock, LOCK_EX;
		if (!-e $made)
		{
			$system_or_bail->('initdb', '-D', "$made.new", @arguments);
			rename "$made.new", $made or die "$made: $!";
		}
		close $lock;
		$system_or_bail->('cp', '-a', $made, $folder);
	};
}

# A started node with the extension in the database postgres; settings as in postgresql.conf.
sub start_node
{
	my ($name, $settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => ['--encoding=UTF8']);	# whatever the environment's is
	# the node comes up again when a backend is killed
	# small queries of large estimates are not worth compiling
	$node->append_conf('postgresql.conf',
		"restart_after_crash = on\njit = off\nhybridkg.progress = off\n" . ($settings // ''));
	$node->start;
	$node->safe_psql('postgres', 'create extension hybridkg');
	return $node;
}

# Kills a backend; comes back when the server has begun anew.  Its row in pg_stat_activity goes
# no sooner; until then sessions may fail, even to begin.
sub kill_backend
{
	my ($node, $pid) = @_;

	kill 'KILL', $pid;
	foreach my $try (1 .. 1000)
	{
		my $session = session($node, 'after', "select not exists (select from pg_stat_activity where pid = $pid)");

		return if finish($session) && $session->{out} eq "t\n";
		sleep(0.1);
	}
	die 'the server does not begin anew';
}

# A graph with rules in it, the same one for the same arguments:
# r1 is random, its tails skewed; r2 holds half of r1; r3 inverts half of r1;
# r4 holds a fifth of what r1 and r2 compose; r5 is random.
# A share is held out as valid: a tenth, but not many more than 60, to each of which weights and probabilities are fitted.
sub make_graph
{
	my ($node, $graph, $entities, $facts, $share) = @_;

	$share //= min(0.1, 60 / $facts);
	$node->safe_psql('postgres', qq{
		create or replace function draw(i bigint, seed bigint) returns float8 language sql immutable
			return (hashint8extended(i, seed) & 1073741823) / 1073741824.0;
		create temp table r1 as
			select distinct floor($entities * draw(i, 1))::int as h, floor($entities * draw(i, 2) ^ 2)::int as t
			from generate_series(1, $facts / 3) i;
		create temp table fact as
			select h, 'r1' as r, t from r1
			union select h, 'r2', t from r1 where draw(h * 1000003::bigint + t, 3) < 0.5
			union select t, 'r3', h from r1 where draw(h * 1000003::bigint + t, 4) < 0.5
			union select a.h, 'r4', b.t from r1 a join r1 b on b.h = a.t
				where draw(a.h * 1000003::bigint + b.t, 5) < 0.05
			union select floor($entities * draw(i, 6))::int, 'r5', floor($entities * draw(i, 7))::int
				from generate_series(1, $facts / 6) i;
		select hkg_create_graph('$graph');
		select hkg_load('$graph', 'select ''e'' || h, r, ''e'' || t from fact
			where draw(h * 1000003::bigint + t, 8) >= $share order by 1, 2, 3');
		select hkg_load('$graph', 'select ''e'' || h, r, ''e'' || t from fact
			where draw(h * 1000003::bigint + t, 8) < $share order by 1, 2, 3', 'valid');
	});
	return;
}

# Statements that make graph g, with model m, in which a fact decides an answer: one rule, from(X,Y) <= lives(X,A),
# in(A,Y), and two cities, rome in italy and paris in france.  It infers that somebody is from italy when there is a
# fact that they live in rome, and nothing else does.
sub cities
{
	return q{
	select hkg_create_graph('g');
	select hkg_load('g', $$values ('ann', 'lives', 'paris'), ('bob', 'lives', 'paris'), ('rome', 'in', 'italy'), ('paris', 'in', 'france'),
		('bob', 'from', 'france')$$);
	insert into g.model (name, score_function, dimensions, settings, status, created_at, evidence)
	values ('m', 'distmult', 1, '{}', 'ready', now(), '{"discount": {"rules": 0.5, "all": 0.5}}');
	insert into g.entity_embedding select 'm', id, '{1}' from g.entity;
	insert into g.relation_embedding select 'm', id, '{1}' from g.relation;
	insert into g.rule (model, id, rule, head, body, support, body_size, pca_body_size, predictions, head_coverage,
		standard_confidence, pca_confidence, selected, evidence_confidence)
	select 'm', 1, 'from(X,Y) <= lives(X,A), in(A,Y)', f.id, array[[l.id, -1, -3], [i.id, -3, -2]], 1, 1, 1, 0, 1, 1, 1, false, 0.5
	from g.relation f, g.relation l, g.relation i where (f.name, l.name, i.name) = ('from', 'lives', 'in');

	-- whether it is inferred that somebody is from italy: by a score, a prediction and an explanation
	create function inferred(who text) returns text language sql stable as $$
		select concat_ws(' ', hkg_score('g', who, 'from', 'italy', 'm', 'rules') > 0,
			exists (select from hkg_predict_tails('g', who, 'from', 9, 'm', true, 'rules') where tail = 'italy'),
			exists (select from hkg_explain('g', who, 'from', 'italy', 'm') where share > 0 and rule <> '(embedding)'))
	$$;
	create table asked (who text);
	create function fact(who text, city text, out head int, out relation int, out tail int) language sql stable as $$
		select h.id, r.id, t.id from g.entity h, g.relation r, g.entity t where (h.name, r.name, t.name) = (who, 'lives', city)
	$$;
	};
}

# A checksum of each of the graph's tables, all in a string.
sub tables
{
	my ($node, $graph, $database) = @_;

	return $node->safe_psql($database // 'postgres', join(' union all ',
		map { qq{select '$_ ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text collate "C")), '')
			from $graph.$_ t} }
		qw(entity relation triple holdout model entity_embedding relation_embedding shared_weight rule inferred iteration
			threshold evidence_weight path_network path_epoch checkpoint checkpoint_inferred training trial)) . ' order by 1');
}

# A query that shows what each of others returns, one text or none, on a line of its own.  The rows of a union all may come
# in any order, once the server has parallel workers read them.
sub lines_of
{
	return 'select array_to_string(array[' . join(', ', map { "($_)" } @_) . q{], chr(10), 'none')};
}

# All that a training of graph g leaves, but times and the model's own name
sub left_by
{
	my ($node, $model, $database) = @_;

	return $node->safe_psql($database // 'postgres', lines_of(
		"select md5(string_agg(embedding::text, '|' order by entity)) from g.entity_embedding where model = '$model'",
		"select md5(string_agg(embedding::text, '|' order by relation)) from g.relation_embedding where model = '$model'",
		"select md5(string_agg(weights::text, '|' order by number)) from g.shared_weight where model = '$model'",
		"select md5(string_agg((to_jsonb(r) - 'model')::text, '|' order by id)) from g.rule r where model = '$model'",
		"select md5(string_agg((to_jsonb(i) - 'model')::text, '|' order by iteration, relation, head, tail)) from g.inferred i where model = '$model'",
		"select string_agg(concat_ws(' ', number, loss, mrr, rules, inferred, sampled), '|' order by number) from g.iteration where model = '$model'",
		"select md5(string_agg((to_jsonb(w) - 'model')::text, '|' order by relation, side)) from g.evidence_weight w where model = '$model'",
		"select md5(string_agg((to_jsonb(t) - 'model')::text, '|' order by relation, evidence)) from g.threshold t where model = '$model'",
		"select concat_ws(' ', score_function, dimensions, status, best_iteration, mrr, evidence, settings - 'model') from g.model where name = '$model'",
		"select count(*)::text from g.checkpoint where model = '$model'",
		"select count(*)::text from g.checkpoint_inferred where model = '$model'"));
}

# Holds a training where it writes row `number` of its learning curve, table iteration or path_epoch of its graph: by
# then it has committed the rows before, however fast it is.  `model` is its model, or a pattern of LIKE.  Returns what
# let_go needs.
sub hold
{
	my ($node, $table, $model, $number) = @_;
	my $gate = $node->background_psql('postgres');

	$gate->query_safe('select pg_advisory_lock(7)');
	$node->safe_psql('postgres', qq{create function public.hold() returns trigger language plpgsql as
			'begin perform pg_advisory_xact_lock_shared(7); return new; end';
		create trigger hold before insert on $table for each row
			when (new.model like '$model' and new.number = $number) execute function public.hold()});
	return $gate;
}

# Whether a training stands at the gate
sub is_held
{
	my ($node) = @_;

	return wait_until($node, q{select exists (select from pg_locks where locktype = 'advisory' and objid = 7 and not granted)});
}

# The training goes on, unless it has ended by now; a kill took the gate with it.
sub let_go
{
	my ($node, $gate) = @_;

	$gate->quit;
	$node->safe_psql('postgres', 'drop function public.hold cascade');
	return;
}

# A training in the background, by these arguments, that is stopped when it has committed so many rows of its learning
# curve: by pg_cancel_backend, pg_terminate_backend or a kill.
sub train_and_stop
{
	my ($node, $how, $model, $arguments, $table, $rows) = @_;
	my ($schema) = split /\./, $table;
	my $gate = hold($node, $table, $model, $rows + 1);
	my $pid = $node->safe_psql('postgres', "select hkg_train_background(" . arguments("$arguments, model => '$model'") . ')');

	ok(is_held($node), "$model: $rows rows of $table");
	$how eq 'kill' ? kill_backend($node, $pid) : $node->safe_psql('postgres', "select $how($pid)");
	ok(wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)"), "$model: stopped by $how");
	let_go($node, $gate);
	is($node->safe_psql('postgres', "select count(*) from $table where model = '$model'"), $rows, "$model: and no more rows");
	is($node->safe_psql('postgres', "select status from $schema.model where name = '$model'"),
		$how eq 'pg_cancel_backend' ? 'cancelled' : 'training', "$model: its status");
	return;
}

# A training of graph g that is stopped after its second iteration, and resumed
sub stop_and_resume
{
	my ($node, $how, $model, $arguments) = @_;

	train_and_stop($node, $how, $model, "'g', $arguments", 'g.iteration', 2);
	is($node->safe_psql('postgres', "select hkg_resume('g', '$model') from g.model where name = '$model' and status <> 'ready'"), $model,
		"$model: stopped by $how and resumed");
}

# Waits until a query returns true, as long as for anything else; whether it did.  One session asks, each time in a
# transaction of its own: sessions that begin take more time than what is waited for.
sub wait_until
{
	my ($node, $query, $database) = @_;

	return $node->safe_psql($database // 'postgres', qq{
		set statement_timeout = 0;
		do \$wait\$
		declare
			over timestamptz = clock_timestamp() + $PostgreSQL::Test::Utils::timeout_default * interval '1 second';
		begin
			perform set_config('wait.done', 'f', false);
			while clock_timestamp() < over loop
				if ($query) then
					perform set_config('wait.done', 't', false);
					exit;
				end if;
				commit;
				perform pg_sleep(0.01);
			end loop;
		end
		\$wait\$;
		select current_setting('wait.done')}) eq 't';
}

# Whether something gets to be what it should be, a string or a pattern: what a session used is free when
# its server process has ended, for which psql does not wait.
sub is_soon
{
	my ($get, $expected, $name) = @_;
	my $end = time() + 30;
	my $got = $get->();

	while ((ref $expected ? $got !~ $expected : $got ne $expected) && time() < $end)
	{
		sleep(0.05);
		$got = $get->();
	}
	return ref $expected ? like($got, $expected, $name) : is($got, $expected, $name);
}

# Rows of what should be gone, if they stay
sub still
{
	my ($node, $query) = @_;
	my $end = time() + 30;
	my $rows = $node->safe_psql('postgres', $query);

	while ($rows ne '' && time() < $end)
	{
		sleep(0.05);
		$rows = $node->safe_psql('postgres', $query);
	}
	return $rows;
}

# The command that runs one statement.  The statement is an argument: node->psql() writes it to psql's input, and dies
# of a broken pipe when psql has found no server and ended before.
sub psql_command
{
	my ($node, $statement, $database) = @_;

	return [ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose',
		'-d', $node->connstr($database // 'postgres'), '-c', $statement ];
}

# A session of its own that runs one statement; application_name is its name.
sub session
{
	my ($node, $name, $statement, $database) = @_;
	my %session = (node => $node, name => $name, out => '', err => '');
	local $ENV{PGAPPNAME} = $name;

	$session{run} = IPC::Run::start(psql_command($node, $statement, $database), '<', \undef, '>', \$session{out}, '2>', \$session{err});
	return \%session;
}

# Waits until the session runs its statement, then `seconds` longer; returns its process id.
sub wait_for_session
{
	my ($node, $session, $seconds) = @_;
	my $where = "application_name = '$session->{name}' and state = 'active' and backend_type = 'client backend'";

	$node->poll_query_until('postgres', "select exists (select from pg_stat_activity where $where)")
		or die "session $session->{name} does not run: $session->{err}";
	sleep($seconds // 0);
	return $node->safe_psql('postgres', "select pid from pg_stat_activity where $where");
}

# Waits for the session's end, and that of its server process if there is a server; whether its statement
# succeeded.
sub finish
{
	my ($session) = @_;
	my $command = psql_command($session->{node}, "select count(*) from pg_stat_activity where application_name = '$session->{name}'");

	$session->{run}->finish;
	foreach my $try (1 .. 1000)
	{
		my $answered = IPC::Run::run($command, '<', \undef, '>', \my $left, '2>', \my $err);

		last if !$answered || $left eq "0\n";
		sleep(0.02);
	}
	return $session->{run}->result(0) == 0;
}

# Processor seconds that a process and its threads have taken, in steps of 10 ms; none when it is gone
sub processor_seconds
{
	my ($pid) = @_;

	open my $stat, '<', "/proc/$pid/stat" or return undef;
	my @fields = split ' ', (<$stat> // '') =~ s/.*\) //sr;
	return @fields > 12 ? ($fields[11] + $fields[12]) / sysconf(_SC_CLK_TCK) : undef;
}

# What a server process does, by its title; nothing when it is gone
sub title_of
{
	my ($pid) = @_;

	open my $title, '<', "/proc/$pid/cmdline" or return '';
	return (<$title> // '') =~ s/\0/ /gr;
}

# How late something is that takes so many seconds by the clock, and on the processor.  On a machine that
# does other work, who would end at once waits for its turn; but who waits for ten seconds waits for something.
sub lateness
{
	my ($passed, $processor) = @_;

	return $passed > 10 ? $passed : min($passed, $processor);
}

# Waits until a process has done something; seconds by the clock and on the processor.
sub watch
{
	my ($pid, $done) = @_;
	my $started = time();
	my $before = processor_seconds($pid);
	my $now = $before;

	while (!$done->() && time() - $started < 60)
	{
		sleep(0.001);
		$now = processor_seconds($pid) // $now;
	}
	return (time() - $started, ($now // 0) - ($before // 0));
}

# Sends a signal, if one is given, to a process; how late it ends.
sub end_process
{
	my ($pid, $signal) = @_;

	kill $signal, $pid if defined $signal;
	return lateness(watch($pid, sub { !lives($pid) }));
}

# Runs a statement in a transaction of a session of its own, and ends it: after so many seconds, or when `when` is
# found in its messages; by a signal, as pg_cancel_backend (INT, the default) and pg_terminate_backend (TERM) send it,
# or by its statement_timeout (TIMEOUT).  Then, in the same session, `after` is run; `before` was.
# Returns how `late` it ended, the time that `passed`, its SQLSTATE (none where the session is gone), its messages
# (err), and the output of `after` (rest).
sub end_statement
{
	my ($node, $statement, $seconds, %how) = @_;
	my $signal = $how{signal} // 'INT';
	my $timeout = $signal eq 'TIMEOUT' ? 'set local statement_timeout = ' . (int(1000 * $seconds) + 1) . ' \;' : '';
	my ($before, $after) = map { $_ // '' } @how{qw(before after)};
	my $script = "$before;\nbegin;\nselect 'process ' || pg_backend_pid();\n$timeout $statement;\n\\echo ended :SQLSTATE\nrollback;\n$after;\n";
	my %end = (late => 0, passed => 0, sqlstate => '');
	my ($out, $err) = ('', '');
	local $ENV{PGAPPNAME} = $how{name} // 'ended';
	my $run = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres') ], '<', \$script, '>', \$out, '2>', \$err);
	my $over = sub { $run->pump_nb; return $out =~ /^ended/m || !$run->pumpable; };

	$run->pump while $out !~ /^process \d+\n/m;
	my ($pid) = $out =~ /^process (\d+)/m;
	my $idle = sub { return title_of($pid) !~ /^postgres: .*\] (?!idle)/ };
	sleep(0.001) while $idle->() && !$over->();
	my $due = time() + $seconds;
	sleep(0.001) while !$over->() && ($how{when} ? $err !~ $how{when} : time() < $due);
	if (!$over->())
	{
		kill $signal, $pid if $signal ne 'TIMEOUT';
		my ($passed, $processor) = watch($pid, $idle);

		@end{qw(passed late)} = ($passed, lateness($passed, $processor));
		kill 'KILL', $pid if $passed > 60;
	}
	$run->finish;
	sleep(0.01) while lives($pid);
	@end{qw(sqlstate rest)} = ($1, $2) if $out =~ /^ended (\S+)\n(.*)/ms;
	return { %end, err => $err };
}

# Whether a process is there and no zombie
sub lives
{
	my ($pid) = @_;
	my $state = '';

	if (open my $stat, '<', "/proc/$pid/stat")
	{
		($state) = (<$stat> // '') =~ /\) (\S)/;
		close $stat;
	}
	return ($state // '') =~ /^[^ZX]$/;
}

1;
