/*
 * value_type.c
 *	  From PostgreSQL's types to those of values in a Program.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "plan/value_type.h"

/*
 * Equal values of a type must be identical, in their bits or a varlena's bytes,
 * but for those of floats and char(n).  Their order is another matter: that of
 * an enum is not that of its Oids.
 */
int
value_type_of(Oid type)
{
	Oid			base = getBaseType(type);

	switch (base)
	{
		case BOOLOID:
			return VT_BOOL;
		case CHAROID:
			return VT_CHAR;
		case INT2OID:
			return VT_INT2;
		case INT4OID:
		case DATEOID:
		case OIDOID:
		case REGCLASSOID:
		case REGTYPEOID:
		case REGROLEOID:
		case REGNAMESPACEOID:
			return VT_INT4;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case MONEYOID:
			return VT_INT8;
		case FLOAT4OID:
			return VT_FLOAT4;
		case FLOAT8OID:
			return VT_FLOAT8;
		case UUIDOID:
			return VT_UUID;
		case INTERVALOID:
			return VT_INTERVAL;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BYTEAOID:
		case BITOID:
		case VARBITOID:
		case INETOID:
		case CIDROID:
			return VT_TEXT;
		default:
			return type_is_enum(base) ? VT_INT4 : -1;
	}
}

ValueType
slot_value_type(const Expr *expr)
{
	int			type = value_type_of(exprType((const Node *) expr));

	return type < 0 ? VT_TEXT : (ValueType) type;
}
