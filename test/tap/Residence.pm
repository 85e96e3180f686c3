# Columns that stay on the device, or in shared memory for the CPU engine, in tests: making them resident, and telling whether a
# query has used them.
package Residence;

use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Node;

our @EXPORT = qw(resident_node messages session rows blocks is_right make_resident masks);

our $engine = $ENV{GPUAGG_TEST_ENGINE} // 'simt';

# Does clearing a bit of the visibility map leave its page's LSN alone?  In some releases it
# does not, and then the LSNs of the table's pages decide.
my $masks;

sub masks { return $masks }

sub map_lsn { return $_[0]->safe_psql('postgres', "SELECT lsn FROM page_header(get_raw_page('map_of', 'vm', 0))") }

sub find_masks
{
	my ($node) = @_;

	$node->safe_psql('postgres', 'CREATE EXTENSION pageinspect; CREATE TABLE map_of AS SELECT 1 AS a');
	$node->safe_psql('postgres', 'VACUUM map_of');
	my $lsn = map_lsn($node);
	$node->safe_psql('postgres', 'UPDATE map_of SET a = 2');
	$masks = map_lsn($node) eq $lsn;
	$node->safe_psql('postgres', 'DROP TABLE map_of; DROP EXTENSION pageinspect');
	return;
}

# A server whose sessions use the device, and nothing else.
sub resident_node
{
	my ($name, @lines) = @_;
	my @memory = $engine eq 'cpu' ? ("shared_preload_libraries = 'gpuagg'", 'gpuagg.cpu_cache_size = 64MB') : ();
	my $node = new_node($name, "gpuagg.engine = $engine", @memory, 'gpuagg.fallback = off', 'max_prepared_transactions = 4', @lines);

	find_masks($node);
	return $node;
}

# What the server says of a query: notices and errors.
sub messages
{
	my ($node, $query) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', $query, stdout => \$out, stderr => \$err, timeout => 60);
	return $err;
}

# A session that goes on after errors.
sub session
{
	my ($node, @statements) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query("SET client_min_messages = error; $_") for @statements;
	return $session;
}

# A query's rows in a session, by the engine or by PostgreSQL's own plan; or an error.
sub rows
{
	my ($session, $mode, $query) = @_;

	$session->{stderr} = '';
	my $rows = eval { $session->query("SET gpuagg.mode = $mode; $query") } // 'ERROR: the session has ended';
	$rows .= " $1" if $session->{stderr} =~ /(ERROR.*)/;
	return $rows;
}

# Of the blocks that a query reads, how many are resident, masked, and kept for later ones.
sub blocks
{
	my ($session, $query) = @_;
	my $plan = rows($session, 'force', "EXPLAIN (ANALYZE, COSTS OFF) $query");

	return map { $plan =~ /Blocks $_: (\d+)/ ? $1 : 0 } 'Resident', 'Masked', 'Kept';
}

# Is the engine's answer PostgreSQL's, in this session now?  It may use what is resident:
# so many blocks, or "some" if others can have changed, or "none".
sub is_right
{
	my ($session, $query, $name, $resident) = @_;
	my $native = rows($session, 'off', $query);
	my ($found) = blocks($session, $query);

	return fail("$name: $native") if $native =~ /ERROR/;
	is(rows($session, 'force', $query), $native, $name) or diag($query);
	return unless defined $resident;
	$resident = qr/^[1-9]/ if $resident eq 'some';
	$resident = qr/^0$/ if $resident eq 'none';
	like($found, ref $resident ? $resident : qr/^$resident$/, "$name: blocks resident");
	return;
}

# Run a query until all of its table's blocks are resident that VACUUM has found all-visible.  Begin
# with none: of a table of which a part has changed, the rest stays, and that part is read for a
# while.
sub make_resident
{
	my ($session, $query, $table) = @_;
	my $total = rows($session, 'off', "SELECT relallvisible FROM pg_class WHERE oid = '$table'::regclass");
	my $found;

	rows($session, 'off', "SELECT gpuagg_evict('$table')");
	for (1 .. 4)
	{
		($found) = blocks($session, $query);
		return if $found == $total;
	}
	fail("$found of $total blocks of $table are resident");
	return;
}

1;
