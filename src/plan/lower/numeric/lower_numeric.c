/*
 * lower_numeric.c
 *	  From expressions of type numeric to operations over int8.
 *
 * A numeric is lowered as the number of units of 10^-scale that it is, with a
 * scale that is known here: a column's is that of its type modifier, or what
 * statistics say (numeric_stats.c), a constant's its own.  (Engines verify that
 * a column's values have it; see numeric_page.h.)  Sums need operands of one
 * scale, so the one of lesser scale is multiplied by a power of 10; products add
 * their scales.  The display scale follows the same rules, which are
 * PostgreSQL's, but may be less, and another for each value (display_scale.c).
 *
 * A number has 64 bits, or 128 where statistics say that it needs them (lower_wide.c).
 * Whatever leaves these at run time is an error of the operation, and then
 * PostgreSQL's own plan answers.  What has no known scale (a division) is
 * rejected.
 *
 * Where a numeric is compared with a parameter, or anything else whose value is
 * only known when execution begins, no scale is needed: x < p is x < ceil(p),
 * and x <= p is x <= floor(p), if both are taken at x's scale.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/regproc.h"

#include "compat.h"
#include "plan/lower/lower_choice.h"
#include "plan/lower/lower_date.h"
#include "plan/lower/lower_internal.h"
#include "plan/lower/lower_operand.h"
#include "plan/lower/numeric/numeric_stats.h"
#include "program/ops_wide.h"

/* What is done with a function's operands and their scales. */
typedef enum NumericForm
{
	FORM_COMPARE,				/* taken to one scale; a bool */
	FORM_SUM,					/* taken to one scale, the result's */
	FORM_PRODUCT,				/* scales add up */
	FORM_UNARY,					/* keeps the scale */
	FORM_IDENTITY,
	FORM_FROM_INT,				/* scale 0 */
	FORM_TO_INT,				/* rounded to scale 0, then the operation */
	FORM_TO_FLOAT8,
	FORM_CAST,					/* numeric(x, type modifier) */
	FORM_ROUND					/* round(x, scale) */
} NumericForm;

typedef struct NumericFunction
{
	Oid			function;
	NumericForm form;
	OpCode		op;				/* OP_column: none */
} NumericFunction;

static const NumericFunction numeric_functions[] = {
	{F_NUMERIC_EQ, FORM_COMPARE, OP_int8_eq},
	{F_NUMERIC_NE, FORM_COMPARE, OP_int8_ne},
	{F_NUMERIC_LT, FORM_COMPARE, OP_int8_lt},
	{F_NUMERIC_LE, FORM_COMPARE, OP_int8_le},
	{F_NUMERIC_GT, FORM_COMPARE, OP_int8_gt},
	{F_NUMERIC_GE, FORM_COMPARE, OP_int8_ge},
	{F_NUMERIC_ADD, FORM_SUM, OP_int8_add},
	{F_NUMERIC_SUB, FORM_SUM, OP_int8_sub},
	{F_NUMERIC_MOD, FORM_SUM, OP_int8_mod},
	{F_MOD_NUMERIC_NUMERIC, FORM_SUM, OP_int8_mod},
	{F_NUMERIC_MUL, FORM_PRODUCT, OP_int8_mul},
	{F_NUMERIC_UMINUS, FORM_UNARY, OP_int8_neg},
	{F_NUMERIC_ABS, FORM_UNARY, OP_int8_abs},
	{F_ABS_NUMERIC, FORM_UNARY, OP_int8_abs},
	{F_NUMERIC_UPLUS, FORM_IDENTITY, OP_column},
	{F_NUMERIC_INT2, FORM_FROM_INT, OP_column},
	{F_NUMERIC_INT4, FORM_FROM_INT, OP_column},
	{F_NUMERIC_INT8, FORM_FROM_INT, OP_column},
	{F_INT2_NUMERIC, FORM_TO_INT, OP_int8_to_int2},
	{F_INT4_NUMERIC, FORM_TO_INT, OP_int8_to_int4},
	{F_INT8_NUMERIC, FORM_TO_INT, OP_numeric_to_int8},
	{F_FLOAT8_NUMERIC, FORM_TO_FLOAT8, OP_numeric_to_float8},
	{F_NUMERIC_NUMERIC_INT4, FORM_CAST, OP_column},
	{F_ROUND_NUMERIC_INT4, FORM_ROUND, OP_column},
};

static const NumericFunction *
find_function(Oid function)
{
	for (int i = 0; i < (int) lengthof(numeric_functions); i++)
		if (numeric_functions[i].function == function)
			return &numeric_functions[i];
	return NULL;
}

bool
is_numeric_function(Oid function)
{
	return find_function(function) != NULL;
}

bool
is_numeric(const Expr *expr)
{
	return getBaseType(exprType((const Node *) expr)) == NUMERICOID;
}

/* Precision and scale in a type modifier; false: it has none that can be used. */
static bool
read_typmod(int32 typmod, int *precision, int *scale)
{
	if (typmod < (int32) VARHDRSZ)
		return false;
	typmod -= VARHDRSZ;
	*precision = (typmod >> 16) & 0xffff;
	*scale = ((typmod & 0x7ff) ^ 1024) - 1024;	/* 11 bits, signed */
	return *scale <= NUMERIC128_MAX_SCALE;
}

/* The precision that its type modifier gives. */
bool
known_precision(const Expr *expr, int *precision)
{
	int32		typmod = exprTypmod((const Node *) expr);
	Oid			type = getBaseTypeAndTypmod(exprType((const Node *) expr), &typmod);
	int			scale;

	return type == NUMERICOID && read_typmod(typmod, precision, &scale);
}

/*
 * Is it a numeric of a known scale, by its type alone?  One that is rounded to
 * hundreds has no digits behind the point, as one that is rounded to integers.
 */
bool
known_scale(const Expr *expr, int *scale)
{
	int32		typmod = exprTypmod((const Node *) expr);
	Oid			type = getBaseTypeAndTypmod(exprType((const Node *) expr), &typmod);
	int			precision;

	if (type != NUMERICOID || !read_typmod(typmod, &precision, scale))
		return false;
	*scale = Max(*scale, 0);
	return true;
}

/* The scale of values that all have one. */
void
fixed_scale(NumericScale *scale, int unit, double most)
{
	scale->unit = unit;
	scale->most = most;
	scale->shown = display_scale_const(unit);
}

static int64
power_of_10(int exponent)
{
	int64		power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

Const *
int8_const(int64 value, bool isnull)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
					 Int64GetDatum(value), isnull, FLOAT8PASSBYVAL);
}

int
power_slot(Lowering *l, int exponent)
{
	return lower_slot(l, (Expr *) int8_const(power_of_10(exponent), false));
}

/* A numeric at a scale as an int8; NULL: it does not fit. */
Const *
scaled_const(Datum value, bool isnull, int scale)
{
	struct varlena *numeric;
	int64		number;

	if (isnull)
		return int8_const(0, true);
	numeric = (struct varlena *) DatumGetNumeric(value);
	if (scale > NUMERIC64_MAX_SCALE ||
		!numeric_to_units((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric),
						  scale, &number))
		return NULL;
	return int8_const(number, false);
}

/* Are values expected to fit?  Where not, an engine's time would be lost. */
bool
check_size(Lowering *l, const NumericScale *scale)
{
	if (scale->unit > NUMERIC128_MAX_SCALE)
		lower_reject(l, _("a numeric result with more than %d decimal digits is not supported"),
					 NUMERIC128_MAX_SCALE);
	else if (scale->most >= NUMERIC128_MOST)
		lower_reject(l, _("a numeric result is not expected to fit into 128 bits"));
	return l->reason == NULL;
}

/*
 * The register of a value of scale `from` at scale `to`, which is not less.
 */
static int
raise_scale(Lowering *l, int reg, int from, int to)
{
	int			power;

	if (from == to)
		return reg;
	power = power_slot(l, to - from);
	return power < 0 ? -1 : program_add_op(l->builder, OP_int8_mul, reg, power);
}

/* Which special is it, if any? */
static uint32
const_special(const Const *constant)
{
	struct varlena *numeric;

	if (constant == NULL || constant->constisnull)
		return 0;
	numeric = (struct varlena *) DatumGetNumeric(constant->constvalue);
	return numeric_special((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric));
}

/* The register of a constant that is NaN or infinite: at all scales the same. */
static int
special_slot(Lowering *l, uint32 special)
{
	int			slot = lower_add_slot(l, (Expr *) int8_const(special_number(special), false),
									  VT_INT8);

	l->has_specials = true;
	return slot < 0 ? -1 : program_add_special_slot_ref(l->builder, slot);
}

/* Trimmed, a constant's unit is that of its last digit that is not zero. */
static bool
constant_operand(Lowering *l, const Const *constant, bool trim, NumericOperand *operand)
{
	struct varlena *numeric;
	NumericHeader header;
	Wide		number;
	int			unit;

	if (constant->constisnull || const_special(constant) != 0)
	{
		fixed_scale(&operand->scale, 0, 0);
		operand->scale.shown = display_scale_of_null();
		return true;
	}
	numeric = (struct varlena *) DatumGetNumeric(constant->constvalue);
	header = numeric_header((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric));
	unit = trim ? numeric_least_scale(header) : header.scale;
	if (unit > NUMERIC128_MAX_SCALE ||
		!numeric_to_wide((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric),
						 unit, true, &number))
	{
		lower_reject(l, _("a numeric constant does not fit into 128 bits"));
		return false;
	}
	number = wide_magnitude(number);
	fixed_scale(&operand->scale, unit,
				(double) number.w[1] * 18446744073709551616.0 + (double) number.w[0]);
	return true;
}

bool
numeric_operand(Lowering *l, Expr *expr, bool trim, NumericOperand *operand)
{
	operand->constant = IsA(expr, Const) ? (const Const *) expr : NULL;
	operand->reg = -1;
	if (operand->constant != NULL)
		return constant_operand(l, operand->constant, trim, operand);
	operand->reg = lower_numeric(l, expr, &operand->scale);
	return operand->reg >= 0;
}

/* Is a number of that size, with more digits, not expected to fit 64 bits? */
static bool
is_expected_wide(double most, int digits)
{
	for (; digits > 0; digits--)
		most *= 10;
	return most >= NUMERIC64_MOST;
}

bool
numeric_operand_is_wide(Lowering *l, const NumericOperand *operand, int unit)
{
	return unit > NUMERIC64_MAX_SCALE ||
		(operand->constant == NULL && is_wide(l, operand->reg)) ||
		is_expected_wide(operand->scale.most, unit - operand->scale.unit);
}

int
numeric_operand_at(Lowering *l, const NumericOperand *operand, int unit, bool wide)
{
	Const	   *constant;

	if (operand->constant == NULL)
		return wide ? wide_raised(l, operand->reg, unit - operand->scale.unit) :
			raise_scale(l, operand->reg, operand->scale.unit, unit);
	if (const_special(operand->constant) != 0)
	{
		int			reg = special_slot(l, const_special(operand->constant));

		return wide ? widen(l, reg) : reg;
	}
	if (wide)
		return wide_const(l, operand->constant, unit);
	constant = scaled_const(operand->constant->constvalue, operand->constant->constisnull, unit);
	if (constant == NULL)
		return lower_reject(l, _("a numeric constant does not fit into 64 bits"));
	return lower_slot(l, (Expr *) constant);
}

/* Is its value only known when execution begins, and its scale not even then? */
static bool
is_late(Expr *expr)
{
	return !IsA(expr, Const) && is_slot(expr);
}

/*
 * The slot of floor(x) or ceil(x), counted in units of 10^-scale.  Computing it
 * fails if that is beyond 64 bits.
 */
static int
bound_slot(Lowering *l, Oid floor_or_ceil, Expr *expr, int scale)
{
	Const	   *power = makeConst(NUMERICOID, -1, InvalidOid, -1,
								  NumericGetDatum(int64_to_numeric(power_of_10(scale))),
								  false, false);
	Expr	   *bound;

	bound = (Expr *) makeFuncExpr(F_NUMERIC_MUL, NUMERICOID, list_make2(expr, power),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	bound = (Expr *) makeFuncExpr(floor_or_ceil, NUMERICOID, list_make1(bound),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	bound = (Expr *) makeFuncExpr(F_INT8_NUMERIC, INT8OID, list_make1(bound),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	return lower_slot(l, bound);
}

/* One of the six comparisons, with a number of 64 bits. */
static int
add_comparison(Lowering *l, OpCode op, int reg, int bound)
{
	if (is_wide(l, reg))
		return program_add_op(l->builder, (OpCode) wide_op(op), reg, widen(l, bound));
	return program_add_op(l->builder, op, reg, bound);
}

/* x op late, where op is one of the six comparisons. */
static int
lower_bounded(Lowering *l, OpCode op, Expr *expr, Expr *late)
{
	ProgramBuilder *b = l->builder;
	NumericScale scale;
	int			reg = lower_numeric(l, expr, &scale);
	int			low;
	int			high;

	if (reg >= 0 && scale.unit > NUMERIC64_MAX_SCALE)
		return lower_reject(l, _("a parameter is not supported where numerics have more than %d decimal digits"),
							NUMERIC64_MAX_SCALE);
	low = reg < 0 ? -1 : bound_slot(l, F_FLOOR_NUMERIC, late, scale.unit);
	high = low < 0 ? -1 : bound_slot(l, F_CEIL_NUMERIC, late, scale.unit);
	if (high < 0)
		return -1;
	switch (op)
	{
		case OP_int8_lt:
		case OP_int8_ge:
			return add_comparison(l, op, reg, high);
		case OP_int8_le:
		case OP_int8_gt:
			return add_comparison(l, op, reg, low);
		case OP_int8_eq:		/* and so equal to both, which are one */
			return program_add_op(b, OP_and, add_comparison(l, op, reg, low),
								  add_comparison(l, op, reg, high));
		default:
			return program_add_op(b, OP_or, add_comparison(l, op, reg, low),
								  add_comparison(l, op, reg, high));
	}
}

/* The comparison with left and right exchanged. */
static OpCode
commuted(OpCode op)
{
	switch (op)
	{
		case OP_int8_lt:
			return OP_int8_gt;
		case OP_int8_le:
			return OP_int8_ge;
		case OP_int8_gt:
			return OP_int8_lt;
		case OP_int8_ge:
			return OP_int8_le;
		default:
			return op;
	}
}

/* An operation over two operands at the smaller one of their units. */
static int
lower_aligned(Lowering *l, const NumericFunction *function, List *args, NumericScale *scale)
{
	bool		compare = function->form == FORM_COMPARE;
	NumericOperand operands[2];
	int			regs[2];
	double		most = 0;
	bool		wide = false;

	if (!numeric_operand(l, linitial(args), compare, &operands[0]) ||
		!numeric_operand(l, lsecond(args), compare, &operands[1]))
		return -1;
	scale->unit = Max(operands[0].scale.unit, operands[1].scale.unit);
	scale->shown = display_scale_larger(operands[0].scale.shown, operands[1].scale.shown);
	for (int i = 0; i < 2; i++)
	{
		most += operands[i].scale.most * pow(10, scale->unit - operands[i].scale.unit);
		wide |= numeric_operand_is_wide(l, &operands[i], scale->unit);
	}
	scale->most = most;
	if (!check_size(l, scale))
		return -1;
	wide |= !compare && most >= NUMERIC64_MOST;
	if (wide && wide_op(function->op) < 0)
		return lower_reject(l, _("function %s is not supported over numerics of 128 bits"),
							format_procedure(function->function));
	for (int i = 0; i < 2; i++)
	{
		regs[i] = numeric_operand_at(l, &operands[i], scale->unit, wide);
		if (regs[i] < 0)
			return -1;
	}
	return program_add_op(l->builder, wide ? (OpCode) wide_op(function->op) : function->op,
						  regs[0], regs[1]);
}

static int
lower_product(Lowering *l, List *args, NumericScale *scale)
{
	ProgramBuilder *b = l->builder;
	NumericScale scales[2];
	int			left = lower_numeric(l, linitial(args), &scales[0]);
	int			right = left < 0 ? -1 : lower_numeric(l, lsecond(args), &scales[1]);

	if (right < 0)
		return -1;
	scale->unit = scales[0].unit + scales[1].unit;
	scale->most = scales[0].most * scales[1].most;
	scale->shown = display_scale_added(scales[0].shown, scales[1].shown);
	if (!check_size(l, scale))
		return -1;
	if (is_wide(l, left) || is_wide(l, right))
		return program_add_op(b, OP_wide_mul, widen(l, left), widen(l, right));
	return program_add_op(b, scale->unit > NUMERIC64_MAX_SCALE || scale->most >= NUMERIC64_MOST ?
						  OP_wide_product : OP_int8_mul, left, right);
}

/* An int4 constant's register. */
static int
digits_slot(Lowering *l, int digits)
{
	return lower_slot(l, (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
											Int32GetDatum(digits), false, true));
}

/* The register at another scale, rounded if that is less. */
static int
change_scale(Lowering *l, int reg, const NumericScale *from, int to)
{
	int			operand;

	if (to >= from->unit && (is_wide(l, reg) || is_expected_wide(from->most, to - from->unit) ||
							 to > NUMERIC64_MAX_SCALE))
		return wide_raised(l, reg, to - from->unit);
	if (to >= from->unit)
		return raise_scale(l, reg, from->unit, to);
	operand = is_wide(l, reg) ? digits_slot(l, from->unit - to) : power_slot(l, from->unit - to);
	if (operand < 0)
		return -1;
	return program_add_op(l->builder, is_wide(l, reg) ? OP_wide_round : OP_numeric_round,
						  reg, operand);
}

/* A Const of type int4 that is not NULL; false: it is something else. */
static bool
int4_value(const Expr *expr, int *value)
{
	if (!IsA(expr, Const) || ((const Const *) expr)->constisnull)
		return false;
	*value = DatumGetInt32(((const Const *) expr)->constvalue);
	return true;
}

static int
lower_round(Lowering *l, List *args, NumericScale *scale)
{
	NumericScale from;
	int			reg = lower_numeric(l, linitial(args), &from);
	int			to;

	if (reg < 0)
		return -1;
	if (!int4_value(lsecond(args), &to) || to < 0 || to > NUMERIC128_MAX_SCALE)
		return lower_reject(l, _("rounding to this number of digits is not supported"));
	fixed_scale(scale, to, from.most * pow(10, to - from.unit));
	return check_size(l, scale) ? change_scale(l, reg, &from, to) : -1;
}

/*
 * Beyond the precision is an error; what fits 64 bits is then of that size.  No
 * precision has room for infinities, which are at the ends of a register's
 * numbers (special.h); the limit itself must be none of these.
 */
static int
limit_precision(Lowering *l, int reg, int precision)
{
	int			limit;

	if (is_wide(l, reg))
	{
		limit = wide_power(l, Min(precision, NUMERIC128_MAX_SCALE));
		reg = limit < 0 ? -1 : program_add_op(l->builder, OP_wide_fit, reg, limit);
		return precision > NUMERIC64_MAX_SCALE ? reg : narrow(l, reg);
	}
	limit = precision > NUMERIC64_MAX_SCALE ?
		lower_slot(l, (Expr *) int8_const(SPECIAL_NUMBER_PINF - 1, false)) : power_slot(l, precision);
	return limit < 0 ? -1 : program_add_op(l->builder, OP_numeric_fit, reg, limit);
}

/* To numeric(precision, scale). */
static int
lower_cast(Lowering *l, List *args, NumericScale *scale)
{
	NumericScale from;
	int			reg = lower_numeric(l, linitial(args), &from);
	int			typmod;
	int			precision;
	int			to;

	if (reg < 0)
		return -1;
	if (!int4_value(lsecond(args), &typmod) || !read_typmod(typmod, &precision, &to) || to < 0)
		return lower_reject(l, _("a cast to numeric of this scale is not supported"));
	fixed_scale(scale, to, from.most * pow(10, to - from.unit));
	if (!check_size(l, scale))
		return -1;
	reg = change_scale(l, reg, &from, to);
	return reg < 0 ? -1 : limit_precision(l, reg, precision);
}

/* A numeric's integer or double. */
static int
lower_from_numeric(Lowering *l, const NumericFunction *function, List *args)
{
	NumericScale scale;
	int			reg = lower_numeric(l, linitial(args), &scale);
	int			power;

	if (reg < 0)
		return -1;
	if (function->form == FORM_TO_FLOAT8)
	{
		if (scale.unit > NUMERIC64_MAX_SCALE)
			return lower_reject(l, _("a cast of a numeric with more than %d decimal digits is not supported"),
								NUMERIC64_MAX_SCALE);
		reg = narrow(l, reg);
		power = power_slot(l, scale.unit);
		return power < 0 ? -1 : program_add_op(l->builder, function->op, reg, power);
	}
	reg = narrow(l, change_scale(l, reg, &scale, 0));
	return reg < 0 ? -1 : program_add_op(l->builder, function->op, reg, -1);
}

/* A call of a function of the table; *scale is set if it returns numeric. */
int
lower_numeric_function(Lowering *l, Oid oid, List *args, NumericScale *scale)
{
	const NumericFunction *function = find_function(oid);
	int			reg;

	fixed_scale(scale, 0, 0);
	switch (function->form)
	{
		case FORM_COMPARE:
			if (is_late(lsecond(args)))
				return lower_bounded(l, function->op, linitial(args), lsecond(args));
			if (is_late(linitial(args)))
				return lower_bounded(l, commuted(function->op), lsecond(args), linitial(args));
			return lower_aligned(l, function, args, scale);
		case FORM_SUM:
			return lower_aligned(l, function, args, scale);
		case FORM_PRODUCT:
			return lower_product(l, args, scale);
		case FORM_IDENTITY:
			return lower_numeric(l, linitial(args), scale);
		case FORM_UNARY:
			reg = lower_numeric(l, linitial(args), scale);
			if (reg >= 0 && is_wide(l, reg))
				return program_add_op(l->builder, (OpCode) wide_op(function->op), reg, -1);
			return reg < 0 ? -1 : program_add_op(l->builder, function->op, reg, -1);
		case FORM_FROM_INT:
			return lower_operand(l, oid, linitial(args), VT_INT8);
		case FORM_TO_INT:
		case FORM_TO_FLOAT8:
			return lower_from_numeric(l, function, args);
		case FORM_CAST:
			return lower_cast(l, args, scale);
		case FORM_ROUND:
			return lower_round(l, args, scale);
	}
	return -1;
}

static int
lower_numeric_call(Lowering *l, Oid function, List *args, NumericScale *scale)
{
	if (is_extract(function))
	{
		int			unit;
		int			reg = lower_extract(l, function, args, &unit);

		fixed_scale(scale, unit, 0);
		return reg;
	}
	if (!is_numeric_function(function))
		return lower_reject(l, _("function %s is not supported"),
							format_procedure(function));
	return lower_numeric_function(l, function, args, scale);
}

/* A numeric that is an operand of nothing. */
static int
lower_numeric_const(Lowering *l, Expr *constant, NumericScale *scale)
{
	NumericOperand operand;

	if (!numeric_operand(l, constant, false, &operand))
		return -1;
	*scale = operand.scale;
	return numeric_operand_at(l, &operand, scale->unit,
							  numeric_operand_is_wide(l, &operand, scale->unit));
}

/* The value of the CASE around. */
static int
lower_case_test(Lowering *l, NumericScale *scale)
{
	if (l->case_value < 0 || l->case_scale == NULL)
		return lower_reject(l, _("this kind of expression of type numeric is not supported"));
	*scale = *l->case_scale;
	return l->case_value;
}

/* What no column has: an expression that is computed, or a constant. */
int
lower_numeric_node(Lowering *l, Expr *expr, NumericScale *scale)
{
	switch (nodeTag(expr))
	{
		case T_Const:
			return lower_numeric_const(l, expr, scale);
		case T_Var:
			if (l->builder->head.source == SOURCE_PAGES)
				return lower_numeric_var(l, (Var *) expr, scale);
			return lower_reject(l, _("a column is not among the input's"));
		case T_PlaceHolderVar:
			/* one table has no outer join that could make it NULL */
			if (l->builder->head.source == SOURCE_PAGES)
				return lower_numeric(l, ((PlaceHolderVar *) expr)->phexpr, scale);
			return lower_reject(l, _("this kind of expression of type numeric is not supported"));
		case T_RelabelType:
			return lower_numeric(l, ((RelabelType *) expr)->arg, scale);
		case T_FuncExpr:
			return lower_numeric_call(l, ((FuncExpr *) expr)->funcid,
									  ((FuncExpr *) expr)->args, scale);
		case T_OpExpr:
			return lower_numeric_call(l, get_opcode(((OpExpr *) expr)->opno),
									  ((OpExpr *) expr)->args, scale);
		case T_CaseTestExpr:
			return lower_case_test(l, scale);
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_NullIfExpr:
		case T_MinMaxExpr:
			return lower_choice(l, expr, scale);
		case T_Param:
			return lower_reject(l, _("a numeric parameter is only supported in comparisons"));
		default:
			return lower_reject(l, _("this kind of expression of type numeric is not supported"));
	}
}

int
lower_numeric(Lowering *l, Expr *expr, NumericScale *scale)
{
	int			reg;

	check_stack_depth();
	if (!IsA(expr, Const))
	{
		reg = lower_numeric_input(l, expr, scale);
		if (reg >= 0 || !lower_succeeded(l))
			return reg;
	}
	return lower_numeric_node(l, expr, scale);
}
