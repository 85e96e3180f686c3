/*
 * lower_ordered_array.c
 *	  array_agg of values in their own order, or of which each is taken once.
 *
 * The values leave the engine as a list in their order.  The node makes an array of it, which
 * needs no more than the values and the number of NULLs: equal values are identical, and so are
 * NULLs.  This is true of integers, and of what counts days or microseconds.  0 and -0 are equal
 * floats, and numerics can differ in their display scale: lower_ordered_aggregate.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"

/* Its order: of DISTINCT, too, which is that of ORDER BY if there are both. */
static const SortGroupClause *
order_of(const Aggref *aggref)
{
	return linitial_node(SortGroupClause, aggref->aggdistinct != NIL ? aggref->aggdistinct :
						 aggref->aggorder);
}

/* Of types that have an order by numbers. */
static bool
equal_values_are_identical(Oid type)
{
	return type != FLOAT4OID && type != FLOAT8OID && type != NUMERICOID;
}

bool
is_ordered_array(const Aggref *aggref)
{
	Oid			type;

	/* what else it is ordered by would be an argument, too */
	if (aggref->aggfnoid != F_ARRAY_AGG_ANYNONARRAY || list_length(aggref->args) != 1 ||
		(aggref->aggorder == NIL && aggref->aggdistinct == NIL))
		return false;
	type = getBaseType(exprType((Node *) linitial_node(TargetEntry, aggref->args)->expr));
	return type_has_number_order(type) && equal_values_are_identical(type);
}

bool
lower_ordered_array(Lowering *l, const Aggref *aggref)
{
	Expr	   *expr = linitial_node(TargetEntry, aggref->args)->expr;
	const SortGroupClause *order = order_of(aggref);
	ArrayInfo  *array = palloc0(sizeof(ArrayInfo));
	NumericInfo info;
	FinalKind	final;
	int			filter = -1;
	int			arg;
	int			count;

	if (aggref->aggfilter != NULL && (filter = lower_expr(l, aggref->aggfilter)) < 0)
		return lower_succeeded(l);
	arg = lower_ordered(l, expr, &final, &info);
	if (arg < 0 || !lower_direction(l, order->sortop, getBaseType(exprType((Node *) expr)),
									&array->descending))
		return lower_succeeded(l);
	array->nulls_first = order->nulls_first;
	array->distinct = aggref->aggdistinct != NIL;
	count = program_add_acc(l->builder, ACC_COUNT, -1, filter);
	array->agg = program_add_numeric_agg(l->builder, final,
										 program_add_acc(l->builder, ACC_GIVEN_VALUES, arg, filter),
										 count, 0);
	l->arrays = lappend(l->arrays, array);
	return lower_succeeded(l);
}
