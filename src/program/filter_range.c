/*
 * filter_range.c
 *	  What a Program's filter can be, of rows whose columns' values are known to be in
 *	  ranges; and in which range a column's values must be.  Plain C without postgres.h.
 *
 * Of each instruction the things are noted that it can be: true, false, another value, NULL,
 * an error; and the range of an integer.  They are of each instruction by itself: that `a`
 * and `NOT a` are not both true is not seen.  So what is noted is never too little, and a
 * filter that can be neither true nor an error lets no row pass.
 *
 * The number that a look-up finds is -1 where the table has no key of the range.
 *
 * Errors: an AND or OR is an error where fn.h says so.  Where the left side is always false,
 * nothing on the right of AND is evaluated; where it can be NULL, all is.
 *
 * A column's values that let no row pass are found by trying: of ranges from the type's least
 * value on, and up to its greatest, the longest is searched for by halves, so what is found was
 * tried as a whole.  All other columns are taken to be anything; also to be NULL, though they
 * should not be, since such rows are left to whoever reads all of them.
 */
#include "program/filter_range.h"

#include "program/ops_lookup.h"

/* Of a range of so many keys each is looked up in an array. */
#define MOST_KEYS 4096

#define CAN_TRUE 1				/* a BOOL's value */
#define CAN_FALSE 2
#define CAN_VALUE 4				/* another type's */
#define CAN_NULL 8
#define CAN_ERROR 16
#define CAN_ALL_VALUES (CAN_TRUE | CAN_FALSE | CAN_VALUE)

typedef struct Outcome
{
	uint8_t		can;
	bool		known;			/* an integer's values are in this range */
	int64_t		least;
	int64_t		most;
} Outcome;

/* What is known of rows. */
typedef struct Rows
{
	const Program *program;
	const ParamValue *params;
	const ValueRange *ranges;	/* of each of the Program's columns */
	bool		any_null;		/* also of columns that should not be NULL */
} Rows;

/* All that an instruction can be, by its type. */
static void
set_anything(const Rows *rows, const Insn *insn, Outcome *outcome)
{
	outcome->can = (uint8_t) ((insn->type == VT_BOOL ? CAN_TRUE | CAN_FALSE : CAN_VALUE) |
							  (insn->nullable || rows->any_null ? CAN_NULL : 0) |
							  (insn->fallible ? CAN_ERROR : 0));
	outcome->known = false;
}

static void
set_range(int64_t least, int64_t most, Outcome *outcome)
{
	outcome->known = true;
	outcome->least = least;
	outcome->most = most;
}

static bool
is_integer(uint8_t type)
{
	return type != VT_BOOL && value_is_integer((ValueType) type);
}

/* A BOOL that is so many at least and at most. */
static uint8_t
truth(int64_t least, int64_t most)
{
	return (uint8_t) ((least <= 0 && most >= 0 ? CAN_FALSE : 0) |
					  (least != 0 || most != 0 ? CAN_TRUE : 0));
}

static void
of_column(const Rows *rows, const Insn *insn, Outcome *outcome)
{
	const ValueRange *range = &rows->ranges[insn->index];

	set_anything(rows, insn, outcome);
	if (!range->nulls)
		outcome->can &= (uint8_t) ~CAN_NULL;
	if (!range->values)
		outcome->can &= (uint8_t) ~CAN_ALL_VALUES;
	else if (range->known && insn->type == VT_BOOL)
		outcome->can = (uint8_t) ((outcome->can & ~CAN_ALL_VALUES) |
								  truth(range->least, range->most));
	else if (range->known && is_integer(insn->type))
		set_range(range->least, range->most, outcome);
}

/* A parameter's word as its type has it: an integer's lowest bytes. */
static int64_t
number_of_word(uint8_t type, int64_t word)
{
	int			unused = 64 - 8 * value_type_size((ValueType) type);

	return (int64_t) ((uint64_t) word << unused) >> unused;
}

static void
of_param(const Rows *rows, const Insn *insn, Outcome *outcome)
{
	const ParamValue *param = &rows->params[insn->index];

	set_anything(rows, insn, outcome);
	if (param->isnull)
		outcome->can = CAN_NULL;
	else if (insn_is_table(insn))
		outcome->can = CAN_VALUE;
	else if (is_integer(insn->type) && !insn->special)
	{
		int64_t		number = number_of_word(insn->type, param->word);

		outcome->can &= (uint8_t) ~CAN_NULL;
		set_range(number, number, outcome);
	}
}

/* AND, or OR with `decides` for the value that decides it, of one thing on each side. */
static uint8_t
logic_of(uint8_t left, uint8_t right, uint8_t decides)
{
	if (left == CAN_ERROR || left == decides)
		return left;
	if (right == CAN_ERROR || right == decides)
		return right;
	return left == CAN_NULL ? left : right;
}

static void
of_logic(const Outcome *left, const Outcome *right, uint8_t decides, Outcome *outcome)
{
	uint8_t		can = 0;

	for (uint32_t i = left->can; i != 0; i &= i - 1)
		for (uint32_t j = right->can; j != 0; j &= j - 1)
			can |= logic_of((uint8_t) (i & -i), (uint8_t) (j & -j), decides);
	outcome->can = can;
	outcome->known = false;
}

/* What a comparison's value can be: is a less than b, or, if `equal`, equal to it? */
static uint8_t
less(const Outcome *a, const Outcome *b, bool equal)
{
	bool		can_be = equal ? a->least <= b->most : a->least < b->most;
	bool		can_fail = equal ? a->most > b->least : a->most >= b->least;

	return (uint8_t) ((can_be ? CAN_TRUE : 0) | (can_fail ? CAN_FALSE : 0));
}

static uint8_t
same(const Outcome *a, const Outcome *b)
{
	bool		can_be = a->least <= b->most && b->least <= a->most;
	bool		can_fail = a->least != b->most || b->least != a->most;

	return (uint8_t) ((can_be ? CAN_TRUE : 0) | (can_fail ? CAN_FALSE : 0));
}

static uint8_t
negated(uint8_t can)
{
	return (uint8_t) ((can & ~(CAN_TRUE | CAN_FALSE)) | (can & CAN_TRUE ? CAN_FALSE : 0) |
					  (can & CAN_FALSE ? CAN_TRUE : 0));
}

/* The value of a comparison of integers; 0: it is none, or not all are known. */
static uint8_t
compared(uint16_t op, const Outcome *a, const Outcome *b)
{
	if (!a->known || !b->known)
		return 0;
	switch (op)
	{
		case OP_int4_lt:
		case OP_int8_lt:
			return less(a, b, false);
		case OP_int4_le:
		case OP_int8_le:
			return less(a, b, true);
		case OP_int4_gt:
		case OP_int8_gt:
			return less(b, a, false);
		case OP_int4_ge:
		case OP_int8_ge:
			return less(b, a, true);
		case OP_int4_eq:
		case OP_int8_eq:
			return same(a, b);
		case OP_int4_ne:
		case OP_int8_ne:
			return negated(same(a, b));
		default:
			return 0;
	}
}

/* Has the table none of the keys least .. most, for certain? */
static bool
lacks_keys(Bytes table, int64_t least, int64_t most)
{
	const LookupHeader *header = (const LookupHeader *) table.data;
	int64_t		from = least > header->least ? least : header->least;
	int64_t		to = most < header->most ? most : header->most;

	if (from > to)
		return true;
	if (header->form >= LOOKUP_HASH4 || (uint64_t) to - (uint64_t) from >= MOST_KEYS)
		return false;
	for (uint64_t i = 0; i <= (uint64_t) to - (uint64_t) from; i++)
		if (int8_lookup((int64_t) ((uint64_t) from + i), table) >= 0)
			return false;
	return true;
}

/* The numbers of rows that keys find. */
static void
find_rows(const Rows *rows, const Insn *insn, const Outcome *key, Outcome *outcome)
{
	const ParamValue *param = &rows->params[program_insns(rows->program)[insn->arg[1]].index];
	Bytes		table = param->kept != NULL ? param->kept->outline : param->bytes;

	set_range(-1, (int64_t) ((const LookupHeader *) table.data)->nrows - 1, outcome);
	if (key->known && lacks_keys(table, key->least, key->most))
		outcome->most = -1;
}

/* A strict operation. */
static void
of_operation(const Rows *rows, const Insn *insn, const Outcome *outcomes, Outcome *outcome)
{
	const Outcome *a = &outcomes[insn->arg[0]];
	const Outcome *b = op_nargs((OpCode) insn->op) > 1 ? &outcomes[insn->arg[1]] : a;
	uint8_t		value = compared(insn->op, a, b);

	set_anything(rows, insn, outcome);
	if (value != 0)
		outcome->can = (uint8_t) ((outcome->can & ~CAN_ALL_VALUES) | value);
	else if (insn->op == OP_bool_not)
	{
		outcome->can = negated(a->can);
		return;
	}
	else if (insn->op == OP_int2_to_int4 || insn->op == OP_int2_to_int8 ||
			 insn->op == OP_int4_to_int8)
	{
		outcome->can = a->can;
		outcome->known = a->known;
		outcome->least = a->least;
		outcome->most = a->most;
		return;
	}
	else if (insn->op == OP_int8_lookup || insn->op == OP_text_lookup)
		find_rows(rows, insn, a, outcome);
	if (!((a->can | b->can) & CAN_NULL))
		outcome->can &= (uint8_t) ~CAN_NULL;
	if (!(a->can & CAN_ALL_VALUES) || !(b->can & CAN_ALL_VALUES))
		outcome->can &= (uint8_t) ~CAN_ALL_VALUES;
}

/* Is it NULL, or not? */
static void
of_null_test(const Insn *insn, const Outcome *arg, Outcome *outcome)
{
	uint8_t		can = (uint8_t) ((arg->can & CAN_NULL ? CAN_TRUE : 0) |
								 (arg->can & CAN_ALL_VALUES ? CAN_FALSE : 0) |
								 (arg->can & CAN_ERROR));

	outcome->can = insn->op == OP_isnull ? can : negated(can);
	outcome->known = false;
}

/*
 * Outcomes are made where they stay, member by member: one that is copied as a whole just after it
 * was made waits for these stores, which takes most of the time of a filter.
 */
static void
of_insn(const Rows *rows, const Insn *insn, const Outcome *outcomes, Outcome *outcome)
{
	switch (insn->op)
	{
		case OP_column:
			of_column(rows, insn, outcome);
			break;
		case OP_param:
			of_param(rows, insn, outcome);
			break;
		case OP_and:
			of_logic(&outcomes[insn->arg[0]], &outcomes[insn->arg[1]], CAN_FALSE, outcome);
			break;
		case OP_or:
			of_logic(&outcomes[insn->arg[0]], &outcomes[insn->arg[1]], CAN_TRUE, outcome);
			break;
		case OP_isnull:
		case OP_isnotnull:
			of_null_test(insn, &outcomes[insn->arg[0]], outcome);
			break;
		case OP_select:
			set_anything(rows, insn, outcome);
			break;
		default:
			of_operation(rows, insn, outcomes, outcome);
			break;
	}
}

static bool
can_pass(const Rows *rows)
{
	const Program *program = rows->program;
	Outcome		outcomes[PROGRAM_MAX_INSNS];

	for (int i = 0; i <= program->filter; i++)
		of_insn(rows, &program_insns(program)[i], outcomes, &outcomes[i]);
	return (outcomes[program->filter].can & (CAN_TRUE | CAN_ERROR)) != 0;
}

bool
filter_can_pass(const Program *program, const ParamValue *params, const ValueRange *ranges)
{
	Rows		rows = {.program = program,.params = params,.ranges = ranges};

	return program->filter < 0 || can_pass(&rows);
}

/* Can a row pass whose column, that of `range`, is in least .. most? */
static bool
can_pass_within(const Rows *rows, ValueRange *range, int64_t least, int64_t most)
{
	*range = (ValueRange) {.values = true,.known = true,.least = least,.most = most};
	return can_pass(rows);
}

static int64_t
between(int64_t least, int64_t most)
{
	return (int64_t) ((uint64_t) least + ((uint64_t) most - (uint64_t) least) / 2);
}

/*
 * Where the values end that let none pass, of those from `from` on, which is one, towards
 * `to`, which is none: the last of them.
 */
static int64_t
last_refused(const Rows *rows, ValueRange *range, int64_t from, int64_t to)
{
	int64_t		last = from;
	bool		upwards = from < to;

	while (last != to && (upwards ? last + 1 : last - 1) != to)
	{
		int64_t		middle = upwards ? between(last, to) : between(to, last);

		if (upwards ? can_pass_within(rows, range, from, middle) :
			can_pass_within(rows, range, middle, from))
			to = middle;
		else
			last = middle;
	}
	return last;
}

/*
 * One value in least .. most that lets none pass: 0, or one that the filter compares with.
 */
static bool
find_refused(const Rows *rows, ValueRange *range, int64_t least, int64_t most, int64_t *value)
{
	const Insn *insns = program_insns(rows->program);

	*value = 0;
	if (!can_pass_within(rows, range, 0, 0))
		return true;
	for (int i = 0; i < rows->program->filter; i++)
	{
		if (insns[i].op != OP_param || !is_integer(insns[i].type) ||
			rows->params[insns[i].index].isnull)
			continue;
		*value = number_of_word(insns[i].type, rows->params[insns[i].index].word);
		if (*value >= least && *value <= most && !can_pass_within(rows, range, *value, *value))
			return true;
	}
	return false;
}

/* The values that a column of these bytes can have. */
static void
type_range(uint32_t size, int64_t *least, int64_t *most)
{
	*most = (int64_t) (UINT64_MAX >> (65 - 8 * size));
	*least = -*most - 1;
}

static bool
is_used(const Program *program, int column)
{
	const Insn *insns = program_insns(program);

	for (int i = 0; i <= program->filter; i++)
		if (insns[i].op == OP_column && insns[i].index == column)
			return true;
	return false;
}

/* Which values of the column that `range` is of let none pass. */
static bool
find_condition(const Rows *rows, ValueRange *range, uint32_t size, FilterCondition *condition)
{
	int64_t		least;
	int64_t		most;

	type_range(size, &least, &most);
	condition->least = least;
	condition->most = most;
	condition->inside = false;
	if (!can_pass_within(rows, range, least, most))
	{
		/* all values are refused */
		condition->inside = true;
		condition->refused = 0;
		return true;
	}
	if (!can_pass_within(rows, range, least, least))
	{
		condition->refused = least;
		condition->least = last_refused(rows, range, least, most) + 1;
	}
	if (!can_pass_within(rows, range, most, most))
	{
		condition->refused = most;
		condition->most = last_refused(rows, range, most, least) - 1;
	}
	if (condition->least > least || condition->most < most)
		return true;
	condition->inside = find_refused(rows, range, least, most, &condition->refused);
	condition->least = condition->most = condition->refused;
	return condition->inside;
}

bool
filter_value_condition(const Program *program, const ParamValue *params, int column,
					   FilterCondition *condition)
{
	const Column *described = &program_columns(program)[column];
	ValueRange	ranges[PROGRAM_MAX_COLUMNS];
	Rows		rows = {.program = program,.params = params,.ranges = ranges,.any_null = true};

	if (program->filter < 0 || described->presence ||
		!value_is_integer((ValueType) described->type) ||
		!is_used(program, column))
		return false;
	for (int i = 0; i < program->ncolumns; i++)
		ranges[i] = (ValueRange) {.nulls = true,.values = true};
	if (!find_condition(&rows, &ranges[column],
						(uint32_t) value_type_size((ValueType) described->type), condition))
		return false;
	/* whatever is not 0 on a page is true, but operations want 1 */
	if (described->type == VT_BOOL)
		condition->refused = condition->refused != 0;
	ranges[column] = (ValueRange) {.nulls = true};
	condition->refuses_nulls = described->nullable && !can_pass(&rows);
	return true;
}

bool
filter_condition(const Program *program, const ParamValue *params, int column,
				 FilterCondition *condition)
{
	return program_columns(program)[column].numeric == NUMERIC_NONE &&
		filter_value_condition(program, params, column, condition);
}
