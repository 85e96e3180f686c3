# The system is told of blocks that are read soon: of each one once, and only of a table that is not in
# the buffer pool.  A library that is loaded before the system's writes down what it is told.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;

`$ENV{PG_REGRESS} --version` =~ /(\d+)/ && $1 >= 17 or plan skip_all => 'PostgreSQL can tell of several blocks at once since 17';

my $told = "$ENV{TESTDIR}/told";
my $library = "$ENV{TESTDIR}/told.so";

open(my $cc, '|-', "cc -x c -shared -fPIC -o $library -") or die $!;
print $cc <<C;
#include <stdio.h>
#include <sys/types.h>
int posix_fadvise(int file, off_t from, off_t length, int advice)
{
	FILE *out = fopen("$told", "a");

	if (!out)
		return 0;
	if (out == NULL)
		return 0;
	fprintf(out, "%lld %lld %d\\n", (long long) from, (long long) length, advice);
	return fclose(out);
}
int posix_fadvise64(int, off_t, off_t, int) __attribute__((alias("posix_fadvise")));
C
close $cc or die 'no compiler';

my $node;
{
	local $ENV{LD_PRELOAD} = $library;
	$node = new_node('read_ahead', 'shared_buffers = 1MB', 'gpuagg.engine = cpu', 'gpuagg.fallback = off', 'effective_io_concurrency = 16',
		'max_parallel_workers_per_gather = 0', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'gpuagg.setup_cost = 0', 'min_parallel_table_scan_size = 0');
}
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE large AS SELECT i % 10 AS k, i AS v, repeat('x', 100) AS s FROM generate_series(1, 60000) i;
CREATE TABLE small AS SELECT * FROM large WHERE v <= 1000;
CREATE TABLE parted (k int, v int, s text) PARTITION BY RANGE (v);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (20000);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (20000) TO (100000);
INSERT INTO parted SELECT * FROM large;
VACUUM ANALYZE;
SQL

my $blocks = $node->safe_psql('postgres', "SELECT pg_relation_size('large') / 8192");

# The query's rows, and by block how often the system was told of it.
sub run
{
	my ($settings, $table) = @_;
	my %times;

	unlink $told;
	my $answer = outcome($node, $settings, "SELECT k, sum(v), count(*) FROM $table GROUP BY k ORDER BY k");
	for (-e $told ? split /\n/, slurp_file($told) : ())
	{
		my ($from, $length) = split / /;
		$times{$_}++ for $from / 8192 .. ($from + $length) / 8192 - 1;
	}
	return ($answer, \%times);
}

my ($right) = run('SET gpuagg.mode = off', 'large');
my ($answer, $times) = run('SET gpuagg.mode = force', 'large');
is($answer, $right, 'the rows');
cmp_ok(scalar(keys %$times), '>=', $blocks - 200, 'it is told of the blocks that are in no buffer');
is(scalar(grep { $_ != 1 } values %$times), 0, 'of each once');
is(scalar(grep { $_ >= $blocks } keys %$times), 0, 'of none behind the end');

($answer, $times) = run('SET gpuagg.mode = force; SET max_parallel_workers_per_gather = 2', 'large');
# who take few blocks at once of a table of this size
is($answer, $right, 'with workers: the rows');
cmp_ok(scalar(keys %$times), '>', $blocks / 2, 'it is told of blocks');
is(scalar(grep { $_ > 3 } values %$times), 0, 'by each process once');
is(scalar(grep { $_ >= $blocks } keys %$times), 0, 'of none behind the end');

($answer, $times) = run('SET gpuagg.mode = force', 'parted');
is($answer, $right, 'of partitions: the rows');
cmp_ok(scalar(keys %$times), '>', $blocks / 2, 'it is told of blocks');
is(scalar(grep { $_ > 2 } values %$times), 0, 'of each of both once');

($answer, $times) = run('SET gpuagg.mode = force; SET effective_io_concurrency = 0', 'large');
is($answer, $right, 'where the setting forbids it: the rows');
is(scalar(keys %$times), 0, 'it is told nothing');

run('SET gpuagg.mode = off', 'small');
($answer, $times) = run('SET gpuagg.mode = force', 'small');
is(scalar(keys %$times), 0, 'of a table in the pool it is told nothing');

done_testing();
