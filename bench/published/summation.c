/*
 * summation.c
 *	  G-Atom's data summation: doubles by key.
 */
#include <stdlib.h>

#include "published.h"

#define KEYS 100000

void
run_summation(Gpu *gpu)
{
	DeviceModule *module = gpu_module(gpu, "#define ATOMS_DOUBLE\n#include \"atoms.cuh\"\n");
	double	   *numbers = atoms_numbers(gpu->bench->rows);
	double	   *expected = malloc(KEYS * sizeof(double));
	Atoms		atoms;

	report_section("Sums of doubles by 100,000 keys, G values/s (G-Atom)",
				   "keys|" ATOMS_COLUMNS);
	atoms_open(gpu, gpu->bench->rows, KEYS, &atoms);
	gpu_upload(gpu, atoms.columns + 4 * atoms.capacity, numbers, atoms.rows * sizeof(double));
	for (int d = 0; d < DIST_COUNT; d++)
	{
		atoms_keys(&atoms, (Distribution) d);
		for (int i = 0; i < KEYS; i++)
			expected[i] = 0;
		for (uint64_t i = 0; i < atoms.rows; i++)
			expected[atoms.keys[i]] += numbers[i];
		atoms_measure(&atoms, (Distribution) d, module, 0, expected);
	}
	atoms_close(&atoms);
	free(numbers);
	free(expected);
}
