# gpuagg.verify finds a wrong answer, tells of it, and PostgreSQL's is taken; right ones are
# called equal, in parallel plans as well.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Residence;

my $node = resident_node('verify', "shared_preload_libraries = 'gpuagg'", 'log_min_messages = warning', 'gpuagg.engine = cpu', 'gpuagg.fallback = on');
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t (k int NOT NULL, v int NOT NULL, n numeric(10,2), f float8, s text);
INSERT INTO t SELECT i % 50, i, i / 100.0, (1e16 / i * (i % 2 - 0.5))::float8, 's' || i % 7 FROM generate_series(1, 20000) i;
VACUUM ANALYZE t;
CREATE USER plain;
GRANT SELECT ON t TO plain;
SQL

my %queries = (
	one => 'SELECT count(*), sum(v) FROM t',
	key => 'SELECT k, sum(n), max(s) FROM t GROUP BY k ORDER BY k',
	hidden => 'SELECT sum(n) FROM t GROUP BY k % 10, v > 100 HAVING count(*) > 1000 ORDER BY 1',
	sets => 'SELECT k % 3 AS k, s, count(DISTINCT v % 100) FROM t GROUP BY ROLLUP (1, 2) ORDER BY 1, 2',
	top => 'SELECT k, count(*) FROM t WHERE v % 11 <> 0 GROUP BY k ORDER BY count(*) DESC, k LIMIT 3',
	distinct => 'SELECT DISTINCT k, s FROM t ORDER BY 1, 2',
	rescans => 'SELECT x, s.* FROM generate_series(1, 2) x, LATERAL (SELECT k % x AS m, count(*) FROM t GROUP BY 1) s ORDER BY 1, 2');

sub said { return scalar(() = slurp_file($node->logfile) =~ /$_[0]/g) }

# Verified and different answers of an engine.
sub counted
{
	my ($engine) = @_;
	$node->safe_psql('postgres', 'SELECT pg_stat_force_next_flush()');
	return $node->safe_psql('postgres', "SELECT verified, different FROM gpuagg_stats WHERE database = 'postgres' AND engine = '$engine'");
}

sub reset_statistics { $node->safe_psql('postgres', 'SELECT gpuagg_stats_reset(); SELECT pg_stat_force_next_flush()') }

my $wrong = "SET gpuagg.inject_failure = 'value:1:inexact'";

for my $engine ('cpu', 'service', 'simt')
{
	my $set = "SET gpuagg.engine = $engine";
	my $counted_as = $engine eq 'service' ? 'cuda' : $engine;

	for my $kind (sort keys %queries)
	{
		my $native = outcome($node, 'SET gpuagg.mode = off', $queries{$kind});
		my $before = said('gave another answer than PostgreSQL for table "t"');

		is(outcome($node, "$set; SET gpuagg.verify = 1; SET gpuagg.fallback = off", $queries{$kind}), $native, "$engine, $kind: equal");
		next if $kind eq 'hidden';    # what is made wrong does not leave
		isnt(outcome($node, "$set; $wrong", $queries{$kind}), $native, "$engine, $kind: a wrong answer");
		is(said('gave another answer than PostgreSQL for table "t"'), $before, "$engine, $kind: nobody has looked");
		is(outcome($node, "$set; $wrong; SET gpuagg.verify = 1", $queries{$kind}), $native, "$engine, $kind: PostgreSQL's answer");
		cmp_ok(said('gave another answer than PostgreSQL for table "t"'), '>', $before, "$engine, $kind: it is in the log");
		like(outcome($node, "$set; $wrong; SET gpuagg.verify = 1; SET gpuagg.fallback = off", $queries{$kind}),
			qr/cannot finish the aggregation: the answer is not PostgreSQL's/, "$engine, $kind: no fallback");
	}

	# any of the groups
	my $native = outcome($node, 'SET gpuagg.mode = off', $queries{key});
	is(outcome($node, "$set; SET gpuagg.inject_failure = 'value:50:inexact'; SET gpuagg.verify = 1", $queries{key}), $native, "$engine: the last group");
	like(slurp_file($node->logfile), qr/STATEMENT: [^\n]*\Q$queries{key}\E/, "$engine: the statement is in the log");

	# with failures of the engine before, PostgreSQL's rows begin again
	is(outcome($node, "$set; SET gpuagg.verify = 1; SET gpuagg.inject_failure = '$_'", $queries{key}), $native, "$engine: $_")
	  for 'open:1:failed', 'pages:2:corrupt', 'groups:1:no_memory';

	# or while its groups are being compared, and none has left
	my $lost = "$set; SET gpuagg.verify = 1; SET gpuagg.inject_failure";
	for my $kind (sort keys %queries)
	{
		for my $failure ('groups:2:lost', 'groups:2:no_store')
		{
			is(outcome($node, "$lost = '$failure'", $queries{$kind}), outcome($node, 'SET gpuagg.mode = off', $queries{$kind}),
				"$engine, $kind: $failure");
		}
	}
	like(outcome($node, "$lost = 'groups:2:lost'; SET gpuagg.fallback = off", $queries{key}),
		qr/cannot finish the aggregation: a failure was injected/, "$engine: lost, no fallback");
	like(outcome($node, "$lost = 'groups:2:lost'", "EXPLAIN (ANALYZE) $queries{key}"),
		qr/Fallback: a failure was injected/, "$engine: lost, explained");

	# float sums: the last digit counts
	my $floats = 'SELECT k, sum(f), avg(f) FROM t GROUP BY k ORDER BY k';
	my $right = outcome($node, 'SET gpuagg.engine = cpu', $floats);
	is(outcome($node, "$set; SET gpuagg.verify = 1; SET gpuagg.fallback = off", $floats), $right, "$engine, floats: equal");
	next if $engine eq 'cpu';
	isnt(outcome($node, "$set; SET extra_float_digits = 1; SET gpuagg.inject_failure = 'value:1:inexact'", $floats), $right, "$engine, floats: wrong");
	like(outcome($node, "$set; $wrong; SET gpuagg.verify = 1; SET gpuagg.fallback = off", $floats),
		qr/the answer is not PostgreSQL's/, "$engine, floats: different");
}

# statistics
reset_statistics();
outcome($node, 'SET gpuagg.engine = cpu; SET gpuagg.verify = 1', "$queries{key}; $queries{one}; SELECT pg_stat_force_next_flush()");
is(counted('cpu'), '2|0', 'counted as verified');
outcome($node, "SET gpuagg.engine = cpu; $wrong; SET gpuagg.verify = 1", "$queries{one}; SELECT pg_stat_force_next_flush()");
is(counted('cpu'), '3|1', 'counted as different');
outcome($node, 'SET gpuagg.engine = cpu', "$queries{one}; SELECT pg_stat_force_next_flush()");
is(counted('cpu'), '3|1', 'not asked for');

# of any user's, and told to who wants to know
$node->safe_psql('postgres', "ALTER ROLE plain SET gpuagg.inject_failure = 'value:1:inexact'");
$node->safe_psql('postgres', 'ALTER ROLE plain SET gpuagg.engine = cpu');
my ($out, $err) = ('', '');
$node->psql('postgres', "SET client_min_messages = log; SET gpuagg.verify = 1; $queries{one}",
	stdout => \$out, stderr => \$err, extra_params => [ '-U', 'plain' ]);
is($out, outcome($node, 'SET gpuagg.mode = off', $queries{one}), 'any user can set it');
like($err, qr/LOG:.*gave another answer than PostgreSQL for table "t"/, 'and see the message');

# columns of such a table do not stay, until the device process is another one
{
	my $session = session($node, "SET gpuagg.engine = $Residence::engine");
	$node->safe_psql('postgres', 'CREATE TABLE other AS SELECT k, v FROM t');
	$node->safe_psql('postgres', 'VACUUM other');
	my $other = 'SELECT k, sum(v) FROM other GROUP BY k ORDER BY k';

	make_resident($session, $other, 'other');
	is_right($session, $other, 'another table', 'some');
	is_right($session, $queries{key}, 'a table whose answer was wrong', 'none') for 1 .. 3;
	is((blocks($session, $queries{key}))[2], 0, 'it is not kept');
	$session->query("$wrong; SET gpuagg.verify = 1");
	rows($session, 'force', $other);
	$session->query('RESET gpuagg.inject_failure; SET gpuagg.verify = 0');
	is_right($session, $other, 'a wrong answer later', 'none') for 1 .. 3;
	is($session->query("SELECT count(*) FROM gpuagg_cache WHERE relation IN ('t'::regclass, 'other')"), 0, 'nothing is left');
	$session->quit;
}

# several processes
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;'
  . ' SET min_parallel_table_scan_size = 0; SET gpuagg.setup_cost = 0; SET gpuagg.tuple_cost = 0.0001; SET gpuagg.operator_cost = 0.0001;'
  . ' SET gpuagg.page_cost = 0.1; SET gpuagg.group_cost = 0; SET gpuagg.verify = 1';
my $unordered = 'SELECT k, sum(v), max(s) FROM t GROUP BY k';
for my $engine ('cpu', 'service')
{
	my $plan = outcome($node, "$parallel; SET gpuagg.engine = $engine", "EXPLAIN (ANALYZE) $unordered");
	like($plan, qr/GpuAgg Partial.*/s, "$engine: parallel");
	like($plan, qr/Verified: equal/, "$engine: parallel and equal");
	is(outcome($node, "$parallel; SET gpuagg.engine = $engine; $wrong", $queries{key}),
		outcome($node, 'SET gpuagg.mode = off', $queries{key}), "$engine: parallel and different");
}

$node->stop;
done_testing();
