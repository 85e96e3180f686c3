/*
 * conjunct_order.h
 *	  A filter's conjuncts, in the order in which they are evaluated.
 *
 * Plain C99 without postgres.h; all memory comes from malloc.
 */
#ifndef GPUAGG_CONJUNCT_ORDER_H
#define GPUAGG_CONJUNCT_ORDER_H

#include "engine/cpu/eval.h"

typedef struct Conjunct
{
	int			reg;
	int			cost;			/* of its operations, in comparisons of two integers */
	int			reading;		/* likewise: of reading its columns in a tuple, and what is before them */
	int			last;			/* attribute, from 1, that it reads; 0: none */
	double		refused;		/* the share of rows for which it is not true */
	uint32_t	nseen;			/* rows for which it has been evaluated of late, */
	uint32_t	nrefused;		/* and those for which it was not true */
} Conjunct;

typedef struct ConjunctOrder
{
	const Program *program;
	const ParamValue *params;
	int			n;
	int			nfree;			/* the first ones, which can be sorted */
	Conjunct   *conjuncts;
	uint32_t	nlearned;		/* rows since they were put in order */
} ConjunctOrder;

/* Registers that are computed for the same rows, in order. */
typedef struct RegisterList
{
	int			n;
	uint16_t   *registers;
} RegisterList;

/*
 * The conjuncts of a Program with a filter, in order.  of_tuples: columns are read in tuples, which
 * costs more the further they are.  False: no memory; what there is must be freed all the same.
 */
extern bool conjuncts_create(ConjunctOrder *order, const Program *program,
							 const ParamValue *params, bool of_tuples);
extern void conjuncts_free(ConjunctOrder *order);

/*
 * So many rows are going to be filtered: put the conjuncts in order by what they have refused of
 * late, now and then; has the order changed?
 */
extern bool conjuncts_learn(ConjunctOrder *order, uint32_t n);

/* Should it be evaluated for few rows? */
extern bool conjunct_is_expensive(const Conjunct *conjunct);

/*
 * Keep those of rows[0 .. n - 1], which ascend, for which a conjunct is true, whose register has been
 * computed; -1: it is an error of one.
 */
extern int	conjunct_keep(Conjunct *conjunct, const Evaluator *eval, uint16_t *rows, int n);

/* The same of any register, of which nothing is counted. */
extern int	filter_keep(const Vector *condition, uint16_t *rows, int n);

/* Let the list, which has room for all, be of the registers marked. */
extern void registers_fill(const Program *program, const bool *needed, RegisterList *list);

/* The same of a list that begins as zeros; false: no memory. */
extern bool registers_list(const Program *program, const bool *needed, RegisterList *list);

#endif							/* GPUAGG_CONJUNCT_ORDER_H */
