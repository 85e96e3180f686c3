# Cumulative statistics: what is counted, who sees it, how long it stays, and what
# there is without shared memory.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;

my $node = new_node('stats', "shared_preload_libraries = 'gpuagg'", 'gpuagg.engine = cpu', 'restart_after_crash = on');
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
my $query = 'SELECT k, sum(v) FROM t WHERE v > 500 GROUP BY k';
my $by_key = 'SELECT array_length(gpu_sum_by_key(k, v), 1) FROM t';
my $parallel = $version >= 160000 ? 'debug_parallel_query' : 'force_parallel_mode';
my $rejected = 'SELECT k, array_agg(v) FROM t GROUP BY k';

# Run queries in a session, after which PostgreSQL makes their counts known.
sub run_queries
{
	my ($database, @queries) = @_;
	my ($out, $err) = ('', '');

	$node->psql($database, join(";\n", @queries, 'SELECT pg_stat_force_next_flush()'),
		on_error_stop => 0, stdout => \$out, stderr => \$err, timeout => 60);
	return "$out\n$err";
}

# Of a database: aggregations, fallbacks, rows, rows passed and groups, by engine.
sub engines
{
	my ($database) = @_;
	return $node->safe_psql('postgres', "SELECT engine, aggregations, fallbacks, rows, rows_passed, groups
		FROM gpuagg_stats WHERE database = '$database' ORDER BY engine");
}

sub reasons
{
	my ($database) = @_;
	return $node->safe_psql('postgres', "SELECT engine, event, reason, count
		FROM gpuagg_stats_reasons WHERE database = '$database' ORDER BY 1, 2, 3");
}

# What queries add to the statistics of database "one".  Returns what they print.
sub is_counted
{
	my ($name, $engines, $reasons, @queries) = @_;

	$node->safe_psql('one', 'SELECT gpuagg_stats_reset()');
	my $output = run_queries('one', @queries);
	is(engines('one'), $engines, $name) or diag($output);
	is(reasons('one'), $reasons, "$name: reasons") or diag($output);
	return $output;
}

sub error
{
	my ($settings, $query) = @_;
	my $err;

	$node->psql('postgres', "$settings; $query", stdout => \my $out, stderr => \$err);
	return $err;
}

for my $database ('one', 'two')
{
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'");
	run_queries($database, 'CREATE EXTENSION gpuagg',
		'CREATE TABLE t AS SELECT i % 10 AS k, i AS v, i * 1e30::float8 AS f FROM generate_series(1, 1000) i',
		'ANALYZE t');
}
$node->safe_psql('postgres', 'CREATE USER reader');

is(engines('one') . reasons('one'), '', 'nothing is counted');

# databases
run_queries('one', $query);
run_queries('two', $query, $query);
is(engines('one'), 'cpu|1|0|1000|500|10', 'one query');
is(engines('two'), 'cpu|2|0|2000|1000|20', 'two in another database');
is($node->safe_psql('one', 'SELECT bytes > 0, compile_ms, input_ms > 0, aggregate_ms > 0, output_ms > 0, stats_reset FROM gpuagg_stats WHERE database = current_database()'),
	't|0|t|t|t|', 'the rest');
like($node->safe_psql('two', 'SELECT string_agg(database, chr(32) ORDER BY database) FROM gpuagg_stats'), qr/one.* two/, 'seen from a database');

# users
run_queries('one', $rejected);
is($node->safe_psql('postgres', "SET ROLE reader; SELECT count(*) > 1 FROM gpuagg_stats"), 't', 'everybody can read');
is($node->safe_psql('postgres', 'SET ROLE reader; SELECT count(*) > 0 FROM gpuagg_stats_reasons'), 't', 'also reasons');
like(error('SET ROLE reader', 'SELECT gpuagg_stats_reset()'), qr/permission denied for function gpuagg_stats_reset/, 'not reset');

# resets
$node->safe_psql('one', 'SELECT gpuagg_stats_reset()');
is(engines('one'), 'cpu|0|0|0|0|0', 'reset');
is(engines('two'), 'cpu|2|0|2000|1000|20', 'but the other database');
is($node->safe_psql('one', 'SELECT database, now() - stats_reset < interval $$1 hour$$ FROM gpuagg_stats WHERE stats_reset IS NOT NULL'), 'one|t', 'when');

# what is an aggregation
is_counted('EXPLAIN', 'cpu|0|0|0|0|0', '', "EXPLAIN $query");
is_counted('EXPLAIN ANALYZE', 'cpu|1|0|1000|500|10', '', "EXPLAIN ANALYZE $query");
is_counted('prepared', 'cpu|7|0|7000|3500|70', '', "PREPARE p AS $query", ('EXECUTE p') x 7);
is_counted('two nodes', 'cpu|2|0|2000|1500|20', '', "SELECT * FROM ($query) a FULL JOIN (SELECT k, count(*) FROM t GROUP BY k) b USING (k)");
is_counted('rescans', 'cpu|3|0|3000|3000|6', '', 'SELECT * FROM generate_series(1, 3) x, LATERAL (SELECT k % x, count(*) FROM t GROUP BY 1) s');
is_counted('LIMIT', 'cpu|1|0|1000|500|10', '', "$query LIMIT 1");
is_counted('grouping sets', 'cpu|1|0|1000|1000|10', '', 'SELECT k, v % 2, count(*) FROM t WHERE v > 0 GROUP BY ROLLUP (k, v % 2)');
is_counted('grouping sets that are rescanned', 'cpu|2|0|2000|2000|3', '', 'SELECT * FROM generate_series(1, 2) x, LATERAL (SELECT k % x, count(*) FROM t GROUP BY ROLLUP (k % x)) s');
is_counted('DISTINCT', 'cpu|1|0|1000|1000|20', '', 'SELECT k, count(DISTINCT v % 4) FROM t GROUP BY k');
is_counted('a cursor', 'cpu|1|0|1000|500|10', '', 'BEGIN', "DECLARE c CURSOR FOR $query", 'FETCH 1 FROM c', 'COMMIT');
is_counted('an unused one', 'cpu|0|0|0|0|0', '', 'BEGIN', "DECLARE c CURSOR FOR $query", 'COMMIT');
is_counted('a transaction that is rolled back', 'cpu|1|0|1000|500|10', '', 'BEGIN', $query, 'ROLLBACK');
is_counted('a failed query', 'cpu|0|0|0|0|0', '', "SELECT k, 1 / (sum(v) - sum(v)) FROM t GROUP BY k");
is_counted('a cancelled query', 'cpu|0|0|0|0|0', '', 'SET statement_timeout = 300', 'SELECT x, count(*) FROM generate_series(1, 1000000000) x GROUP BY x');
is_counted('wider float sums', 'cpu|1|0|3000|3000|10', '', 'SELECT k, sum(CASE WHEN v = 1000 THEN 1e-200 ELSE f END) FROM t GROUP BY k');
is_counted('by key', 'cpu|1|0|1000|1000|10', '|rejection|aggregate|1', $by_key);
is_counted('by key, in many groups', 'cpu|10|0|1000|1000|1000', '|rejection|aggregate|1', 'SELECT array_length(gpu_sum_by_key(v, v), 1) FROM t GROUP BY v % 10');
like(is_counted('in a worker', 'cpu|1|0|1000|1000|10', '|rejection|aggregate|1', "SET $parallel = on",
		'SET max_parallel_workers_per_gather = 1', "EXPLAIN ANALYZE $by_key"), qr/Workers Launched: 1/, 'a worker');

# fallbacks
my %status = (inexact => 'inexact', widen => 'inexact', special => 'inexact', corrupt => 'corrupt page', no_memory => 'out of memory', no_store => 'temporary file', failed => 'engine failure', lost => 'device process ended');
for my $status (sort keys %status)
{
	is_counted("a fallback, $status", 'cpu|1|1|0|0|0', "cpu|fallback|$status{$status}|1", "SET gpuagg.inject_failure = 'pages:1:$status'", $query);
}
is_counted('one of several', 'cpu|3|1|3000|1000|20', 'cpu|fallback|out of memory|1', $query, $query, "SET gpuagg.inject_failure = 'groups:1:no_memory'", $query);
is_counted('an engine that does not begin', 'cpu|1|1|0|0|0', 'cpu|fallback|engine failure|1', "SET gpuagg.inject_failure = 'open:1:failed'", $query);
is_counted('a fallback before the engine begins', 'cpu|2|1|1000|500|10', 'cpu|fallback|inexact|1',
	'SET plan_cache_mode = force_generic_plan', "PREPARE p AS $query", 'EXECUTE p', 'SET default_transaction_isolation = serializable', 'EXECUTE p');
is_counted('an error instead of a fallback', 'cpu|0|0|0|0|0', '', 'SET gpuagg.fallback = off', "SET gpuagg.inject_failure = 'open:1:failed'", $query);

# rejections
is_counted('an aggregate', 'cpu|0|0|0|0|0', '|rejection|aggregate|1', $rejected);
is_counted('a volatile function', 'cpu|0|0|0|0|0', '|rejection|volatile function|2', ('SELECT k + random()::int, count(*) FROM t GROUP BY 1') x 2);
is_counted('DISTINCT ON', 'cpu|0|0|0|0|0', '|rejection|query|1', 'SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, v::text');
is_counted('a numeric', 'cpu|0|0|0|0|0', '|rejection|numeric|1', 'SELECT coalesce(sqrt(v::numeric), 0), count(*) FROM t GROUP BY 1');
is_counted('a type', 'cpu|0|0|0|0|0', '|rejection|type|1', 'SELECT coalesce(make_interval(secs => v), interval \'1 day\'), count(*) FROM t GROUP BY 1');
is_counted('a collation', 'cpu|0|0|0|0|0', '|rejection|collation|1', 'SELECT max(coalesce(k::text, \'\') COLLATE "en-x-icu") FROM t');
is_counted('cost', 'cpu|0|0|0|0|0', '|rejection|cost|1', 'SET gpuagg.mode = auto', 'SET gpuagg.setup_cost = 0', 'SET gpuagg.tuple_cost = 1000', $query);
is_counted('too small', 'cpu|0|0|0|0|0', '', 'SET gpuagg.mode = auto', 'SELECT count(*) FROM generate_series(1, 2)');
is_counted('off', 'cpu|0|0|0|0|0', '', 'SET gpuagg.mode = off', $rejected);
is_counted('a plan that is kept', 'cpu|0|0|0|0|0', '|rejection|aggregate|1', 'SET plan_cache_mode = force_generic_plan', "PREPARE p AS $rejected", ('EXECUTE p') x 3);
is_counted('EXPLAIN of a rejection', 'cpu|0|0|0|0|0', '|rejection|aggregate|1', "EXPLAIN $rejected");
is_counted('gpuagg_explain of one', 'cpu|0|0|0|0|0', '', "SELECT * FROM gpuagg_explain('$rejected')");
is_counted('a query that cannot be planned', 'cpu|0|0|0|0|0', '', "SELECT * FROM ($rejected) a FULL JOIN t ON a.k < t.k");

# databases that go
run_queries('two', $rejected);
like(reasons('two'), qr/aggregate\|1/, 'a database');
$node->safe_psql('postgres', 'DROP DATABASE two');
is(engines('two') . reasons('two'), '', 'that is dropped');

# what stays: from PostgreSQL 18 on, a clean shutdown's
my $counts = 'cpu|1|0|1000|500|10';
is_counted('before a restart', $counts, '|rejection|aggregate|1', $query, $rejected);
$node->restart;
is(engines('one'), $version >= 180000 ? $counts : '', 'after a restart');
is(reasons('one'), $version >= 180000 ? '|rejection|aggregate|1' : '', 'its reasons');
run_queries('one', $query);
is(engines('one'), $version >= 180000 ? 'cpu|2|0|2000|1000|20' : $counts, 'it goes on');
$node->stop('immediate');
$node->start;
is(engines('one'), '', 'after a crash');
run_queries('one', $query);
is(engines('one'), $counts, 'it goes on');

# shared memory that is made anew
my $session = $node->background_psql('postgres', on_error_stop => 0);
kill 'KILL', $session->query('SELECT pg_backend_pid()') =~ /(\d+)/;
eval { $session->quit };
ok($node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM gpuagg_stats'), 'after a process was killed');
run_queries('one', $query);
is(engines('one'), $counts, 'it goes on');

# an aggregate function whose engine fails is finished by another
{
	my %reasons = (refused => 'engine failure', failed => 'device process ended');

	device_may_fail($node);
	for my $status (sort keys %reasons)
	{
		local $ENV{GPUAGG_SIMT_INJECT} = "alloc:1:$status";
		$node->restart;
		is_counted("by key, with another engine, $status", "cpu|1|0|10000|10000|7\nsimt|1|1|0|0|0", "simt|fallback|$reasons{$status}|1\n|rejection|aggregate|1",
			'SET gpuagg.engine = simt', 'SELECT gpu_sum_by_key(i % 7, i) FROM generate_series(1, 10000) i');
	}
}

# columns that stay on the device: pages and blocks by what became of them
sub blocks
{
	return $node->safe_psql('one', "SELECT pages_in_place + pages_copied > 0, blocks_resident, blocks_skipped, blocks_masked, blocks_kept, blocks_evicted
		FROM gpuagg_stats WHERE database = 'one' AND engine = 'simt'");
}

sub blocks_are
{
	my ($name, $expected, @queries) = @_;

	$node->safe_psql('one', 'SELECT gpuagg_stats_reset()');
	my $output = run_queries('one', 'SET gpuagg.engine = simt', @queries);
	is(blocks(), $expected, "blocks: $name") or diag($output);
	return;
}

$node->append_conf('postgresql.conf', 'gpuagg.cache_size = 1MB');
$node->restart;
$node->safe_psql('one', 'SET gpuagg.mode = off; CREATE TABLE r AS SELECT i % 10 AS k, i AS v FROM generate_series(1, 20000) i');
$node->safe_psql('one', 'SET gpuagg.mode = off; CREATE TABLE wide AS SELECT i * 10000 AS v FROM generate_series(1, 100000) i');
$node->safe_psql('one', 'SET gpuagg.mode = off; CREATE TABLE beside AS SELECT i * 10000 AS v FROM generate_series(1, 100000) i');
$node->safe_psql('one', 'VACUUM ANALYZE');
my $blocks = blocks_with_rows($node, 'one', 'r');
my $wide = blocks_with_rows($node, 'one', 'wide');
my $beside = blocks_with_rows($node, 'one', 'beside');

blocks_are('the first query', "t|0|0|0|$blocks|0", 'SELECT k, sum(v) FROM r GROUP BY k');
blocks_are('the next ones', 'f|' . 2 * $blocks . '|0|0|0|0', ('SELECT k, sum(v) FROM r GROUP BY k') x 2);
blocks_are('a filter', "f|$blocks|$blocks|0|0|0", 'SELECT count(*) FROM r WHERE v > 20000');
$node->safe_psql('one', 'SET gpuagg.mode = off; UPDATE r SET v = v WHERE v = 1');
blocks_are('changes', 't|' . ($blocks - 2) . '|0|2|0|0', 'SELECT k, sum(v) FROM r GROUP BY k');
$node->safe_psql('one', "SELECT gpuagg_evict('r')");
blocks_are('a large table', "t|0|0|0|$wide|0", 'SELECT sum(v) FROM wide');
blocks_are('another one, in its place', "t|0|0|0|$beside|$wide", q{SELECT gpuagg_prewarm('beside')});

# without shared memory
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
for my $statement ('SELECT * FROM gpuagg_stats', 'SELECT * FROM gpuagg_stats_reasons', 'SELECT gpuagg_stats_reset()')
{
	like(error('', $statement),
		qr/ERROR:  statistics of gpuagg are not kept\nDETAIL:  They need "gpuagg" in "shared_preload_libraries"\.\nHINT:  /,
		"not preloaded: $statement");
}
is(outcome($node, 'SET gpuagg.fallback = off', 'SELECT x, count(*) FROM generate_series(1, 2) x GROUP BY x ORDER BY x'),
	"1|1\n2|1", 'not preloaded: a query');
is($node->safe_psql('one', $by_key), '10', 'not preloaded: an aggregate function');

$node->stop;
done_testing();
