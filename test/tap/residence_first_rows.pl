# First rows of groups from columns that stay in device memory: rows' places are kept beside
# them.  Needs a build with TESTING=1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Node;
use Residence;

my $node = resident_node('residence_first_rows');
my $session = session($node);

sub sql { return $node->safe_psql('postgres', $_[0]) }

sql(q{CREATE TABLE t (k int, v int, id int, note text) PARTITION BY RANGE (id);
	CREATE TABLE t_1 PARTITION OF t FOR VALUES FROM (0) TO (15000) WITH (fillfactor = 70);
	CREATE TABLE t_2 PARTITION OF t FOR VALUES FROM (15000) TO (40000) WITH (fillfactor = 70);
	INSERT INTO t SELECT i * 7 % 100, i * 31 % 1009, i, 'n' || i FROM generate_series(1, 30000) i;
	VACUUM ANALYZE t});

my $latest = 'SELECT * FROM (SELECT DISTINCT ON (k) k, id, note, tableoid::regclass, ctid FROM %s ORDER BY k, v DESC, id) s ORDER BY k';
my $few = 'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v, id DESC) AS n FROM %s WHERE id %% 3 > 0) s WHERE n <= 3 ORDER BY k, n';
my ($of_one, $of_all) = (sprintf($latest, 't_1'), sprintf($few, 't'));
my $total = sql("SELECT pg_relation_size('t_1') / 8192");

make_resident($session, $of_one, 't_1');
is_right($session, $of_one, 'of one table', $total);
is(sql("SELECT attribute, rows FROM gpuagg_cache WHERE relation = 't_1'::regclass ORDER BY 1"), "ctid|14999\nid|14999\nk|14999\nv|14999", 'places are kept');
blocks($session, $of_all) for 1 .. 2;
is_right($session, $of_all, 'of partitions', sql("SELECT sum(pg_relation_size(oid) / 8192) FROM pg_class WHERE relname IN ('t_1', 't_2')"));
is_right($session, sprintf($latest, 't'), 'of partitions, by another order', 'some');
is_right($session, sprintf($few, 't_1'), 'of one of them', $total);

# changed rows, whose new versions are elsewhere or have other rows' line pointers
sql('UPDATE t SET v = v + 500 WHERE id % 977 = 0');
is_right($session, $of_all, 'after an update');
sql('DELETE FROM t_1 WHERE id % 400 = 1');
is_right($session, $of_all, 'after a deletion');
sql('VACUUM t');
is_right($session, $of_all, 'after VACUUM');
sql(q{INSERT INTO t SELECT i % 100, 5000, i, 'new' FROM generate_series(1, 200) i});
is_right($session, $of_one, 'of line pointers that are used again');
sql('VACUUM t');
is_right($session, $_, 'and kept again') for $of_one, $of_all, $of_one;
$session->query('BEGIN; UPDATE t_1 SET v = -1 WHERE id < 50');
is_right($session, $of_all, 'of what a transaction has changed');
$session->query('ROLLBACK');
is_right($session, $of_all, 'and has undone');
ok(sql("SELECT gpuagg_evict('t_1')") > 0, 'evicted');
is(sql("SELECT count(*) FROM gpuagg_cache WHERE relation = 't_1'::regclass"), 0, 'places, too');
is_right($session, $of_all, 'and read again');

# partitions of one row each, whose places are all the same in their stripes
sql(q{CREATE TABLE few (k int, v int, note text) PARTITION BY LIST (k);
	CREATE TABLE few_1 PARTITION OF few FOR VALUES IN (1);
	CREATE TABLE few_2 PARTITION OF few FOR VALUES IN (2);
	CREATE TABLE few_3 PARTITION OF few FOR VALUES IN (3);
	INSERT INTO few VALUES (1, 10, 'one'), (2, 20, 'two'), (3, 30, 'three');
	VACUUM few});
my $of_few = 'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v) AS n FROM few) s WHERE n <= 2 ORDER BY k';
blocks($session, $of_few) for 1 .. 2;
is_right($session, $of_few, 'of partitions of one row', 3);

$session->quit;
$node->stop;
done_testing();
