# Every block of the cookbook, of the operations page and of README's session runs, and prints what it says.

use strict;
use warnings;

use lib 'test/perl';
use Document;
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('cookbook');
my $library = `pg_config --pkglibdir`;
chomp $library;

if (-e "$library/pg_cron.so")
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'\ncron.database_name = 'postgres'\n");
	$node->restart;
	$node->safe_psql('postgres', 'create extension pg_cron');
}
run_document($node, 'postgres', 'doc/cookbook.md');
run_document($node, 'postgres', 'doc/operations.md');
$node->safe_psql('postgres', 'create database session');
run_document($node, 'session', 'README.md');

# a graph whose foreign keys and indexes were made after its first load is like any other
$node->safe_psql('postgres', q{select hkg_create_graph('archive');
	select from hkg_load('archive', 'select i, ''before'', i + 1 from generate_series(1, 10000) i')});
my $made = q{select string_agg(line, E'\n' order by line) from (
	select pg_get_indexdef(indexrelid) as line from pg_index where indrelid = 'GRAPH.triple'::regclass
	union all select conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated from pg_constraint where conrelid = 'GRAPH.triple'::regclass) l};
my ($usual, $afterwards) = map { $node->safe_psql('postgres', $made =~ s/GRAPH/$_/gr) =~ s/\b$_\./GRAPH./gr } qw(shop archive);
like($usual, qr/FOREIGN KEY \(tail\)/, 'a graph has foreign keys');
is($afterwards, $usual, 'and so has one that got them after its first load');

# what pgvector's index finds is what we find by looking at all
SKIP:
{
	skip 'no pgvector', 2 if $node->safe_psql('postgres', q{select count(*) from pg_extension where extname = 'vector'}) eq '0';
	my $nearest = q{
		select entity from shop.entity_embedding where model = 'default' order by embedding::vector(400) <=>
			(select embedding::vector(400) from shop.entity_embedding w join shop.entity p on p.id = w.entity
				where w.model = 'default' and p.name = 'product 7') limit 6};

	like($node->safe_psql('postgres', "set enable_seqscan = off; explain $nearest"),
		qr/Index Scan using entity_embedding_hnsw/, 'the index is used');
	is($node->safe_psql('postgres', "set enable_seqscan = off; set hnsw.ef_search = 1000; select e.name from ($nearest) n join shop.entity e on e.id = n.entity
			where e.name <> 'product 7' order by 1"),
		$node->safe_psql('postgres', q{select entity from hkg_neighbors('shop', 'product 7', 5) order by 1}),
		'and finds the neighbours that hkg_neighbors finds');
}
$node->stop('fast');
done_testing();
