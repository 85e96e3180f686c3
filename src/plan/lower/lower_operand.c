/*
 * lower_operand.c
 *	  Operands of the type that an operation takes.
 *
 * A value of a smaller type is promoted to a larger one, as PostgreSQL's functions
 * over two types do: constants here, others by an operation.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgrprotos.h"
#include "utils/regproc.h"

#include "plan/lower/lower_parts.h"

/* A constant in a wider type, or NULL if the two types are no such pair. */
static Const *
promoted_const(const Const *value, ValueType to)
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
promotion_op(ValueType from, ValueType to)
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

int
lower_operand(Lowering *l, Oid function, Expr *expr, ValueType type)
{
	int			reg;
	int			op;
	ValueType	from;

	if (IsA(expr, Const))
	{
		Const	   *promoted = promoted_const((Const *) expr, type);

		if (promoted)
			expr = (Expr *) promoted;
	}
	reg = lower_expr(l, expr);
	if (reg < 0)
		return -1;
	from = (ValueType) l->builder->insns[reg].type;
	if (from == type)
		return reg;
	op = promotion_op(from, type);
	if (op < 0)
		return lower_reject(l, REJECTED_EXPRESSION, _("function %s is not supported over these types"),
							format_procedure(function));
	return program_add_op(l->builder, (OpCode) op, reg, -1);
}
