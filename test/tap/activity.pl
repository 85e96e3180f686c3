# gpuagg_activity and the CPU engine: what it tells of a query, whom, and until when.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;
use Service;

my $node = new_node('activity', "shared_preload_libraries = 'gpuagg'", 'gpuagg.engine = cpu');
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t AS SELECT i % 10 AS k, i AS v FROM generate_series(1, 10000) i;
VACUUM ANALYZE t;
CREATE FUNCTION slowly(k int) RETURNS int STABLE LANGUAGE plpgsql
	AS 'BEGIN PERFORM pg_sleep(0.01 + k / 10.0); RETURN k; END';
CREATE ROLE nobody;
SQL
my $pages = $node->safe_psql('postgres', "SELECT relpages FROM pg_class WHERE relname = 't'");
my $activity = 'SELECT pid, database, relation, engine, phase, pages, total_pages, rows, device_memory, waiting_since FROM gpuagg_activity';

my ($run, $in, $out, $pid);

# Begin a query in a session of its own, and wait until it is told of.
sub begin
{
	my ($query, $phase) = @_;
	($in, $out) = ("SELECT pg_backend_pid();\nSET gpuagg.mode = force;\n$query;\n", '');
	$run = IPC::Run::start(['psql', '-XAtq', '-d', $node->connstr('postgres')], '<', \$in, '>', \$out, '2>', \$out);
	ok(wait_for(20, sub { $run->pump_nb; ($pid) = $out =~ /^(\d+)/; return $pid && outcome($node, '', $activity) =~ /\|$phase\|/ }),
		"it is $phase");
	return;
}

# It ends in this way, and is told of no longer.
sub end
{
	my ($how) = @_;
	$node->safe_psql('postgres', "SELECT $how($pid)");
	ok(wait_for(5, sub { outcome($node, '', $activity) eq '' }), "nothing is told after $how");
	$run->kill_kill;
	return;
}

is(outcome($node, '', $activity), '', 'nothing is told of nothing');

# a table's pages
begin('SELECT k, count(*), slowly(k + 3) FROM t GROUP BY k', 'finishing');
is(outcome($node, '', $activity), "$pid|postgres|t|cpu|finishing|$pages|$pages|10000||", 'all pages and rows');
is(outcome($node, 'SET ROLE nobody', $activity), "$pid|postgres||||||||", 'others see that there is one');
$node->safe_psql('postgres', 'GRANT pg_read_all_stats TO nobody');
like(outcome($node, 'SET ROLE nobody', $activity), qr/\|t\|cpu\|/, 'those who read statistics see all');
end('pg_cancel_backend');

# rows of a plan
begin('SELECT k, count(*) FROM (SELECT slowly(k) AS k FROM t OFFSET 0) s GROUP BY k', 'reading');
is(outcome($node, '', $activity), "$pid|postgres||cpu|reading|0||0||", 'no table, no pages, no rows yet');
end('pg_terminate_backend');

# an error within a transaction that goes on, and a query that ends
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query('SET gpuagg.mode = force; BEGIN; SAVEPOINT s; SELECT k, 1 / (count(*) - 1000) FROM t GROUP BY k; ROLLBACK TO s;');
is(outcome($node, '', $activity), '', 'nothing is told after an error');
$session->query('DECLARE c CURSOR FOR SELECT k, count(*) FROM t GROUP BY k; FETCH 3 FROM c;');
like(outcome($node, '', $activity), qr/\|t\|cpu\|finishing\|/, 'a cursor is told of');
$session->query('CLOSE c;');
is(outcome($node, '', $activity), '', 'until it is closed');
$session->quit;

# without shared memory
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
is(outcome($node, 'SET gpuagg.mode = force', "WITH a AS MATERIALIZED (SELECT k, count(*) FROM t GROUP BY k) SELECT count(*), (SELECT count(*) FROM gpuagg_activity) FROM a"),
	'10|0', 'not preloaded: nothing is told');
$node->stop;
done_testing();
