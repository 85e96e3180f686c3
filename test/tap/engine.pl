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

# A parallel worker gets the setting of its session, and must not look for the
# engine, which may take long: a query that has nothing to do with it would wait.
{
	my $compiler = "$ENV{TESTDIR}/gone_cc";
	my $parallel = $node->pg_version < 16 ? 'force_parallel_mode' : 'debug_parallel_query';

	symlink '/usr/bin/cc', $compiler;
	local $ENV{GPUAGG_SIMT_CC} = $compiler;
	$node->restart;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query("SET gpuagg.engine = simt; SET gpuagg.mode = off; SET $parallel = on; SET max_parallel_workers_per_gather = 1");
	like($session->query('EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*) FROM t'), qr/Workers Launched: 1/, 'a parallel worker');
	unlink $compiler;
	is($session->query('SELECT count(*) FROM t'), '30', 'and one that does not look for the engine');
	$session->quit;
	like(outcome($node, '', 'SET gpuagg.engine = simt'), qr/ERROR:  engine "simt" is not available/, 'a session does');
}

# the module for all sessions, and for one
$node->append_conf('postgresql.conf', "session_preload_libraries = ''\nshared_preload_libraries = 'gpuagg'");
$node->restart;
like(outcome($node, '', "EXPLAIN $query"), qr/GpuAgg/, 'preloaded');
is(outcome($node, '', $query), $rows, 'preloaded: its rows');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
unlike(outcome($node, '', "EXPLAIN $query"), qr/GpuAgg/, 'not loaded');
like(outcome($node, "LOAD 'gpuagg'", "EXPLAIN $query"), qr/GpuAgg/, 'loaded');
is(outcome($node, "LOAD 'gpuagg'", $query), $rows, 'loaded: its rows');

# the extension leaves and comes back
is(outcome($node, "LOAD 'gpuagg'; DROP EXTENSION gpuagg; CREATE EXTENSION gpuagg", $query), $rows, 'extension made again');

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
done_testing();
