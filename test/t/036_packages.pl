# What the archive for PGXN and the Debian package say of themselves: META.json by the rules of the PGXN Meta Spec 1.0.0,
# one version everywhere, and files that are there.

use strict;
use warnings;
use Test::More;
use JSON::PP;

sub content
{
	open my $file, '<:raw', $_[0] or die "$_[0]: $!";
	local $/;
	return scalar <$file>;
}

my ($version) = content('hybridkg.control') =~ /^default_version = '([^']+)'$/m;
my $meta = decode_json(content('META.json'));

# the rules of the specification, as far as META.json has the fields
my $semver = qr/^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+)?$/;
my $term = qr{^[^\s/\\[:cntrl:]]{2,}$};
my %allowed = map { $_ => 1 } qw(abstract description generated_by license maintainer meta-spec name no_index prereqs
	provides release_status resources tags version);

ok(defined $meta->{$_}, "META.json has $_") for qw(abstract maintainer license provides name version meta-spec);
is_deeply([ grep { !$allowed{$_} && !/^x_/i } keys %$meta ], [], 'no other field than those of the specification');
like($meta->{name}, $term, 'the name is a term');
like($meta->{version}, $semver, 'the version is a semantic version');
is($meta->{'meta-spec'}{version}, '1.0.0', 'version of the specification');
is(ref $meta->{maintainer}, 'ARRAY', 'maintainers are a list');
is(ref $meta->{license}, 'HASH', 'licences are names and addresses');
like($_, qr{^https?://\S+$}, "address of a licence") for values %{ $meta->{license} };
ok(ref $_ eq '' && length $_ <= 256 && !m{[/\\[:cntrl:]]}, "tag $_") for @{ $meta->{tags} };
for my $phase (keys %{ $meta->{prereqs} })
{
	like($phase, qr/^(configure|runtime|build|test|develop|x_.*)$/i, "phase $phase of prerequisites");
	for my $kind (keys %{ $meta->{prereqs}{$phase} })
	{
		like($kind, qr/^(requires|recommends|suggests|conflicts)$/, "kind $kind of prerequisites");
		like($_, $semver, "a version that is needed") for values %{ $meta->{prereqs}{$phase}{$kind} };
	}
}

# what it provides is there, in one version
is($meta->{version}, $version, 'META.json has the version of hybridkg.control');
for my $name (keys %{ $meta->{provides} })
{
	my $extension = $meta->{provides}{$name};
	my ($control) = grep { -e } "$name.control", "rdf/$name.control";
	ok(defined $control && content($control) =~ /^default_version = '\Q$version\E'$/m, "$name has a control file of that version");
	ok(-e $extension->{$_}, "$extension->{$_} is there") for qw(file docfile);
	is($extension->{version}, $version, "version of $name");
}

# the Debian package
like(content('debian/changelog'), qr/^hybridkg \(\Q$version\E-\d+\) /, 'debian/changelog begins with that version');
my $control = content('debian/control');
my ($source, $package) = split /^\n/m, content('debian/control.in'), 2;
my @packages = map { $package =~ s/PGVERSION/$_/gr } $control =~ /^Package: postgresql-(\d+)-hybridkg$/mg;
is($control, join("\n", $source, @packages), 'debian/control is made of control.in');

# one address for faults: where META.json says, documents and packages do too
my ($address) = $meta->{maintainer}[0] =~ /<(\S+\@\S+)>$/;
ok(defined $address, 'META.json has the address of the maintainers');
for my $file (qw(doc/reliability.md debian/control debian/control.in debian/changelog))
{
	is_deeply([ grep { $_ ne $address } content($file) =~ /[\w.+-]+\@[\w-]+\.[\w.-]*\w/g ], [], "$file has no other address");
	like(content($file), qr/\Q$address\E/, "$file has it");
}

# one licence, and the servers that the packages are made for
is_deeply([ keys %{ $meta->{license} } ], ['PostgreSQL'], 'META.json has the licence');
like(content($_), qr/\bPostgreSQL\b.*|^License: PostgreSQL$/m, "$_ too") for qw(debian/copyright);
is(content('debian/pgversions'), ($meta->{prereqs}{runtime}{requires}{PostgreSQL} =~ s/\..*//sr) . "+\n", 'the packages are made for the same servers');

done_testing();
