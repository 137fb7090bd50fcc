# Models that answer while a training in the background goes on: the first long before its end, each as a whole, none
# worse than the one before; whatever stops the training, the last one stays, and the end has the bits of a training that
# wrote none.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('early');
make_graph($node, 'g', 300, 3000, 0.1);

my $iterations = q{'distmult', dimensions => 32, iterations => 30, epochs => 10, sample_size => 100, omega => 0.5, min_quality => 0, evidence_rules => 100, seed => 3};
my $plain = "$iterations, paths => false";
my $paths = "@{[ $iterations =~ s{iterations => 30}{iterations => 2}r =~ s{evidence_rules => 100}{evidence_rules => 0}r ]}, paths => true, path_layers => 3, path_width => 16, path_kept => 50, path_epochs => 12, path_facts => 600";

sub value { return $node->safe_psql('postgres', $_[0]) }
sub train { return value('select hkg_train(' . arguments("'g', $_[0]") . ')') }
sub train_background { return value('select hkg_train_background(' . arguments("'g', $_[0]") . ')') }

# each model that is committed before the end: what it has, and how its embeddings rank the valid split
value(q{create table early (number serial, model text, iteration int, mrr float8, embeddings bigint, rules bigint, weights bigint, network bigint);
	create function public.note() returns trigger language plpgsql as $$begin
		insert into public.early (model, iteration, mrr, embeddings, rules, weights, network)
		select new.name, new.best_iteration, new.mrr, (select count(*) from g.entity_embedding where model = new.name),
			(select count(*) from g.rule where model = new.name), (select count(*) from g.evidence_weight where model = new.name),
			(select count(*) from g.path_network where model = new.name);
		return null; end$$;
	create trigger early after update of trained_at on g.model for each row when (new.status = 'training') execute function public.note()});
my $entities = value('select count(*) from g.entity');

foreach my $settings ($plain, $paths)
{
	my $network = $settings eq $paths;
	my ($whole, $bg) = $network ? ('whole 2', 'bg 2') : ('whole', 'bg');
	my ($table, $rows) = $network ? ('g.path_epoch', 10) : ('g.iteration', 20);

	train("$settings, model => '$whole'");
	is(value("select count(*) from early where model = '$whole'"), '0', "$whole: none in a training that is one transaction");

	# held where it writes another row: by then a tenth of the time is over
	my $gate = hold($node, $table, $bg, $rows);
	train_background("$settings, model => '$bg'");
	ok(is_held($node), "$bg: it trains");
	cmp_ok(value("select count(*) from early where model = '$bg'"), '>', 0, "$bg: a model was written");
	is(value("select status from g.model where name = '$bg'"), 'training', "$bg: its status");
	is(value("select count(*) from hkg_predict_tails('g', 'e1', 'r1', 5, '$bg') where probability is not null"), '5', "$bg: it answers");
	cmp_ok(value("select mrr from hkg_evaluate('g', 'valid', '$bg') where side = 'both'"), '>', 0.1, "$bg: and is measured");
	is(value(qq{select bool_or(by = 'embedding') || ' ' || count(*) filter (where by = 'all') || ' ' || bool_or(by = 'paths')
			from hkg_progress p, jsonb_to_recordset(p.curve) as c (seconds float8, mrr float8, by text) where model = '$bg'}),
		'true ' . value("select count(*) from early where model = '$bg'") . ($network ? ' true' : ' false'), "$bg: hkg_progress has the curve");
	is(value(qq{select string_agg(what, ', ') || ' ' || bool_and(seconds > 0) from hkg_progress p, jsonb_to_recordset(p.coming) as c (seconds float8, what text)
			where model = '$bg'}), $network ? 'paths, the model true' : 'embeddings, the model true', "$bg: and what follows");
	like(value("select hkg_report('g', '$bg')"), qr/"by": "all"/, "$bg: so does the report");
	let_go($node, $gate);
	ok(wait_until($node, "select status = 'ready' from g.model where name = '$bg'"), "$bg: it gets ready");
	is(left_by($node, $bg), left_by($node, $whole), "$bg: and leaves the very same as a training without");

	# killed when it has written some, and resumed
	train_and_stop($node, 'kill', "killed $bg", "'g', $settings", $table, $rows);
	my $left = q{select best_iteration || ' ' || (select count(*) from g.entity_embedding where model = name) from g.model where name = '} . "killed $bg'";
	is(value($left), value("select iteration || ' ' || embeddings from early where model = 'killed $bg' order by number desc limit 1"),
		"killed $bg: the last model that was written stays");
	is(value("select count(*) from hkg_predict_tails('g', 'e1', 'r1', 5, 'killed $bg')"), '5', "killed $bg: and answers");
	is(value("select hkg_resume('g', 'killed $bg')"), "killed $bg", "killed $bg: resumed");
	is(left_by($node, "killed $bg"), left_by($node, $whole), "killed $bg: to the very same");
}
is(value(qq{select count(*) from early where embeddings <> $entities or rules = 0 or (weights > 0) <> (network > 0 or model !~ '2\$')}), '0', 'each is whole');
is(value(q{select count(*) from early a join early b on b.model = a.model and b.number > a.number where b.mrr < a.mrr or b.network < a.network}),
	'0', 'none is worse than one before');
is(value(q{select count(*) > 0 from early where network > 0 and model like '%2'}), 't', 'some have a path network');

# the previous model stays until the end, whatever the new one is like by then
value(q{delete from early});
my $answers = q{select md5(string_agg(p::text, ';' order by score desc, tail)) from hkg_predict_tails('g', 'e1', 'r1', 20, 'bg') p};
my $before = value($answers);
my $gate = hold($node, 'g.iteration', 'bg', 20);
train_background("$plain, seed => 4, model => 'bg'" =~ s/seed => 3, //r);
ok(is_held($node), 'a model is trained again');
is(value($answers), $before, 'the previous one answers');
let_go($node, $gate);
ok(wait_until($node, q{select status = 'ready' from g.model where name = 'bg'}), 'until the new one is ready');
isnt(value($answers), $before, 'which differs');
is(value(q{select count(*) from early}), '0', 'none came in between');

done_testing();
