# A model that is trained again and again takes the room of the one before the last: without autovacuum, its tables stay
# at two copies.  A row of 200 numbers fills a page with eight others, of 400 with three others, and 600 are stored
# apart.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('space', 'autovacuum = off');

make_graph($node, 'g', 2000, 6000);
foreach my $dimensions (100, 200, 300)
{
	my $train = qq{select hkg_train(@{[ arguments(qq{'g', 'complex', dimensions => $dimensions, iterations => 1, epochs => 1, negatives => 1, holdout => 0,
		top_rules => 0, evidence_rules => 0}) ]})};
	my $sizes = q{select pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) from pg_class where oid in ('g.entity_embedding'::regclass)
		union all select pg_relation_size('g.entity_embedding_pkey')};

	$node->safe_psql('postgres', "delete from g.model; vacuum g.entity_embedding; $train");
	my @copy = split /\n/, $node->safe_psql('postgres', $sizes);
	$node->safe_psql('postgres', $train) for 1 .. 5;
	my @after = split /\n/, $node->safe_psql('postgres', $sizes);
	cmp_ok($after[0], '>', 1.5 * $copy[0], "$dimensions dimensions: the last model is there beside the new one");
	cmp_ok($after[0], '<', 2.3 * $copy[0], 'and none of those before');
	cmp_ok($after[1], '<', 3.5 * $copy[1], 'nor many of their index entries');
}

# rows that somebody can still see stay
my $reader = $node->background_psql('postgres');
my $sum = q{select count(*), sum(embedding[1]::float8) from g.entity_embedding};
my $before = $reader->query_safe("begin isolation level repeatable read; $sum");
$node->safe_psql('postgres', q{select hkg_train('g', 'distmult', dimensions => 100, iterations => 1, epochs => 1, top_rules => 0, settings => jsonb_build_object('negatives', 1))}) for 1 .. 3;
is($reader->query_safe($sum), $before, 'an old snapshot shows the model of its time');
$reader->query_safe('commit');
isnt($reader->query_safe($sum), $before, 'which others have replaced');
$reader->quit;

done_testing();
