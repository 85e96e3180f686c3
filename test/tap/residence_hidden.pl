# What a role is told of rows that row security hides from it: by EXPLAIN ANALYZE and cumulative
# statistics of queries over pages that are read in place and over columns that are kept, and of
# what is kept.  Tables that differ in hidden rows only tell the same.  Needs a build with
# TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;
use Residence;

# whether kernels are compiled in time would show in strategy and memory
my $node = resident_node('residence_hidden', "shared_preload_libraries = 'gpuagg'", 'gpuagg.strategy = atomic');

sub sql { return $node->safe_psql('postgres', $_[0]) }

# Attributes of fixed length in wide rows, of which a device need not read those that a
# condition refuses; and a numeric, in the room that alignment leaves.
my $wide = join ', ', map { "w$_ float8" } 1 .. 50;
my $names = join ', ', map { "w$_" } 1 .. 50;
my $zeros = join ', ', map { '0' } 1 .. 50;

sql(qq{CREATE ROLE spy; CREATE ROLE reader;
	CREATE TABLE watched (tenant int NOT NULL, k int NOT NULL, i int, j int NOT NULL, f float8 NOT NULL, $wide, m numeric(15,2));
	CREATE TABLE elsewhere (j int NOT NULL, tenant int NOT NULL, k int NOT NULL, i int, f float8 NOT NULL, $wide, m numeric(15,2)) INHERITS (watched);
	CREATE POLICY own_rows ON watched USING (tenant = 1);
	ALTER TABLE watched ENABLE ROW LEVEL SECURITY;
	GRANT SELECT ON watched TO spy;
	CREATE TABLE unwatched (LIKE watched);
	CREATE VIEW behind_barrier WITH (security_barrier) AS SELECT k, count(*), max(i) FROM unwatched WHERE tenant = 1 AND i > 0 GROUP BY k;
	GRANT SELECT ON behind_barrier TO spy});

# Hidden rows: their tenant and i, f, m, by their number x.
my %hidden = (
	'plain' => '2, x % 100, 1, 1',
	'large' => '2, 2000000000 - x % 3, 1e300, 99999999',
	'small' => '0, CASE WHEN x % 50 = 0 THEN -2000000000 ELSE 50 END, -1e300, -99999999',
	'no i' => '2, NULL, 0.5, 1',
	'special' => "2 + x, x, 'NaN'::float8, 'NaN'::numeric",
);

sub fill
{
	my ($table, $hidden) = @_;
	my ($tenant, @values) = split /, /, $hidden;
	my $values = join ', ', $tenant, 'x % 3', $values[0], '7', $values[1], $zeros, $values[2];

	# visible rows have values that are in the middle
	sql("SET gpuagg.mode = off; TRUNCATE ONLY watched, elsewhere, unwatched;
		INSERT INTO $table (tenant, k, i, j, f, $names, m)
		SELECT 1, x % 3, x % 100, 7, 1, $zeros, 1 FROM generate_series(1, 500) x
		UNION ALL SELECT $values FROM generate_series(1, 2000) x;
		ANALYZE $table");
	return;
}

# What a role is told of a query: by its plan, and by statistics.
my $counters = join ', ', qw(aggregations fallbacks rows rows_passed groups bytes pages_in_place pages_copied
	blocks_resident blocks_skipped blocks_masked blocks_kept blocks_evicted);

sub told
{
	my ($role, @queries) = @_;
	my $session = session($node, 'SET client_min_messages = error');
	my @told;

	for my $query (@queries)
	{
		$session->query('RESET ROLE; SELECT gpuagg_stats_reset()');
		my $plan = rows($session, 'force', "SET ROLE $role; EXPLAIN (ANALYZE, VERBOSE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");
		push @told, "$plan\nstatistics " . rows($session, 'force', "SELECT $counters FROM gpuagg_stats WHERE database = 'postgres'");
	}
	$session->quit;
	return @told;
}

my @questions = ('SELECT k, count(*) FROM watched WHERE i > 100 GROUP BY k', 'SELECT k, count(*) FROM watched WHERE i IS NULL GROUP BY k',
	'SELECT k, count(*) FROM watched WHERE tenant = 1 AND i BETWEEN 40 AND 50 GROUP BY k',
	'SELECT i, count(*), sum(f), max(i) FROM watched GROUP BY i', 'SELECT k, sum(m), max(m) FROM watched WHERE j = 7 GROUP BY k',
	'SELECT k, tenant, count(*) FROM watched WHERE f < 10 GROUP BY k, tenant ORDER BY 3 DESC LIMIT 2');
my $columns = '{tenant,k,i,j,f}';

# Of a table as it is, what a role is told: read in place, once its pages can be, kept by its
# owner, kept by the queries, and with blocks that are masked.
sub all_told
{
	my ($table, @queries) = @_;
	my @told;

	wait_for(30, sub { (told('spy', $queries[0]))[0] !~ /Pages Copied/ });
	@told = told('spy', @queries);
	sql("VACUUM $table");
	sql("SELECT gpuagg_prewarm('$table', '$columns')");
	push @told, told('spy', @queries, @queries);
	sql("SET gpuagg.mode = off; UPDATE $table SET j = 7 WHERE ctid = '(0,1)'");
	push @told, told('spy', @queries);
	sql("SELECT gpuagg_evict('$table')");
	return @told;
}

# The lines of one that the other does not have.
sub difference
{
	my ($one, $other) = @_;
	my %known = map { $_ => 1 } split /\n/, $other;

	return join "\n", grep { !$known{$_} } split /\n/, $one;
}

# Is the role told the same of queries, whatever is hidden in this table?
sub is_told_the_same
{
	my ($table, $name, @queries) = @_;

	fill($table, $hidden{plain});
	my @expected = all_told($table, @queries);
	is(scalar(grep { !/Custom Scan \(GpuAgg\)/ } @expected), 0, "$name: all queries are taken");
	ok((grep { /Pages Read in Place/ } @expected) > 0, "$name: pages are read in place") unless $table eq 'elsewhere';
	ok((grep { /Blocks Resident/ } @expected) > 0, "$name: columns are kept") unless $table eq 'elsewhere';
	for my $set (sort keys %hidden)
	{
		fill($table, $hidden{$set});
		my @told = all_told($table, @queries);
		my @differ = grep { $told[$_] ne $expected[$_] } 0 .. $#expected;

		is(scalar @differ, 0, "$name: $set")
		  or diag(join "\n", map { "$_: $queries[$_ % @queries]\n" . difference($told[$_], $expected[$_]) . "\ninstead of\n" . difference($expected[$_], $told[$_]) } @differ);
	}
	return;
}

is_told_the_same('watched', 'row security', @questions);
is_told_the_same('elsewhere', 'a child with another layout', @questions);
is_told_the_same('unwatched', 'a barrier', 'SELECT * FROM behind_barrier', 'SELECT k FROM behind_barrier WHERE k = 1');

# where nothing is hidden, what spares reading is told
fill('unwatched', $hidden{plain});
sql('GRANT SELECT ON unwatched TO reader');
my $none = 'SELECT k, count(*) FROM unwatched WHERE i > 100 GROUP BY k';

like((told('reader', $none))[0], qr/Rows Refused in Place: 2500/, 'without policies: rows that are refused');
sql("VACUUM unwatched; SELECT gpuagg_prewarm('unwatched', '$columns')");
like((told('reader', $none))[0], qr/Blocks Skipped/, 'and blocks that are skipped');

# what is kept is told, but not to whom a policy may hide rows
sub said_to
{
	my ($role, $query) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', "SET ROLE $role; $query", stdout => \$out, stderr => \$err, timeout => 60);
	return "$out$err";
}

sub cached { return said_to($_[0], 'SELECT DISTINCT relation FROM gpuagg_cache') }

sql("CREATE TABLE tenants (tenant int, k int, n numeric, t text, p point);
	ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own_rows ON tenants USING (tenant = 1); GRANT SELECT ON tenants TO spy;
	INSERT INTO tenants SELECT 1 + x % 2, x, 'NaN', x, '(1,1)' FROM generate_series(1, 1000) x;
	VACUUM ANALYZE tenants; SELECT gpuagg_prewarm('tenants', '{tenant,k,t}')");
is(cached('reader'), 'unwatched', 'who may not read a table is not told what is kept of it');
is(cached('spy'), '', 'nor is whom a policy hides rows from');
is(sql("SELECT count(*) FROM gpuagg_cache WHERE relation = 'tenants'::regclass"), '3', 'others are');
is(said_to('spy', "SELECT rows, bytes IS NULL FROM gpuagg_prewarm('tenants', '{k}')"), '500|t', 'he has columns kept, and is told of his rows');
unlike(said_to('spy', "SELECT rows FROM gpuagg_prewarm('tenants', '{k,p}')"), qr/column "k"/, 'and why one of a type is not');
like(said_to('spy', "SELECT rows FROM gpuagg_prewarm('tenants', '{k,p}')"), qr/NOTICE:  column "p" of table "tenants" is not kept/, 'cannot be');
is(said_to('spy', "SELECT gpuagg_evict('tenants') IS NULL"), 't', 'he is not told how much he evicts');
is(sql("SELECT count(*) FROM gpuagg_cache WHERE relation = 'tenants'::regclass"), '0', 'of what he may read');

$node->stop;
done_testing();
