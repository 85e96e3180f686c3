# Queries that are cancelled, time out, or lose their backend, while the engine
# reads pages, while it is sent rows with long values or of other partitions, while
# groups are regrouped, while it waits for its child, and while kernels are compiled;
# what they leave behind.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run;
use Time::HiRes qw(time usleep);
use Test::More;
use Node;

my $node = new_node('interrupt', 'statement_timeout = 60s');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE big (k int, v int);
INSERT INTO big SELECT i % 1000, i FROM generate_series(1, 200000) i;
VACUUM ANALYZE big;
CREATE TABLE long (t text);
INSERT INTO long SELECT repeat('long ' || i % 7, 2000) FROM generate_series(1, 3000) i;
CREATE TABLE parts (k int, v int) PARTITION BY RANGE (v);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (60000);
CREATE TABLE parts_2 (v int, k int);
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (60000) TO (100001);
INSERT INTO parts SELECT i % 1000, i FROM generate_series(1, 100000) i;
VACUUM ANALYZE long, parts;
CREATE FUNCTION slow(v int) RETURNS int LANGUAGE plpgsql STABLE AS $$
BEGIN
	PERFORM pg_sleep(0.05);
	RETURN v;
END $$;
SQL

# each would take far longer than any of the tests
my %long = (
	'heap pages' => 'SELECT count(*), sum(n) FROM generate_series(1, 100000) x,'
	  . ' LATERAL (SELECT v % x AS m, count(*) AS n FROM big GROUP BY 1) s',
	'long values' => 'SELECT count(*), sum(n) FROM generate_series(1, 100000) x,'
	  . ' LATERAL (SELECT length(t) % x AS m, count(*) AS n FROM long GROUP BY 1) s',
	'partitions' => 'SELECT count(*), sum(n) FROM generate_series(1, 100000) x,'
	  . ' LATERAL (SELECT v % x AS m, count(*) AS n FROM parts GROUP BY 1) s',
	'grouping sets' => 'SELECT count(*), sum(n) FROM generate_series(1, 100000) x,'
	  . ' LATERAL (SELECT v % x AS m, k, count(*) AS n FROM big GROUP BY CUBE (v % x, k, v)) s',
	'child plan' => 'SELECT k, sum(w) FROM (SELECT k, slow(v) AS w FROM big OFFSET 0) s GROUP BY k');

# Start the query in a psql of its own; wait until it runs; give its backend.
sub start
{
	my ($query, $out, $err) = @_;
	my $psql = IPC::Run::start(
		[ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', "/* ours */ $query" ],
		'<', \'', '>', $out, '2>', $err, IPC::Run::timeout(60));
	my $find = q{SELECT min(pid) FROM pg_stat_activity WHERE query LIKE '/* ours */%' AND state = 'active'
		AND clock_timestamp() > query_start + interval '0.3 s'};
	my $pid = '';

	for (1 .. 100)
	{
		$pid = $node->safe_psql('postgres', $find);
		last if $pid;
		usleep(100_000);
	}
	return ($psql, $pid);
}

for my $kind (sort keys %long)
{
	my $plan = $node->safe_psql('postgres', "EXPLAIN $long{$kind}");
	like($plan, qr/GpuAgg/, "$kind: taken");

	my $began = time;
	like(outcome($node, "SET statement_timeout = '500ms'", $long{$kind}),
		qr/canceling statement due to statement timeout/, "$kind: times out");
	cmp_ok(time - $began, '<', 10, "$kind: in time");

	for my $how ('cancel', 'terminate')
	{
		my ($out, $err) = ('', '');
		my ($psql, $pid) = start($long{$kind}, \$out, \$err);
		$began = time;
		is($node->safe_psql('postgres', "SELECT pg_${how}_backend($pid)"), 't', "$kind: $how sent");
		$psql->finish;
		cmp_ok(time - $began, '<', 10, "$kind: $how obeyed in time");
		like($err, $how eq 'cancel' ? qr/canceling statement due to user request/ : qr/terminating connection/,
			"$kind: $how obeyed");
		is($node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE pid = $pid"), 0,
			"$kind: no backend left");
	}
}

# no pins or locks are left behind: the table can be emptied
is(outcome($node, 'SET lock_timeout = 5000', 'TRUNCATE big, long, parts; SELECT count(*) FROM big'), '0', 'no locks left');

# Memory in one session, after as many errors as there may be.
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $session->query('SELECT pg_backend_pid()');
$session->query('INSERT INTO big SELECT i, i FROM generate_series(1, 200000) i');
$session->query("INSERT INTO long SELECT repeat('long ' || i % 7, 2000) FROM generate_series(1, 3000) i");
my $failing = 'SELECT k, sum(v / (k - 150000)) FROM big GROUP BY k;';

# Kilobytes: the process's, and those of PostgreSQL's memory contexts.
sub resident
{
	open(my $in, '<', "/proc/$pid/status") or die $!;
	my ($line) = grep { /^RssAnon/ } <$in>;
	return $line =~ /(\d+)/ ? $1 : 0;
}
sub contexts { $session->query('SELECT sum(total_bytes) / 1024 FROM pg_backend_memory_contexts') }

sub fail_often
{
	my ($times) = @_;

	for (1 .. $times)
	{
		$session->query($failing);
		$session->query("SET statement_timeout = '15ms'; SELECT k, count(*) FROM big GROUP BY k; RESET statement_timeout");
		$session->query('RESET statement_timeout');
		$session->query("SET statement_timeout = '15ms'; SELECT t, count(*) FROM long GROUP BY t");
		$session->query('RESET statement_timeout');
	}
}

fail_often(5);
my ($resident, $contexts) = (resident(), contexts());
fail_often(30);
cmp_ok(resident(), '<', $resident + 16 * 1024, 'process memory after 90 errors');
cmp_ok(contexts(), '<', $contexts + 512, 'memory contexts after 90 errors');
is($session->query('SELECT count(*) FROM (SELECT k, count(*) FROM big GROUP BY k) s'), 200000, 'the session goes on');
$session->quit;

# a compiler takes its time; what it makes is not lost when the query is cancelled
my $compiler = "$ENV{TESTDIR}/slow_cc";
open(my $script, '>', $compiler) or die "$compiler: $!";
print $script "#!/bin/sh\necho >>$compiler.log; sleep 3; exec cc \"\$@\"\n";
close $script;
chmod 0755, $compiler;
{
	local $ENV{GPUAGG_SIMT_CC} = $compiler;
	my $query = 'SELECT k, count(*) FROM few GROUP BY k ORDER BY k LIMIT 1';
	my $other = 'SELECT k, sum(v), min(v) FROM few GROUP BY k ORDER BY k LIMIT 1';
	my $count = sub { open(my $log, '<', "$compiler.log") or return 0; return scalar(() = <$log>) };

	$node->safe_psql('postgres', 'CREATE TABLE few AS SELECT i % 10 AS k, i AS v FROM generate_series(1, 1000) i; VACUUM few');
	$node->restart;
	$session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query('SET gpuagg.engine = simt; SET gpuagg.fallback = off');
	my $began = time;
	$session->query("SET statement_timeout = '300ms'; $query;");
	cmp_ok(time - $began, '<', 2, 'compiler: times out in time');
	my $called = $count->();
	cmp_ok($called, '>', 0, 'compiler: it had been called');
	$session->query('RESET statement_timeout');
	is($session->query($query), '0|100', 'compiler: the next query has the rows');
	is($count->(), $called + 1, 'compiler: nothing was compiled twice');

	$pid = $session->query('SELECT pg_backend_pid()');
	$session->query("SET statement_timeout = '300ms'; $other");
	$called = $count->();
	$session->quit;
	for (1 .. 100)
	{
		last unless kill 0, $pid;
		usleep(100_000);
	}
	is(outcome($node, 'SET gpuagg.fallback = off; SET gpuagg.engine = simt', $other),
		'0|50500|10', 'compiler: another session has the rows');
	is($count->(), $called + 1, 'compiler: and what the first one began');
}

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
done_testing();
