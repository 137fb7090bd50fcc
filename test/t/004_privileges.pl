# Everything runs with the caller's own rights: no more than GRANT gives.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('privileges');
$node->safe_psql('postgres', q{
	create role owner login;
	create role reader login;
	create role stranger login;
	grant create on database postgres to owner});
my $train = q{select hkg_train('g', 'distmult', dimensions => 8, iterations => 1, epochs => 1)};

# runs statements as a role; returns output or "ERROR: SQLSTATE: message"
sub as_role
{
	my ($role, $statements) = @_;
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nset role $role;\n$statements");

	return $code == 0 ? $out : ($err =~ /(ERROR:.*)/)[0];
}

is(as_role('owner', q{
	select hkg_create_graph('g');
	select added from hkg_load('g', $$select 'e' || i, 'r', 'e' || (i * 7) % 50 from generate_series(1, 200) i$$);} . $train),
	"\n200\ndefault", 'a user without special rights makes, loads and trains a graph');
is($node->safe_psql('postgres', q{select distinct tableowner from pg_tables where schemaname = 'g'}), 'owner',
	'and owns its tables');
like(as_role('stranger', q{select hkg_create_graph('mine')}), qr/ERROR:  42501: permission denied for database/,
	'without CREATE on the database no graph can be made');

my $before = tables($node, 'g');
my @reading = (
	q{select count(*) from hkg_predict_tails('g', 'e1', 'r', 3)},
	q{select count(*) from hkg_predict_heads('g', 'r', 'e1', 3)},
	q{select count(*) from hkg_predict_relations('g', 'e1', 'e2', 1)},
	q{select hkg_score('g', 'e1', 'r', 'e2') is not null},
	q{select count(*) from hkg_evaluate('g', 'train')},
	q{select count(*) >= 0 from hkg_explain('g', 'e1', 'r', 'e2')},
	q{select count(*) >= 0 from hkg_mine_rules('g')},
	q{select count(*) >= 0 from hkg_apply_rule('g', 'r(X,Y) <= r(Y,X)')});
my @writing = (
	$train,
	q{select hkg_load('g', $$values ('a', 'b', 'c')$$)},
	q{select hkg_drop_graph('g')});

foreach my $statement (@reading, @writing)
{
	like(as_role('stranger', $statement), qr/ERROR:  42501: /, "a stranger may not: $statement");
}
$node->safe_psql('postgres', 'grant usage on schema g to reader; grant select on all tables in schema g to reader');
foreach my $statement (@reading)
{
	unlike(as_role('reader', $statement), qr/ERROR/, "a reader may: $statement");
}
foreach my $statement (@writing)
{
	like(as_role('reader', $statement), qr/ERROR:  42501: /, "a reader may not: $statement");
}
is(tables($node, 'g'), $before, 'nothing has changed');

# what a training writes at its end is asked for at its beginning: whatever right is missing, it does not take until then
my %needed = (model => [ 'select', 'insert', 'update' ], training => ['insert'],
	map { $_ => [ 'select', 'insert', 'delete' ] } qw(entity_embedding relation_embedding threshold evidence_weight path_network shared_weight rule inferred
		iteration path_epoch checkpoint checkpoint_inferred));
my $endless = q{('g', 'distmult', dimensions => 8, iterations => 10000, epochs => 100000, top_rules => 0)};

$node->safe_psql('postgres', q{create role trainer login; grant usage on schema g to trainer;
	grant select on all tables in schema g to trainer; grant insert, delete on g.entity_embedding, g.relation_embedding, g.threshold,
		g.evidence_weight, g.path_network, g.shared_weight, g.rule, g.inferred, g.iteration, g.path_epoch, g.checkpoint, g.checkpoint_inferred to trainer; grant insert, update on g.model to trainer; grant insert on g.training to trainer});
foreach my $table (sort keys %needed)
{
	foreach my $right (@{ $needed{$table} })
	{
		$node->safe_psql('postgres', "revoke $right on g.$table from trainer");
		foreach my $function ('hkg_train', 'hkg_train_background')
		{
			my ($code, $out, $err) = $node->psql('postgres',
				"\\set VERBOSITY verbose\nset role trainer; set statement_timeout = '60s'; select $function$endless");

			like($err, qr/ERROR:  42501: permission denied for table g\.$table\nDETAIL:  Role "trainer" lacks: $right\.\nHINT:  .*: grant $right on g\.$table to trainer\n/,
				"$function needs $right on $table");
			$node->safe_psql('postgres', "select pg_cancel_backend($out)") if $code == 0 && $out ne '';
		}
		$node->safe_psql('postgres', "grant $right on g.$table to trainer");
	}
}
# these are all that it needs, for a valid split, rules and evidence, too; and columns may be enough
$node->safe_psql('postgres', q{insert into g.holdout select 'valid', head, relation, tail + 1 from g.triple where tail < 9 on conflict do nothing;
	revoke update on g.model from trainer;
	grant update (name, score_function, dimensions, settings, status, evidence, paths, trained_at, best_iteration, mrr, hits_1, hits_3, hits_10)
		on g.model to trainer});
my $few = q{('g', 'distmult', dimensions => 8, iterations => 2, epochs => 1, model => 'of trainer', settings => '{"min_quality": 0}')};
is(as_role('trainer', "select hkg_train$few"), 'of trainer', 'a trainer trains');
like(as_role('trainer', "select hkg_train_background$few"), qr/^\d+$/, 'in the background, too');
ok($node->poll_query_until('postgres', q{select status = 'ready' from g.model where name = 'of trainer'}), 'to its end');
$node->safe_psql('postgres', q{delete from g.model where name = 'of trainer'; delete from g.holdout});

# the hint says all that is missing, as statements; other functions that write at their end say it likewise
my %reduced = (
	'hkg_train' . $endless => 'delete on g.entity_embedding, g.threshold, g.rule, g.checkpoint',
	q{hkg_learn_evidence('g')} => 'insert, delete on g.evidence_weight',
	q{hkg_learn_thresholds('g')} => 'insert on g.threshold',
	q{hkg_import_rules('g', 'r(X,Y) <= r(Y,X)')} => 'insert on g.rule');
$node->safe_psql('postgres', 'grant insert, update, delete on all tables in schema g to trainer');
foreach my $call (sort keys %reduced)
{
	$node->safe_psql('postgres', "revoke $reduced{$call} from trainer");
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nset role trainer; set statement_timeout = '60s'; select $call");
	my ($grants) = $err =~ /42501.*\nHINT:  .*?: (grant .*)/s ? $1 =~ /(.*)/ : '';

	isnt($grants, '', "$call: told what is missing");
	$node->safe_psql('postgres', "$grants");
	unlike(as_role('trainer', "set statement_timeout = '3s'; select $call"), qr/42501/, "$call: it is enough: $grants");
}
$node->safe_psql('postgres', 'drop owned by trainer');

# a model that one role has read is not shown to another one in the same session
like(as_role('reader', q{
	select hkg_score('g', 'e1', 'r', 'e2');
	reset role;
	set role stranger;
	select hkg_score('g', 'e1', 'r', 'e2');}), qr/ERROR:  42501: /, 'a kept model does not outlive a change of role');

# names of models that others train, or share, are for those who see table model
my $watched = as_role('owner', q{select hkg_train_background('g', 'distmult', dimensions => 8, iterations => 10000, epochs => 100000,
	top_rules => 0, model => 'secret')});
my $names = q{select (select string_agg(model, ',') from hkg_progress), (select count(*) from _hkg_trainings()),
	(select count(*) > 0 and count(distinct model) = 1 from hkg_cache), (select count(model) from hkg_cache)};
like(as_role('owner', $names), qr/^secret\|1\|t\|[1-9]/, 'the owner sees that a model is being trained');
like(as_role('reader', $names), qr/^secret\|1\|t\|[1-9]/, 'a reader, too');
is(as_role('stranger', $names), '|0|f|0', 'a stranger does not');
is($node->safe_psql('postgres', q{grant pg_read_all_stats to stranger; set role stranger; select model from hkg_progress}), 'secret',
	'unless it may see all statistics');
$node->safe_psql('postgres', 'revoke pg_read_all_stats from stranger; revoke select on g.model from reader');
is(as_role('reader', $names), '|0|f|0', 'nor a reader of other tables');
$node->safe_psql('postgres', q{grant select on g.model to reader; alter table g.model enable row level security;
	create policy others on g.model using (name <> 'secret')});
is(as_role('reader', $names), '|0|f|0', 'nor one for whom a policy hides models');
like(as_role('owner', $names), qr/^secret\|1\|/, 'the role that trains sees it');
$node->safe_psql('postgres', "alter table g.model disable row level security; drop policy others on g.model; select pg_cancel_backend($watched)");
ok($node->poll_query_until('postgres', q{select not exists (select from hkg_progress)}), 'until it is cancelled');
$node->safe_psql('postgres', q{delete from g.model where name = 'secret'});

# row security decides what a reader sees
$node->safe_psql('postgres', q{
	alter table g.triple enable row level security;
	create policy few on g.triple for select to reader using (head <= 5)});
is(as_role('reader', q{select count(*) from hkg_apply_rule('g', 'r(X,Y) <= r(Y,X)')}),
	$node->safe_psql('postgres', 'select count(*) from g.triple where head <= 5'),
	'row level security holds');

# a background training is shown the same rows, where a policy reads settings of the session, too
$node->safe_psql('postgres', q{
	create role tenant login;
	grant usage on schema g to tenant;
	grant all on all tables in schema g to tenant;
	create function conflict() returns text language plpgsql as $$begin return current_setting('plpgsql.variable_conflict'); end$$;
	create policy tenant on g.triple for select to tenant using (head < current_setting('app.heads')::int
		or current_setting('app.whole') = 'yes' or current_setting('work_mem') = '64kB' or conflict() = 'use_column')});
my %seen;
foreach my $settings (q{set app.heads = 20; set app.whole = 'no'}, q{set app.heads = 20; set app.whole = 'yes'},
	q{set app.heads = 30; set app.whole = 'yes'; reset app.whole; set lock_timeout = 1; set transaction_isolation = 'repeatable read'},
	q{set app.heads = 10; set app.whole = 'no'; set work_mem = '64kB'; set default_transaction_isolation = 'serializable'},
	# a setting that is a superuser's, of a library that is not loaded yet
	q{set app.heads = 15; set app.whole = 'no'; set plpgsql.variable_conflict = use_column},
	q{begin; set local app.heads = 25; set local app.whole = 'no'; set local client_encoding = 'latin1'; set local search_path = g})
{
	my %left;

	foreach my $function ('hkg_train', 'hkg_train_background')
	{
		unlike(as_role('tenant', qq{$settings; select public.$function('g', 'distmult', dimensions => 2, iterations => 1, epochs => 1,
			evidence_rules => 0, model => 'of tenant', settings => '{"holdout": 0}'); commit}), qr/ERROR/, "$function with $settings");
		$node->poll_query_until('postgres', q{select status = 'ready' from g.model where name = 'of tenant'}) or die 'it is not done';
		$left{$function} = left_by($node, 'of tenant');
		$node->safe_psql('postgres', q{delete from g.model where name = 'of tenant'});
	}
	is($left{hkg_train_background}, $left{hkg_train}, 'the same model');
	$seen{ $left{hkg_train} }++;
}
# all facts twice
is(keys %seen, 5, 'other settings, other models');

# nothing here runs with more rights than its caller's
is($node->safe_psql('postgres', q{select count(*) from pg_proc p join pg_depend d on d.objid = p.oid and d.deptype = 'e'
	join pg_extension e on e.oid = d.refobjid where e.extname = 'hybridkg' and p.prosecdef}), '0',
	'no SECURITY DEFINER');

# a name of a function or an operator in the caller's search_path is not taken for the server's
is(as_role('owner', q{
	create schema trap;
	create function trap.count() returns bigint language sql as 'select 42::bigint';
	create function trap.lower(text) returns text language sql as 'select ''trapped''';
	create function trap.equal(int, int) returns bool language sql as 'select false';
	create operator trap.= (leftarg = int, rightarg = int, function = trap.equal);
	create function trap.equal(text, text) returns bool language sql as 'select false';
	create operator trap.= (leftarg = text, rightarg = text, function = trap.equal);
	set search_path = trap, pg_catalog, public;
	select pg_catalog.count(*) from (select * from public.hkg_apply_rule('g', 'r(X,Y) <= r(Y,X)') where known) k;}),
	as_role('owner', q{select count(*) from (select * from hkg_apply_rule('g', 'r(X,Y) <= r(Y,X)') where known) k}),
	'search_path does not lead astray');
is(as_role('owner', q{set search_path = trap, pg_catalog, public; select public.hkg_score('g', 'e1', 'r', 'e2')}),
	as_role('owner', q{select hkg_score('g', 'e1', 'r', 'e2')}), 'nor where it is pinned later');

# the owner takes it all away
is(as_role('owner', q{select hkg_drop_graph('g'); select count(*) from pg_namespace where nspname = 'g'}), "\n0",
	'the owner drops the graph');

done_testing();
