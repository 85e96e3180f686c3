/*
 * collation.c
 *	  Which collations compare texts as engines do: by their bytes.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

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
