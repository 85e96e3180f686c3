# What residence_writers.pl tests, for columns that the CPU engine keeps in shared memory, of which
# two servers have their own.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Node;

# of Residence.pm, when it is loaded
local $ENV{GPUAGG_TEST_ENGINE} = 'cpu';
local $ENV{GPUAGG_WRITERS_SECONDS} = $ENV{GPUAGG_WRITERS_SECONDS} // 60;
do "$FindBin::Bin/residence_writers.pl";
die $@ if $@;
