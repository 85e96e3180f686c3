/*
 * value_type.c
 *	  From PostgreSQL's types to those of values in a Program.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "plan/value_type.h"

typedef struct TypeOids
{
	ValueType	type;
	Oid			oids[12];		/* as types.def has them; the rest is InvalidOid */
} TypeOids;

static const TypeOids type_oids[] = {
#define TYPE(name, ctype, size, stored, class, key, shown, ...) {VT_##name, {__VA_ARGS__}},
#include "program/types.def"
};

int
value_type_of(Oid type)
{
	Oid			base = getBaseType(type);

	for (int i = 0; i < VT_COUNT; i++)
		for (int j = 0; j < (int) lengthof(type_oids[i].oids) && type_oids[i].oids[j] != InvalidOid; j++)
			if (type_oids[i].oids[j] == base)
				return type_oids[i].type;
	return type_is_enum(base) ? VT_INT4 : -1;
}

ValueType
param_value_type(const Expr *expr)
{
	int			type = value_type_of(exprType((const Node *) expr));

	return type < 0 ? VT_TEXT : (ValueType) type;
}
