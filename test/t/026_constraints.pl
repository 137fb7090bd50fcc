# Training under a constraint in the background: stopped and resumed to the same bits.  Entailments are no part of a
# checkpoint: they are mined again.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use Test::More;

my $node = start_node('constraints');
make_graph($node, 'g', 300, 3000);

# r2 holds half of r1, and r3 inverts half of it: r2(X,Y) and r3(Y,X) entail r1(X,Y)
my $arguments = q{'complex', dimensions => 16, iterations => 25, epochs => 2, sample_size => 100, top_rules => 20, evidence_rules => 0, omega => 0.5, min_quality => 0, seed => 3, constraints => 'nne_aer', entailment_weight => 0.01};

sub value { return $node->safe_psql('postgres', $_[0]) }

cmp_ok(value(q{select count(*) from hkg_mine_rules('g', max_rule_length => 2, measure => 'pca') where pca_confidence >= 0.8}), '>=', 2, 'there are entailments');
value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'whole'}) ]})");
my $whole = left_by($node, 'whole');
value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'weaker', entailment_confidence => 1}) ]})");
isnt(left_by($node, 'weaker'), $whole, 'which matter');

foreach my $how ('pg_cancel_backend', 'kill')
{
	stop_and_resume($node, $how, $how, $arguments);
	is(left_by($node, $how), $whole, "$how: the very same as the unbroken one");
}
is(value(q{select min(x) >= 0 and max(x) <= 1 from g.entity_embedding, unnest(embedding) x}), 't', 'entities are in bounds');

done_testing();
