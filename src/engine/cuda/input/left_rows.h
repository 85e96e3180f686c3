/*
 * left_rows.h
 *	  Rows of pages that the device has left out: see EngineOps.toasted.
 */
#ifndef GPUAGG_LEFT_ROWS_H
#define GPUAGG_LEFT_ROWS_H

#include "engine/cuda/input/input_buffer.h"
#include "engine/left_list.h"

/* Begins as zeros. */
typedef struct LeftRows
{
	LeftList	list;
	uint8_t    *marks;			/* downloaded from a buffer: one byte a row */
} LeftRows;

/* Add those of a buffer of pages that the device is done with. */
extern EngineStatus left_rows_note(RunCore *run, const InputLayout *input,
								   const InputBuffer *buffer, LeftRows *left);

extern void left_rows_free(LeftRows *left);

#endif							/* GPUAGG_LEFT_ROWS_H */
