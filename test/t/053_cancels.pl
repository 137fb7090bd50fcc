# Statements are cancelled, terminated or time out at random moments: each ends within half a second, nearly all within a
# tenth, and leaves nothing.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Soak;
use Test::More;

my $node = start_node('cancels', qq{
	hybridkg.threads = 2
	client_min_messages = error
	max_worker_processes = 16
	# compilation is the server's, and is not interrupted
	jit = off
});
make_graph($node, 'g', 3000, 30000);
my $small = q{'distmult', dimensions => 16, iterations => 1, epochs => 2, evidence_length => 2};
$node->safe_psql('postgres', "select hkg_train(@{[ arguments(qq{'g', $small, paths => false, model => 'm'}) ]});
	select hkg_train(@{[ arguments(qq{'g', $small, path_layers => 3, path_width => 16, path_epochs => 1, path_facts => 64, model => 'p'}) ]})");
my $before = tables($node, 'g');

# Each takes seconds at least, and would change a table or leave a process.
my $triples = q{g.triple p join g.entity h on h.id = p.head join g.relation r on r.id = p.relation join g.entity t on t.id = p.tail, generate_series(1, 100)};
my %statements = (
	'training, rotate' => q{select hkg_train('g', dimensions => 64, iterations => 50, model => 'c')},
	'training, softmax' => q{select hkg_train('g', 'complex', dimensions => 100, iterations => 8, epochs => 4, top_rules => 0, paths => false, model => 'c', settings => '{"loss": "softmax", "reciprocal": true, "batch_size": 500, "patience": 5}')},
	'training, conve' => q{select hkg_train('g', 'conve', dimensions => 48, iterations => 20, model => 'c')},
	'training, rescal' => q{select hkg_train('g', 'rescal', dimensions => 64, iterations => 20, model => 'c')},
	'training, adversarial' => q{select hkg_train('g', dimensions => 64, iterations => 20, model => 'c', settings => jsonb_build_object('negative_sampling', 'kbgan', 'optimizer', 'adam'))},
	'training, long rules' => q{select hkg_train('g', dimensions => 16, iterations => 1, epochs => 1, model => 'c', settings => jsonb_build_object('max_rule_length', 4, 'constants', true))},
	'training, long paths' => q{select hkg_train('g', dimensions => 16, iterations => 1, epochs => 1, top_rules => 0, model => 'c', settings => jsonb_build_object('evidence_length', 6))},
	'training, learnt paths' => q{select hkg_train('g', dimensions => 16, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 1, model => 'c')},
	'training, partitions' => q{select hkg_train('g', dimensions => 64, iterations => 50, model => 'c', settings => jsonb_build_object('partitions', 4))},
	'training, labels' => q{select hkg_train('g', 'complex', dimensions => 32, iterations => 500, evidence_rules => 0, omega => 0.5, model => 'c', settings => jsonb_build_object('sample_size', 1000, 'min_quality', 0, 'hybrid', 'plogicnet'))},
	'mining' => q{select count(*) from hkg_mine_rules('g', max_rule_length => 4, constants => true, min_support => 1, min_head_coverage => 0)},
	'mining with a model' => q{select count(*) from generate_series(1, 100) i, hkg_mine_rules('g', measure => 'hybrid', model => 'm', constants => true, min_support => i)},
	'evaluation' => q{select count(*) from generate_series(1, 100) s, hkg_evaluate('g', 'train', 'm', s)},
	'comparison' => q{select count(*) from generate_series(1, 100), hkg_compare('g', 'm', 'm', 'train')},
	'completing' => q{select count(*) from generate_series(1, 100) i, hkg_complete('g', null, 100000 + i, 'm', 0)},
	'completing for some' => q{select count(*) from generate_series(1, 100) i, hkg_complete('g', null, 100000 + i, 'm', 0, heads => array(select name from g.entity where id % 2 = 0),
		candidates => array(select name from g.entity where id % 3 > 0), one_each => i % 2 = 0)},
	'completing with learnt paths' => q{select count(*) from hkg_complete('g', k => 100000, min_probability => 0, model => 'p', exact => true)},
	'learnt paths as rules' => q{select * from hkg_learnt_paths('g', 'r1', model => 'p', sample => 20000)},
	'scores' => "select count(hkg_score('g', h.name, r.name, t.name, 'm')) from $triples",
	'predictions' => q{select count(*) from g.entity e, hkg_predict_tails('g', e.name, 'r1', 10, 'm'), generate_series(1, 100)},
	'explanations' => "select count(*) from $triples cross join lateral hkg_explain('g', h.name, r.name, t.name, 'm')",
	'load' => q{select hkg_load('g', 'select (i * 7919::bigint % 100003), i % 7, i from generate_series(1, 3000000) i')},
	'sync' => q{select hkg_sync('g', 'select (i * 7919::bigint % 100003), i % 7, i from generate_series(1, 3000000) i')},
	'import' => q{select hkg_import_rules('g', (select string_agg('r1(X,Y) <= r2(X,"e' || i % 3000 || '"), r3(X,Y)', e'\n') from generate_series(1, 300000) i), model => 'c')},
	'import of embeddings' => q{select hkg_import_embeddings('g', 'select name, array_fill(0.1::real, array[900]) from g.entity, pg_sleep(0.001)', 'select name, array_fill(0.1::real, array[900]) from g.relation', 'distmult', 'c')},
	'report' => q{select count(hkg_report('g', case when i % 2 = 0 then 'm' else 'p' end)) from generate_series(1, 100) i},
	'weights' => q{select hkg_learn_evidence('g', 'm') from generate_series(1, 100)},
	'thresholds' => q{select hkg_learn_thresholds('g', null, 'm', s) from generate_series(1, 1000) s},
	'tuning' => q{select count(*) from hkg_tune('g', '{"dimensions": [200, 300]}', '{"epochs": 1000}', model => 'c2')},
	'background training' => q{select hkg_train_background('g', dimensions => 100, epochs => 1000, model => 'c3') \; select pg_sleep(60)});
my @names = sort keys %statements;

sub value
{
	my ($statement) = @_;

	return $node->safe_psql('postgres', $statement);
}

sub remains
{
	return still($node, q{
		select 'lock ' || locktype from pg_locks where locktype = 'advisory'
		union all select 'in progress: ' || model from hkg_progress
		union all select 'work table ' || relname from pg_class where relpersistence = 't' and relkind = 'r'
		union all select 'copy that is being built' from hkg_cache where state = 'building'
		union all select 'temporary file ' || name from pg_ls_tmpdir() where name !~ '^pgsql_tmp_hybridkg'
		union all select 'process ' || backend_type from pg_stat_activity where backend_type ~ 'hybridkg|parallel' or application_name = 'work'
		union all select 'model ' || name from g.model where name = 'c'});
}

# What workers began and committed
sub end_workers
{
	# one may begin after a look, as its launcher was terminated
	$node->poll_query_until('postgres', q{select count(pg_cancel_backend(pid)) = 0 from pg_stat_activity where backend_type ~ 'hybridkg'});
	$node->poll_query_until('postgres', 'select not exists (select from hkg_progress)');
	value(q{delete from g.model where name not in ('m', 'p'); delete from g.trial});
	return;
}

sub cancel_at_random
{
	my ($number) = @_;
	my $name = $names[ $number * 7 % @names ];
	my %signal = (cancel => 'INT', terminate => 'TERM', timeout => 'TIMEOUT');
	my $how = pick(qw(cancel timeout terminate));
	my $wait = rand(pick(0.05, 0.5, is_long() ? 4 : 1));
	my $end = end_statement($node, $statements{$name}, $wait, signal => $signal{$how}, name => 'work');
	my $err = $end->{err};
	my $what = sprintf '%s, %s after %.3f s', $name, $how, $wait;
	my @wrong;

	my $done = $err !~ /canceling statement|terminating connection/;
	end_workers() if $done || $name =~ /tuning|background/;
	@wrong = split /\n/, remains();
	push @wrong, "another error: $err" if $err =~ /(ERROR|FATAL):/ && $err !~ /canceling statement|terminating connection/;
	return ("$what: it was done", @wrong) if $done;
	my $late = 1000 * $end->{passed};
	push @wrong, sprintf '%.0f ms late', $late if $end->{late} > 0.5;
	count($late <= 100 ? 'within_100_ms' : $late <= 500 ? 'within_500_ms' : 'later');
	count($how);
	highest('max_ms', int($late));
	note(sprintf '%s: %.0f ms', $what, $late);
	return (sprintf('%s: %.0f ms', $what, $late), @wrong);
}

my $figures = campaign('cancels', 26, 1000, \&cancel_at_random);
cmp_ok(($figures->{within_100_ms} // 0) + ($figures->{within_500_ms} // 0), '>=', $figures->{cases} / 2, 'half of the statements, at least, were cancelled');
is(tables($node, 'g'), $before, 'no table has changed');
# what explain shows of compilation it shows beside the costs alone
unlike(value(q{set jit = on; explain select count(hkg_score('g', 'e1', 'r1', 'e2', 'm')) from (select from generate_series(1, 100000)) c}),
	qr/JIT/, 'the server does not compile a statement of 100,000 scores');
$node->stop;
done_testing();
