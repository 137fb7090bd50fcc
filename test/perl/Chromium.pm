# A page in Chromium: my $page = Chromium->open(FILE), $page->evaluate(SCRIPT) returns its value, $page->requests what was loaded.

package Chromium;

use strict;
use warnings;

use Encode qw(decode encode);
use File::Temp qw(tempdir);
use JSON::PP;
use POSIX qw(dup2);

# the program; undef where there is none
sub program
{
	my ($found) = grep { -x } map { ("/usr/bin/$_", "/usr/local/bin/$_") } qw(chromium chromium-browser google-chrome);

	return $found;
}

# It reads commands from file 3 and answers to file 4: JSON, each ended by a zero.
sub open
{
	my ($class, $file) = @_;
	my $self = bless { number => 0, events => [], profile => tempdir(CLEANUP => 1) }, $class;

	pipe my $commands, $self->{out} or die "pipe: $!";
	pipe $self->{in}, my $answers or die "pipe: $!";
	$self->{pid} = fork // die "fork: $!";
	if ($self->{pid} == 0)
	{
		dup2(fileno $commands, 103);
		dup2(fileno $answers, 104);
		dup2(103, 3);
		dup2(104, 4);
		open STDERR, '>', '/dev/null' or die;
		open STDOUT, '>', '/dev/null' or die;
		$ENV{HOME} = $self->{profile};
		exec program(), '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking',
		  '--remote-debugging-pipe', "--user-data-dir=$self->{profile}", '--window-size=1200,900', 'about:blank' or POSIX::_exit(1);
	}
	$self->{out}->autoflush(1);
	my ($target) = grep { $_->{type} eq 'page' } @{ $self->command('Target.getTargets')->{targetInfos} };
	$self->{session} = $self->command('Target.attachToTarget', { targetId => $target->{targetId}, flatten => JSON::PP::true })->{sessionId};
	$self->command("$_.enable") foreach qw(Page Network Runtime Log);
	$self->command('Page.navigate', { url => "file://$file" });
	for (1 .. 300)
	{
		last if $self->evaluate('document.readyState') eq 'complete';
		select undef, undef, undef, 0.1;
	}
	return $self;
}

sub read_message
{
	my ($self) = @_;

	local $/ = "\0";
	local $SIG{ALRM} = sub { die 'Chromium does not answer' };
	alarm 60;
	my $message = readline $self->{in};
	alarm 0;
	die 'Chromium has ended' if !defined $message;
	chomp $message;
	return decode_json($message);
}

sub command
{
	my ($self, $method, $parameters) = @_;
	my $number = ++$self->{number};

	print { $self->{out} } encode_json({ id => $number, method => $method, params => $parameters // {},
		$self->{session} ? (sessionId => $self->{session}) : () }), "\0";
	while (1)
	{
		my $message = $self->read_message;

		push @{ $self->{events} }, $message if $message->{method};
		next if ($message->{id} // 0) != $number;
		die "$method: $message->{error}{message}" if $message->{error};
		return $message->{result};
	}
}

sub evaluate
{
	my ($self, $script) = @_;
	my $result = $self->command('Runtime.evaluate', { expression => $script, returnByValue => JSON::PP::true, awaitPromise => JSON::PP::true });

	die "$script: $result->{exceptionDetails}{exception}{description}" if $result->{exceptionDetails};
	return $result->{result}{value};
}

# addresses that were asked for, the file itself included
sub requests
{
	my ($self) = @_;

	return map { $_->{params}{request}{url} } grep { $_->{method} eq 'Network.requestWillBeSent' } @{ $self->{events} };
}

# what the browser complained of
sub complaints
{
	my ($self) = @_;

	return map { $_->{params}{entry}{text} // $_->{params}{exceptionDetails}{exception}{description} // $_->{params}{exceptionDetails}{text} }
	  grep { $_->{method} eq 'Log.entryAdded' || $_->{method} eq 'Runtime.exceptionThrown' } @{ $self->{events} };
}

# a picture of what is in the window, as the bytes of a PNG, to look at
sub screenshot
{
	my ($self) = @_;

	require MIME::Base64;
	return MIME::Base64::decode_base64($self->command('Page.captureScreenshot')->{data});
}

sub close
{
	my ($self) = @_;

	return if !$self->{pid};
	eval { $self->{session} = undef; $self->command('Browser.close') };
	kill 'KILL', $self->{pid};
	waitpid delete $self->{pid}, 0;
	return;
}

sub DESTROY
{
	my ($self) = @_;
	local ($?, $@);

	$self->close;
	return;
}

1;
