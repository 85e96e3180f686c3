/*
 * coded.c
 *	  A Program whose texts that are keys, or have conditions, are codes.
 *
 * Of a text that is counted, or asked whether it is NULL, the value is of no matter.  A
 * condition on it alone, which cannot fail, is the same of all rows with the same text.  All
 * other uses need the text, and then it is what is taken for keys and conditions, too.
 *
 * A condition is the largest expression that has one column only.  It is no key, which would be
 * taken for its column's code.
 */
#include <string.h>

#include "engine/cuda/codegen/coded.h"

/* What a register depends on, beside the number of its only column. */
#define NO_COLUMN (-1)
#define COLUMNS (-2)

/* What columns' texts are used for. */
typedef struct TextUses
{
	const Program *program;
	const bool *asked;
	CodedConditions found;
	int16_t		column_of[PROGRAM_MAX_INSNS];
	bool		visited[PROGRAM_MAX_INSNS];
	bool		is_key[PROGRAM_MAX_INSNS];
	bool		keys[PROGRAM_MAX_COLUMNS];
	bool		conditions[PROGRAM_MAX_COLUMNS];
	bool		others[PROGRAM_MAX_COLUMNS];
} TextUses;

static bool
is_leaf(const Insn *insn)
{
	return insn->op == OP_column || insn->op == OP_param;
}

static bool
asks_null(const Insn *insn)
{
	return insn->op == OP_isnull || insn->op == OP_isnotnull;
}

/* Which columns registers depend on. */
static void
find_columns(TextUses *uses)
{
	const Insn *insns = program_insns(uses->program);

	for (int i = 0; i < uses->program->ninsns; i++)
	{
		int16_t		column = insns[i].op == OP_column ? insns[i].index : NO_COLUMN;

		for (int j = 0; !is_leaf(&insns[i]) && j < op_nargs((OpCode) insns[i].op); j++)
		{
			int16_t		other = uses->column_of[insns[i].arg[j]];

			if (column == NO_COLUMN)
				column = other;
			else if (other != NO_COLUMN && other != column)
				column = COLUMNS;
		}
		uses->column_of[i] = column;
	}
}

/* Can a register be looked up by the code of its column? */
static bool
is_condition(const TextUses *uses, int reg)
{
	const Insn *insns = program_insns(uses->program);
	const Insn *insn = &insns[reg];
	int16_t		column = uses->column_of[reg];

	return insn->type == VT_BOOL && !insn->fallible && !is_leaf(insn) && column >= 0 &&
		!(asks_null(insn) && is_leaf(&insns[insn->arg[0]])) && !uses->is_key[reg] &&
		program_columns(uses->program)[column].type == VT_TEXT && uses->asked[column] &&
		uses->found.n < ARGS_MAX_ANSWERS;
}

/* Note a use of a register if it is a column of texts. */
static void
note_use(const Program *program, int reg, bool *uses)
{
	const Insn *insn;

	if (reg < 0)
		return;
	insn = &program_insns(program)[reg];
	if (insn->op == OP_column && insn->type == VT_TEXT)
		uses[insn->index] = true;
}

/* Note what a register needs. */
static void
visit(TextUses *uses, int reg)
{
	const Insn *insn;

	if (reg < 0 || uses->visited[reg])
		return;
	uses->visited[reg] = true;
	insn = &program_insns(uses->program)[reg];
	if (is_leaf(insn))
		return;
	if (is_condition(uses, reg))
	{
		uses->conditions[uses->column_of[reg]] = true;
		uses->found.of[uses->found.n++] =
			(CodedCondition) {.reg = (int16_t) reg,.column = uses->column_of[reg]};
		return;
	}
	for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
	{
		if (!asks_null(insn))
			note_use(uses->program, insn->arg[i], uses->others);
		visit(uses, insn->arg[i]);
	}
}

static void
find_uses(TextUses *uses)
{
	const Program *program = uses->program;
	const Accumulator *accs = program_accs(program);
	const int16_t *keys = program_keys(program);

	for (int i = 0; i < program->nkeys; i++)
		uses->is_key[keys[i]] = true;
	visit(uses, program->filter);
	for (int i = 0; i < program->naccs; i++)
	{
		if (acc_reads_value((AccKind) accs[i].kind))
			note_use(program, accs[i].arg, uses->others);
		visit(uses, accs[i].filter);
		visit(uses, accs[i].arg);
		visit(uses, accs[i].arg2);
	}
	for (int i = 0; i < program->nkeys; i++)
	{
		note_use(program, keys[i], uses->keys);
		visit(uses, keys[i]);
	}
}

/* Conditions of columns that are coded: each one's instruction becomes its answer. */
static void
write_conditions(const TextUses *uses, Program *coded, CodedConditions *conditions)
{
	Insn	   *insns = (Insn *) program_insns(coded);

	conditions->n = 0;
	for (int i = 0; i < uses->found.n; i++)
	{
		const CodedCondition *found = &uses->found.of[i];

		if (!program_columns(coded)[found->column].coded)
			continue;
		insns[found->reg] = (Insn)
		{
			.op = OP_column,.type = VT_BOOL,.nullable = insns[found->reg].nullable,
				.arg = {(int16_t) conditions->n, -1, -1},.index = found->column
		};
		conditions->of[conditions->n++] = *found;
	}
}

bool
coded_make(const Program *program, const bool *asked, Program *coded,
		   CodedConditions *conditions)
{
	TextUses	uses = {.program = program,.asked = asked};
	Column	   *columns;
	Insn	   *insns;
	int			n = 0;

	find_columns(&uses);
	find_uses(&uses);
	memcpy(coded, program, program->size);
	columns = (Column *) program_columns(coded);
	insns = (Insn *) program_insns(coded);
	for (int i = 0; i < program->ncolumns && n < ARGS_MAX_CODED; i++)
	{
		if (!(uses.keys[i] || uses.conditions[i]) || uses.others[i])
			continue;
		columns[i].type = VT_INT4;
		columns[i].coded = true;
		n++;
	}
	for (int i = 0; i < program->ninsns; i++)
		if (insns[i].op == OP_column)
			insns[i].type = columns[insns[i].index].type;
	write_conditions(&uses, coded, conditions);
	return n > 0;
}

bool
coded_is_key(const Program *program, int column)
{
	const Insn *insns = program_insns(program);
	const int16_t *keys = program_keys(program);

	for (int i = 0; i < program->nkeys; i++)
		if (insns[keys[i]].op == OP_column && insns[keys[i]].index == column)
			return true;
	return false;
}
