# Benchmarks of queries load their tables, measure, find gpuagg's rows to be PostgreSQL's, and go on where they were stopped.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use PostgreSQL::Test::Utils;
use Node;

my $node = new_node('bench', "shared_preload_libraries = 'gpuagg'", 'log_min_messages = warning');
my $directory = PostgreSQL::Test::Utils::tempdir();

@ENV{qw(PGHOST PGPORT PGDATABASE GPUAGG_COMMIT)} = ($node->host, $node->port, 'postgres', 'a commit');

# Run a benchmark; its status, and its report.
sub bench
{
	my ($name, @words) = @_;
	my $log = "$directory/$name.log";
	my $status = system("bench/$name --server --runs 1 --query-seconds 0.01 --workers 1 --systems postgresql cpu_forced"
		  . " --output $directory --files $directory @words >$log 2>&1");

	diag(slurp_file($log)) if $status;
	return ($status, decode_json(slurp_file("$directory/$name.json")));
}

# The questions that gpuagg has answered, with PostgreSQL's rows or with others.
sub answered
{
	my ($report, $same) = @_;

	return grep { my $measured = $_->{measured}{cpu_forced};
		$measured->{taken} && $measured->{taken} eq 'gpuagg' && !!$measured->{same_rows} == $same } @{ $report->{questions} };
}

# in collation C, and in one whose order is not that of bytes
for my $case (['questions', 14, 14], ['clickbench', 43, 43], ['dashboards', 30, 30],
	['clickbench', 43, 43, '--locale icu:en-US'], ['dashboards', 30, 30, '--locale icu:en-US'])
{
	my ($name, $questions, $taken, @locale) = @$case;
	my ($status, $report) = bench($name, '--rows 2000', @locale);

	is($status, 0, "$name @locale ends well");
	is(scalar @{ $report->{questions} }, $questions, "it has asked all questions");
	is(scalar(answered($report, 1)), $taken, "gpuagg has taken what it takes, with PostgreSQL's rows");
}

is($node->safe_psql('postgres', "SELECT datlocprovider FROM pg_database WHERE datname = 'gpuagg_bench_clickbench_icu_en_us'"), 'i', 'a database has the locale that was named');

# as after a run that was stopped
my $path = "$directory/questions.json";
my $report = decode_json(slurp_file($path));
my @measured = splice @{ $report->{questions} }, 0, 4;
$report->{questions} = \@measured;
$_->{measured}{postgresql}{median} = 12345 for @measured;
open(my $file, '>:raw', $path) or die "$path: $!";
print $file encode_json($report);
close $file;

my ($status, $resumed) = bench('questions', '--rows 2000 --resume');
is($status, 0, 'a run that was stopped goes on');
is(scalar(grep { $_->{measured}{postgresql}{median} == 12345 } @{ $resumed->{questions} }), 4, 'what was measured is not measured again');
is(scalar @{ $resumed->{questions} }, 14, 'what was not is');

# wrong rows are found; what the benchmark itself wants to know is asked with gpuagg.mode = auto, of tables that are too small
$node->safe_psql('postgres', "ALTER DATABASE gpuagg_bench_questions SET gpuagg.inject_failure = 'value:1:inexact'");
$node->safe_psql('postgres', 'ALTER DATABASE gpuagg_bench_questions SET gpuagg.mode = auto');
($status, $report) = bench('questions', '--rows 2000');
isnt($status, 0, 'wrong rows are no good end');
cmp_ok(scalar(answered($report, 0)), '>', 0, 'they are found');

done_testing();
