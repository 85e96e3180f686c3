# Corrupted heap pages: PostgreSQL's own error or its own answer, never a crash.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;
use Service;

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

# Many damaged tables in one device process, which has read sound ones before.  What PostgreSQL
# itself makes of a table can depend on what lies in other buffers, or be a crash: such tables
# are left out.  GPUAGG_TEST_DAMAGED: how many tables.
my $tables = $ENV{GPUAGG_TEST_DAMAGED} // 24;
my $damaged = new_node('damaged', 'fsync = off', 'ignore_checksum_failure = on', 'restart_after_crash = on', 'gpuagg.cache_size = 0',
	"shared_preload_libraries = 'gpuagg'");
my @ways = ('gpuagg.engine = cpu', 'gpuagg.engine = service',
	map { "gpuagg.engine = simt; SET gpuagg.strategy = $_" } qw(interpret block atomic peers scan));

# Any of a list, and a number below another one.
sub any { return $_[ int rand @_ ] }
sub below { return int rand $_[0] }

# One change of a page of tuples; srand makes it.  Headers of values get odd bytes: short ones,
# that hardly lead beyond the page.
sub damage
{
	my ($page) = @_;
	my $n = below(90);
	my $line = unpack('V', substr($page, 24 + 4 * $n, 4));
	my ($at, $length) = ($line & 0x7fff, $line >> 17);
	my $kind = below(9);

	return put_line($page, $n, any(3180, 8 * below(1000), $at + 8, $at - 4), $length) if $kind == 0;
	return put_line($page, $n, $at, any(0, 8, 23, 24, 30, $length - 1 - below(20), $length + 1 + below(20))) if $kind == 1;
	return put($page, 24 + 4 * $n, pack('V', $line & ~(3 << 15) | any(0, 2, 3) << 15)) if $kind == 2;
	return put($page, $at + 22, chr(any(0, 16, 23, 32, 40, 255))) if $kind == 3;
	return put($page, $at + 18, pack('v', any(0, 1, 2, 3, 5, 1665, 2047))) if $kind == 4;
	return put($page, $at + 20, pack('v', unpack('v', substr($page, $at + 20, 2)) ^ 1)) if $kind == 5;
	return put($page, $at + 23, chr(below(256))) if $kind == 6;
	return put($page, $at + 28 + below(4), chr(any(1, 3, 255, below(256) | 1))) if $kind == 7;
	return put($page, $at + 24 + below($length - 24), pack('v', any(0x0101, 0x7fff, 0xffff, below(65536) | 0x0101)));
}

# What the queries over a table come to.
sub answers_of
{
	my ($settings, $t) = @_;
	my ($stdout, $stderr) = ('', '');

	$damaged->psql('postgres', "SET client_min_messages = error; SET $settings; "
		  . "SELECT w, count(*), max(v) FROM d$t GROUP BY w ORDER BY w; "
		  . "SELECT k, count(*), sum(n), min(w) FROM d$t GROUP BY k ORDER BY k; "
		  . "SELECT count(*), sum(v), max(n) FROM d$t WHERE v < 200",
		stdout => \$stdout, stderr => \$stderr, on_error_stop => 0, timeout => 120);
	return $stdout . join('', $stderr =~ /((?:ERROR|FATAL|PANIC|server closed|connection).*\n?)/g);
}

my @made = 1 .. $tables;
$damaged->safe_psql('postgres', join '; ', 'SET gpuagg.mode = off', map { <<"SQL" } 0, @made);
CREATE TABLE d$_ (k int NOT NULL, w text, n numeric(12, 2), v bigint);
INSERT INTO d$_ SELECT i % 7, CASE WHEN i % 11 > 0 THEN repeat(chr(97 + i % 5), i % 13) END, i * 1.25, i FROM generate_series(1, 330) i;
VACUUM (FREEZE) d$_
SQL
my %files = map { $_ => $damaged->data_dir . '/' . $damaged->safe_psql('postgres', "SELECT pg_relation_filepath('d$_')") } @made;
$damaged->stop;
for my $t (@made)
{
	srand($t);
	open(my $relation, '+<:raw', $files{$t}) or die "$files{$t}: $!";
	my $content = do { local $/; <$relation> };
	for (0 .. $t % 2)
	{
		my $block = below(length($content) / 8192 - 1);
		substr($content, $block * 8192, 8192) = damage(substr($content, $block * 8192, 8192));
	}
	seek($relation, 0, 0);
	print $relation $content;
	close($relation) or die $!;
}
$damaged->start;

# all tables into the buffers first
my %native;
for my $pass (1 .. 2)
{
	for my $t (@made)
	{
		$native{$t} = answers_of('gpuagg.mode = off', $t);
		$damaged->poll_query_until('postgres', 'SELECT true');
	}
}
my @survived = grep { $native{$_} !~ /server closed|connection|FATAL/ } @made;

my $before = -s $damaged->logfile;
$damaged->safe_psql('postgres', 'SELECT gpuagg_stats_reset()');
answers_of($_, 0) for @ways;
my ($device) = device_process($damaged);
ok($device, 'there is a device process');
my %answers;
for my $way (@ways)
{
	$answers{$way}{$_} = answers_of($way, $_) for @survived;
}
my @steady = grep { answers_of('gpuagg.mode = off', $_) eq $native{$_} } @survived;
cmp_ok(scalar @steady, '>', $tables / 2, @steady . " of $tables damaged tables are the same to PostgreSQL each time");
for my $way (@ways)
{
	my @wrong = grep { $answers{$way}{$_} ne $native{$_} } @steady;
	is("@wrong", '', $way =~ s/.*= //r . ': answers and errors are PostgreSQL\'s') or
	  diag("table $wrong[0]: $answers{$way}{$wrong[0]}\nnot\n$native{$wrong[0]}");
}
is(join(' ', device_process($damaged)), $device, 'the device process lives');
cmp_ok($damaged->safe_psql('postgres', "SELECT count(*) FROM gpuagg_stats_reasons WHERE reason = 'corrupt page'"), '>', 1, 'engines met pages that contradict themselves');
$damaged->stop;
unlike(substr(PostgreSQL::Test::Utils::slurp_file($damaged->logfile), $before), qr/terminated by signal|PANIC/, 'no crash');
done_testing();
