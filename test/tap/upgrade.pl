# Versions of the extension: an update, a new library with the old version, and
# a version that needs more than the library has.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;

my $node = new_node('upgrade');
my $explain = "SELECT step FROM gpuagg_explain('SELECT k FROM t GROUP BY k')";

sub sql { return $node->safe_psql(@_) }

# What it says of a query that fails.
sub error
{
	my ($database, $query) = @_;
	my ($out, $err);

	$node->psql($database, $query, stdout => \$out, stderr => \$err);
	return $err;
}

# What the extension consists of.
sub members
{
	my ($database) = @_;
	return sql($database, "SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend
		WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpuagg') ORDER BY 1");
}

sql('postgres', "CREATE DATABASE $_") for qw(old new);
sql($_, 'CREATE TABLE t AS SELECT i % 3 AS k, i AS v FROM generate_series(1, 30) i') for qw(old new);
sql('old', "CREATE EXTENSION gpuagg VERSION '1.0'");
sql('new', 'CREATE EXTENSION gpuagg');

# the new library with the old version
is(sql('old', 'SELECT gpuagg_version()'), '1.1', 'the library');
is(sql('old', 'SELECT (gpu_sum_by_key(k, v))[2], (gpu_count_by_key(k))[1] FROM t'), '(1,145,10)|(0,10)', 'its aggregates');
cmp_ok(sql('old', 'SELECT count(*) FROM gpuagg_devices'), '>', 0, 'its view');
is(sql('old', 'SELECT k, count(*) FROM t GROUP BY k ORDER BY k'), "0|10\n1|10\n2|10", 'its queries');
like(error('old', $explain), qr/function gpuagg_explain\(unknown\) does not exist/, 'what it has not');

# the update
sql('old', 'ALTER EXTENSION gpuagg UPDATE');
is(sql('old', "SELECT extversion FROM pg_extension WHERE extname = 'gpuagg'"), '1.1', 'updated');
is(members('old'), members('new'), 'the same objects as in a new one');
like(members('old'), qr/$_/, "$_ among them")
  for 'function gpuagg_explain\(text\)', 'function gpuagg_check\(\)', 'function gpuagg_stats_reset\(\)', 'view gpuagg_stats\n', 'view gpuagg_stats_reasons';
is(sql('old', $explain), 'GROUP BY k', 'the new function works');
is(sql('old', 'SELECT (gpu_sum_by_key(k, v))[2] FROM t'), '(1,145,10)', 'and the old ones do');

# a function that the library does not have
sql('old', "UPDATE pg_proc SET prosrc = 'gpuagg_of_a_later_version' WHERE proname = 'gpuagg_explain'");
like(error('old', $explain), qr/ERROR:  could not find function "gpuagg_of_a_later_version" in file/, 'a library that is too old');
is(sql('old', 'SELECT gpuagg_version()'), '1.1', 'the other functions work');

$node->stop;
done_testing();
