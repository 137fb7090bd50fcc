# The table of `make coverage`: coverage.pl CHECKOUT MISSED
#
# A file of src may have been compiled twice, for the server and for the unit tests: a line, or a branch, is reached if it is
# so in one of the two.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Find;
use JSON::PP;

my ($checkout, $missed) = @ARGV;
my (@counts, %lines, %branches, %functions, %text);

find({ no_chdir => 1, wanted => sub { push @counts, $_ if /\.gcda$/ } }, $checkout);

# add DATA: what gcov says of one object file
sub add
{
	my ($data) = @_;

	foreach my $file (@{ $data->{files} })
	{
		my ($name) = $file->{file} =~ m{(?:^|/)(src/(?:[a-z]+/)+\w+\.[ch]|src/\w+\.c)$} or next;

		foreach my $line (@{ $file->{lines} })
		{
			my $n = $line->{line_number};
			my $branch = 0;

			$lines{$name}{$n} += $line->{count};
			$branches{$name}{$n}[ $branch++ ] += $_->{count} foreach grep { !$_->{throw} } @{ $line->{branches} };
		}
		$functions{$name}{ $_->{name} } += $_->{execution_count} foreach @{ $file->{functions} };
	}
	return;
}

foreach my $count (@counts)
{
	my ($folder, $base) = $count =~ m{^(.*)/([^/]+)\.gcda$};

	open my $gcov, '-|', 'sh', '-c', 'cd "$1" && gcov --json-format --stdout --branch-probabilities "$2" 2>/dev/null', 'sh', $folder, "$base.gcda"
		or die "gcov: $!";
	while (my $json = <$gcov>)
	{
		add(decode_json($json)) if $json =~ /^\{/;
	}
	close $gcov;
}

# share REACHED ALL: as a table has it
sub share
{
	my ($reached, $all) = @_;

	return sprintf '%5.1f %% of %d', $all ? 100 * $reached / $all : 100, $all;
}

my %sum;
open my $list, '>', $missed or die "$missed: $!";
foreach my $name (sort keys %lines)
{
	my $folder = $name =~ m{^(src/.+)/} ? $1 : 'src';
	my @dark = sort { $a <=> $b } grep { !$lines{$name}{$_} } keys %{ $lines{$name} };
	my @never = sort grep { !$functions{$name}{$_} } keys %{ $functions{$name} || {} };

	foreach my $of ($folder, 'all')
	{
		$sum{$of}{lines} += keys %{ $lines{$name} };
		$sum{$of}{lines_reached} += keys(%{ $lines{$name} }) - @dark;
		$sum{$of}{branches} += map { @$_ } values %{ $branches{$name} || {} };
		$sum{$of}{branches_reached} += grep { $_ } map { @$_ } values %{ $branches{$name} || {} };
	}
	print $list "$name: ", scalar(@dark), " lines; functions: @never; lines: @dark\n" if @dark;
}
close $list;
printf "%-14s %18s %20s\n", 'folder', 'lines', 'branches';
printf "%-14s %18s %20s\n", $_, share(@{ $sum{$_} }{qw(lines_reached lines)}), share(@{ $sum{$_} }{qw(branches_reached branches)})
	foreach (sort grep { $_ ne 'all' } keys %sum), 'all';
print "what was not reached: $missed\n";
