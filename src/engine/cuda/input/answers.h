/*
 * answers.h
 *	  Conditions on texts of kept columns: answers by entries of dictionaries.
 */
#ifndef GPUAGG_ANSWERS_H
#define GPUAGG_ANSWERS_H

#include "engine/cuda/codegen/coded.h"
#include "engine/cuda/codegen/script.h"
#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/input_buffer.h"

/* Begins as zeros: there are no conditions. */
typedef struct Answers
{
	CodedConditions conditions;
	Script	   *scripts;		/* of each condition: over entries, and over a buffer's rows */
	DeviceBuffer device_scripts;
	LoadedModule *module;		/* the interpreter */
	DeviceKernel *interpret;
	DeviceBuffer memory[ARGS_MAX_ANSWERS];	/* RunCore.answers */
} Answers;

/* A dictionary's first entries, of a column that has conditions. */
typedef struct AnswerTexts
{
	int			number;			/* of the Program's column */
	DeviceTexts kept;
	uint32_t	entries;
	uint64_t	bytes;
} AnswerTexts;

/*
 * Take the conditions, if what answers them is compiled and has room for them; if not, there are
 * none.
 */
extern bool answers_take(const RunCore *run, const CodedConditions *conditions,
						 Answers *answers);

/* Load what answers them. */
extern EngineStatus answers_open(RunCore *run, Answers *answers);

/*
 * Answer a column's conditions for its entries, and for NULL, in the work stream.  copy: the
 * kernel `dictionary_copy`.
 */
extern EngineStatus answers_entries(RunCore *run, Answers *answers, DeviceKernel *copy,
									const AnswerTexts *texts);

/* Answer all conditions for a buffer's rows, whose columns are on the device, likewise. */
extern EngineStatus answers_rows(RunCore *run, const Answers *answers,
								 const InputLayout *input, InputBuffer *buffer);

extern void answers_close(RunCore *run, Answers *answers);

#endif							/* GPUAGG_ANSWERS_H */
