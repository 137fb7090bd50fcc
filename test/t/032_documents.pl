# The form of the documents: lines of at most 120 characters, complete contents lists, links that lead somewhere,
# no words that let things act like people, and figures of the paper that agree (bench/paper/check).

use strict;
use warnings;

use File::Temp qw(tempdir);
use Test::More;

my @documents = (qw(README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md bench/RESULTS.md), glob 'doc/*.md');
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
	my @rooms = (glob("src/*/$name"), glob("src/*/*/$name"));

	return $name =~ /NAME|NEW/ || -e $name || -e "src/$name" || @rooms > 0;
}

sub headings
{
	my ($file, $level) = @_;

	return map { $_->[1] =~ /^$level (.*)/ ? $1 : () } prose($file);
}

cmp_ok(scalar @{ $lines{'README.md'} }, '<=', 120, 'README.md has at most 120 lines');
is(join(' ', grep { length $lines{'README.md'}[ $_ - 1 ] > $width } 1 .. @{ $lines{'README.md'} }), '',
	"all lines of README.md have at most $width characters");

foreach my $file (@documents)
{
	my @prose = prose($file);
	my %anchor = map { anchor($_) => 1 } headings($file, '#+');

	is(join(' ', map { $_->[0] } grep { length $_->[1] > $width && $_->[1] !~ /^\s*\|/ } @prose), '', "lines of prose in $file: which are too long");
	is(join(' ', map { $_->[0] } grep { $_->[1] =~ /\| -{3}/ && $_->[1] !~ /^\s*\|(?: :?-+:? \|)+$/ } @prose), '', "tables of $file: each row is a line");
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
	is(join(' ', grep { !exists_somewhere($_) } join("\n", map { $_->[1] } @prose) =~ /`([\w\/]+\.[ch]|test\/[\w\/.]+|bench\/[\w\/.-]*\w)\b/g), '',
		"files that $file names are there");
}

# words, as one reads them aloud: what has a letter or a digit
my $words = grep { /\w/ } map { split } map { @{ $lines{$_} } } grep { !/^bench/ } @documents;
cmp_ok($words, '<=', 25000, "all documents have at most 25000 words");

# a contents list has every heading of level 2, and in the reference of level 3
foreach my $file (glob 'doc/*.md')
{
	my @levels = $file eq 'doc/reference.md' ? ('##', '###') : ('##');
	my ($contents) = join("\n", @{ $lines{$file} }) =~ /\A(.*?)^## /ms;

	is(join(', ', grep { index($contents, '(#' . anchor($_) . ')') < 0 } map { headings($file, $_) } @levels), '', "contents of $file: what is missing");
}

# The paper's figures, the tables measured, and the names of arms: they agree, and a fault in any of them is found
my $report = qx{bench/paper/check 2>&1};
is($?, 0, 'make paper-check') or diag($report);

my $copy = tempdir(CLEANUP => 1);
foreach my $fault (
	[ 'a figure', 'bench/paper/figures.tsv', q{s/^(link prediction\tFB15k-237\ttranse\tMRR\t.*)0\.2865/${1}0.2875/} ],
	[ 'a published figure', 'bench/paper/figures.tsv', q{s/^(link prediction\tFB15k-237\trotate\tMRR\t)0\.338/${1}0.339/} ],
	[ 'a cell that is left out', 'bench/paper/figures.tsv', q{s/^link prediction\tYAGO3-10\truge\tHits\@3\t.*\n//} ],
	[ 'an arm of the table', 'bench/paper/results/arms.tsv', q{s/\ttranse\tloop\t/\ttranse\tpaper\t/} ],
	[ 'a cell too few', 'bench/paper/results/precision.tsv', q{s/\t703$//} ],
	[ 'a claim', 'bench/RESULTS.md', q{s/^(\| WN18RR, RotatE \|.*)0\.410/${1}0.411/} ],
	[ 'a setting of arm paper', 'bench/paper/common', q{s/paper\.paths=false/paper.paths=false paper.epochs=4/} ],
	[ 'the test of an example', 'test/unit/test_score.c', q{s/ - 0\.26\)/ - 0.27)/} ],
	[ 'a word of a script', 'bench/paper/link', q{s/ longer\.iterations=6/ paper.loss=softmax/} ],
	[ 'the preset', 'sql/hybridkg--0.2.0.sql', q{s/"negatives": 256, "negative_sampling": "uniform",$/"negatives": 64, "negative_sampling": "uniform",/} ])
{
	my ($name, $file, $change) = @$fault;
	system "rm -rf $copy/*; mkdir -p $copy/bench $copy/sql $copy/test/unit; cp -r bench/paper bench/common bench/RESULTS.md $copy/bench; cp sql/hybridkg--0.2.0.sql $copy/sql; cp test/unit/test_score.c $copy/test/unit";
	system 'perl', '-i', '-pe', $change, "$copy/$file";
	is(system("cmp -s $file $copy/$file") >> 8, 1, "$name is changed");
	$report = qx{$copy/bench/paper/check 2>&1};
	is($? >> 8, 1, "paper-check finds the change of $name");
}
done_testing();
