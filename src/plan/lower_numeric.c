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
 * Whatever leaves 64 bits at run time is an error of the operation, and then
 * PostgreSQL's own plan answers.  What has no known scale (a division) is
 * rejected.
 *
 * Where a numeric is compared with a parameter, or anything else whose value is
 * only known when execution begins, no scale is needed: x < p is x < ceil(p),
 * and x <= p is x <= floor(p), if both are taken at x's scale.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/regproc.h"

#include "plan/lower_internal.h"
#include "program/numeric_page.h"

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
	{F_INT8_NUMERIC, FORM_TO_INT, OP_column},
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
	return *scale <= NUMERIC64_MAX_SCALE;
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
fixed_scale(NumericScale *scale, int unit)
{
	scale->unit = unit;
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

static Const *
int8_const(int64 value, bool isnull)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
					 Int64GetDatum(value), isnull, FLOAT8PASSBYVAL);
}

static int
power_slot(Lowering *l, int exponent)
{
	return lower_slot(l, (Expr *) int8_const(power_of_10(exponent), false));
}

/* A numeric at its own display scale; false: it does not fit. */
static bool
read_numeric(Datum value, int *scale, int64 *number)
{
	struct varlena *numeric = (struct varlena *) DatumGetNumeric(value);
	const uint8 *data = (const uint8 *) VARDATA_ANY(numeric);
	uint32		len = VARSIZE_ANY_EXHDR(numeric);

	*scale = numeric_header(data, len).scale;
	return *scale <= NUMERIC64_MAX_SCALE && numeric_to_scaled(data, len, *scale, number);
}

/* A numeric, at that scale or above its own, as an int8; NULL: it does not fit. */
Const *
scaled_const(Datum value, bool isnull, int scale)
{
	int64		number;
	int			own;

	if (isnull)
		return int8_const(0, true);
	if (!read_numeric(value, &own, &number))
		return NULL;
	for (; own > scale; own--, number /= 10)
		if (number % 10 != 0)
			return NULL;
	if (pg_mul_s64_overflow(number, power_of_10(scale - own), &number))
		return NULL;
	return int8_const(number, false);
}

static int
reject_const(Lowering *l)
{
	return lower_reject(l, _("a numeric constant does not fit into 64 bits"));
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

static int
lower_const(Lowering *l, const Const *constant, int scale)
{
	Const	   *scaled = scaled_const(constant->constvalue, constant->constisnull, scale);

	return scaled ? lower_slot(l, (Expr *) scaled) : reject_const(l);
}

/* Trimmed, a constant's unit is that of its last digit that is not zero. */
bool
numeric_operand(Lowering *l, Expr *expr, bool trim, NumericOperand *operand)
{
	int64		number;
	int			unit = 0;

	operand->constant = IsA(expr, Const) ? (const Const *) expr : NULL;
	operand->reg = -1;
	if (operand->constant == NULL)
	{
		operand->reg = lower_numeric(l, expr, &operand->scale);
		return operand->reg >= 0;
	}
	if (operand->constant->constisnull)
	{
		operand->scale.unit = 0;
		operand->scale.shown = display_scale_of_null();
		return true;
	}
	if (!read_numeric(operand->constant->constvalue, &unit, &number))
	{
		reject_const(l);
		return false;
	}
	for (; trim && unit > 0 && number % 10 == 0; number /= 10)
		unit--;
	fixed_scale(&operand->scale, unit);
	return true;
}

int
numeric_operand_at(Lowering *l, const NumericOperand *operand, int unit)
{
	if (operand->constant)
		return lower_const(l, operand->constant, unit);
	return raise_scale(l, operand->reg, operand->scale.unit, unit);
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

/* x op late, where op is one of the six comparisons. */
static int
lower_bounded(Lowering *l, OpCode op, Expr *expr, Expr *late)
{
	ProgramBuilder *b = l->builder;
	NumericScale scale;
	int			reg = lower_numeric(l, expr, &scale);
	int			low = reg < 0 ? -1 : bound_slot(l, F_FLOOR_NUMERIC, late, scale.unit);
	int			high = low < 0 ? -1 : bound_slot(l, F_CEIL_NUMERIC, late, scale.unit);

	if (high < 0)
		return -1;
	switch (op)
	{
		case OP_int8_lt:
		case OP_int8_ge:
			return program_add_op(b, op, reg, high);
		case OP_int8_le:
		case OP_int8_gt:
			return program_add_op(b, op, reg, low);
		case OP_int8_eq:		/* and so equal to both, which are one */
			return program_add_op(b, OP_and,
								  program_add_op(b, OP_int8_eq, reg, low),
								  program_add_op(b, OP_int8_eq, reg, high));
		default:
			return program_add_op(b, OP_or,
								  program_add_op(b, OP_int8_ne, reg, low),
								  program_add_op(b, OP_int8_ne, reg, high));
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
	bool		trim = function->form == FORM_COMPARE;
	NumericOperand operands[2];
	int			regs[2];

	if (!numeric_operand(l, linitial(args), trim, &operands[0]) ||
		!numeric_operand(l, lsecond(args), trim, &operands[1]))
		return -1;
	scale->unit = Max(operands[0].scale.unit, operands[1].scale.unit);
	scale->shown = display_scale_larger(operands[0].scale.shown, operands[1].scale.shown);
	for (int i = 0; i < 2; i++)
	{
		regs[i] = numeric_operand_at(l, &operands[i], scale->unit);
		if (regs[i] < 0)
			return -1;
	}
	return program_add_op(l->builder, function->op, regs[0], regs[1]);
}

static int
lower_product(Lowering *l, List *args, NumericScale *scale)
{
	NumericScale scales[2];
	int			left = lower_numeric(l, linitial(args), &scales[0]);
	int			right = left < 0 ? -1 : lower_numeric(l, lsecond(args), &scales[1]);

	if (right < 0)
		return -1;
	scale->unit = scales[0].unit + scales[1].unit;
	scale->shown = display_scale_added(scales[0].shown, scales[1].shown);
	if (scale->unit > NUMERIC64_MAX_SCALE)
		return lower_reject(l, _("a numeric result with more than %d decimal digits is not supported"),
							NUMERIC64_MAX_SCALE);
	return program_add_op(l->builder, OP_int8_mul, left, right);
}

/* The register at another scale, rounded if that is less. */
static int
change_scale(Lowering *l, int reg, int from, int to)
{
	int			power;

	if (to >= from)
		return raise_scale(l, reg, from, to);
	power = power_slot(l, from - to);
	return power < 0 ? -1 : program_add_op(l->builder, OP_numeric_round, reg, power);
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
	if (!int4_value(lsecond(args), &to) || to < 0 || to > NUMERIC64_MAX_SCALE)
		return lower_reject(l, _("rounding to this number of digits is not supported"));
	fixed_scale(scale, to);
	return change_scale(l, reg, from.unit, to);
}

/* To numeric(precision, scale): beyond the precision is an error. */
static int
lower_cast(Lowering *l, List *args, NumericScale *scale)
{
	NumericScale from;
	int			reg = lower_numeric(l, linitial(args), &from);
	int			typmod;
	int			precision;
	int			to;
	int			limit;

	if (reg < 0)
		return -1;
	if (!int4_value(lsecond(args), &typmod) || !read_typmod(typmod, &precision, &to) || to < 0)
		return lower_reject(l, _("a cast to numeric of this scale is not supported"));
	fixed_scale(scale, to);
	reg = change_scale(l, reg, from.unit, to);
	if (reg < 0 || precision > NUMERIC64_MAX_SCALE)	/* no int8 is beyond it */
		return reg;
	limit = power_slot(l, precision);
	return limit < 0 ? -1 : program_add_op(l->builder, OP_numeric_fit, reg, limit);
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
		power = power_slot(l, scale.unit);
		return power < 0 ? -1 : program_add_op(l->builder, function->op, reg, power);
	}
	reg = change_scale(l, reg, scale.unit, 0);
	if (reg < 0 || function->op == OP_column)
		return reg;
	return program_add_op(l->builder, function->op, reg, -1);
}

/* A call of a function of the table; *scale is set if it returns numeric. */
int
lower_numeric_function(Lowering *l, Oid oid, List *args, NumericScale *scale)
{
	const NumericFunction *function = find_function(oid);
	int			reg;

	fixed_scale(scale, 0);
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

		fixed_scale(scale, unit);
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
	return numeric_operand_at(l, &operand, scale->unit);
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

static int
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
		case T_RelabelType:
			return lower_numeric(l, ((RelabelType *) expr)->arg, scale);
		case T_FuncExpr:
			return lower_numeric_call(l, ((FuncExpr *) expr)->funcid,
									  ((FuncExpr *) expr)->args, scale);
		case T_OpExpr:
			return lower_numeric_call(l, get_opcode(((OpExpr *) expr)->opno),
									  ((OpExpr *) expr)->args, scale);
		case T_CaseExpr:
			return lower_case(l, (CaseExpr *) expr, scale);
		case T_CaseTestExpr:
			return lower_case_test(l, scale);
		case T_CoalesceExpr:
			return lower_numeric_coalesce(l, (CoalesceExpr *) expr, scale);
		case T_NullIfExpr:
			return lower_numeric_nullif(l, (NullIfExpr *) expr, scale);
		case T_MinMaxExpr:
			return lower_numeric_minmax(l, (MinMaxExpr *) expr, scale);
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
