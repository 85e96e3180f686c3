/*
 * cpu.c
 *	  The CPU engine alone, over columns in memory: rows a second for 1 to 10^7
 *	  groups, for kinds of keys, and for keys in several orders.
 *
 * A run takes in all rows by column batches and gives all groups.  What is counted is the
 * process's time on a processor, its user's and the system's.  A step is how many times
 * as fast a number of groups is as the tenfold: where it is large, something of the
 * engine, or a cache of the processor, has come to its end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

#define CPU_ROWS_AT_ONCE 16384
#define DECADES 8
#define TEXT_ROOM 24

/* Kinds of keys that are measured. */
static const struct
{
	KeyKind		keys;
	const char *name;
}			kinds[] =
{
	{KEY_DENSE, "int4"},
	{KEY_SPARSE, "sparse int4"},
	{KEY_INT8, "int8"},
	{KEY_TWO, "two int4"},
	{KEY_TEXT, "text of 8 bytes"},
	{KEY_LONG_TEXT, "text of 20 bytes"}
};

#define N_KINDS ((int) (sizeof(kinds) / sizeof(kinds[0])))

/* All rows. */
typedef struct Rows
{
	uint64_t	n;
	uint32_t   *numbers;		/* of groups */
	void	   *keys[2];
	uint32_t   *offsets;
	double	   *values;
} Rows;

/* Nanoseconds of this process on a processor. */
static uint64_t
cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static uint64_t
mixed(uint64_t i)
{
	i = (i ^ (i >> 31)) * UINT64_C(0x7fb5d329728ea185);
	i = (i ^ (i >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
	return i ^ (i >> 33);
}

/* The group of a row. */
static uint32_t
number_of(uint64_t row, uint64_t rows, uint32_t groups, Distribution distribution)
{
	uint64_t	random = mixed(row + UINT64_C(88172645463325252));
	uint32_t	uniform = (uint32_t) ((random >> 16) % groups);
	double		u = (double) (random >> 11) / 9007199254740992.0;
	uint32_t	zipf;

	switch (distribution)
	{
		case DIST_SORTED:
			return (uint32_t) (row * groups / rows);
		case DIST_ZIPF:
			zipf = (uint32_t) exp(u * log((double) groups + 1)) - 1;
			return zipf < groups ? zipf : groups - 1;
		case DIST_HEAVY:
			return random & 1 ? 0 : uniform;
		default:
			return uniform;
	}
}

static void
make_texts(Rows *rows, int len)
{
	char	   *bytes = rows->keys[0];

	for (uint64_t i = 0; i < rows->n; i++)
	{
		char		text[TEXT_ROOM];

		snprintf(text, sizeof(text), "%0*u", len, rows->numbers[i]);
		memcpy(bytes + i * (uint64_t) len, text, (size_t) len);
	}
	/* a batch's offsets are from where its bytes begin */
	for (uint32_t i = 0; i <= CPU_ROWS_AT_ONCE; i++)
		rows->offsets[i] = i * (uint32_t) len;
}

static void
make_keys(Rows *rows, KeyKind kind)
{
	int32_t    *int4 = rows->keys[0];
	int64_t    *int8 = rows->keys[0];
	int32_t    *second = rows->keys[1];

	if (kind == KEY_TEXT || kind == KEY_LONG_TEXT)
		make_texts(rows, (int) key_text_length(kind));
	else
		for (uint64_t i = 0; i < rows->n; i++)
		{
			uint32_t	number = rows->numbers[i];

			if (kind == KEY_INT8)
				int8[i] = (int64_t) (number * UINT64_C(0x9e3779b97f4a7c15));
			else if (kind == KEY_TWO)
				int4[i] = (int32_t) (number / 1000);
			else
				int4[i] = (int32_t) (kind == KEY_SPARSE ? number * 2654435761u : number);
			second[i] = (int32_t) (number % 1000);
		}
}

static Program *
make_program(KeyKind kind)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	ValueType	type = kind == KEY_INT8 ? VT_INT8 :
		kind == KEY_TEXT || kind == KEY_LONG_TEXT ? VT_TEXT : VT_INT4;
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, type, false, -1));
	if (kind == KEY_TWO)
		program_add_key(b, program_add_column(b, 2, VT_INT4, false, -1));
	program_add_acc(b, ACC_SUM_FLOAT, program_add_column(b, 3, VT_FLOAT8, false, -1), -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static void
die(const char *message)
{
	fprintf(stderr, "%s\n", message);
	exit(1);
}

/* One batch of rows, from `first` on, into the run. */
static void
send_rows(EngineRun *run, const Rows *rows, KeyKind kind, uint64_t first)
{
	uint64_t	left = rows->n - first;
	int			size = kind == KEY_TEXT || kind == KEY_LONG_TEXT ? (int) key_text_length(kind) :
		kind == KEY_INT8 ? 8 : 4;
	ColumnVector columns[3] = {{.values = (const char *) rows->keys[0] + first * (uint64_t) size}};
	ColumnBatch batch = {
		left < CPU_ROWS_AT_ONCE ? (uint32_t) left : CPU_ROWS_AT_ONCE, columns
	};
	int			n = 1;

	if (kind == KEY_TEXT || kind == KEY_LONG_TEXT)
		columns[0].offsets = rows->offsets;
	if (kind == KEY_TWO)
		columns[n++].values = (const int32_t *) rows->keys[1] + first;
	columns[n].values = rows->values + first;
	if (cpu_engine.columns(run, &batch) != ENGINE_OK)
		die(run->message);
}

/* All groups; do their counts add up to the rows? */
static bool
take_groups(EngineRun *run, const Rows *rows, uint64_t *ngroups)
{
	GroupBatch	batch;
	uint64_t	counted = 0;

	*ngroups = 0;
	for (;;)
	{
		if (cpu_engine.groups(run, &batch) != ENGINE_OK)
			die(run->message);
		if (batch.ngroups == 0)
			return counted == rows->n;
		for (uint32_t i = 0; i < batch.ngroups; i++)
			counted += batch.states[i * 4 + 3];
		*ngroups += batch.ngroups;
	}
}

/* Millions of rows a second, the median. */
static double
measure(Bench *bench, const Rows *rows, KeyKind kind, uint32_t groups)
{
	EngineHints hints = {.rows = (double) rows->n,.groups = groups,.memory_limit = UINT64_C(1) << 34};
	Program    *program = make_program(kind);
	double		times[64];

	for (int i = 0; i < bench->runs; i++)
	{
		uint64_t	start = cpu_ns();
		char		message[256];
		uint64_t	ngroups;
		EngineRun  *run;

		if (cpu_engine.open(program, NULL, &hints, &run, message) != ENGINE_OK)
			die(message);
		for (uint64_t first = 0; first < rows->n; first += CPU_ROWS_AT_ONCE)
			send_rows(run, rows, kind, first);
		if (!take_groups(run, rows, &ngroups) || ngroups > groups)
			bench->failed = true;
		cpu_engine.close(run);
		times[i] = (double) (cpu_ns() - start);
	}
	free(program);
	return (double) rows->n * 1e3 / median(times, bench->runs);
}

static void
make_rows(Rows *rows, uint64_t n)
{
	rows->n = n;
	rows->numbers = malloc(n * sizeof(uint32_t));
	rows->keys[0] = malloc(n * TEXT_ROOM);
	rows->keys[1] = malloc(n * sizeof(int32_t));
	rows->offsets = malloc((CPU_ROWS_AT_ONCE + 1) * sizeof(uint32_t));
	rows->values = malloc(n * sizeof(double));
	if (!rows->numbers || !rows->keys[0] || !rows->keys[1] || !rows->offsets || !rows->values)
		die("no memory for the rows");
	for (uint64_t i = 0; i < n; i++)
		rows->values[i] = (double) (mixed(i) >> 11) / 9007199254740992.0 * 1000;
}

static void
free_rows(Rows *rows)
{
	free(rows->numbers);
	free(rows->keys[0]);
	free(rows->keys[1]);
	free(rows->offsets);
	free(rows->values);
}

/* One kind of keys, in one order: a number of groups a cell. */
static void
cpu_line(Bench *bench, Rows *rows, int which, Distribution distribution,
		 uint32_t only_groups)
{
	KeyKind		kind = kinds[which].keys;
	char		cells[DECADES + 3][32];
	const char *line[DECADES + 3];
	double		before = 0;
	double		step = 0;
	uint32_t	groups = 1;

	snprintf(cells[0], sizeof(cells[0]), "%s", kinds[which].name);
	snprintf(cells[1], sizeof(cells[0]), "%s", distribution_names[distribution]);
	for (int d = 0; d < DECADES; d++, groups *= 10)
	{
		double		speed;

		snprintf(cells[d + 2], sizeof(cells[0]), "-");
		if (groups > rows->n || (only_groups > 0 && groups != only_groups))
			continue;
		for (uint64_t i = 0; i < rows->n; i++)
			rows->numbers[i] = number_of(i, rows->n, groups, distribution);
		make_keys(rows, kind);
		speed = measure(bench, rows, kind, groups);
		snprintf(cells[d + 2], sizeof(cells[0]), "%.1f", speed);
		step = before / speed > step ? before / speed : step;
		before = speed;
	}
	snprintf(cells[DECADES + 2], sizeof(cells[0]), "%.2f", step);
	for (int i = 0; i < DECADES + 3; i++)
		line[i] = cells[i];
	report_line(line, DECADES + 3);
}

void
run_cpu(Bench *bench, const char *only_distribution, uint32_t only_groups)
{
	static const Distribution distributions[] = {
		DIST_UNIFORM, DIST_SORTED, DIST_ZIPF, DIST_HEAVY
	};
	Rows		rows;

	make_rows(&rows, bench->rows);
	report_section("Sum and count by key, millions of rows a second of one processor",
				   "keys|order|1|10|100|10^3|10^4|10^5|10^6|10^7|largest step");
	for (int which = 0; which < N_KINDS; which++)
		for (int d = 0; d < 4; d++)
			if (only_distribution == NULL ||
				strcmp(only_distribution, distribution_names[distributions[d]]) == 0)
				cpu_line(bench, &rows, which, distributions[d], only_groups);
	free_rows(&rows);
}
