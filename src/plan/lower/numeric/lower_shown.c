/*
 * lower_shown.c
 *	  Where the display scale of a numeric shows.
 *
 * A sum has the largest display scale of its values; an average, a variance
 * follow from it.  But a key has that of a certain row of its group, and an
 * extreme that of a certain one among equal values, so these must all be one.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_parts.h"

int
lower_uniform(Lowering *l, int reg, const NumericInfo *info)
{
	int			expected = info->scale;
	int			shown;
	int			scale;
	int			check;

	if (display_scale_fixed(info->shown, &expected) && expected == info->scale)
		return reg;
	if (!display_scale_expected(info->shown, &expected) || expected != info->scale)
	{
		lower_hint(l, "Cast it to numeric(p, s), or use round(x, n).");
		return lower_reject(l, REJECTED_NUMERIC, _("numeric keys and extremes of several display scales are not supported"));
	}
	shown = display_scale_register(l, info->shown);
	scale = shown < 0 ? -1 : lower_int4(l, info->scale);
	if (scale < 0)
		return -1;
	/* an error if it is another */
	check = program_add_op(l->builder, OP_display_scale_is, shown, scale);
	return program_add_select(l->builder, check, reg, reg);
}

bool
lower_shown_acc(Lowering *l, int reg, const NumericInfo *info, int filter, int *acc)
{
	int			fixed = info->scale;
	int			shown;
	int			null;

	*acc = -1;
	if (display_scale_fixed(info->shown, &fixed) && fixed == info->scale)
		return true;
	shown = display_scale_register(l, info->shown);
	if (shown < 0)
		return false;
	/* a column's is NULL where its value is; what is computed may be NULL where that is not */
	if (l->builder->insns[reg].nullable && l->builder->insns[reg].op != OP_column)
	{
		null = lower_null(l, INT4OID);
		if (null < 0)
			return false;
		shown = program_add_select(l->builder,
								   program_add_op(l->builder, OP_isnotnull, reg, -1),
								   shown, null);
	}
	*acc = program_add_acc(l->builder, ACC_MAX_INT, shown, filter);
	return *acc >= 0;
}
