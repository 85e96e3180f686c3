/*
 * guarded.c
 *	  Build sides of which conditions or columns can raise errors.
 *
 * PostgreSQL may evaluate a relation's condition for some of its rows only, or for none: for those
 * that another relation has asked for.  A look-up is made of all rows.  So an error must be set
 * aside, and PostgreSQL's own plan finds out whether it comes to it (lookup_input.c in exec/lookup).
 * For that the relation's rows are in a Material, filled by a scan that raises no such error.  Above
 * it one more column says whether a row passes the conditions that can raise one.
 *
 * PostgreSQL does not evaluate a condition of a row that another one before has refused.  So
 * conditions keep their order: the scan has those before the first that can raise an error.
 * Those that hide rows from the user come first in that order.
 *
 * What an index is searched for stays below as well, if it can raise no error.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "plan/lower/lower.h"
#include "plan/path/clauses.h"
#include "plan/path/guarded.h"
#include "plan/path/native.h"
#include "plan/path/others.h"
#include "plan/path/own_relation.h"
#include "plan/path/source_tables.h"

/* The conditions (RestrictInfo) of a base relation, in their order, from the first that can fail. */
static List *
guarded_conditions(PlannerInfo *root, const RelOptInfo *rel)
{
	List	   *clauses;

	if (rel->reloptkind != RELOPT_BASEREL)
		return NIL;
	clauses = clauses_in_order(root, rel->baserestrictinfo);
	for (int i = 0; i < list_length(clauses); i++)
		if (!cannot_fail(list_nth(clauses, i)))
			return list_copy_tail(clauses, i);
	return NIL;
}

/* Those of the expressions that can raise an error. */
static List *
failing(const List *exprs)
{
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
		if (!cannot_fail(lfirst(lc)))
			found = lappend(found, lfirst(lc));
	return found;
}

/* Is the path a scan of which a copy can have other conditions? */
static bool
is_other_scan(const Path *path)
{
	return path->param_info == NULL &&
		(IsA(path, SubqueryScanPath) || path->pathtype == T_FunctionScan ||
		 path->pathtype == T_ValuesScan || path->pathtype == T_CteScan);
}

const char *
guarded_examine(PlannerInfo *root, RelOptInfo *rel)
{
	List	   *exprs = list_concat(get_actual_clauses(guarded_conditions(root, rel)),
									failing(rel->reltarget->exprs));

	if (exprs == NIL)
		return NULL;
	if (contain_volatile_functions((Node *) exprs))
		return "a condition of a joined relation has a volatile function";
	if (contain_subplans((Node *) exprs) || has_subquery_value(root, exprs))
		return "a condition of a joined relation has a subquery";
	if (planner_rt_fetch(rel->relid, root)->rtekind == RTE_RELATION)
		return others_scan(rel, input_leaves(root, rel));
	return is_other_scan(rel->cheapest_total_path) ? NULL :
		"a condition of a joined relation can raise errors";
}

bool
guarded_is_needed(PlannerInfo *root, const RelOptInfo *rel, List *target)
{
	return guarded_conditions(root, rel) != NIL || !cannot_fail((Node *) target);
}

/* The columns that expressions are of; below those of a subquery that can raise errors. */
static bool
columns_walker(Node *node, void *context)
{
	List	  **columns = context;

	if (node == NULL)
		return false;
	if (IsA(node, Var) || (IsA(node, PlaceHolderVar) && cannot_fail(node)))
	{
		*columns = list_append_unique(*columns, node);
		return false;
	}
	return expression_tree_walker(node, columns_walker, context);
}

/* Can nothing fail that an index is searched for, or that its rows fulfil? */
static bool
index_is_safe(const IndexPath *path)
{
	ListCell   *lc;

	foreach(lc, path->indexclauses)
		if (!cannot_fail((Node *) lfirst_node(IndexClause, lc)->rinfo) ||
			!cannot_fail((Node *) lfirst_node(IndexClause, lc)->indexquals))
			return false;
	return cannot_fail((Node *) path->indexinfo->indpred);
}

/* The same of the indexes of a bitmap. */
static bool
bitmap_is_safe(const Path *path)
{
	const List *parts;
	ListCell   *lc;

	if (IsA(path, IndexPath))
		return index_is_safe((const IndexPath *) path);
	parts = IsA(path, BitmapAndPath) ? ((const BitmapAndPath *) path)->bitmapquals :
		((const BitmapOrPath *) path)->bitmapquals;
	foreach(lc, parts)
		if (!bitmap_is_safe(lfirst(lc)))
			return false;
	return true;
}

/* The index of a relation's copy, which has fewer conditions. */
static IndexOptInfo *
own_index(RelOptInfo *own, const IndexOptInfo *index)
{
	IndexOptInfo *copy = makeNode(IndexOptInfo);

	memcpy(copy, index, sizeof(IndexOptInfo));
	copy->rel = own;
	copy->indrestrictinfo = list_difference_ptr(index->indrestrictinfo,
												list_difference_ptr(index->indrestrictinfo,
																	own->baserestrictinfo));
	return copy;
}

/*
 * Does an index have all columns of the relation's copy?  A condition that its predicate implies
 * needs none, but where it is evaluated above the copy.
 */
static bool
index_has_columns(const IndexOptInfo *index, const RelOptInfo *own)
{
	Bitmapset  *there = NULL;
	Bitmapset  *needed = NULL;

	for (int i = 0; i < index->ncolumns; i++)
		if (index->indexkeys[i] != 0 && index->canreturn[i])
			there = bms_add_member(there, index->indexkeys[i] - FirstLowInvalidHeapAttributeNumber);
	pull_varattnos((Node *) own->reltarget->exprs, own->relid, &needed);
	return bms_is_subset(needed, there);
}

/* A table's path by an index as one of its copy, or NULL. */
static Path *
own_index_path(PlannerInfo *root, RelOptInfo *own, const Path *path)
{
	const IndexPath *scan = (const IndexPath *) path;

	if (path->param_info != NULL || path->parallel_aware)
		return NULL;
	if (IsA(path, BitmapHeapPath))
	{
		Path	   *bitmap = ((const BitmapHeapPath *) path)->bitmapqual;

		return bitmap_is_safe(bitmap) ?
			(Path *) create_bitmap_heap_path(root, own, bitmap, NULL, 1.0, 0) : NULL;
	}
	if (!IsA(path, IndexPath) || scan->indexorderbys != NIL || !index_is_safe(scan))
		return NULL;
	return (Path *) create_index_path(root, own_index(own, scan->indexinfo), scan->indexclauses,
									  NIL, NIL, NIL, ForwardScanDirection,
									  path->pathtype == T_IndexOnlyScan &&
									  index_has_columns(scan->indexinfo, own), NULL, 1.0, false);
}

static bool
is_cheaper(const Path *a, const Path *b)
{
	if (compat_disabled_nodes(a) != compat_disabled_nodes(b))
		return compat_disabled_nodes(a) < compat_disabled_nodes(b);
	return a->total_cost < b->total_cost;
}

/* The cheapest scan of a table's copy. */
static Path *
table_path(PlannerInfo *root, RelOptInfo *own, const RelOptInfo *rel)
{
	Path	   *best = own_relation_scan(root, own, rel);
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		Path	   *path = own_index_path(root, own, lfirst(lc));

		if (path != NULL && is_cheaper(path, best))
			best = path;
	}
	return best;
}

/* The path of a subquery, a function or the like as one of its copy. */
static Path *
other_path(RelOptInfo *own, const Path *path)
{
	Size		size = IsA(path, SubqueryScanPath) ? sizeof(SubqueryScanPath) : sizeof(Path);
	Path	   *copy = palloc(size);

	memcpy(copy, path, size);
	copy->parent = own;
	copy->pathtarget = own->reltarget;
	copy->rows = own->rows;
	return copy;
}

/*
 * The rows that the Material has, with these columns.  Where nothing fails below the relation's own
 * path, that is it.
 */
static Path *
rows_path(PlannerInfo *root, RelOptInfo *rel, List *conditions, List *columns)
{
	RelOptInfo *own;
	Path	   *serial;

	if (conditions == NIL && failing(rel->reltarget->exprs) == NIL)
	{
		serial = guarded_input(rel);
		return serial != NULL ? serial : rel->cheapest_total_path;
	}
	own = own_relation(root, rel, list_difference_ptr(rel->baserestrictinfo, conditions), columns);
	if (planner_rt_fetch(rel->relid, root)->rtekind == RTE_RELATION)
		return table_path(root, own, rel);
	return other_path(own, rel->cheapest_total_path);
}

/* The expression where the condition is true, else NULL. */
static Expr *
only_where(Expr *condition, Expr *expr)
{
	CaseWhen   *when = makeNode(CaseWhen);
	CaseExpr   *choice = makeNode(CaseExpr);

	when->expr = condition;
	when->result = expr;
	when->location = -1;
	choice->casetype = exprType((Node *) expr);
	choice->casecollid = exprCollation((Node *) expr);
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeNullConst(choice->casetype, exprTypmod((Node *) expr),
											   choice->casecollid);
	choice->location = -1;
	return (Expr *) choice;
}

/*
 * Whether a row meets all conditions: true if it does.  As a plan does, and unlike AND, this stops at
 * the first that is false or NULL.
 */
static Expr *
all_conditions(const List *clauses)
{
	Expr	   *result = llast(clauses);

	for (int i = list_length(clauses) - 2; i >= 0; i--)
		result = only_where(list_nth(clauses, i), result);
	return result;
}

/*
 * What the plan puts out: the target, and whether the conditions are met, if there are any.  What
 * can raise an error is not computed of rows that do not meet them.
 */
static List *
guarded_exprs(const List *target, const List *clauses)
{
	Expr	   *condition = clauses != NIL ? all_conditions(clauses) : NULL;
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, target)
		exprs = lappend(exprs, condition != NULL && !cannot_fail(lfirst(lc)) ?
						only_where(condition, lfirst(lc)) : lfirst(lc));
	return condition != NULL ? lappend(exprs, condition) : exprs;
}

Path *
guarded_path(PlannerInfo *root, RelOptInfo *rel, List *target, LookupInfo *info)
{
	List	   *conditions = guarded_conditions(root, rel);
	List	   *clauses = get_actual_clauses(conditions);
	List	   *exprs = guarded_exprs(target, clauses);
	List	   *columns = NIL;
	PathTarget *result = create_empty_pathtarget();
	Path	   *path;
	ListCell   *lc;

	/* PostgreSQL may never come to it, and so it would have to be run within the subtransaction */
	if (has_subquery_value(root, exprs))
		return NULL;
	(void) columns_walker((Node *) exprs, &columns);
	info->can_fail = true;
	info->condition = clauses != NIL ? list_length(exprs) : 0;
	info->guarded = copyObject(clauses);

	foreach(lc, exprs)
		add_column_to_pathtarget(result, lfirst(lc), 0);
	set_pathtarget_cost_width(root, result);
	path = compat_material_path(rows_path(root, rel, conditions, columns));
	path = (Path *) create_projection_path(root, path->parent, path, result);
	path->rows = rel->rows;
	return path;
}

Path *
guarded_input(const RelOptInfo *rel)
{
	Path	   *best = NULL;
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		Path	   *path = lfirst(lc);

		if (path->param_info == NULL && !native_has_workers(path) &&
			(best == NULL || is_cheaper(path, best)))
			best = path;
	}
	return best;
}

bool
guarded_starts_workers(const Path *path)
{
	const List *parts = NIL;
	ListCell   *lc;

	if (IsA(path, SubqueryScanPath))
		return guarded_starts_workers(((const SubqueryScanPath *) path)->subpath);
	if (IsA(path, CustomPath))
		parts = ((const CustomPath *) path)->custom_paths;
	else if (IsA(path, AppendPath))
		parts = ((const AppendPath *) path)->subpaths;
	foreach(lc, parts)
		if (guarded_starts_workers(lfirst(lc)))
			return true;
	return native_has_workers(path);
}

bool
guarded_has_workers(const Grouping *grouping, const List *builds)
{
	ListCell   *lc;

	foreach(lc, builds)
		if (guarded_starts_workers(lfirst(lc)))
			return true;
	return grouping->first_rows ? grouping->input_rel->partial_pathlist != NIL :
		guarded_input(grouping->input_rel) == NULL;
}
