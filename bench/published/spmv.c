/*
 * spmv.c
 *	  G-Atom's product of a sparse matrix and a vector.
 *
 * The matrix is a list of elements with row and column; each adds its product to its
 * row's sum.  Rows come in all orders of keys, "sorted" being the usual one of such
 * lists; columns are random.
 */
#include <stdlib.h>

#include "published.h"

#define MATRIX_ROWS 1000000

/* Random columns of elements. */
static uint32_t *
make_columns(uint64_t n)
{
	uint32_t   *columns = malloc(n * sizeof(uint32_t));

	for (uint64_t i = 0; i < n; i++)
		columns[i] = (uint32_t) ((i * UINT64_C(0xd6e8feb86659fd93) >> 32) % MATRIX_ROWS);
	return columns;
}

void
run_spmv(Gpu *gpu)
{
	DeviceModule *module = gpu_module(gpu, "#define ATOMS_PRODUCT\n#include \"atoms.cuh\"\n");
	uint64_t	n = gpu->bench->rows;
	double	   *numbers = atoms_numbers(n);
	double	   *vector = atoms_numbers(MATRIX_ROWS);
	uint32_t   *columns = make_columns(n);
	double	   *expected = malloc(MATRIX_ROWS * sizeof(double));
	DevicePtr	on_device = gpu_alloc(gpu, MATRIX_ROWS * sizeof(double));
	Atoms		atoms;

	report_section("Sparse matrix of 1,000,000 rows times vector, G elements/s (G-Atom)",
				   "rows|" ATOMS_COLUMNS);
	atoms_open(gpu, n, MATRIX_ROWS, &atoms);
	gpu_upload(gpu, on_device, vector, MATRIX_ROWS * sizeof(double));
	gpu_upload(gpu, atoms.columns + 4 * atoms.capacity, numbers, n * sizeof(double));
	gpu_upload(gpu, atoms.columns + 12 * atoms.capacity, columns, n * sizeof(uint32_t));
	for (int d = 0; d < DIST_COUNT; d++)
	{
		atoms_keys(&atoms, (Distribution) d);
		for (int i = 0; i < MATRIX_ROWS; i++)
			expected[i] = 0;
		for (uint64_t i = 0; i < n; i++)
			expected[atoms.keys[i]] += numbers[i] * vector[columns[i]];
		atoms_measure(&atoms, (Distribution) d, module, on_device, expected);
	}
	atoms_close(&atoms);
	gpu_free(gpu, on_device);
	free(numbers);
	free(vector);
	free(columns);
	free(expected);
}
