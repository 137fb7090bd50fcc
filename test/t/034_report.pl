# hkg_report and hkg_explain_svg: well-formed markup whatever the names are, all parts there, nothing that runs or is
# loaded; with few rights, on a standby, of empty and odd graphs; a cancel ends it within 100 ms.

use strict;
use warnings;

use lib 'test/perl';
use Encode qw(decode encode);
use Graph;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "hybridkg.progress = off\nlog_statement = none");
$primary->start;
$primary->safe_psql('postgres', 'create extension hybridkg');
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

sub page
{
	my ($query, $node) = @_;

	return ($node // $primary)->safe_psql('postgres', "select $query");
}

# ---- a strict reader of XML, as far as these pages use it: no comments, no CDATA --------------------------------

my %entity = (lt => '<', gt => '>', amp => '&', quot => '"');

sub unescape
{
	my ($text) = @_;

	die "a character that must be escaped: $text" if $text =~ /[<>"]|&(?!(?:\w+|#\d+);)/;
	$text =~ s/&(?:#(\d+)|(\w+));/defined $1 ? chr $1 : $entity{$2} \/\/ die "unknown entity $2"/ge;
	die 'a character that XML does not have' if $text =~ /[^\x{9}\x{A}\x{20}-\x{D7FF}\x{E000}-\x{FFFD}\x{10000}-\x{10FFFF}]/;
	return $text;
}

# parse PAGE: its elements in order, each with tag, attributes, path, and the text right inside it; dies where it is not well-formed
sub parse
{
	my ($page) = @_;
	my (@open, @elements, %seen);

	die 'not ASCII' if $page =~ /[^\x09\x0A\x20-\x7E]/;
	$page =~ s/\A<!DOCTYPE html>\n//;
	while ($page =~ /\G(?:<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+))/gc)
	{
		my ($end, $tag, $attributes, $empty, $text) = ($1, $2, $3, $4, $5);

		if (defined $text)
		{
			die "text outside: $text" if !@open && $text =~ /\S/;
			$open[-1]{text} .= unescape($text) if @open;
			next;
		}
		if ($end)
		{
			my $element = pop @open or die "</$tag> without a start";
			die "</$tag> ends <$element->{tag}>" if $element->{tag} ne $tag;
			$open[-1]{inside} .= $element->{text} . ($element->{inside} // '') if @open;
			next;
		}
		my $element = { tag => $tag, text => '', attributes => {}, path => join('/', map { $_->{tag} } @open) };
		while ($attributes =~ /([\w:-]+)="([^"]*)"/g)
		{
			die "$tag has $1 twice" if exists $element->{attributes}{$1};
			$element->{attributes}{$1} = unescape($2);
		}
		die "id $element->{attributes}{id} twice" if defined $element->{attributes}{id} && $seen{ $element->{attributes}{id} }++;
		push @elements, $element;
		push @open, $element if !$empty;
	}
	die 'stopped at ' . substr($page, pos($page) // 0, 80) if (pos($page) // 0) < length $page;
	die 'not closed: ' . join ' ', map { $_->{tag} } @open if @open;
	return \@elements;
}

sub tags
{
	my ($elements, $tag) = @_;

	return grep { $_->{tag} eq $tag } @$elements;
}

sub all_text
{
	my ($elements) = @_;

	return join "\n", map { $_->{text} } @$elements;
}

# well_formed PAGE NAME: parsed, by a program as well where there is one; nothing on it runs or is loaded
sub well_formed
{
	my ($page, $name) = @_;
	my $elements = eval { parse($page) };
	my $wrong = $@;

	is($wrong, '', "$name is well-formed");
	SKIP:
	{
		skip 'xmllint is not installed', 1 if system('command -v xmllint >/dev/null') != 0;

		my $file = "$PostgreSQL::Test::Utils::tmp_check/page.xml";
		open my $handle, '>', $file or die "$file: $!";
		print $handle $page;
		close $handle;
		is(qx(xmllint --noout --nonet $file 2>&1), '', "xmllint reads $name");
	}
	my %harmless = map { $_ => 1 } qw(html head meta title style body header main section nav footer p h1 h2 h3 ul li a b bdi span div figure figcaption
	  table thead tbody tr th td svg desc text line path circle rect);
	is(join(' ', grep { !$harmless{$_} } map { $_->{tag} } @$elements), '', "$name has no other elements");
	is(join(' ', grep { /^on|^src$|^style$/ } map { keys %{ $_->{attributes} } } @$elements), '', "$name has no attributes that run or load");
	is(join(' ', grep { !/^#/ } map { $_->{attributes}{href} // () } @$elements), '', "links of $name stay on the page");
	unlike(all_text([ tags($elements, 'style') ]), qr/url|import|<|&/, "its style loads nothing");
	my @pictures = grep { ($_->{attributes}{role} // '') eq 'img' } tags($elements, 'svg');
	is(scalar(grep { $_->{path} =~ /(^|\/)svg$/ && $_->{text} ne '' } tags($elements, 'desc')), scalar(@pictures), "each picture of $name is described");
	return $elements;
}

# ---- a graph with names that would do harm ------------------------------------------------------------------------

my @hostile = ('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onload='alert(1) %s%n\$1", ']]><!--', '&lt;b&amp;', "a\x{1}b\tc\r\nd\x{7F}",
	"\x{5D0}\x{5D1}\x{5D2} (x) \x{202E}left", "\x{FFFE}\x{1F600}", 'x' x 2000, '</svg></style>');
my $names = join ', ', map { my $name = encode('UTF-8', $_); $name =~ s/([^\w])/sprintf '\\%03o', ord $1/ge; "convert_from('$name', 'UTF8')" } @hostile;

make_graph($primary, 'g', 200, 1500);
$primary->safe_psql('postgres', qq{
	alter schema g rename to "<g> & ""h""";
	set search_path = "<g> & ""h""", public;
	with name as (select n, place from unnest(array[$names]) with ordinality u (n, place)),
		hub as (select id, row_number() over (order by facts desc, id) as place
			from (select id, count(*) as facts from (select head as id from triple union all select tail from triple) t group by id) d)
	update entity e set name = n.n from hub join name n using (place) where e.id = hub.id;
	update relation set name = '<script>r1("' where name = 'r1';
	update relation set name = convert_from('\\327\\251\\327\\234\\327\\225\\327\\235', 'UTF8') where name = 'r3';
	insert into holdout select 'test', head, relation, tail from holdout where split = 'valid' and (head + tail) % 2 = 0;
	delete from holdout v using holdout t where v.split = 'valid' and t.split = 'test' and (v.head, v.relation, v.tail) = (t.head, t.relation, t.tail);
	select hkg_train('<g> & "h"', 'complex', 16, iterations => 3, epochs => 3, top_rules => 20, omega => 0.3, model => '<b>"m', settings => jsonb_build_object('min_quality', 0.2));
	select hkg_train('<g> & "h"', 'distmult', 8, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'plain');
});
my $graph = q{'<g> & "h"'};

my $text = page(qq{hkg_report($graph, '<b>"m')});
my $elements = well_formed($text, 'a page of hostile names');
my @sections = map { $_->{attributes}{id} } tags($elements, 'section');
is("@sections", 'graph training accuracy calibration rules map missing cost', 'its sections');
is(scalar(grep { ($_->{attributes}{role} // '') eq 'img' } tags($elements, 'svg')), 8,
	'pictures: degrees, loss, MRR, time, accuracy, reliability, rules, map');
cmp_ok(scalar(tags($elements, 'table')), '>=', 8, 'tables');
is(scalar(grep { ($_->{attributes}{class} // '') eq 'left-out' } tags($elements, 'p')), 0, 'nothing is left out')
  or diag(all_text([ grep { ($_->{attributes}{class} // '') eq 'left-out' } tags($elements, 'p') ]));

# what a reader of the page sees of a name: control characters are their pictures
my %isolated = map { $_->{text} => 1 } tags($elements, 'bdi');
foreach my $name (@hostile)
{
	my $seen = $name =~ s/([\x00-\x08\x0B-\x1F])/chr(0x2400 + ord $1)/ger =~ s/\x7F/\x{2421}/r =~ s/[\x{FFFE}\x{FFFF}]/\x{FFFD}/gr;

	ok($isolated{$seen}, 'a hostile name is text: ' . encode('UTF-8', substr($seen, 0, 30)));
}
ok($isolated{'<script>r1("'}, 'a relation, too');
my $caption = $1 if all_text([ tags($elements, 'title') ]) =~ /(Knowledge graph .*)/;
is($caption, "Knowledge graph \x{2068}<g> & \"h\"\x{2069}", 'the title of the page');

# the numbers are those of the tables
my $counted = $primary->safe_psql('postgres', q{select to_char(count(*), 'FM999,999') from "<g> & ""h""".triple});
ok((grep { $_->{text} eq $counted } tags($elements, 'b')), 'the number of facts');
my $mrr = $primary->safe_psql('postgres', qq{select to_char(mrr, 'FM0.000') from hkg_evaluate($graph, 'test', '<b>"m') where side = 'both'});
like(all_text($elements), qr/\b\Q$mrr\E\b/, 'the MRR of hkg_evaluate');
my $rules = $primary->safe_psql('postgres', q{select count(*) from "<g> & ""h""".rule where model = '<b>"m' and support is not null});
like(all_text($elements), qr/The model has $rules rules with counts, of which 20 are selected/, 'the number of rules');
my $circles = grep { ($_->{attributes}{class} // '') =~ /^bubble/ && $_->{path} =~ /figure\/svg$/ } tags($elements, 'circle');
is($circles, $primary->safe_psql('postgres', q{select count(*) from "<g> & ""h""".rule where model = '<b>"m' and embedding_confidence is not null}),
	'a bubble for each rule with an embedding confidence');
my $points = () = join(' ', map { $_->{attributes}{d} } grep { ($_->{attributes}{class} // '') =~ /^cloud/ } tags($elements, 'path')) =~ /M/g;
is($points, $primary->safe_psql('postgres', q{select count(*) from "<g> & ""h""".entity}), 'a point for each entity');
ok(!$isolated{label_smoothing}, 'a setting that is 0, as by default, is not listed');
cmp_ok(length $text, '<', 600_000, 'its size');

# ---- an explanation -------------------------------------------------------------------------------------------------

my $fact = $primary->safe_psql('postgres', qq{select format('%L, %L, %L', head, relation, tail) from hkg_complete($graph, k => 3000, model => '<b>"m', min_probability => 0)
	where rule is not null and (head ~ '[<>]' or tail ~ '[<>]') limit 1});
isnt($fact, '', 'a missing fact about a hostile name, that a rule infers');
my $picture = page(qq{hkg_explain_svg($graph, $fact, '<b>"m')});
$elements = well_formed($picture, 'an explanation');
my @shares = map { (split /\|/)[0] } split /\n/, page(qq{to_char(share, 'FM999999990.0') from hkg_explain($graph, $fact, '<b>"m') where share is not null});
my @bars = grep { ($_->{attributes}{class} // '') =~ /^series/ } tags($elements, 'rect');
is(scalar(@bars), scalar(@shares) > 8 ? 9 : scalar(@shares), 'a bar for each share, or one for those beyond eight');
cmp_ok(scalar(grep { ($_->{attributes}{class} // '') =~ /^node/ } tags($elements, 'rect')), '>=', 2, 'nodes');
cmp_ok(scalar(grep { ($_->{attributes}{class} // '') eq 'edge' } tags($elements, 'path')), '>=', 1, 'edges');

# a box is as wide as its name's letters, whatever their bytes; a Chinese one takes the room of two
my ($latin, $cyrillic, $chinese) = ('abcdefgh', "\x{431}" x 8, "\x{4e2d}" x 8);
$primary->safe_psql('postgres', encode('UTF-8', qq{select hkg_create_graph('letters');
	select hkg_load('letters', \$\$values ('$latin', 'r', '$cyrillic'), ('$cyrillic', 'r', '$chinese'), ('$latin', 's', '$chinese')\$\$);
	select hkg_import_rules('letters', 's(X,Y) <= r(X,A), r(A,Y)')}));
$elements = well_formed(page(encode('UTF-8', "hkg_explain_svg('letters', '$latin', 's', '$chinese')")), 'an explanation of names in three scripts');
my @widths = map { $_->{attributes}{width} } grep { ($_->{attributes}{class} // '') =~ /^node/ } tags($elements, 'rect');
is(join(' ', sort @widths), '136.4 77.2 77.2', 'the widths of their boxes');

# ---- odd graphs and models ---------------------------------------------------------------------------------------------

$elements = well_formed(page(qq{hkg_report($graph, 'plain')}), 'a page of a model without rules');
like(all_text($elements), qr/The model has no rules/, 'which has no rules');

$elements = well_formed(page(qq{hkg_report($graph, '<b>"m', 'plain')}), 'a page of two models');
is(scalar(grep { ($_->{attributes}{class} // '') eq 'side' } tags($elements, 'div')), 14, 'they stand side by side in seven sections');

$primary->safe_psql('postgres', q{select hkg_create_graph('empty')});
$elements = well_formed(page(q{hkg_report('empty')}), 'a page of an empty graph');
like(all_text($elements), qr/no facts yet.*no model/s, 'which has neither facts nor models');

$primary->safe_psql('postgres', q{select hkg_create_graph('one'); select hkg_load('one', 'values (''a'', ''r'', ''b''), (''a'', ''r'', ''a'')')});
well_formed(page(q{hkg_report('one')}), 'a page of two facts without a model');
$primary->safe_psql('postgres', q{select hkg_import_rules('one', 'r(X,Y) <= r(Y,X)', model => 'imported')});
$elements = well_formed(page(q{hkg_report('one', 'imported')}), 'a page of imported rules');
like(all_text($elements), qr/was not trained here/, 'which were not trained');
unlike(all_text($elements), qr/omega|settings are the defaults/i, 'and have no settings');
# a rule with an empty body infers without facts
$primary->safe_psql('postgres', q{select hkg_import_rules('one', 'r(X,"b") <=', model => 'bodiless')});
$elements = well_formed(page(q{hkg_explain_svg('one', 'a', 'r', 'b', 'bodiless')}), 'an explanation by a rule without a body');
like(all_text($elements), qr/No facts to show.*r\(X,"b"\) <=/s, 'which shows the rule, and no facts');
is(join(' ', map { $_->{attributes}{class} } grep { ($_->{attributes}{class} // '') =~ /^series/ } tags($elements, 'rect')), 'series-1', 'in the colour of rules');
$primary->safe_psql('postgres', q{select hkg_train('one', 'transe', 4, iterations => 1, epochs => 1)});
$primary->safe_psql('postgres', q{insert into one.entity values (2000000000, 'far')});
$primary->safe_psql('postgres', q{insert into one.relation values (9, 'later'); insert into one.triple values (2000000000, 9, 1)});
$elements = well_formed(page(q{hkg_report('one')}), 'a page of a model of two facts, with a gap in the ids');
like(all_text($elements), qr/a prediction of ten tails/, 'and a relation that came after the training');
like(all_text($elements), qr/has learnt no probabilities/, 'and without probabilities, as stands in place of the missing facts');

my ($status, $out, $error) = $primary->psql('postgres', qq{select hkg_report($graph, 'no model')});
like($error, qr/model "no model" does not exist/, 'a model that is not there');
(undef, undef, $error) = $primary->psql('postgres', qq{select hkg_report($graph, 'plain', 'no model')});
like($error, qr/model "no model" does not exist/, 'nor is the other one');
(undef, undef, $error) = $primary->psql('postgres', q{select hkg_report('no graph')});
like($error, qr/no graph/, 'a graph that is not there');
(undef, undef, $error) = $primary->psql('postgres', q{select hkg_report(null)});
like($error, qr/graph must not be null/, 'no graph at all');

# ---- rights -----------------------------------------------------------------------------------------------------------------

$primary->safe_psql('postgres', q{
	create role reader;
	grant usage on schema "<g> & ""h""" to reader;
	grant select on all tables in schema "<g> & ""h""" to reader});
my $as_reader = sub { return $primary->safe_psql('postgres', qq{set role reader; select hkg_report($graph, '<b>"m')}) };
my $left_out = sub { return all_text([ grep { ($_->{attributes}{class} // '') eq 'left-out' } tags($_[0], 'p') ]) };
is($left_out->(parse($as_reader->())), '', 'who may read all tables sees all');
$primary->safe_psql('postgres', q{revoke select on "<g> & ""h""".holdout, "<g> & ""h""".rule from reader});
$elements = well_formed($as_reader->(), 'a page of a reader with few rights');
like($left_out->($elements), qr/may not read table holdout/, 'the held-out facts are left out');
like($left_out->($elements), qr/permission denied for table rule/, 'and so are the rules');
is(scalar(tags($elements, 'section')), 8, 'the other sections are there');
like(all_text($elements), qr/Loss/, 'such as the training');
$primary->safe_psql('postgres', q{revoke select on all tables in schema "<g> & ""h""" from reader});
$primary->safe_psql('postgres', q{grant select on "<g> & ""h""".model to reader});
like($left_out->(parse($as_reader->())), qr/permission denied for table entity/, 'who may read the list of models alone sees no more');

# row security: what the reader sees is what is counted
$primary->safe_psql('postgres', q{
	grant select on all tables in schema "<g> & ""h""" to reader;
	alter table "<g> & ""h""".triple enable row level security;
	create policy few on "<g> & ""h""".triple to reader using (head % 7 = 0)});
my $seen = $primary->safe_psql('postgres', q{set role reader; select to_char(count(*), 'FM999,999') from "<g> & ""h""".triple});
ok((grep { $_->{text} eq $seen } tags(parse($as_reader->()), 'b')), 'row security hides facts from the page');
$primary->safe_psql('postgres', q{drop policy few on "<g> & ""h""".triple; alter table "<g> & ""h""".triple disable row level security});

# ---- it writes nothing ------------------------------------------------------------------------------------------------------------

$primary->wait_for_catchup($standby);
$elements = well_formed(page(qq{hkg_report($graph, '<b>"m')}, $standby), 'a page of a standby');
is($left_out->($elements), '', 'where nothing is left out');
well_formed(page(qq{hkg_explain_svg($graph, $fact, '<b>"m')}, $standby), 'an explanation of a standby');
is($primary->safe_psql('postgres', qq{begin read only; select length(hkg_report($graph, '<b>"m')) > 0; commit}), 't', 'a transaction that only reads');
is($primary->safe_psql('postgres', qq{select txid_current_if_assigned() is null from (select length(hkg_report($graph, '<b>"m')) offset 0) p}), 't', 'no transaction is numbered');

# ---- other encodings -----------------------------------------------------------------------------------------------------------------

foreach my $encoding ([ 'LATIN1', "chr(233)", 'e9' ], [ 'SQL_ASCII', q{e'\\xff'}, 'fffd' ])
{
	my ($name, $letter, $code) = @$encoding;

	$primary->safe_psql('postgres', "create database odd encoding '$name' lc_collate 'C' lc_ctype 'C' template template0");
	$primary->safe_psql('odd', qq{create extension hybridkg; select hkg_create_graph('g');
		insert into g.entity (name) values ('caf' || $letter), ('b'); insert into g.relation (name) values ('r'); insert into g.triple values (1, 1, 2)});
	my $page = $primary->safe_psql('odd', q{select hkg_report('g')});
	ok((grep { $_->{text} eq 'caf' . chr hex $code } tags(parse($page), 'bdi')), "a database in $name");
	$primary->safe_psql('postgres', 'drop database odd');
}

# ---- memory, cancel ------------------------------------------------------------------------------------------------------------------

make_graph($primary, 'big', 2000, 30000);
$primary->safe_psql('postgres', q{select hkg_train('big', 'complex', 64, iterations => 1, epochs => 1, top_rules => 20, paths => false)});

# the list of missing facts, drawn from too many questions to ask all: each has the probability of hkg_complete
sub missing_facts
{
	my ($section, @rows);

	foreach my $element (@{ $_[0] })
	{
		$section = $element->{attributes}{id} if $element->{tag} eq 'section';
		next if ($section // '') ne 'missing';
		push @rows, [] if $element->{tag} eq 'tr';
		push @{ $rows[-1] }, $element->{text} if $element->{tag} =~ /^(bdi|span)$/ && $element->{path} =~ /td$/;
	}
	return grep { @$_ > 0 } @rows;
}

$elements = parse(page(q{hkg_report('big')}));
like(all_text($elements), qr/Found among the answers to \d+ questions/, 'a list from a sample of the questions');
my @missing = missing_facts($elements);
cmp_ok(scalar(@missing), '>=', 20, 'which has facts');
my $values = join ', ', map { "('$_->[0]', '$_->[1]', '$_->[2]')" } @missing;
my @complete = split /\n/, $primary->safe_psql('postgres', qq{
	with listed as materialized (select row_number() over () as place, f.* from (values $values) f (head, relation, tail))
	select c.probability from listed l, hkg_complete('big', l.relation, 1, min_probability => 0, heads => array[l.head], candidates => array[l.tail]) c order by l.place});
is(scalar(grep { my ($share) = $missing[$_][3] =~ /([\d.]+) %/; abs($share - 100 * $complete[$_]) > ($share < 10 ? 0.051 : 0.51) } 0 .. $#missing), 0,
	'with the probabilities of hkg_complete');
is(scalar(grep { $complete[$_] > $complete[ $_ - 1 ] + 1e-9 } 1 .. $#complete), 0, 'most probable first');


# a name that could be a part of the query
$primary->safe_psql('postgres', 'alter schema big rename to "%answers%"');
$elements = parse(page(q{hkg_report('%answers%')}));
is(join("\n", map { "@$_" } missing_facts($elements)), join("\n", map { "@$_" } @missing), 'the same list for a graph of another name');
$primary->safe_psql('postgres', 'alter schema "%answers%" rename to big');

$elements = parse($primary->safe_psql('postgres', q{load 'hybridkg'; set hybridkg.max_memory = '1MB'; select hkg_report('big')}));
like($left_out->($elements), qr/max_memory/, 'what needs too much memory is left out');
my ($slow, $cancelled) = (0, 0);
foreach my $milliseconds (20, 200, 500, 1000, 2000)
{
	my $ended;
	foreach my $try (1 .. 4)
	{
		$ended = end_statement($primary, q{select length(hkg_report('big'))}, $milliseconds / 1000);
		last if $ended->{late} < 0.1;
	}
	$slow++ if $ended->{late} >= 0.1;
	$cancelled++ if $ended->{sqlstate} eq '57014';
}
is($slow, 0, 'a cancel ends it within 100 ms');
cmp_ok($cancelled, '>=', 2, "which $cancelled of 5 did");

done_testing();
