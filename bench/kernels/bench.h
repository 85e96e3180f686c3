/*
 * bench.h
 *	  The kernel benchmark: parts that share a report.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/cuda/run/run.h"

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

/* What stands in the key columns for the group's number. */
typedef enum KeyKind
{
	KEY_DENSE,					/* int4: the number */
	KEY_SPARSE,					/* int4, all over the range */
	KEY_INT8,					/* likewise */
	KEY_TWO,					/* two int4 */
	KEY_SIX,					/* six int4 */
	KEY_TEXT,					/* 8 bytes */
	KEY_LONG_TEXT,				/* 20 bytes */
	KEY_CODES,					/* codes of 8 bytes' texts, in segments */
	KEY_COUNT
} KeyKind;

extern const char *const key_names[KEY_COUNT];

/* Bytes of a text key; 0: the keys are no texts. */
extern uint32_t key_text_length(KeyKind keys);

typedef struct Bench
{
	const EngineOps *engine;
	const DeviceOps *device;	/* NULL: the CPU engine */
	uint64_t	rows;			/* of the main table */
	int			runs;			/* of which the median is taken */
	KeyKind		keys;
	bool		failed;			/* some result was wrong */
} Bench;

/* Which rows, and in which order their groups come. */
typedef struct RowOrder
{
	uint64_t	rows;
	uint32_t	groups;
	Distribution distribution;
} RowOrder;

/* What is computed of rows by their keys: a count, and of each column more. */
typedef struct Workload
{
	const char *name;
	ValueType	type;			/* of the columns */
	int			columns;
	bool		sums;
	bool		extremes;		/* minimum and maximum */
	bool		nullable;		/* every 16th value, key too, is NULL */
	bool		filter;			/* on another column; half of the rows pass */
	uint32_t	narrow;			/* bytes of an int4 in segments, if not 4 */
} Workload;

extern const Workload workload_double;
extern const Workload workload_float;
extern const ParamValue workload_params[];

extern Program *workload_program(const Workload *workload, KeyKind keys);

/* Make rows in the buffer, whose columns have room for `capacity` rows each. */
extern void workload_rows(RunCore *core, const Workload *workload, const InputBuffer *buffer,
						  uint64_t capacity, const RowOrder *order, KeyKind keys);

/* Bytes of a dictionary's texts. */
#define CODES_TEXT 8

/* The width of so many codes. */
extern uint32_t codes_width(uint32_t groups);

/* Bytes a row in segments. */
extern uint32_t codes_row_bytes(const RunCore *core, const Workload *workload,
								const RowOrder *order);

/*
 * Let the run's kernels take its first buffer's rows by segments, keys by codes.  texts: room
 * for the dictionary that core.coded[0] tells of, the caller's to free; it and the rows are
 * yet to be made.
 */
extern void coded_segments(CudaRun *run, const Workload *workload, const RowOrder *order,
						   DeviceBuffer *texts);

/* One measured combination. */
typedef struct Measurement
{
	double		ms;				/* median */
	uint64_t	digest;			/* of all groups and their states, in any order */
	uint32_t	row_bytes;
	char		ran[32];		/* the strategy, and how groups are addressed */
	uint64_t	groups;
	uint64_t	counted;		/* rows, by the groups' counts */
	bool		right;			/* these are all */
} Measurement;

/*
 * Rows made on the device, aggregated by key with a strategy; or, if that is "cub",
 * by CUB (peer.h).
 */
extern Measurement measure_resident(const Bench *bench, const Workload *workload,
									const RowOrder *order, const char *strategy);

/* Its parts: room for rows and their texts in a run's first buffer; launches of what is there. */
extern void resident_make_room(CudaRun *run, uint64_t rows, uint32_t text_length);
extern void resident_measure(const Bench *bench, CudaRun *run, Measurement *result);

/* Can CUB do that?  Is it there? */
extern bool peer_can(const Bench *bench, const Workload *workload);

/* Adinetz's experiment. */
extern void run_filter(Bench *bench);

/* The CPU engine: all its measurements, or those of one order of keys, or number of groups. */
extern void run_cpu(Bench *bench, const char *only_distribution, uint32_t only_groups);

/* Look-ups by a table's form and size; of the CPU engine. */
extern void run_lookups(Bench *bench);
extern void run_stars(Bench *bench);
extern void run_cpu_lookups(Bench *bench);

/* The link's speed. */
extern void run_link(Bench *bench);

/* One line of the report, in Markdown on stdout and as JSON in the file. */
extern bool report_open(const char *path, const Bench *bench);
extern void report_section(const char *title, const char *columns);
extern void report_line(const char *const *cells, int ncells);
extern void report_close(void);

extern double median(double *values, int n);

#endif							/* BENCH_H */
