# Columns in page-locked host memory: what the device has no room for is streamed from there, and
# is right while others write, after it has changed, and when memory is refused or copies fail.
# On the simulated device, or several (DEVICES of tools/run-tests), which share what one may keep: needs
# a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Service;
use Residence;

# gpuagg_devices shows devices whose size is told
$ENV{GPUAGG_SIMT_MEMORY} //= '268435456';
my $devices = dealt_over();
$ENV{GPUAGG_CACHE_KILOBYTES} = 1024 / $devices;
my $node = resident_node('residence_host', 'gpuagg.host_cache_size = 64MB', 'max_connections = 20');
my $session = session($node);

sub sql { return $node->safe_psql('postgres', join '; ', @_) }
sub in_host_memory { return sql('SELECT sum(host_cache_used) FROM gpuagg_devices') }

# Four stripes whose column v takes twice what the device may keep.
sql(q{SET gpuagg.mode = off; CREATE TABLE t AS SELECT i % 7 AS k, i * 7919::bigint * 1000003 AS v, (i % 900)::text AS s, repeat('x', 90) AS filler FROM generate_series(1, 220000) i});
sql('VACUUM ANALYZE t');
my $sums = 'SELECT k, sum(v), count(*) FROM t GROUP BY k ORDER BY k';
my $texts = 'SELECT s, count(*), min(v) FROM t GROUP BY s ORDER BY s';
my $ordered = 'SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY v) FROM t GROUP BY k ORDER BY k';
my @queries = ($sums, $texts, $ordered, 'SELECT sum(v), max(k) FROM t WHERE k > 2', 'SELECT v % 50000, count(*) FROM t GROUP BY 1 ORDER BY 1');

sub streamed
{
	my ($query, @settings) = @_;
	my $plan = sql(@settings, "EXPLAIN (ANALYZE, COSTS OFF) $query");
	return map { $plan =~ /$_: (\d+)/ ? $1 : 0 } 'Blocks Resident', 'Blocks Streamed', 'Streamed from Host Memory';
}

make_resident($session, $sums, 't');
my ($resident, $blocks, $kB) = streamed($sums);
cmp_ok($blocks, '>', 0, 'blocks are streamed');
cmp_ok($blocks, '<', $resident, 'others are on the device');
cmp_ok($kB, '>', 500, 'kilobytes are told');
is_right($session, $_, 'streamed') for @queries;
is_right($session, $_, 'streamed', 'some') for grep { $_ ne $texts } @queries;
is(sql("SELECT sum(host_bytes) > 1000000, sum(bytes) > sum(host_bytes) FROM gpuagg_cache WHERE relation = 't'::regclass"), 't|t', 'gpuagg_cache tells of both memories');
is(sql("SELECT sum(host_cache_used) > 1000000, min(host_cache_used) > 0, min(cache_used) > 0, sum(cache_used) <= 1048576 FROM gpuagg_devices WHERE used"),
	't|t|t|t', 'and so does gpuagg_devices');
like(sql("EXPLAIN (ANALYZE, COSTS OFF) $sums"), $devices > 1 ? qr/Devices: $devices\n/ : qr/^(?!.*Devices: )/s, 'of as many as there are');
sql('CREATE ROLE stranger; CREATE ROLE hidden; GRANT SELECT ON t TO hidden');
is(sql('SET ROLE stranger', 'SELECT bool_and(host_cache_used IS NULL AND cache_used IS NULL) FROM gpuagg_devices WHERE used'), 't', 'but not to everybody');
sql('ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t TO hidden USING (k < 100)');
my @hidden = streamed($sums, 'SET ROLE hidden', 'SET gpuagg.mode = force');
ok($hidden[0] > 0 && $hidden[1] == 0 && $hidden[2] == 0, 'what is streamed is not told where rows are hidden') or diag("@hidden");

# what has changed is read as pages, and kept anew
sql("UPDATE t SET v = v + 1 WHERE v % 1000 = 0 AND k = $_") for 1, 2;
is_right($session, $_, 'after updates') for @queries;
sql('VACUUM t');
is_right($session, $_, 'after VACUUM') for @queries;
is_right($session, $_, 'and once more', 'some') for $sums, $ordered;
sql('DELETE FROM t WHERE v % 3 = 0');
is_right($session, $_, 'after deletes') for @queries;
sql('VACUUM t');
is_right($session, $_, 'and VACUUM') for $sums, $texts;
is_right($session, $sums, 'and once more', 'some');

# a reader sees the same beside writers, whose sums stay
my $sum = 'SELECT sum(v), count(*) FROM t';
my $expected = rows($session, 'off', $sum);
my @rolled_back = map { sprintf "BEGIN; UPDATE t SET v = v + 1 WHERE ctid = '(%d,2)'; ROLLBACK", $_ } map { $_ * 37 } 1 .. 60;
my $balanced = join ' ', map { "WITH a AS (SELECT array_agg(ctid) AS c FROM (SELECT ctid FROM t WHERE k = $_ LIMIT 2) q) UPDATE t SET v = v + CASE WHEN ctid = c[1] THEN 1 ELSE -1 END FROM a WHERE ctid = ANY (c);" } 0 .. 6;
my ($out, $err, $wrong, $read) = ('', '', 0, 0);
my $writing = IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-c', 'SET gpuagg.mode = off', '-c', "DO \$\$ BEGIN FOR i IN 1 .. 4 LOOP $balanced COMMIT; END LOOP; END \$\$",
	(map { ('-c', $_) } @rolled_back), '-c', 'VACUUM ANALYZE t' ], '>', \$out, '2>', \$err);
while ($writing->pumpable && $read < 400)
{
	$wrong += rows($session, 'force', $sum) ne $expected;
	$read++;
	$writing->pump_nb;
}
$writing->finish;
is($err, '', 'the writer has not failed');
is($wrong, 0, "$read reads beside a writer");
is_right($session, $_, 'after the writer') for $sums, $texts;
is_right($session, $sums, 'and once more', 'some');

# all of it goes
cmp_ok(in_host_memory(), '>', 0, 'host memory is used');
cmp_ok(sql("SELECT gpuagg_evict('t')"), '>', 1048576, 'both memories are given back');
is(in_host_memory(), 0, 'no host memory is used then');
is(sql("SELECT count(*) FROM gpuagg_cache WHERE relation = 't'::regclass"), 0, 'nothing is kept');
# the writer's VACUUM may have left rows that a reader beside it could see: a stripe of two such blocks is not kept
sql('VACUUM t');
make_resident($session, $sums, 't');
cmp_ok(in_host_memory(), '>', 0, 'kept once more');
sql('CREATE TABLE u AS SELECT k, v FROM t');
sql('TRUNCATE t');
ok(wait_for(20, sub { in_host_memory() == 0 }), 'TRUNCATE gives it back');
sql('INSERT INTO t SELECT k, v, k::text, $$x$$ FROM u');
sql('VACUUM ANALYZE t');

# memory is refused, which the log tells once; copies fail
device_may_fail($node);
my $native = sql('SET gpuagg.mode = off', $sums);
my $log_line = qr/no more page-locked memory is taken for gpuagg\.host_cache_size: .*/;
for my $call ('host_alloc', 'upload', 'download')
{
	my ($told, $failed) = (0, 0);

	for my $nth (map { $_ * ($call eq 'host_alloc' ? $devices : 4) } 1 .. 10)
	{
		local $ENV{GPUAGG_SIMT_INJECT} = "$call:$nth:" . ($call eq 'host_alloc' ? 'no_memory' : 'refused');
		$node->restart;
		my $before = -s $node->logfile;
		$failed += outcome($node, 'SET gpuagg.fallback = on; SET gpuagg.mode = force', $sums) ne $native for 1 .. 4;
		my @lines = slurp_file($node->logfile, $before) =~ /$log_line/g;
		$failed += @lines > 1;
		$told += @lines;
	}
	is($failed, 0, "$call fails");
	is($told > 0, $call eq 'host_alloc', "$call: what the log tells");
}

$node->stop;
done_testing();
