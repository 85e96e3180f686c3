# Columns that the CPU engine keeps in shared memory: parallel workers, the memory's limit, what is
# told of them and to whom, servers without the memory.  That answers are right for every snapshot is
# the matter of residence_rules_cpu.pl.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run qw(start finish);
use Test::More;
use Time::HiRes qw(sleep);
use Node;

local $ENV{GPUAGG_TEST_ENGINE} = 'cpu';
require Residence;
Residence->import;

# workers pay for tables as small as these
my $node = resident_node('cpu_columns', 'max_parallel_workers_per_gather = 2', 'min_parallel_table_scan_size = 0',
	'parallel_setup_cost = 0', 'wal_level = replica', 'gpuagg.setup_cost = 0', 'gpuagg.page_cost = 0.1', 'gpuagg.tuple_cost = 0.0001',
	'gpuagg.operator_cost = 0.0001', 'gpuagg.group_cost = 0', 'restart_after_crash = on');
my $session = session($node);

sub sql { return $node->safe_psql('postgres', $_[0]) }

# Four rows a page, and two tables of several stripes, the last of which is not whole.
sql(q{CREATE TABLE wide (k int, v int, n numeric(10, 2), b boolean, u uuid, filler text) WITH (parallel_workers = 2);
	INSERT INTO wide SELECT i % 7, i, i / 4.0, i % 3 = 0, md5(i::text)::uuid, repeat('x', 1880) FROM generate_series(1, 26000) i;
	CREATE TABLE parts (k int, v int, filler text) PARTITION BY LIST (k);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES IN (1) WITH (parallel_workers = 2);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES IN (2) WITH (parallel_workers = 2);
	INSERT INTO parts SELECT 1 + i / 9000, i, repeat('x', 1880) FROM generate_series(1, 17999) i;
	VACUUM ANALYZE wide; VACUUM ANALYZE parts});

my $query = 'SELECT k, sum(v), count(*), max(n), count(*) FILTER (WHERE b) FROM wide GROUP BY k ORDER BY k';
my $total;

# What is kept, by table and column.
sub kept { return sql('SELECT relation, attribute, rows, blocks, device IS NULL FROM gpuagg_cache ORDER BY 1, 2') }

# What gpuagg_check tells of the memory.
sub checked { return sql(join '; ', @_, q{SELECT status, seen, advice FROM gpuagg_check() WHERE name = 'cpu_cache_size'}) }

sub evict { return sql("SELECT gpuagg_evict('wide'), gpuagg_evict('parts')") }

my $every;

sub note_blocks
{
	$total = sql("SELECT pg_relation_size('wide') / current_setting('block_size')::int");
	$every = join "\n", map { "wide|$_|26000|$total|t" } qw(b k n v);
	return;
}

is(checked(), 'ok|gpuagg.cpu_cache_size = 64MB|', 'gpuagg_check: there is memory');
is(checked('SET gpuagg.engine = simt'), '', 'another engine does not use it');

# Whoever takes part, all of the table is kept, and right.
for my $settings ('parallel_leader_participation = on', 'parallel_leader_participation = off',
	'max_parallel_workers = 0', 'max_parallel_workers = 1', 'max_parallel_workers_per_gather = 0', 'gpuagg.parallel_division = keys')
{
	evict();
	note_blocks();
	is(kept(), '', "$settings: nothing is kept");
	$session->query("SET $settings");
	like(rows($session, 'force', "EXPLAIN (COSTS OFF) $query"), $settings =~ /gather/ ? qr/^(?!.*GpuAgg Partial)/s : qr/GpuAgg Partial/, 'the plan');
	is_right($session, $query, "$settings: the first query");
	is(kept(), $every, "$settings: all blocks are kept");
	is_right($session, $query, "$settings: the next query", $total);
	sql('UPDATE wide SET v = v WHERE k = 3 AND v < 30');
	is_right($session, $query, "$settings: with changed pages", 'some');
	my ($resident, $masked) = blocks($session, $query);
	cmp_ok($masked, '>', 0, "$settings: $masked are masked of $resident");
	sql('VACUUM wide');
	is_right($session, $query, "$settings: after VACUUM", 'some') for 1 .. 2;
	$session->query("RESET " . $settings =~ s/ .*//r);
}

# A stripe that cannot be taken ends the run, whoever takes it: PostgreSQL's own plan answers.
my $native = rows($session, 'off', $query);
for my $failure ('take:1:inexact', 'take:2:failed', 'take:1:failed:worker')
{
	$session->query("SET gpuagg.fallback = on; SET gpuagg.inject_failure = '$failure'; SET parallel_leader_participation = " . ($failure =~ /worker/ ? 'off' : 'on'));
	is(rows($session, 'force', $query), $native, "$failure: the answer");
	like(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $query"), qr/Fallback: a failure was injected into "take"/, "$failure: is a fallback");
	$session->query('RESET gpuagg.fallback; RESET gpuagg.inject_failure; RESET parallel_leader_participation');
}

# What is kept costs less.
sub cost { return rows($session, 'force', "EXPLAIN $query") =~ /GpuAgg\)\s+\(cost=[0-9.]+\.\.([0-9.]+)/ ? $1 : undef }

$session->query('SET max_parallel_workers_per_gather = 0');
evict();
my $cold = cost();
is_right($session, $query, 'with one process') for 1 .. 2;
cmp_ok(cost(), '<', 0.5 * $cold, 'the cost is that of what is kept');
$session->query('RESET max_parallel_workers_per_gather');

# Of many groups, processes divide the keys, where the rows are kept; those that each process has read
# are counted once.
{
	my $many = 'SELECT v, count(*), sum(k), max(k) FROM many GROUP BY v ORDER BY v';
	sql(q{CREATE TABLE many (k int, v int) WITH (parallel_workers = 2); INSERT INTO many SELECT i % 1000, i * 7 % 260000 FROM generate_series(1, 300000) i; VACUUM ANALYZE many});
	$session->query("SET gpuagg.$_ = -1") for qw(setup_cost page_cost tuple_cost operator_cost group_cost);
	unlike(rows($session, 'force', "EXPLAIN $many"), qr/Parallel Division/, 'rows of pages are divided');
	sql("SELECT gpuagg_prewarm('many')");
	like(rows($session, 'force', "EXPLAIN $many"), qr/Parallel Division: keys/, 'of kept rows, keys are');
	my $blocks = sql("SELECT pg_relation_size('many') / current_setting('block_size')::int");
	is_right($session, $many, 'keys are divided', $blocks);
	like(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $many"), qr/Blocks Resident: $blocks\n.*Rows Read: 300000\n.*Groups: 260000\n/s, 'what is read is counted once');
	sql('UPDATE many SET k = k + 1 WHERE v < 3; DELETE FROM many WHERE v = 5');
	is_right($session, $many, 'keys are divided, and some pages are read', 'some');
	$session->query("SET max_parallel_workers = $_"), is_right($session, $many, "keys are divided, and there are $_ workers", 'some') for 1, 0;
	$session->query('RESET max_parallel_workers');
	$session->query("RESET gpuagg.$_") for qw(setup_cost page_cost tuple_cost operator_cost group_cost);
	sql('DROP TABLE many');
}

# Several tables, and other kinds of values.
evict();
note_blocks();
for my $q ('SELECT k, sum(v), count(*) FROM parts GROUP BY k ORDER BY k', 'SELECT count(DISTINCT u), count(v) FROM wide',
	'SELECT b, sum(n), sum(v::float8) FROM wide GROUP BY b ORDER BY b', 'SELECT u, count(*) FROM wide WHERE v < 50 GROUP BY u ORDER BY u',
	'SELECT count(*) FROM wide', 'SELECT k, count(*) FROM wide WHERE v > 25990 OR n < 2 GROUP BY k ORDER BY k')
{
	# PostgreSQL filters in its workers
	$session->query('SET max_parallel_workers_per_gather = ' . ($q =~ /WHERE/ ? 0 : 2));
	is_right($session, $q, $q) for 1 .. 2;
	is_right($session, $q, $q, 'some');
}
like(rows($session, 'force', 'EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*) FROM wide WHERE v > 25990'), qr/Blocks Skipped: [1-9]/, 'stripes are skipped');
$session->query('RESET max_parallel_workers_per_gather');

# gpuagg_prewarm: a query finds all blocks there that no query has read.
for my $setting ('max_parallel_workers_per_gather = 0', 'max_parallel_workers_per_gather = 2', 'gpuagg.engine = auto')
{
	evict();
	note_blocks();
	is(sql("SET $setting; SELECT rows, bytes = (SELECT sum(bytes) FROM gpuagg_cache) FROM gpuagg_prewarm('wide', '{k,v,n,b}')"), '26000|t', "$setting: prewarm");
	is(kept(), $every, "$setting: all blocks are kept");
	is_right($session, $query, "$setting: a query", $total);
}
is(sql("SELECT gpuagg_evict('wide') > 0; SELECT rows FROM gpuagg_prewarm('wide', '{k,u}'); SELECT rows FROM gpuagg_prewarm('wide', '{v,n,b}')"), "t\n26000\n26000", 'columns beside others');
is_right($session, $query, 'all of them', $total);
is_right($session, 'SELECT count(DISTINCT u) FROM wide', 'another type', $total);
evict();
is(messages($node, "SELECT gpuagg_prewarm('wide')"), '', 'all columns');
is(sql("SELECT string_agg(attribute, ',' ORDER BY attribute) FROM gpuagg_cache WHERE blocks = $total"), 'b,filler,k,n,u,v', 'are kept');
is(sql("SELECT rows FROM gpuagg_prewarm('parts')"), '17999', 'partitions');
is_right($session, 'SELECT k, sum(v) FROM parts GROUP BY k ORDER BY k', 'and their blocks', sql("SELECT sum(pg_relation_size(c) / 8192) FROM unnest('{parts1,parts2}'::regclass[]) c"));
sql(q{UPDATE wide SET v = v WHERE v < 5000});
is(sql("SELECT rows FROM gpuagg_prewarm('wide', '{k,v,n,b}')"), '26000', 'a table of which a part has changed');
is_right($session, $query, 'before VACUUM');
for my $workers (0, 2)
{
	sql('UPDATE wide SET v = v WHERE v BETWEEN 10000 AND 10200');
	sql('VACUUM wide');
	sql("SET max_parallel_workers_per_gather = $workers; SELECT gpuagg_prewarm('wide', '{k,v,n,b}')");
	is_right($session, $query, "after VACUUM, with $workers workers", sql("SELECT pg_relation_size('wide') / 8192"));
}
like(messages($node, "BEGIN; TRUNCATE wide; SELECT gpuagg_prewarm('wide')"), qr/ERROR:  columns of table "wide" cannot be kept in shared memory/, 'a new file');

sql('VACUUM FULL wide; VACUUM wide');
note_blocks();

# Values that cannot be kept: those of other columns, or of other rows, are.
sql(q{CREATE TABLE odd AS SELECT i % 7 AS k, i AS v, i / 4.0 AS n, i::numeric AS huge, i::float8 AS f FROM generate_series(1, 500000) i;
	UPDATE odd SET huge = 1e200, n = 'NaN' WHERE v = 499990; VACUUM FULL odd; VACUUM ANALYZE odd});
is(sql("SELECT rows FROM gpuagg_prewarm('odd')"), '500000', 'odd values: the rows');
is(sql("SELECT rows FROM gpuagg_prewarm('odd', '{k,v,f}')"), '500000', 'columns without odd values');
is_right($session, 'SELECT k, sum(v), sum(f) FROM odd GROUP BY k ORDER BY k', 'are kept', sql("SELECT pg_relation_size('odd') / 8192"));
$session->query('SET gpuagg.fallback = on');
is_right($session, 'SELECT k, sum(n), max(huge) FROM odd GROUP BY k ORDER BY k', 'odd values');
$session->query('RESET gpuagg.fallback');
sql('DROP TABLE odd');
sql(q{CREATE TABLE nans AS SELECT i % 7 AS k, CASE WHEN i % 100 = 0 THEN 'NaN' ELSE i::numeric END AS n FROM generate_series(1, 100000) i; VACUUM ANALYZE nans});
like(messages($node, "SELECT gpuagg_prewarm('nans')"), qr/^[^\n]*NOTICE:  column "n" of table "nans" is not kept in shared memory\n[^\n]*NaN[^\n]*$/, 'statistics have NaN');
is_right($session, 'SELECT k, count(*) FROM nans GROUP BY k ORDER BY k', 'the other column is kept', sql("SELECT pg_relation_size('nans') / 8192"));
sql('DROP TABLE nans');

# A table that is new in the transaction is not kept, though workers do not know that it is.
my $rows = $node->basedir . '/rows.copy';
sql("COPY wide TO '$rows'");
rows($session, 'force', "BEGIN; CREATE TABLE fresh (LIKE wide) WITH (parallel_workers = 2); COPY fresh FROM '$rows' (FREEZE)");
is_right($session, $query =~ s/wide/fresh/r, 'a new table', 'none') for 1 .. 2;
rows($session, 'force', 'ROLLBACK');
unlike(kept(), qr/fresh/, 'nothing of it is kept');

# Places of rows are kept beside what is read with them.
evict();
is_right($session, 'SELECT k, v FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM wide) s WHERE r <= 2 ORDER BY v', 'places', $_) for 'none', 'some';
is(sql("SELECT string_agg(attribute, ',' ORDER BY attribute) FROM gpuagg_cache"), 'ctid,k,v', 'places are kept');
evict();

# Texts: few and many, NULLs, empty ones, long ones, and such as are compressed or out of line.
sql(q{CREATE TABLE words (id int NOT NULL, few text, name varchar(90) COLLATE "C", code char(4), many text, bits bytea, doc jsonb, big text, one text, none text) WITH (parallel_workers = 2);
	ALTER TABLE words ALTER COLUMN big SET STORAGE EXTENDED;
	INSERT INTO words SELECT i, CASE WHEN i % 11 = 0 THEN NULL WHEN i % 11 = 1 THEN '' ELSE (i % 11) || repeat('ä', i % 11 * 2) END,
		'name ' || i * 7919::bigint % 5000 || CASE i % 3 WHEN 0 THEN ' of some' ELSE '' END, substr('ab cdef', 1 + i % 4, i % 4), md5(i::text) || i,
		decode(md5((i % 300)::text), 'hex'), CASE WHEN i % 5 > 0 THEN jsonb_build_object('a', i % 20, 'b', (i % 3)::text) END,
		CASE WHEN i % 997 = 0 THEN repeat('compressed ', 3000) WHEN i % 1009 = 0 THEN (SELECT string_agg(md5(j::text), '') FROM generate_series(1, 400) j)
			WHEN i % 2 = 0 THEN 'big ' || i % 90 END, 'one', NULL
		FROM generate_series(1, 150000) i;
	VACUUM ANALYZE words});
my $words = sql("SELECT pg_relation_size('words') / 8192");
my @questions = (
	'SELECT few, count(*), sum(id) FROM words GROUP BY few', 'SELECT name, min(id) FROM words GROUP BY name', 'SELECT code, count(*), max(name) FROM words GROUP BY code',
	'SELECT one, none, count(*), count(none) FROM words GROUP BY one, none', 'SELECT few, code, count(many), max(id) FROM words GROUP BY few, code',
	'SELECT id % 7 AS m, few, count(*) FROM words GROUP BY m, few', 'SELECT count(*), min(id) FROM words WHERE name LIKE \'%7% of%\'',
	"SELECT count(*), sum(id) FROM words WHERE many LIKE '%abc%'", "SELECT few, count(*) FROM words WHERE name IN ('name 7', 'name 8', 'name 9 of some') GROUP BY few",
	"SELECT length(name) AS l, count(*) FROM words WHERE few IS NOT NULL AND name < 'name 5' GROUP BY l", "SELECT count(*) FROM words WHERE few IS NULL OR name = 'name 3'",
	"SELECT substr(name, 1, 6) AS s, count(*), count(few) FILTER (WHERE code <> 'ab') FROM words GROUP BY s", 'SELECT bits, count(*) FROM words GROUP BY bits',
	"SELECT doc->>'a' AS a, count(*), count(doc->>'b') FROM words GROUP BY a", "SELECT sum((doc->>'a')::int) FROM words WHERE doc->>'b' = '2'",
	'SELECT count(DISTINCT many), count(DISTINCT few) FROM words', 'SELECT count(*) FROM words WHERE few = code', "SELECT count(*) FROM words WHERE name = 'there is none'",
	'SELECT big, count(*) FROM words GROUP BY big', "SELECT count(*), count(big), min(id) FROM words WHERE big LIKE '%press%' OR big LIKE 'big 8%'", 'SELECT max(length(big)) FROM words',
	'SELECT id % 5 AS m, min(name), max(name), max(big COLLATE "C") FROM words GROUP BY m', 'SELECT max(id) FROM words WHERE one <> \'one\'');

is(messages($node, "SELECT gpuagg_prewarm('words', '{id,few,name,code,many,bits,big,one,none}')"), '', 'all texts');
is(sql("SELECT string_agg(attribute, ',' ORDER BY attribute) FROM gpuagg_cache WHERE relation = 'words'::regclass AND blocks = $words"), 'big,bits,code,few,id,many,name,none,one', 'are kept');
cmp_ok(sql("SELECT bytes FROM gpuagg_cache WHERE attribute = 'few'"), '<', sql('SELECT sum(octet_length(few)) / 3 FROM words'), 'few texts take little memory');
# what tells only whether a value is NULL is another column, and a query keeps jsonb
rows($session, 'force', $_) for 'SELECT count(none), count(many), count(few), count(big) FROM words', "SELECT count(doc->>'a') FROM words";
for my $workers (0, 2)
{
	$session->query("SET max_parallel_workers_per_gather = $workers");
	is_right($session, $_ =~ /GROUP BY (.*)/ ? "$_ ORDER BY $1" : $_, "$workers workers: $_", $workers == 0 || !/WHERE/ ? $words : qr/^\d/) for @questions;
}
$session->query('SET max_parallel_workers_per_gather = 0');
like(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) SELECT few, count(*) FROM words WHERE $_ GROUP BY few"), qr/Blocks Skipped: [1-9]/, "skipped: $_")
  for "name = 'there is none'", "name LIKE '%there%' AND id > 5", 'none IS NOT NULL AND length(none) > 3';
unlike(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) SELECT few, count(*) FROM words WHERE $_ GROUP BY few"), qr/Blocks Skipped/, "not skipped: $_")
  for "name = 'name 7'", 'one IS NOT NULL', "none IS NULL";
# an error of a text is one of the rows that have it
sql("UPDATE words SET name = 'nan' WHERE id = 77777; VACUUM words; SELECT gpuagg_evict('words'), gpuagg_prewarm('words', '{id,name,one}')");
$session->query('SET gpuagg.fallback = on');
is_right($session, "SELECT substr(name, 6, 2)::int AS n, count(*) FROM words WHERE id <> 77777 AND name NOT LIKE '% of%' AND name LIKE 'name __' GROUP BY n ORDER BY n", 'an error that no row has');
like(rows($session, 'force', "SELECT substr(name, 1, 3)::int AS n, count(*) FROM words WHERE id = 77777 GROUP BY n"), qr/ERROR.*invalid input syntax/, 'an error that one has');
$session->query('RESET gpuagg.fallback');
# groups beyond the memory
$session->query("SET work_mem = '64kB'; SET hash_mem_multiplier = 1");
is_right($session, "$_ ORDER BY 1, 2", "little memory: $_") for 'SELECT name, count(*), sum(id), max(many) FROM words GROUP BY name', "SELECT few, count(*), md5(string_agg(many, ',' ORDER BY id)) FROM words GROUP BY few", 'SELECT many, count(*) FROM words GROUP BY many', 'SELECT name, few, count(*), min(many), max(many) FROM words GROUP BY name, few';
$session->query('RESET work_mem; RESET hash_mem_multiplier');
rows($session, 'force', $_) for @questions;
sql("UPDATE words SET name = 'changed', big = repeat('other ', 2500), few = 'new' WHERE id % 20011 = 997");
is_right($session, $_ =~ /GROUP BY (.*)/ ? "$_ ORDER BY $1" : $_, "changed: $_", 'some') for @questions;
sql('VACUUM words');
is_right($session, $_ =~ /GROUP BY (.*)/ ? "$_ ORDER BY $1" : $_, "changed, VACUUM: $_", 'some') for @questions;
sql("DELETE FROM words WHERE id > 1000; ALTER TABLE words ADD COLUMN late text DEFAULT 'added'; ALTER TABLE words ADD COLUMN later text DEFAULT 'an addition that is too long'; VACUUM words");
is_right($session, "SELECT late, count(*), count(few) FROM words WHERE late LIKE 'a%' GROUP BY late", 'tuples without the text') for 1 .. 2;
is_right($session, "SELECT late, count(*), count(few) FROM words WHERE late LIKE 'a%' GROUP BY late", 'tuples without the text, kept', 'some');
is_right($session, 'SELECT later, count(*) FROM words GROUP BY later', 'a missing text that is long', 'none') for 1 .. 2;
$session->query('RESET max_parallel_workers_per_gather');
sql('DROP TABLE words');

# Who may.
sql('CREATE ROLE reader; GRANT SELECT (k) ON wide TO reader; CREATE ROLE stranger');
is_right($session, $query, 'the owner') for 1 .. 2;
is(sql('SET ROLE stranger; SELECT count(*) FROM gpuagg_cache'), '0', 'a stranger sees nothing');
is(sql('SET ROLE reader; SELECT attribute FROM gpuagg_cache'), 'k', 'a reader sees what he may read');
like(messages($node, "SET ROLE stranger; SELECT $_"), qr/permission denied/, "a stranger: $_") for "gpuagg_evict('wide')", "gpuagg_prewarm('wide')", "gpuagg_prewarm('wide', '{k}')";
like(messages($node, "SET ROLE reader; SELECT gpuagg_prewarm('wide', '{k,v}')"), qr/permission denied/, 'a reader prewarms no other column');
is(sql("SET ROLE reader; SELECT gpuagg_evict('wide') > 0"), 't', 'a reader evicts');
is(sql('SELECT string_agg(attribute, \',\' ORDER BY attribute) FROM gpuagg_cache'), 'b,n,v', 'what he may read');
is(sql("SET ROLE reader; SELECT rows FROM gpuagg_prewarm('wide')"), '26000', 'a reader prewarms');
is(kept(), $every, 'what he may read');
sql("SET ROLE reader; SELECT gpuagg_evict('wide')");
is_right($session, $query, 'a column is missing') for 1 .. 2;
is(kept(), $every, 'and is kept again beside the others');

# The user's rows are hidden as ever.
sql('CREATE POLICY few ON wide FOR SELECT TO reader USING (v > 25900); ALTER TABLE wide ENABLE ROW LEVEL SECURITY;
	GRANT SELECT ON wide TO reader');
my $hidden = session($node, 'SET ROLE reader');
is_right($hidden, $query, 'some rows are hidden') for 1 .. 2;
is(rows($hidden, 'force', 'SELECT count(*) FROM wide'), '100', 'so many are not');
is(sql('SET ROLE reader; SELECT count(*) FROM gpuagg_cache'), '0', 'who is told nothing of the others');
evict();
is(sql("SET ROLE reader; SELECT rows, bytes IS NULL FROM gpuagg_prewarm('wide', '{k,v,n}')"), '100|t', 'nor by gpuagg_prewarm');
is_right($hidden, $query, 'which has kept them') for 1 .. 2;
$hidden->quit;
sql('DROP POLICY few ON wide; ALTER TABLE wide DISABLE ROW LEVEL SECURITY');

# The witness of an answer reads pages.
is_right($session, $query, 'kept') for 1 .. 2;
$session->query('SET gpuagg.verify = 1');
like(rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $_"), qr/Verified: equal.*Blocks Resident: $total/s, "verified: $_")
  for $query;
my $hits = sql('SELECT sum(hits) FROM gpuagg_cache');
$session->query('SET gpuagg.engine = simt');
like(rows($session, 'force', 'EXPLAIN (ANALYZE, COSTS OFF) SELECT k, sum(v::float8) FROM wide GROUP BY k'), qr/Engine: simt.*Verified: equal/s, 'another engine, verified');
is(sql('SELECT sum(hits) FROM gpuagg_cache WHERE device IS NULL'), $hits, 'by pages');
$session->query('RESET gpuagg.verify; RESET gpuagg.engine');

# Sessions that read, keep and evict at the same time.
{
	my $right = rows($session, 'off', $query);
	my (@runs, @outs, @errs);
	for my $n (0 .. 3)
	{
		my @statements = map { ('-c', $n == 0 ? "SELECT gpuagg_evict('wide') >= 0" : $query) } 1 .. 40;
		push @runs, start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', "SET max_parallel_workers_per_gather = @{[$n % 2 * 2]}", @statements ],
			'<', \'', '>', \$outs[$n], '2>', \$errs[$n], IPC::Run::timeout(120));
	}
	finish($_) for @runs;
	is(join('', @errs), '', 'sessions at the same time');
	is($outs[$_], "$right\n" x 40, "reader $_ is right") for 1 .. 3;
	evict();
	is(kept(), '', 'nothing stays behind');
}

# A process that is killed takes the memory with it, and nothing else.
is_right($session, $query, 'kept before a crash') for 1 .. 2;
{
	my $victim = session($node);
	my $pid = rows($victim, 'off', 'SELECT pg_backend_pid()');

	kill 'KILL', $pid;
	# it may end any query meanwhile
	ok(wait_for(30, sub {
		# psql may end before it has been given the query
		my ($status, $n) = eval { $node->psql('postgres', 'SELECT count(*) FROM gpuagg_cache') };
		return defined $status && $status == 0 && $n eq '0';
	}), 'the server has begun anew');
	eval { $_->quit } for $victim, $session;
	$session = session($node);
	is_right($session, $query, 'after a crash') for 1 .. 2;
	is_right($session, $query, 'kept after a crash', $total);
}
$session->quit;

# A run begins to filter tuples before it deforms all of them, and ends to, as rows pass: all rows of its pages are kept.
for my $sign ('', '-')
{
	sql("CREATE TABLE phases AS SELECT i % 7 AS k, CASE WHEN i / 40000 % 2 = 0 THEN i ELSE -i END AS v, NULLIF(i % 5, 0) AS w FROM generate_series(1, 199999) i;
		VACUUM ANALYZE phases");
	is_right($session, "SELECT k, sum(v), count(w) FROM phases WHERE ${sign}v > 0 GROUP BY k ORDER BY k", "${sign}v: a filter that rows pass by turns", 'none');
	is_right($session, 'SELECT k, sum(v), count(w), sum(w) FROM phases GROUP BY k ORDER BY k', "${sign}v: what it has kept", 'some');
	sql('DROP TABLE phases');
}

# With little memory, what is read often stays; a table that does not fit is kept in part.
$node->append_conf('postgresql.conf', "gpuagg.cpu_cache_size = 1MB\nmax_parallel_workers_per_gather = 0");
$node->restart;
sql(q{CREATE TABLE long (a int, b float8, c float8);
	INSERT INTO long SELECT i % 100, i, i * 2 FROM generate_series(1, 300000) i;
	CREATE TABLE often AS SELECT i % 10 AS a, i AS v FROM generate_series(1, 30000) i;
	VACUUM ANALYZE long; VACUUM ANALYZE often});
$session = session($node);
my $often = 'SELECT a, sum(v) FROM often GROUP BY a ORDER BY a';
my $long = 'SELECT a, sum(b), sum(c) FROM long GROUP BY a ORDER BY a';
is_right($session, $often, 'a small table') for 1 .. 3;
is_right($session, $long, 'a large one') for 1 .. 3;
is_right($session, $often, 'the small one stays', 'some');
is_right($session, 'SELECT sum(b) FROM long', 'one column of the large one') for 1 .. 3;
is_right($session, 'SELECT a, count(*) FROM long GROUP BY a ORDER BY a', 'which partly fits', qr/^\d/) for 1 .. 3;
cmp_ok(sql('SELECT coalesce(sum(bytes), 0) FROM gpuagg_cache'), '<=', 1 << 20, 'within the limit');
sql('CREATE TABLE late AS SELECT i % 10 AS a, i AS v FROM generate_series(1, 100000) i; VACUUM ANALYZE late');
is_right($session, 'SELECT a, sum(v) FROM late GROUP BY a ORDER BY a', 'no room for another one', 'none');
sql('DROP TABLE long');
is_right($session, 'SELECT a, sum(v) FROM late GROUP BY a ORDER BY a', 'what is of a dropped table gives way') for 1 .. 2;
is_right($session, 'SELECT a, sum(v) FROM late GROUP BY a ORDER BY a', 'to the other one', sql("SELECT pg_relation_size('late') / 8192"));
sql('DROP TABLE late; CREATE TABLE long AS SELECT i % 100 AS a, i::float8 AS b FROM generate_series(1, 300000) i; VACUUM ANALYZE long');
sql("SELECT gpuagg_evict('often')");
is_right($session, 'SELECT a, count(*) FROM long GROUP BY a ORDER BY a', 'it fits alone') for 1 .. 2;
is_right($session, 'SELECT a, count(*) FROM long GROUP BY a ORDER BY a', 'and is resident', 'some');
is_right($session, $often, 'what is colder gives way', 'none');
is_right($session, $often, 'if it is much colder') for 1 .. 3;
sql("SELECT gpuagg_evict('often'), gpuagg_evict('long')");
is(checked(), 'ok|gpuagg.cpu_cache_size = 1MB|', 'gpuagg_check: of what has been evicted nothing is taken');
for my $table (map { "small$_" } 1 .. 20)
{
	sql("CREATE TABLE $table AS SELECT i AS v FROM generate_series(1, 16000) i");
	sql("VACUUM $table");
	sql("SELECT gpuagg_prewarm('$table')");
}
like(checked(), qr{^notice\|gpuagg.cpu_cache_size = 1MB, more than 7/8 of it taken\|Raise }, 'with many tables nearly all is');
is(checked('SET ROLE stranger'), 'ok|gpuagg.cpu_cache_size = 1MB|', 'a stranger is not told');
$session->quit;

# By default, and where the file asks for that, as much as a quarter of shared_buffers.
$node->append_conf('postgresql.conf', "gpuagg.cpu_cache_size = -1\nshared_buffers = 48MB");
$node->restart;
is(sql('SHOW gpuagg.cpu_cache_size'), '12MB', 'a quarter of shared_buffers');
is(checked(), 'ok|gpuagg.cpu_cache_size = 12MB|', 'gpuagg_check: the memory that there is by default');
$session = session($node);
is_right($session, $often, 'a query that has columns kept', 'none');
is_right($session, $often, 'a query over columns that are kept by default', 'some');
$session->quit;

# Without the memory, and without the postmaster's module, nothing is kept, and all is right.
my %advice = ('gpuagg.cpu_cache_size = 0' => 'Set gpuagg.cpu_cache_size', "gpuagg.cpu_cache_size = 64MB\nshared_preload_libraries = ''" => 'Add gpuagg');
for my $lines (sort keys %advice)
{
	$node->append_conf('postgresql.conf', $lines);
	$node->restart;
	$session = session($node);
	is_right($session, $often, "$lines: a query", 'none') for 1 .. 2;
	is(kept(), '', "$lines: nothing is kept");
	like(messages($node, "SELECT gpuagg_prewarm('often')"), qr/ERROR:  no columns are kept in shared memory/, "$lines: gpuagg_prewarm");
	like(checked(), qr/^notice\|gpuagg.cpu_cache_size = \d+(?:MB)?\|$advice{$lines}/, "$lines: gpuagg_check");
	$session->quit;
}

$node->stop;
done_testing();
