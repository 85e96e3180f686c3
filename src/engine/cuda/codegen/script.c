/*
 * script.c
 *	  From a Program to its script, which the interpreter follows.
 *
 * Steps are the instructions that are needed: parameters, and then the others in the order in
 * which generated code has them, those of the filter first.  Their values share registers
 * (Poletto, Sarkar, Linear Scan Register Allocation, 1999), since the fewer there are, the more
 * threads a multiprocessor has room for.
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
	int16_t		steps[PROGRAM_MAX_INSNS];	/* of the Program's registers; -1: none yet */
	bool		full;
} ScriptWriter;

/* The step that a register's value is needed up to, if it is needed for keys or states. */
#define FOR_EVER INT16_MAX

/* How many arguments a step has that are other steps. */
static int
step_nargs(const ScriptStep *step)
{
	return step->op == OP_column || step->op == OP_param ? 0 : op_nargs((OpCode) step->op);
}

/* A register's step, a new one if there is none yet; -1 for -1.  Its arguments are steps as yet. */
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

/* Write the parameters that a register's value is computed of. */
static void
write_parameters_of(ScriptWriter *writer, int reg, bool *seen)
{
	const Insn *insn;

	if (reg < 0 || seen[reg])
		return;
	seen[reg] = true;
	insn = &program_insns(writer->program)[reg];
	if (insn->op == OP_param)
		(void) write_step(writer, reg);
	else if (insn->op != OP_column)
		for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
			write_parameters_of(writer, insn->arg[i], seen);
}

/* Write all parameters: they are the first steps, of which each block has the values once. */
static void
write_parameters(ScriptWriter *writer)
{
	const Program *program = writer->program;
	bool		seen[PROGRAM_MAX_INSNS] = {false};

	write_parameters_of(writer, program->filter, seen);
	for (int i = 0; i < program->nkeys; i++)
		write_parameters_of(writer, program_keys(program)[i], seen);
	for (int i = 0; i < program->naccs; i++)
	{
		write_parameters_of(writer, program_accs(program)[i].filter, seen);
		write_parameters_of(writer, program_accs(program)[i].arg, seen);
		write_parameters_of(writer, program_accs(program)[i].arg2, seen);
	}
	writer->script->nconstants = writer->script->nsteps;
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

/*
 * Mark the conditions that a step ANDs, in the order in which it does, as ones that decide.  An
 * error of one counts only if none before it is false, so they must be computed in that order: where
 * one is not, it and those behind it do not decide.  *last: the condition before.
 */
static bool
mark_decisions(Script *script, int step, int *last)
{
	ScriptStep *condition = &script->steps[step];

	if (condition->op == OP_and)
		return mark_decisions(script, condition->arg[0], last) &&
			mark_decisions(script, condition->arg[1], last);
	if (step <= *last || step < script->nconstants)
		return false;
	condition->decides = true;
	*last = step;
	return true;
}

/* Note that a step's value is needed for keys, states or the filter. */
static void
need_for_ever(int16_t *needed, int step)
{
	if (step >= 0)
		needed[step] = FOR_EVER;
}

/* The last step that needs each step's value. */
static void
find_needs(const Script *script, int16_t *needed)
{
	for (int i = 0; i < script->nsteps; i++)
	{
		needed[i] = (int16_t) i;
		for (int j = 0; j < step_nargs(&script->steps[i]); j++)
			needed[script->steps[i].arg[j]] = (int16_t) i;
	}
	need_for_ever(needed, script->filter);
	for (int i = 0; i < script->nconditions; i++)
		need_for_ever(needed, script->conditions[i]);
	for (int i = 0; i < script->nkeys; i++)
		need_for_ever(needed, script->key_steps[i]);
	for (int i = 0; i < script->nparts; i++)
	{
		need_for_ever(needed, script->parts[i].filter);
		need_for_ever(needed, script->parts[i].arg);
		need_for_ever(needed, script->parts[i].arg2);
	}
	for (int i = 0; i < script->nvalues; i++)
	{
		need_for_ever(needed, script->values[i].filter);
		need_for_ever(needed, script->values[i].arg);
	}
}

/* A register for the value of a step that no value of others that are still needed is in. */
static int16_t
free_register(const Script *script, const int16_t *needed, int step)
{
	bool		taken[SCRIPT_STEPS] = {false};
	int16_t		reg = 0;

	for (int i = script->nconstants; i < step; i++)
		if (needed[i] >= step)
			taken[script->steps[i].place] = true;
	while (taken[reg])
		reg++;
	return reg;
}

/* Give all values their places, and let arguments be those instead of steps. */
static void
place_values(Script *script)
{
	int16_t		needed[SCRIPT_STEPS];

	find_needs(script, needed);
	for (int i = 0; i < script->nsteps; i++)
	{
		ScriptStep *step = &script->steps[i];
		int			nargs = step_nargs(step);

		step->place = (int16_t) (i < script->nconstants ? -1 - i : free_register(script, needed, i));
		if (step->place >= script->nregisters)
			script->nregisters = (uint16_t) (step->place + 1);
		/* those of one argument are called with two */
		for (int j = 0; j < nargs; j++)
			step->arg[j] = script->steps[step->arg[j]].place;
		for (int j = nargs; j < 3 && nargs > 0; j++)
			step->arg[j] = step->arg[0];
	}
}

/* Bytes of a block's own state: its words, and the slot of its group. */
static uint32_t
state_bytes(const Script *script)
{
	return script->nwords * (uint32_t) sizeof(uint64_t) + (uint32_t) sizeof(uint32_t);
}

/* How many states a block has of its own, in which rows of few groups do not meet those of others. */
static void
size_states(Script *script)
{
	uint32_t	n = SCRIPT_MOST_STATES;

	while (n * state_bytes(script) > SCRIPT_STATES_BYTES)
		n /= 2;
	if (script->nkeys > 0 && n >= SCRIPT_LEAST_STATES)
		script->nstates = (uint16_t) n;
}

bool
script_make(const Program *program, const KernelLayout *layout, Script *script)
{
	int			last = -1;

	ScriptWriter writer = {.program = program,.layout = layout,.script = script};

	memset(script, 0, sizeof(*script));
	if (program->nkeys > SCRIPT_KEYS || layout->key_words > SCRIPT_KEY_WORDS ||
		layout->nwords > SCRIPT_WORDS || layout->nvalues > SCRIPT_VALUES || layout->nlists > 0 ||
		layout->nfirst > 0 ||
		program->nwords > SCRIPT_OUTPUT_WORDS)
		return false;
	memset(writer.steps, -1, sizeof(writer.steps));
	write_parameters(&writer);
	write_filter(&writer);
	write_keys(&writer);
	write_states(&writer);
	if (writer.full)
		return false;
	if (script->filter >= 0)
		(void) mark_decisions(script, script->filter, &last);
	place_values(script);
	size_states(script);
	return true;
}

uint32_t
script_shared(const Script *script)
{
	uint32_t	values = (script->nconstants + (uint32_t) script->nregisters * INTERPRET_THREADS) *
		SCRIPT_VALUE_BYTES;

	return (values + 7) / 8 * 8 + script->nstates * state_bytes(script);
}
