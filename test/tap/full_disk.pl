# Temporary files that the system does not let grow, as on a full disk: PostgreSQL's own plan
# answers, and what there was of the files is gone.  A limit to the size of files stands for
# the disk's.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Cluster;
use Test::More;
use Node;

plan skip_all => 'there is no prlimit' if system('prlimit --version >/dev/null 2>&1') != 0;

# Of one session, whose other files are smaller.
my $limit = 2 * 1024 * 1024;
my $node = PostgreSQL::Test::Cluster->new('full_disk');
$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'gpuagg'
gpuagg.mode = force
gpuagg.engine = cpu
gpuagg.memory_limit = 1MB
gpuagg.setup_cost = 0
gpuagg.group_cost = 0
work_mem = 64MB
max_parallel_workers_per_gather = 0
autovacuum = off
jit = off
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE t AS SELECT i AS k, i % 7 AS v FROM generate_series(1, 60000) i;
ANALYZE t;
CHECKPOINT;
SQL

# Records of 130 bytes and more.
my $sums = join ', ', map { "sum(v::bigint + $_)" } 1 .. 8;
my $groups = "SELECT k, count(*) AS n, $sums FROM t GROUP BY k OFFSET 0";
my $query = "SELECT count(*), sum(n), sum(hashtext(g::text)) FROM ($groups) g";
my $right = outcome($node, 'SET gpuagg.mode = off', $query);
my $files = q{SELECT count(*) FROM pg_ls_dir('base/pgsql_tmp')};

unlike(outcome($node, '', "EXPLAIN (ANALYZE) $groups"), qr/Fallback/, 'the engine answers where files can grow');

my $session = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $session->query('SELECT pg_backend_pid()');
system('prlimit', "--pid=$pid", "--fsize=$limit:") == 0 or die 'prlimit failed';
like($session->query("EXPLAIN (ANALYZE) $groups"), qr/Fallback: could not write to file/, 'PostgreSQL\'s own plan takes over where they cannot');
is($session->query($query), $right, 'its rows are right');
is($session->query("SELECT n FROM (SELECT ($files) AS n, g::text FROM ($groups) g) s LIMIT 1"), 0, 'no file is left as it runs');
is($session->query("SET gpuagg.fallback = off; $query"), '', 'without it the query fails');
is($session->query('SELECT 1'), 1, 'and the session goes on');
$session->quit;

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|leak/, 'no crash, no leak');
done_testing();
