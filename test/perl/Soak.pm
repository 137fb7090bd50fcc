# A campaign: many cases of one promise, drawn at random.  `make test` runs the first few, its short form; `make soak`
# runs slices of the long form, each of which goes on where the last one stopped (test/soak/run).
#
# HYBRIDKG_CASE=N runs case N alone.
package Soak;

use strict;
use warnings;

use Exporter 'import';
use Test::More;
use Time::HiRes qw(time);

our @EXPORT = qw(campaign count highest pick is_long);

my %figures;

# Adds to a figure of the slice; figures of slices are added up.
sub count
{
	my ($figure, $times) = @_;

	$figures{$figure} += $times // 1;
	return;
}

# A figure of which the highest counts; its name begins with max_, which is how slices are put together.
sub highest
{
	my ($figure, $value) = @_;

	$figures{$figure} = $value if !defined $figures{$figure} || $value > $figures{$figure};
	return;
}

# One of a list
sub pick
{
	return $_[ int(rand(@_)) ];
}

# Whether this is a slice of a long form
sub is_long
{
	return defined $ENV{HYBRIDKG_SOAK};
}

# The first case, the last one, and when to stop; none when the slice is one of another campaign
sub range
{
	my ($name, $short, $long) = @_;

	return ($ENV{HYBRIDKG_CASE}, $ENV{HYBRIDKG_CASE}, 'inf') if defined $ENV{HYBRIDKG_CASE};
	return (1, $short, 'inf') if !is_long();
	my ($campaign, $done, $seconds) = split / /, $ENV{HYBRIDKG_SOAK};
	return $campaign eq $name ? ($done + 1, $long, time() + $seconds) : (1, 0, 0);
}

# Runs the cases: `short` of them, or a slice of `long`.  A case gets its number, which also seeds the draw, and returns
# what it did, and what was wrong.  Returns the figures.
sub campaign
{
	my ($name, $short, $long, $case) = @_;
	my ($number, $last, $end) = range($name, $short, $long);
	my $started = time();

	%figures = (cases => 0, faults => 0);
	for (; $number <= $last && time() < $end; $number++)
	{
		srand($number);
		my ($what, @wrong) = $case->($number);

		is(join("\n", @wrong), '', "$name $number: $what");
		count('cases');
		count('faults') if @wrong > 0;
	}
	$figures{seconds} = int(time() - $started);
	diag(join ' ', "slice $name", map { "$_=$figures{$_}" } sort keys %figures);
	return {%figures};
}

1;
