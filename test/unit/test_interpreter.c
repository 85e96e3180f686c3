/*
 * test_interpreter.c
 *	  Runs that begin with the interpreter, and go on with kernels of their own.
 *
 * What the interpreter computes is checked in test_cuda_engine, as its strategy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/cuda/compiled/kernel_pending.h"
#include "engine/cuda/core/interpreter.h"
#include "engine/cuda/cuda_engine.h"
#include "query.h"
#include "tap.h"

#define NROWS 20000
#define COMMON 10				/* keys that many rows have */
#define MOST_WAITS 6000

static const EngineOps *engine;

static int32_t keys[NROWS];
static int64_t values[NROWS];
static const ColumnVector columns[] = {{.values = keys}, {.values = values}};
static const ColumnBatch batch = {.nrows = NROWS,.columns = columns};

/* Count and sum of int8 by an int4; extremes of 11 texts are too many for a script. */
static Program *
make_program(bool large)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			value;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	value = program_add_column(b, 2, VT_INT8, false, -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT128, value, -1);
	value = program_add_op(b, OP_wide_of_int8, value, -1);
	for (int i = 0; i < 11 && large; i++)
	{
		program_add_acc(b, ACC_MAX_WIDE, value, -1);
		value = program_add_op(b, OP_wide_neg, value, -1);
	}
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* Few keys, or many of which some are frequent. */
static void
make_rows(bool few)
{
	for (uint32_t i = 0; i < NROWS; i++)
	{
		keys[i] = (int32_t) (few || i % 3 == 0 ? i / 3 % COMMON : 1000 + i * 50021);
		values[i] = (int64_t) i - 777;
	}
}

/* Feed the batch once; then what the run says of its strategy. */
static const char *
feed(EngineRun *run, EngineStatus *status)
{
	do
		*status = engine->columns(run, &batch);
	while (*status == ENGINE_BUSY);
	return run->stats.strategy;
}

/* Are all groups there, each n times? */
static bool
groups_are_right(EngineRun *run, uint64_t n)
{
	uint64_t	rows = 0;
	int64_t		total = 0;
	int64_t		expected = 0;
	bool		right = true;
	GroupBatch	groups = {0};
	EngineStatus status;

	for (uint32_t i = 0; i < NROWS; i++)
		expected += values[i];
	do
	{
		while ((status = engine->groups(run, &groups)) == ENGINE_BUSY)
			;
		if (status != ENGINE_OK)
			printf("# %s\n", run->message);
		for (uint32_t i = 0; i < groups.ngroups && status == ENGINE_OK; i++)
		{
			const uint64_t *state = groups.states + 3 * (size_t) i;
			int32_t		key = ((const int32_t *) groups.keys[0].values)[i];

			rows += state[0];
			total += (int64_t) state[1] + (int64_t) state[2] * (INT64_C(1) << 32);
			right = right && state[0] % n == 0 && (key < 1000 || state[0] == n);
		}
	} while (status == ENGINE_OK && groups.ngroups > 0);
	return status == ENGINE_OK && right && rows == n * NROWS && total == (int64_t) n * expected;
}

/* Feed batches until the run's own kernels have taken over. */
static void
check_taking_over(const char *strategy)
{
	EngineHints hints = {.strategy = "auto"};
	Program    *program = make_program(false);
	char		message[256] = "";
	bool		interpreted = false;
	bool		own = false;
	uint64_t	n = 0;
	EngineRun  *run;
	EngineStatus status;

	make_rows(false);
	status = engine->open(program, NULL, &hints, &run, message);
	for (int i = 0; i < MOST_WAITS && status == ENGINE_OK && !own; i++)
	{
		const char *ran = feed(run, &status);

		n++;
		interpreted = interpreted || strcmp(ran, "interpret") == 0;
		own = strcmp(ran, strategy) == 0;
		usleep(5000);
	}
	ok(status == ENGINE_OK && interpreted && own, "interpreted, then by %s %s",
	   run ? run->stats.strategy : "", message);
	ok(run && groups_are_right(run, n), "all groups of %llu batches", (unsigned long long) n);
	if (run)
		engine->close(run);
	free(program);
}

/* One batch by a strategy: what ran. */
static void
check_one(const char *name, bool large, const char *strategy, bool interpreted)
{
	EngineHints hints = {.strategy = strategy};
	Program    *program = make_program(large);
	char		message[256] = "";
	EngineRun  *run;
	EngineStatus status = engine->open(program, NULL, &hints, &run, message);
	GroupBatch	groups;

	make_rows(true);
	if (status == ENGINE_OK)
		feed(run, &status);
	while (status == ENGINE_OK && (status = engine->groups(run, &groups)) == ENGINE_BUSY)
		status = ENGINE_OK;
	ok(status == ENGINE_OK && groups.ngroups == COMMON &&
	   (strcmp(run->stats.strategy, "interpret") == 0) == interpreted, "%s: ran %s %s", name,
	   run ? run->stats.strategy : "", run ? run->message : message);
	if (run)
		engine->close(run);
	free(program);
}

/*
 * A Program whose script needs so many bytes of dynamic shared memory: sums of its only value,
 * further and further negated.
 */
static Program *
make_long_program(int nops)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			value;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	value = program_add_column(b, 2, VT_INT8, false, -1);
	for (int i = 0; i < nops; i++)
		value = program_add_op(b, OP_int8_neg, value, -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT128, value, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/*
 * Scripts of growing length, through the sizes at which static and dynamic shared memory
 * together become more than a block gets without asking for it.
 */
static void
check_sizes(void)
{
	EngineHints hints = {.strategy = "interpret"};
	int			wrong = 0;

	make_rows(true);
	for (int nops = 0; nops <= 24; nops += 2)
	{
		Program    *program = make_long_program(nops);
		char		message[256] = "";
		EngineRun  *run;
		EngineStatus status = engine->open(program, NULL, &hints, &run, message);

		if (status == ENGINE_OK)
			feed(run, &status);
		if (status != ENGINE_OK || !groups_are_right(run, 1) ||
			strcmp(run->stats.strategy, "interpret") != 0)
		{
			printf("# %d negations: status %d, %s\n", nops, status, run ? run->message : message);
			wrong++;
		}
		if (run)
			engine->close(run);
		free(program);
	}
	ok(wrong == 0, "scripts of any length are run");
}

/* Truth: false, true, NULL, an error. */
enum
{
	F, T, N, E
};

/* How conditions on a, b and c are a filter. */
enum
{
	LEFT,						/* (a AND b) AND c */
	RIGHT,						/* a AND (b AND c) */
	AGAIN,						/* ((c OR a) AND b) AND c: c is computed first */
	SHAPES
};

/*
 * What comes of rows, one of which has these truths, and the others are left out: F, T, E,
 * also F for NULL.
 */
static int
filtered(int shape, const int truth[3])
{
	static const int divisors[] = {2, 1, 0, 0};
	Query	   *q = query_begin();
	int			one = query_constant(q, VT_INT4, false, 1, NULL);
	int			conditions[3];
	int			rows = 71;
	int			is;

	for (int i = 0; i < 3; i++)
		conditions[i] = query_op(q, OP_int4_eq,
								 query_op(q, OP_int4_div, one, query_column(q, VT_INT4)), one);
	if (shape == AGAIN)
		conditions[0] = query_op(q, OP_or, conditions[2], conditions[0]);
	if (shape == RIGHT)
		program_set_filter(&q->b, query_op(q, OP_and, conditions[0],
										   query_op(q, OP_and, conditions[1], conditions[2])));
	else
		program_set_filter(&q->b, query_op(q, OP_and,
										   query_op(q, OP_and, conditions[0], conditions[1]),
										   conditions[2]));
	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	for (int row = 0; row < rows; row++)
		for (int i = 0; i < 3; i++)
			if (row == rows / 2 && truth[i] == N)
				put_null(q, i);
			else
				put_int4(q, i, row == rows / 2 ? divisors[truth[i]] : i == 1 + row % 2 ? 2 : 1);
	q->hints.strategy = "interpret";
	query_run(q, engine, (uint32_t) rows, (uint32_t) rows);
	is = q->status == ENGINE_INEXACT ? E : (int) query_word(q, "", 0);
	query_end(q);
	return is;
}

/* A row is left out by its first false condition only if no error before it counts. */
static void
check_filters(void)
{
	static const int and[4][4] = {{F, F, F, F}, {F, T, N, E}, {F, N, N, E}, {E, E, E, E}};
	static const int or[4][4] = {{F, T, N, E}, {T, T, T, T}, {N, T, N, E}, {E, E, E, E}};
	static const char *const names[] = {"(a AND b) AND c", "a AND (b AND c)",
	"((c OR a) AND b) AND c"};

	for (int shape = 0; shape < SHAPES; shape++)
	{
		int			wrong = 0;

		for (int i = 0; i < 64; i++)
		{
			const int	truth[3] = {i % 4, i / 4 % 4, i / 16};
			int			first = shape == AGAIN ? or[truth[2]][truth[0]] : truth[0];
			int			expected = shape == RIGHT ? and[first][and[truth[1]][truth[2]]] :
				and[and[first][truth[1]]][truth[2]];
			int			is = filtered(shape, truth);

			if (is == (expected == N ? F : expected))
				continue;
			printf("# a %c, b %c, c %c: %c\n", "FTNE"[truth[0]], "FTNE"[truth[1]],
				   "FTNE"[truth[2]], "FTNE"[is & 3]);
			wrong++;
		}
		ok(wrong == 0, "filter %s, of all truths", names[shape]);
	}
}

int
main(void)
{
	engine = getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0 ?
		&cuda_engine : &simt_engine;
	check_one("a process that has not asked for it", false, "auto", false);
	check_one("a program that is too large", true, "interpret", false);
	check_one("on request", false, "interpret", true);
	check_sizes();
	check_filters();
	interpreter_enable();
	check_one("its own kernels are there", false, "auto", false);
	check_one("another strategy is requested", false, "peers", false);
	check_taking_over("block");
	kernel_pending_end();
	return done_testing();
}
