# The corpus of the fuzzer, once each: what it found is answered or refused, and leaves the server up.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('fuzz');
$node->init;
$node->append_conf('postgresql.conf', 'hybridkg.progress = off');
$node->start;
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-f', 'test/fuzz/targets.sql', '-d', $node->connstr('postgres') ],
	'the targets are made');

# what a target makes of a file: nothing, or the SQLSTATE of its error; it is cancelled after a second, as by fuzz.c
$node->safe_psql('postgres', q{
	create function fuzz.fate(target text, input bytea) returns text language plpgsql as $$
	begin
		execute format('select fuzz.%I($1)', target) using input;
		raise exception using errcode = 'FUZZ0';
	exception when others or query_canceled or assert_failure then
		return sqlstate;
	end
	$$});
my @targets = map { m{([^/]+)$} } glob 'test/fuzz/corpus/*';
cmp_ok(scalar @targets, '==', 9, 'a corpus for each target');
foreach my $target (@targets)
{
	my @calls = map { my $bytes = unpack 'H*', slurp_file($_); qq{select fuzz.fate('$target', '\\x$bytes') || ' $_'} }
	  glob "test/fuzz/corpus/$target/*";
	my @fates = split /\n/, $node->safe_psql('postgres', join ';', 'set statement_timeout = 1000', @calls);

	is(scalar @fates, scalar @calls, "$target: every file is answered");
	is(join("\n", grep { /^(XX|P0004|42883|42P01)/ } @fates), '', "$target: none by an internal error, a failed assertion or a lack of the target");
	ok(scalar(grep { /^FUZZ0/ } @fates), "$target: some are answered") if $target ne 'rdf';
}

# with a checksum that is right: the best iteration, bytes 16 to 19 of the header, was not among those that were done
is($node->safe_psql('postgres', q{
	select fuzz.fate('checkpoint', set_byte('\x00001000000000', 0, place::int)) from fuzz.checkpoint where part = 'header';
	select fuzz.fate('checkpoint', set_byte('\x000010ffffff7f', 0, place::int)) from fuzz.checkpoint where part = 'header'}),
	"FUZZ0\n22000", 'a best iteration that was not done is refused');

done_testing();
