# test/server: a folder keeps the installation that it repeats.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir;
my $other = "$dir/other_pg_config";

# a folder with a server of another installation
mkdir "$dir/server" or die $!;
append_to_file("$dir/server/.hybridkg-server", '');
append_to_file("$dir/server/pg_config", "$other\n");
append_to_file($other, "#!/bin/sh\necho /elsewhere/bin\n");
chmod 0755, $other;

command_fails_like([ 'test/server', 'start', "$dir/server" ], qr{server has a server of \Q$other\E, not of \Q$ENV{PG_CONFIG}\E: test/server remove \S+, or start in another folder},
	'another installation than asked for is refused, with the way out');
is(join(' ', map { m{([^/]+)$} } glob "$dir/server/*"), 'pg_config', 'nothing is written there');
is(slurp_file("$dir/server/pg_config"), "$other\n", 'and the folder keeps its own');

done_testing();
