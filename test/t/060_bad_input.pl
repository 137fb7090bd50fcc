# Bad input: every function of the extension, every argument, bad values, from the catalogue.  No crash, no internal
# error, no call that takes 10 seconds, no effect of a call that failed; each message names the argument, or shows what
# was found, and does not repeat a megabyte.

use strict;
use warnings;

use lib 'test/perl';
use Catalogue;
use Graph;
use PostgreSQL::Test::Utils;
use Soak;
use Test::More;

my $node = start_node('bad_input', q{
	hybridkg.threads = 2
	hybridkg.max_memory = '512MB'
	client_min_messages = error
	statement_timeout = '5min'
});
make_models($node);
define_try($node);
$node->safe_psql('postgres', q{
	create table no_columns ();
	create table nulls (head text, relation text, tail text);
	insert into nulls values (null, null, null);
	create table unknown as select repeat('x', 1000000) as head, 'r1' as relation, 'y' as tail;
	create table other_types (head int[], relation jsonb, tail point);
	insert into other_types values ('{1}', '{}', '(1,2)');
	create view fails as select (1 / (head - head))::text as head, 'r1' as relation, 'e2' as tail from g.triple;
	create table parts (head text, relation text, tail text) partition by list (relation);
	create schema no_graph;
	create schema views;
	do $$
	declare
		r record;
	begin
		for r in select relname from pg_class where relnamespace = 'g'::regnamespace and relkind in ('r', 'v') loop
			execute format('create view views.%I as select * from g.%1$I', r.relname);
		end loop;
	end
	$$});

my @texts = ("''", "' '", q{'a"b'}, q{'a''b'}, q{e'a\nb'}, q{'a\b'}, q{'%s%n%1$s'}, q{e'\x01\x7f'}, q{e'\ufeffe1'}, q{e'e1\u200b'},
	q{'; drop schema g cascade; --'}, q{repeat('x', 1000000)}, q{repeat('é', 500000)}, q{repeat('(', 1000000)}, q{repeat('"', 1000001)},
	q{repeat(',', 1000000)}, q{repeat(e'\n', 300000)}, q{repeat('x', 256)});
my @rules = (q{'r1(X,Y) <= r1(X,Y)'}, q{'r1(X,X) <= r2(X,X)'}, q{'r1(X,Y)'}, q{'<='}, q{'r1(X,Y) <= r2(X,Y'}, q{'r1(X,Y) <= r2(X,Z)'},
	q{'r1("e1","e2") <= r2(X,Y)'}, q{'r1(X,Y) <= r2(X,A), r2(A,B), r2(B,C), r2(C,D), r2(D,E), r2(E,Y)'}, q{'r1(X,"e1) <= r2(X,Y)'},
	q{'r1(X,Y) <= r2(X,"nobody")'}, q{'?a r1 ?b => ?a r2 ?b'}, q{e'10\t5\t0.5\tr1(X,Y) <= r2(X,Y)'}, q{'r1(X,Y) <= ""(X,Y)'},
	q{'r1(X,Y) <= ' || repeat('r2(X,Y), ', 100000)}, q{'r1(X,Y) <= r2(' || repeat('X', 1000000) || ',Y)'}, q{repeat(e'?a r1 ?b => \n', 100000)});
my @queries = (q{'select 1'}, q{'select 1, 2, 3, 4'}, q{'select null, null, null'}, q{'select '''', '''', '''''}, q{'drop schema g cascade'},
	q{'select 1; select 2'}, q{';'}, q{'-- x'}, q{'delete from g.triple returning 1, 2, 3'}, q{'select * from g.triple for update'},
	q{'select hkg_drop_graph(''g'')::text, 1, 2'}, q{'select 1 / 0, 1, 2'}, q{'select $1, 2, 3'}, q{'begin'}, q{'commit'}, q{'copy g.triple to stdout'},
	q{'show all'}, q{'select repeat(''x'', 1000000), 1, 2'}, q{'select 1, 2, 3 into pg_temp.zz'}, q{'create table g.zz as select 1, 2, 3'},
	q{'select array[1], row(1, 2), ''{}''::jsonb'}, q{'select pg_sleep(0), 2, 3'});
my %values = (
	text => [@texts],
	name => [ @texts[ 0 .. 10 ], map { "'$_'" } qw(public pg_catalog information_schema pg_toast no_graph views select) ],
	integer => [ '-1', '0', '1', '2', '2147483647', '(-2147483648)::int', '1000001' ],
	bigint => [ '-1', '0', '1', '9223372036854775807', '(-9223372036854775807 - 1)', '4294967296' ],
	'double precision' => [ "'NaN'", "'Infinity'", "'-Infinity'", '1e-300', '1e300', "'-0'", '-1', '0', '1', "'4.9e-324'", '0.5', '1e6' ],
	boolean => [ 'true', 'false' ],
	regclass => [ '0', '999999999', "'pg_class'", "'g.triple'", "'g.triple_pkey'", "'g.entity_id_seq'",
		map { "'$_'" } qw(no_columns nulls unknown other_types fails parts) ],
	jsonb => [ map { quoted($_) } 'null', '[]', '{}', '1', '"x"', '{"dimensions": []}', '{"dimensions": [null]}', '{"dimensions": [[1]]}',
		'{"dimensions": 4}', '{"dimensions": ["x"]}', '{"dimensions": [99999999999999999999]}', '{"": [1]}', '{"graph": ["h"]}',
		'{"preset": ["nope"]}', '{"learning_rate": ["NaN"]}', q({"score_function": ["'; drop schema g cascade; --"]}), '{"rules": ["m"]}',
		'{"warm_start": [true]}', '{"a\"b": [1]}', '{"regularizer": [""]}', '{"' . ('x' x 100000) . '": [1]}', '{"dimensions": ["' . ('x' x 100000) . '"]}' ],
	'text[]' => [ "'{}'", 'array[null]::text[]', "array[['e1'], ['e2']]", "array['e1', null]", "array[repeat('x', 1000000)]", "array_fill('e1'::text, array[3000])",
		"'[5:6]={e1,e2}'", "array['']", "array['nobody']" ],
	'integer[]' => [ "'{}'", 'array[null]::int[]', 'array[[1], [2]]', 'array[-1]', 'array[2147483647]' ]);
my %more = (entity_query => \@queries, relation_query => \@queries, cell_query => \@queries, token_query => \@queries, rule => \@rules, lines => \@rules, rules => [ map { "array[$_]" } @rules ], query => \@queries,
	split => [ "'train'", "'valid'", "'test'", "'TRAIN'" ], format => [ "'amie'", "'anyburl'", "'AMIE'" ], evidence => [ "'embedding'", "'rules'", "'neither'" ],
	score_function => [ map { "'$_'" } qw(transe distmult complex rescal rotate conve) ], loss => [ map { "'$_'" } qw(softmax margin sampled_softmax logistic k_vs_all) ],
	regularizer => [ map { "'$_'" } qw(l2 n3 dura) ], negative_sampling => [ map { "'$_'" } qw(uniform bernoulli self_adversarial kbgan) ],
	preset => [ "'paper'", "'quick'" ], model => [ "'m'", "'nobody'" ]);

# What a message may name in place of the argument: what the argument holds
my %named = (
	(map { $_ => 'quer|column|row|name|statement|cursor|syntax error|division by zero|parameter|entit|identifier|quoted|memory' } qw(query entity_query relation_query cell_query token_query)),
	lines => 'line|rule|relation|entity|format', rule => 'character|rule|relation|entity|bod', rules => 'rule|character|relation|entity|model|bod',
	grid => 'grid|settings|"', settings => 'grid|settings|"|must be', negatives => 'head|names|relation|valid|empty|division by zero|is an index',
	head => 'entity', tail => 'entity', (map { $_ => 'entity|array literal|relation "g\.model" does not exist' } qw(heads tails candidates)), warm_start => 'model', score_function => 'embedding', k => 'k |memory', model => 'model|rule', model_a => 'model', model_b => 'model',
	facts => 'relation|table',
	relation => 'relation', relations => 'relation', compare => 'model', split => 'split|valid|test', source => 'source|column|row|relation|table|name');

sub fault_of
{
	my ($report, $argument, $value, $usual) = @_;
	my $shown = $value =~ /^'(..?.?.?.?.?.?.?.?.?)/s ? quotemeta($1) : '^$';
	my $names = join '|', '\b' . ($argument =~ s/_/./gr) . '\b', $named{$argument} // ();

	return "lost: $report->{text}" if $report->{state} eq 'LOST';
	return "internal error: $report->{text}" if $report->{state} =~ /^(XX|58)/;
	# a bad value must not take longer than a good one that takes long itself
	return "took $report->{ms} ms" if $report->{ms} >= 10000 && $report->{ms} > 3 * $usual->{ms};
	# what the server's parser says about a query is its own; a call that fails whatever the argument is does not name it
	return "a message of $report->{length} characters: " . substr($report->{text}, 0, 200)
	  if $report->{length} > 1500 && $report->{text} !~ /^syntax error at or near|^zero-length delimited identifier|^unterminated quoted/;
	return if $report->{state} eq $usual->{state} && $report->{text} eq $usual->{text};
	return "does not name $argument: $report->{text}" if $report->{state} !~ /^(00000|53|42501|55006)/ && $report->{text} !~ /$names|$shown|memory/i;
	return;
}

# All that a failed call must leave as it is; models of the test are made by workers, which commit.
sub state_of_graph
{
	my @of_models = map { qq{select md5(string_agg(x::text, '|' order by x::text collate "C")) from g.$_ x where model in ('m', 'm2')} }
	  qw(entity_embedding rule evidence_weight);

	return $node->safe_psql('postgres', lines_of(
		q{select md5(string_agg(x::text, '|' order by x::text collate "C")) from (select 'triple', head, relation, tail from g.triple
			union all select split, head, relation, tail from g.holdout union all select name, id, 0, 0 from g.entity
			union all select name, id, 1, 0 from g.relation) x},
		q{select md5(string_agg(x::text, '|' order by x::text collate "C")) from g.model x where name in ('m', 'm2')},
		@of_models,
		q{select md5(string_agg(nspname, '|' order by nspname)) from pg_namespace where nspname !~ '^pg_'}));
}

my @functions = functions($node);
my @cases = map { my $function = $_; map { [ $function, $_ ] } @{ $function->{arguments} } } @functions;
my $before = state_of_graph();

sub workers_end
{
	$node->safe_psql('postgres', q{select pg_cancel_backend(pid) from pg_stat_activity where backend_type = 'hybridkg training'});
	$node->poll_query_until('postgres', q{select not exists (select from pg_stat_activity where backend_type = 'hybridkg training')}) or die 'a worker does not end';
	$node->safe_psql('postgres', q{delete from g.model where name not in ('m', 'm2')});
	return;
}

# The values of one argument, a sample of them in the short form; in the long form, after all of them, two bad arguments at once.
my $figures = campaign('bad_input', scalar(@cases), 20000, sub {
	my ($number) = @_;
	my ($function, $argument) = @{ $cases[ ($number - 1) % @cases ] };
	my $starts_workers = $function->{name} =~ /background|tune/;
	# a worker may end before it is cancelled, and then has replaced its model
	my $may_be_given = sub { my ($name, $value) = @_; return !($starts_workers && $name eq 'model' && $value eq "'m'") };
	my @values = grep { $may_be_given->($argument->{name}, $_) } 'null', @{ $values{ $argument->{type} } // [] }, @{ $more{ $argument->{name} } // [] };
	my (@calls, @wrong);

	while (!is_long() && @values > ($starts_workers ? 3 : 8))
	{
		splice @values, int(rand(@values)), 1;
	}
	foreach my $value (@values)
	{
		my %given = ($argument->{name} => $value);

		if ($number > @cases)
		{
			my $other = pick(@{ $function->{arguments} });

			$given{ $other->{name} } //= pick(grep { $may_be_given->($other->{name}, $_) } 'null', @{ $values{ $other->{type} } // [] }, @{ $more{ $other->{name} } // [] });
		}
		push @calls, call_of($function, %given);
	}
	my ($usual, @reports) = try_all($node, {}, call_of($function), @calls);

	unshift @reports, $usual if $usual->{state} eq 'LOST';
	foreach my $i (0 .. $#reports)
	{
		my $fault = fault_of($reports[$i], $argument->{name}, $number > @cases ? "''" : $values[$i], $usual);

		$fault = undef if defined $fault && $number > @cases && $fault =~ /^does not name/;
		push @wrong, substr($calls[$i], 0, 200) . ": $fault" if defined $fault;
		count('calls');
		count('errors') if $reports[$i]{state} ne '00000';
		highest('max_ms', $reports[$i]{ms});
	}
	workers_end() if $starts_workers;
	push @wrong, 'the graph has changed' if ($starts_workers || $number % 20 == 0 || $number == @cases) && state_of_graph() ne $before;
	return ("$function->{name}, $argument->{name}", @wrong);
});
cmp_ok($figures->{errors} // 0, '>=', ($figures->{calls} // 0) / 2, 'most of the values are refused');
is(state_of_graph(), $before, 'nothing has changed');

done_testing();
