# A graph is a schema: pg_dump -n takes all of it, and it lives on elsewhere.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('dump');
my $file = PostgreSQL::Test::Utils::tempdir . '/graph.sql';

make_graph($node, 'g', 300, 3000);
$node->safe_psql('postgres', q{select hkg_train('g', 'complex', dimensions => 8, iterations => 2, epochs => 3)});
my $questions = q{
	select * from hkg_predict_tails('g', 'e1', 'r1');
	select * from hkg_evaluate('g', 'valid');
	select * from hkg_explain('g', 'e1', 'r2', 'e2')};
my $tables = tables($node, 'g');
my $answers = $node->safe_psql('postgres', $questions);

command_ok([ 'pg_dump', '-n', 'g', '-f', $file, '-d', $node->connstr('postgres') ], 'pg_dump of a graph');

$node->safe_psql('postgres', 'create database elsewhere');
$node->safe_psql('elsewhere', 'create extension hybridkg');
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $file, '-d', $node->connstr('elsewhere') ], 'it is restored');
is(tables($node, 'g', 'elsewhere'), $tables, 'with every row');
is($node->safe_psql('elsewhere', $questions), $answers, 'and gives the same answers');
my $triggers = q{select string_agg(concat_ws(' ', tgrelid::regclass, tgname, tgenabled), ',' order by tgrelid::regclass::text, tgname) from pg_trigger where not tgisinternal};
is($node->safe_psql('elsewhere', $triggers), $node->safe_psql('postgres', $triggers), 'with triggers of each kind');
is($node->safe_psql('elsewhere', q{select added, entities from hkg_load('g', $$values ('somebody', 'r1', 'e1')$$)}), '1|1',
	'facts can be added, ids go on');
is($node->safe_psql('elsewhere', q{select hkg_train('g', 'complex', dimensions => 8, iterations => 2, epochs => 3)}),
	'default', 'and it can be trained');

# where the extension is not, a graph is tables like others
$node->safe_psql('postgres', 'create database without');
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $file, '-d', $node->connstr('without') ], 'it is restored without the extension');
is($node->safe_psql('without', 'delete from g.triple; select count(*) from g.triple'), '0', 'and its facts can be changed');

# the whole database, extension and all
$node->safe_psql('postgres', 'create database whole');
command_ok([ 'pg_dump', '-f', $file, '-d', $node->connstr('postgres') ], 'pg_dump of the database');
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $file, '-d', $node->connstr('whole') ], 'it is restored');
is($node->safe_psql('whole', $questions), $answers, 'and gives the same answers');

# the extension can go and come back, the graph stays
$node->safe_psql('postgres', 'drop extension hybridkg cascade; create extension hybridkg');
is(tables($node, 'g'), $tables, 'dropping the extension leaves the graph');
is($node->safe_psql('postgres', $questions), $answers, 'which is there for the next one');
is($node->safe_psql('postgres', q{
	select hkg_score('g', 'e1', 'r1', 'e2', evidence => 'embedding') = 0;
	update g.entity_embedding set embedding = array_fill(0::real, '{16}');
	select hkg_score('g', 'e1', 'r1', 'e2', evidence => 'embedding')}), "f\n0", 'and tells its sessions when an embedding changes');

done_testing();
