/*
 * lower.h
 *	  From PostgreSQL's expressions to a Program.
 *
 * Lowering never guesses and never changes the tree it looks at: what it does
 * not know, it rejects with a reason.
 */
#ifndef GPUAGG_LOWER_H
#define GPUAGG_LOWER_H

#include "access/attmap.h"
#include "access/tupdesc.h"
#include "nodes/pathnodes.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "program/program.h"

/*
 * One lowering.  Memory comes from the current context.
 *
 * With SOURCE_PAGES, the expressions are over the attributes of one table, Vars
 * with varno == rti, which can have other numbers in the tuples that are read.
 * With SOURCE_COLUMNS they are over the tuples of a child plan: an expression that
 * equals a member of `inputs` is that column of the child (attno = its position,
 * from 1).
 *
 * What is the same for all rows (no Vars, not volatile, no aggregates or
 * subplans) becomes a slot; slots[i] is the expression whose value at the start
 * of execution is the value of slot i.  Operations of the table stay
 * operations even then: a table without rows must not raise their errors.
 *
 * Whether the user may execute the functions that are lowered is not asked
 * here: PostgreSQL's own plan, which the node carries and initializes, asks it.
 */
typedef struct Lowering
{
	ProgramBuilder *builder;
	PlannerInfo *root;			/* for statistics */
	Index		rti;			/* SOURCE_PAGES */
	TupleDesc	desc;			/* SOURCE_PAGES: of the tuples, with constraints */
	const AttrMap *map;			/* SOURCE_PAGES: from Vars' attributes to desc's */
	List	   *inputs;			/* SOURCE_COLUMNS: Expr */
	List	   *slots;			/* Expr, one a slot; includes attributes' missing
								 * values as Consts */
	int			case_value;		/* register of the CASE around, or -1 */
	const struct NumericScale *case_scale;	/* if that is numeric */
	int		   *scale_search;	/* not NULL: an expression's scale is wanted, and
								 * no program (numeric_guess.c) */
	bool		expects_specials;	/* statistics have NaN or infinities */
	bool		has_specials;	/* so have constants */
	char	   *reason;			/* why something was rejected, or NULL */
} Lowering;

/*
 * Begin.  desc: how the tuples lie, with constraints; it must stay.  Adds its
 * attributes to the Program.  map: from attributes of Vars to those of desc.
 */
extern Lowering *lower_begin_pages(PlannerInfo *root, Index rti, TupleDesc desc,
								   const AttrMap *map);
extern Lowering *lower_begin_columns(PlannerInfo *root, List *inputs);

/*
 * Each returns false, with l->reason set (a translatable phrase such as
 * "function lower(text) is not supported", for "... because ..."), if it met
 * what it cannot lower; all that follow then return false too.  Clauses are
 * ANDed in their order.  The program's keys and aggregates are in the order of
 * the calls.
 */
extern bool lower_filter(Lowering *l, List *clauses);
extern bool lower_key(Lowering *l, Expr *expr);

/* Let a row's error in the expression be seen, though nothing may need its value. */
extern bool lower_checked(Lowering *l, Expr *expr);
extern bool lower_aggref(Lowering *l, Aggref *aggref);

/* The finished Program, palloc'd, or NULL with a reason if it got too large. */
extern Program *lower_finish(Lowering *l);

/* Is the expression's value the same for all rows, hence that of a slot? */
extern bool is_slot(Expr *expr);

/*
 * Aggregates with DISTINCT that cannot do without it.  A Program takes in each
 * value of such an aggregate's argument once if it is a key; lower_regrouping
 * makes the Program that does, from the groups of a Program that has the keys
 * and the aggregates without DISTINCT: keys, and aggregates in their order.
 * Returns NULL, with *reason set, if it cannot be done.
 */
extern bool lower_needs_distinct(const Aggref *aggref);
extern Expr *lower_distinct_argument(const Aggref *aggref);
extern Program *lower_regrouping(const Program *fine, List *keys, List *aggrefs,
								 const char **reason);

/* Is the aggregate's result the same however often its input has a row? */
extern bool lower_ignores_repetitions(Oid function);

/*
 * Can a child plan's column of this expression, an argument of an aggregate, be
 * taken, whatever computes it?
 */
extern bool lower_can_input(PlannerInfo *root, const Aggref *aggref, Expr *expr);

#endif							/* GPUAGG_LOWER_H */
