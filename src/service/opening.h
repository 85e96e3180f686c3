/*
 * opening.h
 *	  What a run begins with, from the session's input file: the Program and the
 *	  values of its slots.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_OPENING_H
#define GPUAGG_OPENING_H

#include "engine/engine.h"

typedef struct Opening
{
	char	   *bytes;			/* a copy of the file's beginning */
	const Program *program;		/* in it */
	SlotValue  *slots;
} Opening;

/*
 * Write them to the beginning of a file: its size in *size.  False: there is no memory
 * for it.
 */
extern bool opening_write(int file, const Program *program, const SlotValue *slots,
						  uint64_t *size);

/*
 * Copy the first `size` bytes of a file, which begin with a Program of program_size
 * bytes, and check them.  False and why: they are not what they should be, or there is
 * no memory.  opening_free follows in any case.
 */
extern bool opening_read(int file, uint64_t size, uint32_t program_size, Opening *opening,
						 char *why, size_t len);
extern void opening_free(Opening *opening);

#endif							/* GPUAGG_OPENING_H */
