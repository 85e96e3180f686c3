/*
 * lower_agg.c
 *	  From Aggrefs to accumulators.
 *
 * An aggregate is made from an accumulator of its values and a count of them,
 * by which an aggregate over nothing is NULL.  Aggregates over the same
 * argument and filter share both, and a count of values that are never NULL is
 * the count of rows.
 *
 * One with DISTINCT takes in a key of the groups (lower_regroup.c), or is read from a list of
 * its values in their order.  The order of rows makes no difference to any.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "compat.h"
#include "plan/lower/lower_lookup.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_parts.h"

typedef struct AggregateKind
{
	Oid			function;
	AccKind		acc;
	FinalKind	final;
} AggregateKind;

static const AggregateKind aggregate_kinds[] = {
	{F_COUNT_, ACC_COUNT, FINAL_COUNT},
	{F_COUNT_ANY, ACC_COUNT, FINAL_COUNT},

	{F_SUM_INT2, ACC_SUM_INT, FINAL_SUM_INT8},
	{F_SUM_INT4, ACC_SUM_INT, FINAL_SUM_INT8},
	{F_SUM_INT8, ACC_SUM_INT128, FINAL_SUM_NUMERIC},
	{F_SUM_NUMERIC, ACC_SUM_INT128, FINAL_SUM_NUMERIC},
	{F_SUM_FLOAT4, ACC_SUM_FLOAT, FINAL_SUM_FLOAT4},
	{F_SUM_FLOAT8, ACC_SUM_FLOAT, FINAL_SUM_FLOAT8},
	{F_SUM_MONEY, ACC_SUM_INT, FINAL_SUM_MONEY},
	{F_SUM_INTERVAL, ACC_SUM_INT, FINAL_SUM_INTERVAL},

	{F_AVG_INT2, ACC_SUM_INT, FINAL_AVG_NUMERIC},
	{F_AVG_INT4, ACC_SUM_INT, FINAL_AVG_NUMERIC},
	{F_AVG_INT8, ACC_SUM_INT128, FINAL_AVG_NUMERIC},
	{F_AVG_NUMERIC, ACC_SUM_INT128, FINAL_AVG_NUMERIC},
	{F_AVG_FLOAT4, ACC_SUM_FLOAT, FINAL_AVG_FLOAT8},
	{F_AVG_FLOAT8, ACC_SUM_FLOAT, FINAL_AVG_FLOAT8},
	{F_AVG_INTERVAL, ACC_SUM_INT, FINAL_AVG_INTERVAL},

	{F_MIN_INT2, ACC_MIN_INT, FINAL_EXTREME_INT2},
	{F_MIN_INT4, ACC_MIN_INT, FINAL_EXTREME_INT4},
	{F_MIN_INT8, ACC_MIN_INT, FINAL_EXTREME_INT8},
	{F_MIN_NUMERIC, ACC_MIN_INT, FINAL_EXTREME_NUMERIC},
	{F_MIN_FLOAT4, ACC_MIN_FLOAT, FINAL_EXTREME_FLOAT4},
	{F_MIN_FLOAT8, ACC_MIN_FLOAT, FINAL_EXTREME_FLOAT8},
	{F_MIN_TIME, ACC_MIN_INT, FINAL_EXTREME_INT8},
	{F_MIN_MONEY, ACC_MIN_INT, FINAL_EXTREME_INT8},
	{F_MIN_DATE, ACC_MIN_INT, FINAL_EXTREME_INT4},
	{F_MIN_TIMESTAMP, ACC_MIN_INT, FINAL_EXTREME_INT8},
	{F_MIN_TIMESTAMPTZ, ACC_MIN_INT, FINAL_EXTREME_INT8},
	{F_MIN_INTERVAL, ACC_MIN_INTERVAL, FINAL_EXTREME_INTERVAL},
	{F_MIN_TEXT, ACC_MIN_TEXT, FINAL_EXTREME_TEXT},
	{F_MIN_BPCHAR, ACC_MIN_BPCHAR, FINAL_EXTREME_TEXT},
	{F_MIN_INET, ACC_MIN_INET, FINAL_EXTREME_TEXT},

	{F_MAX_INT2, ACC_MAX_INT, FINAL_EXTREME_INT2},
	{F_MAX_INT4, ACC_MAX_INT, FINAL_EXTREME_INT4},
	{F_MAX_INT8, ACC_MAX_INT, FINAL_EXTREME_INT8},
	{F_MAX_NUMERIC, ACC_MAX_INT, FINAL_EXTREME_NUMERIC},
	{F_MAX_FLOAT4, ACC_MAX_FLOAT, FINAL_EXTREME_FLOAT4},
	{F_MAX_FLOAT8, ACC_MAX_FLOAT, FINAL_EXTREME_FLOAT8},
	{F_MAX_TIME, ACC_MAX_INT, FINAL_EXTREME_INT8},
	{F_MAX_MONEY, ACC_MAX_INT, FINAL_EXTREME_INT8},
	{F_MAX_DATE, ACC_MAX_INT, FINAL_EXTREME_INT4},
	{F_MAX_TIMESTAMP, ACC_MAX_INT, FINAL_EXTREME_INT8},
	{F_MAX_TIMESTAMPTZ, ACC_MAX_INT, FINAL_EXTREME_INT8},
	{F_MAX_INTERVAL, ACC_MAX_INTERVAL, FINAL_EXTREME_INTERVAL},
	{F_MAX_TEXT, ACC_MAX_TEXT, FINAL_EXTREME_TEXT},
	{F_MAX_BPCHAR, ACC_MAX_BPCHAR, FINAL_EXTREME_TEXT},
	{F_MAX_INET, ACC_MAX_INET, FINAL_EXTREME_TEXT},

	{F_BOOL_AND, ACC_BIT_AND, FINAL_BOOL},
	{F_BOOL_OR, ACC_BIT_OR, FINAL_BOOL},
	{F_EVERY, ACC_BIT_AND, FINAL_BOOL},
	{F_BIT_AND_INT2, ACC_BIT_AND, FINAL_BITS_INT2},
	{F_BIT_AND_INT4, ACC_BIT_AND, FINAL_BITS_INT4},
	{F_BIT_AND_INT8, ACC_BIT_AND, FINAL_BITS_INT8},
	{F_BIT_OR_INT2, ACC_BIT_OR, FINAL_BITS_INT2},
	{F_BIT_OR_INT4, ACC_BIT_OR, FINAL_BITS_INT4},
	{F_BIT_OR_INT8, ACC_BIT_OR, FINAL_BITS_INT8},
	{F_BIT_XOR_INT2, ACC_BIT_XOR, FINAL_BITS_INT2},
	{F_BIT_XOR_INT4, ACC_BIT_XOR, FINAL_BITS_INT4},
	{F_BIT_XOR_INT8, ACC_BIT_XOR, FINAL_BITS_INT8},

	{F_VARIANCE_INT2, ACC_SUM_INT128, FINAL_VAR_SAMP},
	{F_VARIANCE_INT4, ACC_SUM_INT128, FINAL_VAR_SAMP},
	{F_VARIANCE_INT8, ACC_SUM_INT128, FINAL_VAR_SAMP},
	{F_VARIANCE_NUMERIC, ACC_SUM_INT128, FINAL_VAR_SAMP},
	{F_VAR_SAMP_INT2, ACC_SUM_INT128, FINAL_VAR_SAMP},
	{F_VAR_SAMP_INT4, ACC_SUM_INT128, FINAL_VAR_SAMP},
	{F_VAR_SAMP_INT8, ACC_SUM_INT128, FINAL_VAR_SAMP},
	{F_VAR_SAMP_NUMERIC, ACC_SUM_INT128, FINAL_VAR_SAMP},
	{F_VAR_POP_INT2, ACC_SUM_INT128, FINAL_VAR_POP},
	{F_VAR_POP_INT4, ACC_SUM_INT128, FINAL_VAR_POP},
	{F_VAR_POP_INT8, ACC_SUM_INT128, FINAL_VAR_POP},
	{F_VAR_POP_NUMERIC, ACC_SUM_INT128, FINAL_VAR_POP},
	{F_STDDEV_INT2, ACC_SUM_INT128, FINAL_STDDEV_SAMP},
	{F_STDDEV_INT4, ACC_SUM_INT128, FINAL_STDDEV_SAMP},
	{F_STDDEV_INT8, ACC_SUM_INT128, FINAL_STDDEV_SAMP},
	{F_STDDEV_NUMERIC, ACC_SUM_INT128, FINAL_STDDEV_SAMP},
	{F_STDDEV_SAMP_INT2, ACC_SUM_INT128, FINAL_STDDEV_SAMP},
	{F_STDDEV_SAMP_INT4, ACC_SUM_INT128, FINAL_STDDEV_SAMP},
	{F_STDDEV_SAMP_INT8, ACC_SUM_INT128, FINAL_STDDEV_SAMP},
	{F_STDDEV_SAMP_NUMERIC, ACC_SUM_INT128, FINAL_STDDEV_SAMP},
	{F_STDDEV_POP_INT2, ACC_SUM_INT128, FINAL_STDDEV_POP},
	{F_STDDEV_POP_INT4, ACC_SUM_INT128, FINAL_STDDEV_POP},
	{F_STDDEV_POP_INT8, ACC_SUM_INT128, FINAL_STDDEV_POP},
	{F_STDDEV_POP_NUMERIC, ACC_SUM_INT128, FINAL_STDDEV_POP},

	{F_VARIANCE_FLOAT4, ACC_SUM_PRODUCT, FINAL_FLOAT_VAR_SAMP},
	{F_VARIANCE_FLOAT8, ACC_SUM_PRODUCT, FINAL_FLOAT_VAR_SAMP},
	{F_VAR_SAMP_FLOAT4, ACC_SUM_PRODUCT, FINAL_FLOAT_VAR_SAMP},
	{F_VAR_SAMP_FLOAT8, ACC_SUM_PRODUCT, FINAL_FLOAT_VAR_SAMP},
	{F_VAR_POP_FLOAT4, ACC_SUM_PRODUCT, FINAL_FLOAT_VAR_POP},
	{F_VAR_POP_FLOAT8, ACC_SUM_PRODUCT, FINAL_FLOAT_VAR_POP},
	{F_STDDEV_FLOAT4, ACC_SUM_PRODUCT, FINAL_FLOAT_STDDEV_SAMP},
	{F_STDDEV_FLOAT8, ACC_SUM_PRODUCT, FINAL_FLOAT_STDDEV_SAMP},
	{F_STDDEV_SAMP_FLOAT4, ACC_SUM_PRODUCT, FINAL_FLOAT_STDDEV_SAMP},
	{F_STDDEV_SAMP_FLOAT8, ACC_SUM_PRODUCT, FINAL_FLOAT_STDDEV_SAMP},
	{F_STDDEV_POP_FLOAT4, ACC_SUM_PRODUCT, FINAL_FLOAT_STDDEV_POP},
	{F_STDDEV_POP_FLOAT8, ACC_SUM_PRODUCT, FINAL_FLOAT_STDDEV_POP},
	{F_REGR_SXX, ACC_SUM_PRODUCT, FINAL_REGR_SXX},
	{F_REGR_SYY, ACC_SUM_PRODUCT, FINAL_REGR_SYY},
	{F_REGR_SXY, ACC_SUM_PRODUCT, FINAL_REGR_SXY},
	{F_REGR_AVGX, ACC_SUM_PRODUCT, FINAL_REGR_AVGX},
	{F_REGR_AVGY, ACC_SUM_PRODUCT, FINAL_REGR_AVGY},
	{F_REGR_R2, ACC_SUM_PRODUCT, FINAL_REGR_R2},
	{F_REGR_SLOPE, ACC_SUM_PRODUCT, FINAL_REGR_SLOPE},
	{F_REGR_INTERCEPT, ACC_SUM_PRODUCT, FINAL_REGR_INTERCEPT},
	{F_COVAR_POP, ACC_SUM_PRODUCT, FINAL_COVAR_POP},
	{F_COVAR_SAMP, ACC_SUM_PRODUCT, FINAL_COVAR_SAMP},
	{F_CORR, ACC_SUM_PRODUCT, FINAL_CORR},
	{F_REGR_COUNT, ACC_SUM_PRODUCT, FINAL_COUNT},
};

static const AggregateKind *
find_aggregate(Oid function)
{
	for (int i = 0; i < (int) lengthof(aggregate_kinds); i++)
		if (aggregate_kinds[i].function == function)
			return &aggregate_kinds[i];
	return NULL;
}

bool
is_engine_aggregate(Oid function)
{
	return find_aggregate(function) != NULL;
}

bool
lower_ignores_repetitions(Oid function)
{
	const AggregateKind *kind = find_aggregate(function);

	return kind != NULL && word_is_idempotent(acc_word(kind->acc));
}

bool
lower_needs_distinct(const Aggref *aggref)
{
	return aggref->aggdistinct != NIL && !lower_ignores_repetitions(aggref->aggfnoid) &&
		!is_ordered_array(aggref) && !is_ordered_aggregate(aggref);
}

/*
 * Extremes of texts are those of the bytes.  Of char(n) one value is kept of
 * those that are equal: they must be identical, as they are where n is known.
 */
static bool
check_text_extreme(Lowering *l, const Aggref *aggref, AccKind kind)
{
	Expr	   *arg;

	if (!acc_is_text(kind))
		return true;
	arg = linitial_node(TargetEntry, aggref->args)->expr;
	if (acc_form(kind) == FORM_BPCHAR &&
		(exprTypmod((Node *) arg) < 0 || IsA(arg, RelabelType)))
	{
		lower_reject(l, REJECTED_TYPE, _("an extreme of type character has no fixed length"));
		return false;
	}
	return check_order(l, exprType((Node *) arg), aggref->inputcollid);
}

bool
lower_needs_rank(const Aggref *aggref)
{
	const AggregateKind *kind = find_aggregate(aggref->aggfnoid);

	return kind != NULL && acc_is_text(kind->acc) &&
		OidIsValid(aggref->inputcollid) && get_collation_isdeterministic(aggref->inputcollid) &&
		!compat_collates_as_c(aggref->inputcollid);
}

/* Is it a whole aggregate of this query? */
static bool
check_level(Lowering *l, const Aggref *aggref)
{
	if (aggref->agglevelsup != 0)
		lower_reject(l, REJECTED_AGGREGATE, _("aggregates of an outer query are not supported"));
	else if (aggref->aggsplit != AGGSPLIT_SIMPLE)
		lower_reject(l, REJECTED_AGGREGATE, _("partial aggregation is not supported"));
	return lower_succeeded(l);
}

/* Are values different, of which each is taken once, that are so by their type? */
static bool
has_equality_of_type(const Aggref *aggref)
{
	ListCell   *lc;

	foreach(lc, aggref->aggdistinct)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Oid			equality;

		get_sort_group_operators(exprType((Node *) get_sortgroupref_tle(clause->tleSortGroupRef,
																	  aggref->args)->expr),
								 false, false, false, NULL, &equality, NULL, NULL);
		if (clause->eqop != equality)
			return false;
	}
	return true;
}

/* The kind of an aggregate that can be lowered, but for its expressions. */
static const AggregateKind *
check_aggref(Lowering *l, const Aggref *aggref)
{
	const AggregateKind *kind = find_aggregate(aggref->aggfnoid);

	if (kind == NULL || aggref->aggvariadic)
		lower_reject(l, REJECTED_AGGREGATE, _("aggregate %s is not supported"),
					 format_procedure(aggref->aggfnoid));
	else if (!has_equality_of_type(aggref))
		lower_reject(l, REJECTED_AGGREGATE, _("the equality of DISTINCT values is not that of their type"));
	else
		return kind;
	return NULL;
}

/*
 * Up to where values can be summed: beyond, PostgreSQL's own sum could overflow
 * at some row, given as many rows as a run may take, or the squares that its
 * average keeps besides.
 */
static int
float_limit(FinalKind final, ValueType type)
{
	if (final == FINAL_SUM_FLOAT4)
		return EXACT_LIMIT_SUM4;
	if (final == FINAL_SUM_FLOAT8)
		return EXACT_LIMIT_SUM8;
	return type == VT_FLOAT4 ? EXACT_LIMIT_ANY : EXACT_LIMIT_SQUARES;
}

static bool
is_variance(FinalKind final)
{
	return final == FINAL_VAR_POP || final == FINAL_VAR_SAMP ||
		final == FINAL_STDDEV_POP || final == FINAL_STDDEV_SAMP;
}

/*
 * Its values without the filter: what the filter leaves out becomes NULL, which
 * no aggregate takes in.
 */
Expr *
lower_distinct_argument(const Aggref *aggref)
{
	Expr	   *arg = linitial_node(TargetEntry, aggref->args)->expr;
	Node	   *value = (Node *) arg;
	CaseExpr   *choice;
	CaseWhen   *when;

	if (aggref->aggfilter == NULL)
		return arg;
	when = makeNode(CaseWhen);
	when->expr = aggref->aggfilter;
	when->result = arg;
	when->location = -1;
	choice = makeNode(CaseExpr);
	choice->casetype = exprType(value);
	choice->casecollid = exprCollation(value);
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeNullConst(exprType(value), exprTypmod(value),
											   exprCollation(value));
	choice->location = -1;
	return (Expr *) choice;
}

/*
 * A variance's sums of the values and of their squares.  Both are exact for any
 * number of rows, as PostgreSQL's are, hence in 128 bits even for small types.
 */
static int
add_variance(ProgramBuilder *b, FinalKind final, int arg, int filter, int count, int scale)
{
	int			low;
	int			high = -1;

	if (b->insns[arg].type == VT_INT8)
	{
		low = program_add_op(b, OP_int8_square_low, arg, -1);
		high = program_add_op(b, OP_int8_square_high, arg, -1);
		high = program_add_acc(b, ACC_SUM_INT128, high, filter);
	}
	else
	{
		if (b->insns[arg].type == VT_INT2)
			arg = program_add_op(b, OP_int2_to_int4, arg, -1);
		low = program_add_op(b, OP_int4_product, arg, arg);
		arg = program_add_op(b, OP_int4_to_int8, arg, -1);
	}
	low = program_add_acc(b, ACC_SUM_INT128, low, filter);
	return program_add_variance(b, final, program_add_acc(b, ACC_SUM_INT128, arg, filter),
								count, low, high, scale);
}

/* Of integers, which numerics are, too. */
static bool
is_extreme(AccKind acc)
{
	return acc_form(acc) == FORM_INT && word_is_extreme(acc_word(acc));
}

/*
 * The argument's register, or -1, and where the display scales of numerics are
 * needed their accumulator, or -1.
 */
static int
lower_argument(Lowering *l, const AggregateKind *kind, Expr *expr, int filter,
			   int *scale, int *shown)
{
	NumericInfo info;
	int			arg;

	*scale = 0;
	*shown = -1;
	if (!acc_reads_value(kind->acc))
		return lower_presence(l, expr);
	if (!is_numeric(expr))
		return lower_expr(l, expr);
	arg = lower_numeric(l, expr, &info);
	if (arg < 0)
		return -1;
	*scale = info.scale;
	if (is_extreme(kind->acc))
		return lower_uniform(l, arg, &info);
	if (is_variance(kind->final))
	{
		/* hardly a number of so many digits fits 64 bits */
		if (info.scale > NUMERIC64_MAX_SCALE)
			return lower_reject(l, REJECTED_NUMERIC, _("a variance of numerics with more than %d decimal digits is not supported"),
								NUMERIC64_MAX_SCALE);
		arg = make_narrow(l, arg);
	}
	return lower_shown_acc(l, arg, &info, filter, shown) ? arg : -1;
}

/* The accumulator of what wide values have beyond 64 bits. */
static int
add_high_parts(Lowering *l, const AggregateKind *kind, int arg, int filter)
{
	return program_add_acc(l->builder, kind->acc,
						   program_add_op(l->builder, OP_wide_high, arg, -1), filter);
}

/*
 * Accumulators of an aggregate over registers, and its result.
 *
 * Values that are never NULL are counted as rows.  But count() must keep an
 * argument that can be an error, since nothing else looks at it.
 *
 * Returns the aggregate's number.
 */
static int
add_aggregate(Lowering *l, const AggregateKind *kind, int arg, int filter,
			  int scale, int shown)
{
	ProgramBuilder *b = l->builder;
	int			counted = arg;
	int			acc;
	int			agg;
	int			count;

	if (arg >= 0 && !b->insns[arg].nullable &&
		(acc_reads_value(kind->acc) || !b->insns[arg].fallible))
		counted = -1;
	count = program_add_acc(b, ACC_COUNT, counted, filter);
	if (is_variance(kind->final))
		agg = add_variance(b, kind->final, arg, filter, count, scale);
	else
	{
		acc = count;
		if (acc_form(kind->acc) == FORM_FLOAT)
			acc = program_add_float_acc(b, arg, -1, filter,
										float_limit(kind->final,
													(ValueType) b->insns[arg].type));
		else if (is_extreme(kind->acc) && is_wide(l, arg))
			acc = program_add_acc(b, acc_is_greatest(kind->acc) ? ACC_MAX_WIDE : ACC_MIN_WIDE,
								  arg, filter);
		else if (acc_reads_value(kind->acc) && is_wide(l, arg))
			acc = program_add_acc(b, kind->acc,
								  program_add_op(b, OP_wide_low, arg, -1), filter);
		else if (acc_reads_value(kind->acc))
			acc = program_add_acc(b, kind->acc, arg, filter);
		agg = program_add_numeric_agg(b, kind->final, acc, count, scale);
		if (acc_reads_value(kind->acc) && !is_extreme(kind->acc) && is_wide(l, arg))
			program_set_high(b, agg, add_high_parts(l, kind, arg, filter));
	}
	program_set_shown(b, agg, shown);
	if (kind->final == FINAL_SUM_MONEY)
		program_add_acc(b, ACC_SUM_SIZES, program_add_op(b, OP_int8_size, arg, -1), filter);
	return agg;
}

/* More sums than these of one column are made of one of them. */
#define FEW_SUMS_ADDED 3

/*
 * Is an aggregate the sum of an int2 column of the table's and a small constant?  No int4 is too small
 * for any of the values.
 */
static bool
is_sum_added(const Lowering *l, const Aggref *aggref, Expr **small, int *added)
{
	const Expr *expr = aggref->aggfnoid != F_SUM_INT4 || aggref->aggdistinct != NIL ? NULL :
		linitial_node(TargetEntry, aggref->args)->expr;
	const OpExpr *op = (const OpExpr *) expr;
	Oid			function = expr != NULL && IsA(expr, OpExpr) ? get_opcode(op->opno) : InvalidOid;
	const Const *constant;
	int32		value;

	if (function != F_INT24PL && function != F_INT24MI && function != F_INT42PL)
		return false;
	*small = function == F_INT42PL ? lsecond(op->args) : linitial(op->args);
	constant = function == F_INT42PL ? linitial(op->args) : lsecond(op->args);
	if (!IsA(constant, Const) || constant->constisnull || !IsA(*small, Var) ||
		(Index) ((const Var *) *small)->varno != l->rti)
		return false;
	value = DatumGetInt32(constant->constvalue);
	*added = function == F_INT24MI ? -value : value;
	return value > PG_INT16_MIN && value <= PG_INT16_MAX;
}

void
lower_find_sums_added(Lowering *l, const List *aggrefs)
{
	ListCell   *lc;

	foreach(lc, aggrefs)
	{
		Expr	   *small;
		int			added;

		if (is_sum_added(l, lfirst_node(Aggref, lc), &small, &added))
			l->added = lappend(l->added, lfirst(lc));
	}
}

/* Are more than a few of these sums of the same rows' values of the column? */
static bool
sums_are_many(const Lowering *l, const Aggref *aggref, const Expr *small)
{
	int			n = 0;
	ListCell   *lc;

	foreach(lc, l->added)
	{
		const Aggref *other = lfirst_node(Aggref, lc);
		Expr	   *column;
		int			added;

		if (is_sum_added(l, other, &column, &added))
			n += equal(column, small) && equal(other->aggfilter, aggref->aggfilter);
		if (n > FEW_SUMS_ADDED)
			return true;
	}
	return false;
}

/*
 * Such a sum as that of the int2s and their number, which other sums of the same values share; the
 * filter is lowered.  A few are as other sums are: engines know their groups' order.
 */
static bool
lower_sum_added(Lowering *l, Expr *small, int added, int filter)
{
	const AggregateKind kind = {.acc = ACC_SUM_INT,.final = FINAL_SUM_ADDED};
	int			arg = lower_expr(l, small);

	if (arg >= 0)
		program_set_added(l->builder, add_aggregate(l, &kind, arg, filter, 0, -1), added);
	return lower_succeeded(l);
}

bool
lower_distinct_aggref(Lowering *l, const Aggref *aggref, int arg, int scale)
{
	const AggregateKind *kind = check_level(l, aggref) ? check_aggref(l, aggref) : NULL;

	if (kind == NULL)
		return false;
	if (is_variance(kind->final))
		arg = make_narrow(l, arg);
	if (arg < 0)
		return lower_succeeded(l);
	if (acc_form(kind->acc) == FORM_FLOAT_PRODUCT)
		return lower_distinct_moments(l, kind->final, arg);
	(void) add_aggregate(l, kind, arg, -1, acc_reads_value(kind->acc) ? scale : 0, -1);
	return lower_succeeded(l);
}

/* What reads such an aggregate from a list of its values, each once; ACC_KINDS: nothing does. */
static AccKind
distinct_reader(const AggregateKind *kind)
{
	if (is_variance(kind->final) || kind->final == FINAL_SUM_MONEY)
		return ACC_KINDS;
	switch (kind->acc)
	{
		case ACC_COUNT:
			return ACC_COUNT_DISTINCT;
		case ACC_SUM_INT:
			return ACC_SUM_DISTINCT;
		case ACC_SUM_INT128:
			return ACC_SUM_DISTINCT128;
		default:
			return ACC_KINDS;
	}
}

/* The register of an aggregate's values for a list, and of what scale they are; or -1. */
static int
lower_listed(Lowering *l, Expr *expr, bool summed, int *scale)
{
	FinalKind	final;
	NumericInfo info;
	int			arg = lower_ordered(l, expr, &final, &info);

	*scale = summed ? info.scale : 0;
	if (arg < 0 || !is_numeric(expr))
		return arg;
	if (summed && (l->expects_specials || l->needs_specials))
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric can be NaN or infinite"));
	return lower_uniform(l, arg, &info);
}

bool
lower_distinct_list(Lowering *l, const Aggref *aggref)
{
	const AggregateKind *kind = check_level(l, aggref) ? check_aggref(l, aggref) : NULL;
	AccKind		reader = kind == NULL ? ACC_KINDS : distinct_reader(kind);
	int			filter = -1;
	int			values;
	int			count;
	int			scale;

	if (kind != NULL && reader == ACC_KINDS)
		lower_reject(l, REJECTED_AGGREGATE,
					 _("DISTINCT in %s beside an ordered-set aggregate is not supported"),
					 format_procedure(aggref->aggfnoid));
	if (!lower_succeeded(l))
		return false;
	if (aggref->aggfilter != NULL && (filter = lower_expr(l, aggref->aggfilter)) < 0)
		return lower_succeeded(l);
	values = lower_listed(l, linitial_node(TargetEntry, aggref->args)->expr,
						  reader != ACC_COUNT_DISTINCT, &scale);
	if (values < 0)
		return lower_succeeded(l);
	values = program_add_acc(l->builder, ACC_VALUES, values, filter);
	count = program_add_read_acc(l->builder, ACC_COUNT_DISTINCT, values, 0, false);
	program_add_numeric_agg(l->builder, kind->final,
							reader == ACC_COUNT_DISTINCT ? count :
							program_add_read_acc(l->builder, reader, values, 0, false),
							count, scale);
	return lower_succeeded(l);
}

/* The arguments without what they are only ordered by. */
static List *
arguments_of(const Aggref *aggref)
{
	List	   *args = NIL;
	ListCell   *lc;

	foreach(lc, aggref->args)
		if (!lfirst_node(TargetEntry, lc)->resjunk)
			args = lappend(args, lfirst(lc));
	return args;
}

/* An extreme of texts as that of their ranks; the filter is lowered. */
static bool
lower_ranked(Lowering *l, const Aggref *aggref, const AggregateKind *kind, int filter)
{
	bool		greatest = acc_is_greatest(kind->acc);
	const AggregateKind rank = {
		.acc = greatest ? ACC_MAX_INT : ACC_MIN_INT,.final = FINAL_EXTREME_INT4
	};
	int			arg = lower_rank(l, linitial_node(TargetEntry, aggref->args)->expr,
								 aggref->inputcollid, l->aggregate_code);

	if (arg < 0)
		return l->reason == NULL && check_text_extreme(l, aggref, kind->acc);
	(void) add_aggregate(l, &rank, arg, filter, 0, -1);
	return lower_succeeded(l);
}

bool
lower_aggref(Lowering *l, Aggref *aggref)
{
	const AggregateKind *kind;
	int			arg = -1;
	int			filter = -1;
	int			scale = 0;
	int			shown = -1;
	int			added;
	Expr	   *small;
	bool		ranked;

	if (!lower_succeeded(l) || !check_level(l, aggref))
		return false;
	if (is_hypothetical(aggref))
		return lower_hypothetical(l, aggref);
	if (is_statistic(aggref))
		return lower_statistic(l, aggref);
	if (is_ordered_array(aggref))
		return lower_ordered_array(l, aggref);
	if (is_ordered_aggregate(aggref))
		return lower_ordered_aggregate(l, aggref);
	kind = check_aggref(l, aggref);
	ranked = l->aggregate_code != NULL && lower_needs_rank(aggref);
	if (kind == NULL || (!ranked && !check_text_extreme(l, aggref, kind->acc)))
		return false;
	if (lower_needs_distinct(aggref))
	{
		lower_reject(l, REJECTED_AGGREGATE, _("DISTINCT in an aggregate is not supported"));
		return false;
	}

	/* PostgreSQL evaluates the filter first, and may then need no argument. */
	if (aggref->aggfilter)
	{
		filter = lower_expr(l, aggref->aggfilter);
		if (filter < 0)
			return lower_succeeded(l);
	}
	if (!lower_unused_order(l, aggref, filter))
		return false;
	if (acc_form(kind->acc) == FORM_FLOAT_PRODUCT)
		return lower_moments(l, kind->final, arguments_of(aggref), filter);
	if (ranked)
		return lower_ranked(l, aggref, kind, filter);
	if (is_interval_sum(kind->final))
		return lower_interval_sum(l, kind->final, linitial_node(TargetEntry, aggref->args)->expr, filter);
	if (is_sum_added(l, aggref, &small, &added) && sums_are_many(l, aggref, small))
		return lower_sum_added(l, small, added, filter);
	if (aggref->args != NIL)
	{
		arg = lower_argument(l, kind, linitial_node(TargetEntry, aggref->args)->expr,
							 filter, &scale, &shown);
		if (arg < 0)
			return lower_succeeded(l);
	}
	(void) add_aggregate(l, kind, arg, filter, scale, shown);
	return lower_succeeded(l);
}
