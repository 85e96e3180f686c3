/*
 * codes.h
 *	  Text keys of kept columns, and texts that have conditions, as codes.
 */
#ifndef GPUAGG_CODES_H
#define GPUAGG_CODES_H

#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/answers.h"
#include "engine/cuda/input/served_texts.h"

/* A column whose codes kernels take. */
typedef struct CodedColumn
{
	int			number;			/* of the Program's column */
	bool		is_key;			/* if not, only its conditions' answers are looked up */
	uint64_t	missing;		/* bytes of what tuples have that are too short */
	DeviceDictionary kept;		/* as it was when the run began, but for its counters */
	Dictionary	own;			/* the run's, if rows come that are not served; before
								 * that, how many texts of `kept` there are */
	DeviceBuffer memory;		/* own's */
} CodedColumn;

/* Begins as zeros: there are no codes. */
typedef struct Codes
{
	int			ncolumns;
	CodedColumn columns[ARGS_MAX_CODED];
	DeviceBuffer found;			/* DictionaryArgs.found of one column */
	DeviceBuffer counters;		/* DictionaryCounters of each column's `kept` */
	Stage		told;			/* page-locked: likewise, and those of each `own` */
	Answers		answers;
} Codes;

/*
 * Have kernels take codes, if the Program and what is served let them.  In the work
 * stream, what the dictionaries have is there then.  Whatever a failure leaves, codes_close
 * takes.
 */
extern EngineStatus codes_open(RunCore *run, ServedTexts *texts, const InputLayout *input,
							   Codes *codes);

/*
 * Answer the conditions for entries, in the work stream, before kernels take segments.  copy: the
 * kernel `dictionary_copy`, if there are conditions.
 */
extern EngineStatus codes_answer(RunCore *run, Codes *codes, DeviceKernel *copy);

/* Make codes, and answers, of the texts of a buffer's rows, in the work stream. */
extern EngineStatus codes_make(RunCore *run, Codes *codes, const PageKernels *kernels,
							   const InputLayout *input, InputBuffer *buffer);

extern void codes_close(RunCore *run, Codes *codes);

#endif							/* GPUAGG_CODES_H */
