# A failure of each call of the engine ends in the right rows, by fallback; with
# gpuagg.fallback off, in an error.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;

my $node = new_node('inject');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE t (k int, v int, f float8);
INSERT INTO t SELECT i % 5000, i, i / 4.0 FROM generate_series(1, 100000) i;
VACUUM ANALYZE t;
CREATE TABLE parts (k int, v int, s text) PARTITION BY RANGE (v);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (20000);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (20000) TO (40000);
CREATE TABLE parts_3 (v int, s text, k int);
ALTER TABLE parts ATTACH PARTITION parts_3 FOR VALUES FROM (40000) TO (60000);
INSERT INTO parts SELECT i % 100, i, CASE WHEN i % 10 = 0 THEN repeat('long ' || i % 3, 1000) ELSE 'short' END FROM generate_series(1, 50000) i;
VACUUM ANALYZE parts;
SQL

my %queries = (
	pages => 'SELECT k, count(*), sum(v), min(f) FROM t WHERE v % 3 <> 0 GROUP BY k ORDER BY k',
	partitions => 'SELECT k, length(s) AS l, count(*), sum(v) FROM parts WHERE v % 3 <> 0 GROUP BY 1, 2 ORDER BY 1, 2',
	columns => 'SELECT k, count(*), sum(v), min(f) FROM (SELECT * FROM t OFFSET 10) s GROUP BY k ORDER BY k',
	sets => 'SELECT k, v % 3, count(*), sum(v) FROM t GROUP BY CUBE (k, v % 3) ORDER BY 1, 2, 3',
	few => 'SELECT k % 7, count(*) FROM t GROUP BY ROLLUP (k % 7) ORDER BY 1',
	distinct => 'SELECT k % 7, count(*), count(DISTINCT v % 9000), bit_xor(DISTINCT k) FROM t GROUP BY 1 ORDER BY 1',
	lists => 'SELECT k % 7, count(*), count(DISTINCT v), sum(DISTINCT v) FROM t GROUP BY 1 ORDER BY 1',
	first => 'SELECT k, v FROM (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY f DESC) AS n FROM t) s WHERE n <= 2 ORDER BY 1, 2',
	rescans => 'SELECT x, s.* FROM generate_series(1, 3) x, LATERAL (SELECT k % x AS m, count(*) FROM t GROUP BY 1) s ORDER BY 1, 2');
my $by_key = 'SELECT u.* FROM (SELECT gpu_sum_by_key(k, v) AS a FROM t) s, unnest(s.a) u ORDER BY 1';
my %calls = (
	pages => [ 'open:1', 'pages:1', 'pages:3', 'toasted:2', 'groups:1', 'any:1', 'any:2' ],
	# the last pages of the first partition, its rows left out, the third one's rows
	partitions => [ 'open:1', 'pages:1', 'pages:9', 'pages:15', 'columns:1', 'columns:2', 'columns:3', 'groups:1' ],
	columns => [ 'open:1', 'columns:1', 'columns:7', 'groups:1', 'any:3' ],
	sets => [ 'open:1', 'pages:2', 'groups:1', 'groups:2', 'regroup:1', 'regroup:2' ],
	# the tables, the only groups into them, the sets' groups
	few => [ 'regroup:1', 'regroup:2', 'regroup:3' ],
	distinct => [ 'groups:2', 'regroup:1', 'regroup:3' ],
	lists => [ 'open:1', 'pages:3', 'groups:1', 'any:4' ],
	first => [ 'open:1', 'pages:3', 'groups:1', 'fetch:1' ],
	# of the runs, the second alone, too
	rescans => [ 'open:1', 'open:2', 'pages:2', 'groups:1', 'any:4' ]);

is(outcome($node, "SET gpuagg.inject_failure = ''", 'SHOW gpuagg.inject_failure'), '', 'setting is there');
like(outcome($node, '', "SET gpuagg.inject_failure = 'pages:0:failed'"), qr/invalid value/, 'bad number');
like(outcome($node, '', "SET gpuagg.inject_failure = 'pages:1:tired'"), qr/invalid value/, 'bad status');

like(outcome($node, '', "EXPLAIN (VERBOSE, COSTS OFF) $queries{lists}"), qr/Program: values/, 'lists: there are some');
for my $kind (sort keys %calls)
{
	my $native = outcome($node, 'SET gpuagg.mode = off', $queries{$kind});

	is(outcome($node, 'SET gpuagg.fallback = off', $queries{$kind}), $native, "$kind: without failure");
	for my $call (@{ $calls{$kind} })
	{
		for my $status ('inexact', 'widen', 'special', 'corrupt', 'no_memory', 'failed', 'lost')
		{
			my $inject = "SET gpuagg.inject_failure = '$call:$status'";

			is(outcome($node, $inject, $queries{$kind}), $native, "$kind: $call:$status");
		}
		my $inject = "SET gpuagg.inject_failure = '$call:no_memory'";
		like(outcome($node, "$inject; SET gpuagg.fallback = off", $queries{$kind}),
			qr/^ERROR/, "$kind: $call without fallback");
		like(outcome($node, $inject, "EXPLAIN (ANALYZE, COSTS OFF) $queries{$kind}"),
			qr/Fallback: \S/, "$kind: $call explained")
		  if $kind ne 'rescans';
	}
}

# once tuples have left there is no way back, and "any" means no such call
my $last = 2;
$last++
  while $last < 100 && outcome($node, "SET gpuagg.inject_failure = 'any:$last:failed'; SET gpuagg.fallback = off", $queries{pages}) =~ /^ERROR.*cannot finish/;
cmp_ok($last, '>', 3, 'pages: "any" reaches all calls');
cmp_ok($last, '<', 100, 'pages: "any" ends with the first groups');
is(outcome($node, "SET gpuagg.inject_failure = 'any:$last:failed'; SET gpuagg.fallback = off", $queries{pages}),
	outcome($node, 'SET gpuagg.mode = off', $queries{pages}), 'pages: "any" is no call after the first groups');
like(outcome($node, "SET gpuagg.inject_failure = 'groups:2:failed'", $queries{pages}), qr/^ERROR:.*injected/,
	'pages: a failure after the first groups');

like(outcome($node, "SET gpuagg.inject_failure = 'fetch:2:failed'", $queries{first}), qr/^ERROR:.*has lost rows.*injected/,
	'first: a failure after the first row');

# Values of a group that are in the store, which cannot be read; and no memory to order rows in.
my $big = "SET work_mem = '64kB'; SET gpuagg.engine = cpu;";
my %ordered = (
	rows => q{SELECT k % 2, md5(string_agg(f::int::text, ',' ORDER BY v)), md5(string_agg(v::text, ',' ORDER BY f DESC)) FROM t GROUP BY 1 ORDER BY 1},
	values => 'SELECT k % 2, array_agg(v ORDER BY v) FROM t GROUP BY 1 ORDER BY 1',
	small => q{SELECT k, string_agg(v::text, ',' ORDER BY f), string_agg(DISTINCT v::text, ',') FROM t GROUP BY k ORDER BY k});
for my $kind (sort keys %ordered)
{
	my $native = outcome($node, 'SET gpuagg.mode = off', $ordered{$kind});
	my $query = "SET gpuagg.fallback = off; $big SET gpuagg.inject_failure";

	is(outcome($node, "$query = ''", $ordered{$kind}), $native, "$kind: without failure");
	for my $call ('list:1', 'list:7')
	{
		like(outcome($node, "$query = '$call:no_store'", $ordered{$kind}), qr/^ERROR:.*lost a group's values.*injected/, "$kind: $call")
		  if $kind ne 'small';
		is(outcome($node, "$query = '$call:no_store'; RESET work_mem", $ordered{$kind}), $native, "$kind: $call is not called")
		  if $kind eq 'small';
	}
	is(outcome($node, "$query = 'order:$_:no_memory'; RESET work_mem", $ordered{$kind}), $native, "$kind: no memory to order rows, $_")
	  for 1, 2;
}

# the aggregate functions have nothing to fall back to: an error, and no harm
for my $call ('open:1', 'columns:1', 'groups:1')
{
	like(outcome($node, "SET gpuagg.inject_failure = '$call:no_memory'", $by_key), qr/^ERROR/, "by key: $call");
}

# after a failure in the middle of a cursor's transaction, the next query is fine
is( outcome(
		$node, '',
		"BEGIN; SET gpuagg.inject_failure = 'groups:1:failed'; SELECT count(*) FROM t;"
		  . " SET gpuagg.inject_failure = ''; SET gpuagg.fallback = off; SELECT count(*) FROM t; COMMIT"),
	"100000\n100000",
	'goes on within the transaction');

# What fails in each of many executions of a plan takes no more memory than in few.
$node->safe_psql('postgres', 'CREATE TABLE small AS SELECT i % 3 AS k, i / 4.0::float8 AS f FROM generate_series(1, 20) i; VACUUM ANALYZE small');
sub memory_of
{
	my ($inject, $executions) = @_;
	return outcome($node, $inject,
		"BEGIN; DECLARE c CURSOR FOR SELECT count(*) FROM t x, LATERAL (SELECT k, sum(f) FROM small WHERE f < x.v GROUP BY k) s WHERE x.v <= $executions;"
		  . ' MOVE 1 IN c; SELECT sum(used_bytes) FROM pg_backend_memory_contexts; COMMIT');
}
for my $call ('open:1', 'pages:1', 'groups:1')
{
	for my $status ('inexact', 'widen', 'special', 'failed')
	{
		my $inject = "SET gpuagg.inject_failure = '$call:$status'";
		cmp_ok(memory_of($inject, 5000), '<', memory_of($inject, 500) + 32 * 1024, "$call:$status: no memory is left of an execution");
	}
}

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|leak/, 'no crash, no leak');
done_testing();
