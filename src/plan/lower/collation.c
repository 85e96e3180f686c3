/*
 * collation.c
 *	  Which collations compare texts as engines do: by their bytes; and which types have equal
 *	  values that are identical.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"

bool
check_collation(Lowering *l, Oid type, Oid collation)
{
	if (!type_is_collatable(getBaseType(type)))
		return true;
	if (!OidIsValid(collation))
	{
		lower_hint(l, "Name one with COLLATE.");
		lower_reject(l, REJECTED_COLLATION, _("a collation could not be determined"));
		return false;
	}
	if (!get_collation_isdeterministic(collation))
	{
		lower_hint(l, "Name a deterministic collation with COLLATE, such as \"C\", if it will do.");
		lower_reject(l, REJECTED_COLLATION, _("collation \"%s\" is nondeterministic"),
					 get_collation_name(collation));
		return false;
	}
	return true;
}

bool
check_order(Lowering *l, Oid type, Oid collation)
{
	if (!check_collation(l, type, collation))
		return false;
	if (type_is_collatable(getBaseType(type)) && !compat_collates_as_c(collation))
	{
		lower_hint(l, "Write COLLATE \"C\" if the order of their bytes will do.");
		lower_reject(l, REJECTED_COLLATION, _("the order of texts in collation \"%s\" is not supported"),
					 get_collation_name(collation));
	}
	return l->reason == NULL;
}

/*
 * B-tree operator classes say so, for deduplication.  Of character, whose values are equal with more
 * blanks behind them, too, those of older minor versions do so wrongly.
 */
bool
equal_is_identical(Node *expr)
{
	TypeCacheEntry *type = lookup_type_cache(exprType(expr), TYPECACHE_BTREE_OPFAMILY);
	Oid			function = InvalidOid;

	/* texts without a collation cannot be compared at all */
	if (OidIsValid(type->btree_opf) && type->btree_opintype != BPCHAROID &&
		(OidIsValid(exprCollation(expr)) || !type_is_collatable(type->btree_opintype)))
		function = get_opfamily_proc(type->btree_opf, type->btree_opintype,
									 type->btree_opintype, BTEQUALIMAGE_PROC);
	return OidIsValid(function) &&
		DatumGetBool(OidFunctionCall1Coll(function, exprCollation(expr),
										  ObjectIdGetDatum(type->btree_opintype)));
}
