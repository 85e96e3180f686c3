# gpuagg.prewarm_at_start: what was kept in device memory is kept again after a restart, as far
# as it is still there; and what can happen meanwhile.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Residence;
use Service;

# Settings that the worker's queries must not take over stand for all sessions.
my $node = resident_node('prewarm_at_start', "shared_preload_libraries = 'gpuagg'", 'gpuagg.prewarm_at_start = on',
	'gpuagg.longest_pause = 1s', 'wal_level = replica', 'max_wal_senders = 2', 'track_counts = on',
	"default_transaction_isolation = 'serializable'", 'gpuagg.queue_timeout = 0');
my $file = $node->data_dir . '/gpuagg_device/kept';
my $seen = 0;

sub sql
{
	my ($query, $database, $server) = @_;
	return ($server // $node)->safe_psql($database // 'postgres',
		"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED; $query");
}

# What the log says since the server was started last.
sub logged { return slurp_file($_[0] // $node->logfile, $_[0] ? 0 : $seen) }

# What is kept of a database's tables.
sub kept { return sql('SELECT relation, attribute, rows FROM gpuagg_cache ORDER BY relation::text, 2', $_[0]) }

# So many databases have been gone through, and the last worker's end is noted.
sub is_done
{
	my ($databases) = @_;
	return wait_for(30, sub { my @done = logged() =~ /gpuagg has prewarmed/g; return @done >= $databases })
		&& wait_for(10, sub { !-e "$file.begun" });
}

# Stop the server, do something, start it.
sub begin_again
{
	my ($how, $between) = @_;

	$node->stop($how // 'fast');
	$between->() if $between;
	$seen = -s $node->logfile;
	$node->start;
	return;
}

# The process that goes through a database, while it waits for a table's lock.
sub waiting_worker
{
	my $worker;

	wait_for(20, sub { $worker = sql("SELECT pid FROM pg_stat_activity
		WHERE backend_type = 'gpuagg prewarm worker' AND wait_event_type = 'Lock'") });
	return $worker;
}

sub lock_table { return sql("BEGIN; LOCK ONLY $_[0]; PREPARE TRANSACTION 'lock'") }
sub unlock_table { return sql("ROLLBACK PREPARED 'lock'") }

# Have a table's columns kept, and wait until all that is kept of the database is in the table of
# contents: a head of 16 bytes and CacheRows (service/wire/protocol.h).
sub prewarm
{
	my ($arguments, $database) = @_;

	sql("SELECT gpuagg_prewarm($arguments)", $database);
	my @kept = split /\n/, sql('SELECT DISTINCT relation::oid, attnum FROM gpuagg_cache_list() JOIN pg_attribute
		ON attrelid = relation AND attname = attribute', $database);
	return wait_for(5, sub {
		my $contents = slurp_file($node->data_dir . '/gpuagg_device/contents');
		my @contents = unpack '(x12 L l x60)*', substr($contents, 16);
		my %told;

		while (my ($relation, $attno) = splice @contents, 0, 2) { $told{"$relation|$attno"} = 1 }
		return !grep { !$told{$_} } @kept });
}

sub write_file
{
	my ($text) = @_;
	open(my $out, '>', $file) or die "$file: $!";
	print $out $text;
	close $out or die "$file: $!";
	return;
}

sql(q{CREATE ROLE owner; GRANT CREATE ON SCHEMA public TO owner;
	CREATE TABLE t AS SELECT i % 10 AS k, i AS v, (i % 50)::text AS s FROM generate_series(1, 20000) i;
	CREATE TABLE d AS SELECT i AS a FROM generate_series(1, 10000) i;
	CREATE TABLE p (a int, b int) PARTITION BY LIST (a);
	CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
	CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
	INSERT INTO p SELECT 1 + i % 2, i FROM generate_series(1, 10000) i;
	CREATE TABLE parent AS SELECT i AS a FROM generate_series(1, 10000) i;
	CREATE TABLE child () INHERITS (parent);
	INSERT INTO child SELECT i AS a FROM generate_series(1, 5000) i;
	CREATE TABLE owned AS SELECT i AS a, 7 AS b FROM generate_series(1, 10000) i;
	ALTER TABLE owned OWNER TO owner;
	CREATE FUNCTION tells(i int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
		$$BEGIN RAISE LOG 'for % it runs as % after %', i, current_user, current_setting('tells.last', true);
			PERFORM set_config('tells.last', i::text, false); RETURN i; END$$;
	CREATE INDEX ON owned ((a + tells(1)));
	CREATE INDEX ON parent ((a + tells(2)))});
sql("CREATE DATABASE $_") for qw(other gone);
sql('CREATE EXTENSION gpuagg; CREATE TABLE o AS SELECT i AS a FROM generate_series(1, 10000) i', $_) for qw(other gone);
sql('VACUUM ANALYZE', $_) for qw(postgres other gone);
prewarm($_) for "'t', '{k,v}'", map { "'$_'" } qw(d p parent owned);
prewarm("'o'", $_) for qw(other gone);

# a restart
my $all = kept();
is($all, join("\n", map { "$_->[0]|$_->[1]|$_->[2]" } ['child', 'a', 5000], ['d', 'a', 10000], ['owned', 'a', 10000], ['owned', 'b', 10000],
	(map { ["p$_", 'a', 5000], ["p$_", 'b', 5000] } 1, 2), ['parent', 'a', 10000], ['t', 'k', 20000], ['t', 'v', 20000]), 'what is kept');
begin_again();
ok(is_done(3), 'after a restart three databases are gone through');
is(kept(), $all, 'what was kept is kept again');
is(kept('other'), 'o|a|10000', 'in another database, too');
my $pages = blocks_with_rows($node, 'postgres', 't');
like(sql('EXPLAIN (ANALYZE, COSTS OFF) SELECT k, sum(v) FROM t GROUP BY k'), qr/Blocks Resident: $pages\n/, 'the first query finds all blocks resident');
is(join(' ', logged() =~ /for 1 it runs as (\w+)/g) =~ s/(owner)( owner)*/$1/r, 'owner', 'what planning runs of a table, its owner runs');
like(logged(), qr/for 2 it runs/, 'of another table, too');
unlike(logged(), qr/for 1 it runs as \w+ after 2|for 2 it runs as \w+ after 1/, 'and what it sets is not there for the next table');
is((stat $file)[2] & 0777, 0600, 'the names are nobody else\'s');

# a crash, and a device process that dies
begin_again('immediate');
ok(is_done(3), 'after a crash');
is(kept(), $all, 'it is kept again');
my $device = wait_for_service($node);
may_end($device);
kill 'KILL', $device;
ok(is_done(6), 'when the device process has died');
is(kept(), $all, 'it is kept again by the next one');

# off, and on again
$node->append_conf('postgresql.conf', 'gpuagg.prewarm_at_start = off');
begin_again();
is(kept(), '', 'if off, nothing is');
prewarm("'o'", 'other');
$node->append_conf('postgresql.conf', 'gpuagg.prewarm_at_start = on');
begin_again();
ok(is_done(1), 'on again: what was kept meanwhile');
is(kept() . kept('other'), 'o|a|10000', 'is kept');
prewarm($_) for "'t', '{k,v}'", map { "'$_'" } qw(d p parent owned);
prewarm("'o'", 'gone');

# what is not as it was
sql('DROP DATABASE gone');
sql('DROP TABLE d; ALTER TABLE owned DROP COLUMN b; ALTER TABLE p1 SET UNLOGGED; DROP TABLE t CASCADE;
	CREATE TABLE t AS SELECT i % 10 AS k, i AS v FROM generate_series(1, 20000) i');
sql('VACUUM FULL parent');
sql('VACUUM parent, t');
ok(wait_for(20, sub { kept() !~ /parent/ }), 'what is kept of a file that is gone is given back');
begin_again();
ok(is_done(2), 'after changes');
$all = "child|a|5000\nowned|a|10000\np2|a|5000\np2|b|5000\nparent|a|10000";
is(kept(), $all, 'what is still there is kept again');
is(kept('other'), 'o|a|10000', 'in the database that is still there');
unlike(logged(), qr/FATAL|ERROR|could not/, 'and nothing is amiss');

# a table that is locked, and the server stops meanwhile
lock_table('parent');
begin_again();
ok(waiting_worker(), 'a locked table is waited for');
like(sql("SELECT query, datname FROM pg_stat_activity WHERE backend_type = 'gpuagg prewarm worker'"), qr/^gpuagg prewarm of table "parent"\|postgres$/, 'as pg_stat_activity tells');
begin_again();
ok(waiting_worker(), 'after a restart meanwhile it is waited for again');
unlock_table();
ok(is_done(2) && kept() eq $all, 'and nothing was forgotten') or diag(kept());

# for a while
lock_table('parent');
begin_again();
ok(is_done(2), 'a table that is locked for long');
like(logged(), qr/LOG:  gpuagg could not prewarm the table with OID \d+: canceling statement due to lock timeout\n/, 'is left out');
is(kept(), $all =~ s/\nparent.*//r, 'and the others are not');
unlock_table();
prewarm("'parent'");

# the server crashes meanwhile
lock_table('parent');
begin_again();
ok(waiting_worker(), 'a locked table is waited for');
begin_again('immediate');
ok(wait_for(20, sub { logged() =~ /LOG:  no columns are kept again, since the server crashed while that was done last\n/ }), 'after a crash meanwhile nothing is kept again');
is(kept(), '', 'as what was read could be why');
unlike(logged(), qr/has prewarmed/, 'and no worker begins');
unlock_table();
prewarm("'$_'") for qw(p parent owned);
prewarm("'o'", 'other');

# the device process dies meanwhile
lock_table('parent');
begin_again();
my $worker = waiting_worker();
$device = wait_for_service($node);
kill 'KILL', $device;
ok(wait_for_service($node, $device), 'the device process dies meanwhile');
unlock_table();
ok(wait_for(20, sub { is_gone($worker) }), 'the worker ends');
is(sql('SELECT count(*) FROM t'), '20000', 'and queries are answered');
prewarm("'$_'") for qw(p parent owned);
prewarm("'o'", 'other');

# a run, as others see it
sql('CREATE TABLE large AS SELECT i AS a FROM generate_series(1, 300000) i');
sql('VACUUM ANALYZE large');
prewarm("'large'");
my $seen_running;
# it may end between two looks
for (1 .. 5)
{
	lock_table('large');
	begin_again();
	$worker = waiting_worker();
	my $session = session($node, 'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED');
	unlock_table();
	wait_for(10, sub {
		$seen_running = $session->query('SELECT relation, pid, database, pages > 0 FROM gpuagg_activity') =~ /^large\|$worker\|postgres\|t$/;
		return $seen_running || is_gone($worker);
	});
	$session->quit;
	last if $seen_running;
	is_done(2);
}
ok($seen_running, 'gpuagg_activity tells of the run');
ok(is_done(2), 'which goes on');
sql('DROP TABLE large');

# a standby, made of a copy of all files
$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('prewarm_standby');
$standby->init_from_backup($node, 'copy');
$standby->set_standby_mode;
$standby->start;
ok(wait_for(30, sub { 2 == (() = logged($standby->logfile) =~ /gpuagg has prewarmed/g) }), 'a standby');
is(sql('SELECT pg_is_in_recovery(), (SELECT rows FROM gpuagg_cache WHERE relation = $$parent$$::regclass)', 'postgres', $standby), 't|10000', 'has the columns, too');
$standby->stop;

# files that are not what the worker writes
my $good;
begin_again('fast', sub { $good = slurp_file($file); write_file($good =~ s/end\n//r) });
ok(wait_for(20, sub { logged() =~ m{LOG:  file "gpuagg_device/kept" is damaged, no columns are kept again\n} }), 'a damaged file is told of');
is(kept(), '', 'and not believed');
my ($base, $database) = $good =~ /^(\d+) (\d+)/m;
begin_again('fast', sub { write_file("gpuagg kept columns 1\n" . join('', map { "$_\n" } "1664 $database 1259 1", '1663 4294967295 1 1',
	"$base $database 1259 1", "$base $database 4294967295 1600", "$base 1 1259 1") . "end\n") });
ok(is_done(2), 'one that names other tables is read');
unlike(logged(), qr/FATAL|ERROR|PANIC|could not/, 'and does no harm');

# no device memory, no workers
begin_again('fast', sub { write_file($good); $node->append_conf('postgresql.conf', 'gpuagg.cache_size = 0') });
ok(wait_for_service($node), 'no columns are kept');
unlike(logged(), qr/prewarm/, 'and no worker begins');
begin_again('fast', sub { write_file($good); $node->append_conf('postgresql.conf', "gpuagg.cache_size = 1MB\nmax_worker_processes = 2") });
ok(wait_for(20, sub { logged() =~ /LOG:  no slot of max_worker_processes is free for a gpuagg prewarm worker/ }), 'nor without a slot for it');
$node->stop;
done_testing();
