# A device that fails ends in the right rows, by fallback, and in one warning a
# session.  On the simulated device: needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;
use Service;
use PostgreSQL::Test::Utils;

my $node = new_node('device', 'gpuagg.engine = simt', 'gpuagg.longest_pause = 50ms');
device_may_fail($node);
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t (k int, v int, c text);
INSERT INTO t SELECT i % 300, i, 'text ' || i % 7 FROM generate_series(1, 3000) i;
VACUUM ANALYZE t;
SQL

my %queries = (
	'number' => 'SELECT k, count(*), sum(v) FROM t GROUP BY k ORDER BY k',
	'text' => 'SELECT c, max(v), avg(v) FROM t WHERE v > 5 GROUP BY c ORDER BY c',
	'no key' => 'SELECT count(*), min(v) FROM t',
	'child plan' => 'SELECT k, count(*) FROM (SELECT * FROM t OFFSET 1) s GROUP BY k ORDER BY k');
my %failures = (
	'no device memory' => 'alloc:1:no_memory',
	'no device memory later' => 'alloc:4:no_memory',
	'no page-locked memory' => 'host_alloc:1:no_memory',
	# they are begun together, in no order
	'kernels that do not compile' => join(',', map { "compile:$_:compile" } 1 .. 4),
	'a launch that fails' => 'launch:1:failed',
	'a later launch that fails' => 'launch:3:failed',
	'a copy that fails' => 'upload:2:failed',
	'a launch that is refused' => 'launch:2:refused',
	'results that do not come back' => 'download:1:failed',
	'a device that disappears at once' => 'any:1:failed',
	'a device that disappears' => 'any:30:failed');

# Kernels are compiled anew, in a device process whose calls are counted anew.
sub begin_again
{
	$node->restart;
	unlink glob $node->data_dir . '/gpuagg_kernels/*';
}

my %native = map { $_ => outcome($node, 'SET gpuagg.mode = off', $queries{$_}) } keys %queries;

is(outcome($node, 'SET gpuagg.fallback = off', $queries{$_}), $native{$_}, "$_: no failure")
  for sort keys %queries;

for my $failure (sort keys %failures)
{
	local $ENV{GPUAGG_SIMT_INJECT} = $failures{$failure};
	for my $query (sort keys %queries)
	{
		begin_again();
		is(outcome($node, '', $queries{$query}), $native{$query}, "$failure: $query");
	}
	begin_again();
	like(outcome($node, 'SET gpuagg.fallback = off', $queries{number}), qr/cannot finish the aggregation/,
		"$failure: it does fail");
}

{
	local $ENV{GPUAGG_SIMT_INJECT} = 'any:1:failed';
	my ($out, $errors);

	$node->restart;
	$node->psql('postgres', "$queries{number}; $queries{text}; $queries{number}",
		stdout => \$out, stderr => \$errors);
	is(scalar(() = $errors =~ /WARNING:.*PostgreSQL's own plan took over/g), 1,
		'one warning a session');
	like($errors, qr/DETAIL:\s+\S/, 'with the reason');
}

# A query whose groups the device memory allowed cannot hold is not begun, if the planner
# knows how many there are.
{
	$node->restart;
	$node->safe_psql('postgres', 'SET gpuagg.mode = off; CREATE TABLE many AS SELECT i, i AS j FROM generate_series(1, 100000) i; ANALYZE many');
	my $plan = sub {
		my ($limit, $query) = @_;

		return $node->safe_psql('postgres', "LOAD 'gpuagg'; SET gpuagg.mode = force; SET gpuagg.memory_limit = '$limit'; EXPLAIN $query");
	};
	my $many = 'SELECT i, j, count(*) FROM many GROUP BY i, j';

	unlike($plan->('2MB', $many), qr/GpuAgg/, 'many groups, little memory');
	like($plan->('64MB', $many), qr/GpuAgg/, 'much memory');
	like($plan->('0', $many), qr/GpuAgg/, 'no limit');
	like($plan->('2MB', $queries{number}), qr/GpuAgg/, 'few groups, little memory');
	my $reason = $node->safe_psql('postgres', "SET gpuagg.memory_limit = '2MB'; SELECT reason FROM gpuagg_explain('$many')");
	like($reason, qr/take \d+ MB of device memory, and 2 MB are allowed/, 'and why');
	like(outcome($node, "SET gpuagg.fallback = off; SET gpuagg.memory_limit = '64MB'", "SELECT count(*) FROM ($many) s"), qr/100000/, 'one that is begun ends');
}

# What the device is asked for and refuses fails the run that has asked, and no other; what it
# keeps stays.  A device that is lost takes its process with it, and another one serves.
{
	my $columns = 'SELECT attname, blocks, bytes FROM gpuagg_cache ORDER BY 1';
	my $held = 'SELECT k, count(*) FROM (SELECT k FROM t WHERE held(k) OFFSET 0) s GROUP BY k ORDER BY k';
	my $lines = sub {
		my ($what) = @_;
		return scalar(() = slurp_file($node->logfile) =~ /$what/g);
	};

	$node->safe_psql('postgres', q{CREATE FUNCTION held(k int) RETURNS bool LANGUAGE plpgsql
		AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN true; END'});
	for my $status ('refused', 'failed')
	{
		local $ENV{GPUAGG_SIMT_INJECT} = "launch:120:$status";
		my ($out, $err, $outcome, $n) = ('', '', '', 0);
		my $fallback = $status eq 'failed' ? 'on' : 'off';

		$node->restart;
		my %before = map { $_ => $lines->($_) } 'has refused a run', 'is lost', 'has ended';
		$node->safe_psql('postgres', "SELECT gpuagg_prewarm('t')");
		my $kept = $node->safe_psql('postgres', $columns);
		my $pid = wait_for_service($node);
		my $holder = $node->background_psql('postgres');
		$holder->query('SELECT pg_advisory_lock(1)');
		my $other = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', "SET gpuagg.fallback = $fallback", '-c', $held ],
			'>', \$out, '2>', \$err);
		ok(wait_for(60, sub { $holder->query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'") }), "$status: a run is open");
		while ($outcome !~ /ERROR/ && $n++ < 200)
		{
			$outcome = outcome($node, 'SET gpuagg.fallback = off', $queries{number});
		}
		like($outcome, qr/cannot finish the aggregation.*kernel "\w+".*(?:blocks of \d+ threads|injected failure)/, "$status: one run fails");
		ok(wait_for(10, sub { is_gone($pid) }), 'failed: the process ends') if $status eq 'failed';
		ok(wait_for_service($node, $pid), 'failed: another one serves') if $status eq 'failed';
		is((device_process($node))[0], $pid, 'refused: the process goes on') if $status eq 'refused';
		$holder->quit;
		$other->finish;
		is($out =~ s/\n\z//r, outcome($node, 'SET gpuagg.mode = off', 'SELECT k, count(*) FROM t GROUP BY k ORDER BY k'), "$status: the other run has its answer");
		isnt($kept, '', "$status: columns are kept");
		is($node->safe_psql('postgres', $columns), $kept, 'refused: they stay') if $status eq 'refused';
		is(outcome($node, 'SET gpuagg.fallback = off', $queries{number}), $native{number}, "$status: later runs are answered");
		is($lines->('has refused a run') - $before{'has refused a run'}, $status eq 'refused' ? 1 : 0, "$status: the log tells of what was refused, once");
		is($lines->('is lost') - $before{'is lost'}, $status eq 'failed' ? 1 : 0, "$status: and of what is lost");
		is($lines->('has ended') - $before{'has ended'}, $status eq 'failed' ? 1 : 0, "$status: and of an end");
	}
	like(slurp_file($node->logfile), qr/the device has refused a run: could not launch a kernel: .*kernel "\w+", \d+ blocks of \d+ threads \(at most \d+\), \d+ bytes of dynamic and \d+ of static shared memory/, 'with the launch');
}

done_testing();
