/*
 * lowering.h
 *	  What the files of lowering have in common: one lowering, and why it fails.
 *
 * Functions of lowering that return int return a register of the program, or -1 if
 * the expression was rejected (Lowering.reason says why) or the program is full
 * (ProgramBuilder.overflow is set).
 */
#ifndef GPUAGG_LOWERING_H
#define GPUAGG_LOWERING_H

#include "access/attmap.h"
#include "access/tupdesc.h"
#include "nodes/pathnodes.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "program/program.h"
#include "stats/reasons.h"

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
 * subplans) becomes a parameter; params[i] is the expression whose value at the start
 * of execution is the value of parameter i.  Operations of the table stay
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
	bool		hides_rows;		/* SOURCE_PAGES: has_hidden_rows */
	bool		may_need_cpu;	/* operations may be used that only the CPU engine has */
	bool		guards;			/* what PostgreSQL computes of look-ups' rows may raise errors */
	List	   *inputs;			/* SOURCE_COLUMNS: Expr */
	List	   *lookups;		/* SOURCE_PAGES: Lookup (lower_lookup_parts.h) */
	List	   *checked;		/* ints, registers: of conditions of look-ups that can be errors */
	List	   *required;		/* ints, registers: true for rows that look-ups let pass */
	List	   *params;			/* Expr, one a parameter; includes attributes' missing
								 * values as Consts */
	List	   *arrays;			/* ArrayInfo: aggregates whose values are arrays */
	List	   *ordered;		/* OrderedInfo: aggregates that the session makes of rows */
	List	   *added;			/* Aggrefs: the query's sums of an int2 column and a constant */
	struct ColumnCode *aggregate_code;	/* of the aggregate that is lowered, which may be that of a
										 * rank; NULL: it may not */
	int			case_value;		/* register of the CASE around, or -1 */
	const struct NumericInfo *case_info;	/* if that is numeric */
	int		   *scale_search;	/* not NULL: an expression's scale is wanted, and
								 * no program (numeric_guess.c) */
	bool		expects_specials;	/* statistics have NaN or infinities */
	bool		needs_specials; /* constants are, or hidden rows may have them */
	char	   *reason;			/* why something was rejected, or NULL */
	RejectionClass reason_class;	/* then, of the reason */
	const char *hint;			/* what would change that, or NULL */
} Lowering;

/*
 * Begin.  desc: how the tuples lie, with constraints; it must stay.  Adds its
 * attributes to the Program.  map: from attributes of Vars to those of desc.
 */
extern Lowering *lower_begin_pages(PlannerInfo *root, Index rti, TupleDesc desc,
								   const AttrMap *map);
extern Lowering *lower_begin_columns(PlannerInfo *root, List *inputs);

/* Keep the first reason.  Always -1, for callers to return. */
extern int	lower_reject(Lowering *l, RejectionClass reason_class,
						 const char *format,...) pg_attribute_printf(3, 4);

/* Of the rejection that follows: what users could do, a constant sentence. */
extern void lower_hint(Lowering *l, const char *hint);

/* True unless something was rejected, which a full program is too. */
extern bool lower_succeeded(Lowering *l);

/* The ValueType of a PostgreSQL type; -1: it has none, and is rejected. */
extern int	lower_type(Lowering *l, Oid type);

/* An operation over two registers, or -1 where one of them is that. */
extern int	lower_op(Lowering *l, OpCode op, int a, int b);

/* May only a device run, so that what devices do not compute is better left to PostgreSQL? */
extern bool lower_needs_device(void);

/* May operations be used that only the CPU engine has (program_needs_cpu)? */
extern bool lower_may_need_cpu(const Lowering *l);

#endif							/* GPUAGG_LOWERING_H */
