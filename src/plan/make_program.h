/*
 * make_program.h
 *	  Programs in PostgreSQL's memory.
 */
#ifndef GPUAGG_MAKE_PROGRAM_H
#define GPUAGG_MAKE_PROGRAM_H

#include "program/program.h"

/* The finished Program, palloc'd.  The builder must not have overflowed. */
extern Program *make_program(const ProgramBuilder *builder);

/*
 * The same Program for numerics that can be NaN or infinite, palloc'd, or NULL:
 * as program_admit_specials (specials.c).
 */
extern Program *make_special_program(const Program *program, const Program *fine);

#endif							/* GPUAGG_MAKE_PROGRAM_H */
