# The device process is killed while it runs queries: every answer is right, the server
# does not restart, and the device process is back soon.  Needs a build with TESTING=1.
#
# GPUAGG_TEST_ENGINE (simt): the engine, on the simulated device or, cuda, on a real one, which
# takes a new process so long to open that the process dies at every second message only.
# GPUAGG_KILL_QUERIES (1000): how many queries the sessions run at least while it is
# killed at random.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);
use PostgreSQL::Test::Utils;
use Node;
use Service;

my $sessions = 16;
my $wanted = $ENV{GPUAGG_KILL_QUERIES} // 1000;
my $engine = $ENV{GPUAGG_TEST_ENGINE} // 'simt';
my $step = $engine eq 'cuda' ? 2 : 1;

my $node = new_node('service_kill', "gpuagg.engine = $engine", 'gpuagg.longest_pause = 50ms', 'max_connections = 40',
	'shared_buffers = 16MB', 'log_statement = none', "shared_preload_libraries = 'gpuagg'",
	'max_parallel_workers_per_gather = 2', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 100MB',
	'gpuagg.setup_cost = 0', 'gpuagg.page_cost = 0.1', 'gpuagg.tuple_cost = 0.0001', 'gpuagg.operator_cost = 0.0001', 'gpuagg.group_cost = 0');
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t (k int, v int, c text, n numeric(10,2));
INSERT INTO t SELECT i % 300, i, 'text ' || i % 7, i / 100.0 FROM generate_series(1, 20000) i;
-- some rows with a value that engines leave out
INSERT INTO t SELECT i % 300, i, repeat('long ', 2000) || i % 3, 1 FROM generate_series(1, 20) i;
-- read by workers, which the others are not
CREATE TABLE many (LIKE t);
INSERT INTO many SELECT * FROM t;
ALTER TABLE many SET (parallel_workers = 2);
CREATE TABLE names AS SELECT i AS k FROM generate_series(0, 299) i;
VACUUM ANALYZE t, many, names;
SQL

my %queries = (
	'pages' => 'SELECT k, count(*), sum(v), min(v) FROM t GROUP BY k ORDER BY k',
	'no key' => 'SELECT count(*), max(v), sum(n) FROM t WHERE v > 700',
	'left rows' => 'SELECT md5(c), count(*), max(v) FROM (SELECT c, count(*), max(v) v FROM t GROUP BY c) s GROUP BY 1 ORDER BY 1',
	'child plan' => 'SELECT k, avg(v) FROM (SELECT * FROM t OFFSET 1) s GROUP BY k ORDER BY k',
	# that workers feed
	'workers' => 'SELECT k, count(*), max(c), sum(n) FROM many GROUP BY k ORDER BY k',
	'a join in workers' => 'SELECT k, count(*), sum(v) FROM many JOIN names USING (k) GROUP BY k ORDER BY k');
my @names = sort keys %queries;
my %native = map { $_ => outcome($node, 'SET gpuagg.mode = off', $queries{$_}) } @names;
is(scalar(grep { outcome($node, '', "EXPLAIN $queries{$_}") =~ /Parallel Custom Scan/ } @names), 2, 'two queries have workers');

sub log_of { return slurp_file($node->logfile) }

my $session = $node->background_psql('postgres', on_error_stop => 0);
my $backend = $session->query('SELECT pg_backend_pid()');

ok(wait_for_service($node), 'it serves');
is(outcome($node, 'SET gpuagg.fallback = off', $queries{$_}), $native{$_}, "$_: no failure") for @names;

# Those that several devices divide, which are those over pages.
my $devices = dealt_over();
sub is_dealt { return outcome($node, '', "EXPLAIN (ANALYZE, COSTS OFF) $queries{$_[0]}") =~ /Devices: $devices$/m }
my @dealt = $devices > 1 ? grep { $_ ne 'child plan' } @names : ();
is_deeply([ grep { is_dealt($_) } @names ], \@dealt, 'what is dealt over devices');

# It dies at each message of each query, or each $step-th: as one comes, and before one is sent.
for my $i (0 .. $#names)
{
	my $name = $names[$i];
	my $n = -($i % $step);
	my ($bad, $late, $died) = (0, 0, 1);
	while ($died && $n < 100)
	{
		$n += $step;
		my $pid = replace_device_process($node, $n);
		$late++ unless $pid;
		$bad++ unless outcome($node, '', $queries{$name}) eq $native{$name};
		$died = wait_for(1, sub { is_gone($pid) });
	}
	is($bad, 0, "$name: right answers, whenever it dies");
	is($late, 0, "$name: it is back within 5 s each time");
	cmp_ok($n, '>', 4, "$name: it died at its messages");
	ok(!$died, "$name: and then did not");
	note("$name: at most ", $n - 1, ' messages');
}
ok(replace_device_process($node, 0), 'it serves');

# It is killed at random while sessions run: until they have run the wanted queries and
# it has been killed often, whichever takes longer on this machine.
my $script = "$ENV{TESTDIR}/service_kill.sql";
my $each = int($wanted / $sessions / @names) + 1;
{
	open(my $file, '>', $script) or die $!;
	# one that waits for ever is an error
	print $file "SET statement_timeout = '60s';\n";
	print $file "\\echo $_\n$queries{$_};\n" for map { @names } 1 .. $each;
	close $file;
}
my ($kills, $rounds, $late, $old) = (0, 0, 0, 0);
my ($answered, $errors, %bad) = (0, '');

# The sessions' outputs of one round, while it is killed.
sub killed_round
{
	my (@runs, @out, @err);
	for my $i (0 .. $sessions - 1)
	{
		($out[$i], $err[$i]) = ('', '');
		push @runs, IPC::Run::start(['psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $script],
			'>', \$out[$i], '2>', \$err[$i]);
	}
	my $ends = time + 120 + 0.2 * $wanted;
	while (grep { $_->pumpable } @runs)
	{
		my $until = time + rand(0.6);
		while (time < $until) { $_->pump_nb for grep { $_->pumpable } @runs; sleep 0.01 }
		$old = wait_for_service($node, $old);
		$late++ unless $old;
		kill +(qw(KILL SEGV))[ rand 2 ], $old if $old;
		$kills++;
		die 'no end' if time > $ends;
	}
	$_->finish for @runs;
	$errors .= join '', grep { /ERROR|FATAL|server closed/ } map { split /^/ } @err;
	return @out;
}

while ($rounds == 0 || $kills < 10 && $rounds < 20)
{
	$rounds++;
	for my $out (killed_round())
	{
		my @parts = split /^(pages|no key|left rows|child plan|workers|a join in workers)\n/m, $out;
		shift @parts;
		while (my ($name, $rows) = splice @parts, 0, 2)
		{
			chomp $rows;
			$answered++;
			$bad{$name}++ if $rows ne $native{$name};
		}
	}
}
note("$kills kills, $answered answers");
is($answered, $each * @names * $sessions * $rounds, 'every query is answered');
is_deeply(\%bad, {}, 'with the right rows');
is($errors, '', 'without an error');
is($late, 0, 'it was back within 5 s each time');
cmp_ok($kills, '>=', 10, 'it was killed often');

is($session->query('SELECT pg_backend_pid()'), $backend, 'no session has ended');
$session->quit;
unlike(log_of($node), qr/terminating any other active server processes|PANIC/, 'the server has not restarted');
ok(wait_for_service($node, $old), 'it serves in the end');
is(outcome($node, 'SET gpuagg.fallback = off', $queries{$_}), $native{$_}, "$_: no failure in the end") for @names;
is_deeply([ grep { is_dealt($_) } @names ], \@dealt, 'and as many devices');
my ($last) = device_process($node);
$node->stop;
ok(is_gone($last), 'and ends with the server');
done_testing();
