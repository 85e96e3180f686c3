# Of joins that a session has run nothing is left but the look-ups that it keeps, and of these no
# more than fits: no memory, files or mappings, in the session or in the device process, whether an
# engine answers, fails, or is interrupted.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Service;
use Residence qw(session rows);

# What is freed goes back to the system, so that what processes hold tells of leaks.
$ENV{MALLOC_TRIM_THRESHOLD_} = 65536;
$ENV{MALLOC_MMAP_THRESHOLD_} = 65536;
my $node = new_node('lookups_memory', 'gpuagg.cache_size = 8MB');

$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE facts AS SELECT i % 400 AS a, i % 90 AS b, i AS v, (i % 50)::text AS t FROM generate_series(1, 2000) i;
CREATE TABLE items (k int PRIMARY KEY, x int, n text);
INSERT INTO items SELECT i, i % 7, 'item ' || i % 40 FROM generate_series(0, 380) i;
CREATE UNLOGGED TABLE places (k int PRIMARY KEY, y int, n text);
INSERT INTO places SELECT i, i % 5, 'place ' || i FROM generate_series(0, 80) i;
CREATE TABLE twice AS SELECT i AS k, i % 3 AS x FROM generate_series(0, 399) i;
CREATE TABLE changing (k int PRIMARY KEY, x int) WITH (fillfactor = 20);
INSERT INTO changing SELECT i, 0 FROM generate_series(0, 99) i;
CREATE FUNCTION raises() RETURNS int STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN 1 / (now() < '2000-01-01')::int; END $$;
CREATE FUNCTION slow() RETURNS int STABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(10); RETURN 1; END $$;
CREATE TABLE few AS SELECT i % 10 AS a, i AS v FROM generate_series(1, 30) i;
DO $$ BEGIN
	FOR i IN 1 .. 8 LOOP
		EXECUTE format('CREATE TABLE wide_%s AS SELECT i AS k, md5(i::text) AS n FROM generate_series(0, 3999) i', i);
		EXECUTE format('ALTER TABLE wide_%s ADD PRIMARY KEY (k)', i);
	END LOOP;
END $$;
SQL
# what statistics do not know
$node->safe_psql('postgres', $_) for 'VACUUM ANALYZE', 'INSERT INTO twice VALUES (3, 3)', 'VACUUM twice';

my $kept = 'SELECT max(c) FROM (SELECT x, n, count(*) AS c FROM facts JOIN items ON a = k GROUP BY x, n) s';
my $both = 'SELECT max(c) FROM (SELECT i.n, y, count(*) AS c, sum(v) AS s FROM facts JOIN items i ON a = k LEFT JOIN places p ON b = p.k AND p.n <> i.n GROUP BY 1, 2) s';
my $groups = 'SELECT x, n, count(*) FROM facts JOIN items ON a = k GROUP BY x, n';
my $twice = 'SELECT max(c) FROM (SELECT x, count(*) AS c FROM facts JOIN twice ON a = k GROUP BY x) s';
my $raising = 'SELECT max(c) FROM (SELECT x, count(*) AS c FROM facts JOIN items ON a = k WHERE x <> (SELECT raises()) GROUP BY x) s';
my $slow = 'SELECT max(c) FROM (SELECT x, count(*) AS c FROM facts JOIN items ON a = k WHERE x <> (SELECT slow()) GROUP BY x) s';
my $computed = 'SELECT max(c) FROM (SELECT chr(b - 1), count(*) AS c FROM facts GROUP BY 1) s';
my $changing = 'SELECT max(c) FROM (SELECT x, count(*) AS c FROM facts JOIN changing ON a = k GROUP BY x) s';
my @wide = map { "SELECT max(n), count(*) FROM facts JOIN wide_$_ ON a = k" } 1 .. 8;

# What the session holds: memory of contexts, memory of all its own in kB, files, and mappings that others may have.
sub held
{
	my ($session) = @_;
	my $held = rows($session, 'off', <<'SQL');
SELECT (SELECT sum(used_bytes) FROM pg_backend_memory_contexts),
	(SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')),
	(SELECT count(*) FROM pg_ls_dir('/proc/self/fd')),
	(SELECT count(*) FROM regexp_matches(pg_read_file('/proc/self/maps'), '/dev/shm|memfd', 'g')),
	(SELECT count(*) FROM pg_ls_tmpdir())
SQL
	return split /\|/, $held;
}

# And what the device process does, if there is one: memory in kB, and files.
sub held_by_device
{
	my ($pid) = device_process($node) or return (0, 0);
	my %open = open_ones($pid);

	return (status_of($pid, 'RssAnon') =~ /(\d+)/, scalar keys %open);
}

# After some executions of the statements in a session, many more do not make it grow.  Returns how
# many of all have raised an error.
sub stays
{
	my ($title, $settings, $executions, @statements) = @_;
	my $session = session($node, $settings);
	my (@before, @after);
	my $errors = 0;
	my $file = "$ENV{TESTDIR}/statements.sql";
	my $most = $executions < 1000 ? 1000 : $executions;

	for my $times ($executions / 4, $executions)
	{
		@before = @after;
		$session->{stderr} = '';
		unlink $file;
		append_to_file($file, join '', map { "$_;\n" } (@statements) x ($times / @statements));
		$session->query("SET gpuagg.mode = force;\n\\o /dev/null\n\\i $file\n\\o");
		$errors += () = $session->{stderr} =~ /ERROR/g;
		@after = (held($session), held_by_device());
	}
	$session->quit;
	cmp_ok($after[0] - $before[0], '<', 20 * 1024, "$title: contexts");
	cmp_ok($after[1] - $before[1], '<', $most, "$title: kB of memory");
	cmp_ok($after[ $_ + 2 ] - $before[ $_ + 2 ], '<=', 0, "$title: " . ('files', 'mappings', 'temporary files')[$_]) for 0 .. 2;
	cmp_ok($after[5] - $before[5], '<', $most, "$title: kB of the device process");
	cmp_ok($after[6] - $before[6], '<=', 1, "$title: its files");
	note("$title: before @before, after @after");
	return $errors;
}

# What becomes of a query's look-ups when it is run again, and whether PostgreSQL's own plan answers.
sub look_ups
{
	my ($settings, $query) = @_;
	my $plan = outcome($node, $settings, "$query; EXPLAIN (ANALYZE, COSTS OFF) $query");

	return join ' ', (map { /Kept/ ? 'kept' : 'made' } $plan =~ /(Look-up: .*)/g), $plan =~ /Fallback/ ? 'fallback' : ();
}

my $no_fallback = 'SET gpuagg.fallback = off';
my $workers = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0';
my $change = 'UPDATE changing SET x = x + 1 WHERE k < 10';

for my $engine ('cpu', 'service')
{
	my $settings = "SET gpuagg.engine = $engine";
	my $n = $engine eq 'cpu' ? 1920 : 640;

	is(look_ups($settings, $kept), 'kept', "$engine: a look-up that is kept");
	is(stays("$engine, kept", "$settings; $no_fallback", $n, $kept), 0, "$engine, kept: no errors");
	is(look_ups($settings, $both), 'kept made', "$engine: one that is not");
	is(stays("$engine, not kept", "$settings; $no_fallback", $n, $both), 0, "$engine, not kept: no errors");
	is(stays("$engine, prepared", "$settings; $no_fallback; SET plan_cache_mode = force_generic_plan; PREPARE p AS $both; PREPARE q AS $kept", $n, 'EXECUTE p', 'EXECUTE q'),
		0, "$engine, prepared: no errors");
	is(stays("$engine, beside workers", "$settings; $no_fallback; $workers", 100, $kept, $both), 0, "$engine, beside workers: no errors");

	# engines fail, once they have the look-ups or before
	for my $call ('open:1:failed', 'pages:1:inexact', 'groups:1:special', 'any:3:no_memory')
	{
		my $failure = "$settings; SET gpuagg.inject_failure = '$call'";

		like(look_ups($failure, $both), qr/^kept made fallback$/, "$engine: $call is a fallback");
		is(stays("$engine, $call", $failure, $n / 4, $kept, $both), 0, "$engine, $call: no errors");
		is(stays("$engine, $call without fallback", "$failure; $no_fallback", $n / 4, $kept, $both), $n / 4 + $n / 16, "$engine, $call without fallback: errors");
	}

	# keys that are there twice, errors while a look-up is made, and no time for it
	is(look_ups($settings, $twice), 'made fallback', "$engine: keys that are there twice");
	is(stays("$engine, keys twice", $settings, $n / 4, $twice), 0, "$engine, keys twice: no errors");
	for ([ $raising, 'a parameter' ], [ $computed, 'a computed value' ])
	{
		my ($query, $what) = @$_;

		like(outcome($node, $settings, "EXPLAIN (COSTS OFF) $query"), qr/Look-up: /, "$engine, $what: a look-up");
		is(stays("$engine, $what that raises an error", $settings, $n / 4, $query), $n / 4 + $n / 16, "$engine, $what that raises an error: errors");
	}
	like(outcome($node, $settings, "EXPLAIN (COSTS OFF) $slow"), qr/Look-up: /, "$engine: a look-up");
	is(stays("$engine, interrupted", "$settings; $kept; SET statement_timeout = '30ms'", 80, $slow), 100, "$engine, interrupted: errors");

	# more than can be kept, and what has changed
	my $little = "$settings; SET work_mem = '512kB'; SET hash_mem_multiplier = 2";

	is(look_ups($little, $wide[0]), 'kept', "$engine: one that fits");
	is(stays("$engine, more than fit", "$little; $no_fallback", 400, @wide), 0, "$engine, more than fit: no errors");
	is(stays("$engine, more than fit in a transaction", "$little; $no_fallback", 400, 'BEGIN', @wide, 'COMMIT'), 0, "$engine, more than fit in a transaction: no errors");
	is(look_ups($settings, $changing), 'kept', "$engine: one of a table that changes");
	is(stays("$engine, changed", "$settings; $no_fallback", 400, $changing, $change, $changing, 'VACUUM changing'), 0, "$engine, changed: no errors");

	# portals that are left
	is(stays("$engine, portals", "$settings; $no_fallback", 400, 'BEGIN', "DECLARE c CURSOR FOR $both", "DECLARE d CURSOR FOR $groups", 'FETCH 1 FROM d', 'ROLLBACK'),
		0, "$engine, portals: no errors");
	is(stays("$engine, portals without a transaction", "$settings; $no_fallback", 400, "DECLARE c CURSOR WITH HOLD FOR $groups", 'FETCH 3 FROM c', 'CLOSE c'),
		0, "$engine, portals without a transaction: no errors");
}

# executions of one plan
sub memory_of
{
	my ($settings, $query, $executions) = @_;
	return outcome($node, "SET gpuagg.engine = cpu; $settings",
		"BEGIN; DECLARE c CURSOR FOR SELECT count(*) FROM facts f, LATERAL (SELECT z, count(*) FROM ($query) q (z, w) WHERE w < f.v GROUP BY z) s WHERE f.v <= $executions;"
		  . ' MOVE 1 IN c; SELECT sum(used_bytes) FROM pg_backend_memory_contexts; COMMIT');
}
for my $settings ($no_fallback, map { "SET gpuagg.inject_failure = '$_'" } 'open:1:failed', 'pages:1:inexact', 'groups:1:special', 'any:2:no_memory')
{
	for my $query ('SELECT x, a FROM few JOIN items ON a = k', 'SELECT y, a FROM few JOIN places ON a = k', 'SELECT x, a FROM few JOIN twice ON a = k')
	{
		next if $query =~ /twice/ && $settings eq $no_fallback;
		my $few = memory_of($settings, $query, 200);

		like($few, qr/^\d+$/, "$settings; $query");
		cmp_ok(memory_of($settings, $query, 2000), '<', $few + 32 * 1024, "$settings; $query: no memory is left of an execution");
	}
}

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|leak/, 'no crash, no leak');
done_testing();
