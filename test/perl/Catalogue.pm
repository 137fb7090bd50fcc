# Calls of every function of the extension, made from the catalogue: a function that is added is called, too.
#
# An argument gets the value that is usual for its name, else one of its type; arguments that have defaults are left out
# unless they say what is meant.  The calls are of graph g and its models m and m2, which make_models makes.
package Catalogue;

use strict;
use warnings;

use Exporter 'import';
use Graph;

our @EXPORT = qw(make_models functions call_of quoted define_try try_all reports_of);

# The values of arguments by name; of functions that make something, `FUNCTION.ARGUMENT`
my %usual = (
	graph => q{'g'}, head => q{'e1'}, tail => q{'e2'}, entity => q{'e1'}, heads => q{array['e1', 'e2']}, tails => q{array['e1', 'e2']},
	relation => q{'r1'}, k => '3', model => q{'m'}, model_a => q{'m'}, model_b => q{'m2'}, split => q{'valid'}, seed => '1',
	rule => q{'r1(X,Y) <= r2(X,Y)'}, lines => q{'r1(X,Y) <= r2(X,Y)'}, rules => q{array['r1(X,Y) <= r2(X,Y)']}, top_rules => '3',
	query => q{'select ''e1'', ''r1'', ''e2'''}, grid => q{'{"dimensions": [2]}'}, 'hkg_tune.settings' => q{'{"iterations": 1, "epochs": 1, "evidence_rules": 0}'},
	facts => q{'g.triple'}, iterations => '1', epochs => '1', dimensions => '4', evidence_rules => '50',
	settings => q{'{"negatives": 4, "evidence_length": 2, "path_layers": 2, "path_width": 16, "path_kept": 9, "path_epochs": 1, "path_facts": 9}'},
	(map { ("hkg_${_}_slice.settings" => q{'{}'}) } qw(train valid rate)),
	'hkg_create_graph.graph' => q{'fresh'}, 'hkg_tune.model' => q{'of_test'}, 'hkg_train.model' => q{'of_test'},
	'hkg_train_background.model' => q{'of_test'}, 'hkg_import_rules.model' => q{'of_test'},
	'hkg_import_embeddings.model' => q{'of_test'}, 'hkg_import_embeddings.score_function' => q{'distmult'},
	entity_query => q{'select name, array[1, 0.5]::real[] from g.entity'}, relation_query => q{'select name, array[1, 0.5]::real[] from g.relation'},
	compare => q{'m2'}, section => q{'training'}, left_out => q{array[]::int[]}, max_rule_length => '3', '_hkg_count_slice.rules' => q{array[1, 1, 2, -1, -2]},
	'_hkg_complete_slice.heads' => q{array[0, 1]}, '_hkg_complete_slice.candidates' => q{array[0]}, '_hkg_complete_slice.evidence' => q{'all'},
	'_hkg_rank_slice.evidence' => q{'all'});
my %of_type = (text => q{'x'}, name => q{'x'}, integer => '1', bigint => '1', 'double precision' => '0.5', boolean => 'false',
	jsonb => q{'{}'}, regclass => q{'g.triple'}, 'text[]' => q{array['x']}, 'integer[]' => q{array[1]},
	'timestamp with time zone' => q{now()});
# defaults that are given a value, so that a call takes little time
my %shorter = map { $_ => 1 } qw(iterations epochs dimensions evidence_rules
	model model_a model_b settings compare);

# Graph g with two models of embeddings and rules, on that node
sub make_models
{
	my ($node) = @_;

	make_graph($node, 'g', 60, 500);
	$node->safe_psql('postgres', q{
		select hkg_train('g', 'rotate', dimensions => 8, iterations => 2, epochs => 2, model => 'm', evidence_rules => 200, settings => jsonb_build_object('negatives', 4));
		select hkg_train('g', 'complex', dimensions => 8, iterations => 2, epochs => 2, model => 'm2', evidence_rules => 200, settings => jsonb_build_object('negatives', 4, 'reciprocal', true, 'constants', true))});
	return;
}

# Functions that SQL can call, as { name, schema, arguments => [ { name, type, default } ] }
sub functions
{
	my ($node) = @_;
	my @functions;

	foreach (split /\n/, $node->safe_psql('postgres', q{
		select concat_ws('|', p.proname, p.pronamespace::regnamespace, (select string_agg(concat_ws(':', proargnames[i],
			format_type(proargtypes[i - 1], null), i > pronargs - pronargdefaults), ',' order by i) from generate_series(1, p.pronargs) i))
		from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
			join pg_extension e on e.oid = d.refobjid and e.extname = 'hybridkg'
		where p.prokind = 'f' and p.prorettype not in ('internal'::regtype, 'trigger'::regtype) order by p.proname, p.oid}))
	{
		my ($name, $schema, $arguments) = split /\|/;
		my @arguments = map { my ($argument, $type, $default) = split /:/; { name => $argument, type => $type, default => $default eq 't' } }
			split /,/, $arguments // '';

		push @functions, { name => $name, schema => $schema, arguments => \@arguments };
	}
	return @functions;
}

sub value_of
{
	my ($function, $argument) = @_;
	my $name = $argument->{name};
	my $value = $usual{"$function->{name}.$name"} // $usual{$name};

	return undef if $argument->{default} && !$shorter{$name};
	$value = undef if defined $value && $argument->{type} =~ /^(integer|bigint|double precision|boolean)$/ && $value !~ /^[\d.]+$|^false$/;
	return $value // $of_type{ $argument->{type} } // 'null';
}

# A call, with some arguments as given: name => SQL
sub call_of
{
	my ($function, %given) = @_;
	my @list;

	foreach my $argument (@{ $function->{arguments} })
	{
		my $value = exists $given{ $argument->{name} } ? $given{ $argument->{name} } : value_of($function, $argument);

		push @list, "$argument->{name} => $value" . ($argument->{type} eq 'name' || $value eq 'null' ? "::$argument->{type}" : '') if defined $value;
	}
	return "$function->{schema}.$function->{name}(" . join(', ', @list) . ')';
}

sub quoted
{
	my ($text) = @_;

	$text =~ s/'/''/g;
	return "'$text'";
}

# catalogue.try(statement, search_path): what came of it, as state, milliseconds, length of message, detail and hint, and
# these with the context, without line breaks; whatever it did is taken back.  The milliseconds are those of the clock
# or of the processor, whichever are less, for the machine may do other work; what waits ends by statement_timeout.
sub define_try
{
	my ($node) = @_;

	$node->safe_psql('postgres', q{
		create schema catalogue;
		grant usage on schema catalogue to public;
		-- of this process and its threads, in steps of 10
		create function catalogue.processor_milliseconds() returns float8 language sql volatile security definer set search_path = pg_catalog as $$
			select (split_part(s, ' ', 12)::float8 + split_part(s, ' ', 13)::float8) * 10
			from regexp_replace(pg_read_file('/proc/self/stat'), '.*\) ', '') s $$;
		create function catalogue.try(statement text, path text default null, out report text) language plpgsql
			set search_path = pg_catalog, public, pg_temp as $$
		declare
			state text = '00000';
			message text = '';
			detail text;
			hint text;
			context text;
			query text = 'select pg_catalog.count(x.*), pg_catalog.md5(pg_catalog.string_agg(x::pg_catalog.text, ''|'' '
				|| 'order by x::pg_catalog.text collate "C")) from ' || statement || ' x';
			started timestamptz = clock_timestamp();
			processor float8 = catalogue.processor_milliseconds();
		begin
			begin
				perform set_config('search_path', path, true) where path is not null;
				execute query into message, detail;
				perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
				message = concat_ws(' ', message, detail);
				raise exception using errcode = 'HKG00';
			exception when sqlstate 'HKG00' then
				detail = null;
			when others then
				get stacked diagnostics state = returned_sqlstate, message = message_text, detail = pg_exception_detail,
					hint = pg_exception_hint, context = pg_exception_context;
				context = regexp_replace(context, 'SQL statement "select pg_catalog.count[(]x.*', '');
			end;
			report = concat_ws('|', state,
				round(least(extract(epoch from clock_timestamp() - started) * 1000, catalogue.processor_milliseconds() - processor)),
				length(concat(message, detail, hint)),
				translate(left(concat_ws(' ', message, 'DETAIL: ' || nullif(detail, ''), 'HINT: ' || nullif(hint, ''),
					'CONTEXT: ' || nullif(context, '')), 3000), e'\n\r', '  '));
		end
		$$});
	return;
}

# The reports of many calls, in one session, after a statement (before) and with a search_path (path): a list of
# { call, state, ms, length, text }; a call without a report ended the session, or took too long.
sub try_all
{
	my ($node, $how, @calls) = @_;
	my $before = $how->{before} // 'select';
	my $path = defined $how->{path} ? ', ' . quoted($how->{path}) : '';
	my $tries = join "\n", map { 'select catalogue.try(' . quoted($_) . "$path);" } @calls;
	my ($code, $out, $err) = $node->psql('postgres', "$before;\n$tries", on_error_stop => 0);

	return reports_of($out, $err, @calls);
}

sub reports_of
{
	my ($out, $err, @calls) = @_;
	my @lines = grep { /^[0-9A-Z]{5}\|/ } split /\n/, $out;
	my @reports;

	return ({ call => $calls[ scalar(@lines) ], state => 'LOST', ms => 0, length => 0, text => "$calls[ scalar(@lines) ]: $err" }) if @lines != @calls;
	foreach my $i (0 .. $#calls)
	{
		my ($state, $ms, $length, $text) = split /\|/, $lines[$i], 4;

		push @reports, { call => $calls[$i], state => $state, ms => $ms, length => $length, text => $text };
	}
	return @reports;
}

1;
