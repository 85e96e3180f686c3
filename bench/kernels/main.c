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

#define N_STRATEGIES ((int) (sizeof(all_strategies) / sizeof(all_strategies[0])))

static void
usage(void)
{
	printf("kernels [--engine cuda|simt|cpu] [--rows N] [--runs N] [--json FILE]\n"
		   "        [--only strategies|states|block|groups|aggregates|westphal|adinetz|lookups|link]\n"
		   "        [--strategy NAME,...] [--distribution NAME] [--groups N,...]\n"
		   "        [--keys dense|sparse|int8|two|six|text|text20|codes]\n");
}

/* What is measured, if not all. */
static const char *only = NULL;
static const char *only_strategy = NULL;
static const char *only_distribution = NULL;

#define MAX_GROUPS 32

/* Numbers of groups that are asked for, with 0 behind them. */
static uint32_t only_groups[MAX_GROUPS + 1];

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

/* Numbers of groups from a list with commas; false: it is none. */
static bool
read_groups(const char *list)
{
	int			n = 0;
	char	   *end;

	for (const char *at = list; n < MAX_GROUPS; at = end + 1)
	{
		unsigned long groups = strtoul(at, &end, 10);

		if (end == at || groups == 0 || groups > 1000000000 || (*end != ',' && *end != 0))
			return false;
		only_groups[n++] = (uint32_t) groups;
		if (*end == 0)
			break;
	}
	only_groups[n] = 0;
	return true;
}

static const uint32_t *
wanted_groups(const uint32_t *otherwise)
{
	return only_groups[0] > 0 ? only_groups : otherwise;
}

static bool
read_keys(Bench *bench, const char *name)
{
	for (int keys = 0; keys < KEY_COUNT; keys++)
		if (strcmp(name, key_names[keys]) == 0)
		{
			bench->keys = (KeyKind) keys;
			return true;
		}
	return false;
}

/* A section whose title tells the kind of keys. */
static void
section_of_keys(const Bench *bench, const char *title, const char *columns)
{
	char		with_keys[128];

	snprintf(with_keys, sizeof(with_keys), title, key_names[bench->keys]);
	report_section(with_keys, columns);
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
	RowOrder	order = {bench->rows, groups, distribution};

	snprintf(cells[0], sizeof(cells[0]), "%s", distribution_names[distribution]);
	snprintf(cells[1], sizeof(cells[1]), "%u", groups);
	for (int s = 0; s < N_STRATEGIES; s++)
	{
		Measurement m;
		double		speed;

		snprintf(cells[s + 2], sizeof(cells[0]), "-");
		if (!wanted_strategy(all_strategies[s]))
			continue;
		m = measure_resident(bench, &workload_double, &order, all_strategies[s]);
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
	const uint32_t *groups =
		wanted_groups(only && strcmp(only, "block") == 0 ? block_groups : all_groups);
	char		columns[512];
	size_t		len = (size_t) snprintf(columns, sizeof(columns), "keys|groups");

	for (int i = 0; i < N_STRATEGIES; i++)
		len += (size_t) snprintf(columns + len, sizeof(columns) - len, "|%s", all_strategies[i]);
	snprintf(columns + len, sizeof(columns) - len, "|best to auto|right");
	section_of_keys(bench, "Sum and count by key, %s keys, G rows/s of (int4, float8) "
					"in device memory", columns);
	for (int d = 0; d < DIST_COUNT; d++)
		for (int g = 0; groups[g] > 0; g++)
		{
			if (!wanted(only_distribution, distribution_names[d]) ||
				(groups[g] == 1 && d != DIST_UNIFORM) ||
				(only_groups[0] == 0 && groups[g] > bench->rows))
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
	RowOrder	order = {bench->rows, groups, DIST_UNIFORM};

	snprintf(cells[0], sizeof(cells[0]), "%s", workload->name);
	snprintf(cells[1], sizeof(cells[0]), "%u", groups);
	for (int s = 0; s < 3; s++)
	{
		Measurement m;
		double		speed;

		snprintf(cells[s == 0 ? 3 : s + 3], sizeof(cells[0]), "-");
		if (!wanted_strategy(strategies[s]))
			continue;
		m = measure_resident(bench, workload, &order, strategies[s]);
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
		{.name = "min, max of float8",.type = VT_FLOAT8,.columns = 1,.extremes = true},
		{.name = "sum of int4 in 2 bytes",.type = VT_INT4,.columns = 1,.sums = true,.narrow = 2},
		{.name = "sum of int4 in 1 byte",.type = VT_INT4,.columns = 1,.sums = true,.narrow = 1}
	};
	static const uint32_t some_groups[] = {4, 1000, 0};
	const uint32_t *groups = wanted_groups(some_groups);

	section_of_keys(bench, "Other states, %s keys, G rows/s",
				   "states|groups|bytes a row|auto|block|atomic|right");
	for (size_t w = 0; w < sizeof(workloads) / sizeof(workloads[0]); w++)
		for (int g = 0; groups[g] > 0; g++)
			if (workloads[w].narrow == 0 || bench->keys == KEY_CODES)
				states_line(bench, &workloads[w], groups[g]);
}

/* Another way's result: CUB's, measured, or that of plain atomics. */
static Measurement
measure_other(Bench *bench, const RowOrder *order, bool cub)
{
	Bench		once = *bench;

	if (!cub)
		once.runs = 1;
	return measure_resident(&once, &workload_double, order, cub ? "cub" : "atomic");
}

/* G rows/s of one distribution and number of groups: ours and CUB's. */
static void
groups_line(Bench *bench, Distribution distribution, uint32_t groups)
{
	char		cells[8][48];
	const char *line[8];
	RowOrder	order = {bench->rows, groups, distribution};
	Measurement ours = measure_resident(bench, &workload_double, &order, "auto");
	bool		right = ours.right;

	snprintf(cells[0], sizeof(cells[0]), "%s", distribution_names[distribution]);
	snprintf(cells[1], sizeof(cells[0]), "%u", groups);
	snprintf(cells[2], sizeof(cells[0]), "%llu", (unsigned long long) ours.groups);
	snprintf(cells[3], sizeof(cells[0]), "%u", ours.row_bytes);
	snprintf(cells[4], sizeof(cells[0]), "%.3g", bench->rows / ours.ms / 1e6);
	snprintf(cells[5], sizeof(cells[0]), "%s", ours.ran);
	snprintf(cells[6], sizeof(cells[0]), "-");
	if (wanted_strategy("cub"))
	{
		bool		cub = peer_can(bench, &workload_double);
		Measurement other = measure_other(bench, &order, cub);

		right &= other.right && other.digest == ours.digest && other.groups == ours.groups;
		if (cub)
			snprintf(cells[6], sizeof(cells[0]), "%.3g", bench->rows / other.ms / 1e6);
	}
	snprintf(cells[7], sizeof(cells[0]), "%s", right ? "yes" : "NO");
	bench->failed |= !right;
	for (int i = 0; i < 8; i++)
		line[i] = cells[i];
	report_line(line, 8);
}

static void
run_groups(Bench *bench)
{
	static const uint32_t all_groups[] = {
		1, 10, 100, 127, 128, 129, 1000, 10000, 100000, 1000000, 10000000, 100000000,
		1000000000, 0
	};
	const uint32_t *groups = wanted_groups(all_groups);

	section_of_keys(bench, "Rows by the number of groups, %s keys, G rows/s",
					"order|groups|found|bytes a row|auto|by|cub|right");
	for (int d = 0; d < DIST_COUNT; d++)
		for (int g = 0; groups[g] > 0; g++)
			if (only_distribution ? wanted(only_distribution, distribution_names[d]) :
				d == DIST_UNIFORM)
				groups_line(bench, (Distribution) d, groups[g]);
}

/* G rows/s of sums of one type's columns, a column a number of sums. */
static void
aggregates_line(Bench *bench, const Workload *kind, uint32_t groups)
{
	char		cells[11][48];
	const char *line[11];
	RowOrder	order = {bench->rows, groups, DIST_UNIFORM};
	bool		right = true;

	snprintf(cells[0], sizeof(cells[0]), "%s", kind->name);
	snprintf(cells[1], sizeof(cells[0]), "%u", groups);
	for (int n = 1; n <= 8; n++)
	{
		Workload	workload = *kind;
		Measurement m;

		workload.columns = n;
		m = measure_resident(bench, &workload, &order, "auto");
		right &= m.right && m.groups <= groups;
		snprintf(cells[n + 1], sizeof(cells[0]), "%.3g, %.3g TB/s", bench->rows / m.ms / 1e6,
				 bench->rows / m.ms / 1e9 * m.row_bytes);
	}
	snprintf(cells[10], sizeof(cells[0]), "%s", right ? "yes" : "NO");
	bench->failed |= !right;
	for (int i = 0; i < 11; i++)
		line[i] = cells[i];
	report_line(line, 11);
}

static void
run_aggregates(Bench *bench)
{
	static const Workload kinds[] = {
		{.name = "int4",.type = VT_INT4,.sums = true},
		{.name = "numeric, 64 bits",.type = VT_INT8,.sums = true},
		{.name = "numeric, 128 bits",.type = VT_WIDE,.sums = true},
		{.name = "float8",.type = VT_FLOAT8,.sums = true}
	};
	static const uint32_t some_groups[] = {4, 1000, 0};
	const uint32_t *groups = wanted_groups(some_groups);

	section_of_keys(bench, "Rows by the number of sums, %s keys, G rows/s",
					"values|groups|1|2|3|4|5|6|7|8|right");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (int g = 0; groups[g] > 0; g++)
			aggregates_line(bench, &kinds[k], groups[g]);
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
			RowOrder	order = {(uint64_t) groups * 10, groups, (Distribution) d};

			snprintf(cells[0], sizeof(cells[0]), "%s", distribution_names[d]);
			snprintf(cells[1], sizeof(cells[0]), "%s", type == VT_FLOAT4 ? "float" : "double");
			for (int s = 0; s < 4; s++)
			{
				Measurement m = measure_resident(bench, type == VT_FLOAT4 ?
												 &workload_float : &workload_double,
												 &order, strategies[s]);

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
	if (wanted(only, "groups"))
		run_groups(bench);
	if (wanted(only, "aggregates"))
		run_aggregates(bench);
	if (wanted(only, "westphal"))
		run_westphal(bench);
	if (wanted(only, "adinetz"))
		run_filter(bench);
	if (wanted(only, "lookups"))
	{
		run_lookups(bench);
		run_stars(bench);
	}
	if (wanted(only, "link"))
		run_link(bench);
}

static void
measure_cpu(Bench *bench)
{
	if (only == NULL || strcmp(only, "lookups") != 0)
		run_cpu(bench, only_distribution, only_groups[0]);
	if (wanted(only, "lookups"))
		run_cpu_lookups(bench);
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
		else if (strcmp(argv[i], "--keys") == 0 && read_keys(&bench, value))
			;
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
		else if (strcmp(argv[i], "--groups") == 0 && read_groups(value))
			;
		else if (strcmp(argv[i], "--engine") != 0 || strcmp(value, "cuda") != 0)
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
		measure_cpu(&bench);
	report_close();
	if (bench.device != NULL)
		context_close(bench.device);
	return bench.failed;
}
