/*
 * coded.c
 *	  A Program whose texts that are keys are codes.
 *
 * Of a text that is counted, or asked whether it is NULL, the value is of no matter.  All
 * other uses need the text, and then it is the key, too.
 */
#include <string.h>

#include "engine/cuda/codegen/coded.h"
#include "engine/cuda/kernels/kernel_args.h"

/* Which columns' texts are keys, and which are something else. */
typedef struct TextUses
{
	bool		keys[PROGRAM_MAX_COLUMNS];
	bool		others[PROGRAM_MAX_COLUMNS];
} TextUses;

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

static void
note_insn(const Program *program, const Insn *insn, TextUses *uses)
{
	if (insn->op == OP_column || insn->op == OP_slot || insn->op == OP_isnull ||
		insn->op == OP_isnotnull)
		return;
	for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
		note_use(program, insn->arg[i], uses->others);
}

static void
find_uses(const Program *program, TextUses *uses)
{
	memset(uses, 0, sizeof(*uses));
	for (int i = 0; i < program->ninsns; i++)
		note_insn(program, &program_insns(program)[i], uses);
	for (int i = 0; i < program->naccs; i++)
		if (program_accs(program)[i].kind != ACC_COUNT)
			note_use(program, program_accs(program)[i].arg, uses->others);
	for (int i = 0; i < program->nkeys; i++)
		note_use(program, program_keys(program)[i], uses->keys);
}

bool
coded_make(const Program *program, Program *coded)
{
	Column	   *columns;
	Insn	   *insns;
	TextUses	uses;
	int			n = 0;

	find_uses(program, &uses);
	memcpy(coded, program, program->size);
	columns = (Column *) program_columns(coded);
	insns = (Insn *) program_insns(coded);
	for (int i = 0; i < program->ncolumns && n < ARGS_MAX_CODED; i++)
	{
		if (!uses.keys[i] || uses.others[i])
			continue;
		columns[i].type = VT_INT4;
		columns[i].coded = true;
		n++;
	}
	for (int i = 0; i < program->ninsns; i++)
		if (insns[i].op == OP_column)
			insns[i].type = columns[insns[i].index].type;
	return n > 0;
}
