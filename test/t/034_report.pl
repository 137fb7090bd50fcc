# hkg_report: a page that is data and a script, whatever the names are; what Chromium draws, light and dark;
# with few rights, on a standby, of empty and odd graphs; a cancel ends it within 100 ms.

use strict;
use warnings;

use lib 'test/perl';
use Chromium;
use Encode qw(decode encode);
use Graph;
use JSON::PP;
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

# the figures of a page, whose own markup is that of every other page
my $frame;
sub figures_of
{
	my ($page, $name) = @_;
	my ($before, $data, $after) = $page =~ /\A(.*<script type="application\/json" id="data">)(.*?)(<\/script>.*)\z/s or die "no data: " . substr $page, 0, 200;

	$frame //= $before . $after;
	is($before . $after, $frame, "$name: the page is that of any graph");
	unlike($data, qr/[^\x20-\x3B\x3D\x3F-\x7E]|&/, "$name: its data is ASCII and has no markup");
	return decode_json($data);
}

sub left_out
{
	my ($figures) = @_;

	return join '; ', map { $_->{left_out} } grep { ref eq 'HASH' && $_->{left_out} } $figures->{about}, map { @{$_}{ sort keys %$_ } } @{ $figures->{models} };
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
	select hkg_train('<g> & "h"', 'complex', 16, iterations => 3, epochs => 3, top_rules => 20, evidence_rules => 300, omega => 0.3, model => '<b>"m', settings => jsonb_build_object('min_quality', 0.2));
	select hkg_train('<g> & "h"', 'distmult', 8, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'plain');
});
my $graph = q{'<g> & "h"'};


my $text = page(qq{hkg_report($graph, '<b>"m')});
my $figures = figures_of($text, 'hostile names');
my $model = $figures->{models}[0];
is(join(' ', sort keys %$model), 'accuracy calibration cost map missing name rules training', 'the sections of a model');
is(left_out($figures), '', 'nothing is left out');
is($figures->{graph}, '<g> & "h"', 'the name of the graph');
is($model->{name}, '<b>"m', 'of the model');
my %drawn = map { $_->[0] =~ s/\x{FFFE}/\x{FFFD}/r => 1 } @{ $model->{map}{point} };
ok($drawn{s/\x{FFFE}/\x{FFFD}/r}, 'a hostile name is data: ' . encode('UTF-8', substr($_, 0, 30) =~ s/[\x00-\x1F]/./gr)) foreach @hostile;
cmp_ok(length $text, '<', 600_000, 'its size');

# the numbers are those of the tables
is($figures->{about}{facts}, $primary->safe_psql('postgres', q{select count(*) from "<g> & ""h""".triple}), 'the number of facts');
my ($weighted, $triples) = (0, 0);
foreach my $row (@{ $model->{accuracy}{all} })
{
	$weighted += $row->[1] * ($row->[2] + $row->[3]) / 2;
	$triples += $row->[1];
}
is(sprintf('%.4f', $weighted / $triples), $primary->safe_psql('postgres', qq{select to_char(mrr, 'FM0.0000') from hkg_evaluate($graph, 'test', '<b>"m') where side = 'both'}),
	'the MRR of hkg_evaluate');
is($model->{rules}{mined}, $primary->safe_psql('postgres', q{select count(*) from "<g> & ""h""".rule where model = '<b>"m' and support is not null}), 'the number of rules');
is($model->{rules}{selected}, 20, 'of which some are selected');
is(scalar(@{ $model->{map}{point} }), $primary->safe_psql('postgres', q{select count(*) from "<g> & ""h""".entity}), 'a point for each entity');
ok(!(grep { $_->[0] eq 'label_smoothing' } @{ $model->{training}{setting} }), 'a setting that is 0, as by default, is not listed');
my $data = decode_json(encode('UTF-8', decode('UTF-8', page(qq{hkg_report($graph, '<b>"m', null, 'json')}))));
is_deeply([ map { $data->{models}[0]{$_} } qw(accuracy rules map missing) ], [ map { $model->{$_} } qw(accuracy rules map missing) ], 'as JSON it has the same figures');
my @explained = grep { @{ $_->[4] // [] } > 0 } @{ $model->{missing}{fact} };
cmp_ok(scalar(@explained), '>', 0, 'missing facts with reasons');

# ---- in a browser --------------------------------------------------------------------------------------------------

sub write_page
{
	my ($text) = @_;
	my $file = "$PostgreSQL::Test::Utils::tmp_check/page.html";

	open my $handle, '>', $file or die "$file: $!";
	print $handle $text;
	close $handle;
	return $file;
}

SKIP:
{
	skip 'Chromium is not installed', 1 if !defined Chromium::program();
	my $browser = Chromium->open(write_page($text));

	is($browser->evaluate('document.body.dataset.drawn'), 'yes', 'the page is drawn');
	is(join(' ', $browser->complaints), '', 'without a complaint of the browser');
	is(scalar(my @loaded = $browser->requests), 1, 'nothing but the file is loaded');
	is($browser->evaluate(q{fetch('https://example.org/').then(() => 'loaded', () => 'refused')}), 'refused', 'nor could anything be');
	is($browser->evaluate('document.title'), "Knowledge graph \x{2068}<g> & \"h\"\x{2069}", 'its title');
	is($browser->evaluate(q{[...document.querySelectorAll('section')].map(s => s.id).join(' ')}), 'graph training accuracy calibration rules map missing cost', 'its sections');
	is($browser->evaluate(q{document.querySelectorAll('svg[role=img]').length}), 8, 'pictures: degrees, loss, MRR, time, accuracy, reliability, rules, map');
	is($browser->evaluate(q{[...document.querySelectorAll('svg[role=img]')].filter(s => !s.querySelector('desc').textContent).length}), 0, 'each is described');
	is($browser->evaluate(q{document.querySelectorAll('.left-out').length}), 0, 'nothing is left out');
	is($browser->evaluate(q{document.querySelectorAll('img, iframe, object, link, [onload], [onerror], [style]:not(#tip)').length}), 0, 'no name became an element');
	is($browser->evaluate(q{document.querySelectorAll('script').length}), 2, 'and there are two scripts: the data and the page');
	foreach my $name ($hostile[0], "a\x{2401}b\tc\r\nd\x{2421}" =~ s/\r/\x{240D}/r)
	{
		ok($browser->evaluate('[...document.querySelectorAll("circle")].some(c => (c.dataset.tip || "").startsWith(' . JSON::PP->new->allow_nonref->ascii->encode("$name\n") . '))'),
			'a hostile name is text: ' . encode('UTF-8', $name =~ s/[\r\n\t]/ /gr));
	}
	is($browser->evaluate(q{[...document.querySelectorAll('text, polyline, circle, rect, line')].filter(e => /NaN|undefined|Infinity/.test(e.outerHTML)).length}), 0, 'every figure is a number');

	# a click sorts numbers with the highest first, the next one turns it round
	my $column = q{[...document.querySelectorAll('#graph tbody')[0].rows].map(r => +r.cells[4].textContent)};
	my $sort = q{document.querySelectorAll('#graph th button')[4].click()};
	my $state = q{document.querySelectorAll('#graph th')[4].getAttribute('aria-sort')};
	my $before = $browser->evaluate($column);
	my @rising = sort { $a <=> $b } @$before;
	isnt("@$before", "@rising", 'relations are not listed by their heads per tail');
	$browser->evaluate($sort);
	is(join(' ', @{ $browser->evaluate($column) }, $browser->evaluate($state)), join(' ', reverse(@rising), 'descending'), 'a click sorts');
	$browser->evaluate($sort);
	is(join(' ', @{ $browser->evaluate($column) }, $browser->evaluate($state)), join(' ', @rising, 'ascending'), 'another one turns it round');

	# an entity, one of its neighbours, and back
	$browser->evaluate(q{document.querySelector('#graph td button').click()});
	my $first = $browser->evaluate(q{document.querySelector('dialog[open] h2').textContent});
	is($first, $browser->evaluate(q{document.querySelector('#graph td button').textContent}), 'a click on an entity shows it');
	my $facts = $browser->evaluate(q{[...document.querySelectorAll('dialog tbody tr')].map(r => [r.cells[0].textContent, r.cells[2].textContent])});
	cmp_ok(scalar(@$facts), '>', 0, 'with facts');
	is(scalar(grep { $_->[0] ne $first && $_->[1] ne $first } @$facts), 0, 'of its own');
	$browser->evaluate(q{document.querySelector('dialog .clicks').dispatchEvent(new MouseEvent('click'))});
	isnt($browser->evaluate(q{document.querySelector('dialog h2').textContent}), $first, 'a click on a neighbour goes there');
	$browser->evaluate(q{document.querySelector('dialog .bar button').click()});
	is($browser->evaluate(q{document.querySelector('dialog h2').textContent}), $first, 'and Back goes back');
	$browser->evaluate(q{document.querySelector('dialog .close').click()});
	ok(!$browser->evaluate(q{document.querySelector('dialog').open}), 'Close closes it');

	# the reasons for a fact
	my ($place) = grep { @{ $model->{missing}{fact}[$_][4] // [] } > 0 } 0 .. $#{ $model->{missing}{fact} };
	my $reasons = $model->{missing}{fact}[$place][4];
	$browser->evaluate("document.querySelectorAll('#missing .why')[$place].click()");
	is($browser->evaluate(q{document.querySelectorAll('dialog tbody tr').length}), scalar(@$reasons), 'all reasons for a missing fact');
	my $shares = grep { defined $_->[2] } @$reasons;
	is($browser->evaluate(q{document.querySelectorAll('dialog figure rect[data-tip]:not(.node)').length}), $shares > 9 ? 9 : $shares, 'a bar for each share');
	cmp_ok($browser->evaluate(q{document.querySelectorAll('dialog .node').length}), '>=', 2, 'the fact as a picture');
	$browser->evaluate(q{document.querySelector('dialog .close').click()});

	# a tooltip
	is($browser->evaluate(q{(() => { const c = document.querySelector('#rules circle[data-tip]'); c.dispatchEvent(new MouseEvent('mousemove', {bubbles: true, clientX: 50, clientY: 50}));
		const t = document.getElementById('tip'); return String(!t.hidden && t.textContent === c.dataset.tip); })()}), 'true', 'a mark has a tooltip');

	my $colours = q{(s => [s.backgroundColor, s.color].join())(getComputedStyle(document.body))};
	my %seen;
	foreach my $scheme (qw(light dark))
	{
		$browser->command('Emulation.setEmulatedMedia', { features => [ { name => 'prefers-color-scheme', value => $scheme } ] });
		$seen{$scheme} = $browser->evaluate($colours);
	}
	is($seen{light}, 'rgb(255, 255, 255),rgb(27, 36, 48)', 'light');
	is($seen{dark}, 'rgb(21, 25, 31),rgb(230, 234, 240)', 'dark');
	$browser->close;
}

# what a browser shows of a page: its text
sub shown
{
	my ($page) = @_;

	return undef if !defined Chromium::program();
	my $browser = Chromium->open(write_page($page));
	my $text = $browser->evaluate('document.body.dataset.drawn === "yes" ? document.body.innerText : "not drawn"') . join '', $browser->complaints;

	$browser->close;
	return $text;
}

# ---- odd graphs and models ---------------------------------------------------------------------------------------------

sub shows
{
	my ($query, $pattern, $name) = @_;
	my $page = page($query);

	figures_of($page, $name);
	SKIP:
	{
		my $text = shown($page);
		skip 'Chromium is not installed', 1 if !defined $text;
		like($text, $pattern, $name);
	}
	return;
}

shows(qq{hkg_report($graph, 'plain')}, qr/The model has no rules/, 'a model without rules');
my $two = figures_of(page(qq{hkg_report($graph, '<b>"m', 'plain')}), 'two models');
is(join('|', map { $_->{name} } @{ $two->{models} }), '<b>"m|plain', 'they stand side by side');
$primary->safe_psql('postgres', q{select hkg_create_graph('empty')});
shows(q{hkg_report('empty')}, qr/no facts yet.*no model/s, 'an empty graph');
$primary->safe_psql('postgres', q{select hkg_create_graph('one'); select hkg_load('one', 'values (''a'', ''r'', ''b''), (''a'', ''r'', ''a'')')});
shows(q{hkg_report('one')}, qr/no model yet/, 'two facts without a model');
$primary->safe_psql('postgres', q{select hkg_import_rules('one', 'r(X,Y) <= r(Y,X)', model => 'imported')});
shows(q{hkg_report('one', 'imported')}, qr/was not trained here(?!.*settings are the defaults)/s, 'imported rules');
$primary->safe_psql('postgres', q{select hkg_train('one', 'transe', 4, iterations => 1, epochs => 1)});
$primary->safe_psql('postgres', q{insert into one.entity values (2000000000, 'far')});
$primary->safe_psql('postgres', q{insert into one.relation values (9, 'later'); insert into one.triple values (2000000000, 9, 1)});
shows(q{hkg_report('one')}, qr/has learnt no probabilities.*a prediction of ten tails/s, 'a gap in the ids, a relation that came after the training');

my (undef, undef, $error) = $primary->psql('postgres', qq{select hkg_report($graph, 'no model')});
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
my $as_reader = sub { return figures_of($primary->safe_psql('postgres', qq{set role reader; select hkg_report($graph, '<b>"m')}), 'a reader') };
is(left_out($as_reader->()), '', 'anyone who may read all tables sees all');
$primary->safe_psql('postgres', q{revoke select on "<g> & ""h""".holdout, "<g> & ""h""".rule from reader});
$figures = $as_reader->();
like(left_out($figures), qr/permission denied for table rule/, 'the rules are left out');
ok(!exists $figures->{about}{test}, 'and so are the facts held out');
is(scalar(keys %{ $figures->{models}[0] }), 8, 'the other sections are there');
cmp_ok(scalar(@{ $figures->{models}[0]{training}{iteration} }), '==', 3, 'such as the training');
$primary->safe_psql('postgres', q{revoke select on all tables in schema "<g> & ""h""" from reader});
$primary->safe_psql('postgres', q{grant select on "<g> & ""h""".model to reader});
like(left_out($as_reader->()), qr/permission denied for table (entity|triple)/, 'anyone who may read the list of models alone sees no more');

# row security: what the reader sees is what is counted
$primary->safe_psql('postgres', q{
	grant select on all tables in schema "<g> & ""h""" to reader;
	alter table "<g> & ""h""".triple enable row level security;
	create policy few on "<g> & ""h""".triple to reader using (head % 7 = 0)});
is($as_reader->()->{about}{facts}, $primary->safe_psql('postgres', q{set role reader; select count(*) from "<g> & ""h""".triple}), 'row security hides facts from the page');
$primary->safe_psql('postgres', q{drop policy few on "<g> & ""h""".triple; alter table "<g> & ""h""".triple disable row level security});

# ---- it writes nothing ------------------------------------------------------------------------------------------------------------

$primary->wait_for_catchup($standby);
is(left_out(figures_of(page(qq{hkg_report($graph, '<b>"m')}, $standby), 'a standby')), '', 'on a standby nothing is left out');
is($primary->safe_psql('postgres', qq{begin read only; select length(hkg_report($graph, '<b>"m')) > 0; commit}), 't', 'a transaction that only reads');
is($primary->safe_psql('postgres', qq{select txid_current_if_assigned() is null from (select length(hkg_report($graph, '<b>"m')) offset 0) p}), 't', 'no transaction is numbered');

# ---- other encodings -----------------------------------------------------------------------------------------------------------------

foreach my $encoding ([ 'LATIN1', "chr(233)", 'e9' ], [ 'SQL_ASCII', q{e'\\xff'}, 'fffd' ])
{
	my ($name, $letter, $code) = @$encoding;

	$primary->safe_psql('postgres', "create database odd encoding '$name' lc_collate 'C' lc_ctype 'C' template template0");
	$primary->safe_psql('odd', qq{create extension hybridkg; select hkg_create_graph('g');
		insert into g.entity (name) values ('caf' || $letter), ('b'); insert into g.relation (name) values ('r'); insert into g.triple values (1, 1, 2)});
	my $hubs = figures_of($primary->safe_psql('odd', q{select hkg_report('g')}), "a database in $name")->{about}{hub};
	ok((grep { $_->[0] eq 'caf' . chr hex $code } @$hubs), "a name of a database in $name");
	$primary->safe_psql('postgres', 'drop database odd');
}

# ---- memory, cancel ------------------------------------------------------------------------------------------------------------------

make_graph($primary, 'big', 2000, 30000);
$primary->safe_psql('postgres', q{select hkg_train('big', 'complex', 64, iterations => 1, epochs => 1, top_rules => 20, evidence_rules => 500, paths => false)});

# the list of missing facts, drawn from too many questions to ask all: each has the probability of hkg_complete
my $list = figures_of(page(q{hkg_report('big')}), 'a larger graph')->{models}[0]{missing};
cmp_ok($list->{asked}, '>', 100, 'a list from a sample of the questions');
my @missing = @{ $list->{fact} };
cmp_ok(scalar(@missing), '>=', 20, 'which has facts');
my $values = join ', ', map { "('$_->[0]', '$_->[1]', '$_->[2]')" } @missing;
my @complete = split /\n/, $primary->safe_psql('postgres', qq{
	with listed as materialized (select row_number() over () as place, f.* from (values $values) f (head, relation, tail))
	select c.probability from listed l, hkg_complete('big', l.relation, 1, min_probability => 0, heads => array[l.head], candidates => array[l.tail]) c order by l.place});
is(scalar(grep { abs($missing[$_][3] - $complete[$_]) > 1e-9 } 0 .. $#missing), 0, 'with the probabilities of hkg_complete');
is(scalar(grep { $complete[$_] > $complete[ $_ - 1 ] + 1e-9 } 1 .. $#complete), 0, 'most probable first');

# a name that could be a part of a query or of the page
foreach my $name ('%answers%', '@data@', q{%1$I '; --})
{
	my $quoted = $name =~ s/'/''/gr;

	$primary->safe_psql('postgres', qq{alter schema big rename to "$name"});
	$list = figures_of(page(qq{hkg_report('$quoted')}), "graph $name")->{models}[0]{missing};
	is_deeply([ map { [ @$_[ 0 .. 3 ] ] } @{ $list->{fact} } ], [ map { [ @$_[ 0 .. 3 ] ] } @missing ], "the same list for graph $name");
	$primary->safe_psql('postgres', qq{alter schema "$name" rename to big});
}

$figures = figures_of($primary->safe_psql('postgres', q{load 'hybridkg'; set hybridkg.max_memory = '1MB'; select hkg_report('big')}), 'little memory');
like(left_out($figures), qr/max_memory/, 'what needs too much memory is left out');
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
