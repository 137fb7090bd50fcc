# A graph on a Citus cluster: three servers on this machine, a coordinator and two workers.  What a function returns is
# what it returns for the same graph on one server; sharded tables are refused; no session answers from old facts.

use strict;
use warnings;

use lib 'test/perl';
use Catalogue;
use Graph;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my @node;

sub start_nodes
{
	foreach my $name (qw(coordinator first second))
	{
		my $node = PostgreSQL::Test::Cluster->new($name);

		$node->init;
		if (!@node)
		{
			$node->start;
			my $there = $node->safe_psql('postgres', q{select count(*) from pg_available_extensions where name = 'citus'});

			$node->stop;
			plan skip_all => 'Citus is not installed' if $there eq '0';
		}
		$node->append_conf('postgresql.conf', join "\n", q{shared_preload_libraries = 'citus'}, 'max_prepared_transactions = 50', 'max_connections = 60',
			'restart_after_crash = on', 'hybridkg.progress = off', 'hybridkg.threads = 1', 'citus.enable_statistics_collection = off', '');
		$node->start;
		$node->safe_psql('postgres', 'create extension citus');
		push @node, $node;
	}
	return;
}

sub run { return $node[0]->safe_psql('postgres', $_[0]); }

# What a statement fails with, the message's first line
sub error_of
{
	my ($statement, $node) = @_;
	my ($code, $out, $err) = ($node // $node[0])->psql('postgres', "\\set VERBOSITY verbose\n$statement");

	return $err =~ /ERROR:  (.*)/ ? $1 : "no error: $out";
}

sub hint_of
{
	my ($code, $out, $err) = $node[0]->psql('postgres', $_[0]);

	return $err =~ /HINT:  (.*)/ ? $1 : "no hint: $err";
}

start_nodes();

# ---- what a cluster needs ----

run('create extension hybridkg');
like(error_of(q{select hkg_distribute_graph('none')}), qr/^3F000: graph "none" does not exist/, 'a graph that is not there');
make_graph($node[0], 'g', 60, 500);
make_graph($node[0], 'l', 60, 500);
like(error_of(q{select hkg_distribute_graph('g')}), qr/^55000: the coordinator is not among the nodes/, 'a cluster without nodes');
run(sprintf q{select citus_set_coordinator_host('%s', %d)}, $node[0]->host, $node[0]->port);
run(sprintf q{select citus_add_node('%s', %d)}, $_->host, $_->port) foreach @node[1, 2];
$node[1]->safe_psql('postgres', 'set citus.enable_ddl_propagation = off; drop extension if exists hybridkg');
like(error_of(q{select hkg_distribute_graph('g')}), qr/^55000: node \S+ does not have version \S+ of hybridkg/, 'a worker without the extension');
run(hint_of(q{select hkg_distribute_graph('g')}) =~ s/.*then: //r);

# ---- distributed ----

run(q{grant select on g.entity, g.relation, g.triple to public});
my $comments = q{select md5(string_agg(concat_ws('|', c.relname, d.objsubid, d.description), ',' order by c.relname, d.objsubid))
	from pg_description d join pg_class c on c.oid = d.objoid where c.relnamespace = 'g'::regnamespace};
my $keys = q{select string_agg(concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)), ',' order by conrelid::regclass::text, conname)
	from pg_constraint where contype = 'f' and connamespace = 'g'::regnamespace};
my $rights = q{select string_agg(concat_ws(' ', relname, relacl), ',' order by relname) from pg_class
	where relnamespace = 'g'::regnamespace and relkind = 'r' and relacl is not null};
my $columns = q{select string_agg(concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attidentity), ',' order by attrelid::regclass::text, attnum)
	from pg_attribute where attrelid in ('g.entity'::regclass, 'g.relation'::regclass, 'g.triple'::regclass, 'g.holdout'::regclass) and attnum > 0};
my @before = map { run($_) } $comments, $keys, $rights, $columns;

my $size = run(q{select sum(pg_relation_size(('g.' || name)::regclass)) from unnest(array['entity', 'relation', 'triple', 'holdout', 'rejected']) name});
is(run(q{select concat(string_agg(copied || ' ' || nodes, ', '), ', bytes ', sum(bytes)) from hkg_distribute_graph('g')}),
	'entity 3, relation 3, triple 3, holdout 3, rejected 3, bytes ' . 2 * $size, 'copied to three nodes, two of which are others');
is(run(q{select count(*) from hkg_distribute_graph('g')}), '0', 'and again: nothing to do');
is(run(q{select string_agg(result, ' ' order by nodeid) from run_command_on_all_nodes('select count(*) from g.triple')}),
	join(' ', (run('select count(*) from l.triple')) x 3), 'each node has all facts');
is(run(q{select count(*) from g.slice}), '2', 'a slice for each worker');

# ---- every function's rows ----

run(qq{select hkg_train('$_', 'rotate', dimensions => 8, iterations => 2, epochs => 2, model => 'm', seed => 3, settings => jsonb_build_object('negatives', 4));
	select hkg_train('$_', 'complex', dimensions => 8, iterations => 2, epochs => 2, model => 'm2', seed => 3, settings => jsonb_build_object('negatives', 4, 'reciprocal', true, 'constants', true))})
	foreach qw(g l);
my $less_times = sub { my ($tables) = @_; $tables =~ s/^(model|iteration) .*\n?//mg; return $tables; };

is($less_times->(tables($node[0], 'g')), $less_times->(tables($node[0], 'l')), 'rules, inferences and embeddings are those of one server');
define_try($node[0]);

# Functions that are not compared by a call of each, with the reason; a function that is in neither place fails.
my %otherwise = (
	hkg_distribute_graph => 'makes the difference', hkg_undistribute_graph => 'takes it back', _hkg_send_model => 'what is sent is read by all that rank',
	hkg_train_background => 'commits, compared below', hkg_tune => 'commits, compared below',
	hkg_report => 'has times, compared without them below', _hkg_report_section => 'likewise',
	_hkg_table_sizes => 'has sizes', _hkg_report_page => 'of no graph', _hkg_escape_json => 'of no graph', hkg_rule_sql => 'has the name of the schema, compared below',
	_hkg_cache => 'of no graph', _hkg_trainings => 'of no graph', hkg_help => 'of no graph', _hkg_presets => 'of no graph', hkg_settings => 'of no graph', hkg_facts_changed => 'is for triggers');
my @functions = functions($node[0]);
my @compared = grep { !$otherwise{ $_->{name} } } @functions;
my %is_there = map { $_->{name} => 1 } @functions;

is(join(' ', grep { !$is_there{$_} } sort keys %otherwise), '', 'exceptions are functions');
is(join(' ', map { $_->{name} } grep { !@{ $_->{arguments} } || $_->{arguments}[0]{name} ne 'graph' } @compared), '', 'all others are of a graph');
# on the coordinator where that is faster, and on all nodes
foreach my $seconds (5, 0)
{
	my (%report, @errors);

	foreach my $graph (qw(g l))
	{
		$report{$graph} = [ try_all($node[0], { before => "set hybridkg.slice_seconds = $seconds" }, map { call_of($_, graph => quoted($graph)) } @compared) ];
	}
	foreach my $i (0 .. $#compared)
	{
		my ($here, $there) = map { $report{$_}[$i] } qw(g l);
		my $name = $compared[$i]{name};

		next if $name eq 'hkg_estimate' && $seconds == 0;	# it has what nodes take
		is("$here->{state} $here->{text}", "$there->{state} $there->{text}" =~ s/(["'])l\1/$1g$1/gr, "$name, slice_seconds $seconds: as on one server");
		push @errors, $name if $here->{state} ne '00000';
	}
	# it is there; no blocks, no path network, nothing to resume, no source: all of that comes later
	is("@errors", '_hkg_rate_slice _hkg_train_slice _hkg_valid_slice hkg_create_graph hkg_learnt_paths hkg_resume hkg_sync', 'the others have rows');
}
foreach my $rule ('r4(X,Y) <= r1(X,A), r1(A,Y)', 'r4(X,Y) <= r2(A,X), r3(Y,A)')
{
	my @sql = map { run("select hkg_rule_sql('$_', '$rule')") } qw(g l);
	my @pairs = map { run("select count(*) || ' ' || md5(string_agg(s::text, ',' order by x, y)) from ($_) s") } @sql;

	is($sql[0], $sql[1] =~ s/\bl\./g./gr, "hkg_rule_sql: as on one server: $rule");
	is($pairs[0], $pairs[1], 'and its pairs');
	cmp_ok($pairs[0], 'gt', '1', 'which there are');
}

# The figures of a report without title, times and sizes, and the names of the tables that have sizes, whatever their order
sub report_of
{
	my $data = decode_json(run("select hkg_report('$_[0]', 'm', 'm2', 'json')"));
	my @tables = sort map { $_->[0] } @{ $data->{models}[0]{cost}{table} };

	delete @$data{qw(graph made)};
	foreach my $model (@{ $data->{models} })
	{
		delete $model->{cost};
		delete $model->{training}{trained};
		$_ = [ @$_[ 0 .. 3 ] ] foreach @{ $model->{training}{iteration} };
	}
	return (JSON::PP->new->canonical->encode($data), "@tables");
}

my @report = map { [ report_of($_) ] } qw(g l);
is($report[0][0], $report[1][0], 'hkg_report: as on one server');
cmp_ok(length $report[0][0], '>', 10000, 'all of it');
like($report[0][1], qr/\bentity_embedding\b.*\btriple\b/, 'and tables, those of facts too');

# ---- changes ----

my $facts = sub { return run(qq{select md5(string_agg(concat_ws(' ', h.name, r.name, t.name), ',' order by h.name, r.name, t.name)) from $_[0].triple f
	join $_[0].entity h on h.id = f.head join $_[0].relation r on r.id = f.relation join $_[0].entity t on t.id = f.tail}) };
my $more = q{select 'n' || i % 300, 'r' || i % 6, 'n' || i * 7 % 211 from generate_series(1, 3000) i};

foreach my $call ("hkg_load('%s', \$\$$more\$\$)", q{hkg_load('%s', 'select ''n1'', ''r0'', ''m'' || i from generate_series(1, 50) i', 'test')},
	"hkg_sync('%s', \$\$$more and i % 3 = 0\$\$)" =~ s/ and i/ where i/r, q{hkg_split('%s', 0, 0)}, "hkg_sync('%s', \$\$$more\$\$, true)", q{hkg_split('%s', 0.1, 0.1, 5)})
{
	my @rows = map { run("select * from " . ($call =~ s{%s}{$_}r)) } qw(g l);

	is($rows[0], $rows[1], "as on one server: $call" =~ s/\n//gr);
	is($facts->('g'), $facts->('l'), 'and the facts after it');
}
my $one_kind = q{select count(distinct result) from run_command_on_all_nodes($$select md5(concat((select string_agg(t::text, ',' order by head, relation, tail) from g.triple t),
	(select string_agg(t::text, ',' order by split, head, relation, tail) from g.holdout t), (select string_agg(e::text, ',' order by id) from g.entity e)))$$)};
foreach my $graph (qw(g l))
{
	run(qq{insert into $graph.source (query) values (\$\$$more and i % 5 > 0\$\$)} =~ s/ and i/ where i/r);
}
is(run(q{select * from hkg_sync('g')}), run(q{select * from hkg_sync('l')}), 'as on one server: hkg_sync of a source');
is($facts->('g'), $facts->('l'), 'and the facts after it');
run(qq{select * from hkg_sync('$_', \$\$$more\$\$, true); select * from hkg_split('$_', 0.1, 0.1, 5)}) foreach qw(g l);
my $tuned = q{select arguments, status, mrr, hits_10, best_iteration from hkg_tune('%s', '{"dimensions": [4, 8]}', '{"iterations": 2, "epochs": 1, "negatives": 4}', model => 'tuned')};
is(run($tuned =~ s/%s/g/r), run($tuned =~ s/%s/l/r), 'as on one server: hkg_tune');
is(run($one_kind), '1', 'all nodes have the same rows');
like(error_of(q{delete from g.entity where id = (select min(head) from g.triple)}), qr/^23503/, 'an entity that has facts stays');
like(error_of(q{insert into g.triple values (1000000, 1, 1)}), qr/^23503/, 'a fact has entities');
run(q{insert into g.entity values (99999, 'zed'); insert into g.entity_embedding values ('m', 99999, '{1}');
	delete from g.entity where id = 99999});
is(run('select count(*) from g.entity_embedding where entity = 99999'), '0', 'embeddings go with their entity');

run(q{create role pruner login; grant usage on schema g to pruner; grant select, delete on g.entity to pruner; insert into g.entity values (99998, 'zod');
	insert into g.entity_embedding values ('m', 99998, '{1}');
	set role pruner; delete from g.entity where id = 99998});
is(run('select count(*) from g.entity_embedding where entity = 99998'), '0', 'also where who deletes it has no right on embeddings');

# ---- mining ----

# rules are found and counted on the workers: a pushed-down UNION ALL once lost those that read an atom backwards
my $mined = sub { return run(qq{select count(*) || ' ' || count(*) filter (where rule like '%(Y,X)%') || ' ' || md5(string_agg(m::text, ',' order by rule))
	from hkg_mine_rules('$_[0]', min_support => $_[1], constants => true) m}) };
my $tasks = sub { return (() = join('', map { slurp_file($_->logfile) } @node[1, 2]) =~ /hkg_(?:search|count)_slice\(/g) };

$_->safe_psql('postgres', q{alter system set log_statement = 'all'}), $_->reload foreach @node[1, 2];
sleep(1);
foreach my $support (2, 10)
{
	is($mined->('g', $support), $mined->('l', $support), "mined rules, with support $support");
}
like($mined->('g', 2), qr/^\d+ [1-9]/, 'and some are backwards');
cmp_ok($tasks->(), '>=', 12, 'on the workers');
# given rules are counted by slices, too, where a statement asks for it
my $given = q{array['r4(X,Y) <= r1(X,A), r1(A,Y)', 'r3(X,Y) <= r1(Y,X)', 'r1(X,Y) <= r2(X,Y)', 'r2(X,Y) <= r3(A,X), r1(A,Y)']};
is(run(qq{select string_agg(concat_ws(' ', rule, support, body_size, pca_body_size), ',' order by rule) from (
		select rule, sum(support) as support, sum(body_size) as body_size, sum(pca_body_size) as pca_body_size
		from g.slice, hkg_count_rules('g', $given, slice, slices) group by rule) c}),
	run(qq{select string_agg(concat_ws(' ', rule, support, body_size, pca_body_size), ',' order by rule) from hkg_count_rules('l', $given)}), 'counts of given rules');
cmp_ok(scalar(() = join('', map { slurp_file($_->logfile) } @node[1, 2]) =~ /hkg_count_rules\(/g), '>=', 2, 'on the workers');
my $applied = sub { my ($from) = @_; return run(qq{select count(*) || ' ' || md5(string_agg(a::text, ',' order by a::text)) from $from a}) };
foreach my $rule ('r4(X,Y) <= r1(X,A), r1(A,Y)', 'r3(X,Y) <= r1(Y,X)')
{
	is($applied->("g.slice, hkg_apply_rule('g', '$rule', slice, slices)"), $applied->("hkg_apply_rule('l', '$rule')"), "what a rule infers: $rule");
}
cmp_ok(scalar(() = join('', map { slurp_file($_->logfile) } @node[1, 2]) =~ /hkg_apply_rule\(/g), '>=', 4, 'on the workers');
is(run(q{begin; insert into g.triple select min(id), 1, max(id) from g.entity on conflict do nothing;
	insert into l.triple select min(id), 1, max(id) from l.entity on conflict do nothing;
	select count(*) from (select rule, support, body_size, pca_body_size from hkg_mine_rules('g') except select rule, support, body_size, pca_body_size from hkg_mine_rules('l')) s;
	rollback}), '0', 'facts that are not committed count');
run(q{create role reader login; grant usage on schema g to reader; grant select on g.entity, g.relation, g.triple, g.holdout, g.rejected to reader});
is(run(q{set role reader; select count(*) from hkg_mine_rules('g', min_support => 10)}), run(q{select count(*) from hkg_mine_rules('l', min_support => 10)}), 'for who may only read');

my $train = q{'rotate', dimensions => 8, iterations => 2, epochs => 1, model => 'later', seed => 3, settings => '{"negatives": 4}')};
run("select hkg_train_background('g', $train");
run("select hkg_train('l', $train");
$node[0]->poll_query_until('postgres', q{select exists (select from g.model where name = 'later' and status = 'ready')}) or die 'no background training';
is(run(q{select count(*) from (select head, body, support, body_size, quality from g.rule where model = 'later' except select head, body, support, body_size, quality from l.rule where model = 'later') s}),
	'0', 'a background training has the same rules');

# a node whose copy is not that of the others, by a hand that Citus would stop
my $copy = 'g.triple_' . run(q{select shardid from pg_dist_shard where logicalrelid = 'g.triple'::regclass});
my $by_hand = 'set citus.enable_manual_changes_to_shards = on;';
my $taken = $node[1]->safe_psql('postgres', "$by_hand delete from $copy where ctid = (select min(ctid) from $copy) returning concat_ws(',', head, relation, tail)");
my ($code, $out, $err) = $node[0]->psql('postgres', q{select count(*) from hkg_mine_rules('g', min_support => 10)});
like($err, qr/graph "g" is mined on this server alone/, 'other facts on a node: a notice');
is($out, run(q{select count(*) from hkg_mine_rules('l', min_support => 10)}), 'and the rules of this server');
$node[1]->safe_psql('postgres', "$by_hand insert into $copy values ($taken)");
($code, $out, $err) = $node[0]->psql('postgres', q{select count(*) from hkg_mine_rules('g', min_support => 10)});
is($err, '', 'and none when it is mended');

# ---- ranking ----

# on all nodes, whatever it would take here
my $sliced = sub { my ($query) = @_; return run("set hybridkg.slice_seconds = 0; $query"); };
my $ranking_tasks = sub { return (() = join('', map { slurp_file($_->logfile) } @node[1, 2]) =~ /hkg_(?:rank|complete)_slice\(/g) };
my $rows = sub { return "select md5(string_agg(c::text, ',' order by c::text)) || count(*) from $_[0] c" };
my @calls = (q{hkg_ranks('%s', 'train', 'other', 7)}, q{hkg_evaluate('%s', 'train', 'later', 3, sample => 200)}, q{hkg_ranks('%s', 'test', 'later', sample => 50)},
	q{hkg_compare('%s', 'other', 'later')}, q{hkg_complete('%s', null, 200, 'later', 0.01)}, q{hkg_complete('%s', null, 20, 'other', 0, 'rules', one_each => true)},
	q{hkg_complete('%s', 'r2', 50, 'later', 0, heads => array(select 'n' || i from generate_series(1, 100) i), candidates => array['n3', 'n14', 'n15', 'n92'])},
	q{hkg_complete('%s', null, 5, 'other', 1, 'embedding')});

run("select hkg_train('$_', 'complex', dimensions => 8, iterations => 1, epochs => 2, model => 'other', seed => 4, settings => jsonb_build_object('negatives', 4, 'reciprocal', true))") foreach qw(g l);
foreach my $call (@calls)
{
	my $before = $ranking_tasks->();

	is($sliced->($rows->($call =~ s/%s/g/r)), run($rows->($call =~ s/%s/l/r)), "as on one server: $call");
	cmp_ok($ranking_tasks->(), '>=', $before + 2, 'on the workers');
}
my $ranks = $rows->(q{hkg_ranks('%s', 'test', 'later', 7)});
my $of = sub { my ($graph) = @_; return $ranks =~ s/%s/$graph/r };
my $before = $ranking_tasks->();
run($of->('g'));
is($ranking_tasks->(), $before, 'few questions stay on the coordinator');
is(run(q{select _hkg_send_model('g', 'later')}), '0', 'a model is sent once');
run(qq{update $_.evidence_weight set weight = weight / 2 where model = 'later'}) foreach qw(g l);
is($sliced->($of->('g')), run($of->('l')), 'and again when it was changed');
is(run(q{select version = (select xmin::text || ctid::text from g.model where name = 'later') from g.sent_model where name = 'later'}), 't', 'this version');
my $half = q{update %s.entity_embedding set embedding = (select array_agg(x / 2) from unnest(embedding) x) where model = 'later'};
is((split /\n/, $sliced->("begin; " . ($half =~ s/%s/g/r) . "; " . $of->('g') . "; rollback"))[0],
	(split /\n/, run("begin; " . ($half =~ s/%s/l/r) . "; " . $of->('l') . "; rollback"))[0], 'a change that is not committed counts');
is($sliced->($of->('g')), run($of->('l')), 'and is gone after the rollback');
run(qq{insert into $_.entity (name) values ('new'); insert into $_.triple select n.id, 1, o.id from $_.entity n, $_.entity o where (n.name, o.name) in (('new', 'n1'), ('new', 'n2'))}) foreach qw(g l);
is($sliced->($of->('g')), run($of->('l')), 'an entity that came after the training');
run(qq{update g.evidence_weight set weight = weight where model = 'later'; grant select on all tables in schema g to reader});
is(run("set role reader; set hybridkg.slice_seconds = 0; " . $of->('g')), run($of->('l')), 'who may not send a model ranks on the coordinator');
is(run(qq{set hybridkg.slice_seconds = 0; begin read only; @{[$of->('g')]}; commit}), run($of->('l')), 'as does a transaction that only reads');
$sliced->($of->('g'));
is(run("set role reader; set hybridkg.slice_seconds = 0; " . $of->('g')), run($of->('l')), 'and on all nodes once it is there');
$taken = $node[1]->safe_psql('postgres', "$by_hand delete from $copy where ctid = (select min(ctid) from $copy) returning concat_ws(',', head, relation, tail)");
($code, $out, $err) = $node[0]->psql('postgres', "set hybridkg.slice_seconds = 0; " . $of->('g'));
like($err, qr/split "test" of graph "g" is ranked on this server alone/, 'other facts on a node: a notice');
is($out, run($of->('l')), 'and the ranks of this server');
$node[1]->safe_psql('postgres', "$by_hand insert into $copy values ($taken)");
is($sliced->($of->('g')), run($of->('l')), 'and of all nodes when it is mended');

# a path network is sent with the model; a list may leave out questions by all of them, so only an exact one is made on nodes
run("select hkg_train('$_', 'complex', dimensions => 8, iterations => 1, epochs => 1, paths => true, model => 'net', seed => 5, settings => jsonb_build_object('negatives', 4, 'path_layers', 2, 'path_width', 16, 'path_kept', 9, 'path_epochs', 1, 'path_facts', 100))")
	foreach qw(g l);
is(run('select count(*) > 0 from g.path_network'), 't', 'a model with a path network');
foreach my $call (q{hkg_ranks('%s', 'test', 'net', 7)}, q{hkg_ranks('%s', 'test', 'net', 7, 'paths')}, q{hkg_complete('%s', null, 50, 'net', 0, exact => true)},
	q{hkg_complete('%s', null, 50, 'net', 0)}, q{hkg_learnt_paths('%s', model => 'net')}, q{hkg_predict_tails('%s', array['n1', 'n2', 'n3'], 'r1', 20, 'net')}, q{hkg_explain('%s', 'n1', 'r1', 'n7', 'net')})
{
	my $before = $ranking_tasks->();
	my $divided = $call =~ /hkg_ranks|exact/;

	is($sliced->($rows->($call =~ s/%s/g/r)), run($rows->($call =~ s/%s/l/r)), "as on one server: $call");
	is($ranking_tasks->() - $before, $divided ? 2 : 0, $divided ? 'on the workers' : 'on the coordinator');
}

# ---- training ----

# buckets are trained on the workers, with the bits that they get here one after the other
my $buckets = sub { return (() = join('', map { slurp_file($_->logfile) } @node[1, 2]) =~ /_hkg_train_slice\(/g) };
my $bits = sub {
	my ($graph, $model) = @_;

	return run(qq{select md5(string_agg(row, ';' order by row collate "C")) from (
		select concat_ws(' ', 'entity', entity, embedding) as row from $graph.entity_embedding where model = '$model'
		union all select concat_ws(' ', 'relation', relation, embedding) from $graph.relation_embedding where model = '$model'
		union all select concat_ws(' ', 'rule', head, body, embedding_confidence, quality, selected) from $graph.rule where model = '$model'
		union all select concat_ws(' ', 'iteration', number, loss, mrr, mrr_error, ranked, sampled) from $graph.iteration where model = '$model') a});
};
my $part = sub {
	my ($graph, $model, $more) = @_;

	return "'$graph', dimensions => 8, iterations => 2, epochs => 2, negatives => 4, top_rules => 20, min_quality => 0, sample_size => 100, evidence_rules => 0, seed => 3, model => '$model', $more";
};

run(q{select hkg_distribute_graph('g')});
foreach my $more (q{partitions => 4}, q{partitions => 7, nodes => 3, accumulate => true, batch_size => 5000},
	q{partitions => 9, score_function => 'complex', loss => 'sampled_softmax', optimizer => 'adam', learning_rate => 0.01, reciprocal => true},
	q{partitions => 5, score_function => 'transe', loss => 'margin', negative_sampling => 'bernoulli', label => 'one'},
	q{partitions => 128, nodes => 64, score_function => 'rescal'})
{
	my $before = $buckets->();

	run('select hkg_train(' . arguments($part->('g', 'p', $more)) . ')');
	cmp_ok($buckets->(), '>=', $before + 8, "buckets are trained on the workers: $more");
	run('select hkg_train(' . arguments($part->('l', 'p', $more =~ /nodes/ ? $more : "$more, nodes => 2")) . ')');
	is($bits->('g', 'p'), $bits->('l', 'p'), 'as on one server');
	is(run('select count(*) from g.bucket'), '0', 'nothing is left');
}
is(run(q{select string_agg(item, ', ' order by item) from hkg_estimate('g', settings => jsonb_build_object('partitions', 4)) where item in ('a node', 'sent in an epoch')}), 'a node, sent in an epoch',
	'an estimate is of all nodes');
# 31 rounds of 16 buckets, two at once, are 248 calls of nodes, each a transaction on three servers: the end counts them
run('select hkg_train_background(' . arguments($part->('g', 'calls', 'partitions => 32, nodes => 2') =~ s/iterations => 2, epochs => 2(.*)top_rules => 20/iterations => 1, epochs => 1$1top_rules => 0/r) . ')');
$node[0]->poll_query_until('postgres', q{select exists (select from hkg_progress where model = 'calls' and eta is not null)}) or die 'no eta';
my $begun = time;
cmp_ok(run(q{select extract(epoch from eta - clock_timestamp()) from hkg_progress where model = 'calls'}), '>', 3, 'its end is far enough');
$node[0]->poll_query_until('postgres', q{select status = 'ready' from g.model where name = 'calls'}) or die 'no background training';
cmp_ok(time - $begun, '>', 3, 'so far it was');
my $tasks_with = sub { my ($before) = @_; my $tasks = $buckets->(); run("$before select hkg_train(" . arguments($part->('g', 'p', 'partitions => 4, nodes => 2')) . ')'); return $buckets->() - $tasks };
is($tasks_with->('set hybridkg.slice_seconds = -1;'), 0, 'or here, where that is wanted');
run('select hkg_train(' . arguments($part->('l', 'p', 'partitions => 4, nodes => 2')) . ')');
is($bits->('g', 'p'), $bits->('l', 'p'), 'with the same result');

# the valid split is ranked on the workers after each iteration, with the metrics that it gets here
my $valid_tasks = sub { return (() = join('', map { slurp_file($_->logfile) } @node[1, 2]) =~ /_hkg_valid_slice\(/g) };
foreach my $more (q{score_function => 'complex', reciprocal => true}, q{score_function => 'rotate', iterations => 3, holdout => 0.2}, q{score_function => 'conve', dimensions => 200, loss => 'k_vs_all', negatives => 1},
	q{partitions => 4, nodes => 2})
{
	my $settings = $part->('%s', 'v', $more);

	$settings =~ s/iterations => 2, // if $more =~ /iterations/;
	$settings =~ s/dimensions => 8, // if $more =~ /dimensions/;
	$settings =~ s/negatives => 4, // if $more =~ /negatives/;
	my $ranked = $valid_tasks->();

	run('set hybridkg.slice_seconds = 0; select hkg_train(' . arguments(($settings =~ s/%s/g/r)) . ')');
	cmp_ok($valid_tasks->(), '>=', $ranked + 4, "the valid split is ranked on the workers: $more");
	run('select hkg_train(' . arguments(($settings =~ s/%s/l/r)) . ')');
	is($bits->('g', 'v'), $bits->('l', 'v'), 'as on one server');
	is(run('select mrr > 0 and mrr_error is null and ranked > 0 from g.iteration where model = \'v\' and number = 2'), 't', 'all of it');
	is(run('select count(*) from g.bucket'), '0', 'nothing is left');
}

# rules are rated on the workers, with the ratings that they get here; what omega weighs, and what is below a bound, too
my $rating_tasks = sub { return (() = join('', map { slurp_file($_->logfile) } @node[1, 2]) =~ /_hkg_rate_slice\(/g) };
foreach my $more (q{score_function => 'complex', omega => 0.5, constants => true}, q{score_function => 'rotate', omega => 1, holdout => 0.2, min_quality => 0.3},
	q{score_function => 'transe', omega => 0.2, partitions => 4, nodes => 2})
{
	my $settings = $part->('%s', 'v', $more);
	my $rated = $rating_tasks->();

	$settings =~ s/min_quality => 0, // if $more =~ /min_quality/;
	run('set hybridkg.slice_seconds = 0; select hkg_train(' . arguments(($settings =~ s/%s/g/r)) . ')');
	cmp_ok($rating_tasks->(), '>=', $rated + 2, "rules are rated on the workers: $more");
	run('select hkg_train(' . arguments(($settings =~ s/%s/l/r)) . ')');
	is($bits->('g', 'v'), $bits->('l', 'v'), 'as on one server');
	is(run(q{select count(embedding_confidence) > 0 from g.rule where model = 'v'}), 't', 'some are');
}
my $warm = q{, replace => 'always', warm_start => true};
my $with_start = $part->('%s', 'v', q{score_function => 'rotate'});

run("select hkg_train(" . arguments(($with_start =~ s/%s/$_/r)) . ")") foreach qw(g l);
run('set hybridkg.slice_seconds = 0; select hkg_train(' . arguments(($with_start =~ s/%s/g/r) . $warm) . ')');
run('select hkg_train(' . arguments(($with_start =~ s/%s/l/r) . $warm) . ')');
is($bits->('g', 'v'), $bits->('l', 'v'), 'and before a warm start');
my $valid_before = $valid_tasks->();

run('select hkg_train(' . arguments($part->('g', 'v', q{score_function => 'rotate'})) . ')');
is($valid_tasks->(), $valid_before, 'few questions stay on the coordinator');
run('select hkg_train(' . arguments($part->('l', 'bg', q{score_function => 'rotate'})) . ')');
run('set hybridkg.slice_seconds = 0; select hkg_train_background(' . arguments($part->('g', 'bg', q{score_function => 'rotate'})) . ')');
$node[0]->poll_query_until('postgres', q{select status = 'ready' from g.model where name = 'bg'}) or die 'no background training';
is($bits->('g', 'bg'), $bits->('l', 'bg'), 'in the background, too');
cmp_ok($valid_tasks->(), '>=', $valid_before + 4, 'on the workers');

# of a valid split of many entities a sample is ranked, the same on the workers
my $ring = q{select 'e' || mod(i, 125000), 'r' || mod(i, 2), 'e' || mod(i * 7 + i / 125000, 125000) from generate_series(%s) i};
foreach my $graph (qw(wide wide_l))
{
	run(sprintf "select hkg_create_graph('$graph'); select * from hkg_load('$graph', \$\$$ring\$\$); select * from hkg_load('$graph', \$\$$ring\$\$, 'valid')", '0, 124999', '125000, 128999');
	run("select hkg_distribute_graph('$graph')") if $graph eq 'wide';
	$valid_before = $valid_tasks->();
	run("set hybridkg.slice_seconds = 0; select hkg_train('$graph', 'distmult', dimensions => 4, iterations => 2, epochs => 2, top_rules => 0, evidence_rules => 0, seed => 3, model => 'v', settings => jsonb_build_object('negatives', 64))");
	is($valid_tasks->() - $valid_before, $graph eq 'wide' ? 4 : 0, "$graph: ranked by the workers, or not");
}
is(run(q{select min(ranked) > 1 and max(ranked) < 4000 and min(mrr_error) > 0 from wide.iteration}), 't', 'of 125000 entities, a sample of the valid split is ranked');
is($bits->('wide', 'v'), $bits->('wide_l', 'v'), 'the same on the workers');
run(qq{select hkg_drop_graph('$_')}) foreach qw(wide wide_l);

# whatever the transaction did before
my @within = map {
	my $graph = $_;

	run("begin; insert into $graph.triple select min(id), 1, max(id) from $graph.entity on conflict do nothing; set local hybridkg.slice_seconds = 0; select count(*) from hkg_mine_rules('$graph');
		select hkg_train(" . arguments($part->($graph, 'v', q{score_function => 'rotate'})) . "); select number, loss, mrr, rules from $graph.iteration where model = 'v' order by 1; rollback")
} qw(g l);
is($within[0], $within[1], 'in a transaction that wrote facts');
is(run('select count(*) from g.bucket'), '0', 'which leaves nothing');

# the coordinator takes part in a background worker alone
run(sprintf q{select citus_set_node_property('%s', %d, 'shouldhaveshards', true); select * from hkg_distribute_graph('g')}, $node[0]->host, $node[0]->port);
$node[0]->safe_psql('postgres', q{alter system set log_statement = 'all'});
$node[0]->reload;
sleep(1);
run('select hkg_train(' . arguments($part->('l', 'three', 'partitions => 6, nodes => 3')) . ')');
foreach my $call ('hkg_train', 'hkg_train_background')
{
	run("select $call(" . $part->('g', 'three', 'partitions => 6') . ')');
	$node[0]->poll_query_until('postgres', q{select status = 'ready' from g.model where name = 'three'}) or die "no $call";
	is($bits->('g', 'three'), $bits->('l', 'three'), "$call on three nodes");
	is((slurp_file($node[0]->logfile) =~ /citus_internal .*select lane, public._hkg_train_slice\(/i) ? 1 : 0, $call eq 'hkg_train' ? 0 : 1, 'this one by a connection to itself, in the background');
	run(q{delete from g.model where name = 'three'});
}
run(sprintf q{select citus_set_node_property('%s', %d, 'shouldhaveshards', false); select * from hkg_distribute_graph('g')}, $node[0]->host, $node[0]->port);
is(run(q{select count(*) from g.slice}), '2', 'two again');
$node[0]->safe_psql('postgres', 'alter system reset log_statement');
$node[0]->reload;

# a worker that is lost ends the training, which goes on from the last step: in the first iteration, and in a later one
my $lost_node = $node[2]->port;
my $end = sub { my ($model) = @_; $node[0]->poll_query_until('postgres', qq{select status !~ '^training' from g.model where name = '$model'}) or die 'it goes on' };
foreach my $case (['early', 'epochs => 40', q{iteration = 1 and epoch >= 4}], ['lost', 'epochs => 20', q{iteration = 2 and epoch >= 4}])
{
	my ($model, $epochs, $when) = @$case;
	my $settings = sub { my ($graph, $name) = @_; return $part->($graph, $name, "partitions => 4, nodes => 2, iterations => 3, $epochs") =~ s/iterations => 2, epochs => 2, //r };
	my $tasks = $buckets->();
	my ($whole, $broken, $rest);

	run('select hkg_train(' . arguments($settings->('g', 'whole')) . ')');
	$whole = $buckets->() - $tasks;
	run('select hkg_train(' . arguments($settings->('l', $model)) . ')');
	$tasks = $buckets->();
	run('select hkg_train_background(' . arguments($settings->('g', $model)) . ')');
	$node[0]->poll_query_until('postgres', qq{select exists (select from hkg_progress where model = '$model' and $when)}) or die 'no epoch';
	$node[2]->stop('immediate');
	$end->($model);
	like(run(qq{select status from g.model where name = '$model'}), qr/^failed.*$lost_node/, "$model: a lost worker: a training fails with its name");
	is(run(qq{select count(*) from g.checkpoint where model = '$model' and part = 'place'}), '1', 'where it was is saved');
	like(error_of('select hkg_train(' . arguments($part->('g', 'p', 'partitions => 4') =~ s/top_rules => 20/top_rules => 0/r) . ')'), qr/^08\w+: .*$lost_node/, 'another one fails, too');
	$node[2]->start;
	$broken = $buckets->() - $tasks;
	is(run(qq{select hkg_resume('g', '$model')}), $model, 'it is resumed');
	is($bits->('g', $model), $bits->('l', $model), 'the very same as the unbroken one');
	is($bits->('g', 'whole'), $bits->('l', $model), 'which also is that of the cluster');
	$rest = $buckets->() - $tasks - $broken;
	# two lanes, of which the last step may have been sent in vain, with the other training's
	cmp_ok($broken + $rest, '<=', $whole + 4, "no step is made twice but for the last one: $broken and $rest of $whole");
	cmp_ok($broken, '>=', 8, 'some were made before');
}

# ---- a lost worker, a cancel ----

my $predict = q{select string_agg(tail, ' ' order by tail) from hkg_predict_tails('g', 'n1', 'r1', 3, 'later')};
my $answer = run($predict);
my $whole = run(q{select count(*) from hkg_mine_rules('g')});
my $lost = $node[2]->port;
# facts without a valid split, and rules that need not be mined; and a graph that is here alone
run(q{select hkg_create_graph('rated'); select * from hkg_load('rated', 'select h.name, r.name, t.name from g.triple f join g.entity h on h.id = f.head join g.relation r on r.id = f.relation join g.entity t on t.id = f.tail');
	select * from hkg_distribute_graph('rated'); select hkg_create_graph('alone')});
my $rated = sub { my ($more) = @_; return 'select hkg_train(' . arguments(q{'rated', 'rotate', dimensions => 8, iterations => 1, epochs => 1, negatives => 4, omega => 0.5, min_quality => 0, holdout => 0, evidence_rules => 0, } . $more) . ')' };
run($rated->(q{model => 'mined'}));
$node[2]->stop('immediate');
like(error_of(q{select count(*) from hkg_mine_rules('g')}), qr/^08\w+: .*$lost/, 'a lost worker: mining fails with its name');
like(error_of('set hybridkg.slice_seconds = 0; ' . $of->('g')), qr/^08\w+: .*$lost/, 'as does ranking by slices');
like(error_of('set hybridkg.slice_seconds = 0; select hkg_train(' . arguments($part->('g', 'v', q{score_function => 'rotate', top_rules => 0}) =~ s/top_rules => 20, //r) . ')'), qr/^08\w+: .*$lost/,
	'and a training that ranks the valid split there');
like(error_of(q{set hybridkg.slice_seconds = 0; select count(*) from hkg_complete('g', null, 5, 'later', 0)}), qr/^08\w+: .*$lost/, 'and a list of missing facts');
is(run($rated->(q{rules_of => 'mined', model => 'again'})), 'again', 'a training that rates rules here goes on');
like(error_of('set hybridkg.slice_seconds = 0; ' . $rated->(q{rules_of => 'mined', model => 'again'})), qr/^08\w+: .*$lost/, 'and one that rates them there fails');
like(error_of(q{update g.evidence_weight set weight = weight where model = 'later'; select _hkg_send_model('g', 'later')}), qr/^08\w+: .*$lost/, 'and sending a model');
like(error_of(q{select * from hkg_distribute_graph('alone')}), qr/^08\w+: .*$lost/, 'and distributing a graph');
is(run($of->('g')), run($of->('l')), 'but not on the coordinator');
is(run('select hkg_train(' . arguments($part->('g', 'v', q{score_function => 'rotate', top_rules => 0}) =~ s/top_rules => 20, //r) . ')'), 'v', 'and a training that ranks it here goes on');
is(run($predict), $answer, 'predictions go on');
like(error_of(q{select * from hkg_load('g', $$values ('a', 'b', 'c')$$)}), qr/^08\w+/, 'a load fails');
is(run(q{select count(*) from g.entity where name in ('a', 'c')}), '0', 'and leaves nothing');
$node[2]->start;
is(run(q{select count(*) from hkg_mine_rules('g')}), $whole, 'the worker is back');
run(qq{select hkg_drop_graph('$_')}) foreach qw(rated alone);

make_graph($node[0], 'big', 2000, 60000, 0.1);
run(q{select * from hkg_distribute_graph('big')});
run(q{select hkg_train('big', 'rotate', dimensions => 64, iterations => 1, epochs => 1, model => 'm', seed => 3, top_rules => 0, evidence_rules => 0, settings => jsonb_build_object('negatives', 2, 'holdout', 0))});
my %long = (
	count => q{select hkg_train('big', 'rotate', dimensions => 4, iterations => 1, epochs => 1, evidence_rules => 0, model => 'long', settings => jsonb_build_object('negatives', 1, 'max_rule_length', 4, 'min_head_coverage', 0, 'min_support', 1000))},
	search => q{select count(*) from hkg_mine_rules('big', max_rule_length => 4, min_head_coverage => 0, min_support => 1, constants => true)},
	rank => q{set hybridkg.slice_seconds = 0; select count(*) from hkg_ranks('big', 'train', 'm', 0, 'embedding')},
	complete => q{set hybridkg.slice_seconds = 0; select count(*) from hkg_complete('big', null, 100000, 'm', 0, 'embedding')},
	train => q{select hkg_train('big', dimensions => 400, epochs => 100, top_rules => 0, model => 'long', settings => jsonb_build_object('negatives', 512, 'partitions', 4))},
	valid => q{set hybridkg.slice_seconds = 0; select hkg_train('big', 'rotate', dimensions => 1000, iterations => 50, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'long', settings => jsonb_build_object('negatives', 1))},
	rate => q{set hybridkg.slice_seconds = 0; select hkg_train('big', 'rotate', dimensions => 400, iterations => 50, epochs => 1, omega => 0.5, evidence_rules => 0, model => 'long', settings => jsonb_build_object('negatives', 1, 'min_quality', 0, 'min_support', 2, 'holdout', 0, 'hybrid', 'none'))});
# what hkg_progress has of those that train, meanwhile
my %phase = (count => 'mining', train => 'training', valid => 'evaluating', rate => 'inferring');
my $watch = $node[1]->background_psql('postgres');
my $cancel = $node[0]->background_psql('postgres');
foreach my $what (sort keys %long)
{
	my $working = qq{from pg_stat_activity where state = 'active' and query like '%hkg_${what}_slice(%' and pid <> pg_backend_pid()};
	my $running = "select exists (select $working)";
	my $caller = session($node[0], $what, $long{$what});
	my $pid = wait_for_session($node[0], $caller);

	ok($node[0]->poll_query_until('postgres', "select exists (select from hkg_progress where pid = $pid and (phase, nodes) = ('$phase{$what}', 2))"), "hkg_progress has the nodes: $what")
		if $phase{$what};
	$node[1]->poll_query_until('postgres', $running) or die "no worker does $what";
	my $worker = $watch->query_safe("select min(pid) $working");
	$cancel->query_safe("select pg_cancel_backend($pid)");
	cmp_ok(lateness(watch($worker, sub { return $watch->query_safe($running) eq 'f' })), '<', 1, "cancelled: $what ends on a worker within a second");
	ok(!finish($caller), 'and on the coordinator');
	like($caller->{err}, qr/57014/, 'as such');
	ok($_->poll_query_until('postgres', $running, 'f'), 'and nothing runs on a worker') foreach @node[1, 2];
}
$_->quit foreach $watch, $cancel;
run(q{select hkg_drop_graph('big')});

# ---- sessions ----

run(q{select * from hkg_undistribute_graph('g'); select hkg_drop_graph('g')});
run(cities());
run(q{select hkg_distribute_graph('g')});
my $asking = $node[0]->background_psql('postgres');
my $yes = 't t t';
my $no = 'f f f';
my $inferred = sub { return $asking->query_safe(q{select inferred('ann')}); };
my ($insert, $delete) = @{[ q{insert into g.triple select e.id, r.id, c.id from g.entity e, g.relation r, g.entity c where (e.name, r.name, c.name) = ('ann', 'lives', 'rome')},
	q{delete from g.triple f using g.entity e, g.entity c where f.head = e.id and f.tail = c.id and (e.name, c.name) = ('ann', 'rome')} ]};

is($inferred->(), $no, 'ann does not live in rome');
foreach my $writer (0, 1)
{
	my $by = $writer == 0 ? 'on the coordinator' : 'on a worker';

	$node[$writer]->safe_psql('postgres', $insert);
	is($inferred->(), $yes, "a fact that is inserted $by counts at once");
	$node[$writer]->safe_psql('postgres', $delete);
	is($inferred->(), $no, "and one that is deleted $by does not");
}
run(q{select hkg_load('g', $$values ('ann', 'lives', 'rome')$$)});
is($inferred->(), $yes, 'hkg_load');
run(q{create table kept as select * from g.triple; truncate g.triple});
is($inferred->(), $no, 'truncate');
run(q{insert into g.triple select * from kept});
is($inferred->(), $yes, 'all of them come back');
run($delete);
is($inferred->(), $no, 'and without this one');
is($asking->query_safe(qq{begin; $insert; select inferred('ann')}), $yes, 'its own fact, before it commits');
is(run(q{select inferred('ann')}), $no, 'which others do not have');
is($asking->query_safe(q{rollback; select inferred('ann')}), $no, 'and is gone with it');
is($asking->query_safe(qq{begin; set local citus.enable_local_execution = off; $insert; select inferred('ann')}), $yes, 'written by another connection');
is($asking->query_safe(qq{$delete; select inferred('ann')}), $no, 'and deleted');
is($asking->query_safe(qq{$insert; select inferred('ann')}), $yes, 'and inserted');
is($asking->query_safe(q{rollback; select inferred('ann')}), $no, 'and rolled back');
run(qq{begin; set local citus.enable_local_execution = off; $insert; commit});
is($inferred->(), $yes, 'and committed, for others');
run(qq{begin; set local citus.enable_local_execution = off; $delete; commit});
is($inferred->(), $no, 'and back');
$asking->quit;

# ---- refusals ----

like(error_of(q{select * from hkg_predict_tails('g', 'ann', 'lives', 3, 'm')}, $node[1]), qr/^55000: this server has only a copy of the facts/, 'a worker has no models');
like(error_of(q{select hkg_distribute_graph('g')}, $node[1]), qr/^55000: this server has only a copy of the facts/, 'and distributes nothing');
run(q{select hkg_create_graph('s'); select hkg_load('s', $$values ('a', 'r', 'b')$$);
	alter table s.triple drop constraint triple_head_fkey, drop constraint triple_tail_fkey, drop constraint triple_relation_fkey;
	set citus.enable_unsafe_triggers = on; set citus.shard_replication_factor = 1; select create_distributed_table('s.triple', 'head')});
foreach my $call (q{hkg_load('s', $$values ('a', 'r', 'c')$$)}, q{hkg_train('s')}, q{hkg_mine_rules('s')}, q{hkg_predict_tails('s', 'a', 'r', 3)}, q{hkg_distribute_graph('s')})
{
	like(error_of("select * from $call"), qr/^0A000: table s\.triple is not whole on each node/, "$call: a sharded table is refused");
}
run('set citus.enable_unsafe_triggers = on; ' . (hint_of(q{select * from hkg_apply_rule('s', 'r(X,Y) <= r(Y,X)')}) =~ /(select undistribute_table\(.*?\));/)[0]);
is(run(q{select count(*) from hkg_apply_rule('s', 'r(X,Y) <= r(Y,X)')}), '1', 'the way out works');
is(run(q{select count(*) from hkg_distribute_graph('s')}), '4', 'and the graph can be distributed');

# ---- names that need quotes, and a graph without facts ----

my $odd = q{'My "odd" Graph'};
run(qq{select hkg_create_graph($odd)});
is(run(qq{select count(*) from hkg_distribute_graph($odd)}), '4', 'a graph of any name, without facts');
is(run(qq{select count(*) from hkg_mine_rules($odd)}), '0', 'and without rules');
run(qq{select * from hkg_load($odd, \$\$select 'a"' || i, 'it''s "r" ' || i % 2, 'b' || i * 3 % 50 from generate_series(1, 400) i\$\$)});
run(qq{select hkg_train(@{[ arguments(qq{$odd, 'rotate', dimensions => 4, iterations => 1, epochs => 1, negatives => 2, partitions => 4}) ]})});
is(run(qq{set hybridkg.slice_seconds = 0; select count(*) from hkg_ranks($odd, 'train')}), '400', 'it is loaded, trained and ranked there');
is(run(qq{select count(*) from hkg_undistribute_graph($odd)}), '4', 'and taken back');
run(qq{select hkg_drop_graph($odd)});

# ---- a dump ----

my $file = PostgreSQL::Test::Utils::tempdir() . '/g.sql';
$node[0]->command_ok([ 'pg_dump', '-n', 'g', '-f', $file, $node[0]->connstr('postgres') ], 'a dump of a distributed graph');
my $alone = PostgreSQL::Test::Cluster->new('alone');
$alone->init;
$alone->start;
$alone->safe_psql('postgres', 'create extension hybridkg');
$alone->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $file, $alone->connstr('postgres') ], 'is restored on a server without Citus');
is($alone->safe_psql('postgres', 'select count(*) from g.triple'), run('select count(*) from g.triple'), 'with all facts');
$alone->safe_psql('postgres', q{select hkg_undistribute_graph('g')});
like($alone->safe_psql('postgres', $keys), qr/entity_embedding_entity_fkey/, 'and gets its keys by hkg_undistribute_graph');
is($alone->safe_psql('postgres', q{select added from hkg_load('g', $$values ('eve', 'lives', 'rome')$$)}), '1', 'and goes on there');
$alone->stop;

# ---- taken back ----

run(q{select hkg_drop_graph('g'); drop table kept});
make_graph($node[0], 'g', 60, 500);
run(q{grant select on g.entity, g.relation, g.triple to public});
run(q{select hkg_distribute_graph('g')});
is(run(q{select string_agg(returned, ' ') from hkg_undistribute_graph('g')}), 'rejected holdout triple relation entity', 'taken back');
is(run(q{select count(*) from hkg_undistribute_graph('g')}), '0', 'and again: nothing to do');
my @after = map { run($_) } $comments, $keys, $rights, $columns;
is($after[0], $before[0], 'comments');
is($after[1], $before[1], 'keys');
is($after[2], $before[2], 'rights');
is($after[3], $before[3], 'columns');
is(run(q{select added from hkg_load('g', $$values ('eve', 'r1', 'e1')$$)}), '1', 'a load goes on with the ids');
is(run(q{select to_regclass('g.key') is null and to_regclass('g.slice') is null}), 't', 'nothing is left');

$_->stop foreach reverse @node;
done_testing();
