# Beside TimescaleDB, where it is installed: chunks that are compressed, in part or not at all,
# give PostgreSQL's answers, in auto and in force mode, also where they are compressed between
# executions of a plan.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;

my ($share) = `pg_config --sharedir` =~ /(\S+)/;
plan skip_all => 'TimescaleDB is not installed' unless -e "$share/extension/timescaledb.control";

my $node = new_node('timescaledb', "shared_preload_libraries = 'timescaledb'", 'timescaledb.telemetry_level = off', 'gpuagg.engine = cpu',
	'gpuagg.setup_cost = 0', 'max_worker_processes = 16');

sub sql { return $node->safe_psql('postgres', join ';', 'SET client_min_messages = error', @_) }

sql('CREATE EXTENSION timescaledb');

# Ten chunks of 3000 rows each.
sub hypertable
{
	my ($name) = @_;
	return "CREATE TABLE $name (t timestamptz NOT NULL, k int, v int, n numeric(12, 2), s text)",
		"SELECT create_hypertable('$name', 't', chunk_time_interval => interval '1 day')",
		"INSERT INTO $name SELECT '2024-01-01 00:00+00'::timestamptz + i * interval '28.8 s', i % 10, i, i * 1.25, 's' || i % 13 FROM generate_series(0, 29999) i";
}

sub compress
{
	my ($name, $chunks) = @_;
	return "ALTER TABLE $name SET (timescaledb.compress, timescaledb.compress_segmentby = 'k', timescaledb.compress_orderby = 't')",
		"SELECT compress_chunk(c) FROM (SELECT c FROM show_chunks('$name') c ORDER BY c LIMIT $chunks) s";
}

sql(hypertable('plain'), hypertable('mixed'), compress('mixed', 6), hypertable('whole'), compress('whole', 100),
	"INSERT INTO mixed SELECT '2024-01-02 12:00+00', 99, i, 7, 'new' FROM generate_series(1, 500) i", 'VACUUM ANALYZE');

my @queries = ('count(*) FROM m', 'count(DISTINCT k), count(DISTINCT v) FROM m', 'sum(v), min(n), max(n), avg(n) FROM m',
	'k, count(*), sum(n) FROM m GROUP BY k', 'k, s, sum(v) FROM m GROUP BY ROLLUP (k, s)', 'DISTINCT k FROM m', 'DISTINCT s, k FROM m WHERE v % 3 = 0',
	'v % 100 AS r, count(*) FROM m GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 7', 's, max(t), min(t) FROM m GROUP BY s',
	'date_trunc(\'day\', t), count(*), sum(v) FROM m GROUP BY 1', 'time_bucket(\'6 hours\', t), count(*) FROM m GROUP BY 1',
	'time_bucket_gapfill(\'12 hours\', t) AS b, sum(v) FROM m WHERE t > \'2023-12-30\' AND t < \'2024-01-14\' GROUP BY 1',
	'k, count(*) FROM m WHERE t >= \'2024-01-03\' AND t < \'2024-01-05 12:00\' GROUP BY k', 'k, sum(v) FROM m WHERE t > \'2024-01-09\' GROUP BY k HAVING count(*) > 10',
	'k, count(*) FROM m WHERE t > now() - interval \'100 years\' GROUP BY k', 'k, sum(v) FILTER (WHERE s = \'s1\') FROM m GROUP BY k',
	'x.k, count(*) FROM m x JOIN plain USING (t) GROUP BY x.k', 'count(*) FROM (SELECT k, max(v) FROM m GROUP BY k) q WHERE max > 5',
	'first(v, t), last(v, t) FROM m', 'array_agg(DISTINCT k) FROM m', 'k, (SELECT count(*) FROM m y WHERE y.v < x.k) FROM m x GROUP BY k');

my $session = $node->background_psql('postgres', on_error_stop => 0);
my %taken;

# The rows of a query, or lines of EXPLAIN, in an order of their own.
sub rows
{
	my ($mode, $query) = @_;

	$session->{stderr} = '';
	my $rows = $session->query("SET gpuagg.mode = $mode; $query");
	return $session->{stderr} =~ /(ERROR.*)/ ? $1 : join "\n", sort split /\n/, $rows;
}

for my $table (qw(plain mixed whole))
{
	for my $query (@queries)
	{
		my $named = 'SELECT ' . $query =~ s/\bm\b/$table/gr;
		my $native = rows('off', $named);

		unlike($native, qr/ERROR/, $named);
		for my $mode (qw(auto force))
		{
			is(rows($mode, $named), $native, "$mode: $named");
			$taken{"$table, $mode"}++ if rows($mode, "EXPLAIN $named") =~ /GpuAgg/;
		}
	}
}
note("$_: GpuAgg in $taken{$_} of " . @queries) for sort keys %taken;
cmp_ok($taken{"$_, force"} // 0, '>=', 15, "most queries of $_ are taken") for qw(plain mixed whole);

# Pages are read where none is compressed; what is read of the others.
sub plan_of { return sql("EXPLAIN (COSTS OFF) SELECT k, sum(v) FROM $_[0] GROUP BY k") }

unlike(plan_of('plain'), qr/GpuAgg Input/, 'pages of chunks that are not compressed');
like(plan_of($_), qr/GpuAgg Input/, "rows of $_") for qw(mixed whole);

# chunks that are compressed, and changed, between executions
my $query = 'SELECT count(*), sum(v) FROM plain WHERE v >= $1';
$session->query("SET gpuagg.mode = force; SET plan_cache_mode = force_generic_plan; PREPARE q(int) AS $query");

for my $change ([], [compress('plain', 4)], ["INSERT INTO plain SELECT '2024-01-02 12:00+00', 99, 5, 7, 'new' FROM generate_series(1, 500) i"],
	[compress('plain', 100)], ['DELETE FROM plain WHERE k = 3'], ["SELECT decompress_chunk(c) FROM show_chunks('plain') c"])
{
	sql(@$change) if @$change;
	my $now = sql('SET gpuagg.mode = off', 'SELECT count(*), sum(v) FROM plain WHERE v >= 0');
	is($session->query('EXECUTE q(0)'), $now, 'a generic plan: ' . ($change->[-1] // 'nothing compressed'));
}
$session->quit;
$node->stop;
done_testing();
