# Columns that stay on the device, while others read them and the tables come and go:
# partitions are attached and detached, databases dropped and made again under the same
# number, and a standby crashes.  Needs a build with TESTING=1, or a GPU.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);
use Node;
use Residence;

my $rows = 4000;       # of a partition
my $seconds = 10;      # of reading while partitions come and go
my $rounds = 4;        # of a database, and of a standby

my $node = resident_node('residence_ddl', 'wal_level = replica', 'max_wal_senders = 4', 'hot_standby = on');
my $directory = $node->basedir;

sub sql { return $node->safe_psql($_[1] // 'postgres', "SET gpuagg.mode = off; $_[0]") }

# What it makes of each group, checked as a whole.
my $groups = 'SELECT g, count(*) AS n, sum(v) AS s, max(d) AS d FROM %s GROUP BY g';
my $must_be = <<'SQL';
CREATE FUNCTION must_be(is_so boolean, what text) RETURNS void LANGUAGE plpgsql AS
'BEGIN IF is_so IS NOT TRUE THEN RAISE EXCEPTION ''INVARIANT %'', what; END IF; END';
SQL

sub checked
{
	my ($table, $condition) = @_;
	return sprintf "SELECT must_be($condition, format('%%s rows, sum %%s', sum(n), sum(s))) FROM (%s) q;\n", sprintf $groups, $table;
}

# Start pgbench with a script for some seconds: (process, its output, the script's name).
sub start_script
{
	my ($server, $database, $time, $name, $text, @options) = @_;
	my $file = "$directory/$name.sql";
	my $output = '';

	unlink $file;
	append_to_file($file, $text);
	my @command = ('pgbench', '-n', '-c', '1', '-T', $time, @options, '-h', $server->host, '-p', $server->port, '-f', $file, $database);
	return [ IPC::Run::start(\@command, '<', \'', '>', \$output, '2>', \$output, IPC::Run::timeout($time + 120)), \$output, $name ];
}

# Let them end; how many of their transactions were right.  Errors like that are no failures.
sub finish_scripts
{
	my ($expected, @scripts) = @_;
	my $processed = 0;

	for my $script (@scripts)
	{
		my ($process, $output, $name) = @$script;

		eval { $process->finish };
		unlike($$output, qr/INVARIANT|cannot finish|(?:ERROR|FATAL)(?!.*(?:$expected))/, "$name: no error") or diag($$output);
		$processed += $1 if $$output =~ /actually processed: (\d+)/;
	}
	return $processed;
}

# Blocks of a query that were resident.
sub resident
{
	my ($server, $database, $table) = @_;
	my $plan = $server->safe_psql($database, 'EXPLAIN (ANALYZE, COSTS OFF) ' . sprintf $groups, $table);
	return $plan =~ /Blocks Resident: (\d+)/ ? $1 : 0;
}

# Partitions that are attached and detached.
{
	my $found = 0;

	sql($must_be);
	sql('CREATE TABLE parted (id int NOT NULL, g int NOT NULL, v int, d date) PARTITION BY RANGE (id)');
	for my $part (1, 2)
	{
		sql("CREATE TABLE parted_$part PARTITION OF parted FOR VALUES FROM (" . ($part - 1) * $rows . ') TO (' . $part * $rows . ')');
		sql("INSERT INTO parted_$part SELECT ($part - 1) * $rows + i, i % 7, $part, date '2000-01-01' + i FROM generate_series(0, $rows - 1) i");
		sql("VACUUM parted_$part");
	}
	# the kernels are compiled
	resident($node, 'postgres', $_) for 'parted', 'parted_2';
	my @scripts = (
		start_script($node, 'postgres', $seconds, 'whole', checked('parted', "(sum(n), sum(s)) IN (($rows, $rows), (2 * $rows, 3 * $rows))")),
		start_script($node, 'postgres', $seconds, 'part', checked('parted_2', "sum(n) = $rows AND sum(s) = 2 * $rows")),
		start_script($node, 'postgres', $seconds, 'writer', "\\set i random($rows, $rows + 50)\nUPDATE parted_2 SET g = (g + 1) % 7 WHERE id = :i;\n", '-R', 10));
	my $until = time + $seconds;
	for (my $round = 0; time < $until || $round < 4; $round++)
	{
		sql('ALTER TABLE parted DETACH PARTITION parted_2' . ($round % 2 ? ' CONCURRENTLY' : ''));
		$found += resident($node, 'postgres', 'parted_2');
		sql('VACUUM parted_2') if $round % 3 == 0;
		sql("ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM ($rows) TO (2 * $rows)");
		$found += resident($node, 'postgres', 'parted');
	}
	cmp_ok(finish_scripts('deadlock', @scripts), '>', 0, 'partitions were read while they came and went');
	cmp_ok($found, '>', 0, "blocks of partitions resident: $found");
}

# A database that is dropped while it is read, and one with its number and other rows.
{
	my ($found, $read) = (0, 0);

	sql('CREATE DATABASE origin');
	sql("$must_be CREATE EXTENSION gpuagg; CREATE TABLE expected (s bigint);"
		. 'CREATE TABLE copied (id int NOT NULL, g int NOT NULL, v int, d date);'
		. "INSERT INTO copied SELECT i, i % 7, 1, date '2000-01-01' + i FROM generate_series(1, $rows) i", 'origin');
	for my $round (1 .. $rounds)
	{
		sql("UPDATE copied SET v = $round WHERE id % 10 = 0; DELETE FROM expected; INSERT INTO expected SELECT sum(v) FROM copied", 'origin');
		sql('VACUUM copied', 'origin');
		sql('CREATE DATABASE copy TEMPLATE origin OID = 50001 STRATEGY file_copy');
		my @scripts = map { start_script($node, 'copy', 60, "copy $_", checked('copied', 'sum(s) = (SELECT s FROM expected)')) } 1, 2;
		for (1 .. 3)
		{
			$found += resident($node, 'copy', 'copied');
			sleep 0.2;
		}
		sql('DROP DATABASE copy WITH (FORCE)');
		$read += finish_scripts('terminating connection', @scripts);
	}
	cmp_ok($read, '>', 0, 'the database was read when it was dropped');
	cmp_ok($found, '>', 0, "blocks of its tables resident: $found");
	sql('DROP DATABASE origin');
}

# A standby that crashes while it is read.
{
	my $standby = PostgreSQL::Test::Cluster->new('residence_ddl_standby');
	my ($found, $read) = (0, 0);

	sql("CREATE TABLE moved (id int, g int NOT NULL, v int, d date); INSERT INTO moved SELECT i, i % 7, 1, date '2000-01-01' + i FROM generate_series(1, $rows) i");
	sql('VACUUM moved');
	$node->backup('base');
	$standby->init_from_backup($node, 'base', has_streaming => 1);
	$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\nhot_standby_feedback = on");
	for my $round (1 .. 2)
	{
		$standby->start;
		my $writer = start_script($node, 'postgres', 4, 'mover',
			"\\set i random(1, 100)\nUPDATE moved SET g = (g + 1) % 7 WHERE id = :i;\n", '-R', 20);
		my @scripts = map { start_script($standby, 'postgres', 60, "standby $_", checked('moved', "sum(n) = $rows AND sum(s) = $rows")) } 1, 2;
		for (1 .. 4)
		{
			$found += resident($standby, 'postgres', 'moved');
			sql('VACUUM moved');
			sleep 0.3;
		}
		$standby->stop('immediate');
		$read += finish_scripts('terminating connection|connection.*closed', @scripts);
		finish_scripts('deadlock', $writer);
	}
	$standby->start;
	$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
	my $query = sprintf "SELECT * FROM ($groups) q ORDER BY g", 'moved';
	my $rows_there = sql($query);
	is($standby->safe_psql('postgres', $query), $rows_there, "the standby's rows are the primary's, $_") for 1, 2;
	cmp_ok($read, '>', 0, 'the standby was read when it crashed');
	cmp_ok($found, '>', 0, "blocks resident on the standby: $found");
	$standby->stop;
}

unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
$node->stop;
done_testing();
