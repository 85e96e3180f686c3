# Two servers, one of which reads the other's partitions as foreign tables of postgres_fdw: which groupings
# the other server computes, that gpuagg does it there, and the same answers in all modes of both.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;

my $far = new_node('far', "session_preload_libraries = 'gpuagg, auto_explain'", 'auto_explain.log_min_duration = 0', 'gpuagg.engine = cpu');
my $near = new_node('near', 'gpuagg.engine = cpu', 'enable_partitionwise_aggregate = on');
my ($host, $port) = ($far->host, $far->port);

# Rows of a place, so many that auto takes them.
sub rows_of
{
	my ($place) = @_;
	return "SELECT $place AS place, i % 50 AS g, i AS v, 'text ' || i % 70 AS t, (i % 1000)::numeric(10,2) AS n FROM generate_series($place, 60000) i";
}

$far->safe_psql('postgres', "CREATE TABLE far_3 AS " . rows_of(3) . "; CREATE TABLE far_4 AS " . rows_of(4) . '; VACUUM ANALYZE');
$near->safe_psql('postgres', <<SQL);
CREATE EXTENSION postgres_fdw;
CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', fetch_size '7');
CREATE USER MAPPING FOR CURRENT_USER SERVER far;
CREATE TABLE m (place int, g int, v int, t text, n numeric(10,2)) PARTITION BY LIST (place);
CREATE TABLE near_1 PARTITION OF m FOR VALUES IN (1);
CREATE TABLE near_2 PARTITION OF m FOR VALUES IN (2);
CREATE FOREIGN TABLE far_3 PARTITION OF m FOR VALUES IN (3) SERVER far OPTIONS (fetch_size '10000');
CREATE FOREIGN TABLE far_4 PARTITION OF m FOR VALUES IN (4) SERVER far OPTIONS (fetch_size '10000');
SET gpuagg.mode = off;
INSERT INTO m @{[ rows_of(1) ]};
INSERT INTO m @{[ rows_of(2) ]};
VACUUM ANALYZE;
ANALYZE far_3, far_4; -- which the one of the database leaves out
SQL

# The plans that the far server has logged since the log had this size.
sub far_plans
{
	my ($size) = @_;
	return split /LOG:  duration: [^\n]*plan:\n/, substr(slurp_file($far->logfile), $size);
}

# The query's answer, its plan here, how many groupings the far server was asked for, and how many of them gpuagg has done.
sub look
{
	my ($settings, $query) = @_;
	my $plan = $near->safe_psql('postgres', "$settings; EXPLAIN (VERBOSE, COSTS OFF) $query");
	my $size = -s $far->logfile;
	my $answer = outcome($near, $settings, $query);
	my @groupings = grep { /Query Text: DECLARE[^;]*(?:count|sum)\(/ } far_plans($size);

	return ($answer, $plan, scalar(@groupings), scalar(grep { /Custom Scan \(GpuAgg\)/ } @groupings));
}

# Sessions there begin with it.
sub far_mode { return $far->safe_psql('postgres', "ALTER DATABASE postgres SET gpuagg.mode = $_[0]") }

# A query, and how many groupings the far server computes for it.
my %queries = (
	'the key of the partitions' => ['SELECT place, count(*), sum(v), avg(n), min(t) FROM m GROUP BY place ORDER BY place', 2],
	'it and another key' => ['SELECT place, t, count(*), sum(n) FROM m WHERE v > 100 GROUP BY place, t ORDER BY place, t', 2],
	'what cannot be combined' => ['SELECT place, percentile_cont(0.5) WITHIN GROUP (ORDER BY v), count(DISTINCT g) FROM m GROUP BY place ORDER BY place', 2],
	'a foreign table alone' => ['SELECT g, count(*), sum(v), avg(n) FROM far_3 GROUP BY g ORDER BY g', 1],
	# postgres_fdw asks for no partial aggregates
	'another key' => ['SELECT g, count(*), sum(v), avg(n) FROM m GROUP BY g ORDER BY g', 0],
	'no key' => ['SELECT count(*), sum(v), min(n) FROM m', 0],
	'another key, of groups by both' => ['SELECT g, sum(c), sum(s) FROM (SELECT place, g, count(*) AS c, sum(v) AS s FROM m GROUP BY place, g) q GROUP BY g ORDER BY g', 2],
	# it has no collation but the column's, and no function that may be another one there
	'another collation' => ['SELECT place, max(t COLLATE "POSIX"), count(*) FROM m GROUP BY place ORDER BY place', 0],
	'the time' => ['SELECT place, count(*) FROM m WHERE now() > timestamptz \'2000-01-01\' + v * interval \'1 s\' GROUP BY place ORDER BY place', 0]);

far_mode('off');
my %right = map { $_ => outcome($near, 'SET gpuagg.mode = off; SET enable_partitionwise_aggregate = off', $queries{$_}[0]) } keys %queries;

for my $far_is ('off', 'force', 'auto')
{
	far_mode($far_is);
	for my $near_is ('off', 'force', 'auto')
	{
		for my $name (sort keys %queries)
		{
			my ($query, $expected) = @{ $queries{$name} };
			my ($answer, $plan, $groupings, $taken) = look("SET gpuagg.mode = $near_is", $query);
			my $title = "$name, near $near_is, far $far_is";
			my $here = $near_is eq 'force' && (!$expected || $name =~ /by both/);

			is($answer, $right{$name}, "$title: the answer");
			is($groupings, $expected, "$title: what the far server groups");
			is($taken, $far_is eq 'off' ? 0 : $expected, "$title: what of that gpuagg has done");
			is($plan =~ /Custom Scan \(GpuAgg\)/ ? 1 : 0, $here ? 1 : 0, "$title: gpuagg here") if $near_is ne 'auto';
		}
	}
}

my ($by_place, $by_both) = map { $queries{$_}[0] } 'the key of the partitions', 'it and another key';
is($near->safe_psql('postgres', "SELECT reason FROM gpuagg_explain('$by_place')"), 'a foreign server computes the grouping', 'why it is left');

# without partitionwise aggregates all rows come
my ($answer, $plan, $groupings) = look('SET enable_partitionwise_aggregate = off; SET gpuagg.mode = force', $by_place);
is($answer, $right{'the key of the partitions'}, 'without partitionwise aggregates: the answer');
is($groupings, 0, 'the far server groups nothing');

# estimates of the far server's plan, and partitions that are read side by side
for my $option ('use_remote_estimate', 'async_capable')
{
	$near->safe_psql('postgres', "ALTER SERVER far OPTIONS (ADD $option 'true')");
	my $taken;
	($answer, $plan, $groupings, $taken) = look('SET gpuagg.mode = auto', $by_place);
	is($answer, $right{'the key of the partitions'}, "$option: the answer");
	is("$groupings, $taken", '2, 2', 'the far server groups, by gpuagg');
}
($answer, $plan) = look('SET gpuagg.mode = auto; SET enable_sort = off', $by_both);
is($answer, $right{'it and another key'}, 'side by side: the answer');
is(() = $plan =~ /Async Foreign Scan/g, 2, 'both are');

# a server that has ended makes an error in every mode, and leaves the session usable
$far->stop;
for my $mode ('off', 'force', 'auto')
{
	like(outcome($near, "SET gpuagg.mode = $mode", $by_place), qr/^ERROR:  could not connect to server "far"/, "$mode: the far server has ended");
}

done_testing();
