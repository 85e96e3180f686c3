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

# What it says of a query: notices and errors.
sub said
{
	my ($query) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', $query, stdout => \$out, stderr => \$err, timeout => 60);
	return $err;
}

sql(q{CREATE TABLE t AS SELECT i % 10 AS k, i AS v, (i * 1.5)::numeric(12, 2) AS n, i::text AS s
	FROM generate_series(1, 20000) i;
	CREATE UNLOGGED TABLE u AS SELECT 1 AS k;
	CREATE ROLE reader; CREATE ROLE stranger;
	GRANT SELECT (k, v) ON t TO reader;
	VACUUM ANALYZE t});

# what cannot be kept
like(said('SELECT gpuagg_prewarm(\'t\', \'{k,x}\')'), qr/ERROR:  column "x" of relation "t" does not exist/, 'no such column');
like(said('SELECT gpuagg_prewarm(\'t\', \'{ctid}\')'), qr/ERROR:  column "ctid" of relation "t" does not exist/, 'a system column');
like(said("SELECT gpuagg_prewarm('gpuagg_cache')"), qr/ERROR:  "gpuagg_cache" is not a table or materialized view/, 'a view');
like(said("SELECT gpuagg_prewarm('$_')"), qr/ERROR:  columns of table "$_" cannot be kept in device memory/, $_)
  for qw(u pg_class);
like(said("BEGIN; TRUNCATE t; SELECT gpuagg_prewarm('t')"), qr/ERROR:  columns of table "t" cannot be kept in device memory/, 'a new file');
is(sql("SELECT gpuagg_prewarm(NULL)"), '', 'no table');
like(said("SELECT gpuagg_prewarm('t', '{s}')"), qr/NOTICE:  column "s" of table "t" is not kept in device memory/, 'a text');

# who may
my $denied = qr/ERROR:  permission denied for table t/;
like(said("SET ROLE stranger; SELECT $_"), $denied, "a stranger: $_")
  for "gpuagg_prewarm('t')", "gpuagg_prewarm('t', '{k}')", "gpuagg_evict('t')";
like(said("SET ROLE reader; SELECT gpuagg_prewarm('t', '{k,n}')"), $denied, 'a reader of other columns');
is(sql("SET ROLE reader; SELECT rows FROM gpuagg_prewarm('t', '{k}')"), '20000', 'of these columns');
unlike(said("SET ROLE reader; SELECT gpuagg_prewarm('t')"), qr/NOTICE|ERROR/, 'of all that he may read');
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
like(said('SELECT gpuagg_prewarm(\'t\')'), qr/^[^\n]*NOTICE:  column "s" of table "t" is not kept[^\n]*\n[^\n]*HINT[^\n]*$/, 'only the text is not kept');
is(kept(), join("\n", map { "t|$_|20000|$total" } qw(k n v)), 'the columns are there');
is(sql('SELECT DISTINCT valid FROM gpuagg_cache'), '1', 'and valid');
$session->query('BEGIN; LOCK t');
is(sql('SELECT DISTINCT valid IS NULL FROM gpuagg_cache'), 't', 'or nobody knows, and none waits for a lock');
$session->query('ROLLBACK');
is(sql("SELECT bytes = (SELECT sum(bytes) FROM gpuagg_cache) FROM gpuagg_prewarm('t', '{k}')"), 't', 'bytes of all that is kept');
is(json_blocks($query), "$total - -", 'all blocks are resident');
is_right($session, $query, 'a query of resident columns', $total);
is(sql('SELECT DISTINCT hits > 0, now() - last_used < interval \'5 min\' FROM gpuagg_cache WHERE attribute <> \'s\''), 't|t', 'hits and times');
ok(wait_for(5, sub { cost() < $cost }), 'the planner counts on them');
is(sql("SET ROLE reader; SELECT attribute FROM gpuagg_cache ORDER BY 1"), "k\nv", 'a reader sees his columns');
is(sql("SET ROLE stranger; SELECT count(*) FROM gpuagg_cache"), '0', 'a stranger sees none');

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
	my @before = counted($table);
	my @after;

	sql("$count; SELECT pg_stat_force_next_flush()");
	wait_for(5, sub { @after = counted($table); $after[0] > $before[0] });
	return join ' ', map { $after[$_] - $before[$_] } 0 .. 2;
}

# of the blocks, the map's count, too
like(counts_of('t', $query), qr/^1 20000 [0-4]$/, 'a scan, its rows, and no blocks');

# changes: the other blocks stay
sql('UPDATE t SET v = v + 1 WHERE v <= 200');
my ($resident, $masked) = split / /, json_blocks($query);

ok(($resident eq '-' && !masks()) ||
	($resident > $total / 2 && $masked > 0 && $resident + $masked == $total), "$resident blocks are resident, $masked masked");
like(sql('SELECT DISTINCT valid FROM gpuagg_cache'), qr/^0\.9\d*$|^1$/, 'most of them are valid');
is_right($session, $query, 'after an UPDATE', 'some');
cmp_ok((split / /, counts_of('t', $query))[1], '==', 20000, 'rows of both kinds are counted');

# eviction
is(sql('BEGIN; TRUNCATE t; SELECT DISTINCT valid FROM gpuagg_cache; ROLLBACK'), '0', 'in another file nothing is valid');
ok(sql("SELECT gpuagg_evict('t')") > 100000, 'bytes are given back');
is(kept(), '', 'nothing is left');
is(sql("SELECT gpuagg_evict('t')"), '0', 'and no more to give back');
ok(wait_for(5, sub { cost() >= $cost }), 'the planner knows');
sql('VACUUM t');
like(json_blocks($query), qr/^- - \d+$/, 'a query keeps what it reads');

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

# many processes: one of them does it
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
like(sql("$parallel EXPLAIN (ANALYZE, COSTS OFF) SELECT s, count(*) FROM t GROUP BY s"), qr/Workers Launched: [12]/, 'or the engine would keep none of the query\'s columns');

$node->append_conf('postgresql.conf', 'gpuagg.cache_size = 0');
$node->reload;
like(said("SELECT gpuagg_prewarm('t')"), qr/ERROR:  no columns are kept in device memory/, 'no cache');

$node->stop;
done_testing();
