# Every night: pg_cron runs trainings, in both of its ways (connections and background
# workers); a reader that polls all the while has the old model's answers, then the new
# one's, and never anything else.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $library = `pg_config --pkglibdir`;
chomp $library;
plan skip_all => 'pg_cron is not installed (Debian: postgresql-15-cron)' if !-e "$library/pg_cron.so";

my $node = start_node('cron', "hybridkg.progress = iteration\n");
make_graph($node, 'g', 200, 1500);
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'pg_cron'
cron.database_name = 'postgres'
cron.host = '${\ $node->host }'
max_worker_processes = 20
});
$node->restart;
$node->safe_psql('postgres', 'create extension pg_cron');

sub value { return $node->safe_psql('postgres', $_[0]) }

sub training
{
	my ($function, $model, $seed) = @_;
	return "select $function('g', 'distmult', dimensions => 32, iterations => 3, epochs => 60, "
		. "model => '$model', seed => $seed)";
}

# All that a model says, in one statement: its row, its rules, predictions and reasons
sub answer
{
	my ($model) = @_;
	return qq{
		select md5(concat_ws(' ',
			(select mrr || ' ' || (settings->>'seed') from g.model where name = '$model'),
			(select string_agg(rule || coalesce(quality::text, '-') || selected, '|' order by id) from g.rule where model = '$model'),
			(select string_agg(h || p.tail || p.score, '|' order by h, p.score desc)
				from generate_series(1, 5) h, hkg_predict_tails('g', 'e' || h, 'r1', 3, '$model') p),
			(select string_agg(e.rule || e.grounding, '|') from hkg_explain('g', 'e1', 'r2', 'e2', '$model') e)))};
}

# What the models will say is known beforehand: the same seed gives the same bits.
my %expected = map { value(training('hkg_train', 'twin', $_)); ($_ => value(answer('twin'))) } 1 .. 3;
isnt($expected{1}, $expected{2}, 'models of different seeds differ');

my %jobs = (
	training => 'hkg_train',
	background => 'hkg_train_background');
value(training('hkg_train', $_, 1)) foreach keys %jobs;

# A session that asks again and again until it is told to stop, and writes down what was new
value('create table answer (id int generated always as identity, model text, answer text);
	create table stop ();
	-- until both readers have the answer of the model that is to be replaced
	create function wait_for_readers() returns void language plpgsql as $$
	begin
		while (select count(distinct model) < 2 from answer) loop
			perform pg_sleep(0.01);
		end loop;
	end $$');

sub reader
{
	my ($model) = @_;
	my $question = answer($model);

	return session($node, "reader of $model", qq{
		do \$\$
		declare
			now_said text;
			said text;
		begin
			while not exists (select from stop) loop
				$question into now_said;
				if now_said is distinct from said then
					insert into answer (model, answer) values ('$model', now_said);
				end if;
				said := now_said;
				commit;
				perform pg_sleep(0.002);
			end loop;
		end
		\$\$});
}

# `@reboot' is the one schedule that need not wait for a full minute; seeds say which night it is.
sub night
{
	my ($mode, $before, $seed) = @_;
	my %job;

	foreach my $name (sort keys %jobs)
	{
		# a job that is over before anybody looks changes no answer
		my $command = training($jobs{$name}, $name, $seed) . ' from wait_for_readers()';
		$job{$name} = value("select cron.schedule('$name', '\@reboot', \$\$$command\$\$)");
	}
	$job{broken} = value(q{select cron.schedule('broken', '@reboot', $$select hkg_train('nowhere')$$)});
	value('truncate cron.job_run_details, answer, stop');
	$node->restart;
	my @readers = map { reader($_) } sort keys %jobs;

	ok($node->poll_query_until('postgres', q{select count(*) = 3 from cron.job_run_details where status in ('succeeded', 'failed')}),
		"$mode: the jobs have run");
	foreach my $name (sort keys %jobs)
	{
		is(value("select database || ' ' || username || ' ' || status from cron.job_run_details where jobid = $job{$name}"),
			'postgres ' . value('select current_user') . ' succeeded', "$mode: $name succeeded");
		ok($node->poll_query_until('postgres', "select status = 'ready' and settings->>'seed' = '$seed' from g.model where name = '$name'"),
			"$mode: $name: the model is ready");
	}
	# as doc/operations.md joins them: pg_cron may write start_time when the worker has begun, and end_time when another one ends
	is(value(q{select string_agg(concat_ws(' ', j.jobname, d.status, t.model, t.status), ', ' order by j.jobname) from cron.job j join cron.job_run_details d using (jobid)
			left join g.training t on t.pid = d.job_pid and t.started_at - d.start_time between '-1 minute' and '1 day'}),
		'background succeeded background ready, broken failed, training succeeded training ready', "$mode: each job, and how its training ended");
	like(value("select status || ': ' || return_message from cron.job_run_details where jobid = $job{broken}"),
		qr/^failed: .*graph "nowhere" does not exist/s, "$mode: a job that fails says why");
	foreach my $name (sort keys %jobs)
	{
		ok($node->poll_query_until('postgres', "select count(*) >= 2 from answer where model = '$name'"),
			"$mode: the reader of $name has seen a change");
	}
	value('insert into stop default values');
	ok(finish($_), "$mode: $_->{name} never met an error: $_->{err}") foreach @readers;
	foreach my $name (sort keys %jobs)
	{
		is(value("select string_agg(answer, ' ' order by id) from answer where model = '$name'"),
			"$expected{$before} $expected{$seed}", "$mode: $name: the old model's answers, then the new one's");
	}
	return;
}

night('connections', 1, 2);
$node->append_conf('postgresql.conf', "cron.use_background_workers = on\n");
night('background workers', 2, 3);

# the line of the documentation
like(value(q{select cron.schedule('nightly', '0 3 * * *', $$select hkg_train_background('g')$$)}),
	qr/^\d+$/, 'every night at three');

$node->stop('fast');
done_testing();
