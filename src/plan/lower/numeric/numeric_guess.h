/*
 * numeric_guess.h
 *	  What is known of a numeric's scale and size before a value is seen.
 */
#ifndef GPUAGG_NUMERIC_GUESS_H
#define GPUAGG_NUMERIC_GUESS_H

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
 * Guess of an expression of type numeric, in a query whose PlannerInfo is root.
 * False, and why, if there is no good guess.
 */
extern bool numeric_guess(PlannerInfo *root, Expr *expr, NumericGuess *guess,
						  const char **reason);

/*
 * The same as a part of another guess, which may look into so many subqueries
 * more: columns of columns of subqueries can be very many.
 */
extern bool numeric_guess_within(PlannerInfo *root, Expr *expr, int *lookups,
								 NumericGuess *guess, const char **reason);

/* Can an expression be guessed only as a whole, not by lowering it? */
extern bool numeric_is_given(const Expr *expr);

/*
 * numeric_origin.c: a column of a subquery, CTE, UNION or VALUES.  The reason is left
 * alone where there is none better.
 */
extern bool numeric_origin_guess(PlannerInfo *root, const Var *var, int *lookups,
								 NumericGuess *guess, const char **reason);

/* The first column of a query that has been planned, as a SubPlan returns it. */
extern bool numeric_output_guess(PlannerInfo *root, int *lookups, NumericGuess *guess);

/* Make the guess one that is right for both. */
extern void numeric_guess_merge(NumericGuess *guess, const NumericGuess *other);

/*
 * numeric_stats.c: the scales and sizes of a column's numerics, from statistics.
 */

/*
 * Guess.  Of a column whose scale is known it is only asked how large its values
 * are; else false says that engines cannot hold them.
 */
extern bool numeric_column_guess(PlannerInfo *root, const Var *var, bool known,
								 NumericGuess *guess);

#endif							/* GPUAGG_NUMERIC_GUESS_H */
