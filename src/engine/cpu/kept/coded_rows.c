/*
 * coded_rows.c
 *	  A Program's registers for rows whose texts have codes.
 *
 * What depends on one column of texts alone, such as LIKE or a function of it, is the same of all
 * rows with one text.  Where a stripe's rows are at least twice as many as the column's texts, it is
 * evaluated once for each of these, and once for NULL, and rows look it up by their codes.  Of such
 * registers only those are looked up that another register, the filter, a key or an accumulator
 * reads.  An error of a text is one of the rows that have it, so it counts only where such a row
 * does.  The others are evaluated for rows, whose texts are looked up for that.
 *
 * Where all keys depend on such columns, a row's codes tell its group, once a row with the same
 * codes has found it: its keys are neither computed, nor hashed or compared.
 *
 * Memory: what is looked up, for the largest stripe so far, until coded_free.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/gather.h"
#include "engine/cpu/kept/coded_rows.h"
#include "program/conjuncts.h"

#define OF_NONE (-1)			/* the register is the same for all rows */
#define OF_ROWS (-2)			/* it depends on more than one coded column's text */

#define MOST_GROUP_CODES (UINT32_C(1) << 17)
#define PENDING UINT32_MAX		/* a group that is being looked for */

/* A register by its column's codes. */
typedef struct Answers
{
	char	   *values;			/* of the type, but for columns, which have their texts */
	uint8_t    *valid;			/* a byte each */
	uint8_t    *error;
	size_t		room;			/* codes */
	bool		has_nulls;
	bool		has_errors;
	char	   *batch_values;	/* of a batch's rows */
	uint64_t	batch_valid[CPU_BATCH_WORDS];
	uint64_t	batch_error[CPU_BATCH_WORDS];
} Answers;

/* Registers in ascending order. */
typedef struct Registers
{
	int			n;
	uint16_t	list[PROGRAM_MAX_INSNS];
} Registers;

/* What is computed at once. */
typedef struct Step
{
	Registers	looked_up;
	Registers	evaluated;
} Step;

typedef enum StepKind
{
	STEP_FILTER,
	STEP_ACCS,					/* what has not been computed for the filter; and then */
	STEP_KEYS,
	STEP_ACCS_ALONE,			/* the same where nothing has been computed before */
	STEP_KEYS_ALONE,
	STEP_CONJUNCTS,				/* of the filter, which are computed one by one */
	STEPS
} StepKind;

struct CodedRows
{
	const Program *program;
	const ParamValue *params;
	Evaluator  *eval;
	const DecodedColumn *columns;
	size_t		memory;
	Answers    *answers;		/* by register */

	/* The stripe's plan, which is that of the last one where the same columns have codes. */
	uint32_t	nplans;			/* that there have been */
	uint8_t		worth[PROGRAM_MAX_COLUMNS]; /* 0: no codes, 1: looked up, 2: so is more */
	int16_t		column_of[PROGRAM_MAX_INSNS];
	Step		steps[STEPS];
	bool		keys_by_codes;
	int			nkey_columns;
	int16_t		key_columns[PROGRAM_MAX_KEYS];

	/* A stripe's groups. */
	bool		tells_groups;
	uint32_t	ngroup_codes;
	uint32_t   *groups;			/* number + 1, by code; 0: not known */
	size_t		groups_room;

	/* A batch's. */
	const ColumnBatch *batch;
	bool		is_alone;		/* what has been computed for the filter is not all of its step, or
								 * of other rows */
	bool		has_keys;		/* computed */
	const uint16_t *codes[PROGRAM_MAX_COLUMNS];	/* of columns that have codes */
	uint16_t   *gathered;		/* CPU_BATCH a column */
	uint32_t	row_codes[CPU_BATCH];
	uint32_t	unknown_codes[CPU_BATCH];
	ColumnVector *texts;		/* the Program's columns, one of which has texts */
};

CodedRows *
coded_create(const Program *program, const ParamValue *params, Evaluator *eval)
{
	CodedRows  *coded = calloc(1, sizeof(CodedRows));

	if (coded == NULL)
		return NULL;
	coded->program = program;
	coded->params = params;
	coded->eval = eval;
	coded->answers = calloc(program->ninsns, sizeof(Answers));
	coded->texts = calloc((size_t) program->ncolumns + 1, sizeof(ColumnVector));
	coded->gathered = malloc(((size_t) program->ncolumns + 1) * CPU_BATCH * sizeof(uint16_t));
	coded->memory = sizeof(CodedRows) + program->ninsns * sizeof(Answers) +
		(size_t) program->ncolumns * CPU_BATCH * sizeof(uint16_t);
	if (coded->answers != NULL && coded->texts != NULL && coded->gathered != NULL)
		return coded;
	coded_free(coded);
	return NULL;
}

void
coded_free(CodedRows *coded)
{
	if (coded == NULL)
		return;
	for (int i = 0; coded->answers != NULL && i < coded->program->ninsns; i++)
	{
		free(coded->answers[i].values);
		free(coded->answers[i].valid);
		free(coded->answers[i].error);
		free(coded->answers[i].batch_values);
	}
	free(coded->answers);
	free(coded->texts);
	free(coded->gathered);
	free(coded->groups);
	free(coded);
}

size_t
coded_memory(const CodedRows *coded)
{
	return coded == NULL ? 0 : coded->memory;
}

static size_t
size_of(const Insn *insn)
{
	return insn->type == VT_TEXT ? sizeof(Bytes) : (size_t) value_type_size((ValueType) insn->type);
}

/* The column that an operation depends on, given those of its arguments. */
static int16_t
column_of_operation(const CodedRows *coded, const Insn *insn)
{
	int16_t		column = OF_NONE;

	/* texts that are made are in memory of the evaluator's */
	if (insn->op == OP_jsonb_text || op_makes_text((OpCode) insn->op))
		return OF_ROWS;
	for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
	{
		int16_t		of_arg = coded->column_of[insn->arg[i]];

		if (of_arg == OF_NONE || of_arg == column)
			continue;
		if (of_arg == OF_ROWS || column != OF_NONE || coded->worth[of_arg] < 2)
			return OF_ROWS;
		column = of_arg;
	}
	return column;
}

static void
find_columns(CodedRows *coded)
{
	const Insn *insns = program_insns(coded->program);

	for (int i = 0; i < coded->program->ninsns; i++)
	{
		if (insns[i].op == OP_param)
			coded->column_of[i] = OF_NONE;
		else if (insns[i].op == OP_column)
			coded->column_of[i] = coded->worth[insns[i].index] > 0 ? (int16_t) insns[i].index : OF_ROWS;
		else
			coded->column_of[i] = column_of_operation(coded, &insns[i]);
	}
}

static void
mark(bool *needed, int reg)
{
	if (reg >= 0)
		needed[reg] = true;
}

static void
mark_conjuncts(const CodedRows *coded, bool *needed)
{
	int16_t		conjuncts[PROGRAM_MAX_INSNS];
	int			n = coded->program->filter < 0 ? 0 :
		program_conjuncts(coded->program, coded->params, conjuncts);

	for (int i = 0; i < n; i++)
		mark(needed, conjuncts[i]);
}

static void
mark_accs(const Program *program, bool *needed)
{
	const Accumulator *accs = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
	{
		mark(needed, accs[i].arg);
		mark(needed, accs[i].arg2);
		mark(needed, accs[i].filter);
		if (accs[i].kind == ACC_FIRST_ROWS)
			mark(needed, accs[i].place);
	}
}

static void
mark_keys(const Program *program, bool *needed)
{
	for (int i = 0; i < program->nkeys; i++)
		mark(needed, program_keys(program)[i]);
}

/* What a step needs itself. */
static void
mark_step(const CodedRows *coded, StepKind kind, bool *needed)
{
	if (kind == STEP_FILTER)
		mark(needed, coded->program->filter);
	else if (kind == STEP_CONJUNCTS)
		mark_conjuncts(coded, needed);
	else if (kind == STEP_ACCS || kind == STEP_ACCS_ALONE)
		mark_accs(coded->program, needed);
	else
		mark_keys(coded->program, needed);
}

static void
reverse(Registers *registers)
{
	for (int i = 0; i < registers->n / 2; i++)
	{
		uint16_t	reg = registers->list[i];

		registers->list[i] = registers->list[registers->n - 1 - i];
		registers->list[registers->n - 1 - i] = reg;
	}
}

/* Plan a step, beside what has been done. */
static void
plan_step(CodedRows *coded, StepKind kind, bool *done)
{
	const Insn *insns = program_insns(coded->program);
	Step	   *step = &coded->steps[kind];
	bool		needed[PROGRAM_MAX_INSNS] = {0};

	step->looked_up.n = step->evaluated.n = 0;
	mark_step(coded, kind, needed);
	for (int i = coded->program->ninsns - 1; i >= 0; i--)
	{
		if (!needed[i] || done[i])
			continue;
		done[i] = true;
		if (coded->column_of[i] >= 0)
			step->looked_up.list[step->looked_up.n++] = (uint16_t) i;
		if (coded->column_of[i] != OF_ROWS)
			continue;
		step->evaluated.list[step->evaluated.n++] = (uint16_t) i;
		for (int arg = 0; insns[i].op != OP_column && arg < op_nargs((OpCode) insns[i].op); arg++)
			needed[insns[i].arg[arg]] = true;
	}
	reverse(&step->looked_up);
	reverse(&step->evaluated);
}

static void
plan_steps(CodedRows *coded)
{
	bool		done[PROGRAM_MAX_INSNS] = {0};
	bool		alone[PROGRAM_MAX_INSNS] = {0};
	bool		conjuncts[PROGRAM_MAX_INSNS] = {0};

	plan_step(coded, STEP_FILTER, done);
	plan_step(coded, STEP_ACCS, done);
	plan_step(coded, STEP_KEYS, done);
	plan_step(coded, STEP_ACCS_ALONE, alone);
	plan_step(coded, STEP_KEYS_ALONE, alone);
	plan_step(coded, STEP_CONJUNCTS, conjuncts);
}

/* Do codes tell keys, and those of which columns? */
static void
plan_keys(CodedRows *coded)
{
	const Program *program = coded->program;
	bool		is_key[PROGRAM_MAX_COLUMNS] = {0};

	coded->nkey_columns = 0;
	coded->keys_by_codes = true;
	for (int i = 0; i < program->nkeys; i++)
	{
		int16_t		column = coded->column_of[program_keys(program)[i]];

		if (column == OF_ROWS || (column >= 0 && coded->worth[column] < 2))
			coded->keys_by_codes = false;
		else if (column >= 0 && !is_key[column])
		{
			is_key[column] = true;
			coded->key_columns[coded->nkey_columns++] = column;
		}
	}
	coded->keys_by_codes = coded->keys_by_codes && coded->nkey_columns > 0;
}

/* Plan for the stripe, if its columns are not as the last one's; false: none has codes. */
static bool
make_plan(CodedRows *coded, uint32_t nrows)
{
	uint8_t		worth[PROGRAM_MAX_COLUMNS] = {0};
	bool		any = false;

	for (int i = 0; i < coded->program->ncolumns; i++)
	{
		const CpuKeptPlace *place = &coded->columns[i].place;

		if (place->coded)
			worth[i] = place->ntexts <= nrows / 2 ? 2 : 1;
		any = any || place->coded;
	}
	if (coded->nplans > 0 && memcmp(worth, coded->worth, sizeof(worth)) == 0)
		return any;
	memcpy(coded->worth, worth, sizeof(worth));
	coded->nplans++;
	find_columns(coded);
	plan_steps(coded);
	plan_keys(coded);
	return any;
}

/* Have room for so many codes; false: no memory. */
static bool
have_answers(CodedRows *coded, int reg, uint32_t ncodes)
{
	Answers    *answers = &coded->answers[reg];
	size_t		size = size_of(&program_insns(coded->program)[reg]);

	if (answers->batch_values == NULL)
	{
		answers->batch_values = malloc(CPU_BATCH * size);
		coded->memory += CPU_BATCH * size;
	}
	if (answers->room < ncodes)
	{
		free(answers->values);
		free(answers->valid);
		free(answers->error);
		coded->memory += (ncodes - answers->room) * (size + 2);
		answers->values = malloc(ncodes * size);
		answers->valid = malloc(ncodes);
		answers->error = malloc(ncodes);
		answers->room = ncodes;
	}
	return answers->batch_values != NULL && answers->values != NULL && answers->valid != NULL &&
		answers->error != NULL;
}

/* A register of n texts, from one on, has been computed. */
static void
note_answers(CodedRows *coded, int reg, uint32_t first, uint32_t n)
{
	Answers    *answers = &coded->answers[reg];
	const Vector *vector = eval_register(coded->eval, reg);
	size_t		size = size_of(&program_insns(coded->program)[reg]);

	memcpy(answers->values + first * size, vector->values, n * size);
	for (uint32_t i = 0; i < n; i++)
	{
		answers->valid[first + i] = vector->valid == NULL || bit_is_set(vector->valid, i);
		answers->error[first + i] = vector->error != NULL && bit_is_set(vector->error, i);
	}
}

/* Are there NULLs or errors among the answers for texts that rows have? */
static void
summarize(Answers *answers, uint32_t ncodes)
{
	answers->has_nulls = memchr(answers->valid, false, ncodes) != NULL;
	answers->has_errors = memchr(answers->error, true, ncodes) != NULL;
}

/* The codes that rows can have. */
static uint32_t
codes_of(const DecodedColumn *column)
{
	return column->place.ntexts + (column->place.nnulls > 0);
}

/* Evaluate registers, made of a column alone, for its texts and NULL; false: interrupted. */
static bool
evaluate_texts(CodedRows *coded, int c, const Registers *made_of, const Registers *wanted)
{
	const DecodedColumn *column = &coded->columns[c];
	uint32_t	ncodes = column->place.ntexts + 1;
	uint8_t		valid[CPU_BATCH / 8];
	ColumnBatch batch = {.columns = coded->texts};
	bool		done = true;

	for (uint32_t first = 0; first < ncodes && done; first += CPU_BATCH)
	{
		uint32_t	n = ncodes - first < CPU_BATCH ? ncodes - first : CPU_BATCH;

		memset(valid, 0xff, sizeof(valid));
		if (first + n == ncodes)
			valid[(n - 1) / 8] &= (uint8_t) ~(1 << (n - 1) % 8);
		coded->texts[c] = (ColumnVector) {.values = column->texts + first,.validity = valid};
		batch.nrows = n;
		done = eval_registers(coded->eval, &batch, made_of->list, made_of->n);
		for (int i = 0; i < wanted->n && done; i++)
			note_answers(coded, wanted->list[i], first, n);
	}
	coded->texts[c] = (ColumnVector) {0};
	return done;
}

/* Compute what is looked up of a column, but its texts. */
static CodedStatus
answer_column(CodedRows *coded, int c)
{
	uint32_t	ncodes = coded->columns[c].place.ntexts + 1;
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		is_wanted[PROGRAM_MAX_INSNS] = {0};
	Registers	wanted = {0};
	Registers	made_of = {0};

	for (int kind = 0; kind < STEPS; kind++)
		for (int i = 0; i < coded->steps[kind].looked_up.n; i++)
		{
			uint16_t	reg = coded->steps[kind].looked_up.list[i];

			if (coded->column_of[reg] != c || is_wanted[reg])
				continue;
			if (!have_answers(coded, reg, ncodes))
				return CODED_NO_MEMORY;
			program_mark_register(coded->program, reg, needed);
			is_wanted[reg] = true;
			wanted.list[wanted.n++] = reg;
		}
	for (int i = 0; i < coded->program->ninsns; i++)
		if (needed[i] && coded->column_of[i] == c)
			made_of.list[made_of.n++] = (uint16_t) i;
	if (!evaluate_texts(coded, c, &made_of, &wanted))
		return CODED_INTERRUPTED;
	for (int i = 0; i < wanted.n; i++)
		summarize(&coded->answers[wanted.list[i]], codes_of(&coded->columns[c]));
	return CODED_ROWS;
}

/* Is a condition that is looked up true for no row of the stripe? */
static bool
is_never_true(const CodedRows *coded, int reg)
{
	const Answers *answers = &coded->answers[reg];
	const Registers *looked_up = &coded->steps[STEP_FILTER].looked_up;
	bool		found = false;

	for (int i = 0; i < looked_up->n; i++)
		found = found || looked_up->list[i] == reg;
	if (!found)
		return false;
	for (uint32_t i = 0; i < codes_of(&coded->columns[coded->column_of[reg]]); i++)
		if (answers->valid[i] && answers->values[i])
			return false;
	return true;
}

static bool
none_passes(const CodedRows *coded)
{
	const Program *program = coded->program;
	int16_t		conjuncts[PROGRAM_MAX_INSNS];
	int			n;

	if (program->filter < 0 || program->hides_rows)
		return false;
	n = program_conjuncts(program, coded->params, conjuncts);
	n = program_free_conjuncts(program, conjuncts, n);
	for (int i = 0; i < n; i++)
		if (is_never_true(coded, conjuncts[i]))
			return true;
	return !program_insns(program)[program->filter].fallible && is_never_true(coded, program->filter);
}

/* Do codes tell groups in this stripe?  Each must be expected of more than one row. */
static bool
begin_groups(CodedRows *coded, uint32_t nrows)
{
	uint64_t	ncodes = 1;

	coded->tells_groups = false;
	if (!coded->keys_by_codes)
		return true;
	for (int i = 0; i < coded->nkey_columns && ncodes <= MOST_GROUP_CODES; i++)
		ncodes *= coded->columns[coded->key_columns[i]].place.ntexts + UINT64_C(1);
	if (ncodes > MOST_GROUP_CODES || ncodes > nrows)
		return true;
	if (coded->groups_room < ncodes)
	{
		free(coded->groups);
		coded->groups = malloc(ncodes * sizeof(*coded->groups));
		coded->memory += (ncodes - coded->groups_room) * sizeof(*coded->groups);
		coded->groups_room = ncodes;
	}
	coded->ngroup_codes = (uint32_t) ncodes;
	coded->tells_groups = true;
	if (coded->groups == NULL)
		return false;
	coded_forget_groups(coded);
	return true;
}

CodedStatus
coded_begin(CodedRows *coded, const DecodedColumn *columns, uint32_t nrows)
{
	CodedStatus status = CODED_ROWS;

	coded->columns = columns;
	if (!make_plan(coded, nrows))
		return CODED_NO_TEXTS;
	for (int c = 0; c < coded->program->ncolumns && status == CODED_ROWS; c++)
		if (coded->worth[c] > 0)
			status = answer_column(coded, c);
	if (status == CODED_ROWS && !begin_groups(coded, nrows))
		status = CODED_NO_MEMORY;
	if (status == CODED_ROWS && none_passes(coded))
		status = CODED_NONE_PASSES;
	return status;
}

static void
look_up_bits(const uint8_t *answers, const uint16_t *codes, uint32_t n, uint64_t *bits)
{
	memset(bits, 0, CPU_BATCH_WORDS * sizeof(*bits));
	for (uint32_t i = 0; i < n; i++)
		bits[i / 64] |= (uint64_t) answers[codes[i]] << i % 64;
}

static void
look_up(CodedRows *coded, int reg)
{
	Answers    *answers = &coded->answers[reg];
	const uint16_t *codes = coded->codes[coded->column_of[reg]];
	uint32_t	n = coded->batch->nrows;
	Vector		vector = {.values = answers->batch_values};

	gather_values(answers->batch_values, answers->values,
				  size_of(&program_insns(coded->program)[reg]), codes, n);
	if (answers->has_nulls)
	{
		look_up_bits(answers->valid, codes, n, answers->batch_valid);
		vector.valid = answers->batch_valid;
	}
	if (answers->has_errors)
	{
		look_up_bits(answers->error, codes, n, answers->batch_error);
		vector.error = answers->batch_error;
	}
	eval_set_register(coded->eval, reg, &vector);
}

static bool
run_step(CodedRows *coded, StepKind kind)
{
	const Step *step = &coded->steps[kind];

	for (int i = 0; i < step->looked_up.n; i++)
		look_up(coded, step->looked_up.list[i]);
	return eval_registers(coded->eval, coded->batch, step->evaluated.list, step->evaluated.n);
}

void
coded_begin_batch(CodedRows *coded, const ColumnBatch *batch, bool by_conjuncts)
{
	coded->batch = batch;
	coded->is_alone = by_conjuncts;
	coded->has_keys = false;
	for (int c = 0; c < coded->program->ncolumns; c++)
		coded->codes[c] = coded->worth[c] > 0 ? coded->columns[c].codes : NULL;
}

void
coded_gather(CodedRows *coded, const ColumnBatch *batch, const uint16_t *rows, uint32_t n)
{
	for (int c = 0; c < coded->program->ncolumns; c++)
	{
		uint16_t   *to = coded->gathered + (size_t) c * CPU_BATCH;
		const uint16_t *from = coded->codes[c];

		if (from == NULL)
			continue;
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[rows[i]];
		coded->codes[c] = to;
	}
	coded->batch = batch;
	coded->is_alone = true;
}

uint32_t
coded_plan_number(const CodedRows *coded)
{
	return coded->nplans;
}

void
coded_mark_register(const CodedRows *coded, int reg, bool *needed)
{
	const Insn *insns = program_insns(coded->program);

	needed[reg] = true;
	for (int i = reg; i >= 0; i--)
		if (needed[i] && coded->column_of[i] == OF_ROWS && insns[i].op != OP_column)
			for (int arg = 0; arg < op_nargs((OpCode) insns[i].op); arg++)
				needed[insns[i].arg[arg]] = true;
}

void
coded_mark_groups(const CodedRows *coded, bool *needed)
{
	mark_accs(coded->program, needed);
	mark_keys(coded->program, needed);
	for (int i = coded->program->ninsns - 1; i >= 0; i--)
		if (needed[i])
			coded_mark_register(coded, i, needed);
}

bool
coded_register(CodedRows *coded, int reg)
{
	if (coded->column_of[reg] < 0)
		return eval_run(coded->eval, coded->batch, reg, reg + 1);
	look_up(coded, reg);
	return true;
}

bool
coded_accs(CodedRows *coded)
{
	return run_step(coded, coded->is_alone ? STEP_ACCS_ALONE : STEP_ACCS);
}

bool
coded_keys(CodedRows *coded)
{
	coded->has_keys = coded->has_keys ||
		run_step(coded, coded->is_alone ? STEP_KEYS_ALONE : STEP_KEYS);
	return coded->has_keys;
}

bool
coded_tell_groups(const CodedRows *coded)
{
	return coded->tells_groups;
}

/* The codes of rows, of all key columns together. */
static void
combine_codes(CodedRows *coded, const uint16_t *rows, uint32_t n)
{
	const uint16_t *codes = coded->codes[coded->key_columns[0]];

	for (uint32_t i = 0; i < n; i++)
		coded->row_codes[i] = codes[rows[i]];
	for (int c = 1; c < coded->nkey_columns; c++)
	{
		uint32_t	ncodes = coded->columns[coded->key_columns[c]].place.ntexts + 1;

		codes = coded->codes[coded->key_columns[c]];
		for (uint32_t i = 0; i < n; i++)
			coded->row_codes[i] = coded->row_codes[i] * ncodes + codes[rows[i]];
	}
}

uint32_t
coded_unknown(CodedRows *coded, const uint16_t *rows, uint32_t n, uint16_t *unknown)
{
	const uint32_t *codes = coded->row_codes;
	uint32_t   *groups = coded->groups;
	uint32_t	nunknown = 0;
	bool		missing = false;

	combine_codes(coded, rows, n);
	for (uint32_t i = 0; i < n; i++)
		missing |= groups[codes[i]] == 0;
	for (uint32_t i = 0; missing && i < n; i++)
	{
		if (groups[codes[i]] != 0)
			continue;
		groups[codes[i]] = PENDING;
		coded->unknown_codes[nunknown] = codes[i];
		unknown[nunknown++] = rows[i];
	}
	return nunknown;
}

void
coded_set_groups(CodedRows *coded, uint32_t n, const uint32_t *groups)
{
	for (uint32_t i = 0; i < n; i++)
		coded->groups[coded->unknown_codes[i]] = groups[i] + 1;
}

void
coded_groups(const CodedRows *coded, uint32_t n, uint32_t *groups)
{
	const uint32_t *of_codes = coded->groups;
	const uint32_t *codes = coded->row_codes;

	for (uint32_t i = 0; i < n; i++)
		groups[i] = of_codes[codes[i]] - 1;
}

void
coded_forget_groups(CodedRows *coded)
{
	if (coded != NULL && coded->groups != NULL && coded->tells_groups)
		memset(coded->groups, 0, coded->ngroup_codes * sizeof(*coded->groups));
}
