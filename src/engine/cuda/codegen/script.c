/*
 * script.c
 *	  From a Program to its script, which the interpreter follows.
 *
 * Steps are the instructions that are needed, in the order in which generated code
 * has them: those of the filter first.
 */
#include <string.h>

#include "engine/cuda/codegen/script.h"
#include "program/state.h"

_Static_assert(SCRIPT_CONDITIONS == PREFILTER_CONDITIONS, "all candidates have room");
_Static_assert(sizeof(Script) % sizeof(uint64_t) == 0, "kernels copy it by words");

/* A script in the making. */
typedef struct ScriptWriter
{
	const Program *program;
	const KernelLayout *layout;
	Script	   *script;
	int16_t		steps[PROGRAM_MAX_INSNS];	/* of registers; -1: none yet */
	bool		full;
} ScriptWriter;

/* A register's step, a new one if there is none yet; -1 for -1. */
static int16_t
write_step(ScriptWriter *writer, int reg)
{
	Script	   *script = writer->script;
	ScriptStep	step = {.arg = {-1, -1, -1},.index = -1};
	const Insn *insn;

	if (reg < 0)
		return -1;
	if (writer->steps[reg] >= 0)
		return writer->steps[reg];
	insn = &program_insns(writer->program)[reg];
	step.op = insn->op;
	step.type = insn->type;
	if (insn->op == OP_column)
	{
		step.arg[0] = insn->arg[0];
		step.index = insn->index;
		step.values = writer->layout->columns[insn->index].values;
		step.nulls = writer->layout->columns[insn->index].nulls;
	}
	else if (insn->op == OP_param)
	{
		step.index = insn->index;
		step.table = insn_is_table(insn);
	}
	else
		for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
			step.arg[i] = write_step(writer, insn->arg[i]);
	if (script->nsteps == SCRIPT_STEPS)
	{
		writer->full = true;
		return 0;
	}
	script->steps[script->nsteps] = step;
	writer->steps[reg] = (int16_t) script->nsteps;
	return (int16_t) script->nsteps++;
}

static void
write_filter(ScriptWriter *writer)
{
	Script	   *script = writer->script;

	script->filter = write_step(writer, writer->program->filter);
	script->filter_steps = script->nsteps;
	for (int i = 0; i < writer->layout->candidates.n; i++)
		script->conditions[script->nconditions++] =
			write_step(writer, writer->layout->candidates.conditions[i]);
	script->leaves_rows = program_leaves_rows(writer->program);
	script->level = writer->program->level;
}

static void
write_keys(ScriptWriter *writer)
{
	const KernelLayout *layout = writer->layout;
	Script	   *script = writer->script;

	script->nkeys = writer->program->nkeys;
	script->key_words = (uint16_t) layout->key_words;
	for (int i = 0; i < script->nkeys; i++)
	{
		script->keys[i] = layout->keys[i];
		script->key_steps[i] = write_step(writer, program_keys(writer->program)[i]);
		script->out_valid[i] = layout->out_valid[i];
		script->out_values[i] = layout->out_values[i];
		if (layout->keys[i].type == VT_TEXT)
			script->key_texts |= UINT32_C(1) << layout->keys[i].word;
	}
}

static void
write_parts(ScriptWriter *writer)
{
	const KernelLayout *layout = writer->layout;
	Script	   *script = writer->script;

	script->nparts = (uint16_t) layout->nparts;
	for (int i = 0; i < layout->nparts; i++)
	{
		DeviceWord *part = &script->parts[i];

		*part = layout->parts[i];
		part->filter = write_step(writer, part->filter);
		part->arg = write_step(writer, part->arg);
		part->arg2 = write_step(writer, part->arg2);
		for (int j = 0; j < part->nwords; j++)
			script->starts[layout_word(part, j)] = word_start_of((WordKind) part->kind);
	}
}

/* Where the Program's words of an accumulator come from. */
static void
write_outputs(ScriptWriter *writer, int acc)
{
	const KernelLayout *layout = writer->layout;
	int			word = program_accs(writer->program)[acc].word;

	for (int part = 0; part < layout_nparts(writer->program, acc); part++)
	{
		const DeviceWord *from = &layout->parts[layout->part_of[acc][part]];

		for (int j = 0; j < from->nwords; j++)
			writer->script->out_words[word++] = (int16_t) layout_word(from, j);
	}
}

static void
write_value(ScriptWriter *writer, int acc)
{
	const Accumulator *a = &program_accs(writer->program)[acc];
	ScriptValue *value = &writer->script->values[writer->layout->value_of[acc]];

	value->acc = a->kind;
	value->nwords = a->nwords;
	value->arg = write_step(writer, a->arg);
	value->filter = write_step(writer, a->filter);
	value->word = a->word;
	/* a text's place, which none has, tells that there is none */
	value->start[0] = UINT64_MAX;
	if (!acc_is_text((AccKind) a->kind))
		acc_init(a, value->start);
}

static void
write_states(ScriptWriter *writer)
{
	const KernelLayout *layout = writer->layout;
	Script	   *script = writer->script;

	script->nwords = (uint16_t) layout->nwords;
	script->nhot = (uint16_t) layout->nhot;
	script->nsums = (uint16_t) layout->nsums;
	script->nvalues = (uint16_t) layout->nvalues;
	script->state = (uint16_t) layout->state;
	script->stride = (uint16_t) layout->stride;
	script->presence = (uint16_t) layout->presence;
	script->direct_stride = (uint16_t) layout->direct_stride;
	script->direct_presence = (uint16_t) layout->direct_presence;
	script->direct_nhot = (uint16_t) layout->direct_nhot;
	script->table_direct = layout->table == TABLE_DIRECT;
	script->out_states = layout->out_states;
	script->out_nwords = writer->program->nwords;
	write_parts(writer);
	memset(script->out_words, -1, sizeof(script->out_words));
	for (int i = 0; i < writer->program->naccs; i++)
		if (layout->value_of[i] >= 0)
			write_value(writer, i);
		else
			write_outputs(writer, i);
}

bool
script_make(const Program *program, const KernelLayout *layout, Script *script)
{
	ScriptWriter writer = {.program = program,.layout = layout,.script = script};

	memset(script, 0, sizeof(*script));
	if (program->nkeys > SCRIPT_KEYS || layout->key_words > SCRIPT_KEY_WORDS ||
		layout->nwords > SCRIPT_WORDS || layout->nvalues > SCRIPT_VALUES || layout->nlists > 0 ||
		layout->nfirst > 0 ||
		program->nwords > SCRIPT_OUTPUT_WORDS)
		return false;
	memset(writer.steps, -1, sizeof(writer.steps));
	write_filter(&writer);
	write_keys(&writer);
	write_states(&writer);
	return !writer.full;
}

uint32_t
script_shared(const Script *script)
{
	return (uint32_t) script->nsteps * INTERPRET_THREADS * SCRIPT_STEP_BYTES;
}
