/*
 * build_side.c
 *	  The plans whose rows are looked up.
 *
 * A relation's own paths, as PostgreSQL has planned them, read its rows for look-ups.  The
 * native plan beside has paths of the same relation, so that plans are made of them twice
 * (build_query.c).
 *
 * PostgreSQL may come to no row of a relation where another one has none, or not to all.
 * So nothing that is evaluated for a look-up's rows may raise an error, unless it can be set
 * aside (guarded.c).
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "exec/lookup/lookup_cache.h"
#include "exec/lookup/lookup_demand.h"
#include "exec/lookup/lookup_rows.h"
#include "plan/lower/lower.h"
#include "plan/path/build_side.h"
#include "plan/path/computed.h"
#include "plan/path/grouping.h"
#include "plan/path/guarded.h"

/*
 * Why clauses of a relation cannot be evaluated for rows that may not be needed, or NULL.  guarded:
 * errors are set aside.
 */
static const char *
examine_clauses(List *rinfos, bool guarded)
{
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->pseudoconstant)
			return "a condition is the same for all rows";
		if (contain_subplans((Node *) rinfo->clause))
			return "a condition of a joined relation has a subquery";
		if (!guarded && !cannot_fail((Node *) rinfo->clause))
			return "a condition of a joined relation can raise errors";
	}
	return NULL;
}

/* What subqueries compute is put out as it is, though an outer join may make it NULL above. */
static const char *
examine_target(const RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, rel->reltarget->exprs)
		if (IsA(lfirst(lc), PlaceHolderVar) && !cannot_fail(lfirst(lc)))
			return "a column of a joined subquery can raise errors";
	return NULL;
}

/* One of the relations within a build side; alone: there is no other. */
static const char *
examine_base(PlannerInfo *root, RelOptInfo *rel, Relids within, bool alone)
{
	const char *reason;
	ListCell   *lc;

	if (rel->reloptkind != RELOPT_BASEREL)
		return "a joined relation is no table, query or function";
	reason = build_query_examine(root, rel->relid);
	if (reason == NULL)
		reason = examine_clauses(rel->baserestrictinfo, alone);
	if (reason == NULL)
		reason = alone ? guarded_examine(root, rel) : examine_target(rel);
	foreach(lc, rel->joininfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (reason == NULL && bms_is_subset(rinfo->required_relids, within))
			reason = examine_clauses(list_make1(rinfo), false);
	}
	return reason;
}

/* Can one of those members that are of these relations raise errors, and be compared there? */
static bool
equivalence_can_fail(const EquivalenceClass *class, Relids relids)
{
	int			nmembers = 0;
	bool		fails = false;
	ListCell   *lc;

	foreach(lc, class->ec_members)
	{
		const EquivalenceMember *member = lfirst_node(EquivalenceMember, lc);

		if (bms_is_empty(member->em_relids) || !bms_is_subset(member->em_relids, relids))
			continue;
		nmembers++;
		fails |= !cannot_fail((Node *) member->em_expr);
	}
	return fails && nmembers > 1;
}

/*
 * The same of what relations of a build side are joined by, where the planner knows it to be
 * equal, so that it makes the clauses.
 */
static const char *
examine_equivalences(const PlannerInfo *root, const RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, bms_membership(rel->relids) == BMS_MULTIPLE ? root->eq_classes : NIL)
		if (equivalence_can_fail(lfirst_node(EquivalenceClass, lc), rel->relids))
			return "what a relation is joined by can raise errors";
	return NULL;
}

const char *
build_side_examine(PlannerInfo *root, const RelOptInfo *rel)
{
	bool		alone = bms_membership(rel->relids) == BMS_SINGLETON;
	int			relid = -1;
	const char *reason;

	while ((relid = bms_next_member(rel->relids, relid)) >= 0)
	{
		reason = root->simple_rel_array[relid] == NULL ? NULL :
			examine_base(root, root->simple_rel_array[relid], rel->relids, alone);

		if (reason != NULL)
			return reason;
	}
	reason = alone ? NULL : examine_target(rel);
	return reason != NULL ? reason : examine_equivalences(root, rel);
}

void
build_side_set_apart(PlannerInfo *root, const Path *build)
{
	int			relid = -1;

	while ((relid = bms_next_member(build->parent->relids, relid)) >= 0)
		if (root->simple_rel_array[relid] != NULL)
			build_query_set_apart(root, relid);
}

Path *
build_side_path(PlannerInfo *root, RelOptInfo *rel, List *target, LookupInfo *info)
{
	Path	   *path = rel->cheapest_total_path;
	PathTarget *own = create_empty_pathtarget();
	ListCell   *lc;

	if (info->computed == NIL && guarded_is_needed(root, rel, target))
		return guarded_path(root, rel, target, info);
	if (equal(path->pathtarget->exprs, target))
		return path;
	foreach(lc, target)
		add_column_to_pathtarget(own, lfirst(lc), 0);
	set_pathtarget_cost_width(root, own);
	return (Path *) create_projection_path(root, rel, path, own);
}

/* Does it hold of the tables that are read?  To make a key takes longer. */
static bool
all_tables(PlannerInfo *root, const RelOptInfo *rel, bool (*holds) (Oid table))
{
	int			relid = -1;

	while ((relid = bms_next_member(rel->relids, relid)) >= 0)
		if (root->simple_rel_array[relid] != NULL && !holds(planner_rt_fetch(relid, root)->relid))
			return false;
	return true;
}

bool
build_side_is_kept(PlannerInfo *root, const Path *build, LookupInfo *info)
{
	if (!all_tables(root, build->parent, lookup_cache_has_table))
		return false;
	build_side_set_key(root, build, info);
	return info->tables != NIL && lookup_cache_holds(info);
}

Cost
build_side_cost(PlannerInfo *root, const Path *build, LookupInfo *info)
{
	Cost		cost = build->total_cost + build->rows * (cpu_tuple_cost + cpu_operator_cost) +
		computed_calls_cost(info->computed, build->rows);

	if (build_side_is_kept(root, build, info))
		return 0;
	if (!all_tables(root, build->parent, lookup_demand_has_table))
		return cost;
	build_side_set_key(root, build, info);
	return info->tables != NIL ? Max(0, cost - lookup_demand_saving(info)) : cost;
}

/* The expression that a column's values are of. */
static Expr *
column_expr(const Path *build, const LookupInfo *info, const LookupColumn *column)
{
	int			attno = lookup_use_is_code(column->use) ? column->place :
		program_columns(info->program)[column->place].attno;

	return list_nth(build->pathtarget->exprs, attno - 1);
}

/* Bytes that a value takes beside a Datum: none, if it is one. */
static double
width_beside(const PlannerInfo *root, const Expr *expr)
{
	return get_typbyval(exprType((const Node *) expr)) ? 0 : average_width(root, expr);
}

/* Distinct values of a column in so many rows. */
static double
distinct_values(PlannerInfo *root, const Path *build, const LookupInfo *info,
				const LookupColumn *column, double rows)
{
	return estimate_num_groups(root, list_make1(column_expr(build, info, column)), rows, NULL, NULL);
}

void
build_side_number_by_row(PlannerInfo *root, const Path *build, LookupInfo *info)
{
	double		rows = clamp_row_est(build->rows);

	for (int i = 0; i < info->ncolumns; i++)
	{
		LookupColumn *column = &info->columns[i];

		column->by_row = column->use == LOOKUP_CODE && !lookup_column_is_unique(info, column) &&
			distinct_values(root, build, info, column, rows) * 2 > rows;
	}
}

double
build_side_memory(PlannerInfo *root, const Path *build, const LookupInfo *info)
{
	ExpectedValues *columns = palloc0(sizeof(ExpectedValues) * (info->ncolumns + 1));
	int			key = program_columns(info->program)[info->keys[0].column].attno;
	List	   *values = NIL;
	double		rows = clamp_row_est(build->rows);

	for (int i = 0; i < info->ncolumns; i++)
	{
		Expr	   *expr = column_expr(build, info, &info->columns[i]);

		if (info->columns[i].use == LOOKUP_PRESENCE)
			continue;
		columns[i].n = distinct_values(root, build, info, &info->columns[i], rows);
		columns[i].copied = width_beside(root, expr);
		values = list_append_unique(values, expr);
	}
	return lookup_rows_expected_memory(info, rows,
									   width_beside(root, list_nth(build->pathtarget->exprs, key - 1)),
									   columns, values == NIL ? 1 :
									   estimate_num_groups(root, values, rows, NULL, NULL));
}

const char *
build_side_name(PlannerInfo *root, const RelOptInfo *rel)
{
	StringInfoData name;
	const char *separator = "";
	int			relid = -1;

	initStringInfo(&name);
	while ((relid = bms_next_member(rel->relids, relid)) >= 0)
	{
		if (root->simple_rel_array[relid] == NULL)
			continue;
		appendStringInfo(&name, "%s%s", separator,
						 planner_rt_fetch(relid, root)->eref->aliasname);
		separator = ", ";
	}
	return name.data;
}
