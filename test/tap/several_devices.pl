# Several devices: which of them runs use, where columns are kept, what views tell of each.  On
# simulated devices of different sizes: needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Residence;
use Service;

my ($large, $small) = (256 << 20, 128 << 20);
$ENV{GPUAGG_SIMT_MEMORY} = "$small,$large,$small";
delete $ENV{GPUAGG_DEAL_PAGES};

my $node = resident_node('several_devices', "shared_preload_libraries = 'gpuagg'", 'gpuagg.longest_pause = 50ms');
my $session = session($node);

sub sql { return $node->safe_psql('postgres', $_[0]) }

my $devices = 'SELECT device, name, memory, usable, used, runs, memory_used FROM gpuagg_devices WHERE used';
my $cache = 'SELECT relation, attribute, device FROM gpuagg_cache ORDER BY 1, 2';

sub devices_of { return sql('SELECT devices FROM gpuagg_activity ORDER BY pid') }
sub query { return "SELECT k, count(*), sum(v) FROM $_[0] GROUP BY k ORDER BY k" }

sql("SET gpuagg.mode = off; CREATE TABLE $_ AS SELECT i % 1000 AS k, i AS v FROM generate_series(1, 100000) i;
	VACUUM ANALYZE $_") for qw(t u);

sql("CREATE FUNCTION slowly(k int) RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.01); RETURN k; END'");

# what there is
is(sql($devices), join("\n", "0|simulated device|$small|t|t|0|0", "1|simulated device|$large|t|t|0|0",
		"2|simulated device|$small|t|t|0|0"), 'three devices');

# the one with most memory first; then that which has the columns
is_right($session, query('t'), 'a table', 'none');
is(sql($cache), "t|k|1\nt|v|1", 'is kept on the largest device');
is_right($session, query('t'), 'and served from there', 'some');

# where a run is, others come to another device, unless it has what they read
my $holder = session($node);
$holder->query_until(qr/begun/, "\\echo begun\nSET gpuagg.mode = force; SELECT k, count(*) FROM (SELECT slowly(k) AS k FROM t OFFSET 0) s GROUP BY k;\n");
ok(wait_for(20, sub { return devices_of() ne '' }), 'a run that takes long');
is(devices_of(), '{1}', 'a run on the device');
like(sql("SELECT runs, memory_used > 0 FROM gpuagg_devices WHERE device = 1"), qr/^1\|t$/, 'whose memory it has');
is_right($session, query('u'), 'another table', 'none');
is(sql($cache), "t|k|1\nt|v|1\nu|k|0\nu|v|0", 'is kept on another device');
is_right($session, query('t'), 'a run that has to be there', 'some');
sql('SELECT pg_cancel_backend(pid) FROM gpuagg_activity');
$holder->quit;
is_right($session, query('u'), 'it stays there', 'some');

# both are known to the planner, and gone when evicted
is(sql("SELECT gpuagg_evict('u') > 0"), 't', 'evicted');
is(sql($cache), "t|k|1\nt|v|1", 'from where it was');

# which are used
for my $bad ('x', '64', '0,all', '-1', '')
{
	like(messages($node, "ALTER SYSTEM SET gpuagg.devices = '$bad'"), qr/ERROR:  invalid value for parameter "gpuagg.devices"/, "no devices: '$bad'");
}
sub use_devices
{
	my ($value) = @_;
	sql("ALTER SYSTEM SET gpuagg.devices = $value");
	$node->reload;
	may_end(device_process($node));
	replace_device_process($node, 0);
	return;
}
use_devices('0, 2');
is(sql('SELECT device, used, runs FROM gpuagg_devices WHERE usable'), "0|t|0\n1|f|\n2|t|0", 'two of them');
is_right($session, query('t'), 'a table', 'none');
is(sql($cache), "t|k|0\nt|v|0", 'is kept on the first of two that are alike');
use_devices("'2'");
is_right($session, query('t'), 'on one', 'none');
is(sql($cache), "t|k|2\nt|v|2", 'that was named');
# a large table is dealt over all devices
sql("SET gpuagg.mode = off; CREATE TABLE large AS SELECT i % 1000 AS k, i AS v, 'text ' || i % 10 AS s, i * 0.5::float8 AS f,
		repeat('x', 300) AS filler FROM generate_series(1, 100000) i;
	VACUUM ANALYZE large");
$ENV{GPUAGG_DEAL_PAGES} = 2000;
sql("ALTER SYSTEM SET gpuagg.devices = 'all'");
$session->quit;
$node->restart;
$session = session($node);
my @queries = (query('large'), 'SELECT s, max(k), sum(f), avg(v), min(s) FROM large WHERE k > 10 GROUP BY s ORDER BY s',
	'SELECT count(*), sum(v), stddev(v) FROM large', 'SELECT count(DISTINCT s) FROM large',
	'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM large',
	'SELECT k, count(*) FROM large GROUP BY k HAVING count(*) > 99 ORDER BY count(*) DESC, k LIMIT 5');
# of a plan, the devices that had a part of the rows, and the groups that the host merged of theirs
sub merged
{
	my ($query, @settings) = @_;
	my $plan = join "\n", map { sql($_) } join('; ', @settings, "EXPLAIN (ANALYZE, COSTS OFF) $query");
	return join ' ', map { $plan =~ /$_: (\d+)/ ? $1 : '-' } 'Devices', 'Groups Merged by Host';
}
my $kept = "SELECT device FROM gpuagg_cache WHERE relation = 'large'::regclass AND attribute = 'k' ORDER BY 1";
is_right($session, $queries[0], 'a large table', 'none');
is(sql($kept), "0\n1\n2", 'is kept on all devices');
is(sql("SELECT sum(blocks) = pg_relation_size('large') / 8192, count(DISTINCT blocks) > 1 FROM gpuagg_cache WHERE relation = 'large'::regclass AND attribute = 'v'"),
	't|t', 'each block on one');
is_right($session, $queries[0], 'and is served from there', sql("SELECT pg_relation_size('large') / 8192"));
is_right($session, $_, $_) for @queries, @queries;
# integers are merged on a device, texts by the host, each device's groups; and what is not divided
for my $case (['SELECT k, count(*), sum(v), min(v) FROM large GROUP BY k', '3 -'],
	['SELECT k, sum(f), avg(v), stddev(v) FROM large GROUP BY k', '3 -'],
	['SELECT k, v % 7, count(*) FROM large GROUP BY k, v % 7 HAVING count(*) > 14', '3 -'],
	['SELECT s, count(*) FROM large GROUP BY s', '3 30'],
	['SELECT k % 10, max(s) FROM large GROUP BY 1', '3 30'],
	['SELECT sum(v) FROM large', '3 3'],
	['SELECT f, count(*) FROM large GROUP BY f', '- -'],
	['SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v) FROM large', '- -'],
	['SELECT k, count(*) FROM (SELECT * FROM large OFFSET 0) l GROUP BY k', '- -'],
	['SELECT k, count(*) FROM t GROUP BY k', '- -'])
{
	is(merged($case->[0]), $case->[1], "devices, and groups merged by the host: $case->[0]");
}
is_right($session, query('t'), 'a small one', 'none');
is(sql("SELECT count(DISTINCT device) FROM gpuagg_cache WHERE relation = 't'::regclass"), '1', 'is not dealt');
sql('UPDATE large SET v = v + 1 WHERE k = 5');
is_right($session, $_, "after changes: $_") for @queries;
{
	my $workers = session($node, 'SET max_parallel_workers_per_gather = 2', 'SET min_parallel_table_scan_size = 0', 'SET parallel_setup_cost = 0');
	is_right($workers, $_, "with workers: $_") for @queries;
	$workers->quit;
}

# a part that cannot end its input, or take another one's groups, ends the run
$session->query('SET gpuagg.fallback = on');
for my $failing ('finish:1', 'finish:3', 'merge:1', 'merge:2')
{
	my $native = rows($session, 'off', $queries[0]);
	my ($call) = split /:/, $failing;

	for my $status ('inexact', 'widen', 'special', 'corrupt', 'no_memory', 'failed', 'lost')
	{
		$session->query("SET gpuagg.inject_failure = '$failing:$status'");
		is(rows($session, 'force', $queries[0]), $native, "$failing:$status");
		like(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $queries[0]"),
			qr/Fallback: (?:a failure was injected into "$call"|a float sum cannot be exact)/, "$failing:$status explained");
	}
}
$session->query("SET gpuagg.fallback = off; SET gpuagg.inject_failure = 'merge:3:failed'");
is_right($session, $queries[0], 'of three parts two are merged into one', 'some');
$session->query('RESET gpuagg.inject_failure');

# a device that fails is left out for a while; queries go on with the others
device_may_fail($node);
may_end($node);
{
	local $ENV{GPUAGG_SIMT_INJECT} = 'launch@1:2:failed';
	sql('ALTER SYSTEM SET gpuagg.device_pause = 6');
	$session->quit;
	$node->restart;
	$session = session($node, 'SET gpuagg.fallback = on');
	my $native = rows($session, 'off', $queries[0]);
	is(rows($session, 'force', $queries[0]), $native, 'a device fails: the query falls back');
	ok(wait_for(20, sub { return outcome($node, '', $devices) =~ /^0.*\n2/ }), 'it is left out');
	is(sql('SELECT used, reason FROM gpuagg_devices WHERE device = 1'), 'f|it has failed and is left out for a while', 'and why');
	$session->quit;
	# its calls are counted anew, and it fails again when it is used again
	$session = session($node);
	is(rows($session, 'force', $queries[0]), $native, 'the next one goes on with the others');
	is(sql($kept), "0\n2", 'which keep the columns');
	ok(wait_for(20, sub { return sql('SELECT used FROM gpuagg_devices WHERE device = 1') eq 't' }), 'it is used again');
	like(slurp_file($node->logfile), qr/device 1 has failed.*leaves out device 1 for 6 s|leaves out device 1 for 6 s.*device 1 has failed/s, 'the log tells');
}
$session->quit;

# none
sql("ALTER SYSTEM SET gpuagg.devices = '7'");
$node->restart;
like(messages($node, 'SET gpuagg.engine = simt'), qr/gpuagg.devices names none of the devices/, 'a device that is not there');

$node->stop;
done_testing();
