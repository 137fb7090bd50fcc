# The same seed and facts give the same bits, whatever hybridkg.threads is.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('determinism');
make_graph($node, 'g', 400, 3000);

# all that a training leaves but its name and its times
sub trained
{
	my ($function, $threads, $seed, $more) = @_;

	$node->safe_psql('postgres', qq{
		set hybridkg.threads = $threads;
		select hkg_train(@{[ arguments(qq{'g', '$function', dimensions => 24, iterations => 2, epochs => 3, batch_size => 100,
			negatives => 50, top_rules => 20, omega => 0.5, min_quality => 0, accumulate => true, evidence_rules => 200, gamma => 6, seed => $seed, model => 'm'$more}) ]})});
	return $node->safe_psql('postgres', q{
		select md5(string_agg(row, '|' order by row collate "C")) from (
			select concat_ws(' ', 'entity', entity, embedding) as row from g.entity_embedding
			union all select concat_ws(' ', 'relation', relation, embedding) from g.relation_embedding
			union all select concat_ws(' ', 'weights', number, weights) from g.shared_weight
			union all select concat_ws(' ', 'rule', id, rule, selected, quality, embedding_confidence) from g.rule
			union all select concat_ws(' ', 'inferred', iteration, head, relation, tail, score, probability, rules) from g.inferred
			union all select concat_ws(' ', 'iteration', number, loss, mrr, rules, inferred, sampled) from g.iteration
		) all_rows});
}

my %sums;
foreach my $function ('transe', 'distmult', 'complex', 'rotate', 'conve')
{
	my $sum = trained($function, 1, 1, '');

	is(trained($function, 1, 1, ''), $sum, "$function: twice the same");
	foreach my $threads (2, 3)
	{
		is(trained($function, $threads, 1, ''), $sum, "$function: the same with $threads threads");
	}
	isnt(trained($function, 2, 2, ''), $sum, "$function: another seed, another model");
	$sums{$sum} = 1;
}
is(keys %sums, 5, 'five score functions, five models');
is(trained('transe', 2, 1, ', norm => 2'), trained('transe', 1, 1, ', norm => 2'), 'transe by the norm 2');
is(trained('rotate', 2, 1, ', norm => 2'), trained('rotate', 1, 1, ', norm => 2'), 'rotate by the norm 2');

# ranks and predictions, too
my @ranks = map { $node->safe_psql('postgres', qq{
	set hybridkg.threads = $_;
	select md5(string_agg(r::text, '|')) from hkg_ranks('g', 'valid', 'm', 3) r;
	select md5(string_agg(p::text, '|')) from hkg_predict_tails('g', 'e1', 'r1', 300, 'm') p}) } 1 .. 2;
is($ranks[1], $ranks[0], 'ranks and predictions are the same with 2 threads');

# the order in which facts were stored does not count
my $ordered = trained('rotate', 1, 1, ', norm => 2');
$node->safe_psql('postgres', q{
	create temp table t as select * from g.triple;
	truncate g.triple;
	insert into g.triple select * from t order by tail desc, head});
is(trained('rotate', 2, 1, ', norm => 2'), $ordered, 'the order of the rows does not count');

done_testing();
