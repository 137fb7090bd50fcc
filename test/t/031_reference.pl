# doc/reference.md lists what the catalogue holds, no more and no less: functions with their arguments, results,
# defaults and errors, tables of a graph with their columns, settings, presets.  What other documents name exists.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('reference');
my $functions = q{pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
	join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
		and e.extname = 'hybridkg' and p.prokind = 'f' and p.prorettype <> 'internal'::regtype};

# The rows of a query, as lists of fields
sub rows
{
	my ($query) = @_;

	return map { [ split /\|/, $_, -1 ] } split /\n/, $node->safe_psql('postgres', "load 'hybridkg'; $query");
}

sub slurp
{
	my ($file) = @_;

	open my $handle, '<:encoding(UTF-8)', $file or die "$file: $!";
	local $/;
	return <$handle>;
}

# ---- the document -------------------------------------------------------------

# All SQLSTATEs that a text names, which are those of this server
my %states = map { /^([0-9A-Z]{5}) / ? ($1 => 1) : () } split /\n/, slurp(($node->config_data('--sharedir') =~ s/\s+$//r) . '/errcodes.txt');
cmp_ok(scalar(keys %states), '>', 200, 'SQLSTATEs');

sub errors_in
{
	my ($text) = @_;
	my %found = map { $_ => 1 } grep { $states{$_} } $text =~ /\b([0-9A-Z]{5})\b/g;

	return join ' ', sort keys %found;
}

my %text;		# of each section of level 3, by its heading
my %whole;		# the same with its tables
my @stated;		# what its tables hold: [ section, kind, name, type, default ]
my %tables;		# how many tables of a kind a section has
my $section = '';
my $kind = '';
foreach my $line (split /\n/, slurp('doc/reference.md'))
{
	$whole{$section} .= "$line\n" if exists $whole{$section} && $line !~ /^##/;
	if ($line =~ /^(##+) (.*)/)
	{
		($section, $kind) = ($2, '');
		$text{$section} = $whole{$section} = '' if $1 eq '###';
	}
	elsif ($line =~ /^\| (argument|result|column|setting|preset) \|/)
	{
		$kind = $1;
		$tables{"$section $kind"}++;
	}
	elsif ($line =~ /^\| `(\w[\w.-]*)` \| (.*) \|$/ && $kind ne '')
	{
		my $name = $1;
		my ($type, $default) = map { s/`//gr } split / *\| */, $2;

		push @stated, [ $section, $kind, $name, $type, $default ];
	}
	elsif ($line !~ /^\|/)
	{
		$kind = '';
		$text{$section} .= "$line\n" if exists $text{$section};
	}
}

# Types by the names that the document gives them
my %returned = map { $text{$_} =~ /Returns `([^`]+)`/ ? ($_ => $1) : () } keys %text;
my %format = map { $_->[0] => $_->[1] } rows('select t, format_type(t::regtype, null) from unnest(array[' .
	  join(', ', map { "'$_'" } values %returned, map { $_->[3] } grep { $_->[1] =~ /^(argument|result|column)$/ } @stated) . ']) t');

# The rows of a kind in sections, one a line.  Where one table has them all, the order counts.
sub stated
{
	my ($kind, $with_default, @of) = @_;
	my @lines = map { join ' ', $_->[2], $format{$_->[3]} // '', $with_default ? $_->[4] // '' : () }
	  grep { my $row = $_; $row->[1] eq $kind && grep { $row->[0] eq $_ } @of } @stated;

	@lines = sort @lines if ($tables{"$of[0] $kind"} // 0) > 1;
	return join "\n", @lines;
}

# ---- functions ------------------------------------------------------------------

# a function of many names that has the name of another one has a section "NAME of ARGUMENT"
my @known = rows("select p.proname || coalesce((select ' of ' || p.proargnames[i] from generate_series(1, p.pronargs) i
		where p.proargtypes[i - 1] = '\"any\"'::regtype and i <= p.pronargs - p.pronargdefaults and exists (select from pg_proc o where o.proname = p.proname and o.oid <> p.oid)
		order by i limit 1), ''),
	pg_get_function_result(p.oid), p.proallargtypes is not null, p.oid from $functions order by 1");
my %comment = map { $_->[0] => $_->[1] } rows("select p.oid, translate(obj_description(p.oid, 'pg_proc'), e'\\n|', '  ') from $functions");

is(join(' ', sort grep { /^hkg_/ } keys %text), join(' ', map { $_->[0] } @known), 'every function has a section, every section a function');
foreach my $function (@known)
{
	my ($name, $result, $has_columns, $oid) = @$function;
	my $same = ($text{$name} // '') =~ /Arguments:\s+those\s+of\s+\[(hkg_\w+)\]/ ? $1 : $name;
	my @arguments = map { join ' ', @$_[0, 1], $_->[2] =~ s/::[\w ]+(\[\])?$//r =~ s/^NULL$/null/r }
	  rows("select proargnames[i], format_type(proargtypes[i - 1], null), coalesce(pg_get_function_arg_default(p.oid, i), '')
		from $functions, generate_series(1, pronargs) i where p.oid = $oid order by i");
	my @columns = map { join ' ', @$_ }
	  rows("select proargnames[i], format_type(proallargtypes[i], null) from $functions, generate_subscripts(proargmodes, 1) i
		where p.oid = $oid and proargmodes[i] in ('o', 't') order by i");

	my @of = $same eq $name ? $name : ($same, $name);	# those of another function, and its own
	@arguments = sort @arguments if ($tables{"$same argument"} // 0) > 1;
	is(stated('argument', 1, @of), join("\n", @arguments), "arguments of $name");
	is(stated('result', 0, $name), join("\n", @columns), "columns of the result of $name");
	is($format{$returned{$name} // ''}, $result, "result of $name") if $has_columns eq 'f';
	is(errors_in(join ' ', map { $whole{$_} // '' } @of), errors_in($comment{$oid}), "errors of $name");
}

# ---- tables, settings, presets -------------------------------------------------------

my @tables;
$node->safe_psql('postgres', q{select hkg_create_graph('g')});
foreach my $table (rows(q{select relname, oid from pg_class where relnamespace = 'g'::regnamespace and relkind in ('r', 'v') order by 1}),
	[ 'View hkg_progress', q{'hkg_progress'::regclass} ])
{
	my ($name, $oid) = @$table;
	my @columns = map { join ' ', @$_ } rows("select attname, format_type(atttypid, null) from pg_attribute
		where attrelid = $oid and attnum > 0 and not attisdropped order by attnum");

	push @tables, $name;
	is(stated('column', 0, $name), join("\n", @columns), "columns of $name");
}
is(join(' ', sort grep { !/^hkg_/ } keys %text), join(' ', sort @tables), 'every table has a section, every section a table');

# a default that depends on the machine is in words
my %in_words = map { $_->[2] => $_->[4] } grep { $_->[1] eq 'setting' && $_->[4] =~ / / } @stated;
is( join("\n", sort map { join ' ', @$_[2 .. 4] } grep { $_->[1] eq 'setting' } @stated),
	join("\n", map { join ' ', @$_[0, 1], $in_words{$_->[0]} // $_->[2] }
		rows(q{select name, vartype, case when unit is null then boot_val else current_setting(name) end from pg_settings
			where name like 'hybridkg.%' order by name})), 'settings');
is( join(' ', map { $_->[2] } grep { $_->[1] eq 'preset' } @stated),
	join(' ', map { $_->[0] } rows('select preset from hkg_presets()')), 'presets');

# ---- what other documents name -----------------------------------------------------------

my %function = map { $_ => 1 } (map { $_->[0] } @known), 'hkg_progress';
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

foreach my $file (qw(README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md), glob 'doc/*.md')
{
	my $document = slurp($file);

	is(join(' ', grep { !$function{$_} && !/^hkg_layout_/ } $document =~ /\b(hkg_\w+)\b(?!\*|\.[ch])/g), '', "functions in $file exist");
	is(join(' ', grep { !$argument{$_} } $document =~ /\b(\w+) => /g), '', "arguments in $file exist");
}
$node->stop('fast');
done_testing();
