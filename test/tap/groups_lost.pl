# Groups leave while others are still in the device process.  If these are lost, the CPU
# engine makes them again, and no group leaves twice.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Service;

my $node = new_node('groups_lost', 'gpuagg.engine = simt', 'gpuagg.longest_pause = 50ms', 'shared_buffers = 64MB',
	"shared_preload_libraries = 'gpuagg'");
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t (k int, d date, v float8, n numeric(10,2));
INSERT INTO t SELECT nullif(i % 50000, 7), CASE WHEN i % 3 > 0 THEN date '2020-01-01' + i % 3 END, i / 7.0, i / 100.0
	FROM generate_series(1, 170000) i;
VACUUM ANALYZE t;
-- passes its argument on, and the first one when the test lets it
CREATE FUNCTION held(x numeric) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('test.begun', true) IS DISTINCT FROM 'yes' THEN
		PERFORM set_config('test.begun', 'yes', false);
		PERFORM pg_advisory_lock(1);
	END IF;
	RETURN x;
END $$;
SQL

my $groups = 'SELECT k, d, count(*) AS c, sum(v) AS v, sum(n) AS n FROM t GROUP BY k, d';
# with gpuagg, floats' sums are exact, so that they can be compared
my $sums = "SELECT count(*), count(k), count(d), sum(c), sum(c * k), sum(n), sum(c * (d - date '2020-01-01')), bit_xor(hashfloat8(v)) FROM ($groups OFFSET 0) s";
my $native = outcome($node, 'SET gpuagg.engine = cpu', $sums);

is(outcome($node, 'SET gpuagg.mode = off', $sums) =~ s/\|-?\d+$//r, $native =~ s/\|-?\d+$//r, 'PostgreSQL has the same groups');
ok(wait_for_service($node), 'it serves');
is(outcome($node, 'SET gpuagg.fallback = off', $sums), $native, 'nothing is lost');
like(outcome($node, 'SET gpuagg.fallback = off', "EXPLAIN (ANALYZE) $groups"), qr/Engine: simt\n.*Groups: 150000\n/s, 'by the device');

# what is lost after so many batches
for my $lost (1, 2, 3)
{
	for my $memory ('64kB', '64MB')
	{
		my $inject = "SET work_mem = '$memory'; SET gpuagg.inject_failure = 'lost:$lost:failed'";
		is(outcome($node, $inject, $sums), $native, "lost after $lost batches, with $memory");
		like(outcome($node, $inject, "EXPLAIN (ANALYZE) $groups"), qr/actual time=\S+ rows=150000\b.*Engine: cpu\n\s*Fallback: .*"lost"/s,
			"the CPU engine took over after $lost batches, with $memory");
	}
}
like(outcome($node, "SET gpuagg.inject_failure = 'lost:2:no_memory'; SET gpuagg.fallback = off", $sums),
	qr/^ERROR:.*cannot finish/, 'without fallback');
my $twice = 'SELECT count(*), count(c), sum(c) FROM generate_series(1, 2) x LEFT JOIN LATERAL
	(SELECT k + x, d, count(*) AS c FROM t GROUP BY 1, 2 HAVING count(*) > 1 OFFSET 0) s ON true';
is(outcome($node, "SET gpuagg.inject_failure = 'lost:2:failed'", $twice), outcome($node, 'SET gpuagg.mode = off', $twice),
	'in each of two executions');

# Texts as keys: long ones, some longer than what is written at once, and such as differ in
# their last bytes only; their records have lengths of their own.
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE texts AS SELECT CASE WHEN i % 75000 = 7 THEN NULL WHEN i % 75000 = 8 THEN '' WHEN i IN (100, 60000) THEN repeat('abcdefghij', 20000) || i
		WHEN i % 500 = 9 THEN repeat('long ', 300) || i % 75000 ELSE 'id' || lpad((i % 75000)::text, 10, '0') END AS s,
	CASE i % 4 WHEN 1 THEN '' WHEN 2 THEN 'two' WHEN 3 THEN 'three' END AS few, CASE WHEN i % 3 > 0 THEN i % 3 END AS k, i AS v
FROM generate_series(1, 90000) i;
-- the same bytes, divided otherwise
INSERT INTO texts VALUES ('a', 'bc', 1, 1), ('ab', 'c', 1, 2), ('abc', '', 1, 3), ('', 'abc', 1, 4), (NULL, 'abc', 1, 5), ('abc', NULL, 1, 6);
VACUUM ANALYZE texts;
SQL
my %of_texts = (
	'one text' => 'SELECT s, NULL AS few, NULL::int AS k, count(*) AS c, sum(v) AS v FROM texts GROUP BY s',
	'two texts and a number' => 'SELECT s, few, k, count(*) AS c, sum(v) AS v FROM texts GROUP BY k, s, few',
	'two texts, and one made of them' => 'SELECT coalesce(few, s) AS s, few, max(k) AS k, count(*) AS c, sum(v) AS v FROM texts GROUP BY coalesce(few, s), s, few');
for my $keys (sort keys %of_texts)
{
	my $texts = "SELECT count(*), count(s), count(few), sum(c), sum(v), sum(hashtextextended(row(s, few, k, c, v)::text, 0)::numeric) FROM ($of_texts{$keys} OFFSET 0) s";
	my $expected = outcome($node, 'SET gpuagg.mode = off', $texts);

	is(outcome($node, 'SET gpuagg.fallback = off', $texts), $expected, "$keys: nothing is lost");
	for my $lost (1, 2)
	{
		for my $memory ('64kB', '64MB')
		{
			my $inject = "SET work_mem = '$memory'; SET gpuagg.inject_failure = 'lost:$lost:failed'";
			is(outcome($node, $inject, $texts), $expected, "$keys: lost after $lost batches, with $memory");
			# later all groups may have come
			next if $lost > 1;
			like(outcome($node, $inject, "EXPLAIN (ANALYZE) $of_texts{$keys}"), qr/Engine: cpu\n\s*Fallback: .*"lost"/s,
				"$keys: the CPU engine took over after $lost batches, with $memory");
		}
	}
}

# no failure where all are in the session, as they are once a cursor has been read
my $cursor = "BEGIN; DECLARE c CURSOR FOR $groups; FETCH 1 FROM c; MOVE 60000 IN c; MOVE ALL IN c; COMMIT";
is(outcome($node, "SET client_min_messages = error; SET gpuagg.fallback = off; SET gpuagg.inject_failure = 'lost:1:failed'", "$cursor; SELECT 1") =~ s/.*\n//sr,
	'1', 'a cursor has all groups after its first one');

# A cursor that has failed in a subtransaction takes no groups any more: its files are gone.
my $failed = "SET work_mem = '64kB'; BEGIN; DECLARE c CURSOR FOR SELECT k, d, 1 / (sum(n) - sum(n)) FROM t GROUP BY k, d; SAVEPOINT a; MOVE 1 IN c; ROLLBACK TO a;"
  . ' SELECT count(*) FROM t; SELECT count(*) FROM gpuagg_activity; COMMIT';
my ($rows, $errors);
$node->psql('postgres', $failed, stdout => \$rows, stderr => \$errors, on_error_stop => 0);
is($rows, "170000\n0", 'a cursor that has failed has no run');
like($errors, qr/^\S* ERROR:  division by zero$/, 'and no file');

# it dies while the first groups are with the session
my $asked = $sums =~ s/sum\(n\)/sum(held(n))/r;
my $holder = $node->background_psql('postgres');
$holder->query('SELECT pg_advisory_lock(1)');
my ($out, $err) = ('', '');
my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $asked ], '>', \$out, '2>', \$err);
ok(wait_for(60, sub { $holder->query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'") }), 'groups leave');
may_end(device_process($node));
kill 'KILL', device_process($node);
$holder->quit;
$run->finish;
is($out =~ s/\n//r, $native, 'killed while groups leave');
like($err, qr/the CPU engine took over/, 'and reported');

# Does the device process die at its message of that number, while it answers the query?
my $bad = 0;
sub dies_at
{
	my ($n) = @_;
	my $pid = replace_device_process($node, $n);
	$bad++ unless outcome($node, '', $sums) eq $native;
	return wait_for(1, sub { is_gone($pid) });
}

# the last messages are those of groups
my ($dies, $lives) = (0, 1024);
while ($lives - $dies > 1)
{
	my $n = int(($dies + $lives) / 2);
	if (dies_at($n)) { $dies = $n }
	else { $lives = $n }
}
cmp_ok($dies, '>', 12, "it has $dies messages");
is(scalar(grep { dies_at($_) } $dies - 10 .. $dies - 1), 10, 'it died at each of the last ones');
is($bad, 0, 'right answers, whenever it dies');

# An aggregation whose groups leave shares a query with another one.  The device has memory
# for one of them, and nobody else will give it any.
$node->append_conf('postgresql.conf', "gpuagg.device_dies_at = 0\ngpuagg.max_device_memory = 64MB\ngpuagg.cache_size = 0");
$node->safe_psql('postgres', 'ALTER SYSTEM RESET gpuagg.device_dies_at');
$node->restart;
ok(wait_for_service($node), 'it serves with little memory');
$node->safe_psql('postgres', <<'SQL');
-- passes its argument on, and for the first one aggregates, too, in a subtransaction that fails
CREATE FUNCTION beside(x bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('test.begun', true) IS DISTINCT FROM 'yes' THEN
		PERFORM set_config('test.begun', 'yes', false);
		BEGIN
			PERFORM k, d, sum(v) FROM t GROUP BY k, d;
			PERFORM 1 / (x - x);
		EXCEPTION WHEN division_by_zero THEN
		END;
	END IF;
	RETURN x;
END $$;
SQL
my %both = (
	'in a join' => 'SELECT a.k, a.d, a.c, b.v FROM (SELECT k, d, count(*) AS c FROM t GROUP BY k, d) a
		JOIN (SELECT k, d, sum(v) AS v FROM t GROUP BY k, d) b USING (k, d)',
	'one of them in a function' => 'SELECT k, d, beside(count(*)) AS c FROM t GROUP BY k, d');
for my $where (sort keys %both)
{
	my $query = "CREATE TEMP TABLE made AS $both{$where}; SET gpuagg.mode = off; SELECT count(*), sum(hashtext(made::text)) FROM made";
	for my $memory ('64kB', '64MB')
	{
		my $settings = "SET work_mem = '$memory'; SET enable_mergejoin = off; SET enable_nestloop = off; SET gpuagg.fallback = off; SET gpuagg.strategy = atomic; SET gpuagg.queue_timeout = 20000";
		is(outcome($node, $settings, $query), outcome($node, "SET enable_nestloop = off; SET gpuagg.engine = cpu", $query), "two at once, $where, with $memory");
	}
}

# One that gives its rows to another aggregation, which has the memory, cannot wait until
# that ends.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION below(x int) RETURNS bigint LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 AS $$
BEGIN
	RETURN (SELECT sum(c) FROM (SELECT d, count(*) AS c FROM t WHERE k = x GROUP BY d) s);
END $$;
CREATE TABLE few AS SELECT i % 3 AS k FROM generate_series(1, 6) i;
ANALYZE few;
SQL
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET gpuagg.setup_cost = 0; SET gpuagg.group_cost = 0; SET gpuagg.page_cost = 0.1; SET parallel_leader_participation = off';
my $calls = 'SELECT k, count(*) FROM (SELECT * FROM few UNION ALL SELECT * FROM few) f WHERE below(k) > 0 GROUP BY k ORDER BY k';
my %nested = (
	'in a subquery' => [ '', 'SELECT count(*), sum(s) FROM (SELECT k, sum(c) AS s FROM (SELECT k, d, count(*) AS c FROM t GROUP BY k, d OFFSET 0) i GROUP BY k OFFSET 0) o' ],
	'in a function' => [ '', $calls ],
	"in workers' functions" => [ $parallel, $calls ]);
for my $where (sort keys %nested)
{
	my ($settings, $query) = @{ $nested{$where} };
	my $device = "SET gpuagg.engine = service; SET gpuagg.memory_limit = 40; SET gpuagg.queue_timeout = -1; SET client_min_messages = error; $settings";

	like(outcome($node, $device, "EXPLAIN $query"), $settings ? qr/GpuAgg Partial/ : qr/GpuAgg/, "one over another, $where: the plan");
	is(outcome($node, $device, $query), outcome($node, 'SET gpuagg.mode = off', $query), "one over another, $where");
}

$node->stop;
unlike(slurp_file($node->logfile), qr/server process.*terminated|PANIC|leak/, 'no crash, no leak');
done_testing();
