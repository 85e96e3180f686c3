# A server with gpuagg in every session, and what the scripts do with it.
package Node;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(new_node outcome);

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

1;
