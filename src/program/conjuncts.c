/*
 * conjuncts.c
 *	  A filter's conjuncts, and what registers are made of.
 */
#include "program/conjuncts.h"

void
program_mark_register(const Program *program, int reg, bool *needed)
{
	const Insn *insns = program_insns(program);

	if (reg < 0)
		return;
	needed[reg] = true;
	for (int i = reg; i >= 0; i--)
		if (needed[i] && insns[i].op != OP_column && insns[i].op != OP_param)
			for (int arg = 0; arg < op_nargs((OpCode) insns[i].op); arg++)
				needed[insns[i].arg[arg]] = true;
}

void
program_mark_groups(const Program *program, bool *needed)
{
	for (int i = 0; i < program->nkeys; i++)
		program_mark_register(program, program_keys(program)[i], needed);
	for (int i = 0; i < program->naccs; i++)
	{
		const Accumulator *acc = &program_accs(program)[i];

		program_mark_register(program, acc->arg, needed);
		program_mark_register(program, acc->arg2, needed);
		program_mark_register(program, acc->filter, needed);
		if (acc->kind == ACC_FIRST_ROWS)
			program_mark_register(program, acc->place, needed);
	}
}

void
program_mark_columns(const Program *program, const bool *needed, bool *wanted)
{
	const Insn *insns = program_insns(program);

	for (int i = 0; i < program->ninsns; i++)
		if (needed[i] && insns[i].op == OP_column)
			wanted[insns[i].index] = true;
}

static bool
is_false(const Program *program, const ParamValue *params, int reg)
{
	const Insn *insn = &program_insns(program)[reg];

	if (insn->op != OP_param || insn->type != VT_BOOL)
		return false;
	return params == NULL || (!params[insn->index].isnull && params[insn->index].word == 0);
}

/*
 * Add the conjuncts of a condition.  `a AND b` is not one if b can be an error: where a
 * is NULL, it is one of the whole, but b would not be evaluated.
 */
static int
split(const Program *program, const ParamValue *params, int reg, int16_t *conjuncts, int n)
{
	const Insn *insns = program_insns(program);
	const Insn *insn = &insns[reg];

	if ((insn->op == OP_and && !insns[insn->arg[1]].fallible) ||
		(insn->op == OP_select && is_false(program, params, insn->arg[2])))
	{
		n = split(program, params, insn->arg[0], conjuncts, n);
		return split(program, params, insn->arg[1], conjuncts, n);
	}
	for (int i = 0; i < n; i++)
		if (conjuncts[i] == reg)
			return n;
	conjuncts[n] = (int16_t) reg;
	return n + 1;
}

int
program_conjuncts(const Program *program, const ParamValue *params, int16_t *conjuncts)
{
	return program->filter < 0 ? 0 : split(program, params, program->filter, conjuncts, 0);
}

int
program_free_conjuncts(const Program *program, const int16_t *conjuncts, int n)
{
	for (int i = 0; i < n; i++)
		if (program_insns(program)[conjuncts[i]].fallible)
			return i;
	return n;
}

bool
program_is_zero(const Program *program, const ParamValue *params, int reg)
{
	const Insn *insn = &program_insns(program)[reg];

	return insn->op == OP_param && insn->type == VT_INT4 && !params[insn->index].isnull &&
		(int32_t) params[insn->index].word == 0;
}

const Insn *
program_asked_lookup(const Program *program, const ParamValue *params, int reg, bool *lacks)
{
	const Insn *insns = program_insns(program);
	const Insn *insn = &insns[reg];
	const Insn *lookup;

	/* there is no key, or the table lacks it */
	if (insn->op == OP_or && insns[insn->arg[0]].op == OP_isnull)
		insn = &insns[insn->arg[1]];
	if ((insn->op != OP_int4_ge && insn->op != OP_int4_lt) ||
		!program_is_zero(program, params, insn->arg[1]))
		return NULL;
	lookup = &insns[insn->arg[0]];
	*lacks = insn->op == OP_int4_lt;
	return lookup->op == OP_int8_lookup ? lookup : NULL;
}
