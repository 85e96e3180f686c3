/*
 * main.c
 *	  Published experiments with atomics, reductions and scans, on a GPU of today.
 *
 *		published [--engine cuda|simt] [--rows N] [--runs N] [--json FILE]
 *				  [--only NAME]
 *
 * G-Atom's five programs: histogram, merge_sort, page_views, summation, spmv; Armour's
 * reductions and scans.  --rows is the number of rows of G-Atom's; merge_sort has a
 * quarter, reductions 8 times, scans 4 times as many.  Every result is compared with the
 * CPU's.  (Westphal's and Adinetz's experiments are in bench/kernels.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "published.h"

const char *const distribution_names[DIST_COUNT] = {
	"uniform", "sorted", "shifted", "zipf", "heavy"
};

static const struct
{
	const char *name;
	void		(*run) (Gpu *gpu);
}			experiments[] =
{
	{"histogram", run_histogram},
	{"merge_sort", run_merge_sort},
	{"page_views", run_page_views},
	{"summation", run_summation},
	{"spmv", run_spmv},
	{"reductions", run_reductions},
	{"scans", run_scans}
};

static int
usage(void)
{
	printf("published [--engine cuda|simt] [--rows N] [--runs N] [--json FILE]\n"
		   "          [--only histogram|merge_sort|page_views|summation|spmv|reductions|scans]\n");
	return 2;
}

static void
run_all(Bench *bench, const char *only)
{
	Gpu			gpu;

	gpu_open(bench, &gpu);
	for (size_t i = 0; i < sizeof(experiments) / sizeof(experiments[0]); i++)
		if (only == NULL || strcmp(only, experiments[i].name) == 0)
			experiments[i].run(&gpu);
	report_close();
	gpu_close(&gpu);
}

int
main(int argc, char **argv)
{
	Bench		bench = {.device = &cuda_device,.rows = 1 << 25,.runs = 5};
	const char *json = NULL;
	const char *only = NULL;

	for (int i = 1; i + 1 < argc; i += 2)
	{
		const char *value = argv[i + 1];

		if (strcmp(argv[i], "--engine") == 0)
			bench.device = strcmp(value, "simt") == 0 ? &simt_device : &cuda_device;
		else if (strcmp(argv[i], "--rows") == 0)
			bench.rows = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--runs") == 0)
			bench.runs = atoi(value);
		else if (strcmp(argv[i], "--json") == 0)
			json = value;
		else if (strcmp(argv[i], "--only") == 0)
			only = value;
		else
			return usage();
	}
	if (argc % 2 == 0 || bench.rows < 1024 || bench.rows > 1 << 28 || bench.runs < 1 ||
		bench.runs > 64)
		return usage();
	if (!report_open(json, &bench))
		return 1;
	run_all(&bench, only);
	return bench.failed;
}
