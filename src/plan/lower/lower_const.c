/*
 * lower_const.c
 *	  Constants as registers.
 *
 * A constant's value is a slot's, as an expression's is that no row changes.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_const.h"
#include "plan/lower/lower_internal.h"

int
lower_null(Lowering *l, Oid type)
{
	return lower_slot(l, (Expr *) makeNullConst(type, -1, get_typcollation(type)));
}

int
lower_int4(Lowering *l, int32 value)
{
	return lower_slot(l, (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
											Int32GetDatum(value), false, true));
}

int
lower_int8(Lowering *l, int64 value)
{
	return lower_slot(l, (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
											Int64GetDatum(value), false,
											FLOAT8PASSBYVAL));
}

int
lower_op(Lowering *l, OpCode op, int a, int b)
{
	return a < 0 || b < 0 ? -1 : program_add_op(l->builder, op, a, b);
}
