# A device that fails ends in the right rows, by fallback, and in one warning a
# session.  On the simulated device: needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;

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

done_testing();
