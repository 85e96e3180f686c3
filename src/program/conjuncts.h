/*
 * conjuncts.h
 *	  A filter's conjuncts, and what registers are made of.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_CONJUNCTS_H
#define GPUAGG_CONJUNCTS_H

#include "program/program.h"

/*
 * The registers of a filter's conjuncts, program->ninsns at most, in the Program's order: the
 * rows that pass are those for which all are true.  params may be NULL where an estimate is made:
 * booleans among them are then taken to be false.  Returns how many there are.
 */
extern int	program_conjuncts(const Program *program, const ParamValue *params, int16_t *conjuncts);

/*
 * How many of the first ones cannot be errors.  Their order cannot be seen, and a row for which
 * one of them is not true does not pass, whatever else it has, nor does it raise an error.
 */
extern int	program_free_conjuncts(const Program *program, const int16_t *conjuncts, int n);

/* Mark what a register is made of, itself included; -1: nothing. */
extern void program_mark_register(const Program *program, int reg, bool *needed);

/* The same for all that keys and accumulators need. */
extern void program_mark_groups(const Program *program, bool *needed);

/* Mark the columns that marked registers read. */
extern void program_mark_columns(const Program *program, const bool *needed, bool *wanted);

/* Is the register a parameter that is 0? */
extern bool program_is_zero(const Program *program, const ParamValue *params, int reg);

/*
 * The look-up whose number a condition asks for whether the table has the key, or, if *lacks,
 * whether it lacks it; NULL: it asks something else.
 */
extern const Insn *program_asked_lookup(const Program *program, const ParamValue *params, int reg,
										bool *lacks);

#endif							/* GPUAGG_CONJUNCTS_H */
