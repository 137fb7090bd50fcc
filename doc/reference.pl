#!/usr/bin/perl
# Writes doc/reference.md from the catalogue of a server: arguments, defaults and results of functions, the comments on
# functions, tables and columns, the settings and the presets.  What a user should read there belongs into a comment.
#
#	test/server run DIR perl doc/reference.pl >doc/reference.md
#
# Of a comment on a function, the first line is its purpose; "NAME: ..." is about an argument or a column of the result;
# "errors: ..." lists SQLSTATEs, which are left out here; every other line is a paragraph.

use strict;
use warnings;
use utf8;

use Encode qw(decode);

binmode STDOUT, ':encoding(UTF-8)';

my $width = 120;

# Which functions a section has, in its order
my @sections = (
	[ 'Graphs', qw(hkg_create_graph hkg_set_source hkg_source hkg_load hkg_sync hkg_split hkg_drop_graph hkg_upgrade_graph) ],
	[ 'Training', qw(hkg_train hkg_settings hkg_train_background hkg_resume hkg_estimate hkg_tune) ],
	[ 'Prediction', qw(hkg_predict_tails hkg_predict_heads hkg_predict_relations hkg_fill hkg_doubt hkg_complete hkg_reject hkg_score hkg_classify hkg_explain
		hkg_learnt_paths hkg_neighbors hkg_project hkg_learn_evidence hkg_learn_thresholds) ],
	[ 'Evaluation', qw(hkg_evaluate hkg_ranks hkg_compare hkg_report) ],
	[ 'Rules and embeddings', qw(hkg_mine_rules hkg_count_rules hkg_apply_rule hkg_rule_sql hkg_import_rules hkg_import_embeddings) ],
	[ 'Several servers', qw(hkg_distribute_graph hkg_undistribute_graph) ],
	[ 'Help', qw(hkg_help) ]);

my $introduction = <<'END';
All functions, tables and settings. In psql, `\df+ hkg_*` also shows types, and `\d+` tables and views.

END

my $conventions = <<'END';
- Entities, relations and models are given by name. For an unknown name the error shows the nearest known one.
- Null is refused where no meaning of null is described.
- Messages of errors show what was expected and found. `\df+` lists SQLSTATEs, and when each of them comes.
- Every function runs with the rights of its caller, and needs the tables of the graph for what it does: `select` to
  predict; `insert`, `update` and `delete` to load and to train. Error 42501 names the table and the missing right.
- Functions that predict, evaluate or list do so in read-only transactions and on hot standbys, too.
- A name is what a cast to text gives, so `name = column::text` joins entities. Of the settings of a session, only
  `timezone` changes names (of a `timestamptz`), `lc_monetary` (`money`) and `search_path` (`regclass`).
- A call reads tables several times. A policy of row security must show the same rows each time.

Arguments and columns that have one meaning in several functions:
END

# The rows of a query, as lists of fields
sub rows
{
	my ($query) = @_;
	my ($field, $row) = ("\x1f", "\x1e");

	open my $psql, '-|', 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-F', $field, '-R', $row, '-d', $ENV{PGDATABASE} // 'postgres', '-c', "load 'hybridkg'", '-c', $query
	  or die "psql: $!";
	local $/;
	my $out = decode('UTF-8', <$psql> // '');
	close $psql or die "a query failed: $query";
	$out =~ s/\n\z//;
	return map { [ split /$field/, $_, -1 ] } split /$row/, $out;
}

# Text in lines of at most $width characters: $first begins the first line, $next the others
sub wrapped
{
	my ($text, $first, $next) = @_;
	my @lines = ($first);
	my $empty = 1;

	foreach my $word (split ' ', $text)
	{
		if (!$empty && length($lines[-1]) + 1 + length $word > $width)
		{
			push @lines, $next;
			$empty = 1;
		}
		$lines[-1] .= $empty ? $word : " $word";
		$empty = 0;
	}
	return join('', map { s/\s+$//r . "\n" } @lines);
}

# A sentence of a comment as Markdown
sub sentence
{
	my ($text) = @_;

	$text =~ s/<(?=\w)/\\</g;
	$text =~ s/(?<![\w`\/"'\\])(hkg_\w+)(\((?:preset|graph(?:, 0, 0)?)?\))?/'`' . $1 . ($2 \/\/ '') . '`'/ge;
	return $text =~ /[.:!?]$/ ? $text : "$text.";
}

sub short_type
{
	my ($type) = @_;
	my %short = (integer => 'int', boolean => 'bool', 'double precision' => 'float8', 'timestamp with time zone' => 'timestamptz');

	return join '', map { $short{$_} // $_ } split /(\[\])/, $type;
}

sub anchor
{
	my ($heading) = @_;

	return lc($heading) =~ s/[^\w\s-]//gr =~ s/ /-/gr;
}

# ---- what the catalogue holds ---------------------------------------------------

# The functions that hkg_help lists: by name, a list of those that have it
my %function;
foreach my $row (rows(q{
	select p.oid, p.proname, format_type(p.prorettype, null), p.proretset, obj_description(p.oid, 'pg_proc')
	from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
		join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
	where e.extname = 'hybridkg' and p.pronamespace = e.extnamespace and p.proname like 'hkg\_%'
	order by p.oid}))
{
	my ($oid, $name, $type, $is_set, $comment) = @$row;
	my (@arguments, @columns);

	foreach my $parameter (rows(qq{
		select mode, name, format_type(type, null), coalesce(pg_get_function_arg_default(p.oid, i::int), '')
		from pg_proc p, unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]),
			coalesce(p.proargmodes::text[], array_fill('i'::text, array[p.pronargs])), p.proargnames) with ordinality a (type, mode, name, i)
		where p.oid = $oid order by i}))
	{
		my ($mode, $parameter_name, $parameter_type, $default) = @$parameter;

		$default = $default =~ s/::[\w ]+(\[\])?$//r =~ s/^NULL$/null/r;
		push @arguments, { name => $parameter_name, text => $default eq '' ? $parameter_name : "$parameter_name => $default" } if $mode =~ /[ib]/;
		push @columns, { name => $parameter_name } if $mode =~ /[otb]/;
	}
	push @{ $function{$name} }, {
		name => $name,
		arguments => \@arguments,
		columns => \@columns,
		result => @columns ? ($is_set eq 't' ? 'rows: ' : '') . join(', ', map { $_->{name} } @columns) : short_type($type),
		parse_comment($comment, map { $_->{name} } @arguments, @columns) };
}

# The parts of a comment on a function
sub parse_comment
{
	my ($comment, @names) = @_;
	my %is_name = map { $_ => 1 } @names;
	my ($purpose, @lines) = split /\n/, $comment;
	my (@paragraphs, @items);

	foreach my $line (@lines)
	{
		next if $line =~ /^errors: /;
		if ($line =~ /^(\w+(?:, \w+)*): (.*)/ && !grep { !$is_name{$_} } split /, /, $1)
		{
			push @items, [ $1, $2 ];
		}
		else
		{
			push @paragraphs, ucfirst $line;
		}
	}
	return (purpose => ucfirst $purpose, paragraphs => \@paragraphs, items => \@items);
}

my %of_section = map { $_ => 1 } map { @$_[1 .. $#$_] } @sections;
my @others = grep { !$of_section{$_} } sort keys %function;
push @sections, [ 'Other functions', @others ] if @others;
@$_ = ($_->[0], grep { $function{$_} } @$_[1 .. $#$_]) foreach @sections;

# Whether a function has all arguments of hkg_train: what its comment states of them is not repeated
my $train = $function{hkg_train}[0];
sub is_like_train
{
	my ($function) = @_;
	my $all = join ', ', map { $_->{text} } @{ $train->{arguments} };

	return $function != $train && index(join(', ', map { $_->{text} } @{ $function->{arguments} }), $all) == 0;
}

# Arguments that mean the same in three functions or more
my %times;
$times{ join "\n", @$_ }++ foreach map { @{ $_->{items} } } grep { !is_like_train($_) } map { @$_ } values %function;
my %is_common = map { $_ => 1 } grep { $times{$_} >= 3 } keys %times;

# The tables of a graph
my $graph = 'written_by_reference';
my @tables = rows(qq{set client_min_messages = warning; set hybridkg.progress = off; select from hkg_create_graph('$graph');
	select c.oid, c.relname, obj_description(c.oid, 'pg_class') from pg_class c
	where relnamespace = '$graph'::regnamespace and relkind in ('r', 'v') order by c.oid});
my %columns;
push @{ $columns{ $_->[0] } }, [ @$_[1 .. 2] ] foreach rows(qq{
	select attrelid, attname, col_description(attrelid, attnum) from pg_attribute
	where (attrelid in (select oid from pg_class where relnamespace = '$graph'::regnamespace and relkind in ('r', 'v'))
		or attrelid in (to_regclass('hkg_progress'), to_regclass('hkg_stat'), to_regclass('hkg_cache'))) and attnum > 0 and not attisdropped order by attrelid, attnum});
my %view = map { $_->[1] => $_ } rows(q{select oid, relname, obj_description(oid, 'pg_class') from pg_class where oid in (to_regclass('hkg_progress'), to_regclass('hkg_stat'), to_regclass('hkg_cache'))});
my @settings = rows(q{select name, case when name = 'hybridkg.threads' then 'all cores' when unit is null then boot_val else current_setting(name) end, short_desc, extra_desc
	from pg_settings where name like 'hybridkg.%' order by name});
my @presets = rows('select preset, purpose from _hkg_presets()');
my @train_settings = $function{hkg_settings} ? rows('select * from hkg_settings()') : ();
rows(qq{set client_min_messages = warning; select from hkg_drop_graph('$graph')});

# ---- the document -----------------------------------------------------------------

sub signature
{
	my ($function) = @_;
	my @arguments = map { $_->{text} } @{ $function->{arguments} };
	my $line;

	splice @arguments, 0, scalar @{ $train->{arguments} }, 'all arguments of hkg_train' if is_like_train($function);
	$line = "$function->{name}(" . join(', ', map { s/ /\x01/gr } @arguments) . ") returns ";
	return wrapped($line . $function->{result}, '', '    ') =~ s/\x01/ /gr;
}

sub print_function
{
	my ($function) = @_;
	my %of_train = is_like_train($function) ? map { join("\n", @$_) => 1 } @{ $train->{items} } : ();
	my @items = grep { my $item = join "\n", @$_; !$is_common{$item} && !$of_train{$item} } @{ $function->{items} };

	print "```\n", signature($function), "```\n\n", wrapped(sentence($function->{purpose}), '', ''), "\n";
	my %is_train = is_like_train($function) ? map { $_ => 1 } @{ $train->{paragraphs} } : ();
	print wrapped(sentence($_), '', ''), "\n" foreach grep { !$is_train{$_} } @{ $function->{paragraphs} };
	print wrapped(join(', ', map { "`$_`" } split /, /, $_->[0]) . ': ' . sentence($_->[1]), '- ', '  ') foreach @items;
	print "\n" if @items;
}

sub print_table
{
	my ($table) = @_;
	my ($oid, $name, $comment) = @$table;

	print wrapped(sentence(ucfirst $comment), '', ''), "\n";
	# columns like the one before stand beside it; tables that say little more by their columns have none here
	my @items;
	return if $name =~ /^(checkpoint|checkpoint_inferred|threshold|entity|evidence_weight|holdout|inferred|iteration|path_network|path_epoch|shared_weight|source|source_column|rejected|facts_version|trial|bucket|slice|layout|hkg_cache|hkg_progress|hkg_stat|model|rule|source_table|training)$/;
	foreach my $column (grep { $_->[1] !~ /^(model\.name|(entity|relation)\.id)$/ } @{ $columns{$oid} })
	{
		my ($column_name, $meaning) = @$column;

		@items && $meaning eq 'likewise' ? $items[-1][0] .= ", `$column_name`" : push @items, [ "`$column_name`", $meaning ];
	}
	print wrapped("$_->[0]: " . sentence($_->[1]), '- ', '  ') foreach @items;
	print "\n";
}

print "<!-- Written by doc/reference.pl from the comments in sql/.  Edit those. -->\n# Reference\n\n$introduction";
my @headings = (['Conventions'], map { [ @$_ ] } @sections);
push @headings, [ 'Tables of a graph', map { $_->[1] } @tables ], ['Server settings'], ['Presets'];
my %views_of = (Training => ['hkg_progress', 'hkg_stat'], Help => ['hkg_cache']);
foreach my $heading (@headings)
{
	push @$heading, map { "View $_" } @{ $views_of{ $heading->[0] } // [] };
}
push @headings, ['Settings of a training'] if @train_settings;
foreach (@headings)
{
	my ($section, @names) = @$_;

	print wrapped("[$section](#" . anchor($section) . ')' . (@names ? ': ' : '') . join(', ', map { "[$_](#" . anchor($_) . ')' } @names), '- ', '  ');
}
print "\n## Conventions\n\n$conventions\n";
foreach my $item (sort keys %is_common)
{
	my ($names, $meaning) = split /\n/, $item;

	print wrapped(join(', ', map { "`$_`" } split /, /, $names) . ': ' . sentence($meaning), '- ', '  ');
}
print "\n";
foreach (@sections)
{
	my ($section, @names) = @$_;

	print "## $section\n\n";
	foreach my $name (@names)
	{
		print "### $name\n\n";
		print_function($_) foreach @{ $function{$name} };
	}
	foreach my $view (@{ $views_of{$section} // [] })
	{
		print "### View $view\n\n";
		print_table($view{$view});
	}
}
print "## Tables of a graph\n\nA graph is a schema with these tables. Of some of them the columns are listed, but for those that\nrefer to `model.name`, `entity.id` or `relation.id`. `\\d+` shows all columns with their meaning.\n\n";
foreach my $table (@tables)
{
	print "### $table->[1]\n\n";
	print_table($table);
}
print "## Server settings\n\nA superuser alone sets `hybridkg.max_memory`, `hybridkg.threads` and `hybridkg.shared_cache`; anyone sets the others.\n\n";
print wrapped("`$_->[0]` ($_->[1]): " . sentence($_->[2]) . ($_->[3] eq '' ? '' : ' ' . sentence($_->[3])), '- ', '  ') foreach @settings;
print "\n## Presets\n\nValues for `preset` of `hkg_train`. `hkg_settings(preset)` shows what each of them sets.\n\n";
print wrapped("`$_->[0]`: " . sentence($_->[1]), '- ', '  ') foreach @presets;
if (@train_settings)
{
	print "\n## Settings of a training\n\nKeys of `settings`, an argument of `hkg_train`, each with its default. `hkg_settings()` also returns ranges.\n\n";
	my %is_argument = map { $_->{name} => 1 } @{ $train->{arguments} };
	foreach my $setting (grep { !$is_argument{ $_->[0] } } @train_settings)
	{
		my ($name, $type, $range, $default, $tuned, $meaning) = @$setting;

		print wrapped("`$name` ($default): " . sentence($meaning), '- ', '  ');
	}
}
