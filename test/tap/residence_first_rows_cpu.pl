# What residence_first_rows.pl tests, for columns that the CPU engine keeps in shared memory.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Node;

# of Residence.pm, when it is loaded
local $ENV{GPUAGG_TEST_ENGINE} = 'cpu';
do "$FindBin::Bin/residence_first_rows.pl";
die $@ if $@;
