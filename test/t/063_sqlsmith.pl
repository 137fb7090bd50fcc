# sqlsmith: random queries over the functions of the extension, on a server with assertions if there is one.  No crash, no
# failed assertion, no internal error.  Long form alone; skipped where sqlsmith (the Debian package) is not installed.

use strict;
use warnings;

use lib 'test/perl';
use Catalogue;
use Graph;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Soak;
use Test::More;

my $queries = 200;	# of a case
my $numbers = 0;

plan(skip_all => 'random queries are run by make soak') if !is_long() && !defined $ENV{HYBRIDKG_CASE};
plan(skip_all => 'there is no sqlsmith') if system('sqlsmith --version >/dev/null 2>&1') != 0;

my $node = start_node('sqlsmith', q{
	hybridkg.threads = 1
	hybridkg.max_memory = '128MB'
	client_min_messages = error
	log_line_prefix = '%e %p '
	log_min_messages = error
});
make_models($node);
$node->safe_psql('postgres', q{
	create role smith login;
	alter role smith set statement_timeout = '3s';
	create schema smith;
	grant all on schema g, smith to smith;
	grant all on all tables in schema g to smith;
	grant all on all sequences in schema g to smith});

# Random queries have random numbers, and hardly a name that a graph knows: so each function has one that makes its names
# from numbers, and a view of its result.
my %from_number = (head => q{'e' || abs(a % 62)}, entity => q{'e' || abs(a % 62)}, tail => q{'e' || abs(c % 62)}, relation => q{'r' || abs(b % 6)});
my %number = (relation => 'abs(b % 6)', k => 'c');

foreach my $function (grep { $_->{name} !~ /hkg_(drop|create|upgrade|facts)|background|tune/ } functions($node))
{
	my %drawn = map { my $of = { text => \%from_number, integer => \%number }->{ $_->{type} } // {}; $of->{ $_->{name} } ? ($_->{name} => $of->{ $_->{name} }) : () }
	  @{ $function->{arguments} };
	my ($usual, $drawn) = (call_of($function), call_of($function, %drawn));
	my $name = "$function->{name}_" . ++$numbers;

	# not of functions that return nothing
	$node->psql('postgres', "create view smith.$name as select * from $usual") if $function->{name} !~ /train\b|learn|load|import|resume|sync/;
	$node->safe_psql('postgres', "create function smith.$name(a int, b int, c int) returns text language sql volatile as " .
		quoted("select string_agg(x::text, ',') from $drawn x")) if $usual ne $drawn;
	$node->safe_psql('postgres', "create function smith.$name() returns text language sql volatile as " . quoted("select string_agg(x::text, ',') from $usual x"))
		if $function->{name} =~ /learn|load|import|precision|sync|split/;
}
$node->safe_psql('postgres', 'grant all on all tables in schema smith to smith');

# Internal errors of the server's own functions, called alone: select unknownin('x'), float8_covar_samp('{}')
my @of_server = (qr/failed to find conversion function from unknown to text$/, qr/float8_\w+: expected \d-element float8 array$/);

campaign('sqlsmith', 1, 10000 / $queries, sub {
	my ($number) = @_;
	my $read = -s $node->logfile;
	my ($out, $err) = ('', '');
	my @wrong;

	my $ended = IPC::Run::run([ 'sqlsmith', '--target=' . $node->connstr('postgres') . ' user=smith', "--seed=$number", "--max-queries=$queries", '--exclude-catalog' ], '>', \$out, '2>', \$err,
		IPC::Run::timeout(600));
	foreach my $line (split /\n/, substr(slurp_file($node->logfile), $read))
	{
		push @wrong, $line if $line =~ /TRAP|PANIC|terminated by signal|^XX\w{3} .*(ERROR|FATAL)/ && !grep { $line =~ $_ } @of_server;
	}
	push @wrong, "sqlsmith failed: $err" if !$ended;
	$node->poll_query_until('postgres', 'select true');
	count('queries', $queries);
	count('errors', scalar(() = substr(slurp_file($node->logfile), $read) =~ /ERROR: /g));
	return ("$queries queries", map { substr($_, 0, 500) } @wrong);
});

done_testing();
