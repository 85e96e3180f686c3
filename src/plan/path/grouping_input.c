/*
 * grouping_input.c
 *	  The input of a grouping step, or columns of it, as a grouping step of its own: its
 *	  distinct rows.
 *
 * Aggregates with DISTINCT that engines do not have are left to PostgreSQL, but
 * where no aggregate of the query needs a row's repetitions, the engine removes
 * these from its input.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "plan/lower/lower_parts.h"
#include "plan/path/grouping.h"

/* Why an aggregate's input may not lose its repeated rows, or NULL. */
static const char *
examine_repetitions(const Aggref *aggref)
{
	if (aggref->aggkind != AGGKIND_NORMAL)
		return "ordered-set aggregates are not supported";
	if (aggref->aggdistinct != NIL || lower_ignores_repetitions(aggref->aggfnoid))
		return NULL;
	if (aggref->aggorder != NIL)
		return "ORDER BY in an aggregate is not supported";
	return "DISTINCT in an aggregate beside one that needs all rows is not supported";
}

/*
 * Has a table's column values of one form only?  Those of numeric(p, s) have one display scale, those of
 * char(n) one length.
 */
static bool
has_one_form(const Var *var)
{
	if (var->vartypmod < 0)
		return false;
	return var->vartype == NUMERICOID ||
		(var->vartype == BPCHAROID && OidIsValid(var->varcollid) &&
		 get_collation_isdeterministic(var->varcollid));
}

bool
column_is_identical(const Var *var)
{
	return has_one_form(var) || equal_is_identical((Node *) var);
}

static bool
type_is_hashable(Node *expr)
{
	TypeCacheEntry *type = lookup_type_cache(exprType(expr), TYPECACHE_HASH_PROC);

	return OidIsValid(type->hash_proc);
}

/*
 * Make all columns of the target keys, which are of the input's.  The clause refers to them by
 * numbers in the target, where those that PostgreSQL's GROUP BY refers to have theirs.
 * of_table: it has columns of a table only; grouping->rows_differ is set.
 * Returns NULL, or why it cannot be done: expressions above could distinguish
 * equal values that are not identical, one of which would be lost.  Of rows that differ none is.
 */
static const char *
group_by_all_columns(Grouping *grouping, PathTarget *target, bool of_table)
{
	int			n = list_length(target->exprs);
	Index		last = 0;

	/* without keys there would be a row even of no rows */
	if (n == 0)
		return "the aggregates have no column for an argument";
	if (target->sortgrouprefs == NULL)
		target->sortgrouprefs = palloc0(n * sizeof(Index));
	for (int i = 0; i < n; i++)
		last = Max(last, target->sortgrouprefs[i]);
	for (int i = 0; i < n; i++)
	{
		SortGroupClause *clause = makeNode(SortGroupClause);
		Node	   *expr = list_nth(target->exprs, i);
		bool		is_identical = grouping->rows_differ ||
			(of_table && IsA(expr, Var) ? column_is_identical((const Var *) expr) :
			 equal_is_identical(expr));

		if (!is_identical || !type_is_hashable(expr))
			return psprintf("DISTINCT in an aggregate beside values of type %s is not supported",
							format_type_be(exprType(expr)));
		if (target->sortgrouprefs[i] == 0)
			target->sortgrouprefs[i] = ++last;
		clause->tleSortGroupRef = target->sortgrouprefs[i];
		get_sort_group_operators(exprType(expr), false, true, false,
								 &clause->sortop, &clause->eqop, NULL,
								 &clause->hashable);
		grouping->clause = lappend(grouping->clause, clause);
	}
	grouping->target = target;
	grouping->keys = grouping->input_keys = target->exprs;
	return NULL;
}

static const char *
examine_rows(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel,
			 const PathTarget *columns, bool of_table, bool rows_differ)
{
	*grouping = (Grouping)
	{
		.root = root,
		.input_rel = input_rel,
		.distinct = true,
		.is_input = true,
		.rows_differ = rows_differ,
	};
	return group_by_all_columns(grouping, copy_pathtarget((PathTarget *) columns), of_table);
}

const char *
grouping_examine_columns(Grouping *grouping, PlannerInfo *root, RelOptInfo *table,
						 bool rows_differ)
{
	return examine_rows(grouping, root, table, table->reltarget, true, rows_differ);
}

const char *
grouping_examine_input(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel,
					   RelOptInfo *grouped_rel, List *having)
{
	Query	   *parse = root->parse;
	List	   *exprs = list_concat_copy(grouped_rel->reltarget->exprs, having);
	List	   *vars = pull_var_clause((Node *) exprs,
									   PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS);
	ListCell   *lc;

	foreach(lc, vars)
	{
		const char *reason = NULL;

		if (IsA(lfirst(lc), Aggref))
			reason = examine_repetitions(lfirst_node(Aggref, lc));
		if (reason != NULL)
			return reason;
	}
	if (parse->groupingSets != NIL)
		return "GROUPING SETS, ROLLUP and CUBE are not supported";
	if (parse->hasTargetSRFs)
		return "the target list has a set-returning function";
	if (grouping_is_volatile(root))
		return "the query has a volatile function";

	return examine_rows(grouping, root, input_rel, input_rel->cheapest_total_path->pathtarget,
						false, false);
}
