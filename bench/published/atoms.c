/*
 * atoms.c
 *	  Rows and tables of G-Atom's programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "published.h"
#include "make_rows.cuh"

static const char *const make_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"#include \"make_rows.cuh\"\n";

const char *const atoms_kernels[ATOMS_WAYS] = {
	"plain", "atomic_sr", "atomic_vr", "atomic_ss"
};

void
atoms_open(Gpu *gpu, uint64_t rows, uint32_t groups, Atoms *atoms)
{
	atoms->gpu = gpu;
	atoms->rows = rows;
	atoms->capacity = (rows + 255) / 256 * 256;
	atoms->groups = groups;
	atoms->columns = gpu_alloc(gpu, atoms->capacity * 16);
	atoms->table = gpu_alloc(gpu, (uint64_t) groups * 8);
	atoms->counters = gpu_alloc(gpu, sizeof(Counters));
	atoms->keys = NULL;
}

void
atoms_keys(Atoms *atoms, Distribution distribution)
{
	MakeArgs	args = {
		.values = atoms->columns,.rows = atoms->rows,.groups = atoms->groups,
		.distribution = distribution,.content = MAKE_NUMBER
	};

	gpu_launch(atoms->gpu, gpu_module(atoms->gpu, make_text), "make_keys", atoms->rows, 256,
			   &args);
	free(atoms->keys);
	atoms->keys = gpu_download(atoms->gpu, atoms->columns, atoms->rows * 4);
}

void
atoms_close(Atoms *atoms)
{
	gpu_free(atoms->gpu, atoms->columns);
	gpu_free(atoms->gpu, atoms->table);
	gpu_free(atoms->gpu, atoms->counters);
	free(atoms->keys);
}

AggregateArgs
atoms_args(const Atoms *atoms, DevicePtr vector)
{
	AggregateArgs args = {
		.batch = {.columns = atoms->columns,.capacity = atoms->capacity,.nrows = atoms->rows},
		.table = {.slots = atoms->table,.capacity = atoms->groups},
		.constants = vector,.counters = atoms->counters
	};

	return args;
}

void
atoms_line(Gpu *gpu, Distribution distribution, uint64_t rows, const double ms[ATOMS_WAYS],
		   bool right)
{
	char		cells[ATOMS_WAYS][32];
	const char *line[ATOMS_WAYS + 2] = {distribution_names[distribution]};

	for (int way = 0; way < ATOMS_WAYS; way++)
	{
		snprintf(cells[way], sizeof(cells[0]), "%.3g", rows / ms[way] / 1e6);
		line[way + 1] = cells[way];
	}
	line[ATOMS_WAYS + 1] = right ? "right" : "WRONG";
	gpu->bench->failed |= !right;
	report_line(line, ATOMS_WAYS + 2);
}

void
atoms_measure(Atoms *atoms, Distribution distribution, DeviceModule *module,
			  DevicePtr vector, const void *expected)
{
	AggregateArgs args = atoms_args(atoms, vector);
	uint64_t	size = (uint64_t) atoms->groups * 8;
	Gpu		   *gpu = atoms->gpu;
	double		ms[ATOMS_WAYS];
	bool		right = true;

	for (int way = 0; way < ATOMS_WAYS; way++)
	{
		double		times[64];
		void	   *table;

		for (int i = 0; i < gpu->bench->runs; i++)
		{
			gpu_zero(gpu, atoms->table, size);
			gpu->ms = 0;
			gpu_launch(gpu, module, atoms_kernels[way], atoms->rows / 4, 256, &args);
			times[i] = gpu->ms;
		}
		ms[way] = median(times, gpu->bench->runs);
		table = gpu_download(gpu, atoms->table, size);
		right &= memcmp(table, expected, size) == 0;
		free(table);
	}
	atoms_line(gpu, distribution, atoms->rows, ms, right);
}

double *
atoms_numbers(uint64_t n)
{
	double	   *numbers = malloc(n * sizeof(double));

	for (uint64_t i = 0; i < n && numbers != NULL; i++)
		numbers[i] = (double) (i * UINT64_C(0x9e3779b97f4a7c15) >> 57) - 50;
	return numbers;
}
