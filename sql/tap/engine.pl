# Engines that are not there, and places to name them and the module in.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;

my $node = new_node('engine');
$node->safe_psql('postgres', 'CREATE TABLE t AS SELECT i % 3 AS k FROM generate_series(1, 30) i');
my $query = 'SELECT k, count(*) FROM t GROUP BY k ORDER BY k';
my $rows = "0|10\n1|10\n2|10";

is(outcome($node, 'SET gpuagg.engine = auto', $query), $rows, 'engine auto');
is(outcome($node, 'SET gpuagg.engine = cpu', $query), $rows, 'engine cpu');

SKIP:
{
	skip 'there is a GPU', 4 if -e '/dev/nvidiactl';

	my ($stdout, $stderr);
	$node->psql('postgres', 'SET gpuagg.engine = cuda', stdout => \$stdout, stderr => \$stderr);
	like($stderr, qr/ERROR:  engine "cuda" is not available/, 'engine cuda without a GPU');
	like($stderr, qr/HINT:  \S/, 'with a hint');

	# in a file it is told when a query would use it, and does not keep one out
	$node->append_conf('postgresql.conf', 'gpuagg.engine = cuda');
	$node->restart;
	is(outcome($node, '', 'SELECT 1'), '1', 'sessions start');
	like(outcome($node, '', $query), qr/ERROR:  engine "cuda" is not available/, 'and say so when asked');
	$node->append_conf('postgresql.conf', 'gpuagg.engine = auto');
	$node->restart;
}

# the module in every place that it can be loaded in
for my $where ('shared_preload_libraries', 'local_preload_libraries')
{
	$node->append_conf('postgresql.conf', "session_preload_libraries = ''");
	$node->append_conf('postgresql.conf', $where eq 'shared_preload_libraries' ? "$where = 'gpuagg'" : "shared_preload_libraries = ''");
	$node->restart;
	my $load = $where eq 'shared_preload_libraries' ? '' : "LOAD 'gpuagg'";
	like(outcome($node, $load, "EXPLAIN $query"), qr/GpuAgg/, $where eq 'shared_preload_libraries' ? $where : 'LOAD');
	is(outcome($node, $load, $query), $rows, 'its rows');
}

# the extension leaves and comes back
is(outcome($node, "LOAD 'gpuagg'; DROP EXTENSION gpuagg; CREATE EXTENSION gpuagg", $query), $rows, 'extension made again');

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
done_testing();
