/*
 * answers.c
 *	  Conditions on texts of kept columns: answers by entries of dictionaries.
 *
 * A condition on one text is the same of all rows with that text.  So it is evaluated once for
 * each entry of the dictionary, and once for NULL, and kernels look up a row's answer by its
 * code (coded_answer in segments.cuh).  No row's text is looked at.
 *
 * The interpreter evaluates it, which is compiled for all Programs: a condition is the filter of
 * a Program without groups, and entries are its rows.  Their texts are copied behind the
 * constants for that, since the interpreter knows a text by its place in the batch's bytes.
 *
 * Rows that are not served may have texts that the dictionary lacks.  Their conditions are
 * evaluated for each of them, by another launch for each condition and buffer, and kernels have
 * the answers by rows.
 */
#include <stdlib.h>

#include "engine/cuda/core/interpreter.h"
#include "engine/cuda/input/answers.h"

/* Beginnings of arrays are multiples of that. */
#define ALIGN 256

/* A script over entries, and one over rows. */
#define SCRIPTS 2

static uint64_t
aligned(uint64_t size)
{
	return (size + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t
scripts_size(const Answers *answers)
{
	return (size_t) answers->conditions.n * SCRIPTS * sizeof(Script);
}

/*
 * The script of a condition over rows that have only this column, or have the run's columns, in
 * whose places codes leave texts (layout.c); false: there is none.
 */
static bool
make_script(const RunCore *run, const CodedCondition *condition, bool entries, Script *script)
{
	Program    *filter = malloc(run->program->size);
	KernelLayout *layout = calloc(1, sizeof(*layout));
	ColumnPlace *place;
	bool		made = false;

	if (filter != NULL && layout != NULL)
	{
		place = &layout->columns[condition->column];
		*place = run->layouts[TABLE_HASH].columns[condition->column];
		if (entries)
			*place = (ColumnPlace) {.nulls = place->nulls > 0 ? sizeof(TextRef) : 0};
		program_with_keys(run->program, 0, false, filter);
		filter->filter = condition->reg;
		made = script_make(filter, layout, script) && interpreter_has_room(run, script);
	}
	free(filter);
	free(layout);
	return made;
}

static bool
make_scripts(const RunCore *run, Answers *answers)
{
	bool		made = true;

	for (int i = 0; i < answers->conditions.n && made; i++)
		for (int j = 0; j < SCRIPTS && made; j++)
			made = make_script(run, &answers->conditions.of[i], j == 0,
							   &answers->scripts[SCRIPTS * i + j]);
	return made;
}

bool
answers_take(const RunCore *run, const CodedConditions *conditions, Answers *answers)
{
	if (conditions->n > 0 && !kernels_interpreter_ready(run))
		return false;
	answers->conditions = *conditions;
	answers->scripts = malloc(scripts_size(answers) + 1);
	if (answers->scripts != NULL && make_scripts(run, answers))
		return true;
	free(answers->scripts);
	*answers = (Answers) {0};
	return false;
}

EngineStatus
answers_open(RunCore *run, Answers *answers)
{
	size_t		size = scripts_size(answers);
	EngineStatus status;

	if (answers->conditions.n == 0)
		return ENGINE_OK;
	status = kernels_load_interpreter(run, &answers->module, &answers->interpret);
	if (status == ENGINE_OK)
		status = run_alloc(run, size, &answers->device_scripts);
	if (status != ENGINE_OK)
		return status;
	return run_device(run, run->device_ops->upload(run->device, run->work,
												   answers->device_scripts.ptr,
												   answers->scripts, size),
					  "could not copy a script");
}

/* Answer a condition for a batch's rows. */
static EngineStatus
launch(RunCore *run, const Answers *answers, int script, const RowBatch *batch, DevicePtr to)
{
	AggregateArgs args = {.batch = *batch,.task = TASK_ANSWERS,.row_answers = to};

	args.batch.segments = 0;
	args.table.script = answers->device_scripts.ptr + (DevicePtr) script * sizeof(Script);
	args.constants = run->constants.values.ptr;
	return kernels_launch(run, answers->interpret, batch->nrows, INTERPRET_THREADS,
						  script_shared(&answers->scripts[script]), &args);
}

/* Entries as rows: the first one is NULL; then NULLs, and the texts' bytes. */
static EngineStatus
copy_entries(RunCore *run, DeviceKernel *copy, const AnswerTexts *texts, DeviceBuffer *memory,
			 RowBatch *batch)
{
	const DeviceOps *ops = run->device_ops;
	uint32_t	start = run->constants.bytes_size;
	uint64_t	rows = texts->entries + UINT64_C(1);
	uint64_t	refs = aligned(rows * (sizeof(TextRef) + 1));
	DictionaryCopyArgs args = {
		.entries = texts->kept.entries,.bytes = texts->kept.bytes,
		.nentries = texts->entries,.nbytes = texts->bytes,.start = start
	};
	EngineStatus status = run_alloc(run, refs + aligned(start + texts->bytes), memory);
	DeviceStatus device;

	if (status != ENGINE_OK)
		return status;
	*batch = (RowBatch)
	{
		.columns = memory->ptr,.capacity = rows,.nrows = rows,.bytes = memory->ptr + refs
	};
	args.to_entries = memory->ptr + sizeof(TextRef);
	args.to_bytes = batch->bytes + start;
	device = ops->fill(run->device, run->work, memory->ptr, 0, refs);
	if (device == DEVICE_OK)
		device = ops->fill(run->device, run->work, memory->ptr + rows * sizeof(TextRef), 1, 1);
	if (device == DEVICE_OK && start > 0)
		device = ops->upload(run->device, run->work, batch->bytes, run->constants.bytes, start);
	status = run_device(run, device, "could not copy entries");
	if (status != ENGINE_OK)
		return status;
	return kernels_launch(run, copy, args.nentries + args.nbytes / sizeof(uint64_t),
						  INTERPRET_THREADS, 0, &args);
}

/* The answer of each entry, behind that of NULL, and of one entry more, if there are none. */
static EngineStatus
answer(RunCore *run, Answers *answers, int condition, const RowBatch *batch)
{
	DeviceBuffer *memory = &answers->memory[condition];
	uint64_t	size = aligned(batch->nrows + 1);
	EngineStatus status = run_alloc(run, size, memory);

	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->fill(run->device, run->work, memory->ptr, 0,
													   size), "could not clear answers");
	run->answers[condition] = memory->ptr;
	if (status != ENGINE_OK)
		return status;
	return launch(run, answers, SCRIPTS * condition, batch, memory->ptr);
}

EngineStatus
answers_entries(RunCore *run, Answers *answers, DeviceKernel *copy, const AnswerTexts *texts)
{
	DeviceBuffer memory = {0};
	RowBatch	batch;
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < answers->conditions.n && status == ENGINE_OK; i++)
	{
		if (answers->conditions.of[i].column != texts->number)
			continue;
		if (memory.ptr == 0)
			status = copy_entries(run, copy, texts, &memory, &batch);
		if (status == ENGINE_OK)
			status = answer(run, answers, i, &batch);
	}
	run_free(run, &memory);
	return status;
}

EngineStatus
answers_rows(RunCore *run, const Answers *answers, const InputLayout *input,
			 InputBuffer *buffer)
{
	uint64_t	size = aligned((uint64_t) input->rows * (uint64_t) answers->conditions.n + ALIGN);
	RowBatch	batch;
	EngineStatus status = ENGINE_OK;

	if (answers->conditions.n == 0)
		return ENGINE_OK;
	if (buffer->answers.ptr == 0)
		status = run_alloc(run, size, &buffer->answers);
	input_buffer_batch(input, buffer, &batch);
	for (int i = 0; i < answers->conditions.n && status == ENGINE_OK; i++)
		status = launch(run, answers, SCRIPTS * i + 1, &batch,
						buffer->answers.ptr + (DevicePtr) i * input->rows);
	return status;
}

void
answers_close(RunCore *run, Answers *answers)
{
	for (int i = 0; i < answers->conditions.n; i++)
		run_free(run, &answers->memory[i]);
	run_free(run, &answers->device_scripts);
	kernel_cache_release(answers->module);
	free(answers->scripts);
}
