# Parallel aggregation whose engines fail, in one process or in all, and whose workers
# or leader are ended: the rows are right, or there is an error, and nothing is left.
# Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep);
use IPC::Run qw(start finish);
use Node;

my @parallel = ('max_parallel_workers_per_gather = 3', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0',
	'min_parallel_table_scan_size = 0', 'gpuagg.engine = cpu', 'gpuagg.setup_cost = 0', 'gpuagg.group_cost = 0');
my $node = new_node('parallel', @parallel);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE t AS SELECT i % 4001 AS k, 'text ' || i % 501 AS s, i AS v, i / 8.0::float8 AS f FROM generate_series(1, 100000) i;
CREATE TABLE long AS SELECT i % 100 AS k, repeat(md5(i::text), 4) AS s FROM generate_series(1, 1000000) i;
CREATE TABLE names AS SELECT i AS k, 'name ' || i % 31 AS n FROM generate_series(1, 4000) i;
CREATE TABLE specials AS SELECT v % 10 AS k, v::numeric AS n FROM t;
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
	rescans => 'SELECT x, s.* FROM generate_series(1, 3) x LEFT JOIN (SELECT s, sum(k) FROM t GROUP BY s OFFSET 0) s ON s.sum > x ORDER BY 1, 2');
my @failures = ('open:1:failed', 'open:2:no_memory', 'pages:1:inexact', 'pages:3:corrupt', 'columns:1:failed', 'columns:2:inexact', 'columns:1:widen', 'handover:1:failed', 'merge:1:failed',
	'merge:5:no_memory', 'groups:1:failed', 'any:2:inexact', 'pages:1:widen', 'handover:1:special');

for my $kind (sort keys %queries)
{
	my $right = outcome($node, 'SET gpuagg.mode = off', $queries{$kind});

	like(outcome($node, '', "EXPLAIN $queries{$kind}"), qr/GpuAgg Partial/, "$kind: parallel");
	is(outcome($node, 'SET gpuagg.fallback = off', $queries{$kind}), $right, "$kind: no failure");
	for my $place ('', ':leader', ':worker')
	{
		my @wrong = grep {
			my $failure = $_;
			grep { outcome($node, "SET gpuagg.inject_failure = '$failure$place'; SET parallel_leader_participation = $_",
					$queries{$kind}) ne $right } qw(on off);
		} @failures;
		is("@wrong", '', "$kind: failures$place");
	}
}

# With no other process to take its place, a worker's failure is the query's.
for my $failure ('open:1:failed', 'pages:1:failed', 'handover:1:failed', 'merge:1:failed')
{
	like(outcome($node, "SET parallel_leader_participation = off; SET gpuagg.fallback = off; SET gpuagg.inject_failure = '$failure:worker'",
			$queries{keys}), qr/a failure was injected into/, "a worker's $failure");
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
		return ($run, $pid) if $pid ne '' && kill('STOP', $pid);
		sleep 0.005;
	}
	die 'no worker was seen';
}

# The others come to their end, or to the barrier.
sub settle
{
	sleep 0.3;
	return $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'long' AND backend_type = 'client backend' AND state = 'active'");
}

{
	my $out = '';
	my ($run, $pid) = begin_long(\$out);

	is(settle(), 1, 'the leader waits for a worker');
	$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'long' AND backend_type = 'client backend'");
	kill 'CONT', $pid;
	finish $run;
	like($out, qr/canceling statement/, 'the wait can be cancelled');
}
{
	my $out = '';
	my ($run, $pid) = begin_long(\$out);

	settle();
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
	kill 'CONT', $pid;
	finish $run;
	like($out, qr/terminating (connection|background worker)/, 'an ended worker is an error');
}
is(outcome($node, 'SET gpuagg.fallback = off', $queries{keys}), outcome($node, 'SET gpuagg.mode = off', $queries{keys}),
	'the next query is answered');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, 'no file is left');

$node->stop;
done_testing();
