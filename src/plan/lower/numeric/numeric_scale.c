/*
 * numeric_scale.c
 *	  Scales and sizes of numerics.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "plan/lower/numeric/numeric_scale.h"
#include "program/numeric_page.h"

bool
is_numeric(const Expr *expr)
{
	return getBaseType(exprType((const Node *) expr)) == NUMERICOID;
}

bool
read_typmod(int32 typmod, int *precision, int *scale)
{
	if (typmod < (int32) VARHDRSZ)
		return false;
	typmod -= VARHDRSZ;
	*precision = (typmod >> 16) & 0xffff;
	*scale = ((typmod & 0x7ff) ^ 1024) - 1024;	/* 11 bits, signed */
	return *scale <= NUMERIC128_MAX_SCALE;
}

bool
known_precision(const Expr *expr, int *precision)
{
	int32		typmod = exprTypmod((const Node *) expr);
	Oid			type = getBaseTypeAndTypmod(exprType((const Node *) expr), &typmod);
	int			scale;

	if (type != NUMERICOID || !read_typmod(typmod, precision, &scale))
		return false;
	*precision -= Min(scale, 0);
	return true;
}

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

void
fixed_scale(NumericInfo *info, int scale, double most)
{
	info->scale = scale;
	info->most = most;
	info->shown = display_scale_const(scale);
}

bool
check_size(Lowering *l, const NumericInfo *info)
{
	if (info->scale > NUMERIC128_MAX_SCALE)
		lower_reject(l, REJECTED_NUMERIC, _("a numeric result with more than %d decimal digits is not supported"),
					 NUMERIC128_MAX_SCALE);
	else if (info->most >= NUMERIC128_MOST)
		lower_reject(l, REJECTED_NUMERIC, _("a numeric result is not expected to fit into 128 bits"));
	return l->reason == NULL;
}

bool
is_expected_wide(double most, int digits)
{
	for (; digits > 0; digits--)
		most *= 10;
	return most >= NUMERIC64_MOST;
}
