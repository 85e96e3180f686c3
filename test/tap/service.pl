# Life and death of the device process, seen from outside: what it can reach of the
# server, and that nothing which happens to it, or to the server, hurts the other.
# Needs a build with TESTING=1, whose simulated device is always there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);
use PostgreSQL::Test::Utils;
use Node;
use Service;

my $devices = 'SELECT usable, reason FROM gpuagg_devices';

# Ask for the device process, from a session.
sub ask { return outcome($_[0], '', $devices) }

sub log_of { return slurp_file($_[0]->logfile) }

# How often the log says so.
sub said
{
	my ($node, $what) = @_;
	return scalar(() = log_of($node) =~ /$what/g);
}

# Stop or start, with pg_ctl's own status; the node object's die at failures.
sub pg_ctl
{
	my ($node, @arguments) = @_;
	return system('pg_ctl', '-D', $node->data_dir, '-l', $node->logfile, '-w', '-t', '20', '-s', @arguments) == 0;
}

# Has the process found a CUDA driver, though no device?
sub has_driver { return slurp_file("/proc/$_[0]/maps") =~ /libcuda/ }

# What the device process must not have, and must be.  For moments it has other descriptors:
# inherited ones before it has its title, connections that have ended, /proc/self/maps, the
# linker's cache as it looks for a driver, its table of contents.
sub check_process
{
	my ($node, $pid, $name) = @_;
	my (%files, @sockets, @strange);

	wait_for(10, sub {
		my $named = title($pid) =~ /gpuagg device process$/;
		%files = open_ones($pid);
		@sockets = grep { /^socket:/ } values %files;
		@strange = grep { $_ !~ m{^/dev/null$|^pipe:|^socket:} } values %files;
		return $named && @sockets == 1 && (!@strange || has_driver($pid));
	});
	my $maps = slurp_file("/proc/$pid/maps");

	unlike($maps, qr/ .w.s /, "$name: no shared memory is writable");
	unlike($maps, qr{/SYSV}, "$name: no System V segment is attached");
	is(scalar @sockets, 1, "$name: one socket");
  SKIP: {
		skip 'a CUDA driver has descriptors of its own', 2 if has_driver($pid);
		is("@strange", '', "$name: descriptors");
		is(scalar(keys %{ { map { $_ => 1 } grep { /^pipe:/ } values %files } }), 1, "$name: one pipe");
	}
	is("@files{0, 1}", '/dev/null /dev/null', "$name: input and output");
	return;
}

my $node = new_node('service', 'gpuagg.longest_pause = 1s', 'wal_level = replica', 'max_wal_senders = 2');
$node->safe_psql('postgres', 'SET gpuagg.mode = off; CREATE TABLE t AS SELECT i % 3 AS k FROM generate_series(1, 3000) i');
my $query = 'SELECT k, count(*) FROM t GROUP BY k ORDER BY k';

# A session starts it, and many sessions at once start one.
{
	is(scalar(worker($node)), 0, 'no worker before a session asks');
	my @sessions = map { $node->background_psql('postgres') } 1 .. 8;
	$_->{stdin} .= "$devices;\n" for @sessions;
	$_->{run}->pump_nb for @sessions;
	like($_->query($devices), qr/^f\|/, 'a session is answered') for @sessions;
	$_->quit for @sessions;
	ok(wait_for(1, sub { worker($node) == 1 }), 'one worker');
	is(scalar(device_process($node)), 1, 'one device process');
	is(said($node, 'serves'), 1, 'and it was the only one');
	my $mode = (stat $node->data_dir . '/gpuagg_device')[2] & 0777;
	is(sprintf('%o', $mode), '700', 'mode of the directory');
	$mode = (stat $node->data_dir . '/gpuagg_device/pgsql_tmp_socket')[2] & 0777;
	is(sprintf('%o', $mode), '600', 'mode of the socket');
}

# What it is.
{
	my ($worker) = worker($node);
	my $pid = wait_for_service($node);
	my @session = (split ' ', slurp_file("/proc/$pid/stat") =~ s/.*\)//r)[3];

	check_process($node, $pid, 'the device process');
	like(title($pid), qr/^postgres: service: gpuagg device process$/, 'its title');
	is(slurp_file("/proc/$pid/oom_score_adj"), "1000\n", 'the kernel takes it first');
	is(status_of($pid, 'NoNewPrivs'), 1, 'it gains no privileges');
	is(status_of($pid, 'PPid'), $worker, "it is the worker's child");
	is(status_of($pid, 'SigCgt') =~ s/^0+$/0/r, 0, 'it handles no signal') unless has_driver($pid);
	is(status_of($pid, 'SigBlk') =~ s/^0+$/0/r, 0, 'it blocks no signal');
	is("@session", $pid, 'it is in a session of its own, which the postmaster does not signal');
	like(slurp_file("/proc/$worker/maps"), qr/ rw-s /, 'the worker has shared memory');
	my %files = open_ones($worker);
	ok((grep { m{gpuagg_device/worker$} } values %files), 'the worker has the lock');
}

# A base backup leaves the socket out, and warns of nothing.
{
	my $copy = "$ENV{TESTDIR}/copy_of_service";
	my ($out, $err) = run_command([ 'pg_basebackup', '-D', $copy, '-h', $node->host, '-p', $node->port, '-c', 'fast', '-X', 'none', '--no-sync' ]);

	is($err =~ s/.*no WAL.*|NOTICE.*//gr =~ s/\n//gr, '', 'a base backup warns of nothing');
	ok(-d "$copy/gpuagg_device", 'it has the directory');
	is_deeply([ grep { -S $_ } glob "$copy/gpuagg_device/*" ], [], 'without the socket');
}

# A session has no descriptors of runs that have ended, however they did.
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query('SELECT pg_backend_pid()');
	my $opened = sub {
		my %files = open_ones($pid);
		return scalar(grep { /eventpoll|^socket:|memfd/ } values %files);
	};
	my $query = 'SELECT count(*), sum(g) FROM runs';

	$session->query('CREATE TABLE runs AS SELECT i % 10 AS g FROM generate_series(1, 300000) i');
	$session->query("SET gpuagg.engine = 'service'; SET gpuagg.mode = 'force'; SET gpuagg.fallback = off");
	is($session->query($query), '300000|1350000', 'a run in the device process');
	my $before = $opened->();
	$session->query($query) for 1 .. 5;
	is($opened->(), $before, 'after five more, none is open that was not');
	for my $timeout (1, 2, 5, 10)
	{
		$session->query("SET statement_timeout = $timeout; $query;");
		$session->query('RESET statement_timeout');
	}
	$session->query("SET gpuagg.inject_failure = 'groups:1:failed'; $query;");
	$session->query('RESET gpuagg.inject_failure');
	is($opened->(), $before, 'nor after some that were cancelled or failed');
	$session->query("BEGIN; DECLARE c CURSOR FOR $query; FETCH c;");
	is($opened->(), $before, 'nor while a cursor gives its groups');
	$session->quit;
}

# However it dies, no server process does, and it is back soon.
{
	my $session = $node->background_psql('postgres');
	my $born = $session->query('SELECT pg_backend_pid()');

	for my $signal (qw(SEGV KILL TERM ABRT))
	{
		my $pid = wait_for_service($node);
		kill $signal, $pid;
		my $next = wait_for_service($node, $pid);
		ok($next, "back within 5 s after SIG$signal");
		ok(is_gone($pid), "the old one is gone after SIG$signal");
	}
	is($session->query('SELECT pg_backend_pid()'), $born, 'no session has ended');
	$session->quit;
	is(said($node, 'terminating any other active server processes'), 0, 'the server has not restarted');
	is(said($node, 'terminated by signal 11'), 1, 'the log says how it ended');
}

# What it writes goes to the log: cleaned, cut, and not without end.
{
	my $pid = wait_for_service($node);
	open(my $pipe, '>', "/proc/$pid/fd/2") or die $!;
	$pipe->autoflush(1);
	print $pipe "bell\a and \xc3\xa4 and \e[31mred\0\n";
	print $pipe 'x' x 2000, "\n";
	ok(wait_for(5, sub { log_of($node) =~ /gpuagg device process: bell\? and \?\? and \?\[31mred\?\n/ }), 'a line is cleaned');
	ok(wait_for(5, sub { log_of($node) =~ /gpuagg device process: x{500,511}\n/ }), 'a long line is cut');
	unlike(log_of($node), qr/x{512}/, 'wherever it is long');
	for my $i (1 .. 300)
	{
		print $pipe "line $i\n";
		sleep 0.001;
	}
	close $pipe;
	sleep 0.5;
	my $lines = said($node, 'gpuagg device process: line');
	cmp_ok($lines, '>', 10, 'many lines are logged');
	cmp_ok($lines, '<', 61, 'but not all of so many');
}

# Files that somebody removes.
{
	my $pid = wait_for_service($node);
	unlink $node->data_dir . '/gpuagg_device/pgsql_tmp_socket';
	ok(wait_for_service($node, $pid), 'back after its socket was removed');
	my ($worker) = worker($node);
	system 'rm', '-rf', $node->data_dir . '/gpuagg_device';
	ask($node);
	ok(wait_for(5, sub { my @workers = worker($node); @workers == 1 && $workers[0] != $worker }),
		'another worker after its directory was removed');
	ok(wait_for_service($node), 'and another device process');
	is(scalar(device_process($node)), 1, 'but one');
}

# The worker has no descriptor left: it goes on trying.
{
	my $pid = wait_for_service($node);
	my ($worker) = worker($node);
	system 'prlimit', '--pid', $worker, '--nofile=4:';
	kill 'KILL', $pid;
	ok(wait_for(5, sub { log_of($node) =~ /could not start: Too many open files/ }), 'no descriptor is left');
	is(outcome($node, '', 'SELECT 1'), 1, 'sessions work');
	my $asked = time;
	like(ask($node), qr/^f\|the device process has ended and will be started again: could not start: Too many open files$/,
		'a session is told');
	cmp_ok(time - $asked, '<', 2, 'and does not wait');
	system 'prlimit', '--pid', $worker, '--nofile=1000:';
	ok(wait_for_service($node, $pid), 'back once there are some');
	is((worker($node))[0], $worker, 'by the same worker');
}

# A pause that grows.
{
	$node->append_conf('postgresql.conf', 'gpuagg.longest_pause = 60s');
	$node->restart;
	ask($node);
	my @pauses;
	for (1 .. 3)
	{
		my $pid = wait_for_service($node);
		my $died = time;
		kill 'KILL', $pid;
		ok(wait_for_service($node, $pid), 'back');
		push @pauses, time - $died;
	}
	cmp_ok($pauses[1], '>', $pauses[0] + 0.5, 'the second pause is longer');
	cmp_ok($pauses[2], '>', $pauses[1] + 1.5, 'the third is longer still');
	$node->append_conf('postgresql.conf', 'gpuagg.longest_pause = 1s');
	$node->restart;
}

# The server ends in all its ways, with a worker of a session and with one of its own;
# nothing is left, and the next one starts at once.
for my $preload ('', 'gpuagg')
{
	my $by = $preload ? 'preloaded' : 'by a session';

	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$preload'");
	$node->restart;
	for my $end (qw(smart fast immediate KILL))
	{
		ask($node) unless $preload;
		my $pid = wait_for_service($node);
		ok($pid, "$by, $end: it serves");
		my ($postmaster, $worker) = (postmaster($node), worker($node));
		# also one that does not react
		kill 'STOP', $pid if $end eq 'fast' || $end eq 'KILL';
		if ($end eq 'KILL') { kill 'KILL', $postmaster }
		else                { ok(pg_ctl($node, 'stop', '-m', $end), "$by, $end: the server stops") }
		ok(wait_for(2, sub { is_gone($pid) && is_gone($worker) }), "$by, $end: nothing is left");
		# not even a dead one of that number, which a new one would take for alive
		wait_for(10, sub { !-e "/proc/$postmaster" });
		ok(pg_ctl($node, 'start'), "$by, $end: the server starts");
	}
	unlike(log_of($node), qr/pre-existing shared memory block/, "$by: no server waited for another's memory");
}

# The server's processes crash and restart, and the device process with them.
for my $preload ('gpuagg', '')
{
	my $by = $preload ? 'preloaded' : 'by a session';

	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$preload'\nrestart_after_crash = on");
	pg_ctl($node, 'restart');
	for my $victim ('a session', 'the worker')
	{
		ask($node) unless $preload;
		my $pid = wait_for_service($node);
		my ($worker) = worker($node);
		my $session = $node->background_psql('postgres', on_error_stop => 0);
		my $backend = $session->query('SELECT pg_backend_pid()');

		kill 'KILL', $victim eq 'a session' ? $backend : $worker;
		ok(wait_for(5, sub { is_gone($pid) && is_gone($worker) }), "$by: after a crash of $victim the old ones are gone");
		eval { $session->quit };
		ok(wait_for(10, sub { $node->psql('postgres', 'SELECT 1') == 0 }), "$by: the server is back");
		ask($node) unless $preload;
		ok(wait_for_service($node, $pid), "$by: so is the device process");
		is(scalar(worker($node)), 1, "$by: with one worker");
	}
}

# Kinds of shared memory.
for my $lines ('shared_memory_type = sysv', "shared_memory_type = mmap\nhuge_pages = try", 'dynamic_shared_memory_type = sysv',
	"dynamic_shared_memory_type = mmap\nmin_dynamic_shared_memory = 4MB")
{
	my $name = $lines =~ s/\n/, /gr;
	$node->append_conf('postgresql.conf', $lines);
	ok(pg_ctl($node, 'restart'), "$name: the server starts");
	ask($node);
	check_process($node, wait_for_service($node), $name);
}
$node->append_conf('postgresql.conf', "dynamic_shared_memory_type = posix\nmin_dynamic_shared_memory = 0");
$node->restart;

# Where sessions cannot write, or are no usual sessions.
{
	like(outcome($node, 'BEGIN TRANSACTION READ ONLY', $devices), qr/^f\|/, 'in a transaction that is read-only');
	ok(wait_for_service($node), 'it is started');
	$node->restart;
	like(outcome($node, 'SET statement_timeout = 20000; SET transaction_isolation = serializable', $devices), qr/^f\|/, 'in a serializable one');
	$node->stop;
	my ($out, $errors);
	IPC::Run::run(['postgres', '--single', '-D', $node->data_dir, 'postgres'],
		'<', \"SELECT reason FROM gpuagg_devices\n", '>', \$out, '2>', \$errors);
	like($out, qr/reason = "a server in single-user mode has no device process"/, 'in single-user mode');
	$node->start;
}

# A second server on the machine.
{
	my $other = new_node('service_other');
	ask($_) for $node, $other;
	my @pids = map { wait_for_service($_) } $node, $other;
	ok($pids[0] && $pids[1] && $pids[0] != $pids[1], 'each of two servers has a device process');
	like(title($pids[1]), qr/^postgres: service_other: gpuagg device process$/, 'its title names the cluster');
	kill 'KILL', $pids[1];
	ok(wait_for_service($other, $pids[1]), "the other's is back");
	is(wait_for_service($node), $pids[0], 'the first one is what it was');
	$other->stop;
}

# No slot for the worker, whoever registers it.
for my $preload ('', 'gpuagg')
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$preload'\nmax_worker_processes = 0");
	ok(pg_ctl($node, 'restart'), 'a server without background workers starts');
	like(ask($node), qr/^f\|no slot of max_worker_processes is free for the device worker$/, 'gpuagg_devices says so');
	like(outcome($node, '', 'SET gpuagg.engine = simt'), qr/ERROR:  engine "simt" is not available/, 'so does who asks for the engine');
	is(outcome($node, '', $query), outcome($node, 'SET gpuagg.mode = off', $query), 'others have their answers');
}
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\nmax_worker_processes = 8");
$node->restart;

# A session that waits for a device process that does not come can be cancelled, and so
# can the server be stopped.
{
	ask($node);
	my $pid = wait_for_service($node);
	my ($worker) = worker($node);
	kill 'STOP', $worker;
	kill 'KILL', $pid;
	my $asked = time;
	like(outcome($node, 'SET statement_timeout = 500', $devices), qr/ERROR:  canceling statement due to statement timeout/,
		'a session that waits is cancelled');
	cmp_ok(time - $asked, '<', 5, 'soon');
	kill 'CONT', $worker;
	ok(wait_for_service($node, $pid), 'the worker goes on');
}

# One that does not answer: a query can be cancelled, and falls back in time.
{
	my $rows = outcome($node, 'SET gpuagg.mode = off', $query);
	my $pid = wait_for_service($node);
	is(outcome($node, 'SET gpuagg.engine = simt; SET gpuagg.fallback = off', $query), $rows, 'a query runs there');
	kill 'STOP', $pid;
	my $asked = time;
	like(outcome($node, 'SET statement_timeout = 500; SET gpuagg.engine = simt', $query), qr/ERROR:  canceling statement due to statement timeout/,
		'a query that waits for it is cancelled');
	cmp_ok(time - $asked, '<', 5, 'soon');
	$asked = time;
	is(outcome($node, "SET gpuagg.device_timeout = '1s'; SET gpuagg.engine = simt", $query), $rows, 'and falls back after device_timeout');
	cmp_ok(time - $asked, '<', 8, 'soon');
	kill 'CONT', $pid;
	ok(wait_for(5, sub { outcome($node, 'SET gpuagg.engine = simt; SET gpuagg.fallback = off', $query) eq $rows }), 'it goes on');
	is(wait_for_service($node), $pid, 'as the same process');

	# one that hangs is replaced
	$node->safe_psql('postgres', "ALTER SYSTEM SET gpuagg.device_timeout = '1s'; SELECT pg_reload_conf()");
	kill 'STOP', $pid;
	ok(wait_for(20, sub { is_gone($pid) }), 'one that hangs is killed');
	like(log_of($node), qr/gpuagg device process \(PID $pid\) hangs and is killed/, 'which the log says');
	ok(wait_for_service($node, $pid), 'and another one serves');
	is(outcome($node, 'SET gpuagg.engine = simt; SET gpuagg.fallback = off', $query), $rows, 'and runs queries');
	$node->safe_psql('postgres', 'ALTER SYSTEM RESET gpuagg.device_timeout; SELECT pg_reload_conf()');
}

# One that hangs before it serves, as a driver that looks for devices may.
{
	my $delay = sub { $node->safe_psql('postgres', "ALTER SYSTEM SET gpuagg.device_delay = '$_[0]'; SELECT pg_reload_conf()") };
	my $rows = outcome($node, 'SET gpuagg.mode = off', $query);
	$node->safe_psql('postgres', "ALTER SYSTEM SET gpuagg.device_timeout = '1s'");
	$delay->('1h');
	$node->restart;
	like(outcome($node, 'SET statement_timeout = 100', $devices), qr/canceling/, 'a session waits for one that begins');
	ok(wait_for(5, sub { ask($node) =~ /^f\|the device process has been started [1-5] s ago and does not serve yet$/ }), 'its age is told');
	my ($pid) = device_process($node);
	may_end($pid);
	$delay->('9s');
	my $asked = time;
	is(outcome($node, 'SET gpuagg.engine = simt', $query), $rows, 'a query does not wait for one that is late');
	cmp_ok(time - $asked, '<', 1.5, 'at all');
	ok(wait_for(15, sub { is_gone($pid) }), 'it is killed');
	like(log_of($node), qr/gpuagg device process \(PID $pid\) hangs and is killed\n.*does not serve yet/, 'which the log says');

	# the next one is slow, but lives
	my $next;
	ok(wait_for(5, sub { ($next) = grep { $_ != $pid } device_process($node) }), 'there is another one');
	ok(wait_for(30, sub { is_gone($next) || answers($node) }) && !is_gone($next), 'which has more time');
	is(wait_for_service($node), $next, 'and serves');
	is(outcome($node, 'SET gpuagg.engine = simt; SET gpuagg.fallback = off', $query), $rows, 'and runs queries');
	$node->safe_psql('postgres', 'ALTER SYSTEM RESET ALL');
	$node->restart;
}

# gpuagg_activity tells of a query while it runs, and others' queries to nobody who may not know.
{
	my $activity = 'SELECT pid = %s, database, relation, engine, phase, pages > 0, total_pages > 0, device_memory >= 0,'
		. ' waiting_since FROM gpuagg_activity';
	my $slow = 'SELECT k, count(*) FROM (SELECT slowly(k) AS k FROM t OFFSET 0) s GROUP BY k';
	$node->safe_psql('postgres', q{CREATE FUNCTION slowly(k int) RETURNS int STABLE LANGUAGE plpgsql
		AS 'BEGIN PERFORM pg_sleep(0.01); RETURN k; END'});
	my ($in, $out) = ("SELECT pg_backend_pid();\nSET gpuagg.engine = simt;\nSET gpuagg.mode = force;\n$slow;\n", '');
	my $run = IPC::Run::start(['psql', '-XAtq', '-d', $node->connstr('postgres')], '<', \$in, '>', \$out, '2>', \$out);
	my $seen;
	ok(wait_for(20, sub {
		$run->pump_nb;
		my ($pid) = $out =~ /^(\d+)/ or return 0;
		$seen = outcome($node, '', sprintf $activity, $pid);
		return $seen =~ /reading/;
	}), 'gpuagg_activity has a query');
	is($seen, 't|postgres||simt|reading|f||t|', 'as it is');
	$node->safe_psql('postgres', 'CREATE ROLE nobody');
	is(outcome($node, 'SET ROLE nobody', sprintf $activity, 0), 'f|postgres|||||||', 'others see that there is one');
	$node->safe_psql('postgres', 'GRANT pg_read_all_stats TO nobody');
	like(outcome($node, 'SET ROLE nobody', sprintf $activity, 0), qr/simt\|reading/, 'those who read statistics see all');
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(pid) FROM gpuagg_activity');
	ok(wait_for(5, sub { outcome($node, '', 'SELECT count(*) FROM gpuagg_activity') eq '0' }), 'it is not there when the query has ended');
	$run->kill_kill;
	$node->safe_psql('postgres', 'DROP ROLE nobody; DROP FUNCTION slowly');
}

# While it is not back yet no query fails, not even in a session that asks for it first.
{
	$node->append_conf('postgresql.conf', 'gpuagg.longest_pause = 60s');
	$node->restart;
	ask($node);
	my $rows = outcome($node, 'SET gpuagg.mode = off', $query);
	my $pid;
	for (1 .. 2)
	{
		$pid = wait_for_service($node, $pid);
		may_end($pid);
		kill 'KILL', $pid;
	}
	ok(wait_for(2, sub { !device_process($node) }), 'it pauses');
	my $asked = time;
	is(outcome($node, 'SET gpuagg.engine = simt', $query), $rows, 'a query falls back');
	cmp_ok(time - $asked, '<', 1.5, 'and does not wait');
	$node->append_conf('postgresql.conf', 'gpuagg.longest_pause = 1s');
	$node->restart;
}

# No device: the worker ends, and its note keeps sessions from starting it again.
{
	my $compiler = "$ENV{TESTDIR}/late_cc";
	unlink $compiler;
	local $ENV{GPUAGG_SIMT_CC} = $compiler;
	$node->restart;
	my $before = said($node, 'gpuagg has no device');
	like(ask($node), qr/^f\|\S.*CUDA.*; \S/, 'the reasons are told');
	ok(wait_for(2, sub { !worker($node) }), 'no worker stays');
	is(said($node, 'gpuagg has no device') - $before, 1, 'the log says it');
	ask($node);
	is(said($node, 'gpuagg has no device') - $before, 2, 'gpuagg_devices looks anew');
	like(outcome($node, '', 'SET gpuagg.engine = simt'), qr/ERROR:  engine "simt" is not available/, 'the engine is refused');
	is(said($node, 'gpuagg has no device') - $before, 2, 'other sessions do not look');
	symlink '/usr/bin/cc', $compiler;
	like(ask($node), qr/^f\|/, 'once there is a device');
	ok(wait_for_service($node), 'it serves');
	unlink $compiler;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpuagg'");
	$node->restart;
	ok(wait_for(5, sub { said($node, 'gpuagg has no device') - $before == 3 }), 'preloaded: the log says it');
	ok(wait_for(2, sub { !worker($node) }), 'and no worker stays');
	sleep 1;
	is(said($node, 'gpuagg has no device') - $before, 3, 'nor is it started again');
	$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
}
$node->restart;

# The note of an earlier run of the server says nothing.
is(outcome($node, 'SET gpuagg.engine = simt; SET gpuagg.fallback = off', $query),
	outcome($node, 'SET gpuagg.mode = off', $query), 'a later server looks again');

# A standby, and a data directory whose path is too long for a socket.
{
	$node->append_conf('postgresql.conf', "wal_level = replica\nmax_wal_senders = 2");
	$node->restart;
	$node->backup('base');
	my $name = 'service_' . 'long' x 30;
	my $standby = PostgreSQL::Test::Cluster->new($name);
	$standby->init_from_backup($node, 'base', has_streaming => 1);
	cmp_ok(length $standby->data_dir, '>', 150, 'a long path');
	$standby->start;
	is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'a standby');
	like(ask($standby), qr/^f\|/, 'its sessions are answered');
	ok(wait_for_service($standby), 'it has a device process of its own');
	$standby->promote;
	ok(wait_for_service($standby), 'promoted, too');
	$standby->stop;
}

is(said($node, 'PANIC'), 0, 'no panic');
$node->stop;
done_testing();
