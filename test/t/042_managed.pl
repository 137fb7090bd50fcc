# demo/managed: a server without extensions, whose tables a small one with hybridkg subscribes to, learns from, and writes
# predictions back to.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($managed, $small) = map { PostgreSQL::Test::Cluster->new($_) } qw(managed small);
foreach my $node ($managed, $small)
{
	$node->init(allows_streaming => 'logical');
	$node->start;
}

sub script
{
	my ($node, $name, @variables) = @_;

	command_ok([ 'psql', '-Xq', '-d', $node->connstr('postgres'), (map { ('-v', $_) } @variables), '-f', "demo/managed/$name" ], $name);
	return;
}

# the cookbook's tables, and nothing else of the cookbook
my ($tables) = slurp_file('doc/cookbook.md') =~ /^## The tables\n.*?^```sql\n(.*?)^```/ms;
ok($tables =~ s/^create extension .*;\n//, 'the tables of the cookbook');
$managed->safe_psql('postgres', $tables);
$managed->safe_psql('postgres', q{create role predictor login replication password 'secret'});
script($managed, 'managed.sql', 'role=predictor');

my @copied = map { ('-t', $_) } qw(supplier product customer purchase delivery goes_with);
my $dump = PostgreSQL::Test::Utils::tempdir . '/tables.sql';
command_ok([ 'pg_dump', '--schema-only', '--no-owner', '--no-privileges', '--no-publications', '-f', $dump, @copied, $managed->connstr('postgres') ],
	'definitions of tables');
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $small->connstr('postgres'), '-f', $dump ], 'empty tables');
script($small, 'small.sql', 'host=' . $managed->host, 'port=' . $managed->port, 'dbname=postgres', 'role=predictor', 'password=secret');
script($small, 'nightly.sql');

is($managed->safe_psql('postgres', q{select string_agg(extname, ' ') from pg_extension}), 'plpgsql', 'the managed server has no extension');
my $empty = $managed->safe_psql('postgres', 'select count(*) from product where category is null');
cmp_ok($empty, '>', 30, 'it has empty cells');
is($managed->safe_psql('postgres', 'select count(*) from prediction p join product on id = p.product where product.category is null and p.category is not null'),
	$empty, 'each has a prediction');
cmp_ok($managed->safe_psql('postgres', 'select avg((p.category = t.category)::int) from prediction p join truth t on t.id = p.product'), '>', 0.9,
	'most of them are right');

# the next night: a cell that was filled is predicted no longer, a product that came is
$managed->safe_psql('postgres', q{update product set category = 'tea' where id = (select min(product) from prediction);
	insert into product (id, name, price, supplier) select 241, 'product 241', price, supplier from truth where id = 1});
$managed->wait_for_catchup('shop');
script($small, 'nightly.sql');
is($managed->safe_psql('postgres', 'select count(*), bool_or(p.product = 241) from prediction p join product on id = p.product where product.category is null'),
	"$empty|t", 'the next night');
is($managed->safe_psql('postgres', 'select count(*) from prediction'), $empty, 'and no others');
done_testing();
