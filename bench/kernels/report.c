/*
 * report.c
 *	  Measurements as Markdown tables on stdout and as a JSON file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define MAX_COLUMNS 16

static FILE *json;
static char column_names[MAX_COLUMNS][32];
static int	ncolumns;
static bool first_section = true;
static bool first_line;

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

double
median(double *values, int n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* What the device is; false: there is none. */
static bool
report_device(const Bench *bench)
{
	char		why[256];
	const Context *context = context_get(bench->device, 0, why, sizeof(why));
	const DeviceInfo *info;

	if (context == NULL)
	{
		fprintf(stderr, "no device: %s\n", why);
		return false;
	}
	info = &context->device->info;
	printf("%s, %d multiprocessors, compute capability %d.%d, driver %d, compiler %d; "
		   "medians of %d runs\n", info->name, info->multiprocessors, info->major,
		   info->minor, info->driver, info->compiler, bench->runs);
	if (json)
		fprintf(json, "{\"device\": \"%s\", \"compute_capability\": \"%d.%d\", "
				"\"driver\": %d, \"compiler\": %d, \"runs\": %d, \"sections\": [",
				info->name, info->major, info->minor, info->driver, info->compiler,
				bench->runs);
	return true;
}

bool
report_open(const char *path, const Bench *bench)
{
	json = path ? fopen(path, "w") : NULL;
	if (path && json == NULL)
	{
		perror(path);
		return false;
	}
	if (bench->device != NULL)
		return report_device(bench);
	printf("CPU engine, %llu rows; medians of %d runs\n", (unsigned long long) bench->rows,
		   bench->runs);
	if (json)
		fprintf(json, "{\"device\": \"cpu\", \"rows\": %llu, \"runs\": %d, \"sections\": [",
				(unsigned long long) bench->rows, bench->runs);
	return true;
}

/* Columns are separated by '|'. */
void
report_section(const char *title, const char *columns)
{
	char		copy[512];

	if (json)
		fprintf(json, "%s%s\n {\"title\": \"%s\", \"rows\": [",
				first_section ? "" : "\n ]}", first_section ? "" : ",", title);
	first_section = false;
	first_line = true;
	ncolumns = 0;
	snprintf(copy, sizeof(copy), "%s", columns);
	printf("\n## %s\n\n|", title);
	for (char *name = strtok(copy, "|"); name && ncolumns < MAX_COLUMNS; name = strtok(NULL, "|"))
	{
		snprintf(column_names[ncolumns++], sizeof(column_names[0]), "%s", name);
		printf(" %s |", name);
	}
	printf("\n|");
	for (int i = 0; i < ncolumns; i++)
		printf("---|");
	printf("\n");
}

void
report_line(const char *const *cells, int ncells)
{
	printf("|");
	for (int i = 0; i < ncells; i++)
		printf(" %s |", cells[i]);
	printf("\n");
	fflush(stdout);
	if (json == NULL)
		return;
	fprintf(json, "%s\n  {", first_line ? "" : ",");
	for (int i = 0; i < ncells && i < ncolumns; i++)
		fprintf(json, "%s\"%s\": \"%s\"", i ? ", " : "", column_names[i], cells[i]);
	fprintf(json, "}");
	fflush(json);
	first_line = false;
}

void
report_close(void)
{
	if (json == NULL)
		return;
	fprintf(json, "%s]}\n", first_section ? "" : "\n ]}");
	fclose(json);
}
