# What a node of a cluster does after an iteration: it ranks a slice of the valid split, and rates some of the rules, by
# embeddings that it got as blocks of bytes.  The blocks are made here, so no cluster is needed.  All slices together have
# the ranks of hkg_ranks, and the MRR and the qualities that the training kept; blocks that do not fit are refused.  And
# what it does with a bucket: it trains it, and believes nothing that its caller may have written.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use List::Util qw(min);
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('valid_slice', "hybridkg.threads = 2\nhybridkg.slice_seconds = 0\n");

make_graph($node, 'g', 100, 1500);

sub value { return $node->safe_psql('postgres', $_[0]) }

sub rows_of { return map { [ split /\|/ ] } split /\n/, value($_[0]) }

value('create table block (place int, lane int, number bigint, bytes bytea)');

# As BucketHead of src/train/nodes/bucket_blocks.h has it: seed, epoch, part, least quality, count, known, entailments, rows of two
# places, most positives, relations, rows of a stripe, weighted, numbers of rules
sub head
{
	my (%of) = (least => -1, count => 0, known => 0, entailments => 0, rows => 0, second => 0, relations => 0, weighted => 0, rules => 0, @_);

	return pack 'QQddqqqllqllll', 5, 0, 1, @of{qw(least count known entailments rows second)}, $of{most} // $of{count}, $of{relations}, 1, @of{qw(weighted rules)};
}

sub send_blocks
{
	my ($lane, @blocks) = @_;

	value("delete from block where lane = $lane; insert into block values " . join ', ', map { sprintf q{(7, %d, %d, '\x%s')}, $lane, $_, unpack 'H*', $blocks[$_] } 0 .. $#blocks);
	return;
}

my %row;	# of names

# The numbers of rows are those of ids, ascending.
sub read_names
{
	foreach my $table (qw(entity relation))
	{
		my @names = map { $_->[0] } rows_of("select name from g.$table order by id");

		@{ $row{$table} }{@names} = 0 .. $#names;
	}
	return;
}

sub embeddings
{
	my ($table, $model) = @_;

	return join '', map { pack 'f*', split /,/, $_->[0] =~ tr/{}//dr } rows_of("select embedding from g.${table}_embedding where model = '$model' order by $table");
}

sub packed { return join '', map { pack 'l*', $row{entity}{ $_->[0] }, $row{relation}{ $_->[1] }, $row{entity}{ $_->[2] } } @_ }

sub call_of_lane { return "select _hkg_valid_slice('g', (select settings from g.model where name = '$_[0]'), 'block', 7, $_[1])" }

read_names();
my $named = 'select h.name, r.name, t.name from %s f join g.entity h on h.id = f.head join g.relation r on r.id = f.relation join g.entity t on t.id = f.tail';
my @known = rows_of(sprintf("$named union all $named", 'g.triple', 'g.holdout'));
my ($entities, $relations) = map { scalar keys %{ $row{$_} } } qw(entity relation);

# rotate has the same score for no two entities; distmult, after one epoch of a high learning rate, for some
foreach my $function (qw(distmult rotate transe))
{
	value("select hkg_train('g', '$function', dimensions => 8, iterations => 1, epochs => 2, seed => 5, top_rules => 0, evidence_rules => 0, model => '$function', settings => jsonb_build_object('negatives', 4))");
	my @rank = rows_of("select head, relation, tail, head_rank, tail_rank from hkg_ranks('g', 'valid', '$function', 5, 'embedding')");
	my @embeddings = map { embeddings($_, $function) } qw(relation entity);
	my ($same, $sum) = (0, 0);

	cmp_ok(scalar @rank, '>', 50, "$function: triples");
	foreach my $slice (0 .. 2)
	{
		my @mine = @rank[ grep { $_ % 3 == $slice } 0 .. $#rank ];

		send_blocks($slice, head(count => scalar @mine, known => scalar @known, rows => $entities, relations => $relations), packed(@mine), packed(@known), @embeddings);
		my @got = split /,/, value(call_of_lane($function, $slice)) =~ tr/{}//dr;

		is(scalar @got, 2 * @mine, 'two ranks of each');
		foreach my $i (0 .. $#mine)
		{
			$same += $got[$i] == $mine[$i][3] && $got[ $i + @mine ] == $mine[$i][4];
			$sum += 1 / $got[$i] + 1 / $got[ $i + @mine ];
		}
	}
	is($same, scalar @rank, "$function: the ranks of all slices are those of hkg_ranks");
	cmp_ok(abs($sum / 2 / @rank - value("select mrr from g.iteration where model = '$function'")), '<', 1e-12, 'and their MRR is that of the training');
}

# ---- rules ----

# in the order that the index of facts wants; without a held-out fact
my @facts = sort { $a->[1] <=> $b->[1] || $a->[0] <=> $b->[0] || $a->[2] <=> $b->[2] }
	map { [ $row{entity}{ $_->[0] }, $row{relation}{ $_->[1] }, $row{entity}{ $_->[2] } ] } rows_of(sprintf $named, 'g.triple');
my $facts = join '', map { pack 'l*', @$_ } @facts;
my $ids = join '', map { pack 'l*', map { $_->[0] } rows_of("select id from g.$_ order by id") } qw(entity relation);

# head, length, the numbers of the atoms, support and body size in two halves each
sub numbers_of
{
	my ($head, $body, @sizes) = @_;
	my @number = split /,/, $body =~ tr/{}//dr;

	return ($head, @number / 3, @number, map { (0, $_) } @sizes);
}

sub rules_call
{
	my ($lane, $numbers, %of) = @_;

	send_blocks($lane, head(known => scalar @facts, rows => $entities, relations => $relations, rules => scalar @$numbers, %of), $facts, $ids, pack('l*', @$numbers),
		map { embeddings($_, 'rated') } qw(relation entity));
	return "select _hkg_rate_slice('g', (select settings from g.model where name = 'rated'), 'block', 7, $lane)";
}

# the embeddings of the only iteration are those that the rules were rated by
value(q{set hybridkg.slice_seconds = -1; select hkg_train('g', 'complex', dimensions => 8, iterations => 1, epochs => 2, seed => 5, omega => 0.3, evidence_rules => 0, model => 'rated', settings => jsonb_build_object('negatives', 4, 'min_support', 5, 'min_quality', 0, 'min_head_coverage', 0))});
my @rule = rows_of(q{select head, body, support, body_size, embedding_confidence, quality, predictions from g.rule
	where model = 'rated' and embedding_confidence is not null order by id});
cmp_ok(scalar @rule, '>', 10, 'rules');
foreach my $slice (0 .. 2)
{
	my @mine = @rule[ grep { $_ % 3 == $slice } 0 .. $#rule ];
	my @got = split /,/, value(rules_call($slice + 3, [ map { numbers_of(@$_[ 0 .. 3 ]) } @mine ])) =~ tr/{}//dr;

	is(join(' ', @got[ map { (3 * $_, 3 * $_ + 2) } 0 .. $#mine ]), join(' ', map { @$_[ 4, 5 ] } @mine), "slice $slice of the rules has the ratings of the training");
	is(scalar(grep { $_ != 0 } @got[ map { 3 * $_ + 1 } 0 .. $#mine ]), 0, 'which are of all that they infer');
}

# a rule is given up where its quality is too low; which are, is known from the training
my $middle = (sort { $a <=> $b } map { $_->[5] } @rule)[ @rule / 2 ];
my @given_up = split /,/, value(rules_call(6, [ map { numbers_of(@$_[ 0 .. 3 ]) } @rule ], least => $middle)) =~ tr/{}//dr;
is(join('', map { $given_up[ 3 * $_ ] eq 'NaN' ? 1 : 0 } 0 .. $#rule), join('', map { $_->[5] < $middle - 1e-9 ? 1 : 0 } @rule), 'those of too low a quality are given up');

my $state_of_rules = sub { return ($node->psql('postgres', '\set VERBOSITY sqlstate' . "\n" . rules_call(9, @_)))[2] =~ /ERROR:  (\w+)/ ? $1 : 'none' };
my @one = numbers_of(@{ $rule[0] }[ 0 .. 3 ]);
is($state_of_rules->(\@one), 'none', 'a rule that is whole');
is($state_of_rules->([ @one[ 0 .. $#one - 1 ] ]), 'XX001', 'without its last number');
is($state_of_rules->([ @one[ 0 .. $#one - 1 ], 0 ]), 'XX001', 'that infers nothing');
is($state_of_rules->([ $one[0], 1000, @one[ 2 .. $#one ] ]), 'XX001', 'of 1000 atoms');
is($state_of_rules->([ 100000, @one[ 1 .. $#one ] ]), 'XX001', 'of a relation that is not there');
is($state_of_rules->(\@one, count => 1), 'XX001', 'with triples to be ranked');
my $in_order = $facts;
$facts = substr($in_order, 12, 12) . substr($in_order, 0, 12) . substr $in_order, 24;
is($state_of_rules->(\@one), 'XX001', 'facts in another order');
$facts = $in_order;
$ids = substr($ids, 4, 4) . substr($ids, 0, 4) . substr $ids, 8;
is($state_of_rules->(\@one), 'XX001', 'ids in another order');

# ---- blocks that are not whole ----

my @good = (head(count => 1, known => 1, rows => $entities, relations => $relations), pack('l*', 0, 0, 1), pack('l*', 1, 0, 1), map { embeddings($_, 'rotate') } qw(relation entity));
my $state_of = sub { return ($node->psql('postgres', "\\set VERBOSITY sqlstate\n$_[0]"))[2] =~ /ERROR:  (\w+)/ ? $1 : 'none' };
my $state = sub { send_blocks(9, @_); return $state_of->(call_of_lane('rotate', 9)) };
my $with = sub { my ($place, $block) = @_; my @blocks = @good; $blocks[$place] = $block; return @blocks };
my @sizes = (count => 1, known => 1, rows => $entities, relations => $relations);

is($state->(@good), 'none', 'blocks that are whole');
is($state->(@good[ 0 .. 3 ]), 'XX001', 'without entities');
is($state->(@good, 'more'), 'XX001', 'with one too many');
is($state->($with->(0, substr $good[0], 1)), 'XX001', 'a head of another size');
is($state->($with->(1, pack 'l*', 0, 0, $entities)), 'XX001', 'a triple of an entity that is not there');
is($state->($with->(2, pack 'l*', 0, $relations, 1)), 'XX001', 'a known one of a relation that is not there');
is($state->($with->(4, substr $good[4], 4)), 'XX001', 'embeddings that lack a number');
foreach my $wrong ([ known => -1 ], [ count => -1 ], [ known => 2**60 ], [ entailments => -1 ], [ entailments => 1 ], [ entailments => 2**60 ], [ most => 0 ], [ rows => 0 ], [ rows => 2**31 - 1 ], [ second => 1 ], [ weighted => 1 ], [ relations => 0 ], [ rules => 1 ], [ rules => -1 ])
{
	like($state->($with->(0, head(@sizes, @$wrong))), qr/^(XX001|53200)$/, "@$wrong");
}
is($state->($with->(0, head(@sizes, rows => 2**30))), '53200', 'more than there is memory for');
send_blocks(9, @good);
value('update block set number = 1 where lane = 9 and number = 2');
is($state_of->(call_of_lane('rotate', 9)), 'XX001', 'one that is there twice, in the place of another');
send_blocks(9, @good);
is($state_of->('create role other; grant usage on schema g to other; grant select on all tables in schema g to other; set role other; ' . call_of_lane('rotate', 9)),
	'42501', 'a table that the caller may not read');
is(value('grant select on block to other; set role other; ' . call_of_lane('transe', 0)) =~ /^\{\d/ ? 1 : 0, 1, 'or may');

# ---- a bucket ----

# Entities 0 to 29 and 30 to 49 of two places, three relations, eight numbers each; Adagrad keeps one for each of these.
value(q{select hkg_train('g', 'distmult', dimensions => 8, iterations => 1, epochs => 1, top_rules => 0, evidence_rules => 0, model => 'parted', settings => jsonb_build_object('negatives', 4, 'batch_size', 64, 'partitions', 2))});
my @bucket = (head(count => 40, rows => 30, second => 20, relations => 3), join('', map { pack 'l*', $_ % 30, $_ % 3, 30 + $_ * 7 % 20 } 0 .. 39),
	map { my $numbers = $_; (join('', map { pack 'f', sin($_) } 1 .. $numbers), pack('f*', (0) x $numbers)) } 8 * 3, 8 * 30, 8 * 20);
my $train = sub {
	my ($more, $lane) = @_;

	return "select _hkg_train_slice('g', (select settings || '$more' from g.model where name = 'parted'), 'block', 7, $lane)";
};
my $trained = sub {
	send_blocks(3, @bucket);
	my $loss = value($train->('{}', 3));

	return ($loss, map { pack 'H*', substr $_->[0], 2 } rows_of('select bytes from block where lane = 3 order by number'));
};
my ($loss, @after) = $trained->();
my $unchanged = join ' ', grep { $after[$_] eq $bucket[$_] } 0 .. $#bucket;

is($unchanged, '0 1', 'all that is learnt is another, the rest is as it was');
cmp_ok(min(map { unpack 'f*', $_ } @after[ 3, 5, 7 ]), '>=', 0, 'sums of squares');
is((split /,/, $loss =~ tr/{}//dr)[1], 2 * 40, 'a loss of each side of a triple');
is(join('|', $trained->()), join('|', $loss, @after), 'the same bits again');
# the generator of kbgan has embeddings and sums of its own, for which a node has no memory: blocks with these are refused
my @generated = @bucket;
@generated[ 3, 5, 7 ] = map { pack 'f*', (1) x $_ } 3 * 24 + 1, 30 * 24, 20 * 24;
send_blocks(3, @generated);
is($state_of->($train->('{"negative_sampling": "kbgan", "partitions": 1}', 3)), '22023', 'a training whose state has no room among the blocks');
is(join('|', map { $_->[0] } rows_of('select bytes from block where lane = 3 order by number')), join('|', map { '\x' . unpack 'H*', $_ } @generated), 'and nothing is written');
is($state_of->('set role other; ' . $train->('{}', 3)), '42501', 'a table that the caller may not write');
foreach my $wrong ([ count => 41 ], [ most => 39 ], [ known => 1 ], [ second => 21 ], [ relations => 4 ], [ weighted => 1 ], [ rows => -1 ], [ most => 2**31 ], [ entailments => 1 ])
{
	send_blocks(3, head(count => 40, rows => 30, second => 20, relations => 3, @$wrong), @bucket[ 1 .. $#bucket ]);
	like($state_of->($train->('{}', 3)), qr/^(XX001|53200)$/, "a bucket: @$wrong");
}

# The same of complex, 16 numbers each, with an entailment: body, head, whether it is inverse, confidence
my $entailed = sub {
	send_blocks(3, head(count => 40, rows => 30, second => 20, relations => 3, entailments => 1), $bucket[1], pack('llCx3f', @_, 1),
		map { my $numbers = $_; (join('', map { pack 'f', sin($_) } 1 .. $numbers), pack('f*', (0) x $numbers)) } 16 * 3, 16 * 30, 16 * 20);
	return $state_of->($train->('{"score_function": "complex", "constraints": "nne_aer"}', 3));
};
is($entailed->(0, 2, 1), 'none', 'an entailment');
is($entailed->(@$_), 'XX001', "an entailment: @$_") foreach [ 0, 3, 0 ], [ -1, 2, 0 ], [ 0, 2, 2 ];

done_testing();
