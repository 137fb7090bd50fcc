# What the nodes of a cluster do for a training, without a cluster: the catalogues of Citus are made by hand, and this
# server is all three nodes, by connections of postgres_fdw to itself.  Buckets are trained, the valid split is ranked and
# rules are rated by blocks of table bucket, with the bits that they have without it (014_citus.pl is the same with three
# servers).  hkg_progress has the servers of each phase.  A step of which a part is lost while its results come back has
# not happened.

use strict;
use warnings;

use lib 'test/perl';
use Graph;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('nodes', "hybridkg.slice_seconds = 0\nhybridkg.threads = 2\n");

sub value { return $node->safe_psql('postgres', $_[0]) }

sub refused
{
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$_[0]");
	return $err;
}

plan skip_all => 'postgres_fdw is not installed' if value(q{select count(*) from pg_available_extensions where name = 'postgres_fdw'}) eq '0';
make_graph($node, 'g', 300, 3000);

# 6 partitions are 15 buckets, in 5 steps of 3
my $arguments = q{dimensions => 16, iterations => 3, epochs => 3, sample_size => 100, top_rules => 20, evidence_rules => 0, omega => 0.5, min_quality => 0, seed => 3, partitions => 6, nodes => 3};

value("set hybridkg.slice_seconds = -1; select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'whole'}) ]})");
my $whole = left_by($node, 'whole');

# entailments go with the buckets; here they are strong, and of another weight they leave another model
my $entailed = "score_function => 'complex', constraints => 'nne_aer', entailment_confidence => 0.1, entailment_weight => 5, $arguments";
value("select hkg_train(@{[ arguments(qq{'g', $entailed, model => 'entailed whole'}) ]})");
value('select hkg_train(' . arguments("'g', $entailed, model => 'weaker'" =~ s/entailment_weight => 5/entailment_weight => 1/r) . ')');
my $entailed_whole = left_by($node, 'entailed whole');
isnt((split /\n/, left_by($node, 'weaker'))[0], (split /\n/, $entailed_whole)[0], 'entailments move embeddings');

# ---- three nodes, of which the third is the coordinator ----

value(q{
	set allow_system_table_mods = on;
	create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int, repmodel "char");
	create table pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint);
	create table pg_catalog.pg_dist_placement (placementid bigint, shardid bigint, shardstate int, groupid int);
	create table pg_catalog.pg_dist_local_group (groupid int);
	create function pg_catalog.get_shard_id_for_distribution_column(regclass, int) returns bigint language sql return $2;
	grant select on pg_dist_partition, pg_dist_shard, pg_dist_placement, pg_dist_local_group to public;
	insert into pg_dist_local_group values (0);
	create table g.slice (place int, slice int, slices int);
	insert into g.slice values (1, 1, 3), (2, 2, 3), (3, 3, 3);
	create table g.bucket_there (place int, lane int, number bigint, bytes bytea, primary key (place, lane, number));
	create table g.asked_there (settings jsonb);
	create extension postgres_fdw;
	create role writer login;
	grant usage on schema g to writer;
	grant select, insert, update, delete, truncate on all tables in schema g to writer;
	do $$ begin
		execute format('create server there foreign data wrapper postgres_fdw options (host %L, port %L, dbname %L)',
			split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
	end $$;
	create user mapping for current_user server there;
	create user mapping for writer server there options (user 'writer', password_required 'false');
	create foreign table g.bucket (place int, lane int, number bigint, bytes bytea) server there options (table_name 'bucket_there');
	create foreign table g.asked (settings jsonb) server there options (table_name 'asked_there');
	grant select, insert, update, delete, truncate on g.bucket, g.asked to writer;
	insert into pg_dist_partition select format('g.%s', name)::regclass, case when name in ('slice', 'bucket') then 'h' else 'n' end, '', 1,
		case when name in ('slice', 'bucket') then 's' else 't' end from unnest(array['entity', 'relation', 'triple', 'holdout', 'rejected', 'slice', 'bucket']) name;
	insert into pg_dist_placement values (1, 1, 1, 1), (2, 2, 1, 2), (3, 3, 1, 0)});

# A function of nodes runs there: it is what a view has for a block, in the transaction that sent the blocks.
foreach my $function (qw(_hkg_train_slice _hkg_valid_slice _hkg_rate_slice))
{
	my $returns = value("select prorettype::regtype from pg_proc where proname = '$function'");

	value(qq{
		alter function $function rename to ${function}_there;
		create view g.${function}_there as select place, lane, ${function}_there('g', settings, 'g.bucket_there', place, lane) as answer
			from g.bucket_there, g.asked_there where number = 0;
		create foreign table g.$function (place int, lane int, answer $returns) server there options (table_name '${function}_there');
		create function $function(graph name, settings jsonb, blocks regclass, place int, lane int) returns $returns language plpgsql as \$\$
		declare
			answered $returns;
		begin
			delete from g.asked;
			insert into g.asked values (settings);
			select t.answer into strict answered from g.$function t where (t.place, t.lane) = ($function.place, $function.lane);
			return answered;
		end \$\$;
		grant select on g.${function}_there, g.$function to writer});
}

# which table is written in which phase, with the servers that hkg_progress has then
value(q{
	create table seen (at int generated always as identity, model name, wrote name, phase text, nodes int);
	grant insert on seen to public;
	create function look() returns trigger language plpgsql as $$
	begin
		insert into public.seen (model, wrote, phase, nodes) select model, tg_table_name, phase, nodes from public.hkg_progress;
		return null;
	end $$;
	create trigger look after insert on g.bucket_there for each statement execute function look();
	create trigger look after insert on g.iteration for each statement execute function look();
	create trigger look after insert on g.entity_embedding for each statement execute function look()});
my $seen = sub { return value(qq{select string_agg(distinct concat_ws(' ', wrote, phase, nodes), ', ' order by concat_ws(' ', wrote, phase, nodes)) from seen where model = '$_[0]'}) };

sub train_background
{
	my ($given, $model, $before) = @_;

	value(($before // '') . "select hkg_train_background(@{[ arguments(qq{'g', $given, model => '$model'}) ]})");
	wait_until($node, "select status !~ '^training' from g.model where name = '$model'");
	return value("select status from g.model where name = '$model'");
}

is(train_background($arguments, 'bg'), 'ready', 'a training in the background, on three nodes');
is(left_by($node, 'bg'), $whole, 'the very same as in this process alone');
# its own node takes part where that is all of a transaction: rules are rated in one that writes an iteration, too
is($seen->('bg'), 'bucket_there evaluating 3, bucket_there inferring 2, bucket_there training 3, entity_embedding writing 1, iteration inferring 1',
	'three servers train, rank and rate, one does the rest');
is(value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'fg'}) ]})"), 'fg', 'in a transaction, on two: not on its own node');
is(left_by($node, 'fg'), $whole, 'the very same');
is($seen->('fg'), 'bucket_there evaluating 2, bucket_there inferring 2, bucket_there training 2, entity_embedding writing 1, iteration inferring 1', 'two servers');
# without rules, the phase that follows is the one that writes
train_background($arguments =~ s/top_rules => 20/top_rules => 0/r, 'bare');
is($seen->('bare'), 'bucket_there evaluating 3, bucket_there training 3, entity_embedding writing 1, iteration evaluating 3', 'without rules, one writes');
is(train_background($entailed, 'entailed'), 'ready', 'with entailments');
is(left_by($node, 'entailed'), $entailed_whole, 'the very same');
# two at once take turns, step by step
value("select hkg_train_background(@{[ arguments(qq{'g', $arguments, model => '$_'}) ]})") foreach qw(first second);
wait_until($node, "select count(*) = 2 from g.model where name in ('first', 'second') and status !~ '^training'");
is(value("select string_agg(status, ' ') from g.model where name in ('first', 'second')"), 'ready ready', 'two trainings at once');
is(left_by($node, $_), $whole, 'the very same') foreach qw(first second);
is(value('select count(*) from g.bucket'), '0', 'nothing is left');

# ---- results that are lost ----

# In the third step of the second epoch of iteration 2, what the last lane has trained is marked, and who reads it back
# finds a connection lost: the other two have been read by then.
value(q{
	create sequence updates;
	grant usage, select on sequence updates to writer;
	create function count_updates() returns trigger language plpgsql as $$
	begin
		if (select iteration = 2 and epoch = 1 from public.hkg_progress) then
			perform nextval('public.updates');
		end if;
		return null;
	end $$;
	create function mark() returns trigger language plpgsql security definer as $$	-- the policy below would keep others from it
	begin
		if (select last_value from public.updates) = 9 then
			update g.bucket_there b set bytes = 'lost' where lane = 2 and number = (select max(number) from g.bucket_there where lane = 2);
		end if;
		return null;
	end $$;
	create function readable(bytes bytea) returns bool language plpgsql as $$
	begin
		if bytes = 'lost' then
			raise exception 'nobody answers' using errcode = 'connection_failure';
		end if;
		return true;
	end $$;
	alter table g.bucket_there enable row level security;
	create policy reading on g.bucket_there to writer using (public.readable(bytes)) with check (true);
	create trigger count_updates before update on g.bucket_there for each statement when (pg_trigger_depth() = 0) execute function count_updates();
	create trigger mark after update on g.bucket_there for each statement when (pg_trigger_depth() = 0) execute function mark()});
like(train_background($arguments, 'lost', 'set role writer; '), qr/^failed: nobody answers/, 'a connection that is lost while results come back');
is(value('select last_value from updates'), '9', 'those of the third step of three lanes');
is(value('select count(*) from g.bucket'), '0', 'no block is left');
is(value(q{select encode(substr(data, 1, 24), 'hex') from g.checkpoint where model = 'lost' and part = 'place'}), unpack('H*', pack 'qqq', 4, 0, 6),
	'two steps of this epoch are kept: three buckets each');
value('drop policy reading on g.bucket_there; drop trigger mark on g.bucket_there; drop trigger count_updates on g.bucket_there; alter table g.bucket_there disable row level security');
is(value(q{select hkg_resume('g', 'lost')}), 'lost', 'it is resumed');
is(left_by($node, 'lost'), $whole, 'to the very same: of the step that was lost, nothing had been taken');

# blocks that are not whole when they come back; a graph that has no blocks at all
value(q{create function shorten() returns trigger language plpgsql as $$ begin new.bytes := substr(new.bytes, 2); return new; end $$;
	create trigger shorten before update on g.bucket_there for each row when (new.lane = 1) execute function shorten()});
like(refused("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'fg'}) ]})"), qr/ERROR:  XX001: the blocks of a bucket are not whole/, 'blocks that come back shorter');
is(left_by($node, 'fg'), $whole, 'the model before is there');
like(train_background($arguments, 'short'), qr/^failed: the blocks of a bucket are not whole/, 'in the background, too');
is(value(q{select count(*) from g.checkpoint where model = 'short' and part = 'place'}) . value('select count(*) from g.bucket'), '00', 'which is no lost connection: no place is kept, nor blocks');
value(q{drop trigger shorten on g.bucket_there;
	create function lose() returns trigger language plpgsql as $$ begin delete from g.bucket_there where lane = 1 and number > 3; return null; end $$;
	create trigger lose after update on g.bucket_there for each statement execute function lose()});
like(refused("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'fg'}) ]})"), qr/ERROR:  XX001: the blocks of a bucket are not whole/, 'blocks that do not come back');
value('drop trigger lose on g.bucket_there');

# With 12 facts most buckets have none, and are left out: of the next one a partition may be at the other place in this
# process, which must not miss what that partition has learnt.
value('create table kept as table g.triple; delete from g.triple where (head, relation, tail) not in (select head, relation, tail from kept order by 1, 2, 3 limit 12)');
my $few = $arguments =~ s/top_rules => 20/top_rules => 0/r;
value("set hybridkg.slice_seconds = -1; select hkg_train(@{[ arguments(qq{'g', $few, model => 'few'}) ]})");
my $few_left = left_by($node, 'few');
is(train_background($few, 'few'), 'ready', 'few facts, on three nodes');
is(left_by($node, 'few'), $few_left, 'the very same as in this process alone');
value('insert into g.triple select * from kept except table g.triple');

value('drop foreign table g.bucket');
is(value("select hkg_train(@{[ arguments(qq{'g', $arguments, model => 'alone'}) ]})"), 'alone', 'without table bucket, it trains in this process');
is(left_by($node, 'alone'), $whole, 'the very same');

$node->stop('fast');
done_testing();
