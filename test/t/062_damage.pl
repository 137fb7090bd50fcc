# Damaged tables: each column of each table of a graph, from the catalogue, gets values that it never has, loses its
# constraints, its type or itself; then every function is called.  No crash, no internal error, no call that takes ten
# seconds, no message of a megabyte; and once the damage is taken back, the model predicts as before.

use strict;
use warnings;

use lib 'test/perl';
use Catalogue;
use Digest::MD5 qw(md5_hex);
use Encode qw(encode_utf8);
use Graph;
use PostgreSQL::Test::Utils;
use Soak;
use Test::More;

my $node = start_node('damage', q{
	hybridkg.threads = 2
	hybridkg.max_memory = '256MB'
	client_min_messages = error
	statement_timeout = '5min'
});
make_models($node);
define_try($node);
# rows in every table
train_and_stop($node, 'pg_cancel_backend', 'broken', q{'g', 'distmult', 4, iterations => 60, epochs => 5, top_rules => 5, min_quality => 0, evidence_rules => 0},
	'g.iteration', 2);
is($node->safe_psql('postgres', q{select count(*) > 0 from g.checkpoint where model = 'broken'}), 't', 'a training that was stopped leaves a checkpoint');
$node->safe_psql('postgres', q{
	create function catalogue.release(damaged regclass) returns void language plpgsql as $$
	declare
		r record;
	begin
		for r in select conrelid::regclass as t, conname from pg_constraint where (confrelid = damaged or conrelid = damaged) order by contype loop
			execute format('alter table %s drop constraint if exists %I cascade', r.t, r.conname);
		end loop;
		for r in select indexrelid::regclass as i from pg_index where indrelid = damaged loop
			execute format('drop index %s', r.i);
		end loop;
		for r in select attname, attidentity from pg_attribute where attrelid = damaged and attnum > 0 and not attisdropped loop
			if r.attidentity <> '' then
				execute format('alter table %s alter %I drop identity', damaged, r.attname);
			end if;
			execute format('alter table %s alter %I drop not null, alter %2$I drop default', damaged, r.attname);
		end loop;
	end
	$$});

my %values = (
	integer => [ '-1', '0', '2147483647', '(-2147483648)' ],
	bigint => [ '-1', '0', '9223372036854775807', '(-9223372036854775807 - 1)' ],
	'double precision' => [ "'NaN'", "'Infinity'", "'-Infinity'", '1e308', "'4.9e-324'", '-1', '2' ],
	text => [ "''", "repeat('x', 1000000)", q{'a"b'}, q{e'\'\\;%s'}, "'rotate'", "'head'" ],
	boolean => [ 'true', 'false' ],
	jsonb => [ map { quoted($_) } 'null', '[]', '{}', '1', '"x"', '{"discount": 1}', '{"discount": {"rules": "x", "all": 0.1}}',
		'{"discount": {"rules": 1e999, "all": 0.1}}', '{"discount": {"rules": 0.1, "all": 0.1}, "calibration": []}',
		'{"discount": {"rules": 0.1, "all": 0.1}, "calibration": {"all": {"slope": "NaN", "offset": 1e308}}}',
		'{"gamma": "1e309", "norm": 2}', '{"gamma": 9, "norm": 1, "reciprocal": true}', '{"gamma": "' . ('x' x 100000) . '", "norm": 1}' ],
	'real[]' => [ "'{}'", "'{null}'", "'{{1,2},{3,4}}'", "'{1}'", "array_fill('NaN'::real, array[16])", "array_fill('Infinity'::real, array[8])",
		"array_fill(3e38::real, array[16])", "array_fill(1e-45::real, array[8])", "array_fill(1::real, array[100000])", "'[-5:2]={1,2,3,4,5,6,7,8}'" ],
	'double precision[]' => [ "'{}'", "'{null}'", "'{{1,2},{3,4}}'", "'{1}'", "array_fill('NaN'::float8, array[9])", "array_fill(1e308::float8, array[9])" ],
	'integer[]' => [ "'{}'", "'{null}'", "'{1,2,3}'", "'{{1,-1,-2}}'", "'{{null,-1,-2}}'", "'{{2147483647,-1,-2}}'", "'{{-2147483648,-2147483648,-2147483648}}'",
		"'{{-1,-2,5}}'", "'{{2,-1,-3},{2,-3,-2},{2,-1,-2},{2,-2,-1},{2,-1,-3},{2,-3,-1}}'", 'array_fill(1, array[100000, 3])', "'{{1,-12,-13},{1,-1,-2}}'",
		"'{{1,0,0}}'", "'{{{1,-1,-2}}}'", "'[0:0][0:2]={{1,-1,-2}}'" ],
	bytea => [ "''", q{'\x00'}, "decode(repeat('ff', 100000), 'hex')", 'DATA || DATA', 'substr(DATA, 2)', "decode(repeat('00', octet_length(DATA)), 'hex')",
		"decode(repeat('7f', octet_length(DATA)), 'hex')" ],
	'timestamp with time zone' => [ "'infinity'", "'-infinity'", "'epoch'" ]);
my @types = qw(text bigint real jsonb bytea text[]);

# All damages, as statements: of columns, of tables
sub damages
{
	my @damages;
	my %seen;

	foreach (split /\n/, $node->safe_psql('postgres', q{select concat_ws('|', relname, attname, format_type(atttypid, -1)) from pg_class c join pg_attribute a on a.attrelid = c.oid
		where relnamespace = 'g'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped order by relname, attnum}))
	{
		my ($name, $column, $type) = split /\|/;
		my $table = "g.$name";
		my $release = "select catalogue.release('$table')";

		push @damages, "$release; update $table set $column = null", "$release; update $table set $column = null where ctid = (select min(ctid) from $table)",
			(map { my $value = $_ =~ s/DATA/$column/gr; ("$release; update $table set $column = $value",
				"$release; update $table set $column = $value where ctid = (select min(ctid) from $table)") } @{ $values{$type} // [] }),
			"alter table $table drop column $column cascade", "alter table $table rename column $column to other",
			map { "$release; drop trigger if exists inserted on $table; alter table $table alter $column type $_ using $column\::text::$_" } @types;
		next if $seen{$name}++;
		push @damages, "delete from $table", "drop table $table cascade", "alter table $table rename to other", "$release; insert into $table select * from $table",
			(map { "alter table $table rename to other; create $_" } "view $table as select * from g.other", "table $table ()", "sequence $table", "type $table as (a int)",
				"materialized view $table as select * from g.other", "table $table (like g.other) partition by hash ((1))"),
			"create table g.child () inherits ($table); insert into g.child select * from only $table limit 3", "alter table $table disable trigger all",
			"alter table $table enable row level security, force row level security", "alter table $table add extra text not null default 'x'",
			(map { "create rule nothing as on $_ to $table do instead nothing" } qw(insert update delete)),
			"create function pg_temp.nothing() returns trigger language plpgsql as 'begin return null; end'; create trigger nothing before insert or update or delete on $table for each row execute function pg_temp.nothing()";
	}
	# in an order that has nothing to do with tables, the same in every run
	return sort { md5_hex(encode_utf8($a)) cmp md5_hex(encode_utf8($b)) } @damages;
}

my $predictions = q{select md5(string_agg(p::text, '|')) from hkg_predict_tails('g', 'e1', 'r1', 10, 'm') p};
my $kept = $node->safe_psql('postgres', $predictions);
my @calls = map { call_of($_) } grep { $_->{name} !~ /background|tune/ } functions($node);
my @damages = damages();

push @calls, q{hkg_resume('g', 'broken')}, q{hkg_train('g', dimensions => 8, iterations => 1, epochs => 1, model => 'm', warm_start => true)},
	q{hkg_train('g', dimensions => 8, iterations => 1, epochs => 1, model => 'of_test', settings => jsonb_build_object('rules_of', 'm'))};
# Each damage, and some of the calls: as many as there are damages in the long form
my $figures = campaign('damage', 60, 3 * @damages, sub {
	my ($number) = @_;
	my $damage = $damages[ ($number - 1) % @damages ];
	my @some = sort { rand() <=> 0.5 } @calls;
	my @wrong;

	splice @some, 12;
	# what a session knows before the damage, it must not believe after it; all in a transaction, which goes back
	my ($code, $out, $err) = $node->psql('postgres', "begin; $predictions; \\o /dev/null\n$damage;\n\\o\n" .
		join("\n", map { 'select catalogue.try(' . quoted($_) . ');' } @some) . "rollback; $predictions;", on_error_stop => 0);
	count('calls', scalar(@some));
	if ($err =~ /ERROR/ && $err !~ /server closed|statement timeout/)
	{
		count('refused');
		return (substr($damage, -150) . ': refused');
	}
	foreach my $report (reports_of($out, $err, @some))
	{
		count('errors') if $report->{state} ne '00000';
		push @wrong, "$report->{call}: $report->{state} $report->{text}" if $report->{state} =~ /^(XX|LOST|58)/;
		push @wrong, "$report->{call}: took $report->{ms} ms" if $report->{ms} >= 10000;
		push @wrong, "$report->{call}: a message of $report->{length} characters: $report->{text}" if $report->{state} ne '00000' && $report->{length} > 2500;
		highest('max_ms', $report->{ms});
	}
	push @wrong, 'other predictions' if $out !~ /\n$kept\z/;
	return (substr($damage, -150), map { substr($_, 0, 600) } @wrong);
});
cmp_ok($figures->{refused} // 0, '<=', $figures->{cases} / 2, 'most damages are done');
cmp_ok($figures->{errors} // 0, '>=', $figures->{cases}, 'and found by a call or more each, on average');
is($node->safe_psql('postgres', $predictions), $kept, 'the model predicts as before');

# a session that has read the facts, when their table is gone
my (undef, undef, $gone) = $node->psql('postgres', "\\set VERBOSITY sqlstate\n$predictions; begin; alter table g.triple rename to other; select hkg_score('g', 'e1', 'r1', 'e2', 'm')");
like($gone, qr/^psql:.*ERROR:  42P01$/, 'a table that is gone is named');

# facts that come beside the damage have all be read again in the midst of it
my $midst = join '; ', map { "select catalogue.try($_)" } quoted(q{hkg_load('g', $$values ('e1', 'r1', 'e2')$$)}), quoted(q{hkg_predict_tails('g', array['e1'], 'r1', model => 'm')});
is((split /\n/, $node->safe_psql('postgres', "begin; $predictions; drop trigger inserted on g.evidence_weight; alter table g.evidence_weight alter scale type real; $midst; rollback; $predictions"))[-1],
	$kept, 'weights that were altered and went back');

done_testing();
