# Runs the blocks of a Markdown document, in order, and compares what they print.
#
#	```sql or ```sh		is run (sh: in an empty folder, as the database's user)
#	```text			is what the block before it prints; spaces and lines of dashes
#				may be longer or shorter, each … stands for anything, and a number
#				with decimals may differ by a twentieth of it and 0.02: models
#				depend on the processor's instructions
#	<!-- needs: NAME -->	the next block is skipped where the server has no extension NAME
#	<!-- fails: SQLSTATE -->	the next block ends with that error
#	<!-- wait: CONDITION -->	before the next block
#	<!-- similar -->	of the next output only its heading and the number of its lines
#				are the same on every processor; numbers with decimals, in their
#				order by size, may differ by a fifth of them and 0.1
package Document;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(run_document);

# The document's blocks and remarks: [ kind, line number, text ]
sub parts
{
	my ($file) = @_;
	my @parts;
	my $block;
	my $number = 0;

	open my $handle, '<:encoding(UTF-8)', $file or die "$file: $!";
	while (my $line = <$handle>)
	{
		$number++;
		if ($block)
		{
			$line =~ /^```/ ? (push(@parts, $block), $block = undef) : ($block->[2] .= $line);
		}
		elsif ($line =~ /^```(\w*)/)
		{
			$block = [ $1, $number, '' ];
		}
		elsif ($line =~ /^<!-- (needs|fails|wait|similar)(?:: (.*))? -->/)
		{
			push @parts, [ $1, $number, $2 // 1 ];
		}
	}
	close $handle;
	die "$file: a block has no end" if $block;
	return @parts;
}

# What remains of an output when its width does not matter
sub plain
{
	my ($output) = @_;
	my @lines = map { s/-{3,}/---/gr =~ s/[ \t]+/ /gr =~ s/^ | $//gr } split /\n/, $output;

	return join "\n", grep { $_ ne '' } @lines;
}

my $decimal = qr/\b\d+\.\d+\b/;

# Whether numbers differ by no more than so much, and such a part of them
sub are_close
{
	my ($got, $expected, $least, $part) = @_;

	return @$got == @$expected && !grep { abs($got->[$_] - $expected->[$_]) > $least + $part * abs($expected->[$_]) } 0 .. $#$expected;
}

sub prints
{
	my ($output, $expected, $name) = @_;
	my @expected = plain($expected) =~ /($decimal)/g;
	my @words = split /(\N{U+2026}|$decimal)/, plain($expected), -1;
	my $pattern = join '', map { $_ eq "\N{U+2026}" ? '.*?' : /^$decimal$/ ? "($decimal)" : quotemeta } @words;
	my @got = plain($output) =~ /\A$pattern\z/;

	return ok(@got && (!@expected || are_close(\@got, \@expected, 0.02, 0.05)), $name) || diag('got: ' . plain($output) . "\nexpected: " . plain($expected));
}

# The same heading, as many lines, and numbers like these
sub resembles
{
	my ($output, $expected, $name) = @_;
	my ($got, $due) = map { [ split /\n/, plain($_) ] } $output, $expected;
	my ($numbers, $wanted) = map { [ sort { $a <=> $b } "@$_" =~ /$decimal/g ] } $got, $due;

	return ok($got->[0] eq $due->[0] && @$got == @$due && are_close($numbers, $wanted, 0.1, 0.2), $name)
	  || diag("got: $output\nexpected: $expected");
}

sub run_block
{
	my ($node, $database, $kind, $text, $folder) = @_;
	my ($out, $err) = ('', '');
	my @command =
	  $kind eq 'sh'
	  ? ('sh', '-e', '-c', "cd '$folder'\n$text")
	  : ('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose', '-f', '-');
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => $database);
	utf8::encode($text);
	my $succeeded = IPC::Run::run(\@command, '<', $kind eq 'sh' ? \undef : \$text, '>', \$out, '2>', \$err);

	utf8::decode($out);
	return ($succeeded, $out, $err);
}

sub run_document
{
	my ($node, $database, $file) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir;
	my %remark;
	my $printed;

	foreach my $part (parts($file))
	{
		my ($kind, $number, $text) = @$part;
		my $name = "$file, line $number";

		if ($kind =~ /^(needs|fails|wait|similar)$/)
		{
			$remark{$kind} = $text;
			next;
		}
		if ($kind eq 'text')
		{
			my $is_similar = delete $remark{similar};

			($is_similar ? \&resembles : \&prints)->($printed, $text, "$name: the output") if defined $printed;
		}
		next if $kind !~ /^(sql|sh)$/;
		$printed = undef;
		my %to = %remark;
		%remark = ();
	  SKIP:
		{
			skip "$name: no $to{needs}", 1
			  if $to{needs} && $node->safe_psql($database, "select count(*) from pg_available_extensions where name = '$to{needs}'") eq '0';
			ok($node->poll_query_until($database, "select $to{wait}"), "$name: it comes") if $to{wait};
			my ($succeeded, $out, $err) = run_block($node, $database, $kind, $text, $folder);

			$printed = $out;
			if ($to{fails})
			{
				ok(!$succeeded && $err =~ /ERROR:  $to{fails}: /, "$name fails") or diag($err);
			}
			else
			{
				ok($succeeded, $name) or diag($err);
			}
		}
	}
	return;
}

1;
