# Columns that stay in device memory: having them kept, seeing and evicting them, and who
# may; what queries, statistics and the planner make of them.  That answers are right is
# the matter of residence_rules.pl.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use JSON::PP;
use Node;
use Residence;
use Service;

my $node = resident_node('residence', 'track_counts = on');
my $session = session($node);
my $query = 'SELECT k, sum(v), sum(n) FROM t GROUP BY k ORDER BY k';

sub sql { return $node->safe_psql('postgres', $_[0]) }

sql(q{CREATE TABLE t AS SELECT i % 10 AS k, i AS v, (i * 1.5)::numeric(12, 2) AS n, (i % 500)::text AS s,
		point(i, i) AS o
	FROM generate_series(1, 20000) i;
	CREATE UNLOGGED TABLE u AS SELECT 1 AS k;
	CREATE ROLE reader; CREATE ROLE stranger;
	GRANT SELECT (k, v) ON t TO reader;
	VACUUM ANALYZE t});

# what cannot be kept
like(messages($node, 'SELECT gpuagg_prewarm(\'t\', \'{k,x}\')'), qr/ERROR:  column "x" of relation "t" does not exist/, 'no such column');
like(messages($node, 'SELECT gpuagg_prewarm(\'t\', \'{ctid}\')'), qr/ERROR:  column "ctid" of relation "t" does not exist/, 'a system column');
like(messages($node, "SELECT gpuagg_prewarm('gpuagg_cache')"), qr/ERROR:  "gpuagg_cache" is not a table or materialized view/, 'a view');
like(messages($node, "SELECT gpuagg_prewarm('$_')"), qr/ERROR:  columns of table "$_" cannot be kept in device memory/, $_)
  for qw(u pg_class);
like(messages($node, "BEGIN; TRUNCATE t; SELECT gpuagg_prewarm('t')"), qr/ERROR:  columns of table "t" cannot be kept in device memory/, 'a new file');
is(sql("SELECT gpuagg_prewarm(NULL)"), '', 'no table');
like(messages($node, "SELECT gpuagg_prewarm('t', '{o}')"), qr/NOTICE:  column "o" of table "t" is not kept in device memory/, 'a point');

# who may
my $denied = qr/ERROR:  permission denied for table t/;
like(messages($node, "SET ROLE stranger; SELECT $_"), $denied, "a stranger: $_")
  for "gpuagg_prewarm('t')", "gpuagg_prewarm('t', '{k}')", "gpuagg_evict('t')";
like(messages($node, "SET ROLE reader; SELECT gpuagg_prewarm('t', '{k,n}')"), $denied, 'a reader of other columns');
is(sql("SET ROLE reader; SELECT rows FROM gpuagg_prewarm('t', '{k}')"), '20000', 'of these columns');
unlike(messages($node, "SET ROLE reader; SELECT gpuagg_prewarm('t')"), qr/NOTICE|ERROR/, 'of all that he may read');
is(sql('SELECT attribute, rows FROM gpuagg_cache ORDER BY 1'), "k|20000\nv|20000", 'beside the one that is there');
is(sql("SET ROLE reader; SELECT gpuagg_evict('t') >= 0"), 't', 'a reader may evict');

my $total = sql("SELECT pg_relation_size('t') / 8192");

# Blocks resident, masked and kept, as EXPLAIN's JSON has them.
sub json_blocks
{
	my ($table_query) = @_;
	my $plan = decode_json(sql("EXPLAIN (ANALYZE, FORMAT JSON) $table_query"))->[0]{Plan};

	$plan = $plan->{Plans}[0] until exists $plan->{'Custom Plan Provider'};
	return join ' ', map { $plan->{"Blocks $_"} // '-' } qw(Resident Masked Kept);
}

# What the planner thinks that a query costs.
sub cost
{
	my ($plan) = sql("EXPLAIN $query") =~ /GpuAgg.*cost=[\d.]+\.\.([\d.]+)/;
	return $plan;
}

# What is kept, by table and column.
sub kept { return sql('SELECT relation, attribute, rows, blocks FROM gpuagg_cache ORDER BY 1, 2') }

# a whole table, and what queries find of it
my $contents = $node->data_dir . '/gpuagg_device/contents';
ok(wait_for(5, sub { -e $contents }), 'there is a table of contents');
ok(!((stat $contents)[2] & 077), 'which is nobody else\'s');
is(kept(), '', 'nothing is kept');
my $cost = cost();
like(messages($node, 'SELECT gpuagg_prewarm(\'t\')'), qr/^[^\n]*NOTICE:  column "o" of table "t" is not kept[^\n]*\n[^\n]*(?:HINT|DETAIL)[^\n]*$/, 'only the point is not kept');
is(kept(), join("\n", map { "t|$_|20000|$total" } qw(k n s v)), 'the columns are there');
is(sql('SELECT DISTINCT valid FROM gpuagg_cache'), '1', 'and valid');
is(sql('SELECT attribute, bytes_unencoded BETWEEN w * rows AND w * rows + 2048 * w, bytes * d BETWEEN rows AND rows + 2048
	FROM gpuagg_cache JOIN (VALUES (\'k\', 4 + 1, 1.0), (\'v\', 4 + 1, 0.5), (\'n\', 8 + 1, 0.25)) AS c (attribute, w, d) USING (attribute)
	ORDER BY 1'), "k|t|t\nn|t|t\nv|t|t", 'with 1, 4 and 2 bytes a row, instead of 4, 8 and 4 and one for NULLs');
$session->query('BEGIN; LOCK t');
is(sql('SELECT DISTINCT valid IS NULL FROM gpuagg_cache'), 't', 'or nobody knows, and none waits for a lock');
$session->query('ROLLBACK');
is(sql("SELECT bytes = (SELECT sum(bytes) FROM gpuagg_cache) FROM gpuagg_prewarm('t', '{k}')"), 't', 'bytes of all that is kept');
is(json_blocks($query), "$total - -", 'all blocks are resident');
is_right($session, $query, 'a query of resident columns', $total);
my $none = 'SELECT k, count(*) FROM t WHERE v > 20000 AND n > 0 GROUP BY k';
is_right($session, $none, 'a filter that no block has a row for', $total);
like(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $none"), qr/Blocks Skipped: $total\n(.*\n)*.*Rows Removed by Input Filter: 20000\n/, 'skips all of them');
is_right($session, 'SELECT k, count(*) FROM t WHERE v >= 20000 GROUP BY k', 'and one that a row passes', $total);
unlike(rows($session, 'force', 'EXPLAIN (ANALYZE, COSTS OFF) SELECT k, count(*) FROM t WHERE v >= 20000 GROUP BY k'), qr/Blocks Skipped/, 'skips none');
is(rows($session, 'force', 'SELECT count(*) FROM t WHERE v / (k - k) > 1 AND v > 20000'), rows($session, 'off', 'SELECT count(*) FROM t WHERE v / (k - k) > 1 AND v > 20000'), 'an error comes first');
is_right($session, 'SELECT s, count(*), max(s) FROM t WHERE s LIKE \'%3%\' GROUP BY s ORDER BY s', 'texts', $total);
my @codes = ('SELECT s, count(*), sum(v) FROM t GROUP BY s ORDER BY s', 'SELECT k, s, count(*) FROM t GROUP BY k, s ORDER BY s, k',
	'SELECT k, s, count(*) FROM t GROUP BY k, s ORDER BY s DESC, k LIMIT 7', 'SELECT s, v % 4, count(*) FROM t GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 9');

push @codes, map { "SELECT k, $_ GROUP BY k ORDER BY k" } 'count(*) FROM t WHERE s LIKE \'%3%\'',
	'count(*) FROM t WHERE NOT (s LIKE \'_3%\') AND v > 40',
	'count(*) FROM t WHERE s LIKE \'4%\' OR s IS NULL OR v < 50', 'count(*) FROM t WHERE s NOT IN (\'1\', \'2\', NULL) OR s > \'47\' COLLATE "C"',
	'count(*) FILTER (WHERE s LIKE \'%x1%\'), sum(CASE WHEN coalesce(s, \'77\') IN (\'7\', \'77\') THEN v ELSE 1 END) FROM t',
	'count(*) FROM t WHERE (s LIKE \'%1\') IS NOT TRUE AND s IS DISTINCT FROM \'12\'',
	'sum(v / (v % 2)) FILTER (WHERE v % 2 = 1 AND length(s) = 2) FROM t', 'count(*) FROM t WHERE v % 3 = 1 AND s < \'2\' COLLATE "C" AND 100 / (v % 3) > 1';
push @codes, 'SELECT k, v % 3 AS r, count(*) FILTER (WHERE s LIKE \'%1\') FROM t WHERE length(s) = 2 GROUP BY GROUPING SETS ((k), (v % 3), ()) ORDER BY 1, 2',
	'SELECT s, count(*) FROM t WHERE s LIKE \'1_\' OR s IS NULL GROUP BY s HAVING count(*) FILTER (WHERE s <> \'13\') > 0 OR max(v) > 10 ORDER BY s';
# what is NULL is a column of its own, which a first run has kept
rows($session, 'force', $_) for @codes;
is_right($session, $_, 'codes of texts', $total) for @codes;
rows($session, 'off', 'SET plan_cache_mode = force_generic_plan; PREPARE texts(text) AS SELECT k, count(*) FROM t WHERE s LIKE $1 GROUP BY k ORDER BY k');
is(rows($session, 'force', "EXECUTE texts($_)"), rows($session, 'off', "EXECUTE texts($_)"), "a condition of $_") for "'1%'", "'%2'", 'NULL', "'1%'";
is(sql('SELECT DISTINCT hits > 0, now() - last_used < interval \'5 min\' FROM gpuagg_cache WHERE attribute <> \'s\''), 't|t', 'hits and times');
ok(wait_for(5, sub { cost() < $cost }), 'the planner counts on them');
is(sql("SET ROLE reader; SELECT attribute FROM gpuagg_cache ORDER BY 1"), "k\nv", 'a reader sees his columns');
is(sql("SET ROLE stranger; SELECT count(*) FROM gpuagg_cache"), '0', 'a stranger sees none');

# Of wide rows, only those that can pass a filter are read where they are; all of them if
# their columns are to be kept.
my $columns = join ', ', map { "${_}::float8 AS x$_" } 1 .. 60;
sql("CREATE TABLE wide AS SELECT i AS id, i % 100 AS k, $columns FROM generate_series(1, 3000) i");
my $one = 'SELECT k, count(*), sum(x60) FROM wide WHERE k = 7 GROUP BY k';
is_right($session, $one, 'wide rows', 'none');
like(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $one"), qr/Rows Refused in Place: 2970\n(.*\n)*.*Rows Read: 3000\n.*Rows Removed by Input Filter: 2970\n/, 'some of which are read');
sql('VACUUM wide');
unlike(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $one"), qr/Refused in Place/, 'all are read to be kept');
is_right($session, $one, 'wide rows that are kept', 'some');
sql('DROP TABLE wide');

# PostgreSQL's statistics
sub counted
{
	my ($table) = @_;
	return split /\|/, sql("SELECT seq_scan, seq_tup_read, heap_blks_read + heap_blks_hit
		FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relid) WHERE relid = '$table'::regclass");
}

sub counts_of
{
	my ($table, $count) = @_;
	my @after;

	# what the others have counted
	rows($session, 'off', 'SELECT pg_stat_force_next_flush()');
	$node->poll_query_until('postgres', "SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'client backend'");
	my @before = counted($table);
	sql("$count; SELECT pg_stat_force_next_flush()");
	wait_for(5, sub { @after = counted($table); $after[0] > $before[0] });
	return join ' ', map { $after[$_] - $before[$_] } 0 .. 2;
}

# of the blocks, the map's count, too
like(counts_of('t', $query), qr/^1 20000 [0-4]$/, 'a scan, its rows, and no blocks');

# changes: the other blocks stay
sql("UPDATE t SET v = v + 1, s = CASE WHEN v % 3 > 0 THEN s || 'x' || v END WHERE v <= 200");
my ($resident, $masked) = split / /, json_blocks($query);

ok($resident > $total / 2 && $masked > 0 && $resident + $masked == $total, "$resident blocks are resident, $masked masked");
like(sql('SELECT DISTINCT valid FROM gpuagg_cache'), qr/^0\.9\d*$|^1$/, 'most of them are valid');
is_right($session, $query, 'after an UPDATE', 'some');
is_right($session, $_, 'texts that the dictionary does not have', 'some') for @codes;
cmp_ok((split / /, counts_of('t', $query))[1], '==', 20000, 'rows of both kinds are counted');

# eviction
is(sql('BEGIN; TRUNCATE t; SELECT DISTINCT valid FROM gpuagg_cache; ROLLBACK'), '', 'of another file nothing is kept');
ok(sql("SELECT gpuagg_evict('t')") > 100000, 'bytes are given back');
is(kept(), '', 'nothing is left');
is(sql("SELECT gpuagg_evict('t')"), '0', 'and no more to give back');
ok(wait_for(5, sub { cost() >= $cost }), 'the planner knows');
sql('VACUUM t');
like(json_blocks($query), qr/^- - \d+$/, 'a query keeps what it reads');

# of the columns of a reader, only these are evicted; who may read nothing waits for no lock
sql("SELECT gpuagg_prewarm('t', '{k,v,n}')");
$session->query('BEGIN; LOCK t');
like(messages($node, "SET lock_timeout = '10s'; SET ROLE stranger; SELECT gpuagg_prewarm('t')"), $denied, 'a stranger waits for no lock');
$session->query('ROLLBACK');
my $of_reader = sql("SET ROLE reader; SELECT sum(bytes) FROM gpuagg_cache");
cmp_ok(sql("SET ROLE reader; SELECT bytes FROM gpuagg_prewarm('t')"), '==', $of_reader, 'a reader is told of his columns\' bytes');
sql("SET ROLE reader; SELECT gpuagg_evict('t')");
is(sql('SELECT DISTINCT attribute FROM gpuagg_cache'), 'n', 'and evicts these only');
is_right($session, $query, 'what is left of a chunk', 'none');
sql("SELECT gpuagg_evict('t')");

# dropped columns, and the table's other files
# How many rows have blocks, and how many names of a table's columns are only remembered (CacheRow
# in service/wire/protocol.h).
sub contents_rows
{
	my ($table) = @_;
	my ($head, $row);
	my ($kept, $remembered) = (0, 0);

	open(my $file, '<:raw', $contents) or return -1;
	read $file, $head, 16;
	my (undef, undef, $rows, $size) = unpack 'L4', $head;
	while ($rows-- > 0 && read($file, $row, $size) == $size)
	{
		my ($relation, $blocks) = unpack 'x12 L x32 Q', $row;
		$kept++ if $blocks > 0;
		$remembered++ if $blocks == 0 && $relation == ($table // 0);
	}
	return ($kept, $remembered);
}

sql(q{CREATE TABLE d AS SELECT i AS gone, i % 7 AS k, i AS v, 'text ' || i % 9 AS s FROM generate_series(1, 5000) i; VACUUM ANALYZE d;
	GRANT SELECT (k, v) ON d TO reader; SELECT gpuagg_prewarm('d'); ALTER TABLE d DROP COLUMN gone});
is(sql('SELECT attribute FROM gpuagg_cache ORDER BY 1'), "k\ns\nv", 'a dropped column is not shown');
is(sql('SET ROLE reader; SELECT attribute FROM gpuagg_cache ORDER BY 1'), "k\nv", 'nor to who may read some columns');
is(sql("SET ROLE reader; SELECT count(*) FROM (SELECT gpuagg_evict('d')) x"), '1', 'who may evict them');
sql("SELECT gpuagg_prewarm('d'); TRUNCATE d; INSERT INTO d SELECT i % 7, i, repeat('x', CASE i WHEN 1 THEN 4000 ELSE 1 END) FROM generate_series(1, 4000) i; VACUUM ANALYZE d");
is(sql('SELECT count(*) FROM gpuagg_cache'), '0', 'nothing is kept of a new file');
sql("SELECT gpuagg_prewarm('d', '{k,v}')");
like(messages($node, "SELECT gpuagg_prewarm('d', '{s}')"), qr/^[^\n]*NOTICE:  column "s" of table "d" is not kept[^\n]*\n[^\n]*HINT[^\n]*$/, 'a column that only the old file had kept');
is(sql("SELECT attribute, rows, blocks = pg_relation_size('d') / 8192 FROM gpuagg_cache ORDER BY 1"), "k|4000|t\nv|4000|t", 'the new file alone is shown');
is(sql("SELECT bytes = (SELECT sum(bytes) FROM gpuagg_cache) FROM gpuagg_prewarm('d', '{k}')"), 't', 'and its bytes');
my $d = sql("SELECT 'd'::regclass::oid");
for my $change ('TRUNCATE d', 'VACUUM FULL d', 'DROP TABLE d')
{
	sql('INSERT INTO d SELECT i, i FROM generate_series(1, 100) i');
	sql('VACUUM d');
	sql("SELECT gpuagg_prewarm('d', '{k}')");
	ok(wait_for(10, sub { (contents_rows())[0] > 0 }), "before $change: a column is kept");
	sql($change);
	ok(wait_for(10, sub { (contents_rows())[0] == 0 }), "memory is given back: $change");
	cmp_ok((contents_rows($d))[1], '>=', 1, 'the name is remembered for a restart');
	is(sql('SELECT count(*) FROM gpuagg_cache'), '0', 'and is not shown');
	next if $change =~ /DROP/;
	sql("SELECT gpuagg_evict('d')");
	ok(wait_for(10, sub { (contents_rows($d))[1] == 0 }), 'nor remembered once it is evicted');
}
json_blocks($query);

# partitions, of which one has its columns elsewhere
sql(q{CREATE TABLE p (k int, v int) PARTITION BY LIST (k);
	CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
	CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
	CREATE TABLE p3 (x text, v int, k int);
	ALTER TABLE p3 DROP COLUMN x;
	ALTER TABLE p ATTACH PARTITION p3 FOR VALUES IN (3);
	INSERT INTO p SELECT 1 + i % 2, i FROM generate_series(1, 30000) i;
	INSERT INTO p SELECT 3, i FROM generate_series(1, 1000) i;
	VACUUM ANALYZE p});
is(sql("SELECT rows FROM gpuagg_prewarm('p')"), '31000', 'a partitioned table');
is(kept() =~ s/\|\d+$//gmr, "t|k|20000\nt|n|20000\nt|v|20000\np1|k|15000\np1|v|15000\np2|k|15000\np2|v|15000", 'two partitions');
is_right($session, 'SELECT k, sum(v) FROM p GROUP BY k ORDER BY k', 'partitions', 'some');
like(counts_of('p1', 'SELECT k, sum(v) FROM p GROUP BY k'), qr/^1 15000 [0-4]$/, 'a partition\'s rows are counted');
ok(sql("SELECT gpuagg_evict('p')") > 0 && kept() !~ /^p/m, 'partitions are evicted');

# many processes, where few blocks are left to read: one of them does it
sql(q{CREATE TABLE large AS SELECT i % 7 AS k, i AS v FROM generate_series(1, 60000) i; VACUUM ANALYZE large});
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0;
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET gpuagg.setup_cost = 0; SET gpuagg.page_cost = 0.1;
	SET gpuagg.tuple_cost = 0.0001; SET gpuagg.operator_cost = 0.0001; SET gpuagg.group_cost = 0;';
my $large = 'SELECT k, sum(v) FROM large GROUP BY k';
for my $expected (qr/Blocks Kept: \d+/, qr/Blocks Resident: \d+/)
{
	my $plan = sql("$parallel EXPLAIN (ANALYZE, COSTS OFF) $large");
	ok($plan =~ /Gather/ && $plan =~ $expected, 'a parallel plan') or diag($plan);
}
sql('UPDATE large SET v = v + 1');
like(sql("$parallel EXPLAIN (ANALYZE, COSTS OFF) $large"), qr/Workers Launched: [12]/, 'whose workers are wanted when few blocks are all-visible');

# texts of which a stripe has few twice, and others that are all different
sql(q{CREATE TABLE texts AS SELECT i % 7 AS k, (i % 22000)::text AS s, i::text AS own, repeat('x', 150) AS filler FROM generate_series(1, 50000) i; VACUUM ANALYZE texts});
like(messages($node, "SELECT gpuagg_prewarm('texts', '{k,s,own}')"), qr/^[^\n]*NOTICE:  column "own" of table "texts" is not kept[^\n]*\n[^\n]*HINT[^\n]*$/, 'texts that are all different are not kept');
my $text_blocks = blocks_with_rows($node, 'postgres', 'texts');
is(sql("SELECT attribute, blocks FROM gpuagg_cache WHERE relation = 'texts'::regclass ORDER BY 1"), "k|$text_blocks\ns|$text_blocks", 'others are, all of them');
is(json_blocks("SELECT k, count(DISTINCT s) FROM texts GROUP BY k"), "$text_blocks - -", 'and are resident');

$node->append_conf('postgresql.conf', 'gpuagg.cache_size = 0');
$node->reload;
like(messages($node, "SELECT gpuagg_prewarm('t')"), qr/ERROR:  no columns are kept in device memory/, 'no cache');

$node->stop;
done_testing();
