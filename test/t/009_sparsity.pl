# The sparse splits of FB15k-237 and WN18RR hold the triples of which either end has a sparsity over 0.995, as
# hkg_sparsity computes it.  They were made elsewhere; the data are not part of the project.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $data = $ENV{HYBRIDKG_DATA} // '../shared/data';
plan skip_all => "no data in $data (HYBRIDKG_DATA)" unless -e "$data/WN18RR-sparse/test.tsv.xz";

my $node = start_node('sparsity');
$node->safe_psql('postgres', 'create table given (graph text, split text, head text, relation text, tail text)');

# a split becomes rows of table given
sub copy
{
	my ($graph, $split) = @_;

	$node->safe_psql('postgres', qq{
		create temp table line (head text, relation text, tail text);
		copy line from program 'xz -dc "$data/$graph/$split.tsv.xz"' (format csv, delimiter E'\\t', quote E'\\b');
		insert into given select '$graph', '$split', * from line});
	return;
}

foreach my $graph ('FB15k-237', 'WN18RR')
{
	copy($graph, $_) foreach qw(train valid test);
	copy("$graph-sparse", $_) foreach qw(valid test);
	$node->safe_psql('postgres', "select hkg_create_graph('$graph')");
	$node->safe_psql('postgres', qq{select hkg_load('$graph', \$\$select head, relation, tail from given
		where (graph, split) = ('$graph', '$_')\$\$, '$_')}) foreach qw(train valid test);
	$node->safe_psql('postgres', qq{create table sparse as select entity from hkg_sparsity('$graph') where sparsity > 0.995});
	foreach my $split (qw(valid test))
	{
		my $computed = qq{select head, relation, tail from given where (graph, split) = ('$graph', '$split')
			and (head in (table sparse) or tail in (table sparse))};
		my $made = qq{select head, relation, tail from given where (graph, split) = ('$graph-sparse', '$split')};

		cmp_ok($node->safe_psql('postgres', "select count(*) from ($made) m"), '>', 0, "$graph-sparse: triples of $split");
		is($node->safe_psql('postgres', "select count(*) from (($computed except $made) union all ($made except $computed)) d"), '0',
			'are the sparse ones');
	}
	$node->safe_psql('postgres', 'drop table sparse');
}
$node->stop('fast');
done_testing();
