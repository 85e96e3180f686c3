/*
 * lower_lookup_parts.h
 *	  What the lowering of look-ups shares among its files.
 */
#ifndef GPUAGG_LOWER_LOOKUP_PARTS_H
#define GPUAGG_LOWER_LOOKUP_PARTS_H

#include "plan/lower/lower_lookup.h"

struct Lookup
{
	Relids		relids;			/* of its relation, without outer joins; NULL: what its plan
								 * computes of the table's own columns, which are its keys */
	const char *name;
	JoinType	jointype;
	List	   *target;			/* Expr: what its plan puts out; first, if it computes of the table's
								 * own columns, these, or what they are truncated to: */
	int			ninputs;		/* so many */
	ProgramBuilder *builder;	/* its columns are those that engines need */
	List	   *keys;			/* LookupKey */
	int			param;
	int			row;			/* register: the number of the row that is found */
	List	   *columns;		/* LookupColumn */
};

/*
 * lower_lookup_columns.c
 */

/*
 * Where the look-up's plan has the expression, from 1; 0: nowhere.  What is computed for formats may
 * be computed of truncated moments.
 */
extern int	lookup_plan_number(const Lookup *lookup, Expr *expr);

/* The attribute of the look-up's plan that has the expression's value; 0: it cannot have it. */
extern int	lookup_attribute(const Lowering *l, Lookup *lookup, Expr *expr);

/* The number of a column of the look-up's Program, by its register there. */
extern int	lookup_column_number(const Lookup *lookup, int reg);

/* A new parameter, whose bytes are made of rows; -1: there is none. */
extern int	lookup_add_param(Lowering *l);

/*
 * lower_lookup_keys.c
 */

/* The number of the row that the keys find: Lookup.row.  keys: JoinKeys. */
extern bool lookup_lower_keys(Lowering *l, Lookup *lookup, List *keys);

/*
 * A register of a join's condition, if it is an error in a row that passes the table's own
 * filter, ends the run: for which of these rows PostgreSQL evaluates it depends on the order
 * of its joins.
 */
extern void lookup_note_errors(Lowering *l, int reg);

#endif							/* GPUAGG_LOWER_LOOKUP_PARTS_H */
