# A server with gpuagg in every session, and what the scripts do with it.
package Node;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(new_node outcome new_compiler wait_for blocks_with_rows);

# Sessions that a script keeps give up so many seconds after they began.  On a busy machine
# scripts take more than the 180 that are usual.
$PostgreSQL::Test::Utils::timeout_default = 900;

# A machine's GPU is for the tests that need one only.
$ENV{CUDA_VISIBLE_DEVICES} = '' unless ($ENV{GPUAGG_TEST_ENGINE} // '') eq 'cuda';

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
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gpuagg');
	return $node;
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
