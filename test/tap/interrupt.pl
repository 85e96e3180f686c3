# Queries that are cancelled, time out, or lose their backend, while the engine
# reads pages, while it is sent rows with long values or of other partitions, while
# groups are regrouped, while it waits for its child, and while kernels are compiled;
# what they leave behind.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run;
use PostgreSQL::Test::Utils;
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

# Is a backend gone?  It is, some time after its client.
sub has_gone
{
	my ($pid) = @_;
	return wait_for(30, sub { !$node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE pid = $pid") });
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
		ok(has_gone($pid), "$kind: no backend left");
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

# A compiler works until it may end; what it makes is not lost when the query is
# cancelled, nor when the session ends.
my $go = "$ENV{TESTDIR}/slow_cc.go";
my $log = "$ENV{TESTDIR}/slow_cc.log";
my $compiler = new_compiler('slow_cc', "printf x >>$log", "while [ ! -e $go ]; do sleep 0.05; done");
unlink $log;

my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

# How often has it been called?
sub called { return -s $log || 0 }

# Begin a query; cancel it or its session once the compiler has been called so
# often, while it works; what the client was told.
sub stopped_in_compiler
{
	my ($how, $query, $calls) = @_;
	my ($out, $err) = ('', '');

	unlink $go;
	my ($psql, $pid) = start("SET gpuagg.engine = simt; $query", \$out, \$err);
	ok(wait_for(30, sub { called() == $calls }), "compiler, $how: called $calls times");
	# the process begins to wait some time after it has started the compiler
	my ($wait, $wanted) = ('', $version < 170000 ? 'Extension|Extension' : 'Extension|GpuAggEngine');
	my $waits = "SELECT wait_event_type, wait_event FROM pg_stat_activity WHERE pid = $pid";
	wait_for(30, sub { ($wait = $node->safe_psql('postgres', $waits)) eq $wanted });
	is($wait, $wanted, "compiler, $how: the wait can be seen");
	# every process must close its files of the database
	is(outcome($node, 'CREATE DATABASE other', "SET statement_timeout = '10s'; DROP DATABASE other"), '',
		"compiler, $how: nobody else has to wait");
	$node->safe_psql('postgres', "SELECT pg_${how}_backend($pid)");
	ok(has_gone($pid), "compiler, $how: obeyed while it works");
	append_to_file($go, '');
	$psql->finish;
	ok(wait_for(30, sub { !kill 0, $pid }), "compiler, $how: the process ends after it");
	return $err;
}

{
	local $ENV{GPUAGG_SIMT_CC} = $compiler;
	local $ENV{GPUAGG_TEST_COMPILERS} = 4;
	my $simt = 'SET gpuagg.engine = simt; SET gpuagg.fallback = off';
	my $query = 'SELECT k, count(*) FROM few GROUP BY k ORDER BY k LIMIT 1';
	my $other = 'SELECT k, sum(v), min(v) FROM few GROUP BY k ORDER BY k LIMIT 1';

	$node->safe_psql('postgres', 'CREATE TABLE few AS SELECT i % 10 AS k, i AS v FROM generate_series(1, 1000) i');
	$node->restart;

	# first how pages become columns, how to sample, what the sample will choose, and top groups
	like(stopped_in_compiler('cancel', $query, 4), qr/canceling statement due to user request/, 'compiler, cancel: said so');
	is(outcome($node, $simt, $query), '0|100', 'compiler: another session has the rows');
	is(called(), 4, 'compiler: and what the first one began');
	like(stopped_in_compiler('terminate', $other, 6), qr/terminating connection/, 'compiler, terminate: said so');
	is(outcome($node, $simt, $other), '0|50500|10', 'compiler: another session has the rows');
	is(called(), 6, 'compiler: and what the first one began');

	# the same session goes on
	unlink $go;
	my $third = 'SELECT k, max(v) FROM few GROUP BY k ORDER BY k LIMIT 1';
	$session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query($simt);
	$session->query("SET statement_timeout = '100ms'; $third;");
	$session->query('RESET statement_timeout');
	append_to_file($go, '');
	is($session->query($third), '0|1000', 'compiler: the next query of a session has the rows');
	is(called(), 8, 'compiler: nothing was compiled twice');
	$session->quit;
}

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
done_testing();
