# The form of the documents: lines of at most 120 characters, complete contents lists, links that lead somewhere,
# no words that let things act like people, and figures of the paper that agree (bench/paper/check).

use strict;
use warnings;

use Test::More;

my @documents = (qw(README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md), glob 'doc/*.md');
my $width = 120;
my $acting = qr/\b(hear[sd]?|heard|hearing|speaks?|spoken|voices?|says?|tells?|meets?|breathes?|newcomers?|skeletons?)\b/i;
my %lines;

foreach my $file (@documents)
{
	open my $handle, '<:encoding(UTF-8)', $file or die "$file: $!";
	$lines{$file} = [ map { s/\n//r } <$handle> ];
	close $handle;
}

# The lines outside blocks of code, as [ number, text ]
sub prose
{
	my ($file) = @_;
	my $in_block = 0;
	my @prose;

	foreach my $number (1 .. @{ $lines{$file} })
	{
		my $line = $lines{$file}[ $number - 1 ];

		if ($line =~ /^\s*```/)
		{
			$in_block = !$in_block;
			next;
		}
		push @prose, [ $number, $line ] if !$in_block;
	}
	return @prose;
}

# How a heading is linked to
sub anchor
{
	my ($heading) = @_;

	return lc($heading) =~ s/[^\w\s-]//gr =~ s/ /-/gr;
}

# A file named by its path, or by the end of it; NAME and NEW stand for any name
sub exists_somewhere
{
	my ($name) = @_;
	my @rooms = glob "src/*/$name";

	return $name =~ /NAME|NEW/ || -e $name || -e "src/$name" || @rooms > 0;
}

sub headings
{
	my ($file, $level) = @_;

	return map { $_->[1] =~ /^$level (.*)/ ? $1 : () } prose($file);
}

cmp_ok(scalar @{ $lines{'README.md'} }, '<=', 150, 'README.md has at most 150 lines');
is(join(' ', grep { length $lines{'README.md'}[ $_ - 1 ] > $width } 1 .. @{ $lines{'README.md'} }), '',
	"all lines of README.md have at most $width characters");

foreach my $file (@documents)
{
	my @prose = prose($file);
	my %anchor = map { anchor($_) => 1 } headings($file, '#+');

	is(join(' ', map { $_->[0] } grep { length $_->[1] > $width && $_->[1] !~ /^\s*\|/ } @prose), '', "lines of prose in $file: which are too long");
	is(join(' ', map { $_->[1] =~ $acting ? "$_->[0]:$1" : () } grep { $_->[1] !~ /^#/ } @prose), '', "words in $file");

	# links inside the document, to files, and to headings of other documents
	my @broken;
	foreach my $link (join("\n", map { $_->[1] } @prose) =~ /\]\(([^)\s]+)\)/g)
	{
		next if $link =~ /^https?:/;
		my ($path, $heading) = split /#/, $link, 2;
		my $folder = $file =~ m{^(.*/)} ? $1 : '';
		my $target = $path eq '' ? $file : ($folder . $path) =~ s{[^/]+/\.\./}{}r;

		push @broken, $link
		  if !-e $target || (defined $heading && !grep { anchor($_) eq $heading } map { headings($_, '#+') } grep { $lines{$_} } $target);
	}
	is(join(' ', @broken), '', "links of $file lead somewhere");
	is(join(' ', grep { !exists_somewhere($_) } join("\n", map { $_->[1] } @prose) =~ /`([\w\/]+\.[ch]|test\/[\w\/.]+|bench\/\w+)\b/g), '',
		"files that $file names are there");
}

# a contents list has every heading of level 2, and in the reference of level 3
foreach my $file (glob 'doc/*.md')
{
	my @levels = $file eq 'doc/reference.md' ? ('##', '###') : ('##');
	my ($contents) = join("\n", @{ $lines{$file} }) =~ /\A(.*?)^## /ms;

	is(join(', ', grep { index($contents, '(#' . anchor($_) . ')') < 0 } map { headings($file, $_) } @levels), '', "contents of $file: what is missing");
}

# the paper's figures, the tables measured, and the names of arms
my $report = qx{bench/paper/check 2>&1};
is($?, 0, 'make paper-check') or diag($report);
done_testing();
