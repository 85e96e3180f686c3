# A portal that is read by some rows at a time, as drivers do that fetch a result in parts:
# all rows come, whatever plan was made.  psql cannot do that, so messages of the
# protocol are sent by hand.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Socket::UNIX;
use Test::More;
use Node;

my $node = new_node('portal', "session_preload_libraries = 'gpuagg'", 'gpuagg.mode = force', 'gpuagg.engine = cpu', 'gpuagg.fallback = off');
$node->safe_psql('postgres', 'CREATE TABLE t AS SELECT i % 10 AS k, i AS v FROM generate_series(1, 50000) i; VACUUM ANALYZE t');

my $socket;

sub put
{
	my ($type, $body) = @_;
	$socket->print($type . pack('N', 4 + length $body) . $body);
	return;
}

# The types of the messages until the server waits for the next one.
sub answers
{
	my $types = '';
	$socket->flush;
	while ($types !~ /Z/)
	{
		$socket->read(my $head, 5) == 5 or die 'end of file';
		my ($type, $length) = unpack 'a N', $head;
		$socket->read(my $body, $length - 4) if $length > 4;
		$types .= $type;
	}
	return $types;
}

sub connect_to
{
	my (@statements) = @_;
	my $parameters = "user\0" . (getpwuid $<)[0] . "\0database\0postgres\0\0";
	$socket = IO::Socket::UNIX->new($node->host . '/.s.PGSQL.' . $node->port) or die $!;
	$socket->print(pack('N N', 8 + length $parameters, 196608) . $parameters);
	unlike(answers(), qr/E/, 'connected');
	for my $statement (@statements)
	{
		put('Q', "$statement\0");
		unlike(answers(), qr/E/, $statement);
	}
	return;
}

# A query's rows, so many at a time.
sub rows_of
{
	my ($query, $at_once) = @_;
	my ($rows, $types) = (0, '');
	put('Q', "BEGIN\0");
	answers();
	put('P', "\0$query\0" . pack('n', 0));
	put('B', "p\0\0" . pack('n n n', 0, 0, 0));
	put('S', '');
	$types = answers();
	while ($types !~ /[CE]/)
	{
		put('E', "p\0" . pack('N', $at_once));
		put('S', '');
		$types = answers();
		$rows += () = $types =~ /D/g;
	}
	put('Q', "COMMIT\0");
	answers();
	return $types =~ /E/ ? 'error' : $rows;
}

my @parallel = map { "SET $_ = 0" } qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size gpuagg.setup_cost gpuagg.group_cost);
unshift @parallel, 'SET max_parallel_workers_per_gather = 2';
# in a run of each process, and in one of the device process that all feed
my @fed = ('SET gpuagg.engine = service', 'SET gpuagg.page_cost = 0.1', @parallel);
for my $settings (\@parallel, \@fed)
{
	like($node->safe_psql('postgres', join('; ', @$settings, 'EXPLAIN SELECT k, count(*) FROM t GROUP BY k')), qr/GpuAgg Partial/,
		'the plan is parallel');
}
my @failing = ('SET gpuagg.inject_failure = \'open:1:failed\'', 'SET gpuagg.fallback = on');
for my $settings ([], \@parallel, [@parallel, @failing], \@fed, [@fed, @failing])
{
	connect_to(@$settings);
	is(rows_of('SELECT k, count(*) FROM t GROUP BY k', $_), 10, "$_ rows at a time") for 1, 3, 10, 0;
	is(rows_of('SELECT k, count(*) FROM t GROUP BY k ORDER BY 2, 1 LIMIT 7', 2), 7, 'with a limit');
	is(rows_of('SELECT s.k, count(*) FROM t JOIN (SELECT k, min(v) AS m FROM t GROUP BY k) s USING (k) JOIN t u ON u.v = s.m GROUP BY s.k', 3), 10,
		'of a join');
	is(rows_of('SELECT t.k, count(*) FROM t JOIN t u USING (v) GROUP BY t.k', 3), 10, 'of a parallel join');
	is(rows_of('SELECT a, k, c FROM generate_series(1, 3) a, LATERAL (SELECT k, count(*) c FROM t WHERE v > a GROUP BY k LIMIT 4) s', 5), 12,
		'of a subquery');
	$socket->close;
}

# Groups that are on their way when a portal pauses all come into the session, and go to a
# temporary file beyond its memory; not so if a LIMIT has as many as it takes.  Of the rows, those
# are counted that PostgreSQL has, too.
my $many = 'SELECT v, count(*), sum(k) FROM t GROUP BY v';
my %native = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', "SET gpuagg.mode = off; $many");

sub files_of
{
	my ($statements, $more) = @_;
	my $set = "SET gpuagg.engine = service; SET work_mem = '64kB'; SET log_temp_files = 0; SET client_min_messages = log;" . ($more // '');
	my ($rows, $log);
	is($node->psql('postgres', "$set $statements", stdout => \$rows, stderr => \$log), 0, $statements);
	my %right = map { $_ => 1 } grep { $native{$_} } split /\n/, $rows;
	return keys(%right) . ' rows, ' . ($log =~ /LOG:  temporary file/ ? 'files' : 'none');
}

like($node->safe_psql('postgres', "SET gpuagg.engine = service; EXPLAIN $many LIMIT 10"), qr/Custom Scan .GpuAgg./, 'GpuAgg is planned');
is(files_of("BEGIN; DECLARE c CURSOR FOR $many; FETCH 10 FROM c; COMMIT"), '10 rows, files', 'a portal that pauses');
is(files_of("$many LIMIT 7 OFFSET 3"), '7 rows, none', 'a limit');
is(files_of("SELECT DISTINCT v, 1, v % 10 FROM t LIMIT 10"), '10 rows, none', 'of distinct rows');
is(files_of("BEGIN; DECLARE c CURSOR FOR $many LIMIT 10; FETCH 9 FROM c; COMMIT"), '9 rows, files', 'that has not got them all');
is(files_of("BEGIN; DECLARE c CURSOR FOR $many LIMIT 10; FETCH 9 FROM c; FETCH 9 FROM c; FETCH 9 FROM c; COMMIT"), '10 rows, files',
	'and then has');
is(files_of("SELECT s.* FROM generate_series(0, 0) a, LATERAL (SELECT v, count(*), sum(k) FROM t WHERE v > a GROUP BY v LIMIT 4) s"), '4 rows, none',
	'a limit in a subquery');
is(files_of("SELECT * FROM ($many OFFSET 0) s WHERE count > 0 LIMIT 3"), '3 rows, files', 'but not above other steps');
for my $failure (qw(open:1:failed lost:1:failed lost:2:failed))
{
	like(files_of("$many LIMIT 9000", "SET gpuagg.fallback = on; SET gpuagg.inject_failure = '$failure';"), qr/^9000 rows/, "a limit, $failure");
}
# Groups that could not be taken when the portal paused are made once more.
{
	my ($rows, $log);
	my $set = "SET gpuagg.engine = service; SET work_mem = '64kB'; SET gpuagg.inject_failure = 'settle:1:failed'";
	my $fetch = "BEGIN; DECLARE c CURSOR FOR $many; FETCH 10 FROM c; FETCH 9000 FROM c; COMMIT";

	like(files_of($fetch, "SET gpuagg.fallback = on; SET gpuagg.inject_failure = 'settle:1:failed';"), qr/^9010 rows/, 'a portal that pauses, settle fails');
	isnt($node->psql('postgres', "$set; $fetch", stdout => \$rows, stderr => \$log), 0, 'without fallback');
	like($log, qr/injected into "settle"/, 'it fails');
}
$node->stop;
done_testing();
