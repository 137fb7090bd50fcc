# A hot standby answers whatever only reads, and follows the primary's models.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Cluster;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', 'hybridkg.progress = off');
$primary->start;
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

my $train = q{select hkg_train('g', 'complex', dimensions => 8, iterations => 1, epochs => 3, top_rules => 20};
$primary->safe_psql('postgres', 'create extension hybridkg');
make_graph($primary, 'g', 100, 1000);
$primary->safe_psql('postgres', "$train)");
$primary->safe_psql('postgres', "$train, model => 'paths', paths => true, settings => '{\"path_layers\": 2, \"path_width\": 16, \"path_kept\": 50, \"path_epochs\": 1}')");
# an entity that came after the training
$primary->safe_psql('postgres', q{insert into g.entity select max(id) + 1, 'late' from g.entity;
	insert into g.triple select h.id, r.id, t.id from g.entity h, g.relation r, g.entity t where (h.name, r.name, t.name) = ('late', 'r1', 'e2')});
$primary->wait_for_catchup($standby);

my @questions = (
	q{hkg_predict_tails('g', 'e1', 'r1')},
	q{hkg_predict_heads('g', 'r1', 'e1')},
	q{hkg_predict_relations('g', 'e1', 'e2')},
	q{hkg_predict_tails('g', 'late', 'r2')},
	q{hkg_predict_heads('g', 'r1', 'e2', 200, known => true)},
	q{hkg_score('g', 'e1', 'r1', 'e2')},
	q{hkg_classify('g', 'e1', 'r1', 'e2')},
	q{hkg_neighbors('g', 'e1')},
	q{hkg_project('g')},
	q{hkg_explain('g', 'e1', 'r2', 'e2')},
	q{hkg_complete('g', 'r2')},
	q{hkg_evaluate('g', 'valid')},
	q{hkg_ranks('g', 'valid')},
	q{hkg_predict_tails('g', 'e1', 'r1', 10, 'paths')},
	q{hkg_explain('g', 'e1', 'r2', 'e2', 'paths')},
	q{hkg_learnt_paths('g', 'r2', model => 'paths')},
	q{hkg_apply_rule('g', 'r1(X,Y) <= r3(Y,X)')},
	q{hkg_stat},
	q{hkg_help()});
foreach my $question (@questions)
{
	is($standby->safe_psql('postgres', "select * from $question"),
		$primary->safe_psql('postgres', "select * from $question"), "$question on the standby");
}

my $kinds = q{select string_agg(distinct kind, ',' order by kind) from hkg_cache where users = 0};
is_soon(sub { $standby->safe_psql('postgres', $kinds) }, 'facts,model', 'its sessions share models and facts');

# a session of the standby that holds the model sees that it was trained again
my $asking = $standby->background_psql('postgres');
my $before = $asking->query_safe(q{select hkg_score('g', 'e1', 'r1', 'e2')});
$primary->safe_psql('postgres', "$train, seed => 1)");
$primary->wait_for_catchup($standby);
my $after = $primary->safe_psql('postgres', q{select hkg_score('g', 'e1', 'r1', 'e2')});
isnt($after, $before, 'another training gives another score');
is($asking->query_safe(q{select hkg_score('g', 'e1', 'r1', 'e2')}), $after, 'in a session of the standby, too');

# and facts that come and go
my $rules = q{select sum(score) from g.entity e, hkg_predict_tails('g', e.name, 'r2', 100, 'default', true, 'rules')};
$before = $asking->query_safe($rules);
cmp_ok($before, '>', 0, 'rules count on the standby');
foreach my $change (q{insert into g.triple select t.tail, r.id, t.head from g.triple t, g.relation r where r.name in ('r1', 'r3') on conflict do nothing},
	'delete from g.triple where head % 2 = 0')
{
	$primary->safe_psql('postgres', $change);
	$primary->wait_for_catchup($standby);
	$after = $primary->safe_psql('postgres', $rules);
	isnt($after, $before, 'other facts give other scores');
	is($asking->query_safe($rules), $after, 'on the standby, too');
	$before = $after;
}
$asking->quit;

my ($code, $out, $err) = $standby->psql('postgres', q{\set VERBOSITY verbose
select hkg_facts_changed('g.triple')});
like($err, qr/ERROR:  55000: this transaction does not write table "triple"/, 'no message is sent from there');
($code, $out, $err) = $standby->psql('postgres', "$train)");
like($err, qr/read-only|recovery/, 'it can not be trained there');

$standby->promote;
is($standby->safe_psql('postgres', $rules), $before, 'as a server of its own it answers the same');
is_soon(sub { $standby->safe_psql('postgres', $kinds) }, 'facts,model', 'and its sessions share both');
$standby->safe_psql('postgres', 'insert into g.triple select tail, relation, head from g.triple on conflict do nothing');
isnt($standby->safe_psql('postgres', $rules), $before, 'until others are written');

done_testing();
