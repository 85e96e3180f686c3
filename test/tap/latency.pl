# How soon a cancelled query ends: at many moments of queries that work for long
# in one place, such as sorts, regrouping, HAVING, and results that are arrays.
#
# A busy machine makes any process wait, so what counts is the lesser of the time
# until the answer and the processor time that the backend takes for it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Time::HiRes qw(time usleep);
use Test::More;
use POSIX ();
use Node;

my $limit = 0.2;      # seconds
my $moments = 5;      # at which each query is cancelled

# collations other than C's need an encoding
my $node = new_node('latency', 'work_mem = 256MB', 'gpuagg.fallback = off', 'fsync = off');
$node->safe_psql('postgres', q{CREATE DATABASE work TEMPLATE template0 ENCODING 'UTF8'});
$node->safe_psql('work', <<'SQL');
CREATE EXTENSION gpuagg;
SET gpuagg.mode = off;
CREATE TABLE t (k int, t text, n numeric(12, 2), v int);
INSERT INTO t SELECT i, 'a text in the row of number ' || i * 7919::bigint % 1000003, i % 1000 / 4.0, i % 100
  FROM generate_series(1, 1000000) i;
CREATE TABLE parts (k int, v int, s text) PARTITION BY RANGE (k);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (200000);
CREATE TABLE parts_2 (s text, v int, k int);
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (200000) TO (400001);
INSERT INTO parts SELECT i, i % 100, i::text FROM generate_series(1, 400000) i;
VACUUM ANALYZE;
-- without statistics, for which the planner would look for the pattern
CREATE TABLE wide (s text);
ALTER TABLE wide ALTER s SET STORAGE PLAIN;
INSERT INTO wide SELECT repeat('a', 8000) FROM generate_series(1, 100);
SQL

my %queries = (
	'by key, texts' => 'SELECT array_length(gpu_sum_by_key(t COLLATE "und-x-icu", v), 1) FROM t',
	'by key, integers' => 'SELECT array_length(gpu_count_by_key(k), 1) FROM (SELECT * FROM t ORDER BY v) s',
	'by key, one array after another' => 'SELECT count(a) FROM (SELECT x, gpu_sum_by_key(k + x, v) AS a FROM t, generate_series(1, 3) x GROUP BY x) s',
	'grouping sets' => 'SELECT k, v, n, count(*), sum(v) FROM t GROUP BY CUBE (1, 2, 3) HAVING sum(v) < 0',
	'DISTINCT' => 'SELECT v % 10, count(DISTINCT k), stddev(DISTINCT n), sum(DISTINCT v) FROM t GROUP BY 1',
	'DISTINCT in lists' => 'SELECT v % 10, count(DISTINCT k), count(DISTINCT n), sum(DISTINCT v) FROM t GROUP BY 1',
	'HAVING after grouping sets' => 'SELECT k, v, sum(v) FROM t WHERE k <= 300000 GROUP BY CUBE (1, 2) HAVING ln(sum(v) + 2.0::numeric) < 0',
	'text groups' => 'SELECT t, count(*), max(t COLLATE "C") FROM t GROUP BY t HAVING count(*) > 5',
	'HAVING' => 'SELECT k, sum(v) FROM t GROUP BY k HAVING sqrt(sum(v) + 2.0::numeric) < 0',
	'variances' => 'SELECT k, variance(n), stddev(n), avg(n) FROM t GROUP BY k HAVING stddev(n) > 0',
	'partitions' => 'SELECT sum(n) FROM generate_series(1, 4) x, LATERAL (SELECT k, count(*) AS n FROM parts GROUP BY k + x, k) s WHERE n > 5',
	'rescans' => 'SELECT sum(n) FROM generate_series(1, 20) x, LATERAL (SELECT v % x AS m, count(*) AS n FROM t GROUP BY 1) s',
	'a pattern' => q{SELECT count(*) FROM wide WHERE s LIKE '%' || repeat('a', 500) || '_b%'},
	'a long list' => 'SELECT v, count(*) FROM t WHERE k = ANY ((SELECT array_agg((i * 7919::bigint % 4000037)::int) FROM generate_series(1, 4000000) i)::int[]) GROUP BY v');

my $session = $node->background_psql('work', on_error_stop => 0);
my $pid = $session->query('SELECT pg_backend_pid()');

# Seconds of processor time that the backend has taken.
sub processor_time
{
	open(my $in, '<', "/proc/$pid/stat") or die $!;
	my @fields = split ' ', <$in> =~ s/.*\) //r;
	return ($fields[11] + $fields[12]) / POSIX::sysconf(&POSIX::_SC_CLK_TCK);
}

# Begin a query; then wait for its end.
sub begin { $session->query_until(qr/began/, "\\echo began\n$_[0];\n") }
sub finish
{
	$session->query_until(qr/ended/, "\\echo ended\n");
	my $errors = $session->{stderr};
	$session->{stderr} = '';
	return $errors;
}

# How long a query takes.
sub duration
{
	my $began = time;

	begin($_[0]);
	is(finish(), '', "$_[1]: runs");
	return time - $began;
}

# Cancel a query after some seconds: how long its end takes, or undef: it was
# not running any more.
sub cancelled
{
	my ($query, $after) = @_;

	begin($query);
	usleep($after * 1e6);
	my ($now, $used) = (time, processor_time());
	kill 'INT', $pid;
	my $errors = finish();
	my $waited = time - $now;
	$used = processor_time() - $used;
	return undef if $errors !~ /canceling statement due to user request/;
	return $waited < $used ? $waited : $used;
}

for my $kind (grep { !@ARGV || $_ eq $ARGV[0] } sort keys %queries)
{
	my $query = $queries{$kind};
	my $plan = $node->safe_psql('work', "EXPLAIN $query");

	like($plan, $kind =~ /by key/ ? qr/Aggregate/ : qr/GpuAgg/, "$kind: taken");
	my $takes = duration("SELECT * FROM ($query) q OFFSET 1000000000", $kind);
	my ($worst, $cancelled) = (0, 0);
	for my $moment (1 .. $moments)
	{
		my $after = $takes * $moment / ($moments + 1);
		my $waited = cancelled($query, $after) // next;

		# what else the machine did meanwhile does not come back
		$waited = cancelled($query, $after) // 0 if $waited > $limit;
		$cancelled++;
		$worst = $waited if $waited > $worst;
	}
	cmp_ok($cancelled, '>', 0, "$kind: cancelled");
	cmp_ok($worst, '<=', $limit, sprintf '%s: ends soon: %.2f of %.1f s', $kind, $worst, $takes);
}

$session->quit;
$node->stop;
done_testing();
