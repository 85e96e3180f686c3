# The device process of a server, seen from outside: Linux's /proc and the socket.
package Service;

use strict;
use warnings;
use Cwd;
use Errno;
use Exporter 'import';
use Node;
use Socket;

our @EXPORT = qw(postmaster worker device_process children wait_for_service replace_device_process answers is_gone title status_of open_ones);

sub postmaster
{
	my ($node) = @_;
	open(my $file, '<', $node->data_dir . '/postmaster.pid') or return 0;
	chomp(my $pid = <$file>);
	return $pid;
}

# A file of /proc as a list of lines; none once the process is gone.
sub lines_of
{
	my ($pid, $name) = @_;
	open(my $file, '<', "/proc/$pid/$name") or return;
	my @lines = <$file>;
	return @lines;
}

# A process's title.
sub title { return join('', lines_of($_[0], 'cmdline')) =~ s/[\0 ]+$//r }

# A line of /proc/PID/status.
sub status_of
{
	my ($pid, $name) = @_;
	my ($value) = map { /^$name:\s*(.*)/ } lines_of($pid, 'status');
	return $value // '';
}

# What a process's descriptors lead to, by number.
sub open_ones
{
	my ($pid) = @_;
	return map { m{/(\d+)$}; ($1 => readlink($_) // '') } glob "/proc/$pid/fd/*";
}

# Living children of a process.
sub children
{
	my ($parent) = @_;
	my @found;
	for my $pid (map { m{/proc/(\d+)} } glob '/proc/[0-9]*')
	{
		my ($stat) = lines_of($pid, 'stat');
		push @found, $pid if ($stat // '') =~ /\) (\S) $parent / && $1 ne 'Z';
	}
	return @found;
}

# The workers of a server; of one of them, the processes that it has started.  A process
# has its worker's title until it has one of its own.
sub worker         { return grep { title($_) =~ /gpuagg device worker/ } children(postmaster($_[0])) }
sub device_process { return map  { children($_) } worker($_[0]) }

sub is_gone { return !-e "/proc/$_[0]" || status_of($_[0], 'State') =~ /^Z/ }

# Can one connect to the device process?
sub answers
{
	my ($node) = @_;
	my $directory = getcwd;
	socket(my $socket, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
	chdir $node->data_dir or die "chdir: $!";
	my $connected = connect($socket, sockaddr_un('gpuagg_device/pgsql_tmp_socket'));
	chdir $directory;
	close $socket;
	return $connected;
}

# A device process other than that one, which may have ended, serves within 5 s; its process
# ID, or 0.
sub wait_for_service
{
	my ($node, $other) = @_;
	my $pid = 0;
	may_end($other) if $other;
	wait_for(5, sub {
		($pid) = grep { $_ != ($other // 0) } device_process($node);
		return $pid && answers($node); });
	return answers($node) ? $pid // 0 : 0;
}

# Kill the device process; the next one's process ID, or 0.  That one dies at its message of
# this number; 0: it does not.
sub replace_device_process
{
	my ($node, $message) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET gpuagg.device_dies_at = $message; SELECT pg_reload_conf()");
	# what the postmaster gives to new sessions it has told the worker to read
	wait_for(10, sub { $node->safe_psql('postgres', 'SHOW gpuagg.device_dies_at') == $message });
	my ($old) = device_process($node);
	kill 'KILL', $old if $old;
	# so does the one after it
	may_end($node) if $message > 0;
	return wait_for_service($node, $old);
}

1;
