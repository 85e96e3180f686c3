/*
 * numeric_guess.c
 *	  What is known of a numeric's scale and size before a value is seen.
 *
 * A column's scale is that of its type modifier, or what statistics say
 * (numeric_stats.c).  What PostgreSQL computes has a scale that follows from those
 * of what it is computed from, by the rules by which expressions are lowered.  So
 * the expression is lowered, into a program that is not kept
 * (Lowering.scale_search): columns are looked up where they come from
 * (numeric_origin.c), and what is no numeric becomes an input, since only its type
 * matters.  What cannot be lowered can have a known scale all the same, as
 * round(x, 2) has whatever x is.
 *
 * A good guess is one that rules or statistics give; where it is wrong for a
 * value, the run ends as inexact.  That of a quotient is the largest scale that is
 * expected (numeric_division.c).
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "program/numeric_page.h"

/*
 * How many columns of subqueries may be looked up for one guess.  Each can be made
 * of several of the next subquery, so these can be very many.
 */
#define MAX_LOOKUPS 200

/* By the type modifier alone: 128 bits if 64 could be too few. */
static bool
guess_by_type(const Expr *expr, NumericGuess *guess)
{
	int			precision;

	if (!known_scale(expr, &guess->scale))
		return false;
	guess->fixed = true;
	guess->wide = known_precision(expr, &precision) && precision > NUMERIC64_MAX_SCALE;
	return true;
}

/* A column of a subquery or the like; its own type modifier is that of its origin. */
static bool
guess_computed_var(PlannerInfo *root, const Var *var, int *lookups, NumericGuess *guess,
				   const char **reason)
{
	NumericGuess origin = {0};
	bool		found = numeric_origin_guess(root, var, lookups, &origin, reason);

	if (guess_by_type((const Expr *) var, guess) && !(found && origin.fixed))
		return true;
	*guess = origin;
	return found;
}

static bool
guess_var(PlannerInfo *root, const Var *var, int *lookups, NumericGuess *guess,
		  const char **reason)
{
	int32		typmod = var->vartypmod;

	guess->fixed = known_scale((const Expr *) var, &guess->scale);
	getBaseTypeAndTypmod(var->vartype, &typmod);
	if (!guess->fixed && typmod >= (int32) VARHDRSZ)
	{
		*reason = psprintf(_("type numeric with a scale above %d is not supported"),
						   NUMERIC128_MAX_SCALE);
		return false;
	}
	*reason = _("values of type numeric that are not known to fit into 128 bits are not supported");
	if (var->varlevelsup != 0 || IS_SPECIAL_VARNO(var->varno))
		return guess->fixed;
	if (planner_rt_fetch(var->varno, root)->rtekind != RTE_RELATION)
		return guess_computed_var(root, var, lookups, guess, reason);
	return numeric_column_guess(root, var, guess->fixed, guess) || guess->fixed;
}

/* A sum over all rows is no less than that of any group of them. */
static double
rows_of_query(PlannerInfo *root)
{
	int			relid;
	RelOptInfo *rel;

	if (bms_get_singleton_member(root->all_baserels, &relid))
		rel = root->simple_rel_array[relid];
	else
		rel = find_join_rel(root, root->all_baserels);
	return rel == NULL ? 1 : Max(rel->rows, 1);
}

/* What an aggregate or window function makes of numerics. */
static bool
guess_aggregate(PlannerInfo *root, Oid function, Expr *arg, int *lookups,
				NumericGuess *guess, const char **reason)
{
	switch (function)
	{
		case F_SUM_INT8:
			guess->fixed = true;
			return true;
		case F_SUM_NUMERIC:
		case F_MIN_NUMERIC:
		case F_MAX_NUMERIC:
		case F_FIRST_VALUE:
		case F_LAST_VALUE:
		case F_NTH_VALUE:
		case F_LAG_ANYELEMENT:
		case F_LEAD_ANYELEMENT:
			if (!numeric_guess_within(root, arg, lookups, guess, reason))
				return false;
			if (function == F_SUM_NUMERIC)
				guess->most *= rows_of_query(root);
			return true;
		default:
			*reason = psprintf(_("the scale of what %s returns is not known"),
							   get_func_name(function));
			return false;
	}
}

/* What it is called with, or NULL. */
static Expr *
aggregate_argument(const Aggref *aggref)
{
	return aggref->args == NIL ? NULL : linitial_node(TargetEntry, aggref->args)->expr;
}

static Expr *
window_argument(const WindowFunc *function)
{
	return function->args == NIL ? NULL : linitial(function->args);
}

/* The digits behind the point of a function that has so many whatever it is given. */
static bool
digits_of_function(const Expr *expr, int *digits)
{
	const FuncExpr *call = (const FuncExpr *) expr;
	const Const *second;

	*digits = 0;
	if (!IsA(expr, FuncExpr))
		return false;
	switch (call->funcid)
	{
		case F_FLOOR_NUMERIC:
		case F_CEIL_NUMERIC:
		case F_CEILING_NUMERIC:
		case F_SIGN_NUMERIC:
		case F_DIV:
			return true;
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC_INT4:
			second = lsecond(call->args);
			if (!IsA(second, Const) || second->constisnull)
				return false;
			*digits = Max(DatumGetInt32(second->constvalue), 0);
			return *digits <= NUMERIC128_MAX_SCALE;
		default:
			return scale_of_extract(call, digits);
	}
}

/* Such a function's result is about as large as the numeric that it is given. */
static bool
guess_function(PlannerInfo *root, Expr *expr, int *lookups, NumericGuess *guess)
{
	NumericGuess arg;
	Expr	   *given;
	const char *reason;

	if (!digits_of_function(expr, &guess->scale))
		return false;
	guess->fixed = true;
	given = linitial(((FuncExpr *) expr)->args);
	if (is_numeric(given) && numeric_guess_within(root, given, lookups, &arg, &reason))
	{
		guess->most = arg.most * pow(10, guess->scale - arg.scale);
		guess->special = arg.special;
	}
	return true;
}

/* What lowering has found out. */
static void
read_scale(Lowering *l, const NumericInfo *info, int reg, NumericGuess *guess)
{
	int			shown = info->scale;

	guess->scale = info->scale;
	guess->most = info->most;
	guess->fixed = display_scale_fixed(info->shown, &shown) && shown == info->scale;
	shown = info->scale;
	guess->same = display_scale_expected(info->shown, &shown) && shown == info->scale;
	guess->wide = is_wide(l, reg);
	guess->special = l->expects_specials || l->needs_specials;
}

static bool
guess_by_lowering(PlannerInfo *root, Expr *expr, int *lookups, NumericGuess *guess,
				  const char **reason)
{
	Lowering   *l = lower_begin_columns(root, NIL);
	NumericInfo info;
	int			reg;
	bool		found;

	l->scale_search = lookups;
	reg = lower_numeric_node(l, expr, &info);
	found = lower_succeeded(l) && reg >= 0;
	if (found)
		read_scale(l, &info, reg, guess);
	else
		*reason = l->reason;
	pfree(l->builder);
	return found;
}

/* A value of a query below: a subquery in an expression. */
static bool
guess_subplan(PlannerInfo *root, const SubPlan *subplan, int *lookups, NumericGuess *guess,
			  const char **reason)
{
	*reason = _("the scale of what a subquery returns is not known");
	return subplan->subLinkType == EXPR_SUBLINK &&
		numeric_output_guess(list_nth(root->glob->subroots, subplan->plan_id - 1), lookups,
							 guess);
}

/* The value of a subquery that is run once, if it is one of this query. */
static bool
guess_param(PlannerInfo *root, const Param *param, int *lookups, NumericGuess *guess,
			const char **reason)
{
	ListCell   *lc;

	foreach(lc, root->init_plans)
	{
		const SubPlan *subplan = lfirst_node(SubPlan, lc);

		if (param->paramkind == PARAM_EXEC && list_member_int(subplan->setParam, param->paramid))
			return guess_subplan(root, subplan, lookups, guess, reason);
	}
	*reason = _("a numeric parameter is only supported in comparisons");
	return false;
}

bool
numeric_guess_within(PlannerInfo *root, Expr *expr, int *lookups, NumericGuess *guess,
					 const char **reason)
{
	check_stack_depth();
	MemSet(guess, 0, sizeof(NumericGuess));
	*reason = NULL;
	switch (nodeTag(expr))
	{
		case T_Var:
			return guess_var(root, (Var *) expr, lookups, guess, reason);
		case T_PlaceHolderVar:
			return numeric_guess_within(root, ((PlaceHolderVar *) expr)->phexpr, lookups,
										guess, reason);
		case T_Aggref:
			return guess_aggregate(root, ((Aggref *) expr)->aggfnoid,
								   aggregate_argument((Aggref *) expr), lookups, guess, reason);
		case T_WindowFunc:
			return guess_aggregate(root, ((WindowFunc *) expr)->winfnoid,
								   window_argument((WindowFunc *) expr), lookups, guess, reason);
		case T_SubPlan:
			return guess_subplan(root, (SubPlan *) expr, lookups, guess, reason);
		case T_Param:
			return guess_param(root, (Param *) expr, lookups, guess, reason);
		default:
			return guess_by_lowering(root, expr, lookups, guess, reason) ||
				guess_by_type(expr, guess) ||
				guess_function(root, expr, lookups, guess);
	}
}

bool
numeric_guess(PlannerInfo *root, Expr *expr, NumericGuess *guess, const char **reason)
{
	int			lookups = MAX_LOOKUPS;

	return numeric_guess_within(root, expr, &lookups, guess, reason);
}

bool
numeric_is_given(const Expr *expr)
{
	int			scale;

	switch (nodeTag(expr))
	{
		case T_Var:
		case T_PlaceHolderVar:
		case T_Aggref:
		case T_WindowFunc:
		case T_SubPlan:
		case T_Param:
			return true;
		case T_FuncExpr:
			return known_scale(expr, &scale) || digits_of_function(expr, &scale);
		default:
			return false;
	}
}

void
numeric_guess_merge(NumericGuess *guess, const NumericGuess *other)
{
	bool		equal = guess->scale == other->scale;
	int			scale = Max(guess->scale, other->scale);

	guess->most = Max(guess->most * pow(10, scale - guess->scale),
					  other->most * pow(10, scale - other->scale));
	guess->scale = scale;
	guess->fixed = equal && guess->fixed && other->fixed;
	guess->same = equal && (guess->same || guess->fixed) && (other->same || other->fixed);
	guess->wide |= other->wide;
	guess->special |= other->special;
}
