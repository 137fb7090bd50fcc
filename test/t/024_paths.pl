# A path network of two members that is learnt in the background: seen, cancelled at once, stopped and resumed to the same bits.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('paths');
make_graph($node, 'g', 300, 3000, 0.1);

my $short = q{'distmult', dimensions => 8, iterations => 2, epochs => 2, top_rules => 20, evidence_rules => 100, seed => 3};
my $paths = q{paths => true, path_layers => 3, path_width => 16, path_kept => 50, path_members => 2, path_epochs => 3, path_facts => 300};
my $arguments = "$short, holdout => 0.1, $paths";

sub value { return $node->safe_psql('postgres', $_[0]) }

# the network and its learning curve, beside all else that a training leaves
sub left
{
	my ($model) = @_;

	return left_by($node, $model) . "\n" . value(lines_of(
		"select md5(string_agg((to_jsonb(n) - 'model')::text, '|' order by member, layer, part, relation, inverse, numbers)) from g.path_network n where model = '$model'",
		"select string_agg(concat_ws(' ', number, loss, mrr, hits_1, ranked, mrr_error), '|' order by number) from g.path_epoch where model = '$model'",
		"select paths::text from g.model where name = '$model'"));
}

# Trains in the background and stops it after so many epochs of the network.
sub stop_after
{
	my ($model, $epochs, $how) = @_;

	return train_and_stop($node, $how, $model, "'g', $arguments", 'g.path_epoch', $epochs);
}

# with a valid split, of which a sample is ranked; and with facts that are held out in its place, on all of which the
# embeddings are refitted after the network
foreach my $what ('valid', 'held out')
{
	value('delete from g.holdout') if $what eq 'held out';
	value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => '$what'}) ]})");
	my $whole = left($what);

	is(value("select count(*) from g.path_epoch where model = '$what' and mrr > 0 and ranked between 90 and 200"), '6', "$what: each epoch is measured");
	value("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => '$what bg'}) ]})");
	ok(wait_until($node, "select status <> 'training' from g.model where name = '$what bg'"), "$what: in the background");
	is(left("$what bg"), $whole, "$what: the very same");
	foreach my $how ($what eq 'valid' ? qw(pg_terminate_backend kill) : 'pg_cancel_backend')
	{
		# in the first member, before the second, and in it
		foreach my $epochs (1, 3, 4)
		{
			my $model = "$what $how $epochs";

			stop_after($model, $epochs, $how);
			isnt(value("select status from g.model where name = '$model'"), 'ready', "$model: stopped on the way");
			value("select hkg_resume('g', '$model')");
			is(left($model), $whole, "$model: the very same after a resume");
		}
	}
}

# with fewer epochs than planned, as if time was short: one and a half iterations, and four epochs of the network, the last of
# which is of a member that will not answer
my $late = "$arguments, last_epoch => 3, last_path_epoch => 4";
value("select hkg_train(@{[ arguments(qq{'g', $late, model => 'late'}) ]})");
is(value(q{select (select count(*) from g.iteration where model = 'late') || ' ' || (select count(*) from g.path_epoch where model = 'late')}), '2 4', 'late: fewer epochs');
is(value(q{select paths->'members' from g.model where name = 'late'}), '1', 'late: the first member alone');
foreach my $stop ([ 'g.iteration', 1 ], [ 'g.path_epoch', 2 ])
{
	my ($table, $rows) = @$stop;
	my $model = "late after $rows of $table";

	train_and_stop($node, 'pg_terminate_backend', $model, "'g', $late", $table, $rows);
	value("select hkg_resume('g', '$model')");
	is(left($model), left('late'), "$model: the very same after a resume");
}

# a checkpoint that was changed
stop_after('damaged', 1, 'pg_cancel_backend');
value(q{update g.checkpoint set data = data || '\x00' where model = 'damaged' and part = 'path network'});
my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nselect hkg_resume('g', 'damaged')");
like($err, qr/ERROR:  22000: checkpoint of model "damaged" is damaged/, 'a damaged checkpoint is refused');

# in the view, and cancelled at once
my $pid = value(qq{select hkg_train_background(@{[ arguments(qq{'g', $short, model => 'endless', paths => true, path_facts => 100000, path_epochs => 1000}) ]})});
ok(wait_until($node, q{select exists (select from hkg_progress where phase = 'learning paths' and percent > 0 and eta > now())}), 'in hkg_progress');
my $lateness = end_process($pid, 'INT');
cmp_ok($lateness, '<', 1, sprintf('cancelled at once: %.0f ms', 1000 * $lateness));
is(value(q{select status from g.model where name = 'endless'}), 'cancelled', 'its status');

$node->stop('fast');
done_testing();
