# Beside an extension that replaces scans, groupings and plans (test/modules/replaced_scan):
# pages are read only of tables that PostgreSQL itself would scan, and no grouping is offered
# where it would make none.  What gpuagg_explain says of it.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;

my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET gpuagg.setup_cost = 0; SET gpuagg.group_cost = 0;';

my $node = new_node('replaced_scan', "session_preload_libraries = 'gpuagg, replaced_scan'", 'gpuagg.fallback = off',
	'max_worker_processes = 16');

sub sql { return $node->safe_psql('postgres', join ';', @_) }

# Rows that are in no file that PostgreSQL reads: 10 are in each table, 3000 where they have
# been moved to.
sub move_rows
{
	my ($table) = @_;
	return "CREATE TABLE ${table}_moved AS SELECT i % 10 AS k, i AS v, i % 7 AS w FROM generate_series(1, 3000) i;
		VACUUM ANALYZE ${table}_moved";
}

my $rows = 'SELECT 1 AS k, i AS v, 2 AS w FROM generate_series(-9, 0) i';
sql("CREATE TABLE plain AS $rows", move_rows('plain'), "CREATE TABLE untouched AS $rows");
sql('CREATE TABLE parted (k int, v int, w int) PARTITION BY LIST (w)',
	'CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2)',
	'CREATE TABLE parted_n PARTITION OF parted DEFAULT PARTITION BY LIST (w)',
	'CREATE TABLE parted_n3 PARTITION OF parted_n DEFAULT',
	"INSERT INTO parted $rows", "INSERT INTO parted SELECT k, v, 3 FROM plain", move_rows('parted_n3'));
sql("CREATE TABLE parent AS $rows", 'CREATE TABLE child () INHERITS (parent)', "INSERT INTO child $rows", move_rows('child'));
sql("CREATE TABLE itself AS $rows", 'CREATE TABLE its_child () INHERITS (itself)', "INSERT INTO its_child $rows", move_rows('itself'));
sql('VACUUM ANALYZE');

# What a query is answered by: "pages", "rows" of a child plan, or "native".
sub way
{
	my ($settings, $query) = @_;
	my $plan = sql($settings, "EXPLAIN (COSTS OFF) $query");

	return 'native' if $plan !~ /Custom Scan \(GpuAgg\)/;
	return $plan =~ /GpuAgg Input/ ? 'rows' : 'pages';
}

# Its rows, by the engine and by PostgreSQL's own plan.
sub is_right
{
	my ($settings, $query, $way, $name) = @_;

	is(way($settings, $query), $way, "$name: by $way");
	is(outcome($node, $settings, $query), outcome($node, "$settings; SET gpuagg.mode = off", $query), "$name: $query");
	return;
}

# All steps that read tables.
sub queries
{
	my ($table) = @_;
	return ("SELECT count(*) FROM $table", "SELECT count(DISTINCT k), count(DISTINCT v) FROM $table",
		"SELECT k, w, count(*), sum(v) FROM $table GROUP BY ROLLUP (k, w) ORDER BY 1, 2", "SELECT DISTINCT k, w FROM $table ORDER BY 1, 2",
		"SELECT v, count(*) FROM $table GROUP BY v ORDER BY v DESC LIMIT 3", "SELECT k, max(v) FROM $table WHERE v > 5 GROUP BY k HAVING sum(v) > 9 ORDER BY k",
		"SELECT array_agg(DISTINCT k) FROM $table");
}

for my $engine (qw(cpu simt))
{
	my $replaced = "SET gpuagg.engine = $engine; SET replaced_scan.mode = scan";

	# of the simulated device's kernels each has to be compiled
	for my $table ($engine eq 'cpu' ? qw(plain parted parent itself) : 'plain')
	{
		is_right($replaced, $_, 'rows', "$engine, $table") for $engine eq 'cpu' ? queries($table) : (queries($table))[1];
	}
	is_right($replaced, 'SELECT k, count(*) FROM untouched GROUP BY k', 'pages', "$engine, another table");
	is_right($replaced, 'SELECT k, count(*) FROM parted WHERE w = 2 GROUP BY k', 'pages', "$engine, another partition");
	is_right($replaced, 'SELECT k, count(*) FROM ONLY parent GROUP BY k', 'pages', "$engine, the parent alone");
}
is_right("SET gpuagg.engine = cpu; SET replaced_scan.mode = scan; $parallel", $_, 'rows', 'parallel') for map { queries($_) } qw(plain parted);
is(way("SET gpuagg.engine = cpu; SET replaced_scan.mode = partial; $parallel", (queries($_))[0]), 'rows', "parallel paths of $_ only") for qw(plain parted);
is_right("SET gpuagg.engine = cpu; SET replaced_scan.mode = ''; $parallel", $_, 'pages', 'nothing is replaced') for map { (queries($_))[3] } qw(plain parted parent);

# Why a grouping is not taken.
sub reason
{
	my ($settings, $query) = @_;
	return sql($settings, "SELECT reason FROM gpuagg_explain('$query')");
}

# a generic plan, whose table's rows are moved between executions
sql('CREATE TABLE later (LIKE plain)', "INSERT INTO later $rows");
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query("SET gpuagg.engine = cpu; SET replaced_scan.mode = scan; SET plan_cache_mode = force_generic_plan;
	PREPARE q(int) AS SELECT count(*), max(v) FROM later WHERE v > \$1");
is($session->query('EXECUTE q(-1000)'), '10|0', 'a generic plan');
like($session->query('EXPLAIN EXECUTE q(-1000)'), qr/GpuAgg(?!.*Moved)/s, 'over pages');
sql(move_rows('later'), 'TRUNCATE later');
is($session->query('EXECUTE q(-1000)'), '3000|3000', 'whose rows are elsewhere when it is executed again');
like($session->query('EXPLAIN EXECUTE q(-1000)'), qr/GpuAgg.*Moved/s, 'over rows');
$session->query('SET gpuagg.mode = off; PREPARE n AS SELECT count(*) FROM later');
is($session->query('EXECUTE n'), '3000', 'as in a plan of PostgreSQL\'s');
$session->quit;

# finished plans that are changed: PostgreSQL's own is, too
for my $query (map { queries($_) } qw(plain parted))
{
	my $settings = "SET gpuagg.engine = cpu; SET gpuagg.fallback = on; SET replaced_scan.mode = plan; SET enable_indexscan = off";
	my $plan = sql($settings, "EXPLAIN (ANALYZE, COSTS OFF) $query");

	like($plan, qr/GpuAgg.*another extension has replaced the scan of a table/s, "a changed plan: $query");
	is(outcome($node, $settings, $query), outcome($node, "$settings; SET gpuagg.mode = off", $query), 'has its rows');
}
is_right("SET gpuagg.engine = cpu; SET replaced_scan.mode = plan; $parallel", 'SELECT k, count(*) FROM untouched GROUP BY k', 'pages', 'not of another table');

# kept columns: of a table that was read from pages before, and by gpuagg_prewarm
my $simt = "SET gpuagg.engine = simt; SET replaced_scan.mode";
sql("CREATE TABLE kept AS SELECT 1 AS k, i AS v, 2 AS w FROM generate_series(1, 20000) i", 'VACUUM ANALYZE kept');
is(sql("$simt = ''", "SELECT rows FROM gpuagg_prewarm('kept')"), '20000', 'columns are kept');
like(sql("$simt = ''", 'EXPLAIN (ANALYZE, COSTS OFF) SELECT k, sum(v) FROM kept GROUP BY k'), qr/Blocks Resident/, 'and used');
sql(move_rows('kept'));
is_right("$simt = scan", 'SELECT k, sum(v) FROM kept GROUP BY k ORDER BY k', 'rows', 'but not when the rows are elsewhere');
for my $table (qw(kept parted child))
{
	my ($out, $err) = ('', '');
	$node->psql('postgres', "$simt = scan; SELECT rows FROM gpuagg_prewarm('$table')", stdout => \$out, stderr => \$err);
	like($err, qr/ERROR:  columns of table "$table" cannot be kept in device memory\nDETAIL:  another extension has replaced the scan of a table by custom scan "Moved Rows"/,
		"gpuagg_prewarm of $table");
}
is(sql("$simt = scan", "SELECT rows FROM gpuagg_prewarm('untouched')"), '10', 'of another table');

# groupings that are replaced: gpuagg comes last, whichever library is loaded first
for my $libraries ('replaced_scan, gpuagg', 'gpuagg, replaced_scan')
{
	my $query = 'SELECT k, count(*) FROM plain_moved GROUP BY k';

	$node->append_conf('postgresql.conf', "session_preload_libraries = '$libraries'");
	$node->reload;
	my $twice = 'SET gpuagg.engine = cpu; SET replaced_scan.mode = twice';
	is_right($twice, "$query ORDER BY 1", 'native', "groups that come twice, $libraries");
	is(reason($twice, $query), 'another extension has replaced the aggregation by custom scan "Twice"', 'the reason');
	my $own = 'SET gpuagg.engine = cpu; SET gpuagg.mode = auto; SET gpuagg.setup_cost = 0; SET gpuagg.group_cost = 0; SET replaced_scan.mode = aggregation';
	is_right($own, "$query ORDER BY 1", 'pages', "an aggregation of another extension's that costs more, $libraries");
}

# by a library that is loaded when a query has been planned
my $late = 'SET gpuagg.engine = cpu; SELECT 1 AS planned; SET replaced_scan.late = on; SET replaced_scan.mode';
my $late_query = 'SELECT k, count(*) FROM plain_moved GROUP BY k';
is(reason("$late = aggregation", $late_query), "1\nanother extension has replaced GpuAgg by an aggregation of PostgreSQL's", 'replaced at last');
is(reason("$late = aggregation; SET gpuagg.mode = auto", $late_query), "1\nanother extension has replaced GpuAgg by an aggregation of PostgreSQL's", 'also if it is cheaper');
is(sql("$late = twice", "SELECT taken, reason FROM gpuagg_explain('$late_query')"), "1\nt|", 'put below another node');
is(sql("$late = twice", "SELECT count(*) FROM ($late_query OFFSET 0) s"), "1\n20\n20", 'which returns its rows twice, the count of them, too');

$node->stop;
done_testing();
