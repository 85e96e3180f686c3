# Columns that stay on the device while others write: what the writers leave the same is the
# same for every reader, in each isolation level, on the server and on a standby, while
# VACUUM comes as often as it can, and after a crash.  GPUAGG_WRITERS_SECONDS says how
# long, 120 by default.  Needs a build with TESTING=1, or a GPU.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);
use PostgreSQL::Test::Utils;
use Node;
use Service;
use Residence;

my $seconds = $ENV{GPUAGG_WRITERS_SECONDS} // 120;
my $accounts = 8000;

my $node = resident_node('residence_writers',
	'wal_level = replica', 'max_wal_senders = 4', 'hot_standby = on', 'max_connections = 40', 'deadlock_timeout = 100ms',
	'autovacuum = on', 'autovacuum_naptime = 1s', 'autovacuum_vacuum_cost_delay = 0', 'vacuum_freeze_min_age = 0',
	map({ ("autovacuum_vacuum_${_}threshold = 0", "autovacuum_vacuum_${_}scale_factor = 0") } '', 'insert_'));

# Amounts are moved between accounts and accounts between groups.  So the sum of all amounts
# is 0, and the number of accounts is what it is.  Writers whose row another one has replaced
# begin again.  Most writes are of few accounts, at the beginning: the other blocks stay.
$node->safe_psql('postgres', <<"SQL");
SET gpuagg.mode = off;
CREATE TABLE accounts (id int PRIMARY KEY, g int NOT NULL, amount bigint NOT NULL, note int, pad char(400) DEFAULT '', tag text DEFAULT 'new') WITH (fillfactor = 80);
ALTER TABLE accounts ALTER COLUMN pad SET STORAGE PLAIN;
INSERT INTO accounts SELECT i, i % 7, CASE WHEN i % 2 = 0 THEN i ELSE -(i + 1) END, i FROM generate_series(1, $accounts) i;
CREATE FUNCTION must_be(is_so boolean, what text) RETURNS void LANGUAGE plpgsql AS
'BEGIN IF is_so IS NOT TRUE THEN RAISE EXCEPTION ''INVARIANT %'', what; END IF; END';
SQL
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('residence_writers_standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
# readers there are not ended, but what they read must not change
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\nhot_standby_feedback = on");
$standby->start;

# with a text that changes, which the CPU engine keeps of each stripe by itself
my $tag = $Residence::engine eq 'cpu' ? 'tag, ' : '';
my $groups = "SELECT ${tag}g, sum(amount) AS s, count(*) AS n, max(note) AS m FROM accounts GROUP BY ${tag}g";
my $order = "${tag}g";
my $all_is_there = "SELECT must_be(sum(s) = 0 AND sum(n) = $accounts, format('%s of %s', sum(s), sum(n))) FROM ($groups) q;";
# the rows' text as a number, since pgbench's variables have no quotes
my $hash = "SELECT hashtext(string_agg(q::text, ' ' ORDER BY $order))::bigint AS";

my %scripts = (
	transfer => <<"SQL",
\\set a random_exponential(1, $accounts - 1, 60)
\\set b random_exponential(:a + 1, $accounts, 60)
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE accounts SET amount = amount - 5 WHERE id = :a;
UPDATE accounts SET amount = amount + 5 WHERE id = :b;
COMMIT;
SQL
	abort => <<"SQL",
\\set a random_exponential(1, $accounts, 60)
BEGIN;
UPDATE accounts SET amount = amount + 1000000 WHERE id = :a;
SAVEPOINT s;
DELETE FROM accounts WHERE id = :a;
ROLLBACK TO s;
INSERT INTO accounts VALUES (:a + 1000000, 1, 1, 1);
ROLLBACK;
SQL
	group => <<"SQL",
\\set a random_exponential(1, $accounts, 60)
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE accounts SET g = (g + 1) % 7, note = note + 1, tag = nullif('tag ' || note % 20, 'tag 7') WHERE id = :a;
COMMIT;
SQL
	replace => <<"SQL",
\\set a random_exponential(1, $accounts, 60)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT id AS i, g, amount, note FROM accounts WHERE id = :a FOR UPDATE \\gset
DELETE FROM accounts WHERE id = :i;
INSERT INTO accounts VALUES (:i, :g, :amount, :note);
COMMIT;
SQL
	lock => <<"SQL",
\\set a random_exponential(1, $accounts, 60)
BEGIN;
SELECT id FROM accounts WHERE id = :a FOR UPDATE;
COMMIT;
SQL
	vacuum => "\\sleep 300 ms\nVACUUM accounts;\n",
	freeze => "\\sleep 700 ms\nVACUUM (FREEZE) accounts;\n",
	rewrite => "\\sleep 5 s\nVACUUM FULL accounts;\n",
	committed => "$all_is_there\n",
	repeatable => <<"SQL");
BEGIN ISOLATION LEVEL REPEATABLE READ;
$hash first FROM ($groups) q \\gset
\\sleep 400 ms
$all_is_there
$hash second FROM ($groups) q \\gset
SET LOCAL gpuagg.mode = off;
$hash native FROM ($groups) q \\gset
SELECT must_be(:first = :second AND :second = :native, 'rows :first, :second, natively :native');
COMMIT;
SQL
# Start pgbench with these scripts: (process, its output).
my $directory = $node->basedir;
sub start_scripts
{
	my ($server, $time, @names) = @_;
	my @rate = $names[0] eq 'transfer' ? ('-R', 25) : ();
	my @command = ('pgbench', '-n', @rate, '-c', '1', '-T', $time, '--max-tries=1000', '-h', $server->host, '-p', $server->port);
	my $output = '';

	for my $name (@names)
	{
		append_to_file("$directory/$name.sql", $scripts{$name}) unless -e "$directory/$name.sql";
		push @command, '-f', "$directory/$name.sql";
	}
	return [ IPC::Run::start([ @command, 'postgres' ], '<', \'', '>', \$output, '2>', \$output, IPC::Run::timeout($time + 120)), \$output, "@names" ];
}

# Writers, readers and VACUUM, for so many seconds; then they end, or the server crashes.
my ($resident, $masked, $checked) = (0, 0, 0);
sub run_all
{
	my ($time, $crashes) = @_;
	my $limit = int($time) + ($crashes ? 60 : 0);
	my $until = time + $time;
	my @others = map { start_scripts($node, $limit, @$_) } [ 'transfer', 'group', 'abort' ], [ 'transfer', 'replace', 'lock' ],
		['vacuum'], ['freeze'], ['rewrite'];
	my @readers = (map({ start_scripts($node, $limit, $_) } 'committed', 'repeatable'),
		map { start_scripts($standby, int($time), $_) } 'committed', 'repeatable');
	my $session = session($node);

	while (time < $until)
	{
		my @blocks = blocks($session, $groups);
		$resident += $blocks[0];
		$masked += $blocks[1];
		$_->[0]->pump_nb for grep { $_->[0]->pumpable } @others, @readers;
		sleep 0.1;
	}
	$node->stop('immediate') if $crashes;
	eval { $session->quit };
	for my $run (@others, @readers)
	{
		my ($process, $output, $name) = @$run;

		eval { $process->finish };
		unlike($$output, qr/INVARIANT|cannot finish|ERROR(?!.*(?:deadlock|terminating|duplicate key))/, "$name: no error") or diag($$output);
		$checked += $1 if $name =~ /committed|repeatable/ && $$output =~ /actually processed: (\d+)/;
	}
	return;
}

sub check_servers
{
	my ($name) = @_;

	$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
	for my $server ($node, $standby)
	{
		my $session = session($server);
		is_right($session, "SELECT sum(s), sum(n) FROM ($groups) q", "$name: " . $server->name) for 1 .. 2;
		is(rows($session, 'force', "SELECT sum(s), sum(n) FROM ($groups) q"), "0|$accounts", "$name: sums on " . $server->name);
		$session->quit;
	}
	return;
}

run_all($seconds / 2, 1);
$node->start;
check_servers('after a crash');
run_all($seconds / 2, 0);
check_servers('in the end');
cmp_ok($checked, '>', 0, "readers have looked $checked times");
cmp_ok($resident, '>', 0, "blocks resident: $resident");
cmp_ok($masked, '>', 0, "blocks masked: $masked");
is($node->safe_psql('postgres', "EXPLAIN (ANALYZE, COSTS OFF) $groups") =~ /Devices: (\d+)/ ? $1 : 1, dealt_over(), 'on as many devices as there are');

$standby->stop;
$node->stop;
done_testing();
