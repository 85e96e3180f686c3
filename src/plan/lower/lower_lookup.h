/*
 * lower_lookup.h
 *	  Look-ups: joins to relations whose rows are found by a key.
 */
#ifndef GPUAGG_LOWER_LOOKUP_H
#define GPUAGG_LOWER_LOOKUP_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"
#include "plan/plan_info.h"

/* An equality of a look-up's condition. */
typedef struct JoinKey
{
	Expr	   *outer;			/* over the table and the look-ups before */
	Expr	   *inner;			/* over the look-up's relation */
	Oid			function;		/* of the operator */
	Oid			collation;		/* that it compares by */
} JoinKey;

/* A look-up that is lowered. */
typedef struct Lookup Lookup;

/*
 * Add a look-up to a lowering of pages.  relids: of its relation; NULL: the table itself, of
 * whose columns, the keys, its plan computes expressions, which can be lowered then.
 * target: what its relation's plan puts out (Expr).
 * Columns of the relation can be lowered from now on, in what has its rows only.  keys:
 * JoinKeys; conditions: the join's other clauses; filters: clauses above an outer join.
 * False, with a reason, if it cannot be lowered.
 */
extern bool lower_lookup(Lowering *l, Relids relids, const char *name, JoinType jointype,
						 List *target, List *keys, List *conditions, List *filters);

/* Once all look-ups are added: join what they let pass to the table's own filter. */
extern bool lower_lookup_filters(Lowering *l);

/*
 * The register of an expression over the columns of one look-up; -1 without a reason: it is
 * not, or must be computed of its parts.
 */
extern int	lower_looked_up(Lowering *l, Expr *expr);

/* The same of a numeric, whose scale goes to *info. */
extern int	lower_looked_up_numeric(Lowering *l, Expr *expr, NumericInfo *info);

/* A register that is NULL where such a column is. */
extern int	lower_looked_up_presence(Lowering *l, Expr *expr);

/*
 * Make such an expression a key of the Program, of any type that can be hashed: the key is
 * the number of its value.  False without a reason: it is not over one look-up.
 */
extern bool lower_code_key(Lowering *l, Expr *expr, ColumnCode *code);

/*
 * The register of the number that the value of such an expression has in the order of this
 * collation, among all rows of the look-up; -1 without a reason: it is not over one look-up.
 */
extern int	lower_rank(Lowering *l, Expr *expr, Oid collation, ColumnCode *code);

/* Once all is lowered: the LookupInfo of each, and what its plan must put out. */
extern List *lower_lookup_infos(Lowering *l);
extern List *lower_lookup_target(const Lowering *l, int number);

#endif							/* GPUAGG_LOWER_LOOKUP_H */
