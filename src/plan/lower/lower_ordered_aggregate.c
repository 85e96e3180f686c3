/*
 * lower_ordered_aggregate.c
 *	  Any aggregate whose result depends on the order of its input: lists of rows.
 *
 * The engine makes of each group a list of rows, which have the aggregate's arguments and the
 * keys of its order.  PostgreSQL's session orders a group's rows and has them aggregated by the
 * aggregate's own functions (exec/values/ordered_aggregate.c).  Aggregates over the same columns
 * and filter share a list.  Of rows that are equal in the order, SQL leaves open which comes first;
 * of DISTINCT values that are equal, one is taken, so these must be identical, as numerics of one
 * display scale are.
 *
 * So are percentile_disc and mode made where the values have no order by numbers, such as texts: the
 * session picks one of the sorted values.
 *
 * Aggregates that engines have give the same result in any order, so their ORDER BY is left out,
 * but for errors that its expressions may raise.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "plan/lower/lower.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "program/row_list.h"

/* A list's columns. */
typedef struct RowColumns
{
	RowListColumn columns[ROW_MAX_COLUMNS];
	int			n;
} RowColumns;

bool
is_ordered_aggregate(const Aggref *aggref)
{
	if (aggref->aggkind != AGGKIND_NORMAL)
		return is_row_statistic(aggref);
	return (aggref->aggorder != NIL || aggref->aggdistinct != NIL) &&
		!is_engine_aggregate(aggref->aggfnoid) && !is_ordered_array(aggref);
}

/* The register of a value, and its scale if it is a numeric; -1: rejected. */
static int
lower_column(Lowering *l, Expr *expr, int *scale)
{
	NumericInfo info;
	int			reg;

	*scale = KEY_NOT_NUMERIC;
	if (!is_numeric(expr))
		return lower_expr(l, expr);
	reg = lower_numeric(l, expr, &info);
	if (reg < 0)
		return -1;
	if (is_wide(l, reg))
		return lower_reject(l, REJECTED_NUMERIC, _("ordered numerics that need 128 bits are not supported"));
	*scale = info.scale;
	return lower_uniform(l, reg, &info);
}

bool
lower_row_value(Lowering *l, Expr *expr)
{
	int			scale;

	return IsA(expr, Const) || (lower_column(l, expr, &scale) >= 0 && lower_succeeded(l));
}

/* The number of the column that has an expression's value; -1: rejected. */
static int
add_column(Lowering *l, Expr *expr, RowColumns *columns)
{
	RowListColumn column;

	column.reg = lower_column(l, expr, &column.scale);
	if (column.reg < 0)
		return -1;
	for (int i = 0; i < columns->n; i++)
		if (columns->columns[i].reg == column.reg && columns->columns[i].scale == column.scale)
			return i;
	if (columns->n == ROW_MAX_COLUMNS)
		return lower_reject(l, REJECTED_AGGREGATE, _("an aggregate has too many arguments"));
	columns->columns[columns->n] = column;
	return columns->n++;
}

/* The aggregate without what its arguments are computed of: their types, and constants. */
static Aggref *
outline(const Aggref *aggref)
{
	Aggref	   *copy = makeNode(Aggref);
	ListCell   *lc;

	memcpy(copy, aggref, sizeof(Aggref));
	copy->aggfilter = NULL;
	copy->args = NIL;
	foreach(lc, aggref->args)
	{
		TargetEntry *arg = flatCopyTargetEntry(lfirst_node(TargetEntry, lc));
		Node	   *expr = (Node *) arg->expr;

		if (!IsA(expr, Const))
			arg->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
		copy->args = lappend(copy->args, arg);
	}
	return copyObject(copy);
}

/* How the keys of the order, but for constants, are compared; false: rejected. */
static bool
add_order(Lowering *l, const Aggref *aggref, OrderedInfo *info)
{
	ListCell   *lc;

	foreach(lc, aggref->aggdistinct != NIL ? aggref->aggdistinct : aggref->aggorder)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		TargetEntry *arg = get_sortgroupref_tle(clause->tleSortGroupRef, aggref->args);
		Oid			type = getBaseType(exprType((Node *) arg->expr));
		int			column = list_nth_int(info->columns, arg->resno - 1);
		bool		by_number = type_has_number_order(type);
		bool		descending = false;

		if (column < 0)
			continue;
		if ((aggref->aggdistinct != NIL || is_row_statistic(aggref)) && !is_numeric(arg->expr) &&
			!equal_is_identical((Node *) arg->expr))
		{
			lower_reject(l, REJECTED_AGGREGATE, aggref->aggdistinct != NIL ?
						 _("DISTINCT in an aggregate of type %s is not supported") :
						 _("ordered values of type %s are not supported"),
						 format_type_be(exprType((Node *) arg->expr)));
			return false;
		}
		if (by_number && !lower_direction(l, clause->sortop, type, &descending))
			return false;
		info->keys = lappend_int(info->keys, column);
		info->operators = lappend_oid(info->operators, clause->sortop);
		info->collations = lappend_oid(info->collations, exprCollation((Node *) arg->expr));
		info->nulls_first = lappend_int(info->nulls_first, clause->nulls_first);
		info->by_number = lappend_int(info->by_number, !by_number ? 0 : descending ? -1 : 1);
	}
	return true;
}

/* Is the fraction of a percentile known?  Its value, and that of a mode, must be a row's. */
static bool
check_row_statistic(Lowering *l, const Aggref *aggref)
{
	if (IsA(linitial_node(TargetEntry, aggref->args)->expr, Const))
		lower_reject(l, REJECTED_AGGREGATE, _("ordered values that are constant are not supported"));
	else if (aggref->aggdirectargs != NIL && !IsA(linitial(aggref->aggdirectargs), Const))
		lower_reject(l, REJECTED_AGGREGATE, _("the fraction of a percentile is not a constant"));
	else if (aggref->aggdirectargs != NIL)
		(void) check_fraction(l, linitial(aggref->aggdirectargs));
	return lower_succeeded(l);
}

/* Would PostgreSQL call the transition function once for this aggregate and another one? */
static bool
shares_state(const Lowering *l, const Aggref *aggref)
{
	ListCell   *lc;

	foreach(lc, l->ordered)
		if (((const OrderedInfo *) lfirst(lc))->aggref->aggtransno == aggref->aggtransno &&
			aggref->aggtransno >= 0)
			return true;
	return false;
}

bool
lower_ordered_aggregate(Lowering *l, const Aggref *aggref)
{
	OrderedInfo *info = palloc0(sizeof(OrderedInfo));
	RowColumns	columns = {.n = 0};
	int			filter = -1;
	int			list;
	ListCell   *lc;

	if (aggref->aggvariadic)
		lower_reject(l, REJECTED_AGGREGATE, _("aggregate %s is not supported"),
					 format_procedure(aggref->aggfnoid));
	if (is_row_statistic(aggref))
		(void) check_row_statistic(l, aggref);
	else if (shares_state(l, aggref))
		lower_reject(l, REJECTED_AGGREGATE, _("aggregates with ORDER BY or DISTINCT share a state"));
	if (!lower_succeeded(l))
		return false;
	if (aggref->aggfilter != NULL && (filter = lower_expr(l, aggref->aggfilter)) < 0)
		return lower_succeeded(l);
	foreach(lc, aggref->args)
	{
		Expr	   *expr = lfirst_node(TargetEntry, lc)->expr;
		int			column = IsA(expr, Const) ? -1 : add_column(l, expr, &columns);

		if (column < 0 && !IsA(expr, Const))
			return lower_succeeded(l);
		info->columns = lappend_int(info->columns, column);
	}
	list = program_add_rows(l->builder, columns.columns, columns.n, filter);
	info->agg = program_add_agg(l->builder, FINAL_ORDERED, list, list);
	info->aggref = outline(aggref);
	l->ordered = lappend(l->ordered, info);
	return add_order(l, aggref, info) && lower_succeeded(l);
}

bool
lower_unused_order(Lowering *l, const Aggref *aggref, int filter)
{
	ListCell   *lc;

	foreach(lc, aggref->args)
	{
		const TargetEntry *arg = lfirst_node(TargetEntry, lc);
		int			reg;

		if (!arg->resjunk || cannot_fail((Node *) arg->expr))
			continue;
		reg = lower_expr(l, arg->expr);
		if (reg < 0)
			return lower_succeeded(l);
		/* counting looks at it */
		if (l->builder->insns[reg].fallible)
			program_add_acc(l->builder, ACC_COUNT, reg, filter);
	}
	return true;
}
