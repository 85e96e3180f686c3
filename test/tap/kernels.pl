# Which kernels the device process compiles, and what it keeps on disk.  On the simulated
# device: needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep);
use Node;
use Service;

$ENV{GPUAGG_SIMT_CC} = new_compiler('cc_of_queries');
my $node = new_node('kernels', 'gpuagg.engine = simt', 'gpuagg.fallback = off',
	# kept columns have kernels of their own
	'gpuagg.cache_size = 0');
$node->safe_psql('postgres', <<'SQL');
SET gpuagg.mode = off;
CREATE TABLE t (dense int, sparse int, v int);
INSERT INTO t SELECT i % 300, i % 300 * 1000003, i FROM generate_series(1, 3000) i;
VACUUM ANALYZE t;
SQL

sub kernels { return scalar(() = glob $node->data_dir . '/gpuagg_kernels/*.kernel') }

# How many kernels are on disk, once no compiler works and there are $wanted; after 60 seconds
# however many.  Some are compiled for a query that does not wait for them, and stored 0.1 s
# after their compiler has ended, at the latest.
sub on_disk
{
	my ($wanted) = @_;

	wait_for(60, sub { kernels() >= $wanted && !map { children($_) } device_process($node) });
	sleep 0.3;
	return kernels();
}

# The plans of these queries in one session.
sub session
{
	return $node->safe_psql('postgres', join '; ', map { "EXPLAIN (ANALYZE, COSTS OFF) $_" } @_);
}

# Planner and sample agree, so that the kernels asked for before the sample is
# taken are those that are needed: deform, sample, aggregate.
my $dense = 'SELECT dense, sum(v) FROM t GROUP BY dense';
like(session($dense), qr/Kernels: compiled/, 'a first session compiles');
is(on_disk(3), 3, 'what is needed');
like(session($dense), qr/Kernels: cached/, 'the next one finds them');
$node->restart;
like(session($dense), qr/Kernels: cached/, 'another device process finds them on disk');
is(on_disk(3), 3, 'and compiles nothing');

# Far apart, the keys do not have the table that was expected: its kernels are not
# needed, and yet kept.
my $sparse = 'SELECT sparse, sum(v) FROM t GROUP BY sparse';
like(session($sparse), qr/Kernels: compiled/, 'other keys: compiles');
is(on_disk(4), 3 + 1, 'shares with the first query what was expected');

# where the device is open already
$node->restart;
unlink glob $node->data_dir . '/gpuagg_kernels/*';
my $wide = 'SELECT sparse, sum(v), min(v) FROM t GROUP BY sparse';
unlike(session($dense, $wide), qr/Kernels: cached/, 'one session, two queries: both compile');
is(on_disk(6), 3 + 3, 'what is needed, and what was expected');
like(session($wide), qr/Kernels: cached/, 'then nothing is compiled');
is(on_disk(6), 3 + 3, 'really');

done_testing();
