/*
 * numeric_stats.h
 *	  The scales and sizes of a column's numerics, from statistics.
 */
#ifndef GPUAGG_NUMERIC_STATS_H
#define GPUAGG_NUMERIC_STATS_H

#include "nodes/pathnodes.h"

/* What is expected of a column's values. */
typedef struct NumericGuess
{
	int			scale;			/* they are whole numbers of units of 10^-scale */
	bool		same;			/* and all have that display scale */
	bool		fixed;			/* by their type, or a rule, not by statistics */
	bool		wide;			/* they are to have 128 bits, whatever `most` is */
	double		most;			/* magnitude in these units; 0: not known */
	bool		special;		/* NaN or infinities are among them */
} NumericGuess;

/*
 * Guess.  Of a column whose scale is known it is only asked how large its values
 * are; else false says that engines cannot hold them.
 */
extern bool numeric_column_guess(PlannerInfo *root, const Var *var, bool known,
								 NumericGuess *guess);

#endif							/* GPUAGG_NUMERIC_STATS_H */
