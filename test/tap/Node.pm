# A server with gpuagg in every session, and what the scripts do with it.
package Node;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More ();
use Time::HiRes qw(sleep time);

our @EXPORT = qw(new_node outcome dealt_over new_compiler wait_for blocks_with_rows may_end device_may_fail);

# Sessions that a script keeps give up so many seconds after they began.  On a busy machine
# scripts take more than the 180 that are usual.
$PostgreSQL::Test::Utils::timeout_default = 900;

# A machine's GPU is for the tests that need one only.
$ENV{CUDA_VISIBLE_DEVICES} = '' unless ($ENV{GPUAGG_TEST_ENGINE} // '') eq 'cuda';

# The servers of the script; device processes that it has let end, by their process IDs or
# their servers' names; and servers whose devices it has let fail, by their names.
my (@nodes, %may_end, %may_fail);

# These device processes may end, since the script is about to kill them; or all those of a
# server, which it has asked to end by themselves.
sub may_end { $may_end{ ref $_ ? $_->name : $_ } = 1 for @_; return }

# The server's device may refuse calls and be lost, since the script has asked it to.
sub device_may_fail { $may_fail{ $_[0]->name } = 1; return }

# Lines of a server's log that tell of a device process that has ended, or of a device that has
# not done what it should, though the script has not asked for that.
sub device_faults
{
	my ($node) = @_;
	my @faults;

	open(my $log, '<', $node->logfile) or return;
	while (my $line = <$log>)
	{
		push @faults, $line if $line =~ /gpuagg device process \(PID (\d+)\) has ended/ && !$may_end{$1} && !$may_end{ $node->name };
		push @faults, $line if $line =~ /gpuagg device process: the device (?:has refused a run|is lost)/;
	}
	return @faults;
}

# Whatever a script tests, a device process that ends without having been asked to fails it.
END
{
	my $status = $?;
	my @faults = map { device_faults($_) } grep { !$may_fail{ $_->name } } @nodes;

	if (@faults)
	{
		Test::More::fail('no device process has ended, or refused a run, that was not asked to');
		Test::More::diag(@faults);
		$status ||= 1;
	}
	$? = $status;
}

# A started server; the lines go to its postgresql.conf.
sub new_node
{
	my ($name, @lines) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	# not the environment's: engines count characters of UTF-8
	$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', join "\n",
		"session_preload_libraries = 'gpuagg'", "gpuagg.mode = force",
		'max_parallel_workers_per_gather = 0', 'autovacuum = off', 'jit = off', @lines);
	push @nodes, $node;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gpuagg');
	return $node;
}

# How many simulated devices tables are dealt over, as tools/run-tests' DEVICES has it; 1: none is.
sub dealt_over
{
	return 1 unless $ENV{GPUAGG_DEAL_PAGES};
	my @memories = split /,/, $ENV{GPUAGG_SIMT_MEMORY};
	return scalar @memories;
}

# How many of a table's blocks have rows.  Since PostgreSQL 16 a table that grows quickly has
# empty ones at its end, which VACUUM does not find all-visible.
sub blocks_with_rows
{
	my ($node, $database, $table) = @_;

	return $node->safe_psql($database, "SET gpuagg.mode = off; SELECT count(DISTINCT split_part(ctid::text, ',', 1)) FROM $table");
}

# What a query comes to, after these settings: its rows, or its error's first
# line; at most this many seconds.
sub outcome
{
	my ($node, $settings, $query) = @_;
	my ($stdout, $stderr) = ('', '');

	$node->psql('postgres', "$settings; $query",
		stdout => \$stdout, stderr => \$stderr, on_error_stop => 1, timeout => 60);
	return $1 if $stderr =~ /((?:ERROR|FATAL|PANIC|server closed).*)/;
	return $stdout;
}

# A compiler for GPUAGG_SIMT_CC: a shell runs these lines, then cc.  It cannot compile the
# interpreter, which is asked for beside a query's own kernels and, once it is there, spares
# some of them.
sub new_compiler
{
	my ($name, @lines) = @_;
	my $file = "$ENV{TESTDIR}/$name";

	open(my $out, '>', $file) or die "$file: $!";
	print $out map { "$_\n" } '#!/bin/sh',
		'for file; do case $file in *.c) ! grep -q interpret.cuh "$file" || exit 1 ;; esac; done',
		@lines, 'exec cc "$@"';
	close $out;
	chmod 0755, $file;
	return $file;
}

# Does it come true within some seconds?
sub wait_for
{
	my ($seconds, $condition) = @_;
	my $end = time + $seconds;
	my $true;
	while (!($true = $condition->()) && time < $end)
	{
		sleep 0.02;
	}
	return $true;
}

1;
