/*
 * lower_statistic.c
 *	  From ordered-set aggregates to lists of values and what is read from them.
 *
 * percentile_cont, percentile_disc and mode need all of a group's values in their order.
 * Those over the same argument and filter share a list.  A fraction is the same for all
 * groups, and a slot.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/typcache.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_shown.h"
#include "plan/lower/numeric/lower_wide.h"
#include "program/order_statistic.h"

/* How a value of a type is a result, and a type whose order is that of its numbers. */
typedef struct OrderedType
{
	Oid			type;
	FinalKind	final;
} OrderedType;

static const OrderedType ordered_types[] = {
	{BOOLOID, FINAL_BOOL},
	{INT2OID, FINAL_EXTREME_INT2},
	{INT4OID, FINAL_EXTREME_INT4},
	{INT8OID, FINAL_EXTREME_INT8},
	{DATEOID, FINAL_EXTREME_INT4},
	{TIMEOID, FINAL_EXTREME_INT8},
	{TIMESTAMPOID, FINAL_EXTREME_INT8},
	{TIMESTAMPTZOID, FINAL_EXTREME_INT8},
	{MONEYOID, FINAL_EXTREME_INT8},
	{FLOAT4OID, FINAL_EXTREME_FLOAT4},
	{FLOAT8OID, FINAL_EXTREME_FLOAT8},
	{NUMERICOID, FINAL_EXTREME_NUMERIC},
};

static const OrderedType *
find_ordered_type(Oid type)
{
	for (int i = 0; i < (int) lengthof(ordered_types); i++)
		if (ordered_types[i].type == type)
			return &ordered_types[i];
	return NULL;
}

bool
is_statistic(const Aggref *aggref)
{
	return aggref->aggkind != AGGKIND_NORMAL;
}

/* The accumulator of such an aggregate, ACC_KINDS: there is none. */
static AccKind
statistic_kind(Oid function)
{
	switch (function)
	{
		case F_PERCENTILE_CONT_FLOAT8_FLOAT8:
			return ACC_PERCENTILE_CONT;
		case F_PERCENTILE_DISC_FLOAT8_ANYELEMENT:
			return ACC_PERCENTILE_DISC;
		case F_MODE:
			return ACC_MODE;
		default:
			return ACC_KINDS;
	}
}

bool
lower_direction(Lowering *l, Oid operator, Oid type, bool *descending)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	*descending = operator == cache->gt_opr;
	if (operator == cache->lt_opr || *descending)
		return true;
	lower_reject(l, REJECTED_AGGREGATE, _("an order is not that of its type"));
	return false;
}

/* The slot of a percentile's fraction, -1: rejected. */
static int
lower_fraction(Lowering *l, const Aggref *aggref)
{
	Expr	   *fraction = linitial(aggref->aggdirectargs);

	if (!same_for_all_rows(fraction))
		return lower_reject(l, REJECTED_AGGREGATE,
							_("the fraction of a percentile is not the same for all groups"));
	if (IsA(fraction, Const) &&
		(((Const *) fraction)->constisnull ||
		 !fraction_is_good(DatumGetFloat8(((Const *) fraction)->constvalue))))
		return lower_reject(l, REJECTED_AGGREGATE,
							_("the fraction of a percentile is NULL, or not between 0 and 1"));
	return lower_add_slot(l, fraction, VT_FLOAT8);
}

int
lower_ordered(Lowering *l, Expr *expr, FinalKind *final, NumericInfo *info)
{
	Oid			type = getBaseType(exprType((Node *) expr));
	const OrderedType *ordered = find_ordered_type(type);
	int			reg;

	*info = (NumericInfo)
	{
		0
	};
	if (ordered == NULL)
		return lower_reject(l, REJECTED_TYPE, _("ordered values of type %s are not supported"),
							format_type_be(type));
	*final = ordered->final;
	if (type != NUMERICOID)
		return lower_expr(l, expr);
	reg = lower_numeric(l, expr, info);
	if (reg >= 0 && is_wide(l, reg))
		return lower_reject(l, REJECTED_NUMERIC, _("ordered numerics that need 128 bits are not supported"));
	return reg;
}

/* The list of values, and what is read from it. */
static void
add_statistic(Lowering *l, AccKind kind, FinalKind final, int arg, int filter, int scale, int slot,
			  bool descending)
{
	ProgramBuilder *b = l->builder;
	int			count = program_add_acc(b, ACC_COUNT, b->insns[arg].nullable ? arg : -1, filter);
	int			values = program_add_acc(b, ACC_VALUES, arg, filter);

	program_add_numeric_agg(b, final, program_add_read_acc(b, kind, values, slot, descending),
							count, scale);
}

bool
lower_statistic(Lowering *l, Aggref *aggref)
{
	AccKind		kind = statistic_kind(aggref->aggfnoid);
	Expr	   *expr;
	FinalKind	final;
	NumericInfo info;
	bool		descending;
	int			filter = -1;
	int			slot = 0;
	int			arg;

	if (kind == ACC_KINDS)
	{
		lower_reject(l, REJECTED_AGGREGATE, _("aggregate %s is not supported"),
					 format_procedure(aggref->aggfnoid));
		return false;
	}
	expr = linitial_node(TargetEntry, aggref->args)->expr;
	arg = lower_ordered(l, expr, &final, &info);
	if (arg < 0 ||
		!lower_direction(l, linitial_node(SortGroupClause, aggref->aggorder)->sortop,
						 getBaseType(exprType((Node *) expr)), &descending))
		return lower_succeeded(l);
	if (is_numeric(expr) && (arg = lower_uniform(l, arg, &info)) < 0)
		return lower_succeeded(l);
	if (aggref->aggfilter != NULL && (filter = lower_expr(l, aggref->aggfilter)) < 0)
		return lower_succeeded(l);
	if (kind != ACC_MODE && (slot = lower_fraction(l, aggref)) < 0)
		return lower_succeeded(l);
	add_statistic(l, kind, kind == ACC_PERCENTILE_CONT ? FINAL_PERCENTILE_CONT : final,
				  arg, filter, info.scale, slot, descending);
	return lower_succeeded(l);
}
