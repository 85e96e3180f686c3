/*
 * first_rows_step.c
 *	  Steps of a query that take the first rows of each group of a table's.
 *
 * SELECT DISTINCT ON takes the first row of each group, in the order that ORDER BY has behind
 * the keys.  And where a query takes rows of a subquery whose row_number() is not above a
 * constant, PostgreSQL's planner makes that the run condition of the subquery's WindowAgg, and
 * may drop it from the query; so a node that gives just those rows can take WindowAgg's place.
 * Likewise by rank() and dense_rank(), but for rows that are equal in the order, any number of
 * which can have the same rank: a group has room for so many rows that hardly any group is
 * expected to have more, as if equal values were distributed at random.
 *
 * The node knows two keys of an order, which have an order by numbers.  Where there are more, or others
 * behind these, it gives the rows whose rank by the keys that it knows is not above the last one that
 * is wanted; all rows that come before a row that is wanted are among them.  PostgreSQL's own nodes
 * sort these rows, and number them or take the first one.
 *
 * A query that sorts a table's rows and takes the first ones (ordered_step.c) is such a step without
 * keys.  And where every row that passes is wanted (selection_step.c), each is a group.
 *
 * The node groups by the keys, keeps of each group the places of the first rows, and fetches
 * these, unless places, keys and the order have all that is asked for.  Of rows that are equal in the order, SQL leaves open which comes first.
 *
 * Row numbers are a column of the node's tuples.  EXPLAIN shows a window function of a
 * WindowAgg node only, from PostgreSQL 18 on; so the node has a call of the function in its
 * place.  Nodes above that look for the window function in its output would not find
 * it, so there are none: the window is the last step of its query.
 */
#include "postgres.h"

#include <math.h>

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "handle/handle.h"
#include "plan/lower/lower.h"
#include "plan/lower/lower_parts.h"
#include "plan/path/first_rows_step.h"
#include "plan/query/row_numbers.h"
#include "program/first_rows.h"

/*
 * Fetching a row of a page in memory, in units of cpu_tuple_cost: PostgreSQL's access method
 * looks for its buffer and decides once more whether it is visible.  It takes 0.4 to 0.65 us.
 */
#define FETCHED_ROW 12

/* How many groups may be expected to have more equal rows than there is room for. */
#define MOST_FULL_GROUPS 0.001

/*
 * More equal rows than are expected, for which a group has room if PostgreSQL decides among them: columns of
 * an order may depend on the group's keys.
 */
#define EQUALS_TO_SPARE 3

/* PostgreSQL's cheapest path of its own for the step, or NULL. */
static const Path *
cheapest_native(const RelOptInfo *rel)
{
	const Path *best = NULL;
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		const Path *path = lfirst(lc);

		if ((IsA(path, WindowAggPath) || nodeTag(path) == COMPAT_UNIQUE_PATH) &&
			(best == NULL || path->total_cost < best->total_cost))
			best = path;
	}
	return best;
}

Path *
first_rows_native_path(const RelOptInfo *rel)
{
	const Path *best = cheapest_native(rel);
	Size		size;
	Path	   *copy;

	if (best == NULL)
		return NULL;
	/* add_path frees what it rejects, but for what is below */
	size = IsA(best, WindowAggPath) ? sizeof(WindowAggPath) : sizeof(CompatUniquePath);
	copy = palloc(size);
	memcpy(copy, best, size);
	return copy;
}

Path *
first_rows_native_rows(const Grouping *grouping, RelOptInfo *rel)
{
	Path	   *path = grouping->input_rel->cheapest_total_path;

	if (!grouping->ranked_above)
		return first_rows_native_path(rel);
	return equal(path->pathtarget->exprs, grouping->target->exprs) ? path :
		(Path *) create_projection_path(grouping->root, rel, path, grouping->target);
}

/* The order in which PostgreSQL's node for the step reads its rows. */
static List *
order_of_step(PlannerInfo *root, const Path *step)
{
	const WindowClause *window;

	if (!IsA(step, WindowAggPath))
		return root->sort_pathkeys;
	window = ((const WindowAggPath *) step)->winclause;
	return make_pathkeys_for_sortclauses(root, list_concat_copy(window->partitionClause,
																window->orderClause),
										 root->processed_tlist);
}

Path *
first_rows_ranked_path(PlannerInfo *root, Path *rows, RelOptInfo *rel)
{
	Path	   *path = first_rows_native_path(rel);
	Path	  **subpath = IsA(path, WindowAggPath) ? &((WindowAggPath *) path)->subpath :
		&((CompatUniquePath *) path)->subpath;
	List	   *order = order_of_step(root, path);
	Cost		own = path->total_cost - (*subpath)->total_cost;
	double		share = Min(1, rows->rows / Max((*subpath)->rows, 1));

	/* of values that are the same in all rows no order is left */
	*subpath = pathkeys_contained_in(order, rows->pathkeys) ? rows :
		(Path *) create_sort_path(root, rel, rows, order, -1);
	path->rows = Min(path->rows, rows->rows);
	path->pathkeys = order;
	path->parallel_safe = false;
	path->startup_cost = (*subpath)->startup_cost;
	path->total_cost = (*subpath)->total_cost + own * share;
	compat_set_disabled_nodes(path, compat_disabled_nodes(rows));
	return path;
}

/* The only WindowAgg of PostgreSQL's cheapest path, or NULL. */
static const WindowAggPath *
window_path(const RelOptInfo *window_rel)
{
	const Path *path = cheapest_native(window_rel);

	return path != NULL && IsA(path, WindowAggPath) ? (const WindowAggPath *) path : NULL;
}

const WindowClause *
first_rows_window(const RelOptInfo *window_rel)
{
	const WindowAggPath *path = window_path(window_rel);

	return path != NULL && compat_run_condition(path) != NIL ? path->winclause : NULL;
}

/*
 * Does the order that the node knows end before this key?  What is above it sorts its rows by all keys,
 * so that it may give all those whose rank by the first ones is not above the last that is wanted.
 */
static bool
order_ends(const Grouping *grouping, const Expr *key)
{
	return list_length(grouping->first_rows->keys) == FIRST_ROWS_MAX_KEYS ||
		!type_has_number_order(getBaseType(exprType((const Node *) key)));
}

/* Of an ORDER BY what decides which of a group's rows come first. */
static const char *
add_order(Grouping *grouping, List *clause)
{
	FirstRowsInfo *first = grouping->first_rows;
	ListCell   *lc;

	foreach(lc, clause)
	{
		SortGroupClause *sort = lfirst_node(SortGroupClause, lc);
		Expr	   *key = get_sortgroupclause_tle(sort, grouping->root->processed_tlist)->expr;

		/* what is the same in all rows of a group decides nothing */
		if (list_member(grouping->keys, key) || list_member(first->keys, key) ||
			same_for_all_rows(key))
			continue;
		if (order_ends(grouping, key))
		{
			if (first->keys == NIL)
				return psprintf("an order by values of type %s is not supported",
								format_type_be(exprType((Node *) key)));
			if (first->numbering == NUMBER_OF_ROW)
				first->numbering = NUMBER_OF_RANK;
			grouping->ranked_above = !grouping->ordered;
			break;
		}
		first->keys = lappend(first->keys, key);
		first->operators = lappend_oid(first->operators, sort->sortop);
		first->nulls_first = lappend_int(first->nulls_first, sort->nulls_first);
	}
	return NULL;
}

/* The columns and window functions that the output is made of, or what PostgreSQL evaluates of rows. */
static List *
output_inputs(const Grouping *grouping)
{
	List	   *exprs = list_concat(list_difference(grouping->target->exprs, grouping->junk),
								grouping->having);
	List	   *inputs = NIL;
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) exprs, PVC_INCLUDE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS))
		inputs = list_append_unique(inputs, lfirst(lc));
	return inputs;
}

/* Does a key of the groups have the row's own value?  Floats are looked at one by one (row_values.c). */
static bool
key_has_value(const Var *var)
{
	Oid			type = getBaseType(var->vartype);

	return type == FLOAT4OID || type == FLOAT8OID || column_is_identical(var);
}

/* Can a value be told from its number in the order? */
static bool
order_has_value(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return false;
	}
}

/* The place of an expression in a list, or -1. */
static int
place_in(const List *exprs, const Node *expr)
{
	ListCell   *lc;

	foreach(lc, exprs)
		if (equal(lfirst(lc), expr))
			return foreach_current_index(lc);
	return -1;
}

/* What has the values of the node's column that is the input. */
static int
source_of(const Grouping *grouping, const Node *input)
{
	const Var  *var = (const Var *) input;
	int			key = place_in(grouping->keys, input);
	int			order = place_in(grouping->first_rows->keys, input);

	if (!IsA(input, Var) || var->varattno == SelfItemPointerAttributeNumber ||
		var->varattno == TableOidAttributeNumber)
		return ROW_SOURCE_PLACE;
	if (key >= 0 && key_has_value(var))
		return ROW_SOURCE_KEY(key);
	if (order >= 0 && order_has_value(var->vartype))
		return ROW_SOURCE_ORDER(order);
	return ROW_SOURCE_ROW;
}

/* Which attributes these are; NULL, or why they cannot be columns of the node. */
static const char *
set_columns(Grouping *grouping)
{
	List	   *columns = NIL;
	List	   *sources = NIL;
	ListCell   *lc;

	foreach(lc, output_inputs(grouping))
	{
		const Node *input = lfirst(lc);
		int			column = IsA(input, Var) ? ((const Var *) input)->varattno : FIRST_ROWS_NUMBER;

		if (IsA(input, Var) && column == InvalidAttrNumber)
			return "whole-row references are not supported";
		columns = lappend_int(columns, column);
		sources = lappend_int(sources, source_of(grouping, input));
	}
	grouping->first_rows->columns = columns;
	grouping->first_rows->sources = sources;
	return NULL;
}

/* Of a join the rows of one table are fetched, of which the whole output is. */
static const char *
find_row_table(Grouping *grouping)
{
	List	   *exprs = list_difference(grouping->target->exprs, grouping->junk);
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) exprs, PVC_INCLUDE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS))
	{
		const Var  *var = lfirst(lc);

		if (IsA(var, PlaceHolderVar))
			return "the output has what a subquery computes";
		if (!IsA(var, Var))
			continue;
		if (grouping_puts_out_other(grouping, (Index) var->varno))
			return "the output has columns of several tables";
		grouping->row_rti = var->varno;
	}
	return grouping->row_rti == 0 ? "the output has no columns of a joined table" : NULL;
}

/* Row numbers raise no error: a constant in their place. */
static Node *
constant_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, WindowFunc))
		return (Node *) makeNullConst(INT8OID, -1, InvalidOid);
	return expression_tree_mutator(node, constant_mutator, context);
}

/* PostgreSQL computes the output of all rows, and so comes to its errors. */
static const char *
examine_errors(Grouping *grouping, const PathTarget *target)
{
	ListCell   *lc;

	foreach(lc, target->exprs)
	{
		Node	   *expr = lfirst(lc);

		if (cannot_fail(constant_mutator(expr, NULL)))
			continue;
		if (contain_window_function(expr))
			return "what is computed of a row's number can raise errors";
		grouping->checked = lappend(grouping->checked, expr);
	}
	return NULL;
}

/*
 * Does PostgreSQL compute the output of just the rows that the node gives?  Where it takes a part of
 * them it may compute it behind the sort.
 */
static bool
computes_all_rows(const Grouping *grouping)
{
	return grouping_takes_every_row(grouping) && grouping->root->tuple_fraction == 0;
}

/* What the output is made of, as columns of the node's tuples. */
static const char *
examine_output(Grouping *grouping)
{
	const char *reason;

	if (grouping->root->parse->hasTargetSRFs)
		return "the target list has a set-returning function";
	if (grouping_is_volatile(grouping->root))
		return "the query has a volatile function";
	/* its state belongs to one place in the plan */
	if (contain_subplans((Node *) grouping->target->exprs))
		return "the target list has a subquery";
	reason = set_columns(grouping);
	if (reason != NULL)
		return reason;
	return computes_all_rows(grouping) ? NULL : examine_errors(grouping, grouping->target);
}

/*
 * The share of groups of which that many rows or more are equal to others, if the number of
 * these has a Poisson distribution.
 */
static double
share_with_equals(double mean, int n)
{
	double		probability = exp(-mean);
	double		below = 0;

	for (int i = 0; i < n; i++)
	{
		below += probability;
		probability *= mean / (i + 1);
	}
	return Max(1 - below, 0);
}

/* How many rows a group has room for. */
static const char *
examine_equals(const Grouping *grouping)
{
	FirstRowsInfo *first = grouping->first_rows;
	double		rows = grouping->input_rel->rows;
	double		groups = grouping->keys == NIL ? 1 :
		estimate_num_groups(grouping->root, grouping->keys, rows, NULL, NULL);
	double		equals;

	first->entries = first->count;
	first->expected = first->count;
	if (first->numbering == NUMBER_OF_ROW || first->numbering == EVERY_ROW)
		return NULL;
	if (first->keys == NIL)
		return "without an order, all rows have the same rank";
	equals = rows / groups / estimate_num_groups(grouping->root, first->keys, rows, NULL, NULL);
	if (first->numbering == NUMBER_OF_DENSE_RANK)
		equals *= first->count;
	first->expected += equals;
	/* a row leaves when the places of all are there */
	if (groups * first->expected * sizeof(uint64) > groups_memory_limit(false))
		return "the rows' places are not expected to fit into memory";
	for (first->entries++; first->entries <= FIRST_ROWS_MAX; first->entries++)
		if (groups * share_with_equals(equals, first->entries - first->count) < MOST_FULL_GROUPS)
			break;
	if (grouping->ranked_above)
		first->entries += EQUALS_TO_SPARE;
	return first->entries <= FIRST_ROWS_MAX ? NULL :
		"too many rows of a group may be equal in the order";
}

bool
first_rows_add_conditions(Grouping *grouping, List *conditions)
{
	grouping->having = conditions;
	if (set_columns(grouping) == NULL)
		return true;
	grouping->having = NIL;
	return false;
}

const char *
first_rows_examine(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel,
				   const FirstRowsStep *step)
{
	const char *reason = NULL;

	*grouping = (Grouping)
	{
		.root = root,
			.input_rel = input_rel,
			.target = step->target,
			.junk = step->junk,
			.distinct = step->distinct,
			.ordered = step->ordered,
			.ends_early = step->ends_early,
			.clause = step->keys,
			.keys = get_sortgrouplist_exprs(step->keys, root->processed_tlist),
			.first_rows = palloc0(sizeof(FirstRowsInfo)),
	};
	grouping->input_keys = grouping->keys;
	grouping->first_rows->count = step->count;
	grouping->first_rows->numbering = step->numbering;
	grouping->first_rows->partition = grouping->keys;
	grouping->rows_differ = step->numbering == EVERY_ROW;
	/* the keys would be expressions over aggregates, or over another window */
	if (input_rel->reloptkind != RELOPT_JOINREL && input_rel->reloptkind != RELOPT_BASEREL)
		return "the input is no table";
	if (step->numbering != EVERY_ROW)
		reason = add_order(grouping, step->order);
	if (grouping->ranked_above)
	{
		/* what PostgreSQL's node computes of a row before it knows whether the row is wanted */
		if (reason == NULL)
			reason = examine_errors(grouping, step->target);
		grouping->target = step->input;
		grouping->junk = NIL;
	}
	if (reason == NULL && input_rel->reloptkind == RELOPT_JOINREL)
		reason = find_row_table(grouping);
	if (reason == NULL)
		reason = grouping_examine_equality(grouping);
	if (reason == NULL)
		reason = examine_equals(grouping);
	return reason == NULL ? examine_output(grouping) : reason;
}

const char *
first_rows_examine_distinct(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel)
{
	const Query *parse = root->parse;

	/* PostgreSQL reads one row, and comes to no error of another */
	if (compat_distinct_clause(root) == NIL)
		return "DISTINCT of values that are the same in all rows has but one row";
	return first_rows_examine(grouping, root, input_rel, &(FirstRowsStep)
							  {
								  .target = input_rel->cheapest_total_path->pathtarget,
								  .input = input_rel->cheapest_total_path->pathtarget,
								  .keys = parse->distinctClause,
								  .order = order_behind_keys(parse),
								  .count = 1,
								  .distinct = true
							  });
}

/* The numbers that meet a run condition are those up to *count; else why not. */
static const char *
examine_condition(OpExpr *condition, RowNumbering numbering, int64 *count)
{
	int64		number;
	Node	   *left = greatest_number_of(condition, &number);
	RowNumbering of_left;

	if (left == NULL)
		return "how many rows are wanted is not a constant";
	if (!IsA(left, WindowFunc) || !find_numbering((WindowFunc *) left, &of_left) ||
		of_left != numbering)
		return "a condition is of another window function";
	*count = Min(*count, number);
	return NULL;
}

/* Only one function over the window may be asked for, which numbers rows. */
static const char *
examine_functions(const PathTarget *target, const WindowClause *window, RowNumbering *numbering)
{
	bool		first = true;
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) target->exprs,
								PVC_INCLUDE_WINDOWFUNCS | PVC_RECURSE_AGGREGATES |
								PVC_RECURSE_PLACEHOLDERS))
	{
		const WindowFunc *function = lfirst(lc);
		RowNumbering other;

		if (!IsA(function, WindowFunc))
			continue;
		if (function->winref != window->winref)
			return "there is another window";
		if (!find_numbering(function, &other))
			return psprintf("window function %s is not supported",
							format_procedure(function->winfnoid));
		if (!first && other != *numbering)
			return "the window has several functions";
		*numbering = other;
		first = false;
	}
	return NULL;
}

/* Is anything left to do with the window's rows in this query? */
static bool
is_last_step(const Query *parse)
{
	return parse->sortClause == NIL && parse->distinctClause == NIL &&
		parse->limitCount == NULL && parse->limitOffset == NULL && parse->rowMarks == NIL;
}

/* Of a window: outputs that are not the query's, but what the window is by.  The step is the query's last one. */
static List *
unused_outputs(const PlannerInfo *root, const PathTarget *target)
{
	List	   *used = NIL;
	List	   *unused = NIL;
	ListCell   *lc;

	foreach(lc, root->processed_tlist)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, lc);

		if (entry->resjunk)
			unused = lappend(unused, entry->expr);
		else
			used = lappend(used, entry->expr);
	}
	return list_intersection(list_difference(unused, used), target->exprs);
}

const char *
first_rows_examine_window(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel,
						  RelOptInfo *window_rel)
{
	const WindowAggPath *path = window_path(window_rel);
	RowNumbering numbering = NUMBER_OF_ROW;
	const char *reason = examine_functions(path->path.pathtarget, path->winclause, &numbering);
	int64		count = PG_INT64_MAX;
	ListCell   *lc;

	if (IsA(path->subpath, WindowAggPath))
		return "there is another window";
	if (!is_last_step(root->parse))
		return "rows are sorted, or taken in part, behind the window";
	foreach(lc, compat_run_condition(path))
		if (reason == NULL)
			reason = examine_condition(lfirst_node(OpExpr, lc), numbering, &count);
	if (reason != NULL)
		return reason;
	if (count < 1)
		return "no rows are wanted";
	if (count > FIRST_ROWS_MAX)
		return psprintf("more than %d rows of each group are wanted", FIRST_ROWS_MAX);
	return first_rows_examine(grouping, root, input_rel, &(FirstRowsStep)
							  {
								  .target = path->path.pathtarget,
								  .input = path->subpath->pathtarget,
								  .junk = unused_outputs(root, path->path.pathtarget),
								  .keys = path->winclause->partitionClause,
								  .order = path->winclause->orderClause,
								  .numbering = numbering,
								  .count = (int) count
							  });
}

double
first_rows_count(const Grouping *grouping, double groups)
{
	if (grouping_takes_every_row(grouping))
		return groups;
	return Min(groups * grouping->first_rows->expected,
			   grouping->input_rel->cheapest_total_path->rows);
}

/*
 * The run has read all pages just before.  Those that the cache cannot hold are read once more, in
 * their order, as a bitmap scan does.
 */
Cost
first_rows_fetch_cost(const Grouping *grouping, double rows, double pages)
{
	double		fetched = Min(pages, ceil(2 * pages * rows / (2 * pages + rows)));
	double		uncached = Max(0, 1 - effective_cache_size / Max(pages, 1));
	double		page_cost = random_page_cost -
		(random_page_cost - seq_page_cost) * sqrt(fetched / Max(pages, 1));

	if (!first_rows_are_fetched(grouping->first_rows))
		return 0;
	return rows * FETCHED_ROW * cpu_tuple_cost + fetched * uncached * page_cost;
}

/* Calls stand for rows' numbers. */
static Node *
number_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, WindowFunc))
		return (Node *) makeFuncExpr(((WindowFunc *) node)->winfnoid, INT8OID, NIL, InvalidOid,
									 InvalidOid, COERCE_EXPLICIT_CALL);
	return expression_tree_mutator(node, number_mutator, context);
}

List *
first_rows_scan_tlist(const Grouping *grouping)
{
	List	   *tlist = NIL;
	ListCell   *lc;

	foreach(lc, output_inputs(grouping))
		tlist = lappend(tlist, makeTargetEntry((Expr *) number_mutator(lfirst(lc), NULL),
											   list_length(tlist) + 1, NULL, false));
	return tlist;
}

List *
first_rows_tlist(const Grouping *grouping, List *tlist)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, tlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst_node(TargetEntry, lc));
		Node	   *expr = (Node *) entry->expr;

		if (list_member(grouping->junk, expr))
			entry->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr),
												 exprCollation(expr));
		else
			entry->expr = (Expr *) number_mutator(expr, NULL);
		result = lappend(result, entry);
	}
	return result;
}
