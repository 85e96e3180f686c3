# Several devices: which of them runs use, where columns are kept, what views tell of each.  On
# simulated devices of different sizes: needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;
use Residence;
use Service;

my ($large, $small) = (256 << 20, 64 << 20);
$ENV{GPUAGG_SIMT_MEMORY} = "$small,$large,$small";

my $node = resident_node('several_devices', "shared_preload_libraries = 'gpuagg'", 'gpuagg.longest_pause = 50ms');
my $session = session($node);

sub sql { return $node->safe_psql('postgres', $_[0]) }

# What it says of a query: notices and errors.
sub said
{
	my ($query) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', $query, stdout => \$out, stderr => \$err, timeout => 60);
	return $err;
}

my $devices = 'SELECT device, name, memory, usable, used, runs, memory_used FROM gpuagg_devices WHERE used';
my $cache = 'SELECT relation, attribute, device FROM gpuagg_cache ORDER BY 1, 2';

sub devices_of { return sql('SELECT devices FROM gpuagg_activity ORDER BY pid') }
sub query { return "SELECT k, count(*), sum(v) FROM $_[0] GROUP BY k ORDER BY k" }

sql("SET gpuagg.mode = off; CREATE TABLE $_ AS SELECT i % 1000 AS k, i AS v FROM generate_series(1, 100000) i;
	VACUUM ANALYZE $_") for qw(t u);

sql("CREATE FUNCTION slowly(k int) RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.01); RETURN k; END'");

# what there is
is(sql($devices), join("\n", "0|simulated device|$small|t|t|0|0", "1|simulated device|$large|t|t|0|0",
		"2|simulated device|$small|t|t|0|0"), 'three devices');

# the one with most memory first; then that which has the columns
is_right($session, query('t'), 'a table', 'none');
is(sql($cache), "t|k|1\nt|v|1", 'is kept on the largest device');
is_right($session, query('t'), 'and served from there', 'some');

# where a run is, others come to another device, unless it has what they read
my $holder = session($node);
$holder->query_until(qr/begun/, "\\echo begun\nSET gpuagg.mode = force; SELECT k, count(*) FROM (SELECT slowly(k) AS k FROM t OFFSET 0) s GROUP BY k;\n");
ok(wait_for(20, sub { return devices_of() ne '' }), 'a run that takes long');
is(devices_of(), '{1}', 'a run on the device');
like(sql("SELECT runs, memory_used > 0 FROM gpuagg_devices WHERE device = 1"), qr/^1\|t$/, 'whose memory it has');
is_right($session, query('u'), 'another table', 'none');
is(sql($cache), "t|k|1\nt|v|1\nu|k|0\nu|v|0", 'is kept on another device');
is_right($session, query('t'), 'a run that has to be there', 'some');
sql('SELECT pg_cancel_backend(pid) FROM gpuagg_activity');
$holder->quit;
is_right($session, query('u'), 'it stays there', 'some');

# both are known to the planner, and gone when evicted
is(sql("SELECT gpuagg_evict('u') > 0"), 't', 'evicted');
is(sql($cache), "t|k|1\nt|v|1", 'from where it was');

# which are used
for my $bad ('x', '64', '0,all', '-1', '')
{
	like(said("ALTER SYSTEM SET gpuagg.devices = '$bad'"), qr/ERROR:  invalid value for parameter "gpuagg.devices"/, "no devices: '$bad'");
}
sub use_devices
{
	my ($value) = @_;
	sql("ALTER SYSTEM SET gpuagg.devices = $value");
	$node->reload;
	may_end(device_process($node));
	replace_device_process($node, 0);
	return;
}
use_devices('0, 2');
is(sql('SELECT device, used, runs FROM gpuagg_devices WHERE usable'), "0|t|0\n1|f|\n2|t|0", 'two of them');
is_right($session, query('t'), 'a table', 'none');
is(sql($cache), "t|k|0\nt|v|0", 'is kept on the first of two that are alike');
use_devices("'2'");
is_right($session, query('t'), 'on one', 'none');
is(sql($cache), "t|k|2\nt|v|2", 'that was named');
use_devices("'7'");
like(said('SET gpuagg.engine = simt'), qr/gpuagg.devices names none of the devices/, 'a device that is not there');

$node->stop;
done_testing();
