# Tables of look-ups that stay on the device: which queries find them there, what becomes of them as
# tables change, and that answers are right.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;
use Residence;
use Service;

my $node = resident_node('residence_lookups', "shared_preload_libraries = 'gpuagg'", 'gpuagg.longest_pause = 50ms');

sub sql { return $node->safe_psql('postgres', $_[0]) }

# Texts as keys, and as values, too.
sql(q{SET gpuagg.mode = off;
	CREATE TABLE facts AS SELECT i % 30000 AS a, 'name ' || i % 3000 AS s, i AS v FROM generate_series(1, 40000) i;
	CREATE TABLE items (k int PRIMARY KEY, x int, y text);
	INSERT INTO items SELECT i, i % 30, 'y' || i % 20 FROM generate_series(0, 19999) i;
	CREATE TABLE names (s text PRIMARY KEY, z int);
	INSERT INTO names SELECT 'name ' || i, i % 4 FROM generate_series(0, 1999) i;
	CREATE ROLE tenant; GRANT SELECT ON facts, items TO tenant;
	VACUUM ANALYZE facts, items, names});

my $query = 'SELECT x, y, count(*), sum(v) FROM facts JOIN items ON a = k GROUP BY x, y ORDER BY 1, 2';
my $both = 'SELECT x, z, count(*), sum(v) FROM facts JOIN items ON a = k LEFT JOIN names USING (s) GROUP BY x, z ORDER BY 1, 2';
my $in = 'SELECT count(*), sum(v) FROM facts WHERE a IN (SELECT k FROM items WHERE x < 7)';
my $session = session($node);

# How many tables were there, and whether more was copied than small ones.
sub tables
{
	my ($session, $query) = @_;
	my $plan = rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $query");
	my ($resident) = $plan =~ /Look-up Tables Resident: (\d+)/;
	my ($copied) = $plan =~ /Look-up Tables Copied: (\d+) kB/;

	return ($resident // 0) . (($copied // 0) > 4 ? ' copied' : '');
}

sub is_answered
{
	my ($session, $query, $tables, $name) = @_;
	my $native = rows($session, 'off', $query);

	is(tables($session, $query), $tables, "$name: tables");
	is(rows($session, 'force', $query), $native, $name);
	return;
}

is_answered($session, $query, '0 copied', 'a first query');
is_answered($session, $query, '1', 'the next one');
is_answered($session, $both, '0 copied', 'two look-ups, one of them with other columns');
is_answered($session, $both, '2', 'both');
is_answered($session, $in, '0', 'a bitmap is sent');
is_answered($session, $query, '1', 'the first query again');

# other sessions, with parallel workers or other settings
my $other = session($node);

is_answered($other, $query, '1', 'another session');
is_answered($other, $both, '2', 'in other queries');
rows($other, 'off', 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0');
is_answered($other, $query, '1', 'beside workers');
rows($other, 'off', 'SET gpuagg.engine = service');
is_answered($other, $query, '0', 'another engine');
rows($other, 'off', "SET gpuagg.engine = $Residence::engine; SET ROLE tenant");
is_answered($other, $query, '0 copied', 'another role');
is_answered($other, $query, '1', 'that role again');

# policies: each role has its rows
sql('CREATE POLICY own ON items USING ((k * 2) % 4 = 0); ALTER TABLE items ENABLE ROW LEVEL SECURITY');
is_answered($other, $query, '0', 'a policy, for which the join is PostgreSQL\'s');
is_answered($session, $query, '1', 'the owner');
sql('DROP POLICY own ON items; ALTER TABLE items DISABLE ROW LEVEL SECURITY');
is_answered($other, $query, '1', 'no policy: as before');

# changes; the other session sees them, too
sql('UPDATE items SET x = x + 1 WHERE k < 100; VACUUM (INDEX_CLEANUP ON) items');
is_answered($session, $query, '0 copied', 'an UPDATE');
is_answered($session, $query, '1', 'its rows again');
is_answered($_, $query, '1', 'in all sessions') for session($node), session($node);
$session->query("SET client_min_messages = error; BEGIN; UPDATE items SET x = 99 WHERE k = 5");
is_answered($session, $query, '0 copied', 'a change that is not committed');
is_answered(session($node), $query, '0 copied', 'which others do not see, nor is it kept');
$session->query('ROLLBACK');
sql('VACUUM (INDEX_CLEANUP ON) items');
is_answered($session, $query, '1', 'rolled back: the bytes are the same');
sql('ALTER TABLE items ADD COLUMN w int DEFAULT 3; ALTER TABLE items ALTER x TYPE bigint; VACUUM (INDEX_CLEANUP ON) items');
is_answered($session, $query =~ s/x,/x, w,/gr =~ s/ORDER BY 1, 2/ORDER BY 1, 2, 3/r, '1', 'altered, with the same numbers');
is_answered($session, $query, '1', 'without the new column');

# what is evicted, and what a device process has that has gone
sql("SELECT gpuagg_evict('names')");
is_answered($session, $both, '0 copied', 'evicted, of whichever table');
is_answered($session, $both, '2', 'kept again');
my ($pid) = device_process($node);

kill 'KILL', $pid;
ok(wait_for_service($node, $pid), 'another device process');
is_answered($session, $both, '0 copied', 'of that nothing is left');
is_answered($session, $both, '2', 'kept again');

# failures of the session's calls, before and behind
for my $call ('open:1', 'groups:1')
{
	my $native = rows($session, 'off', $both);

	is(rows($session, 'force', "SET gpuagg.fallback = on; SET gpuagg.inject_failure = '$call:failed'; $both"), $native, "$call fails");
	rows($session, 'off', "RESET gpuagg.inject_failure; SET gpuagg.fallback = off");
	is_answered($session, $both, '2', "$call has failed");
}

# several portals, whose runs use the same tables
my @cursors = map { "c$_" } 1 .. 3;
rows($session, 'force', 'BEGIN; ' . join '; ', map { "DECLARE $_ CURSOR FOR $both" } @cursors);
my $rest = rows($session, 'off', $both) =~ s/^.*\n.*\n//r;
my @firsts = map { rows($session, 'force', "FETCH 2 FROM $_") } @cursors;
sql("SELECT gpuagg_evict('items')");
is($firsts[$_], $firsts[0], "cursor $_") for 1, 2;
is(rows($session, 'force', "FETCH ALL FROM $_"), $rest, "rest of $_") for @cursors;
rows($session, 'off', 'COMMIT');

# nothing is kept
sql('ALTER SYSTEM SET gpuagg.cache_size = 0');
$node->restart;
$session = session($node);
is_answered($session, $both, '0 copied', "nothing may be kept, $_") for 1, 2;

$node->stop;
done_testing();
