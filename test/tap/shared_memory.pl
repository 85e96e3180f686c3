# Parallel aggregation where the machine has less shared memory than the groups may take, as
# a container whose /dev/shm is small: the rest goes to files.  A limit to the size of files,
# which holds for segments of shared memory, too, stands for the machine's.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX qw(WNOHANG);
use PostgreSQL::Test::Cluster;
use Test::More;
use Time::HiRes qw(usleep);
use Node;

plan skip_all => 'there is no prlimit' if system('prlimit --version >/dev/null 2>&1') != 0;

# Other files are smaller than the limit.
my $node = PostgreSQL::Test::Cluster->new('shared_memory');
$node->init(extra => [ '--no-locale', '--encoding=UTF8', '--wal-segsize=1' ]);
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'gpuagg'
gpuagg.mode = force
gpuagg.engine = cpu
gpuagg.fallback = off
gpuagg.setup_cost = 0
gpuagg.group_cost = 0
max_worker_processes = 24
max_parallel_workers = 16
max_parallel_workers_per_gather = 3
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
random_page_cost = 0
seq_page_cost = 0
work_mem = 64MB
autovacuum = off
jit = off
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE t AS SELECT i AS k, i % 7 AS v FROM generate_series(1, 100000) i;
ANALYZE t;
SQL

# Records of 130 bytes and more.
my $sums = join ', ', map { "sum(v::bigint + $_)" } 1 .. 8;
my $groups = "SELECT k, count(*) AS n, $sums FROM t GROUP BY k OFFSET 0";
my $query = "SELECT count(*), sum(n), sum(hashtext(g::text)) FROM ($groups) g";
my $right = outcome($node, 'SET gpuagg.mode = off', $query);
my $limit = 3 * 1024 * 1024;
my ($postmaster) = split /\n/, PostgreSQL::Test::Utils::slurp_file($node->data_dir . '/postmaster.pid');

like(outcome($node, '', "EXPLAIN $groups"), qr/GpuAgg Partial/, 'the plan is parallel');
unlike(outcome($node, '', "EXPLAIN (ANALYZE) $groups"), qr/Disk Usage/, 'the groups fit the memory');

# Many processes want another segment at once: one of them makes it.
$node->safe_psql('postgres', 'CREATE TABLE many AS SELECT * FROM t; INSERT INTO many SELECT k + 100000 * i, v FROM t, generate_series(1, 3) i; ALTER TABLE many SET (parallel_workers = 12); ANALYZE many');
my $by_many = $query =~ s/FROM t GROUP/FROM many GROUP/r;
my $of_many = outcome($node, 'SET gpuagg.mode = off', $by_many);
my $most = 0;
for (1 .. 3)
{
	my $pid = fork // die 'fork failed';
	exec('true') if $pid == 0 && outcome($node, 'SET max_parallel_workers_per_gather = 12', $by_many) ne $of_many;
	if ($pid == 0)
	{
		sleep 1;
		exec('sh', '-c', 'exit 3');
	}
	while (waitpid($pid, WNOHANG) == 0)
	{
		my $bytes = 0;
		$bytes += -s $_ // 0 for glob '/dev/shm/PostgreSQL.*';
		$most = $bytes if $bytes > $most;
		usleep(500);
	}
	is($? >> 8, 3, 'the rows are right with twelve workers');
}
cmp_ok($most, '<', 256 * 1024 * 1024, 'they have not more shared memory than they need');

# of all processes that begin from now on
system('prlimit', "--pid=$postmaster", "--fsize=$limit:") == 0 or die 'prlimit failed';
like(outcome($node, '', "EXPLAIN (ANALYZE) $groups"), qr/Disk Usage/, 'some go to files where it ends');
is(outcome($node, '', $query), $right, 'the rows are right');
is(outcome($node, 'SET parallel_leader_participation = off', $query), $right, 'and without the leader');
is(outcome($node, 'SET enable_material = off', "SELECT x, count(s) FROM generate_series(0, 2) x LEFT JOIN ($groups) s ON s.n > x GROUP BY x ORDER BY x"),
	"0|100000\n1|0\n2|0", 'and when the plan is run again');

# A session that goes on after errors and cancels has nothing of them in its memory.
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $session->query('SELECT pg_backend_pid()');
$session->query($query);
my $before = mapped();
$session->query("SELECT 1 / (n - 1) FROM ($groups) g");
$session->query("DO \$\$ BEGIN PERFORM 1 / (n - 1) FROM ($groups) g; EXCEPTION WHEN division_by_zero THEN NULL; END \$\$");
for my $milliseconds (map { $_ * 10 } 1 .. 10)
{
	$session->query("SET statement_timeout = $milliseconds");
	$session->query($query);
}
is(mapped(), $before, 'an error leaves no shared memory in a session');
$session->query('RESET statement_timeout');
is($session->query($query), $right, 'which goes on');
$session->quit;

# A leader that has no shared memory to tell workers what to do aggregates alone.  PostgreSQL's
# own segment is smaller than this, but for that of types of records.
my $plain = "SELECT count(*), sum(n), sum(k) FROM ($groups) g";
my $leader = $node->background_psql('postgres', on_error_stop => 0);
$pid = $leader->query('SELECT pg_backend_pid()');
$leader->query($plain);
$before = mapped();
system('prlimit', "--pid=$pid", '--fsize=' . 512 * 1024 . ':') == 0 or die 'prlimit failed';
my $child = $plain =~ s/FROM t GROUP/FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE k < 0) t GROUP/r;
for my $engine ('cpu', 'service')
{
	$leader->query("SET gpuagg.engine = $engine; SET gpuagg.page_cost = 0.1");
	for my $aggregation ($plain, $child)
	{
		like($leader->query("EXPLAIN $aggregation"), qr/GpuAgg Partial/, "$engine: the plan is parallel");
		is($leader->query($aggregation), '100000|100000|5000050000', "$engine: the leader alone has the right rows");
	}
	is($leader->query("SET enable_material = off; SELECT x, count(k) FROM generate_series(0, 1) x LEFT JOIN ($groups) s ON s.n > x GROUP BY x ORDER BY x"),
		"0|100000\n1|0", "$engine: and when the plan is run again");
}
is(mapped(), $before, 'it has no shared memory afterwards');
$leader->quit;
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, 'no file is left');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/WARNING|still referenced/, 'nor anything else');
$node->stop;
done_testing();

# How many segments of shared memory the session has mapped.
sub mapped
{
	return scalar grep { m{/dev/shm/} } split /\n/, PostgreSQL::Test::Utils::slurp_file("/proc/$pid/maps");
}
