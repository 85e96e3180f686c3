/*
 * conjunct_order.c
 *	  A filter's conjuncts, in the order in which they are evaluated.
 *
 * Each is evaluated for the rows for which those before it are true.  Conjuncts that cannot be
 * errors go by cost, as PostgreSQL's do; their order cannot be seen.  What one costs is its
 * operations, and of tuples the walk to the last attribute that it reads, and its texts.  So of
 * tuples among cheap ones the first attributes decide, and a pattern that is looked for in a text
 * comes behind comparisons of integers not far behind the text.  One that refuses more rows may
 * cost more.  Of a look-up in a table it is known beforehand which share of the keys in the table's
 * range it lacks, but not how many rows have keys in that range.  So it is counted what each
 * conjunct refuses, and they are put in order again and again by that, since the rows that come may
 * be others.  But where the Program hides rows, they stay as they are: no order tells of hidden
 * values.  From the first one on that can be an error, all keep the Program's order.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/conjunct_order.h"
#include "engine/cpu/lookup.h"
#include "program/conjuncts.h"

/*
 * Costs, in comparisons of two integers, which take about 0.6 ns.  Measured with counts
 * over 105 columns, 7 of them texts of up to 55 bytes, and rounded.  Attributes of fixed
 * length take next to nothing to pass.
 */
#define PASSED_TEXT_COST 20		/* a walk over an attribute of variable length */
#define TEXT_COST 40			/* reading one */
#define SEARCH_COST 10			/* looking for something in it, or it in a set */
#define PATTERN_COST 100
#define EXPENSIVE SEARCH_COST	/* operations that are worth another stage */

/* The share of rows that a conjunct refuses if nothing is known, and the least one. */
#define REFUSED_SHARE 0.5
#define LEAST_REFUSED_SHARE 0.01

/*
 * After how many rows conjuncts are put in order again, which takes as long as a few
 * hundred tuples at most; and how many a conjunct must have seen.
 */
#define LEARNED_ROWS 8192
#define LEAST_SEEN 256

static int
last_attribute(const Program *program, const bool *wanted)
{
	int			last = 0;

	for (int c = 0; c < program->ncolumns; c++)
		if (wanted[c] && program_columns(program)[c].attno > last)
			last = program_columns(program)[c].attno;
	return last;
}

/* The table that an instruction reads. */
static Bytes
table_of(const ConjunctOrder *order, const Insn *insn)
{
	return order->params[program_insns(order->program)[insn->arg[1]].index].bytes;
}

static int
insn_cost(const ConjunctOrder *order, const Insn *insn)
{
	OpCode		op = (OpCode) insn->op;

	if (op_reads_table(op))
		return lookup_cost(op, table_of(order, insn));
	switch (op)
	{
		case OP_column:
		case OP_param:
			return 0;
		case OP_text_in:
		case OP_text_contains:
		case OP_text_position:
		case OP_text_chars:
		case OP_bpchar_chars:
		case OP_text_first:
		case OP_text_after:
		case OP_text_from:
		case OP_text_last:
		case OP_text_limited:
		case OP_jsonb_place:
		case OP_jsonb_text:
		case OP_jsonb_has:
			return SEARCH_COST;
		case OP_text_like:
		case OP_timestamptz_local:
		case OP_timestamp_utc:
			return PATTERN_COST;
		default:
			return op_makes_text(op) || op_calls_libm(op) ? SEARCH_COST : 1;
	}
}

/* What it costs to get at the columns that registers read. */
static int
reading_cost(const Program *program, const bool *wanted)
{
	int			cost = 0;

	for (int i = 0; i < last_attribute(program, wanted) - 1; i++)
		cost += program_attrs(program)[i].len < 0 ? PASSED_TEXT_COST : 0;
	for (int c = 0; c < program->ncolumns; c++)
		if (wanted[c] && program_columns(program)[c].type == VT_TEXT)
			cost += TEXT_COST;
	return cost;
}

static double
at_least_seldom(double refused)
{
	return refused > LEAST_REFUSED_SHARE ? refused : LEAST_REFUSED_SHARE;
}

/* Which share of rows a conjunct refuses: known of whether a table has a key, or lacks it. */
static double
refused_share(const ConjunctOrder *order, int reg)
{
	bool		lacks;
	const Insn *lookup = program_asked_lookup(order->program, order->params, reg, &lacks);
	double		refused;

	if (lookup == NULL)
		return REFUSED_SHARE;
	refused = lookup_share(table_of(order, lookup));
	if (!lacks)
		refused = 1 - refused;
	return at_least_seldom(refused);
}

static Conjunct
make_conjunct(const ConjunctOrder *order, int reg, bool of_tuples)
{
	const Program *program = order->program;
	Conjunct	conjunct = {.reg = reg,.refused = refused_share(order, reg)};
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		wanted[PROGRAM_MAX_COLUMNS] = {0};

	program_mark_register(program, reg, needed);
	program_mark_columns(program, needed, wanted);
	for (int i = 0; i <= reg; i++)
		if (needed[i])
			conjunct.cost += insn_cost(order, &program_insns(program)[i]);
	if (of_tuples)
		conjunct.reading = reading_cost(program, wanted);
	conjunct.last = last_attribute(program, wanted);
	return conjunct;
}

/* What one costs for each row that it refuses decides. */
static bool
comes_before(const Conjunct *a, const Conjunct *b)
{
	double		of_a = (a->cost + a->reading) * b->refused;
	double		of_b = (b->cost + b->reading) * a->refused;

	return of_a != of_b ? of_a < of_b : a->last < b->last;
}

/* Sort those that can be sorted by their costs; false: they were in that order. */
static bool
sort_conjuncts(ConjunctOrder *order)
{
	Conjunct   *conjuncts = order->conjuncts;
	bool		moved = false;

	for (int i = 0; i < order->nfree; i++)
	{
		Conjunct	conjunct = conjuncts[i];
		int			to = i;

		for (; to > 0 && comes_before(&conjunct, &conjuncts[to - 1]); to--)
			conjuncts[to] = conjuncts[to - 1];
		conjuncts[to] = conjunct;
		moved |= to < i;
	}
	return moved;
}

/*
 * Which conditions are true is as good as random, so rows are kept without branches.  Of all rows of
 * a batch eight are looked at together: the numbers of those that are kept stand in a table, by the
 * bits of their conditions, which is made once.
 */
#define ROWS_AT_ONCE 8

static uint16_t kept_rows[1 << ROWS_AT_ONCE][ROWS_AT_ONCE];

static void
make_kept_rows(void)
{
	if (kept_rows[1 << 1][0] != 0)
		return;
	for (int bits = 0; bits < 1 << ROWS_AT_ONCE; bits++)
	{
		int			n = 0;

		for (uint16_t i = 0; i < ROWS_AT_ONCE; i++)
			if (bits >> i & 1)
				kept_rows[bits][n++] = i;
	}
}

bool
conjuncts_create(ConjunctOrder *order, const Program *program, const ParamValue *params,
				 bool of_tuples)
{
	int16_t    *registers = calloc(program->ninsns, sizeof(int16_t));

	make_kept_rows();
	order->program = program;
	order->params = params;
	order->conjuncts = calloc(program->ninsns, sizeof(Conjunct));
	if (registers == NULL || order->conjuncts == NULL)
	{
		free(registers);
		return false;
	}
	order->n = program_conjuncts(program, params, registers);
	order->nfree = program_free_conjuncts(program, registers, order->n);
	for (int i = 0; i < order->n; i++)
		order->conjuncts[i] = make_conjunct(order, registers[i], of_tuples);
	free(registers);
	sort_conjuncts(order);
	return true;
}

void
conjuncts_free(ConjunctOrder *order)
{
	free(order->conjuncts);
}

bool
conjuncts_learn(ConjunctOrder *order, uint32_t n)
{
	bool		is_time = order->nlearned >= LEARNED_ROWS && !order->program->hides_rows;

	order->nlearned = (is_time ? 0 : order->nlearned) + n;
	if (!is_time)
		return false;
	for (int i = 0; i < order->nfree; i++)
	{
		Conjunct   *conjunct = &order->conjuncts[i];

		if (conjunct->nseen >= LEAST_SEEN)
			conjunct->refused = at_least_seldom((double) conjunct->nrefused / conjunct->nseen);
		conjunct->nseen /= 2;
		conjunct->nrefused /= 2;
	}
	return sort_conjuncts(order);
}

bool
conjunct_is_expensive(const Conjunct *conjunct)
{
	return conjunct->cost >= EXPENSIVE;
}

/* Which of eight bytes are not 0, the first one's bit the lowest. */
static inline unsigned
eight_bits(const uint8_t *values)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t	word;

	memcpy(&word, values, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	word = (((word & low) + low) | word) >> 7 & ~low >> 7;
	return (unsigned) (word * UINT64_C(0x0102040810204080) >> 56);
}

static inline bool
is_true(const Vector *condition, uint16_t row)
{
	return (((const uint8_t *) condition->values)[row] != 0) &
		(condition->valid == NULL || bit_is_set(condition->valid, row));
}

/* Of the first n rows of a batch, which are all in the list. */
static int
keep_of_all(const Vector *condition, uint16_t *rows, int n)
{
	const uint8_t *values = condition->values;
	int			kept = 0;
	int			i = 0;

	for (; i + ROWS_AT_ONCE <= n; i += ROWS_AT_ONCE)
	{
		unsigned	bits = eight_bits(values + i);

		if (condition->valid != NULL)
			bits &= (unsigned) (condition->valid[i / 64] >> i % 64);
		bits &= (1 << ROWS_AT_ONCE) - 1;
		for (int j = 0; j < ROWS_AT_ONCE; j++)
			rows[kept + j] = (uint16_t) (kept_rows[bits][j] + i);
		kept += __builtin_popcount(bits);
	}
	for (; i < n; i++)
	{
		rows[kept] = (uint16_t) i;
		kept += is_true(condition, (uint16_t) i);
	}
	return kept;
}

int
filter_keep(const Vector *condition, uint16_t *rows, int n)
{
	const uint8_t *values = condition->values;
	int			kept = 0;

	if (condition->error)
		for (int i = 0; i < n; i++)
			if (bit_is_set(condition->error, rows[i]))
				return -1;
	if (n > 0 && rows[n - 1] == n - 1)
		return keep_of_all(condition, rows, n);
	if (condition->valid)
	{
		for (int i = 0; i < n; i++)
		{
			uint16_t	row = rows[i];

			rows[kept] = row;
			kept += is_true(condition, row);
		}
		return kept;
	}
	for (int i = 0; i < n; i++)
	{
		uint16_t	row = rows[i];

		rows[kept] = row;
		kept += values[row] != 0;
	}
	return kept;
}

int
conjunct_keep(Conjunct *conjunct, const Evaluator *eval, uint16_t *rows, int n)
{
	int			kept = filter_keep(eval_register(eval, conjunct->reg), rows, n);

	conjunct->nseen += (uint32_t) n;
	conjunct->nrefused += (uint32_t) (n - kept);
	return kept;
}

void
registers_fill(const Program *program, const bool *needed, RegisterList *list)
{
	list->n = 0;
	for (int i = 0; i < program->ninsns; i++)
		if (needed[i])
			list->registers[list->n++] = (uint16_t) i;
}

bool
registers_list(const Program *program, const bool *needed, RegisterList *list)
{
	list->registers = calloc(program->ninsns, sizeof(uint16_t));
	if (list->registers != NULL)
		registers_fill(program, needed, list);
	return list->registers != NULL;
}
