/*
 * bench.h
 *	  The kernel benchmark: parts that share a report.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/cuda/run/run.h"

typedef struct Bench
{
	const EngineOps *engine;
	const DeviceOps *device;
	uint64_t	rows;			/* of the main table */
	int			runs;			/* of which the median is taken */
	bool		sparse;			/* keys all over int4, not a dense range */
	bool		failed;			/* some result was wrong */
} Bench;

/* How keys follow each other. */
typedef enum Distribution
{
	DIST_UNIFORM,
	DIST_SORTED,
	DIST_SHIFTED,				/* sorted, then each key one up or down */
	DIST_ZIPF,					/* exponent 1.0 */
	DIST_HEAVY,					/* one key has half of the rows */
	DIST_COUNT
} Distribution;

extern const char *const distribution_names[DIST_COUNT];

/* One measured combination. */
typedef struct Measurement
{
	double		ms;				/* median */
	char		ran[32];		/* the strategy, and how groups are addressed */
	uint64_t	groups;
	bool		right;			/* the counts add up */
} Measurement;

/*
 * Rows of (int4 key, value of that type) made on the device, sum and count by
 * key with a strategy.
 */
extern Measurement measure_resident(const Bench *bench, uint64_t rows, uint32_t groups,
									Distribution distribution, ValueType value,
									const char *strategy);

/* Adinetz's experiment. */
extern void run_filter(Bench *bench);

/* The link's speed. */
extern void run_link(Bench *bench);

/* One line of the report, in Markdown on stdout and as JSON in the file. */
extern bool report_open(const char *path, const Bench *bench);
extern void report_section(const char *title, const char *columns);
extern void report_line(const char *const *cells, int ncells);
extern void report_close(void);

extern double median(double *values, int n);

#endif							/* BENCH_H */
