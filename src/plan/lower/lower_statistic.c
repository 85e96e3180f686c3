/*
 * lower_statistic.c
 *	  From ordered-set aggregates to lists of values and what is read from them.
 *
 * percentile_cont, percentile_disc and mode need all of a group's values in their order.  Intervals
 * are listed by their lengths.  Of other types that have no order by numbers,
 * lower_ordered_aggregate.c makes them.
 * Those over the same argument and filter share a list.  A fraction is the same for all
 * groups, and a parameter; or it is one of the group, and an extreme of what it is in the group's
 * rows, all of which have the same.
 *
 * Percentiles of an array of fractions are an aggregate each.  The first one stands where the
 * array does, and the others behind all aggregates of the node, which makes an array of them.
 * So the array is a constant: how many fractions it has decides what the Program is.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/typcache.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_parts.h"
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

/* An ordered-set aggregate. */
typedef struct Statistic
{
	AccKind		kind;			/* of what is read from the list */
	FinalKind	final;
	int			arg;			/* registers: of the values, and of a filter or -1 */
	int			filter;
	int			scale;
	bool		descending;
} Statistic;

/* In the place of a parameter: the fraction is NULL. */
#define NO_FRACTION INT_MIN

static const OrderedType *
find_ordered_type(Oid type)
{
	for (int i = 0; i < (int) lengthof(ordered_types); i++)
		if (ordered_types[i].type == type)
			return &ordered_types[i];
	return NULL;
}

bool
type_has_number_order(Oid type)
{
	return find_ordered_type(type) != NULL;
}

bool
is_row_statistic(const Aggref *aggref)
{
	Oid			type;

	if (aggref->aggfnoid != F_MODE && aggref->aggfnoid != F_PERCENTILE_DISC_FLOAT8_ANYELEMENT &&
		aggref->aggfnoid != F_PERCENTILE_DISC__FLOAT8_ANYELEMENT)
		return false;
	type = getBaseType(exprType((Node *) linitial_node(TargetEntry, aggref->args)->expr));
	return type != INTERVALOID && !type_has_number_order(type);
}

bool
is_statistic(const Aggref *aggref)
{
	return (aggref->aggkind == AGGKIND_ORDERED_SET && !is_row_statistic(aggref)) || is_dense_rank(aggref);
}

/* The accumulator of such an aggregate, ACC_KINDS: there is none. */
static AccKind
statistic_kind(Oid function)
{
	switch (function)
	{
		case F_PERCENTILE_CONT_FLOAT8_FLOAT8:
		case F_PERCENTILE_CONT__FLOAT8_FLOAT8:
		case F_PERCENTILE_CONT_FLOAT8_INTERVAL:
		case F_PERCENTILE_CONT__FLOAT8_INTERVAL:
			return ACC_PERCENTILE_CONT;
		case F_PERCENTILE_DISC_FLOAT8_ANYELEMENT:
		case F_PERCENTILE_DISC__FLOAT8_ANYELEMENT:
			return ACC_PERCENTILE_DISC;
		case F_MODE:
			return ACC_MODE;
		default:
			return ACC_KINDS;
	}
}

static bool
has_fraction_array(const Aggref *aggref)
{
	return aggref->aggfnoid == F_PERCENTILE_CONT__FLOAT8_FLOAT8 ||
		aggref->aggfnoid == F_PERCENTILE_CONT__FLOAT8_INTERVAL ||
		aggref->aggfnoid == F_PERCENTILE_DISC__FLOAT8_ANYELEMENT;
}

static Expr *
float8_const(Datum value)
{
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), value, false,
							  FLOAT8PASSBYVAL);
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

/* Fractions are in an array, of which some may be NULL. */
typedef struct FractionArray
{
	Datum	   *values;
	bool	   *isnull;
	int			n;
} FractionArray;

/* Those of a constant that percentiles can have; false: rejected. */
static bool
read_fraction_array(Lowering *l, const Expr *expr, FractionArray *array)
{
	const Const *value = (const Const *) expr;
	bool		good = true;
	bool		any = false;

	if (!IsA(expr, Const) || value->constisnull)
	{
		lower_reject(l, REJECTED_AGGREGATE, _("an array of fractions is NULL, or not a constant"));
		return false;
	}
	deconstruct_array(DatumGetArrayTypeP(value->constvalue), FLOAT8OID, sizeof(float8),
					  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &array->values, &array->isnull, &array->n);
	for (int i = 0; i < array->n; i++)
	{
		good &= array->isnull[i] || fraction_is_good(DatumGetFloat8(array->values[i]));
		any |= !array->isnull[i];
	}
	if (!good || !any)
		lower_reject(l, REJECTED_AGGREGATE,
					 _("fractions of percentiles are all NULL, or one is not between 0 and 1"));
	return good && any;
}

/* The parameters of constant fractions, ints, or NO_FRACTION.  NIL: rejected. */
static List *
lower_fraction_array(Lowering *l, const Expr *expr)
{
	List	   *params = NIL;
	FractionArray array;

	if (!read_fraction_array(l, expr, &array))
		return NIL;
	for (int i = 0; i < array.n; i++)
		params = lappend_int(params, array.isnull[i] ? NO_FRACTION :
							 lower_add_param(l, float8_const(array.values[i]), VT_FLOAT8));
	return params;
}

bool
check_fraction(Lowering *l, const Expr *fraction)
{
	FractionArray array;

	if (exprType((const Node *) fraction) == FLOAT8ARRAYOID)
		return read_fraction_array(l, fraction, &array);
	if (!IsA(fraction, Const) ||
		(!((const Const *) fraction)->constisnull &&
		 fraction_is_good(DatumGetFloat8(((const Const *) fraction)->constvalue))))
		return true;
	lower_reject(l, REJECTED_AGGREGATE,
				 _("the fraction of a percentile is NULL, or not between 0 and 1"));
	return false;
}

/* Does the function, or one that it calls, tell apart numbers that are equal, such as 0 and -0? */
static bool
tells_equal_apart(Oid function, void *context)
{
	switch (function)
	{
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_NUMERIC:
		case F_FLOAT8PL:
		case F_FLOAT8MI:
		case F_FLOAT8MUL:
		case F_FLOAT8DIV:		/* by either of them is an error */
			return false;
		default:
			return true;
	}
}

/* Is it computed by other expressions than columns, constants and such functions? */
static bool
tells_apart_walker(Node *node, void *context)
{
	if (node == NULL || IsA(node, Var) || IsA(node, Const) || IsA(node, Param) || IsA(node, List))
		return expression_tree_walker(node, tells_apart_walker, context);
	if (!IsA(node, FuncExpr) && !IsA(node, OpExpr))
		return true;
	return check_functions_in_node(node, tells_equal_apart, context) ||
		expression_tree_walker(node, tells_apart_walker, context);
}

/* Is what is computed of the keys the same in all rows of a group, equal keys not being identical? */
static bool
same_in_group(Expr *fraction)
{
	ListCell   *lc;

	if (!tells_apart_walker((Node *) fraction, NULL))
		return true;
	foreach(lc, pull_var_clause((Node *) fraction, PVC_RECURSE_PLACEHOLDERS))
		if (!equal_is_identical(lfirst(lc)))
			return false;
	return true;
}

/* FRACTION_OF_GROUP.  Groups without a fraction take in no values. */
static int
lower_group_fraction(Lowering *l, const Aggref *aggref, Statistic *s)
{
	ProgramBuilder *b = l->builder;
	int			reg = lower_operand(l, aggref->aggfnoid, linitial(aggref->aggdirectargs), VT_FLOAT8);

	if (reg < 0)
		return 0;
	reg = program_add_op(b, OP_float8_fraction, reg, -1);
	if (b->insns[reg].nullable)
	{
		int			known = program_add_op(b, OP_isnotnull, reg, -1);

		s->filter = s->filter < 0 ? known : program_add_op(b, OP_and, s->filter, known);
	}
	return FRACTION_OF_GROUP(program_add_acc(b, ACC_MAX_FLOAT, reg, -1));
}

/* The parameter of a percentile's fraction, or FRACTION_OF_GROUP. */
static int
lower_fraction(Lowering *l, const Aggref *aggref, Statistic *s)
{
	Expr	   *fraction = linitial(aggref->aggdirectargs);

	if (same_for_all_rows(fraction))
		return check_fraction(l, fraction) ? lower_add_param(l, fraction, VT_FLOAT8) : 0;
	if (same_in_group(fraction))
		return lower_group_fraction(l, aggref, s);
	lower_reject(l, REJECTED_AGGREGATE, _("the fraction of a percentile may differ within a group"));
	return 0;
}

/* The parameters of an aggregate's fractions; of a mode, which has none, one that nothing reads. */
static List *
lower_fractions(Lowering *l, const Aggref *aggref, Statistic *s)
{
	int			param = 0;

	if (has_fraction_array(aggref))
		return lower_fraction_array(l, linitial(aggref->aggdirectargs));
	if (aggref->aggdirectargs != NIL)
		param = lower_fraction(l, aggref, s);
	return lower_succeeded(l) ? list_make1_int(param) : NIL;
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

/* An aggregate that is an array; its elements are accumulators until lower_arrays. */
static void
add_array(Lowering *l, int agg, Const *fractions, List *accs)
{
	ArrayInfo  *array = palloc0(sizeof(ArrayInfo));

	array->agg = agg;
	array->fractions = copyObject(fractions);
	array->elements = accs;
	l->arrays = lappend(l->arrays, array);
}

/* The list of values, and what is read from it: an aggregate of the first fraction. */
static void
add_statistic(Lowering *l, const Aggref *aggref, const Statistic *s, List *params)
{
	ProgramBuilder *b = l->builder;
	int			count = program_add_acc(b, ACC_COUNT, b->insns[s->arg].nullable ? s->arg : -1,
										s->filter);
	int			values = program_add_acc(b, ACC_VALUES, s->arg, s->filter);
	int			first = -1;
	int			agg;
	List	   *accs = NIL;
	ListCell   *lc;

	foreach(lc, params)
	{
		int			acc = lfirst_int(lc) == NO_FRACTION ? -1 :
			program_add_read_acc(b, s->kind, values, lfirst_int(lc), s->descending);

		accs = lappend_int(accs, acc);
		first = first < 0 ? acc : first;
	}
	agg = program_add_numeric_agg(b, s->final, first, count, s->scale);
	if (has_fraction_array(aggref))
		add_array(l, agg, linitial(aggref->aggdirectargs), accs);
}

List *
lower_arrays(Lowering *l)
{
	ListCell   *lc;
	ListCell   *element;

	if (!lower_succeeded(l))
		return NIL;
	foreach(lc, l->arrays)
	{
		ArrayInfo  *array = lfirst(lc);
		Aggregate	agg = l->builder->aggs[array->agg];

		foreach(element, array->elements)
		{
			agg.acc = lfirst_int(element);
			if (agg.acc >= 0)
				lfirst_int(element) = program_copy_agg(l->builder, &agg);
		}
	}
	return l->arrays;
}

/* What the aggregate takes: its values, their order and its filter. */
static bool
lower_values(Lowering *l, const Aggref *aggref, Statistic *s)
{
	Expr	   *expr = linitial_node(TargetEntry, aggref->args)->expr;
	Oid			type = getBaseType(exprType((Node *) expr));
	NumericInfo info = {0};

	s->final = FINAL_LENGTH;
	s->arg = type == INTERVALOID ? lower_interval_length(l, expr) :
		lower_ordered(l, expr, &s->final, &info);
	s->filter = -1;
	s->scale = info.scale;
	if (s->arg < 0 ||
		!lower_direction(l, linitial_node(SortGroupClause, aggref->aggorder)->sortop, type,
						 &s->descending))
		return false;
	if (is_numeric(expr) && (s->arg = lower_uniform(l, s->arg, &info)) < 0)
		return false;
	return aggref->aggfilter == NULL || (s->filter = lower_expr(l, aggref->aggfilter)) >= 0;
}

bool
lower_statistic(Lowering *l, Aggref *aggref)
{
	Statistic	statistic = {.kind = statistic_kind(aggref->aggfnoid)};
	List	   *params;

	if (statistic.kind == ACC_KINDS)
	{
		lower_reject(l, REJECTED_AGGREGATE, _("aggregate %s is not supported"),
					 format_procedure(aggref->aggfnoid));
		return false;
	}
	if (!lower_values(l, aggref, &statistic) || (params = lower_fractions(l, aggref, &statistic)) == NIL)
		return lower_succeeded(l);
	if (statistic.kind == ACC_PERCENTILE_CONT)
		statistic.final = statistic.final == FINAL_LENGTH ? FINAL_PERCENTILE_LENGTH :
			FINAL_PERCENTILE_CONT;
	add_statistic(l, aggref, &statistic, params);
	return lower_succeeded(l);
}
