# Training by soft labels in the background: stopped and resumed to the same bits.  The evidence of inferred triples is
# in a checkpoint, their labels are found in every step.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use Test::More;

my $node = start_node('hybrid');
make_graph($node, 'g', 300, 3000);

my $settings = q{'complex', dimensions => 16, iterations => 25, epochs => 2, sample_size => 100, top_rules => 20, evidence_rules => 0, omega => 0.5, min_quality => 0, seed => 3, rule_weight => 0.1};

sub value { return $node->safe_psql('postgres', $_[0]) }

foreach my $hybrid ('ruge', 'itere', 'plogicnet')
{
	my $arguments = "$settings, hybrid => '$hybrid'";

	value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'whole'}) ]})");
	my $whole = left_by($node, 'whole');
	foreach my $how ('pg_cancel_backend', 'kill')
	{
		my $model = "$hybrid $how";

		stop_and_resume($node, $how, $model, $arguments);
		is(left_by($node, $model), $whole, "$model: the very same as the unbroken one");
	}
}
is(value(q{select bool_and(sampled > 0) from g.iteration}), 't', 'all iterations had triples to label');

done_testing();
