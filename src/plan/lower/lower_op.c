/*
 * lower_op.c
 *	  From functions of pg_proc to operations.
 *
 * ops.def names the functions that an operation stands for.  They are sorted by
 * Oid once per process, and found by binary search.  An operand that is
 * narrower than the operation's is widened, constants at once, others by an
 * operation.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"

#include "plan/lower/lower_internal.h"

/* From utils/pg_locale.h, which includes ICU's headers, if the server has ICU. */
extern bool lc_collate_is_c(Oid collation);

typedef struct FunctionOp
{
	Oid			function;
	OpCode		op;
} FunctionOp;

/* An operation's functions, behind an InvalidOid (there may be none). */
typedef struct OpFunctions
{
	OpCode		op;
	int			count;
	const Oid  *functions;
} OpFunctions;

#define OP_FUNCTIONS(name, ...) \
	{OP_##name, lengthof(((Oid[]) {InvalidOid, ##__VA_ARGS__})), \
		(const Oid[]) {InvalidOid, ##__VA_ARGS__}},

static const OpFunctions op_functions[] = {
#define OP1(name, r, a, checked, ...) OP_FUNCTIONS(name, ##__VA_ARGS__)
#define OP2(name, r, a, b, checked, ...) OP_FUNCTIONS(name, ##__VA_ARGS__)
#include "program/ops.def"
#undef OP1
#undef OP2
};

static FunctionOp *function_ops = NULL; /* sorted; as long as the process */
static int	nfunction_ops = 0;

static int
compare_function_ops(const void *a, const void *b)
{
	Oid			x = ((const FunctionOp *) a)->function;
	Oid			y = ((const FunctionOp *) b)->function;

	return (x > y) - (x < y);
}

static void
build_function_ops(void)
{
	FunctionOp *table;
	int			n = 0;

	for (int i = 0; i < (int) lengthof(op_functions); i++)
		n += op_functions[i].count - 1;
	table = MemoryContextAlloc(TopMemoryContext, n * sizeof(FunctionOp));
	n = 0;
	for (int i = 0; i < (int) lengthof(op_functions); i++)
	{
		for (int j = 1; j < op_functions[i].count; j++)
		{
			table[n].function = op_functions[i].functions[j];
			table[n++].op = op_functions[i].op;
		}
	}
	qsort(table, n, sizeof(FunctionOp), compare_function_ops);
	nfunction_ops = n;
	function_ops = table;
}

/* The operation (OpCode) that a function lowers to, or -1. */
int
function_op(Oid function)
{
	FunctionOp	key = {.function = function};
	FunctionOp *found;

	if (function_ops == NULL)
		build_function_ops();
	found = bsearch(&key, function_ops, nfunction_ops, sizeof(FunctionOp),
					compare_function_ops);
	return found ? (int) found->op : -1;
}

/*
 * Is equality under this collation that of the bytes?  It is so for types that
 * have none.
 */
bool
check_collation(Lowering *l, Oid type, Oid collation)
{
	if (!type_is_collatable(getBaseType(type)))
		return true;
	if (!OidIsValid(collation))
	{
		lower_reject(l, _("a collation could not be determined"));
		return false;
	}
	if (!get_collation_isdeterministic(collation))
	{
		lower_reject(l, _("collation \"%s\" is nondeterministic"),
					 get_collation_name(collation));
		return false;
	}
	return true;
}

/* Is the order of texts (or bytea) under this collation that of their bytes? */
bool
check_order(Lowering *l, Oid type, Oid collation)
{
	if (!check_collation(l, type, collation))
		return false;
	if (type_is_collatable(getBaseType(type)) && !lc_collate_is_c(collation))
		lower_reject(l, _("the order of texts in collation \"%s\" is not supported"),
					 get_collation_name(collation));
	return l->reason == NULL;
}

static bool
orders_texts(OpCode op)
{
	switch (op)
	{
		case OP_text_lt:
		case OP_text_le:
		case OP_text_gt:
		case OP_text_ge:
		case OP_bpchar_lt:
		case OP_bpchar_le:
		case OP_bpchar_gt:
		case OP_bpchar_ge:
			return true;
		default:
			return false;
	}
}

/* A constant in a wider type, or NULL if the two types are no such pair. */
static Const *
widen_const(const Const *value, ValueType to)
{
	Datum		datum = value->constvalue;

	if (to == VT_FLOAT8 && value->consttype == FLOAT4OID)
		return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
						 Float8GetDatum(value->constisnull ? 0 : DatumGetFloat4(datum)),
						 value->constisnull, FLOAT8PASSBYVAL);
	if (value->consttype == INT2OID && (to == VT_INT4 || to == VT_INT8))
		datum = Int32GetDatum(DatumGetInt16(datum));
	else if (value->consttype != INT4OID || to != VT_INT8)
		return NULL;
	if (to == VT_INT4)
		return makeConst(INT4OID, -1, InvalidOid, sizeof(int32), datum,
						 value->constisnull, true);
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
					 Int64GetDatum(DatumGetInt32(datum)),
					 value->constisnull, FLOAT8PASSBYVAL);
}

/* The operation that turns a value into one of a wider type, or -1. */
static int
widening_op(ValueType from, ValueType to)
{
	if (from == VT_INT2 && to == VT_INT4)
		return OP_int2_to_int4;
	if (from == VT_INT2 && to == VT_INT8)
		return OP_int2_to_int8;
	if (from == VT_INT4 && to == VT_INT8)
		return OP_int4_to_int8;
	if (from == VT_FLOAT4 && to == VT_FLOAT8)
		return OP_float4_to_float8;
	return -1;
}

/* An operand of a function, widened to a type if need be. */
int
lower_operand(Lowering *l, Oid function, Expr *expr, ValueType type)
{
	int			reg;
	int			op;
	ValueType	from;

	if (IsA(expr, Const))
	{
		Const	   *wide = widen_const((Const *) expr, type);

		if (wide)
			expr = (Expr *) wide;
	}
	reg = lower_expr(l, expr);
	if (reg < 0)
		return -1;
	from = (ValueType) l->builder->insns[reg].type;
	if (from == type)
		return reg;
	op = widening_op(from, type);
	if (op < 0)
		return lower_reject(l, _("function %s is not supported over these types"),
							format_procedure(function));
	return program_add_op(l->builder, (OpCode) op, reg, -1);
}

/* Unary plus: needs no operation. */
static bool
is_identity(Oid function)
{
	switch (function)
	{
		case F_INT2UP:
		case F_INT4UP:
		case F_INT8UP:
		case F_FLOAT4UP:
		case F_FLOAT8UP:
			return true;
		default:
			return false;
	}
}

/* A call of a function, or of an operator by its function. */
int
lower_function(Lowering *l, Oid function, List *args, Oid collation)
{
	int			op = function_op(function);
	int			regs[2] = {-1, -1};
	Oid			type = args == NIL ? InvalidOid : exprType(linitial(args));
	NumericScale scale;
	int			reg;

	if (lower_date_function(l, function, args, &reg) ||
		lower_zone_function(l, function, args, &reg) ||
		lower_text_function(l, function, args, collation, &reg))
		return reg;
	if (is_identity(function))
		return lower_expr(l, linitial(args));
	if (is_numeric_function(function))
		return lower_numeric_function(l, function, args, &scale);
	if (op < 0 || list_length(args) != op_nargs((OpCode) op))
		return lower_reject(l, _("function %s is not supported"),
							format_procedure(function));
	if (op_arg((OpCode) op, 0) == VT_TEXT && !check_collation(l, type, collation))
		return -1;
	if (orders_texts((OpCode) op) && !check_order(l, type, collation))
		return -1;
	for (int i = 0; i < list_length(args); i++)
	{
		regs[i] = lower_operand(l, function, list_nth(args, i),
								op_arg((OpCode) op, i));
		if (regs[i] < 0)
			return -1;
	}
	return program_add_op(l->builder, (OpCode) op, regs[0], regs[1]);
}
