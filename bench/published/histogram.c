/*
 * histogram.c
 *	  G-Atom's histogram: how often each of 256 values comes.
 */
#include <stdlib.h>

#include "published.h"

#define BINS 256

void
run_histogram(Gpu *gpu)
{
	DeviceModule *module = gpu_module(gpu, "#define ATOMS_ONE\n#include \"atoms.cuh\"\n");
	Atoms		atoms;

	report_section("Histogram of 256 bins, G values/s (G-Atom)", "keys|" ATOMS_COLUMNS);
	atoms_open(gpu, gpu->bench->rows, BINS, &atoms);
	for (int d = 0; d < DIST_COUNT; d++)
	{
		uint64_t	expected[BINS] = {0};

		atoms_keys(&atoms, (Distribution) d);
		for (uint64_t i = 0; i < atoms.rows; i++)
			expected[atoms.keys[i]]++;
		atoms_measure(&atoms, (Distribution) d, module, 0, expected);
	}
	atoms_close(&atoms);
}
