# Training of conve in the background: stopped and resumed to the same bits.  The weights that all queries share, with
# the means and variances that predictions normalise by, are in a checkpoint.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use Test::More;

my $node = start_node('conve');
make_graph($node, 'g', 300, 3000);

my $arguments = q{'conve', dimensions => 20, iterations => 25, epochs => 2, batch_size => 128, top_rules => 0, evidence_rules => 0, seed => 3, label_smoothing => 0.1};

sub value { return $node->safe_psql('postgres', $_[0]) }

value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'whole'}) ]})");
my $whole = left_by($node, 'whole');
foreach my $how ('pg_cancel_backend', 'kill')
{
	stop_and_resume($node, $how, $how, $arguments);
	is(left_by($node, $how), $whole, "$how: the very same as the unbroken one");
}

# other sessions share the model, weights and all: they read no row of it
my $scores = q{select hkg_score('g', h.name, r.name, t.name, 'whole') from g.triple x
	join g.entity h on h.id = x.head join g.relation r on r.id = x.relation join g.entity t on t.id = x.tail order by x.head, x.relation, x.tail limit 20};
my $reads = q{select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) > 0 from pg_stat_xact_user_tables where relname in ('entity_embedding', 'relation_embedding', 'shared_weight')};
my @first = split /\n/, value("begin; $scores; $reads");
my @second = split /\n/, value("begin; $scores; $reads");
is(pop @first, 't', 'a session reads the tables');
is(pop @second, 'f', 'another one does not');
is("@second", "@first", 'and has the same scores');

done_testing();
