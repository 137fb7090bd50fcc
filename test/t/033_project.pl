# hkg_project loads BLAS at its first call: no session has it before, none gets threads or signal handlers from it, a
# cancel ends it within 100 ms, and where the module was not built the function says so.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use Test::More;

my $node = start_node('project');
make_graph($node, 'g', 2000, 5000);
$node->safe_psql('postgres', q{select hkg_train('g', 'distmult', 16, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0)});

my $maps = q{select count(*) from regexp_split_to_table(pg_read_file('/proc/self/maps', 0, 10000000), e'\n') l where l ~ '(blas|lapack|hybridkg_algebra)'};
my $threads = q{select count(*) from pg_ls_dir('/proc/' || pg_backend_pid() || '/task')};
my $signals = q{select string_agg(l, ' ') from regexp_split_to_table(pg_read_file('/proc/self/status'), e'\n') l where l ~ '^Sig(Blk|Ign|Cgt):'};
my $module = $node->safe_psql('postgres', q{select setting || '/hybridkg_algebra.so' from pg_config where name = 'PKGLIBDIR'});

SKIP:
{
	skip 'hybridkg was built without BLAS and LAPACK', 1 if !-e $module;

	my $session = $node->background_psql('postgres');
	$session->query_safe($_) foreach (q{select hkg_score('g', 'e1', 'r1', 'e2')}, q{select * from hkg_predict_tails('g', 'e1', 'r1')},
		q{select * from hkg_neighbors('g', 'e1')});
	is($session->query_safe($maps), '0', 'a session that predicts has not loaded BLAS');
	is($session->query_safe($threads), '1', 'and has one thread');
	my $masks = $session->query_safe($signals);
	$session->query_safe(q{select * from hkg_project('g')});
	cmp_ok($session->query_safe($maps), '>', 0, 'hkg_project loads it');
	is($session->query_safe($threads), '1', 'and there is still one thread');
	is($session->query_safe($signals), $masks, 'the same signals are blocked and caught as before');
	$session->quit;

	# a parallel worker loads the libraries that the server has loaded for its session; BLAS is not among them
	my @workers = split /\n/, $node->safe_psql('postgres', qq{
		create function blas(int) returns bigint language sql volatile parallel safe cost 10000 as \$\$ $maps \$\$;
		set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0;
		set max_parallel_workers_per_gather = 2; set parallel_leader_participation = off;
		select count(*) > 0 from hkg_project('g', 1);
		select blas(1) > 0;
		explain (costs off) select sum(blas(id)), sum(hkg_score('g', 'e1', 'r1', name)) > -1e9 from g.entity where id % 500 = 0;
		select sum(blas(id)), sum(hkg_score('g', 'e1', 'r1', name)) > -1e9 from g.entity where id % 500 = 0});
	is("@workers[0, 1, -1]", 't t 0|t', 'parallel workers of such a session have no BLAS');
	cmp_ok(scalar(grep { /Gather/ } @workers), '>', 0, 'workers they were');

	# 2,000 numbers an embedding: products, then eigenvectors, take seconds
	$node->safe_psql('postgres', q{
		insert into g.model values ('wide', 'distmult', 2000, '{}', 'ready', now());
		insert into g.entity_embedding select 'wide', id, (select array_agg(hashint8(id * 10007::bigint + i) / 2147483648.0) from generate_series(1, 2000) i)::real[]
			from g.entity where id < 1500;
		insert into g.relation_embedding select 'wide', id, array_fill(1::real, '{2000}') from g.relation});
	my $cancelled = 0;
	foreach my $milliseconds (300, 700, 1500, 3000, 5000)
	{
		my $end;
		foreach my $try (1 .. 5)
		{
			$end = end_statement($node, q{select count(*) from hkg_project('g', 2, 'wide')}, $milliseconds / 1000,
				before => q{select count(*) from hkg_neighbors('g', 'e1', model => 'wide')});
			$cancelled++ if $end->{sqlstate} eq '57014';
			last if $end->{late} < 0.1;
		}
		cmp_ok($end->{late}, '<', 0.1, sprintf('%.0f ms after a cancel at %d ms', 1000 * $end->{passed}, $milliseconds));
	}
	cmp_ok($cancelled, '>=', 2, 'it was still at work');
}

# without the module
SKIP:
{
	my $hidden = "$module.hidden";
	skip 'the server\'s folder is not ours', 2 if -e $module && !rename($module, $hidden);

	my ($code, $out, $err) = $node->psql('postgres', q{\set VERBOSITY verbose
		select hkg_project('g')});
	rename($hidden, $module) if -e $hidden;
	like($err, qr/0A000: hybridkg was built without BLAS and LAPACK/, 'without the module the function is an error');
	like($err, qr/HINT: .*libblas-dev, liblapack-dev/, 'which names the packages');
}

$node->stop;
done_testing();
