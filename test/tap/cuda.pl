# The device process with a real GPU: it is stopped, killed and left alone, the server ends
# in every way, and 100 sessions use it at once.  Nothing of it stays.  Needs a GPU that
# nobody else uses, and its driver.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);
use PostgreSQL::Test::Utils;
use Node;
use Service;

# What runs may have, and what the driver may need besides, in megabytes.
my $limit = 4096;
my $context = 1500;

# Megabytes of device memory in use, by whoever it is.
sub memory_used
{
	my $used = `nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits`;
	return $used =~ /^(\d+)/ ? $1 : die 'nvidia-smi';
}

my $before = memory_used();
my $node = new_node('cuda', 'gpuagg.engine = cuda', 'gpuagg.longest_pause = 50ms', 'max_connections = 130',
	'shared_buffers = 256MB', "gpuagg.max_device_memory = ${limit}MB", "shared_preload_libraries = 'gpuagg'");
is(outcome($node, '', 'SELECT usable FROM gpuagg_devices LIMIT 1'), 't', 'there is a device');
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t (k int, v int, c text, f float8);
INSERT INTO t SELECT i % 3000, i, 'text ' || i % 7, i / 8.0 FROM generate_series(1, 1000000) i;
CREATE TABLE small AS SELECT * FROM t LIMIT 20000;
VACUUM ANALYZE t, small;
SQL

my %queries = (
	'large' => 'SELECT k, count(*), sum(v), min(f) FROM t GROUP BY k ORDER BY k',
	'no key' => 'SELECT count(*), max(v), sum(f) FROM t WHERE v > 700',
	'text' => 'SELECT c, avg(v) FROM small GROUP BY c ORDER BY c',
	'child plan' => 'SELECT k, avg(v) FROM (SELECT * FROM small OFFSET 1) s GROUP BY k ORDER BY k');
my @names = sort keys %queries;
my %native = map { $_ => outcome($node, 'SET gpuagg.mode = off', $queries{$_}) } @names;

sub answer_without_fallback
{
	my ($comment) = @_;
	is(outcome($node, 'SET gpuagg.fallback = off', $queries{$_}), $native{$_}, "$_: $comment") for @names;
	return;
}

answer_without_fallback('as PostgreSQL, without fallback');

# It is killed by each signal while a query uses it.
for my $signal (qw(SEGV KILL TERM))
{
	my $pid = wait_for_service($node);
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->{stdin} .= "$queries{large};\n";
	$session->{run}->pump_nb;
	sleep 0.005;
	kill $signal, $pid;
	like($session->query($queries{large}), qr/\Q$native{large}\E\z/, "$signal: the session goes on");
	$session->quit;
	is(outcome($node, '', $queries{$_}), $native{$_}, "$signal: $_ is answered") for @names;
	ok(wait_for_service($node, $pid), "$signal: another one serves");
	answer_without_fallback("and runs queries after $signal");
}

# One that hangs: queries fall back, and it is replaced.
{
	my $pid = wait_for_service($node);
	$node->safe_psql('postgres', "ALTER SYSTEM SET gpuagg.device_timeout = '1s'; SELECT pg_reload_conf()");
	kill 'STOP', $pid;
	is(outcome($node, '', $queries{$_}), $native{$_}, "STOP: $_ is answered") for @names;
	ok(wait_for(20, sub { is_gone($pid) }), 'one that hangs is killed');
	ok(wait_for_service($node, $pid), 'and another one serves');
	$node->safe_psql('postgres', 'ALTER SYSTEM RESET gpuagg.device_timeout; SELECT pg_reload_conf()');
	sleep 0.2;
	answer_without_fallback('by the other one');
}

# 100 sessions at once: none fails, and memory stays below the setting.
{
	my $script = "$ENV{TESTDIR}/cuda.sql";
	open(my $file, '>', $script) or die $!;
	print $file "\\echo $_\n$queries{$_};\n" for map { @names } 1 .. 5;
	close $file;
	my (@runs, @out, @err);
	for my $i (0 .. 99)
	{
		($out[$i], $err[$i]) = ('', '');
		push @runs, IPC::Run::start(['psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $script],
			'>', \$out[$i], '2>', \$err[$i]);
	}
	my ($most, $looked) = (0, 0);
	while (grep { $_->pumpable } @runs)
	{
		$_->pump_nb for grep { $_->pumpable } @runs;
		if (time - $looked > 0.3)
		{
			my $used = memory_used() - $before;
			$most = $used if $used > $most;
			$looked = time;
		}
		sleep 0.01;
	}
	$_->finish for @runs;
	my $expected = join '', map { "$_\n$native{$_}\n" } map { @names } 1 .. 5;
	is(scalar(grep { $_ ne $expected } @out), 0, '100 sessions: every answer is right');
	is(join('', map { /((?:ERROR|FATAL).*)/ } @err), '', 'and no query fails');
	cmp_ok($most, '<', $limit + $context, 'device memory stays below its limit');
	note("at most $most MB");
	is(outcome($node, 'RESET gpuagg.engine', 'SELECT count(*) FROM gpuagg_activity'), 0, 'no run is left');
}

sub pg_ctl { return system_log('pg_ctl', '-D', $node->data_dir, '-l', $node->logfile, '-w', @_) == 0 }

# However the server ends, nothing is left.
for my $end (qw(smart fast immediate KILL))
{
	my ($pid, $postmaster) = (wait_for_service($node), postmaster($node));
	is(outcome($node, 'SET gpuagg.fallback = off', $queries{large}), $native{large}, "before $end: a query runs");
	if ($end eq 'KILL') { kill 'KILL', $postmaster }
	else                { ok(pg_ctl('stop', '-m', $end), "$end: the server stops") }
	ok(wait_for(5, sub { is_gone($pid) }), "$end: the device process ends");
	ok(wait_for(10, sub { memory_used() < $before + 100 }), "$end: no device memory is left");
	wait_for(10, sub { !-e "/proc/$postmaster" });
	ok(pg_ctl('start'), "$end: the server starts");
}
done_testing();
