/*
 * main.c
 *	  The kernel benchmark: strategies over distributions and numbers of groups,
 *	  and the experiments that the strategies come from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "engine/cuda/cuda_engine.h"

static const char *const all_strategies[] = {
	"auto", "atomic", "block", "peers", "peers_ballot", "scan", "vote", "scatter",
	"scatter_twice", "interpret"
};

#define N_STRATEGIES 10

static void
usage(void)
{
	printf("kernels [--engine cuda|simt|cpu] [--rows N] [--runs N] [--json FILE]\n"
		   "        [--only strategies|states|block|westphal|adinetz|link] [--strategy NAME,...]\n"
		   "        [--distribution NAME] [--groups N] [--keys dense|sparse]\n");
}

/* What is measured, if not all. */
static const char *only = NULL;
static const char *only_strategy = NULL;
static const char *only_distribution = NULL;
static uint32_t only_groups = 0;

static bool
wanted(const char *filter, const char *name)
{
	return filter == NULL || strcmp(filter, name) == 0;
}

/* Is the strategy among those that are asked for, with commas between them? */
static bool
wanted_strategy(const char *name)
{
	size_t		len = strlen(name);

	for (const char *at = only_strategy; at != NULL; at = strchr(at, ','))
	{
		at += *at == ',';
		if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == 0))
			return true;
	}
	return only_strategy == NULL;
}

/* G rows/s of one distribution and number of groups, a column a strategy. */
static void
strategies_line(Bench *bench, Distribution distribution, uint32_t groups)
{
	char		cells[N_STRATEGIES + 4][48];
	const char *line[N_STRATEGIES + 4];
	double		best = 0;
	double		chosen = 0;
	uint64_t	digest = 0;
	bool		right = true;

	snprintf(cells[0], sizeof(cells[0]), "%s", distribution_names[distribution]);
	snprintf(cells[1], sizeof(cells[1]), "%u", groups);
	for (int s = 0; s < N_STRATEGIES; s++)
	{
		Measurement m;
		double		speed;

		snprintf(cells[s + 2], sizeof(cells[0]), "-");
		if (!wanted_strategy(all_strategies[s]))
			continue;
		m = measure_resident(bench, &workload_double, bench->rows, groups, distribution,
							 all_strategies[s]);
		speed = bench->rows / m.ms / 1e6;
		right &= m.right && (digest == 0 || digest == m.digest);
		digest = m.digest;
		if (s == 0)
		{
			chosen = speed;
			snprintf(cells[2], sizeof(cells[2]), "%.3g (%s)", speed, m.ran);
		}
		else
			snprintf(cells[s + 2], sizeof(cells[0]), "%.3g", speed);
		best = speed > best ? speed : best;
	}
	snprintf(cells[N_STRATEGIES + 2], sizeof(cells[0]), "%.2f", chosen > 0 ? best / chosen : 0);
	snprintf(cells[N_STRATEGIES + 3], sizeof(cells[0]), "%s", right ? "yes" : "NO");
	bench->failed |= !right;
	for (int i = 0; i < N_STRATEGIES + 4; i++)
		line[i] = cells[i];
	report_line(line, N_STRATEGIES + 4);
}

static void
run_strategies(Bench *bench)
{
	static const uint32_t all_groups[] = {1, 100, 10000, 1000000, 0};
	static const uint32_t block_groups[] = {1, 4, 16, 100, 1000, 4096, 10000, 14000, 0};
	const uint32_t one[] = {only_groups, 0};
	const uint32_t *groups = only_groups > 0 ? one :
		only && strcmp(only, "block") == 0 ? block_groups : all_groups;

	report_section(bench->sparse ?
				   "Sum and count by key, sparse keys, G rows/s of (int4, float8) "
				   "in device memory" :
				   "Sum and count by key, dense keys, G rows/s of (int4, float8) "
				   "in device memory",
				   "keys|groups|auto|atomic|block|peers|peers_ballot|scan|vote|scatter|scatter_twice|interpret|"
				   "best to auto|right");
	for (int d = 0; d < DIST_COUNT; d++)
		for (int g = 0; groups[g] > 0; g++)
		{
			if (!wanted(only_distribution, distribution_names[d]) ||
				(groups[g] == 1 && d != DIST_UNIFORM) ||
				(only_groups == 0 && groups[g] > bench->rows))
				continue;
			strategies_line(bench, (Distribution) d, groups[g]);
		}
}

/* Other states than a sum and a count, by `auto` and two strategies. */
static void
states_line(Bench *bench, const Workload *workload, uint32_t groups)
{
	static const char *const strategies[] = {"auto", "block", "atomic"};
	char		cells[7][80];
	const char *line[7];
	uint64_t	digest = 0;
	bool		right = true;

	snprintf(cells[0], sizeof(cells[0]), "%s", workload->name);
	snprintf(cells[1], sizeof(cells[0]), "%u", groups);
	for (int s = 0; s < 3; s++)
	{
		Measurement m;
		double		speed;

		snprintf(cells[s == 0 ? 3 : s + 3], sizeof(cells[0]), "-");
		if (!wanted_strategy(strategies[s]))
			continue;
		m = measure_resident(bench, workload, bench->rows, groups, DIST_UNIFORM,
							 strategies[s]);
		speed = bench->rows / m.ms / 1e6;
		right &= m.right && (digest == 0 || digest == m.digest);
		digest = m.digest;
		snprintf(cells[2], sizeof(cells[0]), "%u", m.row_bytes);
		if (s == 0)
			snprintf(cells[3], sizeof(cells[0]), "%.3g, %.3g TB/s (%s)", speed,
					 speed * m.row_bytes / 1e3, m.ran);
		else
			snprintf(cells[s + 3], sizeof(cells[0]), "%.3g", speed);
	}
	snprintf(cells[6], sizeof(cells[0]), "%s", right ? "yes" : "NO");
	bench->failed |= !right;
	for (int i = 0; i < 7; i++)
		line[i] = cells[i];
	report_line(line, 7);
}

static void
run_states(Bench *bench)
{
	static const Workload workloads[] = {
		{.name = "sums of 8 numerics",.type = VT_INT8,.columns = 8,.sums = true},
		{.name = "the same, NULLs",.type = VT_INT8,.columns = 8,.sums = true,.nullable = true},
		{.name = "sums of 8 float8",.type = VT_FLOAT8,.columns = 8,.sums = true},
		{.name = "sum of int4",.type = VT_INT4,.columns = 1,.sums = true},
		{.name = "sum of numeric",.type = VT_INT8,.columns = 1,.sums = true},
		{.name = "sum of float8, NULLs",.type = VT_FLOAT8,.columns = 1,.sums = true,.nullable = true},
		{.name = "sum of float8, filter",.type = VT_FLOAT8,.columns = 1,.sums = true,.filter = true},
		{.name = "min, max of int4",.type = VT_INT4,.columns = 1,.extremes = true},
		{.name = "min, max of float8",.type = VT_FLOAT8,.columns = 1,.extremes = true}
	};
	static const uint32_t groups[] = {4, 1000};

	report_section(bench->sparse ? "Other states, sparse keys, G rows/s" :
				   "Other states, dense keys, G rows/s",
				   "states|groups|bytes a row|auto|block|atomic|right");
	for (size_t w = 0; w < sizeof(workloads) / sizeof(workloads[0]); w++)
		for (int g = 0; g < 2; g++)
			if (only_groups == 0 || only_groups == groups[g])
				states_line(bench, &workloads[w], groups[g]);
}

/* 10 rows a key: random, sorted, shifted; float and double. */
static void
run_westphal(Bench *bench)
{
	static const char *const strategies[] = {"atomic", "block", "peers", "peers_ballot"};
	uint32_t	groups = bench->rows / 10 < 1000000 ? (uint32_t) (bench->rows / 10) : 1000000;

	report_section("10 rows a key, 1,000,000 keys, G rows/s (Westphal)",
				   "keys|value|atomic|block|peers|peers_ballot");
	for (int d = DIST_UNIFORM; d <= DIST_SHIFTED; d++)
		for (int type = VT_FLOAT4; type <= VT_FLOAT8; type++)
		{
			char		cells[6][32];
			const char *line[6];

			snprintf(cells[0], sizeof(cells[0]), "%s", distribution_names[d]);
			snprintf(cells[1], sizeof(cells[0]), "%s", type == VT_FLOAT4 ? "float" : "double");
			for (int s = 0; s < 4; s++)
			{
				Measurement m = measure_resident(bench, type == VT_FLOAT4 ?
												 &workload_float : &workload_double,
												 (uint64_t) groups * 10, groups,
												 (Distribution) d, strategies[s]);

				snprintf(cells[s + 2], sizeof(cells[0]), "%.3g", groups * 10 / m.ms / 1e6);
				bench->failed |= !m.right;
			}
			for (int i = 0; i < 6; i++)
				line[i] = cells[i];
			report_line(line, 6);
		}
}

/* What is measured of a device. */
static void
measure_device(Bench *bench)
{
	if (wanted(only, "strategies") || strcmp(only, "block") == 0)
		run_strategies(bench);
	if (wanted(only, "states"))
		run_states(bench);
	if (wanted(only, "westphal"))
		run_westphal(bench);
	if (wanted(only, "adinetz"))
		run_filter(bench);
	if (wanted(only, "link"))
		run_link(bench);
}

int
main(int argc, char **argv)
{
	Bench		bench = {.engine = &cuda_engine, .device = &cuda_device,
	.runs = 5};
	const char *json = NULL;

	for (int i = 1; i < argc; i++)
	{
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--engine") == 0 && strcmp(value, "simt") == 0)
		{
			bench.engine = &simt_engine;
			bench.device = &simt_device;
		}
		else if (strcmp(argv[i], "--engine") == 0 && strcmp(value, "cpu") == 0)
		{
			bench.engine = &cpu_engine;
			bench.device = NULL;
		}
		else if (strcmp(argv[i], "--rows") == 0)
			bench.rows = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--keys") == 0 && strcmp(value, "sparse") == 0)
			bench.sparse = true;
		else if (strcmp(argv[i], "--runs") == 0)
			bench.runs = atoi(value);
		else if (strcmp(argv[i], "--json") == 0)
			json = value;
		else if (strcmp(argv[i], "--only") == 0)
			only = value;
		else if (strcmp(argv[i], "--strategy") == 0)
			only_strategy = value;
		else if (strcmp(argv[i], "--distribution") == 0)
			only_distribution = value;
		else if (strcmp(argv[i], "--groups") == 0)
			only_groups = (uint32_t) strtoul(value, NULL, 10);
		else if ((strcmp(argv[i], "--engine") != 0 || strcmp(value, "cuda") != 0) &&
				 (strcmp(argv[i], "--keys") != 0 || strcmp(value, "dense") != 0))
		{
			usage();
			return 2;
		}
		i++;
	}
	if (bench.rows == 0)
		bench.rows = bench.device ? 400000000 : 10000000;
	if (bench.rows < 10 || bench.rows > UINT32_MAX - 256 || bench.runs < 1 || bench.runs > 64)
	{
		usage();
		return 2;
	}
	if (!report_open(json, &bench))
		return 1;
	if (bench.device != NULL)
		measure_device(&bench);
	else
		run_cpu(&bench, only_distribution, only_groups);
	report_close();
	if (bench.device != NULL)
		context_close(bench.device);
	return bench.failed;
}
