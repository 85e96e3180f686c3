# What the device is asked for and refuses fails the run that has asked, and no other; what it
# keeps stays.  A device that is lost takes its process with it, and another one serves.  On the
# simulated device: needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Service;

my $node = new_node('refused', 'gpuagg.engine = simt', 'gpuagg.longest_pause = 50ms', "shared_preload_libraries = 'gpuagg'");
device_may_fail($node);
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t (k int, v int);
INSERT INTO t SELECT i % 300, i FROM generate_series(1, 3000) i;
CREATE FUNCTION held(k int) RETURNS int STABLE LANGUAGE plpgsql
	AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN k; END';
SQL
$node->safe_psql('postgres', 'VACUUM ANALYZE t');

my $ended = 'device process .PID .* has ended';
my $query = 'SELECT k, count(*), sum(v) FROM t GROUP BY k ORDER BY k';
my $held = 'SELECT k, count(*) FROM (SELECT held(k) AS k FROM t OFFSET 0) s GROUP BY k ORDER BY k';
my $columns = 'SELECT attribute, blocks, bytes FROM gpuagg_cache ORDER BY 1';
my $native = outcome($node, 'SET gpuagg.mode = off', $query);
my $native_count = outcome($node, 'SET gpuagg.mode = off', 'SELECT k, count(*) FROM t GROUP BY k ORDER BY k');

# How often the log says so.
sub said
{
	my ($what) = @_;
	return scalar(() = slurp_file($node->logfile) =~ /$what/g);
}

# The classes of this server's fallbacks, and how many there were.
sub reasons { return $node->safe_psql('postgres', "SELECT reason, count FROM gpuagg_stats_reasons WHERE event = 'fallback' AND engine = 'simt' ORDER BY 1") }

for my $status ('refused', 'failed')
{
	local $ENV{GPUAGG_SIMT_INJECT} = "launch:120:$status";
	my ($out, $err, $outcome, $n) = ('', '', '', 0);
	my $fallback = $status eq 'failed' ? 'on' : 'off';

	$node->restart;
	$node->safe_psql('postgres', 'SELECT gpuagg_stats_reset()');
	my %before = map { $_ => said($_) } 'has refused a run', 'is lost', $ended;
	$node->safe_psql('postgres', "SELECT gpuagg_prewarm('t')");
	my $kept = $node->safe_psql('postgres', $columns);
	isnt($kept, '', "$status: columns are kept");
	my $pid = wait_for_service($node);

	# a run of another session, whose rows are still to come
	my $holder = $node->background_psql('postgres');
	$holder->query('SELECT pg_advisory_lock(1)');
	my $other = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', "SET gpuagg.fallback = $fallback", '-c', $held ],
		'>', \$out, '2>', \$err);
	ok(wait_for(60, sub { $holder->query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'") }), "$status: a query waits for its rows");
	is(outcome($node, '', 'SELECT count(*) FROM gpuagg_activity'), 1, "$status: and has a run");

	while ($outcome !~ /ERROR/ && $n++ < 200)
	{
		$outcome = outcome($node, 'SET gpuagg.fallback = off', $query);
	}
	like($outcome, qr/cannot finish the aggregation.*kernel "\w+".*injected failure|injected failure.*kernel "\w+"/, "$status: one run fails");
	if ($status eq 'failed')
	{
		ok(wait_for(10, sub { is_gone($pid) }), 'failed: the process ends');
		ok(wait_for_service($node, $pid), 'failed: another one serves');
	}
	else
	{
		is((device_process($node))[0], $pid, 'refused: the process goes on');
		is($node->safe_psql('postgres', $columns), $kept, 'refused: what it keeps stays');
	}
	$holder->quit;
	$other->finish;
	is($out =~ s/\n\z//r, $native_count, "$status: the other run has its answer");
	# the session makes its counts known as it ends
	wait_for(10, sub { reasons() ne '' }) if $status eq 'failed';
	is(reasons(), $status eq 'failed' ? 'device process ended|1' : '', "$status: which the statistics tell");
	is(outcome($node, 'SET gpuagg.fallback = off', $query), $native, "$status: later runs are answered");
	is(said('has refused a run') - $before{'has refused a run'}, $status eq 'refused' ? 1 : 0, "$status: the log tells of what was refused, once");
	is(said('is lost') - $before{'is lost'}, $status eq 'failed' ? 1 : 0, "$status: and of what is lost");
	is(said($ended) - $before{$ended}, $status eq 'failed' ? 1 : 0, "$status: and of an end");
}
like(slurp_file($node->logfile), qr/the device has refused a run: could not (?:launch a kernel|read pages|copy pages to the device): .*kernel "\w+", \d+ blocks of \d+ threads \(at most \d+\), \d+ bytes of dynamic and \d+ of static shared memory/, 'with the launch');

# Many that are alike are one line.
{
	local $ENV{GPUAGG_SIMT_INJECT} = join ',', map { "launch:$_:refused" } 1 .. 8;
	$node->restart;
	my $before = said('has refused a run');
	is(outcome($node, '', $query), $native, 'a fallback') for 1 .. 8;
	my $lines = said('has refused a run') - $before;
	ok($lines >= 1 && $lines < 5, "$lines lines for 8 failures");
}

$node->stop;
done_testing();
