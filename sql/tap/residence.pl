# Columns that stay in device memory: what a query takes from there is what
# PostgreSQL's own plan finds, whatever happens to the table in between; who may have
# which columns kept, and see or evict them.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;
use Service;

my $node = new_node('residence', 'gpuagg.engine = simt', 'gpuagg.fallback = off');

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
unlike(said("SET ROLE reader; SELECT gpuagg_prewarm('t')"), qr/ERROR|"n"|"s"/, 'of all that he may read');
is(sql("SET ROLE reader; SELECT gpuagg_evict('t') >= 0"), 't', 'a reader may evict');

# what the planner is told: nothing yet
my $contents = $node->data_dir . '/gpuagg_device/contents';
ok(wait_for(5, sub { -e $contents }), 'there is a table of contents');
ok(!((stat $contents)[2] & 077), 'which is nobody else\'s');

$node->append_conf('postgresql.conf', 'gpuagg.cache_size = 0');
$node->reload;
like(said("SELECT gpuagg_prewarm('t')"), qr/ERROR:  no columns are kept in device memory/, 'no cache');

$node->stop;
done_testing();
