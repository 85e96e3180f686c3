/*
 * lower_column.h
 *	  Columns: attributes of a table, and inputs of a child plan.
 */
#ifndef GPUAGG_LOWER_COLUMN_H
#define GPUAGG_LOWER_COLUMN_H

#include "access/tupdesc_details.h"
#include "catalog/pg_attribute.h"

#include "plan/lower/lowering.h"

/* The column of an attribute of the table. */
extern int	lower_var(Lowering *l, const Var *var);

/* The column of the child plan that has the expression's value; -1: none has. */
extern int	lower_input(Lowering *l, Expr *expr);

/* The same where any expression can be a column, since no plan comes of it. */
extern int	lower_new_input(Lowering *l, Expr *expr);

/* Where the child plan has the expression's value, from 1; 0: nowhere. */
extern int	lower_input_number(Lowering *l, const Expr *expr);

/* An attribute of the table, or NULL if a Var is something else. */
extern Form_pg_attribute lower_attribute(Lowering *l, const Var *var);

/* A table's rows are hidden, and engines may not be able to hold a column. */
extern int	lower_reject_hidden(Lowering *l);

/*
 * The value that tuples have which were stored before an attribute was added;
 * NULL: there is none.
 */
extern const AttrMissing *lower_missing_value(Lowering *l, Form_pg_attribute attr);

#endif							/* GPUAGG_LOWER_COLUMN_H */
