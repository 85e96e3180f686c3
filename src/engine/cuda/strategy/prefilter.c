/*
 * prefilter.c
 *	  Which of the filter's conditions kernels evaluate first (prefilter.cuh).
 *
 * Conditions are taken one after another, each time the one that costs least for each row that
 * it refuses of those that the ones before it have left, as long as all that is done for a row
 * becomes less in the mean.  Which rows that are is told by a sample, of all conditions
 * together: one that refuses the rows that another one has refused is of no use behind it.
 *
 * A cost is in instructions of a thread.  Those of a condition are executed by a warp that has a
 * row left, so nearly always, for all rows.  Memory is read for the rows that are left only: a
 * table by its entries, a column by sectors of 32 bytes.
 */
#include <string.h>

#include "engine/cuda/strategy/prefilter.h"
#include "program/conjuncts.h"

/*
 * Instructions for each row of PREFILTER_ROWS at once: of a column, an operation, a look-up, and
 * of the loop.  Counted in kernels for compute capability 9.0, and rounded.
 */
#define COLUMN_COST 6
#define OPERATION_COST 3
#define LOOKUP_COST 15
#define ROUND_COST 8

/* Of a row that is left: its place in the queue, each of its columns, its group and its states. */
#define QUEUE_COST 15
#define ROW_COLUMN_COST 25
#define ROW_LOOKUP_COST 25
#define GROUP_COST 60
#define WORD_COST 15

/*
 * What memory costs, in instructions that are executed meanwhile by a multiprocessor that does
 * nothing else: a byte of a column, and a table's entry in L1 and in L2.
 */
#define BYTE_COST 5
#define NEAR_TABLE_COST 10
#define FAR_TABLE_COST 60
#define NEAR_TABLE 16384		/* bytes, at most, of tables that stay in L1 */

#define SECTOR 32

#ifdef GPUAGG_TESTING
bool		prefilter_takes_all = false;
#else
#define prefilter_takes_all false
#endif

/* What must be won at least, of what is done without. */
#define LEAST_GAIN 0.15

/* Columns are fetched before if so many of the rows are left when their condition's turn comes. */
#define AHEAD_SHARE 0.125

/* A row of many is one of so many neighbours. */
#define NEIGHBOURS 4

typedef struct Costs
{
	double		instructions;
	double		tables;			/* of their entries */
	int			bytes;			/* of columns that no other condition before has read */
} Costs;

/* Is a condition one of columns, none of which is a text? */
static bool
is_candidate(const Program *program, int reg)
{
	const Insn *insns = program_insns(program);
	bool		needed[PROGRAM_MAX_INSNS] = {false};
	bool		reads = false;

	program_mark_register(program, reg, needed);
	for (int i = 0; i <= reg; i++)
	{
		if (!needed[i])
			continue;
		if (insns[i].type == VT_TEXT && !insn_is_table(&insns[i]))
			return false;
		reads = reads || insns[i].op == OP_column;
	}
	return reads;
}

void
prefilter_candidates(const Program *program, const ParamValue *params, Prefilter *candidates)
{
	int16_t		conjuncts[PROGRAM_MAX_INSNS];
	int			n = program_conjuncts(program, params, conjuncts);

	*candidates = (Prefilter) {0};
	n = program_free_conjuncts(program, conjuncts, n);
	for (int i = 0; i < n && candidates->n < PREFILTER_CONDITIONS; i++)
	{
		bool		lacks;

		if (!is_candidate(program, conjuncts[i]))
			continue;
		candidates->finds[candidates->n] =
			program_insns(program)[conjuncts[i]].op == OP_int4_ge &&
			program_asked_lookup(program, params, conjuncts[i], &lacks) != NULL;
		candidates->conditions[candidates->n++] = conjuncts[i];
	}
}

/*
 * What registers cost besides those that are there already.  one: of a row alone, not of several
 * at once.
 */
static Costs
costs_of(const Program *program, const ParamValue *params, const bool *needed, const bool *there,
		 bool one)
{
	const Insn *insns = program_insns(program);
	Costs		costs = {0};

	for (int i = 0; i < program->ninsns; i++)
	{
		const Column *column = &program_columns(program)[insns[i].index];

		if (!needed[i] || there[i] || insns[i].op == OP_param)
			continue;
		if (insns[i].op == OP_column)
		{
			costs.instructions += (one ? ROW_COLUMN_COST : COLUMN_COST) * (1 + column->nullable);
			costs.bytes += layout_value_size((ValueType) column->type) + column->nullable;
		}
		else if (op_reads_table((OpCode) insns[i].op))
		{
			bool		near = params[insns[insns[i].arg[1]].index].bytes.len <= NEAR_TABLE;

			costs.instructions += one ? ROW_LOOKUP_COST : LOOKUP_COST;
			costs.tables += near ? NEAR_TABLE_COST : FAR_TABLE_COST;
		}
		else
			costs.instructions += OPERATION_COST;
	}
	return costs;
}

/* Of that share of rows, the share of sectors in which one of them has a value of that size. */
static double
sectors_share(double share, int bytes)
{
	double		none = 1;

	for (int i = 0; i < SECTOR; i += bytes > 0 ? bytes : SECTOR)
		none *= 1 - share;
	return 1 - none;
}

/* All together, if so many rows are left of those before. */
static double
cost_for(const Costs *costs, double share)
{
	return costs->instructions + costs->tables * share +
		costs->bytes * BYTE_COST * sectors_share(share, costs->bytes < 4 ? costs->bytes : 4);
}

/* The share of the sample's rows for which all of these conditions are true. */
static double
share_of(const SampleFacts *facts, uint32_t conditions)
{
	uint64_t	rows = 0;

	for (uint32_t i = 0; i < SAMPLE_CONDITIONS; i++)
		if ((i & conditions) == conditions)
			rows += facts->conditions[i];
	return facts->sampled == 0 ? 1 : (double) rows / facts->sampled;
}

/* What is done for a row that is computed alone, or among several at once. */
static double
row_cost(const Program *program, const ParamValue *params, const KernelLayout *layout, bool one)
{
	bool		needed[PROGRAM_MAX_INSNS] = {false};
	bool		there[PROGRAM_MAX_INSNS] = {false};
	Costs		costs;

	program_mark_register(program, program->filter, needed);
	program_mark_groups(program, needed);
	costs = costs_of(program, params, needed, there, one);
	return cost_for(&costs, 1) + GROUP_COST / (one ? 1 : NEIGHBOURS) +
		WORD_COST * layout->nwords / (one ? 1 : 2);
}

/* A choice in the making. */
typedef struct Choosing
{
	const Program *program;
	const ParamValue *params;
	const SampleFacts *facts;
	KernelLayout *layout;
	bool		there[PROGRAM_MAX_INSNS];	/* registers of the conditions so far, */
	uint32_t	taken;			/* which these are, a bit each, */
	double		cost;			/* of all of them, */
	double		share;			/* and of rows that they leave */
} Choosing;

/*
 * The next condition, by what it costs for each row that it refuses; -1: none refuses any.
 * *cost: what it adds.
 */
static int
next_condition(const Choosing *choosing, double *cost)
{
	const Prefilter *candidates = &choosing->layout->candidates;
	double		least = 0;
	int			next = -1;

	for (int i = 0; i < candidates->n; i++)
	{
		bool		needed[PROGRAM_MAX_INSNS] = {false};
		double		refused = choosing->share -
			share_of(choosing->facts, choosing->taken | UINT32_C(1) << i);
		Costs		costs;

		if ((choosing->taken >> i & 1) != 0 || refused <= 0)
			continue;
		program_mark_register(choosing->program, candidates->conditions[i], needed);
		costs = costs_of(choosing->program, choosing->params, needed, choosing->there, false);
		if (next < 0 || cost_for(&costs, choosing->share) / refused < least)
		{
			next = i;
			*cost = cost_for(&costs, choosing->share);
			least = *cost / refused;
		}
	}
	return next;
}

static void
take_condition(Choosing *choosing, int condition, double cost)
{
	Prefilter  *prefilter = &choosing->layout->prefilter;
	int			reg = choosing->layout->candidates.conditions[condition];

	prefilter->conditions[prefilter->n] = (int16_t) reg;
	prefilter->finds[prefilter->n] = choosing->layout->candidates.finds[condition];
	prefilter->ahead[prefilter->n++] = choosing->share >= AHEAD_SHARE;
	program_mark_register(choosing->program, reg, choosing->there);
	choosing->taken |= UINT32_C(1) << condition;
	choosing->cost += cost;
	choosing->share = share_of(choosing->facts, choosing->taken);
}

void
prefilter_choose(const Program *program, const ParamValue *params, const SampleFacts *facts,
				 KernelLayout *layout)
{
	Choosing	choosing = {
		.program = program,.params = params,.facts = facts,.layout = layout,.cost = ROUND_COST,
		.share = 1
	};
	double		one = row_cost(program, params, layout, true) + QUEUE_COST;
	double		without = row_cost(program, params, layout, false);
	double		cost;
	int			next;

	layout->prefilter = prefilter_takes_all ? layout->candidates : (Prefilter) {0};
	if (facts->sampled == 0 || prefilter_takes_all)
		return;
	while ((next = next_condition(&choosing, &cost)) >= 0)
	{
		double		left = share_of(facts, choosing.taken | UINT32_C(1) << next);

		if (choosing.taken != 0 && cost + left * one >= choosing.share * one)
			break;
		take_condition(&choosing, next, cost);
	}
	if (choosing.cost + choosing.share * one > (1 - LEAST_GAIN) * without)
		layout->prefilter = (Prefilter) {0};
}

bool
prefilter_suits(Strategy strategy)
{
	return strategy != STRATEGY_SCAN && strategy != STRATEGY_INTERPRET &&
		!strategy_scatters(strategy);
}
