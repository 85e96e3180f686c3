/*
 * lower_hypothetical.c
 *	  From hypothetical-set aggregates to counts.
 *
 * rank(c) WITHIN GROUP (ORDER BY v) is one more than the number of the group's rows that come
 * before a row of value c: a count with a filter.  So are the ranks' relations to the number of
 * all rows, percent_rank and cume_dist; for this one the rows equal to c count, too.  dense_rank
 * counts the distinct values before c, which are read from a list (lower_statistic.c).
 *
 * PostgreSQL adds the hypothetical row to each group and sorts it (orderedsetaggs.c); nothing is
 * sorted here, except for dense_rank.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_parts.h"

/* A value that rows are ordered by, and that of the hypothetical row. */
typedef struct RankKey
{
	const SortGroupClause *order;
	Expr	   *value;
	Expr	   *hypothetical;
	Oid			collation;
} RankKey;

bool
is_hypothetical(const Aggref *aggref)
{
	return aggref->aggkind == AGGKIND_HYPOTHETICAL;
}

bool
is_dense_rank(const Aggref *aggref)
{
	return aggref->aggfnoid == F_DENSE_RANK_ANY;
}

/* How the result is made of counts; -1: it is another aggregate. */
static int
hypothetical_final(Oid function)
{
	switch (function)
	{
		case F_RANK_ANY:
		case F_DENSE_RANK_ANY:
			return FINAL_RANK;
		case F_PERCENT_RANK_ANY:
			return FINAL_PERCENT_RANK;
		case F_CUME_DIST_ANY:
			return FINAL_CUME_DIST;
		default:
			return -1;
	}
}

/* The i-th key.  Arguments are in the order's order. */
static RankKey
rank_key(const Aggref *aggref, int i)
{
	RankKey		key;

	key.order = list_nth_node(SortGroupClause, aggref->aggorder, i);
	key.value = list_nth_node(TargetEntry, aggref->args, i)->expr;
	key.hypothetical = list_nth(aggref->aggdirectargs, i);
	key.collation = exprCollation((Node *) key.value);
	return key;
}

static Expr *
compare(const RankKey *key, Oid operator)
{
	return make_opclause(operator, BOOLOID, false, copyObject(key->value),
						 copyObject(key->hypothetical), InvalidOid, key->collation);
}

static Expr *
test_null(Expr *value, NullTestType type)
{
	NullTest   *test = makeNode(NullTest);

	test->arg = copyObject(value);
	test->nulltesttype = type;
	test->location = -1;
	return (Expr *) test;
}

/* Is one of the two NULL, and does that decide that the row's value is before the hypothetical one? */
static Expr *
null_decides(const RankKey *key)
{
	bool		first = key->order->nulls_first;

	return make_andclause(list_make2(test_null(key->value, first ? IS_NULL : IS_NOT_NULL),
									 test_null(key->hypothetical, first ? IS_NOT_NULL : IS_NULL)));
}

/* Is a row's value before the hypothetical one?  NULL stands for false. */
static Expr *
is_before(const RankKey *key)
{
	return make_orclause(list_make2(compare(key, key->order->sortop), null_decides(key)));
}

/* Are the two equal?  The operator is that of the order's family. */
static Expr *
is_equal(const RankKey *key)
{
	Expr	   *null = make_andclause(list_make2(test_null(key->value, IS_NULL),
												 test_null(key->hypothetical, IS_NULL)));

	return make_orclause(list_make2(compare(key, get_equality_op_for_ordering_op(key->order->sortop,
																				 NULL)), null));
}

/* Is a row before the hypothetical one, or its equal if these count? */
static Expr *
comes_before(Lowering *l, const Aggref *aggref, bool or_equal)
{
	Expr	   *found = or_equal ? (Expr *) makeBoolConst(true, false) : NULL;

	for (int i = list_length(aggref->aggorder) - 1; i >= 0; i--)
	{
		RankKey		key = rank_key(aggref, i);
		Expr	   *before = is_before(&key);

		if (found != NULL)
			before = make_orclause(list_make2(before, make_andclause(list_make2(is_equal(&key), found))));
		found = before;
	}
	return (Expr *) eval_const_expressions(l->root, (Node *) found);
}

/* Both conditions; either may be NULL. */
static Expr *
both(Expr *filter, Expr *condition)
{
	return filter == NULL ? condition : make_andclause(list_make2(copyObject(filter), condition));
}

/* Is the hypothetical row the same one for all groups?  Its values may be parameters. */
static bool
check_hypothetical(Lowering *l, const Aggref *aggref)
{
	ListCell   *lc;

	if (hypothetical_final(aggref->aggfnoid) < 0 || aggref->aggvariadic ||
		list_length(aggref->aggdirectargs) != list_length(aggref->aggorder))
	{
		lower_reject(l, REJECTED_AGGREGATE, _("aggregate %s is not supported"),
					 format_procedure(aggref->aggfnoid));
		return false;
	}
	foreach(lc, aggref->aggdirectargs)
		if (!same_for_all_rows(lfirst(lc)))
		{
			lower_reject(l, REJECTED_AGGREGATE,
						 _("the arguments of a hypothetical-set aggregate are not the same for all groups"));
			return false;
		}
	return true;
}

/*
 * Have errors of what rows are ordered by be seen, which a condition may not come to: PostgreSQL
 * evaluates all of it for each row.  False: rejected.
 */
static bool
see_errors(Lowering *l, const Aggref *aggref, int filter)
{
	ListCell   *lc;

	foreach(lc, aggref->args)
	{
		int			reg = lower_presence(l, lfirst_node(TargetEntry, lc)->expr);

		if (reg < 0)
			return false;
		if (l->builder->insns[reg].fallible)
			program_add_acc(l->builder, ACC_COUNT, reg, filter);
	}
	return true;
}

/* Are there NULLs before the hypothetical value?  A count of them, -1: none can be, or rejected. */
static int
count_nulls_before(Lowering *l, const Aggref *aggref, const RankKey *key)
{
	Expr	   *condition = key->order->nulls_first ? both(aggref->aggfilter, null_decides(key)) : NULL;
	int			filter = condition == NULL ? -1 :
		lower_expr(l, (Expr *) eval_const_expressions(l->root, (Node *) condition));

	return filter < 0 ? -1 : program_add_acc(l->builder, ACC_COUNT, -1, filter);
}

/* The count of distinct values before the hypothetical one, of which NULL is one. */
static bool
lower_dense_rank(Lowering *l, const Aggref *aggref, int before)
{
	RankKey		key = rank_key(aggref, 0);
	FinalKind	final;
	NumericInfo info;
	int			values;
	int			nulls;

	if (list_length(aggref->aggorder) > 1)
	{
		lower_reject(l, REJECTED_AGGREGATE, _("dense_rank by several values is not supported"));
		return false;
	}
	values = lower_ordered(l, key.value, &final, &info);
	if (values >= 0 && is_numeric(key.value))
		values = lower_uniform(l, values, &info);
	if (values < 0)
		return lower_succeeded(l);
	values = program_add_acc(l->builder, ACC_VALUES, values, before);
	values = program_add_read_acc(l->builder, ACC_COUNT_DISTINCT, values, 0, false);
	nulls = count_nulls_before(l, aggref, &key);
	if (nulls >= 0)
		program_add_agg(l->builder, FINAL_DENSE_RANK, values, nulls);
	else
		program_add_agg(l->builder, FINAL_RANK, values, values);
	return lower_succeeded(l);
}

bool
lower_hypothetical(Lowering *l, const Aggref *aggref)
{
	FinalKind	final = (FinalKind) hypothetical_final(aggref->aggfnoid);
	int			filter = -1;
	int			before;

	if (!check_hypothetical(l, aggref))
		return false;
	if (aggref->aggfilter != NULL && (filter = lower_expr(l, aggref->aggfilter)) < 0)
		return lower_succeeded(l);
	before = lower_expr(l, both(aggref->aggfilter, comes_before(l, aggref, final == FINAL_CUME_DIST)));
	if (before < 0 || !see_errors(l, aggref, filter))
		return lower_succeeded(l);
	if (is_dense_rank(aggref))
		return lower_dense_rank(l, aggref, before);
	program_add_agg(l->builder, final, program_add_acc(l->builder, ACC_COUNT, -1, before),
					program_add_acc(l->builder, ACC_COUNT, -1, filter));
	return lower_succeeded(l);
}
