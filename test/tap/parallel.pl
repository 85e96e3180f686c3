# Parallel aggregation whose engines fail, in one process or in all, and whose workers
# or leader are ended: the rows are right, or there is an error, and nothing is left.
# With the CPU engine in each process, and with runs in the device process that all of
# them feed.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep);
use IPC::Run qw(start finish);
use Node;
use Service;

my @parallel = ('max_parallel_workers_per_gather = 3', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0',
	'min_parallel_table_scan_size = 0', 'gpuagg.setup_cost = 0', 'gpuagg.page_cost = 0.1', 'gpuagg.tuple_cost = 0.0001',
	'gpuagg.operator_cost = 0.0001', 'gpuagg.group_cost = 0', 'gpuagg.longest_pause = 50ms');
my $node = new_node('parallel', @parallel, 'gpuagg.cache_size = 0');
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t AS SELECT i % 4001 AS k, 'text ' || i % 501 AS s, i AS v, i / 8.0::float8 AS f FROM generate_series(1, 100000) i;
CREATE TABLE long AS SELECT i % 100 AS k, repeat(md5(i::text), 4) AS s FROM generate_series(1, 1000000) i;
CREATE TABLE names AS SELECT i AS k, 'name ' || i % 31 AS n FROM generate_series(1, 4000) i;
CREATE TABLE specials AS SELECT v % 10 AS k, v::numeric AS n FROM t;
-- some values out of line, on all pages
CREATE TABLE toasted (k int, s text);
ALTER TABLE toasted ALTER s SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT i % 10, CASE WHEN i % 20 = 0 THEN repeat('long ' || i % 50, 1000) ELSE 'short ' || i % 50 END FROM generate_series(1, 10000) i;
VACUUM ANALYZE;
INSERT INTO specials VALUES (3, 'NaN');
SQL

my %queries = (
	keys => 'SELECT s, count(*), sum(f) FROM t GROUP BY s ORDER BY s',
	none => 'SELECT count(*), sum(f), max(s) FROM t',
	joins => 'SELECT n, count(*), sum(f), max(s) FROM t JOIN names USING (k) GROUP BY n ORDER BY n',
	appends => 'SELECT k, sum(v), count(*) FROM (SELECT k, v FROM t WHERE v % 2 = 0 UNION ALL SELECT k, v FROM t WHERE v < 70000) u GROUP BY k ORDER BY k',
	sets => 'SELECT k, s, count(*), sum(v) FROM t GROUP BY GROUPING SETS (k, s) ORDER BY 1, 2',
	specials => 'SELECT k, sum(n), count(*) FROM specials GROUP BY k ORDER BY k',
	toasted => 'SELECT k, md5(max(s)), count(s) FROM toasted GROUP BY k ORDER BY k',
	rescans => 'SELECT x, s.* FROM generate_series(1, 3) x LEFT JOIN (SELECT s, sum(k) FROM t GROUP BY s OFFSET 0) s ON s.sum > x ORDER BY 1, 2');
my %right = map { $_ => outcome($node, 'SET gpuagg.mode = off', $queries{$_}) } keys %queries;

# What every engine does, what processes with engines of their own do, and those that
# feed one run.
my @failures = ('open:1:failed', 'open:2:no_memory', 'pages:1:inexact', 'pages:3:corrupt', 'columns:1:failed', 'columns:2:inexact',
	'columns:1:widen', 'groups:1:failed', 'any:2:inexact', 'pages:1:widen');
my %failures = (
	cpu => [ @failures, 'emit_partial:1:failed', 'combine:1:failed', 'combine:5:no_memory', 'emit_partial:1:special' ],
	service => [ @failures, 'attach:1:failed', 'attach:2:inexact', 'begun:1:failed', 'begun:1:special', 'fed:1:failed', 'fed:1:inexact', 'fed:1:special', 'any:4:failed' ]);
my %worker_calls = (cpu => [qw(open pages emit_partial combine)], service => [qw(attach pages fed)]);

sub use_engine
{
	my ($engine) = @_;
	$node->safe_psql('postgres', "ALTER SYSTEM SET gpuagg.engine = $engine");
	$node->reload;
	return;
}

# Right rows whatever fails, and wherever.
sub check_failures
{
	my ($engine, $kind) = @_;
	for my $place ('', ':leader', ':worker')
	{
		my @wrong = grep {
			my $failure = $_;
			grep { outcome($node, "SET gpuagg.inject_failure = '$failure$place'; SET parallel_leader_participation = $_",
					$queries{$kind}) ne $right{$kind} } qw(on off);
		} @{ $failures{$engine} };
		is("@wrong", '', "$engine, $kind: failures$place");
	}
	return;
}

my $active = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'long' AND backend_type = 'client backend' AND state = 'active'";

# A stopped process may hold a lock of shared memory that all others need.
sub others_go_on
{
	return system('timeout', 3, 'psql', '-X', '-q', '-o', '/dev/null', '-d', $node->connstr('postgres'), '-c', $active) == 0;
}

# A session that runs a long query, one of whose workers is stopped.
sub begin_long
{
	my ($out) = @_;
	my $query = "SELECT k, count(*) FROM long WHERE s LIKE '%1%2%3%4%5%6%7%' GROUP BY k";
	my $run = start([ 'psql', '-X', '-At', '-d', $node->connstr('postgres'), '-c', "SET application_name = long",
			('-c', $query) x 20 ], '>', $out, '2>&1');

	for (1 .. 1000)
	{
		my $pid = $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' LIMIT 1");
		if ($pid ne '' && kill('STOP', $pid))
		{
			return ($run, $pid) if others_go_on();
			kill 'CONT', $pid;
		}
		sleep 0.005;
	}
	die 'no worker was seen';
}

# The others come to their end, or to the barrier.
sub settle
{
	sleep 0.3;
	return $node->safe_psql('postgres', $active);
}

# A worker is stopped: the leader waits, and can be cancelled; or the worker is ended.
sub check_stopped_worker
{
	my ($engine) = @_;
	my $out = '';
	my ($run, $pid) = begin_long(\$out);

	is(settle(), 1, "$engine: the leader waits for a worker");
	$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'long' AND backend_type = 'client backend'");
	kill 'CONT', $pid;
	finish $run;
	like($out, qr/canceling statement/, "$engine: the wait can be cancelled");

	$out = '';
	($run, $pid) = begin_long(\$out);
	settle();
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
	kill 'CONT', $pid;
	finish $run;
	like($out, qr/terminating (connection|background worker)/, "$engine: an ended worker is an error");
	return;
}

# The leader is ended while one of its workers is stopped: the others go, and then it.
sub check_ended_leader
{
	my ($engine) = @_;
	my $out = '';
	my ($run, $pid) = begin_long(\$out);

	settle();
	$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'long' AND backend_type = 'client backend'");
	kill 'CONT', $pid;
	finish $run;
	like($out, qr/terminating connection/, "$engine: the leader can be ended");
	ok(wait_for(5, sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'") == 0 }),
		"$engine: no worker stays");
	ok(wait_for(5, sub { runs() == 0 }), "$engine: nor a run");
	return;
}

# Workers that begin when the others have read all rows: the postmaster starts none for a
# while.
sub check_late_workers
{
	my ($engine) = @_;
	my $out = '';
	my $watch = $node->background_psql('postgres');
	$watch->query('SELECT pg_advisory_lock(1)');
	my $run = start([ 'psql', '-X', '-At', '-d', $node->connstr('postgres'), '-c', 'SET gpuagg.fallback = off', '-c', "SET application_name = late",
			'-c', 'SELECT pg_advisory_lock(1)', '-c', $queries{keys} ], '>', \$out, '2>&1');

	wait_for(30, sub { $watch->query("SELECT wait_event FROM pg_stat_activity WHERE application_name = 'late'") eq 'advisory' });
	kill 'STOP', postmaster($node);
	$watch->query('SELECT pg_advisory_unlock(1)');
	sleep 1;
	is($watch->query("SELECT state FROM pg_stat_activity WHERE application_name = 'late' AND backend_type = 'client backend'"), 'active',
		"$engine: the leader waits for late workers");
	kill 'CONT', postmaster($node);
	finish $run;
	$watch->quit;
	is($out =~ s/^(SET\n)+\n//r, "$right{keys}\n", "$engine: late workers do no harm");
	return;
}

# Runs that the device process has.
sub runs { return $node->safe_psql('postgres', 'SELECT count(*) FROM gpuagg_activity') }

for my $engine (qw(cpu service))
{
	use_engine($engine);
	for my $kind (sort keys %queries)
	{
		like(outcome($node, '', "EXPLAIN $queries{$kind}"), qr/GpuAgg Partial/, "$engine, $kind: parallel");
		is(outcome($node, 'SET gpuagg.fallback = off', $queries{$kind}), $right{$kind}, "$engine, $kind: no failure");
		check_failures($engine, $kind) if $engine eq 'cpu' || $kind =~ /keys|joins|toasted|specials|rescans/;
	}

	# With no other process to take its place, a worker's failure is the query's.
	for my $call (@{ $worker_calls{$engine} })
	{
		like(outcome($node, "SET parallel_leader_participation = off; SET gpuagg.fallback = off; SET gpuagg.inject_failure = '$call:1:failed:worker'",
				$queries{keys}), qr/a failure was injected into/, "$engine: a worker's $call");
	}
	check_stopped_worker($engine);
	check_ended_leader($engine);
	check_late_workers($engine);
	is(outcome($node, 'SET gpuagg.fallback = off', $queries{keys}), $right{keys}, "$engine: the next query is answered");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, "$engine: no file is left");
}

# Queries that are cancelled wherever they are: all that the device process had for them
# goes.
{
	my ($device) = device_process($node);
	my %before = open_ones($device);
	my ($ended, @wrong) = (0);
	for my $n (1 .. 60)
	{
		my $kind = (qw(keys joins toasted appends))[ $n % 4 ];
		my $rows = outcome($node, "SET statement_timeout = " . $n * 2, $queries{$kind});
		$rows =~ /statement timeout/ ? $ended++ : $rows eq $right{$kind} || push @wrong, "$kind: $rows";
	}
	is("@wrong", '', 'right rows or a cancelled query');
	cmp_ok($ended, '>', 5, 'some were cancelled');
	ok(wait_for(5, sub { runs() == 0 }), 'their runs go');
	ok(wait_for(5, sub { my %now = open_ones($device); keys %now == keys %before }), 'with their descriptors');
}

# The device process, whose runs all have gone with their sessions, is the first one.
is(runs(), 0, 'no run is left');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/device process .*has ended/, 'the device process lives');

# It is killed while workers feed a run.
{
	my $out = '';
	my ($run, $pid) = begin_long(\$out);
	my ($device) = device_process($node);

	settle();
	is(runs(), 1, 'several processes feed one run');
	kill 'KILL', $device;
	kill 'CONT', $pid;
	finish $run;
	unlike($out, qr/ERROR|FATAL/, 'the device process may die: no error');
	is(scalar(() = $out =~ /^\d+\|\d+$/mg), 2000, 'and no row is lost');
	ok(wait_for_service($node, $device), 'another one serves');
	is(outcome($node, 'SET gpuagg.fallback = off', $queries{keys}), $right{keys}, 'and answers');
}

# The kernels, fed by several.
use_engine('simt');
for my $kind (qw(keys joins toasted specials))
{
	is(outcome($node, 'SET gpuagg.fallback = off', $queries{$kind}), $right{$kind}, "simt, $kind: no failure");
	is(outcome($node, "SET gpuagg.inject_failure = 'any:2:inexact:worker'", $queries{$kind}), $right{$kind}, "simt, $kind: a worker fails");
}
$node->stop;
done_testing();
