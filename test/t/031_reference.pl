# doc/reference.md is what doc/reference.pl writes from the catalogue, and every function has a place in it.
# What other documents name exists.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('reference');

# The rows of a query, as lists of fields
sub rows
{
	my ($query) = @_;

	return map { [ split /\|/, $_, -1 ] } split /\n/, $node->safe_psql('postgres', $query);
}

sub slurp
{
	my ($file) = @_;

	open my $handle, '<:encoding(UTF-8)', $file or die "$file: $!";
	local $/;
	return <$handle>;
}

# ---- the reference --------------------------------------------------------------

my $written = $node->basedir . '/reference.md';
{
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres');

	is(system("perl doc/reference.pl >$written"), 0, 'doc/reference.pl runs');
}
is(qx{diff doc/reference.md $written}, '', 'doc/reference.md is what doc/reference.pl writes');
unlike(slurp($written), qr/^## Other functions/m, 'every function is in a section of doc/reference.pl');

# ---- what other documents name -----------------------------------------------------------

my $functions = q{pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
	join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid and e.extname = 'hybridkg'};
my %function = map { $_->[0] => 1 } rows("select distinct proname from $functions"), ['hkg_progress'], ['hkg_stat'], ['hkg_cache'];
my %argument = map { $_->[0] => 1 } rows("select distinct a from $functions, unnest(proargnames) a");

# those of the other extension, which need not be built
foreach my $script (glob 'rdf/*.sql')
{
	my $text = slurp($script);

	while ($text =~ /^create function (\w+)\(([^)]*)\)/mg)
	{
		$function{$1} = 1;
		$argument{$_} = 1 foreach map { /(\w+)/ } split /,/, $2;
	}
}

# CHANGELOG.md may also name what an update drops
my %dropped = map { $_ => 1 } map { slurp($_) =~ /^(?:drop|alter) function (\w+)/mg } glob 'sql/from-*.sql';

foreach my $file (qw(README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md), glob 'doc/*.md')
{
	my $document = slurp($file);

	is(join(' ', grep { !$function{$_} && !/^_hkg_layout_/ && !($file eq 'CHANGELOG.md' && $dropped{$_}) } $document =~ /\b(hkg_\w+)\b(?!\*|\.[ch])/g), '', "functions in $file exist");
	is(join(' ', grep { !$argument{$_} } $document =~ /\b(\w+) => /g), '', "arguments in $file exist");
}
$node->stop('fast');
done_testing();
