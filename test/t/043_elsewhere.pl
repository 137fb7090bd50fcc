# The extension in a folder of its own, as in an image volume: PostgreSQL 18 finds it by extension_control_path and
# dynamic_library_path.  No file of it comes from the server's folders.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'extension_control_path came with PostgreSQL 18' if `pg_config --version` =~ /^PostgreSQL (\d+)/ && $1 < 18;

my $folder = PostgreSQL::Test::Utils::tempdir;
my ($libraries, $shared) = map { chomp; $_ } `pg_config --pkglibdir --sharedir`;
system "mkdir -p $folder/lib $folder/share/extension; cp $libraries/hybridkg*.so $folder/lib; cp $shared/extension/hybridkg* $folder/share/extension";
append_to_file("$folder/share/extension/hybridkg.control", "comment = 'elsewhere'\n");

my $node = start_node('elsewhere', qq{
extension_control_path = '$folder/share:\$system'
dynamic_library_path = '$folder/lib:\$libdir'
});
sub value { return $node->safe_psql('postgres', $_[0]) }
is(value(q{select description from pg_description where objoid = (select oid from pg_extension where extname = 'hybridkg') and classoid = 'pg_extension'::regclass}),
	'elsewhere', 'its control file');
make_graph($node, 'g', 60, 500);
value(q{select hkg_train_background('g', 'distmult', dimensions => 4, iterations => 1, epochs => 1)});
ok($node->poll_query_until('postgres', q{select count(*) = 1 from g.model where status = 'ready' and trained_at is not null}), 'a background worker trains');
is(value(qq{select count(*) from hkg_project('g');
		select string_agg(distinct path, ' ' order by path) from regexp_matches(pg_read_file('/proc/self/maps'), '\\S+/hybridkg\\w*\\.so', 'g') m (found), unnest(found) path}),
	"60\n$folder/lib/hybridkg.so $folder/lib/hybridkg_algebra.so", 'no library of the server is loaded');
$node->stop('fast');
done_testing();
