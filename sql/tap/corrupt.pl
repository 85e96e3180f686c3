# Corrupted heap pages: PostgreSQL's own error or its own answer, never a crash.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;

# checksums, which clusters have by default since PostgreSQL 18, would keep all
# of these pages out
my $node = new_node('corrupt', 'fsync = off', 'ignore_checksum_failure = on');
my $query = 'SELECT k, count(*), sum(v), max(w) FROM t GROUP BY k ORDER BY k';

# Change some bytes of block 3: change($page) gets and returns 8192 bytes.
sub corrupt
{
	my ($change, $table) = @_;
	my $page;

	$table //= <<'SQL';
CREATE TABLE t (k int, v int, w bigint);
INSERT INTO t SELECT i % 7, i, i FROM generate_series(1, 5000) i;
SQL
	$node->safe_psql('postgres', "DROP TABLE IF EXISTS t; $table; VACUUM (FREEZE) t; CHECKPOINT");
	my $file = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('t')");
	$node->stop;
	open(my $relation, '+<:raw', $file) or die "$file: $!";
	seek($relation, 3 * 8192, 0);
	read($relation, $page, 8192) == 8192 or die "$file is short";
	$page = $change->($page);
	seek($relation, 3 * 8192, 0);
	print $relation $page;
	close($relation) or die $!;
	$node->start;
}

# Offset of the tuple of line pointer n, from 0.
sub tuple_offset { my ($page, $n) = @_; return unpack('V', substr($page, 24 + 4 * $n, 4)) & 0x7fff }

# Put bytes at an offset.
sub put { my ($page, $offset, $bytes) = @_; substr($page, $offset, length $bytes) = $bytes; return $page }

# Set line pointer n to an offset and a length.
sub put_line { my ($page, $n, $offset, $length) = @_; return put($page, 24 + 4 * $n, pack('V', $offset | 1 << 15 | $length << 17)) }

my @cases = (
	[ 'garbage for a header', sub { put($_[0], 0, "\xa5" x 24) } ],
	[ 'free space beyond the page', sub { put($_[0], 12, pack('v v', 9000, 9000)) } ],
	[ 'header length of 0', sub { put($_[0], tuple_offset($_[0], 5) + 22, "\0") } ],
	[ 'header length of 255', sub { put($_[0], tuple_offset($_[0], 90) + 22, "\xff") } ],
	[ 'too many attributes', sub { put($_[0], tuple_offset($_[0], 5) + 18, pack('v', 0x07ff)) } ],
	[ 'no attributes', sub { put($_[0], tuple_offset($_[0], 5) + 18, pack('v', 0)) } ],
	[ 'NULLs without room for their bits', sub { put($_[0], tuple_offset($_[0], 5) + 20, pack('v', 0x0b01)) } ],
	[ 'a tuple without length', sub { put_line($_[0], 5, tuple_offset($_[0], 5), 0) } ],
	[ 'a tuple longer than the page', sub { put_line($_[0], 5, tuple_offset($_[0], 5), 32000) } ],
	[ 'a tuple in the page header', sub { put_line($_[0], 5, 8, 40) } ],
	[ 'two pointers to one tuple', sub { put_line($_[0], 5, tuple_offset($_[0], 6), 40) } ],
	[ 'a page of zeros', sub { "\0" x 8192 } ]);

# PostgreSQL reads on into the next buffer: any answer will do
my @unsteady = (
	[ 'a tuple at the end of the page', sub { put_line($_[0], 5, 8184, 40) } ],
	[ 'a tuple begun on the page\'s last byte', sub { put_line($_[0], 5, 8191, 1) } ]);

for my $case (@cases)
{
	my ($name, $change) = @$case;

	corrupt($change);
	my $native = outcome($node, 'SET gpuagg.mode = off', $query);
	is(outcome($node, 'SET gpuagg.mode = force', $query), $native, $name);
	is(outcome($node, '', 'SELECT 1'), '1', "$name: the server lives");
}

for my $case (@unsteady)
{
	my ($name, $change) = @$case;

	corrupt($change);
	unlike(outcome($node, 'SET gpuagg.mode = force', $query), qr/FATAL|PANIC|closed/, $name);
	is(outcome($node, '', 'SELECT 1'), '1', "$name: the server lives");
}

# values that are detoasted: the pointer of an external one, a compressed one's bytes
my $external = <<'SQL';
CREATE TABLE t (k int, big text);
ALTER TABLE t ALTER big SET STORAGE EXTERNAL;
INSERT INTO t SELECT i, repeat('big' || i % 3, 1000) FROM generate_series(1, 1000) i;
SQL
my $compressed = "CREATE TABLE t (k int, big text); INSERT INTO t SELECT i, repeat(md5((i % 3)::text), 200) FROM generate_series(1, 1000) i";
my @toast = (
	[ 'a pointer to no value', $external, sub { put($_[0], tuple_offset($_[0], 5) + 24 + 4 + 10, pack('V', 4_000_000_000)) } ],
	[ 'a pointer to no table', $external, sub { put($_[0], tuple_offset($_[0], 5) + 24 + 4 + 14, pack('V', 4_000_000_000)) } ],
	[ 'a pointer to a value of another size', $external, sub { put($_[0], tuple_offset($_[0], 5) + 24 + 4 + 2, pack('V V', 5004, 5000)) } ],
	[ 'compressed bytes', $compressed, sub { put($_[0], tuple_offset($_[0], 5) + 24 + 12, "\xff" x 12) } ],
	[ 'a compressed value of another size', $compressed, sub { put($_[0], tuple_offset($_[0], 5) + 24 + 8, pack('V', 20)) } ]);

for my $case (@toast)
{
	my ($name, $table, $change) = @$case;

	corrupt($change, $table);
	for my $query ('SELECT length(big), count(*) FROM t GROUP BY 1 ORDER BY 1',
		'SELECT md5(big), n FROM (SELECT big, count(*) AS n FROM t GROUP BY big) s ORDER BY 1',
		'SELECT k % 3, count(*) FROM t GROUP BY 1 ORDER BY 1')
	{
		my $native = outcome($node, 'SET gpuagg.mode = off', $query);
		is(outcome($node, 'SET gpuagg.mode = force', $query), $native, "$name: $native" =~ s/\n.*//sr);
	}
	is(outcome($node, 'SET gpuagg.fallback = off; SET gpuagg.mode = force', 'SELECT k % 3, count(*) FROM t GROUP BY 1 ORDER BY 1'),
		"0|333\n1|334\n2|333", "$name: not needed");
	is(outcome($node, '', 'SELECT 1'), '1', "$name: the server lives");
}

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
done_testing();
