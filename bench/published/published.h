/*
 * published.h
 *	  Published experiments: the parts that they share.
 */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include "bench.h"
#include "engine/cuda/kernels/kernel_args.h"

/* A device, a stream, and what is measured.  Whatever fails ends the program. */
typedef struct Gpu
{
	Bench	   *bench;
	Context    *context;
	DeviceStream *stream;
	DeviceEvent *from;
	DeviceEvent *to;
	double		ms;				/* of the launches since gpu_begin */
} Gpu;

extern void gpu_open(Bench *bench, Gpu *gpu);
extern void gpu_close(Gpu *gpu);
extern DevicePtr gpu_alloc(Gpu *gpu, uint64_t size);
extern void gpu_free(Gpu *gpu, DevicePtr ptr);
extern void gpu_zero(Gpu *gpu, DevicePtr ptr, uint64_t size);
extern void gpu_upload(Gpu *gpu, DevicePtr to, const void *from, uint64_t size);

/* A copy of device memory, malloc'd. */
extern void *gpu_download(Gpu *gpu, DevicePtr from, uint64_t size);

/* Kernel text as a module; it stays until gpu_close. */
extern DeviceModule *gpu_module(Gpu *gpu, const char *text);

/*
 * Launch a kernel over `items` by blocks of that many threads, no more blocks than the
 * device holds at once; or by exactly so many blocks.  Its time goes to gpu->ms.
 */
extern void gpu_launch(Gpu *gpu, DeviceModule *module, const char *kernel, uint64_t items,
					   uint32_t threads, void *args);
extern void gpu_launch_blocks(Gpu *gpu, DeviceModule *module, const char *kernel,
							  uint32_t blocks, uint32_t threads, void *args);

/* The first 4 columns of a table of G-Atom: how atomics are made. */
#define ATOMS_WAYS 4
#define ATOMS_COLUMNS "plain|atomicSR|atomicVR|atomicSS|right"

extern const char *const atoms_kernels[ATOMS_WAYS];

/* Rows of G-Atom's programs in device memory, and on the host, to check with. */
typedef struct Atoms
{
	Gpu		   *gpu;
	uint64_t	rows;
	uint64_t	capacity;
	uint32_t	groups;
	DevicePtr	columns;		/* atoms.cuh */
	DevicePtr	table;			/* a word a group */
	DevicePtr	counters;
	uint32_t   *keys;			/* malloc'd */
} Atoms;

/* Rows with keys; 16 bytes a row are there for columns. */
extern void atoms_open(Gpu *gpu, uint64_t rows, uint32_t groups, Atoms *atoms);
extern void atoms_keys(Atoms *atoms, Distribution distribution);
extern void atoms_close(Atoms *atoms);

/* The parameters of their kernels; `vector`: of ATOMS_PRODUCT. */
extern AggregateArgs atoms_args(const Atoms *atoms, DevicePtr vector);

/*
 * Measure a module's kernels over the rows, and compare the table with what is expected,
 * after each; a line of the report.
 */
extern void atoms_measure(Atoms *atoms, Distribution distribution, DeviceModule *module,
						  DevicePtr vector, const void *expected);

/* A line of a table: the order of keys, G rows/s of each way, and if all were right. */
extern void atoms_line(Gpu *gpu, Distribution distribution, uint64_t rows,
					   const double ms[ATOMS_WAYS], bool right);

/* Whole numbers as a program's values, so that sums of doubles are exact. */
extern double *atoms_numbers(uint64_t n);

/* The experiments. */
extern void run_histogram(Gpu *gpu);
extern void run_summation(Gpu *gpu);
extern void run_spmv(Gpu *gpu);
extern void run_page_views(Gpu *gpu);
extern void run_merge_sort(Gpu *gpu);
extern void run_reductions(Gpu *gpu);
extern void run_scans(Gpu *gpu);

#endif							/* PUBLISHED_H */
