# Training in the background: commits as it goes, is seen, stopped and resumed to the
# same bits; readers have the old model until the new one is ready.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('background');
make_graph($node, 'g', 300, 3000);

# more iterations than those after which it is stopped
my $arguments = q{'distmult', dimensions => 32, iterations => 6, epochs => 3, sample_size => 100, omega => 0.5, min_quality => 0, accumulate => true, evidence_rules => 200, seed => 3};
my $endless = q{'distmult', dimensions => 64, iterations => 1000, epochs => 100000, top_rules => 0};

sub value { return $node->safe_psql('postgres', $_[0]) }

sub refused
{
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$_[0]");
	return $err;
}

sub status { return value("select status from g.model where name = '$_[0]'") }

value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'whole'}) ]})");
my $whole = left_by($node, 'whole');

# unbroken
my $pid = value("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'bg'}) ]})");
like($pid, qr/^\d+$/, 'the process id');
ok(wait_until($node, "select status = 'ready' from g.model where name = 'bg'"), 'it gets ready');
is(left_by($node, 'bg'), $whole, 'and leaves the very same as hkg_train');
ok(wait_until($node, 'select count(*) = 0 from hkg_progress'), 'and leaves hkg_progress');

# stopped and resumed, at several places; cancelled or terminated or killed
my %stops = (pg_cancel_backend => [ 0, 3 ], pg_terminate_backend => [1], kill => [2]);
foreach my $how (sort keys %stops)
{
	foreach my $iterations (@{ $stops{$how} })
	{
		my $model = "${how}_$iterations";

		if ($iterations > 0)
		{
			train_and_stop($node, $how, $model, "'g', $arguments", 'g.iteration', $iterations);
		}
		else
		{
			$pid = value("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => '$model'}) ]})");
			value("select $how($pid)");
			wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)");
		}
		my $done = value("select count(*) from g.iteration where model = '$model'");
		is(status($model), $how eq 'pg_cancel_backend' ? 'cancelled' : 'training', "$model: status after $done iterations");
		like(refused("select * from hkg_predict_tails('g', 'e1', 'r1', model => '$model')"), qr/55000.*is not trained/,
			"$model: nothing to read yet") if $done == 0;
		is(value("select hkg_resume('g', '$model')"), $model, "$model: resumed");
		is(left_by($node, $model), $whole, "$model: the very same as the unbroken one");
	}
}

# what a rolled back resume leaves can be resumed
train_and_stop($node, 'pg_cancel_backend', 'again', "'g', $arguments", 'g.iteration', 1);
value(q{begin; select hkg_resume('g', 'again'); rollback});
value(q{select hkg_resume('g', 'again')});
is(left_by($node, 'again'), $whole, 'the very same after a resume that was rolled back');

# a resume that is cancelled leaves no file in its session, though one in the background keeps it between transactions
$pid = value("select hkg_train_background('g', 'distmult', dimensions => 8, iterations => 10000, epochs => 1, top_rules => 0, model => 'long')");
ok(wait_until($node, q{select count(*) >= 2 from g.iteration where model = 'long'}), 'two iterations');
is(value('select count(*) from pg_ls_tmpdir()'), '1', 'the best embeddings are in a file');
value("select pg_cancel_backend($pid)");
ok(wait_until($node, 'select count(*) = 0 from pg_ls_tmpdir()'), 'which goes with the process');
my ($resumed, $files, $errors) = $node->psql('postgres', q{\set VERBOSITY verbose
	set statement_timeout = '1s'; select hkg_resume('g', 'long');
	reset statement_timeout; select count(*) from pg_ls_tmpdir()}, on_error_stop => 0);
is($files, '0', 'and with the transaction of a resume');
like($errors, qr/ERROR:  57014: /, 'which was cancelled');
value(q{delete from g.model where name = 'long'});

# a relation that is deleted after the training has read its facts: path rules that name it are written, no model fails
value(q{insert into g.relation (name) values ('gone'); insert into g.triple select head, (select id from g.relation where name = 'gone'), tail from g.triple where relation = 1});
my $gate = hold($node, 'g.iteration', 'less', 2);
value("select hkg_train_background('g', 'distmult', dimensions => 8, iterations => 3, epochs => 5, top_rules => 0, paths => false, model => 'less')");
ok(is_held($node), 'it has read the facts');
value(q{delete from g.triple using g.relation r where r.id = relation and r.name = 'gone'; delete from g.relation where name = 'gone'});
let_go($node, $gate);
ok(wait_until($node, q{select status !~ '^training' from g.model where name = 'less'}), 'a relation is deleted during a training');
is(status('less'), 'ready', 'which ends well');

# facts that are deleted after a training has read them: what its rules infer follows from those that it has read
my $inferring = q{'distmult', dimensions => 8, iterations => 5, epochs => 30, top_rules => 50, min_confidence => 0.01, evidence_rules => 0, holdout => 0, paths => false, seed => 3};
sub inferred { return value("select string_agg(format('%s %s %s %s', number, loss, rules, inferred), ';' order by number) from g.iteration where model = '$_[0]'") }
value("select hkg_train(@{[ arguments(qq{'g', $inferring, model => 'all_facts'}) ]})");
$gate = hold($node, 'g.iteration', 'fewer_facts', 2);
value("select hkg_train_background(@{[ arguments(qq{'g', $inferring, model => 'fewer_facts'}) ]})");
ok(is_held($node), 'it has read the facts');
value(q{create table deleted as with gone as (delete from g.triple where mod(head + tail, 3) = 0 returning *) select * from gone});
let_go($node, $gate);
ok(wait_until($node, q{select status = 'ready' from g.model where name = 'fewer_facts'}), 'facts are deleted during a training');
is(inferred('fewer_facts'), inferred('all_facts'), 'which goes on with those that it has read');
value("select hkg_train(@{[ arguments(qq{'g', $inferring, model => 'new_facts'}) ]})");
isnt(inferred('new_facts'), inferred('all_facts'), 'unlike the next one');
value('insert into g.triple select * from deleted');

# one training of a name; the old model until the new one is ready
value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'old'}) ]})");
my $embeddings = q{select md5(string_agg(embedding::text, '|' order by entity)) from g.entity_embedding where model = 'old'};
my $before = value($embeddings);
my $rules = value(q{select count(*) || ' ' || sum(support) from g.rule where model = 'old'});
$pid = value("select hkg_train_background(@{[ arguments(qq{'g', $endless, model => 'old'}) ]})");
is(status('old'), 'training', 'status of a model that is trained again');
is(value($embeddings), $before, 'its embeddings are there');
is(value(q{select count(*) || ' ' || sum(support) from g.rule where model = 'old'}), $rules, 'and its rules');
is(value(q{select count(*) from hkg_predict_tails('g', 'e1', 'r1', 5, 'old')}), '5', 'it predicts');
is(value(q{select score_function || dimensions from g.model where name = 'old'}), 'distmult32', 'its row describes it');
like(refused("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'old'}) ]})"), qr/ERROR:  55006: /, 'hkg_train is refused');
like(refused("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'old'}) ]})"), qr/ERROR:  55006: /, 'another one in the background, too');
like(refused(q{select hkg_resume('g', 'old')}), qr/ERROR:  55006: /, 'and hkg_resume');
is(value("select count(*) from pg_locks where pid = $pid and locktype = 'advisory' and mode = 'ExclusiveLock'"), '1', 'the first one goes on');

# it holds no snapshot while it computes
ok(wait_until($node, "select epoch > 0 from hkg_progress where pid = $pid and model = 'old' and graph = 'g'"), 'in hkg_progress');
my $seen = 0;
my $holds = 0;
foreach my $look (1 .. 30)
{
	my ($phase, $xmin) = split /\|/, value(qq{select p.phase, a.backend_xmin is null and a.backend_xid is null
		from hkg_progress p join pg_stat_activity a using (pid) where pid = $pid});

	next if $phase ne 'training';
	$seen++;
	$holds++ if $xmin ne 't';
	sleep(0.01);
}
cmp_ok($seen, '>', 10, 'it was seen in its epochs');
is($holds, 0, 'and held neither snapshot nor transaction id');
value('create table junk as select i from generate_series(1, 1000) i; delete from junk');
# when a vacuum or an analyze of the server's own, which holds one, is over
is_soon(sub { value('vacuum junk; select pg_relation_size(\'junk\')') }, '0', 'vacuum removes what was deleted meanwhile');

# progress
my ($iteration, $iterations, $epoch, $epochs, $loss, $eta, $percent) = split /\|/, value(qq{select iteration, iterations,
	epoch, epochs, loss > 0, eta > now(), percent between 0 and 1 from hkg_progress where pid = $pid});
is("$iteration $iterations $epochs $loss $eta $percent", '1 1000 100000 t t t', 'progress');
cmp_ok($epoch, '>', 0, 'epochs are counted');
my $foreground = session($node, 'foreground', "select hkg_train(@{[ arguments(qq{'g', $endless, model => 'front'}) ]})");
ok(wait_until($node, q{select count(*) = 2 from hkg_progress where phase = 'training' and loss > 0}), 'hkg_train is in the view, too');
value(q{select pg_cancel_backend(pid) from hkg_progress where model = 'front'});
finish($foreground);
is(value('select count(*) from hkg_progress'), '1', 'until it is cancelled');

cmp_ok(end_process($pid, 'INT'), '<', 1, 'it ends at once');
is(status('old'), 'cancelled', 'cancelled');
is(value($embeddings), $before, 'the old model is there');
is(value(q{select count(*) from hkg_predict_tails('g', 'e1', 'r1', 5, 'old')}), '5', 'it predicts');

# facts that come and go meanwhile, once it has read those that it learns from, are not learnt, and do no harm
$gate = hold($node, 'g.iteration', 'moving', 1);
$pid = value("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'moving'}) ]})");
ok(is_held($node), 'it has read the facts');
value(q{select hkg_load('g', 'select ''new'' || i, ''r1'', ''e'' || i from generate_series(1, 200) i')});
let_go($node, $gate);
ok(wait_until($node, q{select status <> 'training' from g.model where name = 'moving'}), 'facts loaded meanwhile');
is(left_by($node, 'moving'), $whole, 'it learnt from the facts that it began with');
is(value(q{select count(*) from g.entity_embedding e join g.entity n on n.id = e.entity where n.name ~ '^new'}), '0', 'no more');

# a graph that changed cannot be resumed
value(q{insert into g.holdout select 'test', e.id, r.id, e.id from g.entity e, g.relation r where e.name = 'e1' and r.name = 'r1'});
train_and_stop($node, 'pg_cancel_backend', 'changed', "'g', $arguments", 'g.iteration', 2);
# every part of a checkpoint has a checksum: a bit that differs in any of them is found, and so is a row in another's
# place
my @parts = split /\n/, value(q{select distinct part from g.checkpoint where model = 'changed' order by 1});
cmp_ok(scalar @parts, '>=', 6, 'a checkpoint has settings, a header, embeddings of two iterations, samples');
foreach my $part (@parts)
{
	like(refused(qq{begin; update g.checkpoint set data = set_bit(data, 9, 1 - get_bit(data, 9))
			where part = '$part' and model = 'changed' and number = 0 and length(data) > 1;
			update g.checkpoint set data = '\\x0000' where part = '$part' and model = 'changed' and length(data) = 0;
			select hkg_resume('g', 'changed')}),
		qr/ERROR:  22000: checkpoint of model "changed" is damaged\nDETAIL:  The checksum of its part "\Q$part\E"/, "a checkpoint with a damaged part: $part");
}
like(refused(q{begin; update g.checkpoint c set data = o.data, checksum = o.checksum from g.checkpoint o
		where c.part = 'entities' and o.part = 'best entities' and c.model = 'changed' and o.model = 'changed' and c.number = o.number;
		select hkg_resume('g', 'changed')}),
	qr/ERROR:  22000: checkpoint of model "changed" is damaged/, 'a part in the place of another');

like(refused(q{begin;
		with f as (delete from g.triple where ctid = (select min(ctid) from g.triple) returning *) insert into g.holdout select 'test', * from f;
		with h as (delete from g.holdout where ctid = (select min(ctid) from g.holdout where split = 'test') returning *)
			insert into g.triple select head, relation, tail from h;
		select hkg_resume('g', 'changed')}),
	qr/ERROR:  55000: .*has changed/, 'nor one with a fact and a held out triple in each other\'s place');
value(q{delete from g.triple using g.entity e where e.id = head and e.name ~ '^new[12]'});
like(refused(q{select hkg_resume('g', 'changed')}), qr/ERROR:  55000: .*has changed/, 'a graph that changed cannot be resumed');
like(refused(q{select hkg_resume('g', 'whole')}), qr/ERROR:  55000: .*no interrupted training/, 'nothing to resume');

# nor can a training on rules of a model that has other ones since
value(q{select hkg_import_rules('g', 'r1(X,Y) <= r2(X,Y)', model => 'given')});
$pid = value(q{select hkg_train_background('g', 'distmult', dimensions => 8, iterations => 10000, epochs => 1, model => 'ruled', settings => jsonb_build_object('rules_of', 'given'))});
ok(wait_until($node, q{select count(*) >= 1 from g.iteration where model = 'ruled'}), 'one iteration');
value("select pg_cancel_backend($pid)");
ok(wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)"), 'cancelled');
value(q{delete from g.model where name = 'given'; select hkg_import_rules('g', 'r1(X,Y) <= r3(X,Y)', model => 'given')});
like(refused(q{select hkg_resume('g', 'ruled')}), qr/ERROR:  55000: .*has changed/, 'rules that have changed');
value(q{delete from g.model where name in ('given', 'ruled')});

# without a valid split: hkg_train and the background hold out the same facts, and the launcher raises the notice
value(q{delete from g.holdout});
my $facts = value(q{select count(*) from g.triple});
my $tenth = int($facts / 10);
my $held_out = "$arguments, holdout => 0.1";
value("select hkg_train(@{[ arguments(qq{'g', $held_out, model => 'whole 2'}) ]})");
$whole = left_by($node, 'whole 2');
like(refused("select hkg_train_background(@{[ arguments(qq{'g', $held_out, model => 'bg 2'}) ]})"),
	qr/NOTICE:  00000: .*: $tenth of its $facts facts are held out/, 'facts are held out in place of a valid split');
ok(wait_until($node, "select status = 'ready' from g.model where name = 'bg 2'"), 'it gets ready');
is(left_by($node, 'bg 2'), $whole, 'the very same as hkg_train');
is(value(q{select count(*) > 0 from g.evidence_weight where model = 'bg 2'}), 't', 'with weights');

# Progress, from the beginning to the end: the search for path rules and all that follows the iterations is part of it
value(q{
	create function watch(watched name) returns table (number int, phase text, percent float8, bar text) language plpgsql as $$
	begin
		for number in 1 .. 1000000 loop
			select p.phase, p.percent, p.bar into watch.phase, watch.percent, watch.bar from hkg_progress p where p.model = watched;
			exit when not found;
			return next;
			perform pg_sleep(0.001);
		end loop;
	end $$});
value(q{create table seen (try int, number int, phase text, percent float8, bar text)});
# a short phase may go by while somebody else has the processor
my $phases = 'evaluating, finding path rules, inferring, learning weights, training, writing';
my $phases_seen = q{select string_agg(distinct phase, ', ' order by phase) from seen where phase not in ('reading', 'mining')};
foreach my $try (1 .. 10)
{
	$pid = value("select hkg_train_background(@{[ arguments(qq{'g', $held_out, model => 'watched'}) ]})");
	value("insert into seen select $try, w.* from watch('watched') w");
	wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)");
	last if value($phases_seen) eq $phases;
}
is(value(q{select count(*) from seen where bar !~ '^\[=*> *\] +\d+ %(, \d+:\d\d:\d\d left)?$' or length(split_part(bar, ']', 1)) <> 21
	or round(length(regexp_replace(bar, '[^=]', '', 'g'))) <> floor(percent / 5)}), '0', 'a bar of 20 cells shows it');
is(value(q{select count(*) from seen join seen next on next.try = seen.try and next.number = seen.number + 1 where next.percent < seen.percent}), '0',
	'the percentage never falls');
is(value(q{select max(percent) < 100 from seen}), 't', 'and is below 100 to the end');
is(value($phases_seen), $phases, 'all phases are seen');
is(value(q{select min(percent) filter (where phase = 'finding path rules') between 1 and 98 and
	max(percent) > min(percent) filter (where phase = 'finding path rules') from seen}), 't', 'the iterations are not all of it');
value('drop table seen');

train_and_stop($node, 'pg_terminate_backend', 'stopped 2', "'g', $held_out", 'g.iteration', 2);
is(value(q{select hkg_resume('g', 'stopped 2')}), 'stopped 2', 'resumed');
is(left_by($node, 'stopped 2'), $whole, 'the very same after a resume');
is(value(q{select count(*) from g.triple}), $facts, 'no fact is lost');
# a valid split that comes after it has read the facts, before it has begun: all of it is read again
value(q{create function public.wait() returns trigger language plpgsql as $$begin perform pg_advisory_xact_lock_shared(1); return null; end$$;
	create trigger wait before insert on g.checkpoint execute function public.wait()});
foreach my $warm ('false', 'true')
{
	my ($model, $like) = $warm eq 'true' ? ('stopped 2', 'whole 2') : ('bg 3', 'whole 3');
	my $loader = session($node, 'loader', q{begin;
		select pg_advisory_xact_lock(1);
		do $$ begin
			while not exists (select from pg_locks where locktype = 'advisory' and not granted) loop
				perform pg_sleep(0.01);
			end loop;
		end $$;
		insert into g.holdout select distinct 'valid', t.head, t.relation, h.tail from g.triple t join g.triple h using (relation)
			where t.head % 7 = 1 and h.tail % 5 = 2 order by 2, 3, 4 limit 200 on conflict do nothing;
		commit});

	wait_until($node, q{select exists (select from pg_locks where locktype = 'advisory' and objid = 1 and mode = 'ExclusiveLock')});
	value("select hkg_train_background(@{[ arguments(qq{'g', $held_out, warm_start => $warm, model => '$model'}) ]})");
	ok(finish($loader), 'a valid split is loaded meanwhile');
	wait_until($node, "select status <> 'training' from g.model where name = '$model'");
	value("select hkg_train(@{[ arguments(qq{'g', $held_out, warm_start => $warm, model => '$like'}) ]})");
	is(left_by($node, $model), left_by($node, $like), "learns from it, warm_start => $warm");
	value(q{delete from g.holdout});
}
value('drop trigger wait on g.checkpoint');

# what replaces a model with evidence by one without leaves none of it
value("select hkg_train_background(@{[ arguments(qq{'g', $held_out, evidence_rules => 0, model => 'bg 2'}) ]})");
ok(wait_until($node, "select status = 'ready' and settings->>'evidence_rules' = '0' from g.model where name = 'bg 2'"), 'replaced');
is(value(q{select count(*) from g.evidence_weight where model = 'bg 2' union all select count(evidence) from g.model where name = 'bg 2'}),
	"0\n0", 'by a model without evidence');

# errors: at once those that can be known, the others as status
like(refused(q{select hkg_train_background('g', dimensions => 0)}), qr/ERROR:  22023: /, 'bad arguments');
like(refused(q{select hkg_train_background('nowhere')}), qr/ERROR:  3F000: /, 'an unknown graph');
like(refused(q{set hybridkg.max_memory = '2MB'; select hkg_train_background('g', dimensions => 1000)}),
	qr/ERROR:  53200: .*CONTEXT:  background training/s, 'too little memory');
like(refused(q{begin; select hkg_create_graph('g2'); select hkg_train_background('g2')}), qr/ERROR:  3F000: /, 'a graph that is not committed');
like(refused(q{begin read only; select hkg_train_background('g')}), qr/ERROR:  25006: /, 'a read-only transaction');
like(refused(q{begin; update g.model set status = 'mine' where name = 'whole'; select hkg_train_background('g', model => 'whole')}),
	qr/ERROR:  55P03: /, 'a row that the session has locked itself');
my $wild = q{'g', 'distmult', 2, 1, 1, top_rules => 0, evidence_rules => 0, model => 'wild'};
value("select hkg_train(@{[ arguments($wild) ]})");
value(q{update g.entity_embedding set embedding = '{3e38, 3e38}' where model = 'wild'});
value("select hkg_train_background(@{[ arguments(qq{$wild, warm_start => true}) ]})");
wait_until($node, q{select status <> 'training' from g.model where name = 'wild'});
like(status('wild'), qr/^failed: training diverged in epoch \d+ of iteration 1$/, 'the status tells what failed: ' . status('wild'));
is(value(q{select count(*) from g.training t join g.model m on m.name = t.model and m.status = t.status and t.facts is null where m.name = 'wild'}) .
	value(q{select trainings || ' ' || failures from hkg_stat where graph = 'g' and model = 'wild'}), '12 1', 'and so does its row of table training');
value(q{alter table g.rule add constraint none check (model <> 'ruled')});
value("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'ruled'}) ]})");
wait_until($node, q{select status <> 'training' from g.model where name = 'ruled'});
like(status('ruled'), qr/^failed: new row for relation "rule" violates check constraint "none"/, 'an error at the very end');
value('alter table g.rule drop constraint none');

# whenever a session is stopped that waits for the worker to begin, no training is left that looks as if it were under
# way
my ($stopped, $began, @left) = (0, 0);
for (my $milliseconds = 2; $milliseconds <= 60; $milliseconds += 2)
{
	my ($code, $begun) = $node->psql('postgres', "set statement_timeout = $milliseconds; select hkg_train_background(@{[ arguments(qq{'g', $endless, model => 'hasty'}) ]})");

	value("select pg_cancel_backend($begun)") if $code == 0;
	$code == 0 ? $began++ : $stopped++;
	push @left, "$milliseconds: under way" if !wait_until($node, q{select not exists (select from pg_stat_activity where backend_type = 'hybridkg training')});
	push @left, $milliseconds if value(q{delete from g.model where name = 'hasty' returning status}) eq 'training';
}
is("@left", '', 'a session that is stopped as the worker begins leaves no training');
cmp_ok($stopped, '>', 0, "$stopped of them were stopped, $began began");

# a transaction that fails after its training has begun, or is rolled back, cancels it
foreach my $failing ("select 1 / (hkg_train_background(@{[ arguments(qq{'g', $endless, model => 'hasty'}) ]}) * 0)", "begin; select hkg_train_background(@{[ arguments(qq{'g', $endless, model => 'hasty'}) ]}); rollback")
{
	$node->psql('postgres', $failing);
	ok(wait_until($node, q{select not exists (select from pg_stat_activity where backend_type = 'hybridkg training')}), 'a transaction that does not commit ends its training');
	is(value(q{delete from g.model where name = 'hasty' returning status}), 'cancelled', 'whose status tells it');
}

# a graph that loses a table, its name or everything while it is learnt from: the status shows it, where there still is
# one.  A table is dropped behind a lock on table model, which the training takes first, too: else each may wait for
# the other
my %losses = (
	'begin; lock table lost.model; drop table lost.iteration; commit' => 'lost',
	'begin; lock table lost.model; drop table lost.checkpoint; commit' => 'lost',
	'alter schema lost rename to found' => 'found',
	'drop table lost.model cascade' => undef,
	"select hkg_drop_graph('lost')" => undef);
foreach my $loss (sort keys %losses)
{
	make_graph($node, 'lost', 300, 3000);
	# long, where it has to come to the loss before its end
	my $iterations = defined $losses{$loss} ? 1000 : 2;
	$pid = value("select hkg_train_background(@{[ arguments(qq{'lost', 'distmult', dimensions => 8, iterations => $iterations, epochs => 300, top_rules => 0}) ]})");
	# it holds no lock then
	wait_until($node, "select phase = 'training' from hkg_progress where pid = $pid");
	value($loss);
	ok(wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)"), "$loss: the training ends");
	is(value('select count(*) from hkg_progress'), '0', "$loss: and is not in hkg_progress any more");
	my $schema = $losses{$loss} // 'lost';
	like(value("select status from $schema.model"), qr/^failed: ((relation|schema) "lost.*" does not exist|graph "lost" was renamed or dropped meanwhile)/, "$loss: and its status tells it")
	  if defined $losses{$loss};
	value("drop schema if exists $schema cascade");
}

# a graph whose name becomes another one's, which has a model of that name, too
make_graph($node, $_, 300, 3000) foreach 'lost', 'other';
value(q{insert into other.model (name, settings, status, created_at) values ('default', '{}', 'ready', now())});
$pid = value("select hkg_train_background('lost', 'distmult', dimensions => 8, iterations => 1000, epochs => 300, top_rules => 0, model => 'default')");
wait_until($node, "select phase = 'training' from hkg_progress where pid = $pid");
value('begin; alter schema lost rename to found; alter schema other rename to lost; commit');
ok(wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)"), 'a graph gives its name to another one: the training ends');
like(value('select status from found.model'), qr/^failed: graph "lost" was renamed or dropped meanwhile/, 'its status tells it');
is(value('select count(*) from lost.iteration'), '0', 'and the other graph has nothing of it');
value('drop schema found cascade; drop schema lost cascade');

# a model that gets another name, while a finished one gets its name
make_graph($node, 'named', 300, 3000);
value(q{select hkg_train('named', 'distmult', dimensions => 8, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, paths => false, model => 'candidate')});
$gate = hold($node, 'named.iteration', 'm', 2);
$pid = value(q{select hkg_train_background('named', 'distmult', dimensions => 8, iterations => 300, epochs => 3, top_rules => 0, evidence_rules => 0, paths => false, model => 'm')});
ok(wait_until($node, q{select count(*) = 1 from named.iteration where model = 'm'}), 'one iteration');
ok(is_held($node), 'the second is being written');
# which waits for that
my $renaming = session($node, 'renaming', q{begin; update named.model set name = 'old' where name = 'm'; update named.model set name = 'm' where name = 'candidate'; commit});
ok(wait_until($node, q{select wait_event_type = 'Lock' from pg_stat_activity where application_name = 'renaming'}), 'another name for its model waits');
let_go($node, $gate);
ok(finish($renaming), 'and is given') or diag($renaming->{err});
ok(wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)"), 'a model gets another name: the training ends');
is(value(q{select string_agg(name || ' ' || status, ', ' order by name) from named.model}),
	'm ready, old failed: model "m" of graph "named" was renamed or deleted meanwhile', 'its status tells it, and nobody else\'s');
value(q{select hkg_resume('named', 'old')});
is(value(q{select status, (select count(*) from named.iteration where model = 'old') from named.model where name = 'old'}), 'ready|300', 'it goes on by its new name');
value('drop schema named cascade');

# where the database's defaults are serializable and read only: a transaction that may write starts it, and others may
# change the model's row meanwhile
$gate = hold($node, 'g.iteration', 'strict', 2);
value('alter database postgres set default_transaction_isolation = serializable; alter database postgres set default_transaction_read_only = on');
like(refused("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'strict'}) ]})"), qr/ERROR:  25006: /, 'a transaction that is read only');
$pid = value("begin read write; select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'strict'}) ]})");
ok(wait_until($node, q{select count(*) = 1 from g.iteration where model = 'strict'}), 'one that may write does');
my $change = $node->background_psql('postgres');
$change->query_safe(q{begin isolation level read committed read write; update g.model set settings = settings where name = 'strict'});
$gate->query_safe('select pg_advisory_unlock(7)');
ok(wait_until($node, "select wait_event in ('transactionid', 'tuple') from pg_stat_activity where pid = $pid"), 'the training waits for a change of its row');
$change->query_safe('commit');
$change->quit;
ok(wait_until($node, "select not exists (select from pg_stat_activity where pid = $pid)"), 'and ends');
is(status('strict'), 'ready', 'its model is ready');
value('begin read write; alter database postgres reset default_transaction_isolation; alter database postgres reset default_transaction_read_only; commit');
let_go($node, $gate);

# with the caller's rights
value(q{create role writer; create role reader login; grant usage on schema g to writer, reader;
	grant select on all tables in schema g to writer, reader; grant insert, update, delete on all tables in schema g to writer});
like(refused(q{set role reader; select hkg_train_background('g', model => 'forbidden')}), qr/ERROR:  42501: /, 'a role that may not write');
value("set role writer; select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => 'of_writer'}) ]})");
ok(wait_until($node, q{select status <> 'training' from g.model where name = 'of_writer'}), 'a role that cannot log in');
is(status('of_writer'), 'ready', 'trains in the background, too');

# a load is in the view, too
my $load = session($node, 'load', q{select hkg_load('g', 'select ''l'' || i, ''r1'', ''e1'' from generate_series(1, 60000) i where pg_sleep(0.001) is not null')});
ok(wait_until($node, q{select exists (select from hkg_progress where rows >= 1000)}), 'rows of a load');
is(value(q{select concat_ws('|', graph, coalesce(model, 'null'), phase, rows % 1000, eta is null, percent, bar) from hkg_progress}),
	'g|null|reading|0|t|0|[>                   ]   0 %', 'while its query runs');
value('select pg_cancel_backend(pid) from hkg_progress');
finish($load);
is(value('select count(*) from hkg_progress'), '0', 'until it is cancelled');

# where a sample of the valid split is ranked: what its iterations are compared with is saved, too
value(q{insert into g.entity (name) select 'more ' || i from generate_series(1, 120000) i});
my $short = q{'distmult', dimensions => 16, iterations => 12, epochs => 10, top_rules => 0, evidence_rules => 0, holdout => 0.1};
value("select hkg_train(@{[ arguments(qq{'g', $short, model => 'whole 5'}) ]})");
train_and_stop($node, 'pg_terminate_backend', 'stopped 5', "'g', $short", 'g.iteration', 2);
value(q{select hkg_resume('g', 'stopped 5')});
is(value(q{select count(*) from g.iteration where model = 'stopped 5' and mrr_error > 0 and ranked < 100}), '12', 'estimates');
is(left_by($node, 'stopped 5'), left_by($node, 'whole 5'), 'the same after a resume');

$node->stop('fast');
done_testing();
