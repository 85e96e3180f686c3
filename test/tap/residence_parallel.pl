# Columns that several processes have kept: each gives whole stripes of a table's blocks to one
# run, and all of them are kept, whoever gives them.  What is not known to be right stays out of
# the cache if one of them is cancelled or ended.  Needs a build with TESTING=1, or a GPU.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run qw(start finish);
use Test::More;
use Time::HiRes qw(sleep);
use Node;
use Residence;
use Service;

# workers pay for tables as small as these, if they do not pass rows on
my $node = resident_node('residence_parallel', 'max_parallel_workers_per_gather = 3', 'min_parallel_table_scan_size = 0',
	'parallel_setup_cost = 0', 'gpuagg.setup_cost = 0', 'gpuagg.page_cost = 0.1',
	'gpuagg.tuple_cost = 0.0001', 'gpuagg.operator_cost = 0.0001', 'gpuagg.group_cost = 0');
my $session = session($node);

sub sql { return $node->safe_psql('postgres', $_[0]) }

# Four rows a page, and two tables of several stripes, the last of which is not whole.
sql(q{CREATE TABLE wide (k int, v int, n numeric(10, 2), filler text) WITH (parallel_workers = 3);
	INSERT INTO wide SELECT i % 7, i, i / 4.0, repeat('x', 1880) FROM generate_series(1, 26000) i;
	CREATE TABLE parts (k int, v int, filler text) PARTITION BY LIST (k);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES IN (1) WITH (parallel_workers = 3);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES IN (2) WITH (parallel_workers = 3);
	INSERT INTO parts SELECT 1 + i / 9000, i, repeat('x', 1880) FROM generate_series(1, 17999) i});
sql('VACUUM ANALYZE wide, parts');

my $query = 'SELECT k, sum(v), count(*), max(n) FROM wide GROUP BY k ORDER BY k';
my $prewarm = "SELECT rows FROM gpuagg_prewarm('wide', '{k,v,n}')";
my $total = sql("SELECT pg_relation_size('wide') / current_setting('block_size')::int");
my $every = join "\n", map { "wide|$_|26000|$total" } qw(k n v);

sub evict { return sql("SELECT gpuagg_evict('wide'), gpuagg_evict('parts')") }

# What is kept, by table and column.
sub kept { return sql('SELECT relation, attribute, rows, blocks FROM gpuagg_cache ORDER BY 1, 2') }

sub runs { return sql('SELECT count(*) FROM gpuagg_activity') }

# Whoever takes part, all of the table is kept, and right.
for my $settings ('parallel_leader_participation = on', 'parallel_leader_participation = off',
	'max_parallel_workers = 0', 'max_parallel_workers = 1', 'max_parallel_workers_per_gather = 0')
{
	evict();
	is(sql("SET $settings; $prewarm"), '26000', "$settings: the rows");
	is(kept(), $every, "$settings: all blocks are kept");
	is_right($session, $query, "$settings: the next query", $total);
}
evict();
# a worker that begins late may tell first that another one's failure has ended the run
like(outcome($node, "SET gpuagg.inject_failure = 'pages:2:failed:worker'; SET parallel_leader_participation = off", $prewarm),
	qr/a failure was injected into|there is no such run to feed/, 'workers feed the run');
is(runs(), 0, 'which goes with its failure');

# A query over a cold table; the same plan over what that has left, and where some pages have
# changed since, which workers read beside what the run has.
evict();
rows($session, 'force', "PREPARE p AS $query");
like(rows($session, 'force', 'EXPLAIN (ANALYZE, COSTS OFF) EXECUTE p'), qr/Blocks Kept: $total\n(.*\n)*.*Workers Launched: [1-3]\n/,
	'a parallel query keeps what all processes read');
is_right($session, $query, 'and the next one finds it', $total);
my $plan = rows($session, 'force', 'EXPLAIN (ANALYZE, COSTS OFF) EXECUTE p');
ok($plan =~ /Blocks Resident: $total\n/ && $plan =~ /Gather/ && $plan !~ /Workers Launched: [1-3]/, 'by the same plan, without workers') or diag($plan);
sql('UPDATE wide SET v = v + 1 WHERE v % 100 < 1');
$plan = rows($session, 'force', 'EXPLAIN (ANALYZE, COSTS OFF) EXECUTE p');
ok($plan =~ /Blocks Resident: [1-9]/ && $plan =~ /Workers Launched: [1-3]\n/, 'with workers, if pages have changed') or diag($plan);
is(rows($session, 'force', 'EXECUTE p'), rows($session, 'off', $query), 'its rows');
is_right($session, $query, 'and those of another plan', 'some');
sql("SELECT gpuagg_evict('wide'); DELETE FROM wide WHERE v % 9 = 0 AND v > 13000");
is_right($session, $query, 'after changes of half of the pages', undef) for 1 .. 2;
sql('VACUUM wide');
is(sql($prewarm), sql('SET gpuagg.mode = off; SELECT count(*) FROM wide'), 'prewarmed after VACUUM');
is_right($session, $query, 'and read', 'some');

# Partitions, one behind the other.
is(sql("SELECT rows FROM gpuagg_prewarm('parts', '{k,v}')"), '17999', 'partitions');
is_right($session, 'SELECT k, sum(v), count(*) FROM parts GROUP BY k ORDER BY k', 'read',
	sql("SELECT (pg_relation_size('parts1') + pg_relation_size('parts2')) / current_setting('block_size')::int"));

# Prewarms over and over, one of whose workers is stopped.  None follows one that fails: what that
# has left would be evicted.
sub begin_prewarms
{
	my ($out) = @_;
	my $run = start([ 'psql', '-X', '-At', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-c', 'SET application_name = warmer',
			map { ('-c', "SELECT gpuagg_evict('wide') >= 0", '-c', $prewarm) } 1 .. 200 ], '>', $out, '2>&1');

	for (1 .. 1000)
	{
		my $pid = sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND application_name = 'warmer' LIMIT 1");
		return ($run, $pid) if $pid ne '' && kill('STOP', $pid);
		sleep 0.005;
	}
	die 'no worker was seen';
}

# What is left of a run that did not come to its end: nothing wrong, and nothing that is in the way.
sub check_afterwards
{
	my ($what) = @_;

	ok(wait_for(5, sub { runs() == 0 }), "$what: no run is left");
	is_right($session, $query, "$what: the next query") for 1 .. 2;
	is(sql($prewarm), sql('SET gpuagg.mode = off; SELECT count(*) FROM wide'), "$what: the next prewarm");
	is_right($session, $query, "$what: and a query then", 'some');
	return;
}

my ($device) = device_process($node);
for my $leader ([ 'a cancelled leader', 'pg_cancel_backend', qr/canceling statement/ ],
	[ 'an ended leader', 'pg_terminate_backend', qr/terminating connection/ ])
{
	my ($what, $function, $expected) = @$leader;
	my $out = '';
	my ($run, $pid) = begin_prewarms(\$out);

	sleep 0.2;
	sql("SELECT $function(pid) FROM pg_stat_activity WHERE application_name = 'warmer' AND backend_type = 'client backend'");
	sleep 0.1;
	kill 'CONT', $pid;
	finish $run;
	like($out, $expected, $what);
	check_afterwards($what);
}
{
	my $out = '';
	my ($run, $pid) = begin_prewarms(\$out);

	sleep 0.2;
	sql("SELECT pg_terminate_backend($pid)");
	kill 'CONT', $pid;
	finish $run;
	like($out, qr/terminating (connection|background worker)/, 'an ended worker');
	check_afterwards('an ended worker');
}
for my $n (1 .. 15)
{
	outcome($node, 'SET statement_timeout = ' . $n * 20, "SELECT gpuagg_evict('wide'); $prewarm");
	is_right($session, $query, "cancelled after $n times 20 ms");
}
check_afterwards('cancelled prewarms');
is((device_process($node))[0], $device, 'the device process lives');

$node->stop;
done_testing();
