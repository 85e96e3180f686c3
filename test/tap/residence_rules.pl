# Columns that stay on the device, or in shared memory for the CPU engine, give every snapshot's
# answer: each rule that this rests on, with columns that are resident before something happens to
# their table.  Needs a build with TESTING=1, or a GPU.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Cwd qw(abs_path);
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Service;
use Residence;

my $node = resident_node('residence_rules', "timezone = 'UTC'", 'wal_level = replica', 'max_wal_senders = 4', 'hot_standby = on',
	'restart_after_crash = on');
my ($reader, $writer);
my $tables = 0;

sub connect_sessions
{
	$reader = session($node);
	$writer = session($node, 'SET gpuagg.mode = off');
	return;
}

sub disconnect_sessions
{
	# those of a server that has crashed have no more to say
	eval { $_->quit } for $reader, $writer;
	return;
}

# Statements of the writer, which succeed.
sub writes
{
	for my $statement (@_)
	{
		$writer->{stderr} = '';
		$writer->query($statement);
		BAIL_OUT("$statement: $writer->{stderr}") if $writer->{stderr} =~ /ERROR|FATAL/;
	}
	return;
}

# A new table of 4,000 rows, all of whose columns are resident: its name, the query over it
# and its number of blocks.
sub new_table
{
	my ($options) = @_;
	my $table = 'rule_' . ++$tables;
	my $cpu = $Residence::engine eq 'cpu';
	my $query = $cpu ? text_query_of($table) : query_of($table);

	writes("CREATE TABLE $table (id int NOT NULL, g int NOT NULL, v int, d date, n numeric(10,2)" .
		  ($cpu ? q{, t text COLLATE "C" DEFAULT 'else'} : '') . ')' . ($options // ''), rows_into($table, 1, 4000));
	writes("UPDATE $table SET t = CASE WHEN id % 8 > 0 THEN 'text ' || id % 9 || repeat('e', id % 3) END", "VACUUM FULL $table") if $cpu;
	writes("VACUUM $table");
	make_resident($reader, $query, $table);
	return ($table, $query, rows($writer, 'off', "SELECT pg_relation_size('$table') / 8192"));
}

sub query_of { return "SELECT g, count(*), sum(v), count(v), max(d), sum(n), min(id) FROM $_[0] GROUP BY g ORDER BY g" }

# with texts, which the CPU engine keeps of each stripe by itself
sub text_query_of
{
	return "SELECT g, t, count(*), sum(v), count(v), max(d), sum(n), min(id), max(t) FROM $_[0] WHERE t LIKE '%e%e%' OR id % 2 = 0 GROUP BY g, t ORDER BY g, t";
}

sub rows_into
{
	my ($table, $first, $last) = @_;
	return "INSERT INTO $table SELECT i, i % 7, CASE WHEN i % 5 <> 0 THEN i END, date '2000-01-01' + i, i / 100.0 FROM generate_series($first, $last) i";
}

connect_sessions();

# Others' writes: not committed, committed, aborted.
{
	my ($t, $q, $n) = new_table();

	for my $end ('COMMIT', 'ROLLBACK')
	{
		for my $write ("UPDATE $t SET v = v + 1000 WHERE id <= 20", "DELETE FROM $t WHERE id BETWEEN 100 AND 120",
			rows_into($t, 10000, 10020), "INSERT INTO $t SELECT * FROM $t WHERE id = 3000")
		{
			writes('BEGIN', $write);
			is_right($reader, $q, "$write, not committed", 'some');
			writes($end);
			is_right($reader, $q, "$write, $end", 'some');
		}
		writes("VACUUM $t");
		is_right($reader, $q, "$end, VACUUM");
		make_resident($reader, $q, $t);
		is_right($reader, $q, "$end, VACUUM, resident again", 'some');
	}

	# of a page of many that was changed, the others stay
	writes("UPDATE $t SET v = 0 WHERE ctid = '(3,1)'");
	is_right($reader, $q, 'a changed block', 'some');
	my ($resident, $masked) = blocks($reader, $q);
	cmp_ok($masked, '>=', 1, 'a changed block is masked');
	cmp_ok($resident, '>=', $n - 2, 'and no others but where the new tuple is');

	# also once its bit is set again, which gives the map's page another LSN
	writes("VACUUM $t");
	for my $time ('at once', 'and later')
	{
		is_right($reader, $q, "a changed block, VACUUM, $time", 'some');
		($resident, $masked) = blocks($reader, $q);
		cmp_ok($masked, '>=', 1, "it stays masked, $time");
		cmp_ok($resident, '>=', $n - 2, "the others are served, $time");
	}
	writes("UPDATE $t SET v = 1 WHERE ctid = '(4,1)'", "VACUUM $t", "UPDATE $t SET v = 2 WHERE ctid = '(3,2)'");
	is_right($reader, $q, 'another block, and the same one again', 'some') for 1 .. 2;
	writes("VACUUM $t");
	is_right($reader, $q, 'VACUUM') for 1 .. $n;
	is_right($reader, $q, 'what has been read often is kept again', rows($writer, 'off', "SELECT pg_relation_size('$t') / 8192"));
}

# Pages whose rows stay as they are, but get other LSNs, or lose and get their bits again.
{
	my ($t, $q, $n) = new_table();

	for my $change (map({ $_, "$_ -- aborted" } "UPDATE $t SET v = v + 1 WHERE ctid = '(2,1)'", "DELETE FROM $t WHERE ctid = '(2,3)'",
		rows_into($t, 9000, 9001)), "SELECT * FROM $t WHERE id = 1000 FOR UPDATE")
	{
		writes('BEGIN', $change, $change =~ /aborted/ ? 'ROLLBACK' : 'COMMIT');
		is_right($reader, $q, "$change, page by page", 'some');
		writes("VACUUM $t");
		is_right($reader, $q, "$change, VACUUM, page by page", 'some');
		writes("VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) $t");
		is_right($reader, $q, "$change, VACUUM (FREEZE), page by page");
		make_resident($reader, $q, $t);
	}
}

# What the engine asks of the session, its answer, and what it begins with, may fail; the next run
# asks again.
{
	my ($t, $q, $n) = new_table();

	my @calls = $Residence::engine eq 'cpu' ? qw(take pages groups) : qw(request answer begun begin);
	for my $page (3 .. 2 + @calls)
	{
		my $call = $calls[ $page - 3 ];
		writes("UPDATE $t SET v = 0 WHERE ctid = '($page,1)'", "VACUUM $t");
		$reader->query("SET gpuagg.fallback = on; SET gpuagg.inject_failure = '$call:1:failed'");
		like(rows($reader, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $q"), qr/Fallback: a failure was injected into "$call"/, "$call fails");
		is(rows($reader, 'force', $q), rows($reader, 'off', $q), "and the answer is right");
		$reader->query('RESET gpuagg.fallback; RESET gpuagg.inject_failure');
		is_right($reader, $q, "after a failure of $call");
		make_resident($reader, $q, $t);
	}
}

# The own transaction's writes, and those of its subtransactions.
{
	my ($t, $q) = new_table();

	rows($reader, 'force', 'BEGIN');
	for my $write ("UPDATE $t SET g = g + 1 WHERE id IN (70, 80)", "DELETE FROM $t WHERE id = 77", rows_into($t, 5000, 5010))
	{
		rows($reader, 'force', $write);
		is_right($reader, $q, "own $write", 'some');
	}
	rows($reader, 'force', 'SAVEPOINT s');
	rows($reader, 'force', "UPDATE $t SET v = NULL WHERE id > 3900");
	is_right($reader, $q, 'own update in a subtransaction');
	rows($reader, 'force', 'ROLLBACK TO s');
	is_right($reader, $q, 'which is rolled back');
	rows($reader, 'force', 'ROLLBACK');
	is_right($reader, $q, 'all is rolled back', 'some');
}

# Snapshots that are older than what is resident, with VACUUM in between.
{
	my ($t, $q) = new_table(' WITH (fillfactor = 50)');
	my $old = session($node);
	my $cursor = session($node);

	rows($old, 'force', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $before = rows($old, 'off', $q);
	rows($cursor, 'force', 'BEGIN');
	rows($cursor, 'force', "DECLARE c CURSOR FOR $q");
	is_right($old, $q, 'an old snapshot', 'some');
	writes("UPDATE $t SET v = 1 WHERE id % 300 = 0", "DELETE FROM $t WHERE id % 299 = 0", "VACUUM $t");
	is_right($old, $q, 'an old snapshot, others commit');
	is(rows($old, 'force', $q), $before, 'it has not changed');
	is_right($reader, $q, "others' columns are resident") for 1 .. 3;
	is(rows($old, 'force', $q), $before, 'the old snapshot again');
	writes(rows_into($t, 6000, 6500), "VACUUM (FREEZE) $t");
	is_right($reader, $q, 'made resident by a new snapshot') for 1 .. 3;
	is(rows($old, 'force', $q), $before, 'the old snapshot sees no new rows');
	is(rows($cursor, 'force', 'FETCH ALL FROM c'), $before, 'nor does a cursor that was declared before');

	# one that is imported
	my $id = rows($old, 'off', 'SELECT pg_export_snapshot()');
	rows($reader, 'force', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
	rows($reader, 'force', "SET TRANSACTION SNAPSHOT '$id'");
	is(rows($reader, 'force', $q), $before, 'nor does who imports it');
	rows($reader, 'force', 'COMMIT');
	rows($old, 'force', 'COMMIT');
	writes("VACUUM $t");
	rows($cursor, 'force', 'COMMIT');
	writes("VACUUM $t");
	make_resident($reader, $q, $t);
	is_right($_, $q, 'all snapshots are new', 'some') for $old, $reader;
	$_->quit for $old, $cursor;
}

# Pages of changed blocks, of which a session remembers what it has seen.
{
	my ($t, $q) = new_table(' WITH (fillfactor = 50)');
	my $session = session($node);
	my $other = session($node);

	# everything that changes them later
	writes("UPDATE $t SET v = 0 WHERE id % 1000 = 5");
	is_right($session, $q, 'changed blocks, read again', 'some') for 1 .. 2;
	for my $write ("DELETE FROM $t WHERE id % 1000 = 6", "UPDATE $t SET v = 3 WHERE id % 1000 = 7", "UPDATE $t SET v = 4 WHERE id % 1000 = 5",
		"INSERT INTO $t SELECT * FROM $t WHERE id % 1000 = 8")
	{
		for my $end ('ROLLBACK', 'COMMIT')
		{
			writes('BEGIN', $write);
			is_right($session, $q, "$write: read while it goes on", 'some') for 1 .. 2;
			writes($end);
			is_right($session, $q, "$write, $end: read again", 'some') for 1 .. 2;
		}
	}
	writes("SELECT count(*) FROM (SELECT * FROM $t WHERE id % 1000 < 9 FOR UPDATE) s");
	is_right($session, $q, 'row locks', 'some') for 1 .. 2;

	# older snapshots: of a transaction, and of a cursor that is opened before newer ones read;
	# also with the same xmin, of a transaction that goes on
	for my $xid ('', 'SELECT txid_current()')
	{
		# with the transaction, on a page where nothing else is new
		my ($deleted, $updated) = $xid ? ('id = 512', 13) : ('id % 1000 = 9', 10);

		rows($other, 'force', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
		my $before = rows($other, 'force', $q);
		rows($other, 'force', $xid) if $xid;
		rows($session, 'force', 'BEGIN');
		rows($session, 'force', "DECLARE c CURSOR FOR $q");
		writes("DELETE FROM $t WHERE $deleted", "UPDATE $t SET v = 10 WHERE id % 1000 = $updated");
		is(rows($other, 'force', $q), $before, "an old snapshot reads changed blocks $xid") for 1 .. 2;
		is_right($session, $q, "a newer one $xid", 'some') for 1 .. 2;
		is(rows($session, 'force', 'FETCH ALL FROM c'), $before, "an older one after it in the same session $xid");
		rows($session, 'force', 'COMMIT');
		is_right($session, $q, "a newer one again $xid", 'some');
		rows($other, 'force', 'COMMIT');
		is_right($other, $q, "a newer one after the old snapshot $xid", 'some') for 1 .. 2;
	}

	# a transaction that had begun before is still going on for the snapshot that sees its hint bits
	writes("BEGIN", "DELETE FROM $t WHERE id % 1000 = 11");
	rows($other, 'force', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $before = rows($other, 'force', $q);
	writes('COMMIT');
	is_right($session, $q, 'hint bits', 'some') for 1 .. 2;
	is(rows($other, 'force', $q), $before, 'which an old snapshot does not follow') for 1 .. 2;
	rows($other, 'force', 'COMMIT');
	is_right($other, $q, 'and a new one does', 'some') for 1 .. 2;
	is_right($session, $q, 'pages that are all-visible again', 'some') for map { writes("VACUUM $t"); $_ } 1 .. 2;
	$_->quit for $session, $other;
}

# Pages that are cut off, and others in their place.
for my $part ('', ' WHERE id > 2000')
{
	my ($t, $q) = new_table();

	writes("DELETE FROM $t$part");
	is_right($reader, $q, "deleted$part");
	writes("VACUUM $t");
	is_right($reader, $q, "deleted$part, cut off");
	writes(rows_into($t, 100000, 104000));
	is_right($reader, $q, "deleted$part, cut off, other rows");
	writes("VACUUM $t");
	is_right($reader, $q, "deleted$part, cut off, other rows, VACUUM");
	make_resident($reader, $q, $t);
	is_right($reader, $q, "deleted$part, cut off, other rows, resident", 'some');
}

# Other files for the same table.
for my $rewrite ("VACUUM FULL", "CLUSTER USING", "TRUNCATE")
{
	my ($t, $q) = new_table();
	my $statement = "$rewrite $t";

	if ($rewrite =~ /CLUSTER/)
	{
		writes("CREATE INDEX ${t}_index ON $t (v DESC)");
		$statement = "CLUSTER $t USING ${t}_index";
	}
	writes("DELETE FROM $t WHERE id % 3 = 0", $statement);
	is_right($reader, $q, $statement, 'none');
	writes(rows_into($t, 1, 4000));
	is_right($reader, $q, "$statement, more rows");
	writes("VACUUM $t");
	make_resident($reader, $q, $t);
	is_right($reader, $q, "$statement, resident", 'some');
	next if $rewrite =~ /FULL/;

	rows($reader, 'force', 'BEGIN');
	rows($reader, 'force', $statement);
	is_right($reader, $q, "own $statement", 'none');
	rows($reader, 'force', rows_into($t, 1, 3000));
	is_right($reader, $q, "own $statement, other rows", 'none') for 1 .. 2;
	rows($reader, 'force', 'ROLLBACK');
	is_right($reader, $q, "own $statement, rolled back", 'some');
	rows($reader, 'force', 'BEGIN');
	rows($reader, 'force', 'SAVEPOINT s');
	rows($reader, 'force', $statement);
	rows($reader, 'force', 'ROLLBACK TO s');
	is_right($reader, $q, "own $statement, rolled back to a savepoint");
	rows($reader, 'force', 'ROLLBACK');
}

# Rows that are frozen when they are made.
{
	my ($t, $q) = new_table();
	my $file = abs_path($node->basedir) . '/rows.copy';

	writes("COPY $t TO '$file'", 'BEGIN', "TRUNCATE $t", "COPY $t FROM '$file' (FREEZE)");
	rows($writer, 'force', "SET gpuagg.engine = $Residence::engine");
	is_right($writer, $q, 'COPY FREEZE, not committed', 'none') for 1 .. 2;
	writes('ROLLBACK');
	is_right($reader, $q, 'COPY FREEZE, rolled back', 'some');
	writes('BEGIN', "TRUNCATE $t", "COPY $t FROM '$file' (FREEZE)", 'COMMIT');
	is_right($reader, $q, 'COPY FREEZE', 'none');
	make_resident($reader, $q, $t);
	is_right($reader, $q, 'COPY FREEZE, resident', 'some');
	writes("COPY $t FROM '$file'");
	is_right($reader, $q, 'COPY', 'some');
}

# Freezing, row locks, HOT updates and pruning.
{
	my ($t, $q, $n) = new_table(' WITH (fillfactor = 60)');

	writes("VACUUM (FREEZE) $t");
	make_resident($reader, $q, $t);
	is_right($reader, $q, 'frozen', $n);
	my $other = session($node);
	for my $lock ('FOR UPDATE', 'FOR NO KEY UPDATE', 'FOR SHARE', 'FOR KEY SHARE')
	{
		writes('BEGIN', "SELECT count(*) FROM (SELECT * FROM $t $lock) s");
		if ($lock =~ /SHARE/)
		{
			rows($other, 'off', 'BEGIN');
			rows($other, 'off', "SELECT count(*) FROM (SELECT * FROM $t $lock) s");
		}
		# a lock clears the bits that say all-frozen, and gives the page another LSN
		my $all = masks() ? $n : qr/^\d/;
		is_right($reader, $q, $lock, $all);
		writes('COMMIT');
		is_right($reader, $q, "$lock, committed", $all);
		rows($other, 'off', 'ROLLBACK');
		is_right($reader, $q, "$lock, the other one's aborted", $all);
	}
	$other->quit;
	# with the LSNs that the locks have given the pages
	make_resident($reader, $q, $t);
	for (1 .. 3)
	{
		writes("UPDATE $t SET v = v + 1 WHERE id <= 10");
		is_right($reader, $q, "HOT update $_", 'some');
		rows($writer, 'off', "SELECT count(*) FROM $t");
		is_right($reader, $q, "HOT update $_, pruned", 'some');
	}
	writes("VACUUM $t");
	is_right($reader, $q, 'HOT updates, VACUUM');
	make_resident($reader, $q, $t);
	is_right($reader, $q, 'HOT updates, resident', $n);
	writes("VACUUM (FREEZE) $t");
	is_right($reader, $q, 'HOT updates, frozen');
}

# Columns that come, go, and get other types.
{
	my ($t, $q) = new_table();
	my $sum = "SELECT g, count(*), sum(x), count(x) FROM $t GROUP BY g ORDER BY g";

	for my $default ('', ' DEFAULT 5', ' DEFAULT 7', ' DEFAULT NULL', ' NOT NULL DEFAULT 0')
	{
		rows($reader, 'force', 'BEGIN');
		rows($reader, 'force', "ALTER TABLE $t ADD COLUMN x int$default");
		is_right($reader, $sum, "ADD COLUMN$default, not committed") for 1 .. 3;
		rows($reader, 'force', 'ROLLBACK');
		is_right($reader, $q, "ADD COLUMN$default, rolled back");
	}
	for my $default (' DEFAULT 5', '', ' DEFAULT 7')
	{
		writes("ALTER TABLE $t ADD COLUMN x int$default");
		is_right($reader, $sum, "ADD COLUMN$default");
		make_resident($reader, $sum, $t);
		is_right($reader, $sum, "ADD COLUMN$default, resident", 'some');
		writes("ALTER TABLE $t ALTER COLUMN x SET DEFAULT 11", "UPDATE $t SET x = 3 WHERE id < 5");
		is_right($reader, $sum, 'another default', 'some');
		writes("VACUUM $t", "ALTER TABLE $t DROP COLUMN x");
		is_right($reader, $q, 'DROP COLUMN');
		make_resident($reader, $q, $t);
	}
	for my $type ('v bigint', 'v int', 'n numeric(12,2)', 'n numeric(12,3)', 'n numeric(6,1)', 'd timestamp', 'd timestamptz', 'd timestamp', 'd date')
	{
		my ($column, $new) = split ' ', $type, 2;

		writes("ALTER TABLE $t ALTER COLUMN $column TYPE $new");
		is_right($reader, $q, "$column becomes $new");
		writes("VACUUM $t");
		make_resident($reader, $q, $t);
		is_right($reader, $q, "$column is $new, resident", 'some');
	}
	my $key = "SELECT v, count(*) FROM $t WHERE id < 100 GROUP BY v ORDER BY v";
	writes("ALTER TABLE $t ALTER COLUMN v TYPE bigint", "VACUUM $t");
	is_right($reader, $key, 'a bigint') for 1 .. 3;
	writes("ALTER TABLE $t ALTER COLUMN v TYPE oid");
	is_right($reader, $key, 'an oid') for 1 .. 3;
	writes("UPDATE $t SET v = 1 WHERE v IS NULL", "ALTER TABLE $t ALTER COLUMN v SET NOT NULL", "VACUUM $t");
	is_right($reader, $key, 'NOT NULL') for 1 .. 3;
	writes("ALTER TABLE $t ALTER COLUMN v DROP NOT NULL", "UPDATE $t SET v = NULL WHERE id = 3", "VACUUM $t");
	is_right($reader, $key, 'no NOT NULL') for 1 .. 3;
	writes("ALTER TABLE $t ALTER COLUMN v TYPE int USING v::bigint");
	rows($reader, 'force', 'BEGIN');
	rows($reader, 'force', "ALTER TABLE $t ALTER COLUMN n TYPE numeric(14,4)");
	is_right($reader, $q, 'another type, not committed', 'none') for 1 .. 2;
	rows($reader, 'force', 'ROLLBACK');
	is_right($reader, $q, 'another type, rolled back');
}

# Queries of other columns of the same blocks.
{
	my ($t, $q) = new_table();
	my @queries = ("SELECT g, sum(v) FROM $t GROUP BY g ORDER BY g", "SELECT count(*) FROM $t WHERE d > '2005-01-01'",
		"SELECT count(*) FROM $t", "SELECT d, count(*) FROM $t WHERE v % 100 = 1 GROUP BY d ORDER BY d",
		"SELECT sum(n), count(id) FROM $t WHERE g = 3", "SELECT g, count(*) FROM $t WHERE v IS NULL GROUP BY g ORDER BY g",
		"SELECT n::float8 AS f, count(*) FROM $t WHERE id < 30 GROUP BY 1 ORDER BY 1");

	for my $round (1 .. 3)
	{
		is_right($reader, $_, "round $round: $_") for @queries;
		writes("UPDATE $t SET n = n + 1 WHERE id = 50 * $round");
		writes("VACUUM $t") if $round == 2;
	}
}

# Values that a column cannot be kept with, or that other programs read in another way.
{
	my @odd = ("'NaN'", "'Infinity'", '1e17 + 0.25', '1e30', '-1e15', '0.5');
	# the first one passes over the row that others cannot read
	my @queries = ('SELECT g, sum(n) FROM odd WHERE id <> 500 GROUP BY g ORDER BY g',
		'SELECT g, sum(n), count(n) FROM odd GROUP BY g ORDER BY g', 'SELECT max(n), min(n) FROM odd',
		'SELECT count(*) FROM odd WHERE n > 5', 'SELECT count(n), count(s), count(f) FROM odd',
		'SELECT f, count(*) FROM odd WHERE id < 60 GROUP BY f ORDER BY f', 'SELECT sum(f), max(g) FROM odd WHERE id > 0',
		'SELECT s, count(*) FROM odd GROUP BY s ORDER BY s');

	rows($reader, 'off', 'SET gpuagg.fallback = on');
	writes('CREATE TABLE odd (id int, g int, n numeric, f float8, s text)',
		q{INSERT INTO odd SELECT i, i % 3, i / 4.0, CASE WHEN i % 10 <> 0 THEN (i % 5) / 4.0 * (i % 3 - 1) END, repeat('long', i % 2 * 1000) || i % 4 FROM generate_series(1, 1000) i},
		'ANALYZE odd');
	for my $value (@odd)
	{
		writes("UPDATE odd SET n = $value WHERE id = 500", 'VACUUM odd');
		rows($reader, 'force', q{SELECT gpuagg_prewarm('odd')});
		for my $round (1 .. 2)
		{
			is_right($reader, $_, "with $value, $round: $_") for @queries;
		}
	}

	# statistics tell of more digits, and the column is read in smaller units
	my $sum = 'SELECT g, sum(n), max(id) FROM odd GROUP BY g ORDER BY g';
	is_right($reader, $sum, 'quarters') for 1 .. 2;
	writes('INSERT INTO odd SELECT 2000 + i, i % 3, 0.12345 FROM generate_series(1, 30) i', 'ANALYZE odd');
	is_right($reader, $sum, 'smaller units') for 1 .. 2;
	rows($reader, 'off', 'RESET gpuagg.fallback');
}

# Partitions.
{
	my $query = query_of('parted');

	writes('CREATE TABLE parted (id int NOT NULL, g int NOT NULL, v int, d date, n numeric(10,2)) PARTITION BY RANGE (id)',
		'CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (2000)',
		'CREATE TABLE parted_2 (n numeric(10,2), d date, gone int, v int, g int NOT NULL, id int NOT NULL)',
		'ALTER TABLE parted_2 DROP COLUMN gone',
		'ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (2000) TO (5000)',
		rows_into('parted', 1, 4000), 'VACUUM parted_1', 'VACUUM parted_2');
	is_right($reader, $query, 'partitions') for 1 .. 3;
	is_right($reader, $query, 'partitions, resident', 'some');
	writes("UPDATE parted SET v = 5 WHERE id IN (1999, 2000)");
	is_right($reader, $query, 'partitions, changed', 'some');
	is_right($reader, query_of('parted_2'), 'a partition') for 1 .. 3;
	rows($reader, 'force', 'BEGIN');
	rows($reader, 'force', 'ALTER TABLE parted DETACH PARTITION parted_1');
	is_right($reader, $query, 'DETACH, not committed');
	rows($reader, 'force', 'ROLLBACK');
	writes('ALTER TABLE parted DETACH PARTITION parted_2');
	is_right($reader, $query, 'DETACH');
	writes('UPDATE parted_2 SET n = n + 1 WHERE id = 3000');
	is_right($reader, query_of('parted_2'), 'detached');
	writes('ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (2000) TO (5000)');
	is_right($reader, $query, 'ATTACH') for 1 .. 2;
	writes('TRUNCATE parted_1');
	is_right($reader, $query, 'TRUNCATE of a partition');
}

# Prepared transactions.
for my $end ('COMMIT', 'ROLLBACK')
{
	my ($t, $q) = new_table();

	writes('BEGIN', "UPDATE $t SET v = 0 WHERE id = 50", "DELETE FROM $t WHERE id = 1", "PREPARE TRANSACTION 'p'");
	is_right($reader, $q, 'a prepared transaction', 'some');
	writes("VACUUM $t");
	is_right($reader, $q, 'a prepared transaction, VACUUM') for 1 .. 3;
	writes("$end PREPARED 'p'");
	is_right($reader, $q, "$end of a prepared transaction", 'some');
	writes("VACUUM $t");
	is_right($reader, $q, "$end of a prepared transaction, VACUUM");
}

# What does not stay.
{
	writes('CREATE UNLOGGED TABLE unlogged (id int NOT NULL, g int NOT NULL, v int, d date, n numeric(10,2))',
		rows_into('unlogged', 1, 4000), 'VACUUM unlogged');
	rows($reader, 'force', 'CREATE TEMP TABLE temporary (id int NOT NULL, g int NOT NULL, v int, d date, n numeric(10,2))');
	rows($reader, 'force', rows_into('temporary', 1, 4000));
	rows($reader, 'force', 'VACUUM temporary');
	for my $round (1 .. 3)
	{
		is_right($reader, query_of('unlogged'), "an unlogged table, $round", 'none');
		is_right($reader, query_of('temporary'), "a temporary table, $round", 'none');
		is_right($reader, 'SELECT relkind, count(*) FROM pg_class GROUP BY relkind ORDER BY 1', "a catalog, $round", 'none');
		writes('UPDATE unlogged SET v = 0 WHERE id = 1', 'VACUUM unlogged') if $round == 2;
		rows($reader, 'force', 'UPDATE temporary SET v = 0 WHERE id = 1; VACUUM temporary') if $round == 2;
		writes('CREATE TABLE another (x int)', 'DROP TABLE another');
	}
	writes('ALTER TABLE unlogged SET LOGGED', 'VACUUM unlogged');
	make_resident($reader, query_of('unlogged'), 'unlogged');
	is_right($reader, query_of('unlogged'), 'it is logged', 'some');
	writes('ALTER TABLE unlogged SET UNLOGGED');
	is_right($reader, query_of('unlogged'), 'it is unlogged again', 'none') for 1 .. 2;
	is(rows($reader, 'force', 'SET gpuagg.fallback = on; SET default_transaction_isolation = serializable; ' . query_of('unlogged')),
		rows($reader, 'off', query_of('unlogged')), 'serializable');
	rows($reader, 'off', 'RESET gpuagg.fallback; RESET default_transaction_isolation');
}

# A visibility map that is taken away.
if ($node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_visibility'"))
{
	my ($t, $q) = new_table();

	writes('CREATE EXTENSION pg_visibility', "SELECT pg_truncate_visibility_map('$t')");
	is_right($reader, $q, 'no map', 'none');
	writes("UPDATE $t SET v = 2 WHERE id = 2", "VACUUM $t");
	is_right($reader, $q, 'another map');
	make_resident($reader, $q, $t);
	is_right($reader, $q, 'another map, resident', 'some');
}

# Blocks that have lost all their rows are kept as such, as long as nothing comes there.
for my $every (6, 9)
{
	my $t = "emptied_$every";
	my $query = "SELECT g, count(*), sum(v) FROM $t GROUP BY g ORDER BY g";
	my $wider = "SELECT g, count(*), sum(v), max(w) FROM $t GROUP BY g ORDER BY g";

	writes("CREATE TABLE $t (g int NOT NULL, v int, w int, pad char(6000))", "ALTER TABLE $t ALTER COLUMN pad SET STORAGE PLAIN",
		"INSERT INTO $t SELECT i % 5, i, i % 7, 'x' FROM generate_series(1, 2000) i",
		"DELETE FROM $t WHERE v < 2000 AND v % $every = 0", "VACUUM $t");
	rows($reader, 'force', $query);
	is_right($reader, $query, 'blocks without rows', 2000) for 1 .. $every + 2;
	rows($reader, 'force', $wider);
	is_right($reader, $wider, 'one more column', 2000);
	is($node->safe_psql('postgres', "SELECT attribute, blocks FROM gpuagg_cache WHERE relation = '$t'::regclass ORDER BY 1"),
		"g|2000\nv|2000\nw|2000", 'each block is kept once');
	writes('BEGIN', "INSERT INTO $t SELECT 3, i, i, 'x' FROM generate_series(5001, 5020) i");
	is_right($reader, $query, 'rows come into some, not committed', masks() ? 1980 : 'some');
	writes('COMMIT');
	is_right($reader, $query, 'committed', masks() ? 1980 : 'some');
	writes("VACUUM $t");
	is_right($reader, $query, 'all-visible', 1980) for 1 .. 2;
	writes("DELETE FROM $t WHERE v > 5000", "VACUUM $t");
	is_right($reader, $query, 'and without rows again', 1980) for 1 .. 2;
	writes("DROP TABLE $t");
}

# A table that has lost all of them, but one at its end.
{
	my ($t, $q, $n) = new_table();

	writes("DELETE FROM $t WHERE id < 4000", "VACUUM $t");
	is_right($reader, $q, 'nearly all rows are deleted') for 1 .. 2;
	make_resident($reader, $q, $t);
	is_right($reader, $q, 'blocks without rows, resident', $n);
	writes(rows_into($t, 5000, 5010));
	is_right($reader, $q, 'rows come into some of them', 'some');
}

# A table of two frames (4,084 blocks each).
{
	my $query = 'SELECT g, count(*), sum(v) FROM big GROUP BY g ORDER BY g';

	writes('CREATE TABLE big (g int NOT NULL, v int, pad char(6000))',
		'ALTER TABLE big ALTER COLUMN pad SET STORAGE PLAIN',
		q{INSERT INTO big SELECT i % 5, i, 'x' FROM generate_series(1, 4200) i}, 'VACUUM big');
	make_resident($reader, $query, 'big');
	is_right($reader, $query, 'two frames', 4200);
	writes("UPDATE big SET v = 0 WHERE ctid = '(4083,1)'");
	is_right($reader, $query, 'the last block of the first', 'some');
	writes("DELETE FROM big WHERE ctid = '(4084,1)'");
	is_right($reader, $query, 'the first block of the second', 'some');
	writes("UPDATE big SET v = 1 WHERE ctid = '(4199,1)'");
	is_right($reader, $query, 'the last block', 'some');
	writes('VACUUM big');
	is_right($reader, $query, 'two frames, VACUUM');
	make_resident($reader, $query, 'big');
	writes("UPDATE big SET v = v + 1 WHERE v < 2000");
	is_right($reader, $query, 'half of a frame', 'some');
	writes("DELETE FROM big WHERE v > 3000");
	writes('VACUUM big');
	is_right($reader, $query, 'what is cut off of the second') for 1 .. 2;
	is_right($reader, $query, 'what is left of it', 'some');
	writes(q{INSERT INTO big SELECT 9, i, 'x' FROM generate_series(1, 2000) i});
	is_right($reader, $query, 'what is put there');
	writes('DROP TABLE big');
}

# A crash: what is resident has gone with it.
{
	my ($t, $q) = new_table();
	my $before = rows($reader, 'off', $q);

	writes('SET synchronous_commit = off', "UPDATE $t SET v = 1 WHERE id = 50");
	rows($writer, 'off', 'BEGIN');
	writes("UPDATE $t SET v = 2 WHERE id > 3950");
	is_right($reader, $q, 'before a crash', 'some');
	my ($process) = device_process($node);
	$node->stop('immediate');
	disconnect_sessions();
	ok(wait_for(10, sub { is_gone($process) }), 'the device process has gone');
	$node->start;
	connect_sessions();
	is_right($reader, $q, 'after a crash', 'none');
	writes("VACUUM $t");
	make_resident($reader, $q, $t);
	is_right($reader, $q, 'after a crash, resident', 'some');

	# of one backend only
	($process) = device_process($node);
	my $backend = rows($writer, 'off', 'SELECT pg_backend_pid()');
	kill 'KILL', $backend;
	ok(wait_for(20, sub { is_gone($process) }), 'the device process goes when a backend crashes');
	disconnect_sessions();
	$node->poll_query_until('postgres', 'SELECT true', 't');
	connect_sessions();
	is_right($reader, $q, 'after the crash of a backend', 'none');
}

# Another table that gets the number of a file that is gone.  PostgreSQL gives it after four
# billion others; here the other table's file is renamed to it.
{
	my ($t, $q) = new_table();
	my $other = 'other_' . $t;
	my ($file) = rows($writer, 'off', "SELECT pg_relation_filepath('$t')");

	writes("CREATE TABLE $other (LIKE $t)", rows_into($other, 50001, 54000), "VACUUM $other", 'CHECKPOINT');
	my $from = $node->data_dir . '/' . rows($writer, 'off', "SELECT pg_relation_filepath('$other')");
	my $to = $node->data_dir . '/' . $file;
	my $number = $file =~ s{.*/}{}r;
	is_right($reader, $q, 'a table whose file will be gone', 'some');
	writes("DROP TABLE $t", 'CHECKPOINT');
	ok(!-e $to, 'the file is gone');
	rename("$from$_", "$to$_") or BAIL_OUT("$from$_: $!") for '', '_vm', '_fsm';
	writes("UPDATE pg_class SET relfilenode = $number WHERE relname = '$other'");
	is(rows($writer, 'off', "SELECT pg_relation_filepath('$other')"), $file, 'another table has its number');
	is_right($reader, query_of($other), 'another table, the same number', 'none');
	make_resident($reader, query_of($other), $other);
	is_right($reader, query_of($other), 'another table, the same number, resident', 'some');
}

# A database with the number of one that is gone.  Both are copies of the same files, and so have
# the same files' names and the LSNs of that time.
{
	my $query = query_of('copied');

	writes('CREATE DATABASE origin');
	$node->safe_psql('origin', $_) for 'CREATE EXTENSION gpuagg',
		'CREATE TABLE copied (id int NOT NULL, g int NOT NULL, v int, d date, n numeric(10,2))', rows_into('copied', 1, 4000),
		'VACUUM copied';
	my $kept = 0;
	# the columns of a database that is gone are given back within a second: not in every round
	for (my $round = 1; $round <= 9 && $kept < 2; $round++)
	{
		writes('CREATE DATABASE copy TEMPLATE origin OID = 50000 STRATEGY file_copy');
		my $there = $node->background_psql('copy', on_error_stop => 0);
		my ($found) = blocks($there, $query);
		$kept++ if $found;
		is($found, 0, 'a new database has nothing resident') if $round == 1;
		is_right($there, $query, "a copied database, $round") for 1 .. 2;
		rows($there, 'off', "UPDATE copied SET v = $round WHERE id = 4000");
		is_right($there, $query, "a copied database, changed, $round");
		rows($there, 'off', 'VACUUM copied');
		make_resident($there, $query, 'copied');
		is_right($there, $query, "a copied database, VACUUM, $round", 'some');
		$there->quit;
		writes('DROP DATABASE copy');
		$node->safe_psql('origin', "UPDATE copied SET v = -$round WHERE id = 3999");
		$node->safe_psql('origin', 'VACUUM copied') if $round == 2;
	}
	is($kept, 2, "two databases found the columns of the one before");
	writes('DROP DATABASE origin');
}

# A standby.
{
	my ($t, $q) = new_table();
	my $standby = PostgreSQL::Test::Cluster->new('residence_standby');

	$node->backup('base');
	$standby->init_from_backup($node, 'base', has_streaming => 1);
	$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = 500ms\nwal_receiver_status_interval = 1s");
	$standby->start;
	my ($there, $old) = (session($standby), session($standby));

	my $replayed = sub { $node->wait_for_catchup($standby, 'replay', $node->lsn('insert')) };
	$replayed->();
	make_resident($there, $q, $t);
	is_right($there, $q, 'on a standby', 'some');
	writes('BEGIN', "UPDATE $t SET v = 1 WHERE id = 1000");
	$replayed->();
	is_right($there, $q, 'on a standby, not committed', 'some');
	writes('COMMIT');
	$replayed->();
	is_right($there, $q, 'on a standby, committed', 'some');

	# an old snapshot there does not conflict with bits of pages that it sees all of
	rows($old, 'force', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $before = rows($old, 'off', $q);
	writes(rows_into($t, 8000, 8100), "UPDATE $t SET g = 1 WHERE id = 4");
	$replayed->();
	is(rows($old, 'force', $q), $before, 'on a standby, an old snapshot');
	is_right($there, $q, 'on a standby, a new one') for 1 .. 2;
	writes("VACUUM $t");
	ok(wait_for(20, sub { rows($old, 'off', 'SELECT 1') ne '1' || $standby->safe_psql('postgres', 'SELECT pg_last_wal_replay_lsn() >= ' . $standby->safe_psql('postgres', 'SELECT quote_literal(pg_last_wal_receive_lsn())')) eq 't' }), 'replayed');
	my $outcome = rows($old, 'force', $q);
	ok($outcome eq $before || $outcome =~ /ERROR/, 'the old snapshot sees the same, or is ended') or diag($outcome);
	eval { $old->quit };
	$replayed->();
	is_right($there, $q, 'on a standby, VACUUM');
	make_resident($there, $q, $t);
	is_right($there, $q, 'on a standby, VACUUM, resident', 'some');
	writes("UPDATE $t SET v = 3 WHERE id = 5", "VACUUM $t");
	$replayed->();
	is_right($there, $q, 'on a standby, a changed block, VACUUM', 'some') for 1 .. 2;
	writes("DELETE FROM $t WHERE id > 1000", "VACUUM $t");
	$replayed->();
	is_right($there, $q, 'on a standby, cut off');
	writes(rows_into($t, 20000, 23000), "VACUUM $t");
	$replayed->();
	is_right($there, $q, 'on a standby, other rows');
	make_resident($there, $q, $t);
	writes("TRUNCATE $t", rows_into($t, 1, 4000));
	$replayed->();
	is_right($there, $q, 'on a standby, TRUNCATE', 'none');
	writes("VACUUM $t", "ALTER TABLE $t ADD COLUMN x int DEFAULT 3");
	$replayed->();
	is_right($there, "SELECT g, sum(x) FROM $t GROUP BY g ORDER BY g", 'on a standby, ADD COLUMN') for 1 .. 3;

	# promoted, it goes on
	make_resident($there, $q, $t);
	$standby->promote;
	is_right($there, $q, 'promoted', 'some');
	rows($there, 'off', "UPDATE $t SET v = 7 WHERE id = 500");
	is_right($there, $q, 'promoted, changed', 'some');
	rows($there, 'off', "VACUUM $t");
	is_right($there, $q, 'promoted, VACUUM');
	$there->quit;
	$standby->stop;
}

# Where WAL is left out for files that are new: nothing tells their maps from each other.
{
	disconnect_sessions();
	$node->stop;
	$node->append_conf('postgresql.conf', "wal_level = minimal\nmax_wal_senders = 0");
	$node->start;
	connect_sessions();
	my $file = abs_path($node->basedir) . '/rows.copy';
	my @made;
	for my $i (0, 1)
	{
		my $t = "minimal_$i";
		writes("CREATE TABLE IF NOT EXISTS source_$i (id int NOT NULL, g int NOT NULL, v int, d date, n numeric(10,2))",
			rows_into("source_$i", $i * 5000, $i * 5000 + 3999), "COPY source_$i TO '$file'",
			'BEGIN', "CREATE TABLE $t (LIKE source_$i)", "COPY $t FROM '$file' (FREEZE)", 'COMMIT', 'CHECKPOINT');
		is_right($reader, query_of($t), "without WAL, $t") for 1 .. 3;
		push @made, rows($writer, 'off', "SELECT pg_relation_filepath('$t')");
	}
	writes('DROP TABLE minimal_0', 'CHECKPOINT');
	for my $fork ('', '_vm', '_fsm')
	{
		my ($to, $from) = map { $node->data_dir . "/$_$fork" } @made;
		rename($from, $to) if -e $from;
	}
	my $number = $made[0] =~ s{.*/}{}r;
	writes("UPDATE pg_class SET relfilenode = $number WHERE relname = 'minimal_1'");
	is_right($reader, query_of('minimal_1'), "without WAL, another table's number") for 1 .. 3;
	writes('UPDATE minimal_1 SET v = 1 WHERE id = 5001', 'VACUUM minimal_1');
	is_right($reader, query_of('minimal_1'), 'without WAL, VACUUM') for 1 .. 3;

	# in the transaction that copies a file, its pages change under the LSNs that they have
	writes('SET allow_in_place_tablespaces = on', q{CREATE TABLESPACE elsewhere LOCATION ''}, 'BEGIN',
		'ALTER TABLE minimal_1 SET TABLESPACE elsewhere', 'UPDATE minimal_1 SET v = 2 WHERE id = 5002', 'COMMIT');
	is_right($reader, query_of('minimal_1'), 'without WAL, a copied file') for 1 .. 3;
	writes('VACUUM minimal_1');
	is_right($reader, query_of('minimal_1'), 'without WAL, a copied file, VACUUM') for 1 .. 3;
}

# Where snapshots can become too old, a page that is not read would raise no error.
if (rows($writer, 'off', 'SHOW server_version_num') < 170000)
{
	my ($t, $q) = new_table();

	disconnect_sessions();
	$node->append_conf('postgresql.conf', 'old_snapshot_threshold = 1h');
	$node->restart;
	connect_sessions();
	is_right($reader, $q, "snapshots can become too old, $_", 'none') for 1 .. 3;
}

disconnect_sessions();
$node->stop;
done_testing();
